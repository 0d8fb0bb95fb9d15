"""Files .mot and .sto: the same numbers as OpenSim reads, bit for bit, and every fault told with file and line."""

import numpy as np
import pytest
from opensim_reference import FOLDER, reference

from myomass.recordings import Markers, Table, read_table, write_loads, write_table, write_trc

FILES = sorted(path for path in FOLDER.rglob("*") if path.suffix in (".mot", ".sto"))
GOOD = "knee\nversion=1\nnRows=3\nnColumns=3\ninDegrees=yes\n\nA note.\nendheader\ntime\tangle\tforce\n"
ROWS = "0.0\t1.5\t-2e3\n 0.1\t  nan \t3\n0.2\t4\t5\n"


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.fast
class TestReading:
    def test_head_names_and_numbers(self, tmp_path):
        table = read_table(written(tmp_path / "knee.mot", GOOD + ROWS))
        np.testing.assert_array_equal(table.t, [0, 0.1, 0.2])
        np.testing.assert_array_equal(table.values, [[1.5, -2000], [np.nan, 3], [4, 5]])
        assert table.names == ("angle", "force") and table.degrees
        assert table.about == {"name": "knee", "text": "A note.", "file": str(tmp_path / "knee.mot")}

    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text.replace("\n", "\r\n"),
            lambda text: text.replace("\n", "\r"),
            lambda text: text.replace("\t", "  "),
            lambda text: "\ufeff" + text + "\n \n\t\n",
            lambda text: "\n".join(f"{line}\t\t" for line in text.splitlines()),
            lambda text: text.replace("nan", "-nan(ind)").replace("1.5", "+1.5E0"),
            lambda text: text.replace("nan", " ").replace("time", "Time"),
            lambda text: text.replace("endheader\n", "endheader\n\n").replace("nRows=3\n", ""),
            lambda text: text.replace("nRows=3", "datarows 3").replace("nColumns=3", "datacolumns 3"),
        ],
    )
    def test_the_same_written_otherwise(self, tmp_path, change):
        table = read_table(written(tmp_path / "knee.mot", change(GOOD + ROWS)))
        np.testing.assert_array_equal(table.values, [[1.5, -2000], [np.nan, 3], [4, 5]])
        assert table.names == ("angle", "force") and table.degrees and table.about["name"] == "knee"

    @pytest.mark.parametrize(
        ("file", "head", "degrees"),
        [
            ("a.mot", "", True),
            ("a.sto", "", False),
            ("a.mot", "version=1\n", False),
            ("a.sto", "inDegrees=yes\n", True),
        ],
    )
    def test_without_a_word_on_degrees(self, tmp_path, file, head, degrees):
        """As OpenSim 4.6 takes it: only .mot files without a version are in degrees then."""
        assert read_table(written(tmp_path / file, f"a\n{head}endheader\ntime\tb\n0\t1\n")).degrees is degrees

    def test_cells_of_several_numbers(self, tmp_path):
        text = "DataType=Vec3\nversion=3\nendheader\ntime\tforce\tpoint\n0\t1,2,3\t4,nan,6\n0.5\t7,8,9\t\n"
        table = read_table(written(tmp_path / "plate.sto", text))
        assert table.names == ("force_1", "force_2", "force_3", "point_1", "point_2", "point_3")
        gap = np.nan
        np.testing.assert_array_equal(table.values, [[1, 2, 3, 4, gap, 6], [7, 8, 9, gap, gap, gap]])
        assert table.about["DataType"] == "Vec3"

    def test_no_rows(self, tmp_path):
        table = read_table(written(tmp_path / "a.sto", "a\nversion=1\nnRows=0\nnColumns=2\nendheader\ntime\tb\n"))
        assert len(table) == 0 and table.values.shape == (0, 1)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "line 1: the file is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "line 1: the file is not text"),
        (b"knee\nendheader\n\x00\x01", "line 1: the file is not text"),
        ("<OpenSimDocument>\n</OpenSimDocument>", "line 2: the head does not end with a line `endheader`"),
        (GOOD[:40], "line 5: the head does not end with a line `endheader`; the file was cut off"),
        (GOOD[:-17], "line 8: no names of columns follow"),
        (GOOD + ROWS[:20], "line 3: the head says nRows=3, and the file has 2 rows; the file was cut off"),
        (GOOD + ROWS[:-3], "line 12: the row has 2 numbers, and there are 3 columns; the file was cut off"),
        (GOOD + ROWS.replace("\t3\n", "\n"), "line 11: the row has 2 numbers, and there are 3 columns$"),
        (GOOD + ROWS.replace("\t3", "\t3\t4"), "line 11: the row has 4 numbers"),
        (GOOD + ROWS + "0.3\t1\t1\n", "line 3: the head says nRows=3, and the file has 4 rows; write nRows=4"),
        (GOOD.replace("s=3\ni", "s=4\ni") + ROWS, "line 4: the head says nColumns=4, and the file has 3 columns"),
        (GOOD.replace("Rows=3", "Rows=many") + ROWS, "line 3: nRows is the number of rows, and is 'many'"),
        (GOOD.replace("yes", "maybe") + ROWS, "line 5: inDegrees is yes or no, and is 'maybe'"),
        (GOOD + ROWS.replace("1.5", "one"), "line 10: the column 'angle' holds 'one', which is no number"),
        (GOOD + ROWS.replace("1.5", "1_5"), "line 10: the column 'angle' holds '1_5', which is no number"),
        (GOOD + ROWS.replace("1.5", "1,5"), "line 10: the column 'angle' holds '1,5', which is no number"),
        (GOOD + ROWS.replace("0.2", "0.1"), "line 12: times rise from row to row, and 0.1.* follows 0.1"),
        (GOOD + ROWS.replace("0.1", "nan"), "line 11: the time is not a finite number"),
        (GOOD.replace("force", "angle") + ROWS, "line 9: the columns 2 and 3 are both named 'angle'"),
        (GOOD.replace("time", "angle0") + ROWS, "line 9: the first column is named `time`, and here 'angle0'"),
        (GOOD.replace("angle", "") + ROWS, "line 9: column 2 has no name"),
        ("DataType=Vec4e\n" + GOOD + ROWS, "line 1: DataType=Vec4e is not known; known: double, Vec2"),
        ("DataType=Vec3\n" + GOOD + ROWS, "line 11: the column 'angle' holds 3 numbers between commas, and is '1.5'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, content, told):
    path = written(tmp_path / "knee.mot", content)
    with pytest.raises(ValueError, match=rf"knee\.mot, {told}"):
        read_table(path)


@pytest.mark.fast
def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*a\.mot"):
        read_table(tmp_path / "a.mot")
    with pytest.raises(IsADirectoryError, match="is a folder, not a file"):
        read_table(tmp_path)


def awkward(rng, rows=40):
    """Numbers of all sizes, some missing."""
    values = rng.normal(size=(rows, 3)) * 10.0 ** rng.integers(-300, 300, (rows, 3))
    values[rng.random((rows, 3)) < 0.1] = np.nan
    values[0] = 1 / 3, 5e-324, -0.0
    return Table(np.cumsum(rng.random(rows)), values, ("a b", "/jointset/knee/angle/value", "c"), degrees=True)


@pytest.mark.fast
@pytest.mark.fast
def test_rows_that_are_not_there():
    table = Table([0.0, 0.5], np.zeros((2, 1)), ["a"], about={"file": "a.sto"})
    assert len(table.between(0.5, 9.0)) == 1
    for span, told in (((9, 10), "between 9 and 10 s"), ((0.6,), "from 0.6 s on"), ((-np.inf, -1), "up to -1 s")):
        with pytest.raises(ValueError, match=rf"^a\.sto reaches from 0 to 0\.5 s, and has no row {told}$"):
            table.between(*span)
    markers = Markers(table.t, np.zeros((2, 1, 3)), ["m"])
    with pytest.raises(
        ValueError, match=r"the recording reaches from 0 to 0\.5 s, and has no row between 0\.1 and 0\.2"
    ):
        markers.between(0.1, 0.2)


class TestWriting:
    def test_what_is_written_comes_back_bit_for_bit(self, tmp_path):
        table = awkward(np.random.default_rng(1))
        write_table(tmp_path / "a.mot", table)
        again = read_table(tmp_path / "a.mot")
        assert again.t.tobytes() == table.t.tobytes() and again.values.tobytes() == table.values.tobytes()
        assert again.names == table.names and again.degrees and again.about["name"] == "a"

    def test_the_head_is_kept(self, tmp_path):
        text = GOOD.replace("version=1", "version=1\nRate=100 Hz") + ROWS
        write_table(tmp_path / "b.sto", read_table(written(tmp_path / "knee.mot", text)))
        again = read_table(tmp_path / "b.sto")
        told = {"name": "knee", "Rate": "100 Hz", "text": "A note.", "file": str(tmp_path / "b.sto")}
        assert again.about == told and again.degrees

    @pytest.mark.parametrize(
        "line", ["nRows=7", "Rate = 5", "datacolumns 9", "EndHeader", "name other", "DataType=Vec9"]
    )
    def test_text_stays_text(self, tmp_path, line):
        told = {"name": line, "text": f"A note.\n{line}\nMore."}
        write_table(tmp_path / "a.sto", Table([0.0], [[1.0]], ("knee",), about=told))
        again = read_table(tmp_path / "a.sto")
        told = {"name": f"# {line}", "text": f"A note.\n# {line}\nMore.", "file": str(tmp_path / "a.sto")}
        assert again.about == told and again.values == 1.0 and again.names == ("knee",)
        write_table(tmp_path / "b.sto", again)
        assert read_table(tmp_path / "b.sto").about == told | {"file": str(tmp_path / "b.sto")}

    @pytest.mark.parametrize("name", ["", " knee", "kn\tee", "knee\n"])
    def test_names_that_a_file_cannot_hold(self, tmp_path, name):
        with pytest.raises(ValueError, match="a column's name has no tabs"):
            write_table(tmp_path / "a.sto", Table([0.0], [[1.0]], (name,)))

    def test_what_is_no_number(self):
        with pytest.raises(ValueError, match=r"a table's values are numbers, or NaN .*: could not convert"):
            Table([0.0], [["x"]], ("a",))
        with pytest.raises(ValueError, match="the places of markers are numbers, or NaN"):
            Markers([0.0], [[["x", "y", "z"]]], ("a",))

    def test_one_name_is_as_a_list_of_one(self):
        table = Table([0.0], [[1.0, 2.0]], ("knee", "hip"))
        assert table.select("hip").names == ("hip",) and table.select("hip").values.tolist() == [[2.0]]
        markers = Markers([0.0], [[[1.0, 2.0, 3.0]]], ("heel",))
        assert markers.select("heel").names == ("heel",)

    def test_a_file_that_is_called_otherwise(self, tmp_path):
        with pytest.raises(ValueError, match=r"a \.mot or \.sto file, and .*a\.csv is called otherwise"):
            write_table(tmp_path / "a.csv", Table([0.0], [[1.0]], ("a",)))

    def test_where_no_file_can_be_and_what_is_no_table(self, tmp_path):
        table = Table([0.0], [[1.0]], ("a",))
        with pytest.raises(FileNotFoundError, match=r"there is no folder .*gone to write a\.sto in"):
            write_table(tmp_path / "gone" / "a.sto", table)
        (tmp_path / "b.sto").mkdir()
        with pytest.raises(IsADirectoryError, match=r"b\.sto is a folder, not a file"):
            write_table(tmp_path / "b.sto", table)
        with pytest.raises(TypeError, match=r"write_table writes mm\.recordings\.Table, and is given list"):
            write_table(tmp_path / "a.sto", [table])
        with pytest.raises(TypeError, match=r"write_trc writes mm\.recordings\.Markers, and is given Table"):
            write_trc(tmp_path / "a.trc", table)
        with pytest.raises(TypeError, match=r"write_loads writes mm\.recordings\.ExternalLoads, and is given Table"):
            write_loads(tmp_path / "a.xml", table)


class TestAgainstOpenSim:
    def storage(self, path):
        opensim = pytest.importorskip("opensim")
        opensim.Logger.setLevelString("Error")
        return opensim.Storage(str(path))

    def series(self, path):
        opensim = pytest.importorskip("opensim")
        opensim.Logger.setLevelString("Error")
        return opensim.TimeSeriesTable(str(path))

    @pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
    def test_every_file_of_the_reference(self, path):
        ours, theirs = read_table(reference(path.relative_to(FOLDER))), self.storage(path)
        labels = theirs.getColumnLabels()
        assert ours.names == tuple(labels.get(i).strip() for i in range(1, labels.getSize()))
        assert ours.degrees == theirs.isInDegrees() and len(ours) == theirs.getSize()
        for i in range(len(ours)):
            row = theirs.getStateVector(i)
            assert row.getTime() == ours.t[i]
            data = row.getData()
            assert [data.get(j) for j in range(data.getSize())] == ours.values[i].tolist()

    def test_opensim_reads_what_we_write(self, tmp_path):
        table = awkward(np.random.default_rng(2))
        write_table(tmp_path / "a.sto", table)
        series = self.series(tmp_path / "a.sto")
        assert tuple(series.getColumnLabels()) == table.names
        assert np.array(series.getIndependentColumn()).tobytes() == table.t.tobytes()
        np.testing.assert_array_equal(series.getMatrix().to_numpy(), table.values)

    def test_its_older_reader_too(self, tmp_path):
        """Storage reads no NaN: what stands in the rest of such a row is undefined."""
        table = awkward(np.random.default_rng(2))
        table = table.with_values(table.t, np.nan_to_num(table.values))
        write_table(tmp_path / "a.sto", table)
        storage = self.storage(tmp_path / "a.sto")
        assert storage.isInDegrees() and storage.getSize() == len(table)
        for i in range(len(table)):
            row = storage.getStateVector(i)
            data = row.getData()
            assert row.getTime() == table.t[i]
            assert [data.get(j) for j in range(3)] == table.values[i].tolist()

    def test_we_read_what_opensim_writes(self, tmp_path):
        table = awkward(np.random.default_rng(3))
        opensim = pytest.importorskip("opensim")
        series = opensim.TimeSeriesTable()
        series.setColumnLabels(list(table.names))
        for t, row in zip(table.t, table.values, strict=True):
            series.appendRow(t, opensim.RowVector(row.tolist()))
        opensim.STOFileAdapter.write(series, str(tmp_path / "a.sto"))
        again = read_table(tmp_path / "a.sto")
        assert again.names == table.names
        np.testing.assert_allclose(again.t, table.t, rtol=1e-15)
        np.testing.assert_allclose(again.values, table.values, rtol=1e-15)

    def test_vectors_that_opensim_writes_are_named_as_it_flattens_them(self, tmp_path):
        opensim = pytest.importorskip("opensim")
        series = opensim.TimeSeriesTableVec3()
        series.setColumnLabels(["force", "point"])
        row = opensim.RowVectorVec3(2)
        row[0], row[1] = opensim.Vec3(1, 2, 3), opensim.Vec3(4, 0.1, 1 / 3)
        series.appendRow(0.25, row)
        opensim.STOFileAdapterVec3.write(series, str(tmp_path / "a.sto"))
        ours = read_table(tmp_path / "a.sto")
        assert ours.names == tuple(series.flatten().getColumnLabels())
        np.testing.assert_allclose(ours.values, [[1, 2, 3, 4, 0.1, 1 / 3]], rtol=1e-15)
