"""Reactions: the wrench that each joint carries, from inverse dynamics with all forces and constraints counted."""

import numpy as np

from .._jit import kernel
from ..algorithms.inertias import subtract_wrenches
from ..algorithms.rnea import pass_wrench, rnea_outward
from ..deformables.acting import add_soft_forces
from ..forces.apply import add_forces
from ..model import Model
from ..muscles.wrenches import check_fixed_points
from ..reduction.unfold import FIRST, unfold
from ..spatial.algebra import load3, load33, mul_T, store3
from .forward import solve_forward
from .muscled import add_muscle_wrenches
from .system import check_time, open_system, real_inputs, system_of


@kernel(inline=False)
def push_bodies(t, q, qdot, qddot, tau, system, pulls):
    """The wrenches of inertia and gravity less those of forces on the links; of muscles on bodies, into pulls."""
    rnea_outward(system.tree, system.tree.gravity, q, qdot, qddot)
    add_forces(t, q, qdot, tau, system.tree, system.forces)
    if system.soft.count > 0:
        add_soft_forces(q, qdot, system.tree, system.soft, system.forces.total)
    if system.muscles.active:
        add_muscle_wrenches(t, q, qdot, qddot, system.tree, system.muscles, pulls)


@kernel(entry=True)
def reactions_at(handle, t, q, qdot, qddot, tau, lam, chosen, pulls, F):
    """F[i] = (moment, force) that the parent puts on each chosen link, about its origin and in its axes, for Python.

    Needs: the rows as they are at q, with multipliers lam.
    """
    system = open_system(handle, q)
    tree, forces, rows = system.tree, system.forces, system.constraints.rows
    work = tree.work
    if system.reduction.active != 0:
        reduction = system.reduction
        unfold(q, qdot, qddot, FIRST, reduction)
        push_bodies(t, reduction.q, reduction.qdot, reduction.qddot, reduction.zeros, system, pulls)
    else:
        push_bodies(t, q, qdot, qddot, tau, system, pulls)
    subtract_wrenches(tree.bodies, pulls, work)
    for r in range(lam.shape[0]):
        for e in range(2):
            if rows[r].dof[e] < 0 and rows[r].link[e] > 0:
                here = work[rows[r].link[e]]
                for k in range(3):
                    here.n[k] -= lam[r] * rows[r].n[e, k]
                    here.f[k] -= lam[r] * rows[r].f[e, k]
    pass_wrench(tree.links, work, tree.dofs, forces.total)
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
    z: np.ndarray | None = None,
) -> np.ndarray:
    """Wrenches [moment; force] that parents put on bodies through their joints [N m, N]. (nbodies, 6)

    Of a moving model under its forces, constraints and joint torques tau; about the moved frame of each body's joint
    (of its last link, whose z axis is that of a hinge or slider) and in its axes, or in those of the "world". The part
    along the joint's own motion is what acts there: tau and the joint's springs.
    z: states of muscles (None: in equilibrium at the least activation).
    """
    if axes not in ("joint", "world"):
        raise ValueError(f'joint_reactions: axes are those of the "joint" or of the "world", not {axes!r}')
    space, (q, qdot, torques) = real_inputs(model, "q qdot tau", q, qdot, tau, z=z)
    check_fixed_points(model)
    t, qddot = check_time(t), np.empty(model.ndof)
    lam = solve_forward(space, (t, q, qdot, torques, space.no_wrenches), space.none_prescribed, qddot)
    F = np.empty((model.nbodies, 6))
    links = model.bodies["link"].astype(np.int64)
    pulls = np.zeros((model.nbodies if model.muscles.active else 0, 6))
    reactions_at(system_of(space).handle, t, q, qdot, qddot, torques, lam, links, pulls, F)
    if axes == "world":
        R = space.tree.work["R"][links]
        F = np.concatenate([np.einsum("nij,nj->ni", R, part) for part in (F[:, :3], F[:, 3:])], axis=1)
    return F
