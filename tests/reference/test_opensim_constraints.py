"""Models with couplings and locks, read from .osim files, against OpenSim 4.6: poses, masses, accelerations, a run.

A few poses of leg6dof9musc, whose patella follows the knee, are a fixture; where the folder of reference numbers lies
beside the repository, all poses and the stored run of every model that has constraints or locks are compared.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from opensim_models import Maker, follow
from opensim_reference import numbers, reference

import myomass as mm

FIXTURES = Path(__file__).parents[1] / "fixtures" / "osim"
LEG = "leg6dof9musc/leg6dof9musc.osim", "leg6dof9musc/poses.json"
FROM_FOLDER = {
    "all of leg6dof9musc": LEG,
    "all of gait10dof18musc": ("gait10dof18musc/gait10dof18musc.osim", "gait10dof18musc/poses.json"),
    "all of subject01": ("gait10dof18musc/subject01.osim", "gait10dof18musc/poses_subject01.json"),
    "all of tug_of_war": ("tug_of_war/Tug_of_War.osim", "tug_of_war/poses_Tug_of_War.json"),
}
NAMES = ["leg6dof9musc", *FROM_FOLDER]


@cache
def case(name, eliminate=False):
    """(model, the reference's numbers, its columns of our coordinates)."""
    if name in FROM_FOLDER:
        path, known = reference(FROM_FOLDER[name][0]), numbers(FROM_FOLDER[name][1])
    else:
        path, known = FIXTURES / f"{name}.osim", json.loads((FIXTURES / f"{name}.json").read_text())
    model = mm.io.read_osim(path, forces=False, eliminate=eliminate).compile()
    names = [c["name"] for c in known["coordinates"]]
    return model, known, [names.index(c) for c in model.coordinates]


def close(found, expected, tolerance):
    """Equal in parts of the largest value."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("name", NAMES)
class TestConstrained:
    def test_rows_hold_at_poses(self, name):
        """Poses and speeds of the reference satisfy the couplings: the rows are zero, and so are their rates."""
        model, known, columns = case(name)
        locked = {c["name"] for c in known["coordinates"] if c["locked"]}
        following = {c["name"] for c in known["coordinates"] if c.get("depends_on")}
        assert len(model.constraints) == len(locked) + len(following)
        for pose in known["poses"]:
            q, u = np.array(pose["q"])[columns], np.array(pose["u"])[columns]
            values, speeds = mm.dynamics.constraint_values(model, q, u)
            assert np.abs(values).max(initial=0) < 1e-12
            assert np.abs(speeds).max(initial=0) < 1e-12

    def test_masses_of_the_tree(self, name):
        """Rows are not part of mass matrices and bodies' poses."""
        model, known, columns = case(name)
        for pose in known["poses"]:
            q = np.array(pose["q"])[columns]
            close(mm.mass_matrix(model, q), np.array(pose["mass_matrix"])[np.ix_(columns, columns)], 1e-8)
            E = mm.forward_kinematics(model, q)
            for body, pose_of_file in pose["body_poses"].items():
                close((E[model.body(body)] @ model.frames[body].pose)[:3], np.array(pose_of_file), 1e-10)

    def test_accelerations_under_gravity(self, name):
        """With couplings and locks enforced."""
        model, known, columns = case(name)
        for pose in known["poses"]:
            q, u = np.array(pose["q"])[columns], np.array(pose["u"])[columns]
            close(mm.forward_dynamics(model, q, u), np.array(pose["udot_gravity_only"])[columns], 1e-8)

    def test_accelerations_with_less_coordinates(self, name):
        model, known, columns = case(name, eliminate=True)
        assert not any(one.locked for one in model.coordinate_specs)
        for pose in known["poses"]:
            q, u = np.array(pose["q"])[columns], np.array(pose["u"])[columns]
            close(mm.forward_dynamics(model, q, u), np.array(pose["udot_gravity_only"])[columns], 1e-8)

    def test_the_start_is_on_the_constraints(self, name):
        model, known, columns = case(name)
        state = model.state()
        assert np.abs(mm.dynamics.constraint_values(model, state.q, state.qdot)[0]).max(initial=0) < 1e-14
        expected = np.array(known["poses"][0]["q"])[columns]  # OpenSim's default pose
        np.testing.assert_allclose(state.q, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("locked", ["rows", "left out"])
def test_a_run_of_the_leg(locked):
    """The stored second of leg6dof9musc at every 101 of its times; locks held by rows, or left out of the model."""
    stored = numbers("leg6dof9musc/forward.json")
    stored = stored | {"excitations": stored["excitations"]["rows"]}
    maker = Maker("leg6dof9musc", stored["locked"], eliminate=locked == "left out")
    trajectory, off = follow(maker, stored, rtol=1e-9, atol=1e-11)
    assert trajectory.ended == "completed"
    assert len(trajectory.t) == 101
    for quantity, columns in off.items():
        assert columns.max() < 1e-5, quantity
