"""Commands for .osim files as a person meets them: a model and a recorded walk in, tables out."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import myomass as mm
from myomass.analyses.muscles import TABLES
from myomass.cli import app
from myomass.cli.opensim import TABLES_OF_FORCES, UNITS
from myomass.recordings import Markers, Table, read_table, write_table, write_trc

WRAPPED = """<OpenSimDocument Version="40000"><Model name="wraps"><BodySet><objects><Body name="rod"><mass>1</mass>
<inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects><PinJoint name="hinge">
<socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/rod</socket_child_frame></PinJoint></objects>
</JointSet><Ground name="ground"><WrapObjectSet><objects>
<WrapSphere name="ball"><radius>0.1</radius></WrapSphere></objects>
</WrapObjectSet></Ground><ForceSet><objects><Thelen2003Muscle name="over"><GeometryPath><PathPointSet><objects>
<PathPoint name="p1"><socket_parent_frame>/ground</socket_parent_frame><location>1 0.2 0</location></PathPoint>
<PathPoint name="p2"><socket_parent_frame>/ground</socket_parent_frame><location>0 0.2 0</location></PathPoint>
<PathPoint name="p3"><socket_parent_frame>/bodyset/rod</socket_parent_frame><location>-1 0.2 0</location></PathPoint>
</objects></PathPointSet><PathWrapSet><objects><PathWrap name="w"><wrap_object>ball</wrap_object></PathWrap></objects>
</PathWrapSet></GeometryPath></Thelen2003Muscle></objects></ForceSet></Model></OpenSimDocument>"""
ARM, LEG = (Path(__file__).parents[1] / "fixtures" / "osim" / f"{name}.osim" for name in ("arm26", "leg6dof9musc"))
PART = ("--lowpass", "6", "--start", "0.6", "--end", "0.8")


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    return mm.io.sample_gait(tmp_path_factory.mktemp("walk"))


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, [*map(str, words)])


def test_inspect(call, walk):
    done = call("inspect", walk.model)
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert ["tibia_r", "femur_r", "knee_r", "SpatialTransform", "3.581"] in lines
    assert ["knee_angle_r", "deg", "0", "-120", "10"] in lines and ["pelvis_tx", "m", "0", "-5", "5"] in lines
    assert ["soleus_r", "2", "0", "Millard2012,", "5137", "N,", "elastic", "tendon"] in lines
    assert "39 markers: Sternum, " in done.output
    spec = mm.io.read_osim(walk.model)
    assert all(f"  {note}" in done.output for note in spec.report) and spec.report
    assert f"{len(spec.report)} note on what was changed or not understood:" in done.output


def test_inspect_compares_paths_with_opensim(call):
    pytest.importorskip("opensim")
    done = call("inspect", ARM, "--compare")
    assert done.exit_code == 0, done.output
    assert "path 'BRA', 147.3 mm long: OpenSim's length differs from the geodesic's by 0.024 mm" in done.output


def test_inspect_counts_each_wrap_once(call, tmp_path):
    """A surface that any piece of a path may wrap over is one."""
    path = tmp_path / "wraps.osim"
    path.write_text(WRAPPED)
    done = call("inspect", path)
    assert done.exit_code == 0, done.output
    assert ["over", "3", "1"] in [line.split()[:3] for line in done.output.splitlines()]
    path.write_text(WRAPPED.replace("Thelen2003Muscle", "PathActuator"))
    assert ["over", "3", "1", "IdealActuator"] in [line.split() for line in call("inspect", path).output.splitlines()]


def test_inverse_dynamics(call, walk, tmp_path):
    done = call("id", walk.model, walk.coordinates, "--loads", walk.loads, "--lowpass", 6, "--out", "torques.sto")
    assert done.exit_code == 0, done.output
    assert "right on calcn_r, left on calcn_l" in done.output and "151 rows from -5e-07 to 2.5 s" in done.output
    ours, theirs = read_table(tmp_path / "torques.sto"), read_table(walk.torques)
    ours = ours.select(theirs.names)
    span = np.ptp(theirs.values, axis=0)
    assert (np.abs(ours.values - theirs.values) / span).max() < 1e-6
    row = next(line.split() for line in done.output.splitlines() if line.startswith("ankle_angle_r_moment"))
    assert float(row[1]) == pytest.approx(ours["ankle_angle_r_moment"].min(), rel=1e-4)


def test_a_model_without_mass_has_lengths_and_torques(call, tmp_path):
    """Such models are made for kinematics alone."""
    path = tmp_path / "massless.osim"
    light = re.sub(r"<mass>.*?<", "<mass>0<", ARM.read_text())
    path.write_text(re.sub(r"<inertia>.*?<", "<inertia>0 0 0 0 0 0<", light))
    names = ("r_shoulder_elev", "r_elbow_flex")
    write_table(tmp_path / "motion.mot", Table(np.arange(5) / 10, np.ones((5, 2)), names, degrees=True))
    done = call("analyse", path, "motion.mot", "--out", "lengths.sto")
    assert done.exit_code == 0, done.output
    model = mm.io.read_osim(ARM, forces=False).compile()
    lengths = mm.muscle_lengths(model, np.radians([1.0, 1.0]))
    np.testing.assert_allclose(read_table(tmp_path / "lengths.sto").values[0], lengths, rtol=0, atol=1e-15)
    assert call("id", path, "motion.mot").exit_code == 0


def test_inverse_kinematics(call, walk, tmp_path):
    model = mm.io.read_osim(walk.model, forces=False).compile()
    q = np.array([model.q(knee_angle_r=-0.1 * k, hip_flexion_r=0.05 * k, pelvis_tx=0.01 * k) for k in range(4)])
    places = np.array([mm.marker_places(model, row) for row in q])
    lab = places @ mm.recordings.Z_UP_TO_Y_UP  # as a laboratory with z up sees them
    write_trc(tmp_path / "walk.trc", Markers(np.arange(4) / 60, lab, tuple(model.markers)))
    done = call("ik", walk.model, "walk.trc", "--z-up", "--weight", "R.Heel=3", "--out", "ik.mot")
    assert done.exit_code == 0, done.output
    found = read_table(tmp_path / "ik.mot")
    assert found.degrees and found.names == tuple(model.coordinates)
    np.testing.assert_allclose(np.radians(found["knee_angle_r"]), q[:, model.coordinate("knee_angle_r")], atol=1e-6)
    np.testing.assert_allclose(found["pelvis_tx"], q[:, model.coordinate("pelvis_tx")], atol=1e-6)
    assert any(line.split() == ["R.Heel", "4", "0.00", "0.00"] for line in done.output.splitlines())


def test_markers_that_were_never_seen(call, tmp_path):
    names = list(mm.io.read_osim(ARM, forces=False).markers)
    write_trc(tmp_path / "dark.trc", Markers([0.0, 0.1], np.full((2, len(names), 3), np.nan), names))
    done = call("ik", ARM, "dark.trc")
    assert done.exit_code == 2 and "is seen in any frame" in done.output


def test_tasks_of_opensims_tool(call, walk, tmp_path):
    """Weights of markers and coordinates come from the setup; --weight has the last word."""
    model = mm.io.read_osim(walk.model, forces=False).compile()
    q = model.q(knee_angle_r=-0.5, hip_flexion_r=0.3)
    places = np.array([mm.marker_places(model, q)] * 3)
    places[:, 4] += 0.02  # one of them is off
    write_trc(tmp_path / "walk.trc", Markers(np.arange(3) / 60, places, tuple(model.markers)))
    tasks = "".join(f'<IKMarkerTask name="{name}"><weight>2</weight></IKMarkerTask>' for name in model.markers)
    knee = "<value_type>default_value</value_type><weight>0.1</weight>"
    tasks += f'<IKCoordinateTask name="knee_angle_r">{knee}</IKCoordinateTask>'
    setup = f'<InverseKinematicsTool name="t"><IKTaskSet><objects>{tasks}</objects></IKTaskSet></InverseKinematicsTool>'
    (tmp_path / "setup.xml").write_text(f'<OpenSimDocument Version="40000">{setup}</OpenSimDocument>')
    found, off = {}, tuple(model.markers)[4]
    asked = ("--tasks", "setup.xml")
    for name, words in {"plain": (), "tasks": asked, "less": (*asked, "--weight", f"{off}=0")}.items():
        done = call("ik", walk.model, "walk.trc", *words, "--out", "ik.mot")
        assert done.exit_code == 0, done.output
        found[name] = np.radians(read_table(tmp_path / "ik.mot")["knee_angle_r"][0])
    assert found["plain"] < found["tasks"] < 0.0, "a task pulls the knee to its default"
    asked = mm.analyses.read_tasks(tmp_path / "setup.xml").options(model, mm.recordings.read_trc(tmp_path / "walk.trc"))
    asked["weights"][off] = 0.0
    expected = mm.analyses.inverse_kinematics(model, mm.recordings.read_trc(tmp_path / "walk.trc"), **asked)
    assert found["less"] == pytest.approx(expected.q[0, model.coordinate("knee_angle_r")], abs=1e-12)


def test_activations_and_what_follows(call, walk, tmp_path):
    files = (walk.model, walk.coordinates)
    done = call("so", *files, "--loads", walk.loads, *PART, "--reserves", 1, "--out", "a.sto", "--forces", "f.sto")
    assert done.exit_code == 0, done.output
    activations, tensions = read_table(tmp_path / "a.sto"), read_table(tmp_path / "f.sto")
    assert f"explained     {len(activations)} of {len(activations)} rows" in done.output
    assert activations.names == tensions.names and "soleus_r" in activations.names
    assert activations.values.min() > 0.0099 and activations.values.max() <= 1
    done = call("analyse", *files, *PART, "--what", "arms", "--about", "knee_angle_r", "--out", "arms.sto")
    assert done.exit_code == 0, done.output
    model = mm.io.read_osim(walk.model).compile()
    motion = mm.analyses.kinematics(model, read_table(walk.coordinates), lowpass=6.0, start=0.6, end=0.8)
    arms = mm.moment_arms(model, motion.q[3])[:, model.coordinate("knee_angle_r")]
    np.testing.assert_allclose(read_table(tmp_path / "arms.sto").values[3], arms, rtol=1e-9, atol=1e-12)
    done = call("analyse", *files, *PART, "--what", "tensions", "--activations", "a.sto", "--out", "t.sto")
    assert done.exit_code == 0, done.output
    assert "least [N]" in done.output
    assert read_table(tmp_path / "t.sto").names == tensions.names
    done = call("analyse", *files, "--what", "tensions", "--activations", "a.sto")
    assert done.exit_code == 2
    assert re.search(
        r"a\.sto reaches from 0\.\S+ to 0\.\S+ s, and the motion from 0 to 2\.5 s; take the part", done.output
    )
    words = ("--what", "reactions", "--forces", "f.sto", "--loads", walk.loads, "--out", "r.sto")
    done = call("analyse", *files, *PART, *words)
    assert done.exit_code == 0, done.output
    knee = mm.analyses.joint_reactions(model, motion, mm.recordings.read_loads(walk.loads), forces=tensions)
    np.testing.assert_array_equal(read_table(tmp_path / "r.sto").values, knee.table().values)
    assert all(any(line.startswith(f"{name} ") for line in done.output.splitlines()) for name in knee.table().names)
    done = call("analyse", *files, *PART, *words, "--on", "parent", "--expressed-in", "child")
    assert done.exit_code == 0, done.output
    assert "knee_r_on_femur_r_in_tibia_r_fx" in read_table(tmp_path / "r.sto").names


@pytest.mark.parametrize("words", [("--tendon", "elastic"), ("--window",)])
def test_other_ways_to_share_loads(call, walk, tmp_path, words):
    part = ("--start", "0.6", "--end", "0.65", "--lowpass", "6")
    files = (walk.model, walk.coordinates, "--loads", walk.loads, "--reserves", "1", "--out", "a.sto")
    done = call("so", *files, *part, *words)
    assert done.exit_code == 0, done.output
    model = mm.io.read_osim(walk.model).compile()
    motion = mm.analyses.kinematics(model, read_table(walk.coordinates), lowpass=6.0, start=0.6, end=0.65)
    torques = mm.analyses.inverse_dynamics(model, motion, mm.recordings.read_loads(walk.loads))
    if words[0] == "--window":
        expected = mm.analyses.window_optimization(model, motion, torques, reserves=1.0)
    else:
        expected = mm.analyses.static_optimization(model, motion, torques, reserves=1.0, tendon="elastic")
    np.testing.assert_array_equal(read_table(tmp_path / "a.sto").values, expected.activations)


def test_play_saves_and_shows(call, walk, tmp_path, monkeypatch):
    shown = []
    page = type("Page", (), {"wait": lambda self, told: told()})
    monkeypatch.setattr("myomass.Trajectory.view", lambda self: shown.append(self) or page())
    files = (walk.model, walk.coordinates, "--start", 0.6, "--end", 0.8)
    done = call("play", *files, "--image", "walk.png")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "walk.png").read_bytes().startswith(b"\x89PNG") and not shown
    done = call("play", *files)
    assert done.exit_code == 0, done.output
    recorded = read_table(walk.coordinates)
    np.testing.assert_allclose(shown[0]["pelvis_ty"], recorded.between(0.6, 0.8)["pelvis_ty"], atol=1e-12)


def test_run_saves_for_opensim(call, walk, tmp_path):
    done = call("run", walk.model, "--duration", "0.02", "--out", "run.sto")
    assert done.exit_code == 0, done.output
    assert "1 note on the file: see `myomass inspect`" in done.output and "10 degrees of freedom" in done.output
    table = read_table(tmp_path / "run.sto")
    assert table.t[-1] == pytest.approx(0.02) and "knee_angle_r_u" in table and "soleus_r.fiber_length" in table


def test_run_goes_on_from_states_under_controls(call, tmp_path):
    """The same as in Python, in one piece: out of a run's file into the next run."""
    model = mm.io.read_osim(LEG).compile()
    controls = Table([0.0, 0.04], [[0.2, 0.9], [0.8, 0.1]], ["/forceset/soleus_r", "vas_int_r"])
    write_table(tmp_path / "controls.sto", controls)
    words = ("--controls", "controls.sto", "--integrator", "rk4", "--h", "0.001", "--duration", "0.02")
    done = call("run", LEG, *words, "--out", "first.sto")
    assert done.exit_code == 0, done.output
    assert "controls      controls.sto from 0 to 0.04 s" in done.output and "warning" not in done.output
    done = call("run", LEG, *words, "--states", "first.sto", "--start", "0.02", "--out", "second.sto")
    assert done.exit_code == 0, done.output
    assert "states        first.sto at 0.02 s" in done.output and "0.02 s simulated" in done.output
    second = read_table(tmp_path / "second.sto")
    whole = mm.simulate(model, excitation=controls, integrator="rk4", h=1e-3, duration=0.04)
    known = mm.recordings.trajectory_table(whole)
    np.testing.assert_allclose(second.values[[0, -1]], known.values[[20, 40]], rtol=0, atol=1e-9)
    assert second.t[0] == 0.02 and call("run", LEG, *words, "--states", "second.sto").output.count("at 0.02 s") == 1
    done = call("run", LEG, *words, "--start", "0.5")
    assert "warning: controls.sto reaches from 0 to 0.04 s, and the run from 0.5 to 0.52 s" in done.output


def test_every_table_of_muscles_has_a_unit():
    assert set(UNITS) == set(TABLES)
    has = mm.analyses.muscle_analysis(model := mm.io.read_osim(LEG).compile(), mm.simulate(model, duration=1e-3))
    for what in TABLES:
        if what in TABLES_OF_FORCES:
            with pytest.raises(ValueError, match="without activations"):
                has.table(what)
        else:
            assert len(has.table(what)) == len(has)


def test_view_takes_a_model(call, walk, monkeypatch):
    shown = []
    page = type("Page", (), {"wait": lambda self, told: told()})
    monkeypatch.setattr("myomass.viewer.view", lambda what, **options: shown.append(what) or page())
    done = call("view", walk.model)
    assert done.exit_code == 0, done.output
    assert shown[0].spec.name == "walk_subject01" and shown[0].q[2] == pytest.approx(1.015)


def test_warnings_are_sentences(call, walk, tmp_path):
    given = read_table(walk.coordinates)
    write_table(tmp_path / "wrong.mot", Table(given.t, given.values, given.names, degrees=False))
    done = call("id", walk.model, "wrong.mot")
    assert done.exit_code == 0, done.output
    assert "myomass: warning: wrong.mot says that its angles are in radians, and 'pelvis_tilt' goes to" in done.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("inspect", "gone.osim"), "there is no file gone.osim"),
        (("inspect", "{coordinates}"), "line 1: the file is not XML"),
        (("run", "gone.osim"), "there is no file gone.osim"),
        (("run", "{model}", "--set", "slope=1"), "is a model, and takes no --set"),
        (("run", "0", "--states", "a.sto"), "--states is for a model FILE.osim, and 'simple-serial-chain' is a preset"),
        (("run", "tug-of-war", "--controls", "a.sto"), "--controls is for a model FILE.osim, and 'tug-of-war' is a"),
        (("run", "{model}", "{model}", "--start", "1"), "--start is for one model, and there are 2"),
        (("run", "{model}", "--states", "gone.sto"), "there is no file gone.sto"),
        (
            ("run", "{model}", "--states", "{coordinates}", "--start", "9"),
            "reaches from 0 to 2.5 s, and 9 s is outside",
        ),
        (("run", "{model}", "--controls", "{coordinates}"), "has no column for a muscle with states of model"),
        (("view", "gone.osim"), "there is no file gone.osim"),
        (("id", "{model}", "gone.mot"), "there is no file gone.mot"),
        (("id", "{model}", "{reactions}"), "a recording of another model"),
        (("id", "{model}", "{coordinates}", "--loads", "{model}"), "the file has no <ExternalLoads>: it holds <Model>"),
        (("id", "{model}", "{coordinates}", "--out", "a.csv"), "--out names a .sto or .mot file, and is a.csv"),
        (("id", "{model}", "{coordinates}", "--out", "gone/a.sto"), "there is no folder"),
        (("id", "{model}", "{coordinates}", "--start", "9"), "the recording reaches from 0 to 2.5 s"),
        (("ik", "{model}", "{coordinates}"), "markers are in a .trc or .c3d file"),
        (("ik", "{model}", "gone.trc", "--weight", "R.Heel"), "--weight takes NAME=NUMBER, and was given 'R.Heel'"),
        (("so", "{model}", "{coordinates}", "--reserves", "many"), "--reserves takes FILE.xml or a number"),
        (("so", "{model}", "{coordinates}", "--end", "0.1"), "'pelvis_tilt'; give --reserves 10, the strength of one"),
        (
            ("analyse", "{model}", "{coordinates}", "--what", "tensions"),
            "--what tensions needs --activations FILE.sto, as `myomass so` writes it",
        ),
        (("analyse", "{model}", "{coordinates}", "--what", "arms"), "--about COORDINATE goes with --what arms"),
        (("analyse", "{model}", "{coordinates}", "--what", "colour"), "--what is one of lengths, fibre_lengths"),
        (("analyse", "{model}", "{coordinates}", "--forces", "f.sto"), "--forces makes no difference to lengths"),
        (
            ("analyse", "{model}", "{coordinates}", "--what", "reactions", "--activations", "a.sto"),
            "--activations makes no difference to reactions",
        ),
        (("play", "{model}", "{coordinates}", "--image", "gone/a.png"), "there is no folder gone to save a.png in"),
        (("play", "{model}", "{coordinates}", "--video", "a.avi"), "a film is saved as .mp4, and the file is 'a.avi'"),
        (("so", "{model}", "{coordinates}", "--forces", "f.csv"), "--forces names a .sto or .mot file, and is f.csv"),
    ],
)
def test_bad_input_gets_one_sentence(call, walk, words, sentence):
    done = call(*(word.format(**vars(walk)) for word in words))
    assert done.exit_code == 2, done.output
    assert sentence in done.output and "Traceback" not in done.output
