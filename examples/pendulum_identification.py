"""Mass and damping of a pendulum from a noisy record of its angle, by exact derivatives of the run.

python examples/pendulum_identification.py          # prints what was found
python examples/pendulum_identification.py --plots  # and writes pendulum-identification.png (needs myomass[plot])

A pendulum that swings freely tells damping over mass only; here its hinge has a motor, whose torque is known.
"""

import sys

import numpy as np

import myomass as mm

BOB, DAMPING = 1.3, 0.12  # what is looked for: [kg], [N m s/rad]
NOISE, H, DURATION = 0.03, 0.01, 5.0  # of the record [rad], [s]
ANGLE = 0.8  # at the start [rad]
TIMES = np.arange(0.05, DURATION + 0.01, 0.05)  # of the record
TORQUE = 2.0 * np.sin(2.5 * H * np.arange(round(DURATION / H)))[:, None]  # of each step [N m]


def pendulum(bob: float, damping: float) -> mm.Model:
    """A rod of 0.5 kg and 0.6 m on a damped hinge, a bob at its end."""
    spec, rod = mm.Spec("pendulum", gravity=(0, 0, -9.81)), mm.Inertia.capsule(0.01, 0.58, mass=0.5)
    spec.add_body("rod", None, mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.3), rod, coordinates=["swing"])
    spec.add_body("bob", "rod", mm.Fixed(), mm.translation(0, 0, -0.6), inertia=mm.Inertia.point(bob))
    spec.add_force(mm.JointSpring("rod", damping=damping), "hinge")
    return spec.compile()


def swing(model: mm.Model, **options) -> mm.Trajectory:
    """A run of five seconds."""
    return mm.simulate(model, q=[ANGLE], tau=TORQUE, integrator="rk4", h=H, duration=DURATION, **options)


def record(seed: int = 1) -> np.ndarray:
    """Angles of the true pendulum at TIMES, with noise. [rad]"""
    run = swing(pendulum(BOB, DAMPING))
    angles = run.q[np.searchsorted(run.t, TIMES - 0.5 * H), 0]
    return angles + NOISE * np.random.default_rng(seed).standard_normal(len(TIMES))


def identify(angles: np.ndarray) -> mm.adjoint.Optimum:
    """Mass and damping with which a run comes closest to a record, from a poor guess."""
    guess, task = pendulum(bob=0.5, damping=0.5), mm.tasks.Follow(TIMES, angles, ["swing"])
    run = {"q": [ANGLE], "tau": TORQUE, "integrator": "rk4", "h": H, "duration": DURATION}
    wanted, bounds = ["bob.mass", "hinge.damping"], {"bob.mass": (0.01, None), "hinge.damping": (0.0, None)}
    return mm.optimise(guess, task, wanted, bounds=bounds, method="gauss-newton", **run)


def picture(angles: np.ndarray, best: mm.adjoint.Optimum):
    """The record, the run of the first guess and that of what was found."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="time [s]", ylabel="angle [rad]")
    axes.plot(TIMES, angles, ".", color="0.5", label="record")
    for label, run in (("first guess", swing(pendulum(0.5, 0.5))), ("found", swing(best.model))):
        axes.plot(run.t, run.q[:, 0], label=label)
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    return figure


def main() -> None:
    """Find them, and say how well."""
    angles = record()
    best = identify(angles)
    for name, true, unit in (("bob.mass", BOB, "kg"), ("hinge.damping", DAMPING, "N m s/rad")):
        print(f"{name:14} {best.values[name]:.4f} {unit}, in truth {true:g}")
    off = np.sqrt(best.value)
    print(f"{best.ended} after {best.runs} runs; the record is {off:.4f} rad off, its noise is {NOISE:g}")
    if "--plots" in sys.argv:
        picture(angles, best).savefig("pendulum-identification.png", dpi=120)


if __name__ == "__main__":
    main()
