"""Inverse dynamics on the foot that stands: Newton and Euler for the whole, Pinocchio and the pelvis for torques."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from peers import pinocchio_peer, pinocchio_wrenches

import myomass as mm
from myomass.io.sample_walk import CYCLE, STANCE

pytestmark = pytest.mark.fast
RATE = 40.0


class Case:
    """A capture with its model and motion."""

    def __init__(self, bvh: mm.io.Bvh, cutoff: float | None = 6.0, **options):
        self.capture = mm.io.Capture(bvh, scale=0.01, **options)
        self.spec = self.capture.spec(70.0)
        self.model = self.spec.compile()
        self.motion = self.capture.motion(self.model, cutoff)

    def found(self, **options) -> mm.io.SupportedDynamics:
        return mm.io.supported_dynamics(self.model, self.motion, **options)


@pytest.fixture(scope="module")
def walk() -> Case:
    return Case(mm.io.sample_walk(1.3, RATE))


@pytest.fixture(scope="module")
def single(walk):
    return walk.found()


@pytest.fixture(scope="module")
def shared(walk):
    return walk.found(handover="time")


@pytest.fixture(scope="module")
def by_distance(walk):
    return walk.found(handover="distance")


def still(rows: int = 12) -> mm.io.Bvh:
    """The walker in the middle of its first step, as a statue."""
    bvh = mm.io.sample_walk(1.0, RATE)
    return replace(bvh, values=np.tile(bvh.values[round(0.3 * CYCLE * RATE)], (rows, 1)))


def rates_of_momentum(model: mm.Model, motion: mm.io.CapturedMotion, r: int) -> tuple[np.ndarray, np.ndarray]:
    """(rate of linear momentum less weight, the same of angular momentum about the world's origin), body by body."""
    q, qdot, qddot = motion.q[r], motion.qdot[r], motion.qddot[r]
    J_v, J_w, Jdot_v, Jdot_w = mm.coordinates.world_jacobians(model, q, qdot)
    E = mm.forward_kinematics(model, q)
    force, moment = np.zeros(3), np.zeros(3)
    for i, body in enumerate(model.bodies):
        own = body["mass"] * (J_v[i] @ qddot + Jdot_v[i] @ qdot - model.gravity)
        inertia = E[i, :3, :3] * body["moments"] @ E[i, :3, :3].T
        omega, alpha = J_w[i] @ qdot, J_w[i] @ qddot + Jdot_w[i] @ qdot
        force += own
        moment += np.cross(E[i, :3, 3], own) + inertia @ alpha + np.cross(omega, inertia @ omega)
    return force, moment


def given_wrenches(found: mm.io.SupportedDynamics, motion: mm.io.CapturedMotion, r: int) -> np.ndarray:
    """What the ground does, as wrenches on bodies in their own frames. (nbodies, 6)"""
    wrenches, E = np.zeros((found.model.nbodies, 6)), mm.forward_kinematics(found.model, motion.q[r])
    for k, foot in enumerate(found.feet):
        R = E[found.model.body(foot), :3, :3]
        wrenches[found.model.body(foot)] = [*(found.moments[r, k] @ R), *(found.forces[r, k] @ R)]
    return wrenches


@pytest.mark.parametrize("kind", ["single", "shared", "by_distance"])
def test_the_ground_gives_what_newton_and_euler_ask(walk, kind, request):
    """Total force m (a_com - g), and moments about the world's origin, from momenta of the bodies without any tree."""
    found = request.getfixturevalue(kind)
    E = walk.motion.trajectory.poses
    for r in range(0, len(found.t), 7):
        force, moment = rates_of_momentum(walk.model, walk.motion, r)
        x = E[r, [walk.model.body(foot) for foot in found.feet], :3, 3]
        np.testing.assert_allclose(found.forces[r].sum(axis=0), force, rtol=0, atol=1e-8 * found.weight)
        total = (found.moments[r] + np.cross(x, found.forces[r])).sum(axis=0)
        np.testing.assert_allclose(total, moment, rtol=0, atol=1e-8 * found.weight)
    assert not found.residual.any()


@pytest.mark.parametrize("kind", ["single", "shared", "by_distance"])
def test_torques_are_those_of_the_pelvis_with_the_reaction_on_the_foot(walk, kind, request):
    """The tree as it was captured, the same wrenches applied: the same torques, and nothing left at the pelvis."""
    found, m = request.getfixturevalue(kind), walk.motion
    for r in range(0, len(found.t), 5):
        wrenches = given_wrenches(found, m, r)
        tau = mm.inverse_dynamics(walk.model, m.q[r], m.qdot[r], m.qddot[r], wrenches=wrenches)
        np.testing.assert_allclose(found.torques[r], tau, rtol=0, atol=1e-7)
        assert not found.torques[r, :6].any()
    np.testing.assert_array_equal(found.torque("LeftLeg"), found.torques[:, walk.model.dof("LeftLeg")])


@pytest.mark.parametrize("kind", ["single", "shared"])
def test_pinocchio_agrees(walk, kind, request):
    """Another program's inverse dynamics, of the spec, with the ground's wrenches as external forces."""
    pin = pytest.importorskip("pinocchio")
    found, m, peer = request.getfixturevalue(kind), walk.motion, pinocchio_peer(walk.spec)
    for r in range(0, len(found.t), 9):
        T, _ = peer.rate_map(m.q[r], m.qdot[r])
        forces = pinocchio_wrenches(peer, given_wrenches(found, m, r))
        tau = pin.rnea(peer.model, peer.model.createData(), *peer.motion(m.q[r], m.qdot[r], m.qddot[r]), forces)
        np.testing.assert_allclose(found.torques[r], T.T @ tau, rtol=0, atol=1e-7)


def test_euler_angles_give_the_same_ground(walk, single):
    """Torques are in other coordinates there, and do the same work at the same motion."""
    rows = slice(0, 20)
    bvh = replace(walk.capture.bvh, values=walk.capture.bvh.values[rows])
    exp, euler = (Case(bvh, None, euler=euler) for euler in (False, True))
    support = single.support[rows]
    a, b = exp.found(support=support), euler.found(support=support)
    np.testing.assert_allclose(a.forces[5:-5], b.forces[5:-5], rtol=0, atol=0.02 * a.weight)
    work = [(case.motion.qdot * found.torques).sum(axis=1)[5:-5] for case, found in ((exp, a), (euler, b))]
    np.testing.assert_allclose(*work, rtol=0, atol=0.05 * np.abs(work[0]).max())
    m = euler.motion
    for r in (0, 10, 19):
        tau = mm.inverse_dynamics(euler.model, m.q[r], m.qdot[r], m.qddot[r], wrenches=given_wrenches(b, m, r))
        np.testing.assert_allclose(b.torques[r], tau, rtol=0, atol=1e-7)


def test_a_statue_weighs_what_it_weighs():
    case = Case(still())
    found = case.found(support=np.zeros(12, int))
    np.testing.assert_allclose(found.forces[:, 0], np.tile((0, 0, found.weight), (12, 1)), rtol=0, atol=1e-7)
    assert not found.forces[:, 1].any()
    centre = mm.momentum(case.model, case.motion.q[0], 0 * case.motion.q[0]).centre
    np.testing.assert_allclose(found.pressure[:, 0, :2], np.tile(centre[:2], (12, 1)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.pressure[:, 0, 2], found.ground, rtol=0, atol=1e-12)
    assert np.isnan(found.pressure[:, 1]).all()
    np.testing.assert_allclose(found.weight, 70.0 * 9.81)


def test_in_flight_the_rest_is_at_the_root():
    """A statue that is thrown needs nothing; one that hovers needs its weight."""
    bvh = still(30)
    t = bvh.frame_time * np.arange(30)
    thrown = bvh.values.copy()
    thrown[:, 1] += 100.0 * (3.0 * t - 0.5 * 9.81 * t**2)
    thrown[:, 2] += 100.0 * 1.5 * t
    for values, force in ((thrown, 0.0), (bvh.values, 70.0 * 9.81)):
        case = Case(replace(bvh, values=values), None)
        found = case.found(support=np.full(30, -1))
        np.testing.assert_allclose(found.residual[:, 3:], np.tile((0, 0, force), (30, 1)), rtol=0, atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(found.residual[:, :3], axis=1) > 1.0, force > 0.0)
        tau = mm.inverse_dynamics(case.model, case.motion.q[3], case.motion.qdot[3], case.motion.qddot[3])
        np.testing.assert_allclose(found.torques[3], tau)
        assert found.phases() == [(None, 0.0, pytest.approx(t[-1]))]
        assert not found.forces.any()


def test_feet_are_found_on_the_ground_when_they_are(walk):
    """Against the times at which the synthetic walk has them there, to two frames."""
    down = mm.io.find_contacts(walk.model, walk.motion)
    phase = walk.motion.t / CYCLE
    for k in range(2):
        truth = (phase - 0.5 * k) % 1.0 < STANCE
        edges, wanted = np.flatnonzero(np.diff(down[:, k])), np.flatnonzero(np.diff(truth))
        assert len(edges) == len(wanted)
        assert np.abs(edges - wanted).max() <= 2
    assert down.any(axis=1).all()


def test_a_jump_has_a_flight():
    bvh = still(60)
    t = bvh.frame_time * np.arange(60)
    rise = np.where((t > 0.5) & (t < 1.0), 100.0 * 0.5 * 9.81 * (t - 0.5) * (1.0 - t), 0.0)
    values = bvh.values + np.outer(rise, np.arange(bvh.values.shape[1]) == 1)
    case = Case(replace(bvh, values=values), None)
    found = case.found()
    assert [foot is None for foot, _, _ in found.phases()] == [False, True, False]
    _, start, end = found.phases()[1]
    assert 0.5 <= start <= 0.6
    assert 0.9 <= end <= 1.0


def test_it_looks_like_walking(walk, single, shared):
    """One body weight over a whole number of steps, feet in turn, one force without steps when it is handed over."""
    rows = (walk.motion.t > 0.1 * CYCLE) & (walk.motion.t <= 1.1 * CYCLE + 1e-9)
    vertical = single.forces.sum(axis=1)[:, 2] / single.weight
    np.testing.assert_allclose(vertical[rows].mean(), 1.0, atol=0.01)
    assert vertical.min() > 0.5
    assert vertical.max() < 1.5
    assert [foot for foot, _, _ in single.phases()][:3] == ["LeftFoot", "RightFoot", "LeftFoot"]
    steps = [np.abs(np.diff(found.forces[:, :, 2], axis=0)).max() / found.weight for found in (single, shared)]
    assert steps[0] > 0.8
    assert steps[1] < 0.5 * steps[0]
    np.testing.assert_allclose(shared.shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(single.heading, (1, 0, 0), atol=0.05)


def test_the_centre_of_pressure_has_no_moment_across(walk, shared):
    x = walk.motion.trajectory.poses[:, [walk.model.body(foot) for foot in shared.feet]][..., :3, 3]
    about = shared.moments + np.cross(x - shared.pressure, shared.forces)
    bears = np.isfinite(shared.pressure[..., 0])
    assert bears.any(axis=0).all()
    np.testing.assert_allclose(about[bears][:, :2], 0.0, rtol=0, atol=1e-8)


def test_who_stands_can_be_said(walk, single):
    by_number = walk.found(support=single.support)
    np.testing.assert_array_equal(by_number.forces, single.forces)
    down = mm.io.find_contacts(walk.model, walk.motion)
    np.testing.assert_array_equal(walk.found(support=down).forces, single.forces)
    lower = walk.found(support=single.support, ground=single.ground - 0.1)
    np.testing.assert_array_equal(lower.forces, single.forces)
    np.testing.assert_allclose(np.nanmin(lower.pressure[..., 2]), single.ground - 0.1)
    hands = walk.found(feet=("LeftHand",), support=np.zeros(len(single.t), int))
    np.testing.assert_allclose(hands.forces[:, 0], single.forces.sum(axis=1), rtol=0, atol=1e-7)


def test_bad_input_is_a_sentence(walk):
    rows = len(walk.motion.t)
    for options, error, words in (
        ({"support": np.zeros(3, int)}, ValueError, "support is a number from -1"),
        ({"support": np.full(rows, 2)}, ValueError, "from -1 .flight. to 1"),
        ({"support": np.zeros((rows, 3), bool)}, ValueError, "booleans of shape"),
        ({"ground": "level"}, ValueError, "the ground"),
        ({"handover": "sudden"}, ValueError, 'handover is None, "time" or "distance"'),
        ({"feet": "LeftFoot"}, TypeError, "several names"),
        ({"feet": ("LeftFoot", "Hoof")}, KeyError, "no body 'Hoof'"),
    ):
        with pytest.raises(error, match=words):
            walk.found(**options)
    with pytest.raises(TypeError, match=r"capture\.motion"):
        mm.io.supported_dynamics(walk.model, walk.motion.trajectory)
    other = walk.capture.spec(70.0, inertias={"LeftLeg": mm.Inertia.sphere(0.1, mass=4.0)}).compile()
    with pytest.raises(ValueError, match="of another model than 'capture'; make it anew by"):
        mm.io.supported_dynamics(other, walk.motion)
    bare = replace(walk.motion, sites={})
    with pytest.raises(ValueError, match="no sites on 'LeftFoot'"):
        mm.io.supported_dynamics(walk.model, bare)
    with pytest.raises(ValueError, match="heights"):
        mm.io.find_contacts(walk.model, walk.motion, heights=(0.05, 0.03))
    bound = walk.capture.spec()
    bound.add_constraint(mm.Loop(("LeftHand", (0, 0, 0)), ("RightHand", (0, 0, 0))))
    bound = bound.compile()
    with pytest.raises(ValueError, match="has constraints"):
        mm.io.supported_dynamics(bound, replace(walk.motion, model=bound))
    names = replace(walk.capture.bvh, names=[f"bone{j}" for j in range(len(walk.capture.bvh.names))])
    nameless = Case(names)
    with pytest.raises(ValueError, match="no body whose name says that it is a foot"):
        nameless.found()


def test_the_plot_shows_both_feet(single, shared):
    pytest.importorskip("matplotlib")
    from myomass.viewer.plot_support import plot_support

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = plot_support(shared, compared=single)
    upper, lower = figure.axes
    labels = [line.get_label() for line in upper.get_lines()]
    assert labels[:4] == ["LeftFoot", "RightFoot", "LeftFoot, compared", "RightFoot, compared"]
    assert len(upper.patches) == len(shared.phases())
    y = upper.get_lines()[0].get_ydata()
    np.testing.assert_allclose(np.nanmax(y), shared.forces[:, 0, 2].max() / shared.weight)
    assert lower.get_xlabel() == "time [s]"


@pytest.mark.parametrize(
    ("feet", "error", "sentence"),
    [
        ((), ValueError, "name one foot at least"),
        (("LeftFoot", "LeftFoot"), ValueError, "each once"),
        ("LeftFoot", TypeError, "feet are several names"),
    ],
)
def test_feet_that_are_none_get_a_sentence(walk, feet, error, sentence):
    for call in (mm.io.supported_dynamics, mm.io.find_contacts):
        with pytest.raises(error, match=sentence):
            call(walk.model, walk.motion, feet)
