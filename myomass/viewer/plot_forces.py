"""Plots of what holds a mechanism together: how well its constraints hold, forces of contact, reactions of joints."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..constraints.kinds import contacts, row_units
from ..dynamics import constraint_values, joint_reactions
from ..dynamics.touching import mechanism_size
from ..forces import Ground
from ..model import Model
from ..model.elements import FRICTION, POSITION
from ..trajectory import Trajectory
from .panels import MOST_LINES, Line, begin, draw_panels, set_title, stacked, steady_limits, title_of
from .series import chosen_bodies, constraint_of, models_along, spread, units_in_order, with_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROUNDING = 1e-10  # part of the largest force or moment that counts as zero
NORMAL, FRICTIONAL = "normal force [N]", "friction [N]"
FLOOR = 1e-17  # [m or rad], what a violation of zero is shown as
VIOLATION_ROWS, REACTION_ROWS, GROUND_ROWS = 500, 300, 4_000  # most rows of a run that are evaluated


def plot_violation(trajectory: Trajectory) -> "Figure":
    """|g| of every constraint row that holds a position, and how deep contacts and stops are passed, over time.

    Panels by unit, on logarithmic scales on which zero is 1e-17. Where rows are many, the worst of each constraint.
    """
    run, notes = begin(trajectory)
    model, constraints = run.model, run.model.constraints
    if not len(constraints):
        raise ValueError(f"model {model.name!r} has no constraints")
    held = constraints.levels == POSITION
    if not held.any():
        raise ValueError(f"model {model.name!r} has no constraints of positions, only of rates or friction")
    rows = spread(len(run.t), VIOLATION_ROWS)
    some = with_rows(run, rows)
    g = np.array([constraint_values(here, s.q, s.qdot, t=s.t)[0] for here, s in models_along(run, rows)])
    off = np.maximum(np.where(constraints.unilateral, np.maximum(-g, 0.0), np.abs(g)), FLOOR)
    units = np.array(row_units(model))
    panels = [
        (word, unit, np.flatnonzero(held & (constraints.unilateral == one_sided) & (units == unit)))
        for word, one_sided in (("violation |g|", False), ("penetration", True))
        for unit in units_in_order(units[held & (constraints.unilateral == one_sided)])
    ]
    figure, axes = stacked(len(panels))
    draw_panels(axes, [_row_lines(model, some.t, off, rows) for _, _, rows in panels], "constraints")
    for panel, (word, unit, rows) in zip(axes, panels, strict=True):
        panel.set_yscale("log")
        panel.set_ylabel(f"{word} [{unit}]")
        panel.set_ylim(0.5 * off[:, rows].min(), max(2 * off[:, rows].max(), 100 * FLOOR))
    axes[-1].set_xlabel(_time_label(run, some))
    worst = off[:, held].max()
    set_title(figure, title_of(run, f"largest violation {worst:.1e}" if worst > FLOOR else "no violation", notes))
    return figure


def _row_lines(model: Model, t: np.ndarray, values: np.ndarray, rows: np.ndarray) -> list[Line]:
    """A line for each row, or if they are many for each constraint, of its largest."""
    names = [model.constraints.names[r] for r in rows]
    groups = [constraint_of(name) for name in names]
    if len(rows) <= MOST_LINES:
        return [Line(name, t, values[:, r], group) for name, group, r in zip(names, groups, rows, strict=True)]
    together = {group: [r for r, own in zip(rows, groups, strict=True) if own == group] for group in groups}
    return [Line(group, t, values[:, own].max(axis=1)) for group, own in together.items()]


def _time_label(run: Trajectory, some: Trajectory) -> str:
    fewer = f" ({len(some.t)} of {len(run.t)} rows)" if len(some.t) < len(run.t) else ""
    return f"time [s]{fewer}"


def plot_contact_forces(trajectory: Trajectory) -> "Figure":
    """Normal and friction forces of contacts and grounds, each the sum over its points, and forces of stops, over time.

    Those of constraints are what the run kept in `multipliers`, a mean over each step; those of mm.Ground are
    evaluated anew.
    """
    run, notes = begin(trajectory)
    panels: dict[str, list[Line]] = {}
    for found in (_multiplier_lines(run), _ground_lines(run)):
        for word, lines in found.items():
            panels.setdefault(word, []).extend(lines)
    if not panels:
        if run.model.constraints.unilateral.any():
            raise ValueError(f"model {run.model.name!r}: a run by {run.integrator!r} keeps no forces of contacts")
        raise ValueError(f"model {run.model.name!r} has no contact")
    figure, axes = stacked(len(panels))
    draw_panels(axes, list(panels.values()), "contacts")
    for panel, (word, lines) in zip(axes, panels.items(), strict=True):
        panel.set_ylabel(word)
        _force_scale(panel, lines, _usual(panels[NORMAL] if word == FRICTIONAL else lines))
    axes[-1].set_xlabel("time [s]")
    set_title(figure, title_of(run, "contact forces", notes))
    return figure


def _usual(lines: Sequence[Line]) -> float:
    """The median of the forces that act, without those that are rounding."""
    values = np.abs(np.concatenate([line.y for line in lines]))
    values = values[np.isfinite(values)]
    acting = values[values > 1e-9 * values.max(initial=0.0)]
    return float(np.median(acting)) if len(acting) else 0.0


def _force_scale(axes: "Axes", lines: Sequence[Line], usual: float) -> None:
    """Choose a scale that is logarithmic beyond the usual forces where some dwarf them."""
    most = max(np.nanmax(np.abs(line.y), initial=0.0) for line in lines)
    if 0 < 50 * usual < most < np.inf:
        axes.set_yscale("symlog", linthresh=10 ** np.ceil(np.log10(usual)))
    else:
        steady_limits(axes, ROUNDING * usual)


def _multiplier_lines(run: Trajectory) -> dict[str, list[Line]]:
    """Lines by panel, from the forces that the run kept."""
    if run.multipliers is None:
        return {}
    lam, constraints, units = run.multipliers, run.model.constraints, row_units(run.model)
    first = 1 if len(run.t) > 1 and not lam[0].any() else 0  # no step ends at the start
    t, lam = run.t[first:], lam[first:]
    touching: dict[str, np.ndarray] = {}  # normal and two tangents, summed over the points of one contact
    rough, panels = set(), {}
    for part, touches in zip(constraints.table, contacts(run.model), strict=True):
        row, count = int(part["row"]), int(part["count"])
        if touches:
            name = constraint_of(constraints.names[row])
            touching.setdefault(name, np.zeros((3, len(t))))[:count] += lam[:, row : row + count].T
            rough |= {name} if count > 1 else set()
        elif constraints.unilateral[row]:
            unit = {"rad": "N m", "m": "N"}.get(units[row], "J")
            panels.setdefault(f"force of stops [{unit}]", []).append(Line(constraints.names[row], t, lam[:, row]))
    found = {}
    if touching:
        found[NORMAL] = [Line(name, t, f[0]) for name, f in touching.items()]
    if rough:
        found[FRICTIONAL] = [Line(name, t, np.hypot(*touching[name][1:])) for name in touching if name in rough]
    return found | panels


def _ground_lines(run: Trajectory) -> dict[str, list[Line]]:
    """Lines by panel, of the penalty forces of grounds at some rows of the run."""
    forces = run.model.forces
    touching = forces.elements[forces.elements["kind"] == Ground.kind]
    if not len(touching):
        return {}
    some = with_rows(run, spread(len(run.t), GROUND_ROWS))
    grounds: dict[tuple, np.ndarray] = {}  # by body and parameters: push (rows,) and drag (rows, 3), side by side
    for element in touching:
        node, numbers = forces.nodes[element["first"]], forces.params[element["at"] : element["at"] + 9]
        body = int(np.flatnonzero(run.model.bodies["link"] == node["link"])[0])
        key = body, tuple(numbers)
        grounds[key] = grounds.get(key, 0.0) + ground_force(some, body, node["p"], numbers)
    bodies = [body for body, _ in grounds]
    names = [run.model.names[body] for body in bodies]
    names = [f"{name}, ground {i}" if names.count(name) > 1 else name for i, name in enumerate(names)]
    found = {NORMAL: [Line(name, some.t, f[:, 0]) for name, f in zip(names, grounds.values(), strict=True)]}
    drags = [
        Line(name, some.t, np.linalg.norm(f[:, 1:], axis=1))
        for name, ((_, numbers), f) in zip(names, grounds.items(), strict=True)
        if numbers[7] > 0
    ]
    return found | ({FRICTIONAL: drags} if drags else {})


def ground_force(run: Trajectory, body: int, place: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Normal force and friction vector, in world axes, on a place of a body's link [N]: forces/ground.py. (rows, 4)"""
    normal, (origin, k, d, kt, mu, transition) = numbers[:3], numbers[3:9]
    record, E, twist = run.model.bodies[body], run.poses[:, body], run.twists[:, body]
    p = record["R_lb"].T @ (place - record["p_lb"])
    x = E[:, :3, :3] @ p + E[:, :3, 3]
    v = np.einsum("rij,rj->ri", E[:, :3, :3], twist[:, 3:] + np.cross(twist[:, :3], p))
    z, rise = x @ normal - origin, v @ normal
    push = np.maximum(-k * z - d * np.clip(-z / transition, 0.0, 1.0) * rise, 0.0)
    slide = v - rise[:, None] * normal
    speed = np.linalg.norm(slide, axis=1)
    drag = np.minimum(kt, mu * k * np.maximum(-z, 0.0) / np.maximum(speed, 1e-300))
    return np.where(z[:, None] < 0, np.column_stack([push, -drag[:, None] * slide]), 0.0)


def plot_joint_forces(trajectory: Trajectory, which: str | int | Sequence[str | int] | None = None) -> "Figure":
    """Size of the force and moment that each joint carries over time; `which`: names or numbers of bodies, or all.

    By mm.joint_reactions at up to 300 rows, without joint torques (a run does not keep them) and without dry friction.
    """
    run, notes = begin(trajectory)
    model, bodies = run.model, chosen_bodies(run.model, which)
    rows = spread(len(run.t), REACTION_ROWS)
    some = with_rows(run, rows)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", RuntimeWarning)
        along = models_along(trajectory, rows)
        F = np.array([joint_reactions(here, s.q, s.qdot, t=s.t, z=s.z) for here, s in along])
    if said:
        notes = [*notes, "rows that depend on each other share their force by least squares"]
    if trajectory.switches:
        notes = [*notes, "of the joint by which each body hangs at the time"]
    if (model.constraints.levels == FRICTION).any():
        notes = [*notes, "dry friction is left out"]
    force, moment = (np.linalg.norm(F[:, :, part], axis=2) for part in (slice(3, 6), slice(0, 3)))
    least = ROUNDING * max(force.max(), model.bodies["mass"].sum() * np.linalg.norm(model.gravity))
    figure, axes = stacked(2)
    draw_panels(axes, [[Line(model.names[i], some.t, x[:, i]) for i in bodies] for x in (force, moment)], "bodies")
    arms = 1.0, mechanism_size(model, some.q[0])
    for panel, word, arm in zip(axes, ("force [N]", "moment [N m]"), arms, strict=True):
        panel.set_ylabel(word)
        steady_limits(panel, least * arm)
    axes[-1].set_xlabel(_time_label(run, some))
    set_title(figure, title_of(run, "reactions of joints", notes))
    return figure
