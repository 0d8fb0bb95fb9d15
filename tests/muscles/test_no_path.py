"""A geodesic that is not found: FloatingPointError from every function that needs the path, as the docs promise."""

import numpy as np
import pytest

import myomass as mm
from myomass.muscles.wrapping.base import COLUMNS, LENGTH

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

BOX = mm.Inertia.cuboid((0.2, 0.1, 0.1), mass=1.0)
Q, QDOT = np.zeros(2), np.ones(2)
NEEDS_MASS = {
    "mass_matrix": lambda model: mm.mass_matrix(model, Q),
    "mass_matrix, redmax": lambda model: mm.mass_matrix(model, Q, "redmax"),
    "muscle_inertia": lambda model: mm.muscle_inertia(model, Q),
    "bias_forces": lambda model: mm.dynamics.bias_forces(model, Q, QDOT),
    "gravity_forces": lambda model: mm.dynamics.gravity_forces(model, Q),
    "coriolis_forces": lambda model: mm.dynamics.coriolis_forces(model, Q, QDOT),
    "momentum": lambda model: mm.momentum(model, Q, QDOT),
}
NEEDS_TENSION = {"applied_forces": lambda model: mm.applied_forces(model, Q, QDOT)}
NEEDS_BOTH = {
    "muscle_lengths": lambda model: mm.muscle_lengths(model, Q),
    "moment_arms": lambda model: mm.moment_arms(model, Q),
    "energy": lambda model: mm.energy(model, Q, QDOT),
    "inverse_dynamics": lambda model: mm.inverse_dynamics(model, Q, QDOT, QDOT),
    "residual": lambda model: mm.residual(model, Q, QDOT, QDOT),
    "inverse_dynamics_derivatives": lambda model: mm.inverse_dynamics_derivatives(model, Q, QDOT, QDOT),
    "forward_dynamics": lambda model: mm.forward_dynamics(model, Q, QDOT),
    "forward_dynamics, redmax": lambda model: mm.forward_dynamics(model, Q, QDOT, method="redmax"),
    "hybrid_dynamics": lambda model: mm.hybrid_dynamics(model, Q, QDOT, QDOT, QDOT, np.array([True, False])),
    "linearise": lambda model: mm.linearise(model, model.state(Q, QDOT)),
    "joint_reactions": lambda model: mm.joint_reactions(model, Q, QDOT),
    "simulate": lambda model: mm.simulate(model, q=Q, qdot=QDOT, integrator="rk4", h=0.01, duration=0.02),
}


@pytest.fixture(scope="module")
def lost():
    """A fat torus, and two points outside between which its Newton's method finds no geodesic."""
    torus, rng = mm.wrap.Torus(None, np.eye(4), radius=0.3, tube=0.28), np.random.default_rng(1)
    params = np.array(torus.parameters())
    for _ in range(5000):
        a, b = 0.5 * rng.normal(size=(2, 3))
        g = np.zeros((3, COLUMNS))
        if min(torus.gap(a), torus.gap(b)) > 1e-3:
            mm.wrap.Torus.solve(params, 0, tuple(a), tuple(b), g)
            if np.isnan(g[0, LENGTH]):
                return torus, a, b
    pytest.skip("the torus finds every geodesic of 5000")


def arm(lost: tuple, mass: float, tension: float) -> mm.Model:
    """Two bars, a muscle from the world over the torus to the second."""
    torus, a, b = lost
    spec = mm.Spec("arm")
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.1, 0, 0), BOX)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.2, 0, 0), mm.translation(0.1, 0, 0), BOX)
    place = b - mm.forward_kinematics(spec.compile(), Q)[1, :3, 3]
    spec.add_muscle("m", mass, points=[(None, tuple(a)), ("lower", tuple(place))], wrap=[torus], tension=tension)
    return spec.compile()


@pytest.mark.parametrize("name", [*NEEDS_MASS, *NEEDS_BOTH])
def test_of_a_muscle_with_mass(lost, name):
    with pytest.raises(FloatingPointError, match=r"muscle 'm': no path over its surfaces was found"):
        (NEEDS_MASS | NEEDS_BOTH)[name](arm(lost, 0.5, 0.0))


@pytest.mark.parametrize("name", [*NEEDS_TENSION, *NEEDS_BOTH])
def test_of_a_muscle_that_pulls(lost, name):
    with pytest.raises(FloatingPointError, match=r"muscle 'm': no path over its surfaces was found"):
        (NEEDS_TENSION | NEEDS_BOTH)[name](arm(lost, 0.0, 3.0))


@pytest.mark.parametrize("name", NEEDS_MASS)
def test_what_needs_no_path_is_found(lost, name):
    """A muscle without mass has no part in the mass matrix."""
    assert all(np.isfinite(x).all() for x in np.atleast_1d(NEEDS_MASS[name](arm(lost, 0.0, 3.0))))


def test_a_path_that_was_not_found_leaves_no_trace(lost):
    """What comes next is finite again: an integrator may have looked too far, and takes a shorter step."""
    model, away = arm(lost, 0.5, 3.0), np.array([0.3, -0.9])
    functions = [
        lambda q: mm.muscle_lengths(model, q),
        lambda q: mm.forward_dynamics(model, q, QDOT),
        lambda q: mm.energy(model, q, QDOT).total,
    ]
    for function in functions:
        before = function(away)
        with pytest.raises(FloatingPointError, match="no path"):
            function(Q)
        np.testing.assert_array_equal(function(away), before)
