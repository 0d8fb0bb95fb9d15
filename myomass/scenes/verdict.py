"""Did a run of a scene end where it should? Its end energy against the scene's references."""

from dataclasses import dataclass

from ..integrators import ADAPTIVE
from ..trajectory import Trajectory
from .base import Scene

STORED, STORED_ADAPTIVE, EXACT = 1e-6, 1e-3, 1e-2  # how far off an end energy may be, of the energy exchanged


@dataclass(frozen=True)
class Verdict:
    """Difference to the reference, of the energy exchanged (None: nothing to compare with), and whether it passed."""

    difference: float | None
    passed: bool
    text: str


def judge(scene: Scene, trajectory: Trajectory, as_preset: bool = True) -> Verdict:
    """Compare with the stored run of the same integrator, or else with the exact motion; `as_preset`: duration and h
    are the scene's own."""
    if trajectory.ended != "completed":
        return Verdict(None, False, trajectory.ended)
    reference, name = scene.reference, trajectory.integrator
    end = trajectory.kinetic[-1] + trajectory.potential[-1] - trajectory.potential[0]
    stored = as_preset and name in reference
    if not stored and not ("exact" in reference and as_preset and (name in ADAPTIVE or name == scene.integrator)):
        return Verdict(None, True, "completed")
    exchanged = trajectory.energy_exchanged
    difference = abs(end - reference[name if stored else "exact"]) / exchanged if exchanged else 0.0
    allowed = (STORED_ADAPTIVE if name in ADAPTIVE else STORED) if stored else EXACT
    passed = bool(difference <= allowed)
    return Verdict(float(difference), passed, "ok" if passed else f"differs by more than {allowed:g}")
