"""Panel: the controls beside the picture: playback, layers, charts, poses."""

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ..dynamics import assemble
from ..model.elements import POSITION
from .canvas import Canvas
from .charts import Chart
from .look import Look
from .palette import KINETIC, POTENTIAL, TOTAL, activation_legend, strain_legend
from .player import Player
from .series import dof_names, dof_units, muscle_series

if TYPE_CHECKING:
    from viser import ViserServer

SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "4x")
STEPS = {"|<": -np.inf, "<": -1, ">": 1, ">|": np.inf}  # pictures forwards
ENERGIES = (("kinetic", KINETIC), ("potential", POTENTIAL), ("total", TOTAL))
SLIDERS = 24  # most sliders at once; models with more coordinates choose a body
PULLS = 30  # most steps of a coordinate towards its slider, the loops closed after each
TICKS = 5000  # of the slider of time
LEGEND = "margin:0 0.8em 0.5em;font-size:0.8em"
REFRESH = 0.2  # [s] between two updates of charts and sliders while it plays


class Panel:
    """Controls of a player; `follow` makes them show its present time."""

    def __init__(self, server: "ViserServer", player: Player, canvas: Canvas):
        self.gui, self.player, self.canvas = server.gui, player, canvas
        self.model = canvas.drawing.model
        names = [f"{n} [{u}]" for n, u in zip(dof_names(self.model), dof_units(self.model), strict=True)]
        self.names = names[: self.model.posed_dofs]  # not those of nodes: there are too many
        self.muscles = muscle_series(self.model)
        self.refreshed = 0.0
        self._add_playback()
        self._add_charts()
        self._add_layers()
        self._add_poses()
        player.changed = self.show_playing
        self.load()

    def load(self) -> None:
        """Show times and charts of another run."""
        frames, run = self.player.frames, self.player.frames.trajectory
        moves = frames.end > frames.start
        end = frames.end if moves else frames.start + 1.0
        self.time.min, self.time.max, self.time.step = frames.start, end, (end - frames.start) / TICKS
        self.time.precision = max(0, int(np.ceil(-np.log10(self.time.step))))
        self.time.value = frames.start
        for control in (self.play, self.time):
            control.disabled = not moves
        T, V = run.kinetic, run.potential
        V = V - V[0]
        lines = [(name, values, colour) for (name, colour), values in zip(ENERGIES, (T, V, T + V), strict=True)]
        self.energy = Chart("energy [J]", run.t, lines)
        self.energy_plot.content = self.energy.svg
        self._choose_series()
        if self.model.posed_dofs:
            self._add_sliders()  # as far as this run goes
        if self.model.soft_bodies:
            self._show_scale()

    def follow(self, force: bool = False) -> None:
        """Make slider and charts show the player's time; not at every frame, unless `force`."""
        now = time.monotonic()
        if not force and now - self.refreshed < REFRESH:
            return
        self.refreshed = now
        self.time.value = self.player.t
        self.energy_cursor.content = self.energy.cursor(self.player.t)
        if self.names or self.muscles:
            self.series_cursor.content = self.series.cursor(self.player.t)
        if not self.player.playing:
            self._show_pose()

    def _add_playback(self) -> None:
        self.play = self.gui.add_button("Play", icon="player-play")
        self.steps = self.gui.add_button_group("Step", tuple(STEPS))
        self.time = self.gui.add_slider("Time [s]", min=0.0, max=1.0, step=1e-4, initial_value=0.0)
        self.speed = self.gui.add_dropdown("Speed", SPEEDS, initial_value="1x")
        self.loop = self.gui.add_checkbox("Loop", initial_value=self.player.loop)
        self.play.on_click(lambda _: self._toggle())
        self.steps.on_click(lambda event: self._step(event.target.value))
        self.time.on_update(lambda event: self._seek(self.time.value) if by_hand(event) else None)
        self.speed.on_update(lambda _: setattr(self.player, "speed", float(self.speed.value[:-1])))
        self.loop.on_update(lambda _: setattr(self.player, "loop", self.loop.value))

    def _toggle(self) -> None:
        self.player.play(not self.player.playing)
        self.show_playing()

    def show_playing(self) -> None:
        """Label the button with what it does next, play or pause."""
        self.play.label = "Pause" if self.player.playing else "Play"
        self.play.icon = "player-pause" if self.player.playing else "player-play"

    def _seek(self, t: float) -> None:
        self.player.seek(t)
        self.show_playing()
        self.follow(force=True)

    def _step(self, which: str) -> None:
        self.player.step(STEPS[which])
        self.show_playing()
        self.follow(force=True)

    def _add_charts(self) -> None:
        with self.gui.add_folder("Charts"):
            self.energy_plot, self.energy_cursor = self.gui.add_html(""), self.gui.add_html("")
            shown = *self.names, *self.muscles
            if shown:
                label = "Coordinate or muscle" if self.muscles else "Coordinate"
                self.chosen = self.gui.add_dropdown(label, shown, initial_value=shown[0])
                self.series_plot, self.series_cursor = self.gui.add_html(""), self.gui.add_html("")
                self.chosen.on_update(lambda _: self._choose_series() or self.follow(force=True))

    def _choose_series(self) -> None:
        if self.names or self.muscles:
            run, name = self.player.frames.trajectory, self.chosen.value
            if name in self.muscles:
                muscle, key = self.muscles[name]
                values = getattr(run.muscles, key)[:, muscle]
            else:
                values = run.q[:, self.names.index(name)]
            self.series = Chart(name, run.t, [(name, values, POTENTIAL)])
            self.series_plot.content = self.series.svg

    def _add_layers(self) -> None:
        with self.gui.add_folder("Layers", expand_by_default=False):
            for name, group in self.canvas.groups.items():
                box = self.gui.add_checkbox(name.capitalize(), initial_value=bool(group.visible))
                box.on_update(lambda event, name=name: self.canvas.show(name, event.target.value))
            if self.muscles:
                self.gui.add_html(f'<div style="{LEGEND}">{activation_legend()}</div>')
            if self.model.soft_bodies:
                self._add_looks()
            shadows = self.gui.add_checkbox("Shadows", initial_value=False, hint="quick only with a graphics card")
            shadows.on_update(lambda event: self.canvas.cast_shadows(event.target.value))

    def _add_looks(self) -> None:
        """Add controls of how soft bodies are seen."""
        wanted = self.canvas.drawing.wanted
        scale = True if wanted.strain is False else wanted.strain  # of the strain, where it is shown
        strain = self.gui.add_checkbox("Colour by strain", initial_value=wanted.strain is not False)
        xray = self.gui.add_checkbox("X-ray", initial_value=wanted.xray, hint="what is inside soft bodies")
        self.scale = self.gui.add_html("")

        def change() -> None:
            self.canvas.look(Look(scale if strain.value else False, xray.value))
            self._show_scale()

        for box in (strain, xray):
            box.on_update(lambda _: self.player.redraw(change))

    def _show_scale(self) -> None:
        most = self.canvas.drawing.strain
        self.scale.content = "" if most is None else f'<div style="{LEGEND}">{strain_legend(most)}</div>'

    def _add_poses(self) -> None:
        self.sliders: dict[int, object] = {}
        if not self.model.posed_dofs:
            return
        with self.gui.add_folder("Pose", expand_by_default=False) as folder:
            self.pose_folder = folder
            if self.model.posed_dofs > SLIDERS:
                self.posed_body = self.gui.add_dropdown("Body", self._bodies_that_move())
                self.posed_body.on_update(lambda _: self._add_sliders())

    def _bodies_that_move(self) -> tuple[str, ...]:
        if self.model.reduction is not None:  # where bodies may share coordinates
            return tuple(self.names)
        return tuple(name for name in self.model.names if self.model.dof(name).stop > self.model.dof(name).start)

    def _add_sliders(self) -> None:
        """Add sliders for all coordinates, or those of the chosen body."""
        for slider in self.sliders.values():
            slider.remove()
        dofs = range(self.model.posed_dofs)
        if self.model.posed_dofs > SLIDERS:
            own = self.model.dof(self.posed_body.value)
            dofs = range(own.start, own.stop)
        units, q = dof_units(self.model), self.player.moment.q
        self.sliders = {}
        with self.pose_folder:
            for k in dofs:
                most = np.pi if units[k] == "rad" else self.canvas.drawing.size if units[k] == "m" else 1.0
                run = self.player.frames.trajectory.q[:, k]
                low, high = min(-most, run.min()), max(most, run.max())
                value = float(np.clip(q[k], low, high))
                slider = self.gui.add_slider(
                    self.names[k], min=low, max=high, step=(high - low) / 2000, initial_value=value
                )
                slider.on_update(lambda event, k=k: self._pose(k, event.target.value) if by_hand(event) else None)
                self.sliders[k] = slider

    def _pose(self, k: int, value: float) -> None:
        moment, q = self.player.moment, self.player.moment.q.copy()
        q[k] = value
        if (moment.model.constraints.levels == POSITION).any():
            with suppress(ValueError):  # out of reach: then the loops are seen open
                for _ in range(PULLS):
                    q[k] = value
                    q = assemble(moment.model, q, t=moment.t).q
        self.player.pose(q)
        self.show_playing()
        if len(self.model.constraints):
            self._show_pose(but=k)

    def _show_pose(self, but: int = -1) -> None:
        """Set the sliders to the model's coordinates, except the one that is being moved."""
        q = self.player.moment.q
        for k, slider in self.sliders.items():
            if k != but:
                slider.value = float(np.clip(q[k], slider.min, slider.max))


def by_hand(event) -> bool:
    """True if a person moved a control, and not this program."""
    return event.client_id is not None
