"""Friction by staggered projections (dissertation after Kaufman et al.; bilateral for joints).

Normal forces with friction held, then friction with its bounds held, again and again:

    normals    min |y|^2/2           with lower <= B y, y = y_n + B_F^T b
    bounds     mu a: of contacts from their multipliers, of bearings from the joints' reactions (joint_friction.py)
    friction   min |y|^2/2 over b    with |b| <= bound: tangents one by one (a box) or in pairs (the exact cone)

in whitened coordinates, y the change of velocity. Where it stands still, the friction dissipates the most that it can.
"""

from dataclasses import dataclass, field

import numpy as np

from .._jit import kernel
from ..model import Model
from ..model.elements import FRICTION
from .dispatch import FORMULAS
from .joint_friction import COORDINATE, LOOP, TURNING, normals

MOST_SWEEPS, EXACT = 1_000, 1e-12
MOST_ROUNDS, CONVERGED = 200, 1e-9


@kernel(entry=True)
def sweep_friction(A, wanted, bounds, pairs, b):
    """Fill b of min b^T A b/2 - wanted^T b with |b_r| <= bounds[r], or |(b_r, b_r+1)| <= bounds[r] where pairs[r] is 2.

    Projected Gauss-Seidel, by rows or pairs; returns how many sweeps it took. pairs[r] is 0 for the second of a pair.
    """
    n = b.shape[0]
    for sweep in range(MOST_SWEEPS):
        moved = size = 0.0
        for r in range(n):
            if pairs[r] == 0:
                continue
            width = pairs[r]
            stiff = A[r, r]
            if width == 2:
                stiff = A[r, r] + A[r + 1, r + 1]
            if not stiff > 0.0:
                continue
            new0 = new1 = norm = 0.0
            for e in range(width):
                slope = wanted[r + e]
                for k in range(n):
                    slope -= A[r + e, k] * b[k]
                value = b[r + e] + slope / stiff
                norm += value * value
                if e == 0:
                    new0 = value
                else:
                    new1 = value
            norm = np.sqrt(norm)
            shrink = bounds[r] / norm if norm > bounds[r] else 1.0
            for e in range(width):
                value = shrink * (new0 if e == 0 else new1)
                moved = max(moved, abs(value - b[r + e]))
                b[r + e] = value
                size = max(size, abs(value))
        if moved <= EXACT * size:
            return sweep + 1
    return MOST_SWEEPS


@dataclass
class Bearing:
    """Friction of one joint: its rows, how a reaction F presses (a = shares @ F), what that resists (levers @ |a|)."""

    part: int
    rows: slice
    link: int  # the link whose joint it is, or -1 for a hinge that closes a loop
    shares: np.ndarray
    levers: np.ndarray
    mu: float
    loop_rows: np.ndarray = field(default_factory=lambda: np.zeros(0, int))


def bearings(model: Model) -> list[Bearing]:
    """The bearings of all joints of a model that have friction."""
    constraints, made = model.constraints, []
    for i, part in enumerate(constraints.table):
        if FORMULAS[part["kind"]] not in (COORDINATE, TURNING):
            continue
        kind, *sizes = constraints.params[part["at"] : part["at"] + 4]
        N, levers = normals(int(kind), sizes)
        rows = slice(int(part["row"]), int(part["row"] + part["count"]))
        link = -1 if kind == LOOP else int(constraints.ends[2 * i]["link"])
        before = _loop_rows(model, i - 1) if kind == LOOP else np.zeros(0, int)
        made.append(Bearing(i, rows, link, np.linalg.pinv(N.T), levers, float(part["friction"]), before))
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
    """The tangents of all contacts: their rows, the normal's row of each, its coefficient, pairs for the cone."""

    rows: np.ndarray
    normal: np.ndarray
    mu: np.ndarray
    pairs: np.ndarray


def contact_friction(model: Model) -> ContactFriction:
    """The tangents of all contacts of a model that have friction."""
    rows, normal, mu, pairs = [], [], [], []
    for part in model.constraints.table:
        first = int(part["row"])
        if model.constraints.levels[first] == FRICTION or part["friction"] == 0.0:
            continue
        rows += [first + 1, first + 2]
        normal += [first, first]
        mu += [part["friction"]] * 2
        pairs += [2, 0] if part["cone"] else [1, 1]
    return ContactFriction(*(np.array(x, kind) for x, kind in ((rows, int), (normal, int), (mu, float), (pairs, int))))
