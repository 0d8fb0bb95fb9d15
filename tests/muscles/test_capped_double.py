"""The capsule and the double cylinder: against their simpler siblings, independent minimisation, and complex steps."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from myomass._jit import DISABLED
from myomass.muscles.wrapping import CappedCylinder, Cylinder, DoubleCylinder, Sphere, capped_cylinder, double_cylinder
from myomass.muscles.wrapping.base import ARC, COLUMNS, ENTRY, EXIT, LENGTH, SPAN, START, WRAPPED

STEP = 1e-20


def table(number=float):
    return np.zeros((3, COLUMNS), number)


def jet(X):
    return tuple(tuple(row) for row in X)


def solved(surface, a, b, number=float, as_written=False):
    """(arcs, length, table, params)."""
    g, params, solve = table(number), np.array(surface.parameters()), type(surface).solve
    arcs = (solve.py_func if as_written else solve)(params, 0, tuple(a), tuple(b), g)
    return arcs, (g[0, LENGTH] if arcs else np.linalg.norm(np.subtract(b, a))), g, params


def a_capsule(rng, sided=False):
    side = [*rng.normal(size=2), 0.0] if sided else None
    return CappedCylinder(None, radius=rng.uniform(0.5, 1.2), length=rng.uniform(0.1, 3.0), side=side)


def a_double(rng, sided=True):
    r, E = rng.uniform(0.3, 1.2), np.eye(4)
    E[:3, :3] = Rotation.from_rotvec(rng.normal(size=3) * rng.choice([0.0, 0.2])).as_matrix()
    E[:3, 3] = [1.0 + r + rng.uniform(0.4, 2), 0.3 * rng.normal(), 0.3 * rng.normal()]
    first, second = ([0.0, rng.choice([-1.0, 1.0]), 0.0] if sided else None for _ in range(2))
    return DoubleCylinder(None, radius=1.0, side=first, second=Cylinder(None, E, radius=r, side=second))


def ends(rng, surface):
    """Random motions of both ends, (3, 3) each, outside."""
    while True:
        A, B = rng.normal(size=(2, 3, 3))
        if isinstance(surface, DoubleCylinder):
            A[0] += [-3, 0, 0]
            B[0] += surface.second.E_bs[:3, 3] + [surface.second.radius + 1.5, 0, 0]
        else:
            A[0] *= 2.0
            B[0] = -A[0] * rng.uniform(0.3, 1.5) + B[0] if rng.random() < 0.7 else 2.0 * B[0]
        if min(surface.gap(A[0]), surface.gap(B[0])) > 0.05:
            return A, B


MAKERS = pytest.mark.parametrize("make", [a_capsule, a_double])


# the same as simpler surfaces


def test_on_its_cylinder_the_capsule_is_a_cylinder():
    rng = np.random.default_rng(1)
    for _ in range(50):
        side = [*rng.normal(size=2), 0.0] if rng.random() < 0.5 else None
        a, b = (Rotation.from_euler("z", rng.uniform(0, 6)).apply([rng.uniform(1.1, 3), 0, rng.normal()]) for _ in "ab")
        arcs, length, g, params = solved(CappedCylinder(None, length=20.0, side=side), a, b)
        same, expected, h, params_h = solved(Cylinder(None, side=side), a, b)
        assert arcs == same
        np.testing.assert_allclose(length, expected, rtol=1e-12)
        if arcs:
            columns = [LENGTH, WRAPPED, *range(ARC, ARC + 8)]
            np.testing.assert_allclose(g[0, columns], h[0, columns], atol=1e-11)
            xi = ((g[0, ARC + START] + 0.3 * g[0, ARC + SPAN]) / length, 0.0, 0.0)
            x, y = CappedCylinder.point(params, 0, 0, g, xi)[0], Cylinder.point(params_h, 0, 0, h, xi)[0]
            np.testing.assert_allclose(x, y, atol=1e-11)


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_on_a_cap_the_capsule_is_a_sphere(up):
    rng = np.random.default_rng(2)
    centre, touched = np.array([0.0, 0.0, up * 0.8]), 0
    for _ in range(60):
        a, b = rng.normal(size=(2, 3)) * 1.5
        b[:2] -= a[:2]
        a[2], b[2] = up * (0.85 + 0.2 * abs(a[2])), up * (0.85 + 0.2 * abs(b[2]))
        capsule = CappedCylinder(None, radius=1.0, length=1.6)
        if min(capsule.gap(a), capsule.gap(b)) < 0.02:
            continue
        arcs, length, g, params = solved(capsule, a, b)
        same, expected, h, params_h = solved(Sphere(None), a - centre, b - centre)
        assert arcs == same
        np.testing.assert_allclose(length, expected, rtol=1e-12)
        if arcs:
            touched += 1
            np.testing.assert_allclose(
                g[0, ARC + ENTRY : ARC + EXIT] - centre, h[0, ARC + ENTRY : ARC + EXIT], atol=1e-11
            )
            xi = ((g[0, ARC + START] + 0.3 * g[0, ARC + SPAN]) / length, 0.0, 0.0)
            x, y = CappedCylinder.point(params, 0, 0, g, xi)[0], Sphere.point(params_h, 0, 0, h, xi)[0]
            np.testing.assert_allclose(x - centre, y, atol=1e-11)
    assert touched > 10


@pytest.mark.parametrize("sided", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_with_the_other_one_out_of_the_way_the_double_cylinder_is_a_cylinder(first, sided):
    rng, away, touched = np.random.default_rng(8), np.eye(4), 0
    away[0, 3] = 50.0
    for _ in range(100):
        a, b = (Rotation.from_euler("z", rng.uniform(0, 6)).apply([rng.uniform(1.1, 3), 0, rng.normal()]) for _ in "ab")
        side, o = [*rng.normal(size=2), 0.0] if sided else None, np.zeros(3) if first else away[:3, 3]
        second = Cylinder(None, away, side=None if first else side)
        arcs, length, g, _ = solved(DoubleCylinder(None, side=side if first else None, second=second), a + o, b + o)
        same, expected, h, _ = solved(Cylinder(None, side=side, hold=False), a, b)
        touched += same
        assert arcs == same and length == pytest.approx(expected, rel=1e-12)
        if arcs:
            np.testing.assert_allclose(g[0, ARC + ENTRY :][:3] - o, h[0, ARC + ENTRY :][:3], atol=1e-11)
    assert 30 < touched < 95


@MAKERS
def test_with_an_end_inside_the_path_is_straight(make):
    rng, inside = np.random.default_rng(9), 0
    for trial in range(300):
        surface = make(rng, sided=trial % 2 == 0)
        a, b = 1.2 * rng.normal(size=(2, 3))
        if min(surface.gap(a), surface.gap(b)) < 0.0:
            inside += 1
            assert solved(surface, a, b)[0] == 0
    assert inside > 50


# against independent minimisation


def around_circle(p, q, r, turn):
    """Length of a string around a circle, by the turn from one end to the other."""
    p, q = max(np.hypot(*p[:2]), r), max(np.hypot(*q[:2]), r)
    theta = turn - np.arccos(r / p) - np.arccos(r / q)
    if theta <= 0.0:
        return np.sqrt(max(p * p + q * q - 2.0 * p * q * np.cos(turn), 0.0))
    return np.sqrt(p * p - r * r) + np.sqrt(q * q - r * r) + r * theta


def over_sphere(p, q, r):
    cosine = p @ q / np.linalg.norm(p) / np.linalg.norm(q)
    return around_circle([np.linalg.norm(p), 0.0], [np.linalg.norm(q), 0.0], r, np.arccos(np.clip(cosine, -1, 1)))


def around_cylinder(p, q, r, sense=None):
    turn = np.arctan2(p[0] * q[1] - p[1] * q[0], p[:2] @ q[:2]) * (sense or 1.0)
    turn = abs(turn) if sense is None else turn % (2.0 * np.pi)
    return np.hypot(around_circle(p, q, r, turn), q[2] - p[2])


def least(function, starts, bounds=None):
    """The least value found from any start."""
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 500}
    return min(minimize(function, x, method="L-BFGS-B", bounds=bounds, options=options).fun for x in starts)


def pose_over_a_cap(rng, capsule):
    """(a, b, angles about the axis): a above the upper seam, b below, roughly opposite."""
    half = 0.5 * capsule.length
    while True:
        z = [half + abs(rng.normal()), rng.uniform(-half, half) if rng.random() < 0.5 else -half - abs(rng.normal())]
        at = rng.uniform(0, 6)
        at = [at, at + np.pi + 0.7 * rng.normal()]
        a, b = (
            np.array([rho * np.cos(p), rho * np.sin(p), h])
            for rho, p, h in zip(rng.uniform(0.2, 3, 2), at, z, strict=True)
        )
        if min(capsule.gap(a), capsule.gap(b)) > 0.02:
            return a, b, at


def through_seams(x, a, b, r, half):
    """Length of a path that crosses the planes of the seams at x, each by its distance from the axis and its angle."""
    top, bottom = np.array([0, 0, half]), np.array([0, 0, -half])
    c = np.array([x[0] * np.cos(x[1]), x[0] * np.sin(x[1]), half])
    if len(x) == 2:
        return over_sphere(a - top, c - top, r) + around_cylinder(c, b, r)
    d = np.array([x[2] * np.cos(x[3]), x[2] * np.sin(x[3]), -half])
    return over_sphere(a - top, c - top, r) + around_cylinder(c, d, r) + over_sphere(b - bottom, d - bottom, r)


def test_capsule_is_the_shortest_way_through_the_planes_of_its_seams():
    rng = np.random.default_rng(3)
    cases = []
    while len(cases) < 25:
        capsule = a_capsule(rng)
        r, half = capsule.radius, 0.5 * capsule.length
        a, b, at = pose_over_a_cap(rng, capsule)
        arcs, length, g, _ = solved(capsule, a, b)
        if not arcs:
            continue
        cases.append(g[0, capped_cylinder.CASE])
        angle, turn = at[0], (at[1] - at[0] + np.pi) % (2 * np.pi) - np.pi
        starts = [
            [1.1 * r, angle + f * turn, 1.1 * r, angle + h * turn] for f, h in ((0.3, 0.7), (0.8, 0.9), (0.1, 0.2))
        ]
        n = 2 if b[2] > -half else 4
        bounds = [(r, None), (None, None), (r, None), (None, None)][:n]
        expected = least(
            lambda x, a=a, b=b, r=r, half=half: through_seams(x, a, b, r, half), [x[:n] for x in starts], bounds
        )
        assert length == pytest.approx(expected, abs=1e-6)
    assert set(cases) == {1.0, 2.0, 3.0, 4.0, 5.0}


def through_plane(x, surface, a, b, senses):
    """Length of a path that crosses a plane between both cylinders at x."""
    E, r = surface.second.E_bs, surface.second.radius
    y = np.array([0.5 * (1.0 + E[0, 3] - r), *x])
    second = [E[:3, :3].T @ (p - E[:3, 3]) for p in (y, b)]
    return around_cylinder(a, y, 1.0, senses[0]) + around_cylinder(*second, r, senses[1])


def test_double_cylinder_is_the_shortest_way_through_a_plane_between():
    rng = np.random.default_rng(4)
    cases = set()
    for trial in range(30):
        surface = a_double(rng, sided=trial % 2 == 0)
        a, b = (X[0] for X in ends(rng, surface))
        arcs, length, g, _ = solved(surface, a, b)
        if not arcs:
            continue
        cases.add(g[0, double_cylinder.CASE])
        senses = [(s, t) for s in (1, -1) for t in (1, -1)]
        if surface.side is not None:
            senses = [(g[0, double_cylinder.SENSE], g[0, double_cylinder.SENSE + 1])]
        starts = [[1.0, 0.0], [-1.0, 0.0], [0.1, 0.3]]
        pose = (surface, a, b)
        expected = min(least(lambda x, p=pose, s=s: through_plane(x, *p, s), starts) for s in senses)
        assert length == pytest.approx(expected, abs=1e-6)
    assert cases == {1.0, 2.0, 3.0}


# derivatives


@MAKERS
def test_jets_are_complex_steps(make):
    rng = np.random.default_rng(5)
    cases = set()
    for trial in range(150):
        surface = make(rng, sided=trial % 2 == 0)
        kernels, (A, B) = type(surface), ends(rng, surface)
        arcs, length, g, params = solved(surface, A[0], B[0])
        if not arcs:
            continue
        cases.add(g[0, capped_cylinder.CASE])
        kernels.follow(params, 0, jet(A), jet(B), g)
        moved = [(X[0] + 1j * STEP * X[1], X[1] + 1j * STEP * X[2], X[2] + 0j) for X in (A, B)]
        _, _, G, _ = solved(surface, moved[0][0], moved[1][0], complex)
        kernels.follow(params, 0, jet(moved[0]), jet(moved[1]), G)
        columns = [LENGTH, WRAPPED, *range(ARC, ARC + 8 * arcs)]
        tolerance = 1e-9 * max(1.0, np.abs(g[1:]).max())
        np.testing.assert_allclose(G[:2, columns].imag / STEP, g[1:, columns], rtol=0, atol=tolerance)
        for arc in range(arcs):
            xi = (g[0, ARC + 8 * arc + START] + rng.random() * g[0, ARC + 8 * arc + SPAN]) / length
            x = kernels.point(params, 0, arc, g, (xi, 0.3, -0.2))
            y = kernels.point(params, 0, arc, G, (xi + 0.3j * STEP, 0.3 - 0.2j * STEP, -0.2 + 0j))
            np.testing.assert_allclose(np.imag(y[:2]) / STEP, x[1:], rtol=0, atol=tolerance)
    assert len(cases) == (5 if make is a_capsule else 3)


@MAKERS
def test_path_is_taut_and_its_length_changes_by_the_tangents(make):
    rng = np.random.default_rng(6)
    for trial in range(60):
        surface = make(rng, sided=trial % 2 == 0)
        kernels, (A, B) = type(surface), ends(rng, surface)
        arcs, length, g, params = solved(surface, A[0], B[0])
        if not arcs:
            continue
        last, direction, so_far, t_a = A[0], None, 0.0, None
        for arc in range(arcs):
            start, span = g[0, ARC + 8 * arc + START], g[0, ARC + 8 * arc + SPAN]
            path = [
                kernels.point(params, 0, arc, g, (s / length, 1 / length, 0.0))
                for s in start + span * np.linspace(0, 1, 9)
            ]
            x, t = np.array([p[0] for p in path]), np.array([p[1] for p in path])
            place = kernels.place(params, 0, arc, g, ((start + span) / length, 1 / length, 0.0))
            np.testing.assert_allclose(place, path[-1][:2], atol=1e-14)
            assert max(abs(surface.gap(y)) for y in x) < 1e-11 or make is a_double
            np.testing.assert_allclose(np.linalg.norm(t, axis=1), 1.0, atol=1e-11)
            line = x[0] - last
            np.testing.assert_allclose(line, t[0] * (start - so_far), atol=1e-10)
            if direction is not None:
                np.testing.assert_allclose(t[0], direction, atol=1e-10)
            direction = t[-1]
            if t_a is None:
                t_a = t[0]
            last, so_far = x[-1], start + span
        np.testing.assert_allclose(B[0] - last, direction * (length - so_far), atol=1e-10)
        kernels.follow(params, 0, jet(A), jet(B), g)
        assert g[1, LENGTH] == pytest.approx(direction @ B[1] - t_a @ A[1], abs=1e-10)


# continuity


CAPSULE, TILT = CappedCylinder(None, length=1.2), np.eye(4)
TILT[:3, :3], TILT[:3, 3] = Rotation.from_rotvec([0.2, 0.1, 0.3]).as_matrix(), [2.5, 0.2, 0.1]
DOUBLE = DoubleCylinder(None, side=[0, 1, 0], second=Cylinder(None, TILT, radius=0.7, side=[0, 1, 0]))
SWEEPS = [
    (CAPSULE, [-2, 0.3, 1.9], [0, 0, -3.5], [2, 0.2, 0.3], [0, 0, 0], {1, 4}),
    (CAPSULE, [-1.5, 0.3, 2.9], [0, 0, -3], [1.5, 0.2, 0.9], [0, 0, -2.5], {0, 1, 5}),
    (CAPSULE, [-0.4, 0.3, 2.5], [-1, 0, 0], [1.2, 0.2, -0.3], [0, 0, -2.5], {1, 3}),
    (DOUBLE, [-2, 2.4, 0.0], [0, -3, 0.5], [4.5, 0.6, 0.3], [0, -1, 0], {0, 2, 3}),
    (DOUBLE, [-2, 0.4, 0.0], [0, -0.5, 0.5], [4.5, 2.6, 0.3], [0, -3, 0], {1, 3}),
]


@pytest.mark.parametrize(("surface", "a", "da", "b", "db", "expected"), SWEEPS)
def test_length_and_its_slope_are_continuous_over_all_cases(surface, a, da, b, db, expected):
    a, da, b, db = (np.array(x, float) for x in (a, da, b, db))
    A, B = np.zeros((2, 3, 3))
    A[1], B[1] = da, db
    cases, lengths, slopes, times = [], [], [], np.linspace(0, 1, 401)
    for t in times:
        A[0], B[0] = a + t * da, b + t * db
        arcs, length, g, params = solved(surface, A[0], B[0])
        chord = B[0] - A[0]
        slope = chord @ (db - da) / np.linalg.norm(chord)
        if arcs:
            type(surface).follow(params, 0, jet(A), jet(B), g)
            slope = g[1, LENGTH]
        cases.append(int(g[0, capped_cylinder.CASE]) if arcs else 0)
        lengths.append(length)
        slopes.append(slope)
    assert set(cases) >= expected
    middle = 0.5 * (np.array(slopes)[1:] + np.array(slopes)[:-1])
    np.testing.assert_allclose(np.diff(lengths) / np.diff(times), middle, atol=2e-3)
    assert np.abs(np.diff(slopes)).max() < 0.08


# compiled


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
@MAKERS
@pytest.mark.parametrize("number", [float, complex])
def test_compiled_is_as_written(make, number):
    rng = np.random.default_rng(7)
    for _ in range(30):
        surface = make(rng, sided=True)
        kernels, (A, B) = type(surface), (X.astype(number) for X in ends(rng, surface))
        arcs, _, g, params = solved(surface, A[0], B[0], number)
        same, _, h, _ = solved(surface, A[0], B[0], number, as_written=True)
        assert arcs == same
        if arcs:
            kernels.follow(params, 0, jet(A), jet(B), g)
            kernels.follow.py_func(params, 0, jet(A), jet(B), h)
            xi = tuple(np.array([0.5, 0.3, -0.2], number))
            x, y = kernels.point(params, 0, 0, g, xi), kernels.point.py_func(params, 0, 0, h, xi)
            np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-9 * max(1.0, np.abs(g).max()))
        np.testing.assert_allclose(g, h, rtol=1e-7, atol=1e-9 * max(1.0, np.abs(g).max()))


# what people get wrong


def test_bad_input_gets_a_sentence():
    second = Cylinder(None, radius=0.5)
    for surface, sentence in [
        (CappedCylinder(None, radius=-1.0), "radius"),
        (CappedCylinder(None, length=np.inf), "length"),
        (CappedCylinder(None, length=0.0), "length"),
        (CappedCylinder(None, side=[0, 0, 1]), "axis"),
        (CappedCylinder(None, side=[0, 1]), "side"),
        (DoubleCylinder(None), "second must be a Cylinder"),
        (DoubleCylinder(None, second=Sphere(None)), "second must be a Cylinder"),
        (DoubleCylinder("arm", second=Cylinder("hand")), "hand"),
        (DoubleCylinder(None, second=Cylinder(None, radius=0.0)), "radius"),
        (DoubleCylinder(None, radius=np.nan, second=second), "radius"),
        (DoubleCylinder(None, side=[0, 0, 1], second=second), "axis"),
        (DoubleCylinder(None, second=Cylinder(None, side=[0, 0, 1])), "axis"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            surface.parameters()
