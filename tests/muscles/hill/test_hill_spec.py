"""Hill by itself: what it takes and refuses, its defaults, and its equilibrium over arrays."""

import numpy as np
import pytest
from hill_kernels import FAMILIES

from myomass.muscles.hill import Hill
from myomass.muscles.hill.curves import DeGrooteFregly2016, Millard2012, Thelen2003
from myomass.muscles.hill.records import hill_dtype
from myomass.muscles.hill.spec import HillNumbers

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"optimal_force": 0.0}, r"optimal_force \[N\] must be finite and positive"),
        ({"optimal_force": "strong"}, "optimal_force"),
        ({"optimal_fibre_length": -0.1}, "optimal_fibre_length"),
        ({"tendon_slack_length": 0.0}, "tendon_slack_length"),
        ({"tendon_slack_length": -0.1, "tendon": "rigid"}, "tendon_slack_length"),
        ({"pennation": -0.1}, r"pennation must be in \[0, max_pennation\)"),
        ({"pennation": 1.5}, "pennation must be in"),
        ({"max_pennation": 1.6}, "max_pennation must be below pi/2"),
        ({"max_velocity": np.nan}, "max_velocity"),
        ({"damping": -0.1}, "damping must not be negative"),
        ({"damping": np.inf}, "damping must be a finite number"),
        ({"tendon": "stiff"}, 'tendon must be "elastic" or "rigid", and is \'stiff\''),
        ({"activation_dynamics": "fast"}, "activation_dynamics must be"),
        ({"activation_time": 0.0}, "activation_time"),
        ({"deactivation_time": -1.0}, "deactivation_time"),
        ({"least_activation": 1.0}, "least_activation must be at least 0 and below 1"),
        ({"least_activation": 0.0, "damping": 0.0}, "give damping or least_activation above 0"),
        ({"curves": Millard2012(tendon_strain=0.0)}, "tendon_strain"),
    ],
)
def test_bad_muscles(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        Hill(**{"optimal_force": 1000.0, "optimal_fibre_length": 0.1, "tendon_slack_length": 0.2, **given})


def test_curves_of_no_family():
    with pytest.raises(TypeError, match=r"curves must be of a family such as mm.curves.Millard2012\(\)"):
        Hill(1000.0, 0.1, 0.2, curves=Millard2012)


@pytest.mark.parametrize(
    ("family", "damping", "times", "dynamics"),
    [
        (None, 0.1, (0.01, 0.04), 0),
        (Thelen2003(), 0.0, (0.015, 0.05), 0),
        (DeGrooteFregly2016(), 0.0, (0.015, 0.06), 1),
    ],
)
def test_defaults_of_the_families(family, damping, times, dynamics):
    numbers = Hill(1000.0, 0.1, 0.2, curves=family).numbers()
    assert (numbers.damping, (numbers.rise, numbers.fall), numbers.dynamics) == (damping, times, dynamics)


def test_numbers_are_the_records():
    """All of a record's fields but those that say where things are in a model."""
    places = {"muscle", "at", "activation", "fibre", "reflex", "reflexes"}
    assert set(HillNumbers._fields) == set(hill_dtype(np.float64).names) - places
    hill = Hill(1000.0, 0.1, 0.2, 0.3, max_velocity=8.0)
    record, numbers = hill.record(), hill.numbers()
    assert [record[name][0] for name in HillNumbers._fields] == list(numbers)
    assert numbers.height == pytest.approx(0.1 * np.sin(0.3)) and numbers.speed == pytest.approx(0.8)
    assert numbers.shortest == pytest.approx(0.04441)
    steep = Hill(1000.0, 0.1, 0.2, 0.9).numbers()
    assert np.arcsin(steep.height / steep.shortest) == pytest.approx(np.arccos(0.1))


def test_equilibria_over_arrays():
    hill, a, L = Hill(1000.0, 0.1, 0.2, 0.2), np.linspace(0.0, 1.0, 4)[:, None], np.linspace(0.26, 0.33, 5)
    settled = hill.equilibrium(a, L)
    assert all(values.shape == (4, 5) for values in settled)
    one = hill.equilibrium(a[2, 0], L[3])
    for values, value in zip(settled, one, strict=True):
        assert np.ndim(value) == 0 and values[2, 3] == value
    pull = (settled.active + settled.passive + settled.damping) * np.cos(settled.pennation)
    np.testing.assert_allclose(pull, settled.tension, rtol=1e-10, atol=1e-8)
    np.testing.assert_allclose(settled.tendon_length + settled.fibre_length * np.cos(settled.pennation), L + 0 * a)
    assert (settled.fibre_velocity == 0).all() and (np.diff(settled.tension, axis=0) > 0).all()
    assert settled.tension[0].tolist() == hill.equilibrium(0.01, L).tension.tolist()  # not below the least


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_stiff_tendon_is_a_rigid_one(family):
    """In the limit, for every family: Thelen's too, which has no rigid tendon in OpenSim."""
    damped = {"damping": 0.1, "pennation": 0.2}
    stiff = type(family)(tendon_strain=4e-6)
    elastic = Hill(1000.0, 0.1, 0.2, curves=stiff, **damped).equilibrium(0.5, 0.295)
    rigid = Hill(1000.0, 0.1, 0.2, curves=family, tendon="rigid", **damped).equilibrium(0.5, 0.295)
    for name in ("tension", "fibre_length", "pennation", "active"):
        assert getattr(elastic, name) == pytest.approx(getattr(rigid, name), rel=2e-4)
    assert rigid.tendon_length == pytest.approx(0.2)


def test_the_path_s_speed_is_shared():
    """Along the tendon fibre and tendon take parts of it that add up, as stiffnesses in series do."""
    hill, speed, h = Hill(1000.0, 0.1, 0.2, 0.2), 0.05, 1e-5
    settled = hill.equilibrium(0.5, 0.3, speed)
    assert 0.0 < settled.fibre_velocity < speed
    later = hill.equilibrium(0.5, 0.3 + h, speed)
    along = settled.fibre_velocity / np.cos(settled.pennation)
    tendon = (later.tendon_length - settled.tendon_length) / h * speed
    assert along + tendon == pytest.approx(speed, rel=0.05)


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
def test_no_equilibrium(tendon):
    hill = Hill(1000.0, 0.1, 0.2, tendon=tendon)
    with pytest.raises(
        ValueError, match=r"no equilibrium at the path length 0.1, 0.2 m; the tendon is slack below 0.24"
    ):
        hill.equilibrium(0.5, [0.3, 0.1, 0.2])
    with pytest.raises(ValueError, match="activation must be between 0 and 1"):
        hill.equilibrium(1.5, 0.3)
    with pytest.raises(ValueError, match="length"):
        hill.equilibrium(0.5, np.nan)


def test_a_line_about_a_muscle():
    hill = Hill(1000.0, 0.1, 0.2, curves=Thelen2003(passive_strain=0.5))
    expected = (
        "optimal_force=1000, optimal_fibre_length=0.1, tendon_slack_length=0.2, curves=Thelen2003(passive_strain=0.5)"
    )
    assert repr(hill) == f"Hill({expected})"
    assert repr(hill.equilibrium(0.5, 0.3)).startswith("Equilibrium(tension=")
