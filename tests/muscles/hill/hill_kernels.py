"""The kernels of Hill-type muscles over arrays, random muscles, and muscles as OpenSim computed them."""

import json
from pathlib import Path

import numpy as np

from myomass._jit import kernel
from myomass.joints.records import as_records
from myomass.muscles.hill.activation import activation_rate, activation_step
from myomass.muscles.hill.curves import DeGrooteFregly2016, Millard2012, Thelen2003
from myomass.muscles.hill.curves.dispatch import (
    active_curve,
    demand_curves,
    inverse_curve,
    passive_curve,
    passive_stored,
    tendon_curve,
    tendon_stored,
    velocity_curve,
)
from myomass.muscles.hill.fibre import (
    cosine,
    fibre_step,
    fibre_velocity,
    parts,
    rigid_fibre,
    rigid_tension,
    static_fibre,
    stored_energy,
    tendon_tension,
)
from myomass.muscles.hill.records import hill_dtype
from myomass.muscles.hill.spec import Hill

FILE = Path(__file__).parents[2] / "fixtures" / "opensim_muscles.json"
ACTIVE, PASSIVE, TENDON, VELOCITY, INVERSE, PASSIVE_ENERGY, TENDON_ENERGY = range(7)
FAMILIES = [Millard2012(), Thelen2003(), DeGrooteFregly2016()]


@kernel(entry=True)
def curve_over(which, kind, params, x, a, out):
    """out[0], out[1]: value and slope of one of the curves at each x and activation a."""
    for i in range(len(x)):
        if which == ACTIVE:
            out[0, i], out[1, i] = active_curve(kind, params, 0, x[i])
        elif which == PASSIVE:
            out[0, i], out[1, i] = passive_curve(kind, params, 0, x[i])
        elif which == TENDON:
            out[0, i], out[1, i] = tendon_curve(kind, params, 0, x[i])
        elif which == VELOCITY:
            out[0, i], out[1, i] = velocity_curve(kind, params, 0, x[i], a[i])
        elif which == INVERSE:
            out[0, i] = inverse_curve(kind, params, 0, x[i], a[i])
        elif which == PASSIVE_ENERGY:
            out[0, i] = passive_stored(kind, params, 0, x[i])
        else:
            out[0, i] = tendon_stored(kind, params, 0, x[i])


@kernel(entry=True)
def fibre_over(hills, params, a, fibre, L, Ldot, out):
    """Rows of out: velocity, tension, cosine, active, passive, damping, tension of parts, stored energies (2)."""
    hill = hills[0]
    for i in range(len(a)):
        v = fibre_velocity(hill, params, a[i], fibre[i], L[i])
        out[0, i], out[1, i] = v, tendon_tension(hill, params, fibre[i], L[i])
        out[2, i] = cosine(hill, fibre[i])
        out[3, i], out[4, i], out[5, i], out[6, i] = parts(hill, params, a[i], fibre[i], v, L[i])
        out[7, i], out[8, i] = stored_energy(hill, params, fibre[i], L[i])


@kernel(entry=True)
def rigid_over(hills, params, a, L, Ldot, out):
    """Rows of out: fibre length and velocity, tension."""
    for i in range(len(a)):
        out[0, i], out[1, i] = rigid_fibre(hills[0], params, L[i], Ldot[i])
        out[2, i] = rigid_tension(hills[0], params, a[i], L[i], Ldot[i])


@kernel(entry=True)
def static_over(hills, params, a, L, Ldot, out, found):
    """out: fibre lengths."""
    for i in range(len(a)):
        out[i], found[i] = static_fibre(hills[0], params, a[i], L[i], Ldot[i])


@kernel(entry=True)
def step_over(hills, params, alpha, l_hat, a, L, guess, out):
    """out: fibre lengths."""
    for i in range(len(a)):
        out[i] = fibre_step(hills[0], params, alpha[i], l_hat[i], a[i], L[i], guess[i])


@kernel(entry=True)
def activation_over(hills, alpha, a, u, out):
    """Rows of out: rate at a, and the implicit step from a."""
    for i in range(len(a)):
        out[0, i] = activation_rate(hills[0], u[i], a[i])
        out[1, i] = activation_step(hills[0], alpha[i], a[i], u[i])


def evaluate(which, family, x, a=0.5, damped=True):
    """(value, slope) of a curve at each x."""
    demand_curves([family.kind])
    x, a = np.broadcast_arrays(*map(np.atleast_1d, (x, a)))
    scalar = np.result_type(x, a, np.float64)
    x, a = (np.ascontiguousarray(value, scalar) for value in (x, a))
    out = np.zeros((2, len(x)), scalar)
    curve_over(which, family.kind, np.array(family.parameters(damped)), x, a, out)
    return out


def arrays(hill, *given):
    """(record, params, arrays of one length and number type) of a muscle and numbers."""
    given = np.broadcast_arrays(*map(np.atleast_1d, given))
    scalar = np.result_type(*given, np.float64)
    demand_curves([hill.family.kind])
    record = as_records(hill.record().astype(hill_dtype(scalar)), hill_dtype(scalar))
    return record, np.array(hill.parameters()).astype(scalar), *(np.ascontiguousarray(x, scalar) for x in given)


def fibres(hill, a, fibre, L):
    """The rows of `fibre_over`."""
    record, params, a, fibre, L = arrays(hill, a, fibre, L)
    out = np.zeros((9, len(a)), a.dtype)
    fibre_over(record, params, a, fibre, L, L, out)
    return out


def rigid(hill, a, L, Ldot):
    """The rows of `rigid_over`."""
    given = arrays(hill, a, L, Ldot)
    out = np.zeros((3, len(given[-1])), given[-1].dtype)
    rigid_over(*given, out)
    return out


def static(hill, a, L, Ldot=0.0):
    """(fibre lengths, found)."""
    given = arrays(hill, a, L, Ldot)
    out, found = np.zeros(len(given[-1]), given[-1].dtype), np.zeros(len(given[-1]), bool)
    static_over(*given, out, found)
    return out, found


def step(hill, alpha, l_hat, a, L, guess=None):
    """Fibre lengths after implicit steps."""
    given = arrays(hill, alpha, l_hat, a, L, l_hat if guess is None else guess)
    out = np.zeros(len(given[-1]), given[-1].dtype)
    step_over(*given, out)
    return out


def activations(hill, alpha, a, u):
    """(rates, implicit steps) of the activation."""
    record, _, alpha, a, u = arrays(hill, alpha, a, u)
    out = np.zeros((2, len(a)), a.dtype)
    activation_over(record, alpha, a, u, out)
    return out


def opensim():
    """What OpenSim computed, by muscle."""
    return json.loads(FILE.read_text())


def opensim_sets():
    """(Hill, the set) of every parameter set that OpenSim computed."""
    stored = opensim()
    made = [(millard_of(s), s) for s in stored["millard2012"]["sets"]]
    made += [(thelen_of(s), s) for s in stored["thelen2003"]["sets"]]
    return made + [(degroote_of(s), s) for s in stored["degrootefregly2016"]["sets"]]


def millard_curves(used):
    """Curves from OpenSim's parameters: its properties in their order are the fields in theirs."""
    active, velocity, passive, tendon = (
        list(used[f"{name}Curve"].values())
        for name in ("ActiveForceLength", "ForceVelocity", "FiberForceLength", "TendonForceLength")
    )
    return Millard2012(*active, *passive, *velocity, *tendon)


def millard_of(s):
    """The muscle of a Millard set."""
    p = s["parameters"]
    tendon = "rigid" if p.get("ignore_tendon_compliance") else "elastic"
    return _hill(p, millard_curves(s["curve_parameters_in_use"]), p["fiber_damping"], tendon)


def thelen_of(s):
    """The muscle of a Thelen set."""
    p = s["parameters"]
    names = ("FmaxTendonStrain", "FmaxMuscleStrain", "KshapeActive", "KshapePassive", "Af", "Flen")
    return _hill(p, Thelen2003(*(p[name] for name in names), p["fv_linear_extrap_threshold"]), 0.0)


def degroote_of(s):
    """The muscle of a De Groote-Fregly set; without damping, which OpenSim leaves out of its explicit velocity."""
    p = s["parameters"]
    names = (
        "active_force_width_scale",
        "passive_fiber_strain_at_one_norm_force",
        "tendon_strain_at_one_norm_force",
    )
    return _hill(p, DeGrooteFregly2016(*(p[name] for name in names)), 0.0)


def _hill(p, curves, damping, tendon="elastic"):
    return Hill(
        p["max_isometric_force"],
        p["optimal_fiber_length"],
        p["tendon_slack_length"],
        p["pennation_angle_at_optimal"],
        p["max_contraction_velocity"],
        damping,
        tendon,
        curves,
        p["activation_time_constant"],
        p["deactivation_time_constant"],
        p.get("minimum_activation", 0.01),
        p.get("maximum_pennation_angle", np.arccos(0.1)),
    )


def table(stored):
    """A stored table as arrays by column."""
    return dict(zip(stored["columns"], np.array(stored["rows"], float).T, strict=True))


def random_muscle(rng, curves=None):
    """A muscle of any size: tendons up to a hundred times stiffer than usual, damped and not."""
    kinds = [
        Millard2012(),
        Millard2012(tendon_strain=4.9e-4),
        Thelen2003(),
        Thelen2003(tendon_strain=4e-4),
        DeGrooteFregly2016(),
        DeGrooteFregly2016(tendon_strain=4.9e-4),
    ]
    optimal = 10.0 ** rng.uniform(-4, 1)
    return Hill(
        10.0 ** rng.uniform(-2, 5),
        optimal,
        optimal * 10.0 ** rng.uniform(-1, 1.3),
        rng.choice([0.0, rng.uniform(0.0, 0.6)]),
        rng.uniform(1.0, 15.0),
        rng.choice([0.0, 1e-5, 0.01, 0.1, 1.0]),
        curves=curves or kinds[rng.integers(len(kinds))],
    )


def random_states(rng, hill, count):
    """(alpha, l_hat, a, L, guess): steps of any size from tendons slack and taut."""
    numbers = hill.numbers()
    l_hat = np.maximum(numbers.optimal * rng.uniform(0.3, 1.7, count), numbers.shortest * rng.uniform(0.95, 1.2, count))
    along = np.sqrt(np.maximum(l_hat**2 - numbers.height**2, 0.0))
    L = numbers.slack * (1.0 + rng.uniform(-0.01, 0.05, count)) + along * rng.uniform(0.8, 1.2, count)
    guess = l_hat * np.where(rng.random(count) < 0.5, 1.0, rng.uniform(0.2, 3.0, count))
    return 10.0 ** rng.uniform(0, 9, count), l_hat, rng.uniform(0.01, 1.0, count), L, guess
