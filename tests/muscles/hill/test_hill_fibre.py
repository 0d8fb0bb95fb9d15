"""Fibre and tendon against OpenSim 4.6, SciPy's root finder, limits, energies and complex steps."""

import numpy as np
import pytest
from hill_kernels import (
    ACTIVE,
    FAMILIES,
    PASSIVE,
    TENDON,
    VELOCITY,
    evaluate,
    fibres,
    opensim_sets,
    random_muscle,
    random_states,
    rigid,
    static,
    step,
    table,
)
from scipy.optimize import brentq

from myomass._jit import DISABLED
from myomass.muscles.hill import Hill
from myomass.muscles.hill.curves import Millard2012, Thelen2003

pytestmark = pytest.mark.fast
SETS = opensim_sets()
ELASTIC = [(h, s) for h, s in SETS if not h.rigid]
COUNT = 8 if DISABLED else 60
USUAL = [
    Hill(1000.0, 0.1, 0.2, 0.3, damping=damping, curves=family) for family in FAMILIES for damping in (None, 0.0, 0.05)
]


def name_of(pair):
    return f"{type(pair[0].curves).__name__} {pair[1]['name']}"


@pytest.mark.parametrize(("hill", "stored"), ELASTIC, ids=map(name_of, ELASTIC))
def test_velocities_and_forces_of_opensim(hill, stored):
    rows = table(stored["velocity"])
    a, fibre, L = (rows.get(name) for name in ("activation", "fiber_length", "path_length"))
    mine = fibres(hill, a, fibre, L)
    np.testing.assert_allclose(mine[0], rows["fiber_velocity"], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(mine[1], rows["tendon_force"], atol=1e-8 * hill.optimal_force)
    np.testing.assert_allclose(mine[6], mine[1], rtol=0, atol=0)
    if "pennation" in rows:
        np.testing.assert_allclose(np.arccos(mine[2]), rows["pennation"], atol=1e-7)
        np.testing.assert_allclose(mine[3], rows["active_fiber_force"], rtol=1e-7, atol=1e-7 * hill.optimal_force)
        passive = mine[4] + mine[5]
        np.testing.assert_allclose(passive, rows["passive_fiber_force"], rtol=1e-7, atol=1e-7 * hill.optimal_force)


RIGID = [(h, s) for h, s in SETS if h.rigid]


@pytest.mark.parametrize(("hill", "stored"), RIGID, ids=map(name_of, RIGID))
def test_rigid_tendons_of_opensim(hill, stored):
    rows = table(stored["velocity"])
    fibre, v, tension = rigid(hill, rows["activation"], rows["path_length"], rows["path_speed"])
    np.testing.assert_allclose(fibre, rows["fiber_length"], rtol=1e-12)
    np.testing.assert_allclose(v, rows["fiber_velocity"], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(tension, rows["tendon_force"], rtol=1e-11, atol=1e-9)


SETTLED = [(h, s) for h, s in ELASTIC if "equilibrium" in s]


@pytest.mark.parametrize(("hill", "stored"), SETTLED, ids=map(name_of, SETTLED))
def test_equilibria_of_opensim(hill, stored):
    """Thelen's muscle takes its share of the path's speed, Millard's ignores the speed."""
    rows = table(stored["equilibrium"])
    a, L = rows["activation"], rows["path_length"]
    speed = rows["path_speed"] if isinstance(hill.curves, Thelen2003) else 0.0
    fibre, found = static(hill, a, L, speed)
    assert found.all()
    np.testing.assert_allclose(fibre, rows["fiber_length"], rtol=1e-6)
    tension = fibres(hill, a, fibre, L)[1]
    np.testing.assert_allclose(tension, rows["tendon_force"], atol=1e-6 * hill.optimal_force)
    settled = hill.equilibrium(a, L, speed)
    np.testing.assert_allclose(settled.fibre_velocity, rows["fiber_velocity"], atol=2e-6)


def balance(hill, alpha, l_hat, a, L):
    """R(l) of the implicit step as Python writes it, from the parts that other tests compare."""
    numbers = hill.numbers()

    def R(fibre):
        damped = numbers.damping > 0
        x, v = fibre / numbers.optimal, alpha * (fibre - l_hat) / numbers.speed
        c = np.sqrt(1.0 - (numbers.height / fibre) ** 2)
        fl, fp = (evaluate(which, hill.family, x, damped=damped)[0][0] for which in (ACTIVE, PASSIVE))
        fv = evaluate(VELOCITY, hill.family, v, a, damped)[0][0]
        ft = evaluate(TENDON, hill.family, (L - fibre * c) / numbers.slack, damped=damped)[0][0]
        return (a * fl * fv + fp + numbers.damping * v) * c - ft

    return R


@pytest.mark.parametrize("seed", range(COUNT))
def test_implicit_steps_by_brentq(seed):
    """Muscles of any size and stiffness, steps of any size: R changes its sign at the fibre length that is found."""
    rng = np.random.default_rng(seed)
    hill = random_muscle(rng)
    numbers = hill.numbers()
    for alpha, l_hat, a, L, guess in zip(*random_states(rng, hill, 5), strict=True):
        fibre, R = step(hill, alpha, l_hat, a, L, guess)[0], balance(hill, alpha, l_hat, a, L)
        if fibre == numbers.shortest:
            assert R(fibre) >= -1e-12
            continue
        width = 2e-13 * max(fibre, L)
        low, high = max(fibre - width, numbers.shortest), fibre + width
        assert fibre > numbers.shortest and R(low) <= 0.0 <= R(high)
        assert abs(brentq(R, low, high, xtol=1e-300, rtol=1e-15) - fibre) <= width


@pytest.mark.parametrize("seed", range(COUNT))
def test_derivatives_of_steps_by_complex_step(seed):
    """Against differences over a millionth, where these converge themselves."""
    rng = np.random.default_rng(seed)
    hill = USUAL[seed % len(USUAL)]
    l_hat = rng.uniform(0.07, 0.13, 20)
    a, L, alpha = (
        rng.uniform(0.05, 0.95, 20),
        0.2 + l_hat + rng.uniform(-0.01, 0.012, 20),
        10.0 ** rng.uniform(0, 4, 20),
    )
    for direction in np.eye(3):
        dl, da, dL = direction * [0.1, 1.0, 0.3]
        exact = step(hill, alpha, l_hat + 1e-30j * dl, a + 1e-30j * da, L + 1e-30j * dL).imag * 1e30
        rough, fine = (
            (
                step(hill, alpha, l_hat + s * dl, a + s * da, L + s * dL)
                - step(hill, alpha, l_hat - s * dl, a - s * da, L - s * dL)
            )
            / (2 * s)
            for s in (4e-6, 2e-6)
        )
        np.testing.assert_allclose(exact, fine, atol=1e-7 + 2.0 * np.abs(rough - fine).max())
        assert np.abs(exact).max() > 1e-5


@pytest.mark.parametrize("hill", USUAL, ids=lambda h: f"{type(h.curves).__name__} {h.damping}")
def test_derivatives_of_velocity_and_tension_by_complex_step(hill):
    rng = np.random.default_rng(5)
    fibre, a = rng.uniform(0.07, 0.13, 30), rng.uniform(0.1, 0.9, 30)
    L = 0.2 + fibre + rng.uniform(0.0, 0.006, 30)
    for direction in np.eye(3):
        dl, da, dL = direction * [0.1, 1.0, 0.3]
        exact = fibres(hill, a + 1e-30j * da, fibre + 1e-30j * dl, L + 1e-30j * dL)[:7].imag * 1e30
        apart = [fibres(hill, a + s * da, fibre + s * dl, L + s * dL)[:7] for s in (1e-7, -1e-7)]
        expected = (apart[0] - apart[1]) / 2e-7
        np.testing.assert_allclose(exact, expected, rtol=3e-5, atol=3e-6 * np.abs(expected).max())


@pytest.mark.parametrize("hill", USUAL, ids=lambda h: f"{type(h.curves).__name__} {h.damping}")
def test_complex_steps_are_exact(hill):
    """To rounding: what is solved for real numbers holds for its derivatives, too."""
    rng = np.random.default_rng(6)
    l_hat, a = rng.uniform(0.08, 0.12, 10), rng.uniform(0.1, 0.9, 10) + 1e-30j
    L, alpha = 0.2 + l_hat + rng.uniform(0.0, 0.006, 10) - 2e-31j, 10.0 ** rng.uniform(0, 5, 10)
    after = step(hill, alpha, l_hat + 1e-31j, a, L)
    v, tension, c, active, passive, damping = fibres(hill, a, after, L)[:6]
    np.testing.assert_allclose(v.imag, (alpha * (after - l_hat - 1e-31j)).imag, rtol=1e-8, atol=1e-36)
    explicit = (active + passive + damping) * c - tension
    assert (np.abs(explicit.imag) <= 1e-11 * np.abs(tension.imag).max()).all()
    for i in range(10):
        R = balance(hill, alpha[i], l_hat[i] + 1e-31j, a[i], L[i])
        off = R(after[i] * (1 + 1e-6)).real - R(after[i]).real  # what a millionth of the length makes of R
        assert abs(R(after[i]).imag) <= 1e-11 * abs(off) * 1e6 * abs(after[i].imag / after[i].real)


@pytest.mark.parametrize("hill", USUAL, ids=lambda h: f"{type(h.curves).__name__} {h.damping}")
def test_limits_of_steps(hill):
    """Short steps go at the explicit velocity, long ones to the equilibrium."""
    l_hat, a = np.array([0.085, 0.095, 0.105]), np.array([0.3, 0.6, 0.9])
    settled, found = static(hill, a, 0.3)
    assert found.all()
    np.testing.assert_allclose(step(hill, 1e-6, l_hat, a, 0.3), settled, rtol=1e-6)
    L = 0.2 + np.sqrt(settled**2 - hill.numbers().height ** 2) + 0.007  # taut
    fast = step(hill, 1e8, settled, a, L)
    np.testing.assert_allclose(fast, settled, rtol=1e-5)
    v = fibres(hill, a, settled, L)[0]
    np.testing.assert_allclose(1e8 * (fast - settled), v, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("hill", USUAL, ids=lambda h: f"{type(h.curves).__name__} {h.damping}")
def test_a_step_goes_at_the_velocity_where_it_ends(hill):
    l_hat, alpha = np.array([0.08, 0.1, 0.11]), 200.0
    after = step(hill, alpha, l_hat, 0.5, 0.3)
    np.testing.assert_allclose(alpha * (after - l_hat), fibres(hill, 0.5, after, 0.3)[0], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_shortest_fibre(family):
    """It rests there: it does not shorten, does lengthen, and a slack tendon is no equilibrium."""
    hill = Hill(1000.0, 0.1, 0.2, 0.3, curves=family)
    shortest = hill.numbers().shortest
    assert 0.0 <= fibres(hill, 1.0, shortest, 0.2)[0][0] < 1e-15
    assert 0.0 <= fibres(hill, 1.0, 0.9 * shortest, 0.2)[0][0] < 1e-15
    assert fibres(hill, 0.01, shortest, 0.24)[0][0] > 0.0
    assert step(hill, 1e3, shortest, 1.0, 0.2)[0] == shortest
    fibre, found = static(hill, 0.5, [0.15, 0.2])
    assert fibre.tolist() == [shortest] * 2 and not found.any()


@pytest.mark.parametrize("L", [1.48, 1.49])
def test_several_equilibria(L):
    """On a long soft tendon a fibre may rest short or stretched: the stable one that is next to its best length."""
    hill = Hill(1000.0, 0.1, 1.0, curves=Millard2012(tendon_strain=0.4))
    R = balance(hill, 0.0, 0.1, 1.0, L)
    grid = np.linspace(hill.numbers().shortest, L - 1.0, 400)
    signs = np.sign([R(fibre) for fibre in grid])
    roots = [brentq(R, grid[i], grid[i + 1], xtol=1e-15) for i in np.flatnonzero(np.diff(signs))]
    stable = [root for root in roots if R(root + 1e-6) > 0]
    fibre, found = static(hill, 1.0, L)
    assert found[0] and len(roots) == 3 and len(stable) == 2
    assert abs(fibre[0] - min(stable, key=lambda root: abs(root - 0.1))) < 1e-9


@pytest.mark.parametrize("hill", USUAL, ids=lambda h: f"{type(h.curves).__name__} {h.damping}")
def test_stored_energies_give_the_forces(hill):
    """-d(energy) of the tendon by the path is its tension; of the passive fibre by its length its force."""
    fibre, L = np.array([0.09, 0.11, 0.14]), np.array([0.3, 0.315, 0.345])
    by_path = fibres(hill, 0.5, fibre + 0j, L + 1e-30j)
    np.testing.assert_allclose(by_path[7].imag * 1e30, by_path[1].real, rtol=1e-10, atol=1e-9)
    by_fibre = fibres(hill, 0.5, fibre + 1e-30j, L + 0j)
    np.testing.assert_allclose(by_fibre[8].imag * 1e30, by_fibre[4].real, rtol=1e-10, atol=1e-9)
    assert (np.abs(by_path[1].real) > 1.0).all()


def test_forces_balance_at_the_velocity():
    """(active + passive + damping) cos(alpha) = tension, for random muscles."""
    rng = np.random.default_rng(9)
    for _ in range(COUNT):
        hill = random_muscle(rng, curves=FAMILIES[rng.integers(2)])
        _, fibre, a, L, _ = random_states(rng, hill, 20)
        fibre = np.maximum(fibre, 1.001 * hill.numbers().shortest)
        tension, c, active, passive, damping = fibres(hill, a, fibre, L)[1:6]
        scale = np.abs(active) + np.abs(passive) + np.abs(damping) + np.abs(tension) + hill.optimal_force
        assert (np.abs((active + passive + damping) * c - tension) <= 1e-11 * scale).all()
