"""Springs and limits of coordinates, bushings and prescribed forces against OpenSim's, and their regimes one by one."""

import numpy as np
import pytest
from opensim_elements import (
    body_turn,
    compare,
    frame_of,
    opensim_accelerations,
    opensim_tree,
    own_tree,
    pose_in,
    states,
)
from scipy.integrate import quad
from trees import complex_slopes, random_frame, random_spec, random_state

import myomass as mm
from myomass import forces

pytestmark = pytest.mark.fast
DEGREE = np.pi / 180
FLAT = [3.0, 2.0, 5.0, 30.0, 20.0, 50.0]
DAMPED = [0.3, 0.2, 0.5, 3.0, 2.0, 5.0]
PLACES = (0.1, 0.2, -0.05), (0.03, -0.1, 0.2)
ANGLES = (0.2, -0.4, 0.3), (-0.3, 0.1, 0.6)


def vec(opensim, values):
    return opensim.Vec3(*map(float, values))


@pytest.mark.parametrize("coordinate", ["slide", "bend"])
def test_a_coordinate_spring_against_opensim(coordinate):
    opensim = pytest.importorskip("opensim")
    tree, spec = opensim_tree(), own_tree()
    theirs = opensim.SpringGeneralizedForce(coordinate)
    theirs.setStiffness(30.0)
    theirs.setRestLength(0.3)
    theirs.setViscosity(4.0)
    tree.addForce(theirs)
    spec.add_force(forces.CoordinateSpring(coordinate, 30.0, 4.0, rest=0.3))
    compare(tree, spec)


@pytest.mark.parametrize(("coordinate", "unit"), [("slide", 1.0), ("bend", DEGREE)])
@pytest.mark.parametrize("width", [0.05, 0.9])
def test_a_coordinate_limit_against_opensim(coordinate, unit, width):
    """Wide and narrow transitions, beyond both limits, within them and inside the transition."""
    opensim = pytest.importorskip("opensim")
    tree, spec = opensim_tree(), own_tree()
    upper, lower = 0.1 / unit, -0.1 / unit
    numbers = upper, 50.0 * unit, lower, 30.0 * unit, 4.0 * unit, width / unit
    tree.addForce(opensim.CoordinateLimitForce(coordinate, *numbers, False))
    spec.add_force(forces.CoordinateLimit(coordinate, -0.1, 0.1, (30.0, 50.0), 4.0, width))
    state, model, seen = tree.initSystem(), spec.compile(), []
    for q, qdot in states(1, 30):
        theirs = opensim_accelerations(tree, state, q, qdot)
        scale = 1e-10 * max(1.0, np.abs(theirs).max())
        np.testing.assert_allclose(mm.forward_dynamics(model, q, qdot), theirs, rtol=0, atol=scale)
        seen.append(q[3 if coordinate == "slide" else 4])
    assert min(seen) < -0.15 and max(seen) > 0.15 and np.abs(seen).min() < 0.1


def test_the_energy_of_a_limit_is_the_work_against_it():
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("a", inertia=mm.Inertia.sphere(0.1, mass=1), coordinates=["bend"])
    spec.add_force(forces.CoordinateLimit("bend", -0.3, 0.5, (20.0, 40.0), 3.0, 0.2))
    model = spec.compile()
    for q in (-0.6, -0.4, -0.2, 0.5, 0.55, 0.7, 0.9):
        start = min(max(q, -0.3), 0.5)
        work = -quad(lambda x: mm.applied_forces(model, [x], [0.0])[0], start, q, epsabs=1e-13, epsrel=1e-13)[0]
        assert mm.energy(model, [q], [0.0]).potential == pytest.approx(work, abs=1e-12)
    for q, rate in ((0.5, 1.0), (0.5 + 1e-7, 1.0), (0.1, 5.0)):
        assert abs(mm.applied_forces(model, [q], [rate])[0]) < 1e-12
    assert mm.applied_forces(model, [0.7], [2.0])[0] == pytest.approx(-40 * 0.2 - 3 * 2)
    assert mm.applied_forces(model, [-0.5], [2.0])[0] == pytest.approx(20 * 0.2 - 3 * 2)


@pytest.mark.parametrize(("first", "second"), [("ground", "second"), ("first", "third"), ("third", "second")])
def test_a_bushing_against_opensim(first, second):
    opensim = pytest.importorskip("opensim")
    tree, spec = opensim_tree(), own_tree()
    ends = []
    for body, place, angles in zip((first, second), PLACES, ANGLES, strict=True):
        turned = opensim.Rotation()
        turned.setRotationToBodyFixedXYZ(vec(opensim, angles))
        ends += [frame_of(tree, body), opensim.Transform(turned, vec(opensim, place))]
    stiff = (vec(opensim, x) for x in (FLAT[3:], FLAT[:3], DAMPED[3:], DAMPED[:3]))
    tree.addForce(opensim.BushingForce("bushing", *ends, *stiff))
    poses = [mm.translation(*place) @ body_turn(angles) for place, angles in zip(PLACES, ANGLES, strict=True)]
    spec.add_force(forces.Bushing(pose_in(first, poses[0]), pose_in(second, poses[1]), FLAT, DAMPED))
    compare(tree, spec)


def curves():
    """Six springs that are not straight."""
    return [mm.Motion.pieces([0.0, 1.0], [[0.0, k, 0.3 * k, k]], goes_on=True) for k in FLAT]


def test_a_bushing_of_functions_against_opensim():
    opensim = pytest.importorskip("opensim")
    tree, spec = opensim_tree(), own_tree()
    theirs = opensim.FunctionBasedBushingForce()
    theirs.connectSocket_frame1(frame_of(tree, "first"))
    theirs.connectSocket_frame2(frame_of(tree, "third"))
    names = [f"m_{x}_theta_{x}_function" for x in "xyz"] + [f"f_{x}_delta_{x}_function" for x in "xyz"]
    for name, k in zip(names, FLAT, strict=True):
        vector = opensim.Vector(np.array([k, 0.3 * k, k, 0.0]))
        getattr(theirs, f"set_{name}")(opensim.PolynomialFunction(vector))
    theirs.set_rotational_damping(vec(opensim, DAMPED[:3]))
    theirs.set_translational_damping(vec(opensim, DAMPED[3:]))
    tree.addForce(theirs)
    ends = [pose_in(name, np.eye(4)) for name in ("first", "third")]
    spec.add_force(forces.Bushing(*ends, curves(), DAMPED))
    compare(tree, spec)


@pytest.mark.parametrize("world_axes", [False, True])
@pytest.mark.parametrize("world_point", [False, True])
def test_a_prescribed_force_against_opensim(world_axes, world_point):
    opensim = pytest.importorskip("opensim")
    tree, spec = opensim_tree(), own_tree()
    theirs = opensim.PrescribedForce("push", tree.getBodySet().get("third"))
    numbers = {"force": (3.0, -2.0, 5.0), "torque": (0.3, 1.2, -0.5), "point": (0.1, 0.4, -0.2)}
    for what, values in numbers.items():
        given = [opensim.LinearFunction(x, 0.5 * x) for x in values]
        getattr(theirs, f"set{what.title()}Functions")(*given)
        for function in given:
            function.thisown = False
    theirs.setForceIsInGlobalFrame(world_axes)
    theirs.setPointIsInGlobalFrame(world_point)
    tree.addForce(theirs)
    motions = {what: [mm.Motion.line(x, 0.5 * x) for x in values] for what, values in numbers.items()}
    frame = pose_in("third", np.eye(4))[1]
    spec.add_force(
        forces.PrescribedForce("third", **motions, world_axes=world_axes, world_point=world_point, frame=frame)
    )
    compare(tree, spec, t=0.7)


def several(spec, seed=0):
    """One of each kind, all in play."""
    rng = np.random.default_rng(seed)
    name = spec.compile().coordinates[1]
    yield forces.CoordinateSpring(name, 3.0, 0.4, rest=0.1)
    for width in (0.05, 3.0):
        yield forces.CoordinateLimit(name, -1.0, 0.1, 30.0, 4.0, width)
        yield forces.CoordinateLimit(name, 1.5, 2.0, 30.0, 4.0, width)
    yield forces.Bushing(("b1", random_frame(rng)), ("b4", random_frame(rng)), FLAT, DAMPED)
    yield forces.Bushing((None, random_frame(rng)), ("b2", random_frame(rng)), curves(), DAMPED)
    sine = mm.Motion.sine(2.0, 3.0, 0.4, 0.5)
    yield forces.PrescribedForce("b3", (1.0, sine, 2.0), (0.3, 0.1, sine), (sine, 0.2, 0.3), False, False)
    yield forces.PrescribedForce("b2", (1.0, sine, 2.0), (0.3, 0.1, sine), (sine, 0.2, 0.3), True, True)
    yield forces.BodyActuator("b1", (0.1, 0.2, 0.3), world_axes=False, frame=random_frame(rng), control=(1.0, 2) * 3)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives(seed):
    spec = random_spec(seed, 5, ["revolute", "universal", "spherical-exp", "planar", "free-2d"])
    for force in several(spec, seed):
        spec.add_force(force)
    model = spec.compile()
    q, qdot, _ = random_state(model, seed)
    for which, matrix in enumerate(mm.dynamics.force_derivatives(model, q, qdot, t=0.3)):
        expected = complex_slopes(lambda *x: mm.applied_forces(model, *x, t=0.3), [q, qdot], which)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-11 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(3))
def test_a_bushing_is_the_slope_of_its_energy_and_its_damping_takes_energy(seed):
    spec = random_spec(seed, 5, ["revolute", "universal", "spherical-exp", "planar"])
    spec.gravity = (0, 0, 0)
    rng = np.random.default_rng(seed)
    ends = ("b1", random_frame(rng)), ("b4", random_frame(rng))
    spec.add_force(forces.Bushing(*ends, curves()))
    model = spec.compile()
    q, qdot, _ = random_state(model, seed)
    slope = complex_slopes(lambda x: mm.energy(model, x, 0 * x).potential, [q], 0)
    f = mm.applied_forces(model, q, qdot)
    np.testing.assert_allclose(f, -slope, rtol=0, atol=1e-11 * np.abs(f).max())
    spec.add_force(forces.Bushing(*ends, [0.0] * 6, DAMPED))
    assert qdot @ (mm.applied_forces(spec.compile(), q, qdot) - f) < 0


def test_a_body_on_a_bushing_keeps_its_energy_with_an_adaptive_integrator():
    spec = mm.Spec(gravity=(0, 0, -9.81))
    spec.add_body("box", None, mm.Free3D(), inertia=mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=2.0))
    spec.add_force(forces.Bushing((None, np.eye(4)), ("box", mm.translation(0, 0.05, 0)), FLAT[:3] + [300.0] * 3))
    run = mm.simulate(spec.compile(), duration=0.2, rtol=1e-10, atol=1e-10)
    total = [mm.energy(run.model, q, qdot).total for q, qdot in zip(run.q[::10], run.qdot[::10], strict=True)]
    assert np.ptp(total) < 1e-7


@pytest.mark.parametrize(
    ("force", "sentence"),
    [
        (forces.CoordinateSpring("knee", 1.0), "has no coordinate 'knee'; known: a"),
        (forces.CoordinateSpring("a", -1.0), "stiffness must not be negative"),
        (forces.CoordinateSpring("a", rest=np.nan), "rest must be a finite number"),
        (forces.CoordinateLimit("a", 1.0, 0.0, 1.0), "lower limit 1.0 must not exceed"),
        (forces.CoordinateLimit("a", np.nan, 0.0, 1.0), "must not exceed"),
        (forces.CoordinateLimit("a", 0.0, 1.0, (1.0, 2.0, 3.0)), "stiffness must be one number, or two"),
        (forces.CoordinateLimit("a", 0.0, 1.0, 1.0, transition=0.0), "transition must be finite and positive"),
        (forces.Bushing((None, np.eye(4)), ("a", np.eye(4)), [1.0] * 3), "stiffness has six entries"),
        (forces.Bushing((None, np.eye(4)), ("a", np.eye(4)), [1.0] * 5 + [-1.0]), "stiffness must not be negative"),
        (forces.Bushing((None, np.eye(4)), "a", [1.0] * 6), "an end is"),
        (forces.Bushing((None, np.eye(4)), ("a", np.ones((4, 4))), [1.0] * 6), "the pose of an end"),
        (forces.Bushing((None, np.eye(4)), ("b", np.eye(4)), [1.0] * 6), "has no body 'b'"),
        (forces.PrescribedForce(None, (1, 0, 0)), "acts on a body"),
        (forces.PrescribedForce("a", (1, 0)), "force must be 3 numbers or motions, and there are 2"),
        (forces.PrescribedForce("a", (1, 0, "x")), "force 2 must be a number or an mm.Motion"),
    ],
)
def test_bad_input_gets_a_sentence(force, sentence):
    spec = mm.Spec()
    spec.add_body("a", inertia=mm.Inertia.sphere(0.1, mass=1))
    spec.add_force(force, "mine")
    with pytest.raises(ValueError, match=f"force 'mine'.*{sentence}"):
        spec.compile()
