"""Stages with states of muscles, gone back through muscle by muscle, against the matrices of `linearise`."""

import numpy as np
import pytest
from differences import arm

import myomass as mm
from myomass.adjoint import pulls, states
from myomass.adjoint.found import Place
from myomass.adjoint.problem import Problem
from myomass.adjoint.sweep import Bars, Sweep

ALPHA = 200.0
OVER = [(None, (0.06, 0, -0.1)), ("upper", (0.05, 0.02, 0.1)), ("lower", (0.06, 0, 0.05))]
BESIDE = [(None, (-0.1, 0, -0.3)), ("lower", (-0.05, 0, 0.1))]


def build() -> mm.Model:
    """Muscles with and without mass, elastic and rigid, a cable, and a spring that answers to its rate."""
    spring = mm.muscles.PathSpring(stiffness=500.0, rest_length=0.2, dissipation=0.3)
    return arm(
        heavy={"mass": 0.3, "points": OVER, "actuator": mm.Hill(200.0, 0.25, 0.25, pennation=0.2)},
        light={"mass": 0.0, "points": BESIDE, "actuator": mm.Hill(150.0, 0.15, 0.14)},
        rigid={"mass": 0.0, "points": BESIDE, "actuator": mm.Hill(120.0, 0.2, 0.1, tendon="rigid")},
        cable={"mass": 0.0, "points": OVER, "tension": 30.0},
        spring={"mass": 0.0, "points": BESIDE, "tension": spring},
    ).compile()


class Stage:
    """A place, bars of some quantities there, and the matrices of `linearise`."""

    def __init__(self, count: int):
        rng, self.model = np.random.default_rng(count), build()
        n, m = self.model.ndof, self.model.nz
        excitation = np.array([0.6, 0.3, 0.5])
        state = self.model.state(np.array([-0.5, 0.5]), rng.normal(size=n), activation=0.4)
        state = self.model.state(state.q, state.qdot, z=state.z * rng.uniform(0.98, 1.02, m))
        self.place = Place(0.0, state.q, state.qdot, rng.normal(size=n), state.z)
        found = mm.linearise(self.model, state, self.place.qddot, excitation=excitation)
        (self.M, self.D, self.K), self.held = found, found.states
        given = {"state": state, "h": 1 / ALPHA, "duration": 1 / ALPHA, "excitation": excitation}
        rollout = Problem(self.model, ["q"], integrator="bdf1", **given).rollout()
        self.sweep = Sweep(rollout, self.model.workspace, Bars(rollout, count))
        self.q, self.qdot, self.qddot = rng.normal(size=(3, count, n))
        self.z, self.zdot = rng.normal(size=(2, count, m))


@pytest.mark.parametrize("count", [1, 5])
def test_implicit(count):
    s = Stage(count)
    found = states.reverse_implicit(s.sweep, 0, ALPHA, s.place, (s.q, s.qdot, s.z), (s.qddot, s.zdot))
    R, K_z, D_z, Z, U = s.held
    W = np.linalg.inv(np.eye(len(Z)) - Z / ALPHA)
    K, D = s.K + R @ W @ K_z / ALPHA, s.D + R @ W @ D_z / ALPHA
    y = (s.z + ALPHA * s.zdot) @ W
    q, qdot = s.q + y @ K_z / ALPHA, s.qdot + y @ D_z / ALPHA
    lam = -np.linalg.solve((ALPHA * s.M + D + K / ALPHA).T, (qdot + q / ALPHA + ALPHA * s.qddot).T).T
    y = y + lam @ R @ W
    np.testing.assert_allclose(found.lam, lam, rtol=1e-10)
    np.testing.assert_allclose(found.q, q + lam @ K, rtol=1e-9)
    np.testing.assert_allclose(found.qdot, -ALPHA * (s.qddot + lam @ s.M), rtol=1e-9)
    np.testing.assert_allclose(found.z, y - ALPHA * s.zdot, rtol=1e-9)
    np.testing.assert_allclose(found.y, y / ALPHA, rtol=1e-10)
    np.testing.assert_allclose(found.u, y @ U / ALPHA, rtol=1e-10)


@pytest.mark.parametrize("count", [1, 5])
def test_explicit(count):
    s = Stage(count)
    found = states.reverse_explicit(s.sweep, 0, s.place, s.qddot, s.zdot)
    R, K_z, D_z, Z, U = s.held
    lam = -np.linalg.solve(s.M, s.qddot.T).T
    np.testing.assert_allclose(found.lam, lam, rtol=1e-10)
    np.testing.assert_allclose(found.q, lam @ s.K + s.zdot @ K_z, rtol=1e-10)
    np.testing.assert_allclose(found.qdot, lam @ s.D + s.zdot @ D_z, rtol=1e-10)
    np.testing.assert_allclose(found.z, lam @ R + s.zdot @ Z, rtol=1e-10)
    np.testing.assert_allclose(found.u, s.zdot @ U, rtol=1e-10)


def test_steps_that_solve_for_states():
    """Where a path stays as it is, z1 = z0 + h zdot(q, qdot, z1, u) is an implicit stage."""
    s = Stage(1)
    n, (R, K_z, D_z, Z, U) = s.model.ndof, s.held
    W = np.linalg.inv(np.eye(len(Z)) - Z / ALPHA)
    zdot = s.sweep.rates(0, 0.0, s.place.q, s.place.qdot, s.place.z)[1]
    start = s.place.q, s.place.qdot, s.place.z - zdot / ALPHA
    slopes = pulls.slopes_of_pulls(s.sweep, 0.0, 1 / ALPHA, 0.0, start)
    by_start = np.hstack([W @ K_z / ALPHA, W @ D_z / ALPHA, W, W @ U / ALPHA])
    np.testing.assert_allclose(slopes[n:], by_start, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(slopes[:n, 2 * n :], -R @ by_start[:, 2 * n :], rtol=1e-9, atol=1e-9)
