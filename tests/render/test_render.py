"""The renderer: where things appear, what hides what, shadow, transparency, and scenes of any size."""

import numpy as np
import pytest

from myomass import _jit
from myomass.render import (
    Camera,
    Ground,
    Instances,
    Mesh,
    Placement,
    Renderer,
    crease_split,
    render,
    unit_box,
    unit_cone,
    unit_cylinder,
    unit_sphere,
)

RED, GREEN, BLUE = (220, 20, 20), (20, 200, 20), (20, 20, 220)
CAMERA = Camera((1.0, -4.0, 2.0), (0.0, 0.0, 0.3))
compiled_only = pytest.mark.skipif(_jit.DISABLED, reason="too slow as plain Python")


def thing(mesh, position=(0, 0, 0), scale=1.0, colour=RED, wxyz=(1, 0, 0, 0), opacity=1.0) -> Instances:
    place = Placement(np.array([position], float), np.array([wxyz], float), np.full((1, 3), scale, float))
    return Instances(mesh, place, np.array([colour], np.uint8), opacity)


def pixel(picture, camera, point) -> np.ndarray:
    """Colour of the picture where a point appears."""
    height, width, _ = picture.shape
    x, y, _ = camera.project(point, width, height)
    return picture[int(y), int(x)].astype(int)


def is_hue(colour, hue) -> bool:
    """Is one channel of a colour well above the others, and the same one as of a hue?"""
    best = int(np.argmax(hue))
    return colour[best] > 1.5 * max(np.delete(colour, best))


def volume(mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


@pytest.mark.fast
@pytest.mark.parametrize("centre", [(0, 0, 0.3), (0.7, 0.2, 0.6), (-0.9, -0.5, 0.1)])
def test_a_sphere_appears_where_the_camera_projects_it(centre):
    picture = render([thing(unit_sphere(), centre, 0.15)], CAMERA, (48, 36), shadows=False).astype(int)
    redness = np.clip(picture[..., 0] - picture[..., 1:].max(axis=-1), 0, None)
    rows, columns = np.indices(redness.shape) + 0.5
    found = [(redness * c).sum() / redness.sum() for c in (columns, rows)]
    assert np.abs(CAMERA.project(centre, 48, 36)[:2] - found).max() < 0.5


@pytest.mark.fast
def test_project_measures_depth_along_the_view():
    ahead = np.subtract(CAMERA.target, CAMERA.eye)
    assert np.allclose(CAMERA.project(CAMERA.target, 64, 48), [32, 24, np.linalg.norm(ahead)])
    assert np.isnan(CAMERA.project(np.subtract(CAMERA.eye, ahead), 64, 48)[:2]).all()
    assert CAMERA.project(np.zeros((2, 5, 3)), 64, 48).shape == (2, 5, 3)
    assert CAMERA.project((0, 0, 1), 64, 48)[1] < 24  # up is up


@pytest.mark.fast
def test_the_nearer_thing_hides_the_farther_whichever_comes_first():
    near, far = thing(unit_box(), (0.25, -1, 0.7), 0.4, RED), thing(unit_box(), (0, 0, 0.3), 0.8, GREEN)
    for things in ([near, far], [far, near]):
        picture = render(things, CAMERA, (32, 24), samples=1)
        assert is_hue(pixel(picture, CAMERA, (0.25, -1, 0.7)), RED)
        assert is_hue(pixel(picture, CAMERA, (-0.3, -0.4, 0.1)), GREEN)


@pytest.mark.fast
def test_instances_that_are_not_finite_or_of_no_size_are_skipped():
    places = np.array([[0, 0, 0.3], [np.nan, 0, 0], [0, 0, 0.3], [0, 0, 0.3], [np.inf, 0, 0], [0, 0, 0.3]])
    turns = np.tile([1.0, 0, 0, 0], (6, 1))
    turns[2, 1] = np.nan
    scales = np.full((6, 3), 0.5)
    scales[3], scales[5, 1] = 0, np.nan
    colours = np.array([RED, *5 * [GREEN]], np.uint8)
    many = render([Instances(unit_box(), Placement(places, turns, scales), colours)], CAMERA, (24, 18), samples=1)
    one = render([thing(unit_box(), (0, 0, 0.3), 0.5)], CAMERA, (24, 18), samples=1)
    assert np.array_equal(many, one)


@pytest.mark.fast
def test_an_empty_scene_is_a_gradient_from_top_to_bottom():
    picture = render([], CAMERA, (8, 40), samples=1)
    assert (picture == picture[:, :1]).all()
    rows = picture[:, 0].astype(int).sum(axis=1)
    assert (np.diff(rows) <= 0).all()
    assert rows[0] - rows[-1] > 30
    assert (render([], CAMERA, (4, 4), samples=1, background=(10, 20, 30)) == (10, 20, 30)).all()


@pytest.mark.fast
def test_transparent_things_mix_with_what_is_behind_and_not_with_what_is_before():
    behind = thing(unit_box(), (0, 0, 0.3), 0.9, GREEN)
    veil = thing(unit_box(), (0.2, -0.9, 0.7), 0.4, BLUE, opacity=0.5)
    point = (0.2, -0.9, 0.7)
    colours = [pixel(render(scene, CAMERA, (32, 24), samples=1), CAMERA, point) for scene in ([behind], [behind, veil])]
    assert is_hue(colours[0], GREEN)
    assert colours[1][1] < 0.9 * colours[0][1]
    assert colours[1][2] > 1.5 * colours[0][2]
    hidden = thing(unit_box(), (0, 1.5, 0.3), 0.4, BLUE, opacity=0.5)
    without, scene = (render(s, CAMERA, (32, 24), samples=1) for s in ([behind], [behind, hidden]))
    assert np.array_equal(pixel(without, CAMERA, (0, 0, 0.3)), pixel(scene, CAMERA, (0, 0, 0.3)))


@compiled_only
def test_layers_of_transparent_things_come_in_any_order():
    veils = [thing(unit_box(), (0.2 * k, -k, 0.3 + 0.3 * k), 0.5, c, opacity=0.4) for k, c in enumerate([RED, BLUE])]
    assert np.array_equal(render(veils, CAMERA, (64, 48)), render(veils[::-1], CAMERA, (64, 48)))
    alone = pixel(render(veils[:1], CAMERA, (64, 48)), CAMERA, (0, 0, 0.3))
    both = pixel(render(veils, CAMERA, (64, 48)), CAMERA, (0, 0, 0.3))
    assert both[0] < alone[0]


@compiled_only
def test_a_floating_box_casts_a_shadow_on_the_ground():
    camera, ground = Camera((0, -6, 5), (0, 0, 0)), Ground(np.eye(4), 0.5, 30)
    box = thing(unit_box(), (0, 0, 0.8), 0.8)
    with_box, without = (render(s, camera, (160, 120), ground=ground).astype(int) for s in ([box], []))
    plain = render([box], camera, (160, 120), ground=ground, shadows=False).astype(int)
    darker = (plain - with_box).min(axis=-1) > 40
    assert 0.01 < darker.mean() < 0.1
    rows, columns = np.nonzero(darker)
    assert columns.mean() < 80 < rows.mean() + 40  # the light is on the right
    far = np.abs(with_box - without).max(axis=-1) > 60
    assert not far[-10:].any()  # and the rest of the ground is lit


@compiled_only
def test_lit_surfaces_do_not_shade_themselves():
    """Neither faces nor round things: with and without shadows they look the same, but where a shadow may fall."""
    for mesh in (unit_box(), unit_sphere(), unit_cylinder(), unit_cone()):
        for scale in (0.1, 1.0):
            camera = Camera((0.2, -4 * scale, 3 * scale), (0, 0, 0))
            lone = [thing(mesh, (0, 0, 0), scale, (200, 200, 200), (0.9, 0.2, 0.3, 0.1))]
            pictures = [render(lone, camera, (200, 150), shadows=on).astype(int) for on in (True, False)]
            assert (np.abs(pictures[0] - pictures[1]).max(axis=-1) > 12).mean() < 0.002


@compiled_only
def test_the_ground_is_not_drawn_from_below():
    below = Camera((0, -4, -2), (0, 0, 0))
    ground = Ground(np.eye(4), 0.5, 30)
    assert np.array_equal(render([], below, (40, 30), ground=ground), render([], below, (40, 30)))


@compiled_only
@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_a_scene_of_any_size_gives_the_same_picture(factor):
    def picture(unit):
        things = [thing(unit_box(), np.array([0, 0, 0.5]) * unit, 0.5 * unit), thing(unit_sphere(), (unit, 0, 0), unit)]
        camera = Camera(np.multiply(CAMERA.eye, unit), np.multiply(CAMERA.target, unit))
        return render(things, camera, (64, 48), ground=Ground(np.eye(4), 0.5 * unit, 9 * unit)).astype(int)

    assert (np.abs(picture(factor) - picture(1.0)).max(axis=-1) > 3).mean() < 0.005


@compiled_only
def test_an_eye_inside_or_before_large_things_sees_them():
    inside = render([thing(unit_box(), CAMERA.eye, 100.0, GREEN)], CAMERA, (32, 24))
    assert is_hue(inside[12, 16].astype(int), GREEN)
    floor = thing(unit_box(), (0, 0, -50), 100.0, RED)  # passes below the eye and behind it
    assert is_hue(render([floor], CAMERA, (32, 24))[23, 16].astype(int), RED)
    gone = render([thing(unit_box(), (0, -50, 0), 1.0), thing(unit_box(), (1e12, 0, 0), 1.0)], CAMERA, (32, 24))
    assert np.array_equal(gone, render([], CAMERA, (32, 24)))


@compiled_only
def test_frames_of_a_film_do_not_remember_earlier_ones():
    renderer, ground = Renderer((48, 36)), Ground(np.eye(4))
    first, second = [thing(unit_box())], [thing(unit_sphere(), opacity=0.5), thing(unit_cone(), (1, 0, 0))]
    before = renderer.render(second, CAMERA, ground)
    renderer.render(first, CAMERA)
    assert np.array_equal(renderer.render(second, CAMERA, ground), before)
    assert np.array_equal(render(second, CAMERA, (48, 36), ground=ground), before)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("solid", "expected"),
    [(unit_box, 1), (unit_sphere, 4 / 3 * np.pi), (unit_cylinder, np.pi), (unit_cone, np.pi / 3)],
)
def test_solids_are_closed_and_turned_outwards(solid, expected):
    mesh = solid()
    assert volume(mesh) == pytest.approx(expected, rel=0.03)
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1)
    faces = np.cross(*(mesh.vertices[mesh.faces[:, k]] - mesh.vertices[mesh.faces[:, 0]] for k in (1, 2)))
    for k in range(3):
        assert (np.einsum("ij,ij->i", faces, mesh.normals[mesh.faces[:, k]]) > 0).all()


@pytest.mark.fast
def test_normals_of_solids():
    assert np.array_equal(unit_sphere().normals, unit_sphere().vertices)
    assert np.allclose(np.abs(unit_box().normals).max(axis=1), 1)
    around = np.abs(unit_cylinder().normals[:, 2]) < 0.5
    assert np.allclose(unit_cylinder().normals[around, 2], 0)
    assert np.allclose(unit_cylinder().normals[~around, :2], 0)
    assert np.allclose(unit_cone().normals[unit_cone().vertices[:, 2] > 0.4][:, 2], np.sqrt(0.5), atol=0.01)


@pytest.mark.fast
def test_creases_split_sharp_edges_only():
    soup = unit_box().vertices[unit_box().faces].reshape(-1, 3)  # every corner of every face apart
    assert len(crease_split(soup, np.arange(36).reshape(-1, 3)).vertices) == 24
    assert len(crease_split(soup, np.arange(36).reshape(-1, 3), angle=1.6).vertices) == 8


@pytest.mark.fast
def test_bad_input_is_named():
    with pytest.raises(ValueError, match="same point"):
        Camera((1, 2, 3), (1, 2, 3))
    with pytest.raises(ValueError, match="finite"):
        Camera((1, np.nan, 3), (1, 2, 3))
    with pytest.raises(ValueError, match="faces name vertices"):
        Mesh(np.zeros((2, 3)), np.array([[0, 1, 2]]))
    with pytest.raises(ValueError, match="wxyz must have the shape"):
        place = Placement(np.zeros((2, 3)), np.zeros((1, 4)), np.zeros((2, 3)))
        render([Instances(unit_box(), place, np.zeros((2, 3), np.uint8))], CAMERA, (4, 4))
    with pytest.raises(ValueError, match="at least 1"):
        Renderer((0, 10))


@pytest.mark.fast
def test_colours_of_vertices_blend_between_them():
    quad = Mesh(np.array([[-1.0, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]]), np.array([[0, 1, 2], [0, 2, 3]]))
    camera, place = (
        Camera((0, -4, 0), (0, 0, 0)),
        Placement(np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), np.ones((1, 3))),
    )
    painted = Instances(quad, place, np.array([[RED, BLUE, BLUE, RED]], np.uint8))
    plain = thing(unit_box(), (0, 0.3, 0), 0.1, GREEN)  # behind it, and drawn before
    picture = render([plain, painted], camera, (33, 33), shadows=False)
    row = np.array([pixel(picture, camera, (x, 0, 0)) for x in (-0.9, -0.45, 0, 0.45, 0.9)])
    assert is_hue(row[0], RED) and is_hue(row[-1], BLUE)
    assert (np.diff(row[:, 0]) < 0).all() and (np.diff(row[:, 2]) > 0).all()
    assert abs(row[2, 0] - row[2, 2]) < 8, "halfway there is as much of both"
    even = Instances(quad, place, np.full((1, 4, 3), RED, np.uint8))
    assert np.array_equal(render([plain, even], camera, (33, 33)), render([plain, thing(quad)], camera, (33, 33)))


def test_painted_and_skipped_instances_keep_their_own_colours():
    quad = Mesh(np.array([[-1.0, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]]), np.array([[0, 1, 2], [0, 2, 3]]))
    places = Placement(
        np.array([[-0.6, 0, 0], [0, 0, 0], [0.6, 0, 0]]), np.tile((1.0, 0, 0, 0), (3, 1)), 0.2 * np.ones((3, 3))
    )
    places.scales[1] = 0.0  # not drawn
    colours = np.repeat(np.array([RED, GREEN, BLUE], np.uint8)[:, None], 4, axis=1)
    camera = Camera((0, -4, 0), (0, 0, 0))
    picture = render([Instances(quad, places, colours), thing(quad, (0, 0, 0.6), 0.2, GREEN)], camera, (64, 64))
    for x, z, hue in ((-0.6, 0, RED), (0.6, 0, BLUE), (0, 0.6, GREEN)):
        assert is_hue(pixel(picture, camera, (x, 0, z)), hue)


@pytest.mark.fast
def test_a_moved_mesh_has_the_normals_of_its_new_shape():
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    box = crease_split(unit_box().vertices, unit_box().faces)
    moved = box.moved(box.vertices @ turn.T + (1.0, 2.0, 3.0))
    assert np.allclose(moved.normals, box.normals @ turn.T, atol=1e-14)
    assert moved.faces is box.faces
