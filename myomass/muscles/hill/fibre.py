"""The fibre of a Hill-type muscle between its tendon's pull and its own: lengths, velocities, forces, energies.

With l the fibre's length, L that of the path, v the fibre's velocity over its largest speed of shortening, h the
fibre's height (constant) and f_l, f_v, f_p, f_t the curves, F0 times

    (a f_l(l/l_opt) f_v(v) + f_p(l/l_opt) + beta v) cos(alpha) = f_t((L - l cos(alpha))/slack),    sin(alpha) = h/l

The activation a is taken within [least, 1]. Numbers of any type: derivatives by complex step are exact.

M. Millard, T. Uchida, A. Seth, S. L. Delp, Flexing computational muscle, J. Biomech. Eng. 135, 2013.
"""

import numpy as np

from ..._jit import kernel
from .activation import clip_excitation
from .balance import LOCAL, settles, solve_balance
from .curves.dispatch import (
    active_curve,
    forces_at,
    inverse_curve,
    passive_curve,
    passive_stored,
    tendon_curve,
    tendon_stored,
    velocity_curve,
)

MOST_STEPS = 100
SLOW = 0.5  # of an error, above which what is left of it calls for a bisection: Newton's method may circle
CLOSE = 1e-10  # a step of Newton's method after which the next one is below rounding
FASTEST = 2.0  # velocity from which a search may start, in largest ones
SETTLED = 1e-13  # relative change of a velocity


@kernel
def cosine(hill, fibre):
    """cos(alpha) of the pennation angle at a fibre length [m]."""
    s = hill.height / fibre
    return np.sqrt(1.0 - s * s)


@kernel
def lasting(hill, fibre):
    """The fibre length [m], or the shortest one if that is longer."""
    return fibre if fibre.real > hill.shortest.real else fibre * 0.0 + hill.shortest


@kernel
def tendon_tension(hill, params, fibre, L):
    """The elastic tendon's tension [N]."""
    return hill.force * tendon_curve(hill.kind, params, hill.at, (L - fibre * cosine(hill, fibre)) / hill.slack)[0]


@kernel
def damped_velocity(hill, params, strength, need, a, guess):
    """V such that strength f_v(v, a) + beta v = need, for beta > 0: Newton's method between brackets, from a guess."""
    beta = hill.damping
    v = (strength + need + beta) * 0.0 + guess
    value, slope = velocity_curve(hill.kind, params, hill.at, v, a)
    error = strength * value + beta * v - need
    end = guess - error.real / beta.real
    low, high = min(end, guess), max(end, guess)
    last, before = 0.0, np.inf
    for _ in range(MOST_STEPS):
        aim, size = v - error / (strength * slope + beta), abs(error.real)
        if not (low <= aim.real <= high and size <= SLOW * before):
            aim = v * 0.0 + 0.5 * (low + high)
        before = size
        step = abs(aim.real - v.real)
        v = aim
        done = step <= CLOSE or settles(step, last, CLOSE)
        last = step if step <= LOCAL else 0.0
        if done and v.imag == need.imag == strength.imag == a.imag == 0.0:  # no complex step is lost in a bisection
            break
        value, slope = velocity_curve(hill.kind, params, hill.at, v, a)
        error = strength * value + beta * v - need
        if done:
            v -= error / (strength * slope + beta)
            break
        if error.real > 0.0:
            high = v.real
        else:
            low = v.real
    return v


@kernel
def balance_at(hill, params, a, fibre, L, guess):
    """(fibre's velocity [m/s] at which it balances an elastic tendon, the tendon's tension [N]).

    At the shortest fibre the velocity is not below 0. It is searched from `guess` [m/s] on, whatever number that is.
    """
    a, held = clip_excitation(hill, a), lasting(hill, fibre)
    c, x, w = cosine(hill, held), held / hill.optimal, (guess / hill.speed).real
    fl, fp, ft = forces_at(hill.kind, params, hill.at, x + L * 0.0, (L - held * c) / hill.slack)
    strength, need = a * fl, ft / c - fp
    if hill.damping.real > 0.0:
        v = damped_velocity(hill, params, strength, need, a, w if abs(w) < FASTEST else 0.0)
    else:
        v = inverse_curve(hill.kind, params, hill.at, need / strength, a)
    if fibre.real <= hill.shortest.real:
        tension = tendon_tension(hill, params, fibre, L)
        return (v * 0.0 if v.real < 0.0 else v * hill.speed), tension
    return v * hill.speed, hill.force * ft


@kernel
def fibre_velocity(hill, params, a, fibre, L):
    """The fibre's velocity [m/s] at which it balances an elastic tendon; at the shortest fibre not below 0."""
    return balance_at(hill, params, a, fibre, L, L * 0.0)[0]


@kernel
def fibre_pull(hill, params, a, fibre, v):
    """(active, passive, damping) forces along the fibre over F0, at its velocity v [m/s]."""
    x, w, a = fibre / hill.optimal, v / hill.speed, clip_excitation(hill, a)
    fl = active_curve(hill.kind, params, hill.at, x)[0]
    fv = velocity_curve(hill.kind, params, hill.at, w, a)[0]
    return a * fl * fv, passive_curve(hill.kind, params, hill.at, x)[0], hill.damping * w


@kernel
def rigid_fibre(hill, params, L, Ldot):
    """(fibre length [m], its velocity [m/s]) on a rigid tendon; a path too short for the shortest fibre leaves that."""
    along = L - hill.slack
    fibre = np.sqrt(hill.height * hill.height + along * along)
    if along.real <= 0.0 or fibre.real <= hill.shortest.real:
        zero = (L + Ldot) * 0.0
        return zero + hill.shortest, zero
    return fibre, Ldot * along / fibre


@kernel
def rigid_pull(hill, params, a, fibre, v):
    """`fibre_pull` of a fibre on a rigid tendon, which never pushes: 0 at the shortest fibre, whose tendon is slack.

    Where the path shortens faster than the fibre can, its damping, and then its active force, give way.
    """
    active, passive, damping = fibre_pull(hill, params, a, fibre, v)
    zero = (active + damping) * 0.0
    if fibre.real <= hill.shortest.real:
        return zero, zero, zero
    if (active + passive + damping).real < 0.0:
        if (active + passive).real >= 0.0:
            return active, passive, -active - passive
        return zero - passive, passive, zero
    return active, passive, damping


@kernel
def rigid_look(hill, params, a, L, Ldot):
    """(fibre length [m], its velocity [m/s], tension [N]) of a muscle with a rigid tendon."""
    fibre, v = rigid_fibre(hill, params, L, Ldot)
    active, passive, damping = rigid_pull(hill, params, a, fibre, v)
    return fibre, v, hill.force * (active + passive + damping) * cosine(hill, fibre)


@kernel
def rigid_tension(hill, params, a, L, Ldot):
    """Tension [N] of a muscle with a rigid tendon, not below 0."""
    return rigid_look(hill, params, a, L, Ldot)[2]


@kernel
def fibre_step(hill, params, alpha, l_hat, a, L, guess):
    """Fibre length [m] that balances an elastic tendon at the velocity alpha (l - l_hat): an implicit step.

    Searched from `guess` [m] on. Not below the shortest fibre.
    """
    optimal = hill.optimal
    k = alpha * optimal / hill.speed
    a, o = clip_excitation(hill, a), l_hat * 0.0
    d, found = solve_balance(hill, params, a, L, l_hat / optimal, o, k, guess / optimal)
    return l_hat + optimal * d if found > 0 else d * 0.0 + hill.shortest


@kernel
def share_of_fibre(hill, params, a, x, v, L, Ldot):
    """The fibre's velocity, if it takes the tendon's share K_t/(K_t + K_f) of the path's speed, along the tendon."""
    fibre = x * hill.optimal
    c = cosine(hill, fibre)
    fl, fl_slope = active_curve(hill.kind, params, hill.at, x)
    fp, fp_slope = passive_curve(hill.kind, params, hill.at, x)
    fv = velocity_curve(hill.kind, params, hill.at, v, a)[0]
    ft_slope = tendon_curve(hill.kind, params, hill.at, (L - fibre * c) / hill.slack)[1]
    h = hill.height / hill.optimal
    pull = a * fl * fv + fp + hill.damping * v
    own = c * (c * (a * fl_slope * fv + fp_slope) + pull * h * h / (x * x * x * c)) / hill.optimal
    tendon = ft_slope / hill.slack
    return c * Ldot / hill.speed * tendon / (tendon + own)


@kernel
def static_fibre(hill, params, a, L, Ldot):
    """(fibre length [m], found) in equilibrium with an elastic tendon; at a speed of the path it takes a share of it.

    Of several equilibria the stable one that a fibre of optimal length comes to. Where the path shortens faster than a
    fibre without load can, the tendon is just slack. A fibre that would be shorter than the shortest rests at that;
    found is False if its tendon is slack there.
    """
    a, zero = clip_excitation(hill, a), (a + L + Ldot) * 0.0
    v, x = zero, zero + 1.0
    found = 0
    for _ in range(MOST_STEPS):
        d, found = solve_balance(hill, params, a, L, x, v, zero, x)
        if found <= 0:
            break
        x += d
        if Ldot.real == 0.0:
            break
        before = v
        v = share_of_fibre(hill, params, a, x, v, L, Ldot)
        if abs((v - before).real) <= SETTLED * (1.0 + abs(v.real)):
            break
    if found > 0:
        return x * hill.optimal, True
    along = L - hill.slack
    straight = np.sqrt(hill.height * hill.height + along * along) + zero
    if found == 0 and along.real > 0.0 and straight.real > hill.shortest.real:
        return straight, True
    shortest = zero + hill.shortest
    taut = (L - shortest * cosine(hill, shortest)).real > hill.slack.real
    return shortest, found < 0 and taut


@kernel
def parts(hill, params, a, fibre, v, L):
    """(active, passive, damping, tension) [N]: forces along the fibre at its velocity v [m/s], and the tendon's.

    Of a rigid tendon the tension is what the fibre pulls it with.
    """
    F = hill.force
    if hill.fibre >= 0:
        active, passive, damping = fibre_pull(hill, params, a, fibre, v)
        return F * active, F * passive, F * damping, tendon_tension(hill, params, fibre, L)
    active, passive, damping = rigid_pull(hill, params, a, fibre, v)
    tension = F * (active + passive + damping) * cosine(hill, fibre) + L * 0.0
    return F * active, F * passive, F * damping, tension


@kernel
def stored_energy(hill, params, fibre, L):
    """(tendon, passive) energies [J] that the tendon and the passive fibre hold; a rigid tendon holds none."""
    passive = passive_stored(hill.kind, params, hill.at, fibre / hill.optimal)
    if hill.fibre < 0:
        return passive * 0.0, hill.force * hill.optimal * passive
    strained = tendon_stored(hill.kind, params, hill.at, (L - fibre * cosine(hill, fibre)) / hill.slack)
    return hill.force * hill.slack * strained, hill.force * hill.optimal * passive
