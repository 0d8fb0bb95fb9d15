"""Runs as tables: coordinates, speeds and states of muscles by the names that OpenSim gave them before version 4.

OpenSim of every version reads these: `knee_angle_r`, `knee_angle_r_u`, `soleus_r.activation`, `soleus_r.fiber_length`.
"""

import numpy as np

from ..trajectory import Trajectory
from .table import Table

SPELT = {"fibre_length": "fiber_length"}  # of states, as OpenSim writes them


def trajectory_table(run: Trajectory, *, degrees: bool = False, speeds: bool = True, states: bool = True) -> Table:
    """The table of a run, for `write_table`: coordinates, and, unless not wanted, speeds and states of muscles.

    degrees: angles and their rates in degrees instead of radians. Where a run doubles a time, as at an impact, the row
    after it is kept.
    """
    if not isinstance(run, Trajectory):
        raise TypeError(f"trajectory_table takes an mm.Trajectory, and is given {type(run).__name__}")
    if run.switches:
        raise ValueError("the run goes over from one model to another: make a table of each of run.pieces")
    model = run.model
    if (run.charts != model.params[model.chart_slots]).any():
        raise ValueError(
            "the run goes over from one Euler chart of a ball joint to another, so that its columns would change their "
            "meaning on the way; run it with SphericalExp in place of SphericalEuler"
        )
    factor = [np.degrees(1.0) if degrees and unit == "rad" else 1.0 for unit in model.coordinate_units]
    names, columns = list(model.coordinates), [run.q * factor]
    if speeds:
        names += [f"{name}_u" for name in model.coordinates]
        columns.append(run.qdot * factor)
    if states and model.z_names:
        names += [_spelt(name) for name in model.z_names]
        columns.append(run.z)
    kept = np.append(np.diff(run.t) > 0, True) if len(run.t) else np.zeros(0, bool)
    about = {"name": model.name, "text": f"Computed by {run.integrator}."}
    return Table(run.t[kept], np.hstack(columns)[kept], names, degrees, about)


def _spelt(name: str) -> str:
    """ "soleus.fibre_length" as "soleus.fiber_length"."""
    muscle, dot, state = name.rpartition(".")
    return f"{muscle}{dot}{SPELT.get(state, state)}"
