"""Inverse dynamics of recordings: against OpenSim's tool, the function of a single state, and free bodies."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from opensim_elements import NAMES, own_inertia, own_tree
from opensim_recordings_fixtures import CUTOFF, made_up_loads, made_up_motion
from opensim_reference import reference

import myomass as mm
from myomass.analyses import InverseDynamics, Kinematics, inverse_dynamics, kinematics
from myomass.analyses.inverse_dynamics import torques_along
from myomass.analyses.loads import pack_loads
from myomass.dynamics.system import system_of
from myomass.recordings import ExternalForce, ExternalLoads, Table, read_loads, read_table

FIXTURES = Path(__file__).parents[1] / "fixtures"


def tree(muscles=0.0):
    """The tree of opensim_elements with OpenSim's frames of the bodies by name, and muscles of so much mass."""
    spec = own_tree()
    for name in NAMES:
        spec.add_frame(name, name, mm.se3.inverse(own_inertia().frame))
    if muscles is not None:
        spec.add_muscle("long", muscles, [(None, (0, 0.1, 0)), ("first", (0.1, 0, 0)), ("third", (0.1, 0.1, 0))])
        spec.add_muscle("short", muscles, [("second", (0, 0.1, 0)), ("third", (0, 0.1, 0.1))], mass_points=4)
    return spec


def by_state(model, motion, loads=None):
    """The same with the function of one state, gravity and motion alone, and wrenches from poses row by row."""
    tau = []
    tables = {force: mm.recordings.Spline(force.table, 3).table(motion.t) for force in loads or ()}
    for row in range(len(motion)):
        state = motion.q[row], motion.qdot[row], motion.qddot[row]
        E = mm.forward_kinematics(model, motion.q[row])
        frames = {"ground": np.eye(4), **{n: E[model.body(n)] @ model.frames[n].pose for n in NAMES if loads}}
        wrenches = np.zeros((model.nbodies, 6))
        for force, table in tables.items():
            f, x, n = ([table[name][row] for name in getattr(force, part)] for part in ("force", "point", "torque"))
            R = frames[force.force_frame][:3, :3]
            x, i = (frames[force.point_frame] @ [*x, 1.0])[:3], model.body(force.body)
            turned = E[i, :3, :3].T
            wrenches[i] += [*(turned @ (R @ n + np.cross(x - E[i, :3, 3], R @ f))), *(turned @ R @ f)]
        tau.append(mm.inverse_dynamics(model, *state, wrenches=wrenches))
    return np.array(tau)


@pytest.mark.fast
def test_opensims_tool_on_a_tree():
    stored = json.loads((FIXTURES / "opensim_inverse_dynamics.json").read_text())["inverse_dynamics"]
    ours = inverse_dynamics(tree().compile(), made_up_motion(), made_up_loads(), lowpass=CUTOFF).table()
    expected = Table(stored["time"], stored["values"], stored["names"])
    assert sorted(ours.names) == sorted(expected.names)
    np.testing.assert_allclose(ours.t, expected.t, rtol=0, atol=1e-8)
    for name in expected.names:
        np.testing.assert_allclose(ours[name], expected[name], rtol=0, atol=2e-8)  # printed to 1e-8


@pytest.mark.parametrize("muscles", [None, 0.0, 0.7])
def test_all_rows_at_once_are_those_of_each_state(muscles):
    model = tree(muscles).compile()
    motion = kinematics(model, made_up_motion(), end=0.1)
    for loads in (None, made_up_loads()):
        ours, expected = inverse_dynamics(model, motion, loads).tau, by_state(model, motion, loads)
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_muscles_count_by_their_mass_alone():
    motion, loads = made_up_motion(), made_up_loads()
    bare, still, light, heavy = (
        inverse_dynamics(tree(mass).compile(), motion, loads).tau for mass in (None, 0.0, 1e-9, 1.0)
    )
    assert (still == bare).all()
    scale = np.abs(bare).max()
    assert 0 < np.abs(light - bare).max() < 1e-7 * scale and np.abs(heavy - bare).max() > 0.1 * scale
    spec = tree(0.0)
    spec.muscles["long"].tension = 100.0
    assert (inverse_dynamics(spec.compile(), motion, loads).tau == bare).all()


@pytest.mark.fast
def test_its_kernel_carries_complex_steps():
    model = tree(None).compile()
    motion = kinematics(model, made_up_motion())
    loads, h = pack_loads(model, made_up_loads(), motion.t), 1e-6
    handle, rng = system_of(model.complex_workspace).handle, np.random.default_rng(2)
    for what in ("q", "qdot", "qddot"):
        way, sides = rng.normal(size=motion.q.shape), []
        stepped = {name: getattr(motion, name).astype(complex) for name in ("q", "qdot", "qddot")}
        stepped[what] += 1e-30j * way
        tau = np.empty(motion.q.shape, complex)
        assert torques_along(handle, *stepped.values(), loads, tau) == -1
        for side in (h, -h):
            rows = {name: getattr(motion, name) + side * way * (name == what) for name in stepped}
            moved = Kinematics(motion.t, **rows, names=motion.names)
            sides.append(inverse_dynamics(model, moved, made_up_loads()).tau)
        slope = (sides[0] - sides[1]) / (2 * h)
        np.testing.assert_allclose(tau.imag / 1e-30, slope, rtol=0, atol=1e-7 * np.abs(slope).max())


@pytest.mark.fast
def test_forces_and_constraints_of_the_model_do_not_count():
    spec = tree(None)
    spec.add_force(mm.JointSpring("third", 500.0))
    spec.add_constraint(mm.DrivenJoint("second", position=0.3))
    motion = made_up_motion()
    np.testing.assert_array_equal(
        inverse_dynamics(spec.compile(), motion).tau, inverse_dynamics(tree(None).compile(), motion).tau
    )


@pytest.mark.fast
def test_a_free_body_under_a_force_at_a_point():
    spec = mm.Spec("box", gravity=(0, -10, 0))
    box = mm.Inertia.cuboid((0.2, 0.3, 0.4), mass=2.0)
    spec.add_body("box", None, mm.Translational(), inertia=box, coordinates=["x", "y", "z"])
    t = np.arange(40) / 40.0
    motion = Table(t, np.column_stack([0.1 * t**2, 0.2 * t**2 + t, 0 * t]), ["x", "y", "z"])
    push = Table(t, np.column_stack([3 + 2 * t, 20 + t, 1 - t]), ["fx", "fy", "fz"])
    result = inverse_dynamics(spec.compile(), motion, [ExternalForce("push", "box", push, ("fx", "fy", "fz"))])
    middle = slice(8, -8)
    expected = 2.0 * np.array([0.2, 10.4, 0.0]) - push.values
    np.testing.assert_allclose(result.tau[middle], expected[middle], rtol=0, atol=1e-3)
    assert result.table().names == ("x_force", "y_force", "z_force") and (result["y"] == result.tau[:, 1]).all()


class TestOpenSimsResults:
    def compare(self, model, motion, loads, stored):
        ours, expected = inverse_dynamics(model, motion, loads, lowpass=6.0).table(), read_table(stored)
        assert sorted(ours.names) == sorted(expected.names)
        start = np.searchsorted(ours.t, expected.t[0] - 1e-7)
        rows = slice(start, start + len(expected))
        np.testing.assert_allclose(ours.t[rows], expected.t, rtol=0, atol=1e-8)
        for name in expected.names:
            error = np.abs(ours[name][rows] - expected[name]).max()
            assert error < 1e-9 * np.ptp(expected[name]) + 1e-8, name  # 1e-8 is what the file's digits resolve

    def test_a_walk(self):
        walk = mm.io.sample_gait()
        model = mm.io.read_osim(walk.model, forces=False).compile()
        self.compare(model, read_table(walk.coordinates), read_loads(walk.loads), walk.torques)

    def test_an_arm(self):
        spec = mm.io.read_osim(reference("arm26/arm26.osim"), forces=False)
        spec.muscles.clear()
        motion = read_table(reference("arm26/pipeline/arm26_InverseKinematics.mot"))
        self.compare(spec.compile(), motion, None, reference("arm26/pipeline/inverse_dynamics.sto"))

    def test_a_walk_with_muscles_of_no_mass_is_the_same(self):
        walk = mm.io.sample_gait()
        bare, whole = mm.io.read_osim(walk.model, forces=False), mm.io.read_osim(walk.model)
        bare.muscles.clear()
        motion, loads = read_table(walk.coordinates), read_loads(walk.loads)
        ours, theirs = (inverse_dynamics(spec.compile(), motion, loads, lowpass=6.0).tau for spec in (bare, whole))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


@pytest.mark.fast
def test_loads_may_begin_a_step_of_the_motion_late():
    """Where the table's own steps are no shorter: a frame may lie just beyond its ends."""
    model, motion = tree(None).compile(), made_up_motion()
    made = [
        Table([start, 0.6], np.ones((2, 3)), ["x", "y", "z"])
        for start in (0.0, 0.9 / 60.0)  # the motion has 60 rows per second
    ]
    early, late = (inverse_dynamics(model, motion, [ExternalForce("a", "third", x, tuple("xyz"))]).tau for x in made)
    np.testing.assert_allclose(late, early, rtol=0, atol=1e-12 * np.abs(early).max())


@pytest.mark.fast
class TestBadInput:
    def test_loads(self):
        model, motion, loads = tree(None).compile(), made_up_motion(), made_up_loads()
        with pytest.raises(KeyError, match="external load 'a' names the body 'foot', and model 'tree' has none"):
            inverse_dynamics(model, motion, [ExternalForce("a", "foot", loads["a"].table, loads["a"].force)])
        short = ExternalForce("a", "third", loads["a"].table.between(0.0, 0.2), loads["a"].force)
        with pytest.raises(ValueError, match=r"loads reach from 0 to 0.2 s, and the motion from 0 to 0.5 s"):
            inverse_dynamics(model, motion, ExternalLoads([short]))
        table = Table([0.2, 0.6], np.ones((2, 3)), ["x", "y", "z"])
        coarse = ExternalForce("a", "third", table, ("x", "y", "z"))
        with pytest.raises(ValueError, match=r"loads reach from 0.2 to 0.6 s, and the motion from 0 to 0.5 s; take"):
            inverse_dynamics(model, motion, [coarse])
        loads["a"].table.values[3, 1] = np.nan
        with pytest.raises(ValueError, match=r"column 'a_force_y' of the table has none at 0.025 s; fill the gap"):
            inverse_dynamics(model, motion, loads)
        for wrong in (5, [np.zeros(3)], loads["a"].table):
            with pytest.raises(TypeError, match=r"loads are as mm.recordings.read_loads gives them"):
                inverse_dynamics(model, motion, wrong)

    def test_motions(self):
        model = tree(None).compile()
        motion = kinematics(model, made_up_motion())
        with pytest.raises(ValueError, match="give lowpass to kinematics"):
            inverse_dynamics(model, motion, lowpass=6.0)
        zeros = np.zeros((4, 2))
        with pytest.raises(ValueError, match="another model than 'tree': its coordinate 'hip' is not there"):
            inverse_dynamics(model, Kinematics(range(4), zeros, zeros, zeros, ["hip", "bend"]))
        with pytest.raises(
            TypeError, match=r"a motion is mm.analyses.Kinematics or an mm.recordings.Table, not ndarray"
        ):
            inverse_dynamics(model, motion.q)
        with pytest.raises(TypeError, match="a model is needed"):
            inverse_dynamics(tree(None), motion)
        with pytest.raises(KeyError, match="there is no coordinate 'knee'; known: first_0"):
            InverseDynamics(motion.t, motion.names, motion.q)["knee"]

    def test_no_rows(self):
        model = tree(None).compile()
        nothing = np.zeros((0, model.ndof))
        assert inverse_dynamics(model, Kinematics([], nothing, nothing, nothing, model.coordinates)).tau.shape == (0, 5)


def test_points_of_loads_that_must_be_millimetres_are_told():
    """Where the plate is not empty, that is: without a force points may be anywhere."""
    model, t = tree().compile(), np.linspace(0.0, 1.0, 5)
    values = np.tile([0.0, 700.0, 0.0, 600.0, 0.0, 200.0], (5, 1))
    values[4] = [0.0, 0.1, 0.0, 0.0, 0.0, 0.0]

    def packed(scale):
        columns = "fx", "fy", "fz", "px", "py", "pz"
        table = Table(t, values * np.repeat([1.0, scale], 3), columns)
        return pack_loads(model, [ExternalForce("right", NAMES[0], table, columns[:3], columns[3:])], t)

    with warnings.catch_warnings(action="error"):
        packed(1e-3)
        values[4, 3:] = 1e9
        packed(1e-3)
    with pytest.warns(UserWarning, match="'right' acts 632.5 m from the origin of 'ground': if its points are in"):
        packed(1.0)
