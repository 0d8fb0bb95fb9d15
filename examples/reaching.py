"""An arm with mass in its muscles reaches for a target: by torques that stay, and by torques that bring it to rest.

python examples/reaching.py          # prints where the hand comes, and what it took
python examples/reaching.py --plots  # and writes reaching.png (needs myomass[plot])

The scene reaching-arm is that of Y. Wang, Inertial Musculotendons, 2022, section 6.2.11.
"""

import sys

import numpy as np

import myomass as mm

TARGET = mm.tasks.Reach("hand", target=(0.35, 0.10, 0.0))  # [m]
AT_REST = 1e4 * TARGET + 10.0 * mm.tasks.Rest() + 1e-3 * mm.tasks.Effort()


def by_constant_torques(scene: mm.scenes.Scene, **options) -> mm.adjoint.Optimum:
    """Four torques, one for each degree of freedom, from none at all; the scene's own task."""
    return mm.optimise(scene, scene.task, ["tau"], tau=np.zeros(4), method="gauss-newton", **options)


def by_torques_of_each_step(scene: mm.scenes.Scene, constant: np.ndarray, **options) -> mm.adjoint.Optimum:
    """Four hundred torques, from those that stay: the arm comes to rest at the target, with little effort."""
    start = np.tile(constant, (round(scene.duration / scene.h), 1))
    return mm.optimise(scene, AT_REST, ["tau"], tau=start, tolerance=1e-6, **options)


def picture(runs: dict[str, mm.Trajectory], torques: dict[str, np.ndarray]):
    """Both reaches at three times over the speed of the hand and the torque of the elbow."""
    from matplotlib.figure import Figure

    from myomass.viewer.stills import still

    figure, times = Figure(figsize=(9, 7), layout="constrained"), (0.0, 0.5, 1.0)
    rows = figure.subplot_mosaic([list("abcdef"), ["speed"] * 6, ["torque"] * 6], height_ratios=(1.8, 1, 1))
    for panel, (name, t) in zip("abcdef", [(name, t) for name in runs for t in times], strict=True):
        rows[panel].imshow(still(runs[name], t, size=(1280, 720))[:, 400:920])
        rows[panel].set_title(f"{name}\n{t:g} s", fontsize=9)
        rows[panel].axis("off")
    for name, run in runs.items():
        place = run.poses[:, run.model.body("hand"), :3, 3]
        speed = np.linalg.norm(np.gradient(place, run.t, axis=0), axis=1)
        rows["speed"].plot(run.t, speed, label=name)
        elbow = np.broadcast_to(torques[name], (len(run.t) - 1, 4))[:, 3]
        rows["torque"].stairs(elbow, run.t, baseline=None, label=name)
    rows["torque"].sharex(rows["speed"])
    rows["speed"].set_ylabel("speed of the hand [m/s]")
    rows["torque"].set(ylabel="torque of the elbow [N m]", xlabel="time [s]")
    rows["torque"].legend(frameon=False)
    for panel in ("speed", "torque"):
        rows[panel].grid(alpha=0.25)
    return figure


def main() -> None:
    """Reach twice, and say how close the hand comes and how fast it still is."""
    scene = mm.scenes.load("reaching-arm")
    constant = by_constant_torques(scene)
    found = {"constant": constant, "each step": by_torques_of_each_step(scene, constant.values["tau"])}
    runs = {name: best.trajectory() for name, best in found.items()}
    for name, best in found.items():
        run = runs[name]
        miss = np.linalg.norm(run.poses[-1, run.model.body("hand"), :3, 3] - TARGET.targets[0])
        fastest = np.abs(run.qdot[-1]).max()
        print(f"{name:9}: {1e3 * miss:.3f} mm from the target, joints at {fastest:.4f} rad/s; ", end="")
        print(f"{best.ended} after {best.runs} runs")
    torques = constant.values["tau"].round(3)
    print(f"constant torques [N m]: shoulder {torques[:3]}, elbow {torques[3]}")
    if "--plots" in sys.argv:
        picture(runs, {name: best.values["tau"] for name, best in found.items()}).savefig("reaching.png", dpi=120)


if __name__ == "__main__":
    main()
