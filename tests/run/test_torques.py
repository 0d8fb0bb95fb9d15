"""Torques from a Python function: called inside every integrator, with errors that come back."""

import numpy as np
import pytest

import myomass as mm
from myomass.integrators import INTEGRATORS


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_function_does_what_a_spring_does(integrator):
    """-k q - d qdot by a function and by a force: the same motion, up to the order of those that ask once a step."""
    scene = mm.scenes.load("joint-stiffness-and-damping")
    k, d = 1e-3, 1e-4
    bare = mm.scenes.load("joint-stiffness-and-damping")
    bare.spec.forces.clear()
    options = {"integrator": integrator, "h": 1e-4, "duration": 0.05}
    sprung = mm.simulate(scene, **options)
    steered = mm.simulate(bare, tau=lambda t, q, qdot: -k * q - d * qdot, **options)
    same = integrator in ("recursive", "redmax", "rk4", "semi-implicit")
    np.testing.assert_allclose(steered.q[-1], sprung.q[-1], rtol=0, atol=1e-12 if same else 1e-3)
    assert np.abs(steered.q[-1]).max() > 0.01


def test_time_is_that_of_the_stage():
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("a", None, mm.Prismatic(), inertia=mm.Inertia.sphere(0.1, mass=1))
    model = spec.compile()
    for integrator in ("rk4", "sdirk2", "recursive"):
        run = mm.simulate(model, tau=lambda t, q, qdot: [np.cos(t)], integrator=integrator, h=1e-3, duration=1.0)
        assert run.qdot[-1, 0] == pytest.approx(np.sin(1.0), abs=1e-6)


def test_what_it_raises_comes_back():
    def controller(t, q, qdot):
        if t > 0.01:
            raise RuntimeError("the cable broke")
        return np.zeros(3)

    with pytest.raises(RuntimeError, match="the cable broke"):
        mm.simulate(mm.scenes.load(0), tau=controller)


def test_ctrl_c_inside_it_keeps_what_was_computed():
    def controller(t, q, qdot):
        if t > 0.1:
            raise KeyboardInterrupt
        return np.zeros(3)

    run = mm.simulate(mm.scenes.load(0), tau=controller, integrator="rk4", h=1e-3)
    assert run.ended == "interrupted"
    assert 90 < len(run.t) < 103


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_it_is_not_asked_again_after_an_error(integrator):
    calls = []

    def controller(t, q, qdot):
        calls.append(t)
        if len(calls) == 10:
            raise RuntimeError("the cable broke")
        return np.zeros(3)

    with pytest.raises(RuntimeError, match="the cable broke"):
        mm.simulate(mm.scenes.load(0), tau=controller, integrator=integrator)
    assert len(calls) == 10


def test_its_error_is_not_hidden_by_events():
    def controller(t, q, qdot):
        if t > 0.1:
            raise RuntimeError("the cable broke")
        return np.zeros(3)

    event = mm.Event(lambda state: state.q[0] - 100.0)
    for integrator in ("rk4", "recursive"):
        with pytest.raises(RuntimeError, match="the cable broke"):
            mm.simulate(mm.scenes.load(0), tau=controller, integrator=integrator, events=event)


def test_it_may_write_into_what_it_is_given():
    def controller(t, q, qdot):
        q -= 1.0
        return np.zeros(3)

    scene = mm.scenes.load(0)
    run = mm.simulate(scene, tau=controller, duration=0.1)
    np.testing.assert_array_equal(run.q, mm.simulate(scene, duration=0.1).q)


@pytest.mark.parametrize("answer", [np.zeros(2), "torque", None, [0, 0, np.nan], [0, 0, 1j]])
def test_a_wrong_answer_gets_a_sentence(answer):
    with pytest.raises(ValueError, match="the torque function's answer"):
        mm.simulate(mm.scenes.load(0), tau=lambda t, q, qdot: answer)
