"""How to throw a ball so that it hits a target after one bounce: its speed and spin, by exact derivatives of the run.

python examples/throw.py          # prints the throw that was found
python examples/throw.py --plots  # and writes throw.png (needs myomass[plot])

The bounce is a stiff contact that loses energy and rubs, in steps that resolve it: 300 while they touch. With fewer,
derivatives feel where in a step the ball lands.
"""

import sys

import numpy as np

import myomass as mm

RADIUS, MASS = 0.12, 0.6  # of a basketball [m], [kg]
HAND, TARGET = (0.0, 0.0, 1.5), (4.0, 0.6, 0.8)  # from where, and to where at the end [m]
DURATION, H = 1.2, 1e-4  # [s]
GUESS = np.array([3.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # speed and turning of the first throw [m/s], [rad/s]
RUN = {"q": [*HAND, 0, 0, 0], "integrator": "rk4", "h": H, "duration": DURATION}


def ball() -> mm.Model:
    """A hollow ball over a floor."""
    spec, inertia = mm.Spec("ball", gravity=(0, 0, -9.81)), mm.Inertia(MASS, (2 / 3 * MASS * RADIUS**2,) * 3)
    look = [mm.Shape.sphere(RADIUS, colour=(0.85, 0.45, 0.2))]
    spec.add_body("ball", None, mm.Free3D("TR"), inertia=inertia, shapes=look)
    floor = {"stiffness": 2e5, "dissipation": 0.06, "static_friction": 0.6, "dynamic_friction": 0.6}
    contact = mm.forces.HuntCrossley(("ball", (0, 0, 0)), RADIUS, (None, np.eye(4)), **floor, transition_velocity=0.1)
    spec.add_force(contact)
    return spec.compile()


def find() -> mm.adjoint.Optimum:
    """The throw nearest to the first one that hits the target."""
    task = mm.tasks.Reach("ball", target=TARGET) + 1e-6 * mm.tasks.Near("qdot", GUESS)
    return mm.optimise(ball(), task, ["qdot"], qdot=GUESS, method="gauss-newton", **RUN)


def bounces(run: mm.Trajectory) -> int:
    """How often the ball was thrown up by the floor."""
    low = run.q[:, 2] < RADIUS
    return int(np.sum(low[1:] & ~low[:-1]))


def picture(first: mm.Trajectory, found: mm.Trajectory):
    """Both flights from the side and from above."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for panel, (k, label) in zip(panels, ((2, "z [m]"), (1, "y [m]")), strict=True):
        for name, run in (("first throw", first), ("found", found)):
            panel.plot(run.q[:, 0], run.q[:, k], label=name)
        panel.plot(TARGET[0], TARGET[k], "x", color="black", label="target")
        panel.set_ylabel(label)
        panel.grid(alpha=0.25)
    panel.set_xlabel("x [m]")
    panel.legend(frameon=False)
    return figure


def main() -> None:
    """Find the throw, and say where it comes."""
    best = find()
    first, found = mm.simulate(ball(), qdot=GUESS, **RUN), best.trajectory()
    for name, run in (("first throw", first), ("found", found)):
        miss = np.linalg.norm(run.q[-1, :3] - TARGET)
        said = "bounce" if bounces(run) == 1 else "bounces"
        print(f"{name:11} {bounces(run)} {said}, {miss:.4f} m from the target after {DURATION:g} s")
    speed, turn = best.values["qdot"][:3], best.values["qdot"][3:]
    print(f"speed {np.round(speed, 3)} m/s, turning {np.round(turn, 2)} rad/s; {best.ended} after {best.runs} runs")
    if "--plots" in sys.argv:
        picture(first, found).savefig("throw.png", dpi=120)


if __name__ == "__main__":
    main()
