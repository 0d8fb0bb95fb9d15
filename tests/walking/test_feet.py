"""Feet that strike the ground: out of flight, one after the other, and one alone."""

import pickle
from itertools import pairwise

import numpy as np
import pytest

import myomass as mm

LEG = mm.Inertia.cuboid((0.05, 0.05, 1.0), mass=1.0)
FOOT, HINGE = (0.0, 0.0, -0.5), mm.Revolute((0, -1, 0))


def jumper() -> mm.Model:
    """Two legs joined at the hip, in flight."""
    spec = mm.Spec("jumper")
    spec.add_body("left", None, mm.Free3D(), mm.translation(0, 0, 0.5), None, LEG)
    spec.add_body("right", "left", HINGE, mm.translation(0, 0, 0.5), mm.translation(0, 0, -0.5), LEG)
    return spec.compile()


def heights(run: mm.Trajectory, ground: float) -> np.ndarray:
    """Of both feet over the ground. (rows, 2)"""
    return (run.poses @ (*FOOT, 1.0))[..., 2] - ground


@pytest.mark.parametrize("ground", [0.0, 0.2])
@pytest.mark.parametrize("first", ["left", "right"])
def test_a_jumper_lands_on_one_foot_and_then_on_the_other(ground, first):
    model = jumper()
    feet = mm.walking.Feet(dict.fromkeys(model.names, FOOT), origin=None if ground == 0.0 else (0, 0, ground))
    assert feet.bearing(model) is None
    q = [0, 0, 0.6, 0, -0.15, 0, -0.5] if first == "left" else [0, 0, 0.6, 0, 0.35, 0, 0.5]
    run = mm.simulate(model, q=q, duration=0.9, rtol=1e-9, atol=1e-9, events=mm.walking.strike(feet, HINGE))
    bears = [feet.bearing(happened.model_after) for happened in run.events]
    assert run.ended == "completed"
    assert bears[:2] == [first, {"left": "right", "right": "left"}[first]]
    assert all(a != b for a, b in pairwise(bears))  # nobody strikes who stands
    rows = heights(run, ground)[run.t <= run.events[1].time]
    assert rows.min() > -1e-9
    np.testing.assert_allclose(rows[-1], 0.0, atol=1e-9)


def test_a_foot_alone_lands_and_stays():
    spec = mm.Spec("stick")
    spec.add_body("stick", None, mm.Free3D(), mm.translation(0, 0, 1.0), None, LEG)
    run = mm.simulate(spec.compile(), duration=0.6, rtol=1e-9, events=mm.walking.strike({"stick": FOOT}, HINGE))
    assert [happened.time for happened in run.events] == [pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=1e-7)]
    assert run.last_model.ndof == 1
    np.testing.assert_allclose(heights(run, 0.0)[-1], 0.0, atol=1e-9)


def hopper() -> tuple[mm.Model, mm.walking.Feet]:
    """A trunk on a springy leg, in flight."""
    spec = mm.Spec("hopper")
    spec.add_body("trunk", None, mm.Free3D(), inertia=mm.Inertia.sphere(0.15, mass=5.0))
    foot = mm.Inertia.cuboid((0.05, 0.05, 0.4), mass=0.5)
    spec.add_body("leg", "trunk", mm.Prismatic((0, 0, 1)), mm.translation(0, 0, -0.2), mm.translation(0, 0, -0.3), foot)
    spec.add_force(mm.JointSpring("leg", stiffness=2000.0, damping=1.0))
    return spec.compile(), mm.walking.Feet({"leg": (0, 0, -0.2)}, origin=(0, 0, 0))


def told(event) -> list[tuple]:
    """(model, q, qdot) before and after an event."""
    before = event.model_before, event.q_before, event.qdot_before
    return [before, (event.model_after, event.q_after, event.qdot_after)]


def test_a_hopper_strikes_and_leaves_the_ground_by_turns():
    model, feet = hopper()
    events = [mm.walking.strike(feet), mm.walking.lift_off(feet, "trunk")]
    run = mm.simulate(model, q=[0, 0, 1.2, 0, 0, 0, 0], duration=2.5, rtol=1e-9, atol=1e-10, events=events)
    assert run.ended == "completed"
    kinds = [event.kind for event in run.events]
    assert len(kinds) > 6
    assert kinds == ["strike", "lift-off"] * (len(kinds) // 2) + ["strike"] * (len(kinds) % 2)
    assert run.events[0].time == pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=1e-7)
    toes = (run.poses[:, 1] @ (0, 0, -0.2, 1.0))[:, 2]
    assert toes.min() > -1e-9
    for event in run.events:
        old, new = (mm.energy(*state).total for state in told(event))
        if event.kind == "strike":
            assert new < old
            continue
        assert new == pytest.approx(old, rel=1e-11)  # nothing is struck, nothing lost
        standing = event.model_before
        assert abs(feet.load(standing.state(event.q_before, event.qdot_before), standing)) < 1e-6
    assert {model.names[int(np.argmax(m.parents < 0))] for _, m in run.switches} == {"leg", "trunk"}


def test_an_action_may_return_a_landing():
    model, feet = hopper()
    event = mm.Event(
        feet.gap, lambda state, model: mm.walking.land(model, state, "leg", place=(0, 0, -0.2)), direction=-1
    )
    run = mm.simulate(model, q=[0, 0, 1.2, 0, 0, 0, 0], duration=0.4, events=event)
    assert len(run.switches) == 1


def test_a_joint_that_is_none_gets_a_sentence():
    with pytest.raises(TypeError, match="strike: the joint must be one such as"):
        mm.walking.strike({"leg": FOOT}, "ball")


def test_strikes_and_lift_offs_are_pickled():
    _, feet = hopper()
    scenes = [mm.scenes.load(name) for name in ("compass-walker", "kneed-walker")]
    for event in (mm.walking.strike(feet), mm.walking.lift_off(feet, "trunk"), *scenes[0].events, *scenes[1].events):
        assert pickle.loads(pickle.dumps(event)).kind == event.kind


def test_an_error_in_an_action_says_which_event_it_was():
    model, feet = hopper()
    event = mm.walking.strike(feet, mm.Prismatic((1, 0, 0)))  # it cannot hold a leg that has turned
    with pytest.raises(ValueError, match="cannot hold 'leg'") as caught:
        mm.simulate(model, q=[0, 0, 1.2, 0, 0.2, 0, 0], duration=0.6, events=event)
    assert "event 'strike' at" in caught.value.__notes__[0]
