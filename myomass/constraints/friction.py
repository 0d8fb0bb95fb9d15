"""Friction by staggered projections (dissertation after Kaufman et al.; bilateral for joints).

Normal forces with friction held, then friction with its bounds held, again and again:

    normals    min |y|^2/2           with lower <= B y, y = y_n + B_F^T b
    bounds     mu a: of contacts from their multipliers, of bearings from the joints' reactions (joint_friction.py)
    friction   min |y|^2/2 over b    with |b| <= bound: tangents one by one (a box) or in a plane (the exact cone), that
                                     of a contact, or the one square to the load of a ball joint

in whitened coordinates, y the change of velocity. Where it stands still, the friction dissipates the most that it can.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .._jit import kernel
from ..joints.base import frame_with_z_along
from ..model import Model
from ..model.elements import FRICTION
from .dispatch import FORMULAS
from .joint_friction import (
    BALL,
    COORDINATE,
    FIXED_BALL,
    FIXED_LOOP,
    HINGE,
    LOOP,
    TURNING,
    hinge_pressure,
    normals,
)

Z = np.array((0.0, 0.0, 1.0))
MOST_SWEEPS, EXACT = 1_000, 1e-12
MOST_ROOTS, TINY = 50, 1e-14  # Newton steps for one disc; the least stiffness of a plane, of its largest
MOST_ROUNDS, CONVERGED = 200, 1e-9


@kernel
def in_disc(h, w, radius):
    """x of min x^T H x/2 - w^T x with |x| <= radius, h = (H00, H01, H11).

    (H + nu) x = w, with nu >= 0 by Newton's method on 1/|x|, from below.
    """
    size = np.sqrt(w[0] * w[0] + w[1] * w[1])
    if not radius > 0.0 or not size > 0.0:
        return 0.0, 0.0
    off = 0.5 * (h[0] - h[2])
    stiffest = 0.5 * (h[0] + h[2]) + np.sqrt(off * off + h[1] * h[1])
    nu = max(size / radius - stiffest, TINY * stiffest)
    for _ in range(MOST_ROOTS):
        a, c = h[0] + nu, h[2] + nu
        det = a * c - h[1] * h[1]
        x, y = (c * w[0] - h[1] * w[1]) / det, (a * w[1] - h[1] * w[0]) / det
        norm = np.sqrt(x * x + y * y)
        if norm <= radius * (1.0 + EXACT):
            break
        nu += (norm / radius - 1.0) * norm * norm * det / (c * x * x - 2.0 * h[1] * x * y + a * y * y)
    shrink = min(1.0, radius / norm)
    return shrink * x, shrink * y


@kernel
def slope_at(r, A, wanted, b):
    """What is still wanted of row r."""
    slope = wanted[r]
    for k in range(b.shape[0]):
        slope -= A[r, k] * b[k]
    return slope


@kernel
def seen_in_plane(r, width, A, wanted, planes, b):
    """(H, w) of rows r to r + width seen along two directions, planes[r] and planes[r + 1], the other rows held."""
    h00 = h01 = h11 = w0 = w1 = 0.0
    for e in range(width):
        slope, t0, t1 = slope_at(r + e, A, wanted, b), planes[r, e], planes[r + 1, e]
        for k in range(width):
            a = A[r + e, r + k]
            slope += a * b[r + k]
            h00 += t0 * a * planes[r, k]
            h01 += t0 * a * planes[r + 1, k]
            h11 += t1 * a * planes[r + 1, k]
        w0 += t0 * slope
        w1 += t1 * slope
    return (h00, h01, h11), (w0, w1)


@kernel(entry=True)
def sweep_friction(A, wanted, bounds, widths, planes, b):
    """Fill b of min b^T A b/2 - wanted^T b with |b_r| <= bounds[r], where widths[r] is 1, and else with widths[r] rows
    from r on in a plane and |(b_r, ...)| <= bounds[r]. widths[r] is 0 for the rows that follow such a first one.

    Gauss-Seidel by rows or planes; returns how many sweeps it took.
    """
    for sweep in range(MOST_SWEEPS):
        moved = size = 0.0
        for r in range(b.shape[0]):
            width, stiff = widths[r], 0.0
            for e in range(width):
                stiff += A[r + e, r + e]
            if not stiff > 0.0:
                continue
            x, y = 0.0, 0.0
            if width == 1:
                value = b[r] + slope_at(r, A, wanted, b) / stiff
                x = min(max(value, -bounds[r]), bounds[r])
            else:
                h, w = seen_in_plane(r, width, A, wanted, planes, b)
                x, y = in_disc(h, w, bounds[r])
            for e in range(width):
                value = x if width == 1 else planes[r, e] * x + planes[r + 1, e] * y
                moved = max(moved, abs(value - b[r + e]))
                b[r + e] = value
                size = max(size, abs(value))
        if moved <= EXACT * size:
            return sweep + 1
    return MOST_SWEEPS


@dataclass
class Bearing:
    """Friction of one joint: its rows and sizes, and the axes that its reaction is seen along."""

    part: int
    kind: int
    sizes: tuple[float, ...]
    rows: slice
    link: int  # the link whose joint it is, or -1 for a hinge that closes a loop
    mu: float
    R: np.ndarray  # axes of its rows in the link's, for a ball
    loop_rows: np.ndarray = field(default_factory=lambda: np.zeros(0, int))

    @property
    def widths(self) -> tuple[int, ...]:
        """Those of its rows, as `sweep_friction` takes them."""
        return (3, 0, 0) if self.kind == BALL else (1,) * (self.rows.stop - self.rows.start)

    @cached_property
    def shared(self) -> tuple[np.ndarray, np.ndarray]:
        """(shares, levers) of fixed points: F presses by a = shares @ F, and they resist levers @ |a|."""
        N, levers = normals(self.kind, self.sizes)
        return np.linalg.pinv(N.T), levers

    def bounds(self, F: np.ndarray, planes: np.ndarray) -> np.ndarray:
        """The most friction that a reaction F lets every row have [N m or N]; fills the plane of a ball's. (rows,)"""
        if self.kind in (HINGE, LOOP):
            return np.array([self.mu * hinge_pressure(*self.sizes[:2], F)])
        if self.kind == BALL:
            f = self.R.T @ F[3:]
            load = np.linalg.norm(f)
            planes[:2] = frame_with_z_along(f / load if load > 0.0 else Z)[:3, :2].T
            return np.array([self.mu * self.sizes[0] * load, 0.0, 0.0])
        if self.kind == FIXED_BALL:
            F = np.concatenate([self.R.T @ F[:3], self.R.T @ F[3:]])
        shares, levers = self.shared
        return self.mu * (levers @ np.abs(shares @ F))


def bearings(model: Model) -> list[Bearing]:
    """The bearings of all joints of a model that have friction."""
    constraints, made = model.constraints, []
    for i, part in enumerate(constraints.table):
        if FORMULAS[part["kind"]] not in (COORDINATE, TURNING):
            continue
        kind, *sizes = constraints.params[part["at"] : part["at"] + 4].tolist()
        rows, end = slice(int(part["row"]), int(part["row"] + part["count"])), constraints.ends[2 * i]
        loop = kind in (LOOP, FIXED_LOOP)
        before = _loop_rows(model, i - 1) if loop else np.zeros(0, int)
        link = -1 if loop else int(end["link"])
        made.append(Bearing(i, int(kind), tuple(sizes), rows, link, float(part["friction"]), end["R"], before))
    return made


def _loop_rows(model: Model, last: int) -> np.ndarray:
    """Rows of the parts of one loop, of which `last` is the last part: those before it with the same two ends."""
    ends, table = model.constraints.ends, model.constraints.table
    first = last
    while first > 0 and all(np.array_equal(ends[2 * first - 2 + e], ends[2 * first + e]) for e in range(2)):
        first -= 1
    return np.arange(table[first]["row"], table[last]["row"] + table[last]["count"])


@dataclass
class ContactFriction:
    """The tangents of all contacts: rows, the row of each one's normal, coefficients, and 2 and 0 for a cone's pair."""

    rows: np.ndarray
    normal: np.ndarray
    mu: np.ndarray
    widths: np.ndarray


def contact_friction(model: Model) -> ContactFriction:
    """The tangents of all contacts of a model that have friction."""
    rows, normal, mu, widths = [], [], [], []
    for part in model.constraints.table:
        first = int(part["row"])
        if model.constraints.levels[first] == FRICTION or part["friction"] == 0.0:
            continue
        rows += [first + 1, first + 2]
        normal += [first, first]
        mu += [part["friction"]] * 2
        widths += [2, 0] if part["cone"] else [1, 1]
    return ContactFriction(*(np.array(x, kind) for x, kind in ((rows, int), (normal, int), (mu, float), (widths, int))))
