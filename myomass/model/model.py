"""Model: a mechanism as a few packed arrays. Nothing here is compiled into code, so a model costs no compilation."""

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..joints.base import Joint
from ..joints.dispatch import KINDS, coordinate_units
from ..joints.records import as_records, link_dtype
from ..spatial.checks import check_numbers
from .border import check_finite, check_vector
from .coordinate import Coordinate, Frame, Marker, plain_names
from .shape import Shape
from .spec import Spec, UnknownName, known_names
from .state import State
from .workspace import Workspace, body_dtype

if TYPE_CHECKING:
    from ..constraints.pack import Constraints
    from ..deformables.packed import PackedSoftBody, SoftBodies
    from ..forces.pack import Forces
    from ..muscles.packed import Muscles
    from ..reduction.packed import Reduction

BEYOND = 3.0  # so many times its range no angle goes
INTERNAL = {"links", "bodies", "params", "dof_starts", "numbering", "parents", "workspace", "complex_workspace"}
INTERNAL |= {"has_applied_forces", "has_forces_or_muscles", "has_more_than_bodies"}
INTERNAL |= {"lend_workspace", "return_workspace"}
INTERNAL |= {"charted", "chart_slots", "switching", "shape", "source", "soft"}


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A mechanism as arrays. Bodies and degrees of freedom are in the order of the spec.

    To change a model, edit its spec and compile again.
    """

    name: str
    links: np.ndarray  # records of link_dtype; link 0 is the world
    bodies: np.ndarray  # records of body_dtype
    params: np.ndarray  # parameters of the joints, one after another
    gravity: np.ndarray  # [m/s^2], (3,)
    dof_starts: np.ndarray  # first degree of freedom of each body, and their number, (nbodies + 1,)
    numbering: dict[str, int]  # body name -> index
    parents: np.ndarray  # parent body of each body, -1 for the world, (nbodies,)
    forces: "Forces"  # forces other than gravity
    constraints: "Constraints"
    muscles: "Muscles"
    shapes: tuple[tuple[Shape, ...], ...] = ()  # what each body looks like, in its own frame
    coordinate_specs: tuple[Coordinate, ...] = ()  # of each degree of freedom; none where nobody named any
    markers: dict[str, Marker] = field(default_factory=dict)  # by name
    frames: dict[str, Frame] = field(default_factory=dict)  # by name
    joint_names: dict[str, str] = field(default_factory=dict)  # of joints that have one -> the bodies that hang by them
    reduction: "Reduction | None" = None  # how the joints' coordinates follow from fewer ones; None: they are free
    source: "Spec | None" = None  # what it was compiled from, if that is known: files and pickles do not keep it
    soft: "SoftBodies | None" = None  # soft bodies, if there are any
    nbodies: int = field(init=False)
    nz: int = field(init=False)  # states of muscles
    joint_dofs: int = field(init=False)  # degrees of freedom of all joints, which come first
    ndof: int = field(init=False)  # those of free nodes of soft bodies counted
    shape: tuple[int] = field(init=False)  # (ndof,), of every vector over the degrees of freedom
    dtype: np.dtype = field(init=False)  # number type, float64 unless `astype` was asked for another
    # registered kinds by name, and a model with these as they are numbered here; set by the module myomass.archive
    _named_kinds: ClassVar[Callable[["Model"], tuple[str, ...]]]
    _renumbered: ClassVar[Callable[["Model", tuple[str, ...]], "Model"]]
    # states of muscles in equilibrium, and checked; set by the module muscles.hill.start
    _at_rest: ClassVar[Callable[..., np.ndarray]]
    _checked_states: ClassVar[Callable[["Model", np.ndarray], np.ndarray]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "nbodies", len(self.bodies))
        object.__setattr__(self, "nz", len(self.muscles.states))
        object.__setattr__(self, "joint_dofs", int(self.dof_starts[-1]))
        nodes = 0 if self.soft is None else 3 * self.soft.free
        own = self.joint_dofs if self.reduction is None else self.reduction.ndof
        object.__setattr__(self, "ndof", own + nodes)
        object.__setattr__(self, "shape", (self.ndof,))
        object.__setattr__(self, "dtype", np.dtype(self.params.dtype.type))
        object.__setattr__(self, "_scratch", threading.local())

    def __reduce__(self) -> tuple:
        """Pickle without scratch; `unpickle` restores the record types that kernels are compiled for."""
        made = [getattr(self, f.name) for f in fields(self) if f.init and f.name not in ("source", "soft")]
        made.append(self.soft)
        return unpickle_here, (Model._named_kinds(self), self.dtype.type, *made)

    def __repr__(self) -> str:
        states = f", {self.nz} states of muscles" if self.nz else ""
        if self.reduction is not None:
            states = f" in place of {self.joint_dofs}{states}"
        count = len(self.soft_bodies)
        soft = f", {count} soft {'body' if count == 1 else 'bodies'}" if count else ""
        return f"Model({self.name!r}: {self.nbodies} bodies, {self.ndof} degrees of freedom{states}{soft})"

    def __dir__(self) -> list[str]:
        """What is meant for people; the arrays and scratch that kernels work on are not."""
        return [name for name in super().__dir__() if name not in INTERNAL]

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in order."""
        return list(self.numbering)

    @property
    def soft_bodies(self) -> "dict[str, PackedSoftBody]":
        """The soft bodies by name, in order."""
        return {} if self.soft is None else self.soft.by_name

    def soft_body(self, name: str) -> "PackedSoftBody":
        """The soft body of this name."""
        if name not in self.soft_bodies:
            raise UnknownName(f"model {self.name!r} has no soft body {name!r}; {known_names(self.soft_bodies)}")
        return self.soft_bodies[name]

    def body(self, name: str | int) -> int:
        """Index of a body by its name; an index is checked and returned as it is."""
        if isinstance(name, (int, np.integer)) and 0 <= name < self.nbodies:
            return int(name)
        if not isinstance(name, str) or name not in self.numbering:
            raise UnknownName(f"model {self.name!r} has no body {name!r}; {known_names(self.numbering)}")
        return self.numbering[name]

    @cached_property
    def coordinates(self) -> list[str]:
        """Names of the degrees of freedom, in order."""
        nodes = [] if self.soft is None else self.soft.coordinates
        if self.coordinate_specs or self.reduction is not None:
            return [*(one.name for one in self.coordinate_specs), *nodes]
        counts = zip(self.numbering, np.diff(self.dof_starts).tolist(), strict=True)
        return [*(name for body, count in counts for name in plain_names(body, count)), *nodes]

    @cached_property
    def _coordinate_numbers(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.coordinates)}

    def coordinate(self, name: str) -> int:
        """The degree of freedom of this name."""
        if not isinstance(name, str) or name not in self._coordinate_numbers:
            raise UnknownName(f"model {self.name!r} has no coordinate {name!r}; {known_names(self.coordinates)}")
        return self._coordinate_numbers[name]

    def muscle(self, name: str) -> int:
        """The number of a muscle, as in lengths and moment arms."""
        if name not in self.muscles.names:
            raise UnknownName(f"model {self.name!r} has no muscle {name!r}; {known_names(self.muscles.names)}")
        return self.muscles.names.index(name)

    def marker(self, name: str) -> int:
        """The number of a marker, as in `mm.marker_places`."""
        if name not in self.markers:
            raise UnknownName(f"model {self.name!r} has no marker {name!r}; {known_names(self.markers)}")
        return list(self.markers).index(name)

    @cached_property
    def coordinate_units(self) -> list[str]:
        """The unit of each degree of freedom: "rad", "m" or, where it is neither an angle nor a shift, "1"."""
        if self.reduction is not None:
            return list(self.reduction.units)
        of_joints = coordinate_units(self.links, self.joint_dofs)
        told = [one.unit for one in self.coordinate_specs] or [None] * self.joint_dofs
        own = [unit or own for unit, own in zip(told, of_joints, strict=True)]
        return own + ["m"] * (self.ndof - self.joint_dofs)

    def q(self, **values: float) -> np.ndarray:
        """Coordinates: those given by name, and the others at their defaults [rad or m]. (ndof,)"""
        found = self._named([one.default for one in self.coordinate_specs], values, "q")
        for name in values if self.coordinate_specs else ():
            k = self.coordinate(name)
            limits = self.coordinate_specs[k].range if k < self.joint_dofs else None
            if limits is None or self.coordinate_units[k] != "rad":
                continue
            if abs(found[k]) > max(2.0 * np.pi, BEYOND * np.abs(limits).max()):
                warnings.warn(
                    f"model {self.name!r}: {name} = {found[k]:g} rad is far beyond its range, {limits[0]:.3g} to "
                    f"{limits[1]:.3g} rad; if it is in degrees, give np.radians({found[k]:g})",
                    UserWarning,
                    stacklevel=2,
                )
        return found

    def qdot(self, **values: float) -> np.ndarray:
        """Rates of the coordinates: those given by name, and the others at their defaults. (ndof,)"""
        return self._named([one.speed for one in self.coordinate_specs], values, "qdot")

    def _named(self, defaults: Sequence[float], values: Mapping[str, float], what: str) -> np.ndarray:
        x = np.zeros(self.ndof)
        x[: len(defaults)] = defaults
        for name, value in values.items():
            x[self.coordinate(name)] = float(check_numbers(value, f"{what}: {name!r}", ()))
        return x

    def dof(self, name: str | int) -> slice:
        """Degrees of freedom of a body's joint, as a slice of q; a coordinate's name gives that one alone."""
        if isinstance(name, str) and name not in self.numbering and name in self._coordinate_numbers:
            return slice(self._coordinate_numbers[name], self._coordinate_numbers[name] + 1)
        i = self.body(name)
        first, after = int(self.dof_starts[i]), int(self.dof_starts[i + 1])
        if self.reduction is None:
            return slice(first, after)
        own = self.reduction.passed[first:after]
        if after > first and (own[0] < 0 or (np.diff(own) != 1).any()):
            raise ValueError(
                f"model {self.name!r}: the joint of {self.names[i]!r} has no coordinates of its own, for it follows "
                f"others of the reduced model; {known_names(self.coordinates)}"
            )
        start = int(own[0]) if len(own) else 0
        return slice(start, start + len(own))

    @property
    def z_names(self) -> tuple[str, ...]:
        """Names of the states of muscles, as "soleus.activation" and "soleus.fibre_length". (nz,)"""
        return tuple(self.muscles.states.tolist())

    @cached_property
    def has_applied_forces(self) -> bool:
        """True if anything but gravity pulls: a force of the spec, the tension of a muscle, a soft body."""
        return bool(self.forces) or self.muscles.tense or self.soft is not None

    @cached_property
    def has_forces_or_muscles(self) -> bool:
        """True if inverse dynamics has terms beside the bodies' own: applied forces, muscles with mass, soft bodies."""
        return self.has_applied_forces or self.muscles.massive or self.soft is not None

    @cached_property
    def has_more_than_bodies(self) -> bool:
        """True if the model has any force, constraint, muscle or soft body, whether it acts or not."""
        return bool(self.forces) or len(self.constraints) > 0 or len(self.muscles) > 0 or self.soft is not None

    @cached_property
    def charted(self) -> np.ndarray:
        """Links whose coordinates have singularities, and charts to avoid them: ball joints. (number of them,)"""
        found = _links_of(self.links, lambda joint: joint.reparameterise is not Joint.reparameterise)
        if self.reduction is None:
            return found
        ends = [(link["dof"], link["dof"] + link["ndof"]) for link in self.links[found]]
        own = [(self.reduction.passed[first:after] >= 0).all() for first, after in ends]
        return found[np.array(own, bool)]  # what others lead stays in the chart that it is in

    @cached_property
    def chart_slots(self) -> np.ndarray:
        """Where in `params` joints with several charts (Euler angles) keep the one in use. (number of them,)"""
        return self.links["at"][self.switching]

    @cached_property
    def switching(self) -> np.ndarray:
        """Links whose joint has several charts (Euler angles). (number of them,)"""
        return _links_of(self.links, lambda joint: joint.charts > 1)

    @property
    def posed_dofs(self) -> int:
        """Degrees of freedom that pose the bodies: all but those of free nodes of soft bodies, and first."""
        return self.ndof - (0 if self.soft is None else 3 * self.soft.free)

    @cached_property
    def whole(self) -> "Model":
        """The same model in the coordinates of all joints, which a reduction has made fewer of; itself without one."""
        if self.reduction is None:
            return self
        return replace(self, reduction=None, coordinate_specs=self.reduction.joint_coordinates)

    def with_charts(self, charts: np.ndarray) -> "Model":
        """This model with its Euler joints in other charts (`State.charts`)."""
        slots = self.chart_slots
        if not len(slots) and not np.size(charts):
            return self
        charts = check_numbers(charts, f"model {self.name!r}: charts (one per Euler joint)", slots.shape)
        most = np.array([KINDS[kind].charts for kind in self.links["kind"][self.switching]])
        if not ((charts == np.floor(charts)) & (charts >= 0) & (charts < most)).all():
            raise ValueError(
                f"model {self.name!r}: charts are whole numbers below {most.tolist()}, not {charts.tolist()}"
            )
        params = self.params.copy()
        params[slots] = charts
        return replace(self, params=params)

    def state(
        self,
        q: np.ndarray | None = None,
        qdot: np.ndarray | None = None,
        t: float = 0.0,
        qddot: np.ndarray | None = None,
        *,
        z: np.ndarray | None = None,
        activation: float | Sequence[float] | Mapping[str, float] | None = None,
    ) -> State:
        """A checked state: the coordinates' defaults (zeros) where nothing is given; accelerations only if given.

        z: states of muscles, as `z_names` lists them. Unless they are given, muscles are in equilibrium at an
        `activation`: a number, one for each muscle with states, or by muscle's name (None: the least).
        """
        q = self.q() if q is None else q
        given = {"q": q, "qdot": qdot} if qddot is None else {"q": q, "qdot": qdot, "qddot": qddot}
        for what, x in given.items():
            if x is None:
                given[what] = self.qdot()
            elif not (x.__class__ is np.ndarray and x.dtype == np.float64 and x.shape == self.shape):
                given[what] = check_vector(self, what, x)
        for what, x in given.items():
            if not np.isfinite(x).all():
                check_finite(**{what: x})
            if np.iscomplexobj(x):
                raise ValueError(f"a state is made of real numbers, and {what} is complex")
        q, qdot, *qddot = (x.astype(np.float64) for x in given.values())  # copies
        t = t if t.__class__ is float and -np.inf < t < np.inf else float(check_numbers(t, "t", ()))
        qddot = qddot[0] if qddot else None
        return State(t, q, qdot, self.params[self.chart_slots], qddot, self._states(q, qdot, z, activation))

    def _states(self, q: np.ndarray, qdot: np.ndarray, z: np.ndarray | None, activation) -> np.ndarray:
        """States of muscles, as given or in equilibrium. (nz,)"""
        if z is not None:
            if activation is not None:
                raise ValueError("give z or an activation, not both: z has the activations")
            z = Model._checked_states(self, z)
            if np.iscomplexobj(z):
                raise ValueError("a state is made of real numbers, and z is complex")
            return z.copy()
        if self.nz or activation is not None:
            return Model._at_rest(self, q, qdot, activation)
        return np.zeros(0)

    @property
    def workspace(self) -> Workspace:
        """Scratch of the calling thread in the model's own number type, made at its first use and kept."""
        try:
            return self._scratch.real
        except AttributeError:
            self._scratch.real = Workspace(self, self.dtype.type)
            return self._scratch.real

    @property
    def complex_workspace(self) -> Workspace:
        """Scratch of the calling thread in complex numbers, which carry derivatives."""
        try:
            return self._scratch.complex
        except AttributeError:
            self._scratch.complex = Workspace(self, np.complex128)
            return self._scratch.complex

    def lend_workspace(self) -> Workspace:
        """Scratch for a run in the calling thread, whose charts may change; nobody else uses it until it comes back."""
        kept = getattr(self._scratch, "returned", None)
        self._scratch.returned = None
        if kept is None:
            return Workspace(self, self.dtype.type)
        kept.tree.params[:] = self.params
        return kept

    def return_workspace(self, space: Workspace) -> None:
        """Take lent scratch back, for the next run."""
        self._scratch.returned = space

    def astype(self, scalar: type) -> "Model":
        """This model in another real number type (float32 halves memory and traffic)."""
        if np.dtype(scalar) not in (np.float32, np.float64):
            raise TypeError(f"astype: a model is made of float32 or float64, not {np.dtype(scalar)}")
        for what, there in (("muscles", len(self.muscles)), ("soft bodies", len(self.soft_bodies))):
            if there and np.dtype(scalar) != np.float64:
                raise TypeError(f"astype: model {self.name!r} has {what}, which work in float64 only")
        links, bodies = as_records(self.links, link_dtype(scalar)), as_records(self.bodies, body_dtype(scalar))
        acting = {key: getattr(self, key).astype(scalar) for key in ("forces", "constraints", "muscles")}
        arrays = {"params": self.params.astype(scalar), "gravity": self.gravity.astype(scalar)}
        return replace(self, links=links, bodies=bodies, **acting, **arrays)


def _links_of(links: np.ndarray, suits: Callable[[type[Joint]], bool]) -> np.ndarray:
    """Links whose joint, a class, passes the test `suits`. (number of them,)"""
    return np.array([suits(joint) for joint in KINDS])[links["kind"]].nonzero()[0]


def same_joints(a: Model, b: Model) -> bool:
    """True if the degrees of freedom of two models of the same bodies belong to the same joints."""
    if a is b:
        return True
    links = all(np.array_equal(a.links[key], b.links[key]) for key in ("parent", "kind", "dof", "inverted"))
    return links and np.array_equal(a.dof_starts, b.dof_starts) and np.array_equal(a.parents, b.parents)


def unpickle(scalar: type, name: str, links: np.ndarray, bodies: np.ndarray, *rest) -> Model:
    """The model of pickled arrays, in the record types that kernels are compiled for."""
    *rest, forces, constraints, muscles, shapes, coordinates, markers, frames, joint_names, reduction, soft = rest
    links, bodies = as_records(links, link_dtype(scalar)), as_records(bodies, body_dtype(scalar))
    acting = (part.astype(scalar) for part in (forces, constraints, muscles))
    named = shapes, coordinates, markers, frames, joint_names, reduction
    return Model(name, links, bodies, *rest, *acting, *named, soft=soft)


def unpickle_here(names: tuple[str, ...], *rest) -> Model:
    """A model from another process, in which registered kinds may have had other numbers."""
    return Model._renumbered(unpickle(*rest), names)
