"""Scratch of muscles: a record for every point, piece and mass node of the one path that is being looked at.

Jets (value, first and second derivative along a direction) are kept as rows: x[0] is the place, x[1] how it moves.
"""

from functools import cache

import numpy as np

from .._jit import Bundle, opener
from .._jit import bundle as fields
from ..joints.records import records
from ..model import Model
from ..model.workspace import Workspace
from .hill.curves.dispatch import demand_curves
from .hill.pull import fill_activation_rates, pull, stored_in
from .hill.records import TERMS, Drive, told_dtype
from .junctions import demand_junctions
from .laws.dispatch import demand_laws
from .network.perceptron import BLOCK, batch_dtype, bend, evaluate
from .network.table import COLUMNS as SEEN
from .packed import (
    ARRAYS,
    lump_dtype,
    muscle_dtype,
    pair_dtype,
    path_point_dtype,
    piece_dtype,
    span_dtype,
)
from .wrapping.base import ARCS, COLUMNS
from .wrapping.dispatch import demand_surfaces

LINES = ARCS + 1  # straight stretches of a piece, at most
GAUSS = (4, 6, 8, 12)  # nodes on an arc that carries a continuous mass, the more the further it turns
TURNS = (0.4, 1.5, 3.1)  # [rad] up to which the first, second and third suffice for ten digits


@cache
def point_work_dtype(scalar: type) -> np.dtype:
    """Scratch of a path point: its jet in the world, its place from its link's origin, its slopes by coordinates."""
    return np.dtype(
        [
            ("at", "i8"),  # which of the model's points it is
            ("x", scalar, (3, 3)),
            ("offset", scalar, (3,)),
            ("slope", scalar, (3, 3)),  # by the coordinate of each of its axes, and the second derivatives
            ("bend", scalar, (3, 3)),
            ("across", scalar, (2, 3)),  # of a junction (junctions.py): two directions, ...
            ("turn", scalar, (2,)),  # ... by how much the path turns there along them, or what undoes that,
            ("block", scalar, (2, 2)),  # how that changes as it moves, eliminated,
            ("beside", scalar, (2, 2)),  # and as the junction before it does
        ],
        align=True,
    )


@cache
def piece_work_dtype(scalar: type) -> np.dtype:
    """Scratch of a piece: its surface's frame and how that moves, its solved path, jets of its lengths and lines."""
    return np.dtype(
        [
            ("at", "i8"),  # which of the model's pieces its surface is of
            ("arcs", "i8"),  # on the surface; 0: it is straight
            ("R", scalar, (3, 3)),  # the surface's frame in the world
            ("c", scalar, (3, 3)),  # its origin, a jet
            ("w", scalar, (3,)),  # its angular velocity and acceleration
            ("wdot", scalar, (3,)),
            ("a", scalar, (3, 3)),  # both ends in that frame, jets
            ("b", scalar, (3, 3)),
            ("g", scalar, (3, COLUMNS)),  # the path in that frame (wrapping/base.py)
            ("learned", "i8"),  # does a network place its mass?
            ("n", scalar, (3, SEEN)),  # and what that is told (network/table.py)
            ("length", scalar, (3,)),
            ("inverse", scalar),  # of its length; 0 if it has none
            ("start", scalar, (3,)),  # length of the path before it
            ("blend", scalar, (3,)),  # s: 0 straight, 1 wrapped
            ("A", scalar, (LINES, 3, 3)),  # x = A + xi B on its straight stretches, world
            ("B", scalar, (LINES, 3, 3)),
        ],
        align=True,
    )


@cache
def node_dtype(scalar: type) -> np.dtype:
    """Record of a mass on the path: its piece, the line (or, if that is -1, the arc) that it is on, and its motion.

    Line and arc are both -1 where a network places it.
    """
    return np.dtype(
        [
            ("piece", "i8"),
            ("line", "i8"),
            ("arc", "i8"),
            ("batch", "i8"),  # of the nodes that one network places together, ...
            ("slot", "i8"),  # ... and its place in that batch
            ("alpha", scalar),  # fraction of what stretches (belly.py)
            ("xi", scalar),  # and of the piece
            ("inverse", scalar),  # of the piece's length
            ("mass", scalar),
            ("x", scalar, (3,)),  # from the origin of the base [m]
            ("stretch", scalar),  # of the flow round a corner (equations.py)
        ],
        align=True,
    )


@cache
def base_sum_dtype(scalar: type) -> np.dtype:
    """Sums over the muscles on a base: mass, first moment and inertia about its origin, and a wrench."""
    return np.dtype(
        [("m", scalar), ("c", scalar, (3,)), ("A", scalar, (6,)), ("n", scalar, (3,)), ("f", scalar, (3,))], align=True
    )


@cache
def momentum_dtype(scalar: type) -> np.dtype:
    """Angular momentum n about a base's origin, and momentum f."""
    return np.dtype([("n", scalar, (3,)), ("f", scalar, (3,))], align=True)


class MuscleScratch(Bundle):
    """Scratch for one muscle at a time, and for sums over all of them."""

    present = fields.plain(np.int64)  # how many points the path has now, (1,)
    points = fields.scratch(point_work_dtype)  # those, one after another
    pieces = fields.scratch(piece_work_dtype)
    touched = fields.plain(np.int64)  # of the surfaces of one piece: is each touched, ...
    allowed = fields.plain(np.int64)  # ... and may it be?
    contacts = fields.numbers(3)  # where each is reached and left, in the world, (surfaces, 2, 3)
    spare = fields.scratch(piece_work_dtype)  # a piece over one of them
    nodes = fields.scratch(node_dtype)
    batches = fields.scratch(batch_dtype)  # nodes that networks place
    J = fields.numbers(3)  # how each dof of the muscle's span moves each node, (nodes, span, 3)
    accelerations = fields.numbers(2)  # of the nodes, less gravity, (nodes, 3)
    total = fields.numbers()  # the path's length, a jet
    belly = fields.numbers()  # of what stretches: where it begins, its length, and the inverse of that (belly.py)
    arms = fields.numbers()  # dl/dq over the span
    own = fields.numbers(2)  # sum of the muscles' M over the dofs that they span, lower triangle, (ndof, ndof)
    rigid = fields.scratch(base_sum_dtype)  # sums, by base
    matrix = fields.numbers(2)  # M of the whole model and its factor; empty if no muscle has mass
    given = fields.numbers()  # accelerations that are given, (ndof,)
    residual = fields.numbers()
    dropped = fields.numbers()
    flow = fields.numbers(2)  # how each dof moves the corners along a continuous mass, (corner, span)
    momenta = fields.scratch(momentum_dtype)  # by pair (base, dof): of the muscles on it under that dof


class MuscleArrays(Bundle):
    """The muscles of a model (packed.py) with scratch: what kernels take as `muscles`."""

    active = fields.whole_number()  # has any mass or tension?
    massive = fields.whole_number()  # has any mass?
    table = fields.records(muscle_dtype)
    points = fields.records(path_point_dtype)
    pieces = fields.records(piece_dtype)
    lumps = fields.records(lump_dtype)
    spans = fields.plain(span_dtype())
    moves = fields.plain(bool)
    params = fields.reals()
    inner = fields.plain(np.int64)
    pairs = fields.plain(pair_dtype())
    scratch = MuscleScratch
    drive = Drive


open_muscles = opener(MuscleArrays)


def muscle_arrays(model: Model, scalar: type) -> MuscleArrays:
    """The muscles of a model as kernels take them, with scratch of their own, for numbers of a type."""
    packed = model.muscles
    if len(packed):
        kinds, networks = packed.pieces["kind"], packed.pieces["network"]
        demand_surfaces(set(kinds[kinds >= 0].tolist()), set(kinds[networks >= 0].tolist()))
    if packed.several:
        demand_junctions()
    if packed.learned:
        evaluate.demand()
        bend.demand()
    demand_laws(set(packed.table["law"].tolist()) - {-1})
    if len(packed.hills):
        demand_curves(set(packed.hills["kind"].tolist()))
        for part in (pull, fill_activation_rates, stored_in):
            part.demand(scalar)
    tables = {key: getattr(packed, key) for key in MuscleArrays.fields if hasattr(packed, key) and key in ARRAYS}
    active = {"active": int(packed.active), "massive": int(packed.massive)}
    return MuscleArrays(scalar, **tables, **active, scratch=_muscle_scratch(model, scalar), drive=_drive(model, scalar))


def _drive(model: Model, scalar: type) -> Drive:
    """Room for states; nothing is excited."""
    packed, count = model.muscles, len(model.muscles.hills)
    return Drive(
        scalar,
        hills=packed.hills,
        reflexes=packed.reflexes,
        told=records(count, told_dtype(scalar)),
        **{key: np.zeros(model.nz, scalar) for key in ("z", "zdot", "base")},
        stage=np.zeros(2),
        excitation=np.zeros(count, scalar),
        curve=np.full(count, -1, np.int64),
        motions=np.zeros(1),
        heard=np.zeros(len(packed.reflexes)),
        delay=np.zeros((TERMS, TERMS + 1), scalar),
        controller=0,
    )


def muscles_of(space: Workspace) -> MuscleArrays:
    """The muscles of a workspace's model as kernels take them, made once and kept in the workspace."""
    if "muscles" not in space.made:
        space.made["muscles"] = muscle_arrays(space.model, space.scalar)
    return space.made["muscles"]


def _muscle_scratch(model: Model, scalar: type) -> MuscleScratch:
    packed, table = model.muscles, model.muscles.table
    most, widest = (int(max([0, *table[key]])) for key in ("points", "spans"))
    nodes = (2 * LINES + 1) * most + max(int(max([0, *table["lumps"]])), ARCS * most * GAUSS[-1])
    n, several = model.joint_dofs if packed.massive else 0, packed.several
    return MuscleScratch(
        scalar,
        present=np.zeros(1, np.int64),
        points=records(most, point_work_dtype(scalar)),
        pieces=records(most, piece_work_dtype(scalar)),
        touched=np.zeros(several, np.int64),
        allowed=np.zeros(several, np.int64),
        contacts=np.zeros((several, 2, 3), scalar),
        spare=records(min(several, 1), piece_work_dtype(scalar)),
        nodes=records(nodes, node_dtype(scalar)),
        batches=records(-(-nodes // BLOCK) + most if packed.learned else 0, batch_dtype(scalar)),
        J=np.zeros((nodes, widest, 3), scalar),
        accelerations=np.zeros((nodes, 3), scalar),
        total=np.zeros(3, scalar),
        belly=np.zeros(3, scalar),
        arms=np.zeros(widest, scalar),
        own=np.zeros((n, n), scalar),
        rigid=records(len(model.links) if packed.massive else 1, base_sum_dtype(scalar)),
        matrix=np.zeros((n, n), scalar),
        given=np.zeros(model.whole.ndof, scalar),
        residual=np.zeros(model.whole.ndof, scalar),
        dropped=np.zeros(model.whole.ndof, scalar),
        flow=np.zeros((most, widest), scalar),
        momenta=records(len(packed.pairs), momentum_dtype(scalar)),
    )
