"""Reductions as plain arrays by name, for files; Python functions among them by their names."""

import json

import numpy as np

from ..joints.records import as_records
from ..model.coordinate import coordinates_from_text, coordinates_to_text
from ..model.maps import SmoothMap
from .packed import ARRAYS, FunctionLayer, Reduction, layer_dtype, name_of_map, term_dtype

MAPS: dict[str, SmoothMap] = {}  # registered, by name


class UnknownMap(LookupError):
    """A file has a map that is a Python function which this process does not know."""


def register_map(given: SmoothMap) -> None:
    """Let files know a map by its name; one whose function was defined again takes the place of the one before."""
    name = name_of_map(given)
    if name in MAPS and _origin(MAPS[name]) != _origin(given):
        where = _origin(MAPS[name])[0]
        raise ValueError(f"register: the name of map {name!r} is taken by one from {where}; give yours another name")
    MAPS[name] = given


def _origin(given: SmoothMap) -> tuple[str, str]:
    return getattr(given.function, "__module__", ""), getattr(given.function, "__qualname__", "")


def to_arrays(reduction: Reduction | None) -> dict[str, np.ndarray]:
    """What a file keeps of a reduction; nothing if there is none."""
    if reduction is None:
        return {}
    found = {key: np.asarray(getattr(reduction, key)) for key in ARRAYS}
    functions = [
        [name_of_map(layer.given), layer.gives.tolist(), layer.takes.tolist(), layer.stays.tolist()]
        for layer in reduction.functions
    ]
    found |= {"functions": np.array(json.dumps(functions)), "units": np.array(json.dumps(reduction.units))}
    return found | {"joint_coordinates": np.array(coordinates_to_text(reduction.joint_coordinates))}


def from_arrays(arrays: dict[str, np.ndarray], model: str) -> Reduction | None:
    """The reduction of `to_arrays`, or a sentence about a map of the model that is not registered here."""
    if not arrays:
        return None
    functions = []
    for name, gives, takes, stays in json.loads(str(arrays["functions"])):
        if name not in MAPS:
            raise UnknownMap(
                f"model {model!r} has a map {name!r}, a Python function that is not registered here; import the file "
                "that calls mm.register with its mm.SmoothMap first"
            )
        own = np.array(gives, int), np.array(takes, int), np.array(stays, int).reshape(-1, 2)
        functions.append(FunctionLayer(MAPS[name], *own))
    layers, terms = as_records(arrays["layers"], layer_dtype()), as_records(arrays["terms"], term_dtype())
    rest = (arrays[key] for key in ("offsets", "params", "passed"))
    named = tuple(json.loads(str(arrays["units"]))), coordinates_from_text(str(arrays["joint_coordinates"]))
    return Reduction(layers, terms, *rest, *named, tuple(functions))
