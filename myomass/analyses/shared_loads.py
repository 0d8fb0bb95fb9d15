"""What static optimisation and optimisation over a window have in common: who exerts what, in rows."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..recordings import Table
from .load_problem import Problem


@dataclass(frozen=True, eq=False)
class SharedLoads:
    """Activations and tensions that explain a motion, in rows.

    residual is what is missing of each generalized force; it is zero but where `held` is False.
    """

    t: np.ndarray  # [s], (rows,)
    muscles: tuple[str, ...]
    activations: np.ndarray  # (rows, muscles)
    forces: np.ndarray  # tensions of the muscles [N], (rows, muscles)
    reserve_names: tuple[str, ...]
    controls: np.ndarray  # of the reserves, (rows, reserves)
    reserves: np.ndarray  # what they exert: control times optimal force [N m or N], (rows, reserves)
    coordinates: tuple[str, ...]  # those that have an equation
    residual: np.ndarray  # [N m or N], (rows, coordinates)
    held: np.ndarray  # do the equations hold? (rows,)

    what: ClassVar[str]  # the method's name in sentences
    by_muscle: ClassVar[tuple[str, ...]] = ("activations", "forces")  # tables, by what their columns are
    by_reserve: ClassVar[tuple[str, ...]] = ("controls", "reserves")
    by_coordinate: ClassVar[tuple[str, ...]] = ("residual",)

    def __len__(self) -> int:
        return len(self.t)

    def table(self, what: str = "activations") -> Table:
        """One of the arrays as a table: activations, forces, controls, reserves, residual, or what else there is.

        Excitations stand at the time from which they hold.
        """
        known = (*self.by_muscle, *self.by_reserve, *self.by_coordinate)
        if what not in known:
            raise ValueError(f"a table of {self.what} is one of {', '.join(known)}, not {what!r}")
        names = self.muscles if what in self.by_muscle else self.coordinates
        values = getattr(self, what)
        return Table(self.t[: len(values)], values, self.reserve_names if what in self.by_reserve else names)


def residual_of(problem: Problem, forces: np.ndarray, controls: np.ndarray) -> np.ndarray:
    """What tensions and controls of reserves leave of the generalized forces [N m or N]. (rows, coordinates)"""
    exerted = np.einsum("rjm,rm->rj", problem.arms, forces) + np.einsum("rjk,rk->rj", problem.G, controls)
    return problem.tau - exerted
