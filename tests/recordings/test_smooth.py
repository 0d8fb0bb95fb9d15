"""Splines and filters of tables against SciPy, closed forms and OpenSim's own filter."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_smoothing_spline
from scipy.signal import butter, filtfilt

from myomass.recordings import Spline, Table, lowpass, resample

pytestmark = pytest.mark.fast
FIXTURES = Path(__file__).parents[1] / "fixtures"


def wavy(rows=40, rate=60.0, uneven=0.0, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(rows) / rate + 0.3
    t = t + uneven / rate * rng.uniform(-0.4, 0.4, rows)
    values = np.column_stack([np.sin(5 * t) + 0.1 * np.sin(90 * t), t**2 - 3 * t, 1e3 * np.cos(7 * t)])
    return Table(t, values + 1e-3 * rng.standard_normal(values.shape), ["a", "b", "c"])


class TestSplines:
    @pytest.mark.parametrize(
        ("degree", "how"), [(1, "with the same values"), (3, "as a straight line"), (5, "as a parabola")]
    )
    def test_far_beyond_the_table_a_warning_says_how_it_goes_on(self, degree, how):
        spline = Spline(wavy(), degree)
        step = (spline.end - spline.start) / (len(wavy()) - 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            spline([spline.start - 0.9 * step, spline.end + 0.9 * step])
        for t in (spline.end + 2 * step, [spline.start, spline.start - 2 * step]):
            asked = np.ravel(t)[-1]
            with pytest.warns(UserWarning, match=f"and its spline is asked at {asked:g} s; .* goes on {how}$"):
                spline(t)

    def test_the_cubic_is_the_natural_one(self):
        table = wavy(uneven=1.0)
        spline, theirs = Spline(table, 3), CubicSpline(table.t, table.values, bc_type="natural")
        t = np.linspace(table.t[0], table.t[-1], 97)
        for order in range(5):
            expected = theirs(t, order)
            np.testing.assert_allclose(spline(t, order), expected, rtol=0, atol=1e-9 * np.abs(expected).max())

    def test_the_cubic_through_three_rows(self):
        table = wavy(rows=3, uneven=1.0)
        theirs, t = CubicSpline(table.t, table.values, bc_type="natural"), np.linspace(table.t[0], table.t[-1], 7)
        np.testing.assert_allclose(Spline(table, 3)(t), theirs(t), rtol=1e-12)
        np.testing.assert_allclose(resample(table, t).values, theirs(t), rtol=1e-12)

    def test_the_quintic_goes_through_all_rows_with_its_end_conditions(self):
        table = wavy(uneven=1.0)
        spline = Spline(table)
        np.testing.assert_allclose(spline(table.t), table.values, rtol=1e-12, atol=1e-12)
        inside = np.abs(spline(table.t[1:-1], 3)).max(axis=0), np.abs(spline(table.t[1:-1], 4)).max(axis=0)
        for order, largest in zip((3, 4), inside, strict=True):
            assert (np.abs(spline(table.t[[0, -1]], order)) < 1e-7 * largest).all()

    @pytest.mark.parametrize(("degree", "reproduced"), [(3, 1), (5, 2)])
    def test_polynomials_that_meet_the_end_conditions_are_exact_and_go_on_beyond(self, degree, reproduced):
        t = np.array([0.0, 0.1, 0.35, 0.5, 0.8, 1.0])
        spline = Spline(Table(t, (2 + 3 * t**reproduced)[:, None], ["x"]), degree)
        at = np.array([-2.0, 0.2, 1.5])
        np.testing.assert_allclose(spline(at)[:, 0], 2 + 3 * at**reproduced, rtol=1e-9)
        np.testing.assert_allclose(spline(at, 1)[:, 0], 3 * reproduced * at ** (reproduced - 1), rtol=1e-8)
        np.testing.assert_allclose(spline(at, 3)[:, 0], 0, atol=1e-8)

    def test_lines_hold_their_end_values(self):
        spline = Spline(Table([0.0, 1.0, 3.0], [[0.0], [2.0], [4.0]], ["x"]), 1)
        assert spline([-1.0, 0.5, 2.0, 5.0])[:, 0].tolist() == [0, 1, 3, 4]
        assert spline([-1.0, 0.5, 2.0, 5.0], 1)[:, 0].tolist() == [0, 2, 1, 0]

    @pytest.mark.parametrize("degree", [3, 5])
    def test_beyond_its_ends_it_is_smooth(self, degree):
        table = wavy()
        spline, h = Spline(table, degree), 1e-6
        for end in (spline.start, spline.end):
            for order in range((degree + 1) // 2):
                near = spline(np.array([end - h, end, end + h]), order)
                np.testing.assert_allclose(near, near[[1, 1, 1]], rtol=0, atol=1e-2 * np.abs(near).max() + 1.0)

    def test_derivatives_are_those_of_the_values(self):
        spline, h = Spline(wavy()), 1e-5
        t = np.linspace(0.401, 0.801, 11)
        for order in range(4):
            slope = (spline(t + h, order) - spline(t - h, order)) / (2 * h)
            exact = spline(t, order + 1)
            np.testing.assert_allclose(slope, exact, rtol=0, atol=2e-5 * np.abs(exact).max())

    @pytest.mark.parametrize("degree", [3, 5])
    @pytest.mark.parametrize("unit", [1e-9, 1e9])
    def test_it_does_not_matter_what_time_is_counted_in(self, degree, unit):
        table = wavy(uneven=1.0)
        other = Table(unit * table.t, table.values, table.names)
        t = np.linspace(table.t[0], table.t[-1], 57)
        for order in range(3):
            expected = Spline(table, degree)(t, order)
            ours = Spline(other, degree)(unit * t, order) * unit**order
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9 * np.abs(expected).max())

    def test_a_time_or_several_and_whole_tables(self):
        table = wavy()
        spline = Spline(table)
        assert spline(0.5).shape == (3,) and spline([0.5, 0.6]).shape == (2, 3)
        rates = spline.table([0.5, 0.6], 1)
        assert rates.names == table.names and (rates["b"] == spline([0.5, 0.6], 1)[:, 1]).all()

    def test_smoothing_is_scipys_for_each_column(self):
        table = wavy(uneven=1.0)
        for smoothing, lam in ((1e-5, 1e-5), ("gcv", None)):
            spline = Spline(table, 3, smoothing)
            for k in range(3):
                theirs = make_smoothing_spline(table.t, table.values[:, k], lam=lam)
                np.testing.assert_allclose(spline(table.t, 1)[:, k], theirs(table.t, 1), rtol=1e-9, atol=1e-9)

    def test_few_rows(self):
        t = np.array([0.0, 1.0, 3.0])
        assert Spline(Table(t[:2], t[:2, None], ["x"]), 3)(0.5) == pytest.approx(0.5)
        assert Spline(Table(t, t[:, None] ** 2, ["x"]), 5)(2.0) == pytest.approx(4.0)

    def test_bad_input(self):
        table = wavy()
        gap = table.values.copy()
        gap[4, 1] = np.nan
        with pytest.raises(ValueError, match=r"column 'b' of the table has none at 0.3\d+ s; fill the gap first"):
            Spline(table.with_values(table.t, gap))
        with pytest.raises(ValueError, match="degree 1, 3 or 5, not 4"):
            Spline(table, 4)
        with pytest.raises(ValueError, match="needs 3 rows or more, and the table has 2"):
            Spline(table.with_values(table.t[:2], table.values[:2]))
        with pytest.raises(ValueError, match='number or "gcv", not'):
            Spline(table, 3, "much")
        with pytest.raises(ValueError, match="smoothing spline has degree 3, not 5"):
            Spline(table, 5, 1e-3)
        with pytest.raises(ValueError, match=r"order of a derivative is 0, 1, 2, \.\.\., not -1"):
            Spline(table)(0.5, -1)
        with pytest.raises(TypeError, match=r"needs an mm.recordings.Table, and is given ndarray"):
            Spline(table.values)


class TestResample:
    def test_by_step_and_by_times(self):
        table = wavy()
        finer = resample(table, 1 / 120)
        assert len(finer) == 79
        np.testing.assert_allclose(finer.values[::2], table.values, rtol=1e-9)
        times = [0.31, 0.5]
        assert (resample(table, times, degree=5).values == Spline(table, 5)(times)).all()
        line = resample(table, [(table.t[0] + table.t[1]) / 2], degree=1)
        np.testing.assert_allclose(line.values[0], table.values[:2].mean(axis=0), rtol=1e-12)

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"reaches from 0.3 to 0.95 s, and 1 s is outside"):
            resample(wavy(), [0.5, 1.0])
        with pytest.raises(ValueError, match=r"step of resample \[s\] must be finite and positive"):
            resample(wavy(), -0.1)


class TestLowpass:
    def test_opensims_recipe_is_opensims(self):
        stored = json.loads((FIXTURES / "opensim_lowpass.json").read_text())
        for case in stored["cases"]:
            table = Table(case["time"], np.array(case["values"]), case["names"])
            ours = lowpass(table, case["cutoff"])
            np.testing.assert_allclose(ours.t, case["filtered_time"], rtol=0, atol=1e-12)
            np.testing.assert_allclose(ours.values, case["filtered"], rtol=0, atol=1e-10 * np.abs(ours.values).max())

    def test_the_usual_recipe_is_scipys(self):
        table = wavy()
        b, a = butter(4, 6.0, fs=60.0)
        ours = lowpass(table, 6.0, order=4, recipe="filtfilt")
        np.testing.assert_allclose(ours.values, filtfilt(b, a, table.values, axis=0), rtol=0, atol=1e-9)
        assert (ours.t == table.t).all()

    def test_uneven_times_become_even(self):
        ours = lowpass(wavy(uneven=0.5), 6.0, recipe="filtfilt")
        np.testing.assert_allclose(np.diff(ours.t), np.diff(ours.t)[0], rtol=1e-9)

    @pytest.mark.parametrize("recipe", ["opensim", "filtfilt"])
    def test_amplitude_is_halved_at_the_cutoff_without_lag(self, recipe):
        t = np.arange(2001) / 200.0
        table = Table(t, np.sin(2 * np.pi * 5.0 * t)[:, None], ["x"])
        middle = slice(800, 1200)
        ours = lowpass(table, 5.0, recipe=recipe)
        np.testing.assert_allclose(ours.values[middle], 0.5 * table.values[middle], rtol=0, atol=1e-3)

    @pytest.mark.parametrize("recipe", ["opensim", "filtfilt"])
    def test_constants_pass(self, recipe):
        table = Table(np.arange(60) / 100.0, np.tile([2.0, -700.0], (60, 1)), ["x", "y"])
        np.testing.assert_allclose(lowpass(table, 6.0, recipe=recipe).values, table.values, rtol=1e-10)

    def test_bad_input(self):
        table = wavy()
        with pytest.raises(ValueError, match="below half of the 60 rows per second, 30 Hz, and is 31 Hz"):
            lowpass(table, 31.0)
        with pytest.raises(ValueError, match=r"cut-off \[Hz\] must be finite and positive, and is -6"):
            lowpass(table, -6.0)
        with pytest.raises(ValueError, match='"opensim" or "filtfilt", not'):
            lowpass(table, 6.0, recipe="winter")
        with pytest.raises(ValueError, match="4 rows or more are needed, and the table has 3"):
            lowpass(table.between(0.0, 0.34), 6.0)
        with pytest.raises(ValueError, match="order is a whole number from 1 to 8, not 0"):
            lowpass(table, 6.0, order=0)
        crowded = Table([*table.t, table.t[-1] + 1e-9], np.vstack([table.values, table.values[-1]]), table.names)
        with pytest.raises(ValueError, match=r"smallest step of the table, 1e-09 s at 0.95 s"):
            lowpass(crowded, 6.0)
