"""The examples that optimise come to what they look for, and their derivatives are those of differences."""

import runpy

import numpy as np
import pytest

import myomass as mm
from myomass._jit import PACKAGE


def example(name):
    return runpy.run_path(str(PACKAGE.parent / "examples" / f"{name}.py"))


@pytest.fixture(scope="module")
def pendulum():
    return example("pendulum_identification")


@pytest.fixture(scope="module")
def throw():
    return example("throw")


@pytest.fixture(scope="module")
def best(throw):
    return throw["find"]()


class TestPendulum:
    def test_numbers_are_found_within_what_noise_allows(self, pendulum):
        """They scatter about the truth by one and three hundredths of their size."""
        found = [pendulum["identify"](pendulum["record"](seed)) for seed in range(3)]
        assert all(best.converged for best in found)
        for name, true, scatter in (("bob.mass", pendulum["BOB"], 0.01), ("hinge.damping", pendulum["DAMPING"], 0.03)):
            off = np.array([best.values[name] / true - 1 for best in found])
            assert np.abs(off).max() < 3 * scatter
        assert np.sqrt(np.mean([best.value for best in found])) == pytest.approx(pendulum["NOISE"], rel=0.15)

    def test_numbers_are_found_exactly_without_noise(self, pendulum):
        run = pendulum["swing"](pendulum["pendulum"](pendulum["BOB"], pendulum["DAMPING"]))
        rows = np.searchsorted(run.t, pendulum["TIMES"] - 0.5 * pendulum["H"])
        best = pendulum["identify"](run.q[rows, 0])
        assert best.values["bob.mass"] == pytest.approx(pendulum["BOB"], rel=1e-8)
        assert best.values["hinge.damping"] == pytest.approx(pendulum["DAMPING"], rel=1e-8)


class TestThrow:
    def test_it_hits_after_one_bounce(self, throw, best):
        run = best.trajectory()
        assert best.converged and throw["bounces"](run) == 1
        np.testing.assert_allclose(run.q[-1, :3], throw["TARGET"], rtol=0, atol=1e-4)

    def test_the_step_resolves_the_bounce(self, throw, best):
        """With twice the step the same throw lands within a tenth of a millimetre."""
        run = throw["RUN"] | {"qdot": best.values["qdot"]}
        fine, coarse = (mm.simulate(throw["ball"](), **run | {"h": h}) for h in (run["h"], 2 * run["h"]))
        assert np.sum(fine.q[:, 2] < throw["RADIUS"]) > 100
        assert np.abs(coarse.q[-1] - fine.q[-1])[:3].max() < 1e-4

    def test_derivatives_through_the_bounce(self, throw):
        """Against differences over a hundredth of the speed, which forget where in a step the ball lands: 0.1 %."""
        task, model = mm.tasks.Reach("ball", target=throw["TARGET"]), throw["ball"]()
        _, slopes = mm.value_and_grad(model, task, "qdot", qdot=throw["GUESS"], **throw["RUN"])
        for k in range(3):
            step, seen = 0.01 * np.eye(6)[k], []
            for sign in (1, -1):
                run = mm.simulate(model, qdot=throw["GUESS"] + sign * step, **throw["RUN"])
                seen.append(np.sum((run.q[-1, :3] - throw["TARGET"]) ** 2))
            assert slopes["qdot"][k] == pytest.approx((seen[0] - seen[1]) / 0.02, rel=5e-3)


def test_the_ball_hits_after_an_event():
    bounce = example("bounce")
    best = bounce["find"]()
    run = best.trajectory()
    assert best.converged and [one.kind for one in run.events] == ["bounce"]
    np.testing.assert_allclose(run.q[-1, :3], bounce["TARGET"], rtol=0, atol=1e-6)


def test_the_arm_reaches_and_rests():
    arm, scene = example("reaching"), mm.scenes.load("reaching-arm")
    constant = arm["by_constant_torques"](scene)
    each = arm["by_torques_of_each_step"](scene, constant.values["tau"])
    for best in (constant, each):
        assert best.converged
        hand = best.trajectory().poses[-1, scene.model.body("hand"), :3, 3]
        np.testing.assert_allclose(hand, arm["TARGET"].targets[0], rtol=0, atol=1e-4)
    assert np.abs(each.trajectory().qdot[-1]).max() < 1e-3
