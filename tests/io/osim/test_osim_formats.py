"""Formats before 40000, in which bodies hold their joints, against OpenSim 4.6, and files that are no models."""

import numpy as np
import pytest
from opensim_texts import COORDINATES, in_opensim, osim, read

import myomass as mm

TURNED = (
    "<location_in_parent>0.1 -0.3 0.05</location_in_parent><orientation_in_parent>0.3 -0.2 0.5</orientation_in_parent>"
)
INERTIA = {"xx": 0.03, "yy": 0.05, "zz": 0.04, "xy": 0.004, "xz": -0.003, "yz": 0.002}
# Between driven turns a constant one is zero: with another, OpenSim 4.6's velocities are not the rates of its poses.
AXES = [
    ("rotation1", "turn", "1 0 0", "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"),
    ("rotation2", "", "0 1 0", "<Constant><value>0</value></Constant>"),
    ("rotation3", "turn", "0 0 1", "<natCubicSpline><x>-1 0 1 2</x><y>0 0.1 0.3 0.2</y></natCubicSpline>"),
    ("translation1", "slide", "1 0 0", "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"),
    ("translation2", "", "0 1 0", "<Constant><value>0.2</value></Constant>"),
    ("translation3", "", "0 0 1", "<Constant><value>0</value></Constant>"),
]


def joint(kind, parent, coordinates, reverse, extra=""):
    listed = "".join(
        f'<Coordinate name="{name}"><motion_type>{motion}</motion_type><default_value>{value}</default_value>'
        "<range>-1 1</range></Coordinate>"
        for name, motion, value in coordinates
    )
    return (
        f'<Joint><{kind} name="to_{parent}"><parent_body>{parent}</parent_body>{TURNED}'
        "<location>0.02 0.2 0</location><orientation>0 0.1 0</orientation>"
        f'<CoordinateSet name=""><objects>{listed}</objects></CoordinateSet><reverse>{reverse}</reverse>{extra}'
        f"</{kind}></Joint>"
    )


def body(name, mass, hung):
    six = "".join(f"<inertia_{key}>{value * (mass > 0)}</inertia_{key}>" for key, value in INERTIA.items())
    return f'<Body name="{name}"><mass>{mass}</mass><mass_center>0.05 -0.1 0.03</mass_center>{six}{hung}</Body>'


def old_model(version, reverse):
    axes = "".join(
        f'<TransformAxis name="{name}"><coordinates>{c}</coordinates><axis>{x}</axis><function>{f}</function>'
        "</TransformAxis>"
        for name, c, x, f in AXES
    )
    bodies = [
        body("ground", 0, "<Joint/>"),
        body("upper", 2.0, joint("PinJoint", "ground", [("bend", "rotational", 0.2)], reverse)),
        body(
            "lower",
            1.0,
            joint(
                "CustomJoint",
                "upper",
                [("turn", "rotational", 0.1), ("slide", "translational", 0.05)],
                reverse,
                f"<SpatialTransform>{axes}</SpatialTransform>",
            ),
        ),
    ]
    return (
        f'<?xml version="1.0"?><OpenSimDocument Version="{version}"><Model name="old"><gravity>0 -9.8 0</gravity>'
        f'<BodySet name=""><objects>{"".join(bodies)}</objects></BodySet></Model></OpenSimDocument>'
    )


@pytest.mark.parametrize("reverse", ["false", "true"])
@pytest.mark.parametrize("version", [20302, 20303, 30000])
def test_old_formats(tmp_path, version, reverse):
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Off")
    path = tmp_path / "old.osim"
    path.write_text(old_model(version, reverse))
    theirs, ours = opensim.Model(str(path)), mm.io.read_osim(path).compile()
    state = theirs.initSystem()
    assert ours.coordinates == ["bend", "turn", "slide"]
    for q in ([0.2, 0.1, 0.05], [-0.7, 0.6, -0.2]):
        for k, name in enumerate(ours.coordinates):
            theirs.getCoordinateSet().get(name).setValue(state, q[k], False)
            theirs.getCoordinateSet().get(name).setSpeedValue(state, 0.3 - 0.1 * k)
        theirs.realizeAcceleration(state)
        E, udot = mm.forward_kinematics(ours, q), mm.forward_dynamics(ours, q, [0.3, 0.2, 0.1])
        for name in ours.names:
            place = theirs.getBodySet().get(name).getTransformInGround(state).p()
            found = (E[ours.body(name)] @ ours.frames[name].pose)[:3, 3]
            np.testing.assert_allclose(found, [place.get(i) for i in range(3)], atol=1e-7)  # OpenSim rounds splines
        expected = [theirs.getCoordinateSet().get(name).getAccelerationValue(state) for name in ours.coordinates]
        np.testing.assert_allclose(udot, expected, rtol=1e-6)


@pytest.mark.parametrize("without", [["xy"], ["xy", "xz", "yz"], ["xx"], list(INERTIA)])
def test_inertias_that_an_old_file_does_not_say_are_those_of_opensim(tmp_path, without):
    opensim = pytest.importorskip("opensim")
    text = old_model(30000, "false").replace("<mass>1.0<", "<mass>50.0<").replace("<mass>2.0<", "<mass>50.0<")
    for key in without:
        for size in (INERTIA[key], INERTIA[key] * False):
            text = text.replace(f"<inertia_{key}>{size}</inertia_{key}>", "")
    theirs, _ = in_opensim(opensim, tmp_path, text)
    told = theirs.getBodySet().get("upper").get_inertia()
    xx, yy, zz, xy, xz, yz = (told.get(k) for k in range(6))
    inertia = read(tmp_path, text).bodies["upper"].inertia
    R = inertia.frame[:3, :3]
    np.testing.assert_allclose(
        R @ np.diag(inertia.moments) @ R.T, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], atol=1e-12
    )


def test_frames_of_old_joints_have_the_names_that_opensim_gives_them(tmp_path):
    opensim = pytest.importorskip("opensim")
    theirs, _ = in_opensim(opensim, tmp_path, osim(30000))
    frames = [opensim.PhysicalOffsetFrame.safeDownCast(one) for one in theirs.getComponentsList()]
    known = [frame.getAbsolutePathString().lstrip("/") for frame in frames if frame is not None]
    found = read(tmp_path, osim(30000)).frames
    assert len(known) == 6
    assert all(path in found or path.rsplit("/", 1)[1] in found for path in known)


@pytest.mark.parametrize("mass", [2.0, 0.0])
@pytest.mark.parametrize("left_out", [("xy", "xz", "yz"), ("yy",), ("xx", "xy"), tuple(INERTIA)])
def test_inertias_of_old_files_that_are_told_in_part(tmp_path, left_out, mass):
    opensim = pytest.importorskip("opensim")
    text = osim(30000)
    for key in left_out:
        text = text.replace(f"<inertia_{key}>{INERTIA[key]}</inertia_{key}>", "")
    if not mass:  # OpenSim has no use for it
        spec = read(tmp_path, text.replace("<mass>2.0<", "<mass>0<"))
        told = any("it has an inertia and no mass" in line for line in spec.report)
        assert spec.bodies["free"].inertia is None and told == (len(left_out) < len(INERTIA))
        return
    model, _ = in_opensim(opensim, tmp_path, text)
    theirs = model.getBodySet().get("free").getInertia()
    known = [*(theirs.getMoments().get(i) for i in range(3)), *(theirs.getProducts().get(i) for i in range(3))]
    found = read(tmp_path, text).bodies["free"].inertia
    R = found.frame[:3, :3]
    matrix = R @ np.diag(found.moments) @ R.T
    np.testing.assert_allclose(matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], known, atol=1e-12)


def test_a_format_between_that_has_joints_of_its_own(tmp_path):
    text = osim(40000).replace('"40000"', '"30517"')
    assert list(read(tmp_path, text).coordinates) == COORDINATES


def test_bodies_that_hang_by_no_joint_are_free(tmp_path):
    opensim = pytest.importorskip("opensim")
    text = osim(JointSet="")
    theirs, state = in_opensim(opensim, tmp_path, text)
    spec = read(tmp_path, text)
    known = theirs.getCoordinateSet()
    assert list(spec.coordinates) == [known.get(k).getName() for k in range(known.getSize())]
    assert "Body 'free': it hangs by no joint, so it is free" in spec.report[0]
    q = np.linspace(-0.5, 0.6, len(spec.coordinates))
    for k, value in enumerate(q):
        known.get(k).setValue(state, value, False)
    theirs.realizePosition(state)
    place = theirs.getBodySet().get("other").getPositionInGround(state)
    model = spec.compile()
    found = mm.forward_kinematics(model, q)[model.body("other")] @ model.frames["other"].pose
    np.testing.assert_allclose(found[:3, 3], [place.get(i) for i in range(3)], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("hello", "line 1: the file is not XML"),
        ("<Model/>", "an .osim file begins with <OpenSimDocument>, not with <Model>"),
        ("<OpenSimDocument><Model/></OpenSimDocument>", "says its Version"),
        ('<OpenSimDocument Version="10901"><Model/></OpenSimDocument>', "format 10901 is older than 20000"),
        (
            '<OpenSimDocument Version="40000"><ForceSet/></OpenSimDocument>',
            "no <Model> in this file; it holds <ForceSet>",
        ),
        ('<OpenSimDocument Version="40000"><Model name="m"/></OpenSimDocument>', "the model 'm' has no bodies"),
        (old_model(30000, "false")[:900], "the file ends inside <"),
        (
            old_model(30000, "false").replace("<parent_body>upper", "<parent_body>uper"),
            "names a parent '/bodyset/uper' that is not in the model",
        ),
        (old_model(30000, "false").replace("0.02 0.2 0<", "0.02 0.2<"), "<translation> holds 3 numbers"),
        (old_model(30000, "false").replace("<mass>2.0", "<mass>two"), "<mass> holds numbers, and is 'two'"),
        (old_model(30000, "false").replace("<mass>2.0", "<mass>-2.0"), "the mass of 'upper' is negative"),
        (old_model(30000, "false").replace("PinJoint", "PimJoint"), "the joint PimJoint is not known"),
        (old_model(30000, "false").replace(">turn</coord", ">tun</coord"), "the axis is driven by 'tun'"),
        (
            '<!DOCTYPE x [<!ENTITY e "boom">]><OpenSimDocument Version="40000"/>',
            "document type .* not read for safety",
        ),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = tmp_path / "bad.osim"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as raised:
        mm.io.read_osim(path)
    assert str(path) in str(raised.value)


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        mm.io.read_osim(tmp_path / "none.osim")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        mm.io.read_osim(tmp_path)
    for no_path in (None, 3):
        with pytest.raises(TypeError, match=f"the path of a file is wanted, a string or a .*Path, and not {no_path}"):
            mm.io.read_osim(no_path)


def test_a_newer_format_is_reported(tmp_path):
    body = "<BodySet><objects><Body name='rod'><mass>1</mass></Body></objects></BodySet>"
    path = tmp_path / "new.osim"
    path.write_text(f"<OpenSimDocument Version='41000'><Model name='new'>{body}</Model></OpenSimDocument>")
    assert "format 41000 is newer than 40600" in mm.io.read_osim(path).report[0]
