"""Where a muscle's mass sits on its solved path: nodes, as few as give the same inertia.

At one instant velocity and acceleration of the material are affine in xi along a straight stretch, so all that its mass
does, lumped or spread, depends on three sums: m, its mean place and its spread. Two equal masses at mean +- spread have
the same: any number of mass points on a line costs as much as two, and a uniform mass is integrated exactly (m/6 (v0.v0
+ v0.v1 + v1.v1)). On an arc, and where a network places it, every mass point is a node of its own; a continuous mass
has Gauss's nodes there.
"""

import numpy as np

from .._jit import kernel
from .belly import distance_of, fraction_at
from .network.learned import LEARNED, learn_nodes
from .records import GAUSS, TURNS
from .wrapping.base import ARC, SPAN, START, TURN

NODES = np.zeros((len(GAUSS), GAUSS[-1]))
WEIGHTS = np.zeros((len(GAUSS), GAUSS[-1]))
for row, number in enumerate(GAUSS):
    NODES[row, :number], WEIGHTS[row, :number] = np.polynomial.legendre.leggauss(number)
COUNTS = np.array(GAUSS)
PANELS = 3  # in which Gauss's nodes are set on a piece that a network places
COINCIDE = 1e-14  # relative distance below which two places are one, but for rounding
SHORT = 1e-6  # [m] of a path, below which rounding over its length would be felt
TAN_30 = 1.0 / np.sqrt(3.0)


@kernel
def needs_direction(muscle):
    """True if a path without length does not do: one that pulls, or of several pieces, whose shares are unknown there.

    A mass between two points needs none, since x = (1 - alpha) p + alpha q. Moment arms, the only use of a muscle
    without mass and tension, do.
    """
    pulls = muscle.hill >= 0 or muscle.tension >= 0 or muscle.constant != 0.0
    return muscle.points > 2 or pulls or not muscle.mass > 0.0


@kernel
def is_whole(piece, scratch):
    """True if a piece is all of a short path that stretches everywhere: fractions of both are the same, at any length.

    It is so for longer paths too; there the general formulas, which divide by the length, have enough digits.
    """
    short = scratch.total[0].real < SHORT
    return short and piece.length[0] == scratch.total[0] and scratch.belly[1] == scratch.total[0]


@kernel
def add_node(count, nodes, place, xi, mass, scratch):
    """Append a node at the fraction xi of a piece, place = (piece, line, arc); returns the new count."""
    node, piece = nodes[count], scratch.pieces[place[0]]
    node.piece, node.line, node.arc = place
    node.alpha, node.xi = fraction_at(piece.start[0] + xi * piece.length[0], scratch.belly), xi
    node.inverse = piece.inverse
    if is_whole(piece, scratch):
        node.alpha, node.inverse = xi, 0.0 * piece.inverse
    node.mass = mass
    return count + 1


@kernel
def add_lump(count, place, alpha, mass, scratch):
    """Append a node of the material alpha, place = (piece, line, arc); returns the new count."""
    piece = scratch.pieces[place[0]]
    xi = (distance_of(alpha, scratch.belly) - piece.start[0]) * piece.inverse
    if is_whole(piece, scratch):
        xi = alpha + piece.length[0] * 0.0
    return add_node(count, scratch.nodes, place, xi, mass + xi * 0.0, scratch)


@kernel
def lumps_before(limit, lump, end, lumps):
    """The first mass point, from number `lump` on, whose alpha is beyond a limit; or end."""
    while lump < end and lumps[lump].alpha <= limit:
        lump += 1
    return lump


@kernel
def place_singly(count, lump, end, lumps, place, scratch, massless):
    """Append a node for each mass point from lump to end, unless it has no mass and `massless` is false.

    Returns the new count, as do all kernels that append nodes.
    """
    for i in range(lump, end):
        if massless or lumps[i].mass > 0.0:
            count = add_lump(count, place, lumps[i].alpha, lumps[i].mass, scratch)
    return count


@kernel
def place_paired(count, lump, end, lumps, place, scratch):
    """Append two nodes for all mass points from lump to end, on one line, or one for a single point."""
    number, mass, moment, square = 0, 0.0, 0.0, 0.0
    for i in range(lump, end):
        if lumps[i].mass > 0.0:
            apart = lumps[i].alpha - lumps[lump].alpha
            number += 1
            mass += lumps[i].mass
            moment += lumps[i].mass * apart
            square += lumps[i].mass * apart * apart
    if number < 2:
        return place_singly(count, lump, end, lumps, place, scratch, False)
    apart = moment / mass
    mean, spread = lumps[lump].alpha + apart, np.sqrt(square / mass - apart * apart)
    count = add_lump(count, place, mean - spread, 0.5 * mass, scratch)
    return add_lump(count, place, mean + spread, 0.5 * mass, scratch)


@kernel(inline=False)
def place_lumps(muscle, muscles, singly):
    """Nodes of mass points: one each on arcs, two for all on a line, or (`singly`) one each; returns how many.

    Needs: the muscle's path (`solve_path`).
    """
    lumps, scratch = muscles.lumps, muscles.scratch
    belly = scratch.belly
    count, lump, end = 0, muscle.lump, muscle.lump + muscle.lumps
    last = scratch.present[0] - 2
    for j in range(last + 1):
        piece = scratch.pieces[j]
        g, start = piece.g, piece.start[0]
        if piece.learned > 0:
            border = end
            if j < last:
                border = lumps_before(fraction_at(start + piece.length[0], belly).real, lump, end, lumps)
            count = place_singly(count, lump, border, lumps, (j, LEARNED, LEARNED), scratch, singly)
            lump = border
            continue
        for k in range(piece.arcs + 1):
            arc, after = ARC + 8 * k, start + piece.length[0]
            if k < piece.arcs:
                after = start + g[0, arc + START]
            border = lumps_before(fraction_at(after, belly).real, lump, end, lumps)
            if j == last and k == piece.arcs:
                border = end
            if singly:
                count = place_singly(count, lump, border, lumps, (j, k, -1), scratch, True)
            else:
                count = place_paired(count, lump, border, lumps, (j, k, -1), scratch)
            lump = border
            if k < piece.arcs:
                border = lumps_before(fraction_at(after + g[0, arc + SPAN], belly).real, lump, end, lumps)
                count = place_singly(count, lump, border, lumps, (j, -1, k), scratch, singly)
                lump = border
    return learn_nodes(count, muscle, muscles)


@kernel
def spread_line(count, nodes, place, span, density, scratch):
    """Append two nodes for a uniform mass over span = (from, to) of a line."""
    middle, half = 0.5 * (span[0] + span[1]), 0.5 * (span[1] - span[0])
    mass = density * half
    count = add_node(count, nodes, place, middle - TAN_30 * half, mass, scratch)
    return add_node(count, nodes, place, middle + TAN_30 * half, mass, scratch)


@kernel
def spread_arc(count, nodes, place, span, density, scratch):
    """Append Gauss's nodes for a uniform mass over span = (from, to) of an arc."""
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
def spread_learned(count, nodes, j, span, density, scratch):
    """Append Gauss's nodes, in PANELS, for a uniform mass over span = (from, to) of a piece that a network places."""
    half = 0.5 * (span[1] - span[0]) / PANELS
    for panel in range(PANELS):
        middle = span[0] + (2 * panel + 1) * half
        for i in range(COUNTS[-1]):
            mass = density * half * WEIGHTS[-1, i]
            place = (j, LEARNED, LEARNED)
            count = add_node(count, nodes, place, middle + NODES[-1, i] * half, mass, scratch)
    return count


@kernel
def within(span, low, high):
    """span = (from, to), cut to the part between low and high."""
    start = low if span[0].real < low.real else span[0]
    end = high if span[1].real > high.real else span[1]
    return start, end


@kernel
def spread_mass(muscle, muscles):
    """Nodes of a continuous mass between two fractions of what stretches; returns how many.

    Needs: the muscle's path (`solve_path`).
    """
    scratch = muscles.scratch
    pieces, nodes, belly = scratch.pieces, scratch.nodes, scratch.belly
    count = 0
    for j in range(scratch.present[0] - 1):
        piece = pieces[j]
        before, g = piece.length[0] * 0.0, piece.g
        low, high = before + muscle.start, before + muscle.end
        density = before + muscle.mass / (muscle.end - muscle.start)
        if not is_whole(piece, scratch):
            if not piece.length[0].real > 0.0:
                continue  # its share of the mass is nothing
            low = (distance_of(muscle.start, belly) - piece.start[0]) * piece.inverse
            high = (distance_of(muscle.end, belly) - piece.start[0]) * piece.inverse
            density = density * piece.length[0] * belly[2]
        if piece.learned > 0:
            span = within((before, before + 1.0), low, high)
            if span[1].real > span[0].real:
                count = spread_learned(count, nodes, j, span, density, scratch)
            continue
        for k in range(piece.arcs + 1):
            arc, after = ARC + 8 * k, piece.length[0] * 0.0 + 1.0
            if k < piece.arcs:
                after = g[0, arc + START] * piece.inverse
            span = within((before, after), low, high)
            if span[1].real > span[0].real:
                count = spread_line(count, nodes, (j, k, -1), span, density, scratch)
            if k < piece.arcs:
                before = after + g[0, arc + SPAN] * piece.inverse
                span = within((after, before), low, high)
                if span[1].real > span[0].real:
                    count = spread_arc(count, nodes, (j, -1, k), span, density, scratch)
    return learn_nodes(count, muscle, muscles)


@kernel(unit=True)
def place_mass(muscle, muscles):
    """Nodes of a muscle's mass; returns how many.

    Needs: the muscle's path (`solve_path`).
    """
    if muscle.continuous:
        return spread_mass(muscle, muscles)
    return place_lumps(muscle, muscles, False)
