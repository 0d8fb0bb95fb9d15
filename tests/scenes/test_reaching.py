"""The reaching arm: its mass, its muscles, its task's derivatives, and that the task is done."""

import numpy as np
import pytest

import myomass as mm


@pytest.fixture(scope="module")
def scene():
    return mm.scenes.load("reaching-arm")


def test_it_weighs_what_the_table_says(scene):
    """De Leva's 2.71, 1.62 and 0.61 % of the body, muscles included."""
    muscles = sum(muscle.mass for muscle in scene.spec.muscles.values())
    assert muscles == pytest.approx(1060 * (380.5e-6 + 372.1e-6))
    assert scene.model.bodies["mass"].sum() + muscles == pytest.approx(73.0 * 0.0494, rel=1e-3)


def test_its_muscles_are_those_of_the_dissertation(scene):
    kinds = {name: type(muscle.wrap[0]) for name, muscle in scene.spec.muscles.items()}
    heads = {"deltoid": mm.wrap.CappedCylinder, "triceps": mm.wrap.Cylinder}
    assert len(kinds) == 6
    assert all(kind is heads[name.split()[0]] for name, kind in kinds.items())
    assert all(muscle.mass > 0.1 for muscle in scene.spec.muscles.values())


def test_paths_stay_in_one_piece_as_the_arm_rises(scene):
    """Ahead and to the side by a right angle, the elbow bending: no length jumps, and deltoid and triceps wrap."""
    wrapped = set()
    for axis in ((0, -1, 0), (-1, 0, 0), (-0.7, -0.7, 0)):
        poses = [np.array([*(rise * np.array(axis)), 0.1 + 1.4 * rise]) for rise in np.linspace(0.0, 1.55, 300)]
        lengths = np.array([mm.muscle_lengths(scene.model, q) for q in poses])
        assert np.abs(np.diff(lengths, axis=0)).max() < 1e-3
        for q in (poses[0], poses[-1]):
            wrapped |= {i for i, path in enumerate(mm.muscles.muscle_paths(scene.model, q)) if path.wrapped.any()}
    assert wrapped == set(range(6))


def test_gradient_against_differences(scene):
    """Measured: 1e-8 of the largest."""
    tau, step = np.array([0.5, -5.0, 0.3, 3.0]), 1e-4
    _, slopes = mm.value_and_grad(scene, scene.task, "tau", tau=tau)
    difference = []
    for one in step * np.eye(4):
        seen = {k: mm.value_and_grad(scene, scene.task, [], tau=tau + k * one)[0] for k in (-2, -1, 1, 2)}
        difference.append((seen[-2] - 8 * seen[-1] + 8 * seen[1] - seen[2]) / (12 * step))
    np.testing.assert_allclose(slopes["tau"], difference, rtol=0, atol=1e-6 * np.abs(difference).max())


@pytest.mark.parametrize("method", ["gauss-newton", "l-bfgs-b"])
def test_the_hand_comes_to_the_target(scene, method):
    best = mm.optimise(scene, scene.task, ["tau"], tau=np.zeros(4), method=method)
    assert best.converged
    hand = best.trajectory().poses[-1, scene.model.body("hand"), :3, 3]
    np.testing.assert_allclose(hand, (0.35, 0.10, 0.0), rtol=0, atol=2e-3)
