"""Scene 0, the five-link chain, against the public MATLAB RedMax (see the fixture's source; cm, g, s, leaf to root)."""

import json
from pathlib import Path

import numpy as np
import pytest

import myomass as mm

FIXTURE = json.loads((Path(__file__).parents[1] / "fixtures" / "redmax_scene_00.json").read_text())
CM, GRAM = 1e-2, 1e-3
ERG = GRAM * CM**2
TWIST_UNITS = np.tile([1, 1, 1, CM, CM, CM], 5)[:, None]


@pytest.fixture(scope="module")
def scene():
    return mm.scenes.load(0)


def from_leaf_first(J):
    """Rows of bodies (six each) and columns of joints, root first."""
    return np.reshape(J, (5, 6, 3))[::-1, :, ::-1].reshape(30, 3)


class TestStart:
    start = FIXTURE["initial"]

    def test_poses(self, scene):
        expected = np.array([body["E_wi"] for body in self.start["bodies"]], float)
        expected[:, :3, 3] *= CM
        np.testing.assert_allclose(mm.forward_kinematics(scene.model, scene.q), expected, rtol=0, atol=1e-15)

    def test_jacobian(self, scene):
        expected = from_leaf_first(self.start["J"]) * TWIST_UNITS
        np.testing.assert_allclose(mm.jacobian(scene.model, scene.q), expected, rtol=0, atol=1e-15)

    def test_mass_matrix(self, scene):
        expected = np.array(self.start["Mr"])[::-1, ::-1] * ERG
        np.testing.assert_allclose(mm.mass_matrix(scene.model, scene.q), expected, rtol=1e-14)

    def test_forces(self, scene):
        expected = -np.array(self.start["fr"])[::-1] * ERG
        np.testing.assert_allclose(mm.dynamics.bias_forces(scene.model, scene.q, scene.qdot), expected, rtol=1e-13)

    @pytest.mark.parametrize("method", ["recursive", "redmax"])
    def test_accelerations(self, scene, method):
        qddot = mm.forward_dynamics(scene.model, scene.q, scene.qdot, method=method)
        np.testing.assert_allclose(qddot, self.start["qddot"][::-1], rtol=1e-12)

    def test_energy(self, scene):
        energy = mm.energy(scene.model, scene.q, scene.qdot)
        assert energy.kinetic == 0
        assert energy.potential == pytest.approx(self.start["V"] * ERG, rel=1e-14)


class TestMotion:
    tight = FIXTURE["tight"]

    def test_accelerations_at_every_stored_state(self, scene):
        states = zip(self.tight["q"], self.tight["qdot"], self.tight["qddot"], strict=True)
        for q, qdot, qddot in states:
            got = mm.forward_dynamics(scene.model, q[::-1], qdot[::-1])
            np.testing.assert_allclose(got, qddot[::-1], rtol=1e-11)

    @pytest.mark.parametrize("integrator", ["recursive", "redmax"])
    def test_adaptive_steps_are_those_of_ode45(self, scene, integrator):
        """Same steps, same states: the step control is MATLAB's. Rounding grows to 1e-8 over the 101 steps."""
        stored = FIXTURE[integrator]
        trajectory = mm.simulate(scene, integrator=integrator)
        np.testing.assert_allclose(trajectory.t, stored["t"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(trajectory.q, np.array(stored["q"])[:, ::-1], rtol=0, atol=1e-8)
        total = trajectory.kinetic + trajectory.potential
        assert (total[-1] - total[0]) / ERG == pytest.approx(stored["H_end"], abs=1e-5)

    @pytest.mark.parametrize("integrator", ["recursive", "redmax"])
    def test_adaptive_integrators_follow_the_tight_run(self, scene, integrator):
        trajectory = mm.simulate(scene, integrator=integrator, rtol=1e-10, atol=1e-10, times=self.tight["t"])
        np.testing.assert_allclose(trajectory.q, np.array(self.tight["q"])[:, ::-1], rtol=0, atol=1e-7)
        assert trajectory.energy_drift < 1e-9

    def test_rk4_follows_the_tight_run(self, scene):
        trajectory = mm.simulate(scene, integrator="rk4", h=5e-5)
        rows = np.searchsorted(trajectory.t, np.array(self.tight["t"]) - 1e-9)
        expected = np.array(self.tight["q"])[:, ::-1]
        np.testing.assert_allclose(trajectory.q[rows], expected, rtol=0, atol=1e-6)
        kinetic = np.array(self.tight["T"]) * ERG
        np.testing.assert_allclose(trajectory.kinetic[rows], kinetic, rtol=0, atol=1e-6 * kinetic.max())
        final = np.array([body["E_wi"] for body in self.tight["final_bodies"]], float)
        final[:, :3, 3] *= CM
        np.testing.assert_allclose(trajectory.poses[-1], final, rtol=0, atol=1e-6)
