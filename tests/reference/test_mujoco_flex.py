"""Soft bodies against MuJoCo's flex: forces, and a motion of both programs' own."""

import mujoco
import numpy as np
import pytest
from flexes import flex_model

import myomass as mm


def beam(youngs=5e5, cells=(6, 2, 2), **damping):
    """A cantilever, its nodes at one end held in the world."""
    mesh = mm.deformables.TetMesh.box((0.4, 0.06, 0.06), cells)
    material = mm.deformables.SaintVenantKirchhoff(youngs, 0.3, 1000.0)
    spec = mm.Spec("beam", (0.0, 0.0, -9.81))
    soft = mm.deformables.SoftBody(mesh, material, lumped=True, **damping)
    spec.add_soft_body("beam", soft, {None: mesh.nodes[:, 0] < -0.199})
    return spec


def test_elastic_forces():
    """At places of nodes far from rest, to rounding."""
    spec = beam()
    model, theirs = spec.compile(), flex_model(spec, 1e-3)
    data, soft = mujoco.MjData(theirs), spec.soft_bodies["beam"].soft
    q = np.random.default_rng(0).normal(scale=0.01, size=model.ndof)
    assert theirs.nv == model.ndof
    data.qpos[:] = q
    mujoco.mj_forward(theirs, data)
    x = mm.node_places(model, q, "beam")
    np.testing.assert_allclose(data.flexvert_xpos, x, rtol=0, atol=1e-15)
    free = soft.rest[:, 0] > -0.199
    expected = (soft.forces(x) - soft.weight)[free].ravel()
    np.testing.assert_allclose(data.qfrc_spring, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(theirs.body_mass[1:], soft.node_masses, rtol=1e-13)


def test_a_falling_beam():
    """By RK4 with the same step, node by node: it bends by a sixth of its length."""
    spec, steps, h = beam(), 500, 2.5e-4
    model, theirs = spec.compile(), flex_model(spec, h, "RK4")
    data = mujoco.MjData(theirs)
    for _ in range(steps):
        mujoco.mj_step(theirs, data)
    run = mm.simulate(model, q=np.zeros(model.ndof), integrator="rk4", h=h, duration=steps * h)
    assert np.abs(run.q[-1]).max() > 0.06
    assert run.q[-1] == pytest.approx(data.qpos, abs=1e-12)
