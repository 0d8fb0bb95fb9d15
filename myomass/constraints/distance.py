"""Two points that keep their distance, as by a rod with a ball at each end: g = |x_A - x_B| - d."""

from dataclasses import dataclass

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import Constraint, ConstraintPart, Formula, Point
from ..spatial.algebra import dot, load3, neg, scale, sub
from ..spatial.brief import brief
from ..spatial.checks import check_positive
from .base import as_frame, pull, set_row


@kernel
def distance(params, at, t, spots, rows):
    """Row |x_A - x_B| - d, where points that meet are thought to lie along x. params[at:]: d."""
    apart = sub(load3(spots[0].x), load3(spots[1].x))
    square = dot(apart, apart)
    o = square * 0.0
    length, along = o, (o + 1.0, o, o)
    if square.real > 0.0:
        length = np.sqrt(square)
        along = scale(1.0 / length, apart)
    set_row(rows[0], length - params[at], o)
    pull(rows[0], 0, along, (o, o, o))
    pull(rows[0], 1, neg(along), (o, o, o))


DISTANCE = Formula(distance, unit="m")


@brief
@dataclass(eq=False)
class Distance(Constraint):
    """The points `a` and `b`, (body, place in its frame [m]) each, body None for the world, stay `length` [m] apart."""

    a: Point
    b: Point
    length: float

    def parts(self, model: Model) -> list[ConstraintPart]:
        """One part of one row."""
        ends = as_frame(self.a, "a"), as_frame(self.b, "b")
        if ends[0][0] == ends[1][0]:
            raise ValueError(f"both points are on {ends[0][0]!r}, whose points keep their distances anyway")
        return [ConstraintPart(DISTANCE, ("",), (check_positive(self.length, "length [m]"),), ends)]
