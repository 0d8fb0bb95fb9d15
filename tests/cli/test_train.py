"""`myomass train` as a person meets it: what it prints, how it goes on, and what it says of bad input."""

import sys

import pytest
from typer.testing import CliRunner

import myomass as mm
from myomass.cli import app
from myomass.cli import train as cli_train
from myomass.muscles.network import training
from myomass.muscles.network.trained import Weights

TINY = ("--steps", "120", "--samples", "600", "--batch", "32", "--hidden", "5,4", "--seed", "2")


@pytest.fixture
def call(tmp_path, monkeypatch):
    pytest.importorskip("jax")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "BLOCK", 40)
    monkeypatch.setattr(training, "VALIDATION", 300)
    monkeypatch.setattr(training, "HELD_OUT", 200)
    return lambda *words: CliRunner().invoke(app, ["train", *words])


@pytest.fixture
def nothing_trains(monkeypatch):
    monkeypatch.setattr(cli_train, "train", lambda *_, **__: pytest.fail("it was trained"))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def interrupted(call, monkeypatch, *words, looks=2):
    """A run that Ctrl-C ends after so many looks."""
    seen = []

    def show(self, now):
        seen.append(now)
        if len(seen) == looks:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(cli_train._Bar, "show", show)
        return call(*words)


def test_prints_what_it_does_and_writes_a_network_that_muscles_take(call, tmp_path):
    done = call("sphere", *TINY)
    assert done.exit_code == 0, done.output
    weights = Weights.load(tmp_path / "sphere.npz")
    assert weights.problem == "circle"
    assert weights.sizes == [6, 5, 4, 2]
    assert weights.about["settings"]["seed"] == 2
    errors = weights.about["errors"]
    lines = {line.split()[0]: line for line in done.output.splitlines()}
    assert lines["device"].split()[1:]
    assert "120/120" in lines["training"]
    assert "best" in lines["training"]
    assert lines["steps"].split()[1:] == ["120", "of", "120"]
    for word, key in (("places", "place"), ("Jacobian", "jacobian")):
        assert f"mean {errors[key]['mean']:.1e}, 99th percentile {errors[key]['p99']:.1e}" in lines[word]
    assert lines["saved"].split() == ["saved", "sphere.npz"]
    assert names(tmp_path) == ["sphere.npz"]
    spec = mm.Spec()
    spec.add_body("a", None, mm.Revolute((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    points, ball = [(None, (-2, 0.5, 0)), ("a", (2, 0.5, 0))], mm.wrap.Sphere(None, side=(0, 1, 0))
    spec.add_muscle("m", 1.0, points, [ball], smoothing=mm.Network("sphere.npz", outside="error"))
    assert spec.compile().muscles.learned


def test_goes_on_after_an_interrupt_to_the_same_network(call, tmp_path, monkeypatch):
    words = ("capped-cylinder", *TINY, "--out", "mine.npz")
    done = interrupted(call, monkeypatch, *words)
    assert done.exit_code == 130
    assert "interrupted; the same command goes on from mine.state.npz" in done.output
    assert names(tmp_path) == ["mine.state.npz"]
    done = call(*words)
    assert done.exit_code == 0, done.output
    assert "goes on       from step 80, mine.state.npz" in done.output
    assert names(tmp_path) == ["mine.npz"]
    assert call("capsule", *TINY).exit_code == 0
    assert Weights.load("mine.npz").digest == Weights.load("capsule.npz").digest


def test_an_interrupt_before_the_first_checkpoint(call, tmp_path, monkeypatch):
    def at_once(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_train, "train", at_once)
    done = call("circle", *TINY)
    assert done.exit_code == 130
    assert "the same command starts anew" in done.output
    assert names(tmp_path) == []


def test_fresh_drops_the_checkpoint(call, tmp_path, monkeypatch):
    interrupted(call, monkeypatch, "circle", *TINY)
    done = call("circle", *TINY, "--rate", "0.001")
    assert done.exit_code == 2
    assert "circle.state.npz is the checkpoint of a training with other settings (rate)" in done.output
    assert names(tmp_path) == ["circle.state.npz"]
    done = call("circle", *TINY, "--rate", "0.001", "--fresh")
    assert done.exit_code == 0, done.output
    assert "goes on" not in done.output
    assert names(tmp_path) == ["circle.npz"]


def test_says_that_it_stopped_early(call):
    done = call("circle", *TINY, "--rate", "1.0", "--steps", "20000", "--patience", "2")
    assert done.exit_code == 0, done.output
    taken = Weights.load("circle.npz").about["steps_taken"]
    assert taken < 20_000
    assert f"  steps         {taken:,} of 20,000, stopped early: none better in 2 looks" in done.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("cylindre",), "there is no network for a surface 'cylindre'; did you mean 'cylinder'?"),
        (("torus",), "there are: cylinder, sphere, capped-cylinder, circle, capsule"),
        (("circle", "--steps", "-5"), "steps must be a whole number, one at least, and is -5"),
        (("circle", "--hidden", "32,x"), "--hidden takes whole numbers with commas between"),
        (("circle", "--hidden", "32,-1"), "hidden layers are whole numbers of units"),
        (("circle", "--hidden", "1000"), "at most 256 units"),
        (("circle", "--rate", "nan"), "rate must be positive"),
        (("circle", "--threshold", "2"), "threshold between 0 and 1"),
        (("circle", "--seed", "-1"), "seed must be"),
        (("circle", "--out", "nowhere/mine.npz"), "there is no folder nowhere"),
        (("circle", "--out", "mine.pt"), "a network is saved as .npz"),
    ],
)
def test_bad_input_gets_one_sentence(call, nothing_trains, tmp_path, words, sentence):
    (tmp_path / "circle.state.npz").write_bytes(b"old")
    done = call(*words, "--fresh")
    assert done.exit_code == 2
    assert sentence in done.output
    assert done.output.count("\n") == 1
    assert names(tmp_path) == ["circle.state.npz"]  # nothing is dropped for a command that cannot run


def test_a_truncated_checkpoint_is_said_and_left(call, nothing_trains, tmp_path, monkeypatch):
    path = tmp_path / "circle.state.npz"
    path.write_bytes(b"PK\x03\x04 no more")
    done = call("circle", *TINY)
    assert done.exit_code == 2
    assert "circle.state.npz is not a complete checkpoint" in done.output
    assert done.output.count("\n") == 1
    assert path.read_bytes() == b"PK\x03\x04 no more"


def test_without_jax(call, nothing_trains, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    done = call("circle")
    assert done.exit_code == 2
    assert "training networks needs jax: pip install 'myomass[train]'" in done.output


def test_a_training_that_diverges_leaves_the_old_network(call, tmp_path):
    (tmp_path / "circle.npz").write_bytes(b"old")
    done = call("circle", *TINY, "--rate", "1e30")
    assert done.exit_code == 2
    assert "take a smaller rate" in done.output
    assert (tmp_path / "circle.npz").read_bytes() == b"old"
