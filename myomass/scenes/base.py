"""Scene: a mechanism with a start, a duration, and how to run it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model import Model, Spec


@dataclass(eq=False)
class Scene:
    """A preset: what moves, from where, for how long, in which steps."""

    name: str  # kebab-case
    description: str  # one sentence
    spec: Spec
    q: np.ndarray
    qdot: np.ndarray
    duration: float  # [s]
    h: float  # [s]
    integrator: str
    number: int | None = None  # in the RedMax table, where it is one of those

    @cached_property
    def model(self) -> Model:
        """The compiled spec."""
        return self.spec.compile()
