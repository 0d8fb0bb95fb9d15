"""Metabolic power of muscles, from a report on what they did."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ....model.spec import UnknownName, known_names
from ....spatial.brief import brief
from ....spatial.checks import check_numbers, check_positive
from ..report import MuscleReport
from .base import Metabolics, Seen
from .bhargava import Bhargava2004
from .umberger import Umberger2010

MODELS: dict[str, type[Metabolics]] = {"umberger2010": Umberger2010, "bhargava2004": Bhargava2004}
SPECIFIC_TENSION, DENSITY = 0.25e6, 1059.7  # [Pa, kg/m^3], of mammalian muscle, as in both papers
Numbers = float | Sequence[float] | Mapping[str, float]


@brief
class MetabolicPower(NamedTuple):
    """Rates of energy [W], (rows, muscles) each; the total is the sum of the others."""

    activation: np.ndarray  # heat of activation, with that of maintenance where a model does not tell them apart
    maintenance: np.ndarray  # heat of maintenance
    shortening: np.ndarray  # heat of shortening and lengthening
    added: np.ndarray  # heat that keeps bounds: a least heat, or a total that is not negative
    work: np.ndarray  # of the contractile element
    total: np.ndarray


def metabolic_power(
    report: MuscleReport,
    model: str | Metabolics = "umberger2010",
    *,
    mass: Numbers | None = None,
    slow_fibres: Numbers = 0.5,
    specific_tension: float = SPECIFIC_TENSION,
    density: float = DENSITY,
) -> MetabolicPower:
    """Rate at which muscles use energy, as heat and work [W]. (rows, muscles)

    model: "umberger2010" or "bhargava2004", or one with its choices made, such as
    mm.muscles.Umberger2010(aerobic_factor=1.0). mass [kg] and slow_fibres, the share of slow-twitch fibres: a number,
    one for each muscle, or by name; without a mass it is F0/specific_tension * density * optimal length.
    `report.integral(power.total)` is the energy since the first row.
    """
    model = _chosen(model)
    if not isinstance(report, MuscleReport):
        raise TypeError(f"metabolic_power: give a report, as trajectory.muscles, not {report!r}")
    names, shape = report.names, np.shape(report.optimal_force)
    slow = _of_each(slow_fibres, names, shape, "slow_fibres, a share,")
    if (slow < 0).any() or (slow > 1).any():
        raise ValueError(f"slow_fibres: a share lies between 0 and 1, and one is {slow[(slow < 0) | (slow > 1)][0]:g}")
    if mass is None:
        area = report.optimal_force / check_positive(specific_tension, "specific_tension [Pa]")
        own = area * report.optimal_length * check_positive(density, "density [kg/m^3]")
    else:
        own = _of_each(mass, names, shape, "mass [kg]")
        if (own <= 0).any():
            raise ValueError(f"mass: a muscle that uses energy has a mass above 0, and one has {own.min():g} kg")
    seen = Seen(
        report.t,
        report.activation,
        report.excitation,
        report.normal_length,
        report.fibre_velocity / report.optimal_length,
        report.length_factor,
        report.active_force,
        report.fibre_force,
        report.optimal_force,
        report.optimal_length,
        report.max_speed / report.optimal_length,
        own,
        slow,
        1.0 - slow,
    )
    activation, maintenance, shortening, work = model.rates(seen)
    heat = activation + maintenance + shortening
    bounded = np.maximum(heat, -work) if model.forbid_negative_power else heat
    bounded = np.maximum(bounded, model.least_heat * own) if model.least_heat > 0 else bounded
    return MetabolicPower(activation, maintenance, shortening, bounded - heat, work, bounded + work)


def _chosen(model: str | Metabolics) -> Metabolics:
    """The model of metabolic power that a name stands for."""
    if isinstance(model, Metabolics):
        return model
    if not isinstance(model, str) or model not in MODELS:
        raise ValueError(f"there is no model of metabolic power {model!r}; there are: {', '.join(MODELS)}")
    return MODELS[model]()


def _of_each(values: Numbers, names: Sequence[str], shape: tuple[int, ...], what: str) -> np.ndarray:
    """Numbers of all muscles, given as one, as one for each, or by name."""
    if not isinstance(values, Mapping):
        single = np.ndim(values) == 0
        return np.broadcast_to(check_numbers(values, what, () if single else shape), shape)
    for name in values:
        if name not in names:
            raise UnknownName(f"{what} is given for {name!r}, which is no muscle with states; {known_names(names)}")
    missing = [name for name in names if name not in values]
    if missing:
        raise ValueError(f"{what} is not given for {missing[0]!r}; give one number for all, or one for each")
    return np.reshape([check_numbers(values[name], f"{what} of {name!r}", ()) for name in names], shape)
