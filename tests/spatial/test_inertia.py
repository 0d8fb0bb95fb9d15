"""Masses and moments of every shape against clouds of quadrature points, meshes, and each other; and every refusal."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Delaunay

import myomass as mm

pytestmark = pytest.mark.fast
REDMAX = json.loads((Path(__file__).parents[1] / "fixtures" / "redmax_bodies.json").read_text())["bodies"]
DENSITY = 1.3


# --- clouds of points with weights that integrate over a solid ------------------------------------------------------


def gauss(low, high, n=8):
    """Gauss-Legendre nodes and weights on an interval."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * w


def around(n=8):
    """Angles once round, and their weights: exact for the low harmonics that moments are made of."""
    return 2 * np.pi * np.arange(n) / n, np.full(n, 2 * np.pi / n)


def product(first, second, third):
    """Nodes (3, n) and weights (n,) of a product of three rules."""
    nodes = np.meshgrid(first[0], second[0], third[0], indexing="ij")
    weights = np.einsum("i,j,k->ijk", first[1], second[1], third[1])
    return np.array(nodes).reshape(3, -1), weights.ravel()


def box_cloud(x, y, z):
    nodes, weights = product(gauss(-x / 2, x / 2), gauss(-y / 2, y / 2), gauss(-z / 2, z / 2))
    return nodes.T, weights


def cylinder_cloud(radius, length):
    (r, angle, z), weights = product(gauss(0, radius), around(), gauss(-length / 2, length / 2))
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z]), weights * r


def ball_cloud(a, b, c, lowest=-1.0, highest=1.0):
    """An ellipsoid, or the slab of one between two values of z/c on each ray."""
    (r, angle, u), weights = product(gauss(0, 1), around(), gauss(lowest, highest))
    s = np.sqrt(1 - u * u)
    points = np.column_stack([a * r * s * np.cos(angle), b * r * s * np.sin(angle), c * r * u])
    return points, weights * r * r * a * b * c


def capsule_cloud(radius, length):
    middle = cylinder_cloud(radius, length)
    top, bottom = ball_cloud(radius, radius, radius, 0, 1), ball_cloud(radius, radius, radius, -1, 0)
    up = np.array([0, 0, length / 2])
    return np.vstack([middle[0], top[0] + up, bottom[0] - up]), np.concatenate([middle[1], top[1], bottom[1]])


def moments_of(cloud, density=1.0):
    """Mass, centre and inertia about the centre of a cloud."""
    points, weights = cloud
    mass = density * weights.sum()
    centre = density * weights @ points / mass
    x = points - centre
    second = density * np.einsum("n,ni,nj->ij", weights, x, x)
    return mass, centre, np.trace(second) * np.eye(3) - second


def in_shape_frame(inertia):
    """Mass, centre and inertia matrix about the centre, in the frame the shape was described in."""
    R = inertia.frame[:3, :3]
    return inertia.mass, inertia.frame[:3, 3], R @ np.diag(inertia.moments) @ R.T


def assert_same_body(inertia, mass, centre, matrix, rtol=1e-13):
    """Equal mass, centre and inertia, each to `rtol` of its own size."""
    m, c, M = in_shape_frame(inertia)
    np.testing.assert_allclose(m, mass, rtol=rtol)
    np.testing.assert_allclose(c, centre, rtol=0, atol=rtol * (1 + np.abs(centre).max()))
    np.testing.assert_allclose(M, matrix, rtol=0, atol=rtol * np.abs(matrix).max())


SHAPES = {
    "cuboid": (mm.Inertia.cuboid, ((0.3, 0.7, 1.1),), box_cloud(0.3, 0.7, 1.1)),
    "sphere": (mm.Inertia.sphere, (0.4,), ball_cloud(0.4, 0.4, 0.4)),
    "ellipsoid": (mm.Inertia.ellipsoid, ((0.3, 0.5, 0.9),), ball_cloud(0.3, 0.5, 0.9)),
    "cylinder": (mm.Inertia.cylinder, (0.3, 1.7), cylinder_cloud(0.3, 1.7)),
    "capsule": (mm.Inertia.capsule, (0.3, 1.7), capsule_cloud(0.3, 1.7)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_agree_with_integration(shape):
    make, sizes, cloud = SHAPES[shape]
    inertia = make(*sizes, density=DENSITY)
    assert_same_body(inertia, *moments_of(cloud, DENSITY))
    np.testing.assert_array_equal(inertia.frame, np.eye(4))
    assert inertia.shape[0] == shape


@pytest.mark.parametrize("shape", SHAPES)
def test_mass_and_density_say_the_same(shape):
    make, sizes, cloud = SHAPES[shape]
    by_mass, by_density = make(*sizes, mass=2.5), make(*sizes, density=2.5 / cloud[1].sum())
    assert by_mass.mass == 2.5
    np.testing.assert_allclose(by_density.mass, 2.5, rtol=1e-13)
    np.testing.assert_allclose(by_density.moments, by_mass.moments, rtol=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_shapes_scale_by_the_fifth_power_of_length(shape, scale):
    make, sizes, _ = SHAPES[shape]
    unit, scaled = make(*sizes, density=1), make(*(np.multiply(size, scale) for size in sizes), density=1)
    np.testing.assert_allclose(scaled.moments, np.multiply(unit.moments, scale**5), rtol=1e-13)


@pytest.mark.parametrize("case", REDMAX, ids=lambda case: case["shape"].split()[0])
def test_redmax_agrees(case):
    kind = case["shape"].split()[0]
    inertia = {
        "cuboid": lambda: mm.Inertia.cuboid((1, 2, 3), density=1.3),
        "cylinder": lambda: mm.Inertia.cylinder(0.7, 3, density=1.3),
        "sphere": lambda: mm.Inertia.sphere(0.7, density=1.3),
    }[kind]()
    np.testing.assert_allclose(np.diag(inertia.matrix()), case["I"], rtol=1e-14)


def test_a_point_has_mass_and_no_moments():
    point = mm.Inertia.point(3.0)
    assert (point.mass, point.moments) == (3.0, (0.0, 0.0, 0.0))


def test_maximal_matrix_is_moments_then_mass():
    matrix = mm.Inertia(2.0, (1.0, 1.5, 2.0)).matrix()
    np.testing.assert_array_equal(matrix, np.diag([1.0, 1.5, 2.0, 2.0, 2.0, 2.0]))


def test_a_long_capsule_is_nearly_a_rod_and_a_short_one_nearly_a_ball():
    rod, ball = mm.Inertia.capsule(1e-6, 2.0, mass=3.0), mm.Inertia.capsule(0.5, 1e-9, mass=3.0)
    np.testing.assert_allclose(rod.moments[:2], 3.0 * 2.0**2 / 12, rtol=1e-5)
    np.testing.assert_allclose(ball.moments, mm.Inertia.sphere(0.5, mass=3.0).moments, rtol=1e-8)


def test_numbers_of_any_kind_are_taken():
    expected = mm.Inertia.cuboid((1.0, 2.0, 3.0), mass=2.0)
    for size in ([1, 2, 3], np.array([1, 2, 3]), np.float32([1, 2, 3])):
        assert mm.Inertia.cuboid(size, mass=np.int64(2)) == expected
    assert mm.Inertia(np.array(2.0), [1, 1, 1]).mass == 2.0


# --- from_matrix ----------------------------------------------------------------------------------------------------


def test_principal_axes_of_a_turned_box_are_recovered():
    box = mm.Inertia.cuboid((0.3, 0.7, 1.1), mass=2.0)
    R, centre = mm.so3.exp([0.4, -1.1, 0.8]), np.array([1.0, -2.0, 3.0])
    found = mm.Inertia.from_matrix(2.0, centre, R @ np.diag(box.moments) @ R.T)
    np.testing.assert_allclose(sorted(found.moments), sorted(box.moments), rtol=1e-14)
    np.testing.assert_array_equal(found.frame[:3, 3], centre)
    alignment = np.abs(found.frame[:3, :3].T @ R)  # each principal axis is an axis of the box, either way round
    np.testing.assert_allclose(np.sort(alignment, axis=1), [[0, 0, 1]] * 3, rtol=0, atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(found.frame[:3, :3]), 1)


def test_from_matrix_gives_the_matrix_back():
    rng = np.random.default_rng(1)
    for _ in range(20):
        points, weights = rng.normal(size=(6, 3)), rng.uniform(0.1, 1, 6)
        mass, centre, matrix = moments_of((points, weights))
        assert_same_body(mm.Inertia.from_matrix(mass, centre, matrix), mass, centre, matrix)


def test_a_thin_rod_in_any_direction_keeps_its_zero_moment():
    rng = np.random.default_rng(2)
    for _ in range(50):
        R = mm.so3.exp(rng.normal(size=3))
        rod = mm.Inertia.from_matrix(1.0, np.zeros(3), R @ np.diag([0.0, 1.0, 1.0]) @ R.T)
        np.testing.assert_allclose(rod.moments, (0, 1, 1), rtol=0, atol=4e-15)


# --- composite ------------------------------------------------------------------------------------------------------


def test_two_half_boxes_make_the_box():
    half = mm.Inertia.cuboid((0.5, 0.7, 1.1), density=DENSITY)
    halves = mm.Inertia.composite([(half, mm.translation(-0.25, 0, 0)), (half, mm.translation(0.25, 0, 0))])
    whole = mm.Inertia.cuboid((1.0, 0.7, 1.1), density=DENSITY)
    assert_same_body(halves, *in_shape_frame(whole))


def test_a_cylinder_and_two_half_balls_make_the_capsule():
    up, down = mm.translation(0, 0, 0.85), mm.translation(0, 0, -0.85)
    top = mm.Inertia.from_matrix(*moments_of(ball_cloud(0.3, 0.3, 0.3, 0, 1)))
    bottom = mm.Inertia.from_matrix(*moments_of(ball_cloud(0.3, 0.3, 0.3, -1, 0)))
    parts = [(mm.Inertia.cylinder(0.3, 1.7, density=1), np.eye(4)), (top, up), (bottom, down)]
    assert_same_body(mm.Inertia.composite(parts), *in_shape_frame(mm.Inertia.capsule(0.3, 1.7, density=1)))


def test_composite_of_turned_parts_agrees_with_integration():
    rng = np.random.default_rng(3)
    parts, points, weights = [], [], []
    for make, sizes, cloud in SHAPES.values():
        E = mm.se3.exp(rng.normal(size=6))
        parts.append((make(*sizes, density=DENSITY), E))
        points.append(cloud[0] @ E[:3, :3].T + E[:3, 3])
        weights.append(cloud[1])
    expected = moments_of((np.vstack(points), np.concatenate(weights)), DENSITY)
    assert_same_body(mm.Inertia.composite(parts), *expected)


def test_composite_of_composites_is_the_composite():
    rng = np.random.default_rng(4)
    box, ball = mm.Inertia.cuboid((1, 2, 3), mass=1), mm.Inertia.sphere(0.5, mass=2)
    E, F, G = (mm.se3.exp(rng.normal(size=6)) for _ in range(3))
    nested = mm.Inertia.composite([(mm.Inertia.composite([(box, E), (ball, F)]), G), (ball, E)])
    flat = mm.Inertia.composite([(box, G @ E), (ball, G @ F), (ball, E)])
    assert_same_body(nested, *in_shape_frame(flat))


def test_collinear_points_make_a_rod():
    along = np.array([1.0, 2.0, -2.0]) / 3
    parts = [(mm.Inertia.point(m), mm.translation(*(s * along))) for m, s in ((1, 0), (2, 0.3), (1, 1.2))]
    rod = mm.Inertia.composite(parts)
    np.testing.assert_allclose(rod.frame[:3, 3], 0.45 * along, rtol=0, atol=1e-15)
    np.testing.assert_allclose(rod.moments, [0, *[0.45**2 + 2 * 0.15**2 + 0.75**2] * 2], rtol=0, atol=1e-15)


def test_composite_far_from_the_origin_keeps_its_digits():
    box, far = mm.Inertia.cuboid((1, 2, 3), mass=1), mm.translation(1e6, -1e6, 1e6)
    pair = mm.Inertia.composite([(box, far), (box, far @ mm.translation(0, 0, 3))])
    np.testing.assert_allclose(sorted(pair.moments), sorted(mm.Inertia.cuboid((1, 2, 6), mass=2).moments), rtol=1e-13)


# --- mesh -----------------------------------------------------------------------------------------------------------


def box_mesh(x, y, z):
    """A box about the origin in 12 triangles, counter-clockwise from outside."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * (x / 2, y / 2, z / 2)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([triangle for a, b, c, d in sides for triangle in ((a, b, c), (a, c, d))])


def hull_mesh(points):
    """Convex hull of points, its faces turned outwards."""
    hull = ConvexHull(points)
    a, b, c = (points[hull.simplices[:, i]] for i in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces = hull.simplices.copy()
    faces[inwards] = faces[inwards, ::-1]
    return points, faces


def ball_mesh(level):
    """Icosahedron whose triangles are cut in four `level` times, corners on the unit sphere."""
    g = (1 + 5**0.5) / 2
    points = np.array([(0, s, t * g) for s in (-1, 1) for t in (-1, 1)])
    points = np.vstack([np.roll(points, k, axis=1) for k in range(3)])
    points, faces = hull_mesh(points / np.linalg.norm(points[0]))
    for _ in range(level):
        middles = [(points[faces[:, i]] + points[faces[:, i - 1]]) / 2 for i in range(3)]
        points = np.unique(np.round(np.vstack([points, *middles]), 12), axis=0)
        points, faces = hull_mesh(points / np.linalg.norm(points, axis=1)[:, None])
    return points, faces


def tetrahedra_cloud(points):
    """The convex hull of points, filled with tetrahedra of four quadrature points each (exact for moments)."""
    corners = points[Delaunay(points).simplices]
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    near, other = (5 + 3 * 5**0.5) / 20, (5 - 5**0.5) / 20
    weights = np.full((4, 4), other) + (near - other) * np.eye(4)
    return np.einsum("qc,ncx->nqx", weights, corners).reshape(-1, 3), np.repeat(volumes / 4, 4)


def test_mesh_of_a_box_is_the_cuboid():
    mesh = mm.Inertia.mesh(*box_mesh(0.3, 0.7, 1.1), density=DENSITY)
    assert_same_body(mesh, *in_shape_frame(mm.Inertia.cuboid((0.3, 0.7, 1.1), density=DENSITY)))


def test_mesh_of_a_hull_agrees_with_its_tetrahedra():
    for seed in range(5):
        points = np.random.default_rng(seed).normal(size=(30, 3))
        mesh = mm.Inertia.mesh(*hull_mesh(points), density=DENSITY)
        assert_same_body(mesh, *moments_of(tetrahedra_cloud(points), DENSITY))


def test_a_hollow_mesh_is_the_block_less_its_cavity():
    block, cavity = box_mesh(2, 2, 2), box_mesh(1, 1, 1)
    hollow = np.vstack([block[0], cavity[0]]), np.vstack([block[1], cavity[1][:, ::-1] + 8])
    difference = np.array(mm.Inertia.cuboid((2, 2, 2), density=1).moments)
    difference -= mm.Inertia.cuboid((1, 1, 1), density=1).moments
    assert_same_body(mm.Inertia.mesh(*hollow, density=1), 7, np.zeros(3), np.diag(difference))


def test_mesh_of_a_ball_converges_to_the_sphere():
    sphere = mm.Inertia.sphere(1.0, density=1)
    errors = [1 - mm.Inertia.mesh(*ball_mesh(level), density=1).moments[0] / sphere.moments[0] for level in range(4)]
    ratios = np.divide(errors[:-1], errors[1:])
    assert errors[-1] < 0.02
    assert ratios[-1] == pytest.approx(4, abs=0.2), errors  # halving the edges quarters the error


@pytest.mark.parametrize(("distance", "rtol"), [(1e3, 1e-12), (1e6, 1e-9)])
def test_mesh_far_from_the_origin_keeps_its_digits(distance, rtol):
    """What is lost is the rounding of the corners themselves, distance times 1e-16."""
    vertices, faces = box_mesh(0.3, 0.7, 1.1)
    R, far = mm.so3.exp([0.4, -1.1, 0.8]), np.array([1, -1, 0.5]) * distance
    mesh = mm.Inertia.mesh(vertices @ R.T + far, faces, mass=1)
    np.testing.assert_allclose(
        sorted(mesh.moments), sorted(mm.Inertia.cuboid((0.3, 0.7, 1.1), mass=1).moments), rtol=rtol
    )
    np.testing.assert_allclose(mesh.frame[:3, 3], far, rtol=1e-15)


def test_vertices_that_no_face_uses_change_nothing():
    vertices, faces = box_mesh(0.3, 0.7, 1.1)
    stray = np.vstack([vertices + 1e3, np.zeros((1, 3))])
    mesh = mm.Inertia.mesh(stray, faces, mass=1)
    np.testing.assert_allclose(
        sorted(mesh.moments), sorted(mm.Inertia.cuboid((0.3, 0.7, 1.1), mass=1).moments), rtol=1e-12
    )


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_meshes_of_insects_and_of_mountains(scale):
    vertices, faces = box_mesh(0.3, 0.7, 1.1)
    scaled = mm.Inertia.mesh(vertices * scale, faces, density=1)
    assert_same_body(scaled, *in_shape_frame(mm.Inertia.cuboid(np.array([0.3, 0.7, 1.1]) * scale, density=1)))


def test_mesh_takes_lists():
    vertices, faces = box_mesh(1, 1, 1)
    assert mm.Inertia.mesh(vertices.tolist(), faces.tolist(), mass=1) == mm.Inertia.mesh(vertices, faces, mass=1)


# --- what is refused, and how ---------------------------------------------------------------------------------------

BOX = box_mesh(1, 1, 1)
I3, I4 = np.eye(3), np.eye(4)
MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])

REFUSED = {
    "negative mass": (lambda: mm.Inertia(-1, (1, 1, 1)), "the mass must be finite and positive, and is -1"),
    "zero mass": (lambda: mm.Inertia(0, (1, 1, 1)), "the mass must be finite and positive, and is 0"),
    "mass not a number": (lambda: mm.Inertia(np.nan, (1, 1, 1)), "the mass must be finite and positive, and is nan"),
    "infinite mass": (lambda: mm.Inertia(np.inf, (1, 1, 1)), "the mass must be finite and positive, and is inf"),
    "mass in words": (lambda: mm.Inertia("heavy", (1, 1, 1)), "the mass must be a number, and is 'heavy'"),
    "no mass": (lambda: mm.Inertia(None, (1, 1, 1)), "the mass must be a number, and is None"),
    "negative point": (lambda: mm.Inertia.point(-1), "the mass must be finite and positive"),
    "negative moment": (lambda: mm.Inertia(1, (1, -1, 1)), r"a principal moment is negative: \[1.0, -1.0, 1.0\]"),
    "triangle": (lambda: mm.Inertia(1, (1, 1, 3)), "belong to no body: the largest exceeds the sum of the others"),
    "moment not a number": (lambda: mm.Inertia(1, (1, np.nan, 1)), "the moments .* must be finite numbers"),
    "two moments": (lambda: mm.Inertia(1, (1, 1)), r"the moments \(Ix, Iy, Iz\) must be finite numbers"),
    "matrix of moments": (lambda: mm.Inertia(1, I3), "the moments .* must be finite numbers"),
    "frame shape": (lambda: mm.Inertia(1, (1, 1, 1), I3), r"the frame must be a 4x4 matrix, and its shape is \(3, 3\)"),
    "frame mirrored": (lambda: mm.Inertia(1, (1, 1, 1), MIRROR), "the frame has a rotation part that mirrors"),
    "frame stretched": (lambda: mm.Inertia(1, (1, 1, 1), 2 * I4), "the frame has a rotation part that is not ortho"),
    "frame not finite": (lambda: mm.Inertia(1, (1, 1, 1), np.nan * I4), "the frame has entries that are not finite"),
    "frame in words": (lambda: mm.Inertia(1, (1, 1, 1), "here"), "the frame must be a 4x4 matrix of numbers"),
    "neither mass nor density": (lambda: mm.Inertia.sphere(1), "give either mass or density"),
    "mass and density": (lambda: mm.Inertia.sphere(1, mass=1, density=1), "give either mass or density"),
    "negative density": (lambda: mm.Inertia.sphere(1, density=-1), "the density must be finite and positive"),
    "two sides": (lambda: mm.Inertia.cuboid((1, 1), mass=1), "Inertia.cuboid: give three sides, not 2"),
    "flat box": (
        lambda: mm.Inertia.cuboid((1, 0, 1), mass=1),
        "Inertia.cuboid: each of the sides must be finite and po",
    ),
    "one semi-axis": (lambda: mm.Inertia.ellipsoid(1, mass=1), "Inertia.ellipsoid: give three semi-axes, not 1"),
    "semi-axis": (
        lambda: mm.Inertia.ellipsoid((1, -1, 1), mass=1),
        "each of the semi-axes must be finite and positive",
    ),
    "negative radius": (
        lambda: mm.Inertia.sphere(-1, mass=1),
        "Inertia.sphere: the radius must be finite and positive",
    ),
    "cylinder radius": (
        lambda: mm.Inertia.cylinder(0, 1, mass=1),
        "Inertia.cylinder: the radius must be finite and pos",
    ),
    "cylinder length": (lambda: mm.Inertia.cylinder(1, np.nan, mass=1), "Inertia.cylinder: the length must be finite"),
    "capsule radius": (lambda: mm.Inertia.capsule(np.inf, 1, mass=1), "Inertia.capsule: the radius must be finite"),
    "capsule length": (lambda: mm.Inertia.capsule(1, "long", mass=1), "Inertia.capsule: the length must be a number"),
    "matrix shape": (
        lambda: mm.Inertia.from_matrix(1, (0, 0, 0), (1, 1, 1)),
        "the inertia must be finite numbers of shape",
    ),
    "matrix not finite": (lambda: mm.Inertia.from_matrix(1, (0, 0, 0), np.nan * I3), "the inertia must be finite"),
    "matrix not symmetric": (
        lambda: mm.Inertia.from_matrix(1, (0, 0, 0), I3 + np.eye(3, k=1)),
        "from_matrix: the inertia matrix is not symmetric",
    ),
    "matrix negative": (lambda: mm.Inertia.from_matrix(1, (0, 0, 0), -I3), "a principal moment is negative"),
    "no parts": (lambda: mm.Inertia.composite([]), r"composite: give at least one \(inertia, pose\)"),
    "pose shape": (lambda: mm.Inertia.composite([(mm.Inertia.point(1), I3)]), "composite: pose 0 must be a 4x4 matrix"),
    "pose mirrored": (
        lambda: mm.Inertia.composite([(mm.Inertia.point(1), I4), (mm.Inertia.point(1), MIRROR)]),
        "composite: pose 1 has a rotation part that mirrors",
    ),
    "open mesh": (
        lambda: mm.Inertia.mesh(BOX[0], BOX[1][1:], mass=1),
        "mesh: the edge between vertices . and . is not sh",
    ),
    "torn mesh": (
        lambda: mm.Inertia.mesh(BOX[0], np.vstack([BOX[1][1:], BOX[1][:1, ::-1]]), mass=1),
        "not shared by two faces that turn the same way; close the mesh and orient its faces",
    ),
    "inward mesh": (lambda: mm.Inertia.mesh(BOX[0], BOX[1][:, ::-1], mass=1), "the faces turn inwards; reverse their"),
    "flat mesh": (lambda: mm.Inertia.mesh(BOX[0] * (1, 1, 0), BOX[1], mass=1), "mesh: it encloses no volume"),
    "mesh not finite": (lambda: mm.Inertia.mesh(np.nan * BOX[0], BOX[1], mass=1), "mesh: the vertices must be finite"),
    "mesh vertices": (lambda: mm.Inertia.mesh(BOX[0][:, :2], BOX[1], mass=1), r"the vertices .* of shape \(n, 3\)"),
    "mesh faces": (
        lambda: mm.Inertia.mesh(BOX[0], BOX[1][:, :2], mass=1),
        r"the faces must be integers of shape \(k, 3",
    ),
    "mesh float faces": (lambda: mm.Inertia.mesh(BOX[0], 1.0 * BOX[1], mass=1), "mesh: the faces must be integers"),
    "mesh no faces": (
        lambda: mm.Inertia.mesh(BOX[0], np.zeros((0, 3), int), mass=1),
        "mesh: the faces must be integers",
    ),
    "mesh far index": (
        lambda: mm.Inertia.mesh(BOX[0], BOX[1] + 1, mass=1),
        "a face names vertex 8.* there are 8 vertices",
    ),
    "mesh negative index": (lambda: mm.Inertia.mesh(BOX[0], BOX[1] - 1, mass=1), "a face names .*negative"),
    "mesh without mass": (lambda: mm.Inertia.mesh(*BOX), "give either mass or density"),
    "moments in words": (lambda: mm.Inertia(1, ("a", "b", "c")), "Inertia: the moments .* must be finite numbers"),
    "ragged moments": (lambda: mm.Inertia(1, (1, (2, 3), 4)), "Inertia: the moments .* must be finite numbers"),
    "matrix in words": (
        lambda: mm.Inertia.from_matrix(1, (0, 0, 0), "round"),
        "from_matrix: the inertia must be finite",
    ),
    "centre not finite": (lambda: mm.Inertia.from_matrix(1, (0, 0, np.nan), I3), "from_matrix: the centre"),
    "centre shape": (lambda: mm.Inertia.from_matrix(1, (0, 0), I3), "from_matrix: the centre"),
    "centre of one number": (lambda: mm.Inertia.from_matrix(1, 5.0, I3), "from_matrix: the centre"),
    "part that is none": (lambda: mm.Inertia.composite([(1.0, I4)]), "composite: part 0"),
    "part without pose": (lambda: mm.Inertia.composite([mm.Inertia.point(1)]), r"composite: .*\(inertia, pose\)"),
    "mesh in words": (lambda: mm.Inertia.mesh("box", BOX[1], mass=1), "mesh: the vertices must be"),
    "huge ball": (lambda: mm.Inertia.sphere(1e200, density=1), "the mass must be finite and positive"),
}


def test_composite_takes_any_iterable():
    parts = [(mm.Inertia.point(1), mm.translation(x, 0, 0)) for x in (0, 1)]
    assert mm.Inertia.composite(iter(parts)) == mm.Inertia.composite(parts)


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(case):
    make, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=sentence):
        make()


def test_a_flat_body_is_on_the_edge_of_what_is_a_body():
    assert mm.Inertia(1, (1, 1, 2)).moments == (1, 1, 2)
    assert mm.Inertia(1, (0, 1, 1)).moments == (0, 1, 1)
