"""Reactions of joints along whole recordings: what each joint carries, with the forces of muscles or without.

Cut a joint: the wrench that keeps both sides moving as they do is that of everything beyond it,

    F = sum over the bodies beyond of  M Vdot - ad(V)^T M V - F_ext - F_muscles

The part of it along the joint's own coordinates is what a motor there would give; as in OpenSim it is counted in. With
the forces of muscles from static optimisation little of it is left, and the rest is what bones and ligaments bear.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._jit import kernel
from ..algorithms.inertias import all_finite, subtract_wrenches
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..dynamics.inverse import overflow
from ..dynamics.system import open_system, system_of
from ..model import Model
from ..model.spec import UnknownName, known_names
from ..muscles.columns import ENDINGS, muscle_columns
from ..muscles.wrenches import add_given_wrenches
from ..recordings import ExternalLoads, Table
from ..recordings.table import called
from ..spatial.algebra import add, load3, load33, mul, store3, store33
from ..spatial.brief import brief
from ..spatial.checks import check_numbers
from .inverse_dynamics import as_motion, real_rows
from .kinematics import Kinematics
from .loads import check_loads, frame_on_link, pack_loads, subtract_load
from .table_rows import rows_along

SIDES = ("child", "parent")
FRAMES = ("ground", "child", "parent")
ROUNDING = 1e-9  # of the largest tension, by which one may be negative


@brief
@dataclass(frozen=True, eq=False)
class JointReactions:
    """Wrenches of joints: t [s], (rows,), [moment; force], (rows, joints, 6), and where they act, (rows, joints, 3).

    A joint goes by its own name, or by that of the body that hangs by it. bodies: on which each acts.
    """

    t: np.ndarray
    names: tuple[str, ...]
    wrenches: np.ndarray  # [N m, N]
    points: np.ndarray  # [m]
    bodies: tuple[str, ...]
    frames: tuple[str, ...]  # in whose axes, and for points from whose origin, each is written
    children: tuple[str, ...]  # that hang by the joints

    def __getitem__(self, name: str) -> np.ndarray:
        """[moment; force] of a joint [N m, N]. (rows, 6)"""
        for known in (self.names, self.children):
            if name in known:
                return self.wrenches[:, known.index(name)]
        raise UnknownName(f"there is no joint {name!r}; {known_names(self.names)}")

    def table(self) -> Table:
        """The table with columns as OpenSim names them: <joint>_on_<body>_in_<frame>_fx, and so on; f, m and p."""
        columns = [self.wrenches[..., 3:], self.wrenches[..., :3], self.points]
        values = np.concatenate(columns, axis=2).reshape(len(self.t), 9 * len(self.names))
        heads = [f"{a}_on_{b}_in_{c}" for a, b, c in zip(self.names, self.bodies, self.frames, strict=True)]
        names = [f"{head}_{what}{axis}" for head in heads for what in "fmp" for axis in "xyz"]
        return Table(self.t, values, names, about={"name": "Joint Reactions"})


@kernel
def place_reaction(here, parent, p0, wrench, places):
    """The wrench of a joint in world axes, and where the frames of its two sides are. Needs: poses and (n, f)."""
    store3(wrench[:3], load3(here.n))
    store3(wrench[3:], load3(here.f))
    store3(places[0], load3(here.x))
    store3(places[1], add(load3(parent.x), mul(load33(parent.R), p0)))


@kernel(entry=True)
def reactions_along(handle, q, qdot, qddot, loads, tensions, joints, sites, pulls, wrenches, places, axes):
    """Wrenches of the chosen joints on their children, of every row, for Python: the first bad row, or -1.

    joints: last link, first link; sites: links of the frames they are told in, and these frames' R and p there.
    """
    system = open_system(handle, q)
    tree, muscles, total = system.tree, system.muscles, system.forces.total
    links, work = tree.links, tree.work
    for row in range(q.shape[0]):
        rnea_outward(tree, tree.gravity, q[row], qdot[row], qddot[row])
        for i in range(loads.links.shape[0]):
            subtract_load(i, loads, loads.values[row, i], work)
        if tensions.shape[1] > 0:
            pulls[:, :] = 0.0
            add_given_wrenches(q[row], qdot[row], qddot[row], tensions[row], tree, muscles, pulls)
            subtract_wrenches(tree.bodies, pulls, work)
        pass_wrench(links, work, tree.dofs, total)
        for i in range(joints.shape[0]):
            first = links[joints[i, 1]]
            parent = work[first.parent]
            place_reaction(work[joints[i, 0]], parent, load3(first.p0), wrenches[row, i], places[row, i])
            store33(axes[row, i], load33(work[sites[i]].R))
            store3(places[row, i, 2], load3(work[sites[i]].x))
            if not all_finite(wrenches[row, i]):
                return row
    return -1


def joint_reactions(
    model: Model,
    motion: Kinematics | Table,
    loads: ExternalLoads | None = None,
    *,
    forces: Table | Mapping[str, np.ndarray] | None = None,
    joints: Sequence[str] | None = None,
    on: str = "child",
    expressed_in: str = "ground",
    lowpass: float | None = None,
) -> JointReactions:
    """What joints carry along a recorded motion [N m, N], by their names or those of the bodies that hang by them.

    forces: tensions of muscles by name [N], a table (columns `BRA` or `/forceset/BRA`), linear in between, or columns
    of the motion's rows; muscles that are not named do not pull. Everything else as of `inverse_dynamics`. on "child":
    the wrench on the body that hangs, at the joint's frame there; "parent": the opposite one, at the joint's frame on
    the parent. expressed_in "ground", or in the frame of the "child" or "parent" body, as its file has it. joints:
    which (None: all).
    """
    if on not in SIDES:
        raise ValueError(f'joint_reactions: on is "child" or "parent", not {on!r}')
    if expressed_in not in FRAMES:
        raise ValueError(f'joint_reactions: expressed_in is "ground", "child" or "parent", not {expressed_in!r}')
    motion = as_motion(model, motion, lowpass)
    chosen = [_joint(model, name) for name in (model.names if joints is None else _names(joints))]
    parents = ["ground" if model.parents[i] < 0 else model.names[model.parents[i]] for i in chosen]
    told = {"ground": ["ground"] * len(chosen), "child": [model.names[i] for i in chosen], "parent": parents}
    frames = [frame_on_link(model, name, "joint_reactions") for name in told[expressed_in]]
    links = np.array([[model.bodies["link"][i], _first_link(model, i)] for i in chosen], np.int64).reshape(-1, 2)
    sites = np.array([frame[0] for frame in frames], np.int64)
    F, x, axes = _evaluated(model, motion, loads, _tensions(model, motion, forces), links, sites)
    point, R = x[:, :, 0], axes @ np.array([frame[1] for frame in frames]).reshape(-1, 3, 3)
    origin = x[:, :, 2] + np.einsum("tnij,nj->tni", axes, np.array([frame[2] for frame in frames]).reshape(-1, 3))
    moment, force = F[..., :3], F[..., 3:]
    if on == "parent":
        moment, force, point = -moment - np.cross(point - x[:, :, 1], force), -force, x[:, :, 1]
    turned = [np.einsum("tnji,tnj->tni", R, part) for part in (moment, force, point - origin)]
    bodies = told["child"] if on == "child" else parents
    own = {child: joint for joint, child in model.joint_names.items()}
    children, wrenches = tuple(told["child"]), np.concatenate(turned[:2], axis=2)
    names = tuple(own.get(child, child) for child in children)
    return JointReactions(motion.t, names, wrenches, turned[2], tuple(bodies), tuple(told[expressed_in]), children)


def _evaluated(
    model: Model,
    motion: Kinematics,
    loads: ExternalLoads | None,
    tensions: np.ndarray,
    links: np.ndarray,
    sites: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(wrenches on the children about their links, places of child's and parent's frame and site, axes of the site)."""
    if tensions.shape[1]:
        add_given_wrenches.demand(model.dtype.type)
    scalar, (rows, count) = model.dtype, (len(motion), len(links))
    out = [np.empty((rows, count, *shape), scalar) for shape in ((6,), (3, 3), (3, 3))]
    q, qdot, qddot = real_rows(model, motion)
    packed, pulls = pack_loads(model, loads, motion.t), np.zeros((model.nbodies, 6), scalar)
    handle = system_of(model.workspace).handle
    bad = reactions_along(handle, q, qdot, qddot, packed, tensions, links, sites, pulls, *out)
    if bad >= 0:
        check_loads(loads)
        raise overflow(model, q[bad], qdot[bad], qddot[bad])
    return tuple(part.astype(float, copy=False) for part in out)


def _joint(model: Model, name: str) -> int:
    """The body that hangs by a joint."""
    body = model.joint_names.get(name, name)
    if body not in model.numbering:
        raise UnknownName(
            f"joint_reactions: no joint is called {name!r}, and no body that hangs by one; "
            f"{known_names([*model.joint_names, *model.numbering])}"
        )
    return model.body(body)


def _names(joints: Sequence[str]) -> Sequence[str]:
    """The names of joints, one name counted as a list of one."""
    return [joints] if isinstance(joints, str) else joints


def _first_link(model: Model, body: int) -> int:
    """The first link of the joint by which a body hangs: the one that hangs on its parent's link."""
    above = 0 if model.parents[body] < 0 else int(model.bodies["link"][model.parents[body]])
    link = int(model.bodies["link"][body])
    while int(model.links["parent"][link]) != above:
        link = int(model.links["parent"][link])
    return link


def _tensions(model: Model, motion: Kinematics, forces: Table | Mapping[str, np.ndarray] | None) -> np.ndarray:
    """Tensions of all muscles in each row [N], by straight lines between the rows of a table. (rows, muscles or 0)"""
    names, rows = list(model.muscles.names), len(motion)
    given = {} if forces is None else forces
    if isinstance(forces, Table):
        found = muscle_columns(names, forces.names, ENDINGS["force"], called(forces))
        if not found:
            raise UnknownName(f"the table of forces has no muscle of model {model.name!r}; {known_names(names)}")
        used = forces.with_values(forces.t, forces.values[:, list(found.values())], list(found))
        values = rows_along(used, motion.t, "forces") if rows else np.zeros((0, len(found)))
        given = dict(zip(found, values.T, strict=True))
    if not given and not model.muscles.massive:
        return np.zeros((rows, 0), model.dtype)
    tensions = np.zeros((rows, len(names)), model.dtype)
    for name, column in given.items():
        if name not in names:
            raise UnknownName(f"model {model.name!r} has no muscle {name!r}; {known_names(names)}")
        tensions[:, names.index(name)] = check_numbers(column, f"the forces of muscle {name!r} [N]", (rows,))
    _check_pulls(model, motion.t, tensions)
    return tensions


def _check_pulls(model: Model, t: np.ndarray, tensions: np.ndarray) -> None:
    """An error where a muscle would push; what follows a law of its own, such as an actuator along a path, may."""
    pushes = (tensions < -ROUNDING * np.abs(tensions).max(initial=0.0)) & (model.muscles.table["law"] < 0)
    if pushes.any():
        row, k = np.argwhere(pushes)[0]
        raise ValueError(
            f"forces: muscle {model.muscles.names[k]!r} would push, with a tension of {tensions[row, k]:.4g} N at "
            f"{t[row]:g} s; muscles pull, with tensions of 0 N and more"
        )
