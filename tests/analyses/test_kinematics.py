"""Recorded coordinates become motions: names, degrees, missing coordinates, filters and derivatives."""

import numpy as np
import pytest
from opensim_reference import numbers, reference

import myomass as mm
from myomass.analyses import Kinematics, kinematics
from myomass.model import Coordinate
from myomass.recordings import Spline, Table, lowpass, read_table

pytestmark = pytest.mark.fast


def leg(locked=False, coupling=None, prescribed=None):
    spec = mm.Spec("leg")
    box = mm.Inertia.cuboid((0.1, 0.4, 0.1), mass=2.0)
    spec.add_body("thigh", None, mm.Revolute((0, 0, 1)), inertia=box, coordinates=["hip"])
    knee = Coordinate("knee", default=0.3, locked=locked, prescribed=prescribed)
    spec.add_body("shank", "thigh", mm.Revolute((0, 0, 1)), mm.translation(0, -0.4, 0), inertia=box, coordinates=[knee])
    spec.add_body("slide", "shank", mm.Prismatic((0, 1, 0)), mm.translation(0, -0.4, 0), inertia=box)
    if coupling is not None:
        spec.add_constraint(mm.Coupling("thigh", "shank", coupling), "coupled")
    return spec.compile()


def recording(names=("hip", "knee", "slide"), rows=30, degrees=False):
    t = np.arange(rows) / 50.0
    columns = {"hip": 0.3 * np.sin(4 * t), "knee": 0.5 * np.cos(3 * t), "slide": 0.02 * t**2, "extra": t}
    values = np.column_stack([columns[name] for name in names])
    turned = [np.degrees(1.0) if degrees and name in ("hip", "knee") else 1.0 for name in names]
    return Table(t, values * turned, names, degrees)


def test_values_and_derivatives_in_the_models_order():
    motion = kinematics(leg(), recording(("extra", "slide", "knee", "hip")))
    assert (motion.names, motion.units) == (("hip", "knee", "slide"), ("rad", "rad", "m"))
    spline = Spline(recording())
    for order, values in enumerate((motion.q, motion.qdot, motion.qddot)):
        np.testing.assert_allclose(values, spline(motion.t, order), rtol=0, atol=1e-10)
    middle = slice(8, -8)
    np.testing.assert_allclose(motion.qddot[middle, 0], -4.8 * np.sin(4 * motion.t[middle]), rtol=0, atol=1e-4)


def test_lengths_that_must_be_millimetres_are_told():
    table = recording()
    wrong = table.with_values(table.t, table.values * [1.0, 1.0, 1e6], table.names)
    with pytest.warns(UserWarning, match="'slide' is in metres, and goes to 6728: if it is in millimetres, divide it"):
        kinematics(leg(), wrong)


def test_degrees_are_heeded_and_lengths_are_not_angles():
    ours, theirs = (kinematics(leg(), recording(degrees=degrees)) for degrees in (True, False))
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(ours.qddot, theirs.qddot, rtol=0, atol=1e-9)
    back = ours.table(degrees=True)
    assert back.degrees and back.names == ours.names
    np.testing.assert_allclose(back.values, recording(degrees=True).values, rtol=0, atol=1e-12)
    assert (ours.table("qddot").values == ours.qddot).all()


def test_columns_named_by_paths_and_angles_in_the_wrong_unit():
    table = recording(degrees=True)
    paths = [f"/jointset/joint/{name}/value" for name in table.names]
    np.testing.assert_array_equal(
        kinematics(leg(), table.with_values(table.t, table.values, paths)).q, kinematics(leg(), table).q
    )
    wrong = Table(table.t, table.values, table.names, degrees=False)
    with pytest.warns(UserWarning, match="says that its angles are in radians, and 'hip' goes to 17"):
        kinematics(leg(), wrong)


def test_filtered_values_are_those_of_lowpass_and_derivatives_come_from_beyond_the_ends():
    motion = kinematics(leg(), recording(), lowpass=6.0)
    filtered = lowpass(recording(), 6.0)
    np.testing.assert_allclose(motion.q, filtered.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.t, filtered.t, rtol=0, atol=1e-12)
    alone = Spline(filtered)(motion.t, 2)
    assert np.abs(motion.qddot - alone)[0].max() > 1e-2  # a spline through the inner rows alone is another one at ends


def test_times_that_differ_by_rounding_are_the_same():
    table = recording(rows=11)
    table = table.with_values(np.arange(11) * 0.1, table.values)  # 0.30000000000000004, 0.6000000000000001
    assert table.t[3] > 0.3 and table.t[6] > 0.6
    whole, part = kinematics(leg(), table), kinematics(leg(), table, start=0.3, end=0.6)
    np.testing.assert_array_equal(part.t, table.t[3:7])
    np.testing.assert_array_equal(whole.between(0.3, 0.6).t, table.t[3:7])
    np.testing.assert_array_equal(table.between(0.3, 0.6).t, table.t[3:7])
    assert len(kinematics(leg(), table.between(0.3), start=0.3)) == 8


def test_start_and_end():
    whole, part = kinematics(leg(), recording()), kinematics(leg(), recording(), start=0.11, end=0.4)
    assert (part.t[0], part.t[-1], len(part)) == (whole.t[5], whole.t[20], 16)
    assert (part.qddot == whole.qddot[5:21]).all()
    between = whole.between(0.1, 0.4)
    assert (between.q == part.q).all() and between.units == whole.units
    with pytest.raises(
        ValueError, match=rf"^the motion reaches from 0 to {whole.t[-1]:g} s, and has no row between 9 and"
    ):
        whole.between(9, 10)


def test_locked_coordinates_keep_their_default():
    motion = kinematics(leg(locked=True), recording(("hip", "slide")))
    np.testing.assert_allclose(motion.q[:, 1], 0.3, rtol=1e-14)
    np.testing.assert_allclose(motion.qddot[:, 1], 0, atol=1e-9)


def test_prescribed_coordinates_follow_their_motion():
    motion = kinematics(leg(prescribed=mm.Motion.sine(0.1, 2.0)), recording(("hip", "slide")))
    np.testing.assert_allclose(motion.q[:, 1], 0.1 * np.sin(2 * motion.t), rtol=0, atol=1e-13)


@pytest.mark.parametrize("cutoff", [None, 8.0])
def test_coupled_coordinates_follow_their_leaders(cutoff):
    motion = kinematics(leg(coupling=(0.1, -2.0, 0.5)), recording(("hip", "slide")), lowpass=cutoff)
    (hip, knee), qdot = motion.q.T[:2], motion.qdot
    np.testing.assert_allclose(knee, 0.1 - 2 * hip + 0.5 * hip**2, rtol=0, atol=1e-12)
    np.testing.assert_allclose(qdot[5:-5, 1], ((-2 + hip) * qdot[:, 0])[5:-5], rtol=0, atol=2e-5)


def test_opensims_filtered_kinematics_of_a_walk():
    stored = numbers("gait10dof18musc/pipeline/filtered_kinematics.json")
    table = read_table(reference("gait10dof18musc/pipeline/subject01_walk_IK.mot"))
    model = mm.io.read_osim(reference("gait10dof18musc/subject01.osim"), forces=False).compile()
    motion = kinematics(model, table, lowpass=6.0)
    order = [motion.names.index(name) for name in stored["coordinates"]]
    np.testing.assert_allclose(motion.t, stored["time"], rtol=0, atol=1e-12)
    for ours, theirs in (("q", "q"), ("qdot", "u"), ("qddot", "udot")):
        expected = np.array(stored[theirs])
        np.testing.assert_allclose(
            getattr(motion, ours)[:, order], expected, rtol=0, atol=1e-11 * np.abs(expected).max()
        )


class TestBadInput:
    def test_a_recording_of_another_model(self):
        with pytest.raises(KeyError, match="is it a recording of another model"):
            kinematics(leg(), recording(("extra",)))

    def test_missing_coordinates(self):
        with pytest.raises(ValueError, match="the table lacks the coordinates 'knee', 'slide' of model 'leg'"):
            kinematics(leg(), recording(("hip",)))

    def test_a_complaint_names_the_file(self):
        table = recording(("hip",))
        table = Table(table.t, table.values, table.names, about={"file": "walk.mot"})
        with pytest.raises(ValueError, match=r"walk\.mot lacks the coordinates 'knee', 'slide' of model 'leg'"):
            kinematics(leg(), table)

    def test_gaps(self):
        table = recording()
        table.values[3, 1] = np.nan
        with pytest.raises(ValueError, match=r"column 'knee' of the table has none at 0.06 s; fill the gap first"):
            kinematics(leg(), table)

    def test_gaps_elsewhere_do_not_matter(self):
        table = recording(("hip", "knee", "slide", "extra"))
        table.values[3, 3] = np.nan
        assert len(kinematics(leg(), table)) == 30

    def test_times(self):
        with pytest.raises(ValueError, match=r"reaches from 0 to 0.58 s, and the end, 2 s, is outside"):
            kinematics(leg(), recording(), end=2.0)
        with pytest.raises(ValueError, match=r"no row lies between the start 0.5 s and the end 0.1 s"):
            kinematics(leg(), recording(), start=0.5, end=0.1)
        with pytest.raises(ValueError, match="accelerations need 3 rows or more, and the table has 2"):
            kinematics(leg(), recording(rows=2))

    def test_things_that_are_no_model_or_table(self):
        with pytest.raises(TypeError, match="a model is needed"):
            kinematics("leg", recording())
        with pytest.raises(TypeError, match=r"needs an mm.recordings.Table of coordinates, and is given ndarray"):
            kinematics(leg(), recording().values)
        with pytest.raises(ValueError, match='one of "q", "qdot" or "qddot", not \'tau\''):
            kinematics(leg(), recording()).table("tau")

    @pytest.mark.parametrize(("t", "row", "told"), [([0, 1, 1], 2, "1 follows 1"), ([1, 0.5, 0], 1, "0.5 follows 1")])
    def test_kinematics_at_times_that_do_not_rise(self, t, row, told):
        zeros = np.zeros((3, 1))
        with pytest.raises(ValueError, match=rf"times rise from row to row, and t\[{row}\] = {told}"):
            Kinematics(t, zeros, zeros, zeros, ["hip"])

    def test_kinematics_of_wrong_shapes(self):
        with pytest.raises(ValueError, match=r"kinematics: qdot must be finite numbers of shape \(2, 1\)"):
            Kinematics([0, 1], [[0], [1]], [0, 1], [[0], [0]], ["hip"])
        with pytest.raises(ValueError, match="1 names have 2 units"):
            Kinematics([0], [[0]], [[0]], [[0]], ["hip"], ["rad", "m"])
