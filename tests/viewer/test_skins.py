"""Surfaces of soft bodies: where they are, how they are shaded and coloured, in stills, films and files."""

import re

import numpy as np
import pytest
from soft_motions import RADIUS, THICK, bent, crawl, star

import myomass as mm
from myomass.render import Mesh
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames, still_run
from myomass.viewer.layers import Skins
from myomass.viewer.look import Look, rounded_up
from myomass.viewer.palette import SOFT, STRAINED, ramp, rgb, strain_colours
from myomass.viewer.stills import still
from myomass.viewer.video import save_video

SMALL = (320, 180)
MOST = 15e6  # bytes that ten seconds may take


@pytest.fixture(scope="module")
def run():
    """Ten seconds of 7,925 vertices on 212 nodes."""
    return crawl(star())


@pytest.fixture(scope="module")
def drawing(run):
    return Drawing(Frames(run))


@pytest.fixture(scope="module")
def bar():
    """A box whose faces are its own surface, held at an end, beside a wall and above a floor that it touches."""
    mesh = mm.deformables.TetMesh.box((0.4, 0.1, 0.1), (4, 1, 1))
    soft = mm.deformables.SoftBody(mesh, mm.deformables.CoRotated(1e5, 0.3, 1000.0))
    wall, floor = mm.rotation((0, 1, 0), -np.pi / 2), mm.translation(0, 0, -0.3)
    wall[:3, 3] = 0.5, 0, 0
    touches = [mm.deformables.Touch(1e6, plane=E) for E in (wall, floor, floor.copy())]
    spec = mm.Spec("bar")
    spec.add_soft_body("bar", soft, {None: mesh.nodes[:, 0] < -0.19}, touches=touches, colour=(0.2, 0.4, 0.6))
    return spec.compile()


@pytest.fixture
def rigid():
    """A model without soft bodies, at rest."""
    spec = mm.Spec("rigid")
    spec.add_body("bar", None, mm.Revolute((0, 1, 0)), None, None, mm.Inertia.cuboid((0.4, 0.1, 0.1), mass=1.0))
    return still_run(spec.compile())


def skins_of(drawing):
    return next(layer for layer in drawing.layers if isinstance(layer, Skins))


class TestLayer:
    def test_vertices_are_those_of_the_trajectory(self, run, drawing):
        skins, surface = skins_of(drawing), run.surface("flesh")
        for row in (0, 100, 1000):
            mesh = skins.meshes(drawing.frames.at(run.t[row]))[0]
            assert len(mesh.vertices) == 7925, "a smooth surface is not split"
            triangles = surface[row][run.model.soft_bodies["flesh"].faces]
            np.testing.assert_allclose(mesh.vertices[mesh.faces], triangles, atol=1e-12)

    def test_normals_turn_with_the_body(self, run, drawing):
        """Against the normals of the surface that the bent star has in truth, which the coarse mesh comes near to."""
        skins, body = skins_of(drawing), run.model.soft_bodies["flesh"]
        start, now = (skins.meshes(drawing.frames.at(t))[0] for t in (0.0, 1.0))
        turn, shift = mm.rotation((0, 0, 1), 0.5 * np.sin(0.4))[:3, :3], np.array([0.02, 0, 0])
        centre = run.poses[0, 0, :3, 3]
        x = (bent(body.vertices, 0.9 * np.sin(1.7), 0.7 * np.sin(2.3) ** 2) - centre) @ turn.T + centre + shift
        true, was, found = (mesh.normals[mesh.faces] for mesh in (Mesh(x, body.faces), start, now))
        off, still_off = (np.arccos(np.clip((true * n).sum(axis=-1), -1, 1)) for n in (found, was))
        assert 5 * np.median(off) < np.median(still_off)

    def test_sharp_edges_stay_sharp(self, bar):
        mesh = skins_of(Drawing(Frames(still_run(bar)))).meshes(Frames(still_run(bar)).at(0.0))[0]
        np.testing.assert_allclose(np.abs(mesh.normals).max(axis=1), 1.0, atol=1e-12)
        assert len(mesh.vertices) == 2 * 4 + 4 * 2 * 5  # two ends and four sides

    def test_it_is_in_the_picture(self, run, drawing):
        camera = drawing.camera(16 / 9)
        x, y, depth = np.moveaxis(camera.project(run.surface("flesh")[::50], *SMALL), -1, 0)
        assert (depth > 0).all() and x.min() > 0 and x.max() < SMALL[0] and y.min() > 0 and y.max() < SMALL[1]
        assert np.ptp(x) > 0.5 * SMALL[0], "and fills it"

    def test_planes_that_it_touches(self, drawing, bar):
        np.testing.assert_allclose(drawing.ground.frame[2], (0, 0, 1, -THICK), atol=1e-12)
        seen = Drawing(Frames(still_run(bar)))
        assert seen.ground.frame[2, 3] == -0.3
        plates = next(layer for layer in seen.layers if layer.name == "plates")
        place = plates.place(seen.frames.at(0.0))[0]
        assert len(place.positions) == 1, "the floor is the ground, and drawn once"
        np.testing.assert_allclose(place.positions[0], (0.5, 0, 0), atol=0.01)

    def test_models_without_have_no_such_layer(self, rigid):
        assert not any(isinstance(layer, Skins) for layer in Drawing(Frames(rigid)).layers)


class TestColours:
    def test_own_colour(self, drawing, bar):
        assert np.array_equal(skins_of(drawing).colours(drawing.frames.at(1.0)), [rgb(SOFT)[None]])
        seen = Drawing(Frames(still_run(bar)))
        assert np.array_equal(skins_of(seen).colours(seen.frames.at(0.0)), [[(51, 102, 153)]])

    def test_of_strain(self, run):
        seen = Drawing(Frames(run), Look(strain=0.5))
        assert seen.strain == 0.5
        colours, body = skins_of(seen).colours(seen.frames.at(run.t[100]))[0][0], run.model.soft_bodies["flesh"]
        strain = run.surface_strain("flesh")[100]
        part = skins_of(seen).parts[0]
        where = np.argmin(np.abs(part.mesh.vertices[:, None] - body.vertices[None, ::50]).sum(axis=2), axis=0)
        assert np.array_equal(colours[where], strain_colours(strain[::50] / 0.5))
        assert strain.max() > 0.5 and (colours == ramp(STRAINED)[-1]).all(axis=1).any(), "beyond it all look alike"

    def test_the_scale_reaches_the_largest_strain(self, run):
        seen = Drawing(Frames(run), Look(strain=True))
        looked = np.array([run.surface_strain("flesh").max()])
        assert looked <= seen.strain < 1.6 * looked

    def test_a_turned_body_is_not_strained(self):
        model = star()
        body, q, turn = model.soft_bodies["flesh"], np.zeros(model.ndof), mm.rotation((0, 0, 1), 2.0)[:3, :3]
        q[5] = 2.0
        centre = mm.forward_kinematics(model, np.zeros(model.ndof))[0, :3, 3]
        q[model.joint_dofs :] = ((body.soft.rest - centre) @ (turn - np.eye(3)).T)[body.links < 0].ravel()
        frames = Frames(still_run(model, model.state(q)))
        seen = Drawing(frames, Look(strain=True))
        assert seen.strain == 0.1, "the scale of what is not strained"
        assert (skins_of(seen).colours(frames.at(0.0))[0] == ramp(STRAINED)[0]).all()

    @pytest.mark.parametrize(
        ("strain", "end"), [(0.0, 0.1), (0.0123, 0.015), (0.2, 0.2), (0.61, 0.8), (9.1, 10.0), (3.0e-7, 3.0e-7)]
    )
    def test_scales_end_at_round_numbers(self, strain, end):
        assert rounded_up(strain) == pytest.approx(end, rel=1e-12)


class TestPictures:
    def test_the_rod_is_seen_through_the_flesh(self, run):
        camera = Drawing(Frames(run)).camera(SMALL[0] / SMALL[1])
        x, y, _ = camera.project(run.poses[0, 0, :3, 3], *SMALL)
        for xray, least, most in ((False, 0, 0), (True, 60, 255)):
            with_rod, without = (still(run, 0.0, size=SMALL, xray=xray, hidden=h) for h in ((), ("bodies",)))
            change = np.abs(with_rod.astype(int) - without)[int(y), int(x)].max()
            assert least <= change <= most

    def test_it_casts_a_shadow(self, run):
        camera = Drawing(Frames(run)).camera(SMALL[0] / SMALL[1])
        bare = still(run, 0.0, size=SMALL, hidden=("soft bodies", "bodies")).astype(int)
        seen = still(run, 0.0, size=SMALL).astype(int)
        darker = (bare - seen).min(axis=2) > 40
        covered = np.zeros(darker.shape, bool)
        x, y, _ = np.moveaxis(camera.project(run.surface("flesh")[0], *SMALL), -1, 0)
        covered[y.astype(int), x.astype(int)] = True
        for _ in range(3):
            covered |= (
                np.roll(covered, 1, 0) | np.roll(covered, -1, 0) | np.roll(covered, 1, 1) | np.roll(covered, -1, 1)
            )
        assert (darker & ~covered).sum() > 100, "on the ground beside it"

    def test_shading_is_smooth(self, run):
        """No two neighbouring pixels of the top differ much: facets would."""
        size = (960, 540)
        camera = Drawing(Frames(run)).camera(size[0] / size[1])
        x, y, _ = camera.project((0.0, 0.0, THICK), *size)
        patch = still(run, 0.0, size=size)[int(y) + 6 : int(y) + 40, int(x) - 8 : int(x) + 8].astype(int)
        assert max(np.abs(np.diff(patch, axis=axis)).max() for axis in (0, 1)) <= 6
        assert np.ptp(patch, axis=(0, 1)).max() > 6, "it is round"

    def test_strain_and_its_bar(self, run):
        plain, strained = (still(run, 1.0, size=SMALL, strain=strain) for strain in (False, 0.9))
        corner = (slice(int(0.9 * SMALL[1]), None), slice(0, SMALL[0] // 2))
        assert (plain[corner] != strained[corner]).any(axis=2).sum() > 200, "the bar"
        found = {tuple(colour) for colour in strained[corner].reshape(-1, 3).tolist()}
        assert {tuple(colour) for colour in ramp(STRAINED).tolist()} <= found, "has every colour"
        assert not np.array_equal(plain[: SMALL[1] // 2], strained[: SMALL[1] // 2])
        assert not np.array_equal(strained, still(run, 1.0, size=SMALL, strain=0.5))

    def test_ghosts_are_of_flesh_too(self, run):
        hidden = ("bodies",)
        alone, several = (still(run, 1.0, size=SMALL, hidden=hidden, ghosts=n) for n in (0, 1))
        assert (alone != several).any(axis=2).sum() > 500

    def test_ghosts_of_what_is_covered_are_seen_through_it_alone(self, run):
        frames = Frames(run)
        for xray in (False, True):
            ghosts = Drawing(frames, Look(xray=xray)).ghosts(frames.at(1.0))
            assert [bool(thing.place.scales.all()) for thing in ghosts] == [xray, True]  # the rod, the flesh
        bare = Drawing(frames).ghosts(frames.at(1.0), frozenset({"soft bodies"}))
        assert len(bare) == 1

    def test_a_film(self, run, tmp_path):
        import imageio_ffmpeg

        path = save_video(run, tmp_path / "run.mp4", size=SMALL, fps=1.0, strain=True, xray=True)
        film = imageio_ffmpeg.read_frames(str(path))
        next(film)
        pictures = [np.frombuffer(frame, np.uint8).reshape(SMALL[1], SMALL[0], 3).astype(int) for frame in film]
        assert len(pictures) == 11
        true = still(run, run.t[500], size=SMALL, strain=True, xray=True).astype(int)
        assert np.abs(pictures[5] - true).mean() < 3 < np.abs(pictures[4] - true).mean()

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"strain": True}, "strain shows soft bodies in another way, and model 'rigid' has none"),
            ({"xray": True}, "xray shows soft bodies in another way, and model 'rigid' has none"),
        ],
    )
    def test_nothing_to_be_seen_gets_a_sentence(self, rigid, tmp_path, options, sentence):
        for show in (
            lambda: rigid.save_image(tmp_path / "a.png", **options),
            lambda: rigid.save_video(tmp_path / "a.mp4", **options),
            lambda: rigid.save_html(tmp_path / "a.html", **options),
            lambda: rigid.view(**options),
        ):
            with pytest.raises(ValueError, match=sentence):
                show()
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [({"strain": -0.1}, "strain, that has the last colour"), ({"xray": "yes"}, "xray is True or False, not 'yes'")],
    )
    def test_bad_options_get_a_sentence(self, run, options, sentence):
        with pytest.raises(ValueError, match=sentence):
            still(run, size=SMALL, **options)


class TestSavedPage:
    @pytest.mark.parametrize("strain", [False, True])
    def test_ten_seconds_are_small(self, run, tmp_path, strain):
        body = run.model.soft_bodies["flesh"]
        assert len(body.vertices) > 7900 and len(body.soft.rest) > 200 and run.t[-1] == 10.0
        page = run.save_html(tmp_path / "run.html", strain=strain)
        assert page.stat().st_size < MOST / 5
        assert ("strain 0" in page.read_text(encoding="utf-8")) == strain

    def test_its_legend_says_the_scale(self, run, tmp_path):
        page = run.save_html(tmp_path / "run.html", strain=0.75).read_text(encoding="utf-8")
        assert re.search(r"strain 0<span [^>]*></span>0\.75<", page)


class TestServedPage:
    def test_its_scale_follows_the_run(self, bar):
        """A model without joints, simulated on its page."""
        options = {"integrator": "bdf1", "h": 0.01, "duration": 0.2}
        with mm.view(bar, run=False, strain=True, **options) as page:
            assert page.canvas.drawing.strain == 0.1 and ">0.1<" in page.panel.scale.content
            page.simulate()
            page.simulation.join()
            most = page.canvas.drawing.strain
            run = page.player.frames.trajectory
            assert most == rounded_up(run.surface_strain("bar").max()) != 0.1
            assert f">{most:g}<" in page.panel.scale.content

    def test_models_without_have_no_controls(self, rigid):
        with rigid.view() as page:
            assert not hasattr(page.panel, "scale") and page.canvas.skins == []


def test_the_star_is_what_it_says():
    """The stand-in itself: closed, and of the size that the others count on."""
    body = star().soft_bodies["flesh"]
    edges = np.sort(np.concatenate([body.faces[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    assert np.linalg.norm(body.vertices, axis=1).max() == pytest.approx(RADIUS, rel=0.01)
