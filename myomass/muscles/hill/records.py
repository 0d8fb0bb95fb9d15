"""Muscles with states as a model keeps them, and what kernels work on while their states change."""

from functools import cache

import numpy as np

from ..._jit import Bundle
from ..._jit import bundle as fields

TERMS = 5  # states of a delay (delay.py)
COORDINATE, LENGTH, VELOCITY, FORCE = range(4)  # what a reflex answers to


@cache
def hill_dtype(scalar: type) -> np.dtype:
    """Record of a muscle with states: where they are in z, its curves, reflexes and numbers."""
    whole = ("muscle", "kind", "at", "activation", "fibre", "dynamics", "reflex", "reflexes")
    numbers = ("force", "optimal", "slack", "height", "speed", "damping", "shortest", "rise", "fall", "least")
    # fibre: -1 for a rigid tendon; dynamics: as of activation.py; F0 [N], l_opt, slack length, thickness [m],
    # v_max l_opt [m/s], beta, least fibre length [m], time constants of activation [s], least activation
    return np.dtype([(name, "i8") for name in whole] + [(name, scalar) for name in numbers], align=True)


@cache
def reflex_dtype(scalar: type) -> np.dtype:
    """Record of a reflex: its muscle, what it answers to and of which dof or muscle, its delay's states (-1: none)."""
    whole = ("hill", "quantity", "source", "memory", "rectified")
    numbers = ("gain", "rate_gain", "target", "delay")
    return np.dtype([(name, "i8") for name in whole] + [(name, scalar) for name in numbers], align=True)


@cache
def told_dtype(scalar: type) -> np.dtype:
    """What the last look at a muscle with states found [N, m, m/s, m, m/s, 1]."""
    names = ("tension", "length", "speed", "fibre", "rate", "excitation")
    return np.dtype([(name, scalar) for name in names], align=True)


class Drive(Bundle):
    """States of muscles and what drives them.

    With stage[0] = 0 the states z are given, and whoever sums up the muscles leaves their rates in zdot. With
    stage[0] = alpha > 0 they are those of an implicit stage, z = base + zdot/alpha, and are solved for each time, with
    paths as long as they will be at their present speed after stage[1] seconds.
    """

    hills = fields.records(hill_dtype)
    reflexes = fields.records(reflex_dtype)
    told = fields.scratch(told_dtype)
    z = fields.numbers()
    zdot = fields.numbers()
    base = fields.numbers()
    stage = fields.plain(np.float64)
    excitation = fields.numbers()  # of each muscle, before its reflexes
    curve = fields.plain(np.int64)  # where the motion begins in `motions` that is added to it; -1: none
    motions = fields.plain(np.float64)
    heard = fields.plain(np.float64)  # what reflexes on muscles answer to in an implicit stage
    delay = fields.numbers(2)  # a small linear system, (TERMS, TERMS + 1)
    controller = fields.whole_number()  # address of a function that gives the excitations
