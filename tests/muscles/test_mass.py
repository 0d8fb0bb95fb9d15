"""How a muscle's mass is spread: closed forms, convergence, and what it does to a joint's inertia."""

import numpy as np
import pytest
from mechanisms import ACROSS, THROUGH, knee_cylinder, pendulum

import myomass as mm

Q, QDOT = np.array([0.4, 0.8]), np.array([-0.7, 1.9])
fast = pytest.mark.fast


def muscle_energy(model, q=Q, qdot=QDOT):
    """Kinetic energy of the muscles alone."""
    return 0.5 * qdot @ mm.muscle_inertia(model, q) @ qdot


def ends_velocities(model, q=Q, qdot=QDOT):
    """Velocities of the bodies' points that ACROSS hangs on."""
    return [mm.point_jacobian(model, q, body, place)[0] @ qdot for body, place in ACROSS["points"]]


@fast
def test_a_straight_continuous_muscle_has_the_energy_of_a_rod_that_may_stretch():
    model = pendulum({"mass": 2.0, "distribution": "continuous"} | ACROSS)
    v0, v1 = ends_velocities(model)
    assert muscle_energy(model) == pytest.approx(2.0 / 6 * (v0 @ v0 + v0 @ v1 + v1 @ v1), rel=1e-13)


@fast
@pytest.mark.parametrize("path", [ACROSS, THROUGH], ids=["straight", "points"])
def test_mass_points_converge_to_the_continuous_form(path):
    exact = muscle_energy(pendulum({"mass": 1.0, "distribution": "continuous"} | path))
    counts = [10, 40, 160, 640]
    errors = [abs(muscle_energy(pendulum({"mass": 1.0, "mass_points": n} | path)) - exact) for n in counts]
    assert errors[-1] < 3e-5 * exact
    if path is ACROSS:  # through points, the one mass point next to a corner spoils the even 1/N^2
        np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 16.0, rtol=1e-3)


@fast
def test_mass_points_over_a_surface_converge_to_the_continuous_form():
    over = {"wrap": [knee_cylinder()], "smoothing": "none"} | ACROSS
    q = np.array([0.3, 1.4])
    exact = muscle_energy(pendulum({"mass": 1.0, "distribution": "continuous"} | over), q)
    errors = [abs(muscle_energy(pendulum({"mass": 1.0, "mass_points": n} | over), q) - exact) for n in (20, 80, 320)]
    assert errors[0] < 1e-3 * exact and errors[2] < 1e-5 * exact


@fast
def test_a_belly_and_shares_are_what_they_say():
    belly = pendulum({"mass": 1.2, "distribution": mm.Belly(0.3, 0.6, continuous=True)} | ACROSS)
    v0, v1 = ends_velocities(belly)
    a, b = v0 + 0.3 * (v1 - v0), v0 + 0.6 * (v1 - v0)
    assert muscle_energy(belly) == pytest.approx(0.2 * (a @ a + a @ b + b @ b), rel=1e-12)
    shares = pendulum({"mass": 1.2, "distribution": (1, 0, 3)} | ACROSS)
    x, y = v0 + (v1 - v0) / 6, v0 + (v1 - v0) * 5 / 6
    assert muscle_energy(shares) == pytest.approx(0.5 * (0.3 * x @ x + 0.9 * y @ y), rel=1e-12)
    lumps = pendulum({"mass": 1.2, "distribution": mm.Lumps((0.0, 1.0))} | ACROSS)
    assert muscle_energy(lumps) == pytest.approx(0.5 * 0.6 * (v0 @ v0 + v1 @ v1), rel=1e-12)


@fast
def test_muscles_without_mass_and_tension_change_nothing():
    bare, muscled = pendulum(), pendulum(ACROSS, {"wrap": [knee_cylinder()]} | ACROSS)
    assert not muscled.muscles.active
    np.testing.assert_array_equal(mm.mass_matrix(muscled, Q), mm.mass_matrix(bare, Q))
    np.testing.assert_array_equal(mm.forward_dynamics(muscled, Q, QDOT), mm.forward_dynamics(bare, Q, QDOT))
    assert mm.muscle_lengths(muscled, Q).shape == (2,)


@fast
def test_a_tendon_of_fixed_length_that_is_carried_around_has_inertia():
    """What an armature, a mass that only resists changes of length, cannot give."""
    points = [("upper", (0.1, 0, 0.4)), ("upper", (0.1, 0, -0.4))]
    model = pendulum({"mass": 1.0, "points": points, "distribution": "continuous"})
    assert mm.moment_arms(model, Q) == pytest.approx(np.zeros((1, 2)), abs=1e-15)
    share = mm.muscle_inertia(model, Q)
    about_hip = 1.0 * (0.1**2 + 0.5**2 + 0.8**2 / 12)  # a rod of 0.8 m, its middle 0.1 m beside and 0.5 m below
    assert share[0, 0] == pytest.approx(about_hip, rel=1e-12)
    assert share[1] == pytest.approx(np.zeros(2), abs=1e-15)


def test_motion_and_torques_converge_to_the_lumped_model_as_mass_moves_to_the_bones():
    """The mass of the muscle is handed to the bones at its ends, so that the whole stays the same."""
    q, qdot, qddot = Q, QDOT, np.array([2.0, -3.0])
    torques, ends = [], []
    for share in (0.5, 0.05, 0.005, 0.0):
        ends_of_bone = {"mass": 1.0 - share, "distribution": mm.Lumps((0.0, 1.0))} | ACROSS
        muscles = [ends_of_bone, {"mass": share} | ACROSS]
        model = pendulum(*muscles)
        torques.append(mm.inverse_dynamics(model, q, qdot, qddot))
        ends.append(mm.simulate(model, q=q, duration=0.5, rtol=1e-9, atol=1e-10).q[-1])
    gaps = [np.abs(np.subtract(x[:-1], x[-1])).max(axis=1) for x in (torques, ends)]
    for gap in gaps:
        assert gap[1] / gap[0] < 0.12 and gap[2] / gap[1] < 0.12


@fast
def test_moment_arms_across_a_cylinder_are_its_radius():
    points = [("upper", (0.15, 0, 0.3)), ("lower", (0.15, 0, 0.1))]
    model = pendulum({"wrap": [knee_cylinder(radius=0.12)], "points": points})
    path = mm.muscles.muscle_paths(model, [0.1, 1.4])[0]
    assert path.wrapped[0] > 0.05 and path.on_surface.tolist() == [False, True, False]
    assert mm.moment_arms(model, [0.1, 1.4])[0] == pytest.approx([0.0, -0.12], abs=1e-12)
    steps = np.diff(path.corners, axis=0)
    straight = np.linalg.norm(steps[[0, 2]], axis=1).sum()
    assert path.length == pytest.approx(straight + path.wrapped[0], rel=1e-12)


def touch_down(model):
    """The knee's angle at which the first muscle touches down."""
    low, high = -0.6, 0.8
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if mm.muscles.muscle_paths(model, [0, middle])[0].wrapped[0] > 0 else (middle, high)
    return low


@fast
@pytest.mark.parametrize("eps", [0.01, 0.002])
def test_the_blend_is_exact_beyond_its_share_and_near_within(eps):
    over = {"wrap": [knee_cylinder()], "mass_points": 40} | ACROSS
    exact, blended = pendulum(over | {"smoothing": "none"}), pendulum(over | {"smoothing": eps})
    worst, smooth, length = 0.0, 0, 0.0
    for knee in touch_down(exact) + eps * np.linspace(-1, 12, 60):
        path = mm.muscles.muscle_paths(exact, [0.0, knee])[0]
        off = np.abs(mm.muscle_points(exact, [0.0, knee])[0] - mm.muscle_points(blended, [0.0, knee])[0]).max()
        np.testing.assert_array_equal(mm.muscle_lengths(exact, [0.0, knee]), mm.muscle_lengths(blended, [0.0, knee]))
        share = path.wrapped[0] / path.length
        if share == 0.0 or share >= eps:
            assert off == 0.0
        else:
            worst, smooth, length = max(worst, off), smooth + 1, path.length
    assert smooth >= 3 and 0.0 < worst < 0.07 * eps * length**2 / 0.12


@fast
def test_places_have_two_continuous_derivatives_at_touch_down():
    """Second differences across touch-down stay together as they get finer; without smoothing they grow as 1/h."""
    for smoothing in ("blend", "none"):
        model = pendulum({"wrap": [knee_cylinder()], "smoothing": smoothing} | ACROSS)
        knee, bends = touch_down(model), []
        for h in (1e-4, 1e-5):
            x = [mm.muscle_points(model, [0, knee + k * h])[0] for k in (-1, 0, 1)]
            bends.append(np.abs(x[0] - 2 * x[1] + x[2]).max() / h**2)
        assert (bends[1] < 1.5 * bends[0]) == (smoothing == "blend")


@fast
def test_a_line_that_is_just_tangent_is_straight():
    for angle in np.linspace(0, 6, 200):
        R = mm.rotation((0, 0, 1), angle)[:3, :3]
        points = [(None, R @ (0.12, 0.5, 0.1)), (None, R @ (0.12, -0.7, 0.3))]
        model = pendulum({"points": points, "wrap": [mm.wrap.Cylinder(None, radius=0.12 - 1e-15)]})
        assert mm.muscle_lengths(model, [0, 0])[0] == pytest.approx(np.hypot(1.2, 0.2), rel=1e-12)


@fast
def test_an_end_inside_is_straight_in_complex_numbers_too():
    points = [("upper", (0.5, 0, 0.3)), ("lower", (0.15, 0.05, 0.4))]
    model = pendulum({"mass": 1.0, "wrap": [knee_cylinder(radius=0.3)], "points": points})
    q = np.array([0.3, -0.2])
    np.testing.assert_allclose(mm.muscle_lengths(model, q + 0j), mm.muscle_lengths(model, q), rtol=1e-14)
