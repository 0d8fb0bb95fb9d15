"""The same mechanism in other programs: a `mm.Spec` as a Pinocchio or MuJoCo model, and the way between coordinates.

A joint becomes a series of elementary motions (turn, slide, ball, free), read off the joint's class and not off the
links that MyoMass compiles it to. The peers give a ball a quaternion and an angular velocity, so their velocities are

    v = T(q) qdot,     vdot = T qddot + Tdot qdot,     tau = T^T tau_peer,     M = T^T M_peer T,     J = J_peer T

with T square: ones for turns and slides, S(q) = sum (-[q])^k / (k + 1)! for the rotation vector q of a ball.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import factorial
from typing import Any

import numpy as np

import myomass as mm

X, Y, Z = np.eye(3)
TERMS = 40  # of the series for S: exact to rounding for turns beyond 2 pi


# --- joints as elementary motions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Motion:
    """A turn about or slide along an axis, a ball exp([sign q]), or a free motion (translation, then ball)."""

    kind: str  # "turn", "slide", "ball" or "free"
    dofs: tuple[int, ...]  # our degrees of freedom, counted from the joint's first
    axis: np.ndarray | None = None  # of a turn or slide
    sign: int = 1  # of a ball: -1 if it is run backwards

    def inverse(self) -> Motion:
        """The same motion run backwards."""
        return replace(self, axis=-self.axis) if self.axis is not None else replace(self, sign=-self.sign)

    def shifted(self, by: int) -> Motion:
        """The same motion with its degrees of freedom further on."""
        return replace(self, dofs=tuple(k + by for k in self.dofs))


def is_free(joint: mm.Joint) -> bool:
    """Translation, then a rotation vector: what the peers have a joint of their own for."""
    return isinstance(joint, mm.Free3D) and joint.order == "TR" and isinstance(joint.joints[1], mm.SphericalExp)


def elementary(joint: mm.Joint, keep_free: bool = False) -> list[Motion]:
    """The motions of a joint, from parent to child; a free joint as one motion if `keep_free`."""
    if keep_free and is_free(joint):
        return [Motion("free", tuple(range(6)))]
    if isinstance(joint, mm.Inverse):
        return [motion.inverse() for motion in reversed(elementary(joint.joint))]
    if isinstance(joint, mm.Composite):
        starts = np.cumsum([0, *(part.ndof for part in joint.joints)])
        parts = zip(starts, joint.joints, strict=False)
        return [motion.shifted(int(start)) for start, part in parts for motion in elementary(part)]
    if isinstance(joint, mm.SphericalExp):
        return [Motion("ball", (0, 1, 2))]
    kind, axes = _axes(joint)
    return [Motion(kind, (k,), axis) for k, axis in enumerate(axes)]


def _axes(joint: mm.Joint) -> tuple[str, list[np.ndarray]]:
    """A joint of turns only or of slides only, and its axes."""
    if isinstance(joint, mm.Prismatic):  # a subclass of Revolute
        return "slide", [joint.axis]
    if isinstance(joint, mm.Revolute):
        return "turn", [joint.axis]
    if isinstance(joint, mm.SphericalEuler):
        return "turn", [{"X": X, "Y": Y, "Z": Z}[letter] for letter in joint.chart]
    table = {mm.Fixed: ("turn", []), mm.Universal: ("turn", [X, Y])}
    table |= {mm.Planar: ("slide", [X, Y]), mm.Translational: ("slide", [X, Y, Z])}
    if type(joint) not in table:
        raise NotImplementedError(f"no peer has a joint like {joint!r}")
    return table[type(joint)]


# --- rotation vectors, written here anew so that they are independent of the library ----------------------------------


def hat(a: np.ndarray) -> np.ndarray:
    """[a], hat(a) @ b = a x b. (3, 3)"""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def ball_rates(q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(S, Sdot): body angular velocity of exp([q]) is S qdot. The series of [A Adot; 0 A] has both. (3, 3) each"""
    A, Adot = -hat(q), -hat(qdot)
    block = np.block([[A, Adot], [np.zeros((3, 3)), A]])
    total, power = np.zeros((6, 6)), np.eye(6)
    for k in range(TERMS):
        total += power / factorial(k + 1)
        power = power @ block
    return total[:3, :3], total[:3, 3:]


def quaternion(q: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of exp([q])."""
    half = 0.5 * np.linalg.norm(q)
    return np.array([np.cos(half), *(0.5 * np.sinc(half / np.pi) * np.asarray(q))])


# --- coordinates ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Coordinate:
    """Where one motion's numbers stand: in our q, in the peer's configuration and in its velocity."""

    motion: Motion
    ours: np.ndarray
    at_q: int
    at_v: int
    E_root: np.ndarray  # of a free joint: its place in the world


@dataclass(frozen=True)
class Peer:
    """A spec in another program, with the maps from our coordinates to the program's."""

    model: Any
    bodies: list[int]  # the peer's number of each of our bodies: a Pinocchio frame, a MuJoCo body
    coordinates: list[Coordinate]
    place: Callable  # (coordinate, q) -> numbers of the peer's configuration
    rates: Callable  # (coordinate, q, qdot) -> square blocks of T and Tdot

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """The peer's configuration at our q. (nq,)"""
        values = np.zeros(self.model.nq)
        for c in self.coordinates:
            numbers = self.place(c, q[c.ours])
            values[c.at_q : c.at_q + len(numbers)] = numbers
        return values

    def rate_map(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(T, Tdot) of v = T qdot. (nv, ndof) each"""
        T, Tdot = np.zeros((2, self.model.nv, len(q)))
        for c in self.coordinates:
            rows = np.arange(c.at_v, c.at_v + len(c.ours))
            T[np.ix_(rows, c.ours)], Tdot[np.ix_(rows, c.ours)] = self.rates(c, q[c.ours], qdot[c.ours])
        return T, Tdot

    def motion(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray) -> tuple[np.ndarray, ...]:
        """The peer's configuration, velocity and acceleration."""
        T, Tdot = self.rate_map(q, qdot)
        return self.configuration(q), T @ qdot, T @ qddot + Tdot @ qdot


def _scalar_or_ball_place(c: Coordinate, q: np.ndarray) -> np.ndarray:
    return quaternion(c.motion.sign * q) if c.motion.kind == "ball" else q


def _scalar_or_ball_rates(c: Coordinate, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if c.motion.kind != "ball":
        return np.eye(1), np.zeros((1, 1))
    sign = c.motion.sign
    S, Sdot = ball_rates(sign * q, sign * qdot)
    return sign * S, sign * Sdot


def _blocks(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    none = np.zeros((3, 3))
    return np.block([[upper, none], [none, lower]])


def depth_first(spec: mm.Spec) -> list[str]:
    """Names of the bodies, each subtree in one piece: the order that Pinocchio's algorithms need."""
    children = {name: [] for name in [None, *spec.bodies]}
    for body in spec.bodies.values():
        children[body.parent].append(body.name)
    names, waiting = [], children[None][::-1]
    while waiting:
        names.append(waiting.pop())
        waiting += children[names[-1]][::-1]
    return names


def first_dofs(spec: mm.Spec) -> dict[str, int]:
    """First degree of freedom of each body: they are counted in the order in which bodies were added."""
    starts = np.cumsum([0, *(body.joint.ndof for body in spec.bodies.values())])
    return dict(zip(spec.bodies, map(int, starts), strict=False))


def body_frame(body: mm.model.BodySpec) -> np.ndarray:
    """Centre of mass and principal axes in the joint's moved frame. (4, 4)"""
    return body.E_jb if body.inertia is None else body.E_jb @ body.inertia.frame


# --- Pinocchio --------------------------------------------------------------------------------------------------------


def pinocchio_peer(spec: mm.Spec) -> Peer:
    """The spec as a pinocchio.Model: a joint per elementary motion, a frame per body."""
    import pinocchio as pin

    model = pin.Model()
    model.name = spec.name
    model.gravity.linear = np.array(spec.gravity, float)
    places = {None: (0, np.eye(4))}  # body -> its last joint, and its moved frame in there
    frames, coordinates, first = {}, [], first_dofs(spec)
    for name in depth_first(spec):
        body = spec.bodies[name]
        joint, E = places[body.parent]
        E = E @ body.E_pj
        for k, motion in enumerate(elementary(body.joint, keep_free=True)):
            joint = model.addJoint(joint, _pinocchio_joint(motion), pin.SE3(E), f"{name}-{k}")
            ours = np.array(motion.dofs) + first[name]
            coordinates.append(Coordinate(motion, ours, model.idx_qs[joint], model.idx_vs[joint], E))
            E = np.eye(4)
        places[name] = joint, E
        frame = pin.Frame(name, joint, 0, pin.SE3(E @ body_frame(body)), pin.FrameType.BODY, _pinocchio_inertia(body))
        frames[name] = model.addFrame(frame)
    return Peer(model, [frames[name] for name in spec.bodies], coordinates, _pinocchio_place, _pinocchio_rates)


def _pinocchio_joint(motion: Motion) -> Any:
    """The joint of one motion; the quick variant where the axis is a coordinate axis."""
    import pinocchio as pin

    if motion.axis is None:
        return pin.JointModelFreeFlyer() if motion.kind == "free" else pin.JointModelSpherical()
    for axis, letter in zip((X, Y, Z), "XYZ", strict=True):
        if (motion.axis == axis).all():
            return getattr(pin, f"JointModel{'R' if motion.kind == 'turn' else 'P'}{letter}")()
    unaligned = pin.JointModelRevoluteUnaligned if motion.kind == "turn" else pin.JointModelPrismaticUnaligned
    return unaligned(np.array(motion.axis))


def _pinocchio_inertia(body: mm.model.BodySpec) -> Any:
    """Mass and moments in the body's own frame."""
    import pinocchio as pin

    if body.inertia is None:
        return pin.Inertia.Zero()
    return pin.Inertia(body.inertia.mass, np.zeros(3), np.diag(body.inertia.moments))


def _pinocchio_place(c: Coordinate, q: np.ndarray) -> np.ndarray:
    """Quaternions are (x, y, z, w); a free joint is given in its own placement."""
    if c.motion.kind == "free":
        return np.concatenate([q[:3], np.roll(quaternion(q[3:]), -1)])
    numbers = _scalar_or_ball_place(c, q)
    return np.roll(numbers, -1) if c.motion.kind == "ball" else numbers


def _pinocchio_rates(c: Coordinate, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A free joint's velocity is (v, omega), both in the moved frame."""
    import pinocchio as pin

    if c.motion.kind != "free":
        return _scalar_or_ball_rates(c, q, qdot)
    S, Sdot = ball_rates(q[3:], qdot[3:])
    R_T = pin.exp3(q[3:]).T
    return _blocks(R_T, S), _blocks(-hat(S @ qdot[3:]) @ R_T, Sdot)


def pinocchio_wrenches(peer: Peer, wrenches: np.ndarray) -> list:
    """Our wrenches [moment; force] on bodies, in body frames, as Pinocchio's list of forces on joints."""
    import pinocchio as pin

    forces = [pin.Force.Zero() for _ in range(peer.model.njoints)]
    for frame, wrench in zip(peer.bodies, wrenches, strict=True):
        frame = peer.model.frames[frame]
        forces[frame.parentJoint] += frame.placement.act(pin.Force(wrench[3:], wrench[:3]))
    return forces


# --- MuJoCo -----------------------------------------------------------------------------------------------------------


def mujoco_peer(spec: mm.Spec, amend: Callable = lambda mjcf: None) -> Peer:
    """The spec as an MjModel: a body per body, its motions as joints, no constraints; `amend` adds to the MjSpec."""
    mjcf = _empty_mujoco_spec(spec)
    places, joints, massless, first = {None: mjcf.worldbody}, [], [], first_dofs(spec)
    for name in depth_first(spec):
        body, child = spec.bodies[name], places[spec.bodies[name].parent]
        groups = _split_for_mujoco(elementary(body.joint, keep_free=body.parent is None))
        for k, motions in enumerate(groups):
            last, E = k == len(groups) - 1, body.E_pj if k == 0 else np.eye(4)
            label = name if last else f"{name}-part{k}"
            child = child.add_body(name=label, **_mujoco_frame(E))
            if not _set_mujoco_inertia(child, body if last else None):
                massless.append(label)
            for motion in motions:
                joint = f"{name}-{motion.dofs[0]}"
                child.add_joint(name=joint, **_mujoco_joint(motion))
                joints.append((joint, motion, np.array(motion.dofs) + first[name], E))
        places[name] = child
    amend(mjcf)
    model = _compile_mujoco(mjcf, massless)
    at = {joint: (int(model.joint(joint).qposadr[0]), int(model.joint(joint).dofadr[0])) for joint, *_ in joints}
    coordinates = [Coordinate(motion, ours, *at[joint], E) for joint, motion, ours, E in joints]
    return Peer(model, [model.body(name).id for name in spec.bodies], coordinates, _mujoco_place, _mujoco_rates)


def _empty_mujoco_spec(spec: mm.Spec) -> Any:
    """Gravity and options: smooth dynamics only, energies on, inertias taken as given."""
    import mujoco

    mjcf = mujoco.MjSpec()
    mjcf.modelname = spec.name
    mjcf.option.gravity = np.array(spec.gravity, float)
    off = mujoco.mjtDisableBit
    mjcf.option.disableflags = off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT | off.mjDSBL_LIMIT
    mjcf.option.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
    mjcf.compiler.degree = False
    mjcf.compiler.autolimits = False
    mjcf.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    mjcf.compiler.balanceinertia = False
    mjcf.compiler.boundmass = mjcf.compiler.boundinertia = 0.0
    return mjcf


def _split_for_mujoco(motions: list[Motion]) -> list[list[Motion]]:
    """The motions in groups that one MuJoCo body can hold: at most 6 dofs, nothing after a ball.

    MuJoCo forbids a turn there. A slide it allows, but its mj_jacDot then differs from the rate of its own mj_jac.
    """
    groups = [[]]
    for motion in motions:
        full = sum(len(m.dofs) for m in groups[-1]) + len(motion.dofs) > 6
        if full or any(m.kind == "ball" for m in groups[-1]):
            groups.append([])
        groups[-1].append(motion)
    return groups


def _mujoco_frame(E: np.ndarray) -> dict[str, np.ndarray]:
    """A pose as `pos` and `quat`."""
    import mujoco

    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, E[:3, :3].ravel())
    return {"pos": E[:3, 3], "quat": quat}


def _set_mujoco_inertia(child: Any, body: mm.model.BodySpec | None) -> bool:
    """Write mass, moments and their frame; without inertia write ones for the compiler, and answer False."""
    frame = _mujoco_frame(np.eye(4) if body is None else body_frame(body))
    child.explicitinertial, child.ipos, child.iquat = True, frame["pos"], frame["quat"]
    massive = body is not None and body.inertia is not None
    child.mass = body.inertia.mass if massive else 1.0
    child.inertia = body.inertia.moments if massive else np.ones(3)
    return massive


def _mujoco_joint(motion: Motion) -> dict:
    """Type and axis of the joint of one motion."""
    import mujoco

    types = {"turn": "HINGE", "slide": "SLIDE", "ball": "BALL", "free": "FREE"}
    joint = {"type": getattr(mujoco.mjtJoint, f"mjJNT_{types[motion.kind]}")}
    return joint if motion.axis is None else joint | {"axis": motion.axis}


def _compile_mujoco(mjcf: Any, massless: list[str]) -> Any:
    """The MjModel. Its compiler refuses massless moving bodies, so theirs is taken away afterwards.

    Both steps factor M at q = 0, where some series of turns are singular: what they warn of is of no interest.
    """
    import mujoco

    listener = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Inertia matrix is too close to singular")
            model = mjcf.compile()
        for label in massless:
            model.body(label).mass = 0.0
            model.body(label).inertia = 0.0
        mujoco.mj_setConst(model, mujoco.MjData(model))
    finally:
        mujoco.set_mju_user_warning(listener)
    return model


def _mujoco_place(c: Coordinate, q: np.ndarray) -> np.ndarray:
    """Quaternions are (w, x, y, z); a free joint is given in the world."""
    import mujoco

    if c.motion.kind != "free":
        return _scalar_or_ball_place(c, q)
    placed, quat = _mujoco_frame(c.E_root), np.zeros(4)
    mujoco.mju_mulQuat(quat, placed["quat"], quaternion(q[3:]))
    return np.concatenate([placed["pos"] + c.E_root[:3, :3] @ q[:3], quat])


def _mujoco_rates(c: Coordinate, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A free joint's velocity is (v, omega), the first in world axes, the second in the moved frame."""
    if c.motion.kind != "free":
        return _scalar_or_ball_rates(c, q, qdot)
    S, Sdot = ball_rates(q[3:], qdot[3:])
    return _blocks(c.E_root[:3, :3], S), _blocks(np.zeros((3, 3)), Sdot)
