"""What excites muscles: numbers, motions, arrays, functions, reflexes; and what is refused."""

import warnings

import numpy as np
import pytest
from driven_arms import block_between, driven_arm

import myomass as mm
from myomass.muscles.hill.delay import A, B

GIVEN = {"duration": 0.05, "integrator": "rk4", "h": 5e-4}


def last(excitation, **options):
    return mm.simulate(block_between().compile(), excitation=excitation, **GIVEN | options).z[-1]


@pytest.mark.fast
def test_numbers_names_motions_and_arrays_say_the_same():
    expected = last({"left": 0.3, "right": 0.6})
    rows = np.array([[0.3, 0.6], [0.3, 0.6]])
    for same in (
        (0.3, 0.6),
        [0.3, mm.Motion(0.6)],
        {"right": mm.Motion.held([0.0, 0.02], [0.6, 0.6]), "left": ([0.0, 0.1], [0.3, 0.3])},
        ((0.0, 1.0), rows),
        rows,
        lambda t, q, qdot, z: (0.3, 0.6),
    ):
        np.testing.assert_allclose(last(same), expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(last(0.5), last([0.5, 0.5]))
    np.testing.assert_array_equal(last(None), last(0.0))


@pytest.mark.fast
def test_values_in_time():
    """Linear in between, held until the next one, and as a function of time: against the activation's own equation."""
    model = block_between(least_activation=0.01).compile()
    times, values = np.array([0.0, 0.02, 0.05]), np.array([0.1, 0.9, 0.2])
    of_time = {
        "linear": (mm.Motion.linear(times, values), lambda t: np.interp(t, times, values)),
        "held": (mm.Motion.held(times, values), lambda t: values[np.searchsorted(times, t, side="right") - 1]),
    }
    for motion, u in of_time.values():
        run = mm.simulate(model, excitation={"left": motion}, duration=0.05, rtol=1e-8, atol=1e-10)
        a, grid = 0.01, np.linspace(0, 0.05, 20001)
        for t, h in zip(grid, np.diff(grid), strict=False):  # midpoint rule
            rate = lambda a, u: (u - a) / (0.01 * (0.5 + 1.5 * a)) if u > a else (u - a) * (0.5 + 1.5 * a) / 0.04  # noqa: E731
            middle = a + 0.5 * h * rate(a, u(t + 0.25 * h))
            a += h * rate(middle, u(t + 0.5 * h))
        assert abs(run.z[-1, 0] - a) < 1e-5
        np.testing.assert_allclose(run.excitation[:, 0], [u(t) for t in run.t], atol=1e-12)


@pytest.mark.fast
@pytest.mark.parametrize("name", ["right", "/forceset/right", "right.excitation", "/forceset/right/excitation"])
def test_a_table_excites_the_muscles_that_it_names(name):
    """Linear in between, its ends held, as a motion by name; a muscle without a column relaxes."""
    times, values = np.array([0.01, 0.02, 0.03]), np.array([0.2, 0.9, 0.4])
    table = mm.recordings.Table(times, values[:, None], [name])
    with pytest.warns(UserWarning, match=r"reaches from 0\.01 to 0\.03 s, and the run from 0 to 0\.05 s"):
        found = last(table)
    np.testing.assert_array_equal(found, last({"right": mm.Motion.linear(times, values)}))
    single = mm.recordings.Table([0.02], [[0.3]], [name])
    np.testing.assert_array_equal(last(single), last({"right": 0.3}))


@pytest.mark.fast
def test_a_table_that_does_not_fit():
    about = {"file": "controls.sto"}
    rows = np.full((2, 3), 0.3)
    table = mm.recordings.Table([0.0, 0.1], rows, ["left", "right", "FX"], about=about)
    with pytest.warns(
        UserWarning, match=r"^controls\.sto: no muscle with states has the columns FX; they are left out$"
    ):
        found = last(table)
    np.testing.assert_array_equal(found, last(0.3))
    with pytest.warns(
        UserWarning, match=r"reaches from 1 to 2 s, and the run from 0 to 0\.05 s: excitations stay as at 1 s"
    ):
        last(mm.recordings.Table([1.0, 2.0], rows[:, :2], ["left", "right"]))
    for wrong, sentence in (
        (mm.recordings.Table([0.0, 0.1], rows[:, :1], ["left.activation"], about=about), "it has left.activation$"),
        (mm.recordings.Table([], np.zeros((0, 1)), ["left"], about=about), "controls.sto has no rows"),
        (
            mm.recordings.Table([0.0, 0.1], rows[:, :2], ["left", "/a/left"]),
            "several columns for muscle 'left': left, ",
        ),
        (mm.recordings.Table([0.0, 0.1], [[0.1], [np.nan]], ["left"], about=about), "'left' in controls.sto must be"),
    ):
        with pytest.raises((ValueError, KeyError), match=sentence):
            last(wrong)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([0.0, 0.05], None),
        ([0.01, 0.02, 0.03, 0.04], None),  # one step is missing at both ends
        ([0.02], None),  # a number
        (
            [0.03, 0.04, 0.05],
            "from 0.03 to 0.05 s, and the run from 0 to 0.05 s: excitations stay as at 0.03 s until",
        ),
        ([-0.01, 0.01, 0.03], None),
        (
            [0.0, 0.01, 0.03],
            "from 0 to 0.03 s, and the run from 0 to 0.05 s: excitations stay as at 0.03 s from then",
        ),
        ([0.02, 0.021, 0.03], "excitations stay as at 0.02 s until then and as at 0.03 s from then on;"),
        ([2.0], "from 2 to 2 s, and the run from 0 to 0.05 s: excitations stay as at 2 s until then;"),
    ],
)
def test_a_table_that_does_not_reach_over_the_run(times, told):
    table = mm.recordings.Table(times, np.full((len(times), 2), 0.3), ["left", "right"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = last(table)
    assert [told in str(one.message) for one in caught] == ([] if told is None else [True])
    np.testing.assert_array_equal(found, last(0.3))


@pytest.mark.parametrize("integrator", ["rk4", "sdirk2"])
def test_a_reflex_is_feedback_without_python(integrator):
    """The same as a function of the state, which implicit methods ask at the start of a step only."""
    spec, target = driven_arm(), 0.1
    plain = spec.compile()
    spec.add_reflex(mm.Reflex("flexor", source="lower", gain=0.8, rate_gain=0.1, target=target))
    wired = spec.compile()

    def feedback(t, q, qdot, z):
        return 0.2 + 0.8 * (q[2] - target) + 0.1 * qdot[2], 0.2

    given = {"q": (0.1, 0.0, 0.5), "duration": 0.02, "integrator": integrator, "h": 1e-4}
    one = mm.simulate(wired, excitation=0.2, **given)
    other = mm.simulate(plain, excitation=feedback, **given)
    np.testing.assert_allclose(one.z[-1], other.z[-1], rtol=0, atol=1e-12 if integrator == "rk4" else 2e-3)
    assert np.abs(one.muscles.excitation[:, 0] - one.excitation[:, 0]).max() > 0.05


@pytest.mark.fast
@pytest.mark.parametrize(("periods", "off"), [(2, 2e-4), (5, 2.1e-8)])
def test_what_a_delay_does_to_a_sine(periods, off):
    """Its transfer function against exp(-i w theta), for sines whose period is so many delays."""
    w = 2j * np.pi / periods
    passed = np.ones(len(B)) @ np.linalg.solve(w * np.eye(len(B)) - A, B)
    assert abs(passed - np.exp(-w)) < off


@pytest.mark.parametrize("integrator", ["recursive", "bdf2"])
def test_a_delay_delays(integrator):
    """A coordinate that swings: what comes out of the delay is what it was then, to a ten-thousandth of its swing."""
    spec = mm.Spec("swing", gravity=(0, 0, 0))
    spec.add_body("block", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.cuboid((0.1, 0.1, 0.1), mass=50.0))
    spec.add_force(mm.JointSpring("block", stiffness=50.0 * 30.0**2))
    points = [(None, (0.3, 0, 0)), ("block", (0.0, 0, 0))]
    spec.add_muscle("weak", points=points, actuator=mm.Hill(1e-3, 0.1, 0.2))
    spec.add_reflex(mm.Reflex("weak", source="block", gain=10.0, delay=0.03), name="late")
    model = spec.compile()
    run = mm.simulate(model, q=[0.02], duration=0.6, excitation=0.5, integrator=integrator, h=2.5e-4)
    late = run.z[:, [model.z_names.index(f"late.delay{i}") for i in range(5)]].sum(axis=1)
    after = run.t > 0.1  # the signal began at 0 with a jump in its slope's slope
    then = np.interp(run.t[after] - 0.03, run.t, run.q[:, 0])
    assert np.abs(late[after] - 10.0 * then).max() < 2e-3 * 0.2
    np.testing.assert_allclose(run.muscles["weak"].excitation, 0.5 + late, atol=1e-9)


@pytest.mark.fast
def test_what_is_beyond_is_clipped_and_said():
    with pytest.warns(RuntimeWarning, match=r"excitations lie between 0 and 1, and are clipped: 'left' is given 1.5"):
        clipped = last({"left": 1.5, "right": 0.2})
    np.testing.assert_array_equal(clipped, last({"left": 1.0, "right": 0.2}))
    with pytest.warns(RuntimeWarning, match="'right' is given -0.5"):
        last(lambda t, q, qdot, z: (0.5, -0.5))


@pytest.mark.fast
@pytest.mark.parametrize(
    ("excitation", "sentence"),
    [
        ((0.1, 0.2, 0.3), "excitation, one for each of left, right"),
        ({"middle": 0.3}, "there is no muscle 'middle'"),
        ({"left": "high"}, "the excitation of 'left' must be a finite number"),
        ({"left": np.nan}, "the excitation of 'left' must be a finite number"),
        ({"left": ([0.0, 0.0], [1.0, 1.0])}, "rising times"),
        ({"left": mm.Reflex("left")}, "belongs to the mechanism"),
        (np.ones((5, 3)), "its shape is"),
        (([0.0, 1.0, 2.0], np.ones((2, 2))), "values over time"),
        (np.ones((1, 2)), "two at least"),
    ],
)
def test_excitations_that_do_not_fit(excitation, sentence):
    with pytest.raises((ValueError, TypeError, KeyError), match=sentence):
        last(excitation)


@pytest.mark.fast
def test_a_function_that_fails_ends_the_run_with_its_error():
    with pytest.raises(ValueError, match=r"there are 2 muscles with states"):
        last(lambda t, q, qdot, z: (0.1, 0.2, 0.3))
    with pytest.raises(ZeroDivisionError):
        last(lambda t, q, qdot, z: 1 / 0)
    with pytest.raises(ValueError, match="every number must be finite"):
        last(lambda t, q, qdot, z: np.nan)


@pytest.mark.fast
def test_what_a_model_refuses():
    model = block_between().compile()
    bare = mm.Spec("bare")
    bare.add_body("a", inertia=mm.Inertia(1.0, (1.0, 1.0, 1.0)))
    with pytest.raises(ValueError, match="has no muscle with an actuator"):
        mm.simulate(bare.compile(), excitation=0.5)
    with pytest.raises(ValueError, match="lies between 0 and 1"):
        model.state(activation=1.5)
    with pytest.raises(KeyError, match="no muscle 'middle'"):
        model.state(activation={"middle": 0.5})
    with pytest.raises(ValueError, match="z, the states of the muscles"):
        model.state(z=np.zeros(3))
    with pytest.raises(ValueError, match="not both"):
        model.state(z=np.zeros(4), activation=0.5)
    with pytest.raises(ValueError, match="not both"):
        mm.simulate(model, state=model.state(), activation=0.5)
    with pytest.raises(ValueError, match="z, the states of the muscles"):
        mm.forward_dynamics(model, np.zeros(1), np.zeros(1), z=np.zeros(5))
    spec = block_between()
    points = [(None, (0, 1, 0)), ("block", (0, 0, 0))]
    spec.add_muscle("both", points=points, tension=3.0, actuator=mm.Hill(1.0, 0.1, 0.2))
    with pytest.raises(ValueError, match="muscle 'both': give a tension or an actuator, not both"):
        spec.compile()
    spec = block_between()
    spec.add_muscle("odd", points=points, actuator="strong")
    with pytest.raises(TypeError, match=r"muscle 'odd': the actuator is an mm.Hill"):
        spec.compile()


@pytest.mark.fast
@pytest.mark.parametrize(
    ("reflex", "sentence"),
    [
        (mm.Reflex("middle", source="block"), "there is no muscle 'middle' with an actuator"),
        (mm.Reflex("left"), "source must name the body"),
        (mm.Reflex("left", source="nobody"), "no body 'nobody'"),
        (mm.Reflex("left", of="taste"), "`of` is one of"),
        (mm.Reflex("left", of="force", rate_gain=1.0), "rate_gain is for"),
        (mm.Reflex("left", of="length", source="middle"), "there is no muscle 'middle'"),
        (mm.Reflex("left", source="block", delay=-1.0), "delay .s. must not be negative"),
        (mm.Reflex("left", source="block", gain=np.inf), "gain must be a finite number"),
        (mm.Reflex("left", source="block", component=3), "no number 3"),
        ("stretch", "give an mm.Reflex"),
    ],
)
def test_reflexes_that_do_not_fit(reflex, sentence):
    spec = block_between()
    spec.add_reflex(reflex, name="wrong")
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        spec.compile()
    assert str(caught.value).startswith("reflex 'wrong': ")


@pytest.mark.fast
def test_a_path_too_short_for_its_muscle_is_said():
    model = block_between().compile()
    with pytest.warns(RuntimeWarning, match="no equilibrium for 'left'"):
        state = model.state([-0.16])
    report = mm.muscles.muscle_report(model, state)
    assert report["left"].tension == 0.0 and report["right"].tension > 0.0
