"""Constraints of a spec -> arrays of a model: parts with their rows, and the two ends of each part."""

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..joints.records import as_records, records
from ..model.elements import FRICTION, POSITION, Constraint, ConstraintPart, Frame

if TYPE_CHECKING:
    from ..model.model import Model

TABLE = ("table", "ends", "params", "levels", "unilateral")


@cache
def part_dtype() -> np.dtype:
    """Record of a part: its formula, first parameter and row, number of rows, friction cone and coefficient."""
    names = ("kind", "at", "row", "count", "cone")
    return np.dtype([(name, "i8") for name in names] + [("friction", "f8")], align=True)


@cache
def end_dtype(scalar: type) -> np.dtype:
    """Record of an end: a link and a frame on it, or a degree of freedom (-1: none)."""
    return np.dtype([("link", "i8"), ("dof", "i8"), ("R", scalar, (3, 3)), ("p", scalar, (3,))], align=True)


@dataclass(frozen=True, eq=False)
class Constraints:
    """All constraints of a model as arrays."""

    table: np.ndarray  # records of part_dtype
    ends: np.ndarray  # records of end_dtype, two for each part
    params: np.ndarray  # parameters of the formulas, one after another
    levels: np.ndarray  # what each row prescribes: position, velocity, acceleration, friction
    unilateral: np.ndarray  # is each row an inequality, g >= 0?
    names: tuple[str, ...] = field(default=())  # of each row: its constraint's name and a word for the row

    def __len__(self) -> int:
        return len(self.levels)

    @cached_property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.levels)

    @cached_property
    def needs_program(self) -> bool:
        """True if a step needs a quadratic program: some row is an inequality, or is friction."""
        return bool(self.unilateral.any() or (self.levels == FRICTION).any())

    def astype(self, scalar: type) -> "Constraints":
        """These constraints in another real number type, in the record types that kernels are compiled for."""
        table, ends = as_records(self.table, part_dtype()), as_records(self.ends, end_dtype(scalar))
        return replace(self, table=table, ends=ends, params=self.params.astype(scalar))


def no_constraints() -> Constraints:
    """The constraints of a model that has none."""
    return Constraints(
        records(0, part_dtype()),
        records(0, end_dtype(np.float64)),
        np.zeros(1),
        np.zeros(0, np.int64),
        np.zeros(0, bool),
    )


def with_constraints(model: "Model", constraints: dict[str, Constraint]) -> "Model":
    """The model with these constraints packed. Raises an error that names the one which does not fit."""
    made: list[tuple[str, ConstraintPart]] = []
    for name, constraint in constraints.items():
        if not isinstance(constraint, Constraint):
            raise TypeError(f"constraint {name!r} must be one such as mm.Loop(...), and is {constraint!r}")
        try:
            parts = constraint.parts(model)
        except (ValueError, KeyError) as error:
            raise ValueError(f"constraint {name!r}: {error}") from None
        for part in parts:
            if part.formula.kind < 0:
                own = type(constraint).__name__
                raise TypeError(
                    f"constraint {name!r}: the formula {part.formula.name} of {own} is not registered; list it in "
                    f"{own}.formulas and call mm.register({own})"
                )
        made += [(name, part) for part in parts]
    return replace(model, constraints=pack_parts(model, made)) if made else model


def pack_parts(model: "Model", made: list[tuple[str, ConstraintPart]]) -> Constraints:
    """Pack parts, each with the name of its constraint, into arrays."""
    table, ends = records(len(made), part_dtype()), records(2 * len(made), end_dtype(np.float64))
    ends["dof"], ends["R"] = -1, np.eye(3)
    params, levels, unilateral, names = [], [], [], []
    for i, (name, part) in enumerate(made):
        table[i] = (part.formula.kind, sum(map(len, params)), len(levels), len(part.rows), part.cone, part.friction)
        params.append(np.asarray(part.parameters, float))
        for end, given in zip(ends[2 * i :], part.ends, strict=False):
            _fill_end(model, end, given)
        own = np.broadcast_to(part.level, len(part.rows)).tolist()
        levels += own
        unilateral += [part.unilateral and level == POSITION for level in own]
        names += [f"{name}.{row}" if name and row else name or row for row in part.rows]
    params = np.concatenate([*params, [0.0]])
    return Constraints(table, ends, params, np.array(levels, np.int64), np.array(unilateral, bool), tuple(names))


def _fill_end(model: "Model", end: np.ndarray, given: Frame | int) -> None:
    if isinstance(given, (int, np.integer)):
        holds = (model.links["dof"] <= given) & (given < model.links["dof"] + model.links["ndof"])
        end["dof"], end["link"] = given, np.flatnonzero(holds)[-1]
        return
    body, E = given
    if body is None:
        end["R"], end["p"] = E[:3, :3], E[:3, 3]
        return
    record = model.bodies[model.body(body)]
    end["link"] = record["link"]
    end["R"], end["p"] = record["R_lb"] @ E[:3, :3], record["R_lb"] @ E[:3, 3] + record["p_lb"]
