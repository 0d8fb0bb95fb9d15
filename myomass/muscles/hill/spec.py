"""What a person says about a Hill-type muscle, and its equilibrium without a model."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...joints.records import records
from ...spatial.brief import brief
from ...spatial.checks import check_numbers, check_positive
from .activation import EXCITED, PIECEWISE, SMOOTH
from .curves.base import Curves
from .curves.dispatch import Millard2012, demand_curves
from .equilibrium import COLUMNS, settle_all
from .records import hill_dtype

TENDONS = ("elastic", "rigid")
DYNAMICS = {"piecewise": PIECEWISE, "smooth": SMOOTH, "excited": EXCITED}
FIRST = 5  # how many places without an equilibrium an error lists at most


@brief
class Equilibrium(NamedTuple):
    """A muscle in equilibrium: numbers, or arrays of the shape that was asked for."""

    tension: np.ndarray  # of the tendon [N]
    fibre_length: np.ndarray  # [m]
    fibre_velocity: np.ndarray  # [m/s], positive if it lengthens
    pennation: np.ndarray  # angle between fibre and tendon [rad]
    tendon_length: np.ndarray  # [m]
    active: np.ndarray  # forces along the fibre [N]: of its activation, ...
    passive: np.ndarray  # ... of its passive stretch ...
    damping: np.ndarray  # ... and of its damping


class HillNumbers(NamedTuple):
    """What a muscle's record (records.hill_dtype) says of the muscle by itself, under the names of its fields."""

    kind: int
    dynamics: int
    force: float
    optimal: float
    slack: float
    height: float
    speed: float
    damping: float
    shortest: float
    rise: float
    fall: float
    least: float


@brief
@dataclass(frozen=True)
class Hill:
    """A Hill-type muscle: a fibre with activation, in series with an elastic or a rigid tendon.

    Force F0 [N] and fibre length [m] at its best, length up to which the tendon is slack [m], pennation angle at the
    optimal length [rad], largest speed of shortening [optimal lengths per s], time constants [s]. None takes what the
    family of curves has of its own; `curves` None is `mm.curves.Millard2012()`. Any family may have a rigid tendon.
    """

    optimal_force: float
    optimal_fibre_length: float
    tendon_slack_length: float
    pennation: float = 0.0
    max_velocity: float = 10.0
    damping: float | None = None  # F0 times this is the fibre's damping force at its largest speed
    tendon: str = "elastic"  # or "rigid"
    curves: Curves | None = None
    activation_time: float | None = None
    deactivation_time: float | None = None
    least_activation: float = 0.01
    max_pennation: float = float(np.arccos(0.1))  # beyond which the fibre does not shorten
    activation_dynamics: str | None = None  # "piecewise", "smooth" or "excited"

    def __post_init__(self) -> None:
        self.numbers()
        self.parameters()

    @property
    def family(self) -> Curves:
        """The curves, those of Millard if none were given."""
        return Millard2012() if self.curves is None else self.curves

    @property
    def rigid(self) -> bool:
        """Is the tendon rigid?"""
        return self.tendon == "rigid"

    def numbers(self) -> HillNumbers:
        """What kernels read of this muscle, checked, but for its curves and for its place in a model."""
        family = self.family
        if not isinstance(family, Curves):
            raise TypeError(f"Hill: curves must be of a family such as mm.curves.Millard2012(), and is {family!r}")
        if family.kind < 0:
            raise ValueError(f"Hill: register the curves {type(family).__name__} before they are used")
        if self.tendon not in TENDONS:
            raise ValueError(f'Hill: tendon must be "elastic" or "rigid", and is {self.tendon!r}')
        force = check_positive(self.optimal_force, "Hill: optimal_force [N]")
        optimal = check_positive(self.optimal_fibre_length, "Hill: optimal_fibre_length [m]")
        slack = self._slack()
        damping, least = self._damping(), self._least()
        if damping == 0 and least == 0 and not self.rigid:
            raise ValueError(
                "Hill: a fibre without damping needs activation to balance an elastic tendon; give damping or "
                "least_activation above 0"
            )
        most, pennation = self._angles()
        height = optimal * np.sin(pennation).item()
        rise = self._time("activation_time")
        fall = self._time("deactivation_time")
        speed = optimal * check_positive(self.max_velocity, "Hill: max_velocity [optimal fibre lengths per s]")
        shortest = max(optimal * family.least_length(), height / np.sin(most).item())
        return HillNumbers(
            family.kind, self._dynamics(), force, optimal, slack, height, speed, damping, shortest, rise, fall, least
        )

    def parameters(self) -> list[float]:
        """The numbers of the curves that kernels read, checked."""
        return self.family.parameters(self.rigid or self._damping() > 0)

    def record(self, at: int = 0) -> np.ndarray:
        """One record for kernels (records.hill_dtype), of a muscle by itself whose curves start at `at`."""
        record = records(1, hill_dtype(np.float64))
        for name, value in self.numbers()._asdict().items():
            record[name] = value
        record["at"], record["fibre"] = at, -1 if self.rigid else 0
        return record

    def equilibrium(self, activation: float, length: float, speed: float = 0.0) -> Equilibrium:
        """Fibre and tendon in equilibrium at an activation, a length of the path [m] and its speed [m/s].

        Arrays are combined as NumPy does. The fibre of an elastic tendon takes the share K_t/(K_t + K_f) of the speed,
        by the stiffnesses of tendon and fibre. An activation below the least one counts as that. Raises a ValueError
        where the path is so short that it leaves the tendon slack.
        """
        given = [np.asarray(value) for value in (activation, length, speed)]
        named = zip(given, ("activation", "length [m]", "speed [m/s]"), strict=True)
        checked = [check_numbers(value, f"Hill: {what}", (None,) * value.ndim) for value, what in named]
        if ((checked[0] < 0) | (checked[0] > 1)).any():
            raise ValueError("Hill: activation must be between 0 and 1")
        try:
            a, L, Ldot = np.broadcast_arrays(*checked)
        except ValueError:
            shapes = ", ".join(str(value.shape) for value in checked)
            raise ValueError(f"Hill: activation, length and speed have shapes {shapes}, which do not combine") from None
        flat = [np.ascontiguousarray(value.reshape(-1)) for value in (a, L, Ldot)]
        table, found = np.zeros((len(COLUMNS), a.size)), np.zeros(a.size, bool)
        demand_curves([self.family.kind])
        settle_all(self.record(), np.array(self.parameters()), *flat, table, found)
        if not found.all():
            raise ValueError(self._slack_sentence(flat[1][~found]))
        return Equilibrium(*(column.reshape(a.shape)[()] for column in table))

    def _slack_sentence(self, lengths: np.ndarray) -> str:
        numbers = self.numbers()
        least = numbers.slack + np.sqrt(max(numbers.shortest**2 - numbers.height**2, 0.0))
        listed = ", ".join(f"{length:g}" for length in lengths[:FIRST]) + (", ..." if len(lengths) > FIRST else "")
        return (
            f"Hill: no equilibrium at the path length {listed} m; the tendon is slack below {least:g} m, where the "
            f"fibre is {numbers.shortest:g} m long, its shortest"
        )

    def _slack(self) -> float:
        what = "Hill: tendon_slack_length [m]"
        if self.rigid and self.tendon_slack_length == 0:
            return 0.0
        return check_positive(self.tendon_slack_length, what)

    def _damping(self) -> float:
        damping = self.family.damping if self.damping is None else self.damping
        damping = float(check_numbers(damping, "Hill: damping", ()))
        if damping < 0:
            raise ValueError(f"Hill: damping must not be negative, and is {damping:g}")
        return damping

    def _least(self) -> float:
        least = float(check_numbers(self.least_activation, "Hill: least_activation", ()))
        if not 0 <= least < 1:
            raise ValueError(f"Hill: least_activation must be at least 0 and below 1, and is {least:g}")
        return least

    def _angles(self) -> tuple[float, float]:
        most = check_positive(self.max_pennation, "Hill: max_pennation [rad]")
        pennation = float(check_numbers(self.pennation, "Hill: pennation [rad]", ()))
        if most >= np.pi / 2:
            raise ValueError(f"Hill: max_pennation must be below pi/2, and is {most:g} rad")
        if not 0 <= pennation < most:
            raise ValueError(f"Hill: pennation must be in [0, max_pennation) = [0, {most:g}), and is {pennation:g}")
        return most, pennation

    def _time(self, name: str) -> float:
        given = getattr(self, name)
        return check_positive(getattr(self.family, name) if given is None else given, f"Hill: {name} [s]")

    def _dynamics(self) -> int:
        word = self.family.activation_dynamics if self.activation_dynamics is None else self.activation_dynamics
        if word not in DYNAMICS:
            raise ValueError(f'Hill: activation_dynamics must be "piecewise", "smooth" or "excited", and is {word!r}')
        return DYNAMICS[word]
