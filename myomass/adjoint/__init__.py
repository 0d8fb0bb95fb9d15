"""Differentiable runs: exact derivatives of what a simulation ends in by what went into it, and optimisation."""

from . import tasks
from .bridges import jax_rollout, torch_rollout
from .gradient import value_and_grad
from .optimise import Optimum, optimise
from .parameters import Parameter
from .rollout import Rollout, Unfinished

__all__ = [
    "Optimum",
    "Parameter",
    "Rollout",
    "Unfinished",
    "jax_rollout",
    "optimise",
    "tasks",
    "torch_rollout",
    "value_and_grad",
]


def __dir__() -> list[str]:
    return list(__all__)
