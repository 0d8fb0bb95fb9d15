"""Files .trc: units heeded, gaps kept, the same places as OpenSim reads, and every fault told with its line."""

import numpy as np
import pytest

from myomass.recordings import Z_UP_TO_Y_UP, Markers, read_trc, write_trc

HEAD = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "100.00\t100.00\t3\t2\tmm\t100.00\t1\t3\n"
    "Frame#\tTime\tR.ASIS\t\t\tV_Sacral\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
)
ROWS = "1\t0.00\t10\t20\t30\t-1e1\t0\t1\n2\t0.01\t\t\t\t4\t5\t6\n3\t0.02\t7\t8\t9\t\t\t\n"
GAP = [np.nan] * 3
PLACES = np.array([[[10, 20, 30], [-10, 0, 1]], [GAP, [4, 5, 6]], [[7, 8, 9], GAP]]) / 1000


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def in_metres(text):
    for old, new in (
        ("10\t20\t30\t-1e1\t0\t1", ".01\t.02\t.03\t-.01\t0\t.001"),
        ("\tmm\t", "\tm\t"),
        ("4\t5\t6", ".004\t.005\t.006"),
        ("7\t8\t9", ".007\t.008\t.009"),
    ):
        text = text.replace(old, new)
    return text


def random_markers(rows=9):
    rng = np.random.default_rng(6)
    places = rng.normal(size=(rows, 3, 3))
    places[2, 1], places[5, 2], places[0, 0] = np.nan, np.nan, np.nan
    return Markers(0.5 + np.arange(rows) / 60, places, ("A", "B.c", "L_toe"))


@pytest.mark.fast
class TestReading:
    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text,
            lambda text: text.replace("\n", "\r\n"),
            lambda text: text.replace("Z2\n\n", "Z2\n"),
            lambda text: "\n".join(line.rstrip("\t") for line in text.split("\n")[:-2]) + "\n3\t0.02\t7\t8\t9\t\t\t\n",
            lambda text: text.replace("R.ASIS\t\t\tV_Sacral\t\t", "R.ASIS\tV_Sacral"),
            lambda text: text.replace("\t\t\t4", "\tnan\tNaN\t-nan(ind)\t4").replace("9\t\t\t\n", "9 NaN NaN NaN\n")
            .replace("\t", " "),
            lambda text: text.replace("\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n", ""),
            in_metres,
        ],
    )  # fmt: skip
    def test_places_names_and_gaps(self, tmp_path, change):
        markers = read_trc(written(tmp_path / "walk.trc", change(HEAD + ROWS)))
        np.testing.assert_allclose(markers.places, PLACES, rtol=1e-15)
        assert markers.names == ("R.ASIS", "V_Sacral") and markers.rate == pytest.approx(100)
        np.testing.assert_array_equal(markers.t, [0, 0.01, 0.02])
        assert markers.about["file"].endswith("walk.trc") and markers.about["OrigNumFrames"] == "3"

    def test_a_rate_that_is_not_that_of_the_times(self, tmp_path):
        path = written(tmp_path / "walk.trc", (HEAD + ROWS).replace("100.00\t100.00\t3", "60\t60\t3"))
        with pytest.warns(
            UserWarning, match=r"line 3: the head says DataRate=60, and the times of the rows say 100 Hz"
        ):
            read_trc(path)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "line 1: the file is empty"),
        (b"PathFileType\x00\x01", "line 1: the file is not text"),
        (
            HEAD.replace(HEAD.split("\n")[3], "") + ROWS,
            "line 4: Frame#, Time and the names of markers stand here, and not ''",
        ),
        ("time\ta\n0\t1\n", "line 1: a .trc file begins with PathFileType, and this one with 'time a'"),
        (HEAD[:150], "line 3: the head of a .trc file has five lines; the file was cut off"),
        (HEAD.replace("\t100.00\t1\t3", "\t100.00\t1") + ROWS, "line 3: line 2 has 8 keys .*, and here are 7 values"),
        (HEAD.replace("Units", "Unit") + ROWS, "line 2: the head does not say Units; add m or mm"),
        (HEAD.replace("\tmm\t", "\tinches\t") + ROWS, "line 3: Units are m, mm, cm, .*, and here 'inches'"),
        (HEAD.replace("\t2\tmm", "\t3\tmm") + ROWS, "line 3: the head says NumMarkers=3, and line 4 has 2 names"),
        (
            HEAD.replace("\t3\t2\tmm", "\t4\t2\tmm") + ROWS,
            "line 3: .*NumFrames=4, and the file has 3 rows; the file was",
        ),
        (HEAD.replace("\t3\t2\tmm", "\t2\t2\tmm") + ROWS, "line 3: .*NumFrames=2, and the file has 3 rows; write 3"),
        (HEAD.replace("\t3\t2\tmm", "\tx\t2\tmm") + ROWS, "line 3: NumFrames is a whole number, and is 'x'"),
        (HEAD.replace("Frame#", "Bild") + ROWS, "line 4: Frame#, Time and the names of markers stand here"),
        (HEAD.replace("R.ASIS", "") + ROWS, "line 4: marker 1 has no name"),
        (HEAD.replace("R.ASIS", "V_Sacral") + ROWS, "line 4: the markers 1 and 2 are both named 'V_Sacral'"),
        (HEAD.replace("\tZ2", "") + ROWS, "line 5: 2 markers have 6 axes, and here are 5"),
        (HEAD + ROWS.replace("\t20", "\ttwenty"), "line 7: the column 'R.ASIS, y' holds 'twenty', which is no number"),
        (HEAD + ROWS.replace("0.01", ""), "line 8: the time is missing or not finite"),
        (HEAD + ROWS.replace("0.01", "0.00"), "line 8: times rise from row to row, and 0 follows 0"),
        (HEAD + ROWS.replace("\t20\t", "\t"), "line 7: the row has 7 cells, and 8 belong to its columns$"),
        (HEAD + ROWS.replace("\t1\n", "\t1\t2\n"), "line 7: the row has 9 cells"),
        (HEAD + ROWS[:-6], "line 9: the row has 4 cells, and 8 belong to its columns; the file was cut off"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, content, told):
    with pytest.raises(ValueError, match=rf"walk\.trc, {told}"):
        read_trc(written(tmp_path / "walk.trc", content))


@pytest.mark.fast
class TestMarkers:
    def test_by_name(self):
        markers = random_markers()
        np.testing.assert_array_equal(markers["B.c"], markers.places[:, 1])
        assert "A" in markers and "Z" not in markers and len(markers) == 9
        assert markers.select(["L_toe", "A"]).names == ("L_toe", "A")
        assert len(markers.between(0.51, 0.55)) == 3
        with pytest.raises(KeyError, match=r"no marker 'Z'; known: A, B\.c, L_toe"):
            markers["Z"]

    def test_as_a_table_and_back(self):
        markers = random_markers()
        table = markers.table()
        assert table.names[:4] == ("A_x", "A_y", "A_z", "B.c_x")
        np.testing.assert_array_equal(Markers.from_table(table).places, markers.places)
        shuffled = Markers.from_table(table.select(table.names[::-1]))
        np.testing.assert_array_equal(shuffled["A"], markers["A"])
        with pytest.raises(ValueError, match=r"and 'A_[xz]' has no others with it"):
            Markers.from_table(table.select(["A_x", "A_y"]))

    def test_another_axis_up(self):
        """What is up, z, becomes y; x stays."""
        markers = Markers([0.0], [[[1.0, 2.0, 3.0]]], ("A",)).rotated(Z_UP_TO_Y_UP)
        np.testing.assert_array_equal(markers.places, [[[1, 3, -2]]])
        with pytest.raises(ValueError, match="orthonormal"):
            markers.rotated(2 * np.eye(3))
        with pytest.raises(ValueError, match="orthonormal"):
            markers.rotated(np.diag([1.0, 1.0, -1.0]))

    def test_what_is_wrong(self):
        with pytest.raises(ValueError, match=r"have places of shape \(1, 2, 3\), not \(1, 2\)"):
            Markers([0.0], [[1.0, 2.0]], ("A", "B"))
        with pytest.raises(ValueError, match="'A' is there twice"):
            Markers([0.0], np.zeros((1, 2, 3)), ("A", "A"))
        with pytest.raises(ValueError, match=r"t\[1\] = 0 follows 0"):
            Markers([0.0, 0.0], np.zeros((2, 1, 3)), ("A",))

    def test_no_rows_and_no_markers(self, tmp_path):
        for markers in (Markers([], np.zeros((0, 1, 3)), ("A",)), Markers([0.0], np.zeros((1, 0, 3)), ())):
            assert np.isnan(markers.rate) and Markers.from_table(markers.table()).places.shape == markers.places.shape
        write_trc(tmp_path / "a.trc", Markers([], np.zeros((0, 1, 3)), ("A",)))
        assert len(read_trc(tmp_path / "a.trc")) == 0


class TestWriting:
    @pytest.mark.fast
    def test_metres_come_back_bit_for_bit(self, tmp_path):
        markers = random_markers()
        write_trc(tmp_path / "a.trc", markers)
        again = read_trc(tmp_path / "a.trc")
        assert again.places.tobytes() == markers.places.tobytes() and again.t.tobytes() == markers.t.tobytes()
        assert again.names == markers.names
        write_trc(tmp_path / "a.trc", markers, "mm")
        np.testing.assert_allclose(read_trc(tmp_path / "a.trc").places, markers.places, rtol=3e-16)

    @pytest.mark.fast
    def test_what_cannot_be_written(self, tmp_path):
        markers = random_markers()
        for name in ("a b", "", "a\tb"):
            with pytest.raises(ValueError, match="names without blanks"):
                write_trc(tmp_path / "a.trc", Markers([0.0], np.zeros((1, 1, 3)), (name,)))
        with pytest.raises(ValueError, match=r"to a \.trc file"):
            write_trc(tmp_path / "a.csv", markers)
        with pytest.raises(ValueError, match='"m" or "mm", not \'km\''):
            write_trc(tmp_path / "a.trc", markers, "km")

    @pytest.mark.parametrize("units", ["m", "mm"])
    def test_opensim_reads_it(self, tmp_path, units):
        opensim = pytest.importorskip("opensim")
        opensim.Logger.setLevelString("Error")
        markers = random_markers()
        write_trc(tmp_path / "a.trc", markers, units)
        theirs = opensim.TimeSeriesTableVec3(str(tmp_path / "a.trc"))
        assert tuple(theirs.getColumnLabels()) == markers.names
        assert theirs.getTableMetaDataString("Units") == units
        flat = theirs.flatten()
        values = flat.getMatrix().to_numpy() * {"m": 1.0, "mm": 1e-3}[units]
        np.testing.assert_allclose(values, markers.places.reshape(9, -1), rtol=3e-16)
        np.testing.assert_array_equal(theirs.getIndependentColumn(), markers.t)
        older = opensim.MarkerData(str(tmp_path / "a.trc"))
        frame = older.getFrame(3)
        place = frame.getMarker(1)
        np.testing.assert_allclose([place.get(i) for i in range(3)], values[3, 3:6] * {"m": 1, "mm": 1e3}[units])

    def test_we_read_what_opensim_writes(self, tmp_path):
        opensim = pytest.importorskip("opensim")
        opensim.Logger.setLevelString("Error")
        markers = random_markers()
        write_trc(tmp_path / "a.trc", markers)
        theirs = opensim.TimeSeriesTableVec3(str(tmp_path / "a.trc"))
        opensim.TRCFileAdapter.write(theirs, str(tmp_path / "b.trc"))
        again = read_trc(tmp_path / "b.trc")
        np.testing.assert_allclose(again.places, markers.places, rtol=1e-15)
        assert again.names == markers.names
