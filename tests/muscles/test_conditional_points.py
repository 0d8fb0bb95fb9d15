"""Points that are part of their path in a range of a coordinate only, and moving points with several coordinates."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from mechanisms import pendulum

import myomass as mm
from myomass.muscles.packed import path_point_dtype, path_points

pytestmark = pytest.mark.fast

STEP = 1e-30
START, END = ("upper", (0.15, 0.02, 0.3)), ("lower", (0.15, 0.05, 0.1))
OFF = (0.25, 0.0, -0.4)  # place on the upper bar, off the line
RANGE = (0.2, 0.9)  # of the lower joint [rad]
CONDITIONAL = mm.ConditionalPoint("upper", OFF, "lower", RANGE)
KINDS = [{}, {"distribution": "continuous"}, {"mass_points": 3, "distribution": mm.Belly(0.2, 0.8)}]


def with_and_without(**muscle):
    """Models with the conditional point, with a fixed one in its place, and without."""
    for point in ([CONDITIONAL], [("upper", OFF)], []):
        yield pendulum({"mass": 1.5, "tension": 3.0, "points": [START, *point, END]} | muscle)


@pytest.mark.parametrize("muscle", KINDS, ids=["points", "continuous", "belly"])
@pytest.mark.parametrize(("angle", "present"), [(0.19, False), (0.2, True), (0.5, True), (0.9, True), (0.91, False)])
def test_it_is_the_muscle_with_or_without_the_point(muscle, angle, present):
    model, there, gone = with_and_without(**muscle)
    other = there if present else gone
    q, qdot, qddot = np.array([0.3, angle]), np.array([1.0, -2.0]), np.array([0.4, 0.7])
    for function in (mm.muscle_lengths, mm.moment_arms, mm.mass_matrix, mm.muscle_inertia):
        np.testing.assert_array_equal(function(model, q), function(other, q))
    np.testing.assert_array_equal(mm.muscle_points(model, q), mm.muscle_points(other, q))
    J = mm.muscles.muscle_jacobian
    np.testing.assert_array_equal(J(model, q), J(other, q))
    np.testing.assert_array_equal(J(model, q, maximal=True), J(other, q, maximal=True))
    for function in (mm.inverse_dynamics, mm.joint_reactions, mm.forward_dynamics):
        np.testing.assert_array_equal(function(model, q, qdot, qddot), function(other, q, qdot, qddot))
    assert mm.energy(model, q, qdot) == mm.energy(other, q, qdot)
    path, known = mm.muscles.muscle_paths(model, q)[0], mm.muscles.muscle_paths(other, q)[0]
    np.testing.assert_array_equal(path.corners, known.corners)
    assert len(path.corners) == 2 + present
    for a, b in zip(mm.linearise(model, model.state(q, qdot)), mm.linearise(other, other.state(q, qdot)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_several_one_after_another_and_at_the_ends():
    """As in OpenSim, a path may begin or end with one, as long as two points are always there."""
    low, high = (-2.0, 0.0), (0.5, 2.0)
    points = [
        mm.ConditionalPoint(None, (0, 0, 0.1), "lower", low),
        START,
        mm.ConditionalPoint("upper", OFF, "lower", low),
        mm.ConditionalPoint("upper", (0.3, 0, -0.45), "upper", high),
        END,
        mm.ConditionalPoint("lower", (0, 0, -0.4), "lower", high),
    ]
    model = pendulum({"mass": 1.0, "points": points})
    plain = [(point.body, point.place) if isinstance(point, mm.ConditionalPoint) else point for point in points]
    for q, kept in [((0, -1), [0, 1, 2, 4]), ((1, -1), [0, 1, 2, 3, 4]), ((0, 0.2), [1, 4]), ((0, 1), [1, 4, 5])]:
        other = pendulum({"mass": 1.0, "points": [plain[k] for k in kept]})
        q = np.array(q, float)
        np.testing.assert_allclose(mm.muscle_lengths(model, q), mm.muscle_lengths(other, q), rtol=1e-15)
        np.testing.assert_allclose(mm.mass_matrix(model, q), mm.mass_matrix(other, q), rtol=1e-12)


def test_a_surface_stays_where_the_point_before_it_is_gone():
    knee = mm.wrap.Cylinder("upper", mm.translation(0, 0, -0.5) @ mm.rotation((1, 0, 0), np.pi / 2), 0.12, (0.1, 0, 0))
    for wrap in ([None, knee], [knee, None]):
        point = replace(CONDITIONAL, place=(0.2, 0, 0.1))
        model = pendulum({"points": [START, point, END], "wrap": wrap})
        other = pendulum({"points": [START, END], "wrap": [knee]})
        q = np.array([0.0, 1.0])
        assert mm.muscles.muscle_paths(other, q)[0].wrapped[0] > 0.1
        np.testing.assert_array_equal(mm.muscle_lengths(model, q), mm.muscle_lengths(other, q))
        np.testing.assert_array_equal(mm.moment_arms(model, q), mm.moment_arms(other, q))


def named_arm(point, **muscle):
    """Two bars with named coordinates, the second on a hinge that also slides; a muscle through a point."""
    spec = mm.Spec("named")
    bar, down = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0), mm.translation(0, 0, -0.5)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), E_jb=down, inertia=bar, coordinates="swing")
    knee = mm.Composite(mm.Revolute((0, 1, 0)), mm.Prismatic((1, 0, 0)))
    spec.add_body("lower", "upper", knee, mm.translation(0, 0, -1), down, bar, coordinates=["knee", "slide"])
    spec.add_muscle("m", 0.7, [START, point, END], **muscle)
    return spec.compile()


def test_coordinates_by_name():
    curve = mm.Motion.through([-1, 0, 1], [0.1, 0.2, 0.5])
    q = np.array([0.2, 0.6, 0.1])
    for one, other in [
        (mm.ConditionalPoint("upper", OFF, "slide", (0, 1)), mm.ConditionalPoint("upper", OFF, "lower", (0, 1), 1)),
        (mm.MovingPoint("upper", (0.1, curve, 0), "slide"), mm.MovingPoint("upper", (0.1, curve, 0), "lower", 1)),
        (mm.MovingPoint("upper", (0.1, curve, 0), "swing"), mm.MovingPoint("upper", (0.1, curve, 0), "upper")),
    ]:  # fmt: skip
        a, b = named_arm(one), named_arm(other)
        np.testing.assert_array_equal(mm.mass_matrix(a, q), mm.mass_matrix(b, q))
        np.testing.assert_array_equal(a.muscles.points, b.muscles.points)


CURVES = [
    mm.Motion.through([-2, -1, 0, 1, 2], values) for values in ([0.1, 0.3, 0.2, 0.4, 0.2], [0, 0.1, -0.2, 0, 0.3])
]
BY_AXIS = mm.MovingPoint("upper", (CURVES[0], CURVES[1], -0.4), ("knee", "slide", None))
SAME = mm.MovingPoint("lower", (CURVES[0], CURVES[1], CURVES[0]), ("lower", "lower", "swing"), (1, 0, 0))


@pytest.mark.parametrize("point", [BY_AXIS, SAME], ids=["two coordinates", "three of one joint and another"])
def test_each_axis_follows_its_own_coordinate(point):
    model = named_arm(point, tension=5.0, distribution="continuous")
    rng = np.random.default_rng(1)
    q, qdot, qddot = rng.uniform(-0.5, 0.5, (3, 3))
    lengths = [mm.muscle_lengths(model, q + STEP * 1j * e).imag / STEP for e in np.eye(3)]
    np.testing.assert_allclose(-mm.moment_arms(model, q), np.stack(lengths, axis=-1), atol=1e-14)
    J = mm.muscles.muscle_jacobian(named_arm(point), q)[0]
    moved = [mm.muscle_points(named_arm(point), q + STEP * 1j * e)[0].imag / STEP for e in np.eye(3)]
    np.testing.assert_allclose(J, np.stack(moved, axis=-1), atol=1e-13)
    power = np.imag(mm.energy(model, q + STEP * 1j * qdot, qdot + STEP * 1j * qddot).total) / STEP
    assert power == pytest.approx(qdot @ mm.inverse_dynamics(model, q, qdot, qddot), rel=1e-12)


def test_places_of_a_point_with_two_coordinates():
    model = named_arm(BY_AXIS)
    q = np.array([0.2, 0.6, 0.1])
    E = mm.forward_kinematics(model, q)[0]
    place = (E @ [CURVES[0](0.6), CURVES[1](0.1), -0.4, 1.0])[:3]
    np.testing.assert_allclose(mm.muscles.muscle_paths(model, q)[0].corners[1], place, atol=1e-15)


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        (mm.ConditionalPoint("upper", OFF, "elbow", RANGE), "no body 'elbow'"),
        (mm.ConditionalPoint("upper", OFF, "lower", (1.0, 0.0)), r"within is \(low, high\)"),
        (mm.ConditionalPoint("upper", OFF, "lower", 1.0), "within, "),
        (mm.ConditionalPoint("upper", OFF, "lower", (0.0, np.nan)), "within"),
        (mm.ConditionalPoint("upper", (0, 0), "lower", RANGE), "a point"),
        (mm.ConditionalPoint("upper", OFF, "lower", RANGE, 1), "no number 1"),
        (mm.MovingPoint("upper", (0, 0, mm.Motion.through([0, 1], [0, 1])), ("lower", "lower", None)), "z is a motion"),
        (mm.MovingPoint("upper", (0, 0, 0), ("lower", "lower")), "or three of each"),
        (mm.MovingPoint("upper", (0, 0, 0), ("lower", None, "lower"), (0, 0)), "or three of each"),
    ],
)
def test_bad_points(point, sentence):
    with pytest.raises((ValueError, TypeError), match=f"muscle 'm0': .*{sentence}"):
        pendulum({"points": [START, point, END]})


def test_two_points_are_always_there():
    with pytest.raises(ValueError, match="muscle 'm0': a path needs two points at least that are always part of it"):
        pendulum({"points": [START, CONDITIONAL]})
    with pytest.raises(ValueError, match="keeps its meaning"):
        pendulum({"points": [START, CONDITIONAL, END]}, knee=mm.SphericalExp())


def test_files_and_pickles_keep_them(tmp_path):
    model = next(with_and_without())
    q = np.array([0.0, 0.5])
    mm.simulate(model, q=q, duration=0.01).save(tmp_path / "run.npz")
    for other in (mm.Trajectory.load(tmp_path / "run.npz").model, pickle.loads(pickle.dumps(model))):
        for angle in (0.5, 1.0):
            q[1] = angle
            np.testing.assert_array_equal(mm.muscle_lengths(other, q), mm.muscle_lengths(model, q))


def test_points_of_older_files():
    """There, one coordinate moved all axes."""
    whole = [("link", "i8"), ("dof", "i8"), ("at", "i8", (3,)), ("p", "f8", (3,)), ("R", "f8", (3, 3))]
    old = np.zeros(2, np.dtype(whole, align=True))
    old["dof"], old["link"], old["p"] = (-1, 4), (1, 2), np.arange(6).reshape(2, 3)
    new = path_points(old, np.float64)
    assert new.dtype == path_point_dtype(np.float64)
    np.testing.assert_array_equal(new["dof"], [[-1] * 3, [4] * 3])
    np.testing.assert_array_equal(new["gate"], [-1, -1])
    np.testing.assert_array_equal(new["p"], old["p"])


def test_rerooted_models_keep_them():
    """The same motion of the legs seen from the other end."""
    model = next(with_and_without())
    for angle in (0.5, 1.0):
        q = np.array([0.2, angle])
        state = model.state(q, [0.1, 0.2])
        other, moved = mm.reroot(model, state, "lower", place=(0, 0, 0))
        np.testing.assert_allclose(mm.muscle_lengths(other, moved.q), mm.muscle_lengths(model, q), rtol=1e-12)
        np.testing.assert_allclose(mm.energy(other, moved.q, moved.qdot), mm.energy(model, q, state.qdot), rtol=1e-10)


def test_a_rerooted_spec_keeps_them():
    spec = mm.Spec("three")
    bar, down = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0), mm.translation(0, 0, -0.5)
    for name, parent in (("a", None), ("b", "a"), ("c", "b")):
        E = None if parent is None else mm.translation(0, 0, -1)
        spec.add_body(name, parent, mm.Revolute((0, 1, 0)), E, down, bar)
    moving = mm.MovingPoint("c", (CURVES[0], 0.1, CURVES[1]), ("b", None, "c"))
    points = [("a", (0.1, 0, 0)), mm.ConditionalPoint("b", (0.3, 0, 0), "c", (0.2, 0.8)), moving, ("c", (0, 0, -0.3))]
    spec.add_muscle("m", 1.0, points)
    model, other = spec.compile(), spec.reroot("c", q={}).compile()
    for angle in (0.5, 0.9):
        q = np.array([0.0, 0.3, angle])
        state = model.state(q, [0.1, 0.2, -0.3])
        known, moved = mm.reroot(model, state, "c", place=(0, 0, 0))
        np.testing.assert_allclose(mm.muscle_lengths(other, moved.q), mm.muscle_lengths(known, moved.q), rtol=1e-12)
