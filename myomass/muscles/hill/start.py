"""States in equilibrium: where muscles with states start."""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from ..._jit import kernel
from ...algorithms.kinematics import move_all
from ...model import Model
from ...model.border import check_finite
from ...model.spec import UnknownName, known_names
from ...model.workspace import open_tree
from ...reduction.border import joint_rows
from ...spatial.checks import check_numbers
from ..geometry import check_paths
from ..path import solve_path
from ..records import muscles_of, open_muscles
from ..tension import fill_arms
from .activation import clip_excitation
from .delay import remember
from .fibre import static_fibre
from .pull import look_at, signal_of

BEYOND = 0.05  # by how much a step may leave an activation outside of 0 to 1
STRONGEST = 100.0  # tension over the optimal force at a start, beyond which lengths cannot be meant
Activation = float | Sequence[float] | Mapping[str, float] | None


@kernel(entry=True)
def settle_fibres(handle, muscles_handle, q, qdot, slack):
    """Bring the fibre lengths among z into equilibrium at the activations there, and delays, for Python.

    slack: which muscles' tendons are slack however short the fibre is.
    """
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    table, spans, arms, drive = muscles.table, muscles.spans, muscles.scratch.arms, muscles.drive
    move_all(tree, q, qdot)
    for i in range(drive.hills.shape[0]):
        hill = drive.hills[i]
        muscle = table[hill.muscle]
        solve_path(muscle, q, tree.work, muscles)
        fill_arms(muscle, tree, muscles, arms)
        L, Ldot = muscles.scratch.total[0], 0.0
        for s in range(muscle.spans):
            Ldot += arms[s] * qdot[spans[muscle.span + s].dof]
        slack[i] = False
        if hill.fibre >= 0:
            a = clip_excitation(hill, drive.z[hill.activation])
            drive.z[hill.fibre], found = static_fibre(hill, muscles.params, a, L, Ldot)
            slack[i] = not found
        else:
            slack[i] = hill.slack > L
        look_at(i, L, Ldot, muscles.params, drive)
    for r in range(drive.reflexes.shape[0]):
        if drive.reflexes[r].memory >= 0:
            remember(drive.z, drive.reflexes[r].memory, signal_of(r, q, qdot, drive))


def at_rest(model: Model, q: np.ndarray, qdot: np.ndarray, activation: Activation = None) -> np.ndarray:
    """z with fibres and tendons in equilibrium at an activation (None: the least), delays as if nothing moved. (nz,)

    Where even the shortest fibre leaves its tendon slack, that is where it starts, and a warning says so.
    """
    z, slack = settled(model, q, qdot, activation)
    if slack.any():
        names = ", ".join(repr(model.muscles.names[i]) for i in model.muscles.hills["muscle"][slack])
        warnings.warn(
            f"model {model.name!r}: at this q there is no equilibrium for {names}: the path is so short that even the "
            "shortest fibre leaves the tendon slack; it starts there",
            RuntimeWarning,
            stacklevel=4,
        )
    return z


def settled(
    model: Model, q: np.ndarray, qdot: np.ndarray, activation: Activation = None
) -> tuple[np.ndarray, np.ndarray]:
    """(z as of `at_rest`, which muscles' tendons are slack however short the fibre is)."""
    hills, space = model.muscles.hills, model.workspace
    if not len(hills):
        raise ValueError(f"model {model.name!r} has no muscle with an actuator that could have an activation")
    muscles = muscles_of(space)
    q, qdot = (x[0] for x in joint_rows(model, q.real[None], qdot.real[None]))
    z, slack = muscles.drive.z, np.zeros(len(hills), bool)
    z[:], muscles.drive.stage[0] = 0.0, 0.0
    z[hills["activation"]] = check_activation(model, activation)
    settle_fibres(space.tree.handle, muscles.handle, np.ascontiguousarray(q), np.ascontiguousarray(qdot), slack)
    if not np.isfinite(z).all():
        check_finite(q=q, qdot=qdot)
        check_paths(model, q)
        raise FloatingPointError(f"model {model.name!r}: the equilibrium of its muscles overflows at these q and qdot")
    pull = muscles.drive.told["tension"] / hills["force"]
    if (pull > STRONGEST).any():
        worst = int(np.argmax(pull))
        length = muscles.drive.told["fibre"][worst] / hills["optimal"][worst]
        raise ValueError(
            f"muscle {hill_names(model)[worst]!r}: at this q its fibre is {length:.3g} optimal lengths long and "
            f"pulls with {pull[worst]:.3g} times its optimal force; look at its fibre and slack lengths"
        )
    return z.copy(), slack


def hill_names(model: Model) -> list[str]:
    """Names of the muscles with states, in order."""
    return [model.muscles.names[i] for i in model.muscles.hills["muscle"]]


def excitation_numbers(model: Model, given: float | Sequence[float] | Mapping[str, float]) -> np.ndarray:
    """Excitations of all muscles with states: one number for all, one for each, or by name. (nhills,)"""
    names = hill_names(model)
    if isinstance(given, Mapping):
        values = np.zeros(len(names), complex if any(map(np.iscomplexobj, given.values())) else float)
        for name, value in given.items():
            if name not in names:
                raise UnknownName(f"excitation: there is no muscle {name!r} with states; {known_names(names)}")
            values[names.index(name)] = check_numbers(value, f"the excitation of {name!r}", (), real=False)
        return values
    single = np.ndim(given) == 0
    values = check_numbers(given, "excitation", () if single else (len(names),), real=False)
    return np.full(len(names), values[()]) if single else values


def check_states(model: Model, z: np.ndarray) -> np.ndarray:
    """States of muscles as given, or a sentence about one that no muscle can be in. (nz,)"""
    z = check_numbers(z, f"z, the states of the muscles of model {model.name!r},", (model.nz,), real=False)
    hills = model.muscles.hills
    a = z.real[hills["activation"]]
    if ((a < -BEYOND) | (a > 1.0 + BEYOND)).any():
        name = model.z_names[hills["activation"][int(np.argmax(np.abs(a - 0.5)))]]
        raise ValueError(f"z: {name!r} must lie between 0 and 1, and is {z[model.z_names.index(name)].real:g}")
    fibres = hills["fibre"][hills["fibre"] >= 0]
    if not (z.real[fibres] > 0.0).all():
        worst = fibres[int(np.argmin(z.real[fibres]))]
        raise ValueError(f"z: {model.z_names[worst]!r} must be positive [m], and is {z[worst].real:g}")
    return z


def check_activation(model: Model, activation: Activation) -> np.ndarray:
    """Activations of all muscles with states, from the least to one. (nhills,)"""
    least, names = model.muscles.hills["least"], hill_names(model)
    if activation is None:
        return least.copy()
    if isinstance(activation, Mapping):
        values = least.copy()
        for name, value in activation.items():
            if name not in names:
                raise UnknownName(f"activation: there is no muscle {name!r} with states; {known_names(names)}")
            values[names.index(name)] = check_numbers(value, f"the activation of {name!r}", ())
    else:
        single = np.ndim(activation) == 0
        values = check_numbers(activation, "activation", () if single else (len(names),))
        values = np.full(len(names), float(values)) if single else values
    if ((values < 0) | (values > 1)).any():
        worst = int(np.argmax(np.abs(values - 0.5)))
        raise ValueError(f"an activation lies between 0 and 1, and that of {names[worst]!r} is {values[worst]:g}")
    return np.maximum(values, least)


Model._at_rest, Model._checked_states = at_rest, check_states
