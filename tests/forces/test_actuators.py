"""Actuators against OpenSim's in one process, their derivatives, and the columns of static optimisation."""

import numpy as np
import pytest
from opensim_elements import compare, direction_in, frame_of, opensim_tree, own_tree, place_in
from trees import random_spec, random_state

import myomass as mm
from myomass import forces

pytestmark = pytest.mark.fast
STEP = 1e-30
POINT, WAY = (0.1, 0.2, -0.3), (0.3, -0.5, 0.8)
UNIT = tuple(np.array(WAY) / np.linalg.norm(WAY))
OWN = {"optimal_force": 30.0, "control": 0.7}
WORLD = [(False, False), (False, True), (True, False), (True, True)]


def coordinate_pair(opensim, tree, world):
    return opensim.CoordinateActuator("bend"), forces.CoordinateActuator("bend", **OWN)


def point_pair(opensim, tree, world):
    theirs = opensim.PointActuator("third")
    theirs.set_point(opensim.Vec3(*POINT))
    theirs.set_direction(opensim.Vec3(*UNIT))
    theirs.set_point_is_global(world[0])
    theirs.set_force_is_global(world[1])
    place = POINT if world[0] else place_in("third", POINT)[1]
    way = WAY if world[1] else direction_in("third", WAY)
    return theirs, forces.PointActuator("third", way, place, world_point=world[0], world_direction=world[1], **OWN)


def torque_pair(opensim, tree, world):
    theirs = opensim.TorqueActuator()
    theirs.set_bodyA("third")
    theirs.set_bodyB("ground" if world[0] else "first")
    theirs.set_axis(opensim.Vec3(*UNIT))
    theirs.set_torque_is_global(world[1])
    way, other = WAY if world[1] else direction_in("third", WAY), None if world[0] else "first"
    return theirs, forces.TorqueActuator("third", way, other, world_axis=world[1], **OWN)


def path_pair(opensim, tree, world):
    theirs = opensim.PathActuator()
    points = [("ground", (0, 0.3, 0.1)), ("first", (0.1, 0, 0)), ("third", POINT)]
    for i, (body, place) in enumerate(points):
        theirs.addNewPathPoint(f"p{i}", frame_of(tree, body), opensim.Vec3(*place))
    return theirs, forces.PathActuator([place_in(*point) for point in points], **OWN)


@pytest.mark.parametrize("world", WORLD)
@pytest.mark.parametrize("pair", [coordinate_pair, point_pair, torque_pair, path_pair])
def test_against_opensim(pair, world):
    opensim = pytest.importorskip("opensim")
    tree, spec = opensim_tree(), own_tree()
    theirs, ours = pair(opensim, tree, world)
    (theirs.set_optimal_force if hasattr(theirs, "set_optimal_force") else theirs.setOptimalForce)(30.0)
    tree.addForce(theirs)
    spec.add_force(ours)
    compare(tree, spec, controls=[0.7])


@pytest.mark.parametrize(("axes", "where"), WORLD)
def test_a_body_actuator_against_opensim(axes, where):
    opensim = pytest.importorskip("opensim")
    tree, spec, controls = opensim_tree(), own_tree(), np.array([0.3, -0.2, 0.5, 2.0, 1.0, -3.0])
    tree.addForce(opensim.BodyActuator(tree.getBodySet().get("third"), opensim.Vec3(*POINT), where, axes))
    own = controls if axes else np.ravel([direction_in("third", half) for half in controls.reshape(2, 3)])
    place = POINT if where else place_in("third", POINT)[1]
    spec.add_force(forces.BodyActuator("third", place, world_axes=axes, world_point=where, control=tuple(own)))
    compare(tree, spec, controls=controls)


def every_actuator(spec):
    """One of each kind on a random tree."""
    moving = {"optimal_force": 3.0, "control": mm.Motion.sine(1.0, 2.0, 0.3, 0.5)}
    for own in (True, False):
        world = {"world_point": not own, "world_direction": own}
        yield forces.PointActuator("b3", WAY, POINT, **world, **moving)
        yield forces.TorqueActuator("b1", WAY, "b4", world_axis=own, **moving)
        controls = (0.3, -0.2, mm.Motion.sine(1, 1), 2.0, 1.0, -3.0)
        yield forces.BodyActuator("b2", POINT, world_axes=own, world_point=not own, control=controls)
    yield forces.PathActuator([(None, POINT), ("b2", WAY), ("b4", POINT)], **moving)
    yield forces.CoordinateActuator(spec.compile().coordinates[2], **moving)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives(seed):
    spec = random_spec(seed, 5, ["revolute", "universal", "spherical-exp", "planar", "free-2d"])
    for actuator in every_actuator(spec):
        spec.add_force(actuator)
    model = spec.compile()
    q, qdot, _ = random_state(model, seed)
    for which, matrix in enumerate(mm.dynamics.force_derivatives(model, q, qdot, t=0.3)):
        expected = np.empty_like(matrix)
        for k in range(model.ndof):
            x = [q.astype(complex), qdot.astype(complex)]
            x[which][k] += 1j * STEP
            expected[:, k] = mm.applied_forces(model, *x, t=0.3).imag / STEP
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12 * max(1, np.abs(expected).max()))


def test_columns_times_controls_are_the_generalized_forces():
    spec = random_spec(2, 5, ["revolute", "universal", "spherical-exp", "planar", "free-2d"])
    bare, actuators = spec.compile(), list(every_actuator(spec))
    for actuator in actuators:
        spec.add_force(actuator)
    model, t = spec.compile(), 0.4
    controls = np.concatenate([np.ravel([c(t) if isinstance(c, mm.Motion) else c for c in np.atleast_1d(a.control)])
                               for a in actuators])  # fmt: skip
    q = np.stack([random_state(model, seed)[0] for seed in range(3)])
    columns = mm.dynamics.actuator_columns(bare, q, actuators)
    assert columns.shape == (3, model.ndof, len(controls))
    for i in range(3):
        f = mm.applied_forces(model, q[i], np.zeros(model.ndof), t=t)
        np.testing.assert_allclose(columns[i] @ controls, f, rtol=0, atol=1e-12 * np.abs(f).max())
    single = mm.dynamics.actuator_columns(bare, q[0], {"a": actuators[0]})
    np.testing.assert_array_equal(single, columns[0][:, :1])


def test_adaptive_steps_stop_where_a_control_jumps():
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("box", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.sphere(0.1, mass=2.0), coordinates=["slide"])
    control = mm.Motion.held([0.0, 0.3, 0.7], [1.0, 0.0, 0.5])
    spec.add_force(forces.CoordinateActuator("slide", optimal_force=4.0, control=control))
    run = mm.simulate(spec.compile(), duration=1.0)
    assert {0.3, 0.7} <= set(np.round(run.t, 12))
    assert run.qdot[-1, 0] == pytest.approx(2.0 * 0.3 + 1.0 * 0.3, abs=1e-12)


@pytest.mark.parametrize(
    ("actuator", "sentence"),
    [
        (forces.CoordinateActuator("knee"), "has no coordinate 'knee'; known: a"),
        (forces.CoordinateActuator("a", control="high"), "control must be a number or an mm.Motion"),
        (forces.CoordinateActuator("a", least_control=1, largest_control=0), "must not exceed largest_control"),
        (forces.CoordinateActuator("a", optimal_force=np.nan), r"optimal_force \[N or N m\] must be a finite number"),
        (forces.PointActuator(None, WAY), "acts on a body"),
        (forces.PointActuator("a", (0, 0, 0)), "direction: the axis must be three finite numbers"),
        (forces.TorqueActuator("a", WAY, "a"), "between two bodies, and both are 'a'"),
        (forces.BodyActuator("a", control=(1, 2)), "control must be 6 numbers or motions, and there are 2"),
        (forces.PathActuator([("a", WAY)]), "list of 2 or more"),
    ],
)
def test_bad_input_gets_a_sentence(actuator, sentence):
    spec = mm.Spec()
    spec.add_body("a", inertia=mm.Inertia.sphere(0.1, mass=1))
    spec.add_force(actuator, "mine")
    with pytest.raises(ValueError, match=f"force 'mine'.*{sentence}"):
        spec.compile()
