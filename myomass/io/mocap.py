"""Motion capture: from a BVH file to a mechanism and its motion, and back.

The world is z up and in SI: axes are renamed in turn, so a file with y up and z forward has x forward and y left here,
as `scenes.human_figure` has. Joint frames are the file's; at q = 0 the figure stands as its offsets draw it, but for
ball joints that turn through more than 1.3 pi from there: these count from the middle of their turns.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from ..human.anthropometry import SEGMENTS
from ..joints import Composite, Fixed, Free3D, Joint, Revolute, SphericalEuler, SphericalExp, Translational
from ..joints.spherical_euler import CHART_NAMES
from ..model import Model, Spec
from ..model.border import no_model
from ..model.shape import Shape
from ..model.spec import UnknownName, known_names
from ..spatial import so3
from ..spatial.brief import brief, counted
from ..spatial.checks import check_positive
from ..spatial.inertia import Inertia
from ..spatial.se3 import inverse, pose
from ..trajectory import Trajectory
from .bvh import Bvh
from .mocap_export import as_bvh
from .segments import Bodies, parts_of
from .smoothing import (
    DEGREE,
    check_cutoff,
    counted_from,
    middle_of,
    quaternions,
    rotation_vectors,
    smoothed,
    unwrapped_angles,
    with_derivatives,
)

AXES = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # for each upward axis, the file's axes that become x, y and z
STEADY = 1e-3  # of the skeleton's size: positions of an inner joint that vary less are constant
GIANT = 10.0  # [m]


@dataclass(frozen=True, eq=False, repr=False)
class CapturedMotion:
    """Coordinates of a model over time with exact derivatives, and where joints and end sites are on its bodies."""

    model: Model
    t: np.ndarray  # [s], (rows,)
    q: np.ndarray  # (rows, ndof)
    qdot: np.ndarray  # (rows, ndof)
    qddot: np.ndarray  # (rows, ndof)
    sites: dict[str, tuple[str, tuple[float, float, float]]] = field(default_factory=dict)  # (body, place in it [m])

    def __repr__(self) -> str:
        return (
            f"CapturedMotion({self.model.name!r}, {counted(len(self.t), 'row')} from {self.t[0]:g} to {self.t[-1]:g} s)"
        )

    @cached_property
    def trajectory(self) -> Trajectory:
        """The motion as a trajectory, to be seen and saved."""
        charts = np.tile(self.model.params[self.model.chart_slots], (len(self.t), 1))
        return Trajectory(self.model, self.t, self.q, self.qdot, charts, "capture")


@brief
@dataclass(frozen=True, eq=False)
class Capture:
    """A captured motion, ready to be a mechanism: `spec` for its bodies, `motion` for its coordinates.

    scale: metres in the file's unit of length, 0.01 for cm, 0.0254 for inches. up: the file's upward axis. euler: ball
    joints turn by the file's own Euler angles instead of rotation vectors. stretch: inner joints that slide in the file
    slide here too; else they stay at their mean places.
    """

    bvh: Bvh
    scale: float = 1.0
    up: str = "y"
    euler: bool = False
    stretch: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.bvh, Bvh):
            raise TypeError(f"Capture: give an mm.io.Bvh, or a file to mm.io.Capture.load, not {self.bvh!r}")
        check_positive(self.scale, "Capture: the scale [m]")
        if not isinstance(self.up, str) or self.up not in AXES:
            raise ValueError(f'Capture: up is "x", "y" or "z", the upward axis of the file, not {self.up!r}')
        if self.size > GIANT:
            warnings.warn(
                f"the skeleton is {self.size:.3g} m large: say scale=0.01 if the file is in cm, 0.0254 if in inches",
                stacklevel=2,
            )

    @classmethod
    def load(
        cls, path: str | Path, scale: float = 1.0, up: str = "y", *, euler: bool = False, stretch: bool = False
    ) -> "Capture":
        """Read a BVH file."""
        return cls(Bvh.load(path), scale, up, euler, stretch)

    # --- geometry -----------------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> np.ndarray:
        """Where joints are in their parents' frames, the root in the world, mean over the frames [m]. (joints, 3)"""
        return np.array([self._place(j).mean(axis=0) for j in range(len(self.bvh.names))])

    @cached_property
    def slides(self) -> np.ndarray:
        """How far the position channels of joints take them from their mean places, zero for the root [m]. (joints,)"""
        far = [np.linalg.norm(self._place(j) - self.places[j], axis=1).max() for j in range(len(self.bvh.names))]
        return np.array([0.0, *far[1:]])

    @cached_property
    def size(self) -> float:
        """The longest side of the box round the skeleton at q = 0 [m]."""
        at = np.zeros((len(self.bvh.names), 3))
        for j, parent in enumerate(self.bvh.parents[1:], 1):
            at[j] = at[parent] + self.places[j]
        ends = [at[j] + end for j, own in enumerate(self.bvh.ends) for end in self._turned(own)]
        return float(np.ptp(np.array([*at, *ends]), axis=0).max())

    def _turned(self, x: np.ndarray) -> np.ndarray:
        """Vectors of the file in the world's axes and in metres. (any, 3)"""
        return self.scale * np.asarray(x, float)[:, AXES[self.up]]

    def _place(self, joint: int) -> np.ndarray:
        """The joint in its parent's frame: the offset, and positions in the channels' place [m]. (frames or 1, 3)"""
        columns, channels = self.bvh.values[:, self.bvh.columns[joint]], self.bvh.channels[joint]
        moving = {"XYZ".index(c[0]): columns[:, k] for k, c in enumerate(channels) if c.endswith("position")}
        x = np.tile(self.bvh.offsets[joint], (len(columns) if moving and len(columns) else 1, 1))
        for axis, column in moving.items() if len(columns) else ():
            x[:, axis] = column
        return self._turned(x)

    def _axes(self, joint: int) -> tuple[int, ...]:
        """The world's axes that a joint's rotation channels turn about, in their order."""
        turns = [c for c in self.bvh.channels[joint] if c.endswith("rotation")]
        return tuple(AXES[self.up].index("XYZ".index(c[0])) for c in turns)

    def _angles(self, joint: int) -> np.ndarray:
        """Angles of the rotation channels [rad]. (frames, turns)"""
        turns = [k for k, c in enumerate(self.bvh.channels[joint]) if c.endswith("rotation")]
        return np.radians(self.bvh.values[:, self.bvh.columns[joint]][:, turns])

    # --- joints -------------------------------------------------------------------------------------------------------

    def _chart(self, joint: int) -> str:
        """The Euler chart of a joint, "ZXY" for instance, or nothing where a rotation vector is to be used."""
        name = "".join("XYZ"[axis] for axis in self._axes(joint))
        return name if self.euler and name in CHART_NAMES else ""

    def _is_ball(self, joint: int) -> bool:
        """True if a rotation vector moves the joint, and not one or two hinges or Euler angles that were asked for."""
        axes = self._axes(joint)
        free = joint == 0 or len(axes) > 2 or len(set(axes)) < len(axes)
        return free and not self._chart(joint)

    def _turns(self, joint: int) -> np.ndarray:
        """Quaternions of a ball joint's rotations. (frames, 4)"""
        return quaternions(self._angles(joint), self._axes(joint))

    def _start(self, joint: int) -> np.ndarray:
        """The rotation that a joint's coordinates count from. (3, 3)"""
        if joint == 0 or not self._is_ball(joint):
            return np.eye(3)
        p = middle_of(self._turns(joint))
        return so3.exp(rotation_vectors(p[None], np.zeros((1, 4)), np.zeros((1, 4)))[0][0])

    def _is_sliding(self, joint: int) -> bool:
        return joint == 0 or (self.stretch and bool(self.slides[joint] > STEADY * self.size))

    def joint(self, name: str) -> Joint:
        """The joint by which a body hangs on its parent, the root on the world."""
        j = self._number(name)
        if self._is_ball(j):
            turn = SphericalExp()
        elif self._chart(j):
            turn = SphericalEuler(self._chart(j))
        else:
            hinges = [Revolute(np.eye(3)[axis]) for axis in self._axes(j)]
            turn = Fixed() if not hinges else hinges[0] if len(hinges) == 1 else Composite(*hinges)
        if j == 0:
            return Free3D("TR", turn)
        return Composite(Translational(), turn) if self._is_sliding(j) else turn

    def _number(self, name: str) -> int:
        if name not in self.bvh.names:
            raise UnknownName(f"the capture has no joint {name!r}; {known_names(self.bvh.names, 40)}")
        return self.bvh.names.index(name)

    # --- the mechanism ------------------------------------------------------------------------------------------------

    @property
    def parts(self) -> dict[str, str | None]:
        """The part of the body that each joint belongs to, judged by its name; None where that says nothing."""
        return dict(zip(self.bvh.names, parts_of(self.bvh.names, self.bvh.parents), strict=True))

    def spec(
        self,
        mass: float = 75.0,
        *,
        sex: str = "male",
        inertias: Mapping[str, float | Inertia] | None = None,
        name: str = "capture",
    ) -> Spec:
        """The skeleton as a mechanism of a mass [kg]: a body for each joint, of its name, under gravity along -z.

        Shares of the mass by the joints' names (de Leva 1996, "male" or "female"), else by volume: `io.segments`.
        `inertias`: by joint a mass [kg], or an mm.Inertia about the middle between the joint and its children, z from
        the one to the others; the other segments share what is left of the whole.
        """
        mass = check_positive(mass, "spec: the mass [kg]")
        if not isinstance(sex, str) or sex not in SEGMENTS:
            raise ValueError(f'spec: the sex is "male" or "female", and is {sex!r}')
        bodies = Bodies(list(self.parts.values()), self.bvh.parents, self._tips(), self.size, sex)
        given = {self._number(key): value for key, value in (inertias or {}).items()}
        masses = _masses(bodies, mass, given, self.bvh.names)
        spec = Spec(name)
        for j, joint in enumerate(self.bvh.names):
            inertia, E_jb, shape = bodies.solid(j, masses[j])
            if isinstance(given.get(j), Inertia):
                inertia, shape, E_jb = given[j], None, bodies.middle(j)
            parent = None if j == 0 else self.bvh.names[self.bvh.parents[j]]
            E_pj = pose(self._start(j), np.zeros(3) if self._is_sliding(j) else self.places[j])
            shapes: list[Shape] | None = None if shape is None else [shape]
            spec.add_body(joint, parent, self.joint(joint), E_pj, E_jb, inertia, shapes=shapes)
        return spec

    def _tips(self) -> np.ndarray:
        """Mean place of a joint's children and end sites in its frame [m]. (joints, 3)"""
        tips = np.zeros((len(self.bvh.names), 3))
        for j, ends in enumerate(self.bvh.ends):
            below = np.concatenate([self.places[np.flatnonzero(self.bvh.parents == j)], self._turned(ends)])
            tips[j] = below.mean(axis=0) if len(below) else 0.0
        return tips

    # --- its motion ---------------------------------------------------------------------------------------------------

    def motion(self, model: Model, cutoff: float | None = 6.0) -> CapturedMotion:
        """Coordinates of the model at the frames' times with rates and accelerations.

        Whole turns are unwrapped; signals go through a fourth-order Butterworth filter without lag with a cut-off [Hz]
        (None: as recorded), and derivatives are those of the quintic spline through them. Rotation vectors are
        continuous within 1.5 pi: only a root that turns on beyond that is wrapped, as in a simulation.
        """
        self._check_model(model)
        rows, rate = len(self.bvh.values), 1.0 / self.bvh.frame_time
        if rows <= DEGREE:
            raise ValueError(f"motion: {DEGREE + 1} frames or more make a motion, and there are {rows}")
        if cutoff is not None:
            check_cutoff(cutoff, rate)
        t = self.bvh.frame_time * np.arange(rows)
        signals = [self._signals(j) for j in range(len(self.bvh.names))]
        stacked = np.hstack(signals)
        stacked = stacked if cutoff is None else smoothed(stacked, cutoff, rate)
        jets = with_derivatives(t, stacked)
        starts = np.cumsum([0, *(signal.shape[1] for signal in signals)])
        columns: list[list[np.ndarray]] = [[], [], []]
        for j, start in enumerate(starts[:-1]):
            own = [jet[:, start : starts[j + 1]] for jet in jets]
            turned = rotation_vectors(*(x[:, -4:] for x in own)) if self._is_ball(j) else None
            for order, x in enumerate(own):
                columns[order] += [x] if turned is None else [x[:, :-4], turned[order]]
        q, qdot, qddot = map(np.hstack, columns)
        return CapturedMotion(model, t, q, qdot, qddot, self._sites(model))

    def _signals(self, joint: int) -> np.ndarray:
        """The signals of a joint that are smoothed: its place, then a quaternion or angles. (frames, any)"""
        rows, axes = len(self.bvh.values), self._axes(joint)
        place = np.broadcast_to(self._place(joint), (rows, 3)) if self._is_sliding(joint) else np.zeros((rows, 0))
        turn = self._turns(joint) if self._is_ball(joint) else unwrapped_angles(self._angles(joint), axes)
        if joint > 0 and self._is_ball(joint):
            turn = counted_from(turn, middle_of(turn))
        return np.hstack([place, turn])

    def _check_model(self, model: Model, same_charts: bool = True) -> None:
        """Raise a ValueError unless this is a model of the capture's own spec, whatever its masses."""
        if not isinstance(model, Model):
            raise no_model(model)
        own = self.spec().compile()
        same = model.names == own.names and np.array_equal(model.dof_starts, own.dof_starts)
        same = same and all(np.array_equal(model.links[key], own.links[key]) for key in ("kind", "R0"))
        if not same or (same_charts and not np.array_equal(model.params, own.params)):
            raise ValueError(f"model {model.name!r} is not of this capture: use capture.spec(...).compile()")

    def joint_frames(self, model: Model) -> np.ndarray:
        """E_jb of every body: its frame in its joint's. (joints, 4, 4)"""
        frames = [pose(body["R_lb"], body["p_lb"]) for body in model.bodies]
        after = [inverse(self.joint(name).links()[1]) for name in self.bvh.names]
        return np.array([E_jl @ E_lb for E_jl, E_lb in zip(after, frames, strict=True)])

    def _sites(self, model: Model) -> dict[str, tuple[str, tuple[float, float, float]]]:
        """Joints by their names, end sites by those and "End", "End 2", ...; places in the bodies' frames."""
        sites = {}
        for name, ends, E_jb in zip(self.bvh.names, self.bvh.ends, self.joint_frames(model), strict=True):
            for k, x in enumerate(np.concatenate([np.zeros((1, 3)), self._turned(ends)])):
                key = f"{name} End{f' {k}' if k > 1 else ''}" if k else name
                sites[key] = (name, tuple(((x - E_jb[:3, 3]) @ E_jb[:3, :3]).tolist()))
        return sites

    def export(self, trajectory: Trajectory) -> Bvh:
        """A run of this capture's model, or an edited motion's trajectory, in the file's joints, axes and units."""
        if not isinstance(trajectory, Trajectory):
            raise TypeError(f"export: give a trajectory, as motion.trajectory or of mm.simulate, not {trajectory!r}")
        self._check_model(trajectory.model, same_charts=False)
        poses = trajectory.poses @ inverse_all(self.joint_frames(trajectory.model))
        return as_bvh(self.bvh, trajectory.t, poses, self.scale, AXES[self.up])


def inverse_all(E: np.ndarray) -> np.ndarray:
    """Inverses of poses. (any, 4, 4)"""
    return np.array([inverse(one) for one in E])


def _masses(bodies: Bodies, mass: float, given: Mapping[int, float | Inertia], names: tuple[str, ...]) -> np.ndarray:
    """Mass of each segment [kg], those given and shares of the rest. (joints,)"""
    fixed = {}
    for j, value in given.items():
        inertia = isinstance(value, Inertia)
        fixed[j] = value.mass if inertia else check_positive(value, f"spec: the mass of {names[j]!r} [kg]")
    shares, rest = bodies.shares(mass), mass - sum(fixed.values())
    others = [j for j in range(len(names)) if j not in fixed]
    if others and rest <= 0:
        raise ValueError(
            f"spec: the given segments weigh {mass - rest:.4g} kg, and nothing is left of {mass:.4g} kg for the others"
        )
    masses = rest * shares / shares[others].sum() if others else shares
    masses[list(fixed)] = list(fixed.values())
    return masses
