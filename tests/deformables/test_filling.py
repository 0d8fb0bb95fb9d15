"""Closed surfaces filled with tetrahedra, and the distance from them."""

import numpy as np
import pytest

import myomass as mm
from myomass.deformables.surface_distance import SurfaceDistance

TetMesh = mm.deformables.TetMesh


def ball(radius=1.0):
    return lambda x: np.linalg.norm(x, axis=1) - radius


def dihedral_angles(mesh):
    """All of them [degrees]."""
    x, found = mesh.nodes[mesh.tets], []
    for i, j, k, m in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2), (2, 3, 0, 1)):
        u, v = (np.cross(x[:, j] - x[:, i], x[:, at] - x[:, i]) for at in (k, m))
        found.append(np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ij,ij->i", u, v)))
    return np.degrees(np.concatenate(found))


@pytest.mark.parametrize("spacing", [0.5, 0.23])
def test_a_ball(spacing):
    mesh = TetMesh.fill_distance(ball(), (-1, -1, -1), (1, 1, 1), spacing)
    outer = np.unique(mesh.surface)
    np.testing.assert_allclose(np.linalg.norm(mesh.nodes[outer], axis=1), 1.0, atol=1e-7)
    assert len(outer) - len(mesh.surface) * 3 // 2 + len(mesh.surface) == 2  # Euler: a sphere
    exact = 4 / 3 * np.pi
    assert 0 < exact - mesh.volume < 0.3 * spacing**2 * exact
    angles = dihedral_angles(mesh)
    assert angles.min() > 12
    assert angles.max() < 160


def test_any_position_of_the_lattice_gives_good_tetrahedra():
    rng = np.random.default_rng(0)
    for _ in range(20):
        normal, middle = rng.normal(size=3), rng.normal(size=3)
        normal /= np.linalg.norm(normal)

        def lens(x, normal=normal, middle=middle):
            return np.linalg.norm(x - middle, axis=1) + np.abs((x - middle) @ normal) - 2.0

        mesh = TetMesh.fill_distance(lens, middle - 2, middle + 2, 0.45)
        angles = dihedral_angles(mesh)
        assert angles.min() > 8
        assert angles.max() < 165


def test_a_surface_of_triangles_is_filled_like_its_function():
    """The surface of a finely filled ball, filled coarsely; a torus keeps its hole."""
    fine = TetMesh.fill_distance(ball(), (-1, -1, -1), (1, 1, 1), 0.15)
    vertices, faces = np.unique(fine.surface, return_inverse=True)
    mesh = TetMesh.fill(fine.nodes[vertices], faces.reshape(-1, 3), 0.4)
    radii = np.linalg.norm(mesh.nodes[np.unique(mesh.surface)], axis=1)
    assert 0.985 < radii.min() <= radii.max() < 1 + 1e-12

    def torus(x):
        return np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1.0, x[:, 2]) - 0.4

    ring = TetMesh.fill_distance(torus, (-1.4, -1.4, -0.4), (1.4, 1.4, 0.4), 0.2)
    corners = len(np.unique(ring.surface))
    assert corners - len(ring.surface) * 3 // 2 + len(ring.surface) == 0  # Euler: a torus


def test_what_reaches_out_of_the_box_is_cut_off():
    mesh = TetMesh.fill_distance(lambda x: x[:, 0] - 0.3, (-1, -1, -1), (1, 1, 1), 0.25)
    assert mesh.nodes.min() > -1 - 1e-6
    assert mesh.nodes.max(axis=0) == pytest.approx((0.3, 1, 1), abs=1e-6)
    np.testing.assert_allclose(mesh.volume, 1.3 * 4, rtol=0.03)


@pytest.mark.fast
def test_distance_from_a_box_inside_and_outside():
    """Faces, edges and corners: against the closed form."""
    size = np.array([1.0, 0.6, 0.4])
    mesh = TetMesh.box(size, (3, 2, 2))
    places = np.random.default_rng(0).uniform(-1, 1, (400, 3))
    beyond = np.abs(places) - size / 2
    exact = np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0)
    vertices, faces = np.unique(mesh.surface, return_inverse=True)
    distance = SurfaceDistance(mesh.nodes[vertices], faces.reshape(-1, 3))
    np.testing.assert_allclose(distance(places), exact, atol=1e-14)


BOX = TetMesh.box((1, 1, 1), (1, 1, 1))


@pytest.mark.fast
@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: TetMesh.fill(BOX.nodes, BOX.surface[1:], 0.3), "the edge between vertices . and . is not shared"),
        (lambda: TetMesh.fill(BOX.nodes, BOX.surface[:, ::-1], 0.3), "its volume is negative: the faces turn inwards"),
        (lambda: TetMesh.fill(BOX.nodes, BOX.surface + 1, 0.3), "a face names vertex 8; there are 8 vertices"),
        (lambda: TetMesh.fill(BOX.nodes * np.nan, BOX.surface, 0.3), "surface: the vertices .* it is nan"),
        (lambda: TetMesh.fill(BOX.nodes, BOX.surface, 0.0), "spacing \\[m\\] must be finite and positive, and is 0"),
        (lambda: TetMesh.fill(BOX.nodes, BOX.surface, 1e-4), "asks for more than 20000000 places; take a larger one"),
        (lambda: TetMesh.fill_distance(ball(0.01), (0.1, 0.1, 0.1), (1, 1, 1), 0.5), "no place of a lattice .* inside"),
        (lambda: TetMesh.fill_distance(ball(), (0, 0, 0), (0, 1, 1), 0.5), "`upper` must exceed `lower`"),
        (lambda: TetMesh.fill_distance(lambda x: x, (0, 0, 0), (1, 1, 1), 0.5), "must be as many numbers, not of"),
        (lambda: TetMesh.fill_distance(lambda x: x[:, 0] / 0 * 0, (0, 0, 0), (1, 1, 1), 0.5), "it must be finite"),
        (lambda: TetMesh.fill_distance(lambda x: np.abs(np.abs(x[:, 0]) - 1) - 0.3, (-2, -1, -1), (2, 1, 1), 0.3),
         "is not connected to tetrahedron 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_filled(call, told):
    with pytest.raises(ValueError, match=told), np.errstate(all="ignore"):
        call()
