"""What a muscle with states pulls, and how its states change.

With the states given, the fibre's rate follows from the equilibrium of fibre and tendon, and the activation's from the
excitation. In an implicit stage z = base + zdot/alpha: activation, then fibre length, each from one scalar equation,
so that the tension is a function of q and qdot alone, whose derivatives are carried by complex numbers.

The excitation is what is given, as a number, in time or by a function, and what the muscle's reflexes add; clipped to
the least activation and one.
"""

from numba.core import types

from ..._jit import kernel
from ...spatial.motion import value_at
from .activation import activation_rate, activation_step, clip_excitation
from .delay import delay_rates, delay_step, delayed
from .fibre import balance_at, fibre_step, rigid_fibre, rigid_look, stored_energy, tendon_tension
from .records import COORDINATE, FORCE, LENGTH, TERMS


@kernel
def told_signal(reflex, drive):
    """What a reflex on a muscle answers to, from the last look at that muscle."""
    told, hill = drive.told[reflex.source], drive.hills[reflex.source]
    if reflex.quantity == LENGTH:
        seen = told.fibre / hill.optimal
    elif reflex.quantity == FORCE:
        seen = told.tension / hill.force
    else:
        seen = told.rate / hill.speed
    return reflex.gain * (seen - reflex.target) + reflex.rate_gain * told.rate / hill.optimal


@kernel
def signal_of(r, q, qdot, drive):
    """What a reflex answers to, before its delay."""
    reflex = drive.reflexes[r]
    if reflex.quantity == COORDINATE:
        return reflex.gain * (q[reflex.source] - reflex.target) + reflex.rate_gain * qdot[reflex.source]
    if drive.stage[0] > 0.0:
        return drive.heard[r] + drive.z[0] * 0.0
    return told_signal(reflex, drive)


@kernel(inline=False)
def excite(i, t, q, qdot, drive):
    """The excitation of muscle i, its delays brought to this stage or their rates filled."""
    hill, total = drive.hills[i], drive.excitation[i]
    if drive.curve[i] >= 0:
        total = total + value_at(drive.motions, drive.curve[i], t)
    for r in range(hill.reflex, hill.reflex + hill.reflexes):
        reflex, seen = drive.reflexes[r], signal_of(r, q, qdot, drive)
        at, alpha = reflex.memory, drive.stage[0]
        if at >= 0:
            if alpha > 0.0:
                delay_step(alpha, drive.base, at, seen, reflex.delay, drive.delay, drive.z)
                for k in range(at, at + TERMS):
                    drive.zdot[k] = alpha * (drive.z[k] - drive.base[k])
            else:
                delay_rates(drive.z, at, seen, reflex.delay, drive.zdot)
            seen = delayed(drive.z, at)
        if reflex.rectified == 0 or seen.real > 0.0:
            total = total + seen
    return clip_excitation(hill, total)


@kernel(inline=False)
def look_at(i, L, Ldot, params, drive):
    """Tension of muscle i at a length and speed of its path [N], its activation known; `told` keeps what it finds."""
    hill, z, zdot, told = drive.hills[i], drive.z, drive.zdot, drive.told[i]
    a, alpha, at = z[hill.activation], drive.stage[0], hill.fibre
    told.length, told.speed = L, Ldot
    if at < 0:
        told.fibre, told.rate, told.tension = rigid_look(hill, params, a, L, Ldot)
        return told.tension
    if alpha > 0.0:
        z[at] = fibre_step(hill, params, alpha, drive.base[at], a, L, z[at])
        zdot[at] = alpha * (z[at] - drive.base[at])
        told.tension = tendon_tension(hill, params, z[at], L)
    else:
        zdot[at], told.tension = balance_at(hill, params, a, z[at], L, zdot[at])
    told.fibre, told.rate = z[at], zdot[at]
    return told.tension


@kernel(on_demand=lambda i, t, q, *rest: q.dtype)
def pull(i, t, q, qdot, arms, muscle, muscles):
    """The tension of muscle i with states [N], whose path moves by `arms` with the dofs that it spans.

    Needs: the muscle's path (`solve_path`). In an implicit stage its states are solved for.
    """
    drive, spans = muscles.drive, muscles.spans
    hill, Ldot = drive.hills[i], muscles.scratch.total[0] * 0.0
    for s in range(muscle.spans):
        Ldot += arms[s] * qdot[spans[muscle.span + s].dof]
    alpha, at, L = drive.stage[0], hill.activation, muscles.scratch.total[0]
    if alpha > 0.0:
        L = L + drive.stage[1] * Ldot
        u = excite(i, t, q, qdot, drive)
        drive.told[i].excitation = u
        drive.z[at] = activation_step(hill, alpha, drive.base[at], u)
        drive.zdot[at] = alpha * (drive.z[at] - drive.base[at])
    return look_at(i, L, Ldot, muscles.params, drive)


@kernel(on_demand=lambda i, muscles: muscles.layout.types["scratch"].layout.types["total"].dtype)
def stored_in(i, muscles):
    """What tendon and passive fibre of muscle i with states store [J]. Needs: the muscle's path (`solve_path`)."""
    drive, L = muscles.drive, muscles.scratch.total[0]
    hill = drive.hills[i]
    fibre = drive.z[hill.fibre] if hill.fibre >= 0 else rigid_fibre(hill, muscles.params, L, L * 0.0)[0]
    tendon, passive = stored_energy(hill, muscles.params, fibre, L)
    return tendon + passive


@kernel
def does_answer_to(i, k, drive):
    """True if a reflex of muscle i answers to degree of freedom k."""
    hill = drive.hills[i]
    for r in range(hill.reflex, hill.reflex + hill.reflexes):
        if drive.reflexes[r].quantity == COORDINATE and drive.reflexes[r].source == k:
            return True
    return False


@kernel(on_demand=types.none)
def fill_activation_rates(t, q, qdot, drive):
    """The rates of all activations and delays, where states are given. Needs: the last look at every muscle."""
    for i in range(drive.hills.shape[0]):
        u = excite(i, t, q, qdot, drive)
        drive.told[i].excitation = u
        at = drive.hills[i].activation
        drive.zdot[at] = activation_rate(drive.hills[i], u, drive.z[at])
