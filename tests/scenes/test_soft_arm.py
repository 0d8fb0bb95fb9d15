"""The arm in soft flesh: what its muscle does, and what that does to the flesh."""

import numpy as np
import pytest

import myomass as mm
from myomass.scenes import soft_arm


@pytest.fixture(scope="module")
def run():
    return mm.simulate(mm.scenes.load("soft-arm"))


def elbow(run):
    """The elbow's angle in every row [degree]; 0 is a stretched arm."""
    return np.rad2deg(soft_arm.BENT + run.q[:, run.model.dof("forearm").start])


def test_the_muscle_bends_the_arm(run):
    angle, excited = elbow(run), run.t > 0.35
    assert angle[~excited].min() < 25  # it sinks at first
    assert angle.max() > 90
    assert run.t[angle.argmax()] > 0.5
    assert angle[-1] < 20
    passive = mm.simulate(mm.scenes.load("soft-arm"), excitation=0.02)
    assert elbow(passive).max() < 60


def test_the_path_lies_on_the_ball_and_leaves_it(run):
    """It is longer than the straight line between its ends while the arm is stretched, and as long while it is bent."""
    lengths = np.array([mm.muscle_lengths(run.model, q)[0] for q in run.q])
    ends = []
    for poses in run.poses:
        (first, origin), (last, insertion) = soft_arm.ENDS_OF_THE_FLEXOR
        one, other = (poses[run.model.body(b)] @ [*x, 1.0] for b, x in ((first, origin), (last, insertion)))
        ends.append(np.linalg.norm(one - other))
    longer = lengths - np.array(ends)
    assert longer[elbow(run) < 8].min() > 5e-5
    assert np.abs(longer[elbow(run) > 70]).max() < 1e-12


def test_the_flesh_stays_whole(run):
    """It is squeezed and stretched most at the elbow, and no tetrahedron turns inside out."""
    mesh, x = soft_arm.sleeve(), run.nodes("flesh")
    corners = x[:, mesh.tets]
    volumes = np.linalg.det(corners[:, :, 1:] - corners[:, :, :1]) / (6.0 * mesh.volumes)
    assert volumes.min() > 0.5
    worst = mesh.nodes[mesh.tets].mean(axis=1)[volumes.min(axis=0).argmin()]
    assert np.linalg.norm(worst - soft_arm.ENDS[1]) < 0.1


def test_nodes_ride_on_the_bones(run):
    """Those of each bone keep their places in it; those near the elbow ride on none."""
    mesh, x, model = soft_arm.sleeve(), run.nodes("flesh"), run.model
    for name, ride in soft_arm.riders(mesh).items():
        assert ride.sum() > 4
        E = run.poses[:, model.body(name)]
        own = np.einsum("tji,tnj->tni", E[:, :3, :3], x[:, ride] - E[:, None, :3, 3])
        assert np.ptp(own, axis=0).max() < 1e-14
        assert np.linalg.norm(mesh.nodes[ride] - soft_arm.ENDS[1], axis=1).min() > soft_arm.OFF
