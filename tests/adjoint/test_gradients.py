"""Gradients of runs against central differences: every integrator listed, joint, force, muscle and constraint."""

import numpy as np
import pytest
from differences import BINDING, Everything, arm, check, linkage
from mechanisms import muscled_tree
from trees import add_contacts, add_every_force, joint_catalogue, random_spec, random_state, spec_around

import myomass as mm
from myomass.adjoint.problem import Problem
from myomass.adjoint.sweep import REVERSE
from myomass.integrators import INTEGRATORS

H, STEPS = 0.01, 7
JOINTS = list(joint_catalogue(np.random.default_rng(0)))
INPUTS = ("q", "qdot", "tau")


def problem(model, wrt=INPUTS, *, integrator="bdf1", h=H, steps=STEPS, seed=1, **given):
    q, qdot, _ = random_state(model, seed)
    tau = 0.3 * np.random.default_rng(seed).normal(size=(steps, model.ndof))
    given = {"q": q, "qdot": qdot, "tau": tau} | given
    return Problem(model, wrt, integrator=integrator, h=h, duration=steps * h, **given)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("integrator", REVERSE)
def test_random_trees(integrator, seed):
    spec = random_spec(seed, 5, ["revolute", "universal", "spherical-exp", "prismatic", "planar", "composite"])
    h = 0.002 if integrator in ("symplectic", "semi-implicit", "rk4") else H
    check(problem(spec.compile(), integrator=integrator, h=h), Everything())


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint(name):
    model = spec_around(name).compile()
    for integrator in ("bdf2", "rk4"):
        check(problem(model, integrator=integrator, h=0.002), Everything())


@pytest.mark.parametrize("integrator", REVERSE)
def test_every_force(integrator):
    spec = random_spec(4, 4, ["revolute", "universal", "spherical-exp", "planar"])
    add_every_force(spec, 4)
    check(problem(spec.compile(), integrator=integrator, h=0.001), Everything())


@pytest.mark.parametrize("integrator", ["bdf1", "rk4", "symplectic"])
def test_compliant_contacts(integrator):
    spec = random_spec(5, 3, ["revolute", "universal"])
    add_contacts(spec, 5)
    check(problem(spec.compile(), integrator=integrator, h=0.001), Everything())


@pytest.mark.parametrize("kind", ["straight", "points", "moving", "Cylinder", "Sphere", "Double"])
@pytest.mark.parametrize("integrator", REVERSE)
def test_muscles_with_mass(kind, integrator):
    model, (q, qdot, _) = muscled_tree(2, kind, 3)
    check(problem(model, integrator=integrator, h=0.001, steps=3, q=q, qdot=0.1 * qdot), Everything())


def test_at_touch_down_of_a_blend():
    model, (q, qdot, _) = muscled_tree(2, "Cylinder", 3, blend=True)
    check(problem(model, integrator="sdirk2", h=0.001, steps=3, q=q, qdot=0.1 * qdot), Everything())


OVER = {
    "mass": 0.3,
    "points": [(None, (0.1, 0, -0.3)), ("lower", (0.05, 0, 0.1))],
    "wrap": [
        mm.wrap.Cylinder("upper", mm.translation(0, 0, -0.2) @ mm.rotation((1, 0, 0), np.pi / 2), 0.04, (1, 0, 0))
    ],
}


@pytest.mark.parametrize("integrator", REVERSE)
def test_close_to_the_touch_down_of_a_blend(integrator):
    """Energies of mass on it bend sharply there."""
    model = arm(m=OVER | {"smoothing": "blend"}).compile()
    given = {"q": np.array([-0.2, 0.4]), "qdot": np.array([0.3, -1.0]), "h": 0.002, "steps": 60}
    made = problem(model, [*INPUTS, "m.mass"], integrator=integrator, **given)
    check(made, Everything())


@pytest.mark.parametrize("integrator", ["bdf1", "euler", "semi-implicit"])
def test_through_the_touch_down_of_a_box(integrator):
    """Corners come to the ground one after another, from half a millimetre above it, and slide."""
    spec = mm.Spec("box")
    spec.add_body("box", None, mm.Free2D(), inertia=mm.Inertia.cuboid((0.2, 0.2, 0.2), mass=1.0))
    plane = mm.rotation((1, 0, 0), -np.pi / 2)  # y is up
    spec.add_force(
        mm.Ground("box", size=(0.2, 0.2, 0.2), plane=plane, stiffness=500.0, damping=5.0, friction=0.3, sticking=5.0),
        "g",
    )
    given = {"q": np.array([0.0, 0.1005, 0.004]), "qdot": np.array([0.2, -0.1, -0.05]), "h": 1e-3, "steps": 20}
    made = problem(spec.compile(), [*INPUTS, "g.stiffness"], integrator=integrator, tau=np.zeros(3), **given)
    assert np.ptp(made.rollout().qdot[:, 1]) > 0.01
    check(made, Everything())


NUMBERS = ["gravity", "upper.mass", "lower.moments", "upper.E_pj", "lower.E_jb", "lower.joint.axis"]
NUMBERS += ["spring.stiffness", "spring.damping", "spring.points", "spring.rest_length"]


@pytest.mark.parametrize("integrator", REVERSE)
def test_numbers_of_the_model(integrator):
    given = {"q": np.array([0.3, -0.6]), "qdot": np.array([1.0, 2.0])}
    check(problem(arm().compile(), NUMBERS, integrator=integrator, **given), Everything())


@pytest.mark.parametrize("integrator", REVERSE)
def test_numbers_of_a_muscle(integrator):
    model = arm(m=OVER | {"tension": 3.0}).compile()
    given = {"q": np.array([-0.5, 0.5]), "qdot": np.array([0.1, 0.2])}
    names = ["m.mass", "m.points", "m.tension", "m.wrap[0].radius", "m.wrap[0].E_bs"]
    check(problem(model, names, integrator=integrator, h=0.002, **given), Everything())


@pytest.mark.parametrize("integrator", REVERSE)
def test_tensions_by_a_law(integrator):
    """They answer to lengths and rates: steps of first order see them at the end of the step."""
    tie = {"points": [(None, (0.1, 0, -0.3)), ("lower", (0.05, 0, 0.1))], "mass": 0.1}
    spring, ligament = mm.muscles.PathSpring(300.0, 0.02, 0.5), mm.muscles.BlankevoortLigament(0.06, 200.0, 9.0)
    cord = {"points": [(None, (0, 0, 0)), ("lower", (0.1, 0, 0))], "tension": ligament}
    model = arm(tie=tie | {"tension": spring}, cord=cord).compile()
    given = {"q": np.array([-0.5, 0.5]), "qdot": np.array([0.5, 1.0]), "h": 0.002}
    check(problem(model, [*INPUTS, "tie.points", "tie.mass"], integrator=integrator, **given), Everything())


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
@pytest.mark.parametrize("integrator", REVERSE)
def test_states_of_muscles(integrator, tendon):
    hill = mm.Hill(200.0, 0.12, 0.13, tendon=tendon, pennation=0.2)
    straight = {"points": [(None, (-0.1, 0, -0.3)), ("lower", (-0.05, 0, 0.1))], "actuator": mm.Hill(150.0, 0.15, 0.14)}
    model = arm(m=OVER | {"actuator": hill}, x=straight).compile()
    given = {"q": np.array([-0.5, 0.5]), "qdot": np.array([0.5, 1.0]), "h": 0.001, "integrator": integrator}
    names = [
        *INPUTS,
        "excitation",
        "m.actuator.optimal_force",
        "x.actuator.tendon_slack_length",
        "lower.mass",
        "m.mass",
    ]
    excitation = np.random.default_rng(0).uniform(0.2, 0.8, (4, 2))
    check(problem(model, names, excitation=excitation, **given), Everything(), 2e-8)
    for excitation in (
        0.4,
        np.array([0.3, 0.6]),
        (np.array([0.0, 0.002, 0.02]), np.array([[0.2, 0.3], [0.9, 0.5], [0.4, 0.7]])),
    ):
        check(problem(model, ["excitation"], excitation=excitation, **given), Everything(), 2e-8)


@pytest.mark.filterwarnings("ignore:.*depend")
@pytest.mark.parametrize("integrator", BINDING)
def test_a_closed_loop(integrator):
    model = linkage().compile()
    start = mm.dynamics.assemble(model, np.array([0.1, 1.2, 1.8]), np.array([1.0, -2.0, 0.5]))
    off = start.q + 1e-4 * np.array([1, 2, -1])  # the start is put onto the rows first
    names = [*INPUTS, "a.mass", "gravity", "b.inertia.mass"]
    check(problem(model, names, integrator=integrator, q=off, qdot=start.qdot), Everything())


@pytest.mark.filterwarnings("ignore:.*depend")
@pytest.mark.parametrize("integrator", BINDING)
def test_a_closed_loop_with_muscles(integrator):
    """Mass, states, a stiff spring and a loop in one model; full excitation, where it is clipped."""
    spec = linkage()
    hill = mm.Hill(200.0, 0.25, 0.3, pennation=0.2)
    spec.add_muscle("m", 0.3, [(None, (0.1, 0, -0.1)), ("b", (0.05, 0, 0.1))], actuator=hill)
    spec.add_muscle("x", 0.0, [("a", (-0.05, 0.02, 0)), ("c", (0.05, 0, 0.1))], actuator=mm.Hill(150.0, 0.25, 0.25))
    spec.add_force(mm.SpringDamper([(None, (0.3, 0, 0)), ("c", (0, 0, 0))], 50.0, 0.2, 2.0), "spring")
    model = spec.compile()
    start = mm.dynamics.assemble(model, np.array([0.1, 1.2, 1.8]), np.array([1.0, -2.0, 0.5]))
    given = {"integrator": integrator, "h": 0.002, "steps": 20, "q": start.q, "qdot": start.qdot}
    names = [*INPUTS, "excitation", "a.mass", "m.actuator.optimal_force", "spring.stiffness"]
    check(problem(model, names, excitation=np.array([[0.2, 0.5], [0.7, 0.4]]), **given), Everything(), 2e-8)
    check(problem(model, excitation=1.0, **given), Everything(), 2e-8)


@pytest.mark.parametrize("forces", [False, True], ids=["bare", "forces"])
@pytest.mark.parametrize("integrator", BINDING)
def test_driven_and_coupled(integrator, forces):
    spec = random_spec(3, 4, ["revolute", "universal", "spherical-exp"])
    names = [name for name, body in spec.bodies.items() if body.joint.ndof == 1] or ["b0"]
    spec.add_body("x", "b3", mm.Revolute((1, 0, 0)), None, mm.translation(0, 0, 0.3), mm.Inertia.sphere(0.1, mass=1.0))
    spec.add_body("y", "x", mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, 0.3), mm.Inertia.sphere(0.1, mass=1.0))
    spec.add_constraint(mm.DrivenJoint("x", mm.Motion.sine(0.3, 5.0, 0.1)))
    spec.add_constraint(mm.Coupling("y", names[0] if names[0] != "b0" else "x", (0.1, 0.5)), "coupling")
    if forces:
        add_every_force(spec, 4)
    model = spec.compile()
    start = mm.dynamics.assemble(model, *random_state(model, 1)[:2])
    wrt = [*INPUTS, "x.mass", "coupling.coefficients"]
    h = 0.001 if forces else 0.002
    check(problem(model, wrt, integrator=integrator, h=h, q=start.q, qdot=start.qdot), Everything(), 3e-8)


@pytest.mark.parametrize("integrator", [name for name in BINDING if not INTEGRATORS[name].rates])
def test_rows_of_every_level(integrator):
    """Prescribed velocities and accelerations, and a joint that leaves its chart under them."""
    spec = arm()
    times = [0.0, 0.1, 0.2, 0.3]
    slow, fast = (mm.Motion.through(times, [0.3, peak, 0.5, 0.7]) for peak in (1.0, 5.0))
    box, there = mm.Inertia.cuboid((1, 2, 4), mass=3.0), mm.translation(0, 0, -0.2)
    spec.add_body("ball", "lower", mm.SphericalExp(), there, mm.translation(0.1, 0, 0.2), box)
    spec.add_constraint(mm.DrivenJoint("upper", velocity=slow))
    spec.add_constraint(mm.DrivenJoint("lower", acceleration=fast))
    spec.add_constraint(mm.DrivenPoint(("ball", (0.1, 0.2, 0.3)), [((0, 0.2, 1), slow)], level="velocity"))
    model = spec.compile()
    start = mm.dynamics.assemble(model, np.array([0.3, -0.6, 2.6, 2.7, 2.6]), np.array([1.0, 2.0, 3.0, 4.0, 3.0]))
    given = {"integrator": integrator, "steps": 20, "q": start.q, "qdot": start.qdot}
    made = problem(model, [*INPUTS, "gravity", "ball.mass", "ball.moments"], **given)
    assert made.rollout().moves
    check(made, Everything())


class TestCharts:
    @pytest.mark.parametrize("joint", [mm.SphericalExp(), mm.SphericalEuler("ZYX")], ids=["exp", "euler"])
    @pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2", "rk4", "semi-implicit"])
    def test_through_their_switches(self, joint, integrator):
        spec = arm()
        spec.add_body("ball", None, joint, None, mm.translation(0.1, 0, 0.2), mm.Inertia.cuboid((1, 2, 4), mass=3.0))
        vectors = isinstance(joint, mm.SphericalExp)
        q, qdot = ([2.6, 2.7, 2.6], [3, 4, 3]) if vectors else ([0.2, 0.9, 0.1], [1, 9, 1])
        given = {"q": np.array([0.3, -0.6, *q]), "qdot": np.array([1.0, 2.0, *qdot])}
        made = problem(spec.compile(), [*INPUTS, "ball.mass"], integrator=integrator, steps=20, **given)
        assert made.rollout().moves  # it does go through some
        check(made, Everything())

    def test_a_start_at_the_edge_of_a_chart(self):
        spec = mm.Spec("ball")
        spec.add_body(
            "ball", None, mm.SphericalEuler(), None, mm.translation(0.1, 0, 0.2), mm.Inertia.sphere(1, mass=3.0)
        )
        given = {"q": np.array([0.3, 1.52, 0.2]), "qdot": np.array([1.0, 0.3, -0.5])}
        made = problem(spec.compile(), **given)
        assert not np.array_equal(made.start.state.q, made.start.given.q)
        check(made, mm.tasks.Reach("ball", (0.1, 0.2, 0.3), (0.2, 0.1, 0.0)))

    @pytest.mark.parametrize("integrator", ["bdf2", "rk4", "symplectic"])
    def test_a_start_at_zero_where_the_chart_is_singular(self, integrator):
        """The better chart has zero angles there too."""
        spec = arm()
        place, box = mm.translation(0.1, 0, 0.2), mm.Inertia.cuboid((1, 2, 4), mass=3.0)
        spec.add_body("ball", "lower", mm.SphericalEuler("ZXZ"), None, place, box)
        model = spec.compile()
        start = {"q": np.zeros(5), "qdot": np.array([1.0, -2.0, 0.5, 0.7, -0.3])}
        made = problem(model, integrator=integrator, h=0.001, steps=20, **start)
        assert not made.start.state.q.any() and made.start.state.charts != made.start.given.charts
        times = [0.005, 0.01, 0.02]
        points = [mm.tasks.Reach("ball", x, (0.1, 0.2, 0.1), at=times) for x in ((0.1, 0.2, 0.3), (-0.2, 0.1, 0.1))]
        check(made, points[0] + points[1])


def test_at_zero():
    """q = 0: rotation vectors vanish, and nothing moves but by its torques."""
    spec = random_spec(7, 5, ["spherical-exp", "universal", "free-3d", "spherical-euler-proper"])
    model = random_spec(7, 5, ["spherical-exp", "revolute", "free-3d"]).compile()
    for integrator in ("bdf1", "symplectic", "rk4"):
        check(problem(model, integrator=integrator, q=np.zeros(model.ndof), qdot=np.zeros(model.ndof)), Everything())
    assert spec.bodies


@pytest.mark.fast
def test_a_slack_cable_does_nothing():
    spec = arm()
    spec.add_force(mm.Cable([(None, (0, 0, 0)), ("lower", (0, 0, 0))], 100.0, 9.0), "cable")
    made = problem(spec.compile(), ["q", "cable.stiffness", "cable.points"])
    _, slopes = made.value_and_grad(Everything())
    assert abs(slopes["cable.stiffness"]) < 1e-12 and np.abs(slopes["cable.points"]).max() < 1e-9
    assert np.isfinite(slopes["q"]).all() and slopes["q"].any()


def test_steps_of_different_lengths():
    """The last step is shorter, and bdf2 looks back over it."""
    model = arm().compile()
    for integrator in REVERSE:
        made = Problem(
            model, ["q", "qdot"], q=[0.3, 0.4], qdot=[1.0, -1.0], integrator=integrator, h=0.01, duration=0.033
        )
        assert made.rollout().steps == 4
        check(made, Everything())


def test_rows_are_those_of_simulate():
    model = spec_around("spherical-exp").compile()
    q, qdot, _ = random_state(model, 1)
    for integrator in REVERSE:
        given = {"q": q, "qdot": 5 * qdot, "integrator": integrator, "h": 0.002, "duration": 0.3}
        run, rollout = mm.simulate(model, **given), Problem(model, [], **given).rollout()
        np.testing.assert_array_equal(rollout.q, run.q)
        np.testing.assert_array_equal(rollout.qdot, run.qdot)
        np.testing.assert_array_equal(rollout.charts, run.charts)


@pytest.mark.filterwarnings("ignore:.*depend")
def test_rows_under_constraints_are_those_of_simulate():
    model = linkage().compile()
    start = mm.dynamics.assemble(model, np.array([0.1, 1.2, 1.8]), np.array([1.0, -2.0, 0.5]))
    for integrator in BINDING:
        given = {"q": start.q, "qdot": start.qdot, "integrator": integrator, "h": 0.002, "duration": 0.1}
        run, rollout = mm.simulate(model, **given), Problem(model, [], **given).rollout()
        np.testing.assert_array_equal(rollout.q, run.q)
        np.testing.assert_array_equal(rollout.qdot, run.qdot)


@pytest.mark.fast
def test_one_step_is_what_linearise_says():
    """bdf1: (alpha M + D + K/alpha) dqdot = alpha M dv0 - K dq0 + dtau."""
    model = arm().compile()
    state = model.state([0.3, -0.4], [1.0, 2.0])
    task = mm.tasks.Rest()
    _, slopes = mm.value_and_grad(model, task, ("qdot", "tau"), state=state, h=0.01, duration=0.01)
    run = mm.simulate(model, state=state, integrator="bdf1", h=0.01, duration=0.01)
    qddot = (run.qdot[1] - run.qdot[0]) / 0.01
    M, D, K = mm.linearise(model, run.state, qddot)
    by_v = np.linalg.solve(100 * M + D + K / 100, 100 * M)
    np.testing.assert_allclose(slopes["qdot"], 2 * run.qdot[1] @ by_v, rtol=1e-10)
    np.testing.assert_allclose(slopes["tau"], 2 * run.qdot[1] @ np.linalg.inv(100 * M + D + K / 100), rtol=1e-10)


def complex_run(model, q, qdot, tau, h, steps, method):
    """The same steps in complex numbers, with forward dynamics alone."""

    def rates(t, x):
        return np.array([x[1], mm.forward_dynamics(model, *x, tau, t=t)])

    x = np.array([q, qdot])
    for step in range(steps):
        t = step * h
        if method == "semi-implicit":
            qdot = x[1] + h * rates(t, x)[1]
            x = np.array([x[0] + h * qdot, qdot])
            continue
        k1 = rates(t, x)
        k2 = rates(t + 0.5 * h, x + 0.5 * h * k1)
        k3 = rates(t + 0.5 * h, x + 0.5 * h * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(t + h, x + h * k3))
    return x


@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
def test_explicit_runs_against_complex_steps(method):
    """To rounding: no differences here."""
    spec = random_spec(6, 4, ["revolute", "universal", "planar", "prismatic"])
    add_every_force(spec, 6)
    model = spec.compile()
    q, qdot, _ = random_state(model, 6)
    tau, n = 0.3 * np.random.default_rng(6).normal(size=model.ndof), model.ndof
    run = {"q": q, "qdot": qdot, "tau": tau, "integrator": method, "h": 1e-3, "duration": 0.02}
    _, slopes = mm.value_and_grad(model, mm.tasks.Rest(), ("q", "qdot", "tau"), **run)
    for name, which in (("q", 0), ("qdot", 1), ("tau", 2)):
        for k in range(n):
            given = [x.astype(complex) for x in (q, qdot, tau)]
            given[which][k] += 1e-30j
            end = complex_run(model, *given, 1e-3, 20, method)[1]
            assert slopes[name][k] == pytest.approx(
                (end @ end).imag / 1e-30, rel=1e-10, abs=1e-10 * np.abs(slopes[name]).max()
            )
