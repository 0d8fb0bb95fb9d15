"""Scenes 100 and 101: the first against stored values and gradients of RedMax's differentiable version, the second,
whose stored gradient treats the first step approximately, against differences of runs."""

import json
from pathlib import Path

import numpy as np
import pytest

import myomass as mm

STORED = json.loads((Path(__file__).parents[1] / "fixtures" / "redmax_adjoint.json").read_text())["evaluations"]
TORQUE, CM = 1e-2, 1e-2  # the unit of torques there [N m], of lengths [m]


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: str(stored["p"]))
class TestScene100:
    def test_value_and_gradient(self, stored):
        """Measured: 1e-12 and 2e-11."""
        scene, tau = mm.scenes.load(100), TORQUE * np.array(stored["p"][::-1], float)
        value, slopes = mm.value_and_grad(scene, scene.task, "tau", tau=tau)
        assert value == pytest.approx(stored["P"], rel=1e-9)
        np.testing.assert_allclose(TORQUE * slopes["tau"][::-1], stored["dPdp_adjoint"], rtol=1e-7)

    def test_run(self, stored):
        scene = mm.scenes.load(100)
        run = mm.simulate(scene, tau=TORQUE * np.array(stored["p"][::-1], float))
        np.testing.assert_allclose(run.q[-1][::-1], stored["q_final"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(run.qdot[-1][::-1], stored["qdot_final"], rtol=0, atol=1e-9)
        tip = run.poses[-1, 1] @ [5 * CM, 0, 0, 1]
        np.testing.assert_allclose(tip[:3] / CM, stored["x_final"], rtol=0, atol=1e-9)


def test_scene_101_against_differences():
    scene, tau, step = mm.scenes.load(101), TORQUE * np.array([0.5, -0.3]), 1e-3 * TORQUE
    _, slopes = mm.value_and_grad(scene, scene.task, "tau", tau=tau)
    for k, slope in enumerate(slopes["tau"]):
        seen = {i: value_of(scene, tau + i * step * np.eye(2)[k]) for i in (-2, -1, 1, 2)}
        difference = (seen[-2] - 8 * seen[-1] + 8 * seen[1] - seen[2]) / (12 * step)
        assert slope == pytest.approx(difference, rel=1e-7)


def value_of(scene, tau):
    """The task's value of a run of `simulate`, worked out here."""
    run = mm.simulate(scene, tau=tau)
    tip = run.poses[-1, 1] @ [5 * CM, 0, 0, 1]
    miss = tip[:3] / CM - (-10, 0, -10)
    return 50.0 * miss @ miss + 0.005 * (tau / TORQUE) @ (tau / TORQUE)


@pytest.mark.parametrize("number", [100, 101])
def test_the_tip_comes_to_the_target(number):
    scene = mm.scenes.load(number)
    best = mm.optimise(scene, scene.task, ["tau"], tau=np.zeros(2))
    assert best.converged
    tip = best.trajectory().poses[-1, 1] @ [5 * CM, 0, 0, 1]
    target = (10, 0, -10) if number == 100 else (-10, 0, -10)
    np.testing.assert_allclose(tip[:3] / CM, target, rtol=0, atol=0.01)
