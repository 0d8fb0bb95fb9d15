"""Inverse kinematics: recovery of motions, optima of SciPy, rows and ranges, missing markers, and what is told."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from opensim_reference import reference
from scipy.optimize import least_squares

import myomass as mm
from myomass._jit import kernel
from myomass.algorithms.kinematics import marker_places, move_all
from myomass.analyses import inverse_kinematics
from myomass.analyses.inverse_kinematics import _fit
from myomass.analyses.marker_fit import fill_normal, open_fit
from myomass.constraints import DrivenJoint
from myomass.dynamics import constraint_values
from myomass.joints import SpatialTransform
from myomass.model.coordinate import Coordinate
from myomass.recordings import Markers, Table

STICK = mm.Inertia.cuboid((0.1, 0.5, 0.1), mass=1.0)


@dataclass
class Recorded:
    t: np.ndarray
    names: tuple
    places: np.ndarray


def leg_spec(**knee):
    """A free trunk with a thigh and a shank, three markers each."""
    spec = mm.Spec("leg")
    down = mm.translation(0, -0.25, 0)
    coordinates = [Coordinate(name, unit="rad") for name in ("tilt", "list", "turn")]
    coordinates += [Coordinate(name, unit="m") for name in "xyz"]
    spec.add_body("trunk", None, SpatialTransform.floating(), inertia=STICK, coordinates=coordinates)
    axes = {"thigh": "trunk", "shank": "thigh"}
    for name, parent in axes.items():
        joint = SpatialTransform.gimbal() if name == "thigh" else mm.Revolute((0, 0.1, 1))
        named = ["flexion", "adduction", "rotation"] if name == "thigh" else [Coordinate("knee", **knee)]
        hung = mm.translation(0.02, -0.25 if name == "thigh" else -0.5, 0.03)
        spec.add_body(name, parent, joint, hung, down, STICK, coordinates=named)
    for name in spec.bodies:
        for i, place in enumerate([(0.05, 0.2, 0.01), (-0.04, -0.1, 0.06), (0.03, -0.2, -0.05)]):
            spec.add_marker(f"{name}{i}", name, place)
    return spec


def motion_of(model, rows=12):
    """Smooth coordinates. (rows, ndof)"""
    t = np.linspace(0.0, 1.0, rows)
    phases = np.arange(model.ndof)
    return t, 0.4 * np.sin(2.0 * t[:, None] + phases) + 0.1 * phases * t[:, None]


def recording_of(model, t, q, noise=0.0, seed=3):
    places = np.array([marker_places(model, row) for row in q])
    places = places + noise * np.random.default_rng(seed).standard_normal(places.shape)
    return Recorded(t, tuple(model.markers), places)


def best(model, y, q, bounds=None, weights=1.0):
    """The optimum of SciPy from q, with Jacobians by complex step."""
    seen = np.isfinite(y)
    factor = np.sqrt(np.broadcast_to(weights, len(y)))[:, None] * np.ones(3)

    def residual(x):
        return ((marker_places(model, x) - y) * factor)[seen]

    def jacobian(x):
        return np.column_stack([residual(x + 1e-30j * e).imag / 1e-30 for e in np.eye(len(x))])

    options = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15, "max_nfev": 400}
    if bounds is not None:
        return least_squares(residual, q, jacobian, bounds=bounds, **options)
    return least_squares(residual, q, jacobian, method="lm", **options)


@kernel(entry=True)
def normal_at(handle, q, y, reference, H, c):
    fit = open_fit(handle, q)
    move_all(fit.tree, q, fit.zeros)
    return fill_normal(q, y, reference, fit, H, c)


@pytest.mark.fast
def test_normal_equations_are_those_of_the_jacobian_by_complex_step():
    model = leg_spec().compile()
    rng = np.random.default_rng(0)
    q, weights, tracked = rng.normal(size=model.ndof), rng.uniform(0.5, 2, 9), rng.uniform(0, 1, model.ndof)
    y = marker_places(model, q) + rng.normal(size=(9, 3))
    y[4, 1] = np.nan
    reference = rng.normal(size=model.ndof)
    reference[2] = np.nan
    n = model.ndof
    fit = _fit(model, tuple(model.markers), weights, tracked, (np.full(n, -np.inf), np.full(n, np.inf)))
    H, c = np.zeros((n, n)), np.zeros(n)
    cost = normal_at(fit.handle, q, y, reference, H, c)
    rows = [marker_places(model, q + 1e-30j * e).imag / 1e-30 for e in np.eye(n)]
    kept = np.array([m != 4 for m in range(9)])
    J = np.array(rows)[:, kept].reshape(n, -1).T
    W = np.repeat(weights[kept], 3)
    r = (marker_places(model, q) - y)[kept].ravel()
    V = np.where(np.isfinite(reference), tracked, 0.0)
    off = np.where(np.isfinite(reference), q - reference, 0.0)
    assert np.allclose(H, J.T @ (W[:, None] * J) + np.diag(V), rtol=1e-13, atol=1e-14)
    assert np.allclose(c, J.T @ (W * r) + V * off, rtol=1e-12, atol=1e-13)
    assert cost == pytest.approx(W @ r**2 + V @ off**2, rel=1e-13)


class TestOptimum:
    def test_it_recovers_a_motion_without_noise(self):
        model = leg_spec().compile()
        t, q = motion_of(model)
        found = inverse_kinematics(model, recording_of(model, t, q))
        assert np.abs(found.q - q).max() < 1e-10
        assert found.rms.max() < 1e-10 and found.converged.all() and not found.undetermined

    def test_it_is_that_of_scipy_with_noise_and_weights(self):
        model = leg_spec().compile()
        t, q = motion_of(model)
        recording = recording_of(model, t, q, noise=0.02)
        weights = {"trunk0": 3.0, "shank2": 0.2, "thigh1": 0.0}
        found = inverse_kinematics(model, recording, weights=weights)
        own = [weights.get(name, 1.0) for name in recording.names]
        for row in range(len(t)):
            other = best(model, recording.places[row], q[row], weights=own)
            assert np.abs(found.q[row] - other.x).max() < 1e-8
            assert found.cost[row] <= 2 * other.cost * (1 + 1e-12)
        assert np.allclose(
            found.residuals[3],
            np.linalg.norm(marker_places(model, found.q[3]) - recording.places[3], axis=1),
            rtol=1e-12,
        )

    @pytest.mark.parametrize("turned", [(3.0, 0.0, 0.0), (0.0, 0.0, 2.5), (1.5, 1.2, -2.0)])
    def test_the_first_frame_may_be_far_from_the_defaults(self, turned):
        model = leg_spec().compile()
        q = model.q(tilt=turned[0], list=turned[1], turn=turned[2], x=5.0, y=-3.0, knee=1.2, flexion=0.5)
        recording = recording_of(model, np.zeros(1), q[None])
        found = inverse_kinematics(model, recording)
        assert found.rms[0] < 1e-9

    def test_start_pose_and_part_of_a_recording(self):
        model = leg_spec().compile()
        t, q = motion_of(model)
        found = inverse_kinematics(model, recording_of(model, t, q), start=0.25, end=0.75, q0=q[3])
        kept = (t >= 0.25) & (t <= 0.75)
        assert np.array_equal(found.t, t[kept]) and np.abs(found.q - q[kept]).max() < 1e-10


class TestRanges:
    def test_clamped_coordinates_stop_at_their_bounds(self):
        model = leg_spec(range=(-0.1, 0.15), clamped=True).compile()
        t, q = motion_of(model)
        recording = recording_of(model, t, q, noise=0.01)
        found = inverse_kinematics(model, recording)
        knee = model.coordinate("knee")
        low, high = np.full(model.ndof, -np.inf), np.full(model.ndof, np.inf)
        low[knee], high[knee] = -0.1, 0.15
        sides = set()
        for row in range(len(t)):
            begin = np.clip(q[row], low + 1e-3, high - 1e-3)
            other = best(model, recording.places[row], begin, bounds=(low, high))
            at_bound = found.q[row, knee] in (-0.1, 0.15)
            sides.add(found.q[row, knee] if at_bound else None)
            assert np.abs(found.q[row] - other.x).max() < (1e-5 if at_bound else 1e-7)  # SciPy stays inside
            assert found.cost[row] <= 2 * other.cost * (1 + 1e-9)
        assert {0.15, None} <= sides
        assert (found.q[:, knee] >= -0.1).all() and (found.q[:, knee] <= 0.15).all()

    def test_ranges_bind_as_asked(self):
        model = leg_spec(range=(-0.1, 0.1)).compile()
        q = model.q(knee=0.6)
        recording = recording_of(model, np.zeros(1), q[None])
        knee = model.coordinate("knee")
        assert inverse_kinematics(model, recording).q[0, knee] == pytest.approx(0.6, abs=1e-9)
        assert inverse_kinematics(model, recording, ranges="all").q[0, knee] == 0.1
        with pytest.raises(ValueError, match="ranges is one of"):
            inverse_kinematics(model, recording, ranges="some")


class TestRows:
    def test_a_coupling_holds_and_is_eliminated(self):
        spec = leg_spec()
        spec.add_constraint(mm.Coupling("thigh", "shank", (0.2, 0.7, -0.3), components=(0, 0)))
        model = spec.compile()
        free = leg_spec().compile()
        t, q = motion_of(model)
        recording = recording_of(free, t, q, noise=0.01)
        found = inverse_kinematics(model, recording, accuracy=1e-11)
        lead, follow = model.coordinate("flexion"), model.coordinate("knee")
        x = found.q[:, lead]
        assert np.abs(found.q[:, follow] - (0.2 + 0.7 * x - 0.3 * x * x)).max() < 1e-13
        others = [k for k in range(model.ndof) if k != follow]

        def whole(y):
            return np.insert(y, follow, 0.2 + 0.7 * y[lead] - 0.3 * y[lead] ** 2)

        for row in range(0, len(t), 3):
            target = recording.places[row]
            fun = lambda y, target=target: (marker_places(free, whole(y)) - target).ravel()  # noqa: E731
            jac = lambda y, fun=fun: np.column_stack([fun(y + 1e-30j * e).imag / 1e-30 for e in np.eye(len(y))])  # noqa: E731
            x = least_squares(fun, q[row, others], jac, ftol=None, xtol=1e-15, gtol=1e-14).x
            for _ in range(30):  # where the cost no longer changes, its gradient still does
                x -= np.linalg.lstsq(jac(x), fun(x), rcond=None)[0]
            assert np.abs(found.q[row] - whole(x)).max() < 1e-8

    def test_locked_and_prescribed_coordinates_keep_their_values(self):
        spec = leg_spec(range=(0.5, 0.6), clamped=True)  # its lock is outside of its range, and wins
        spec.add_constraint(DrivenJoint("shank", position=0.3))
        spec.add_constraint(DrivenJoint("thigh", position=mm.Motion.line(0.8, 0.1), component=1))
        model = spec.compile()
        t, q = motion_of(model)
        found = inverse_kinematics(model, recording_of(leg_spec().compile(), t, q, noise=0.01))
        assert (found.q[:, model.coordinate("knee")] == 0.3).all()
        assert np.abs(found.q[:, model.coordinate("adduction")] - (0.1 + 0.8 * t)).max() < 1e-15
        assert found.converged.all()

    def test_a_closed_loop_stays_closed(self):
        spec = leg_spec()
        spec.add_constraint(mm.Loop(("shank", (0.0, -0.25, 0.0)), (None, (0.1, -1.0, 0.05)), "ball"))
        model = spec.compile(massless=True)
        t, q = motion_of(model, rows=6)
        found = inverse_kinematics(model, recording_of(leg_spec().compile(), t, 0.3 * q, noise=0.01))
        assert found.converged.all()
        assert max(np.abs(constraint_values(model, row)[0]).max() for row in found.q) < 1e-12

    def test_ranges_that_rows_cannot_meet_are_told(self):
        spec = leg_spec(range=(0.0, 0.1), clamped=True)
        spec.add_constraint(mm.Coupling("thigh", "shank", (0.5,), components=(0, 0)))
        model = spec.compile()
        t, q = motion_of(model, rows=2)
        with pytest.warns(RuntimeWarning, match="2 of 2 frames found no pose that holds the constraints"):
            found = inverse_kinematics(model, recording_of(leg_spec().compile(), t, q))
        assert not found.converged.any()


class TestMissing:
    def test_missing_markers_are_left_out_of_their_frames(self):
        model = leg_spec().compile()
        t, q = motion_of(model)
        recording = recording_of(model, t, q, noise=0.01)
        recording.places[4, 2] = np.nan
        recording.places[7, 5:7, 0] = np.nan
        found = inverse_kinematics(model, recording)
        for row in (4, 5, 7):
            y = recording.places[row].copy()
            y[np.isnan(y).any(axis=1)] = np.nan
            assert np.abs(found.q[row] - best(model, y, q[row]).x).max() < 1e-8
        assert np.isnan(found.residuals[4, 2]) and np.isfinite(found.residuals[4]).sum() == 8
        assert found.worst[7] not in (recording.names[5], recording.names[6])

    def test_a_frame_without_markers_keeps_the_pose_before_it(self):
        model = leg_spec().compile()
        t, q = motion_of(model)
        recording = recording_of(model, t, q)
        recording.places[[0, 1, 5]] = np.nan
        told = "3 of 12 frames had no marker, and keep the pose before them, or else the first one found: t = 0, "
        with pytest.warns(RuntimeWarning, match=told):
            found = inverse_kinematics(model, recording)
        assert np.array_equal(found.q[5], found.q[4]) and (found.q[:2] == found.q[2]).all()
        assert not found.converged[[0, 1, 5]].any() and found.converged.sum() == 9
        assert np.abs(found.q[2] - q[2]).max() < 1e-9 < np.abs(model.q() - q[2]).max()
        assert np.isnan(found.rms[5]) and found.worst[5] is None
        assert np.abs(found.q[6:] - q[6:]).max() < 1e-9

    def test_what_rows_hold_holds_before_the_first_marker_too(self):
        spec = leg_spec()
        free = spec.compile()
        spec.add_constraint(mm.DrivenJoint("shank", position=mm.Motion.line(0.3, 0.1)))
        t, q = motion_of(free)
        recording = recording_of(free, t, q)
        recording.places[:3] = np.nan
        with pytest.warns(RuntimeWarning, match="3 of 12 frames had no marker"):
            found = inverse_kinematics(spec.compile(), recording)
        k = free.coordinate("knee")
        np.testing.assert_allclose(found.q[:, k], 0.1 + 0.3 * t, atol=1e-12)
        np.testing.assert_array_equal(found.q[:3, :k], np.tile(found.q[3, :k], (3, 1)))

    def test_markers_without_weight_may_be_far_off(self):
        model = leg_spec().compile()
        recording = recording_of(model, *motion_of(model))
        away = recording.names[::2]
        recording.places[:, ::2] += 5.0
        with pytest.warns(UserWarning, match="the markers stay"):
            inverse_kinematics(model, recording, most_iterations=1000)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            inverse_kinematics(model, recording, weights=dict.fromkeys(away, 0.0))

    def test_markers_that_may_be_lost_at_the_origin_are_told(self):
        model = leg_spec().compile()
        recording = recording_of(model, *motion_of(model))
        recording.places[3:5, 2] = 0.0
        lost = f"at 0 0 0 in several frames: '{recording.names[2]}'; where that stands for a marker that was not seen"
        with pytest.warns(UserWarning, match=lost):
            inverse_kinematics(model, recording)

    def test_a_recording_without_any_place_is_refused(self):
        model = leg_spec().compile()
        recording = recording_of(model, *motion_of(model))
        recording.places[:] = np.nan
        with pytest.raises(ValueError, match=r"markers: none that model .* has is seen in any frame"):
            inverse_kinematics(model, recording)

    def test_after_a_gap_the_pose_may_be_another_one(self):
        model = leg_spec().compile()
        q = np.array([model.q(knee=0.3), model.q(knee=0.3), model.q(tilt=3.0, turn=-2.0, y=2.0, knee=0.8)])
        recording = recording_of(model, np.arange(3.0), q)
        recording.places[1] = np.nan
        with pytest.warns(RuntimeWarning, match="1 of 3 frames had no marker"):
            found = inverse_kinematics(model, recording)
        assert found.rms[2] < 1e-9 and np.abs(found.q[2, model.coordinate("knee")] - 0.8) < 1e-9

    def test_one_marker_moves_as_little_as_it_can(self):
        model = leg_spec().compile()
        recording = Recorded(np.zeros(1), ("trunk0",), np.array([[[1.0, 2.0, 3.0]]]))
        found = inverse_kinematics(model, recording)
        assert found.rms[0] < 1e-9
        assert np.abs(found.q[0, model.dof("thigh")]).max() == 0.0
        assert {"knee", "flexion", "rotation"} <= set(found.undetermined)

    def test_a_coordinate_that_no_marker_sees_stays_and_is_told(self):
        model = leg_spec(default=0.25).compile()
        t, q = motion_of(model)
        recording = recording_of(model, t, q, noise=0.01)
        kept = [i for i, name in enumerate(recording.names) if not name.startswith("shank")]
        recording = Recorded(t, tuple(recording.names[i] for i in kept), recording.places[:, kept])
        found = inverse_kinematics(model, recording)
        assert found.undetermined == {"knee": 12}
        assert (found.q[:, model.coordinate("knee")] == 0.25).all() and found.converged.all()


class TestTracking:
    def test_coordinates_are_drawn_to_their_values(self):
        model = leg_spec().compile()
        t, q = motion_of(model)
        recording = recording_of(model, t, q, noise=0.01)
        knee = model.coordinate("knee")
        table = Table([0.0, 1.0], np.rad2deg([[0.3], [0.5]]), ("/jointset/knee/knee/value",), degrees=True)
        near = inverse_kinematics(model, recording, coordinates=table, coordinate_weights=1e6)
        assert np.abs(near.q[:, knee] - (0.3 + 0.2 * t)).max() < 1e-6
        fixed = inverse_kinematics(model, recording, coordinates={"knee": 0.4}, coordinate_weights={"knee": 0.5})
        y, x = recording.places[2], q[2]
        fun = lambda x: np.append((marker_places(model, x) - y).ravel(), np.sqrt(0.5) * (x[knee] - 0.4))  # noqa: E731
        jac = lambda x: np.column_stack([fun(x + 1e-30j * e).imag / 1e-30 for e in np.eye(len(x))])  # noqa: E731
        other = least_squares(fun, x, jac, method="lm", xtol=1e-15, ftol=1e-15, gtol=1e-15)
        assert np.abs(fixed.q[2] - other.x).max() < 1e-8
        assert fixed.cost[2] == pytest.approx(2 * other.cost, rel=1e-10)


@pytest.mark.fast
class TestWhatIsTold:
    model = leg_spec().compile()

    def recording(self, **changes):
        t, q = motion_of(self.model, rows=2)
        made = recording_of(self.model, t, q)
        for key, value in changes.items():
            setattr(made, key, value)
        return made

    def test_result(self):
        recording = self.recording()
        recording.names = (*recording.names[:-1], "elbow")
        found = inverse_kinematics(self.model, recording, q0=self.model.q())
        assert found.unknown == ("elbow",) and len(found.markers) == 8
        table = found.table(degrees=True)
        assert table.degrees and table.names == tuple(self.model.coordinates)
        assert np.allclose(table["knee"], np.rad2deg(found.q[:, -1]), rtol=1e-12)
        assert np.allclose(table["x"], found.q[:, 3], rtol=1e-12)
        assert np.array_equal(found.table().values, found.q)
        assert repr(found).startswith("InverseKinematics(t=")

    def test_nothing_in_common(self):
        with pytest.raises(ValueError, match=r"have no marker in common; the model's markers are trunk0, .* a0, a1"):
            inverse_kinematics(self.model, self.recording(names=tuple(f"a{i}" for i in range(9))))
        many = Markers([0.0], np.zeros((1, 30, 3)), tuple(f"a{i}" for i in range(30)))
        with pytest.raises(ValueError, match=r"the recording's a0, a1, .*, a11 and 18 more$"):
            inverse_kinematics(self.model, many)

    def test_millimetres(self):
        recording = self.recording()
        recording.places = 1000 * recording.places
        with pytest.raises(ValueError, match=r"907 times as far as those of model 'leg'; are they in millimetres"):
            inverse_kinematics(self.model, recording)

    def test_another_axis_up_gets_a_warning(self):
        spec = mm.Spec("door")
        spec.add_body("door", None, mm.Revolute((0, 1, 0)), None, None, STICK)
        for k, place in enumerate([(0.0, 0.5, 0.0), (0.3, 0.5, 0.0), (0.3, -0.5, 0.0), (0.0, -0.5, 0.0)]):
            spec.add_marker(f"m{k}", "door", place)
        model = spec.compile()
        recording = recording_of(model, np.arange(3.0), np.array([[0.1], [0.2], [0.3]]))
        inverse_kinematics(model, recording)
        recording.places = recording.places @ mm.recordings.Z_UP_TO_Y_UP
        with pytest.warns(UserWarning, match="does the laboratory's z point up, and the model's y"):
            inverse_kinematics(model, recording)

    def test_markers_at_one_place(self):
        with pytest.raises(ValueError, match="all at one place; where 0 0 0 stands for a marker that was not seen"):
            inverse_kinematics(self.model, self.recording(places=np.zeros((2, 9, 3))))

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"places": np.zeros((2, 8, 3))}, r"have places of shape \(2, 9, 3\), not \(2, 8, 3\)"),
            ({"names": ("a",) * 9}, "'a' is there twice"),
            ({"t": [0.0, np.nan]}, r"markers: t \[s\] must be finite"),
        ],
    )
    def test_wrong_recordings(self, changes, said):
        with pytest.raises(ValueError, match=said):
            inverse_kinematics(self.model, self.recording(**changes))

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"weights": {"elbow": 1.0}}, "has no marker 'elbow'; known: trunk0"),
            ({"weights": {"trunk0": -1.0}}, "weight of marker 'trunk0' must not be negative"),
            ({"weights": dict.fromkeys(leg_spec().markers, 0.0)}, "has the weight 0"),
            ({"coordinates": {"elbow": 1.0}}, "no coordinate 'elbow'"),
            ({"coordinates": {"knee": 1.0}, "coordinate_weights": -1.0}, "weight of coordinate 'knee' is negative"),
            ({"coordinates": {"knee": 1.0}, "coordinate_weights": {"elbow": 1.0}}, "no coordinate 'elbow'"),
            (
                {"coordinates": {"knee": 1.0}, "coordinate_weights": {"flexion": 1.0}},
                "'flexion' has a weight and no value",
            ),
            ({"coordinate_weights": {"knee": 1.0}}, "'knee' has a weight and no value to keep close to"),
            ({"coordinates": Table([5.0, 6.0], [[1.0], [1.0]], ("knee",))}, "the table has no number at the times of"),
            ({"start": "now"}, r"markers: the start \[s\] must be a finite number, and is 'now'"),
            ({"coordinates": Table([0.0], [[1.0]], ("elbow",))}, "the table has none of model 'leg'"),
            ({"weights": [1.0] * 9}, "weights are given by marker, as {'trunk0': 2.0}"),
            ({"coordinates": "knee"}, "coordinates are a table, or values by name, not 'knee'"),
            ({"start": 5.0}, "no frame after 5 s; it goes from 0 to 1 s"),
            ({"end": -1.0}, "no frame before -1 s; it goes from 0 to 1 s"),
            ({"start": 5.0, "end": 6.0}, "no frame from 5 to 6 s; it goes from 0 to 1 s"),
            ({"q0": [1.0]}, "q0 must be finite numbers of shape"),
            ({"accuracy": 0.0}, "accuracy must be finite and positive"),
        ],
    )
    def test_wrong_options(self, options, said):
        with pytest.raises((ValueError, KeyError, TypeError), match=said):
            inverse_kinematics(self.model, self.recording(), **options)

    def test_no_frames(self):
        empty = Markers([], np.zeros((0, 1, 3)), ["trunk0"])
        with pytest.raises(ValueError, match="markers: the recording has no frames"):
            inverse_kinematics(self.model, empty)

    def test_wrong_models(self):
        with pytest.raises(TypeError, match="a model is needed"):
            inverse_kinematics(leg_spec(), self.recording())
        with pytest.raises(TypeError, match="`markers` is a recording of markers"):
            inverse_kinematics(self.model, np.zeros((2, 9, 3)))
        bare = leg_spec()
        bare.markers.clear()
        with pytest.raises(ValueError, match="has no markers; add them"):
            inverse_kinematics(bare.compile(), self.recording())

    def test_no_warning_when_all_is_well(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            inverse_kinematics(self.model, self.recording(), q0=self.model.q())


@pytest.fixture(scope="module")
def gait():
    """(model, t, q) of the recorded walk."""
    model = mm.io.read_osim(reference("gait10dof18musc/subject01.osim"), forces=False).compile(massless=True)
    text = reference("gait10dof18musc/pipeline/subject01_walk_IK.mot").read_text()
    names, *rows = text.split("endheader")[1].strip().splitlines()
    rows = np.array([row.split() for row in rows], float)
    q = np.zeros((len(rows), model.ndof))
    for name, column in zip(names.split()[1:], rows.T[1:], strict=True):
        k = model.coordinate(name)
        q[:, k] = np.deg2rad(column) if model.coordinate_units[k] == "rad" else column
    return model, rows[:, 0], q


def solved_by_opensim(path, recording, weights):
    """(coordinates by name, sum of weighted squares) of every frame, by OpenSim's solver. (rows, ...)"""
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Off")
    table, wanted = opensim.TimeSeriesTableVec3(), opensim.SetMarkerWeights()
    table.setColumnLabels(list(recording.names))
    for time, row in zip(recording.t, recording.places, strict=True):
        places = [opensim.Vec3(*(float(x) for x in place)) for place in row]
        table.appendRow(float(time), opensim.RowVectorVec3(places))
    for name in recording.names:
        wanted.cloneAndAppend(opensim.MarkerWeight(name, weights.get(name, 1.0)))
    model = opensim.Model(str(path))
    state = model.initSystem()
    markers, nothing = opensim.MarkersReference(table, wanted), opensim.SimTKArrayCoordinateReference()
    solver = opensim.InverseKinematicsSolver(model, markers, nothing, float("inf"))
    solver.setAccuracy(1e-9)
    state.setTime(float(recording.t[0]))
    solver.assemble(state)
    factor = np.array([weights.get(name, 1.0) for name in recording.names])
    coordinates, values, costs = model.getCoordinateSet(), [], []
    names = [coordinates.get(i).getName() for i in range(coordinates.getSize())]
    for time in recording.t:
        state.setTime(float(time))
        solver.track(state)
        squares = opensim.SimTKArrayDouble()
        solver.computeCurrentSquaredMarkerErrors(squares)
        values.append([coordinates.get(name).getValue(state) for name in names])
        costs.append(sum(factor[i] * squares.getElt(i) for i in range(squares.size())))
    return {name: np.array(values)[:, k] for k, name in enumerate(names)}, np.array(costs)


class TestAgainstOpenSim:
    def test_a_walk_without_noise(self, gait):
        model, t, q = gait
        found = inverse_kinematics(model, recording_of(model, t, q), accuracy=1e-12)
        assert np.abs(found.q - q).max() < 1e-10

    def test_a_walk_with_noise(self, gait):
        model, t, q = gait
        recording, weights = recording_of(model, t[::6], q[::6], noise=0.01), {"Sternum": 3.0, "R.Heel": 0.3}
        theirs, cost = solved_by_opensim(reference("gait10dof18musc/subject01.osim"), recording, weights)
        found = inverse_kinematics(model, recording, weights=weights)
        for k, name in enumerate(found.names):
            assert np.abs(found.q[:, k] - theirs[name]).max() < 1e-6
        assert (found.cost <= cost * (1 + 1e-12)).all()

    def test_a_leg_whose_patella_follows_the_knee_up_to_a_bound(self):
        path = reference("leg6dof9musc/leg6dof9musc.osim")
        spec = mm.io.read_osim(path, forces=False)
        free = mm.io.read_osim(path, forces=False)
        free.constraints.clear()
        if not spec.constraints:
            spec.add_constraint(mm.Coupling("tibia_r", "patella_r", (0.0, 1.0)), "pat_angle_r")
        model, free = spec.compile(massless=True), free.compile(massless=True)
        t = np.linspace(0.0, 1.0, 30)
        q = np.repeat(model.q()[None], 30, axis=0)
        for name, size in {"pelvis_tilt": 0.5, "hip_flexion_r": 0.8, "ankle_angle_r": 0.6, "knee_angle_r": 1.2}.items():
            q[:, model.coordinate(name)] += size * np.sin(4.0 * t + (0.0 if "knee" in name else 1.0))
        q[:, model.coordinate("knee_angle_pat_r")] = 0.9 * q[:, model.coordinate("knee_angle_r")]
        recording = recording_of(free, t, q, noise=0.005)
        theirs, cost = solved_by_opensim(path, recording, {})
        found = inverse_kinematics(model, recording)
        knee, patella = (found.names.index(f"knee_angle_{name}") for name in ("r", "pat_r"))
        assert found.converged.all() and np.abs(found.q[:, patella] - found.q[:, knee]).max() < 1e-15
        high = model.coordinate_specs[knee].range[1]
        at_bound = found.q[:, knee] == high
        assert 0 < at_bound.sum() < 30 and found.q[:, knee].max() == high
        for k, name in enumerate(found.names):
            assert np.abs(found.q[:, k] - theirs[name]).max() < 2e-6
        assert (found.cost <= cost * (1 + 1e-12)).all()
