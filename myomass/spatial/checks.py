"""Checks of what a person gives: a number, a vector, an axis, a pose; each raises an error of one sentence."""

from collections.abc import Sequence

import numpy as np

ORTHONORMAL = 1e-8  # largest entry of R^T R - I that is taken for rounding


def check_numbers(values: Sequence, what: str, shape: tuple[int | None, ...], real: bool = True) -> np.ndarray:
    """Values as an array of finite numbers of a shape, float64 or (unless `real`) complex128.

    None in the shape stands for any length. Raises an error that names `what`.
    """
    form = f"finite numbers of shape {str(shape).replace('None', 'n')}" if shape else "a finite number"
    wanted = f"{what} must be {form}"
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{wanted}, and has rows of different lengths") from None
    if array.dtype.kind not in "fciub":
        raise ValueError(f"{wanted}, and is {values!r}")
    if len(array.shape) != len(shape) or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{wanted}, and its shape is {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(np.argwhere(~np.isfinite(array))[0])
        place = f" at [{', '.join(map(str, where))}] it" if shape else ""
        raise ValueError(f"{wanted}, and{place} is {array[where]}")
    if array.dtype.kind != "c":
        return array.astype(np.float64, copy=False)
    if real:
        raise ValueError(f"{what} must be real, and is complex")
    return array.astype(np.complex128, copy=False)


def check_positive(value: float, what: str) -> float:
    """The number. Raises a ValueError unless it is finite and positive."""
    try:
        number = float(None if isinstance(value, str) else value)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must be a number, and is {value!r}") from None
    if not np.isfinite(number) or number <= 0:
        raise ValueError(f"{what} must be finite and positive, and is {number:g}")
    return number


def unit_axis(axis: Sequence[float], what: str) -> np.ndarray:
    """An axis, normalised without overflow. (3,)"""
    try:
        numbers = check_numbers(axis, what, (3,))
    except ValueError:
        numbers = np.zeros(3)
    if not numbers.any():
        raise ValueError(f"{what}: the axis must be three finite numbers, not all zero, and is {axis!r}")
    numbers = numbers / np.abs(numbers).max()
    return numbers / np.linalg.norm(numbers)


def check_frame(E: np.ndarray, what: str) -> np.ndarray:
    """The frame as a float array (4, 4). Raises a ValueError that says what is wrong with it."""
    try:
        E = np.array(E, float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must be a 4x4 matrix of numbers") from None
    if E.shape != (4, 4):
        raise ValueError(f"{what} must be a 4x4 matrix, and its shape is {E.shape}")
    if not np.isfinite(E).all():
        raise ValueError(f"{what} has entries that are not finite")
    R = E[:3, :3]
    error = np.abs(R.T @ R - np.eye(3)).max()
    if error > ORTHONORMAL:
        raise ValueError(
            f"{what} has a rotation part that is not orthonormal (R^T R differs from I by {error:.2g}); "
            "build it with mm.rotation or mm.se3.exp"
        )
    if np.linalg.det(R) < 0:
        raise ValueError(f"{what} has a rotation part that mirrors (determinant -1); flip one axis")
    if np.abs(E[3] - (0, 0, 0, 1)).max() > ORTHONORMAL:
        raise ValueError(f"{what} must have the last row (0, 0, 0, 1), and has {E[3].tolist()}")
    return E
