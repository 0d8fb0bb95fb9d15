"""Runs of which the rows of a few steps are kept at a time: the same gradient to the last bit, in bounded memory."""

import tracemalloc

import numpy as np
import pytest
from differences import BINDING, Everything, arm, linkage
from trees import random_spec

import myomass as mm
from myomass.adjoint.bridges.runs import Runs
from myomass.adjoint.problem import Problem
from myomass.adjoint.sweep import REVERSE

INPUTS = ("q", "qdot", "tau")
EVERY = 1, 7, 32, 1000


def charted():
    """An Euler joint and a rotation vector that leave their charts, and how they start."""
    spec, box = arm(), mm.Inertia.cuboid((1, 2, 4), mass=3.0)
    spec.add_body("ball", None, mm.SphericalEuler("ZYX"), None, mm.translation(0.1, 0, 0.2), box)
    spec.add_body("other", "ball", mm.SphericalExp(), None, mm.translation(0.1, 0, 0.2), box)
    return spec.compile(), [0.3, -0.6, 0.2, 0.9, 0.1, 2, 2, 2], [1, 2, 1, 9, 1, 3, 4, 3]


def acting():
    """A muscle with mass, states, and excitations over time."""
    points = [(None, (-0.1, 0, -0.3)), ("lower", (-0.05, 0, 0.1))]
    model = arm(m={"mass": 0.3, "points": points, "actuator": mm.Hill(200.0, 0.12, 0.13)}).compile()
    return model, [-0.5, 0.5], [0.5, 1.0]


def closed():
    """A loop, which the start is put onto."""
    model = linkage().compile()
    start = mm.dynamics.assemble(model, np.array([0.1, 1.2, 1.8]), np.array([1.0, -2.0, 0.5]))
    return model, start.q + 1e-4 * np.array([1, 2, -1]), start.qdot


def assert_same(made, wrt, **more):
    """Of torques of each step all is the same; a model's numbers to what the order of sums does."""
    model, q, qdot = made
    tau = np.random.default_rng(0).normal(size=(40, model.ndof))
    run = {"q": q, "qdot": qdot, "tau": tau, "h": 0.002, "duration": 0.08} | more
    value, slopes = mm.value_and_grad(model, Everything(), wrt, **run)
    for every in EVERY:
        again, others = mm.value_and_grad(model, Everything(), wrt, checkpoint_every=every, **run)
        assert again == value
        for name, slope in slopes.items():
            if name in (*INPUTS, "excitation"):
                np.testing.assert_array_equal(others[name], slope)
            else:
                np.testing.assert_allclose(others[name], slope, rtol=1e-11)


@pytest.mark.parametrize("integrator", REVERSE)
class TestTheSame:
    def test_through_charts(self, integrator):
        made = charted()
        run = {"q": made[1], "qdot": made[2], "integrator": integrator, "h": 0.002, "duration": 0.08}
        assert len(Problem(made[0], [], **run).rollout().moves) > 0
        assert_same(made, INPUTS, integrator=integrator)

    def test_with_states_of_muscles(self, integrator):
        excitation = np.random.default_rng(0).uniform(0.2, 0.8, (5, 1))
        assert_same(acting(), [*INPUTS, "excitation", "m.mass"], integrator=integrator, excitation=excitation)

    @pytest.mark.filterwarnings("ignore:.*depend")
    def test_under_constraints(self, integrator):
        if integrator in BINDING:
            assert_same(closed(), [*INPUTS, "a.mass"], integrator=integrator)


def test_torques_that_stay_and_every_task():
    """Their slopes are sums over all steps, of which the order changes."""
    model, times = arm().compile(), [0.01, 0.05, 0.2]
    tasks = [mm.tasks.Rest(), mm.tasks.Effort(), mm.tasks.Near("q"), mm.tasks.Reach("lower", at=times)]
    tasks.append(mm.tasks.Follow(times, np.ones((3, 1)), ["upper"]))
    run = {"q": [0.3, -0.6], "tau": [0.3, 0.4], "integrator": "bdf2", "h": 0.01, "duration": 0.2}
    value, slopes = mm.value_and_grad(model, sum(tasks), INPUTS, **run)
    for every in EVERY:
        again, others = mm.value_and_grad(model, sum(tasks), INPUTS, checkpoint_every=every, **run)
        assert again == value
        for name, slope in slopes.items():
            np.testing.assert_allclose(others[name], slope, rtol=1e-13)


@pytest.mark.parametrize("method", ["l-bfgs-b", "gauss-newton"])
def test_optimisation(method):
    reach = mm.tasks.Reach("lower", (0, 0, -0.2), (0.2, -0.05, -0.75)) + 1e-6 * mm.tasks.Effort()
    run = {"q": [0.3, -0.6], "tau": np.zeros((20, 2)), "integrator": "bdf2", "h": 0.01, "duration": 0.2}
    found = [
        mm.optimise(arm().compile(), reach, ["tau"], method=method, iterations=5, **run, **more)
        for more in ({}, {"checkpoint_every": 6})
    ]
    np.testing.assert_array_equal(found[1].values["tau"], found[0].values["tau"])
    assert found[1].history == found[0].history
    np.testing.assert_array_equal(found[1].trajectory().q, found[0].trajectory().q)


def test_rows_look_like_an_array():
    run = {"q": [0.3, -0.6], "integrator": "rk4", "h": 0.01, "duration": 0.3}
    whole, marked = (Problem(arm().compile(), [], **run, checkpoint_every=k).rollout() for k in (None, 7))
    for row in (0, 1, 6, 7, 8, 15, 29, 30, -1, -31):
        np.testing.assert_array_equal(marked.q[row], whole.q[row])
        assert marked.qdot[row, 1] == whole.qdot[row, 1]
    np.testing.assert_array_equal(marked.q[3:20, 0], whole.q[3:20, 0])
    np.testing.assert_array_equal(np.sin(marked.qdot), np.sin(whole.qdot))
    np.testing.assert_array_equal(2.0 * marked.q - marked.qdot, 2.0 * whole.q - whole.qdot)
    np.testing.assert_array_equal(list(marked.q), whole.q)
    assert marked.q.shape == whole.q.shape and marked.q.max() == whole.q.max() and len(marked.q) == 31
    assert marked.state(12).t == whole.state(12).t
    for row in (31, -32):
        with pytest.raises(IndexError):
            marked.q[row]


def test_memory_does_not_grow_with_the_run():
    """What grows are times, and marks every so many steps: a tenth of rows and bars."""
    model = random_spec(0, 20, ["revolute"]).compile()

    def peak(steps, **more):
        run = {"integrator": "semi-implicit", "h": 1e-4, "duration": steps * 1e-4, **more}
        tracemalloc.start()
        mm.value_and_grad(model, mm.tasks.Rest(), INPUTS, **run)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(2)  # compiles
    marked, whole = (peak(2500, **more) - peak(500, **more) for more in ({"checkpoint_every": 100}, {}))
    assert marked < 0.2 * whole


def test_bad_numbers():
    model, run = arm().compile(), {"q": [0.3, -0.6], "h": 0.01, "duration": 0.1}
    for every in (0, -1, 2.5, True, "all"):
        with pytest.raises(ValueError, match="checkpoint_every must be a whole number of steps"):
            mm.value_and_grad(model, mm.tasks.Rest(), "q", checkpoint_every=every, **run)
    with pytest.raises(ValueError, match="the run has events"):
        mm.value_and_grad(
            model, mm.tasks.Rest(), "q", checkpoint_every=5, events=mm.Event(lambda state: state.q[0]), **run
        )
    with pytest.raises(ValueError, match="leave checkpoint_every out"):
        Runs(model, ["q"], True, {"checkpoint_every": 5, **run})
