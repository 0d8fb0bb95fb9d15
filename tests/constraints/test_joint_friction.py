"""Dry friction in bearings that touch where the load presses: closed forms, whichever way the parts are turned."""

import numpy as np
import pytest
from scipy.optimize import brentq

import myomass as mm
from myomass.constraints.friction import in_disc, sweep_friction
from myomass.constraints.joint_friction import FIXED_HINGE, FIXED_LOOP, hinge_pressure, normals

MU, RADIUS, HEIGHT = 0.3, 0.02, 0.05
BEARING = {"radius": RADIUS, "height": HEIGHT}
WHEEL = mm.Inertia.cylinder(0.2, 0.05, mass=2.0)
LOAD = 2.0 * 9.81
ANGLES = np.array([0.0, 0.3, np.pi / 4, 1.2, 2.0])


def slowed(spec, q, qdot, integrator="semi-implicit"):
    """Angular accelerations of the first body over 50 steps of 2 ms, about the world's axes. (50, 3)"""
    model = spec.compile()
    run = mm.simulate(model, q=q, qdot=qdot, integrator=integrator, h=2e-3, duration=0.1)
    states = zip(run.poses[:, 0, :3, :3], run.q, run.qdot, strict=True)
    return np.diff([R @ mm.body_twists(model, q, qdot)[0, :3] for R, q, qdot in states], axis=0) / 2e-3


def wheel(offset=0.0, turned=0.0, gravity=(0, -9.81, 0), **bearing):
    """A wheel whose centre is `offset` along its axis z from the bearing."""
    spec, E = mm.Spec("wheel", gravity), mm.rotation((0, 0, 1), turned)
    spec.add_body("wheel", None, mm.Revolute(), E, mm.translation(0, 0, offset) @ E, WHEEL)
    spec.add_constraint(mm.JointFriction("wheel", MU, **BEARING, **bearing))
    return spec


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("integrator", ["semi-implicit", "euler"])
def test_a_wheel_slows_down_alike_at_every_angle(angle, integrator):
    """By mu r m g/I: as it starts, as it turns, and as its parts are mounted."""
    for spec, q in ((wheel(), angle), (wheel(turned=angle), 0.0)):
        braked = slowed(spec, [q], [20.0], integrator)[:, 2]
        np.testing.assert_allclose(braked, -MU * RADIUS * LOAD / WHEEL.moments[2], rtol=1e-9)


def test_with_fixed_points_it_does_not():
    """As in the RedMax table: by |cos| + |sin| of its angle, up to 41 % more."""
    for angle in ANGLES:
        braked = slowed(wheel(points="fixed"), [angle], [20.0])[0, 2]
        expected = MU * RADIUS * LOAD / WHEEL.moments[2] * (abs(np.cos(angle)) + abs(np.sin(angle)))
        assert braked == pytest.approx(-expected, rel=1e-9)


@pytest.mark.parametrize("slope", [0.0, 0.4, np.pi / 2])
def test_an_overhung_wheel_on_a_slope(slope):
    """Its bearing carries side load, thrust and tilting at once."""
    gravity = 9.81 * np.array((0, -np.cos(slope), -np.sin(slope)))
    braked = slowed(wheel(0.07, 0.9, gravity), [0.5], [20.0])[:, 2]
    f = -2.0 * gravity
    side, tilt, thrust = abs(f[1]), 0.07 * abs(f[1]), abs(f[2])
    square = HEIGHT**2 / 4 + RADIUS**2
    ends = [abs(side / 2 + s * tilt * HEIGHT / (4 * square)) for s in (1, -1)]
    pressing = sum(ends) + thrust / 2 + max(thrust / 2, tilt * RADIUS / square)
    np.testing.assert_allclose(braked, -MU * RADIUS * pressing / WHEEL.moments[2], rtol=1e-9)


@pytest.mark.parametrize("angle", ANGLES)
def test_the_pin_of_a_loop_too(angle):
    spec = mm.Spec("pinned", (0, -9.81, 0))
    spec.add_body("wheel", None, mm.Free2D(), inertia=WHEEL)
    ends = ("wheel", (0, 0, 0)), (None, (0, 0, 0))
    spec.add_constraint(mm.Loop(*ends, "pin", axis=(0, 0, 1), friction=MU, **BEARING))
    braked = slowed(spec, [0, 0, angle], [0, 0, 20.0])[:, 2]
    np.testing.assert_allclose(braked, -MU * RADIUS * LOAD / WHEEL.moments[2], rtol=1e-9)


@pytest.mark.fast
@pytest.mark.parametrize("seed", range(5))
class TestPressureInAHinge:
    def test_it_is_that_of_fixed_points_where_these_lie_along_the_load(self, seed):
        """Side load along x and tilting about y, or across it, with thrust."""
        fx, fz, ny = np.random.default_rng(seed).normal(size=3) * (1, 1, 0.03)
        N, levers = normals(FIXED_HINGE, (RADIUS, HEIGHT))
        for F in ((0, ny, 0.1, fx, 0, fz), (-ny, 0, 0.1, 0, fx, fz)):
            expected = levers @ np.abs(np.linalg.pinv(N.T) @ F)
            assert hinge_pressure(RADIUS, HEIGHT, np.array(F)) == pytest.approx(expected[0], rel=1e-12)

    def test_it_does_not_depend_on_the_axes_and_grows_with_the_load(self, seed):
        rng = np.random.default_rng(seed)
        F = rng.normal(size=6) * (0.03, 0.03, 0.03, 1, 1, 1)
        whole = hinge_pressure(RADIUS, HEIGHT, F)
        for angle in rng.uniform(0, 6, 5):
            R = mm.rotation((0, 0, 1), angle)[:3, :3]
            turned = np.concatenate([R @ F[:3], R @ F[3:]])
            assert hinge_pressure(RADIUS, HEIGHT, turned) == pytest.approx(whole, rel=1e-12)
        assert hinge_pressure(RADIUS, HEIGHT, -3 * F) == pytest.approx(3 * whole, rel=1e-12)
        assert hinge_pressure(RADIUS, HEIGHT, np.array((0, 0, 1, *F[3:5], 0))) == pytest.approx(
            RADIUS * np.hypot(*F[3:5]), rel=1e-12
        )


@pytest.mark.parametrize("seed", range(3))
class TestABallJoint:
    """A ball that hangs by its centre under a constant force of any direction, turned any way."""

    def braked(self, seed, along, across):
        """(I alpha/(mu r |f|) in the first step, the load's direction, one square to it), along the world's axes."""
        rng = np.random.default_rng(seed)
        u, x = mm.se3.exp([*rng.normal(size=3), 0, 0, 0])[:3, :2].T
        spec, ball = mm.Spec("ball", (0, 0, 0)), mm.Inertia.sphere(0.1, mass=2.0)
        places = [mm.rotation(rng.normal(size=3), 1.0) for _ in range(2)]
        spec.add_body("ball", None, mm.SphericalExp(), *places, ball)
        spec.add_force(mm.PointForce("ball", tuple(30.0 * u)))
        spec.add_constraint(mm.JointFriction("ball", MU, radius=RADIUS))
        model = spec.compile()
        R = places[0][:3, :3]  # qdot at q = 0 is the angular velocity along these axes
        qdot = R.T @ (along * u + across * x)
        run = mm.simulate(model, qdot=qdot, integrator="semi-implicit", h=1e-3, duration=1e-3)
        return R @ (run.qdot[1] - qdot) / 1e-3 * ball.moments[0] / (MU * RADIUS * 30.0), u, x

    def test_turning_across_the_load_is_braked_by_mu_r_f(self, seed):
        braked, _, x = self.braked(seed, 0.0, 50.0)
        np.testing.assert_allclose(braked, -x, rtol=0, atol=1e-9)

    def test_spinning_about_the_load_is_not(self, seed):
        assert np.abs(self.braked(seed, 50.0, 0.0)[0]).max() < 1e-9

    def test_of_both_only_the_turning_is(self, seed):
        braked, _, x = self.braked(seed, 30.0, 50.0)
        np.testing.assert_allclose(braked, -x, rtol=0, atol=1e-9)


@pytest.mark.parametrize("joint", [mm.Revolute, mm.SphericalExp])
def test_what_friction_takes_is_what_a_double_pendulum_loses(joint):
    """But for an error of first order in the step; every bearing takes energy or stands still."""
    spec, bar = mm.Spec("pendulum"), mm.Inertia.cuboid((0.1, 0.2, 1.0), mass=1)
    for i, parent in enumerate((None, "b0")):
        hinge = joint((1, 1, 0)) if joint is mm.Revolute else joint()
        spec.add_body(f"b{i}", parent, hinge, mm.translation(0, 0, -i), mm.translation(0, 0, -0.5), bar)
        spec.add_constraint(mm.JointFriction(f"b{i}", 1.0, RADIUS, HEIGHT))
    model, gaps = spec.compile(), []
    start = np.random.default_rng(2).normal(size=model.ndof)
    for h in (2e-3, 1e-3):
        run = mm.simulate(model, q=start, integrator="semi-implicit", h=h, duration=0.5)
        assert run.steps["friction unconverged"] == 0
        rates = [mm.dynamics.constraint_jacobian(model, q) @ v for q, v in zip(run.q[:-1], run.qdot[1:], strict=True)]
        power = (run.multipliers[1:] * rates).reshape(len(rates), 2, -1).sum(axis=2)
        assert power.max() <= 1e-9 * np.abs(power).max()
        lost = np.ptp((run.kinetic + run.potential)[[0, -1]])
        gaps.append(abs(lost + h * power.sum()))
    assert lost > 0.1
    assert gaps[1] < 0.6 * gaps[0]


@pytest.mark.parametrize("joint", [mm.Revolute((1, 2, 0)), mm.SphericalExp()], ids=repr)
def test_friction_is_the_same_from_the_other_side(joint):
    """Hung from what the joint carried: the same change of twists, but for an error of first order in 0.01 ms."""
    rng, spec = np.random.default_rng(5), mm.Spec("two")
    for name, parent, own in (("trunk", None, mm.Free3D()), ("arm", "trunk", joint)):
        frames = [mm.se3.exp(rng.normal(size=6) * (1, 1, 1, 0.3, 0.3, 0.3)) for _ in range(2)]
        spec.add_body(name, parent, own, *frames, mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1))
    spec.add_constraint(mm.JointFriction("arm", 1.0, RADIUS, HEIGHT))
    model = spec.compile()
    state, changes = model.state(rng.normal(size=model.ndof), 3 * rng.normal(size=model.ndof)), []
    for here, start in ((model, state), mm.reroot(model, state, "arm", place=(0, 0, 0), joint=mm.Free3D())):
        run = mm.simulate(here, state=start, integrator="semi-implicit", h=1e-5, duration=1e-4)
        twists = [mm.body_twists(here, run.q[k], run.qdot[k]) for k in (0, -1)]
        changes.append((twists[1] - twists[0])[[here.body("trunk"), here.body("arm")]])
    np.testing.assert_allclose(changes[1], changes[0], rtol=0, atol=2e-4 * np.abs(changes[0]).max())


@pytest.mark.fast
def test_files_saved_before_keep_their_fixed_points():
    """Their numbers, 0 of a hinge and 3 of a loop's, mean what they meant."""
    assert (FIXED_HINGE, FIXED_LOOP) == (0, 3)
    assert wheel(points="fixed").compile().constraints.params[0] == 0


@pytest.mark.fast
def test_points_that_there_are_none_of():
    with pytest.raises(ValueError, match=r'a bearing touches at points "load" or "fixed", not \'turning\''):
        wheel(points="turning").compile()


# --- the programs -----------------------------------------------------------------------------------------------------


@pytest.mark.fast
@pytest.mark.parametrize("seed", range(40))
def test_the_least_in_a_disc(seed):
    """Against a root of the secular equation by SciPy; flat and slender H too."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(2, 2)) * (1, 10.0 ** -rng.integers(0, 5))
    H, w, radius = a.T @ a, rng.normal(size=2), 10.0 ** rng.uniform(-3, 2)

    def size(nu):
        return np.linalg.norm(np.linalg.solve(H + nu * np.eye(2), w))

    nu = 0.0 if size(0.0) <= radius else brentq(lambda x: size(x) - radius, 0, np.linalg.norm(w) / radius, xtol=1e-300)
    expected = np.linalg.solve(H + nu * np.eye(2), w)
    found = in_disc((H[0, 0], H[0, 1], H[1, 1]), tuple(w), radius)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.linalg.norm(expected))


@pytest.mark.fast
def test_a_plane_of_three_rows():
    """No change within the plane and the disc makes less of it; nothing sticks out of the plane."""
    rng = np.random.default_rng(1)
    G, wanted = rng.normal(size=(4, 9)) * np.array([[30], [1], [2], [1]]), rng.normal(size=4)
    A, planes = G @ G.T, np.zeros((4, 3))
    u, *planes[:2] = mm.se3.exp([*rng.normal(size=3), 0, 0, 0])[:3, :3].T
    b, bounds = np.zeros(4), np.array([5e-3, 0.0, 0.0, 0.1])
    assert sweep_friction(A, wanted, bounds, np.array([3, 0, 0, 1]), planes, b) < 100
    assert b[:3] @ u == pytest.approx(0, abs=1e-15)

    def cost(b):
        return 0.5 * b @ A @ b - wanted @ b

    for change in rng.normal(size=(200, 4)) * 1e-4:
        other = b + change
        other[:3] -= u * (u @ other[:3])
        other[:3] *= min(1.0, 5e-3 / np.linalg.norm(other[:3]))
        other[3] = np.clip(other[3], -0.1, 0.1)
        assert cost(other) >= cost(b) - 1e-15
