"""A chain of ten links, for benchmarks and for a first run."""

import numpy as np

from ..joints import Revolute
from ..model import Spec
from ..spatial import Inertia, translation
from .base import Scene


def ten_link_chain() -> Scene:
    """Ten links on hinges about y and z in turn."""
    spec, link = Spec("ten-link-chain"), Inertia.cuboid((0.1, 0.02, 0.02), density=1000.0)
    for i in range(10):
        joint, place = Revolute((0, 0, 1) if i % 2 else (0, 1, 0)), translation(0.1 if i else 0.0, 0, 0)
        spec.add_body(f"link{i}", f"link{i - 1}" if i else None, joint, place, translation(0.05, 0, 0), link)
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
