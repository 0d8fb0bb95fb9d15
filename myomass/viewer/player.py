"""Player: which moment of a run is shown, and how it goes on. It knows nothing of pages."""

import threading
import time
from collections.abc import Callable

import numpy as np

from .frames import Frames
from .moment import Moment

FPS = 30.0
STEP = 1 / 30  # [s] of a single step, where rows are closer than that


class Player:
    """Plays frames in a thread of its own; `show(moment)` is called for each, never by two threads at once."""

    def __init__(self, frames: Frames, show: Callable[[Moment], None], fps: float = FPS):
        self.show, self.fps = show, fps
        self.speed, self.loop, self.playing = 1.0, True, False
        self.lock = threading.RLock()
        self.over = threading.Event()
        self.changed: Callable[[], None] = lambda: None  # called when playing starts or ends by itself
        self.trouble: Callable[[str], None] = lambda sentence: None  # called when a picture cannot be drawn
        self.shown = 0  # frames so far
        self.load(frames)
        self.thread = threading.Thread(target=self._play, name="myomass player", daemon=True)

    def load(self, frames: Frames) -> None:
        """Show another run, from its start."""
        with self.lock:
            self.frames, self.t, self.playing = frames, frames.start, False
            self.posed: np.ndarray | None = None

    def start(self) -> None:
        """Start the thread and show the first moment."""
        self._draw()
        self.thread.start()

    def stop(self) -> None:
        """End the thread."""
        self.over.set()
        if self.thread.is_alive() and threading.current_thread() is not self.thread:
            self.thread.join(timeout=2.0)

    @property
    def moment(self) -> Moment:
        """The moment that is shown."""
        now = self.frames.at(self.t)
        return now if self.posed is None else Moment(now.model, now.t, self.posed, np.zeros_like(self.posed), now.z)

    def play(self, playing: bool = True) -> None:
        """Go on, from the start again if the end is reached; or pause."""
        with self.lock:
            self.posed = None
            if playing and self.t >= self.frames.end:
                self.t = self.frames.start
            self.playing = playing and self.frames.end > self.frames.start

    def seek(self, t: float) -> None:
        """Show the run at a time, and pause there."""
        with self.lock:
            self.t, self.playing, self.posed = float(np.clip(t, self.frames.start, self.frames.end)), False, None
            self._draw()

    def step(self, count: float) -> None:
        """Go `count` pictures on or back: rows of the run, or STEP where rows are closer; infinity goes to its end."""
        rows = self.frames.trajectory.t
        apart = max((rows[-1] - rows[0]) / max(len(rows) - 1, 1), STEP)
        self.seek(self.t + count * apart)

    def pose(self, q: np.ndarray) -> None:
        """Show the model at given coordinates."""
        with self.lock:
            self.playing, self.posed = False, np.array(q, float)
            self._draw()

    def redraw(self, change: Callable[[], None]) -> None:
        """Show the moment anew after a change of how it is drawn."""
        with self.lock:
            change()
            self._draw()

    def _draw(self) -> None:
        self.show(self.moment)
        self.shown += 1

    def _play(self) -> None:
        last = due = time.monotonic()
        while not self.over.wait(max(due - time.monotonic(), 0.0005)):
            now = time.monotonic()
            with self.lock:
                if self.playing:
                    self._advance(self.speed * (now - last))
                    try:
                        self._draw()
                    except Exception as error:  # a picture that cannot be drawn ends the play, not the page
                        self.playing = False
                        self.trouble(str(error))
            last, due = now, max(due + 1 / self.fps, now)

    def _advance(self, dt: float) -> None:
        start, end = self.frames.start, self.frames.end
        self.t += dt
        if self.t >= end:
            self.t = start + (self.t - start) % (end - start) if self.loop else end
            self.playing = self.loop
            self.changed()
