"""The commands that show something: pages, pictures, films, plots, reports, the gallery, and the server."""

import re
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest
from soft_motions import star, star_spec
from typer.testing import CliRunner

import myomass as mm
from myomass.cli import app

SHORT = ("--duration", "0.1", "--integrator", "rk4")
PATIENCE = 60  # [s]


@pytest.fixture
def call(tmp_path, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["myomass", *words])
        return CliRunner().invoke(app, [*words])

    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture
def nothing_runs(monkeypatch):
    monkeypatch.setattr(mm, "simulate", lambda *_, **__: pytest.fail("it was simulated"))


@pytest.fixture
def saved(tmp_path):
    return mm.simulate(mm.scenes.load(0), integrator="rk4", h=0.01, duration=0.1).save(tmp_path / "run.npz")


class TestRun:
    def test_writes_page_picture_and_plots(self, call, tmp_path):
        files = ("--html", "run.html", "--image", "run.png", "--plots", "all/of/them")
        done = call("run", "0", *SHORT, *files)
        assert done.exit_code == 0, done.output
        assert "<title>simple-serial-chain: MyoMass</title>" in (tmp_path / "run.html").read_text()
        assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
        plots = sorted(path.name for path in (tmp_path / "all" / "of" / "them").iterdir())
        assert "simple-serial-chain-energy.png" in plots
        assert len(plots) > 2
        said = {tuple(line.split()) for line in done.output.splitlines()}
        expected = [("page", "run.html"), ("picture", "run.png")]
        assert said >= {*expected, *(("plot", f"all/of/them/{name}") for name in plots)}

    def test_writes_a_film(self, call, tmp_path):
        done = call("run", "0", *SHORT, "--video", "run.mp4")
        assert done.exit_code == 0, done.output
        import imageio_ffmpeg

        assert imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "run.mp4"))[0] == 4

    def test_soft_bodies_look_as_asked_for(self, call, tmp_path, monkeypatch):
        """The picture and the page that --strain and --xray give are those of Python."""
        q = np.zeros(star().ndof)
        scene = mm.scenes.Scene("star", "Falls.", star_spec(), q, q, 0.02, 0.01, "bdf1", conservative=False)
        monkeypatch.setattr("myomass.cli.commands.load_scene", lambda name: scene)
        done = call("run", "star", "--image", "a.png", "--html", "a.html", "--strain", "--xray")
        assert done.exit_code == 0, done.output
        run = mm.simulate(scene)
        run.save_image(tmp_path / "b.png", strain=True, xray=True)
        assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
        assert "strain 0<" in (tmp_path / "a.html").read_text()

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (("0", "--html", "run.txt"), "--html must name a .html file"),
            (("0", "--video", "run.avi"), "--video must name a .mp4 file"),
            (("0", "--image", "run.jpg"), "--image must name a .png file"),
            (("0", "1", "--image", "run.png"), "for one scene"),
            (("0", "--image", "nowhere/run.png"), "does not exist or cannot be written"),
            (("0", "1", "--view"), "--view shows one scene, and there are 2"),
            (("0", "--picture", "run.png"), "there is no option --picture"),
            (("0", "--image", "run.png", "--strain"), "strain shows soft bodies in another way, and model"),
            (("0", "--xray", "--view"), "xray shows soft bodies in another way, and model"),
        ],
    )
    def test_bad_files_are_refused_before_anything_runs(self, call, nothing_runs, tmp_path, words, sentence):
        done = call("run", *words)
        assert done.exit_code == 2
        assert sentence in done.output
        assert not list(tmp_path.iterdir())


class TestReport:
    def test_of_a_scene(self, call, tmp_path):
        done = call("report", "0", *SHORT)
        assert done.exit_code == 0, done.output
        assert done.output.split() == ["report", "simple-serial-chain-report.html"]
        page = (tmp_path / "simple-serial-chain-report.html").read_text()
        assert "<pre>myomass report 0 --duration 0.1 --integrator rk4</pre>" in page
        assert mm.scenes.load(0).description in page
        assert re.search(r"<th>time</th><td>\d+\.\d+ s, [\d,]+ steps/s</td>", page)
        assert "<th>step</th><td>0.01 s</td>" in page

    def test_of_an_adaptive_run(self, call, tmp_path):
        assert call("report", "0", "--duration", "0.1", "--rtol", "1e-6", "--out", "a.html").exit_code == 0
        assert "<td>relative 1e-06, absolute 1e-06</td>" in (tmp_path / "a.html").read_text()

    def test_of_a_file(self, call, saved, tmp_path):
        done = call("report", "run.npz")
        assert done.exit_code == 0, done.output
        assert "simple-serial-chain" in (tmp_path / "run-report.html").read_text()

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (("0", "--out", "run.pdf"), "a report is saved as .html or .htm, and the file is 'run.pdf'"),
            (("0", "--out", "nowhere/run.html"), "there is no folder nowhere"),
            (("99",), "there is no scene '99'"),
            (("nothing.npz",), "there is no file nothing.npz"),
        ],
    )
    def test_bad_input_is_refused_before_anything_runs(self, call, nothing_runs, words, sentence):
        done = call("report", *words)
        assert done.exit_code == 2
        assert sentence in done.output


class TestGallery:
    def test_draws_every_scene(self, call, monkeypatch, tmp_path):
        names = ("simple-serial-chain", "branching")
        monkeypatch.setattr(mm.scenes, "names", lambda: names)
        done = call("gallery")
        assert done.exit_code == 0, done.output
        page = (tmp_path / "gallery.md").read_text()
        for name in names:
            assert f"(gallery/{name}.png)" in page
            assert (tmp_path / "gallery" / f"{name}.png").read_bytes().startswith(b"\x89PNG")

    def test_into_no_folder(self, call, nothing_runs):
        done = call("gallery", "nowhere")
        assert done.exit_code == 2
        assert "there is no folder nowhere" in done.output


class TestView:
    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (("nothing.npz",), "there is no file nothing.npz"),
            (("run.npz", "--duration", "2"), "run.npz holds a run that is done, and takes no --duration"),
            (("simple-serial-chian",), "did you mean 'simple-serial-chain'?"),
            (("simple-serial-chain", "--xray"), "model 'simple-serial-chain' has none"),
            (("run.npz", "--port", "0"), "the port is a number from 1 to 65535, not 0"),
            (("run.npz", "--host", "192.0.2.1"), "this machine has no such address"),
            (("--sideways",), "there is no option --sideways"),
        ],
    )
    def test_bad_input_gets_one_sentence(self, call, saved, words, sentence):
        done = call("view", *words)
        assert done.exit_code == 2
        assert sentence in done.output
        assert "Traceback" not in done.output

    def test_a_file_that_is_no_run(self, call, tmp_path):
        (tmp_path / "odd.npz").write_text("hello")
        done = call("view", "odd.npz")
        assert done.exit_code == 2
        assert "odd.npz is no trajectory that save() wrote" in done.output

    @pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
    @pytest.mark.parametrize("words", [("run.npz",), ("0", "--duration", "10000", "--h", "0.001")])
    def test_serves_until_ctrl_c(self, saved, tmp_path, words):
        """The second is still being simulated when it is ended. A shell in the background would have SIGINT ignored."""
        heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        command = [sys.executable, "-c", heeding + "from myomass.cli import app; app()", "view", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, cwd=tmp_path, **pipes) as running:
            try:
                line = running.stdout.readline()
                assert line.startswith("myomass: showing simple-serial-chain at http://127.0.0.1:"), line
                assert running.stdout.readline() == "myomass: Ctrl-C ends it\n"
                with urllib.request.urlopen(line.split()[-1], timeout=PATIENCE) as answer:
                    assert answer.status == 200
                running.send_signal(signal.SIGINT)
                out, errors = running.communicate(timeout=PATIENCE)
            finally:
                running.kill()
        assert running.returncode == 0
        assert "Traceback" not in out + errors


def test_nothing_of_it_is_loaded_before_it_is_used():
    loaded = "import sys, myomass; print(*[m for m in sys.modules if m.split('.')[0] in {} or 'myomass.render' in m])"
    drawing = ("viser", "matplotlib", "PIL", "imageio_ffmpeg", "trimesh", "playwright")
    done = subprocess.run([sys.executable, "-c", loaded.format(drawing)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
