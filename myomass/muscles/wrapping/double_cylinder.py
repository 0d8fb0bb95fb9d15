"""Two cylinders, wrapped one after the other, with a straight bridge between: a common tangent line in space.

bridge.py finds the bridge.

After B. A. Garner and M. G. Pandy, The obstacle-set method for representing muscle paths in musculoskeletal models,
Computer Methods in Biomechanics and Biomedical Engineering 3 (2000).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import kernel
from ...spatial.algebra import load3
from ...spatial.brief import brief
from ...spatial.checks import check_positive
from ...spatial.jets import fixed3, j_add, j_mul, j_sub
from .base import ARC, ENTRY, EXIT, LENGTH, PRIVATE, SHAPE, SIDE, SIDED, SPAN, START, TURN, WRAPPED, Solid, Surface, get
from .bridge import BOTH, FIRST, LAST, NONE, choose_case, into_first, into_second, linearise, residual, strings
from .cylinder import Cylinder
from .helix import HELIX, on_helix, put_all, put_all3, put_helix, string

SECOND = SHAPE + 1  # where params keep the second cylinder, as a cylinder's own
FRAME = SECOND + SHAPE + 1  # and the rotation (by rows) and origin of its frame in the first's
CASE, SENSE, PLACE, INVERSE = PRIVATE, PRIVATE + 1, PRIVATE + 3, PRIVATE + 5
ON_FIRST = PRIVATE + 9


@kernel
def rotation(params, at):
    """Rotation matrix of the second frame in the first."""
    k = at + FRAME
    return load3(params[k : k + 3]), load3(params[k + 3 : k + 6]), load3(params[k + 6 : k + 9])


@kernel
def geometry(params, at):
    """(both radii, rotation and origin of the second frame)."""
    k = at + FRAME + 9
    return params[at + SHAPE], params[at + SECOND + SHAPE], rotation(params, at), load3(params[k : k + 3])


@kernel
def real_geometry(params, at):
    """(both radii, rotation and origin of the second frame), in real numbers."""
    r_1, r_2, (x, y, z), o = geometry(params, at)
    return r_1.real, r_2.real, (real3(x), real3(y), real3(z)), real3(o)


@kernel
def real3(v):
    """The real part of a vector."""
    return (v[0].real, v[1].real, v[2].real)


@kernel
def improve(g, order, x, z):
    """Subtract from a derivative of y, of some order, what cancels that derivative of the residual (x, z)."""
    g[order, PLACE] -= g[0, INVERSE] * x + g[0, INVERSE + 1] * z
    g[order, PLACE + 1] -= g[0, INVERSE + 2] * x + g[0, INVERSE + 3] * z


@kernel
def put_arc(g, arc, sense, start, wound, entry, exit_):
    """Write an arc into the table, from its string and its ends in the first frame."""
    put_all(g, ARC + 8 * arc + START, start)
    put_all(g, ARC + 8 * arc + SPAN, wound[3])
    put_all3(g, ARC + 8 * arc + ENTRY, entry)
    put_all3(g, ARC + 8 * arc + EXIT, exit_)
    put_helix(g, ON_FIRST + HELIX * arc, wound[0], wound[5], wound[6])
    g[0, TURN] += wound[3][0] * wound[5][0] * sense


@kernel(inline=False)
def trace(params, at, a, b, g):
    """Write the path into the table."""
    shape, senses, case = geometry(params, at), (g[0, SENSE], g[0, SENSE + 1]), int(g[0, CASE].real)
    g[0, TURN] = 0.0
    end = into_second(shape, b)
    if case == BOTH:
        first, last, _ = strings(shape, senses, a, end, get(g, PLACE), get(g, PLACE + 1))
        reach = j_add(j_add(first[2], first[3]), first[4])
        put_arc(g, 0, senses[0], first[2], first, first[0], first[1])
        put_arc(g, 1, senses[1], reach, last, into_first(shape, last[0]), into_first(shape, last[1]))
        put_all(g, WRAPPED, j_add(first[3], last[3]))
        put_all(g, LENGTH, j_add(reach, j_add(last[3], last[4])))
        return
    if case == FIRST:
        wound = string(shape[0], senses[0], a, b)
        put_arc(g, 0, senses[0], wound[2], wound, wound[0], wound[1])
    else:
        wound = string(shape[1], senses[1], into_second(shape, a), end)
        put_arc(g, 0, senses[1], wound[2], wound, into_first(shape, wound[0]), into_first(shape, wound[1]))
    put_all(g, WRAPPED, wound[3])
    put_all(g, LENGTH, j_add(j_add(wound[2], wound[3]), wound[4]))


@kernel(entry=True)
def solve(params, at, a, b, g):
    """Find which cylinders are touched in real numbers, then take two steps of Newton's method in those of any type."""
    sides = (params[at + SIDED].real, params[at + SIDE].real, params[at + SIDE + 1].real)
    k = at + SECOND
    sides_2 = (params[k + SIDED].real, params[k + SIDE].real, params[k + SIDE + 1].real)
    case, first, last, angle, height = choose_case(real_geometry(params, at), sides, sides_2, real3(a), real3(b))
    if case == NONE:
        return 0
    g[0, CASE], g[0, SENSE], g[0, SENSE + 1], g[0, PLACE], g[0, PLACE + 1] = case, first, last, angle, height
    for order in range(1, 3):
        g[order, PLACE] = g[order, PLACE + 1] = 0.0
    if case == BOTH:
        shape, senses = geometry(params, at), (g[0, SENSE], g[0, SENSE + 1])
        start, end = fixed3(a), into_second(shape, fixed3(b))
        for _ in range(2):
            e, D = linearise(shape, senses, start, end, g[0, PLACE], g[0, PLACE + 1])
            g[0, INVERSE], g[0, INVERSE + 1], g[0, INVERSE + 2], g[0, INVERSE + 3] = D
            improve(g, 0, e[0], e[2])
    trace(params, at, fixed3(a), fixed3(b), g)
    return 2 if case == BOTH else 1


@kernel(entry=True)
def follow(params, at, a, b, g):
    """Derivatives of the path: first of y, by implicit differentiation, then of the rest."""
    if g[0, CASE].real == BOTH:
        shape, senses = geometry(params, at), (g[0, SENSE], g[0, SENSE + 1])
        end = into_second(shape, b)
        for order in range(1, 3):
            g[order, PLACE] = g[order, PLACE + 1] = 0.0
        for order in range(1, 3):
            x, _, z = residual(shape, senses, a, end, get(g, PLACE), get(g, PLACE + 1))
            improve(g, order, x[1] if order == 1 else x[2], z[1] if order == 1 else z[2])
    trace(params, at, a, b, g)


@kernel
def arc_point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi, on the helix about one axis or the other."""
    along = j_sub(j_mul(xi, get(g, LENGTH)), get(g, ARC + 8 * arc + START))
    x = on_helix(g, ON_FIRST + HELIX * arc, along)
    if arc == 1 or g[0, CASE].real == LAST:
        return into_first(geometry(params, at), x)
    return x


@kernel(entry=True)
def point(params, at, arc, g, xi):
    """The jet of the place at the fraction xi of the piece."""
    return arc_point(params, at, arc, g, xi)


@kernel(entry=True)
def place(params, at, arc, g, xi):
    """(place, velocity) at the fraction xi of the piece; the compiler drops the second derivative."""
    x, v, _ = arc_point(params, at, arc, g, xi)
    return x, v


@brief
@dataclass(eq=False)
class DoubleCylinder(Surface):
    """Two cylinders, the first about the z axis of the surface's frame, radius in m; the path reaches it first.

    `second` is a Cylinder whose E_bs is its frame in the first's; it is fixed to the same body. Each has its own side;
    the senses of turning about both are chosen by the ends of the piece. Between them the path is straight. Sides are
    not held: `hold` of the second does not count.
    """

    radius: float = 1.0
    second: Cylinder | None = None
    side: Sequence[float] | None = None
    solve: ClassVar = solve
    follow: ClassVar = follow
    point: ClassVar = point
    place: ClassVar = place

    def shape(self) -> list[float]:
        """The radius [m]; the second cylinder's numbers; its frame's rotation by rows, and origin."""
        if not isinstance(self.second, Cylinder):
            raise ValueError(f"second must be a Cylinder, with E_bs its frame in the first's, and is {self.second!r}")
        if self.second.body not in (None, self.body):
            raise ValueError(f"second is fixed to the first's body, {self.body!r}, and names {self.second.body!r}")
        E = self.second.frame()
        radius = check_positive(self.radius, "radius [m]")
        return [radius, *self.second.parameters(), *E[:3, :3].ravel().tolist(), *E[:3, 3].tolist()]

    @staticmethod
    def solids(shape: np.ndarray) -> list[Solid]:
        """Two cylinders without ends."""
        E = np.eye(4)
        E[:3, :3], E[:3, 3] = shape[6:15].reshape(3, 3), shape[15:18]
        return [("cylinder", np.eye(4), (shape[0], np.inf)), ("cylinder", E, (shape[5], np.inf))]

    def gap(self, x: np.ndarray) -> float:
        """Distance of a point from the nearer surface [m], negative inside."""
        E = self.second.frame()
        first = float(np.hypot(x[0], x[1]) - self.radius)
        return min(first, self.second.gap(E[:3, :3].T @ (x - E[:3, 3])))

    def check_side(self, side: np.ndarray) -> None:
        """Raise a ValueError if the side is on the axis."""
        if not side[:2].any():
            raise ValueError("side is on the first cylinder's axis; give a point that says which way to go")
