"""Forces of .osim files: each class written by OpenSim and read back, by hand in old formats, and files that are wrong."""

import numpy as np
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
    return opensim.CoordinateLimitForce("bend", 6.0, 2.0, -5.0, 1.0, 0.1, 20.0, True)


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
    """A bushing between frames of its own, both of which have names that other bushings have too."""
    force, shared = bushing(opensim, tree), bushing(opensim, tree)
    for one, names in ((shared, ("ground", "first")), (force, ("first", "third"))):
        for i, name in enumerate(names, 1):
            frame = offset(opensim, frame_of(tree, name), f"frame{i}")
            one.append_frames(frame)
            getattr(one, f"connectSocket_frame{i}")(one.get_frames(i - 1))
    shared.setName("another")
    tree.addForce(shared)
    return force


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
    seen, rng = 0.0, np.random.default_rng(7)
    for q, qdot in states(0, count) if len(tree_names(tree)) == 5 else random_states(tree, rng, count):
        theirs = opensim_accelerations(tree, state, q, qdot, 0.7, controls)
        ours = mm.forward_dynamics(model, q, qdot, t=0.7)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * max(1.0, np.abs(theirs).max()))
        seen = max(seen, np.abs(theirs - mm.forward_dynamics(bare, q, qdot)).max())
    assert seen > 1e-2


def tree_names(tree):
    return [tree.getCoordinateSet().get(k).getName() for k in range(tree.getCoordinateSet().getSize())]


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
