"""Maximal coordinates beside reduced ones: the same motion, to first order in the step."""

import itertools

import numpy as np
import pytest
from trees import random_frame, random_inertia

import myomass as mm


def chain(n=4, joint=None, **options):
    spec, link = mm.Spec("chain"), mm.Inertia.cuboid((0.5, 0.1, 0.05), mass=1)
    for i in range(n):
        turn = (joint or mm.Revolute)(**options) if joint else mm.Revolute((0, 1, 0) if i % 2 else (0, 0, 1))
        place = mm.translation(0.5 * (i > 0), 0, 0)
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, turn, place, mm.translation(0.25, 0, 0), link)
    return spec


def end_of(model, integrator, **options):
    return mm.simulate(model, integrator=integrator, duration=0.4, **options)


def errors(model, steps=(4e-3, 2e-3, 1e-3), **options):
    """Largest error of a body's pose at the end, of maximal coordinates."""
    exact = end_of(model, "recursive", rtol=1e-11, atol=1e-13, **options).poses[-1]
    return [np.abs(end_of(model, "maximal", h=h, **options).poses[-1] - exact).max() for h in steps]


def converges(found):
    return all(1.7 < a / b < 2.4 for a, b in itertools.pairwise(found))


@pytest.mark.parametrize("joint", [None, mm.SphericalExp, mm.Planar, mm.Prismatic, mm.Translational])
def test_an_open_chain(joint):
    model = chain(3, joint).compile()
    rng = np.random.default_rng(0)
    q, qdot = 0.3 * rng.normal(size=model.ndof), rng.normal(size=model.ndof)
    found = errors(model, q=q, qdot=qdot)
    assert found[-1] < 0.05
    assert converges(found) or found[-1] < 1e-9  # translations alone are integrated exactly but for gravity


def test_it_agrees_with_reduced_steps_to_first_order():
    """Their difference shrinks with the step."""
    model = chain().compile()
    q = np.full(4, 0.2)
    apart = [
        np.abs(end_of(model, "maximal", q=q, h=h).q[-1] - end_of(model, "euler", q=q, h=h).q[-1]).max()
        for h in (4e-3, 2e-3, 1e-3)
    ]
    assert converges(apart)


def test_springs_and_torques_are_implicit():
    """Springs too stiff for explicit steps, on joints and between points, and a constant torque."""
    spec = chain(2)
    for name in spec.bodies:
        spec.add_force(mm.JointSpring(name, stiffness=2e4, damping=10))
    spec.add_force(mm.PointSpring((None, (1.0, 0, 0.2)), ("b1", (0.25, 0, 0)), stiffness=1e5, damping=10))
    spec.add_force(mm.JointTorque("b0", 5.0))
    model = spec.compile()
    rest = mm.simulate(model, integrator="bdf1", h=1e-2, duration=20.0).q[-1]
    run = mm.simulate(model, integrator="maximal", h=1e-2, duration=5.0)
    np.testing.assert_allclose(run.q[-1], rest, atol=1e-6)


def test_torques_on_ball_and_free_joints_turn_into_wrenches_on_bodies():
    """No row reads their coordinates, and a torque there reaches the bodies all the same."""
    spec, link = mm.Spec("mixed"), mm.Inertia.cuboid((0.5, 0.2, 0.1), mass=1)
    joints = (mm.Free3D(), mm.Revolute((0, 1, 0)), mm.SphericalExp())
    for name, parent, joint in zip("abc", (None, "a", "b"), joints, strict=True):
        place = mm.translation(0.5 * (parent is not None), 0, 0)
        spec.add_body(name, parent, joint, place, mm.translation(0.25, 0, 0), link)
    model = spec.compile()
    q, tau = np.linspace(-0.3, 0.4, 10), np.array([3, -4, 5, 0.1, -0.2, 0.3, 0.2, 0.05, -0.1, 0.08])
    found = errors(model, q=q, tau=tau)
    assert found[-1] < 5e-3
    assert converges(found)


def test_it_drifts_without_a_projection_and_baumgarte_holds_it():
    """q is the nearest to the bodies; how far they are from it shows in the steps' own poses."""
    model = chain().compile()
    q = np.full(4, 0.2)
    exact = end_of(model, "recursive", q=q, rtol=1e-11, atol=1e-13).q[-1]
    for gains in ((0, 0, 0), (0, 0, 50.0)):
        run = end_of(model, "maximal", q=q, h=1e-3, baumgarte=gains)
        assert np.abs(run.q[-1] - exact).max() < 0.05


def test_loops_couplings_and_drives():
    for name in ("loop", "equality-constrained-angles", "prescribed-joint", "gears"):
        scene = mm.scenes.load(name)
        exact = mm.simulate(scene, integrator="recursive", rtol=1e-10, atol=1e-12, duration=0.2)
        found = [
            np.abs(mm.simulate(scene, integrator="maximal", h=h, duration=0.2).poses[-1] - exact.poses[-1]).max()
            for h in (2e-3, 1e-3)
        ]
        assert found[1] < 0.7 * found[0], name
        assert found[1] < 2e-2, name


def test_a_chain_of_a_hundred_bodies_is_sparse():
    model = chain(100).compile()
    run = mm.simulate(model, q=np.full(100, 0.01), integrator="maximal", h=1e-3, duration=5e-3)
    other = mm.simulate(model, q=np.full(100, 0.01), integrator="euler", h=1e-3, duration=5e-3)
    np.testing.assert_allclose(run.q[-1], other.q[-1], atol=1e-4)


def test_what_it_cannot_do():
    spec = chain(2, mm.Universal)
    with pytest.raises(ValueError, match=r"maximal coordinates know simple joints.*Universal"):
        mm.simulate(spec.compile(), integrator="maximal")
    spec = chain(2)
    spec.add_constraint(mm.JointFriction("b0", 0.5, radius=0.1, height=0.1))
    with pytest.raises(ValueError, match="no friction"):
        mm.simulate(spec.compile(), integrator="maximal")
    spec = chain(2, mm.SphericalExp)
    spec.add_force(mm.JointSpring("b0", 1.0))
    with pytest.raises(ValueError, match="cannot act on the coordinates of ball"):
        mm.simulate(spec.compile(), integrator="maximal")


def test_point_masses_and_massless_links():
    """What the joints hold needs no inertia of its own."""
    spec = mm.Spec("pendulum")
    spec.add_body("ring", None, mm.Revolute((0, 1, 0)))
    spec.add_body("bob", "ring", mm.Revolute((1, 0, 0)), None, mm.translation(0, 0, -1), mm.Inertia.point(1.0))
    found = errors(spec.compile(), q=[0.4, 0.3], qdot=[0.5, -0.2])
    assert found[-1] < 5e-3
    assert converges(found)


SIMPLE = [mm.Revolute((1, 2, 0)), mm.Prismatic((0, 1, 1)), mm.SphericalExp(), mm.Fixed()]


@pytest.mark.parametrize("joint", SIMPLE, ids=repr)
def test_inverse_joints_are_held_from_their_other_end(joint):
    rng, spec = np.random.default_rng(3), mm.Spec(gravity=(1, 2, -9))
    for name, parent, own in (("a", None, mm.Revolute()), ("b", "a", joint), ("c", "b", mm.Revolute((1, 1, 0)))):
        inverse = own if parent is None else mm.Inverse(own)
        spec.add_body(name, parent, inverse, random_frame(rng), random_frame(rng), random_inertia(rng))
    if joint.ndof == 1:
        spec.add_force(mm.JointSpring("b", 5.0, 0.3))
    spec.add_force(mm.JointTorque("c", 0.4))
    model = spec.compile()
    start = {"q": 0.3 * rng.normal(size=model.ndof), "qdot": rng.normal(size=model.ndof), "duration": 0.2}
    exact = mm.simulate(model, rtol=1e-10, atol=1e-12, **start).poses[-1]
    coarse, fine = (
        np.abs(mm.simulate(model, integrator="maximal", h=h, **start).poses[-1] - exact).max() for h in (2e-3, 1e-3)
    )
    assert fine < 2e-3
    assert coarse / fine == pytest.approx(2, rel=0.02)
