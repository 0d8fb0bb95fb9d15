"""Models as plain arrays by name, for files; and many models in few arrays.

A walker that is re-rooted at every step has thousands of models that differ in few numbers. This module makes the
tables of forces, constraints and muscles again, and so is a layer above their families.
"""

from collections.abc import Sequence

import numpy as np

from .constraints.pack import TABLE, Constraints
from .forces.pack import Forces
from .model.model import Model, unpickle
from .model.shape import from_arrays as shapes_from_arrays
from .model.shape import like_inertia
from .model.shape import to_arrays as shapes_to_arrays
from .muscles.packed import ARRAYS, Muscles


def to_arrays(model: Model) -> dict[str, np.ndarray]:
    """A model as plain arrays by name, for a file."""
    plain = ("links", "bodies", "params", "gravity", "dof_starts", "parents")
    own = {key: np.asarray(getattr(model, key)) for key in plain}
    forces = {f"loads_{key}": np.asarray(getattr(model.forces, key)) for key in ("laws", "elements", "nodes", "params")}
    constraints = {f"ties_{key}": np.asarray(getattr(model.constraints, key)) for key in (*TABLE, "names")}
    muscles = {f"muscles_{key}": np.asarray(getattr(model.muscles, key)) for key in (*ARRAYS, "names")}
    shapes = {f"shapes_{key}": values for key, values in shapes_to_arrays(model.shapes).items()}
    return (
        own | forces | constraints | muscles | shapes | {"name": np.array(model.name), "names": np.array(model.names)}
    )


def from_arrays(arrays: dict[str, np.ndarray]) -> Model:
    """The model of `to_arrays`."""
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
    head = np.float64, str(arrays["name"]), arrays["links"], arrays["bodies"]
    return unpickle(*head, *rest, numbering, arrays["parents"], forces, constraints, muscles, shapes)


def same_mechanism(a: Model, b: Model) -> bool:
    """True if two models are equal but for their names, shapes and charts."""
    if a is b:
        return True
    one, other = (to_arrays(model.with_charts(np.zeros(len(model.chart_slots)))) for model in (a, b))
    physics = [key for key in one if key != "name" and not key.startswith("shapes_")]
    return all(np.array_equal(one[key], other[key]) for key in physics)


def pack_models(models: Sequence[Model]) -> dict[str, np.ndarray]:
    """All models as arrays by name: of each of a model's arrays the different ones, those of one shape stacked.

    "links" says of each model (stack, place in it); the stacks are "links 0", "links 1" and so on.
    """
    described = [to_arrays(model) for model in models]
    packed: dict[str, np.ndarray] = {}
    for key in described[0] if described else ():
        places, stacks = [], {}  # (shape, type) -> (number of the stack, {bytes: place in it}, its arrays)
        for x in (own[key] for own in described):
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
