"""Cylinders that end, and sides that do not force a path round: what OpenSim's cylinders and quadrants mean."""

import numpy as np
import pytest

import myomass as mm
from myomass.muscles.wrapping import Cylinder, Ellipsoid, FiniteCylinder, Sphere
from myomass.muscles.wrapping.base import ARC, COLUMNS, ENTRY, EXIT, LENGTH, SIDED

SIDE = (1.0, 0.0, 0.0)


def solved(surface, a, b):
    """(arcs, length, table) of the piece between two places in the surface's frame."""
    g, params = np.zeros((3, COLUMNS)), np.array(surface.parameters())
    arcs = type(surface).solve(params, 0, tuple(map(float, a)), tuple(map(float, b)), g)
    return arcs, g[0, LENGTH] if arcs else np.linalg.norm(np.subtract(a, b)), g


def outside(rng, count):
    """Pairs of places 1.1 to 2.5 from the origin."""
    x = rng.normal(size=(count, 2, 3))
    return x * (rng.uniform(1.1, 2.5, size=(count, 2, 1)) / np.linalg.norm(x, axis=2, keepdims=True))


def is_cut(a, b):
    """Does the straight line run through the unit ball?"""
    line = b - a
    at = np.clip(-(a @ line) / (line @ line), 0.0, 1.0)
    return np.linalg.norm(a + at * line) < 1.0


@pytest.mark.parametrize("side", [None, SIDE])
def test_a_cylinder_that_ends_is_touched_between_its_ends_alone(side):
    rng, touched, beyond = np.random.default_rng(1), 0, 0
    endless = Cylinder(None, radius=0.7, side=side)
    for a, b in outside(rng, 400):
        if min(np.hypot(*a[:2]), np.hypot(*b[:2])) < 0.7:
            continue
        surface = FiniteCylinder(None, radius=0.7, side=side, length=rng.uniform(0.2, 3.0))
        arcs, length, g = solved(endless, a, b)
        inside = arcs and max(abs(g[0, ARC + ENTRY + 2]), abs(g[0, ARC + EXIT + 2])) <= surface.length / 2
        expected = length if inside else np.linalg.norm(a - b)
        assert solved(surface, a, b)[:2] == (arcs if inside else 0, expected)
        touched, beyond = touched + bool(inside), beyond + bool(arcs and not inside)
    assert min(touched, beyond) > 50


def test_an_unforced_side_leaves_clear_lines_straight_and_else_holds():
    rng, wrapped, clear = np.random.default_rng(2), 0, 0
    held, unforced = Sphere(None, radius=1.0, side=SIDE), Sphere(None, radius=1.0, side=SIDE, forced=False)
    for a, b in outside(rng, 500):
        arcs, length, _ = solved(unforced, a, b)
        if is_cut(a, b):
            wrapped += 1
            assert arcs == 1
            assert length == solved(held, a, b)[1]
        else:
            clear += solved(held, a, b)[0]  # the held path is forced round
            assert arcs == 0
    assert wrapped > 100
    assert clear > 20


def test_an_unforced_ellipsoid_takes_the_shortest_way_but_from_the_opposite_of_its_side():
    rng, turned = np.random.default_rng(3), 0
    radii = (1.0, 0.8, 0.6)
    free, unforced = Ellipsoid(None, radii=radii), Ellipsoid(None, radii=radii, side=SIDE, forced=False)
    for a, b in outside(rng, 600):
        arcs, shortest, g = solved(free, a, b)
        assert solved(unforced, a, b)[0] == arcs
        if not arcs:
            continue
        middle = g[0, ARC + ENTRY : ARC + ENTRY + 3] + g[0, ARC + EXIT : ARC + EXIT + 3]
        along = middle @ SIDE / np.linalg.norm(middle)
        length = solved(unforced, a, b)[1]
        if along > -0.6:
            assert length == pytest.approx(shortest, abs=1e-9)
        elif along < -0.8:
            turned += 1
            assert length > shortest + 1e-6
    assert turned > 10


def test_an_unforced_ball_and_an_unforced_ellipsoid_of_equal_radii_touch_together():
    rng = np.random.default_rng(4)
    ball, round_ = Sphere(None, radius=1.0, side=SIDE, forced=False), Ellipsoid(None, side=SIDE, forced=False)
    for a, b in outside(rng, 200):
        assert solved(ball, a, b)[0] == solved(round_, a, b)[0]


@pytest.mark.fast
def test_what_kernels_are_told():
    assert Sphere(None, side=SIDE, forced=False).parameters()[SIDED] == 3.0
    assert Sphere(None, forced=False).parameters()[SIDED] == 0.0
    assert Ellipsoid(None, side=SIDE).parameters()[SIDED] == 1.0
    with pytest.raises(ValueError, match="forced is True or False, not 'no'"):
        Sphere(None, side=SIDE, forced="no").parameters()
    with pytest.raises(ValueError, match="length"):
        FiniteCylinder(None, length=0.0).parameters()
    assert FiniteCylinder(None, radius=1.0, length=2.0).gap(np.array([0.5, 0.0, 1.5])) == 0.5


@pytest.mark.fast
@pytest.mark.parametrize(
    ("surface", "told"),
    [
        (Sphere("upper", side=SIDE, forced=False), "forced=False; take smoothing 'blend'"),
        (FiniteCylinder("upper"), "no network for the surface FiniteCylinder"),
    ],
)
def test_no_network_knows_them(surface, told):
    spec = mm.Spec("one")
    spec.add_body("upper", None, mm.Revolute(), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    spec.add_muscle("m", 1.0, [(None, (3, 0, 0)), ("upper", (-3, 0, 0))], [surface], smoothing="network")
    with pytest.raises(ValueError, match=told):
        spec.compile()
