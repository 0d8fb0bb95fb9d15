"""How far OpenSim's wrapped paths are from geodesics, asked of OpenSim itself, and what becomes of cylinders' ends."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import myomass as mm

FIXTURES = Path(__file__).parents[2] / "fixtures" / "osim"
ARM = FIXTURES / "arm26.osim"


def test_the_arm():
    pytest.importorskip("opensim")
    found = mm.io.compare_wraps(ARM, samples=6)
    assert found.names == ("TRIlong", "TRIlat", "TRImed", "BIClong", "BRA")
    known = json.loads((FIXTURES / "arm26.json").read_text())
    (start,) = (pose for pose in known["poses"] if not np.any(pose["q"]))
    model = mm.io.read_osim(ARM, forces=False).compile()
    for name, apart, length in zip(found.names, found.at_default, found.lengths, strict=True):
        theirs = start["muscle_lengths"][known["muscles"].index(name)]
        assert length == mm.muscle_lengths(model, model.q())[model.muscle(name)]
        assert apart == pytest.approx(theirs - length, abs=1e-12)
    assert found.poses.shape == (5, 2)
    assert (found.largest >= np.abs(found.at_default)).all()
    assert not found.lost.any()
    at = found.names.index("BRA")
    assert 2e-5 < found.largest[at] < 3e-5
    assert 1e-4 < found.arms[at] < 3e-4
    report = mm.io.read_osim(ARM, forces=False, compare=True).report
    unasked = mm.io.read_osim(ARM, forces=False).report
    assert unasked[:-1] == report[:-5]
    assert unasked[-1].startswith("5 paths over cylinders, ellipsoids or tori: exact geodesics here")
    assert "path 'BRA', 147.3 mm long: OpenSim's length differs from the geodesic's by 0.024 mm" in report[-1]


def test_a_model_without_surfaces():
    pytest.importorskip("opensim")
    assert mm.io.compare_wraps(FIXTURES / "tug_of_war.osim").sentences() == []


def test_a_number_of_samples_that_is_none():
    with pytest.raises(ValueError, match="samples is a whole number, 0 for the default pose alone, and is -1"):
        mm.io.compare_wraps(ARM, samples=-1)


def test_poses_in_which_opensim_has_no_length_are_told():
    one, none = np.zeros(1), np.zeros((1, 1))
    found = mm.io.PathDifferences(("m",), one, one, one, none, one + 0.2, np.array([3]))
    assert found.sentences() == [
        "path 'm', 200 mm long: OpenSim's length differs from the geodesic's by 0.000 mm at the default pose, by up to "
        "0 mm over the ranges of the coordinates; in 3 of the poses it has no length"
    ]


def test_without_opensim(monkeypatch):
    monkeypatch.setitem(sys.modules, "opensim", None)
    with pytest.raises(ImportError, match="compared with OpenSim itself: pip install opensim"):
        mm.io.compare_wraps(ARM)


@pytest.mark.parametrize(
    ("ends", "kind"), [("cut", "FiniteCylinder"), ("round", "CappedCylinder"), ("endless", "Cylinder")]
)
def test_ends_of_cylinders(ends, kind):
    """Where the path of TRIlong leaves its first cylinder it jumps, or slides over a cap, or does not leave it."""
    spec = mm.io.read_osim(ARM, forces=False, cylinder_ends=ends)
    assert type(spec.muscles["BRA"].wrap[0][0]).__name__ == kind
    model = spec.compile()
    on = [mm.muscles.muscle_paths(model, np.array([angle, 0.3]))[0].wrapped[0] > 0 for angle in (0.2, 0.8, 1.0)]
    assert on == {"cut": [False, False, True], "round": [False, True, True], "endless": [True, True, True]}[ends]


def test_wrong_ends():
    with pytest.raises(ValueError, match="cylinder_ends is one of cut, round, endless, not 'open'"):
        mm.io.read_osim(ARM, cylinder_ends="open")
