"""The border between Python and the kernels: every public function checks its input here, once.

A vector over the degrees of freedom that is right already costs a few comparisons. Whether it is finite is asked only
after the kernel has answered: whatever is not finite shows in the answer.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .model import Model
    from .workspace import Workspace

NDARRAY = np.ndarray


def inputs(model: "Model", names: str, *values: np.ndarray | None) -> tuple["Workspace", Sequence[np.ndarray]]:
    """The workspace and the vectors for a kernel, all of one number type; None stands for zeros."""
    shape, dtype, complete = model.shape, model.dtype, True
    for x in values:
        if x.__class__ is NDARRAY and x.dtype is dtype and x.shape == shape and x.flags.c_contiguous:
            continue
        if x is not None:
            break
        complete = False
    else:
        space = model.workspace
        return space, values if complete else [space.zeros if x is None else x for x in values]
    vectors = [check_vector(model, name, x) for name, x in zip(names.split(), values, strict=True)]
    if any(np.iscomplexobj(x) for x in vectors):
        return model.complex_workspace, [np.ascontiguousarray(x, np.complex128) for x in vectors]
    return model.workspace, [np.ascontiguousarray(x, dtype) for x in vectors]


def check_vector(model: "Model", what: str, values: np.ndarray | None) -> np.ndarray:
    """Values as an array of one number per degree of freedom, or a sentence; None stands for zeros."""
    if values is None:
        return np.zeros(model.ndof)
    return check_array(what, values, (model.ndof,), f"model {model.name!r} has {model.ndof} degrees of freedom")


def check_array(what: str, values: np.ndarray, shape: tuple[int, ...], why: str) -> np.ndarray:
    """Values as an array of numbers of a shape, or a sentence that ends with the reason for the shape."""
    values = np.asarray(values)
    if values.dtype.kind not in "fciub":
        raise ValueError(f"{what} must be numbers, and is {values.dtype} ({why}: give shape {shape})")
    if values.shape != shape:
        raise ValueError(f"{what} has shape {values.shape}, and {why}: give shape {shape}")
    return values if values.dtype.kind in "fc" else values.astype(float)


def check_finite(**named: np.ndarray) -> None:
    """A sentence that names the first entry which is not finite."""
    for what, values in named.items():
        finite = np.isfinite(values)
        if not finite.all():
            where = ", ".join(str(i) for i in np.argwhere(~finite)[0])
            raise ValueError(
                f"{what}[{where}] is {values[tuple(np.argwhere(~finite)[0])]}: every number must be finite"
            )


def first_not_finite(values: np.ndarray) -> int:
    """Index of the first entry that is not finite."""
    return int(np.argmin(np.isfinite(values)))


def singular(model: "Model", k: int) -> FloatingPointError:
    """What to raise when finite input has no finite answer at degree of freedom k."""
    body = model.names[int(np.searchsorted(model.dof_starts, k, side="right")) - 1]
    return FloatingPointError(
        f"model {model.name!r}: no acceleration can be found at degree of freedom {k} (body {body!r}): the mass matrix "
        "is singular in this configuration (joints that move the same thing, or nothing that resists), or a number "
        "overflows"
    )


def check_wrenches(model: "Model", wrenches: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Wrenches on all bodies as an array of the kernel's number type. (nbodies, 6)"""
    shape = (model.nbodies, 6)
    wrenches = check_array("wrenches", wrenches, shape, f"model {model.name!r} has {model.nbodies} bodies")
    return np.ascontiguousarray(wrenches, dtype)
