"""Hyper-reduced coordinates: q = q(Q) and qdot = J_rR Qdot, with fewer coordinates Q in place of the model's own.

    J_rR^T M J_rR Qddot = J_rR^T (f - C + tau - M Jdot_rR Qdot)

Dissertation Sec. 4.6.2, Eq. 4.83-4.86. The map is linear or any smooth function, and maps chain: J_rS = J_rR J_RS,
Jdot_rS = Jdot_rR J_RS + J_rR Jdot_RS (Eq. 4.85).
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.energy import Energy
from ..model import Model
from ..model.border import check_array, check_finite
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from .mass import energy, mass_matrix
from .system import refuse_states
from .views import residual

STEP, POINTS = 1e-30, 16  # of complex steps; on a circle around Q
CIRCLE = np.exp(2j * np.pi * np.arange(POINTS // 2 + 1) / POINTS)  # its upper half, which the lower one mirrors
RADII = 0.25 * 0.25 ** np.arange(10)
TAIL = 1e-13  # last Taylor coefficients to the largest one, where a circle is small enough
POOR, EPS = 1e-4, float(np.finfo(float).eps)  # error of a second derivative that is no longer called one; rounding
SINGULAR, DEPENDENT = 1e-13, 1e-12  # least eigenvalue of a mass matrix; what is left of a column that depends on others
ASIDE, APART, ALIKE = 1e-3, 1e-5, 1e-2  # derivatives are tried beside the start, by differences, to this agreement
Function = Callable[[np.ndarray], np.ndarray]
Torques = Sequence[float] | np.ndarray | Callable[[float, np.ndarray, np.ndarray], np.ndarray]


@brief
@dataclass(frozen=True, eq=False)
class ReducedRun:
    """A motion in reduced coordinates, and what the model's own do meanwhile."""

    t: np.ndarray  # [s], (rows,)
    Q: np.ndarray  # (rows, N)
    Qdot: np.ndarray  # (rows, N)
    q: np.ndarray  # [rad or m], (rows, ndof)
    qdot: np.ndarray  # (rows, ndof)
    ended: str = "completed"  # or why the run stopped early


@dataclass(frozen=True, eq=False)
class Map:
    """q = function(Q), with J by complex step or by a function of its own."""

    function: Function
    slope: Function | None
    shape: tuple[int, int]  # (n, N)
    why: str  # the reason for the shape, for sentences

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

    def bias(self, Q: np.ndarray, Qdot: np.ndarray) -> np.ndarray:
        """Jdot Qdot: d^2/ds^2 of function(Q + s Qdot), or of a J that is given the complex step along Qdot. (n,)"""
        speed = np.abs(Qdot).max(initial=0.0)
        if speed == 0.0:
            return np.zeros(self.shape[0])
        along = Qdot / speed
        if self.slope is not None:
            Jdot = self._ask(self.slope, Q + 1j * STEP * along).imag / STEP
            return self._finite(speed * (Jdot @ Qdot), Q)
        found = second_derivative(lambda s: self._ask(self.function, Q + s * along))
        if found is None:
            raise FloatingPointError(
                f"function(Q) has no second derivative at Q = {Q.tolist()} along Qdot that can be found from complex "
                "numbers (a kink, a number dropped by abs or real, noise); make it smooth there, or give `jacobian`"
            )
        return speed * speed * found

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


def second_derivative(curve: Callable[[complex], np.ndarray]) -> np.ndarray | None:
    """g''(0) of a curve g(s) that is real on the real line, or None where there is none. (n,)

    Cauchy's integral over a circle around 0, by the trapezoidal rule: the Taylor coefficients are a Fourier transform
    of POINTS values, and what is missed falls geometrically with the radius over the distance to the nearest
    singularity. The circle shrinks until the last coefficients vanish and the mean is g(0), as it is for an analytic g;
    what remains is rounding, about 1e-13 of g''.
    """
    best, least, slope, centre = None, np.inf, 0.0, curve(0j)
    for radius in RADII:
        with np.errstate(all="ignore"):
            values = np.array([curve(radius * z) for z in CIRCLE])
        if not np.isfinite(values).all():
            continue
        taylor = np.fft.hfft(values, POINTS, axis=0) / POINTS
        size = np.abs(taylor).max(axis=1)
        tail, found = max(size[3 * POINTS // 4 :].max(), np.abs(taylor[0] - centre).max()), 2 * taylor[2] / radius**2
        if tail <= TAIL * size[1:].max() + POINTS * EPS * size[0]:
            return found
        error = 2 * (tail + EPS * size[0]) / radius**2
        if error < least:
            best, least, slope = found, error, size[1] / radius
    return best if best is not None and least <= POOR * (np.abs(best).max() + slope) else None


class HyperReduced:
    """A model in N coordinates Q of one's choice: q = offset + matrix @ Q, or by `of` any smooth q = function(Q).

    Coupled joints need no constraint so, and no tolerance: HyperReduced(finger, [[1, 0], [0, 1], [0, 0.5]]). The first
    argument may be another HyperReduced, whose own coordinates are then reduced further. `model` is the model at the
    bottom; its coordinates stay in the charts that it is in. N = 0 holds the model still.
    """

    model: Model
    ndof: int  # N, number of coordinates Q

    def __init__(self, model: "Model | HyperReduced", matrix: np.ndarray, offset: np.ndarray | None = None) -> None:
        why, n = below(model), model.ndof
        J = check_numbers(matrix, f"matrix, a row for each of {n} coordinates of {why},", (n, None)).copy()
        x = check_numbers(np.zeros(n) if offset is None else offset, "offset", (n,)).copy()
        self._reduce(model, Map(lambda Q: x + J @ Q, lambda Q: J, J.shape, why))
        check_columns(J)

    @classmethod
    def of(
        cls,
        model: "Model | HyperReduced",
        function: Function,
        ndof: int,
        start: np.ndarray | None = None,
        *,
        jacobian: Function | None = None,
    ) -> "HyperReduced":
        """q = function(Q) of `ndof` coordinates Q; any NumPy function that is analytic and takes complex numbers too.

        J is the complex step of it, exact to rounding; Jdot Qdot is the second derivative along Qdot by Cauchy's
        integral on a circle of complex numbers around Q, about 1e-13 of it. If `jacobian`, a function of Q that takes
        complex numbers and gives J (n, N), is given, it is used, Jdot is its complex step, and `function` sees real
        numbers only. Both are tried, against differences, beside `start` (zeros): give one in their domain.
        """
        for given in (function,) if jacobian is None else (function, jacobian):
            if not callable(given):
                raise TypeError(f"function and jacobian must be functions of Q, and one is {given!r}")
        if not isinstance(ndof, (int, np.integer)) or isinstance(ndof, bool) or ndof < 0:
            raise ValueError(f"ndof must be a whole number of coordinates, and is {ndof!r}")
        why = f"{below(model)} has {model.ndof} coordinates, and Q {ndof}"
        law, self = Map(function, jacobian, (model.ndof, int(ndof)), why), cls.__new__(cls)
        self._reduce(model, law)
        check_derivatives(law, self._checked("start", np.zeros(ndof) if start is None else start))
        return self

    def _reduce(self, model: "Model | HyperReduced", law: Map) -> None:
        if law.shape[1] > law.shape[0]:
            raise ValueError(
                f"{law.shape[1]} coordinates Q cannot move {law.shape[0]} coordinates of {below(model)} independently"
            )
        chained = isinstance(model, HyperReduced)
        self.model, self.ndof = (model.model if chained else model), law.shape[1]
        self._laws = (law, *(model._laws if chained else ()))  # from Q down to q

    def __repr__(self) -> str:
        return f"HyperReduced({self.model!r} in {self.ndof})"

    def q(self, Q: np.ndarray) -> np.ndarray:
        """q(Q), coordinates of the model; complex Q carry derivatives. [rad or m], (model.ndof,)"""
        x = self._checked("Q", Q, "fc")
        for law in self._laws:
            x = law.value(x)
        return x

    def qdot(self, Q: np.ndarray, Qdot: np.ndarray) -> np.ndarray:
        """qdot = J Qdot, rates of the model. [rad/s or m/s], (model.ndof,)"""
        return self.jacobian(Q) @ self._checked("Qdot", Qdot)

    def jacobian(self, Q: np.ndarray) -> np.ndarray:
        """J = dq/dQ, that of a chain the product of its own. (model.ndof, N)"""
        return self._moved(self._checked("Q", Q), np.zeros(self.ndof))[3]

    def bias(self, Q: np.ndarray, Qdot: np.ndarray) -> np.ndarray:
        """Jdot Qdot, accelerations of the model while Qddot = 0. [rad/s^2 or m/s^2], (model.ndof,)"""
        return self._moved(self._checked("Q", Q), self._checked("Qdot", Qdot))[2]

    def mass_matrix(self, Q: np.ndarray) -> np.ndarray:
        """M_R = J^T M J, mass matrix over Q. (N, N)"""
        q, _, _, J = self._moved(self._checked("Q", Q), np.zeros(self.ndof))
        M = J.T @ mass_matrix(self.model, q) @ J
        return 0.5 * (M + M.T)

    def acceleration(self, t: float, Q: np.ndarray, Qdot: np.ndarray, tau: np.ndarray | None = None) -> np.ndarray:
        """Qddot under all forces of the model and torques tau on its own coordinates, Eq. 4.86. (N,)"""
        Q, Qdot = self._checked("Q", Q), self._checked("Qdot", Qdot)
        return self._accelerated(t, Q, Qdot, self._torques(tau))

    def forces(
        self,
        Q: np.ndarray,
        Qdot: np.ndarray,
        Qddot: np.ndarray | None = None,
        t: float = 0.0,
        tau: np.ndarray | None = None,
    ) -> np.ndarray:
        """M qddot + C - f - tau: what the reduction exerts on the model's coordinates. [N m or N], (model.ndof,)

        Qddot None: that of the motion, in which these forces do no work, J^T forces = 0.
        """
        Q, Qdot, tau = self._checked("Q", Q), self._checked("Qdot", Qdot), self._torques(tau)
        Qddot = self._accelerated(t, Q, Qdot, tau) if Qddot is None else self._checked("Qddot", Qddot)
        q, qdot, bias, J = self._moved(Q, Qdot)
        return residual(self.model, q, qdot, J @ Qddot + bias, tau, t=t)

    def energy(self, Q: np.ndarray, Qdot: np.ndarray, t: float = 0.0) -> Energy:
        """(kinetic, potential) energy of the model, with .total [J]."""
        Q = self._checked("Q", Q)
        return energy(self.model, self.q(Q), self.qdot(Q, Qdot), t=t)

    def run(
        self,
        Q: np.ndarray,
        Qdot: np.ndarray | None = None,
        *,
        duration: float | None = None,
        times: np.ndarray | None = None,
        rtol: float = 1e-6,
        atol: float = 1e-8,
        tau: Torques | None = None,
    ) -> ReducedRun:
        """The motion from (Q, Qdot) (at rest) at t = 0 for a duration (1 s), by Dormand-Prince 8(5,3) of scipy.

        Rows are the steps, or the given rising `times` [s], by dense output. tau: torques on the model's own
        coordinates that stay, or a function tau(t, q, qdot). A run that cannot go on warns and keeps what it has.
        """
        try:
            from scipy.integrate import solve_ivp
        except ImportError:
            raise ImportError("runs in reduced coordinates need scipy: pip install scipy") from None
        times, end = check_times(times, duration)
        tolerances = {"rtol": check_positive(rtol, "rtol"), "atol": check_positive(atol, "atol")}
        y = np.concatenate([self._checked("Q", Q), self._checked("Qdot", Qdot)])
        self._rates(0.0, y, tau)  # what is wrong at the start is said
        if self.ndof == 0:
            t = np.array([0.0, end]) if times is None else times
            return self._rows(t, np.zeros((len(t), 0)), "completed")
        trouble = []

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            """No numbers where a trial step leads out of the domain: a shorter one is tried then."""
            try:
                with np.errstate(all="ignore"):
                    return self._rates(t, y, tau) if np.isfinite(y).all() else y * np.nan
            except FloatingPointError as error:
                trouble[:] = [error]
                return y * np.nan

        found = solve_ivp(rates, (0.0, end), y, "DOP853", times, **tolerances)
        ended = "completed" if found.success else f"ended early: {trouble[0] if trouble else found.message}"
        if not found.success:
            warnings.warn(f"model {self.model.name!r}: {ended}", RuntimeWarning, stacklevel=2)
        return self._rows(np.array(found.t), np.reshape(found.y, (len(y), -1)).T, ended)

    def _rates(self, t: float, y: np.ndarray, tau: Torques | None) -> np.ndarray:
        """(Qdot, Qddot), where tau may be a function."""
        Q, Qdot = np.split(y, 2)
        torques = tau(t, self.q(Q), self.qdot(Q, Qdot)) if callable(tau) else tau
        return np.concatenate([Qdot, self._accelerated(t, Q, Qdot, self._torques(torques))])

    def _rows(self, t: np.ndarray, y: np.ndarray, ended: str) -> ReducedRun:
        Q, Qdot = np.split(y, 2, axis=1)
        q, qdot = np.empty((2, len(t), self.model.ndof))
        for i in range(len(t)):
            q[i], qdot[i] = self.q(Q[i]), self.qdot(Q[i], Qdot[i])
        return ReducedRun(t, Q, Qdot, q, qdot, ended)

    def _moved(self, Q: np.ndarray, Qdot: np.ndarray) -> tuple[np.ndarray, ...]:
        """(q, qdot, Jdot Qdot, J): a motion without Qddot carried down the chain, Eq. 4.85."""
        x, v, a, J = Q, Qdot, np.zeros(self.ndof), np.eye(self.ndof)
        for law in self._laws:
            slope = law.jacobian(x)
            x, v, a, J = law.value(x), slope @ v, slope @ a + law.bias(x, v), slope @ J
        return x, v, a, J

    def _accelerated(self, t: float, Q: np.ndarray, Qdot: np.ndarray, tau: np.ndarray) -> np.ndarray:
        q, qdot, bias, J = self._moved(Q, Qdot)
        M, r = mass_matrix(self.model, q), residual(self.model, q, qdot, bias, tau, t=t)
        return solve_definite(J.T @ M @ J, -J.T @ r, f"model {self.model.name!r} at Q = {Q.tolist()}")

    def _torques(self, tau: np.ndarray | None) -> np.ndarray:
        if tau is None:
            return np.zeros(self.model.ndof)
        return check_numbers(tau, "tau, on the model's own coordinates,", self.model.shape)

    def _checked(self, what: str, values: np.ndarray | None, kinds: str = "f") -> np.ndarray:
        if values is None and what == "Qdot":
            return np.zeros(self.ndof)
        values = check_array(what, values, (self.ndof,), f"there are {self.ndof} reduced coordinates")
        check_finite(**{what: values})
        if values.dtype.kind not in kinds:
            raise ValueError(f"{what} must be real, and is complex")
        return values.astype(np.result_type(values, float), copy=False)


def below(model: Model | HyperReduced) -> str:
    """What is reduced, in words, or a sentence if it cannot be."""
    if isinstance(model, HyperReduced):
        return f"the reduction of model {model.model.name!r}"
    if not isinstance(model, Model):
        raise TypeError(f"a model or another HyperReduced is needed, and this is {type(model).__name__}")
    refuse_states(model, "HyperReduced")
    if len(model.constraints):
        raise ValueError(f"model {model.name!r} has constraints, which a reduction replaces: compile it without them")
    if model.dtype != np.float64:
        raise ValueError(f"a reduction works in float64, and the model is {model.dtype}; give it as it was compiled")
    return f"model {model.name!r}"


def check_columns(J: np.ndarray) -> None:
    """A sentence if a column of J moves nothing that those before it do not."""
    length = np.sqrt(np.einsum("ij,ij->j", J, J))
    left = np.abs(np.diag(np.linalg.qr(J / np.where(length > 0, length, 1.0), mode="r")))
    for k in np.flatnonzero(left < DEPENDENT):
        raise ValueError(
            f"column {k} of the matrix is {'zero' if length[k] == 0 else 'a combination of those before it'}: every "
            "reduced coordinate must move the model in a way of its own"
        )


def check_derivatives(law: Map, start: np.ndarray) -> None:
    """A sentence if the functions are not what they should be: at the start, and beside it against differences."""
    law.value(start)
    d = np.cos(1.0 + np.arange(len(start)))  # no direction of note
    Q, slopes = start + ASIDE * d, lambda x: law.jacobian(x) @ d
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            tried = [("J is not the derivative of function(Q)", law.value, slopes(Q))]
            if law.slope is not None:
                tried += [("the complex step of jacobian(Q) is not Jdot", slopes, law.bias(Q, d))]
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


def check_times(times: np.ndarray | None, duration: float | None) -> tuple[np.ndarray | None, float]:
    """(output times or None, end of the run) [s]"""
    if times is None:
        return None, check_positive(1.0 if duration is None else duration, "duration")
    times = check_numbers(times, "times", (None,))
    end = np.inf if duration is None else check_positive(duration, "duration")
    if not len(times) or times[0] < 0 or (np.diff(times) <= 0).any() or not 0 < times[-1] <= end:
        raise ValueError("times must rise from 0 on, and end by the duration where one is given")
    return times, float(times[-1])


def solve_definite(M: np.ndarray, f: np.ndarray, where: str) -> np.ndarray:
    """M^-1 f, M scaled to ones on its diagonal, or a sentence where it is singular. (N,)"""
    with np.errstate(all="ignore"):
        size = np.sqrt(np.diag(M))
        scaled = 0.5 * (M + M.T) / np.outer(size, size)
    k = int(np.argmin(size)) if len(size) else 0
    if np.isfinite(scaled).all() and np.isfinite(f).all():
        values, vectors = np.linalg.eigh(scaled)
        if values.min(initial=1.0) > SINGULAR:
            return np.linalg.solve(scaled, f / size) / size
        k = int(np.argmax(np.abs(vectors[:, 0])))
    raise FloatingPointError(
        f"{where}: no acceleration can be found along reduced coordinate {k}: it moves nothing there, or nothing that "
        "the others do not (J loses rank), or what it moves has no mass, or a number overflows"
    )
