"""Constraints in the kernels that go back through a stage: what rows.py does from Python, on scratch."""

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..algorithms import lu
from ..model import Model
from ..model.elements import ACCELERATION, VELOCITY
from .rows import SOFT, add_slopes_of_rows, find_rows

SOFTER, REFINED = 1e-10, 6  # of G G^T for multipliers, and how often what that spoils is made good


class Ties(Bundle):
    """Scratch: the rows of a stage, how they change, and systems with them."""

    G = fields.plain(np.float64, 2)
    multipliers = fields.plain(np.float64)
    by_force = fields.plain(np.float64, 2)  # derivatives of G^T l by q
    rates = fields.plain(np.float64, 4)  # of speeds and accelerations of rows by q and qdot
    room = fields.plain(np.float64, 2)
    saddle = fields.plain(np.float64, 2)
    order = fields.plain(np.int64, 2)
    given = fields.plain(np.float64)
    found = fields.plain(np.float64)
    products = fields.plain(np.float64, 2)  # G G^T


open_ties = opener(Ties)


def ties_of(model: Model) -> Ties:
    """Scratch for the constraints of a model."""
    n, most = model.ndof, len(model.constraints.levels)
    room = {
        "G": np.zeros((most, n)),
        "multipliers": np.zeros(most),
        "by_force": np.zeros((n, n)),
        "rates": np.zeros((2, 2, most, n)),
        "room": np.zeros((most + 2, n + most)),
        "saddle": np.zeros((n + most, n + most)),
        "order": np.zeros((2, n + most), np.int64),
        "given": np.zeros(n + most),
        "found": np.zeros(n + most),
        "products": np.zeros((most, most)),
    }
    return Ties(np.float64, **room)


@kernel
def find_multipliers(count, r, ties):
    """The multipliers of G^T l = r by least squares, G G^T made a little softer, and that undone; r is used up."""
    G, A, order, l_more, left = ties.G, ties.products[:count, :count], ties.order[:, :count], ties.found, ties.given
    size = 0.0
    for i in range(count):
        ties.multipliers[i] = 0.0
        for j in range(count):
            A[i, j] = 0.0
            for k in range(r.shape[0]):
                A[i, j] += G[i, k] * G[j, k]
        size = max(size, A[i, i])
    for i in range(count):
        A[i, i] += SOFTER * size
    if not lu.factorise(A, 0, order):
        return
    for _ in range(REFINED):
        for i in range(count):
            left[i] = 0.0
            for k in range(r.shape[0]):
                left[i] += G[i, k] * r[k]
        lu.solve(A, order, left[:count], l_more[:count])
        for i in range(count):
            ties.multipliers[i] += l_more[i]
            for k in range(r.shape[0]):
                r[k] -= l_more[i] * G[i, k]


@kernel
def tie(t, q, qdot, qddot, tau, implicit, scratch, ties):
    """Rows of a stage, their multipliers, and how they change; returns how many there are."""
    r, moved, rates = scratch.matrices.defect, scratch.vectors[4], scratch.vectors[5]
    level = VELOCITY if implicit else ACCELERATION
    count = find_rows(t, q, qdot, qddot, tau, scratch.system, level, ties.G, r)
    find_multipliers(count, r, ties)
    for k in range(q.shape[0]):
        moved[k], rates[k] = q[k], qdot[k]
    ties.by_force[:, :] = 0.0
    ties.rates[:, :, :, :] = 0.0
    lam, room = ties.multipliers[:count], ties.room[: count + 2, : q.shape[0] + count]
    add_slopes_of_rows(t, moved, rates, qddot, lam, scratch, room, ties.by_force, ties.rates[:, :, :count, :])
    return count


@kernel
def factorise_tied(count, H, alpha, ties):
    """Factorise [e C; -G^T H], with C = G, or in an implicit stage (alpha > 0) how speeds change; False if singular."""
    n, A, size = H.shape[0], ties.saddle, 0.0
    for i in range(count):
        softness = 0.0
        for k in range(n):
            softness += ties.G[i, k] * ties.G[i, k] / abs(H[k, k])
        size = max(size, softness)
    for i in range(count):
        for j in range(count):
            A[i, j] = 0.0
        A[i, i] = SOFT * size
        for k in range(n):
            A[i, count + k], A[count + k, i] = ties.G[i, k], -ties.G[i, k]
            if alpha > 0.0:
                A[i, count + k] = ties.rates[1, 0, i, k] + ties.rates[0, 0, i, k] / alpha
    for j in range(n):
        for k in range(n):
            A[count + j, count + k] = H[j, k]
    return lu.factorise(A[: count + n, : count + n], count, ties.order[:, : count + n])


@kernel
def solve_tied(count, rhs, ties, lam, nu):
    """(lambda, nu) of the transposed system, (rhs, 0) on its right."""
    size = count + lam.shape[0]
    for i in range(count):
        ties.given[i] = 0.0
    for k in range(lam.shape[0]):
        ties.given[count + k] = rhs[k]
    lu.solve_transposed(ties.saddle[:size, :size], ties.order[:, :size], ties.given[:size], ties.found[:size])
    for i in range(count):
        nu[i] = ties.found[i]
    for k in range(lam.shape[0]):
        lam[k] = ties.found[count + k]


@kernel
def copy_rows(G, ties):
    """Take rows that are known."""
    for i in range(G.shape[0]):
        for k in range(G.shape[1]):
            ties.G[i, k] = G[i, k]


@kernel(entry=True)
def solve_step(handle, H, G, rhs, rest, v, multipliers):
    """v of [H -G^T; G e] (v, l) = (rhs, -rest), and multipliers by least squares, for Python; False if singular."""
    ties, count, n = open_ties(handle, v), rest.shape[0], v.shape[0]
    size = count + n
    copy_rows(G, ties)
    if not factorise_tied(count, H, 0.0, ties):
        return False
    for i in range(count):
        ties.given[i] = -rest[i]
    for k in range(n):
        ties.given[count + k] = rhs[k]
    lu.solve(ties.saddle[:size, :size], ties.order[:, :size], ties.given[:size], ties.found[:size])
    r = ties.room[0]
    for k in range(n):
        v[k] = ties.found[count + k]
    for k in range(n):
        r[k] = -rhs[k]
        for j in range(n):
            r[k] += H[k, j] * v[j]
    find_multipliers(count, r[:n], ties)
    for i in range(count):
        multipliers[i] = ties.multipliers[i]
    return True


@kernel(entry=True)
def solve_step_transposed(handle, H, G, rhs, lam, nu):
    """(lam, nu) of [H -G^T; G e]^T (lam, nu) = (rhs, 0), of some quantities, for Python; False if singular."""
    ties, count = open_ties(handle, rhs), G.shape[0]
    copy_rows(G, ties)
    if not factorise_tied(count, H, 0.0, ties):
        return False
    for row in range(rhs.shape[0]):
        solve_tied(count, rhs[row], ties, lam[row], nu[row])
    return True
