"""Several surfaces on one piece: against closed forms, another surface, a minimiser, and complex steps."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import myomass as mm
from myomass.algorithms.charts import NO_CHARTS, NO_SLOTS
from myomass.analyses.motion_rows import MotionRows
from myomass.analyses.muscle_paths import muscle_paths_along

STEP = 1e-20
SLENDER = mm.Inertia.cuboid((0.1, 0.1, 0.4), mass=2.0)


def between(points, surfaces, **given):
    """A model with one muscle between two points, over surfaces of one piece, all fixed to the world or to a body."""
    spec = mm.Spec("over several")
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), E_jb=mm.translation(0, 0, -0.2), inertia=SLENDER)
    spec.add_body(
        "lower", "upper", mm.Revolute((0.1, 1, 0.2)), mm.translation(0, 0, -0.2), mm.translation(0, 0, -0.2), SLENDER
    )
    spec.add_muscle("m", points=points, wrap=[surfaces], **given)
    return spec.compile()


ACROSS = mm.rotation((1, 0, 0), np.pi / 2)


def leg(kinds="cc", mass=0.0, **given):
    """A muscle from the world over two surfaces of the upper body, and one of the lower if there is a third kind."""
    places = [("upper", (0.0, 0.0, 0.0)), ("upper", (0.0, 0.0, -0.2)), ("lower", (-0.02, 0.0, 0.12))]
    made = []
    for kind, (body, place), r in zip(kinds, places, (0.05, 0.05, 0.04), strict=False):
        E, side = mm.translation(*place), (r, 0, 0)
        if kind == "c":
            made.append(mm.wrap.Cylinder(body=body, E_bs=E @ ACROSS, radius=r, side=side))
        elif kind == "s":
            made.append(mm.wrap.Sphere(body=body, E_bs=E, radius=r, side=side))
        else:
            made.append(mm.wrap.Ellipsoid(body=body, E_bs=E, radii=(r, 1.2 * r, 1.1 * r), side=side))
    points = [(None, (0.02, 0.03, 0.25)), ("lower", (0.03, -0.02, -0.05))]
    return between(points, made, mass=mass, **given)


def length(model, q=(0.0, 0.0)):
    return mm.muscle_lengths(model, np.asarray(q))[0]


# --- lengths ----------------------------------------------------------------------------------------------------------


def around_two_circles(a, b, c, r, sign):
    """Length of a string in the plane from a to b, over two circles on one side (outer tangent), both touched."""
    c, r = np.asarray(c), np.asarray(r)
    d = c[1] - c[0]
    apart = np.linalg.norm(d)
    bridge = np.sqrt(apart**2 - (r[0] - r[1]) ** 2)
    normal = np.arctan2(d[1], d[0]) + sign * np.arccos((r[0] - r[1]) / apart)  # of the bridge, seen from both centres
    total = bridge
    for end, centre, radius, before in ((a, c[0], r[0], 1), (b, c[1], r[1], -1)):
        v = np.asarray(end) - centre
        far = np.linalg.norm(v)
        touch = np.arctan2(v[1], v[0]) - before * sign * np.arccos(radius / far)
        turn = before * sign * (touch - normal)
        turn = (turn + np.pi) % (2 * np.pi) - np.pi
        assert turn > 0
        total += np.sqrt(far**2 - radius**2) + radius * turn
    return total


@pytest.mark.fast
@pytest.mark.parametrize("kind", ["spheres", "cylinders"])
def test_two_circles_in_a_plane(kind):
    rng = np.random.default_rng(1)
    for _ in range(15):
        r = rng.uniform(0.2, 0.5, 2)
        c = np.array([[-1.0, 0.0], [1.0, 0.0]]) + 0.2 * rng.normal(size=(2, 2))
        a, b = np.array([-2.5, -1.0]) + 0.2 * rng.normal(size=2), np.array([2.5, -1.0]) + 0.2 * rng.normal(size=2)
        surfaces, height = [], rng.normal(size=2)
        for centre, radius in zip(c, r, strict=True):
            E = mm.translation(*centre, 0.0)
            side = (0.0, 1.0, 0.0)
            if kind == "spheres":
                surfaces.append(mm.wrap.Sphere(None, E, radius=radius, side=side))
            else:
                surfaces.append(mm.wrap.Cylinder(None, E, radius=radius, side=side))
        plane = around_two_circles(a, b, c, r, 1.0)
        if kind == "spheres":
            height[:] = 0.0
        model = between([(None, (*a, height[0])), (None, (*b, height[1]))], surfaces)
        np.testing.assert_allclose(length(model), np.hypot(plane, height[1] - height[0]), rtol=1e-14)


@pytest.mark.fast
def test_two_cylinders_are_the_double_cylinder():
    rng, touched = np.random.default_rng(2), 0
    for _ in range(40):
        r, E = rng.uniform(0.3, 1.2), np.eye(4)
        E[:3, :3] = Rotation.from_rotvec(0.2 * rng.normal(size=3)).as_matrix()
        E[:3, 3] = [1.0 + r + rng.uniform(0.4, 2), 0.3 * rng.normal(), 0.3 * rng.normal()]
        side = (0.0, rng.choice([-1.0, 1.0]), 0.0)
        one = mm.wrap.Cylinder(None, radius=1.0, side=side, hold=False)
        other = mm.wrap.Cylinder(None, E, radius=r, side=side, hold=False)
        double = mm.wrap.DoubleCylinder(None, radius=1.0, side=side, second=other)
        a = rng.normal(size=3) + [-3, -2.5 * side[1], 0]
        b = rng.normal(size=3) + E[:3, 3] + [r + 1.5, -2.5 * side[1], 0]
        if min(one.gap(a), double.gap(b)) < 0.05:
            continue
        both = between([(None, a), (None, b)], [one, other])
        expected = length(between([(None, a), (None, b)], double))
        touched += (mm.muscles.muscle_paths(both, np.zeros(2))[0].wrapped > 0).all()
        np.testing.assert_allclose(length(both), expected, rtol=1e-13)
    assert touched > 15


def taut(a, b, centres, radii, guess):
    """The shortest length from a to b over balls, none of its straight parts in one: an independent minimiser."""

    def contacts(x):
        d = x.reshape(-1, 2, 3)
        d = d / np.linalg.norm(d, axis=2, keepdims=True)
        return d, np.concatenate([[a], (centres[:, None] + radii[:, None, None] * d).reshape(-1, 3), [b]])

    def total(x):
        d, stops = contacts(x)
        angles = np.arctan2(np.linalg.norm(np.cross(d[:, 0], d[:, 1]), axis=1), (d[:, 0] * d[:, 1]).sum(axis=1))
        return np.linalg.norm(stops[1::2] - stops[::2], axis=1).sum() + radii @ angles

    def clear(x):  # each end of a straight part is not below the tangent plane at its other end
        d, stops = contacts(x)
        before, after = stops[:-2:2] - stops[1:-1:2], stops[3::2] - stops[2:-1:2]
        return np.concatenate([(before * d[:, 0]).sum(axis=1), (after * d[:, 1]).sum(axis=1)])

    options = {"maxiter": 1000, "ftol": 1e-15}
    return minimize(
        total, guess.ravel(), method="SLSQP", constraints={"type": "ineq", "fun": clear}, options=options
    ).fun


@pytest.mark.fast
def test_three_balls_out_of_a_plane_against_a_minimiser():
    rng, all_three = np.random.default_rng(3), 0
    for _ in range(6):
        centres = np.array([[-2.0, -0.4, 0], [0, 0.1, 0], [2.0, -0.4, 0]]) + 0.03 * rng.normal(size=(3, 3))
        radii = np.array([0.3, 0.3, 0.3]) + 0.01 * rng.normal(size=3)
        a, b = (-4.0, -0.35, *0.05 * rng.normal(size=1)), (4.0, -0.35, *0.05 * rng.normal(size=1))
        balls = [
            mm.wrap.Sphere(None, mm.translation(*c), radius=r, side=(0, y, 0))
            for c, r, y in zip(centres, radii, (1, -1, 1), strict=True)
        ]
        model = between([(None, a), (None, b)], balls)
        path = mm.muscles.muscle_paths(model, np.zeros(2))[0]
        on = path.wrapped > 0
        all_three += on.all()
        guess = path.corners[1:-1].reshape(-1, 2, 3) - centres[on][:, None]
        guess += 0.02 * rng.normal(size=guess.shape)
        np.testing.assert_allclose(path.length, taut(a, b, centres[on], radii[on], guess), rtol=1e-9)
    assert all_three > 2


@pytest.mark.fast
def test_a_path_that_slips_off_a_ball_leaves_it_out():
    centres = [[-1.694, -0.383, 0.063], [-0.085, -0.068, -0.032], [1.697, -0.035, -0.130]]
    balls = [
        mm.wrap.Sphere(None, mm.translation(*c), radius=r, side=(0, 1, 0))
        for c, r in zip(centres, (0.566, 0.611, 0.382), strict=True)
    ]
    ends = [(None, (-4.0, -1.0, -0.281)), (None, (4.0, -1.0, -0.668))]
    path = mm.muscles.muscle_paths(between(ends, balls), np.zeros(2))[0]
    assert np.isfinite(path.length)
    assert not (path.wrapped > 0).all()


@pytest.mark.fast
def test_surfaces_that_are_not_touched_change_nothing():
    q = np.array([-0.5, 1.2])
    several, alone = leg("ccc"), leg("cc")
    path = mm.muscles.muscle_paths(several, q)[0]
    assert path.wrapped[0] == path.wrapped[2] == 0.0 < path.wrapped[1]
    one = mm.wrap.Cylinder(body="upper", E_bs=mm.translation(0, 0, -0.2) @ ACROSS, radius=0.05, side=(0.05, 0, 0))
    single = between([(None, (0.02, 0.03, 0.25)), ("lower", (0.03, -0.02, -0.05))], [one])
    np.testing.assert_allclose([length(several, q), length(alone, q)], length(single, q), rtol=1e-14)
    free = np.array([0.1, -0.8])
    path = mm.muscles.muscle_paths(several, free)[0]
    assert not path.wrapped.any()
    np.testing.assert_allclose(path.length, np.linalg.norm(path.corners[1] - path.corners[0]), rtol=1e-15)


@pytest.mark.fast
def test_a_list_of_one_is_that_surface_and_an_empty_one_none():
    points = [(None, (-1.0, -0.2, 0.0)), (None, (1.0, -0.2, 0.1))]
    ball = mm.wrap.Sphere(None, radius=0.3, side=(0, 1, 0))
    assert length(between(points, [ball])) == length(between(points, ball))
    assert length(between(points, [])) == length(between(points, None))


# --- derivatives ------------------------------------------------------------------------------------------------------

POSES = [
    np.array([0.3, 0.9]),
    np.array([1.0, 0.2]),
    np.array([-0.5, 1.2]),
    np.array([0.62, 0.41]),
    np.array([0.9, 1.6]),
]
KINDS = pytest.mark.parametrize("kinds", ["cc", "sc", "csc", "es"])


@KINDS
def test_moment_arms_are_the_complex_step_of_the_length(kinds):
    model = leg(kinds)
    for q in POSES:
        step = [-length(model, q + 1j * STEP * e).imag / STEP for e in np.eye(2)]
        np.testing.assert_allclose(mm.moment_arms(model, q)[0], step, atol=1e-14)
        h = 1e-6
        apart = [(length(model, q - h * e) - length(model, q + h * e)) / (2 * h) for e in np.eye(2)]
        np.testing.assert_allclose(mm.moment_arms(model, q)[0], apart, atol=1e-8)


@KINDS
def test_mass_points_move_as_complex_steps_say(kinds):
    model, rng = leg(kinds, mass=1.3, mass_points=9, smoothing="none"), np.random.default_rng(4)
    for q in POSES:
        qdot = rng.normal(size=2)
        x_dot = mm.muscle_points(model, q + 1j * STEP * qdot)[0].imag / STEP
        np.testing.assert_allclose(mm.muscles.muscle_velocities(model, q, qdot)[0], x_dot, atol=1e-13)
        J = mm.muscles.muscle_jacobian(model, q)[0]
        np.testing.assert_allclose(J @ qdot, x_dot, atol=1e-13)
        h = 1e-5
        J_dot = [mm.muscles.muscle_jacobian(model, q + s * h * qdot)[0] for s in (1, -1)]
        J_dot = (J_dot[0] - J_dot[1]) / (2 * h)
        np.testing.assert_allclose(mm.muscles.muscle_jacobian_dot(model, q, qdot)[0], J_dot, atol=1e-6)


@KINDS
@pytest.mark.parametrize("distribution", ["uniform", "continuous", mm.Belly(0.1, 0.8, tendon="inextensible")])
def test_inverse_dynamics_is_lagranges(kinds, distribution):
    model, rng = leg(kinds, mass=1.3, smoothing="none", distribution=distribution), np.random.default_rng(5)
    for q in POSES:
        qdot, qddot, still = *rng.normal(size=(2, 2)), np.zeros(2)
        M = mm.mass_matrix(model, q)
        dM = np.array([mm.mass_matrix(model, q + 1j * STEP * e).imag / STEP for e in np.eye(2)])
        C = np.einsum("kij,k,j->i", dM, qdot, qdot) - 0.5 * np.einsum("kij,i,j->k", dM, qdot, qdot)
        tau = mm.inverse_dynamics(model, q, qdot, qddot) - mm.inverse_dynamics(model, q, still, still)
        np.testing.assert_allclose(tau, M @ qddot + C, atol=1e-12)


@pytest.mark.fast
def test_length_and_moment_arms_are_continuous_where_a_surface_is_left():
    model = leg("cs")

    def touched(s):
        return (mm.muscles.muscle_paths(model, ends[0] + s * (ends[1] - ends[0]))[0].wrapped > 0).sum()

    ends = np.array([[0.3, 0.9], [-0.5, 1.2]])  # over two surfaces, and over one
    low, high = 0.0, 1.0
    assert (touched(low), touched(high)) == (2, 1)
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if touched(middle) == 2 else (low, middle)
    at = [ends[0] + s * (ends[1] - ends[0]) for s in (low, high)]
    np.testing.assert_allclose(length(model, at[0]), length(model, at[1]), atol=1e-12)
    np.testing.assert_allclose(mm.moment_arms(model, at[0]), mm.moment_arms(model, at[1]), atol=1e-6)


# --- in models --------------------------------------------------------------------------------------------------------


def test_tension_and_its_linearisation():
    model, q, qdot = leg("csc", tension=80.0), np.array([0.62, 0.41]), np.array([0.3, -0.7])
    bare = leg("csc")
    M = mm.mass_matrix(bare, q)
    pull = M @ (mm.forward_dynamics(model, q, qdot) - mm.forward_dynamics(bare, q, qdot))
    np.testing.assert_allclose(pull, 80.0 * mm.moment_arms(bare, q)[0], atol=1e-11)


@pytest.mark.fast
def test_bad_lists_are_refused():
    points = [(None, (-1.0, 0, 0)), (None, (1.0, 0, 0))]
    ball, other = (mm.wrap.Sphere(None, mm.translation(x, 0, 0), radius=0.3) for x in (-0.4, 0.4))
    with pytest.raises(TypeError, match="muscle 'm': wrap holds surfaces"):
        between(points, [ball, None])
    with pytest.raises(TypeError, match="wrap holds surfaces"):
        between(points, [ball, [other]])
    with pytest.raises(ValueError, match="several surfaces cannot be smoothed by a network"):
        between(points, [ball, other], mass=1.0, smoothing=mm.Network())
    with pytest.raises(ValueError, match="point 1 is inside"):
        between([points[0], (None, (0.5, 0, 0))], [ball, other])


@pytest.mark.fast
def test_a_run_does_not_start_inside_any_of_them():
    balls = [mm.wrap.Sphere(None, mm.translation(x, 0, 0), radius=0.3) for x in (-0.4, 0.4)]
    points = [(None, (-1, -0.2, 0)), (None, (-0.8, -0.2, 0)), ("bob", (1.0, 0, 0))]

    def moved_in(mass):
        spec = mm.Spec("moved in")
        spec.add_body("bob", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.cuboid((0.1, 0.1, 0.1), mass=1.0))
        spec.add_muscle("m", mass, points, [None, balls], tension=1.0)
        return spec.compile()

    for inside in (-0.5, -1.4):
        with pytest.raises(ValueError, match="its point 2 is inside"):
            mm.simulate(moved_in(0.1), q=[inside], duration=0.01)
        with pytest.warns(RuntimeWarning, match="its point 2 is inside .* and goes straight there"):
            mm.simulate(moved_in(0.0), q=[inside], duration=0.01)


@pytest.mark.fast
def test_a_conditional_point_parts_two_lists():
    spec = mm.Spec("parted")
    spec.add_body("bob", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.cuboid((0.1, 0.1, 0.1), mass=1.0))
    balls = [mm.wrap.Sphere(None, mm.translation(x, 0.0, 0), radius=0.3, side=(0, 1, 0)) for x in (-2, -1, 1, 2)]
    middle = mm.ConditionalPoint(None, (0, 0.2, 0), "bob", within=(-1.0, 0.0))
    points = [(None, (-3, 0.1, 0)), middle, ("bob", (3, 0.1, 0))]
    spec.add_muscle("m", 0.0, points, [balls[:2], balls[2:]])
    model = spec.compile()
    parted, joined = (mm.muscles.muscle_paths(model, np.array([q]))[0] for q in (-1e-9, 1e-9))
    assert (parted.wrapped > 0).all()
    assert (joined.wrapped > 0).tolist() == [True, True, False, False]  # those of the first piece
    given = [(None, (-3, 0.1, 0)), ("bob", (3, 0.1, 0))]
    alone = mm.Spec("alone")
    alone.add_body("bob", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.cuboid((0.1, 0.1, 0.1), mass=1.0))
    alone.add_muscle("m", 0.0, given, [balls[:2]])
    np.testing.assert_allclose(joined.length, mm.muscle_lengths(alone.compile(), np.array([1e-9]))[0], rtol=1e-13)


def test_rerooted():
    spec = mm.Spec("two free bodies")
    spec.add_body("a", None, mm.Free3D(), inertia=SLENDER)
    spec.add_body("b", "a", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -0.2), mm.translation(0, 0, -0.2), SLENDER)
    surfaces = [
        mm.wrap.Cylinder("a", mm.translation(0, 0, z) @ ACROSS, radius=0.05, side=(0.05, 0, 0)) for z in (0.1, -0.18)
    ]
    spec.add_muscle("m", 0.4, [("a", (0.02, 0.03, 0.25)), ("b", (0.03, -0.02, -0.05))], [surfaces], smoothing="none")
    model = spec.compile()
    state = model.state(np.array([0.1, 0.2, 0.3, 0.3, -0.2, 0.5, 0.9]), np.linspace(0.5, -0.5, 7))
    assert (mm.muscles.muscle_paths(model, state.q)[0].wrapped > 0).all()
    other, there = mm.reroot(model, state, "b", place=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(mm.muscle_points(other, there.q)[0], mm.muscle_points(model, state.q)[0], atol=1e-13)
    np.testing.assert_allclose(
        sum(mm.energy(other, there.q, there.qdot)[:2]), sum(mm.energy(model, state.q, state.qdot)[:2]), rtol=1e-12
    )


def test_a_pose_that_is_no_number_has_no_path():
    """As in a run that diverges: the search in machine code ends all the same."""
    model, q = leg("cc"), np.full((1, 2), np.nan)
    with pytest.raises(FloatingPointError, match="muscle 'm': no path"):
        muscle_paths_along(model, MotionRows(np.zeros(1), q, np.zeros((1, 2)), NO_SLOTS, NO_CHARTS), np.arange(2))
