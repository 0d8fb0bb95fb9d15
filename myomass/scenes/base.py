"""Scene: a mechanism with a start, a duration, and how to run it."""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

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

    @property
    def reference(self) -> dict[str, float]:
        """End energies T + V - V(start) that others found, by integrator [J]; empty if there are none."""
        return {key: 1e-7 * erg for key, erg in _reference_energies().get(self.name, {}).items()}

    @cached_property
    def model(self) -> Model:
        """The compiled spec."""
        return self.spec.compile()


@cache
def _reference_energies() -> dict[str, dict[str, float]]:
    """By scene and integrator, in erg."""
    return json.loads((Path(__file__).parent / "reference_energies.json").read_text())["energies"]
