"""What plots are made of: names and units of degrees of freedom and rows, and fewer rows that show the same."""

import numpy as np
import pytest

import myomass as mm
from myomass.joints.dispatch import KINDS
from myomass.viewer.frames import Frames
from myomass.viewer.plots import plot_coordinates
from myomass.viewer.series import UNITS, chosen_dofs, dof_names, dof_units, row_units, spread, thinned

BALL = mm.Inertia.sphere(0.1, mass=2.0)


class TestNamesAndUnits:
    def test_every_joint_has_its_units(self):
        assert set(UNITS) == set(KINDS)
        assert all(len(units) == kind.ndof for kind, units in UNITS.items())

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


def test_a_run_of_several_models_is_not_drawn_as_one():
    spec = mm.Spec("ball", (0, 0, 0))
    spec.add_body("ball", None, mm.Prismatic(), inertia=BALL)
    other = spec.compile()
    event = mm.Event(lambda state: state.t - 0.5, lambda state: (other, state))
    run = mm.simulate(spec.compile(), qdot=[1.0], events=event)
    for show in (Frames, plot_coordinates):
        with pytest.raises(NotImplementedError, match=r"goes over to other models .* take one of trajectory\.pieces"):
            show(run)
    assert Frames(run.pieces[1]).start == run.events[0].time
