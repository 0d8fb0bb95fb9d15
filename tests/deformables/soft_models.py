"""Models with soft bodies that tests share."""

import numpy as np
from trees import random_spec

import myomass as mm

deformables = mm.deformables


def box(size=(0.4, 0.1, 0.1), cells=(4, 2, 2), centre=(0.0, 0.0, 0.0)):
    """A box of tetrahedra."""
    mesh = deformables.TetMesh.box(size, cells)
    return deformables.TetMesh(mesh.nodes + centre, mesh.tets)


def flesh(mesh, kind="CoRotated", density=1000.0, **options):
    """A soft body of a material with E = 2e4 Pa."""
    return deformables.SoftBody(mesh, getattr(deformables, kind)(2e4, 0.4, density), **options)


def limb(kind="CoRotated", density=1000.0, joint=None, gravity=(0, 0, -9.81), touches=(), handles=(), **options):
    """Two bones, hung by a joint (None: floating), an elbow between them, in a box of flesh."""
    spec = mm.Spec("limb", gravity=gravity)
    bone = mm.Inertia.cuboid((0.2, 0.05, 0.05), mass=0.3)
    spec.add_body("upper", None, mm.Free3D() if joint is None else joint, inertia=bone)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.1, 0, 0), mm.translation(0.1, 0, 0), bone)
    mesh = box(centre=(0.1, 0.0, 0.0))
    x = mesh.nodes
    core = np.abs(x[:, 1:]).max(axis=1) < 0.03
    attached = {"upper": core & (x[:, 0] < 0.05), "lower": core & (x[:, 0] > 0.15)}
    spec.add_soft_body("flesh", flesh(mesh, kind, density, **options), attached, touches=touches, handles=handles)
    return spec


def fleshy_tree(seed, n=4):
    """A random tree with any joints, whose bodies all carry nodes of one mesh, another on the world alone."""
    spec, rng = random_spec(seed, n), np.random.default_rng(seed)
    bare = spec.compile()
    mesh = box((1.0, 0.6, 0.5), (3, 2, 2))
    nodes = rng.permutation(len(mesh.nodes))
    attached = {name: nodes[3 * i : 3 * i + 3] for i, name in enumerate(bare.names)}
    soft = flesh(mesh, "StableNeoHookean", stiffness_damping=0.01, mass_damping=0.3)
    spec.add_soft_body("flesh", soft, attached, q=0.3 * rng.normal(size=bare.ndof))
    other = box((0.3, 0.2, 0.2), (2, 1, 1), centre=(0, 0, 1))
    spec.add_soft_body("lump", flesh(other, lumped=True), {None: [0, 1, 2]}, handles=[11])
    return spec


def state_of(model, seed=0, far=0.01, fast=0.3):
    """(q, qdot, qddot) at random, nodes a little off their rest."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, model.ndof)
    q[model.joint_dofs :] = far * rng.normal(size=model.ndof - model.joint_dofs)
    return q, fast * rng.normal(size=model.ndof), rng.normal(size=model.ndof)
