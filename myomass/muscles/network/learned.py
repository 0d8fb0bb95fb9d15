"""Nodes that a network places: their places, velocities and accelerations, from what perceptron.py keeps of them."""

from ..._jit import kernel
from ...spatial.jets import fixed, j_mul, j_sub, v_add, v_mul, v_sub
from ..wrapping.base import get, get3
from .perceptron import BLOCK, MARKS, OUT, OWNS, bend, evaluate, fill_inputs, whole
from .table import AXES, SCALE

LEARNED = -1  # both line and arc of a node that a network places


@kernel
def is_learned(node):
    """Does a network place it?"""
    return node.line == LEARNED and node.arc == LEARNED


@kernel
def next_span(count, first, nodes):
    """(first, end) of the next nodes, a block at most, that one piece's network places; (count, count) for none."""
    while first < count and not is_learned(nodes[first]):
        first += 1
    end = first
    most = min(count, first + BLOCK)
    while end < most and is_learned(nodes[end]) and nodes[end].piece == nodes[first].piece:
        end += 1
    return first, end


@kernel(inline=False)
def learn_nodes(count, muscle, muscles):
    """Send all nodes that networks place through them, for values and gradients; the path must be solved. -> count"""
    scratch = muscles.scratch
    nodes, rooms = scratch.nodes, scratch.rooms
    first, end = next_span(count, 0, nodes)
    block = 0
    while first < count:
        room = rooms[block]
        for i in range(first, end):
            nodes[i].room, nodes[i].seat = block, i - first
            room.xi[0, i - first] = nodes[i].xi
        j = nodes[first].piece
        at = muscles.pieces[muscle.point + j].network
        evaluate(muscles.params, at, scratch.pieces[j].n, rooms, (block, end - first))
        first, end = next_span(count, end, nodes)
        block += 1
    return count


@kernel(inline=False)
def bend_nodes(count, muscle, muscles):
    """Second derivatives of all outputs along the direction that stands."""
    scratch = muscles.scratch
    nodes, rooms = scratch.nodes, scratch.rooms
    first, end = next_span(count, 0, nodes)
    while first < count:
        j, block = nodes[first].piece, nodes[first].room
        for i in range(first, end):
            slide_in(nodes[i], scratch.pieces[j], scratch.total, rooms[block])
        at = muscles.pieces[muscle.point + j].network
        bend(muscles.params, at, scratch.pieces[j].n, rooms, (block, end - first))
        first, end = next_span(count, end, nodes)


@kernel
def slide(node, piece, total):
    """(dxi, ddxi): how the fraction xi of a piece that is the fraction alpha of the whole moves."""
    inverse = node.inverse
    first = (node.alpha * total[1] - piece.start[1] - node.xi * piece.length[1]) * inverse
    second = node.alpha * total[2] - piece.start[2] - node.xi * piece.length[2] - 2.0 * first * piece.length[1]
    return first, second * inverse


@kernel
def slide_in(node, piece, total, room):
    """Keep how a node slides along its piece."""
    room.xi[1, node.seat], room.xi[2, node.seat] = slide(node, piece, total)


@kernel
def output(k, i, inputs, room, second):
    """Output k of mass point i of a room, a jet; its inputs' rates stand."""
    first, then = room.N[k, i] * 0.0, room.N[k, i] * 0.0
    for c in range(inputs):
        first += room.J[k, c, i] * room.inputs[1, c, i]
        if second:
            then += room.J[k, c, i] * room.inputs[2, c, i]
    if second:
        then += room.bend[k, i]
    return room.N[k, i], first, then


@kernel(inline=False)
def learned_jet(node, muscle, muscles, second):
    """The jet of a node in the frame of its piece's surface; without `second` its first derivative alone is right."""
    scratch, params = muscles.scratch, muscles.params
    piece, room, i = scratch.pieces[node.piece], scratch.rooms[node.room], node.seat
    at, n = muscles.pieces[muscle.point + node.piece].network, piece.n
    own, marks, outputs = whole(params[at + OWNS]), whole(params[at + MARKS]), whole(params[at + OUT])
    if not second:
        slide_in(node, piece, scratch.total, room)
        fill_inputs(own, marks, n, room, i, 1)
    a, b, xi = get3(piece.a, 0), get3(piece.b, 0), get(room.xi, i)
    x = v_add(a, v_mul(xi, v_sub(b, a)))
    bulge = j_mul(get(n, SCALE), j_mul(xi, j_sub(fixed(xi[0] * 0.0 + 1.0), xi)))
    for k in range(outputs):
        N = output(k, i, own + 1 + marks, room, second)
        x = v_add(x, v_mul(j_mul(bulge, N), get3(n, AXES + 3 * k)))
    return x
