"""Energy, momenta and centre of mass of a whole mechanism."""

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..joints.links import move_link
from ..model import Model
from ..model.border import check_finite
from ..model.workspace import open_tree
from ..reduction.border import joint_inputs
from ..spatial.algebra import add, cross, dot, load3, scale, store3, sub
from ..spatial.brief import brief
from .inertias import rigid_times, world_inertia


@brief
class Energy(NamedTuple):
    """Kinetic and potential energy [J]; the potential of gravity is zero at the world's origin, of springs at rest."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """T + V, the whole energy [J]."""
        return self.kinetic + self.potential


@brief
class Momentum(NamedTuple):
    """Momenta in world axes, the angular one about the centre of mass, and that centre with its velocity."""

    linear: np.ndarray  # [kg m/s], (3,)
    angular: np.ndarray  # [kg m^2/s], (3,)
    centre: np.ndarray  # [m], (3,)
    velocity: np.ndarray  # [m/s], (3,)


@kernel
def sum_energy(tree, q, qdot):
    """(T, V) of the bodies [J]: 1/2 sum V^T M V and -sum m g.x.

    Leaves: poses and twists of the links.
    """
    links, params, gravity, work, dofs = tree.links, tree.params, tree.gravity, tree.work, tree.dofs
    T = V = work[0].w[0]
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        m, c, A = world_inertia(links[i], work[i])
        w, v = load3(work[i].w), load3(work[i].v)
        h, p = rigid_times(m, c, A, w, v)
        T += 0.5 * (dot(w, h) + dot(v, p))
        V -= dot(load3(gravity), add(c, scale(m, load3(work[i].x))))
    return T, V


@kernel(entry=True)
def momentum_of(handle, q, qdot, out):
    """Fill out, (4, 3): momentum, angular momentum about the centre of mass, that centre and its velocity.

    The second sweep is about the centre and relative to its velocity, so that a far or fast mechanism loses no digits.
    """
    tree = open_tree(handle, q)
    links, params, work, dofs = tree.links, tree.params, tree.work, tree.dofs
    out[:, :] = 0.0
    mass = 0.0
    for i in range(1, links.shape[0]):
        move_link(i, links, params, q, qdot, work, dofs)
        m, c, A = world_inertia(links[i], work[i])
        _, p = rigid_times(m, c, A, load3(work[i].w), load3(work[i].v))
        mass += m
        store3(out[0], add(load3(out[0]), p))
        store3(out[2], add(load3(out[2]), add(c, scale(m, load3(work[i].x)))))
    if mass == 0.0:
        return
    store3(out[2], scale(1.0 / mass, load3(out[2])))
    store3(out[3], scale(1.0 / mass, load3(out[0])))
    for i in range(1, links.shape[0]):
        m, c, A = world_inertia(links[i], work[i])
        h, p = rigid_times(m, c, A, load3(work[i].w), sub(load3(work[i].v), load3(out[3])))
        x = sub(load3(work[i].x), load3(out[2]))
        store3(out[1], add(load3(out[1]), add(h, cross(x, p))))


def momentum(model: Model, q: np.ndarray, qdot: np.ndarray) -> Momentum:
    """Linear momentum, angular momentum about the centre of mass, that centre and its velocity."""
    space, (q, qdot) = joint_inputs(model, "q qdot", q, qdot)
    check_finite(q=q, qdot=qdot)
    out = np.empty((4, 3), q.dtype)
    momentum_of(space.tree.handle, q, qdot, out)
    return Momentum(*out)
