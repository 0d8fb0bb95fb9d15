"""Re-rooting keeps what Stepien et al. (2012) ask of it.

A1: it can be undone; A2: every body keeps its pose; A3: its twist and, for the same forces, its acceleration.
"""

import numpy as np
import pytest
from trees import add_every_force, joint_catalogue, random_frame, random_inertia, random_spec, random_state

import myomass as mm

SEEDS = range(12)
BODIES = 8


def rehung(seed: int, forces: bool = False) -> tuple:
    """(spec, model, state, body, point): a random tree of all joint types in a random state, and where to hang it."""
    spec = random_spec(seed, BODIES)
    if forces:
        add_every_force(spec, seed)
        gone = spec.compile().coordinates[: spec.bodies["b0"].joint.ndof]
        for name, force in list(spec.forces.items()):
            if (force.joints and force.body == "b0") or (force.named and force.coordinate in gone):
                del spec.forces[name]
    model = spec.compile()
    q, qdot, qddot = random_state(model, seed)
    rng = np.random.default_rng(seed + 50)
    body = int(rng.integers(BODIES))
    point = mm.forward_kinematics(model, q)[body, :3, 3] + rng.uniform(-0.1, 0.1, 3)
    return spec, model, model.state(q, qdot, 0.25, qddot), body, point


def accelerations(model: mm.Model, state: mm.State, qddot: np.ndarray) -> np.ndarray:
    """Of all bodies, d(twist)/dt in their own frames."""
    return mm.jacobian(model, state.q) @ qddot + mm.jacobian_dot(model, state.q, state.qdot) @ state.qdot


def assert_same_tables(a: np.ndarray, b: np.ndarray, atol: float = 1e-13) -> None:
    for key in a.dtype.names:
        np.testing.assert_allclose(a[key], b[key], rtol=0, atol=atol, err_msg=key)


# --- A2 and A3: poses, twists, accelerations, energy, momenta ---------------------------------------------------------


@pytest.mark.fast
@pytest.mark.parametrize("seed", SEEDS)
def test_every_body_keeps_its_pose_twist_and_acceleration(seed):
    _, model, state, body, point = rehung(seed)
    other, there = mm.reroot(model, state, body, point)
    assert other.names == model.names
    assert there.t == state.t
    poses = [mm.forward_kinematics(m, s.q) for m, s in ((model, state), (other, there))]
    twists = [mm.body_twists(m, s.q, s.qdot) for m, s in ((model, state), (other, there))]
    np.testing.assert_allclose(poses[1], poses[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(twists[1], twists[0], rtol=0, atol=1e-12)
    found = [accelerations(m, s, s.qddot) for m, s in ((model, state), (other, there))]
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_and_momenta_are_unchanged(seed):
    _, model, state, body, point = rehung(seed, forces=True)
    other, there = mm.reroot(model, state, body, point)
    old, new = (mm.energy(m, s.q, s.qdot) for m, s in ((model, state), (other, there)))
    np.testing.assert_allclose([new.kinetic, new.potential], [old.kinetic, old.potential], rtol=1e-12)
    old, new = (mm.momentum(m, s.q, s.qdot) for m, s in ((model, state), (other, there)))
    for key in old._fields:
        np.testing.assert_allclose(getattr(new, key), getattr(old, key), rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_accelerate_alike_under_the_same_forces(seed):
    """A free tree: hung by a free joint from any of its bodies it falls alike, joint torques and forces included."""
    spec, _, _, _, _ = rehung(seed, forces=True)
    spec.bodies["b0"].joint = mm.Free3D()
    model, rng = spec.compile(), np.random.default_rng(seed)
    q, qdot, _ = random_state(model, seed)
    body = int(rng.integers(1, BODIES))
    tau = rng.normal(size=model.ndof)
    tau[model.dof("b0")] = 0.0
    state = model.state(q, qdot, 0.25)
    other, there = mm.reroot(model, state, body, place=rng.uniform(-0.1, 0.1, 3))
    tau_there = np.zeros(other.ndof)
    for child, parent in [(k, int(p)) for k, p in enumerate(model.parents) if p >= 0]:
        holder = child if other.parents[child] == parent else parent
        tau_there[other.dof(holder)] = tau[model.dof(child)]
    found = [
        accelerations(m, s, mm.forward_dynamics(m, s.q, s.qdot, torques, t=0.25))
        for m, s, torques in ((model, state, tau), (other, there, tau_there))
    ]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9 * np.abs(found[0]).max())


# --- A1: there and back -----------------------------------------------------------------------------------------------


@pytest.mark.fast
@pytest.mark.parametrize("seed", SEEDS)
def test_applying_it_back_restores_model_and_state(seed):
    spec, model, state, body, point = rehung(seed, forces=True)
    root = spec.bodies["b0"]
    place = mm.se3.inverse(root.E_jb @ root.inertia.frame)[:3, 3]  # of the old joint, in the body's frame
    there = mm.reroot(model, state, body, point)
    back, again = mm.reroot(*there, "b0", place=place, joint=root.joint, E_pj=root.E_pj)
    for key in ("links", "bodies"):
        assert_same_tables(getattr(back, key), getattr(model, key))
    assert_same_tables(back.forces.nodes, model.forces.nodes)
    np.testing.assert_array_equal(back.forces.laws, model.forces.laws)
    for key in ("params", "parents", "dof_starts"):
        np.testing.assert_array_equal(getattr(back, key), getattr(model, key))
    same = mm.se3.log(mm.se3.inverse(root.joint.Q(state.q[model.dof("b0")])) @ root.joint.Q(again.q[model.dof("b0")]))
    np.testing.assert_allclose(same, 0, atol=1e-11)  # a spline may pass the same pose twice
    own = np.ones(model.ndof, bool)
    own[model.dof("b0")] = "Spline" not in repr(root.joint)
    for key in ("q", "qdot", "qddot"):
        np.testing.assert_allclose(getattr(again, key)[own], getattr(state, key)[own], rtol=0, atol=1e-10)


@pytest.mark.fast
@pytest.mark.parametrize("seed", SEEDS)
def test_a_spec_rerooted_and_compiled_is_the_model_rerooted(seed):
    """Two programs for one thing: names and frames in Python, records in a kernel."""
    spec, model, state, body, point = rehung(seed, forces=True)
    other, _ = mm.reroot(model, state, body, point)
    turned = spec.reroot(f"b{body}", point, q={name: state.q[model.dof(name)] for name in model.names})
    compiled = turned.compile()
    for key in ("links", "bodies"):
        assert_same_tables(getattr(other, key), getattr(compiled, key))
    assert_same_tables(other.forces.nodes, compiled.forces.nodes)
    np.testing.assert_array_equal(other.forces.laws, compiled.forces.laws)
    for key in ("params", "parents", "dof_starts"):
        np.testing.assert_array_equal(getattr(other, key), getattr(compiled, key))
    assert [name for name, old in spec.bodies.items() if old.parent is None] == ["b0"]  # the spec itself is untouched


@pytest.mark.fast
@pytest.mark.parametrize("name", sorted(joint_catalogue(np.random.default_rng(0))))
def test_a_spec_and_a_model_hang_alike_by_every_joint(name):
    """At q = 0 of all joints any joint holds, those that are displaced or turned there among them."""
    joint, spec = joint_catalogue(np.random.default_rng(0))[name], random_spec(5, BODIES)
    model = spec.compile()
    state = model.state()
    poses = mm.forward_kinematics(model, state.q)
    point = poses[4, :3, 3] + (0.05, 0.1, -0.02)
    other, there = mm.reroot(model, state, "b4", point, joint)
    compiled = spec.reroot("b4", point, joint).compile()
    for key in ("links", "bodies"):
        assert_same_tables(getattr(other, key), getattr(compiled, key))
    np.testing.assert_allclose(mm.forward_kinematics(compiled, there.q), poses, rtol=0, atol=1e-12)


# --- the new joint ----------------------------------------------------------------------------------------------------

CATALOGUE = sorted(joint_catalogue(np.random.default_rng(0)))


@pytest.mark.fast
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_joint_type_is_located(name):
    """q at the pose Q(q): the same motion, whatever q says it."""
    rng = np.random.default_rng(5)
    joint = joint_catalogue(rng)[name]
    for _ in range(3):
        E = joint.Q(rng.uniform(0.2, 1.2, joint.ndof))
        np.testing.assert_allclose(joint.Q(joint.locate(E)), E, rtol=0, atol=1e-11)


@pytest.mark.fast
@pytest.mark.filterwarnings("ignore:reroot:RuntimeWarning")  # that most of them drop a part of the motion
@pytest.mark.parametrize("name", CATALOGUE)
def test_any_joint_holds_a_body_where_it_stands(name):
    """Counted from now every joint can hold the pose; what it lets go on of the motion goes on."""
    rng = np.random.default_rng(6)
    joint = joint_catalogue(rng)[name]
    _, model, state, body, point = rehung(3)
    E_pj = mm.translation(*point) @ mm.se3.inverse(joint.Q(np.zeros(joint.ndof)))
    other, there = mm.reroot(model, state, body, point, joint, E_pj=E_pj, zero="now")
    old, new = mm.forward_kinematics(model, state.q), mm.forward_kinematics(other, there.q)
    np.testing.assert_allclose(new, old, rtol=0, atol=1e-9)
    np.testing.assert_allclose(joint.Q(there.q[other.dof(body)]), joint.Q(np.zeros(joint.ndof)), atol=1e-9)
    if joint.ndof:  # nearest rates: what is lost is square to what the joint allows
        lost = mm.body_twists(model, state.q, state.qdot)[body] - mm.body_twists(other, there.q, there.qdot)[body]
        E = mm.se3.inverse(old[body]) @ E_pj @ joint.Q(there.q[other.dof(body)])  # joint's moved frame in the body
        lost = mm.se3.Ad(mm.se3.inverse(E)) @ lost
        S = joint.S(there.q[other.dof(body)])
        np.testing.assert_allclose(S.T @ lost, 0, atol=1e-9 * max(1.0, np.abs(lost).max()))


@pytest.mark.fast
def test_a_joint_that_drops_a_part_of_the_motion_says_so():
    _, model, state, body, point = rehung(3)
    with pytest.warns(
        RuntimeWarning, match=r"Fixed\(\) does not allow the motion of 'b6': it drops .* mm.walking.land"
    ):
        mm.reroot(model, state, body, point, mm.Fixed(), zero="now")


@pytest.mark.fast
def test_a_free_root_is_restored_with_its_place():
    """The frame of a free joint is the world's, so the way there and back needs no E_pj."""
    spec, rng = mm.Spec(), np.random.default_rng(4)
    spec.add_body("pelvis", None, mm.Free3D(), inertia=random_inertia(rng))
    spec.add_body("foot", "pelvis", mm.SphericalExp(), random_frame(rng), random_frame(rng), random_inertia(rng))
    model = spec.compile()
    state = model.state(rng.normal(size=9), rng.normal(size=9))
    _, back = mm.reroot(*mm.reroot(model, state, "foot", place=(0, 0, 0)), "pelvis", place=(0, 0, 0))
    np.testing.assert_allclose(back.q, state.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(back.qdot, state.qdot, rtol=0, atol=1e-13)


def test_a_new_euler_joint_starts_in_a_chart_that_suits_it():
    _, model, state, body, point = rehung(2)
    turned = mm.forward_kinematics(model, state.q)[body, :3, :3]
    E_pj = np.eye(4)
    E_pj[:3, :3] = turned @ mm.se3.exp(np.array([0, -np.pi / 2, 0, 0, 0, 0]))[:3, :3]  # singular for XYZ
    joint = mm.Free3D(rotation=mm.SphericalEuler("XYZ"))
    other, there = mm.reroot(model, state, body, point, joint, E_pj=E_pj)
    twists = [mm.body_twists(m.with_charts(s.charts), s.q, s.qdot) for m, s in ((model, state), (other, there))]
    np.testing.assert_allclose(twists[1], twists[0], rtol=0, atol=1e-11)


def test_rerooting_where_it_hangs_changes_the_joint_alone():
    _, model, state, _, _ = rehung(4)
    point = mm.forward_kinematics(model, state.q)[0, :3, 3]
    other, there = mm.reroot(model, state, "b0", point)
    np.testing.assert_array_equal(other.parents, model.parents)
    np.testing.assert_array_equal(there.q[other.dof("b0").stop :], state.q[model.dof("b0").stop :])


def test_two_trees_on_the_world_one_of_which_is_rerooted():
    rng, spec = np.random.default_rng(1), mm.Spec()
    for name, parent in (("a", None), ("b", "a"), ("x", None), ("y", "x"), ("z", "y")):
        spec.add_body(name, parent, mm.Revolute(rng.normal(size=3)), random_frame(rng), inertia=random_inertia(rng))
    model = spec.compile()
    state = model.state(rng.normal(size=5), rng.normal(size=5))
    other, there = mm.reroot(model, state, "z", place=(0, 0, 0))
    assert other.parents.tolist() == [-1, 0, 3, 4, -1]
    np.testing.assert_allclose(
        mm.forward_kinematics(other, there.q), mm.forward_kinematics(model, state.q), rtol=0, atol=1e-14
    )
    np.testing.assert_array_equal(there.q[:2], state.q[:2])


@pytest.mark.parametrize("n", [1, 300])
def test_one_body_and_three_hundred(n):
    model = random_spec(9, n, ["revolute", "spherical-exp", "fixed", "universal"]).compile()
    q, qdot, qddot = random_state(model, 9)
    state, poses = model.state(q, qdot, 0.0, qddot), mm.forward_kinematics(model, q)
    for body in {0, n // 2, n - 1}:
        other, there = mm.reroot(model, state, body, poses[body, :3, 3])
        assert other.ndof == model.ndof + 6 - (model.dof(0).stop - model.dof(0).start)
        np.testing.assert_allclose(mm.forward_kinematics(other, there.q), poses, rtol=0, atol=1e-12)


@pytest.mark.fast
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_huge_and_tiny_mechanisms(scale):
    rng, spec = np.random.default_rng(2), mm.Spec()
    for i in range(4):
        E = mm.translation(*(scale * rng.uniform(0.5, 1, 3)))
        inertia = mm.Inertia.cuboid(scale * rng.uniform(0.2, 0.4, 3), mass=1.0)
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, mm.Universal(), E, inertia=inertia)
    model = spec.compile()
    state = model.state(rng.normal(size=8), rng.normal(size=8))
    other, there = mm.reroot(model, state, "b3", place=(0.1 * scale, 0, 0))
    old, new = mm.forward_kinematics(model, state.q), mm.forward_kinematics(other, there.q)
    np.testing.assert_allclose(new[:, :3, 3], old[:, :3, 3], rtol=0, atol=1e-13 * scale)


# --- what follows: constraints and muscles ----------------------------------------------------------------------------


def bound_spec() -> mm.Spec:
    """A floating tree with a gear, a driven joint, a loop, and muscles that have mass."""
    rng, spec = np.random.default_rng(8), mm.Spec()
    joints = [mm.Free3D(), mm.Revolute((0, 1, 0)), mm.SphericalExp(), mm.Revolute((0, 1, 1)), mm.Prismatic((1, 0, 0))]
    for i, joint in enumerate(joints):
        parent = None if i == 0 else f"b{(0, 0, 1, 1, 2)[i]}"
        spec.add_body(f"b{i}", parent, joint, random_frame(rng), random_frame(rng), random_inertia(rng))
    spec.add_constraint(mm.Coupling("b1", "b3", [0.1, 0.5]), "gear")
    spec.add_constraint(mm.DrivenJoint("b4", velocity=0.3), "drive")
    spec.add_constraint(mm.Loop(("b2", (0.2, 0, 0)), ("b3", (0, 0.3, 0.1))), "loop")
    points = [("b0", (0.6, 0.1, 0.0)), ("b1", (0.1, 0.7, 0.2)), ("b3", (0.5, 0.0, 0.6))]
    spec.add_muscle("long", 0.4, points, tension=12.0, mass_points=5)
    spec.add_muscle("short", 0.2, points[1:], distribution="continuous")
    return spec


def test_constraints_and_muscles_follow():
    spec = bound_spec()
    model = spec.compile()
    q, qdot, _ = random_state(model, 4)
    state = model.state(q, qdot)
    for body in ("b1", "b3", "b4"):
        other, there = mm.reroot(model, state, body, place=(0, 0, 0))
        point = mm.forward_kinematics(other, there.q)[other.body(body), :3, 3]
        compiled = spec.reroot(body, point, q={name: q[model.dof(name)] for name in model.names}).compile()
        assert_same_tables(other.constraints.ends, compiled.constraints.ends)
        for key in ("spans", "inner", "moves", "pairs"):
            np.testing.assert_array_equal(getattr(other.muscles, key), getattr(compiled.muscles, key))
        for key in ("table", "points", "pieces"):
            assert_same_tables(getattr(other.muscles, key), getattr(compiled.muscles, key))
        old, new = mm.energy(model, q, qdot), mm.energy(other, there.q, there.qdot)
        np.testing.assert_allclose([new.kinetic, new.potential], [old.kinetic, old.potential], rtol=1e-12)
        found = [accelerations(m, s, mm.forward_dynamics(m, s.q, s.qdot)) for m, s in ((model, state), (other, there))]
        np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9 * np.abs(found[0]).max())


@pytest.mark.fast
def test_friction_of_a_ball_joint_stays_with_the_link_that_hangs_by_it():
    spec = bound_spec()
    spec.constraints.clear()
    spec.add_constraint(mm.JointFriction("b2", 0.3, radius=0.02))
    spec.add_constraint(mm.JointFriction("b1", 0.3, radius=0.02, height=0.1))
    model = spec.compile()
    q, qdot, _ = random_state(model, 4)
    for body in model.names:
        other, there = mm.reroot(model, model.state(q, qdot), body, place=(0, 0, 0))
        point = mm.forward_kinematics(other, there.q)[other.body(body), :3, 3]
        turned = spec.reroot(body, point, q={name: q[model.dof(name)] for name in model.names})
        assert_same_tables(other.constraints.ends, turned.compile().constraints.ends)


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.fixture
def hinged() -> tuple:
    spec, bar = mm.Spec("arm"), mm.Inertia.cuboid((1, 0.1, 0.1), mass=1.0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), bar)
    spec.add_body("lower", "upper", mm.Revolute((1, 0, 0)), mm.translation(1, 0, 0), mm.translation(0.5, 0, 0), bar)
    model = spec.compile()
    return spec, model, model.state([0.3, 0.4], [1.0, 2.0])


@pytest.mark.fast
@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"body": "hand", "point": (1, 0, 0)}, KeyError, "model 'arm' has no body 'hand'; known: upper, lower"),
        ({"body": "lower", "point": (40, 0, 0)}, ValueError, "m away from 'lower', which reaches"),
        ({"body": "lower", "point": (2, 0, 0), "joint": mm.Revolute((0, 1, 0))}, ValueError, "cannot hold 'lower'"),
        (
            {"body": "lower", "point": (2, 0, 0), "joint": mm.Fixed(), "zero": "then"},
            ValueError,
            'zero is "bind" or "now"',
        ),
        ({"body": "lower"}, ValueError, "say where the new joint is"),
        ({"body": "lower", "point": (0, 0, 0), "place": (0, 0, 0)}, ValueError, "say where the new joint is"),
        ({"body": "lower", "point": (0, np.nan, 0)}, ValueError, "point"),
        ({"body": "lower", "point": (0, 1)}, ValueError, "the point .m. must"),
        ({"body": "lower", "point": (2, 0, 0), "joint": "hinge"}, TypeError, "the joint must be one such as"),
        ({"body": "lower", "point": (2, 0, 0), "E_pj": np.ones((4, 4))}, ValueError, "reroot: E_pj"),
    ],
)
def test_bad_input_gets_a_sentence_and_changes_nothing(hinged, arguments, error, sentence):
    _, model, state = hinged
    before = model.links.copy(), state.q.copy()
    with pytest.raises(error, match=sentence):
        mm.reroot(model, state, **arguments)
    np.testing.assert_array_equal(model.links, before[0])
    np.testing.assert_array_equal(state.q, before[1])


@pytest.mark.fast
def test_a_state_that_is_none(hinged):
    _, model, state = hinged
    with pytest.raises(TypeError, match="give a state"):
        mm.reroot(model, state.q, "lower", (2, 0, 0))
    with pytest.raises(ValueError, match="qdot"):
        mm.reroot(model, mm.State(0.0, state.q, np.array([np.nan, 0.0])), "lower", (2, 0, 0))
    with pytest.raises(TypeError, match="model"):
        mm.reroot("arm", state, "lower", (2, 0, 0))


@pytest.mark.fast
def test_a_force_on_the_joint_that_is_cut(hinged):
    spec, _, _ = hinged
    spec.add_force(mm.JointSpring("upper", 3.0), "pivot")
    model = spec.compile()
    with pytest.raises(ValueError, match="acts on the joint between 'upper' and the world, which is cut"):
        mm.reroot(model, model.state(), "lower", (2, 0, 0))
    with pytest.raises(ValueError, match="force 'pivot' acts on the joint between 'upper' and the world"):
        spec.reroot("lower", (2, 0, 0))


@pytest.mark.fast
def test_a_massless_body_cannot_become_an_end():
    spec = mm.Spec()
    spec.add_body("carriage", None, mm.Prismatic((1, 0, 0)))
    spec.add_body("rod", "carriage", mm.Revolute((0, 1, 0)), inertia=mm.Inertia.cuboid((1, 0.1, 0.1), mass=1.0))
    model = spec.compile()
    with pytest.raises(ValueError, match="'carriage' has no mass, and would be the end of a branch"):
        mm.reroot(model, model.state(), "rod", (0, 0, 0))


@pytest.mark.fast
def test_a_massless_body_that_is_welded_on_may_become_an_end():
    spec = mm.Spec()
    spec.add_body("mount", None, mm.Revolute((0, 1, 0)))
    bar = mm.Inertia.cuboid((1, 0.1, 0.1), mass=1.0)
    spec.add_body("rod", "mount", mm.Fixed(), mm.translation(0.5, 0, 0), inertia=bar)
    model = spec.compile()
    state = model.state([0.3], [1.0])
    other, there = mm.reroot(model, state, "rod", place=(0, 0, 0))
    poses = [mm.forward_kinematics(m, s.q) for m, s in ((model, state), (other, there))]
    np.testing.assert_allclose(poses[1], poses[0], rtol=0, atol=1e-14)
    assert np.isfinite(mm.forward_dynamics(other, there.q, there.qdot)).all()


@pytest.mark.fast
@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"joint": "hinge"}, TypeError, "the joint must be one such as"),
        ({"q": {"hand": [0.1]}}, KeyError, "q is given for 'hand', which is no body; known: upper, lower"),
        ({"q": np.zeros(2)}, TypeError, "coordinates are given by body"),
    ],
)
def test_bad_input_to_a_spec(hinged, arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        hinged[0].reroot("lower", (1.5, 0, 0), **arguments)


def test_forces_on_coordinates_follow_them():
    spec = random_spec(3, 4, ["revolute"], branching=0.0)
    spec.bodies["b2"].coordinates = ["knee"]
    for name in ("b1", "knee", "b3"):
        spec.add_force(mm.forces.CoordinateSpring(name, 7.0, 0.6, rest=0.1))
        spec.add_force(mm.forces.CoordinateLimit(name, 0.1, 0.2, 20.0, 1.5, transition=0.6))
        spec.add_force(mm.forces.CoordinateActuator(name, optimal_force=3.0, control=0.4))
    model, rng = spec.compile(), np.random.default_rng(1)
    q, qdot = rng.uniform(0.2, 0.9, 4), rng.normal(size=4)
    hung = spec.reroot("b3", joint=mm.Free3D(), q={name: [x] for name, x in zip(spec.bodies, q, strict=True)})
    again, rest = hung.compile(), {"b1": 1, "knee": 2, "b3": 3}
    forces = mm.applied_forces(model, q, qdot)
    moved, rates = np.zeros(again.ndof), np.zeros(again.ndof)
    places = {"b1": again.coordinate("b0"), "knee": again.coordinate("knee"), "b3": again.coordinate("b2")}
    for name, k in places.items():
        moved[k], rates[k] = q[rest[name]], qdot[rest[name]]
    got = mm.applied_forces(again, moved, rates)
    np.testing.assert_allclose([got[k] for k in places.values()], forces[1:], rtol=1e-12)
    spec.add_force(mm.forces.CoordinateSpring("b0", 1.0), "held")
    with pytest.raises(ValueError, match="force 'held' acts on the joint between 'b0' and the world, which is cut"):
        spec.reroot("b3")
