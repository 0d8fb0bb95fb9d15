"""The soft bodies of a model as kernels take them."""

import numpy as np

from .._jit import Bundle
from .._jit import bundle as fields
from ..forces.base import point_dtype
from ..forces.pack import node_dtype
from ..joints.records import records
from ..model import Model
from .elements import Elements
from .materials.dispatch import demand_materials
from .packed import SoftBodies
from .pattern import NodePattern

ROOM = 4  # vectors over free nodes


class SoftArrays(Bundle):
    """Soft bodies with scratch: what kernels take as `soft`. Free nodes come first, then those that ride."""

    count = fields.whole_number()  # of nodes
    first = fields.whole_number()  # degrees of freedom of the joints, which come before those of nodes
    dofs = fields.plain(np.int64)  # first degree of freedom of each free node
    riders = fields.records(node_dtype)  # link and place there of each node that rides
    elements = Elements
    rest = fields.reals(2)  # places of free nodes (free, 3)
    mass = fields.reals()  # lumped at each node [kg]
    drag = fields.reals()  # damping in proportion to it [kg/s]
    starts = fields.plain(np.int64)  # of each node's row of blocks in the pattern
    columns = fields.plain(np.int64)  # node of each block; those of a row rise
    diagonal = fields.plain(np.int64)  # block of each node on the diagonal
    consistent = fields.whole_number()  # 1: free nodes share mass
    shares = fields.reals()  # mass of each block between free nodes [kg]
    touching = fields.plain(np.int64, 2)  # tetrahedron of each vertex that may touch; where its plane begins
    weights = fields.reals(2)  # of the four nodes of that tetrahedron
    areas = fields.reals()  # of these vertices
    planes = fields.reals()  # numbers of planes
    x = fields.numbers(2)  # places of nodes
    v = fields.numbers(2)
    f = fields.numbers(2)  # forces on nodes
    points = fields.scratch(point_dtype)  # one, for a vertex that touches
    room = fields.numbers(2)


def soft_arrays(model: Model, scalar: type) -> SoftArrays:
    """The soft bodies of a model as kernels take them, with scratch of their own."""
    soft = model.soft
    if soft is None:
        return SoftArrays.empty(scalar)
    parts, number, count, free = soft.parts, soft.in_order, len(soft.links), soft.free
    links, places = number(soft.links)[free:], number(np.concatenate([part.places for part in parts]))[free:]
    riders = records(len(links), node_dtype(np.float64))
    riders["link"], riders["p"] = links, places
    mass = number(np.concatenate([part.soft.node_masses for part in parts]))
    damping = np.repeat([part.soft.mass_damping for part in parts], np.diff(soft.starts))
    pattern = soft.pattern
    touching, weights, areas, planes = _touching(soft)
    return SoftArrays(
        scalar,
        count=count,
        first=soft.first,
        dofs=np.ascontiguousarray(number(soft.dofs)[:free]),
        riders=riders,
        elements=_elements(soft, pattern, scalar),
        rest=np.ascontiguousarray(number(np.concatenate([part.soft.rest for part in parts]))[:free]),
        mass=mass,
        drag=mass * number(damping),
        starts=pattern.starts,
        columns=pattern.columns,
        diagonal=pattern.diagonal,
        consistent=int(not all(part.soft.lumped for part in parts)),
        shares=_shares(soft, pattern, mass),
        touching=touching,
        weights=weights,
        areas=areas,
        planes=planes,
        **{key: np.zeros((count, 3), scalar) for key in "xvf"},
        points=records(1, point_dtype(scalar)),
        room=np.zeros((ROOM, 3 * free), scalar),
    )


def _elements(soft: SoftBodies, pattern: NodePattern, scalar: type) -> Elements:
    own, rows, starts, at = [part.soft for part in soft.parts], [], [], 0
    for body in own:
        numbers = [[*material.lame, *material.own()] for material in body.materials]
        starts.append(at + np.cumsum([0, *map(len, numbers)])[:-1][body.regions])
        rows += [number for row in numbers for number in row]
        at = len(rows)
        demand_materials({material.kind for material in body.materials})
    kinds = [np.array([material.kind for material in body.materials])[body.regions] for body in own]
    return Elements(
        scalar,
        tets=soft.tets,
        gradients=np.concatenate([body.mesh.gradients for body in own]),
        volumes=np.concatenate([body.mesh.volumes for body in own]),
        kinds=np.concatenate(kinds).astype(np.int64),
        starts=np.concatenate(starts).astype(np.int64),
        params=np.array(rows, float),
        viscosity=np.concatenate([np.full(len(body.mesh.tets), body.stiffness_damping) for body in own]),
        slots=pattern.slots,
        widths=np.full(len(soft.links), 3, np.int64),
    )


def _shares(soft: SoftBodies, pattern: NodePattern, mass: np.ndarray) -> np.ndarray:
    """Mass of each block between free nodes. What a free node shares with one that rides is lumped at both."""
    shares, free = np.zeros(len(pattern.columns)), soft.free
    masses = np.concatenate([part.soft.tet_masses for part in soft.parts])
    lumped = np.concatenate([np.full(len(part.mesh.tets), part.soft.lumped) for part in soft.parts])
    each = np.where(lumped[:, None, None], np.eye(4) / 4.0, (np.ones((4, 4)) + np.eye(4)) / 20.0)
    np.add.at(shares, pattern.slots // 9, masses[:, None, None] * each)
    row = np.repeat(np.arange(len(mass)), np.diff(pattern.starts))
    beyond = pattern.columns >= free
    shares[pattern.diagonal] += np.bincount(row[beyond], shares[beyond], len(mass))
    shares[beyond | (row >= free)] = 0.0
    return shares


def _touching(soft: SoftBodies) -> tuple[np.ndarray, ...]:
    """(tetrahedron and plane, weights, area) of every vertex that may touch a plane, and the planes' numbers."""
    found, planes, first = [], [], 0
    for part in soft.parts:
        for touch in part.touches:
            used = part.areas > 0.0
            tets = first + part.embedding.tets[used]
            at = np.full(len(tets), len(planes))
            found.append((np.stack([tets, at], axis=1), part.embedding.weights[used], part.areas[used]))
            planes += touch.numbers
        first += len(part.mesh.tets)
    if not found:
        return np.zeros((0, 2), np.int64), np.zeros((0, 4)), np.zeros(0), np.zeros(0)
    touching, weights, areas = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return touching.astype(np.int64), weights, areas, np.array(planes)
