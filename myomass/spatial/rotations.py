"""Local rotation Jacobians: the angular velocity of a child in its parent's frame per rate of its coordinates.

    [omega] = Rdot R^T,     omega = J qdot        (tutorial Eq. 49-56)

Euler angles:       R = R_i(q1) R_j(q2) R_k(q3),     J = (e_i, R_i e_j, R_i R_j e_k)                       (Eq. 52)
rotation vector:    R = exp([q]),                    J = I + b [q] + c [q]^2, b and c as in so3            (Eq. 54)
quaternion (w, v):  R = R(q/|q|),                    J = 2 E(q)/|q|^2,  E = (-v, w I + [v])
"""

import numpy as np

from .algebra import dot
from .checks import check_numbers
from .so3 import angle_coefficients, angle_slopes, exp, hat, left_slope, rotation_of

ORDERS = tuple(i + j + k for i in "XYZ" for j in "XYZ" for k in "XYZ" if i != j != k)


def euler_jacobian(
    angles: np.ndarray, order: str = "XYZ", rates: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(J, Jdot) of Euler angles [rad] in any of the 12 orders, as in SphericalEuler. (3, 3) each; tutorial Eq. 52

    omega = J qdot in the parent's frame; Jdot is zero unless rates [rad/s] are given.
    """
    if order not in ORDERS:
        raise ValueError(f"euler_jacobian: {order!r} is no order; use one of {', '.join(ORDERS)}")
    q, qdot = _checked("euler_jacobian", "angles", angles, rates, 3)
    i, j, k = (np.eye(3)[:, "XYZ".index(letter)] for letter in order)
    R_i, R_j = exp(q[0] * i), exp(q[1] * j)
    J = np.column_stack([i, R_i @ j, R_i @ R_j @ k])
    Jdot = [0.0 * i, np.cross(qdot[0] * J[:, 0], J[:, 1]), np.cross(J[:, :2] @ qdot[:2], J[:, 2])]
    return J, np.column_stack(Jdot)


def exponential_jacobian(w: np.ndarray, rates: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(J, Jdot) of a rotation vector w [rad], right for every angle. (3, 3) each; tutorial Eq. 54, 56

    omega = J wdot in the parent's frame; Jdot is zero unless rates [rad/s] are given. J is singular at |w| = 2 pi.
    """
    w, wdot = (tuple(x) for x in _checked("exponential_jacobian", "w", w, rates, 3))
    x = dot(w, w)
    a, b, c = angle_coefficients(x)
    return np.array(rotation_of(w, b, c)), np.array(left_slope(w, wdot, (b, c, *angle_slopes(x, a, b, c))))


def quaternion_jacobian(quaternion: np.ndarray, rates: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(J, Jdot) of a quaternion, w first: omega = 2 E(q) qdot/|q|^2 in the parent's frame. (3, 4) each

    Of any length but zero: its direction alone turns the frame. Jdot is zero unless rates [1/s] are given.
    """
    q, qdot = _checked("quaternion_jacobian", "quaternion", quaternion, rates, 4)
    if not q.any():
        raise ValueError("quaternion_jacobian: the quaternion is zero, and so no rotation")
    size = np.abs(q).max()  # squares of tiny and huge numbers would leave the range
    q, qdot = q / size, qdot / size
    n = q @ q
    J = 2.0 / n * _product(q)
    return J / size, (2.0 / n * _product(qdot) - 2.0 * (q @ qdot) / n * J) / size


def _product(q: np.ndarray) -> np.ndarray:
    """E(q), E(q) p = vector part of p times q conjugate. (3, 4)"""
    return np.column_stack([-q[1:], q[0] * np.eye(3) + hat(q[1:])])


def _checked(who: str, what: str, q: np.ndarray, rates: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(coordinates, rates) as arrays, the rates zero if there are none. (n,) each"""
    q = check_numbers(q, f"{who}: {what}", (n,), real=False)
    return q, np.zeros(n) if rates is None else check_numbers(rates, f"{who}: rates", (n,), real=False)
