"""Which feet are on the ground: from the heights and speeds of their joints and end sites, with hysteresis.

A point of a foot is down where it is near the lowest it gets in the clip and slow; it stays down until it is well above
that, or fast. A foot is down while one of its points is. Uneven ground is not seen: there say who stands when.
"""

from collections.abc import Sequence

import numpy as np

from ..model import Model
from .mocap import CapturedMotion
from .segments import parts_of

LOWEST = 0.02  # part of the rows that may be lower than what counts as the lowest


def feet_of(model: Model) -> tuple[str, ...]:
    """Bodies that are feet by their names, without the toes that hang on them."""
    parts = parts_of(model.names, model.parents)
    feet = [i for i, part in enumerate(parts) if part == "foot" and (i == 0 or parts[model.parents[i]] != "foot")]
    if not feet:
        raise ValueError(f"model {model.name!r} has no body whose name says that it is a foot; name the feet by feet=")
    return tuple(model.names[i] for i in feet)


def foot_sites(model: Model, motion: CapturedMotion, foot: str) -> list[tuple[int, np.ndarray]]:
    """(body, place in its frame [m]) of the joints and end sites of a foot and of what hangs on it."""
    below = {model.body(foot)}
    for i, parent in enumerate(model.parents):
        if parent in below:
            below.add(i)
    sites = [(model.body(body), np.array(place)) for body, place in motion.sites.values()]
    return [(body, place) for body, place in sites if body in below]


def site_paths(motion: CapturedMotion, sites: Sequence[tuple[int, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """World places [m] and velocities [m/s] of points on bodies. (rows, sites, 3) each"""
    run, bodies = motion.trajectory, [body for body, _ in sites]
    place = np.array([place for _, place in sites]).reshape(-1, 3)
    E, twists = run.poses[:, bodies], run.twists[:, bodies]
    R, x = E[..., :3, :3], E[..., :3, 3]
    moved = twists[..., 3:] + np.cross(twists[..., :3], place)
    return x + (R @ place[..., None])[..., 0], (R @ moved[..., None])[..., 0]


def check_feet(model: Model, feet: Sequence[str] | None, who: str) -> tuple[str, ...]:
    """The feet, by default those that have such names. Raises a ValueError if there is none, or one twice."""
    if isinstance(feet, str):
        raise TypeError(f"{who}: feet are several names, as ({feet!r},)")
    feet = feet_of(model) if feet is None else tuple(feet)
    if not feet or len(set(feet)) < len(feet):
        raise ValueError(f"{who}: name one foot at least, and each once, not {feet!r}")
    for foot in feet:
        model.body(foot)
    return feet


def find_contacts(
    model: Model,
    motion: CapturedMotion,
    feet: Sequence[str] | None = None,
    *,
    heights: tuple[float, float] = (0.03, 0.05),
    speeds: tuple[float, float] = (0.5, 1.0),
    shortest: float = 0.05,
) -> np.ndarray:
    """True where a foot is on the ground. Booleans, (rows, feet)

    A point comes down below the first height [m] above its lowest and the first speed [m/s], and leaves above one of
    the second ones. Contacts and gaps shorter than `shortest` [s] are ignored. Feet are alike: where they have the same
    number of points, the lowest of a point is that of either foot.
    """
    feet = check_feet(model, feet, "find_contacts")
    for what, pair in (("heights [m]", heights), ("speeds [m/s]", speeds)):
        if np.shape(pair) != (2,) or not 0 < pair[0] <= pair[1]:
            raise ValueError(f"find_contacts: {what} are two positive numbers, the second not smaller, not {pair!r}")
    up = upward(model)
    paths = []
    for foot in feet:
        sites = foot_sites(model, motion, foot)
        if not sites:
            raise ValueError(f"find_contacts: the motion has no sites on {foot!r}; give support=")
        x, v = site_paths(motion, sites)
        paths.append((x @ up, np.linalg.norm(v, axis=2)))
    lowest = [np.quantile(height, LOWEST, axis=0) for height, _ in paths]
    if len({len(low) for low in lowest}) == 1:
        lowest = [np.min(lowest, axis=0)] * len(feet)
    down = np.zeros((len(motion.t), len(feet)), bool)
    for k, ((height, speed), low) in enumerate(zip(paths, lowest, strict=True)):
        comes = (height - low < heights[0]) & (speed < speeds[0])
        stays = (height - low < heights[1]) & (speed < speeds[1])
        down[:, k] = _without_short(_held(comes.any(axis=1), ~stays.any(axis=1)), motion.t, shortest)
    return down


def upward(model: Model) -> np.ndarray:
    """The direction against gravity, z where there is none. (3,)"""
    size = np.linalg.norm(model.gravity)
    return -model.gravity / size if size > 0 else np.array([0.0, 0.0, 1.0])


def _held(on: np.ndarray, off: np.ndarray) -> np.ndarray:
    """True from an `on` to the next `off`; before the first of either as the first row says. (rows,)"""
    said = np.where(on, 1, np.where(off, 0, -1))
    said[0] = max(said[0], 0) if off[0] or on[0] else 1
    last = np.maximum.accumulate(np.where(said >= 0, np.arange(len(said)), 0))
    return said[last] == 1


def phases(values: np.ndarray) -> list[tuple[int, int]]:
    """(first row, last row) of each stretch of equal values."""
    edges = np.flatnonzero(np.diff(values)) + 1
    return list(zip([0, *edges.tolist()], [*(edges - 1).tolist(), len(values) - 1], strict=True))


def _without_short(down: np.ndarray, t: np.ndarray, shortest: float) -> np.ndarray:
    """Stretches within the clip that last less than `shortest` [s] joined to their neighbours: gaps first."""
    down, frame = down.copy(), (t[-1] - t[0]) / max(len(t) - 1, 1)
    for kind in (False, True):
        for first, last in phases(down):
            inner = first > 0 and last < len(down) - 1
            if inner and down[first] == kind and (last - first + 1) * frame < shortest:
                down[first : last + 1] = not kind
    return down
