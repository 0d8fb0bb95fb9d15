"""Samples that networks learn from: ends drawn from a problem's ranges, the exact path between them, places on it.

Near the kink of touch-down samples are left out: those whose wrapped part is less than a share `threshold` of the path.
A network that is smooth then crosses it smoothly. A share TOUCHING of the samples touches, the others do not (but
nearly: further away the table's gate is closed, and the path straight without a network).
"""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from ..._jit import kernel
from ...algorithms.rnea_partials import STEP
from ...joints.records import records
from ...spatial.algebra import add_scaled, load3, store3, sub
from ...spatial.jets import fixed3
from ..records import piece_work_dtype
from ..spec import Surface
from ..wrapping.base import ARC, ENTRY, EXIT, LENGTH, SPAN, START, WRAPPED, get3
from ..wrapping.capped_cylinder import CappedCylinder
from ..wrapping.cylinder import Cylinder
from ..wrapping.dispatch import demand_surfaces, place_on_surface, see_surface, solve_surface
from .capsule import ALONG, CAPSULE
from .circle import CIRCLE
from .table import AXES, GATE, OWN, SCALE
from .trained import Problem

THRESHOLD = 0.01
TOUCHING = 0.7  # of the samples
BATCH = 20_000
RARE = 1e-4  # of paths that were drawn: if fewer can be used, the ranges or the threshold leave nothing to learn from
Ranges = dict[str, tuple[float, float]]


class Samples(NamedTuple):
    """Places on paths: ends, fraction xi, what goes into a network and what should come out: factor N = target."""

    a: np.ndarray  # (n, 3)
    b: np.ndarray
    params: np.ndarray  # of the surface, (n, parameters)
    xi: np.ndarray  # (n,)
    share: np.ndarray  # wrapped part of the path, 0 where it does not touch, (n,)
    inputs: np.ndarray  # (n, inputs)
    factor: np.ndarray  # SCALE xi (1 - xi) / L, (n,)
    target: np.ndarray  # (x - chord) in the axes, over the path's length L, (n, outputs)
    input_rates: np.ndarray  # rates of the inputs when the ends move in a random direction by their distance
    factor_rate: np.ndarray
    target_rates: np.ndarray


class Ends(NamedTuple):
    """Pairs of ends about a surface of radius 1, and the surface's parameters with each."""

    a: np.ndarray  # (n, 3)
    b: np.ndarray
    params: np.ndarray  # (n, parameters)


class Subject(NamedTuple):
    """How a problem is sampled: on which surface, from which ranges, by which draw."""

    problem: Problem
    surface: type[Surface]
    ranges: Ranges
    draw: Callable[[int, Ranges, np.random.Generator], Ends]
    limits: Callable[[Ranges], tuple[np.ndarray, np.ndarray]]  # low and high of its own and derived variables


class Traced(NamedTuple):
    """Exact paths: what a network is told of them, and places on them."""

    table: np.ndarray  # (n, 3, columns)
    seen: np.ndarray  # is the gate open? (n,)
    x: np.ndarray  # (n, places, 3)
    length: np.ndarray  # (n,)
    wrapped: np.ndarray


@kernel
def place_along(kind, params, a, b, arcs, g, xi):
    """The place at the fraction xi of a solved piece."""
    before, left, along = a, g[0, LENGTH] * 0.0, xi * g[0, LENGTH]
    for k in range(arcs):
        arc = ARC + 8 * k
        start, span = g[0, arc + START], g[0, arc + SPAN]
        if along.real < start.real:
            towards = sub(get3(g, arc + ENTRY)[0], before)
            return add_scaled(before, (along - left) / (start - left), towards)
        if along.real < (start + span).real:
            return place_on_surface(kind, params, 0, k, g, (xi, xi * 0.0, xi * 0.0))[0]
        before, left = get3(g, arc + EXIT)[0], start + span
    return add_scaled(before, (along - left) / (g[0, LENGTH] - left), sub(b, before))


@kernel(entry=True)
def trace_paths(kind, params, work, a, b, xi, traced):
    """Solve a piece for every row of a and b, into `traced`, for Python."""
    table, seen, x, length, wrapped = traced
    piece = work[0]
    for i in range(a.shape[0]):
        first, last = load3(a[i]), load3(b[i])
        arcs = solve_surface(kind, params[i], 0, first, last, piece.g)
        seen[i] = see_surface(kind, params[i], 0, fixed3(first), fixed3(last), piece.n)
        for row in range(3):
            for c in range(table.shape[2]):
                table[i, row, c] = piece.n[row, c]
        if arcs == 0:
            apart = sub(last, first)
            piece.g[0, LENGTH] = np.sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2])
            piece.g[0, WRAPPED] = apart[0] * 0.0
        length[i], wrapped[i] = piece.g[0, LENGTH], piece.g[0, WRAPPED]
        for k in range(xi.shape[1]):
            place = place_along(kind, params[i], first, last, arcs, piece.g, xi[i, k] + length[i] * 0.0)
            store3(x[i, k], place)


def trace(surface: type[Surface], ends: Ends, xi: np.ndarray) -> Traced:
    """Exact paths between ends, real or complex, with places at fractions xi, (n, places)."""
    number = np.result_type(ends.a, ends.b).type
    work = records(1, piece_work_dtype(number))
    n, places = xi.shape
    traced = Traced(
        np.zeros((n, *work["n"].shape[1:]), number),
        np.zeros(n, np.int64),
        np.zeros((n, places, 3), number),
        np.zeros(n, number),
        np.zeros(n, number),
    )
    demand_surfaces([surface.kind], [surface.kind])
    trace_paths(surface.kind, ends.params, work, ends.a, ends.b, xi, tuple(traced))
    return traced


def inputs_of(problem: Problem, table: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """Values of the inputs that a network gets, from its table. (n, inputs)"""
    own = table[:, 0, OWN : OWN + len(problem.own)]
    marks = table[:, 0, OWN + len(problem.own) :][:, : 2 * problem.marks].reshape(len(xi), -1, 2)
    away = marks[:, :, 0] + xi[:, None] * marks[:, :, 1]
    return np.concatenate([own, xi[:, None], away / np.sqrt(1.0 + away * away)], axis=1)


def draw_samples(subject: Subject, count: int, seed: int, *, threshold: float = THRESHOLD) -> Samples:
    """Samples of a problem, those near the kink left out."""
    rng, kept, drawn = np.random.default_rng(seed), {True: [], False: []}, 0
    wanted = {True: round(TOUCHING * count), False: count - round(TOUCHING * count)}
    while any(sum(len(part.share) for part in kept[touching]) < wanted[touching] for touching in kept):
        ends = subject.draw(BATCH, subject.ranges, rng)
        xi = rng.uniform(0.0, 1.0, len(ends.a))
        found, usable = _sampled(subject, ends, xi, rng)
        for touching in kept:
            chosen = usable & ((found.share > threshold) if touching else (found.share == 0.0))
            kept[touching].append(Samples(*(part[chosen] for part in found)))
        drawn += BATCH
        if drawn > 1.0 / RARE and min(sum(len(part.share) for part in kept[t]) for t in kept) < RARE * drawn:
            raise ValueError(
                f"too few paths in these ranges wrap more than {threshold:g} of their length, or miss the surface; "
                "widen the ranges or lower the threshold"
            )
    halves = [_joined(kept[touching], slice(wanted[touching])) for touching in kept]
    return _joined(halves, rng.permutation(count))


def _sampled(subject: Subject, ends: Ends, xi: np.ndarray, rng: np.random.Generator) -> tuple[Samples, np.ndarray]:
    """(samples, usable): one place on each path, with rates by a complex step in a random direction."""
    moves = rng.normal(size=(len(xi), 2, 3))
    moves *= (np.linalg.norm(ends.b - ends.a, axis=1) / np.linalg.norm(moves, axis=(1, 2)))[:, None, None]
    moving = Ends(ends.a + 1j * STEP * moves[:, 0], ends.b + 1j * STEP * moves[:, 1], ends.params)
    traced = trace(subject.surface, moving, xi[:, None])
    inputs, factor, target = _lesson(subject.problem, moving, traced, xi)
    values = inputs.real, factor.real, target.real
    rates = inputs.imag / STEP, factor.imag / STEP, target.imag / STEP
    samples = Samples(*ends, xi, (traced.wrapped / traced.length).real, *values, *rates)
    finite = np.all([np.isfinite(part.reshape(len(xi), -1)).all(axis=1) for part in samples], axis=0)
    return samples, (traced.seen > 0) & finite


def _joined(parts: list[Samples], rows: slice | np.ndarray) -> Samples:
    """Rows of all parts, one after another."""
    return Samples(*(np.concatenate(arrays)[rows] for arrays in zip(*parts, strict=True)))


def _lesson(problem: Problem, ends: Ends, traced: Traced, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(inputs, factor, target) for one place on each path."""
    table, length = traced.table, traced.length
    chord = ends.a + xi[:, None] * (ends.b - ends.a)
    axes = table[:, 0, AXES : AXES + 3 * problem.outputs].reshape(len(xi), problem.outputs, 3)
    target = np.einsum("nkj,nj->nk", axes, traced.x[:, 0] - chord) / length[:, None]
    return inputs_of(problem, table, xi), table[:, 0, SCALE] * xi * (1.0 - xi) / length, target


def _draw_circle(count: int, ranges: Ranges, rng: np.random.Generator) -> Ends:
    """Ends in a plane across a cylinder, evenly in the angles to where they touch and in the turn between them."""
    distance, turn = np.array(ranges["distance"]), ranges["turn"]
    angles = rng.uniform(*np.arccos(1.0 / distance), (2, count))
    delta = rng.uniform(*turn, count)
    rho_a, rho_b = 1.0 / np.cos(angles)
    a = np.stack([rho_a, 0 * delta, 0 * delta], axis=1)
    b = np.stack([rho_b * np.cos(delta), rho_b * np.sin(delta), 0 * delta], axis=1)
    side = np.stack([np.cos(0.5 * delta), np.sin(0.5 * delta), 0 * delta], axis=1)
    one = np.ones((count, 1))
    return Ends(a, b, np.concatenate([one, side, one], axis=1))


def _draw_capsule(count: int, ranges: Ranges, rng: np.random.Generator) -> Ends:
    """Ends outside a capsule whose chord passes it nearly, more of them near than far."""
    reach, beyond = ranges["reach"][1], ranges["beyond"][1]
    half, y = rng.uniform(*ranges["half"], count), rng.uniform(*ranges["offset"], count)
    x = reach * rng.uniform(-1.0, 1.0, (2, count)) ** 3 + rng.uniform(-1.5, 1.5, (2, count))
    x = np.clip(np.sort(x, axis=0), -reach, reach)
    z = rng.uniform(-1.0, 1.0, (2, count)) * (half + beyond)
    a, b = (np.stack([x[k], y, z[k]], axis=1) for k in range(2))
    kept = x[1] - x[0] > ranges["across"][0]
    for end in (a, b):
        over = np.maximum(np.abs(end[:, 2]) - half, 0.0)
        kept &= np.sqrt(end[:, 0] ** 2 + end[:, 1] ** 2 + over**2) > 1.0 + ranges["gap"][0]
    params = np.zeros((count, 6))
    params[:, 4], params[:, 5] = 1.0, half
    return Ends(a[kept], b[kept], params[kept])


def _limits_of_circle(ranges: Ranges) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of a circle's own and derived variables."""
    angles = np.arccos(1.0 / np.array(ranges["distance"]))
    return tuple(np.array([angles[k], angles[k], ranges["turn"][k]]) for k in range(2))


def _limits_of_capsule(ranges: Ranges) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of a capsule's own and derived variables."""
    reach, top = ranges["reach"][1], ranges["half"][1] + ranges["beyond"][1]
    low = [-reach, ranges["across"][0], ranges["offset"][0], -top, -top, ranges["half"][0], 0.0]
    high = [reach, 2.0 * reach, ranges["offset"][1], top, top, ranges["half"][1], ranges["offset"][1] ** 2]
    low += [-reach, -ranges["half"][1], -ranges["half"][1], ranges["gap"][0], ranges["gap"][0]]
    high += [reach, ranges["beyond"][1], ranges["beyond"][1], reach + top, reach + top]
    return np.array(low), np.array(high)


SUBJECTS = {
    "circle": Subject(
        CIRCLE, Cylinder, {"distance": (1.02, 20.0), "turn": (0.0, 1.5 * np.pi)}, _draw_circle, _limits_of_circle
    ),
    "capsule": Subject(
        CAPSULE,
        CappedCylinder,
        {
            "half": (0.1, 4.0),
            "reach": (0.0, 8.0),
            "across": (ALONG, np.inf),
            "offset": (0.05, 1.0 + GATE),
            "beyond": (0.0, 4.0),
            "gap": (0.03, np.inf),
        },
        _draw_capsule,
        _limits_of_capsule,
    ),
}


def subject_of(name: str) -> Subject:
    """The subject of a surface (cylinder, sphere, capped-cylinder), or by its own name (circle, capsule)."""
    known = {
        re.sub("(?<=[a-z])(?=[A-Z])", "-", surface).lower(): subject
        for subject in SUBJECTS.values()
        for surface in subject.problem.surfaces
    } | SUBJECTS
    if name not in known:
        close = get_close_matches(str(name), known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
        raise ValueError(f"there is no network for a surface {name!r}; {hint}")
    return known[name]
