"""A hopper on a springy leg: touchdown and take-off are events, the leg's spring is a force of the stance model alone.

Run: python examples/hopper.py
"""

import numpy as np

import myomass as mm

REST, STIFFNESS, MASS = 0.8, 4000.0, 20.0  # leg length [m], of its spring [N/m], of the body [kg]


def hopper(in_stance: bool) -> mm.Model:
    """A body that moves up and down; in stance its leg pushes it from the ground."""
    spec = mm.Spec("hopper")
    spec.add_body("body", joint=mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.15, mass=MASS))
    if in_stance:
        leg = [(None, (0, 0, 0)), ("body", (0, 0, 0))]
        spec.add_force(mm.SpringDamper(leg, stiffness=STIFFNESS * REST, damping=20.0, rest_length=REST))
    return spec.compile()


models = {"flight": hopper(False), "stance": hopper(True)}
ends = {
    "flight": mm.Event(lambda state: state.q[0] - REST, direction=-1, kind="touchdown"),
    "stance": mm.Event(lambda state: state.q[0] - REST, direction=1, kind="take-off"),
}
state, phase, apexes = models["flight"].state([1.2]), "flight", []
for _ in range(6):
    run = mm.simulate(models[phase], state=state, duration=5.0, h=0.005, rtol=1e-9, events=ends[phase])
    happened = run.events[-1]
    print(f"{happened.time:8.4f} s  {happened.kind:<10} at {happened.qdot_before[0]:+.3f} m/s")
    if phase == "flight":
        apexes.append(run.q[:, 0].max())
    state, phase = run.state, "stance" if phase == "flight" else "flight"
losses = np.diff(apexes)
assert (losses < 0).all(), "each hop is lower than the one before: the leg's damper takes energy"
print("apex heights [m]:", np.round(apexes, 4))
