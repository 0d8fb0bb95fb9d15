"""The double pendulum of the muscle experiments (Wang 2022): two bones, and a muscle as heavy as one of them.

Bones of 1 m and 1 kg swing about y; the muscle runs in front of the knee, from the upper bone to the lower one, over a
cylinder across the knee that is fixed to the upper bone. 20 mass points, as many as the dissertation finds enough.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from myomass.joints import Revolute
from myomass.model import Model, Shape, Spec
from myomass.muscles import muscle_lengths, muscle_paths, muscle_points
from myomass.muscles.wrapping import Cylinder
from myomass.spatial import Inertia, rotation, translation
from myomass.trajectory import Trajectory
from myomass.viewer.palette import KINETIC, POTENTIAL, TOTAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LENGTH, WIDTH, MASS = 1.0, 0.08, 1.0  # of a bone [m, m, kg]; the muscle has the mass of a bone
POINTS = 20
Y = (0.0, 1.0, 0.0)
START = np.array([1.0, -0.5])  # angles of hip and knee [rad], at rest
IVORY, SLATE = (0.93, 0.89, 0.80), (0.58, 0.66, 0.74)  # bones beside a muscle, and bones that bear its mass
SMOOTHINGS = ("none", "network", "blend")
SMOOTH = SMOOTHINGS[1]
STYLES = {"none": "-", "network": (0, (1.2, 1.2)), "blend": (0, (5, 1.5))}  # of lines
Place = tuple[float, float, float]


class Pendulum(NamedTuple):
    """One pendulum: the numbers that may differ. Places are seen from the knee: forwards, sideways, up [m]."""

    origin: Place = (0.15, 0.0, 0.6)  # on the upper bone
    insertion: Place = (0.13, 0.0, -0.45)  # on the lower bone
    radius: float = 0.12  # of the cylinder [m]
    turn: float = 0.0  # of the cylinder's axis about the upper bone, from y [rad]

    def model(self, smoothing: str | float | None) -> Model:
        """The model of the pendulum; smoothing None: without the muscle, half of its mass on each bone."""
        if smoothing is None:
            return bones(1.5 * MASS, SLATE).compile()
        spec = bones(MASS, IVORY, [self.origin], [self.insertion])
        knee = translation(0, 0, -LENGTH / 2) @ rotation((0, 0, 1), self.turn) @ rotation((1, 0, 0), np.pi / 2)
        cylinder = Cylinder("upper", knee, radius=self.radius, side=(1.0, 0.0, 0.0))
        ends = [on_upper(self.origin), on_lower(self.insertion)]
        spec.add_muscle("muscle", MASS, ends, [cylinder], mass_points=POINTS, smoothing=smoothing)
        return spec.compile()


def bones(mass: float, colour: tuple, upper: Sequence[Place] = (), lower: Sequence[Place] = ()) -> Spec:
    """Both bones, of a mass [kg] each, with knobs where muscles are held on the upper and on the lower one."""
    spec, bone = Spec("double pendulum"), Inertia.cuboid((WIDTH, WIDTH, LENGTH), mass=mass)
    parent, top = None, (0.0, 0.0, LENGTH / 2)
    for name, held in (("upper", [on_upper(x) for x in upper]), ("lower", [on_lower(x) for x in lower])):
        rods = [(top, (0.0, 0.0, -LENGTH / 2), 0.45)] + [((0.0, 0.0, x[2]), x, 0.2) for _, x in held]
        shapes = [Shape.rod(a, b, thick * WIDTH, colour=colour) for a, b, thick in rods]
        place = None if parent is None else translation(0, 0, -LENGTH)
        spec.add_body(name, parent, Revolute(Y), place, translation(0, 0, -LENGTH / 2), bone, shapes=shapes)
        parent = name
    return spec


def on_upper(place: Place) -> tuple[str, Place]:
    """A point of the upper bone, given as seen from the knee."""
    return "upper", (place[0], place[1], place[2] - LENGTH / 2)


def on_lower(place: Place) -> tuple[str, Place]:
    """A point of the lower bone, given as seen from the knee."""
    return "lower", (place[0], place[1], place[2] + LENGTH / 2)


def drift(run: Trajectory) -> float:
    """Largest change of the total energy from its start, as a part of the largest kinetic energy."""
    total = run.kinetic + run.potential
    return float(np.abs(total - total[0]).max() / run.kinetic.max())


def wrapped(exact: Model, q: np.ndarray) -> np.ndarray:
    """Length of the path on its cylinder [m] at rows of q, by a model without smoothing. (rows,)"""
    return np.array([muscle_paths(exact, row)[0].wrapped.sum() for row in q])


def touch_downs(exact: Model, q: np.ndarray) -> int:
    """How often a path lands on its cylinder in rows of q."""
    on = wrapped(exact, q) > 0
    return int(np.count_nonzero(on[1:] & ~on[:-1]))


def off_the_exact_path(model: Model, exact: Model, q: np.ndarray) -> float:
    """Largest distance of a mass point to where the exact path has it, at rows of q, as a part of the path's length."""
    worst = 0.0
    for row in q:
        apart = np.linalg.norm(muscle_points(model, row)[0] - muscle_points(exact, row)[0], axis=1).max()
        worst = max(worst, float(apart / muscle_lengths(exact, row)[0]))
    return worst


def draw_energies(axes: "Axes", run: Trajectory) -> None:
    """Draw kinetic, potential and total energy, the latter relative to its start."""
    V = run.potential - run.potential[0]
    for y, colour, label in ((run.kinetic, KINETIC, "kinetic"), (V, POTENTIAL, "potential")):
        axes.plot(run.t, y, color=colour, lw=1.3, label=label)
    axes.plot(run.t, run.kinetic + V, color=TOTAL, lw=1.8, label="total")
    axes.set(xlabel="t [s]", ylabel="[J]", xlim=(run.t[0], run.t[-1]))
    axes.set_ylim(top=1.5 * run.kinetic.max())
    axes.legend(frameon=False, fontsize=9, loc="upper center", ncols=3)
