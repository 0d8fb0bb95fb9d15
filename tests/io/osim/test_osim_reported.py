"""What is read from .osim files in another way than OpenSim 4.6 does, which the report says."""

import numpy as np
import pytest
from opensim_texts import COORDINATES, accelerations, frame_text, in_opensim, osim, read

import myomass as mm

pytestmark = pytest.mark.fast
POINTS = "".join(
    f'<PathPoint name="p{k}"><socket_parent_frame>{frame}</socket_parent_frame><location>{k} 0.1 0</location>'
    "</PathPoint>"
    for k, frame in enumerate(("/ground", "/bodyset/hand"))
)
PATH = f"<GeometryPath><PathPointSet><objects>{POINTS}</objects></PathPointSet></GeometryPath>"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("<ignore_passive_fiber_force>true</ignore_passive_fiber_force>", "its fibre resists stretch all the same"),
        ("<activation_dynamics_smoothing>10</activation_dynamics_smoothing>", "stays 0.1, the published one"),
        ("<ignore_activation_dynamics>true</ignore_activation_dynamics>", "activation follows excitation all the same"),
        ("<activation_dynamics_smoothing>0.1</activation_dynamics_smoothing>", None),
        ("<max_control>0.5</max_control>", "its control may reach from 0 to 0.5 alone"),
        ("<min_control>0.2</min_control>", "its control may reach from 0.2 to 1 alone"),
        ("<min_control>0.01</min_control><max_control>1</max_control>", None),
        ("<min_control>-inf</min_control><max_control>inf</max_control>", None),
    ],
)
def test_what_a_muscle_says_in_vain(tmp_path, more, said):
    muscle = f'<DeGrooteFregly2016Muscle name="m">{PATH}{more}</DeGrooteFregly2016Muscle>'
    report = read(tmp_path, osim(ForceSet=muscle)).report
    assert len(report) == (said is not None)
    assert said is None or said in report[0]


def spring(frame):
    return (
        f'<PointToPointSpring name="s"><socket_body1>/ground</socket_body1><socket_body2>{frame}</socket_body2>'
        "<point1>0.5 0.1 0</point1><point2>0.3 0.2 -0.1</point2><stiffness>30</stiffness></PointToPointSpring>"
    )


def test_a_spring_between_points_of_an_offset_frame(tmp_path):
    """OpenSim forgets the offset: with it, it is the spring on the body."""
    opensim = pytest.importorskip("opensim")
    offset = frame_text("off", "/bodyset/hand", "0.4 0.3 0.2", "0.1 0.2 0.3")
    q, qdot = np.linspace(-0.5, 0.6, len(COORDINATES)), np.zeros(len(COORDINATES))
    theirs, ours = [], []
    for frame in ("/bodyset/hand", "/componentset/off"):
        text = osim(ForceSet=spring(frame), ComponentSet=offset)
        theirs.append(accelerations(*in_opensim(opensim, tmp_path, text), COORDINATES, q, qdot))
        spec = read(tmp_path, text)
        ours.append(mm.forward_dynamics(spec.compile(), q, qdot))
        assert ["OpenSim takes it in the body's frame" in line for line in spec.report] == [True] * (frame[1] == "c")
    np.testing.assert_allclose(theirs[0], theirs[1], rtol=1e-12)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-10 * np.abs(theirs[0]).max())
    assert np.abs(ours[0] - ours[1]).max() > 0.1


def test_parts_that_are_not_read(tmp_path):
    """Forces may lie anywhere in a file of OpenSim: those outside of the ForceSet are told, not passed over."""
    force = '<SpringGeneralizedForce name="s"><coordinate>bend</coordinate></SpringGeneralizedForce>'
    text = osim(ComponentSet=frame_text("off", "/bodyset/hand", "0 0 0", "0 0 0"), OtherSet=force)
    frame = frame_text("on", "/bodyset/free", "0 0 0", "0 0 0")
    text = text.replace("<BodySet ", f"<components>{frame}{force}</components><BodySet ")
    text = text.replace('<Body name="hand">', f'{force}<Body name="hand"><components>{force}</components>')
    report = [line.split(": ", 1)[1] for line in read(tmp_path, text).report]
    assert "no class of OpenSim knows this tag, which stands in <Model> 'tree'" in report.pop()  # <OtherSet>
    told = "of the list <components>, which is not read; left out"
    assert sorted(report) == ["of the OtherSet, which is not read; left out", told, told, "this is no body; left out"]


def test_a_coordinate_that_is_prescribed_by_nothing(tmp_path):
    spec = read(tmp_path, osim(told={"bend": "<prescribed>true</prescribed>"}))
    assert "Coordinate 'bend': it is prescribed and has no <prescribed_function>; it is free" in spec.report[0]
    assert len(spec.report) == 1 and not spec.constraints


def test_a_range_that_is_turned_round(tmp_path):
    spec = read(tmp_path, osim(told={"bend": "<range>0.5 -2</range><clamped>true</clamped>"}))
    assert "Coordinate 'bend': its range ends before it begins, at -2 and 0.5; it has none" in spec.report[0]
    assert spec.coordinates["bend"].range is None and len(spec.report) == 1


@pytest.mark.parametrize(("default", "far"), [(-2.0, False), (1.0, False), (1.8, True), (-3.3, True), (57.3, True)])
def test_a_default_far_outside_of_its_range(tmp_path, default, far):
    spec = read(tmp_path, osim(defaults={"bend": default}, told={"bend": "<range>-2 0.5</range>"}))
    said = f"Coordinate 'bend': its default, {default:g}, is far outside of its range, -2 to 0.5"
    assert [line.split(", ", 1)[1] for line in spec.report] == ([said] if far else [])
    assert spec.coordinates["bend"].default == default
