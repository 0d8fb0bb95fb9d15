"""Points of a figure that stay where they are for a while: a planted foot.

They are held at the knots of the curve and midway between them, as far as these are within their time: often enough
that a curve does not swing about its place in between, and seldom enough for its coefficients to hold them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..algorithms.jacobian import point_jacobian
from ..algorithms.kinematics import forward_kinematics
from ..joints.records import records
from ..model import Model
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .curve import JointCurve, basis_rows
from .effort import points_along, pull_points
from .spacetime import check_interval

THERE = 1e-3  # of the figure's size: how far from its place a point may be where the motion is given
HELD = 1e-4  # of its size: a planted point that is so near its place is there


@brief
@dataclass(frozen=True, eq=False)
class Planted:
    """A point of a body [m, in the body's frame] that stays at a place [m, world] from one time to another [s].

    Without a place it stays where the motion has it at the start of its time, if that is the start of the transition,
    or at its end, if that is the end.
    """

    body: str
    point: Sequence[float]
    start: float = 0.0
    end: float = np.inf
    place: Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_interval(self.start, self.end, f"Planted: {self.body!r} is planted")
        object.__setattr__(self, "point", check_numbers(self.point, f"Planted: the point of {self.body!r}", (3,)))
        if self.place is not None:
            object.__setattr__(self, "place", check_numbers(self.place, "Planted: the place", (3,)))


@cache
def pin_dtype() -> np.dtype:
    """Record of a planted point at one time: the node, the point in its link, and where it should be."""
    return np.dtype([("node", "i8"), ("link", "i8"), ("x", "f8", (3,)), ("target", "f8", (3,))], align=True)


class Pins:
    """All planted points of a curve at all their times: their gaps, and the slope of forces on them."""

    def __init__(self, model: Model, curve: JointCurve, planted: Sequence[Planted], parts: int = 2):
        """Hold each point at `parts` times in a segment of the curve, and at the ends of its own time."""
        self.model, self.planted = model, list(planted)
        self.vectors = np.zeros((5, model.ndof))
        grid = np.linspace(curve.start, curve.end, parts * (len(curve.knots) - 1) + 1)
        ends = [t for one in self.planted for t in (one.start, one.end) if curve.start < t < curve.end]
        self.times = times = np.unique(np.concatenate([grid, ends]))
        self.nodes = basis_rows(times, curve.start, curve.end, len(curve.coefficients))
        self.size = self._size(curve)
        owner, rows = [], []
        for number, one in enumerate(self.planted):
            link, x, target = self._pinned(one, curve)
            for node in np.flatnonzero((times >= one.start) & (times <= one.end)):
                rows.append((node, link, x, target))
                owner.append(number)
        order = np.argsort([row[0] for row in rows], kind="stable")
        self.pins, self.owner = records(len(rows), pin_dtype()), np.array(owner, int)[order]
        for i, row in enumerate(order):
            self.pins[i] = rows[row]

    def _size(self, curve: JointCurve) -> float:
        """Largest distance of planted points from the bodies and from the tree's origin at the curve's start [m]."""
        E = forward_kinematics(self.model, curve(curve.start).q)
        roots = [*E[:, :3, 3], self.model.links["p0"][1]]
        bodies = [self.model.body(one.body) for one in self.planted]
        places = [E[i, :3, :3] @ one.point + E[i, :3, 3] for i, one in zip(bodies, self.planted, strict=True)]
        return max([float(np.linalg.norm(x - root)) for x in places for root in roots], default=1.0) or 1.0

    def _pinned(self, one: Planted, curve: JointCurve) -> tuple[int, np.ndarray, np.ndarray]:
        """(link, point in the link, place in the world) of a planted point, checked where the motion is given."""
        body, point = self.model.body(one.body), one.point
        if one.end < curve.start or one.start > curve.end:
            raise ValueError(
                f"Planted: {one.body!r} is planted from {one.start:g} to {one.end:g} s, "
                f"and the transition lasts from {curve.start:g} to {curve.end:g} s"
            )
        at = {t: self._place(body, point, curve(t).q) for t in (curve.start, curve.end) if one.start <= t <= one.end}
        if one.place is None and not at:
            raise ValueError(
                f"Planted: {one.body!r} is planted between the ends of the transition; say where with place="
            )
        place = next(iter(at.values())) if one.place is None else one.place
        for t, there in at.items():
            if np.linalg.norm(there - place) > THERE * self.size:
                raise ValueError(
                    f"Planted: at {t:g} s the given motion has the point of {one.body!r} "
                    f"{np.linalg.norm(there - place):.3g} m from where it is planted"
                )
        record = self.model.bodies[body]
        return int(record["link"]), record["p_lb"] + record["R_lb"] @ point, place

    def _place(self, body: int, point: np.ndarray, q: np.ndarray) -> np.ndarray:
        """World place of a body's point [m]. (3,)"""
        E = forward_kinematics(self.model, q)[body]
        return E[:3, :3] @ point + E[:3, 3]

    def __len__(self) -> int:
        return len(self.pins)

    def gaps(self, coefficients: np.ndarray) -> np.ndarray:
        """How far every pin's point is from its place [m]. (pins, 3)"""
        gaps = np.zeros((len(self), 3))
        self.vectors[4] = 0.0
        points_along(self.model.workspace.tree.handle, self.nodes, self.pins, coefficients, self.vectors, gaps)
        return gaps

    def add_slope(self, coefficients: np.ndarray, pulls: np.ndarray, slope: np.ndarray) -> None:
        """Add to slope the derivative of sum pulls . gaps with respect to the coefficients."""
        self.vectors[4] = 0.0
        pull_points(self.model.workspace.tree.handle, self.nodes, self.pins, coefficients, self.vectors, pulls, slope)

    def jacobians(self, coefficients: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """(first coefficient, weights of the four, d place/dq (3, ndof)) of every pin."""
        found, bodies = [], {int(link): i for i, link in enumerate(self.model.bodies["link"])}
        first, B = self.nodes
        for pin in self.pins:
            body, node = bodies[int(pin["link"])], int(pin["node"])
            q = B[node, 0] @ coefficients[first[node] : first[node] + 4]
            record = self.model.bodies[body]
            point = record["R_lb"].T @ (pin["x"] - record["p_lb"])
            found.append((int(first[node]), B[node, 0], point_jacobian(self.model, q, body, point)[0]))
        return found

    def held(self, coefficients: np.ndarray) -> bool:
        """True if every planted point is in its place."""
        return self.worst(coefficients)[0] <= HELD * self.size

    def worst(self, coefficients: np.ndarray) -> tuple[float, str]:
        """(largest gap [m], text that says where it is)."""
        if not len(self):
            return 0.0, ""
        size = np.linalg.norm(self.gaps(coefficients), axis=1)
        i = int(size.argmax())
        one, t = self.planted[self.owner[i]], self.times[self.pins[i]["node"]]
        return float(size[i]), f"the point planted on {one.body!r} is {size[i]:.3g} m from its place at {t:.3g} s"
