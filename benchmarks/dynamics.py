"""Speed of the dynamics against MuJoCo and Pinocchio: ratios, in one process, interleaved, one thread, medians.

    python benchmarks/dynamics.py [--rounds 25]

Every round times each contestant once on the same mechanism from the same state; a ratio is taken within the round, so
that a slow moment of the machine hits both sides. Below 1 means that MyoMass is faster.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import mujoco
import numpy as np
import pinocchio as pin
from mujoco import rollout
from peers import mujoco_peer, pinocchio_peer

import myomass as mm
from myomass.integrators.controller import NO_CONTROLLER
from myomass.run.excitations import Excitations
from myomass.run.stepper import Control

STEPS, H = 1000, 1e-3
BOX = mm.Inertia.cuboid((0.1, 0.02, 0.03), mass=0.1)
AXES = ((0, 0, 1), (0, 1, 0))


def mechanism(name: str, parents: list[int], joints: list[mm.Joint]) -> mm.Spec:
    """Boxes along x, each hung at the end of its parent."""
    spec = mm.Spec(name)
    for i, (parent, joint) in enumerate(zip(parents, joints, strict=True)):
        place = mm.translation(0.1, 0, 0) if i else np.eye(4)
        spec.add_body(f"b{i}", f"b{parent}" if i else None, joint, place, mm.translation(0.05, 0, 0), BOX)
    return spec


def undriven(model: mm.Model) -> Control:
    """What a stepper is told of torques and excitations where there are none."""
    return np.zeros(model.ndof), NO_CONTROLLER, Excitations(model, None, (0.0, 0.0)), np.zeros((0, model.ndof))


def chain(n: int) -> mm.Spec:
    return mechanism(f"chain of {n} hinges", list(range(-1, n - 1)), [mm.Revolute(AXES[i % 2]) for i in range(n)])


def binary(n: int) -> list[int]:
    return [(i - 1) // 2 for i in range(n)]


def hinge_tree(n: int = 30) -> mm.Spec:
    return mechanism(f"tree of {n} hinges", binary(n), [mm.Revolute(AXES[i % 2]) for i in range(n)])


def ball_tree() -> mm.Spec:
    joints = [mm.Free3D(), *(mm.SphericalExp() for _ in range(8))]
    return mechanism("free root, 8 balls (30 dof)", binary(9), joints)


def mixed_tree() -> mm.Spec:
    """A free root, four ball joints and twelve hinges, as in a humanoid."""
    joints = [mm.Free3D(), *(mm.SphericalExp() for _ in range(4)), *(mm.Revolute(AXES[i % 2]) for i in range(12))]
    return mechanism("free root, 4 balls, 12 hinges (30 dof)", binary(17), joints)


def seconds(call: Callable, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def interleave(calls: dict[str, Callable], rounds: int, repeats: int = 1) -> dict[str, np.ndarray]:
    """Times of every call, one of each per round; the first round warms up and is dropped."""
    times = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            times[name].append(seconds(call, repeats))
    return {name: np.array(values[1:]) for name, values in times.items()}


def start(model: mm.Model) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.5, 0.5, model.ndof)


def rollout_calls(spec: mm.Spec) -> dict[str, Callable]:
    """Calls of 1,000 steps of semi-implicit Euler, all states kept, from Python."""
    model, peer = spec.compile(), mujoco_peer(spec)
    q = start(model)
    theirs, data = peer.model, mujoco.MjData(peer.model)
    theirs.opt.timestep = H
    data.qpos[:] = peer.configuration(q)
    state = np.empty(mujoco.mj_stateSize(theirs, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(theirs, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return {
        "myomass": lambda: mm.simulate(model, q=q, integrator="semi-implicit", h=H, duration=STEPS * H),
        "mujoco": lambda: rollout.rollout(theirs, data, state[None], nstep=STEPS),
    }


def single_calls(spec: mm.Spec) -> dict[str, dict[str, Callable]]:
    """Calls from Python of forward dynamics, inverse dynamics and mass matrix."""
    model, p, m = spec.compile(), pinocchio_peer(spec), mujoco_peer(spec)
    q, qdot, qddot = start(model), start(model), start(model)
    q_p, v_p, a_p = p.motion(q, qdot, qddot)
    work, data = p.model.createData(), mujoco.MjData(m.model)
    data.qpos[:], data.qvel[:], data.qacc[:] = m.motion(q, qdot, qddot)
    mujoco.mj_forward(m.model, data)
    full = np.zeros((m.model.nv, m.model.nv))

    def mujoco_mass():
        mujoco.mj_kinematics(m.model, data)
        mujoco.mj_comPos(m.model, data)
        mujoco.mj_makeM(m.model, data)
        mujoco.mj_fullM(m.model, data, full)

    return {
        "forward dynamics": {
            "myomass": lambda: mm.forward_dynamics(model, q, qdot, qddot),
            "pinocchio": lambda: pin.aba(p.model, work, q_p, v_p, a_p),
            "mujoco": lambda: mujoco.mj_forward(m.model, data),
        },
        "inverse dynamics": {
            "myomass": lambda: mm.inverse_dynamics(model, q, qdot, qddot),
            "pinocchio": lambda: pin.rnea(p.model, work, q_p, v_p, a_p),
            "mujoco": lambda: mujoco.mj_inverse(m.model, data),
        },
        "mass matrix": {
            "myomass": lambda: mm.mass_matrix(model, q),
            "pinocchio": lambda: pin.crba(p.model, work, q_p),
            "mujoco": mujoco_mass,
        },
    }


def report_rollouts(rounds: int) -> None:
    print(f"{STEPS}-step rollouts from Python        us/step   ratio to mujoco.rollout (quartiles)")
    for spec in (chain(10), hinge_tree(), ball_tree(), mixed_tree(), chain(100)):
        times = interleave(rollout_calls(spec), rounds)
        low, middle, high = np.percentile(times["myomass"] / times["mujoco"], (25, 50, 75))
        per_step = np.median(times["myomass"]) / STEPS * 1e6
        print(f"  {spec.name:40s} {per_step:7.2f}   {middle:.2f}  ({low:.2f}-{high:.2f})")


def report_calls(rounds: int) -> None:
    print("\none call from Python                        us        ratio to pinocchio   ratio to mujoco")
    for spec in (hinge_tree(), ball_tree(), mixed_tree()):
        print(f"  {spec.name}")
        for name, calls in single_calls(spec).items():
            times = interleave(calls, rounds, repeats=200)
            ratios = [np.median(times["myomass"] / times[peer]) for peer in ("pinocchio", "mujoco")]
            print(f"    {name:38s} {np.median(times['myomass']) * 1e6:6.2f}    {ratios[0]:.2f}   {ratios[1]:18.2f}")


def report_linearity(rounds: int) -> None:
    """Print the time per body in rollouts of chains, where the border to Python does not count."""
    sizes, calls = (10, 100, 1000), {}
    for n in sizes:
        model, steps = chain(n).compile(), 30_000 // n
        q = 0.01 * start(model)
        calls[n] = lambda model=model, q=q, steps=steps: mm.simulate(
            model, q=q, integrator="semi-implicit", h=1e-6, duration=steps * 1e-6
        )
    times = interleave(calls, rounds)
    print("\nchains: ns per body and step")
    for n in sizes:
        print(f"  {n:5d} bodies  {np.median(times[n]) / (30_000 // n) / n * 1e9:6.1f}")
    print(f"  1000 against 100: {np.median(times[1000] / times[100]):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    report_rollouts(rounds)
    report_calls(rounds)
    report_linearity(rounds)


if __name__ == "__main__":
    main()
