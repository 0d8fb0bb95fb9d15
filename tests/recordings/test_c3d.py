"""Files .c3d: markers, channels and force plates, against ezc3d's own; damaged files are told, and crash nothing."""

import subprocess
import sys

import numpy as np
import pytest

from myomass.recordings import Z_UP_TO_Y_UP, Markers, Table, read_c3d, write_c3d
from myomass.recordings.c3d_check import check_c3d

FRAMES, TIMES = 5, 4
DAMAGE = """
from pathlib import Path
import numpy as np
from myomass.recordings import read_c3d
content, rng, read, told = Path("walk.c3d").read_bytes(), np.random.default_rng(7), 0, 0
for _ in range(100):
    damaged = bytearray(content)
    for at in rng.integers(0, 2000, rng.integers(1, 5)):
        damaged[at] = rng.integers(0, 256)
    Path("a.c3d").write_bytes(damaged)
    try:
        read_c3d("a.c3d")
        read += 1
    except ValueError as error:
        assert str(error).startswith("a.c3d: "), error
        told += 1
print(read, told)
"""


def markers_of(rows=FRAMES, start=0.5):
    places = np.random.default_rng(1).normal(size=(rows, 3, 3))
    places[1, 2] = np.nan
    return Markers(start + np.arange(rows) / 100, places, ("LASI", "RASI", "SACR"))


def analog_of(rows=FRAMES * TIMES, start=0.5):
    return Table(start + np.arange(rows) / 400, np.random.default_rng(2).normal(size=(rows, 2)), ("emg", "Fz"))


def with_plate(path, kind, labels=("A",), change=None):
    """A file with a force plate, made by ezc3d."""
    ezc3d = pytest.importorskip("ezc3d")
    rng, made = np.random.default_rng(kind), ezc3d.c3d()
    parameters, count = made["parameters"], 8 if kind == 3 else 6
    channels = rng.normal(size=(count, FRAMES * TIMES)) * 20
    channels[2 if kind != 3 else slice(4, 8)] -= 700
    point, analog, plate = parameters["POINT"], parameters["ANALOG"], parameters["FORCE_PLATFORM"]
    point["RATE"]["value"], point["UNITS"]["value"], point["LABELS"]["value"] = [100.0], ["mm"], list(labels)
    made["data"]["points"] = np.ones((4, len(labels), FRAMES))
    analog["RATE"]["value"], analog["LABELS"]["value"] = [400.0], [f"channel {k}" for k in range(count)]
    analog["UNITS"]["value"] = ["N"] * 3 + ["Nmm"] * 3 + ["N"] * (count - 6)
    made["data"]["analogs"] = channels[None]
    corners = np.array([[732.0, 554.0, 2.0], [732.0, 46.0, 2.0], [268.0, 46.0, 2.0], [268.0, 554.0, 2.0]])
    plate["USED"]["value"], plate["TYPE"]["value"] = np.array([1]), np.array([kind])
    plate["CORNERS"]["value"] = corners.T[:, :, None]
    plate["ORIGIN"]["value"] = np.array([[120.0], [200.0], [-54.0]])
    plate["CHANNEL"]["value"] = np.arange(1, count + 1)[:, None]
    plate["CAL_MATRIX"]["value"] = (np.eye(6) + 0.1 * rng.normal(size=(6, 6)))[:, :, None]
    if change:
        change(made)
    made.write(str(path))
    return path


class TestReading:
    @pytest.mark.parametrize("kind", [2, 3, 4])
    def test_force_plates_are_those_of_ezc3d(self, tmp_path, kind):
        path = with_plate(tmp_path / "walk.c3d", kind)
        ezc3d = pytest.importorskip("ezc3d")
        theirs = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"][0]
        capture = read_c3d(path)
        for part, key, unit in (("force", "force", 1), ("point", "center_of_pressure", 1e-3), ("torque", "Tz", 1e-3)):
            ours = capture.forces.select([f"plate1_{part}_{axis}" for axis in "xyz"]).values
            np.testing.assert_allclose(ours, theirs[key].T * unit, rtol=1e-6, atol=1e-6)
        assert capture.forces["plate1_force_z"].min() > 500  # on the person, upwards
        assert capture.report == () and len(capture.forces) == FRAMES * TIMES

    def test_loads_in_a_model_with_y_up(self, tmp_path):
        path = with_plate(tmp_path / "walk.c3d", 2)
        plain, turned = read_c3d(path), read_c3d(path, rotate=Z_UP_TO_Y_UP)
        (force,) = turned.loads({1: "calcn_r"})
        assert (force.name, force.body, force.force_frame) == ("plate1_calcn_r", "calcn_r", "ground")
        there = force.table.select(force.force).values
        np.testing.assert_array_equal(there[:, 1], plain.forces["plate1_force_z"])
        np.testing.assert_array_equal(there[:, 2], -plain.forces["plate1_force_y"])
        np.testing.assert_array_equal(turned.markers.places, plain.markers.places @ Z_UP_TO_Y_UP.T)
        with pytest.raises(ValueError, match="no force plate 2: the file has 1, counted from 1"):
            turned.loads({2: "calcn_l"})
        with pytest.raises(ValueError, match="orthonormal"):
            read_c3d(path, rotate=np.ones((3, 3)))

    def test_a_type_that_is_not_known(self, tmp_path):
        def change(made):
            made["parameters"]["FORCE_PLATFORM"]["TYPE"]["value"] = np.array([6])

        path = with_plate(tmp_path / "walk.c3d", 2, change=change)
        with pytest.warns(UserWarning, match="force plate 1 is of type 6, and is left out: types 2, 3 and 4 are known"):
            capture = read_c3d(path)
        assert capture.plates == () and capture.forces.names == () and len(capture.analog.names) == 6

    def test_labels(self, tmp_path):
        """Points of a program's computations are no markers; labels that are empty or there twice get numbers."""

        def change(made):
            made.add_parameter("POINT", "ANGLES", ["knee"])

        path = with_plate(tmp_path / "walk.c3d", 2, ("A", "A", "knee", ""), change)
        capture = read_c3d(path)
        assert capture.markers.names == ("A", "A_2", "point4")
        assert any("point 2 is named 'A_2'" in told for told in capture.report)
        assert any("1 points are computed angles" in told for told in capture.report)
        assert capture.markers.renamed({"A": "LASI"}).names == ("LASI", "A_2", "point4")

    @pytest.mark.parametrize(
        ("group", "name", "value", "told"),
        [
            ("POINT", "UNITS", ["inch"], "POINT:UNITS is m, mm, .*, and here 'inch'"),
            ("FORCE_PLATFORM", "CHANNEL", np.arange(3, 9)[:, None], "channels that are not among the file's 6"),
            ("FORCE_PLATFORM", "CORNERS", np.ones((3, 4, 1)), "corners of force plate 1 do not span a surface"),
            ("FORCE_PLATFORM", "ORIGIN", np.zeros((3, 0)), "ORIGIN, CHANNEL or CAL_MATRIX of force plate 1 is missing"),
        ],
    )
    def test_what_is_wrong_inside(self, tmp_path, group, name, value, told):
        def change(made):
            made["parameters"][group][name]["value"] = value

        with pytest.raises(ValueError, match=told):
            read_c3d(with_plate(tmp_path / "walk.c3d", 2, change=change))


class TestWriting:
    def test_what_is_written_comes_back(self, tmp_path):
        pytest.importorskip("ezc3d")
        markers, analog = markers_of(), analog_of()
        write_c3d(tmp_path / "a.c3d", markers, analog)
        again = read_c3d(tmp_path / "a.c3d")
        np.testing.assert_allclose(again.markers.places, markers.places, rtol=1e-6)
        np.testing.assert_allclose(again.markers.t, markers.t, rtol=1e-12)
        np.testing.assert_allclose(again.analog.values, analog.values, rtol=1e-6)
        np.testing.assert_allclose(again.analog.t, analog.t, rtol=1e-12)
        assert again.markers.names == markers.names and again.analog.names == analog.names
        assert np.isnan(again.markers["SACR"][1]).all()

    def test_what_cannot_be_written(self, tmp_path):
        pytest.importorskip("ezc3d")
        uneven = Markers([0.0, 0.01, 0.03], np.zeros((3, 1, 3)), ("A",))
        with pytest.raises(ValueError, match="rows at even times, and those of the markers are not; resample them"):
            write_c3d(tmp_path / "a.c3d", uneven)
        with pytest.raises(ValueError, match=r"at multiples of 1/100 s from 0 on, and these begin at 0.503 s"):
            write_c3d(tmp_path / "a.c3d", markers_of(start=0.503))
        with pytest.raises(ValueError, match="these are 13 for 5; resample them"):
            write_c3d(tmp_path / "a.c3d", markers_of(), analog_of(13))
        with pytest.raises(ValueError, match="needs two rows of markers or more"):
            write_c3d(tmp_path / "a.c3d", markers_of().between(0.0, 0.505))
        with pytest.raises(ValueError, match=r"to a \.c3d file"):
            write_c3d(tmp_path / "a.trc", markers_of())


class TestDamage:
    @pytest.mark.fast
    @pytest.mark.parametrize("content", [b"rubbish" * 300, b"\x02\x50" + bytes(2000), b"time\ta\n0\t1\n"])
    def test_files_that_are_none(self, tmp_path, content):
        (tmp_path / "a.c3d").write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.c3d: the file (is no \.c3d file|was cut off)"):
            check_c3d(content, tmp_path / "a.c3d")

    def test_files_cut_off_anywhere(self, tmp_path):
        content = with_plate(tmp_path / "walk.c3d", 4).read_bytes()
        check_c3d(content, "walk.c3d")
        for end in range(1, len(content) - 512, 61):  # the last block is filled up with zeros
            with pytest.raises(ValueError, match=r"was cut off|damaged"):
                check_c3d(content[:end], "walk.c3d")

    def test_random_bytes(self, tmp_path):
        """Read, or told in a sentence, by another process: ezc3d by itself crashes on many of these."""
        with_plate(tmp_path / "walk.c3d", 2)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", DAMAGE], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        read, told = map(int, done.stdout.split())
        assert read > 10 and told > 30 and read + told == 100

    @pytest.mark.fast
    def test_without_ezc3d(self, monkeypatch, tmp_path):
        monkeypatch.setitem(sys.modules, "ezc3d", None)
        with pytest.raises(ImportError, match=r"\.c3d files need ezc3d: pip install 'myomass\[mocap\]'"):
            write_c3d(tmp_path / "a.c3d", markers_of())
        with pytest.raises(FileNotFoundError, match="there is no file"):
            read_c3d(tmp_path / "gone.c3d")
