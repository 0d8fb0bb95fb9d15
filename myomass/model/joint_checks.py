"""Checks of what a person gives about a joint of a model, shared by forces and constraints."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..spatial.checks import check_numbers

if TYPE_CHECKING:
    from .model import Model


def not_negative(value: float, what: str) -> float:
    """The number. Raises a ValueError unless it is finite and at least zero."""
    number = float(check_numbers(value, what, ()))
    if number < 0:
        raise ValueError(f"{what} must not be negative, and is {number:g}")
    return number


def per_dof(model: "Model", body: str, values: float | Sequence[float], what: str) -> np.ndarray:
    """One number per degree of freedom of a body's joint; a single one serves all. (dofs of the joint,)"""
    dofs = model.dof(body)
    n = dofs.stop - dofs.start
    if n == 0:
        raise ValueError(f"the joint of body {body!r} has no degree of freedom")
    try:
        numbers = np.broadcast_to(np.asarray(values, float), (n,))
    except (TypeError, ValueError):
        numbers = np.full(n, np.nan)
    if np.isnan(numbers).any():
        raise ValueError(f"{what} must be one number, or {n} for the joint of {body!r}, and is {values!r}")
    return numbers


def coordinate_of(model: "Model", body: str, component: int, what: str) -> int:
    """The degree of freedom that is `component` of a body's joint. Raises an error where its meaning may change."""
    check_single_chart(model, body, what)
    dofs = model.dof(body)
    count = dofs.stop - dofs.start
    if not isinstance(component, (int, np.integer)) or not 0 <= component < count:
        raise ValueError(f"{what}: the joint of {body!r} has {count} degrees of freedom, and no number {component!r}")
    return dofs.start + int(component)


def coordinate_named(model: "Model", name: str, what: str) -> int:
    """The degree of freedom of this name. Raises an error where its meaning may change."""
    dof = model.coordinate(name)
    _check_chart(model, slice(dof, dof + 1), f"the coordinate {name!r}", what)
    return dof


def check_single_chart(model: "Model", body: str, what: str) -> None:
    """Raise a ValueError for a joint whose Euler charts are switched, which would break a law of its angles."""
    _check_chart(model, model.dof(body), f"the joint of {body!r}", what)


def _check_chart(model: "Model", dofs: slice, which: str, what: str) -> None:
    switching = model.links[model.switching]
    starts, ends = switching["dof"], switching["dof"] + switching["ndof"]
    if ((starts < dofs.stop) & (dofs.start < ends)).any():
        raise ValueError(
            f"{what} needs coordinates that keep their meaning, and {which} switches between Euler charts; use "
            "SphericalExp"
        )
