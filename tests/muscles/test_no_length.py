"""A path without length at a pose: its mass is kept where it is known how it moves, else refused in a sentence."""

import numpy as np
import pytest

import myomass as mm

BOX = mm.Inertia.cuboid((0.2, 0.1, 0.1), mass=1.0)
SPREADS = pytest.mark.parametrize("spread", ["continuous", "uniform", mm.Belly(0.2, 0.7, continuous=True), (1, 0, 2)])
MEETING, APART = np.array([0.0, np.pi]), np.array([0.0, np.pi - 1e-3])
QDOT, QDDOT = np.array([0.7, -1.3]), np.array([0.4, 0.9])


def arm(**muscle):
    """Two links of 0.5 m; the second, folded back, brings the muscle's last point to the first hinge."""
    spec = mm.Spec("arm")
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.25, 0, 0), BOX)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.5, 0, 0), mm.translation(0.25, 0, 0), BOX)
    spec.add_muscle("m", **{"mass": 0.8, "points": [(None, (0, 0, 0)), ("lower", (0.25, 0, 0))]} | muscle)
    return spec.compile()


def on_a_slider(**muscle):
    """A mass on a slider that meets the other end of its muscle at q = 0."""
    spec = mm.Spec("slider")
    spec.add_body("a", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia(mass=1.0, moments=(1, 1, 1)))
    spec.add_muscle("m", **{"mass": 0.8, "points": [(None, (0, 0, 0)), ("a", (0, 0, 0))]} | muscle)
    return spec.compile()


def share(spread):
    """(int alpha^2 dm, int alpha dm) / m of a distribution."""
    if isinstance(spread, tuple):
        alpha, m = (np.arange(3) + 0.5) / 3, np.array(spread) / sum(spread)
    elif spread == "uniform":
        alpha, m = (np.arange(10) + 0.5) / 10, np.full(10, 0.1)
    else:
        low, high = (0.0, 1.0) if spread == "continuous" else (0.2, 0.7)
        return (high**3 - low**3) / (3 * (high - low)), (high + low) / 2
    return m @ alpha**2, m @ alpha


@SPREADS
def test_on_a_slider_the_mass_is_that_at_fixed_fractions(spread):
    """x_alpha = alpha q, at q = 0 as elsewhere."""
    model = on_a_slider(distribution=spread, mass_points=10)
    square, mean = share(spread)
    for q in (0.0, 1e-300, 1e-17, 1e-9, -1e-3, 0.4):
        assert mm.mass_matrix(model, [q])[0, 0] == pytest.approx(1.0 + 0.8 * square, rel=1e-13)
        assert mm.energy(model, [q], [2.0]).kinetic == pytest.approx(2.0 * (1.0 + 0.8 * square), rel=1e-13)
        assert mm.momentum(model, [q], [2.0]).linear[0] == pytest.approx(2.0 * (1.0 + 0.8 * mean), rel=1e-13)
        assert abs(mm.dynamics.bias_forces(model, [q], [2.0])[0]) < 1e-9


@SPREADS
@pytest.mark.parametrize("method", ["recursive", "redmax"])
def test_where_the_ends_of_a_muscle_meet_by_hinges(spread, method):
    """Everything there is the limit of what is near, which is linear in the ends and so smooth."""
    model = arm(distribution=spread, mass_points=10)
    asked = {
        "M": lambda q: mm.mass_matrix(model, q, "composite" if method == "recursive" else method),
        "qddot": lambda q: mm.forward_dynamics(model, q, QDOT, method=method),
        "tau": lambda q: mm.inverse_dynamics(model, q, QDOT, QDDOT),
        "energy": lambda q: np.array(mm.energy(model, q, QDOT)),
    }
    assert mm.muscle_lengths(model, MEETING)[0] == 0.0
    for name, ask in asked.items():
        there = [ask(MEETING + [0.0, side * 1e-4]) for side in (-1, 1)]
        np.testing.assert_allclose(ask(MEETING), np.mean(there, axis=0), atol=1e-5, err_msg=name)
    np.testing.assert_allclose(mm.muscle_points(model, MEETING)[0], 0.0, atol=1e-15)


def test_a_run_through_no_length_keeps_its_energy():
    model = on_a_slider(distribution="continuous")
    run = mm.simulate(model, q=[-0.5], qdot=[1.0], duration=1.0, integrator="rk4", h=0.05)
    np.testing.assert_allclose(run.q[-1], 0.5, atol=1e-12)
    assert np.ptp(run.kinetic + run.potential) < 1e-12


@pytest.mark.parametrize("spread", ["continuous", "uniform"])
def test_a_piece_without_length_within_a_longer_path(spread):
    """The path from (0, 0, 1) by the origin and a place that meets it to (1, 0, 0): as without that place."""
    spec = mm.Spec("slider")
    spec.add_body("a", None, mm.Prismatic((0, 1, 0)), inertia=mm.Inertia(mass=1.0, moments=(1, 1, 1)))
    points = [(None, (0, 0, 1)), (None, (0, 0, 0)), ("a", (0, 0, 0)), ("a", (1, 0, 0))]
    spec.add_muscle("m", 0.8, points, distribution=spread, mass_points=10)
    model = spec.compile()
    assert mm.mass_matrix(model, [0.0])[0, 0] == pytest.approx(1.0 + 0.5 * 0.8, rel=1e-12)  # half slides
    centre = mm.momentum(model, [0.0], [0.0]).centre
    np.testing.assert_allclose(centre * 1.8, [0.8 * 0.5 * 0.5, 0.0, 0.8 * 0.5 * 0.5], atol=1e-12)


REFUSED = {
    "a tension": {"tension": 3.0},
    "a tension alone": {"mass": 0.0, "tension": 3.0},
    "a tension in time": {"tension": mm.Motion.through([0.0, 1.0], [0.0, 2.0])},
    "two pieces": {"points": [(None, (0, 0, 0)), ("upper", (-0.25, 0, 0)), ("lower", (0.25, 0, 0))]},
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_answer_is_refused(name):
    model = arm(**REFUSED[name])
    sentence = r"muscle 'm': all points of its path are at one place"
    for ask in (
        lambda: mm.forward_dynamics(model, MEETING, QDOT),
        lambda: mm.forward_dynamics(model, MEETING, QDOT, method="redmax"),
        lambda: mm.inverse_dynamics(model, MEETING, QDOT, QDDOT),
        lambda: mm.linearise(model, model.state(MEETING, QDOT)),
        lambda: mm.simulate(model, q=MEETING, qdot=QDOT, integrator="rk4", h=0.01, duration=0.1),
        lambda: mm.simulate(model, q=MEETING, qdot=QDOT, integrator="bdf2", h=0.01, duration=0.1),
        lambda: mm.moment_arms(model, MEETING),
    ):
        with pytest.raises(FloatingPointError, match=sentence):
            ask()
    assert np.isfinite(mm.forward_dynamics(model, APART, QDOT)).all()
    assert mm.muscle_lengths(model, MEETING)[0] == 0.0


def test_moment_arms_of_a_muscle_without_mass_or_tension():
    """Its length is known, its derivative is not; dynamics do not care."""
    model = arm(mass=0.0)
    assert mm.muscle_lengths(model, MEETING)[0] == 0.0
    with pytest.raises(FloatingPointError, match="all points of its path are at one place"):
        mm.moment_arms(model, MEETING)
    assert np.isfinite(mm.forward_dynamics(model, MEETING, QDOT)).all()
