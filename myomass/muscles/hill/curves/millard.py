"""The curves of Millard and others: chains of quintic Bezier segments, each through a few corners (bezier.py).

    active: y1 = 1 - s (0.95 - x1)      (x0, m, 0), ((x0 + x1)/2, y1/2, 1.25 y1/(x1 - x0)),
                                        ((x1 + 0.95)/2, (1 + y1)/2, s), (1, 1, 0),
                                        ((1.05 + x3)/2, 1/2, -1/(x3 - 1.1)), (x3, m, 0)
    passive: d = 0.1 min(1/k, e1 - e0)  (1 + e0, 0, 0), (1 + e0 + d, k_low d/2, k_low), (1 + e1, 1, k)
    velocity                            (-1, 0, s_c), (-0.9, 0.05 (s_c + s_nc), s_nc), (0, 1, s_iso),
                                        (0.9, f - 0.05 (s_e + s_ne), s_ne), (1, f, s_e)
    tendon: x_toe = 1 + e - (1 - f)/k, x_foot = 1 + (x_toe - 1)/10, x_m = 1 + e - (1 - f/2)/k,
            t = f/2/(x_m - x_foot), c = (x_foot + x_m)/2    (1, 0, 0), (c, t (c - x_foot), t), (x_toe, f, k)

M. Millard, T. Uchida, A. Seth, S. L. Delp, Flexing computational muscle, J. Biomech. Eng. 135, 2013; numbers as in
OpenSim, whose muscle of this name also changes three of them with damping: see `parameters`.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import ClassVar

from ...._jit import kernel
from ....spatial.brief import brief
from ....spatial.checks import check_numbers, check_positive
from .base import Curves
from .bezier import Corner, chain_of, join
from .pieces import area, chain, chain_inverse

ACTIVE, PASSIVE, TENDON, VELOCITY = range(4)  # columns of params that say where each chain starts


@kernel
def start(params, at, which):
    """Where a chain's numbers start."""
    return at + int(params[at + which].real)


@kernel(entry=True)
def active(params, at, x):
    """(value, slope) of the active force over fibre length."""
    return chain(params, start(params, at, ACTIVE), x)


@kernel(entry=True)
def passive(params, at, x):
    """(value, slope) of the passive force over fibre length."""
    return chain(params, start(params, at, PASSIVE), x)


@kernel(entry=True)
def tendon(params, at, x):
    """(value, slope) of the tendon's force over its length."""
    return chain(params, start(params, at, TENDON), x)


@kernel(entry=True)
def forces(params, at, x, y):
    """(active, passive) forces at the fibre's length x, the tendon's at its own y; the compiler drops the slopes."""
    active_force = chain(params, start(params, at, ACTIVE), x)[0]
    passive_force = chain(params, start(params, at, PASSIVE), x)[0]
    return active_force, passive_force, chain(params, start(params, at, TENDON), y)[0]


@kernel(entry=True)
def velocity(params, at, v, a):
    """(value, slope) of the force factor over velocity; the same at every activation."""
    return chain(params, start(params, at, VELOCITY), v + a * 0.0)


@kernel(entry=True)
def inverse(params, at, f, a):
    """The velocity of the force factor f; of one beyond a flat end that end's."""
    return chain_inverse(params, start(params, at, VELOCITY), f + a * 0.0)


@kernel(entry=True)
def passive_energy(params, at, x):
    """Integral of the passive force from the length where it is zero."""
    return area(params, start(params, at, PASSIVE), x)


@kernel(entry=True)
def tendon_energy(params, at, x):
    """Integral of the tendon's force from its slack length."""
    return area(params, start(params, at, TENDON), x)


@brief
@dataclass(frozen=True)
class Millard2012(Curves):
    """The curves of Millard's equilibrium muscle; what is None follows from the strains, as in OpenSim."""

    shortest_active: float = 0.4441  # x0, lengths in optimal ones
    transition_length: float = 0.73  # x1
    longest_active: float = 1.8123  # x3
    shallow_slope: float = 0.8616  # s
    least_active: float = 0.1  # m
    passive_start: float = 0.0  # e0, strains
    passive_strain: float = 0.7  # e1
    passive_low_stiffness: float | None = None  # k_low
    passive_stiffness: float | None = None  # k
    passive_curviness: float | None = None
    shortening_end_slope: float = 0.0  # s_c
    shortening_slope: float = 0.25  # s_nc
    isometric_slope: float = 5.0  # s_iso
    lengthening_end_slope: float = 0.0  # s_e
    lengthening_slope: float = 0.15  # s_ne
    lengthening_force: float = 1.4  # f
    shortening_curviness: float = 0.6
    lengthening_curviness: float = 0.9
    tendon_strain: float = 0.049  # e
    tendon_stiffness: float | None = None  # k
    tendon_toe_force: float | None = None  # f
    tendon_curviness: float | None = None

    damping: ClassVar[float] = 0.1
    active: ClassVar = active
    passive: ClassVar = passive
    tendon: ClassVar = tendon
    forces: ClassVar = forces
    velocity: ClassVar = velocity
    inverse: ClassVar = inverse
    passive_energy: ClassVar = passive_energy
    tendon_energy: ClassVar = tendon_energy

    def parameters(self, damped: bool) -> list[float]:
        """The numbers that the kernels read, checked.

        With damping or a rigid tendon the least active force and the velocity's end slopes are 0 whatever the fields
        say. Without, the curves must be invertible: they are raised to at least 0.1 and half of the slopes near the
        ends.
        """
        self._check()
        return list(_numbers(self, bool(damped)))

    def least_length(self) -> float:
        """Where the active force begins."""
        return self.shortest_active

    def _check(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                check_numbers(value, f"Millard2012: {field.name}", ())
        for name in ("shortest_active", "shallow_slope", "isometric_slope", "tendon_strain"):
            check_positive(getattr(self, name), f"Millard2012: {name}")
        for name in ("passive_curviness", "shortening_curviness", "lengthening_curviness", "tendon_curviness"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"Millard2012: {name} must be between 0 and 1, and is {value:g}")
        x0, x1, x3 = self.shortest_active, self.transition_length, self.longest_active
        if not (x0 < x1 < 0.95 and x3 > 1.15):
            raise ValueError(
                "Millard2012: give shortest_active < transition_length < 0.95 and longest_active > 1.15, "
                f"not {x0:g}, {x1:g} and {x3:g}"
            )

    def _active(self, least: float) -> tuple[float, ...]:
        x0, x1, x3, s = self.shortest_active, self.transition_length, self.longest_active, self.shallow_slope
        y1 = 1.0 - s * (0.95 - x1)
        corners = [
            (x0, least, 0.0),
            (0.5 * (x0 + x1), 0.5 * y1, 1.25 * y1 / (x1 - x0)),
            (0.5 * (x1 + 0.95), 0.5 * (1.0 + y1), s),
            (1.0, 1.0, 0.0),
            (0.5 * (1.05 + x3), 0.5, -1.0 / (x3 - 1.1)),
            (x3, least, 0.0),
        ]
        return _chain(corners, [1.0] * 5)

    def _passive(self) -> tuple[float, ...]:
        e0, e1 = self.passive_start, self.passive_strain
        if not e1 > e0:
            raise ValueError(f"passive_strain = {e1:g} must be larger than passive_start = {e0:g}")
        k, low = _or(self.passive_stiffness, 2.0 / (e1 - e0)), _or(self.passive_low_stiffness, 0.2)
        if not k > 1.0 / (e1 - e0):
            raise ValueError(f"passive_stiffness must be above {1.0 / (e1 - e0):g}, and is {k:g}")
        d = min(0.1 / k, 0.1 * (e1 - e0))
        corners = [(1.0 + e0, 0.0, 0.0), (1.0 + e0 + d, 0.5 * low * d, low), (1.0 + e1, 1.0, k)]
        return _chain(corners, [_or(self.passive_curviness, 0.75)] * 2)

    def _tendon(self) -> tuple[float, ...]:
        e = self.tendon_strain
        k, f = _or(self.tendon_stiffness, 1.375 / e), _or(self.tendon_toe_force, 2.0 / 3.0)
        if not (0.0 < f < 1.0 and k > 1.0 / e):
            raise ValueError(f"give 0 < tendon_toe_force < 1 and tendon_stiffness > {1.0 / e:g}, not {f:g} and {k:g}")
        x_toe = 1.0 + e - (1.0 - f) / k
        x_foot, x_m = 1.0 + (x_toe - 1.0) / 10.0, 1.0 + e - (1.0 - 0.5 * f) / k
        t, c = 0.5 * f / (x_m - x_foot), 0.5 * (x_foot + x_m)
        corners = [(1.0, 0.0, 0.0), (c, t * (c - x_foot), t), (x_toe, f, k)]
        return _chain(corners, [_or(self.tendon_curviness, 0.5)] * 2)

    def _velocity(self, damped: bool) -> tuple[float, ...]:
        near_c, near_e, f = self.shortening_slope, self.lengthening_slope, self.lengthening_force
        if not (near_c > 0.0 and near_e > 0.0 and f > 1.0):
            raise ValueError("shortening_slope and lengthening_slope must be positive, lengthening_force above 1")
        end_c = 0.0 if damped else max(self.shortening_end_slope, 0.5 * near_c)
        end_e = 0.0 if damped else max(self.lengthening_end_slope, 0.5 * near_e)
        corners = [
            (-1.0, 0.0, end_c),
            (-0.9, 0.05 * (end_c + near_c), near_c),
            (0.0, 1.0, self.isometric_slope),
            (0.9, f - 0.05 * (end_e + near_e), near_e),
            (1.0, f, end_e),
        ]
        return _chain(corners, [self.shortening_curviness] * 2 + [self.lengthening_curviness] * 2)


@cache
def _numbers(curves: Millard2012, damped: bool) -> tuple[float, ...]:
    """The four chains, made once for curves of the same parameters."""
    chains = [
        _named("active force-length", curves._active, 0.0 if damped else max(curves.least_active, 0.1)),
        _named("passive force-length", curves._passive),
        _named("tendon force-length", curves._tendon),
        _named("force-velocity", curves._velocity, damped),
    ]
    return tuple(join(chains))


def _or(value: float | None, usual: float) -> float:
    return usual if value is None else value


def _chain(corners: list[Corner], curviness: list[float]) -> tuple[float, ...]:
    return chain_of(tuple(tuple(map(float, corner)) for corner in corners), tuple(map(float, curviness)))


def _named(what: str, make: Callable[..., tuple[float, ...]], *args) -> tuple[float, ...]:
    """A chain, or a sentence that says which curve cannot be made."""
    try:
        return make(*args)
    except ValueError as error:
        raise ValueError(f"Millard2012, {what} curve: {error}") from None
