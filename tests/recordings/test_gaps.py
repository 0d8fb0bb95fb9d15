"""Gaps are found and told, and filled by the cubic through their neighbours."""

import numpy as np
import pytest

from myomass.recordings import Gap, Markers, Table, fill_gaps, gaps

pytestmark = pytest.mark.fast
NAN = np.nan


def uneven(rows=30):
    return np.cumsum(np.random.default_rng(3).uniform(0.005, 0.015, rows))


def with_gaps(values, *missing):
    values = np.array(values, float)
    for rows in missing:
        values[rows] = NAN
    return values


class TestFinding:
    def test_every_gap(self):
        columns = [[NAN, 1, NAN, NAN, 2, NAN], [1, 2, 3, 4, 5, 6], [NAN] * 6]
        table = Table(np.arange(6) / 10, np.transpose(columns), ("a", "b", "c"))
        found = gaps(table)
        assert [gap[:3] for gap in found] == [("a", 0, 0), ("a", 2, 3), ("a", 5, 5), ("c", 0, 5)]
        assert [gap.length for gap in found] == [np.inf, pytest.approx(0.3), np.inf, np.inf]

    def test_markers_have_them_once(self):
        places = np.zeros((5, 2, 3))
        places[1, 0] = NAN
        assert gaps(Markers(np.arange(5.0), places, ("A", "B"))) == [Gap("A", 1, 1, 2.0)]

    def test_nothing_to_find(self):
        assert gaps(Table([], np.zeros((0, 2)), ("a", "b"))) == []
        assert gaps(Table([0.0], np.zeros((1, 0)), ())) == []
        with pytest.raises(TypeError, match="a Table or of Markers, not of list"):
            gaps([1, 2])


class TestFilling:
    def test_a_cubic_comes_back(self):
        t = uneven()
        exact = np.polynomial.polynomial.polyval(t - 0.1, [0.3, -2.0, 30.0, 400.0])
        table = Table(t, with_gaps(exact, slice(4, 9), 12, slice(20, 22))[:, None], ("a",))
        np.testing.assert_allclose(fill_gaps(table, 1.0)["a"], exact, rtol=1e-11)
        assert np.isnan(table.values).sum() == 8  # the given table stays as it was

    def test_what_was_measured_stays(self):
        t = uneven()
        values = with_gaps(np.random.default_rng(1).normal(size=(30, 2)), slice(5, 7), slice(11, 14))
        filled = fill_gaps(Table(t, values, ("a", "b")), 1.0).values
        there = np.isfinite(values)
        np.testing.assert_array_equal(filled[there], values[there])
        assert np.isfinite(filled).all()

    @pytest.mark.parametrize(("before", "after", "degree"), [(1, 1, 1), (2, 1, 2), (1, 2, 2), (2, 2, 3)])
    def test_few_neighbours(self, before, after, degree):
        rows = before + 3 + after
        t = np.arange(rows) / 10
        exact = 1 + t + (t**degree)
        table = Table(t, with_gaps(exact, slice(before, before + 3))[:, None], ("a",))
        np.testing.assert_allclose(fill_gaps(table, 0.4)["a"], exact, rtol=1e-13)

    def test_far_from_zero_and_small_steps(self):
        t = 1e6 + np.arange(10) * 1e-3
        table = Table(t, with_gaps(np.sin(t - 1e6), slice(4, 6))[:, None], ("a",))
        np.testing.assert_allclose(fill_gaps(table, 0.01)["a"], np.sin(t - 1e6), atol=1e-9)

    def test_longer_ones(self):
        table = Table(np.arange(9) / 10, with_gaps(np.arange(9), slice(1, 3), slice(4, 7))[:, None], ("a",))
        filled = fill_gaps(table, 0.3)["a"]  # from row 0 to row 3: 0.3 s
        np.testing.assert_allclose(filled, [0, 1, 2, 3, NAN, NAN, NAN, 7, 8], atol=1e-14)
        with pytest.raises(ValueError, match=r"'a' has no numbers from 0.4 to 0.6 s; this gap is longer than 0.3 s"):
            fill_gaps(table, 0.3, longer="raise")
        assert np.isfinite(fill_gaps(table, 0.4, longer="raise").values).all()

    def test_ends_stay_unless_asked_for(self):
        table = Table(np.arange(6.0), with_gaps([0, 1, 2, 3, 4, 5], 0, slice(4, 6))[:, None], ("a",))
        np.testing.assert_array_equal(fill_gaps(table, 9.0)["a"], table["a"])
        np.testing.assert_array_equal(fill_gaps(table, 9.0, ends=True)["a"], [1, 1, 2, 3, 3, 3])
        with pytest.raises(ValueError, match="from 0 to 0 s; this gap is at an end"):
            fill_gaps(table, 9.0, longer="raise")

    def test_nothing_was_measured(self):
        table = Table(np.arange(3.0), np.full((3, 1), NAN), ("a",))
        assert np.isnan(fill_gaps(table, 9.0, ends=True).values).all()
        with pytest.raises(ValueError, match="from 0 to 2 s; this gap is all of the recording"):
            fill_gaps(table, 9.0, ends=True, longer="raise")

    def test_markers(self):
        t = uneven()
        places = np.stack([np.stack([np.sin(t), t, t**2], axis=1), np.zeros((30, 3))], axis=1)
        markers = Markers(t, places, ("A", "B_x"))
        markers.places[10:12, 0] = NAN
        filled = fill_gaps(markers, 0.1)
        assert isinstance(filled, Markers) and filled.names == markers.names
        np.testing.assert_allclose(filled.places, places, atol=1e-8)

    def test_what_is_wrong(self):
        table = Table([0.0], [[1.0]], ("a",))
        with pytest.raises(ValueError, match="not negative, and is -1"):
            fill_gaps(table, -1)
        with pytest.raises(ValueError, match="not negative, and is nan"):
            fill_gaps(table, NAN)
        with pytest.raises(ValueError, match="not negative, and is None"):
            fill_gaps(table, None)
        with pytest.raises(ValueError, match='longer is "keep" or "raise", not \'drop\''):
            fill_gaps(table, 1, longer="drop")
