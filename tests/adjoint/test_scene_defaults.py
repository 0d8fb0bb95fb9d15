"""What `optimise` is not told of a scene's run is the scene's own."""

import numpy as np
import pytest

import myomass as mm


def test_a_run_of_a_scene_is_as_the_scene_says():
    scene = mm.scenes.load("two-spring-dampers")
    task = mm.tasks.Reach("body1", target=(0.1, 0.0, -0.05))
    values = []
    for given in ({}, {"integrator": "bdf2", "h": scene.h, "duration": scene.duration}):
        best = mm.optimise(scene, task, ["tau"], tau=np.zeros(2), iterations=2, **given)
        values.append(best.history)
    assert values[0] == values[1]
    assert values[0][0] == pytest.approx(mm.value_and_grad(scene, task, [])[0], rel=1e-12)
