"""The search for a curve of least effort: unknowns, merit, Gauss-Newton matrix, and SciPy's optimisers on them.

The problem is stiff, for frequencies cost by their fourth power. So it is solved in stretches of a few iterations, in
coordinates in which the Gauss-Newton matrix where the stretch begins, 2 sum of w (dtau/dc)^T (dtau/dc), is the unit
matrix. Planted points are held by the augmented Lagrangian, ranges by a penalty.
"""

from collections.abc import Callable

import numpy as np

from ..algorithms.jacobian import frame_jacobian
from ..dynamics.derivatives import inverse_dynamics_derivatives
from ..dynamics.inverse import inverse_dynamics
from ..dynamics.mass import mass_matrix
from .curve import JointCurve, Moment
from .planted import Pins
from .ranges import EASE, Ranges
from .spacetime import MOST_POINTS, Effort, check_floating

GAP, EXCESS = 0.01, 0.1  # at first, a gap (of the size) and an excess [rad or m] that cost as much as P
ROUND, MOST_TRIES = 200, 12  # iterations before multipliers are updated, and how often that may fail
FIRMER = 4.0  # times rho or kappa, where gaps or excesses do not shrink
STRETCH = 40  # iterations before the matrix is made anew
MEMORY = 30  # iterations that L-BFGS-B remembers
TRUE = 0.01  # relative difference of P from that of a finer rule
ROUNDING = 1e-9  # of the effort of unit accelerations: less counts as zero
SOFTEST = 1e-9  # of the largest entry of the Gauss-Newton matrix, added to its diagonal
CONVERGED, INTERRUPTED = "converged", "interrupted, the best so far is kept"


class Search:
    """The free coefficients of a curve as unknowns, and the merit of their values.

    The merit is P, plus lam . gap + rho/2 |gap|^2 of planted points, plus kappa times the squared excess of ranges.
    """

    def __init__(self, effort: Effort, blend: JointCurve, moving: np.ndarray, pins: Pins, ranges: Ranges):
        self.effort, self.pins, self.ranges, self.moving, self.blend = effort, pins, ranges, moving, blend
        self.coefficients = blend.coefficients.copy()
        self.lam, self.rho, self.kappa = np.zeros((len(pins), 3)), 0.0, 0.0
        self.firmness = [2.0 / GAP**2, 1.0 / EXCESS**2]  # of rho and kappa against P
        M = np.abs(mass_matrix(effort.model, blend(blend.start).q)).sum(axis=1)
        self.least = float(effort.weights @ M**2) * (blend.end - blend.start)  # P of unit accelerations
        self.energy, self.evaluations, self.history = float("nan"), 0, []
        self.rows, self.width = len(self.coefficients) - 6, int(moving.sum())

    def spread(self, x: np.ndarray) -> np.ndarray:
        """All coefficients with the unknowns x in their places. (count, ndof)"""
        coefficients = self.blend.coefficients.copy()
        coefficients[3:-3, self.moving] = x.reshape(self.rows, self.width)
        return coefficients

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The unknowns among the coefficients. (rows * width,)"""
        return coefficients[3:-3, self.moving].ravel()

    def merit(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Merit and its slope along the unknowns."""
        coefficients = self.spread(x)
        self.energy, slope = self.effort.gradient(coefficients)
        self.evaluations += 1
        total = self.energy
        if len(self.pins):
            gaps = self.pins.gaps(coefficients)
            total += np.sum((self.lam + 0.5 * self.rho * gaps) * gaps)
            self.pins.add_slope(coefficients, self.lam + self.rho * gaps, slope)
        if self.ranges.given:
            total += self.ranges.add_slope(coefficients, self.kappa, slope)
        return total, self.gather(slope)

    def matrix(self) -> np.ndarray:
        """Gauss-Newton matrix of the merit at the coefficients as they are, lower band. (4 width, unknowns)"""
        band = np.zeros((4 * self.width, self.rows * self.width))
        first, B = self.effort.nodes[1], self.effort.nodes[2]
        share, weights = self.effort.nodes[3], self.effort.weights
        for r in range(len(first)):
            slopes = self._torque_slopes(r)[:, :, self.moving]
            S = np.einsum("di,dkj->kij", B[r], slopes).reshape(len(weights), -1)
            block = 2.0 * share[r] * (S.T * weights) @ S
            if self.ranges.given:
                stiff = self.ranges.stiffness(self.coefficients, r, self.kappa)[self.moving]
                block += np.kron(np.outer(B[r, 0], B[r, 0]), np.diag(stiff))
            self._add(band, int(first[r]), block)
        for at, weight, J in self.pins.jacobians(self.coefficients) if self.rho > 0 else ():
            S = np.einsum("i,kj->kij", weight, J[:, self.moving]).reshape(3, -1)
            self._add(band, at, self.rho * S.T @ S)
        band[0] += SOFTEST * band[0].max()
        return band

    def _torque_slopes(self, r: int) -> np.ndarray:
        """Partials of the torques of node r along q, qdot and qddot. (3, ndof, ndof)"""
        model, bearing, wrenches = self.effort.model, int(self.effort.nodes[4][r]), None
        first, B = self.effort.nodes[1][r], self.effort.nodes[2][r]
        motion = Moment(*(B @ self.coefficients[first : first + 4]))
        t = float(self.effort.nodes[0][r])
        if bearing:
            root, body = check_floating(model), int(np.flatnonzero(model.bodies["link"] == bearing)[0])
            J = frame_jacobian(model, motion.q, body)[0]
            wrenches = np.zeros((model.nbodies, 6))
            wrenches[body] = np.linalg.solve(J[:, root].T, inverse_dynamics(model, *motion)[root])
        slopes = np.array(inverse_dynamics_derivatives(model, *motion, wrenches=wrenches, t=t))
        if bearing:  # torques along motions that leave the bearing body at rest
            slopes -= np.einsum("rk,drj->dkj", np.linalg.solve(J[:, root], J), slopes[:, root])
        return slopes

    def _add(self, band: np.ndarray, at: int, block: np.ndarray) -> None:
        """Add the matrix of the four coefficients from `at` on, where they are unknown, to the band."""
        low, high = max(0, 3 - at), min(4, len(self.coefficients) - 3 - at)
        if low >= high:
            return
        inside = slice(low * self.width, high * self.width)
        block, column = block[inside, inside], (at + low - 3) * self.width
        for j in range(len(block)):
            band[: len(block) - j, column + j] += block[j:, j]

    def descend(self, optimiser: str, tolerance: float, most: int, told: Callable[[], None]) -> bool:
        """Run at most `most` iterations, in coordinates y that make the first matrix the unit: x = x0 + L^-T y."""
        from scipy.linalg import cholesky_banded  # slow to load, as the next ones are
        from scipy.linalg.lapack import dtbtrs
        from scipy.optimize import minimize

        band = self.matrix()
        if not band.any():  # no unknown changes anything
            return False
        L = cholesky_banded(band, lower=True)
        x0 = self.gather(self.coefficients)
        best = self.merit(x0)[0]
        unit = np.sqrt(max(abs(best), ROUNDING * self.least))

        def merit(y: np.ndarray) -> tuple[float, np.ndarray]:
            nonlocal best
            x = x0 + unit * dtbtrs(L, y, uplo="L", trans="T")[0].ravel()
            value, slope = self.merit(x)
            if value < best:
                best, self.coefficients = value, self.spread(x)
            return value / unit**2, dtbtrs(L, slope, uplo="L", trans="N")[0].ravel() / unit

        def after(y: np.ndarray) -> None:
            self.history.append(self.energy)
            told()

        options = {"maxiter": most, "gtol": 1e-12}
        options |= {"ftol": 0.1 * tolerance, "maxcor": MEMORY} if optimiser == "L-BFGS-B" else {}
        minimize(merit, np.zeros(len(x0)), method=optimiser, jac=True, callback=after, options=options)
        return True

    def settle(self, optimiser: str, tolerance: float, most: int, told: Callable[[], None]) -> bool:
        """Stretches of iterations until two in a row lower the merit by less than `tolerance` of it.

        False if that takes more than `most` iterations.
        """
        quiet = 0
        while quiet < 2:
            if len(self.history) >= most:
                return False
            P = max(self.effort.value(self.coefficients), ROUNDING * self.least)
            self.rho = self.firmness[0] * P / (self.pins.size**2 * max(1, len(self.pins)))
            self.kappa = self.firmness[1] * P / (self.blend.end - self.blend.start)
            before = self.merit(self.gather(self.coefficients))[0]
            moved = self.descend(optimiser, tolerance, min(STRETCH, most - len(self.history)), told)
            after = self.merit(self.gather(self.coefficients))[0]
            quiet = 0 if moved and before - after > tolerance * max(abs(before), ROUNDING * self.least) else quiet + 1
        return True

    def misjudged(self) -> bool:
        """True if a finer quadrature gives another P: a search finds motions whose effort falls between the nodes."""
        P, fine = (effort.value(self.coefficients) for effort in (self.effort, self.effort.refined()))
        return self.effort.quadrature[1] < MOST_POINTS and abs(P - fine) > TRUE * max(fine, ROUNDING * self.least)

    def refine(self) -> None:
        """Double the number of nodes."""
        self.effort = self.effort.refined()
        self.ranges = self.ranges.at(self.effort.nodes)

    def run(self, optimiser: str, tolerance: float, most: int, progress: Callable | None) -> str:
        """Search until planted points are held and ranges kept, or nothing improves; returns how it ended."""
        bound, tries, last = len(self.pins) > 0 or self.ranges.given, 0, np.inf

        def told() -> None:
            if progress is not None:
                progress(len(self.history), self.energy)

        try:
            while tries < MOST_TRIES and len(self.history) < most:
                until = min(most, len(self.history) + ROUND) if bound else most
                settled = self.settle(optimiser, tolerance, until, told)
                gap, excess = self.pins.worst(self.coefficients)[0], self.ranges.worst(self.coefficients)
                held = self.pins.held(self.coefficients)
                if settled and held and excess <= EASE:
                    return CONVERGED
                tries += settled
                if not held:
                    self.lam += self.rho * self.pins.gaps(self.coefficients)
                    self.firmness[0] *= FIRMER if gap > 0.5 * last else 1.0
                self.firmness[1] *= FIRMER if excess > EASE else 1.0
                last = gap
        except KeyboardInterrupt:
            return INTERRUPTED
        return CONVERGED if settled else f"stopped after {len(self.history)} iterations, short of the tolerance"
