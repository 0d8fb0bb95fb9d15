"""Names in .osim files against OpenSim 4.6: sets of any name, parts without a name, and several parts of one name."""

import numpy as np
import pytest
from opensim_texts import COORDINATES, in_opensim, osim, read

import myomass as mm

pytestmark = pytest.mark.fast
MARKER = '<Marker name="{}"><socket_parent_frame>/bodyset/hand</socket_parent_frame><location>0 1 2</location></Marker>'
SPRING = '<SpringGeneralizedForce name="{}"><coordinate>bend</coordinate></SpringGeneralizedForce>'


def shifted():
    """A tree whose second joint has frames of the same names as the others, at other places."""
    text = osim()
    at = text.index('name="to_hand"')
    return text[:at] + text[at:].replace("0.1 -0.3 0.05", "0.4 0.2 -0.1", 1)


def same_places(opensim, tmp_path, text):
    theirs, state = in_opensim(opensim, tmp_path, text)
    spec = read(tmp_path, text)
    model, q = spec.compile(), np.linspace(-0.6, 0.7, len(COORDINATES))
    assert list(model.coordinates) == COORDINATES
    for name, value in zip(COORDINATES, q, strict=True):
        theirs.getCoordinateSet().get(name).setValue(state, value, False)
    theirs.realizePosition(state)
    E = mm.forward_kinematics(model, q)
    for body in model.names:
        place = theirs.getBodySet().get(body).getPositionInGround(state)
        found = E[model.body(body)] @ model.frames[body].pose
        np.testing.assert_allclose(found[:3, 3], [place.get(k) for k in range(3)], atol=1e-12)
    return spec


@pytest.mark.parametrize("name", ["", ' name=""', ' name="joints"'])
def test_a_joint_finds_its_own_frames_whatever_its_set_is_called(tmp_path, name):
    opensim = pytest.importorskip("opensim")
    text = shifted().replace(' name="jointset"', name).replace(' name="bodyset"', name)
    assert not same_places(opensim, tmp_path, text).report


@pytest.mark.parametrize("name", ["", ' name="it"'])
def test_joints_of_one_name_and_without_names_have_frames_of_their_own(tmp_path, name):
    opensim = pytest.importorskip("opensim")
    text = shifted()
    for joint in ("to_free", "to_hand", "to_other"):
        text = text.replace(f' name="{joint}"', name)
    report = same_places(opensim, tmp_path, text).report
    assert len(report) == (2 if name else 3)
    assert "as OpenSim calls it" in report[0]


def test_parts_are_called_as_in_opensim(tmp_path):
    opensim = pytest.importorskip("opensim")
    text = osim(
        MarkerSet="".join(MARKER.format(name) for name in ("m", "m", "m_0", "m", "", "")),
        ForceSet="".join(SPRING.format(name) for name in ("f", "f", "f_0", "", "")),
    )
    theirs, _ = in_opensim(opensim, tmp_path, text)
    spec = read(tmp_path, text)
    for held, known in ((spec.markers, theirs.getMarkerSet()), (spec.forces, theirs.getForceSet())):
        assert list(held) == [known.get(k).getName() for k in range(known.getSize())]


def test_a_name_that_several_frames_have_is_no_name_of_one(tmp_path):
    text = osim(MarkerSet=MARKER.format("m").replace("/bodyset/hand", "before"))
    with pytest.raises(ValueError, match=r"line \d+: <Marker> 'm' names a frame 'before' of which there are several: "):
        read(tmp_path, text)


def test_a_body_elsewhere_is_none(tmp_path):
    stray = '<Body name="stray"/>'
    text = osim(ComponentSet=stray, MarkerSet=MARKER.format("m").replace("hand", "stray"))
    with pytest.raises(ValueError, match=r"line \d+: <Marker> 'm' names a frame '/bodyset/stray' that the model does"):
        read(tmp_path, text)


def path_of(*points):
    """An actuator along a path through points: (tag, frame, more than the frame)."""
    listed = "".join(
        f'\n<{tag} name="p{k}"><socket_parent_frame>{frame}</socket_parent_frame>{more}</{tag}>'
        for k, (tag, frame, more) in enumerate(points)
    )
    path = f"<GeometryPath><PathPointSet><objects>{listed}</objects></PathPointSet></GeometryPath>"
    return f'<PathActuator name="rope">{path}</PathActuator>'


AWAY = ("PathPoint", "/ground", "<location>0 5 0</location>")


@pytest.mark.parametrize("tag", ["PathPoint", "ConditionalPathPoint", "MovingPathPoint"])
def test_no_point_of_a_path_is_infinitely_far_away(tmp_path, tag):
    gate = "<socket_coordinate>bend</socket_coordinate><range>0 1</range>" if tag[0] == "C" else ""
    text = osim(ForceSet=path_of(AWAY, (tag, "/bodyset/hand", f"<location>0.1 inf 0</location>{gate}")))
    line = 1 + text[: text.index("inf")].count("\n")
    with pytest.raises(ValueError, match=rf"model.osim, line {line}: <location> of 'p1' holds finite numbers"):
        read(tmp_path, text)


@pytest.mark.parametrize("tag", ["PathPoint", "ConditionalPathPoint"])
def test_points_of_a_path_that_coincide(tmp_path, tag):
    gate = "<socket_coordinate>bend</socket_coordinate><range>0 1</range>" if tag[0] == "C" else ""
    first, second = (f"<location>0.1 0.2 {z}</location>{gate}" for z in ("0.3", "0.30000000000000004"))
    points = [AWAY, ("PathPoint", "/bodyset/hand", first), (tag, "/bodyset/hand", second)]
    text = osim(ForceSet=path_of(*points))
    line = 1 + text[: text.index("04</loc")].count("\n")
    with pytest.raises(ValueError, match=rf"model.osim, line {line}: the points 'p1' and 'p2' of a path coincide"):
        read(tmp_path, text)
    points[2] = tag, "/bodyset/free", second
    read(tmp_path, osim(ForceSet=path_of(*points)))


@pytest.mark.parametrize("limits", ["1 -1", "0 inf"])
def test_a_conditional_point_with_a_range_that_is_none(tmp_path, limits):
    more = f"<location>0.1 0 0</location><socket_coordinate>bend</socket_coordinate>\n<range>{limits}</range>"
    text = osim(ForceSet=path_of(AWAY, ("ConditionalPathPoint", "/bodyset/hand", more), AWAY))
    line = 1 + text[: text.index("<range>")].count("\n")
    with pytest.raises(ValueError, match=rf"model.osim, line {line}: the <range> of 'p1' is two finite numbers"):
        read(tmp_path, text)


def test_gravity_is_finite(tmp_path):
    with pytest.raises(ValueError, match=r"model.osim, line 3: <gravity> of 'tree' holds finite numbers"):
        read(tmp_path, osim().replace("-9.80665", "-inf"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<translation>0.1", "<translation>inf", "<PhysicalOffsetFrame> 'before': translation: .* must be finite"),
        ("<translation>0.1", "<translation>nan", "<translation> holds numbers, and not a number .NaN. is among them"),
        (
            "<default_value>0<",
            "<default_value>inf<",
            "<CustomJoint> 'to_free': coordinate 'free_0': its default must",
        ),
        ('"bend"', '""', "<PinJoint> 'to_hand': a coordinate's name must be a string that is not empty"),
    ],
)
def test_what_no_part_can_have_is_told_with_its_line(tmp_path, old, new, message):
    text = osim().replace(old, new, 1)
    with pytest.raises(ValueError, match=r"model.osim, line \d+: " + message):
        read(tmp_path, text)
