"""How a trajectory is shown in a notebook: a still and its energies."""

import base64
import io
from html import escape

from ..trajectory import Trajectory
from .plots import plot_energy
from .stills import as_png, still

SIZE, GHOSTS = (640, 360), 3


def as_html(trajectory: Trajectory) -> str | None:
    """The pictures as HTML; None, so that plain text is shown, where they cannot be made."""
    try:
        picture = as_png(still(trajectory, size=SIZE, ghosts=GHOSTS if len(trajectory.t) > 1 else 0))
        energy = figure_png(plot_energy(trajectory), dpi=80)
    except (ImportError, ValueError, FloatingPointError):
        return None
    images = "".join(f'<img style="height:360px" src="{as_uri(png)}"/>' for png in (picture, energy))
    return f"<div><div>{escape(repr(trajectory))}</div>{images}</div>"


def figure_png(figure, dpi: int = 110) -> bytes:
    """A matplotlib figure as the bytes of a .png file."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return file.getvalue()


def as_uri(png: bytes) -> str:
    """A picture as a data URI, so that a page contains it."""
    return "data:image/png;base64," + base64.b64encode(png).decode()
