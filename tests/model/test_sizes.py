"""One body, 300, 3,000, none that moves, and chains deeper than Python's recursion limit."""

import copy
import pickle
import sys

import numpy as np
import pytest

import myomass as mm

BOX = mm.Inertia.cuboid((0.1, 0.02, 0.02), mass=0.1)


def chain(n, joint=None):
    spec = mm.Spec("chain")
    for i in range(n):
        axis = (0, 1, 0) if i % 2 else (0, 0, 1)
        place = mm.translation(0.1 if i else 0, 0, 0)
        spec.add_body(
            f"b{i}", f"b{i - 1}" if i else None, joint or mm.Revolute(axis), place, mm.translation(0.05, 0, 0), BOX
        )
    return spec.compile()


@pytest.mark.parametrize("n", [1, 2, 300, 3000])
def test_chains_of_any_length(n):
    assert n < 1000 or n > sys.getrecursionlimit()
    model = chain(n)
    rng = np.random.default_rng(n)
    q, qdot, qddot = rng.uniform(-0.3, 0.3, n), rng.normal(size=n), rng.normal(size=n)
    tau = mm.inverse_dynamics(model, q, qdot, qddot)
    back = mm.forward_dynamics(model, q, qdot, tau)
    again = mm.inverse_dynamics(model, q, qdot, back)  # the residual, which conditioning does not blow up
    np.testing.assert_allclose(again, tau, rtol=0, atol=1e-10 * np.abs(tau).max())
    assert mm.forward_kinematics(model, q).shape == (n, 4, 4)
    twists, _ = mm.algorithms.jacobian_products(model, q, qdot, qdot)
    np.testing.assert_allclose(
        twists, mm.body_twists(model, q, qdot).ravel(), rtol=0, atol=1e-12 * np.abs(twists).max()
    )
    trajectory = mm.simulate(model, q=q, qdot=0 * qdot, h=1e-5, duration=1e-4)
    assert trajectory.ended == "completed"


def test_a_star_of_3000_bodies():
    spec = mm.Spec()
    spec.add_body("hub", joint=mm.Free3D(), inertia=BOX)
    for i in range(3000):
        spec.add_body(f"ray{i}", "hub", mm.Revolute((0, 1, 0)), None, mm.translation(0.05, 0, 0), BOX)
    model = spec.compile()
    q, tau = np.full(model.ndof, 0.1), np.ones(model.ndof)
    qddot = mm.forward_dynamics(model, q, q, tau)
    terms = np.abs(mm.mass_matrix(model, q)) @ np.abs(qddot)  # large ones that cancel: the measure of rounding
    np.testing.assert_allclose(mm.inverse_dynamics(model, q, q, qddot), tau, rtol=0, atol=1e-13 * terms.max())


@pytest.mark.fast
@pytest.mark.parametrize("n", [1, 5])
def test_a_model_without_degrees_of_freedom(n):
    model = chain(n, joint=mm.Fixed())
    assert model.ndof == 0
    nothing = np.zeros(0)
    assert mm.forward_dynamics(model, nothing, nothing).shape == (0,)
    assert mm.forward_dynamics(model, nothing, nothing, method="redmax").shape == (0,)
    assert mm.inverse_dynamics(model, nothing, nothing, nothing).shape == (0,)
    assert mm.mass_matrix(model, nothing).shape == (0, 0)
    assert mm.jacobian(model, nothing).shape == (6 * n, 0)
    assert mm.jacobian_dot(model, nothing, nothing).shape == (6 * n, 0)
    qddot, tau = mm.hybrid_dynamics(model, nothing, nothing, nothing, nothing, np.zeros(0, bool))
    assert qddot.shape == tau.shape == (0,)
    assert mm.energy(model, nothing, nothing).kinetic == 0
    np.testing.assert_allclose(mm.forward_kinematics(model, nothing)[-1, 0, 3], 0.1 * n - 0.05)
    for integrator in ("symplectic", "rk4"):
        trajectory = mm.simulate(model, integrator=integrator, duration=0.01)
        assert trajectory.q.shape == (11, 0)
        assert trajectory.poses.shape == (11, n, 4, 4)
        assert trajectory.energy_drift == 0


def test_a_single_free_body_falls():
    spec = mm.Spec(gravity=(0, 0, -9.81))
    spec.add_body("stone", joint=mm.Free3D(), inertia=BOX)
    model = spec.compile()
    qddot = mm.forward_dynamics(model, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(qddot, (0, 0, -9.81, 0, 0, 0), rtol=0, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_huge_and_tiny_scales(scale):
    """Lengths scaled by s and masses by s^3: angular accelerations under gravity scale by 1/s."""
    model, unit = scaled_chain(scale), scaled_chain(1.0)
    q = np.full(model.ndof, 0.2)
    qddot, reference = mm.forward_dynamics(model, q, 0 * q), mm.forward_dynamics(unit, q, 0 * q)
    np.testing.assert_allclose(qddot * scale, reference, rtol=1e-9)
    np.testing.assert_allclose(mm.forward_dynamics(model, q, 0 * q, method="redmax"), qddot, rtol=1e-8)


def scaled_chain(scale):
    spec = mm.Spec(gravity=(0, 0, -9.81))
    box = mm.Inertia.cuboid(np.array((0.1, 0.02, 0.03)) * scale, density=1000)
    for i in range(6):
        place = mm.translation(0.1 * scale if i else 0, 0, 0)
        joint = mm.SphericalExp() if i == 3 else mm.Revolute((0, 1, i))
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, joint, place, mm.translation(0.05 * scale, 0, 0), box)
    return spec.compile()


def test_a_model_survives_pickling_and_copying():
    """And is recognised by the kernels at once: its records have the very dtypes they were compiled for."""
    model = chain(3)
    mm.forward_dynamics(model, np.zeros(3), np.zeros(3))
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.links.dtype is model.links.dtype
        assert twin.dtype is model.dtype
        q = np.array([0.1, 0.2, 0.3])
        np.testing.assert_array_equal(mm.forward_dynamics(twin, q, q), mm.forward_dynamics(model, q, q))


def test_a_far_and_fast_body_keeps_its_angular_momentum():
    spec = mm.Spec()
    spec.add_body("satellite", joint=mm.Free3D(), inertia=BOX)
    model = spec.compile()
    spin = np.array([0.3, -0.2, 0.1])
    there = mm.momentum(model, np.array([4e6, 3e6, -5e6, 0, 0, 0]), np.array([2e3, -7e3, 1e3, *spin]))
    np.testing.assert_allclose(there.angular, BOX.moments * spin, rtol=1e-12)
