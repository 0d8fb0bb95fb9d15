"""Cost of re-rooting: in forward-dynamics evaluations of the same tree, in one process, interleaved, medians.

    python benchmarks/reroot.py [--rounds 25]

Each call re-roots a moving tree at another of its bodies to a free joint, or one at rest to a hinge, and gives model
and state; no kernel is compiled. Time per body is to become constant with the size of the tree.
"""

import argparse
from collections.abc import Callable
from itertools import cycle

import numpy as np
from dynamics import chain, hinge_tree, interleave, mixed_tree, start  # sets one thread

import myomass as mm

HINGE = mm.Revolute((0, 1, 0))
PLACE = np.zeros(3)


def calls(spec: mm.Spec, joint: mm.Joint) -> dict[str, Callable]:
    """Calls of re-rooting at one body after another, and of forward dynamics."""
    model = spec.compile()
    q, qdot = start(model), start(model)
    free = isinstance(joint, mm.Free3D)
    state, bodies = model.state(q, qdot if free else None), cycle(range(model.nbodies))
    return {
        "reroot": lambda: mm.reroot(model, state, next(bodies), place=PLACE, joint=joint, zero="now"),
        "forward dynamics": lambda: mm.forward_dynamics(model, q, qdot),
    }


def report(rounds: int) -> None:
    print("one call from Python                                           us   us per body   forward dynamics")
    for spec in (hinge_tree(), mixed_tree(), chain(100), chain(300), chain(1000), chain(3000)):
        for word, joint in (("free", mm.Free3D()), ("hinge", HINGE)):
            count = len(spec.bodies)
            times = interleave(calls(spec, joint), rounds, repeats=max(20, 6000 // count))
            first, second = times.values()
            us, cost = 1e6 * float(np.median(first)), float(np.median(first / second))
            print(f"  {f'{spec.name} by a {word} joint':58s} {us:7.1f} {us / count:9.3f} {cost:14.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    report(parser.parse_args().rounds)
