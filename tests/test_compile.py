"""Spec to Model: numbering, edits, massless links, other number types, charts and states."""

import numpy as np
import pytest
from trees import random_inertia, random_state, random_tree

import myomass as mm
from myomass.model.border import inputs

BOX = mm.Inertia.cuboid((1.0, 0.2, 0.1), mass=1.0)


def chain_spec(*names, joint=None):
    """Bodies in a row, a metre apart."""
    spec = mm.Spec("chain")
    for name, parent in zip(names, [None, *names], strict=False):
        place = None if parent is None else mm.translation(1, 0, 0)
        spec.add_body(name, parent, joint or mm.Revolute((0, 1, 0)), place, mm.translation(0.5, 0, 0), BOX)
    return spec


def motion(model, seed=1):
    """Accelerations at a random state under random torques."""
    q, qdot, tau = random_state(model, seed)
    return mm.forward_dynamics(model, q, qdot, tau)


def assert_same_motion(one, other):
    np.testing.assert_allclose(motion(one), motion(other), rtol=1e-10)


# --- numbering ------------------------------------------------------------------------------------------------------


def branched_spec():
    """Added in an order that jumps between branches."""
    spec = mm.Spec("branched")
    spec.add_body("root", None, mm.Free3D(), inertia=BOX)
    spec.add_body("left", "root", mm.Universal(), inertia=BOX)
    spec.add_body("right", "root", mm.Fixed(), inertia=BOX)
    spec.add_body("left tip", "left", mm.Revolute(), inertia=BOX)
    spec.add_body("right tip", "right", mm.SphericalExp(), inertia=BOX)
    return spec


def test_bodies_are_numbered_in_the_order_of_adding():
    model = branched_spec().compile()
    assert model.names == ["root", "left", "right", "left tip", "right tip"]
    assert [model.body(name) for name in model.names] == [0, 1, 2, 3, 4]
    assert model.parents.tolist() == [-1, 0, 0, 1, 2]
    assert (model.nbodies, model.ndof) == (5, 12)


def test_degrees_of_freedom_are_numbered_with_their_bodies():
    model = branched_spec().compile()
    slices = {"root": (0, 6), "left": (6, 8), "right": (8, 8), "left tip": (8, 9), "right tip": (9, 12)}
    for name, (first, last) in slices.items():
        assert model.dof(name) == model.dof(model.body(name)) == slice(first, last)


def test_dof_slices_move_the_bodies_they_belong_to():
    model = branched_spec().compile()
    carried = {"root": {0, 1, 2, 3, 4}, "left": {1, 3}, "right": {2, 4}, "left tip": {3}, "right tip": {4}}
    for name in ("root", "left", "left tip", "right tip"):
        qdot = np.zeros(model.ndof)
        qdot[model.dof(name)] = 1.0
        twists = mm.body_twists(model, np.full(model.ndof, 0.2), qdot)
        assert set(np.flatnonzero(np.abs(twists).max(axis=1) > 1e-12)) == carried[name]


def test_numpy_integers_name_bodies_too():
    assert branched_spec().compile().body(np.int32(3)) == 3


def test_a_body_hangs_in_its_parents_joint_frame():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Revolute(), mm.translation(1, 0, 0), mm.translation(5, 5, 5), BOX)
    spec.add_body("b", "a", mm.Prismatic((1, 0, 0)), mm.translation(0, 2, 0), mm.translation(0, 0, 3), BOX)
    E = mm.forward_kinematics(spec.compile(), [np.pi / 2, 0.5])
    np.testing.assert_allclose(E[1, :3, 3], (-1, 0.5, 3), rtol=0, atol=1e-15)


def test_a_shape_described_elsewhere_brings_its_own_frame():
    """A box pushed and turned within its shape's frame F, which sits at E_jb = E, is the box at E F."""
    E, F = (mm.se3.exp(np.random.default_rng(seed).normal(size=6)) for seed in (1, 2))
    box = mm.Inertia.cuboid((0.3, 0.5, 0.9), mass=2)
    plain, moved = mm.Spec(), mm.Spec()
    plain.add_body("a", None, mm.SphericalExp(), E_jb=E @ F, inertia=box)
    moved.add_body("a", None, mm.SphericalExp(), E_jb=E, inertia=mm.Inertia.composite([(box, F)]))
    assert_same_motion(plain.compile(), moved.compile())
    centres = [mm.forward_kinematics(spec.compile(), np.ones(3))[0, :3, 3] for spec in (plain, moved)]
    np.testing.assert_allclose(*centres, rtol=0, atol=4e-15)


# --- editing a spec -------------------------------------------------------------------------------------------------


def test_a_model_does_not_follow_later_edits_of_its_spec():
    spec = chain_spec("a", "b")
    model = spec.compile()
    before = motion(model)
    spec.bodies["a"].inertia = mm.Inertia.sphere(0.5, mass=9)
    spec.bodies["b"].E_pj[0, 3] = 7.0
    spec.gravity = (0, 0, 0)
    np.testing.assert_array_equal(motion(model), before)


def test_an_edited_spec_compiles_to_what_it_says_now():
    spec = chain_spec("a", "b")
    spec.compile()
    spec.bodies["b"].inertia = mm.Inertia.sphere(0.5, mass=9)
    spec.bodies["b"].joint = mm.Universal()
    spec.gravity = (0, 0, -1.6)
    fresh = mm.Spec("chain", gravity=(0, 0, -1.6))
    fresh.add_body("a", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), BOX)
    nine = mm.Inertia.sphere(0.5, mass=9)
    fresh.add_body("b", "a", mm.Universal(), mm.translation(1, 0, 0), mm.translation(0.5, 0, 0), nine)
    np.testing.assert_array_equal(motion(spec.compile()), motion(fresh.compile()))


def test_compiling_twice_gives_the_same_model():
    spec = chain_spec("a", "b", "c")
    np.testing.assert_array_equal(motion(spec.compile()), motion(spec.compile()))


def test_frames_given_to_a_spec_are_copied():
    E = mm.translation(1, 0, 0)
    spec = mm.Spec()
    spec.add_body("a", E_pj=E, inertia=BOX)
    E[0, 3] = 99.0
    assert mm.forward_kinematics(spec.compile(), [0.0])[0, 0, 3] == 1.0


def test_an_edit_that_puts_a_child_before_its_parent_keeps_the_numbers():
    """Links go parents first; bodies and their degrees of freedom stay as they were added."""
    spec = chain_spec("a", "b", "c")
    spec.bodies["a"].parent, spec.bodies["c"].parent = "c", None  # now c - a - b
    model = spec.compile()
    assert model.names == ["a", "b", "c"]
    assert model.parents.tolist() == [2, 0, -1]
    assert model.bodies["link"].tolist() == [2, 3, 1]
    written_so = mm.Spec("chain")
    for name in ("c", "a", "b"):
        body = spec.bodies[name]
        written_so.add_body(name, body.parent, body.joint, body.E_pj, body.E_jb, body.inertia)
    q, qdot = np.array([0.3, -0.4, 0.5]), np.array([1.0, 2.0, -3.0])
    there = [model.body(name) for name in ("c", "a", "b")]
    expected = mm.forward_dynamics(written_so.compile(), q[there], qdot[there])
    np.testing.assert_allclose(mm.forward_dynamics(model, q, qdot)[there], expected, rtol=1e-13)


# --- links without mass ---------------------------------------------------------------------------------------------


def test_massless_links_between_bodies_are_a_composite_joint():
    """Three hinges with nothing between them are one joint of three degrees of freedom."""
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    links, joint = mm.Spec(), mm.Spec()
    for name, parent, axis in zip("xyz", [None, "x", "y"], axes, strict=True):
        inertia = BOX if name == "z" else None
        links.add_body(name, parent, mm.Revolute(axis), None, mm.translation(0.5, 0, 0), inertia)
    joint.add_body("z", None, mm.Composite(*map(mm.Revolute, axes)), None, mm.translation(0.5, 0, 0), BOX)
    assert_same_motion(links.compile(), joint.compile())


def test_massless_links_agree_between_methods():
    spec = chain_spec("a", "b", "c", "d")
    spec.bodies["b"].inertia = spec.bodies["c"].inertia = None
    model = spec.compile()
    q, qdot, tau = random_state(model, 3)
    recursive = mm.forward_dynamics(model, q, qdot, tau)
    np.testing.assert_allclose(recursive, mm.forward_dynamics(model, q, qdot, tau, method="redmax"), rtol=1e-10)
    np.testing.assert_allclose(mm.inverse_dynamics(model, q, qdot, recursive), tau, rtol=1e-10)


def test_a_fixed_massless_leaf_marks_a_place_and_changes_nothing():
    plain, marked = chain_spec("a", "b"), chain_spec("a", "b")
    marked.add_body("tip", "b", mm.Fixed(), mm.translation(1, 0, 0))
    model = marked.compile()
    np.testing.assert_array_equal(motion(model), motion(plain.compile()))
    E = mm.forward_kinematics(model, [0.0, -np.pi / 2])
    np.testing.assert_allclose(E[model.body("tip"), :3, 3], (1, 0, 1), rtol=0, atol=1e-15)


def test_a_welded_body_makes_a_massless_leaf_whole():
    """A massless hinge that carries a welded body is the hinge with that body."""
    spec = chain_spec("a", "b")
    spec.bodies["b"].inertia = None
    spec.add_body("load", "b", mm.Fixed(), None, mm.translation(0.5, 0, 0), BOX)
    assert_same_motion(spec.compile(), chain_spec("a", "b").compile())


def test_welded_points_on_a_ball_joint_are_mass_enough():
    spec = mm.Spec()
    spec.add_body("ball", None, mm.SphericalExp())
    for k in range(3):
        spec.add_body(f"point {k}", "ball", mm.Fixed(), mm.translation(*np.eye(3)[k]), None, mm.Inertia.point(1))
    joined = mm.Inertia.composite([(mm.Inertia.point(1), mm.translation(*e)) for e in np.eye(3)])
    one = mm.Spec()
    one.add_body("ball", None, mm.SphericalExp(), inertia=joined)
    assert_same_motion(spec.compile(), one.compile())


# --- the same model in other numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [["revolute"], ["revolute", "spherical-exp", "universal", "prismatic"], None])
def test_single_precision_gives_the_same_dynamics(kinds):
    model = random_tree(5, 8, kinds)
    single = model.astype(np.float32)
    q, qdot, qddot = random_state(model, 5)
    tau = mm.inverse_dynamics(model, q, qdot, qddot)
    found = mm.inverse_dynamics(single, q, qdot, qddot)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, tau, rtol=0, atol=1e-4 * np.abs(tau).max())
    back = mm.forward_dynamics(single, q, qdot, tau)
    assert back.dtype == np.float32
    np.testing.assert_allclose(back, qddot, rtol=0, atol=1e-4 * np.linalg.cond(mm.mass_matrix(model, q)) ** 0.5)


def test_single_precision_kinematics_energy_and_mass():
    model = random_tree(6, 8)
    single = model.astype(np.float32)
    q, qdot, _ = random_state(model, 6)
    for function, arguments in ((mm.forward_kinematics, (q,)), (mm.mass_matrix, (q,)), (mm.energy, (q, qdot))):
        exact = np.asarray(function(model, *arguments))
        np.testing.assert_allclose(function(single, *arguments), exact, rtol=0, atol=2e-5 * np.abs(exact).max())


def test_single_precision_leaves_the_model_alone():
    model = chain_spec("a", "b").compile()
    before = motion(model)
    motion(model.astype(np.float32))
    np.testing.assert_array_equal(motion(model), before)
    assert model.params.dtype == np.float64


@pytest.mark.fast
def test_vectors_of_any_kind_are_read_right():
    model = branched_spec().compile()
    q = np.arange(model.ndof)
    expected = mm.dynamics.bias_forces(model, q / 1.0, q / 1.0)
    padded = np.vstack([q, q + 9]) / 1.0
    kinds = {
        "integers": q,
        "list": q.tolist(),
        "tuple": tuple(q),
        "strided": np.repeat(q / 1.0, 3)[::3],
        "reversed twice": (q / 1.0)[::-1].copy()[::-1],
        "row of a Fortran array": np.asfortranarray(padded)[0],
        "column": padded.T[:, 0],
        "other byte order": q.astype(">f8"),
        "single precision": q.astype(np.float32),
        "long double": q.astype(np.longdouble),
        "list of 0-d arrays": [np.array(x) for x in q],
    }
    for kind, x in kinds.items():
        np.testing.assert_array_equal(mm.dynamics.bias_forces(model, x, x), expected, err_msg=kind)


@pytest.mark.fast
def test_inputs_are_not_written_to():
    model = branched_spec().compile()
    x = np.linspace(0.1, 0.9, model.ndof)
    q, qdot, tau, qddot = vectors = [x.copy() for _ in range(4)]
    prescribed = np.arange(model.ndof) % 2 == 0
    found = mm.hybrid_dynamics(model, q, qdot, tau, qddot, prescribed)
    mm.forward_dynamics(model, q, qdot, tau)
    mm.inverse_dynamics(model, q, qdot, qddot)
    for vector in vectors:
        np.testing.assert_array_equal(vector, x)
    np.testing.assert_array_equal(found[0][prescribed], x[prescribed])
    np.testing.assert_array_equal(found[1][~prescribed], x[~prescribed])


def unaligned(x):
    """The same numbers at an odd address."""
    return np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view(x.dtype)


@pytest.mark.fast
@pytest.mark.parametrize("kind", ["read-only", "unaligned"])
def test_kernels_see_one_kind_of_array(kind):
    """Contiguous, aligned, writeable: any other kind would have a kernel compiled for it."""
    model = chain_spec("a", "b").compile()
    x = np.array([0.1, 0.2])
    odd = x.copy() if kind == "read-only" else unaligned(x)
    odd.setflags(write=False)
    _, vectors = inputs(model, "q qdot", x, odd)
    assert all(vector.flags.carray for vector in vectors)
    np.testing.assert_array_equal(vectors, [x, x])


CARRIERS = {  # a function of one real number through each argument that is no vector of the state
    "wrenches": lambda m, x, s: mm.forward_dynamics(m, x, x, wrenches=s * np.ones((2, 6))),
    "redmax wrenches": lambda m, x, s: mm.forward_dynamics(m, x, x, method="redmax", wrenches=s * np.ones((2, 6))),
    "qddot": lambda m, x, s: mm.hybrid_dynamics(m, x, x, x, s * x, np.ones(2, bool))[1],
    "y": lambda m, x, s: mm.algorithms.jacobian_transpose_product(m, x, s * np.ones(12)),
}


@pytest.mark.fast
@pytest.mark.parametrize("case", CARRIERS)
def test_complex_numbers_carry_derivatives_through_every_argument(case):
    model, x = chain_spec("a", "b").compile(), np.array([0.3, -0.4])
    exact = CARRIERS[case](model, x, 1.0 + 1e-30j).imag / 1e-30
    rough = CARRIERS[case](model, x, 1.5) - CARRIERS[case](model, x, 0.5)  # they are linear
    np.testing.assert_allclose(exact, rough, rtol=1e-10)


@pytest.mark.fast
def test_answers_are_the_callers_own():
    model = chain_spec("a", "b").compile()
    first = motion(model)
    kept = first.copy()
    motion(model, seed=2)
    np.testing.assert_array_equal(first, kept)


# --- charts ---------------------------------------------------------------------------------------------------------


def euler_spec(*charts):
    spec = mm.Spec()
    rng = np.random.default_rng(7)
    for i, chart in enumerate(charts):
        joint = mm.SphericalEuler(chart)
        spec.add_body(
            f"b{i}", None if i == 0 else f"b{i - 1}", joint, mm.translation(0, 0, 1), None, random_inertia(rng)
        )
    return spec


@pytest.mark.fast
def test_a_model_in_other_charts_is_the_model_of_other_joints():
    first, second = euler_spec("XYZ", "ZXZ").compile(), euler_spec("YZX", "ZYX").compile()
    q, qdot, _ = random_state(first, 8)
    moved = first.with_charts(second.state().charts)
    np.testing.assert_array_equal(mm.dynamics.bias_forces(moved, q, qdot), mm.dynamics.bias_forces(second, q, qdot))
    assert np.abs(mm.dynamics.bias_forces(first, q, qdot) - mm.dynamics.bias_forces(second, q, qdot)).max() > 1e-3


@pytest.mark.fast
def test_with_charts_leaves_the_model_in_its_own():
    model = euler_spec("XYZ", "ZXZ").compile()
    charts = model.state().charts
    model.with_charts([0.0, 0.0])
    np.testing.assert_array_equal(model.state().charts, charts)


@pytest.mark.fast
def test_charts_are_those_of_euler_joints_wherever_they_stand():
    spec = chain_spec("a", joint=mm.Composite(mm.Revolute(), mm.SphericalEuler("ZYX")))
    spec.add_body("b", "a", mm.SphericalExp(), inertia=BOX)
    spec.add_body("c", "b", mm.SplineCurve([mm.translation(np.cos(k), np.sin(k), 0) for k in range(5)]), inertia=BOX)
    spec.add_body("d", "c", mm.Inverse(mm.SphericalEuler("XYX")), inertia=BOX)
    model = spec.compile()
    assert len(model.chart_slots) == 2
    names = [mm.SphericalEuler("ZYX").parameters()[0], mm.SphericalEuler("XYX").parameters()[0]]
    np.testing.assert_array_equal(model.state().charts, names)


@pytest.mark.fast
def test_a_model_without_euler_joints_has_no_charts():
    model = chain_spec("a", "b").compile()
    assert model.state().charts.shape == (0,)
    assert model.with_charts([]) is model


# --- states ---------------------------------------------------------------------------------------------------------


@pytest.mark.fast
def test_a_state_is_zero_where_nothing_is_given():
    state = chain_spec("a", "b").compile().state()
    assert state.t == 0
    np.testing.assert_array_equal(state.q, [0, 0])
    np.testing.assert_array_equal(state.qdot, [0, 0])


@pytest.mark.fast
def test_a_state_holds_copies_in_floating_point():
    q, qdot = np.array([0.1, 0.2]), [1, 2]
    state = chain_spec("a", "b").compile().state(q, qdot, t=3)
    q[0] = 99.0
    assert (state.t, state.q.tolist(), state.qdot.tolist()) == (3.0, [0.1, 0.2], [1.0, 2.0])
    assert state.qdot.dtype == np.float64
