"""How fast runs are seen: frames per second in a headless Chromium, the server's share, files and pictures.

    python benchmarks/viewer.py [--seconds 10]

A real browser draws on the processor here (SwiftShader), as on a machine without a graphics card; the page sends 30
frames a second at most. Without a Chromium the frames per second are left out.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import myomass as mm
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames

FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update"]
COUNT_FRAMES = """seconds => new Promise(done => {
    let count = 0; const start = performance.now();
    const next = () => { count++;
        const passed = (performance.now() - start) / 1000;
        if (passed > seconds) done(count / passed); else requestAnimationFrame(next); };
    requestAnimationFrame(next); })"""


def tree(nbodies: int) -> mm.Model:
    """Boxes on hinges, each hung on the one a third of the way back."""
    spec, rng = mm.Spec(f"{nbodies} bodies"), np.random.default_rng(1)
    box = mm.Inertia.cuboid((0.3, 0.05, 0.05), mass=1.0)
    for i in range(nbodies):
        parent = None if i == 0 else f"b{(i - 1) // 2 if nbodies > 60 else (i - 1) * 2 // 3}"
        joint, place = mm.Revolute(rng.normal(size=3)), mm.translation(0.3 if i else 0.0, 0.0, 0.0)
        spec.add_body(f"b{i}", parent, joint, place, mm.translation(0.15, 0, 0), box)
    return spec.compile()


def frames_per_second(run: mm.Trajectory) -> str:
    """Frames that the browser drew and frames that the server sent in a second, as text."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        return "no frames drawn (there is no Chromium: apt install chromium)"
    with sync_playwright() as driver, run.view() as page:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 720})
        tab.goto(page.address)
        time.sleep(4.0)
        page.player.play()
        time.sleep(2.0)
        shown, start = page.player.shown, time.monotonic()
        drawn = tab.evaluate(COUNT_FRAMES, min(6.0, run.t[-1]))
        sent = (page.player.shown - shown) / (time.monotonic() - start)
        browser.close()
    return f"{drawn:.1f} frames/s drawn, {sent:.1f} sent"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="length of the runs")
    seconds = parser.parse_args().seconds
    for nbodies in (30, 300):
        model = tree(nbodies)
        run = mm.simulate(model, q=np.full(nbodies, 0.1), integrator="rk4", h=2e-3, duration=seconds)
        frames = Frames(run)
        drawing, times = Drawing(frames), frames.times(30)
        start = time.perf_counter()
        for t in times:
            drawing.things(frames.at(t))
        each = (time.perf_counter() - start) / len(times)
        print(f"{nbodies} bodies: {frames_per_second(run)}, {1e3 * each:.2f} ms to place everything")
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            path = run.save_html(Path(folder) / "run.html")
            took = time.perf_counter() - start
            print(f"  page of {seconds:g} s: {path.stat().st_size / 1e6:.2f} MB in {took:.1f} s")
            run.save_image(Path(folder) / "run.png")
            start = time.perf_counter()
            run.save_image(Path(folder) / "run.png")
            print(f"  picture of 1280 x 720: {time.perf_counter() - start:.2f} s")
            start = time.perf_counter()
            path = run.save_video(Path(folder) / "run.mp4")
            took = time.perf_counter() - start
            print(f"  film of {seconds:g} s, 1280 x 720: {path.stat().st_size / 1e6:.2f} MB in {took:.0f} s")


if __name__ == "__main__":
    main()
