"""Constraints of .osim files against OpenSim 4.6, in new and old formats: couplings, points, welds, rods, lines."""

import numpy as np
import pytest
from opensim_texts import (
    COORDINATES,
    FORMATS,
    accelerations,
    angles_of,
    bare,
    frame_text,
    frames_at,
    in_opensim,
    numbers,
    osim,
    read,
    socket,
)

import myomass as mm
from myomass.io.osim.composed import compose
from myomass.io.osim.functions import natural_spline, of_polynomial, simm_spline

pytestmark = pytest.mark.fast
SPLINE = "<SimmSpline><x>-1 -0.3 0.2 0.9 1.5</x><y>0.1 -0.2 0.3 0.25 -0.4</y></SimmSpline>"
FUNCTIONS = {
    "line": "<LinearFunction><coefficients>-0.7 0.2</coefficients></LinearFunction>",
    "spline": SPLINE,
    "scaled": f"<MultiplierFunction><function>{SPLINE}</function><scale>-1.5</scale></MultiplierFunction>",
    "polynomial": "<PolynomialFunction><coefficients>0.3 -0.2 0.5 0.1</coefficients></PolynomialFunction>",
}
POINT = np.array([0.1, -0.2, 0.3])


def start(seed):
    """Coordinates and speeds, by a seed."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.7, 0.7, len(COORDINATES)), rng.normal(size=len(COORDINATES))


def local(q, body, place):
    """A place in the world in a body's frame of the file."""
    return (np.linalg.inv(frames_at(q)[body]) @ [*place, 1.0])[:3]


def world(q, body, place):
    return (frames_at(q)[body] @ [*place, 1.0])[:3]


def flag(version, holds=True):
    if version < 40000:
        return f"<isDisabled>{str(not holds).lower()}</isDisabled>"
    return f"<isEnforced>{str(holds).lower()}</isEnforced>"


def coupler(version, function="line", leader="other_1", follower="bend", factor=1.0, holds=True):
    return (
        f'<CoordinateCouplerConstraint name="follow">{flag(version, holds)}<coupled_coordinates_function>'
        f"{FUNCTIONS.get(function, function)}</coupled_coordinates_function>"
        f"<independent_coordinate_names>{leader}</independent_coordinate_names>"
        f"<dependent_coordinate_name>{follower}</dependent_coordinate_name>"
        f"<scale_factor>{factor}</scale_factor></CoordinateCouplerConstraint>"
    )


def point(version, q, ends=("hand", "other")):
    second = local(q, ends[1], world(q, ends[0], POINT))
    return (
        f'<PointConstraint name="meet">{flag(version)}{socket(version, "body_1", ends[0])}'
        f"{socket(version, 'body_2', ends[1])}<location_body_1>{numbers(POINT)}</location_body_1>"
        f"<location_body_2>{numbers(second)}</location_body_2></PointConstraint>"
    )


def weld(version, q, ends=("hand", "other")):
    turned = mm.rotation((0.3, -0.2, 0.9), 0.4)
    first = mm.translation(*POINT) @ turned
    second = np.linalg.inv(frames_at(q)[ends[1]]) @ frames_at(q)[ends[0]] @ first
    poses = [(numbers(E[:3, 3]), numbers(angles_of(E[:3, :3]))) for E in (first, second)]
    if version < 40000:
        inner = "".join(
            f"<body_{k + 1}>{body}</body_{k + 1}><location_body_{k + 1}>{poses[k][0]}</location_body_{k + 1}>"
            f"<orientation_body_{k + 1}>{poses[k][1]}</orientation_body_{k + 1}>"
            for k, body in enumerate(ends)
        )
        return f'<WeldConstraint name="weld">{flag(version)}{inner}</WeldConstraint>'
    at = ["/ground" if body == "ground" else f"/bodyset/{body}" for body in ends]
    frames = "".join(frame_text(f"end_{k}", at[k], *poses[k]) for k in range(2))
    return (
        f'<WeldConstraint name="weld">{flag(version)}<socket_frame1>end_0</socket_frame1>'
        f"<socket_frame2>end_1</socket_frame2><frames>{frames}</frames></WeldConstraint>"
    )


def rod(version, q, ends=("hand", "other")):
    length = np.linalg.norm(world(q, ends[0], POINT) - world(q, ends[1], -POINT))
    return (
        f'<ConstantDistanceConstraint name="rod">{flag(version)}{socket(version, "body_1", ends[0])}'
        f"{socket(version, 'body_2', ends[1])}<location_body_1>{numbers(POINT)}</location_body_1>"
        f"<location_body_2>{numbers(-POINT)}</location_body_2><constant_distance>{length:.17g}</constant_distance>"
        "</ConstantDistanceConstraint>"
    )


def line(version, q, ends=("hand", "other")):
    way = np.array([0.2, -1.0, 0.5])
    start = local(q, ends[0], world(q, ends[1], POINT)) - 0.7 * way
    return (
        f'<PointOnLineConstraint name="line">{flag(version)}{socket(version, "line_body", ends[0])}'
        f"{socket(version, 'follower_body', ends[1])}<line_direction_vec>{numbers(way)}</line_direction_vec>"
        f"<point_on_line>{numbers(start)}</point_on_line><point_on_follower>{numbers(POINT)}</point_on_follower>"
        "</PointOnLineConstraint>"
    )


def on_constraints(model, q, qdot):
    """The state as close as constraints allow; their places hold already."""
    state = mm.dynamics.assemble(model, q, qdot)
    np.testing.assert_allclose(state.q, q, rtol=0, atol=1e-10)
    return state.q, state.qdot


def check(tmp_path, version, q, qdot, text, told=None, count=None):
    """Accelerations with the constraint, and without it others."""
    opensim = pytest.importorskip("opensim")
    text = osim(version, dict(zip(COORDINATES, q, strict=True)), told, ConstraintSet=text)
    spec = read(tmp_path, text)
    model = spec.compile()
    assert spec.report == []
    assert len(model.constraints) == count
    q, qdot = on_constraints(model, q, qdot)
    theirs, state = in_opensim(opensim, tmp_path, text)
    expected = accelerations(theirs, state, COORDINATES, q, qdot)
    tolerance = 1e-9 if version >= 40000 else 1e-5  # OpenSim rounds what it converts
    largest = np.abs(expected).max()
    np.testing.assert_allclose(mm.forward_dynamics(model, q, qdot), expected, rtol=0, atol=tolerance * largest)
    assert np.abs(mm.forward_dynamics(bare(q), q, qdot) - expected).max() > 1e-2


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize(("make", "count"), [(point, 3), (weld, 6), (rod, 1), (line, 2)])
@pytest.mark.parametrize("ends", [("hand", "other"), ("ground", "hand"), ("hand", "ground")])
def test_against_opensim(tmp_path, version, make, count, ends):
    q, qdot = start(len(ends[0]))
    check(tmp_path, version, q, qdot, make(version, q, ends), count=count)


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("leader", "factor"), [("other_1", 1.0), ("free_2", -0.6)])
def test_couplings(tmp_path, version, function, leader, factor):
    q, qdot = start(3)
    text = coupler(version, function, leader, factor=factor)
    one = read(tmp_path, osim(version, ConstraintSet=text)).constraints["follow"]
    q[COORDINATES.index("bend")] = one.coefficients(q[COORDINATES.index(leader)])
    check(tmp_path, version, q, qdot, text, count=1)


def test_a_constraint_that_is_not_enforced(tmp_path):
    for version in FORMATS:
        spec = read(tmp_path, osim(version, ConstraintSet=coupler(version, holds=False)))
        assert not spec.constraints
        assert len(spec.report) == 1 and "it is not enforced; left out" in spec.report[0]


def test_what_is_not_read_is_reported(tmp_path):
    rolls = '<RollingOnSurfaceConstraint name="roll"/><StrangeConstraint name="s"/>'
    spec = read(tmp_path, osim(ConstraintSet=rolls + coupler(40000, leader="free_0 free_1")))
    assert len(spec.report) == 3 and not spec.constraints
    for one, words in zip(spec.report, ("rolls on a surface", "kind is not known", "several others"), strict=True):
        assert words in one and one.startswith("line ")


def test_defaults_agree_with_couplings(tmp_path):
    """A chain of two, in an order in which one pass would not do; speeds too. OpenSim starts there as well."""
    opensim = pytest.importorskip("opensim")
    chain = coupler(40000, "polynomial", "other_1", "free_0").replace('"follow"', '"second"')
    text = osim(
        defaults={"bend": 0.3, "free_0": 0.1, "other_1": 0.9},
        told={"bend": "<default_speed_value>2.0</default_speed_value>"},
        ConstraintSet=chain + coupler(40000, "spline", "bend", "other_1", 0.5),
    )
    spec = read(tmp_path, text)
    coordinates = spec.coordinates
    assert len(spec.report) == 2
    assert all("the default of" in one and "follows" in one for one in spec.report)
    theirs, state = in_opensim(opensim, tmp_path, text)
    for name in ("bend", "other_1", "free_0"):
        assert coordinates[name].default == pytest.approx(theirs.getCoordinateSet().get(name).getValue(state), abs=1e-8)
    model = spec.compile()
    start = model.state()
    values, speeds = mm.dynamics.constraint_values(model, start.q, start.qdot)
    assert np.abs(values).max() < 1e-14 and np.abs(speeds).max() < 1e-14
    assert start.qdot[model.coordinate("other_1")] != 0


LOCKED = "<locked>true</locked>"
GUIDED = "<prescribed>true</prescribed><prescribed_function><LinearFunction><coefficients>0.4 0.2</coefficients>"
GUIDED += "</LinearFunction></prescribed_function>"
RISING = "<PolynomialFunction><coefficients>0.5 0 1 0.05</coefficients></PolynomialFunction>"


@pytest.mark.parametrize("told", [LOCKED, GUIDED])
@pytest.mark.parametrize("function", ["line", RISING])
@pytest.mark.parametrize("second", ["", ("free_1", "free_0"), ("free_0", "free_1")])
def test_leaders_go_where_their_followers_are_held(tmp_path, told, function, second):
    """Alone, in a chain, and where another coordinate follows the leader too. OpenSim starts there as well."""
    opensim = pytest.importorskip("opensim")
    text = coupler(40000, function, "free_0")
    if second:
        text += coupler(40000, "line", *second).replace('"follow"', '"second"')
    text = osim(defaults={"free_0": 0.3, "bend": 0.1, "free_1": 0.2}, told={"bend": told}, ConstraintSet=text)
    spec = read(tmp_path, text)
    assert any("the default of 'free_0'" in one and "keeps 'bend' where it is held" in one for one in spec.report)
    theirs, state = in_opensim(opensim, tmp_path, text)
    for name in ("bend", "free_0", "free_1"):
        value = theirs.getCoordinateSet().get(name).getValue(state)
        assert spec.coordinates[name].default == pytest.approx(value, abs=1e-8)
    model = spec.compile()
    start = model.state()
    values, speeds = mm.dynamics.constraint_values(model, start.q, start.qdot)
    assert np.abs(values).max() < 1e-12 and np.abs(speeds).max() < 1e-12


def test_a_locked_follower_moves_where_its_leader_cannot(tmp_path):
    """The leader is locked too, or no value of it would do."""
    never = "<PolynomialFunction><coefficients>1 0 0.5</coefficients></PolynomialFunction>"
    for function, more in (("line", {"free_0": LOCKED}), (never, {})):
        text = coupler(40000, function, "free_0")
        spec = read(tmp_path, osim(defaults={"free_0": 0.3}, told={"bend": LOCKED} | more, ConstraintSet=text))
        assert spec.coordinates["free_0"].default == 0.3
        assert "the default of 'bend'" in spec.report[0] and "follows 'free_0'" in spec.report[0]
        assert spec.constraints["bend_locked"].position == spec.constraints["follow"].coefficients(0.3) != 0.0


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_coordinate_of_the_same_joint_is_eliminated(tmp_path, function, version):
    """other_4 follows other_0: the same motion with one coordinate less, and as with a row."""
    text = osim(version, ConstraintSet=coupler(version, function, "other_0", "other_4"))
    held, left_out = read(tmp_path, text), read(tmp_path, text, eliminate=True)
    assert "other_4" not in left_out.coordinates and not left_out.constraints
    assert "the coordinate 'other_4' is eliminated: it follows 'other_0'" in left_out.report[0]
    one, two = held.compile(), left_out.compile()
    kept = [one.coordinate(name) for name in two.coordinates]
    for seed in range(3):
        q, qdot = start(seed)
        f = held.constraints["follow"].coefficients
        follower, leader = one.coordinate("other_4"), one.coordinate("other_0")
        q[follower] = f(q[leader])
        qdot = mm.dynamics.assemble(one, q, qdot).qdot
        np.testing.assert_allclose(mm.forward_kinematics(two, q[kept]), mm.forward_kinematics(one, q), atol=1e-13)
        qddot = mm.forward_dynamics(one, q, qdot)
        own = mm.forward_dynamics(two, q[kept], qdot[kept])
        np.testing.assert_allclose(own, qddot[kept], rtol=0, atol=1e-9 * np.abs(qddot).max())


def test_what_cannot_be_eliminated_is_kept(tmp_path):
    marks = '<CoordinateActuator name="motor"><coordinate>other_4</coordinate></CoordinateActuator>'
    locked = {"other_4": "<locked>true</locked>"}
    for text, told in (
        (osim(ConstraintSet=coupler(40000)), "its leader 'other_1' belongs to another joint"),
        (osim(ConstraintSet=coupler(40000, "line", "other_0", "other_4"), ForceSet=marks), "<coordinate> of line"),
        (osim(ConstraintSet=coupler(40000, "line", "other_0", "other_4"), told=locked), "locked or prescribed itself"),
    ):
        spec = read(tmp_path, text, eliminate=True, forces=False)
        assert "follow" in spec.constraints
        assert "is kept, held by a row" in spec.report[0] and told in spec.report[0]
        spec.compile()


def test_what_follows_a_locked_coordinate_is_eliminated(tmp_path):
    locked = {"other_1": "<locked>true</locked>"}
    text = osim(defaults={"other_1": 0.4}, told=locked, ConstraintSet=coupler(40000, "spline"))
    held, left_out = read(tmp_path, text), read(tmp_path, text, eliminate=True)
    assert len(held.constraints) == 2 and not left_out.constraints
    one, two = held.compile(), left_out.compile()
    assert set(one.coordinates) - set(two.coordinates) == {"bend", "other_1"}
    kept = [one.coordinate(name) for name in two.coordinates]
    q = one.q()
    np.testing.assert_allclose(mm.forward_kinematics(two, q[kept]), mm.forward_kinematics(one, q), atol=1e-14)
    qddot = mm.forward_dynamics(one, q, 0 * q)
    np.testing.assert_allclose(mm.forward_dynamics(two, q[kept], 0 * q[kept]), qddot[kept], atol=1e-10)


CURVES = {
    "line": mm.Motion.line(-0.7, 0.3),
    "number": mm.Motion(0.4),
    "sine": mm.Motion.sine(1, 2, 3, 4),
    "spline": simm_spline(np.array([-1.3, -0.4, 0.1, 0.8, 1.9]), np.array([0.2, -1.1, 0.9, 0.4, 1.5])),
    "quintic": natural_spline(np.arange(-2.0, 4.0), np.array([0.2, -0.6, 0.3, 1.0, -0.8, 0.1]), 5),
    "parabola": of_polynomial(np.array([0.3, -1.0, 0.2])),
    "held": mm.Motion.linear([-1, 0, 2], [0.3, -1, 1]),
}


@pytest.mark.parametrize("outer", CURVES)
@pytest.mark.parametrize("inner", CURVES)
def test_functions_of_functions_are_exact(outer, inner):
    f, g = CURVES[outer], CURVES[inner]
    lines = ("line", "number")
    if "sine" in (outer, inner) and not (inner in lines or outer in lines):
        with pytest.raises(ValueError, match="is not made of pieces"):
            compose(f, g)
        return
    x = np.linspace(-6, 6, 401)
    expected = np.array([f(g(one)) for one in x])
    np.testing.assert_allclose(compose(f, g).along(x), expected, rtol=0, atol=1e-12 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (coupler(40000, leader="kne"), "names a coordinate 'kne' that the model does not have"),
        (coupler(40000, follower="kne"), "names a coordinate 'kne' that the model does not have"),
        (coupler(40000, leader="bend"), "makes the coordinate 'bend' follow itself"),
        (coupler(40000, leader=""), "names a <dependent_coordinate_name> and <independent_coordinate_names>"),
        (coupler(40000, function="<Hat/>"), "should hold one of the functions"),
        (coupler(40000, function=""), "holds nothing"),
        (coupler(40000, factor="big"), "<scale_factor> holds numbers, and is 'big'"),
        ('<CoordinateCouplerConstraint name="c"><independent_coordinate_names>bend</independent_coordinate_names>'
         "<dependent_coordinate_name>free_0</dependent_coordinate_name></CoordinateCouplerConstraint>",
         "has no <coupled_coordinates_function>"),
        ('<PointConstraint name="p"/>', "the PointConstraint 'p' does not say its <socket_body_1>"),
        (f'<PointConstraint name="p">{socket(40000, "body_1", "hand")}{socket(40000, "body_2", "foot")}'
         "</PointConstraint>", "names a frame '/bodyset/foot' that the model does not have"),
        (f'<PointConstraint name="p">{socket(40000, "body_1", "hand")}{socket(40000, "body_2", "hand")}'
         "</PointConstraint>", "both ends of the PointConstraint 'p' are on the body 'hand'"),
        (f'<ConstantDistanceConstraint name="d">{socket(40000, "body_1", "hand")}{socket(40000, "body_2", "other")}'
         "</ConstantDistanceConstraint>", "'d' needs a positive <constant_distance>"),
        (f'<PointOnLineConstraint name="l">{socket(40000, "line_body", "hand")}'
         f"{socket(40000, 'follower_body', 'other')}</PointOnLineConstraint>", "needs the direction of its line"),
        (f'<PointConstraint name="p">{socket(40000, "body_1", "hand")}{socket(40000, "body_2", "other")}'
         "<location_body_2>0 inf 0</location_body_2></PointConstraint>", "holds finite numbers, and is"),
        ('<WeldConstraint name="w"><isEnforced>perhaps</isEnforced></WeldConstraint>', "<isEnforced> is true or false"),
    ],
)  # fmt: skip
def test_bad_constraints(tmp_path, text, told):
    for eliminate in (False, True):
        with pytest.raises(ValueError, match=r"model.osim, line \d+: ") as raised:
            read(tmp_path, osim(ConstraintSet=text), eliminate=eliminate)
        assert told in str(raised.value)


def test_connectors_name_frames_too(tmp_path):
    """As in the format 30501."""
    ends = "".join(
        f'<Connector_PhysicalFrame_ name="body_{k}"><connectee_name>{body}</connectee_name></Connector_PhysicalFrame_>'
        for k, body in ((1, "hand"), (2, "ground"))
    )
    text = f'<PointConstraint name="p"><isDisabled>false</isDisabled><connectors>{ends}</connectors></PointConstraint>'
    spec = read(tmp_path, osim(30000, ConstraintSet=text).replace("30000", "30501"))
    assert not [line for line in spec.report if "no <inertia>" not in line]  # six tags are not those of this format
    np.testing.assert_allclose(spec.constraints["p"].a[1], spec.frames["hand"].pose[:3, 3], atol=1e-15)
    assert spec.constraints["p"].a[0] == "hand" and spec.constraints["p"].b[0] is None


def test_names_may_be_missing_or_come_twice(tmp_path):
    text = coupler(40000, leader="free_0") + coupler(40000, leader="other_1", follower="free_3")
    assert len(read(tmp_path, osim(ConstraintSet=text)).constraints) == 2
    assert len(read(tmp_path, osim(ConstraintSet=text.replace('name="follow"', ""))).constraints) == 2


def test_prescribed_coordinates_start_on_their_motions(tmp_path):
    opensim = pytest.importorskip("opensim")
    line = "<LinearFunction><coefficients>2 0.7</coefficients></LinearFunction>"
    told = {"free_0": f"<prescribed>true</prescribed><prescribed_function>{line}</prescribed_function>"}
    coupler = (
        f'<CoordinateCouplerConstraint name="c"><coupled_coordinates_function>{FUNCTIONS["line"]}'
        "</coupled_coordinates_function><independent_coordinate_names>free_0</independent_coordinate_names>"
        "<dependent_coordinate_name>bend</dependent_coordinate_name></CoordinateCouplerConstraint>"
    )
    text = osim(defaults={"free_0": 0.3, "free_4": 0.1}, told=told, ConstraintSet=coupler)
    theirs, state = in_opensim(opensim, tmp_path, text)
    spec = read(tmp_path, text)
    model = spec.compile()
    known = [theirs.getCoordinateSet().get(name) for name in COORDINATES]
    np.testing.assert_allclose(model.q(), [c.getValue(state) for c in known], atol=1e-9)
    np.testing.assert_allclose(model.qdot()[[0, 6]], [2.0, -1.4], rtol=1e-12)
    assert "the default of 'free_0' is 0.7, as it is prescribed at 0 s, and not 0.3" in spec.report
