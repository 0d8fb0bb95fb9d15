"""What all models of metabolic power share: what they read of a muscle, and what they give.

A model is a file with a frozen dataclass of its choices, a subclass of `Metabolics` with one method:

    rates(seen) -> (activation, maintenance, shortening, work)    [W]

`metabolic_power` adds them up, and applies the bounds that every model may have.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Seen(NamedTuple):
    """What a model reads of muscles: arrays of (rows, muscles), the last six of (muscles,)."""

    t: np.ndarray  # [s], (rows,)
    activation: np.ndarray
    excitation: np.ndarray
    length: np.ndarray  # of the fibre, in optimal lengths
    velocity: np.ndarray  # of the fibre, positive while it lengthens [optimal lengths per s]
    length_factor: np.ndarray  # active force-length curve at this length
    active_force: np.ndarray  # along the fibre [N]
    fibre_force: np.ndarray  # with the passive and damping forces [N]
    optimal_force: np.ndarray  # [N]
    optimal_length: np.ndarray  # [m]
    max_velocity: np.ndarray  # largest speed of shortening [optimal lengths per s]
    mass: np.ndarray  # [kg]
    slow_fibres: np.ndarray  # share of slow-twitch fibres in the mass
    fast_fibres: np.ndarray  # the rest


Rates = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Metabolics:
    """Base of all models of metabolic power, with the bounds that `metabolic_power` applies."""

    negative_work: bool = True  # does work that is done on the lengthening fibre count, as negative?
    forbid_negative_power: bool = False  # more heat where the total would be below zero?
    least_heat: float = 0.0  # [W/kg], less heat is raised to it

    def rates(self, seen: Seen) -> Rates:
        """Heat of activation, of maintenance, and of shortening and lengthening, and rate of work [W]."""
        raise NotImplementedError

    def work_rate(self, seen: Seen) -> np.ndarray:
        """Rate of the contractile element's work, -F_CE v [W]."""
        rate = -np.maximum(seen.active_force, 0.0) * seen.velocity * seen.optimal_length
        return rate if self.negative_work else np.maximum(rate, 0.0)


def recruited(seen: Seen) -> tuple[np.ndarray, np.ndarray]:
    """(slow, fast) shares of all fibres that an excitation u recruits, by Bhargava et al. 2004.

    f_slow sin(pi/2 u) and f_fast (1 - cos(pi/2 u)): slow fibres first.
    """
    quarter = 0.5 * np.pi * seen.excitation
    return seen.slow_fibres * np.sin(quarter), seen.fast_fibres * (1.0 - np.cos(quarter))
