"""Factors from distances between markers, markers put where they were measured, and what is told of bad trials."""

from dataclasses import dataclass

import numpy as np
import pytest

import myomass as mm
from myomass.algorithms.kinematics import marker_places
from myomass.analyses import Measurement, measured_factors, place_markers, scale

pytestmark = pytest.mark.fast
LONG = mm.Inertia.cuboid((0.1, 0.5, 0.1), mass=1.0)


@dataclass
class Recorded:
    t: np.ndarray
    names: tuple
    places: np.ndarray


def arm_spec():
    spec = mm.Spec("arm")
    spec.add_body("upper", None, mm.Revolute(), None, mm.translation(0, -0.25, 0), LONG, coordinates=["shoulder"])
    below = mm.translation(0, -0.5, 0)
    spec.add_body("lower", "upper", mm.Revolute(), below, mm.translation(0, -0.25, 0), LONG, coordinates=["elbow"])
    for body in spec.bodies:
        spec.add_marker(f"{body}_high", body, (0.03, 0.2, 0.0))
        spec.add_marker(f"{body}_low", body, (0.03, -0.2, 0.0))
        spec.add_marker(f"{body}_side", body, (0.0, -0.2, 0.1))
    return spec


LENGTHS = [
    Measurement("upper", [("upper_high", "upper_low")], {"upper": "y"}),
    Measurement("lower", [("lower_high", "lower_low"), ("lower_high", "lower_side")], {"lower": "XZ", "upper": "z"}),
]


def trial(spec, q, rows=5, noise=0.0):
    model = spec.compile()
    places = np.array([marker_places(model, np.array(q))] * rows)
    places += noise * np.random.default_rng(0).normal(size=places.shape)
    return Recorded(np.arange(rows) * 0.1, tuple(model.markers), places)


class TestFactors:
    def test_they_are_measured_lengths_over_those_of_the_model(self):
        person = scale(arm_spec(), {"upper": (1.0, 1.25, 1.0), "lower": 1.1}).spec
        found = measured_factors(arm_spec(), trial(person, (0.3, 0.7)), LENGTHS)
        assert found.ratios == pytest.approx({"upper": 1.25, "lower": 1.1}, rel=1e-12)
        assert np.allclose(found.factors["upper"], (1.0, 1.25, 1.1), rtol=1e-12) and np.allclose(
            found.factors["lower"], (1.1, 1, 1.1), rtol=1e-12
        )
        assert found.lengths["upper_high", "upper_low"] == pytest.approx((0.4, 0.5), rel=1e-12)

    def test_frames_and_missing_markers(self):
        recording = trial(arm_spec(), (0.0, 0.0))
        upper = recording.names.index("upper_low")
        recording.places[3, upper, 1] -= 0.2  # later than the window
        recording.places[1, upper] = np.nan
        recording.places[2, upper, 1] -= 0.04
        found = measured_factors(arm_spec(), recording, LENGTHS[:1], end=0.25)
        assert found.ratios["upper"] == pytest.approx(0.42 / 0.4, rel=1e-12)

    def test_given_factors_stay_where_nothing_is_measured(self):
        given = {"upper": (2.0, 2.0, 2.0)}
        found = measured_factors(arm_spec(), trial(arm_spec(), (0.1, 0.2)), LENGTHS[:1], factors=given)
        alone = measured_factors(arm_spec(), trial(arm_spec(), (0.1, 0.2)), LENGTHS[0], factors=given)
        assert alone.ratios == found.ratios
        assert np.allclose(found.factors["upper"], (2.0, 1.0, 2.0), rtol=1e-12) and given["upper"] == (2.0, 2.0, 2.0)

    @pytest.mark.parametrize(
        ("one", "said"),
        [
            (Measurement("m", [("upper_high", "nose")], {"upper": "y"}), "'m': the model has no marker 'nose'"),
            (Measurement("m", [("upper_high", "upper_low")], {"head": "y"}), "'m': the model has no body 'head'"),
            (Measurement("m", [("upper_high", "upper_low")], {"upper": "w"}), "axes of 'upper' are some of x, y and z"),
            (Measurement("m", [], {"upper": "y"}), "pairs are a list of two markers each"),
            (Measurement("m", [("upper_high", "upper_high")], {"upper": "y"}), "are at one place"),
            (
                Measurement("m", [("upper_high", "upper_low")], ["upper"]),
                "bodies are axes by body, as .* not .'upper'.",
            ),
            ("upper", "one is 'upper'"),
        ],
    )
    def test_bad_measurements(self, one, said):
        with pytest.raises((ValueError, TypeError, KeyError), match=said):
            measured_factors(arm_spec(), trial(arm_spec(), (0.0, 0.0)), [one])

    def test_bad_trials(self):
        recording = trial(arm_spec(), (0.0, 0.0))
        recording.places *= 1000.0
        with pytest.raises(ValueError, match=r"1e\+03 times as far apart as the model's; are they in millimetres"):
            measured_factors(arm_spec(), recording, LENGTHS)
        recording.places *= 1e-6
        with pytest.raises(ValueError, match=r"0\.001 times as far apart as the model's; are they in metres\?"):
            measured_factors(arm_spec(), recording, LENGTHS)
        recording.places[:, 0] = np.nan
        with pytest.raises(ValueError, match="'upper_high' and 'upper_low' are never seen together"):
            measured_factors(arm_spec(), recording, LENGTHS)
        recording.names = ("other", *recording.names[1:])
        with pytest.raises(KeyError, match="the trial has no marker 'upper_high'"):
            measured_factors(arm_spec(), recording, LENGTHS)
        with pytest.raises(ValueError, match="no frame after 9 s"):
            measured_factors(arm_spec(), recording, LENGTHS, start=9.0)


class TestPlacing:
    def test_markers_go_where_they_were_measured(self):
        spec, recording = arm_spec(), trial(arm_spec(), (0.3, 0.7), noise=0.01)
        made = place_markers(spec, recording, start=0.05, end=0.35)
        model = made.spec.compile()
        assert np.allclose(
            marker_places(model, made.fit.q[0]), recording.places[1:4].mean(axis=0), atol=1e-14, rtol=1e-12
        )
        assert np.allclose(made.fit.q[0], (0.3, 0.7), atol=0.05) and spec.markers == arm_spec().markers
        assert 0 < max(made.moved.values()) < 0.05
        assert made.spec.coordinates["elbow"].default == 0.0

    def test_some_stay_and_the_pose_may_be_kept(self):
        spec, recording = arm_spec(), trial(arm_spec(), (0.3, 0.7), noise=0.01)
        recording.places[:, recording.names.index("lower_low")] = np.nan
        made = place_markers(spec, recording, fixed=["upper_low"], keep_pose=True, weights={"upper_low": 5.0})
        for name in ("upper_low", "lower_low"):
            assert made.spec.markers[name] == spec.markers[name] and name not in made.moved
        assert np.array_equal(made.spec.compile().q(), made.fit.q[0])
        for fixed in (["nose"], "nose"):
            with pytest.raises(KeyError, match="there is no marker 'nose' to be fixed"):
                place_markers(spec, recording, fixed=fixed)

    def test_coordinates_may_be_held(self):
        recording = trial(arm_spec(), (0.3, 0.7), noise=0.01)
        table = mm.recordings.Table([0.0], [[20.0]], ["elbow"], degrees=True)
        made = place_markers(arm_spec(), recording, coordinates=table, coordinate_weights=1e8)
        assert made.fit.q[0, 1] == pytest.approx(np.deg2rad(20.0), abs=1e-6)
