"""The public names: where they are, what completion shows, and that everything public says in one line what it is."""

import inspect
from types import ModuleType

import numpy as np
import pytest

import myomass as mm
from myomass.integrators import INTEGRATORS

pytestmark = pytest.mark.fast
ROOMS = [
    name for name in mm.__all__ if isinstance(getattr(mm, name), ModuleType) and hasattr(getattr(mm, name), "__all__")
]
PROMISED = [
    "Spec",
    "Inertia",
    "Model",
    "State",
    "Trajectory",
    "Event",
    "Network",
    "wrap",
    "io",
    "scenes",
    "translation",
    "rotation",
    "Revolute",
    "forward_kinematics",
    "forward_dynamics",
    "hybrid_dynamics",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "mass_matrix",
    "jacobian",
    "jacobian_dot",
    "energy",
    "simulate",
    "muscle_lengths",
    "moment_arms",
    "muscle_inertia",
    "linearise",
    "acceleration",
    "residual",
    "reroot",
    "view",
    "register",
    "kernel",
]
MOVED = {
    "Feet": "walking",
    "limit_cycle": "walking",
    "motion_transition": "transitions",
    "world_jacobians": "coordinates",
    "euler_jacobian": "coordinates",
    "joint_motion": "dynamics",
    "assemble": "dynamics",
    "gravity_forces": "dynamics",
    "reparameterise": "algorithms",
    "muscle_jacobian": "muscles",
    "add_spring_chain": "deformables",
    "SoftBody": "deformables",
    "BodySpec": "model",
    "Cylinder": "wrap",
}


class TestTopLevel:
    def test_it_is_a_short_list_of_different_names(self):
        assert len(mm.__all__) == len(set(mm.__all__)) <= 125
        assert all(hasattr(mm, name) for name in mm.__all__)
        assert set(PROMISED) <= set(mm.__all__)

    def test_completion_shows_this_list_alone(self):
        assert sorted(dir(mm)) == sorted([*mm.__all__, "__version__"])

    @pytest.mark.parametrize("room", ROOMS)
    def test_completion_in_rooms(self, room):
        room = getattr(mm, room)
        assert sorted(dir(room)) == sorted(room.__all__)
        assert all(hasattr(room, name) for name in room.__all__)

    @pytest.mark.parametrize("name", MOVED)
    def test_a_name_that_moved_says_where_it_is(self, name):
        with pytest.raises(AttributeError, match=rf"no mm.{name} at the top level; it is mm.{MOVED[name]}.{name}"):
            getattr(mm, name)
        assert hasattr(getattr(mm, MOVED[name]), name)

    def test_a_name_that_nobody_has(self):
        with pytest.raises(AttributeError, match="module 'myomass' has no attribute 'Feat'"):
            mm.Feat  # noqa: B018


def public_classes():
    spaces = [mm, *(getattr(mm, room) for room in ROOMS)]
    found = (getattr(space, name) for space in spaces for name in space.__all__)
    return {thing for thing in found if inspect.isclass(thing)}


@pytest.fixture(scope="module")
def things():
    """One of each public class."""
    return [*mechanical(), *results(), *acting(), *walkers(), *motions(), *soft()]


def arm():
    spec = mm.Spec("arm")
    box = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.5), box)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), mm.translation(0, 0, -0.5), box)
    spec.add_muscle("biceps", 0.1, [("upper", (0.1, 0, 0)), ("lower", (0.1, 0, 0))], mass_points=2)
    return spec


def mechanical():
    spec, pose = arm(), mm.rotation((1, 0, 0), 0.3)
    yield from (spec, spec.bodies["upper"], spec.muscles["biceps"], mm.Inertia.sphere(0.1, mass=1.0))
    yield from (mm.model.Coordinate("knee", 0.1, range=(0, 2)), spec.add_marker("wrist", "lower", (0, 0, -0.5)))
    yield spec.add_frame("grip", "lower", pose)
    yield from (mm.LinearMap("bend", [[1.0], [0.5]]), mm.SmoothMap("bend", lambda Q: np.stack([Q[0], Q[0] ** 2])))
    yield from (mm.Shape.sphere(0.1), mm.Motion(2.0), mm.Motion.through([0, 1], [0, 2]))
    frames = [mm.translation(*p) for p in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0))]
    yield from (mm.Fixed(), mm.Revolute(), mm.Prismatic(), mm.Universal(), mm.Planar(), mm.Translational())
    yield from (mm.SphericalExp(), mm.SphericalEuler(), mm.Free2D(), mm.Free3D(), mm.SplineCurve(frames, closed=True))
    yield from (mm.Composite(mm.Revolute(), mm.Prismatic()), mm.Inverse(mm.Revolute()), mm.Joint())
    yield mm.SplineSurface(np.zeros((6, 4, 4)))
    yield mm.joints.SpatialTransform.floating()
    yield mm.joints.Ellipsoidal((0.1, 0.2, 0.3))
    point = ("upper", (0, 0, 0))
    yield from (mm.Force(), mm.JointSpring("upper", 1.0), mm.JointLimit("upper", -1.0, 1.0, 10.0))
    yield from (mm.JointTorque("upper", 1.0), mm.BodyDamping("upper", 0.1, 0.2), mm.PointForce("upper", (1, 0, 0)))
    yield from (mm.PointSpring(point, (None, (0, 0, 0)), 1.0), mm.SpringDamper([point, (None, (0, 0, 0))], 1.0, 0.5))
    yield from (mm.Cable([point, (None, (0, 0, 0))], 1.0, 0.5), mm.Ground("upper", 1e3, points=[(0, 0, 0)] * 8))
    yield from actuators(point)
    yield from (mm.Constraint(), mm.Loop(("upper", pose), (None, pose), "weld"), mm.Coupling("upper", "lower", (0, 1)))
    yield from (mm.DrivenJoint("upper", mm.Motion.through([0, 1], [0, 2])), mm.DrivenBody("upper", {0: 1.0}))
    yield from (mm.DrivenPoint(point, [((1, 0, 0), 1.0)]), mm.JointStop("upper", -1.0, 1.0))
    yield mm.constraints.Distance(point, (None, (0, 0, 0)), 1.0)
    yield from (mm.JointFriction("upper", 0.1, 0.1, 0.1), mm.Box("upper", (1, 1, 1), pose), mm.Plane(pose))
    yield from (mm.Sphere("upper", 0.1), mm.Capsule("upper", 0.1, (0, 0, 0), (1, 0, 0)))
    yield from (mm.Contact(mm.Sphere("upper", 0.1), mm.Plane(pose)), mm.Belly(0.2, 0.8), mm.Lumps([0.5]), mm.Network())
    yield mm.MovingPoint("upper", (0, 0, mm.Motion.through([0, 1], [0, 2])), "lower")
    yield mm.ConditionalPoint("upper", (0, 0, 0), "lower", (-1.0, 0.0))
    yield mm.analyses.MassGiven({"biceps": 0.3}, {"upper": 0.3}, {"biceps": {"upper": 1.0}}, np.zeros(2), {}, {})
    yield from recorded()
    one, none = np.zeros(1), np.zeros((1, 1))
    yield mm.analyses.InverseKinematics(one, none, ("knee",), ("heel",), none, one, one, one > 0)
    yield from (mm.analyses.Measurement("thigh", [("hip", "knee")], {"femur": "y"}), mm.analyses.ScalingSetup())
    yield mm.analyses.MarkerTasks()
    yield from (mm.analyses.MeasuredFactors({}, {}), mm.analyses.Scaled(arm(), {}, {}))
    yield mm.analyses.PlacedMarkers(arm(), None, {})
    yield from (mm.wrap.Cylinder("upper", pose, 0.1), mm.wrap.Sphere("upper", pose, 0.1), mm.wrap.Surface("upper"))
    yield from (mm.wrap.CappedCylinder("upper", pose, 0.1, 1.0), mm.wrap.Ellipsoid("upper", pose, (1, 2, 3)))
    yield from (mm.wrap.Torus("upper", pose, 0.1, 0.01), mm.wrap.DoubleCylinder("upper", pose))
    yield mm.wrap.FiniteCylinder("upper", pose, 0.1, length=0.2)
    yield mm.io.PathDifferences(("biceps",), *[np.zeros(1)] * 3, np.zeros((1, 2)), np.ones(1), np.zeros(1))
    formula = mm.constraints.Formula(INTEGRATORS["rk4"].step, unit="m")
    yield from (formula, mm.constraints.ConstraintPart(formula, ("",), [1.0], [(None, pose)] * 2))
    yield from (mm.forces.Law(0, 0, [1.0]), mm.forces.Element(0, [point] * 5, [1.0]), *INTEGRATORS.values())


def actuators(point):
    f, way = mm.forces, (0, 0, 1)
    yield from (f.Actuator(), f.CoordinateActuator("upper", optimal_force=20.0), f.PointActuator("upper", way))
    yield from (f.TorqueActuator("upper", way), f.BodyActuator("upper"), f.PathActuator([point, (None, (0, 0, 0))]))
    ball = point, 0.1, (None, np.eye(4)), 1e6
    yield from (f.compliant.CompliantContact(*ball), f.HuntCrossley(*ball), f.SmoothHuntCrossley(*ball))
    yield from (f.CoordinateSpring("upper", 1.0), f.CoordinateLimit("upper", -1.0, 1.0, (10.0, 20.0)))
    yield from (f.Bushing((None, np.eye(4)), ("upper", np.eye(4)), [1.0] * 6), f.PrescribedForce("upper", (1, 0, 0)))
    laws = mm.muscles
    yield from (laws.TensionLaw(), laws.IdealActuator(20.0), laws.PathSpring(1.0, 0.5))
    yield from (laws.Ligament(1.0, 2.0, mm.Motion.line(1.0)), laws.BlankevoortLigament(1.0, 2.0))


def results():
    model, q = arm().compile(), np.array([0.3, 0.2])
    state = model.state(q, q)
    run = mm.simulate(model, q=q, integrator="rk4", h=1e-2, duration=0.02)
    yield mm.dynamics.joint_motion(model, q)
    yield from (model, state, run, mm.energy(model, q, q), mm.momentum(model, q, q), mm.linearise(model, state))
    yield from (mm.inverse_dynamics_derivatives(model, q, q, q),)
    yield from (mm.Event(lambda state: state.q[0], kind="strike"), mm.muscles.muscle_paths(model, q)[0])
    yield from (
        mm.dynamics.force_points(model, q),
        mm.dynamics.contact_points(model, q),
        mm.constraint_forces(held(), q, 0 * q),
    )
    c = mm.coordinates
    yield from (c.world_jacobians(model, q, q), c.lagrangian_form(model, q, q), c.joint_wrenches(model, q, q))
    yield from (c.cartesian_forces(model, q, q), c.cartesian_forces(model, q, q, points=np.zeros((2, 3))))
    twists = np.zeros((2, 3))
    yield c.generalized_velocity(model, q, twists, twists)
    ends = np.array([[0.0, 0, 0], [1.0, 0, 0]])
    yield c.strand_jacobians(ends, 0.0 * ends, [0.5])


def acting():
    spec = arm()
    hill, q = mm.Hill(300.0, 0.1, 0.2), np.array([0.3, 0.2])
    spec.add_muscle("actor", points=[(None, (0, 0, 0.3)), ("lower", (0, 0, 0.1))], actuator=hill)
    reflex = spec.add_reflex(mm.Reflex("actor", of="force", gain=0.1))
    model = spec.compile()
    report, room = mm.muscles.muscle_report(model, model.state()), mm.muscles
    yield from (hill, reflex, hill.equilibrium(0.5, 0.3), report, room.metabolic_power(report))
    yield from (room.Metabolics(), room.Umberger2010(aerobic_factor=1.0), room.Bhargava2004())
    yield from (mm.curves.Curves(), mm.curves.Millard2012(), mm.curves.Thelen2003(), mm.curves.DeGrooteFregly2016())
    still = mm.analyses.Kinematics([0.0], q[None], 0 * q[None], 0 * q[None], model.coordinates)
    yield mm.analyses.muscle_analysis(model, still)
    yield mm.analyses.static_optimization(model, still, reserves=1.0)
    still = mm.analyses.Kinematics([0.0, 0.1], [q, q], np.zeros((2, 2)), np.zeros((2, 2)), model.coordinates)
    yield mm.analyses.window_optimization(model, still, reserves=1.0)
    yield mm.curves.Schutte1993()
    yield from kinetic()
    yield from differentiable(spec)


def differentiable(spec):
    tasks = mm.tasks
    reach, numbers = tasks.Reach("lower", (0, 0, -0.5), (0, 0, 0)), mm.Parameter("size", 1.0, lambda spec, x: None)
    follow = tasks.Follow([0.01], [[0.1]], ["upper"])
    yield from (reach, follow, tasks.Rest(), tasks.Effort(), tasks.Near("q"), reach + follow, tasks.Task(), numbers)
    yield tasks.Misses(3, np.zeros(2))
    yield mm.adjoint.Unfinished("a run that did not end")
    model = arm().compile()
    yield from (found := mm.optimise(model, reach, ["q"], h=0.01, duration=0.01, iterations=1), found.problem.rollout())


def kinetic():
    table = mm.recordings.Table(np.arange(5) / 10.0, np.zeros((5, 2)), ["upper", "lower"])
    motion = mm.analyses.kinematics(arm().compile(), table)
    yield from (mm.recordings.Spline(table), motion, mm.analyses.inverse_dynamics(arm().compile(), motion))
    yield mm.analyses.joint_reactions(arm().compile(), motion)
    force = mm.recordings.ExternalForce(
        "push", "upper", table.with_values(table.t, np.zeros((5, 3)), "xyz"), tuple("xyz")
    )
    yield from (force, mm.recordings.ExternalLoads([force]))
    free = mm.Spec("free")
    free.add_body("box", None, mm.Free3D(), inertia=mm.Inertia.cuboid((1, 1, 1), mass=1.0))
    still = mm.recordings.Table(np.arange(5) / 10.0, np.zeros((5, 6)), free.compile().coordinates)
    yield mm.analyses.reduce_residuals(free, still)


def recorded():
    room, zeros = mm.recordings, np.zeros((2, 3))
    table, names = room.Table([0.0, 1.0], [[1.0], [np.nan]], ["knee"]), ("x", "y", "z")
    foot = room.ExternalForce("foot", "lower", room.Table([0.0, 1.0], zeros, names), names)
    markers = room.Markers([0.0, 1.0], zeros[:, None], ("heel",))
    yield from (table, *room.gaps(table), markers, foot, room.ExternalLoads([foot]))
    yield from (room.C3d(markers, table, table), room.ForcePlate(2, np.zeros((4, 3)), np.zeros(3), range(6)))


def held():
    spec = arm()
    spec.add_constraint(mm.DrivenJoint("upper", position=0.3))
    return spec.compile()


def soft():
    room, mesh = mm.deformables, mm.deformables.TetMesh.box((1, 1, 1), (1, 1, 1))
    body = room.SoftBody(mesh, room.CoRotated(1e4, 0.3, 1e3))
    yield from (mesh, body, room.Embedding(mesh, mesh.nodes), body.equilibrium(np.arange(4)))
    yield from (room.Material(1e4, 0.3, 1e3), body.material, room.StableNeoHookean(1e4, 0.3, 1e3))
    yield from (room.SaintVenantKirchhoff(1e4, 0.3, 1e3), room.Touch(1e5))
    spec = arm()
    spec.add_soft_body("sleeve", body, {"upper": [0, 1]})
    yield spec.compile().soft_body("sleeve")


def walkers():
    w, model = mm.walking, mm.scenes.load("compass-walker")
    yield from (model, model.spec, w.Feet({"leg": (0, 0, -1)}), mm.scenes.human_figure())
    ball = mm.Spec("ball")
    ball.add_body("ball", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    ball = ball.compile()
    phase = w.Phase(ball, lambda q, qdot: q[0], lambda q, qdot: (0 * q, 1.0 - 0.6 * qdot))
    step = w.ReturnMap([phase], rtol=1e-6, atol=1e-6)
    cycle = w.limit_cycle(step, [0.0, 2.0])
    yield from (phase, step, step(np.array([0.0, 2.0])), cycle, w.Branch([1.0], [cycle], ""))
    yield from (w.Diagram(np.zeros(3), np.zeros((3, 2, 2)), np.zeros((3, 2)), []), w.Doubling(1.0, cycle, np.zeros(2)))
    free = mm.Spec("free")
    free.add_body("box", None, mm.Free3D(), inertia=mm.Inertia.cuboid((1, 1, 1), mass=1.0))
    free = free.compile()
    falling = free.state(qdot=[0, 0, -1, 0, 0, 0])
    yield from (
        w.impact(free, falling, "box", (0, 0, -0.5)),
        w.land(free, falling, "box", (0, 0, -0.5), mm.SphericalExp()),
    )


def motions():
    t, rows = np.linspace(0, 1, 12), np.zeros((12, 2))
    curve = mm.transitions.JointCurve.fit(t, rows, count=8)
    yield from (
        curve,
        mm.transitions.Clip(t, rows),
        mm.transitions.Bearing("a"),
        mm.transitions.Planted("a", (0, 0, 0)),
    )
    model = arm().compile()
    yield mm.transitions.motion_transition(model, (np.zeros(2),), (np.full(2, 0.1),), 0.4, coefficients=7)
    yield mm.io.sample_gait()
    bvh = mm.io.sample_walk()
    capture = mm.io.Capture(bvh, scale=0.01)
    figure = capture.spec(70.0).compile()
    yield from (bvh, capture, capture.motion(figure))


MADE_ELSEWHERE = {mm.io.SupportedDynamics}  # takes seconds: tests/io/test_support.py looks at it


def test_every_public_class_is_here(things):
    assert public_classes() - {type(thing) for thing in things} <= MADE_ELSEWHERE


def test_each_says_in_one_line_what_it_is(things):
    for thing in things:
        told = repr(thing)
        assert "\n" not in told and len(told) <= 200, told
        assert told.startswith(f"{type(thing).__name__}("), told
        assert " at 0x" not in told, told


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (lambda: arm(), "Spec('arm': 2 bodies, 1 muscle)"),
        (lambda: mm.Spec(), "Spec('model': no bodies)"),
        (lambda: arm().compile().state(), "State(t=0, q=[0, 0], qdot=[0, 0])"),
        (lambda: mm.PointSpring(("a", (0, 0, 1)), (None, (1, 0, 0)), 4.0),
         "PointSpring(a=('a', (0, 0, 1)), b=(None, (1, 0, 0)), stiffness=4)"),
        (lambda: mm.wrap.Cylinder("a", np.eye(4), 0.1), "Cylinder(body='a', E_bs=<4x4 array>, radius=0.1)"),
        (lambda: mm.Motion(2.0), "Motion(2)"),
        (lambda: mm.Motion.through([0, 1, 3], [0, 2, 1]), "Motion(2 pieces from 0 to 3 s)"),
    ],
)  # fmt: skip
def test_some_of_them(thing, told):
    assert repr(thing()) == told


def test_completion_of_objects_shows_no_internals():
    model = arm().compile()
    shown = {
        model: "name gravity nbodies ndof joint_dofs posed_dofs nz z_names dtype names body dof coordinates coordinate "
        "coordinate_specs coordinate_units markers marker frames joint_names muscle q qdot state astype with_charts "
        "whole reduction forces constraints muscles shapes soft_bodies soft_body",
        mm.Revolute(): "ndof units axis Q S Sdot dS locate",
        mm.JointSpring("a", 1.0): "body stiffness damping rest",
        mm.JointStop("a", 0.0, 1.0): "body lower upper",
        mm.Event(lambda state: state.q[0]): "function action direction kind unless",
        model.state(): "t q qdot charts qddot z",
        arm(): "name gravity bodies forces constraints muscles reflexes soft_bodies markers frames reductions report "
        "given torque_axes coordinates add_body add_marker add_frame add_force add_constraint add_muscle "
        "add_reflex add_soft_body reduce reroot compile",
    }
    for thing, names in shown.items():
        assert {name for name in dir(thing) if not name.startswith("_")} == set(names.split())
