"""Recordings: measured or computed columns over time, and what is done to them before they are used."""

from .c3d import C3d, read_c3d, write_c3d
from .columns import angles_in_radians, columns_for
from .gaps import Gap, fill_gaps, gaps
from .loads import ExternalForce, ExternalLoads, read_loads, write_loads
from .markers import Z_UP_TO_Y_UP, Markers
from .plates import ForcePlate
from .runs import trajectory_table
from .smooth import Spline, lowpass, resample
from .states import state_at
from .storage import read_table, write_table
from .table import Table
from .trc import read_trc, write_trc

__all__ = [
    "Z_UP_TO_Y_UP",
    "C3d",
    "ExternalForce",
    "ExternalLoads",
    "ForcePlate",
    "Gap",
    "Markers",
    "Spline",
    "Table",
    "angles_in_radians",
    "columns_for",
    "fill_gaps",
    "gaps",
    "lowpass",
    "read_c3d",
    "read_loads",
    "read_table",
    "read_trc",
    "resample",
    "state_at",
    "trajectory_table",
    "write_c3d",
    "write_loads",
    "write_table",
    "write_trc",
]


def __dir__() -> list[str]:
    return __all__
