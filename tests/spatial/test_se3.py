"""Rigid motions: exp, log, hat, vee, Ad, ad and Gamma against independent sources, at every kind of angle and distance.

Measured: log(exp(phi)) returns omega to 4e-16 and v to 8e-16 of their own lengths, for angles up to pi - 1e-15 and
lengths of v from 1e-150 to 1e150; the derivatives of exp and log undo each other to 2e-15.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import myomass as mm
from myomass.spatial.se3 import Ad_inverse_twist, Ad_twist, ad_twist, compose, invert
from myomass.spatial.so3 import SERIES_BELOW

pytestmark = pytest.mark.fast
REDMAX = json.loads((Path(__file__).parents[1] / "fixtures" / "redmax_se3.json").read_text())["se3"]
SWITCH = np.sqrt(SERIES_BELOW)
BELOW_PI = [1e-300, 1e-160, 1e-12, 1e-8, 1e-4, 1.0, SWITCH - 1e-15, SWITCH + 1e-15, 3.0, np.pi - 1e-9, np.pi - 1e-15]
ANGLES = [0.0, *BELOW_PI, np.pi]
STEP = 1e-30  # of complex-step derivatives


def unit_vectors(seed, n):
    v = np.random.default_rng(seed).normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1)[:, None]


def twists(angle, length=1.0, n=10):
    """Twists [omega; v] with |omega| = angle and |v| = length; coordinate axes among the directions of omega."""
    axes = np.vstack([np.eye(3), unit_vectors(1, n)])
    return np.hstack([angle * axes, length * unit_vectors(2, n + 3)])


def poses(n=6):
    return [mm.se3.exp(phi) for phi in np.random.default_rng(3).normal(size=(n, 6))]


# --- hat and vee --------------------------------------------------------------------------------------------------


def test_vee_undoes_hat():
    phi = twists(1.3)[4]
    np.testing.assert_array_equal(mm.se3.vee(mm.se3.hat(phi)), phi)


def test_hat_gives_the_velocity_of_points():
    phi, x = twists(1.3)[4], np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(mm.se3.hat(phi) @ [*x, 1], [*(np.cross(phi[:3], x) + phi[3:]), 0], rtol=0, atol=1e-15)


# --- exp and log --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [*ANGLES, 4.0, 6.0, 2 * np.pi])
def test_exp_is_the_matrix_exponential(angle):
    for phi in twists(angle, n=4):
        np.testing.assert_allclose(mm.se3.exp(phi), expm(mm.se3.hat(phi)), rtol=0, atol=2e-13)  # expm itself: 6e-14


@pytest.mark.parametrize("angle", BELOW_PI)
def test_log_undoes_exp_below_pi(angle):
    for phi in twists(angle):
        back = mm.se3.log(mm.se3.exp(phi))
        assert np.linalg.norm(back[:3] - phi[:3]) <= 1e-15 * angle
        assert np.linalg.norm(back[3:] - phi[3:]) <= 4e-15


@pytest.mark.parametrize("angle", [*ANGLES, 4.0, 6.0, 2 * np.pi, 20.0])
def test_exp_undoes_log(angle):
    for phi in twists(angle):
        E = mm.se3.exp(phi)
        np.testing.assert_allclose(mm.se3.exp(mm.se3.log(E)), E, rtol=0, atol=4e-15)


def test_exp_undoes_log_of_exact_half_turns():
    for a in [*np.eye(3), *unit_vectors(4, 50)]:
        E = mm.se3.pose(2 * np.outer(a, a) - np.eye(3), (0.3, -2.0, 0.7))
        np.testing.assert_allclose(mm.se3.exp(mm.se3.log(E)), E, rtol=0, atol=4e-15)


@pytest.mark.parametrize("length", [1e-150, 1e-12, 1e12, 1e150])
@pytest.mark.parametrize("angle", [0.0, 1e-160, 1e-8, 1.0, SWITCH, 3.0, np.pi - 1e-9])
def test_tiny_and_huge_translations_keep_their_digits(angle, length):
    for phi in twists(angle, length, n=4):
        E = mm.se3.exp(phi)
        of_unit_length = mm.se3.exp(np.concatenate([phi[:3], phi[3:] / length]))
        np.testing.assert_allclose(E[:3, 3] / length, of_unit_length[:3, 3], rtol=0, atol=1e-15)
        np.testing.assert_allclose(mm.se3.log(E)[3:] / length, phi[3:] / length, rtol=0, atol=4e-15)


def test_a_tiny_turn_of_a_huge_translation_is_seen():
    """The turn of 1e-9 about x lifts the end of 1e9 along y by half of 1e-9 1e9, to first order."""
    E = mm.se3.exp([1e-9, 0, 0, 0, 1e9, 0])
    np.testing.assert_allclose(E[:3, 3], (0, 1e9, 0.5), rtol=1e-15)


def test_exp_of_a_pure_translation_is_that_translation():
    np.testing.assert_array_equal(mm.se3.exp([0, 0, 0, 1, 2, 3]), mm.translation(1, 2, 3))


def test_exp_of_opposite_twists_are_inverse():
    for phi in twists(2.0):
        np.testing.assert_allclose(mm.se3.exp(-phi), mm.se3.inverse(mm.se3.exp(phi)), rtol=0, atol=4e-15)


# --- derivatives by complex step ----------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 1e-160, 1e-8, 1.0, SWITCH, 3.0, np.pi - 1e-9, 5.0])
def test_the_angular_part_of_the_derivative_of_exp_is_the_jacobian_of_so3(angle):
    d = np.array([0.3, -0.5, 0.8, 0, 0, 0])
    for phi in twists(angle, n=4):
        E = mm.se3.exp(phi)
        dE = mm.se3.exp(phi + 1j * STEP * d).imag / STEP
        rate = mm.se3.vee(mm.se3.inverse(E) @ dE)
        np.testing.assert_allclose(rate[:3], mm.so3.jacobian(phi[:3]) @ d[:3], rtol=0, atol=4e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-8, 1.0, 3.0, 5.0])
def test_derivative_of_exp_is_the_integral_of_ad(angle):
    """E^-1 dE = [sum (-ad phi)^k/(k+1)! d], the series of the left-trivialised differential."""
    d = np.random.default_rng(5).normal(size=6)
    for phi in twists(angle, n=4):
        term = total = d
        for k in range(1, 60):
            term = -mm.se3.ad(phi) @ term / (k + 1)
            total = total + term
        dE = mm.se3.exp(phi + 1j * STEP * d).imag / STEP
        np.testing.assert_allclose(mm.se3.vee(mm.se3.inverse(mm.se3.exp(phi)) @ dE), total, rtol=0, atol=2e-13)


@pytest.mark.parametrize("angle", [0.0, *BELOW_PI])
def test_derivative_of_log_undoes_that_of_exp(angle):
    for phi in twists(angle, n=4):
        for d in np.random.default_rng(6).normal(size=(2, 6)):
            back = mm.se3.log(mm.se3.exp(phi + 1j * STEP * d)).imag / STEP
            np.testing.assert_allclose(back, d, rtol=0, atol=1e-14)


# --- Ad, ad, Gamma ------------------------------------------------------------------------------------------------


def test_Ad_of_a_product_is_the_product():
    E1, E2 = poses(2)
    np.testing.assert_allclose(mm.se3.Ad(E1 @ E2), mm.se3.Ad(E1) @ mm.se3.Ad(E2), rtol=0, atol=2e-15)


def test_Ad_of_the_inverse_is_the_inverse():
    for E in poses():
        np.testing.assert_allclose(mm.se3.Ad(mm.se3.inverse(E)) @ mm.se3.Ad(E), np.eye(6), rtol=0, atol=4e-15)


def test_Ad_moves_twists_as_conjugation_does():
    phi = twists(1.3)[4]
    for E in poses():
        moved = E @ mm.se3.hat(phi) @ mm.se3.inverse(E)
        np.testing.assert_allclose(mm.se3.hat(mm.se3.Ad(E) @ phi), moved, rtol=0, atol=4e-15)


def test_Ad_of_exp_is_exp_of_ad():
    for phi in twists(1.7, n=4):
        np.testing.assert_allclose(mm.se3.Ad(mm.se3.exp(phi)), expm(mm.se3.ad(phi)), rtol=0, atol=2e-14)


def test_rate_of_Ad_is_Ad_times_ad():
    phi = twists(1.3)[4]
    for E in poses():
        rate = mm.se3.Ad(E @ mm.se3.exp(1j * STEP * phi)).imag / STEP
        np.testing.assert_allclose(rate, mm.se3.Ad(E) @ mm.se3.ad(phi), rtol=0, atol=4e-15)


def test_ad_is_the_commutator():
    a, b = twists(1.3)[3:5]
    A, B = mm.se3.hat(a), mm.se3.hat(b)
    np.testing.assert_allclose(mm.se3.hat(mm.se3.ad(a) @ b), A @ B - B @ A, rtol=0, atol=1e-15)


def test_ad_is_antisymmetric_in_its_two_twists():
    a, b = twists(1.3)[3:5]
    np.testing.assert_allclose(mm.se3.ad(a) @ b, -mm.se3.ad(b) @ a, rtol=0, atol=1e-15)
    np.testing.assert_allclose(mm.se3.ad(a) @ a, np.zeros(6), rtol=0, atol=1e-16)


def test_ad_satisfies_the_jacobi_identity():
    a, b, c = twists(1.3)[3:6]
    ad = mm.se3.ad
    total = ad(a) @ ad(b) @ c + ad(b) @ ad(c) @ a + ad(c) @ ad(a) @ b
    np.testing.assert_allclose(total, np.zeros(6), rtol=0, atol=2e-15)


def test_Gamma_gives_the_velocity_of_a_point_in_body_axes():
    phi, x = twists(1.3)[4], np.array([0.3, -0.2, 0.5])
    for E in poses():
        velocity = ((E @ mm.se3.exp(1j * STEP * phi)) @ [*x, 1]).imag[:3] / STEP
        np.testing.assert_allclose(E[:3, :3] @ mm.se3.Gamma(x) @ phi, velocity, rtol=0, atol=2e-15)


def test_Gamma_transposed_gives_the_wrench_of_a_force():
    f, x = np.array([1.0, 2.0, -1.0]), np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(mm.se3.Gamma(x).T @ f, [*np.cross(x, f), *f], rtol=0, atol=1e-15)


def test_kernels_on_pairs_do_what_the_matrices_do():
    """Poses as (R, p) and twists as (w, v), the form that kernels work in."""
    phi, psi = twists(1.3)[3:5]
    for E, F in zip(poses(), poses()[::-1], strict=True):
        pair, other = mm.se3.split(E), mm.se3.split(F)
        a, b = (tuple(phi[:3]), tuple(phi[3:])), (tuple(psi[:3]), tuple(psi[3:]))
        results = {
            "Ad": (np.concatenate(Ad_twist(*pair, *a)), mm.se3.Ad(E) @ phi),
            "Ad inverse": (np.concatenate(Ad_inverse_twist(*pair, *a)), mm.se3.Ad(mm.se3.inverse(E)) @ phi),
            "ad": (np.concatenate(ad_twist(*a, *b)), mm.se3.ad(phi) @ psi),
            "compose": (mm.se3.pose(*compose(*pair, *other)), E @ F),
            "invert": (mm.se3.pose(*invert(*pair)), mm.se3.inverse(E)),
        }
        for name, (found, expected) in results.items():
            np.testing.assert_allclose(found, expected, rtol=0, atol=4e-15, err_msg=name)


# --- poses --------------------------------------------------------------------------------------------------------


def test_inverse_undoes_a_pose():
    for E in poses():
        np.testing.assert_allclose(mm.se3.inverse(E) @ E, np.eye(4), rtol=0, atol=4e-15)


def test_rotation_turns_about_its_axis_whatever_its_length():
    np.testing.assert_allclose(mm.rotation((0, 0, 5), np.pi / 2) @ [1, 0, 0, 1], [0, 1, 0, 1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(mm.rotation((0, 1e-9, 0), 0.3), mm.rotation((0, 1, 0), 0.3), rtol=0, atol=1e-15)


@pytest.mark.parametrize("axis", [(0, 0, 0), (np.nan, 0, 1), (np.inf, 0, 0), (1, 0), 3.0])
def test_rotation_about_no_axis_is_refused(axis):
    with pytest.raises(ValueError, match="rotation: the axis must be three finite numbers, not all zero"):
        mm.rotation(axis, 1.0)


def test_lists_and_integers_are_taken_as_numbers():
    np.testing.assert_array_equal(mm.se3.exp([0, 0, 1, 1, 2, 3]), mm.se3.exp(np.array([0, 0, 1.0, 1, 2, 3])))
    np.testing.assert_array_equal(mm.se3.log(np.eye(4, dtype=int)), np.zeros(6))
    np.testing.assert_array_equal(mm.se3.Ad(np.eye(4, dtype=int).tolist()), np.eye(6))


def test_fortran_ordered_poses_are_read_right():
    E = poses(1)[0]
    np.testing.assert_array_equal(mm.se3.log(np.asfortranarray(E)), mm.se3.log(E))


def test_single_precision_keeps_its_seven_digits():
    for phi in twists(2.0):
        E = mm.se3.exp(phi.astype(np.float32))
        np.testing.assert_allclose(E, mm.se3.exp(phi), rtol=0, atol=1e-6)
        np.testing.assert_allclose(mm.se3.log(E.astype(np.float32)), phi, rtol=0, atol=2e-6)


# --- the public MATLAB RedMax -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", REDMAX)
def test_redmax_agrees(case):
    phi, E = np.array(case["phi"]), np.array(case["exp"])
    np.testing.assert_allclose(mm.se3.exp(phi), E, rtol=0, atol=1e-15)
    np.testing.assert_allclose(mm.se3.log(E), case["log_of_exp"], rtol=0, atol=1e-14)  # theirs is 7e-15 from phi
    np.testing.assert_allclose(mm.se3.log(E), phi, rtol=0, atol=2e-15)
    np.testing.assert_allclose(mm.se3.Ad(E), case["Ad"], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(mm.se3.ad(phi), case["ad"])
    np.testing.assert_allclose(mm.se3.Ad(E) @ mm.se3.ad(phi), case["Addot"], rtol=0, atol=2e-15)
