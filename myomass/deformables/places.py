"""Places of the nodes of a soft body in a model, for Python."""

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..model import Model
from ..model.border import check_finite, check_vector, no_model


def node_places(model: Model, q: np.ndarray, name: str) -> np.ndarray:
    """Places of all nodes of a soft body, in the order of its mesh [m]. (n, 3)"""
    if not isinstance(model, Model):
        raise no_model(model)
    q = check_vector(model, "q", q)
    check_finite(q=q)
    model.soft_body(name)
    return nodes_along(model, name, q[None], forward_kinematics(model, q)[None])[0]


def nodes_along(model: Model, name: str, q: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """Places of all nodes in rows of coordinates and poses of the bodies [m]. (rows, n, 3)"""
    part, own = model.soft_body(name), model.soft.nodes_of(name)
    dofs = model.soft.dofs[own]
    x = np.empty((len(q), len(dofs), 3), np.result_type(q, poses))
    free = dofs >= 0
    x[:, free] = part.soft.rest[free] + q[:, dofs[free][:, None] + np.arange(3)]
    for link in np.unique(part.links[~free]):
        nodes = part.links == link
        if link == 0:
            x[:, nodes] = part.places[nodes]
            continue
        b = int(np.flatnonzero(model.bodies["link"] == link)[0])
        R, p = model.bodies["R_lb"][b], model.bodies["p_lb"][b]
        places = (part.places[nodes] - p) @ R  # in the body's frame
        x[:, nodes] = places @ poses[:, b, :3, :3].transpose(0, 2, 1) + poses[:, None, b, :3, 3]
    return x
