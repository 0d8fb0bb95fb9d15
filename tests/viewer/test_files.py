"""Pages, pictures, films, reports and the gallery as files; the server's manners; and sentences where a part lacks."""

import io
import re
import socket
import sys
import threading
import urllib.request
from dataclasses import replace
from html import escape

import numpy as np
import pytest

import myomass as mm
from myomass.trajectory import ROWS
from myomass.viewer import recording, video
from myomass.viewer.gallery import add_picture, write_page
from myomass.viewer.plots import plots_of
from myomass.viewer.report import report, save_report
from myomass.viewer.stills import still

NAME = "<b>&"
SMALL = (160, 90)
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def swing():
    """Half a second of two bars; their model has a name that wants to be escaped."""
    spec, bar = mm.Spec(NAME), mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.5), bar)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), mm.translation(0, 0, -0.5), bar)
    return mm.simulate(spec.compile(), q=[0.5, 0.3], integrator="rk4", h=0.01, duration=0.5)


@pytest.fixture
def empty(swing):
    return replace(swing, **{key: getattr(swing, key)[:0] for key in ROWS})


def size_of(png):
    from PIL import Image

    return Image.open(io.BytesIO(png)).size


def fetched(page):
    """Addresses that a browser would fetch for a page, but those that hold their contents."""
    found = re.findall(r"""<[a-z]+\b[^<>]*?\b(?:src|href)\s*=\s*["']?([^"'\s>]+)""", page)
    return [address for address in found if not address.startswith("data:")]


class TestPage:
    def test_is_one_file_with_everything_in_it(self, swing, tmp_path):
        path = swing.save_html(tmp_path / "run.html")
        page = path.read_text(encoding="utf-8")
        outside = [address for address in fetched(page) if re.match(r"(https?:)?//", address)]
        assert outside == []
        assert not re.search(r"@import|url\(\s*[\"']?https?:", page)
        assert f"<title>{escape(NAME)}: MyoMass</title>" in page
        assert f"{escape(NAME)}: rk4, energy drift {swing.energy_drift:.1e}</div>" in page
        assert NAME not in page
        assert page.rstrip().endswith("</html>")

    def test_a_forest_of_ten_seconds_is_small(self, tmp_path):
        from trees import random_spec

        spec = random_spec(3, 30, ["revolute", "spherical-exp"])
        model = spec.compile()
        t = np.linspace(0, 10, 1001)
        q = np.sin(t[:, None] * np.linspace(0.5, 3, model.ndof))
        qdot = np.cos(t[:, None] * np.linspace(0.5, 3, model.ndof)) * np.linspace(0.5, 3, model.ndof)
        run = mm.Trajectory(model, t, q, qdot, np.zeros((len(t), 0)), "made up")
        assert run.save_html(tmp_path / "run.html").stat().st_size < 5e6

    def test_a_long_run_is_thinned_with_a_warning(self, swing, tmp_path, monkeypatch):
        monkeypatch.setattr(recording, "MOST_FRAMES", 5)
        with pytest.warns(RuntimeWarning, match=r"run of 0.5 s is shown in 5 pictures, 10 a second instead of 30"):
            swing.save_html(tmp_path / "run.html")

    def test_one_row_is_enough(self, swing, tmp_path):
        start = replace(swing, **{key: getattr(swing, key)[:1] for key in ROWS})
        assert start.save_html(tmp_path / "start.htm").stat().st_size > 1e5

    def test_leaves_no_thread(self, swing, tmp_path):
        before = set(threading.enumerate())
        swing.save_html(tmp_path / "run.html")
        assert not {thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()}

    def test_bad_targets(self, swing, empty, tmp_path):
        with pytest.raises(ValueError, match=r"a page is saved as \.html or \.htm, and the file is 'run\.txt'"):
            swing.save_html(tmp_path / "run.txt")
        with pytest.raises(ValueError, match="the run has no rows"):
            empty.save_html(tmp_path / "run.html")


class TestPictures:
    def test_a_file(self, swing, tmp_path):
        contents = swing.save_image(tmp_path / "run.PNG", 0.2, size=(200, 100)).read_bytes()
        assert contents.startswith(PNG)
        assert size_of(contents) == (200, 100)

    def test_the_last_row_unless_a_time_is_given(self, swing):
        last = still(swing, size=SMALL)
        np.testing.assert_array_equal(last, still(swing, 0.5, size=SMALL))
        assert (last != still(swing, 0.0, size=SMALL)).any()
        assert last.shape == (90, 160, 3)
        assert last.dtype == np.uint8

    def test_ghosts_and_hidden_layers_change_it(self, swing):
        plain = still(swing, size=SMALL).astype(int)
        pictures = [still(swing, size=SMALL, **options).astype(int) for options in (
            {"ghosts": 3}, {"hidden": ["bodies"]}, {"hidden": ["ground"]}, {"hidden": ["joints"]})]  # fmt: skip
        for picture in pictures:
            assert np.abs(picture - plain).max() > 20
        bare = still(swing, size=SMALL, hidden=["bodies", "joints", "ground"])
        colours = bare.reshape(90, 160, 3).astype(int)
        assert np.ptp(colours, axis=1).max() <= 2  # nothing but the sky, which is the same along a line

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"hidden": ["bones"]}, "there is no layer 'bones' to hide; there are: bodies, joints, axes, ground"),
            ({"size": (15, 100)}, r"whole numbers from 16 to 8192 pixels, not \(15, 100\)"),
            ({"size": (100, 9000)}, "whole numbers from 16 to 8192"),
            ({"size": (100.5, 100)}, "whole numbers"),
            ({"size": (100,)}, r"size \(width, height\) in pixels must be finite numbers of shape \(2,\)"),
            ({"size": "large"}, "size .* must be finite numbers"),
            ({"t": np.nan}, "t must be a finite number"),
            ({"t": 9.0}, "the run goes from 0 to 0.5 s, and t is 9 s"),
            ({"t": -0.1}, "the run goes from 0 to 0.5 s, and t is -0.1 s"),
        ],
    )
    def test_bad_options_get_a_sentence(self, swing, tmp_path, options, sentence):
        with pytest.raises(ValueError, match=sentence):
            swing.save_image(tmp_path / "run.png", **options)
        assert not list(tmp_path.iterdir())

    def test_bad_targets_get_a_sentence(self, swing, tmp_path):
        with pytest.raises(ValueError, match=r"a picture is saved as \.png, and the file is 'run\.jpg'"):
            swing.save_image(tmp_path / "run.jpg")
        with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere to save run\.png in"):
            swing.save_image(tmp_path / "nowhere" / "run.png")
        (tmp_path / "folder.png").mkdir()
        with pytest.raises(IsADirectoryError, match="is a folder"):
            swing.save_image(tmp_path / "folder.png")


class TestFilms:
    def frames_of(self, path):
        """(what the file says of itself, its pictures)."""
        import imageio_ffmpeg

        reader = imageio_ffmpeg.read_frames(str(path))
        about = next(reader)
        width, height = about["size"]
        return about, [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader]

    def test_pictures_are_those_of_the_run(self, swing, tmp_path):
        about, pictures = self.frames_of(swing.save_video(tmp_path / "run.mp4", size=(161, 91), fps=20))
        assert about["size"] == (160, 90)  # made even
        assert about["fps"] == 20
        assert len(pictures) == 0.5 * 20 + 1
        for t, picture in ((0.0, pictures[0]), (0.5, pictures[-1])):
            expected = still(swing, t, size=(160, 90)).astype(int)
            assert np.abs(picture - expected).mean() < 4
        assert np.abs(pictures[0].astype(int) - pictures[-1]).mean() > 4

    def test_slow_motion(self, swing, tmp_path):
        _, pictures = self.frames_of(swing.save_video(tmp_path / "run.mp4", size=SMALL, fps=10, speed=0.5))
        assert len(pictures) == 0.5 / 0.5 * 10 + 1

    def test_bad_options_get_a_sentence(self, swing, tmp_path, monkeypatch):
        for options, sentence in (({"fps": 0}, "fps must be finite and positive"), ({"speed": -1}, "speed must be")):
            with pytest.raises(ValueError, match=sentence):
                swing.save_video(tmp_path / "run.mp4", **options)
        with pytest.raises(ValueError, match=r"a film is saved as \.mp4, and the file is 'run\.avi'"):
            swing.save_video(tmp_path / "run.avi")
        monkeypatch.setattr(video, "MOST_FRAMES", 10)
        with pytest.raises(ValueError, match=r"16 pictures are too many; take a speed of 1\.6 or more, for 10 at most"):
            swing.save_video(tmp_path / "run.mp4")


class TestPagesOfPictures:
    def test_a_notebook_shows_two_pictures(self, swing, empty):
        shown = swing._repr_html_()
        assert shown.count("<img") == shown.count("data:image/png;base64,") == 2
        assert escape(repr(swing)) in shown
        assert NAME not in shown
        assert empty._repr_html_() is None

    def test_a_notebook_without_matplotlib_shows_text(self, swing, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        assert swing._repr_html_() is None

    def test_a_report_says_it_all(self, swing, tmp_path):
        facts = {"step <h>": "0.01 s & more"}
        page = report(swing, description="two <bars>", command="myomass report '<x>'", facts=facts)
        cells = dict(re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td></tr>", page))
        assert cells == {
            "model": "2 bodies, 2 degrees of freedom",
            "integrator": "rk4",
            "simulated": "0 to 0.5 s (completed)",
            "steps": "50 accepted",
            "energy exchanged": f"{swing.energy_exchanged:.6g} J",
            "energy drift": f"{swing.energy_drift:.3e} of the energy exchanged",
            "step &lt;h&gt;": "0.01 s &amp; more",
        }
        assert page.count("<img") == page.count("data:image/png;base64,") == 1 + len(plots_of(swing))
        for text in (
            "two &lt;bars&gt;",
            f"<pre>{escape(chr(39).join(['myomass report ', '<x>', '']))}</pre>",
            escape(NAME),
        ):
            assert text in page
        assert NAME not in page
        assert fetched(page) == []
        assert save_report(swing, tmp_path / "run.html").read_text().count("Made by") == 0
        with pytest.raises(ValueError, match=r"a report is saved as \.html"):
            save_report(swing, tmp_path / "run.pdf")

    def test_a_report_notes_what_is_missing(self, swing):
        q = swing.q.copy()
        q[20:] = np.nan
        assert '<p class="note">not finite from t = 0.2 s</p>' in report(replace(swing, q=q))

    def test_the_gallery(self, swing, tmp_path):
        path = add_picture(swing, "bars", tmp_path)
        assert path == tmp_path / "gallery" / "bars.png"
        assert size_of(path.read_bytes()) == (480, 270)
        scenes = [(f"scene-{i}", f"It is number {i}.") for i in range(4)]
        lines = write_page(scenes, tmp_path).read_text().splitlines()
        rows = [line for line in lines if line.startswith("| !")]
        assert [line.count("|") for line in rows] == [4, 4]
        for i in range(4):
            assert f"![scene-{i}](gallery/scene-{i}.png)<br>**scene-{i}**<br>It is number {i}." in rows[i // 3]


class TestMissingPackages:
    @pytest.mark.parametrize(
        ("package", "make", "sentence"),
        [
            ("viser", lambda run, at: run.view(), "the viewer needs viser: pip install 'myomass[view]'"),
            (
                "viser",
                lambda run, at: run.save_html(at / "a.html"),
                "the viewer needs viser: pip install 'myomass[view]'",
            ),
            ("PIL", lambda run, at: run.save_image(at / "a.png"), "pictures need Pillow: pip install 'myomass[plot]'"),
            (
                "imageio_ffmpeg",
                lambda run, at: run.save_video(at / "a.mp4", size=SMALL),
                "films need imageio-ffmpeg: pip install 'myomass[video]'",
            ),
            ("matplotlib", lambda run, at: save_report(run, at / "a.html"), "pip install 'myomass[plot]'"),
        ],
    )
    def test_say_how_to_get_them(self, swing, tmp_path, monkeypatch, package, make, sentence):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=re.escape(sentence)):
            make(swing, tmp_path)
        assert not list(tmp_path.iterdir())


def own_threads():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("myomass")]


def outer_address():
    """This machine's address in its network, if it is in one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
        try:
            trial.connect(("10.255.255.255", 1))
        except OSError:
            return None
        found = trial.getsockname()[0]
    return None if found.startswith("127.") or found == "0.0.0.0" else found


class TestServer:
    def test_answers_and_ends(self, swing, capsys):
        page = swing.view()
        assert capsys.readouterr().out == f"myomass: showing {NAME} at {page.address}\n"
        assert page.address.startswith("http://127.0.0.1:")
        assert own_threads() == ["myomass player"]
        with urllib.request.urlopen(page.address) as answer:
            assert answer.status == 200
        page.stop()
        page.stop()
        assert own_threads() == []
        with pytest.raises(OSError):
            urllib.request.urlopen(page.address, timeout=2)

    def test_a_simulation_ends_with_its_page(self):
        with mm.view(mm.scenes.load("simple-serial-chain"), duration=1e4, h=1e-3) as page:
            assert "myomass simulation" in own_threads()
        assert own_threads() == []
        assert not page.simulating

    def test_listens_to_this_machine_alone(self, swing):
        outside = outer_address()
        if outside is None:
            pytest.skip("this machine is in no network")
        with swing.view() as page:
            port = page.server.get_port()
            with socket.create_connection(("127.0.0.1", port), timeout=2):
                pass
            with pytest.raises(OSError):
                socket.create_connection((outside, port), timeout=2)

    def test_bad_ports_and_hosts_get_a_sentence(self, swing):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(
                OSError, match=rf"cannot listen on 127\.0\.0\.1:{port}: it is in use; leave the port out"
            ):
                swing.view(port=port)
        for port in (0, -1, 65536, "8080", 80.5):
            with pytest.raises(ValueError, match="the port is a number from 1 to 65535, not"):
                swing.view(port=port)
        with pytest.raises(OSError, match=r"cannot listen on 192\.0\.2\.1: this machine has no such address"):
            swing.view(host="192.0.2.1")
        assert own_threads() == []

    def test_bad_things_to_see_get_a_sentence(self, swing):
        with pytest.raises(TypeError, match="a trajectory takes no duration: it has been run"):
            swing.view(duration=2)
        with pytest.raises(TypeError, match="give a trajectory, a scene or a model, not 7"):
            mm.view(7)
        assert own_threads() == []
