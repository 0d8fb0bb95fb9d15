"""What the gradient of a run costs: in forward runs of its own, and against differences of MuJoCo's steps.

    python benchmarks/gradients.py [--rounds 9] [--steps 500]

The run: a tree of 30 hinges under torques of each step, the gradient that of a task at its end by all coordinates and
rates at the start and by all torques. MuJoCo has no gradient of a run; its `mjd_transitionFD` gives the derivatives of
one step by finite differences, which are chained backwards here, of its semi-implicit Euler (ours: "semi-implicit") and
of its implicit integrator. Ratios in one process, interleaved, medians. Small mechanisms beside it: bars with Hill
muscles, a linkage with a loop, and the walker of hill.py.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import hill
import mujoco
import numpy as np
from dynamics import hinge_tree, interleave, start

import myomass as mm

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from peers import mujoco_peer

H = 1e-3
METHODS = ("bdf1", "bdf2", "sdirk2", "rk4", "semi-implicit", "symplectic", "euler")


def ours(model: mm.Model, method: str, steps: int, wrt: tuple[str, ...]) -> Callable:
    """A call of value_and_grad."""
    last = model.names[-1]
    task = mm.tasks.Reach(last, target=(0.1, 0.2, 0.3)) + 0.01 * mm.tasks.Rest()
    tau = 0.1 * np.random.default_rng(1).normal(size=(steps, model.ndof))
    given = {"q": start(model), "tau": tau, "integrator": method, "h": H, "duration": steps * H}
    return lambda: mm.value_and_grad(model, task, wrt, **given)


def bars(count: int) -> mm.Spec:
    """Bars of 0.4 m that hang from each other."""
    spec = mm.Spec("bars")
    for i in range(count):
        parent, place = (f"b{i - 1}", mm.translation(0, 0, -0.4)) if i else (None, np.eye(4))
        box = mm.Inertia.cuboid((0.05, 0.06, 0.4), mass=1.0)
        spec.add_body(f"b{i}", parent, mm.Revolute((0, 1, 0)), place, mm.translation(0, 0, -0.2), box)
    return spec


def muscled() -> mm.Model:
    """Two bars with two Hill muscles."""
    spec = bars(2)
    for i, x in enumerate((0.06, -0.06)):
        spec.add_muscle(f"m{i}", 0.0, [("b0", (x, 0, 0)), ("b1", (x, 0, 0.05))], actuator=mm.Hill(100.0, 0.15, 0.2))
    return spec.compile()


def linkage() -> mm.Model:
    """Three bars in a loop with the world."""
    spec = bars(3)
    spec.add_constraint(mm.Loop(("b2", mm.translation(0, 0, -0.2)), (None, mm.translation(0.37, 0, -0.88)), "ball"))
    return spec.compile()


def small(state: mm.State, model: mm.Model, method: str, wrt: tuple[str, ...]) -> Callable:
    """A call of value_and_grad for 200 steps of a small mechanism."""
    given = {"integrator": method, "h": H, "duration": 200 * H, "tau": np.zeros((200, model.ndof))}
    return lambda: mm.value_and_grad(model, mm.tasks.Rest(), wrt, state=state, **given)


def mechanisms() -> dict[str, tuple[mm.Model, mm.State]]:
    """Small mechanisms with their starts, by name."""
    bent, walker = np.array([-1.2, 0.8, 0.8]), hill.muscled("elastic")
    found = {"two bars, two Hill muscles": muscled(), "a loop of three bars": linkage()}
    found = {name: (model, mm.dynamics.assemble(model, bent[: model.ndof])) for name, model in found.items()}
    return found | {"a walker, 18 Hill muscles": (walker, walker.state(*hill.start(), activation=0.05))}


def print_small(rounds: int) -> None:
    """What states of muscles and constraints cost, in processor time."""
    for name, (model, state) in mechanisms().items():
        methods = [method for method in METHODS if mm.integrators.INTEGRATORS[method].holds or model.nz]
        calls = {}
        for method in methods:
            calls[f"{method} run"] = small(state, model, method, ())
            calls[f"{method} gradient"] = small(state, model, method, ("q", "qdot", "tau"))
        took = [[hill.processor_time(call) for call in calls.values()] for _ in range(rounds + 1)]
        times = dict(zip(calls, np.array(took[1:]).T, strict=True))
        print(f"{name}, 200 steps")
        for method in methods:
            forward, gradient = times[f"{method} run"], times[f"{method} gradient"]
            each, ratio = np.median(gradient) / 200, np.median(gradient / forward)
            print(f"  {method:<14} with its gradient {1e3 * each:5.2f} ms a step, {ratio:5.1f} runs")


def theirs(spec: mm.Spec, steps: int, integrator: int) -> Callable:
    """A call that rolls MuJoCo out, and chains its transition derivatives backwards."""
    peer = mujoco_peer(spec, add_motors)
    model = peer.model
    model.opt.timestep, model.opt.integrator = H, integrator
    data, n = mujoco.MjData(model), model.nv
    q0, tau = start(spec.compile()), 0.1 * np.random.default_rng(1).normal(size=(steps, n))
    A, B = np.zeros((steps, 2 * n, 2 * n)), np.zeros((steps, 2 * n, model.nu))

    def run() -> tuple[np.ndarray, np.ndarray]:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = q0
        for step in range(steps):
            data.ctrl[:] = tau[step]
            mujoco.mjd_transitionFD(model, data, 1e-6, True, A[step], B[step], None, None)
            mujoco.mj_step(model, data)
        bar, by_tau = np.ones(2 * n), np.zeros((steps, model.nu))
        for step in range(steps - 1, -1, -1):
            by_tau[step] = B[step].T @ bar
            bar = A[step].T @ bar
        return bar, by_tau

    return run


def add_motors(mjcf) -> None:
    """A motor on every joint."""
    for joint in mjcf.joints:
        motor = mjcf.add_actuator(trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint.name)
        motor.gainprm[0] = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=500)
    options = parser.parse_args()
    spec = hinge_tree()
    model, steps = spec.compile(), options.steps
    calls = {}
    for method in METHODS:
        calls[f"{method} run"] = ours(model, method, steps, ())
        calls[f"{method} gradient"] = ours(model, method, steps, ("q", "qdot", "tau"))
    calls["one number"] = ours(model, "bdf1", steps, ("q", "qdot", "tau", f"{model.names[3]}.mass"))
    implicit = mujoco.mjtIntegrator
    calls["MuJoCo Euler"] = theirs(spec, steps, implicit.mjINT_EULER)
    calls["MuJoCo implicit"] = theirs(spec, steps, implicit.mjINT_IMPLICIT)
    times = interleave(calls, options.rounds)
    print(f"{spec.name}, {steps} steps: gradient by {2 * model.ndof + steps * model.ndof:,} numbers")
    for method in METHODS:
        forward, gradient = times[f"{method} run"], times[f"{method} gradient"]
        ratio = np.median(gradient / forward)
        print(f"  {method:<14} run {1e3 * np.median(forward):7.1f} ms, with its gradient {ratio:5.2f} runs")
    more = np.median((times["one number"] - times["bdf1 gradient"]) / times["bdf1 run"])
    print(f"  each number of the model: {more:.2f} runs more (bdf1)")
    for name, other in (("semi-implicit", "MuJoCo Euler"), ("bdf1", "MuJoCo implicit")):
        ratio = np.median(times[other] / times[f"{name} gradient"])
        print(f"  {other} with mjd_transitionFD takes {ratio:.1f} times as long as {name} with its gradient")
    print_small(options.rounds)


if __name__ == "__main__":
    main()
