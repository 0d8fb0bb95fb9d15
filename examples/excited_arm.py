"""Two muscles bend an arm with a ball in its hand, and let it down again: forces, work, and what it costs.

python examples/excited_arm.py          # prints tension, work and metabolic cost
python examples/excited_arm.py --plots  # and writes excited-arm.png and all plots (needs myomass[plot])
"""

import sys

import numpy as np

import myomass as mm

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
BONE, BALL = (0.93, 0.89, 0.80), (0.35, 0.45, 0.55)
MASS = 0.4  # of each muscle [kg]
TIMES = [0.0, 0.1, 0.15, 0.5, 0.55, 1.0, 1.05, 1.3, 1.35, 1.6]  # [s]
BICEPS = [0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
TRICEPS = [0.02, 0.02, 0.02, 0.02, 0.3, 0.3, 0.6, 0.6, 0.1, 0.1]


def build() -> mm.Spec:
    """Upper arm, forearm and a ball of 3 kg, hinged about y; biceps in front, triceps behind, each with its mass."""
    spec, middle = mm.Spec("excited-arm"), mm.translation(0, 0, -0.15)
    rod = [mm.Shape.rod((0, 0, 0.15), (0, 0, -0.15), 0.014), mm.Shape.sphere(0.026, frame=mm.translation(0, 0, 0.15))]
    bone = mm.Inertia.capsule(0.03, 0.24, mass=1.8)
    spec.add_body("upper", None, mm.Revolute(Y), None, middle, bone, shapes=rod, colour=BONE)
    spec.add_body("fore", "upper", mm.Revolute(Y), mm.translation(0, 0, -0.3), middle, bone, shapes=rod, colour=BONE)
    ball = mm.Inertia.sphere(0.045, mass=3.0)
    spec.add_body("ball", "fore", mm.Fixed(), mm.translation(0.0, 0, -0.33), inertia=ball, colour=BALL)
    spec.add_force(mm.JointSpring("upper", 60.0, damping=3.0))
    spec.add_force(mm.JointLimit("fore", 0.1, 2.4, 200.0))
    across = mm.translation(0, 0, -0.15) @ mm.rotation(X, np.pi / 2)
    front = mm.wrap.Cylinder("upper", across, radius=0.026, side=(-0.1, 0, 0))
    back = mm.wrap.Cylinder("upper", across, radius=0.022, side=(0.1, 0, 0))
    belly = {"distribution": mm.Belly(0.15, 0.85, continuous=True)}
    points, actuator = [("upper", (-0.03, 0, 0.13)), ("fore", (-0.025, 0, 0.10))], mm.Hill(900.0, 0.16, 0.15)
    spec.add_muscle("biceps", MASS, points, [front], **belly, actuator=actuator)
    points, actuator = [("upper", (0.03, 0, 0.11)), ("fore", (0.022, 0, 0.14))], mm.Hill(900.0, 0.12, 0.14, 0.2)
    spec.add_muscle("triceps", MASS, points, [back], **belly, actuator=actuator)
    return spec


def run() -> mm.Trajectory:
    """Biceps first, then triceps, from hanging down with a slightly bent elbow."""
    model, excitation = build().compile(), {"biceps": (TIMES, BICEPS), "triceps": (TIMES, TRICEPS)}
    grid = np.linspace(0.0, TIMES[-1], 801)
    return mm.simulate(
        model,
        q=[
            0.0,
            0.3,
        ],
        excitation=excitation,
        activation=0.1,
        times=grid,
        rtol=1e-7,
    )


def picture(trajectory: mm.Trajectory):
    """The arm at five times over the tensions and activations of its muscles; muscles are as red as they are active."""
    from matplotlib.figure import Figure

    from myomass.viewer.stills import still

    report, times = trajectory.muscles, np.linspace(0.1, 1.3, 5)
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    rows = figure.subplot_mosaic([list("abcde"), ["tension"] * 5, ["activation"] * 5], height_ratios=(2, 1.4, 1))
    for panel, t in zip("abcde", times, strict=True):
        rows[panel].imshow(still(trajectory, t, size=(1280, 720))[:, 340:860])
        rows[panel].set_title(f"{t:g} s", fontsize=10)
        rows[panel].axis("off")
    for i, (name, colour) in enumerate(zip(report.names, ("#2d6a9f", "#c8553d"), strict=True)):
        rows["tension"].plot(report.t, report.tension[:, i], color=colour, label=name)
        rows["activation"].plot(report.t, report.activation[:, i], color=colour, label=name)
        rows["activation"].plot(report.t, report.excitation[:, i], color=colour, lw=0.8, ls="--")
    rows["tension"].legend(frameon=False)
    rows["activation"].set_xlabel("time [s]")
    for panel, label in (("tension", "tension [N]"), ("activation", "activation\n(dashed: excitation)")):
        rows[panel].set_ylabel(label)
        rows[panel].set_xlim(report.t[0], report.t[-1])
        rows[panel].spines[["top", "right"]].set_visible(False)
        rows[panel].grid(alpha=0.25)
    return figure


def main() -> None:
    """Run it, and say what the muscles did."""
    trajectory = run()
    report = trajectory.muscles
    cost = report.integral(mm.muscles.metabolic_power(report, mass=MASS).total)
    for i, name in enumerate(report.names):
        print(f"{name:8} largest tension {report.tension[:, i].max():4.0f} N, ", end="")
        print(f"work {report.work[-1, i]:5.2f} J, metabolic cost {cost[-1, i]:5.1f} J")
    if "--plots" in sys.argv:
        from myomass.viewer.plots import plots_of

        for name, figure in (plots_of(trajectory) | {"excited-arm": picture(trajectory)}).items():
            figure.savefig(f"{name}.png", dpi=120)


if __name__ == "__main__":
    main()
