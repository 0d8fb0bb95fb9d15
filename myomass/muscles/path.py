"""The path of one muscle: where it runs, and how it moves along a direction.

A direction is a degree of freedom, a link's twist, or the motion itself with its accelerations (gravity taken off).
`solve_path` finds the path's values once; then for each direction `along_...` says how points and surfaces move, and
`advance` what that does to lengths and lines. Material that sits at the distance s along the path (belly.py) lies at

    xi = (s - start) / length      of its piece, on a line x = A + xi B or on an arc of the surface.

A piece with a wrapped length w below eps l is blended with the straight one at equal fractions, x = x_straight + s
(x_wrapped - x_straight), s = smooth step of w/(eps l), or a network places its mass. Lengths stay exact with both.
"""

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
from ..spatial.jets import (
    fixed,
    fixed3,
    j_add,
    j_div,
    j_scale,
    jet,
    jet3,
    smooth_step,
    store_jet,
    v_add,
    v_dot,
    v_mul,
    v_sub,
    v_unit,
)
from .belly import measure
from .mass import COINCIDE, needs_direction
from .network.learned import is_learned, learned_jet, slide
from .points import extent, place_points
from .wrapping.base import ARC, ENTRY, EXIT, LENGTH, SPAN, START, WRAPPED, get, get3
from .wrapping.dispatch import (
    follow_surface,
    place_on_surface,
    point_on_surface,
    rates_on_surface,
    see_surface,
    solve_surface,
)


@kernel
def surface_between(first, end, pieces):
    """Number of the piece with the surface between two points, those between them being absent: the first with one."""
    for at in range(first, end):
        if pieces[at].kind >= 0:
            return at
    return first


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
    apart = sub(q, p)
    length = np.sqrt(dot(apart, apart))
    seen.length[0] = length if length.real > near else length * 0.0
    seen.inverse = 1.0 / seen.length[0] if seen.length[0].real > 0.0 else seen.length[0]


@kernel(unit=True)
def solve_path(muscle, q, work, muscles):
    """Find a path's points, pieces and length. Needs: poses of the links. Leaves: values (`needs_direction`: nan)."""
    pieces, params, scratch = muscles.pieces, muscles.params, muscles.scratch
    seen_points, seen = scratch.points, scratch.pieces
    count = place_points(muscle, q, work, muscles)
    so_far = seen_points[0].x[0, 0] * 0.0
    for j in range(count - 1):
        here, there = seen_points[j], seen_points[j + 1]
        seen[j].at = surface_between(here.at, there.at, pieces)
        near = COINCIDE * max(extent(here), extent(there))
        solve_piece(pieces[seen[j].at], work, params, load3(here.x[0]), load3(there.x[0]), near, seen[j])
        seen[j].start[0] = so_far
        so_far += seen[j].length[0]
        blend = seen[j].blend
        blend[0], blend[1], blend[2] = so_far * 0.0 + 1.0, so_far * 0.0, so_far * 0.0
        if muscle.blend > 0.0 and seen[j].arcs > 0:
            blend[0] = smooth_step(blend_fraction(seen[j], muscle.blend))[0]
    last = seen[count - 1]  # after the last point comes nothing
    last.at, last.arcs, last.learned = seen_points[count - 1].at, 0, 0
    measure(muscle, so_far, scratch)
    if so_far.real == 0.0 and needs_direction(muscle):
        for j in range(count - 1):
            seen[j].inverse = so_far * np.nan


@kernel
def blend_fraction(seen, eps):
    """w/(eps l) of a piece that touches its surface, a jet; from 1 on it is wholly wrapped."""
    return j_scale(1.0 / eps, j_div(get(seen.g, WRAPPED), get(seen.g, LENGTH)))


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


@kernel
def set_line(piece, k, A, B, second):
    """Write A and B, jets, of straight stretch k of a piece."""
    store_jet(piece.A[k], A, second)
    store_jet(piece.B[k], B, second)


@kernel
def advance_wrapped(kind, eps, params, p, q, piece, second):
    """Derivatives of length, blend and lines of a piece on its surface; without `second` the first ones alone."""
    a, b, g = into_frame(piece, p), into_frame(piece, q), piece.g
    store_jet(piece.a, a, second)
    store_jet(piece.b, b, second)
    if second:
        follow_surface(kind.kind, params, kind.at, a, b, g)
    else:
        rates_on_surface(kind.kind, params, kind.at, a, b, g)
    length, s = get(g, LENGTH), jet(piece.blend)
    piece.length[1], piece.length[2] = length[1], length[2]
    if s[0].real < 1.0:
        s = smooth_step(blend_fraction(piece, eps))
        piece.blend[1], piece.blend[2] = s[1], s[2]
    chord = v_sub(b, a)
    before, travelled = a, fixed(length[0] * 0.0)
    for k in range(piece.arcs + 1):
        arc = ARC + 8 * k
        after = get3(g, arc + ENTRY) if k < piece.arcs else b
        along, _ = v_unit(v_sub(after, before))
        A, B = v_sub(before, v_mul(travelled, along)), v_mul(length, along)
        if s[0].real < 1.0:
            A, B = v_add(a, v_mul(s, v_sub(A, a))), v_add(chord, v_mul(s, v_sub(B, chord)))
        set_line(piece, k, out_of_frame(piece, A, True), out_of_frame(piece, B, False), second)
        if k < piece.arcs:
            before, travelled = get3(g, arc + EXIT), j_add(get(g, arc + START), get(g, arc + SPAN))


@kernel(inline=False)
def look_again(kind, params, p, q, piece):
    """Derivatives of what a network is told of a piece. Needs: the path's direction."""
    a, b = into_frame(piece, p), into_frame(piece, q)
    store_jet(piece.a, a, True)
    store_jet(piece.b, b, True)
    see_surface(kind.kind, params, kind.at, a, b, piece.n)


@kernel(unit=True)
def advance(muscle, muscles):
    """First and second derivatives of all lengths and lines along the path's direction. Needs: that (`along_...`)."""
    pieces, params, scratch = muscles.pieces, muscles.params, muscles.scratch
    seen_points, seen, total = scratch.points, scratch.pieces, scratch.total
    so_far = fixed(total[0] * 0.0)
    for j in range(scratch.present[0] - 1):
        piece = seen[j]
        p, q = jet3(seen_points[j].x), jet3(seen_points[j + 1].x)
        if piece.arcs > 0:
            kind = pieces[piece.at]
            advance_wrapped(kind, muscle.blend, params, p, q, piece, True)
        else:
            apart = v_sub(q, p)
            square, inverse = v_dot(apart, apart), piece.inverse
            first = 0.5 * square[1] * inverse
            piece.length[1], piece.length[2] = first, (0.5 * square[2] - first * first) * inverse
            set_line(piece, 0, p, apart, True)
        if piece.learned > 0:
            look_again(pieces[piece.at], params, p, q, piece)
        piece.start[1], piece.start[2] = so_far[1], so_far[2]
        so_far = j_add(so_far, jet(piece.length))
    total[1], total[2] = so_far[1], so_far[2]


@kernel(unit=True)
def advance_rates(muscle, muscles):
    """First derivatives of all lengths and lines. Needs: `advance` along any direction, a new one (`along_...`)."""
    pieces, params, scratch = muscles.pieces, muscles.params, muscles.scratch
    seen_points, seen, total = scratch.points, scratch.pieces, scratch.total
    so_far = total[0] * 0.0
    for j in range(scratch.present[0] - 1):
        piece = seen[j]
        if piece.arcs > 0:
            kind = pieces[piece.at]
            p, q = jet3(seen_points[j].x), jet3(seen_points[j + 1].x)
            advance_wrapped(kind, muscle.blend, params, p, q, piece, False)
        else:
            v = load3(seen_points[j].x[1])
            apart = sub(load3(seen_points[j + 1].x[1]), v)
            store3(piece.A[0, 1], v)
            store3(piece.B[0, 1], apart)
            piece.length[1] = dot(load3(piece.B[0, 0]), apart) * piece.inverse
        if piece.learned > 0:
            p, q = jet3(seen_points[j].x), jet3(seen_points[j + 1].x)
            look_again(pieces[piece.at], params, p, q, piece)
        piece.start[1] = so_far
        so_far += piece.length[1]
    total[1] = so_far


@kernel
def arc_place(node, muscle, muscles):
    """(place, velocity) of a node on an arc, in the world. Needs: `advance` or `advance_rates`."""
    pieces, params, scratch = muscles.pieces, muscles.params, muscles.scratch
    piece, total = scratch.pieces[node.piece], scratch.total
    kind = pieces[piece.at]
    xi, dxi = node.xi, slide(node, piece, total)[0]
    x, v = place_on_surface(kind.kind, params, kind.at, node.arc, piece.g, (xi, dxi, dxi * 0.0))
    s, ds = piece.blend[0], piece.blend[1]
    if s.real < 1.0:
        a, da = load3(piece.a[0]), load3(piece.a[1])
        along, dalong = sub(load3(piece.b[0]), a), sub(load3(piece.b[1]), da)
        straight, drift = add_scaled(a, xi, along), add_scaled(add_scaled(da, xi, dalong), dxi, along)
        x, v = sub(x, straight), sub(v, drift)
        v = add(drift, add_scaled(scale(s, v), ds, x))
        x = add_scaled(straight, s, x)
    R = load33(piece.R)
    rho = mul(R, x)
    return add(rho, load3(piece.c[0])), add(add(mul(R, v), cross(load3(piece.w), rho)), load3(piece.c[1]))


@kernel
def arc_jet(node, muscle, muscles):
    """Place, velocity and acceleration of a node on an arc, in the world: a jet. Needs: `advance`."""
    pieces, params, scratch = muscles.pieces, muscles.params, muscles.scratch
    piece, total = scratch.pieces[node.piece], scratch.total
    kind = pieces[piece.at]
    first, second = slide(node, piece, total)
    xi = (node.xi, first, second)
    x = point_on_surface(kind.kind, params, kind.at, node.arc, piece.g, xi)
    s = jet(piece.blend)
    if s[0].real < 1.0:
        a, b = jet3(piece.a), jet3(piece.b)
        straight = v_add(a, v_mul(xi, v_sub(b, a)))
        x = v_add(straight, v_mul(s, v_sub(x, straight)))
    return out_of_frame(piece, x, True)


@kernel
def node_place(node, muscle, muscles):
    """(place, velocity) in the world of a node, its alpha constant. Needs: `advance` or `advance_rates`."""
    piece = muscles.scratch.pieces[node.piece]
    if is_learned(node):
        x, v, _ = out_of_frame(piece, learned_jet(node, muscle, muscles, False), True)
        return x, v
    if node.line < 0:
        return arc_place(node, muscle, muscles)
    A, B = piece.A[node.line], piece.B[node.line]
    rate, along = slide(node, piece, muscles.scratch.total)[0], load3(B[0])
    v = add_scaled(add_scaled(load3(A[1]), node.xi, load3(B[1])), rate, along)
    return add_scaled(load3(A[0]), node.xi, along), v


@kernel
def node_jet(node, muscle, muscles):
    """Place, velocity and acceleration in the world of a node: a jet. Needs: `advance`, `bend_nodes`."""
    piece = muscles.scratch.pieces[node.piece]
    if is_learned(node):
        return out_of_frame(piece, learned_jet(node, muscle, muscles, True), True)
    if node.line < 0:
        return arc_jet(node, muscle, muscles)
    xi = (node.xi, *slide(node, piece, muscles.scratch.total))
    return v_add(jet3(piece.A[node.line]), v_mul(xi, jet3(piece.B[node.line])))


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
