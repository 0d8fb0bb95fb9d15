"""Shapes: made with sentences, taken from inertias, placed in the body's frame, and kept in files and pickles."""

import pickle

import numpy as np
import pytest
from trees import random_frame

import myomass as mm
from myomass.model.shape import KINDS, Shape

TETRAHEDRON = (
    np.array([(0.0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]),
    np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
)
FREE = mm.Free3D("TR")
RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
SOLIDS = {
    "cuboid": (mm.Inertia.cuboid((1, 2, 3), mass=1), Shape.cuboid((1, 2, 3))),
    "sphere": (mm.Inertia.sphere(0.5, mass=1), Shape.sphere(0.5)),
    "ellipsoid": (mm.Inertia.ellipsoid((1, 2, 3), mass=1), Shape.ellipsoid((1, 2, 3))),
    "cylinder": (mm.Inertia.cylinder(0.2, 1.5, mass=1), Shape.cylinder(0.2, 1.5)),
    "capsule": (mm.Inertia.capsule(0.2, 1.5, mass=1), Shape.capsule(0.2, 1.5)),
    "point": (mm.Inertia.point(1), Shape("point", (0.0, 0.0, 0.0))),
}


def one_body(inertia=None, E_jb=None, joint=None, **look):
    spec = mm.Spec("one")
    spec.add_body("body", None, joint or mm.Translational(), None, E_jb, inertia, **look)
    if inertia is None:  # what moves must have a mass
        spec.add_body("load", "body", mm.Fixed(), None, None, mm.Inertia.point(1))
    return spec.compile()


def joint_frame(q):
    """Of a free joint, in the world."""
    return mm.forward_kinematics(one_body(SOLIDS["sphere"][0], joint=FREE), q)[0]


def assert_same(found, expected):
    assert (found.kind, found.size, found.colour) == (expected.kind, expected.size, expected.colour)
    np.testing.assert_allclose(found.frame, expected.frame, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.vertices, expected.vertices)
    np.testing.assert_array_equal(found.faces, expected.faces)


class TestMade:
    def test_sizes_and_looks(self):
        E = mm.translation(1, 2, 3)
        shape = Shape.cylinder(0.1, 2, frame=E, colour=[0, 0.5, 1])
        assert (shape.kind, shape.size, shape.colour) == ("cylinder", (0.1, 0.1, 2.0), (0.0, 0.5, 1.0))
        np.testing.assert_array_equal(shape.frame, E)
        assert Shape.sphere(2).size == (2.0, 2.0, 2.0)
        assert Shape.sphere(2).colour is None
        assert mm.Shape is Shape

    def test_a_mesh_is_a_copy(self):
        vertices = TETRAHEDRON[0].copy()
        shape = Shape.mesh(vertices, TETRAHEDRON[1])
        vertices[:] = 0
        np.testing.assert_array_equal(shape.vertices, TETRAHEDRON[0])

    @pytest.mark.parametrize(
        ("make", "sentence"),
        [
            (lambda: Shape.cuboid((1, 2)), r"Shape\.cuboid: the sides \[m\] must be finite numbers of shape \(3,\)"),
            (lambda: Shape.cuboid((1, 2, 0)), r"Shape\.cuboid: each of the sides must be finite and positive"),
            (lambda: Shape.sphere(-1), r"Shape\.sphere: the radius must be finite and positive, and is -1"),
            (lambda: Shape.sphere("big"), "the radius must be a number"),
            (lambda: Shape.ellipsoid((1, np.nan, 1)), r"Shape\.ellipsoid: the semi-axes .* at \[1\] it is nan"),
            (lambda: Shape.cylinder(0, 1), r"Shape\.cylinder: each of the radius and length must be .* positive"),
            (lambda: Shape.capsule(1, np.inf), r"Shape\.capsule: the radius and length .* finite"),
            (lambda: Shape.mesh([(0, 0)], [(0, 0, 0)]), r"Shape\.mesh: the vertices must .* \(n, 3\)"),
            (lambda: Shape.mesh(TETRAHEDRON[0], [(0, 1, 4)]), "triples of whole numbers from 0 to 3"),
            (lambda: Shape.mesh(TETRAHEDRON[0], [(0, 1, -1)]), "triples of whole numbers from 0 to 3"),
            (lambda: Shape.mesh(TETRAHEDRON[0], [(0, 1, 1.5)]), "triples of whole numbers from 0 to 3"),
            (lambda: Shape.mesh(TETRAHEDRON[0], np.zeros((0, 3))), "triples of whole numbers from 0 to 3"),
            (lambda: Shape.sphere(1, colour=(0, 0, 255)), r"Shape: the colour is red, green and blue from 0 to 1, not"),
            (lambda: Shape.sphere(1, colour=(0, 1)), r"Shape: the colour must be finite numbers of shape \(3,\)"),
            (lambda: Shape.sphere(1, colour="red"), "Shape: the colour must be finite numbers"),
            (lambda: Shape.sphere(1, frame=np.eye(3)), "Shape: the frame must be a 4x4 matrix"),
            (lambda: Shape.sphere(1, frame=2 * np.eye(4)), "Shape: the frame has a rotation part that is not"),
        ],
    )
    def test_bad_ones_get_a_sentence(self, make, sentence):
        with pytest.raises(ValueError, match=sentence):
            make()

    def test_bad_looks_of_a_body(self):
        with pytest.raises(TypeError, match=r"body 'body': shapes are a list of mm\.Shape, and are \['ball'\]"):
            one_body(mm.Inertia.point(1), shapes=["ball"])
        with pytest.raises(ValueError, match="body 'body': the colour is red, green and blue from 0 to 1"):
            one_body(mm.Inertia.point(1), colour=(2, 0, 0))


class TestFromInertias:
    @pytest.mark.parametrize("kind", SOLIDS)
    def test_each_kind(self, kind):
        inertia, expected = SOLIDS[kind]
        ((shape,),) = one_body(inertia, random_frame(np.random.default_rng(1))).shapes
        assert_same(shape, expected)

    def test_all_kinds_are_tried(self):
        assert {shape.kind for _, shape in SOLIDS.values()} | {"mesh"} == set(KINDS)

    def test_a_composite_keeps_its_parts_where_they_are(self):
        rng = np.random.default_rng(2)
        inner = mm.Inertia.composite([(SOLIDS["capsule"][0], random_frame(rng)), (mm.Inertia(1, (1, 1, 1)), np.eye(4))])
        poses = random_frame(rng), random_frame(rng), random_frame(rng)
        whole = mm.Inertia.composite(
            [(SOLIDS["cuboid"][0], poses[0]), (mm.Inertia.mesh(*TETRAHEDRON, density=2), poses[1]), (inner, poses[2])]
        )
        E_jb, q = random_frame(rng), rng.normal(size=6)
        model = one_body(whole, E_jb, FREE)
        cuboid, mesh, capsule = model.shapes[0]  # the part without a shape is not drawn
        assert [cuboid.kind, mesh.kind, capsule.kind] == ["cuboid", "mesh", "capsule"]
        E_wj, E_wb = joint_frame(q), mm.forward_kinematics(model, q)[0]
        first = inner.shape[1][0][1]
        for shape, E in zip((cuboid, mesh, capsule), (poses[0], poses[1], poses[2] @ first), strict=True):
            np.testing.assert_allclose(E_wb @ shape.frame, E_wj @ E_jb @ E, rtol=0, atol=1e-12)

    def test_a_mesh_is_where_it_was_described(self):
        rng = np.random.default_rng(3)
        vertices, faces = TETRAHEDRON[0] + (5, 0, 0), TETRAHEDRON[1]
        E_jb, q = random_frame(rng), rng.normal(size=6)
        model = one_body(mm.Inertia.mesh(vertices, faces, density=1), E_jb, FREE)
        ((shape,),) = model.shapes
        assert np.linalg.norm(shape.frame[:3, 3]) > 4, "the centre of mass is the origin: nothing is tested"
        E_wj, E_wb = joint_frame(q), mm.forward_kinematics(model, q)[0]
        points = np.c_[vertices, np.ones(4)].T
        drawn = E_wb @ shape.frame @ np.c_[shape.vertices, np.ones(4)].T
        np.testing.assert_allclose(drawn, E_wj @ E_jb @ points, rtol=0, atol=1e-11)

    @pytest.mark.parametrize("moments", [(1.0, 1.1, 1.2), (1.0, 1.0, 0.3)])
    def test_moments_alone_are_drawn_as_their_cuboid(self, moments):
        ((shape,),) = one_body(mm.Inertia(2.5, moments)).shapes
        assert shape.kind == "cuboid"
        np.testing.assert_allclose(mm.Inertia.cuboid(shape.size, mass=2.5).moments, moments, rtol=1e-12)

    def test_moments_of_a_rod_and_of_nothing(self):
        ((rod,),) = one_body(mm.Inertia(3, (1, 1, 0))).shapes
        assert rod.size == pytest.approx((0.04, 0.04, 2.0))  # as thin as can be seen
        ((point,),) = one_body(mm.Inertia(3, (0, 0, 0))).shapes
        assert point.kind == "point"

    def test_a_massless_link_is_not_drawn(self):
        assert one_body(None).shapes[0] == ()


class TestGiven:
    def test_shapes_stand_in_the_frame_of_the_inertia(self):
        E, E_jb = mm.translation(0, 0, 7), random_frame(np.random.default_rng(4))
        model = one_body(mm.Inertia.mesh(*TETRAHEDRON, density=1), E_jb, shapes=[Shape.sphere(1, frame=E)])
        ((shape,),) = model.shapes
        E_wb = mm.forward_kinematics(model, np.zeros(3))[0]
        np.testing.assert_allclose(E_wb @ shape.frame, E_jb @ E, rtol=0, atol=1e-12)

    def test_on_a_massless_link(self):
        ((shape,), _) = one_body(None, shapes=[Shape.sphere(1)]).shapes
        assert_same(shape, Shape.sphere(1))

    def test_none_at_all(self):
        assert one_body(mm.Inertia.point(1), shapes=[]).shapes == ((),)

    def test_colours(self):
        own, shared = one_body(
            mm.Inertia.point(1), shapes=[Shape.sphere(1, colour=RED), Shape.sphere(2)], colour=BLUE
        ).shapes[0]
        assert (own.colour, shared.colour) == (RED, BLUE)
        assert one_body(mm.Inertia.point(1), colour=[0, 0, 0]).shapes[0][0].colour == (0.0, 0.0, 0.0)
        assert one_body(mm.Inertia.point(1)).shapes[0][0].colour is None


@pytest.fixture(scope="module")
def museum():
    """A body of each kind, among them one of several shapes, one of none, and a black one."""
    spec, rng = mm.Spec("museum"), np.random.default_rng(5)
    for name, (inertia, _) in SOLIDS.items():
        spec.add_body(
            name, None, mm.Prismatic(), random_frame(rng), random_frame(rng), inertia, colour=rng.uniform(size=3)
        )
    two = [
        Shape.mesh(*TETRAHEDRON, frame=random_frame(rng)),
        Shape.mesh(2 * TETRAHEDRON[0], TETRAHEDRON[1][:2], colour=RED),
    ]
    spec.add_body("none", None, mm.Prismatic(), None, None, mm.Inertia.point(1), shapes=[])
    spec.add_body("two", None, mm.Prismatic(), None, None, mm.Inertia.sphere(1, mass=1), shapes=two)
    spec.add_body("mesh", None, mm.Prismatic(), None, None, mm.Inertia.mesh(*TETRAHEDRON, mass=1), colour=(0, 0, 0))
    return spec.compile()


def assert_same_shapes(model, expected):
    assert [len(own) for own in model.shapes] == [len(own) for own in expected.shapes]
    for own, others in zip(model.shapes, expected.shapes, strict=True):
        for shape, other in zip(own, others, strict=True):
            assert_same(shape, other)


class TestKept:
    def test_in_a_file(self, museum, tmp_path):
        run = mm.simulate(museum, integrator="rk4", h=0.01, duration=0.02)
        assert_same_shapes(mm.Trajectory.load(run.save(tmp_path / "run.npz")).model, museum)

    def test_in_a_pickle_and_in_other_charts_and_numbers(self, museum):
        assert_same_shapes(pickle.loads(pickle.dumps(museum)), museum)
        assert_same_shapes(museum.astype(np.float32), museum)
        assert_same_shapes(museum.with_charts([]), museum)

    def test_a_file_from_before_shapes(self, museum, tmp_path):
        run = mm.simulate(museum, integrator="rk4", h=0.01, duration=0.02)
        with np.load(run.save(tmp_path / "run.npz")) as file:
            old = {key: values for key, values in file.items() if not key.startswith("model_shapes_")}
        np.savez(tmp_path / "old.npz", **old)
        loaded = mm.Trajectory.load(tmp_path / "old.npz")
        np.testing.assert_array_equal(loaded.q, run.q)
        shapes = dict(zip(museum.names, loaded.model.shapes, strict=True))
        assert_same(shapes["point"][0], Shape("point", (0.0, 0.0, 0.0)))
        np.testing.assert_allclose(shapes["cuboid"][0].size, (1, 2, 3))
        for body, (shape,) in zip(museum.bodies, loaded.model.shapes, strict=True):
            if shape.kind == "cuboid":
                moments = mm.Inertia.cuboid(shape.size, mass=body["mass"]).moments
                np.testing.assert_allclose(moments, body["moments"], rtol=1e-9)

    def test_nothing_to_keep(self, tmp_path):
        model = one_body(mm.Inertia.point(1), shapes=[])
        run = mm.simulate(model, integrator="rk4", h=0.01, duration=0.02)
        assert mm.Trajectory.load(run.save(tmp_path / "run.npz")).model.shapes == ((),)
