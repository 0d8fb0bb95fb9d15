"""Did a run of a scene end where it should? Its end energy against the scene's references."""

from dataclasses import dataclass

from ..integrators import INTEGRATORS, Adaptive
from ..trajectory import Trajectory
from .base import Scene

# How far off an end energy may be, of the energy exchanged: of an adaptive run (rtol 1e-4), of one of fixed steps from
# the stored run of the same steps, and from the exact motion.
ADAPTIVE_RUN, SAME_STEPS, FIXED_STEPS = 1e-3, 1e-6, 1e-2


@dataclass(frozen=True)
class Verdict:
    """Difference of the end energy, of the energy exchanged (None: nothing to compare with), and whether it passed."""

    difference: float | None
    passed: bool
    text: str


def judge(scene: Scene, trajectory: Trajectory, as_preset: bool = True, with_gains: bool = False) -> Verdict:
    """Compare with the stored run of the same integrator, or else with the exact motion.

    `as_preset`: duration and step are the scene's own; otherwise there is nothing to compare with. `with_gains`: the
    scene's Baumgarte gains were used, with which the runs of constrained scenes were stored.
    """
    if trajectory.ended != "completed":
        return Verdict(None, False, trajectory.ended)
    reference, name = scene.reference, trajectory.integrator
    end = trajectory.kinetic[-1] + trajectory.potential[-1] - scene.start_energy.potential
    stored = as_preset and name in reference and (with_gains or scene.baumgarte is None)
    adaptive = isinstance(INTEGRATORS[name], Adaptive)
    if not stored and not ("exact" in reference and as_preset and (adaptive or name == scene.integrator)):
        return Verdict(None, True, "completed")
    exchanged = trajectory.energy_exchanged
    difference = abs(end - reference[name if stored else "exact"]) / exchanged if exchanged else 0.0
    allowed = ADAPTIVE_RUN if adaptive else SAME_STEPS if stored else FIXED_STEPS
    passed = bool(difference <= allowed)
    return Verdict(float(difference), passed, "ok" if passed else f"differs by more than {allowed:g}")
