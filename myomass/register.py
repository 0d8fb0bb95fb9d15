"""mm.register: joints, forces, constraints, surfaces, curves, materials and integrators from one's own file.

What is registered is known under its name, as files keep it: names are different within a family. A class that is
defined again, as a cell of a notebook does when it is run again, counts from then on; models that were made before
keep the kernels that they were made with.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from ._jit import is_kernel
from ._jit.doors import PLACES
from ._jit.kernels import DIRECT
from .archive import name_of
from .constraints.dispatch import FORMULAS as ROW_FORMULAS
from .constraints.dispatch import register_formula
from .deformables.materials.base import Material
from .deformables.materials.dispatch import MATERIALS, register_material
from .forces.dispatch import FORMULAS, LAWS, register_force
from .integrators import INTEGRATORS, FixedStep, register_integrator
from .joints.base import MOST_DOFS, Joint
from .joints.dispatch import KINDS, register_joint
from .model.elements import Constraint, Force, Formula
from .model.maps import SmoothMap
from .muscles.hill.curves import CURVES, Curves, register_curves
from .muscles.wrapping.base import Surface
from .muscles.wrapping.dispatch import SURFACES, register_surface
from .reduction.files import register_map

Thing = TypeVar("Thing")
EXPECTED = (
    "a subclass of mm.Joint, mm.Force, mm.Constraint, mm.wrap.Surface, mm.curves.Curves or mm.deformables.Material, a "
    "constraint's Formula, an mm.SmoothMap, or an mm.FixedStep"
)


@dataclass(frozen=True)
class Family:
    """A family whose members can be registered: what it is called, what it knows, and the kernels it asks for."""

    word: str
    known: Callable[[], Iterable[Any]]
    add: Callable[[Any], None]
    required: dict[str, str]  # kernel -> its parameters
    optional: dict[str, str]


PATH, ARC = "params, at, a, b, g", "params, at, arc, g, xi"
JOINTS = Family(
    "joint",
    lambda: KINDS,
    register_joint,
    {"motion": "params, at, q, qdot, dof, dofs"},
    {"partials": "params, at, q, dof, dS", "reparameterise": "params, at, q, qdot, dof, q_before, qdot_before"},
)
FORCES = Family(
    "force",
    lambda: [*LAWS, *FORMULAS],
    register_force,
    {},
    {"law": "params, at, t, q, qdot", "formula": "params, at, points"},
)
ROWS = Family("formula", lambda: ROW_FORMULAS, register_formula, {"kernel": "params, at, t, spots, rows"}, {})
WRAPPING = Family(
    "surface",
    lambda: SURFACES,
    register_surface,
    {"solve": PATH, "follow": PATH, "point": ARC, "place": ARC},
    {"rates": PATH, "see": "params, at, a, b, n"},
)
MUSCLES = Family(
    "family of curves",
    lambda: CURVES,
    register_curves,
    dict.fromkeys(("active", "passive", "tendon", "passive_energy", "tendon_energy"), "params, at, x")
    | {"velocity": "params, at, v, a", "inverse": "params, at, f, a"},
    {},
)
SOLIDS = Family(
    "material",
    lambda: MATERIALS,
    register_material,
    {"energy": "params, at, F", "stress": "params, at, F", "slopes": "params, at, F, A"},
    {},
)
METHODS = Family("integrator", INTEGRATORS.values, register_integrator, {"step": "t, h, run"}, {})


def register(thing: Thing) -> Thing:
    """Make a joint, force, constraint, surface, curves, material or integrator of your own known, and give it back.

    `thing` is a subclass of mm.Joint, mm.Force, mm.wrap.Surface, mm.curves.Curves, mm.deformables.Material or
    mm.Constraint (whose `formulas` lists its Formula objects), or an mm.FixedStep. Also a decorator of classes. It is
    then used, drawn, plotted and saved like those of the package; a process that loads a file with such a thing must
    have registered it, too. Registering the same thing twice does nothing, and a class that is defined again takes the
    place of the one before.
    """
    if isinstance(thing, FixedStep):
        _add(METHODS, thing)
    elif isinstance(thing, Formula):
        _add(ROWS, thing)
    elif isinstance(thing, SmoothMap):
        register_map(thing)
    elif _is_subclass(thing, Joint):
        _check_dofs(thing)
        _add(JOINTS, thing)
    elif _is_subclass(thing, Force):
        _check_force(thing)
        _add(FORCES, thing)
    elif _is_subclass(thing, Surface):
        _add(WRAPPING, thing)
    elif _is_subclass(thing, Curves):
        _add(MUSCLES, thing)
    elif _is_subclass(thing, Material):
        _add(SOLIDS, thing)
    elif _is_subclass(thing, Constraint):
        for formula in _formulas(thing):
            _add(ROWS, formula)
    else:
        raise TypeError(f"register: give {EXPECTED}, not {thing!r}")
    return thing


def _is_subclass(thing: object, base: type) -> bool:
    return isinstance(thing, type) and issubclass(thing, base) and thing is not base


def _add(family: Family, thing: Any) -> None:
    """Add a thing to its family, unless it is there already, or a sentence about what is wrong with it."""
    what, known = f"{family.word} {name_of(thing)!r}", list(family.known())
    if any(member is thing for member in known):
        return
    if DIRECT:
        raise RuntimeError(f"register: {what} needs calls by address; unset MYOMASS_DIRECT_CALLS")
    for name, parameters in (family.required | family.optional).items():
        kernel = getattr(thing, name, None)
        if kernel is not None or name in family.required:
            _check_kernel(f"{what}: its `{name}`", kernel, parameters)
    for member in known:
        if name_of(member) == name_of(thing) and _origin(member) != _origin(thing):
            where = _origin(member)[0]
            raise ValueError(f"register: the name of {what} is taken by one from {where}; give yours another name")
    if len(known) >= PLACES:
        raise ValueError(f"register: {what} is one too many, a family has {PLACES} members at most; start anew")
    family.add(thing)


def _origin(thing: Any) -> tuple[str, str]:
    """Module and full name of a class, or of the kernel of a formula or an integrator."""
    where = thing if isinstance(thing, type) else getattr(thing, "kernel", getattr(thing, "step", None))
    return getattr(where, "__module__", "the package"), getattr(where, "__qualname__", "")


def _check_kernel(what: str, kernel: Any, parameters: str) -> None:
    """A sentence if something is not a kernel of so many parameters."""
    if kernel is None:
        raise TypeError(f"register: {what} is missing; it is a kernel ({parameters})")
    if not is_kernel(kernel):
        raise TypeError(f"register: {what} must be a function marked with @mm.kernel, and is {kernel!r}")
    own = list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)
    if len(own) != len(parameters.split(", ")):
        raise TypeError(f"register: {what} takes ({parameters}), and yours takes ({', '.join(own)})")


def _check_dofs(joint: type[Joint]) -> None:
    """A sentence if a joint says that it has more degrees of freedom than one may have; instances may say it, too."""
    ndof = getattr(joint, "ndof", 0)
    if isinstance(ndof, (property, type(None))) or (isinstance(ndof, int) and 0 <= ndof <= MOST_DOFS):
        return
    raise ValueError(
        f"register: joint {joint.__name__!r} has ndof = {ndof!r}, and a joint has 0 to {MOST_DOFS} degrees of freedom"
    )


def _check_force(force: type[Force]) -> None:
    """A sentence unless a force has one of the two kernels."""
    found = [name for name in FORCES.optional if getattr(force, name, None) is not None]
    if len(found) != 1:
        has = "both" if found else "neither"
        raise TypeError(
            f"register: force {force.__name__!r} needs one kernel, a `law` of a coordinate or a `formula` of points, "
            f"and has {has}"
        )


def _formulas(constraint: type[Constraint]) -> tuple[Formula, ...]:
    """The formulas that a constraint lists, or a sentence if it lists none."""
    listed = constraint.formulas
    if not isinstance(listed, (tuple, list)) or not listed or not all(isinstance(f, Formula) for f in listed):
        raise TypeError(
            f"register: constraint {constraint.__name__!r} needs `formulas`, a tuple of the Formula objects of its "
            f"rows, and has {listed!r}"
        )
    return tuple(listed)
