"""Muscle analysis against OpenSim's lengths, speeds and moment arms, complex steps, and the report of a run."""

from types import SimpleNamespace

import numpy as np
import opensim_models
import pytest
from opensim_reference import numbers, reference

import myomass as mm
from myomass.analyses.muscles import MuscleAnalysis, muscle_analysis

STEP = 1e-30
MODELS = {  # .osim -> poses
    "gait10dof18musc/gait10dof18musc.osim": "gait10dof18musc/poses.json",
    "gait10dof18musc/subject01.osim": "gait10dof18musc/poses_subject01.json",
    "leg6dof9musc/leg6dof9musc.osim": "leg6dof9musc/poses.json",
    "tug_of_war/Tug_of_War.osim": "tug_of_war/poses_Tug_of_War.json",
    "tug_of_war/Tug_of_War_Millard.osim": "tug_of_war/poses_Tug_of_War_Millard.json",
}
KINK = 1e-8  # differences of OpenSim's lengths over its own step


def rows(q, qdot=None, t=None):
    """A motion of these rows."""
    q = np.atleast_2d(q)
    t = np.arange(len(q)) * 0.01 if t is None else t
    return SimpleNamespace(t=t, q=q, qdot=0 * q if qdot is None else np.atleast_2d(qdot))


def arm(coupled=False, tendon="elastic"):
    """Two hinges, the second coupled to the first if asked for; a Hill-type muscle over both, and a bare path."""
    spec = mm.Spec("arm")
    box = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.5), box, coordinates="shoulder")
    place = mm.translation(0, 0, -1), mm.translation(0, 0, -0.5)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), *place, box, coordinates="elbow")
    hill = mm.Hill(300.0, 0.5, 0.8, pennation=0.2, tendon=tendon)
    points = [(None, (0.3, 0.1, 0)), ("upper", (0.1, 0, -0.3)), ("lower", (0.1, 0, 0.2))]
    spec.add_muscle("biceps", points=points, actuator=hill)
    spec.add_muscle("cord", points=points[1:])
    if coupled:
        spec.add_constraint(mm.Coupling("upper", "lower", (0.1, 0.5, -0.3)))
    return spec.compile()


def poses_of(path, names):
    """(q, u, and the rest as arrays over the poses, coordinates in this order) of a file of poses."""
    told = numbers(path)
    given = [c["name"] for c in told["coordinates"]]
    order = [given.index(name) for name in names]
    columns = {key: np.array([pose[key] for pose in told["poses"]], float) for key in KEYS}
    for key in ("q", "u", "dlength_dq", "moment_arms"):
        columns[key] = columns[key][..., order]
    return told, columns


KEYS = ("q", "u", "muscle_lengths", "muscle_speeds", "dlength_dq", "moment_arms")


@pytest.mark.parametrize("path", MODELS)
def test_opensim_poses(path):
    model = mm.io.read_osim(reference(path)).compile()
    told, poses = poses_of(MODELS[path], model.coordinates)
    found = muscle_analysis(model, rows(poses["q"], poses["u"]))
    assert list(found.muscles) == list(told["muscles"])
    np.testing.assert_allclose(found.lengths, poses["muscle_lengths"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.speeds, poses["muscle_speeds"], rtol=0, atol=1e-11)
    dependent = [c["name"] for c in told["coordinates"] if c["depends_on"]]
    kinked = {name: c["coordinate"] for name, c in told["moment_arm_versus_length_derivative"].items()}
    for m, muscle in enumerate(found.muscles):
        for k, name in enumerate(found.coordinates):
            arms, slope, stored = found.arms[:, m, k], poses["dlength_dq"][:, m, k], poses["moment_arms"][:, m, k]
            known = np.isfinite(slope)
            if kinked.get(muscle) != name:
                np.testing.assert_allclose(arms[known], -slope[known], rtol=0, atol=KINK, err_msg=f"{muscle} {name}")
            if not dependent:
                np.testing.assert_allclose(arms, stored, rtol=0, atol=1e-12, err_msg=f"{muscle} {name}")
    if dependent and len(model.constraints):
        folded = muscle_analysis(model, rows(poses["q"]), couplings=True)
        kept = [model.coordinate(name) for name in folded.coordinates]
        assert set(dependent).isdisjoint(folded.coordinates)
        np.testing.assert_allclose(folded.arms, poses["moment_arms"][:, :, kept], rtol=0, atol=1e-9)


def test_lengths_along_a_recorded_gait():
    model = mm.io.read_osim(reference("gait10dof18musc/subject01.osim")).compile()
    told = numbers("gait10dof18musc/pipeline/filtered_kinematics.json")
    order = [told["coordinates"].index(name) for name in model.coordinates]
    q, u = (np.array(told[key])[:, order] for key in ("q", "u"))
    found = muscle_analysis(model, rows(q, u, np.array(told["time"])))
    lines = reference("gait10dof18musc/pipeline/muscle_lengths.sto").read_text().split("endheader\n")[1].split("\n")
    stored = np.array([line.split() for line in lines[1:] if line.strip()], float)
    names = lines[0].split()[1:]
    first = int(np.argmin(abs(found.t - stored[0, 0])))
    assert np.abs(found.t[first : first + len(stored)] - stored[:, 0]).max() < 1e-7
    table = found.table("lengths").select(names)
    np.testing.assert_allclose(table.values[first : first + len(stored)], stored[:, 1:], rtol=0, atol=1e-8)


def test_opensim_fixture_with_couplings():
    """Moment arms of the leg, whose patella follows the knee, against numbers kept of OpenSim."""
    fixture = opensim_models.load("leg6dof9musc")
    built = opensim_models.Maker("leg6dof9musc").built
    model, names = built.model, list(fixture["coordinates"])
    order = [names.index(name) for name in built.coordinates]
    q, u = (np.array([pose[key] for pose in fixture["poses"]])[:, order] for key in ("q", "u"))
    plain, folded = muscle_analysis(model, rows(q, u)), muscle_analysis(model, rows(q, u), couplings=True)
    followers = [follower for _, follower, _, _ in fixture["couplings"]]
    kept = [k for k, name in enumerate(built.coordinates) if name not in followers]
    assert followers and list(folded.coordinates) == [model.coordinates[k] for k in kept]
    for row, pose in enumerate(fixture["poses"]):
        np.testing.assert_allclose(plain.lengths[row], pose["muscle_lengths"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(plain.speeds[row], pose["muscle_speeds"], rtol=0, atol=1e-11)
        stored = np.array(pose["moment_arms"], float)[:, order][:, kept]
        np.testing.assert_allclose(folded.arms[row], stored, rtol=0, atol=1e-9)


@pytest.mark.fast
def test_arms_are_minus_dl_dq():
    model, q, qdot = arm(), np.array([0.3, 0.7]), np.array([-0.4, 1.1])
    found = muscle_analysis(model, rows(q, qdot))
    steps = [mm.muscle_lengths(model, q + 1j * STEP * np.eye(2)[k]).imag / STEP for k in range(2)]
    np.testing.assert_allclose(found.arms[0], -np.transpose(steps), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(found.speeds[0], -found.arms[0] @ qdot, rtol=1e-14)
    np.testing.assert_allclose(found.lengths[0], mm.muscle_lengths(model, q), rtol=1e-15)
    elbow = muscle_analysis(model, rows(q, qdot), coordinates=["elbow"])
    assert elbow.coordinates == ("elbow",)
    np.testing.assert_array_equal(elbow.arms[:, :, 0], found.arms[:, :, 1])
    np.testing.assert_array_equal(elbow.arms_of("elbow")["cord"], found.arms[:, 1, 1])


@pytest.mark.fast
def test_couplings_are_folded_in():
    model, shoulder = arm(coupled=True), 0.4
    elbow = 0.1 + 0.5 * shoulder - 0.3 * shoulder**2
    slope = 0.5 - 0.6 * shoulder
    plain = muscle_analysis(model, rows([shoulder, elbow]))
    folded = muscle_analysis(model, rows([shoulder, elbow]), couplings=True)
    assert plain.coordinates == ("shoulder", "elbow") and folded.coordinates == ("shoulder",)
    np.testing.assert_allclose(folded.arms[0, :, 0], plain.arms[0] @ [1.0, slope], rtol=1e-13)
    with pytest.raises(ValueError, match="'elbow' is locked or follows another one"):
        muscle_analysis(model, rows([shoulder, elbow]), couplings=True, coordinates=["elbow"])


@pytest.mark.fast
def test_forces_are_those_of_the_muscle_by_itself():
    model, q, qdot = arm(), np.array([[0.3, 0.7], [0.1, 0.2]]), np.array([[-0.4, 1.1], [0.0, 0.0]])
    found = muscle_analysis(model, rows(q, qdot), {"biceps": 0.4})
    hill = mm.Hill(300.0, 0.5, 0.8, pennation=0.2)
    for row in range(2):
        alone = hill.equilibrium(0.4, found.lengths[row, 0], found.speeds[row, 0])
        assert found.tensions[row, 0] == pytest.approx(alone.tension, rel=1e-12)
        assert found.pennation[row, 0] == pytest.approx(alone.pennation, rel=1e-12)
        assert found.passive_forces[row, 0] == pytest.approx(alone.passive, rel=1e-12, abs=1e-12)
    assert np.isnan(found.tensions[:, 1]).all() and np.isnan(found.table("power")["cord"]).all()
    np.testing.assert_allclose(found.power[:, 0], -found.tensions[:, 0] * found.speeds[:, 0], rtol=1e-15)
    rigid = muscle_analysis(model, rows(q, qdot), 0.4, tendon="rigid")
    np.testing.assert_allclose(rigid.tendon_lengths[:, 0], 0.8, rtol=1e-14)
    np.testing.assert_allclose(rigid.tendon_power[:, 0], 0.0, atol=1e-12)
    assert np.abs(rigid.power[0, 0]) > 1.0


@pytest.mark.fast
def test_a_run_and_a_table_of_activations():
    model = arm(tendon="rigid")
    run = mm.simulate(model, q=[0.1, 0.3], integrator="rk4", h=5e-3, duration=0.02)
    names = ["biceps"]
    table = mm.recordings.Table(run.t, run.z[:, :1], names)
    found = muscle_analysis(model, run, table)
    np.testing.assert_allclose(found.tensions[:, 0], run.muscles.tension[:, 0], rtol=1e-12)
    np.testing.assert_allclose(found.speeds[:, 0], run.muscles.speed[:, 0], rtol=1e-12)


@pytest.mark.fast
@pytest.mark.parametrize("name", ["biceps", "biceps.activation", "/forceset/biceps/activation"])
def test_a_table_of_activations_at_other_times(name):
    """As joint reactions take tensions: straight lines between its rows, and none beyond them."""
    model, times, activations = arm(), np.array([0.0, 0.04, 0.1]), np.array([0.1, 0.7, 0.2])
    q = np.column_stack([np.linspace(0.1, 0.4, 9), np.linspace(0.5, 0.2, 9)])
    motion = rows(q, t=np.linspace(0.0, 0.08, 9) - 5e-7)
    table = mm.recordings.Table(times, activations[:, None], [name], about={"file": "a.sto"})
    given = np.interp(motion.t, times, activations)[:, None]
    expected = muscle_analysis(model, motion, given)
    found = muscle_analysis(model, motion, table)
    np.testing.assert_array_equal(found.tensions[:, 0], expected.tensions[:, 0])
    motion.t = np.linspace(0.05, 0.13, 9)
    spans = r"a\.sto reaches from 0 to 0\.1 s, and the motion from 0\.05 to 0\.13 s; take .*, from 0\.05 to 0\.1 s"
    with pytest.raises(ValueError, match=spans):
        muscle_analysis(model, motion, table)
    motion.t = motion.t + 1.0
    with pytest.raises(
        ValueError, match=r"the table of activations reaches from 0 to 0\.1 s, .* have no time in common"
    ):
        muscle_analysis(model, motion, mm.recordings.Table(times, activations[:, None], [name]))
    with pytest.raises(KeyError, match=r"a\.sto has no column for muscle 'biceps'; known: triceps"):
        muscle_analysis(model, motion, mm.recordings.Table(times, activations[:, None], ["triceps"], about=table.about))
    with pytest.raises(
        ValueError, match=r"a table of activations needs numbers everywhere, and column 'biceps' of a\.sto"
    ):
        muscle_analysis(model, motion, mm.recordings.Table(times, np.nan * table.values, [name], about=table.about))


@pytest.mark.fast
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m, r: muscle_analysis("arm", r), "a model is needed"),
        (lambda m, r: muscle_analysis(m, [0.0]), "must have t, q and qdot"),
        (lambda m, r: muscle_analysis(m, SimpleNamespace(t=[0.0], q=[[0.0]], qdot=[[0.0]])), "shape"),
        (lambda m, r: muscle_analysis(m, rows(np.full((1, 2), np.nan))), "finite"),
        (lambda m, r: muscle_analysis(m, rows(np.zeros((0, 2)))), "no rows"),
        (lambda m, r: muscle_analysis(m, r, coordinates=["knee"]), "no coordinate 'knee'"),
        (lambda m, r: muscle_analysis(m, r, 1.5), "between 0 and 1"),
        (lambda m, r: muscle_analysis(m, r, {"triceps": 0.1}), "no muscle 'triceps'"),
        (lambda m, r: muscle_analysis(m, r, {}), "'biceps' has none"),
        (lambda m, r: muscle_analysis(m, r, 0.1, tendon="stiff"), 'must be "rigid", "elastic"'),
        (lambda m, r: muscle_analysis(m, r).power, "no tensions without activations"),
        (lambda m, r: muscle_analysis(m, r).table("arms"), "one of lengths"),
        (lambda m, r: muscle_analysis(m, r).arms_of("knee"), "no moment arms about 'knee'"),
    ],
)
def test_what_is_wrong_is_said(call, said):
    with pytest.raises((ValueError, TypeError, KeyError), match=said):
        call(arm(), rows([[0.1, 0.2]]))


@pytest.mark.fast
def test_a_motion_of_another_model_is_refused():
    motion = rows([[0.1, 0.2]])
    motion.names = ("hip", "knee")
    with pytest.raises(ValueError, match="it has 'hip'"):
        muscle_analysis(arm(), motion)
    assert "lengths=<1x2 array>" in repr(muscle_analysis(arm(), rows([[0.1, 0.2]])))
    assert isinstance(muscle_analysis(arm(), rows([[0.1, 0.2]])), MuscleAnalysis)
