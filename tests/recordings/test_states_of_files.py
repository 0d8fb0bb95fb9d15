"""States from tables of states: our own to the last bit, OpenSim's, and runs that go on from both as OpenSim's do."""

from pathlib import Path

import numpy as np
import pytest

import myomass as mm
from myomass.recordings import Table, read_table, state_at, trajectory_table, write_table

FIXTURES = Path(__file__).parents[1] / "fixtures" / "osim"
SETUP = """<OpenSimDocument Version="40000"><ForwardTool name="theirs"><model_file>{model}</model_file>
<results_directory>{folder}</results_directory><output_precision>17</output_precision>
<initial_time>{start}</initial_time><final_time>{end}</final_time>
<maximum_number_of_integrator_steps>1000000</maximum_number_of_integrator_steps>
<integrator_error_tolerance>1e-9</integrator_error_tolerance><ControllerSet><objects><ControlSetController name="file">
<controls_file>{folder}/controls.sto</controls_file></ControlSetController></objects></ControllerSet>
<states_file>{folder}/start.sto</states_file></ForwardTool></OpenSimDocument>"""


def model_of(name):
    return mm.io.read_osim(FIXTURES / name).compile()


def arm():
    spec = mm.Spec("arm")
    box = mm.Inertia.cuboid((0.1, 0.1, 0.5), mass=1.0)
    spec.add_body("cart", None, mm.Prismatic((1, 0, 0)), inertia=box, coordinates="shift")
    spec.add_body("rod", "cart", mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.25), box, coordinates="turn")
    points = [("cart", (0.3, 0, 0.1)), ("rod", (0.1, 0, 0))]
    spec.add_muscle("flexor", points=points, actuator=mm.Hill(200.0, 0.15, 0.2))
    spec.add_muscle("stiff", points=points, actuator=mm.Hill(100.0, 0.15, 0.2, tendon="rigid"))
    spec.add_reflex(mm.Reflex("stiff", source="rod", gain=0.3, delay=0.01), name="late")
    return spec.compile()


def swung(model, **options):
    q = [0.1, 0.4]
    return mm.simulate(model, q=q, excitation={"flexor": 0.4, "stiff": 0.2}, integrator="rk4", h=1e-3, **options)


@pytest.mark.fast
def test_what_a_run_is_written_to_comes_back(tmp_path):
    model = arm()
    run = swung(model, duration=0.02)
    write_table(tmp_path / "run.sto", trajectory_table(run))
    table, turned = read_table(tmp_path / "run.sto"), trajectory_table(run, degrees=True)
    for row in (0, 7, -1):
        state, same = state_at(model, table, run.t[row]), state_at(model, turned, run.t[row])
        assert state.t == same.t == run.t[row]
        for what, x in (("q", run.q), ("qdot", run.qdot), ("z", run.z)):
            np.testing.assert_array_equal(getattr(state, what), x[row])
            np.testing.assert_allclose(getattr(same, what), x[row], rtol=1e-15)
    assert state_at(model, table).t == 0.0 and state_at(model, table, 0.0075).t == run.t[7]


@pytest.mark.fast
def test_a_run_goes_on_where_a_file_ends(tmp_path):
    model = arm()
    whole, half = swung(model, duration=0.02), swung(model, duration=0.01)
    write_table(tmp_path / "half.sto", trajectory_table(half))
    start = state_at(model, read_table(tmp_path / "half.sto"), 0.01)
    table = Table([0.0, 1.0], [[0.4, 0.2], [0.4, 0.2]], ["flexor", "stiff"])
    rest = mm.simulate(model, state=start, excitation=table, integrator="rk4", h=1e-3, duration=0.01)
    np.testing.assert_allclose(rest.q[-1], whole.q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(rest.z[-1], whole.z[-1], rtol=0, atol=1e-13)


@pytest.mark.fast
def test_names_of_all_versions():
    model = arm()
    values = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.15, 0.6, 9.0]])
    late = [f"late.delay{i}" for i in range(5)]
    versions = (
        ("shift", "turn", "shift_u", "turn_u", "flexor.activation", "flexor.fiber_length", "stiff.activation"),
        ("/jointset/a/shift/value", "/jointset/b/turn/value", "/jointset/a/shift/speed", "/jointset/b/turn/speed")
        + ("/forceset/flexor/activation", "/forceset/flexor/fiber_length", "/forceset/stiff/activation"),
        ("a/shift/value", "b/turn/value", "a/shift/speed", "b/turn/speed")
        + ("flexor/activation", "flexor.fibre_length", "stiff/activation"),
    )
    for names in versions:
        table = Table([2.0], np.hstack([values, np.zeros((1, 5))]), [*names, "other", *late])
        state = state_at(model, table)
        np.testing.assert_array_equal(np.concatenate([state.q, state.qdot, state.z[:3]]), values[0, :7])
        assert state.t == 2.0 and not state.z[3:].any()


@pytest.mark.fast
def test_what_is_missing():
    """Defaults, and fibres in equilibrium at the activations that are there."""
    model = arm()
    names = ["shift", "turn", "flexor.activation"]
    table = Table([0.0], [[0.1, 0.4, 0.7]], names, about={"file": "a.sto"})
    missing = (
        r"a\.sto has no column for any speed, flexor\.fibre_length, stiff\.activation, late\.delay0, late\.delay1, "
    )
    with pytest.warns(
        UserWarning, match=missing + r"late\.delay2 and 2 more of model 'arm'; the state has their defaults"
    ):
        state = state_at(model, table)
    expected = model.state([0.1, 0.4], activation={"flexor": 0.7})
    for what in ("q", "qdot", "z"):
        np.testing.assert_array_equal(getattr(state, what), getattr(expected, what))
    with pytest.warns(UserWarning, match="no column for turn, any speed, any state of a muscle of model"):
        state = state_at(model, table.select(["shift"]))
    np.testing.assert_array_equal(state.q, [0.1, 0.0])


@pytest.mark.fast
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m, t: state_at("arm", t), "a model is needed"),
        (lambda m, t: state_at(m, "a.sto"), "is given str"),
        (lambda m, t: state_at(m, t, 0.03), r"state_at: run\.sto reaches from 0 to 0\.02 s, and 0\.03 s is outside"),
        (lambda m, t: state_at(m, t.with_values(t.t[:0], t.values[:0])), r"run\.sto has no rows"),
        (lambda m, t: state_at(m, t.with_values(t.t, np.nan * t.values)), r"'shift' of run\.sto has no number at 0 s"),
        (lambda m, t: state_at(m, t.select(["flexor.activation"])), "a recording of another model"),
        (
            lambda m, t: state_at(m, t.with_values(t.t, t.values + 2.0)),
            r"'flexor\.activation' must lie between 0 and 1",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*has no column for")
def test_what_is_wrong_is_said(change, sentence):
    model = arm()
    table = trajectory_table(swung(model, duration=0.02))
    table = Table(table.t, table.values, table.names, about={"file": "run.sto"})
    with pytest.raises((ValueError, TypeError, KeyError), match=sentence):
        change(model, table)


@pytest.mark.parametrize(
    ("name", "off"), [("tug_of_war.osim", 1e-5), ("tug_of_war_millard.osim", 2e-7), ("leg6dof9musc.osim", 2e-7)]
)
def test_opensims_forward_tool_on_the_same_files(name, off, tmp_path, monkeypatch):
    """Start and controls in files of ours, read by both, and OpenSim's states read back.

    Off by 3e-8 of a state's range, and by 3e-6 with Thelen's muscles, where OpenSim's own accuracy ends.
    """
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Off")
    monkeypatch.chdir(tmp_path)
    model, begin, end = model_of(name), 0.5, 0.65
    muscles = [one.removesuffix(".activation") for one in model.z_names if one.endswith(".activation")]
    t = np.linspace(begin, end, 7)
    controls = np.random.default_rng(3).uniform(0.05, 0.8, (len(t), len(muscles)))
    write_table("controls.sto", Table(t, controls, muscles))
    before = mm.simulate(model, state=model.state(t=begin, activation=0.3), duration=1e-3)
    write_table("start.sto", trajectory_table(before))
    given = {"model": FIXTURES / name, "folder": tmp_path, "start": begin, "end": end}
    Path("setup.xml").write_text(SETUP.format(**given))
    assert opensim.ForwardTool("setup.xml").run()
    theirs = read_table("theirs_states.sto")
    assert theirs.names[0].endswith("/value") and theirs.t[-1] == end
    start = state_at(model, read_table("start.sto"))
    assert start.t == begin
    options = {"times": theirs.t, "rtol": 1e-10, "atol": 1e-12}
    ours = mm.simulate(model, state=start, excitation=read_table("controls.sto"), **options)
    states = [state_at(model, theirs, x) for x in theirs.t]
    for what in ("q", "qdot", "z"):
        known = np.array([getattr(state, what) for state in states])
        span = np.where(np.ptp(known, axis=0) > 0, np.ptp(known, axis=0), 1.0)
        assert np.abs((getattr(ours, what) - known) / span).max() < off, what
    turned = state_at(model, read_table("theirs_states_degrees.mot"), end)
    np.testing.assert_allclose(turned.q, states[-1].q, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(turned.qdot, states[-1].qdot, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(turned.z, states[-1].z)
