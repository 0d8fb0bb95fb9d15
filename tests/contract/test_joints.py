"""What every joint promises, checked over the whole catalogue: a new joint is tested by being listed."""

import copy
import pickle

import numpy as np
import pytest
from trees import joint_catalogue, spline_catalogue

import myomass as mm
from myomass.joints.dispatch import KINDS, OWN

pytestmark = pytest.mark.fast
STEP = 1e-30  # of the complex step
JOINTS = joint_catalogue(np.random.default_rng(7)) | spline_catalogue(np.random.default_rng(8))


def random_point(joint, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.2, 2.8, joint.ndof), rng.normal(size=joint.ndof)


def along(q, m):
    z = q.astype(complex)
    z[m] += 1j * STEP
    return z


@pytest.fixture(params=JOINTS)
def joint(request):
    return JOINTS[request.param]


@pytest.mark.parametrize("seed", range(3))
class TestEveryJoint:
    def test_Q_is_a_pose(self, joint, seed):
        Q = joint.Q(random_point(joint, seed)[0])
        np.testing.assert_allclose(Q[:3, :3].T @ Q[:3, :3], np.eye(3), rtol=0, atol=3e-15)
        np.testing.assert_array_equal(Q[3], (0, 0, 0, 1))

    def test_S_is_the_twist_of_Q(self, joint, seed):
        q, _ = random_point(joint, seed)
        expected = [mm.se3.vee(mm.se3.inverse(joint.Q(q)) @ (joint.Q(along(q, m)).imag / STEP)) for m in range(len(q))]
        np.testing.assert_allclose(joint.S(q), np.reshape(expected, (-1, 6)).T, rtol=0, atol=2e-14)

    def test_dS_is_the_derivative_of_S(self, joint, seed):
        q, _ = random_point(joint, seed)
        expected = [joint.S(along(q, m)).imag / STEP for m in range(len(q))]
        np.testing.assert_allclose(joint.dS(q), np.reshape(expected, (len(q), 6, len(q))), rtol=0, atol=5e-14)

    def test_Sdot_is_dS_along_qdot(self, joint, seed):
        q, qdot = random_point(joint, seed)
        np.testing.assert_allclose(joint.Sdot(q, qdot), np.tensordot(qdot, joint.dS(q), 1), rtol=0, atol=2e-14)

    def test_the_inverse_moves_back(self, joint, seed):
        q, _ = random_point(joint, seed)
        np.testing.assert_allclose(mm.Inverse(joint).Q(q) @ joint.Q(q), np.eye(4), rtol=0, atol=5e-15)

    def test_S_of_the_inverse_is_minus_Ad_Q_S(self, joint, seed):
        q, _ = random_point(joint, seed)
        np.testing.assert_allclose(mm.Inverse(joint).S(q), -mm.se3.Ad(joint.Q(q)) @ joint.S(q), rtol=0, atol=2e-14)


def test_inverting_twice_gives_the_original_back(joint):
    original = joint.joint if isinstance(joint, mm.Inverse) else joint
    assert mm.Inverse(mm.Inverse(original)) is original
    assert copy.deepcopy(joint).S(np.full(joint.ndof, 0.3)) == pytest.approx(joint.S(np.full(joint.ndof, 0.3)))
    assert pickle.loads(pickle.dumps(joint)).Q(np.full(joint.ndof, 0.3)) == pytest.approx(
        joint.Q(np.full(joint.ndof, 0.3))
    )


def test_a_joint_says_what_it_is(joint):
    assert type(joint).__name__ in repr(joint)


def test_wrong_shapes_get_a_sentence(joint):
    with pytest.raises(ValueError, match="q must be finite numbers of shape"):
        joint.Q(np.zeros(joint.ndof + 1))


def test_the_catalogue_has_every_kind():
    def kinds(joint):
        return {type(part.joint) for part in joint.links()[0]}

    assert set().union(*(kinds(joint) for joint in JOINTS.values())) == set(KINDS[:OWN])


CHARTED = {"exp": mm.SphericalExp(), "free": mm.Free3D()} | {
    chart: mm.SphericalEuler(chart)
    for chart in ["XYX", "XYZ", "XZX", "XZY", "YXY", "YXZ", "YZX", "YZY", "ZXY", "ZXZ", "ZYX", "ZYZ"]  # all twelve
}


@pytest.mark.parametrize("name", CHARTED)
@pytest.mark.parametrize("seed", range(5))
def test_reparameterisation_keeps_pose_and_twist(name, seed):
    """From anywhere, close to the singularity included, to a chart that is well away from it."""
    rng = np.random.default_rng(seed)
    spec = mm.Spec()
    spec.add_body("b", joint=CHARTED[name], inertia=mm.Inertia.cuboid((1, 2, 3), mass=1))
    model = spec.compile()
    q = rng.uniform(-9, 9, model.ndof)
    if name not in ("exp", "free"):
        edge = np.pi / 2 if len(set(name)) == 3 else np.pi
        q[1] = edge + rng.choice([0.4, 1e-3, 1e-6]) * rng.choice([-1, 1])
    state = model.state(q, rng.normal(size=model.ndof))
    new = mm.algorithms.reparameterise(model, state)
    moved = model.with_charts(new.charts)
    np.testing.assert_allclose(mm.forward_kinematics(moved, new.q), mm.forward_kinematics(model, q), rtol=0, atol=5e-15)
    twist = mm.body_twists(model, q, state.qdot)
    np.testing.assert_allclose(mm.body_twists(moved, new.q, new.qdot), twist, rtol=0, atol=2e-14 * np.abs(twist).max())
    again = mm.algorithms.reparameterise(model, new)
    np.testing.assert_array_equal(again.q, new.q)
    assert np.linalg.cond(mm.jacobian(moved, new.q)[:3, -3:]) < 10


@pytest.mark.fast
@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("name", CHARTED)
def test_reparameterisation_keeps_accelerations(name, invert):
    """Of bodies of a tree in which some joints move to another chart and others stay."""
    rng, spec = np.random.default_rng(1), mm.Spec()
    joint = mm.Inverse(CHARTED[name]) if invert else CHARTED[name]
    for i, own in enumerate((joint, mm.Revolute((1, 2, 3)), joint)):
        place = mm.se3.exp(rng.normal(size=6))
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, own, place, inertia=mm.Inertia.cuboid((1, 2, 3), mass=1))
    model = spec.compile()
    q, qdot, qddot = rng.uniform(0.3, 0.5, model.ndof), rng.normal(size=model.ndof), rng.normal(size=model.ndof)
    q[model.dof("b2")] += 7.0 if name in ("exp", "free") else 0.0
    q[model.dof("b2")][1] = q[model.dof("b2")][1] if name in ("exp", "free") else (1.2 if len(set(name)) == 3 else 3.0)
    state = model.state(q, qdot, qddot=qddot)
    new = mm.algorithms.reparameterise(model, state)
    assert not np.allclose(new.q[model.dof("b2")], q[model.dof("b2")])
    moved = model.with_charts(new.charts)
    wanted = mm.jacobian(model, q) @ qddot + mm.jacobian_dot(model, q, qdot) @ qdot
    got = mm.jacobian(moved, new.q) @ new.qddot + mm.jacobian_dot(moved, new.q, new.qdot) @ new.qdot
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
    assert mm.algorithms.reparameterise(model, model.state(q, qdot)).qddot is None


@pytest.mark.fast
def test_accelerations_where_both_charts_have_zero_angles():
    """ZXZ is singular there, and the chart that takes over is not."""
    spec = mm.Spec()
    spec.add_body("b", None, mm.SphericalEuler("ZXZ"), inertia=mm.Inertia.cuboid((1, 2, 3), mass=1))
    model = spec.compile()
    state = model.state(np.zeros(3), [1.0, 2.0, 3.0], qddot=[4.0, 5.0, 6.0])
    new = mm.algorithms.reparameterise(model, state)
    moved = model.with_charts(new.charts)
    wanted = mm.jacobian(model, state.q) @ state.qddot + mm.jacobian_dot(model, state.q, state.qdot) @ state.qdot
    got = mm.jacobian(moved, new.q) @ new.qddot + mm.jacobian_dot(moved, new.q, new.qdot) @ new.qdot
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-13)
