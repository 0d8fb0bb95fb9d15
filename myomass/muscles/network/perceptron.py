"""A multilayer perceptron with tanh in kernels: outputs, their gradient, and their second derivative along a motion.

Mass points of a piece go through the layers in batches, so that weights are read once for BLOCK of them and loops over
them are vectorised. Where the network's numbers start, params hold

    outside, own, marks, outputs, ranges, hidden layers, the width of each, low and high of all ranges, then the layers:
    matrix (inputs, outputs), offsets (outputs)

A batch keeps its results: N and its gradient do not depend on a direction, so a further degree of freedom costs a
product with the gradient and no pass through the network.
"""

from functools import cache
from math import factorial

import numpy as np
from numba.core import types

from ..._jit import kernel
from .table import OWN
from .trained import HIDDEN, WIDTH

OUTPUTS, INPUTS, BLOCK = 3, 16, 32  # at most: outputs, inputs, mass points in a batch
OUTSIDE, OWNS, MARKS, OUT, RANGED, LAYERS = range(6)  # places of the first numbers
FLAT = 20.0  # tanh is 1 beyond, to rounding
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12 = (1.0 / factorial(k) for k in range(2, 13))


@cache
def batch_dtype(scalar: type) -> np.dtype:
    """Scratch of a batch of mass points: inputs and rates, outputs with their derivatives, activations."""
    return np.dtype(
        [
            ("xi", scalar, (3, BLOCK)),  # their fractions of the piece, jets
            ("inputs", scalar, (3, INPUTS, BLOCK)),
            ("N", scalar, (OUTPUTS, BLOCK)),
            ("J", scalar, (OUTPUTS, INPUTS, BLOCK)),
            ("bend", scalar, (OUTPUTS, BLOCK)),
            ("hidden", scalar, (HIDDEN, BLOCK)),
            ("here", scalar, (2, WIDTH, BLOCK)),  # what passes through the layers
            ("next", scalar, (2, WIDTH, BLOCK)),
        ],
        align=True,
    )


@kernel
def whole(x):
    """A whole number that is kept among floating-point ones."""
    return int(x.real)


@kernel
def count_inputs(params, at):
    """Number of inputs of the network whose numbers start at `at`."""
    return whole(params[at + OWNS]) + 1 + whole(params[at + MARKS])


@kernel
def first_layer(params, at):
    """Where the numbers of the first layer start."""
    return at + LAYERS + 1 + whole(params[at + LAYERS]) + 2 * whole(params[at + RANGED])


@kernel
def tanh(x):
    """tanh to 1e-14, for numbers of any type: without branches or calls, so that a loop of it is vectorised.

    1 - 2 / (exp(2 x) + 1), the exponential by its series to the twelfth power at x / 32, squared six times.
    """
    u = (x + (min(max(x.real, -FLAT), FLAT) - x.real)) * 0.03125
    e = 1.0 + u * (1.0 + u * (C2 + u * (C3 + u * (C4 + u * (C5 + u * (C6 + u * (C7 + u * tail(u))))))))
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    return 1.0 - 2.0 / (e + 1.0)


@kernel
def tail(u):
    """The series of exp from u^8 / 8! on, over u^8."""
    return C8 + u * (C9 + u * (C10 + u * (C11 + u * C12)))


@kernel
def fill_inputs(own, marks, n, batch, i, order):
    """Inputs of mass point i from the piece's table: values (order 0), or with first or second derivatives too."""
    xi, inputs = batch.xi, batch.inputs
    for row in range(order + 1):
        for k in range(own):
            inputs[row, k, i] = n[row, OWN + k]
        inputs[row, own, i] = xi[row, i]
    for k in range(marks):
        p = OWN + own + 2 * k
        q = p + 1
        y = n[0, p] + xi[0, i] * n[0, q]
        c = 1.0 / np.sqrt(1.0 + y * y)
        inputs[0, own + 1 + k, i] = y * c
        if order > 0:
            first, cube = n[1, p] + xi[1, i] * n[0, q] + xi[0, i] * n[1, q], c * c * c
            inputs[1, own + 1 + k, i] = first * cube
            if order > 1:
                second = n[2, p] + xi[2, i] * n[0, q] + 2.0 * xi[1, i] * n[1, q] + xi[0, i] * n[2, q]
                inputs[2, own + 1 + k, i] = second * cube - 3.0 * y * c * c * cube * first * first


@kernel
def multiply(params, at, strides, shape, x, y):
    """y[j, i] += sum over k of A[k, j] x[k, i], A where strides = (of k, of j) say; four j at a time."""
    rows, columns, count = shape
    step, apart = strides
    for block in range(columns // 4):
        j = 4 * block
        for k in range(rows):
            w = at + k * step + j * apart
            a, b, c, d = params[w], params[w + apart], params[w + 2 * apart], params[w + 3 * apart]
            for i in range(count):
                y[j, i] += a * x[k, i]
                y[j + 1, i] += b * x[k, i]
                y[j + 2, i] += c * x[k, i]
                y[j + 3, i] += d * x[k, i]
    for j in range(columns - columns % 4, columns):
        for k in range(rows):
            a = params[at + k * step + j * apart]
            for i in range(count):
                y[j, i] += a * x[k, i]


@kernel
def clear(y, columns, count):
    """y[:columns, :count] = 0."""
    for j in range(columns):
        for i in range(count):
            y[j, i] = 0.0


@kernel
def forward(params, at, layers, n, batch, count):
    """Activations and outputs of a batch; returns (where the last layer starts, its rows, all hidden units).

    Needs: xi of the mass points. Leaves: the inputs' values, activations and outputs N.
    """
    own, marks = whole(params[at + OWNS]), whole(params[at + MARKS])
    for i in range(count):
        fill_inputs(own, marks, n, batch, i, 0)
    x, rows, start, kept = batch.inputs[0], own + 1 + marks, first_layer(params, at), 0
    for layer in range(layers):
        columns = whole(params[at + LAYERS + 1 + layer])
        h, offsets = batch.hidden[kept : kept + columns], start + rows * columns
        for j in range(columns):
            for i in range(count):
                h[j, i] = params[offsets + j]
        multiply(params, start, (columns, 1), (rows, columns, count), x, h)
        for j in range(columns):
            for i in range(count):
                h[j, i] = tanh(h[j, i])
        x, rows, start, kept = h, columns, offsets + columns, kept + columns
    outputs = whole(params[at + OUT])
    for k in range(outputs):
        for i in range(count):
            batch.N[k, i] = params[start + rows * outputs + k]
    multiply(params, start, (outputs, 1), (rows, outputs, count), x, batch.N)
    return start, rows, kept


@kernel
def backward(params, at, layers, last, batch, count):
    """Gradients J of the outputs, from the last layer back; `last` is what `forward` returns.

    Needs: the activations (`forward`).
    """
    inputs, outputs = count_inputs(params, at), whole(params[at + OUT])
    d, up = batch.here[0], batch.next[0]
    for out in range(outputs):
        start, rows, kept = last
        for j in range(rows):
            for i in range(count):
                h = batch.hidden[kept - rows + j, i]
                d[j, i] = params[start + j * outputs + out] * (1.0 - h * h)
        kept -= rows
        for layer in range(layers - 1, -1, -1):
            columns, rows = rows, inputs
            if layer > 0:
                rows = whole(params[at + LAYERS + layer])
            start -= rows * columns + columns
            clear(up, rows, count)
            multiply(params, start, (1, columns), (columns, rows, count), d, up)
            for j in range(rows):
                for i in range(count):
                    if layer > 0:
                        h = batch.hidden[kept - rows + j, i]
                        d[j, i] = up[j, i] * (1.0 - h * h)
                    else:
                        batch.J[out, j, i] = up[j, i]
            kept -= rows


@kernel(on_demand=types.none)
def evaluate(params, at, n, batches, span):
    """N and its gradient by the inputs, of a batch of mass points; span = (batch, how many points).

    Needs: xi of the mass points. Leaves: outputs, gradients and activations.
    """
    batch, count, layers = batches[span[0]], span[1], whole(params[at + LAYERS])
    last = forward(params, at, layers, n, batch, count)
    backward(params, at, layers, last, batch, count)


@kernel(on_demand=types.none)
def bend(params, at, n, batches, span):
    """i'^T H i' of all outputs, i' the inputs' rates along the path's direction; span = (batch, how many points).

    Needs: `evaluate`, xi with its derivatives. Leaves: both derivatives of the inputs, and `bend`.
    """
    batch, count, layers = batches[span[0]], span[1], whole(params[at + LAYERS])
    own, marks = whole(params[at + OWNS]), whole(params[at + MARKS])
    for i in range(count):
        fill_inputs(own, marks, n, batch, i, 2)
    first, second, z, zz = batch.here[0], batch.here[1], batch.next[0], batch.next[1]
    rows, start, kept = own + 1 + marks, first_layer(params, at), 0
    for layer in range(layers):
        columns = whole(params[at + LAYERS + 1 + layer])
        clear(z, columns, count)
        clear(zz, columns, count)
        x = first if layer > 0 else batch.inputs[1]
        multiply(params, start, (columns, 1), (rows, columns, count), x, z)
        if layer > 0:
            multiply(params, start, (columns, 1), (rows, columns, count), second, zz)
        for j in range(columns):
            for i in range(count):
                h = batch.hidden[kept + j, i]
                slope = 1.0 - h * h
                first[j, i] = slope * z[j, i]
                second[j, i] = slope * (zz[j, i] - 2.0 * h * z[j, i] * z[j, i])
        rows, start, kept = columns, start + rows * columns + columns, kept + columns
    outputs = whole(params[at + OUT])
    clear(batch.bend, outputs, count)
    multiply(params, start, (outputs, 1), (rows, outputs, count), second, batch.bend)
