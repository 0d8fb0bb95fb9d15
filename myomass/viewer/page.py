"""Page: a run, or a scene that is still to be run, in a browser on this machine."""

import threading
import time
import warnings
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING

from ..integrators import INTEGRATORS
from ..model import Model
from ..simulate import simulate
from ..trajectory import Trajectory
from .canvas import Canvas
from .drawing import Drawing
from .frames import NOT_RUN, Frames, still_run
from .look import check_look
from .panel import Panel
from .player import Player
from .series import energy_kept
from .serve import HOST, start_server, stop_server

if TYPE_CHECKING:
    from ..scenes import Scene


def view(
    what: "Trajectory | Scene | Model",
    *,
    port: int | None = None,
    host: str = HOST,
    open_browser: bool = False,
    run: bool = True,
    strain: bool | float = False,
    xray: bool = False,
    **options,
) -> "Page":
    """Show a trajectory, a scene or a model in a browser; prints the address, and returns at once.

    A scene or model is shown at its start and simulated meanwhile (unless run=False), with options as of `simulate`.
    It listens to this machine alone unless another host is given, on a free port. `page.wait()` stays until Ctrl-C,
    `page.stop()` ends it; so does `with view(run): ...`. strain, xray: how soft bodies are seen at first, as of
    `viewer.stills.still`.
    """
    page = Page(what, port=port, host=host, strain=strain, xray=xray, **options)
    print(f"myomass: showing {page.title} at {page.address}", flush=True)
    if run and not isinstance(what, Trajectory):
        page.simulate()
    if open_browser:
        webbrowser.open(page.address)
    return page


class Page:
    """A served page: player, canvas and panel, and the simulation of what has not been run yet."""

    def __init__(
        self,
        what: "Trajectory | Scene | Model",
        *,
        port: int | None = None,
        host: str = HOST,
        strain: bool | float = False,
        xray: bool = False,
        **options,
    ):
        self.what, self.options = what, options
        frames = Frames(_first_run(what, options))
        model = frames.trajectory.model
        self.title, drawing = model.name, Drawing(frames, check_look(model, strain, xray))
        self.server = start_server(host, port, f"MyoMass: {self.title}")
        try:
            self._build(frames, drawing)
        except BaseException:
            stop_server(self.server)
            raise

    def _build(self, frames: Frames, drawing: Drawing) -> None:
        self.simulation: threading.Thread | None = None
        self.cancelled = self.stopped = False
        gui = self.server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(62, 124, 177))
        gui.main_panel.dock_right()
        self.status = gui.add_markdown(_describe(frames))
        self.bar = gui.add_progress_bar(0.0, visible=False)
        if not isinstance(self.what, Trajectory):
            self.button = gui.add_button("Simulate", icon="calculator")
            self.button.on_click(lambda _: self.cancel() if self.simulating else self.simulate(self.player.posed))
        self.canvas = Canvas(self.server, drawing)
        self.player = Player(frames, self._show)
        self.panel: Panel | None = None
        self.panel = Panel(self.server, self.player, self.canvas)
        self.player.trouble = self._complain
        self.player.start()
        self.panel.follow(force=True)

    @property
    def address(self) -> str:
        """The address of the page."""
        host = self.server.get_host()
        name = {"0.0.0.0": "localhost", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        return f"http://{name}:{self.server.get_port()}"

    @property
    def simulating(self) -> bool:
        """True while a run is being computed."""
        return self.simulation is not None and self.simulation.is_alive()

    def _complain(self, sentence: str) -> None:
        self.status.content = f"**Cannot be drawn:** {plain(sentence)}"

    def _show(self, moment) -> None:
        with self.server.atomic():
            self.canvas.draw(moment)
        if self.panel is not None:
            self.panel.follow()

    def simulate(self, q=None) -> None:
        """Run the scene or model in the background, from its own start or from q, and show the run."""
        if isinstance(self.what, Trajectory):
            raise TypeError("simulate: this page shows a trajectory, which has been run")
        if self.simulating:
            return
        self.cancelled = False
        self.simulation = threading.Thread(target=self._simulate, args=(q,), name="myomass simulation", daemon=True)
        self.simulation.start()

    def cancel(self) -> None:
        """End the simulation; what was computed is shown."""
        self.cancelled = True

    def _simulate(self, q) -> None:
        self.bar.visible, self.bar.value = True, 0.0
        self.status.content = "Simulating; kernels that are used for the first time are compiled before"
        self.button.label = "Stop"
        options = self.options if q is None else self.options | {"q": q}
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                run = simulate(_own(self.what), progress=self._progress, **options)
            self._load(run, [str(warning.message) for warning in said])
        except Exception as error:  # whatever it is, the page says it and stays
            self.status.content = f"**Could not be simulated:** {plain(str(error))}"
        finally:
            self.bar.visible = False
            self.button.label = "Simulate again"

    def _progress(self, share: float) -> None:
        if self.cancelled or self.stopped:
            raise KeyboardInterrupt
        if 100 * share - self.bar.value > 1:
            self.bar.value = min(100.0, 100 * share)
            self.status.content = f"Simulating: {share:.0%}"
            time.sleep(0.001)  # lets the server's thread send it

    def _load(self, run: Trajectory, said: list[str]) -> None:
        frames = Frames(run)
        with self.player.lock:
            self.player.load(frames)
            self.canvas.load(Drawing(frames, self.canvas.drawing.wanted))
            self.panel.load()
        self.status.content = "\n\n".join([_describe(frames), *map(plain, said)])
        self.player.play()
        self.panel.show_playing()

    def wait(self, told: Callable[[], None] | None = None) -> None:
        """Stay until Ctrl-C, then stop. told: called first, to say so: from then on Ctrl-C is heeded."""
        try:
            if told is not None:
                told()
            while not self.stopped:
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def stop(self) -> None:
        """End the server and all threads."""
        if self.stopped:
            return
        self.stopped = True
        self.player.stop()
        if self.simulating:
            self.simulation.join(timeout=5.0)
        stop_server(self.server)

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_) -> None:
        self.stop()


def _first_run(what, options: dict) -> Trajectory:
    """The run that can be shown at once: the given one, or the start of a scene or model."""
    if isinstance(what, Trajectory):
        if options:
            raise TypeError(f"view: a trajectory takes no {', '.join(options)}: it has been run")
        return what
    if isinstance(what, Model):
        _check_options(options)
        state = options.get("state")
        start = options.get("q"), options.get("qdot")
        return still_run(what, what.state(*start, activation=options.get("activation")) if state is None else state)
    if not isinstance(getattr(what, "model", None), Model):
        raise TypeError(f"view: give a trajectory, a scene or a model, not {what!r}")
    _check_options(options)
    start, activation = (options.get("q", what.q), options.get("qdot", what.qdot)), options.get("activation")
    activation = getattr(what, "activation", None) if activation is None else activation
    return still_run(what.model, what.model.state(*start, activation=activation))


def _check_options(options: dict) -> None:
    """Raise an error about a wrong option now, since the simulation runs in the background."""
    unknown = options.keys() - signature(simulate).parameters.keys() | options.keys() & {"what", "progress"}
    if unknown:
        raise TypeError(f"view: there is no option {min(unknown)!r}; there are those of simulate")
    if options.get("integrator") not in (None, *INTEGRATORS):
        raise ValueError(f"there is no integrator {options['integrator']!r}; there are: {', '.join(INTEGRATORS)}")
    for name in ("duration", "h"):
        value = options.get(name)
        if isinstance(value, (int, float)) and not 0 < value < float("inf"):
            raise ValueError(f"{name} must be a positive number of seconds, and is {value}")


def _own(what):
    """The scene or model with scratch of its own, so that it does not share that of the picture."""
    if isinstance(what, Model):
        return replace(what)
    return what


def _describe(frames: Frames) -> str:
    """One line about a run."""
    run, model = frames.trajectory, frames.trajectory.model
    about = f"**{plain(model.name)}**: {model.nbodies} bodies, {model.ndof} degrees of freedom"
    if run.ended == NOT_RUN:
        return f"{about}; {NOT_RUN} yet"
    parts = [f"{run.integrator}, {frames.end - frames.start:g} s, {energy_kept(run)}"]
    return "; ".join([about, *parts, *(f"**{plain(note)}**" for note in frames.notes)])


def plain(text: str) -> str:
    """Text escaped for Markdown, so that it is shown literally."""
    return "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in text)
