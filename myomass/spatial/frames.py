"""Is this a pose? One check for every frame that a person gives."""

import numpy as np

ORTHONORMAL = 1e-8  # largest entry of R^T R - I that is taken for rounding


def check_frame(E: np.ndarray, what: str) -> np.ndarray:
    """The frame as a float array (4, 4), or a sentence that says what is wrong with it."""
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
