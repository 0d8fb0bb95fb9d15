"""A run as a film, without a screen: pictures of the renderer, made into H.264 by ffmpeg."""

from pathlib import Path

import numpy as np

from ..render import Renderer
from ..spatial.checks import check_positive
from ..trajectory import Trajectory
from .drawing import Drawing
from .files import check_target
from .frames import Frames
from .look import check_look
from .palette import STRAINED
from .scale_bar import with_bar
from .stills import SIZE, check_size

MOST_FRAMES = 20_000
QUALITY = 7  # of 10, as imageio-ffmpeg counts


def save_video(
    trajectory: Trajectory,
    path: str | Path,
    *,
    size: tuple[int, int] = SIZE,
    fps: float = 30.0,
    speed: float = 1.0,
    progress: bool | None = None,
    strain: bool | float = False,
    xray: bool = False,
) -> Path:
    """Write the run as .mp4, `speed` times as fast as it was; sides are made even, as the format wants it.

    strain, xray: how soft bodies are seen, as of `still`.
    """
    path = check_target(path, (".mp4",), "a film")
    fps, speed = check_positive(fps, "fps"), check_positive(speed, "speed")
    width, height = (n - n % 2 for n in check_size(size))
    frames, look = Frames(trajectory), check_look(trajectory.model, strain, xray)
    count = frames.count(fps / speed)
    if count > MOST_FRAMES:
        raise ValueError(
            f"{count:,} pictures are too many; take a speed of {speed * count / MOST_FRAMES:.3g} or more, for "
            f"{MOST_FRAMES:,} at most"
        )
    times = frames.times(fps / speed)
    drawing, renderer = Drawing(frames, look), Renderer((width, height))
    camera, ground = drawing.camera(width / height), drawing.ground
    writer = _writer(path, (width, height), fps)
    try:
        for t in _with_bar(times, progress):
            picture = renderer.render(drawing.things(frames.at(t)), camera, ground)
            writer.send(picture if drawing.strain is None else with_bar(picture, "strain", STRAINED, drawing.strain))
    finally:
        writer.close()
    _check_whole(path)
    return path


def _writer(path: Path, size: tuple[int, int], fps: float):
    """A generator to which pictures are sent, and which writes them to a film."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise ImportError("films need imageio-ffmpeg: pip install 'myomass[video]'") from None
    writer = imageio_ffmpeg.write_frames(
        str(path), size, fps=fps, quality=QUALITY, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    return writer


def _check_whole(path: Path) -> None:
    """Raise an OSError if a film cannot be played: ffmpeg says nothing when a disk is full."""
    import imageio_ffmpeg

    try:
        imageio_ffmpeg.count_frames_and_secs(str(path))
    except RuntimeError:
        raise OSError(f"{path} could not be written whole; is the disk full, or fps far from usual?") from None


def _with_bar(times: np.ndarray, progress: bool | None):
    """The times, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    hidden = not (console.is_terminal if progress is None else progress)
    return track(times, "drawing", console=console, transient=True, disable=hidden)
