"""The kernels that carry a motion from reduced coordinates Q to those of the joints, layer after layer.

    x' = f(x),   v' = f_x v,   a' = f_x a + f_xx(v, v)                                             (FIRST)
    X' = f_x X,   V' = f_xx(v, X) + f_x V,
    A' = f_xx(a, X) + f_x A + f_xxx(v, v, X) + 2 f_xx(v, V)                                        (SECOND)

with X, V, A = d(x, v, a)/dQ: at the end J = dq/dQ, dqdot/dQ = Jdot, and dqddot/dQ (dissertation Eq. 4.84, 4.85). Layers
of terms are sums of functions of one coordinate; functions of several are Python's.
"""

from numba.core import types

from .._jit import kernel
from ..spatial.motion import jet_at
from .callback import call_back
from .packed import FUNCTION

FIRST, SECOND, BENDING = 1, 2, 3  # orders


@kernel
def spread_terms(layer, order, index, reduction):
    """From the layer's coordinates to those that it gives."""
    terms, offsets, params = reduction.terms, reduction.offsets, reduction.params
    x, v, a = reduction.x[index], reduction.v[index], reduction.a[index]
    y, w, b = reduction.x[index + 1], reduction.v[index + 1], reduction.a[index + 1]
    X, V, A = reduction.X[index], reduction.V[index], reduction.A[index]
    Y, W, B = reduction.X[index + 1], reduction.V[index + 1], reduction.A[index + 1]
    for i in range(layer.wide):
        y[i], w[i], b[i] = offsets[layer.offset + i], 0.0, 0.0
        for k in range(X.shape[1]):
            Y[i, k] = 0.0
        for k in range(X.shape[1] if order >= SECOND else 0):
            W[i, k], B[i, k] = 0.0, 0.0
    for t in range(layer.term, layer.term + layer.count):
        i, j = terms[t].to, terms[t].of
        f = (terms[t].factor * x[j], terms[t].factor + x[j] * 0.0, x[j] * 0.0, x[j] * 0.0)
        if terms[t].at >= 0:
            f = jet_at(params, terms[t].at, x[j])
        y[i] += f[0]
        w[i] += f[1] * v[j]
        b[i] += f[1] * a[j] + f[2] * v[j] * v[j]
        for k in range(X.shape[1]):
            Y[i, k] += f[1] * X[j, k]
        if order >= SECOND:
            turned, bent = f[2] * v[j], f[2] * a[j] + f[3] * v[j] * v[j]
            for k in range(X.shape[1]):
                W[i, k] += turned * X[j, k] + f[1] * V[j, k]
                B[i, k] += bent * X[j, k] + f[1] * A[j, k] + 2.0 * turned * V[j, k]


@kernel
def bend_terms(layer, index, reduction):
    """S += X^T (sum of l_i f_i'') X of a layer, and l of the coordinates that it takes, from those that it gives."""
    terms, params = reduction.terms, reduction.params
    x, X, S = reduction.x[index], reduction.X[index], reduction.S
    given, taken = reduction.pull[index + 1], reduction.pull[index]
    for j in range(layer.narrow):
        taken[j] = 0.0
    for t in range(layer.term, layer.term + layer.count):
        i, j = terms[t].to, terms[t].of
        if terms[t].at < 0:
            taken[j] += terms[t].factor * given[i]
            continue
        _, slope, second, _ = jet_at(params, terms[t].at, x[j])
        taken[j] += slope * given[i]
        bent = second * given[i]
        for k in range(X.shape[1]):
            for m in range(X.shape[1]):
                S[k, m] += bent * X[j, k] * X[j, m]


@kernel(on_demand=types.none)
def unfold(Q, Qdot, Qddot, order, reduction):
    """Carry (Q, Qdot, Qddot) to the joints' q, qdot and qddot, with J and, for SECOND, Jdot and dqddot/dQ."""
    layers = reduction.layers
    for k in range(Q.shape[0]):
        reduction.x[0, k], reduction.v[0, k], reduction.a[0, k] = Q[k], Qdot[k], Qddot[k]
    for index in range(layers.shape[0]):
        if layers[index].kind == FUNCTION:
            call_back(reduction.callback, index, order)
        else:
            spread_terms(layers[index], order, index, reduction)


@kernel(on_demand=types.none)
def fold_bending(r, reduction):
    """S = sum of r_i d^2 q_i/dQ^2, the slope of J^T r with r held.

    Needs: `unfold` of second order.
    """
    layers, last = reduction.layers, reduction.layers.shape[0]
    reduction.S[:, :] = 0.0
    for i in range(r.shape[0]):
        reduction.pull[last, i] = r[i]
    for index in range(last - 1, -1, -1):
        if layers[index].kind == FUNCTION:
            call_back(reduction.callback, index, BENDING)
        else:
            bend_terms(layers[index], index, reduction)
