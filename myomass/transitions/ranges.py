"""Soft ranges of coordinates: a penalty of kappa times the integral of their excess, squared."""

import numpy as np

from ..model import Model

EASE = 0.01  # [rad or m] by which a coordinate may leave its range


class Ranges:
    """Lower and upper bounds of all coordinates [rad or m], (ndof, 2), checked at the nodes of a quadrature."""

    def __init__(self, model: Model, ranges: np.ndarray | None, nodes: tuple[np.ndarray, ...]):
        self.given = ranges is not None
        if not self.given:
            return
        try:
            ranges = np.asarray(ranges).astype(np.float64, casting="same_kind")
        except (TypeError, ValueError):
            ranges = np.zeros(0)
        if ranges.shape != (model.ndof, 2) or np.isnan(ranges).any() or (ranges[:, 0] > ranges[:, 1]).any():
            raise ValueError(
                f"ranges must be rows (lower, upper) of shape ({model.ndof}, 2), the lower first, infinite where free"
            )
        self.model, self.rows = model, ranges
        self.lower, self.upper = ranges.T
        self.first, self.B, self.share = nodes[1][:, None] + np.arange(4), nodes[2][:, 0], nodes[3][:, None]

    def at(self, nodes: tuple[np.ndarray, ...]) -> "Ranges":
        """These ranges, checked at other nodes."""
        return Ranges(self.model, self.rows, nodes) if self.given else self

    def excess(self, coefficients: np.ndarray) -> np.ndarray:
        """By how much coordinates are outside of their ranges at the nodes. (nodes, ndof)"""
        q = np.einsum("ri,rik->rk", self.B, coefficients[self.first])
        return np.maximum(q - self.upper, 0.0) + np.minimum(q - self.lower, 0.0)

    def worst(self, coefficients: np.ndarray) -> float:
        """The largest excess [rad or m]."""
        return float(np.abs(self.excess(coefficients)).max()) if self.given else 0.0

    def add_slope(self, coefficients: np.ndarray, kappa: float, slope: np.ndarray) -> float:
        """kappa times the integral of the excess squared; its slope along the coefficients is added to `slope`."""
        excess = self.excess(coefficients)
        pull = 2.0 * kappa * self.share * excess
        np.add.at(slope, self.first, self.B[:, :, None] * pull[:, None, :])
        return kappa * float(np.sum(self.share * excess**2))

    def stiffness(self, coefficients: np.ndarray, r: int, kappa: float) -> np.ndarray:
        """Second derivatives of the penalty at node r, along q; zero inside of the ranges. (ndof,)"""
        q = self.B[r] @ coefficients[self.first[r]]
        return 2.0 * kappa * self.share[r] * ((q > self.upper) | (q < self.lower))
