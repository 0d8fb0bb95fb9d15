"""Mechanisms without degrees of freedom: valid, and every function has an answer of the right shape."""

import subprocess
import sys

import numpy as np
import pytest

import myomass as mm
from myomass._jit import DISABLED

BOX = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1.0)
IN_PLAIN_PYTHON = pytest.mark.skipif(not DISABLED, reason="what writes past its scratch would end all tests")
CRASH = """
import numpy as np, myomass as mm
spec = mm.Spec("post")
spec.add_body("post", None, mm.Fixed(), inertia=mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1.0))
spec.add_muscle("m", 0.5, points=[("post", (0, 0, 0)), ("post", (0, 0, 1))])
model, none = spec.compile(), np.zeros(0)
for _ in range(20_000):
    kept = [np.zeros(size) for size in (1, 2, 4, 8, 16)]
    mm.inverse_dynamics(model, none, none, none)
    mm.mass_matrix(model, none)
    mm.energy(model, none, none)
    assert not any(x.any() for x in kept)
print("done")
"""


def post(muscle: bool) -> mm.Model:
    spec = mm.Spec("post")
    spec.add_body("post", None, mm.Fixed(), inertia=BOX)
    spec.add_body("sign", "post", mm.Fixed(), mm.translation(0, 0, 1), inertia=BOX)
    if muscle:
        spec.add_muscle("m", 0.5, points=[("post", (0, 0, 0)), ("sign", (0, 0, 1))], tension=2.0)
    return spec.compile()


@pytest.mark.skipif(DISABLED, reason="plain Python has no heap to corrupt")
def test_a_massive_muscle_writes_nowhere_else():
    """In a process of its own: machine code that writes past its scratch ends it sooner or later."""
    done = subprocess.run([sys.executable, "-c", CRASH], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-1000:]


@pytest.mark.fast
@pytest.mark.parametrize("muscle", [False, pytest.param(True, marks=IN_PLAIN_PYTHON)])
def test_every_function_has_an_answer(muscle):
    model, none = post(muscle), np.zeros(0)
    for method in ("recursive", "redmax"):
        assert mm.forward_dynamics(model, none, none, method=method).shape == (0,)
    assert mm.inverse_dynamics(model, none, none, none).shape == (0,)
    qddot, tau = mm.hybrid_dynamics(model, none, none, none, none, np.zeros(0, bool))
    assert (qddot.shape, tau.shape) == ((0,), (0,))
    for method in ("composite", "redmax"):
        assert mm.mass_matrix(model, none, method).shape == (0, 0)
    assert all(x.shape == (0, 0) for x in mm.inverse_dynamics_derivatives(model, none, none, none))
    assert all(x.shape == (0, 0) for x in mm.linearise(model, model.state(none, none)))
    assert mm.dynamics.bias_forces(model, none, none).shape == (0,)


@pytest.mark.fast
@IN_PLAIN_PYTHON
def test_the_muscle_counts_in_energy_momentum_and_reactions():
    """0.5 kg along 2 m, whose middle is where the upper of the two bodies is."""
    model, none, g = post(True), np.zeros(0), 9.81
    energy = mm.energy(model, none, none)
    assert energy.kinetic == 0.0
    assert energy.potential == pytest.approx(1.0 * g + 0.5 * g + 2.0 * 2.0)
    centre = mm.momentum(model, none, none).centre
    np.testing.assert_allclose(centre, [0, 0, (1.0 + 0.5) / 2.5], atol=1e-12)
    below = mm.joint_reactions(model, none, none)[0]
    np.testing.assert_allclose(below, [0, 0, 0, 0, 0, 2.5 * g], atol=1e-9)
