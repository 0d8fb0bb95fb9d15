"""The rotation nearest to a matrix: against the singular value decomposition, for inverted and collapsed ones too."""

import numpy as np
import pytest

from myomass.spatial import so3
from myomass.spatial.polar import nearest_rotation_of

pytestmark = pytest.mark.fast


def nearest(F):
    return np.array(nearest_rotation_of(tuple(map(tuple, F))))


def by_svd(F):
    """(R, singular values with the sign of det F)."""
    U, s, Vt = np.linalg.svd(F)
    signs = np.array([1.0, 1.0, np.sign(np.linalg.det(U) * np.linalg.det(Vt))])
    return U @ np.diag(signs) @ Vt, s * signs


def turn(rng):
    return so3.exp(rng.normal(size=3))


def of_singular_values(*values):
    return lambda rng: turn(rng) @ np.diag(values) @ turn(rng)


SMOOTH = {
    "any": lambda rng: rng.normal(size=(3, 3)),
    "close to a rotation": lambda rng: turn(rng) @ (np.eye(3) + 1e-9 * rng.normal(size=(3, 3))),
    "tiny or huge": lambda rng: 10 ** rng.uniform(-60, 60) * rng.normal(size=(3, 3)),
    "flat": of_singular_values(2.0, 0.4, 0.0),
    "inverted": of_singular_values(1.5, 1.0, -0.7),
    "inverted, close to a mirror": of_singular_values(1.5, 1.0, -1.0 + 1e-5),
    "all but -1": of_singular_values(1.0, 1.0 - 1e-4, -1.0 + 2e-4),
}
SINGULAR = {
    "a line": of_singular_values(2.0, 0.0, 0.0),
    "a mirror": of_singular_values(1.5, 1.0, -1.0),
    "minus a rotation": of_singular_values(1.0, 1.0, -1.0),
}


@pytest.mark.parametrize("kind", SMOOTH)
def test_it_is_that_of_singular_values_and_so_is_its_derivative(kind):
    rng = np.random.default_rng(3)
    for _ in range(30):
        F, D = SMOOTH[kind](rng), rng.normal(size=(3, 3))
        R, s = by_svd(F)
        gap = (s[1] + s[2]) / s[0]
        np.testing.assert_allclose(nearest(F), R, atol=3e-14 / gap)
        H = np.trace(R.T @ F) * np.eye(3) - 0.5 * (R.T @ F + F.T @ R)
        A = R.T @ D - D.T @ R
        exact = R @ so3.hat(np.linalg.solve(H, [A[2, 1], A[0, 2], A[1, 0]]))
        step = 1e-20 * s[0]
        slope = nearest(F + 1j * step * D).imag / step
        np.testing.assert_allclose(slope, exact, atol=1e-12 / gap * np.abs(exact).max())


@pytest.mark.parametrize("kind", SINGULAR)
def test_where_several_are_equally_near_it_is_one_of_them_and_held(kind):
    rng = np.random.default_rng(4)
    for _ in range(30):
        F, D = SINGULAR[kind](rng), rng.normal(size=(3, 3))
        R, s = nearest(F), by_svd(F)[1]
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-13)
        assert np.linalg.det(R) > 0
        np.testing.assert_allclose(np.sum(R * F), s.sum(), atol=1e-13)
        assert not nearest(F + 1e-20j * D).imag.any()


def test_of_nothing_it_is_the_identity():
    np.testing.assert_array_equal(nearest(np.zeros((3, 3))), np.eye(3))
