"""The experiments with networks: at a kink, in many sizes, and outside the range that they were trained in."""

import json

import numpy as np
import pytest

import myomass as mm
from myomass.muscles.network.table import OWN, WEIGHTS
from myomass.muscles.network.trained import Weights
from myomass_experiments import network_kink, network_range, reproduce
from myomass_experiments.network_kink import DATA, DEPTHS, Design, Kept, designs, load_networks, look, save_networks
from myomass_experiments.network_range import RADIUS, Scene, complaints, difference, known_range, length


def numbers_of(name, folder):
    """What an experiment writes beside its figures, which are there too."""
    files, _ = reproduce(name, folder)
    for file in files[:-1]:
        assert file.suffix == ".png" and file.stat().st_size > 10_000
    return json.loads(files[-1].read_text())


@pytest.fixture(scope="module")
def shipped():
    """The network for cylinders that comes along."""
    return Weights.load(WEIGHTS / "circle.npz")


def test_network_sizes(tmp_path):
    found = numbers_of("network-sizes", tmp_path)
    networks = found["networks"]
    assert list(networks) == [design.name for design in designs()]
    before, after = found["exact_jacobian_before_and_after"]
    assert before == 0.5 and abs(after - before) > 0.1  # a straight muscle's middle moves by half
    assert found["share_on_the_cylinder_at_the_ends"][0] == 0.0
    assert found["share_on_the_cylinder_at_the_ends"][1] > max(network_kink.THRESHOLDS)
    for width in network_kink.WIDTHS:
        for threshold in network_kink.COMPARED:
            errors = [networks[Design(width, depth, threshold).name]["validation_error"] for depth in DEPTHS]
            assert errors[0] > 2 * errors[DEPTHS.index(3)] > 2 * min(errors)
    off = {
        t: networks[Design(max(network_kink.WIDTHS), network_kink.DEPTH, t).name]["largest_place_error_of_length"]
        for t in network_kink.THRESHOLDS
    }
    assert found["network_that_comes_along"]["largest_place_error_of_length"] < 0.5 * min(off.values())
    assert off[0.2] > 1.5 * off[0.1] > 2 * max(off[0.01], off[0.03], off[0.05])


def test_networks_that_come_along():
    assert DATA.stat().st_size <= 2_000_000
    networks = load_networks()
    assert list(networks) == [design.name for design in designs()]
    for design in designs():
        weights, history = networks[design.name]
        assert weights.sizes == [6, *[design.width] * design.depth, 2]
        assert weights.about["settings"]["threshold"] == design.threshold
        assert all(part.dtype == np.float32 for layer in weights.layers for part in layer)
        assert history["step"][-1] == weights.about["settings"]["steps"]


def test_the_middle_touches_last():
    touch, insertion = network_kink.touching()
    seen = network_kink.scene(insertion[0] + np.array([-1e-6, 1e-6]))
    assert np.linalg.norm(touch) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(seen.exact.x, [touch, touch], rtol=0, atol=1e-6)
    assert seen.share[0] == 0.0 < seen.share[1] < 1e-5


def test_the_sweep_stays_in_the_range_that_is_learned():
    seen, low, high = network_kink.scene(), *network_kink.SUBJECT.limits(network_kink.SUBJECT.ranges)
    own = seen.traced.table[seen.traced.seen > 0, 0, OWN : OWN + 3].real
    assert (own > low).all() and (own < high).all() and len(own) > 1000


def test_jacobians_are_those_of_the_places(shipped):
    x, step = np.array([-1.1, -0.92, 0.1, 1.4]), 1e-6
    seen, before, after = (network_kink.scene(x + shift) for shift in (0.0, -step, step))
    for J, low, high in (
        (look(seen, shipped).J, look(before, shipped).x, look(after, shipped).x),
        (seen.exact.J, before.exact.x, after.exact.x),
    ):
        np.testing.assert_allclose(J, (high - low) / (2 * step), rtol=0, atol=1e-8)


def test_a_file_gives_its_networks_back(tmp_path, shipped):
    path = tmp_path / "some.npz"
    save_networks(path, {"a": Kept(shipped, {"step": [1], "error": [0.5]})})
    weights, history = load_networks(path)["a"]
    assert history == {"step": [1], "error": [0.5]} and weights.about == shipped.about
    seen = network_kink.scene()
    np.testing.assert_allclose(look(seen, weights).x, look(seen, shipped).x, rtol=0, atol=1e-6)


def test_network_range(tmp_path):
    found = numbers_of("network-range", tmp_path)
    assert [len(one["warnings"]) for one in found["failures"].values()] == [2, 1, 1]
    for one, said in zip(found["failures"].values(), ("50 radii", "100 radii", "310 degrees"), strict=True):
        assert said in one["warnings"][0] and one["largest_place_error_radii"] > 0.5
    origin, radius, turn = found["percent_longer"].values()
    for sweep, side in ((origin, "below"), (radius, "below"), (turn, "above")):
        assert sweep["largest_inside"] < 0.2 and sweep[f"largest_{side}"] > 2 * sweep["largest_inside"]
    assert origin["largest_above"] < 0.2  # distances end in an angle that has nowhere to go
    assert turn["largest_above"] > 30 > 5 > radius["largest_below"]


def test_a_radius_alone_is_never_outside(shipped):
    scene, network = Scene(0.15, 1.0, 0.5), mm.Network(shipped, outside="error")
    longer = difference(scene, network)
    for scale in (1e-3, 40.0):
        scaled = Scene(*(scale * x for x in scene[:3]))
        assert difference(scaled, network) == pytest.approx(longer, abs=1e-9)


def test_complaints_begin_where_the_range_ends(shipped):
    known = known_range(shipped)
    for inside, outside in (
        (Scene(RADIUS, 0.999 * known.far * RADIUS, 0.5), Scene(RADIUS, 1.001 * known.far * RADIUS, 0.5)),
        (Scene(0.5 / (1.001 * known.near), 1.0, 0.5), Scene(0.5 / (0.999 * known.near), 1.0, 0.5)),
        (Scene(RADIUS, 0.3, 0.3, 0.999 * known.turn), Scene(RADIUS, 0.3, 0.3, 1.001 * known.turn)),
    ):
        assert complaints(inside, shipped) == [] and len(complaints(outside, shipped)) == 1


def test_lines_are_as_long_as_strings_around_circles():
    scene = Scene(0.15, 1.0, 0.5, 2.9)
    free = [np.sqrt(x * x - scene.radius**2) for x in (scene.origin, scene.insertion)]
    angles = [np.arccos(scene.radius / x) for x in (scene.origin, scene.insertion)]
    whole = sum(free) + scene.radius * (scene.turn - sum(angles))
    assert length(scene.line("none")) == pytest.approx(whole, rel=1e-6)
    assert network_range.length(np.array([[0, 0, 0], [3, 4, 0], [3, 4, 1]])) == 6.0
