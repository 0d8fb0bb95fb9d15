"""Tubes: surfaces through rings of points."""

import numpy as np

from ..render import Mesh


def tube(rings: np.ndarray, closed: bool = False) -> Mesh:
    """The surface through rings (n, sides, 3), each turning to the right seen along the tube; closed joins the ends."""
    n, sides = rings.shape[:2]
    i, k = np.meshgrid(np.arange(n if closed else n - 1), np.arange(sides), indexing="ij")
    here, there, following = i * sides, (i + 1) % n * sides, (k + 1) % sides
    quads = np.stack([here + k, here + following, there + following, there + k], axis=-1).reshape(-1, 4)
    return Mesh(rings.reshape(-1, 3), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))
