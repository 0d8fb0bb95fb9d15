"""What muscles add to the kernels of a model; where it has none, `muscles` is None and the compiler drops all of it.

With massive muscles M is no longer the tree's alone: each couples the few degrees of freedom that it spans, and all
further in. M is filled by composite bodies, O(n depth), muscles added, and factorised as L^T L from the leaves inwards
along an elimination tree (algorithms/cholesky), in which a muscle between two branches joins them: O(sum of depth^2),
as sparse as the tree where muscles follow chains. The forces on the right come from one pass of inverse dynamics. Where
accelerations are prescribed, that pass has them and their rows are taken out of M.

Functions that answer True have done the whole job; otherwise no muscle has mass and the recursion serves.
"""

from .._jit import kernel
from ..algorithms.cholesky import factorise_inwards, solve_inwards, solve_outwards
from ..algorithms.kinematics import move_link
from ..algorithms.rnea import accelerate as accelerate_link
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..algorithms.rnea_partials import STEP
from ..constraints.rows import add_row
from ..constraints.solve import spread, whiten_row
from ..forces.apply import add_forces
from ..muscles import dynamics
from ..spatial.algebra import store3

MUSCLES = 7  # entry of loads
SHADOW = 3  # entry of the scratch of derivatives


@kernel
def has_mass(muscles):
    """Have any of them mass?"""
    return muscles.scratch.matrix.shape[0] > 0


@kernel(inline=False)
def accelerate_links(system, gravity, qddot):
    """Accelerations, less gravity, of all links; their twists must stand."""
    links, _, _, _, work, dofs = system
    store3(work[0].a_v, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, links.shape[0]):
        accelerate_link(links[i], work[i], work[links[i].parent], qddot, dofs)


@kernel(inline=False)
def factorise(system, muscles, prescribed):
    """L of M without what is prescribed, after `evaluate` has kept the muscles' inertia."""
    L, inner = muscles.scratch.matrix, muscles.inner
    dynamics.fill_mass(system, muscles, L)
    for k in range(L.shape[0]):
        if prescribed[k]:
            L[k, :] = 0.0
            L[:, k] = 0.0
            L[k, k] = 1.0
    factorise_inwards(L, inner)


@kernel(inline=False)
def accelerate_muscled(t, q, qdot, tau, system, forces, muscles, prescribed, qddot):
    """Fill qddot where it is not prescribed; L and the links' accelerations stand afterwards."""
    links, _, _, gravity, work, dofs = system
    L, inner, given, r = muscles.scratch.matrix, muscles.inner, muscles.scratch.vectors[0], muscles.scratch.vectors[1]
    for k in range(q.shape[0]):
        given[k] = qddot[k] if prescribed[k] else q[k] * 0.0
    rnea_outward(system, gravity, q, qdot, given)
    add_forces(t, q, qdot, tau, system, forces)
    pass_wrench(links, work, dofs, r)
    dynamics.evaluate(t, q, qdot, given, system, muscles, True, -1, r)
    factorise(system, muscles, prescribed)
    for k in range(q.shape[0]):
        r[k] = given[k] if prescribed[k] else forces[5][k] - r[k]
    solve_inwards(L, inner, r)
    solve_outwards(L, inner, r)
    for k in range(q.shape[0]):
        qddot[k] = r[k]
    accelerate_links(system, gravity, qddot)


@kernel
def accelerated(muscles, t, q, qdot, tau, system, forces, prescribed, qddot):
    """Accelerate the whole model, if any muscle has mass."""
    if muscles is None:
        return False
    if not has_mass(muscles):
        return False
    accelerate_muscled(t, q, qdot, tau, system, forces, muscles, prescribed, qddot)
    return True


@kernel
def placed(muscles, t, q, qdot, system, prescribed):
    """Poses, twists and L at a state, if any muscle has mass."""
    if muscles is None:
        return False
    if not has_mass(muscles):
        return False
    given = muscles.scratch.vectors[0]
    for k in range(q.shape[0]):
        given[k] = q[k] * 0.0
    rnea_outward(system, system[3], q, qdot, given)
    keep_inertia(t, q, qdot, given, system, muscles)
    factorise(system, muscles, prescribed)
    return True


@kernel
def keep_inertia(t, q, qdot, qddot, system, muscles):
    """Have `evaluate` keep the muscles' inertia, and drop their forces."""
    dropped = muscles.scratch.vectors[2]
    dropped[:] = 0.0
    dynamics.evaluate(t, q, qdot, qddot, system, muscles, True, -1, dropped)


@kernel
def filled_mass(muscles, t, q, qdot, qddot, system, M):
    """M of tree and muscles, if any has mass; poses, twists and accelerations must stand."""
    if muscles is None:
        return False
    if not has_mass(muscles):
        return False
    keep_inertia(t, q, qdot, qddot, system, muscles)
    dynamics.fill_mass(system, muscles, M)
    return True


@kernel
def add_dense(muscles, system, M):
    """M += sum of J^T m J of the muscles; `evaluate` has kept what it takes."""
    if muscles is None:
        return
    dynamics.add_inertia(system, muscles, M)


@kernel
def add_residual(muscles, t, q, qdot, qddot, system, r):
    """r += what muscles add to the residual; the links' accelerations must stand."""
    if muscles is None:
        return
    dynamics.evaluate(t, q, qdot, qddot, system, muscles, True, -1, r)


@kernel
def subtract_bias(muscles, t, q, qdot, system, f):
    """f -= what muscles add to the residual at rest (qddot = 0); twists must stand."""
    if muscles is None:
        return
    still, r = muscles.scratch.vectors[0], muscles.scratch.vectors[1]
    for k in range(q.shape[0]):
        still[k] = q[k] * 0.0
        r[k] = q[k] * 0.0
    accelerate_links(system, system[3], still)
    dynamics.evaluate(t, q, qdot, still, system, muscles, True, -1, r)
    for k in range(q.shape[0]):
        f[k] -= r[k]


@kernel
def add_tensions(muscles, t, q, system, f):
    """f += generalized forces of the muscles' tensions; poses must stand."""
    if muscles is None:
        return
    dynamics.add_tensions(t, q, system, muscles, f)


@kernel
def energies(muscles, t, q, qdot, system):
    """(T, V) of the muscles; poses and twists must stand."""
    o = system[4][0].w[0] * 0.0
    if muscles is None:
        return o, o
    return dynamics.energy_of(t, q, qdot, system, muscles)


@kernel
def whiten(row, system, forces, prescribed, out):
    """out = G L^-1 of one row, by the recursion or, with massive muscles, by their factor."""
    if not whitened(forces[MUSCLES], row, system, prescribed, out):
        whiten_row(row, system, prescribed, out)


@kernel
def whitened(muscles, row, system, prescribed, out):
    """out = G L^-1 of one row, if any muscle has mass."""
    if muscles is None:
        return False
    if not has_mass(muscles):
        return False
    links, _, _, _, work, dofs = system
    out[:] = 0.0
    add_row(row, links, work, dofs, 1.0, out)
    for k in range(out.shape[0]):
        if prescribed[k]:
            out[k] = 0.0
    solve_inwards(muscles.scratch.matrix, muscles.inner, out)
    return True


@kernel
def spread_out(system, forces, y, prescribed, x):
    """x = L^-1 y, likewise; x may be y itself."""
    if not spread_muscled(forces[MUSCLES], y, x):
        spread(system, y, prescribed, x)


@kernel
def spread_muscled(muscles, y, x):
    """x = L^-1 y, if any muscle has mass."""
    if muscles is None:
        return False
    if not has_mass(muscles):
        return False
    for k in range(x.shape[0]):
        x[k] = y[k]
    solve_outwards(muscles.scratch.matrix, muscles.inner, x)
    return True


@kernel
def move_from(first, system, q, qdot, qddot):
    """Poses, twists and accelerations of link `first` and all later ones."""
    links, _, params, _, work, dofs = system
    for i in range(first, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        accelerate_link(links[i], work[i], work[links[i].parent], qddot, dofs)


@kernel
def add_slopes(shadow, t, q, qdot, qddot, system, only_tensions, D, K):
    """D and K += slopes of what muscles add to the residual (or of the forces of their tensions), by complex steps."""
    if shadow is None:
        return
    links, bodies, params, gravity, _, _ = system
    work, dofs, muscles, vectors = shadow
    cq, cqdot, cqddot, r = vectors[0], vectors[1], vectors[2], vectors[3]
    stepping = (links, bodies, params, gravity, work, dofs)
    for k in range(q.shape[0]):
        cq[k], cqdot[k], cqddot[k] = q[k], qdot[k], qddot[k]
    store3(work[0].a_v, (-gravity[0] + 0j, -gravity[1] + 0j, -gravity[2] + 0j))
    for rates in range(1 if only_tensions else 2):
        slopes, stepped = (D, cqdot) if rates else (K, cq)
        move_from(1, stepping, cq, cqdot, cqddot)
        for link in range(links.shape[0] - 1, 0, -1):
            for k in range(links[link].dof, links[link].dof + links[link].ndof):
                stepped[k] += 1j * STEP
                move_from(link, stepping, cq, cqdot, cqddot)
                r[:] = 0.0
                if only_tensions:
                    dynamics.add_tensions(t, cq, stepping, muscles, r)
                else:
                    dynamics.evaluate(t, cq, cqdot, cqddot, stepping, muscles, False, k, r)
                stepped[k] -= 1j * STEP
                for j in range(q.shape[0]):
                    slopes[j, k] += r[j].imag / STEP
            move_from(link, stepping, cq, cqdot, cqddot)


@kernel
def add_linear(muscles, t, q, qdot, qddot, system, linear, M, D, K):
    """M, D and K += the muscles' part of the residual's derivatives; the links' accelerations must stand."""
    if muscles is None:
        return
    keep_inertia(t, q, qdot, qddot, system, muscles)
    dynamics.add_inertia(system, muscles, M)
    add_slopes(linear[SHADOW], t, q, qdot, qddot, system, False, D, K)


@kernel
def prepare_momenta(muscles, system, M):
    """The muscles' inertia into their own matrix, and added to M; `add_residual` has summed it up."""
    if muscles is None:
        return
    if not has_mass(muscles):
        return
    own = muscles.scratch.matrix
    own[:, :] = 0.0
    dynamics.add_inertia(system, muscles, own)
    for i in range(own.shape[0]):
        for j in range(own.shape[0]):
            M[i, j] += own[i, j]


@kernel
def add_momenta(muscles, shadow, t, q, v, system, p, slope):
    """p += M v and slope += dT/dq of the muscles, after `prepare_momenta`; the slope by complex steps."""
    if muscles is None:
        return
    if not has_mass(muscles):
        return
    links, bodies, params, gravity, _, _ = system
    work, dofs, stepped, vectors = shadow
    stepping, own = (links, bodies, params, gravity, work, dofs), muscles.scratch.matrix
    cq, cv, n = vectors[0], vectors[1], own.shape[0]
    for k in range(n):
        cq[k], cv[k] = q[k], v[k]
        for j in range(n):
            p[k] += own[k, j] * v[j]
    for k in range(n):
        cq[k] += 1j * STEP
        move_from(1, stepping, cq, cv, cv)
        slope[k] += dynamics.energy_of(t, cq, cv, stepping, stepped)[0].imag / STEP
        cq[k] -= 1j * STEP


@kernel
def solved_momenta(muscles, t, q, still, system, prescribed, p, qdot):
    """qdot = M(q)^-1 p, if any muscle has mass."""
    if not placed(muscles, t, q, still, system, prescribed):
        return False
    for k in range(q.shape[0]):
        qdot[k] = p[k]
    solve_muscled(muscles, qdot)
    return True


@kernel
def solve_muscled(muscles, x):
    """x <- M^-1 x."""
    if muscles is None:
        return
    solve_inwards(muscles.scratch.matrix, muscles.inner, x)
    solve_outwards(muscles.scratch.matrix, muscles.inner, x)
