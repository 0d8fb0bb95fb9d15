"""The experiments with double pendulums: touching down, a row of them, the quadratic velocity vector."""

import json

import numpy as np
import pytest

import myomass as mm
from myomass_experiments import pendulum_row, quadratic_velocity, reproduce, touch_down
from myomass_experiments.pendulums import MASS, SMOOTH, SMOOTHINGS, Pendulum, bones


def numbers_of(name, folder):
    """What an experiment writes beside its figures, which are there too."""
    files, _ = reproduce(name, folder)
    for file in files[:-1]:
        assert file.suffix == ".png" and file.stat().st_size > 10_000
    return json.loads(files[-1].read_text())


def test_touch_down(tmp_path):
    found = numbers_of("touch-down", tmp_path)
    jump, by_smoothing = found["jump_of_the_exact_jacobian_m_per_rad"], found["smoothings"]
    assert tuple(by_smoothing) == SMOOTHINGS
    exact = by_smoothing["none"]
    assert exact["touch_downs"] >= 3 and exact["off_the_exact_path"] == 0.0
    assert exact["energy_drift"] > 0.1 and exact["largest_jump_of_energy_in_a_step"] > 0.05
    assert exact["largest_step_of_the_jacobian_m_per_rad"] == pytest.approx(jump, rel=1e-3)
    for smoothing in SMOOTHINGS[1:]:
        smooth = by_smoothing[smoothing]
        assert smooth["touch_downs"] >= 3 and 0 < smooth["off_the_exact_path"] < 0.02
        assert smooth["energy_drift"] < 1e-3 and smooth["largest_jump_of_energy_in_a_step"] < 1e-3
        assert smooth["largest_step_of_the_jacobian_m_per_rad"] < 0.02 * jump


def test_the_angle_of_touch_down_is_that_of_a_tangent_to_a_circle():
    pendulum = Pendulum()
    (x_o, _, z_o), (x_i, _, z_i), r = pendulum.origin, pendulum.insertion, pendulum.radius
    between = np.arctan2(z_o, x_o) - np.arctan2(z_i, x_i)  # at a straight knee
    tangent = np.arccos(r / np.hypot(x_o, z_o)) + np.arccos(r / np.hypot(x_i, z_i))
    assert touch_down.touch_down_angle(pendulum.model("none")) == pytest.approx(tangent - between, abs=1e-12)


def test_the_exact_jacobian_jumps_as_differences_of_places_do():
    exact, step = Pendulum().model("none"), 1e-6
    touch = touch_down.touch_down_angle(exact)
    x = [mm.muscle_points(exact, [0.0, touch + k * step])[0][list(touch_down.CHOSEN)] for k in (-2, -1, 1, 2)]
    jump = np.linalg.norm((x[3] - x[2]) / step - (x[1] - x[0]) / step, axis=1).max()
    sides = touch_down.look_at(exact, np.array([touch - step, touch + step]))
    assert sides.largest_step == pytest.approx(jump, rel=1e-4)


def test_pendulum_row(tmp_path):
    found = numbers_of("pendulum-row", tmp_path)
    assert found["smoothing"] == SMOOTH and found["lumped_energy_drift"] < 1e-9
    assert list(found["pendulums"]) == list(pendulum_row.ROW)
    for one in found["pendulums"].values():
        assert one["touch_downs"] >= 2 and one["energy_drift"] < 1e-3
        assert one["energy_drift_of_others"]["none"] > 0.05
        assert 0 < one["off_the_exact_path"] < 0.03
        apart = {other: rad["early"] for other, rad in one["apart_rad"].items()}
        assert 0 < apart["sharp blend"] < 0.2 * apart["none"] < apart["none"] < apart["lumped"]


def test_ever_shorter_blends_approach_a_motion():
    pendulum = pendulum_row.ROW["first"]
    widths = ((0.01, 5e-4), (0.005, 1e-4), (0.002, 5e-5), (pendulum_row.SHARP, pendulum_row.SHARP_STEP))
    *runs, sharp = (pendulum_row.swing(pendulum, width, h).q for width, h in widths)
    apart = [np.abs(q - sharp).max() for q in runs]
    assert apart[0] > 2 * apart[1] > 4 * apart[2]


@pytest.mark.parametrize("name", pendulum_row.ROW)
def test_ends_stay_where_the_network_knows_them(name):
    """From 1.02 to 20 radii away from the axis, less than three quarters of a turn apart."""
    pendulum = pendulum_row.ROW[name]
    knee = pendulum_row.swing(pendulum, "blend").q[::20, 1]
    surface = mm.rotation((0, 0, 1), pendulum.turn)[:3, :3]
    insertion = np.array([mm.rotation((0, 1, 0), angle)[:3, :3] @ pendulum.insertion for angle in knee]) @ surface
    origin = np.array([pendulum.origin]) @ surface
    for end in (origin, insertion):
        distance = np.hypot(end[:, 0], end[:, 2]) / pendulum.radius
        assert distance.min() > 1.02 and distance.max() < 20.0
    turn = np.arctan2(origin[:, 2], origin[:, 0]) - np.arctan2(insertion[:, 2], insertion[:, 0])
    assert turn.min() > 0.0 and turn.max() < 1.5 * np.pi


def test_the_lumped_pendulum_has_the_mass_of_the_others_on_its_bones():
    lumped, muscled, q = Pendulum().model(None), Pendulum().model(SMOOTH), np.array([0.4, -0.7])
    assert len(lumped.muscles) == 0
    assert lumped.bodies["mass"].sum() == muscled.bodies["mass"].sum() + muscled.muscles.table["mass"].sum()
    np.testing.assert_allclose(mm.mass_matrix(lumped, q), 1.5 * mm.mass_matrix(bones(MASS, (1, 1, 1)).compile(), q))


def test_quadratic_velocity(tmp_path):
    found = numbers_of("quadratic-velocity", tmp_path)
    for name, orders in (("type II", (1.95, 2.05)), ("type III", (1.5, 2.5))):
        one = found[name]
        assert one["energy_drift_without"] > 0.03
        assert one["energy_drift_with"] < 0.01 * one["energy_drift_without"]
        assert one["energy_drift_without_by_rk4"] == pytest.approx(one["energy_drift_without"], rel=0.3)
        assert orders[0] < one["order"] < orders[1]
    np.testing.assert_allclose(found["type II"]["falls_by"], 4.0, rtol=0.02)


@pytest.mark.parametrize("q2", [-0.4, 0.1, 0.7])
def test_the_vector_is_that_of_the_mass_points(q2):
    model, q, qdot = Pendulum().model(SMOOTH), np.array([0.3, q2]), np.array([1.0, -2.0])
    J, Jdot = (
        np.array(x)
        for x in (mm.muscles.muscle_jacobian(model, q)[0], mm.muscles.muscle_jacobian_dot(model, q, qdot)[0])
    )
    by_points = MASS / len(J) * np.einsum("pai,paj,j->i", J, Jdot, qdot)
    np.testing.assert_allclose(quadratic_velocity.quadratic_velocity(model)(0.0, q, qdot), by_points, atol=1e-12)


def test_without_the_vector_the_acceleration_is_that_of_the_other_terms():
    model, q, qdot = Pendulum().model(SMOOTH), np.array([0.3, 0.7]), np.array([1.0, -2.0])
    bare = bones(MASS, (1, 1, 1)).compile()
    tau = quadratic_velocity.quadratic_velocity(model)(0.0, q, qdot)
    left = mm.dynamics.coriolis_forces(bare, q, qdot) + mm.dynamics.gravity_forces(model, q)
    expected = np.linalg.solve(mm.mass_matrix(model, q), -left)
    np.testing.assert_allclose(mm.forward_dynamics(model, q, qdot, tau), expected, rtol=1e-10)
