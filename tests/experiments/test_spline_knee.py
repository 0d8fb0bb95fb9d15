"""The spline knee with Hill-type muscles, by the command line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from myomass.cli import app
from myomass.scenes.knee import BENT, contact, table
from myomass_experiments import spline_knee


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The numbers of the experiment; its pictures are there."""
    folder = tmp_path_factory.mktemp("spline-knee")
    answer = CliRunner().invoke(app, ["reproduce", "spline-knee", "--out", str(folder)])
    assert answer.exit_code == 0, answer.output
    for name in ("motion", "gap"):
        assert (folder / f"spline-knee-{name}.png").stat().st_size > 30_000
    return json.loads((folder / "spline-knee.json").read_text())


def test_the_joint_follows_the_published_motion(found):
    assert found["joint"]["largest_residual_at_entries_mm"] < 0.1
    assert found["joint"]["rms_residual_mm"] < found["joint"]["largest_residual_mm"] < 0.1


def test_the_hinge_opens_and_the_spline_does_not(found):
    gap = found["gap"]
    assert -0.3 < gap["spline"]["least_gap_mm"] < gap["spline"]["largest_gap_mm"] < 0.3
    assert gap["revolute"]["largest_gap_mm"] == gap["revolute"]["gap_mm"][-1] > 10
    for one in gap["largest_gap_by_slope_of_the_plateau_mm"].values():
        assert one["revolute"] > 25 * one["spline"]


def test_the_hinge_has_a_longer_moment_arm_behind(found):
    """Of the semimembranosus; its fibres shorten further, and give less work."""
    hinge, spline = (found["runs"][knee] for knee in ("revolute", "spline"))
    for key in ("moment_arms_at_90_degrees_mm", "work_of_the_muscles_J", "shortest_fibre_of_best"):
        first, second = hinge[key]["semimembranosus"], spline[key]["semimembranosus"]
        assert first > 1.3 * second if key.startswith("moment") else first < second


def test_the_leg_extends_flexes_and_holds_its_foot(found):
    for run in found["runs"].values():
        assert run["least_flexion_degree"] < 15 < 80 < run["largest_flexion_degree"]
        assert run["at_s"] < run["then_at_s"]
        assert run["largest_ankle_error_degree"] < 3
        assert max(run["bdf2_differs_at_the_end_degree"]) < 0.01
        works = run["work_of_the_muscles_J"]
        assert works["rectus femoris"] > works["semimembranosus"] > 0 > works["gastrocnemius medial"]


@pytest.mark.parametrize("degrees", [0.0, 45.0, 100.0])
def test_closest_points_lie_a_gap_apart(degrees):
    """And the one is on the plateau's line, seen from the tibia."""
    shapes, flexion = contact(), np.deg2rad(degrees)
    for knee in spline_knee.KNEES:
        place = spline_knee.place_of(knee, flexion)
        on_condyle, on_plateau = spline_knee.closest(shapes, flexion, place)
        assert np.linalg.norm(on_condyle - on_plateau) == pytest.approx(abs(shapes.gap(flexion, place)), abs=1e-15)
        turn = np.array([[np.cos(flexion), -np.sin(flexion)], [np.sin(flexion), np.cos(flexion)]])
        x, y = turn @ (on_plateau - place)
        assert y == pytest.approx(shapes.height + np.tan(shapes.slope) * x, abs=1e-15)


def test_both_knees_are_one_where_the_leg_is_straight():
    apart = spline_knee.place_of("spline", 0.0) - spline_knee.place_of("revolute", 0.0)
    assert np.abs(apart).max() < 1e-4
    assert np.linalg.norm(spline_knee.place_of("spline", BENT) - table(BENT)) < 1e-4
