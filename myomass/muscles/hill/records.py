"""A Hill-type muscle as kernels read it."""

from functools import cache

import numpy as np


@cache
def hill_dtype(scalar: type) -> np.dtype:
    """Record of a Hill-type muscle: which muscle it drives, where its curves and states are, and its numbers."""
    return np.dtype(
        [
            ("muscle", "i8"),  # index of the muscle
            ("kind", "i8"),  # family of its curves: index into curves.dispatch.CURVES
            ("at", "i8"),  # where the curves' numbers start in params
            ("activation", "i8"),  # index of its activation among the states z
            ("fibre", "i8"),  # index of its fibre length among the states z; -1: rigid tendon
            ("dynamics", "i8"),  # of the activation: 0 piecewise, 1 smooth
            ("force", scalar),  # F0 [N]
            ("optimal", scalar),  # fibre length at which F0 is reached [m]
            ("slack", scalar),  # length up to which the tendon is slack [m]
            ("height", scalar),  # h: of the fibre across the tendon's direction, constant [m]
            ("speed", scalar),  # largest speed of shortening, v_max times the optimal length [m/s]
            ("damping", scalar),  # beta: force over F0 at that speed
            ("shortest", scalar),  # least fibre length [m]
            ("rise", scalar),  # time constant of activation [s]
            ("fall", scalar),  # and of deactivation [s]
            ("least", scalar),  # activation
        ],
        align=True,
    )
