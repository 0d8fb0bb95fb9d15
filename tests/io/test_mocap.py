"""Captures as mechanisms: poses as the file means them, exact derivatives, smoothing, names and masses."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_bvh import random_bvh

import myomass as mm
from myomass.human.anthropometry import SEGMENTS
from myomass.io.segments import parts_of
from myomass.io.smoothing import smoothed

pytestmark = pytest.mark.fast
TURNS, PLACE = ("Zrotation", "Xrotation", "Yrotation"), ("Xposition", "Yposition", "Zposition")


@pytest.fixture(scope="module")
def walk() -> mm.io.Capture:
    return mm.io.Capture(mm.io.sample_walk(1.5, 40.0), scale=0.01)


def chain(values, channels=((*PLACE, *TURNS),), frame_time=0.01) -> mm.io.Bvh:
    """A chain of joints one above another."""
    count = len(channels)
    offsets = np.tile((0.0, 1.0, 0.0), (count, 1))
    ends = [np.zeros((0, 3))] * (count - 1) + [[(0.0, 1.0, 0.0)]]
    names = [f"bone{j}" for j in range(count)]
    return mm.io.Bvh(names, np.arange(count) - 1, offsets, channels, ends, frame_time, values)


def frames_of(bvh: mm.io.Bvh) -> np.ndarray:
    """World poses of all joints as the format defines them, in the file's axes and unit. (frames, joints, 4, 4)"""
    E = np.zeros((len(bvh.values), len(bvh.names), 4, 4))
    for r, row in enumerate(bvh.values):
        for j, (parent, own) in enumerate(zip(bvh.parents, bvh.columns, strict=True)):
            local = np.eye(4)
            local[:3, 3] = bvh.offsets[j]
            for channel, value in zip(bvh.channels[j], row[own], strict=True):
                axis = "XYZ".index(channel[0])
                if channel.endswith("position"):
                    local[axis, 3] = value
                else:
                    local[:3, :3] = local[:3, :3] @ Rotation.from_euler(channel[0], value, degrees=True).as_matrix()
            E[r, j] = local if parent < 0 else E[r, parent] @ local
    return E


@pytest.mark.parametrize("up", ["x", "y", "z"])
@pytest.mark.parametrize("euler", [False, True])
def test_poses_are_those_of_the_file(up, euler):
    """Random trees with all kinds of channels, positions on inner joints among them, against the format's own rule."""
    rng = np.random.default_rng(7)
    bvh = replace(random_bvh(rng, 12, 8))
    bvh.values = rng.uniform(-50, 50, bvh.values.shape)
    capture = mm.io.Capture(bvh, scale=0.02, up=up, euler=euler, stretch=True)
    model = capture.spec().compile()
    run = capture.motion(model, cutoff=None).trajectory
    joints = run.poses @ np.linalg.inv(capture.joint_frames(model))
    U = np.eye(3)[[{"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}[up]]].reshape(3, 3)
    assert np.linalg.det(U) == 1.0
    np.testing.assert_array_equal(U["xyz".index("z")], np.eye(3)["xyz".index(up)])
    wanted = frames_of(bvh)
    np.testing.assert_allclose(joints[..., :3, 3], 0.02 * wanted[..., :3, 3] @ U.T, rtol=0, atol=1e-11)
    np.testing.assert_allclose(joints[..., :3, :3], U @ wanted[..., :3, :3] @ U.T, rtol=0, atol=1e-11)
    assert all(isinstance(capture.joint(name), mm.Fixed) for name in _without_channels(bvh))
    assert len(_without_channels(bvh)) > 0


def _without_channels(bvh):
    return [name for name, own in zip(bvh.names[1:], bvh.channels[1:], strict=True) if not own]


def test_sites_are_where_the_file_has_them(walk):
    model = walk.spec().compile()
    motion = walk.motion(model, cutoff=None)
    wanted, bvh = frames_of(walk.bvh), walk.bvh
    body, place = motion.sites["LeftToeBase End"]
    here = motion.trajectory.poses[:, model.body(body)] @ (*place, 1.0)
    toe = bvh.names.index("LeftToeBase")
    end = 0.01 * (wanted[:, toe] @ (*bvh.ends[toe][0], 1.0))
    np.testing.assert_allclose(here[:, :3], end[:, [2, 0, 1]], rtol=0, atol=1e-12)


def test_joints_that_slide_stay_in_place_unless_asked(walk):
    bvh, rows = walk.bvh, len(walk.bvh.values)
    channels = tuple(
        (*PLACE, *own) if name == "LeftLeg" else own for name, own in zip(bvh.names, bvh.channels, strict=True)
    )
    at = bvh.columns[bvh.names.index("LeftLeg")].start
    slid = bvh.offsets[bvh.names.index("LeftLeg")] + np.linspace(-1, 1, rows)[:, None] * (0, 2.0, 0)
    moved = replace(bvh, channels=channels, values=np.insert(bvh.values, [at] * 3, slid, axis=1))
    stiff, loose = (mm.io.Capture(moved, scale=0.01, stretch=stretch) for stretch in (False, True))
    assert isinstance(stiff.joint("LeftLeg"), mm.SphericalExp)
    assert loose.spec().compile().ndof == stiff.spec().compile().ndof + 3
    np.testing.assert_allclose(stiff.places, walk.places, atol=1e-12)
    np.testing.assert_allclose(stiff.slides[stiff.bvh.names.index("LeftLeg")], 0.02)


def test_hinges_are_hinges():
    bvh = chain(np.zeros((6, 9)), ((*PLACE, *TURNS), ("Xrotation",), ("Zrotation", "Yrotation")))
    capture = mm.io.Capture(bvh)
    np.testing.assert_array_equal(capture.joint("bone1").axis, (0, 1, 0))  # the file's x is our y
    assert [hinge.axis.tolist() for hinge in capture.joint("bone2").joints] == [[1, 0, 0], [0, 0, 1]]
    euler = mm.io.Capture(bvh, euler=True)
    assert euler.joint("bone0").joints[1].chart == "XYZ"


def turning(rates: np.ndarray, seconds: float, h: float) -> mm.io.Bvh:
    """A root whose Euler angles and places grow evenly [degree/s, 1/s]."""
    t = h * np.arange(1 + round(seconds / h))
    return chain(t[:, None] * rates + (1.0, 2.0, 3.0, 10.0, 20.0, -30.0), frame_time=h)


def angular(bvh: mm.io.Bvh, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity and acceleration of such a root in our world. (frames, 3) each"""
    found = []
    for row in np.radians(bvh.values[:, 3:]):
        J, Jdot = mm.coordinates.euler_jacobian(row, "ZXY", np.radians(rates[3:]))
        found.append((J @ np.radians(rates[3:]), Jdot @ np.radians(rates[3:])))
    return np.array(found).transpose(1, 0, 2)[..., [2, 0, 1]]


@pytest.mark.parametrize(("euler", "seconds"), [(False, 1.0), (True, 1.0), (False, 9.0)])
def test_rates_and_accelerations_are_those_of_the_rotation(euler, seconds):
    """Against the Jacobians of Euler angles, in nine seconds through three turns and more."""
    rates = np.array([0.3, -0.2, 1.0, 150.0, 10.0, 20.0])
    bvh = turning(rates, seconds, 0.02)
    capture = mm.io.Capture(bvh, euler=euler)
    model = capture.spec().compile()
    motion = capture.motion(model, cutoff=None)
    joint = capture.joint("bone0")
    omega, alpha = angular(bvh, rates)
    for r in range(5, len(motion.t) - 5, 7):
        q, qdot, qddot = motion.q[r], motion.qdot[r], motion.qddot[r]
        R = joint.Q(q)[:3, :3]
        S, Sdot = joint.S(q), joint.Sdot(q, qdot)
        np.testing.assert_allclose(R @ (S @ qdot)[:3], omega[r], rtol=0, atol=1e-7)
        np.testing.assert_allclose(R @ (S @ qddot + Sdot @ qdot)[:3], alpha[r], rtol=0, atol=3e-5)
        np.testing.assert_allclose(qdot[:3], rates[[2, 0, 1]], rtol=0, atol=1e-9)
    if not euler:
        assert np.linalg.norm(motion.q[:, 3:], axis=1).max() < 1.5 * np.pi
        jumps = np.linalg.norm(np.diff(motion.q[:, 3:], axis=0), axis=1)
        np.testing.assert_allclose(jumps[jumps > 1.0], 2.0 * np.pi, atol=0.1)  # whole turns, and only where they must
        assert (jumps > 1.0).sum() == (2 if seconds == 9.0 else 0)


@pytest.mark.parametrize("span", [(30.0, 150.0), (40.0, 330.0), (-200.0, 60.0), (170.0, 480.0)])
def test_inner_joints_never_jump(span):
    """However far they turn from where the offsets have them, if not round and round."""
    rows = 60
    values = np.zeros((rows, 9))
    values[:, 6] = np.linspace(*span, rows)
    values[:, 7] = 10.0
    bvh = chain(values, ((*PLACE, *TURNS), TURNS))
    capture = mm.io.Capture(bvh)
    model = capture.spec().compile()
    motion = capture.motion(model, cutoff=None)
    step = np.radians(abs(span[1] - span[0])) / (rows - 1)
    assert np.linalg.norm(np.diff(motion.q[:, 6:], axis=0), axis=1).max() < 2.5 * step
    assert np.linalg.norm(motion.q[:, 6:], axis=1).max() < 1.3 * np.pi
    joints = motion.trajectory.poses @ np.linalg.inv(capture.joint_frames(model))
    wanted = frames_of(bvh)[:, :, :3, :3][:, :, [2, 0, 1]][:, :, :, [2, 0, 1]]
    np.testing.assert_allclose(joints[..., :3, :3], wanted, rtol=0, atol=1e-12)


def test_polynomials_of_degree_five_have_their_own_derivatives():
    t = 0.1 * np.arange(12)
    p = np.polynomial.Polynomial([1.0, -2.0, 3.0, 0.5, -1.0, 0.25])
    values = np.zeros((12, 7))
    values[:, 1], values[:, 6] = p(t), np.degrees(p(t))
    capture = mm.io.Capture(chain(values, ((*PLACE, *TURNS), ("Zrotation",)), 0.1))
    motion = capture.motion(capture.spec().compile(), cutoff=None)
    for k in (2, 6):  # upward, and the hinge
        for rows, order in ((motion.q, 0), (motion.qdot, 1), (motion.qddot, 2)):
            np.testing.assert_allclose(rows[:, k], p.deriv(order)(t) if order else p(t), rtol=1e-9, atol=1e-9)


def test_nothing_jumps(walk):
    model = walk.spec().compile()
    motion = walk.motion(model)
    step = np.abs(np.diff(motion.q, axis=0)).max(axis=0)
    assert (step <= 1.5 * walk.bvh.frame_time * np.abs(motion.qdot).max(axis=0) + 1e-12).all()


def test_euler_angles_that_flip_are_mended():
    """Both triples of one rotation, and whole turns, as exporters write them."""
    t = 0.01 * np.arange(80)
    smooth = np.column_stack([170 + 60 * t, 60 + 50 * t, -20 + 30 * t])
    flipped = smooth.copy()
    flipped[30:55] = np.column_stack([smooth[30:55, 0] + 180, 180 - smooth[30:55, 1], smooth[30:55, 2] - 180])
    flipped[:, 0] = (flipped[:, 0] + 180) % 360 - 180
    for euler in (False, True):
        motions = []
        for angles in (smooth, flipped):
            capture = mm.io.Capture(chain(np.hstack([np.zeros((80, 3)), angles])), euler=euler)
            motions.append(capture.motion(capture.spec().compile(), cutoff=None))
        np.testing.assert_allclose(motions[1].q, motions[0].q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(motions[1].qddot, motions[0].qddot, rtol=0, atol=1e-3)


def test_the_filter_halves_the_power_at_its_cutoff_and_has_no_lag():
    t = np.arange(2000) / 100.0
    middle = slice(500, 1500)
    for frequency, gain in ((6.0, np.sqrt(0.5)), (0.6, 1.0), (45.0, 0.0)):
        wave = np.exp(2j * np.pi * frequency * t)
        through = smoothed(np.column_stack([wave.real, wave.imag]), 6.0, 100.0) @ (1, 1j)
        ratio = (through[middle] / wave[middle]).mean()
        np.testing.assert_allclose(ratio, gain, rtol=0, atol=2e-4)  # real: no lag


ARM, LEG = "collar upper_arm forearm hand", "thigh shank foot foot"
STYLES = {  # chains of joints, the first one already listed, and what they are
    "CMU": (
        ("Hips LHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase", f"pelvis pelvis {LEG}"),
        ("Hips LowerBack Spine Spine1 Neck Neck1 Head", "pelvis trunk trunk trunk head head head"),
        ("Spine1 LeftShoulder LeftArm LeftForeArm LeftHand LeftFingerBase LeftHandIndex1", f"trunk {ARM} hand hand"),
        ("LeftHand LThumb", "hand hand"),
    ),
    "Mixamo": (
        ("mixamorig:Hips mixamorig:LeftUpLeg mixamorig:LeftLeg mixamorig:LeftFoot", "pelvis thigh shank foot"),
        ("mixamorig:Hips mixamorig:Spine2 mixamorig:RightShoulder mixamorig:RightArm", "pelvis trunk collar upper_arm"),
        ("mixamorig:RightArm mixamorig:RightForeArm mixamorig:RightHandPinky1", "upper_arm forearm hand"),
    ),
    "Xsens": (
        ("Pelvis L5 L3 T12 T8 RightShoulder RightUpperArm RightForeArm RightHand", f"pelvis {4 * 'trunk '}{ARM}"),
        ("Pelvis RightUpperLeg RightLowerLeg RightFoot RightToe", f"pelvis {LEG}"),
    ),
    "Xsens, by joints": (
        ("Hips Chest4 LeftCollar LeftShoulder LeftElbow LeftWrist", f"pelvis trunk {ARM}"),
        ("Hips RightHip RightKnee RightAnkle RightToe", f"pelvis {LEG}"),
    ),
    "Vicon, Acclaim": (
        ("root pelvis lfemur ltibia lfoot ltoes", f"None pelvis {LEG}"),
        ("root lowerback thorax lclavicle lhumerus lradius lwrist lthumb", f"None trunk trunk {ARM} hand"),
        ("thorax lowerneck head", "trunk head head"),
    ),
    "Biped": (
        ("Bip01_Pelvis Bip01_L_Thigh Bip01_L_Calf Bip01_L_Foot Bip01_L_Toe0", f"pelvis {LEG}"),
        (
            "Bip01_Pelvis Bip01_Spine1 Bip01_R_Clavicle Bip01_R_UpperArm Bip01_R_Forearm Bip01_R_Finger0",
            f"pelvis trunk {ARM}",
        ),
    ),
    "Poser": (
        ("hip lButtock lThigh lShin lFoot", "pelvis pelvis thigh shank foot"),
        ("hip abdomen chest lCollar lShldr lForeArm lHand", f"pelvis trunk trunk {ARM}"),
    ),
    "SMPL": (
        ("Pelvis L_Hip L_Knee L_Ankle L_Foot", f"pelvis {LEG}"),
        ("Pelvis Spine3 R_Collar R_Shoulder R_Elbow R_Wrist R_Hand", f"pelvis trunk {ARM} hand"),
    ),
    "a dog": (("Body Tail1 Tail2", "None None None"),),
}


@pytest.mark.parametrize("blank", [" ", "_"])
@pytest.mark.parametrize("style", STYLES)
def test_names_of_the_usual_styles_are_known(style, blank):
    names, parents, wanted = [STYLES[style][0][0].split()[0]], [-1], [STYLES[style][0][1].split()[0]]
    for joints, parts in STYLES[style]:
        first, *rest = joints.split()
        at = names.index(first)
        for name, part in zip(rest, parts.split()[1:], strict=True):
            names.append(name)
            wanted.append(part)
            parents.append(at)
            at = len(names) - 1
    found = parts_of([name.replace("_", blank) for name in names], np.array(parents))
    assert [str(part) for part in found] == wanted


# --- masses -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sex", ["male", "female"])
def test_masses_are_those_of_the_table(walk, sex):
    spec = walk.spec(60.0, sex=sex)
    mass, table = {name: body.inertia.mass for name, body in spec.bodies.items()}, SEGMENTS[sex]
    np.testing.assert_allclose(sum(mass.values()), 60.0)
    whole = sum(row.mass * (1 if name in ("head", "thorax", "abdomen", "pelvis") else 2) for name, row in table.items())
    trunk = ["Spine", "Spine1", "LeftShoulder", "RightShoulder"]
    for joints, rows in (
        (["LeftUpLeg"], ["thigh"]),
        (["RightLeg"], ["shank"]),
        (["LeftFoot", "LeftToeBase"], ["foot"]),
        (["RightForeArm"], ["forearm"]),
        (["Neck", "Head"], ["head"]),
        (trunk, ["thorax", "abdomen"]),
    ):
        share = sum(table[row].mass for row in rows) / whole
        np.testing.assert_allclose(sum(mass[joint] for joint in joints), 60.0 * share)
    thigh, row = spec.bodies["LeftUpLeg"], table["thigh"]
    np.testing.assert_allclose(thigh.E_jb[:3, 3], (0, 0, -0.01 * row.centre * 0.4222), atol=1e-12)
    np.testing.assert_allclose(thigh.inertia.moments[2], thigh.inertia.mass * (0.01 * row.radii[2] * 0.4222) ** 2)


def test_a_standing_figure_is_balanced(walk):
    """Arms held out, as its offsets draw it: the centre of mass in the middle, at 55 to 60 % of the stature."""
    model = walk.spec().compile()
    x = mm.momentum(model, np.zeros(model.ndof), np.zeros(model.ndof)).centre
    sole = mm.forward_kinematics(model, np.zeros(model.ndof))[model.body("LeftToeBase"), 2, 3]
    assert abs(x[1]) < 1e-12
    assert abs(x[0]) < 0.03
    assert 0.55 < (x[2] - sole) / 1.741 < 0.60


def test_masses_and_inertias_can_be_given(walk):
    plain = walk.spec(75.0)
    box = mm.Inertia.cuboid((0.2, 0.2, 0.25), mass=5.0)
    spec = walk.spec(75.0, inertias={"LeftHand": 2.0, "Head": box})
    mass = {name: body.inertia.mass for name, body in spec.bodies.items()}
    np.testing.assert_allclose(sum(mass.values()), 75.0)
    assert mass["LeftHand"] == 2.0
    assert spec.bodies["Head"].inertia is box
    ratio = mass["RightLeg"] / plain.bodies["RightLeg"].inertia.mass
    np.testing.assert_allclose(mass["Spine"] / plain.bodies["Spine"].inertia.mass, ratio)
    with pytest.raises(ValueError, match="the given segments weigh 80 kg, and nothing is left of 75 kg"):
        walk.spec(75.0, inertias={"Head": 80.0})
    with pytest.raises(ValueError, match=r"the mass of 'Head' \[kg\]"):
        walk.spec(75.0, inertias={"Head": -1.0})
    with pytest.raises(KeyError, match="the capture has no joint 'Tail'"):
        walk.spec(75.0, inertias={"Tail": 1.0})


def test_unknown_names_weigh_by_volume():
    bvh = chain(np.zeros((6, 12)), ((*PLACE, *TURNS), TURNS, TURNS))
    bvh = replace(bvh, offsets=bvh.offsets * [[1.0], [1.0], [2.0]])
    spec = mm.io.Capture(bvh).spec(10.0)
    masses = [body.inertia.mass for body in spec.bodies.values()]
    np.testing.assert_allclose(masses, [1.0, 8.0, 1.0])  # lengths 1, 2 and 1 m


def test_joints_without_length_have_inertia(walk):
    """CMU's dummy joints: every body has mass, so that the mass matrix can be inverted."""
    bvh = walk.bvh
    flat = replace(bvh, offsets=np.where(np.array(bvh.names)[:, None] == "LeftLeg", 0.0, bvh.offsets))
    model = mm.io.Capture(flat, scale=0.01).spec().compile()
    assert (model.bodies["mass"] > 0).all()
    assert np.linalg.eigvalsh(mm.mass_matrix(model, np.zeros(model.ndof)))[0] > 0


# --- there and back, and what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(("up", "euler"), [("y", False), ("z", True)])
def test_export_gives_the_clip_back(walk, up, euler):
    capture = mm.io.Capture(walk.bvh, scale=0.0254, up=up, euler=euler)
    model = capture.spec().compile()
    back = capture.export(capture.motion(model, cutoff=None).trajectory)
    assert back.names == walk.bvh.names
    np.testing.assert_allclose(back.frame_time, walk.bvh.frame_time)
    np.testing.assert_allclose(frames_of(back), frames_of(walk.bvh), rtol=0, atol=1e-9)
    np.testing.assert_allclose(back.values, walk.bvh.values, rtol=0, atol=1e-6)


@pytest.mark.parametrize("axes", ["XY", "YX", "YZ", "ZY", "ZX", "XZ"])
def test_two_hinges_turn_all_the_way_round_in_an_export(axes):
    values = np.zeros((12, 8))
    values[:, 6], values[:, 7] = np.linspace(-170, 100, 12), np.linspace(60, 300, 12)
    bvh = chain(values, ((*PLACE, *TURNS), tuple(f"{axis}rotation" for axis in axes)))
    capture = mm.io.Capture(bvh)
    back = capture.export(capture.motion(capture.spec().compile(), cutoff=None).trajectory)
    np.testing.assert_allclose(back.values, values, rtol=0, atol=1e-9)


def test_a_given_inertia_lies_along_its_segment_however_short():
    bvh = chain(np.zeros((8, 12)), ((*PLACE, *TURNS), (*PLACE, *TURNS)))
    bvh.ends = (bvh.ends[0], np.array([[0.02, 0.0, 0.0]]))  # along our y
    spec = mm.io.Capture(bvh).spec(inertias={"bone1": mm.Inertia(5.0, (1.0, 1.0, 0.1))})
    np.testing.assert_allclose(spec.bodies["bone1"].E_jb[:3, 2:], [[0, 0], [1, 0.01], [0, 0]], rtol=0, atol=1e-15)


def test_export_refuses_what_is_no_clip(walk):
    model = walk.spec().compile()
    run = walk.motion(model).trajectory
    uneven = np.r_[0:5, 6:9]
    rows = (run.t[uneven], run.q[uneven], run.qdot[uneven], run.charts[uneven])
    with pytest.raises(ValueError, match="evenly spaced"):
        walk.export(mm.Trajectory(model, *rows, "cut"))
    with pytest.raises(TypeError, match="give a trajectory"):
        walk.export(run.q)
    other = mm.Spec()
    other.add_body("a", None, mm.Free3D(), inertia=mm.Inertia.sphere(1.0, mass=1.0))
    with pytest.raises(ValueError, match="is not of this capture"):
        walk.motion(other.compile())
    with pytest.raises(ValueError, match="is not of this capture"):
        walk.motion(mm.io.Capture(walk.bvh, scale=0.01, euler=True).spec().compile())


def test_bad_captures_are_sentences(walk, tmp_path):
    model = walk.spec().compile()
    with pytest.warns(UserWarning, match=r"the skeleton is 183 m large: say scale=0\.01"):
        mm.io.Capture(walk.bvh)
    with pytest.raises(TypeError, match=r"Capture\.load"):
        mm.io.Capture("walk.bvh")
    with pytest.raises(ValueError, match='up is "x", "y" or "z"'):
        mm.io.Capture(walk.bvh, 0.01, "w")
    with pytest.raises(ValueError, match="the scale"):
        mm.io.Capture(walk.bvh, 0.0)
    with pytest.raises(ValueError, match=r"between 0 and 20 Hz at 40 frames a second"):
        walk.motion(model, cutoff=20.0)
    with pytest.raises(ValueError, match="the sex is"):
        walk.spec(sex="any")
    short = mm.io.Capture(replace(walk.bvh, values=walk.bvh.values[:5]), scale=0.01)
    with pytest.raises(ValueError, match="6 frames or more make a motion, and there are 5"):
        short.motion(short.spec().compile())
    loaded = mm.io.Capture.load(walk.bvh.save(tmp_path / "walk.bvh"), 0.01)
    assert loaded.bvh == walk.bvh
