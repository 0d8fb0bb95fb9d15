"""Bad input gets one sentence that names the thing: in a spec, in a joint, and at the border of every algorithm."""

import re

import numpy as np
import pytest

import myomass as mm

pytestmark = [
    pytest.mark.fast,
    pytest.mark.filterwarnings("ignore:(invalid|overflow):RuntimeWarning"),  # of kernels run as plain Python
]
BOX = mm.Inertia.cuboid((1.0, 0.2, 0.1), mass=1.0)
ROD_X = mm.Inertia(1.0, (0.0, 1.0, 1.0))  # thin, along x
I4 = np.eye(4)
NAN4 = np.full((4, 4), np.nan)


def arm_spec():
    """Two bodies, three degrees of freedom."""
    spec = mm.Spec("arm")
    spec.add_body("upper", None, mm.Revolute(), None, mm.translation(0.5, 0, 0), BOX)
    spec.add_body("lower", "upper", mm.Universal(), mm.translation(1, 0, 0), mm.translation(0.5, 0, 0), BOX)
    return spec


@pytest.fixture(scope="module")
def arm():
    return arm_spec().compile()


def compile_with(**body):
    spec = arm_spec()
    spec.add_body("new", **body)
    return spec.compile()


def compile_edited(body, /, **changes):
    spec = arm_spec()
    for field, value in changes.items():
        setattr(spec.bodies[body], field, value)
    return spec.compile()


# --- the tree -------------------------------------------------------------------------------------------------------


def test_unknown_parent():
    with pytest.raises(ValueError, match="the parent 'uper' of 'new' is unknown; known: upper, lower"):
        compile_with(parent="uper")


def test_unknown_parent_of_the_first_body():
    with pytest.raises(ValueError, match="the parent 'ground' of 'a' is unknown; there is none yet"):
        mm.Spec().add_body("a", "ground")


def test_the_list_of_known_bodies_is_cut_short():
    spec = mm.Spec()
    for i in range(20):
        spec.add_body(f"b{i}", inertia=BOX)
    with pytest.raises(ValueError, match=r"known: b0, .*, b11 and 8 more"):
        spec.add_body("a", "x")


def test_duplicate_name():
    with pytest.raises(ValueError, match="there is a body 'upper' already; every name must be different"):
        arm_spec().add_body("upper")


@pytest.mark.parametrize("name", ["", None, 3])
def test_name_that_is_no_word(name):
    with pytest.raises(ValueError, match=f"the name must be a string that is not empty, and is {name!r}"):
        arm_spec().add_body(name)


def test_a_refused_body_is_not_added():
    spec = arm_spec()
    with pytest.raises(ValueError, match="E_pj"):
        spec.add_body("new", E_pj=2 * I4)
    assert list(spec.bodies) == ["upper", "lower"]


def test_cycle():
    with pytest.raises(ValueError, match=r"spec 'arm': the parents form a cycle \(upper -> lower -> upper\)"):
        compile_edited("upper", parent="lower")


def test_body_that_is_its_own_parent():
    with pytest.raises(ValueError, match=r"form a cycle \(lower -> lower\)"):
        compile_edited("lower", parent="lower")


def test_cycle_off_the_main_tree_names_only_its_members():
    spec = arm_spec()
    for name in ("tail", "a", "b"):
        spec.add_body(name, "lower", inertia=BOX)
    spec.bodies["tail"].parent, spec.bodies["a"].parent, spec.bodies["b"].parent = "a", "b", "a"
    with pytest.raises(ValueError, match=r"cycle \(a -> b -> a\)"):
        spec.compile()


def test_unknown_parent_after_an_edit():
    with pytest.raises(ValueError, match="spec 'arm': the parent 'hand' of 'lower' is unknown; known: upper, lower"):
        compile_edited("lower", parent="hand")


def test_parent_removed():
    spec = arm_spec()
    del spec.bodies["upper"]
    with pytest.raises(ValueError, match="the parent 'upper' of 'lower' is unknown; known: lower"):
        spec.compile()


def test_empty_spec():
    with pytest.raises(ValueError, match="spec 'nothing' has no bodies; add one with add_body"):
        mm.Spec("nothing").compile()


@pytest.mark.parametrize("gravity", [(0, 0, np.nan), (0, 0, np.inf), (0, 0), -9.81, None])
def test_gravity_that_is_no_vector(gravity):
    spec = arm_spec()
    spec.gravity = gravity
    with pytest.raises(ValueError, match=r"spec 'arm': gravity .* must be finite numbers of shape"):
        spec.compile()


# --- mass where it is needed ----------------------------------------------------------------------------------------


def test_massless_leaf():
    with pytest.raises(
        ValueError, match=r"body 'new' is a massless leaf: its joint Prismatic\(axis=\[1.0, 0.0, 0.0\]\)"
    ):
        compile_with(parent="lower", joint=mm.Prismatic((1, 0, 0)))


def test_massless_leaf_behind_a_fixed_massless_link():
    spec = arm_spec()
    spec.add_body("wrist", "lower", mm.Revolute())
    spec.add_body("tip", "wrist", mm.Fixed())
    spec.add_body("tip of the tip", "tip", mm.Fixed())
    with pytest.raises(ValueError, match="body 'wrist' is a massless leaf"):
        spec.compile()


def test_point_mass_on_a_ball_joint():
    with pytest.raises(ValueError, match=r"body 'new' has no inertia in some direction of its joint SphericalExp\(\)"):
        compile_with(parent="lower", joint=mm.SphericalExp(), E_jb=mm.translation(0, 0, 1), inertia=mm.Inertia.point(1))


def test_point_mass_on_its_own_axis():
    with pytest.raises(ValueError, match="body 'new' has no inertia in some direction of its joint Revolute"):
        compile_with(joint=mm.Revolute((0, 0, 1)), E_jb=mm.translation(0, 0, 1), inertia=mm.Inertia.point(1))


def test_thin_rod_on_an_axis_through_it():
    with pytest.raises(ValueError, match="a point mass or thin rod cannot resist every turn"):
        compile_with(joint=mm.Revolute((1, 0, 0)), E_jb=mm.translation(0.5, 0, 0), inertia=ROD_X)


def test_thin_rod_on_a_ball_joint_in_any_direction():
    E_jb = mm.se3.exp([0.4, -0.7, 0.2, 0, 0, 0]) @ mm.translation(0.5, 0, 0)
    with pytest.raises(ValueError, match="body 'new' has no inertia in some direction of its joint SphericalEuler"):
        compile_with(joint=mm.SphericalEuler("ZXZ"), E_jb=E_jb, inertia=ROD_X)


def test_thin_rod_on_a_slanted_axis_through_it():
    along = mm.rotation((1, 2, 3), 0.8)
    with pytest.raises(ValueError, match="body 'new' has no inertia in some direction of its joint Revolute"):
        compile_with(joint=mm.Revolute(along[:3, 0]), E_jb=along @ mm.translation(0.5, 0, 0), inertia=ROD_X)


def test_joint_that_does_not_move():
    with pytest.raises(ValueError, match="body 'new' has no inertia in some direction of its joint SplineCurve"):
        compile_with(joint=mm.SplineCurve([I4] * 4), inertia=BOX)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3])
@pytest.mark.parametrize("joint", [mm.Revolute((1, 1, 0)), mm.SphericalExp(), mm.Free2D(), mm.Free3D("TR")])
def test_small_and_large_bodies_are_bodies(joint, size):
    inertia = mm.Inertia.cuboid(size * np.array([1, 0.3, 0.2]), density=1000)
    assert compile_with(joint=joint, inertia=inertia).nbodies == 3


def test_a_grain_of_dust_may_turn_and_then_fly():
    grain = mm.Inertia.cuboid((1e-6, 1e-7, 1e-7), density=1000)
    assert compile_with(joint=mm.Free3D("RT"), inertia=grain).nbodies == 3


# --- parts of a body ------------------------------------------------------------------------------------------------

BAD_FRAMES = {
    "stretched": (np.diag([1.0, 2.0, 1.0, 1.0]), "has a rotation part that is not orthonormal .* by 3"),
    "sheared": (I4 + 1e-3 * np.eye(4, k=1), "has a rotation part that is not orthonormal"),
    "mirrored": (np.diag([1.0, 1.0, -1.0, 1.0]), r"has a rotation part that mirrors \(determinant -1\)"),
    "not finite": (NAN4, "has entries that are not finite"),
    "position not finite": (mm.se3.pose(np.eye(3), (0, np.inf, 0)), "has entries that are not finite"),
    "3x3": (np.eye(3), r"must be a 4x4 matrix, and its shape is \(3, 3\)"),
    "transposed": (mm.translation(1, 2, 3).T, r"must have the last row \(0, 0, 0, 1\), and has \[1.0, 2.0, 3.0, 1.0\]"),
    "in words": ("here", "must be a 4x4 matrix of numbers"),
    "ragged": ([[1, 2], [3]], "must be a 4x4 matrix of numbers"),
}


@pytest.mark.parametrize("field", ["E_pj", "E_jb"])
@pytest.mark.parametrize("case", BAD_FRAMES)
def test_bad_frame(field, case):
    E, sentence = BAD_FRAMES[case]
    with pytest.raises(ValueError, match=f"body 'new': {field} {sentence}"):
        compile_with(inertia=BOX, **{field: E})
    with pytest.raises(ValueError, match=f"body 'lower': {field} {sentence}"):
        compile_edited("lower", **{field: E})


@pytest.mark.parametrize("joint", [mm.Revolute, "revolute", 3])
def test_joint_that_is_none(joint):
    with pytest.raises(TypeError, match=r"body 'new': the joint must be one such as mm.Revolute\(\)"):
        compile_with(joint=joint)
    with pytest.raises(TypeError, match="body 'lower': the joint must be one"):
        compile_edited("lower", joint=joint)


@pytest.mark.parametrize("inertia", [1.0, mm.Inertia, np.eye(6)])
def test_inertia_that_is_none(inertia):
    with pytest.raises(TypeError, match=r"body 'new': the inertia must be an mm\.Inertia or None"):
        compile_with(inertia=inertia)


class Sledge(mm.Prismatic):
    """A joint that nobody listed."""


def test_joint_without_kernels():
    with pytest.raises((TypeError, ValueError), match=r"body 'new'.*Sledge"):
        compile_with(joint=Sledge(), inertia=BOX)


@pytest.mark.parametrize("name", ["fore", "upper"])
def test_body_renamed_behind_the_specs_back(name):
    with pytest.raises(ValueError, match=f"'lower'.*'{name}'"):
        compile_edited("lower", name=name)


# --- joints ---------------------------------------------------------------------------------------------------------

BAD_JOINTS = {
    "zero axis": (lambda: mm.Revolute((0, 0, 0)), "Revolute: the axis must be three finite numbers, not all zero"),
    "axis not finite": (lambda: mm.Prismatic((0, np.nan, 1)), "Prismatic: the axis must be three finite numbers"),
    "axis of two": (lambda: mm.Prismatic((0, 1)), "Prismatic: the axis must be three finite numbers"),
    "axis of one": (lambda: mm.Revolute(2), "Revolute: the axis must be three finite numbers"),
    "one frame": (lambda: mm.SplineCurve([I4]), r"SplineCurve: a closed curve needs at least 2 frames, and has 1"),
    "three frames": (lambda: mm.SplineCurve([I4] * 3, closed=False), "an open curve needs at least 4 frames"),
    "no frames": (lambda: mm.SplineCurve([]), r"SplineCurve: the frames must be .* shape \(n, 4, 4\)"),
    "one matrix": (
        lambda: mm.SplineCurve(I4),
        r"SplineCurve: the frames must be .* shape \(n, 4, 4\), and its shape is \(4, 4\)",
    ),
    "bad frame": (
        lambda: mm.SplineCurve([I4, I4, 2 * I4]),
        "SplineCurve: frame 2 has a rotation part that is not ortho",
    ),
    "three rows": (lambda: mm.SplineSurface(np.zeros((6, 3, 4))), "need at least 4 rows and columns; the shape is"),
    "five functions": (
        lambda: mm.SplineSurface(np.zeros((5, 4, 4))),
        r"SplineSurface: the control values must be .* of shape \(6, n, n\)",
    ),
    "not finite": (
        lambda: mm.SplineSurface(np.full((6, 4, 4), np.nan)),
        "SplineSurface: the control values must be fin",
    ),
    "chart": (lambda: mm.SphericalEuler("XXY"), "SphericalEuler: 'XXY' is no chart; use one of XYX, XYZ"),
    "small letters": (lambda: mm.SphericalEuler("xyz"), "SphericalEuler: 'xyz' is no chart"),
    "no chart": (lambda: mm.SphericalEuler(None), "SphericalEuler: None is no chart"),
    "order": (lambda: mm.Free3D("XY"), r'Free3D: the order is "TR" \(Q = T R\) or "RT" \(Q = R T\), not \'XY\''),
    "q too long": (lambda: mm.Revolute().Q([1, 2]), r"Revolute.*: q must be finite numbers of shape \(1,\)"),
    "qdot too short": (
        lambda: mm.Universal().Sdot([1, 2], [1]),
        r"Universal\(\): qdot must be finite numbers of shape \(2,\)",
    ),
}


@pytest.mark.parametrize("case", BAD_JOINTS)
def test_joint_given_wrong_things(case):
    make, sentence = BAD_JOINTS[case]
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("joints", [(), (mm.Revolute,), (mm.Fixed(), 3), ([mm.Fixed()],)])
def test_composite_of_things_that_are_no_joints(joints):
    with pytest.raises(TypeError, match="Composite: give one joint or more"):
        mm.Composite(*joints)


@pytest.mark.parametrize("thing", [3, mm.Revolute, None])
def test_inverse_of_things_that_are_no_joints(thing):
    with pytest.raises(TypeError, match="Inverse: give a joint"):
        mm.Inverse(thing)


UNKIND_JOINTS = {
    "axis in words": (lambda: mm.Revolute("z"), "Revolute: the axis must be three finite numbers"),
    "axis of words": (lambda: mm.Prismatic(("a", "b", "c")), "Prismatic: the axis must be three finite numbers"),
    "frames in words": (lambda: mm.SplineCurve("round"), "SplineCurve: "),
    "ragged frames": (lambda: mm.SplineCurve([I4, np.eye(3)]), "SplineCurve: "),
    "surface in words": (lambda: mm.SplineSurface("round"), "SplineSurface: the control values must be finite numbers"),
    "rotation of one degree": (lambda: mm.Free3D(rotation=mm.Revolute()), "Free3D: the rotation"),
    "rotation that is none": (lambda: mm.Free3D(rotation="exp"), "Free3D: the rotation"),
    "q in words": (lambda: mm.Revolute().Q("x"), "Revolute.*: q"),
}


@pytest.mark.parametrize("case", UNKIND_JOINTS)
def test_joint_given_wrong_things_names_the_joint(case):
    make, sentence = UNKIND_JOINTS[case]
    with pytest.raises((TypeError, ValueError), match=sentence):
        make()


# --- the border of the algorithms -----------------------------------------------------------------------------------

X = np.array([0.3, 0.5, 0.7])
FREE = np.zeros(3, bool)
DRIVEN = np.ones(3, bool)

VECTORS = {  # what is checked -> a call in which only that is not X
    "forward_kinematics: q": lambda m, x: mm.forward_kinematics(m, x),
    "body_twists: q": lambda m, x: mm.body_twists(m, x, X),
    "body_twists: qdot": lambda m, x: mm.body_twists(m, X, x),
    "jacobian: q": lambda m, x: mm.jacobian(m, x),
    "jacobian_dot: q": lambda m, x: mm.jacobian_dot(m, x, X),
    "jacobian_dot: qdot": lambda m, x: mm.jacobian_dot(m, X, x),
    "frame_jacobian: q": lambda m, x: mm.frame_jacobian(m, x, "lower"),
    "frame_jacobian: qdot": lambda m, x: mm.frame_jacobian(m, X, "lower", None, x),
    "point_jacobian: q": lambda m, x: mm.point_jacobian(m, x, "lower", (0, 0, 0)),
    "point_jacobian: qdot": lambda m, x: mm.point_jacobian(m, X, "lower", (0, 0, 0), x),
    "jacobian_products: q": lambda m, x: mm.algorithms.jacobian_products(m, x, X, X),
    "jacobian_products: qdot": lambda m, x: mm.algorithms.jacobian_products(m, X, x, X),
    "jacobian_products: x": lambda m, x: mm.algorithms.jacobian_products(m, X, X, x),
    "jacobian_transpose_product: q": lambda m, x: mm.algorithms.jacobian_transpose_product(m, x, np.zeros(12)),
    "mass_matrix: q": lambda m, x: mm.mass_matrix(m, x),
    "energy: q": lambda m, x: mm.energy(m, x, X),
    "energy: qdot": lambda m, x: mm.energy(m, X, x),
    "momentum: q": lambda m, x: mm.momentum(m, x, X),
    "momentum: qdot": lambda m, x: mm.momentum(m, X, x),
    "inverse_dynamics: q": lambda m, x: mm.inverse_dynamics(m, x, X, X),
    "inverse_dynamics: qdot": lambda m, x: mm.inverse_dynamics(m, X, x, X),
    "inverse_dynamics: qddot": lambda m, x: mm.inverse_dynamics(m, X, X, x),
    "bias_forces: qdot": lambda m, x: mm.dynamics.bias_forces(m, X, x),
    "gravity_forces: q": lambda m, x: mm.dynamics.gravity_forces(m, x),
    "coriolis_forces: qdot": lambda m, x: mm.dynamics.coriolis_forces(m, X, x),
    "forward_dynamics: q": lambda m, x: mm.forward_dynamics(m, x, X),
    "forward_dynamics: qdot": lambda m, x: mm.forward_dynamics(m, X, x),
    "forward_dynamics: tau": lambda m, x: mm.forward_dynamics(m, X, X, x),
    "redmax: q": lambda m, x: mm.forward_dynamics(m, x, X, method="redmax"),
    "redmax: qdot": lambda m, x: mm.forward_dynamics(m, X, x, method="redmax"),
    "redmax: tau": lambda m, x: mm.forward_dynamics(m, X, X, x, method="redmax"),
    "hybrid_dynamics: q": lambda m, x: mm.hybrid_dynamics(m, x, X, X, X, FREE),
    "hybrid_dynamics: qdot": lambda m, x: mm.hybrid_dynamics(m, X, x, X, X, FREE),
    "hybrid_dynamics: tau": lambda m, x: mm.hybrid_dynamics(m, X, X, x, X, FREE),
    "hybrid_dynamics: qddot": lambda m, x: mm.hybrid_dynamics(m, X, X, X, x, DRIVEN),
    "state: q": lambda m, x: m.state(x),
    "state: qdot": lambda m, x: m.state(X, x),
}
each_vector = pytest.mark.parametrize("case", VECTORS)


def name_in(case):
    return case.split(": ")[1]


@each_vector
@pytest.mark.parametrize("shape", [(2,), (4,), (), (1, 3), (3, 1)])
def test_vector_of_a_wrong_shape(arm, case, shape):
    sentence = f"{name_in(case)} has shape {shape}, and model 'arm' has 3 degrees of freedom: give shape (3,)"
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        VECTORS[case](arm, np.zeros(shape))


@each_vector
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_vector_that_is_not_finite(arm, case, value):
    x = X.copy()
    x[1] = value
    with pytest.raises(ValueError, match=rf"^{name_in(case)}\[1\] is {value}: every number must be finite"):
        VECTORS[case](arm, x)


@each_vector
@pytest.mark.parametrize("values", [["a", "b", "c"], "abc", np.array([1, None, 2], object), {}])
def test_vector_that_is_no_numbers(arm, case, values):
    with pytest.raises(ValueError, match=f"^{name_in(case)} must be numbers"):
        VECTORS[case](arm, values)


@each_vector
def test_ragged_vector(arm, case):
    with pytest.raises(ValueError, match=f"^{name_in(case)} "):
        VECTORS[case](arm, [1, [2, 3], 4])


def test_a_refused_call_leaves_the_model_as_it_was(arm):
    before = mm.forward_dynamics(arm, X, X, X), mm.inverse_dynamics(arm, X, X, X), mm.jacobian(arm, X)
    for call in VECTORS.values():
        with pytest.raises(ValueError, match="finite"):
            call(arm, np.full(3, np.nan))
    after = mm.forward_dynamics(arm, X, X, X), mm.inverse_dynamics(arm, X, X, X), mm.jacobian(arm, X)
    for x, y in zip(before, after, strict=True):
        np.testing.assert_array_equal(x, y)


WRENCHES = {
    "recursive": lambda m, w: mm.forward_dynamics(m, X, X, wrenches=w),
    "redmax": lambda m, w: mm.forward_dynamics(m, X, X, method="redmax", wrenches=w),
    "hybrid": lambda m, w: mm.hybrid_dynamics(m, X, X, X, X, DRIVEN, wrenches=w),
    "rnea": lambda m, w: mm.inverse_dynamics(m, X, X, X, wrenches=w),
}


@pytest.mark.parametrize("case", WRENCHES)
def test_wrenches_of_a_wrong_shape(arm, case):
    with pytest.raises(
        ValueError, match=r"wrenches has shape \(12,\), and model 'arm' has 2 bodies: give shape \(2, 6\)"
    ):
        WRENCHES[case](arm, np.zeros(12))


@pytest.mark.parametrize("case", WRENCHES)
def test_wrenches_that_are_no_numbers(arm, case):
    with pytest.raises(ValueError, match="wrenches must be numbers"):
        WRENCHES[case](arm, [["f"] * 6] * 2)


@pytest.mark.parametrize("case", ["recursive", "redmax", "hybrid", "rnea"])
def test_wrenches_that_are_not_finite(arm, case):
    wrenches = np.zeros((2, 6))
    wrenches[1, 4] = np.nan
    with pytest.raises(ValueError, match=r"wrenches\[1, 4\] is nan: every number must be finite"):
        WRENCHES[case](arm, wrenches)


@pytest.mark.parametrize("prescribed", [[True, False], [1, 0, 1], True, None, ["yes", "no", "yes"]])
def test_prescribed_that_is_no_mask(arm, prescribed):
    with pytest.raises(ValueError, match=r"prescribed must be booleans of shape \(3,\), one per degree of freedom"):
        mm.hybrid_dynamics(arm, X, X, X, X, prescribed)


def test_a_bad_torque_among_prescribed_ones_is_named_by_its_own_number(arm):
    tau = np.array([0.0, np.nan, 0.0])
    with pytest.raises(ValueError, match=r"tau\[1\] is nan"):
        mm.hybrid_dynamics(arm, X, X, tau, X, np.array([True, False, True]))


def test_numbers_that_hybrid_dynamics_does_not_read_may_be_anything(arm):
    prescribed = np.array([True, False, True])
    tau, qddot = np.where(prescribed, np.nan, X), np.where(prescribed, X, np.nan)
    found = mm.hybrid_dynamics(arm, X, X, tau, qddot, prescribed)
    np.testing.assert_array_equal(found, mm.hybrid_dynamics(arm, X, X, X, X, prescribed))


@pytest.mark.parametrize("shape", [(2, 6), (6,), ()])
def test_y_of_a_wrong_shape(arm, shape):
    with pytest.raises(ValueError, match=r"y has shape .*, and model 'arm' has 2 bodies: give shape \(12,\)"):
        mm.algorithms.jacobian_transpose_product(arm, X, np.zeros(shape))


def test_y_that_is_no_numbers(arm):
    with pytest.raises(ValueError, match="y must be numbers"):
        mm.algorithms.jacobian_transpose_product(arm, X, ["f"] * 12)


def test_y_that_is_not_finite(arm):
    y = np.zeros(12)
    y[7] = np.nan
    with pytest.raises(ValueError, match=r"y\[7\] is nan"):
        mm.algorithms.jacobian_transpose_product(arm, X, y)


@pytest.mark.parametrize(
    "call", [mm.mass_matrix, lambda m, q: mm.algorithms.jacobian_transpose_product(m, q, np.ones(6))]
)
def test_q_that_does_not_enter_the_answer_is_checked_all_the_same(call):
    spec = mm.Spec()
    spec.add_body("sledge", joint=mm.Prismatic(), inertia=BOX)
    with pytest.raises(ValueError, match=r"q\[0\] is nan"):
        call(spec.compile(), [np.nan])


def test_unknown_methods(arm):
    with pytest.raises(ValueError, match='forward_dynamics: the method is "recursive" or "redmax", not \'aba\''):
        mm.forward_dynamics(arm, X, X, method="aba")
    with pytest.raises(ValueError, match=r"inverse_dynamics: the method is .*, not 'newton'"):
        mm.inverse_dynamics(arm, X, X, X, method="newton")


BODIES = {
    "model.dof": lambda m, body: m.dof(body),
    "model.body": lambda m, body: m.body(body),
    "point_jacobian": lambda m, body: mm.point_jacobian(m, X, body, (0, 0, 0)),
    "frame_jacobian": lambda m, body: mm.frame_jacobian(m, X, body),
}


@pytest.mark.parametrize("case", BODIES)
@pytest.mark.parametrize("body", ["hand", 2, -1, None, 1.0])
def test_unknown_body(arm, case, body):
    with pytest.raises(KeyError, match=f"model 'arm' has no body {body!r}; known: upper, lower"):
        BODIES[case](arm, body)


@pytest.mark.parametrize("point", [(0, 0), 0.0, np.zeros((1, 3))])
def test_point_of_a_wrong_shape(arm, point):
    with pytest.raises(ValueError, match=r"point must be finite numbers of shape \(3,\), and its shape is"):
        mm.point_jacobian(arm, X, "lower", point)


def test_point_that_is_no_numbers(arm):
    with pytest.raises(ValueError, match="point must be finite numbers"):
        mm.point_jacobian(arm, X, "lower", "tip")


def test_point_that_is_not_finite(arm):
    with pytest.raises(ValueError, match=r"point must be finite numbers .* at \[1\] it is nan"):
        mm.point_jacobian(arm, X, "lower", (0, np.nan, 0))


@pytest.mark.parametrize("case", BAD_FRAMES)
def test_frame_jacobian_of_a_bad_frame(arm, case):
    E, sentence = BAD_FRAMES[case]
    with pytest.raises(ValueError, match=f"frame_jacobian: E_bf {sentence}"):
        mm.frame_jacobian(arm, X, "lower", E)


def test_charts_for_a_model_without_euler_joints(arm):
    with pytest.raises(ValueError, match=r"model 'arm': charts \(one per Euler joint\) must be .* shape \(0,\)"):
        arm.with_charts([1.0])


@pytest.mark.parametrize("charts", [[99], [-1], [1.5], [np.nan], ["XYZ"]])
def test_charts_that_are_none(charts):
    spec = mm.Spec("ball")
    spec.add_body("a", joint=mm.SphericalEuler(), inertia=BOX)
    with pytest.raises(ValueError, match="chart"):
        spec.compile().with_charts(charts)


@pytest.mark.parametrize("scalar", [int, np.float16, complex])
def test_number_types_that_no_kernel_serves(arm, scalar):
    with pytest.raises((TypeError, ValueError), match="float32"):
        arm.astype(scalar)


@pytest.mark.parametrize("t", ["now", np.nan])
def test_time_that_is_no_number(arm, t):
    with pytest.raises(ValueError, match=r"^t "):
        arm.state(t=t)


def test_overflow_is_told_from_bad_input(arm):
    with pytest.raises(FloatingPointError, match=r"model 'arm': .* \(body 'upper'\): .* or a number overflows"):
        mm.forward_dynamics(arm, X, 1e200 * X)
