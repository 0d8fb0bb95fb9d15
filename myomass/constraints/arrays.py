"""The constraints of a model as kernels take them."""

import numpy as np

from .._jit import Bundle
from .._jit import bundle as fields
from ..joints.records import records
from ..model import Model
from .base import row_dtype, spot_dtype
from .dispatch import demand_formulas
from .pack import end_dtype, part_dtype
from .solve import RowSolver, solver_arrays

GAIN_A, GAIN_B, GAIN_V, PROJECT = 0, 1, 2, 3  # entries of gains


class ConstraintArrays(Bundle):
    """The constraints of a model with scratch: what kernels take as `constraints`."""

    count = fields.whole_number()  # number of rows
    table = fields.plain(part_dtype())
    ends = fields.records(end_dtype)  # two for each part
    params = fields.reals()
    levels = fields.plain(np.int64)  # what each row prescribes: position, velocity, acceleration, friction
    unilateral = fields.plain(bool)
    spots = fields.plain(spot_dtype(np.float64))  # the two ends of a part
    moved_spots = fields.plain(spot_dtype(np.complex128))
    rows = fields.plain(row_dtype(np.float64))
    moved_rows = fields.plain(row_dtype(np.complex128))
    solver = RowSolver
    gains = fields.plain(np.float64)  # Baumgarte's a, b and (in steps of velocities) v; 1 if states are projected
    zeros = fields.plain(np.float64)  # (ndof,)
    spare = fields.plain(np.float64)


def constraint_arrays(model: Model, scalar: type = np.float64) -> ConstraintArrays:
    """The constraints of a model as kernels take them, with scratch of their own; rows are in float64 only."""
    constraints, m = model.constraints, len(model.constraints)
    rows = [records(m, row_dtype(scalar)) for scalar in (np.float64, np.complex128)]
    spots = [records(2, spot_dtype(scalar)) for scalar in (np.float64, np.complex128)]
    for i, part in enumerate(constraints.table):
        own, ends = slice(part["row"], part["row"] + part["count"]), slice(2 * i, 2 * i + 2)
        rows[0]["link"][own], rows[0]["dof"][own] = constraints.ends["link"][ends], constraints.ends["dof"][ends]
    demand_formulas(set(constraints.table["kind"].tolist()))
    packed = {key: getattr(constraints, key) for key in ("table", "ends", "params", "levels", "unilateral")}
    seen = {"spots": spots[0], "moved_spots": spots[1], "rows": rows[0], "moved_rows": rows[1]}
    vectors = {"gains": np.array([0.0, 0.0, 0.0, 1.0]), "zeros": np.zeros(model.ndof), "spare": np.zeros(model.ndof)}
    return ConstraintArrays(scalar, count=m, **packed, **seen, solver=solver_arrays(model, scalar), **vectors)
