"""What is said while compiling: for which function, how long so far, and about how long still.

On a terminal one line that is written anew five times a second, and is gone when compiling has ended. Elsewhere one
line per process, when the first kernel is compiled.
"""

import contextlib
import os
import sys
import threading
import time
from dataclasses import dataclass, field
from types import FrameType

from numba.core import event

from .cache import KernelCache
from .folder import say
from .sources import PACKAGE
from .times import Row, Times

WAKE = 0.2  # [s] between two looks at the clock
PAUSE = 1.0  # [s] a shorter one between two kernels does not start the clock anew
USUAL_COLUMNS = 80  # of a terminal that does not say
BEHIND_THE_SCENES = ("_jit", "cli", "warm_up")  # modules whose names users do not know


@dataclass
class _Kernel:
    """A kernel that is being compiled; name is None for what is no kernel of ours, or is not stored by itself."""

    name: str | None
    begun: float
    inside: float = 0.0  # [s] of stored kernels that were compiled on its way
    needs: list[str] = field(default_factory=list)


class Compiling(event.Listener):
    """Follows Numba's compilations: those inside of another belong to the outermost, unless stored by themselves."""

    def __init__(self) -> None:
        self.kernels: list[_Kernel] = []
        self.ours = 0  # of them, how many are kernels of ours
        self.times: Times | None = None
        self.line: Line | None = None
        self.word, self.since, self.ended = "", 0.0, 0.0
        self.said = False

    def on_start(self, event: event.Event) -> None:
        """A compilation begins."""
        compiled, now = event.data["dispatcher"], time.perf_counter()
        stored = isinstance(compiled._cache, KernelCache)
        ours = stored or compiled.py_func.__module__.startswith(f"{PACKAGE.name}.")
        name = compiled._cache.name if stored else None
        if ours and not self.ours:
            self._begin(name or compiled.py_func.__qualname__, now)
        self.kernels.append(_Kernel(name, now))
        self.ours += ours or self.ours > 0

    def on_end(self, event: event.Event) -> None:
        """A compilation ends, well or not."""
        now, done = time.perf_counter(), self.kernels.pop()
        if self.ours:
            self.ours -= 1
            if tuple(event.data["args"]) in event.data["dispatcher"].overloads:  # it has not failed
                self._account(done, now - done.begun)
            if not self.ours:
                self._finish(now)

    def _begin(self, name: str, now: float) -> None:
        """The outermost kernel of ours: tell of it."""
        self.times = self.times or Times()
        word = asked_for(sys._getframe()) or name.rpartition(".")[2]
        if word != self.word or now - self.ended > PAUSE:
            self.word, self.since = word, now
        seconds = self.times.expected(name)
        if is_terminal(sys.stderr):
            self.line = Line(word, self.since, None if seconds is None else now + seconds)
            self.line.start()
        elif not self.said:
            about = "" if seconds is None or seconds < 1.0 else f" (about {told(seconds)})"
            say(f"compiling kernels for {word}{about}, once for each function used; later starts are fast ...")
        self.said = True

    def _account(self, done: _Kernel, seconds: float) -> None:
        """Whose time it was: a stored kernel's own, and the rest that of the one around it."""
        outer = self.kernels[-1] if self.kernels else _Kernel(None, 0.0)
        if done.name is None:
            outer.inside += done.inside
            outer.needs += done.needs
        else:
            outer.inside += seconds
            outer.needs += [done.name, *done.needs]
            self.times.note(done.name, Row(seconds - done.inside, tuple(done.needs)))

    def _finish(self, now: float) -> None:
        self.ended = now
        if self.line is not None:
            self.line.remove()
            self.line = None
        self.times.keep()


def asked_for(frame: FrameType | None) -> str | None:
    """The outermost public function of the package that is being called: what the user has asked for."""
    found = None
    while frame is not None:
        package, _, module = frame.f_globals.get("__name__", "").partition(".")
        name = frame.f_code.co_qualname
        if package == PACKAGE.name and module.partition(".")[0] not in BEHIND_THE_SCENES:
            found = found if name.startswith("_") or "<" in name or "._" in name else name
        frame = frame.f_back
    return found


def told(seconds: float) -> str:
    """A time as one would say it."""
    return f"{seconds:.0f} s" if seconds < 100.0 else f"{seconds / 60.0:.0f} min"


def is_terminal(stream) -> bool:
    """Can a line be written anew there?"""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    return False


class Line(threading.Thread):
    """A line of a terminal that is written anew while a kernel is compiled, and then removed."""

    def __init__(self, word: str, since: float, until: float | None, stream=None):
        super().__init__(daemon=True, name="myomass: compiling")
        self.word, self.since, self.until = word, since, until
        self.stream = sys.stderr if stream is None else stream
        self.over, self.drawn = threading.Event(), 0

    def text(self, now: float) -> str:
        """The line at a time."""
        left = None if self.until is None else self.until - now
        rest = "" if left is None else f", about {told(left)} to go" if left > 0.5 else ", nearly done"
        return f"myomass: compiling {self.word}, only this once: {told(now - self.since)} so far{rest}"

    def run(self) -> None:
        """Write it every now and then."""
        while not self.over.wait(WAKE):
            self._write(self.text(time.perf_counter())[: self._width()])

    def remove(self) -> None:
        """Stop, and leave an empty line for what is printed next."""
        self.over.set()
        self.join()
        if self.drawn:
            self._write("")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            ending = "\r" if not text else ""
            self.stream.write(f"\r{text:<{self.drawn}}{ending}")
            self.stream.flush()
            self.drawn = len(text)

    def _width(self) -> int:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return (os.get_terminal_size(self.stream.fileno()).columns or USUAL_COLUMNS) - 1
        return USUAL_COLUMNS - 1


def follow() -> None:
    """Tell of every compilation from now on."""
    event.register("numba:compile", Compiling())
