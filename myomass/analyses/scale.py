"""Scaling: a generic model made as large and as heavy as a person, segment by segment.

Each body is stretched by three factors along the axes of the frame that its inertia is described in, which of a body of
an .osim file is its frame there: joints, path points, surfaces, markers and shapes go along. Muscles keep the ratio of
optimal fibre length and tendon slack length to the length of their path at the default pose.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..constraints import Coupling
from ..joints import Inverse, SpatialTransform
from ..model import Spec
from ..model.coordinate import Frame, Marker
from ..model.elements import Muscle
from ..model.shape import body_shapes
from ..model.spec import BodySpec, UnknownName, known_names
from ..muscles.geometry import muscle_lengths
from ..muscles.spec import Belly
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from ..spatial.motion import Motion
from ..spatial.scaled import scaled
from ..spatial.se3 import inverse
from .give_mass import copied
from .scaled_parts import Tell, scaled_joint, scaled_muscle, scaled_shape, scaled_thing
from .stretch import Stretch, hung, is_even, moved, own_frame, stretched_inertia

RULES = ("stretched", "cylinder")
RESTS = ("rest_length", "slack_length")  # of what pulls along a path


@brief
@dataclass(frozen=True, eq=False)
class Scaled:
    """A scaled model, and what was done to it."""

    spec: Spec
    factors: Mapping[str, np.ndarray]  # by body, (3,) each
    masses: Mapping[str, float]  # of the bodies [kg]
    lengths: Mapping[str, float] = field(default_factory=dict)  # of each muscle's path at the default pose, over before
    report: list[str] = field(default_factory=list)  # what could only be scaled in part


def scale(
    spec: Spec,
    factors: Mapping[str, float | Sequence[float]],
    *,
    mass: float | None = None,
    keep_shares: bool = True,
    inertias: str = "stretched",
) -> Scaled:
    """A model whose bodies are stretched by factors along x, y and z (one number: all three); the given one stays.

    mass: of the whole [kg] (None: as it comes). keep_shares: bodies keep their shares of it; otherwise their density.
    inertias: of unevenly stretched bodies; "stretched" as if all matter went along, "cylinder" by OpenSim's rule.
    Coordinates keep their values, those in metres too. What has a size in all directions alike (spheres, cylinders)
    grows by the mean of its factors. `report` says what could not be scaled in full.
    """
    given = _check(spec, factors, inertias)
    report: list[str] = []
    masses = _masses(spec, given, mass, keep_shares)
    bodies, stretches = _bodies(spec, given, masses, inertias, report)
    made = copied(spec)
    made.bodies = {name: _hang(spec, body, given, report) for name, body in bodies.items()}
    made.markers = {name: _marker(one, stretches) for name, one in spec.markers.items()}
    made.frames = {name: Frame(one.body, stretches[one.body].pose(one.pose)) for name, one in spec.frames.items()}
    for key in ("forces", "constraints"):
        told = {name: _teller(report, f"{key[:-1]} {name!r}") for name in getattr(spec, key)}
        setattr(made, key, {n: scaled_thing(one, stretches, told[n]) for n, one in getattr(spec, key).items()})
    made.constraints = {n: _coupling(spec, one, given, n, report) for n, one in made.constraints.items()}
    made.muscles = {
        name: scaled_muscle(muscle, stretches, _teller(report, f"muscle {name!r}"))
        for name, muscle in spec.muscles.items()
    }
    ratios = _length_ratios(spec, made)
    factor = _muscle_mass_factor(spec, mass, masses)
    made.muscles = {name: _fitted(one, ratios[name], factor) for name, one in made.muscles.items()}
    made.report += [f"scale: {line}" for line in report]
    return Scaled(made, given, {n: m for n, m in masses.items() if m}, ratios, report)


def _check(spec: Spec, factors: Mapping, inertias: str) -> dict[str | None, np.ndarray]:
    """The factors of all bodies."""
    if not isinstance(spec, Spec):
        raise TypeError(f"scale: give a Spec such as mm.io.read_osim returns, not {type(spec).__name__}")
    if getattr(spec, "given", None) is not None:
        raise ValueError(f"scale: muscles of spec {spec.name!r} have been given mass; scale it before mm.give_mass")
    if inertias not in RULES:
        raise ValueError(f"scale: inertias is one of {', '.join(RULES)}, not {inertias!r}")
    if not isinstance(factors, Mapping):
        raise TypeError(f"scale: factors are given by body, as {{'femur_r': (1.0, 1.1, 1.0)}}, not {factors!r}")
    found = {name: np.ones(3) for name in spec.bodies}
    for name, value in factors.items():
        if name not in spec.bodies:
            raise UnknownName(f"scale: factors are given for {name!r}, which is no body; {known_names(spec.bodies)}")
        number = np.ndim(value) == 0
        numbers = check_numbers(value, f"scale: the factors of {name!r}", () if number else (3,)) * np.ones(3)
        if (numbers <= 0).any():
            raise ValueError(f"scale: factors of {name!r} must be positive, and are {numbers.tolist()}")
        found[name] = numbers.astype(float)
    return found


def _teller(report: list[str], what: str) -> Tell:
    """What adds a sentence about a part to a report, once."""

    def tell(text: str) -> None:
        line = f"{what}: {text}"
        if line not in report:
            report.append(line)

    return tell


def _masses(spec: Spec, factors: Mapping, mass: float | None, keep_shares: bool) -> dict[str, float]:
    """The new mass of each body; with a mass of the whole, muscles have their part of it too."""
    masses = {}
    for name, body in spec.bodies.items():
        own = 0.0 if body.inertia is None else body.inertia.mass
        masses[name] = own if keep_shares else own * float(factors[name].prod())
    if mass is None:
        return masses
    total = sum(masses.values()) + sum(muscle.mass for muscle in spec.muscles.values())
    check_positive(mass, "scale: the mass [kg]")
    if not total > 0:
        raise ValueError(f"scale: spec {spec.name!r} has no mass that could become {mass:g} kg")
    return {name: own * mass / total for name, own in masses.items()}


def _muscle_mass_factor(spec: Spec, mass: float | None, masses: Mapping[str, float]) -> float:
    """What muscles' own masses are multiplied by, so that the whole weighs what it should."""
    own = sum(muscle.mass for muscle in spec.muscles.values())
    return 1.0 if mass is None or own == 0 else (mass - sum(masses.values())) / own


def _bodies(
    spec: Spec, factors: Mapping, masses: Mapping[str, float], rule: str, report: list[str]
) -> tuple[dict[str, BodySpec], dict[str | None, Stretch]]:
    """Bodies with their new inertias and shapes, and how places on them go along."""
    bodies, stretches = {}, {None: Stretch(np.ones(3), np.eye(4), np.eye(4))}
    for name, body in spec.bodies.items():
        inertia, S = body.inertia, factors[name]
        F = own_frame(inertia)
        if inertia is not None:
            inertia, possible = stretched_inertia(inertia, S, masses[name], rule)
            if not possible:
                report.append(f"body {name!r}: no rigid body has its new inertia; it is taken as it stands")
        shapes = body.shapes
        if shapes is None and body.inertia is not None and body.inertia.shape:
            solids = body_shapes(body.inertia, None, body.colour)
            shapes = [replace(shape, frame=F @ shape.frame) for shape in solids]
        if shapes is not None:
            shapes = [scaled_shape(shape, S) for shape in shapes]
        bodies[name] = replace(body, inertia=inertia, shapes=shapes)
        stretches[name] = Stretch(S, F, own_frame(inertia))
    return bodies, stretches


def _hang(spec: Spec, body: BodySpec, factors: Mapping, report: list[str]) -> BodySpec:
    """A body whose joint goes along with both of its bodies."""
    S_child = factors[body.name]
    S_parent, E_jb_parent = np.ones(3), np.eye(4)
    if body.parent is not None:
        S_parent, E_jb_parent = factors[body.parent], spec.bodies[body.parent].E_jb
    place = inverse(E_jb_parent) @ body.E_pj  # of the joint in the parent's frame of its factors
    E_jb = hung(body.E_jb, S_child)
    E_pj = hung(E_jb_parent, S_parent) @ moved(place, S_parent)
    ends = (S_parent, place[:3, :3]), (S_child, inverse(body.E_jb)[:3, :3])
    joint = scaled_joint(body.joint, *ends, _teller(report, f"the joint of body {body.name!r}"))
    return replace(body, joint=joint, E_pj=E_pj, E_jb=E_jb)


def _marker(marker: Marker, stretches: Mapping[str | None, Stretch]) -> Marker:
    return replace(marker, place=tuple(stretches[marker.body].point(marker.place).tolist()))


def _coupling(spec: Spec, one: object, factors: Mapping, name: str, report: list[str]) -> object:
    """A coupling whose follower is a shift in metres along a stretched body: it grows with it."""
    if not isinstance(one, Coupling):
        return one
    found = _shift_of(spec, one.follower, one.components[1])
    leader = _shift_of(spec, one.leader, one.components[0])
    if leader is not None and not is_even(np.append(factors_at(leader, factors), 1.0)):
        report.append(f"constraint {name!r}: its leader is a shift in metres, and is not scaled")
    if found is None:
        return one
    size = factors_at(found, factors)
    if isinstance(one.coefficients, Motion):
        return replace(one, coefficients=scaled(one.coefficients, size))
    return replace(one, coefficients=tuple((size * np.asarray(one.coefficients, float)).tolist()))


def _shift_of(spec: Spec, name: str, component: int) -> tuple[str, np.ndarray] | None:
    """(body that is stretched, direction in the frame of its factors) of a coordinate that is itself a shift."""
    if name not in spec.bodies:
        owners = [body for body in spec.bodies.values() if body.coordinates]
        found = [(b, [c.name for c in b.coordinates].index(name)) for b in owners if name in _names(b)]
        if not found:
            return None
        body, component = found[0]
    else:
        body = spec.bodies[name]
    joint, inverted = body.joint, isinstance(body.joint, Inverse)
    joint = joint.joint if inverted else joint
    if isinstance(joint, SpatialTransform):
        own = [k for k in range(3, 6) if joint.coordinates[k] == component and joint.functions[k].is_identity]
        axis = joint.axes[own[0]] if own else None
    else:
        axis = joint.axis if type(joint).__name__ == "Prismatic" else None
    carrier = body.name if inverted else body.parent
    if axis is None or carrier is None:
        return None
    place = body.E_jb if inverted else inverse(spec.bodies[body.parent].E_jb) @ body.E_pj
    R = place[:3, :3].T if inverted else place[:3, :3]
    return carrier, R @ axis


def _names(body: BodySpec) -> list[str]:
    return [one if isinstance(one, str) else one.name for one in body.coordinates]


def factors_at(shift: tuple[str, np.ndarray], factors: Mapping) -> float:
    """By how much a body grows along a direction."""
    return float(np.linalg.norm(factors[shift[0]] * shift[1]))


def _length_ratios(old: Spec, new: Spec) -> dict[str, float]:
    """Length of each muscle's path at the default pose, over what it was."""
    if not old.muscles:
        return {}
    lengths = []
    for spec in (old, new):
        muscles = {name: replace(one, mass=0.0, tension=0.0, actuator=None) for name, one in spec.muscles.items()}
        model = Spec(spec.name, spec.gravity, dict(spec.bodies), muscles=muscles).compile(massless=True)
        lengths.append(muscle_lengths(model, model.q()))
    ratios = lengths[1] / lengths[0]
    for name, ratio in zip(old.muscles, ratios, strict=True):
        if not (np.isfinite(ratio) and ratio > 0):
            raise ValueError(f"scale: muscle {name!r} has no length at the default pose that could be compared")
    return dict(zip(old.muscles, ratios.tolist(), strict=True))


def _fitted(muscle: Muscle, ratio: float, mass: float) -> Muscle:
    """A muscle whose fibre and tendon keep their ratio to its path."""
    changes = {}
    if muscle.actuator is not None:
        hill = muscle.actuator
        fibre, tendon = ratio * hill.optimal_fibre_length, ratio * hill.tendon_slack_length
        changes["actuator"] = replace(hill, optimal_fibre_length=fibre, tendon_slack_length=tendon)
    rests = {key: ratio * getattr(muscle.tension, key) for key in RESTS if hasattr(muscle.tension, key)}
    if rests:
        changes["tension"] = replace(muscle.tension, **rests)
    if isinstance(muscle.distribution, Belly) and muscle.distribution.length is not None:
        changes["distribution"] = replace(muscle.distribution, length=ratio * muscle.distribution.length)
    if mass != 1.0:
        changes["mass"] = mass * muscle.mass
    return replace(muscle, **changes) if changes else muscle
