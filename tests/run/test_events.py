"""Events: found to rounding in every integrator, acting or stopping, and recorded."""

from dataclasses import replace

import numpy as np
import pytest

import myomass as mm
from myomass.integrators import INTEGRATORS
from myomass.run.events import find_crossing

G = 9.81


@pytest.fixture(scope="module")
def ball():
    """A ball that falls along z."""
    spec = mm.Spec("ball", gravity=(0, 0, -G))
    spec.add_body("ball", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1))
    return spec.compile()


def height(state):
    return state.q[0]


def bounce(state):
    state.qdot = -0.8 * state.qdot
    return state


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_stop_where_the_ball_lands(ball, integrator):
    event = mm.Event(height, direction=-1, kind="landing")
    run = mm.simulate(ball, q=[1.0], integrator=integrator, h=1e-3, duration=2.0, events=event)
    fall = np.sqrt(2 / G)
    assert run.ended == "stopped by 'landing'"
    assert run.t[-1] == pytest.approx(fall, abs=1e-12 if integrator in ("recursive", "redmax", "rk4") else 2e-3)
    assert abs(run.q[-1, 0]) < 1e-11
    [happened] = run.events
    assert happened.time == run.t[-1]
    assert happened.kind == "landing"
    np.testing.assert_array_equal(happened.q_before, run.q[-1])


@pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2"])
def test_a_bouncing_ball(ball, integrator):
    """Each bounce is lower by the square of the restitution and shorter by it: times form a geometric series."""
    event = mm.Event(height, bounce, direction=-1)
    run = mm.simulate(ball, q=[1.0], integrator=integrator, h=1e-3, duration=2.5, events=event)
    assert run.ended == "completed"
    assert run.t[-1] == 2.5
    fall = np.sqrt(2 / G)
    expected = fall * (1 + 2 * np.cumsum([0, *0.8 ** np.arange(1, 12)]))
    expected = expected[expected < 2.5]
    times = [happened.time for happened in run.events]
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-2 if integrator == "bdf2" else 1e-10)
    for happened in run.events:
        np.testing.assert_allclose(happened.qdot_after, -0.8 * happened.qdot_before)
    assert run.q.min() > -1e-9
    assert (np.diff(run.t) > 0).all()


def test_rows_at_wanted_times_only(ball):
    times = np.linspace(0, 1.5, 16)
    event = mm.Event(height, bounce, direction=-1)
    for integrator in ("recursive", "rk4"):
        run = mm.simulate(ball, q=[1.0], integrator=integrator, h=1e-2, times=times, events=event)
        np.testing.assert_array_equal(run.t, times)
        assert run.events
        first = times < run.events[0].time
        np.testing.assert_allclose(run.q[first, 0], 1 - G / 2 * times[first] ** 2, atol=1e-12)


def test_the_earliest_of_several_events_comes_first(ball):
    seen = []
    events = [
        mm.Event(lambda state, at=at: state.q[0] - at, lambda state, at=at: seen.append(at), kind=str(at))
        for at in (0.2, 0.9999, 0.5, 0.50001)
    ]
    run = mm.simulate(ball, q=[1.0], integrator="rk4", h=0.1, duration=0.44, events=events)
    assert seen == [0.9999, 0.50001, 0.5, 0.2]
    assert [float(happened.kind) for happened in run.events] == seen


def test_direction():
    spec = mm.Spec(gravity=(0, 0, -G))
    spec.add_body("bob", None, mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -1), mm.Inertia.point(1.0))
    model = spec.compile()
    count = {}
    for direction in (-1, 0, 1):
        event = mm.Event(lambda state: state.q[0], lambda state: None, direction)
        count[direction] = len(mm.simulate(model, q=[0.5], duration=10, events=event).events)
    assert count[-1] + count[1] == count[0] > 8
    assert abs(count[-1] - count[1]) <= 1


def test_an_event_does_not_disturb_the_motion(ball):
    quiet = mm.simulate(ball, q=[1.0], integrator="bdf2", h=1e-3, duration=1.0)
    event = mm.Event(lambda state: state.t - 0.5005, lambda state: None)
    run = mm.simulate(ball, q=[1.0], integrator="bdf2", h=1e-3, duration=1.0, events=event)
    assert len(run.t) == len(quiet.t) + 1
    assert run.events[0].time == pytest.approx(0.5005, abs=1e-12)
    np.testing.assert_allclose(run.q[-1], quiet.q[-1], rtol=1e-9)


def test_charts_follow_an_action():
    """An action may give back a state in other charts."""
    spec = mm.Spec(gravity=(0, 0, -G))
    spec.add_body("top", None, mm.SphericalEuler(), None, mm.translation(0, 0, 1), mm.Inertia.cuboid((1, 2, 3), mass=1))
    model = spec.compile()
    event = mm.Event(lambda state: state.t - 0.1, lambda state: mm.algorithms.reparameterise(model, state))
    run = mm.simulate(model, q=[0.1, 0.2, 0.3], qdot=[1, 2, 3], duration=1.0, events=event, rtol=1e-9, atol=1e-9)
    assert len(run.events) == 1
    assert run.energy_drift < 1e-7


@pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2", "sdirk2", "symplectic"])
def test_an_event_a_hair_before_a_grid_time(ball, integrator):
    """700 steps of 1 ms end at 0.7000000000000001 s: the sliver that is left is no step of its own."""
    event = mm.Event(lambda state: state.t - 0.7, lambda state: None)
    run = mm.simulate(ball, q=[1.0], integrator=integrator, h=1e-3, duration=1.0, events=event)
    assert len(run.events) == 1
    assert run.qdot[-1, 0] == pytest.approx(-G, rel=1e-10)


@pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2"])
def test_events_at_the_same_instant_all_happen(integrator):
    spec = mm.Spec(gravity=(0, 0, -G))
    for name in "ab":
        spec.add_body(name, None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1))

    def flip(i):
        def act(state):
            state.qdot[i] *= -1
            return state

        return act

    events = [mm.Event(lambda state, i=i: state.q[i], flip(i), -1, "ab"[i]) for i in range(2)]
    run = mm.simulate(spec.compile(), q=[1.0, 1.0], integrator=integrator, h=1e-2, duration=2.0, events=events)
    assert [happened.kind for happened in run.events] == ["a", "b"] * 2
    assert run.q.min() > -1e-9


@pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2"])
def test_an_event_of_both_directions_that_turns_back_happens_once(ball, integrator):
    def flip(state):
        state.qdot *= -1
        return state

    run = mm.simulate(ball, q=[1.0], integrator=integrator, h=1e-2, duration=2.0, events=mm.Event(height, flip))
    assert len(run.events) == 2


@pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2"])
def test_ever_shorter_bounces_end_the_run_and_not_the_floor(ball, integrator):
    event = mm.Event(height, lambda state: replace(state, qdot=-0.5 * state.qdot), -1, "bounce")
    with pytest.warns(RuntimeWarning, match="event 'bounce' happens again and again"):
        run = mm.simulate(ball, q=[1.0], integrator=integrator, h=1e-2, duration=5.0, events=event)
    assert len(run.events) > 10
    assert run.q.min() > -1e-9
    assert run.t[-1] == pytest.approx(3 * np.sqrt(2 / G), abs=1e-4)  # the sum of all flights, at restitution 1/2


def test_two_crossings_within_one_adaptive_step(ball):
    """Above the floor for a quarter of a second in a run of ten: no tolerance would ask for so short a step."""
    event = mm.Event(height, lambda state: None)
    run = mm.simulate(ball, q=[-1.0], qdot=[4.6], duration=10.0, events=event)
    assert len(run.events) == 2


def test_events_close_to_each_other_and_to_a_jump_of_torque():
    """Three thresholds within a microsecond, and a torque that begins right after: none disturbs the other."""
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("a", joint=mm.Prismatic(), inertia=mm.Inertia.sphere(0.1, mass=1))
    spec.add_force(mm.JointTorque("a", [0, 100.0, 0], times=[0, 0.5, 0.51]))
    events = [mm.Event(lambda state, t=t: state.t - t, lambda state: None) for t in (0.49, 0.49 + 1e-7, 0.49 + 1e-6)]
    run = mm.simulate(spec.compile(), events=events)
    assert run.ended == "completed"
    np.testing.assert_allclose([happened.time - 0.49 for happened in run.events], (0, 1e-7, 1e-6), atol=1e-12)
    assert run.qdot[-1, 0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("integrator", ["recursive", "rk4"])
def test_the_state_where_a_run_stops_is_a_row(ball, integrator):
    event = mm.Event(height, direction=-1)
    run = mm.simulate(ball, q=[1.0], integrator=integrator, h=1e-2, times=[0.2, 0.9, 1.0], events=event)
    np.testing.assert_allclose(run.t, (0.2, np.sqrt(2 / G)), atol=1e-10)
    assert run.state.t == run.events[0].time


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("h", [1e-2, 3e-3])
def test_strikes_are_where_the_integrator_has_them(ball, integrator, h):
    """To 1e-12 s. Under a constant acceleration methods of first order go through q_n = 1 - G h^2 n (n + 1)/2."""
    options = {"rtol": 1e-12, "atol": 1e-12} if integrator in ("recursive", "redmax") else {}
    event = mm.Event(height, direction=-1)
    run = mm.simulate(ball, q=[1.0], integrator=integrator, h=h, duration=2.0, events=event, **options)
    expected = np.sqrt(2 / G)
    if integrator in ("semi-implicit", "symplectic", "euler", "bdf1", "maximal"):
        n = np.arange(2 / h)
        n = n[1 - G * h**2 * n * (n + 1) / 2 > 0].max()
        q, v = 1 - G * h**2 * n * (n + 1) / 2, -G * h * n
        expected = n * h + 2 * q / (np.sqrt(v * v + 4 * G * q) - v)
    assert run.events[0].time == pytest.approx(expected, abs=1e-12)


class TestCrossingsToIgnore:
    """A crossing at which `unless` is true has not happened, and hides none that comes after it."""

    @pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2"])
    @pytest.mark.parametrize("h", [0.1, 1e-3])
    def test_of_several_within_a_step(self, ball, integrator, h):
        def wave(state):
            return (state.t - 0.02) * (state.t - 0.05) * (state.t - 0.09)

        event = mm.Event(wave, lambda state: None, unless=lambda state: state.t < 0.085)
        run = mm.simulate(ball, q=[1.0], integrator=integrator, h=h, duration=0.5, events=event)
        assert [happened.time for happened in run.events] == [pytest.approx(0.09, abs=1e-12)]

    def test_nothing_happens(self, ball):
        asked, acted = [], []

        def ignore(state, model):
            asked.append((state.t, model))
            return True

        event = mm.Event(height, acted.append, -1, unless=ignore)
        run = mm.simulate(ball, q=[1.0], integrator="rk4", h=1e-2, duration=1.0, events=event)
        quiet = mm.simulate(ball, q=[1.0], integrator="rk4", h=1e-2, duration=1.0)
        assert not run.events
        assert not acted
        assert asked == [(pytest.approx(np.sqrt(2 / G), abs=1e-12), ball)]
        np.testing.assert_array_equal(run.q, quiet.q)

    def test_bounces_but_the_first(self, ball):
        """The ball falls through a floor that is not there yet, is thrown back, and lands on it."""
        events = [
            mm.Event(height, bounce, -1, "floor", unless=lambda state: state.t < 0.5),
            mm.Event(lambda state: state.q[0] + 1, lambda state: replace(state, qdot=-state.qdot), -1, "net"),
        ]
        run = mm.simulate(ball, q=[1.0], duration=2.0, events=events)
        assert [happened.kind for happened in run.events] == ["net", "floor"]
        fall, deep = np.sqrt(2 / G), np.sqrt(4 / G)
        back = deep + (deep - fall)
        np.testing.assert_allclose([x.time for x in run.events], [deep, back + 2 * fall], atol=1e-10)

    @pytest.mark.parametrize("ignored", [0, 1])
    def test_of_two_at_one_instant(self, ball, ignored):
        never = [{"unless": lambda state: True}, {}]
        events = [mm.Event(height, lambda state: None, kind=str(i), **never[i != ignored]) for i in range(2)]
        run = mm.simulate(ball, q=[1.0], integrator="rk4", h=1e-2, duration=1.0, events=events)
        assert [happened.kind for happened in run.events] == [str(1 - ignored)]

    def test_bad_conditions(self, ball):
        with pytest.raises(TypeError, match="`unless` must be None or a function"):
            mm.Event(height, unless=True)
        with pytest.raises(TypeError, match="event 'land': `unless` must give True or False, and gave 3"):
            mm.simulate(ball, q=[1.0], events=mm.Event(height, kind="land", unless=lambda state: 3))


@pytest.mark.parametrize("slope", [1.0, 1e-8, 1e8])
def test_find_crossing(slope):
    root = find_crossing(lambda t: slope * (t**3 - 0.3), 0.0, 1.0, -0.3 * slope, 0.7 * slope)
    assert root == pytest.approx(0.3 ** (1 / 3), abs=2e-13)
    assert root**3 >= 0.3


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: mm.Event(3), TypeError, "must be called with a state"),
        (lambda: mm.Event(height, "bounce"), TypeError, 'must be "stop" or a function'),
        (lambda: mm.Event(height, direction=2), ValueError, "direction must be -1, 0 or 1"),
        (lambda: mm.Event(height, direction=np.zeros(2)), ValueError, "direction must be -1, 0 or 1"),
        (lambda: mm.Event(height, np.zeros(2)), TypeError, 'must be "stop" or a function'),
        (lambda: mm.Event(height, kind=None), TypeError, "kind must be a string"),
        (lambda: mm.simulate(mm.scenes.load(0), events=height), TypeError, r"made by mm\.Event"),
        (lambda: mm.simulate(mm.scenes.load(0), events=mm.Event(lambda s: s.t > 1)), ValueError, "finite real number"),
        (lambda: mm.simulate(mm.scenes.load(0), events=mm.Event(lambda s: None)), ValueError, "finite real number"),
        (lambda: mm.simulate(mm.scenes.load(0), events=mm.Event(lambda s: 1j)), ValueError, "finite real number"),
        (lambda: mm.simulate(mm.scenes.load(0), events=[height]), TypeError, r"made by mm\.Event"),
        (
            lambda: mm.simulate(mm.scenes.load(0), events=mm.Event(lambda s: s.q)),
            ValueError,
            "finite real number",
        ),
        (
            lambda: mm.simulate(mm.scenes.load(0), events=mm.Event(lambda s: np.nan)),
            ValueError,
            "finite real number",
        ),
        (
            lambda: mm.simulate(mm.scenes.load(0), events=mm.Event(lambda s: s.t - 0.1, lambda s: 3)),
            TypeError,
            "must return a state or None",
        ),
    ],
)
def test_bad_input_gets_a_sentence(make, error, sentence):
    with pytest.raises(error, match=sentence):
        make()


@pytest.mark.fast
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2", "euler", "semi-implicit", "rk4"])
def test_a_trial_step_that_fails_ends_the_run(integrator):
    """Two torques that overflow between the ends of the step, where it is crossed: there is no state to look at."""
    spec = mm.Spec("block", gravity=(0, 0, 0))
    spec.add_body("block", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.sphere(0.1, mass=1))
    for sign in (1, -1):
        force = [0, 0, sign * 1e308, -sign * 1e308, 0, 0]
        spec.add_force(mm.JointTorque("block", force, times=[0, 0.02, 0.021, 0.05, 0.051, 1], linear=True))
    model, options = spec.compile(), {"qdot": [1.0], "integrator": integrator, "h": 0.1, "duration": 0.3}
    unwatched = mm.simulate(model, **options)
    assert (unwatched.ended, unwatched.q[-1, 0]) == ("completed", pytest.approx(0.3))
    run = mm.simulate(model, **options, events=mm.Event(lambda state: state.q[0] - 0.03, lambda state: None))
    assert run.ended.startswith(("the implicit step from 0", "the motion is not finite after 0"))
    assert all(abs(happened.q_before[0] - 0.03) < 1e-9 for happened in run.events)
    assert np.isfinite(run.q).all()
