"""Dormand and Prince's pair: its order conditions, its error estimate, and rows that are never lost."""

import numpy as np
import pytest

import myomass as mm
from myomass.integrators import dormand_prince as dp

pytestmark = pytest.mark.fast
NODES = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
A = np.array([[*row, 0.0] for row in dp.A])
FIFTH = A[-1]
FOURTH = FIFTH - np.array(dp.ERROR)


def test_order_conditions():
    np.testing.assert_allclose(A.sum(axis=1), NODES, rtol=0, atol=1e-15)
    for weights, order in ((FIFTH, 5), (FOURTH, 4)):
        for k in range(order):
            assert weights @ NODES**k == pytest.approx(1 / (k + 1), abs=1e-15)
    assert pytest.approx(1 / 6, abs=1e-15) == FIFTH @ A @ NODES
    assert pytest.approx(1 / 24, abs=1e-15) == FIFTH @ A @ A @ NODES
    assert abs(FOURTH @ NODES**4 - 1 / 5) > 1e-4, "the embedded method is of order four only"


def test_dense_output_ends_at_the_step_and_is_of_order_four():
    dense = np.array(dp.DENSE)
    np.testing.assert_allclose(dense.sum(axis=1), FIFTH, rtol=0, atol=1e-15)
    for s in (0.2, 0.7):
        weights = dense @ s ** np.arange(1, 5)
        for k in range(4):
            assert weights @ NODES**k == pytest.approx(s ** (k + 1) / (k + 1), abs=1e-15)


@pytest.mark.parametrize("where", range(4))
def test_a_nan_in_any_component_is_an_infinite_error(where):
    K = np.ones((dp.STAGES, 4))
    K[3, where] = np.nan
    assert dp.relative_error(0.1, np.ones(4), np.ones(4), K, 1e-2) == np.inf


def test_the_last_row_is_never_lost():
    """t + (t_end - t) may round below t_end; a free fall takes such steps of any length."""
    spec = mm.Spec(gravity=(0, 0, -9.81))
    spec.add_body("stone", joint=mm.Prismatic(), inertia=mm.Inertia.sphere(0.1, mass=1))
    model, rng = spec.compile(), np.random.default_rng(0)
    for end in rng.uniform(0.1, 3, 100):
        times = np.sort(rng.uniform(0, end, 3))
        times[-1] = end
        h = rng.uniform(0.1, 0.9) * end
        run = mm.simulate(model, integrator="recursive", h=h, times=times)
        np.testing.assert_array_equal(run.t, times)
        np.testing.assert_allclose(run.q[:, 0], -9.81 / 2 * times**2, rtol=1e-12)
        assert mm.simulate(model, integrator="recursive", h=h, duration=end).t[-1] == end
