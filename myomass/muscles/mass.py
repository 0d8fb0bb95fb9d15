"""Where a muscle's mass sits on its solved path: nodes, as few as give the same inertia.

At one instant velocity and acceleration of the material are affine in xi along a straight stretch, so all that its mass
does, lumped or spread, depends on three sums: m, its mean place and its spread. Two equal masses at mean +- spread have
the same: any number of mass points on a line costs as much as two, and a uniform mass is integrated exactly (m/6 (v0.v0
+ v0.v1 + v1.v1)). On an arc every mass point is a node of its own; a continuous mass has Gauss's nodes there.
"""

import numpy as np

from .._jit import kernel
from .records import GAUSS, TURNS
from .wrapping.base import ARC, LENGTH, SPAN, START, TURN

NODES = np.zeros((len(GAUSS), GAUSS[-1]))
WEIGHTS = np.zeros((len(GAUSS), GAUSS[-1]))
for row, number in enumerate(GAUSS):
    NODES[row, :number], WEIGHTS[row, :number] = np.polynomial.legendre.leggauss(number)
COUNTS = np.array(GAUSS)
TAN_30 = 1.0 / np.sqrt(3.0)


@kernel
def add_node(count, nodes, place, xi, mass, scratch):
    """Append a node at the fraction xi of a piece; place = (piece, line, arc)."""
    node, piece = nodes[count], scratch.pieces[place[0]]
    node.piece, node.line, node.arc = place
    node.alpha, node.xi = (piece.start[0] + xi * piece.length[0]) / scratch.total[0], xi
    node.inverse = piece.inverse
    node.mass = mass
    return count + 1


@kernel
def stretch_of(piece, xi):
    """(line, arc) that the fraction xi of a piece lies on; -1 where it is on none."""
    g = piece.g
    for k in range(piece.arcs):
        arc = ARC + 8 * k
        if xi.real * g[0, LENGTH].real <= g[0, arc + START].real:
            return k, -1
        if xi.real * g[0, LENGTH].real < (g[0, arc + START] + g[0, arc + SPAN]).real:
            return -1, k
    return piece.arcs, -1


@kernel
def flush(count, nodes, place, sums, scratch):
    """Nodes for the lumps of one line: sums = (number, mass, first xi, and of m d and m d^2 with d from there)."""
    number, mass, first, moment, square = sums
    if number == 0:
        return count
    if number == 1:
        return add_node(count, nodes, place, first, mass, scratch)
    apart = moment / mass
    mean, spread = first + apart, np.sqrt(square / mass - apart * apart)
    count = add_node(count, nodes, place, mean - spread, 0.5 * mass, scratch)
    return add_node(count, nodes, place, mean + spread, 0.5 * mass, scratch)


@kernel(inline=False)
def place_lumps(muscle, muscles, singly):
    """Nodes of mass points: one each on arcs, two for all on a line, or (`singly`) one each; how many."""
    lumps, scratch = muscles.lumps, muscles.scratch
    pieces, nodes, total = scratch.pieces, scratch.nodes, scratch.total
    o = total[0] * 0.0
    count, j = 0, 0
    place, sums = (0, -1, -1), (0, o, o, o, o)
    end, inverse = pieces[0].length[0].real, pieces[0].inverse
    for i in range(muscle.lump, muscle.lump + muscle.lumps):
        along = lumps[i].alpha * total[0]
        while j < muscle.points - 2 and along.real > end:
            j += 1
            end, inverse = (pieces[j].start[0] + pieces[j].length[0]).real, pieces[j].inverse
        xi = (along - pieces[j].start[0]) * inverse
        line, arc = 0, -1
        if pieces[j].arcs > 0:
            line, arc = stretch_of(pieces[j], xi)
        here, mass = (j, line, arc), lumps[i].mass
        if singly:
            count = add_node(count, nodes, here, xi, mass + o, scratch)
            continue
        if mass == 0.0:
            continue
        if here != place:
            count = flush(count, nodes, place, sums, scratch)
            place, sums = here, (0, o, xi, o, o)
        if line < 0:
            count = add_node(count, nodes, here, xi, mass + o, scratch)
            continue
        number, whole, first, moment, square = sums
        apart = mass * (xi - first)
        sums = (number + 1, whole + mass, first, moment + apart, square + apart * (xi - first))
    return flush(count, nodes, place, sums, scratch)


@kernel
def spread_line(count, nodes, place, span, density, scratch):
    """Two nodes for a uniform mass over span = (from, to) of a line."""
    middle, half = 0.5 * (span[0] + span[1]), 0.5 * (span[1] - span[0])
    mass = density * half
    count = add_node(count, nodes, place, middle - TAN_30 * half, mass, scratch)
    return add_node(count, nodes, place, middle + TAN_30 * half, mass, scratch)


@kernel
def spread_arc(count, nodes, place, span, density, scratch):
    """Gauss's nodes for a uniform mass over span = (from, to) of an arc."""
    turn = scratch.pieces[place[0]].g[0, TURN].real
    row = 0
    while row < len(TURNS) and turn > TURNS[row]:
        row += 1
    middle, half = 0.5 * (span[0] + span[1]), 0.5 * (span[1] - span[0])
    for i in range(COUNTS[row]):
        mass = density * half * WEIGHTS[row, i]
        count = add_node(count, nodes, place, middle + NODES[row, i] * half, mass, scratch)
    return count


@kernel
def within(span, low, high):
    """span = (from, to), cut to what lies between low and high."""
    start = low if span[0].real < low.real else span[0]
    end = high if span[1].real > high.real else span[1]
    return start, end


@kernel(inline=False)
def spread_mass(muscle, muscles):
    """Nodes of a continuous mass between two fractions of the path; how many."""
    scratch = muscles.scratch
    pieces, nodes, total = scratch.pieces, scratch.nodes, scratch.total
    count = 0
    for j in range(muscle.points - 1):
        piece = pieces[j]
        if not piece.length[0].real > 0.0:
            continue
        low = (muscle.start * total[0] - piece.start[0]) / piece.length[0]
        high = (muscle.end * total[0] - piece.start[0]) / piece.length[0]
        density = muscle.mass / (muscle.end - muscle.start) * piece.length[0] / total[0]
        before, g = total[0] * 0.0, piece.g
        for k in range(piece.arcs + 1):
            arc, after = ARC + 8 * k, total[0] * 0.0 + 1.0
            if k < piece.arcs:
                after = g[0, arc + START] / g[0, LENGTH]
            span = within((before, after), low, high)
            if span[1].real > span[0].real:
                count = spread_line(count, nodes, (j, k, -1), span, density, scratch)
            if k < piece.arcs:
                before = after + g[0, arc + SPAN] / g[0, LENGTH]
                span = within((after, before), low, high)
                if span[1].real > span[0].real:
                    count = spread_arc(count, nodes, (j, -1, k), span, density, scratch)
    return count


@kernel
def place_mass(muscle, muscles):
    """The nodes of a muscle whose path is solved; how many."""
    if muscle.continuous:
        return spread_mass(muscle, muscles)
    return place_lumps(muscle, muscles, False)
