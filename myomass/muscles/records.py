"""Scratch of muscles: a record for every point, piece and mass node of the one path that is being looked at.

Jets (value, first and second derivative along a direction) are kept as rows: x[0] is the place, x[1] how it moves.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ..joints.records import records
from ..model import Model
from .network.perceptron import BLOCK, room_dtype
from .network.table import COLUMNS as SEEN
from .wrapping.base import ARCS, COLUMNS
from .wrapping.dispatch import surface_addresses

LINES = ARCS + 1  # straight stretches of a piece, at most
GAUSS = (4, 6, 8, 12)  # nodes on an arc that carries a continuous mass, the more the further it turns
TURNS = (0.4, 1.5, 3.1)  # [rad] up to which the first, second and third suffice for ten digits


@cache
def point_work_dtype(scalar: type) -> np.dtype:
    """A path point: its jet in the world, its place from its link's origin, and how a coordinate moves it there."""
    return np.dtype(
        [("x", scalar, (3, 3)), ("offset", scalar, (3,)), ("slope", scalar, (3,)), ("bend", scalar, (3,))], align=True
    )


@cache
def piece_work_dtype(scalar: type) -> np.dtype:
    """A piece: the frame of its surface and how that moves, its solved path, and jets of its lengths and lines."""
    return np.dtype(
        [
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
    """A mass on the path: its piece, the line (or, if that is -1, the arc) that it is on, and its motion.

    Both are -1 where a network places it.
    """
    return np.dtype(
        [
            ("piece", "i8"),
            ("line", "i8"),
            ("arc", "i8"),
            ("room", "i8"),  # where a network keeps what it found,
            ("seat", "i8"),  # and its place there
            ("alpha", scalar),  # fraction of the path
            ("xi", scalar),  # and of the piece
            ("inverse", scalar),  # of the piece's length
            ("mass", scalar),
            ("x", scalar, (3,)),  # from the origin of the base [m]
            ("stretch", scalar),  # of the flow round a corner (dynamics.py)
        ],
        align=True,
    )


@cache
def base_load_dtype(scalar: type) -> np.dtype:
    """All that muscles put on a base: mass, first moment and inertia about its origin, and a wrench."""
    return np.dtype(
        [("m", scalar), ("c", scalar, (3,)), ("A", scalar, (6,)), ("n", scalar, (3,)), ("f", scalar, (3,))], align=True
    )


@cache
def momentum_dtype(scalar: type) -> np.dtype:
    """Angular momentum about a base's origin, and momentum."""
    return np.dtype([("n", scalar, (3,)), ("f", scalar, (3,))], align=True)


class Scratch(NamedTuple):
    """Room for one muscle at a time, and for what is summed up of all."""

    points: np.ndarray  # records of point_work_dtype
    pieces: np.ndarray  # records of piece_work_dtype
    nodes: np.ndarray  # records of node_dtype
    rooms: np.ndarray  # records of room_dtype, blocks of nodes
    J: np.ndarray  # how each dof of the muscle's span moves each node, (nodes, span, 3)
    accelerations: np.ndarray  # of the nodes, less gravity
    total: np.ndarray  # the path's length, a jet, and its inverse
    arms: np.ndarray  # dl/dq over the span
    own: np.ndarray  # sum of the muscles' M over the dofs that they span, lower triangle, (ndof, ndof)
    rigid: np.ndarray  # records of load_dtype, by base
    matrix: np.ndarray  # M of the whole model and its factor; empty if no muscle has mass
    vectors: np.ndarray  # rows of one number per dof
    flow: np.ndarray  # how each dof moves the corners along a continuous mass, (corner, span)
    momenta: np.ndarray  # records of momentum_dtype, by pair (base, dof): of the muscles on it under that dof


class MuscleArrays(NamedTuple):
    """The muscles of a model (packed.py) with scratch: what kernels take as `muscles`."""

    table: np.ndarray
    points: np.ndarray
    pieces: np.ndarray
    lumps: np.ndarray
    spans: np.ndarray
    moves: np.ndarray
    params: np.ndarray
    inner: np.ndarray
    pairs: np.ndarray
    addresses: np.ndarray  # of the surfaces' kernels (wrapping/dispatch.py)
    scratch: Scratch


def muscle_arrays(model: Model, scalar: type) -> MuscleArrays:
    """`muscles` for kernels, with scratch of their own, for numbers of a type."""
    packed, table = model.muscles, model.muscles.table
    most, widest = (int(max([1, *table[key]])) for key in ("points", "spans"))
    nodes = (2 * LINES + 1) * most + max(int(max([0, *table["lumps"]])), ARCS * most * GAUSS[-1])
    n = model.ndof if packed.massive else 0
    scratch = Scratch(
        records(most, point_work_dtype(scalar)),
        records(most, piece_work_dtype(scalar)),
        records(nodes, node_dtype(scalar)),
        records(-(-nodes // BLOCK) + most if packed.learned else 1, room_dtype(scalar)),
        np.zeros((nodes, widest, 3), scalar),
        np.zeros((nodes, 3), scalar),
        np.zeros(4, scalar),
        np.zeros(widest, scalar),
        np.zeros((n, n), scalar),
        records(len(model.links) if n else 1, base_load_dtype(scalar)),
        np.zeros((n, n), scalar),
        np.zeros((3, model.ndof), scalar),
        np.zeros((most, widest), scalar),
        records(len(packed.pairs), momentum_dtype(scalar)),
    )
    kinds, networks = packed.pieces["kind"], packed.pieces["network"]
    addresses = surface_addresses(kinds, networks, scalar, packed.params.dtype.type)
    return MuscleArrays(*(getattr(packed, key) for key in MuscleArrays._fields[:-2]), addresses, scratch)
