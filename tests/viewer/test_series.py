"""What plots are made of: names and units of degrees of freedom and rows, and fewer rows that show the same."""

import numpy as np
import pytest

import myomass as mm
from myomass.constraints import loop
from myomass.constraints.coupled import POLYNOMIAL
from myomass.constraints.kinds import row_units
from myomass.joints.dispatch import KINDS
from myomass.viewer.frames import Frames
from myomass.viewer.series import chosen_dofs, dof_names, dof_units, spread, thinned, units_in_order

BALL = mm.Inertia.sphere(0.1, mass=2.0)


class TestNamesAndUnits:
    def test_every_joint_has_its_units(self):
        fixed = [kind for kind in KINDS if kind is not mm.joints.SpatialTransform]  # whose number and units vary
        assert all(len(kind.units) in (0, kind.ndof) for kind in fixed)
        unnamed = {kind.__name__ for kind in fixed if not kind.units}
        assert unnamed == {"Fixed", "SplineCurve", "SplineSurface"}

    def test_of_a_model(self):
        frames = np.array([mm.translation(x, 0, 0) for x in range(5)])
        spec = mm.Spec("mixed", (0, 0, 0))
        spec.add_body("box", None, mm.Free2D(), inertia=BALL)
        spec.add_body("plate", "box", mm.Fixed(), inertia=BALL)
        spec.add_body("bead", None, mm.Inverse(mm.SplineCurve(frames, closed=False)), inertia=BALL)
        spec.add_body("arm", "box", mm.Composite(mm.Prismatic((1, 0, 0)), mm.Universal()), inertia=BALL)
        model = spec.compile()
        assert dof_names(model) == ["box[0]", "box[1]", "box[2]", "bead", "arm[0]", "arm[1]", "arm[2]"]
        assert dof_units(model) == ["m", "m", "rad", "1", "m", "rad", "rad"]

    def test_of_rows(self):
        spec = mm.Spec("rows", (0, 0, 0))
        spec.add_body("a", None, mm.Prismatic((1, 0, 0)), inertia=BALL)
        spec.add_body("b", None, mm.Revolute((1, 0, 0)), inertia=BALL)
        spec.add_constraint(mm.Coupling("b", "a", (0, 1)))
        spec.add_constraint(mm.JointStop("b", -1, 1))
        spec.add_constraint(mm.Loop(("a", (0, 0, 0)), ("b", (0, 0, 0)), "hinge", axis=(1, 0, 0)))
        assert row_units(spec.compile()) == ["m", "rad", "rad", "m", "m", "m", "rad", "rad"]

    def test_of_kinds_that_say_nothing(self, monkeypatch):
        """A joint has the unit 1; a row that of the coordinate that it is about, or m."""
        spec = mm.Spec("rows", (0, 0, 0))
        spec.add_body("a", None, mm.Prismatic((1, 0, 0)), inertia=BALL)
        spec.add_body("b", None, mm.Revolute((1, 0, 0)), inertia=BALL)
        spec.add_constraint(mm.Coupling("a", "b", (0, 1)))
        spec.add_constraint(mm.Loop(("a", (0, 0, 0)), ("b", (0, 0, 0)), "ball"))
        model = spec.compile()
        for formula in (POLYNOMIAL, loop.BALL):
            monkeypatch.setattr(formula, "unit", None)
        assert row_units(model) == ["m", "m", "m", "m"]
        monkeypatch.setattr(mm.Revolute, "units", ())
        assert dof_units(spec.compile()) == ["m", "1"]

    def test_units_nobody_has_heard_of_are_shown_too(self):
        assert units_in_order(["V", "m", "rad", "m"]) == ["rad", "m", "V"]

    def test_choice(self):
        spec = mm.Spec("ball")
        spec.add_body("ball", None, mm.Free3D("TR"), inertia=BALL)
        model = spec.compile()
        assert chosen_dofs(model, "ball") == list(range(6))
        assert chosen_dofs(model, [3, "ball"]) == [3, 0, 1, 2, 4, 5]
        for wrong in (6, -1, True, 0.5, [None]):
            with pytest.raises((ValueError, TypeError), match=r"0 to 5|not iterable"):
                chosen_dofs(model, wrong)
        with pytest.raises(KeyError, match="no body 'bal'"):
            chosen_dofs(model, "bal")


class TestThinning:
    @pytest.mark.parametrize("count", [1, 7, 4000, 4001, 12_345])
    def test_keeps_ends_and_extremes(self, count):
        x = np.random.default_rng(3).normal(size=count)
        rows = thinned(x, 4000)
        assert len(rows) <= 4002
        assert (np.diff(rows) > 0).all()
        assert rows[0] == 0
        assert rows[-1] == count - 1
        assert x[rows].max() == x.max()
        assert x[rows].min() == x.min()
        for part in np.array_split(np.arange(count), 100):  # and not only those of all
            near = rows[(rows >= part[0] - 10) & (rows <= part[-1] + 10)] if len(part) else rows
            assert not len(part) or x[near].max() >= x[part].max()

    def test_spread(self):
        assert spread(3, 500).tolist() == [0, 1, 2]
        rows = spread(10_001, 500)
        assert (len(rows), rows[0], rows[-1]) == (500, 0, 10_000)


def test_a_run_whose_tree_is_hung_anew_is_shown_as_one_that_floats():
    run = mm.simulate(mm.scenes.load("compass-walker"), integrator="recursive", duration=3.0)
    assert len(run.switches) == len(run.events) == 4
    shown = Frames(run).trajectory
    assert not shown.switches
    assert shown.model.ndof == 7
    np.testing.assert_allclose(shown.poses, run.poses, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shown.twists, run.twists, rtol=0, atol=1e-11)
    np.testing.assert_allclose(shown.kinetic, run.kinetic, rtol=1e-11)


@pytest.mark.parametrize("zero", ["bind", "now"])
def test_joints_that_count_from_anywhere_are_shown(zero):
    spec = mm.Spec("arm")
    spec.add_body("upper", None, mm.SphericalExp(), None, mm.translation(0.3, 0, 0), BALL)
    spec.add_body("lower", "upper", mm.Universal(), mm.translation(1, 0, 0), mm.translation(0.3, 0, 0), BALL)

    def let_go(state, model):
        return mm.reroot(model, state, "lower", place=(0.1, 0, 0), zero=zero)

    event = mm.Event(lambda state: state.t - 0.3, let_go)
    run = mm.simulate(spec.compile(), q=[0.5, 0.4, 0.3, 0.2, 0.1], qdot=[1, 2, 3, 4, 5], events=event, duration=0.6)
    assert len(run.switches) == 1
    shown = Frames(run).trajectory
    np.testing.assert_allclose(shown.poses, run.poses, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shown.twists, run.twists, rtol=0, atol=1e-11)


def test_a_joint_that_was_locked_at_zero_is_shown_with_the_others():
    spec = mm.Spec("arm", (0, 0, 0))
    spec.add_body("upper", None, mm.Revolute(), None, mm.translation(0.3, 0, 0), BALL)
    spec.add_body("lower", "upper", mm.Revolute(), mm.translation(1, 0, 0), mm.translation(0.3, 0, 0), BALL)
    free = spec.compile()
    spec.bodies["lower"].joint = mm.Fixed()
    locked = spec.compile()
    release = mm.Event(lambda state: state.t - 0.5, lambda state: (free, free.state([state.q[0], 0], [1, 2], state.t)))
    run = mm.simulate(locked, qdot=[1.0], events=release)
    assert run.switches
    np.testing.assert_allclose(Frames(run).trajectory.poses, run.poses, rtol=0, atol=1e-12)


def test_models_without_a_common_one_get_a_sentence():
    spec = mm.Spec("ball", (0, 0, 0))
    spec.add_body("ball", None, mm.Prismatic(), inertia=BALL)
    spec.add_body("other", "ball", mm.Prismatic((1, 0, 0)), inertia=BALL)
    first = spec.compile()
    spec.bodies["other"].joint = mm.Prismatic((0, 1, 0))
    other = spec.compile()
    event = mm.Event(lambda state: state.t - 0.5, lambda state: (other, state))
    run = mm.simulate(first, qdot=[1.0, 1.0], events=event)
    with pytest.raises(NotImplementedError, match=r"no common one to be shown in; take one of trajectory\.pieces"):
        Frames(run)
    assert Frames(run.pieces[1]).start == run.events[0].time
