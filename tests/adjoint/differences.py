"""Derivatives of a run by central differences of fourth order, along random directions."""

import numpy as np

import myomass as mm
from myomass.adjoint.problem import Problem
from myomass.adjoint.sweep import REVERSE
from myomass.integrators import INTEGRATORS

BINDING = [name for name in REVERSE if INTEGRATORS[name].holds]  # methods that hold constraints
ROUNDING = 1e-12  # of the value: what its differences cannot tell, over steps of 1e-3
STEPS = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
WEIGHTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}


def arm(**more) -> mm.Spec:
    """Two hinges that are not parallel, and a spring with a damper between the world and the last body."""
    spec = mm.Spec("arm")
    box = mm.Inertia.cuboid((0.05, 0.06, 0.4), mass=1.0)
    for name, parent, axis in (("upper", None, (0, 1, 0)), ("lower", "upper", (0.3, 1, 0))):
        place = mm.translation(0, 0, -0.4 if parent else 0.0)
        spec.add_body(name, parent, mm.Revolute(axis), place, mm.translation(0, 0, -0.2), box)
    spec.add_force(mm.SpringDamper([(None, (0.3, 0, 0)), ("lower", (0, 0, 0))], 50.0, 0.2, 2.0), "spring")
    for name, muscle in more.items():
        spec.add_muscle(name, **muscle)
    return spec


def linkage() -> mm.Spec:
    """A four-bar linkage: a loop with a row too many, since it is planar."""
    spec = mm.Spec("four-bar")
    for name, parent, m in (("a", None, 1.0), ("b", "a", 0.8), ("c", "b", 0.6)):
        place = mm.translation(0, 0, 0.4 if parent else 0.0)
        box = mm.Inertia.cuboid((0.05, 0.06, 0.4), mass=m)
        spec.add_body(name, parent, mm.Revolute((0, 1, 0)), place, mm.translation(0, 0, 0.2), box)
    spec.add_constraint(mm.Loop(("c", mm.translation(0, 0, 0.2)), (None, mm.translation(0.5, 0, 0)), "ball"), "loop")
    return spec


class Everything(mm.tasks.Task):
    """Something of all coordinates and rates, at every other row: as plain numbers, it takes no physics to follow."""

    def terms(self, rollout):
        n, m = rollout.model.ndof, rollout.model.nz
        for row in range(0, rollout.steps + 1, 2):
            q, qdot, z = rollout.q[row], rollout.qdot[row], rollout.z[row]
            a, b, c = (np.cos(np.arange(k) + row) for k in (n, n, m))
            values = [np.sin(q) @ a + 0.1 * qdot @ b + 3.0 * z @ c]
            yield mm.tasks.Misses(row, np.array(values), (np.cos(q) * a)[None], 0.1 * b[None], 3.0 * c[None])


def slope_along(problem: Problem, task: mm.tasks.Task, name: str, direction: np.ndarray, step: float) -> float:
    """Derivative of the task along a direction of one of the inputs."""
    start = problem.values[name]
    total = 0.0
    for k, weight in WEIGHTS.items():
        total += weight / step * problem.at({name: start + k * step * direction}).value(task)
    return total


def miss(problem: Problem, task: mm.tasks.Task, name: str, slope: np.ndarray, seed: int = 0) -> float:
    """How far a gradient is off the best of the differences, beyond rounding, relative to its size there."""
    size = np.abs(problem.values[name]).max(initial=0.0) or 1.0
    direction = np.random.default_rng(seed).normal(size=slope.shape)
    direction *= size / np.abs(direction).max(initial=1e-300)  # so steps of one number alone are not tiny
    told, scale = (slope * direction).sum(), np.linalg.norm(slope) * np.linalg.norm(direction) or 1.0
    off = min(abs(slope_along(problem, task, name, direction, step) - told) for step in STEPS)
    return max(off - ROUNDING * abs(problem.value(task)), 0.0) / scale


def check(problem: Problem, task: mm.tasks.Task, tolerance: float = 1e-8) -> None:
    """Assert that the gradient by all inputs of a problem is that of differences."""
    value, slopes = problem.value_and_grad(task)
    assert value == problem.value(task)
    off = {name: miss(problem, task, name, slopes[name]) for name in problem.names}
    assert max(off.values()) < tolerance, off
