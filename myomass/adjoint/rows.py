"""Constraints on the way back: equality rows in a stage, and the projection of its end onto them.

A stage solves, beside r - G^T l = tau, for the rows' speeds G qdot + rate = 0, or for their accelerations. How G^T l,
speeds and accelerations of rows change with q and qdot comes from differences of fourth order, like the derivatives of
the projection; the multipliers l from the residual, by least squares.
"""

from .._jit import kernel
from ..algorithms.rnea import rnea_outward
from ..constraints.rows import add_row, evaluate_rows, row_acceleration
from ..constraints.solve import choose_rows
from ..dynamics.constrained import project
from ..dynamics.physics import fill_residual
from ..model.elements import ACCELERATION
from .momenta import STENCIL
from .stages import hold_states, open_scratch

STEP = 1e-4  # [rad or m, and per second] of the differences
SOFT = 1e-13  # lets rows depend on each other, as in integrators/newton_bound.py


@kernel
def look_at_rows(t, q, qdot, qddot, lam, scratch, rates, force, G):
    """force = G^T lam, rates = (speeds, accelerations) of the chosen rows, and G."""
    system = scratch.system
    tree, constraints = system.tree, system.constraints
    rnea_outward(tree, tree.gravity, q, qdot, qddot)
    evaluate_rows(t, q, qdot, tree, constraints)
    force[:] = 0.0
    for i in range(lam.shape[0]):
        row = constraints.rows[constraints.solver.chosen[i]]
        rates[0, i], rates[1, i] = row.speed, row_acceleration(row, tree.work, qddot)
        for k in range(q.shape[0]):
            G[i, k] = 0.0
        add_row(row, tree.links, tree.work, tree.dofs, 1.0, G[i])
        for k in range(q.shape[0]):
            force[k] += lam[i] * G[i, k]


@kernel
def find_rows(t, q, qdot, qddot, tau, system, level, G, r):
    """(number of equality rows up to a level); their G, and the residual r there."""
    constraints = system.constraints
    fill_residual(t, q, qdot, qddot, tau, system.no_wrenches, system, r)
    count = choose_rows(constraints.levels, constraints.unilateral, level, constraints.solver.chosen)
    evaluate_rows(t, q, qdot, system.tree, constraints)
    for i in range(count):
        for k in range(q.shape[0]):
            G[i, k] = 0.0
        add_row(
            constraints.rows[constraints.solver.chosen[i]],
            system.tree.links,
            system.tree.work,
            system.tree.dofs,
            1.0,
            G[i],
        )
    return count


@kernel
def add_slopes_of_rows(t, q, qdot, qddot, lam, scratch, room, forces, rates):
    """Derivatives of G^T lam by q (ndof, ndof), and of speeds and accelerations by q and qdot (2, 2, rows, ndof).

    room: (rows + 2, ndof + rows); the rows are those that `find_rows` chose; q and qdot move meanwhile.
    """
    n, count = q.shape[0], lam.shape[0]
    G, force, here = room[:count, :n], scratch.matrices.defect, room[count:, :count]
    for which in range(2):
        moved = qdot if which else q
        for k in range(n):
            start = moved[k]
            for node in range(STENCIL.shape[0]):
                moved[k] = start + STENCIL[node, 0] * STEP
                weight = STENCIL[node, 1] / STEP
                look_at_rows(t, q, qdot, qddot, lam, scratch, here, force, G)
                for i in range(count):
                    rates[which, 0, i, k] += weight * here[0, i]
                    rates[which, 1, i, k] += weight * here[1, i]
                if which == 0:
                    for j in range(n):
                        forces[j, k] += weight * force[j]
            moved[k] = start


@kernel(entry=True)
def slopes_of_projection(handle, t, q, qdot, room, slopes):
    """Derivatives of the projected (q, qdot) by those before, for Python. room: (2, ndof), slopes: (2 ndof, 2 ndof)"""
    scratch = open_scratch(handle, q)
    n = q.shape[0]
    for column in range(2 * n):
        for node in range(STENCIL.shape[0]):
            for k in range(n):
                room[0, k], room[1, k] = q[k], qdot[k]
            room[column // n, column % n] += STENCIL[node, 0] * STEP
            project(t, room[0], room[1], scratch.system)
            for k in range(n):
                slopes[k, column] += STENCIL[node, 1] / STEP * room[0, k]
                slopes[n + k, column] += STENCIL[node, 1] / STEP * room[1, k]


@kernel(entry=True)
def weigh_projections(handle, t, q, qdot, bars, products):
    """bars . projected (q, qdot) of some states, into products, for Python. bars: (states, quantities, 2 ndof)"""
    scratch = open_scratch(handle, t)
    place, n = (scratch.vectors[0], scratch.vectors[1]), q.shape[1]
    for s in range(t.shape[0]):
        for k in range(n):
            place[0][k], place[1][k] = q[s, k], qdot[s, k]
        project(t[s], place[0], place[1], scratch.system)
        for row in range(bars.shape[1]):
            products[s, row] = 0.0
            for k in range(n):
                products[s, row] += bars[s, row, k] * place[0][k] + bars[s, row, n + k] * place[1][k]


@kernel(entry=True)
def weigh_bound(handle, t, q, qdot, qddot, z, lam, y, multipliers, nu, products):
    """lam . (r - G^T l) + y . zdot + nu . (speeds, accelerations) at some stages, into products, for Python.

    multipliers: (stages, rows), nu: (stages, quantities, 2, rows); the others as in stages.weigh_with_states.
    """
    scratch = open_scratch(handle, t)
    system, matrices = scratch.system, scratch.matrices
    r, force = matrices.defect, scratch.vectors[0]
    constraints, level = system.constraints, ACCELERATION
    count = choose_rows(constraints.levels, constraints.unilateral, level, constraints.solver.chosen)
    G, rates = scratch.rows[:count, : q.shape[1]], scratch.rows[count:, :count]
    for s in range(t.shape[0]):
        hold_states(z[s], system)
        fill_residual(t[s], q[s], qdot[s], qddot[s], system.no_torques, system.no_wrenches, system, r)
        for row in range(lam.shape[1]):
            products[s, row] = 0.0
            for k in range(z.shape[1]):
                products[s, row] += y[s, row, k] * system.muscles.drive.zdot[k]
        look_at_rows(t[s], q[s], qdot[s], qddot[s], multipliers[s], scratch, rates, force, G)
        for row in range(lam.shape[1]):
            for k in range(q.shape[1]):
                products[s, row] += lam[s, row, k] * (r[k] - force[k])
            for i in range(count):
                products[s, row] += nu[s, row, 0, i] * rates[0, i] + nu[s, row, 1, i] * rates[1, i]
