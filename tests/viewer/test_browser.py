"""The served page and the saved file in a real browser: bodies are where forward kinematics says."""

import io
import time

import numpy as np
import pytest

import myomass as mm
from myomass.viewer.canvas import ASPECT
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames

BALL = 0.06
RED = (1.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def arm() -> mm.Model:
    """Two links, and at the tip a red ball."""
    spec = mm.Spec("arm")
    rod, there = mm.Inertia.cuboid((0.5, 0.05, 0.05), mass=1.0), mm.translation(0.25, 0, 0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, there, rod, colour=(0.2, 0.4, 0.8))
    spec.add_body(
        "lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.5, 0, 0), there, rod, colour=(0.2, 0.6, 0.4)
    )
    tip = mm.translation(0.5 + BALL, 0, 0)  # no link hides a part of it
    spec.add_body("ball", "lower", mm.Fixed(), tip, None, mm.Inertia.sphere(BALL, mass=0.1), colour=RED)
    return spec.compile()


@pytest.fixture(scope="module")
def swing(arm) -> mm.Trajectory:
    return mm.simulate(arm, q=[0.3, 0.4], integrator="rk4", h=0.01, duration=2.0)


def seen(tab) -> tuple[np.ndarray, dict]:
    """(what the canvas shows, (height, width, 3); where it is on the page)."""
    from PIL import Image

    canvas = tab.locator("canvas:visible").last
    box = canvas.bounding_box()
    shot = Image.open(io.BytesIO(tab.screenshot(clip=box)))
    return np.asarray(shot.convert("RGB")).astype(int), box


def redness(picture: np.ndarray) -> np.ndarray:
    red, green, blue = np.moveaxis(picture, -1, 0)
    return (red > 100) & (red > 4 * green) & (red > 4 * blue)


def expected_pixel(drawing: Drawing, place: np.ndarray, picture: np.ndarray) -> np.ndarray:
    height, width = picture.shape[:2]
    return drawing.camera(ASPECT).project(place, width, height)[:2]


def red_centre(tab, near: np.ndarray | None = None, drawing: Drawing | None = None) -> np.ndarray:
    """Middle of the red ball in the picture; waits until it is where it should be, for fifteen seconds."""
    for _ in range(75):
        picture, _ = seen(tab)
        red = np.argwhere(redness(picture))
        if len(red):
            found = red.mean(axis=0)[::-1] + 0.5
            if near is None or np.linalg.norm(found - expected_pixel(drawing, near, picture)) < 4:
                break
        time.sleep(0.2)
    assert len(red), "no red ball in the picture"
    return found


def ball_at(model: mm.Model, q: np.ndarray) -> np.ndarray:
    return mm.forward_kinematics(model, q)[model.body("ball"), :3, 3]


def check_ball(tab, drawing: Drawing, model: mm.Model, q: np.ndarray) -> None:
    """The red ball is where forward kinematics and the camera say, to two pixels."""
    place = ball_at(model, q)
    found = red_centre(tab, place, drawing)
    np.testing.assert_allclose(found, expected_pixel(drawing, place, seen(tab)[0]), atol=2.5)


def opened(tab, page) -> None:
    tab.goto(page.address)
    tab.get_by_text("Time [s]").wait_for()
    for _ in range(50):
        if redness(seen(tab)[0]).any():
            return
        time.sleep(0.2)


def test_bodies_are_where_kinematics_says_and_scrubbing_moves_them(tab, arm, swing):
    with swing.view() as page:
        opened(tab, page)
        picture, _ = seen(tab)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100, "the canvas is blank"
        check_ball(tab, page.canvas.drawing, arm, swing.q[0])
        time_box = tab.locator("input[type=text]:visible").first
        for t in (0.5, 1.25):
            time_box.fill(str(t))
            time_box.press("Enter")
            check_ball(tab, page.canvas.drawing, arm, swing.q[np.argmin(np.abs(swing.t - t))])
        assert page.player.t == pytest.approx(1.25)


def test_a_slider_poses_the_model(tab, arm):
    with mm.view(arm, run=False) as page:
        opened(tab, page)
        before = red_centre(tab)
        tab.get_by_text("Pose").click()
        thumb = tab.get_by_role("slider").first  # that of time is hidden: there is no run
        thumb.scroll_into_view_if_needed()
        box = thumb.bounding_box()
        tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tab.mouse.down()
        tab.mouse.move(box["x"] + 15, box["y"] + box["height"] / 2, steps=5)
        tab.mouse.up()
        for _ in range(20):
            if page.player.posed is not None:
                break
            time.sleep(0.1)
        assert page.player.posed is not None and abs(page.player.posed[0]) > 0.1
        time.sleep(0.5)
        check_ball(tab, page.canvas.drawing, arm, page.player.posed)
        assert np.linalg.norm(red_centre(tab) - before) > 10


def test_playing_moves_bodies_and_the_cursor(tab, swing):
    with swing.view() as page:
        opened(tab, page)
        cursor = tab.locator(".cursor").first
        start = cursor.bounding_box()["x"]
        tab.get_by_role("button", name="Play").click()
        time.sleep(1.0)
        tab.get_by_role("button", name="Pause").click()
        time.sleep(0.5)
        assert page.player.t > 0 and not page.player.playing
        assert cursor.bounding_box()["x"] > start
        check_ball(tab, page.canvas.drawing, swing.model, page.player.moment.q)
        tab.get_by_text(">|", exact=True).click()
        time.sleep(0.3)
        assert page.player.t == swing.t[-1]
        tab.get_by_text("<", exact=True).click()
        time.sleep(0.3)
        assert page.player.t == pytest.approx(swing.t[-1] - 1 / 30)


def test_layers_can_be_hidden(tab, swing):
    with swing.view() as page:
        opened(tab, page)
        tab.get_by_text("Layers").click()
        tab.get_by_label("Bodies", exact=True).click()
        for _ in range(20):
            if not redness(seen(tab)[0]).any():
                break
            time.sleep(0.2)
        assert not redness(seen(tab)[0]).any()


def test_a_scene_is_shown_before_it_is_simulated_and_after(tab):
    scene = mm.scenes.load("simple-serial-chain")
    with mm.view(scene, run=False, duration=0.5) as page:
        tab.goto(page.address)
        tab.get_by_text("not simulated yet").wait_for()
        tab.get_by_role("button", name="Simulate").click()
        tab.get_by_role("button", name="Simulate again").wait_for(timeout=60_000)
        assert page.player.frames.end == 0.5
        assert "recursive" in page.status.content


def test_the_server_survives_browsers_that_leave(chromium, tab, swing):
    with swing.view() as page:
        other = chromium.new_page()
        other.goto(page.address)
        other.get_by_role("button", name="Play").click()
        other.close()
        opened(tab, page)
        tab.get_by_role("button", name="Pause").click()
        check_ball(tab, page.canvas.drawing, swing.model, page.player.moment.q)


def test_a_saved_page_plays_offline(tab, arm, swing, tmp_path):
    path = swing.save_html(tmp_path / "run.html")
    assert path.stat().st_size < 2e6
    tab.context.set_offline(True)
    tab.goto(path.as_uri())
    places = [red_centre(tab)]
    for _ in range(4):
        time.sleep(0.3)
        places.append(red_centre(tab))
    assert np.ptp(places, axis=0).max() > 20, "it does not play"
    track = tab.locator(".mantine-Slider-root").bounding_box()
    tab.mouse.click(track["x"] + 0.4 * track["width"], track["y"] + track["height"] / 2)  # which pauses it there
    time.sleep(0.5)
    shown = float(tab.locator("input[type=hidden]").first.input_value())
    assert 0.3 * swing.t[-1] < shown < 0.6 * swing.t[-1]
    frames = Frames(swing)
    times = frames.times(30.0)
    check_ball(tab, Drawing(frames), arm, frames.at(times[times <= shown][-1]).q)
    tab.context.set_offline(False)
