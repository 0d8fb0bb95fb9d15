"""What muscles do to the equations of motion: inertia, forces of inertia and gravity, tension, energy.

A muscle hangs on a base, the innermost link that all its bodies share. The base carries its mass as a whole; only the
few degrees of freedom beyond it (its span D) change the path. With J_i the place of node i under D, and a_i its
acceleration less gravity at given qddot,

    on D:                 sum m J_i . a_i + T dl/dq         and        M_DD = sum m J_i^T J_i
    on the base, and so   wrench of sum m a_i at x_i        and        the rigid inertia of all m at x_i, and for every
    on all further in                                                  dof of D the wrench of its momenta sum m J_i

`evaluate` sums the second column up in scratch (own, rigid, pairs) for `fill_mass`.

A continuous mass flows round the corners that a path has at its points. With alpha_c the material (belly.py) that is
at a corner now, rho the mass per alpha and x' = dx/dalpha before (-) and after (+) it, Lagrange's equations of the
integral have at its moving limits beside the accelerations

    rho alpha_c_dot^2 (J_p^T (x'+ - x'-) + 1/2 (dalpha_c/dq)^T (|x'-|^2 - |x'+|^2)),      J_p that of the path point:

the force that turns the flow. (|x'| = L - p - d on both sides, and the second part vanishes, unless one is blended.)
"""

from .._jit import kernel
from ..algorithms.inertias import gather_composite, place_own, rigid_times, shifted_inertia
from ..algorithms.mass import fill_columns
from ..spatial.algebra import add, add6, cross, dot, load3, load6, scale, store3, store6, sub
from .belly import fraction_at
from .hill.pull import stored_in
from .mass import place_mass
from .network.learned import bend_nodes
from .path import advance, advance_rates, is_junction, node_jet, node_place, solve_path
from .points import along_dof, along_motion
from .tension import concerns, fill_arms, finish_states, is_active, is_tense, stored_by_law, tension_of


@kernel
def place_corners(count, muscle, muscles):
    """Append the corners that a continuous mass flows round to the nodes; returns the count. Needs: `solve_path`."""
    pieces, nodes, belly = muscles.scratch.pieces, muscles.scratch.nodes, muscles.scratch.belly
    if muscle.continuous:
        for j in range(1, muscles.scratch.present[0] - 1):
            alpha = fraction_at(pieces[j].start[0], belly)
            if is_junction(j, muscles):
                continue  # the path is straight there
            if muscle.start < alpha.real < muscle.end:
                nodes[count].piece, nodes[count].alpha = j, alpha
                count += 1
    return count


@kernel
def corner_rate(node, scratch):
    """Derivative of alpha_c, the material at a corner, along the path's direction. Needs: `advance`."""
    start, total = scratch.pieces[node.piece].start, scratch.total
    return (start[1] - node.alpha * total[1]) * scratch.belly[2]


@kernel
def along_path(piece, line, belly):
    """x' = dx/dalpha on straight stretch number `line` of a piece [m]."""
    return scale(belly[1] * piece.inverse, load3(piece.B[line, 0]))


@kernel
def turn_flow(i, muscle, origin, scratch):
    """Force (kept as an acceleration) and stretch of a flow round corner i. Needs: `advance` along the motion."""
    node = scratch.nodes[i]
    before, after, belly = scratch.pieces[node.piece - 1], scratch.pieces[node.piece], scratch.belly
    came, goes = along_path(before, before.arcs, belly), along_path(after, 0, belly)
    rate = corner_rate(node, scratch)
    flow = muscle.mass / (muscle.end - muscle.start) * rate * rate
    store3(scratch.accelerations[i], scale(flow, sub(goes, came)))
    store3(node.x, sub(load3(scratch.points[node.piece].x[0]), origin))
    node.stretch = 0.5 * flow * (dot(came, came) - dot(goes, goes))


@kernel(unit=True)
def move_nodes(count, corners, muscle, qdot, qddot, tree, muscles):
    """Place, acceleration and Jacobian of every node and corner; dl/dq over the span into arms.

    Needs: twists and accelerations of the links, the muscle's path and nodes. Leaves: x, a and J of the nodes, arms.
    """
    work, scratch = tree.work, muscles.scratch
    nodes, J, total, arms, accelerations = scratch.nodes, scratch.J, scratch.total, scratch.arms, scratch.accelerations
    along_motion(qdot, qddot, work, muscles)
    advance(muscle, muscles)
    bend_nodes(count, muscle, muscles)
    origin = load3(work[muscle.root].x)
    for i in range(count):
        x, _, a = node_jet(nodes[i], muscle, muscles)
        store3(nodes[i].x, sub(x, origin))
        store3(accelerations[i], a)
    for i in range(count, corners):
        turn_flow(i, muscle, origin, scratch)
    for s in range(muscle.spans):
        along_dof(muscle, s, tree, muscles)
        advance_rates(muscle, muscles)
        arms[s] = total[1]
        for i in range(count):
            store3(J[i, s], node_place(nodes[i], muscle, muscles)[1])
        for i in range(count, corners):
            store3(J[i, s], load3(scratch.points[nodes[i].piece].x[1]))
            scratch.flow[i - count, s] = corner_rate(nodes[i], scratch)


@kernel
def sum_base(count, corners, muscle, scratch):
    """Add the wrench of all m a to that on the base, and the mass to its rigid inertia. Needs: `move_nodes`."""
    nodes, a, base = scratch.nodes, scratch.accelerations, scratch.rigid[muscle.root]
    n, f = load3(base.n), load3(base.f)
    m, c, A = base.m, load3(base.c), load6(base.A)
    for i in range(count):
        mass, x = nodes[i].mass, load3(nodes[i].x)
        mx, force = scale(mass, x), scale(mass, load3(a[i]))
        n, f = add(n, cross(x, force)), add(f, force)
        m, c = m + mass, add(c, mx)
        xx, yy, zz = mx[0] * x[0], mx[1] * x[1], mx[2] * x[2]
        A = add6(A, (yy + zz, -mx[0] * x[1], -mx[0] * x[2], xx + zz, -mx[1] * x[2], xx + yy))
    for i in range(count, corners):
        n, f = add(n, cross(load3(nodes[i].x), load3(a[i]))), add(f, load3(a[i]))
    base.m = m
    store3(base.c, c)
    store6(base.A, A)
    store3(base.n, n)
    store3(base.f, f)


@kernel
def sum_up(count, corners, muscle, muscles, inertia, r):
    """Add a muscle's m J . a to r and, if `inertia`, its momenta to those of its pairs (base, dof) and M_DD to own.

    Needs: x, a and J of the nodes (`move_nodes`).
    """
    spans, scratch = muscles.spans, muscles.scratch
    nodes, J, a = scratch.nodes, scratch.J, scratch.accelerations
    sum_base(count, corners, muscle, scratch)
    for s in range(muscle.spans):
        span = spans[muscle.span + s]
        pair, row, force = scratch.momenta[span.pair], scratch.own[span.dof], r[span.dof]
        n, f = load3(pair.n), load3(pair.f)
        for i in range(count):
            p = scale(nodes[i].mass, load3(J[i, s]))
            force += dot(p, load3(a[i]))
            if inertia:
                n, f = add(n, cross(load3(nodes[i].x), p)), add(f, p)
                for other in range(s + 1):
                    row[spans[muscle.span + other].dof] += dot(p, load3(J[i, other]))
        for i in range(count, corners):
            force += dot(load3(J[i, s]), load3(a[i])) + nodes[i].stretch * scratch.flow[i - count, s]
        store3(pair.n, n)
        store3(pair.f, f)
        r[span.dof] = force


@kernel
def clear_sums(muscles):
    """Set to zero what `evaluate` sums up over the muscles: own, rigid, and the momenta of the pairs."""
    scratch = muscles.scratch
    scratch.own[:, :], scratch.total[:] = 0.0, 0.0  # total may be nan from a path before
    o = scratch.total[0]
    for base in scratch.rigid:
        base.m = o
        store3(base.c, (o, o, o))
        store6(base.A, (o, o, o, o, o, o))
        store3(base.n, (o, o, o))
        store3(base.f, (o, o, o))
    for pair in scratch.momenta:
        store3(pair.n, (o, o, o))
        store3(pair.f, (o, o, o))


@kernel(unit=True)
def evaluate(t, q, qdot, qddot, tree, muscles, pulls, inertia, only, r):
    """r += what muscles add to the residual: all of them, or (`only` not -1) those that dof `only` moves.

    Needs: poses, twists, accelerations (less gravity) of the links. Leaves: if `inertia`, the muscles' inertia.
    """
    table, spans, scratch = muscles.table, muscles.spans, muscles.scratch
    arms = scratch.arms
    clear_sums(muscles)
    for index in range(table.shape[0]):
        muscle = table[index]
        if not (is_active(muscle) and concerns(muscle, only, tree, muscles)):
            continue
        solve_path(muscle, q, tree.work, muscles)
        if muscle.mass > 0.0:
            count = place_mass(muscle, muscles)
            corners = place_corners(count, muscle, muscles)
            move_nodes(count, corners, muscle, qdot, qddot, tree, muscles)
            sum_up(count, corners, muscle, muscles, inertia, r)
        else:
            fill_arms(muscle, tree, muscles, arms)
        if pulls and is_tense(muscle):
            tension = tension_of(muscle, t, q, qdot, muscles)
            for s in range(muscle.spans):
                r[spans[muscle.span + s].dof] += tension * arms[s]
    if pulls and only < 0:
        finish_states(t, q, qdot, muscles)
    pass_inwards(tree, muscles, r)


@kernel
def pass_inwards(tree, muscles, r):
    """Add to r what the wrenches on bases do to all dofs further in. Needs: poses, `sum_base`."""
    links, work, dofs = tree.links, tree.work, tree.dofs
    rigid = muscles.scratch.rigid
    for base in range(1, rigid.shape[0]):
        n, f, link = load3(rigid[base].n), load3(rigid[base].f), base
        if dot(f, f) == 0.0 and dot(n, n) == 0.0:
            continue
        while link > 0:
            for k in range(links[link].dof, links[link].dof + links[link].ndof):
                r[k] += dot(load3(dofs[k].s_w), n) + dot(load3(dofs[k].s_v), f)
            n = add(n, cross(load3(work[link].r), f))
            link = links[link].parent


@kernel
def add_rigid(link, m, c, A, tree, M):
    """Add to M, for all dofs further in, the inertia of a mass that moves with a link as a whole. Needs: poses."""
    links, work, dofs = tree.links, tree.work, tree.dofs
    while link > 0:
        first, end = links[link].dof, links[link].dof + links[link].ndof
        for k in range(first, end):
            n, f = rigid_times(m, c, A, load3(dofs[k].s_w), load3(dofs[k].s_v))
            for j in range(first, end):
                M[j, k] += dot(load3(dofs[j].s_w), n) + dot(load3(dofs[j].s_v), f)
            couple(links[link].parent, k, add(n, cross(load3(work[link].r), f)), f, tree, M)
        c, A = shifted_inertia(m, c, A, load3(work[link].r))
        link = links[link].parent


@kernel(unit=True)
def add_inertia(tree, muscles, M):
    """M += sum of J^T m J of all muscles, base by base. Needs: poses, the muscles' inertia (`evaluate`)."""
    rigid = muscles.scratch.rigid
    for base in range(1, rigid.shape[0]):
        if rigid[base].m != 0.0:
            add_rigid(base, rigid[base].m, load3(rigid[base].c), load6(rigid[base].A), tree, M)
    add_own(tree, muscles, M)


@kernel
def add_own(tree, muscles, M):
    """Add to M the inertia over the dofs that muscles span, and what couples those to the dofs further in.

    Needs: poses of the links, the muscles' inertia (`evaluate`).
    """
    own, pairs, table = muscles.scratch.own, muscles.scratch.momenta, muscles.pairs
    for k in range(own.shape[0]):
        for j in range(k + 1):
            M[k, j] += own[k, j]
            if j != k:
                M[j, k] += own[k, j]
    for i in range(table.shape[0]):
        couple(table[i].root, table[i].dof, load3(pairs[i].n), load3(pairs[i].f), tree, M)


@kernel(unit=True)
def fill_mass(tree, muscles, M):
    """Fill M of tree and muscles, by composite bodies that carry the muscles' mass.

    Needs: poses of the links, the muscles' inertia (`evaluate`). Leaves: composite inertias of the links.
    """
    links, work = tree.links, tree.work
    rigid = muscles.scratch.rigid
    place_own(links, work)
    for i in range(1, rigid.shape[0]):
        base = work[i]
        base.C[0] += rigid[i].m
        store3(base.n, add(load3(base.n), load3(rigid[i].c)))
        store6(base.A, add6(load6(base.A), load6(rigid[i].A)))
    gather_composite(links, work)
    fill_columns(tree, M)
    add_own(tree, muscles, M)


@kernel(inline=False)
def couple(link, k, n, f, tree, M):
    """Add to M what couples dof k with all dofs from `link` inwards; (n, f) is the momentum under k. Needs: poses."""
    links, work, dofs = tree.links, tree.work, tree.dofs
    while link > 0:
        for j in range(links[link].dof, links[link].dof + links[link].ndof):
            felt = dot(load3(dofs[j].s_w), n) + dot(load3(dofs[j].s_v), f)
            M[j, k] += felt
            M[k, j] += felt
        n = add(n, cross(load3(work[link].r), f))
        link = links[link].parent


@kernel(inline=False)
def place_moving_nodes(muscle, q, qdot, tree, muscles):
    """Place a massive muscle's nodes, in motion, so that `node_place` gives x and v; returns how many there are.

    Needs: poses and twists of the links.
    """
    solve_path(muscle, q, tree.work, muscles)
    along_motion(qdot, qdot, tree.work, muscles)
    advance(muscle, muscles)
    return place_mass(muscle, muscles)


@kernel(unit=True)
def kinetic_of(q, qdot, tree, muscles):
    """T of all muscles [J].

    Needs: poses and twists of the links.
    """
    table, nodes = muscles.table, muscles.scratch.nodes
    T = q[0] * 0.0
    for index in range(table.shape[0]):
        muscle = table[index]
        if muscle.mass > 0.0:
            for i in range(place_moving_nodes(muscle, q, qdot, tree, muscles)):
                v = node_place(nodes[i], muscle, muscles)[1]
                T += 0.5 * nodes[i].mass * dot(v, v)
    return T


@kernel(unit=True)
def energy_of(t, q, qdot, tree, muscles):
    """(T, V) of all muscles: kinetic energy, and what gravity, tensions, tendons and fibres store [J].

    Needs: poses and twists of the links.
    """
    table, scratch, nodes, gravity = muscles.table, muscles.scratch, muscles.scratch.nodes, tree.gravity
    scratch.total[:] = 0.0  # it may be nan from a path before
    T = V = scratch.total[0]
    for index in range(table.shape[0]):
        muscle = table[index]
        if muscle.mass > 0.0:
            for i in range(place_moving_nodes(muscle, q, qdot, tree, muscles)):
                x, v = node_place(nodes[i], muscle, muscles)
                T += 0.5 * nodes[i].mass * dot(v, v)
                V -= nodes[i].mass * dot(load3(gravity), x)
        elif muscle.constant != 0.0 or muscle.hill >= 0 or muscle.law >= 0:
            solve_path(muscle, q, tree.work, muscles)
        if muscle.constant != 0.0:
            V += muscle.constant * scratch.total[0]
        if muscle.hill >= 0:
            V += stored_in(muscle.hill, muscles)
        if muscle.law >= 0:
            V += stored_by_law(t, muscle, muscles)
    return T, V


@kernel(inline=False)
def add_momenta(q, qdot, tree, muscles, out):
    """out += (mass, momentum, first moment, angular momentum about the origin) of all muscles. (10,)

    Needs: poses and twists of the links.
    """
    table, nodes = muscles.table, muscles.scratch.nodes
    for index in range(table.shape[0]):
        muscle = table[index]
        if muscle.mass > 0.0:
            for i in range(place_moving_nodes(muscle, q, qdot, tree, muscles)):
                x, v = node_place(nodes[i], muscle, muscles)
                m, p = nodes[i].mass, scale(nodes[i].mass, v)
                out[0] += m
                store3(out[1:4], add(load3(out[1:4]), p))
                store3(out[4:7], add(load3(out[4:7]), scale(m, x)))
                store3(out[7:10], add(load3(out[7:10]), cross(x, p)))
