"""Inertia of a link in world axes about its origin, and the wrenches that belong to it."""

from numba.core import types

from .._jit import kernel
from ..spatial.algebra import (
    add,
    add6,
    add_scaled,
    cross,
    dot,
    load3,
    load6,
    load33,
    mul,
    mul_sym,
    mul_T,
    rotate_sym,
    scale,
    store3,
    store6,
    sub,
)
from .kinematics import body_place


@kernel
def world_inertia(link, here):
    """(m, c, A): mass, first moment and inertia of the link in world axes about its origin."""
    R = load33(here.R)
    return link.mass, mul(R, load3(link.moment)), rotate_sym(R, load6(link.inertia))


@kernel
def rigid_times(m, c, A, w, v):
    """M (w, v) of a rigid inertia: moment (or angular momentum) and force (or momentum)."""
    return add(mul_sym(A, w), cross(c, v)), add(scale(m, v), cross(w, c))


@kernel
def velocity_wrench(m, c, A, w, v):
    """-ad(V)^T M V, the wrench that keeps a free body's momentum turning with it.

    Terms such as v x m v, which vanish, are left out, so that a small body in fast flight loses no digits.
    """
    wv = cross(w, v)
    return add(cross(w, mul_sym(A, w)), cross(c, wv)), add(scale(m, wv), cross(w, cross(w, c)))


@kernel
def times(M, w, v):
    """M (w, v) for an inertia of any form M = (A, B, C), [A B; B^T C]."""
    A, B, C = M
    return add(mul_sym(A, w), mul(B, v)), add(mul_T(B, w), mul_sym(C, v))


@kernel
def shifted_inertia(m, c, A, r):
    """(c, A) of a rigid inertia about a point -r from its own: c + m r, A + m(r.r - r r^T) + 2 c.r - c r^T - r c^T."""
    e = add_scaled(scale(2.0, c), m, r)  # A' = A + (r.e) I - (r e^T + e r^T)/2
    re = dot(r, e)
    sym = (
        re - r[0] * e[0],
        -0.5 * (r[0] * e[1] + r[1] * e[0]),
        -0.5 * (r[0] * e[2] + r[2] * e[0]),
        re - r[1] * e[1],
        -0.5 * (r[1] * e[2] + r[2] * e[1]),
        re - r[2] * e[2],
    )
    return add_scaled(c, m, r), add6(A, sym)


@kernel
def place_own(links, work):
    """Inertia of every link alone, kept as (C[0], n, A) = (m, c, A).

    Needs: poses of the links.
    """
    for i in range(1, links.shape[0]):
        m, c, A = world_inertia(links[i], work[i])
        work[i].C[0] = m
        store3(work[i].n, c)
        store6(work[i].A, A)


@kernel
def gather_composite(links, work):
    """Add to every link's inertia (m, c, A) those of all links that it carries.

    Needs: `place_own`.
    """
    for i in range(links.shape[0] - 1, 0, -1):
        here, parent = work[i], work[links[i].parent]
        if links[i].parent > 0:
            m = here.C[0]
            c, A = shifted_inertia(m, load3(here.n), load6(here.A), load3(here.r))
            parent.C[0] += m
            store3(parent.n, add(load3(parent.n), c))
            store6(parent.A, add6(load6(parent.A), A))


@kernel
def place_composite(links, work):
    """Composite inertia (m, c, A) of every link: its own and that of all links it carries.

    Needs: poses of the links.
    """
    place_own(links, work)
    gather_composite(links, work)


@kernel
def subtract_wrenches(bodies, wrenches, work):
    """Subtract given wrenches on bodies, (moment, force) in body frames, from (n, f) of their links.

    Needs: poses of the links, and n and f.
    """
    for i in range(wrenches.shape[0]):
        here = work[bodies[i].link]
        R, offset = body_place(bodies[i], here)
        force = mul(R, load3(wrenches[i, 3:]))
        moment = add(mul(R, load3(wrenches[i, :3])), cross(offset, force))
        store3(here.n, sub(load3(here.n), moment))
        store3(here.f, sub(load3(here.f), force))


@kernel(on_demand=types.none)
def subtract_given(bodies, wrenches, work):
    """`subtract_wrenches` where somebody has given some; compiled when that first happens."""
    subtract_wrenches(bodies, wrenches, work)


@kernel
def all_finite(values):
    """True if every entry of a vector is finite."""
    total = values.dtype.type(0)
    for k in range(values.shape[0]):
        total += values[k] * 0.0
    return total == 0.0


@kernel
def finite_diagonal(matrix):
    """True if every entry on the diagonal of a matrix is finite."""
    total = matrix.dtype.type(0)
    for k in range(matrix.shape[0]):
        total += matrix[k, k] * 0.0
    return total == 0.0
