"""Models as plain arrays by name, for files; and many models in few arrays.

A walker that is re-rooted at every step has thousands of models that differ in few numbers. This module makes the
tables of forces, constraints and muscles again, and so is a layer above their families.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .constraints import dispatch as constraint_kinds
from .constraints.pack import TABLE, Constraints
from .deformables.filed import soft_from_arrays, soft_to_arrays
from .forces import dispatch as force_kinds
from .forces.pack import Forces
from .joints import dispatch as joint_kinds
from .joints.records import completed
from .model.coordinate import (
    coordinates_from_text,
    coordinates_to_text,
    frames_from_text,
    frames_to_text,
    markers_from_text,
    markers_to_text,
)
from .model.model import Model, unpickle
from .model.shape import from_arrays as shapes_from_arrays
from .model.shape import like_inertia
from .model.shape import to_arrays as shapes_to_arrays
from .muscles.hill.curves import dispatch as curve_kinds
from .muscles.laws.dispatch import LAWS
from .muscles.packed import ARRAYS, Muscles, muscle_dtype, no_muscles
from .muscles.wrapping import dispatch as surface_kinds
from .reduction import files as reductions

# arrays with a field "kind": what it is the kind of, the list that it counts in, how many of these the package has
KINDS: dict[str, tuple[str, list, int]] = {
    "links": ("joint", joint_kinds.KINDS, joint_kinds.OWN),
    "loads_laws": ("force", force_kinds.LAWS, force_kinds.OWN_LAWS),
    "loads_elements": ("force", force_kinds.FORMULAS, force_kinds.OWN_FORMULAS),
    "ties_table": ("formula", constraint_kinds.FORMULAS, constraint_kinds.OWN),
    "muscles_pieces": ("surface", surface_kinds.SURFACES, surface_kinds.OWN),
    "muscles_hills": ("family of curves", curve_kinds.CURVES, curve_kinds.OWN),
}


class NotRegistered(LookupError):
    """A file has a kind of joint, force, constraint or surface that this process does not know."""


def name_of(member: Any) -> str:
    """The name under which files know a joint, force, surface, formula or integrator."""
    return member.__name__ if isinstance(member, type) else member.name


def to_arrays(model: Model) -> dict[str, np.ndarray]:
    """Everything a model consists of, as plain arrays by name: what a file keeps of it.

    Kinds are kept as numbers. Those of registered ones depend on the order of registration, so `registered` has their
    names beside: "links/10/Helical" for a joint of kind 10.
    """
    plain = ("links", "bodies", "params", "gravity", "dof_starts", "parents")
    own = {key: np.asarray(getattr(model, key)) for key in plain}
    forces = {f"loads_{key}": np.asarray(getattr(model.forces, key)) for key in ("laws", "elements", "nodes", "params")}
    constraints = {f"ties_{key}": np.asarray(getattr(model.constraints, key)) for key in (*TABLE, "names")}
    muscles = {f"muscles_{key}": np.asarray(getattr(model.muscles, key)) for key in (*ARRAYS, "names")}
    shapes = {f"shapes_{key}": values for key, values in shapes_to_arrays(model.shapes).items()}
    names = {"name": np.array(model.name), "names": np.array(model.names)}
    names |= {"coordinates": np.array(coordinates_to_text(model.coordinate_specs))}
    names |= {"markers": np.array(markers_to_text(model.markers)), "frames": np.array(frames_to_text(model.frames))}
    names |= {"joint_names": np.array(json.dumps(model.joint_names))}
    soft = {f"soft_{key}": values for key, values in soft_to_arrays(model.soft).items()}
    reduction = {f"reduction_{key}": values for key, values in reductions.to_arrays(model.reduction).items()}
    arrays = own | forces | constraints | muscles | shapes | names | soft | reduction
    return arrays | {"registered": _registered_in(arrays)}


def _registered_in(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Array, kind and name of all kinds beyond the package's own that a model has."""
    found = []
    for key, (_, known, own) in KINDS.items():
        used = sorted(set(arrays[key]["kind"].tolist()))
        found += [f"{key}/{kind}/{name_of(known[kind])}" for kind in used if kind >= own]
    return np.array(found, dtype=str)


def _with_kinds_of_here(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same arrays with registered kinds as they are numbered in this process, or a sentence that names one."""
    names = {}
    for entry in arrays.get("registered", ()):
        key, kind, name = str(entry).split("/")
        names[key, int(kind)] = name
    changed = {}
    for key, (word, known, own) in KINDS.items():
        changed[key] = table = arrays[key].copy()
        for kind in sorted(set(arrays[key]["kind"].tolist())):
            where = arrays[key]["kind"] == kind
            if (key, kind) in names:
                table["kind"][where] = _kind_here(str(arrays["name"]), word, names[key, kind], known)
            elif kind >= own:
                raise NotRegistered(
                    f"model {str(arrays['name'])!r} has a {word} that this version does not know; it was saved by a "
                    "newer one"
                )
    return arrays | changed


def named_kinds(model: Model) -> tuple[str, ...]:
    """The registered kinds that a model has, for a pickle of it."""
    return tuple(_registered_in(_tables(model)).tolist())


def renumbered(model: Model, names: tuple[str, ...]) -> Model:
    """A model whose registered kinds, numbered as in another process, are those of this one."""
    if not names:
        return model
    here = _with_kinds_of_here(_tables(model) | {"registered": names, "name": model.name})
    forces = replace(model.forces, laws=here["loads_laws"], elements=here["loads_elements"])
    constraints = replace(model.constraints, table=here["ties_table"])
    muscles = replace(model.muscles, pieces=here["muscles_pieces"], hills=here["muscles_hills"])
    return replace(model, links=here["links"], forces=forces, constraints=constraints, muscles=muscles)


def _tables(model: Model) -> dict[str, np.ndarray]:
    """The arrays of a model that have kinds."""
    forces = {"loads_laws": model.forces.laws, "loads_elements": model.forces.elements}
    others = {
        "ties_table": model.constraints.table,
        "muscles_pieces": model.muscles.pieces,
        "muscles_hills": model.muscles.hills,
    }
    return {"links": model.links} | forces | others


Model._named_kinds, Model._renumbered = named_kinds, renumbered


def _kind_here(model: str, word: str, name: str, known: list) -> int:
    """The number of a registered kind in this process: that of the last one of its name."""
    for kind in reversed(range(len(known))):
        if name_of(known[kind]) == name:
            return kind
    called = name if word != "formula" else "..."
    raise NotRegistered(
        f"model {model!r} has a {word} {name!r} that is not registered here; import the file that calls "
        f"mm.register({called}) first"
    )


def from_arrays(arrays: dict[str, np.ndarray]) -> Model:
    """The model of `to_arrays`, or a sentence about something in it that is not registered here."""
    arrays = _with_kinds_of_here(_completed(arrays))
    forces = Forces(*(arrays[f"loads_{key}"] for key in ("laws", "elements", "nodes", "params")))
    names = tuple(str(name) for name in arrays["ties_names"])
    constraints = Constraints(*(arrays[f"ties_{key}"] for key in TABLE), names)
    names = tuple(str(name) for name in arrays["muscles_names"])
    muscles = Muscles(*(arrays[f"muscles_{key}"] for key in ARRAYS), names)
    shapes = {key[7:]: values for key, values in arrays.items() if key.startswith("shapes_")}
    if shapes:
        shapes = shapes_from_arrays(shapes, len(arrays["bodies"]))
    else:  # a file from before shapes were kept
        shapes = tuple((like_inertia(b["mass"], b["moments"]),) if b["mass"] > 0 else () for b in arrays["bodies"])
    rest = (arrays[key] for key in ("params", "gravity", "dof_starts"))
    numbering = {str(name): i for i, name in enumerate(arrays["names"])}
    coordinates = coordinates_from_text(str(arrays.get("coordinates", "[]")))
    markers = markers_from_text(str(arrays.get("markers", "{}")))
    frames = frames_from_text(str(arrays.get("frames", "{}")))
    named = coordinates, markers, frames, json.loads(str(arrays.get("joint_names", "{}")))
    reduction = {key[10:]: values for key, values in arrays.items() if key.startswith("reduction_")}
    named = *named, reductions.from_arrays(reduction, str(arrays["name"]))
    head = np.float64, str(arrays["name"]), arrays["links"], arrays["bodies"]
    soft = {key[5:]: values for key, values in arrays.items() if key.startswith("soft_")}
    soft = soft_from_arrays(soft, int(arrays["dof_starts"][-1]))
    return unpickle(*head, *rest, numbering, arrays["parents"], forces, constraints, muscles, shapes, *named, soft)


def _completed(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of an older file, with what it knew nothing of: muscles had no states and followed no laws."""
    nothing, table = no_muscles(), arrays["muscles_table"]
    added = {f"muscles_{key}": np.asarray(getattr(nothing, key)) for key in ARRAYS if f"muscles_{key}" not in arrays}
    unknown = [key for key in ("hill", "law") if key not in table.dtype.names]
    if unknown:
        added["muscles_table"] = table = completed(table, muscle_dtype(np.float64))
        for key in unknown:
            table[key] = -1
    if (table["law"] >= len(LAWS)).any():
        raise NotRegistered(
            f"model {str(arrays['name'])!r} has a muscle whose law of tension this version does not know; it was saved "
            "by a newer one"
        )
    return arrays | added


def same_mechanism(a: Model, b: Model) -> bool:
    """True if two models are equal but for their names, shapes and charts."""
    if a is b:
        return True
    one, other = (to_arrays(model.with_charts(np.zeros(len(model.chart_slots)))) for model in (a, b))
    told = ("name", "coordinates", "markers", "frames", "joint_names")
    physics = [key for key in one if key not in told and not key.startswith("shapes_")]
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in physics)


def pack_models(models: Sequence[Model]) -> dict[str, np.ndarray]:
    """All models as arrays by name: of each of a model's arrays the different ones, those of one shape stacked.

    "links" says of each model (stack, place in it); the stacks are "links 0", "links 1" and so on.
    """
    described = [to_arrays(model) for model in models]
    packed: dict[str, np.ndarray] = {}
    for key in dict.fromkeys(key for own in described for key in own):  # some have arrays of soft bodies, some not
        places, stacks = [], {}  # (shape, type) -> (number of the stack, {bytes: place in it}, its arrays)
        for x in (own.get(key, np.zeros(0)) for own in described):
            number, known, arrays = stacks.setdefault((x.shape, x.dtype.str), (len(stacks), {}, []))
            place = known.setdefault(x.tobytes(), len(arrays))
            if place == len(arrays):
                arrays.append(x)
            places.append((number, place))
        packed[key] = np.array(places)
        packed |= {f"{key} {number}": np.stack(arrays) for number, _, arrays in stacks.values()}
    return packed


def unpack_models(packed: dict[str, np.ndarray]) -> list[Model]:
    """The models of `pack_models`."""
    places = {key: x.tolist() for key, x in packed.items() if " " not in key}
    count = len(next(iter(places.values()), ()))
    described = ({key: packed[f"{key} {at[i][0]}"][at[i][1]] for key, at in places.items()} for i in range(count))
    return [from_arrays(arrays) for arrays in described]
