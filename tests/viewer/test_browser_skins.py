"""Soft bodies in a real browser: vertices, normals and colours that the page computes are those of the run."""

import time

import numpy as np
import pytest
from soft_motions import crawl, star

from myomass.render import Mesh
from myomass.render.picture import linear
from myomass.viewer.canvas import SPAN
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames
from myomass.viewer.layers import Skins
from myomass.viewer.palette import STRAINED, ramp, vivid
from myomass.viewer.recording import FPS, GRAIN
from myomass.viewer.skins import skin_nodes

SHOWN = """() => {
    let mesh;
    const node = window.__viserMutable?.nodeRefFromName["/soft bodies/surface 0"];
    node?.traverse((one) => (mesh ??= one.isMesh ? one : undefined));
    if (mesh === undefined) return null;
    const { position, normal, color } = mesh.geometry.attributes, { vertexColors, transparent } = mesh.material;
    const list = (attribute) => (attribute === undefined ? [] : Array.from(attribute.array));
    return { places: list(position), normals: list(normal), colours: list(color), vertexColors, transparent };
}"""


@pytest.fixture(scope="module")
def run():
    return crawl(star(), duration=2.0)


@pytest.fixture(scope="module")
def skin(run):
    return next(layer for layer in Drawing(Frames(run)).layers if isinstance(layer, Skins)).parts[0]


def shown(tab) -> dict:
    """What the page draws of the surface: arrays (k, 3) by name, and two flags."""
    found = tab.evaluate(SHOWN)
    return found and {key: np.reshape(x, (-1, 3)) if isinstance(x, list) else x for key, x in found.items()}


def waited(tab, good) -> dict:
    """What the page draws once it is good, for ten seconds."""
    for _ in range(50):
        found = shown(tab)
        if found and good(found):
            return found
        time.sleep(0.2)
    raise AssertionError("the page never showed it")


def standing(tab) -> float:
    """The time at which a saved page stands still [s]."""
    times = [-1.0, -2.0]
    for _ in range(20):
        if times[-1] == times[-2]:
            return times[-1]
        time.sleep(1.0)
        times.append(float(tab.locator("input[type=hidden]").first.input_value()))
    raise AssertionError("the page never stood still")


def expected(run, skin, t: float) -> np.ndarray:
    """Places of the vertices on the page."""
    frames = Frames(run)
    return SPAN / Drawing(frames).size * skin.vertices(frames.at(t))


def close(found: np.ndarray, true: np.ndarray, off: float) -> bool:
    return found.shape == true.shape and np.abs(found - true).max() < off


def check_colours(found: dict, run, skin, t: float, most: float) -> None:
    """Colours are those of the strain, to one level of the ramp."""
    moment = Frames(run).at(t)
    level = (len(ramp(STRAINED)) - 1) * np.clip(skin.weights @ skin.node_shares(moment, most), 0, 1)
    low, high = (linear(vivid(ramp(STRAINED)))[np.clip(np.round(level) + k, 0, 63).astype(int)] for k in (-1, 1))
    least, largest = np.minimum(low, high), np.maximum(low, high)
    inside = (found["colours"] > least - 0.02) & (found["colours"] < largest + 0.02)
    assert inside.all()
    assert np.ptp(level) > 20, "there is something to see"


def test_the_served_page_shows_the_surface_and_changes_its_look(tab, run, skin):
    with run.view() as page:
        tab.goto(page.address)
        page.player.seek(1.0)
        found = waited(tab, lambda x: close(x["places"], expected(run, skin, 1.0), 1e-5))
        assert not found["vertexColors"] and not found["transparent"]
        tab.get_by_text("Layers").click()
        tab.get_by_label("Colour by strain").click()
        found = waited(tab, lambda x: x["vertexColors"])
        most = page.canvas.drawing.strain
        check_colours(found, run, skin, 1.0, most)
        assert "strain 0<" in page.panel.scale.content and f">{most:g}<" in page.panel.scale.content
        tab.get_by_label("X-ray").click()
        found = waited(tab, lambda x: x["transparent"] and x["vertexColors"])
        page.player.seek(0.3)
        found = waited(tab, lambda x: close(x["places"], expected(run, skin, 0.3), 1e-5))
        tab.get_by_label("Colour by strain").click()
        tab.get_by_label("X-ray").click()
        waited(tab, lambda x: not x["transparent"] and not x["vertexColors"])


def test_a_page_may_start_with_its_look(tab, run, skin):
    with run.view(strain=0.4, xray=True) as page:
        tab.goto(page.address)
        page.player.seek(1.0)
        found = waited(tab, lambda x: close(x["places"], expected(run, skin, 1.0), 1e-5) and x["vertexColors"])
        assert found["transparent"]
        time.sleep(0.5)
        check_colours(shown(tab), run, skin, 1.0, 0.4)


def test_a_saved_page_computes_the_surface_from_the_nodes(tab, run, skin, tmp_path):
    path = run.save_html(tmp_path / "run.html", strain=0.4)
    tab.context.set_offline(True)
    tab.goto(path.as_uri())
    start = waited(tab, lambda x: x["vertexColors"])["places"]
    waited(tab, lambda x: not close(x["places"], start, 0.05))  # it plays
    track = tab.locator(".mantine-Slider-root").bounding_box()
    tab.mouse.click(track["x"] + 0.4 * track["width"], track["y"] + track["height"] / 2)  # which pauses it there
    times = Frames(run).times(FPS)
    t = times[times <= standing(tab) + 1e-9][-1]
    assert 0.0 < t < 2.0
    found = shown(tab)
    assert close(found["places"], expected(run, skin, t), 4 * GRAIN), "each weight is rounded, and each node"
    normals = Mesh(found["places"], skin.mesh.faces).normals
    assert close(found["normals"], normals, 1e-3)
    check_colours(found, run, skin, t, 0.4)
    tab.context.set_offline(False)


def test_a_file_holds_the_nodes_only(run):
    """What a picture sends is as long as the coarse mesh is; on a served page the vertices as well."""
    from myomass.viewer.serve import HOST, start_server, stop_server

    server, drawing = start_server(HOST, None, "test"), Drawing(Frames(run))
    try:
        layer = next(layer for layer in drawing.layers if isinstance(layer, Skins))
        for grain, moves in ((GRAIN, True), (None, False)):
            node = skin_nodes(server, layer, 2.0, grain)[0]
            rest = node.mesh.vertices.copy()
            node.draw(drawing.frames.at(1.0), None)
            assert len(node.carrier.vertices) == 2 * len(layer.parts[0].body.soft.rest)
            assert np.array_equal(node.mesh.vertices, rest) == moves
    finally:
        stop_server(server)
