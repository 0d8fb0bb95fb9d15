"""Derivatives of inverse dynamics against Pinocchio's, and spring forces against MuJoCo's."""

import numpy as np
import peers
import pytest
from trees import random_spec, random_state

import myomass as mm

pin = pytest.importorskip("pinocchio")
mujoco = pytest.importorskip("mujoco")
TURNS_AND_SLIDES = [  # joints that Pinocchio sees in the same coordinates, so that partials compare entry by entry
    "revolute",
    "prismatic",
    "planar",
    "translational",
    "universal",
    "spherical-euler",
    "free-2d",
    "inverse-revolute",
    "inverse-universal",
    "inverse-free-2d",
]


@pytest.mark.parametrize("seed", range(30))
def test_partials_of_inverse_dynamics(seed):
    spec = random_spec(seed, 2 + seed % 10, TURNS_AND_SLIDES)
    model, peer = spec.compile(), peers.pinocchio_peer(spec)
    q, qdot, qddot = random_state(model, seed)
    T, Tdot = peer.rate_map(q, qdot)
    assert not Tdot.any()
    data = peer.model.createData()
    pin.computeRNEADerivatives(peer.model, data, *peer.motion(q, qdot, qddot))
    got = mm.linearise(model, model.state(q, qdot), qddot)
    for matrix, theirs in ((got.K, data.dtau_dq), (got.D, data.dtau_dv)):
        expected = T.T @ theirs @ T
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-10 * max(1.0, np.abs(expected).max()))


MJCF = """
<mujoco>
  <compiler angle="radian" inertiafromgeom="false"/>
  <option gravity="0 0 0"/>
  <worldbody>
    <site name="s0" pos="0.3 0.4 0.5"/>
    <body name="a">
      <joint axis="0 1 0" stiffness="3" damping="0.7" springref="0.2"/>
      <inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.2 0.25"/>
      <site name="s1" pos="0.6 0.1 0.2"/>
      <body name="b" pos="1 0 0">
        <joint axis="0 0 1" stiffness="5" damping="0.2" springref="-0.4"/>
        <inertial pos="0.5 0 0" mass="2" diaginertia="0.1 0.3 0.35"/>
        <site name="s2" pos="0.2 0.3 -0.1"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial stiffness="40" damping="6" springlength="0.9">
      <site site="s0"/><site site="s1"/><site site="s2"/>
    </spatial>
  </tendon>
</mujoco>
"""


@pytest.mark.parametrize("seed", range(10))
def test_springs_of_joints_and_a_tendon_through_three_points(seed):
    """MuJoCo's tendon is k (l - L) + d ldot and pushes too: a spring-damper of stiffness k L and damping d L."""
    spec = mm.Spec(gravity=(0, 0, 0))
    centre = mm.translation(0.5, 0, 0)
    spec.add_body("a", None, mm.Revolute((0, 1, 0)), None, centre, mm.Inertia(mass=1, moments=(0.1, 0.2, 0.25)))
    spec.add_body("b", "a", mm.Revolute((0, 0, 1)), mm.translation(1, 0, 0), centre,
                  mm.Inertia(mass=2, moments=(0.1, 0.3, 0.35)))  # fmt: skip
    spec.add_force(mm.JointSpring("a", stiffness=3, damping=0.7, rest=0.2))
    spec.add_force(mm.JointSpring("b", stiffness=5, damping=0.2, rest=-0.4))
    points = [(None, (0.3, 0.4, 0.5)), ("a", (0.1, 0.1, 0.2)), ("b", (-0.3, 0.3, -0.1))]
    spec.add_force(mm.SpringDamper(points, stiffness=40 * 0.9, damping=6 * 0.9, rest_length=0.9))
    model, theirs = spec.compile(), mujoco.MjModel.from_xml_string(MJCF)
    data, rng = mujoco.MjData(theirs), np.random.default_rng(seed)
    data.qpos[:], data.qvel[:] = rng.normal(size=(2, 2))
    mujoco.mj_forward(theirs, data)
    q, qdot = data.qpos.copy(), data.qvel.copy()
    np.testing.assert_allclose(mm.applied_forces(model, q, qdot), data.qfrc_passive, rtol=0, atol=1e-11)
    np.testing.assert_allclose(mm.forward_dynamics(model, q, qdot), data.qacc, rtol=1e-9)
    mujoco.mj_energyPos(theirs, data)
    assert mm.energy(model, q, qdot).potential == pytest.approx(data.energy[0], rel=1e-11)
