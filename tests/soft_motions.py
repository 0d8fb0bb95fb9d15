"""A soft star with five arms, its fine surface, and a motion in which its arms curl and its body turns."""

from functools import cache

import numpy as np

import myomass as mm

ARMS, RADIUS, THICK = 5, 0.25, 0.06  # [m]


def surface(rings: int = 58, around: int = 139) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a star that lies in the plane z = 0: (rings - 1) around + 2 vertices."""
    v = np.linspace(0, np.pi, rings + 1)[1:-1, None]
    u = 2 * np.pi * np.arange(around)[None] / around
    reach = RADIUS * (0.36 + 0.64 * np.abs(np.cos(0.5 * ARMS * u)) ** 2.6)
    flat = np.sin(v) ** 0.8
    z = THICK * np.cos(v) * (0.45 + 0.55 * np.exp(-((flat * reach / 0.09) ** 2)))
    ring = np.stack(np.broadcast_arrays(reach * flat * np.cos(u), reach * flat * np.sin(u), z), axis=-1)
    top, bottom = np.array([[0, 0, THICK]]), np.array([[0, 0, -THICK]])
    i, k = np.meshgrid(np.arange(rings - 2), np.arange(around), indexing="ij")
    a, b = 1 + i * around + k, 1 + i * around + (k + 1) % around
    c, d = a + around, b + around
    last, k = 1 + (rings - 2) * around, np.arange(around)
    caps = [np.stack([0 * k, 1 + k, 1 + (k + 1) % around], axis=-1)]
    caps.append(np.stack([0 * k + last + around, last + (k + 1) % around, last + k], axis=-1))
    faces = [np.stack([a, c, b], axis=-1).reshape(-1, 3), np.stack([b, c, d], axis=-1).reshape(-1, 3), *caps]
    return np.concatenate([top, ring.reshape(-1, 3), bottom]), np.concatenate(faces)


@cache
def star() -> mm.Model:
    """The model of `star_spec`."""
    return star_spec().compile()


def star_spec(spacing: float = 0.049) -> mm.Spec:
    """A rod inside of a soft star, whose nodes around it ride on it, and the ground that the star touches."""
    mesh = mm.deformables.TetMesh.fill(*surface(20, 60), spacing)
    soft = mm.deformables.SoftBody(mesh, mm.deformables.CoRotated(2e4, 0.4, 1000.0))
    spec = mm.Spec("star")
    rod = mm.Inertia.cuboid((0.2, 0.02, 0.02), mass=0.05)
    spec.add_body("rod", None, mm.Free3D(), None, None, rod, colour=(0.1, 0.25, 0.7))
    rides = (np.abs(mesh.nodes) < (0.1, 0.03, 0.03)).all(axis=1)
    touch = mm.deformables.Touch(1e6, plane=mm.translation(0, 0, -THICK))
    spec.add_soft_body("flesh", soft, {"rod": rides}, surface=surface(), touches=touch)
    return spec


def bent(x: np.ndarray, curl: float, lift: float) -> np.ndarray:
    """Places of a star whose arms are curled in its plane and lifted out of it, the more the farther out."""
    r = np.linalg.norm(x[:, :2], axis=1)
    turn = curl * np.maximum(r - 0.06, 0.0) / RADIUS
    c, s = np.cos(turn), np.sin(turn)
    up = lift * np.maximum(r - 0.06, 0.0) ** 2 / RADIUS
    return np.stack([c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1], x[:, 2] + up], axis=1)


def crawl(model: mm.Model, duration: float = 10.0, rate: float = 100.0) -> mm.Trajectory:
    """A made-up motion: the star turns, wanders, and bends its arms."""
    t = np.linspace(0.0, duration, round(duration * rate) + 1)
    q, body = np.zeros((len(t), model.ndof)), model.soft_bodies["flesh"]
    free = body.links < 0
    start = mm.forward_kinematics(model, np.zeros(model.ndof))[0, :3, 3]
    for row, now in enumerate(t):
        angle, shift = 0.5 * np.sin(0.4 * now), np.array([0.02 * now, 0.0, 0.0])
        q[row, :6] = *shift, 0.0, 0.0, angle
        R = mm.rotation((0, 0, 1), angle)[:3, :3]
        x = (bent(body.soft.rest, 0.9 * np.sin(1.7 * now), 0.7 * np.sin(2.3 * now) ** 2) - start) @ R.T + start + shift
        q[row, model.joint_dofs :] = (x - body.soft.rest)[free].ravel()
    charts = np.zeros((len(t), len(model.chart_slots)))
    return mm.Trajectory(model, t, q, np.gradient(q, t, axis=0), charts, "made up")
