"""The effort of a motion: the spacetime energy P = integral of sum w_i tau_i^2 dt of a curve, and its gradient."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..algorithms.rnea_adjoint import adjoint_dtype
from ..dynamics.given import linear_arrays, loads_of
from ..joints.records import records
from ..model import Model
from ..model.border import no_model
from ..spatial.checks import check_numbers
from .curve import JointCurve, basis_rows, check_coordinates
from .effort import effort_along, effort_slope, torques_along


@dataclass(frozen=True)
class Bearing:
    """A body that bears a free-floating figure from one time to another [s]: what holds the figure acts on it."""

    body: str
    start: float = -np.inf
    end: float = np.inf


class Effort:
    """P of curves with so many coefficients over a span, for one model: weights, quadrature and scratch, made once."""

    def __init__(
        self,
        model: Model,
        span: tuple[float, float, int],
        weights: np.ndarray | None = None,
        quadrature: tuple[str, int] = ("gauss", 4),
        bearing: Sequence[Bearing] = (),
    ):
        if not isinstance(model, Model):
            raise no_model(model)
        if model.dtype != np.float64:
            raise ValueError(
                f"efforts are found in float64, and the model is {model.dtype}; give it as it was compiled"
            )
        if not model.ndof:
            raise ValueError(f"model {model.name!r} has no degree of freedom, and so no effort")
        self.model, self.span, self.bearing = model, span, bearing
        self.weights = check_weights(model, weights)
        times, share = quadrature_nodes(span, *quadrature)
        self.nodes = (times, *basis_rows(times, *span), share, bearing_links(model, bearing, times))
        self.slope = np.zeros((span[2], model.ndof))

    def value(self, coefficients: np.ndarray) -> float | complex:
        """P [N^2 m^2 s where all joints turn]; complex coefficients carry derivatives."""
        space = self.model.complex_workspace if np.iscomplexobj(coefficients) else self.model.workspace
        scalar = space.zeros.dtype
        weights, vectors = self.weights.astype(scalar), np.zeros((5, self.model.ndof), scalar)
        loads = loads_of(self.model, space) if self.model.loaded else None
        return effort_along(
            space.system, loads, self.nodes, np.ascontiguousarray(coefficients, scalar), weights, vectors
        )

    def gradient(self, coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        """(P, dP/dc); the second is overwritten by the next call. (count, ndof)"""
        space, model = self.model.workspace, self.model
        loads = loads_of(model, space) if model.loaded else None
        coefficients = np.ascontiguousarray(coefficients, np.float64)
        vectors, scratch = self._scratch
        P = effort_slope(space.system, loads, self.nodes, coefficients, self.weights, vectors, scratch, self.slope)
        return P, self.slope

    def torques(self, coefficients: np.ndarray, times: np.ndarray) -> np.ndarray:
        """tau at given times. (rows, ndof)"""
        space, model = self.model.workspace, self.model
        loads = loads_of(model, space) if model.loaded else None
        nodes = (times, *basis_rows(times, *self.span), np.zeros(len(times)), bearing_links(model, self.bearing, times))
        tau = np.empty((len(times), model.ndof))
        torques_along(space.system, loads, nodes, np.ascontiguousarray(coefficients), np.zeros((5, model.ndof)), tau)
        return tau

    @cached_property
    def _scratch(self) -> tuple:
        model = self.model
        if model.workspace.linear is None:
            model.workspace.linear = linear_arrays(model)
        matrices = np.zeros((3, model.ndof, model.ndof) if model.loaded else (3, 0, 0))
        adjoint, products = records(len(model.links), adjoint_dtype(np.float64)), np.zeros((3, model.ndof))
        return np.zeros((5, model.ndof)), (model.workspace.linear, adjoint, matrices, products)


def spacetime_energy(
    model: Model,
    curve: JointCurve,
    weights: np.ndarray | None = None,
    *,
    quadrature: str = "gauss",
    points: int = 4,
    bearing: Sequence[Bearing] = (),
) -> float:
    """P = integral of sum w_i tau_i^2 dt over a curve, tau by inverse dynamics; weights (ndof,), None: ones.

    quadrature "gauss" with so many `points` in each segment, or "simpson" with so many double intervals. Complex
    coefficients carry derivatives. `bearing` bodies stand on the ground: see `mm.Bearing`.
    """
    return _effort(model, curve, weights, (quadrature, points), bearing).value(curve.coefficients)


def spacetime_gradient(
    model: Model,
    curve: JointCurve,
    weights: np.ndarray | None = None,
    *,
    quadrature: str = "gauss",
    points: int = 4,
    bearing: Sequence[Bearing] = (),
) -> tuple[float, np.ndarray]:
    """(P, dP/dc), the gradient of `spacetime_energy` with respect to the curve's coefficients, exact. (count, ndof)"""
    if np.iscomplexobj(curve.coefficients):
        raise ValueError("spacetime_gradient: gradients are taken at real coefficients, and these are complex")
    return _effort(model, curve, weights, (quadrature, points), bearing).gradient(curve.coefficients)


def _effort(
    model: Model, curve: JointCurve, weights: np.ndarray | None, quadrature: tuple, bearing: Sequence
) -> Effort:
    if not isinstance(curve, JointCurve):
        raise TypeError(f"a curve is needed, as mm.JointCurve(coefficients, start, end), and this is {curve!r}")
    effort = Effort(model, (curve.start, curve.end, len(curve.coefficients)), weights, quadrature, bearing)
    check_coordinates(curve.coefficients, model, "the curve")
    return effort


def check_weights(model: Model, weights: np.ndarray | None) -> np.ndarray:
    """Weights of the torques, not negative. (ndof,)"""
    if weights is None:
        return np.ones(model.ndof)
    weights = check_numbers(weights, "the weights", (model.ndof,))
    if (weights < 0).any():
        raise ValueError(f"weights of torques must not be negative, and one is {weights.min():g}")
    return weights.copy()


def quadrature_nodes(span: tuple[float, float, int], rule: str, points: int) -> tuple[np.ndarray, np.ndarray]:
    """(times, shares) of the nodes of a rule in every segment of a curve [s]."""
    start, end, count = span
    if rule not in ("gauss", "simpson"):
        raise ValueError(f'the quadrature is "gauss" or "simpson", not {rule!r}')
    if not isinstance(points, (int, np.integer)) or not 1 <= points <= 64:
        raise ValueError(f"the points of a quadrature are a whole number from 1 to 64, and are {points!r}")
    segments = count - 3
    h = (end - start) / segments
    if rule == "gauss":
        x, w = np.polynomial.legendre.leggauss(points)
        places = np.arange(segments)[:, None] + 0.5 * (1.0 + x)
        return start + h * places.ravel(), np.tile(0.5 * h * w, segments)
    panels = points * segments
    share = np.full(2 * panels + 1, 2.0)
    share[1::2], share[[0, -1]] = 4.0, 1.0
    return np.linspace(start, end, 2 * panels + 1), share * (end - start) / (6 * panels)


def bearing_links(model: Model, bearing: Sequence[Bearing], times: np.ndarray) -> np.ndarray:
    """The link that bears at each time, 0 where none does. (rows,)"""
    links = np.zeros(len(times), np.int64)
    for one in bearing:
        if not isinstance(one, Bearing):
            raise TypeError(f"bearing: give mm.Bearing(body, start, end), not {one!r}")
        inside = (times >= one.start) & (times <= one.end)
        links[inside] = model.bodies["link"][model.body(one.body)]
    if bearing:
        check_floating(model)
    return links


def check_floating(model: Model) -> slice:
    """The degrees of freedom of the root of a figure that floats, or a sentence: only such a one can be borne."""
    roots = np.flatnonzero(model.parents < 0)
    dofs = model.dof(int(roots[0]))
    if len(roots) > 1 or dofs.stop - dofs.start != 6:
        raise ValueError(f"model {model.name!r}: only a figure on one root with six degrees of freedom can be borne")
    if model.loaded:
        raise ValueError(f"model {model.name!r}: a figure can be borne that nothing but gravity acts on")
    return dofs
