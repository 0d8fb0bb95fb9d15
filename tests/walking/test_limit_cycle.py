"""Limit cycles, branches and period doubling: reference numbers, walkers by hand, and the logistic map as a ball."""

import numpy as np
import pytest
from passive_walkers import PointWalker
from scipy.integrate import solve_ivp

import myomass as mm
from myomass.scenes.kneed_walker import KneedWalker
from myomass.scenes.walkers import Compass

THREE = Compass(slope=np.deg2rad(3))


def steep(degrees: float) -> mm.walking.ReturnMap:
    return Compass(slope=np.deg2rad(degrees)).return_map()


def thrown_ball(law) -> mm.walking.ReturnMap:
    """A ball that strikes the ground with a speed v and leaves it with law(v)."""
    spec = mm.Spec("ball", gravity=(0, 0, -2.0))
    spec.add_body("ball", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    return mm.walking.ReturnMap(
        mm.walking.Phase(spec.compile(), lambda q, qdot: q[0], lambda q, qdot: (0 * q, law(-qdot)))
    )


def logistic_ball(r: float) -> mm.walking.ReturnMap:
    return thrown_ball(lambda v: r * v * (1 - v))


def folded_ball(a: float) -> mm.walking.ReturnMap:
    """Cycles at v = 0.5 +- sqrt(a), none for a < 0."""
    return thrown_ball(lambda v: v + a - (v - 0.5) ** 2)


def test_the_compass_has_the_gait_of_the_reference():
    """By an independent program: of 3 degrees and 9.8 m/s^2, (swing, stance) just before the strike."""
    cycle = mm.walking.limit_cycle(THREE.return_map(), THREE.guess)
    assert cycle.converged and cycle.stable and cycle.periods == 1
    before = cycle.events[0].before[0]
    np.testing.assert_allclose(cycle.period, 0.7347209622, rtol=0, atol=1e-10)
    angles = [before[:2].sum(), before[0], before[2:].sum(), before[2]]
    reference = [0.2186688029, -0.3233885581, -1.8047583087, -1.4934431306]
    np.testing.assert_allclose(angles, reference, rtol=0, atol=3e-10)
    expected = [-0.19973 + 0.54448j, -0.19973 - 0.54448j, 0.13157]
    np.testing.assert_allclose(cycle.multipliers, expected, rtol=0, atol=6e-6)


@pytest.mark.parametrize("gravity", [1.62, 9.81, 24.8])
def test_gravity_only_sets_the_pace(gravity):
    ours = Compass(slope=0.04, gravity=gravity)
    cycle, other = (mm.walking.limit_cycle(w.return_map(), w.guess) for w in (ours, Compass(slope=0.04, gravity=1.0)))
    pace = np.sqrt(gravity)
    np.testing.assert_allclose(cycle.x, other.x * [1, 1, pace, pace], rtol=1e-10)
    np.testing.assert_allclose(cycle.period * pace, other.period, rtol=1e-10)
    np.testing.assert_allclose(cycle.multipliers, other.multipliers, rtol=0, atol=1e-9)


def test_cycles_of_point_masses_stay_where_they_are():
    kneed, compass = KneedWalker(), Compass(slope=0.06, gravity=3.7, hip_mass=3.0, offset=0.45)
    leg = [(0.5, 0.325), (0.05, 0.625)]
    oracles = {
        kneed: PointWalker(kneed.slope, kneed.gravity, kneed.hip_mass, leg, 1.0, 0.5),
        compass: PointWalker(compass.slope, compass.gravity, compass.hip_mass, [(1.0, 0.45)], 1.0),
    }
    for walker, oracle in oracles.items():
        cycle = mm.walking.limit_cycle(walker.return_map(), walker.guess)
        n = len(cycle.x) // 2
        y = np.concatenate([np.cumsum(half)[:2] for half in np.split(cycle.x, [n])])
        period, after, _ = oracle.stride(y)
        np.testing.assert_allclose(period, cycle.period, rtol=0, atol=1e-11)
        np.testing.assert_allclose(after, y, rtol=0, atol=1e-10)


def simplest_walker(slope: float, y: np.ndarray) -> np.ndarray:
    """(theta, phi, theta', phi') after a step, by the equations that Garcia et al. 1998 print."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        theta, phi, speed, swing = y
        turn = np.sin(theta - slope)
        return [speed, swing, turn, turn + speed**2 * np.sin(phi) - np.cos(theta - slope) * np.sin(phi)]

    def heel(t: float, y: np.ndarray) -> float:
        return y[1] - 2 * y[0] if y[1] < -0.1 else -1.0

    heel.terminal, heel.direction = True, 1
    run = solve_ivp(rates, (0, 6), y, events=heel, method="DOP853", rtol=1e-12, atol=1e-13)
    theta, _, speed, _ = run.y_events[0][0]
    c = np.cos(2 * theta)
    return np.array([-theta, -2 * theta, c * speed, c * (1 - c) * speed])


def test_light_feet_make_the_simplest_walker():
    """Masses of 1e-7 at the feet: all agrees to their size; differences give the other map's derivative."""
    slope, step = 0.009, 1e-5
    light = Compass(slope=slope, gravity=1.0, hip_mass=1.0, leg_mass=1e-7, length=1.0, offset=1.0)
    cycle = mm.walking.limit_cycle(light.return_map(), [0.2 - slope, -0.4, -0.2, 0.0158])
    y = cycle.x * [1, -1, 1, -1] + [slope, 0, 0, 0]
    np.testing.assert_allclose(simplest_walker(slope, y), y, rtol=0, atol=1e-6)
    ends = [[simplest_walker(slope, y + sign * step * e) for e in np.eye(4)] for sign in (1, -1)]
    others = np.linalg.eigvals((np.array(ends[0]) - ends[1]).T / (2 * step))
    others = others[np.lexsort((-others.imag, -np.abs(others).round(6)))]
    np.testing.assert_allclose(cycle.multipliers[:2], others[:2], rtol=0, atol=1e-5)
    assert cycle.stable and len(cycle.multipliers) == 2, (
        "with its mass at the foot a leg is brought to rest by a strike"
    )


def test_the_walker_with_knees_walks_stably():
    walker = KneedWalker()
    P = walker.return_map()
    cycle = mm.walking.limit_cycle(P, walker.guess)
    assert cycle.stable and len(cycle.multipliers) == 3, "one multiplier is lost to the strikes, two to the knee"
    x = cycle.x + 1e-4 * np.array([1.0, -2.0, 0, 1.0, -1.0, 0])
    for _ in range(30):
        x = P(x).x
    np.testing.assert_allclose(x, cycle.x, rtol=0, atol=1e-4 * 10 * np.abs(cycle.multipliers[0]) ** 30)


def test_a_ball_follows_the_logistic_map():
    for r in (2.5, 3.2):
        cycle = mm.walking.limit_cycle(logistic_ball(r), [0.0, 0.6])
        np.testing.assert_allclose([cycle.x[1], cycle.period], np.full(2, 1 - 1 / r), rtol=1e-12)
        np.testing.assert_allclose(cycle.multipliers, [2 - r], rtol=1e-11)
        assert cycle.stable == (r < 3)
    twice = mm.walking.limit_cycle(logistic_ball(3.2), [[0.0, 0.5], [0.0, 0.8]], periods=2)
    roots = np.sort(np.roots([3.2**2, -3.2 * 4.2, 4.2]))
    np.testing.assert_allclose([twice.x[1], twice.events[0].x[1]], roots, rtol=1e-11)
    np.testing.assert_allclose(twice.multipliers, [1 - (3.2 + 1) * (3.2 - 3)], rtol=1e-10)
    assert twice.periods == 2 and twice.stable


def test_the_period_of_the_ball_doubles_where_it_should():
    first = mm.walking.period_doubling(logistic_ball, (2.7, 3.3), [0.0, 0.6])
    np.testing.assert_allclose(first.value, 3.0, rtol=1e-11)
    np.testing.assert_allclose(np.abs(first.direction), [0.0, 1.0], atol=1e-9)
    second = mm.walking.period_doubling(logistic_ball, (3.2, 3.55), [[0.0, 0.5], [0.0, 0.8]], periods=2)
    np.testing.assert_allclose(second.value, 1 + np.sqrt(6), rtol=1e-11)
    with pytest.raises(ValueError, match=r"no multiplier passes -1 between 2\.5 and 2\.9"):
        mm.walking.period_doubling(logistic_ball, (2.5, 2.9), [0.0, 0.6])
    with pytest.raises(ValueError, match="1 of 2 strides being enough: give a guess nearer to a cycle of 2"):
        mm.walking.period_doubling(logistic_ball, (2.5, 2.9), [0.0, 0.6], periods=2)


def test_the_compass_takes_long_and_short_steps_in_turn_on_steeper_slopes():
    start = Compass(slope=np.deg2rad(4.2)).guess
    doubling = mm.walking.period_doubling(steep, (4.2, 4.6), start)
    np.testing.assert_allclose(doubling.cycle.multipliers[0], -1.0, rtol=0, atol=1e-9)
    near = [doubling.value - 0.15, doubling.value + 0.15]
    coarse = mm.walking.bifurcation_diagram(steep, near, start, strides=2, transient=60)
    assert np.ptp(coarse.periods[0]) < 1e-4 < 0.01 < np.ptp(coarse.periods[1])
    pair = mm.walking.limit_cycle(steep(near[1]), coarse.x[1], periods=2)
    alone = mm.walking.limit_cycle(steep(near[1]), doubling.cycle.x)
    assert pair.stable and pair.periods == 2 and not alone.stable and alone.periods == 1


def test_a_branch_is_followed_and_says_where_it_ends():
    branch = mm.walking.follow_cycle(logistic_ball, np.linspace(2.0, 4.0, 5), [0.0, 0.45])
    np.testing.assert_allclose(branch.multipliers[:, 0], 2 - branch.values, rtol=0, atol=1e-11)
    np.testing.assert_allclose(branch.periods, 1 - 1 / branch.values, rtol=1e-11)
    with pytest.warns(RuntimeWarning, match="follow_cycle: the cycle is lost at"):
        ended = mm.walking.follow_cycle(folded_ball, [0.04, 0.02, 0.001, -0.02], [0.0, 0.7])
    assert len(ended.cycles) == 3 and "the cycle is lost" in ended.message
    np.testing.assert_allclose(ended.multipliers[:, 0], 1 - 2 * np.sqrt(ended.values), rtol=0, atol=1e-9)


def test_a_diagram_shows_the_cascade_and_where_it_fails():
    diagram = mm.walking.bifurcation_diagram(
        logistic_ball, [2.8, 3.2, 3.5, 4.5, 3.2], [0.0, 0.5], strides=8, transient=300
    )
    for k, count in ((0, 1), (1, 2), (2, 4), (4, 2)):
        assert len(np.unique(diagram.periods[k].round(6))) == count
        np.testing.assert_allclose(diagram.x[k, :, 1], diagram.periods[k], rtol=1e-12)
    assert np.isnan(diagram.x[3]).all() and np.isnan(diagram.periods[3]).all()
    assert [failure is None for failure in diagram.failures] == [True, True, True, False, True]


def test_searches_that_fail_say_so():
    P = THREE.return_map()
    with pytest.raises(ValueError, match=r"from the guess, in phase 0 'swing' it is lost after .*nearer to the cycle"):
        mm.walking.limit_cycle(P, [0.2, -0.4, 1.0, 0.0])
    with pytest.raises(ValueError, match="from the guess, in phase 0"):
        mm.walking.limit_cycle(P, [0.2, -0.4, 1.0, 0.0], periods=2)
    with pytest.warns(RuntimeWarning, match="after 1 iterations"):
        cycle = mm.walking.limit_cycle(P, THREE.guess, most_iterations=1)
    assert not cycle.converged and cycle.residual > 1e-12
    with pytest.raises(ValueError, match="periods is a whole number from 1 on"):
        mm.walking.limit_cycle(P, THREE.guess, periods=0)
    with pytest.raises(TypeError, match=r"give an mm\.walking\.ReturnMap"):
        mm.walking.limit_cycle(None, THREE.guess)
    with pytest.raises(ValueError, match="at least one value"):
        mm.walking.follow_cycle(steep, [], THREE.guess)
    with pytest.raises(ValueError, match="is a whole number"):
        mm.walking.bifurcation_diagram(steep, [3.0], THREE.guess, strides=0)


def test_a_search_that_does_not_converge_calls_nothing_stable():
    walker = Compass(slope=np.deg2rad(3))
    with pytest.warns(RuntimeWarning, match="closes to"):
        cycle = mm.walking.limit_cycle(walker.return_map(), walker.guess, most_iterations=1)
    assert not cycle.converged and not cycle.stable


def test_two_periods_that_are_one_are_told_as_one():
    walker = Compass(slope=np.deg2rad(3))
    once = mm.walking.limit_cycle(walker.return_map(), walker.guess)
    twice = mm.walking.limit_cycle(walker.return_map(), walker.guess, periods=2)
    assert twice.periods == len(twice.events) == 1
    assert twice.period == pytest.approx(once.period, abs=1e-11)
    np.testing.assert_allclose(twice.multipliers, once.multipliers, atol=1e-8)


def test_a_guard_in_real_numbers_gets_a_sentence():
    spec = mm.Spec("ball", gravity=(0, 0, -9.81))
    spec.add_body("ball", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    deaf = mm.walking.Phase(spec.compile(), lambda q, qdot: q[0].real - 0.1, lambda q, qdot: (q, -qdot))
    assert mm.walking.ReturnMap([deaf])([0.5, 0.0]).failure is None
    with pytest.raises(ValueError, match="it must take complex vectors"):
        mm.walking.ReturnMap([deaf])([0.5, 0.0], derivative=True)


def test_a_diagram_of_nonsense_gets_a_sentence():
    for options, sentence in (
        ({"transient": "a"}, "transient is a whole number from 0"),
        ({"strides": 0}, "strides is"),
    ):
        with pytest.raises(ValueError, match=sentence):
            mm.walking.bifurcation_diagram(steep, [4.0], np.zeros(4), **options)
    with pytest.raises(ValueError, match="the guess"):
        mm.walking.bifurcation_diagram(steep, [4.0], "here")
