"""Catmull-Rom and Bezier bases: their weights, and the curves and surfaces that they make, against SciPy's splines.

That S, Sdot and dS are the derivatives of Q is tests/contract's.
"""

import pickle
from functools import reduce

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicHermiteSpline

import myomass as mm
from myomass.spatial.bases import BEZIER, CATMULL_ROM, NAMES, basis, cumulative_basis

pytestmark = pytest.mark.fast
STEP = 1e-30  # of complex-step derivatives
OTHERS = pytest.mark.parametrize("name", NAMES[1:])
CLOSED = pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
N = {True: 6, False: 7}  # frames of a curve: two Bezier segments, six or four Catmull-Rom ones
BOX = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1.0)


def frames(closed, seed=3):
    rng = np.random.default_rng(seed)
    return np.array([mm.se3.exp([*rng.uniform(-1, 1, 3), *rng.uniform(-2, 2, 3)]) for _ in range(N[closed])])


def scipy_curve(name, points, closed):
    """The ordinary spline with these control points on the same parameter, as a function of (q, derivative)."""
    n = len(points)
    if name == "bezier":
        ends = np.arange(0, n + 1, 3)
        control = np.array([[points[(s + k) % n] for s in ends[:-1]] for k in range(4)])
        return BPoly(control, np.arange(len(ends), dtype=float))
    around = points[np.arange(n + 3 if closed else n) % n]
    return CubicHermiteSpline(np.arange(len(around) - 2.0), around[1:-1], 0.5 * (around[2:] - around[:-2]))


# --- the weights ----------------------------------------------------------------------------------------------------


def test_weights_of_bernstein():
    for u in np.linspace(0, 1, 7):
        for derivative, weights in enumerate(basis(BEZIER, u)):
            one = [BPoly(row[:, None], [0.0, 1.0])(u, derivative) for row in np.eye(4)]
            np.testing.assert_allclose(weights, one, rtol=0, atol=5e-15)


def test_weights_of_catmull_and_rom():
    """Hermite's, with half the step between the neighbours as slopes."""
    for u in np.linspace(0, 1, 7):
        for derivative, weights in enumerate(basis(CATMULL_ROM, u)):
            one = [CubicHermiteSpline([0, 1], p[1:3], 0.5 * (p[2:] - p[:2]))(u, derivative) for p in np.eye(4)]
            np.testing.assert_allclose(weights, one, rtol=0, atol=5e-15)


@pytest.mark.parametrize("kind", [CATMULL_ROM, BEZIER])
@pytest.mark.parametrize("u", [0.0, 0.37, 1.0])
def test_slopes_of_cumulative_weights_are_their_complex_step_derivatives(kind, u):
    value, slope, curvature = (np.array(part) for part in cumulative_basis(kind, u + 1j * STEP))
    np.testing.assert_allclose(value.imag / STEP, slope.real, rtol=0, atol=2e-15)
    np.testing.assert_allclose(slope.imag / STEP, curvature.real, rtol=0, atol=4e-15)


# --- curves ---------------------------------------------------------------------------------------------------------


@OTHERS
@CLOSED
def test_a_curve_of_translations_is_the_ordinary_spline(name, closed):
    points = np.random.default_rng(2).normal(size=(N[closed], 3))
    path = mm.SplineCurve([mm.translation(*p) for p in points], closed, name)
    spline = scipy_curve(name, points, closed)
    assert path.segments == {("bezier", True): 2, ("bezier", False): 2, ("catmull-rom", True): 6}.get((name, closed), 4)
    for q in np.linspace(0, path.segments, 23)[:-1]:
        np.testing.assert_allclose(path.Q(q), mm.translation(*spline(q)), rtol=0, atol=2e-14)
        np.testing.assert_allclose(path.S(q)[:, 0], [0, 0, 0, *spline(q, 1)], rtol=0, atol=4e-14)
        np.testing.assert_allclose(path.dS(q)[0, :, 0], [0, 0, 0, *spline(q, 2)], rtol=0, atol=1e-13)


@OTHERS
@CLOSED
def test_a_pose_is_the_product_of_steps_by_their_summed_weights(name, closed):
    """Kim's formula, written out with SciPy's weights of the segment."""
    C, path = frames(closed), mm.SplineCurve(frames(closed), closed, name)
    for q in (0.3, 1.0, 1.7):
        s, u = int(q), q - int(q)
        window = [C[((3 if name == "bezier" else 1) * s + k) % len(C)] for k in range(4)]
        if name == "bezier":
            weights = [BPoly(row[:, None], [0.0, 1.0])(u) for row in np.eye(4)]
        else:
            weights = [CubicHermiteSpline([0, 1], p[1:3], 0.5 * (p[2:] - p[:2]))(u) for p in np.eye(4)]
        steps = [
            mm.se3.exp(sum(weights[k:]) * mm.se3.log(mm.se3.inverse(window[k - 1]) @ window[k])) for k in (1, 2, 3)
        ]
        np.testing.assert_allclose(path.Q(q), reduce(np.matmul, [window[0], *steps]), rtol=0, atol=1e-13)


@CLOSED
def test_a_catmull_rom_curve_goes_through_its_frames_without_a_step_of_the_twist(closed):
    path, C = mm.SplineCurve(frames(closed), closed, "catmull-rom"), frames(closed)
    for q in range(path.segments + 1):
        np.testing.assert_allclose(path.Q(q), C[(q + 1) % len(C)], rtol=0, atol=2e-14)
    for q in range(1, path.segments):
        np.testing.assert_allclose(path.S(np.nextafter(q, 0)), path.S(q), rtol=0, atol=1e-13)
    assert np.abs(path.dS(np.nextafter(2.0, 0)) - path.dS(2.0)).max() > 0.1  # so these are the joints


@CLOSED
def test_a_bezier_curve_goes_through_the_ends_of_its_segments(closed):
    path, C = mm.SplineCurve(frames(closed), closed, "bezier"), frames(closed)
    for q in range(path.segments + 1):
        before = np.nextafter(q, -1) if q else 0.0
        np.testing.assert_allclose(path.Q(before), C[3 * q % len(C)], rtol=0, atol=2e-14)
        np.testing.assert_allclose(path.Q(q), C[3 * q % len(C)], rtol=0, atol=2e-14)
    assert np.abs(path.S(np.nextafter(1.0, 0)) - path.S(1.0)).max() > 0.1  # its twist jumps, as a basis of C0 lets it


def test_a_bezier_curve_is_smooth_where_the_steps_beside_an_end_are_equal():
    C = frames(False)
    C[4] = C[3] @ mm.se3.inverse(C[2]) @ C[3]
    path = mm.SplineCurve(C, False, "bezier")
    np.testing.assert_allclose(path.S(np.nextafter(1.0, 0)), path.S(1.0), rtol=0, atol=1e-13)


@OTHERS
def test_a_motion_along_a_screw_is_even(name):
    phi = np.array([0.2, -0.4, 0.5, 0.3, 0.1, -0.6])
    path = mm.SplineCurve([mm.se3.exp(k * phi) for k in range(7)], closed=False, basis=name)
    pace, start = (3, 0) if name == "bezier" else (1, 1)
    for q in (-0.5, 0.0, 0.7, 1.0, 1.9, 2.2):
        np.testing.assert_allclose(path.Q(q), mm.se3.exp((pace * q + start) * phi), rtol=0, atol=2e-14)
        np.testing.assert_allclose(path.S(q)[:, 0], pace * phi, rtol=0, atol=4e-14)


@OTHERS
@pytest.mark.parametrize("turns", [-2, 1, 3])
def test_a_closed_curve_repeats(name, turns):
    path = mm.SplineCurve(frames(True), True, name)
    for q in (-0.3, 0.0, 1.5):
        np.testing.assert_allclose(path.Q(q + turns * path.segments), path.Q(q), rtol=0, atol=2e-14)
        np.testing.assert_allclose(path.S(q + turns * path.segments), path.S(q), rtol=0, atol=1e-13)


@OTHERS
@CLOSED
def test_coordinates_are_found_from_a_pose(name, closed):
    path = mm.SplineCurve(frames(closed), closed, name)
    for q in (0.3, 1.4, path.segments - 0.2):
        np.testing.assert_allclose(path.Q(path.locate(path.Q([q]))), path.Q([q]), rtol=0, atol=1e-9)


# --- surfaces -------------------------------------------------------------------------------------------------------


@OTHERS
def test_positions_of_a_surface_are_the_ordinary_tensor_product(name):
    rng, shape = np.random.default_rng(4), (7, 10)
    control = np.zeros((6, *shape))
    control[:3] = rng.normal(size=(3, *shape))
    surface = mm.SplineSurface(control, name)
    rows, columns = surface.patches
    assert (rows, columns) == ((2, 3) if name == "bezier" else (4, 7))
    for q1, q2 in rng.uniform(0, 1, (9, 2)) * (columns, rows):
        along = [scipy_curve(name, row, False)(q1) for row in np.moveaxis(control[:3], 0, 2)]  # of each row, (7, 3)
        np.testing.assert_allclose(
            surface.Q([q1, q2]), mm.translation(*scipy_curve(name, np.array(along), False)(q2)), rtol=0, atol=2e-14
        )


# --- models, files and what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [True, False])
@OTHERS
def test_bodies_on_curves_and_surfaces_move_and_are_saved(name, closed, tmp_path):
    """A bead on a curve keeps its energy, where the curve is smooth; a file and a pickle go on as it did."""
    spec, control = mm.Spec("beads"), 0.3 * np.random.default_rng(1).normal(size=(6, 4, 7))
    curve = mm.SplineCurve(frames(closed), closed, name)
    spec.add_body("bead", None, curve, inertia=BOX)
    spec.add_body("skate", "bead", mm.Inverse(mm.SplineSurface(control, name)), inertia=BOX)
    model = spec.compile()
    start = {"q": [0.4, 0.3, 0.5], "qdot": [0.5, 0.2, 0.1], "integrator": "rk4", "h": 1e-3}
    run = mm.simulate(model, **start, duration=0.1)
    assert (np.floor(run.q) == np.floor(run.q[0])).all()
    assert run.energy_drift < 1e-7
    for again in (mm.Trajectory.load(run.save(tmp_path / "run.npz")).model, pickle.loads(pickle.dumps(spec)).compile()):
        np.testing.assert_array_equal(mm.simulate(again, **start, duration=0.1).q, run.q)


def test_splines_saved_before_there_were_other_bases_are_b_splines():
    """Joints pickled without a basis, and packed numbers without the mark of one."""
    curve, control = mm.SplineCurve(frames(True)), np.random.default_rng(1).normal(size=(6, 4, 5))
    assert curve.parameters()[:2].tolist() == [6, 1]
    assert mm.SplineSurface(control).parameters()[:2].tolist() == [4, 5]
    for joint, q in ((curve, [0.3]), (mm.SplineSurface(control), [0.3, 0.4])):
        expected = joint.Q(q)
        del joint.basis
        again = pickle.loads(pickle.dumps(joint))
        assert again.basis == "b-spline"
        np.testing.assert_array_equal(again.Q(q), expected)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: mm.SplineCurve(frames(True), basis="cubic"), "'b-spline', 'catmull-rom', 'bezier', not 'cubic'"),
        (lambda: mm.SplineSurface(np.zeros((6, 4, 4)), None), "SplineSurface: the basis is one of .* not None"),
        (lambda: mm.SplineCurve(frames(False), True, "bezier"), "closed curve of m Bezier segments has 3 m frames.* 7"),
        (lambda: mm.SplineCurve(frames(True), False, "bezier"), r"an open curve of m Bezier .* 3 m \+ 1 frames.* 6"),
        (lambda: mm.SplineCurve(frames(True)[:2], True, "bezier"), "a closed curve needs at least 3 frames, and has 2"),
        (lambda: mm.SplineSurface(np.zeros((6, 4, 6)), "bezier"), r"Bezier patches have 3 m \+ 1 rows and columns"),
    ],
)
def test_what_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
