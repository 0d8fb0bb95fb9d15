"""A ball is thrown at a target by way of the floor, from which it bounces at once: an event, in large steps.

Run: python examples/bounce.py

The derivatives that the search goes by know that another throw bounces elsewhere, and earlier or later. How a contact
that takes its time is differentiated is shown by throw.py.
"""

import numpy as np

import myomass as mm

RADIUS, RESTITUTION, GRIP = 0.12, 0.75, 0.9  # of the ball [m], of its speeds off the floor and along it
HAND, TARGET = (0.0, 0.0, 1.5), (4.0, 0.6, 0.8)  # [m]
GUESS = np.array([3.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # speed and turning of the first throw [m/s], [rad/s]


def ball() -> mm.Model:
    """A ball that flies freely."""
    spec = mm.Spec("ball")
    spec.add_body("ball", None, mm.Free3D("TR"), inertia=mm.Inertia.sphere(RADIUS, mass=0.6))
    return spec.compile()


def bounced(state: mm.State, model: mm.Model) -> mm.State:
    """The ball leaves the floor."""
    return model.state(state.q, state.qdot * [GRIP, GRIP, -RESTITUTION, 1, 1, 1], state.t)


BOUNCE = mm.Event(lambda state: state.q[2] - RADIUS, bounced, direction=-1, kind="bounce")
RUN = {"q": [*HAND, 0, 0, 0], "integrator": "rk4", "h": 0.02, "duration": 1.2, "events": BOUNCE}


def find() -> mm.adjoint.Optimum:
    """The throw nearest to the first one that hits the target."""
    task = mm.tasks.Reach("ball", target=TARGET) + 1e-8 * mm.tasks.Near("qdot", GUESS)
    return mm.optimise(ball(), task, ["qdot"], qdot=GUESS, method="gauss-newton", **RUN)


def main() -> None:
    """Find the throw, and say where it comes."""
    best = find()
    for name, run in (("first throw", mm.simulate(ball(), qdot=GUESS, **RUN)), ("found", best.trajectory())):
        place = ", ".join(f"({x.q_before[0]:.2f}, {x.q_before[1]:.2f}) m at {x.time:.3f} s" for x in run.events)
        miss = np.linalg.norm(run.q[-1, :3] - TARGET)
        print(f"{name:11} bounces from {place}, and comes to {1e3 * miss:.4f} mm from the target")
    print(f"thrown at {best.values['qdot'][:3].round(3)} m/s; {best.ended} after {best.runs} runs")


if __name__ == "__main__":
    main()
