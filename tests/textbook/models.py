"""Mechanisms on which the algorithms of coordinates are compared, and how."""

import numpy as np
import pytest
from trees import random_inertia, random_tree, rerooted_spec

import myomass as mm

TOLERANCE = 1e-11  # of the largest entry


def close(ours: np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.abs(theirs).max(initial=1e-3))


def massless_tree() -> mm.Model:
    """Bodies without inertia in the middle, behind a composite and behind an inverted joint."""
    rng, spec = np.random.default_rng(5), mm.Spec("massless")
    spec.add_body("a", None, mm.Composite(mm.Prismatic((1, 2, 0)), mm.Universal()), mm.translation(0.1, 0.2, 0.3))
    spec.add_body("b", "a", mm.Inverse(mm.Revolute((1, 1, 0))), None, mm.translation(0.3, 0, 0), random_inertia(rng))
    spec.add_body("c", "b", mm.Fixed(), mm.translation(0, 0.4, 0), mm.rotation((1, 0, 2), 0.7))
    spec.add_body("d", "c", mm.SphericalExp(), mm.translation(0, 0, 0.2), None, random_inertia(rng))
    return spec.compile()


MODELS = {f"tree-{seed}": lambda seed=seed: random_tree(seed, 9) for seed in range(12)} | {"massless": massless_tree}
MODELS |= {f"rerooted-{seed}": lambda seed=seed: rerooted_spec(seed, 9).compile() for seed in range(4)}
every_model = pytest.mark.parametrize("name", MODELS)
