"""What a run of a constrained model begins with: an integrator that can, gains, a state that satisfies the rows."""

import numpy as np

from ..dynamics.assembly import FAR, angular_rows, assemble, check_turned, rows_off
from ..dynamics.touching import mechanism_size
from ..integrators import INTEGRATORS, Integrator
from ..model import Model, State
from ..model.elements import ACCELERATION
from ..spatial.checks import check_numbers
from .stepper import Gains


def prepare_constraints(model: Model, start: State, integrator: Integrator, baumgarte: Gains) -> tuple[State, Gains]:
    """(state to start from, gains): checked, and the state put onto its constraints where states are projected."""
    if baumgarte is not None:
        baumgarte = tuple(check_numbers(baumgarte, "baumgarte (a, b, v)", (3,)).tolist())
        if min(baumgarte) < 0:
            raise ValueError(f"baumgarte's gains must not be negative, and are {baumgarte}")
    if not len(model.constraints):
        return start, baumgarte
    name, needs_program = integrator.name, model.constraints.needs_program
    if integrator.holds not in ("equalities", "all"):
        able = [other.name for other in INTEGRATORS.values() if other.holds]
        raise ValueError(f"{name!r} cannot hold constraints; these can: {', '.join(able)}")
    if needs_program and integrator.holds != "all":
        able = [other.name for other in INTEGRATORS.values() if other.holds == "all"]
        raise ValueError(
            f"stops, contacts and friction need steps of velocities: take {' or '.join(able)}, not {name!r}"
        )
    if integrator.rates and (model.constraints.levels == ACCELERATION).any():
        raise ValueError(f"{name!r} cannot follow accelerations; prescribe a velocity or a position")
    if baumgarte is not None:
        return start, baumgarte
    _check_near(model, start)
    check_turned(model, start.q, start.t)
    return assemble(model, start.q, start.qdot, t=start.t, z=start.z), None


def _check_near(model: Model, start: State) -> None:
    """A sentence if a row is so far from holding that closing it would be another mechanism."""
    off, angles = rows_off(model, start.q, start.t), angular_rows(model)
    far = FAR * np.where(angles, 1.0, mechanism_size(model, start.q))
    if (off > far).any():
        worst = int(np.argmax(off / far))
        unit, row = "rad or m" if angles[worst] else "m", model.constraints.names[worst]
        raise ValueError(
            f"model {model.name!r}: at the start the row {row!r} is off by {off[worst]:.3g} {unit}"
            "; give a q that satisfies it (mm.dynamics.assemble finds one nearby), or baumgarte gains that pull it in"
        )
