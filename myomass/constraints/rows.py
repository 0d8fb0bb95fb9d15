"""The kernels that evaluate all rows of a model: their values, speeds, biases, and the wrenches that they pull with."""

from .._jit import kernel
from ..algorithms.rnea_partials import STEP
from ..spatial.algebra import add, cross, dot, load3, load33, matmul, mul, store3, store33, sub
from .dispatch import follow_formula


@kernel
def place_spot(end, here, q, spot, moved):
    """Frame of an end in the world into `spot`, and that frame a complex step further along its motion into `moved`.

    Needs: pose and twist of the end's link.
    """
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
    """Speed and bias of a row; its moments, about the ends' frames so far, are taken about the links' origins.

    Needs: poses and twists of the links, and the formula's answers in `row` and `moved`.
    """
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
    """Fill the record of every row.

    Needs: poses and twists of the links. Leaves: g, speed, bias, and what each row pulls at.
    """
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
    """G x of one row, summed from its ends inwards to the root.

    Needs: poses and columns of the links, `evaluate_rows`.
    """
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
    """d^2g/dt^2 of a row.

    Needs: accelerations of the links that belong to qddot, `evaluate_rows`.
    """
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
    """f += factor G^T of one row, from its ends inwards to the root.

    Needs: poses and columns of the links, `evaluate_rows`.
    """
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
