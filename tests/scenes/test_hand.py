"""The hand: forces found against momentum, couplings reduced and by rows, and what it is made of."""

import numpy as np
import pytest

import myomass as mm
from myomass.scenes import hand

T, STEP = 0.6, 1e-3  # [s]
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


@pytest.fixture(scope="module")
def run():
    return mm.simulate(mm.scenes.load("hand"), times=[0.0, T - STEP, T, T + STEP, 1.0], **TIGHT)


def moment_of_momentum(model, q, qdot):
    """About the elbow, the world's origin [kg m^2/s]. (3,)"""
    found = mm.momentum(model, q, qdot)
    return found.angular + np.cross(found.centre, found.linear)


def test_torque_and_forces_change_the_angular_momentum_about_the_elbow(run):
    """About its axis, -y, nothing else acts: not the hinge, not the springs, and not what leads the DIP joints."""
    model = run.model
    before, after = (moment_of_momentum(model, run.q[row], run.qdot[row]) for row in (1, 3))
    q, qdot = run.q[2], run.qdot[2]
    held = mm.constraint_forces(model, q, qdot, t=T)
    moment = np.cross(mm.momentum(model, q, qdot).centre, model.bodies["mass"].sum() * model.gravity)
    E = mm.forward_kinematics(model, q)
    for name in hand.FINGERS:
        body, place = hand.tip(name)
        force = [held[f"{name} tip.{k}"] for k in range(3)]
        moment = moment + np.cross((E[model.body(body)] @ [*place, 1.0])[:3], force)
    change = (after - before)[1] / (2 * STEP)
    assert abs(held["elbow"]) > 1
    np.testing.assert_allclose(change, moment[1] - held["elbow"], rtol=0, atol=1e-6 * abs(held["elbow"]))


def test_fingertips_stay_and_last_joints_bend_half_as_far(run):
    model = run.model
    for name in hand.FINGERS:
        body, place = hand.tip(name)
        places = [(E[model.body(body)] @ [*place, 1.0])[:3] for E in run.poses]
        np.testing.assert_allclose(places, np.tile(places[0], (len(places), 1)), rtol=0, atol=1e-12)
        middle, last = (model.body(f"{name} {bone}") for bone in ("middle", "distal"))
        inner, outer = (
            [np.arccos(a[:3, 2] @ b[:3, 2]) for a, b in zip(run.poses[:, i], run.poses[:, j], strict=True)]
            for i, j in ((model.body(f"{name} proximal"), middle), (middle, last))
        )
        np.testing.assert_allclose(np.array(outer), 0.5 * np.array(inner), rtol=1e-9)
    np.testing.assert_allclose(run["elbow"], [hand.elbow(t) for t in run.t], rtol=0, atol=1e-9)


def test_what_it_weighs():
    model = mm.scenes.load("hand").model
    mass = 0.01 * (hand.FOREARM.mass + hand.HAND.mass) * hand.MASS
    assert model.bodies["mass"].sum() == pytest.approx(mass, rel=1e-12)
    assert (model.ndof, model.joint_dofs) == (15, 19)
    rows = mm.scenes.load("hand", couplings="rows")
    assert (rows.model.ndof, len(rows.model.constraints)) == (19, 17)
    with pytest.raises(ValueError, match='couplings are "reduced" or "rows", not \'glue\''):
        mm.scenes.load("hand", couplings="glue")


@pytest.mark.parametrize("integrator", ["bdf2", "euler", "semi-implicit"])
def test_steps_of_a_fixed_length_end_near_the_exact_motion(integrator):
    scene = mm.scenes.load("hand")
    exact = mm.simulate(scene, duration=0.5, **TIGHT).q[-1]
    coarse, fine = (mm.simulate(scene, duration=0.5, integrator=integrator, h=h).q[-1] for h in (4e-3, 2e-3))
    ratio = np.linalg.norm(coarse - exact) / np.linalg.norm(fine - exact)
    assert ratio > {"bdf2": 3.0}.get(integrator, 1.7)
    np.testing.assert_allclose(fine, exact, rtol=0, atol=2e-2)
