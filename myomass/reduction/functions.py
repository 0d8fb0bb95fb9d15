"""A SmoothMap's function with its derivatives, checked: value, J, and what first and second order ask for beside."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..model.border import check_array
from ..model.maps import Function, SmoothMap
from .derivatives import EPS, STEP, derivatives

ASIDE, APART, ALIKE = 1e-3, 1e-5, 1e-2  # derivatives are tried beside the start, by differences, to this agreement


@dataclass(frozen=True, eq=False)
class Smooth:
    """q = f(Q) and its derivatives. (n,) of (N,)"""

    function: Function
    slope: Function | None
    shape: tuple[int, int]  # (n, N)
    why: str  # the reason for the shape, for sentences

    @classmethod
    def of(cls, given: SmoothMap, n: int, N: int, what: str) -> "Smooth":
        """That of a map, which gives n coordinates."""
        return cls(given.function, given.jacobian, (n, N), f"{what} gives {n} coordinates of {N}")

    def to_first(self, x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(f, f_x, f_xx(v, v)) at x; the imaginary parts of x and v, if they have some, are those of complex steps."""
        if not np.iscomplexobj(x):
            return self.value(x), self.jacobian(x), self.bend(x, v)
        R, aside, second = x.real, x.imag, self.second(x.real)
        J = self.jacobian(R) + 1j * (second @ aside)
        return self.value(R) + 1j * (J.real @ aside), J, second @ v @ v + 1j * (self.third(R, v.real) @ aside)

    def to_second(self, x: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(f_xx, f_xx(v, .), f_xx(a, .) + f_xxx(v, v, .)) at x; the last is not known in complex steps, but NaN."""
        second = self.second(x.real)
        if not np.iscomplexobj(x):
            return second, second @ v, second @ a + self.third(x, v)
        size = np.abs(x.imag).max(initial=0.0)
        aside = x.imag / size if size > 0.0 else x.imag
        mixed = 0.25 * size * (self.third(x.real, aside + v.real) - self.third(x.real, aside - v.real))
        return second, second @ v + 1j * mixed, np.full(self.shape, np.nan + 0j)

    def value(self, Q: np.ndarray) -> np.ndarray:
        """Q mapped. (n,)"""
        return self._finite(self._ask(self.function, Q), Q)

    def jacobian(self, Q: np.ndarray) -> np.ndarray:
        """J = dq/dQ. (n, N)"""
        if self.slope is not None:
            return self._finite(self._ask(self.slope, Q), Q)
        J = np.empty(self.shape)
        for k, unit in enumerate(np.eye(self.shape[1])):
            J[:, k] = self._ask(self.function, Q + 1j * STEP * unit).imag / STEP
        return self._finite(J, Q)

    def bend(self, Q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """f_xx(v, v): Jdot Qdot along v = Qdot. (n,)"""
        size = np.abs(v).max(initial=0.0)
        if size == 0.0:
            return np.zeros(self.shape[0])
        if self.slope is not None:
            return size * (self._turn(Q, v / size) @ v)
        return size * size * self._along(self.function, Q, v / size)[1]

    def second(self, Q: np.ndarray) -> np.ndarray:
        """f_xx, all of it. (n, N, N)"""
        n, N = self.shape
        found, units = np.empty((n, N, N)), np.eye(N)
        if self.slope is not None:
            for k, unit in enumerate(units):
                found[:, :, k] = self._turn(Q, unit)
            return found
        for k, unit in enumerate(units):
            found[:, k, k] = self._along(self.function, Q, unit)[1]
        for k in range(N):
            for j in range(k):
                both = self._along(self.function, Q, units[j] + units[k])[1]
                found[:, j, k] = found[:, k, j] = 0.5 * (both - found[:, j, j] - found[:, k, k])
        return found

    def third(self, Q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """f_xxx(v, v, .). (n, N)"""
        size = np.abs(v).max(initial=0.0)
        if size == 0.0:
            return np.zeros(self.shape)
        along = v / size
        if self.slope is not None:
            return size * size * self._along(self.slope, Q, along)[1]
        found = np.empty(self.shape)
        for k, unit in enumerate(np.eye(self.shape[1])):
            ahead, behind, own = (self._along(self.function, Q, d)[2] for d in (along + unit, along - unit, unit))
            found[:, k] = (ahead - behind - 2.0 * own) / 6.0
        return size * size * found

    def _turn(self, Q: np.ndarray, along: np.ndarray) -> np.ndarray:
        """Derivative of the given J along a direction. (n, N)"""
        return self._finite(self._ask(self.slope, Q + 1j * STEP * along).imag / STEP, Q)

    def _along(self, function: Function, Q: np.ndarray, along: np.ndarray) -> np.ndarray:
        """First three derivatives of a function along a direction, or a sentence where there are none."""
        if not along.any():
            return np.zeros((3, *(self.shape if function is self.slope else self.shape[:1])))
        found = derivatives(lambda s: self._ask(function, Q + s * along))
        if found is None:
            raise FloatingPointError(
                f"function(Q) has no second derivative at Q = {Q.tolist()} along {along.tolist()} that can be found "
                "from complex numbers (a kink, a number dropped by abs or real, noise); make it smooth there, or give "
                "`jacobian`"
            )
        return found

    def _ask(self, function: Function, Q: np.ndarray) -> np.ndarray:
        """What a function says at Q, of the right shape; real where Q is."""
        name, shape = ("jacobian(Q)", self.shape) if function is self.slope else ("function(Q)", self.shape[:1])
        value = check_array(name, function(np.array(Q)), shape, self.why)
        if np.iscomplexobj(value) and not np.iscomplexobj(Q):
            if value.imag.any():
                raise FloatingPointError(f"{name} is complex at the real Q = {Q.tolist()}: out of its domain")
            value = value.real
        return value

    @staticmethod
    def _finite(value: np.ndarray, Q: np.ndarray) -> np.ndarray:
        if not np.isfinite(value).all():
            raise FloatingPointError(f"the map or its derivative is not finite at Q = {Q.tolist()}")
        return value


def check_derivatives(law: Smooth, start: np.ndarray) -> None:
    """A sentence if the functions are not what they should be: at the start, and beside it against differences."""
    law.value(start)
    d = np.cos(1.0 + np.arange(len(start)))  # no direction of note
    Q = start + ASIDE * d

    def slopes(x: np.ndarray) -> np.ndarray:
        return law.jacobian(x) @ d

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            tried: list[tuple[str, Callable, np.ndarray]] = [
                ("J is not the derivative of function(Q)", law.value, slopes(Q))
            ]
            if law.slope is not None:
                tried.append(("the complex step of jacobian(Q) is not Jdot", slopes, law.bend(Q, d)))
    except (TypeError, np.exceptions.ComplexWarning) as error:
        raise TypeError(
            f"{'function' if law.slope is None else 'jacobian'} must take complex numbers, and does not ({error}): use "
            "np.cos and its like, not math.cos, and arrays made of what is computed, not filled in"
        ) from error
    for what, function, slope in tried:
        low, high = function(Q - APART * d), function(Q + APART * d)
        expected, noise = (high - low) / (2 * APART), 1e3 * EPS * np.abs(low).max(initial=0.0) / APART
        if (np.abs(expected - slope) > ALIKE * np.abs(expected) + noise).any():
            raise ValueError(
                f"{what} at Q = {Q.tolist()}: along {d.tolist()} it gives {slope.tolist()}, and differences "
                f"{expected.tolist()}; np.abs, np.linalg.norm or .real lose the imaginary part that carries it"
            )
