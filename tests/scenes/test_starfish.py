"""The starfish: its shape, its skeleton, and how it crawls."""

import numpy as np
import pytest

import myomass as mm
from myomass.deformables import Embedding
from myomass.scenes import starfish, starfish_shape


class TestShape:
    def test_the_fine_surface_is_closed(self):
        """Each edge has two triangles that run along it in opposite ways, and there is no handle."""
        vertices, faces = starfish_shape.surface()
        assert 7500 < len(vertices) < 8300
        ways = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        there, back = {tuple(way) for way in ways.tolist()}, {tuple(way[::-1]) for way in ways.tolist()}
        assert len(there) == len(ways)
        assert there == back
        assert len(vertices) - len(ways) // 2 + len(faces) == 2

    def test_the_fine_surface_is_where_the_distance_vanishes(self):
        vertices, faces = starfish_shape.surface()
        assert np.abs(starfish_shape.distance(vertices)).max() < 1e-6
        a, b, c = vertices[faces].transpose(1, 0, 2)
        normals = np.cross(b - a, c - a)
        middles, outwards = (a + b + c) / 3.0, normals / np.linalg.norm(normals, axis=1)[:, None]
        assert (starfish_shape.distance(middles + 3e-4 * outwards) > starfish_shape.distance(middles)).all()

    def test_the_cage_holds_the_surface(self):
        cage = starfish_shape.cage()
        assert len(cage.nodes) == 218
        assert Embedding(cage, starfish_shape.surface()[0]).outside.max() < 1e-3

    @pytest.mark.parametrize("carry", [mm.rotation((0, 0, 1), starfish_shape.TURN)[:3, :3], np.diag([1.0, -1.0, 1.0])])
    def test_arms_and_sides_are_alike(self, carry):
        """A fifth of a turn, and a mirror, carry the tetrahedra onto each other."""
        cage = starfish_shape.cage()
        off = np.linalg.norm((cage.nodes @ carry.T)[:, None] - cage.nodes, axis=2)
        assert off.min(axis=1).max() < 1e-14
        carried = np.sort(off.argmin(axis=1)[cage.tets], axis=1)
        assert {tuple(tet) for tet in carried.tolist()} == {tuple(tet) for tet in np.sort(cage.tets, axis=1).tolist()}


def test_joints_of_the_skeleton():
    """20 joints, besides the disc's freedom; the bones' ends are where nodes of the cage are."""
    spec = mm.Spec("skeleton")
    starfish.add_skeleton(spec)
    model = spec.compile()
    assert model.nbodies == 21
    poses = mm.forward_kinematics(model, np.zeros(model.ndof))
    nodes = starfish_shape.cage().nodes
    for arm in range(5):
        for k, length in enumerate(np.diff(starfish_shape.SECTIONS)):
            E = poses[model.body(starfish.bone(arm, k))]
            for section, side in ((k, -0.5), (k + 1, 0.5)):
                end = E[:3, 3] + side * length * E[:3, 2]
                assert end == pytest.approx(nodes[starfish_shape.axis_node(arm, section)], abs=1e-15)
