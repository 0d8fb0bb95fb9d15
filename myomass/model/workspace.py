"""Scratch of the recursions: one record per link and per degree of freedom, made once per model and number type."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .._jit import Bundle, opener
from .._jit import bundle as fields
from ..joints.links import demand_links
from ..joints.records import dof_dtype, link_dtype, records

if TYPE_CHECKING:
    from .model import Model


@cache
def body_dtype(scalar: type) -> np.dtype:
    """Record of one body: the link it rides on, its frame there, mass and principal moments."""
    return np.dtype(
        [
            ("link", "i8"),
            ("R_lb", scalar, (3, 3)),
            ("p_lb", scalar, (3,)),
            ("mass", scalar),
            ("moments", scalar, (3,)),
        ],
        align=True,
    )


@cache
def work_dtype(scalar: type) -> np.dtype:
    """Scratch of a link in the recursions. World axes; twists, wrenches and inertia about the link's own origin."""
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


class Tree(Bundle):
    """The bare tree for kernels: links and bodies of a model, and scratch of the recursions."""

    links = fields.records(link_dtype)  # link 0 is the world
    bodies = fields.records(body_dtype)
    params = fields.reals()  # parameters of the joints, with the charts in use
    gravity = fields.reals()  # [m/s^2]
    work = fields.scratch(work_dtype)  # a record per link
    dofs = fields.scratch(dof_dtype)  # a record per degree of freedom


open_tree = opener(Tree)


class Workspace:
    """Scratch for one model, one number type and one thread.

    `tree` is what kernels of the bare tree take, `system` (dynamics/system.py) what those of the whole model take: made
    once, with the model's arrays in it. The joints' parameters are a copy, whose charts may change.

    Arrays start as zeros: hinges and balls write only the angular part of their columns, and the rest must stay zero.
    """

    def __init__(self, model: "Model", scalar: type):
        demand_links(model.links["kind"][1:].tolist())
        work = records(len(model.links), work_dtype(scalar))
        work["R"][0] = np.eye(3)  # link 0 is the world: at rest, at the origin
        arrays = {"links": model.links, "bodies": model.bodies, "gravity": model.gravity}
        self.model = model
        made = {"params": model.params.copy(), "work": work, "dofs": records(model.joint_dofs, dof_dtype(scalar))}
        self.tree = Tree(scalar, **arrays, **made)
        self.scalar = scalar
        self.known_regular = False  # true once forward dynamics has found the mass matrix regular somewhere
        self.rounding = 50 * float(np.finfo(scalar).eps)  # a pivot that is this part of its inertia counts as zero
        self.zeros = np.zeros(model.ndof, scalar)  # read only: zeros for what a caller leaves out
        self.none_prescribed = np.zeros(model.ndof, bool)
        self.no_wrenches = np.zeros((0, 6), scalar)  # None given
        self.made: dict = {}  # what layers above keep here, by keys of their own


@contextmanager
def charts_restored(space: Workspace) -> Iterator[Workspace]:
    """A context for a kernel that changes charts in a workspace; afterwards they are the model's again."""
    try:
        yield space
    finally:
        space.tree.params[:] = space.model.params
