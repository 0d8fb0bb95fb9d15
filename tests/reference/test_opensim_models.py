"""Models read from .osim files against OpenSim 4.6: poses, velocities, mass matrices, torques, paths, accelerations.

Models of OpenSim's public collection (CC BY 3.0, credits in the files) and one made up of two of each kind of joint are
fixtures with a few poses each; where the folder of reference numbers lies beside the repository, all its poses and
models are compared. In ball, free and ellipsoid joints OpenSim's speeds are angular velocities u of the child in the
parent's joint frame, qdot = N u, and its torques belong to them: N^T tau.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from opensim_reference import FOLDER

import myomass as mm

FIXTURES = Path(__file__).parents[1] / "fixtures" / "osim"
FROM_FOLDER = {
    "all of joints": ("joints/joints.osim", "joints/joints.json"),
    "all of tug_of_war": ("tug_of_war/Tug_of_War.osim", "tug_of_war/poses_Tug_of_War.json"),
    "all of tug_of_war_millard": ("tug_of_war/Tug_of_War_Millard.osim", "tug_of_war/poses_Tug_of_War_Millard.json"),
    "all of arm26": ("arm26/arm26.osim", "arm26/poses.json"),
    "all of leg6dof9musc": ("leg6dof9musc/leg6dof9musc.osim", "leg6dof9musc/poses.json"),
    "all of gait10dof18musc": ("gait10dof18musc/gait10dof18musc.osim", "gait10dof18musc/poses.json"),
    "all of subject01": ("gait10dof18musc/subject01.osim", "gait10dof18musc/poses_subject01.json"),
    "all of format30000": (
        "gait10dof18musc/gait10dof18musc_format30000.osim",
        "gait10dof18musc/poses_gait10dof18musc_format30000.json",
    ),
}
NAMES = [*(path.stem for path in sorted(FIXTURES.glob("*.osim"))), *FROM_FOLDER]
ROUNDED = ("gait10dof18musc_format30000", "all of format30000")  # OpenSim rounds offsets of old formats to 7 digits
WRAPPED = ("arm26", "all of arm26")  # OpenSim's paths over surfaces are approximations
ELSEWHERE = (0.6, 2.6)  # [rad] of its shoulder, where the first muscle's have two surfaces, or one that it runs off
TURNING = {"BallJoint": 3, "FreeJoint": 3, "EllipsoidJoint": 3}  # coordinates whose speeds are angular velocities


@cache
def case(name):
    """(model, the reference's numbers, order of our coordinates among the reference's)."""
    if name in FROM_FOLDER:
        model, poses = (FOLDER / path for path in FROM_FOLDER[name])
        if not model.exists():
            pytest.skip("the folder of reference numbers is not here")
    else:
        model, poses = FIXTURES / f"{name}.osim", FIXTURES / f"{name}.json"
    known = json.loads(poses.read_text())
    built = mm.io.read_osim(model, forces=False).compile()
    names = [c["name"] for c in known["coordinates"]]
    return built, known, [names.index(c) for c in built.coordinates]


def angular(known):
    """First of three coordinates each whose speeds are an angular velocity, in the reference's order."""
    names = [c.get("joint_type") for c in known["coordinates"]]
    joints = [c["joint"] for c in known["coordinates"]]
    firsts = [k for k in range(len(names)) if joints.index(joints[k]) == k]
    return [k for k in firsts if names[k] in TURNING]


def rates_of(known, q):
    """N, qdot = N u, at body-fixed x-y-z angles. Complex angles carry a derivative."""
    N = np.eye(len(q), dtype=q.dtype)
    for k in angular(known):
        Rx = mm.so3.exp(np.array([1, 0, 0]) * q[k])
        Ry = mm.so3.exp(np.array([0, 1, 0]) * q[k + 1])
        N[k : k + 3, k : k + 3] = np.linalg.inv(np.column_stack([[1, 0, 0], Rx[:, 1], (Rx @ Ry)[:, 2]]))
    return N


def states(name, count=None):
    """(model, pose, q, qdot, N, columns) of all poses; N in our order."""
    model, known, columns = case(name)
    for pose in known["poses"][:count]:
        q, u = np.array(pose["q"]), np.array(pose["u"])
        N = rates_of(known, q)
        yield model, pose, q[columns], (N @ u)[columns], N[np.ix_(columns, columns)], columns


def close(found, expected, name, tolerance=1e-8):
    """Equal in parts of the largest value."""
    expected, tolerance = np.asarray(expected, float), 1e-5 if name in ROUNDED else tolerance
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(np.abs(expected).max(initial=0), 1e-3))


@pytest.mark.parametrize("name", NAMES)
class TestModel:
    def test_coordinates(self, name):
        """Names, defaults, ranges and locks; a default that breaks a coupling is put right."""
        model, known, columns = case(name)
        assert sorted(columns) == list(range(len(columns)))
        for one, c in zip(model.coordinate_specs, (known["coordinates"][k] for k in columns), strict=True):
            if "default" in c:
                assert one.default == pytest.approx(c["default"], abs=1e-6)
                assert one.locked == c["locked"]
                assert one.range == pytest.approx(c["range_in_file"])

    def test_poses_and_velocities(self, name):
        for model, pose, q, qdot, _, _ in states(name):
            E, phi = mm.forward_kinematics(model, q), mm.body_twists(model, q, qdot)
            for body, known in pose["body_poses"].items():
                frame, i = model.frames[body], model.body(body)
                assert frame.body == body
                close((E[i] @ frame.pose)[:3], known, name, 1e-10)
                w, v = phi[i][:3], phi[i][3:]
                v = v + np.cross(w, frame.pose[:3, 3])
                turned = E[i][:3, :3] @ np.column_stack([w, v])
                close(turned.T.ravel(), pose["body_velocities"][body], name)

    def test_markers(self, name):
        model, known, _ = case(name)
        for _, pose, q, *_ in states(name):
            if "markers" in pose:
                assert list(model.markers) == known["markers"]
                close(mm.marker_places(model, q), pose["markers"], name, 1e-10)

    def test_mass_matrices(self, name):
        for model, pose, q, _, N, columns in states(name):
            if "mass_matrix" not in pose:
                continue
            close(N.T @ mm.mass_matrix(model, q) @ N, np.array(pose["mass_matrix"])[np.ix_(columns, columns)], name)

    def test_inverse_dynamics(self, name):
        """Torques that hold a pose, that go on at its speeds, and that accelerate it."""
        step, (_, known, _) = 1e-30, case(name)
        for model, pose, q, qdot, N, columns in states(name):
            u = np.array(pose["u"])
            qs = np.empty(len(u), complex)
            qs[columns] = q + 1j * step * qdot
            bias = (rates_of(known, qs).imag / step @ u)[columns]  # Ndot u
            for key, rate, added in (
                ("id_static", 0.0, None),
                ("id_zero_acceleration", 1.0, np.zeros(len(u))),
                ("id", 1.0, pose.get("acceleration", pose.get("udot"))),
            ):
                if key in pose:
                    qddot = 0.0 * q if added is None else N @ np.array(added)[columns] + bias
                    tau = N.T @ mm.inverse_dynamics(model, q, rate * qdot, qddot)
                    close(tau, np.array(pose[key])[columns], name)

    def test_paths(self, name):
        """Lengths, speeds and moment arms where nothing wraps; arms are the derivatives of lengths everywhere."""
        if not case(name)[1].get("muscles"):
            pytest.skip("no muscles")
        model, known, _ = case(name)
        assert list(model.muscles.names) == known["muscles"]
        for model, pose, q, qdot, _, columns in states(name):
            lengths, arms = mm.muscle_lengths(model, q), mm.moment_arms(model, q)
            if name in WRAPPED:
                first = 1 if ELSEWHERE[0] < q[0] < ELSEWHERE[1] else 0
                assert np.abs(lengths - pose["muscle_lengths"])[first:].max() < 2e-4
                continue
            close(lengths, pose["muscle_lengths"], name)
            close(-arms @ qdot, pose["muscle_speeds"], name)
            for k, c in enumerate(known["coordinates"]):
                if c.get("depends_on"):  # OpenSim's arms of a coordinate have what goes through others that follow it
                    leader = columns.index([d["name"] for d in known["coordinates"]].index(c["depends_on"]))
                    follower = columns.index(k)
                    arms[:, leader] += pose["coupling"][c["name"]][0] * arms[:, follower]
                    arms[:, follower] = arms[:, leader]
            expected = np.array(pose["moment_arms"])[:, columns]
            for muscle, row in zip(known["muscles"], np.abs(arms - expected).max(axis=1), strict=True):
                told = known["moment_arm_versus_length_derivative"].get(muscle, {"largest_difference": 0.0})
                assert row < (1e-5 if name in ROUNDED else 1e-8) + 2.0 * told["largest_difference"], muscle


def test_an_old_format_that_opensim_has_converted(tmp_path):
    """The file of format 30000 differs from OpenSim's numbers by what OpenSim rounds when it converts it."""
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Off")
    opensim.Model(str(FIXTURES / "gait10dof18musc_format30000.osim")).printToXML(str(tmp_path / "new.osim"))
    model, (_, known, columns) = (
        mm.io.read_osim(tmp_path / "new.osim", forces=False).compile(),
        case("gait10dof18musc_format30000"),
    )
    for pose in known["poses"]:
        q, u = np.array(pose["q"])[columns], np.array(pose["u"])[columns]
        close(mm.muscle_lengths(model, q), pose["muscle_lengths"], "new", 1e-12)
        close(-mm.moment_arms(model, q) @ u, pose["muscle_speeds"], "new", 1e-10)
        close(mm.inverse_dynamics(model, q, u, 0.0 * q), np.array(pose["id_zero_acceleration"])[columns], "new")
