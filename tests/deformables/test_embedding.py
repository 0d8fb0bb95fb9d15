"""Points that ride in a mesh: their weights, motion and forces."""

import numpy as np
import pytest

import myomass as mm
from myomass.deformables.boxes import Boxes

pytestmark = pytest.mark.fast
Embedding, TetMesh = mm.deformables.Embedding, mm.deformables.TetMesh


@pytest.fixture(scope="module")
def mesh():
    return TetMesh.box((1, 0.8, 0.6), (4, 3, 3))


def scattered(mesh, count, beyond):
    """Places in the mesh's box, made larger by a factor."""
    return np.random.default_rng(0).uniform(-0.5 * beyond, 0.5 * beyond, (count, 3)) * np.ptp(mesh.nodes, axis=0)


def test_each_point_is_in_its_tetrahedron(mesh):
    points = np.vstack([scattered(mesh, 300, 1.0), mesh.nodes, mesh.nodes[mesh.tets].mean(axis=1)])
    found = Embedding(mesh, points)
    assert found.weights.min() > -1e-12
    assert not found.outside.any()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(found.places(mesh.nodes), points, atol=1e-14)


def test_points_follow_affine_motions_inside_and_outside(mesh):
    points = scattered(mesh, 300, 1.6)
    found = Embedding(mesh, points)
    A, b = np.random.default_rng(1).normal(size=(3, 3)), np.array((1.0, 2.0, 3.0))
    np.testing.assert_allclose(found.places(mesh.nodes @ A.T + b), points @ A.T + b, atol=1e-12)
    beyond = np.maximum(np.abs(points) - np.ptp(mesh.nodes, axis=0) / 2, 0)
    np.testing.assert_allclose(found.outside, np.linalg.norm(beyond, axis=1), atol=1e-14)


def test_forces_on_nodes_do_the_work_of_those_on_points(mesh):
    found = Embedding(mesh, scattered(mesh, 50, 1.2))
    rng = np.random.default_rng(2)
    v, f = rng.normal(size=mesh.nodes.shape), rng.normal(size=(50, 3))
    np.testing.assert_allclose(np.sum(found.node_forces(f) * v), np.sum(f * found.places(v)), rtol=1e-12)
    np.testing.assert_allclose(found.node_forces(f).sum(axis=0), f.sum(axis=0), atol=1e-12)
    moment = np.cross(mesh.nodes, found.node_forces(f)).sum(axis=0)
    np.testing.assert_allclose(moment, np.cross(found.points, f).sum(axis=0), atol=1e-12)


def test_complex_places(mesh):
    found = Embedding(mesh, scattered(mesh, 10, 1.0))
    w = np.random.default_rng(3).normal(size=mesh.nodes.shape)
    np.testing.assert_allclose(found.places(mesh.nodes + 1e-25j * w).imag / 1e-25, found.places(w), atol=1e-14)


def test_the_search_finds_what_trying_all_finds(mesh):
    """Nearest triangles of a random soup, and tetrahedra around points, one by one."""
    rng = np.random.default_rng(4)
    corners, points = rng.normal(size=(37, 3, 3)), rng.normal(size=(60, 3))
    vertices, faces = corners.reshape(-1, 3), np.arange(111).reshape(-1, 3)
    _, places, _ = Boxes(corners).nearest_triangles(points, vertices, faces)
    each = [Boxes(c[None]).nearest_triangles(points, c, np.array([[0, 1, 2]]))[1] for c in corners]
    least = np.linalg.norm(np.array(each) - points, axis=2).min(axis=0)
    np.testing.assert_allclose(np.linalg.norm(places - points, axis=1), least, rtol=1e-12)
    weights = np.linspace(0, 1, 6)
    for a, b, c in corners[:5]:  # no place of a triangle is nearer than the one found
        grid = np.array([a + u * (b - a) + v * (1 - u) * (c - a) for u in weights for v in weights])
        _, near, _ = Boxes(np.array([[a, b, c]])).nearest_triangles(points, np.array([a, b, c]), np.array([[0, 1, 2]]))
        gaps = np.linalg.norm(points[:, None] - grid, axis=2).min(axis=1)
        assert (np.linalg.norm(points - near, axis=1) <= gaps + 1e-12).all()


def test_what_can_be_wrong(mesh):
    with pytest.raises(ValueError, match="Embedding: the points \\[m\\] must be finite numbers of shape \\(n, 3\\)"):
        Embedding(mesh, [(1, 2)])
    with pytest.raises(ValueError, match=r"Embedding: point 1 is 0.5 m outside of the mesh, and 0.1 m are allowed"):
        Embedding(mesh, [(0, 0, 0), (1, 0, 0)], reach=0.1)
    with pytest.raises(ValueError, match="`reach` \\[m\\] must not be negative, and is -1"):
        Embedding(mesh, [(0, 0, 0)], reach=-1)
    with pytest.raises(ValueError, match="Embedding: x must be finite numbers of shape"):
        Embedding(mesh, [(0, 0, 0)]).places(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="Embedding: `mesh` must be a TetMesh"):
        Embedding(None, [(0, 0, 0)])
