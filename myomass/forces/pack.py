"""Forces of a spec -> arrays of a model: laws on coordinates, and elements on points of bodies."""

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..joints.records import as_records, filled, records
from ..model.elements import Force, Law, Point
from ..spatial.checks import check_numbers

if TYPE_CHECKING:
    from ..model.model import Model


@cache
def law_dtype() -> np.dtype:
    """Record of a law: its kind, where its parameters start, its degree of freedom."""
    return np.dtype([("kind", "i8"), ("at", "i8"), ("dof", "i8")], align=True)


@cache
def element_dtype() -> np.dtype:
    """Record of an element: its kind, where its parameters and points start, how many points it has."""
    names = ("kind", "at", "first", "count", "turns", "stores")
    return np.dtype([(name, "i8") for name in names], align=True)


@cache
def node_dtype(scalar: type) -> np.dtype:
    """Record of a point that a force acts on: its link and its place there [m]."""
    return np.dtype([("link", "i8"), ("p", scalar, (3,))], align=True)


@dataclass(frozen=True, eq=False)
class Forces:
    """All forces of a model as arrays."""

    laws: np.ndarray  # records of law_dtype
    elements: np.ndarray  # records of element_dtype
    nodes: np.ndarray  # records of node_dtype
    params: np.ndarray  # parameters of laws and elements, one after another

    def __bool__(self) -> bool:
        return bool(len(self.laws) or len(self.elements))

    def astype(self, scalar: type) -> "Forces":
        """These forces in another real number type, in the record types that kernels are compiled for."""
        return Forces(
            as_records(self.laws, law_dtype()),
            as_records(self.elements, element_dtype()),
            as_records(self.nodes, node_dtype(scalar)),
            self.params.astype(scalar),
        )


def no_forces() -> Forces:
    """The forces of a model that has none but gravity."""
    return Forces(records(0, law_dtype()), records(0, element_dtype()), records(0, node_dtype(np.float64)), np.zeros(1))


def with_forces(model: "Model", forces: dict[str, Force]) -> "Model":
    """The model with these forces packed. Raises an error that names the force which does not fit."""
    laws, elements, nodes, params, at = [], [], [], [], 0
    for name, force in forces.items():
        if not isinstance(force, Force):
            raise TypeError(f"force {name!r} must be one such as mm.JointSpring(...), and is {force!r}")
        if force.kind < 0:
            own = type(force).__name__
            raise TypeError(f"force {name!r}: {own} is not registered; call mm.register({own}) after its definition")
        try:
            for part in force.parts(model):
                if isinstance(part, Law):
                    laws.append((part.kind, at, part.dof))
                else:
                    elements.append((part.kind, at, len(nodes), len(part.points), part.turns, part.stores))
                    nodes += [_node(model, point) for point in part.points]
                params.append(np.asarray(part.parameters, float))
                at += len(params[-1])
        except (ValueError, KeyError) as error:
            raise ValueError(f"force {name!r}: {error}") from None
    packed = Forces(
        filled(laws, law_dtype()),
        filled(elements, element_dtype()),
        filled(nodes, node_dtype(np.float64)),
        np.concatenate([*params, [0.0]]),
    )
    return replace(model, forces=packed)


def _node(model: "Model", point: Point) -> tuple[int, np.ndarray]:
    """(link, place in the link) of a point of a body."""
    try:
        body, place = point
    except (TypeError, ValueError):
        raise ValueError(f"a point is (body, (x, y, z)), body None for the world, and one is {point!r}") from None
    p = check_numbers(place, "a point [m]", (3,)).astype(float)
    if body is None:
        return 0, p
    record = model.bodies[model.body(body)]
    return int(record["link"]), record["R_lb"] @ p + record["p_lb"]
