"""Systems inside kernels: against NumPy, dense ones, those of trees, saddle points, and those that need pivots."""

import numpy as np
import pytest

from myomass._jit import kernel
from myomass.algorithms import lu

pytestmark = pytest.mark.fast


@kernel(entry=True)
def solve_both(A, rows, order, b, x, spare, y):
    """x = A^-1 b and y = A^-T b; A is used up. False if it is singular."""
    if not lu.factorise(A, rows, order):
        return False
    lu.solve(A, order, b, x)
    for k in range(b.shape[0]):
        spare[k] = b[k]
    lu.solve_transposed(A, order, spare, y)
    return True


def of_tree(n: int, rng: np.random.Generator) -> np.ndarray:
    """A matrix like that of the equations of motion of a random tree: zero where neither unknown is further out."""
    above = np.zeros((n, n), bool)
    for k in range(1, n):
        parent = rng.integers(0, k)
        above[k] = above[parent]
        above[k, parent] = True
    couples = above | above.T | np.eye(n, dtype=bool)
    L = 0.3 * rng.normal(size=(n, n)) * above + np.diag(rng.uniform(0.5, 2.0, n))
    return L.T @ L + 0.01 * couples * rng.normal(size=(n, n))


def solved(A: np.ndarray, rows: int = 0) -> tuple[np.ndarray, ...]:
    """(b, x, y, the factors, the order of rows)."""
    n = len(A)
    b, x, spare, y = np.random.default_rng(n).normal(size=n), *np.zeros((3, n))
    factors, order = A.copy(), np.zeros((2, n), np.int64)
    assert solve_both(factors, rows, order, b, x, spare, y)
    return b, x, y, factors, order[0]


def assert_solved(A: np.ndarray, rows: int = 0) -> None:
    b, x, y, *_ = solved(A, rows)
    allowed = 1e-14 * len(A) * np.linalg.cond(A) if len(A) else 0.0
    for found, matrix in ((x, A), (y, A.T)):
        expected = np.linalg.solve(matrix, b)
        np.testing.assert_allclose(found, expected, rtol=0, atol=allowed * np.abs(expected).max(initial=1e-300))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 30])
def test_any_matrix(n):
    for seed in range(10):
        assert_solved(np.random.default_rng(seed).normal(size=(n, n)))


@pytest.mark.parametrize("n", [2, 9, 40])
def test_zeros_between_branches_stay_and_the_rows_their_order(n):
    for seed in range(5):
        A = of_tree(n, np.random.default_rng(seed))
        assert_solved(A)
        *_, factors, order = solved(A)
        assert (order == np.arange(n)).all()
        assert (factors[A == 0.0] == 0.0).all()


def test_rows_of_constraints_in_front():
    rng = np.random.default_rng(3)
    for rows, n in ((1, 6), (3, 12), (4, 5)):
        G, M = rng.normal(size=(rows, n)), of_tree(n, rng)
        assert_solved(np.block([[1e-12 * np.eye(rows), G], [-G.T, M]]), rows)
        *_, order = solved(np.block([[1e-12 * np.eye(rows), G], [-G.T, M]]), rows)
        assert (order == np.arange(rows + n)).all()


def test_pivots_where_the_diagonal_offers_none():
    assert_solved(np.array([[0.0, 2.0], [3.0, 0.0]]))
    assert_solved(np.array([[1.0, 5.0, 0.0], [4.0, 0.0, 2.0], [0.0, 1.0, 1e-13]]))
    assert_solved(np.array([[1.0, 2.0, 4.0], [2.0, -3.0, 1.0], [4.0, 1.0, -9.0]]))


@pytest.mark.parametrize("A", [np.zeros((2, 2)), np.ones((3, 3)), np.full((2, 2), np.nan), np.diag([1.0, 0.0, 1.0])])
def test_singular_ones_are_told(A):
    room = np.zeros((4, len(A)))
    assert not solve_both(A.copy(), 0, np.zeros((2, len(A)), np.int64), *room)
