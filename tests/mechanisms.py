"""Mechanisms with muscles that the tests share."""

import numpy as np
from trees import random_spec, random_state

import myomass as mm

KINDS = [
    "straight",
    "world",
    "points",
    "moving",
    "Cylinder",
    "Sphere",
    "CappedCylinder",
    "FiniteCylinder",
    "Ellipsoid",
    "Torus",
    "Double",
]
DISTRIBUTIONS = ["uniform", "continuous", mm.Belly(0.2, 0.7), mm.Belly(0.3, 0.9, continuous=True), (1.0, 0.0, 2.0)]
TENDONS = [
    mm.Belly(0.1, 0.8, tendon="inextensible", length=0.8),
    mm.Belly(0.0, 0.6, tendon="inextensible", length=0.5),
    mm.Belly(0.2, 0.9, continuous=True, tendon="inextensible", length=1.0),
]
STIFF = {f"{kind}-tendons": kind for kind in ("points", "moving", "Cylinder")}  # kinds with TENDONS


def pendulum(*muscles: dict, gravity: float = -9.81, knee: mm.Joint | None = None) -> mm.Model:
    """Two bars of 1 m and 1 kg that hang from the world and swing about y, with muscles m0, m1, ..."""
    spec = mm.Spec(name="pendulum", gravity=(0, 0, gravity))
    bar = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    down = mm.translation(0, 0, -0.5)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), E_jb=down, inertia=bar)
    spec.add_body("lower", "upper", knee or mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), down, bar)
    for i, muscle in enumerate(muscles):
        spec.add_muscle(f"m{i}", **muscle)
    return spec.compile()


def knee_cylinder(radius: float = 0.12, side=(0.1, 0.0, 0.0), tilt: float = 0.0) -> mm.wrap.Cylinder:
    """Across the knee, fixed to the upper bar."""
    E = mm.translation(0, 0, -0.5) @ mm.rotation((1, 0, 0), np.pi / 2 + tilt)
    return mm.wrap.Cylinder("upper", E, radius=radius, side=side)


ACROSS = {"points": [("upper", (0.15, 0, 0.3)), ("lower", (0.15, 0.05, 0.1))]}
THROUGH = {"points": [ACROSS["points"][0], ("upper", (0.2, 0, -0.3)), ("lower", (0.15, 0, 0.3)), ACROSS["points"][1]]}


def surface(kind: str, body: str | None, E: np.ndarray, size: float) -> mm.wrap.Cylinder:
    """A surface of a kind, about `size` large."""
    second = mm.wrap.Cylinder(None, mm.translation(3 * size, 0, 0), radius=0.8 * size)
    made = {
        "Cylinder": lambda: mm.wrap.Cylinder(body, E, radius=size),
        "Sphere": lambda: mm.wrap.Sphere(body, E, radius=size),
        "CappedCylinder": lambda: mm.wrap.CappedCylinder(body, E, radius=size, length=size),
        "FiniteCylinder": lambda: mm.wrap.FiniteCylinder(body, E, radius=size, length=20 * size),
        "Ellipsoid": lambda: mm.wrap.Ellipsoid(body, E, radii=(size, 0.8 * size, 0.6 * size)),
        "Torus": lambda: mm.wrap.Torus(body, E, radius=2 * size, tube=0.7 * size),
        "Double": lambda: mm.wrap.DoubleCylinder(body, E, radius=size, second=second),
    }
    return made[kind]()


def random_muscle(rng: np.random.Generator, model: mm.Model, kind: str, q: np.ndarray, blend: bool) -> dict:
    """A muscle of a kind between random bodies, that touches its surface (its blend half done) at q."""
    poses = mm.forward_kinematics(model, q)
    bodies = rng.choice(model.names, 3)
    where = dict(zip(model.names, poses, strict=True)) | {None: np.eye(4)}

    def point(body: str | None, x: np.ndarray) -> tuple:
        return body, tuple(mm.se3.inverse(where[body])[:3] @ np.append(x, 1.0))

    a, b = rng.normal(size=(2, 3))
    if kind == "straight":
        return {"points": [point(bodies[0], a), point(bodies[1], b)]}
    if kind == "world":
        return {"points": [point(None, a), point(bodies[0], b), point(None, a + b)]}
    if kind == "points":
        places = zip(rng.choice(model.names, 5), rng.normal(size=(5, 3)), strict=True)
        return {"points": [point(body, x) for body, x in places]}
    if kind == "moving":
        hinge = next(name for name in model.names if model.dof(name).stop > model.dof(name).start)
        curves = [mm.Motion.through(np.linspace(-9, 9, 7), rng.normal(size=7)) for _ in range(3)]
        moving = mm.MovingPoint(str(bodies[2]), curves, coordinate=hinge)
        return {"points": [point(bodies[0], a), moving, point(bodies[1], b)]}
    return wrapped(rng, kind, bodies, where, point, blend)


def wrapped(rng: np.random.Generator, kind: str, bodies: np.ndarray, where: dict, point, blend: bool) -> dict:
    """A piece over a surface, then a straight one; chords are tried until the wrapped part is as long as asked for."""
    E_ws = mm.se3.exp(np.concatenate([rng.uniform(-2, 2, 3), rng.normal(size=3)]))
    made = surface(kind, str(bodies[2]), mm.se3.inverse(where[bodies[2]]) @ E_ws, 0.3)
    solve, params = type(made).solve, np.array(made.parameters())
    while True:
        a, b = rng.normal(size=(2, 3))
        if min(made.gap(a), made.gap(b)) < 0.05:
            continue
        g = np.zeros((3, mm.muscles.wrapping.base.COLUMNS))
        share = g[0, 1] / g[0, 0] if solve(params, 0, tuple(a), tuple(b), g) else 0.0
        if (0.002 < share < 0.008) if blend else share > 0.03:
            break
    ends = [(E_ws @ np.append(x, 1.0))[:3] for x in (a, b)]
    points = [point(bodies[0], ends[0]), point(bodies[1], ends[1]), point(bodies[0], rng.normal(size=3))]
    return {"points": points, "wrap": [made, None], "smoothing": "blend" if blend else "none"}


def muscled_tree(
    seed: int, kind: str, n: int = 5, *, blend: bool = False, distributions: list = DISTRIBUTIONS
) -> tuple[mm.Model, tuple]:
    """(model, (q, qdot, qddot)): a random tree with muscles of a kind in all distributions, where they touch."""
    joints = ["revolute", "universal", "spherical-exp", "composite", "free-3d", "fixed", "inverse-planar"]
    spec, rng = random_spec(seed, n, joints), np.random.default_rng(seed)
    bare = spec.compile()
    state = random_state(bare, seed)
    for i, distribution in enumerate(TENDONS if kind in STIFF else distributions):
        muscle = random_muscle(rng, bare, STIFF.get(kind, kind), state[0], blend)
        spec.add_muscle(f"m{i}", 1.0 + i, distribution=distribution, mass_points=6, tension=3.0 * i, **muscle)
    return spec.compile(), state
