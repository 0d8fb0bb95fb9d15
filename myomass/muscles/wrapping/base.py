"""What all wrapping surfaces share: the protocol of their kernels.

A surface is a file with a subclass of `Surface` and four kernels for numbers of any type. They work in the surface's
frame, on the piece of a path between two points a and b, which runs straight, along an arc (or two) of a geodesic, and
straight again:

    solve(params, at, a, b, g) -> number of arcs      values of the solved path into g[0]; 0: it does not touch
    follow(params, at, a, b, g)                       a and b as jets: first and second derivatives into g[1] and g[2]
    point(params, at, arc, g, xi) -> jet              the place at the fraction xi (a jet) of the piece, on an arc
    place(params, at, arc, g, xi)                     the same without the second derivative

`g` is a table of three rows (value, first, second derivative); its first columns mean the same for every surface:

    LENGTH                 of the whole piece [m]
    WRAPPED                of what lies on the surface [m]
    TURN                   (value only) by how much the path turns on it, roughly [rad]
    arc e, at ARC + 8 e:   START, its distance from a along the path; SPAN, its length; ENTRY, EXIT, its ends (3 each)

From PRIVATE on a surface keeps what it likes; `follow` must fill LENGTH and the arcs in all three rows. It is called
once for every degree of freedom, `solve` once: what is costly belongs there. Degrees of freedom ask for first
derivatives only: a surface may have `rates`, a `follow` that leaves g[2] alone and costs less.
"""

from ..._jit import kernel
from ...spatial.algebra import dot
from ..spec import Solid as Solid
from ..spec import Surface as Surface

LENGTH, WRAPPED, TURN, ARC = 0, 1, 2, 3
START, SPAN, ENTRY, EXIT = 0, 1, 2, 5  # columns of an arc
ARCS = 2  # at most
PRIVATE = ARC + 8 * ARCS
COLUMNS = 130
SIDED, SIDE, SHAPE = 0, 1, 4  # where params keep the kind of side (spec.py), its place, and the shape


@kernel
def get(g, c):
    """Column c of the table as a jet."""
    return (g[0, c], g[1, c], g[2, c])


@kernel
def get3(g, c):
    """Columns c to c + 2 of the table as the jet of a vector."""
    return (
        (g[0, c], g[0, c + 1], g[0, c + 2]),
        (g[1, c], g[1, c + 1], g[1, c + 2]),
        (g[2, c], g[2, c + 1], g[2, c + 2]),
    )


@kernel
def put(g, c, x, second=True):
    """Write the derivatives of a jet into column c; without `second` the first one alone."""
    g[1, c] = x[1]
    if second:
        g[2, c] = x[2]


@kernel
def put3(g, c, v, second=True):
    """Write the derivatives of a vector's jet into columns c to c + 2; without `second` the first one alone."""
    for k in range(3):
        g[1, c + k] = v[1][k]
        if second:
            g[2, c + k] = v[2][k]


@kernel
def place3(g, c, v):
    """Write the value of a vector into columns c to c + 2."""
    for k in range(3):
        g[0, c + k] = v[k]


@kernel
def length_jet(length, a, b, t_a, t_b):
    """A shortest path's length as a jet, from its value, its ends and the unit tangents there.

    Its first variation is t_b . db - t_a . da; only the tangents' own change is left for the second.
    """
    first = dot(t_b[0], b[1]) - dot(t_a[0], a[1])
    second = dot(t_b[0], b[2]) - dot(t_a[0], a[2]) + dot(t_b[1], b[1]) - dot(t_a[1], a[1])
    return (length, first, second)
