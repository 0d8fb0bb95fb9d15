"""What bodies look like whose meshes are not there: rods from joint to joint, which leave muscles to be seen."""

from collections.abc import Collection

import numpy as np

from ...algorithms.kinematics import forward_kinematics
from ...model.shape import Shape
from ...spatial.se3 import inverse
from .reader import Reader

THICK = 0.04  # radius of a rod, of its length
RADII = (0.004, 0.02)  # least and largest [m]
SHORTEST = 1e-3  # a rod that can be seen [m]
BALL = 0.01  # radius of a body without a rod [m]


def draw_sticks(reader: Reader, names: Collection[str]) -> None:
    """Give bodies rods from their joint to those of the bodies that hang by them, at the default pose.

    A body that nothing hangs by has one through its mass centre and as far again; one whose rods have no length is a
    small ball. A body that is part of no limb keeps the solid of its inertia.
    """
    model, bodies = reader.bodies(), reader.spec.bodies
    poses = forward_kinematics(model, model.q())
    frames = {name: poses[model.body(name)] @ reader.own[name] for name in bodies}  # as the file has them, in the world
    joints = {name: (frames[name] @ inverse(body.E_jb))[:3, 3] for name, body in bodies.items()}
    for name in names:
        hanging = [joints[child.name] for child in bodies.values() if child.parent == name]
        if not hanging and bodies[name].parent is None:
            continue
        ends = hanging or [2.0 * poses[model.body(name)][:3, 3] - joints[name]]
        back = inverse(frames[name])
        rods = [_rod(*(back[:3, :3] @ x + back[:3, 3] for x in (joints[name], end))) for end in ends]
        bodies[name].shapes = [rod for rod in rods if rod is not None] or [Shape.sphere(BALL)]


def _rod(start: np.ndarray, end: np.ndarray) -> Shape | None:
    length = float(np.linalg.norm(end - start))
    return Shape.rod(start, end, float(np.clip(THICK * length, *RADII))) if length > SHORTEST else None
