"""Serial chains."""

import numpy as np

from ..joints import Fixed, Revolute
from ..model import Spec
from ..spatial import Inertia, translation
from .base import Scene

WATER = 1000.0  # density [kg/m^3]


def _add_link(spec: Spec, i: int, joint, size: tuple[float, float, float]) -> None:
    """Hang a box along x at the end of the one before."""
    length = size[0]
    spec.add_body(
        f"link{i}",
        f"link{i - 1}" if i else None,
        joint,
        translation(length if i else 0.0, 0.0, 0.0),
        translation(length / 2, 0.0, 0.0),
        Inertia.cuboid(size, density=WATER),
    )


def simple_chain() -> Scene:
    """Scene 0 of the RedMax table, in SI units."""
    spec = Spec("simple-chain", gravity=(0.0, 0.0, -9.8))
    for i in range(5):
        _add_link(spec, i, Fixed() if i % 2 else Revolute((0, 1, 0)), (0.1, 0.01, 0.01))
    return Scene(
        "simple-chain",
        "A planar chain of five links, joints alternating hinge and weld, swinging from 45 degrees.",
        spec,
        q=np.full(3, np.pi / 4),
        qdot=np.zeros(3),
        duration=2.0,
        h=1e-3,
        integrator="rk4",
        number=0,
    )


def ten_link_chain() -> Scene:
    """Hinges about y and z in turn: the benchmark's chain."""
    spec = Spec("ten-link-chain")
    for i in range(10):
        _add_link(spec, i, Revolute((0, 0, 1) if i % 2 else (0, 1, 0)), (0.1, 0.02, 0.02))
    return Scene(
        "ten-link-chain",
        "Ten links in space, hinges about y and z in turn, let go from the horizontal.",
        spec,
        q=np.full(10, 0.1),
        qdot=np.zeros(10),
        duration=5.0,
        h=2.5e-4,
        integrator="rk4",
    )
