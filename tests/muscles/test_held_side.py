"""A side that is held: the path stays on it up to a full turn, on cylinders, spheres and capped cylinders."""

import warnings

import numpy as np
import pytest

import myomass as mm
from myomass.muscles.wrapping import CappedCylinder, Cylinder, Sphere
from myomass.muscles.wrapping.base import ARC, COLUMNS, LENGTH, SIDED, SPAN, START, WRAPPED

STEP = 1e-20
FAR, NEAR, R = 0.75, 0.2, 0.08  # of the points from the elbow, radius [m]
KNEE = mm.translation(0, 0, -0.5) @ mm.rotation((1, 0, 0), np.pi / 2)
MAKERS = {
    "Cylinder": lambda **given: Cylinder(radius=R, **given),
    "Sphere": lambda **given: Sphere(radius=R, **given),
    "CappedCylinder": lambda **given: CappedCylinder(radius=R, length=0.4, **given),
}
KINDS = pytest.mark.parametrize("kind", MAKERS)


def pendulum(kind, hold=True, ahead=0.0, far=FAR, **muscle):
    """Two links of 1 m that swing about y, and a muscle in front of the elbow, `ahead` of the links."""
    spec, bar = mm.Spec("arm"), mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    down = mm.translation(0, 0, -0.5)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), E_jb=down, inertia=bar)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), down, bar)
    surface = MAKERS[kind](body="upper", E_bs=KNEE, side=(1, 0, 0), hold=hold)
    points = [("upper", (ahead, 0, far - 0.5)), ("lower", (ahead, 0, 0.5 - NEAR))]
    spec.add_muscle("m", 1.0, points, [surface], **({"smoothing": "none"} | muscle))
    return spec.compile()


def taut(turn):
    """Length of a string between points at FAR and NEAR that turns about the elbow by an angle, either way."""
    theta = abs(turn) - np.arccos(R / FAR) - np.arccos(R / NEAR)
    if theta <= 0:
        return np.sqrt(FAR**2 + NEAR**2 - 2 * FAR * NEAR * np.cos(turn))
    return np.sqrt(FAR**2 - R**2) + np.sqrt(NEAR**2 - R**2) + R * theta


@KINDS
def test_the_path_follows_the_elbow_through_a_full_turn(kind):
    """Straight while the line passes in front, then wrapped; the angle is counted on, never begun anew."""
    model = pendulum(kind)
    for elbow in np.radians(np.linspace(-179.9, 179.9, 241)):
        turn = np.pi + elbow  # stretched: half a turn
        assert mm.muscle_lengths(model, [0.3, elbow])[0] == pytest.approx(taut(turn), abs=1e-12)
        slope = (taut(turn + 1e-6) - taut(turn - 1e-6)) / 2e-6
        np.testing.assert_allclose(mm.moment_arms(model, [0.3, elbow])[0], [0.0, -slope], atol=1e-8)


@KINDS
def test_without_hold_it_is_straight_again_on_the_far_side(kind):
    lengths = [mm.muscle_lengths(pendulum(kind, hold=False), [0.3, np.radians(e)])[0] for e in (89.0, 91.0)]
    assert lengths[0] == pytest.approx(taut(np.radians(269.0)), abs=1e-12)
    assert lengths[1] == pytest.approx(np.sqrt(FAR**2 + NEAR**2 - 2 * FAR * NEAR * np.cos(np.radians(271))), abs=1e-12)


def fastest(model, elbows):
    """The most that a mass point moves per angle of the elbow, from pose to pose."""
    x = np.array([mm.muscle_points(model, [0.0, elbow])[0] for elbow in elbows])
    return (np.linalg.norm(np.diff(x, axis=0), axis=2).max(axis=1) / np.diff(elbows)).max()


@KINDS
@pytest.mark.parametrize("ahead", [0.1, 0.0, -0.05])
@pytest.mark.parametrize("smoothing", ["none", "blend"])
def test_mass_moves_without_a_jump(kind, smoothing, ahead):
    """From bent forwards to bent backwards, until the middle of the turn is at a right angle to the side."""
    backwards = np.pi - abs(np.arctan2(ahead, FAR)) - abs(np.arctan2(ahead, NEAR)) - 0.01
    model = pendulum(kind, ahead=ahead, smoothing=smoothing, mass_points=5)
    assert fastest(model, np.linspace(-2.0, backwards, 600)) < 2.0 * (NEAR + R + abs(ahead))


@KINDS
def test_networks_follow_the_same_sense(kind):
    """As far as they were trained: to three quarters of a turn around a circle, almost half a turn around a capsule."""
    model, exact = (pendulum(kind, far=0.5, smoothing=s, mass_points=5) for s in (mm.Network(outside="error"), "none"))
    elbows = np.linspace(-2.0, -0.05 if kind == "CappedCylinder" else 0.5 * np.pi - 0.01, 300)
    assert fastest(model, elbows) < 2.0 * (NEAR + R)
    for elbow in elbows[::20]:
        q = [0.0, elbow]
        apart = mm.muscle_points(model, q)[0] - mm.muscle_points(exact, q)[0]
        assert np.abs(apart).max() < 0.015 * mm.muscle_lengths(exact, q)[0]
    with pytest.raises(ValueError, match="its network was trained between"):
        mm.muscle_points(model, [0.0, 1.7])


def cases(kind, rng):
    """(surface, ends as random jets A and B): turns from touching down to a full turn, in both senses."""
    for turn in np.linspace(0.6 * np.pi, 1.98 * np.pi, 60):
        sense = rng.choice([-1.0, 1.0])
        middle = rng.uniform(-0.4, 0.4) * (2 * np.pi - turn) * (turn > np.pi)  # of the turn, from the side
        A, B = rng.normal(size=(2, 3, 3))
        for X, rho, end in ((A, rng.uniform(0.12, 0.8), -0.5), (B, rng.uniform(0.12, 0.8), 0.5)):
            angle = 0.7 + sense * (middle + end * turn)
            X[0] = rho * np.cos(angle), rho * np.sin(angle), 0.03 * rng.normal() * (kind != "Sphere")
        surface = MAKERS[kind](body=None, side=(np.cos(0.7), np.sin(0.7), 0.0))
        yield surface, A, B, turn


def jet(X):
    return tuple(tuple(row) for row in X)


def solved(surface, a, b, number=float):
    g, params = np.zeros((3, COLUMNS), number), np.array(surface.parameters())
    return type(surface).solve(params, 0, tuple(a), tuple(b), g), g, params


@KINDS
def test_derivatives_through_all_turns(kind):
    """Of lengths and places: the first by complex steps and differences, the second by complex steps of the first."""
    rng, wrapped = np.random.default_rng(5), 0
    for surface, A, B, turn in cases(kind, rng):
        kernels = type(surface)
        arcs, g, params = solved(surface, A[0], B[0])
        if not arcs:
            continue
        wrapped += 1
        betas = sum(np.arccos(R / np.hypot(*X[0, :2])) for X in (A, B))
        if kind != "CappedCylinder":
            across = g[0, WRAPPED] * np.sqrt(1 - ((B[0, 2] - A[0, 2]) / g[0, LENGTH]) ** 2)
            assert across == pytest.approx(R * (turn - betas), abs=1e-12)
        kernels.follow(params, 0, jet(A), jet(B), g)
        moved = [(X[0] + 1j * STEP * X[1], X[1] + 1j * STEP * X[2], X[2] + 0j) for X in (A, B)]
        _, G, _ = solved(surface, moved[0][0], moved[1][0], complex)
        kernels.follow(params, 0, jet(moved[0]), jet(moved[1]), G)
        columns = [LENGTH, WRAPPED, *range(ARC, ARC + 8)]
        tolerance = 1e-9 * max(1.0, np.abs(g[1:]).max())
        np.testing.assert_allclose(G[:2, columns].imag / STEP, g[1:, columns], rtol=0, atol=tolerance)
        xi = (g[0, ARC + START] + rng.random() * g[0, ARC + SPAN]) / g[0, LENGTH]
        x = kernels.point(params, 0, 0, g, (xi, 0.3, -0.2))
        y = kernels.point(params, 0, 0, G, (xi + 0.3j * STEP, 0.3 - 0.2j * STEP, -0.2 + 0j))
        np.testing.assert_allclose(np.imag(y[:2]) / STEP, x[1:], rtol=0, atol=tolerance)
        h = 1e-6
        near = [solved(surface, *(X[0] + s * X[1] + 0.5 * s * s * X[2] for X in (A, B)))[1] for s in (h, -h)]
        assert (near[0][0, LENGTH] - near[1][0, LENGTH]) / (2 * h) == pytest.approx(g[1, LENGTH], abs=1e-6)
    assert wrapped > 40


@KINDS
def test_along_any_motion_the_turn_is_counted_on(kind):
    """Random walks of both ends across an axis: the length is that of the turn followed from the start, as long as the
    turn's middle, followed too, keeps on the side's half and the turn is less than a full one.
    """
    rng, beyond, ended = np.random.default_rng(7), 0, 0
    surface = MAKERS[kind](body=None, side=(1.0, 0.0, 0.0))
    for _ in range(40):
        angles, rates = np.array([1.0, -1.0]) * rng.uniform(0.5, 2.0, 2), rng.normal(size=(2, 4))
        rho = rng.uniform(0.12, 0.6, 2)
        for s in np.linspace(0, 6, 400):
            phi = angles + rates[:, 0] * s + rates[:, 1] * np.sin(rates[:, 2] * s)
            if abs(phi.mean()) > 0.5 * np.pi - 1e-6 or abs(phi[1] - phi[0]) > 2 * np.pi - 1e-6:
                ended += 1
                break
            ends = [(d * np.cos(p), d * np.sin(p), 0.0) for d, p in zip(rho, phi, strict=True)]
            arcs, g, _ = solved(surface, *ends)
            theta = abs(phi[1] - phi[0]) - np.arccos(R / rho).sum()
            expected = np.sqrt(rho**2 - R**2).sum() + R * theta if theta > 0 else np.linalg.norm(np.subtract(*ends))
            assert (g[0, LENGTH] if arcs else np.linalg.norm(np.subtract(*ends))) == pytest.approx(expected, abs=1e-9)
            beyond += np.abs(phi).max() > np.pi
    assert beyond > 100 and ended > 5


@KINDS
def test_exactly_a_full_turn(kind):
    """Both ends on one ray of the far half: all around, from either side of it."""
    surface = MAKERS[kind](body=None, side=(1.0, 0.0, 0.0))
    around = np.sqrt(0.3**2 - R**2) + np.sqrt(0.2**2 - R**2) + R * (2 * np.pi - np.arccos(R / 0.3) - np.arccos(R / 0.2))
    for off in (0.0, 1e-9, -1e-9):
        arcs, g, _ = solved(surface, (-0.3, 0.0, 0.0), (-0.2, off, 0.0))
        assert arcs == 1 and g[0, LENGTH] == pytest.approx(around, abs=1e-8)


@pytest.mark.parametrize("distribution", ["continuous", "uniform"])
@KINDS
def test_a_double_pendulum_keeps_its_energy(kind, distribution):
    """Five seconds in which the elbow bends back by more than 91 degrees, where without hold 7 to 10 % jump."""
    muscle = {"smoothing": "blend", "distribution": distribution, "mass_points": 20}
    tight = {"q": [1.2, 1.2], "duration": 5.0, "rtol": 1e-10, "atol": 1e-12}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = mm.simulate(pendulum(kind, **muscle), **tight)
    assert np.degrees(run.q[:, 1].max()) > 95
    drift = np.ptp(run.kinetic + run.potential) / run.kinetic.max()
    with pytest.warns(RuntimeWarning, match="path of muscle 'm' jumped"):
        loose = mm.simulate(pendulum(kind, hold=False, **muscle), **tight)
    jump = np.ptp(loose.kinetic + loose.potential) / loose.kinetic.max()
    assert jump > 0.05 and drift < 1e-5 * jump


def test_a_path_that_slips_over_a_cap_is_reported():
    """Further than half a turn near the end of a capsule: no taut string is there, and the path takes the other way."""
    spec = mm.Spec("cap", gravity=(0, 0, 0))
    spec.add_body("a", None, mm.Revolute((0, 0, 1)), inertia=mm.Inertia(mass=1.0, moments=(1, 1, 1)))
    surface = CappedCylinder(None, radius=R, length=0.2, side=(1, 0, 0))
    ends = [(None, (0.0, 0.2, 0.0)), ("a", (0.0, -0.2, 0.16))]
    spec.add_muscle("m", 1.0, ends, [surface], smoothing="none")
    model = spec.compile()
    lengths = np.array([mm.muscle_lengths(model, [-turn])[0] for turn in np.linspace(0.0, 3.0, 300)])
    at = np.diff(lengths).argmin()
    assert np.diff(lengths)[at] < -0.01 and (np.diff(lengths[: at + 1]) > 0).all()  # it grew until it slipped
    with pytest.warns(RuntimeWarning, match="slipped over the end of a cylinder"):
        mm.simulate(model, q=[0.0], qdot=[-1.5], duration=2.0, integrator="rk4", h=1e-3)


def test_a_capsule_lets_the_path_slip_once_and_never_takes_it_back():
    """From touching down to a full turn: at most one jump, to a shorter path; none where both ends are beside it."""
    rng, slipped, steps = np.random.default_rng(1), 0, 500
    for trial in range(90):
        half, rho = rng.uniform(0.2, 2.0), rng.uniform(1.05, 4.0, 2)
        z = rng.uniform(-half, half, 2) if trial % 3 == 0 else rng.uniform(-half - 1.5, half + 1.5, 2)
        surface, lengths = CappedCylinder(None, radius=1.0, length=2 * half, side=(1, 0, 0)), []
        for turn in np.linspace(0.3, 2 * np.pi - 0.02, steps):
            x, y = rho * np.cos(turn / 2), rho * np.sin(turn / 2) * (1, -1)
            ends = list(np.stack([x, y, z], axis=1))
            arcs, g, _ = solved(surface, *ends)
            lengths.append(g[0, LENGTH] if arcs else np.linalg.norm(np.subtract(*ends)))
        change = np.diff(lengths)
        jumps = change[np.abs(change) > np.pi * rho.sum() / steps]
        assert len(jumps) <= (1 if trial % 3 else 0) and (jumps < 0).all()
        slipped += len(jumps)
    assert slipped > 3


def test_over_the_middle_of_a_cap_it_slips_without_a_jump():
    """Both ends above the seam: at half a turn the string lies over the cap's middle, then on the other side of it."""
    surface, lengths = CappedCylinder(None, radius=R, length=0.2, side=(1, 0, 0)), []
    for turn in np.linspace(0.9, 1.3, 401) * np.pi:
        a, b = ((0.15 * np.cos(turn / 2), s * 0.2 * np.sin(turn / 2), 0.12) for s in (1, -1))
        arcs, g, _ = solved(surface, a, b)
        lengths.append(g[0, LENGTH] if arcs else np.linalg.norm(np.subtract(a, b)))
    assert np.abs(np.diff(lengths)).max() < 0.4 * 0.4 * np.pi / 400


@pytest.mark.fast
@KINDS
def test_what_kernels_and_files_are_told(kind):
    """0: no side; 1: a side as files saved before there was `hold` have it; 2: held, the default."""
    make = MAKERS[kind]
    told = [make(body=None, **given).parameters()[SIDED] for given in ({}, {"side": (1, 0, 0), "hold": False})]
    assert [*told, make(body=None, side=(1, 0, 0)).parameters()[SIDED]] == [0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="hold is True or False, not 'yes'"):
        make(body=None, side=(1, 0, 0), hold="yes").parameters()
