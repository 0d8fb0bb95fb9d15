"""Reduced mechanisms that the tests share, and the same with rows of constraints."""

import numpy as np
from trees import add_every_force, random_spec

import myomass as mm

G = 9.81
CRANK, ROD = 0.1, 0.3  # [m]
FINGER = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.5]])  # DIP = PIP / 2
POLYNOMIAL = (0.1, 0.4, -0.3, 0.2)
WAVE = mm.Motion.sine(0.5, 1.3, 0.4, 0.1)
SPLINE = mm.Motion.through(np.linspace(-4.0, 4.0, 6), [0.3, -0.2, 0.1, 0.4, 0.2, -0.5])


def rods(lengths=(0.05, 0.03, 0.02), masses=(0.03, 0.015, 0.008)) -> mm.Spec:
    """Uniform rods on hinges about -y, so that positive angles swing along x; they hang along -z at q = 0."""
    spec, above, parent = mm.Spec("chain", gravity=(0, 0, -G)), 0.0, None
    for name, length, m in zip(("proximal", "middle", "distal"), lengths, masses, strict=False):
        rod = mm.Inertia(mass=m, moments=(m * length**2 / 12, m * length**2 / 12, 0))
        place, centre = mm.translation(0, 0, -above), mm.translation(0, 0, -length / 2)
        spec.add_body(name, parent, mm.Revolute(axis=(0, -1, 0)), place, centre, rod)
        above, parent = length, name
    return spec


def both(spec_of, couplings: dict) -> tuple[mm.Model, mm.Model]:
    """(reduced, with rows): a spec, made twice, with couplings {follower: (leader, coefficients or motion)}."""
    reduced, bound = spec_of(), spec_of()
    reduced.reduce({follower: {leader: rule} for follower, (leader, rule) in couplings.items()})
    for follower, (leader, rule) in couplings.items():
        bound.add_constraint(mm.Coupling(leader, follower, rule))
    return reduced.compile(), bound.compile()


def finger() -> tuple[mm.Model, mm.Model]:
    """A finger whose last joint bends half as far as the one before: reduced, and with a row."""
    return both(rods, {"distal": ("middle", (0, 0.5))})


def loaded_tree() -> mm.Spec:
    """Hinges and sliders under forces of every kind."""
    spec = random_spec(5, 6, ["revolute", "prismatic"])
    add_every_force(spec, 5)
    return spec


def bead() -> mm.Spec:
    """A body that slides along x and z."""
    spec = mm.Spec("bead", gravity=(0, 0, -G))
    spec.add_body("x", None, mm.Prismatic(axis=(1, 0, 0)))
    spec.add_body("z", "x", mm.Prismatic(axis=(0, 0, 1)), inertia=mm.Inertia(mass=0.7, moments=(1, 1, 1)))
    return spec


def cycloid(Q, a=0.4):
    """A bead's (x, z) on a cycloid."""
    return np.stack([a * (Q[0] + np.sin(Q[0])), -a * np.cos(Q[0])])


def slider_crank(Q):
    """Angles of crank and rod whose end slides along z."""
    return np.stack([Q[0], -np.arcsin(CRANK / ROD * np.sin(Q[0])) - Q[0]])


def curved(Q):
    """A map of two coordinates onto four, none of them special."""
    u, v = Q
    return np.stack([np.sin(u) * v, u**2 - np.exp(0.3 * v), np.sqrt(2 + u * v), u + np.arctan(v)])


def curved_jacobian(Q):
    """Its derivative."""
    u, v = Q
    root = 2 * np.sqrt(2 + u * v)
    rows = [np.cos(u) * v, np.sin(u), 2 * u, -0.3 * np.exp(0.3 * v), v / root, u / root, 1 + 0 * u, 1 / (1 + v * v)]
    return np.stack(rows).reshape(4, 2)


def reduced_tree(kind: str) -> mm.Model:
    """The loaded tree of six coordinates with maps of a kind."""
    spec = loaded_tree()
    four = ["b0", "b2", "b3", "b5"]
    if kind == "couplings":
        spec.reduce({"b3": {"b1": POLYNOMIAL, "b4": 0.3}, "b5": {"b3": WAVE, "b2": 0.7}})
    elif kind == "linear":
        spec.reduce(mm.LinearMap(("s", "t"), np.cos(np.arange(8)).reshape(4, 2), [0.1, 0.0, 0.2, 0.3], of=four))
    elif kind == "smooth":
        spec.reduce(mm.SmoothMap(("s", "t"), curved, start=(0.4, 0.7), of=four))
    elif kind == "given jacobian":
        spec.reduce(mm.SmoothMap(("s", "t"), curved, curved_jacobian, start=(0.4, 0.7), of=four))
    elif kind == "chain":
        spec.reduce({"b5": {"b4": SPLINE, "b0": 0.2}})
        spec.reduce(mm.SmoothMap(("s", "t"), curved, curved_jacobian, of=["b0", "b2", "b3", "b4"]))
        spec.reduce(mm.LinearMap(("u", "v"), [[1.0, 0.5], [0.3, -1.0], [0.2, 0.1]], of=["b1", "s", "t"]))
        spec.reduce({"u": {"v": (0.2, 1.0, 0.4)}})
    else:
        raise ValueError(kind)
    return spec.compile()


KINDS = ("couplings", "linear", "smooth", "given jacobian", "chain")


def close(actual, expected, tolerance):
    """Agreement relative to the largest entry, where that is not zero."""
    scale = np.abs(expected).max(initial=0.0) or 1.0
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)
