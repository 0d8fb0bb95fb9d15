"""Actuators of a spec -> records of muscles with states."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ...joints.records import records
from .records import hill_dtype
from .spec import Hill


def pack_hill(name: str, actuator: Hill, keep_curves: Callable[[Hill], int], states: list[str]) -> dict[str, float]:
    """Fields of the record of a muscle's actuator; keeps its curves' numbers and appends the names of its states."""
    if not isinstance(actuator, Hill):
        raise TypeError(f"the actuator is an mm.Hill, and not {actuator!r}")
    first = len(states)
    states += [f"{name}.activation"] if actuator.rigid else [f"{name}.activation", f"{name}.fibre_length"]
    places = {"at": keep_curves(actuator), "activation": first, "fibre": -1 if actuator.rigid else first + 1}
    return actuator.numbers()._asdict() | places


def hill_records(muscles: Iterable[dict[str, float]], wired: Sequence[list[tuple]]) -> np.ndarray:
    """Records of muscles with states, each with its reflexes, which `wired` lists one muscle after another."""
    made, first = records(len(wired), hill_dtype(np.float64)), 0
    for i, (row, own) in enumerate(zip(muscles, wired, strict=True)):
        for key, value in (row | {"reflex": first, "reflexes": len(own)}).items():
            made[i][key] = value
        first += len(own)
    return made
