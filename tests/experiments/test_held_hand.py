"""The hand held by its fingertips, by the command line: what it takes, in reduced coordinates and by rows."""

import json

import pytest
from typer.testing import CliRunner

from myomass.cli import app
from myomass.scenes.hand import FINGERS


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The numbers of the experiment; its pictures are there."""
    folder = tmp_path_factory.mktemp("hand")
    answer = CliRunner().invoke(app, ["reproduce", "hand", "--out", str(folder)])
    assert answer.exit_code == 0, answer.output
    for name in ("motion", "forces"):
        assert (folder / f"hand-{name}.png").stat().st_size > 30_000
    return json.loads((folder / "hand.json").read_text())


def test_both_hands_need_the_same(found):
    assert found["coordinates"] == {"reduced": 15, "rows": 19}
    assert found["rows"] == {"reduced": 13, "rows": 17}
    apart = found["relative_difference_of_reduced_coordinates_and_rows"]
    assert max(apart["in_the_same_states"].values()) < 1e-9
    assert max(apart["along_runs_of_their_own"].values()) < 1e-9
    assert found["poses_differ_by_m"] < 1e-10


def test_the_hand_follows_and_the_fingers_are_loaded(found):
    moved = found["range_of_motion_degree"]
    assert moved["elbow"] == pytest.approx(6.8755, abs=1e-3)
    assert moved["wrist_flexion"] > 15
    assert all(moved[f"{name}_PIP"] > 10 for name in FINGERS)
    assert found["largest_miss_of_a_row_m_or_rad"] < 1e-12
    assert found["elbow_torque_N_m"]["largest"] > 2 * found["elbow_torque_N_m"]["least"] > 0
    sizes = [finger["largest_force_N"] for finger in found["fingers"].values()]
    assert min(sizes) > 1
    assert max(sizes) == sizes[-1]
