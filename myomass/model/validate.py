"""Checks of a whole spec, each with an error that a person can act on: the tree, gravity, and mass where it moves."""

import numpy as np

from ..joints.chain import evaluate_plainly
from ..spatial import se3
from ..spatial.checks import check_numbers
from .spec import BodySpec, Spec, known_names

REGULAR = 1e-12  # smallest eigenvalue of a terminal joint's inertia, scaled to unit diagonal


def check_gravity(spec: Spec) -> np.ndarray:
    """Gravity of a spec as an array [m/s^2]. (3,)"""
    return check_numbers(spec.gravity, f"spec {spec.name!r}: gravity [m/s^2]", (3,)).copy()


def parents_first(spec: Spec) -> list[BodySpec]:
    """The bodies in the order in which they were added, moved only where a child comes before its parent."""
    ordered: dict[str, BodySpec] = {}
    for key, body in spec.bodies.items():
        if key != body.name:
            raise ValueError(
                f"spec {spec.name!r}: the body {key!r} is named {body.name!r}; names cannot be edited: add it again"
            )
        pending: dict[str, BodySpec] = {}
        while body.name not in ordered:
            if body.name in pending:
                names = list(pending)
                loop = " -> ".join([*names[names.index(body.name) :], body.name])
                raise ValueError(
                    f"spec {spec.name!r}: the parents form a cycle ({loop}); hang one of these bodies elsewhere "
                    "and close the loop with a constraint"
                )
            pending[body.name] = body
            if body.parent is None:
                break
            if body.parent not in spec.bodies:
                raise ValueError(
                    f"spec {spec.name!r}: the parent {body.parent!r} of {body.name!r} is unknown; "
                    f"{known_names(spec.bodies)}"
                )
            body = spec.bodies[body.parent]
        ordered.update(reversed(pending.items()))
    return list(ordered.values())


def check_mass(bodies: list[BodySpec]) -> None:
    """Raise a ValueError if a joint moves no mass, or if a terminal joint moves none in one of its directions."""
    carried = {body.name: np.zeros((6, 6)) for body in bodies}  # inertia welded to the joint's moved frame
    carries_more = set()  # bodies with a moving joint further out
    for body in reversed(bodies):
        M = carried[body.name]
        if body.inertia is not None:
            A = se3.Ad(se3.inverse(body.E_jb @ body.inertia.frame))
            M = M + A.T @ body.inertia.matrix() @ A
        if body.joint.ndof and body.name not in carries_more:
            _check_terminal(body, M)
        if body.parent is None:
            continue
        if body.joint.ndof or body.name in carries_more:
            carries_more.add(body.parent)
        else:
            A = se3.Ad(se3.inverse(body.E_pj @ evaluate_plainly(body.joint, np.zeros(0))[0]))
            carried[body.parent] = carried[body.parent] + A.T @ M @ A


def _regular(S: np.ndarray, M: np.ndarray) -> bool:
    """True if S^T M S is regular: M resists every column of S, and every combination of columns."""
    M_joint = S.T @ M @ S
    resisted, most = np.diag(M_joint), np.einsum("ik,ij,jk->k", np.abs(S), np.abs(M), np.abs(S))
    if not (resisted > REGULAR * most).all():
        return False
    scale = np.sqrt(resisted)
    return np.linalg.eigvalsh(M_joint / np.outer(scale, scale)).min() > REGULAR


def _check_terminal(body: BodySpec, M: np.ndarray) -> None:
    if not M.any():
        raise ValueError(
            f"body {body.name!r} is a massless leaf: its joint {body.joint!r} moves no mass, so its acceleration is "
            "undefined; give it an inertia or fix it, or compile(massless=True) for poses, paths and torques alone"
        )
    generic = 0.3 + 0.17 * np.arange(body.joint.ndof)  # a place with no special meaning, ...
    places = (generic, 1e-4 * generic, 1e-8 * generic)  # ... or near zero
    if not any(_regular(evaluate_plainly(body.joint, q)[1], M) for q in places):
        raise ValueError(
            f"body {body.name!r} has no inertia in some direction of its joint {body.joint!r}: give it moments "
            "(a point mass or thin rod cannot resist every turn), or a joint with fewer degrees of freedom"
        )
