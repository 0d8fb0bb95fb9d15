"""Surfaces as levels f(x) = 0 of a smooth function: what a geodesic has to know of each."""

from ..._jit import kernel
from ...spatial.jets import (
    fixed,
    j_add,
    j_div,
    j_mul,
    j_part,
    j_scale,
    j_sqrt,
    j_sub,
    j_vector,
    v_dot,
    v_scale,
)
from .base import SHAPE

ELLIPSOID, TORUS = 0, 1


@kernel(inline=False)
def level(kind, params, at, x, V):
    """(f, g, HV): the function, its gradient, and its Hessian times V, jets."""
    if kind == ELLIPSOID:
        return ellipsoid_level(params, at, x, V)
    return torus_level(params, at, x, V)


@kernel
def stretch(d, v):
    """A vector with its components multiplied by those of d."""
    return (d[0] * v[0], d[1] * v[1], d[2] * v[2])


@kernel
def real3(v):
    """The real part of a vector."""
    return (v[0].real, v[1].real, v[2].real)


@kernel
def ellipsoid_level(params, at, x, V):
    """f = (x.Dx - 1) / 2 with D = diag(1 / radius^2)."""
    r = (params[at + SHAPE], params[at + SHAPE + 1], params[at + SHAPE + 2])
    d = (1.0 / (r[0] * r[0]), 1.0 / (r[1] * r[1]), 1.0 / (r[2] * r[2]))
    g = (stretch(d, x[0]), stretch(d, x[1]), stretch(d, x[2]))
    HV = (stretch(d, V[0]), stretch(d, V[1]), stretch(d, V[2]))
    return j_scale(0.5, j_sub(v_dot(x, g), fixed(x[0][0] * 0.0 + 1.0))), g, HV


@kernel
def torus_level(params, at, x, V):
    """f = ((rho - R)^2 + z^2 - r^2) / (2 r), rho the distance from the axis; on the surface |g| = 1."""
    R, r = params[at + SHAPE], params[at + SHAPE + 1]
    X, Y, Z = j_part(x, 0), j_part(x, 1), j_part(x, 2)
    square = j_add(j_mul(X, X), j_mul(Y, Y))
    pull = j_div(fixed(square[0] * 0.0 + R), j_sqrt(square))  # R / rho
    inwards = j_sub(fixed(square[0] * 0.0 + 1.0), pull)
    g = j_vector(j_mul(inwards, X), j_mul(inwards, Y), Z)
    swirl = j_mul(pull, j_div(j_sub(j_mul(X, j_part(V, 1)), j_mul(Y, j_part(V, 0))), square))
    HV = j_vector(j_add(j_part(V, 0), j_mul(swirl, Y)), j_sub(j_part(V, 1), j_mul(swirl, X)), j_part(V, 2))
    f = j_sub(v_dot(g, g), fixed(square[0] * 0.0 + r * r))
    s = 1.0 / r
    return j_scale(0.5 * s, f), v_scale(s, g), v_scale(s, HV)
