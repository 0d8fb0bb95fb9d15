"""Soft bodies in the equations of motion: places of nodes, forces on them, residuals and accelerations.

Free nodes are coordinates as they are, the identity block of Eq. 4.92 of the dissertation; nodes that ride follow their
links (Eq. 4.90), and their forces are wrenches on these. Their mass is part of the tree.
"""

from numba.core import types

from .._jit import kernel
from ..forces.ground import formula as ground
from ..spatial.algebra import add, cross, dot, load3, load33, mul, store3, sub
from .elements import add_elastic_forces, add_viscous_forces, elastic_energy

FINE, MOST = 1e-15, 200  # of the solve for accelerations under shared mass: relative residual, iterations


@kernel
def place_nodes(q, qdot, tree, soft):
    """Places and velocities of all nodes.

    Needs: poses and twists of the links.
    """
    dofs, riders, work, x, v, free = soft.dofs, soft.riders, tree.work, soft.x, soft.v, soft.dofs.shape[0]
    for i in range(free):
        k = dofs[i]
        for a in range(3):
            x[i, a], v[i, a] = soft.rest[i, a] + q[k + a], qdot[k + a]
    for i in range(riders.shape[0]):
        here = work[riders[i].link]
        offset = mul(load33(here.R), load3(riders[i].p))
        store3(x[free + i], add(load3(here.x), offset))
        store3(v[free + i], add(load3(here.v), cross(load3(here.w), offset)))


@kernel
def touch(c, soft, point):
    """Energy of a vertex at its plane, for a unit of area; its force goes to the point. Needs: `place_nodes`."""
    tet, weights = soft.elements.tets[soft.touching[c, 0]], soft.weights[c]
    for a in range(3):
        point.x[a] = weights[0] * soft.x[tet[0], a]
        point.v[a] = weights[0] * soft.v[tet[0], a]
        for b in range(1, 4):
            point.x[a] += weights[b] * soft.x[tet[b], a]
            point.v[a] += weights[b] * soft.v[tet[b], a]
    return ground(soft.planes, soft.touching[c, 1], soft.points)


@kernel(unit=True)
def fill_node_forces(soft):
    """Forces on all nodes, but no weight.

    Needs: `place_nodes`.
    """
    x, v, f, elements = soft.x, soft.v, soft.f, soft.elements
    for i in range(f.shape[0]):
        for a in range(3):
            f[i, a] = -soft.drag[i] * v[i, a]
    add_elastic_forces(elements, x, f)
    add_viscous_forces(elements, x, v, f)
    for c in range(soft.touching.shape[0]):
        point, tet = soft.points[0], elements.tets[soft.touching[c, 0]]
        touch(c, soft, point)
        for b in range(4):
            for a in range(3):
                f[tet[b], a] += soft.weights[c, b] * soft.areas[c] * point.f[a]


@kernel(on_demand=types.none)
def add_soft_forces(q, qdot, tree, soft, total):
    """Add forces on free nodes to total, and subtract those on riding ones from the links' wrenches.

    Needs: poses, twists and wrenches of the links.
    """
    dofs, riders, work, f, free = soft.dofs, soft.riders, tree.work, soft.f, soft.dofs.shape[0]
    place_nodes(q, qdot, tree, soft)
    fill_node_forces(soft)
    for i in range(free):
        for a in range(3):
            total[dofs[i] + a] += f[i, a]
    for i in range(riders.shape[0]):
        here, push = work[riders[i].link], load3(f[free + i])
        lever = sub(load3(soft.x[free + i]), load3(here.x))
        store3(here.n, sub(load3(here.n), cross(lever, push)))
        store3(here.f, sub(load3(here.f), push))


@kernel
def times_mass(soft, a, out):
    """out = M a over free nodes, both (3 free,), in the kernels' order."""
    for i in range(soft.dofs.shape[0]):
        if soft.consistent == 0:
            for k in range(3):
                out[3 * i + k] = soft.mass[i] * a[3 * i + k]
            continue
        for k in range(3):
            out[3 * i + k] = a[3 * i + k] * 0.0
        for s in range(soft.starts[i], soft.starts[i + 1]):
            j, m = soft.columns[s], soft.shares[s]
            if j < soft.dofs.shape[0]:
                for k in range(3):
                    out[3 * i + k] += m * a[3 * j + k]


@kernel(on_demand=types.none)
def fill_soft_inertia(qddot, gravity, soft, r):
    """r of free nodes = M (qddot - gravity)."""
    a, Ma = soft.room[0], soft.room[1]
    for i in range(soft.dofs.shape[0]):
        for k in range(3):
            a[3 * i + k] = qddot[soft.dofs[i] + k] - gravity[k]
    times_mass(soft, a, Ma)
    for i in range(soft.dofs.shape[0]):
        for k in range(3):
            r[soft.dofs[i] + k] = Ma[3 * i + k]


@kernel
def solve_mass(soft, prescribed, a, r, p, Mp):
    """a += M^-1 r over the coordinates that are not prescribed, by conjugate gradients; r is used up.

    M is well conditioned, so that a dozen iterations reach rounding.
    """
    n = r.shape[0]
    rho = start = a[0] * 0.0
    for k in range(n):
        if prescribed[soft.dofs[k // 3] + k % 3]:
            r[k] = a[0] * 0.0
        p[k] = r[k] / soft.shares[soft.diagonal[k // 3]]
        rho += r[k] * p[k]
    start = rho
    for _ in range(MOST):
        if not abs(rho) > FINE * FINE * abs(start):
            break
        times_mass(soft, p, Mp)
        curve = rho * 0.0
        for k in range(n):
            if prescribed[soft.dofs[k // 3] + k % 3]:
                Mp[k] = rho * 0.0
            curve += p[k] * Mp[k]
        step, before = rho / curve, rho
        rho = before * 0.0
        for k in range(n):
            a[k] += step * p[k]
            r[k] -= step * Mp[k]
            rho += r[k] * r[k] / soft.shares[soft.diagonal[k // 3]]
        for k in range(n):
            p[k] = r[k] / soft.shares[soft.diagonal[k // 3]] + rho / before * p[k]


@kernel(on_demand=types.none)
def accelerate_soft(tau, gravity, soft, prescribed, total, qddot):
    """qddot of free nodes where it is not prescribed; where it is, total becomes what that takes.

    Needs: total, tau and the forces on free nodes together.
    """
    a, r, p, Mp, free = soft.room[0], soft.room[1], soft.room[2], soft.room[3], soft.dofs.shape[0]
    for i in range(free):
        for k in range(3):
            dof = soft.dofs[i] + k
            a[3 * i + k] = qddot[dof] - gravity[k] if prescribed[dof] else total[dof] / soft.mass[i]
    times_mass(soft, a, Mp)
    if soft.consistent != 0:
        for i in range(free):
            for k in range(3):
                r[3 * i + k] = total[soft.dofs[i] + k] - Mp[3 * i + k]
        solve_mass(soft, prescribed, a, r, p, Mp)
        times_mass(soft, a, Mp)
    for i in range(free):
        for k in range(3):
            dof = soft.dofs[i] + k
            if prescribed[dof]:
                total[dof] = Mp[3 * i + k] - (total[dof] - tau[dof])
            else:
                qddot[dof] = a[3 * i + k] + gravity[k]


@kernel
def free_momenta(soft):
    """(velocities, momenta) of free nodes, (3 free,) each.

    Needs: `place_nodes`.
    """
    v, p = soft.room[0], soft.room[1]
    for i in range(soft.dofs.shape[0]):
        for k in range(3):
            v[3 * i + k] = soft.v[i, k]
    times_mass(soft, v, p)
    return v, p


@kernel(on_demand=types.none)
def add_soft_energies(q, qdot, tree, soft, energies):
    """energies += (T, V) of free nodes, of all elements and of what touches; weight counts from the world's origin.

    Needs: poses and twists of the links.
    """
    place_nodes(q, qdot, tree, soft)
    v, p = free_momenta(soft)
    for k in range(v.shape[0]):
        energies[0] += 0.5 * v[k] * p[k]
    for i in range(soft.dofs.shape[0]):
        energies[1] -= soft.mass[i] * dot(load3(tree.gravity), load3(soft.x[i]))
    energies[1] += elastic_energy(soft.elements, soft.x)
    for c in range(soft.touching.shape[0]):
        energies[1] += soft.areas[c] * touch(c, soft, soft.points[0])


@kernel(on_demand=types.none)
def add_soft_momenta(q, qdot, tree, soft, out):
    """out += (mass, momentum, first moment, angular momentum about the origin) of free nodes.

    Needs: poses and twists of the links.
    """
    place_nodes(q, qdot, tree, soft)
    _, momenta = free_momenta(soft)
    for i in range(soft.dofs.shape[0]):
        p, x = (momenta[3 * i], momenta[3 * i + 1], momenta[3 * i + 2]), load3(soft.x[i])
        h = cross(x, p)
        out[0] += soft.mass[i]
        for k in range(3):
            out[1 + k] += p[k]
            out[4 + k] += soft.mass[i] * x[k]
            out[7 + k] += h[k]
