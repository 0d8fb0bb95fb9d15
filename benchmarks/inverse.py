"""Speed of inverse dynamics and its partials against Pinocchio: ratios, in one process, interleaved, medians.

    python benchmarks/inverse.py [--rounds 25]

Torques by Balafoutis and Patel are timed against recursive Newton-Euler, partials against pin.computeRNEADerivatives,
each called from Python. Below 1 means that the first named is faster.
"""

import argparse
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from dynamics import ball_tree, chain, hinge_tree, interleave, mixed_tree, start  # sets one thread
from peers import pinocchio_peer

import myomass as mm


def ratio(calls: dict, rounds: int) -> tuple[float, float]:
    """(median ratio of the first call's time to the second's, median time of the first [us])."""
    first, second = interleave(calls, rounds, repeats=200).values()
    return float(np.median(first / second)), float(np.median(first)) * 1e6


def torque_calls(spec: mm.Spec) -> dict[str, Callable]:
    """Two recursions for the same torques."""
    model = spec.compile()
    q, qdot, qddot = start(model), start(model), start(model)
    return {
        "balafoutis-patel": lambda: mm.inverse_dynamics(model, q, qdot, qddot, "balafoutis-patel"),
        "rnea": lambda: mm.inverse_dynamics(model, q, qdot, qddot),
    }


def partial_calls(spec: mm.Spec) -> dict[str, Callable]:
    """All partials of inverse dynamics; Pinocchio's are of its tangent space."""
    model, peer = spec.compile(), pinocchio_peer(spec)
    q, qdot, qddot = start(model), start(model), start(model)
    theirs, data = peer.motion(q, qdot, qddot), peer.model.createData()
    return {
        "myomass": lambda: mm.inverse_dynamics_derivatives(model, q, qdot, qddot),
        "pinocchio": lambda: pin.computeRNEADerivatives(peer.model, data, *theirs),
    }


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
