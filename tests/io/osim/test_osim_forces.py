"""Forces of .osim files: classes as OpenSim writes them, by hand in old formats, and files that are wrong."""

from dataclasses import replace

import numpy as np
import opensim_reference
import pytest
from opensim_elements import frame_of, opensim_accelerations, opensim_tree, states

import myomass as mm

pytestmark = pytest.mark.fast
POINT, WAY = (0.1, 0.2, -0.3), (0.3, -0.5, 0.8)
PATH = [("ground", (0, 0.3, 0.1)), ("first", (0.1, 0, 0)), ("third", POINT)]


def vec(opensim, *values):
    return opensim.Vec3(*map(float, values))


def offset(opensim, body, name):
    """A frame of a body, of its own name."""
    turned = opensim.Rotation()
    turned.setRotationToBodyFixedXYZ(vec(opensim, 0.3, -0.2, 0.4))
    return opensim.PhysicalOffsetFrame(name, body, opensim.Transform(turned, vec(opensim, 0.05, 0.1, -0.02)))


def coordinate_actuator(opensim, tree):
    force = opensim.CoordinateActuator("bend")
    force.setOptimalForce(30.0)
    return force


def torque_actuator(opensim, tree):
    force = opensim.TorqueActuator()
    force.set_bodyA("third")
    force.set_bodyB("first")
    force.set_axis(vec(opensim, *WAY))
    force.set_torque_is_global(False)
    force.setOptimalForce(30.0)
    return force


def world_torque(opensim, tree):
    force = torque_actuator(opensim, tree)
    force.set_bodyB("ground")
    force.set_torque_is_global(True)
    return force


def point_actuator(opensim, tree):
    force = opensim.PointActuator("third")
    force.set_point(vec(opensim, *POINT))
    force.set_direction(vec(opensim, *WAY))
    force.setOptimalForce(30.0)
    return force


def world_point(opensim, tree):
    force = point_actuator(opensim, tree)
    force.set_point_is_global(True)
    force.set_force_is_global(True)
    return force


def point_to_point(opensim, tree):
    force = opensim.PointToPointActuator("first", "third")
    force.set_pointA(vec(opensim, *POINT))
    force.set_pointB(vec(opensim, *WAY))
    force.setOptimalForce(30.0)
    return force


def along(opensim, tree, force):
    for i, (body, place) in enumerate(PATH):
        force.updGeometryPath().appendNewPathPoint(f"p{i}", frame_of(tree, body), vec(opensim, *place))
    return force


def path_actuator(opensim, tree):
    force = along(opensim, tree, opensim.PathActuator())
    force.set_optimal_force(30.0)
    return force


def path_spring(opensim, tree):
    return along(opensim, tree, opensim.PathSpring("tie", 1.45, 100.0, 0.4))


def ligament(opensim, tree):
    force = along(opensim, tree, opensim.Ligament())
    force.setRestingLength(1.3)
    force.setMaxIsometricForce(150.0)
    return force


def blankevoort(opensim, tree):
    force = along(opensim, tree, opensim.Blankevoort1991Ligament())
    force.set_slack_length(1.4)
    force.set_linear_stiffness(200.0)
    return force


def coordinate_spring(opensim, tree):
    force = opensim.SpringGeneralizedForce("slide")
    force.setStiffness(30.0)
    force.setRestLength(0.3)
    force.setViscosity(4.0)
    return force


def angle_limit(opensim, tree):
    return opensim.CoordinateLimitForce("bend", 6.0, 2.0, -5.0, 1.0, 0.1, 20.0, False)


def shift_limit(opensim, tree):
    return opensim.CoordinateLimitForce("slide", 0.06, 200.0, -0.05, 100.0, 10.0, 0.3, False)


def point_spring(opensim, tree):
    bodies = tree.getBodySet().get("first"), tree.getBodySet().get("third")
    return opensim.PointToPointSpring(bodies[0], vec(opensim, *POINT), bodies[1], vec(opensim, *WAY), 40.0, 0.7)


def restless_spring(opensim, tree):
    force = point_spring(opensim, tree)
    force.setRestlength(0.0)
    return force


def bushing(opensim, tree):
    bodies = tree.getBodySet().get("first"), tree.getBodySet().get("third")
    return_ = opensim.BushingForce("bushing", *bodies)
    return_.set_rotational_stiffness(vec(opensim, 3, 2, 5))
    return_.set_translational_stiffness(vec(opensim, 30, 20, 50))
    return_.set_rotational_damping(vec(opensim, 0.3, 0.2, 0.5))
    return_.set_translational_damping(vec(opensim, 3, 2, 5))
    return return_


def offset_bushing(opensim, tree):
    """A bushing between frames of its own, one of which has a name that another bushing's has too."""

    def made(name, bodies, shift):
        ends = [x for body in bodies for x in (frame_of(tree, body), opensim.Transform(turned, vec(opensim, *shift)))]
        numbers = [vec(opensim, *x) for x in ((30, 20, 50), (3, 2, 5), (3, 2, 5), (0.3, 0.2, 0.5))]
        return opensim.BushingForce(name, *ends, *numbers)

    turned = opensim.Rotation()
    turned.setRotationToBodyFixedXYZ(vec(opensim, 0.3, -0.2, 0.4))
    tree.addForce(made("another", ("ground", "first"), (0.05, 0.1, -0.02)))
    return made("bushing", ("first", "third"), (-0.1, 0.2, 0.3))


def function_bushing(opensim, tree):
    force = opensim.FunctionBasedBushingForce()
    force.connectSocket_frame1(tree.getGround())
    force.connectSocket_frame2(tree.getBodySet().get("second"))
    force.set_m_x_theta_x_function(opensim.PolynomialFunction(opensim.Vector(np.array([3.0, 1.0, 5.0, 0.0]))))
    force.set_f_y_delta_y_function(opensim.LinearFunction(40.0, 0.5))
    force.set_f_z_delta_z_function(opensim.Sine(4.0, 2.0, 0.3))
    force.set_translational_damping(vec(opensim, 3, 2, 5))
    return force


def prescribed_force(opensim, tree):
    force = opensim.PrescribedForce("push", tree.getBodySet().get("third"))
    for what in ("Force", "Point", "Torque"):
        functions = [opensim.LinearFunction(1.0, 0.3), opensim.Sine(2.0, 3.0, 0.4), opensim.Constant(0.7)]
        getattr(force, f"set{what}Functions")(*functions)
        for function in functions:
            function.thisown = False
    force.setForceIsInGlobalFrame(False)
    return force


def prescribed_torque(opensim, tree):
    """In an offset frame, without a place."""
    frame = offset(opensim, tree.getBodySet().get("third"), "hand")
    tree.getBodySet().get("third").addComponent(frame)
    frame.thisown = False
    force = opensim.PrescribedForce("twist", frame)
    functions = [opensim.LinearFunction(1.0, 0.3), opensim.Sine(2.0, 3.0, 0.4), opensim.Constant(0.7)]
    force.setTorqueFunctions(*functions)
    force.setPointIsInGlobalFrame(True)
    for function in functions:
        function.thisown = False
    return force


WITH_CONTROL = [
    coordinate_actuator,
    torque_actuator,
    world_torque,
    point_actuator,
    world_point,
    point_to_point,
    path_actuator,
]
WITHOUT = [
    path_spring,
    ligament,
    blankevoort,
    coordinate_spring,
    angle_limit,
    shift_limit,
    point_spring,
    restless_spring,
    bushing,
    offset_bushing,
    function_bushing,
    prescribed_force,
    prescribed_torque,
]


def controlled(spec, controls):
    """The same spec, its actuator driven by a control."""
    for force in spec.forces.values():
        if isinstance(force, mm.forces.Actuator):
            force.control = controls
    for muscle in spec.muscles.values():
        if isinstance(muscle.tension, mm.muscles.IdealActuator):
            muscle.tension = mm.muscles.IdealActuator(muscle.tension.optimal_force, controls)
    return spec


def same_accelerations(tree, path, controls=(), count=10):
    """Accelerations of OpenSim's tree and of what is read from its file are equal, and differ from those without."""
    tree.finalizeConnections()
    tree.printToXML(str(path))
    state = tree.initSystem()
    spec = controlled(mm.io.read_osim(path), controls if len(controls) > 1 else (*controls, 0.0)[0])
    assert not spec.report
    model, bare = spec.compile(), mm.io.read_osim(path, forces=False).compile()
    seen = 0.0
    for q, qdot in states(0, count):
        theirs = opensim_accelerations(tree, state, q, qdot, 0.7, controls)
        ours = mm.forward_dynamics(model, q, qdot, t=0.7)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * max(1.0, np.abs(theirs).max()))
        seen = max(seen, np.abs(theirs - mm.forward_dynamics(bare, q, qdot)).max())
    assert seen > 1e-2


@pytest.mark.parametrize("make", [*WITH_CONTROL, *WITHOUT])
def test_what_opensim_writes(make, tmp_path):
    opensim = pytest.importorskip("opensim")
    tree = opensim_tree()
    force = make(opensim, tree)
    if not force.getName():
        force.setName("it")
    tree.addForce(force)
    same_accelerations(tree, tmp_path / "tree.osim", (0.7,) if make in WITH_CONTROL else ())


@pytest.mark.parametrize("axes", [False, True])
@pytest.mark.parametrize("where", [False, True])
def test_a_body_actuator(axes, where, tmp_path):
    opensim = pytest.importorskip("opensim")
    tree = opensim_tree()
    force = opensim.BodyActuator(tree.getBodySet().get("third"), vec(opensim, *POINT), where, axes)
    force.setName("it")
    tree.addForce(force)
    same_accelerations(tree, tmp_path / "tree.osim", (0.3, -0.2, 0.5, 2.0, 1.0, -3.0))


QUASI = {"BallJoint": 3, "FreeJoint": 6, "EllipsoidJoint": 3}


def angular_velocity(angles):
    """The matrix from rates of body-fixed x-y-z angles to angular velocity along the parent's axes. (3, 3)"""
    first = mm.rotation((1, 0, 0), angles[0])[:3, :3]
    second = first @ mm.rotation((0, 1, 0), angles[1])[:3, :3]
    return np.column_stack([np.eye(3)[0], first[:, 1], second[:, 2]])


@pytest.mark.parametrize("which", [0, 1, 2, 4])
@pytest.mark.parametrize("kind", QUASI)
@pytest.mark.parametrize("parent", ["ground", "third"])
def test_an_actuator_on_a_coordinate_whose_speed_is_an_angular_velocity(kind, which, parent, tmp_path):
    """OpenSim's force is a torque about the parent's axis."""
    opensim = pytest.importorskip("opensim")
    if which >= QUASI[kind]:
        pytest.skip("it has three coordinates")
    tree = opensim_tree()
    body = opensim.Body("last", 1.3, vec(opensim, 0.1, 0.2, 0), opensim.Inertia(0.1, 0.2, 0.25))
    tree.addBody(body)
    ends = [(frame_of(tree, parent), (0.1, 0, 0.2), (0.4, 0.3, -0.2)), (body, (0, 0.1, 0), (0.2, 0, 0.1))]
    frames = [x for frame, place, turn in ends for x in (frame, vec(opensim, *place), vec(opensim, *turn))]
    radii = [vec(opensim, 0.1, 0.2, 0.3)] if kind == "EllipsoidJoint" else []
    joint = getattr(opensim, kind)("loose", *frames, *radii)
    for k in range(QUASI[kind]):
        joint.get_coordinates(k).setName(f"last_{k}")
    tree.addJoint(joint)
    force = opensim.CoordinateActuator(f"last_{which}")
    force.setOptimalForce(5.0)
    force.setName("it")
    tree.addForce(force)
    tree.finalizeConnections()
    tree.printToXML(str(tmp_path / "tree.osim"))
    state = tree.initSystem()
    model = controlled(mm.io.read_osim(tmp_path / "tree.osim"), 0.7).compile()
    assert list(model.coordinates[:5]) == ["first_0", "first_1", "first_2", "slide", "bend"]
    rng = np.random.default_rng(which)
    for _ in range(3):
        q, still = rng.uniform(0.2, 0.8, model.ndof), np.zeros(model.ndof)
        theirs = opensim_accelerations(tree, state, q, still, 0.0, [0.7])
        ours = mm.forward_dynamics(model, q, still)
        ours[5:8] = angular_velocity(q[5:8]) @ ours[5:8]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


def test_a_spring_on_such_a_coordinate_is_reported(tmp_path):
    opensim = pytest.importorskip("opensim")
    tree = opensim_tree()
    body = opensim.Body("last", 1.3, vec(opensim, 0.1, 0.2, 0), opensim.Inertia(0.1, 0.2, 0.25))
    tree.addBody(body)
    joint = opensim.BallJoint("loose", tree.getGround(), body)
    tree.addJoint(joint)
    force = opensim.SpringGeneralizedForce(joint.get_coordinates(1).getName())
    force.setStiffness(3.0)
    tree.addForce(force)
    tree.finalizeConnections()
    tree.printToXML(str(tmp_path / "tree.osim"))
    spec = mm.io.read_osim(tmp_path / "tree.osim")
    assert "it acts on the angle 'loose_coord_1'; OpenSim applies it about an axis" in spec.report[0]
    assert len(spec.forces) == 1 and spec.compile().ndof == 8


# --- files written by hand --------------------------------------------------------------------------------------------

OLD = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSimDocument Version="30000">
<Model name="old">
<gravity>0 -9.81 0</gravity>
<BodySet><objects>
<Body name="ground"><mass>0</mass><mass_center>0 0 0</mass_center>
<inertia_xx>0</inertia_xx><inertia_yy>0</inertia_yy><inertia_zz>0</inertia_zz>
<inertia_xy>0</inertia_xy><inertia_xz>0</inertia_xz><inertia_yz>0</inertia_yz></Body>
{bodies}
</objects></BodySet>
<ForceSet><objects>
{forces}
</objects></ForceSet>
</Model>
</OpenSimDocument>
"""
BODY = """<Body name="{name}"><mass>2</mass><mass_center>0.05 -0.1 0.03</mass_center>
<inertia_xx>0.03</inertia_xx><inertia_yy>0.05</inertia_yy><inertia_zz>0.04</inertia_zz>
<inertia_xy>0.004</inertia_xy><inertia_xz>-0.003</inertia_xz><inertia_yz>0.002</inertia_yz>
<Joint><CustomJoint name="to_{name}"><parent_body>{parent}</parent_body>
<location_in_parent>0.1 -0.3 0.05</location_in_parent><orientation_in_parent>0.3 -0.2 0.5</orientation_in_parent>
<location>0.02 0.2 0</location><orientation>0 0.1 0</orientation>
<CoordinateSet><objects><Coordinate name="{name}_q"><motion_type>rotational</motion_type>
<default_value>0.2</default_value><locked>{locked}</locked></Coordinate></objects></CoordinateSet>
<reverse>false</reverse>
<SpatialTransform><TransformAxis name="rotation1"><coordinates>{name}_q</coordinates><axis>0 0 1</axis>
<function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></function></TransformAxis>
<TransformAxis name="rotation2"><coordinates></coordinates><axis>0 1 0</axis></TransformAxis>
<TransformAxis name="rotation3"><coordinates></coordinates><axis>1 0 0</axis></TransformAxis>
<TransformAxis name="translation1"><coordinates></coordinates><axis>1 0 0</axis></TransformAxis>
<TransformAxis name="translation2"><coordinates></coordinates><axis>0 1 0</axis></TransformAxis>
<TransformAxis name="translation3"><coordinates></coordinates><axis>0 0 1</axis></TransformAxis></SpatialTransform>
</CustomJoint></Joint></Body>"""
POINTS = """<GeometryPath name=""><PathPointSet><objects>
<PathPoint name="a"><location>0 0.3 0.1</location><body>ground</body></PathPoint>
<PathPoint name="b"><location>0.1 0.2 -0.3</location><body>lower</body></PathPoint>
</objects></PathPointSet></GeometryPath>"""
OLD_FORCES = {
    "spring": """<SpringGeneralizedForce name="f"><isDisabled>false</isDisabled><coordinate>lower_q</coordinate>
<stiffness>30</stiffness><rest_length>0.3</rest_length><viscosity>4</viscosity></SpringGeneralizedForce>""",
    "limit": """<CoordinateLimitForce name="f"><isDisabled>false</isDisabled><coordinate>lower_q</coordinate>
<upper_stiffness>2</upper_stiffness><upper_limit>5</upper_limit><lower_stiffness>3</lower_stiffness>
<lower_limit>-5</lower_limit><damping>0.1</damping><transition>20</transition></CoordinateLimitForce>""",
    "point spring": """<PointToPointSpring name="f"><isDisabled>false</isDisabled><body1>ground</body1>
<body2>lower</body2><point1>0.1 0.2 0.3</point1><point2>0 0.1 0.4</point2><stiffness>50</stiffness>
<rest_length>0.4</rest_length></PointToPointSpring>""",
    "bushing": """<BushingForce name="f"><isDisabled>false</isDisabled><body_1>ground</body_1><body_2>lower</body_2>
<location_body_1>0.1 0.2 0.3</location_body_1><orientation_body_1>0.1 0.2 -0.4</orientation_body_1>
<location_body_2>0 0.1 -0.2</location_body_2><orientation_body_2>0.3 0 0.2</orientation_body_2>
<rotational_stiffness>3 2 5</rotational_stiffness><translational_stiffness>30 20 50</translational_stiffness>
<rotational_damping>0.3 0.2 0.5</rotational_damping><translational_damping>3 2 5</translational_damping>
</BushingForce>""",
    "prescribed": """<PrescribedForce name="f"><isDisabled>false</isDisabled><body>lower</body>
<pointIsGlobal>false</pointIsGlobal><forceIsGlobal>false</forceIsGlobal>
<FunctionSet name="forceFunctions"><objects><Constant><value>3</value></Constant><Constant><value>1</value></Constant>
<LinearFunction><coefficients>2 1</coefficients></LinearFunction></objects></FunctionSet>
<FunctionSet name="pointFunctions"><objects><Constant><value>0.3</value></Constant><Constant><value>0.1</value>
</Constant><Constant><value>0.2</value></Constant></objects></FunctionSet></PrescribedForce>""",
    "path spring": f"""<PathSpring name="f"><isDisabled>false</isDisabled>{POINTS}<resting_length>0.4</resting_length>
<stiffness>50</stiffness><dissipation>0.3</dissipation></PathSpring>""",
    "ligament": f"""<Ligament name="f"><isDisabled>false</isDisabled>{POINTS}<resting_length>0.5</resting_length>
<pcsa_force>90</pcsa_force><force_length_curve><natCubicSpline><x>-5 0.998 0.999 1 1.1 1.2 1.6 1.602 5</x>
<y>0 0 0 0 0.1 0.2 0.9 2 2</y></natCubicSpline></force_length_curve></Ligament>""",
}


def old_file(tmp_path, forces, locked="false"):
    chain = [("upper", "ground", "false"), ("lower", "upper", locked)]
    bodies = "".join(BODY.format(name=name, parent=parent, locked=lock) for name, parent, lock in chain)
    path = tmp_path / "old.osim"
    path.write_text(OLD.format(bodies=bodies, forces=forces))
    return path


@pytest.mark.parametrize("which", OLD_FORCES)
def test_the_oldest_tags_against_opensim(which, tmp_path):
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Off")
    path = old_file(tmp_path, OLD_FORCES[which])
    tree, spec = opensim.Model(str(path)), mm.io.read_osim(path)
    assert not spec.report
    state, model, bare = tree.initSystem(), spec.compile(), mm.io.read_osim(path, forces=False).compile()
    rng, seen = np.random.default_rng(3), 0.0
    for _ in range(6):
        q, qdot = rng.uniform(-0.8, 0.8, 2), rng.normal(size=2)
        theirs = opensim_accelerations(tree, state, q, qdot, 0.7)
        ours = mm.forward_dynamics(model, q, qdot, t=0.7)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * max(1.0, np.abs(theirs).max()))
        seen = max(seen, np.abs(theirs - mm.forward_dynamics(bare, q, qdot)).max())
    assert seen > 1e-2


@pytest.mark.parametrize("which", OLD_FORCES)
@pytest.mark.parametrize(("said", "off"), [("<isDisabled>true", "<isDisabled>"), ("<appliesForce>false", "<applies")])
def test_what_is_switched_off_is_reported(which, said, off, tmp_path):
    text = OLD_FORCES[which].replace("<isDisabled>false</isDisabled>", f"{said}</{said.strip('<').split('>')[0]}>")
    spec = mm.io.read_osim(old_file(tmp_path, text))
    assert off in text and not spec.forces and len(spec.report) == 1 and "it is switched off" in spec.report[0]
    assert list(spec.muscles) == (["f"] if "GeometryPath" in text else [])
    model = spec.compile()
    bare = mm.io.read_osim(old_file(tmp_path, "")).compile()
    q = np.array([0.3, 0.4])
    np.testing.assert_array_equal(mm.forward_dynamics(model, q, q), mm.forward_dynamics(bare, q, q))


def test_paths_are_read_without_forces(tmp_path):
    forces = OLD_FORCES["path spring"] + OLD_FORCES["ligament"].replace('"f"', '"g"')
    forces += OLD_FORCES["spring"].replace('"f"', '"h"')
    spec = mm.io.read_osim(old_file(tmp_path, forces), forces=False)
    assert list(spec.muscles) == ["f", "g"] and not spec.forces and not spec.report
    lengths = mm.muscle_lengths(spec.compile(), np.zeros(2))
    assert lengths[0] == lengths[1] > 0


@pytest.mark.parametrize("which", ["spring", "limit"])
def test_forces_on_eliminated_coordinates_are_reported(which, tmp_path):
    path = old_file(tmp_path, OLD_FORCES[which], locked="true")
    spec = mm.io.read_osim(path, eliminate=True)
    assert not spec.forces and "'lower_q', on which it acts, was eliminated" in spec.report[0]
    assert list(mm.io.read_osim(path).forces) == ["f"]


@pytest.mark.parametrize(
    ("which", "old", "new", "sentence"),
    [
        ("spring", ">30<", ">-30<", "<stiffness> of 'f' must not be negative, and is -30"),
        ("spring", ">30<", ">inf<", "<stiffness> of 'f' must be a finite number"),
        ("spring", ">30<", ">much<", "<stiffness> holds numbers, and is 'much'"),
        ("spring", "lower_q", "knee", "names a coordinate 'knee' that the model does not have"),
        ("spring", "<coordinate>lower_q</coordinate>", "", "names a coordinate '' that"),
        ("limit", "<upper_limit>5", "<upper_limit>-50", "<lower_limit> of 'f', -5, must not exceed its <upper_limit>"),
        ("limit", ">20<", ">0<", "<transition> of 'f' must be positive, and is 0"),
        ("limit", ">3<", ">-3<", "<lower_stiffness> of 'f' must not be negative"),
        ("point spring", "<body1>ground</body1>", "", "the PointToPointSpring 'f' does not say its <body1>"),
        ("point spring", "<body2>lower", "<body2>shank", "names a frame 'shank' that the model does not have"),
        ("point spring", "0.1 0.2 0.3", "0.1 0.2", "<point1> holds 3 numbers"),
        ("point spring", ">0.4<", ">-0.4<", "<rest_length> of 'f' must not be negative"),
        ("bushing", "<body_2>lower</body_2>", "", "does not say its <frame2>"),
        ("bushing", ">3 2 5<", ">3 2 -5<", "<rotational_stiffness> of 'f' must be three numbers"),
        ("prescribed", "<body>lower</body>", "", "does not say its <frame>"),
        ("prescribed", "<Constant><value>3</value></Constant>", "", "<forceFunctions> of 'f' holds three functions"),
        ("path spring", "<stiffness>50</stiffness>", "", "the PathSpring 'f' does not say its <stiffness>"),
        ("path spring", ">0.3<", ">nan<", "<dissipation> holds numbers, and not a number .NaN. is among them"),
        ("path spring", "<body>lower</body>", "<body>shank</body>", "names a frame 'shank'"),
        ("ligament", ">0.5<", ">0<", "<resting_length> of 'f' must be positive"),
        ("ligament", ">90<", ">-90<", "<pcsa_force> of 'f' must not be negative"),
        ("ligament", "0.998 0.999", "0.999 0.998", "its <x> must rise"),
    ],
)
def test_wrong_files_get_a_sentence(which, old, new, sentence, tmp_path):
    assert old in OLD_FORCES[which]
    path = old_file(tmp_path, OLD_FORCES[which].replace(old, new, 1))
    with pytest.raises(ValueError, match=rf"old\.osim, line \d+: .*{sentence}"):
        mm.io.read_osim(path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<PathActuator name='f'><min_control>2</min_control><max_control>0</max_control>@</PathActuator>", "<min_con"),
        ("<PointActuator name='f'><direction>0 0 0</direction><body>lower</body></PointActuator>", "has no direction"),
        ("<TorqueActuator name='f'><bodyA>lower</bodyA></TorqueActuator>", "does not say its <bodyB>"),
        ("<CoordinateActuator name='f'/>", "names a coordinate '' that"),
        ("<Blankevoort1991Ligament name='f'>@</Blankevoort1991Ligament>", "does not say its <slack_length>"),
        ("<PathSpring name='f'><GeometryPath/></PathSpring>", "needs two points, and has 0"),
    ],
)
def test_wrong_elements_get_a_sentence(text, sentence, tmp_path):
    with pytest.raises(ValueError, match=rf"old\.osim, line \d+: .*{sentence}"):
        mm.io.read_osim(old_file(tmp_path, text.replace("@", POINTS)))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<ExpressionBasedCoordinateForce name='f'><expression>q</expression></ExpressionBasedCoordinateForce>",
         "expressions are not evaluated"),
        ("<ExternalForce name='f'/>", "from a recording"),
        ("<McKibbenActuator name='f'>@</McKibbenActuator>", "not known; its path alone is kept"),
        ("<RigidTendonMuscle name='f'>@</RigidTendonMuscle>", "its path alone is kept"),
        ("<MagicForce name='f'/>", "this kind is not known; left out"),
        ("<PointActuator name='f'><body>ground</body></PointActuator>", "acts on the ground"),
        ("<TorqueActuator name='f'><bodyA>lower</bodyA><bodyB>lower</bodyB></TorqueActuator>", "does nothing"),
        ("<PrescribedForce name='f'><body>lower</body></PrescribedForce>", "no functions of force or torque"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_reported(text, sentence, tmp_path):
    spec = mm.io.read_osim(old_file(tmp_path, text.replace("@", POINTS)))
    assert len(spec.report) == 1 and sentence in spec.report[0] and "'f'" in spec.report[0]
    assert not spec.forces and list(spec.muscles) == (["f"] if "@" in text else [])
    spec.compile()


def test_forces_of_one_name_and_the_limits_of_controls(tmp_path):
    text = """<CoordinateActuator name="f"><coordinate>upper_q</coordinate><optimal_force>3</optimal_force>
<min_control>-2</min_control><max_control>5</max_control></CoordinateActuator>"""
    spec = mm.io.read_osim(old_file(tmp_path, text + OLD_FORCES["spring"]))
    assert list(spec.forces) == ["f", "f_0"] and "another one has this name; it is called 'f_0'" in spec.report[0]
    actuator = spec.forces["f"]
    assert (actuator.optimal_force, actuator.least_control, actuator.largest_control) == (3.0, -2.0, 5.0)


def test_a_file_of_forces_is_added(tmp_path):
    path, extra = old_file(tmp_path, OLD_FORCES["spring"]), tmp_path / "reserves.xml"
    actuators = "".join(
        f"<CoordinateActuator name='{name}_reserve'><coordinate>{name}_q</coordinate></CoordinateActuator>"
        for name in ("upper", "lower")
    )
    defaults = "<defaults><CoordinateActuator><optimal_force>7</optimal_force></CoordinateActuator></defaults>"
    extra.write_text(
        f'<OpenSimDocument Version="30000"><ForceSet>{defaults}<objects>{actuators}</objects></ForceSet>'
        "</OpenSimDocument>"
    )
    spec = mm.io.read_osim(path, force_sets=[extra])
    assert list(spec.forces) == ["f", "upper_reserve", "lower_reserve"]
    assert spec.forces["lower_reserve"].optimal_force == 7.0
    assert list(mm.io.read_osim(path, force_sets=str(extra)).forces) == list(spec.forces)
    extra.write_text(f'<OpenSimDocument Version="30000"><ForceSet>{actuators}</ForceSet></OpenSimDocument>')
    with pytest.raises(ValueError, match=r"reserves.xml, line 1: the <ForceSet> .* holds them in <objects>"):
        mm.io.read_osim(path, force_sets=[extra])
    with pytest.raises(ValueError, match=r"old.osim, line 2: a file of forces holds"):
        mm.io.read_osim(path, force_sets=[path])


@pytest.mark.parametrize("surface", ["cylinder", "sphere", "ellipsoid"])
def test_path_actuators_over_surfaces_have_the_lengths_of_geodesics(surface):
    """Those that OpenSim's newer wrapping finds; on an ellipsoid the other way round may be shorter."""
    known = opensim_reference.numbers("wraps/wraps.json")
    spec = mm.io.read_osim(opensim_reference.reference("wraps/wraps.osim"))
    name = f"{surface}_all"
    lone = replace(spec, muscles={name: spec.muscles[name]})
    assert isinstance(spec.muscles[name].tension, mm.muscles.IdealActuator)
    assert len(spec.report) == 1 and spec.report[0].startswith("28 paths over cylinders, ellipsoids or tori")
    model, (case,) = lone.compile(), [case for case in known["cases"] if case["name"] == name]
    found = [(mm.muscle_lengths(model, q)[0], length) for q, length in
             zip(known["q"], case["geodesic_length"], strict=True) if length is not None]  # fmt: skip
    off = np.diff(found, axis=1)[:, 0]
    assert len(off) > 30 and off.min() > -1e-11
    assert off.max() < 1e-11 if surface != "ellipsoid" else (off > 1e-11).sum() <= 1
