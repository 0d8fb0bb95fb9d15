"""Setup files of the ScaleTool: what is read, and what is told of files that are not as they should be."""

import numpy as np
import pytest

import myomass as mm
from myomass.analyses import MarkerTasks, ScalingSetup, inverse_kinematics, read_scaling, read_tasks
from myomass.recordings import Table

pytestmark = pytest.mark.fast
WHOLE = """<?xml version="1.0"?>
<OpenSimDocument Version="40000"><ScaleTool name="x"><mass>70</mass>
<GenericModelMaker><model_file>Unassigned</model_file><marker_set_file>markers.xml</marker_set_file></GenericModelMaker>
<ModelScaler><apply>true</apply><scaling_order>measurements manualScale</scaling_order>
<MeasurementSet><objects><Measurement name="a"><apply>true</apply>
<MarkerPairSet><objects><MarkerPair><markers>m n</markers></MarkerPair></objects></MarkerPairSet>
<BodyScaleSet><objects><BodyScale name="arm"><axes>X Z</axes></BodyScale></objects></BodyScaleSet></Measurement>
<Measurement name="off"><apply>false</apply></Measurement></objects></MeasurementSet>
<ScaleSet><objects><Scale><scales>1 2 3</scales><segment>leg</segment></Scale></objects></ScaleSet>
<marker_file>a.trc</marker_file><time_range>-1 -1</time_range></ModelScaler>
<MarkerPlacer><apply>true</apply><IKTaskSet><objects>
<IKMarkerTask name="m"><apply>true</apply><weight>2</weight></IKMarkerTask>
<IKMarkerTask name="n"><apply>false</apply><weight>2</weight></IKMarkerTask>
<IKCoordinateTask name="elbow"><weight>3</weight><value_type>from_file</value_type></IKCoordinateTask>
<IKOtherTask name="z"/></objects></IKTaskSet>
<coordinate_file>a.mot</coordinate_file><time_range>0 1</time_range></MarkerPlacer></ScaleTool></OpenSimDocument>
"""


def read(tmp_path, text):
    (tmp_path / "setup.xml").write_text(text)
    return read_scaling(tmp_path / "setup.xml")


def test_what_is_read(tmp_path):
    setup = read(tmp_path, WHOLE)
    assert setup.mass == 70.0 and setup.order == ("measured", "by hand") and not setup.keep_shares
    (one,) = setup.measurements
    assert one.pairs == (("m", "n"),) and one.bodies == {"arm": "xz"}
    assert np.array_equal(setup.by_hand["leg"], (1, 2, 3)) and setup.window is None
    placing = setup.placing
    assert placing.marker_weights == {"m": 2.0, "n": 0.0} and placing.coordinate_weights == {"elbow": 3.0}
    assert placing.from_file == ("elbow",) and placing.coordinates_from == tmp_path / "a.mot"
    assert placing.window == (0.0, 1.0) and placing.trial is None and setup.model is None
    assert len(setup.report) == 2 and "IKOtherTask 'z': this kind of task is not known" in setup.report[1]
    with pytest.raises(ValueError, match="its measurements need the trial's markers"):
        setup.factors(mm.Spec())


def test_parts_that_are_off(tmp_path):
    setup = read(tmp_path, WHOLE.replace("<ModelScaler><apply>true", "<ModelScaler><apply>false"))
    assert setup.order == () and setup.factors(mm.Spec()) == {}
    assert ScalingSetup(by_hand={"leg": np.ones(3)}, order=("by hand",)).factors(mm.Spec())["leg"].tolist() == [1, 1, 1]


def test_without_an_order_a_report_says_that_nothing_is_scaled(tmp_path):
    setup = read(tmp_path, WHOLE.replace("measurements manualScale", ""))
    assert setup.factors(mm.Spec()) == {}
    assert any("line 4: without a <scaling_order> nothing is scaled" in line for line in setup.report)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ScaleTool", "OtherTool", "there is no <ScaleTool> in this file"),
        (
            "measurements manualScale",
            "sizes",
            "line 4: <scaling_order> has measurements and manualScale, and",
        ),
        ("m n", "m", "line 6: <MarkerPair> of 'a' names two <markers>, and here 1"),
        ("X Z", "X W", "line 7: <BodyScale> 'arm' names some of the <axes> X Y Z, and here 'xw'"),
        ("1 2 3", "1 2", "line 9: <scales> holds 3 numbers"),
        ("<segment>leg</segment>", "", "line 9: <Scale> does not say its <segment>"),
        ("from_file", "guess", "line 14: <value_type> is default_value, manual_value or from_file, and not 'guess'"),
        ("0 1", "1 0", "line 16: <time_range> ends before it begins"),
        ("<mass>70", "<mass>heavy", "line 2: <mass> holds numbers, and is 'heavy'"),
        ("</ScaleTool></OpenSimDocument>", "", "the file ends inside"),
    ],
)
def test_bad_files(tmp_path, old, new, said):
    with pytest.raises(ValueError, match=said):
        read(tmp_path, WHOLE.replace(old, new))


TOOL = """<?xml version="1.0"?><OpenSimDocument Version="40000"><InverseKinematicsTool>
<model_file>m.osim</model_file><IKTaskSet><objects>
<IKMarkerTask name="a0"><weight>2</weight></IKMarkerTask><IKMarkerTask name="a1"><weight>3</weight></IKMarkerTask>
<IKCoordinateTask name="hinge"><weight>0.1</weight><value_type>from_file</value_type></IKCoordinateTask>
<IKCoordinateTask name="slide"><weight>10</weight><value_type>manual_value</value_type><value>0.3</value>
</IKCoordinateTask>
</objects></IKTaskSet><marker_file>walk.trc</marker_file><time_range>0.1 0.3</time_range>
</InverseKinematicsTool></OpenSimDocument>"""


class Walk:
    t = np.linspace(0.0, 0.4, 5)
    names = ("a0", "a1", "a2", "other")
    places = np.repeat([[(0.3, 0.1, 0), (0.1, 0.4, 0), (9, 9, 9), (7, 7, 7)]], 5, axis=0)


def slider():
    spec = mm.Spec("slider")
    joint = mm.Composite(mm.Prismatic((1, 0, 0)), mm.Revolute())
    spec.add_body("a", None, joint, inertia=mm.Inertia.sphere(0.1, mass=1.0), coordinates=["slide", "hinge"])
    for i, place in enumerate([(0.2, 0, 0), (0, 0.3, 0), (0.1, 0.1, 0)]):
        spec.add_marker(f"a{i}", "a", place)
    return spec


def test_tasks_are_options_of_inverse_kinematics(tmp_path):
    (tmp_path / "ik.xml").write_text(TOOL)
    tasks, model = read_tasks(tmp_path / "ik.xml"), slider().compile()
    assert tasks.trial == tmp_path / "walk.trc" and tasks.model == tmp_path / "m.osim" and tasks.window == (0.1, 0.3)
    table = Table([0.0, 1.0], [[0.0], [90.0]], ["hinge"], degrees=True)
    options = tasks.options(model, Walk, table)
    assert options["weights"] == {"a0": 2.0, "a1": 3.0, "a2": 0.0}  # no task, no weight
    assert options["coordinate_weights"] == {"hinge": 0.5, "slide": 50.0}  # parts of 5
    assert (
        np.allclose(options["coordinates"]["hinge"], (0, np.pi / 2), rtol=1e-12)
        and (options["coordinates"]["slide"] == 0.3).all()
    )
    found = inverse_kinematics(model, Walk, **options)
    assert np.allclose(found.t, (0.1, 0.2, 0.3), rtol=1e-12) and found.converged.all()
    assert np.array_equal(found.q, inverse_kinematics(model, Walk, **tasks.options(slider(), Walk, table)).q)
    with pytest.raises(ValueError, match="the values of hinge come from a table"):
        tasks.options(model, Walk)
    with pytest.raises(KeyError, match="IKCoordinateTask: the model has no coordinate 'knee'; known: slide, hinge"):
        MarkerTasks({"a0": 1.0}, {"knee": 1.0}).options(model, Walk)


def test_tasks_without_a_marker_are_told():
    spec, given = slider(), {"a0": 1.0, "heel": 2.0, "other": 1.0, "toe": 0.0, "a3": 4.0}
    spec.add_marker("a3", "a", (0.1, 0, 0))
    with pytest.warns(UserWarning) as told:
        assert MarkerTasks(given).options(spec.compile(), Walk)["weights"] == {"a0": 1.0, "a1": 0.0, "a2": 0.0}
    assert [str(one.message) for one in told] == [
        "IKMarkerTask: the model has no marker 'heel', 'other'; these tasks do nothing",
        "IKMarkerTask: the recording has no marker 'a3'; this task does nothing",
    ]


def test_tasks_alone_and_files_without_any(tmp_path):
    path = tmp_path / "tasks.xml"
    path.write_text(
        '<IKTaskSet><objects><IKMarkerTask name="m"><weight>2</weight></IKMarkerTask></objects></IKTaskSet>'
    )
    assert read_tasks(path) == MarkerTasks({"m": 2.0})
    path.write_text("<Other><Thing/></Other>")
    with pytest.raises(ValueError, match=r"line 1: there is none of <InverseKinematicsTool>, .* <Other> holds <Thing>"):
        read_tasks(path)
    path.write_text(
        '<IKTaskSet><objects><IKMarkerTask name="m"><weight>-2</weight></IKMarkerTask></objects></IKTaskSet>'
    )
    with pytest.raises(ValueError, match="the <weight> of 'm' must not be negative"):
        read_tasks(path)
