"""Local rotation Jacobians against complex steps of the rotations they belong to, and against the joints of these.

Measured: J and Jdot within 2e-15 of complex steps, at every kind of angle.
"""

import numpy as np
import pytest

import myomass as mm
from myomass.joints.spherical_euler import CHART_NAMES
from myomass.spatial.rotations import ORDERS

pytestmark = pytest.mark.fast
STEP = 1e-30
ANGLES = [0.0, 1e-300, 1e-9, 1e-4, 1.0, 2.0, np.pi - 1e-9, np.pi, 4.0, 2 * np.pi - 1e-7, 2 * np.pi, 9.0]


def turn(axis: int, angle: complex) -> np.ndarray:
    """Rotation about a coordinate axis, written here anew."""
    c, s, R = np.cos(angle), np.sin(angle), np.eye(3, dtype=complex)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def euler(order: str):
    return lambda q: np.linalg.multi_dot([turn("XYZ".index(x), angle) for x, angle in zip(order, q, strict=True)])


def from_quaternion(q: np.ndarray) -> np.ndarray:
    """R of a quaternion of any length."""
    w, x, y, z = q
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.array(rows) / (q * q).sum()


def check(R_of, jacobian_of, q: np.ndarray, rates: np.ndarray) -> None:
    """[J qdot] = Rdot R^T for each coordinate, and Jdot is the rate of J."""
    q, rates = np.asarray(q, float), np.asarray(rates, float)
    J, Jdot = jacobian_of(q, rates)
    R, size = R_of(q.astype(complex)).real, np.linalg.norm(J)
    for k, column in enumerate(J.T):
        there = q.astype(complex)
        there[k] += 1j * STEP
        spin = R_of(there).imag / STEP @ R.T
        np.testing.assert_allclose(mm.so3.hat(column), spin, rtol=0, atol=1e-14 * size)
    slope = jacobian_of(q + 1j * STEP * rates, None)[0].imag / STEP
    np.testing.assert_allclose(Jdot, slope, rtol=0, atol=3e-14 * max(size * np.linalg.norm(rates), np.abs(Jdot).max()))
    still = jacobian_of(q, None)
    np.testing.assert_array_equal(still[0], J)
    assert not still[1].any()


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles(order):
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qdot = rng.uniform(-3, 3, 3), rng.normal(size=3)
        check(euler(order), lambda q, rates: mm.coordinates.euler_jacobian(q, order, rates), q, qdot)
        joint, (J, Jdot) = mm.SphericalEuler(order), mm.coordinates.euler_jacobian(q, order, qdot)
        R = joint.Q(q)[:3, :3]
        np.testing.assert_allclose(J, R @ joint.S(q)[:3], rtol=0, atol=1e-14)
        turned = R @ (mm.so3.hat(joint.S(q)[:3] @ qdot) @ joint.S(q)[:3] + joint.Sdot(q, qdot)[:3])
        np.testing.assert_allclose(Jdot, turned, rtol=0, atol=3e-14)


def test_all_twelve_orders_are_those_of_the_joint():
    assert sorted(ORDERS) == sorted(CHART_NAMES)
    assert len(ORDERS) == 12


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vectors(angle):
    rng = np.random.default_rng(2)
    w, rates = rng.normal(size=3), rng.normal(size=3)
    w *= angle / np.linalg.norm(w)
    check(mm.so3.exp, mm.coordinates.exponential_jacobian, w, rates)
    joint, (J, Jdot) = mm.SphericalExp(), mm.coordinates.exponential_jacobian(w, rates)
    R, S, Sdot = joint.Q(w)[:3, :3], joint.S(w)[:3], joint.Sdot(w, rates)[:3]
    np.testing.assert_allclose(J, R @ S, rtol=0, atol=1e-14)
    np.testing.assert_allclose(Jdot, R @ (mm.so3.hat(S @ rates) @ S + Sdot), rtol=0, atol=3e-14)


@pytest.mark.parametrize("size", [1.0, 1e-3, 7.0])
def test_quaternions(size):
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = rng.normal(size=4)
        check(from_quaternion, mm.coordinates.quaternion_jacobian, size * q / np.linalg.norm(q), rng.normal(size=4))


def test_unit_quaternions_have_the_textbook_form():
    """omega = 2 E(q) qdot, and growing in length turns nothing."""
    q = np.array([0.5, -0.5, 0.5, 0.5])
    J, _ = mm.coordinates.quaternion_jacobian(q)
    np.testing.assert_allclose(J @ q, 0.0, atol=1e-15)
    np.testing.assert_allclose(J @ J.T, 4 * np.eye(3), atol=1e-14)
    np.testing.assert_allclose(J[:, 0], -2 * q[1:], atol=1e-15)
    tiny = mm.coordinates.quaternion_jacobian(1e-200 * q)[0]
    np.testing.assert_allclose(tiny * 1e-200, J, rtol=1e-14)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: mm.coordinates.euler_jacobian([0, 0, 0], "XXY"), "'XXY' is no order; use one of XYX, XYZ"),
        (lambda: mm.coordinates.euler_jacobian([0, 0, 0], "xyz"), "'xyz' is no order"),
        (lambda: mm.coordinates.euler_jacobian([0, 0, 0], 3), "3 is no order"),
        (
            lambda: mm.coordinates.euler_jacobian([0, 0], "XYZ"),
            r"angles must be finite numbers of shape \(3,\), and its shape",
        ),
        (lambda: mm.coordinates.euler_jacobian([0, np.nan, 0], "XYZ"), r"angles must be finite.*at \[1\] it is nan"),
        (lambda: mm.coordinates.exponential_jacobian([0, 0, np.inf]), r"w must be finite.*at \[2\] it is inf"),
        (lambda: mm.coordinates.exponential_jacobian([0, 0, 1], [1, 2]), "rates must be finite numbers of shape"),
        (lambda: mm.coordinates.quaternion_jacobian([0, 0, 0, 0]), "the quaternion is zero"),
        (lambda: mm.coordinates.quaternion_jacobian([1, 0, 0]), "quaternion must be finite numbers of shape"),
    ],
)
def test_bad_input(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
