"""Implicit stages under constraints: what a stage returns belongs together, and a step that fails starts afresh."""

import numpy as np
import pytest

import myomass as mm

pytestmark = [pytest.mark.fast, pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")]

FREE = (0.0, 0.0, 0.0)  # Baumgarte's gains of nothing: rows hold at the level of velocities, states are not projected


def far_away(distance: float) -> mm.Model:
    """Two geared bars under a spring, so far from the world's origin that rounding keeps residuals from vanishing."""
    box = mm.Inertia.cuboid((1.0, 0.1, 0.1), mass=1.0)
    spec = mm.Spec("far away")
    spec.add_body("a", None, mm.Revolute((0, 1, 0)), mm.translation(distance, 0, 0), mm.translation(0.5, 0, 0), box)
    spec.add_body("b", "a", mm.Revolute((0, 1, 0)), mm.translation(1, 0, 0), mm.translation(0.5, 0, 0), box)
    spec.add_force(mm.PointSpring((None, (distance, 0, 3)), ("b", (0, 0, 0)), stiffness=50.0))
    spec.add_constraint(mm.Coupling("a", "b", (0, -1.0)))
    return spec.compile()


@pytest.mark.parametrize("start", [0.2, 0.3, 0.4])
@pytest.mark.parametrize("distance", [1e5, 1e6, 1e7])
def test_positions_follow_from_the_velocities_that_are_returned(distance, start):
    """bdf1: q1 = q0 + h qdot1, also where the iteration ends because it gets no further."""
    options = {"q": [start, -start], "integrator": "bdf1", "h": 0.05, "duration": 1.0, "baumgarte": FREE}
    near, run = (mm.simulate(far_away(x), **options) for x in (0.0, distance))
    assert run.ended == "completed"
    np.testing.assert_allclose(np.diff(run.q, axis=0), np.diff(run.t)[:, None] * run.qdot[1:], rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.q, near.q, rtol=0, atol=1e-6)


def test_a_step_that_fails_is_tried_again_from_where_it_began():
    """As two steps of half the length, and so with the same result as two such steps."""
    scene, h = mm.scenes.load("equality-and-loop"), 0.05
    start = mm.dynamics.assemble(scene.model, scene.q, np.full(scene.model.ndof, 10.0))

    def run(step: float) -> mm.Trajectory:
        return mm.simulate(scene.model, state=start, integrator="bdf1", h=step, duration=h, baumgarte=FREE)

    whole, halves = run(h), run(0.5 * h)
    assert (len(halves.t), halves.ended) == (3, "completed")
    assert (len(whole.t), whole.ended) == (2, "completed")
    assert whole.steps["iterations"] > halves.steps["iterations"]  # the whole step was tried first
    np.testing.assert_allclose(whole.q[-1], halves.q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(whole.qdot[-1], halves.qdot[-1], rtol=0, atol=1e-8)
