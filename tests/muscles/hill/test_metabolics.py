"""Metabolic power: against OpenSim's probes, the papers' own choices, bounds, and what is refused."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import myomass as mm
from myomass.muscles import Bhargava2004, Metabolics, MuscleReport, Umberger2010, metabolic_power

STORED = json.loads((Path(__file__).parents[2] / "fixtures" / "opensim_metabolics.json").read_text())
NAMES = tuple(STORED["muscles"])
OPTIMAL_FORCE, OPTIMAL_LENGTH, _, _, MAX_VELOCITY, SLOW = np.array(list(STORED["muscles"].values())).T
COMMON = {  # what an option of OpenSim's probes is called here
    "include_negative_mechanical_work": "negative_work",
    "forbid_negative_total_power": "forbid_negative_power",
    "aerobic_factor": "aerobic_factor",
}


def report(**changed):
    """What OpenSim's muscles did, as a report; rows are its states."""
    told = {key: np.array([[m[key] for m in row] for row in STORED["states"]]) for key in STORED["states"][0][0]}
    fibre_force, rows = told.pop("fibre_force"), len(STORED["states"])
    told |= {"passive_force": fibre_force - told["active_force"], "t": np.arange(rows, dtype=float)}
    told |= {"optimal_force": OPTIMAL_FORCE, "optimal_length": OPTIMAL_LENGTH}
    told |= {"names": NAMES, "max_speed": MAX_VELOCITY * OPTIMAL_LENGTH} | changed
    missing = {f.name for f in fields(MuscleReport)} - set(told)
    return MuscleReport(**told, **{name: np.zeros((rows, len(NAMES))) for name in missing})


def like(probe, options):
    """The model here that does what a probe with these options does."""
    given = {ours: options[theirs] for theirs, ours in COMMON.items() if theirs in options}
    given = {"negative_work": True, "forbid_negative_power": True} | given
    given["least_heat"] = float(options.get("enforce_minimum_heat_rate_per_muscle", True))
    if probe == "Umberger2010":
        orderly = options.get("use_Bhargava_recruitment_model", True)
        return Umberger2010(recruitment="orderly" if orderly else "constant", **given)
    forced = options.get("use_force_dependent_shortening_prop_constant", False)
    return Bhargava2004(shortening="force" if forced else "constant", force="fibre", **given)


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: case["probe"])
def test_against_opensim(case):
    power = metabolic_power(report(), like(case["probe"], case["options"]), slow_fibres=SLOW)
    off = [key for key, on in case["options"].items() if key.endswith("_rate_on") and not on]
    found = power.total
    if off:  # only some rates are counted, and no bounds
        kept = {"activation_rate_on": power.activation, "maintenance_rate_on": power.maintenance}
        found = power.activation if case["probe"] == "Umberger2010" else sum(kept[k] for k in kept if k not in off)
    assert found == pytest.approx(np.array(case["power"]), rel=1e-12, abs=1e-11)


def test_as_published_is_the_default():
    both = [case for case in STORED["cases"] if not case["options"].get("forbid_negative_total_power", True)]
    umberger = next(c for c in both if c["options"].get("enforce_minimum_heat_rate_per_muscle", True))
    power = metabolic_power(report(), slow_fibres=dict(zip(NAMES, SLOW, strict=True)))
    assert power.total == pytest.approx(np.array(umberger["power"]), rel=1e-12)
    assert metabolic_power(report(), "umberger2010", slow_fibres=SLOW).total == pytest.approx(power.total, rel=1e-15)


def test_bhargava_counts_the_force_of_the_contractile_element():
    """With a fibre that has no other force the paper and OpenSim's force-dependent constant are one."""
    case = next(c for c in STORED["cases"] if c["options"].get("use_force_dependent_shortening_prop_constant"))
    rows = report()
    whole = metabolic_power(rows, Bhargava2004(force="fibre"), slow_fibres=SLOW)
    own = metabolic_power(rows, "bhargava2004", slow_fibres=SLOW)
    factor = np.where(rows.fibre_velocity <= 0, 0.18, 0.157)
    other = -factor * rows.passive_force * rows.fibre_velocity
    assert whole.total == pytest.approx(np.array(case["power"]), rel=1e-12)
    assert own.total + other == pytest.approx(whole.total, rel=1e-12)


def test_parts_sum_to_the_total_and_bounds_hold():
    for model in (Umberger2010(forbid_negative_power=True, negative_work=True), Bhargava2004(least_heat=3.0)):
        power = metabolic_power(report(), model)
        parts = power.activation + power.maintenance + power.shortening + power.added + power.work
        assert parts == pytest.approx(power.total, rel=1e-12, abs=1e-10)
        mass = OPTIMAL_FORCE / 0.25e6 * 1059.7 * OPTIMAL_LENGTH
        assert (power.total - power.work >= model.least_heat * mass - 1e-12).all() and (power.added > 0).any()
        assert not model.forbid_negative_power or power.total.min() > -1e-12
        assert (power.added[power.added != 0] > 0).all()


def test_work_of_both_signs_or_one():
    rows = report()
    positive = metabolic_power(rows, Umberger2010()).work
    both = metabolic_power(rows, Umberger2010(negative_work=True)).work
    assert both == pytest.approx(rows.active_power, rel=1e-14) and (both < 0).any()
    assert positive == pytest.approx(np.maximum(rows.active_power, 0.0), rel=1e-14)


def test_heat_of_activation_decays_while_a_muscle_is_stimulated():
    """phi = 0.06 + exp(-t_stim u/45 ms): by hand, of a muscle that is stimulated from row 3 to 6 and again at 9."""
    u = np.full((10, 2), 0.01)
    u[3:7], u[9] = 0.5, 1.0
    times = np.linspace(0.0, 0.09, 10)
    rows = report(excitation=u, t=times)
    decayed = metabolic_power(rows, Bhargava2004(onset=0.05)).activation
    steady = metabolic_power(rows, Bhargava2004()).activation
    since = np.where((np.arange(10) >= 3) & (np.arange(10) < 7), times - times[2], 0.0)
    since[9] = times[9] - times[8]
    phi = 0.06 + np.exp(-since[:, None] * u / 0.045)
    assert decayed == pytest.approx(phi * steady, rel=1e-13)


def test_mass():
    rows = report()
    own = metabolic_power(rows)
    heavy = metabolic_power(rows, mass=2 * OPTIMAL_FORCE / 0.25e6 * 1059.7 * OPTIMAL_LENGTH)
    dense = metabolic_power(rows, density=2 * 1059.7)
    weak = metabolic_power(rows, specific_tension=0.125e6)
    assert heavy.activation == pytest.approx(2 * own.activation, rel=1e-14)
    assert dense.total == pytest.approx(heavy.total, rel=1e-13) and weak.total == pytest.approx(heavy.total, rel=1e-13)
    assert heavy.work == pytest.approx(own.work)


def test_one_muscle_of_a_report():
    rows = report()
    for model in ("umberger2010", Bhargava2004(onset=0.1)):
        alone = metabolic_power(rows["strong"], model, slow_fibres=0.8).total
        assert alone.shape == (len(rows.t),)
        assert alone == pytest.approx(metabolic_power(rows, model, slow_fibres=SLOW).total[:, 1], rel=1e-14)


def test_a_model_of_ones_own():
    class Work(Metabolics):
        """Nothing but work."""

        def rates(self, seen):
            zero = np.zeros_like(seen.length)
            return zero, zero, zero, self.work_rate(seen)

    assert metabolic_power(report(), Work()).total == pytest.approx(report().active_power, rel=1e-14)


def test_of_a_run_and_of_a_state():
    spec = mm.Spec("arm")
    bar = mm.Inertia.cuboid((0.05, 0.05, 0.3), mass=1.5)
    spec.add_body("arm", None, mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.15), bar)
    spec.add_muscle("flexor", 0, [(None, (0.05, 0, 0.1)), ("arm", (0.02, 0, 0.0))], actuator=mm.Hill(300.0, 0.1, 0.13))
    model = spec.compile()
    run = mm.simulate(model, q=[0.2], excitation=0.6, activation=0.3, duration=0.1)
    power = metabolic_power(run.muscles)
    assert power.total.shape == (len(run.t), 1) and (power.total > 0).all()
    assert run.muscles.integral(power.total)[-1, 0] > run.muscles.work[-1, 0]
    last = mm.muscles.muscle_report(model, run.state, excitation=0.6)
    assert metabolic_power(last).total == pytest.approx(power.total[-1], rel=1e-12)
    with pytest.raises(ValueError, match="leave onset out"):
        metabolic_power(last, Bhargava2004(onset=0.1))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"model": "hill1938"}, "no model of metabolic power 'hill1938'; there are: umberger2010, bhargava2004"),
        ({"slow_fibres": 1.2}, "a share lies between 0 and 1"),
        ({"slow_fibres": {"weak": 0.5}}, "is not given for 'strong'"),
        ({"slow_fibres": {"weak": 0.5, "strnog": 0.5}}, "'strnog', which is no muscle with states"),
        ({"slow_fibres": [0.5, 0.5, 0.5]}, r"slow_fibres, a share, must be finite numbers of shape \(2,\)"),
        ({"mass": 0.0}, "has a mass above 0"),
        ({"density": -1.0}, "density .* must be finite and positive"),
    ],
)
def test_what_is_refused(options, sentence):
    with pytest.raises(Exception, match=sentence):
        metabolic_power(report(), **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Umberger2010(aerobic_factor=0.0),
        lambda: Umberger2010(recruitment="random"),
        lambda: Bhargava2004(shortening="no"),
        lambda: Bhargava2004(force="passive"),
        lambda: Bhargava2004(onset=-1.0),
    ],
)
def test_choices_that_do_not_exist(make):
    with pytest.raises(ValueError, match=r"(Umberger|Bhargava)20\d\d: "):
        make()
