"""The rows of a motion as kernels take them."""

from typing import Any, NamedTuple

import numpy as np

from ..algorithms.charts import NO_CHARTS, NO_SLOTS
from ..model import Model
from ..model.border import no_model
from ..reduction.border import refuse_reduced
from ..spatial.checks import check_numbers


class MotionRows(NamedTuple):
    """A motion's arrays in the model's numbers: t, (rows,), q and qdot, (rows, ndof), charts of Euler joints, slots."""

    t: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    slots: np.ndarray
    charts: np.ndarray


def motion_rows(model: Model, motion: Any, what: str) -> MotionRows:
    """The rows of a motion of this model: of `Kinematics`, of a `Trajectory`, or of what else has t, q and qdot."""
    if not isinstance(model, Model):
        raise no_model(model)
    refuse_reduced(model, what)
    if not all(hasattr(motion, name) for name in ("t", "q", "qdot")):
        raise TypeError(
            f"{what}: the motion must have t, q and qdot, as mm.analyses.kinematics(model, table) gives it, and is "
            f"{type(motion).__name__}"
        )
    names = getattr(motion, "names", None)
    if names is not None and list(names) != list(model.coordinates):
        odd = next((n for n in names if n not in model.coordinates), None)
        reason = f"it has {odd!r}" if odd else "they are not the same, in the same order"
        raise ValueError(
            f"{what}: the motion is of other coordinates than those of model {model.name!r}: {reason}; make it by "
            "mm.analyses.kinematics(model, table)"
        )
    if getattr(motion, "switches", ()):
        raise ValueError(f"{what}: the run goes over between models; take one of its pieces")
    t = check_numbers(motion.t, f"{what}: t [s]", (None,)).astype(float)
    if not len(t):
        raise ValueError(f"{what}: the motion has no rows")
    q, qdot = (
        np.array(check_numbers(getattr(motion, name), f"{what}: {name}", (len(t), model.ndof)), model.dtype, order="C")
        for name in ("q", "qdot")
    )
    charts = getattr(motion, "charts", None)
    if charts is None or not len(model.chart_slots):
        return MotionRows(t, q, qdot, NO_SLOTS, NO_CHARTS)
    return MotionRows(t, q, qdot, model.chart_slots, np.array(charts, model.dtype, order="C"))
