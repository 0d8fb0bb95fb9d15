"""A run from its start to its end: pieces short enough for Ctrl-C and a progress bar, events, and how it ended."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager, nullcontext

from .event_search import Watch
from .events import Event
from .recorder import Rows
from .switching import Relay

Progress = (
    bool | Callable[[float], None] | None
)  # a bar or none, where one can be seen, or a function of the share done
PATIENCE = 1.0  # [s] before a progress bar is worth showing


def drive(relay: Relay, events: Sequence[Event], progress: Progress) -> Rows:
    """Run to the end, to a stop, to a failure or to Ctrl-C; the rows say which."""
    ended, watch = "completed", Watch(relay, events) if events else None
    shown = sys.stderr.isatty() if progress is None else progress
    try:
        with _progress_bar(relay.stepper.t, relay.stepper.end, progress) if shown else nullcontext() as show:
            more = True
            while more and not relay.stepper.ended:
                more = watch.advance() if watch else relay.stepper.advance(relay.stepper.piece)
                if show:
                    show(relay.stepper.t)
        ended = relay.stepper.ended or (watch.ended if watch else "") or ended
    except KeyboardInterrupt:
        ended = "interrupted"
    except ValueError:
        if relay.plan.error is None:
            raise
    error = relay.plan.error or relay.stepper.map_error
    if isinstance(error, FloatingPointError) and error is relay.stepper.map_error:  # a trial may lead out of the domain
        ended += f" ({error})" if relay.stepper.ended else ""
    elif error is not None:
        if not isinstance(error, KeyboardInterrupt):
            raise error
        ended = "interrupted"
    rows = relay.finish(keep_last=watch is not None and watch.ended != "")
    rows.ended = ended
    rows.events = watch.occurrences if watch else []
    return rows


@contextmanager
def _progress_bar(start: float, end: float, wanted: Progress):
    """A function show(t) that moves a bar on standard error, once a run is long and where somebody can see it."""
    if callable(wanted):
        yield lambda t: wanted((t - start) / (end - start))
        return
    with ExitStack() as stack:
        begun, shown = time.monotonic(), []

        def show(t: float) -> None:
            if not shown and (wanted or time.monotonic() - begun > PATIENCE):
                from rich.console import Console
                from rich.progress import Progress as Bar

                bar = stack.enter_context(Bar(console=Console(stderr=True), transient=not wanted))
                shown.append((bar, bar.add_task("simulating", total=end - start)))
            for bar, task in shown:
                bar.update(task, completed=t - start)

        yield show
