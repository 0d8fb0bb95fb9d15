"""Activation dynamics against OpenSim 4.6, the exact solution of its equation, and complex steps."""

import numpy as np
import pytest
from hill_kernels import activations, opensim_sets, table
from scipy.integrate import solve_ivp

from myomass.muscles.hill import Hill

pytestmark = pytest.mark.fast
PIECEWISE = Hill(1000.0, 0.1, 0.2, activation_time=0.01, deactivation_time=0.04)
SMOOTH = Hill(1000.0, 0.1, 0.2, activation_time=0.015, deactivation_time=0.06, activation_dynamics="smooth")
EXCITED = Hill(1000.0, 0.1, 0.2, activation_time=0.011, deactivation_time=0.068, activation_dynamics="excited")
SETS = [(hill, stored) for hill, stored in opensim_sets() if "activation" in stored]


@pytest.mark.parametrize(("hill", "stored"), SETS, ids=[stored["name"] for _, stored in SETS])
def test_rates_of_opensim(hill, stored):
    rows = table(stored["activation"])
    rates = activations(hill, 1.0, rows["activation_state"], rows["excitation"])[0]
    np.testing.assert_allclose(rates, rows["activation_rate"], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("hill", [PIECEWISE, SMOOTH, EXCITED], ids=["piecewise", "smooth", "excited"])
def test_an_implicit_step_solves_its_equation(hill):
    rng = np.random.default_rng(0)
    a_hat, u, alpha = rng.uniform(-0.05, 1.05, 400), rng.uniform(0.01, 1.0, 400), 10.0 ** rng.uniform(-3, 9, 400)
    a = activations(hill, alpha, a_hat, u)[1]
    rate = activations(hill, alpha, a, u)[0]
    np.testing.assert_allclose(a, a_hat + rate / alpha, atol=1e-13, rtol=1e-9)
    beyond = activations(hill, 1e14, a_hat, u)[1]
    np.testing.assert_allclose(beyond, a_hat, atol=1e-10)
    np.testing.assert_allclose(activations(hill, 1e-9, a_hat, u)[1], u, atol=1e-9)


def test_excitations_beyond_the_clip():
    """Below the least activation the rate is constant: the step is an explicit one."""
    a = activations(PIECEWISE, 10.0, 0.005, -0.5)[1]
    rate = activations(PIECEWISE, 10.0, 0.01, -0.5)[0]
    np.testing.assert_allclose(a, 0.005 + rate / 10.0, rtol=1e-13)


@pytest.mark.parametrize("hill", [PIECEWISE, SMOOTH, EXCITED], ids=["piecewise", "smooth", "excited"])
def test_derivatives_of_a_step_by_complex_step(hill):
    rng = np.random.default_rng(1)
    a_hat, u, alpha = rng.uniform(0.05, 0.95, 100), rng.uniform(0.05, 0.95, 100), 10.0 ** rng.uniform(0, 5, 100)
    for da, du in ((1.0, 0.0), (0.0, 1.0), (0.7, -0.4)):
        exact = activations(hill, alpha, a_hat + 1e-30j * da, u + 1e-30j * du)[1].imag * 1e30
        apart = [activations(hill, alpha, a_hat + s * da, u + s * du)[1] for s in (1e-6, -1e-6)]
        np.testing.assert_allclose(exact, (apart[0] - apart[1]) / 2e-6, rtol=2e-6, atol=1e-8)
    after = activations(hill, alpha, a_hat + 1e-30j, u - 2e-30j)[1]
    solved = a_hat + 1e-30j + activations(hill, alpha, after, u - 2e-30j)[0] / alpha
    np.testing.assert_allclose(solved.imag, after.imag, rtol=1e-11, atol=1e-42)
    rate = activations(hill, alpha, a_hat + 1e-30j, u)[0].imag * 1e30
    apart = [activations(hill, alpha, a_hat + s, u)[0] for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(rate, (apart[0] - apart[1]) / 2e-6, rtol=1e-6)


def test_steps_converge_to_the_exact_solution():
    """Falling, da/dt = (u - a)(0.5 + 1.5 a)/fall is logistic, with a closed solution; the steps are of order 1."""
    u, start, duration, fall = 0.2, 0.9, 0.05, 0.04
    c, rate = 0.5 + 1.5 * u, (0.5 + 1.5 * u) / fall
    y0 = start - u  # dy/dt = -y (c + 1.5 y)/fall
    exact = u + c * y0 * np.exp(-rate * duration) / (c + 1.5 * y0 * (1.0 - np.exp(-rate * duration)))
    errors = []
    for steps in (100, 200, 400):
        a = start
        for _ in range(steps):
            a = activations(PIECEWISE, steps / duration, a, u)[1][0]
        errors.append(a - exact)
    ratios = np.array(errors[:-1]) / errors[1:]
    assert abs(errors[-1]) < 2e-3
    np.testing.assert_allclose(ratios, 2.0, atol=0.02)


@pytest.mark.parametrize("hill", [PIECEWISE, SMOOTH, EXCITED], ids=["piecewise", "smooth", "excited"])
def test_rising_steps_converge_to_scipys_solution(hill):
    """Two sizes of steps, extrapolated to order 2."""
    duration = 0.03
    exact = solve_ivp(lambda t, a: activations(hill, 1.0, a, 0.8)[0], (0, duration), [0.1], rtol=1e-10, atol=1e-12)
    ends = []
    for steps in (200, 400):
        a = 0.1
        for _ in range(steps):
            a = activations(hill, steps / duration, a, 0.8)[1][0]
        ends.append(a)
    assert 2 * ends[1] - ends[0] == pytest.approx(exact.y[0, -1], abs=1e-5)
