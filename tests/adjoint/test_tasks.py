"""Tasks: what they ask for, their slopes, and what they say of bad input."""

import numpy as np
import pytest
from differences import arm, check

import myomass as mm
from myomass.adjoint.problem import Problem

RUN = {"q": np.array([0.3, -0.6]), "qdot": np.array([1.0, 2.0]), "integrator": "bdf2", "h": 0.01, "duration": 0.1}
T = mm.tasks


@pytest.fixture(scope="module")
def model():
    return arm().compile()


def run(model):
    return mm.simulate(model, **RUN)


TASKS = {
    "reach": T.Reach("lower", (0, 0, -0.2), (0.3, 0.1, -0.2)),
    "reach at times": T.Reach("lower", (0, 0, -0.2), [(0.3, 0.1, -0.2), (0.2, 0.1, -0.3)], at=[0.03, 0.1]),
    "follow coordinates": T.Follow([0.02, 0.05], [[0.1, np.nan], [0.3, 0.4]], ["upper", "lower"]),
    "follow one coordinate": T.Follow([0.02, 0.05], [0.1, 0.3], "lower"),
    "follow a point": T.Follow([0.0, 0.05], np.ones((2, 3)), body="upper", point=(0.1, 0, 0)),
    "rest": T.Rest(),
    "rest at times": T.Rest([0.05, 0.1]),
    "effort": T.Effort(),
    "near": T.Near("tau", [0.1, 0.2], scale=0.3),
    "sum": 2.0 * T.Rest() + (T.Reach("lower") + T.Effort()) * 0.5,
}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("by_step", [False, True])
def test_slopes(name, by_step, model):
    if name == "near" and by_step:
        return
    tau = np.random.default_rng(0).normal(size=(10, 2)) if by_step else np.array([0.4, -0.3])
    check(Problem(model, ["q", "qdot", "tau"], tau=tau, **RUN), TASKS[name])


@pytest.mark.fast
def test_near_a_number_of_the_model(model):
    task = T.Near("upper.mass", 1.2, scale=0.1) + T.Near("q", scale=[1.0, 2.0])
    value, slopes = mm.value_and_grad(model, task, ["upper.mass", "q"], **RUN)
    assert value == pytest.approx(4.0 + 0.3**2 + 0.3**2)
    assert slopes["upper.mass"] == pytest.approx(-40.0)
    np.testing.assert_allclose(slopes["q"], [0.6, -0.3])


@pytest.mark.fast
def test_values(model):
    rows, last = run(model), -1
    place = mm.forward_kinematics(model, rows.q[last])[1] @ (0, 0, -0.2, 1)
    assert mm.value_and_grad(model, TASKS["reach"], (), **RUN)[0] == pytest.approx(
        np.sum((place[:3] - (0.3, 0.1, -0.2)) ** 2)
    )
    expected = ((rows.q[2, 0] - 0.1) ** 2 + np.sum((rows.q[5] - (0.3, 0.4)) ** 2)) / 2
    assert mm.value_and_grad(model, TASKS["follow coordinates"], (), **RUN)[0] == pytest.approx(expected)
    assert mm.value_and_grad(model, T.Effort(), (), tau=[2.0, 3.0], **RUN)[0] == pytest.approx(0.1 * 13)
    assert mm.value_and_grad(model, T.Rest(), (), **RUN)[0] == pytest.approx(rows.qdot[-1] @ rows.qdot[-1])
    total = mm.value_and_grad(model, TASKS["sum"], (), **RUN)[0]
    parts = [mm.value_and_grad(model, task, (), **RUN)[0] for task in (T.Rest(), T.Reach("lower"), T.Effort())]
    assert total == pytest.approx(2.0 * parts[0] + 0.5 * parts[1] + 0.5 * parts[2])


def test_places_depend_on_numbers_of_the_model(model):
    """The rod's own length moves the point that must reach, even where nothing else moves."""
    still = {"q": [0.0, 0.0], "h": 0.01, "duration": 0.01, "integrator": "bdf1"}
    spec = arm()
    spec.forces.clear()
    _, slopes = mm.value_and_grad(spec.compile(), T.Reach("lower"), ["lower.E_pj"], **still)
    np.testing.assert_allclose(slopes["lower.E_pj"][3:], [0, 0, 2 * -0.6], atol=1e-6)


BAD = {
    "unknown body": (T.Reach("hand"), KeyError, "hand"),
    "unknown coordinate": (T.Follow([0.1], [[1.0]], ["wrist"]), KeyError, "no coordinate 'wrist'"),
    "unknown body to follow": (T.Follow([0.1], [[1.0, 0, 0]], body="hand"), KeyError, "hand"),
    "no row there": (T.Rest(0.055), ValueError, "no step of the run ends at 0.055 s; its rows are from 0 to 0.1 s"),
    "no times": (T.Reach("lower", at=[]), ValueError, "Reach: give one time at least"),
    "after the end": (T.Rest(0.2), ValueError, "no step of the run ends at 0.2 s"),
    "unknown input": (T.Near("mass"), KeyError, "nothing went into the run by the name 'mass'"),
    "wrong shape": (T.Near("q", [1.0, 2.0, 3.0]), ValueError, "must be of shape"),
    "no task": (3.0, TypeError, "one of mm.tasks"),
    "nothing defined": (T.Task(), NotImplementedError, "must define terms"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tasks(name, model):
    task, error, sentence = BAD[name]
    with pytest.raises(error, match=sentence):
        mm.value_and_grad(model, task, ["q"], **RUN)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: T.Reach("a", target=[(0, 0, 0), (1, 1, 1)]), "one target, or one for each"),
        (lambda: T.Reach("a", target=(0, np.nan, 0)), "finite"),
        (lambda: T.Reach("a", point=(0, 0)), "point"),
        (lambda: T.Follow([0.1], [[1.0]]), "give the names of coordinates, or a body"),
        (lambda: T.Follow([0.1], [[1.0, 2.0]], ["a"]), r"shape \(1, 1\), and are \(1, 2\)"),
        (lambda: T.Follow([0.1], [[np.inf]], ["a"]), "infinite"),
        (lambda: T.Follow([], np.zeros((0, 1)), ["a"]), "give one time at least"),
        (lambda: T.Follow([0.1], [[1.0]], ["a"], point=(0, 0, 1)), "and not both"),
        (lambda: T.Near("q", scale=0.0), "scale must be positive"),
        (lambda: -1.0 * T.Rest(), "must be a number that is not negative"),
    ],
)
def test_bad_numbers(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


class Own(T.Task):
    """A task of one's own, whose terms are a function of the rollout."""

    def __init__(self, terms):
        self.own = terms

    def terms(self, rollout):
        return self.own(rollout)


def own(row, values, **slopes):
    return Own(lambda rollout: [T.Misses(row, values, **slopes)])


BAD_OWN = {
    "nothing": (Own(lambda rollout: None), TypeError, "yields mm.tasks.Misses, and returned None"),
    "number": (Own(lambda rollout: [1.0]), TypeError, "yields mm.tasks.Misses, and yielded 1.0"),
    "row": (own(1.0, [1.0]), TypeError, "a row is a whole number, and not 1.0"),
    "late row": (own(11, [1.0]), ValueError, "the run has no row 11"),
    "no step from there": (own(10, [1.0], h=[1.0]), ValueError, "or no step from it"),
    "one number": (own(1, 1.0), ValueError, r"misses of row 1 must be finite numbers of shape \(n,\)"),
    "not finite": (own(1, [np.nan]), ValueError, "misses of row 1 must be finite numbers"),
    "slopes not finite": (own(1, [1.0], q=[[np.nan, 1.0]]), ValueError, "derivatives by q must be finite numbers"),
    "slopes": (own(1, [1.0], qdot=[1.0, 1.0]), ValueError, r"derivatives by qdot must be .* of shape \(1, 2\)"),
    "by time": (own(1, [1.0], t=[1.0, 2.0]), ValueError, r"derivatives by t must be .* of shape \(1,\)"),
    "by inputs": (own(1, [1.0], given={"q": [[1.0]]}), ValueError, r"derivatives by q must be .* of shape \(1, 2\)"),
    "by what is not there": (own(1, [1.0], given={"mass": [[1.0]]}), KeyError, "by the name 'mass'"),
}


@pytest.mark.fast
@pytest.mark.parametrize("wrt", [("q",), ()])
@pytest.mark.parametrize("name", BAD_OWN)
def test_bad_tasks_of_ones_own(name, wrt, model):
    task, error, sentence = BAD_OWN[name]
    for one in (task, 2.0 * T.Rest() + task):
        with pytest.raises(error, match=sentence):
            mm.value_and_grad(model, one, wrt, **RUN)


@pytest.mark.fast
def test_lists_are_arrays(model):
    task = own(10, [2.0, 3.0], q=[[1.0, 0.0], [0.0, 1.0]])
    value, slopes = mm.value_and_grad(model, task, ["q"], **RUN)
    assert value == 13.0 and slopes["q"].any()


@pytest.mark.fast
def test_sums_and_weights_of_numpy(model):
    tasks = [T.Rest(), T.Effort(), T.Near("tau")]
    numbers = np.float64(2.0) * T.Rest(), np.array(2.0) * T.Rest(), T.Rest() * np.int64(2)
    values = [mm.value_and_grad(model, task, (), **RUN)[0] for task in (sum(tasks), tasks[0], *numbers)]
    assert values[0] == values[1] and values[2:] == pytest.approx([2.0 * values[1]] * 3)
    for weight in (np.array([1.0, 2.0]), "2", None):
        with pytest.raises(ValueError, match="the weight of a task must be a number"):
            weight * T.Rest()


def test_only_tasks_are_added():
    with pytest.raises(TypeError):
        T.Rest() + 3
