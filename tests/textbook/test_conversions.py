"""Velocities and forces there and back between Cartesian and generalized coordinates, on trees of every joint type.

Measured: velocities and forces come back to 1e-14 of the largest.
"""

import numpy as np
import pytest
from models import MODELS, close, every_model
from trees import joint_catalogue, random_state, random_tree

import myomass as mm
from myomass.algorithms.joint_wrenches import joint_columns, solve_joints

METHODS = ("pseudo-inverse", "per-joint")
TURNING = ["revolute", "universal", "spherical-exp", "spherical-euler", "fixed", "inverse-spherical-euler-proper"]
TURNING += ["inverse-revolute"]


def velocities(model: mm.Model, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(v, w) of all bodies in world axes."""
    R, phi = mm.forward_kinematics(model, q)[:, :3, :3], mm.body_twists(model, q, qdot)
    return np.einsum("bij,bj->bi", R, phi[:, 3:]), np.einsum("bij,bj->bi", R, phi[:, :3])


@every_model
def test_velocities_that_joints_allow_come_back(name):
    model = MODELS[name]()
    q, qdot, _ = random_state(model, 0)
    v, w = velocities(model, q, qdot)
    for method in METHODS:
        fit = mm.coordinates.generalized_velocity(model, q, v, w, method)
        close(fit.qdot, qdot, 1e-12)
        assert fit.residual < 1e-12 * np.linalg.norm([v, w])


@pytest.mark.parametrize("kind", joint_catalogue(np.random.default_rng(0)))
def test_every_joint_in_a_chain(kind):
    model = random_tree(1, 3, [kind], branching=0.0)
    q, qdot, _ = random_state(model, 1)
    for method in METHODS:
        close(mm.coordinates.generalized_velocity(model, q, *velocities(model, q, qdot), method).qdot, qdot)
    Q = np.random.default_rng(2).normal(size=model.ndof)
    close(
        mm.coordinates.generalized_force(
            model, q, *mm.coordinates.body_forces(model, q, *mm.coordinates.joint_wrenches(model, q, Q))
        ),
        Q,
    )


@every_model
def test_velocities_that_joints_do_not_allow_leave_a_residual(name):
    """The pseudo-inverse leaves the least, at right angles to what the joints allow."""
    model, rng = MODELS[name](), np.random.default_rng(1)
    q, qdot, _ = random_state(model, 0)
    v, w = velocities(model, q, qdot)
    pushed = v + 0.1 * rng.normal(size=v.shape)
    least, per_joint = (mm.coordinates.generalized_velocity(model, q, pushed, w, method) for method in METHODS)
    assert 1e-3 < least.residual <= per_joint.residual * (1 + 1e-12)
    for fit in (least, per_joint):
        v_fit, w_fit = velocities(model, q, fit.qdot)
        assert fit.residual == pytest.approx(np.linalg.norm([v_fit - pushed, w_fit - w]), rel=1e-12)
    v_fit, w_fit = velocities(model, q, least.qdot)
    missed = mm.coordinates.generalized_force(model, q, v_fit - pushed, w_fit - w)  # J^T (J qdot - V)
    assert np.abs(missed).max() < 1e-12 * np.abs(mm.coordinates.generalized_force(model, q, pushed, w)).max()


def test_a_ball_takes_the_angular_velocity_alone():
    """At the joint its columns have no linear part: v does not count (Eq. 66)."""
    model = random_tree(4, 4, ["spherical-exp"])
    q, qdot, _ = random_state(model, 0)
    v, w = velocities(model, q, qdot)
    fit = mm.coordinates.generalized_velocity(
        model, q, v + np.random.default_rng(0).normal(size=v.shape), w, "per-joint"
    )
    close(fit.qdot, qdot, 1e-12)
    assert fit.residual > 0.1


@every_model
def test_virtual_work_agrees(name):
    """Q . qdot is the power of all forces and torques, at points and in joints."""
    model, rng = MODELS[name](), np.random.default_rng(3)
    q, qdot, _ = random_state(model, 3)
    forces, torques, points, twists = rng.normal(size=(4, model.nbodies, 3))
    v, w = velocities(model, q, qdot)
    R = mm.forward_kinematics(model, q)[:, :3, :3]
    at_points = v + np.cross(w, np.einsum("bij,bj->bi", R, points))
    R_p = np.array([np.eye(3) if p < 0 else R[p] for p in model.parents])
    relative = w - np.array([np.zeros(3) if p < 0 else w[p] for p in model.parents])
    power = (forces * at_points).sum() + (torques * w).sum() + (np.einsum("bij,bj->bi", R_p, twists) * relative).sum()
    Q = mm.coordinates.generalized_force(model, q, forces, torques, points, twists)
    assert Q @ qdot == pytest.approx(power, rel=1e-11, abs=1e-11)
    close(
        Q,
        sum(
            mm.coordinates.generalized_force(model, q, **one)
            for one in ({"forces": forces, "points": points}, {"torques": torques}, {"joint_torques": twists})
        ),
    )
    close(
        mm.coordinates.generalized_force(model, q, torques=mm.coordinates.body_torques(model, q, twists)),
        mm.coordinates.generalized_force(model, q, joint_torques=twists),
    )


@every_model
def test_point_jacobians_say_the_same(name):
    model, rng = MODELS[name](), np.random.default_rng(6)
    q, _, _ = random_state(model, 3)
    forces, points = rng.normal(size=(2, model.nbodies, 3))
    expected = sum(mm.point_jacobian(model, q, i, points[i])[0].T @ forces[i] for i in range(model.nbodies))
    close(mm.coordinates.generalized_force(model, q, forces, points=points), expected)


@every_model
def test_generalized_forces_come_back(name):
    """Case 1 with and without points, and joint by joint with forces at the joints."""
    model, rng = MODELS[name](), np.random.default_rng(2)
    q, _, _ = random_state(model, 3)
    Q, points = 10 * rng.normal(size=model.ndof), rng.normal(size=(model.nbodies, 3))
    forces, torques = mm.coordinates.cartesian_forces(model, q, Q)
    close(mm.coordinates.generalized_force(model, q, forces, torques), Q)
    there = mm.coordinates.cartesian_forces(model, q, Q, points=points)
    close(mm.coordinates.generalized_force(model, q, there.forces, points=points, joint_torques=there.joint_torques), Q)
    wrenches = mm.coordinates.joint_wrenches(model, q, Q)
    close(mm.coordinates.generalized_force(model, q, *mm.coordinates.body_forces(model, q, *wrenches)), Q)


@every_model
def test_the_smallest_of_many(name):
    """Another answer differs by something that does no work, and the smallest has no part of that."""
    model, rng = MODELS[name](), np.random.default_rng(2)
    q, _, _ = random_state(model, 3)
    mine = rng.normal(size=(2, model.nbodies, 3))
    smallest = np.array(mm.coordinates.cartesian_forces(model, q, mm.coordinates.generalized_force(model, q, *mine)))
    assert np.linalg.norm(smallest) < np.linalg.norm(mine)
    assert abs((smallest * (mine - smallest)).sum()) < 1e-10 * np.linalg.norm(mine) ** 2


@pytest.mark.parametrize("seed", range(6))
def test_joint_torques_come_back_where_joints_turn(seed):
    model, rng = random_tree(seed, 7, TURNING), np.random.default_rng(seed)
    q, qdot, _ = random_state(model, seed)
    Q = rng.normal(size=model.ndof)
    torques = mm.coordinates.joint_torques(model, q, Q)
    close(mm.coordinates.generalized_force(model, q, joint_torques=torques), Q)
    on_bodies = mm.coordinates.body_torques(model, q, torques)
    close(mm.coordinates.generalized_force(model, q, torques=on_bodies), Q)
    assert (on_bodies * velocities(model, q, qdot)[1]).sum() == pytest.approx(Q @ qdot, rel=1e-10)
    R = mm.forward_kinematics(model, q)[:, :3, :3]
    R_p = [np.eye(3) if p < 0 else R[p] for p in model.parents]
    total = sum(R_p[i] @ torques[i] for i in np.flatnonzero(model.parents < 0))
    close(on_bodies.sum(axis=0), total)  # what is inside cancels
    wrenches = mm.coordinates.joint_wrenches(model, q, Q)
    assert np.linalg.norm(wrenches) <= np.linalg.norm(torques) * (1 + 1e-12)


def test_a_hinge_is_turned_about_its_axis():
    spec, bar = mm.Spec("arm"), mm.Inertia.cuboid((0.4, 0.1, 0.1), mass=1.0)
    spec.add_body("upper", None, mm.Revolute((0, 0, 1)), None, mm.translation(0.2, 0, 0), bar)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.4, 0, 0), mm.translation(0.2, 0, 0), bar)
    model = spec.compile()
    torques = mm.coordinates.joint_torques(model, [np.pi / 2, 0.3], [3.0, 2.0])
    np.testing.assert_allclose(torques, [[0, 0, 3], [0, 2, 0]], atol=1e-14)
    np.testing.assert_allclose(
        mm.coordinates.body_torques(model, [np.pi / 2, 0.3], torques), [[2, 0, 3], [-2, 0, 0]], atol=1e-14
    )


def test_slides_are_pushed_along_their_axis_at_the_joint():
    spec, box = mm.Spec("slide"), mm.Inertia.sphere(0.1, mass=1.0)
    spec.add_body("cart", None, mm.Prismatic((1, 0, 0)), None, mm.translation(0, 0, 1), box)
    model = spec.compile()
    forces, torques = mm.coordinates.joint_wrenches(model, [0.5], [4.0])
    np.testing.assert_allclose(forces, [[4, 0, 0]], atol=1e-14)
    assert not torques.any()
    forces, torques = mm.coordinates.body_forces(model, [0.5], forces, torques)
    np.testing.assert_allclose(forces, [[4, 0, 0]], atol=1e-14)
    np.testing.assert_allclose(torques, [[0, -4, 0]], atol=1e-14)  # the joint is 1 m below the centre of mass


def test_torques_alone_do_not_slide_a_joint():
    model = random_tree(0, 2, ["free-2d"])
    q = np.full(6, 0.4)
    with pytest.raises(ValueError, match=r"joint_torques: Q\[3\] = 2 of body 'b1'.*take mm.coordinates.joint_wrenches"):
        mm.coordinates.joint_torques(model, q, [0, 0, 1, 2, 0, 1])
    torques = mm.coordinates.joint_torques(model, q, [0, 0, 1, 0, 0, 1])  # no force on the slides: torques do
    close(mm.coordinates.generalized_force(model, q, joint_torques=torques), np.array([0, 0, 1, 0, 0, 1.0]))


def test_a_singular_joint_is_named():
    model = random_tree(0, 1, ["spherical-euler"])
    for function in (mm.coordinates.joint_torques, mm.coordinates.joint_wrenches, mm.coordinates.cartesian_forces):
        with pytest.raises(ValueError, match=r"of body 'b0' cannot be produced.*singular"):
            function(model, [0.3, np.pi / 2, 0.2], [1.0, 0.0, 0.0])
        function(model, [0.3, np.pi / 2, 0.2], [0.0, 1.0, 0.0])


def test_rounding_of_single_precision_is_no_miss():
    model, Q = random_tree(1, 6), np.random.default_rng(0).normal(size=random_tree(1, 6).ndof)
    columns = joint_columns(model, model.workspace.tree.handle, random_state(model, 0)[0])[0]
    single = solve_joints(model, columns.astype(np.float32), Q.astype(np.float32), ("test", "it is not"))
    close(np.array(single), np.array(solve_joints(model, columns, Q, ("test", "it is not"))), 1e-4)


def test_generalized_forces_carry_complex_steps():
    model, step = random_tree(3, 4), 1e-30
    q, qdot, _ = random_state(model, 0)
    forces, torques, twists = np.random.default_rng(0).normal(size=(3, model.nbodies, 3))

    def work(q):
        return mm.coordinates.generalized_force(model, q, forces, torques, joint_torques=twists)

    slope = work(q + 1j * step * qdot).imag / step
    h = 1e-6
    np.testing.assert_allclose(slope, (work(q + h * qdot) - work(q - h * qdot)) / (2 * h), rtol=0, atol=1e-8)


def test_nothing_moves():
    spec = mm.Spec("still")
    spec.add_body("a", None, mm.Fixed(), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    model, none, one = spec.compile(), np.zeros(0), np.ones((1, 3))
    for method in METHODS:
        fit = mm.coordinates.generalized_velocity(model, none, one, one, method)
        assert fit.qdot.shape == (0,)
        assert fit.residual == pytest.approx(np.sqrt(6))
    assert mm.coordinates.generalized_force(model, none, one, one, one, one).shape == (0,)
    for values in (
        *mm.coordinates.cartesian_forces(model, none, none),
        *mm.coordinates.cartesian_forces(model, none, none, points=one),
    ):
        np.testing.assert_array_equal(values, np.zeros((1, 3)))
    for values in (*mm.coordinates.joint_wrenches(model, none, none), mm.coordinates.joint_torques(model, none, none)):
        np.testing.assert_array_equal(values, np.zeros((1, 3)))
    np.testing.assert_array_equal(mm.coordinates.body_torques(model, none, one), one)


ROWS = np.zeros((2, 3))
BAD = [
    (lambda m, q: mm.coordinates.generalized_velocity(m, q, ROWS, ROWS, "qr"), "the method is"),
    (
        lambda m, q: mm.coordinates.generalized_velocity(m, q, ROWS[0], ROWS),
        r"v has shape \(3,\), and model 'tree-0' has 2 bodies",
    ),
    (lambda m, q: mm.coordinates.generalized_velocity(m, q, ROWS, None), "w is None: give three numbers for each body"),
    (lambda m, q: mm.coordinates.generalized_velocity(m, q, ROWS, ROWS * np.nan), r"w\[0, 0\] is nan"),
    (lambda m, q: mm.coordinates.generalized_velocity(m, q, ROWS + 1j, ROWS), "v must be real"),
    (lambda m, q: mm.coordinates.generalized_velocity(m, q + 1j, ROWS, ROWS), "q must be real"),
    (lambda m, q: mm.coordinates.generalized_velocity(m, q[:3], ROWS, ROWS), r"q has shape \(3,\)"),
    (lambda m, q: mm.coordinates.generalized_force(m, q, ROWS[:, :2]), r"forces has shape \(2, 2\)"),
    (lambda m, q: mm.coordinates.generalized_force(m, q, points=ROWS), "no forces are given"),
    (
        lambda m, q: mm.coordinates.generalized_force(m, q, joint_torques=[["a"] * 3] * 2),
        "joint_torques must be numbers",
    ),
    (lambda m, q: mm.coordinates.cartesian_forces(m, q, q[:2]), r"Q has shape \(2,\)"),
    (lambda m, q: mm.coordinates.cartesian_forces(m, q, q * np.nan), r"Q\[0\] is nan"),
    (lambda m, q: mm.coordinates.cartesian_forces(m, q, q, points=ROWS[:1]), r"points has shape \(1, 3\)"),
    (lambda m, q: mm.coordinates.cartesian_forces(m, q, q + 1j), "q and Q must be real"),
    (lambda m, q: mm.coordinates.joint_torques(m, q, [1, 2]), r"Q has shape \(2,\)"),
    (lambda m, q: mm.coordinates.body_torques(m, q, None), "joint_torques is None"),
    (lambda m, q: mm.coordinates.body_forces(m, q, ROWS, ROWS[0]), r"joint_torques has shape \(3,\)"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD)
def test_bad_input(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(random_tree(0, 2, ["universal"]), np.full(4, 0.3))


@pytest.mark.parametrize(
    "function",
    [
        mm.coordinates.generalized_velocity,
        mm.coordinates.generalized_force,
        mm.coordinates.cartesian_forces,
        mm.coordinates.joint_torques,
        mm.coordinates.joint_wrenches,
    ],
)
def test_no_model(function):
    with pytest.raises(TypeError, match="a model is needed"):
        function("arm", [0.0], *([ROWS, ROWS] if function is mm.coordinates.generalized_velocity else [[0.0]]))
