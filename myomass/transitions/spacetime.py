"""The effort of a motion: the spacetime energy P = integral of sum w_i tau_i^2 dt of a curve, and its gradient."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..algorithms.rnea_adjoint import adjoint_dtype
from ..dynamics.system import linear_of, refuse_soft_bodies, refuse_states, system_of
from ..joints.records import records
from ..model import Model
from ..model.border import no_model
from ..reduction.border import refuse_reduced
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .curve import JointCurve, basis_rows, check_coordinates, check_curve
from .effort import Nodes, SlopeScratch, effort_along, effort_slope, torques_along

MOST_POINTS = 64  # of a quadrature in one segment


@brief
@dataclass(frozen=True)
class Bearing:
    """A body on which a free-floating figure rests from one time to another [s]: what holds the figure acts on it."""

    body: str
    start: float = -np.inf
    end: float = np.inf

    def __post_init__(self) -> None:
        check_interval(self.start, self.end, f"Bearing: {self.body!r} bears")


def check_interval(start: float, end: float, what: str) -> None:
    """Raise a ValueError unless one time comes before the other; both may be infinite."""
    numbers = all(isinstance(t, (int, float, np.integer, np.floating)) for t in (start, end))
    if not numbers or not start < end:
        raise ValueError(f"{what} from a start to a later end, and these are {start!r} and {end!r}")


def listed(given: object, kind: type, what: str) -> tuple:
    """One object of a class, or a sequence of them, as a tuple. Raises a TypeError for anything else."""
    given = (given,) if isinstance(given, kind) else given
    if not isinstance(given, (tuple, list)) or not all(isinstance(one, kind) for one in given):
        raise TypeError(f"{what}: give mm.transitions.{kind.__name__}(...) or a list of them, not {given!r}")
    return tuple(given)


class Effort:
    """P of curves of a model over a span, with a given number of coefficients: weights, quadrature and scratch."""

    def __init__(
        self,
        model: Model,
        span: tuple[float, float, int],
        weights: np.ndarray | None = None,
        quadrature: tuple[str, int] = ("gauss", 4),
        bearing: Bearing | Sequence[Bearing] = (),
    ):
        if not isinstance(model, Model):
            raise no_model(model)
        refuse_reduced(model, "a spacetime effort")
        if model.dtype != np.float64:
            raise ValueError(
                f"efforts are found in float64, and the model is {model.dtype}; give it as it was compiled"
            )
        if not model.ndof:
            raise ValueError(f"model {model.name!r} has no degree of freedom, and so no effort")
        self.model, self.span, self.quadrature = model, span, quadrature
        self.bearing = listed(bearing, Bearing, "bearing")
        check_bearing(model, self.bearing, span)
        refuse_states(model, "the effort of a motion")
        refuse_soft_bodies(model, "the effort of a motion")
        self.weights = check_weights(model, weights)
        times, share, links = quadrature_nodes(model, self.bearing, span, *quadrature)
        self.nodes = Nodes(times, *basis_rows(times, *span), share, links)
        self.slope = np.zeros((span[2], model.ndof))

    def value(self, coefficients: np.ndarray) -> float | complex:
        """P [N^2 m^2 s where all joints turn]; complex coefficients carry derivatives."""
        space = self.model.complex_workspace if np.iscomplexobj(coefficients) else self.model.workspace
        scalar = space.zeros.dtype
        weights, vectors = self.weights.astype(scalar), np.zeros((5, self.model.ndof), scalar)
        handle, coefficients = system_of(space).handle, np.ascontiguousarray(coefficients, scalar)
        return effort_along(handle, self.model.has_forces_or_muscles, self.nodes, coefficients, weights, vectors)

    def gradient(self, coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        """(P, dP/dc); the second is overwritten by the next call. (count, ndof)"""
        space, model = self.model.workspace, self.model
        handles = system_of(space).handle, linear_of(space).handle
        coefficients = np.ascontiguousarray(coefficients, np.float64)
        vectors, scratch = self._scratch
        given = self.nodes, coefficients, self.weights, vectors, scratch
        return effort_slope(*handles, model.has_forces_or_muscles, *given, self.slope), self.slope

    def refined(self) -> "Effort":
        """This effort with twice the nodes."""
        rule, points = self.quadrature
        return Effort(self.model, self.span, self.weights, (rule, min(2 * points, MOST_POINTS)), self.bearing)

    def torques(self, curve: JointCurve, times: np.ndarray) -> np.ndarray:
        """tau of a curve at given times within it. (rows, ndof)"""
        space, model = self.model.workspace, self.model
        check_curve(curve, model)
        times = np.atleast_1d(check_numbers(times, "the times", () if np.ndim(times) == 0 else (None,)))
        if len(times) and not curve.start <= times.min() <= times.max() <= curve.end:
            raise ValueError(f"the curve lasts from {curve.start:g} to {curve.end:g} s, and some times are outside")
        rows = basis_rows(times, curve.start, curve.end, len(curve.coefficients))
        nodes = Nodes(times, *rows, np.zeros(len(times)), bearing_links(model, self.bearing, times))
        tau = np.empty((len(times), model.ndof))
        vectors = np.zeros((5, model.ndof))
        torques_along(system_of(space).handle, model.has_forces_or_muscles, nodes, curve.coefficients, vectors, tau)
        return tau

    @cached_property
    def _scratch(self) -> tuple:
        model = self.model
        matrices = np.zeros((3, model.ndof, model.ndof) if model.has_forces_or_muscles else (3, 0, 0))
        adjoint, products = records(len(model.links), adjoint_dtype(np.float64)), np.zeros((3, model.ndof))
        return np.zeros((5, model.ndof)), SlopeScratch(adjoint, matrices, products)


def spacetime_energy(
    model: Model,
    curve: JointCurve,
    weights: np.ndarray | None = None,
    *,
    quadrature: str = "gauss",
    points: int = 4,
    bearing: Bearing | Sequence[Bearing] = (),
) -> float:
    """P = integral of sum w_i tau_i^2 dt over a curve, tau by inverse dynamics; weights (ndof,), None: ones.

    quadrature "gauss" with so many `points` in each segment, or "simpson" with so many double intervals. Complex
    coefficients carry derivatives. `bearing` bodies stand on the ground: see `mm.transitions.Bearing`.
    """
    P = _effort(model, curve, weights, (quadrature, points), bearing).value(curve.coefficients)
    return _finite(P, model)


def spacetime_gradient(
    model: Model,
    curve: JointCurve,
    weights: np.ndarray | None = None,
    *,
    quadrature: str = "gauss",
    points: int = 4,
    bearing: Bearing | Sequence[Bearing] = (),
) -> tuple[float, np.ndarray]:
    """(P, dP/dc), the gradient of `spacetime_energy` with respect to the curve's coefficients, exact. (count, ndof)"""
    check_curve(curve, model)
    P, slope = _effort(model, curve, weights, (quadrature, points), bearing).gradient(curve.coefficients)
    return _finite(P, model), slope


def _effort(
    model: Model, curve: JointCurve, weights: np.ndarray | None, quadrature: tuple, bearing: Sequence
) -> Effort:
    if not isinstance(curve, JointCurve):
        raise TypeError(
            f"a curve is needed, as mm.transitions.JointCurve(coefficients, start, end), and this is {curve!r}"
        )
    effort = Effort(model, (curve.start, curve.end, len(curve.coefficients)), weights, quadrature, bearing)
    check_coordinates(curve.coefficients, model, "the curve")
    return effort


def _finite(P: float | complex, model: Model) -> float | complex:
    """P. Raises a FloatingPointError if numbers have overflowed on the way to it."""
    if not np.isfinite(P):
        raise FloatingPointError(f"model {model.name!r}: the effort of this curve is not finite")
    return P


def check_weights(model: Model, weights: np.ndarray | None) -> np.ndarray:
    """Weights of the torques, not negative. (ndof,)"""
    if weights is None:
        return np.ones(model.ndof)
    weights = check_numbers(weights, "the weights", (model.ndof,))
    if (weights < 0).any():
        raise ValueError(f"weights of torques must not be negative, and one is {weights.min():g}")
    if not weights.any():
        raise ValueError("some weight of the torques must be positive, and all are zero")
    return weights.copy()


def quadrature_nodes(
    model: Model, bearing: tuple[Bearing, ...], span: tuple[float, float, int], rule: str, points: int
) -> tuple[np.ndarray, ...]:
    """(times [s], shares, bearing links) of a rule's nodes in every piece between knots and changes of the bearing."""
    start, end, count = span
    if rule not in ("gauss", "simpson"):
        raise ValueError(f'the quadrature is "gauss" or "simpson", not {rule!r}')
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or not 1 <= points <= MOST_POINTS:
        raise ValueError(f"the points of a quadrature are a whole number from 1 to {MOST_POINTS}, and are {points!r}")
    changes = [t for one in bearing for t in (one.start, one.end) if start < t < end]
    breaks = np.unique(np.concatenate([np.linspace(start, end, count - 2), changes]))
    if rule == "gauss":
        x, w = np.polynomial.legendre.leggauss(points)
        x, w = 0.5 * (1.0 + x), 0.5 * w
    else:
        x, w = np.linspace(0.0, 1.0, 2 * points + 1), np.full(2 * points + 1, 2.0)
        w[1::2], w[[0, -1]] = 4.0, 1.0
        w /= 6 * points
    h = np.diff(breaks)[:, None]
    links = bearing_links(model, bearing, breaks[:-1] + 0.5 * h[:, 0])
    return (breaks[:-1, None] + h * x).ravel(), (h * w).ravel(), np.repeat(links, len(x))


def bearing_links(model: Model, bearing: tuple[Bearing, ...], times: np.ndarray) -> np.ndarray:
    """The link on which the figure rests at each time, 0 where there is none. (rows,)"""
    links = np.zeros(len(times), np.int64)
    for one in bearing:
        links[(times >= one.start) & (times <= one.end)] = model.bodies["link"][model.body(one.body)]
    return links


def check_bearing(model: Model, bearing: tuple[Bearing, ...], span: tuple[float, float, int]) -> None:
    """Raise a ValueError about bearings that never act or overlap, or a figure whose root does not float."""
    ordered = sorted(bearing, key=lambda one: one.start)
    for one in ordered:
        model.body(one.body)
        if one.end <= span[0] or one.start >= span[1]:
            raise ValueError(f"Bearing: {one.body!r} bears outside of the curve, from {span[0]:g} to {span[1]:g} s")
    for one, other in pairwise(ordered):
        if other.start < one.end:
            raise ValueError(f"Bearing: {one.body!r} and {other.body!r} bear at the same time; give one of them")
    if bearing:
        check_floating(model)


def check_floating(model: Model) -> slice:
    """Degrees of freedom of the root of a figure. Raises a ValueError if it does not float freely."""
    roots = np.flatnonzero(model.parents < 0)
    dofs = model.dof(int(roots[0]))
    if len(roots) > 1 or dofs.stop - dofs.start != 6:
        raise ValueError(f"model {model.name!r}: a Bearing needs one root with six degrees of freedom")
    if model.has_forces_or_muscles:
        raise ValueError(f"model {model.name!r}: a Bearing needs a figure without forces and muscles")
    return dofs
