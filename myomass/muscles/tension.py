"""What muscles pull: a tension along the path, constant, given in time, by a law of length and rate, or by states.

The generalized forces are -T dl/dq over the degrees of freedom that change the path.
"""

from .._jit import kernel
from ..spatial.algebra import add, cross, dot, load3, sub
from ..spatial.motion import motion_at
from .hill.pull import does_answer_to, fill_activation_rates, pull
from .laws.dispatch import follow_tension
from .path import solve_path
from .pieces import end_tangents
from .points import slides_with, slope_by


@kernel
def tension_of(muscle, t, q, qdot, muscles):
    """The muscle's tension [N].

    Needs: the muscle's path (`solve_path`), and dl/dq in arms if it has states or a law. Leaves: states, or their
    rates.
    """
    if muscle.hill >= 0:
        return pull(muscle.hill, t, q, qdot, muscles.scratch.arms, muscle, muscles)
    if muscle.law >= 0:
        return pull_by_law(t, qdot, muscle, muscles)
    still = muscles.scratch.total[0] * 0.0
    if muscle.tension >= 0:
        return still + motion_at(muscles.params, muscle.tension, t)[0]
    return still + muscle.constant


@kernel(inline=False)
def pull_by_law(t, qdot, muscle, muscles):
    """The tension of a muscle that follows a law of its length and rate [N].

    Needs: the muscle's path (`solve_path`), and dl/dq in arms. An implicit stage sees the length at its end, as `pull`.
    """
    L, spans, stage = muscles.scratch.total[0], muscles.spans, muscles.drive.stage
    Ldot = L * 0.0
    for s in range(muscle.spans):
        Ldot += muscles.scratch.arms[s] * qdot[spans[muscle.span + s].dof]
    if stage[0] > 0.0:
        L = L + stage[1] * Ldot
    return follow_tension(muscle.law, muscles.params, muscle.tension, t, L, Ldot)[0]


@kernel
def stored_by_law(t, muscle, muscles):
    """What a muscle that follows a law of its length stores [J]. Needs: the muscle's path (`solve_path`)."""
    L = muscles.scratch.total[0]
    return follow_tension(muscle.law, muscles.params, muscle.tension, t, L, L * 0.0)[1]


@kernel
def answers_to_rates(muscles):
    """True if any tension may depend on how fast a path changes."""
    found = muscles.drive.hills.shape[0] > 0
    for index in range(muscles.table.shape[0]):
        found = found or muscles.table[index].law >= 0
    return found


@kernel
def is_tense(muscle):
    """True if the muscle may pull."""
    return muscle.hill >= 0 or muscle.tension >= 0 or muscle.constant != 0.0


@kernel
def is_active(muscle):
    """True if the muscle has mass or may pull."""
    return muscle.mass > 0.0 or is_tense(muscle)


@kernel
def finish_states(t, q, qdot, muscles):
    """Fill the rates of activations where states are given. Needs: a look at the tension of every muscle."""
    drive = muscles.drive
    if drive.hills.shape[0] > 0 and drive.stage[0] == 0.0:
        fill_activation_rates(t, q, qdot, drive)


@kernel
def concerns(muscle, k, tree, muscles):
    """True if degree of freedom k moves any part of a muscle, or a reflex answers to it; always for k = -1."""
    links, spans, link = tree.links, muscles.spans, muscle.root
    if k < 0 or (muscle.hill >= 0 and does_answer_to(muscle.hill, k, muscles.drive)):
        return True
    for s in range(muscle.spans):
        if spans[muscle.span + s].dof == k:
            return True
    while link > 0:
        if links[link].dof <= k < links[link].dof + links[link].ndof:
            return True
        link = links[link].parent
    return False


@kernel
def moved_along(tangent, x, span, tree):
    """Speed along a tangent of a place x that moves with a dof of a muscle's span."""
    dof = tree.dofs[span.dof]
    arm = sub(x, load3(tree.work[span.link].x))
    return dot(tangent, add(load3(dof.s_v), cross(load3(dof.s_w), arm)))


@kernel(unit=True)
def fill_arms(muscle, tree, muscles, arms):
    """Fill arms with dl/dq over the muscle's span [m or 1], from the tangents at its points.

    A piece is as long as before where its ends, and the surface that it touches, move as one: an end counts where it
    moves and the surface does not, or the other way round. Needs: poses of the links, the muscle's path (`solve_path`).
    """
    points, moves, seen_points, seen = muscles.points, muscles.moves, muscles.scratch.points, muscles.scratch.pieces
    count, present = muscle.points, muscles.scratch.present[0]
    for s in range(muscle.spans):
        span, at = muscles.spans[muscle.span + s], muscle.moves + 2 * count * s
        rate = muscles.scratch.total[0] * 0.0  # nan where a geodesic was not found
        for j in range(present - 1):
            here, there = seen_points[j].at, seen_points[j + 1].at
            moves_a, moves_b = moves[at + here - muscle.point], moves[at + there - muscle.point]
            carried = moves[at + count + seen[j].at - muscle.point] if seen[j].arcs > 0 else moves_a and moves_b
            near, far = moves_a != carried, moves_b != carried
            slides, glides = slides_with(points[here], span.dof), slides_with(points[there], span.dof)
            if not (near or far or slides or glides):
                continue
            p, q = load3(seen_points[j].x[0]), load3(seen_points[j + 1].x[0])
            t_a, t_b = end_tangents(seen[j], p, q)
            if near:
                speed = moved_along(t_a, p, span, tree)
                rate += speed if carried else -speed
            if far:
                speed = moved_along(t_b, q, span, tree)
                rate += -speed if carried else speed
            if slides:
                rate -= dot(t_a, slope_by(points[here], seen_points[j], span.dof))
            if glides:
                rate += dot(t_b, slope_by(points[there], seen_points[j + 1], span.dof))
        arms[s] = rate


@kernel(unit=True)
def add_tensions(t, q, qdot, tree, muscles, only, f):
    """f -= T dl/dq of all muscles that pull, or (`only` not -1) of those that dof `only` moves. Needs: poses."""
    table, spans, arms = muscles.table, muscles.spans, muscles.scratch.arms
    for index in range(table.shape[0]):
        muscle = table[index]
        if is_tense(muscle) and concerns(muscle, only, tree, muscles):
            solve_path(muscle, q, tree.work, muscles)
            fill_arms(muscle, tree, muscles, arms)
            tension = tension_of(muscle, t, q, qdot, muscles)
            for s in range(muscle.spans):
                f[spans[muscle.span + s].dof] -= tension * arms[s]
    if only < 0:
        finish_states(t, q, qdot, muscles)
