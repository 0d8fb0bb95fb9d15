"""Meshes of tetrahedra: boxes, surfaces, and a sentence for each thing that can be wrong."""

import numpy as np
import pytest

import myomass as mm

pytestmark = pytest.mark.fast
TetMesh = mm.deformables.TetMesh
CORNER = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (5, 5, 5)])


def enclosed(mesh):
    """Volume within the surface of a mesh, by the divergence theorem [m^3]."""
    a, b, c = (mesh.nodes[mesh.surface[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


@pytest.mark.parametrize("divisions", [(1, 1, 1), (3, 2, 1), (2, 5, 4)])
def test_box(divisions):
    size = np.array([2.0, 1.0, 0.5])
    mesh = TetMesh.box(size, divisions)
    nx, ny, nz = divisions
    assert len(mesh.nodes) == (nx + 1) * (ny + 1) * (nz + 1)
    assert len(mesh.tets) == 6 * nx * ny * nz
    assert len(mesh.surface) == 4 * (nx * ny + ny * nz + nz * nx)  # conforming: nothing inside is left unshared
    np.testing.assert_allclose([mesh.volume, enclosed(mesh)], 1.0, rtol=1e-14)
    np.testing.assert_allclose([mesh.nodes.min(axis=0), mesh.nodes.max(axis=0)], [-size / 2, size / 2])
    inside = [set(mesh.surface[f]) <= set(mesh.tets[mesh.behind[f]]) for f in range(len(mesh.surface))]
    assert all(inside)
    assert repr(mesh) == f"TetMesh({len(mesh.nodes)} nodes, {len(mesh.tets)} tetrahedra, 1 m^3)"


def test_gradients_of_shape_functions():
    mesh = TetMesh.box((1, 1, 1), (2, 2, 2))
    x = mesh.nodes[mesh.tets]
    np.testing.assert_allclose(np.einsum("eai,eaj->eij", x, mesh.gradients), np.tile(np.eye(3), (48, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(mesh.gradients.sum(axis=1), 0.0, atol=1e-14)


def test_a_mesh_does_not_change():
    nodes = CORNER[:4].copy()
    mesh = TetMesh(nodes, [(0, 1, 2, 3)])
    nodes[0] = 9.0
    assert mesh.nodes[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        mesh.nodes[0] = 1.0


@pytest.mark.parametrize(
    ("nodes", "tets", "told"),
    [
        (CORNER[:4], [(0, 1, 2)], "the tetrahedra must be whole numbers of shape \\(n, 4\\)"),
        (CORNER[:4], [(0.0, 1, 2, 3)], "the tetrahedra must be whole numbers"),
        (CORNER[:4], [], "the tetrahedra must be whole numbers"),
        (CORNER[:4, :2], [(0, 1, 2, 3)], "the nodes \\[m\\] must be finite numbers of shape \\(n, 3\\)"),
        (np.where(CORNER[:4] == 1, np.nan, CORNER[:4]), [(0, 1, 2, 3)], "at \\[1, 0\\] it is nan"),
        (CORNER[:4], [(0, 1, 2, 4)], "tetrahedron 0 has vertex 4; there are vertices 0 to 3"),
        (CORNER[:4], [(0, 1, 2, -1)], "tetrahedron 0 has vertex -1"),
        (CORNER[:4], [(0, 1, 2, 2)], "tetrahedron 0 has vertex 2 twice"),
        (CORNER[:5], [(0, 1, 2, 3)], "vertex 4 belongs to no tetrahedron; leave it out"),
        (CORNER[[0, 1, 2, 3, 4, 1]], [(0, 1, 2, 3), (5, 2, 3, 4)], "vertices 1 and 5 are in the same place"),
        (CORNER[:4], [(0, 2, 1, 3)], "tetrahedron 0 is inverted: its volume is -0.167 m\\^3; swap two"),
        (CORNER[[0, 1, 2, 3, 4]] * (1, 1, 0) + (0, 0, 1), [(0, 1, 2, 4)], "vertex 3 belongs to no"),
        ([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 1, 2, 3)], "tetrahedron 0 is flat: its vertices \\[0, 1"),
        (CORNER[:5], [(0, 1, 2, 3), (4, 1, 3, 2), (1, 2, 3, 4)], "tetrahedra 1 and 2 have the same vertices"),
        (np.vstack([CORNER[:5], [(2, 2, 2)]]), [(0, 1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 5)],
         "the triangle of vertices \\[1, 2, 3\\] belongs to 3 tetrahedra, 0, 1, 2; two can share one"),
        (np.vstack([CORNER[:4], CORNER[:4] + 3]), [(0, 1, 2, 3), (4, 5, 6, 7)],
         "tetrahedron 1 is not connected to tetrahedron 0 by triangles that they share; there are 2 separate pieces"),
    ],
)  # fmt: skip
def test_what_can_be_wrong(nodes, tets, told):
    with pytest.raises(ValueError, match=told):
        TetMesh(nodes, tets)


@pytest.mark.parametrize(
    ("size", "divisions", "told"),
    [
        ((1, 1), (1, 1, 1), "`size` must be three numbers"),
        ((1, 1, 0), (1, 1, 1), "box: the side along z \\[m\\] must be finite and positive"),
        ((1, 1, 1), (1, 0, 1), "`divisions` along y must be a whole number, 1 or more, and is 0"),
        ((1, 1, 1), (1, 1.5, 1), "`divisions` along y must be a whole number, 1 or more, and is 1.5"),
    ],
)
def test_boxes_that_cannot_be(size, divisions, told):
    with pytest.raises(ValueError, match=told):
        TetMesh.box(size, divisions)
