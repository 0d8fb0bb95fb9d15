"""Spec: a mechanism as a person writes it, named and editable. `compile()` turns it into a Model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..joints import Joint, Revolute
from ..joints.base import MOST_DOFS
from ..joints.dispatch import KINDS
from ..spatial.brief import brief
from ..spatial.checks import check_frame
from ..spatial.inertia import Inertia
from ..spatial.motion import Motion
from .coordinate import Coordinate, Frame, Marker, TorqueAxis, check_coordinates, check_marker, plain_names
from .elements import Constraint, Flesh, Force, Muscle, Point
from .maps import CoordinateMap, Followers, Rule
from .shape import Shape, check_colour

if TYPE_CHECKING:
    from ..analyses.give_mass import MassGiven
    from ..deformables.soft_body import SoftBody
    from ..deformables.touch import Touch
    from ..muscles.hill.reflex import Reflex
    from ..muscles.hill.spec import Hill
    from ..muscles.laws.base import TensionLaw
    from ..muscles.network.trained import Network
    from ..muscles.spec import Belly, ConditionalPoint, Lumps, MovingPoint, Surface
    from .model import Model


@brief
@dataclass(eq=False)
class BodySpec:
    """One body, its joint to the parent, and the frames of both."""

    name: str
    parent: str | None
    joint: Joint
    E_pj: np.ndarray  # joint frame in the parent's joint frame at q = 0; in the world if there is no parent
    E_jb: np.ndarray  # the frame the inertia's shape is described in, in the joint frame
    inertia: Inertia | None  # None: a massless link
    shapes: Sequence[Shape] | None = None  # what it looks like; None: the solid of its inertia
    colour: tuple[float, float, float] | None = None  # of shapes that have none of their own
    coordinates: Sequence[str | Coordinate] | None = None  # of the joint; None: named after the body
    joint_name: str | None = None  # None: the joint goes by the body's name

    def check(self) -> None:
        """Raise an error if a field of the body is not what it should be."""
        if not isinstance(self.joint, Joint):
            raise TypeError(f"body {self.name!r}: the joint must be one such as mm.Revolute(), and is {self.joint!r}")
        if self.inertia is not None and not isinstance(self.inertia, Inertia):
            raise TypeError(f"body {self.name!r}: the inertia must be an mm.Inertia or None, and is {self.inertia!r}")
        listed = self.shapes is None or isinstance(self.shapes, Sequence)
        if not listed or not all(isinstance(shape, Shape) for shape in self.shapes or ()):
            raise TypeError(f"body {self.name!r}: shapes are a list of mm.Shape, and are {self.shapes!r}")
        self.colour = check_colour(self.colour, f"body {self.name!r}: the colour")
        for part in self.joint.links()[0]:
            if type(part.joint) not in KINDS:
                own = type(part.joint).__name__
                raise TypeError(
                    f"body {self.name!r}: the joint {own} is not registered; call mm.register({own}) after its "
                    "definition"
                )
            if not 0 <= part.joint.ndof <= MOST_DOFS:
                raise ValueError(
                    f"body {self.name!r}: {part.joint!r} has {part.joint.ndof} degrees of freedom, and a joint of its "
                    f"own kind has {MOST_DOFS} at most"
                )
        self.coordinates = check_coordinates(self.coordinates, self.name, self.joint.ndof)
        self.E_pj = check_frame(self.E_pj, f"body {self.name!r}: E_pj")
        self.E_jb = check_frame(self.E_jb, f"body {self.name!r}: E_jb")


class UnknownName(KeyError):
    """A KeyError whose text is a plain sentence about the unknown name."""

    def __str__(self) -> str:
        return self.args[0]


def known_names(names: Iterable[str], most: int = 12) -> str:
    """ "known: a, b, c", the end of an error message about an unknown name."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"known: {', '.join(names[:most])}{more}" if names else "there is none yet"


@dataclass(eq=False, repr=False)
class Spec:
    """A tree of bodies under gravity [m/s^2] and other forces, with constraints, muscles and soft bodies."""

    _compiled_by: ClassVar[Callable[..., "Model"]]  # set by the module myomass.compile, a layer above
    _rerooted_by: ClassVar[Callable[..., "Spec"]]  # set by the package myomass.reroot, a layer above

    name: str = "model"
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    bodies: dict[str, BodySpec] = field(default_factory=dict)  # by name, in the order in which they were added
    forces: dict[str, Force] = field(default_factory=dict)  # by name, in the order in which they were added
    constraints: dict[str, Constraint] = field(default_factory=dict)  # by name, in the order in which they were added
    muscles: dict[str, Muscle] = field(default_factory=dict)  # by name, in the order in which they were added
    reflexes: "dict[str, Reflex]" = field(default_factory=dict)  # by name, in the order in which they were added
    soft_bodies: dict[str, Flesh] = field(default_factory=dict)  # by name, in the order in which they were added
    markers: dict[str, Marker] = field(default_factory=dict)  # by name, in the order in which they were added
    frames: dict[str, Frame] = field(default_factory=dict)  # by name, in the order in which they were added
    reductions: list[CoordinateMap] = field(default_factory=list)  # one after another, from the joints' coordinates on
    report: list[str] = field(default_factory=list)  # what a reader of a file did not understand, or changed
    given: "MassGiven | None" = None  # what mm.give_mass moved into muscles
    torque_axes: dict[str, TorqueAxis] = field(default_factory=dict)  # by coordinate: where a file's forces are torques

    def __repr__(self) -> str:
        held = {"body": self.bodies, "force": self.forces, "constraint": self.constraints, "muscle": self.muscles}
        held |= {"reflex": self.reflexes, "soft body": self.soft_bodies}
        plural = {"body": "bodies", "reflex": "reflexes", "soft body": "soft bodies"}
        told = [f"{len(x)} {one if len(x) == 1 else plural.get(one, one + 's')}" for one, x in held.items() if x]
        return f"{type(self).__name__}({self.name!r}: {', '.join(told) or 'no bodies'})"

    def add_body(
        self,
        name: str,
        parent: str | None = None,
        joint: Joint | None = None,
        E_pj: np.ndarray | None = None,
        E_jb: np.ndarray | None = None,
        inertia: Inertia | None = None,
        *,
        shapes: Sequence[Shape] | None = None,
        colour: tuple[float, float, float] | None = None,
        coordinates: Sequence[str | Coordinate] | None = None,
        joint_name: str | None = None,
    ) -> BodySpec:
        """Add a body hung on `parent` (None: the world) by `joint` (default: Revolute about z).

        The body's frame, in which its twist is given, is its centre of mass and principal axes: E_jb, followed by
        `inertia.frame` for shapes that are not described there already. Without inertia the link is massless.
        It is drawn as the solid that its inertia was made from, or as the given `shapes` (mm.Shape, in the frame E_jb);
        colour: red, green and blue from 0 to 1. coordinates: a name, or an mm.model.Coordinate, for each degree of
        freedom of the joint. joint_name: what the joint is called in results, if not by the body's name.
        """
        if not isinstance(name, str) or not name:
            raise ValueError(f"add_body: the name must be a string that is not empty, and is {name!r}")
        if name in self.bodies:
            raise ValueError(f"add_body: there is a body {name!r} already; every name must be different")
        if parent is not None and (not isinstance(parent, str) or parent not in self.bodies):
            raise ValueError(f"add_body: the parent {parent!r} of {name!r} is unknown; {known_names(self.bodies)}")
        joint = Revolute() if joint is None else joint
        frames = [np.eye(4) if E is None else E for E in (E_pj, E_jb)]
        body = BodySpec(name, parent, joint, *frames, inertia, shapes, colour, coordinates, joint_name)
        body.check()
        self.bodies[name] = body
        return body

    @property
    def coordinates(self) -> dict[str, Coordinate]:
        """The degrees of freedom by name, in order."""
        found = {}
        for body in self.bodies.values():
            given = check_coordinates(body.coordinates, body.name, body.joint.ndof)
            given = given or [Coordinate(name) for name in plain_names(body.name, body.joint.ndof)]
            found |= {one.name: one for one in given}
        return found

    def add_marker(self, name: str, body: str | None, place: Sequence[float], weight: float = 1.0) -> Marker:
        """Add a point that is measured, at a place in a body's frame [m] (None: the world's)."""
        if body is not None and body not in self.bodies:
            raise UnknownName(f"add_marker: {name!r} is on an unknown body {body!r}; {known_names(self.bodies)}")
        marker = check_marker(body, place, weight, name)
        self.markers[_new_name("marker", name, marker, self.markers)] = marker
        return marker

    def add_frame(self, name: str, body: str | None, pose: np.ndarray) -> Frame:
        """Add a named frame, with its pose (4, 4) in a body's frame (None: the world's)."""
        if body is not None and body not in self.bodies:
            raise UnknownName(f"add_frame: {name!r} is on an unknown body {body!r}; {known_names(self.bodies)}")
        frame = Frame(body, check_frame(pose, f"frame {name!r}"))
        self.frames[_new_name("frame", name, frame, self.frames)] = frame
        return frame

    def add_force(self, force: Force, name: str | None = None) -> Force:
        """Add a force such as mm.JointSpring; without a name it gets one from its type and a number."""
        if not isinstance(force, Force):
            raise TypeError(f"add_force: give a force such as mm.JointSpring(...), not {force!r}")
        self.forces[_new_name("force", name, force, self.forces)] = force
        return force

    def add_constraint(self, constraint: Constraint, name: str | None = None) -> Constraint:
        """Add a constraint such as mm.Loop; without a name it gets one from its type and a number."""
        if not isinstance(constraint, Constraint):
            raise TypeError(f"add_constraint: give a constraint such as mm.Loop(...), not {constraint!r}")
        self.constraints[_new_name("constraint", name, constraint, self.constraints)] = constraint
        return constraint

    def add_muscle(
        self,
        name: str,
        mass: float = 0.0,
        points: "Sequence[Point | MovingPoint | ConditionalPoint]" = (),
        wrap: "Sequence[Surface | None] | None" = None,
        *,
        mass_points: int = 20,
        distribution: "str | Belly | Lumps | Sequence[float]" = "uniform",
        smoothing: "str | float | Network" = "blend",
        tension: "Motion | TensionLaw | float" = 0.0,
        actuator: "Hill | None" = None,
    ) -> Muscle:
        """Add a musculotendon of `mass` [kg] along a path through `points`, (body, place in its frame [m]) each.

        wrap: for each piece between neighbouring points a surface such as mm.wrap.Cylinder, or None. distribution:
        "uniform" (`mass_points` equal ones), "continuous", mm.Belly, mm.Lumps, or the share of each mass point.
        smoothing: "blend" (C^2 where the path touches down, over 1 % of its length, or the share given), "network" (or
        an mm.Network: a trained one places the mass) or "none".
        tension [N]: a number, an mm.Motion in time, or a law of length and rate such as mm.muscles.PathSpring; or
        instead of it an actuator, mm.Hill, which makes the tension from an excitation.
        """
        muscle = Muscle(points, mass, wrap, mass_points, distribution, smoothing, tension, actuator)
        self.muscles[_new_name("muscle", name, muscle, self.muscles)] = muscle
        return muscle

    def add_reflex(self, reflex: "Reflex", name: str | None = None) -> "Reflex":
        """Add feedback to a muscle's excitation, an mm.Reflex; without a name it gets a number."""
        self.reflexes[_new_name("reflex", name, reflex, self.reflexes)] = reflex
        return reflex

    def reduce(self, how: Mapping[str, Rule] | CoordinateMap) -> CoordinateMap:
        """Take coordinates away that follow from others; the model has what is left (dissertation Sec. 4.6.2).

        how: couplings by name, {"dip": {"pip": 0.5}}: dip = pip / 2; instead of the factor coefficients (c0, c1, ...)
        of a polynomial or an mm.Motion of the leader, several leaders add up, and {"dip": 0.1} keeps dip at 0.1. Or
        new coordinates in place of some or all: mm.LinearMap, mm.SmoothMap. Called again, it reduces what is left.
        Forces, constraints, drives and muscles go on holding the joints' coordinates, whoever leads them.
        """
        if isinstance(how, Mapping):
            if not how:
                raise ValueError("reduce: give {follower: {leader: rule}} with one follower at least")
            how = Followers(dict(how))
        if not isinstance(how, CoordinateMap):
            raise TypeError(f"reduce: give {{follower: {{leader: rule}}}}, mm.LinearMap or mm.SmoothMap, not {how!r}")
        self.reductions.append(how)
        return how

    def add_soft_body(
        self,
        name: str,
        soft: "SoftBody",
        attached: "Mapping[str | None, np.ndarray] | None" = None,
        *,
        handles: Sequence[int] = (),
        surface: tuple[np.ndarray, np.ndarray] | None = None,
        touches: "Sequence[Touch] | Touch" = (),
        q: np.ndarray | None = None,
        colour: tuple[float, float, float] | None = None,
    ) -> Flesh:
        """Add a mesh of elastic tetrahedra, at rest where it is given in the world while the bodies are at q (zeros).

        attached: nodes (numbers or marks) that ride on each body, by its name; None is the world. All others are free:
        three degrees of freedom each, behind those of the joints, their displacements from rest [m]. Gravity is that of
        the spec. handles: free nodes that become bodies of the names "NAME.NUMBER", so that springs, muscles, drives
        and constraints can take hold of them. surface: vertices [m] (k, 3) and triangles (f, 3) that ride in the mesh
        (None: its own): they are drawn, and touch the planes of mm.deformables.Touch in `touches`.
        """
        if attached is not None and not isinstance(attached, Mapping):
            raise TypeError(f"add_soft_body: `attached` is {{body: nodes}}, body None for the world, not {attached!r}")
        listed = touches if isinstance(touches, Sequence) else (touches,)
        colour = check_colour(colour, f"soft body {name!r}: the colour")
        flesh = Flesh(soft, dict(attached or {}), handles, surface, listed, q, colour)
        self.soft_bodies[_new_name("soft_body", name, flesh, self.soft_bodies)] = flesh
        return flesh

    def reroot(
        self,
        body: str,
        point: Sequence[float] | None = None,
        joint: Joint | None = None,
        *,
        q: Mapping[str, Sequence[float]] | None = None,
        E_pj: np.ndarray | None = None,
    ) -> "Spec":
        """The same mechanism hung from `body` at a world point [m] (its joint's place) by a joint (mm.Free3D()).

        The point is where the body is at the coordinates q, by body name (zeros). E_pj is the frame of the new joint at
        its q = 0 (world axes at the point; of an mm.Free3D the world's own frame). Bodies on the way to the old top
        body hang by mm.Inverse of the joint that they had carried, with the same coordinates; forces, constraints and
        muscles follow. `mm.reroot` does the same to a model and its state, while it moves.
        """
        return Spec._rerooted_by(self, body, point, joint, q={} if q is None else q, E_pj=E_pj)

    def compile(self, *, massless: bool = False) -> "Model":
        """The checked model of this spec, as arrays.

        massless: allow joints that move no mass, enough for poses, paths and torques, but not for accelerations.
        """
        return Spec._compiled_by(self, massless=massless)


def _new_name(what: str, name: str | None, thing: object, others: dict) -> str:
    """The given name, or the thing's type and a number. Raises a ValueError if the name is taken."""
    number = len(others)
    while name is None:
        name = f"{type(thing).__name__}{number}"
        number, name = number + 1, None if name in others else name
    if not isinstance(name, str) or not name:
        raise ValueError(f"add_{what}: the name must be a string that is not empty, and is {name!r}")
    if name in others:
        raise ValueError(f"add_{what}: there is a {what} {name!r} already; every name must be different")
    return name
