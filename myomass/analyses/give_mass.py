"""A share of each segment's mass goes into the muscles that lie on it, and comes back.

A segment of a gait model is bone and flesh as one rigid body. Its muscles get masses m_i in points x_k at a pose, and
what is left of it is the rigid body with which the whole is what it was at that pose: of mass M, centre 0 and inertia I
in its own frame,

    m = M - sum m_k,    m c = -sum m_k x_k,    I_left = I - sum m_k (x_k . x_k 1 - x_k x_k') - m (c . c 1 - c c'),

I_left about c. A rigid body with these numbers exists only up to some share. What a muscle weighs follows from its
volume: the section F0 / (specific tension) times the optimal fibre length (Zajac 1989), or from a table.

The segment itself stays where it was, with its name, frame, points and shapes, but without inertia; what is left of it
hangs on it rigidly as a body of its own, "tibia_r_rigid". So everything that is fixed to the segment keeps its place.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..joints import Fixed
from ..model import Model, Spec
from ..model.border import inputs
from ..model.elements import Muscle
from ..model.shape import body_shapes
from ..model.spec import BodySpec, UnknownName, known_names
from ..muscles.geometry import muscle_lengths, muscle_points
from ..muscles.hill.spec import Hill
from ..muscles.spec import Belly
from ..spatial.brief import brief
from ..spatial.checks import check_numbers, check_positive
from ..spatial.inertia import Inertia
from ..spatial.se3 import inverse
from .lying import bones, parts

DENSITY = 1060.0  # of muscle [kg/m^3] (Mendez and Keys 1960)
SPECIFIC_TENSION = 60e4  # [N/m^2], as in Rajagopal et al. 2016; only absolute masses depend on it
KEPT = ("inertia", "centre", "mass")
LEAST_BELLY = 0.5  # of the optimal fibre along the tendon: a belly is no shorter where the muscle is slack
MOSTLY = 0.5  # part of a belly that must lie on the segments named
RIGID = "_rigid"


@brief
@dataclass(frozen=True, eq=False)
class MassGiven:
    """What `give_mass` moved: each muscle's mass [kg], what each segment gave [kg], and what `take_mass` restores."""

    masses: Mapping[str, float]  # by muscle
    taken: Mapping[str, float]  # by segment
    lying: Mapping[str, Mapping[str, float]]  # by muscle, the part of its mass that is taken from each segment
    q: np.ndarray  # the pose at which the whole is what it was, (ndof,)
    bodies: Mapping[str, BodySpec]  # as they were
    muscles: Mapping[str, Muscle]  # as they were


def give_mass(
    spec: Spec,
    share: float | None = 0.8,
    *,
    of: Sequence[str] | None = None,
    masses: Mapping[str, float] | None = None,
    pose: Mapping[str, float] | Sequence[float] | None = None,
    keep: str = "inertia",
    belly: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
    tendon: str = "stretches",
    mass_points: int = 20,
    density: float = DENSITY,
    specific_tension: float = SPECIFIC_TENSION,
) -> Spec:
    """A spec in which a share of each segment's mass is in the muscles that lie on it; the given one stays as it is.

    of: the segments (None: all on which muscles lie). masses: by muscle, as relative ones, for those that get mass
    (None: all muscles with an mm.Hill and at least half of their belly on these segments, by their volumes). With
    share=None masses and volumes are meant in kg. pose: coordinates by name, or q, at which muscles lie where they do
    and the whole keeps mass, centre and inertia (None: the defaults). keep="centre" scales the inertia of what is left
    with its mass, keep="mass" leaves it where it was too. belly: (start, end) as fractions of the path, of all muscles
    or of some by name (else the middle, as long as the path is longer than the slack tendon; without an mm.Hill the
    whole path).
    tendon, mass_points: as of mm.Belly and Spec.add_muscle. `spec.given` of the result says what went where.
    """
    share, names = _checked(spec, share, of, keep, belly)
    weights = _weights(spec, masses, density, specific_tension)
    bare = _bare(spec, weights)
    model = bare.compile(massless=True)
    q = _pose(model, pose)
    lengths = dict(zip(model.muscles.names, muscle_lengths(model, q), strict=True))
    for name, muscle in bare.muscles.items():
        spread = _belly(name, spec.muscles[name].actuator, lengths[name], belly, tendon)
        bare.muscles[name] = replace(muscle, distribution=spread, mass_points=mass_points)
    model = bare.compile(massless=True)
    places = dict(zip(model.muscles.names, muscle_points(model, q), strict=True))
    lines = bones(bare, model, q)
    lying = _lying(bare, places, lines, names, masses is not None)
    found, taken = _solve(spec, share, {name: weights[name] for name in lying}, lying, of)
    left = _left(spec, model, q, _points_on(taken, places, lying, found), keep, share)
    shares = {name: {body: float(on.mean()) for body, on in where.items()} for name, where in lying.items()}
    given = MassGiven(found, taken, shares, q, {name: spec.bodies[name] for name in left}, {})
    return _made(spec, left, {name: replace(bare.muscles[name], mass=m) for name, m in found.items()}, given)


def take_mass(spec: Spec) -> Spec:
    """The spec before `give_mass`: segments and muscles have their inertia back; the given spec stays as it is."""
    given = spec.given
    if given is None:
        raise ValueError(f"take_mass: spec {spec.name!r} has no mass that give_mass put into its muscles")
    made = copied(spec)
    made.given = None
    for name, before in given.bodies.items():
        if name + RIGID not in made.bodies or name not in made.bodies:
            raise ValueError(f"take_mass: the body {name + RIGID!r}, which give_mass made, is not there any more")
        now = made.bodies[name]
        made.bodies[name] = replace(now, E_jb=before.E_jb, inertia=before.inertia, shapes=before.shapes)
        del made.bodies[name + RIGID]
    for name, before in given.muscles.items():
        if name in made.muscles:
            kept = {key: getattr(before, key) for key in ("mass", "mass_points", "distribution")}
            made.muscles[name] = replace(made.muscles[name], **kept)
    return made


def _checked(
    spec: Spec, share: float | None, of: Sequence[str] | None, keep: str, belly: object
) -> tuple[float | None, list[str]]:
    """(share, names of the segments), or an error about what was given."""
    if not isinstance(spec, Spec):
        raise TypeError(f"give_mass: give a Spec such as mm.io.read_osim returns, not {spec!r}")
    if spec.given is not None:
        raise ValueError(f"give_mass: muscles of spec {spec.name!r} have been given mass already; mm.take_mass first")
    if share is not None:
        share = float(check_numbers(share, "give_mass: the share", ()))
        if not 0.0 <= share < 1.0:
            raise ValueError(
                f"give_mass: the share is a part of a segment's mass, from 0 to less than 1, not {share:g}"
            )
    if keep not in KEPT:
        raise ValueError(f'give_mass: keep is "inertia", "centre" or "mass", not {keep!r}')
    for name in belly if isinstance(belly, Mapping) else ():
        if name not in spec.muscles:
            raise UnknownName(f"give_mass: belly names {name!r}, which is no muscle; {known_names(spec.muscles)}")
    if isinstance(of, str):
        raise TypeError(f"give_mass: of is a list of bodies, such as [{of!r}]")
    for name in of or ():
        if name not in spec.bodies:
            raise UnknownName(f"give_mass: there is no body {name!r}; {known_names(spec.bodies)}")
        if spec.bodies[name].inertia is None:
            raise ValueError(f"give_mass: body {name!r} has no mass to give")
    bodies = spec.bodies.values() if of is None else [spec.bodies[name] for name in dict.fromkeys(of)]
    return share, [body.name for body in bodies if body.inertia is not None]


def _weights(spec: Spec, masses: Mapping[str, float] | None, density: float, tension: float) -> dict[str, float]:
    """Mass of each muscle that may get any, as given or of its volume [kg]."""
    if masses is None:
        scale = check_positive(density, "give_mass: the density [kg/m^3]")
        scale /= check_positive(tension, "give_mass: the specific tension [N/m^2]")
        hills = {name: m.actuator for name, m in spec.muscles.items() if isinstance(m.actuator, Hill)}
        found = {name: scale * hill.optimal_force * hill.optimal_fibre_length for name, hill in hills.items()}
        if not found:
            raise ValueError("give_mass: no muscle has an mm.Hill that its volume follows from; give masses by muscle")
        without = {name: mass for name, mass in found.items() if not spec.muscles[name].mass}
        if not without:
            raise ValueError(f"give_mass: all muscles of spec {spec.name!r} have mass already; set it to zero first")
        return without
    if not isinstance(masses, Mapping):
        raise TypeError(f"give_mass: masses are by muscle, such as {{'soleus_r': 0.28}}, not {masses!r}")
    for name, mass in masses.items():
        if name not in spec.muscles:
            raise UnknownName(f"give_mass: there is no muscle {name!r}; {known_names(spec.muscles)}")
        check_positive(mass, f"give_mass: the mass of {name!r}")
        if spec.muscles[name].mass:
            raise ValueError(
                f"give_mass: the muscle {name!r} has {spec.muscles[name].mass:g} kg already; set it to zero first"
            )
    if not masses:
        raise ValueError("give_mass: masses names no muscle")
    return {name: float(mass) for name, mass in masses.items()}


def _bare(spec: Spec, names: Mapping[str, float]) -> Spec:
    """Bodies and the paths of some muscles, in the spec's order: what the geometry needs."""
    muscles = {n: replace(m, mass=0.0, tension=0.0, actuator=None) for n, m in spec.muscles.items() if n in names}
    return Spec(spec.name, spec.gravity, dict(spec.bodies), muscles=muscles)


def _pose(model: Model, pose: Mapping[str, float] | Sequence[float] | None) -> np.ndarray:
    """The coordinates that a pose means. (ndof,)"""
    if pose is None or isinstance(pose, Mapping):
        return model.q(**(pose or {}))
    return inputs(model, "q", check_numbers(pose, "give_mass: the pose", (None,)))[1][0]


def _belly(name: str, hill: object, length: float, belly: object, tendon: str) -> Belly:
    """Where a muscle's mass is, on a path that is now `length` long [m]."""
    between = belly.get(name) if isinstance(belly, Mapping) else belly
    if between is not None:
        start, end = check_numbers(between, "give_mass: belly, its start and end,", (2,)).tolist()
    elif not isinstance(hill, Hill):
        start, end = 0.0, 1.0
    else:
        least = LEAST_BELLY * hill.optimal_fibre_length * np.cos(hill.pennation)
        part = min(max(length - hill.tendon_slack_length, least) / length, 1.0)
        start, end = 0.5 - 0.5 * part, 0.5 + 0.5 * part
    return Belly(start, end, tendon=tendon, length=float(length) if tendon == "inextensible" else None)


def _lying(spec: Spec, places: dict, lines: dict, names: list[str], chosen: bool) -> dict[str, dict[str, np.ndarray]]:
    """By muscle and segment, which of its points are taken from this segment; muscles that lie elsewhere left out."""
    massive, found = [name for name, body in spec.bodies.items() if body.inertia is not None], {}
    for name, x in places.items():
        mine = parts(spec, x, lines, name, names)
        if chosen and not mine:
            raise ValueError(f"give_mass: the muscle {name!r} does not pass any of the segments {', '.join(names)}")
        all_of_it = parts(spec, x, lines, name, massive)
        on_mine = sum(float(on.mean()) for body, on in all_of_it.items() if body in names)
        if mine and (chosen or on_mine >= MOSTLY):
            found[name] = mine
    return found


def _solve(spec: Spec, share: float | None, weights: dict, lying: dict, of: object) -> tuple[dict, dict]:
    """(masses by muscle, masses taken by segment) [kg]: each segment gives its share to what lies on it.

    Relative masses stay within a segment: m_i = w_i sum_b f_ib k_b, f_ib the part of muscle i that lies on b.
    """
    bodies = [body for body in spec.bodies if any(body in where for where in lying.values())]
    for name in of or ():
        if name not in bodies:
            raise ValueError(f"give_mass: no muscle lies on the segment {name!r}, so its mass has nowhere to go")
    if not bodies:
        raise ValueError("give_mass: no muscle lies on any segment")
    F = np.array([[where[b].mean() if b in where else 0.0 for where in lying.values()] for b in bodies])
    w, M = np.array(list(weights.values())), np.array([spec.bodies[b].inertia.mass for b in bodies])
    if share is None:
        m = w
        for body, gives, has in zip(bodies, F @ m, M, strict=True):
            if gives >= has:
                raise ValueError(
                    f"give_mass: the muscles on {body!r} weigh {gives:.4g} kg, and it has {has:.4g} kg in all; ask "
                    "for a share, such as share=0.3, or for smaller masses"
                )
    else:
        m = w * (F.T @ np.linalg.lstsq((F * w) @ F.T, share * M, rcond=None)[0])
        if (m < 0).any() or not np.allclose(F @ m, share * M, rtol=1e-9):
            raise ValueError(
                f"give_mass: no masses of the muscles take {share:g} of each of {', '.join(bodies)}, since some lie on "
                "several of them; name fewer segments in `of`"
            )
    return dict(zip(lying, m.tolist(), strict=True)), dict(zip(bodies, (F @ m).tolist(), strict=True))


def _points_on(taken: dict, places: dict, lying: dict, masses: dict) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By segment that gives mass, (places in the world [m], (n, 3); masses [kg], (n,)) of the points on it."""
    found = {}
    for body in (body for body, mass in taken.items() if mass > 0.0):
        mine = [(places[n][where[body]], masses[n] / len(places[n])) for n, where in lying.items() if body in where]
        found[body] = np.concatenate([x for x, _ in mine]), np.concatenate([np.full(len(x), m) for x, m in mine])
    return found


def _left(spec: Spec, model: Model, q: np.ndarray, points: dict, keep: str, share: float | None) -> dict[str, Inertia]:
    """Inertia of what is left of each segment without its points, in the segment's frame. Or an error for the worst."""
    poses, left, most = forward_kinematics(model, q), {}, {}
    for name, (x, m) in points.items():
        E, body = inverse(poses[model.body(name)]), spec.bodies[name]
        x = x @ E[:3, :3].T + E[:3, 3]
        if keep != "inertia":
            part = 1.0 - m.sum() / body.inertia.mass
            centre = -m @ x / (part * body.inertia.mass) if keep == "centre" else np.zeros(3)
            left[name] = _inertia(body, part * body.inertia.mass, centre, part * np.diag(body.inertia.moments))
            continue
        try:
            left[name] = _without(body, x, m)
        except ValueError:
            most[name] = _largest(body, x, m)
    if most:
        worst = min(most, key=most.get)
        gives, has, part = points[worst][1].sum(), spec.bodies[worst].inertia.mass, most[worst]
        told = (
            f"{part:.4g} of that would work" if share is None else f"the largest share that works is {share * part:.4g}"
        )
        raise ValueError(
            f"give_mass: what is left of {worst!r} would be no rigid body: the {gives:.4g} of its {has:.4g} kg that go "
            f'into muscles have more inertia than it has; {told}, or use keep="centre"'
        )
    return left


def _without(body: BodySpec, x: np.ndarray, m: np.ndarray) -> Inertia:
    """The rigid body that makes the segment with these points. Raises a ValueError if there is none."""
    left = body.inertia.mass - m.sum()
    centre = -m @ x / left
    about_own = np.diag(body.inertia.moments) - _about(x, m) - _about(centre[None], np.array([left]))
    return _inertia(body, left, centre, about_own)


def _inertia(body: BodySpec, mass: float, centre: np.ndarray, about: np.ndarray) -> Inertia:
    return Inertia.from_matrix(mass, centre, 0.5 * (about + about.T), strict=body.inertia.strict)


def _about(x: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Inertia of points about the origin [kg m^2]. (3, 3)"""
    return np.einsum("n,ni,ni->", m, x, x) * np.eye(3) - np.einsum("n,ni,nj->ij", m, x, x)


def _largest(body: BodySpec, x: np.ndarray, m: np.ndarray) -> float:
    """The largest part of the masses m that leaves a rigid body, by bisection (points take more the more there is)."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        try:
            _without(body, x, middle * m)
            low = middle
        except ValueError:
            high = middle
    return low if low > 1e-9 else 0.0


def copied(spec: Spec) -> Spec:
    """A spec with lists of its own, of the same class."""
    made = copy(spec)
    for name in ("bodies", "forces", "constraints", "muscles", "reflexes", "markers", "frames", "torque_axes"):
        setattr(made, name, dict(getattr(spec, name)))
    made.report = list(spec.report)
    return made


def hang_rigid(made: Spec, name: str, inertia: Inertia) -> None:
    """Take a body's inertia away and hang this one, given in the body's own frame, on it as a body "<name>_rigid"."""
    body = made.bodies[name]
    E = body.E_jb @ body.inertia.frame
    shapes = list(body_shapes(body.inertia, body.shapes, body.colour))
    made.bodies[name] = replace(body, E_jb=E, inertia=None, shapes=shapes)
    made.add_body(name + RIGID, name, Fixed(), E, None, inertia, shapes=[])


def _made(spec: Spec, left: dict[str, Inertia], muscles: dict[str, Muscle], given: MassGiven) -> Spec:
    """The spec with what is left of its segments, and muscles with mass."""
    made = copied(spec)
    for name, inertia in left.items():
        if name + RIGID in made.bodies:
            raise ValueError(
                f"give_mass: there is a body {name + RIGID!r} already, the name of what is left of {name!r}"
            )
        hang_rigid(made, name, inertia)
    before = {}
    for name, muscle in muscles.items():
        before[name], old = spec.muscles[name], spec.muscles[name]
        spread = {"mass": muscle.mass, "mass_points": muscle.mass_points, "distribution": muscle.distribution}
        made.muscles[name] = replace(old, **spread)
    made.given = replace(given, muscles=before)
    return made
