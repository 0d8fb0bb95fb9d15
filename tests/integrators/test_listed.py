"""Integrators that are listed: what each can do is said, and nothing else is done in its name."""

import numpy as np
import pytest

import myomass as mm
from myomass.integrators import BOUND, INTEGRATORS, stepper

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
    if integrator not in BOUND:
        with pytest.raises(ValueError, match=f"'{integrator}' cannot hold constraints"):
            mm.simulate(arm(bound=True), integrator=integrator, **STEPS)
        return
    free, held = (mm.simulate(arm(bound), integrator=integrator, **STEPS) for bound in (False, True))
    assert held.ended == "completed"
    np.testing.assert_allclose(held.q[-1, :2], free.q[-1, :2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(held.q[:, 2], 0.5, rtol=0, atol=1e-12)


@pytest.mark.parametrize("family", ["EXPLICIT", "IMPLICIT"])
def test_one_that_does_not_know_constraints_is_not_replaced(monkeypatch, family):
    """A new method, listed and nothing more, is not run as RK4 or as BDF1 where there are constraints."""
    listed = getattr(stepper, family)
    longer = (*listed, "new") if isinstance(listed, tuple) else listed | {"new": 99}
    monkeypatch.setattr(stepper, family, longer)
    model = arm(bound=True)
    grid, control = np.arange(3) * 0.01, (np.zeros(3), 0)
    with pytest.raises((ValueError, NotImplementedError, KeyError), match="new"):
        stepper.FixedStepper(model, model.state([0.3, -0.2, 0.5]), "new", grid, control)
