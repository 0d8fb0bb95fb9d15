"""Forward dynamics of mechanisms that have no answer: a sentence, by either method."""

import numpy as np
import pytest

import myomass as mm

BOX = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1)
FAR, OUT = mm.translation(0.3, 0, 0), mm.translation(0.1, 0.2, 0.3)


def ball_and_hinge_in_one_joint():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Composite(mm.SphericalExp(), mm.Revolute()), None, OUT, BOX)
    spec.add_body("b", "a", mm.Revolute((1, 2, 3)), FAR, OUT, BOX)
    return spec


def massless_free_body_carrying_a_ball():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Free3D())
    spec.add_body("b", "a", mm.SphericalExp(), FAR, OUT, BOX)
    return spec


def two_hinges_on_one_axis():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Revolute())
    spec.add_body("b", "a", mm.Revolute(), None, OUT, BOX)
    return spec


@pytest.mark.parametrize("method", ["recursive", "redmax"])
@pytest.mark.parametrize(
    "spec", [ball_and_hinge_in_one_joint(), massless_free_body_carrying_a_ball(), two_hinges_on_one_axis()]
)
def test_a_singular_mass_matrix_gets_a_sentence(spec, method):
    model = spec.compile()
    q = np.full(model.ndof, 0.3)
    with pytest.raises(FloatingPointError, match="the mass matrix is singular in this configuration"):
        mm.forward_dynamics(model, q, q, method=method)


@pytest.mark.parametrize(
    ("joint", "q"),
    [
        (mm.SphericalExp(), (2 * np.pi, 0, 0)),
        (mm.SphericalExp(), (0, 4 * np.pi, 0)),
        (mm.SphericalEuler(), (0, np.pi / 2, 0)),
    ],
)
def test_a_rotation_at_the_edge_of_its_chart_gets_a_sentence(joint, q):
    spec = mm.Spec()
    spec.add_body("ball", None, joint, None, OUT, BOX)
    with pytest.raises(FloatingPointError, match=r"see mm\.algorithms\.reparameterise"):
        mm.forward_dynamics(spec.compile(), q, (0, 1, 0), (0, 1, 0))


def test_a_regular_call_before_does_not_hide_a_singular_configuration():
    spec = mm.Spec()
    spec.add_body("ball", None, mm.SphericalEuler("XYZ"), None, OUT, BOX)
    model, torque = spec.compile(), (0.0, 1.0, 3.0)
    mm.forward_dynamics(model, (0.1, 0.2, 0.3), (0, 1, 0), torque)
    with pytest.raises(FloatingPointError, match="singular"):
        mm.forward_dynamics(model, (0, np.pi / 2, 0), (0, 1, 0), torque)


def test_hybrid_dynamics_says_so_too():
    model = ball_and_hinge_in_one_joint().compile()
    x = np.full(model.ndof, 0.3)
    with pytest.raises(FloatingPointError, match="singular"):
        mm.hybrid_dynamics(model, x, x, x, x, np.arange(model.ndof) == model.ndof - 1)


def test_single_precision_has_its_own_rounding():
    spec = two_hinges_on_one_axis()
    with pytest.raises(FloatingPointError, match="singular"):
        mm.forward_dynamics(spec.compile().astype(np.float32), np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("method", ["recursive", "redmax"])
def test_single_precision_accelerations(method):
    model = mm.scenes.load(0).model
    q = np.array([0.3, -0.4, 0.5])
    exact = mm.forward_dynamics(model, q, q, q)
    got = mm.forward_dynamics(model.astype(np.float32), q, q, q, method)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, exact, rtol=0, atol=1e-4 * np.abs(exact).max())


def test_simulate_says_so_before_it_starts():
    with pytest.raises(FloatingPointError, match="singular"):
        mm.simulate(two_hinges_on_one_axis().compile())


def test_a_prescribed_degree_of_freedom_heals_it():
    model = two_hinges_on_one_axis().compile()
    qddot, tau = mm.hybrid_dynamics(
        model, np.zeros(2), np.zeros(2), np.ones(2), np.full(2, 3.0), np.array([True, False])
    )
    np.testing.assert_allclose(mm.inverse_dynamics(model, np.zeros(2), np.zeros(2), qddot), tau)
    assert qddot[0] == 3.0
    assert tau[1] == 1.0


def test_a_long_chain_is_not_taken_for_singular():
    """The root's pivot is a tiny part of what it carries, and yet the answer is good."""
    spec = mm.Spec()
    for i in range(2000):
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, mm.Revolute((0, 1, 0)), FAR, OUT, BOX)
    model = spec.compile()
    assert np.isfinite(mm.forward_dynamics(model, np.zeros(2000), np.zeros(2000))).all()
