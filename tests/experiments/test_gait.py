"""Ankle torque in swing with mass in the muscles, by the command line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import myomass as mm
from myomass.analyses import inverse_dynamics
from myomass.cli import app
from myomass_experiments import gait


def numbers_of(name, folder, picture):
    answer = CliRunner().invoke(app, ["reproduce", name, "--out", str(folder)])
    assert answer.exit_code == 0, answer.output
    assert (folder / picture).stat().st_size > 30_000
    return json.loads((folder / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return numbers_of("gait", tmp_path_factory.mktemp("gait"), "gait-ankle.png")


@pytest.fixture(scope="module")
def walk():
    return gait.recorded_walk()


def test_four_swings_reach_from_toe_off_to_touch_down(found, walk):
    assert [side for side, _, _ in found["swings_s"]] == ["r", "l", "r", "l"]
    for side, leaves, lands in walk.swings:
        force = next(one for one in walk.loads if one.body == f"calcn_{side}")
        t, up = force.table.t, force.table[force.force[1]]
        inside = (t >= leaves) & (t < lands)
        assert up[inside].max() <= gait.ON_GROUND < min(up[inside.argmax() - 1], up[np.flatnonzero(inside)[-1] + 1])
        assert 0.35 < lands - leaves < 0.5


def test_without_mass_it_is_what_opensim_finds(found, walk):
    assert found["our_inverse_dynamics_off_OpenSim_in_parts_of_each_torques_range"] < 1e-8
    assert found["with_0_percent"]["largest_difference_of_the_means_Nm"] < 1e-7
    none = inverse_dynamics(gait.with_mass(walk, 0.0).compile(), walk.motion, walk.loads)
    massless = inverse_dynamics(walk.spec.compile(), walk.motion, walk.loads)
    assert np.abs(none.tau - massless.tau).max() < 1e-10


def test_mass_in_muscles_changes_the_torque(found):
    changed = found["with_80_percent"]
    assert changed["percent_of_the_largest_torque"] == pytest.approx(51.07, abs=0.1)
    assert min(changed["percent_of_the_largest_torque_of_each_swing"]) > 40.0
    assert found["final_dip_Nm"]["ours, 80 %"] < 1.5 * found["final_dip_Nm"]["OpenSim"] < 0.0
    assert found["what_is_left_of_the_shank_matters_by_Nm"] < 1e-12
    assert 0.3 < found["largest_share_that_keeps_the_shanks_inertia"] < 0.5
    assert sum(found["mass_of_a_muscle_kg"].values()) == pytest.approx(0.8 * 3.581, rel=1e-3)


def test_torque_of_the_muscles_by_d_alembert(walk):
    """At one row: the sum of m (a - g) . dx/dq over mass points, their accelerations by differences in time."""
    spec = gait.with_mass(walk, gait.SHARE)
    model, row = spec.compile(), 70
    none = walk.spec.compile()
    one = slice(row, row + 1)
    motion = walk.motion.between(walk.motion.t[row], walk.motion.t[row])
    added = inverse_dynamics(model, motion).tau[0] - inverse_dynamics(none, motion).tau[0]
    q, qdot, qddot = (x[one][0] for x in (walk.motion.q, walk.motion.qdot, walk.motion.qddot))
    k, h = model.coordinate("ankle_angle_r"), 1e-4
    expected, far = 0.0, []
    for place, J, name in zip(range(18), mm.muscles.muscle_jacobian(model, q), model.muscles.names, strict=True):
        mass = spec.muscles[name].mass / 20
        if mass:
            x = [mm.muscle_points(model, q + s * h * qdot + 0.5 * (s * h) ** 2 * qddot)[place] for s in (-1, 0, 1)]
            a = (x[0] - 2 * x[1] + x[2]) / h**2 - np.array(spec.gravity)
            expected += mass * np.einsum("ni,ni->", J[:, :, k], a)
            far.append(mass)
    assert len(far) == 6 and added[k] == pytest.approx(expected, abs=2e-5 * abs(expected) + 1e-6)


def test_it_degrades_in_proportion(tmp_path):
    numbers = numbers_of("degradation", tmp_path, "degradation.png")
    away, share = np.array(numbers["largest_difference_of_the_means_Nm"]), np.array(numbers["share_percent"])
    assert len(share) == 9 and share[-1] == pytest.approx(80.0)
    assert away[0] == 0.0 and np.allclose(away, away[-1] * share / 80.0, rtol=1e-6)
    assert numbers["off_a_straight_line_between_0_and_80_percent_Nm"] < 1e-10
