"""External loads: read with the columns that OpenSim finds, written so that it reads them, faults told with lines."""

import numpy as np
import pytest
from opensim_reference import reference

from myomass.recordings import ExternalForce, ExternalLoads, Table, read_loads, read_table, write_loads, write_table

NAMES = [f"{side}{part}{axis}" for side in ("", "1_") for part in ("grf_v", "grf_p", "grf_m") for axis in "xyz"]
FILE = """<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="30000">
<ExternalLoads name="walk">
<objects>
<ExternalForce name="right">
<isDisabled>false</isDisabled>
<applied_to_body>calcn_r</applied_to_body>
<force_expressed_in_body>ground</force_expressed_in_body>
<point_expressed_in_body>/bodyset/calcn_r</point_expressed_in_body>
<force_identifier>grf_v</force_identifier>
<point_identifier>grf_p</point_identifier>
<torque_identifier>grf_m</torque_identifier>
<data_source_name>Unassigned</data_source_name>
</ExternalForce>
<ExternalForce name="left">
<applied_to_body>calcn_l</applied_to_body>
<torque_identifier>1_grf_m</torque_identifier>
</ExternalForce>
</objects>
<groups />
<datafile>grf.mot</datafile>
</ExternalLoads>
</OpenSimDocument>
"""
OLD = """<OpenSimDocument Version="20201"><ExternalLoads name="old"><objects>
<PrescribedForce name="right"><body>calcn_r</body>
<forceFunctions><NaturalCubicSpline name="grf_vx"/><NaturalCubicSpline name="grf_vy"/></forceFunctions>
<pointFunctions><NaturalCubicSpline name="#4"/><NaturalCubicSpline name="#5"/></pointFunctions>
</PrescribedForce></objects><datafile>grf.mot</datafile></ExternalLoads></OpenSimDocument>"""


@pytest.fixture
def table():
    rng = np.random.default_rng(4)
    return Table(np.arange(5) / 10, rng.normal(size=(5, len(NAMES))), NAMES)


@pytest.fixture
def folder(tmp_path, table):
    write_table(tmp_path / "grf.mot", table)
    return tmp_path


def read(folder, text, **options):
    (folder / "loads.xml").write_text(text)
    return read_loads(folder / "loads.xml", **options)


@pytest.mark.fast
class TestReading:
    def test_forces_and_their_columns(self, folder, table):
        loads = read(folder, FILE)
        right, left = loads
        assert loads.name == "walk" and loads.report == () and len(loads) == 2 and loads["left"] is left
        assert (right.name, right.body, right.force_frame, right.point_frame) == (
            "right",
            "calcn_r",
            "ground",
            "calcn_r",
        )
        assert right.force == ("grf_vx", "grf_vy", "grf_vz") and right.point == ("grf_px", "grf_py", "grf_pz")
        assert right.torque == ("grf_mx", "grf_my", "grf_mz")
        assert left.force is None and left.point is None and left.torque == ("1_grf_mx", "1_grf_my", "1_grf_mz")
        assert right.table is left.table and left.point_frame == "ground"
        np.testing.assert_array_equal(right.table.values, table.values)

    def test_the_recorded_gait(self):
        loads = read_loads(reference("gait10dof18musc/pipeline/subject01_walk_grf.xml"))
        assert [(force.name, force.body) for force in loads] == [("right", "calcn_r"), ("left", "calcn_l")]
        assert loads["left"].torque == tuple(f"1_ground_torque_{axis}" for axis in "xyz")
        assert len(loads["left"].table) == 1501

    def test_files_that_name_functions(self, folder):
        (force,) = read(folder, OLD)
        assert force.body == "calcn_r" and force.torque is None
        assert force.force == ("grf_vx", "grf_vy", "grf_vz") and force.point == ("grf_px", "grf_py", "grf_pz")

    def test_a_table_given_instead(self, folder, table):
        loads = read(folder, FILE.replace("grf.mot", "C:\\nowhere.mot"), data=table)
        assert loads["right"].table is table
        assert read(folder, FILE.replace("grf.mot", ""), data=folder / "grf.mot")["right"].force

    def test_a_file_for_each_force(self, folder):
        text = FILE.replace("<datafile>grf.mot</datafile>", "").replace(">Unassigned<", ">grf.mot<")
        text = text.replace(
            "<torque_identifier>1_", "<data_source_name>grf.mot</data_source_name><torque_identifier>1_"
        )
        assert read(folder, text)["left"].table.names == tuple(NAMES)

    def test_columns_of_other_axes(self, tmp_path):
        names = ("f_1", "f_2", "f_3", "f_1_filtered", "pX", "pY", "pZ", "m.a", "m.b", "m.c")
        write_table(tmp_path / "grf.mot", Table([0.0], np.zeros((1, 10)), names))
        text = FILE.replace("1_grf_m", "m.").replace(">grf_v", ">f").replace(">grf_p", ">p").replace(">grf_m", ">m")
        right, left = read(tmp_path, text)
        assert right.force == ("f_1", "f_2", "f_3") and right.point == ("pX", "pY", "pZ")
        assert right.torque == left.torque == ("m.a", "m.b", "m.c")

    def test_what_is_left_out_is_reported(self, folder):
        loads = read(folder, FILE.replace("<isDisabled>false", "<isDisabled>true"))
        assert [force.name for force in loads] == ["left"]
        assert loads.report == ("line 5, ExternalForce 'right': is disabled, and is left out",)
        loads = read(folder, FILE.replace("<isDisabled>false</isDisabled>", "<appliesForce>false</appliesForce>"))
        assert "is disabled" in loads.report[0]
        kinematics = "<external_loads_model_kinematics_file>ik.mot</external_loads_model_kinematics_file>"
        loads = read(folder, FILE.replace("<groups />", f"{kinematics}<lowpass_cutoff_frequency_for_load_kinematics>"
                                          "-1</lowpass_cutoff_frequency_for_load_kinematics>"))  # fmt: skip
        assert loads.report == ("line 20, external_loads_model_kinematics_file: is not used",)
        loads = read(folder, FILE.replace("</objects>", "<Other name='a'/></objects>"))
        assert loads.report == ("line 19, Other 'a': is no external force, and is left out",)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            FILE,
            "<OpenSimDocument><Model/></OpenSimDocument>",
            "line 1: the file has no <ExternalLoads>: it holds <Model>",
        ),
        (FILE, FILE[:700], "it was cut off"),
        ("grf.mot", "gone.mot", "line 21: there is no file .*gone.mot, which <datafile> names"),
        ("grf.mot", "", "line 5: no <datafile> names the file of numbers"),
        (">grf_v", ">grff", "line 10: the force of 'right' .*begin with 'grff': none does; known: grf_vx, grf_vy"),
        (">grf_v", ">grf_", r"line 10: .* begin with 'grf_': 9 do \(grf_vx, "),
        (">grf_v", ">grf_vx", r"line 10: .* begin with 'grf_vx': 1 do \(grf_vx\)"),
        ("<applied_to_body>calcn_l</applied_to_body>", "", "line 15: 'left' does not say its body"),
        ("<torque_identifier>1_grf_m<", "<torque_identifier><", "line 15: 'left' has neither a <force_identifier>"),
        ('"left"', '"right"', "line 15: a second external force is named 'right'; rename one"),
        ('"left"', '""', "line 15: <ExternalForce> has no name"),
        (">false<", ">perhaps<", "line 6: <isDisabled> is true or false, and is 'perhaps'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(folder, old, new, told):
    with pytest.raises(ValueError, match=told):
        read(folder, FILE.replace(old, new))


@pytest.mark.fast
def test_no_forces(folder):
    with pytest.raises(ValueError, match="line 1: <ExternalLoads> holds no <ExternalForce>"):
        read(folder, "<ExternalLoads/>")
    with pytest.raises(ValueError, match=r"line 4: the point of 'right' is column #99 of 18"):
        read(folder, OLD.replace("#4", "#99"))
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_loads(folder / "gone.xml")


@pytest.mark.fast
class TestForces:
    def test_columns_are_checked(self, table):
        with pytest.raises(KeyError, match="the force of 'foot': the table has no column 'fx'; known: grf_vx"):
            ExternalForce("foot", "calcn_r", table, ("fx", "fy", "fz"))
        with pytest.raises(ValueError, match="has three different columns"):
            ExternalForce("foot", "calcn_r", table, ("grf_vx", "grf_vx", "grf_vz"))
        with pytest.raises(ValueError, match="has three different columns"):
            ExternalForce("foot", "calcn_r", table, "grf_vx")
        with pytest.raises(
            TypeError, match=r"the columns of 'foot' are those of an mm\.recordings\.Table, and not of str"
        ):
            ExternalForce("foot", "calcn_r", "walk.mot", ("fx", "fy", "fz"))
        with pytest.raises(ValueError, match="neither a force nor a torque"):
            ExternalForce("foot", "calcn_r", table, point=NAMES[3:6])
        with pytest.raises(ValueError, match="a name and a body"):
            ExternalForce("foot", "", table, NAMES[:3])

    def test_names_are_different(self, table):
        foot = ExternalForce("foot", "calcn_r", table, NAMES[:3])
        with pytest.raises(ValueError, match="'foot' is there twice"):
            ExternalLoads((foot, foot))
        with pytest.raises(KeyError, match="no external force 'hand'; known: foot"):
            ExternalLoads((foot,))["hand"]


class TestWriting:
    @pytest.mark.fast
    def test_what_is_written_comes_back(self, folder, table):
        loads = read(folder, FILE.replace('"right"', '"right &amp; &quot;upper&quot;"'))
        write_loads(folder / "again.xml", loads)
        again = read_loads(folder / "again.xml")
        for one, other in zip(loads, again, strict=True):
            for what in ("name", "body", "force", "point", "torque", "force_frame", "point_frame"):
                assert getattr(one, what) == getattr(other, what)
        assert again["left"].table.values.tobytes() == table.values.tobytes()
        assert again.name == "walk"

    @pytest.mark.fast
    def test_what_cannot_be_written(self, folder, table):
        foot = ExternalForce("foot", "calcn_r", table, ("grf_vx", "grf_px", "grf_mx"))
        with pytest.raises(ValueError, match="these have no beginning that is theirs alone"):
            write_loads(folder / "a.xml", ExternalLoads((foot,)))
        other = ExternalForce("other", "calcn_r", Table(table.t, table.values, NAMES), NAMES[:3])
        with pytest.raises(ValueError, match="these are of 2 tables"):
            write_loads(folder / "a.xml", ExternalLoads((foot, other)))
        with pytest.raises(ValueError, match=r"to an \.xml file"):
            write_loads(folder / "a.mot", ExternalLoads((foot,)))
        with pytest.raises(ValueError, match="data is its name without a folder, not numbers"):
            write_loads(folder / "a.xml", read(folder, FILE), "numbers/b.mot")
        with pytest.raises(ValueError, match="no external forces to write"):
            write_loads(folder / "a.xml", ExternalLoads(()))
        assert not (folder / "a.xml").exists()

    def test_opensim_reads_it(self, folder):
        opensim = pytest.importorskip("opensim")
        opensim.Logger.setLevelString("Error")
        write_loads(folder / "again.xml", read(folder, FILE), "numbers.mot")
        theirs = opensim.ExternalLoads(str(folder / "again.xml"), True)
        assert theirs.getSize() == 2 and theirs.getDataFileName() == "numbers.mot"
        right = theirs.get(0)
        assert (right.getName(), right.get_applied_to_body()) == ("right", "calcn_r")
        assert right.get_force_identifier() == "grf_v" and right.get_point_expressed_in_body() == "calcn_r"
        assert read_table(folder / "numbers.mot").names == tuple(NAMES)
