"""Reverse of stages of models with states or constraints, but without reflexes: see states.py, tensions.py, tied.py.

In an implicit stage z = z_hat + zdot/alpha, so that with W = (1 - Z/alpha)^-1 of each muscle, at most two by two,

    dT = (T_L + T_z W z_L/alpha) dL + (T_Ldot + T_z W z_Ldot/alpha) dLdot
"""

from .._jit import kernel
from ..algorithms import lu
from ..integrators.newton import form_matrix
from .pulls import close_pulls, open_pulls
from .stages import LAMBDA, Q, V, hold_states, open_scratch, times_transposed
from .stages import A as RATES
from .tensions import (
    ACTIVATION,
    EXCITATION,
    FIBRE,
    LENGTH,
    SPEED,
    TURN,
    A,
    F,
    T,
    add_pulled,
    add_stretch,
    add_turns,
    along_arms,
    fill_but_tensions,
    look_at_tensions,
    open_strands,
    turn_along,
    weighed,
)
from .tied import factorise_tied, solve_tied, tie

Z, Y = 0, 1  # rows of what a stage gives back for states: their bars, and those of their rates


@kernel
def through_stage(a, b, slopes, alpha):
    """(a, b) W, for the bars a of an activation and b of a fibre; nan or infinite if there is no W."""
    keep_a, keep_b = 1.0 - slopes[A, ACTIVATION] / alpha, 1.0 - slopes[F, FIBRE] / alpha
    mix_a, mix_b = slopes[A, FIBRE] / alpha, slopes[F, ACTIVATION] / alpha
    scale = 1.0 / (keep_a * keep_b - mix_a * mix_b)
    return scale * (a * keep_b + b * mix_b), scale * (a * mix_a + b * keep_a)


@kernel
def fill_stage(t, alpha, q, qdot, qddot, scratch, strands):
    """M, D and K of a stage whose states follow the path."""
    matrices, muscles = scratch.matrices, scratch.system.muscles
    M, D, K = matrices.M, matrices.D, matrices.K
    fill_but_tensions(t, q, qdot, qddot, scratch, M, D, K)
    look_at_tensions(t, q, qdot, scratch, strands)
    for index in range(muscles.table.shape[0]):
        muscle, slopes = muscles.table[index], strands.slopes[index]
        if muscle.hill >= 0 or muscle.law >= 0:
            a, b = through_stage(slopes[T, ACTIVATION] / alpha, slopes[T, FIBRE] / alpha, slopes, alpha)
            by_length, by_speed = weighed(slopes, 1.0, a, b, LENGTH), weighed(slopes, 1.0, a, b, SPEED)
            add_stretch(muscle, by_length, by_speed, muscles.spans, strands.lines, D, K)
    add_turns(q, 1.0, scratch, strands, K)


@kernel
def tie_stage(t, alpha, q, qdot, qddot, tau, scratch, ties, multipliers):
    """Factorise what the stage (alpha = 0: an evaluation) solves; returns how many rows it has, -1 if singular."""
    matrices, count = scratch.matrices, 0
    M, D, K, H, n = matrices.M, matrices.D, matrices.K, matrices.H, q.shape[0]
    if scratch.system.constraints.count > 0:
        count = tie(t, q, qdot, qddot, tau, alpha > 0.0, scratch, ties)
        for i in range(count):
            multipliers[i] = ties.multipliers[i]
        for j in range(n):
            for k in range(n):
                K[j, k] -= ties.by_force[j, k]
    if alpha > 0.0:
        form_matrix(alpha, M, D, K, H)
    else:
        for j in range(n):
            for k in range(n):
                H[j, k] = M[j, k]
    regular = factorise_tied(count, H, alpha, ties) if count > 0 else lu.factorise(H, 0, matrices.order)
    return count if regular else -1


@kernel
def solve_stage(count, rhs, matrices, ties, lam, nu):
    """lambda, and the bars nu of the rows' speeds or accelerations; rhs is used up."""
    if count == 0:
        lu.solve_transposed(matrices.H, matrices.order, rhs, lam)
        return
    solve_tied(count, rhs, ties, lam, nu)


@kernel(entry=True)
def reverse_implicit(
    handle, strands_handle, t, alpha, q, qdot, qddot, z, tau, bars, state_bars, found, states, u, multipliers, nu
):
    """As stages.reverse_implicit, with states and constraints; returns how many rows there are, -1 if H is singular.

    state_bars: bars of z and zdot, states: bars of z_hat and of the states' rates, (quantities, 2, nz); u: (quantities,
    muscles); multipliers: (rows,), nu: (quantities, 2, rows)
    """
    scratch, strands = open_scratch(handle, q), open_strands(strands_handle, q)
    matrices, muscles = scratch.matrices, scratch.system.muscles
    rhs, v_bar, n, ties = matrices.defect, scratch.vectors[0], q.shape[0], strands.ties
    hold_states(z, scratch.system)
    fill_stage(t, alpha, q, qdot, qddot, scratch, strands)
    count = tie_stage(t, alpha, q, qdot, qddot, tau, scratch, ties, multipliers)
    if count < 0:
        return count
    for row in range(bars.shape[0]):
        given, out, y = bars[row], found[row], states[row, Y]
        for k in range(n):
            out[Q, k], out[V, k], v_bar[k] = given[0, k], given[RATES, k], given[1, k]
        for index in range(muscles.table.shape[0]):
            muscle, slopes = muscles.table[index], strands.slopes[index]
            if muscle.hill >= 0:
                at, fibre = muscles.drive.hills[muscle.hill].activation, muscles.drive.hills[muscle.hill].fibre
                own = state_bars[row, 0, fibre] + alpha * state_bars[row, 1, fibre] if fibre >= 0 else 0.0
                a, b = through_stage(state_bars[row, 0, at] + alpha * state_bars[row, 1, at], own, slopes, alpha)
                y[at] = a / alpha
                if fibre >= 0:
                    y[fibre] = b / alpha
                by_length = weighed(slopes, 0.0, a / alpha, b / alpha, LENGTH)
                by_speed = weighed(slopes, 0.0, a / alpha, b / alpha, SPEED)
                add_pulled(muscle, by_length, by_speed, muscles.spans, strands.lines, out[Q], v_bar)
        for k in range(n):
            rhs[k] = -(v_bar[k] + out[Q, k] / alpha + alpha * given[RATES, k])
        solve_stage(count, rhs, matrices, ties, out[LAMBDA], nu[row, 0])
        for i in range(count):
            for k in range(n):
                out[Q, k] += nu[row, 0, i] * ties.rates[0, 0, i, k]
        times_transposed(matrices.K, out[LAMBDA], out[Q])
        times_transposed(matrices.M, out[LAMBDA], out[V])
        for k in range(n):
            out[V, k] *= -alpha
        for index in range(muscles.table.shape[0]):
            muscle, slopes = muscles.table[index], strands.slopes[index]
            if muscle.hill >= 0:
                at, fibre = muscles.drive.hills[muscle.hill].activation, muscles.drive.hills[muscle.hill].fibre
                felt = along_arms(muscle, out[LAMBDA], muscles.spans, strands.lines)
                a, b = through_stage(felt * slopes[T, ACTIVATION], felt * slopes[T, FIBRE], slopes, alpha)
                y[at] += a / alpha
                states[row, Z, at] = alpha * (y[at] - state_bars[row, 1, at])
                b = b / alpha + y[fibre] if fibre >= 0 else 0.0
                if fibre >= 0:
                    y[fibre], states[row, Z, fibre] = b, alpha * (b - state_bars[row, 1, fibre])
                u[row, muscle.hill] = weighed(slopes, felt, y[at], b, EXCITATION)
    return count


@kernel(entry=True)
def reverse_explicit(
    handle, strands_handle, t, h, q, qdot, qddot, z, tau, bars, state_bars, found, states, u, multipliers, nu
):
    """As stages.reverse_explicit, with states and constraints; how many rows there are, -1 if M is singular.

    h: zero, or that of a step which solves for the states at its end; state_bars: bars of these, or of zdot, (rows,
    nz); states: bars of z first, (rows, 2, nz); the others as of `reverse_implicit`.
    """
    scratch, strands = open_scratch(handle, q), open_strands(strands_handle, q)
    matrices, muscles, n, ties = scratch.matrices, scratch.system.muscles, q.shape[0], strands.ties
    rhs, M, D, K = matrices.defect, matrices.M, matrices.D, matrices.K
    hold_states(z, scratch.system)
    fill_but_tensions(t, q, qdot, qddot, scratch, M, D, K)
    if h > 0.0:
        open_pulls(h, h, z, scratch.system)
    look_at_tensions(t, q, qdot, scratch, strands)
    close_pulls(scratch.system)
    many = bars.shape[0] >= n
    if many:
        add_turns(q, 1.0, scratch, strands, K)
    count = tie_stage(t, 0.0, q, qdot, qddot, tau, scratch, ties, multipliers)
    if count < 0:
        return count
    for row in range(bars.shape[0]):
        out = found[row]
        lam = out[LAMBDA]
        for k in range(n):
            rhs[k] = -bars[row, k]
            out[Q, k] = out[V, k] = 0.0
        solve_stage(count, rhs, matrices, ties, lam, nu[row, 1])
        for i in range(count):
            for k in range(n):
                out[Q, k] += nu[row, 1, i] * ties.rates[0, 1, i, k]
                out[V, k] += nu[row, 1, i] * ties.rates[1, 1, i, k]
        times_transposed(K, lam, out[Q])
        times_transposed(D, lam, out[V])
        if not many:
            turn_along(q, lam, scratch, strands)
        for index in range(muscles.table.shape[0]):
            muscle, slopes = muscles.table[index], strands.slopes[index]
            felt, a, b = along_arms(muscle, lam, muscles.spans, strands.lines), 0.0, 0.0
            if strands.tension[index] != 0.0 and not many:
                for at in range(muscle.span, muscle.span + muscle.spans):
                    out[Q, muscles.spans[at].dof] += strands.tension[index] * strands.lines[TURN, at]
            if muscle.hill >= 0:
                at, fibre = muscles.drive.hills[muscle.hill].activation, muscles.drive.hills[muscle.hill].fibre
                a, b = state_bars[row, at], state_bars[row, fibre] if fibre >= 0 else 0.0
                states[row, Z, at] = weighed(slopes, felt, a, b, ACTIVATION)
                if fibre >= 0:
                    states[row, Z, fibre] = weighed(slopes, felt, a, b, FIBRE)
                u[row, muscle.hill] = weighed(slopes, felt, a, b, EXCITATION)
            if muscle.hill >= 0 or muscle.law >= 0:
                by_length, by_speed = weighed(slopes, felt, a, b, LENGTH), weighed(slopes, felt, a, b, SPEED)
                add_pulled(muscle, by_length, by_speed, muscles.spans, strands.lines, out[Q], out[V])
    return count
