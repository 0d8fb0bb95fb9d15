"""The compass walker: its gait against numbers of an independent program, its strikes, its exchange of feet."""

import numpy as np
import pytest

import myomass as mm
from myomass.scenes.compass import walker_feet
from myomass.scenes.walkers import Compass

# Limit cycle at 3 degrees and 9.8 m/s^2: period, angles to the vertical before a strike (swing, stance), their rates.
# Computed by an independent program; Table 1 of the paper is close to this state, on a slope of 0.0524 rad.
PERIOD, ANGLES, RATES = 0.7347209622, (0.2186688029, -0.3233885581), (-1.8047583087, -1.4934431306)
TIGHT = {"integrator": "recursive", "rtol": 1e-12, "atol": 1e-13}


def walk(seconds: float, slope: float = np.radians(3), **options) -> mm.Trajectory:
    scene = mm.scenes.load("compass-walker", slope=slope, gravity=options.pop("gravity", 9.8))
    return mm.simulate(scene, duration=seconds, **options)


def before(event) -> tuple[np.ndarray, np.ndarray]:
    """Angles and rates (swing, stance) to the vertical, before a strike; the hip's coordinate is right less left."""
    right_bears = int(event.model_before.parents[1] < 0)
    sign = -1.0 if right_bears else 1.0
    told = []
    for x in (event.q_before, event.qdot_before):
        stance, hip = x[right_bears], x[1 - right_bears]
        told.append(np.array([stance + sign * hip, stance]))
    return tuple(told)


def test_the_gait_is_that_of_an_independent_program():
    run = walk(40.0, **TIGHT)
    assert run.ended == "completed"
    periods = np.diff([event.time for event in run.events])
    assert periods[-1] == pytest.approx(PERIOD, abs=1e-10)
    angles, rates = before(run.events[-1])
    np.testing.assert_allclose(angles, ANGLES, rtol=0, atol=2e-10)
    np.testing.assert_allclose(rates, RATES, rtol=0, atol=2e-10)
    np.testing.assert_allclose(angles.sum(), -2 * np.radians(3), atol=1e-12)  # both feet are on the slope


def test_feet_take_turns_and_stay_where_they_stand():
    run = walk(6.0, **TIGHT)
    tops = [int(model.parents[1] < 0) for _, model in run.switches]
    assert tops == [1, 0] * (len(tops) // 2) + [1] * (len(tops) % 2)
    foot = Compass().foot
    for piece in run.pieces:
        bearing = int(piece.model.parents[1] < 0)
        E = piece.poses[:, bearing]
        places = E[:, :3, :3] @ foot + E[:, :3, 3]
        assert np.ptp(places, axis=0).max() < 1e-14
    heights = run.poses[[row for row, _ in run.switches]][:, 0, :3, 3] @ Compass(np.radians(3)).normal
    assert np.ptp(heights[2::2]) < 1e-3  # it keeps its height above the slope


def test_energy_is_kept_in_a_step_and_lost_in_a_strike():
    run = walk(4.0, **TIGHT)
    for piece, following in zip(run.pieces, run.pieces[1:], strict=False):
        total = piece.kinetic + piece.potential
        assert np.ptp(total) < 1e-10
        assert following.kinetic[0] + following.potential[0] < total[-1] - 1.0


def test_gravity_scales_time_alone():
    slow, fast = (walk(30.0 / np.sqrt(g / 9.8), gravity=g, **TIGHT) for g in (1.62, 9.8))
    one, other = (np.diff([event.time for event in run.events])[-1] for run in (slow, fast))
    assert one * np.sqrt(1.62) == pytest.approx(other * np.sqrt(9.8), rel=1e-9)
    np.testing.assert_allclose(before(slow.events[-1])[0], before(fast.events[-1])[0], atol=1e-9)


@pytest.mark.parametrize(
    "integrator", ["redmax", "rk4", "semi-implicit", "symplectic", "euler", "bdf1", "bdf2", "sdirk2", "maximal"]
)
def test_it_walks_with_any_integrator(integrator, strikes):
    """The same strikes, as far as the integrator is accurate."""
    run = walk(4.2, integrator=integrator, **({"rtol": 1e-8} if integrator == "redmax" else {"h": 1e-3}))
    assert run.ended == "completed"
    first_order = integrator in ("semi-implicit", "symplectic", "euler", "bdf1", "maximal")
    times = [event.time for event in run.events]
    np.testing.assert_allclose(times, strikes, rtol=0, atol=0.03 if first_order else 3e-4)


@pytest.fixture(scope="module")
def strikes() -> list[float]:
    return [event.time for event in walk(4.2, **TIGHT).events]


def test_a_strike_is_found_to_a_picosecond():
    """At the event the foot is on the slope to within what it falls in 1e-12 s."""
    feet = walker_feet(Compass(np.radians(3)))
    for options in ({"integrator": "recursive", "rtol": 1e-9}, {"integrator": "rk4", "h": 4e-3}):
        for event in walk(3.0, **options).events:
            model = event.model_before
            gap = feet.gap(model.state(event.q_before), model)
            step = 1e-6
            ahead = feet.gap(model.state(event.q_before + step * event.qdot_before), model)
            assert abs(gap) < 1e-12 * abs(ahead - gap) / step


def test_scuffing_is_ignored_where_ahead_is_known():
    """A swing leg that comes late touches the ground as it passes; feet that know nothing of ahead stumble there."""
    walker, hinge = Compass(np.radians(3)), mm.Revolute((0, -1, 0))
    model = walker.spec().compile()
    late = {"q": [-0.15, -0.15], "qdot": [-0.3, 3.0], "integrator": "recursive", "rtol": 1e-9, "duration": 0.4}
    blind = mm.walking.Feet(dict.fromkeys(("left", "right"), walker.foot), walker.normal)
    stumbling = mm.simulate(model, events=mm.walking.strike(blind, hinge), **late).events[0]
    assert abs(stumbling.q_before[1]) < 1e-9  # legs side by side
    walking = mm.simulate(model, events=mm.walking.strike(walker_feet(walker), hinge), **late).events[0]
    assert walking.time > stumbling.time + 0.02
    assert before(walking)[0].sum() == pytest.approx(-2 * walker.slope, abs=1e-10)
    assert walking.q_before[1] > 0.1


@pytest.mark.slow
def test_ten_thousand_steps_without_drift_or_a_missed_strike():
    run = walk(10_000 * PERIOD + 0.3, integrator="recursive", rtol=1e-9, atol=1e-11, times=np.array([0.0, 7347.5]))
    assert run.ended == "completed"
    periods = np.diff([event.time for event in run.events])
    assert len(run.events) == 10_000
    assert np.ptp(periods[100:]) < 1e-8
    early, late = (np.concatenate(before(run.events[k])) for k in (100, -1))
    np.testing.assert_allclose(late, early, rtol=0, atol=1e-8)


# --- parameters -------------------------------------------------------------------------------------------------------


def test_the_defaults_are_those_of_table_1():
    scene, walker = mm.scenes.load("compass-walker"), Compass()
    assert (walker.slope, walker.hip_mass, walker.leg_mass, walker.length, walker.offset) == (0.0524, 2, 1, 1, 0.5)
    mass = scene.model.bodies["mass"]
    assert mass.sum() == pytest.approx(4.0)
    run = mm.simulate(scene)
    assert run.ended == "completed"
    assert len(run.events) == 12
    angles, rates = before(run.events[-1])
    np.testing.assert_allclose(angles, [0.5424 - 0.3236, -0.3236], atol=5e-4)  # the state of Table 1 is near the gait's
    np.testing.assert_allclose(rates, [-0.3117 - 1.4939, -1.4939], atol=2e-3)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"slope": 3.0}, "the slope is in rad, between 0 and 0.7, and is 3"),
        ({"slope": -0.1}, "the slope is in rad"),
        ({"gravity": 0.0}, "compass-walker: gravity must be"),
        ({"offset": 1.2}, "exceeds the leg's length"),
        ({"leg_mass": np.nan}, "leg_mass"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        mm.scenes.load("compass-walker", **parameters)


def test_unknown_parameters_get_a_sentence():
    with pytest.raises(TypeError, match="scene 'compass-walker' has no parameter 'mass'; it has: slope, gravity"):
        mm.scenes.load("compass-walker", mass=1.0)
    with pytest.raises(TypeError, match="scene 'branching' has no parameter 'slope'; it has none"):
        mm.scenes.load("branching", slope=0.1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"places": {}}, "feet are given as"),
        ({"places": {"left": (0, 0)}}, "the place of the foot of 'left'"),
        ({"places": {"left": (0, 0, 0)}, "normal": (0, 0, 0)}, "the normal"),
    ],
)
def test_bad_feet_get_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        mm.walking.Feet(**arguments)
