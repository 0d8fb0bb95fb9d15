"""Forces one by one: that they are slopes of their energy, what they do at their edges, and what they refuse."""

import numpy as np
import pytest
from trees import add_every_force, random_spec, random_state

import myomass as mm

pytestmark = pytest.mark.fast
STEP = 1e-30


def hanging_box(joint=None, **options):
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("box", None, joint or mm.Translational(), inertia=mm.Inertia.cuboid((1, 1, 1), mass=2))
    return spec


def conservative(spec):
    """Springs of all kinds, without dampers, and a constant force."""
    spec.add_force(mm.PointSpring((None, (1, 2, 3)), ("b3", (0.1, 0, 0.2)), stiffness=30))
    spec.add_force(mm.SpringDamper([("b1", (0, 0.1, 0)), ("b4", (0.3, 0, 0))], stiffness=25, rest_length=1.7))
    spec.add_force(mm.Cable([(f"b{i}", (0.1 * i, 0, 0)) for i in range(4)], stiffness=25, rest_length=0.5))
    spec.add_force(mm.Ground("b2", stiffness=40, size=(3, 3, 3)))
    spec.add_force(mm.PointForce("b4", (20, -30, 40), (0.2, -0.1, 0.3)))
    ends = ("b1", mm.translation(0.1, 0, 0)), ("b3", mm.rotation((1, 2, 3), 0.4))
    spec.add_force(mm.forces.Bushing(*ends, [3, 2, 5, 30, 20, 50]))
    for name in spec.compile().coordinates:
        spec.add_force(mm.forces.CoordinateSpring(name, stiffness=2, rest=0.1))
        spec.add_force(mm.forces.CoordinateLimit(name, -1.0, 0.4, (20, 30), transition=0.3))
    for i in range(5):
        spec.add_force(mm.JointSpring(f"b{i}", stiffness=3, rest=0.2))
        spec.add_force(mm.JointLimit(f"b{i}", lower=0.5, upper=0.6, stiffness=50))


@pytest.mark.parametrize("seed", range(4))
def test_a_force_is_the_slope_of_its_energy(seed):
    spec = random_spec(seed, 5, ["revolute", "universal", "spherical-exp", "planar", "inverse-spherical-exp"])
    spec.gravity = (0, 0, 0)
    conservative(spec)
    model = spec.compile()
    q, qdot, _ = random_state(model, seed)
    slope = []
    for k in range(model.ndof):
        there = q.astype(complex)
        there[k] += 1j * STEP
        slope.append(mm.energy(model, there, 0 * q).potential.imag / STEP)
    f = mm.applied_forces(model, q, qdot)
    np.testing.assert_allclose(f, -np.array(slope), rtol=0, atol=1e-12 * np.abs(f).max())
    K, D = mm.dynamics.force_derivatives(model, q, qdot)
    np.testing.assert_allclose(K, K.T, rtol=0, atol=1e-12 * np.abs(K).max())
    assert np.abs(D).max() == 0


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_of_all_forces_at_once(seed):
    spec = random_spec(seed, 6)
    add_every_force(spec, seed)
    model = spec.compile()
    q, qdot, _ = random_state(model, seed)
    got = mm.dynamics.force_derivatives(model, q, qdot, t=0.3)
    for which, matrix in enumerate(got):
        expected = np.empty_like(matrix)
        for k in range(model.ndof):
            x = [q.astype(complex), qdot.astype(complex)]
            x[which][k] += 1j * STEP
            expected[:, k] = mm.applied_forces(model, *x, t=0.3).imag / STEP
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("integrator", ["recursive", "redmax"])
def test_energy_stays_under_a_constant_force(integrator):
    """T + V of a double pendulum that gravity and a wind at its tip swing; the wind alone would change it by 3 J."""
    spec, box = mm.Spec("wind"), mm.Inertia.cuboid((0.1, 0.2, 1.0), mass=1)
    for i, parent in enumerate((None, "b0")):
        spec.add_body(f"b{i}", parent, mm.Universal(), mm.translation(0, 0, -i), mm.translation(0, 0, -0.5), box)
    spec.add_force(mm.PointForce("b1", (3.0, 1.0, 2.0), (0, 0.1, -0.5)))
    model = spec.compile()
    run = mm.simulate(model, q=[0.3, 0.2, -0.1, 0.4], integrator=integrator, duration=2.0, rtol=1e-11, atol=1e-13)
    tips = np.array([mm.forward_kinematics(model, q)[1] @ (0, 0.1, -0.5, 1) for q in run.q])
    work = (tips - tips[0])[:, :3] @ (3.0, 1.0, 2.0)
    assert np.ptp(work) > 3
    weight = 9.81 * run.poses[:, :, 2, 3].sum(axis=1)
    np.testing.assert_allclose(run.potential, weight - tips[:, :3] @ (3.0, 1.0, 2.0), rtol=0, atol=1e-12)
    assert run.energy_drift < 1e-9


def test_dampers_only_take_energy():
    spec = random_spec(1, 5, ["revolute", "universal"])
    spec.add_force(mm.BodyDamping("b2", linear=2, angular=3))
    spec.add_force(mm.PointSpring(("b1", (0, 0, 1)), ("b4", (1, 0, 0)), stiffness=0, damping=4))
    spec.add_force(mm.JointSpring("b0", damping=2))
    model = spec.compile()
    for seed in range(5):
        q, qdot, _ = random_state(model, seed)
        assert qdot @ mm.applied_forces(model, q, qdot) < 0


def test_a_slack_cable_does_nothing_and_a_returning_one_does_not_push():
    spec = hanging_box()
    spec.add_force(mm.Cable([(None, (0, 0, 0)), ("box", (0, 0, 0))], stiffness=10, damping=5, rest_length=1.0))
    model = spec.compile()
    still = np.zeros(3)
    assert not mm.applied_forces(model, [0.9, 0, 0], still).any()
    np.testing.assert_allclose(mm.applied_forces(model, [1.2, 0, 0], still), (-2, 0, 0), atol=1e-12)
    assert not mm.applied_forces(model, [1.2, 0, 0], [-10, 0, 0]).any()
    assert not mm.applied_forces(model, still, still).any()  # its points meet: no direction, no force


def test_a_spring_damper_pushes():
    spec = hanging_box()
    spec.add_force(mm.SpringDamper([(None, (0, 0, 0)), ("box", (0, 0, 0))], stiffness=10, rest_length=2.0))
    np.testing.assert_allclose(mm.applied_forces(spec.compile(), [1.0, 0, 0], [0, 0, 0]), (5, 0, 0), atol=1e-12)


def test_torque_in_time():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Universal(), inertia=mm.Inertia.sphere(0.1, mass=1))
    spec.add_force(mm.JointTorque("a", [(1, 2), (3, 6)], times=[1, 2], linear=True))
    spec.add_force(mm.JointTorque("a", [10, 20, 30], times=[0, 1, 2]))
    spec.add_force(mm.JointTorque("a", 100))
    model = spec.compile()
    for t, first, held in ((0, 1, 10), (1, 1, 20), (1.25, 1.5, 20), (2, 3, 30), (99, 3, 30)):
        f = mm.applied_forces(model, [0.1, 0.2], [0, 0], t=t)
        np.testing.assert_allclose(f, (first + held + 100, 2 * first + held + 100))


def test_limits_act_beyond_them_only():
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("a", inertia=mm.Inertia.sphere(0.1, mass=1))
    spec.add_force(mm.JointLimit("a", lower=-np.inf, upper=0.5, stiffness=10, damping=1))
    model = spec.compile()
    for q, qdot, f in ((0.5, 1, 0), (0.6, 0, -1), (0.6, 2, -3), (-1e9, -5, 0)):
        assert mm.applied_forces(model, [q], [qdot])[0] == pytest.approx(f)


def test_ground_friction_is_bounded_and_smooth_where_it_starts_to_slide():
    spec = hanging_box()
    spec.add_force(mm.Ground("box", stiffness=100, friction=0.5, sticking=10, points=[(0, 0, 0)]))
    model = spec.compile()
    for speed in (0.0, 0.1, 0.499, 0.501, 3.0):
        f = mm.applied_forces(model, [0, 0, -0.1], [speed, 0, 0])
        np.testing.assert_allclose(f, (-min(10 * speed, 5), 0, 10), rtol=0, atol=1e-12)
    assert not mm.applied_forces(model, [0, 0, 1e-9], [1, 2, -3]).any()


def test_the_ground_never_pulls():
    spec = hanging_box()
    spec.add_force(mm.Ground("box", stiffness=100, damping=50, points=[(0, 0, 0)]))
    model = spec.compile()
    assert not mm.applied_forces(model, [0, 0, -0.1], [0, 0, 5]).any()
    assert mm.applied_forces(model, [0, 0, -0.1], [0, 0, -5])[2] == pytest.approx(10 + 250)


def test_dampers_that_begin_at_a_boundary_do_not_jump():
    spec = hanging_box()
    spec.add_force(mm.Ground("box", stiffness=100, damping=50, points=[(0, 0, 0)]))
    spec.add_force(mm.JointLimit("box", -np.inf, 1.0, stiffness=100, damping=50))
    spec.add_force(mm.Cable([(None, (0, 5, 1)), ("box", (0, 0, 0))], stiffness=10, damping=50, rest_length=5.0))
    model = spec.compile()
    for q, qdot in (([0, 1, -1e-9], [0, 0, -3]), ([1 + 1e-9, 1, 1], [3, 0, 0]), ([0, -1e-9, 1], [0, -3, 0])):
        assert 0 < np.abs(mm.applied_forces(model, q, qdot)).max() < 1e-2


def test_a_tilted_plane():
    spec = hanging_box()
    plane = mm.translation(0, 0, 1) @ mm.rotation((0, 1, 0), np.pi / 2)  # normal along x
    spec.add_force(mm.Ground("box", stiffness=100, points=[(0, 0, 0)], plane=plane))
    np.testing.assert_allclose(mm.applied_forces(spec.compile(), [-0.1, 5, 5], [0, 0, 0]), (10, 0, 0), atol=1e-12)


def test_forces_act_in_float32_and_survive_pickling():
    import pickle

    spec = random_spec(3, 4, ["revolute"])
    add_every_force(spec, 3)
    model = spec.compile()
    q, qdot, _ = random_state(model, 3)
    exact = mm.forward_dynamics(model, q, qdot)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(mm.forward_dynamics(again, q, qdot), exact)
    rough = mm.forward_dynamics(model.astype(np.float32), q, qdot)
    assert rough.dtype == np.float32
    np.testing.assert_allclose(rough, exact, rtol=0, atol=1e-3 * np.abs(exact).max())


@pytest.mark.parametrize(
    ("force", "sentence"),
    [
        (mm.JointSpring("nobody", 1), "has no body 'nobody'"),
        (mm.JointSpring("a", -1), "stiffness must not be negative"),
        (mm.JointSpring("a", [1, 2, 3]), "stiffness must be one number, or 1"),
        (mm.JointSpring("a", np.nan), "stiffness must be one number"),
        (mm.JointSpring("a", "stiff"), "stiffness must be one number"),
        (mm.JointSpring("weld", 1), "has no degree of freedom"),
        (mm.JointSpring("ball", 1), "switches between Euler charts"),
        (mm.JointLimit("a", 1, 0, 5), "lower limit 1 must not exceed"),
        (mm.JointTorque("a", [1, 2], times=[1, 0]), "times must rise"),
        (mm.JointTorque("a", [1, 2], times=[1]), "1 times and 2 torques"),
        (mm.JointTorque("a", 5.0, times=[0, 1]), "2 times and 1 torques"),
        (mm.JointSpring("a", rest=np.inf), "rest must be finite"),
        (mm.JointSpring(["a"], 1), r"has no body \['a'\]"),
        (mm.JointLimit("a", np.inf, np.inf, 1), "exclude every position of the joint"),
        (mm.PointForce(None, (0, 0, 1)), "acts on a body"),
        (mm.BodyDamping(None, 1, 1), "acts on a body"),
        (mm.Ground(None, 1, size=(1, 1, 1)), "acts on a body"),
        (mm.Ground("a", 1, size=(-1, 1, 1)), "must be positive"),
        (mm.Ground("a", 1, friction=0.5, size=(1, 1, 1)), "friction needs sticking"),
        (mm.Cable(None, 1, 1), "list of 2 or more"),
        (mm.JointTorque("a", np.inf), "torque must be finite"),
        (mm.PointForce("a", (1, 2)), r"force \[N\] must be finite numbers of shape \(3,\)"),
        (mm.PointForce("a", (0, 0, 1), point="tip"), r"a point \[m\] must be"),
        (mm.PointSpring((None, (0, 0, 0)), ("b", (0, 0, 0)), 1), "has no body 'b'"),
        (mm.PointSpring("a", ("a", (0, 0, 0)), 1), r"a point is \(body, \(x, y, z\)\)"),
        (mm.Cable([("a", (0, 0, 0))], 1, 1), "list of 2 or more"),
        (mm.Cable([(None, (0, 0, 0)), ("a", (0, 0, 0))], 1, 0), "rest_length .* positive"),
        (mm.BodyDamping("a", 1, -1), "angular must not be negative"),
        (mm.Ground("a", 1), "either the size of a cuboid or the points"),
        (mm.Ground("a", 1, size=(1, 1)), r"size \[m\]"),
        (mm.Ground("a", 1, size=(1, 1, 1), plane=np.zeros((4, 4))), "not orthonormal"),
    ],
)
def test_bad_input_gets_a_sentence(force, sentence):
    spec = mm.Spec()
    box = mm.Inertia.cuboid((1, 1, 1), mass=1)
    spec.add_body("a", inertia=box)
    spec.add_body("weld", "a", mm.Fixed(), inertia=box)
    spec.add_body("ball", "a", mm.SphericalEuler(), inertia=box)
    spec.add_force(force, "mine")
    with pytest.raises(ValueError, match=f"force 'mine'.*{sentence}"):
        spec.compile()


def test_names_of_forces():
    spec = hanging_box()
    spec.add_force(mm.PointForce("box", (0, 0, 1)), "push")
    with pytest.raises(ValueError, match="there is a force 'push' already"):
        spec.add_force(mm.PointForce("box", (0, 0, 1)), "push")
    with pytest.raises(TypeError, match="give a force such as"):
        spec.add_force("push")
    spec.add_force(mm.PointForce("box", (0, 0, 1)))
    assert list(spec.forces) == ["push", "PointForce1"]
    del spec.forces["push"]
    spec.add_force(mm.PointForce("box", (0, 0, 1)))
    assert list(spec.forces) == ["PointForce1", "PointForce2"]
    spec.forces["odd"] = "push"
    with pytest.raises(TypeError, match="force 'odd' must be one such as"):
        spec.compile()
