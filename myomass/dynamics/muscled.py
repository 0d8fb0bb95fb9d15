"""What muscles add to the physics. Each of these is compiled when a model first has muscles that have mass or pull.

With massive muscles M is no longer the tree's alone: each couples the few degrees of freedom that it spans, and all
further in. M is filled by composite bodies, O(n depth), muscles added, and factorised as L^T L from the leaves inwards
along an elimination tree (algorithms/cholesky), in which a muscle between two branches joins them: O(sum of depth^2),
as sparse as the tree where muscles follow chains. The forces on the right come from one pass of inverse dynamics. Where
accelerations are prescribed, that pass has them and their rows are taken out of M.
"""

from numba.core import types

from .._jit import kernel
from ..algorithms.cholesky import factorise_inwards, solve_inwards, solve_outwards, weak_pivot
from ..algorithms.inertias import subtract_given
from ..algorithms.rnea import accelerate as accelerate_link
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import STEP
from ..constraints.rows import add_row
from ..deformables.acting import accelerate_soft, add_soft_forces
from ..forces.apply import add_forces
from ..joints.links import move_link
from ..muscles import equations, tension, wrenches
from ..spatial.algebra import store3


@kernel(inline=False)
def accelerate_links(tree, gravity, qddot):
    """Accelerations, less gravity, of all links.

    Needs: poses and twists of the links.
    """
    links, work, dofs = tree.links, tree.work, tree.dofs
    store3(work[0].a_v, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, links.shape[0]):
        accelerate_link(links[i], work[i], work[links[i].parent], qddot, dofs)


@kernel(inline=False)
def factorise(tree, muscles, prescribed):
    """L of M without what is prescribed.

    Needs: the muscles' inertia, as `evaluate` keeps it.
    """
    L = muscles.scratch.matrix
    equations.fill_mass(tree, muscles, L)
    for k in range(L.shape[0]):
        if prescribed[k]:
            L[k, :] = 0.0
            L[:, k] = 0.0
            L[k, k] = 1.0
    factorise_inwards(L, muscles.inner)


@kernel(on_demand=types.none)
def accelerate_muscled(t, q, qdot, tau, wrenches, tree, forces, muscles, soft, prescribed, qddot):
    """Fill qddot where it is not prescribed.

    Leaves: L, and poses, twists and accelerations of the links.
    """
    L, inner, given, r = muscles.scratch.matrix, muscles.inner, muscles.scratch.given, muscles.scratch.residual
    n = L.shape[0]
    for k in range(q.shape[0]):
        given[k] = qddot[k] if prescribed[k] else q[k] * 0.0
    rnea_outward(tree, tree.gravity, q, qdot, given)
    if wrenches.shape[0] > 0:
        subtract_given(tree.bodies, wrenches, tree.work)
    add_forces(t, q, qdot, tau, tree, forces)
    if soft.count > 0:
        add_soft_forces(q, qdot, tree, soft, forces.total)
        accelerate_soft(tau, tree.gravity, soft, prescribed, forces.total, qddot)
    pass_wrench(tree.links, tree.work, tree.dofs, r)
    equations.evaluate(t, q, qdot, given, tree, muscles, True, True, -1, r)
    factorise(tree, muscles, prescribed)
    for k in range(n):
        r[k] = given[k] if prescribed[k] else forces.total[k] - r[k]
    solve_inwards(L, inner, r[:n])
    solve_outwards(L, inner, r[:n])
    for k in range(n):
        qddot[k] = r[k]
    accelerate_links(tree, tree.gravity, qddot)


@kernel(on_demand=types.int64)
def weak_muscled_pivot(muscles, prescribed, rounding):
    """First degree of freedom whose pivot in L is rounding against its inertia, REGULAR if there is none.

    Needs: L.
    """
    return weak_pivot(muscles.scratch.matrix, True, prescribed, rounding)


@kernel(on_demand=types.none)
def place_muscled(t, q, qdot, tree, muscles, prescribed):
    """Poses, twists and L at a state."""
    given = muscles.scratch.given
    for k in range(q.shape[0]):
        given[k] = q[k] * 0.0
    rnea_outward(tree, tree.gravity, q, qdot, given)
    keep_inertia(t, q, qdot, given, tree, muscles)
    factorise(tree, muscles, prescribed)


@kernel
def keep_inertia(t, q, qdot, qddot, tree, muscles):
    """Have `evaluate` keep the muscles' inertia, and drop their forces."""
    dropped = muscles.scratch.dropped
    dropped[:] = 0.0
    equations.evaluate(t, q, qdot, qddot, tree, muscles, False, True, -1, dropped)


@kernel(on_demand=types.none)
def fill_muscled_mass(t, q, qdot, qddot, tree, muscles, M):
    """M of tree and muscles.

    Needs: poses, twists and accelerations of the links.
    """
    keep_inertia(t, q, qdot, qddot, tree, muscles)
    equations.fill_mass(tree, muscles, M)


@kernel(on_demand=types.none)
def add_muscled_mass(tree, muscles, M):
    """M += sum of J^T m J of the muscles.

    Needs: the muscles' inertia, as `evaluate` keeps it.
    """
    equations.add_inertia(tree, muscles, M)


@kernel(on_demand=types.none)
def add_residual(t, q, qdot, qddot, tree, muscles, pulls, r):
    """r += what muscles add to the residual, their tensions only if `pulls`.

    Needs: poses, twists and accelerations of the links. Leaves: the muscles' inertia.
    """
    equations.evaluate(t, q, qdot, qddot, tree, muscles, pulls, True, -1, r)


@kernel(on_demand=types.none)
def subtract_bias(t, q, qdot, tree, muscles, f):
    """f -= what muscles add to the residual at qddot = 0.

    Needs: poses and twists of the links. Leaves: the muscles' inertia.
    """
    still, r = muscles.scratch.given, muscles.scratch.residual
    for k in range(q.shape[0]):
        still[k] = q[k] * 0.0
        r[k] = q[k] * 0.0
    accelerate_links(tree, tree.gravity, still)
    equations.evaluate(t, q, qdot, still, tree, muscles, True, True, -1, r)
    for k in range(q.shape[0]):
        f[k] -= r[k]


@kernel(on_demand=types.none)
def add_tensions(t, q, qdot, tree, muscles, f):
    """f += generalized forces of the muscles' tensions.

    Needs: poses of the links.
    """
    tension.add_tensions(t, q, qdot, tree, muscles, -1, f)


@kernel(on_demand=types.none)
def sum_muscles(t, q, qdot, tree, muscles, energies):
    """energies += (T, V) of the muscles.

    Needs: poses and twists of the links.
    """
    T, V = equations.energy_of(t, q, qdot, tree, muscles)
    energies[0] += T
    energies[1] += V


@kernel(on_demand=types.none)
def sum_muscle_momenta(q, qdot, tree, muscles, out):
    """out += (mass, momentum, first moment, angular momentum about the origin) of all muscles.

    Needs: poses and twists of the links.
    """
    equations.add_momenta(q, qdot, tree, muscles, out)


@kernel(on_demand=types.none)
def add_muscle_wrenches(t, q, qdot, qddot, tree, muscles, out):
    """Add what muscles do to the bodies.

    Needs: poses, twists and accelerations of the links.
    """
    wrenches.add_wrenches(t, q, qdot, qddot, tree, muscles, out)


@kernel(on_demand=types.none)
def whiten_muscled(row, tree, muscles, prescribed, out):
    """out = G L^-1 of one row of constraints.

    Needs: L.
    """
    out[:] = 0.0
    add_row(row, tree.links, tree.work, tree.dofs, 1.0, out)
    for k in range(out.shape[0]):
        if prescribed[k]:
            out[k] = 0.0
    solve_inwards(muscles.scratch.matrix, muscles.inner, out[: muscles.scratch.matrix.shape[0]])


@kernel(on_demand=types.none)
def spread_muscled(muscles, y, x):
    """x = L^-1 y; x may be y itself.

    Needs: L.
    """
    for k in range(x.shape[0]):
        x[k] = y[k]
    solve_outwards(muscles.scratch.matrix, muscles.inner, x[: muscles.scratch.matrix.shape[0]])


@kernel
def follow_states(muscles, shadow):
    """Give the shadow the states of muscles and what drives them."""
    drive, theirs = muscles.drive, shadow.drive
    theirs.stage[0], theirs.stage[1] = drive.stage[0], drive.stage[1]
    for k in range(drive.z.shape[0]):
        theirs.z[k], theirs.base[k] = drive.z[k], drive.base[k]
    for i in range(drive.excitation.shape[0]):
        theirs.excitation[i], theirs.curve[i] = drive.excitation[i], drive.curve[i]
    for r in range(drive.heard.shape[0]):
        theirs.heard[r] = drive.heard[r]


@kernel
def move_from(first, tree, q, qdot, qddot):
    """Poses, twists and accelerations of link `first` and all later ones."""
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    for i in range(first, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        accelerate_link(links[i], work[i], work[links[i].parent], qddot, dofs)


@kernel
def looks_ahead(muscles):
    """True in a stage that sees paths as long as they will be at its end: slopes by the rates have those by q in them.

    But not the change of moment arms with q, which linear steps take as it is.
    """
    return muscles.drive.stage[0] > 0.0 and muscles.drive.stage[1] > 0.0


@kernel(on_demand=types.none)
def add_slopes(t, q, qdot, qddot, real, linear, only_tensions, pulls, D, K):
    """D and K += slopes of what muscles add to the residual (or of the forces of their tensions), by complex steps.

    Tensions are left out unless `pulls`.

    real: the muscles in real numbers, whose states these have.
    """
    tree, muscles, cq, cqdot, cqddot, r = (
        linear.tree,
        linear.muscles,
        linear.q,
        linear.qdot,
        linear.qddot,
        linear.r,
    )
    links, gravity = tree.links, tree.gravity
    follow_states(real, muscles)
    for k in range(q.shape[0]):
        cq[k], cqdot[k], cqddot[k] = q[k], qdot[k], qddot[k]
    store3(tree.work[0].a_v, (-gravity[0] + 0j, -gravity[1] + 0j, -gravity[2] + 0j))
    rates_too = not only_tensions or tension.answers_to_rates(muscles)
    for rates in range(1 if looks_ahead(muscles) else 0, 2 if rates_too else 1):
        slopes, stepped = (D, cqdot) if rates else (K, cq)
        move_from(1, tree, cq, cqdot, cqddot)
        for link in range(links.shape[0] - 1, 0, -1):
            for k in range(links[link].dof, links[link].dof + links[link].ndof):
                stepped[k] += 1j * STEP
                move_from(link, tree, cq, cqdot, cqddot)
                r[:] = 0.0
                if only_tensions:
                    tension.add_tensions(t, cq, cqdot, tree, muscles, k, r)
                else:
                    equations.evaluate(t, cq, cqdot, cqddot, tree, muscles, pulls, False, k, r)
                stepped[k] -= 1j * STEP
                for j in range(D.shape[0]):
                    slopes[j, k] += r[j].imag / STEP
            move_from(link, tree, cq, cqdot, cqddot)


@kernel(on_demand=types.none)
def add_linear(t, q, qdot, qddot, tree, muscles, linear, pulls, M, D, K):
    """M, D and K += the muscles' part of the residual's derivatives, that of tensions only if `pulls`.

    Needs: poses, twists and accelerations of the links.
    """
    if muscles.massive:
        keep_inertia(t, q, qdot, qddot, tree, muscles)
        equations.add_inertia(tree, muscles, M)
    add_slopes(t, q, qdot, qddot, muscles, linear, False, pulls, D, K)


@kernel(on_demand=types.none)
def fill_state_slopes(t, q, qdot, qddot, real, linear, slopes):
    """Slopes of the residual and of the states' rates, at given states, by complex steps; see dynamics/views.py.

    slopes: rows (r, zdot) by columns (q, qdot, z, excitations); the part of r by q and qdot is left alone.
    """
    tree, muscles, cq, cqdot, cqddot = linear.tree, linear.muscles, linear.q, linear.qdot, linear.qddot
    drive, r, n, m = muscles.drive, linear.r, q.shape[0], real.drive.z.shape[0]
    follow_states(real, muscles)
    gravity = tree.gravity
    for k in range(n):
        cq[k], cqdot[k], cqddot[k] = q[k], qdot[k], qddot[k]
    store3(tree.work[0].a_v, (-gravity[0] + 0j, -gravity[1] + 0j, -gravity[2] + 0j))
    move_from(1, tree, cq, cqdot, cqddot)
    for column in range(slopes.shape[1]):
        stepped, k = cq, column
        if column >= 2 * n + m:
            stepped, k = drive.excitation, column - 2 * n - m
        elif column >= 2 * n:
            stepped, k = drive.z, column - 2 * n
        elif column >= n:
            stepped, k = cqdot, column - n
        stepped[k] += 1j * STEP
        if column < 2 * n:
            move_from(1, tree, cq, cqdot, cqddot)
        r[:] = 0.0
        equations.evaluate(t, cq, cqdot, cqddot, tree, muscles, True, False, -1, r)
        stepped[k] -= 1j * STEP
        for j in range(n if column >= 2 * n else 0):
            slopes[j, column] = r[j].imag / STEP
        for j in range(m):
            slopes[n + j, column] = drive.zdot[j].imag / STEP
        if column == 2 * n - 1:
            move_from(1, tree, cq, cqdot, cqddot)


ON_DEMAND = (
    accelerate_muscled,
    weak_muscled_pivot,
    place_muscled,
    fill_muscled_mass,
    add_muscled_mass,
    add_residual,
    subtract_bias,
    add_tensions,
    sum_muscles,
    sum_muscle_momenta,
    add_muscle_wrenches,
    whiten_muscled,
    spread_muscled,
    add_slopes,
    add_linear,
)


def demand_muscles(scalar: type) -> None:
    """Have what muscles add to the physics at hand, in a number type."""
    for part in ON_DEMAND:
        part.demand(scalar)
