"""Files of networks: what is kept, and one sentence for each that cannot be used, with the muscle's name."""

import json
from itertools import pairwise

import numpy as np
import pytest
from mechanisms import ACROSS, knee_cylinder, pendulum

import myomass as mm
from myomass.muscles.network.table import WEIGHTS
from myomass.muscles.network.trained import HIDDEN, WIDTH, BrokenFile, Weights
from myomass.muscles.network.training import Settings

pytestmark = pytest.mark.fast
RNG = np.random.default_rng(0)


def network(hidden=(4, 3), inputs=6, outputs=2, **changed) -> Weights:
    """A random one of the right size for circles."""
    sizes = [inputs, *hidden, outputs]
    layers = tuple((RNG.normal(size=pair), RNG.normal(size=pair[1])) for pair in pairwise(sizes))
    given = {"problem": "circle", "layers": layers, "centre": np.zeros(inputs), "spread": np.ones(inputs)}
    given |= {"low": np.array([0.1, 0.1, 0.0]), "high": np.array([1.5, 1.5, 4.0]), "about": {"seed": 1}}
    return Weights(**given | changed)


def rewritten(path, **changed):
    """A saved file with some of its arrays changed; None drops one."""
    with np.load(path) as file:
        arrays = {key: value for key, value in (dict(file) | changed).items() if value is not None}
    np.savez(path, **arrays)


def with_hole(part: str):
    def spoil(path):
        with np.load(path) as file:
            array = file[part].copy()
        array.ravel()[-1] = np.nan
        rewritten(path, **{part: array})

    return spoil


def told(**changed):
    def spoil(path):
        with np.load(path) as file:
            now = json.loads(str(file["told"])) | changed
        rewritten(path, told=np.array(json.dumps({key: value for key, value in now.items() if value is not None})))

    return spoil


def flip_bytes(path):
    data = bytearray(path.read_bytes())
    for k in range(200, 300):
        data[k] ^= 0xFF
    path.write_bytes(bytes(data))


BROKEN = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("weights"),
    "damaged": flip_bytes,
    "foreign": lambda path: np.savez(path, t=np.arange(3)),
    "array": lambda path: np.save(path.open("wb"), np.arange(3)),
    "pickled": lambda path: np.savez(path, told=np.array([{}], dtype=object)),
    "other format": told(format=99),
    "no story": told(about=None),
    "too many layers": told(layers=4),
    "no layers": told(layers=0),
    "layer gone": lambda path: rewritten(path, matrix_1=None),
    "layer too small": lambda path: rewritten(path, matrix_1=np.ones((4, 2))),
    "offsets of no size": lambda path: rewritten(path, offsets_1=np.array(1.0)),
    "scales too few": lambda path: rewritten(path, spread=np.ones(5)),
    "scale zero": lambda path: rewritten(path, spread=np.zeros(6)),
    "limits too few": lambda path: rewritten(path, low=np.zeros(2)),
    **{f"a hole in {part}": with_hole(part) for part in ("matrix_0", "offsets_2", "centre", "spread", "low", "high")},
}


@pytest.mark.parametrize("spoil", BROKEN.values(), ids=BROKEN)
def test_broken_files_get_one_sentence(tmp_path, spoil):
    path = network().save(tmp_path / "mine.npz")
    assert Weights.load(path).sizes == [6, 4, 3, 2]
    spoil(path)
    with pytest.raises(BrokenFile, match=r"mine\.npz") as said:
        Weights.load(path)
    assert "\n" not in str(said.value)
    with pytest.raises(ValueError, match=r"^muscle 'm0': .*mine\.npz"):
        pendulum(ACROSS | {"wrap": [knee_cylinder()], "smoothing": mm.Network(path)})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (network(inputs=7), "the network has 7 inputs"),
        (network(outputs=3), "3 outputs"),
        (
            network(problem="capsule"),
            "those of a capsule, and the path wraps a Cylinder, which needs those of a circle",
        ),
        (WEIGHTS / "capsule.npz", r"in .*capsule\.npz are those of a capsule"),
        (3, "int"),
    ],
)
def test_networks_for_something_else_are_refused(given, sentence):
    with pytest.raises((ValueError, TypeError), match=f"^muscle 'm0': .*{sentence}"):
        pendulum(ACROSS | {"wrap": [knee_cylinder()], "smoothing": mm.Network(given)})


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^muscle 'm0': there is no file .*none\.npz"):
        pendulum(ACROSS | {"wrap": [knee_cylinder()], "smoothing": mm.Network(tmp_path / "none.npz")})


def test_networks_that_are_too_wide_are_refused(tmp_path):
    path = network(hidden=(WIDTH + 1,)).save(tmp_path / "wide.npz")
    with pytest.raises(ValueError, match=rf"wide\.npz: a network has at most {WIDTH} units in a layer"):
        Weights.load(path)


def test_weights_are_cut_to_float32_and_scales_are_not(tmp_path):
    made = network(centre=RNG.normal(size=6))
    loaded = Weights.load(made.save(tmp_path / "mine.npz"))
    for mine, kept in zip(made.layers, loaded.layers, strict=True):
        for before, after in zip(mine, kept, strict=True):
            assert after.dtype == np.float32
            np.testing.assert_array_equal(after, before.astype(np.float32))
    np.testing.assert_array_equal(loaded.centre, made.centre)
    assert (loaded.problem, loaded.about) == ("circle", {"seed": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.npz"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden": ()}, "one layer at least"),
        ({"hidden": (8, 0)}, "whole numbers of units"),
        ({"hidden": (8, 2.5)}, "whole numbers of units"),
        ({"hidden": (WIDTH + 1,)}, f"at most {WIDTH} units"),
        ({"hidden": (WIDTH,) * (HIDDEN // WIDTH + 1)}, f"{HIDDEN} in all"),
        ({"steps": 0}, "steps must be"),
        ({"batch": -1}, "batch must be"),
        ({"samples": 2.5}, "samples must be"),
        ({"patience": True}, "patience must be"),
        ({"seed": -1}, "seed must be"),
        ({"rate": 0.0}, "rate must be positive"),
        ({"rate": np.inf}, "rate must be positive"),
        ({"threshold": 1.0}, "threshold between"),
        ({"rates_weight": np.nan}, "rates_weight not negative"),
    ],
)
def test_bad_settings_of_a_training(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        Settings(**settings)
