"""Hyper-reduced coordinates (dissertation Sec. 4.6.2) against constraints, hand-derived equations and differences."""

import math
import sys

import numpy as np
import pytest
from trees import add_every_force, random_spec, random_state

import myomass as mm
from myomass.dynamics.hyper_reduced import HyperReduced, second_derivative

G = 9.81
FINGER = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.5]])  # DIP = PIP / 2
CRANK, ROD = 0.1, 0.3  # [m]
fast = pytest.mark.fast


def chain(lengths, masses, coupling=None):
    """Uniform rods on hinges about -y, so that positive angles swing along x; they hang along -z at q = 0."""
    spec, above, parent = mm.Spec("chain", gravity=(0, 0, -G)), 0.0, None
    for name, length, m in zip(("proximal", "middle", "distal"), lengths, masses, strict=False):
        rod = mm.Inertia(mass=m, moments=(m * length**2 / 12, m * length**2 / 12, 0))
        place, centre = mm.translation(0, 0, -above), mm.translation(0, 0, -length / 2)
        spec.add_body(name, parent, mm.Revolute(axis=(0, -1, 0)), place, centre, rod)
        above, parent = length, name
    if coupling is not None:
        spec.add_constraint(coupling)
    return spec.compile()


def finger(coupling=None):
    return chain((0.05, 0.03, 0.02), (0.03, 0.015, 0.008), coupling)


def bead():
    """A body that slides along x and z."""
    spec = mm.Spec("bead", gravity=(0, 0, -G))
    spec.add_body("x", None, mm.Prismatic(axis=(1, 0, 0)))
    spec.add_body("z", "x", mm.Prismatic(axis=(0, 0, 1)), inertia=mm.Inertia(mass=0.7, moments=(1, 1, 1)))
    return spec.compile()


def cycloid(Q, a=0.4):
    return np.stack([a * (Q[0] + np.sin(Q[0])), -a * np.cos(Q[0])])


def slider_crank(Q):
    """Angles of crank and rod whose end slides along z."""
    return np.stack([Q[0], -np.arcsin(CRANK / ROD * np.sin(Q[0])) - Q[0]])


def curved(Q):
    """A map of two coordinates onto four, none of them special."""
    u, v = Q
    return np.stack([np.sin(u) * v, u**2 - np.exp(0.3 * v), np.sqrt(2 + u * v), u + np.arctan(v)])


def curved_jacobian(Q):
    u, v = Q
    root = 2 * np.sqrt(2 + u * v)
    rows = [np.cos(u) * v, np.sin(u), 2 * u, -0.3 * np.exp(0.3 * v), v / root, u / root, 1 + 0 * u, 1 / (1 + v * v)]
    return np.stack(rows).reshape(4, 2)


def tree(n=4, forces=True):
    spec = random_spec(5, n, ["revolute", "prismatic"])
    if forces:
        add_every_force(spec, 5)
    return spec.compile()


def close(actual, expected, tolerance):
    """Agreement relative to the largest entry, where that is not zero."""
    scale = np.abs(expected).max(initial=0.0) or 1.0
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


def test_coupled_finger_is_the_finger_under_a_constraint():
    tied, free = finger(mm.Coupling("middle", "distal", (0, 0.5))), HyperReduced(finger(), FINGER)
    Q, Qdot, times = np.array([0.4, 0.8]), np.array([3.0, -2.0]), np.linspace(0, 0.5, 26)
    run = free.run(Q, Qdot, times=times, rtol=1e-11, atol=1e-13)
    start = {"q": FINGER @ Q, "qdot": FINGER @ Qdot}
    tight = {"integrator": "recursive", "rtol": 1e-10, "atol": 1e-12}
    expected = mm.simulate(tied, **start, **tight, times=times)
    assert run.ended == "completed"
    close(run.q, expected.q, 1e-7)
    close(run.qdot, expected.qdot, 1e-7)
    np.testing.assert_allclose(run.q[:, 2], run.q[:, 1] / 2, rtol=1e-15)
    energies = [free.energy(*both).total for both in zip(run.Q, run.Qdot, strict=True)]
    assert np.ptp(energies) < 1e-9 * free.energy(Q, Qdot).kinetic


@fast
def test_forces_of_the_reduction_are_those_of_the_constraint():
    tied, free = finger(mm.Coupling("middle", "distal", (0, 0.5))), HyperReduced(finger(), FINGER)
    Q, Qdot, tau = np.array([0.4, 0.8]), np.array([3.0, -2.0]), np.array([0.01, -0.02, 0.005])
    q, qdot, Qddot = FINGER @ Q, FINGER @ Qdot, free.acceleration(0.0, Q, Qdot, tau)
    close(free.jacobian(Q) @ Qddot, mm.forward_dynamics(tied, q, qdot, tau, "redmax"), 1e-12)
    expected = mm.constraint_forces(tied, q, qdot, tau).generalized
    close(free.forces(Q, Qdot, Qddot, tau=tau), expected, 1e-9)
    close(free.forces(Q, Qdot, tau=tau), expected, 1e-9)
    assert np.abs(FINGER.T @ expected).max() < 1e-12 * np.abs(expected).max()


@fast
def test_equal_joint_angles_leave_one_equation():
    """Eq. 4.84 for two equal rods: m a^2 (8/3 + 2 cos) thdd - m a^2 sin thd^2 + m g a (3/2 sin + sin 2 th) = 0."""
    m, a, th, thd = 1.3, 0.4, 0.7, 2.1
    pair = HyperReduced(chain((a, a), (m, m)), [[1], [1]])
    inertia, V = m * a * a * (8 / 3 + 2 * np.cos(th)), -m * G * a * (1.5 * np.cos(th) + 0.5 * np.cos(2 * th))
    torque = m * a * a * np.sin(th) * thd**2 - m * G * a * (1.5 * np.sin(th) + np.sin(2 * th))
    close(pair.mass_matrix([th]), [[inertia]], 1e-14)
    close(pair.acceleration(0.0, [th], [thd]), [torque / inertia], 1e-13)
    close(pair.energy([th], [thd]), [0.5 * inertia * thd**2, V], 1e-14)
    close(pair.acceleration(0.0, [th], [thd], [0.1, 0.2]), [(torque + 0.3) / inertia], 1e-13)


@fast
def test_bead_on_a_cycloid_swings_in_the_time_of_a_clock():
    """Its arc 4a sin(Q/2) is a harmonic oscillator of g/4a, however far it swings (Huygens)."""
    a, times = 0.4, np.linspace(0, 2, 9)
    run = HyperReduced.of(bead(), cycloid, 1).run([2.0], times=times, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.sin(run.Q[:, 0] / 2), np.sin(1.0) * np.cos(np.sqrt(G / (4 * a)) * times), atol=1e-10)
    energy = 0.5 * 0.7 * (run.qdot**2).sum(axis=1) + 0.7 * G * run.q[:, 1]
    assert np.ptp(energy) < 1e-9 * 0.7 * G * a


@fast
@pytest.mark.parametrize("th", [0.0, 0.9, 2.5, -4.0])
def test_slider_crank_follows_its_lagrangian(th):
    """m(Q) and V(Q) by hand; Qddot = -(m'/2 Qdot^2 + V') / m."""
    mc, mr, thd, h = 0.5, 0.8, 3.0, 1e-30

    def inertia_and_potential(th):
        phi = -np.arcsin(CRANK / ROD * np.sin(th))
        dphi = -CRANK / ROD * np.cos(th) / np.cos(phi)
        dx, dz = CRANK / 2 * np.cos(th), CRANK * np.sin(th) + ROD / 2 * np.sin(phi) * dphi
        V = -G * (mc * CRANK / 2 * np.cos(th) + mr * (CRANK * np.cos(th) + ROD / 2 * np.cos(phi)))
        return mc * CRANK**2 / 3 + mr * (dx**2 + dz**2) + mr * ROD**2 / 12 * dphi**2, V

    m, V = (x.real for x in inertia_and_potential(th + 0j))
    dm, dV = (x.imag / h for x in inertia_and_potential(th + 1j * h))
    engine = HyperReduced.of(chain((CRANK, ROD), (mc, mr)), slider_crank, 1)
    close(engine.mass_matrix([th]), [[m]], 1e-13)
    close(engine.energy([th], [thd]), [m * thd**2 / 2, V], 1e-13)
    close(engine.acceleration(0.0, [th], [thd]), [-(dm / 2 * thd**2 + dV) / m], 1e-11)
    forces = engine.forces([th], [thd])
    assert abs(engine.jacobian([th])[:, 0] @ forces) < 1e-12 * np.abs(forces).max()


@fast
def test_jacobian_and_bias_against_differences_and_a_given_jacobian():
    model, Q, Qdot, h = tree(), np.array([0.4, -0.7]), np.array([1.5, 2.5]), 1e-5
    plain = HyperReduced.of(model, curved, 2)
    given = HyperReduced.of(model, curved, 2, jacobian=curved_jacobian)
    J = np.stack([plain.q(Q + h * e) - plain.q(Q - h * e) for e in np.eye(2)], axis=1) / (2 * h)
    Jdot = (plain.jacobian(Q + h * Qdot) - plain.jacobian(Q - h * Qdot)) / (2 * h)
    for reduced, tolerance in ((plain, 1e-12), (given, 1e-15)):
        close(reduced.jacobian(Q), J, 1e-9)
        close(reduced.bias(Q, Qdot), Jdot @ Qdot, 1e-8)
        close(reduced.bias(Q, Qdot), given.bias(Q, Qdot), tolerance)
        close(reduced.qdot(Q, Qdot), curved_jacobian(Q) @ Qdot, 1e-14)
    close(plain.bias(Q, 1e-8 * Qdot), 1e-16 * given.bias(Q, Qdot), 1e-12)
    close(plain.acceleration(0.3, Q, Qdot), given.acceleration(0.3, Q, Qdot), 1e-11)


@fast
def test_every_force_counts_and_the_reduction_does_no_work():
    """d'Alembert with the model's own inverse dynamics, at a time at which torques given in time act."""
    model, Q, Qdot, t = tree(), np.array([0.4, -0.7]), np.array([1.5, 2.5]), 0.3
    assert np.abs(mm.applied_forces(model, np.zeros(4), np.ones(4), t=t)).max() > 0
    reduced, tau = HyperReduced.of(model, curved, 2), np.array([1.0, -2.0, 0.5, 3.0])
    q, qdot, J = reduced.q(Q), reduced.qdot(Q, Qdot), reduced.jacobian(Q)
    qddot = J @ reduced.acceleration(t, Q, Qdot, tau) + reduced.bias(Q, Qdot)
    forces = mm.inverse_dynamics(model, q, qdot, qddot, t=t) - tau
    close(reduced.forces(Q, Qdot, t=t, tau=tau), forces, 1e-12)
    assert np.abs(J.T @ forces).max() < 1e-11 * np.abs(forces).max()
    close(reduced.energy(Q, Qdot, t), mm.energy(model, q, qdot, t=t), 1e-15)


@fast
def test_reductions_chain():
    """Linear on curved, and curved on linear, are what is composed by hand (Eq. 4.85)."""
    model, offset, Q, Qdot = tree(), np.array([0.3, -0.2]), np.array([0.6]), np.array([1.7])
    line, lift = np.array([[0.8], [-0.5]]), np.linspace(-1, 1, 16).reshape(4, 4) + np.eye(4)
    pairs = [
        (
            HyperReduced(HyperReduced.of(model, curved, 2), line, offset),
            HyperReduced.of(model, lambda S: curved(offset + line @ S), 1),
        ),
        (
            HyperReduced.of(HyperReduced(model, lift, np.ones(4)), lambda S: curved(np.stack([S[0], S[0] ** 2])), 1),
            HyperReduced.of(model, lambda S: 1 + lift @ curved(np.stack([S[0], S[0] ** 2])), 1),
        ),
    ]
    for chained, composed in pairs:
        assert chained.model is model
        assert chained.ndof == 1
        for what in (HyperReduced.q, HyperReduced.jacobian, HyperReduced.mass_matrix):
            close(what(chained, Q), what(composed, Q), 1e-14)
        close(chained.bias(Q, Qdot), composed.bias(Q, Qdot), 1e-12)
        close(chained.acceleration(0.2, Q, Qdot), composed.acceleration(0.2, Q, Qdot), 1e-11)
        close(chained.q(Q + 1e-30j).imag / 1e-30, chained.jacobian(Q)[:, 0], 1e-14)


@fast
def test_all_coordinates_or_none():
    model = tree(6)
    q, qdot, tau = random_state(model, 1)
    same = HyperReduced(model, np.eye(6))
    close(same.acceleration(0.3, q, qdot, tau), mm.forward_dynamics(model, q, qdot, tau, t=0.3), 1e-10)
    close(same.bias(q, qdot), np.zeros(6), 0)
    for still in (HyperReduced(model, np.zeros((6, 0)), q), HyperReduced.of(model, lambda Q: q, 0)):
        assert still.ndof == 0
        assert still.mass_matrix([]).shape == (0, 0)
        assert still.acceleration(0.0, [], []).shape == (0,)
        close(still.forces([], []), mm.inverse_dynamics(model, q, np.zeros(6), np.zeros(6)), 1e-14)
        run = still.run([], duration=2.0)
        np.testing.assert_array_equal(run.q, [q, q])
        np.testing.assert_array_equal(run.t, [0, 2])
    wall = mm.Spec()
    wall.add_body("wall", None, mm.Fixed(), inertia=mm.Inertia(mass=1, moments=(1, 1, 1)))
    assert HyperReduced(wall.compile(), np.zeros((0, 0))).acceleration(0.0, [], []).shape == (0,)


@fast
def test_second_derivatives_near_singularities_and_at_kinks():
    near = {
        -250.0: lambda s: np.sqrt(0.01 + s),
        2e9: lambda s: 1 / (1e-3 + s),
        1e6: lambda s: np.exp(1000 * s),
        72.0: lambda s: (1 + s) ** 9,
        0.0: lambda s: 5 + 3 * s,
    }
    for exact, curve in near.items():
        found = second_derivative(lambda s, curve=curve: np.array([curve(s)]))
        np.testing.assert_allclose(found, [exact], rtol=1e-12, atol=1e-12)
    for kink in (np.abs, lambda s: s * s if s.real > 0 else 0 * s, lambda s: s * s.real):
        assert second_derivative(lambda s, kink=kink: np.array([kink(s)])) is None


def test_torques_in_time_and_rows_of_a_run():
    free, tau = HyperReduced(finger(), FINGER), np.array([0.01, 0.0, -0.002])
    held = free.run([0.1, 0.2], duration=0.2, tau=tau)
    asked = free.run([0.1, 0.2], [0, 0], times=held.t, tau=lambda t, q, qdot: tau + 0 * t * q)
    assert held.t[0] == 0
    assert held.t[-1] == 0.2
    close(asked.Q, held.Q, 1e-6)
    close(held.q, held.Q @ FINGER.T, 1e-15)
    close(held.qdot, held.Qdot @ FINGER.T, 1e-15)


def test_a_run_that_cannot_go_on_keeps_what_it_has():
    """A bead that falls past the end of its wire."""
    wire = HyperReduced.of(bead(), lambda Q: np.stack([Q[0], np.sqrt(1 + Q[0])]), 1)
    with pytest.warns(RuntimeWarning, match="model 'bead': ended early"):
        run = wire.run([0.0], duration=3.0)
    assert len(run.t) > 3
    assert -1 < run.Q[-1, 0] < -0.9
    assert "at Q = [-" in run.ended


@fast
def test_rank_that_is_lost():
    with pytest.raises(ValueError, match="column 1 of the matrix is a combination"):
        HyperReduced(finger(), [[1, 2], [1, 2], [0, 0]])
    with pytest.raises(ValueError, match="column 0 of the matrix is zero"):
        HyperReduced(finger(), np.zeros((3, 1)))
    turn = HyperReduced.of(finger(), lambda Q: np.stack([Q[0], Q[0] * Q[1], Q[0] ** 2 * Q[1]]), 2, start=[1, 1])
    assert np.isfinite(turn.acceleration(0.0, [1.0, 1.0], [1.0, 1.0])).all()
    with pytest.raises(FloatingPointError, match="no acceleration can be found along reduced coordinate 1"):
        turn.acceleration(0.0, [0.0, 1.0], [1.0, 1.0])
    swing = HyperReduced.of(finger(), lambda Q: np.stack([Q[0] + Q[1], Q[0] ** 2 + Q[1], 0 * Q[0]]), 2)
    with pytest.raises(FloatingPointError, match=r"at Q = \[0.5, 0.3\]: no acceleration"):
        swing.acceleration(0.0, [0.5, 0.3], [1.0, 1.0])


def filled(Q):
    q = np.zeros(3)
    q[0] = np.cos(Q[0])
    return q


def one(Q):
    return np.stack([Q[0], 2 * Q[0], np.sin(Q[0])])


BAD_MAKERS = {
    "a model or another HyperReduced is needed, and this is str": lambda m: HyperReduced("m", np.eye(3)),
    "model 'chain' has constraints, which a reduction replaces": lambda m: HyperReduced(
        finger(mm.Coupling("middle", "distal", (0, 0.5))), FINGER
    ),
    "works in float64": lambda m: HyperReduced(m.astype(np.float32), FINGER),
    r"matrix, a row for each of 3 coordinates of model 'chain'.*\(2, 1\)": lambda m: HyperReduced(m, [[1], [1]]),
    r"matrix.*at \[0, 0\] it is nan": lambda m: HyperReduced(m, [[np.nan], [1], [1]]),
    r"offset must be finite numbers of shape \(3,\)": lambda m: HyperReduced(m, FINGER, [1, 2]),
    "4 coordinates Q cannot move 3": lambda m: HyperReduced(m, np.ones((3, 4))),
    "must be functions of Q, and one is 3": lambda m: HyperReduced.of(m, 3, 1),
    "must be functions of Q, and one is 4": lambda m: HyperReduced.of(m, one, 1, jacobian=4),
    "ndof must be a whole number of coordinates, and is 1.5": lambda m: HyperReduced.of(m, one, 1.5),
    r"start has shape \(2,\)": lambda m: HyperReduced.of(m, one, 1, [1, 2]),
    r"function\(Q\) has shape \(1,\), and model 'chain' has 3 coord": lambda m: HyperReduced.of(m, lambda Q: Q, 1),
    r"jacobian\(Q\) has shape \(3,\)": lambda m: HyperReduced.of(m, one, 1, jacobian=one),
    r"not finite at Q = \[0.0\]": lambda m: HyperReduced.of(m, lambda Q: one(Q) + np.inf, 1),
    "must take complex numbers, and does not.*math.cos": lambda m: HyperReduced.of(
        m, lambda Q: np.stack([Q[0], Q[0], math.cos(Q[0]) + 0 * Q[0]]), 1
    ),
    "function must take complex numbers.*not filled in": lambda m: HyperReduced.of(m, filled, 1),
    "J is not the derivative of function": lambda m: HyperReduced.of(m, lambda Q: one(np.abs(Q)), 1, [1.0]),
    "complex step of jacobian.Q. is not Jdot": lambda m: HyperReduced.of(
        m, lambda Q: Q[0] ** 2 * np.ones(3), 1, jacobian=lambda Q: 2 * Q.real[0] * np.ones((3, 1))
    ),
}
BAD_CALLS = {
    r"Q has shape \(3,\), and there are 2 reduced coordinates": lambda f: f.q(np.zeros(3)),
    r"Qdot has shape \(1,\)": lambda f: f.bias(np.zeros(2), np.zeros(1)),
    r"Q\[1\] is nan: every number must be finite": lambda f: f.acceleration(0.0, [0, np.nan], [0, 0]),
    "Q must be real, and is complex": lambda f: f.jacobian([1j, 0]),
    "Q must be numbers": lambda f: f.q(None),
    "t must be a finite number": lambda f: f.acceleration(np.inf, [0, 0], [0, 0]),
    r"tau, on the model's own coordinates, must be .* \(3,\)": lambda f: f.acceleration(0.0, [0, 0], [0, 0], [1, 2]),
    "tau, on the model's": lambda f: f.run([0, 0], tau=lambda t, q, qdot: [1.0]),
    "duration must be finite and positive": lambda f: f.run([0, 0], duration=-1),
    "rtol must be": lambda f: f.run([0, 0], rtol=0),
    "times must rise from 0 on": lambda f: f.run([0, 0], times=[0.5, 0.1]),
    "end by the duration": lambda f: f.run([0, 0], times=[0.5, 2.0], duration=1),
}


@fast
@pytest.mark.parametrize("sentence", BAD_MAKERS)
def test_bad_reductions_get_a_sentence(sentence):
    with pytest.raises((ValueError, TypeError, FloatingPointError), match=sentence):
        BAD_MAKERS[sentence](finger())


@fast
@pytest.mark.parametrize("sentence", BAD_CALLS)
def test_bad_calls_get_a_sentence(sentence):
    with pytest.raises(ValueError, match=sentence):
        BAD_CALLS[sentence](HyperReduced(finger(), FINGER))


@fast
def test_smooth_only_where_it_is_asked():
    """A kink away from the start is said when the motion meets it, unless a jacobian is given."""
    step = HyperReduced.of(bead(), lambda Q: np.stack([Q[0], np.where(Q[0].real > 0, Q[0] ** 2, 0)]), 1, [1.0])
    close(step.bias([-0.5], [2.0]), [0, 0], 1e-12)
    close(step.bias([0.5], [2.0]), [0, 8], 1e-12)
    with pytest.raises(FloatingPointError, match=r"no second derivative at Q = \[0.0\]"):
        step.bias([0.0], [2.0])


@fast
def test_a_run_asks_for_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    with pytest.raises(ImportError, match="pip install scipy"):
        HyperReduced(finger(), FINGER).run([0, 0])
