"""All rows of a model at once: their values, speeds, biases, and what they pull at.

The links' poses and twists must stand in `tree` already.
"""

from .._jit import kernel
from ..algorithms.rnea_partials import STEP
from ..spatial.algebra import add, cross, dot, load3, load33, matmul, mul, store3, store33, sub
from .dispatch import follow_formula


@kernel
def place_spot(end, here, q, spot, moved):
    """An end's frame in the world, or its coordinate; and the same a complex step further along its motion."""
    R, w = load33(here.R), load3(here.w)
    offset = mul(R, load3(end.p))
    x, v = add(load3(here.x), offset), add(load3(here.v), cross(w, offset))
    R = matmul(R, load33(end.R))
    store3(spot.x, x)
    store33(spot.R, R)
    for k in range(3):
        moved.x[k] = x[k] + 1j * STEP * v[k]
        column = (R[0][k], R[1][k], R[2][k])
        turn = cross(w, column)
        for j in range(3):
            moved.R[j, k] = column[j] + 1j * STEP * turn[j]


@kernel
def finish_row(row, moved, spots, gravity, work, qdot):
    """Speed and bias of a row; its moments, taken about the ends' frames, become those about the links' origins."""
    speed, bias = row.rate, moved.rate.imag / STEP
    for e in range(2):
        if row.dof[e] >= 0:
            speed += row.c[e] * qdot[row.dof[e]]
            bias += moved.c[e].imag / STEP * qdot[row.dof[e]]
        elif row.link[e] > 0:
            here = work[row.link[e]]
            n, f, w, v = load3(row.n[e]), load3(row.f[e]), load3(here.w), load3(here.v)
            offset = sub(load3(spots[e].x), load3(here.x))
            v_spot = add(v, cross(w, offset))
            speed += dot(n, w) + dot(f, v_spot)
            for k in range(3):
                bias += (moved.n[e, k].imag * w[k] + moved.f[e, k].imag * v_spot[k]) / STEP
            bias += dot(f, add(cross(w, v_spot), load3(gravity)))
            store3(row.n[e], add(n, cross(offset, f)))
    row.speed, row.bias, row.drift = speed, bias, moved.rate.imag / STEP


@kernel(unit=True)
def evaluate_rows(t, q, qdot, tree, constraints):
    """Fill the record of every row."""
    table, ends, params = constraints.table, constraints.ends, constraints.params
    spots, moved = constraints.spots, constraints.moved_spots
    rows, moved_rows, gravity, work = constraints.rows, constraints.moved_rows, tree.gravity, tree.work
    for i in range(table.shape[0]):
        part = table[i]
        for e in range(2):
            end = ends[2 * i + e]
            if end.dof >= 0:
                spots[e].q = q[end.dof]
                moved[e].q = q[end.dof] + 1j * STEP * qdot[end.dof]
            else:
                place_spot(end, work[end.link], q, spots[e], moved[e])
        first, last = part.row, part.row + part.count
        follow_formula(part.kind, params, part.at, t, spots, rows[first:last])
        follow_formula(part.kind, params, part.at, t + 1j * STEP, moved, moved_rows[first:last])
        for r in range(first, last):
            finish_row(rows[r], moved_rows[r], spots, gravity, work, qdot)


@kernel
def row_along(row, links, work, dofs, x):
    """G x of one row: from its ends inwards to the root."""
    total = 0.0
    for e in range(2):
        if row.dof[e] >= 0:
            total += row.c[e] * x[row.dof[e]]
            continue
        i, n, p = row.link[e], load3(row.n[e]), load3(row.f[e])
        while i > 0:
            for k in range(links[i].dof, links[i].dof + links[i].ndof):
                total += x[k] * (dot(load3(dofs[k].s_w), n) + dot(load3(dofs[k].s_v), p))
            n = add(n, cross(load3(work[i].r), p))
            i = links[i].parent
    return total


@kernel
def row_acceleration(row, work, qddot):
    """d^2g/dt^2 of a row at the links' accelerations that stand and at qddot."""
    total = row.bias
    for e in range(2):
        if row.dof[e] >= 0:
            total += row.c[e] * qddot[row.dof[e]]
        elif row.link[e] > 0:
            here = work[row.link[e]]
            total += dot(load3(row.n[e]), load3(here.a_w)) + dot(load3(row.f[e]), load3(here.a_v))
    return total


@kernel
def add_row(row, links, work, dofs, factor, f):
    """f += factor G^T of one row: from its ends inwards to the root."""
    for e in range(2):
        if row.dof[e] >= 0:
            f[row.dof[e]] += factor * row.c[e]
            continue
        i, n, p = row.link[e], load3(row.n[e]), load3(row.f[e])
        while i > 0:
            for k in range(links[i].dof, links[i].dof + links[i].ndof):
                f[k] += factor * (dot(load3(dofs[k].s_w), n) + dot(load3(dofs[k].s_v), p))
            n = add(n, cross(load3(work[i].r), p))
            i = links[i].parent
