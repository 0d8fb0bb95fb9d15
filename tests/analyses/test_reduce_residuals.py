"""Residual reduction finds again what was changed on purpose, as far as loads and motion can tell."""

import numpy as np
import pytest
from scipy.optimize import least_squares

import myomass as mm
from myomass.analyses import inverse_dynamics, joint_reactions, kinematics, reduce_residuals
from myomass.analyses.reduce_residuals import changed
from myomass.recordings import ExternalForce, ExternalLoads, Spline, Table, read_loads, read_table

BASE = ("x", "y", "z", "a", "b", "c")


def figure():
    """A pelvis that floats, a trunk and two legs; the trunk's frame is told as by a file."""
    spec = mm.Spec("figure", gravity=(0, -9.81, 0))
    spec.add_body("pelvis", None, mm.Free3D(), inertia=mm.Inertia.cuboid((0.2, 0.2, 0.3), mass=8.0), coordinates=BASE)
    trunk, up = mm.Inertia.cuboid((0.2, 0.5, 0.4), mass=30.0), mm.translation(0, 0.3, 0)
    spec.add_body("trunk", "pelvis", mm.Revolute((0, 0, 1)), mm.translation(0, 0.1, 0), up, trunk, coordinates=["lean"])
    spec.add_frame("trunk", "trunk", mm.translation(0.0, -0.3, 0.0) @ mm.rotation((0, 1, 0), 0.3))
    for side, z in (("left", -0.1), ("right", 0.1)):
        thigh, hip = mm.Inertia.capsule(0.07, 0.4, mass=9.0), mm.translation(0, -0.2, 0) @ mm.rotation((1, 0, 0), 1.57)
        place = mm.translation(0, -0.1, z)
        spec.add_body(side, "pelvis", mm.Universal(), place, hip, thigh, coordinates=[f"{side}_0", f"{side}_1"])
    return spec


def recording(rows=61):
    t = np.arange(rows) / 60.0
    names = (*BASE, "lean", "left_0", "left_1", "right_0", "right_1")
    waves = [(0.05 + 0.02 * k) * np.sin((2.0 + 0.7 * k) * t + k) for k in range(len(names))]
    return Table(t, np.column_stack(waves), names)


def holding(spec, motion):
    """The load on the pelvis that makes a motion of a spec need no residual."""
    table = joint_reactions(spec.compile(), motion, joints="pelvis").table()
    parts = {what: tuple(f"pelvis_on_pelvis_in_ground_{c}{axis}" for axis in "xyz") for what, c in
             (("force", "f"), ("point", "p"), ("torque", "m"))}  # fmt: skip
    return ExternalLoads([ExternalForce("ground", "pelvis", table, **parts)])


@pytest.fixture(scope="module")
def truth():
    spec = figure()
    motion = kinematics(spec.compile(), recording())
    return spec, motion, holding(spec, motion)


def test_the_right_model_has_no_residuals(truth):
    spec, motion, loads = truth
    result = reduce_residuals(spec, motion, loads)
    assert result.names == BASE and result.trunk == "trunk"
    assert np.abs(result.before).max() < 1e-8 and np.abs(result.after).max() < 1e-8
    assert np.abs(result.shift).max() < 1e-9 and max(map(abs, result.mass_changes.values())) < 1e-9


@pytest.mark.parametrize("masses", [False, True])
def test_a_shift_and_a_factor_of_the_masses_are_found_again(truth, masses):
    spec, motion, loads = truth
    x = np.array([0.03, -0.02, 0.04, -0.05 * masses])
    wrong = changed(spec, "trunk", x)
    result = reduce_residuals(wrong, motion, loads, vertical=True, masses=masses)
    R = spec.frames["trunk"].pose[:3, :3].T
    np.testing.assert_allclose(result.shift, -R @ x[:3], rtol=0, atol=1e-8)
    np.testing.assert_allclose(result.centre, [0.3 * 0, 0.3, 0], rtol=0, atol=1e-8)
    assert np.abs(result.before).max() > 5 and np.abs(result.after).max() < 1e-6
    total = sum(body.inertia.mass for body in result.spec.bodies.values() if body.inertia)
    np.testing.assert_allclose(total, 56.0, rtol=1e-9)
    tau = inverse_dynamics(result.spec.compile(), motion, loads).tau[:, :6]
    np.testing.assert_allclose(tau, result.after, rtol=0, atol=1e-9)


def test_a_recommended_mass_is_the_one_that_is_missing(truth):
    spec, motion, loads = truth
    result = reduce_residuals(changed(spec, "trunk", [0, 0, 0, -0.02]), motion, loads, limit=0.0)
    total = sum(result.mass_changes.values())
    np.testing.assert_allclose(total, 0.02 * 56.0, rtol=1e-6)
    np.testing.assert_allclose(result.mass_changes["left"] / total, 9 / 56, rtol=1e-9)


def test_it_keeps_level_and_within_its_limit(truth):
    spec, motion, loads = truth
    result = reduce_residuals(changed(spec, "trunk", [0.05, 0.1, 0.0, 0.0]), motion, loads, limit=0.02)
    own = spec.frames["trunk"].pose[:3, :3] @ result.shift
    up = np.mean([mm.forward_kinematics(spec.compile(), q)[1, 1, :3] for q in motion.q], axis=0)
    assert abs(own @ up) < 1e-10 and 0.0199 < np.linalg.norm(own) < 0.0283
    assert np.linalg.norm(result.rms[1]) < np.linalg.norm(result.rms[0])


def test_it_is_the_optimum_of_another_search(truth):
    spec, motion, loads = truth
    wrong = changed(spec, "left", [0.02, 0.03, 0.0, 0.0])  # nothing that the trunk could make good
    result, W = reduce_residuals(wrong, motion, loads, vertical=True), weights(wrong, motion.q[0])
    ours = result.after * W

    def sum_of(shift):
        tau = inverse_dynamics(changed(wrong, "trunk", [*shift, 0.0]).compile(), motion, loads).tau[:, :6]
        return (tau * W).ravel()

    other = least_squares(sum_of, np.zeros(3), xtol=1e-12, ftol=1e-12)
    np.testing.assert_allclose((ours**2).sum(), 2 * other.cost, rtol=1e-7)
    assert (ours**2).sum() < (sum_of(np.zeros(3)) ** 2).sum()


def weights(spec, q):
    """Moments count as forces on the arm of the radius of gyration."""
    model = spec.compile()
    x, m = mm.forward_kinematics(model, q)[:, :3, 3], model.bodies["mass"]
    arm = np.sqrt(m @ ((x - m @ x / m.sum()) ** 2).sum(axis=1) / m.sum())
    return np.array([1.0, 1.0, 1.0, 1 / arm, 1 / arm, 1 / arm])


def test_everything_fixed_to_the_trunk_stays_where_it_was(truth):
    spec, motion, _ = truth
    spec.add_marker("clavicle", "trunk", (0.1, 0.2, 0.0))
    after = changed(spec, "trunk", [0.03, -0.02, 0.04, 0.0])
    for q in motion.q[:3]:
        one, other = (mm.marker_places(s.compile(), q) for s in (spec, after))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-14)
    del spec.markers["clavicle"]


def test_muscles_of_a_spec_keep_their_share(truth):
    spec = figure()
    spec.add_muscle("back", 1.5, [("pelvis", (-0.1, 0.1, 0)), ("trunk", (-0.1, 0.1, 0))])
    motion = truth[1]
    loads = holding(spec, motion)
    x = np.array([0.02, 0.01, -0.03, 0.04])
    result = reduce_residuals(changed(spec, "trunk", x), motion, loads, vertical=True, masses=True)
    np.testing.assert_allclose(result.spec.muscles["back"].mass, 1.5, rtol=1e-9)
    assert np.abs(result.after).max() < 1e-6


@pytest.mark.parametrize("adjust", [0.01, {"lean": 0.02, "left_0": 0.005, "x": 0.003}])
def test_the_motion_changes_within_its_tolerance(truth, adjust):
    spec, motion, loads = truth
    wrong = changed(spec, "left", [0.02, 0.03, 0.0, 0.0])
    W = weights(wrong, motion.q[0])
    plain, result = (reduce_residuals(wrong, motion, loads, adjust=a) for a in (None, adjust))
    allowed = [adjust if not isinstance(adjust, dict) else adjust.get(name, 0.0) for name in motion.names]
    changes = np.abs(result.motion.q - motion.q).max(axis=0)
    assert (changes <= np.array(allowed) + 1e-12).all() and changes.max() > 1e-4
    assert ((W * result.after) ** 2).sum() < 0.8 * ((W * plain.after) ** 2).sum()
    rates = Spline(Table(motion.t, result.motion.q - motion.q, motion.names), 5)
    for order, what in ((1, "qdot"), (2, "qddot")):
        ours = (getattr(result.motion, what) - getattr(motion, what))[12:-12]
        assert np.abs(rates(motion.t, order)[12:-12] - ours).max() < 0.02 * np.abs(ours).max()
    tau = inverse_dynamics(result.spec.compile(), result.motion, loads).tau[:, :6]
    np.testing.assert_allclose(tau, result.after, rtol=0, atol=1e-9)


def test_coupled_and_locked_coordinates_are_not_adjusted(truth):
    spec = figure()
    spec.add_constraint(mm.DrivenJoint("trunk", position=0.0))
    result = reduce_residuals(spec, truth[1], holding(changed(spec, "left", [0.02, 0, 0, 0]), truth[1]), adjust=0.01)
    k = result.motion.names.index("lean")
    assert (result.motion.q[:, k] == truth[1].q[:, k]).all()
    assert (result.motion.q != truth[1].q).any()


def test_a_recorded_walk():
    walk = mm.io.sample_gait()
    spec, motion = mm.io.read_osim(walk.model, forces=False), read_table(walk.coordinates)
    loads = read_loads(walk.loads)
    motion = kinematics(spec.compile(), motion, lowpass=6.0, start=0.6, end=1.9)
    result = reduce_residuals(spec, motion, loads)
    tilt = result.names.index("pelvis_tilt")
    assert result.trunk == "torso" and result.names == ("pelvis_tilt", "pelvis_tx", "pelvis_ty")
    assert abs(result.mean[1, tilt]) < 0.1 * abs(result.mean[0, tilt])
    assert result.rms[1, tilt] < 0.8 * result.rms[0, tilt]
    assert result.peak[:, tilt].tolist() == [abs(r[:, tilt]).max() for r in (result.before, result.after)]
    torso = spec.bodies["torso"].inertia.mass
    of_the_average = abs(result.mean[0, tilt]) / (torso * 9.81)  # what OpenSim's RRA would shift it by, level
    np.testing.assert_allclose(np.linalg.norm(result.shift), of_the_average, rtol=0.1)
    better = reduce_residuals(spec, motion, loads, adjust=0.01)
    assert (better.rms[1] < 0.5 * better.rms[0]).all()


class TestBadInput:
    def test_bodies_and_coordinates(self, truth):
        spec, motion, loads = truth
        with pytest.raises(TypeError, match="give a Spec, such as"):
            reduce_residuals(spec.compile(), motion, loads)
        with pytest.raises(KeyError, match="there is no body 'torso'; known: pelvis"):
            reduce_residuals(spec, motion, loads, trunk="torso")
        with pytest.raises(KeyError, match="has no coordinate 'pelvis_tx'"):
            reduce_residuals(spec, motion, loads, residuals=["pelvis_tx"])
        with pytest.raises(ValueError, match="residuals names no coordinate"):
            reduce_residuals(spec, motion, loads, residuals=[])
        spec = figure()
        spec.add_body("floor", None, mm.Fixed())
        with pytest.raises(ValueError, match="2 joints to the world, with 6 coordinates; name those"):
            reduce_residuals(spec, motion, loads)

    def test_numbers(self, truth):
        spec, motion, loads = truth
        with pytest.raises(ValueError, match="the limit must not be negative, and is -1 m"):
            reduce_residuals(spec, motion, loads, limit=-1.0)
        with pytest.raises(ValueError, match="a tolerance must not be negative"):
            reduce_residuals(spec, motion, loads, adjust=-0.1)
        with pytest.raises(KeyError, match="has no coordinate 'knee'"):
            reduce_residuals(spec, motion, loads, adjust={"knee": 0.1})
        with pytest.raises(ValueError, match="the motion has fewer than two rows"):
            reduce_residuals(spec, motion.between(0.0, 0.0), loads)
