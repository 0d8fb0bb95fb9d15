"""Motions that go on beyond their ends, and sines."""

import numpy as np
import pytest

import myomass as mm
from myomass.spatial.motion import curve_at
from myomass.spatial.scaled import scaled

pytestmark = pytest.mark.fast


def test_end_pieces_go_on():
    rows = [[1.0, 2.0, 3.0], [6.0, -1.0, 0.5]]
    held, on = mm.Motion.pieces([0, 1, 2], rows), mm.Motion.pieces([0, 1, 2], rows, goes_on=True)
    t = np.array([-2.0, -0.5, 0.5, 1.5, 3.0])
    np.testing.assert_allclose(on.along(t), [9.0, 0.75, 2.75, 5.625, 6.0], rtol=1e-15)
    assert held(-2.0) == 1.0 and held(3.0) == 5.5
    assert curve_at(on.parameters(), 0, 3.0) == (6.0, 1.0, 1.0)
    assert on.integral()(3.0) - on.integral()(2.0) == pytest.approx(5.5 + 0.5 * 0.0 + 1 / 6, abs=1e-14)


def test_a_sine():
    wave, t = mm.Motion.sine(0.5, 2.0, 0.3, 0.1), 1.7
    value, rate, second = curve_at(wave.parameters(), 0, t)
    assert wave(t) == value == pytest.approx(0.5 * np.sin(2 * t + 0.3) + 0.1, abs=1e-15)
    assert curve_at(wave.parameters(), 0, t + 1e-30j)[0].imag / 1e-30 == pytest.approx(rate, rel=1e-14)
    assert curve_at(wave.parameters(), 0, t + 1e-30j)[1].imag / 1e-30 == pytest.approx(second, rel=1e-14)
    assert repr(wave) == "Motion(0.5 sin(2 t + 0.3) + 0.1)"


@pytest.mark.parametrize("motion", [mm.Motion(3.0), mm.Motion.sine(0.5, 2.0, 0.3), mm.Motion.sine(-2.0, -0.7, 1.1)])
def test_integrals_start_at_zero_and_have_the_motion_as_their_rate(motion):
    whole = motion.integral()
    assert whole(0.0) == pytest.approx(0.0, abs=1e-15)
    for t in (-2.3, 0.0, 0.4, 7.9):
        rate = curve_at(whole.parameters(), 0, t + 1e-30j)[0].imag / 1e-30
        assert rate == pytest.approx(motion(t), abs=1e-14)


@pytest.mark.parametrize("motion", [mm.Motion.sine(0.5, 2.0, 0.3, 0.1), mm.Motion.sine(0.5, 0.0, 0.3)])
def test_integrals_that_are_no_sines(motion):
    with pytest.raises(ValueError, match=r"the integral of Motion\(.*give a sine with a rate and no offset"):
        motion.integral()


@pytest.mark.parametrize(
    "motion",
    [
        mm.Motion(2.0),
        mm.Motion.sine(1, 2),
        mm.Motion.linear([0, 1, 3], [1, 2, 0]),
        mm.Motion.pieces([0, 1], [[1, 2, 3]], goes_on=True),
    ],
)
def test_numbers_make_the_motion_again(motion):
    again = mm.Motion.from_parameters(motion.parameters())
    assert again.parameters().tolist() == motion.parameters().tolist()
    assert again(-1.3) == motion(-1.3)


@pytest.mark.parametrize(
    "motion",
    [
        mm.Motion(2.0),
        mm.Motion.sine(1, 2, 0.3, 0.1),
        mm.Motion.linear([0, 1, 3], [1, 2, 0]),
        mm.Motion.pieces([0, 1], [[1, 2, 3]], goes_on=True),
    ],
)
def test_a_scaled_motion(motion):
    t = np.array([-1.3, 0.4, 2.2, 5.0])
    np.testing.assert_allclose(scaled(motion, -3.0, 0.7).along(t), 0.7 - 3.0 * motion.along(t), rtol=1e-15, atol=1e-15)
    assert scaled(motion, 2.0).moves == motion.moves
