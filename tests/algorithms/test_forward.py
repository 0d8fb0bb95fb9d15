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
    with pytest.raises(FloatingPointError, match=r"see mm\.reparameterise"):
        mm.forward_dynamics(spec.compile(), q, (0, 1, 0), (0, 1, 0))


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
