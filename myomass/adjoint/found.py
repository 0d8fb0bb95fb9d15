"""Where a stage was solved, and what its reverse gives back."""

from typing import NamedTuple

import numpy as np


class Place(NamedTuple):
    """Where a stage was solved."""

    t: float
    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray
    z: np.ndarray


class Found(NamedTuple):
    """What a stage gives back: bars of what it started from, (quantities, ndof) or (quantities, nz) each."""

    lam: np.ndarray  # of the equations of motion
    q: np.ndarray
    qdot: np.ndarray
    z: np.ndarray
    y: np.ndarray  # of the states' rates, (quantities, nz)
    u: np.ndarray  # of the excitations, (quantities, muscles with states)
    multipliers: np.ndarray  # of constraints, (rows,)
    nu: np.ndarray  # bars of the rows' speeds and accelerations, (quantities, 2, rows)
