"""Random muscles over cylinders and spheres, and the rule for their paths in arrays: what comparisons with peers share.

In the plane of its turn (across a cylinder's axis; through a sphere's centre and both ends) a path from z0 to z1 round
a circle of radius r touches over the angle

    phi - acos(r / |z0|) - acos(r / |z1|),     phi = the angle from z0 to z1 in the sense of turning, 0 to 2 pi,

and is straight where that is negative, or an end inside. The sense is that of the smaller angle; but where the line
through centre and side has one end on either hand it is the one that passes the side on its way. A side that is held
wants the sense in which the middle of the turn is less than a right angle from the side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from trees import random_frame, random_inertia

import myomass as mm


@dataclass(frozen=True)
class Surface:
    """What a piece of a path may lie on."""

    kind: str  # "cylinder" about z, or "sphere"
    body: str | None
    E_bs: np.ndarray
    radius: float
    side: np.ndarray | None  # in the surface's frame
    hold: bool = False


@dataclass(frozen=True)
class Muscle:
    """Points, and the surface of each piece between neighbours."""

    points: list[tuple[str | None, np.ndarray]]
    surfaces: list[Surface | None]

    def pieces(self) -> list[tuple]:
        """(point, point, surface or None) along the path."""
        return [(*ends, surface) for ends, surface in zip(pairwise(self.points), self.surfaces, strict=True)]


# --- random ones ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """What muscles are drawn from: general ones, or flat ones, in a mechanism of hinges along z."""

    surfaces: tuple[str, ...] = ("cylinder", "sphere")
    sides: tuple = (None,)
    flat: bool = False
    hold: bool = False

    def frame(self, rng: np.random.Generator, reach: float) -> np.ndarray:
        """Any pose, or one in the x-y plane."""
        if not self.flat:
            return random_frame(rng, reach)
        return mm.translation(*rng.uniform(-reach, reach, 2), 0) @ mm.rotation((0, 0, 1), rng.uniform(-3, 3))

    def point(self, rng: np.random.Generator, reach: float) -> np.ndarray:
        """Any place, or one in the x-y plane."""
        return rng.uniform(-reach, reach, 3) * (1, 1, not self.flat)


def random_mechanism(rng: np.random.Generator, joints: list[mm.Joint], kind: Kind) -> mm.Spec:
    """A chain of bodies with the given joints; the third starts a branch at the first."""
    spec = mm.Spec("paths")
    for i, joint in enumerate(joints):
        parent = None if i == 0 else f"b{0 if i == 2 else i - 1}"
        spec.add_body(f"b{i}", parent, joint, kind.frame(rng, 0.3), kind.frame(rng, 0.2), random_inertia(rng))
    return spec


def random_muscle(rng: np.random.Generator, poses: dict[str | None, np.ndarray], kind: Kind) -> Muscle:
    """Two or three points on different bodies; in the way of most pieces a surface, on one of their bodies or else."""
    names = list(poses)
    order = [names[k] for k in rng.permutation(len(names))]
    points = [(body, kind.point(rng, 0.3)) for body in order[: rng.integers(2, 4)]]
    surfaces = [random_surface(rng, a, b, order[-1], poses, kind) for a, b in pairwise(points)]
    return Muscle(points, surfaces)


def random_surface(
    rng: np.random.Generator, a: tuple, b: tuple, third: str | None, poses: dict, kind: Kind
) -> Surface | None:
    """One in the way between two points, or none; no point is inside of a surface on its own body."""
    if rng.uniform() < 0.1:
        return None
    middle = 0.5 * sum((poses[body] @ [*place, 1.0])[:3] for body, place in (a, b))
    while True:
        E_ws = kind.frame(rng, 0.0)
        E_ws[:3, 3] = middle + kind.point(rng, 0.1)
        body, side = [a[0], b[0], third][rng.integers(3)], kind.sides[rng.integers(len(kind.sides))]
        shape, radius = str(rng.choice(kind.surfaces)), rng.uniform(0.04, 0.12)
        surface = Surface(shape, body, np.linalg.inv(poses[body]) @ E_ws, radius, side, kind.hold)
        own = [(np.linalg.inv(surface.E_bs) @ [*place, 1.0])[:3] for other, place in (a, b) if other == body]
        if all(np.linalg.norm(x[: 2 if shape == "cylinder" else 3]) > radius for x in own):
            return surface


@dataclass(frozen=True)
class Sample:
    """Muscles of a mechanism in many poses."""

    spec: mm.Spec
    muscles: list[Muscle]
    q: np.ndarray  # (n, ndof)

    @cached_property
    def poses(self) -> dict[str | None, np.ndarray]:
        """E_wb of every body, and of the world (None). (n, 4, 4)"""
        return world_poses(self.spec, self.q)

    def ends(self, a: tuple, b: tuple, body: str | None, E_bs: np.ndarray) -> np.ndarray:
        """Two points in a frame on a body. (n, 2, 3)"""
        E_sw = np.linalg.inv(self.poses[body] @ E_bs)
        return np.stack([(E_sw @ self.poses[body] @ [*place, 1.0])[:, :3] for body, place in (a, b)], axis=1)

    def over(self, a: tuple, b: tuple, surface: Surface) -> np.ndarray:
        """Two points in a surface's frame. (n, 2, 3)"""
        return self.ends(a, b, surface.body, surface.E_bs)

    def any_piece(self, test: Callable) -> np.ndarray:
        """Which muscles have a piece with a surface for which test(surface, ends) is true. (n, nmuscles)"""
        found = np.zeros((len(self.q), len(self.muscles)), bool)
        for m, muscle in enumerate(self.muscles):
            for a, b, surface in muscle.pieces():
                if surface is not None:
                    found[:, m] |= test(surface, self.over(a, b, surface))
        return found

    def lengths(self) -> np.ndarray:
        """By our rule. (n, nmuscles)"""
        total = np.zeros((len(self.q), len(self.muscles)))
        for m, muscle in enumerate(self.muscles):
            for a, b, surface in muscle.pieces():
                if surface is None:
                    ends = self.ends(a, b, None, np.eye(4))
                    total[:, m] += np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
                else:
                    total[:, m] += path_lengths(surface, self.over(a, b, surface))
        return total


def world_poses(spec: mm.Spec, q: np.ndarray) -> dict[str | None, np.ndarray]:
    """E_wb of every body at each q, and of the world (None). (n, 4, 4)"""
    model = spec.compile()
    poses = np.array([mm.forward_kinematics(model, row) for row in q]).swapaxes(0, 1)
    return dict(zip(spec.bodies, poses, strict=True)) | {None: np.broadcast_to(np.eye(4), (len(q), 4, 4))}


def random_sample(seed: int, joints: list[mm.Joint], kind: Kind, muscles: int, poses: int) -> Sample:
    """Muscles whose surfaces are in their way in the middle one of the poses."""
    rng = np.random.default_rng(seed)
    spec = random_mechanism(rng, joints, kind)
    middle = rng.uniform(-0.5, 0.5, (1, sum(joint.ndof for joint in joints)))
    there = {name: E[0] for name, E in world_poses(spec, middle).items()}
    drawn = [random_muscle(rng, there, kind) for _ in range(muscles)]
    return Sample(spec, drawn, middle + rng.uniform(-0.8, 0.8, (poses, middle.size)))


# --- the rule ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """Pieces of paths in the planes of their turns; places there are complex numbers."""

    surface: Surface
    z: np.ndarray  # of the ends, (n, 2)
    side: np.ndarray | None  # (n,)
    rise: np.ndarray  # along a cylinder's axis, (n,)
    axes: np.ndarray  # of the plane, in the surface's frame, (n, 2, 3)

    @cached_property
    def outside(self) -> np.ndarray:
        """Neither end is inside of the surface. (n,)"""
        return (np.abs(self.z) > self.surface.radius).all(axis=1)

    @cached_property
    def lift(self) -> np.ndarray:
        """Angles at the centre from the ends to their points of touch. (n, 2)"""
        return np.arccos(np.minimum(self.surface.radius / np.abs(self.z), 1.0))

    def turned_to(self, z: np.ndarray) -> np.ndarray:
        """Angles to a place from the first end, in both senses, 0 to 2 pi. (2, n)"""
        sweep = np.angle(z) - np.angle(self.z[:, 0])
        return np.mod(np.stack([sweep, -sweep]), 2 * np.pi)

    @cached_property
    def angles(self) -> np.ndarray:
        """Of contact in both senses. (2, n)"""
        return self.turned_to(self.z[:, 1]) - self.lift.sum(axis=1)

    @cached_property
    def parted(self) -> np.ndarray:
        """The line through the centre and the side has one end on either hand. (n,)"""
        return np.prod(np.imag(self.z * np.conj(self.side)[:, None]), axis=1) < 0

    @cached_property
    def sense(self) -> np.ndarray:
        """0 or 1: in which of both senses the path turns. (n,)"""
        shorter = np.argmin(self.angles, axis=0)
        if self.side is None:
            return shorter
        if self.surface.hold:
            middle = self.z[:, 0] * np.exp(0.5j * np.array([[1], [-1]]) * self.turned_to(self.z[:, 1]))
            return np.argmax(np.real(middle * np.conj(self.side)), axis=0)
        by_the_side = np.argmax(self.turned_to(self.z[:, 1]) > self.turned_to(self.side), axis=0)
        return np.where(self.parted, by_the_side, shorter)

    @cached_property
    def angle(self) -> np.ndarray:
        """Of contact in the path's sense. (n,)"""
        return np.take_along_axis(self.angles, self.sense[None], axis=0)[0]

    @property
    def lengths(self) -> np.ndarray:
        """Across the axis, in both senses; the straight line's where the turn is too small to touch. (2, n)"""
        r = self.surface.radius
        tangents = np.sqrt(np.maximum(np.abs(self.z) ** 2 - r * r, 0.0)).sum(axis=1)
        return np.where(self.angles > 0, tangents + r * self.angles, np.abs(np.diff(self.z, axis=1)[:, 0]))

    @property
    def touches(self) -> np.ndarray:
        """Which pieces are not straight. (n,)"""
        return self.outside & (self.angle > 0)

    @property
    def middle(self) -> np.ndarray:
        """Of the arc, on the surface, in its frame. (n, 3)"""
        half = (1 - 2 * self.sense) * (self.lift[:, 0] + 0.5 * self.angle)
        place = self.surface.radius * np.exp(1j * (np.angle(self.z[:, 0]) + half))
        return place.real[:, None] * self.axes[:, 0] + place.imag[:, None] * self.axes[:, 1]


def in_plane(surface: Surface, ends: np.ndarray) -> Turn:
    """Ends (n, 2, 3), in the surface's frame, as a turn."""
    if surface.kind == "cylinder":
        axes = np.broadcast_to(np.eye(3)[:2], ends.shape)
    else:
        u = ends[:, 0] / np.linalg.norm(ends[:, 0], axis=1)[:, None]
        v = ends[:, 1] - np.sum(ends[:, 1] * u, axis=1)[:, None] * u
        axes = np.stack([u, v / np.linalg.norm(v, axis=1)[:, None]], axis=1)
    z = np.einsum("nek,nak->nea", ends, axes) @ [1, 1j]
    side = None if surface.side is None else axes @ surface.side @ [1, 1j]
    rise = (ends[:, 1, 2] - ends[:, 0, 2]) * (surface.kind == "cylinder")
    return Turn(surface, z, side, rise, axes)


def path_lengths(surface: Surface, ends: np.ndarray) -> np.ndarray:
    """Of pieces, straight or round. (n,)"""
    turn, r = in_plane(surface, ends), surface.radius
    tangents = np.sqrt(np.maximum(np.abs(turn.z) ** 2 - r * r, 0.0)).sum(axis=1)
    flat = np.where(turn.touches, tangents + r * turn.angle, np.abs(turn.z[:, 1] - turn.z[:, 0]))
    return np.hypot(flat, turn.rise)


def touches(surface: Surface, ends: np.ndarray) -> np.ndarray:
    """Which pieces are not straight. (n,)"""
    return in_plane(surface, ends).touches


def inside(surface: Surface, ends: np.ndarray) -> np.ndarray:
    """Which pieces have an end inside of the surface. (n,)"""
    return ~in_plane(surface, ends).outside
