"""Speed of inverse dynamics, its partials and gradients of effort: ratios, in one process, interleaved, medians.

    python benchmarks/inverse.py [--rounds 25]

Torques by Balafoutis and Patel are timed against recursive Newton-Euler, partials against pin.computeRNEADerivatives,
each called from Python; the gradient of the spacetime energy against the energy itself, over all its nodes. Below 1
means that the first named is faster.
"""

import argparse
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from dynamics import ball_tree, chain, hinge_tree, interleave, mixed_tree, start  # sets one thread
from peers import pinocchio_peer

import myomass as mm
from myomass.transitions.spacetime import Effort


def ratio(calls: dict, rounds: int, repeats: int = 200) -> tuple[float, float]:
    """(median ratio of the first call's time to the second's, median time of the first [us])."""
    first, second = interleave(calls, rounds, repeats=repeats).values()
    return float(np.median(first / second)), float(np.median(first)) * 1e6


def torque_calls(spec: mm.Spec) -> dict[str, Callable]:
    """Calls of two recursions for the same torques."""
    model = spec.compile()
    q, qdot, qddot = start(model), start(model), start(model)
    return {
        "balafoutis-patel": lambda: mm.inverse_dynamics(model, q, qdot, qddot, "balafoutis-patel"),
        "rnea": lambda: mm.inverse_dynamics(model, q, qdot, qddot),
    }


def partial_calls(spec: mm.Spec) -> dict[str, Callable]:
    """Calls of all partials of inverse dynamics; Pinocchio's are of its tangent space."""
    model, peer = spec.compile(), pinocchio_peer(spec)
    q, qdot, qddot = start(model), start(model), start(model)
    theirs, data = peer.motion(q, qdot, qddot), peer.model.createData()
    return {
        "myomass": lambda: mm.inverse_dynamics_derivatives(model, q, qdot, qddot),
        "pinocchio": lambda: pin.computeRNEADerivatives(peer.model, data, *theirs),
    }


def effort_calls(model: mm.Model, count: int) -> dict[str, Callable]:
    """Calls of the spacetime energy with and without its gradient, nodes and scratch made once as in a search."""
    effort = Effort(model, (0.0, 1.0, count))
    coefficients = 0.3 * np.random.default_rng(0).normal(size=(count, model.ndof))
    return {"gradient": lambda: effort.gradient(coefficients), "energy": lambda: effort.value(coefficients)}


def report_gradients(rounds: int) -> None:
    print(f"{'curves, Gauss with 4 nodes in a segment':68s}   ms   P with its gradient / P alone")
    for spec in (mm.scenes.human_figure(), hinge_tree(), mixed_tree(), ball_tree()):
        for count in (25, 100):
            value, time = ratio(effort_calls(spec.compile(), count), rounds, repeats=5)
            print(f"  {f'{spec.name}, {count} coefficients for a dof':66s} {1e-3 * time:7.2f}   {value:.2f}")


def report(title: str, calls: Callable, rounds: int) -> None:
    print(f"one call from Python                          us    {title}")
    for spec in (hinge_tree(), mixed_tree(), ball_tree(), chain(100)):
        value, time = ratio(calls(spec), rounds)
        print(f"  {spec.name:40s} {time:7.2f}   {value:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    report("Balafoutis-Patel / RNEA", torque_calls, rounds)
    report("partials / pin.computeRNEADerivatives", partial_calls, rounds)
    report_gradients(rounds)
