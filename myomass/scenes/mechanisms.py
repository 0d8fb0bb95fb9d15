"""Mechanisms that the multibody community measures its programs by."""

import numpy as np

from ..constraints import Loop
from ..forces import JointTorque, SpringDamper
from ..joints import Prismatic, Revolute
from ..model import Shape, Spec
from ..spatial import Inertia, translation
from .base import Scene

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def slider_crank() -> Scene:
    """Crank and rod of equal length: at every quarter turn the slider passes the crank's axis, a singular pose.

    There the mechanism could go on as another one (with the slider at rest); see the IFToMM library of computational
    benchmark problems, which has a slider-crank of this kind and the N-four-bar.
    """
    spec, bar = Spec("slider-crank", (0.0, -9.81, 0.0)), Inertia.cuboid((1.0, 0.1, 0.1), mass=1.0)
    middle = translation(0.5, 0, 0)
    spec.add_body("crank", None, Revolute(Z), None, middle, bar)
    spec.add_body("rod", "crank", Revolute(Z), translation(1.0, 0, 0), middle, bar)
    spec.add_body("slider", None, Prismatic((1, 0, 0)), inertia=Inertia.cuboid((0.2, 0.2, 0.2), mass=2.0))
    spec.add_constraint(Loop(("rod", (0.5, 0, 0)), ("slider", (0, 0, 0)), "pin"))
    angle, speed = np.pi / 4, -4.0
    q = np.array([angle, -2 * angle, 2 * np.cos(angle)])
    qdot = np.array([speed, -2 * speed, -2 * speed * np.sin(angle)])
    text = "A slider-crank of equal bars, thrown hard enough to pass its singular pose again and again."
    return Scene("slider-crank", text, spec, q, qdot, duration=5.0, h=1e-3, integrator="recursive")


def four_bar_row() -> Scene:
    """The N-four-bar with N = 2: cranks and couplers of 1 m, all in one line where it passes its singular pose."""
    spec, bar = Spec("two-four-bars", (0.0, -9.81, 0.0)), Inertia.cuboid((1.0, 0.02, 0.02), mass=1.0)
    middle = translation(0.5, 0, 0)
    spec.add_body("crank0", None, Revolute(Z), None, middle, bar)
    for i in (1, 2):
        spec.add_body(f"coupler{i}", f"crank{i - 1}", Revolute(Z), translation(1.0, 0, 0), middle, bar)
        spec.add_body(f"crank{i}", None, Revolute(Z), translation(float(i), 0, 0), middle, bar)
        spec.add_constraint(Loop((f"coupler{i}", (0.5, 0, 0)), (f"crank{i}", (0.5, 0, 0)), "pin"))
    upright = np.pi / 2
    q = np.array([upright, -upright, upright, -upright, upright])
    speed = -1.0  # 1 m/s at the coupler
    qdot = np.array([speed, -speed, speed, -speed, speed])
    text = "Two parallelograms side by side that pass the pose in which all bars lie in one line."
    return Scene("two-four-bars", text, spec, q, qdot, duration=10.0, h=1e-3, integrator="recursive")


def andrews_squeezer() -> Scene:
    """Andrews' squeezing mechanism: seven bodies, three loops, no gravity; parameters of the IVP test set."""
    spec = Spec("andrews-squeezer", (0.0, 0.0, 0.0))
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
    d, rr, ss, e, zt, zf, u = 0.028, 0.007, 0.035, 0.02, 0.04, 0.02, 0.04
    hook = (0.02, -0.018, 0)  # of the spring
    parts = (  # name, parent, place of its joint, centre of mass in the joint's frame, mass, moment of inertia
        ("1", None, (0, 0, 0), (0.00092, 0, 0), 0.04325, 2.194e-6),
        ("2", "1", (rr, 0, 0), (-0.0115, 0, 0), 0.00365, 4.410e-7),
        ("3", None, B, (0.01043, -0.01874, 0), 0.02373, 5.255e-6),
        ("5", None, A, (0.02308, 0.00916, 0), 0.07050, 1.169e-5),
        ("4", "5", (zt, 0, 0), (0, -(e - 0.01421), 0), 0.00706, 5.667e-7),
        ("7", None, A, (0.00449, -0.01228, 0), 0.05498, 1.912e-5),
        ("6", "7", (0, -u, 0), (zf - 0.01421, 0, 0), 0.00706, 5.667e-7),
    )
    ends = {"1": (rr, 0, 0), "2": (-d, 0, 0), "3": (0, -ss, 0), "4": (0, -e, 0)}  # of the bars that are drawn
    ends |= {"5": (zt, 0, 0), "6": (zf, 0, 0), "7": (0, -u, 0)}
    for name, parent, place, centre, mass, moment in parts:
        inertia = Inertia(mass, (0.5 * moment, 0.5 * moment, moment))
        bars = [Shape.rod(-np.array(centre), np.subtract(ends[name], centre), 0.0012)]
        if name == "3":
            bars.append(Shape.rod(-np.array(centre), np.subtract(hook, centre), 0.0012))
        spec.add_body(name, parent, Revolute(Z), translation(*place), translation(*centre), inertia, shapes=bars)
    centres = {name: np.array(centre) for name, _, _, centre, _, _ in parts}
    tip = ("2", (-d, 0, 0) - centres["2"])
    for name, end in (("3", (0, -ss, 0)), ("4", (0, -e, 0)), ("6", (zf, 0, 0))):
        spec.add_constraint(Loop(tip, (name, end - centres[name]), "pin"), f"tip to {name}")
    spring = [("3", hook - centres["3"]), (None, C)]
    spec.add_force(SpringDamper(spring, stiffness=4530 * 0.07785, rest_length=0.07785))
    spec.add_force(JointTorque("1", 0.033))
    gamma, phi, delta, epsilon = 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, 1.230547444549821192
    q = np.array([-0.061713890014276450, 0.0, gamma, delta, phi, epsilon, -phi])
    text = "Andrews' squeezing mechanism: seven bodies in three loops, spun up by a motor against a spring."
    return Scene("andrews-squeezer", text, spec, q, np.zeros(7), 0.03, 1e-5, "recursive", conservative=False)
