"""Maps of a spec -> the reduction of a model: layers between named coordinates, checked one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..joints.records import records
from ..model import Model
from ..model.coordinate import Coordinate
from ..model.maps import CoordinateMap, Followers, LinearMap, Rule, SmoothMap
from ..model.spec import UnknownName, known_names
from ..spatial.checks import check_numbers
from ..spatial.motion import Motion
from .functions import Smooth, check_derivatives
from .packed import FUNCTION, TERMS, FunctionLayer, Reduction, layer_dtype, name_of_map, term_dtype

DEPENDENT = 1e-12  # what is left of a column that depends on others

Term = tuple[int, int, Motion | float]  # (coordinate that it adds to, that it is of, function or factor)


@dataclass(frozen=True)
class Level:
    """Coordinates by name, between two layers."""

    model: str
    coordinates: tuple[Coordinate, ...]
    units: tuple[str, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)  # other names: of bodies with one coordinate of another

    @property
    def names(self) -> list[str]:
        """Their names, in order."""
        return [one.name for one in self.coordinates]

    def number(self, name: str, what: str) -> int:
        """The number of a coordinate, or a sentence if there is none."""
        names = self.names
        found = self.aliases.get(name, name) if isinstance(name, str) else name
        if found not in names:
            raise UnknownName(f"{what}: there is no coordinate {name!r}; {known_names(names)}")
        return names.index(found)

    def without(self, gone: Sequence[int], added: Sequence[Coordinate], units: Sequence[str]) -> "Level":
        """Those that stay, and the new ones."""
        kept = [k for k in range(len(self.coordinates)) if k not in set(gone)]
        coordinates = (*(self.coordinates[k] for k in kept), *added)
        return replace(self, coordinates=coordinates, units=(*(self.units[k] for k in kept), *units))


@dataclass(frozen=True)
class Layer:
    """q = offsets + sum of terms of Q, or a function."""

    wide: int
    narrow: int
    offsets: np.ndarray
    terms: Sequence[Term]
    function: FunctionLayer | None = None


def with_reduction(model: Model, maps: Sequence[CoordinateMap]) -> Model:
    """The model in the coordinates that its spec's maps leave. Raises an error about the first that does not fit."""
    level, layers = joint_level(model), []
    for number, given in enumerate(maps):
        what = f"reduce, map {number + 1} of {model.name!r}" if len(maps) > 1 else f"reduce, of {model.name!r}"
        level, made = _layers_of(level, given, what)
        layers += made
    layers.reverse()  # from Q to q
    return replace(model, reduction=_packed(model, level, layers), coordinate_specs=level.coordinates)


def joint_level(model: Model) -> Level:
    """The coordinates of all joints."""
    coordinates = model.coordinate_specs or tuple(map(Coordinate, model.coordinates))
    aliases = {}
    for i, body in enumerate(model.names):
        first, after = model.dof_starts[i], model.dof_starts[i + 1]
        if after - first == 1 and coordinates[first].name != body:
            aliases[body] = coordinates[first].name
    return Level(model.name, coordinates, tuple(model.coordinate_units), aliases)


def _layers_of(level: Level, given: CoordinateMap, what: str) -> tuple[Level, list[Layer]]:
    if isinstance(given, Followers):
        return _following(level, given.rules, what)
    if isinstance(given, LinearMap):
        made = _linear(level, given, what)
    elif isinstance(given, SmoothMap):
        made = _smooth(level, given, what)
    else:
        raise TypeError(f"{what}: give couplings by name, an mm.LinearMap or an mm.SmoothMap, not {given!r}")
    return made[0], [made[1]]


# --- couplings by name ------------------------------------------------------------------------------------------------


def _following(level: Level, rules: Mapping[str, Rule], what: str) -> tuple[Level, list[Layer]]:
    """Layers of couplings: those whom nobody follows go first, then those who are followers' leaders."""
    left: dict[str, tuple[float, list[tuple[str, Motion | float]]]] = {}
    for follower, rule in rules.items():
        name = level.names[level.number(follower, what)]
        if name in left:
            raise ValueError(f"{what}: {name!r} is given two rules")
        left[name] = _rule(level, name, rule, what)
    layers = []
    while left:
        led = {leader for _, terms in left.values() for leader, _ in terms}
        outermost = [name for name in left if name not in led]
        if not outermost:
            raise ValueError(f"{what}: {_circle(left)} follow each other in a circle; leave one of them free")
        level, layer = _one_following(level, {name: left.pop(name) for name in outermost}, what)
        layers.append(layer)
    return level, layers


def _one_following(level: Level, rules: Mapping, what: str) -> tuple[Level, Layer]:
    names, wide = level.names, len(level.coordinates)
    after = level.without([names.index(name) for name in rules], (), ())
    offsets, terms = np.zeros(wide), []
    for k, name in enumerate(names):
        if name not in rules:
            terms.append((k, after.names.index(name), 1.0))
            continue
        offsets[k], led_by = rules[name]
        terms += [(k, after.number(leader, what), function) for leader, function in led_by]
    return after, Layer(wide, len(after.coordinates), offsets, terms)


def _rule(level: Level, name: str, rule: Rule, what: str) -> tuple[float, list[tuple[str, Motion | float]]]:
    """(offset, [(leader, function or factor)]) of a follower."""
    what = f"{what}: {name!r}"
    if not isinstance(rule, Mapping):
        if isinstance(rule, bool) or not isinstance(rule, (int, float, np.number)):
            raise TypeError(f"{what} needs a number that it keeps, or {{leader: rule}}, and is given {rule!r}")
        return float(check_numbers(rule, f"{what}, the number that it keeps,", ())), []
    offset, found = 0.0, []
    for leader, given in rule.items():
        k = level.number(leader, what)
        if level.names[k] == name:
            raise ValueError(f"{what} cannot follow itself")
        if any(level.names[k] == other for other, _ in found):
            raise ValueError(f"{what} is led by {leader!r} twice")
        constant, function = _function(given, f"{what}, its rule for {leader!r},")
        offset += constant
        found.append((level.names[k], function))
    return offset, found


def _function(given: float | Sequence[float] | Motion, what: str) -> tuple[float, Motion | float]:
    """(constant, factor or function) of a rule."""
    if isinstance(given, Motion):
        if not given.is_smooth:
            raise ValueError(f"{what} has a kink or a jump, {given!r}: a reduction needs a slope that goes on")
        return 0.0, given
    if np.ndim(given) == 0:
        return 0.0, float(check_numbers(given, f"{what} a factor,", ()))
    numbers = check_numbers(given, f"{what} coefficients c0, c1, ...", (None,))
    if not len(numbers):
        raise ValueError(f"{what} has no coefficients")
    if len(numbers) <= 2:
        return float(numbers[0]), float(numbers[1]) if len(numbers) == 2 else 0.0
    return 0.0, Motion.pieces([0.0, 1.0], [numbers], goes_on=True)


def _circle(left: Mapping) -> str:
    """Names of followers that lead to each other."""
    path = [next(iter(left))]
    while path.count(path[-1]) < 2:
        path.append(next(leader for leader, _ in left[path[-1]][1] if leader in left))
    names = path[path.index(path[-1]) : -1]
    return " and ".join([", ".join(map(repr, names[:-1])), repr(names[-1])])


# --- maps of new coordinates ------------------------------------------------------------------------------------------


def _linear(level: Level, given: LinearMap, what: str) -> tuple[Level, Layer]:
    gone, added = _given_by(level, given, what)
    why = f"{what}: matrix, a row for each of {len(gone)} coordinates and a column for each of {len(added)} new ones,"
    matrix = check_numbers(given.matrix, why, (len(gone), len(added)))
    offset = check_numbers(np.zeros(len(gone)) if given.offset is None else given.offset, "offset", (len(gone),))
    _check_columns(matrix, [one.name for one in added], what)
    units = [_unit([level.units[k] for k, part in zip(gone, column, strict=True) if part]) for column in matrix.T]
    after = level.without(gone, added, [one.unit or unit for one, unit in zip(added, units, strict=True)])
    stays = _stays(len(level.coordinates), gone)
    offsets = np.zeros(len(level.coordinates))
    offsets[gone] = offset
    terms = [(k, j, 1.0) for k, j in stays]
    terms += [(gone[i], len(stays) + j, float(matrix[i, j])) for i, j in np.argwhere(matrix)]
    return after, Layer(len(offsets), len(after.coordinates), offsets, terms)


def _smooth(level: Level, given: SmoothMap, what: str) -> tuple[Level, Layer]:
    for function in (given.function,) if given.jacobian is None else (given.function, given.jacobian):
        if not callable(function):
            raise TypeError(f"{what}: function and jacobian must be functions of Q, and one is {function!r}")
    gone, added = _given_by(level, given, what)
    law = Smooth.of(given, len(gone), len(added), f"the map {name_of_map(given)!r}")
    start = np.array([one.default for one in added])
    if given.start is not None:
        start = check_numbers(given.start, f"{what}: start, of {len(added)} new coordinates,", (len(added),))
        added = tuple(replace(one, default=float(x)) for one, x in zip(added, start, strict=True))
    check_derivatives(law, start)
    wide, stays = len(level.coordinates), _stays(len(level.coordinates), gone)
    after = level.without(gone, added, [one.unit or "1" for one in added])
    takes = np.arange(len(stays), len(stays) + len(added))
    function = FunctionLayer(given, np.array(gone, int), takes, np.array(stays, int).reshape(-1, 2))
    return after, Layer(wide, len(after.coordinates), np.zeros(wide), (), function)


def _given_by(level: Level, given: LinearMap | SmoothMap, what: str) -> tuple[list[int], tuple[Coordinate, ...]]:
    """(numbers of the coordinates that a map gives, the new ones)."""
    names = level.names if given.of is None else [given.of] if isinstance(given.of, str) else list(given.of)
    gone = [level.number(name, what) for name in names]
    if len(set(gone)) < len(gone):
        raise ValueError(f"{what}: `of` names a coordinate twice")
    told = [given.coordinates] if isinstance(given.coordinates, (str, Coordinate)) else given.coordinates
    if not isinstance(told, Sequence) or not all(isinstance(one, (str, Coordinate)) for one in told):
        raise TypeError(f"{what}: coordinates are names or mm.model.Coordinate of the new ones, and are {told!r}")
    added = tuple(Coordinate(one) if isinstance(one, str) else one for one in told)
    stays = [name for k, name in enumerate(level.names) if k not in set(gone)]
    all_names = [*stays, *(one.name for one in added)]
    for name in all_names:
        if all_names.count(name) > 1:
            raise ValueError(f"{what}: there would be two coordinates {name!r}; every name must be different")
    if len(added) > len(gone):
        raise ValueError(f"{what}: {len(added)} coordinates cannot move {len(gone)} independently")
    return gone, added


def _stays(wide: int, gone: Sequence[int]) -> list[tuple[int, int]]:
    """(number before, number after) of the coordinates that stay."""
    return [(k, j) for j, k in enumerate(k for k in range(wide) if k not in set(gone))]


def _unit(units: Sequence[str]) -> str:
    """The unit of a new coordinate, that of all it moves or "1"."""
    return units[0] if len(set(units)) == 1 else "1"


def _check_columns(J: np.ndarray, names: Sequence[str], what: str) -> None:
    """A sentence if a column of J moves nothing that those before it do not."""
    length = np.sqrt(np.einsum("ij,ij->j", J, J))
    left = np.abs(np.diag(np.linalg.qr(J / np.where(length > 0, length, 1.0), mode="r")))
    for k in np.flatnonzero(left < DEPENDENT):
        raise ValueError(
            f"{what}: column {k} of the matrix, {names[k]!r}, is "
            f"{'zero' if length[k] == 0 else 'a combination of those before it'}: every reduced coordinate must move "
            "the model in a way of its own"
        )


# --- arrays -----------------------------------------------------------------------------------------------------------


def _packed(model: Model, level: Level, layers: Sequence[Layer]) -> Reduction:
    table, functions = records(len(layers), layer_dtype()), []
    terms, offsets, params = [], [], []
    for row, layer in zip(table, layers, strict=True):
        kind = TERMS if layer.function is None else FUNCTION
        values = kind, len(terms), len(layer.terms), sum(map(len, offsets)), layer.wide, layer.narrow
        for name, value in zip(layer_dtype().names, values, strict=True):
            row[name] = value
        for to, of, function in layer.terms:
            at = -1
            if isinstance(function, Motion):
                at = sum(map(len, params))
                params.append(function.parameters())
            terms.append((to, of, at, 1.0 if at >= 0 else function))
        offsets.append(layer.offsets)
        functions += [] if layer.function is None else [layer.function]
    packed = records(len(terms), term_dtype())
    packed[:] = np.array(terms, term_dtype())
    arrays = np.concatenate(offsets), np.concatenate([*params, [0.0]])
    named = level.units, model.coordinate_specs, tuple(functions)
    return Reduction(table, packed, *arrays, _passed(model.ndof, layers), *named)


def _passed(wide: int, layers: Sequence[Layer]) -> np.ndarray:
    """Which of Q each joint's coordinate is, -1 if it is none. (joint_dofs,)"""
    passed = np.arange(wide)
    for layer in reversed(layers):
        own = np.full(layer.wide, -1)
        if layer.function is not None:
            for k, j in layer.function.stays:
                own[k] = j
        for k in range(layer.wide) if layer.function is None else ():
            terms = [term for term in layer.terms if term[0] == k]
            if len(terms) == 1 and terms[0][2] == 1.0 and layer.offsets[k] == 0.0:
                own[k] = terms[0][1]
        passed = np.where(passed >= 0, own[passed], -1)
    return passed
