"""What soft bodies add to the physics, compiled when a model first has some."""

import numpy as np

from .acting import (
    accelerate_soft,
    add_soft_energies,
    add_soft_forces,
    add_soft_momenta,
    fill_soft_inertia,
)
from .slopes import add_soft_linear, add_soft_mass

ACTING = (accelerate_soft, add_soft_energies, add_soft_forces, add_soft_momenta, add_soft_mass, fill_soft_inertia)


def demand_soft_bodies(scalar: type) -> None:
    """Have what soft bodies add to the physics at hand, in a number type."""
    for part in ACTING:
        part.demand(scalar)
    if scalar is np.float64:
        add_soft_linear.demand(scalar)
