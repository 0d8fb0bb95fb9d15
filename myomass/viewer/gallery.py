"""The gallery: a page of all scenes, each with a picture, for the documentation."""

from collections.abc import Sequence
from pathlib import Path

from ..trajectory import Trajectory
from .frames import Frames
from .stills import as_png, still

SIZE, COLOURS, ACROSS = (480, 270), 256, 3
PAGE, FOLDER = "gallery.md", "gallery"
HEAD = """# Gallery

All preset scenes, at the end of their run, with poses before it in pale. `myomass view NAME` shows one in motion,
`myomass report NAME` writes a page on it. This page and its pictures are made by `myomass gallery docs`.
"""


def add_picture(trajectory: Trajectory, name: str, folder: Path) -> Path:
    """Draw a scene for the page: FOLDER/gallery/NAME.png."""
    target = folder / FOLDER / f"{name}.png"
    target.parent.mkdir(exist_ok=True)
    frames = Frames(trajectory)
    picture = still(trajectory, size=SIZE, ghosts=3 if frames.end > frames.start else 0)
    target.write_bytes(as_png(picture, COLOURS))
    return target


def write_page(scenes: Sequence[tuple[str, str]], folder: Path) -> Path:
    """The page of scenes (name, description), whose pictures are there: FOLDER/gallery.md."""
    rows = []
    for first in range(0, len(scenes), ACROSS):
        own = scenes[first : first + ACROSS]
        cells = [f"![{name}]({FOLDER}/{name}.png)<br>**{name}**<br>{text.replace('|', '/')}" for name, text in own]
        rows.append("| " + " | ".join(cells + [""] * (ACROSS - len(own))) + " |")
    table = ["|" + " |" * ACROSS, "|" + "---|" * ACROSS, *rows]
    path = folder / PAGE
    path.write_text("\n".join([HEAD, *table, ""]), encoding="utf-8")
    return path
