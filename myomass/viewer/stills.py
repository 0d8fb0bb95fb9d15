"""Pictures of a run without a screen."""

import io
from collections.abc import Collection
from pathlib import Path

import numpy as np

from ..render import Renderer
from ..spatial.checks import check_numbers
from ..trajectory import Trajectory
from .drawing import Drawing
from .files import check_target
from .frames import Frames
from .look import check_look
from .palette import STRAINED
from .scale_bar import with_bar

SIZE = (1280, 720)
MOST_GHOSTS = 100
LARGEST = 8192  # pixels of a side
APART = 1e-5  # by how much a time may lie beyond the run: filters shift times by microseconds [s]


def still(
    trajectory: Trajectory,
    t: float | None = None,
    *,
    size: tuple[int, int] = SIZE,
    ghosts: int = 0,
    hidden: str | Collection[str] = (),
    strain: bool | float = False,
    xray: bool = False,
) -> np.ndarray:
    """The run at a time [s] (None: its last row), seen whole. (height, width, 3) uint8

    ghosts: the bodies at so many earlier times, evenly from the start on, pale. hidden: names of layers, or "ground".
    strain: soft bodies in colours of their strain, up to this number (True: to the largest of the run), with a bar.
    xray: what is inside soft bodies is seen through them.
    """
    frames, size = Frames(trajectory), check_size(size)
    drawing = Drawing(frames, check_look(trajectory.model, strain, xray))
    if isinstance(hidden, str):
        hidden = [hidden]
    if isinstance(ghosts, bool) or not isinstance(ghosts, int) or not 0 <= ghosts <= MOST_GHOSTS:
        raise ValueError(f"ghosts is a whole number from 0 to {MOST_GHOSTS}, not {ghosts!r}")
    unknown = set(hidden) - {layer.name for layer in drawing.layers} - {"ground"}
    if unknown:
        known = ", ".join([*(layer.name for layer in drawing.layers), "ground"])
        raise ValueError(f"there is no layer {sorted(unknown)[0]!r} to hide; there are: {known}")
    end = frames.end if t is None else float(check_numbers(t, "t", ()))
    if not frames.start - APART <= end <= frames.end + APART:
        raise ValueError(f"the run goes from {frames.start:g} to {frames.end:g} s, and t is {end:g} s")
    things = drawing.things(frames.at(end), frozenset(hidden))
    for earlier in np.linspace(frames.start, end, ghosts + 1)[:-1]:
        things += drawing.ghosts(frames.at(earlier), frozenset(hidden))
    ground = None if "ground" in hidden else drawing.ground
    picture = Renderer(size).render(things, drawing.camera(size[0] / size[1]), ground)
    return picture if drawing.strain is None else with_bar(picture, "strain", STRAINED, drawing.strain)


def save_image(trajectory: Trajectory, path: str | Path, t: float | None = None, **options) -> Path:
    """Write the picture of `still` as a .png."""
    path = check_target(path, (".png",), "a picture")
    path.write_bytes(as_png(still(trajectory, t, **options)))
    return path


def as_png(picture: np.ndarray, colours: int | None = None) -> bytes:
    """A picture as the contents of a .png file; with fewer colours it is smaller."""
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("pictures need Pillow: pip install 'myomass[plot]'") from None
    image, file = Image.fromarray(picture), io.BytesIO()
    if colours is not None:
        image = image.quantize(colours, dither=Image.Dither.FLOYDSTEINBERG)
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """(width, height) in pixels. Raises a ValueError if they make no picture."""
    numbers = check_numbers(size, "size (width, height) in pixels", (2,))
    if (numbers != np.floor(numbers)).any() or not 16 <= numbers.min() <= numbers.max() <= LARGEST:
        raise ValueError(f"size is (width, height), whole numbers from 16 to {LARGEST} pixels, not {tuple(size)!r}")
    return int(numbers[0]), int(numbers[1])
