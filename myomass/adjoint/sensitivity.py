"""What a number of the model does to a run, seen from the stages that the way back passes.

At every stage the equations of motion are r(t, q, qdot, qddot, z; p) = tau, and the derivative by p is the sum of
lambda . dr/dp + y . dzdot/dp over all stages, with what the task itself makes of p in an unchanged motion, and what p
does to the states of muscles in equilibrium at the start.

Where dr/dp jumps, as with a point at which a path just touches a surface, a difference over both sides is neither of
the derivatives: differences of second and fourth order do not agree then, and shorter steps are taken.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..model import Model
from .parameters import STEP, Numbers
from .rollout import Rollout
from .stages import scratch_of

AGREE = 1e-6  # differences of two orders do, relative to the larger ones of the stages seen together
FINER = (STEP, 1e-2 * STEP, 1e-3 * STEP, 1e-4 * STEP)  # steps, one after another, where they do not
ROUNDING = 1e-15  # of what is weighed


class Around:
    """Models around one number's value, and the derivatives that they add up to. one: (parameter, place in it)"""

    def __init__(self, numbers: Numbers, one: tuple, rollout: Rollout, count: int):
        self.given, self.rollout = (numbers, one), rollout
        self.variants: list[_Variants] = []
        self.sum = np.zeros(count)

    def see(self, weigh: Callable, stages: list[np.ndarray], charts: np.ndarray) -> None:
        """Take stages into account that were passed in the given charts: the first index of all counts them."""
        left, shape = np.arange(len(stages[0])), (len(stages[0]), len(self.sum))
        found, least = np.zeros(shape), np.full(shape, np.inf)
        for level in range(len(FINER)):
            own = [np.ascontiguousarray(x[left]) for x in stages]
            fourth, second, rounding = self._level(level).slopes(weigh, own, charts)
            found[left], least[left] = _closer(fourth, second, found[left], least[left])
            left = left[(least[left] > np.maximum(AGREE * np.abs(found).max(axis=0), rounding)).any(axis=1)]
            if not len(left):
                break
        self.sum += found.sum(axis=0)

    def slope(self, quantities: Callable[[Rollout], np.ndarray], start: Callable[[Model], np.ndarray]) -> np.ndarray:
        """Derivatives by the number of some quantities of the rollout. (quantities,)

        start: what the start under a model is worth to each of them.
        """
        found, least = np.zeros(len(self.sum)), np.full(len(self.sum), np.inf)
        for level in range(len(FINER)):
            stencil = self._level(level).stencil
            at_once = [quantities(replace(self.rollout, model=model)) + start(model) for model in stencil.models]
            found, least = _closer(*stencil.slopes(np.array(at_once)), found, least)
            if (least <= AGREE * np.abs(found)).all():
                break
        return self.sum + found

    def _level(self, level: int) -> "_Variants":
        if level == len(self.variants):
            self.variants.append(_Variants(*self.given, FINER[level], self.rollout))
        return self.variants[level]


def _closer(fourth: np.ndarray, second: np.ndarray, found: np.ndarray, least: np.ndarray) -> tuple:
    """(derivatives, how far two orders are apart): those that are closer than before."""
    apart = np.abs(fourth - second)
    return np.where(apart < least, fourth, found), np.minimum(apart, least)


class _Variants:
    """Scratch for the models of a stencil."""

    def __init__(self, numbers: Numbers, one: tuple, share: float, rollout: Rollout):
        self.stencil = numbers.stencil(*one, share)
        self.spaces = [model.workspace for model in self.stencil.models]
        self.scratch = [scratch_of(space) for space in self.spaces]
        for space in self.spaces:
            if space.model.nz:
                rollout.excited.drive(space)

    def slopes(self, weigh: Callable, stages: list[np.ndarray], charts: np.ndarray) -> tuple[np.ndarray, ...]:
        """lambda . dr/dp + y . dzdot/dp to fourth and to second order, and their rounding. (stages, quantities) each"""
        products = np.zeros((len(self.scratch), *stages[-1].shape[:2]))
        for space, scratch, out in zip(self.spaces, self.scratch, products, strict=True):
            if len(charts):
                space.tree.params[space.model.chart_slots] = charts
            weigh(scratch.handle, *stages, out)
        rounding = ROUNDING * np.tensordot(np.abs(self.stencil.weights[0]), np.abs(products), axes=1)
        return *self.stencil.slopes(products), rounding
