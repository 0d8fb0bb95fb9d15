"""Feet that strike the ground: out of flight, one after the other, and one alone."""

from itertools import pairwise

import numpy as np
import pytest

import myomass as mm

LEG = mm.Inertia.cuboid((0.05, 0.05, 1.0), mass=1.0)
FOOT, HINGE = (0.0, 0.0, -0.5), mm.Revolute((0, -1, 0))


def jumper() -> mm.Model:
    """Two legs joined at the hip, in flight."""
    spec = mm.Spec("jumper")
    spec.add_body("left", None, mm.Free3D(), mm.translation(0, 0, 0.5), None, LEG)
    spec.add_body("right", "left", HINGE, mm.translation(0, 0, 0.5), mm.translation(0, 0, -0.5), LEG)
    return spec.compile()


def heights(run: mm.Trajectory, ground: float) -> np.ndarray:
    """Of both feet over the ground. (rows, 2)"""
    return (run.poses @ (*FOOT, 1.0))[..., 2] - ground


@pytest.mark.parametrize("ground", [0.0, 0.2])
@pytest.mark.parametrize("first", ["left", "right"])
def test_a_jumper_lands_on_one_foot_and_then_on_the_other(ground, first):
    model = jumper()
    feet = mm.Feet(dict.fromkeys(model.names, FOOT), origin=None if ground == 0.0 else (0, 0, ground))
    assert feet.bearing(model) is None
    q = [0, 0, 0.6, 0, -0.15, 0, -0.5] if first == "left" else [0, 0, 0.6, 0, 0.35, 0, 0.5]
    run = mm.simulate(model, q=q, duration=0.9, rtol=1e-9, atol=1e-9, events=mm.strike(feet, HINGE))
    bears = [feet.bearing(happened.model_after) for happened in run.events]
    assert run.ended == "completed"
    assert bears[:2] == [first, {"left": "right", "right": "left"}[first]]
    assert all(a != b for a, b in pairwise(bears))  # nobody strikes who stands
    rows = heights(run, ground)[run.t <= run.events[1].time]
    assert rows.min() > -1e-9
    np.testing.assert_allclose(rows[-1], 0.0, atol=1e-9)


def test_a_foot_alone_lands_and_stays():
    spec = mm.Spec("stick")
    spec.add_body("stick", None, mm.Free3D(), mm.translation(0, 0, 1.0), None, LEG)
    run = mm.simulate(spec.compile(), duration=0.6, rtol=1e-9, events=mm.strike({"stick": FOOT}, HINGE))
    assert [happened.time for happened in run.events] == [pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=1e-7)]
    assert run.last_model.ndof == 1
    np.testing.assert_allclose(heights(run, 0.0)[-1], 0.0, atol=1e-9)
