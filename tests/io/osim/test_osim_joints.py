"""Joints of .osim files as OpenSim 4.6 reads them: which coordinates a CustomJoint has, and in which order."""

import numpy as np
import pytest
from opensim_texts import AXES, COORDINATES, FORMATS, accelerations, axis_text, in_opensim, osim, read

import myomass as mm

pytestmark = pytest.mark.fast
LISTED = [f"free_{k}" for k in range(6)]
DRIVING = [LISTED[k] for k in (2, 0, 5, 1, 4, 3)]  # by the axes in their order


def tree(version, listed=LISTED, order=range(6)):
    """Axes of one joint that name its coordinates in another order than it lists them, the axes in any order."""
    text = osim(version)
    old = [axis_text(version, *row) for row in zip(AXES, LISTED, ("1 0 0", "0 1 0", "0 0 1") * 2, strict=True)]
    new = [axis_text(version, *row) for row in zip(AXES, DRIVING, ("1 0 0", "0 1 0", "0 0 1") * 2, strict=True)]
    text = text.replace("".join(old), "".join(new[k] for k in order))
    for name in set(LISTED) - set(listed):
        text = text.replace(f'<Coordinate name="{name}"><default_value>0</default_value></Coordinate>', "")
    return text


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("order", [range(6), (3, 1, 5, 0, 2, 4)])
@pytest.mark.parametrize("listed", [LISTED, []])
def test_coordinates_of_a_custom_joint_are_in_the_order_of_its_axes(tmp_path, version, order, listed):
    """Those that no list has, its axes name."""
    opensim = pytest.importorskip("opensim")
    text = tree(version, listed, order)
    theirs, _ = in_opensim(opensim, tmp_path, text)
    known = [theirs.getCoordinateSet().get(k).getName() for k in range(theirs.getNumCoordinates())]
    assert list(read(tmp_path, text).coordinates) == known
    assert known[:6] == DRIVING


SPLINE = "<SimmSpline><x>-2 0 2</x><y>-1 0 1.5</y></SimmSpline>"
LINE = "<LinearFunction><coefficients>{}</coefficients></LinearFunction>"
MULTIPLE = f"<MultiplierFunction><function>{LINE.format('1 0')}</function><scale>-1</scale></MultiplierFunction>"
KINDS = ["", "rad", "m", "1"]  # of motion, as OpenSim numbers them


def driven(function, axis="rotation1", told="", version=40000, **sets):
    """A coordinate, free_0 or free_3, that an axis follows by a function."""
    name = {"rotation1": "free_0", "translation1": "free_3"}[axis]
    old = axis_text(version, axis, name, "1 0 0")
    head, tail = old.split("<axis>1 0 0</axis>")
    new = f"{head}<axis>1 0 0</axis><function>{function}</function></TransformAxis>"
    assert tail and osim(version).count(old) == 1
    return osim(version, told={name: told}, **sets).replace(old, new), name


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("axis", ["rotation1", "translation1"])
@pytest.mark.parametrize("function", [*(LINE.format(k) for k in ("1 0", "-1 0", "1 0.2", "2 0")), SPLINE, MULTIPLE])
def test_units_are_those_that_opensim_converts_degrees_by(tmp_path, version, axis, function):
    opensim = pytest.importorskip("opensim")
    for told in ("", "<motion_type>coupled</motion_type>", "<motion_type>rotational</motion_type>"):
        text, name = driven(function, axis, told, version)
        theirs, _ = in_opensim(opensim, tmp_path, text)
        spec = read(tmp_path, text)
        assert spec.coordinates[name].unit == KINDS[theirs.getCoordinateSet().get(name).getMotionType()]


@pytest.mark.parametrize("slope", ["-1 0", "1 0.3", "2 0"])
def test_limits_in_degrees_of_a_coordinate_that_its_axis_turns_against(tmp_path, slope):
    opensim = pytest.importorskip("opensim")
    limit = (
        '<CoordinateLimitForce name="l"><coordinate>free_0</coordinate><upper_limit>0.2</upper_limit>'
        "<lower_limit>-30</lower_limit><upper_stiffness>2</upper_stiffness><lower_stiffness>3</lower_stiffness>"
        "<transition>0.1</transition><damping>0.1</damping></CoordinateLimitForce>"
    )
    text, _ = driven(LINE.format(slope), ForceSet=limit)
    q, qdot = np.linspace(0.4, 0.9, len(COORDINATES)), np.linspace(0.3, -0.2, len(COORDINATES))
    theirs = accelerations(*in_opensim(opensim, tmp_path, text), COORDINATES, q, qdot)
    ours = mm.forward_dynamics(read(tmp_path, text).compile(), q, qdot)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


def test_degrees_of_a_coordinate_that_its_axis_turns_against(tmp_path):
    model = read(tmp_path, driven(LINE.format("-1 0"))[0]).compile()
    rows = np.zeros((4, len(COORDINATES)))
    rows[:, 0] = 90.0
    table = mm.recordings.Table(np.arange(4) * 0.1, rows, COORDINATES, degrees=True)
    np.testing.assert_allclose(mm.analyses.kinematics(model, table).q[:, 0], np.pi / 2, rtol=1e-12)


def test_coordinates_that_are_listed_twice(tmp_path):
    text = osim().replace('name="free_1"', 'name="free_0"')
    with pytest.raises(ValueError, match=r"line \d+: the joint 'to_free' has two coordinates 'free_0'"):
        read(tmp_path, text)
