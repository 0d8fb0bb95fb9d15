"""Small mechanisms with muscles that have states, for tests."""

import myomass as mm

ROD = mm.Inertia.cuboid(size=(0.3, 0.05, 0.05), mass=1.5)


def driven_arm(mass: float = 0.0, reflexes: bool = False, **hill) -> mm.Spec:
    """Two links, with a pennate flexor and an extensor over two joints; springs keep it within reach."""
    spec = mm.Spec("arm")
    spec.add_body("upper", None, mm.Universal(), E_jb=mm.translation(0.15, 0, 0), inertia=ROD)
    elbow, middle = mm.translation(0.3, 0, 0), mm.translation(0.15, 0, 0)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), elbow, middle, ROD)
    flexor, extensor = mm.Hill(300.0, 0.1, 0.2, pennation=0.2, **hill), mm.Hill(300.0, 0.1, 0.245, **hill)
    spec.add_muscle("flexor", mass, [("upper", (-0.1, 0, 0.04)), ("lower", (-0.1, 0, 0.03))], actuator=flexor)
    points = [(None, (0.0, 0, -0.06)), ("upper", (-0.05, 0, -0.04)), ("lower", (-0.1, 0, -0.03))]
    spec.add_muscle("extensor", 0.0, points, actuator=extensor)
    spec.add_force(mm.JointSpring("lower", stiffness=8.0, damping=0.3))
    spec.add_force(mm.JointSpring("upper", stiffness=20.0, damping=1.0))
    if reflexes:
        spec.add_reflex(mm.Reflex("flexor", source="lower", gain=0.3, rate_gain=0.1, target=0.2, delay=0.02))
        spec.add_reflex(mm.Reflex("flexor", source="upper", component=1, gain=0.2, rate_gain=0.05))
        spec.add_reflex(mm.Reflex("extensor", of="length", gain=0.5, target=1.0, delay=0.01))
        spec.add_reflex(mm.Reflex("extensor", of="force", source="flexor", gain=0.2, rectified=True))
    return spec


def block_between(**hill) -> mm.Spec:
    """A block of 20 kg on a slider, pulled at from both sides."""
    spec = mm.Spec("block", gravity=(0, 0, 0))
    spec.add_body("block", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.cuboid((0.1, 0.1, 0.1), mass=20.0))
    for side, name in ((-1.0, "left"), (1.0, "right")):
        points = [(None, (0.4 * side, 0, 0)), ("block", (0.05 * side, 0, 0))]
        spec.add_muscle(name, points=points, actuator=mm.Hill(1000.0, 0.1, 0.24, **hill))
    return spec
