"""A soft body by itself: energy, forces, stiffness, damping and mass of an elastic mesh, over the places of its nodes.

    M a = f(x, v),    K = -df/dx,    D = -df/dv

all of them in world axes, nodes (n, 3) and degrees of freedom 3 node + axis, sparse over one pattern (pattern.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array

from ..model.joint_checks import not_negative
from ..spatial.checks import check_numbers
from .elements import BATCH, Elements, add_blocks_at, damping_at, energy_at, forces_at, slopes_at, stiffness_at
from .materials.base import Material
from .materials.dispatch import demand_materials
from .pattern import Pattern
from .statics import Equilibrium, find_equilibrium
from .tet_mesh import TetMesh


@dataclass(frozen=True, eq=False, repr=False)
class SoftBody:
    """A mesh of tetrahedra of elastic material under gravity [m/s^2].

    `material` is one, or a list of which `regions` (m,) says by number which one each tetrahedron has. Damping is
    proportional to mass [1/s], which acts on all that moves, and to stiffness [s], which acts on changes of shape. Mass
    is consistent with linear elements, or lumped at the nodes.
    """

    mesh: TetMesh
    material: Material | Sequence[Material]
    regions: np.ndarray | None = None
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    mass_damping: float = 0.0
    stiffness_damping: float = 0.0
    lumped: bool = False
    materials: tuple[Material, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, TetMesh):
            raise ValueError(f"SoftBody: `mesh` must be a TetMesh, and is {self.mesh!r}")
        made = tuple(self.material) if isinstance(self.material, Sequence) else (self.material,)
        for material in made:
            if not isinstance(material, Material):
                raise ValueError(f"SoftBody: a material such as CoRotated is wanted, and {material!r} is given")
            if material.kind < 0:
                name = type(material).__name__
                raise TypeError(f"SoftBody: the material {name} is not registered; call mm.register({name})")
        checked = {
            "materials": made,
            "regions": _regions(self.regions, len(made), len(self.mesh.tets)),
            "gravity": tuple(check_numbers(self.gravity, "SoftBody: gravity [m/s^2]", (3,)).tolist()),
            "mass_damping": float(not_negative(self.mass_damping, "SoftBody: mass_damping [1/s]")),
            "stiffness_damping": float(not_negative(self.stiffness_damping, "SoftBody: stiffness_damping [s]")),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        demand_materials({material.kind for material in made})

    def __repr__(self) -> str:
        kinds = ", ".join(dict.fromkeys(type(material).__name__ for material in self.materials))
        counts = f"{len(self.mesh.nodes)} nodes, {len(self.mesh.tets)} tetrahedra"
        return f"SoftBody({counts}, {kinds}, {self.mass:.6g} kg)"

    def __reduce__(self) -> tuple:
        """Pickle without what is made on demand."""
        made = self.mesh, self.material, self.regions, self.gravity, self.mass_damping, self.stiffness_damping
        return SoftBody, (*made, self.lumped)

    @property
    def rest(self) -> np.ndarray:
        """Places of nodes at rest [m]. (n, 3)"""
        return self.mesh.nodes

    @cached_property
    def tet_masses(self) -> np.ndarray:
        """Masses of tetrahedra [kg]. (m,)"""
        return np.array([material.density for material in self.materials])[self.regions] * self.mesh.volumes

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self.tet_masses.sum())

    @cached_property
    def node_masses(self) -> np.ndarray:
        """Masses lumped at the nodes: a quarter of each tetrahedron's [kg]. (n,)"""
        each = np.repeat(0.25 * self.tet_masses, 4)
        return np.bincount(self.mesh.tets.ravel(), each, minlength=len(self.rest))

    @cached_property
    def mass_matrix(self) -> csc_array:
        """M [kg], constant. (3n, 3n)"""
        share = np.eye(4) / 4.0 if self.lumped else (np.ones((4, 4)) + np.eye(4)) / 20.0
        return self.pattern.multiples_of_identity(self.tet_masses[:, None, None] * share)

    @cached_property
    def pattern(self) -> Pattern:
        """Where M, K and D have entries."""
        return Pattern.of(self.mesh.tets, len(self.rest))

    @cached_property
    def elements(self) -> dict[type, Elements]:
        """What kernels take, by the number type of places."""
        return {scalar: self._elements(scalar) for scalar in (np.float64, np.complex128)}

    def _elements(self, scalar: type) -> Elements:
        rows = [[*material.lame, *material.own()] for material in self.materials]
        starts = np.cumsum([0, *map(len, rows)])[:-1].astype(np.int64)
        return Elements(
            scalar,
            tets=self.mesh.tets,
            gradients=self.mesh.gradients,
            volumes=self.mesh.volumes,
            kinds=np.array([material.kind for material in self.materials], np.int64)[self.regions],
            starts=starts[self.regions],
            params=np.concatenate(rows).astype(np.float64),
            viscosity=np.full(len(self.mesh.tets), self.stiffness_damping),
            slots=self.pattern.slots,
            widths=self.pattern.widths,
        )

    def energy(self, x: np.ndarray) -> float:
        """V, elastic and of weight, zero in the rest shape at its place [J]."""
        return self.elastic_energy(x) - np.sum((self._nodes(x, "x") - self.rest) * self.weight)

    def elastic_energy(self, x: np.ndarray) -> float:
        """V of the shape alone, zero at rest wherever that is [J]."""
        x = self._nodes(x, "x")
        return energy_at(self.elements[x.dtype.type].handle, x)

    def kinetic_energy(self, v: np.ndarray) -> float:
        """T = v^T M v/2 [J]."""
        v = self._nodes(v, "v").ravel()
        return 0.5 * (v @ (self.mass_matrix @ v))

    def forces(self, x: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        """f on the nodes: elastic, weight, and damping at velocities v [N]. (n, 3)"""
        x, v, moves = self._moving(x, v)
        f = np.zeros_like(x) + self.weight
        if moves and self.mass_damping:
            f -= self.mass_damping * (self.mass_matrix @ v.ravel()).reshape(x.shape)
        forces_at(self.elements[x.dtype.type].handle, x, v, moves and self.stiffness_damping > 0.0, f)
        return f

    def stiffness(self, x: np.ndarray, v: np.ndarray | None = None) -> csc_array:
        """K = -df/dx [N/m], symmetric unless nodes move under damping. (3n, 3n)"""
        x, v, moves = self._moving(x, v)
        data, scratch = self.pattern.zeros(x.dtype.type), np.empty((BATCH, 12, 9), x.dtype)
        handle = self.elements[x.dtype.type].handle
        stiffness_at(handle, x, v, moves and self.stiffness_damping > 0.0, scratch, data)
        return self.pattern.matrix(data)

    def definite_stiffness(self, x: np.ndarray) -> csc_array:
        """The elastic K without what is negative in dP/dF of each tetrahedron [N/m]: never negative. (3n, 3n)

        Steps of Newton's method by it always lead down (Teran et al. 2005); at rest it is K.
        """
        x = check_numbers(x, "SoftBody: x", self.rest.shape)
        handle, A = self.elements[np.float64].handle, np.empty((len(self.mesh.tets), 12, 9))
        slopes_at(handle, np.ascontiguousarray(x), A)
        values, axes = np.linalg.eigh(A[:, :9])
        A[:, :9] = (axes * np.maximum(values, 0.0)[:, None, :]) @ axes.transpose(0, 2, 1)
        data = self.pattern.zeros(np.float64)
        add_blocks_at(handle, A, data)
        return self.pattern.matrix(data)

    def damping(self, x: np.ndarray) -> csc_array:
        """D = -df/dv [N s/m], symmetric and never negative. (3n, 3n)"""
        x = self._nodes(x, "x")
        data = self.mass_damping * self.mass_matrix.data.astype(x.dtype)
        damping_at(self.elements[x.dtype.type].handle, x, np.empty((BATCH, 12, 9), x.dtype), data)
        return self.pattern.matrix(data)

    def centre(self, x: np.ndarray) -> np.ndarray:
        """Centre of mass [m]. (3,)"""
        return self.node_masses @ self._nodes(x, "x") / self.mass

    def equilibrium(
        self,
        fixed: np.ndarray,
        loads: np.ndarray | None = None,
        start: np.ndarray | None = None,
        *,
        tolerance: float = 1e-10,
        iterations: int = 200,
    ) -> Equilibrium:
        """Where nodes are in balance under their weight and loads [N] (n, 3).

        `fixed` names nodes, or marks them (n,) or their coordinates (n, 3); they stay where `start` has them (n, 3),
        the rest shape unless given, from which the search begins. `tolerance` is the force left on a free node, as a
        part of the largest load or reaction.
        """
        return find_equilibrium(self, fixed, loads, start, (tolerance, iterations))

    @cached_property
    def weight(self) -> np.ndarray:
        """Gravity's forces on nodes [N]. (n, 3)"""
        return self.node_masses[:, None] * np.array(self.gravity)

    def _nodes(self, values: np.ndarray, what: str) -> np.ndarray:
        """Values of all nodes, checked. (n, 3)"""
        return np.ascontiguousarray(check_numbers(values, f"SoftBody: {what}", self.rest.shape, real=False))

    def _moving(self, x: np.ndarray, v: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, bool]:
        """Places and velocities in one number type, and whether velocities are given."""
        x = self._nodes(x, "x")
        if v is None:
            return x, x, False
        v = self._nodes(v, "v")
        both = np.result_type(x, v)
        return x.astype(both), v.astype(both), True


def _regions(regions: object, materials: int, tets: int) -> np.ndarray:
    """The number of each tetrahedron's material. (m,)"""
    if not materials:
        raise ValueError("SoftBody: the list of materials is empty")
    if regions is None:
        if materials > 1:
            raise ValueError(f"SoftBody: of {materials} materials `regions` must say which one each tetrahedron has")
        return np.zeros(tets, np.int64)
    array = np.asarray(regions)
    if array.shape != (tets,) or array.dtype.kind not in "iu":
        raise ValueError(f"SoftBody: `regions` must be {tets} whole numbers, and are {array.dtype} of {array.shape}")
    wrong = (array < 0) | (array >= materials)
    if wrong.any():
        e = np.argmax(wrong)
        raise ValueError(f"SoftBody: tetrahedron {e} has material {array[e]}; there are 0 to {materials - 1}")
    return array.astype(np.int64)
