"""Soft bodies: mass, weight, several materials, and what they refuse."""

import numpy as np
import pytest
from soft_bodies import KINDS, block

import myomass as mm

pytestmark = pytest.mark.fast
d = mm.deformables
MESH = d.TetMesh.box((1, 1, 1), (1, 1, 1))
FLESH = d.CoRotated(1e4, 0.4, 1000.0)


@pytest.mark.parametrize("lumped", [False, True])
def test_mass_and_centre(lumped):
    """Of a box: its total, centre and momenta of a moving body; consistent mass has its moments of inertia too."""
    body = block(d.CoRotated, lumped=lumped)
    M, X = body.mass_matrix, body.rest + (1, 2, 3)
    np.testing.assert_allclose([body.mass, body.node_masses.sum(), M.sum() / 3], 1000 * 0.24, rtol=1e-13)
    np.testing.assert_allclose(body.centre(X), (1, 2, 3), atol=1e-13)
    ones = np.tile((1.0, 0, 0), len(X))
    np.testing.assert_allclose((M @ ones).reshape(-1, 3), body.node_masses[:, None] * (1, 0, 0), atol=1e-12)
    spin = np.cross((0, 0, 1.0), body.rest).ravel()
    exact = mm.Inertia.cuboid((1, 0.6, 0.4), density=1000.0).moments[2]
    moment = spin @ (M @ spin)
    assert moment == pytest.approx(exact, rel=1e-12) if not lumped else moment > exact
    np.testing.assert_allclose(body.kinetic_energy(spin.reshape(-1, 3)), moment / 2)
    assert np.linalg.eigvalsh(M.toarray())[0] > 0


def test_weight_and_its_energy():
    body = block(d.CoRotated, gravity=(1.0, -2.0, -9.81))
    np.testing.assert_allclose(body.forces(body.rest).sum(axis=0), body.mass * np.array(body.gravity), rtol=1e-12)
    np.testing.assert_allclose(body.energy(body.rest), 0, atol=1e-20)
    up = body.rest + (0, 0, 0.3)
    np.testing.assert_allclose(body.energy(up), body.mass * 9.81 * 0.3, rtol=1e-10)
    np.testing.assert_allclose(body.elastic_energy(up), 0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_damping_at_rest_is_that_of_rayleigh(kind):
    body = block(KINDS[kind], mass_damping=0.3, stiffness_damping=0.02)
    wanted = 0.3 * body.mass_matrix + 0.02 * body.stiffness(body.rest)
    assert abs(body.damping(body.rest) - wanted).max() <= 1e-13 * abs(wanted).max()


def test_several_materials_in_one_mesh():
    """A body of two materials has the sum of the energies that its parts have in either."""
    mesh = d.TetMesh.box((1, 0.6, 0.4), (3, 2, 2))
    both = [d.CoRotated(1e5, 0.3, 1000.0), d.StableNeoHookean(3e4, 0.45, 800.0)]
    regions = (np.arange(len(mesh.tets)) % 3 == 0).astype(int)
    body = d.SoftBody(mesh, both, regions, gravity=(0, 0, 0))
    F = np.array([(1.2, 0.1, 0), (0, 0.9, 0.2), (0.1, 0, 1.1)])
    x = mesh.nodes @ F.T
    parts = [d.SoftBody(mesh, one, gravity=(0, 0, 0)).energy(x) / mesh.volume for one in both]
    shares = [mesh.volumes[regions == k].sum() for k in (0, 1)]
    np.testing.assert_allclose(body.energy(x), parts @ np.array(shares), rtol=1e-12)
    np.testing.assert_allclose(body.mass, 1000 * shares[0] + 800 * shares[1], rtol=1e-12)
    assert repr(body) == "SoftBody(36 nodes, 72 tetrahedra, CoRotated, StableNeoHookean, 224 kg)"


def test_matrices_have_one_pattern():
    body = block(d.StableNeoHookean, stiffness_damping=0.1)
    x = 1.1 * body.rest
    matrices = [body.mass_matrix, body.stiffness(x), body.stiffness(x, x), body.damping(x)]
    for matrix in matrices:
        assert matrix.has_canonical_format
        np.testing.assert_array_equal(matrix.indices, matrices[0].indices)
        np.testing.assert_array_equal(matrix.indptr, matrices[0].indptr)


class Own(d.Material):
    """A material that nobody registered."""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: d.SoftBody(MESH.nodes, FLESH), "SoftBody: `mesh` must be a TetMesh"),
        (lambda: d.SoftBody(MESH, [1e4]), "a material such as CoRotated is wanted, and 10000.0 is given"),
        (lambda: d.SoftBody(MESH, None), "a material such as CoRotated is wanted, and None is given"),
        (lambda: d.SoftBody(MESH, []), "the list of materials is empty"),
        (lambda: d.SoftBody(MESH, Own(1.0, 0.3, 1.0)), "the material Own is not registered; call mm.register\\(Own\\)"),
        (lambda: d.SoftBody(MESH, [FLESH, FLESH]), "of 2 materials `regions` must say which one each tetrahedron has"),
        (lambda: d.SoftBody(MESH, [FLESH], [0]), "`regions` must be 6 whole numbers"),
        (lambda: d.SoftBody(MESH, [FLESH], [0, 0, 0, 1, 0, 0]), "tetrahedron 3 has material 1; there are 0 to 0"),
        (lambda: d.SoftBody(MESH, FLESH, gravity=(0, 0)), "SoftBody: gravity \\[m/s\\^2\\] must be finite numbers"),
        (lambda: d.SoftBody(MESH, FLESH, mass_damping=-1.0), "mass_damping \\[1/s\\] must not be negative, and is -1"),
        (lambda: d.SoftBody(MESH, FLESH, stiffness_damping=np.nan), "stiffness_damping \\[s\\] must be a finite"),
        (lambda: d.SoftBody(MESH, FLESH).forces(np.zeros((3, 3))), "SoftBody: x must be finite numbers of shape"),
        (lambda: d.SoftBody(MESH, FLESH).energy(MESH.nodes * np.nan), "SoftBody: x must be finite numbers of shape"),
    ],
)  # fmt: skip
def test_what_can_be_wrong(call, told):
    with pytest.raises((TypeError, ValueError), match=told):
        call()
