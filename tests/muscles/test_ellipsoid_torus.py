"""Geodesics of ellipsoid and torus against the sphere, shooting, taut strings, complex steps, and themselves."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from myomass._jit import DISABLED
from myomass.muscles.wrapping import ellipsoid, sphere, torus
from myomass.muscles.wrapping.base import ARC, COLUMNS, ENTRY, EXIT, LENGTH, SPAN, START, WRAPPED

SOLVED = [LENGTH, WRAPPED, *range(ARC, ARC + 8)]
HOLE = (0.0, 0.0, 0.0)


def params_of(surface):
    return np.array(surface.parameters())


def solved(surface, A, B):
    """(arcs, table) of a piece whose ends move along A and B (rows: place, velocity, acceleration)."""
    arcs, g = still(surface, A[0], B[0])
    if arcs:
        type(surface).follow(params_of(surface), 0, tuple(map(tuple, A)), tuple(map(tuple, B)), g)
    return arcs, g


def still(surface, a, b, as_written=False):
    """(arcs, table) of a piece whose ends do not move."""
    g, solve = np.zeros((3, COLUMNS), np.result_type(a, b)), type(surface).solve
    return (solve.py_func if as_written else solve)(params_of(surface), 0, tuple(a), tuple(b), g), g


def at(surface, g, xi):
    return np.array(type(surface).point(params_of(surface), 0, 0, g, tuple(np.asarray(xi, g.dtype))))


def middle(g, share=0.4):
    return ((g[0, ARC + START] + share * g[0, ARC + SPAN]) / g[0, LENGTH]).real


def poses(rng, count, make, spread=1.5):
    """(surface, A, B, g) of random pieces that touch, their ends in motion."""
    found = 0
    while found < count:
        surface = make(rng)
        A, B = spread * rng.normal(size=(2, 3, 3))
        if min(surface.gap(A[0]), surface.gap(B[0])) < 0.03:
            continue
        arcs, g = solved(surface, A, B)
        if arcs:
            found += 1
            yield surface, A, B, g


def an_ellipsoid(rng):
    return ellipsoid.Ellipsoid(None, radii=np.exp(rng.uniform(np.log(0.25), 0.0, 3)))


def a_sided_ellipsoid(rng):
    return ellipsoid.Ellipsoid(None, radii=rng.uniform(0.6, 1.0, 3), side=rng.normal(size=3))


def a_torus(rng):
    return torus.Torus(None, radius=1.0, tube=rng.uniform(0.1, 0.5))


def a_ring(rng):
    return torus.Torus(None, radius=1.0, tube=rng.uniform(0.1, 0.5), side=HOLE)


ALL = pytest.mark.parametrize("make", [an_ellipsoid, a_sided_ellipsoid, a_torus, a_ring])


@pytest.mark.fast
@pytest.mark.parametrize("sided", [False, True])
def test_equal_radii_are_a_sphere(sided):
    rng = np.random.default_rng(1)
    side = (0.4, -0.2, 0.7) if sided else None
    ball = sphere.Sphere(None, radius=0.8, side=side, hold=False)
    for surface, A, B, g in poses(rng, 6, lambda _: ellipsoid.Ellipsoid(None, radii=(0.8, 0.8, 0.8), side=side)):
        arcs, exact = solved(ball, A, B)
        assert arcs == 1
        for row in range(3):
            scale = 1.0 + np.abs(exact[row, SOLVED]).max()
            np.testing.assert_allclose(g[row, SOLVED], exact[row, SOLVED], rtol=0, atol=1e-9 * scale)
        xi = (middle(g), 0.3, -0.2)
        x, reference = at(surface, g, xi), at(ball, exact, xi)
        np.testing.assert_allclose(x, reference, rtol=0, atol=1e-9 * (1 + np.abs(reference).max()))


@pytest.mark.parametrize("sided", [False, True])
def test_equal_radii_touch_where_a_sphere_does(sided):
    rng, touched = np.random.default_rng(8), 0
    for _ in range(300):
        side, (a, b) = rng.normal(size=3) if sided else None, 1.2 * rng.normal(size=(2, 3))
        ball = sphere.Sphere(None, radius=0.8, side=side, hold=False)
        arcs, g = still(ellipsoid.Ellipsoid(None, radii=(0.8, 0.8, 0.8), side=side), a, b)
        same, exact = still(ball, a, b)
        touched += same
        if min(ball.gap(a), ball.gap(b)) > 0.01:
            assert arcs == same and g[0, LENGTH] == pytest.approx(exact[0, LENGTH], rel=1e-9)
    assert 50 < touched < 250


def normal(surface, x):
    """(f, n, dn): a function that is zero on the surface, its gradient, and that gradient's change along a vector."""
    if isinstance(surface, torus.Torus):
        rho = np.hypot(x[0], x[1])
        tip = np.array([x[0], x[1], 0.0]) / rho
        swirl = np.array([-tip[1], tip[0], 0.0])
        n = x - surface.radius * tip
        return n @ n - surface.tube**2, 2 * n, lambda v: 2 * (v - surface.radius / rho * (swirl @ v) * swirl)
    square = np.asarray(surface.radii) ** 2
    return x @ (x / square) - 1, 2 * x / square, lambda v: 2 * v / square


def shot(surface, a, b, guess):
    """Length of a path found by shooting: unknown are the place and direction where it touches, and how far it goes."""

    def slope(_, y):
        _, n, dn = normal(surface, y[:3])
        return np.r_[y[3:], -(y[3:] @ dn(y[3:])) / (n @ n) * n]

    def residual(y):
        end = solve_ivp(slope, (0, y[6]), y[:6], method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
        first, last = y[:3] - a, b - end[:3]
        ends = [first / np.linalg.norm(first) - y[3:6], last / np.linalg.norm(last) - end[3:]]
        return np.r_[normal(surface, y[:3])[0], y[3:6] @ y[3:6] - 1, *ends]

    y = least_squares(residual, guess, xtol=1e-14, ftol=1e-14, gtol=1e-14).x
    end = solve_ivp(slope, (0, y[6]), y[:6], method="DOP853", rtol=1e-11, atol=1e-12).y[:3, -1]
    assert np.abs(residual(y)).max() < 1e-9
    return np.linalg.norm(y[:3] - a) + y[6] + np.linalg.norm(end - b)


@pytest.mark.parametrize("make", [an_ellipsoid, a_torus])
def test_length_is_that_of_a_shooting_method(make):
    rng = np.random.default_rng(2)
    for surface, A, B, g in poses(rng, 12, make):
        P, Q = g[0, ARC + ENTRY : ARC + ENTRY + 3], g[0, ARC + EXIT : ARC + EXIT + 3]
        t = (P - A[0]) / np.linalg.norm(P - A[0])
        near = np.r_[P, t, g[0, ARC + SPAN]] * (1 + 0.02 * rng.normal(size=7))
        assert abs(shot(surface, A[0], B[0], near) - g[0, LENGTH]) < 1e-9
        for share in (0.0, 0.3, 0.7, 1.0):
            assert abs(surface.gap(at(surface, g, (middle(g, share), 0.0, 0.0))[0])) < 1e-10
        for from_, to in ((A[0], P), (Q, B[0])):  # of a torus only the near side
            inside = min(surface.gap(from_ + (to - from_) * s) for s in np.linspace(0, 1, 50))
            assert inside > -1e-9 or make is a_torus


def test_no_taut_rope_is_shorter():
    """With no side, no string in any plane through both ends is shorter than the path."""
    rng = np.random.default_rng(5)
    for surface, A, B, g in poses(rng, 15, an_ellipsoid):
        radii = np.asarray(surface.radii)
        line = B[0] - A[0]
        for angle in np.linspace(0, 2 * np.pi, 12, endpoint=False):
            d = Rotation.from_rotvec(angle * line / np.linalg.norm(line)).apply(np.cross(line, [0.3, 0.5, 0.8]))
            flat = np.linspace(0, 1, 600)[:, None] * line + A[0]
            x, v = flat / radii, d / radii  # raised along d until outside
            half, rest = x @ v / (v @ v), ((x * x).sum(1) - 1) / (v @ v)
            rise = -half + np.sqrt(np.maximum(half**2 - rest, 0))
            height = np.where(half**2 > rest, np.maximum(rise, 0), 0) * np.linalg.norm(d)
            along = np.linspace(0, np.linalg.norm(line), 600)
            hull = upper_hull(along, height)
            assert g[0, LENGTH] < np.hypot(*np.diff(hull, axis=0).T).sum() + 1e-4


def turns_left(a, b, c):
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) >= 0


def upper_hull(x, y):
    """Corners of the taut string over points that are sorted by x."""
    hull = []
    for point in zip(x, y, strict=True):
        while len(hull) > 1 and turns_left(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return np.array(hull)


@ALL
def test_derivatives_are_those_of_a_complex_step(make):
    rng, e = np.random.default_rng(3), 1e-20
    for surface, A, B, g in poses(rng, 5, make):
        A_c, B_c = (np.array([X[0] + 1j * e * X[1], X[1] + 1j * e * X[2], X[2]]) for X in (A, B))
        _, G = solved(surface, A_c, B_c)
        for row in range(2):
            scale = 1.0 + np.abs(g[: row + 2, SOLVED]).max()
            slope = G[row, SOLVED].imag / e
            np.testing.assert_allclose(slope, g[row + 1, SOLVED], rtol=0, atol=1e-9 * scale)
        for share in (0.02, 0.4, 0.9):
            xi = middle(g, share)
            x, x_c = at(surface, g, (xi, 0.3, -0.2)), at(surface, G, (xi + 0.3j * e, 0.3 - 0.2j * e, -0.2))
            scale = 1.0 + np.abs(x).max()
            np.testing.assert_allclose(x_c[:2].imag / e, x[1:], rtol=0, atol=1e-9 * scale)


@ALL
def test_length_changes_with_the_tangents(make):
    """... and the path lies on the surface where it should, its points at even distances."""
    rng = np.random.default_rng(4)
    for surface, A, B, g in poses(rng, 5, make):
        P, Q = g[0, ARC + ENTRY : ARC + ENTRY + 3], g[0, ARC + EXIT : ARC + EXIT + 3]
        t_a, t_b = (v / np.linalg.norm(v) for v in (P - A[0], B[0] - Q))
        assert abs(g[1, LENGTH] - (t_b @ B[1] - t_a @ A[1])) < 1e-12 * (1 + abs(g[1, LENGTH]))
        for share, end in ((0.0, P), (1.0, Q)):
            np.testing.assert_allclose(at(surface, g, (middle(g, share), 0.0, 0.0))[0], end, rtol=0, atol=1e-10)
        for share, t in ((1e-9, t_a), (1 - 1e-9, t_b)):
            along = at(surface, g, (middle(g, share), 1.0, 0.0))[1] - at(surface, g, (middle(g, share), 0.0, 0.0))[1]
            np.testing.assert_allclose(along / g[0, LENGTH], t, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("surface", "b", "edge"),
    [
        (ellipsoid.Ellipsoid(None, radii=(1.0, 0.5, 0.7)), (2.0, 0.0, 0.3), 1.0),
        (torus.Torus(None, radius=1.0, tube=0.3, side=HOLE), (0.2, -0.1, -2.0), -1.0),
    ],
)
def test_touching_down_is_smooth(surface, b, edge):
    """Lowering one end until the line touches: length and its gradient go on without a jump."""

    def piece(z):
        a = np.array([-2.0, 0.1, z]) if edge > 0 else np.array([z, 0.3, 2.0])
        A, B = np.array([a, [0.3, 0.2, -0.5], np.zeros(3)]), np.array([b, [-0.1, 0.4, 0.2], np.zeros(3)])
        arcs, g = solved(surface, A, B)
        if arcs:
            return True, g[0, LENGTH], g[1, LENGTH], g[0, ARC + SPAN]
        d = B - A
        length = np.linalg.norm(d[0])
        return False, length, d[0] @ d[1] / length, 0.0

    free, held = (3.0, 0.3) if edge > 0 else (0.0, 1.6)
    assert not piece(free)[0]
    assert piece(held)[0]
    for _ in range(40):
        half = 0.5 * (free + held)
        free, held = (free, half) if piece(half)[0] else (half, held)
    away, down = piece(free), piece(held)
    assert abs(away[1] - down[1]) < 1e-9
    assert abs(away[2] - down[2]) < 1e-4
    assert down[3] < 1e-4


@pytest.mark.parametrize(("end", "length"), [((0.1535, -0.035, 0.005), 0.27624), ((0.0399, -0.0746, -0.0284), 0.1923)])
def test_of_several_geodesics_it_takes_one_through_the_hole(end, length):
    """Newton's method may find others first. OpenSim's approximate lengths are these."""
    surface, start = torus.Torus(None, radius=0.05, tube=0.02, side=HOLE), (-0.1004, 0.0408, 0.0315)
    arcs, g = still(surface, np.array(start), np.array(end))
    assert arcs == 1
    assert g[0, LENGTH] == pytest.approx(length, abs=4e-4)
    middle = 0.5 * (g[0, ARC + ENTRY : ARC + ENTRY + 3] + g[0, ARC + EXIT : ARC + EXIT + 3])
    assert np.hypot(*middle[:2]) < surface.radius


def test_a_side_holds_the_path_in_the_hole():
    surface = torus.Torus(None, radius=1.0, tube=0.2, side=HOLE)
    arcs, g = solved(surface, np.diag([2.0, 0, 0]) + [0, 0, 0.5], np.diag([2.0, 0, 0]) - [0, 0, 0.5])
    assert arcs == 1
    x = at(surface, g, (0.5, 0.0, 0.0))[0]
    assert np.hypot(x[0], x[1]) < 1.0
    outside = torus.Torus(None, radius=1.0, tube=0.2, side=(3.0, 0.0, 0.0))
    A, B = np.array([[1.1, 0, 1], [0, 0, 0], [0, 0, 0]]), np.array([[1.1, 0, -1], [0, 0, 0], [0, 0, 0]])
    x = at(outside, solved(outside, A, B)[1], (0.5, 0.0, 0.0))[0]
    np.testing.assert_allclose(x, [1.2, 0, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("surface", "sentence"),
    [
        (ellipsoid.Ellipsoid(None, radii=(1.0, -1.0, 1.0)), "radii .* positive"),
        (ellipsoid.Ellipsoid(None, radii=(1.0, 1.0)), "shape"),
        (ellipsoid.Ellipsoid(None, side=HOLE), "centre"),
        (torus.Torus(None, radius=1.0, tube=1.0), "tube .* less than"),
        (torus.Torus(None, radius=0.0), "radius .* positive"),
        (torus.Torus(None, radius=1.0, side=(0.6, 0.8, 0.0)), "side is at the centre"),
    ],
)
def test_bad_shapes_are_told(surface, sentence):
    with pytest.raises(ValueError, match=sentence):
        surface.parameters()


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
@ALL
def test_compiled_is_as_written(make):
    for surface, A, B, g in poses(np.random.default_rng(6), 4, make):
        _, plain = still(surface, A[0], B[0], as_written=True)
        np.testing.assert_allclose(plain[0, SOLVED], g[0, SOLVED], rtol=0, atol=1e-11)


@pytest.mark.skipif(DISABLED, reason="takes minutes")
@ALL
def test_thousands_of_poses_converge(make):
    """All of an ellipsoid, all but a few of a torus."""
    rng, missed, touched = np.random.default_rng(6), 0, 0
    for _ in range(3000):
        surface = make(rng)
        a, b = 1.5 * rng.normal(size=(2, 3))
        if min(surface.gap(a), surface.gap(b)) < 0.03:
            continue
        arcs, g = still(surface, a, b)
        touched += arcs
        missed += bool(arcs) and not np.isfinite(g[0, LENGTH])
    assert touched > 100
    assert missed <= (0 if make in (an_ellipsoid, a_sided_ellipsoid) else 3)


@ALL
def test_with_an_end_inside_the_path_is_straight(make):
    rng, inside = np.random.default_rng(7), 0
    while inside < 50:
        surface = make(rng)
        a, b = 1.2 * rng.normal(size=(2, 3))
        if min(surface.gap(a), surface.gap(b)) < 0.0:
            inside += 1
            assert still(surface, a, b)[0] == 0
