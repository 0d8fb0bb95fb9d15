"""The program of a frame: stored optima, other solvers, the conditions of optimality, bounded least squares."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from myomass.analyses.load_sharing import room_for, share_loads

FIXTURE = Path(__file__).parents[1] / "fixtures" / "opensim_static_optimization.json"


def solve(C, b, low, high, muscles, power=2.0):
    """(y, multipliers, missing, held) of programs (rows, n, k)."""
    rows, n, k = C.shape
    y, lam, missing, held = np.zeros((rows, k)), np.zeros((rows, n)), np.zeros((rows, n)), np.zeros(rows, bool)
    bounds = (np.ascontiguousarray(np.broadcast_to(x, (rows, k)), float) for x in (low, high))
    room = room_for(n, k)
    share_loads(room.handle, np.ascontiguousarray(C), b, *bounds, power, muscles, lam, y, missing, held)
    return y, lam, missing, held


def made_up(rows, n=3, muscles=7, reserves=0, least=0.01, seed=0):
    """Programs that can be met: (C, b, low, high, muscles)."""
    random = np.random.default_rng(seed)
    C = np.concatenate([random.normal(size=(rows, n, muscles)) * 50, random.normal(size=(rows, n, reserves))], axis=2)
    a = random.uniform(least, 1.0, (rows, muscles)) ** 3
    b = np.einsum("rik,rk->ri", C[:, :, :muscles], np.clip(a, least, 1))
    low = np.r_[np.full(muscles, least), np.full(reserves, -np.inf)]
    high = np.r_[np.ones(muscles), np.full(reserves, np.inf)]
    return C, b, low, high, muscles


def violation(C, b, low, high, muscles, power, answer):
    """How far an answer is from the conditions of optimality: equations, bounds, slopes, complementarity."""
    y, lam, _, _ = answer
    slope = 2 * y
    slope[:, :muscles] = power * y[:, :muscles] ** (power - 1)
    reduced = slope - np.einsum("rik,ri->rk", C, lam)
    scale = 1 + np.abs(slope).max()
    error = np.abs(np.einsum("rik,rk->ri", C, y) - b).max() / np.abs(b).max()
    outside = max((low - y).max(), (y - high).max())
    own = slice(0, muscles)
    below = np.maximum(reduced[:, own], 0) * (y - low)[:, own]
    above = np.maximum(-reduced[:, own], 0) * (high - y)[:, own]
    of_reserves = np.abs(reduced[:, muscles:]).max(initial=0.0)
    return max(error, outside, below.max() / scale, above.max() / scale, of_reserves / scale)


@pytest.mark.fast
def test_stored_optima():
    stored = json.loads(FIXTURE.read_text())
    rows = {key: np.array([row[key] for row in stored["rows"]]) for key in stored["rows"][0]}
    C = np.concatenate([rows["moment_arms"] * rows["capacity"][:, None, :], rows["reserve_matrix"]], axis=2)
    free = np.full(len(stored["reserves"]), np.inf)
    low, high = np.r_[stored["lower"], -free], np.r_[stored["upper"], free]
    y, _, missing, held = solve(C, rows["generalized_force"], low, high, 18)
    assert held.all() and np.abs(missing).max() < 1e-9
    np.testing.assert_allclose(y[:, :18], rows["optimal_activation"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(y[:, 18:], rows["optimal_reserves"], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(y[:, :18], rows["opensim_activation"], rtol=0, atol=0.01)


@pytest.mark.parametrize("least", [0.0, 0.01])
@pytest.mark.parametrize("power", [1.5, 2.0, 3.0, 4.0, 10.0])
def test_conditions_of_optimality(power, least):
    for reserves in (0, 3):
        program = made_up(60, reserves=reserves, least=least, seed=int(10 * power))
        assert violation(*program, power, solve(*program, power)) < 1e-11


@pytest.mark.parametrize("power", [1.5, 2.0, 3.0])
def test_another_solver(power):
    C, b, low, high, muscles = program = made_up(12, reserves=2, seed=5)
    y, _, _, held = solve(*program, power)
    assert held.all()
    for row in range(12):

        def cost(x):
            return (np.maximum(x[:muscles], 0) ** power).sum() + (x[muscles:] ** 2).sum()

        def slope(x):
            return np.r_[power * np.maximum(x[:muscles], 0) ** (power - 1), 2 * x[muscles:]]

        held_by = {"type": "eq", "fun": lambda x, r=row: C[r] @ x - b[r], "jac": lambda x, r=row: C[r]}
        bounds = list(zip(low, high, strict=True))
        options = {"ftol": 1e-15, "maxiter": 500}
        start = np.r_[np.full(muscles, 0.3), np.zeros(2)]
        other = minimize(cost, start, jac=slope, method="SLSQP", bounds=bounds, constraints=[held_by], options=options)
        np.testing.assert_allclose(y[row], other.x, rtol=0, atol=2e-6)
        assert cost(y[row]) <= cost(other.x) + 1e-10


@pytest.mark.fast
def test_what_cannot_be_met_is_met_as_well_as_may_be():
    C, b, low, high, muscles = made_up(8, n=2, muscles=4, seed=2)
    answer = solve(C, 20 * b, low, high, muscles)
    assert not answer[3].any()
    for row in range(8):
        scale = np.sqrt(2.0 / (C[row] ** 2).sum(axis=1))
        best = lsq_linear(C[row] * scale[:, None], 20 * b[row] * scale, (low, high), tol=1e-14)
        assert np.linalg.norm(answer[2][row] * scale) == pytest.approx(np.sqrt(2 * best.cost), rel=1e-7)


@pytest.mark.fast
def test_equations_that_say_the_same():
    C, b, low, high, muscles = made_up(4, n=2, muscles=4, seed=3)
    twice = solve(np.concatenate([C, C[:, :1]], axis=1), np.c_[b, b[:, :1]], low, high, muscles)
    assert twice[3].all()
    np.testing.assert_allclose(twice[0], solve(C, b, low, high, muscles)[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("power", [2.0, 3.0])
def test_a_single_answer_at_the_bounds(power):
    """Activations that are all at a bound, and the only ones that meet the equations."""
    random = np.random.default_rng(6)
    C, a = random.normal(size=(40, 6, 6)), np.where(random.random((40, 6)) < 0.5, 0.01, 1.0)
    y, _, _, held = solve(C, np.einsum("rik,rk->ri", C, a), np.full(6, 0.01), np.ones(6), 6, power)
    assert held.all()
    np.testing.assert_allclose(y, a, rtol=0, atol=1e-7)


@pytest.mark.fast
def test_nothing_to_do_and_units():
    C, b, low, high, muscles = made_up(3, n=2, muscles=4, seed=4)
    np.testing.assert_allclose(solve(0 * C, 0 * b, low, high, muscles)[0], 0.01)
    plain = solve(C, b, low, high, muscles)[0]
    units = np.array([1e6, 1e-6])
    np.testing.assert_allclose(solve(C * units[:, None], b * units, low, high, muscles)[0], plain, rtol=0, atol=1e-9)
