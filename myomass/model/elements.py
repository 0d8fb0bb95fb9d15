"""What acts on a mechanism, as a spec knows it: the base classes of forces and constraints, and a muscle.

A force is made of parts. A part on coordinates follows a law f(t, q_k, qdot_k) of one degree of freedom; a part on
points follows a formula of where a few points of bodies are and how they move.

A constraint is made of parts too. A part has two ends, each a frame of a body (None: the world) or one coordinate, and
a few rows: a formula gives of each row its value g and how it changes with the ends' twists or rates.

Each family packs its own into arrays (pack.py in forces, constraints and muscles), and has the kernels that read them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..spatial.brief import brief
from ..spatial.motion import Motion

if TYPE_CHECKING:
    from ..deformables.soft_body import SoftBody
    from ..deformables.touch import Touch
    from ..muscles.hill.spec import Hill
    from ..muscles.laws.base import TensionLaw
    from ..muscles.network.trained import Network
    from ..muscles.spec import Belly, ConditionalPoint, Lumps, MovingPoint, Surface
    from .model import Model

Point = tuple[str | None, Sequence[float]]  # (body, place in its frame [m]); body None: the world
Frame = tuple[str | None, np.ndarray]  # (body, pose in its frame (4, 4)); body None: the world
# what a row prescribes; friction is bounded instead
POSITION, VELOCITY, ACCELERATION, FRICTION = range(4)


@brief
@dataclass(frozen=True)
class Law:
    """One degree of freedom under a law: force and energy of (t, q_k, qdot_k)."""

    kind: int  # index into forces.dispatch.LAWS
    dof: int
    parameters: Sequence[float]


@brief
@dataclass(frozen=True)
class Element:
    """A few points under a formula: forces (and moments) on them, and energy."""

    kind: int  # index into forces.dispatch.FORMULAS
    points: Sequence[Point]
    parameters: Sequence[float]
    turns: bool = False  # the formula reads angular velocities too
    stores: bool = True  # it stores energy in a stiffness, which the linearly implicit step counts


@brief
class Force:
    """Base of all forces. A subclass has one of the two kernels and says what parts it consists of."""

    kind: ClassVar[int] = -1  # set where it is listed or registered
    joints: ClassVar[tuple[str, ...]] = ()  # its fields that name a joint, by the body that hangs by it
    named: ClassVar[tuple[str, ...]] = ()  # its fields that name a coordinate
    # "spring", "cable" (through its points), "arrow" or "ground" (at them), "push" (at the first)
    drawn: ClassVar[str | None] = None

    def __dir__(self) -> list[str]:
        """What is meant for people; kernels and what packs them are not."""
        hidden = ("kind", "joints", "named", "drawn", "law", "formula", "parts", "motions_in")
        return [name for name in super().__dir__() if name not in hidden]

    @classmethod
    def motions_in(cls, params: np.ndarray, at: int) -> list[int]:
        """Where motions in time begin among the parameters of a part that start at `at`."""
        return []

    def parts(self, model: "Model") -> list[Law | Element]:
        """The laws or elements that the force consists of on this model. Raises an error if it does not fit."""
        raise NotImplementedError


@dataclass(eq=False)
class Formula:
    """A kernel of rows, formula(params, at, t, spots, rows), and what plots and pictures need to know of them."""

    kernel: Callable
    unit: str | int | None = None  # of g: "m", "rad", or which end's coordinate has it; None: any end's, or m
    closes: bool = False  # does it tie two frames as a joint does? Then one is drawn at the first
    touch: Callable | None = None  # of a contact: (parameters, (x, R) of both ends) -> Touch, the nearest points
    plane: bool = False  # is the second end a plane to be drawn, solid below z = 0?
    motion: int | None = None  # of a row that follows a motion in time: where that begins in the parameters
    kind: int = field(default=-1, init=False)  # its place in constraints.dispatch.FORMULAS

    @property
    def name(self) -> str:
        """The name that files know it by: its kernel's."""
        return self.kernel.__name__

    def __repr__(self) -> str:
        return f"Formula({self.name})"


@brief
@dataclass(frozen=True)
class ConstraintPart:
    """Rows between two ends: frames of bodies, or coordinates (a number of a degree of freedom)."""

    formula: Formula
    rows: Sequence[str]  # a word for each row
    parameters: Sequence[float]
    ends: Sequence[Frame | int] = ()
    level: int | Sequence[int] = POSITION
    unilateral: bool = False  # rows at the level of positions say g >= 0
    friction: float = 0.0  # coefficient, for the rows at the level of friction
    cone: bool = False  # two tangents share one bound


@brief
class Constraint:
    """Base of all constraints. A subclass says what parts it consists of."""

    formulas: ClassVar[tuple[Formula, ...]] = ()  # of its rows: what `mm.register` reads
    joints: ClassVar[tuple[str, ...]] = ()  # its fields that name a joint, by the body that hangs by it

    def __dir__(self) -> list[str]:
        """What is meant for people; formulas and what packs them are not."""
        return [name for name in super().__dir__() if name not in ("formulas", "joints", "parts")]

    def parts(self, model: "Model") -> list[ConstraintPart]:
        """The parts that the constraint consists of on this model. Raises an error if it does not fit."""
        raise NotImplementedError


@brief
@dataclass(eq=False)
class Muscle:
    """One muscle with what `Spec.add_muscle` was given."""

    points: "Sequence[Point | MovingPoint | ConditionalPoint]"
    mass: float = 0.0
    wrap: "Sequence[Surface | None] | None" = None
    mass_points: int = 20
    distribution: "str | Belly | Lumps | Sequence[float]" = "uniform"
    smoothing: "str | float | Network" = "blend"
    tension: "Motion | TensionLaw | float" = 0.0
    actuator: "Hill | None" = None

    def surfaces(self) -> "list[Surface]":
        """The surfaces that the path may touch, in its order, each once."""
        held = self.wrap if isinstance(self.wrap, Sequence) else [self.wrap]
        listed = [one for piece in held for one in (piece if isinstance(piece, Sequence) else [piece])]
        return list({id(one): one for one in listed if one is not None}.values())


@brief
@dataclass(eq=False)
class Flesh:
    """One soft body with what `Spec.add_soft_body` was given."""

    soft: "SoftBody"
    attached: "Mapping[str | None, np.ndarray]" = field(default_factory=dict)
    handles: Sequence[int] = ()
    surface: tuple[np.ndarray, np.ndarray] | None = None
    touches: "Sequence[Touch]" = ()
    q: np.ndarray | None = None
    colour: tuple[float, float, float] | None = None
