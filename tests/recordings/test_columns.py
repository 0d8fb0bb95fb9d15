"""Columns of coordinates by every name that OpenSim gives them, and angles in the unit that the file says."""

import warnings

import numpy as np
import pytest
from opensim_reference import reference

from myomass.recordings import Table, angles_in_radians, columns_for, read_table

pytestmark = pytest.mark.fast


def table_of(*names, values=None, rows=3, **options):
    values = np.zeros((rows, len(names))) if values is None else values
    return Table(np.arange(len(values)) / 10, values, names, **options)


class TestColumns:
    @pytest.mark.parametrize(
        "column", ["knee", "knee/value", "/jointset/knee_r/knee/value", "/leg/jointset/k/knee/value"]
    )
    def test_values(self, column):
        assert columns_for(["knee"], table_of("hip", column, "/jointset/k/knee/speed")) == {"knee": column}

    @pytest.mark.parametrize("column", ["knee/speed", "/jointset/knee_r/knee/speed", "knee_u", "knee.speed"])
    def test_speeds(self, column):
        assert columns_for(["knee"], table_of("knee", column), "speed") == {"knee": column}

    def test_forces(self):
        table = table_of("knee_moment", "pelvis_tx_force", "hip")
        found = columns_for(["hip", "knee", "pelvis_tx"], table, "force")
        assert found == {"hip": "hip", "knee": "knee_moment", "pelvis_tx": "pelvis_tx_force"}

    def test_another_model(self):
        with pytest.raises(KeyError) as told:
            columns_for([f"q{i}" for i in range(20)], table_of("hip", "knee", about={"file": "a.mot"}))
        assert str(told.value) == (
            "a.mot has no columns for 20 of 20 coordinates: q0, q1, q2, q3, q4, q5 and 14 more; it has hip, knee; "
            "is it a recording of another model?"
        )

    def test_some_are_missing(self):
        table = table_of("hip", "knee")
        with pytest.raises(KeyError, match=r"the table has no columns for the coordinate: ankle; it has hip, knee$"):
            columns_for(["hip", "ankle"], table)
        assert columns_for(["hip", "ankle"], table, optional=True) == {"hip": "hip"}
        with pytest.raises(KeyError, match="it has no columns at all"):
            columns_for(["hip"], Table([0.0], np.zeros((1, 0)), ()))

    def test_two_for_one(self):
        with pytest.raises(
            ValueError, match="several columns for 'knee': /jointset/a/knee/value, /jointset/b/knee/value"
        ):
            columns_for(["knee"], table_of("/jointset/a/knee/value", "/jointset/b/knee/value"))
        for kind, one, other in (
            ("value", "knee", "/jointset/a/knee/value"),
            ("value", "knee/value", "/jointset/a/knee/value"),
            ("speed", "knee/speed", "knee_u"),
            ("force", "knee_moment", "knee_force"),
        ):
            with pytest.raises(ValueError, match=f"several columns for 'knee': {one}, {other}; keep one"):
                columns_for(["knee"], table_of(one, "hip", other), kind)
        assert columns_for(["knee"], table_of("knee", "knee_moment"), "force") == {"knee": "knee_moment"}

    def test_a_kind_that_is_none(self):
        with pytest.raises(ValueError, match="of the kind 'value', 'speed', 'force', and not 'power'"):
            columns_for(["knee"], table_of("knee"), "power")


@pytest.fixture
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


class TestAngles:
    @pytest.mark.usefixtures("strict")
    def test_only_angles_are_turned(self):
        table = read_table(reference("gait10dof18musc/pipeline/subject01_walk_IK.mot"))
        angles = [name for name in table.names if name not in ("pelvis_tx", "pelvis_ty")]
        radians = angles_in_radians(table, angles)
        assert not radians.degrees and radians.names == table.names
        np.testing.assert_array_equal(radians["pelvis_tx"], table["pelvis_tx"])
        np.testing.assert_allclose(radians["knee_angle_r"], np.radians(table["knee_angle_r"]), rtol=1e-15)
        assert angles_in_radians(radians, angles) is radians
        np.testing.assert_allclose(radians.in_degrees(angles).values, table.values, rtol=1e-14)
        assert table.in_degrees(angles) is table

    def test_degrees_called_radians(self):
        table = read_table(reference("gait10dof18musc/pipeline/subject01_walk_IK.mot"))
        table = Table(table.t, table.values, table.names, False, table.about)
        with pytest.warns(
            UserWarning, match=r"walk_IK\.mot says that its angles are in radians, and 'pelvis_tilt' goes to"
        ):
            same = angles_in_radians(table, ["pelvis_tilt", "knee_angle_r"])
        assert same is table  # warned, and taken at its word

    def test_radians_called_degrees(self):
        table = read_table(reference("gait10dof18musc/pipeline/subject01_walk_IK.mot"))
        angles = [name for name in table.names if name not in ("pelvis_tx", "pelvis_ty")]
        wrong = Table(table.t, table.in_radians(angles).values, table.names, True)
        with pytest.warns(UserWarning, match="says that its angles are in degrees, and none of 8 exceeds"):
            angles_in_radians(wrong, angles)

    def test_ranges_make_it_sharper(self):
        table = table_of("ankle", values=np.array([[1.0], [-8.0], [np.nan]]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            angles_in_radians(table, ["ankle"])  # 8 rad may be more than a turn
            angles_in_radians(table, ["ankle"], {"ankle": (-10.0, 10.0)})
        with pytest.warns(UserWarning, match="in radians, and 'ankle' goes to 8: if they are in degrees"):
            angles_in_radians(table, ["ankle"], {"ankle": (-0.7, 0.7)})

    @pytest.mark.usefixtures("strict")
    @pytest.mark.parametrize("degrees", [False, True])
    def test_nothing_to_doubt(self, degrees):
        gaps = np.full((3, 5), np.nan)
        for table in (
            table_of(*"abcde", values=gaps, degrees=degrees),
            table_of(*"abcde", rows=0, degrees=degrees),
            table_of(*"abcde", degrees=degrees),
            table_of(*"abcde", values=np.where(np.eye(3, 5) > 0, 1.5, gaps), degrees=degrees),
        ):
            assert len(angles_in_radians(table, table.names)) == len(table)
            assert len(angles_in_radians(table, [])) == len(table)

    def test_an_unknown_column(self):
        with pytest.raises(KeyError, match="the table has no column 'b'"):
            angles_in_radians(table_of("a"), ["b"])
