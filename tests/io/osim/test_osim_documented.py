"""The page for users of OpenSim names every class that is read, or reported by its own sentence."""

import pytest

from myomass._jit import PACKAGE
from myomass.io.osim.constraints import CONSTRAINTS
from myomass.io.osim.forces import FORCES
from myomass.io.osim.functions import READERS
from myomass.io.osim.geometry import SOLIDS
from myomass.io.osim.joints import AXES_OF
from myomass.io.osim.muscles import FAMILIES
from myomass.io.osim.paths import CONDITIONAL, FIXED, MOVING

PAGE = (PACKAGE.parent / "docs" / "opensim.md").read_text()
POINTS = (CONDITIONAL[0], FIXED[0], MOVING[0])
WRAPS = ("WrapCylinder", "WrapSphere", "WrapEllipsoid", "WrapTorus")
READ = (*AXES_OF, "EllipsoidJoint", *READERS, *CONSTRAINTS, *FORCES, *FAMILIES, *SOLIDS, *POINTS, *WRAPS)


@pytest.mark.fast
@pytest.mark.parametrize("tag", READ)
def test_the_page_names_it(tag):
    assert f"`{tag}`" in PAGE
