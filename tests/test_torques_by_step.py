"""Torques of each step: simulate(tau=(steps, ndof))."""

import numpy as np
import pytest

import myomass as mm

FIXED = ["euler", "rk4", "semi-implicit", "symplectic", "bdf1", "sdirk2", "maximal"]
H, STEPS = 0.01, 7


def arm():
    spec = mm.Spec("arm")
    for name, parent in (("upper", None), ("lower", "upper")):
        spec.add_body(
            name,
            parent,
            mm.Revolute((0, 1, 0)),
            mm.translation(0, 0, -0.4 if parent else 0),
            mm.translation(0, 0, -0.2),
            mm.Inertia.cuboid((0.05, 0.05, 0.4), mass=1.0),
        )
    return spec


def torques():
    return np.random.default_rng(1).normal(size=(STEPS, 2))


@pytest.mark.fast
@pytest.mark.parametrize("integrator", FIXED)
def test_each_step_has_its_own(integrator):
    model, tau = arm().compile(), torques()
    whole = mm.simulate(model, tau=tau, integrator=integrator, h=H, duration=STEPS * H)
    state = model.state()
    for k in range(STEPS):
        one = mm.simulate(model, state=state, tau=tau[k], integrator=integrator, h=H, duration=whole.t[k + 1] - state.t)
        state = one.state
        np.testing.assert_allclose(whole.q[k + 1], state.q, rtol=1e-12, atol=1e-14)


def test_with_stops_and_friction():
    spec = arm()
    spec.add_constraint(mm.JointStop("lower", upper=0.1))
    model, tau = spec.compile(), torques()
    whole = mm.simulate(model, tau=tau, integrator="semi-implicit", h=H, duration=STEPS * H)
    state = model.state()
    for k in range(STEPS):
        one = mm.simulate(
            model, state=state, tau=tau[k], integrator="semi-implicit", h=H, duration=whole.t[k + 1] - state.t
        )
        state = one.state
    np.testing.assert_allclose(whole.q[-1], state.q, rtol=1e-9)


def test_an_event_within_a_step_does_not_shift_them():
    model, tau = arm().compile(), torques()
    event = mm.Event(lambda state: state.t - 2.5 * H, action=lambda state: state)
    whole = mm.simulate(model, tau=tau, integrator="rk4", h=H, duration=STEPS * H)
    cut = mm.simulate(model, tau=tau, integrator="rk4", h=H, duration=STEPS * H, events=event)
    assert len(cut.t) > len(whole.t)
    np.testing.assert_allclose(cut.q[-1], whole.q[-1], rtol=1e-7)


@pytest.mark.fast
def test_bad_shapes_are_refused():
    model = arm().compile()
    with pytest.raises(
        ValueError,
        match=r"tau has shape \(6, 2\), and the run has 7 steps and 2 degrees of freedom: give shape \(7, 2\)",
    ):
        mm.simulate(model, tau=torques()[:-1], integrator="rk4", h=H, duration=STEPS * H)
    with pytest.raises(ValueError, match="belong to integrators with a fixed step"):
        mm.simulate(model, tau=torques(), duration=STEPS * H)
    with pytest.raises(ValueError, match="tau has rows of different lengths"):
        mm.simulate(model, tau=[[1.0], [1.0, 2.0]], integrator="rk4", h=H, duration=STEPS * H)
    with pytest.raises(ValueError, match=r"tau\[3, 1\] is nan"):
        mm.simulate(
            model,
            tau=np.where(np.arange(14).reshape(7, 2) == 7, np.nan, 1.0),
            integrator="rk4",
            h=H,
            duration=STEPS * H,
        )
