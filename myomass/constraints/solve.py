"""Multipliers of equality rows, in linear time or by the dense form.

M^-1 = L^-T L^-1, whether L is Cholesky's factor or what the recursion leaves: a row G, taken inwards along its own path
to the root only, meets the pivots d of hybrid dynamics and gives a whitened row B = G L^-T,

    u_k = s_k . F + c_k,   B_k = u_k sqrt(d_k),   F <- F - d_k u_k U_k

so that G M^-1 G^T = B B^T, and M^-1 G^T lam is one sweep outwards with B^T lam. Rows that depend on each other, or that
cannot all hold, get the answer of least squares and least norm from the eigenvectors of B B^T, its eigenvalues e
inverted as e/(e^2 + d^2): so a mechanism passes singular poses smoothly, where a direction counts less and less.
"""

import warnings

import numpy as np

from .._jit import Bundle, kernel
from .._jit import bundle as fields
from ..algorithms import cholesky
from ..model import Model
from ..spatial.algebra import add, add_scaled, cross, dot, load3, store3

NEARLY, DEPENDENT = 1e-5, 1e-11  # pivot of B B^T (scaled) that calls for eigenvectors; eigenvalue that counts as zero
SHARP, BLUNT = 1e-10, 1e-8  # d: for forces, and for projections, which rounding troubles sooner
INCONSISTENT = 1e-6  # relative miss of dependent rows that is more than rounding
OFTEN = 0.02  # share of all solves from which dependent rows are named; passing a singular pose takes fewer
ROTATIONS = 30  # most sweeps of Jacobi's method


class RowSolver(Bundle):
    """Scratch in which the multipliers of a model's rows are solved for."""

    B = fields.plain(np.float64, 2)  # whitened rows, (rows, ndof)
    W = fields.plain(np.float64, 2)  # B B^T
    V = fields.plain(np.float64, 2)  # Cholesky's factor, or the eigenvectors, of W
    rhs = fields.plain(np.float64)
    lam = fields.plain(np.float64)  # multipliers of the chosen rows
    y = fields.plain(np.float64)  # B^T lam
    chosen = fields.plain(np.int64)
    scales = fields.plain(np.float64)
    dependence = fields.plain(np.float64)  # of each row its shares in dependences; worst relative miss; solves
    groups = fields.plain(np.int64)  # the part that each row belongs to


def solver_arrays(model: Model, scalar: type) -> RowSolver:
    """Scratch for all rows of a model."""
    m, n = len(model.constraints), model.ndof
    groups = np.repeat(np.arange(len(model.constraints.table)), model.constraints.table["count"])
    vectors = {key: np.zeros(m) for key in ("rhs", "lam", "scales")}
    matrices = {"B": np.zeros((m, n)), "W": np.zeros((m, m)), "V": np.zeros((m, m))}
    counts = {"chosen": np.zeros(m, np.int64), "groups": groups.astype(np.int64)}
    return RowSolver(scalar, **matrices, **vectors, **counts, y=np.zeros(n), dependence=np.zeros(m + 2))


@kernel
def choose_rows(levels, unilateral, most, chosen):
    """List in `chosen` the equality rows prescribed at level `most` or below, and so not friction; returns how many."""
    count = 0
    for r in range(levels.shape[0]):
        if levels[r] <= most and not unilateral[r]:
            chosen[count] = r
            count += 1
    return count


@kernel
def whiten_link(i, links, dofs, row, prescribed, n, f, out):
    """B_k of the columns of link i under the wrench (n, f), into out; returns what is left of the wrench."""
    for k in range(links[i].dof + links[i].ndof - 1, links[i].dof - 1, -1):
        if prescribed[k]:
            continue
        column = dofs[k]
        u = dot(load3(column.s_w), n) + dot(load3(column.s_v), f)
        for e in range(2):
            if row.dof[e] == k:
                u += row.c[e]
        out[k] = u * np.sqrt(column.Dinv)
        by = -column.Dinv * u
        n, f = add_scaled(n, by, load3(column.U_w)), add_scaled(f, by, load3(column.U_v))
    return n, f


@kernel(inline=False)
def whiten_row(row, tree, prescribed, out):
    """out = B of one row; both ends are followed inwards, the outer one first, until they meet or reach the root.

    Needs: poses of the links, the pivots of hybrid dynamics, `evaluate_rows`.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    out[:] = 0.0
    i, j = row.link[0], row.link[1]
    n_i, f_i, n_j, f_j = load3(row.n[0]), load3(row.f[0]), load3(row.n[1]), load3(row.f[1])
    while i > 0 or j > 0:
        if i == j:
            n_i, f_i = add(n_i, n_j), add(f_i, f_j)
            j = 0
        if i > j:
            n_i, f_i = whiten_link(i, links, dofs, row, prescribed, n_i, f_i, out)
            n_i = add(n_i, cross(load3(work[i].r), f_i))
            i = links[i].parent
        else:
            n_j, f_j = whiten_link(j, links, dofs, row, prescribed, n_j, f_j, out)
            n_j = add(n_j, cross(load3(work[j].r), f_j))
            j = links[j].parent


@kernel(inline=False)
def spread(tree, y, prescribed, x):
    """x = L^-T y of the recursion, outwards; x may be y itself.

    Needs: poses of the links, the pivots of hybrid dynamics. Leaves: the links' accelerations overwritten.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    o = y[0] * 0.0 if y.shape[0] > 0 else 0.0
    for i in range(1, links.shape[0]):
        link, here = links[i], work[i]
        a_w, a_v = (o, o, o), (o, o, o)
        if link.parent > 0:
            a_w = load3(work[link.parent].a_w)
            a_v = add(load3(work[link.parent].a_v), cross(a_w, load3(here.r)))
        for k in range(link.dof, link.dof + link.ndof):
            column = dofs[k]
            response = o
            if not prescribed[k]:
                response = np.sqrt(column.Dinv) * y[k]
                response -= column.Dinv * (dot(load3(column.U_w), a_w) + dot(load3(column.U_v), a_v))
            x[k] = response
            a_w = add_scaled(a_w, x[k], load3(column.s_w))
            a_v = add_scaled(a_v, x[k], load3(column.s_v))
        store3(here.a_w, a_w)
        store3(here.a_v, a_v)


@kernel
def spread_dense(L, y, x):
    """x = L^-T y, L Cholesky's factor (lower triangle); x may be y itself."""
    n = y.shape[0]
    for i in range(n - 1, -1, -1):
        total = y[i]
        for k in range(i + 1, n):
            total -= L[k, i] * x[k]
        x[i] = total / L[i, i]


@kernel
def fill_delassus(count, B, W):
    """W = B B^T = G M^-1 G^T of the first `count` rows."""
    for r in range(count):
        for s in range(r + 1):
            total = 0.0
            for k in range(B.shape[1]):
                total += B[r, k] * B[s, k]
            W[r, s] = total
            W[s, r] = total


@kernel(inline=False)
def jacobi(count, A, V):
    """Eigenvalues of a symmetric A, left on its diagonal, and eigenvectors, the columns of V."""
    for i in range(count):
        for j in range(count):
            V[i, j] = 1.0 if i == j else 0.0
    for _ in range(ROTATIONS):
        rest = 0.0
        for p in range(count):
            for q in range(p):
                rest = max(rest, abs(A[p, q]))
        if rest < 1e-16:
            break
        for p in range(1, count):
            for q in range(p):
                if abs(A[p, q]) < 1e-300:
                    continue
                theta = (A[q, q] - A[p, p]) / (2.0 * A[p, q])
                t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + np.sqrt(theta * theta + 1.0))
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                for k in range(count):
                    A[k, p], A[k, q] = c * A[k, p] - s * A[k, q], s * A[k, p] + c * A[k, q]
                for k in range(count):
                    A[p, k], A[q, k] = c * A[p, k] - s * A[q, k], s * A[p, k] + c * A[q, k]
                    V[k, p], V[k, q] = c * V[k, p] - s * V[k, q], s * V[k, p] + c * V[k, q]


@kernel
def scale_rows(count, W, chosen, groups, scales):
    """Scale W to a unit diagonal; rows of one part by their largest, so that a vanishing one stays small."""
    for r in range(count):
        largest = W[r, r]
        for s in range(count):
            if groups[chosen[s]] == groups[chosen[r]]:
                largest = max(largest, W[s, s])
        scales[r] = 1.0 / np.sqrt(largest) if largest > 0.0 else 0.0
    for r in range(count):
        for s in range(count):
            W[r, s] *= scales[r] * scales[s]


@kernel(inline=False)
def solve_dependent(count, damping, W, V, rhs, lam, chosen, scales, dependence):
    """Fill lam of least squares and least norm where W (scaled) is singular.

    Adds to dependence[r] the share of row r in each dependence, and keeps in dependence[-2] the worst relative miss.
    """
    jacobi(count, W, V)
    miss = size = 0.0
    for r in range(count):
        lam[r] = 0.0
        size += (scales[r] * rhs[r]) ** 2
    for e in range(count):
        part = 0.0
        for r in range(count):
            part += V[r, e] * scales[r] * rhs[r]
        inverse = W[e, e] / (W[e, e] * W[e, e] + damping * damping)
        for r in range(count):
            lam[r] += V[r, e] * part * inverse
        if W[e, e] <= DEPENDENT:
            miss += part * part
            for r in range(count):
                dependence[chosen[r]] += V[r, e] * V[r, e]
    if size > 0.0:
        dependence[-2] = max(dependence[-2], np.sqrt(miss / size))
    for r in range(count):
        lam[r] *= scales[r]


@kernel(unit=True)
def solve_rows(count, damping, solver):
    """Fill lam of (B B^T) lam = rhs and y = B^T lam; by Cholesky where the rows are well independent.

    Needs: whitened rows B, rhs and `chosen` of the first `count` rows. Leaves: lam and y.
    """
    B, W, V, rhs, lam, y = solver.B, solver.W, solver.V, solver.rhs, solver.lam, solver.y
    chosen, scales, dependence, groups = solver.chosen, solver.scales, solver.dependence, solver.groups
    dependence[-1] += 1.0
    fill_delassus(count, B, W)
    scale_rows(count, W, chosen, groups, scales)
    for r in range(count):
        lam[r] = scales[r] * rhs[r]
        for s in range(r + 1):
            V[r, s] = W[r, s]
    regular = True
    for j in range(count):
        for k in range(j):
            V[j, j] -= V[j, k] * V[j, k]
        if not V[j, j] > NEARLY:
            regular = False
            break
        V[j, j] = np.sqrt(V[j, j])
        for i in range(j + 1, count):
            for k in range(j):
                V[i, j] -= V[i, k] * V[j, k]
            V[i, j] /= V[j, j]
    if regular:
        cholesky.solve(V[:count, :count], lam[:count])
        for r in range(count):
            lam[r] *= scales[r]
    else:
        solve_dependent(count, damping, W, V, rhs, lam, chosen, scales, dependence)
    for k in range(y.shape[0]):
        total = 0.0
        for r in range(count):
            total += B[r, k] * lam[r]
        y[k] = total


def dependent_rows(model: Model, dependence: np.ndarray) -> tuple[list[str], float]:
    """(names of the rows that depended on each other in more than OFTEN of the solves, their worst relative miss)."""
    shares = dependence[:-2] / max(dependence[-1], 1.0)
    rows = zip(model.constraints.names, shares, model.constraints.unilateral, strict=True)
    return [name for name, share, one_sided in rows if share > OFTEN and not one_sided], float(dependence[-2])


def warn_dependent(model: Model, names: list[str], miss: float, stacklevel: int = 4) -> None:
    """Warn which rows depend on each other, or cannot all hold, if there are any."""
    if names:
        what = "cannot all hold" if miss > INCONSISTENT else "depend on each other"
        text = f"model {model.name!r}: these rows {what}: {', '.join(names)}; they are met by least squares"
        warnings.warn(text, RuntimeWarning, stacklevel=stacklevel)
