"""Loops over time: drift, energy, singular poses, rows that depend on each other, and reactions in newtons."""

import numpy as np
import pytest

import myomass as mm

FIXED = ["rk4", "semi-implicit", "euler", "bdf1", "bdf2", "sdirk2"]


def four_bar(kind="pin", **loop):
    """A parallelogram of 1 m bars, hinges about z; closed at q = (pi/2, -pi/2, pi/2)."""
    spec, bar = mm.Spec("four-bar", (0, -9.81, 0)), mm.Inertia.cuboid((1, 0.1, 0.1), mass=1)
    middle = mm.translation(0.5, 0, 0)
    spec.add_body("left", None, mm.Revolute(), None, middle, bar)
    spec.add_body("coupler", "left", mm.Revolute(), mm.translation(1, 0, 0), middle, bar)
    spec.add_body("right", None, mm.Revolute(), mm.translation(1, 0, 0), middle, bar)
    spec.add_constraint(mm.Loop(("coupler", (0.5, 0, 0)), ("right", (0.5, 0, 0)), kind, **loop), "closing")
    return spec


START, RATES = np.array([1.0, -1.0, 1.0]), np.array([0.5, -0.5, 0.5])


def violation(run):
    values = np.array(
        [mm.dynamics.constraint_values(run.model, q, v, t=t) for t, q, v in zip(run.t, run.q, run.qdot, strict=True)]
    )
    return np.abs(values[:, 0]).max(), np.abs(values[:, 1]).max()


@pytest.mark.parametrize("integrator", ["recursive", "redmax", *FIXED, "maximal"])
def test_every_integrator_holds_a_loop(integrator):
    """To rounding, positions and velocities, and follows the exact motion."""
    model = four_bar().compile()
    exact = mm.simulate(model, q=START, qdot=RATES, duration=0.5, rtol=1e-11, atol=1e-13)
    run = mm.simulate(model, q=START, qdot=RATES, duration=0.5, integrator=integrator, h=1e-3)
    assert run.ended == "completed"
    assert max(violation(run)) < 1e-10
    allowed = {"rk4": 1e-9, "bdf2": 1e-4, "sdirk2": 1e-4, "recursive": 1e-4, "redmax": 1e-4}.get(integrator, 2e-2)
    assert np.abs(run.q[-1] - exact.q[-1]).max() < allowed


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2", "rk4", "euler"])
def test_orders(integrator):
    model = four_bar().compile()
    exact = mm.simulate(model, q=START, qdot=RATES, duration=0.4, rtol=1e-12, atol=1e-14).q[-1]
    errors = [
        np.abs(mm.simulate(model, q=START, qdot=RATES, duration=0.4, integrator=integrator, h=h).q[-1] - exact).max()
        for h in (0.02, 0.01)
    ]
    order = {"bdf1": 1, "euler": 1, "bdf2": 2, "sdirk2": 2, "rk4": 4}[integrator]
    assert np.log2(errors[0] / errors[1]) > order - 0.35


def test_no_drift_in_a_hundred_thousand_steps():
    model = four_bar().compile()
    run = mm.simulate(model, q=START, qdot=RATES, integrator="semi-implicit", h=1e-3, duration=100.0)
    assert len(run.t) == 100_001
    last = slice(-1000, None)
    tail = mm.Trajectory(model, run.t[last], run.q[last], run.qdot[last], run.charts[last], "semi-implicit")
    assert max(violation(tail)) < 1e-10


def test_a_closed_loop_keeps_its_energy():
    run = mm.simulate(four_bar().compile(), q=START, qdot=RATES, duration=5.0, rtol=1e-11, atol=1e-13)
    total = run.kinetic + run.potential
    assert np.abs(total - total[0]).max() < 1e-9 * run.kinetic.max()


def test_baumgarte_and_none():
    """Gains pull a wrong start back; without them or a projection it stays wrong."""
    model = four_bar().compile()
    wrong = START + [0, 1e-3, 0]
    runs = {
        gains: mm.simulate(model, q=wrong, qdot=RATES, baumgarte=gains, duration=2.0, rtol=1e-8, atol=1e-10)
        for gains in ((0.0, 0.0, 0.0), (10.0, 10.0, 0.0))
    }
    ends = {gains: np.abs(mm.dynamics.constraint_values(model, run.q[-1])[0]).max() for gains, run in runs.items()}
    assert ends[0.0, 0.0, 0.0] > 5e-4
    assert ends[10.0, 10.0, 0.0] < 1e-6


class TestDependentRows:
    def test_a_ball_in_a_planar_loop(self):
        """Its third row says nothing; the motion is that of the pin, and the row is named."""
        pin, ball = four_bar().compile(), four_bar("ball").compile()
        with pytest.warns(RuntimeWarning, match=r"closing.z"):
            got = mm.forward_dynamics(ball, START, RATES)
        np.testing.assert_allclose(got, mm.forward_dynamics(pin, START, RATES), rtol=1e-9)
        with pytest.warns(RuntimeWarning, match=r"depended on each other: closing.z"):
            run = mm.simulate(ball, q=START, qdot=RATES, integrator="rk4", h=1e-3, duration=0.2)
        assert max(violation(run)) < 1e-10

    def test_the_same_loop_twice(self):
        """Shared out evenly."""
        spec = four_bar()
        spec.add_constraint(mm.Loop(("coupler", (0.5, 0, 0)), ("right", (0.5, 0, 0)), "pin"), "again")
        once = mm.constraint_forces(four_bar().compile(), START, RATES)
        with pytest.warns(RuntimeWarning, match=r"depend on each other.*closing.1.*again.2"):
            twice = mm.constraint_forces(spec.compile(), START, RATES)
        np.testing.assert_allclose(twice["closing.1"], 0.5 * once["closing.1"], rtol=1e-8)
        np.testing.assert_allclose(twice["again.2"], 0.5 * once["closing.2"], rtol=1e-8)

    def test_rows_that_contradict_each_other(self):
        """Met in the middle, and said."""
        spec = mm.Spec("torn", (0, 0, 0))
        spec.add_body("wheel", None, mm.Revolute(), inertia=mm.Inertia.sphere(1, mass=1))
        spec.add_constraint(mm.DrivenJoint("wheel", velocity=mm.Motion.pieces((0, 1), ((0, 1),))), "forwards")
        spec.add_constraint(mm.DrivenJoint("wheel", velocity=mm.Motion.pieces((0, 1), ((0, 3),))), "faster")
        model = spec.compile()
        with pytest.warns(RuntimeWarning, match="cannot all hold: forwards, faster"):
            qddot = mm.forward_dynamics(model, [0.0], [0.0], t=0.5)
        assert qddot[0] == pytest.approx(2.0)


@pytest.mark.parametrize("name", ["slider-crank", "two-four-bars"])
def test_singular_poses_are_passed(name):
    """Again and again, with the energy kept; see also tests/golden."""
    scene = mm.scenes.load(name)
    run = mm.simulate(scene, rtol=1e-10, atol=1e-12)
    assert run.ended == "completed"
    assert run.energy_drift < 1e-8
    assert max(violation(run)) < 1e-8
    assert abs(run.q[-1, 0] - run.q[0, 0]) > 4 * np.pi  # several turns, two singular poses in each


def test_andrews_squeezing_mechanism():
    """The published reference at 0.03 s (IVP test set), in the order of our joints."""
    beta, theta, gamma, phi = 15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948
    delta, omega, epsilon = 0.5244099658805304, 0.5347301163226948, 1.048080741042263
    scene = mm.scenes.load("andrews-squeezer")
    run = mm.simulate(scene, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.q[-1], [beta, theta, gamma, delta, phi, epsilon, omega], rtol=1e-6)


def test_the_reaction_of_a_loop_in_newtons():
    """A bar on two supports, one of them a loop: each carries half its weight."""
    spec = mm.Spec("bridge")
    bar = mm.Inertia.cuboid((2, 0.1, 0.1), mass=3)
    spec.add_body("bar", None, mm.Revolute((0, 1, 0)), None, mm.translation(1, 0, 0), bar)
    spec.add_constraint(mm.DrivenPoint(("bar", (1, 0, 0)), [((0, 0, 1), 0.0)]), "support")
    forces = mm.constraint_forces(spec.compile(), [0.0], [0.0])
    assert forces["support.0"] == pytest.approx(1.5 * 9.81)
    np.testing.assert_allclose(forces.wrenches[0], [0, -1.5 * 9.81, 0, 0, 0, 1.5 * 9.81], atol=1e-9)


class TestJointReactions:
    def test_a_bridge(self):
        """The hinge carries the other half."""
        spec = mm.Spec("bridge")
        bar = mm.Inertia.cuboid((2, 0.1, 0.1), mass=3)
        spec.add_body("bar", None, mm.Revolute((0, 1, 0)), None, mm.translation(1, 0, 0), bar)
        spec.add_constraint(mm.DrivenPoint(("bar", (1, 0, 0)), [((0, 0, 1), 0.0)]))
        moment, force = np.split(mm.joint_reactions(spec.compile(), [0.0], [0.0])[0], 2)
        assert np.linalg.norm(force) == pytest.approx(1.5 * 9.81)
        np.testing.assert_allclose(moment, 0, atol=1e-9)

    def test_newton_for_every_body(self):
        """Of a tree with loops and forces: reactions, weight and constraint wrenches make each body's acceleration."""
        model = four_bar().compile()
        reactions = mm.joint_reactions(model, START, RATES)
        qddot, forces = mm.forward_dynamics(model, START, RATES), mm.constraint_forces(model, START, RATES)
        E = mm.forward_kinematics(model, START)
        accelerations = [mm.point_jacobian(model, START, i, (0, 0, 0), RATES) for i in range(3)]
        for i, children in enumerate(([1], [], [])):
            J, Jdot = accelerations[i]
            needed = J @ qddot + Jdot @ RATES  # times 1 kg
            R = E[i, :3, :3]  # all joint frames are turned like their bodies, and axes are z
            total = R @ reactions[i, 3:] + [0, -9.81, 0] + R @ forces.wrenches[i, 3:]
            for child in children:
                total -= E[child, :3, :3] @ reactions[child, 3:]
            np.testing.assert_allclose(total, needed, atol=1e-9)


class TestHybridDynamics:
    """Prescribed joints and a loop together (dissertation Eq. 4.109)."""

    def test_driven_crank(self):
        model = four_bar().compile()
        wanted = np.array([2.0, 0.0, 0.0])
        prescribed = np.array([True, False, False])
        qddot, tau = mm.hybrid_dynamics(model, START, RATES, np.zeros(3), wanted, prescribed)
        np.testing.assert_allclose(qddot, [2.0, -2.0, 2.0], atol=1e-9)
        np.testing.assert_allclose(mm.forward_dynamics(model, START, RATES, tau), qddot, atol=1e-9)
        assert tau[1] == tau[2] == 0

    def test_the_same_by_a_driven_joint(self):
        spec = four_bar()
        spec.add_constraint(mm.DrivenJoint("left", acceleration=mm.Motion.pieces((0, 1), ((2.0,),))), "motor")
        forces = mm.constraint_forces(spec.compile(), START, RATES, t=0.5)
        prescribed = np.array([True, False, False])
        _, tau = mm.hybrid_dynamics(four_bar().compile(), START, RATES, np.zeros(3), np.array([2.0, 0, 0]), prescribed)
        assert forces["motor"] == pytest.approx(tau[0])


def test_a_driven_crank_follows_its_motion():
    spec = four_bar()
    spec.add_constraint(mm.DrivenJoint("left", mm.Motion.through((0, 1, 2), (1.0, 2.0, 0.5))))
    model = spec.compile()
    for integrator in ("recursive", "euler", "bdf2"):
        run = mm.simulate(model, q=START, integrator=integrator, h=1e-3, duration=2.0)
        assert run.q[-1, 0] == pytest.approx(0.5, abs=1e-9)
        assert run.q[len(run.t) // 2, 0] == pytest.approx(
            mm.Motion.through((0, 1, 2), (1, 2, 0.5))(run.t[len(run.t) // 2])
        )


DRIVES = {
    "joint": lambda motion: mm.DrivenJoint("cart", acceleration=motion),
    "body": lambda motion: mm.DrivenBody("cart", {3: motion}, "acceleration"),
    "point": lambda motion: mm.DrivenPoint(("cart", (0, 0, 0.2)), [((1, 0, 0), motion)], "acceleration"),
}


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("options", [{"rtol": 1e-9}, {"integrator": "rk4", "h": 1e-2}], ids=["recursive", "rk4"])
def test_accelerations_that_are_numbers_act_all_the_time(drive, options):
    """x = x0 + v0 t + a t^2/2 of a cart of 2 kg, and the force that it takes, m a; a sine goes on as well."""
    for motion, end in ((3.0, 3.0 * 4 / 2), (mm.Motion.sine(3.0, 2.0), 1.5 * 2 - 0.75 * np.sin(4.0))):
        spec = mm.Spec("cart")
        spec.add_body("cart", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.cuboid((1, 1, 1), mass=2))
        spec.add_constraint(DRIVES[drive](motion), "motor")
        model = spec.compile()
        run = mm.simulate(model, q=[0.1], qdot=[-0.5], duration=2.0, **options)
        assert run.q[-1, 0] == pytest.approx(0.1 - 0.5 * 2 + end, abs=1e-7)
        force = mm.constraint_forces(model, [0.1], [0.0], t=5.0).multipliers
        assert force == pytest.approx(2 * (motion if motion == 3.0 else motion(5.0)), abs=1e-12)


class TestMotion:
    def test_through_points_at_rest_at_its_ends(self):
        motion = mm.Motion.through((0, 1, 3), (0, 2, 1))
        np.testing.assert_allclose([motion(t) for t in (-1, 0, 1, 3, 9)], [0, 0, 2, 1, 1], atol=1e-14)

    def test_of_a_function(self):
        motion = mm.Motion.of(lambda t: np.exp(np.sin(3 * t)), 0, 4)
        times = np.linspace(0, 4, 57)
        np.testing.assert_allclose([motion(t) for t in times], np.exp(np.sin(3 * times)), rtol=1e-10)

    def test_a_function_with_a_kink_is_refused(self):
        with pytest.raises(ValueError, match="is not smooth"):
            mm.Motion.of(lambda t: abs(t - 0.3), 0, 1)


def test_a_file_keeps_the_constraints(tmp_path):
    spec = four_bar(friction=0.2, radius=0.1, height=0.1)
    spec.add_constraint(mm.JointStop("left", -3, 3))
    model = spec.compile()
    run = mm.simulate(model, q=START, qdot=RATES, integrator="euler", h=1e-3, duration=0.05)
    back = mm.Trajectory.load(run.save(tmp_path / "run.npz"))
    assert back.model.constraints.names == model.constraints.names
    np.testing.assert_array_equal(back.multipliers, run.multipliers)
    again = mm.simulate(back.model, q=START, qdot=RATES, integrator="euler", h=1e-3, duration=0.05)
    np.testing.assert_array_equal(again.q, run.q)
