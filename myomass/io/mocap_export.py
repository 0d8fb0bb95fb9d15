"""Poses of joints written back as the channels of a BVH file."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from .bvh import Bvh

EVEN = 1e-6  # part of the frame time by which rows may be uneven


def as_bvh(skeleton: Bvh, t: np.ndarray, poses: np.ndarray, scale: float, order: tuple[int, int, int]) -> Bvh:
    """Joint frames in the world, (rows, joints, 4, 4), as values of a file's channels; axis i is its axis order[i]."""
    if len(t) < 2:
        raise ValueError(f"export: two rows or more make a clip, and there are {len(t)}")
    frame_time = (t[-1] - t[0]) / (len(t) - 1)
    if np.abs(np.diff(t) - frame_time).max() > EVEN * frame_time:
        raise ValueError("export: rows must be evenly spaced in time; simulate with times=np.arange(...)")
    back = np.argsort(order)
    places, turns = poses[:, :, :3, 3][..., back] / scale, poses[:, :, :3, :3][:, :, back][:, :, :, back]
    columns = []
    for j, (parent, channels) in enumerate(zip(skeleton.parents, skeleton.channels, strict=True)):
        x, R = places[:, j], turns[:, j]
        if parent >= 0:
            R_p = turns[:, parent].swapaxes(1, 2)
            x, R = (R_p @ (x - places[:, parent])[..., None])[..., 0], R_p @ R
        angles = iter(_angles(R, "".join(c[0] for c in channels if c.endswith("rotation"))).T)
        columns += [x[:, "XYZ".index(c[0])] if c.endswith("position") else next(angles) for c in channels]
    values = np.column_stack(columns) if columns else np.zeros((len(t), 0))
    return replace(skeleton, frame_time=frame_time, values=values)


def _angles(R: np.ndarray, letters: str) -> np.ndarray:
    """Angles about the file's axes in this order [degree], whole turns unwrapped. (rows, letters)"""
    from scipy.spatial.transform import Rotation  # slow to load

    if not letters:
        return np.zeros((len(R), 0))
    if len(letters) > 3 or any(a == b for a, b in pairwise(letters)):
        raise ValueError(
            f"export: a joint turns about {', '.join(letters)} one after another, which are no Euler angles"
        )
    if len(letters) == 2:
        return np.degrees(np.unwrap(_two_hinges(R, *map("XYZ".index, letters)), axis=0))
    whole = letters + "".join(axis for axis in "XYZ" if axis not in letters)[: 3 - len(letters)]
    return np.degrees(np.unwrap(Rotation.from_matrix(R).as_euler(whole), axis=0))[:, : len(letters)]


def _two_hinges(R: np.ndarray, a: int, b: int) -> np.ndarray:
    """Angles of R = R_a R_b, turns about two axes, each all the way round [rad]. (rows, 2)"""
    c, sign = 3 - a - b, 1.0 if b == (a + 1) % 3 else -1.0
    return np.column_stack([np.arctan2(sign * R[:, c, b], R[:, b, b]), np.arctan2(sign * R[:, a, c], R[:, a, a])])
