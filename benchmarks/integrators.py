"""What steps and derivatives cost, counted in forward evaluations: ratios, in one process, interleaved, medians.

    python benchmarks/integrators.py [--rounds 25] [--h 1e-4]

A forward evaluation is a step of semi-implicit Euler inside a long rollout: one recursive forward dynamics and little
else. Targets: a converged bdf1 step at most 40 of them, linearise at most 8, simulate at most 1.1 of the bare kernel.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from dynamics import ball_tree, chain, hinge_tree, interleave, mixed_tree, start, undriven

import myomass as mm
from myomass.dynamics.system import linear_of, system_of
from myomass.dynamics.views import linear_at
from myomass.integrators import INTEGRATORS
from myomass.run.stepper import FixedStepper

STEPS = 1000


def sprung(spec: mm.Spec) -> mm.Spec:
    """The mechanism with springs on its joints and one between its first and last body."""
    for name in list(spec.bodies)[1:]:
        spec.add_force(mm.JointSpring(name, stiffness=1.0, damping=0.01))
    names = list(spec.bodies)
    spec.add_force(mm.PointSpring((names[0], (0, 0, 0)), (names[-1], (0, 0, 0)), stiffness=10.0))
    return spec


def bare_loop(model: mm.Model, q: np.ndarray, integrator: str, h: float, steps: int = STEPS) -> Callable:
    """A call of the kernel that simulate would use, with all prepared but the memory of its rows, new each time."""
    grid = h * np.arange(steps + 1)
    stepper = FixedStepper(model, model.state(q), INTEGRATORS[integrator], grid, undriven(model))
    snapshot = stepper.snapshot()

    def run() -> None:
        stepper.restore(snapshot)
        stepper.rows.change(np.empty_like)
        stepper.rows.t[:] = grid
        stepper.advance(steps)

    return run


def linearise_loop(model: mm.Model, q: np.ndarray) -> Callable:
    """A call that computes M, D and K as often as a rollout has steps, one by one."""
    state = model.state(q, q)
    mm.linearise(model, state, q)
    space = model.workspace
    arguments = (system_of(space).handle, linear_of(space).handle, 0.0, q, q.copy(), q.copy())
    matrices = np.empty((3, model.ndof, model.ndof))

    def run() -> None:
        for _ in range(STEPS):
            linear_at(*arguments, *matrices)

    return run


def costs(spec: mm.Spec, rounds: int, h: float) -> None:
    model = spec.compile()
    q = start(model)
    fixed = [name for name in INTEGRATORS if name not in ("recursive", "redmax", "maximal")]
    calls = {name: bare_loop(model, q, name, h) for name in fixed}
    calls["linearise"] = linearise_loop(model, q)
    for steps in (STEPS, 10 * STEPS):
        run = {"q": q, "integrator": "semi-implicit", "h": h, "duration": steps * h}
        calls[f"bare {steps:,}"] = bare_loop(model, q, "semi-implicit", h, steps)
        calls[f"simulate {steps:,}"] = lambda run=run: mm.simulate(model, **run)
    times = interleave(calls, rounds)
    base = times["semi-implicit"]
    print(f"{spec.name}: {model.ndof} dof, forward evaluation {1e6 * np.median(base) / STEPS:.2f} us")
    for name in (*(n for n in fixed if n != "semi-implicit"), "linearise"):
        print(f"  {name:<16} {np.median(times[name] / base):6.2f}")
    for steps in (STEPS, 10 * STEPS):
        ratio = np.median(times[f"simulate {steps:,}"] / times[f"bare {steps:,}"])
        print(f"  simulate {steps:>7,} {ratio:6.2f} of the bare kernel")


def implicit_iterations(spec: mm.Spec, h: float) -> None:
    """Print how many Newton iterations and factorisations a step takes."""
    model = spec.compile()
    for name in (n for n in INTEGRATORS if n in ("bdf1", "bdf2", "sdirk2")):
        run = mm.simulate(model, q=start(model), integrator=name, h=h, duration=STEPS * h)
        per_step = {key: run.steps[key] / run.steps["accepted"] for key in ("iterations", "factorisations")}
        print(f"  {name:<12} {per_step['iterations']:.2f} iterations, {per_step['factorisations']:.2f} factorisations")


def large(spec: mm.Spec, rounds: int, h: float) -> None:
    """Print what a bdf1 step of a large mechanism takes."""
    model, steps = spec.compile(), STEPS // 10
    calls = {name: bare_loop(model, start(model), name, h, steps) for name in ("semi-implicit", "bdf1")}
    times = interleave(calls, rounds)
    ratio, each = np.median(times["bdf1"] / times["semi-implicit"]), 1e6 * np.median(times["bdf1"]) / steps
    print(f"{spec.name}: bdf1 {ratio:.1f} forward evaluations, {each:.0f} us a step")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--h", type=float, default=1e-4, help="step [s]")
    options = parser.parse_args()
    begun = time.perf_counter()
    for spec in (hinge_tree(), sprung(hinge_tree()), mixed_tree(), ball_tree(), chain(30)):
        costs(spec, options.rounds, options.h)
        implicit_iterations(spec, options.h)
    for spec in (hinge_tree(100), hinge_tree(300), chain(100), chain(300)):
        large(spec, options.rounds, options.h)
    print(f"{time.perf_counter() - begun:.0f} s in all")


if __name__ == "__main__":
    main()
