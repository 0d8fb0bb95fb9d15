"""Units, and calls through doors: compiled once, when a model needs them, and never at address 0."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import types

from myomass._jit import DISABLED, Choice, kernel

compiled_only = pytest.mark.skipif(DISABLED, reason="plain Python compiles nothing")


@kernel(unit=True)
def doubled(x):
    """Twice x, with machine code of its own."""
    return 2.0 * x


@kernel(entry=True)
def first_caller(x):
    """Calls the unit."""
    return doubled(x) + 1.0


@kernel(entry=True)
def second_caller(x):
    """Calls the unit, too."""
    return doubled(x) - 1.0


@kernel(on_demand=types.float64)
def seldom(x):
    """Compiled only if somebody asks for it."""
    return 10.0 * x


@kernel(entry=True)
def perhaps(x, wanted):
    """Calls what may not be compiled."""
    if wanted:
        return seldom(x)
    return x


@kernel
def plus(a, b):
    """First of a family."""
    return a + b


@kernel
def minus(a, b):
    """Second of a family."""
    return a - b


@kernel
def wrong(a, b):
    """Answers with two numbers where one is asked for."""
    return a, b


SUMS = Choice(__name__, "choose_sum", [plus, minus], lambda a, b: a, direct=1)
choose_sum = SUMS.call


@kernel(entry=True)
def apply_sum(kind, a, b):
    """A member of the family by its number."""
    return choose_sum(kind, a, b)


def test_units_are_called_like_any_other_kernel():
    assert (first_caller(3.0), second_caller(3.0)) == (7.0, 5.0)


@compiled_only
def test_a_unit_is_compiled_once_for_all_its_callers():
    first_caller(3.0)
    second_caller(3.0)
    assert len(doubled.overloads) == 1
    assert first_caller(3) == 7.0  # whole numbers are another type
    assert len(doubled.overloads) == 2


@compiled_only
def test_what_nobody_demands_is_not_compiled_and_its_call_is_an_error():
    assert perhaps(2.0, False) == 2.0
    with pytest.raises(SystemError):
        perhaps(2.0, True)
    seldom.demand()
    assert perhaps(2.0, True) == 20.0


def test_members_of_a_family_can_be_added_at_any_time():
    assert apply_sum(0, 5.0, 3.0) == 8.0
    SUMS.demand([1])
    assert apply_sum(1, 5.0, 3.0) == 2.0

    @kernel
    def times(a, b):
        """A late comer."""
        return a * b

    late = SUMS.add(times)
    SUMS.demand([late])
    assert apply_sum(late, 5.0, 3.0) == 15.0


@compiled_only
def test_a_member_that_answers_otherwise_gets_a_sentence():
    apply_sum(0, 5.0, 3.0)
    kind = SUMS.add(wrong)
    for _ in range(2):  # and again: it is not taken for compiled
        with pytest.raises(Exception, match="wrong"):
            SUMS.demand([kind])


PROBE = """
import numpy as np, myomass as mm
scene = mm.scenes.load("{scene}")
print(repr(mm.forward_dynamics(scene.model, scene.q, 0.1 + scene.qdot).tolist()))
"""


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("scene", ["ten-link-chain", "muscle-cylinder"])
def test_a_build_with_direct_calls_gives_the_same(scene, tmp_path):
    """What a target without function pointers needs, from the same source."""
    answers = []
    for direct in ("0", "1"):
        environment = os.environ | {"MYOMASS_DIRECT_CALLS": direct, "MYOMASS_CACHE_DIR": str(tmp_path)}
        code = PROBE.format(scene=scene)
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        answers.append(np.array(eval(done.stdout)))
    np.testing.assert_allclose(*answers, rtol=1e-12, atol=1e-12)


FIRST_CALLS = {
    "reparameterise": "mm.algorithms.reparameterise(model, model.state([0.3, 1.57, 0.2], [1, 1, 1])).charts[0] > 0",
    "joint columns": "mm.algorithms.jacobian(model, [0.3, 1.2, 0.2]).shape == (6, 3)",
}


@compiled_only
@pytest.mark.parametrize("first", FIRST_CALLS)
def test_a_function_brings_the_joints_that_it_needs(first):
    """In a new process, where nobody else has asked for the kernels of Euler joints."""
    code = (
        "import myomass as mm; spec = mm.Spec('ball');"
        "spec.add_body('a', None, mm.SphericalEuler(), inertia=mm.Inertia.cuboid((0.1, 0.2, 0.4), mass=1.0));"
        f"model = spec.compile(); assert {FIRST_CALLS[first]}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
