"""One piece of a path, between two places: its arcs on a surface, its length, and the directions at its ends."""

import numpy as np

from .._jit import kernel
from ..spatial.algebra import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    matmul,
    mul,
    mul_T,
    scale,
    store3,
    store33,
    sub,
)
from ..spatial.jets import fixed3, jet3, v_add, v_sub, v_unit
from .wrapping.base import ARC, ENTRY, EXIT, LENGTH, get3
from .wrapping.dispatch import follow_surface, rates_on_surface, see_surface, solve_surface


@kernel
def surface_between(first, end, pieces):
    """Number of the piece with the surface between two points, those between them being absent: the first with one."""
    for at in range(first, end):
        if pieces[at].kind >= 0:
            return at
    return first


@kernel
def measure_straight(p, q, near, seen):
    """Write the length of a straight piece between p and q, none if they are as `near` as that."""
    apart = sub(q, p)
    length = np.sqrt(dot(apart, apart))
    seen.length[0] = length if length.real > near else length * 0.0
    seen.inverse = 1.0 / seen.length[0] if seen.length[0].real > 0.0 else seen.length[0]


@kernel
def solve_piece(piece, work, params, p, q, near, seen):
    """Find a piece's arcs and its length between p and q, one place if `near`. Needs: pose of its surface's link."""
    seen.arcs = seen.learned = 0
    if piece.kind >= 0:
        here = work[piece.link]
        R = load33(here.R)
        c = add(load3(here.x), mul(R, load3(piece.p)))
        R = matmul(R, load33(piece.R))
        a, b = mul_T(R, sub(p, c)), mul_T(R, sub(q, c))
        seen.arcs = solve_surface(piece.kind, params, piece.at, a, b, seen.g)
        if piece.network >= 0:
            seen.learned = see_surface(piece.kind, params, piece.at, fixed3(a), fixed3(b), seen.n)
        if seen.arcs > 0 or seen.learned > 0:
            store33(seen.R, R)
            store3(seen.c[0], c)
            store3(seen.a[0], a)
            store3(seen.b[0], b)
        if seen.arcs > 0:
            seen.length[0] = seen.g[0, LENGTH]
            seen.inverse = 1.0 / seen.length[0]
            return
    measure_straight(p, q, near, seen)


@kernel
def into_frame(piece, x):
    """The jet of a place in the world, seen in the frame of a piece's surface."""
    R, w, rho = load33(piece.R), load3(piece.w), sub(x[0], load3(piece.c[0]))
    turning = cross(w, rho)
    v = sub(sub(x[1], load3(piece.c[1])), turning)
    a = sub(sub(x[2], load3(piece.c[2])), add(cross(load3(piece.wdot), rho), cross(w, turning)))
    return (mul_T(R, rho), mul_T(R, v), mul_T(R, add_scaled(a, -2.0, cross(w, v))))


@kernel
def out_of_frame(piece, x, as_place):
    """The jet of a place (or of a mere vector) in the frame of a piece's surface, seen in the world."""
    R, w = load33(piece.R), load3(piece.w)
    rho, v = mul(R, x[0]), mul(R, x[1])
    turning = cross(w, rho)
    a = add_scaled(mul(R, x[2]), 2.0, cross(w, v))
    a = add(a, add(cross(load3(piece.wdot), rho), cross(w, turning)))
    y = (rho, add(v, turning), a)
    return v_add(y, jet3(piece.c)) if as_place else y


@kernel(inline=False)
def end_tangents(piece, p, q):
    """Unit tangents of a piece at its ends, the places p and q, in the world. Needs: `solve_path`."""
    if piece.arcs == 0:
        t = scale(piece.inverse, sub(q, p))
        return t, t
    R, g = load33(piece.R), piece.g
    last = ARC + 8 * (piece.arcs - 1)
    first, _ = v_unit((sub(get3(g, ARC + ENTRY)[0], load3(piece.a[0])), load3(piece.a[0]), load3(piece.a[0])))
    final, _ = v_unit((sub(load3(piece.b[0]), get3(g, last + EXIT)[0]), load3(piece.a[0]), load3(piece.a[0])))
    return mul(R, first[0]), mul(R, final[0])


@kernel
def tangent_jets(seen, p, q, second, muscles):
    """Unit tangents of a solved piece at its ends, in the world, jets as those of the ends p and q.

    Without `second` their first derivatives alone are right. Needs: how the surface moves.
    """
    if seen.arcs == 0:
        t, _ = v_unit(v_sub(q, p))
        return t, t
    kind, g = muscles.pieces[seen.at], seen.g
    a, b = into_frame(seen, p), into_frame(seen, q)
    if second:
        follow_surface(kind.kind, muscles.params, kind.at, a, b, g)
    else:
        rates_on_surface(kind.kind, muscles.params, kind.at, a, b, g)
    first, _ = v_unit(v_sub(get3(g, ARC + ENTRY), a))
    final, _ = v_unit(v_sub(b, get3(g, ARC + 8 * (seen.arcs - 1) + EXIT)))
    return out_of_frame(seen, first, False), out_of_frame(seen, final, False)
