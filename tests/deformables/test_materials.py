"""Materials: energies by principal stretches, and derivatives by complex steps, for inverted elements too."""

import numpy as np
import pytest
from soft_bodies import KINDS, TURN, along, block, deformed

import myomass as mm

pytestmark = pytest.mark.fast
SMALL = 1e2  # [N/m or N s/m] what counts as nothing beside entries at rest, up to 5e4
CASES = [(kind, name) for kind in KINDS for name in deformed(np.zeros((2, 3)))]


def of_stretches(material, s):
    """Energy of a unit of volume with these principal stretches, the last negative if it is inverted [J/m^3]."""
    mu, lam = material.lame
    if isinstance(material, mm.deformables.CoRotated):
        return mu * np.sum((s - 1) ** 2) + lam / 2 * np.sum(s - 1) ** 2
    if isinstance(material, mm.deformables.SaintVenantKirchhoff):
        E = (s**2 - 1) / 2
        return mu * np.sum(E**2) + lam / 2 * np.sum(E) ** 2
    m, v = 4 / 3 * mu, lam + 5 / 6 * mu
    a = 1 + m / v - m / (4 * v)

    def psi(s):
        square = np.sum(s**2)
        return m / 2 * (square - 3) + v / 2 * (np.prod(s) - a) ** 2 - m / 2 * np.log(square + 1)

    return psi(s) - psi(np.ones(3))


@pytest.mark.parametrize("kind", KINDS)
def test_energy_of_homogeneous_deformations(kind):
    rng = np.random.default_rng(0)
    body = block(KINDS[kind])
    for _ in range(10):
        F = rng.normal(size=(3, 3))
        s = np.linalg.svd(F, compute_uv=False)
        s[2] *= np.sign(np.linalg.det(F))
        psi = of_stretches(body.materials[0], s)
        np.testing.assert_allclose(body.energy(body.rest @ F.T + 5.0), psi * body.mesh.volume, rtol=1e-12)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_forces_and_stiffness_by_complex_steps(kind, name):
    body = block(KINDS[kind], gravity=(1, 2, 3))
    x, rng = deformed(body.rest)[name], np.random.default_rng(1)
    f, K = body.forces(x), body.stiffness(x)
    assert np.isfinite(f).all()
    assert np.isfinite(K.data).all()
    for _ in range(3):
        w = rng.normal(size=x.shape)
        np.testing.assert_allclose(along(body.energy, x, w), -np.sum(f * w), rtol=0, atol=1e-12 * np.abs(f).sum())
        slope = along(body.forces, x, w).ravel()
        np.testing.assert_allclose(K @ w.ravel(), -slope, rtol=0, atol=1e-10 * max(abs(K).max(), SMALL))
    assert abs(K - K.T).max() <= 1e-14 * abs(K).max()


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_damping_by_complex_steps(kind, name):
    """D, and K while nodes move; power is never gained."""
    body = block(KINDS[kind], stiffness_damping=0.02, mass_damping=0.3)
    x, rng = deformed(body.rest)[name], np.random.default_rng(1)
    v, w = rng.normal(size=(2, *x.shape))
    D, K = body.damping(x), body.stiffness(x, v)
    dissipated = np.sum((body.forces(x, v) - body.forces(x)) * v)
    assert dissipated < 0
    np.testing.assert_allclose(v.ravel() @ (D @ v.ravel()), -dissipated, rtol=1e-12)
    for matrix, slope in (
        (D, along(lambda v: body.forces(x, v), v, w)),
        (K, along(lambda x: body.forces(x, v), x, w)),
    ):
        error = matrix @ w.ravel() + slope.ravel()
        assert np.abs(error).max() <= 1e-10 * max(abs(matrix).max(), SMALL)
    assert abs(D - D.T).max() <= 1e-14 * abs(D).max()


@pytest.mark.parametrize("kind", KINDS)
def test_stiffness_without_what_is_negative(kind):
    """It is K where K is positive in every element, and is never negative."""
    body = block(KINDS[kind])
    for name, x in deformed(body.rest).items():
        definite = body.definite_stiffness(x)
        assert abs(definite - definite.T).max() <= 1e-13 * max(abs(definite).max(), 1.0), name
        values = np.linalg.eigvalsh(definite.toarray())
        assert values[0] >= -1e-9 * max(values[-1], 1.0), name
    K = body.stiffness(body.rest)
    assert abs(body.definite_stiffness(body.rest) - K).max() <= 1e-12 * abs(K).max()


def test_an_element_that_is_mirrored_has_the_stiffness_of_a_held_rotation():
    """Where co-rotated elements have no single rotation: finite, symmetric, and the derivative with R as it is.

    Which rotation it is hangs on rounding; so the matrix is asked for with the same arithmetic as the forces.
    """
    body = block(KINDS["CoRotated"])
    x, w = body.rest * (1, 1, -1), np.random.default_rng(0).normal(size=body.rest.shape)
    K = body.stiffness(x + 0j)
    assert np.isfinite(body.stiffness(x).data).all()
    assert abs(K - K.T).max() <= 1e-14 * abs(K).max()
    error = K @ w.ravel() + along(body.forces, x, w).ravel()
    assert np.abs(error).max() <= 1e-10 * abs(K).max()


@pytest.mark.parametrize("kind", KINDS)
def test_rigid_motions(kind):
    """No force wherever the body is and however it turns, no damping while it does; mass damping alone opposes it."""
    body = block(KINDS[kind], stiffness_damping=0.1)
    x = body.rest @ TURN.T + (1, 2, 3)
    v = np.cross((0.3, -0.2, 0.5), x) + (3, 2, 1)
    size = 1e5 * 0.2**2
    assert np.abs(body.forces(x)).max() <= 1e-12 * size
    assert np.abs(body.forces(x, v)).max() <= 1e-12 * size
    assert abs(body.energy(x)) <= 1e-15 * 1e5 * body.mesh.volume
    braked = block(KINDS[kind], mass_damping=0.7)
    np.testing.assert_allclose(braked.forces(x, v).sum(axis=0), -0.7 * braked.node_masses @ v, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_a_body_by_itself_have_neither_sum_nor_moment(kind):
    body = block(KINDS[kind], stiffness_damping=0.05)
    v = np.random.default_rng(7).normal(size=body.rest.shape)
    for name, x in deformed(body.rest).items():
        f = body.forces(x, v)
        size = 1e-12 * max(np.abs(f).sum(), 1.0)
        assert np.abs(f.sum(axis=0)).max() <= size, name
        assert np.abs(np.cross(x, f).sum(axis=0)).max() <= size, name


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((0.0, 0.3, 1.0), "CoRotated: Young's modulus \\[Pa\\] must be finite and positive, and is 0"),
        ((1.0, 0.5, 1.0), "CoRotated: Poisson's ratio must be a number above -1 and at most 0.4999, and is 0.5"),
        ((1.0, -1.0, 1.0), "Poisson's ratio must be a number above -1"),
        ((1.0, None, 1.0), "Poisson's ratio must be a number above -1"),
        ((1.0, np.nan, 1.0), "Poisson's ratio must be a number above -1"),
        ((1.0, 0.3, -2.0), "CoRotated: density \\[kg/m\\^3\\] must be finite and positive, and is -2"),
        ((np.nan, 0.3, 1.0), "Young's modulus"),
    ],
)
def test_numbers_out_of_range(numbers, told):
    with pytest.raises(ValueError, match=told):
        mm.deformables.CoRotated(*numbers)
