"""The border between Python and the kernels: every public function checks its input here, once.

A vector over the degrees of freedom that is right already costs a few comparisons: float64, of the right shape,
contiguous, aligned and writeable, since every other kind would have a kernel compiled for it. Where calls are counted
in microseconds the kernel itself checks that its input is finite, and Python finds out afterwards what was not.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .model import Model
    from .workspace import Workspace

NDARRAY = np.ndarray


def inputs(model: "Model", names: str, *values: np.ndarray | None) -> tuple["Workspace", Sequence[np.ndarray]]:
    """The workspace and the vectors for a kernel, all of one number type; None stands for zeros (but not for q)."""
    try:
        shape, dtype, complete = model.shape, model.dtype, True
    except AttributeError:
        raise no_model(model) from None
    for x in values:
        if x.__class__ is NDARRAY and x.dtype is dtype and x.shape == shape and x.flags.carray:
            continue
        if x is not None or x is values[0]:
            break
        complete = False
    else:
        space = model.workspace
        return space, values if complete else [space.zeros if x is None else x for x in values]
    vectors = [check_vector(model, name, x) for name, x in zip(names.split(), values, strict=True)]
    if any(np.iscomplexobj(x) for x in vectors):
        return model.complex_workspace, [np.array(x, np.complex128, order="C") for x in vectors]
    return model.workspace, [np.array(x, dtype, order="C") for x in vectors]


def no_model(thing: object) -> TypeError:
    """The TypeError to raise when a model is needed and something else was given."""
    return TypeError(f"a model is needed, as spec.compile() gives it, and this is {type(thing).__name__}")


def check_vector(model: "Model", what: str, values: np.ndarray | None) -> np.ndarray:
    """Values as an array of one number per degree of freedom. (ndof,)

    None stands for zeros (but not for q). Raises an error that names `what` if the values do not fit.
    """
    if values is None and what != "q":
        return np.zeros(model.ndof)
    return check_array(what, values, (model.ndof,), f"model {model.name!r} has {model.ndof} degrees of freedom")


def check_array(what: str, values: np.ndarray, shape: tuple[int, ...], why: str) -> np.ndarray:
    """Values as an array of numbers of a shape. Raises an error that ends with `why`, the reason for the shape."""
    try:
        values = np.asarray(values)
    except ValueError:
        raise ValueError(f"{what} has rows of different lengths, and {why}: give shape {shape}") from None
    if values.dtype.kind not in "fciub":
        raise ValueError(f"{what} must be numbers, and is {values.tolist()!r} ({why}: give shape {shape})")
    if values.shape != shape:
        raise ValueError(f"{what} has shape {values.shape}, and {why}: give shape {shape}")
    return values if values.dtype.kind in "fc" else values.astype(float)


def check_wrenches(model: "Model", q: np.ndarray, wrenches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q, wrenches on all bodies), both complex if the wrenches are, so that they carry derivatives. (nbodies, 6)"""
    if not hasattr(model, "nbodies"):
        raise no_model(model)
    why = f"model {model.name!r} has {model.nbodies} bodies"
    wrenches = check_array("wrenches", wrenches, (model.nbodies, 6), why)
    check_finite(wrenches=wrenches)
    return (np.asarray(q, complex) if np.iscomplexobj(wrenches) else q), wrenches


def check_finite(**named: np.ndarray) -> None:
    """Raise a ValueError that names the first entry which is not finite."""
    for what, values in named.items():
        finite = np.isfinite(values)
        if not finite.all():
            where = ", ".join(str(i) for i in np.argwhere(~finite)[0])
            raise ValueError(
                f"{what}[{where}] is {values[tuple(np.argwhere(~finite)[0])]}: every number must be finite"
            )


def first_not_finite(values: np.ndarray) -> int:
    """Index of the first entry of a vector that is not finite."""
    return int(np.argmin(np.isfinite(values)))


def singular(model: "Model", k: int) -> FloatingPointError:
    """The error to raise when finite input has no finite answer at degree of freedom k."""
    if model.reduction is not None:
        return FloatingPointError(
            f"model {model.name!r}: no acceleration can be found along the reduced coordinate "
            f"{model.coordinates[k]!r}: it moves nothing here, or nothing that the others do not (its map loses rank), "
            "or what it moves has no mass, or a number overflows"
        )
    body = model.names[int(np.searchsorted(model.dof_starts, k, side="right")) - 1]
    return FloatingPointError(
        f"model {model.name!r}: no acceleration can be found at degree of freedom {k} (body {body!r}): the mass matrix "
        "is singular in this configuration (joints that move the same thing, nothing that resists, a rotation at the "
        "edge of its chart: see mm.algorithms.reparameterise), or a number overflows"
    )
