"""The command line as a person meets it."""

import os
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from myomass import Trajectory, __version__, scenes
from myomass._jit import PACKAGE
from myomass.cli import app


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, [*words])


def test_list_shows_every_scene(call):
    done = call("list")
    assert done.exit_code == 0
    assert all(name in done.output for name in scenes.names())


def test_the_package_itself_is_the_command_line():
    """For whoever has no script on the path; usage names the command, not a file."""
    there = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    asked = {"capture_output": True, "text": True, "env": there, "timeout": 300}
    done = subprocess.run([sys.executable, "-m", "myomass", "--version"], **asked)
    assert (done.returncode, done.stdout.strip()) == (0, f"myomass {__version__}"), done.stderr
    done = subprocess.run([sys.executable, "-m", "myomass", "ik"], **asked)
    assert done.returncode == 2 and "Usage: myomass ik " in done.stderr


def test_a_negative_number_is_a_scene(call):
    done = call("run", "-1", "--duration", "0.1")
    assert done.exit_code == 0
    assert "simpler-serial-chain" in done.output


@pytest.mark.parametrize("scene", ["0", "simple-serial-chain"])
def test_run_prints_a_summary(call, scene):
    done = call("run", scene, "--duration", "0.1", "--integrator", "rk4")
    assert done.exit_code == 0
    for word in ("simple-serial-chain", "5 bodies, 3 degrees of freedom", "10 in", "steps/s", "energy drift"):
        assert word in done.output


def test_parameters_of_a_scene_are_set(call):
    done = call("run", "compass-walker", "--set", "slope=0.03", "--set", "leg-mass=0.9", "--duration", "2.4")
    assert done.exit_code == 0, done.output
    assert "x strike, the last at" in done.output
    wrong = {"slope": "--set takes NAME=VALUE", "colour=1": "has no parameter 'colour'", "slope=steep": "is a number"}
    for word, sentence in wrong.items():
        done = call("run", "compass-walker", "--set", word)
        assert done.exit_code == 2
        assert sentence in done.output


def test_a_word_is_a_parameter_too(call):
    """And what is stored for other parameters is not what such a run is compared with."""
    done = call("run", "spline-knee", "--set", "knee=revolute")
    assert done.exit_code == 0, done.output
    assert "a revolute knee" in done.output
    assert "reference" not in done.output
    assert "reference" in call("run", "spline-knee", "--set", "knee=spline").output


def test_run_writes_what_is_asked_for(call, tmp_path):
    done = call(
        "run", "0", "--duration", "0.1", "--h", "0.01", "--integrator", "symplectic", "--out", "run.npz", "--plot"
    )
    assert done.exit_code == 0
    with np.load(tmp_path / "run.npz") as saved:
        assert saved["t"].shape == (11,)
    assert (tmp_path / "simple-serial-chain-energy.png").stat().st_size > 10_000


def test_run_all_checks_every_scene(call):
    done = call("run", "all")
    assert done.exit_code == 0, done.output
    lines = {line.split()[0]: line for line in done.output.splitlines()}
    for name in scenes.names():
        if scenes.load(name).model.constraints.needs_program:  # no end energy to compare: see tests/constraints
            assert lines[name].endswith(" completed")
            continue
        assert lines[name].endswith(" ok")
        assert float(lines[name].split()[-2]) < 1e-2  # the difference to the reference


def test_several_scenes_make_a_table(call):
    done = call("run", "5", "bouncing-box", "--duration", "0.1", "--integrator", "sdirk2")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.output.splitlines()] == ["scene", "joint-torque", "bouncing-box"]
    assert done.output.count("completed") == 2


def test_a_scene_that_misses_its_reference_fails(call, monkeypatch):
    energies = {"energies": {"branching": {"recursive": 1e6}}, "exact": {}}
    monkeypatch.setattr(scenes.base, "_reference_energies", lambda: energies)
    done = call("run", "branching", "simple-serial-chain")
    assert done.exit_code == 1
    assert "differs by more than" in done.output


def test_a_run_that_ends_early_fails_and_is_saved(call, tmp_path):
    words = ("run", "limited-chain", "--integrator", "rk4", "--h", "0.1", "--duration", "100", "--out", "run.npz")
    done = call(*words)
    assert done.exit_code == 1
    assert "not finite" in done.output
    assert len(Trajectory.load(tmp_path / "run.npz").t) > 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "ten-link-chian"), "did you mean 'ten-link-chain'?"),
        (("run", "99"), "there is no scene '99'"),
        (("run", "0", "--h", "-1"), "h must be a positive number of seconds"),
        (("run", "0", "--integrator", "magic"), "there is no integrator 'magic'"),
        (("run", "0", "--out", "run.csv"), "--out must name a .npz or .sto file"),
        (("run", "0", "1", "--out", "run.npz"), "for one scene"),
        (("run", "0", "--out", "nowhere/run.npz"), "does not exist or cannot be written"),
    ],
)
def test_bad_input_gets_one_sentence(call, words, sentence):
    done = call(*words)
    assert done.exit_code == 2
    assert sentence in done.output
    assert "Traceback" not in done.output
