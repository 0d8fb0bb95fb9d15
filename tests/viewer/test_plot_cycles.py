"""Plots of limit cycles along a parameter show the samples that they were given."""

import numpy as np
import pytest

import myomass as mm
from myomass.viewer.plot_cycles import plot_bifurcation, plot_multipliers

pytest.importorskip("matplotlib")


def ball(r: float) -> mm.walking.ReturnMap:
    """A ball that leaves the ground at r v (1 - v), v being the speed with which it struck."""
    spec = mm.Spec("ball", gravity=(0, 0, -2.0))
    spec.add_body("ball", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    return mm.walking.ReturnMap(
        mm.walking.Phase(spec.compile(), lambda q, qdot: q[0], lambda q, qdot: (0 * q, -r * qdot * (1 + qdot)))
    )


def test_a_diagram_is_dots_over_the_parameter(tmp_path):
    diagram = mm.walking.bifurcation_diagram(ball, [2.9, 3.2, 4.5], [0.0, 0.6], strides=4, transient=20)
    figure = plot_bifurcation(diagram, coordinate=1, doublings=[3.0], label="r", scale=2.0)
    periods, states = figure.axes
    x, y = periods.lines[0].get_data()
    np.testing.assert_allclose(x, np.repeat([5.8, 6.4, 9.0], 4))
    np.testing.assert_array_equal(y, diagram.periods.ravel())
    np.testing.assert_array_equal(states.lines[0].get_ydata(), diagram.x[:, :, 1].ravel())
    np.testing.assert_allclose(periods.lines[1].get_xdata(), 6.0)
    assert states.get_xlabel() == "r"
    figure.savefig(tmp_path / "diagram.png")
    with pytest.raises(ValueError, match="a state has the numbers 0 to 1, and 2 is none of them"):
        plot_bifurcation(diagram, coordinate=2)


def test_multipliers_are_shown_by_size_and_in_the_plane(tmp_path):
    branch = mm.walking.follow_cycle(ball, [2.5, 2.8], [0.0, 0.6])
    figure = plot_multipliers(branch, label="r")
    left, right = figure.axes[:2]
    np.testing.assert_allclose(left.lines[0].get_ydata(), [0.5, 0.8])
    np.testing.assert_allclose(right.collections[0].get_offsets(), [[-0.5, 0.0], [-0.8, 0.0]], atol=1e-9)
    figure.savefig(tmp_path / "multipliers.png")
