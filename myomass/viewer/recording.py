"""A run as one file that plays in any browser, without a server or a network."""

import math
import warnings
from html import escape
from itertools import pairwise
from pathlib import Path

from ..trajectory import Trajectory
from .canvas import Canvas
from .drawing import Drawing
from .files import check_target
from .frames import Frames
from .look import check_look
from .palette import activation_legend, strain_legend
from .series import energy_kept
from .serve import HOST, start_server, stop_server

FPS = 30.0
MOST_FRAMES = 3000  # of one file: what is longer is shown with fewer pictures a second
GRAIN = 2.0**-13  # what places and turns are rounded to: a fiftieth of a pixel
CAPTION = (
    "position:fixed;left:50%;transform:translateX(-50%);top:1em;z-index:10;pointer-events:none;"
    "font:14px sans-serif;color:#3b4149;background:rgba(255,255,255,0.75);padding:0.3em 0.6em;border-radius:4px"
)


def save_html(trajectory: Trajectory, path: str | Path, *, strain: bool | float = False, xray: bool = False) -> Path:
    """Write the run to a file of some hundred kB to a few MB that plays, loops and scrubs in a browser.

    strain, xray: how soft bodies are seen, as of `viewer.stills.still`.
    """
    path = check_target(path, (".html", ".htm"), "a page")
    frames = Frames(trajectory)
    drawing = Drawing(frames, check_look(trajectory.model, strain, xray))
    title = f"<title>{escape(trajectory.model.name)}: MyoMass</title>"
    page, end, rest = _record(frames, drawing).replace("<title>Viser</title>", title, 1).rpartition("</body>")
    legend = f"<br>{activation_legend()}" if len(frames.trajectory.model.muscles.hills) else ""
    legend += "" if drawing.strain is None else f"<br>{strain_legend(drawing.strain)}"
    told = f'<div style="{CAPTION}">{escape(caption(frames))}{legend}</div>'
    path.write_text(f"{page}{told}{end}{rest}", encoding="utf-8")
    return path


def caption(frames: Frames) -> str:
    """One line of text about a run."""
    run = frames.trajectory
    return ", ".join([f"{run.model.name}: {run.integrator}", energy_kept(run), *frames.notes])


def _record(frames: Frames, drawing: Drawing) -> str:
    """The HTML of the page, with all data in it."""
    span, times = frames.end - frames.start, frames.times(FPS, MOST_FRAMES)
    if len(times) < frames.count(FPS):
        fps = len(times) / span
        warnings.warn(
            f"the run of {span:g} s is shown in {len(times):,} pictures, {fps:.2g} a second instead of {FPS:g}",
            RuntimeWarning,
            stacklevel=3,
        )
    server = start_server(HOST, None, "MyoMass")
    try:
        canvas = Canvas(server, drawing, GRAIN)
        canvas.draw(frames.at(frames.start))
        recording = server.get_scene_serializer()
        for before, t in pairwise(times):
            recording.insert_sleep(float(t - before))
            canvas.draw(frames.at(t))
        if len(times) > 1:
            recording.insert_sleep(min(1.0, math.ceil(0.1 * span * FPS) / FPS))  # it rests at the end before it loops
        return recording.as_html()
    finally:
        stop_server(server)
