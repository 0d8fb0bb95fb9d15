"""What muscles with states did: lengths, speeds, forces, powers and work, of a state or of all rows of a run.

Powers are those that a part gives to what it is joined to: positive where it shortens under force. With F the force
along the fibre, v the fibre's velocity, T the tension and L the path's length,

    power to the skeleton -T Ldot = fibre -F v + tendon -T ldot_t,      F = active + passive + damping

so that the contractile element's work, -integral of active v, is what becomes kinetic and potential energy, stored
energy of tendons and passive fibres, and the heat of damping.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from ..._jit import kernel
from ...algorithms.charts import set_charts
from ...algorithms.kinematics import move_all
from ...model import Model, State
from ...model.spec import UnknownName, known_names
from ...model.workspace import charts_restored, open_tree
from ...reduction.border import joint_rows
from ...spatial.brief import counted
from ..records import muscles_of, open_muscles
from ..tension import add_tensions
from .activation import clip_excitation
from .curves.dispatch import active_curve
from .fibre import cosine, parts, stored_energy
from .start import excitation_numbers, hill_names

UNEVEN = 4.0  # ratio of neighbouring steps beyond which no parabola goes through them
COLUMNS = (
    "activation",
    "excitation",
    "length",
    "speed",
    "fibre_length",
    "fibre_velocity",
    "pennation",
    "tension",
    "active_force",
    "passive_force",
    "damping_force",
    "tendon_energy",
    "passive_energy",
    "length_factor",
)


@kernel(entry=True)
def tell_along(handle, muscles_handle, slots, charts, t, q, qdot, z, excitation, out):
    """Fill out[row, muscle] with COLUMNS for every row of t, q, qdot, z and excitations, for Python."""
    tree = open_tree(handle, q)
    muscles = open_muscles(muscles_handle, q)
    drive, dropped = muscles.drive, muscles.scratch.dropped
    drive.stage[0] = 0.0
    for row in range(q.shape[0]):
        set_charts(tree.params, slots, charts, row)
        for k in range(z.shape[1]):
            drive.z[k] = z[row, k]
        for i in range(excitation.shape[1]):
            drive.excitation[i] = excitation[row, i]
        move_all(tree, q[row], qdot[row])
        add_tensions(t[row], q[row], qdot[row], tree, muscles, -1, dropped)
        for i in range(drive.hills.shape[0]):
            hill, told, seen = drive.hills[i], drive.told[i], out[row, i]
            a, fibre, v = clip_excitation(hill, drive.z[hill.activation]), told.fibre, told.rate
            active, passive, damping, _ = parts(hill, muscles.params, a, fibre, v, told.length)
            c = cosine(hill, fibre)
            seen[0], seen[1], seen[2], seen[3] = a, told.excitation, told.length, told.speed
            seen[4], seen[5], seen[6] = fibre, v, np.arctan2(hill.height / fibre, c)
            seen[7], seen[8], seen[9], seen[10] = told.tension, active, passive, damping
            seen[11], seen[12] = stored_energy(hill, muscles.params, fibre, told.length)
            seen[13] = active_curve(hill.kind, muscles.params, hill.at, fibre / hill.optimal)[0]


@dataclass(frozen=True, eq=False, repr=False)
class MuscleReport:
    """What the muscles with states did: arrays of (rows, muscles), of (muscles,) for a single state."""

    names: tuple[str, ...]
    t: np.ndarray  # [s]
    activation: np.ndarray
    excitation: np.ndarray  # with reflexes, clipped
    length: np.ndarray  # of the path [m]
    speed: np.ndarray  # its rate [m/s]
    fibre_length: np.ndarray  # [m]
    fibre_velocity: np.ndarray  # positive while it lengthens [m/s]
    pennation: np.ndarray  # [rad]
    tension: np.ndarray  # of the tendon [N]
    active_force: np.ndarray  # along the fibre [N], as are the next two
    passive_force: np.ndarray
    damping_force: np.ndarray
    tendon_energy: np.ndarray  # stored [J]
    passive_energy: np.ndarray  # stored in the passive fibre [J]
    length_factor: np.ndarray  # of the active force-length curve at this fibre length
    optimal_force: np.ndarray  # F0 [N], (muscles,)
    optimal_length: np.ndarray  # of the fibre [m], (muscles,)
    max_speed: np.ndarray  # of shortening [m/s], (muscles,)

    def __repr__(self) -> str:
        rows = f"{counted(len(self.t), 'row')} of " if self.activation.ndim > 1 else ""
        named = ", ".join(self.names[:6]) + ", ..." * (len(self.names) > 6)
        return f"MuscleReport({rows}{len(self.names)} muscles: {named})"

    def __getitem__(self, name: str) -> "MuscleReport":
        """The report of one muscle, its arrays without the axis of muscles."""
        if name not in self.names:
            raise UnknownName(f"there is no muscle {name!r} with states; {known_names(self.names)}")
        i = self.names.index(name)
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        taken = {key: x if key in ("names", "t") else x[..., i] for key, x in values.items()}
        return MuscleReport(**taken | {"names": (name,)})

    @property
    def tendon_length(self) -> np.ndarray:
        """[m]"""
        return self.length - self.fibre_length * np.cos(self.pennation)

    @property
    def normal_length(self) -> np.ndarray:
        """Fibre length in optimal lengths."""
        return self.fibre_length / self.optimal_length

    @property
    def normal_velocity(self) -> np.ndarray:
        """Fibre velocity in largest speeds of shortening, negative while it shortens."""
        return self.fibre_velocity / self.max_speed

    @property
    def fibre_force(self) -> np.ndarray:
        """Along the fibre: active, passive and damping [N]."""
        return self.active_force + self.passive_force + self.damping_force

    @property
    def power(self) -> np.ndarray:
        """Of the muscle on the skeleton, -T Ldot [W]."""
        return -self.tension * self.speed

    @property
    def fibre_power(self) -> np.ndarray:
        """Of the whole fibre on tendon and skeleton [W]."""
        return -self.fibre_force * self.fibre_velocity

    @property
    def active_power(self) -> np.ndarray:
        """Of the contractile element [W]."""
        return -self.active_force * self.fibre_velocity

    @property
    def tendon_power(self) -> np.ndarray:
        """Of the tendon, as it recoils [W]."""
        return self.power - self.fibre_power

    @property
    def damping_heat(self) -> np.ndarray:
        """Rate of heat of the fibre's damping [W]."""
        return self.damping_force * self.fibre_velocity

    @property
    def stored_energy(self) -> np.ndarray:
        """In tendon and passive fibre [J]."""
        return self.tendon_energy + self.passive_energy

    @cached_property
    def work(self) -> np.ndarray:
        """Of the contractile element since the first row [J]."""
        return self.integral(self.active_power)

    @cached_property
    def heat(self) -> np.ndarray:
        """Of the fibre's damping since the first row [J]."""
        return self.integral(self.damping_heat)

    def integral(self, rate: np.ndarray) -> np.ndarray:
        """Of one of the rates over time, from the first row on; the more rows, the better.

        By parabolas through neighbouring rows, where those are about equally far apart, or else by trapezoids: beside a
        kink or a jump rows lie close, and a parabola would overshoot.
        """
        if np.ndim(self.t) == 0:
            raise ValueError("a single state has no work or heat: ask the report of a run")
        rate = np.asarray(rate, float)
        if rate.shape[:1] != self.t.shape:
            raise ValueError(f"a rate has a value for each of the {len(self.t)} rows, and its shape is {rate.shape}")
        if len(self.t) < 2:
            return np.zeros_like(rate)
        apart = np.flatnonzero(np.diff(self.t) > 0) + 1
        kept = np.concatenate([[0], apart])  # an event may have two rows at one time
        total = _integrated(self.t[kept], rate[kept].reshape(len(kept), -1)).reshape(rate[kept].shape)
        return total[np.searchsorted(self.t[kept], self.t, side="right") - 1]


def _integrated(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integral of columns y from the first of the times on. (rows, columns)"""
    h = np.diff(t)
    slope = np.diff(y, axis=0) / h[:, None]
    even = np.maximum(h[1:], h[:-1]) <= UNEVEN * np.minimum(h[1:], h[:-1])  # around each inner row
    bend = np.where(even[:, None], np.diff(slope, axis=0) / (h[1:] + h[:-1])[:, None], 0.0)
    count, total = np.zeros(len(h)), np.zeros_like(slope)  # parabolas that know an interval, and their bends
    count[1:] += even
    count[:-1] += even
    total[1:] += bend
    total[:-1] += bend
    steps = 0.5 * h[:, None] * (y[1:] + y[:-1]) - h[:, None] ** 3 / 6.0 * total / np.maximum(count, 1.0)[:, None]
    return np.concatenate([np.zeros_like(y[:1]), np.cumsum(steps, axis=0)])


def report_of(model: Model, rows: Sequence[np.ndarray], excitation: np.ndarray) -> MuscleReport:
    """The report of rows = (t, q, qdot, charts, z) of a run of one model."""
    t, q, qdot, charts, z = rows
    q, qdot = joint_rows(model, q, qdot)
    hills, space = model.muscles.hills, model.workspace
    out = np.empty((len(t), len(hills), len(COLUMNS)))
    muscles = muscles_of(space)
    muscles.drive.curve[:], muscles.drive.excitation[:], muscles.drive.zdot[:] = -1, 0.0, 0.0
    with charts_restored(space):
        tell_along(
            space.tree.handle,
            muscles.handle,
            model.chart_slots,
            charts,
            t,
            q,
            qdot,
            z,
            np.ascontiguousarray(excitation),
            out,
        )
    found = {key: out[..., k] for k, key in enumerate(COLUMNS)}
    optimal = {"optimal_force": hills["force"], "optimal_length": hills["optimal"], "max_speed": hills["speed"]}
    return MuscleReport(tuple(hill_names(model)), t, **found, **{key: np.array(x) for key, x in optimal.items()})


def muscle_report(model: Model, state: State, excitation: np.ndarray | float = 0.0) -> MuscleReport:
    """Lengths, speeds, forces and powers of the muscles with states at a state; `trajectory.muscles` is that of a run.

    excitation: of each, before reflexes; it is only told.
    """
    model = model.with_charts(state.charts)
    state = model.state(state.q, state.qdot, state.t, z=state.z)
    given = excitation_numbers(model, excitation)
    rows = np.array([state.t]), state.q[None], state.qdot[None], state.charts[None], state.z[None]
    found = report_of(model, rows, given[None])
    values = {f.name: getattr(found, f.name) for f in fields(found)}
    single = (*COLUMNS, "t")
    return MuscleReport(**{key: x[0] if key in single else x for key, x in values.items()})
