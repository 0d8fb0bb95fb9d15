"""The arrays of a tree that is hung from another of its bodies (Stepien et al. 2012, section 6), in linear time.

Bodies keep their numbers. On the way from the new top body to the old one every body now hangs on the one that it
carried, by the inverse of the same joint with the same q; all others keep their parents. With l1 ... lk the links of
the joint by which body c hung on body p, F_c = F_p E1 Q1 E2 Q2 ... Ek Qk, so that

    F_p E1 = F_c Qk^-1 Ek^-1 ... E2^-1 Q1^-1,

and F_p E1 becomes the frame of p: D = E1 moves everything that is fixed to p or hangs on it, E -> D^-1 E. No absolute
pose is needed (the paper's Eq. 9-20 take them; the orientations that it prints there as relative must be absolute).
Links are in the order of the bodies, but each after its parent, and so are the joints' parameters. Rotations that are
multiplied are made orthonormal again: otherwise a thousand re-rootings would let rounding grow beyond bounds.
"""

from .._jit import kernel
from ..spatial.algebra import load3, load33, matmul, mul_T, store3, store33, sub, transpose
from ..spatial.se3 import compose, invert
from ..spatial.so3 import orthonormal

NEW_TOP = -2  # in place of a body's number: the new joint
ROWS = 9
PARENTS, STARTS, DOF_MAP, LINK_MAP, BODY_OF, FIRST, JOINT, PENDING, CURSOR = range(ROWS)
# Rows of whole numbers that `relink` fills: of the new tree the parents and first dofs of bodies; where an old dof (-1:
# nowhere) and the joint of an old link are now; who rides on an old link (-1: nobody); per body the first link of its
# old joint, whose old joint it hangs by, and who waits for a parent; and where the writing of links stands:
LINK, PARAMETER, ABOVE = range(3)  # how many there are, where parameters go on, the link to hang on


@kernel
def trace_joints(links, bodies, body_of, firsts):
    """Fill for each link the body that is fixed to it, and for each body the first link of its joint."""
    for i in range(links.shape[0]):
        body_of[i] = -1
    for i in range(bodies.shape[0]):
        body_of[bodies[i].link] = i
    for i in range(bodies.shape[0]):
        first = bodies[i].link
        while links[first].parent != 0 and body_of[links[first].parent] < 0:
            first = links[first].parent
        firsts[i] = first


@kernel
def turn_parents(top, parents, new_parents, joints):
    """Turn the way from the new top to the old one round; joints[i] is the body whose old joint body i hangs by."""
    for i in range(parents.shape[0]):
        new_parents[i], joints[i] = parents[i], i
    before, i = -1, top
    while i >= 0:
        new_parents[i], joints[i] = before, before
        before, i = i, parents[i]
    joints[top] = NEW_TOP


@kernel
def place_dofs(top_dofs, joints, starts, new_starts, dof_map):
    """First degrees of freedom in the order of the bodies, and where each old one is now (-1: gone)."""
    at, count = 0, starts.shape[0] - 1
    for k in range(starts[count]):
        dof_map[k] = -1
    for i in range(count):
        new_starts[i] = at
        if joints[i] == NEW_TOP:
            at += top_dofs
            continue
        for k in range(starts[joints[i]], starts[joints[i] + 1]):
            dof_map[k] = at
            at += 1
    new_starts[count] = at


@kernel
def add_link(source, made, i, dof, inverted, R, p, cursor):
    """Append link i of source = (links, params): its joint, at the place (R, p), with its first degree of freedom."""
    links, params = source
    link, target, at = links[i], made[0][cursor[LINK]], cursor[PARAMETER]
    target.kind, target.ndof, target.at = link.kind, link.ndof, at
    target.dof, target.inverted, target.parent = dof, inverted, cursor[ABOVE]
    store33(target.R0, R)
    store3(target.p0, p)
    end = links[i + 1].at if i + 1 < links.shape[0] else params.shape[0] - 1
    for k in range(link.at, end):
        made[1][at] = params[k]
        at += 1
    cursor[PARAMETER], cursor[ABOVE] = at, cursor[LINK]
    cursor[LINK] += 1


@kernel
def add_new_joint(top, made, dof, cursor):
    """Append the links of the new joint to the world; record 0 of `top` is the world itself."""
    for i in range(1, top[0].shape[0]):
        link = top[0][i]
        add_link(top, made, i, dof + link.dof, link.inverted, load33(link.R0), load3(link.p0), cursor)


@kernel
def add_same_joint(source, made, first, last, dof, R, p, link_map, cursor):
    """Append the links of a joint that stays; (R, p) is the frame before the first."""
    for i in range(first, last + 1):
        link = source[0][i]
        R0, p0 = load33(link.R0), load3(link.p0)
        if i == first:
            R0, p0 = compose(R, p, R0, p0)
            R0 = orthonormal(R0)
        link_map[i] = cursor[LINK]
        add_link(source, made, i, dof + link.dof, link.inverted, R0, p0, cursor)


@kernel
def add_inverse_joint(source, made, first, last, dof, R, p, link_map, cursor):
    """Append the links of a joint that is run from its other end; (R, p) is the frame before the last."""
    for i in range(last, first - 1, -1):
        link = source[0][i]
        link_map[i] = cursor[LINK]
        add_link(source, made, i, dof + link.dof, 1 - link.inverted, R, p, cursor)
        R, p = invert(load33(link.R0), load3(link.p0))


@kernel
def carry_mass(body, link):
    """Write the inertia of a body, about its link's origin, into the link."""
    R, c, m = load33(body.R_lb), load3(body.p_lb), body.mass
    square, at = c[0] * c[0] + c[1] * c[1] + c[2] * c[2], 0
    link.mass = m
    for r in range(3):
        link.moment[r] = m * c[r]
        for s in range(r, 3):
            about = R[r][0] * R[s][0] * body.moments[0] + R[r][1] * R[s][1] * body.moments[1]
            about += R[r][2] * R[s][2] * body.moments[2] - m * c[r] * c[s]
            link.inertia[at] = about + m * square if r == s else about
            at += 1


@kernel
def shift_body(body, R, p):
    """Give the body's frame in a link whose own frame has been moved by (R, p)."""
    R_lb, p_lb = matmul(transpose(R), load33(body.R_lb)), mul_T(R, sub(load3(body.p_lb), p))
    store33(body.R_lb, orthonormal(R_lb))
    store3(body.p_lb, p_lb)


@kernel(inline=False)
def relink_body(i, tree, made, top, rows, shifts):
    """Write the links, parameters and record of body i.

    Needs: those of its parent.
    """
    links, bodies, params, _, starts = tree
    new_links, new_bodies, new_params = made
    source, target, cursor, c = (links, params), (new_links, new_params), rows[CURSOR], rows[JOINT, i]
    parent = rows[PARENTS, i]
    cursor[ABOVE] = 0 if parent < 0 else new_bodies[parent].link
    shift = shifts[bodies.shape[0] if parent < 0 else parent]
    R, p = invert(load33(shift[:3]), load3(shift[3]))
    if c == NEW_TOP:
        add_new_joint(top, target, rows[STARTS, i], cursor)
    else:
        first, last, dof = rows[FIRST, c], bodies[c].link, rows[STARTS, i] - starts[c]
        if c == i:
            add_same_joint(source, target, first, last, dof, R, p, rows[LINK_MAP], cursor)
        else:
            add_inverse_joint(source, target, first, last, dof, R, p, rows[LINK_MAP], cursor)
    own = cursor[ABOVE]
    new_bodies[i].link = own
    if c == i:
        old, new = links[last], new_links[own]
        new.mass = old.mass
        store3(new.moment, load3(old.moment))
        for k in range(6):
            new.inertia[k] = old.inertia[k]
    else:
        shift_body(new_bodies[i], load33(shifts[i, :3]), load3(shifts[i, 3]))
        carry_mass(new_bodies[i], new_links[own])


@kernel
def fill_shifts(top, links, count, rows, D, shifts):
    """Fill how far each body's link frame moves, R above p: D = E1 of the joint by which it now hangs.

    D of the top is given; the last entry is the world's, which does not move.
    """
    for i in range(count + 1):
        for k in range(3):
            for m in range(3):
                shifts[i, k, m] = 1.0 if k == m else 0.0
            shifts[i, 3, k] = 0.0
        if i == top:
            store33(shifts[i, :3], orthonormal(D[0]))
            store3(shifts[i, 3], D[1])
        elif i < count and rows[JOINT, i] != i:
            first = links[rows[FIRST, rows[JOINT, i]]]
            store33(shifts[i, :3], load33(first.R0))
            store3(shifts[i, 3], load3(first.p0))


@kernel
def relink(top_body, tree, made, top, top_dofs, D, rows, shifts):
    """Fill made = (links, bodies, params), where bodies is a copy, rows and shifts with the re-rooted tree.

    tree = (links, bodies, params, parents, dof_starts), top = (links, params) of the new joint, whose link has the
    frame D in the old link.
    """
    links, bodies, _, parents, starts = tree
    new_bodies, count, cursor = made[1], bodies.shape[0], rows[CURSOR]
    trace_joints(links, bodies, rows[BODY_OF], rows[FIRST])
    turn_parents(top_body, parents, rows[PARENTS], rows[JOINT])
    place_dofs(top_dofs, rows[JOINT], starts, rows[STARTS], rows[DOF_MAP])
    fill_shifts(top_body, links, count, rows, D, shifts)
    for i in range(count):
        new_bodies[i].link = 0
    for k in range(3):
        made[0][0].R0[k, k] = 1.0
    cursor[LINK], cursor[PARAMETER], rows[LINK_MAP, 0] = 1, 0, 0
    for i in range(count):
        waiting, body = 0, i
        while body >= 0 and new_bodies[body].link == 0:
            rows[PENDING, waiting] = body
            waiting, body = waiting + 1, rows[PARENTS, body]
        for k in range(waiting - 1, -1, -1):
            relink_body(rows[PENDING, k], tree, made, top, rows, shifts)
