"""What the surface of a soft body does at a plane of the world: penalty contact, as `mm.forces.Ground` of its vertices.

Each vertex has a third of the area of its triangles at rest; the force is that of Ground for a unit of area, so that a
finer surface makes no harder ground.
"""

from dataclasses import dataclass, field

import numpy as np

from ..model.joint_checks import not_negative
from ..spatial.brief import brief
from ..spatial.checks import check_frame, check_positive

UNITS = {"stiffness": "Pa/m", "damping": "Pa s/m", "sticking": "Pa s/m", "friction": ""}


@brief
@dataclass(frozen=True, eq=False)
class Touch:
    """The plane z = 0 of the frame `plane` in the world (default: the world's), solid below.

    Pressure is `stiffness` [Pa/m] times depth and `damping` [Pa s/m] times the speed of approach. Friction is at most
    `friction` times the pressure, and below that `sticking` [Pa s/m] times the sliding speed: large is firm. The
    damping grows up to the depth `transition` [m].
    """

    stiffness: float
    damping: float = 0.0
    friction: float = 0.0
    sticking: float = 0.0
    transition: float = 1e-4
    plane: np.ndarray = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        for name, unit in UNITS.items():
            what = f"Touch: {name}" + (f" [{unit}]" if unit else "")
            object.__setattr__(self, name, float(not_negative(getattr(self, name), what)))
        object.__setattr__(self, "transition", check_positive(self.transition, "Touch: transition [m]"))
        object.__setattr__(self, "plane", check_frame(self.plane, "Touch: plane"))
        if self.friction and not self.sticking:
            raise ValueError("Touch: friction needs sticking [Pa s/m] too: how firmly a point sticks before it slides")

    @property
    def numbers(self) -> list[float]:
        """What the kernel of Ground takes, for a unit of area."""
        normal = self.plane[:3, 2]
        own = [self.stiffness, self.damping, self.sticking, self.friction, self.transition]
        return [*normal.tolist(), float(normal @ self.plane[:3, 3]), *own]
