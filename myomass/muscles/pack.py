"""Muscles of a spec -> arrays of a model, with all checks of what a person gives for a muscle."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..joints.records import filled
from ..model.elements import Muscle
from ..model.joint_checks import not_negative
from ..model.spec import UnknownName
from ..spatial.checks import check_numbers
from ..spatial.motion import Motion, as_motion
from .hill.pack import hill_records, pack_hill
from .hill.records import reflex_dtype
from .hill.reflex import Reflex, pack_reflex
from .hill.spec import Hill
from .laws.base import TensionLaw
from .network.trained import OUTSIDE, Network
from .pack_points import body_frame, check_ends, path_points, with_junctions
from .packed import Muscles, lump_dtype, muscle_dtype, pair_dtype, path_point_dtype, piece_dtype, span_dtype
from .points import JUNCTION
from .reference import length_at_rest, links_at_rest
from .spec import SMOOTHINGS, Belly, Lumps, Surface

if TYPE_CHECKING:
    from ..model.model import Model

TENDONS = ("stretches", "inextensible")


@dataclass
class _Packing:
    """Rows of all arrays while muscles are packed."""

    table: list = field(default_factory=list)
    points: list = field(default_factory=list)
    pieces: list = field(default_factory=list)
    lumps: list = field(default_factory=list)
    spans: list = field(default_factory=list)
    moves: list = field(default_factory=list)
    params: list = field(default_factory=lambda: [0.0])
    surfaces: list = field(default_factory=list)
    curves: dict = field(default_factory=dict)  # numbers of a family of curves -> where they start
    networks: dict = field(default_factory=dict)  # (outside, digest) -> where their numbers start
    pairs: dict = field(default_factory=dict)  # (base, dof) -> their number
    coupled: list = field(default_factory=list)  # sets of dofs that mass couples
    hills: dict = field(default_factory=dict)  # muscle's name -> fields of its record with states
    states: list = field(default_factory=list)  # names of the states
    links: np.ndarray | None = None  # at q = 0, found when a belly needs them

    def pair(self, base: int, dof: int) -> int:
        """Number of the pair (base, dof), a new one if it is seen for the first time."""
        return self.pairs.setdefault((base, dof), len(self.pairs))

    def keep(self, numbers: Sequence[float]) -> int:
        """Append parameters; returns where they start."""
        at = len(self.params)
        self.params += [float(x) for x in numbers]
        return at

    def keep_curves(self, actuator: Hill) -> int:
        """Append the numbers of an actuator's curves, once for all muscles with the same; returns where they start."""
        numbers = tuple(actuator.parameters())
        if numbers not in self.curves:
            self.curves[numbers] = self.keep(numbers)
        return self.curves[numbers]

    def keep_network(self, network: Network, surface: Surface) -> int:
        """Append the numbers of a surface's network, once for each file; returns where they start."""
        if surface.side is not None and not getattr(surface, "forced", True):
            raise ValueError("no network was trained for a side with forced=False; take smoothing 'blend'")
        weights = network.weights_for(type(surface).__name__, surface.problem, surface.shipped)
        key = (OUTSIDE.index(network.outside), weights.digest)
        if key not in self.networks:
            self.networks[key] = self.keep([key[0], *weights.parameters(surface.problem)])
        return self.networks[key]


def with_muscles(model: "Model", muscles: dict[str, Muscle], reflexes: dict[str, Reflex]) -> "Model":
    """The model with these muscles and reflexes packed. Raises an error that names the one which does not fit."""
    packing = _Packing()
    for name, muscle in muscles.items():
        with _named("muscle", name):
            _pack(model, name, muscle, packing)
    wired = [[] for _ in packing.hills]
    for name, reflex in reflexes.items():
        with _named("reflex", name):
            row = pack_reflex(model, name, reflex, list(packing.hills), packing.states)
            wired[row[0]].append(row)
    inner = _elimination_tree(model, packing.coupled)
    return replace(model, muscles=_arrays(packing, wired, inner, tuple(muscles)))


@contextmanager
def _named(what: str, name: str) -> Iterator[None]:
    """A context in which errors say what they are about."""
    try:
        yield
    except (TypeError, FileNotFoundError) as error:
        raise type(error)(f"{what} {name!r}: {error}") from None
    except (ValueError, KeyError) as error:
        raise ValueError(f"{what} {name!r}: {str(error) if isinstance(error, UnknownName) else error}") from None


def _arrays(packing: _Packing, wired: list[list[tuple]], inner: np.ndarray, names: tuple[str, ...]) -> Muscles:
    """The rows of a packing as arrays."""
    return Muscles(
        filled(packing.table, muscle_dtype(np.float64)),
        filled(packing.points, path_point_dtype(np.float64)),
        filled(packing.pieces, piece_dtype(np.float64)),
        filled(packing.lumps, lump_dtype(np.float64)),
        filled(packing.spans, span_dtype()),
        np.array(packing.moves, bool),
        np.array(packing.params),
        inner.astype(np.int64),
        filled(list(packing.pairs), pair_dtype()),
        hill_records(packing.hills.values(), wired),
        filled([row for own in wired for row in own], reflex_dtype(np.float64)),
        np.array(packing.states, dtype=str),
        names,
        tuple(packing.surfaces),
    )


def _pack(model: "Model", name: str, muscle: Muscle, packing: _Packing) -> None:
    """Check one muscle and append its records."""
    mass = not_negative(muscle.mass, "mass [kg]")
    points = muscle.points
    first = len(packing.points), len(packing.lumps), len(packing.spans), len(packing.moves)
    blend, network = _smoothing(muscle.smoothing)
    rows, surfaces = with_junctions(path_points(model, points, packing.keep), _surfaces(muscle, len(points) - 1))
    if network is not None and len(rows) > len(points):
        raise ValueError("a piece with several surfaces cannot be smoothed by a network; take smoothing 'blend'")
    packing.points += rows
    packing.surfaces += surfaces
    packing.pieces += [_piece(model, surface, network, packing) for surface in surfaces]
    check_ends(packing.points[first[0] :], packing.pieces[first[0] :], surfaces)
    continuous, start, end, lumps = _distribution(muscle, mass)
    proximal, distal = _tendons(model, muscle.distribution, packing, first[0])
    if continuous and network is not None and len(points) > 2:
        raise ValueError(
            "a continuous mass through more than two points cannot be smoothed by a network; take mass points, or "
            "smoothing 'blend'"
        )
    packing.lumps += lumps
    base, spans, moves = _span(model, packing.points[first[0] :], packing.pieces[first[0] :])
    packing.spans += [(dof, link, packing.pair(base, dof)) for dof, link in spans]
    packing.moves += moves
    law, given, constant = _tension(muscle.tension, packing)
    if muscle.actuator is not None and (given >= 0 or constant != 0.0):
        raise ValueError("give a tension or an actuator, not both: the actuator makes the tension")
    hill = -1 if muscle.actuator is None else len(packing.hills)
    if hill >= 0:
        row = pack_hill(name, muscle.actuator, packing.keep_curves, packing.states)
        packing.hills[name] = row | {"muscle": len(packing.table)}
    counts = len(rows), first[1], len(lumps), first[2], len(spans), first[3], base, continuous, given, hill, law
    packing.table.append((first[0], *counts, mass, start, end, constant, blend, proximal, distal))
    if mass > 0:
        packing.coupled.append([dof for dof, _ in spans])


def _tension(tension: TensionLaw | Motion | float, packing: _Packing) -> tuple[int, int, float]:
    """(kind of its law or -1, where its numbers start or -1, the tension that stays [N])."""
    if isinstance(tension, TensionLaw):
        if tension.kind < 0:
            raise TypeError(f"{type(tension).__name__} is no law of tension that is known; take one of mm.muscles.laws")
        return tension.kind, packing.keep(tension.parameters()), 0.0
    motion = as_motion(tension, "tension [N]")
    if motion.moves:
        return -1, packing.keep(motion.parameters()), 0.0
    return -1, -1, float(motion.coefficients[0, 0])


def _smoothing(smoothing: str | float | Network) -> tuple[float, Network | None]:
    """(blend, network): the share of a piece's length over which it is blended, 0 for none; or the network instead."""
    if isinstance(smoothing, Network):
        return 0.0, smoothing
    if isinstance(smoothing, str) and smoothing == "network":
        return 0.0, Network()
    if isinstance(smoothing, str) and smoothing in SMOOTHINGS:
        return SMOOTHINGS[smoothing], None
    if isinstance(smoothing, (int, float, np.floating)) and not isinstance(smoothing, bool) and 0 < smoothing <= 0.5:
        return float(smoothing), None
    names = ", ".join(map(repr, [*SMOOTHINGS, "network"]))
    raise ValueError(f"smoothing is one of {names}, mm.Network, or a share of the path up to 0.5, not {smoothing!r}")


def _surfaces(muscle: Muscle, pieces: int) -> list[list[Surface]]:
    """The surfaces of each piece, in the order in which the path meets them."""
    wrap = muscle.wrap
    if wrap is None:
        return [[] for _ in range(pieces)]
    wrap = [wrap] if isinstance(wrap, Surface) else wrap
    if isinstance(wrap, str) or not isinstance(wrap, Sequence):
        raise TypeError(f"wrap is a list of surfaces such as mm.wrap.Cylinder(...), not {wrap!r}")
    made = []
    for entry in wrap:
        several = isinstance(entry, Sequence) and not isinstance(entry, str)
        own = list(entry) if several else [] if entry is None else [entry]
        for surface in own:
            if not isinstance(surface, Surface):
                raise TypeError(
                    f"wrap holds surfaces such as mm.wrap.Cylinder(...), lists of them, or None, and one is {surface!r}"
                )
        made.append(own)
    if len(wrap) not in (0, pieces):
        raise ValueError(
            f"wrap has {len(wrap)} entries, and the path {pieces} pieces between its points: give a surface, a list of "
            "several, or None, for each piece"
        )
    return made or [[] for _ in range(pieces)]


def _piece(model: "Model", surface: Surface | None, network: Network | None, packing: _Packing) -> tuple:
    """Record of a piece."""
    if surface is None:
        return -1, 0, 0, -1, np.eye(3), np.zeros(3)
    if surface.kind < 0:
        own = type(surface).__name__
        raise TypeError(f"the surface {own} is not registered; call mm.register({own}) after its definition")
    link, R, p = body_frame(model, surface.body)
    E = surface.frame()
    at = packing.keep(surface.parameters())
    learned = -1 if network is None else packing.keep_network(network, surface)
    return surface.kind, at, link, learned, R @ E[:3, :3], R @ E[:3, 3] + p


def _distribution(muscle: Muscle, mass: float) -> tuple[bool, float, float, list[tuple]]:
    """(continuous, start, end, lumps): how the mass is spread."""
    count, spread = muscle.mass_points, muscle.distribution
    if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or count < 1:
        raise ValueError(f"mass_points must be a whole number, one at least, and is {count!r}")
    if spread in ("uniform", "continuous") if isinstance(spread, str) else False:
        spread = Belly(0.0, 1.0, spread == "continuous")
    elif isinstance(spread, str):
        raise ValueError(f'distribution is "uniform", "continuous", mm.Belly, mm.Lumps or shares, not {spread!r}')
    elif not isinstance(spread, (Belly, Lumps)):
        shares = check_numbers(spread, "distribution, the share of each mass point,", (None,))
        spread = Lumps((np.arange(len(shares)) + 0.5) / max(len(shares), 1), shares)
    if isinstance(spread, Belly):
        start, end = check_numbers((spread.start, spread.end), "the belly's start and end", (2,)).tolist()
        if not 0 <= start < end <= 1:
            raise ValueError(f"a belly lies between two fractions of the path, not {start:g} and {end:g}")
        if spread.tendon not in TENDONS:
            raise ValueError(f'the belly\'s tendon "stretches" or is "inextensible", not {spread.tendon!r}')
        if spread.tendon == "inextensible":
            start, end = 0.0, 1.0
        alpha = start + (end - start) * (np.arange(count) + 0.5) / count
        return bool(spread.continuous), start, end, [(a, mass / count) for a in alpha]
    alpha = check_numbers(spread.fractions, "fractions", (None,))
    given = np.ones(len(alpha)) if spread.shares is None else spread.shares
    shares = check_numbers(given, "shares", alpha.shape)
    if not len(alpha) or not ((alpha >= 0) & (alpha <= 1)).all() or (np.diff(alpha) <= 0).any():
        raise ValueError("mass points sit at rising fractions of the path, between 0 and 1")
    if (shares < 0).any() or not shares.sum() > 0:
        raise ValueError("shares of the mass must not be negative, nor all zero")
    return False, 0.0, 1.0, list(zip(alpha, mass * shares / shares.sum(), strict=True))


def _tendons(model: "Model", spread: object, packing: _Packing, first: int) -> tuple[float, float]:
    """(proximal, distal): lengths of the tendons that do not stretch, of the path whose records are the last. [m]"""
    if not isinstance(spread, Belly):
        return 0.0, 0.0
    if spread.tendon != "inextensible":
        if spread.length is not None:
            raise ValueError('the belly\'s length is for tendon="inextensible"; where tendons stretch there is none')
        return 0.0, 0.0
    if spread.length is not None:
        length = float(check_numbers(spread.length, "the belly's length, of the path [m],", ()))
        if not length > 0:
            raise ValueError(f"the belly's length is that of the path where its fractions hold [m], not {length:g}")
        return spread.tendons(length)
    packing.links = links_at_rest(model) if packing.links is None else packing.links
    path = packing.points[first:], packing.pieces[first:]
    length = length_at_rest(packing.links, path, packing.params, model.ndof)
    if not length > 0:
        raise ValueError(f"its path at q = 0 is {length:g} m long; give the belly a length that its fractions hold at")
    return spread.tendons(length)


def _inwards(model: "Model", link: int) -> list[int]:
    """A link and those between it and the world, the world last."""
    chain = [link]
    while chain[-1] != 0:
        chain.append(int(model.links["parent"][chain[-1]]))
    return chain


def _dofs(model: "Model", link: int) -> range:
    first = int(model.links["dof"][link])
    return range(first, first + int(model.links["ndof"][link]))


def _span(model: "Model", points: list[tuple], pieces: list[tuple]) -> tuple[int, list[tuple], list[bool]]:
    """(base, dofs with their links, table of what they move) of a path.

    The base is the innermost link that all links of the path share: it carries the muscle as a whole, and only the
    degrees of freedom beyond it change the path. The table says of each of those which points and surfaces it moves.
    """
    own = [point[0] for point in points] + [piece[2] if piece[0] >= 0 else points[0][0] for piece in pieces]
    drives = [int(np.flatnonzero([dof in _dofs(model, i) for i in range(len(model.links))])[-1])
              for dof in {int(dof) for point in points for dof in point[2]} - {-1}]  # fmt: skip
    chains = [_inwards(model, link) for link in own] + [_inwards(model, link)[1:] for link in drives]
    shared = set(chains[0]).intersection(*chains[1:])
    base = max(shared)
    beyond = sorted({link for chain in chains for link in chain if link > base and link not in shared} | set(drives))
    spans = sorted((dof, link) for link in beyond for dof in _dofs(model, link))
    free = [point[1] == JUNCTION for point in points] + [False] * len(pieces)  # the length does not change with these
    chains = [set() if moved_by_none else set(chain) for chain, moved_by_none in zip(chains, free, strict=False)]
    return base, spans, [link in chain for _, link in spans for chain in chains]


def respanned(model: "Model", muscles: Muscles) -> Muscles:
    """The muscles of a re-rooted model: points and surfaces kept, bases and spans found again."""
    table, packing = muscles.table.copy(), _Packing()
    for muscle in table:
        own = slice(int(muscle["point"]), int(muscle["point"] + muscle["points"]))
        base, spans, moves = _span(model, list(muscles.points[own]), list(muscles.pieces[own]))
        muscle["root"], muscle["span"], muscle["spans"] = base, len(packing.spans), len(spans)
        muscle["moves"] = len(packing.moves)
        packing.spans += [(dof, link, packing.pair(base, dof)) for dof, link in spans]
        packing.moves += moves
        if muscle["mass"] > 0:
            packing.coupled.append([dof for dof, _ in spans])
    return replace(
        muscles,
        table=table,
        spans=filled(packing.spans, span_dtype()),
        moves=np.array(packing.moves, bool),
        inner=_elimination_tree(model, packing.coupled).astype(np.int64),
        pairs=filled(list(packing.pairs), pair_dtype()),
    )


def _elimination_tree(model: "Model", coupled: list[list[int]]) -> np.ndarray:
    """For each dof the next one further in that the mass matrix, eliminated from the leaves, couples it to. (ndof,)

    The tree's own chains, joined where a muscle with mass ties dofs of two branches together.
    """
    if not coupled:
        return np.full(model.whole.ndof, -1)
    rows: list[set[int]] = [set() for _ in range(model.whole.ndof)]
    for link in range(1, len(model.links)):
        chain = [dof for i in _inwards(model, link)[:-1] for dof in _dofs(model, i)]
        for dof in _dofs(model, link):
            for other in chain:  # links of an inverse joint count its dofs backwards
                rows[max(dof, other)] |= {min(dof, other)} - {max(dof, other)}
    for dofs in coupled:
        for dof in dofs:
            rows[dof] |= {other for other in dofs if other < dof}
    inner = np.full(model.whole.ndof, -1)
    for dof in range(model.whole.ndof - 1, -1, -1):
        if rows[dof]:
            inner[dof] = max(rows[dof])
            rows[inner[dof]] |= rows[dof] - {inner[dof]}
    return inner
