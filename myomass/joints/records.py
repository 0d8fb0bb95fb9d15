"""A joint as data: the record of a link, and the record a degree of freedom is evaluated into.

A link is one moving frame: its constant place E0 in the parent link, then one joint's motion Q(q), of which it may take
the inverse. A joint is a chain of one link or more; all but the last are massless. Link 0 of a model is the world.

The dtypes are made once: Numba recognises an array by its dtype object at once, by an equal one in microseconds.
"""

from functools import cache

import numpy as np

from .._jit import DISABLED


@cache
def link_dtype(scalar: type) -> np.dtype:
    """Record of one link; frames are those of the link itself, inertia is about its origin."""
    return np.dtype(
        [
            ("parent", "i8"),  # index of the parent link
            ("kind", "i8"),  # which joint: index into dispatch.KINDS
            ("at", "i8"),  # where its parameters start in params
            ("dof", "i8"),  # its first degree of freedom
            ("ndof", "i8"),  # how many it has
            ("inverted", "i8"),  # 1: it moves by Q^-1
            ("R0", scalar, (3, 3)),  # E0, the link in its parent at Q = I
            ("p0", scalar, (3,)),
            ("mass", scalar),  # [kg]
            ("moment", scalar, (3,)),  # mass times centre of mass [kg m]
            ("inertia", scalar, (6,)),  # about the link's origin, upper triangle [kg m^2]
        ],
        align=True,
    )


@cache
def dof_dtype(scalar: type) -> np.dtype:
    """Record of one degree of freedom: its column of S and Sdot, and what the recursions keep of it."""
    return np.dtype(
        [
            ("s_w", scalar, (3,)),  # column of S, angular and linear part
            ("s_v", scalar, (3,)),
            ("sdot_w", scalar, (3,)),  # column of Sdot, angular and linear part
            ("sdot_v", scalar, (3,)),
            ("U_w", scalar, (3,)),  # articulated inertia times column
            ("U_v", scalar, (3,)),
            ("Dinv", scalar),  # 1/(s^T M s)
            ("u", scalar),  # torque left for this column
        ],
        align=True,
    )


def records(n: int, dtype: np.dtype) -> np.ndarray:
    """n zeroed records with fields as attributes."""
    return as_records(np.zeros(n, dtype), dtype)


def as_records(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The array with exactly this dtype object, which Numba recognises at once, and with fields as attributes.

    Fields that it lacks, as those of an older file may, are zero.
    """
    if array.dtype is not dtype:
        array = completed(array, dtype) if array.dtype.names != dtype.names else np.asarray(array).astype(dtype)
    return array.view(np.recarray) if DISABLED else array


def completed(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The fields of older records in a new dtype; those that they lack are zero."""
    made = np.zeros(array.shape, dtype)
    for name in array.dtype.names:
        made[name] = array[name]
    return made


def filled(rows: list[tuple], dtype: np.dtype) -> np.ndarray:
    """Rows (tuples) as records of a dtype."""
    array = records(len(rows), dtype)
    for i, row in enumerate(rows):
        array[i] = row
    return array
