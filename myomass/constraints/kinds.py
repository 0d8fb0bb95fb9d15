"""What the formulas of a model's rows say of themselves: units, motions in time, which parts are contacts."""

import numpy as np

from ..model import Model
from ..model.elements import Formula
from ..spatial.motion import kinks
from .dispatch import FORMULAS


def formulas_of(model: Model) -> list[Formula]:
    """The formula of every part of a model's constraints."""
    return [FORMULAS[kind] for kind in model.constraints.table["kind"]]


def contacts(model: Model) -> np.ndarray:
    """True for each part that is a pair of shapes which may touch. (parts,)"""
    return np.array([formula.touch is not None for formula in formulas_of(model)], bool)


def row_units(model: Model) -> list[str]:
    """The unit of each constraint row's value: "m", or "rad" for an angle, or that of a coordinate. (rows,)"""
    units, own, table = [], model.whole.coordinate_units, model.constraints.table
    for i, (part, formula) in enumerate(zip(table, formulas_of(model), strict=True)):
        dofs, unit = model.constraints.ends["dof"][2 * i : 2 * i + 2], formula.unit
        if unit is None:
            unit = next((own[dof] for dof in dofs if dof >= 0), "m")
        units += [unit if isinstance(unit, str) else own[dofs[unit]]] * int(part["count"])
    return units


def motion_knots(model: Model) -> list[float]:
    """Times at which a prescribed motion may have a kink: its ends, and the breaks of those made of few pieces [s]."""
    constraints, times = model.constraints, set()
    for part, formula in zip(constraints.table, formulas_of(model), strict=True):
        if formula.motion is not None:
            times |= kinks(constraints.params, int(part["at"]) + formula.motion)
    return sorted(times)
