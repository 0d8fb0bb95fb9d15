"""Names of what a run is differentiated by, and what has no derivatives: each a sentence."""

import numpy as np
import pytest
from differences import Everything, arm, check

import myomass as mm
from myomass.adjoint.problem import Problem

RUN = {"q": np.array([0.3, -0.6]), "h": 0.01, "duration": 0.05}
TASK = mm.tasks.Rest()


@pytest.fixture(scope="module")
def model():
    return arm().compile()


UNKNOWN = {
    "hand.mass": r"'hand.mass' names nothing: give \"q\", \"qdot\", \"tau\", \"excitation\"",
    "upper.weight": "BodySpec has no 'weight'; its numbers are",
    "spring.k": "SpringDamper has no 'k'; its numbers are points, stiffness",
    "upper.joint": "'upper.joint' is no number",
    "upper.name": "'upper.name' is no number",
    "spring.points[7]": r"there is no \[7\] in",
    "upper": "names nothing",
    "": "names nothing",
    "upper.": "BodySpec has no ''; its numbers are mass, moments, E_pj, E_jb",
    "bare.mass": "'bare.mass': its inertia is not given",
    "gravity[3]": r"there is no \[3\] in",
    "excitation": "no muscle with an actuator that could be excited",
}


@pytest.mark.fast
@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_names(name):
    spec = arm()
    spec.add_body("bare", "lower", mm.Fixed(), inertia=None)
    with pytest.raises((KeyError, TypeError, ValueError), match=UNKNOWN[name]):
        mm.value_and_grad(spec.compile(), TASK, [name], **RUN)


@pytest.mark.fast
def test_a_name_twice(model):
    with pytest.raises(ValueError, match="names something twice: q, q"):
        mm.value_and_grad(model, TASK, ["q", "q"], **RUN)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("upper.mass", "upper.inertia.mass"),
        ("spring.points[1]", "spring.points"),
        ("spring.points[1]", "spring.points[1][1][0]"),
        ("gravity", "gravity[0]"),
    ],
)
def test_a_number_by_two_names(one, other, model):
    with pytest.raises(ValueError, match="names a number twice, by"):
        mm.value_and_grad(model, TASK, [one, other], **RUN)
    assert set(mm.value_and_grad(model, TASK, ["upper.mass", "lower.mass", "spring.points[0]"], **RUN)[1])


def test_single_numbers_of_arrays(model):
    whole = mm.value_and_grad(model, Everything(), ["gravity", "upper.moments", "spring.points"], **RUN)[1]
    names = ["gravity[2]", "upper.moments[1]", "spring.points[1][1][0]"]
    single = mm.value_and_grad(model, Everything(), names, **RUN)[1]
    wanted = whole["gravity"][2], whole["upper.moments"][1], whole["spring.points"][1, 0]
    np.testing.assert_allclose([single[name] for name in names], wanted, rtol=1e-9)


def test_one_name_alone(model):
    assert set(mm.value_and_grad(model, TASK, "upper.mass", **RUN)[1]) == {"upper.mass"}


def test_a_model_without_its_spec(tmp_path, model):
    run = mm.simulate(model, **RUN)
    loaded = mm.Trajectory.load(run.save(tmp_path / "run.npz")).model
    assert mm.value_and_grad(loaded, TASK, "q", **RUN)[0] == mm.value_and_grad(model, TASK, "q", **RUN)[0]
    with pytest.raises(ValueError, match="nobody knows what model 'arm' was compiled from"):
        mm.value_and_grad(loaded, TASK, "upper.mass", **RUN)


@pytest.mark.fast
def test_a_spec_that_was_changed_since():
    spec = arm()
    model = spec.compile()
    spec.forces["spring"].stiffness = 1.0
    with pytest.raises(ValueError, match="is not what its spec says now"):
        mm.value_and_grad(model, TASK, "upper.mass", **RUN)


def test_the_spec_stays_as_it_was(model):
    before = model.source.compile()
    mm.value_and_grad(model, Everything(), ["upper.mass", "spring.points", "lower.E_pj"], **RUN)
    after = model.source.compile()
    np.testing.assert_array_equal(before.forces.nodes, after.forces.nodes)
    np.testing.assert_array_equal(before.links, after.links)


def test_a_number_at_the_edge_of_what_it_may_be():
    """A massless muscle can only get heavier: its derivative is taken on that side."""
    spec = arm(m={"points": [(None, (0.1, 0, -0.3)), ("lower", (0.05, 0, 0.1))], "tension": 3.0})
    _, slopes = mm.value_and_grad(spec.compile(), Everything(), "m.mass", **RUN)
    light = arm(m={"mass": 1e-5, "points": [(None, (0.1, 0, -0.3)), ("lower", (0.05, 0, 0.1))], "tension": 3.0})
    value = [mm.value_and_grad(x.compile(), Everything(), (), **RUN)[0] for x in (light, spec)]
    assert slopes["m.mass"] == pytest.approx((value[0] - value[1]) / 1e-5, rel=1e-3)


@pytest.mark.parametrize("tiny", [1e-12, 1e-9, 1e-6])
def test_numbers_that_are_nearly_zero(tiny):
    """Their derivatives are those at zero, though a thousandth of them is lost in rounding."""
    found = []
    for value in (0.0, tiny):
        spec = arm(m={"mass": value, "points": [(None, (0.1, 0, -0.3)), ("lower", (0.05, 0, 0.1))], "tension": 3.0})
        spec.forces["spring"].damping = value
        _, slopes = mm.value_and_grad(spec.compile(), Everything(), ["m.mass", "spring.damping"], **RUN)
        found.append([slopes["m.mass"], slopes["spring.damping"]])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-8 + 10 * tiny)


@pytest.mark.fast
def test_numbers_that_change_nothing_have_no_slope_at_all(model):
    spec = arm()
    spec.add_force(mm.JointLimit("lower", lower=-2.0, upper=2.0, stiffness=50.0), "limit")
    spec.add_force(mm.Cable([(None, (0, 0, 0)), ("lower", (0, 0, 0))], 100.0, 9.0), "slack")
    _, slopes = mm.value_and_grad(
        spec.compile(), Everything(), ["limit.upper", "limit.stiffness", "slack.points"], **RUN
    )
    assert not any(np.any(slope) for slope in slopes.values())


def test_a_parameter_of_ones_own(model):
    def scale(spec, size):
        for body in spec.bodies.values():
            body.inertia = mm.Inertia(mass=float(size), moments=tuple(float(size) * np.array([0.01, 0.011, 0.001])))

    parameter = mm.Parameter("size", 1.3, scale)
    _, slopes = mm.value_and_grad(model, Everything(), [parameter], **RUN)

    def value(size):
        return mm.value_and_grad(model, Everything(), [mm.Parameter("size", size, scale)], **RUN)[0]

    spec = arm()
    scale(spec, 1.3)
    assert value(1.3) == mm.value_and_grad(spec.compile(), Everything(), (), **RUN)[0]
    slope = (value(1.301) - value(1.299)) / 0.002
    assert slopes["size"] == pytest.approx(slope, rel=1e-5)


def excited():
    """The arm with a muscle that starts slack and one that does not, so that equilibrium is warned of."""
    straight = {"points": [(None, (-0.1, 0, -0.3)), ("lower", (-0.05, 0, 0.1))]}
    return arm(
        m=straight | {"actuator": mm.Hill(150.0, 0.08, 0.07)},
        x=straight | {"actuator": mm.Hill(150.0, 0.3, 0.35)},
    )


EXCITATIONS = {
    "a pair for two muscles": (0.3, 0.4),
    "lists over time": ([0.0, 0.05], [0.3, 0.6]),
    "over time, of each": (np.array([0.0, 0.02]), np.array([[0.3, 0.4], [0.6, 0.2]])),
    "at one time": ([0.0], [0.4]),
}


@pytest.mark.filterwarnings("ignore:.*no equilibrium")
@pytest.mark.parametrize("name", EXCITATIONS)
def test_excitations_in_any_form(name):
    made = Problem(excited().compile(), ["excitation"], excitation=EXCITATIONS[name], **RUN)
    check(made, Everything(), 2e-8)


@pytest.mark.filterwarnings("ignore:.*no equilibrium")
def test_excitations_of_a_scene_keep_their_times():
    given = {"excitation": ([0.0, 0.001, 0.05], [0.3, 0.9, 0.2])}
    scene = mm.scenes.Scene("s", "s", excited(), RUN["q"], np.zeros(2), 0.05, 0.01, "bdf1", **given)
    check(Problem(scene, ["excitation"]), Everything(), 2e-8)


@pytest.mark.filterwarnings("ignore:.*no equilibrium")
def test_motions_of_each_muscle_have_no_derivatives():
    pairs = [([0.0, 0.05], [0.3, 0.6]), ([0.0, 0.05], [0.3, 0.6])]
    for given in (pairs, {"m": 0.3}, mm.Motion.sine(0.2, 3.0, 0.0, 0.5)):
        with pytest.raises(ValueError, match="derivatives by the excitation need numbers"):
            mm.value_and_grad(excited().compile(), TASK, ["excitation"], excitation=given, **RUN)


def test_a_start_without_equilibrium_is_warned_of_once():
    with pytest.warns(RuntimeWarning, match="there is no equilibrium for 'x'") as told:
        mm.value_and_grad(excited().compile(), TASK, ["q", "qdot"], **RUN)
    assert len(told) == 1


def nothing(spec, x):
    """Edit nothing."""


def sometimes(spec, x):
    """Add a body where the number is above 1."""
    if x > 1.0:
        spec.add_body("new", "lower", mm.Revolute((0, 1, 0)), inertia=mm.Inertia.sphere(0.1, mass=1.0))


@pytest.mark.fast
@pytest.mark.parametrize(
    ("parameter", "error", "sentence"),
    [
        (mm.Parameter("q", 1.0, nothing), ValueError, "cannot go by the name 'q'"),
        (mm.Parameter(3, 1.0, nothing), TypeError, "a parameter has a name, a value, and a function"),
        (mm.Parameter("a", 1.0, "edit"), TypeError, "a parameter has a name, a value, and a function"),
        (mm.Parameter("a", [], nothing), ValueError, "the value of parameter 'a' must be a number, or several"),
        (mm.Parameter("a", [[1.0, 2.0], [3.0]], nothing), ValueError, "rows of different lengths"),
        (mm.Parameter("a", np.inf, nothing), ValueError, "the value of parameter 'a' must be a finite number"),
        (mm.Parameter("a", 1.0, sometimes), ValueError, "'a' changes which joints, muscles or constraints there are"),
    ],
)
def test_parameters_that_cannot_be(parameter, error, sentence, model):
    with pytest.raises(error, match=sentence):
        mm.value_and_grad(model, TASK, [parameter], h=0.01, duration=0.05)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"integrator": "recursive"}, ValueError, "'recursive' has no derivatives; there are those of bdf1"),
        ({"integrator": "maximal"}, ValueError, "'maximal' has no derivatives"),
        ({"integrator": "rk5"}, ValueError, "there is no integrator 'rk5'"),
        ({"tau": lambda t, q, qdot: q}, TypeError, "of a function nobody has derivatives"),
        ({"tau": np.zeros((3, 2))}, ValueError, r"tau has shape \(3, 2\), and the run has 5 steps"),
        ({"q": [0.0]}, ValueError, "q"),
        ({"q": [0.0, np.nan]}, ValueError, "finite"),
        ({"duration": -1.0}, ValueError, "duration must be a positive number"),
        ({"excitation": 0.5}, ValueError, "no muscle with an actuator"),
    ],
)
def test_runs_without_derivatives(options, error, sentence, model):
    with pytest.raises(error, match=sentence):
        mm.value_and_grad(model, TASK, "q", **RUN | options)


def test_no_model():
    with pytest.raises(TypeError, match="give a model"):
        mm.value_and_grad(arm(), TASK, "q", **RUN)


@pytest.mark.fast
def test_stops_and_reflexes_are_refused():
    spec = arm()
    spec.add_constraint(mm.JointStop("lower", upper=0.1))
    with pytest.raises(ValueError, match="has stops, contacts or friction"):
        mm.value_and_grad(spec.compile(), TASK, "q", **RUN)
    spec = arm(
        m={"points": [(None, (0.1, 0, -0.3)), ("lower", (0.05, 0, 0.1))], "actuator": mm.Hill(200.0, 0.12, 0.13)}
    )
    spec.add_reflex(mm.Reflex("m", of="force", gain=0.1))
    with pytest.raises(ValueError, match="has reflexes"):
        mm.value_and_grad(spec.compile(), TASK, "q", **RUN)


@pytest.mark.fast
def test_constraints_with_a_method_that_holds_none():
    spec = arm()
    spec.add_constraint(mm.DrivenJoint("lower", mm.Motion.sine(0.3, 5.0, 0.1)))
    able = "bdf1, bdf2, sdirk2, rk4, semi-implicit, euler"
    with pytest.raises(ValueError, match=f"no gradient through constraints with 'symplectic'; take {able}$"):
        mm.value_and_grad(spec.compile(), TASK, "q", **RUN | {"integrator": "symplectic"})


def test_a_run_that_does_not_end(model):
    with pytest.raises(
        mm.adjoint.Unfinished, match="no derivative, since it did not come to its end: the motion is not"
    ):
        mm.value_and_grad(model, TASK, "q", q=[0.3, 0.4], qdot=[1e6, 1e6], integrator="rk4", h=0.1, duration=10.0)


@pytest.mark.fast
def test_one_body_no_freedom_and_one_step():
    spec = mm.Spec("fixed")
    spec.add_body("a", None, mm.Fixed(), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    for integrator in ("bdf1", "rk4", "symplectic", "euler"):
        value, slopes = mm.value_and_grad(
            spec.compile(), mm.tasks.Reach("a"), ("q", "tau", "a.mass"), h=0.1, duration=0.1, integrator=integrator
        )
        assert value == 0.0 and slopes["q"].shape == (0,) and slopes["a.mass"] == 0.0


def test_three_hundred_bodies():
    spec = mm.Spec("chain")
    for i in range(300):
        parent, place = (f"b{i - 1}", mm.translation(0.01, 0, 0)) if i else (None, np.eye(4))
        spec.add_body(
            f"b{i}",
            parent,
            mm.Revolute((0, 1, 0)),
            place,
            mm.translation(0.005, 0, 0),
            mm.Inertia.sphere(0.01, mass=0.1),
        )
    model = spec.compile()
    run = {"integrator": "semi-implicit", "h": 1e-4, "duration": 3e-4}
    task = mm.tasks.Reach("b299")
    _, slopes = mm.value_and_grad(model, task, "qdot", **run)
    direction = np.random.default_rng(0).normal(size=300)
    ends = [mm.value_and_grad(model, task, (), qdot=k * direction, **run)[0] for k in (1e-3, -1e-3)]
    assert slopes["qdot"] @ direction == pytest.approx((ends[0] - ends[1]) / 2e-3, rel=1e-7)


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_tiny_and_huge(scale):
    """Lengths, masses and times of another size: the same gradient, in other units."""

    def pendulum(length):
        spec = mm.Spec("rod", gravity=(0, 0, -9.81 * length))
        box = mm.Inertia.cuboid((0.1 * length, 0.1 * length, length), mass=length)
        spec.add_body("rod", None, mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.5 * length), box)
        return spec.compile()

    found = []
    for length in (1.0, scale):
        task = mm.tasks.Reach("rod", target=(length, 0, 0))
        _, slopes = mm.value_and_grad(pendulum(length), task, ("q", "rod.mass"), q=[0.3], h=0.01, duration=0.1)
        found.append((slopes["q"][0] / length**2, slopes["rod.mass"] / length))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("what", "wrt", "more", "sentence"),
    [
        ("pendulum", "q", {}, "give a model .* not 'pendulum'"),
        (None, [3], {}, "wrt holds names and mm.Parameter, and 3 is neither"),
        (None, None, {}, "wrt holds names and mm.Parameter, and None is neither"),
    ],
)
def test_other_things_than_models_and_names(what, wrt, more, sentence, model):
    with pytest.raises(TypeError, match=sentence):
        mm.value_and_grad(model if what is None else what, TASK, wrt, **RUN, **more)


@pytest.mark.fast
def test_arguments_that_nobody_knows(model):
    with pytest.raises(TypeError, match="a run that has a gradient knows no rtol, times"):
        mm.optimise(model, TASK, "q", times=[0.0], rtol=1e-3, **RUN)
