"""Several surfaces on one piece of a path, from p to q, in the order in which the path meets them.

Which of them it touches is found as one would pull the string taut: each surface in turn is solved alone, between the
places where the path leaves the one before and reaches the one after, until nothing moves; each turn shortens the path.

Then a junction is put on the straight stretch between every two that are touched, and the piece falls into pieces of
one surface each. The path is taut where it goes straight on at the junctions v: with the unit tangents that arrive
there and leave, and two directions e across the path,

    turn = (t_arrives - t_leaves) . e = 0,

the gradient of the length by v. Newton's method with its exact derivatives, blocks of two by two along a diagonal and
beside it, settles it to rounding. Where on its stretch a junction sits changes nothing, so it moves across alone; how,
along a direction, follows from the same blocks, one derivative at a time.
"""

import numpy as np
from numba.core import types

from .._jit import Choice, kernel
from ..spatial.algebra import add, add_scaled, cross, dot, load3, load33, mul, scale, store3, sub
from ..spatial.jets import fixed3, jet3
from .pieces import end_tangents, measure_straight, solve_piece, tangent_jets
from .points import JUNCTION
from .wrapping.base import ARC, ENTRY, EXIT, get3

SWEEPS, STEPS = 40, 15  # of taking surfaces in turn; of Newton's method
PLACES = (0.5, 0.5, 0.8, 0.2, 0.95, 0.05)  # of junctions on their stretches: where sides choose as from afar, by trial
ROUGH, FINER, FINEST = 1e-3, 1e-3, 1e-12  # of the path's size: what moves before Newton's method; for another try
NEAR, POLISH = 1e-7, 2  # a turn [rad] from which on so many more steps reach rounding


@kernel
def surfaces_on(at, points):
    """How many surfaces the piece has that starts at a row of the model's points (or could have: 1 for none)."""
    end = at + 1
    while points[end].gate == JUNCTION:
        end += 1
    return end - at


@kernel
def start_of(i, p, scratch):
    """Where the path leaves the last surface touched before number i of a piece, or the piece's start p."""
    for other in range(i - 1, -1, -1):
        if scratch.touched[other] > 0:
            return load3(scratch.contacts[other, 1])
    return p


@kernel
def end_of(i, q, scratch):
    """Where the path reaches the first surface touched after number i of a piece, or the piece's end q."""
    for other in range(i + 1, scratch.touched.shape[0]):
        if scratch.touched[other] > 0:
            return load3(scratch.contacts[other, 0])
    return q


@kernel
def contact(seen, end):
    """Where a piece reaches (end 0) or leaves (end 1) its surface, in the world. Needs: `solve_piece`, arcs."""
    column = ARC + 8 * (seen.arcs - 1) + EXIT if end else ARC + ENTRY
    return add(load3(seen.c[0]), mul(load33(seen.R), get3(seen.g, column)[0]))


@kernel
def distance(a, b):
    """Distance of two places, a plain number."""
    x = sub(a, b)
    return np.sqrt(x[0].real * x[0].real + x[1].real * x[1].real + x[2].real * x[2].real)


@kernel(inline=False)
def pull_over(i, rows, a, b, work, muscles):
    """Solve surface i alone from a to b and keep its contacts; returns by how much they moved, inf if they are new."""
    scratch = muscles.scratch
    spare, contacts, was = scratch.spare[0], scratch.contacts[i], scratch.touched[i]
    solve_piece(muscles.pieces[rows[0] + i], work, muscles.params, a, b, 0.0, spare)
    scratch.touched[i] = 1 if spare.arcs > 0 and spare.length[0].real > 0.0 else 0  # not nan
    if scratch.touched[i] == 0:
        return np.inf if was > 0 else 0.0
    entry, exit_ = contact(spare, 0), contact(spare, 1)
    moved = max(distance(entry, load3(contacts[0])), distance(exit_, load3(contacts[1])))
    store3(contacts[0], entry)
    store3(contacts[1], exit_)
    return moved if was > 0 else np.inf


@kernel(inline=False)
def pull_taut(rows, share, ends, work, muscles):
    """Solve all surfaces in turn, forth and back, until nothing moves by more than a share of the path's size.

    Returns whether that comes about. It does not where a side has no path, as on a ball that the path slips off: the
    surface that moves most is left out then.
    """
    scratch, worst, farthest = muscles.scratch, 0, 0.0
    for sweep in range(SWEEPS):
        most, size = 0.0, distance(ends[0], ends[1])
        for step in range(rows[1]):
            i = step if sweep % 2 == 0 else rows[1] - 1 - step
            if scratch.allowed[i] > 0:
                a, b = start_of(i, ends[0], scratch), end_of(i, ends[1], scratch)
                moved = pull_over(i, rows, a, b, work, muscles)
                if sweep >= SWEEPS - 2 and moved > farthest:
                    worst, farthest = i, moved
                most, size = max(most, moved), max(size, distance(a, ends[0]), distance(b, ends[1]))
        if not most > share * size:  # nan as well: an end that is nowhere
            return True
    scratch.allowed[worst], scratch.touched[worst] = 0, 0
    return False


@kernel(inline=False)
def lay_out(rows, base, share, muscles):
    """Number the pieces over the surfaces that are touched, and put junctions at a share of the way between them.

    Returns how many pieces there are.
    """
    scratch = muscles.scratch
    count, before = 0, 0
    for i in range(rows[1]):
        if scratch.touched[i] > 0:
            scratch.pieces[base + count].at = rows[0] + i
            if count > 0:
                leaves, reaches = load3(scratch.contacts[before, 1]), load3(scratch.contacts[i, 0])
                point = scratch.points[base + count]
                point.at = rows[0] + i
                store3(point.x[0], add_scaled(scale(1.0 - share, leaves), share, reaches))
                store3(point.offset, scale(0.0, leaves))
                set_across(point, sub(reaches, leaves))
            count, before = count + 1, i
    return count


@kernel
def set_across(point, along):
    """Give a junction two unit directions across the path, in real numbers."""
    x, y, z = along[0].real, along[1].real, along[2].real
    size = np.sqrt(x * x + y * y + z * z)
    t = (x / size, y / size, z / size)
    least = (1.0, 0.0, 0.0)
    if abs(t[1]) <= abs(t[0]) and abs(t[1]) <= abs(t[2]):
        least = (0.0, 1.0, 0.0)
    elif abs(t[2]) <= abs(t[0]):
        least = (0.0, 0.0, 1.0)
    e = cross(t, least)
    e = scale(1.0 / np.sqrt(dot(e, e)), e)
    f = cross(t, e)
    for k in range(3):
        point.across[0, k], point.across[1, k] = e[k], f[k]


@kernel
def end_place(i, count, base, ends, points):
    """Place of end i of `count` pieces in a row, from 0 to count."""
    if i == 0:
        return ends[0]
    return ends[1] if i == count else load3(points[base + i].x[0])


@kernel(inline=False)
def add_bends(i, count, base, places, muscles):
    """Add to the blocks of the junctions at the ends of piece i how its tangents turn as those junctions move."""
    scratch = muscles.scratch
    seen, points = scratch.pieces[base + i], scratch.points
    start, end = points[base + i], points[base + i + 1]
    o = seen.length[0] * 0.0
    still = (o, o, o)
    for order in range(1, 3):
        store3(seen.c[order], still)
    store3(seen.w, still)
    store3(seen.wdot, still)
    for k in range(2):
        if i > 0:
            p = (places[0], load3(start.across[k]), still)
            t_a, t_b = tangent_jets(seen, p, fixed3(places[1]), False, muscles)
            for r in range(2):
                start.block[r, k] -= dot(t_a[1], load3(start.across[r]))
                if i + 1 < count:
                    end.beside[r, k] = dot(t_b[1], load3(end.across[r]))
        if i + 1 < count:
            q = (places[1], load3(end.across[k]), still)
            _, t_b = tangent_jets(seen, fixed3(places[0]), q, False, muscles)
            for r in range(2):
                end.block[r, k] += dot(t_b[1], load3(end.across[r]))


@kernel(inline=False)
def aim(count, base, ends, work, muscles):
    """Solve the pieces between the junctions; fill their turns and the blocks; returns the largest turn [rad]."""
    scratch = muscles.scratch
    points = scratch.points
    for i in range(1, count):
        point = points[base + i]
        point.turn[:] = 0.0
        point.block[:, :] = 0.0
        point.beside[:, :] = 0.0
    for i in range(count):
        seen = scratch.pieces[base + i]
        p, q = end_place(i, count, base, ends, points), end_place(i + 1, count, base, ends, points)
        solve_piece(muscles.pieces[seen.at], work, muscles.params, p, q, 0.0, seen)
        t_a, t_b = end_tangents(seen, p, q)
        for r in range(2):
            if i > 0:
                points[base + i].turn[r] -= dot(t_a, load3(points[base + i].across[r]))
            if i + 1 < count:
                points[base + i + 1].turn[r] += dot(t_b, load3(points[base + i + 1].across[r]))
        add_bends(i, count, base, (p, q), muscles)
    factor(count, base, points)
    worst = 0.0
    for i in range(1, count):
        for r in range(2):
            size = abs(points[base + i].turn[r].real)
            if not size <= worst:  # nan as well
                worst = size
    return worst


@kernel
def solve_block(block, x, y):
    """The solution of a block of two by two."""
    inverse = 1.0 / (block[0, 0] * block[1, 1] - block[0, 1] * block[1, 0])
    return inverse * (block[1, 1] * x - block[0, 1] * y), inverse * (block[0, 0] * y - block[1, 0] * x)


@kernel
def factor(count, base, points):
    """Eliminate the blocks beside the diagonal, in place: block_i -= beside_i block_(i-1)^-1 beside_i^T."""
    for i in range(2, count):
        before, here = points[base + i - 1], points[base + i]
        for k in range(2):
            x, y = solve_block(before.block, here.beside[k, 0], here.beside[k, 1])
            for r in range(2):
                here.block[r, k] -= here.beside[r, 0] * x + here.beside[r, 1] * y


@kernel
def solve_blocks(count, base, points):
    """Replace the turns of the junctions by the moves that make them. Needs: `aim`."""
    for i in range(2, count):
        before, here = points[base + i - 1], points[base + i]
        x, y = solve_block(before.block, before.turn[0], before.turn[1])
        for r in range(2):
            here.turn[r] -= here.beside[r, 0] * x + here.beside[r, 1] * y
    for i in range(count - 1, 0, -1):
        here = points[base + i]
        if i + 1 < count:
            after = points[base + i + 1]
            for r in range(2):
                here.turn[r] -= after.beside[0, r] * after.turn[0] + after.beside[1, r] * after.turn[1]
        here.turn[0], here.turn[1] = solve_block(here.block, here.turn[0], here.turn[1])


@kernel(inline=False)
def straighten(count, base, ends, work, muscles):
    """Newton's method for the junctions; returns whether it converged. Leaves: solved pieces, blocks."""
    points = muscles.scratch.points
    before, left = np.inf, -1
    for _ in range(STEPS):
        worst = aim(count, base, ends, work, muscles)
        if left == 0 or count == 1:
            return worst <= NEAR
        if not worst <= 2.0 * before:
            return False
        if left < 0 and worst < NEAR:
            left = POLISH
        before = max(worst, NEAR)
        left -= 1 if left > 0 else 0
        solve_blocks(count, base, points)
        for i in range(1, count):
            point = points[base + i]
            x = add_scaled(load3(point.x[0]), -point.turn[0], load3(point.across[0]))
            store3(point.x[0], add_scaled(x, -point.turn[1], load3(point.across[1])))
    return False


@kernel(inline=False)
def is_right(count, rows, base, ends, work, muscles):
    """True if a straightened path touches the surfaces that it is meant to, and clears the others.

    Else what it touches is noted. A surface that is touched no more is left out for good.
    """
    scratch, right = muscles.scratch, True
    for i in range(count):
        seen = scratch.pieces[base + i]
        own = seen.at - rows[0]
        if seen.arcs == 0:
            scratch.allowed[own], scratch.touched[own], right = 0, 0, False
        else:
            store3(scratch.contacts[own, 0], contact(seen, 0))
            store3(scratch.contacts[own, 1], contact(seen, 1))
    if right:
        for i in range(rows[1]):
            if scratch.touched[i] == 0 and scratch.allowed[i] > 0:
                a, b = start_of(i, ends[0], scratch), end_of(i, ends[1], scratch)
                right = pull_over(i, rows, a, b, work, muscles) == 0.0 and right
    return right


@kernel
def solve_over(rows, base, ends, near, work, muscles):
    """Solve a piece over the surfaces that are `allowed`, rows = (the first one's, how many), between two ends.

    Returns into how many pieces it falls, from number `base` on. Its length is nan if no path is found.
    """
    scratch = muscles.scratch
    share, attempt = ROUGH, 0
    scratch.touched[:] = 0
    while attempt < len(PLACES):
        if not pull_taut(rows, share, ends, work, muscles):
            continue
        count = lay_out(rows, base, PLACES[attempt], muscles)
        if count == 0:
            seen = scratch.pieces[base]
            seen.at, seen.arcs, seen.learned = rows[0], 0, 0
            measure_straight(ends[0], ends[1], near, seen)
            return 1
        if straighten(count, base, ends, work, muscles) and is_right(count, rows, base, ends, work, muscles):
            return count
        share = max(share * FINER, FINEST)
        attempt += 1
    scratch.pieces[base].length[0] *= np.nan
    return 1


@kernel
def solve_several(at, base, p, q, near, work, muscles):
    """`solve_over` for all surfaces of the piece that starts at a row of the model's points."""
    rows = (at, surfaces_on(at, muscles.points))
    muscles.scratch.allowed[:] = 1
    return solve_over(rows, base, (p, q), near, work, muscles)


@kernel
def lead_junctions(base, count, second, muscles):
    """Fill how the junctions of a piece, which falls into `count`, move along the path's direction.

    First derivatives and, with `second`, second ones. Needs: those of its ends and surfaces. A junction's next
    derivative is what cancels that of its turn, found with all lower ones.
    """
    scratch = muscles.scratch
    points = scratch.points
    o = scratch.pieces[base].length[0] * 0.0
    for i in range(1, count):
        for order in range(1, 3):
            store3(points[base + i].x[order], (o, o, o))
    for order in range(1, 3 if second else 2):
        for i in range(1, count):
            points[base + i].turn[:] = 0.0
        for i in range(count):
            p, q = jet3(points[base + i].x), jet3(points[base + i + 1].x)
            t_a, t_b = tangent_jets(scratch.pieces[base + i], p, q, second, muscles)
            d_a, d_b = (t_a[1], t_b[1]) if order == 1 else (t_a[2], t_b[2])
            for r in range(2):
                if i > 0:
                    points[base + i].turn[r] -= dot(d_a, load3(points[base + i].across[r]))
                if i + 1 < count:
                    points[base + i + 1].turn[r] += dot(d_b, load3(points[base + i + 1].across[r]))
        solve_blocks(count, base, points)
        for i in range(1, count):
            point = points[base + i]
            x = scale(-point.turn[0], load3(point.across[0]))
            store3(point.x[order], add_scaled(x, -point.turn[1], load3(point.across[1])))


SOLVE = Choice(__name__, "solve_several", [solve_several], lambda *args: types.int64)
LEAD = Choice(__name__, "lead_junctions", [lead_junctions], lambda *args: types.none)


def demand_junctions() -> None:
    """Compile, or load from the cache, what paths with several surfaces on a piece need."""
    SOLVE.demand([0])
    LEAD.demand([0])
