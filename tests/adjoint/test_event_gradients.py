"""Gradients through events: a bouncing ball against its closed form, and every integrator against differences."""

import numpy as np
import pytest
from differences import BINDING, Everything, arm, check, linkage

import myomass as mm
from myomass.adjoint.bridges.runs import Runs
from myomass.adjoint.problem import Problem
from myomass.adjoint.sweep import REVERSE

GRAVITY, HEIGHT, SPEED, RESTITUTION = 9.81, 1.0, -0.5, 0.7


class Place(mm.tasks.Task):
    """Coordinates at the end, as one miss each."""

    def terms(self, rollout):
        yield mm.tasks.Misses(rollout.steps, rollout.q[-1], q=np.eye(rollout.model.ndof))


class EndTime(mm.tasks.Task):
    """The time of the last row."""

    def terms(self, rollout):
        yield mm.tasks.Misses(rollout.steps, rollout.t[-1:], t=np.ones(1))


def ball() -> mm.Spec:
    """A ball on a vertical slide; how it bounces is kept in the first number of a marker's place."""
    spec = mm.Spec("ball")
    spec.add_body("ball", None, mm.Prismatic((0, 0, 1)), None, None, mm.Inertia.sphere(0.1, mass=2.0))
    spec.add_marker("restitution", None, (RESTITUTION, 0, 0))
    return spec


def bounced(state, model):
    e = model.markers["restitution"].place[0]
    return model.state(state.q, -e * state.qdot, state.t)


BOUNCE = mm.Event(lambda state: state.q[0], bounced, direction=-1, kind="bounce")


def flight(start, end):
    """Where a ball is at the end, in any number type. start: (height, speed, gravity, restitution)"""
    height, speed, gravity, e = start
    t = 0.0
    while True:
        down = (speed + np.sqrt(speed**2 + 2.0 * gravity * height)) / gravity
        if t + down.real > end:
            left = end - t
            return height + speed * left - 0.5 * gravity * left**2
        t, height, speed = t + down, 0.0 * height, e * (gravity * down - speed)


def set_restitution(spec, value):
    """Keep another coefficient of restitution."""
    spec.markers["restitution"] = mm.model.Marker(None, (float(value), 0, 0))


class TestBouncingBall:
    E = mm.Parameter("e", RESTITUTION, set_restitution)

    @pytest.mark.parametrize("integrator", ["rk4", "sdirk2", "bdf2"])
    @pytest.mark.parametrize(("duration", "bounces"), [(0.7, 1), (1.603, 3)])
    def test_is_where_its_closed_form_says(self, integrator, duration, bounces):
        """These methods are exact for parabolas, and complex steps give the derivatives of the closed form."""
        given = {"q": [HEIGHT], "qdot": [SPEED], "integrator": integrator, "h": 0.01, "duration": duration}
        made = Problem(ball().compile(), ["q", "qdot", "gravity", self.E], events=BOUNCE, **given)
        assert len(made.rollout().crossings) == bounces
        misses, found = made.misses_and_jacobian(Place(), made.rollout())
        start = np.array([HEIGHT, SPEED, GRAVITY, RESTITUTION])
        assert misses[0] == pytest.approx(flight(start, duration).real, abs=1e-11)
        wanted = [flight(start + 1e-30j * one, duration).imag / 1e-30 for one in np.eye(4)]
        told = [found["q"][0, 0], found["qdot"][0, 0], -found["gravity"][0, 2], found["e"][0]]
        np.testing.assert_allclose(told, wanted, rtol=1e-8)

    @pytest.mark.fast
    def test_a_restitution_that_its_action_alone_knows(self):
        """The derivative by the start does not ask where the action has its numbers from."""
        event = mm.Event(lambda s: s.q[0], lambda s, model: model.state(s.q, -0.5 * s.qdot, s.t), kind="bounce")
        given = {"q": [HEIGHT], "qdot": [SPEED], "integrator": "rk4", "h": 0.01, "duration": 0.8}
        _, found = mm.value_and_grad(ball().compile(), Place(), events=event, **given)
        start = np.array([HEIGHT, SPEED, GRAVITY, 0.5])
        value = flight(start, 0.8)
        wanted = [2 * value * flight(start + 1e-30j * one, 0.8).imag / 1e-30 for one in np.eye(4)[:2]]
        np.testing.assert_allclose([found["q"][0], found["qdot"][0]], wanted, rtol=1e-8)

    @pytest.mark.fast
    def test_stops_when_it_lands(self):
        event = mm.Event(lambda state: state.q[0], direction=-1, kind="ground")
        given = {"q": [HEIGHT], "qdot": [SPEED], "integrator": "rk4", "h": 0.01, "duration": 2.0}
        made = Problem(ball().compile(), ["q", "qdot", "gravity"], events=event, **given)
        root = np.sqrt(SPEED**2 + 2 * GRAVITY * HEIGHT)
        times, found = made.misses_and_jacobian(EndTime(), made.rollout())
        assert times[0] == pytest.approx((SPEED + root) / GRAVITY, abs=1e-12)
        by_gravity = HEIGHT / (GRAVITY * root) - (SPEED + root) / GRAVITY**2
        told = [found["q"][0, 0], found["qdot"][0, 0], -found["gravity"][0, 2]]
        np.testing.assert_allclose(told, [1 / root, (SPEED / root + 1) / GRAVITY, by_gravity], rtol=1e-8)
        _, found = made.value_and_grad(mm.tasks.Rest())  # v^2 = SPEED^2 + 2 g HEIGHT
        told = [found["q"][0], found["qdot"][0], -found["gravity"][2]]
        np.testing.assert_allclose(told, [2 * GRAVITY, 2 * SPEED, 2 * HEIGHT], rtol=1e-8)


def kicked(state, model):
    """Other rates, that depend on where it happens."""
    turned = [0.3 * state.qdot[0] + 0.2 * np.sin(state.q[1]), -0.6 * state.qdot[1] + 0.1 * state.q[0]]
    return model.state(state.q, [*turned, *state.qdot[2:]], state.t, z=state.z)


def slowed(state, model):
    """Rates that depend on when it happens, and on a number of the model."""
    return model.state(state.q + 0.01 * state.t, state.qdot * model.source.bodies["upper"].inertia.mass, state.t)


KICK = mm.Event(lambda state: state.q[0] - 0.35, kicked, kind="kick")
START = {"q": np.array([0.3, -0.6]), "qdot": np.array([1.0, 2.0]), "h": 0.01}
INPUTS = ["q", "qdot", "tau", "gravity", "upper.mass", "spring.stiffness"]


def arm_problem(integrator, events, wrt=INPUTS, steps=20):
    tau = 0.3 * np.random.default_rng(1).normal(size=(steps, 2))
    run = START | {"integrator": integrator, "duration": steps * START["h"], "events": events}
    return Problem(arm().compile(), wrt, tau=tau, **run)


@pytest.mark.parametrize("integrator", REVERSE)
class TestEveryIntegrator:
    def test_a_kick(self, integrator):
        made = arm_problem(integrator, KICK, steps=9)
        assert len(made.rollout().crossings) == 1
        check(made, Everything())

    def test_one_after_another(self, integrator):
        """Several in one run, two of them in one step; functions of the time too, and of the model."""
        soon = mm.Event(lambda state: state.q[1] + 0.5 - 0.3 * state.t + 0.01 * state.qdot[0], slowed, kind="soon")
        clock = mm.Event(lambda state, model: state.t - 0.0823 * model.source.bodies["upper"].inertia.mass, kicked)
        made = arm_problem(integrator, [KICK, soon, clock])
        rows = sorted(made.rollout().crossings)
        assert len(rows) >= 3
        check(made, Everything(), 2e-8)

    def test_nothing_is_done(self, integrator):
        """An event that only takes note moves a row: a step becomes two, and bdf2 looks back over them."""
        made = arm_problem(integrator, mm.Event(KICK.function, lambda state: None), steps=9)
        assert made.rollout().crossings
        check(made, Everything())

    def test_the_end_of_a_run(self, integrator):
        made = arm_problem(integrator, mm.Event(KICK.function))
        assert made.rollout().steps < 20
        check(made, Everything() + mm.tasks.Effort() + EndTime())

    def test_rows_are_those_of_simulate(self, integrator):
        made = arm_problem(integrator, KICK)
        run, rollout = mm.simulate(made.what, **made.arguments), made.rollout()
        for name in ("t", "q", "qdot"):
            np.testing.assert_array_equal(getattr(rollout, name), getattr(run, name))


@pytest.mark.parametrize("integrator", REVERSE)
def test_muscles_with_states(integrator):
    """A run of Hill muscles, whose excitations change over time, and whose states an event changes."""
    hill = {"points": [(None, (-0.1, 0, -0.3)), ("lower", (-0.05, 0, 0.1))], "actuator": mm.Hill(150.0, 0.08, 0.07)}

    def relaxed(state, model):
        return model.state(state.q, 0.7 * state.qdot, state.t, z=1.01 * state.z)

    event = mm.Event(lambda state: state.q[0] + 0.2 * state.z[0] + 0.1, relaxed, kind="relax")
    model = arm(m=hill).compile()
    start = model.state([-0.5, 0.5], [20.0, 1.0])
    names = ["q", "qdot", "excitation", "m.actuator.optimal_force", "lower.mass"]
    excitation = np.random.default_rng(0).uniform(0.2, 0.8, (3, 1))
    h = 0.0005 if integrator == "rk4" else 0.002
    run = {"q": start.q, "qdot": start.qdot, "h": h, "duration": 0.03, "integrator": integrator}
    made = Problem(model, names, excitation=excitation, events=event, **run)
    assert len(made.rollout().crossings) == 1
    check(made, Everything(), 2e-8)


@pytest.mark.parametrize("joint", [mm.SphericalExp(), mm.SphericalEuler("ZYX")], ids=["exp", "euler"])
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "rk4"])
def test_joints_that_change_charts(integrator, joint):
    spec = arm()
    spec.add_body("ball", None, joint, None, mm.translation(0.1, 0, 0.2), mm.Inertia.cuboid((1, 2, 4), mass=3.0))
    vectors = isinstance(joint, mm.SphericalExp)
    q, qdot = ([2.6, 2.7, 2.6], [3, 4, 3]) if vectors else ([0.2, 0.9, 0.1], [1, 9, 1])
    run = {"q": np.array([0.3, -0.6, *q]), "qdot": np.array([1.0, 2.0, *qdot]), "integrator": integrator, "h": 0.01}
    names = ["q", "qdot", "ball.mass"]
    made = Problem(
        spec.compile(), names, events=[KICK, mm.Event(lambda state: state.t - 0.111, kicked)], duration=0.2, **run
    )
    rollout, simulated = made.rollout(), mm.simulate(made.what, **made.arguments)
    assert rollout.moves and len(rollout.crossings) >= 2
    for name in ("t", "q", "qdot", "charts"):
        np.testing.assert_array_equal(getattr(rollout, name), getattr(simulated, name))
    check(made, Everything())


@pytest.mark.parametrize("joint", [mm.SphericalExp(), mm.SphericalEuler("ZYX")], ids=["exp", "euler"])
def test_an_action_that_leaves_a_chart(joint):
    spec = arm()
    spec.add_body("ball", None, joint, None, mm.translation(0.1, 0, 0.2), mm.Inertia.cuboid((1, 2, 4), mass=3.0))
    vectors = isinstance(joint, mm.SphericalExp)
    q = [1.6, 1.7, 1.6] if vectors else [0.2, 0.7, 0.1]
    factor = 1.8 if vectors else 2.0

    def turned(state, model):
        return model.state([*state.q[:2], *factor * state.q[2:]], state.qdot, state.t)

    run = {"q": np.array([0.3, -0.6, *q]), "qdot": np.array([1.0, 2.0, 1.0, 2.0, 1.0]), "h": 0.01, "duration": 0.12}
    made = Problem(
        spec.compile(), ["q", "qdot", "ball.mass"], events=mm.Event(KICK.function, turned, direction=1), **run
    )
    [(row, crossing)] = made.rollout().crossings.items()
    assert np.abs(crossing.after.q - made.rollout().q[row]).max() > 0.1
    check(made, Everything())


def struck(state, model):
    """Back at a share of the speed, which is as consistent with a loop."""
    return model.state(state.q, -0.6 * state.qdot, state.t)


STOP = mm.Event(lambda state: state.q[0] - 0.145, struck, direction=1, kind="stop")


def linkage_problem(integrator, events):
    """Its start is off the rows by a little, and put onto them first."""
    model = linkage().compile()
    start = mm.dynamics.assemble(model, np.array([0.1, 1.2, 1.8]), np.array([1.0, -2.0, 0.5]))
    given = {"q": start.q + 1e-4 * np.array([1, 2, -1]), "qdot": start.qdot, "integrator": integrator}
    given |= {"tau": 0.3 * np.random.default_rng(1).normal(size=(20, 3)), "h": 0.005, "duration": 0.1}
    return Problem(model, ["q", "qdot", "tau", "a.mass", "gravity"], events=events, **given)


def check_rows(made):
    """Assert that a problem has the rows of `simulate`, bit for bit."""
    rollout, run = made.rollout(), mm.simulate(made.what, **made.arguments)
    for name in ("t", "q", "qdot", "charts"):
        np.testing.assert_array_equal(getattr(rollout, name), getattr(run, name))


@pytest.mark.filterwarnings("ignore:.*depend")
@pytest.mark.parametrize("integrator", BINDING)
class TestConstraints:
    def test_a_link_that_strikes_a_stop(self, integrator):
        made = linkage_problem(integrator, STOP)
        [row] = made.rollout().crossings
        assert 4 < row < made.rollout().steps - 4
        check(made, Everything())
        check_rows(made)

    def test_the_end_of_a_run(self, integrator):
        made = linkage_problem(integrator, mm.Event(STOP.function))
        assert made.rollout().steps < 20
        check(made, Everything() + mm.tasks.Effort() + EndTime())
        check_rows(made)

    def test_one_after_another(self, integrator):
        """One puts the loop off its rows by what depends on the mass, one only takes note, two are in one step."""

        def pushed(state, model):
            mass = model.source.bodies["a"].inertia.mass
            return model.state(state.q + [0.0, 1e-3 * mass, 0.0], state.qdot + [0.1, 0.0, state.t], state.t)

        note = mm.Event(lambda state: state.q[1] - 1.47 + 0.01 * state.qdot[2], lambda state: None, kind="note")
        push = mm.Event(
            lambda state, model: state.t - 0.0524 * model.source.bodies["a"].inertia.mass, pushed, kind="push"
        )
        made = linkage_problem(integrator, [note, STOP, push, mm.Event(lambda state: state.t - 0.0537, pushed)])
        kinds = [event.kind for crossing in made.rollout().crossings.values() for event in crossing.events]
        assert len(kinds) >= 4 and {"note", "stop", "push", "event"} == set(kinds)
        check(made, Everything(), 2e-8)
        check_rows(made)

    def test_states_of_muscles(self, integrator):
        """Those that an event changes, under a loop."""
        spec = linkage()
        spec.add_muscle("m", 0.0, [(None, (0.1, 0, -0.1)), ("b", (0.05, 0, 0.1))], actuator=mm.Hill(200.0, 0.25, 0.3))
        model = spec.compile()
        start = mm.dynamics.assemble(model, np.array([0.1, 1.2, 1.8]), np.array([1.0, -2.0, 0.5]))

        def relaxed(state, model):
            return model.state(state.q, 0.7 * state.qdot, state.t, z=1.01 * state.z)

        event = mm.Event(lambda state: state.q[0] + 0.2 * state.z[0] - 0.17, relaxed, kind="relax")
        given = {"q": start.q, "qdot": start.qdot, "integrator": integrator, "duration": 0.04}
        h = 0.001 if integrator == "rk4" else 0.002
        given |= {"excitation": np.array([[0.2], [0.7]]), "events": event, "h": h}
        made = Problem(model, ["q", "qdot", "excitation", "a.mass", "m.actuator.optimal_force"], **given)
        assert len(made.rollout().crossings) == 1
        check(made, Everything(), 2e-8)

    def test_a_driven_joint(self, integrator):
        """Where its rows are depends on the time, also within the steps next to an event; a ball changes its chart."""
        spec = arm()
        there, box = mm.translation(0, 0, -0.2), mm.Inertia.cuboid((1, 2, 4), mass=3.0)
        spec.add_body("ball", "lower", mm.SphericalExp(), there, mm.translation(0.1, 0, 0.2), box)
        spec.add_constraint(mm.DrivenJoint("upper", mm.Motion.sine(0.3, 9.0, 0.4)), "motor")
        model = spec.compile()
        start = mm.dynamics.assemble(model, np.array([0.1, -0.6, 2.6, 2.7, 2.6]), np.array([1.0, 2.0, 3.0, 4.0, 3.0]))
        given = {"q": start.q, "qdot": start.qdot, "integrator": integrator, "h": 0.01, "duration": 0.2}
        given["tau"] = 0.3 * np.random.default_rng(1).normal(size=(20, 5))

        def slowed(state, model):
            return model.state(state.q, state.qdot * [1.0, -0.4, 0.9, 0.9, 0.9], state.t)

        events = [
            mm.Event(lambda state: state.q[1] + 1.1 - 0.8 * state.q[0] + 0.02 * state.qdot[0], slowed, kind="knock"),
            mm.Event(lambda state: state.q[0] + 0.2 * state.t - 0.32, slowed, kind="height"),
        ]
        made = Problem(model, ["q", "qdot", "tau", "lower.mass", "ball.moments"], events=events, **given)
        kinds = [event.kind for crossing in made.rollout().crossings.values() for event in crossing.events]
        assert {"knock", "height"} == set(kinds) and made.rollout().moves
        check(made, Everything(), 2e-8)
        check_rows(made)


class TestAsked:
    def test_optimise_throws_to_a_height(self):
        found = mm.optimise(
            ball().compile(),
            mm.tasks.Reach("ball", target=(0, 0, 0.8)),
            ["qdot"],
            events=BOUNCE,
            h=0.01,
            q=[HEIGHT],
            qdot=[SPEED],
            duration=0.7,
            integrator="rk4",
            method="gauss-newton",
        )
        assert found.value < 1e-16
        run = found.trajectory()
        assert [one.kind for one in run.events] == ["bounce"] and run.q[-1, 0] == pytest.approx(0.8)

    def test_events_of_a_scene(self):
        run = {"duration": 0.7, "h": 0.01, "integrator": "rk4"}
        start = np.array([HEIGHT]), np.array([SPEED])
        scene = mm.scenes.Scene("ball", "A ball bounces.", ball(), *start, *run.values(), events=(BOUNCE,))
        given = {"q": start[0], "qdot": start[1], "events": BOUNCE} | run
        found, wanted = mm.value_and_grad(scene, Place()), mm.value_and_grad(ball().compile(), Place(), **given)
        assert found == wanted

    def test_another_model(self):
        other = ball().compile()
        event = mm.Event(BOUNCE.function, lambda state: (other, state), kind="over")
        with pytest.raises(ValueError, match="goes over to the model 'ball'"):
            mm.value_and_grad(ball().compile(), Place(), events=event, q=[HEIGHT], h=0.01, duration=1.0)

    def test_as_a_function_of_other_libraries(self):
        with pytest.raises(ValueError, match="the run has events, so that its rows would not always be as many"):
            Runs(ball().compile(), ["q"], False, {"q": [HEIGHT], "events": BOUNCE})

    def test_a_function_without_a_slope(self):
        for function in (lambda state: 1.0 if state.t < 0.105 else -1.0, lambda state: (state.t - 0.105) ** 3):
            with pytest.raises(mm.adjoint.Unfinished, match=r"'odd' at 0\.105 s has no derivative"):
                event = mm.Event(function, kind="odd")
                mm.value_and_grad(ball().compile(), Place(), events=event, q=[HEIGHT], h=0.01, duration=1.0)
