"""Rigid motions: exp, log, hat, vee, Ad, ad and Gamma of SE(3). Twists are [omega; v], angular first.

    exp([phi]) = [ exp([w])  V(w) v ],    V(w) = I + b [w] + c [w]^2        (a, b, c as in so3)
                 [    0         1   ]
    Ad(E) = [ R 0; [p]R R ],  ad(phi) = [ [w] 0; [v] [w] ],  Gamma(x) = ( [x]^T I )   (supplement Eq. 4, 5, 8)

In kernels a pose is the pair (R, p) and a twist the pair (w, v); arrays are 4x4 and 6.
"""

import numpy as np

from .._jit import kernel
from .algebra import add, add_scaled, cross, dot, matmul, mul, mul_T, neg, sub, transpose
from .checks import check_numbers, unit_axis
from .so3 import angle_coefficients, angle_slopes, dexp_inverse, rotation_log, rotation_of
from .so3 import hat as hat3


@kernel(entry=True)
def pose_exp(w, v):
    """(R, p) = exp of the twist (w, v)."""
    a, b, c = angle_coefficients(dot(w, w))
    wv = cross(w, v)
    return rotation_of(w, a, b), add_scaled(add_scaled(v, b, wv), c, cross(w, wv))


@kernel(entry=True)
def pose_log(R, p):
    """(w, v) = log of the pose (R, p), |w| <= pi."""
    w = rotation_log(R)
    return w, dexp_inverse(neg(w), p, log_coefficient(dot(w, w)))


@kernel
def log_coefficient(x):
    """(1 - a/(2b))/x of the squared angle x, the second-order coefficient of V^-1: it is -b'(x)/b(x)."""
    a, b, c = angle_coefficients(x)
    db, _ = angle_slopes(x, a, b, c)
    return -db / b


@kernel
def compose(R1, p1, R2, p2):
    """E1 E2 of two poses."""
    return matmul(R1, R2), add(p1, mul(R1, p2))


@kernel
def invert(R, p):
    """E^-1 of a pose."""
    return transpose(R), neg(mul_T(R, p))


@kernel
def Ad_twist(R, p, w, v):
    """Ad(E) (w, v): a twist seen from the frame in which E is given."""
    turned = mul(R, w)
    return turned, add(mul(R, v), cross(p, turned))


@kernel
def Ad_inverse_twist(R, p, w, v):
    """Ad(E^-1) (w, v): a twist seen from E's own frame."""
    return mul_T(R, w), mul_T(R, sub(v, cross(p, w)))


@kernel
def ad_twist(w, v, x, y):
    """ad(w, v) (x, y): the spatial cross product of two twists."""
    return cross(w, x), add(cross(v, x), cross(w, y))


# --- for arrays, in Python ------------------------------------------------------------------------------------------


def pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """E = [R p; 0 1], the 4x4 pose of a rotation (3, 3) and a position (3,) [m]."""
    R, p = np.asarray(R), np.asarray(p)
    E = np.eye(4, dtype=np.result_type(R, p, float))
    E[:3, :3] = R
    E[:3, 3] = p
    return E


def split(E: np.ndarray) -> tuple[tuple, tuple]:
    """(R, p) of a 4x4 pose as the tuples that kernels take."""
    return tuple(map(tuple, E[:3, :3])), tuple(E[:3, 3])


def exp(phi: np.ndarray) -> np.ndarray:
    """E = exp([phi]), twist [omega; v], (6,), to pose, (4, 4)."""
    phi = check_numbers(phi, "se3.exp: phi", (6,), real=False)
    return pose(*pose_exp(tuple(phi[:3]), tuple(phi[3:])))


def log(E: np.ndarray) -> np.ndarray:
    """phi = log E, pose, (4, 4), to twist [omega; v] with |omega| <= pi, (6,)."""
    return np.concatenate(pose_log(*split(check_numbers(E, "se3.log: E", (4, 4), real=False))))


def inverse(E: np.ndarray) -> np.ndarray:
    """E^-1 = [R^T -R^T p; 0 1]. (4, 4)"""
    E = np.asarray(E)
    return pose(E[:3, :3].T, -E[:3, :3].T @ E[:3, 3])


def hat(phi: np.ndarray) -> np.ndarray:
    """[phi] = [[omega] v; 0 0]. (4, 4)"""
    phi = check_numbers(phi, "se3.hat: phi", (6,), real=False)
    X = np.zeros((4, 4), np.result_type(phi, float))
    X[:3, :3] = hat3(phi[:3])
    X[:3, 3] = phi[3:]
    return X


def vee(X: np.ndarray) -> np.ndarray:
    """phi with hat(phi) = X. (6,)"""
    X = check_numbers(X, "se3.vee: X", (4, 4), real=False)
    return np.array([X[2, 1], X[0, 2], X[1, 0], X[0, 3], X[1, 3], X[2, 3]])


def Ad(E: np.ndarray) -> np.ndarray:
    """Ad(E) = [R 0; [p]R R], twists from the frame of E to the frame it is given in. (6, 6), supplement Eq. 5"""
    E = check_numbers(E, "se3.Ad: E", (4, 4), real=False)
    R = E[:3, :3]
    return np.block([[R, np.zeros((3, 3))], [hat3(E[:3, 3]) @ R, R]])


def ad(phi: np.ndarray) -> np.ndarray:
    """ad(phi) = [[omega] 0; [v] [omega]], so that d/dt Ad(E) = Ad(E) ad(phi). (6, 6), supplement Eq. 8"""
    phi = check_numbers(phi, "se3.ad: phi", (6,), real=False)
    w = hat3(phi[:3])
    return np.block([[w, np.zeros((3, 3))], [hat3(phi[3:]), w]])


def Gamma(x: np.ndarray) -> np.ndarray:
    """Gamma(x) = ([x]^T I): velocity of the body's point x in body axes is Gamma(x) phi. (3, 6), supplement Eq. 4"""
    return np.hstack([hat3(x).T, np.eye(3)])


def translation(x: float, y: float, z: float) -> np.ndarray:
    """Pose of a pure translation [m]. (4, 4)"""
    return pose(np.eye(3), check_numbers((x, y, z), "translation: (x, y, z)", (3,)))


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Pose of a pure rotation by an angle [rad] about an axis through the origin (normalised here). (4, 4)"""
    omega = unit_axis(axis, "rotation") * check_numbers(angle, "rotation: the angle", ())
    return exp(np.concatenate([omega, np.zeros(3)]))
