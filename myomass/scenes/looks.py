"""What several scenes look like: bones, and the slope that walkers walk down."""

from ..joints import Fixed
from ..model import Shape, Spec
from ..spatial import rotation, translation

GROUND = (0.62, 0.6, 0.55)
BONE = (0.93, 0.89, 0.80)


def add_slope(spec: Spec, slope: float, size: float, steps: int) -> None:
    """A body without mass that looks like a slope [rad] falling along x, so long as a walker's size [m] asks."""
    long, thick = (2.0 + 0.57 * steps) * size, 0.05 * size
    plane = rotation((0, 1, 0), slope) @ translation(0.5 * long - size, 0, -0.5 * thick - 0.015 * size)
    spec.add_body("slope", None, Fixed(), shapes=[Shape.cuboid((long, 0.8 * size, thick), frame=plane, colour=GROUND)])
