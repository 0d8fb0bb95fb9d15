"""Scratch of the recursions: one record per link and per degree of freedom, made once per model and number type."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..joints.records import dof_dtype, records

if TYPE_CHECKING:
    from .model import Model


@cache
def work_dtype(scalar: type) -> np.dtype:
    """What the recursions keep of a link. World axes; twists, wrenches and inertia about the link's own origin."""
    return np.dtype(
        [
            ("R", scalar, (3, 3)),  # the link's rotation
            ("x", scalar, (3,)),  # its origin [m]
            ("r", scalar, (3,)),  # its origin from the parent's origin [m]
            ("w", scalar, (3,)),  # twist V: angular velocity [rad/s] and velocity of the link at its origin [m/s]
            ("v", scalar, (3,)),
            ("eta_w", scalar, (3,)),  # ad(V) S qdot + Sdot qdot
            ("eta_v", scalar, (3,)),
            ("A", scalar, (6,)),  # articulated (or composite) inertia [A B; B^T C], angular first
            ("B", scalar, (3, 3)),
            ("C", scalar, (6,)),
            ("n", scalar, (3,)),  # wrench: moment [N m] and force [N]
            ("f", scalar, (3,)),
            ("a_w", scalar, (3,)),  # acceleration Vdot less gravity
            ("a_v", scalar, (3,)),
        ],
        align=True,
    )


class Workspace:
    """Scratch for one model and one number type.

    `system` is what every kernel takes first: the model's arrays and this scratch in one tuple, made once, because a
    tuple crosses from Python into a kernel faster than its parts (docs/decisions/0001-engine.md).

    All zeros once: hinges and balls write only the angular part of their columns, and count on the rest to stay zero.
    """

    def __init__(self, model: "Model", scalar: type):
        work = records(len(model.links), work_dtype(scalar))
        work["R"][0] = np.eye(3)  # link 0 is the world: at rest, at the origin
        dofs = records(model.ndof, dof_dtype(scalar))
        self.system = (model.links, model.bodies, model.params, model.gravity, work, dofs)
        self.known_regular = False  # true once forward dynamics has found the mass matrix regular somewhere
        self.rounding = 50 * float(np.finfo(scalar).eps)  # a pivot that is this part of its inertia is none
        self.zeros = np.zeros(model.ndof, scalar)  # read only: what a caller leaves out
        self.none_prescribed = np.zeros(model.ndof, bool)
        self.no_wrenches = np.zeros((0, 6), scalar)  # None given
        self.forces: tuple | None = None  # the model's forces with their scratch, once they are asked for
        self.linear: tuple | None = None  # scratch of derivatives, likewise
        self.bound: tuple | None = None  # its constraints with what solves them, likewise
        self.muscles: tuple | None = None  # its muscles, likewise
