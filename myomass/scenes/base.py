"""Scene: a mechanism with a start, a duration, and how to run it."""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from ..adjoint.tasks import Task
from ..algorithms.energy import Energy
from ..dynamics import energy
from ..model import Model, Spec
from ..muscles.hill.start import Activation
from ..run.events import Event
from ..run.excitations import Given as Excitation
from ..spatial.brief import brief

ERG = 1e-7  # [J]


@brief
@dataclass(eq=False)
class Scene:
    """A preset: a mechanism, its start, duration, step and integrator."""

    name: str  # kebab-case
    description: str  # one sentence
    spec: Spec
    q: np.ndarray
    qdot: np.ndarray
    duration: float  # [s]
    h: float  # [s]
    integrator: str
    number: int | None = None  # RedMax's; from 100 on its differentiable version's, from 200 on our own
    conservative: bool = True  # its exact motion keeps its energy
    baumgarte: tuple[float, float, float] | None = None  # gains of the table's runs of constrained scenes
    events: tuple[Event, ...] = ()  # events that belong to its physics
    rtol: float | None = None  # of adaptive integrators, where the usual one does not suffice
    excitation: Excitation = None  # of muscles with an actuator, as `simulate` takes it
    activation: Activation = None  # at which they start in equilibrium (None: the least)
    task: Task | None = None  # what its torques are asked for, as `value_and_grad` and `optimise` take it
    as_stored: bool = True  # its parameters are those that stored end energies belong to

    @property
    def findings(self) -> dict[str, str]:
        """Further lines for the summary of a run; none by default."""
        return {}

    @property
    def reference(self) -> dict[str, float]:
        """End energies T + V - V(start) [J]: of stored runs, by integrator, and "exact", that of the exact motion.

        The exact one of a conservative scene is the kinetic energy of its start.
        """
        stored = _reference_energies() if self.as_stored else {"energies": {}, "exact": {}}
        energies = {key: ERG * value for key, value in stored["energies"].get(self.name, {}).items()}
        for key, value in stored.get("uncounted", {}).get(self.name, {}).items():
            energies[key] += ERG * value
        if self.name in stored["exact"]:
            energies["exact"] = ERG * stored["exact"][self.name]
        elif self.conservative:
            energies["exact"] = float(self.start_energy.kinetic)
        return energies

    @property
    def start_energy(self) -> Energy:
        """(kinetic, potential) at the start [J], muscles in equilibrium at the scene's activation."""
        z = self.model.state(self.q, self.qdot, activation=self.activation).z
        return energy(self.model, self.q, self.qdot, z=z)

    @cached_property
    def model(self) -> Model:
        """The compiled spec."""
        return self.spec.compile()


@cache
def _reference_energies() -> dict[str, dict]:
    """Stored end energies [erg]: by scene and integrator, and of exact motions by scene."""
    return json.loads((Path(__file__).parent / "reference_energies.json").read_text())
