"""Nodes that a network places: their places, velocities and accelerations, from what perceptron.py keeps of them."""

from ..._jit import kernel
from ...spatial.jets import fixed, j_mul, j_sub, v_add, v_mul, v_sub
from ..wrapping.base import get, get3
from .perceptron import BLOCK, MARKS, OUT, OWNS, bend, evaluate, fill_inputs, whole
from .table import AXES, SCALE

LEARNED = -1  # both line and arc of a node that a network places


@kernel
def is_learned(node):
    """True if a network places the node."""
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
    """Send all nodes that networks place through these, for outputs and gradients; returns count.

    Needs: the muscle's path (`solve_path`) and nodes. Leaves: each node's batch and slot, with outputs and gradients.
    """
    scratch = muscles.scratch
    nodes, batches = scratch.nodes, scratch.batches
    first, end = next_span(count, 0, nodes)
    block = 0
    while first < count:
        batch = batches[block]
        for i in range(first, end):
            nodes[i].batch, nodes[i].slot = block, i - first
            batch.xi[0, i - first] = nodes[i].xi
        j = nodes[first].piece
        at = muscles.pieces[scratch.pieces[j].at].network
        evaluate(muscles.params, at, scratch.pieces[j].n, batches, (block, end - first))
        first, end = next_span(count, end, nodes)
        block += 1
    return count


@kernel(inline=False)
def bend_nodes(count, muscle, muscles):
    """Fill the second derivatives of all outputs along the path's direction.

    Needs: `learn_nodes`, the derivatives of the path (`advance`).
    """
    scratch = muscles.scratch
    nodes, batches = scratch.nodes, scratch.batches
    first, end = next_span(count, 0, nodes)
    while first < count:
        j, block = nodes[first].piece, nodes[first].batch
        for i in range(first, end):
            slide_in(nodes[i], scratch.pieces[j], scratch.total, batches[block])
        at = muscles.pieces[scratch.pieces[j].at].network
        bend(muscles.params, at, scratch.pieces[j].n, batches, (block, end - first))
        first, end = next_span(count, end, nodes)


@kernel
def slide(node, piece, total):
    """(dxi, ddxi), derivatives of the fraction xi of a piece at a node, which moves along the path by alpha dL."""
    inverse = node.inverse
    first = (node.alpha * total[1] - piece.start[1] - node.xi * piece.length[1]) * inverse
    second = node.alpha * total[2] - piece.start[2] - node.xi * piece.length[2] - 2.0 * first * piece.length[1]
    return first, second * inverse


@kernel
def slide_in(node, piece, total, batch):
    """Write dxi and ddxi of a node, as `slide` gives them, into its batch."""
    batch.xi[1, node.slot], batch.xi[2, node.slot] = slide(node, piece, total)


@kernel
def output(k, i, inputs, batch, second):
    """Output k of mass point i of a batch, a jet; without `second` its first derivative alone is right.

    Needs: outputs, gradients and the inputs' derivatives of the batch.
    """
    first, then = batch.N[k, i] * 0.0, batch.N[k, i] * 0.0
    for c in range(inputs):
        first += batch.J[k, c, i] * batch.inputs[1, c, i]
        if second:
            then += batch.J[k, c, i] * batch.inputs[2, c, i]
    if second:
        then += batch.bend[k, i]
    return batch.N[k, i], first, then


@kernel(inline=False)
def learned_jet(node, muscle, muscles, second):
    """The jet of a node in the frame of its piece's surface; without `second` its first derivative alone is right.

    Needs: `learn_nodes`, the derivatives of the path and, with `second`, `bend_nodes`.
    """
    scratch, params = muscles.scratch, muscles.params
    piece, batch, i = scratch.pieces[node.piece], scratch.batches[node.batch], node.slot
    at, n = muscles.pieces[piece.at].network, piece.n
    own, marks, outputs = whole(params[at + OWNS]), whole(params[at + MARKS]), whole(params[at + OUT])
    if not second:
        slide_in(node, piece, scratch.total, batch)
        fill_inputs(own, marks, n, batch, i, 1)
    a, b, xi = get3(piece.a, 0), get3(piece.b, 0), get(batch.xi, i)
    x = v_add(a, v_mul(xi, v_sub(b, a)))
    bulge = j_mul(get(n, SCALE), j_mul(xi, j_sub(fixed(xi[0] * 0.0 + 1.0), xi)))
    for k in range(outputs):
        N = output(k, i, own + 1 + marks, batch, second)
        x = v_add(x, v_mul(j_mul(bulge, N), get3(n, AXES + 3 * k)))
    return x
