"""Rotations: exp, log, hat, vee and the Jacobian against independent sources, at every kind of angle.

Measured: log(exp(w)) comes back to 4e-16 of its length for angles below pi, exp(log(R)) to 9e-16 for all angles, the
derivatives of exp and log to 3e-15. The coefficients are right to rounding where they are series, below a squared angle
of 2. The closed forms above keep a, b and c to rounding too, b' to 2e-15 and c' to 9e-15, worst just above the switch.
Near a full turn, where b vanishes, its relative error grows as that of the angle itself does.
"""

from decimal import Decimal, localcontext
from math import factorial

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import myomass as mm
from myomass.spatial.se3 import log_coefficient
from myomass.spatial.so3 import SERIES_BELOW, angle_coefficients, angle_slopes

pytestmark = pytest.mark.fast
EPS = np.finfo(float).eps
SWITCH = np.sqrt(SERIES_BELOW)
LOG_SWITCH = 2 * np.arctan(0.1)  # where the series of log ends
BELOW_PI = [1e-300, 1e-160, 1e-12, 1e-8, 1e-4, LOG_SWITCH - 1e-9, LOG_SWITCH + 1e-9, 1.0, SWITCH - 1e-15]
BELOW_PI += [SWITCH + 1e-15, np.pi / 2, 3.0, np.pi - 1e-9, np.pi - 1e-15]
ANGLES = [0.0, *BELOW_PI, np.pi]
STEP = 1e-30  # of complex-step derivatives


def rotation_vectors(angle, n=20):
    """Vectors of one length: along the coordinate axes both ways, and along n random axes."""
    axes = np.vstack([np.eye(3), -np.eye(3), np.random.default_rng(1).normal(size=(n, 3))])
    return angle * axes / np.linalg.norm(axes, axis=1)[:, None]


def directions(n=6):
    return np.random.default_rng(2).normal(size=(n, 3))


# --- hat and vee --------------------------------------------------------------------------------------------------


def test_hat_is_the_cross_product():
    a, b = directions(2)
    np.testing.assert_allclose(mm.so3.hat(a) @ b, np.cross(a, b), rtol=0, atol=1e-15)


def test_hat_is_skew():
    A = mm.so3.hat(directions(1)[0])
    np.testing.assert_array_equal(A, -A.T)


def test_vee_undoes_hat():
    a = directions(1)[0]
    np.testing.assert_array_equal(mm.so3.vee(mm.so3.hat(a)), a)


def test_vee_takes_the_skew_part():
    A = np.random.default_rng(3).normal(size=(3, 3))
    np.testing.assert_allclose(mm.so3.hat(mm.so3.vee(A)), (A - A.T) / 2, rtol=0, atol=1e-15)


# --- exp ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [*ANGLES, 4.0, 6.0, 2 * np.pi])
def test_exp_is_the_matrix_exponential(angle):
    for w in rotation_vectors(angle, 4):
        np.testing.assert_allclose(mm.so3.exp(w), expm(mm.so3.hat(w)), rtol=0, atol=1e-13)  # expm itself: 4e-14


@pytest.mark.parametrize("angle", [*ANGLES, 4.0, 6.0, 2 * np.pi, 20.0])
def test_exp_agrees_with_scipys_rotation_to_rounding(angle):
    for w in rotation_vectors(angle):
        np.testing.assert_allclose(mm.so3.exp(w), Rotation.from_rotvec(w).as_matrix(), rtol=0, atol=4e-15)


@pytest.mark.parametrize("angle", [*ANGLES, 6.0, 100.0])
def test_exp_is_a_rotation(angle):
    for w in rotation_vectors(angle):
        R = mm.so3.exp(w)
        np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=3e-15)
        assert np.linalg.det(R) > 0


def test_exp_keeps_its_axis():
    for w in rotation_vectors(2.5):
        np.testing.assert_allclose(mm.so3.exp(w) @ w, w, rtol=0, atol=2e-15)


def test_exp_of_a_tiny_vector_keeps_all_its_digits():
    w = np.array([1e-300, -2e-300, 3e-300])
    np.testing.assert_array_equal(mm.so3.vee(mm.so3.exp(w)), w)


# --- log ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", BELOW_PI)
def test_log_undoes_exp_below_pi(angle):
    for w in rotation_vectors(angle):
        assert np.linalg.norm(mm.so3.log(mm.so3.exp(w)) - w) <= 1e-15 * angle


@pytest.mark.parametrize("angle", [*ANGLES, 4.0, 6.0, 2 * np.pi, 20.0])
def test_exp_undoes_log(angle):
    for w in rotation_vectors(angle):
        R = mm.so3.exp(w)
        np.testing.assert_allclose(mm.so3.exp(mm.so3.log(R)), R, rtol=0, atol=2e-15)


def test_exp_undoes_log_of_random_rotations():
    for R in Rotation.random(200, random_state=4).as_matrix():
        np.testing.assert_allclose(mm.so3.exp(mm.so3.log(R)), R, rtol=0, atol=2e-15)


def test_log_of_the_identity_is_zero():
    np.testing.assert_array_equal(mm.so3.log(np.eye(3)), np.zeros(3))


@pytest.mark.parametrize("axis", range(3))
def test_log_of_a_half_turn_about_a_coordinate_axis(axis):
    half_turn = -np.eye(3)
    half_turn[axis, axis] = 1
    np.testing.assert_array_equal(np.abs(mm.so3.log(half_turn)), np.pi * np.eye(3)[axis])


def test_log_of_half_turns_about_any_axis():
    for a in [*rotation_vectors(1.0, 200), np.array([1e-9, 1, 0]), np.array([1, 1e-9, -1e-9])]:
        half_turn = 2 * np.outer(a, a) - np.eye(3)
        w = mm.so3.log(half_turn)
        np.testing.assert_allclose(np.abs(w @ a), np.pi, rtol=1e-15)
        np.testing.assert_allclose(np.cross(w, a), 0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("angle", [np.pi + 1e-9, 4.0, 6.0])
def test_log_takes_the_short_way_round(angle):
    for w in rotation_vectors(angle):
        np.testing.assert_allclose(mm.so3.log(mm.so3.exp(w)), w * (1 - 2 * np.pi / angle), rtol=0, atol=2e-15)


@pytest.mark.parametrize("error", [1e-12, 1e-9])
def test_log_of_an_inexact_rotation_is_as_near_as_the_rotation(error):
    rng = np.random.default_rng(5)
    for w in rotation_vectors(1.2):
        noisy = mm.so3.exp(w) + error * rng.uniform(-1, 1, (3, 3))
        np.testing.assert_allclose(mm.so3.log(noisy), w, rtol=0, atol=5 * error)


# --- the Jacobian, and complex-step derivatives -------------------------------------------------------------------


@pytest.mark.parametrize("angle", [*ANGLES, 5.0])
def test_jacobian_is_the_derivative_of_exp(angle):
    for w in rotation_vectors(angle, 4):
        R, S = mm.so3.exp(w), mm.so3.jacobian(w)
        for d in directions(2):
            dR = mm.so3.exp(w + 1j * STEP * d).imag / STEP
            np.testing.assert_allclose(dR, R @ mm.so3.hat(S @ d), rtol=0, atol=4e-15)


@pytest.mark.parametrize("angle", ANGLES)
def test_derivative_of_log_is_the_inverse_jacobian(angle):
    for w in rotation_vectors(angle, 4):
        R = mm.so3.exp(w)
        S = mm.so3.jacobian(mm.so3.log(R))
        for d in directions(2):
            dw = mm.so3.log(R + 1j * STEP * R @ mm.so3.hat(d)).imag / STEP
            np.testing.assert_allclose(dw, np.linalg.solve(S, d), rtol=0, atol=1e-14)


@pytest.mark.parametrize("angle", BELOW_PI)
def test_derivative_of_log_undoes_that_of_exp(angle):
    for w in rotation_vectors(angle, 4):
        for d in directions(2):
            back = mm.so3.log(mm.so3.exp(w + 1j * STEP * d)).imag / STEP
            np.testing.assert_allclose(back, d, rtol=0, atol=4e-15)


def test_derivative_of_the_jacobian_by_complex_step_agrees_with_differences():
    w, d = np.array([0.4, -0.9, 0.7]), np.array([0.3, 0.5, -1.0])
    exact = mm.so3.jacobian(w + 1j * STEP * d).imag / STEP
    rough = (mm.so3.jacobian(w + 1e-5 * d) - mm.so3.jacobian(w - 1e-5 * d)) / 2e-5
    np.testing.assert_allclose(exact, rough, rtol=0, atol=1e-10)


def test_jacobian_at_zero_is_the_identity_with_slope_minus_half_hat():
    d = directions(1)[0]
    np.testing.assert_array_equal(mm.so3.jacobian(np.zeros(3)), np.eye(3))
    np.testing.assert_allclose(mm.so3.jacobian(1j * STEP * d).imag / STEP, -mm.so3.hat(d) / 2, rtol=0, atol=1e-15)


# --- the coefficients ---------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c", "db", "dc", "k")


def coefficients(x):
    """(a, b, c, b', c', -b'/b) of the squared angle x, by the package."""
    a, b, c = angle_coefficients(x)
    return a, b, c, *angle_slopes(x, a, b, c), log_coefficient(x)


def polynomial(x, terms):
    """Value and slope of a power series, lowest term first."""
    value = slope = Decimal(0)
    for term in reversed(terms):
        value, slope = value * x + term, slope * x + value
    return value, slope


def exact_coefficients(x):
    """The same as pairs (value, slope), from sum (-x)^j/(2 j + k)!, k = 1, 2, 3, in the precision of the context."""
    series = [[Decimal((-1) ** j) / factorial(2 * j + k) for j in range(80)] for k in (1, 2, 3)]
    a, b, c = (polynomial(x, terms) for terms in series)
    db, dc = (polynomial(x, [j * term for j, term in enumerate(terms)][1:]) for terms in series[1:])
    k = (-db[0] / b[0], (db[0] * b[1] - db[1] * b[0]) / b[0] ** 2)
    return a, b, c, db, dc, k


def relative_errors(x):
    """Error of each coefficient over |f| + |x f'|, so that 1 unit of rounding is what the rounding of x alone makes."""
    with localcontext() as context:
        context.prec = 80
        exact = exact_coefficients(Decimal(float(x)))
        pairs = zip(coefficients(float(x)), exact, strict=True)
        return [
            float(abs(Decimal(float(f)) - g) / (abs(g) + abs(Decimal(float(x)) * slope))) for f, (g, slope) in pairs
        ]


@pytest.mark.parametrize("x", [0.0, 5e-324, 1e-300, 1e-160, 1e-16, 1e-8, 1e-4])
def test_coefficients_of_tiny_angles(x):
    assert max(relative_errors(x)) <= EPS


def test_coefficients_by_series():
    worst = np.max([relative_errors(x) for x in np.linspace(0, np.nextafter(SERIES_BELOW, 0), 60)], axis=0)
    assert (worst <= 2 * EPS).all(), dict(zip(NAMES, worst, strict=True))


@pytest.mark.parametrize(("low", "high"), [(SERIES_BELOW, 6.0), (6.0, np.pi**2), (np.pi**2, 35.0), (35.0, 39.4784)])
def test_coefficients_by_closed_forms(low, high):
    """Up to the full turn, where b has its zero: there the error stays within what a rounded angle makes of b."""
    allowed = {"a": 2 * EPS, "b": 2 * EPS, "c": 4 * EPS, "db": 16 * EPS, "dc": 64 * EPS, "k": 16 * EPS}
    worst = np.max([relative_errors(x) for x in np.linspace(low, high, 60)], axis=0)
    assert (worst <= list(allowed.values())).all(), dict(zip(NAMES, worst, strict=True))


def test_series_and_closed_forms_meet():
    """No step in value or slope where one gives way to the other."""
    below, above = float(np.nextafter(SERIES_BELOW, 0)), float(np.nextafter(SERIES_BELOW, 9))
    assert angle_coefficients(below) != angle_coefficients(above)
    np.testing.assert_allclose(coefficients(below), coefficients(above), rtol=2e-14)
    slopes = [np.imag(coefficients(x + 1j * STEP)) / STEP for x in (below, above)]
    np.testing.assert_allclose(*slopes, rtol=1e-13)


def test_exp_log_and_jacobian_have_no_step_where_the_formulas_change():
    for w in rotation_vectors(1.0, 4):
        below, above = w * np.nextafter(SWITCH, 0) * (1 - EPS), w * SWITCH * (1 + 2 * EPS)
        for function in (mm.so3.exp, mm.so3.jacobian):
            np.testing.assert_allclose(function(below), function(above), rtol=0, atol=4e-15)


@pytest.mark.parametrize("x", [1e-300, 1e-4, 0.5, 1.9999, 2.0001, 5.0, 9.0, 20.0])
def test_slopes_are_the_complex_step_derivatives_of_the_coefficients(x):
    _, b, c, db, dc, _ = coefficients(x + 1j * STEP)
    np.testing.assert_allclose((b.imag / STEP, c.imag / STEP), (db.real, dc.real), rtol=2e-14)


# --- other numbers than float64 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 1e-4, 1.0, SWITCH, 3.0])
def test_single_precision_keeps_its_seven_digits(angle):
    for w in rotation_vectors(angle, 4):
        R = mm.so3.exp(w.astype(np.float32))
        np.testing.assert_allclose(R, mm.so3.exp(w), rtol=0, atol=5e-7)
        np.testing.assert_allclose(mm.so3.log(R.astype(np.float32)), w, rtol=0, atol=2e-6)
        np.testing.assert_allclose(mm.so3.jacobian(w.astype(np.float32)), mm.so3.jacobian(w), rtol=0, atol=5e-7)


def test_lists_and_integers_are_taken_as_numbers():
    np.testing.assert_array_equal(mm.so3.exp([0, 0, 1]), mm.so3.exp(np.array([0.0, 0.0, 1.0])))
    quarter_turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    np.testing.assert_allclose(mm.so3.log(quarter_turn), (0, 0, np.pi / 2), rtol=1e-15)
    np.testing.assert_array_equal(mm.so3.hat([1, 2, 3]), mm.so3.hat((1.0, 2.0, 3.0)))


def test_strided_and_fortran_ordered_arrays_are_read_right():
    w = np.array([0.1, 9, 0.2, 9, 0.3, 9])
    R = mm.so3.exp(w[::2])
    np.testing.assert_array_equal(R, mm.so3.exp(w[::2].copy()))
    np.testing.assert_array_equal(mm.so3.log(np.asfortranarray(R)), mm.so3.log(R))
