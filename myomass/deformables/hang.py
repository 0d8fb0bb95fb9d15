"""Soft bodies of a spec -> nodes that ride on bodies of a model or are free, and the bodies that this takes.

The mass of nodes that ride on a body is welded to it, as one body more ("flesh on thigh"): the tree's own dynamics then
has it, with the forces of its motion. A handle is a node that becomes a body with three translations, its mass and its
place at rest ("flesh.17").
"""

from dataclasses import replace

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..joints import Fixed, Translational
from ..model import Spec
from ..model.border import check_array, check_finite
from ..model.elements import Flesh
from ..model.model import Model
from ..model.spec import BodySpec, UnknownName, known_names
from ..spatial import Inertia, se3, translation
from ..spatial.checks import check_numbers
from .packed import PackedSoftBody, SoftBodies
from .soft_body import SoftBody
from .tet_checks import whole_numbers
from .touch import Touch

FREE = ""  # name of the body of a node that rides on none


def riding_on(name: str, flesh: Flesh, bodies: dict[str, BodySpec]) -> np.ndarray:
    """Name of the body that each node rides on, FREE if none, checked. (n,) of objects"""
    if not isinstance(flesh.soft, SoftBody):
        raise TypeError(f"soft body {name!r}: a SoftBody is wanted, and is {flesh.soft!r}")
    count = len(flesh.soft.rest)
    owners = np.full(count, FREE, object)
    for body, given in flesh.attached.items():
        if body is not None and body not in bodies:
            raise UnknownName(f"soft body {name!r} is attached to an unknown body {body!r}; {known_names(bodies)}")
        nodes = _nodes(given, count, f"soft body {name!r}: nodes attached to {body!r}")
        taken = [i for i in nodes if owners[i] != FREE]
        if taken:
            raise ValueError(f"soft body {name!r}: node {taken[0]} is attached to {owners[taken[0]]!r} and to {body!r}")
        owners[nodes] = body
    for i in _nodes(flesh.handles, count, f"soft body {name!r}: handles"):
        if owners[i] != FREE:
            raise ValueError(f"soft body {name!r}: node {i} is a handle and attached to {owners[i]!r}; it can be one")
        owners[i] = f"{name}.{i}"
    return owners


def _nodes(given: object, count: int, what: str) -> np.ndarray:
    """Numbers of nodes, from numbers or marks."""
    array = np.asarray(given)
    if array.dtype == bool and array.shape == (count,):
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ValueError(f"{what} must be numbers of nodes, or marks of shape ({count},), and are {given!r}")
    wrong = (array < 0) | (array >= count)
    if wrong.any():
        raise ValueError(f"{what} name node {array[np.argmax(wrong)]}; there are 0 to {count - 1}")
    return np.unique(array.astype(int))


def with_carriers(spec: Spec, skeleton: Model) -> Spec:
    """The spec without its soft bodies, with the bodies that carry their nodes. `skeleton`: its bodies, compiled."""
    bodies = dict(spec.bodies)
    for name, flesh in spec.soft_bodies.items():
        owners, masses = riding_on(name, flesh, spec.bodies), flesh.soft.node_masses
        poses = _poses(name, flesh, skeleton)
        for body in dict.fromkeys(owners):
            if body is None or body == FREE:
                continue
            nodes = np.flatnonzero(owners == body)
            if body in spec.bodies:
                E = se3.inverse(poses[skeleton.body(body)])
                places = flesh.soft.rest[nodes] @ E[:3, :3].T + E[:3, 3]
                lumps, frame = _lumps(masses[nodes], places), _in_joint_frame(spec.bodies[body])
                carrier = f"{name} on {body}", body, Fixed(), frame, lumps
            else:
                place = translation(*flesh.soft.rest[nodes[0]])
                carrier = body, None, Translational(), place, Inertia(masses[nodes[0]], (0.0, 0.0, 0.0))
            if carrier[0] in bodies:
                raise ValueError(
                    f"soft body {name!r} makes a body {carrier[0]!r}, and there is one already; rename one of them"
                )
            bodies[carrier[0]] = BodySpec(*carrier[:4], np.eye(4), carrier[4], shapes=())
    return replace(spec, bodies=bodies, soft_bodies={})


def _poses(name: str, flesh: Flesh, skeleton: Model) -> np.ndarray:
    """Poses of all bodies where the mesh is at rest. (nbodies, 4, 4)"""
    q = np.zeros(skeleton.ndof)
    if flesh.q is not None:
        why = f"the bodies have {skeleton.ndof} degrees of freedom"
        q = check_array(f"soft body {name!r}: q", flesh.q, (skeleton.ndof,), why)
        check_finite(**{f"soft body {name!r}: q": q})
    return forward_kinematics(skeleton, q)


def _in_joint_frame(body: BodySpec) -> np.ndarray:
    """The body's own frame, of its centre of mass, in its joint's frame."""
    return body.E_jb if body.inertia is None else body.E_jb @ body.inertia.frame


def _lumps(masses: np.ndarray, places: np.ndarray) -> Inertia:
    """Point masses welded together, in the frame of their places."""
    centre = masses @ places / masses.sum()
    r = places - centre
    second = np.einsum("a,ai,aj->ij", masses, r, r)
    tensor = np.trace(second) * np.eye(3) - second
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = axes, centre
    return Inertia(float(masses.sum()), tuple(np.maximum(moments, 0.0).tolist()), frame, strict=False)


def with_soft_bodies(model: Model, spec: Spec, skeleton: Model) -> Model:
    """The compiled model of `with_carriers` with the soft bodies of the spec."""
    parts = [_packed(name, flesh, spec, model, skeleton) for name, flesh in spec.soft_bodies.items()]
    return replace(model, soft=SoftBodies(tuple(parts), model.joint_dofs), source=spec)


def _packed(name: str, flesh: Flesh, spec: Spec, model: Model, skeleton: Model) -> PackedSoftBody:
    owners, soft = riding_on(name, flesh, spec.bodies), flesh.soft
    poses = _poses(name, flesh, skeleton)
    links, places = np.full(len(owners), -1, np.int64), np.zeros((len(owners), 3))
    for i, body in enumerate(owners):
        if body is None:
            links[i], places[i] = 0, soft.rest[i]
        elif body in spec.bodies:
            E = se3.inverse(poses[skeleton.body(body)])
            record = model.bodies[model.body(body)]
            links[i] = record["link"]
            places[i] = record["R_lb"] @ (E[:3, :3] @ soft.rest[i] + E[:3, 3]) + record["p_lb"]
        elif body != FREE:
            links[i] = model.bodies[model.body(body)]["link"]
    if flesh.surface is None:
        nodes, faces = np.unique(soft.mesh.surface, return_inverse=True)
        vertices, faces = soft.rest[nodes], faces.reshape(-1, 3)
    else:
        vertices, faces = _surface(name, flesh.surface)
    for touch in flesh.touches:
        if not isinstance(touch, Touch):
            raise TypeError(f"soft body {name!r}: touches are mm.deformables.Touch, and one is {touch!r}")
    return PackedSoftBody(name, soft, links, places, vertices, faces, tuple(flesh.touches), flesh.colour)


def _surface(name: str, given: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a surface, checked."""
    try:
        vertices, faces = given
    except (TypeError, ValueError):
        raise ValueError(f"soft body {name!r}: surface is (vertices (k, 3), triangles (f, 3)), not {given!r}") from None
    vertices = np.array(check_numbers(vertices, f"soft body {name!r}: vertices of the surface [m]", (None, 3)))
    faces = whole_numbers(faces, f"soft body {name!r}: triangles of the surface", 3)
    outside = ((faces < 0) | (faces >= len(vertices))).any(axis=1)
    if outside.any():
        raise ValueError(
            f"soft body {name!r}: triangle {np.argmax(outside)} of the surface has vertices "
            f"{faces[np.argmax(outside)].tolist()}; there are 0 to {len(vertices) - 1}"
        )
    return vertices, faces
