"""Numbers of a model by name: "upper.mass", "spring.stiffness", "muscle.points", "muscle.wrap[0].radius", "gravity".

The first part of a name is a body, force, constraint, muscle or marker of the spec, what follows are its fields. Mass,
moments and frame of a body's inertia go by the body's name as well. A pose has six numbers: the rotation vector
and the translation [m] by which it is moved in its own frame, all zero as it stands. Points are their places.

The derivative of the equations of motion by such a number comes from models compiled with the number changed: a
difference of fourth order over steps of a thousandth, exact up to rounding for numbers in which they are polynomials of
fourth degree, such as masses, stiffnesses and gravity.
"""

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..archive import same_mechanism
from ..model import Model, Spec
from ..model.model import same_joints
from ..model.spec import UnknownName, known_names
from ..spatial import se3
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from ..spatial.inertia import Inertia

STEP = 1e-3  # of a number, or of the largest of its array
LEAST = 0.1  # what numbers that are all zero are taken for
SMALL = 1e-2  # steps of smaller numbers are those of this one, as far as it goes: theirs would be lost in rounding
# weights by step of a difference of fourth order, and of one of second order to compare it with
CENTRAL = {-2: (1 / 12, 0.0), -1: (-8 / 12, -0.5), 1: (8 / 12, 0.5), 2: (-1 / 12, 0.0)}
FORWARD = {0: (-25 / 12, -1.5), 1: (4.0, 2.0), 2: (-3.0, -0.5), 3: (4 / 3, 0.0), 4: (-1 / 4, 0.0)}
INPUTS = ("q", "qdot", "tau", "excitation")  # what a run is given beside its model
OF_INERTIA = {"mass": "inertia.mass", "moments": "inertia.moments"}
FIELD = re.compile(r"(\w+)((?:\[\d+\])*)")


@brief
@dataclass(frozen=True)
class Parameter:
    """A number of one's own, or several: its name, its value, and a function that edits a spec to have it.

    edit(spec, value) is given a copy of the spec, which it may change.
    """

    name: str
    value: float | Sequence[float]
    edit: Callable[[Spec, np.ndarray], None]


class Numbers:
    """Named numbers of a model: their values, and models in which some of them are others."""

    def __init__(self, model: Model, wanted: Sequence[str | Parameter]):
        self.compiled, self.spec = model, model.source
        if wanted:
            _check_source(model)
        self.parameters = [_named(self.spec, one) if isinstance(one, str) else _checked(one) for one in wanted]
        _check_apart(self.spec, [one for one in wanted if isinstance(one, str)])
        self.charts = model.params[model.chart_slots]
        if any(isinstance(one, Parameter) for one in wanted):  # a name says what is there, a parameter what is to be
            self.compiled = self.model(self.values())

    def at(self, values: dict[str, np.ndarray]) -> "Numbers":
        """The same with other values."""
        if not self.parameters or not values:
            return self
        other = copy.copy(self)
        other.parameters = [replace(one, value=np.array(values.get(one.name, one.value))) for one in self.parameters]
        other.compiled = other.model(other.values())
        return other

    def values(self) -> dict[str, np.ndarray]:
        """As they stand."""
        return {one.name: np.array(one.value, float) for one in self.parameters}

    def model(self, values: dict[str, np.ndarray]) -> Model:
        """The model with these values."""
        spec = copy.deepcopy(self.spec)
        for one in self.parameters:
            one.edit(spec, np.array(values[one.name], float))
        return spec.compile().with_charts(self.charts)

    def singly(self) -> list[tuple[Parameter, tuple[int, ...]]]:
        """Every single number, in order: whose it is, and its place there."""
        return [(one, index) for one in self.parameters for index in np.ndindex(np.shape(one.value))]

    def stencil(self, one: Parameter, index: tuple[int, ...], share: float = STEP) -> "Stencil":
        """Models around a single number, in steps of a share of it, and how to weight what they say."""
        values, value = self.values(), np.array(one.value, float)
        size = np.abs(value).max() or LEAST
        steps = dict.fromkeys((share * max(size, SMALL), share * size))
        ways = [(step, *way) for step in steps for way in ((CENTRAL, 1.0), (FORWARD, 1.0), (FORWARD, -1.0))]
        reasons = []
        for step, weights, sign in ways:
            models = []
            try:
                for k in weights:
                    moved = value.copy()
                    moved[index] += sign * k * step
                    models.append(self.model(values | {one.name: moved}))
            except (ValueError, ArithmeticError) as error:
                reasons.append(str(error))
                continue
            if not all(_comparable(model, self.compiled) for model in models):
                raise ValueError(
                    f"wrt: {one.name!r} changes which joints, muscles or constraints there are, or the states of "
                    "muscles; there are no derivatives by that"
                )
            return Stencil(models, sign * np.array(list(weights.values())).T / step)
        raise ValueError(f"wrt: {one.name!r} cannot be changed either way: {reasons[0]}")


@dataclass
class Stencil:
    """Models around a number, and the weights that make derivatives of what they say: to fourth and to second order."""

    models: list[Model]
    weights: np.ndarray  # (2, models)

    def slopes(self, said: np.ndarray) -> np.ndarray:
        """Derivatives to both orders of what the models say, (models, ...); zero where all say the same. (2, ...)"""
        return np.tensordot(self.weights, said - said[0], axes=1)


def _check_source(model: Model) -> None:
    if model.source is None:
        raise ValueError(
            f"wrt: nobody knows what model {model.name!r} was compiled from; for derivatives by its numbers "
            "give a model as spec.compile() returns it"
        )
    if not same_mechanism(model.source.compile(massless=True), model):
        raise ValueError(
            f"wrt: model {model.name!r} is not what its spec says now; compile the spec again, and give that"
        )


def _comparable(a: Model, b: Model) -> bool:
    """Can what two models say of one motion be subtracted?"""
    same = [(len(m.muscles.table), m.nz, m.constraints.count, m.ndof) for m in (a, b)]
    return same[0] == same[1] and same_joints(a, b)


def _checked(one: Parameter) -> Parameter:
    if not isinstance(one, Parameter):
        raise TypeError(f"wrt: wrt holds names and mm.Parameter, and {one!r} is neither")
    if not isinstance(one.name, str) or not callable(one.edit):
        raise TypeError(f"a parameter has a name, a value, and a function edit(spec, value), and one is {one!r}")
    if one.name in INPUTS:
        raise ValueError(f"wrt: a parameter cannot go by the name {one.name!r}, which is that of what a run is given")
    what = f"the value of parameter {one.name!r}"
    try:
        shape = np.shape(one.value)
    except ValueError:  # rows of different lengths
        shape = (None,)
    value = check_numbers(one.value, what, shape)
    if not value.size:
        raise ValueError(f"{what} must be a number, or several, and is {one.value!r}")
    return Parameter(one.name, value, one.edit)


def _check_apart(spec: Spec, names: Sequence[str]) -> None:
    """Raise a ValueError if two names mean the same number."""
    seen: dict[str, tuple] = {}
    for name in names:
        holder, path = _split(spec, name)
        place = (id(holder), *re.findall(r"\w+", path))
        for other, taken in seen.items():
            shared = min(len(place), len(taken))
            if place[:shared] == taken[:shared]:
                raise ValueError(f"wrt names a number twice, by {other!r} and by {name!r}")
        seen[name] = place


def _named(spec: Spec, name: str) -> Parameter:
    """The parameter of a name such as "upper.mass"."""
    holder, path = _split(spec, name)
    owner, last, indices = _follow(holder, path, name)
    given = _at(getattr(owner, last), indices)
    value, change = _as_numbers(given, name)

    def edit(spec: Spec, numbers: np.ndarray) -> None:
        holder, path = _split(spec, name)
        _assign(holder, path, change(numbers))

    return Parameter(name, value, edit)


def _split(spec: Spec, name: str) -> tuple[object, str]:
    """What a name begins with, and the path of fields from there."""
    if re.fullmatch(r"gravity(\[\d+\])?", name):
        return spec, name
    rooms = spec.bodies, spec.forces, spec.constraints, spec.muscles, spec.markers
    found = [(one, room[one]) for room in rooms for one in room if name.startswith(f"{one}.")]
    if not found:
        known = ["gravity", *(one for room in rooms for one in room)]
        raise UnknownName(
            f'wrt: {name!r} names nothing: give "q", "qdot", "tau", "excitation", or a body, force, constraint, '
            f'muscle or marker and a field, such as "{known[-1]}.{_fields(spec, known[-1])[0]}"; {known_names(known)}'
        )
    own, holder = max(found, key=lambda pair: len(pair[0]))
    path = name[len(own) + 1 :]
    field = path.partition("[")[0]
    if holder is spec.bodies.get(own) and field in OF_INERTIA:
        path = OF_INERTIA[field] + path.removeprefix(field)
    return holder, path


def _fields(spec: Spec, own: str) -> list[str]:
    """Fields of a part of the spec that hold numbers."""
    rooms = spec.bodies, spec.forces, spec.constraints, spec.muscles, spec.markers
    holder = next((room[own] for room in rooms if own in room), spec)
    return _number_fields(holder) or ["mass"]


def _number_fields(holder: object) -> list[str]:
    found = []
    if getattr(holder, "inertia", None) is not None:
        found += OF_INERTIA
    for field in vars(holder):
        try:
            _as_numbers(getattr(holder, field), field)
        except TypeError:
            continue
        found.append(field)
    return found


def _follow(holder: object, path: str, name: str) -> tuple[object, str, tuple[int, ...]]:
    """(owner, its field, indices into it) at the end of a path of fields."""
    *before, last = path.split(".")
    for part in before:
        field, indices = _parsed(part, holder, name)
        holder = _at(getattr(holder, field), indices)
        if holder is None:
            raise UnknownName(f"wrt: {name!r}: its {part} is not given")
    field, indices = _parsed(last, holder, name)
    return holder, field, indices


def _parsed(part: str, holder: object, name: str) -> tuple[str, tuple[int, ...]]:
    match = FIELD.fullmatch(part)
    if match is None or not hasattr(holder, match[1]):
        known = known_names(_number_fields(holder)).replace("known:", "its numbers are")
        raise UnknownName(f"wrt: {name!r}: {type(holder).__name__} has no {part!r}; {known}")
    return match[1], tuple(int(k) for k in re.findall(r"\d+", match[2]))


def _at(value: object, indices: tuple[int, ...]) -> object:
    for k in indices:
        if not isinstance(value, (list, tuple, np.ndarray)) or k >= len(value):
            raise UnknownName(f"there is no [{k}] in {value!r}")
        value = value[k]
    return value


def _assign(holder: object, path: str, value: object) -> None:
    """Put a value at the end of a path; what is frozen on the way is made anew."""
    first, _, rest = path.partition(".")
    match = FIELD.fullmatch(first)
    field, indices = match[1], tuple(int(k) for k in re.findall(r"\d+", match[2]))
    held = getattr(holder, field)
    if rest:
        inner = copy.copy(_at(held, indices))
        _assign(inner, rest, value)
        value = inner
    if indices:
        value = _with_item(held, indices, value)
    if isinstance(inner := holder, Inertia):
        object.__setattr__(inner, field, value)
        inner.__post_init__()
    else:
        object.__setattr__(holder, field, value)


def _with_item(held: object, indices: tuple[int, ...], value: object) -> object:
    """A sequence with another item."""
    k, *rest = indices
    items = list(held)
    items[k] = _with_item(items[k], tuple(rest), value) if rest else value
    return tuple(items) if isinstance(held, tuple) else np.array(items) if isinstance(held, np.ndarray) else items


def _as_numbers(given: object, name: str) -> tuple[np.ndarray, Callable[[np.ndarray], object]]:
    """The numbers of a field, and what the field is with other ones."""
    if isinstance(given, (int, float, np.floating, np.integer)) and not isinstance(given, bool):
        return np.array(float(given)), float
    if isinstance(given, np.ndarray) and given.shape == (4, 4):
        return np.zeros(6), lambda x: given @ se3.pose(_rotation(x[:3]), x[3:])
    if isinstance(given, (list, tuple)) and given and all(_is_point(one) for one in given):
        return np.array([place for _, place in given], float), lambda x: [
            (body, tuple(place)) for (body, _), place in zip(given, x.tolist(), strict=True)
        ]
    if _is_point(given):
        return np.array(given[1], float), lambda x: (given[0], tuple(x.tolist()))
    if isinstance(given, (list, tuple, np.ndarray)) and _is_numeric(given):
        return np.array(given, float), lambda x: x if isinstance(given, np.ndarray) else type(given)(x.tolist())
    raise TypeError(f"wrt: {name!r} is no number: {given!r}")


def _rotation(w: np.ndarray) -> np.ndarray:
    return se3.exp(np.concatenate([w, np.zeros(3)]))[:3, :3]


def _is_point(value: object) -> bool:
    """Is it (body, place)?"""
    pair = isinstance(value, tuple) and len(value) == 2 and (value[0] is None or isinstance(value[0], str))
    return pair and np.shape(value[1]) == (3,) and _is_numeric(value[1])


def _is_numeric(value: object) -> bool:
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    return array.size > 0 and array.dtype.kind in "fiu"
