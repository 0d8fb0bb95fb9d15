"""Recordings of markers as analyses take them: checked, cut to a part, and which markers were seen where."""

from typing import Protocol

import numpy as np

from ..spatial.checks import check_numbers

SAME_TIME = 1e-9  # [s]: 0.1 * 3 is not 0.3


class Recording(Protocol):
    """Places of markers over time: t [s], names, places [m], NaN where a marker was not seen."""

    t: np.ndarray
    names: tuple[str, ...]
    places: np.ndarray  # (rows, markers, 3)


def check_recording(markers: Recording, who: str) -> tuple[np.ndarray, list[str], np.ndarray]:
    """(t, names, places) of a recording of markers."""
    if not all(hasattr(markers, key) for key in ("t", "names", "places")):
        raise TypeError(
            f"{who}: `markers` is a recording of markers with t [s], names and places (rows, markers, 3) "
            f"[m], and is {type(markers).__name__}"
        )
    t, names = check_numbers(markers.t, "markers: t [s]", (None,)).astype(float), list(markers.names)
    places = np.asarray(markers.places, float)
    if places.shape != (len(t), len(names), 3):
        raise ValueError(
            f"markers: {len(t)} times and {len(names)} names have places of shape ({len(t)}, {len(names)}, 3), not "
            f"{places.shape}"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"markers: names are different, and {twice!r} is there twice")
    return t, names, np.where(seen_in(places)[..., None], places, np.nan)


def seen_in(places: np.ndarray) -> np.ndarray:
    """Which markers were seen. (rows, markers)"""
    return np.isfinite(places[..., 0] + places[..., 1] + places[..., 2])


def cut(
    t: np.ndarray, names: list[str], places: np.ndarray, start: float | None, end: float | None
) -> tuple[np.ndarray, list[str], np.ndarray]:
    """The rows from start to end [s]."""
    first = -np.inf if start is None else float(check_numbers(start, "markers: the start [s]", ()))
    last = np.inf if end is None else float(check_numbers(end, "markers: the end [s]", ()))
    if not len(t):
        raise ValueError("markers: the recording has no frames")
    kept = (t >= first - SAME_TIME) & (t <= last + SAME_TIME)
    if not kept.any():
        told = f"it goes from {t[0]:g} to {t[-1]:g} s"
        asked = f"from {first:g} to {last:g} s" if first > -np.inf else f"before {last:g} s"
        asked = f"after {first:g} s" if last == np.inf else asked
        raise ValueError(f"markers: the recording has no frame {asked}; {told}")
    return np.ascontiguousarray(t[kept]), names, places[kept]


def spread_of(places: np.ndarray) -> np.ndarray:
    """Root of the mean squared distance of markers from their middle, NaN with less than two. (rows,)"""
    seen = seen_in(places)
    count = seen.sum(axis=1)
    square = np.zeros(len(places))
    for x in np.moveaxis(places, 2, 0):
        filled = np.where(seen, x, 0.0)
        apart = np.where(seen, filled - (filled.sum(axis=1) / np.maximum(count, 1))[:, None], 0.0)
        square += np.einsum("rm,rm->r", apart, apart)
    return np.where(count > 1, np.sqrt(square / np.maximum(count, 1)), np.nan)
