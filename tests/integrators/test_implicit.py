"""Implicit integrators: stiff forces, scales, charts, failures, and steps of changing length."""

import numpy as np
import pytest

import myomass as mm

IMPLICIT = ("euler", "bdf1", "bdf2", "sdirk2")


def sprung_chain(stiffness, damping=0.0, scale=1.0, mass=1.0):
    """Three links on sprung hinges; lengths and masses can be scaled."""
    spec = mm.Spec(gravity=(0, 0, -9.81 * scale))
    for i in range(3):
        place = mm.translation(scale if i else 0, 0, 0)
        inertia = mm.Inertia.cuboid(scale * np.array((1, 0.1, 0.1)), mass=mass)
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, mm.Revolute((0, 1, 0)), place,
                      mm.translation(scale / 2, 0, 0), inertia)  # fmt: skip
        spec.add_force(mm.JointSpring(f"b{i}", stiffness=stiffness, damping=damping))
    return spec.compile()


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_stiffness_that_makes_explicit_steps_explode(integrator):
    """A million times the scene's: the explicit step is a thousand times too long, the implicit ones stay calm."""
    scene = mm.scenes.load("joint-stiffness-and-damping")
    for force in scene.spec.forces.values():
        force.stiffness *= 1e6
        force.damping *= 1e3
    with pytest.warns(RuntimeWarning, match="not finite"):
        mm.simulate(scene, integrator="rk4")
    trajectory = mm.simulate(scene, integrator=integrator)
    assert trajectory.ended == "completed"
    total = trajectory.kinetic + trajectory.potential
    assert total.max() <= total[0] * (1 + 1e-9)
    assert np.abs(trajectory.q[-1]).max() < 1e-3


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2"])
def test_a_very_stiff_point_spring_holds(integrator):
    scene = mm.scenes.load("spring-closed-loop")
    for force in scene.spec.forces.values():
        force.stiffness *= 1e6
    trajectory = mm.simulate(scene, integrator=integrator)
    assert trajectory.ended == "completed"
    ends = [trajectory.poses[:, i] @ np.array(x) for i, x in ((2, (0, 0, -0.05, 1)), (3, (0.1, 0, 0, 1)))]
    assert np.abs(ends[0] - ends[1]).max() < 1e-7


@pytest.mark.parametrize("integrator", IMPLICIT)
@pytest.mark.parametrize(("scale", "mass"), [(1e-6, 1e-12), (1e6, 1e9), (1.0, 1e-9)])
def test_scales_do_not_matter(integrator, scale, mass):
    """The same motion in other units: the tolerance of Newton's method is relative."""
    plain, other = sprung_chain(50.0, 1.0), sprung_chain(50.0 * mass * scale**2, mass * scale**2, scale, mass)
    q = np.array([0.3, -0.2, 0.5])
    options = {"q": q, "integrator": integrator, "h": 0.01, "duration": 0.5}
    np.testing.assert_allclose(mm.simulate(other, **options).q, mm.simulate(plain, **options).q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2"])
def test_a_body_at_rest_stays(integrator):
    """A static balance of large forces converges at once."""
    model = sprung_chain(1e4)
    settled = mm.simulate(sprung_chain(1e4, 1e3), integrator="bdf1", h=0.1, duration=50).state
    trajectory = mm.simulate(model, q=settled.q, integrator=integrator, h=0.01, duration=0.1)
    np.testing.assert_allclose(trajectory.q, np.tile(settled.q, (11, 1)), rtol=0, atol=1e-9)


def test_steps_may_change_their_length():
    """BDF2 through unevenly spaced times keeps its second order."""
    model = sprung_chain(50.0)
    q, ends = np.array([0.3, -0.2, 0.5]), np.array([0.03, 0.1, 0.11, 0.25, 0.4])
    exact = mm.simulate(model, q=q, rtol=1e-12, atol=1e-12, times=ends).q
    errors = [np.abs(mm.simulate(model, q=q, integrator="bdf2", h=h, times=ends).q - exact).max() for h in (2e-3, 1e-3)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.3)


@pytest.mark.parametrize("joint", [mm.SphericalExp(), mm.SphericalEuler("XYZ"), mm.SphericalEuler("ZXZ")])
@pytest.mark.parametrize("integrator", ["bdf2", "sdirk2", "bdf1", "euler", "symplectic"])
def test_charts_change_between_steps_with_the_history(joint, integrator):
    """A spinning top in every chart moves as it does by a tight explicit run, history included."""
    spec = mm.Spec("top", gravity=(0, 0, -9.81))
    spec.add_body("top", None, joint, None, mm.translation(0.1, 0.05, 0.3), mm.Inertia.cuboid((0.3, 0.2, 0.4), mass=2))
    model = spec.compile()
    q = np.array([0.3, 0.4, 0.2])
    start = model.state(q, np.linalg.solve(mm.jacobian(model, q)[:3], (6, 3, 11)))
    exact = mm.simulate(model, state=start, rtol=1e-11, atol=1e-11, duration=1.0)
    trajectory = mm.simulate(model, state=start, integrator=integrator, h=1e-4, duration=1.0)
    jumps = np.abs(np.diff(trajectory.q, axis=0)).max(axis=1)
    assert (jumps > 1).any() or len(np.unique(trajectory.charts)) > 1, "the run must change charts to test anything"
    error = np.abs(trajectory.poses[-1] - exact.poses[-1]).max()
    assert error < (1e-3 if integrator in ("bdf2", "sdirk2") else 0.3)
    twists = np.abs(np.diff(trajectory.twists, n=2, axis=0)).max()
    assert twists < 5e-4, "nothing may jump where the chart changes"


def test_a_step_without_solution_is_reported_and_keeps_what_was_computed():
    """Links that spin a billion times too fast for the step."""
    scene = mm.scenes.load("simple-serial-chain")
    with pytest.warns(RuntimeWarning, match=r"step from .* s has no solution, .* residual stays at .* smaller"):
        trajectory = mm.simulate(scene, qdot=np.array([1e9, -1e9, 1e9]), integrator="bdf1", h=0.5, duration=100.0)
    assert "no solution" in trajectory.ended
    assert 1 <= len(trajectory.t) < 201
    assert np.isfinite(trajectory.q).all()


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2"])
def test_very_short_steps_lose_no_digits(integrator):
    model = sprung_chain(1.0)
    options = {"q": np.array([0.3, -0.2, 0.5]), "duration": 1e-6}
    exact = mm.simulate(model, rtol=1e-12, atol=1e-18, **options).qdot[-1]
    run = mm.simulate(model, integrator=integrator, h=1e-9, **options)
    np.testing.assert_allclose(run.qdot[-1], exact, rtol=1e-8)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2"])
@pytest.mark.parametrize(("stiffness", "damping"), [(1e2, 10), (1e3, 100), (1e4, 1e3)])
def test_hard_limits_with_dampers_are_met(integrator, stiffness, damping):
    """A pendulum that falls against its limit, from many starts."""
    spec = mm.Spec()
    spec.add_body("a", None, mm.Revolute((0, 1, 0)), None, mm.translation(1, 0, 0), mm.Inertia.sphere(0.1, mass=1))
    spec.add_force(mm.JointLimit("a", -1, 0.3, stiffness, damping))
    model = spec.compile()
    for q in (0.1, 0.25, 0.299):
        for qdot in (0.0, 5.0):
            for h in (1e-2, 1e-3):
                run = mm.simulate(model, q=[q], qdot=[qdot], integrator=integrator, h=h, duration=1.0)
                assert run.ended == "completed"


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2"])
@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
def test_a_box_rests_on_hard_ground(integrator, stiffness):
    spec = mm.Spec()
    box = mm.Inertia.cuboid((1, 1, 1), mass=10)
    spec.add_body("box", None, mm.Free3D(), mm.translation(0, 0, 0.5), inertia=box)
    options = {"damping": 1e-3 * stiffness, "friction": 0.5, "sticking": 100}
    spec.add_force(mm.Ground("box", stiffness=stiffness, size=(1, 1, 1), **options))
    run = mm.simulate(spec.compile(), integrator=integrator, h=1e-3, duration=0.3)
    assert run.ended == "completed"
    assert abs(run.q[-1, 2] + 10 * 9.81 / (4 * stiffness)) < 1e-4


def test_torques_that_jump_in_time_are_not_stepped_over():
    """A pulse of 10 ms in a quiet second: the adaptive run stops where it begins and ends."""
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("a", joint=mm.Prismatic(), inertia=mm.Inertia.sphere(0.1, mass=1))
    spec.add_force(mm.JointTorque("a", [0, 100.0, 0], times=[0, 0.5, 0.51]))
    for integrator in ("recursive", "redmax"):
        assert mm.simulate(spec.compile(), integrator=integrator).qdot[-1, 0] == pytest.approx(1.0, abs=1e-12)


def test_reports_count_iterations():
    trajectory = mm.simulate(mm.scenes.load("implicit-branching"))
    assert trajectory.steps["accepted"] == 100
    assert trajectory.steps["iterations"] >= 100
    assert trajectory.steps["factorisations"] >= 101


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_no_degrees_of_freedom(integrator):
    spec = mm.Spec()
    spec.add_body("rock", joint=mm.Fixed(), inertia=mm.Inertia.sphere(0.1, mass=1))
    assert mm.simulate(spec.compile(), integrator=integrator, h=0.1).t.shape == (11,)
