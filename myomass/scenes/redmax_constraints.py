"""Scenes of the RedMax table with equality constraints: loops, couplings, gears, prescribed motion, spring chains."""

import numpy as np

from ..constraints import Coupling, DrivenBody, DrivenJoint, DrivenPoint, Loop
from ..deformables import add_spring_chain
from ..joints import Fixed, Prismatic, Revolute
from ..model import Spec
from ..spatial import Inertia, Motion, rotation
from .base import ERG, Scene
from .build import ALONG_X, CM, DOWN_Z, GRAVITY, WATER, X, Y, add_bar, chain, cm, scene

NO_GRAVITY = (0.0, 0.0, 0.0)
GAINS = (5.0, 5.0, 5.0)  # Baumgarte's, of the table's runs
UP_Z, FLAT = ((1, 1, 10), (0, 0, 5)), ((20, 1, 1), (10, 0, 0))
WHEEL_MASS, WHEEL_MOMENTS = (
    0.5008080292188979,
    (0.4648266849708941, 0.46493496512932797, 0.8877248415363056),
)  # g, g cm^2
WHEEL_FRAME = np.array(  # principal axes and centre [cm] of the gear wheel
    [
        [0.3887443378359364, 0.9213455306579338, 0.000502928572950054, 0.0008380921315367408],
        [-0.0007041046253505745, -0.00024877935448065433, 0.9999997211727158, -0.25550476377738784],
        [0.9213453988799075, -0.3887445835577429, 0.0005520120842574971, 0.0009139575590578522],
        [0, 0, 0, 1],
    ]
)


def pin(spec: Spec, a: int, at_a: tuple, b: int, at_b: tuple, **friction: float) -> None:
    """Close a loop by a planar pin between two bodies, at places in cm."""
    ends = (f"body{a}", CM * np.array(at_a)), (f"body{b}", CM * np.array(at_b))
    spec.add_constraint(Loop(*ends, "pin", **friction))


def loop() -> Scene:
    """Scene 4 of the RedMax table: a parallelogram of two cranks and a coupler with a swinging bar."""
    spec = Spec("loop", GRAVITY)
    add_bar(spec, None, Fixed(), (0, 0, 0), ((20, 1, 1), (0, 0, 0)))
    add_bar(spec, 0, Revolute(Y), (-10, 0, 0), DOWN_Z)
    add_bar(spec, 0, Revolute(Y), (10, 0, 0), DOWN_Z)
    add_bar(spec, 1, Revolute(Y), (0, 0, -10), FLAT)
    add_bar(spec, 3, Revolute(Y), (10, 0, 0), DOWN_Z)
    pin(spec, 2, (0, 0, -5), 3, (10, 0, 0))
    text = "A parallelogram of two cranks and a coupler, closed by a pin, carries a swinging bar."
    return scene(4, spec, text, [0, 0, 0, 0], qdot=[0, 0, 0, 5], baumgarte=GAINS)


def equality_constrained_angles() -> Scene:
    """Scene 7 of the RedMax table: three links, each joint turning half as far as the one before."""
    spec = Spec("equality-constrained-angles", GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(3)], ALONG_X, (10, 0, 0))
    for i in range(2):
        spec.add_constraint(Coupling(f"body{i}", f"body{i + 1}", (0.0, 0.5)))
    text = "Three links, each joint turning half as far as the one before."
    return scene(7, spec, text, [0, 0, 0], h=0.02, baumgarte=GAINS)


def equality_and_loop() -> Scene:
    """Scene 8 of the RedMax table: a closed loop of six bars, two of its angles coupled."""
    spec = Spec("equality-and-loop", GRAVITY)
    bar = ((10, 1, 1), (0, 0, 0))
    add_bar(spec, None, Fixed(), (0, 0, 0), bar)
    add_bar(spec, 0, Revolute(Y), (5, 0, 0), DOWN_Z)
    add_bar(spec, 1, Revolute(Y), (0, 0, -10), DOWN_Z)
    add_bar(spec, 2, Revolute(Y), (0, 0, -10), (bar[0], (-5, 0, 0)))
    add_bar(spec, 3, Revolute(Y), (-10, 0, 0), UP_Z)
    add_bar(spec, 4, Revolute(Y), (0, 0, 10), UP_Z)
    add_bar(spec, 3, Revolute(Y), (-5, 0, 0), DOWN_Z)
    pin(spec, 5, (0, 0, 5), 0, (-5, 0, 0))
    spec.add_constraint(Coupling("body2", "body5", (0.0, 0.5)))
    text = "A closed loop of six bars, two of its angles coupled, and a bar that swings on it."
    return scene(8, spec, text, [0] * 6, qdot=[0, 0, 0, 0, 0, 10], h=0.02, baumgarte=GAINS)


def logistic(rise: float, duration: float) -> Motion:
    """A motion from almost zero to almost `rise` along a logistic curve."""
    return Motion.of(lambda t: rise / (1 + np.exp(-14 * (t / duration - 0.5))), 0.0, duration)


def hybrid_dynamics() -> Scene:
    """Scene 9 of the RedMax table: three links, the first joint driven through three quarters of a turn."""
    spec = Spec("hybrid-dynamics", NO_GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(3)], ALONG_X, (10, 0, 0))
    spec.add_constraint(DrivenJoint("body0", logistic(1.5 * np.pi, 7.0)))
    text = "Three links without gravity, the first joint driven through three quarters of a turn in 7 s."
    return scene(9, spec, text, [0, 0, 0], duration=10.0, h=0.02, conservative=False, baumgarte=GAINS)


def mass_springs() -> Scene:
    """Scene 12 of the RedMax table: two links held by chains of masses and springs."""
    spec = Spec("mass-springs", GRAVITY)
    chain(spec, [Revolute(Y) for _ in range(2)], ALONG_X, (10, 0, 0))
    world, tip = (None, CM * np.array((30, 0, 10))), ("body1", (5 * CM, 0, 0))
    for name, ends, nodes in (("rope", (world, tip), 3), ("brace", (("body0", (0, 0, 0)), ("body1", (0, 0, 0))), 2)):
        length = CM * (np.hypot(10, 10) / 2 if name == "rope" else 10)
        options = {"mass": 1e-3, "stiffness": 1e5 * ERG / length, "by_rows": True}
        add_spring_chain(spec, name, ends, nodes=nodes, **options)
    text = "Two links held by elastic chains of point masses: from a wall to the tip, and from link to link."
    return scene(12, spec, text, [0] * 17, duration=1.0, h=0.005, baumgarte=GAINS)


def drive_last_body(spec: Spec) -> None:
    """Drive the last body of a spec: turn it to and fro, then carry it to and fro along x, at a steady height."""
    last = f"body{len(spec.bodies) - 1}"
    turning = Motion.pieces((0, 2, 4, 6, 8), ((0, -1), (-2, 1), (0, 1), (2, -1)))
    along = CM * np.array(((0, -2), (-4, 2)))
    spec.add_constraint(DrivenBody(last, {1: turning}))
    point = (last, (0, 0, 0))
    spec.add_constraint(DrivenPoint(point, [(X, Motion.pieces((4, 6, 8), along)), ((0, 0, 1), 0.0)], "velocity"))


def driven_arch(spec: Spec, spans: int) -> None:
    """A chain that hangs down, goes across by so many links, rises, and ends in a body that is driven."""
    add_bar(spec, None, Revolute(Y), (0, 0, 0), DOWN_Z)
    for i in range(spans):
        add_bar(spec, i, Revolute(Y), (10, 0, 0) if i else (0, 0, -10), ALONG_X)
    add_bar(spec, spans, Revolute(Y), (10, 0, 0), UP_Z)
    add_bar(spec, spans + 1, Revolute(Y), (0, 0, 10), ALONG_X)
    drive_last_body(spec)


def maximal_hybrid_dynamics() -> Scene:
    """Scene 13 of the RedMax table: a chain of four links whose last body is turned and carried as prescribed."""
    spec = Spec("maximal-hybrid-dynamics", GRAVITY)
    driven_arch(spec, 1)
    text = "A chain of four links whose last body is turned and carried as prescribed."
    return scene(13, spec, text, [0] * 4, duration=10.0, h=0.05, conservative=False, baumgarte=GAINS)


def reduced_maximal_hybrid_dynamics() -> Scene:
    """Scene 20 of the RedMax table: a chain of five links, its last body and one of its joints driven at once."""
    spec = Spec("reduced-maximal-hybrid-dynamics", GRAVITY)
    driven_arch(spec, 2)
    spec.add_constraint(DrivenJoint("body2", logistic(np.pi / 2, 10.0)))
    text = "A chain of five links, its last body and one of its joints driven at once."
    return scene(20, spec, text, [0] * 5, duration=10.0, h=0.05, conservative=False, baumgarte=GAINS)


def prismatic_joint() -> Scene:
    """Scene 15 of the RedMax table: a closed loop with a slider in it, and a bar that swings on the slider."""
    spec = Spec("prismatic-joint", GRAVITY)
    add_bar(spec, None, Fixed(), (0, 0, 0), ((22, 1, 1), (0, 0, 0)))
    add_bar(spec, 0, Revolute(Y), (-11, 0, 0), DOWN_Z)
    add_bar(spec, 1, Prismatic(X), (0, 0, -10), ((22, 1, 1), (11, 0, 0)))
    add_bar(spec, 2, Revolute(Y), (22, 0, 0), UP_Z)
    add_bar(spec, 2, Revolute(Y), (11, 0, 0), DOWN_Z)
    pin(spec, 3, (0, 0, 5), 0, (11, 0, 0))
    start = [0, 0, 0, 0.75 * np.pi]
    text = "A closed loop with a slider in it, and a bar that swings on the slider."
    return scene(15, spec, text, start, baumgarte=GAINS)


def four_bar(spec: Spec, base: tuple, **friction: float | str) -> None:
    """A Grashof four-bar on the body `base` = (joint, place): links of 10, 4, 14 and 12 cm, assembled at zero."""
    reach = np.array((22 / 3, 0.0, np.sqrt(14**2 - (22 / 3) ** 2)))  # from the crank's tip to the rocker's
    add_bar(spec, None, *base, ((10, 0.5, 0.5), (0, 0, 0)))
    add_bar(spec, 0, Revolute(Y), (-5, 0, 0), ((4, 0.5, 0.5), (2, 0, 0)))
    for parent, place, length, along in ((1, (4, 0, 0), 14, reach), (2, tuple(reach), 12, (6, 0, 0) - reach)):
        _add_turned(spec, parent, place, length, along)
    pin(spec, 3, (-6, 0, 0), 0, (5, 0, 0), **friction)


def _add_turned(spec: Spec, parent: int, place: tuple, length: float, along: np.ndarray) -> None:
    """Add the next body, a thin bar of a length [cm] whose middle lies half of `along` [cm] from its hinge."""
    angle = -np.arctan2(abs(along[2]), abs(along[0]))
    frame = cm(*(0.5 * np.asarray(along))) @ rotation(Y, angle)
    box = Inertia.cuboid(CM * np.array((length, 0.5, 0.5)), density=WATER)
    spec.add_body(f"body{len(spec.bodies)}", f"body{parent}", Revolute(Y), cm(*place), frame, box)


def prescribed_joint() -> Scene:
    """Scene 32 of the RedMax table: a four-bar linkage that swings as a whole, its crank turning twice a second."""
    spec = Spec("prescribed-joint", GRAVITY)
    four_bar(spec, (Revolute(Y), (0, 0, 10)))
    spec.add_constraint(DrivenJoint("body1", velocity=4 * np.pi))
    text = "A four-bar linkage that swings as a whole, its crank turning twice a second."
    options = {"duration": 1.0, "h": 0.005, "conservative": False, "baumgarte": (5.0, 5.0, 20.0)}
    return scene(32, spec, text, [np.pi, 0, 0, 0], **options)


def gears() -> Scene:
    """Scene 34 of the RedMax table: meshing gears. The gear wheel's inertia is that of the table's mesh."""
    spec = Spec("gears", GRAVITY)
    add_bar(spec, None, Fixed(), (0, 0, 0), ((1, 1, 6), (0, 0, 0)))
    spec.bodies["body0"].E_pj = rotation((0, 0, 1), np.pi)
    upright = rotation(X, np.pi / 2)
    wheel = Inertia(1e-3 * WHEEL_MASS, tuple(ERG * np.array(WHEEL_MOMENTS)))
    frame_of_wheel = WHEEL_FRAME @ np.diag((1, 1, 1, 1.0))
    frame_of_wheel[:3, 3] *= CM
    bodies = (
        (0, Revolute(Y), (0, -0.25, 2), upright, Inertia.cylinder(0.2 * CM, 3.5 * CM, density=WATER)),
        (1, Fixed(), (0, -0.35, 0), frame_of_wheel, wheel),
        (0, Revolute(Y), (0, -0.5, -2), upright, Inertia.cylinder(0.2 * CM, 3 * CM, density=WATER)),
        (3, Fixed(), (0, -0.1, 0), frame_of_wheel, wheel),
        (3, Fixed(), (0, 0, 0), cm(0, 1.5, 0), Inertia.cuboid(CM * np.array((5, 0.25, 0.25)), density=WATER)),
        (1, Fixed(), (0, 0, 0), cm(2, 1.75, 0), Inertia.cuboid(CM * np.array((7, 0.25, 0.25)), density=WATER)),
    )
    for i, (parent, joint, place, frame, inertia) in enumerate(bodies, start=1):
        spec.add_body(f"body{i}", f"body{parent}", joint, cm(*place), frame, inertia)
    spec.add_constraint(Coupling("body1", "body3", (0.0, -1.0)))
    text = "Two gear wheels that turn against each other, one of them with an unbalanced bar."
    return scene(34, spec, text, [0, 0], duration=1.0, baumgarte=GAINS)
