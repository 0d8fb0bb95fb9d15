"""A figure leaps off a wall: the flight of least effort between take-off and landing, by spacetime optimisation.

The curve between two given moments is found that has the least integral of sum w_i tau_i^2, torques counted by the
strengths of their joints. Nothing can push a body in flight, so its root is weighed heavily; what is left are torques
of the joints, under which the figure is then simulated forwards.

Run: python examples/motion_transition.py     # some seconds; motion-transition.png and motion-transition-effort.png
"""

import numpy as np

import myomass as mm


def simulated(scene: mm.scenes.Scene) -> mm.Trajectory:
    """The figure under the torques that were found, and how far it strays from the curve they belong to."""
    run = mm.simulate(scene)
    planned = scene.transition.curve(run.t)
    away = np.abs(run.q - planned.q)
    print(f"forward dynamics under these torques stray by {1e3 * away[:, :3].max():.2g} mm of the pelvis's place")
    print(f"    and by {np.degrees(away[:, 3:].max()):.2g} degrees of an angle, steps of {1e3 * scene.h:g} ms")
    return run


def joints_alone(found: mm.transitions.Transition, t: np.ndarray, curve: mm.transitions.JointCurve) -> np.ndarray:
    """sum w tau^2 of the joints without the root. (rows,)"""
    return found.torques(t, curve)[:, 6:] ** 2 @ found.effort.weights[6:]


def draw(found: mm.transitions.Transition) -> None:
    """Effort in time and P by iterations, as motion-transition-effort.png."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    t = np.linspace(found.curve.start, found.curve.end, 401)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.0), layout="constrained")
    for curve, P, name, line in (
        (found.blend, found.blend_energy, "linear blend", "C1--"),
        (found.curve, found.energy, "found", "C0-"),
    ):
        left.semilogy(t, found.efforts(t, curve), line, label=f"{name}, P = {P:.3g} s")
        left.semilogy(t, joints_alone(found, t, curve), line[:2] + ":", label=f"{name}, joints alone")
    left.set(xlabel="time [s]", ylabel="sum of w tau²", title="effort along the motion")
    left.legend(loc="center", fontsize="small")
    right.loglog(np.arange(1, 1 + len(found.history)), found.history, "C0-")
    right.axhline(found.blend_energy, color="C1", linestyle="--")
    right.set(xlabel="iteration", ylabel="P [s]", title="P as the search goes on")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig("motion-transition-effort.png", dpi=120)


def main() -> None:
    """Find the motion, print how it went, simulate and draw it."""
    scene = mm.scenes.load("motion-transition")
    found = scene.transition
    print(f"P of the linear blend {found.blend_energy:.4g}, of the curve that was found {found.energy:.4g}")
    t = np.linspace(found.curve.start, found.curve.end, 401)
    own = [joints_alone(found, t, curve).mean() for curve in (found.blend, found.curve)]
    print(f"of the joints alone {own[0]:.4g} and {own[1]:.4g}: the rest is a root that nothing should push")
    print(f"{len(found.history)} iterations, {found.evaluations} gradients, {found.seconds:.0f} s")
    run = simulated(scene)
    run.save_image("motion-transition.png", ghosts=5, hidden="joints", size=(1000, 720))
    draw(found)


if __name__ == "__main__":
    main()
