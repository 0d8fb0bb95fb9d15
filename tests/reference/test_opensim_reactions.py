"""Reactions of the joints of a gait model under forces of its muscles, against OpenSim's joints."""

import numpy as np
import pytest

import myomass as mm
from myomass.analyses import Kinematics, joint_reactions

opensim = pytest.importorskip("opensim")


def test_joints_of_a_gait_model_under_forces_of_its_muscles():
    opensim.Logger.setLevelString("Off")
    path = mm.io.sample_gait().model
    theirs, rng = opensim.Model(str(path)), np.random.default_rng(0)
    state = theirs.initSystem()
    muscles, coordinates, joints = theirs.getMuscles(), theirs.getCoordinateSet(), theirs.getJointSet()
    model = mm.io.read_osim(path, forces=False).compile()
    turns = np.array([unit == "rad" for unit in model.coordinate_units])
    for _ in range(2):
        q = np.where(turns, rng.uniform(-0.4, 0.4, model.ndof), rng.uniform(-0.2, 1.0, model.ndof))
        u, forces = rng.normal(size=model.ndof), {}
        for k, name in enumerate(model.coordinates):
            q[k] = -abs(q[k]) if "knee" in name else q[k]
            coordinates.get(name).setValue(state, float(q[k]), False)
            coordinates.get(name).setSpeedValue(state, float(u[k]))
        for i in range(muscles.getSize()):
            actuator = opensim.ScalarActuator.safeDownCast(muscles.get(i))
            forces[muscles.get(i).getName()] = np.array([rng.uniform(50.0, 800.0)])
            actuator.overrideActuation(state, True)
            actuator.setOverrideActuation(state, float(forces[muscles.get(i).getName()][0]))
        theirs.realizeAcceleration(state)
        udot = np.array([coordinates.get(name).getAccelerationValue(state) for name in model.coordinates])
        motion = Kinematics([0.0], q[None], u[None], udot[None], model.coordinates)
        for on, ask in (("child", "calcReactionOnChildExpressedInGround"),
                        ("parent", "calcReactionOnParentExpressedInGround")):  # fmt: skip
            ours = joint_reactions(model, motion, forces=forces, on=on)
            for i in range(joints.getSize()):
                child = joints.get(i).getChildFrame().findBaseFrame().getName()
                wrench = getattr(joints.get(i), ask)(state)
                expected = np.array([wrench.get(half).get(axis) for half in range(2) for axis in range(3)])
                np.testing.assert_allclose(ours[child][0], expected, rtol=0, atol=1e-11 * np.abs(expected).max())
                np.testing.assert_array_equal(ours[joints.get(i).getName()], ours[child])
