"""Bodies and places that tests of soft bodies share."""

import numpy as np

import myomass as mm
from myomass.deformables.materials.dispatch import MATERIALS, OWN

KINDS = {kind.__name__: kind for kind in MATERIALS[:OWN]}
TURN = mm.rotation((1, 2, 3), 1.1)[:3, :3]


def block(kind, poisson=0.4, **options):
    """A small box of 72 tetrahedra of a material with E = 1e5 Pa, without gravity unless given."""
    options = {"gravity": (0, 0, 0)} | options
    mesh = mm.deformables.TetMesh.box((1, 0.6, 0.4), (3, 2, 2))
    return mm.deformables.SoftBody(mesh, kind(1e5, poisson, 1000.0), **options)


def deformed(X):
    """Places of nodes by name: at random, and flat, collapsed and inverted in several ways."""
    rng = np.random.default_rng(2)
    return {
        "close to rest": X + 1e-3 * rng.normal(size=X.shape),
        "at random, a third inverted": X + 0.15 * rng.normal(size=X.shape),
        "flat": X * (1.1, 0.9, 0.0) @ TURN.T,
        "inverted": X * (1.2, 0.9, -0.7) @ TURN.T,
        "inverted and at random": X * (1.2, 0.9, -0.7) + 0.02 * rng.normal(size=X.shape),
        "a line": X * (1.0, 0.0, 0.0) + 0.0,
        "a point": 0.0 * X,
    }


def along(function, x, w):
    """Derivative of a function of places along w, by a complex step."""
    return np.imag(function(x + 1e-25j * w)) / 1e-25
