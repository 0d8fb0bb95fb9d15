"""Curves against OpenSim 4.6, published formulas, complex steps, quadrature, and their own inverses."""

from dataclasses import dataclass

import numpy as np
import pytest
from hill_kernels import (
    ACTIVE,
    FAMILIES,
    INVERSE,
    PASSIVE,
    PASSIVE_ENERGY,
    TENDON,
    TENDON_ENERGY,
    VELOCITY,
    evaluate,
    millard_curves,
    opensim,
    table,
    thelen_of,
)
from scipy.integrate import quad

from myomass.muscles.hill import Hill
from myomass.muscles.hill.curves import (
    CURVES,
    DeGrooteFregly2016,
    Millard2012,
    Thelen2003,
    bezier,
    pieces,
    register_curves,
)
from myomass.muscles.hill.curves.dispatch import CHOICES
from myomass.muscles.hill.curves.thelen import TOE

pytestmark = pytest.mark.fast
NAMES = {
    "ActiveForceLength": ACTIVE,
    "FiberForceLength": PASSIVE,
    "TendonForceLength": TENDON,
    "ForceVelocity": VELOCITY,
}
OTHERS = [
    Millard2012(0.5, 0.75, 1.6, 0.7, 0.05, 0.02, 0.65, 0.3, 3.5, 0.6, 0.0, 0.3, 4.5, 0.0, 0.2, 1.6, 0.5, 0.7, 0.05, 30),
    Thelen2003(0.033, 0.5, 0.5, 4.0, 0.3, 1.8, 0.9),
    DeGrooteFregly2016(1.2, 0.7, 0.06),
]
SPANS = {ACTIVE: (0.3, 2.0), PASSIVE: (0.3, 1.9), TENDON: (0.98, 1.09), VELOCITY: (-1.4, 1.4)}


@pytest.mark.parametrize("name", opensim()["millard2012"]["default_curves"])
def test_millards_default_curves(name):
    stored = opensim()["millard2012"]["default_curves"][name]
    x, value, slope = np.array(stored["rows"]).T
    damped = not name.endswith(("undamped", "minimum 0.1"))
    mine = evaluate(NAMES[name.split()[0].removesuffix("Curve")], Millard2012(), x, damped=damped)
    np.testing.assert_allclose(mine[0], value, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(mine[1], slope, rtol=1e-11, atol=1e-11 * np.abs(slope).max())


@pytest.mark.parametrize("number", range(6))
def test_millards_curves_at_opensims_states(number):
    stored = opensim()["millard2012"]["sets"][number]
    rows, p = table(stored["velocity"]), stored["parameters"]
    curves, x = millard_curves(stored["curve_parameters_in_use"]), rows["fiber_length"] / p["optimal_fiber_length"]
    damped = p["fiber_damping"] > 0 or p.get("ignore_tendon_compliance", False)
    np.testing.assert_allclose(evaluate(ACTIVE, curves, x, damped=damped)[0], rows["active_force_length"], atol=1e-12)
    np.testing.assert_allclose(evaluate(PASSIVE, curves, x, damped=damped)[0], rows["passive_force_length"], atol=1e-12)
    v = rows["fiber_velocity"] / (p["optimal_fiber_length"] * p["max_contraction_velocity"])
    mine = evaluate(VELOCITY, curves, v, damped=damped)[0]
    np.testing.assert_allclose(mine, rows["force_velocity"], atol=1e-8)  # to what OpenSim solves its velocity


@pytest.mark.parametrize("stored", opensim()["thelen2003"]["sets"], ids=lambda s: s["name"])
def test_thelens_curves(stored):
    curves = thelen_of(stored).curves
    for which, name, shift in (
        (ACTIVE, "active_force_length", 0),
        (PASSIVE, "passive_force_length", 0),
        (TENDON, "tendon_force_strain", 1),
    ):
        x, value = np.array(stored["curves"][name]).T
        np.testing.assert_allclose(evaluate(which, curves, x + shift)[0], value, rtol=1e-12, atol=1e-12)
    rows, p = table(stored["velocity"]), stored["parameters"]
    a = np.maximum(rows["activation"], p["minimum_activation"])
    v = evaluate(INVERSE, curves, rows["force_velocity"], a)[0]
    v *= p["optimal_fiber_length"] * p["max_contraction_velocity"]
    np.testing.assert_allclose(v, rows["fiber_velocity"], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("stored", opensim()["degrootefregly2016"]["sets"], ids=lambda s: s["name"])
def test_de_grootes_curves(stored):
    p = stored["parameters"]
    width, e0 = p["active_force_width_scale"], p["passive_fiber_strain_at_one_norm_force"]
    curves = DeGrooteFregly2016(width, e0, p["tendon_strain_at_one_norm_force"])
    names = ("active_force_length", "passive_force_length", "tendon_force_length", "force_velocity")
    for which, name in zip((ACTIVE, PASSIVE, TENDON, VELOCITY), names, strict=True):
        x, value = np.array(stored["curves"][name]).T
        np.testing.assert_allclose(evaluate(which, curves, x)[0], value, rtol=1e-12, atol=1e-13)


def test_de_grootes_formulas():
    """As the paper prints them."""
    curves, x, v = DeGrooteFregly2016(), np.linspace(0.3, 1.8, 40), np.linspace(-1.2, 1.2, 40)
    bells = [(0.815, 1.055, 0.162, 0.063), (0.433, 0.717, -0.030, 0.200), (0.1, 1.0, 0.354, 0.0)]  # printed digits
    printed = sum(c * np.exp(-0.5 * ((x - m) / (p + q * x)) ** 2) for c, m, p, q in bells)
    np.testing.assert_allclose(evaluate(ACTIVE, curves, x)[0], printed, atol=6e-3)
    tendon = 0.2 * np.exp(np.log(6.0) / 0.049 * (x - 1.0)) - 0.2
    np.testing.assert_allclose(evaluate(TENDON, curves, x)[0], tendon, rtol=2e-14, atol=1e-15)
    floor = np.exp(4.0 * (0.2 - 1.0) / 0.6)
    passive = (np.exp(4.0 * (x - 1.0) / 0.6) - floor) / (np.exp(4.0) - floor)
    np.testing.assert_allclose(evaluate(PASSIVE, curves, x)[0], passive, rtol=1e-14, atol=1e-17)
    w = -8.149 * v - 0.374
    velocity = -0.3211346127989808 * np.log(w + np.sqrt(w * w + 1.0)) + 0.8825327733249912
    np.testing.assert_allclose(evaluate(VELOCITY, curves, v)[0], velocity, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("family", FAMILIES + OTHERS, ids=repr)
@pytest.mark.parametrize("damped", [True, False])
def test_slopes_by_complex_step(family, damped):
    rng = np.random.default_rng(1)
    for which, span in SPANS.items():
        x, a = rng.uniform(*span, 100), rng.uniform(0.01, 1.0, 100)
        stepped = evaluate(which, family, x + 1e-30j, a, damped)[0]
        value, slope = evaluate(which, family, x, a, damped)
        np.testing.assert_allclose(stepped.real, value, rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(stepped.imag * 1e30, slope, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("family", [Millard2012(), OTHERS[0]], ids=repr)
@pytest.mark.parametrize("damped", [True, False])
def test_millards_pieces_join(family, damped):
    """Values and slopes from both sides of every cell's edge."""
    numbers = family.parameters(damped)
    for column, which in enumerate((ACTIVE, PASSIVE, TENDON, VELOCITY)):
        at = int(numbers[column])
        edges = []
        for j in range(int(numbers[at])):
            here = numbers[pieces.corner(numbers, at, j) :]
            edges += [here[pieces.X] + i / here[pieces.SCALE] for i in range(int(here[pieces.CELLS]))]
        edges.append(numbers[pieces.corner(numbers, at, int(numbers[at])) + pieces.X])
        before, after = (evaluate(which, family, np.array(edges) + side, damped=damped) for side in (-1e-13, 1e-13))
        np.testing.assert_allclose(before[0], after[0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(before[1], after[1], rtol=0, atol=1e-10 * np.abs(after[1]).max())


@pytest.mark.parametrize("family", [Thelen2003(), OTHERS[1]], ids=repr)
def test_thelens_branches_join(family):
    """The force factor has one slope on both sides of each straight line's start; at rest its slope doubles."""
    for a in (0.05, 0.5, 1.0):
        for f in (0.0, 1.0, family.linear_from * family.lengthening_force):
            v = evaluate(INVERSE, family, f, a)[0]
            before, after = (evaluate(VELOCITY, family, v + side, a) for side in (-1e-9, 1e-9))
            np.testing.assert_allclose([before[0], after[0]], f, atol=1e-6)
            np.testing.assert_allclose(after[1], (2.0 if f == 1.0 else 1.0) * before[1], rtol=1e-6)


@pytest.mark.parametrize("family", FAMILIES + OTHERS, ids=repr)
@pytest.mark.parametrize("damped", [True, False])
def test_velocity_of_its_inverse(family, damped):
    rng = np.random.default_rng(2)
    a = rng.uniform(0.01, 1.0, 200)
    v = rng.uniform(-1.3, 1.3, 200) if not (damped and isinstance(family, Millard2012)) else rng.uniform(-0.8, 0.8, 200)
    f = evaluate(VELOCITY, family, v, a, damped)[0]
    np.testing.assert_allclose(evaluate(INVERSE, family, f, a, damped)[0], v, rtol=1e-11, atol=1e-11)
    stepped = evaluate(INVERSE, family, f + 1e-30j, a, damped)[0].imag * 1e30
    np.testing.assert_allclose(stepped, 1.0 / evaluate(VELOCITY, family, v, a, damped)[1], rtol=1e-8)


def test_activation_in_thelens_velocity_by_complex_step():
    family, a = Thelen2003(), np.linspace(0.05, 0.95, 19)
    for v in (-1.21, -0.41, 0.21, 1.51):
        stepped = evaluate(VELOCITY, family, v, a + 1e-30j)[0].imag * 1e30
        apart = evaluate(VELOCITY, family, v, a + 1e-6)[0] - evaluate(VELOCITY, family, v, a - 1e-6)[0]
        np.testing.assert_allclose(stepped, apart / 2e-6, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES + OTHERS, ids=repr)
@pytest.mark.parametrize("which", [PASSIVE, TENDON])
def test_energies_by_quadrature(family, which):
    start, ends = (1.0, (0.99, 1.01, 1.03, 1.06, 1.1)) if which == TENDON else (1.0, (0.8, 1.1, 1.35, 1.6, 1.9))
    if which == PASSIVE and isinstance(family, DeGrooteFregly2016):
        start = 0.2
    kinks = [1.0 + family.parameters(True)[TOE]] if isinstance(family, Thelen2003) else None
    for end in ends:
        expected = quad(lambda x: evaluate(which, family, x)[0][0], start, end, epsabs=1e-13, limit=200, points=kinks)[
            0
        ]
        stored = evaluate(PASSIVE_ENERGY if which == PASSIVE else TENDON_ENERGY, family, end)[0][0]
        assert stored == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_pieces_reproduce_bezier_segments():
    """Where a curve bends most sharply, and on a hundred times stiffer tendon."""
    corners = ((0.0, 0.0, 0.0), (0.5, 0.01, 0.1), (1.0, 1.0, 40.0))
    numbers = bezier.chain_of(corners, (1.0, 0.9))
    family = Millard2012(tendon_strain=4.9e-4)
    assert len(numbers) < 4000
    x = np.linspace(1.0, 1.0003, 50)
    stiff, usual = evaluate(TENDON, family, x)[0], evaluate(TENDON, Millard2012(), 1.0 + 100.0 * (x - 1.0))[0]
    np.testing.assert_allclose(stiff, usual, atol=2e-12)


def test_damping_changes_millards_curves():
    """With damping the end slopes and the least force are 0, without they make the curves invertible."""
    damped, free = (evaluate(VELOCITY, Millard2012(), [-1.2, 1.2], damped=damped) for damped in (True, False))
    assert damped[1].tolist() == [0.0, 0.0] and damped[0].tolist() == pytest.approx([0.0, 1.4])
    assert free[1].tolist() == pytest.approx([0.125, 0.075])
    assert evaluate(ACTIVE, Millard2012(), [0.3, 2.0], damped=False)[0].tolist() == pytest.approx([0.1, 0.1])
    assert evaluate(ACTIVE, Millard2012(least_active=0.2), [0.3], damped=True)[0].tolist() == [0.0]


@pytest.mark.parametrize(
    ("family", "sentence"),
    [
        (Thelen2003(tendon_strain=0.0), "Thelen2003: tendon_strain must be finite and positive"),
        (Thelen2003(lengthening_force=1.0), "becomes a straight line between 1 and"),
        (DeGrooteFregly2016(active_width=-1.0), "active_width"),
        (Millard2012(transition_length=1.0), "shortest_active < transition_length < 0.95"),
        (Millard2012(tendon_curviness=1.5), "tendon_curviness must be between 0 and 1"),
        (Millard2012(passive_strain=-0.1), "passive force-length curve: passive_strain"),
        (Millard2012(passive_stiffness=1.0), "passive_stiffness must be above"),
        (Millard2012(tendon_stiffness=1.0), "tendon_stiffness >"),
        (Millard2012(isometric_slope=1.0), "force-velocity curve: the slopes .* leave no smooth curve"),
        (Millard2012(lengthening_force=0.9), "lengthening_force above 1"),
        (Millard2012(shallow_slope="steep"), "shallow_slope must be a finite number"),
    ],
)
def test_bad_parameters(family, sentence):
    with pytest.raises(ValueError, match=sentence):
        family.parameters(True)


@pytest.fixture
def families():
    """The families as they were, after the test."""
    count = len(CURVES)
    yield
    del CURVES[count:]
    for choice in CHOICES.values():
        del choice.members[count:]
        if choice.door is not None:
            del choice.door.members[count:]
            choice.door.demanded = {(kind, scalar) for kind, scalar in choice.door.demanded if kind < count}


def test_a_family_of_ones_own(families):
    @dataclass(frozen=True)
    class Mine(Thelen2003):
        """Thelen's curves under another name."""

    Mine.kind = -1
    with pytest.raises(ValueError, match="register the curves Mine"):
        Hill(1000.0, 0.1, 0.2, curves=Mine())
    register_curves(Mine)
    assert Mine.kind == len(CURVES) - 1
    mine, known = (Hill(1000.0, 0.1, 0.2, curves=curves).equilibrium(0.4, 0.3) for curves in (Mine(), Thelen2003()))
    assert mine == known
