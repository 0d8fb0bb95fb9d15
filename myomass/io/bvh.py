"""BVH, the text format of motion capture (Biovision 1995): a tree of joints, and rows of numbers that move it.

    E_joint = E_parent T(p) R(c1) R(c2) R(c3)       c in the order of the joint's rotation channels [degree]

p is the joint's OFFSET, in which position channels replace the components that they name. Lengths are in the file's
own unit, angles in degrees; `io.mocap` makes SI out of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..spatial.checks import check_numbers, check_positive
from .bvh_reading import CHANNELS, read_text, read_tree

CHANNEL_NAMES = tuple(CHANNELS.values())


@dataclass(eq=False, repr=False)
class Bvh:
    """A captured motion as its file has it. Joints are listed depth first, as the file nests them."""

    names: tuple[str, ...]
    parents: np.ndarray  # of each joint, -1 for the root, which is the first, (joints,)
    offsets: np.ndarray  # from the parent's joint, in the file's unit, (joints, 3)
    channels: tuple[tuple[str, ...], ...]  # of each joint, "Xposition" to "Zrotation", in the order of the columns
    ends: tuple[np.ndarray, ...]  # End Sites of each joint, from the joint, (any, 3) each
    frame_time: float  # [s]
    values: np.ndarray  # [file's unit or degree], (frames, channels of all joints)

    def __post_init__(self) -> None:
        self.names = tuple(self.names)
        count = len(self.names)
        if not count:
            raise ValueError("Bvh: there is no joint")
        self.parents = check_numbers(self.parents, "Bvh: the parents", (count,)).astype(np.int64)
        self.offsets = check_numbers(self.offsets, "Bvh: the offsets", (count, 3))
        _check_tree(self.names, self.parents)
        self.channels = _check_channels(self.names, self.channels)
        if len(self.ends) != count:
            raise ValueError(f"Bvh: ends need one entry for each of {count} joints, and there are {len(self.ends)}")
        sites = zip(self.names, self.ends, strict=True)
        self.ends = tuple(_sites(ends, f"Bvh: the end sites of {name!r}") for name, ends in sites)
        self.frame_time = check_positive(self.frame_time, "Bvh: the frame time [s]")
        width = sum(map(len, self.channels))
        self.values = check_numbers(self.values, f"Bvh: the values (frames, {width} channels)", (None, width))

    def __repr__(self) -> str:
        rate = 1.0 / self.frame_time
        return f"Bvh({self.names[0]!r}: {len(self.names)} joints, {len(self.values)} frames at {rate:.4g} Hz)"

    def __eq__(self, other: object) -> bool:
        """True if joints and numbers are equal."""
        if not isinstance(other, Bvh):
            return NotImplemented
        plain = all(getattr(self, key) == getattr(other, key) for key in ("names", "channels", "frame_time"))
        arrays = all(np.array_equal(getattr(self, key), getattr(other, key)) for key in ("parents", "offsets"))
        ends = len(self.ends) == len(other.ends) and all(map(np.array_equal, self.ends, other.ends))
        return plain and arrays and ends and np.array_equal(self.values, other.values)

    __hash__ = None

    @property
    def columns(self) -> list[slice]:
        """Columns of `values` that belong to each joint."""
        starts = np.cumsum([0, *map(len, self.channels)])
        return [slice(int(a), int(b)) for a, b in pairwise(starts)]

    @classmethod
    def load(cls, path: str | Path) -> "Bvh":
        """Read a file. Raises a ValueError that names the file and the line of any defect."""
        return cls(**read_tree(Path(path), read_text(Path(path))))

    def save(self, path: str | Path) -> Path:
        """Write a file from which `load` reads exactly the same numbers."""
        path = Path(path)
        if path.suffix.lower() != ".bvh":
            raise ValueError(f"a captured motion is saved as .bvh, and the file is {path.name!r}")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent} to save {path.name} in")
        checked = Bvh(**{f.name: getattr(self, f.name) for f in fields(self)})  # it may have been edited
        rows = (" ".join(map(repr, row)) for row in checked.values.tolist())
        motion = ["MOTION", f"Frames: {len(checked.values)}", f"Frame Time: {checked.frame_time!r}", *rows]
        path.write_text("\n".join(["HIERARCHY", *checked._joint_lines(), *motion, ""]), encoding="utf-8")
        return path

    def _joint_lines(self) -> list[str]:
        """The hierarchy, one statement a line, indented by tabs."""
        lines, open_joints = [], []
        for j, name in enumerate(self.names):
            while open_joints and open_joints[-1] != self.parents[j]:
                open_joints.pop()
                lines.append("\t" * len(open_joints) + "}")
            tabs = "\t" * len(open_joints)
            lines += [f"{tabs}{'JOINT' if j else 'ROOT'} {name}", f"{tabs}{{", f"{tabs}\t{_offset(self.offsets[j])}"]
            lines.append(" ".join([f"{tabs}\tCHANNELS", str(len(self.channels[j])), *self.channels[j]]))
            for end in self.ends[j]:
                lines += [f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\t{_offset(end)}", f"{tabs}\t}}"]
            open_joints.append(j)
        return lines + ["\t" * depth + "}" for depth in reversed(range(len(open_joints)))]


def _offset(x: np.ndarray) -> str:
    return " ".join(["OFFSET", *map(repr, x.tolist())])


def _sites(ends: Sequence, what: str) -> np.ndarray:
    """Places of end sites. (any, 3)"""
    return check_numbers(ends, what, (None, 3)) if len(ends) else np.zeros((0, 3))


def _check_tree(names: Sequence[str], parents: np.ndarray) -> None:
    """Raise a ValueError unless names are different and can be written, and joints are listed depth first."""
    for name in names:
        if not isinstance(name, str) or not name or name != " ".join(name.split()) or set("{}") & set(name):
            raise ValueError(f"Bvh: a joint's name is text without braces and needless blanks, not {name!r}")
    if len(set(names)) < len(names):
        twice = next(name for j, name in enumerate(names) if name in names[:j])
        raise ValueError(f"Bvh: two joints are called {twice!r}; every name must be different")
    chain: list[int] = [-1]
    for j, parent in enumerate(parents):
        if (parent == -1) != (j == 0) or parent not in chain:
            raise ValueError(
                f"Bvh: the parent of joint {j} ({names[j]!r}) is {parent}; the root comes first with -1, and joints "
                "are listed depth first, each below the one before it or below an ancestor of that one"
            )
        chain = [*chain[: chain.index(parent) + 1], j]


def _check_channels(names: Sequence[str], channels: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Tuples of known names, one for each joint."""
    if len(channels) != len(names):
        raise ValueError(f"Bvh: channels need one entry for each of {len(names)} joints, and there are {len(channels)}")
    for name, own in zip(names, channels, strict=True):
        wrong = [channel for channel in own if channel not in CHANNEL_NAMES]
        if wrong:
            raise ValueError(f"Bvh: {wrong[0]!r} of joint {name!r} is no channel; they are {', '.join(CHANNEL_NAMES)}")
        positions = [channel for channel in own if channel.endswith("position")]
        if len(set(positions)) < len(positions):
            raise ValueError(f"Bvh: joint {name!r} has a position channel twice: {', '.join(own)}")
    return tuple(map(tuple, channels))
