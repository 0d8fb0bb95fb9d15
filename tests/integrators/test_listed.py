"""Integrators that are listed: what each can do is said, and nothing else is done in its name."""

import numpy as np
import pytest

import myomass as mm
from myomass._jit import kernel
from myomass.integrators import INTEGRATORS, FixedStep
from myomass.integrators.base import OK, accelerate_at

pytestmark = pytest.mark.fast

BOX = mm.Inertia.cuboid((0.4, 0.1, 0.1), mass=1.0)
STEPS = {"q": [0.3, -0.2, 0.5], "qdot": [1.0, 2.0, 0.0], "h": 0.01, "duration": 0.03}


def arm(bound: bool) -> mm.Model:
    """Two bars that swing, and one apart from them that can be held where it is."""
    spec = mm.Spec("arm")
    out = mm.translation(0.2, 0, 0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, out, BOX)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.4, 0, 0), out, BOX)
    spec.add_body("apart", None, mm.Revolute((0, 1, 0)), None, out, BOX)
    if bound:
        spec.add_constraint(mm.DrivenJoint("apart", position=0.5))
    return spec.compile()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_constraint_elsewhere_changes_nothing(integrator):
    """Every method moves what is free as it does without constraints, or says that it cannot hold them."""
    if not INTEGRATORS[integrator].holds:
        with pytest.raises(ValueError, match=f"'{integrator}' cannot hold constraints"):
            mm.simulate(arm(bound=True), integrator=integrator, **STEPS)
        return
    free, held = (mm.simulate(arm(bound), integrator=integrator, **STEPS) for bound in (False, True))
    assert held.ended == "completed"
    np.testing.assert_allclose(held.q[-1, :2], free.q[-1, :2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(held.q[:, 2], 0.5, rtol=0, atol=1e-12)


@kernel
def explicit_midpoint(t, h, run):
    """Half a step, and a whole one at the rates found there."""
    q, qdot, middle, rates, qddot = run.q, run.qdot, run.scratch[0], run.scratch[1], run.scratch[2]
    accelerate_at(t, q, qdot, run, qddot)
    for k in range(q.shape[0]):
        middle[k], rates[k] = q[k] + 0.5 * h * qdot[k], qdot[k] + 0.5 * h * qddot[k]
    accelerate_at(t + 0.5 * h, middle, rates, run, qddot)
    for k in range(q.shape[0]):
        q[k] += h * rates[k]
        qdot[k] += h * qddot[k]
    return OK


@pytest.mark.parametrize("holds", ["equalities", ""])
def test_a_new_one_is_run_itself_or_refused(monkeypatch, holds):
    """A method that somebody adds is not run as another one where there are constraints."""
    monkeypatch.setitem(INTEGRATORS, "new", FixedStep("new", order=2, step=explicit_midpoint, holds=holds))
    free = mm.simulate(arm(bound=False), integrator="new", **STEPS)
    if not holds:
        with pytest.raises(ValueError, match="'new' cannot hold constraints"):
            mm.simulate(arm(bound=True), integrator="new", **STEPS)
        return
    held = mm.simulate(arm(bound=True), integrator="new", **STEPS)
    np.testing.assert_allclose(held.q[-1, :2], free.q[-1, :2], rtol=0, atol=1e-9)
    other = mm.simulate(arm(bound=True), integrator="rk4", **STEPS)
    assert np.abs(held.q[-1] - other.q[-1]).max() > 1e-9
