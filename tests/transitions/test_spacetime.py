"""The spacetime energy: against other quadrature, and its gradient against complex steps."""

import numpy as np
import pytest
from scipy.integrate import quad_vec
from trees import add_every_force, random_spec, random_tree

import myomass as mm

STEP = 1e-30


def curve_of(model, count, seed=0, end=1.3):
    rng = np.random.default_rng(seed)
    return mm.transitions.JointCurve(0.6 + 0.3 * rng.normal(size=(count, model.ndof)), 0.1, end)


def stepped(model, curve, weights, **options):
    """dP/dc by complex steps."""
    slope = np.zeros(curve.coefficients.shape)
    for place in np.ndindex(slope.shape):
        coefficients = curve.coefficients.astype(complex)
        coefficients[place] += 1j * STEP
        moved = mm.transitions.JointCurve(coefficients, curve.start, curve.end)
        slope[place] = mm.transitions.spacetime_energy(model, moved, weights, **options).imag / STEP
    return slope


def check_gradient(model, count=8, seed=0, **options):
    curve, weights = curve_of(model, count, seed), np.random.default_rng(seed).uniform(0.5, 2.0, model.ndof)
    P, slope = mm.transitions.spacetime_gradient(model, curve, weights, **options)
    np.testing.assert_allclose(P, mm.transitions.spacetime_energy(model, curve, weights, **options), rtol=1e-14)
    expected = stepped(model, curve, weights, **options)
    np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(5))
def test_gradient_on_random_trees(seed):
    check_gradient(random_tree(seed, 4), seed=seed)


@pytest.mark.parametrize(("rule", "points"), [("gauss", 1), ("gauss", 5), ("simpson", 1), ("simpson", 3)])
def test_gradient_of_every_rule(rule, points):
    check_gradient(random_tree(2, 3), quadrature=rule, points=points)


def test_gradient_of_hundreds_of_coefficients():
    model = random_tree(7, 6)
    check_gradient(model, count=-(-300 // model.ndof))


def test_gradient_where_forces_act():
    spec = random_spec(3, 3)
    add_every_force(spec, 3)
    check_gradient(spec.compile(), 7)


@pytest.mark.slow
def test_gradient_where_muscles_have_mass():
    check_gradient(mm.scenes.load("muscle-cylinder").model, 6)


def test_gradient_of_a_figure_that_stands_on_one_foot_and_then_the_other():
    model = mm.scenes.human_figure().compile()
    check_gradient(model, 8, bearing=[mm.transitions.Bearing("foot_r", 0, 0.7), mm.transitions.Bearing("foot_l", 0.7)])


def test_the_energy_is_the_integral():
    model = random_tree(1, 4, ["revolute", "spherical-exp", "prismatic", "universal"])
    curve, weights = curve_of(model, 9), np.linspace(1, 2, model.ndof)

    def effort(t):
        return weights @ mm.inverse_dynamics(model, *curve(t)) ** 2

    expected, _ = quad_vec(effort, curve.start, curve.end, epsrel=1e-12, points=curve.knots)
    assert mm.transitions.spacetime_energy(model, curve, weights, points=12) == pytest.approx(expected, rel=1e-11)
    errors = [
        abs(mm.transitions.spacetime_energy(model, curve, weights, quadrature="simpson", points=n) - expected)
        for n in (4, 8)
    ]
    assert 12 < errors[0] / errors[1] < 20  # of fourth order


def test_a_change_of_the_bearing_body_within_a_segment_is_no_trouble():
    model = mm.scenes.human_figure().compile()
    curve = mm.transitions.JointCurve(0.2 * np.random.default_rng(0).normal(size=(8, 40)))
    feet = [mm.transitions.Bearing("foot_r", 0, 0.37), mm.transitions.Bearing("foot_l", 0.37)]
    few, many = (mm.transitions.spacetime_energy(model, curve, bearing=feet, points=points) for points in (5, 20))
    assert few == pytest.approx(many, rel=1e-6)


def test_a_bearing_body_bears_everything():
    """Torques of the supported figure: those under the ground's wrench on the foot, and none at the root."""
    model = mm.scenes.human_figure().compile()
    curve = mm.transitions.JointCurve(0.2 * np.random.default_rng(0).normal(size=(8, 40)))
    t = 0.37
    q, qdot, qddot = curve(t)
    foot = model.body("foot_r")
    J = mm.frame_jacobian(model, q, foot)[0]
    wrenches = np.zeros((model.nbodies, 6))
    wrenches[foot] = np.linalg.solve(J[:, :6].T, mm.inverse_dynamics(model, q, qdot, qddot)[:6])
    expected = mm.inverse_dynamics(model, q, qdot, qddot, wrenches=wrenches)
    effort = mm.transitions.spacetime.Effort(model, (0.0, 1.0, 8), bearing=[mm.transitions.Bearing("foot_r")])
    got = effort.torques(curve, t)[0]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    assert np.abs(got[:6]).max() < 1e-9


def test_words_for_bad_input():
    model = random_tree(0, 3)
    curve = curve_of(model, 6)
    with pytest.raises(ValueError, match="the curve has 2 coordinates, and model"):
        mm.transitions.spacetime_energy(model, mm.transitions.JointCurve(np.zeros((6, 2))))
    with pytest.raises(TypeError, match="a curve is needed"):
        mm.transitions.spacetime_energy(model, np.zeros((6, model.ndof)))
    with pytest.raises(TypeError, match="a model is needed"):
        mm.transitions.spacetime_energy(None, curve)
    with pytest.raises(ValueError, match="must not be negative, and one is -1"):
        mm.transitions.spacetime_energy(model, curve, -np.ones(model.ndof))
    with pytest.raises(ValueError, match='the quadrature is "gauss" or "simpson"'):
        mm.transitions.spacetime_energy(model, curve, quadrature="midpoint")
    with pytest.raises(ValueError, match="a whole number from 1 to 64"):
        mm.transitions.spacetime_energy(model, curve, points=0)
    with pytest.raises(ValueError, match="real coefficients are needed here"):
        mm.transitions.spacetime_gradient(model, mm.transitions.JointCurve(curve.coefficients + 0j))
    with pytest.raises(ValueError, match="one root with six degrees of freedom"):
        mm.transitions.spacetime_energy(
            random_tree(0, 2, ["revolute"]),
            mm.transitions.JointCurve(np.zeros((6, 2))),
            bearing=[mm.transitions.Bearing("b1")],
        )
    with pytest.raises(KeyError, match="has no body 'foot'"):
        mm.transitions.spacetime_energy(model, curve, bearing=[mm.transitions.Bearing("foot")])
    with pytest.raises(ValueError, match="some weight of the torques must be positive"):
        mm.transitions.spacetime_energy(model, curve, np.zeros(model.ndof))
    with pytest.raises(ValueError, match="bears from a start to a later end"):
        mm.transitions.Bearing("foot", 1.0, 0.5)
    with pytest.raises(TypeError, match=r"bearing: give mm.transitions.Bearing\(...\)"):
        mm.transitions.spacetime_energy(model, curve, bearing="foot")
    figure = mm.scenes.human_figure().compile()
    still = mm.transitions.JointCurve(np.zeros((6, 40)))
    for bearing, words in (
        ([mm.transitions.Bearing("foot_l", 0, 0.6), mm.transitions.Bearing("foot_r", 0.5, 1)], "bear at the same time"),
        ([mm.transitions.Bearing("foot_l", 2, 3)], "bears outside of the curve"),
    ):
        with pytest.raises(ValueError, match=words):
            mm.transitions.spacetime_energy(figure, still, bearing=bearing)
    for function in (mm.transitions.spacetime_energy, mm.transitions.spacetime_gradient):
        with pytest.raises(FloatingPointError, match="the effort of this curve is not finite"):
            function(model, mm.transitions.JointCurve(1e200 * curve.coefficients))
    with pytest.raises(ValueError, match="efforts are found in float64"):
        mm.transitions.spacetime_energy(model.astype(np.float32), curve)
    spec = mm.Spec()
    spec.add_body("a", None, mm.Fixed(), None, None, mm.Inertia.cuboid((1, 1, 1), mass=1))
    with pytest.raises(ValueError, match="no degree of freedom, and so no effort"):
        mm.transitions.spacetime_energy(spec.compile(), mm.transitions.JointCurve(np.zeros((6, 0))))
