"""What `myomass warm-up` compiles: small jobs that call the public functions on tiny models.

Each job runs in a process of its own. Jobs of one stage run side by side; those of an earlier stage compile what many
later ones need, so that it is compiled once. `JOBS` holds them all, by name.
"""

import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .integrators import INTEGRATORS

mm = sys.modules[__package__]  # the package itself, by whatever name it was imported
STEP = 1e-3  # [s]
WITH_STOPS = ("semi-implicit", "euler", "maximal")  # integrators that hold stops and contacts
STAGES = TREE, PHYSICS, LINEAR, REST = range(4)
SCENE = "scene "  # how the names of scenes' jobs begin


@dataclass(frozen=True)
class Job:
    """Something to compile: what it does, in which stage, and whether only `--all` asks for it."""

    run: Callable[[], None]
    stage: int = REST
    extra: bool = False


def arm() -> mm.Spec:
    """Three links, the first on a ball joint, with a spring."""
    spec, rod = mm.Spec("arm"), mm.Inertia.capsule(0.03, 0.3, mass=2.0)
    middle, elbow = mm.translation(0, 0, -0.15), mm.translation(0, 0, -0.3)
    spec.add_body("upper", None, mm.SphericalExp(), None, middle, rod)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), elbow, middle, rod)
    spec.add_body("hand", "lower", mm.Revolute((0, 1, 0)), elbow, middle, rod)
    spec.add_force(mm.JointSpring("lower", stiffness=20.0, damping=1.0))
    return spec


def bare() -> mm.Model:
    """The arm alone, whose only force is a spring."""
    return arm().compile()


def constrained() -> mm.Model:
    """The arm with a hand that follows its elbow."""
    spec = arm()
    spec.add_constraint(mm.Coupling("lower", "hand", (0.0, 0.5)))
    return spec.compile()


def stopped() -> mm.Model:
    """The arm with a stop at its elbow."""
    spec = arm()
    spec.add_constraint(mm.JointStop("lower", 0.0, 2.0))
    return spec.compile()


def muscled(surface=None) -> mm.Model:
    """The arm with a muscle that has mass and wraps over its elbow."""
    spec = arm()
    over = surface or mm.wrap.Sphere("upper", mm.translation(0, 0, -0.15), radius=0.04)
    points = [("upper", (0.06, 0.0, 0.1)), ("lower", (0.05, 0.0, 0.08))]
    spec.add_muscle("biceps", mass=0.5, points=points, wrap=[over])
    return spec.compile()


def excited() -> mm.Model:
    """The arm with a muscle that has mass and states, and a reflex."""
    spec = arm()
    points = [("upper", (0.06, 0.0, 0.1)), ("lower", (0.05, 0.0, 0.08))]
    spec.add_muscle("biceps", mass=0.5, points=points, actuator=mm.Hill(600.0, 0.1, 0.22))
    spec.add_reflex(mm.Reflex("biceps", source="lower", gain=0.1, delay=0.02))
    return spec.compile()


MODELS = {"bare": bare, "constrained": constrained, "stopped": stopped, "muscled": muscled, "excited": excited}


def states(number: type = np.float64) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, qdot, torques) of the arm, in a number type."""
    return np.array([0.1, -0.2, 0.05, 0.4, 0.2]).astype(number), np.zeros(5, number), np.ones(5, number)


def forward(model: mm.Model, number: type = np.float64) -> None:
    """Call forward dynamics, the most frequent function."""
    mm.forward_dynamics(model, *states(number))


def linear(model: mm.Model) -> None:
    """Call the residual and its derivatives, which implicit integrators solve with."""
    q, qdot, tau = states()
    mm.residual(model, q, qdot, tau)
    mm.linearise(model, model.state(q, qdot))


def kinematics(model: mm.Model, number: type = np.float64) -> None:
    """Call poses, twists and Jacobians."""
    q, qdot, _ = states(number)
    mm.forward_kinematics(model, q)
    mm.body_twists(model, q, qdot)
    mm.jacobian(model, q)
    mm.jacobian_dot(model, q, qdot)


def inverse(model: mm.Model, number: type = np.float64) -> None:
    """Call inverse dynamics by both methods, and the parts of its torques."""
    q, qdot, qddot = states(number)
    for method in ("rnea", "balafoutis-patel"):
        mm.inverse_dynamics(model, q, qdot, qddot, method)
    mm.dynamics.bias_forces(model, q, qdot)
    mm.dynamics.gravity_forces(model, q)


def masses(model: mm.Model, number: type = np.float64) -> None:
    """Call the mass matrix, energies and momenta."""
    q, qdot, _ = states(number)
    mm.mass_matrix(model, q)
    mm.energy(model, q, qdot)
    mm.momentum(model, q, qdot)


def hybrid(model: mm.Model) -> None:
    """Call hybrid dynamics, and forward dynamics in its dense form."""
    q, qdot, tau = states()
    mm.forward_dynamics(model, q, qdot, tau, "redmax")
    mm.hybrid_dynamics(model, q, qdot, tau, np.zeros(5), np.arange(5) == 3)


def partials(model: mm.Model) -> None:
    """Call derivatives of inverse dynamics and of forces."""
    q, qdot, qddot = states()
    mm.inverse_dynamics_derivatives(model, q, qdot, qddot)
    mm.dynamics.force_derivatives(model, q, qdot)


def recorded(model: mm.Model) -> None:
    """Call inverse dynamics and reactions of joints of a recording, under a load and forces of all muscles."""
    t, names = np.arange(6) / 10.0, model.coordinates
    table = mm.recordings.Table(t, np.zeros((6, len(names))), names)
    push = mm.recordings.Table(t, np.zeros((6, 3)), ("x", "y", "z"))
    loads = [mm.recordings.ExternalForce("push", "hand", push, push.names)]
    mm.analyses.inverse_dynamics(model, table, loads)
    mm.analyses.joint_reactions(model, table, loads, forces=dict.fromkeys(model.muscles.names, t))


def rows(model: mm.Model) -> None:
    """Call values, Jacobians and forces of constraints, and reactions of joints."""
    q, qdot, tau = states()
    state = mm.dynamics.assemble(model, q, qdot)
    mm.dynamics.constraint_values(model, state.q, state.qdot)
    mm.dynamics.constraint_jacobian(model, state.q)
    mm.constraint_forces(model, state.q, state.qdot, tau)
    mm.joint_reactions(model, state.q, state.qdot, tau)


def paths(model: mm.Model, number: type = np.float64) -> None:
    """Call lengths, moment arms and inertia of muscles."""
    q, _, _ = states(number)
    mm.muscle_lengths(model, q)
    mm.moment_arms(model, q)
    mm.muscle_inertia(model, q)


def run(integrator: str, models: Iterable[str]) -> None:
    """Take a few steps with each of these models."""
    for name in models:
        look_at(mm.simulate(MODELS[name](), q=states()[0], integrator=integrator, h=STEP, duration=3 * STEP))


def surfaces() -> dict:
    """One of every wrapping surface, by name."""
    place, wrap = mm.translation(0, 0, -0.15), mm.wrap
    lying = place @ mm.rotation((1, 0, 0), np.pi / 2)
    second = wrap.Cylinder("upper", mm.translation(0, 0, -0.05) @ lying, radius=0.03)
    return {
        "cylinder": wrap.Cylinder("upper", lying, radius=0.04),
        "double-cylinder": wrap.DoubleCylinder("upper", lying, radius=0.03, second=second),
        "capped-cylinder": wrap.CappedCylinder("upper", lying, radius=0.04, length=0.1),
        "finite-cylinder": wrap.FiniteCylinder("upper", lying, radius=0.04, length=0.2),
        "sphere": wrap.Sphere("upper", place, radius=0.04),
        "ellipsoid": wrap.Ellipsoid("upper", place, radii=(0.04, 0.05, 0.03)),
        "torus": wrap.Torus("upper", lying, radius=0.1, tube=0.02),
    }


def over(surface: str) -> None:
    """Call everything that a muscle over this surface needs."""
    model = muscled(surfaces()[surface])
    paths(model)
    forward(model)


def complex_numbers() -> None:
    """Call the functions that complex steps differentiate."""
    for model in (bare(), muscled()):
        for use in (forward, kinematics, inverse, masses):
            use(model, np.complex128)
    paths(model, np.complex128)


def single_precision() -> None:
    """Call the functions of models in float32."""
    for use in (forward, kinematics, inverse, masses):
        use(bare().astype(np.float32), np.float32)


def picture() -> None:
    """Draw a small picture of the arm."""
    from .viewer.stills import still

    motion = mm.simulate(bare(), q=states()[0], integrator="rk4", h=STEP, duration=STEP)
    still(motion, size=(64, 48))


def scene(name: str) -> None:
    """Run the first step of a preset scene."""
    chosen = mm.scenes.load(name)
    look_at(mm.simulate(chosen, duration=chosen.h))


def soft() -> None:
    """Call all that a soft body of each material does by itself."""
    from .deformables.materials.dispatch import MATERIALS, OWN

    mesh = mm.deformables.TetMesh.box((0.2, 0.1, 0.1), (2, 1, 1))
    for material in MATERIALS[:OWN]:
        body = mm.deformables.SoftBody(mesh, material(1e5, 0.4, 1e3), stiffness_damping=0.01)
        body.equilibrium(np.arange(4))
        body.forces(body.rest, 0 * body.rest)
        body.stiffness(body.rest, 0 * body.rest)
        body.damping(body.rest)
    ball = mm.deformables.TetMesh.fill(mesh.nodes, mesh.surface, 0.05)
    mm.deformables.Embedding(mesh, ball.nodes)


def fleshy() -> None:
    """Call all that a soft body on the arm does, by every method that moves it."""
    spec, mesh = arm(), mm.deformables.TetMesh.box((0.1, 0.1, 0.3), (1, 1, 2))
    flesh = mm.deformables.SoftBody(mesh, mm.deformables.CoRotated(1e4, 0.4, 1e3), stiffness_damping=0.01)
    spec.add_soft_body("flesh", flesh, {"upper": np.arange(4)}, touches=mm.deformables.Touch(1e5))
    model = spec.compile()
    q, still = np.zeros((2, model.ndof))
    mm.linearise(model, model.state(q, still))
    for use in (mm.energy, mm.momentum):
        use(model, q, still)
    mm.mass_matrix(model, q)
    for name, method in INTEGRATORS.items():
        if method.soft:
            look_at(mm.simulate(model, integrator=name, h=1e-5, duration=3e-5))


def reduced() -> None:
    """Call all that the arm does in reduced coordinates, by every method that moves it, with rows and a stop too."""
    for constraints in ((), (mm.DrivenJoint("lower", velocity=0.1),), (mm.JointStop("lower", 0.0, 2.0),)):
        spec = arm()
        spec.reduce({"hand": {"lower": 0.5}})
        for constraint in constraints:
            spec.add_constraint(constraint)
        model = spec.compile()
        q, qdot = np.array([0.1, -0.2, 0.05, 0.4]), np.zeros(4)
        for method in ("recursive", "redmax"):
            mm.forward_dynamics(model, q, qdot, method=method)
        mm.mass_matrix(model, q)
        mm.linearise(model, model.state(q, qdot))
        mm.dynamics.reduction_forces(model, q, qdot)
        stops = model.constraints.needs_program
        for name, method in INTEGRATORS.items():
            able = method.holds == "all" if stops else method.holds or not constraints
            if name != "maximal" and able:
                look_at(mm.simulate(model, q=q, integrator=name, h=1e-4, duration=3e-4))


def look_at(motion: mm.Trajectory) -> None:
    """Ask a run for its energies and poses."""
    motion.poses, motion.energy_drift  # noqa: B018 (they are computed when asked for)


def _jobs() -> dict[str, Job]:
    families = {"kinematics": kinematics, "inverse dynamics": inverse, "masses and energies": masses}
    families |= {"hybrid dynamics": hybrid, "derivatives": partials}
    found = {"forward dynamics, bare": Job(lambda: forward(bare()), TREE)}
    found |= {
        f"forward dynamics, {name}": Job(partial(_on, forward, [name]), PHYSICS)
        for name in ("constrained", "stopped", "muscled", "excited")
    }
    found |= {f"linearise, {name}": Job(partial(_on, linear, [name]), LINEAR) for name in MODELS}
    found |= {what: Job(partial(_on, use, list(MODELS))) for what, use in families.items()}
    found["constraints"] = Job(partial(_on, rows, ["constrained", "stopped"]))
    found["recordings"] = Job(partial(_on, recorded, ["bare", "muscled"]))
    found["soft bodies"] = Job(soft)
    found["soft bodies in models"] = Job(fleshy)
    found["reduced coordinates"] = Job(reduced)
    found["muscles"] = Job(partial(_on, paths, ["muscled"]))
    for name in INTEGRATORS:
        found[f"simulate, {name}"] = Job(partial(run, name, _held_by(name)))
    found |= {f"muscles over a {name}": Job(partial(over, name), extra=True) for name in surfaces()}
    found["complex numbers"] = Job(complex_numbers, extra=True)
    found["single precision"] = Job(single_precision, extra=True)
    found["pictures"] = Job(picture, extra=True)
    return found


def _held_by(integrator: str) -> list[str]:
    """The models that an integrator can hold, by name."""
    held = ["bare"] if integrator == "symplectic" else ["bare", "constrained"]
    held += ["stopped"] if integrator in WITH_STOPS else []
    return held if integrator == "maximal" else [*held, "muscled", "excited"]


def _on(use: Callable[[mm.Model], None], names: list[str]) -> None:
    """A job that calls `use` with each of these models."""
    for name in names:
        use(MODELS[name]())


JOBS = _jobs()


def do(name: str) -> None:
    """Do one job by its name, with warnings about its motion switched off."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        if name.startswith(SCENE):
            scene(name.removeprefix(SCENE))
        else:
            JOBS[name].run()
