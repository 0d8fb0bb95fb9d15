"""Which columns of a table are a model's coordinates, and whether their angles are in the unit that the file says."""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from ..model.spec import UnknownName, known_names
from .table import Table, called

KINDS = {  # what stands behind a coordinate's name in a column's name
    "value": ("", "/value"),
    "speed": ("/speed", "_u", ".speed"),
    "force": ("_moment", "_force", ""),
}
TURNS = 3 * np.pi  # largest angle of a person's joint [rad], one and a half turns
BEYOND = 3.0  # so many times its range, and more than half a turn, no angle goes
STILL = 2.0  # degrees: if no angle leaves them, and one of several moves, the file means radians
FEWEST = 4  # angles in a file of which that is said


def columns_for(names: Sequence[str], table: Table, kind: str = "value", *, optional: bool = False) -> dict[str, str]:
    """Coordinate -> name of its column in the table, for values, speeds or forces of coordinates ("force").

    A column is named by the coordinate alone, as `knee_angle_r`, or as OpenSim does: `knee_angle_r/value` or
    `/jointset/knee_r/knee_angle_r/value`; the same with `speed`, `knee_angle_r_u`; `knee_angle_r_moment`,
    `pelvis_tx_force`. optional: coordinates without a column are left out; otherwise they are an error.
    """
    if kind not in KINDS:
        raise ValueError(f"columns are of the kind {', '.join(map(repr, KINDS))}, and not {kind!r}")
    endings = KINDS[kind]
    last: dict[str, list[str]] = {}  # "knee_angle_r/value" -> the columns whose path ends so
    for column in table.names:
        parts = column.split("/")
        own = "/".join(parts[-2:]) if parts[-1] in ("value", "speed") else parts[-1]
        last.setdefault(own, []).append(column)
    found, missing = {}, []
    for name in names:
        there = [column for ending in endings for column in last.get(name + ending, ())]
        if kind == "force" and len(there) > 1:  # a column of the bare name holds values there
            there = [column for column in there if column not in last.get(name, ())] or there
        if not there:
            missing.append(name)
        elif len(there) > 1:
            raise ValueError(f"{called(table)} has several columns for {name!r}: {', '.join(there)}; keep one")
        else:
            found[name] = there[0]
    if missing and not optional:
        several = f"{len(missing)} of {len(names)} coordinates" if len(missing) > 1 else "the coordinate"
        raise UnknownName(
            f"{called(table)} has no columns for {several}: {_some(missing)}; it has {_some(table.names)}"
            + ("; is it a recording of another model?" if not found else "")
        )
    return found


def angles_in_radians(
    table: Table, rotational: Sequence[str], ranges: Mapping[str, tuple[float, float] | None] | None = None
) -> Table:
    """The table with the columns that are angles in radians; `rotational` are their names, `ranges` theirs [rad].

    Warns where a file that says radians holds what only degrees can be, and the other way round.
    """
    doubt = doubt_of_unit(table, rotational, ranges or {})
    if doubt:
        warnings.warn(doubt, UserWarning, stacklevel=2)
    return table.in_radians(rotational)


def doubt_of_unit(
    table: Table, rotational: Sequence[str], ranges: Mapping[str, tuple[float, float] | None]
) -> str | None:
    """A sentence if the angles of a table look as if they were not in the unit that it says, otherwise None."""
    angles = table.select(rotational).values
    angles = angles[np.isfinite(angles).any(axis=1)]
    if not angles.size:
        return None
    largest = np.nanmax(np.where(np.isfinite(angles), np.abs(angles), 0.0), axis=0)
    if table.degrees:
        moves = (np.nanmax(angles, axis=0, initial=-np.inf) - np.nanmin(angles, axis=0, initial=np.inf)).max()
        if len(rotational) >= FEWEST and largest.max() < STILL and moves > STILL / 10:
            return (
                f"{called(table)} says that its angles are in degrees, and none of {len(rotational)} exceeds "
                f"{largest.max():.3g}: if they are in radians, write inDegrees=no (or degrees=False)"
            )
        return None
    for name, size in zip(rotational, largest.tolist(), strict=True):
        limit = TURNS if ranges.get(name) is None else min(TURNS, max(np.pi, BEYOND * np.abs(ranges[name]).max()))
        if size > limit:
            return (
                f"{called(table)} says that its angles are in radians, and {name!r} goes to {size:.4g}: "
                "if they are in degrees, write inDegrees=yes (or degrees=True)"
            )
    return None


def _some(names: Sequence[str]) -> str:
    return known_names(names, 6).removeprefix("known: ") if names else "no columns at all"
