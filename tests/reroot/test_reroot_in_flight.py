"""Trees that are hung anew while they move: nothing about the motion may tell."""

import numpy as np
import pytest
from trees import random_frame, random_inertia

import myomass as mm

KINDS = [mm.Revolute((1, 2, 0)), mm.SphericalExp(), mm.Universal(), mm.Prismatic((0, 1, 1)), mm.Revolute((0, 1, 0))]


def floating(seed: int = 1, bodies: int = 10) -> tuple[mm.Model, mm.State]:
    """A floating tree with all kinds of joints, turning."""
    rng, spec = np.random.default_rng(seed), mm.Spec("acrobat", gravity=(0, 0, 0))
    for i in range(bodies):
        joint = mm.Free3D() if i == 0 else KINDS[i % len(KINDS)]
        parent = None if i == 0 else f"b{rng.integers(max(0, i - 3), i)}"
        spec.add_body(f"b{i}", parent, joint, random_frame(rng), random_frame(rng), random_inertia(rng))
    model = spec.compile()
    return model, model.state(0.3 * rng.normal(size=model.ndof), 0.5 * rng.normal(size=model.ndof))


def conserved(model: mm.Model, state: mm.State) -> np.ndarray:
    """Energy, linear momentum, and angular momentum about the origin."""
    p = mm.momentum(model, state.q, state.qdot)
    return np.concatenate(
        [[mm.energy(model, state.q, state.qdot).kinetic], p.linear, p.angular + np.cross(p.centre, p.linear)]
    )


def test_a_thousand_rerootings_at_random_bodies_keep_energy_and_momenta_to_rounding():
    model, state = floating()
    start, poses, rng = conserved(model, state), mm.forward_kinematics(model, state.q), np.random.default_rng(2)
    for _ in range(1000):
        model, state = mm.reroot(model, state, int(rng.integers(model.nbodies)), place=rng.uniform(-0.2, 0.2, 3))
    np.testing.assert_allclose(conserved(model, state), start, rtol=0, atol=2e-12 * np.abs(start).max())
    np.testing.assert_allclose(mm.forward_kinematics(model, state.q), poses, rtol=0, atol=2e-12)


def test_a_thousand_rerootings_in_flight():
    """One every millisecond, while the tree flies: what the integrator keeps is kept, and its motion is the same."""
    model, state = floating()
    rng = np.random.default_rng(3)
    options = {"integrator": "recursive", "rtol": 1e-12, "atol": 1e-13}

    def hang(state: mm.State, model: mm.Model) -> tuple[mm.Model, mm.State]:
        return mm.reroot(model, state, int(rng.integers(model.nbodies)), place=rng.uniform(-0.2, 0.2, 3))

    clock = mm.Event(lambda state: np.sin(1000 * np.pi * (state.t - 0.0005)), hang, kind="hung anew")
    run = mm.simulate(model, state=state, duration=1.0, h=5e-4, events=clock, **options)
    whole = mm.simulate(model, state=state, duration=1.0, **options)
    assert run.ended == "completed"
    assert len(run.switches) == len(run.events) == 1000
    start, end = conserved(model, state), conserved(run.last_model, run.state)
    np.testing.assert_allclose(end, start, rtol=0, atol=1e-11 * np.abs(start).max())
    np.testing.assert_allclose(run.poses[-1], whole.poses[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.twists[-1], whole.twists[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("integrator", "h", "accuracy"), [("rk4", 1e-3, 1e-8), ("sdirk2", 1e-3, 1e-4)])
def test_a_run_that_reroots_at_every_step_is_the_run_that_never_does(integrator, h, accuracy):
    """To what the integrators can: a step of one tree is not that of another, but both converge to one motion."""
    model, state = floating(4, 5)
    bodies = iter(np.random.default_rng(5).integers(model.nbodies, size=1000))

    def hang(state: mm.State, model: mm.Model) -> tuple[mm.Model, mm.State]:
        return mm.reroot(model, state, int(next(bodies)), place=(0, 0, 0))

    clock = mm.Event(lambda state: np.sin(np.pi / h * (state.t - 0.5 * h)), hang)
    given = {"state": state, "duration": 0.1, "integrator": integrator, "h": h}
    run, whole = mm.simulate(model, events=clock, **given), mm.simulate(model, **given)
    assert len(run.switches) == 100
    np.testing.assert_allclose(run.poses[-1], whole.poses[-1], rtol=0, atol=accuracy)
    np.testing.assert_allclose(run.twists[-1], whole.twists[-1], rtol=0, atol=20 * accuracy)
