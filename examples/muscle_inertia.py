"""What a muscle's mass does to a joint's inertia, beside what an armature on its tendon would do.

A muscle of 1 kg lies along the thigh of a leg whose knee is held: its length never changes. Then it crosses the knee,
and then it crosses it over a cylinder. An armature resists changes of length alone, r^2 for a moment arm r, so it adds
nothing to the hip in the first case, and next to nothing in the others.

Run: python examples/muscle_inertia.py
"""

import numpy as np

import myomass as mm


def leg(points: list, wrap: list | None = None) -> mm.Model:
    """Thigh and shank of 0.4 m that swing about y, with one muscle of 1 kg."""
    spec = mm.Spec("leg")
    for name, parent, place, mass in (("thigh", None, 0.0, 7.0), ("shank", "thigh", -0.4, 3.0)):
        bone = mm.Inertia.cuboid((0.1, 0.1, 0.4), mass=mass)
        spec.add_body(
            name, parent, mm.Revolute((0, 1, 0)), mm.translation(0, 0, place), mm.translation(0, 0, -0.2), bone
        )
    spec.add_muscle("muscle", mass=1.0, points=points, wrap=wrap, distribution="continuous")
    return spec.compile()


origin = ("thigh", (0.06, 0, 0.15))
knee = mm.wrap.Cylinder("thigh", mm.translation(0, 0, -0.2) @ mm.rotation((1, 0, 0), np.pi / 2), 0.05, (1, 0, 0))
muscles = {
    "along the thigh": leg([origin, ("thigh", (0.06, 0, -0.15))]),
    "across the knee": leg([origin, ("shank", (0.06, 0, 0.15))]),
    "over the knee": leg([origin, ("shank", (0.06, 0, 0.15))], [knee]),
}
q = np.array([0.2, 0.9])  # hip and knee [rad]
print("inertia that 1 kg of muscle adds [kg m^2]     hip   coupling       knee     by an armature of 1 kg: hip, knee")
for name, model in muscles.items():
    M, r = mm.muscle_inertia(model, q), mm.moment_arms(model, q)[0]
    print(f"  {name:36s} {M[0, 0]:10.5f} {M[0, 1]:10.5f} {M[1, 1]:10.5f} {r[0] ** 2:27.5f} {r[1] ** 2:10.5f}")

model = muscles["along the thigh"]
lengths = [mm.muscle_lengths(model, [hip, 0.9])[0] for hip in (-1.0, 0.0, 1.0)]
print(f"the first one's length, whatever the hip does: {np.ptp(lengths):.0e} m of change")
