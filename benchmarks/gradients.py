"""What the gradient of a run costs: in forward runs of its own, and against differences of MuJoCo's steps.

    python benchmarks/gradients.py [--rounds 9] [--steps 500]

The run: a tree of 30 hinges under torques of each step, the gradient that of a task at its end by all coordinates and
rates at the start and by all torques. MuJoCo has no gradient of a run; its `mjd_transitionFD` gives the derivatives of
one step by finite differences, which are chained backwards here, of its semi-implicit Euler (ours: "semi-implicit") and
of its implicit integrator. Ratios in one process, interleaved, medians.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

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


if __name__ == "__main__":
    main()
