"""Poses in which Newton's method alone finds no geodesic: random sweeps, and what is found is a taut path."""

import numpy as np
import pytest

import myomass as mm
from myomass.muscles.wrapping.base import ARC, COLUMNS, ENTRY, EXIT, LENGTH, SPAN, START

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
SURFACES = {
    "flat ellipsoid": (lambda: mm.wrap.Ellipsoid(None, radii=(1, 0.5, 0.1), side=(0, 0.5, 0.4)), 3000),
    "torus": (lambda: mm.wrap.Torus(None, radius=1.0, tube=0.25), 6000),
    "torus, in the hole": (lambda: mm.wrap.Torus(None, radius=1.0, tube=0.25, side=(0, 0, 0)), 4000),
}


def poses(surface, count):
    """Random ends outside: half of them opposite each other, or above and below a ring's hole."""
    rng, found = np.random.default_rng(0), 0
    while found < count:
        a, b = 1.5 * rng.normal(size=(2, 3))
        if found % 2 and isinstance(surface, mm.wrap.Torus):
            a[2], b[2] = abs(a[2]), -abs(b[2])
            a[:2], b[:2] = 0.4 * a[:2], 0.4 * b[:2]
        elif found % 2:
            b = -a * rng.uniform(0.3, 1.5) + 0.3 * rng.normal(size=3)
        if min(surface.gap(a), surface.gap(b)) > 1e-3:
            found += 1
            yield a, b


@pytest.mark.parametrize("name", SURFACES)
def test_no_pose_is_lost_and_every_path_is_taut(name):
    """Its straight ends go on as the geodesic does. Newton's method alone lost one pose in 180 to 1,000."""
    surface, count = SURFACES[name][0](), SURFACES[name][1]
    params, kernels, touching = np.array(surface.parameters()), type(surface), 0
    for a, b in poses(surface, count):
        g = np.zeros((3, COLUMNS))
        if not kernels.solve(params, 0, tuple(a), tuple(b), g):
            continue
        touching += 1
        length = g[0, LENGTH]
        assert np.isfinite(length)
        kernels.follow(params, 0, *((tuple(x), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) for x in (a, b)), g)
        for end, column, at in ((a, ENTRY, 0.0), (b, EXIT, g[0, ARC + SPAN])):
            xi = (g[0, ARC + START] + at) / length
            x, t = kernels.place(params, 0, 0, g, (xi, 1.0 / length, 0.0))
            line = g[0, ARC + column : ARC + column + 3] - end
            free = line / np.linalg.norm(line) * (1.0 if column == ENTRY else -1.0)
            np.testing.assert_allclose(x, g[0, ARC + column : ARC + column + 3], atol=1e-6)
            np.testing.assert_allclose(t, free, atol=1e-5)
            assert abs(surface.gap(np.array(x))) < 1e-5
    assert touching > 0.15 * count
