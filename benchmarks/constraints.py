"""Speed of constraints, against MuJoCo and against none: ratios, in one process, interleaved, one thread, medians.

    python benchmarks/constraints.py [--rounds 25]

Both sides take steps of semi-implicit Euler of 1 ms. Ours hold their constraints exactly, by projection or by a
quadratic program; MuJoCo's are springs (those of equalities here as stiff as they go), solved to its default tolerance.
Targets: equality rows at most 1.0 of MuJoCo, eight contacts at most 2.0, 1000 links at most 1.5 of 100 per body.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import mujoco
import numpy as np
from dynamics import STEPS, H, chain, interleave, start, undriven
from mujoco import rollout
from peers import body_frame, depth_first, quaternion

import myomass as mm
from myomass.constraints import qp
from myomass.integrators import INTEGRATORS
from myomass.run import hard_stepper as hard
from myomass.run.stepper import FixedStepper

STIFF = {"solref": [2 * H, 1.0], "solimp": [0.9999, 0.9999, 0.001, 0.5, 2.0]}  # MuJoCo's stiffest at this step
FEET, FOOT = 8, 0.02  # number, radius [m]
CONTACT_STEPS, SETTLING = 300, 1.0  # measured steps on the floor; time to come to rest before them [s]
FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


# --- our runs ---------------------------------------------------------------------------------------------------------


def bare_loop(
    model: mm.Model, state: mm.State, steps: int = STEPS, h: float = H, gains: tuple | None = None
) -> Callable:
    """A call of the stepper that simulate would use, with all prepared but the memory of its rows, new each time."""
    kind = hard.HardStepper if model.constraints.needs_program else FixedStepper
    grid = state.t + h * np.arange(steps + 1)
    stepper = kind(model, state, INTEGRATORS["semi-implicit"], grid, undriven(model), gains)
    snapshot = stepper.snapshot()

    def run() -> None:
        stepper.restore(snapshot)
        stepper.rows.change(np.empty_like)
        stepper.rows.t[:] = grid
        stepper.advance(steps)

    return run


def simulate_loop(model: mm.Model, state: mm.State, steps: int = STEPS, h: float = H) -> Callable:
    return lambda: mm.simulate(model, state=state, integrator="semi-implicit", h=h, duration=steps * h)


# --- runs in MuJoCo ---------------------------------------------------------------------------------------------------


def pose(E: np.ndarray) -> dict[str, np.ndarray]:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(E[:3, :3]).ravel())
    return {"pos": E[:3, 3], "quat": quat}


def twin(spec: mm.Spec) -> mujoco.MjSpec:
    """Bodies, fixed, free or hinged, with their inertias and joint springs; nothing collides yet."""
    mjcf = mujoco.MjSpec()
    mjcf.option.gravity, mjcf.option.timestep = spec.gravity, H
    mjcf.compiler.degree = False
    mjcf.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    mjcf.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    springs = {f.body: f for f in spec.forces.values() if isinstance(f, mm.JointSpring)}
    made = {None: mjcf.worldbody}
    for name in depth_first(spec):
        body = spec.bodies[name]
        child = made[name] = made[body.parent].add_body(name=name, **pose(body.E_pj))
        frame = pose(body_frame(body))
        child.explicitinertial, child.ipos, child.iquat = True, frame["pos"], frame["quat"]
        child.mass, child.inertia = body.inertia.mass, body.inertia.moments
        add_joint(child, body, springs.get(name))
    return mjcf


def add_joint(child: mujoco.MjsBody, body: mm.model.BodySpec, spring: mm.JointSpring | None) -> None:
    if isinstance(body.joint, mm.Free3D):
        child.add_freejoint(name=body.name)
    elif isinstance(body.joint, mm.Revolute):
        joint = child.add_joint(name=body.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=body.joint.axis)
        if spring is not None:
            joint.stiffness[0], joint.damping[0], joint.springref = spring.stiffness, spring.damping, spring.rest


def part(mjcf: mujoco.MjSpec, spec: mm.Spec) -> None:
    """Loops and couplings as MuJoCo's equalities."""
    for name, constraint in spec.constraints.items():
        if isinstance(constraint, mm.Loop):
            kind, object_type = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_SITE
            ends = [f"{name}-{i}" for i in range(2)]
            for end, (body, place) in zip(ends, (constraint.a, constraint.b), strict=True):
                mjcf.body(body).add_site(name=end, pos=(body_frame(spec.bodies[body]) @ [*place, 1.0])[:3])
            numbers = np.zeros(mujoco.mjNEQDATA)
        else:
            kind, object_type = mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtObj.mjOBJ_JOINT
            ends = [constraint.follower, constraint.leader]
            numbers = np.zeros(mujoco.mjNEQDATA)
            numbers[: len(constraint.coefficients)] = constraint.coefficients
        mjcf.add_equality(type=kind, objtype=object_type, name1=ends[0], name2=ends[1], data=numbers, **STIFF)


class Theirs:
    """A MuJoCo model with its data, in the coordinates of ours: hinges, and a free joint's rotation vector."""

    def __init__(self, spec: mm.Spec, mjcf: mujoco.MjSpec):
        self.model = mjcf.compile()
        self.data, self.ours = mujoco.MjData(self.model), spec.compile()
        self.free = [n for n, body in spec.bodies.items() if isinstance(body.joint, mm.Free3D)]
        self.hinges = [n for n, body in spec.bodies.items() if isinstance(body.joint, mm.Revolute)]
        self.at = np.array([self.model.joint(name).qposadr[0] for name in self.hinges])
        self.at_v = np.array([self.model.joint(name).dofadr[0] for name in self.hinges])
        self.dofs = np.array([self.ours.dof(name).start for name in self.hinges])

    def place(self, state: mm.State) -> None:
        """Put MuJoCo's bodies where ours are; free bodies upright, without spin."""
        self.data.qpos[self.at], self.data.qvel[self.at_v] = state.q[self.dofs], state.qdot[self.dofs]
        for name in self.free:
            joint, dof = self.data.joint(name), self.ours.dof(name)
            joint.qpos[:3], joint.qpos[3:] = state.q[dof][:3], quaternion(state.q[dof][3:])
            joint.qvel[:3], joint.qvel[3:] = state.qdot[dof][:3], 0.0
        mujoco.mj_forward(self.model, self.data)

    def loop(self, steps: int = STEPS) -> Callable:
        """A call of MuJoCo's rollout from the present state, with its warm start, the same each time."""
        state = np.empty(mujoco.mj_stateSize(self.model, FULL))
        mujoco.mj_getState(self.model, self.data, state, FULL)
        warm, data = self.data.qacc_warmstart.copy()[None], mujoco.MjData(self.model)
        return lambda: rollout.rollout(self.model, data, state[None], nstep=steps, initial_warmstart=warm)

    def walk(self, steps: int) -> Iterator[mujoco.MjData]:
        """A call that takes single steps, in MuJoCo data of its own."""
        data = mujoco.MjData(self.model)
        mujoco.mj_copyData(data, self.model, self.data)
        for _ in range(steps):
            mujoco.mj_step(self.model, data)
            yield data


def settings(model: mujoco.MjModel, walk: Iterator[mujoco.MjData]) -> str:
    """Text on how MuJoCo solves, and how many iterations it takes."""
    taken = [data.solver_niter[0] for data in walk]
    option = model.opt
    names = {int(value): name for name, value in mujoco.mjtSolver.__members__.items()}
    return (
        f"{names[option.solver].removeprefix('mjSOL_').lower()}, at most {option.iterations} iterations, tolerance "
        f"{option.tolerance:g}; takes {np.mean(taken):.1f} iterations"
    )


# --- 1. equality rows -------------------------------------------------------------------------------------------------


def line(name: str, times: np.ndarray, steps: int, against: np.ndarray | None = None) -> None:
    """Microseconds a step, and the ratio with its quartiles."""
    text = f"  {name:44s} {np.median(times) / steps * 1e6:8.2f}"
    if against is not None:
        low, middle, high = np.percentile(times / against, (25, 50, 75))
        text += f"   {middle:.2f}  ({low:.2f}-{high:.2f})"
    print(text)


def report_equalities(rounds: int) -> None:
    """Time the equality rows of scene 8."""
    scene = mm.scenes.load("equality-and-loop")
    model, state = scene.model, scene.model.state(scene.q, scene.qdot)
    mjcf = twin(scene.spec)
    part(mjcf, scene.spec)
    theirs = Theirs(scene.spec, mjcf)
    theirs.place(state)
    print(
        f"equality rows: {scene.name}, {len(model.constraints)} rows     us/step   ratio to mujoco.rollout (quartiles)"
    )
    print(f"  mujoco: {settings(theirs.model, theirs.walk(STEPS))}")
    ours = mm.simulate(model, state=state, integrator="semi-implicit", h=H, duration=0.1).q[-1]
    *_, data = theirs.walk(round(0.1 / H))
    print(f"  angles after 0.1 s differ by at most {np.abs(ours[theirs.dofs] - data.qpos[theirs.at]).max():.1e} rad")
    calls = {
        "mujoco": theirs.loop(),
        "bare rollout": bare_loop(model, state),
        "simulate": simulate_loop(model, state),
        "bare rollout, Baumgarte instead of projection": bare_loop(model, state, gains=(5.0, 5.0, 5.0)),
    }
    report_against_mujoco(interleave(calls, rounds), STEPS)


def report_against_mujoco(times: dict[str, np.ndarray], steps: int) -> None:
    line("mujoco", times["mujoco"], steps)
    for name in list(times)[1:]:
        line(name, times[name], steps, times["mujoco"])


# --- 2. contacts ------------------------------------------------------------------------------------------------------


def table(friction: float) -> mm.Spec:
    """A free slab on eight legs of three hinges each, sprung, a ball at every tip: 30 degrees of freedom."""
    spec = mm.Spec("table")
    spec.add_body("slab", None, mm.Free3D(), inertia=mm.Inertia.cuboid((0.6, 0.3, 0.04), mass=3.0))
    bar, down = mm.Inertia.cuboid((0.02, 0.02, 0.1), mass=0.1), mm.translation(0, 0, -0.05)
    for i in range(FEET):
        x, y = 0.25 - 0.5 / 3 * (i // 2), 0.12 * (-1) ** i
        place, parent = mm.translation(x, y, -0.02), "slab"
        for k, (axis, rest) in enumerate((((1, 0, 0), 0.1 * (-1) ** i), ((0, 1, 0), 0.3), ((0, 1, 0), -0.6))):
            name = f"leg{i}-{k}"
            spec.add_body(name, parent, mm.Revolute(axis), place, down, bar)
            spec.add_force(mm.JointSpring(name, stiffness=8.0, damping=0.05, rest=rest))
            place, parent = mm.translation(0, 0, -0.1), name
        spec.add_constraint(mm.Contact(mm.Sphere(parent, FOOT, (0, 0, -0.05)), friction=friction), f"foot{i}")
    return spec


def standing(spec: mm.Spec) -> mm.State:
    """State of the table: legs as their springs have them, the lowest foot on the floor."""
    model = spec.compile()
    state = model.state()
    for force in spec.forces.values():
        state.q[model.dof(force.body)] = force.rest
    state.q[2] -= mm.dynamics.constraint_values(model, state.q)[0][:: len(model.constraints) // FEET].min()
    return state


def on_floor(spec: mm.Spec, friction: float) -> mujoco.MjSpec:
    """The table on MuJoCo's floor, which the feet touch and nothing else; round cones as ours, its own softness.

    Stiffer feet hop while they slide.
    """
    mjcf = twin(spec)
    mjcf.option.disableflags = mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    mjcf.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    rubbing = {"condim": 3 if friction else 1, "friction": [friction or 1.0, 0.005, 0.0001]}
    plane, sphere = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_SPHERE
    mjcf.worldbody.add_geom(type=plane, size=[5, 5, 1], contype=1, conaffinity=0, **rubbing)
    for contact in spec.constraints.values():
        foot = contact.a
        centre = (body_frame(spec.bodies[foot.body]) @ [*foot.centre, 1.0])[:3]
        ball = {"type": sphere, "size": [foot.radius, 0, 0], "pos": centre, "contype": 0, "conaffinity": 1}
        mjcf.body(foot.body).add_geom(**ball, **rubbing)
    return mjcf


def rest_ours(spec: mm.Spec, state: mm.State, push: tuple[float, float]) -> mm.State:
    """State after the table has come to rest, and a push."""
    run = mm.simulate(spec.compile(), state=state, integrator="semi-implicit", h=H, duration=SETTLING)
    rest = run.state
    rest.qdot[:2] += push
    return rest


def rest_theirs(theirs: Theirs, state: mm.State, push: tuple[float, float]) -> Theirs:
    """State after the table has come to rest on MuJoCo's soft floor, and a push."""
    theirs.place(state)
    for _ in range(round(SETTLING / H)):
        mujoco.mj_step(theirs.model, theirs.data)
    theirs.data.qvel[:2] += push
    return theirs


@contextmanager
def clocks(places: list[tuple[object, str]]) -> Iterator[dict[str, float]]:
    """Seconds spent in functions, by name, while they are watched."""
    spent, kept = {}, [(owner, name, getattr(owner, name)) for owner, name in places]

    def watched(name: str, function: Callable) -> Callable:
        spent[name] = 0.0

        def call(*args, **options):
            begun = time.perf_counter()
            result = function(*args, **options)
            spent[name] += time.perf_counter() - begun
            return result

        return call

    for owner, name, function in kept:
        setattr(owner, name, watched(name, function))
    try:
        yield spent
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)


class Watchable:
    """A module's functions, to be replaced one by one."""

    def __init__(self, module: object):
        self.__dict__.update({name: getattr(module, name) for name in dir(module) if not name.startswith("__")})


def report_shares(run: Callable, steps: int) -> None:
    """Print where a step's time goes: our functions that Python calls, daqp, and the rest."""
    solver, qp.daqp = qp.daqp, Watchable(qp.daqp)
    watched = [(hard, name) for name in ("prepare", "finish", "sweep_friction")]
    watched += [(qp, name) for name in ("pose_program", "read_program")]
    try:
        with clocks([(qp.daqp, "solve"), *((owner, name) for owner, name in watched if hasattr(owner, name))]) as spent:
            begun = time.perf_counter()
            run()
            total = time.perf_counter() - begun
    finally:
        qp.daqp = solver
    spent = {("daqp.solve" if name == "solve" else name): seconds for name, seconds in spent.items() if seconds}
    spent["all else"] = total - sum(spent.values())
    print("  of the stepper's: " + ", ".join(f"{name} {1e6 * s / steps:.1f}" for name, s in spent.items()) + " us")


def check_alike(model: mm.Model, state: mm.State, theirs: Theirs, steps: int) -> None:
    """Check that all feet press in every step, on both sides, and that the slab goes the same way."""
    normals = [model.constraints.names.index(f"foot{i}.normal") for i in range(FEET)]
    run = mm.simulate(model, state=state, integrator="semi-implicit", h=H, duration=steps * H)
    ours, far = (run.multipliers[1:, normals] > 0).sum(axis=1).min(), run.q[-1, :3] - state.q[:3]
    pressing = []
    for data in theirs.walk(steps):
        forces = np.zeros((data.ncon, 6))
        for i, force in enumerate(forces):
            mujoco.mj_contactForce(theirs.model, data, i, force)
        pressing.append(int((forces[:, 0] > 0).sum()))
    off = np.abs(far - (data.qpos[:3] - theirs.data.qpos[:3])).max()
    print(f"  contacts that press in every step: at least {ours} of ours, {min(pressing)} of theirs")
    print(f"  the slab moves {1e3 * np.abs(far).max():.2f} mm, theirs differs by {1e3 * off:.2f} mm")
    assert ours == FEET == min(pressing)


def report_contacts(friction: float, push: tuple[float, float], rounds: int) -> None:
    """Time the table, pushed, with all eight feet down."""
    spec, steps = table(friction), CONTACT_STEPS
    model, begin = spec.compile(), standing(spec)
    assert model.ndof == 30
    state = rest_ours(spec, begin, push)
    theirs = rest_theirs(Theirs(spec, on_floor(spec, friction)), begin, push)
    title = f"{FEET} contacts, {model.ndof} dof, friction {friction:g}, pushed {push[0]:g} m/s"
    print(f"\n{title:46s} us/step   ratio to mujoco.rollout (quartiles)")
    print(f"  mujoco: {settings(theirs.model, theirs.walk(steps))}")
    check_alike(model, state, theirs, steps)
    calls = {
        "mujoco": theirs.loop(steps),
        "stepper": bare_loop(model, state, steps),
        "simulate": simulate_loop(model, state, steps),
    }
    report_against_mujoco(interleave(calls, rounds), steps)
    report_shares(calls["stepper"], steps)


# --- 3. linear cost ---------------------------------------------------------------------------------------------------


def looped_chain(n: int) -> tuple[mm.Model, np.ndarray]:
    """A chain whose middle and last link are held by balls, and a pose in which they meet."""
    spec = chain(n)
    q = 0.01 * start(spec.compile())
    places = mm.forward_kinematics(spec.compile(), q)[:, :3, 3]
    for i in (n // 2, n - 1):
        spec.add_constraint(mm.Loop((f"b{i}", (0, 0, 0)), (None, places[i]), "ball"))
    return spec.compile(), q


def report_linearity(rounds: int) -> None:
    """Print the time per body of one forward dynamics and of one step."""
    sizes, calls = (100, 300, 1000), {}
    for n in sizes:
        model, q = looped_chain(n)
        state, repeats = model.state(q), 30_000 // n
        calls["forward dynamics", n] = repeat(lambda model=model, q=q: mm.forward_dynamics(model, q, 0.0 * q), repeats)
        calls["step", n] = bare_loop(model, state, repeats, 1e-6)
    times = interleave(calls, rounds)
    print("\nchains held by two balls: ns per body")
    for what in ("forward dynamics", "step"):
        each = {n: times[what, n] / (30_000 // n) / n for n in sizes}
        listed = "   ".join(f"{n} links {1e9 * np.median(each[n]):.0f}" for n in sizes)
        print(f"  {what:18s} {listed}   1000 against 100: {np.median(each[1000] / each[100]):.2f}")


def repeat(call: Callable, times: int) -> Callable:
    def run() -> None:
        for _ in range(times):
            call()

    return run


# --- 4. what constraints cost -----------------------------------------------------------------------------------------


def report_loop(rounds: int) -> None:
    """Time scene 4, with its loop and without."""
    scene = mm.scenes.load("loop")
    state = scene.model.state(scene.q, scene.qdot)
    tree = mm.Spec("tree", scene.spec.gravity, scene.spec.bodies).compile()
    calls = {
        "without": bare_loop(tree, state),
        "projected": bare_loop(scene.model, state),
        "Baumgarte": bare_loop(scene.model, state, gains=(5.0, 5.0, 5.0)),
    }
    times = interleave(calls, rounds)
    print("\na parallelogram and its pin (scene 4)            us/step   ratio to the tree without it")
    line("without", times["without"], STEPS)
    for name in ("projected", "Baumgarte"):
        line(name, times[name], STEPS, times["without"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    report_equalities(rounds)
    for friction, push in ((0.0, (0.02, 0.01)), (0.8, (0.02, 0.01)), (0.05, (0.5, 0.2))):  # gliding, sticking, sliding
        report_contacts(friction, push, rounds)
    report_linearity(rounds)
    report_loop(rounds)


if __name__ == "__main__":
    main()
