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
from ..spatial.algebra import add, add_scaled, cross, dot, load3, load33, mul, scale, store3, sub
from ..spatial.jets import (
    fixed,
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
from .junctions import LEAD, SOLVE, surfaces_on
from .mass import COINCIDE, needs_direction
from .network.learned import is_learned, learned_jet, slide
from .pieces import into_frame, out_of_frame, solve_piece, surface_between
from .points import JUNCTION, extent, place_point, place_points
from .wrapping.base import ARC, ENTRY, EXIT, LENGTH, SPAN, START, WRAPPED, get, get3
from .wrapping.dispatch import follow_surface, place_on_surface, point_on_surface, rates_on_surface, see_surface

lead_junctions, solve_several = LEAD.call, SOLVE.call


@kernel(inline=False)
def move_points(muscle, first, by, q, work, muscles):
    """Place the points that a path has from number `first` on `by` numbers further along."""
    points, seen, count = muscles.points, muscles.scratch.points, muscles.scratch.present[0]
    for step in range(count - first):
        j = count - 1 - step if by > 0 else first + step
        at = seen[j].at
        place_point(points[at], q, muscles.params, work[points[at].link], seen[j + by])
        seen[j + by].at = at
    muscles.scratch.present[0] = count + by


@kernel
def solve_between(muscle, j, q, work, muscles):
    """Solve what lies between points j and j + 1, which junctions may come between; returns into how many it falls."""
    pieces, points, scratch = muscles.pieces, muscles.points, muscles.scratch
    here, there = scratch.points[j], scratch.points[j + 1]
    at, near = surface_between(here.at, there.at, pieces), COINCIDE * max(extent(here), extent(there))
    start, end = load3(here.x[0]), load3(there.x[0])
    if points[at + 1].gate != JUNCTION:
        scratch.pieces[j].at = at
        solve_piece(pieces[at], work, muscles.params, start, end, near, scratch.pieces[j])
        return 1
    more = surfaces_on(at, points) - 1
    move_points(muscle, j + 1, more, q, work, muscles)
    count = solve_several(0, at, j, start, end, near, work, muscles)
    move_points(muscle, j + 1 + more, count - 1 - more, q, work, muscles)
    return count


@kernel(unit=True)
def solve_path(muscle, q, work, muscles):
    """Find a path's points, pieces and length. Needs: poses of the links. Leaves: values (`needs_direction`: nan)."""
    scratch = muscles.scratch
    seen_points, seen = scratch.points, scratch.pieces
    place_points(muscle, q, work, muscles)
    so_far = seen_points[0].x[0, 0] * 0.0
    j = 0
    while j < scratch.present[0] - 1:
        count = solve_between(muscle, j, q, work, muscles)
        for _ in range(count):
            seen[j].start[0] = so_far
            so_far += seen[j].length[0]
            blend = seen[j].blend
            blend[0], blend[1], blend[2] = so_far * 0.0 + 1.0, so_far * 0.0, so_far * 0.0
            if muscle.blend > 0.0 and seen[j].arcs > 0 and count == 1:
                blend[0] = smooth_step(blend_fraction(seen[j], muscle.blend))[0]
            j += 1
    last = seen[j]  # after the last point comes nothing
    last.at, last.arcs, last.learned = seen_points[j].at, 0, 0
    measure(muscle, so_far, scratch)
    if so_far.real == 0.0 and needs_direction(muscle):
        for i in range(j):
            seen[i].inverse = so_far * np.nan


@kernel
def blend_fraction(seen, eps):
    """w/(eps l) of a piece that touches its surface, a jet; from 1 on it is wholly wrapped."""
    return j_scale(1.0 / eps, j_div(get(seen.g, WRAPPED), get(seen.g, LENGTH)))


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


@kernel
def is_junction(j, muscles):
    """True if point j of a path stands between two surfaces of one piece. Needs: `solve_path`."""
    return muscles.points[muscles.scratch.points[j].at].gate == JUNCTION


@kernel
def lead_from(j, second, muscles):
    """Derivatives of the junctions after point j, if the first of several begins there. Needs: a direction."""
    if is_junction(j + 1, muscles) and not is_junction(j, muscles):
        end = j + 2
        while is_junction(end, muscles):
            end += 1
        lead_junctions(0, j, end - j, second, muscles)


@kernel(unit=True)
def advance(muscle, muscles):
    """First and second derivatives of all lengths and lines along the path's direction. Needs: that (`along_...`)."""
    pieces, params, scratch = muscles.pieces, muscles.params, muscles.scratch
    seen_points, seen, total = scratch.points, scratch.pieces, scratch.total
    so_far = fixed(total[0] * 0.0)
    for j in range(scratch.present[0] - 1):
        lead_from(j, True, muscles)
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
        lead_from(j, False, muscles)
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
