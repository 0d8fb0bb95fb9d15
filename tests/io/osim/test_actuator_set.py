"""Files of actuators: what they hold, what they do to a model, and what is wrong with them."""

import numpy as np
import pytest
from opensim_reference import reference

import myomass as mm

pytestmark = pytest.mark.fast
HEAD = '<OpenSimDocument Version="30000"><ForceSet><objects>'
TAIL = "</objects></ForceSet></OpenSimDocument>"
POINT = """<PointActuator name="push"><body>foot</body><point>0.1 0.2 0.3</point><direction>0 2 0</direction>
<optimal_force>3</optimal_force><min_control>-1</min_control><max_control>Inf</max_control></PointActuator>"""


def spec():
    """A body on a hinge, whose frame of the file is turned and shifted in its own."""
    made = mm.Spec("one")
    made.add_body(
        "foot", None, mm.Revolute((0, 0, 1)), inertia=mm.Inertia.cuboid((1, 1, 1), mass=1.0), coordinates="ankle"
    )
    made.add_frame("foot", "foot", mm.translation(0.5, 0, 0) @ mm.rotation((0, 0, 1), np.pi / 2))
    return made


def read(tmp_path, text):
    path = tmp_path / "set.xml"
    path.write_text(HEAD + text + TAIL)
    return mm.io.read_actuators(path, spec())


def test_places_and_directions_are_those_of_the_file(tmp_path):
    (push,) = read(tmp_path, POINT).values()
    np.testing.assert_allclose(push.point, [0.3, 0.1, 0.3], atol=1e-15)
    np.testing.assert_allclose(push.direction, [-2, 0, 0], atol=1e-15)
    assert (push.optimal_force, push.least_control, push.largest_control) == (3.0, -1.0, np.inf)
    fixed = POINT.replace(
        "<point>", "<point_is_global>true</point_is_global><force_is_global>true</force_is_global><point>"
    )
    (push,) = read(tmp_path, fixed).values()
    assert push.world_direction and push.world_point
    np.testing.assert_array_equal(push.point, [0.1, 0.2, 0.3])


def test_torques_and_coordinates(tmp_path):
    text = """<TorqueActuator name="turn"><bodyA>ground</bodyA><bodyB>foot</bodyB><axis>0 0 1</axis></TorqueActuator>
    <CoordinateActuator name="help"><coordinate>ankle</coordinate><optimal_force>5</optimal_force></CoordinateActuator>
    <CoordinateActuator name="off"><isDisabled>true</isDisabled><coordinate>ankle</coordinate></CoordinateActuator>"""
    found = read(tmp_path, text)
    assert list(found) == ["turn", "help"] and found["help"].optimal_force == 5.0
    model = spec()
    model.add_force(found["turn"].unit(), "turn")
    model.add_force(found["help"].unit(), "help")
    np.testing.assert_allclose(mm.dynamics.applied_forces(model.compile(), [0.3], [0.0]), [4.0], rtol=1e-14)


def test_defaults_of_the_file(tmp_path):
    defaults = "<defaults><CoordinateActuator><optimal_force>7</optimal_force></CoordinateActuator></defaults>"
    path = tmp_path / "set.xml"
    help_ = '<CoordinateActuator name="help"><coordinate>ankle</coordinate></CoordinateActuator>'
    path.write_text(HEAD.replace("<objects>", f"{defaults}<objects>") + help_ + TAIL)
    assert mm.io.read_actuators(path, spec())["help"].optimal_force == 7.0


def test_a_misspelt_tag_is_told_in_a_warning(tmp_path):
    said = r"set.xml, line 2, optimal_forc: no class of OpenSim .* did you mean <optimal_force>\?"
    with pytest.warns(UserWarning, match=said):
        (push,) = read(tmp_path, POINT.replace("optimal_force>", "optimal_forc>")).values()
    assert push.optimal_force == 1.0


def test_residuals_and_reserves_of_the_gait():
    of = mm.io.read_osim(reference("gait10dof18musc/subject01.osim"), forces=False)
    found = mm.io.read_actuators(reference("gait10dof18musc/pipeline/gait10dof_Reserve_Actuators.xml"), of)
    assert len(found) == 10 and found["FY"].optimal_force == 2.0
    np.testing.assert_allclose(found["FX"].point, of.frames["pelvis"].place((-0.034, 0, 0)), rtol=1e-14)


TREE = """<OpenSimDocument Version="40000"><Model name="m"><BodySet><objects>
<Body name="base"><mass>1</mass><mass_center>0.1 0 0</mass_center><inertia>3 2 2.5 0.2 0.1 0</inertia></Body>
<Body name="foot"><mass>1</mass><inertia>1 2 2.5 0.2 0 0.1</inertia></Body></objects></BodySet><JointSet><objects>
<BallJoint name="low"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/base
</socket_child_frame><coordinates><Coordinate name="a"/><Coordinate name="b"/><Coordinate name="c"/></coordinates>
</BallJoint><KIND name="top"><socket_parent_frame>bent</socket_parent_frame><socket_child_frame>/bodyset/foot
</socket_child_frame><coordinates>LISTED</coordinates><frames><PhysicalOffsetFrame name="bent"><socket_parent>
/bodyset/base</socket_parent><orientation>0.3 -0.4 0.5</orientation></PhysicalOffsetFrame></frames></KIND>
</objects></JointSet></Model></OpenSimDocument>"""


@pytest.mark.parametrize("kind", ["BallJoint", "FreeJoint", "EllipsoidJoint", "GimbalJoint"])
@pytest.mark.parametrize("change", [lambda spec: spec, lambda spec: mm.analyses.scale(spec, {"base": (1, 2, 3)}).spec])
def test_actuators_do_what_they_do_in_a_model(tmp_path, kind, change):
    """The same file read alone and with the model gives the same forces; scaled, the same as in the scaled model."""
    names = [f"q{k}" for k in range(6 if kind == "FreeJoint" else 3)]
    listed = "".join(f'<Coordinate name="{name}"/>' for name in names)
    acts = "".join(
        f'<CoordinateActuator name="{name}_act"><coordinate>{name}</coordinate><optimal_force>{k + 2}</optimal_force>'
        "</CoordinateActuator>"
        for k, name in enumerate(["b", *names])
    )
    model, path = tmp_path / "model.osim", tmp_path / "acts.xml"
    model.write_text(TREE.replace("KIND", kind).replace("LISTED", listed))
    path.write_text(HEAD + acts + TAIL)
    inside, bare = (change(mm.io.read_osim(model, force_sets=files)) for files in ([path], []))
    apart = mm.io.read_actuators(path, bare)
    assert list(apart) == list(inside.forces)
    q = np.linspace(0.2, 0.6, 3 + len(names))
    for name, actuator in apart.items():
        f = [None, None]
        for k, (spec, force) in enumerate(((inside, inside.forces[name]), (bare, actuator))):
            alone = mm.io.read_osim(model)
            alone.bodies, alone.frames = spec.bodies, spec.frames
            alone.add_force(force.unit(), name)
            f[k] = mm.dynamics.applied_forces(alone.compile(), q, 0 * q)
        np.testing.assert_allclose(f[1], f[0], atol=1e-14)
        turned = name == "b_act" or (kind != "GimbalJoint" and name in ("q0_act", "q1_act", "q2_act"))
        assert isinstance(actuator, mm.forces.TorqueActuator if turned else mm.forces.CoordinateActuator)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (POINT.replace("foot", "hand"), "names the frame 'hand'"),
        (POINT.replace("foot", "ground"), "where it does nothing"),
        (POINT.replace("0 2 0", "0 0 0"), "has no direction"),
        (POINT.replace(">3<", ">0<"), "<optimal_force> of '.*' must not be zero"),
        (POINT.replace(">3<", ">inf<"), "<optimal_force> of '.*' must be a finite number"),
        (POINT.replace(">-1<", ">Inf<").replace("<max_control>Inf", "<max_control>1"), "must not exceed"),
        (POINT + POINT, "a second actuator is named '.*'; rename one"),
        ("<TorqueActuator><bodyA>foot</bodyA></TorqueActuator>", "<TorqueActuator> has no name"),
        (POINT.replace("0 2 0", "0 inf 0"), "has no direction"),
        (POINT.replace("<point>0.1", "<point>inf"), "<point> of 'push' holds finite numbers"),
        ("<Thelen2003Muscle name='m'/>", "no actuator that is known"),
        (
            "<CoordinateActuator name='c'><coordinate>hip</coordinate></CoordinateActuator>",
            "names the coordinate 'hip'",
        ),
        ("<TorqueActuator name='t'><bodyA>foot</bodyA><bodyB>foot</bodyB></TorqueActuator>", "both are 'foot'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, said):
    with pytest.raises(ValueError, match=said) as error:
        read(tmp_path, text)
    assert "set.xml, line " in str(error.value)


def test_a_set_without_objects(tmp_path):
    path = tmp_path / "set.xml"
    path.write_text(f'<OpenSimDocument Version="30000">\n<ForceSet>{POINT}</ForceSet></OpenSimDocument>')
    with pytest.raises(ValueError, match=r"set.xml, line 2: the <ForceSet> .* holds them in <objects>, and this one"):
        mm.io.read_actuators(path, spec())
    path.write_text(HEAD + TAIL)
    assert mm.io.read_actuators(path, spec()) == {}


def test_a_file_of_something_else(tmp_path):
    path = tmp_path / "model.osim"
    path.write_text('<OpenSimDocument Version="40000"><Model name="a"/></OpenSimDocument>')
    with pytest.raises(ValueError, match="holds a <ForceSet>, and this one <Model>"):
        mm.io.read_actuators(path, spec())
