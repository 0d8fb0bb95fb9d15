"""How tensions and states of muscles change, muscle by muscle: what a way back needs instead of all their slopes.

A tension T and the rates (or, in a step that solves for them, the states) of a muscle are functions of five numbers:
length L and speed Ldot of its path, activation a, fibre length l and excitation u. With J = dL/dq, H = dJ/dq, which is
symmetric, Ldot = J qdot and the slopes of those functions, written as indices,

    d(T J^T) = T H dq + J^T dT,    dT = T_L J dq + T_Ldot (J dqdot + (H qdot)^T dq) + T_a da + T_l dl

H along a direction takes one complex step for all muscles. Reflexes tie muscles to each other: see states.py.
"""

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..algorithms.rnea import rnea_outward
from ..algorithms.rnea_partials import STEP, rnea_partials
from ..dynamics.muscled import add_linear, follow_states, move_from
from ..forces.stiffness import add_stiffness
from ..model import Model
from ..muscles.hill.activation import activation_rate, activation_step
from ..muscles.hill.pull import excite, look_at
from ..muscles.laws.dispatch import follow_tension
from ..muscles.path import solve_path
from ..muscles.tension import fill_arms, is_tense
from ..spatial.motion import motion_at
from .tied import Ties, ties_of

LENGTH, SPEED, ACTIVATION, FIBRE, EXCITATION = range(5)  # what tension and states depend on
T, A, F = range(3)  # tension, and what becomes of activation and fibre
J, ALONG, TURN = range(3)  # dL/dq, H qdot, and H along another direction


class Strands(Bundle):
    """Scratch: tensions of all muscles, and how they change."""

    tension = fields.plain(np.float64)
    slopes = fields.plain(np.float64, 3)  # of (tension, activation, fibre) by the five numbers, by muscle
    lines = fields.plain(np.float64, 2)  # J, H qdot and H along a direction, by span
    ties = Ties


open_strands = opener(Strands)


def strands_of(model: Model) -> Strands:
    """Scratch for the muscles of a model."""
    count, spans = len(model.muscles), len(model.muscles.spans)
    room = {"tension": np.zeros(count), "slopes": np.zeros((count, 3, 5)), "lines": np.zeros((3, spans))}
    return Strands(np.float64, **room, ties=ties_of(model))


@kernel
def fill_but_tensions(t, q, qdot, qddot, scratch, M, D, K):
    """M, D and K of the residual but for tensions."""
    system, linear = scratch.system, scratch.matrices.linear
    tree, muscles = system.tree, system.muscles
    rnea_outward(tree, tree.gravity, q, qdot, qddot)
    rnea_partials(tree, q, qdot, qddot, linear.partials, M, D, K)
    add_stiffness(t, q, qdot, tree, system.forces, linear.partials.slopes, linear.stiffness, -1.0, False, D, K)
    if muscles.massive:
        add_linear(t, q, qdot, qddot, tree, muscles, linear, False, M, D, K)


@kernel
def passive_tension(muscle, t, L, Ldot, muscles):
    """The tension of a muscle without states [N], at a length and speed of its path."""
    if muscle.law >= 0:
        return follow_tension(muscle.law, muscles.params, muscle.tension, t, L, Ldot)[0]
    if muscle.tension >= 0:
        return L * 0.0 + motion_at(muscles.params, muscle.tension, t)[0]
    return L * 0.0 + muscle.constant


@kernel(inline=False)
def slopes_of_activation(i, t, q, qdot, drive, slopes):
    """Fill slopes of the activation, or of its rate, of muscle i with states; leaves the activation."""
    hill, at, alpha, step = drive.hills[i], drive.hills[i].activation, drive.stage[0], 1j * STEP
    for column in (ACTIVATION, EXCITATION):
        a = drive.base[at] if alpha > 0.0 else drive.z[at]
        u = excite(i, t, q, qdot, drive)
        if column == ACTIVATION:
            a += step
        else:
            drive.excitation[i] += step
            u = excite(i, t, q, qdot, drive)
            drive.excitation[i] -= step
        found = activation_step(hill, alpha, a, u) if alpha > 0.0 else activation_rate(hill, u, a)
        slopes[A, column] = found.imag / STEP
        if alpha > 0.0:
            drive.z[at] = found.real + 0j


@kernel(inline=False)
def slopes_of_hill(i, t, L, Ldot, q, qdot, muscles, slopes):
    """As `slopes_of_tension`, of muscle i with states; an elastic tendon knows nothing of the path's speed."""
    drive, tension, step = muscles.drive, 0.0, 1j * STEP
    at, fibre, ahead = drive.hills[i].activation, drive.hills[i].fibre, 0.0
    given, left = (drive.base, drive.z) if drive.stage[0] > 0.0 else (drive.z, drive.zdot)
    slopes_of_activation(i, t, q, qdot, drive, slopes)
    if drive.stage[0] > 0.0:
        ahead = drive.stage[1]
    for column in (LENGTH, SPEED, ACTIVATION, FIBRE):
        if (column == SPEED and fibre >= 0) or (column == FIBRE and fibre < 0):
            continue
        length, speed = L + ahead * Ldot + 0j, Ldot + 0j
        if column == LENGTH:
            length += step
        elif column == SPEED:
            speed += step
        elif column == ACTIVATION:
            drive.z[at] += step
        else:
            given[fibre] += step
        found = look_at(i, length, speed, muscles.params, drive)
        tension, slopes[T, column] = found.real, found.imag / STEP
        if column == ACTIVATION:
            drive.z[at] -= step
        elif column == FIBRE:
            given[fibre] -= step
        if fibre >= 0:
            slopes[F, column] = left[fibre].imag / STEP
            left[fibre] = left[fibre].real + 0j  # from where the next one is searched
    for row in (T, F):
        slopes[row, SPEED] += ahead * slopes[row, LENGTH]
        if drive.stage[0] > 0.0:
            slopes[row, EXCITATION] = slopes[row, ACTIVATION] * slopes[A, EXCITATION]
            slopes[row, ACTIVATION] *= slopes[A, ACTIVATION]
    return tension


@kernel(inline=False)
def slopes_of_tension(muscle, t, L, Ldot, q, qdot, muscles, slopes):
    """Fill slopes of (tension, activation, fibre) by the five numbers, by complex steps; returns the tension."""
    slopes[:, :] = 0.0
    if muscle.hill >= 0:
        return slopes_of_hill(muscle.hill, t, L, Ldot, q, qdot, muscles, slopes)
    stage, ahead = muscles.drive.stage, 0.0
    if stage[0] > 0.0 and muscle.law >= 0:
        ahead = stage[1]
    by_length = passive_tension(muscle, t, L + ahead * Ldot + 1j * STEP, Ldot + 0j, muscles)
    by_speed = passive_tension(muscle, t, L + ahead * Ldot + 0j, Ldot + 1j * STEP, muscles)
    slopes[T, LENGTH] = by_length.imag / STEP
    slopes[T, SPEED] = by_speed.imag / STEP + ahead * slopes[T, LENGTH]
    return by_speed.real


@kernel
def look_at_tensions(t, q, qdot, scratch, strands):
    """Tensions of all muscles with their slopes, J and H qdot. Needs: the states, where the muscles look for them."""
    if not scratch.system.muscles.active:
        return
    linear = scratch.matrices.linear
    tree, muscles, cq, cqdot, still = linear.tree, linear.muscles, linear.q, linear.qdot, linear.qddot
    table, spans, total, arms = muscles.table, muscles.spans, muscles.scratch.total, muscles.scratch.arms
    follow_states(scratch.system.muscles, muscles)
    muscles.drive.zdot[:] = 0.0  # from where fibre velocities are searched
    for k in range(q.shape[0]):
        cq[k], cqdot[k], still[k] = q[k] + 1j * STEP * qdot[k], qdot[k], 0.0
    move_from(1, tree, cq, cqdot, still)
    for index in range(table.shape[0]):
        muscle = table[index]
        strands.tension[index] = 0.0
        if not is_tense(muscle):
            continue
        solve_path(muscle, cq, tree.work, muscles)
        fill_arms(muscle, tree, muscles, arms)
        L, Ldot = total[0].real, 0.0
        for s in range(muscle.spans):
            at = muscle.span + s
            strands.lines[J, at], strands.lines[ALONG, at] = arms[s].real, arms[s].imag / STEP
            Ldot += strands.lines[J, at] * qdot[spans[at].dof]
        strands.tension[index] = slopes_of_tension(muscle, t, L, Ldot, cq, cqdot, muscles, strands.slopes[index])


@kernel
def turn_along(q, direction, scratch, strands):
    """H along a direction, into the lines. Needs: `look_at_tensions`."""
    if not scratch.system.muscles.active:
        return
    linear = scratch.matrices.linear
    tree, muscles, cq, still = linear.tree, linear.muscles, linear.q, linear.qddot
    table, arms = muscles.table, muscles.scratch.arms
    for k in range(q.shape[0]):
        cq[k] = q[k] + 1j * STEP * direction[k]
    move_from(1, tree, cq, still, still)
    for index in range(table.shape[0]):
        muscle = table[index]
        if strands.tension[index] != 0.0:
            solve_path(muscle, cq, tree.work, muscles)
            fill_arms(muscle, tree, muscles, arms)
            for s in range(muscle.spans):
                strands.lines[TURN, muscle.span + s] = arms[s].imag / STEP


@kernel
def add_turns(q, factor, scratch, strands, K):
    """K += factor sum of T H. Needs: `look_at_tensions`."""
    if not scratch.system.muscles.active:
        return
    linear = scratch.matrices.linear
    tree, muscles, cq, still = linear.tree, linear.muscles, linear.q, linear.qddot
    table, spans, links, arms = muscles.table, muscles.spans, tree.links, muscles.scratch.arms
    for k in range(q.shape[0]):
        cq[k] = q[k]
    move_from(1, tree, cq, still, still)
    for link in range(links.shape[0] - 1, 0, -1):
        for k in range(links[link].dof, links[link].dof + links[link].ndof):
            cq[k] += 1j * STEP
            move_from(link, tree, cq, still, still)
            for index in range(table.shape[0]):
                muscle = table[index]
                weight = factor * strands.tension[index] / STEP
                if weight == 0.0 or not changes_path(muscle, k, spans):
                    continue
                solve_path(muscle, cq, tree.work, muscles)
                fill_arms(muscle, tree, muscles, arms)
                for s in range(muscle.spans):
                    K[spans[muscle.span + s].dof, k] += weight * arms[s].imag
            cq[k] = q[k]
        move_from(link, tree, cq, still, still)


@kernel
def changes_path(muscle, k, spans):
    """Does degree of freedom k change the path of a muscle?"""
    found = False
    for s in range(muscle.spans):
        found = found or spans[muscle.span + s].dof == k
    return found


@kernel
def add_stretch(muscle, by_length, by_speed, spans, lines, D, K):
    """D and K += J^T dT, of a tension that changes by that much with length and speed."""
    for s in range(muscle.spans):
        row, arm = spans[muscle.span + s].dof, lines[J, muscle.span + s]
        for other in range(muscle.span, muscle.span + muscle.spans):
            k = spans[other].dof
            K[row, k] += arm * (by_length * lines[J, other] + by_speed * lines[ALONG, other])
            D[row, k] += arm * by_speed * lines[J, other]


@kernel
def add_pulled(muscle, by_length, by_speed, spans, lines, q_bar, v_bar):
    """Bars of q and qdot += those of a path's length and speed."""
    for at in range(muscle.span, muscle.span + muscle.spans):
        k = spans[at].dof
        q_bar[k] += by_length * lines[J, at] + by_speed * lines[ALONG, at]
        v_bar[k] += by_speed * lines[J, at]


@kernel
def along_arms(muscle, x, spans, lines):
    """J x of a muscle."""
    total = 0.0
    for at in range(muscle.span, muscle.span + muscle.spans):
        total += lines[J, at] * x[spans[at].dof]
    return total


@kernel
def weighed(slopes, tension, activation, fibre, column):
    """Slope by one of the five numbers, of what is weighed so."""
    return tension * slopes[T, column] + activation * slopes[A, column] + fibre * slopes[F, column]
