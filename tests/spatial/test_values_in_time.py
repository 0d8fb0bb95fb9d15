"""Values of a motion at many times at once."""

import numpy as np
import pytest

import myomass as mm

pytestmark = pytest.mark.fast


def test_along_joins_values_by_straight_lines():
    times, values = [0.0, 0.3, 1.0], [0.2, 0.9, 0.1]
    t = np.linspace(-0.5, 1.5, 41)
    np.testing.assert_allclose(mm.Motion.linear(times, values).along(t), np.interp(t, times, values), rtol=1e-14)


def test_along_follows_a_function():
    t = np.linspace(0, 2, 50)
    np.testing.assert_allclose(mm.Motion.of(np.sin, 0.0, 2.0).along(t[::-1]), np.sin(t[::-1]), atol=1e-10)


def test_a_motion_that_stays_has_one_value():
    assert mm.Motion(0.7).along([0.0, 5.0]).tolist() == [0.7, 0.7]
