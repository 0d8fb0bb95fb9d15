"""A tree of three bodies in OpenSim and here, with the same frames, for forces and constraints one by one."""

import numpy as np

import myomass as mm

MASS, CENTRE, INERTIA = 2.0, (0.05, -0.1, 0.03), (0.03, 0.05, 0.04, 0.004, -0.003, 0.002)
OFFSET, TURNED = (0.1, -0.3, 0.05), (0.3, -0.2, 0.5)
NAMES = ("first", "second", "third")


def opensim_tree():
    """An opensim.Model of a gimbal joint, a slider and a pin: first_0, first_1, first_2, slide, bend."""
    opensim = __import__("opensim")
    opensim.Logger.setLevelString("Off")
    model, vec = opensim.Model(), opensim.Vec3
    model.setName("tree")
    joints = []
    for name, parent in zip(NAMES, ("ground", *NAMES), strict=False):
        body = opensim.Body(name, MASS, vec(*CENTRE), opensim.Inertia(*INERTIA))
        model.addBody(body)
        hung = model.getGround() if parent == "ground" else model.getBodySet().get(parent)
        place = hung, vec(*OFFSET), vec(*TURNED), body, vec(0.02, 0.2, 0), vec(0, 0.1, 0)
        kind = {"first": opensim.GimbalJoint, "second": opensim.SliderJoint, "third": opensim.PinJoint}[name]
        joint = kind(f"to_{name}", *place)
        joints.append(joint)
        model.addJoint(joint)
    for k in range(3):
        joints[0].get_coordinates(k).setName(f"first_{k}")
    joints[1].get_coordinates(0).setName("slide")
    joints[2].get_coordinates(0).setName("bend")
    return model


def body_turn(angles):
    """Body-fixed x-y-z angles as a pose."""
    return mm.rotation((1, 0, 0), angles[0]) @ mm.rotation((0, 1, 0), angles[1]) @ mm.rotation((0, 0, 1), angles[2])


def own_inertia():
    xx, yy, zz, xy, xz, yz = INERTIA
    return mm.Inertia.from_matrix(MASS, CENTRE, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def own_tree():
    """The same as an mm.Spec."""
    spec = mm.Spec("tree", gravity=(0, -9.80665, 0))
    joints = {
        "first": (three_hinges(), ["first_0", "first_1", "first_2"]),
        "second": (mm.Prismatic((1, 0, 0)), ["slide"]),
        "third": (mm.Revolute((0, 0, 1)), ["bend"]),
    }
    before = mm.translation(*OFFSET) @ body_turn(TURNED)
    after = mm.se3.inverse(mm.translation(0.02, 0.2, 0) @ body_turn((0, 0.1, 0)))
    for name, parent in zip(NAMES, (None, *NAMES), strict=False):
        joint, coordinates = joints[name]
        E_pj = before if parent is None else after @ before
        spec.add_body(name, parent, joint, E_pj, after, own_inertia(), coordinates=coordinates)
    return spec


def three_hinges():
    hinges = [mm.Revolute(axis) for axis in np.eye(3)]
    return mm.Composite(mm.Composite(*hinges[:2]), hinges[2])


def place_in(body, place):
    """A place in OpenSim's body frame as (body, place in the body's own frame)."""
    if body == "ground":
        return None, tuple(place)
    return body, tuple((mm.se3.inverse(own_inertia().frame) @ [*place, 1.0])[:3])


def direction_in(body, direction):
    """A direction in OpenSim's body frame, in the body's own."""
    return tuple(direction) if body == "ground" else tuple(own_inertia().frame[:3, :3].T @ direction)


def pose_in(body, E):
    """(body, pose) of a frame in OpenSim's body frame."""
    return (None, E) if body == "ground" else (body, mm.se3.inverse(own_inertia().frame) @ E)


def states(seed, count=5):
    """Random (q, qdot) of the tree."""
    rng = np.random.default_rng(seed)
    return [(rng.uniform(-0.8, 0.8, 5), rng.normal(size=5)) for _ in range(count)]


def opensim_accelerations(model, state, q, qdot, t=0.0, controls=()):
    """Accelerations of an initialised opensim.Model at coordinates and speeds, in their own order."""
    coordinates = model.getCoordinateSet()
    state.setTime(t)
    for k in range(coordinates.getSize()):
        coordinates.get(k).setValue(state, float(q[k]), False)
        coordinates.get(k).setSpeedValue(state, float(qdot[k]))
    model.realizeVelocity(state)
    if len(controls):
        model.setControls(state, __import__("opensim").Vector(np.array(controls, float).tolist()))
    model.realizeAcceleration(state)
    return np.array([coordinates.get(k).getAccelerationValue(state) for k in range(coordinates.getSize())])


def compare(tree, spec, *, tolerance=1e-10, seed=0, t=0.0, controls=(), count=5):
    """The accelerations of both agree, and what was added to the tree changes them."""
    state, model, bare = tree.initSystem(), spec.compile(), own_tree().compile()
    for q, qdot in states(seed, count):
        theirs = opensim_accelerations(tree, state, q, qdot, t, controls)
        ours = mm.forward_dynamics(model, q, qdot, t=t)
        assert np.abs(theirs - mm.forward_dynamics(bare, q, qdot)).max() > 1e-3
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * max(1.0, np.abs(theirs).max()))


def frame_of(tree, body):
    """A body's frame, or ground's, of an opensim.Model."""
    return tree.getGround() if body == "ground" else tree.getBodySet().get(body)
