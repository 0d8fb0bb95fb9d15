"""Many models in few arrays: a walker that is hung up anew with every step has thousands that differ in few numbers."""

from collections.abc import Sequence

import numpy as np

from .model import Model, from_arrays, to_arrays


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
