"""Soft bodies in MuJoCo: the same mesh as a flex, each node with a body of its own, of the node's lumped mass.

MuJoCo's 3D flex is Saint Venant's and Kirchhoff's material on linear tetrahedra with masses at the nodes, so a lumped
`SoftBody` of `SaintVenantKirchhoff` without damping has the same equation of motion.
"""

from collections.abc import Mapping

import mujoco
import numpy as np
from peers import mujoco_peer

import myomass as mm

ROUND = 1e-6  # moments of inertia of a node's body, of its mass [m^2]: MuJoCo wants some


def add_flex(
    mjcf: mujoco.MjSpec, soft: mm.deformables.SoftBody, riders: Mapping[str | None, np.ndarray], places: Mapping = {}
) -> None:
    """Add a soft body whose `riders`, nodes by the body's name, are welded to bodies; `places`: poses of those."""
    if not isinstance(soft.material, mm.deformables.SaintVenantKirchhoff) or not soft.lumped:
        raise NotImplementedError("a flex is of Saint Venant's and Kirchhoff's material, with lumped mass")
    flex = mjcf.add_flex(name="flesh")
    flex.dim, flex.radius, flex.young, flex.poisson = 3, 1e-6, soft.material.youngs, soft.material.poisson
    flex.contype = flex.conaffinity = flex.selfcollide = 0
    rides = {int(node): name for name, nodes in riders.items() for node in np.arange(len(soft.rest))[nodes]}
    for node, (place, mass) in enumerate(zip(soft.rest, soft.node_masses, strict=True)):
        carrier = rides.get(node)
        parent = mjcf.worldbody if carrier is None else mjcf.body(carrier)
        own = np.linalg.inv(places.get(carrier, np.eye(4))) @ [*place, 1.0]
        body = parent.add_body(name=f"node {node}", pos=own[:3])
        body.explicitinertial, body.mass, body.inertia = True, mass, np.full(3, ROUND * mass)
        for axis in np.eye(3) if node not in rides else ():
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    flex.vertbody = [f"node {node}" for node in range(len(soft.rest))]
    flex.vert = np.zeros(3 * len(soft.rest))
    flex.elem = soft.mesh.tets.ravel().astype(np.int32)


def held_flex(soft: mm.deformables.SoftBody, held: np.ndarray, h: float, integrator: str, **options) -> mujoco.MjModel:
    """A soft body alone, its nodes `held` fixed in the world, by MuJoCo's own `flexcomp`: quicker to compile."""
    points, tets = (" ".join(map(repr, values.ravel().tolist())) for values in (soft.rest, soft.mesh.tets))
    pins = " ".join(map(str, np.arange(len(soft.rest))[held]))
    flexcomp = f"""
      <flexcomp name="flesh" type="direct" dim="3" radius="1e-6" mass="1" point="{points}" element="{tets}">
        <contact selfcollide="none" contype="0" conaffinity="0"/>
        <elasticity young="{soft.material.youngs!r}" poisson="{soft.material.poisson!r}"/>
        <pin id="{pins}"/>
      </flexcomp>"""
    mjcf = mujoco.MjSpec.from_string(f"<mujoco><worldbody>{flexcomp}</worldbody></mujoco>")
    set_options(mjcf, h, integrator, options)
    mjcf.option.gravity = soft.gravity
    model = mjcf.compile()
    moves = model.flex_vertbodyid > 0
    model.body_mass[model.flex_vertbodyid[moves]] = soft.node_masses[moves]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def set_options(mjcf: mujoco.MjSpec, h: float, integrator: str, options: Mapping) -> None:
    """Write the time step [s], the integrator's name, and further options."""
    mjcf.option.timestep, mjcf.memory = h, 1 << 33
    mjcf.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    for name, value in options.items():
        setattr(mjcf.option, name, value)


def flex_model(
    spec: mm.Spec, h: float, integrator: str = "discrete", ground: float | None = None, **options
) -> mujoco.MjModel:
    """The spec, its only soft body included, with a time step [s] and further options of MuJoCo's.

    ground: the height of a plane [m] that the nodes may touch, by MuJoCo's own contact.
    """
    (flesh,) = spec.soft_bodies.values()
    bare, poses = mm.Spec(spec.name, spec.gravity), {}
    for name, body in spec.bodies.items():
        bare.bodies[name] = body
        poses[name] = poses.get(body.parent, np.eye(4)) @ body.E_pj

    def amend(mjcf: mujoco.MjSpec) -> None:
        add_flex(mjcf, flesh.soft, flesh.attached, poses)
        mjcf.option.disableflags = mjcf.option.enableflags = 0
        set_options(mjcf, h, integrator, options)
        if ground is not None:
            mjcf.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(1, 1, 1), pos=(0, 0, ground))
            mjcf.flexes[0].contype = mjcf.flexes[0].conaffinity = 1

    return mujoco_peer(bare, amend).model
