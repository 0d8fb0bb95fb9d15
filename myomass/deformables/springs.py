"""Chains of point masses and springs (dissertation 4.6.3): V = k L e^2/2 of each piece, e = l/L - 1.

A free node is a body with three translations: it enters the reduced coordinates as it is (the identity block of Eq.
4.92), and its springs are forces like any other, with exact stiffness in the implicit integrators. A node that is
attached rides on its body and adds its mass there (J_am of Eq. 4.90), or, on request, stays free and is tied to the
body's point by three rows.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..constraints.loop import Loop
from ..forces.cable import SpringDamper
from ..joints import Fixed, Translational
from ..model import Spec
from ..model.elements import Point
from ..model.joint_checks import not_negative
from ..spatial import Inertia, translation
from ..spatial.checks import check_numbers, check_positive

ENDS = ("start", "end")


def add_spring_chain(
    spec: Spec,
    name: str,
    ends: tuple[Point, Point],
    *,
    nodes: int,
    mass: float,
    stiffness: float,
    damping: float = 0.0,
    free: Sequence[str] = (),
    by_rows: bool = False,
    q: np.ndarray | None = None,
) -> list[str]:
    """Add a chain of springs between two places, (body, (x, y, z)) each; names of its nodes' bodies.

    `nodes` counts both ends; the mass [kg] is shared out evenly. Stiffness [N] is tension per strain, damping [N s]
    tension per rate of strain. The chain starts straight and without tension where the bodies added so far are at `q`
    (zeros); coordinates of free nodes are their displacements from there [m]. Both ends are attached: their nodes ride
    on the bodies, or with by_rows=True are free nodes tied by three rows each; `free` names those ("start", "end") that
    hang loose instead.
    """
    if not isinstance(nodes, int) or nodes < 2:
        raise ValueError(f"chain {name!r}: there must be 2 nodes at least, and there are {nodes!r}")
    if set(free) - set(ENDS):
        raise ValueError(f'chain {name!r}: `free` may name "start" and "end", not {free!r}')
    each = check_positive(mass, f"chain {name!r}: mass [kg]") / nodes
    numbers = check_positive(stiffness, "stiffness [N]"), not_negative(damping, "damping [N s]")
    first, last = (_place(spec, q, point) for point in ends)
    places = np.linspace(first, last, nodes)
    rest = check_positive(np.linalg.norm(last - first) / (nodes - 1), f"chain {name!r}: the length of a piece [m]")
    made, points = [], []
    for i, place in enumerate(places):
        node, end = f"{name}.{i}", {0: "start", nodes - 1: "end"}.get(i)
        attached = end is not None and end not in free
        point = ends[0] if i == 0 else ends[1]
        if attached and not by_rows:
            points.append(point)
            if point[0] is not None:
                _ride(spec, node, point, each)
                made.append(node)
            continue
        spec.add_body(node, None, Translational(), translation(*place), inertia=Inertia(each, (0.0, 0.0, 0.0)))
        made.append(node)
        points.append((node, np.zeros(3)))
        if attached:
            spec.add_constraint(Loop((node, np.zeros(3)), point, "ball"), f"{node} attached")
    for i, pair in enumerate(pairwise(points)):
        spec.add_force(SpringDamper(list(pair), numbers[0], rest, numbers[1]), f"{name}.spring {i}")
    return made


def _place(spec: Spec, q: np.ndarray | None, point: Point) -> np.ndarray:
    """World place of a point of a body at q [m]. (3,)"""
    body, place = point
    x = check_numbers(place, "a chain's end [m]", (3,))
    if body is None:
        return x
    model = spec.compile()
    E = forward_kinematics(model, np.zeros(model.ndof) if q is None else q)[model.body(body)]
    return E[:3, :3] @ x + E[:3, 3]


def _ride(spec: Spec, node: str, point: Point, mass: float) -> None:
    """Add a point mass fixed to a body at a point of the body's frame."""
    body = spec.bodies[point[0]]
    frame = body.E_jb if body.inertia is None else body.E_jb @ body.inertia.frame
    place = frame @ np.array([*point[1], 1.0])
    spec.add_body(node, point[0], Fixed(), translation(*place[:3]), inertia=Inertia(mass, (0.0, 0.0, 0.0)))
