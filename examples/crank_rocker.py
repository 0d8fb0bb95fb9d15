"""A crank-rocker driven through one turn: the motor's torque, the force in a pin, and the same with dry friction.

Run: python examples/crank_rocker.py
"""

import numpy as np

import myomass as mm


def crank_rocker(friction: float = 0.0) -> mm.Model:
    """Ground 1 m, crank 0.4 m, coupler 1.1 m, rocker 0.8 m, hinges about z, gravity along -y."""
    spec = mm.Spec("crank-rocker", gravity=(0, -9.81, 0))
    bearing = {"radius": 0.02, "height": 0.05}
    for name, parent, place, length in (
        ("crank", None, 0.0, 0.4),
        ("coupler", "crank", 0.4, 1.1),
        ("rocker", None, 1.0, 0.8),
    ):
        bar = mm.Inertia.cuboid((length, 0.05, 0.02), density=2700.0)
        middle = mm.translation(length / 2, 0, 0)
        spec.add_body(name, parent, mm.Revolute(), mm.translation(place, 0, 0), middle, bar)
        if friction:
            spec.add_constraint(mm.JointFriction(name, friction, **bearing))
    ends = ("coupler", (0.55, 0, 0)), ("rocker", (0.4, 0, 0))
    loop = mm.Loop(*ends, "pin", friction=friction, **bearing) if friction else mm.Loop(*ends, "pin")
    spec.add_constraint(loop, "pin")
    spec.add_constraint(mm.DrivenJoint("crank", velocity=2 * np.pi), "motor")
    return spec.compile()


start = [0.3, 0.7, 1.6]  # roughly closed; mm.dynamics.assemble does the rest
for mu in (0.0, 0.3):
    model = crank_rocker(mu)
    state = mm.dynamics.assemble(model, start, [2 * np.pi, 0, 0])
    run = mm.simulate(model, state=state, integrator="semi-implicit", h=1e-3, duration=1.0)
    if mu == 0.0:
        lam = np.array([mm.constraint_forces(model, q, v).multipliers for q, v in zip(run.q, run.qdot, strict=True)])
    else:
        lam = run.multipliers[1:]
    motor = lam[:, model.constraints.names.index("motor")]
    pin = np.hypot(*lam[:, [model.constraints.names.index(f"pin.{k}") for k in (1, 2)]].T)
    work = 2 * np.pi * motor.mean()
    print(f"friction {mu:.1f}: motor {motor.min():6.2f} to {motor.max():6.2f} N m, pin up to {pin.max():5.1f} N")
    print(f"              work in a turn {work:6.3f} J")
