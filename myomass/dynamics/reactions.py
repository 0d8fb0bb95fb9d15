"""Reactions: the wrench that each joint carries, from inverse dynamics with all forces and constraints counted."""

import numpy as np

from .._jit import kernel
from ..algorithms.inertias import subtract_wrenches
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..forces.apply import add_forces
from ..model import Model
from ..muscles.wrenches import add_wrenches, check_fixed_points
from ..spatial.algebra import load3, load33, mul_T, store3
from .given import bound_of, check_time, forces_of, real_inputs
from .muscled import MUSCLES
from .named import forward_dynamics
from .rows import solve_accelerations


@kernel
def add_muscle_wrenches(muscles, t, q, qdot, qddot, system, wrenches):
    """Add what muscles do to the bodies."""
    if muscles is None:
        return
    add_wrenches(t, q, qdot, qddot, system, muscles, wrenches)


@kernel(entry=True)
def reactions_at(t, q, qdot, qddot, tau, lam, system, forces, rows, chosen, pulls, F):
    """F[i] = (moment, force) that the parent puts on each chosen link, about its origin and in its axes.

    The rows must stand as they are at q, with multipliers lam.
    """
    links, bodies, _, gravity, work, dofs = system
    rnea_outward(system, gravity, q, qdot, qddot)
    add_forces(t, q, qdot, tau, system, forces)
    add_muscle_wrenches(forces[MUSCLES], t, q, qdot, qddot, system, pulls)
    subtract_wrenches(bodies, pulls, work)
    for r in range(lam.shape[0]):
        for e in range(2):
            if rows[r].dof[e] < 0 and rows[r].link[e] > 0:
                here = work[rows[r].link[e]]
                for k in range(3):
                    here.n[k] -= lam[r] * rows[r].n[e, k]
                    here.f[k] -= lam[r] * rows[r].f[e, k]
    pass_wrench(links, work, dofs, forces[5])
    for i in range(chosen.shape[0]):
        here = work[chosen[i]]
        R = load33(here.R)
        store3(F[i, :3], mul_T(R, load3(here.n)))
        store3(F[i, 3:], mul_T(R, load3(here.f)))


def joint_reactions(
    model: Model,
    q: np.ndarray,
    qdot: np.ndarray,
    tau: np.ndarray | None = None,
    *,
    t: float = 0.0,
    axes: str = "joint",
) -> np.ndarray:
    """Wrenches [moment; force] that parents put on bodies through their joints [N m, N]. (nbodies, 6)

    Of a moving model under its forces, constraints and joint torques tau; about the moved frame of each body's joint
    (of its last link, whose z axis is that of a hinge or slider) and in its axes, or in those of the "world". The part
    along the joint's own motion is what acts there: tau and the joint's springs.
    """
    if axes not in ("joint", "world"):
        raise ValueError(f'joint_reactions: axes are those of the "joint" or of the "world", not {axes!r}')
    space, (q, qdot, torques) = real_inputs(model, "q qdot tau", q, qdot, tau)
    check_fixed_points(model)
    if len(model.constraints):
        qddot, lam = solve_accelerations(model, (q, qdot, torques), t)
    else:
        qddot, lam = forward_dynamics(model, q, qdot, torques, t=t), np.zeros(0)
    F = np.empty((model.nbodies, 6))
    forces, rows = forces_of(model, space), bound_of(model)[0][5]
    links = model.bodies["link"].astype(np.int64)
    pulls = np.zeros((model.nbodies if model.muscles.active else 0, 6))
    reactions_at(check_time(t), q, qdot, qddot, torques, lam, space.system, forces, rows, links, pulls, F)
    if axes == "world":
        R = space.system[4]["R"][links]
        F = np.concatenate([np.einsum("nij,nj->ni", R, part) for part in (F[:, :3], F[:, 3:])], axis=1)
    return F
