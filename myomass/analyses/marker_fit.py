"""Coordinates that bring a model's markers to measured places: kernels over a whole recording.

    min  sum_m w_m |x_m(q) - y_m|^2 + sum_k v_k (q_k - r_k)^2,     g(q, t) = 0,     low <= q <= high

frame by frame, each begun at the one before. The matrix J^T W J is the mass matrix of point masses w_m at the markers,
and J^T W (x - y) the generalized force of forces w_m (x_m - y_m) there: both in one pass over the tree, with no J.
Steps are damped (mu) as far as needed; after each one q is put back onto the rows.

K. Levenberg, A method for the solution of certain non-linear problems in least squares, Q. Appl. Math. 2, 1944.
"""

import numpy as np

from .._jit import Bundle, kernel, opener
from .._jit import bundle as fields
from ..algorithms.inertias import gather_composite
from ..algorithms.kinematics import move_all
from ..algorithms.mass import fill_columns
from ..algorithms.rnea import pass_wrench
from ..constraints.arrays import ConstraintArrays
from ..constraints.rows import add_row, evaluate_rows
from ..model.elements import POSITION
from ..model.workspace import Tree
from ..spatial.algebra import add, add6, cross, dot, load3, load6, load33, mul, scale, store3, store6, sub
from .bounded_step import AT_HIGH, AT_LOW, FREE, bounded_step, shortest_step, undetermined

CONVERGED, UNSEEN, TOO_MANY_STEPS, ROWS_APART = range(4)  # how a frame ended
LEAST, FIRST, LARGEST = 1e-9, 1e-3, 1e9  # damping mu, in parts of the largest entry of H's diagonal
EASIER, HARDER = 0.05, 8.0  # how it changes after a good and after a bad step
SAME = 1e-13  # relative change of the cost that is rounding
HELD, NEARLY = 1e-14, 1e-9  # [rad or m] rows that hold, and those that may be left to rounding
CORRECTIONS = 40
BETTER, CLOSE = 1.0 - 1e-6, 1e-8  # of a cost, and nearer to the markers [m], for a later start to be taken


class StepScratch(Bundle):
    """Scratch of a step; n degrees of freedom, m rows."""

    G = fields.plain(np.float64, 2)  # the rows, (m, n)
    R = fields.plain(np.float64, 2)
    g = fields.plain(np.float64)
    held = fields.plain(np.int64)  # which bound holds each coordinate
    pivots = fields.plain(np.int64)
    free = fields.plain(np.int64)
    d = fields.plain(np.float64)  # the step
    s = fields.plain(np.float64)
    w = fields.plain(np.float64)
    y = fields.plain(np.float64)
    K = fields.plain(np.float64, 2)
    L = fields.plain(np.float64, 2)


class Fit(Bundle):
    """A model, its markers that are measured, and scratch."""

    tree = Tree
    constraints = ConstraintArrays
    step = StepScratch
    links = fields.plain(np.int64)  # link of each marker
    places = fields.plain(np.float64, 2)  # of the markers on their links [m]
    weights = fields.plain(np.float64)
    tracked = fields.plain(np.float64)  # weight of each coordinate's reference
    low = fields.plain(np.float64)
    high = fields.plain(np.float64)
    rows = fields.whole_number()  # how many rows positions must satisfy
    starts = fields.plain(np.float64, 2)  # poses from which the first frame is tried, and one after a gap
    x = fields.plain(np.float64, 2)  # where the markers are [m]
    H = fields.plain(np.float64, 3)  # at q, and at the pose that is tried
    c = fields.plain(np.float64, 2)
    poses = fields.plain(np.float64, 2)  # the pose that is tried, the best one so far, and the one to begin with
    zeros = fields.plain(np.float64)


open_fit = opener(Fit)


@kernel
def copy(a, b):
    """b <- a, vectors."""
    for j in range(a.shape[0]):
        b[j] = a[j]


@kernel
def is_measured(y):
    """Is a marker's measured place known?"""
    return (y[0] + y[1] + y[2]) * 0.0 == 0.0


@kernel
def see_marker(here, x, weight):
    """Add a point mass `weight` at a world place x to the inertia (m, c, A) of a link."""
    r = sub(x, load3(here.x))
    c, square = scale(weight, r), weight * dot(r, r)
    here.C[0] += weight
    store3(here.n, add(load3(here.n), c))
    A = (square - c[0] * r[0], -c[0] * r[1], -c[0] * r[2], square - c[1] * r[1], -c[1] * r[2], square - c[2] * r[2])
    store6(here.A, add6(load6(here.A), A))


@kernel(inline=False)
def fill_normal(q, y, reference, fit, H, c):
    """Fill H = J^T W J + V, c = J^T W (x - y) + V (q - r), and fit.x; the cost.

    Needs: poses and columns of the links.
    """
    tree, x, weights, tracked = fit.tree, fit.x, fit.weights, fit.tracked
    links, work = tree.links, tree.work
    o = q.dtype.type(0)
    for i in range(1, links.shape[0]):
        work[i].C[0] = o
        store3(work[i].n, (o, o, o))
        store6(work[i].A, (o, o, o, o, o, o))
    cost = o
    for m in range(x.shape[0]):
        here = work[fit.links[m]]
        place = add(load3(here.x), mul(load33(here.R), load3(fit.places[m])))
        store3(x[m], place)
        if weights[m] > 0.0 and is_measured(y[m]):
            apart = sub(place, load3(y[m]))
            cost += weights[m] * dot(apart, apart)
            see_marker(here, place, weights[m])
    gather_composite(links, work)
    fill_columns(tree, H)
    for i in range(1, links.shape[0]):
        store3(work[i].n, (o, o, o))
        store3(work[i].f, (o, o, o))
    for m in range(x.shape[0]):
        if weights[m] > 0.0 and is_measured(y[m]):
            here = work[fit.links[m]]
            f = scale(weights[m], sub(load3(x[m]), load3(y[m])))
            store3(here.f, add(load3(here.f), f))
            store3(here.n, add(load3(here.n), cross(sub(load3(x[m]), load3(here.x)), f)))
    pass_wrench(links, work, tree.dofs, c)
    for k in range(q.shape[0]):
        if tracked[k] > 0.0 and reference[k] * 0.0 == 0.0:
            off = q[k] - reference[k]
            H[k, k] += tracked[k]
            c[k] += tracked[k] * off
            cost += tracked[k] * off * off
    return cost


@kernel(inline=False)
def fill_held_rows(t, q, fit):
    """Fill the rows that positions must satisfy, and their values.

    Needs: poses, twists (at rest) and columns of the links.
    """
    tree, constraints, G, g = fit.tree, fit.constraints, fit.step.G, fit.step.g
    evaluate_rows(t, q, fit.zeros, tree, constraints)
    count = 0
    for r in range(constraints.levels.shape[0]):
        if constraints.levels[r] == POSITION and not constraints.unilateral[r]:
            G[count, :] = 0.0
            add_row(constraints.rows[r], tree.links, tree.work, tree.dofs, 1.0, G[count])
            g[count] = constraints.rows[r].g
            count += 1


@kernel
def keep_between(q, low, high, held):
    """Put q between its bounds, and note which one holds each coordinate that is at one."""
    for j in range(q.shape[0]):
        if q[j] <= low[j]:
            q[j], held[j] = low[j], AT_LOW
        elif q[j] >= high[j]:
            q[j], held[j] = high[j], AT_HIGH


@kernel(inline=False)
def put_on_rows(t, q, fit):
    """Move q onto the rows by the shortest steps, within its bounds; False if they cannot be reached.

    Leaves: the tree moved to q, the rows in fit.step.G.
    """
    step = fit.step
    last = np.inf
    for _ in range(CORRECTIONS):
        move_all(fit.tree, q, fit.zeros)
        if fit.rows == 0:
            return True
        fill_held_rows(t, q, fit)
        worst = 0.0
        for i in range(fit.rows):
            worst = max(worst, abs(step.g[i]))
        if worst <= HELD or (worst <= NEARLY and worst >= last):
            return True
        last = worst
        shortest_step(fit.rows, step)
        for j in range(q.shape[0]):
            q[j] += step.d[j]
        keep_between(q, fit.low, fit.high, step.held)
    return last <= NEARLY


@kernel
def largest_entry(H):
    """The largest entry of a diagonal."""
    found = 0.0
    for k in range(H.shape[0]):
        found = max(found, H[k, k])
    return found


@kernel(inline=False)
def fit_frame(t, q, y, reference, fit, damping, accuracy, most):
    """Fit q, in place, to one frame: (cost, steps, how it ended, which of fit.H and fit.c belong to q).

    What is left to go is told from the last two steps, which shrink evenly. Leaves, if it has converged: the tree moved
    to q, fit.x, and the rows in fit.step.G.
    """
    step, H, c, trial = fit.step, fit.H, fit.c, fit.poses[0]
    step.held[:] = FREE
    keep_between(q, fit.low, fit.high, step.held)
    if not put_on_rows(t, q, fit):
        return np.inf, 0, ROWS_APART, 0
    now, last = 0, 0.0
    cost = fill_normal(q, y, reference, fit, H[0], c[0])
    for steps in range(1, most + 1):
        size = largest_entry(H[now])
        bounded_step(H[now], c[now], damping * (size if size > 0.0 else 1.0), q, fit.rows, fit.low, fit.high, step)
        far = 0.0
        for j in range(q.shape[0]):
            far = max(far, abs(step.d[j]))
            trial[j] = q[j] + step.d[j]
        left = far * far / last if far < last else far
        keep_between(trial, fit.low, fit.high, step.held)
        held = put_on_rows(t, trial, fit)
        tried = np.inf
        if held:
            tried = fill_normal(trial, y, reference, fit, H[1 - now], c[1 - now])
        if tried <= cost * (1.0 + SAME) or (held and far <= accuracy):
            copy(trial, q)
            cost, now, last = tried, 1 - now, far
            damping = max(EASIER * damping, LEAST)
            if left <= accuracy:
                return cost, steps, CONVERGED, now
            continue
        damping, last = max(HARDER * damping, FIRST), 0.0
        step.held[:] = FREE
        keep_between(q, fit.low, fit.high, step.held)
        put_on_rows(t, q, fit)
        if damping > LARGEST:
            break
    return cost, most, TOO_MANY_STEPS, now


@kernel(inline=False)
def fit_afresh(t, q, y, reference, fit, accuracy, most):
    """Fit q to a frame from itself and all starts, the first of equally good ones: (cost, steps, how it ended)."""
    total, best = 0.0, fit.poses[1]
    copy(q, best)
    for m in range(fit.weights.shape[0]):
        total += fit.weights[m]
    cost, steps, ended = np.inf, 0, ROWS_APART
    for k in range(-1, fit.starts.shape[0]):
        if k >= 0:
            copy(fit.starts[k], q)
        own_cost, own_steps, own_end, _ = fit_frame(t, q, y, reference, fit, FIRST, accuracy, most)
        steps += own_steps
        if k < 0 or (own_end <= ended and own_cost + total * CLOSE * CLOSE < BETTER * cost):
            copy(q, best)
            cost, ended = own_cost, own_end
    copy(best, q)
    return cost, steps, ended


@kernel
def count_measured(y, fit):
    """How many markers with a weight a frame has."""
    count = 0
    for m in range(y.shape[0]):
        if fit.weights[m] > 0.0 and is_measured(y[m]):
            count += 1
    return count


@kernel(entry=True)
def fit_recording(handle, t, measured, references, settings, q, residuals, told, ended, weak):
    """Fit every row of q to its frame, for Python. settings = (accuracy, most steps).

    Fills residuals [m] (NaN where a marker is missing), told = (cost, steps), `ended`, and which coordinates nothing
    determines.
    """
    fit = open_fit(handle, q)
    accuracy, most, lost = settings[0], int(settings[1]), True
    pose = fit.poses[2]
    for row in range(t.shape[0]):
        y, reference = measured[row], references[row]
        seen = count_measured(y, fit)
        now = -1
        if seen > 0 and lost:
            cost, steps, end = fit_afresh(t[row], pose, y, reference, fit, accuracy, most)
        else:
            cost, steps, end, now = fit_frame(t[row], pose, y, reference, fit, LEAST, accuracy, most)
        if now < 0 or end != CONVERGED:
            fit.step.held[:] = FREE
            put_on_rows(t[row], pose, fit)
            fill_normal(pose, y, reference, fit, fit.H[0], fit.c[0])
            now = 0
        lost = seen == 0
        if end == CONVERGED and lost:
            end = UNSEEN
        copy(pose, q[row])
        told[row, 0], told[row, 1], ended[row] = cost, steps, end
        undetermined(fit.H[now], fit.rows, fit.step, weak[row])
        for m in range(y.shape[0]):
            apart = sub(load3(fit.x[m]), load3(y[m]))
            residuals[row, m] = np.sqrt(dot(apart, apart))
