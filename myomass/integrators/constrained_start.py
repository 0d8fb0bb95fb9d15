"""What a run of a constrained model begins with: an integrator that can, gains, a state that satisfies the rows."""

import numpy as np

from ..constraints.kinds import formulas_of
from ..dynamics.rows import FAR, assemble, constraint_values, mechanism_size
from ..model import Model, State
from ..model.constraint import ACCELERATION, POSITION
from ..spatial.checks import check_numbers
from . import BOUND, IMPLICIT, MAXIMAL
from .stepper import Gains
from .velocity import METHODS

SOLVES_RATES = [*(name for name in IMPLICIT if name not in METHODS), MAXIMAL]


def prepare_constraints(model: Model, start: State, integrator: str, baumgarte: Gains) -> tuple[State, Gains]:
    """(state to start from, gains): checked, and the state put onto its constraints where states are projected."""
    if baumgarte is not None:
        baumgarte = tuple(check_numbers(baumgarte, "baumgarte (a, b, v)", (3,)).tolist())
        if min(baumgarte) < 0:
            raise ValueError(f"baumgarte's gains must not be negative, and are {baumgarte}")
    if not len(model.constraints):
        return start, baumgarte
    if integrator not in BOUND:
        raise ValueError(f"{integrator!r} cannot hold constraints; these can: {', '.join(BOUND)}")
    if model.constraints.hard and integrator not in (*METHODS, MAXIMAL):
        raise ValueError(
            f"stops, contacts and friction need steps of velocities: take {', '.join(METHODS)} or {MAXIMAL}, not "
            f"{integrator!r}"
        )
    if integrator in SOLVES_RATES and (model.constraints.levels == ACCELERATION).any():
        raise ValueError(f"{integrator!r} cannot follow accelerations; prescribe a velocity or a position")
    if baumgarte is not None:
        return start, baumgarte
    _check_near(model, start)
    return assemble(model, start.q, start.qdot, t=start.t), None


def _check_near(model: Model, start: State) -> None:
    """A sentence if a row is so far from holding that closing it would be another mechanism."""
    constraints = model.constraints
    g = constraint_values(model, start.q, start.qdot, t=start.t)[0]
    off = np.abs(np.where(constraints.unilateral, np.minimum(g, 0.0), np.where(constraints.levels == POSITION, g, 0.0)))
    angles = _is_angle(model)
    far = FAR * np.where(angles, 1.0, mechanism_size(model, start.q))
    if (off > far).any():
        worst = int(np.argmax(off / far))
        unit = "rad or m" if angles[worst] else "m"
        raise ValueError(
            f"model {model.name!r}: at the start the row {constraints.names[worst]!r} is off by {off[worst]:.3g} {unit}"
            "; give a q that satisfies it (mm.assemble finds one nearby), or baumgarte gains that pull it there"
        )


def _is_angle(model: Model) -> np.ndarray:
    """Which rows are angles: of coordinates, as a rule, and of the orientation of loops."""
    angles = np.zeros(len(model.constraints), bool)
    for i, (part, formula) in enumerate(zip(model.constraints.table, formulas_of(model), strict=True)):
        turned = formula.unit == "rad" or model.constraints.ends[2 * i]["dof"] >= 0
        angles[part["row"] : part["row"] + part["count"]] = turned
    return angles
