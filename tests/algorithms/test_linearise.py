"""M, D and K, exact: against complex steps of the residual, on every joint, every force, and at the edges."""

import numpy as np
import pytest
from trees import (
    add_contacts,
    add_every_force,
    complex_slopes,
    joint_catalogue,
    random_spec,
    random_state,
    rerooted_spec,
    spec_around,
)

import myomass as mm

pytestmark = pytest.mark.fast


def check(model, seed, t=0.4, rtol=1e-11):
    vectors = random_state(model, seed)
    state = model.state(vectors[0], vectors[1], t)
    got = mm.linearise(model, state, vectors[2])
    for which, matrix in ((2, got.M), (1, got.D), (0, got.K)):
        expected = complex_slopes(lambda *x: mm.residual(model, *x, t=t), vectors, which)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=rtol * max(1e-300, np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_with_all_joints_and_all_forces(seed):
    spec = random_spec(seed, 8)
    add_every_force(spec, seed)
    check(spec.compile(), seed)


@pytest.mark.parametrize("seed", range(3))
def test_compliant_contacts(seed):
    spec = random_spec(seed, 6)
    add_contacts(spec, seed)
    check(spec.compile(), seed)


@pytest.mark.parametrize("seed", range(4))
def test_rerooted_trees(seed):
    spec = rerooted_spec(seed, 8)
    add_every_force(spec, seed)
    check(spec.compile(), seed)


@pytest.mark.parametrize("name", joint_catalogue(np.random.default_rng(0)))
def test_every_joint(name):
    """In the middle of a chain, so that it has a moving parent and a moving child."""
    spec = spec_around(name)
    spec.add_force(mm.PointSpring((None, (1, 2, 3)), ("b2", (0.1, 0.2, 0.3)), stiffness=5, damping=2))
    spec.add_force(mm.BodyDamping("b1", linear=0.4, angular=0.3))
    check(spec.compile(), 7)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 1e-3, np.pi, 2 * np.pi - 0.5])
def test_ball_joints_near_special_angles(angle):
    spec = random_spec(5, 3, ["spherical-exp"])
    model = spec.compile()
    q, qdot, qddot = random_state(model, 5)
    q[:3] = angle * np.array([0.48, 0.6, 0.64])
    got = mm.linearise(model, model.state(q, qdot), qddot)
    for which, matrix in ((2, got.M), (1, got.D), (0, got.K)):
        expected = complex_slopes(lambda *x: mm.residual(model, *x), (q, qdot, qddot), which)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_a_long_chain():
    spec = random_spec(2, 60, ["revolute", "universal", "prismatic"], branching=0.1)
    check(spec.compile(), 2)


def test_charts_of_the_state_count():
    model = random_spec(4, 2, ["spherical-euler"]).compile()
    q, qdot, qddot = random_state(model, 4)
    state = model.state(q, qdot)
    state.charts = np.array([3.0, 7.0])
    moved = model.with_charts(state.charts)
    got = mm.linearise(model, state, qddot)
    np.testing.assert_array_equal(got.K, mm.linearise(moved, moved.state(q, qdot), qddot).K)
    assert np.abs(got.K - mm.linearise(model, model.state(q, qdot), qddot).K).max() > 1e-3


def test_the_three_views_agree():
    spec = random_spec(6, 6)
    add_every_force(spec, 6)
    model = spec.compile()
    q, qdot, _ = random_state(model, 6)
    tau = np.linspace(-1, 1, model.ndof)
    state = model.state(q, qdot, 0.7)
    qddot = mm.acceleration(model, state, tau)
    scale = np.abs(mm.dynamics.bias_forces(model, q, qdot)).max()
    assert np.abs(mm.residual(model, q, qdot, qddot, tau, t=0.7)).max() < 1e-11 * scale
    np.testing.assert_allclose(mm.acceleration(model, state, tau, method="redmax"), qddot, rtol=1e-8)
    np.testing.assert_allclose(mm.linearise(model, state).M, mm.mass_matrix(model, q), rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(mm.inverse_dynamics(model, q, qdot, qddot, t=0.7), tau, rtol=0, atol=1e-11 * scale)
    prescribed = np.arange(model.ndof) % 3 == 0
    got, torques = mm.hybrid_dynamics(model, q, qdot, tau, qddot, prescribed, t=0.7)
    np.testing.assert_allclose(got, qddot, rtol=0, atol=1e-9 * np.abs(qddot).max())
    np.testing.assert_allclose(torques, tau, rtol=0, atol=1e-9 * scale)


def test_no_degrees_of_freedom():
    spec = mm.Spec()
    spec.add_body("rock", joint=mm.Fixed(), inertia=mm.Inertia.sphere(0.1, mass=1))
    model = spec.compile()
    assert mm.linearise(model, model.state()).K.shape == (0, 0)
    assert mm.residual(model, [], [], []).shape == (0,)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda model: mm.linearise(model.astype(np.float32), model.state()), "works in float64"),
        (lambda model: mm.linearise(model, model.state(), np.full(3, 1j)), "taken at real states"),
        (lambda model: mm.linearise(model, model.state(), [0, np.nan, 0]), r"qddot\[1\] is nan"),
        (lambda model: mm.residual(model, [0, 0], None, None), r"q has shape \(2,\)"),
        (lambda model: mm.residual(model, np.zeros(3), None, None, t=np.inf), "t must be a finite number"),
        (lambda model: mm.applied_forces(model, [0, 0, np.inf], None), r"q\[2\] is inf"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(mm.scenes.load(0).model)


@pytest.mark.parametrize("call", [mm.acceleration, mm.linearise])
def test_a_model_and_a_state_are_needed(call):
    model = mm.scenes.load(0).model
    with pytest.raises(TypeError, match="a state is needed"):
        call(model, np.zeros(3))
    with pytest.raises(TypeError, match="a model is needed"):
        call(mm.Spec(), model.state())
