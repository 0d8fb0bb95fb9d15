"""The example's engines, steered through the conversions, come to the reduced motion as their steps shrink."""

import runpy

import numpy as np
import pytest

from myomass._jit import PACKAGE


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(PACKAGE.parent / "examples" / "maximal_controller.py"))


@pytest.mark.parametrize("engine", ["in_maximal", "in_mujoco"])
def test_an_engine_in_maximal_coordinates_follows_the_reduced_motion(example, engine):
    """Both engines are of first order: half the step, half the deviation. Measured: 2.5e-3 and 1.9e-3 rad at 1 ms."""
    if engine == "in_mujoco":
        pytest.importorskip("mujoco")
    times = np.linspace(0.0, 0.2, 6)
    reduced = example["in_reduced"](times)
    assert np.ptp(reduced, axis=0).max() > 0.3
    coarse, fine = (np.abs(example[engine](times, h) - reduced).max() for h in (2e-3, 1e-3))
    assert fine < 3e-3
    assert 1.8 < coarse / fine < 2.2
