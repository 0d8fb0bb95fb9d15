"""Cubic B-splines on SE(3): the weights, and pose, twist and its slope along closed and open curves of frames.

Measured: pose, S and dS of neighbouring segments meet to 1e-14; inside the curve S and dS agree with complex-step
derivatives to 1e-15.
"""

import numpy as np
import pytest
from scipy.interpolate import BSpline

import myomass as mm
from myomass.spatial.bases import B_SPLINE, basis, cumulative_basis

pytestmark = pytest.mark.fast
STEP = 1e-30  # of complex-step derivatives
N = 6
KINDS = pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])


def frames(n=N):
    """Control frames with neighbours less than half a turn apart."""
    rng = np.random.default_rng(n)
    return np.array([mm.se3.exp([*rng.uniform(-1, 1, 3), *rng.uniform(-2, 2, 3)]) for _ in range(n)])


def curve(closed):
    return mm.SplineCurve(frames(), closed)


def points_only(n=N):
    """Control frames that do not turn, and their positions."""
    points = np.random.default_rng(n).normal(size=(n, 3))
    return np.array([mm.translation(*p) for p in points]), points


def scipy_curve(points, closed):
    """The ordinary uniform cubic B-spline with these control points on the same parameter."""
    points = np.vstack([points, points[:3]]) if closed else points
    return BSpline(np.arange(len(points) + 4) - 3.0, points, 3)


def places(closed):
    """Parameters inside segments, at their joints, and beyond the ends (which a closed curve goes round)."""
    last = N if closed else N - 3
    return [0.0, 0.3, 1.0, 1.7, last - 0.01, float(last), last + 0.4, -0.6, -2.3]


# --- the weights ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("u", np.linspace(0, 1, 7))
def test_weights_are_a_partition_of_unity(u):
    value, slope, curvature = basis(B_SPLINE, u)
    assert min(value) >= 0
    np.testing.assert_allclose((sum(value), sum(slope), sum(curvature)), (1, 0, 0), rtol=0, atol=1e-15)


def test_weights_are_scipys():
    one = BSpline.basis_element(np.arange(5.0))
    for u in np.linspace(0, 0.999, 7):
        for derivative, weights in enumerate(basis(B_SPLINE, u)):
            np.testing.assert_allclose(weights, [one(u + 3 - i, nu=derivative) for i in range(4)], rtol=0, atol=1e-15)


def test_weights_at_the_ends_of_a_segment():
    np.testing.assert_allclose(basis(B_SPLINE, 0.0)[0], np.array([1, 4, 1, 0]) / 6, rtol=0, atol=2e-16)
    np.testing.assert_allclose(basis(B_SPLINE, 1.0)[0], np.array([0, 1, 4, 1]) / 6, rtol=0, atol=2e-16)


def test_cumulative_weights_are_sums_of_weights():
    for cumulative, weights in zip(cumulative_basis(B_SPLINE, 0.37), basis(B_SPLINE, 0.37), strict=True):
        np.testing.assert_allclose(cumulative, [sum(weights[i:]) for i in (1, 2, 3)], rtol=0, atol=1e-15)


@pytest.mark.parametrize("weights", [basis, cumulative_basis])
@pytest.mark.parametrize("u", [0.0, 0.37, 1.0])
def test_slopes_of_weights_are_their_complex_step_derivatives(weights, u):
    value, slope, curvature = (np.array(part) for part in weights(B_SPLINE, u + 1j * STEP))
    np.testing.assert_allclose(value.imag / STEP, slope.real, rtol=0, atol=1e-15)
    np.testing.assert_allclose(slope.imag / STEP, curvature.real, rtol=0, atol=1e-15)


# --- curves: derivatives and smoothness -----------------------------------------------------------------------------


@KINDS
def test_S_is_the_twist_of_the_pose(closed):
    path = curve(closed)
    for q in places(closed):
        dQ = path.Q(q + 1j * STEP).imag / STEP
        twist = mm.se3.vee(mm.se3.inverse(path.Q(q)) @ dQ)
        np.testing.assert_allclose(path.S(q)[:, 0], twist, rtol=0, atol=1e-13)


@KINDS
def test_dS_is_the_derivative_of_S(closed):
    path = curve(closed)
    for q in places(closed):
        np.testing.assert_allclose(path.dS(q)[0], path.S(q + 1j * STEP).imag / STEP, rtol=1e-13, atol=1e-13)


@KINDS
def test_Sdot_is_dS_times_the_rate(closed):
    path = curve(closed)
    np.testing.assert_allclose(path.Sdot(1.3, -0.7), -0.7 * path.dS(1.3)[0], rtol=0, atol=1e-15)


@KINDS
def test_pose_twist_and_slope_go_through_the_joints_of_segments_without_a_step(closed):
    path = curve(closed)
    for joint in range(-2, N + 3) if closed else range(N - 2):
        before, after = np.nextafter(joint, -np.inf), float(joint)
        np.testing.assert_allclose(path.Q(before), path.Q(after), rtol=0, atol=2e-14)
        np.testing.assert_allclose(path.S(before), path.S(after), rtol=0, atol=2e-14)
        np.testing.assert_allclose(path.dS(before), path.dS(after), rtol=0, atol=4e-14)


def test_the_third_derivative_does_step():
    """So the joints tested above are the joints."""
    path = curve(True)
    thirds = [path.dS(q + 1j * STEP).imag / STEP for q in (np.nextafter(2, 0), 2.0)]
    assert np.abs(np.subtract(*thirds)).max() > 0.1


@KINDS
def test_poses_stay_poses(closed):
    path = curve(closed)
    for q in places(closed):
        R = path.Q(q)[:3, :3]
        np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-14)


# --- curves: what they are ------------------------------------------------------------------------------------------


@KINDS
def test_a_curve_of_translations_is_the_ordinary_cubic_spline(closed):
    controls, points = points_only()
    path, spline = mm.SplineCurve(controls, closed), scipy_curve(points, closed)
    for q in np.linspace(0, N if closed else N - 3, 23):
        np.testing.assert_allclose(path.Q(q), mm.translation(*spline(q)), rtol=0, atol=1e-14)
        np.testing.assert_allclose(path.S(q)[:, 0], [0, 0, 0, *spline(q, nu=1)], rtol=0, atol=1e-14)
        np.testing.assert_allclose(path.dS(q)[0, :, 0], [0, 0, 0, *spline(q, nu=2)], rtol=0, atol=1e-14)


@pytest.mark.parametrize("q", [-1.5, -0.001, N - 3 + 0.001, N - 1.5])
def test_an_open_curve_goes_on_as_its_end_polynomials(q):
    controls, points = points_only()
    path, spline = mm.SplineCurve(controls, closed=False), scipy_curve(points, closed=False)
    np.testing.assert_allclose(path.Q(q)[:3, 3], spline(q, extrapolate=True), rtol=0, atol=1e-13)
    np.testing.assert_allclose(path.S(q)[3:, 0], spline(q, nu=1, extrapolate=True), rtol=0, atol=1e-13)


@pytest.mark.parametrize("q", [-7.2, -0.3, 0.0, 1.5, 5.999])
@pytest.mark.parametrize("turns", [-2, -1, 1, 3])
def test_a_closed_curve_repeats(q, turns):
    path = curve(True)
    np.testing.assert_allclose(path.Q(q + turns * N), path.Q(q), rtol=0, atol=2e-14)
    np.testing.assert_allclose(path.S(q + turns * N), path.S(q), rtol=0, atol=4e-14)
    np.testing.assert_allclose(path.dS(q + turns * N), path.dS(q), rtol=0, atol=1e-13)


def test_a_closed_curve_starts_at_any_frame():
    path, rolled = curve(True), mm.SplineCurve(np.roll(frames(), -2, axis=0))
    for q in places(True):
        np.testing.assert_allclose(rolled.Q(q), path.Q(q + 2), rtol=0, atol=1e-14)


def test_an_open_curve_is_part_of_the_closed_one():
    for q in np.linspace(0, N - 3.001, 9):
        np.testing.assert_array_equal(curve(False).Q(q), curve(True).Q(q))


@KINDS
def test_moving_all_frames_moves_the_curve(closed):
    E = mm.se3.exp([0.3, -0.8, 0.5, 1, 2, 3])
    path, moved = curve(closed), mm.SplineCurve(E @ frames(), closed)
    for q in places(closed):
        np.testing.assert_allclose(moved.Q(q), E @ path.Q(q), rtol=0, atol=1e-13)
        np.testing.assert_allclose(moved.S(q), path.S(q), rtol=0, atol=1e-14 * np.abs(path.S(q)).max())


def test_even_quarter_turns_make_an_even_turn():
    """Four frames round z: the curve turns at a constant rate, and through the wrap."""
    path = mm.SplineCurve([mm.rotation((0, 0, 1), k * np.pi / 2) for k in range(4)])
    for q in (-1.3, 0.0, 0.6, 2.9, 3.5, 4.0, 11.1):
        np.testing.assert_allclose(path.Q(q), mm.rotation((0, 0, 1), (q + 1) * np.pi / 2), rtol=0, atol=2e-14)
        np.testing.assert_allclose(path.S(q)[:, 0], (0, 0, np.pi / 2, 0, 0, 0), rtol=0, atol=1e-14)


def test_a_motion_along_a_screw_is_even():
    phi = np.array([0.2, -0.4, 0.5, 0.3, 0.1, -0.6])
    path = mm.SplineCurve([mm.se3.exp(k * phi) for k in range(6)], closed=False)
    for q in (-0.5, 0.0, 1.4, 2.0, 3.0, 3.7):
        np.testing.assert_allclose(path.Q(q), mm.se3.exp((q + 1) * phi), rtol=0, atol=1e-14)
        np.testing.assert_allclose(path.S(q)[:, 0], phi, rtol=0, atol=1e-14)
        np.testing.assert_allclose(path.dS(q), 0, rtol=0, atol=1e-14)


@pytest.mark.parametrize(("n", "closed"), [(2, True), (3, True), (4, False)])
def test_the_shortest_curves_are_smooth(n, closed):
    path = mm.SplineCurve(frames(n), closed)
    for q in (0.0, 0.4, 1.0, 1.8, -0.7):
        twist = mm.se3.vee(mm.se3.inverse(path.Q(q)) @ path.Q(q + 1j * STEP).imag) / STEP
        np.testing.assert_allclose(path.S(q)[:, 0], twist, rtol=0, atol=1e-13)
        np.testing.assert_allclose(path.S(np.nextafter(q, -9)), path.S(q), rtol=0, atol=1e-13)
