"""Where the points of a path are, which of them it has now, and how points and surfaces move along a direction.

A point whose place is a function of coordinates, x, y, z each of its own, lies at p + R sum e_k f_k(q_k) on its link. A
conditional point is part of the path while its coordinate is within a range, ends included; where it is not, the path
goes from the point before it to the one after it. Scratch has the points that are there, one after another; `at` says
which of the model's points each of them is. A junction stands between two surfaces of one piece (junctions.py): rows of
the model keep its place, and a path has it while both are touched.
"""

from .._jit import kernel
from ..spatial.algebra import add, add_scaled, cross, load3, load33, matmul, mul, scale, store3, sub
from ..spatial.motion import curve_at

JUNCTION = -2  # in the place of the coordinate of a conditional point


@kernel
def is_present(point, q):
    """True if a point that was given is part of its path at q."""
    return point.gate == -1 or (point.gate >= 0 and point.low <= q[point.gate].real <= point.high)


@kernel
def moves_by_itself(point):
    """True if a point's place on its link is a function of coordinates."""
    return point.dof[0] >= 0 or point.dof[1] >= 0 or point.dof[2] >= 0


@kernel
def slides_with(point, dof):
    """True if a point's place on its link is a function of this degree of freedom."""
    return point.dof[0] == dof or point.dof[1] == dof or point.dof[2] == dof


@kernel
def slope_by(point, seen, dof):
    """How a point moves on its link with a degree of freedom, in world axes. Needs: `place_points`."""
    o = seen.x[0, 0] * 0.0
    total = (o, o, o)
    for k in range(3):
        if point.dof[k] == dof:
            total = add(total, load3(seen.slope[k]))
    return total


@kernel(inline=False)
def shift_point(point, q, params, R, seen):
    """Offset of a path point that moves with coordinates, in world axes; keeps its derivatives by them in `seen`."""
    turned, o = matmul(R, load33(point.R)), q[0] * 0.0
    offset = (o, o, o)
    for k in range(3):
        axis = (turned[0][k], turned[1][k], turned[2][k])
        store3(seen.slope[k], (o, o, o))
        store3(seen.bend[k], (o, o, o))
        if point.dof[k] >= 0:
            f, slope, bend = curve_at(params, point.at[k], q[point.dof[k]])
            offset = add_scaled(offset, f, axis)
            store3(seen.slope[k], scale(slope, axis))
            store3(seen.bend[k], scale(bend, axis))
    return offset


@kernel
def place_point(point, q, params, here, seen):
    """Write the place of a path point into `seen`. Needs: pose of its link."""
    R = load33(here.R)
    offset = mul(R, load3(point.p))
    if moves_by_itself(point):
        offset = add(offset, shift_point(point, q, params, R, seen))
    store3(seen.offset, offset)
    store3(seen.x[0], add(load3(here.x), offset))


@kernel
def place_points(muscle, q, work, muscles):
    """Place the points that a path has now; returns how many. Needs: poses of the links."""
    points, params, scratch = muscles.points, muscles.params, muscles.scratch
    count = 0
    for at in range(muscle.point, muscle.point + muscle.points):
        if is_present(points[at], q):
            place_point(points[at], q, params, work[points[at].link], scratch.points[count])
            scratch.points[count].at = at
            count += 1
    scratch.present[0] = count
    return count


@kernel
def extent(seen):
    """The largest coordinate of a path point in the world, or from its link's origin [m]: what rounding goes by."""
    x, d = load3(seen.x[0]), load3(seen.offset)
    return max(abs(x[0].real), abs(x[1].real), abs(x[2].real), abs(d[0].real), abs(d[1].real), abs(d[2].real))


@kernel
def along_twist(here, s_w, s_v, moved, moved_surface, seen_points, seen, j):
    """First derivatives of point j and of the surface after it, each if moved, under a twist (s_w, s_v) of a link."""
    o = s_w[0] * 0.0
    still = (o, o, o)
    x = seen_points[j].x
    store3(x[1], add(s_v, cross(s_w, sub(load3(x[0]), load3(here.x)))) if moved else still)
    piece = seen[j]
    if piece.arcs > 0 or piece.learned > 0:
        store3(piece.w, s_w if moved_surface else still)
        offset = sub(load3(piece.c[0]), load3(here.x))
        store3(piece.c[1], add(s_v, cross(s_w, offset)) if moved_surface else still)


@kernel
def along_body(link, here, twist, muscles):
    """Set the path's direction to a twist = (s_w, s_v) of a link alone. Needs: pose of the link, `solve_path`."""
    points, pieces, scratch = muscles.points, muscles.pieces, muscles.scratch
    for j in range(scratch.present[0]):
        piece = pieces[scratch.pieces[j].at]
        moved = points[scratch.points[j].at].link == link
        on_body = piece.kind >= 0 and piece.link == link
        along_twist(here, twist[0], twist[1], moved, on_body, scratch.points, scratch.pieces, j)


@kernel
def along_dof(muscle, s, tree, muscles):
    """Set the path's direction to dof number s of its span. Needs: poses and columns of the links, `solve_path`."""
    points, spans, moves, scratch = muscles.points, muscles.spans, muscles.moves, muscles.scratch
    work, dofs = tree.work, tree.dofs
    span = spans[muscle.span + s]
    here, s_w, s_v = work[span.link], load3(dofs[span.dof].s_w), load3(dofs[span.dof].s_v)
    seen_points, seen = scratch.points, scratch.pieces
    first = muscle.moves + 2 * muscle.points * s - muscle.point  # of points; of surfaces:
    second = first + muscle.points
    for j in range(scratch.present[0]):
        at = seen_points[j].at
        along_twist(here, s_w, s_v, moves[first + at], moves[second + seen[j].at], seen_points, seen, j)
        if slides_with(points[at], span.dof):
            x = seen_points[j].x[1]
            store3(x, add(load3(x), slope_by(points[at], seen_points[j], span.dof)))


@kernel
def along_motion(qdot, qddot, work, muscles):
    """Set the path's direction to the motion. Needs: twists and accelerations of the links, `solve_path`."""
    points, pieces, scratch = muscles.points, muscles.pieces, muscles.scratch
    count = scratch.present[0]
    for j in range(count):
        seen = scratch.points[j]
        point = points[seen.at]
        here = work[point.link]
        w, offset = load3(here.w), load3(seen.offset)
        v = add(load3(here.v), cross(w, offset))
        a = add(add(load3(here.a_v), cross(load3(here.a_w), offset)), cross(w, v))
        for k in range(3):
            if point.dof[k] >= 0:
                rate, slope = qdot[point.dof[k]], load3(seen.slope[k])
                own = add_scaled(cross(w, slope), 0.5 * rate, load3(seen.bend[k]))
                a = add_scaled(add_scaled(a, qddot[point.dof[k]], slope), 2.0 * rate, own)
                v = add_scaled(v, rate, slope)
        store3(seen.x[1], v)
        store3(seen.x[2], a)
        piece = scratch.pieces[j]
        if j + 1 < count and (piece.arcs > 0 or piece.learned > 0):
            here = work[pieces[piece.at].link]
            w, offset = load3(here.w), sub(load3(piece.c[0]), load3(here.x))
            v = add(load3(here.v), cross(w, offset))
            store3(piece.w, w)
            store3(piece.wdot, load3(here.a_w))
            store3(piece.c[1], v)
            store3(piece.c[2], add(add(load3(here.a_v), cross(load3(here.a_w), offset)), cross(w, v)))
