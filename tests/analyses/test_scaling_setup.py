"""Setup files of the ScaleTool: what is read, and what is told of files that are not as they should be."""

import numpy as np
import pytest

import myomass as mm
from myomass.analyses import ScalingSetup, read_scaling

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
    assert setup.marker_weights == {"m": 2.0, "n": 0.0} and setup.coordinate_weights == {"elbow": 3.0}
    assert setup.from_file == ("elbow",) and setup.coordinates_from == tmp_path / "a.mot"
    assert setup.placing_window == (0.0, 1.0) and setup.placing_trial is None and setup.model is None
    assert len(setup.report) == 2 and "IKOtherTask 'z': this kind of task is not known" in setup.report[1]
    with pytest.raises(ValueError, match="its measurements need the trial's markers"):
        setup.factors(mm.Spec())


def test_parts_that_are_off(tmp_path):
    setup = read(tmp_path, WHOLE.replace("<ModelScaler><apply>true", "<ModelScaler><apply>false"))
    assert setup.order == () and setup.factors(mm.Spec()) == {}
    assert ScalingSetup(by_hand={"leg": np.ones(3)}, order=("by hand",)).factors(mm.Spec())["leg"].tolist() == [1, 1, 1]


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
