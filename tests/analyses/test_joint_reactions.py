"""Reactions of joints along recordings: against OpenSim, the function of a single state, and sums over free bodies."""

import json
from pathlib import Path

import numpy as np
import pytest
from opensim_elements import place_in
from opensim_recordings_fixtures import COORDINATES, PATH, TENSION, made_up_loads, made_up_motion
from test_inverse_dynamics import tree

import myomass as mm
from myomass.analyses import Kinematics, inverse_dynamics, joint_reactions, kinematics
from myomass.recordings import Table

FIXTURE = Path(__file__).parents[1] / "fixtures" / "opensim_inverse_dynamics.json"


@pytest.fixture(scope="module")
def stored():
    return json.loads(FIXTURE.read_text())["joint_reactions"]


def pulled_tree():
    spec = tree(None)
    spec.add_muscle("long", 0.0, [place_in(*point) for point in PATH])
    return spec.compile()


def instant(stored, udot):
    rows = [np.array([stored[name]]) for name in ("q", "u", udot)]
    return Kinematics([0.0], *rows, COORDINATES)


@pytest.mark.fast
@pytest.mark.parametrize("on", ["child", "parent"])
@pytest.mark.parametrize("frame", ["ground", "child", "parent"])
def test_opensims_analysis_on_both_sides_in_all_frames(stored, on, frame):
    result = joint_reactions(pulled_tree(), instant(stored, "free_udot"), on=on, expressed_in=frame)
    ours, expected = result.table(), stored["analysis"][f"{on} {frame}"]
    assert [f"to_{name}" for name in ours.names] == list(expected)
    np.testing.assert_allclose(ours.values[0], list(expected.values()), rtol=0, atol=2e-8)  # printed to 1e-8


@pytest.mark.fast
def test_opensims_joints_under_the_tension_of_a_path(stored):
    forces = {"long": np.array([TENSION])}
    result = joint_reactions(pulled_tree(), instant(stored, "udot"), forces=forces)
    expected = np.array(stored["on_child_in_ground"])
    np.testing.assert_allclose(result.wrenches[0], expected, rtol=0, atol=1e-9)
    without = joint_reactions(pulled_tree(), instant(stored, "udot"))
    assert np.abs(without.wrenches - result.wrenches).max() > 10


def test_a_state_at_a_time_with_massive_muscles_that_pull():
    """The function of one state, in forward dynamics under the tensions and the torques that give this motion."""
    spec = tree(0.6)
    spec.muscles["long"].tension = 150.0
    model, bare = spec.compile(), tree(0.6).compile()
    motion = kinematics(bare, made_up_motion(), end=0.05)
    forces = Table(motion.t, np.full((len(motion), 1), 150.0), ["long"])
    ours = joint_reactions(bare, motion, forces=forces)
    for row, t in enumerate(motion.t):
        q, qdot, qddot = motion.q[row], motion.qdot[row], motion.qddot[row]
        tau = mm.inverse_dynamics(model, q, qdot, qddot, t=t)
        expected = mm.joint_reactions(model, q, qdot, tau, t=t, axes="world")
        np.testing.assert_allclose(ours.wrenches[row], expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_free_bodies_under_loads():
    """Momentum of everything beyond a joint, from centres of mass and spins along the recording, differentiated."""
    model, loads = tree(None).compile(), made_up_loads()
    motion = kinematics(model, made_up_motion())
    result = joint_reactions(model, motion, loads)
    h = 1e-5
    from_rows = mm.recordings.Spline(motion.table(), 5)
    tables = {force: mm.recordings.Spline(force.table, 3) for force in loads}

    def momenta(t):
        """Linear, and angular about the ground's origin, of each body. (nbodies, 6)"""
        q, qdot = from_rows(t), from_rows(t, 1)
        E, phi, out = mm.forward_kinematics(model, q), mm.body_twists(model, q, qdot), np.zeros((model.nbodies, 6))
        for i, body in enumerate(model.bodies):
            R, x = E[i, :3, :3], E[i, :3, 3]
            out[i, 3:] = body["mass"] * R @ phi[i, 3:]
            out[i, :3] = R @ (body["moments"] * phi[i, :3]) + np.cross(x, out[i, 3:])
        return out

    for row in (5, 14):
        t = motion.t[row]
        E = mm.forward_kinematics(model, motion.q[row])
        change = (momenta(t + h) - momenta(t - h)) / (2 * h)
        for i, body in enumerate(model.bodies):
            weight = body["mass"] * model.gravity
            change[i] -= [*np.cross(E[i, :3, 3], weight), *weight]
        poses = {"ground": np.eye(4), **{name: E[model.body(name)] @ model.frames[name].pose for name in model.names}}
        for force, spline in tables.items():
            values = dict(zip(force.table.names, spline(t), strict=True))
            f, x, n = (np.array([values[c] for c in getattr(force, part)]) for part in ("force", "point", "torque"))
            R = poses[force.force_frame][:3, :3]
            x = (poses[force.point_frame] @ [*x, 1.0])[:3]
            change[model.body(force.body)] -= [*(np.cross(x, R @ f) + R @ n), *(R @ f)]
        for i in range(model.nbodies):
            beyond = change[i:].sum(axis=0)  # each body hangs on the one before
            moment, f = np.split(result.wrenches[row, i], 2)
            about_origin = np.concatenate([moment + np.cross(result.points[row, i], f), f])
            np.testing.assert_allclose(about_origin, beyond, rtol=0, atol=1e-6 * np.abs(beyond).max())


@pytest.mark.fast
def test_along_a_hinge_it_is_the_torque_of_inverse_dynamics():
    model = tree(None).compile()
    motion = kinematics(model, made_up_motion())
    tau = inverse_dynamics(model, motion, made_up_loads())["bend"]
    result = joint_reactions(model, motion, made_up_loads(), joints="third", on="child")
    for row, q in enumerate(motion.q):
        turn = mm.frame_jacobian(model, q, "third")[0][:3, model.coordinate("bend")]
        axis = mm.forward_kinematics(model, q)[model.body("third"), :3, :3] @ turn
        np.testing.assert_allclose(result["third"][row, :3] @ axis, tau[row], rtol=0, atol=1e-10 * np.abs(tau).max())


@pytest.mark.fast
def test_no_rows():
    model, nothing = pulled_tree(), np.zeros((0, 5))
    result = joint_reactions(model, Kinematics([], nothing, nothing, nothing, COORDINATES), joints="third")
    assert result.wrenches.shape == (0, 1, 6) and result.table().values.shape == (0, 9)


@pytest.mark.fast
def test_forces_by_paths_of_muscles():
    model, motion = pulled_tree(), kinematics(pulled_tree(), made_up_motion())
    pulls = 100.0 + np.arange(len(motion))
    by_name = joint_reactions(model, motion, forces={"long": pulls})
    values = np.column_stack([pulls, np.full(len(motion), 7.0)])
    by_path = joint_reactions(model, motion, forces=Table(motion.t, values, ["/forceset/long", "/forceset/other"]))
    np.testing.assert_array_equal(by_path.wrenches, by_name.wrenches)
    assert np.abs(by_path.wrenches - joint_reactions(model, motion).wrenches).max() > 1.0
    with pytest.raises(ValueError, match="the table has several columns for muscle 'long': /forceset/long, long; keep"):
        joint_reactions(model, motion, forces=Table(motion.t, values, ["/forceset/long", "long"]))


@pytest.mark.fast
class TestBadInput:
    def test_words(self):
        model, motion = pulled_tree(), made_up_motion()
        with pytest.raises(ValueError, match='on is "child" or "parent", not \'left\''):
            joint_reactions(model, motion, on="left")
        with pytest.raises(ValueError, match='expressed_in is "ground", "child" or "parent", not \'world\''):
            joint_reactions(model, motion, expressed_in="world")
        with pytest.raises(KeyError, match="no joint is called 'knee', and no body that hangs by one; known: first, "):
            joint_reactions(model, motion, joints=["knee"])
        with pytest.raises(KeyError, match="there is no joint 'knee'; known: first, second"):
            joint_reactions(model, motion)["knee"]

    def test_forces(self):
        model, motion = pulled_tree(), kinematics(pulled_tree(), made_up_motion())
        with pytest.raises(KeyError, match="model 'tree' has no muscle 'soleus'; known: long"):
            joint_reactions(model, motion, forces={"soleus": np.zeros(31)})
        with pytest.raises(ValueError, match=r"the forces of muscle 'long' \[N\] must be finite numbers of shape"):
            joint_reactions(model, motion, forces={"long": np.zeros(4)})
        table = Table(motion.t[:9], np.zeros((9, 1)), ["long"])
        with pytest.raises(
            ValueError, match=r"forces reaches from 0 to 0.133\d* s, and the motion from 0 to 0.5 s; take"
        ):
            joint_reactions(model, motion, forces=table)
        with pytest.raises(KeyError, match="the table of forces has no muscle of model 'tree'"):
            joint_reactions(model, motion, forces=Table(motion.t, np.zeros((31, 1)), ["soleus"]))

    def test_muscles_do_not_push(self):
        model, motion = pulled_tree(), kinematics(pulled_tree(), made_up_motion())
        pull = np.full(len(motion), 200.0)
        pull[4:] = -3.0
        at = f"{motion.t[4]:g}"
        with pytest.raises(ValueError, match=f"muscle 'long' would push, with a tension of -3 N at {at} s"):
            joint_reactions(model, motion, forces={"long": pull})
        with pytest.raises(ValueError, match=f"muscle 'long' would push, with a tension of -3 N at {at} s"):
            joint_reactions(model, motion, forces=Table(motion.t, pull[:, None], ["long"]))

    def test_rounding_and_actuators_along_paths_may_be_negative(self):
        motion = kinematics(pulled_tree(), made_up_motion())
        pull = np.full(len(motion), 200.0)
        pull[4] = -1e-8
        rounded = joint_reactions(pulled_tree(), motion, forces={"long": pull})
        assert np.isfinite(rounded.wrenches).all()
        spec = tree(None)
        law = mm.muscles.IdealActuator(100.0)
        spec.add_muscle("long", 0.0, [place_in(*point) for point in PATH], tension=law)
        pushed, pulled = (joint_reactions(spec.compile(), motion, forces={"long": x * pull}) for x in (-1.0, 1.0))
        free = joint_reactions(pulled_tree(), motion)
        np.testing.assert_allclose(pushed.wrenches + pulled.wrenches, 2.0 * free.wrenches, rtol=0, atol=1e-9)
