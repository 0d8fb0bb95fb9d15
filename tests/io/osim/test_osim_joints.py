"""Joints of .osim files as OpenSim 4.6 reads them: which coordinates a CustomJoint has, and in which order."""

import pytest
from opensim_texts import AXES, FORMATS, axis_text, in_opensim, osim, read

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


def test_coordinates_that_are_listed_twice(tmp_path):
    text = osim().replace('name="free_1"', 'name="free_0"')
    with pytest.raises(ValueError, match=r"line \d+: the joint 'to_free' has two coordinates 'free_0'"):
        read(tmp_path, text)
