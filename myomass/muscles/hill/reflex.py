"""Reflexes: feedback to the excitation of a muscle, computed in kernels."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...model.joint_checks import coordinate_of, not_negative
from ...model.spec import UnknownName, known_names
from ...spatial.brief import brief
from ...spatial.checks import check_numbers
from .records import COORDINATE, FORCE, LENGTH, TERMS, VELOCITY

if TYPE_CHECKING:
    from ...model.model import Model

QUANTITIES = {"coordinate": COORDINATE, "length": LENGTH, "velocity": VELOCITY, "force": FORCE}


@brief
@dataclass(frozen=True)
class Reflex:
    """Adds gain (x - target) + rate_gain dx/dt to the excitation of `muscle`, `delay` [s] later.

    x is what `of` says: "coordinate", that of the joint of body `source` (`component` of it) [rad or m]; or, of the
    muscle `source` (None: the same muscle), the fibre's "length" in optimal lengths, its "velocity" in largest speeds
    of shortening (positive while it lengthens), or the tendon's "force" in optimal forces; the last two have no
    rate_gain. rectified: only what is positive is added. Several reflexes of one muscle add up.
    """

    muscle: str
    of: str = "coordinate"
    source: str | None = None
    gain: float = 0.0
    rate_gain: float = 0.0
    target: float = 0.0
    delay: float = 0.0
    component: int = 0
    rectified: bool = False
    joints: ClassVar[tuple[str, ...]] = ("source",)  # fields that name a joint, by the body that hangs by it

    def parameters(self) -> tuple[float, float, float, float]:
        """gain, rate_gain, target and delay, checked."""
        gains = [float(check_numbers(getattr(self, key), key, ())) for key in ("gain", "rate_gain", "target")]
        return *gains, not_negative(self.delay, "delay [s]")


def pack_reflex(model: "Model", name: str, reflex: Reflex, muscles: list[str], states: list[str]) -> tuple:
    """The record of a reflex; its delay's states are appended. `muscles` are the names of those with states."""
    if not isinstance(reflex, Reflex):
        raise TypeError(f"give an mm.Reflex, not {reflex!r}")
    if reflex.of not in QUANTITIES:
        raise ValueError(f"`of` is one of {', '.join(map(repr, QUANTITIES))}, not {reflex.of!r}")
    quantity, hill = QUANTITIES[reflex.of], _number_of(reflex.muscle, muscles)
    gain, rate_gain, target, delay = reflex.parameters()
    if quantity in (VELOCITY, FORCE) and rate_gain:
        raise ValueError(f"rate_gain is for a coordinate or a fibre's length, not for its {reflex.of}")
    if quantity == COORDINATE:
        if reflex.source is None:
            raise ValueError("source must name the body whose joint has the coordinate")
        source = coordinate_of(model, reflex.source, reflex.component, "a reflex")
        if any(0 <= source - link["dof"] < link["ndof"] for link in model.links[model.charted]):
            raise ValueError(
                f"a reflex needs a coordinate that keeps its meaning, and those of the ball joint of {reflex.source!r} "
                "are moved to other charts"
            )
    else:
        source = hill if reflex.source is None else _number_of(reflex.source, muscles)
    memory = len(states) if delay > 0 else -1
    states += [f"{name}.delay{i}" for i in range(TERMS if delay > 0 else 0)]
    return hill, quantity, source, memory, int(bool(reflex.rectified)), gain, rate_gain, target, delay


def _number_of(muscle: str, muscles: list[str]) -> int:
    if muscle not in muscles:
        raise UnknownName(f"there is no muscle {muscle!r} with an actuator; {known_names(muscles)}")
    return muscles.index(muscle)


def source_dofs(reflexes: np.ndarray) -> np.ndarray:
    """The degree of freedom that each reflex answers to, -1 for those that answer to a muscle."""
    return np.where(reflexes["quantity"] == COORDINATE, reflexes["source"], -1)
