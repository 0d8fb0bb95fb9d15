"""Recorded motions as trajectories: the rows as they are, muscles in equilibrium, drawn like a run."""

import numpy as np
import pytest

import myomass as mm
from myomass.analyses import Kinematics, kinematics, muscle_analysis, trajectory_of
from myomass.recordings import Table, trajectory_table

ROD = mm.Inertia.cuboid((0.05, 0.05, 0.3), mass=2.0)
T = np.linspace(0.0, 1.0, 21)
RECORDED = Table(T, np.column_stack([0.3 * np.sin(4 * T), 0.4 + 0.2 * np.cos(4 * T)]), ["shoulder", "elbow"])


def arm(muscles=True):
    spec = mm.Spec("arm")
    hinge, down = mm.Revolute((0, 1, 0)), mm.translation(0, 0, -0.15)
    spec.add_body("upper", None, hinge, None, down, ROD, coordinates="shoulder")
    spec.add_body("lower", "upper", hinge, mm.translation(0, 0, -0.3), down, ROD, coordinates="elbow")
    for name, side, tendon in [("biceps", 1, "elastic"), ("triceps", -1, "rigid")] if muscles else []:
        ends = [("upper", (0.03 * side, 0, 0.1)), ("lower", (0.03 * side, 0, 0.1))]
        spec.add_muscle(name, points=ends, actuator=mm.Hill(400.0, 0.12, 0.14, pennation=0.2, tendon=tendon))
    return spec.compile()


def test_rows_and_states_of_muscles(tmp_path):
    model = arm()
    motion = kinematics(model, RECORDED)
    activations = Table(T, np.column_stack([0.2 + 0.3 * T, 0.9 - 0.5 * T]), ["biceps", "triceps"])
    found = trajectory_of(model, motion, activations)
    np.testing.assert_array_equal(found["elbow"], motion.q[:, 1])
    np.testing.assert_array_equal(found["elbow.speed"], motion.qdot[:, 1])
    np.testing.assert_allclose(found["triceps.activation"], activations["triceps"], rtol=1e-15)
    fibre = muscle_analysis(model, motion, activations).fibre_lengths[:, 0]
    np.testing.assert_allclose(found["biceps.fibre_length"], fibre, rtol=1e-15)
    still = model.state(motion.q[5], motion.qdot[5], activation=activations.values[5])
    np.testing.assert_allclose(found.z[5], still.z, rtol=1e-6)
    assert found.save_image(tmp_path / "arm.png", t=0.5).is_file() and len(trajectory_table(found)) == len(T)
    at_rest = trajectory_of(model, motion)
    assert (at_rest["biceps.activation"] == model.muscles.hills["least"][0]).all()


@pytest.mark.fast
def test_without_muscles_and_with_what_does_not_fit():
    model = arm(muscles=False)
    motion = kinematics(model, RECORDED)
    assert trajectory_of(model, motion).z.shape == (len(T), 0)
    with pytest.raises(ValueError, match=r"has no muscle with an mm\.Hill actuator that activations could be of"):
        trajectory_of(model, motion, 0.3)
    with pytest.raises(TypeError, match="the motion must have t, q and qdot"):
        trajectory_of(model, RECORDED)
    with pytest.raises(ValueError, match="the motion has no rows"):
        trajectory_of(model, Kinematics([], *[np.zeros((0, 2))] * 3, ("shoulder", "elbow")))
