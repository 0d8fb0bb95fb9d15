"""Joint curves and clips: values, ends, fits, and words for bad ones."""

import numpy as np
import pytest
from scipy.interpolate import BSpline
from trees import random_tree

import myomass as mm

pytestmark = pytest.mark.fast


def some_curve(count=9, ndof=3, start=0.5, end=2.0):
    return mm.transitions.JointCurve(np.random.default_rng(1).normal(size=(count, ndof)), start, end)


def test_a_curve_is_scipys_spline():
    curve = some_curve()
    knots = curve.start + curve.h * np.arange(-3, len(curve.coefficients) + 1)
    spline = BSpline(knots, curve.coefficients, 3)
    t = np.linspace(0.5, 2.0, 40)
    for order, values in enumerate(curve(t)):
        expected = spline.derivative(order)(t) if order else spline(t)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_one_time_and_many():
    curve = some_curve()
    many = curve(np.array([0.5, 1.1, 2.0]))
    for i, t in enumerate((0.5, 1.1, 2.0)):
        for one, rows in zip(curve(t), many, strict=True):
            assert one.shape == (3,)
            np.testing.assert_array_equal(one, rows[i])


def test_a_blend_has_its_ends():
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(2, 3, 4))
    curve = mm.transitions.JointCurve.blend(before, after, 1.3, 10)
    for t, wanted in ((0.0, before), (1.3, after)):
        np.testing.assert_allclose(np.array(curve(t)), wanted, rtol=0, atol=1e-12)


def test_knots_and_smoothness():
    """Second derivatives do not jump where segments meet."""
    curve = some_curve()
    assert len(curve.knots) == 7
    inner, e = curve.knots[1:-1], 1e-9
    for before, after in zip(curve(inner - e), curve(inner + e), strict=True):
        np.testing.assert_allclose(before, after, atol=1e-5)


def test_a_fit_gives_a_curve_back():
    curve = some_curve()
    t = np.linspace(0.5, 2.0, 50)
    np.testing.assert_allclose(
        mm.transitions.JointCurve.fit(t, curve(t).q, 9).coefficients, curve.coefficients, atol=1e-12
    )


def test_a_curve_as_a_trajectory():
    model = random_tree(3, 3, ["revolute", "spherical-euler"])
    curve = mm.transitions.JointCurve(0.3 * np.random.default_rng(0).normal(size=(8, model.ndof)))
    run = curve.trajectory(model, 0.1)
    assert len(run.t) == 11
    np.testing.assert_array_equal(run.qdot, curve(run.t).qdot)
    assert np.isfinite(run.kinetic).all()


def test_a_clip_knows_its_derivatives():
    t = np.linspace(0, 1, 60)
    clip = mm.transitions.Clip(t, np.column_stack([np.sin(3 * t), t**2]))
    q, qdot, qddot = clip(1.0)
    np.testing.assert_allclose(q, [np.sin(3), 1], atol=1e-12)
    np.testing.assert_allclose(qdot, [3 * np.cos(3), 2], atol=1e-6)
    np.testing.assert_allclose(qddot, [-9 * np.sin(3), 2], atol=1e-3)
    for rows in (3, 4, 5):
        np.testing.assert_allclose(mm.transitions.Clip(t[:rows], t[:rows, None] ** 2)(t[0]).qddot, [2], atol=1e-8)


def test_a_curve_keeps_its_own_numbers():
    given = np.zeros((5, 2))
    curve = mm.transitions.JointCurve(given)
    given[:] = 1.0
    assert not curve.coefficients.any()


def test_words_for_bad_curves_and_clips():
    with pytest.raises(ValueError, match="four coefficients or more, and there are 3"):
        mm.transitions.JointCurve(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="the end must come after the start"):
        mm.transitions.JointCurve(np.zeros((5, 2)), 1.0, 1.0)
    with pytest.raises(ValueError, match="must be finite numbers"):
        mm.transitions.JointCurve(np.full((5, 2), np.nan))
    with pytest.raises(ValueError, match=r"times must rise, and t\[1\] is 0.2 s and t\[2\] is 0.1 s"):
        mm.transitions.Clip([0, 0.2, 0.1], np.zeros((3, 2)))
    for rows in (0, 2):
        with pytest.raises(ValueError, match=f"three rows or more make a motion, and there are {rows}"):
            mm.transitions.Clip(np.arange(rows), np.zeros((rows, 2)))
    with pytest.raises(ValueError, match="it lasts from 0 to 2 s, and 5 s is outside"):
        mm.transitions.Clip(np.arange(3), np.zeros((3, 2)))(5.0)
    with pytest.raises(ValueError, match="7 or more, not 6"):
        mm.transitions.JointCurve.blend(np.zeros((3, 1)), np.zeros((3, 1)), 1.0, 6)
    with pytest.raises(ValueError, match="too many where rows are far apart"):
        mm.transitions.JointCurve.fit([0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 1], np.ones((8, 1)), 8)
    with pytest.raises(ValueError, match="trajectory: h must be finite and positive"):
        mm.transitions.JointCurve(np.zeros((5, 2))).trajectory(random_tree(0, 2, ["revolute"]), 0.0)
    with pytest.raises(ValueError, match="the coordinates must be finite numbers of shape"):
        mm.transitions.Clip([0, 0.2], np.zeros((3, 2)))
    with pytest.raises(ValueError, match="from 4 coefficients to as many as there are rows"):
        mm.transitions.JointCurve.fit(np.arange(5.0), np.zeros((5, 1)), 6)
    with pytest.raises(ValueError, match="the curve has 2 coordinates, and model"):
        mm.transitions.JointCurve(np.zeros((5, 2))).trajectory(random_tree(0, 4))
