"""What muscles do to the bodies that they touch, as wrenches: for reactions of joints, where q does not suffice.

By virtual work: the wrench on a body is -(sum m J_am . a + T dl) along each component of its twist.
"""

import numpy as np
from numba.core import types

from .._jit import kernel
from ..model import Model
from ..spatial.algebra import dot, load3
from .equations import corner_rate, move_nodes, place_corners
from .geometry import unit_twist
from .mass import place_mass
from .path import advance, node_place, solve_path
from .points import along_body
from .tension import is_active, tension_of


@kernel
def touches(muscle, link, muscles):
    """True if a muscle has a point or a surface on a link."""
    for j in range(muscle.point, muscle.point + muscle.points):
        if muscles.points[j].link == link or (muscles.pieces[j].kind >= 0 and muscles.pieces[j].link == link):
            return True
    return False


@kernel
def resist(count, corners, muscle, tension, muscles):
    """sum m J . a + T dl along the path's direction.

    Needs: accelerations of the nodes (`move_nodes`), the derivatives of the path (`advance`).
    """
    scratch = muscles.scratch
    nodes, a = scratch.nodes, scratch.accelerations
    total = tension * scratch.total[1]
    for i in range(count):
        total += nodes[i].mass * dot(node_place(nodes[i], muscle, muscles)[1], load3(a[i]))
    for i in range(count, corners):
        flow = nodes[i].stretch * corner_rate(nodes[i], scratch)
        total += dot(load3(scratch.points[nodes[i].piece].x[1]), load3(a[i])) + flow
    return total


@kernel
def begin_muscle(muscle, q, qdot, qddot, tree, muscles):
    """Path, mass points and their motion; returns how many points there are, and how many with the corners.

    Needs: poses, twists and accelerations of the links. Leaves: what `resist` needs, dl/dq in arms.
    """
    solve_path(muscle, q, tree.work, muscles)
    count = place_mass(muscle, muscles) if muscle.mass > 0.0 else 0
    corners = place_corners(count, muscle, muscles) if muscle.mass > 0.0 else 0
    move_nodes(count, corners, muscle, qdot, qddot, tree, muscles)
    return count, corners


@kernel
def add_wrench(muscle, tension, count, corners, tree, muscles, wrenches):
    """wrenches += what one muscle does to bodies under a tension [N]. Needs: `begin_muscle`."""
    bodies, work = tree.bodies, tree.work
    for b in range(bodies.shape[0]):
        link = bodies[b].link
        if not touches(muscle, link, muscles):
            continue
        for k in range(6):
            along_body(link, work[link], unit_twist(bodies[b], work[link], k), muscles)
            advance(muscle, muscles)
            wrenches[b, k] -= resist(count, corners, muscle, tension, muscles)


@kernel(inline=False)
def add_wrenches(t, q, qdot, qddot, tree, muscles, wrenches):
    """wrenches += what muscles do to bodies, [moment; force] in their frames. (nbodies, 6)

    Needs: poses, twists and accelerations of the links.
    """
    table = muscles.table
    for index in range(table.shape[0]):
        muscle = table[index]
        if is_active(muscle):
            count, corners = begin_muscle(muscle, q, qdot, qddot, tree, muscles)
            tension = tension_of(muscle, t, q, qdot, muscles)
            add_wrench(muscle, tension, count, corners, tree, muscles, wrenches)


@kernel(on_demand=types.none)
def add_given_wrenches(q, qdot, qddot, tensions, tree, muscles, wrenches):
    """`add_wrenches` of muscles that pull with given tensions [N], (muscles,), instead of their own.

    Of a point that moves with a coordinate this has the force on its body, not that on the coordinate.
    Needs: poses, twists and accelerations of the links.
    """
    table = muscles.table
    for index in range(table.shape[0]):
        muscle = table[index]
        if muscle.mass > 0.0 or tensions[index] != 0.0:
            count, corners = begin_muscle(muscle, q, qdot, qddot, tree, muscles)
            add_wrench(muscle, tensions[index], count, corners, tree, muscles, wrenches)


def check_fixed_points(model: Model) -> None:
    """Raise a ValueError if a path point moves with a coordinate: its force acts on that, not on bodies alone."""
    moving = np.flatnonzero(model.muscles.points["dof"] >= 0)
    if len(moving) and model.muscles.active:
        raise ValueError(f"model {model.name!r}: reactions of joints cannot include muscles with moving points")
