"""Surfaces on the paths of .osim files: which piece has which, in which order, and arm26's lengths over them."""

from functools import cache

import numpy as np
import pytest
from opensim_reference import numbers, reference
from opensim_texts import osim, read

import myomass as mm


@cache
def arm():
    """(spec, model) of arm26, without forces."""
    spec = mm.io.read_osim(reference("arm26/arm26.osim"), forces=False)
    return spec, spec.compile()


def lengths(model, names, q):
    found = mm.muscle_lengths(model, np.array(q))
    return {name: found[model.muscles.names.index(name)] for name in names}


@pytest.mark.fast
def test_a_surface_with_a_side_is_on_one_piece_and_pieces_are_in_the_order_of_the_path():
    spec, _ = arm()
    wrap = spec.muscles["TRIlong"].wrap
    kinds = [[type(surface).__name__ for surface in piece] for piece in wrap]
    assert kinds == [["FiniteCylinder", "Ellipsoid", "FiniteCylinder"], *[["Ellipsoid", "FiniteCylinder"]] * 3]
    assert [piece[-1].radius for piece in wrap] == [0.016] * 4
    assert (wrap[0][0].radius, wrap[0][0].length) == (0.003, 0.03)
    assert not any(surface.forced for piece in wrap for surface in piece if type(surface).__name__ == "Ellipsoid")
    assert sum("TRIlongglen" in line and "points 1 and 2" in line for line in spec.report) == 1


INSIDE = """<OpenSimDocument Version="40000"><Model name="m"><BodySet><objects><Body name="rod"><mass>1</mass>
<mass_center>0 -0.2 0</mass_center><inertia>0.02 0.001 0.02 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects><PinJoint name="hinge"><socket_parent_frame>/ground</socket_parent_frame>
<socket_child_frame>/bodyset/rod</socket_child_frame></PinJoint></objects></JointSet>
<Ground name="ground"><WrapObjectSet><objects>
<WrapSphere name="ball"><translation>0 -0.1 0</translation><radius>0.05</radius></WrapSphere></objects>
</WrapObjectSet></Ground><ForceSet><objects><Thelen2003Muscle name="pull"><GeometryPath><PathPointSet><objects>
<PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>0.04 -0.1 0</location></PathPoint>
<PathPoint name="b"><socket_parent_frame>/ground</socket_parent_frame><location>0.03 0.1 0</location></PathPoint>
<PathPoint name="c"><socket_parent_frame>/bodyset/rod</socket_parent_frame><location>-0.02 -0.3 0</location></PathPoint>
</objects></PathPointSet><PathWrapSet><objects><PathWrap name="w"><wrap_object>ball</wrap_object></PathWrap></objects>
</PathWrapSet></GeometryPath></Thelen2003Muscle></objects></ForceSet></Model></OpenSimDocument>"""


@pytest.mark.fast
def test_a_point_inside_a_surface_of_its_own_body(tmp_path):
    """The piece to it is straight, as OpenSim leaves it; the next piece wraps."""
    (tmp_path / "m.osim").write_text(INSIDE)
    spec = mm.io.read_osim(tmp_path / "m.osim", forces=False)
    first, second = spec.muscles["pull"].wrap
    assert first is None and len(second) == 1
    assert sum("point 1 lies inside 'ball'; the path goes straight" in line for line in spec.report) == 1
    length = mm.muscle_lengths(spec.compile(), np.array([0.0]))[0]
    straight = np.hypot(0.01, 0.2) + np.hypot(0.05, 0.4)
    assert straight < length < straight + 0.05


@pytest.mark.fast
@pytest.mark.parametrize(
    ("more", "said", "pieces"),
    [
        ("<range>1 9</range>", "its <range> is from point 1 to 9, and the path has 3 points; it is used up to 3", 1),
        ("<range>7 9</range>", "its <range> is from point 7 to 9, and the path has 3 points; it is not used", 0),
        ("<range>3 -1</range>", "its <range> is from point 3 to -1, and the path has 3 points; it is not used", 0),
        ("<range>3 2</range>", "its <range> is from point 3 to 2, and the path has 3 points; it is not used", 0),
        ("<range>2 3</range>", None, 1),
        ("<range>-1 -1</range>", None, 1),
        ("<method>magic</method>", "the <method> 'magic' is none of OpenSim's; the path is a geodesic with any", 1),
        ("<method>Axial</method>", None, 1),
    ],
)
def test_ranges_and_methods_that_cannot_be(tmp_path, more, said, pieces):
    (tmp_path / "m.osim").write_text(INSIDE.replace("ball</wrap_object>", f"ball</wrap_object>{more}"))
    spec = mm.io.read_osim(tmp_path / "m.osim", forces=False)
    told = [line.split(": ", 1)[1] for line in spec.report if "PathWrap 'w'" in line]
    assert told == ([said] if said else [])
    assert sum(piece is not None for piece in spec.muscles["pull"].wrap or ()) == pieces


def test_a_path_with_a_point_inside_is_as_long_as_opensims(tmp_path):
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Error")
    (tmp_path / "m.osim").write_text(INSIDE)
    theirs = opensim.Model(str(tmp_path / "m.osim"))
    state = theirs.initSystem()
    muscle = opensim.Muscle.safeDownCast(theirs.getForceSet().get("pull"))
    model = mm.io.read_osim(tmp_path / "m.osim", forces=False).compile()
    for angle in np.linspace(-1.0, 1.0, 9):
        theirs.getCoordinateSet().get(0).setValue(state, angle)
        assert mm.muscle_lengths(model, np.array([angle]))[0] == pytest.approx(muscle.getLength(state), abs=1e-9)


def test_arm26_is_engaged_where_opensim_is_and_as_long():
    """With one surface on a piece lengths agree. With two of TRIlong, OpenSim's length is not that of its own points.

    There the path is as long as the straight lines between OpenSim's own points, and what arcs have more than those.
    TRIlong runs off the end of its first cylinder at 0.65 rad of the shoulder in OpenSim, whose contact is too low,
    and at 0.9 on the geodesic.
    """
    _, model = arm()
    poses, names = numbers("arm26/poses.json"), ["TRIlong", "TRIlat", "TRImed", "BICshort", "BRA"]
    both = one = 0
    for pose in poses["poses"]:
        q, theirs = np.array(pose["q"]), dict(zip(poses["muscles"], pose["muscle_lengths"], strict=True))
        ours = lengths(model, names, q)
        for name in names[1:]:
            np.testing.assert_allclose(ours[name], theirs[name], atol=3e-5)
        on = {row[3] for row in pose["paths"]["TRIlong"] if len(row) > 3}
        wrapped = mm.muscles.muscle_paths(model, q)[model.muscles.names.index("TRIlong")].wrapped
        if on >= {"wrap:TRIlongglen", "wrap:TRIlonghh"}:
            if q[0] < 2.2:
                both += 1
                assert (wrapped[:2] > 0).all()
                frames = {name: np.array(E) for name, E in pose["body_poses"].items()}
                x = [frames[row[1]][:, :3] @ row[2] + frames[row[1]][:, 3] for row in pose["paths"]["TRIlong"]]
                straight = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
                assert -1e-6 < ours["TRIlong"] - straight < 5e-4
                assert abs(ours["TRIlong"] - theirs["TRIlong"]) < 5e-3
        elif not 0.65 < q[0] < 0.9:
            one += 1
            np.testing.assert_allclose(ours["TRIlong"], theirs["TRIlong"], atol=3e-5)
            assert (wrapped[0] > 0) == ("wrap:TRIlongglen" in on)
            assert wrapped[1] == 0.0
        arms = mm.moment_arms(model, q)
        h = 1e-6
        apart = [
            (mm.muscle_lengths(model, q - h * e) - mm.muscle_lengths(model, q + h * e)) / (2 * h) for e in np.eye(2)
        ]
        np.testing.assert_allclose(arms, np.transpose(apart), atol=1e-8)
    assert both > 5
    assert one > 35


def test_ends_and_quadrants_are_engaged_where_opensims_are():
    """Of spheres also as long, but for one in eight poses where OpenSim's rule takes the other way round."""
    model = mm.io.read_osim(reference("wraps/wraps.osim"), forces=False).compile()
    known = numbers("wraps/wraps.json")
    cases = {case["name"]: case for case in known["cases"]}
    lengths = np.array([mm.muscle_lengths(model, q) for q in known["q"]])
    for name, case in cases.items():
        ours = lengths[:, model.muscles.names.index(name)]
        theirs = np.array([np.nan if row[0] is None else row[0] for row in case["rows"]])
        engaged = np.array([len(row[3]) > 0 for row in case["rows"]])
        if name.startswith(("sphere", "ellipsoid")):
            free = ~engaged & np.isfinite(theirs)
            np.testing.assert_allclose(ours[free], theirs[free], atol=1e-12)
        if name.startswith("sphere"):
            assert (np.abs(ours - theirs) < 1e-12).sum() >= 51
        if name.startswith("ellipsoid"):
            assert (np.abs(ours - theirs) < 1e-4).sum() >= 35
    short = np.array([row[0] for row in cases["cylinder_short"]["rows"]])
    ours = lengths[:, model.muscles.names.index("cylinder_short")]
    assert (np.abs(ours - short) < 2e-5).sum() >= 56


def over(tmp_path, surface, elsewhere=""):
    """The surface of a path over a surface of the ground; elsewhere: a surface of a body that comes later."""
    ends = "".join(
        f'<PathPoint name="p{x}"><socket_parent_frame>/ground</socket_parent_frame><location>{x} 0.2 0</location>'
        "</PathPoint>"
        for x in (-1, 1)
    )
    path = (
        f"<GeometryPath><PathPointSet><objects>{ends}</objects></PathPointSet><PathWrapSet><objects>"
        '<PathWrap name="over"><wrap_object>bump</wrap_object></PathWrap></objects></PathWrapSet></GeometryPath>'
    )
    text = osim(ForceSet=f'<PathActuator name="rope">{path}</PathActuator>')
    holder = "<WrapObjectSet><objects>{}</objects></WrapObjectSet>"
    text = text.replace('<Ground name="ground"/>', f'<Ground name="ground">{holder.format(surface)}</Ground>')
    text = text.replace('<Body name="hand">', f'<Body name="hand">{holder.format(elsewhere)}')
    ((found,),) = read(tmp_path, text).muscles["rope"].wrap
    return found


@pytest.mark.fast
def test_sizes_that_a_file_does_not_say_are_those_of_opensim(tmp_path):
    opensim = pytest.importorskip("opensim")
    sphere, ellipsoid, torus, cylinder = (
        over(tmp_path, f'<Wrap{kind} name="bump"/>') for kind in ("Sphere", "Ellipsoid", "Torus", "Cylinder")
    )
    assert sphere.radius == opensim.WrapSphere().getRadius()
    assert list(ellipsoid.radii) == [opensim.WrapEllipsoid().getRadii().get(k) for k in range(3)]
    assert (torus.radius, torus.tube) == (opensim.WrapTorus().getOuterRadius(), opensim.WrapTorus().getInnerRadius())
    assert (cylinder.radius, cylinder.length) == (
        opensim.WrapCylinder().get_radius(),
        opensim.WrapCylinder().get_length(),
    )


@pytest.mark.fast
@pytest.mark.parametrize(
    ("surface", "said"),
    [
        ("Sphere name='bump'><radius>0</radius></WrapSphere>", "<radius> of 'bump' is positive, and is 0"),
        ("Ellipsoid name='bump'><dimensions>1 -2 3</dimensions></WrapEllipsoid>", "<dimensions> of .*, and is 1 -2 3"),
        ("Torus name='bump'><inner_radius>-1</inner_radius></WrapTorus>", "<inner_radius> of 'bump' is positive"),
        ("Cylinder name='bump'><length>inf</length></WrapCylinder>", "<length> of 'bump' is positive, and is inf"),
    ],
)
def test_sizes_that_no_surface_has(tmp_path, surface, said):
    with pytest.raises(ValueError, match=f"line \\d+: {said}"):
        over(tmp_path, f"<Wrap{surface}")


@pytest.mark.fast
def test_of_two_surfaces_of_one_name_the_first_counts(tmp_path):
    """As in OpenSim, which looks through the frames in their order."""
    sphere = '<WrapSphere name="bump"><radius>{}</radius></WrapSphere>'
    found = over(tmp_path, sphere.format(0.1), sphere.format(0.3))
    assert (found.body, found.radius) == (None, 0.1)
