"""The walker with knees as a scene, against the limit cycle that Newton finds on its return map."""

import numpy as np
import pytest

import myomass as mm
from myomass.scenes.kneed_walker import KneedWalker


def test_the_scene_walks_into_the_limit_cycle():
    """Two programs: knees locked by constraints in one model, and models with welded knees."""
    run = mm.simulate(mm.scenes.load("kneed-walker"), integrator="recursive", rtol=1e-10, atol=1e-12, duration=24.0)
    assert run.ended == "completed"
    kinds = [event.kind for event in run.events]
    assert kinds == ["knee strike", "heel strike"] * (len(kinds) // 2) + ["knee strike"] * (len(kinds) % 2)
    heels = np.array([event.time for event in run.events if event.kind == "heel strike"])
    cycle = mm.walking.limit_cycle(KneedWalker().return_map(), KneedWalker().guess)
    assert cycle.stable
    assert np.diff(heels)[-1] == pytest.approx(cycle.period, abs=1e-8)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [({"slope": -1.0}, "kneed-walker: the slope is in rad"), ({"gravity": 0.0}, "kneed-walker: gravity must be")],
)
def test_bad_parameters_of_a_walker_with_knees(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        mm.scenes.load("kneed-walker", **parameters)


def test_locked_knees_stay_straight_and_strikes_take_energy():
    run = mm.simulate(mm.scenes.load("kneed-walker"), duration=2.5)
    assert len(run.events) >= 7
    for piece in run.pieces:
        for row in np.flatnonzero(piece.model.constraints.ends["dof"] >= 0):
            assert np.abs(piece.q[:, piece.model.constraints.ends["dof"][row]]).max() < 1e-9
    for event in run.events:
        before = mm.energy(event.model_before, event.q_before, event.qdot_before).kinetic
        after = mm.energy(event.model_after, event.q_after, event.qdot_after).kinetic
        assert after < before
