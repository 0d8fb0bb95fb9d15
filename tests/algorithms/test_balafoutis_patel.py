"""Torques by Balafoutis and Patel: those of recursive Newton-Euler for every joint, tree and number type."""

import numpy as np
import pytest
from trees import joint_catalogue, random_state, random_tree, spec_around

import myomass as mm

pytestmark = pytest.mark.fast
BOX = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=2.0)


def tensors(model, *vectors, **options):
    return mm.inverse_dynamics(model, *vectors, method="balafoutis-patel", **options)


def check(model, seed=0, tolerance=1e-13, **options):
    vectors = random_state(model, seed)
    expected = mm.inverse_dynamics(model, *vectors, **options)
    scale = np.abs(expected).max() if model.ndof else 1.0
    np.testing.assert_allclose(tensors(model, *vectors, **options), expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("seed", range(30))
def test_random_trees_of_all_joints(seed):
    check(random_tree(seed, 1 + seed % 12), seed)


@pytest.mark.parametrize("name", joint_catalogue(np.random.default_rng(0)))
def test_every_joint_between_moving_neighbours(name):
    check(spec_around(name).compile(), 7)


@pytest.mark.parametrize("seed", range(6))
def test_wrenches_on_bodies(seed):
    model = random_tree(seed, 7)
    check(model, seed, wrenches=np.random.default_rng(seed).normal(size=(model.nbodies, 6)))


def test_a_pendulum_by_hand():
    """m l^2 qddot + m g l cos q, in the plane of x and z: gravity pulls down (the report's, as printed, pushes)."""
    spec = mm.Spec(gravity=(0, 0, -9.81))
    spec.add_body("bob", None, mm.Revolute((0, -1, 0)), None, mm.translation(0.7, 0, 0), mm.Inertia(2.0, (0, 0, 0)))
    got = tensors(spec.compile(), np.array([0.4]), np.array([3.0]), np.array([1.1]))
    np.testing.assert_allclose(got, [2 * 0.49 * 1.1 + 2 * 9.81 * 0.7 * np.cos(0.4)], rtol=1e-14)


def test_an_euler_joint_is_a_chain_of_hinges_with_massless_links():
    whole, chain = mm.Spec(), mm.Spec()
    whole.add_body("b", None, mm.SphericalEuler("ZXY"), None, mm.translation(0.2, 0.3, 0.1), BOX)
    for i, axis in enumerate(((0, 0, 1), (1, 0, 0))):
        chain.add_body(f"link{i}", f"link{i - 1}" if i else None, mm.Revolute(axis))
    chain.add_body("b", "link1", mm.Revolute((0, 1, 0)), None, mm.translation(0.2, 0.3, 0.1), BOX)
    vectors = random_state(whole.compile(), 3)
    np.testing.assert_allclose(tensors(whole.compile(), *vectors), tensors(chain.compile(), *vectors), rtol=1e-13)


def test_forces_count():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), BOX)
    spec.add_force(mm.JointSpring("a", stiffness=7, damping=0.3, rest=0.1))
    check(spec.compile())


def test_no_degree_of_freedom_and_three_hundred_bodies():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Fixed(), None, None, BOX)
    assert tensors(spec.compile(), [], [], []).shape == (0,)
    check(random_tree(1, 300, ["revolute", "universal", "prismatic"], branching=0.9), 1)


def test_other_number_types():
    model = random_tree(4, 6)
    vectors = random_state(model, 4)
    expected = mm.inverse_dynamics(model, *vectors)
    stepped = [x + 1e-30j * i for i, x in enumerate(vectors, start=1)]
    slope, known = (tensors(model, *stepped).imag, mm.inverse_dynamics(model, *stepped).imag)
    np.testing.assert_allclose(slope, known, rtol=0, atol=1e-13 * np.abs(known).max())
    single = tensors(model.astype(np.float32), *vectors)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_words_for_bad_input():
    model = random_tree(0, 2)
    zeros = np.zeros(model.ndof)
    with pytest.raises(
        ValueError, match='the method is "rnea" or "balafoutis-patel", not "newton"'.replace('"newton"', "'newton'")
    ):
        mm.inverse_dynamics(model, zeros, zeros, zeros, method="newton")
    with pytest.raises(ValueError, match=r"qdot\[0\] is nan"):
        tensors(model, zeros, np.full(model.ndof, np.nan), zeros)
    with pytest.raises(ValueError, match="degrees of freedom"):
        tensors(model, np.zeros(model.ndof + 1), zeros, zeros)
