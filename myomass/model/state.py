"""State: what changes while time runs."""

from dataclasses import dataclass, field

import numpy as np

from ..spatial.brief import brief


@brief
@dataclass(eq=False)
class State:
    """Time [s], coordinates [rad or m], their rates, the charts that Euler joints are in, accelerations if known.

    z are the states of muscles, named by `model.z_names`.
    """

    t: float
    q: np.ndarray  # (ndof,)
    qdot: np.ndarray  # (ndof,)
    charts: np.ndarray = field(default_factory=lambda: np.zeros(0))  # one per Euler joint
    qddot: np.ndarray | None = None  # (ndof,); where a motion was measured and not simulated
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (nz,)
