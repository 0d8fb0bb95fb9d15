"""Experiments on the inertia of muscles: a flicked finger, two bones, shares of joints' inertias."""

import json
from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from typer.testing import CliRunner

from myomass import moment_arms, simulate
from myomass.cli import app
from myomass.dynamics import muscle_inertia
from myomass_experiments import finger, muscle_share, two_bones


def done(name, folder):
    """The numbers of an experiment, by the command line; its pictures are there."""
    answer = CliRunner().invoke(app, ["reproduce", name, "--out", str(folder)])
    assert answer.exit_code == 0, answer.output
    pictures = list(folder.glob("*.png"))
    assert pictures
    assert all(picture.stat().st_size > 10_000 for picture in pictures)
    return json.loads((folder / f"{name}.json").read_text())


def by_hand(length, t, q, v):
    """Accelerations of the two bones with a uniform straight muscle, from Lagrange's equations written out."""
    m, g, step = two_bones.MASS, 9.81, 1e-30
    side, width = two_bones.BESIDE * length, two_bones.THICKNESS * length
    moment = m * (length**2 + width**2) / 12

    def point(q, bone, along, beside):
        """(place, Jacobian) in the plane of a point so far along a bone and beside it."""
        turn = np.array([q[0], q[0] + q[1]])
        down, ddown = np.array([-np.sin(turn), -np.cos(turn)]), np.array([-np.cos(turn), np.sin(turn)])
        out, dout = np.array([np.cos(turn), -np.sin(turn)]), np.array([-np.sin(turn), -np.cos(turn)])
        place = along * down[:, bone] + beside * out[:, bone] + (length * down[:, 0] if bone else 0)
        slope = along * ddown[:, bone] + beside * dout[:, bone]
        first = length * ddown[:, 0] if bone else 0
        return place, np.column_stack([first + slope, slope if bone else 0 * slope])

    def mass_and_height(q):
        M, height = np.zeros((2, 2), q.dtype), 0
        for bone in (0, 1):
            place, J = point(q, bone, length / 2, 0.0)
            turns = np.array([1.0, bone])
            M, height = M + m * J.T @ J + moment * np.outer(turns, turns), height + m * place[1]
        x0, J0 = point(q, 0, two_bones.ORIGIN * length, side)
        x1, J1 = point(q, 1, two_bones.INSERTION * length, side)
        M = M + m / 3 * (J0.T @ J0 + J1.T @ J1 + (J0.T @ J1 + J1.T @ J0) / 2)
        return M, height + m / 2 * (x0[1] + x1[1])

    M, _ = mass_and_height(q.astype(complex))
    parts = [mass_and_height(q + 1j * step * np.eye(2)[k]) for k in range(2)]
    dM = [part[0].imag / step for part in parts]
    weight = np.array([g * part[1].imag / step for part in parts])
    pull = np.array([0.5 * v @ dM[k] @ v for k in range(2)]) - sum(dM[k] * v[k] for k in range(2)) @ v - weight
    return np.linalg.solve(M.real, pull)


def test_two_bones(tmp_path):
    numbers = done("two-bones", tmp_path)
    start, length = np.array(numbers["start_angles_rad"]), numbers["length_of_a_bone_m"]
    np.testing.assert_allclose(numbers["angles_at_0.3_s_rad"]["muscle"], 0, atol=1e-10)
    assert np.abs(numbers["angles_at_0.3_s_rad"]["lumped"]).min() > 0.05
    assert max(numbers["energy_drift_J"].values()) < 1e-11 * numbers["energy_turned_J"]

    def slope(t, x):
        return np.concatenate([x[2:], by_hand(length, t, x[:2], x[2:])])

    path = solve_ivp(slope, (0, 0.3), [*start, 0, 0], method="DOP853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(path.y[:2, -1], 0, atol=1e-9)  # independent equations straighten there too


def test_a_lumped_muscle_moves_as_none(monkeypatch):
    """Bones of any mass fall alike, so lumping by halves leaves nothing of the muscle."""
    ends = []
    for mass in (1.0, 7.0):
        monkeypatch.setattr(two_bones, "MASS", mass)
        run = simulate(two_bones.bones(0.3, lumped=True), q=[0.5, 0.2], duration=0.3, **two_bones.TIGHT)
        ends.append(run.q[-1])
    np.testing.assert_allclose(*ends, atol=1e-10)


def test_muscle_share(tmp_path):
    numbers = done("muscle-share", tmp_path)
    for joint in (numbers["rat_knee"], numbers["human_ankle"]):
        exact, counts = joint["share_closed_form"], np.array(joint["points"])
        assert joint["share_continuous"] == pytest.approx(exact, rel=1e-13)
        assert joint["share_by_integration"] == pytest.approx(exact, rel=1e-13)
        assert joint["largest_relative_miss_of_continuous_in_four_poses"] < 1e-13
        middle = np.array(joint["share_points_in_the_middle_of_parts"])
        np.testing.assert_allclose(middle, exact * (1 - 0.25 / counts**2), rtol=1e-12)
        ends = np.array(joint["share_points_from_end_to_end"][1:])
        np.testing.assert_allclose(ends, exact * (1 + 0.5 / (counts[1:] - 1)), rtol=1e-12)
        bellies = joint["belly_to_halfway"]
        assert bellies["largest_relative_miss_of_the_closed_form"] < 1e-13
        part = bellies["of_mass_from_end_to_end"]
        np.testing.assert_allclose(part["tendon stretches"], 0.25, rtol=1e-12)
        assert all(0.25 < x < 1.0 for x in part["tendon inextensible"])
    rat, ankle = numbers["rat_knee"], numbers["human_ankle"]
    radius = np.hypot(3.59 + 0.57, 23.77 - 39.96) * 1e-3
    rod = rat["mass_of_the_bones_kg"] * (0.57**2 + 39.96**2) * 1e-6 / 3
    assert rat["share_closed_form"] == pytest.approx(1.655e-3 * radius**2 / 3 / rod, rel=1e-2)  # rod and not cylinder
    assert 0.35 < rat["share_closed_form"] < rat["share_with_the_insertion_spread"] < 0.5
    assert ankle["share_closed_form"] < ankle["share_published"] < ankle["share_with_muscles_of_living_men"]


def test_the_origin_of_a_straight_muscle_does_not_matter():
    joint = muscle_share.rat_knee()
    (_, insertion, mass), *_ = joint.muscles
    elsewhere = joint._replace(muscles=[((0.02, -0.05), insertion, mass)])
    assert muscle_share.share(elsewhere, "continuous", q=0.3) == pytest.approx(
        muscle_share.closed_form(joint), rel=1e-13
    )


def test_the_finger_bears_more_with_its_muscles():
    lumped, muscles = (partial(finger.growth, finger.MODELS[name], "euler") for name in ("lumped", "muscles"))
    assert lumped(1.0) < 1.2 < 2.0 < lumped(5.0)
    assert muscles(5.0) < 1.1
    assert finger.exact_drift(finger.EVENLY, 5.0) < 1e-8  # the motion itself keeps its energy
    largest = finger.largest_stable(lumped)
    assert lumped(0.999 * largest) <= finger.DOUBLED < lumped(1.002 * largest)
    assert 2.0 < largest < 4.0


def test_the_two_flexors_have_the_moment_arms_of_the_table():
    """Of the straight finger; and the force of a flick extends the last joint."""
    arms = np.abs(moment_arms(finger.finger(finger.EVENLY), np.zeros(3)))
    np.testing.assert_allclose(arms, [finger.ARMS["FDP"], (*finger.ARMS["FDS"], 0.0)], atol=1e-15)
    assert finger.flick(None, "euler", 1.0).qdot[finger.FLICKED, 2] < 0


def test_bellies_between_inextensible_tendons_move_with_the_excursion():
    """Both bellies lie between elbow and wrist, which stand still: they add a third of m (dl/dq)^2, in every pose."""
    for q in (finger.RELAXED, np.zeros(3), np.array([0.2, 0.9, 0.5])):
        arms = moment_arms(finger.finger(finger.STIFF), q)
        added = [muscle_inertia(finger.finger(mass), q) for mass in (finger.STIFF, finger.IN_THE_BELLY)]
        np.testing.assert_allclose(added[0], finger.MUSCLE_MASS / 3 * arms.T @ arms, rtol=1e-12)
        a, b = finger.STIFF.start, finger.STIFF.end
        np.testing.assert_allclose(added[1], (a * a + a * b + b * b) * added[0], rtol=1e-12)


@pytest.mark.slow
def test_the_finger(tmp_path):
    numbers = done("finger", tmp_path)
    largest, ratio = numbers["largest_stable_force_N"], numbers["ratio_to_lumped"]
    assert largest["lumped"] < largest["muscles_with_bellies"] < largest["muscles"]
    assert largest["muscles_with_bellies"] < 0.5 * largest["muscles_with_inextensible_tendons"]
    assert ratio["muscles_with_bellies"] < 4.0 < ratio["muscles"]  # the dissertation's ratio lies between
    assert numbers["energy_drift_of_the_exact_motion"] < 1e-8
