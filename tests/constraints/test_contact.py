"""Stops, contact and friction: complementarity, no adhesion, no energy from nowhere, and the textbook's block."""

import numpy as np
import pytest

import myomass as mm

GRAVITY = 9.81
BALL = mm.Inertia.sphere(0.1, mass=1.0)
STEPPERS = ["semi-implicit", "euler"]


def block_on_slope(angle, mu, cone=True, heading=0.0):
    """A box on an incline, seen in the incline's frame; downhill is turned by `heading` from x."""
    fall = GRAVITY * np.sin(angle)
    spec = mm.Spec("block", (fall * np.cos(heading), fall * np.sin(heading), -GRAVITY * np.cos(angle)))
    spec.add_body("box", None, mm.Free3D("TR"), inertia=mm.Inertia.cuboid((0.4, 0.3, 0.2), mass=2))
    spec.add_constraint(mm.Contact(mm.Box("box", (0.4, 0.3, 0.2)), friction=mu, cone=cone))
    return spec.compile(), np.array([0, 0, 0.1, 0, 0, 0.0])


def ball_above_floor(height=0.5, radius=0.1, friction=0.0):
    spec = mm.Spec("ball")
    spec.add_body("ball", None, mm.Free3D("TR"), inertia=mm.Inertia.sphere(radius, mass=1))
    spec.add_constraint(mm.Contact(mm.Sphere("ball", radius), friction=friction))
    return spec.compile(), np.array([0, 0, height, 0, 0, 0])


def limited_pendulum(lower=-0.5, upper=0.8):
    spec, link = mm.Spec("limited"), mm.Inertia.cuboid((1, 0.1, 0.1), mass=1)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), link)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(1, 0, 0), mm.translation(0.5, 0, 0), link)
    spec.add_constraint(mm.JointStop("lower", lower, upper))
    return spec.compile()


@pytest.mark.parametrize("integrator", STEPPERS)
class TestTheTextbookBlock:
    MU = 0.5

    def test_sticks_below_the_angle_of_friction(self, integrator):
        model, q = block_on_slope(np.arctan(self.MU) - 0.01, self.MU)
        run = mm.simulate(model, q=q, integrator=integrator, h=1e-3, duration=0.3)
        assert np.abs(run.q[-1] - q).max() < 1e-9
        assert np.abs(run.qdot[-1]).max() < 1e-9

    @pytest.mark.parametrize(("cone", "heading"), [(True, 0.0), (True, 0.7), (False, 0.0)])
    def test_slides_above_it_as_it_should(self, integrator, cone, heading):
        angle = np.arctan(self.MU) + 0.1
        model, q = block_on_slope(angle, self.MU, cone, heading)
        run = mm.simulate(model, q=q, integrator=integrator, h=1e-3, duration=0.3)
        expected = GRAVITY * (np.sin(angle) - self.MU * np.cos(angle))
        velocity = run.qdot[-1, :3] / 0.3
        np.testing.assert_allclose(velocity, expected * np.array([np.cos(heading), np.sin(heading), 0]), atol=1e-6)
        assert run.steps["friction unconverged"] == 0

    def test_forces(self, integrator):
        """Eight corners share the weight; friction opposes the sliding with mu times it."""
        angle = np.arctan(self.MU) + 0.1
        model, q = block_on_slope(angle, self.MU)
        run = mm.simulate(model, q=q, integrator=integrator, h=1e-3, duration=0.01)
        lam, names = run.multipliers[-1], model.constraints.names
        normal = sum(x for x, name in zip(lam, names, strict=True) if name.endswith("normal"))
        along = sum(x for x, name in zip(lam, names, strict=True) if name.endswith("slide 1"))
        assert normal == pytest.approx(2 * GRAVITY * np.cos(angle), rel=1e-6)
        assert along == pytest.approx(-self.MU * normal, rel=1e-6)


def test_a_box_of_tangents_holds_more_across_its_corner_than_the_cone():
    angle = np.arctan(0.5) + 0.1
    speeds = [
        np.linalg.norm(mm.simulate(m, q=q, integrator="euler", h=1e-3, duration=0.1).qdot[-1, :3])
        for m, q in (block_on_slope(angle, 0.5, cone, np.pi / 4) for cone in (True, False))
    ]
    assert speeds[0] > 0.01
    assert speeds[1] < 1e-6


@pytest.mark.parametrize("integrator", [*STEPPERS, "maximal"])
class TestComplementarity:
    def test_a_ball_lands_and_stays(self, integrator):
        model, q = ball_above_floor()
        run = mm.simulate(model, q=q, integrator=integrator, h=1e-3, duration=0.6)
        gaps = run.q[:, 2] - 0.1
        assert gaps.min() > -1e-10
        assert abs(gaps[-1]) < 1e-9
        assert np.abs(run.qdot[-1]).max() < 1e-9
        total = run.kinetic + run.potential
        assert np.diff(total).max() < 1e-2 * 2e-3 * GRAVITY  # falling, a step of first order gains or loses of order h

    def test_nothing_holds_back_what_rises(self, integrator):
        model, q = ball_above_floor(height=0.1)
        run = mm.simulate(model, q=q, qdot=[0, 0, 1, 0, 0, 0], integrator=integrator, h=1e-3, duration=0.1)
        assert run.qdot[-1, 2] == pytest.approx(1 - 0.1 * GRAVITY, abs=1e-9)

    def test_a_stop_is_not_passed(self, integrator):
        model = limited_pendulum()
        run = mm.simulate(model, q=[0.0, 0.3], integrator=integrator, h=1e-3, duration=3.0)
        angle = run.q[:, 1]
        assert angle.min() > -0.5 - 1e-9 and angle.max() < 0.8 + 1e-9
        assert (angle > 0.8 - 1e-6).any() or (angle < -0.5 + 1e-6).any()

    def test_no_energy_comes_from_a_stop(self, integrator):
        """Beyond what the steps gain without it."""
        model = limited_pendulum()
        run = mm.simulate(model, q=[0.0, 0.3], integrator=integrator, h=5e-4, duration=3.0)
        total = run.kinetic + run.potential
        g = np.array([mm.dynamics.constraint_values(model, q)[0] for q in run.q])
        struck = (g.min(axis=1) < 1e-6) & (np.roll(g.min(axis=1), 1) > 1e-5)
        struck[0] = False
        assert struck.any()
        for row in np.flatnonzero(struck):
            assert total[row + 1] - total[row - 1] < 1e-3


@pytest.mark.parametrize("integrator", STEPPERS)
def test_multipliers_are_never_adhesive(integrator):
    model = limited_pendulum()
    run = mm.simulate(model, q=[0.0, 0.3], integrator=integrator, h=1e-3, duration=2.0)
    assert run.multipliers.min() >= -1e-12 * run.multipliers.max()
    assert run.multipliers.max() > 1


def test_resting_forces_by_the_acceleration_level():
    """The pendulum held up by its stop: the stop's moment balances gravity; rising it lets go."""
    model = limited_pendulum(lower=-0.5, upper=0.0)
    forces = mm.constraint_forces(model, [0.0, 0.0], [0.0, 0.0])
    assert forces["JointStop0.upper"] >= 0
    qddot = mm.forward_dynamics(model, [0.0, 0.0], [0.0, 0.0])
    assert qddot[1] <= 1e-9
    free = mm.forward_dynamics(model, [0.0, -0.2], [0.0, 0.0])
    spec = mm.Spec("free")
    link = mm.Inertia.cuboid((1, 0.1, 0.1), mass=1)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), link)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(1, 0, 0), mm.translation(0.5, 0, 0), link)
    np.testing.assert_allclose(free, mm.forward_dynamics(spec.compile(), [0.0, -0.2], [0.0, 0.0]), atol=1e-12)


@pytest.mark.parametrize("shape", ["sphere", "capsule"])
def test_two_bodies_meet_and_share_their_momentum(shape):
    """A plastic impact of equal masses along the line of centres."""
    spec = mm.Spec("meeting", (0, 0, 0))
    for i, x in enumerate((0.0, 1.0)):
        spec.add_body(
            f"b{i}", None, mm.Prismatic((1, 0, 0)), mm.translation(x, 0, 0), inertia=mm.Inertia.sphere(0.1, mass=1)
        )
    other = mm.Sphere("b1", 0.1) if shape == "sphere" else mm.Capsule("b1", 0.1, (0, 0, -1), (0, 0, 1))
    spec.add_constraint(mm.Contact(mm.Sphere("b0", 0.1), other))
    run = mm.simulate(spec.compile(), qdot=[2.0, 0.0], integrator="semi-implicit", h=1e-3, duration=1.0)
    np.testing.assert_allclose(run.qdot[-1], [1, 1], atol=1e-9)
    assert (1.0 + run.q[:, 1] - run.q[:, 0]).min() > 0.2 - 1e-9


def test_a_rolling_ball_rolls():
    """Thrown flat onto a rough floor, a solid ball ends rolling at 5/7 of its speed."""
    model, q = ball_above_floor(height=0.1, friction=0.3)
    run = mm.simulate(model, q=q, qdot=[1.0, 0, 0, 0, 0, 0], integrator="semi-implicit", h=1e-4, duration=0.2)
    twist = mm.body_twists(model, run.q[-1], run.qdot[-1])[0]
    velocity = run.qdot[-1, 0]
    assert velocity == pytest.approx(5 / 7, abs=1e-3)
    spin = (run.poses[-1, 0, :3, :3] @ twist[:3])[1]
    assert spin * 0.1 == pytest.approx(velocity, abs=1e-9)


@pytest.mark.parametrize("name", ["internal-friction-revolute", "internal-friction-spherical", "external-friction"])
@pytest.mark.filterwarnings("ignore:.*friction had not settled")
def test_friction_never_does_positive_work(name):
    """Row by row: every bearing and tangent takes energy out, or stands still."""
    scene = mm.scenes.load(name)
    model = scene.model
    run = mm.simulate(scene)
    rows = [i for i, level in enumerate(model.constraints.levels) if level == 3]
    places = zip(run.q[:-1], run.qdot[1:], strict=True)  # rows are those of the old place
    speed = np.array([(mm.dynamics.constraint_jacobian(model, q) @ v)[rows] for q, v in places])
    power = run.multipliers[1:, rows] * speed
    assert power.min() < 0
    assert power.max() <= 1e-8 * np.abs(run.multipliers[:, rows]).max() * np.abs(speed).max()


@pytest.mark.parametrize("integrator", STEPPERS)
def test_a_bar_that_spins_about_a_pin(integrator):
    """The pin's force is m w^2 r, w stays; with friction the loop's bearing brakes as a joint's bearing does."""
    bar, speeds = mm.Inertia.cuboid((1, 0.1, 0.1), mass=1), []
    bearing = {"radius": 0.1, "height": 0.1}
    for mu in (1e-9, 0.5):
        spec = mm.Spec("loop", (0, 0, 0))
        spec.add_body("bar", None, mm.Free2D(), inertia=bar)
        ends = ("bar", (-0.5, 0, 0)), (None, (0, 0, 0))
        spec.add_constraint(mm.Loop(*ends, "pin", axis=(0, 0, 1), friction=mu, **bearing), "pin")
        start = {"q": [0.5, 0, 0], "qdot": [0, 5.0, 10.0]}
        run = mm.simulate(spec.compile(), **start, integrator=integrator, h=1e-3, duration=0.3)
        force = np.hypot(*run.multipliers[-1, :2])
        assert force == pytest.approx(0.5 * run.qdot[-1, 2] ** 2, rel=5e-3)
        speeds.append(run.qdot[-1, 2])
    assert speeds[0] == pytest.approx(10.0, abs=1e-4)
    spec = mm.Spec("joint", (0, 0, 0))
    spec.add_body("bar", None, mm.Revolute(), None, mm.translation(0.5, 0, 0), bar)
    spec.add_constraint(mm.JointFriction("bar", 0.5, **bearing))
    run = mm.simulate(spec.compile(), qdot=[10.0], integrator=integrator, h=1e-3, duration=0.3)
    assert speeds[1] == pytest.approx(run.qdot[-1, 0], rel=1e-2)


@pytest.mark.parametrize("integrator", [*STEPPERS, "maximal"])
def test_at_a_stop_with_nothing_that_presses(integrator):
    """What is left of its speed becomes nothing, and no NaN."""
    spec = mm.Spec("stop", (0, 0, 0))
    spec.add_body("a", None, mm.Revolute(), inertia=mm.Inertia.cuboid((1, 0.1, 0.1), mass=1))
    spec.add_constraint(mm.JointStop("a", -1.0, 1.0))
    run = mm.simulate(spec.compile(), qdot=[5.0], duration=1.0, integrator=integrator)
    assert run.ended == "completed"
    assert run.q[-1, 0] == pytest.approx(1.0, abs=1e-9)


def test_maximal_contact_with_gains_beside_an_open_gap():
    spec = mm.Spec("balls")
    for name in ("low", "high"):
        spec.add_body(name, None, mm.Free3D(), inertia=mm.Inertia.sphere(0.1, mass=1))
        spec.add_constraint(mm.Contact(mm.Sphere(name, 0.1)))
    start = [0, 0, 0.15, 0, 0, 0, 5, 0, 3.0, 0, 0, 0]
    options = {"integrator": "maximal", "h": 1e-2, "duration": 0.6, "baumgarte": (5, 5, 10)}
    assert mm.simulate(spec.compile(), q=start, **options).q[-1, 2] > 0.09


@pytest.mark.fast
@pytest.mark.parametrize("watched", [False, True])
def test_rows_that_cannot_all_hold_are_counted_by_steps(watched):
    """And not by programs, of which friction takes several in a step, nor by steps that an event only tries."""
    spec = mm.Spec("pulled both ways")
    spec.add_body("cart", None, mm.Composite(mm.Prismatic((1, 0, 0)), mm.Prismatic((0, 0, 1))), inertia=BALL)
    for velocity in (1.0, 2.0):
        spec.add_constraint(mm.DrivenJoint("cart", velocity=velocity))
    spec.add_constraint(mm.Contact(mm.Sphere("cart", 0.1), friction=0.5))
    events = mm.Event(lambda state: state.q[0] - 0.0201, lambda state: None) if watched else None
    options = {"q": [0.0, 0.1], "integrator": "semi-implicit", "h": 1e-3, "duration": 0.02, "baumgarte": (0, 0, 0)}
    with pytest.warns(RuntimeWarning, match="could not all hold in (20|21) steps") as said:
        run = mm.simulate(spec.compile(), **options, events=events)
    assert run.steps["friction rounds"] > run.steps["accepted"]
    assert f"in {run.steps['accepted']} steps" in str(said[0].message)
    assert len(run.events) == watched
