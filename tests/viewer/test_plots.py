"""Plots show the run: lines carry its numbers, labels their units, titles the drift; and sentences where nothing is."""

import sys
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

import myomass as mm
from myomass.viewer import plots
from myomass.viewer.panels import MOST_LINES, MOST_POINTS
from myomass.viewer.plot_forces import FLOOR, ground_force
from myomass.viewer.series import charts_used

GRAVITY, MASS = 9.81, 2.0
BAR = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=MASS)
BALL = mm.Inertia.sphere(0.1, mass=MASS)
DOWN = mm.translation(0, 0, -0.5)


def chain(count=2, name="chain"):
    spec = mm.Spec(name, (0, 0, -GRAVITY))
    for i in range(count):
        parent, place = (f"link{i - 1}", mm.translation(0, 0, -0.5)) if i else (None, None)
        spec.add_body(f"link{i}", parent, mm.Revolute((0, 1, 0)), place, DOWN, BAR)
    return spec.compile()


def resting_ball(contact=True, ground=False, friction=0.5):
    spec = mm.Spec("ball", (0, 0, -GRAVITY))
    spec.add_body("ball", None, mm.Free3D("TR"), inertia=BALL)
    if contact:
        spec.add_constraint(mm.Contact(mm.Sphere("ball", 0.1), friction=friction), "floor")
    if ground:
        slope = mm.rotation((0, 1, 0), 0.2)
        points = [(0.1, 0, -0.1), (-0.1, 0, -0.1)]
        spec.add_force(mm.Ground("ball", 500.0, 20.0, 0.4, 50.0, transition=1e-2, points=points, plane=slope))
    return spec.compile()


def made(model, q, qdot=None, t=None, **more):
    """A trajectory of these rows."""
    q = np.array(q, float).reshape(-1, model.ndof)
    t = np.linspace(0.0, 1.0, len(q)) if t is None else t
    qdot = np.zeros_like(q) if qdot is None else qdot
    charts = np.tile(model.params[model.chart_slots], (len(q), 1))
    return mm.Trajectory(model, t, q, qdot, charts, "rk4", **more)


@pytest.fixture(scope="module")
def swing():
    return mm.simulate(chain(), q=[0.4, 0.3], integrator="rk4", h=1e-2, duration=1.0)


@pytest.fixture(scope="module")
def turning():
    """A ball joint that turns past its chart's end, beside a slider on a spline."""
    spec = mm.Spec("turning", (0, 0, 0))
    spec.add_body("slider", None, mm.Prismatic((1, 0, 0)), inertia=BALL)
    spec.add_body("top", "slider", mm.SphericalExp(), inertia=BALL)
    return mm.simulate(spec.compile(), q=[0, 0, 0, 0], qdot=[1, 0, 0, 5], integrator="rk4", h=1e-2, duration=2.0)


def title(figure):
    return figure.get_suptitle() or figure.axes[0].get_title()


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def drawn(figure):
    file = BytesIO()
    figure.savefig(file, dpi=40)
    return file.getbuffer().nbytes


class TestEnergy:
    def test_lines_and_title(self, swing):
        figure = plots.plot_energy(swing)
        above, below = figure.axes
        own = lines(above)
        np.testing.assert_array_equal(own["kinetic"].get_ydata(), swing.kinetic)
        potential = swing.potential - swing.potential[0]
        np.testing.assert_array_equal(own["potential (from the start)"].get_ydata(), potential)
        np.testing.assert_array_equal(own["total"].get_ydata(), swing.kinetic + potential)
        np.testing.assert_array_equal(own["total"].get_xdata(), swing.t)
        assert title(figure) == f"chain, rk4: relative energy drift {swing.energy_drift:.1e}"
        assert [above.get_ylabel(), below.get_xlabel()] == ["energy [J]", "time [s]"]
        total = swing.kinetic + potential
        np.testing.assert_array_equal(below.get_lines()[0].get_ydata(), total - total[0])

    def test_friction_changes_energy(self):
        assert "energy change" in title(plots.plot_energy(made(resting_ball(), np.zeros((3, 6)))))

    def test_one_row(self, swing):
        assert drawn(plots.plot_energy(made(chain(), [[0.1, 0.2]])))

    def test_a_run_that_blew_up(self, swing):
        q, qdot = swing.q.copy(), swing.qdot.copy()
        q[60:] = np.nan
        qdot[50:] = 1e160  # its energy is no number any more
        broken = replace(swing, q=q, qdot=qdot)
        figure = plots.plot_energy(broken)
        assert title(figure).endswith("\nnot finite from t = 0.5 s")
        assert title(figure).count("not finite") == 1
        assert len(figure.axes[0].get_lines()[0].get_xdata()) == 50
        assert "nan" not in title(figure)
        assert drawn(figure)
        figure = plots.plot_coordinates(broken)
        assert "not finite from t = 0.6 s" in title(figure)
        assert len(figure.axes[0].get_lines()[0].get_xdata()) == 60

    def test_why_it_ended_is_said(self, swing):
        assert "ended: interrupted" in title(plots.plot_energy(replace(swing, ended="interrupted")))


class TestCoordinates:
    def test_lines_labels_units(self, turning):
        figure = plots.plot_coordinates(turning)
        angles, slides = figure.axes
        assert [angles.get_ylabel(), slides.get_ylabel()] == ["angle [rad]", "displacement [m]"]
        assert list(lines(angles)) == ["top[0]", "top[1]", "top[2]"]
        np.testing.assert_array_equal(lines(slides)["slider"].get_ydata(), turning.q[:, 0])
        assert title(figure) == "turning, rk4: coordinates"
        figure = plots.plot_velocities(turning)
        assert [axes.get_ylabel() for axes in figure.axes] == ["angular rate [rad/s]", "velocity [m/s]"]
        np.testing.assert_array_equal(lines(figure.axes[1])["slider"].get_ydata(), turning.qdot[:, 0])

    def test_a_long_run(self):
        model, rows = chain(1), 1_000_000
        t = np.linspace(0, 100, rows)
        q = 0.1 * np.sin(t)[:, None]
        q[123_456] = 0.7
        figure = plots.plot_coordinates(made(model, q, t=t))
        line = figure.axes[0].get_lines()[0]
        assert len(line.get_xdata()) <= MOST_POINTS + 2
        assert line.get_ydata().max() == 0.7
        assert line.get_xdata()[line.get_ydata().argmax()] == t[123_456]

    def test_lines_break_where_the_chart_does(self, turning):
        y = lines(plots.plot_coordinates(turning).axes[0])["top[2]"].get_ydata()
        jumps = np.flatnonzero(np.abs(np.diff(turning.q[:, 3])) > 1)
        assert len(jumps) == 1
        assert np.flatnonzero(np.isnan(y)).tolist() == [jumps[0] + 1]
        np.testing.assert_array_equal(y[~np.isnan(y)], turning.q[:, 3])
        assert charts_used(turning)[-1].tolist() == [0, 1, 1, 1]

    def test_lines_break_where_euler_charts_switch(self):
        spec = mm.Spec("euler", (0, 0, 0))
        spec.add_body("top", None, mm.SphericalEuler(), inertia=BALL)
        run = mm.simulate(spec.compile(), q=[0, 0, 0], qdot=[0, 3, 0], integrator="rk4", h=1e-2, duration=1.0)
        switches = np.count_nonzero(np.diff(run.charts[:, 0]))
        assert switches > 0
        for figure in (plots.plot_coordinates(run), plots.plot_velocities(run), plots.plot_phase(run, 0)):
            assert np.isnan(figure.axes[0].get_lines()[0].get_ydata()).sum() == switches

    def test_which(self, turning):
        assert list(lines(plots.plot_coordinates(turning, "slider").axes[0])) == ["slider"]
        assert list(lines(plots.plot_velocities(turning, [2, "slider"]).axes[0])) == ["top[1]"]

    def test_many_lines_have_a_bar_of_colours(self):
        count = MOST_LINES + 3
        run = made(chain(count), np.random.default_rng(1).normal(size=(5, count)))
        (axes,) = plots.plot_coordinates(run).axes
        assert axes.get_legend() is None
        (bar,) = axes.child_axes
        assert [bar.get_yticklabels()[i].get_text() for i in (0, -1)] == ["link0", f"link{count - 1}"]
        assert plots.plot_coordinates(run, list(range(MOST_LINES))).axes[0].get_legend() is not None

    def test_names_are_taken_literally(self):
        spec = mm.Spec("$x_1", (0, 0, 0))
        for name in ("_hidden", "$a$ and $b"):
            spec.add_body(name, None, mm.Revolute((0, 0, 1)), inertia=BALL)
        figure = plots.plot_coordinates(made(spec.compile(), np.zeros((3, 2))))
        legend = figure.axes[0].get_legend()
        assert [text.get_text() for text in legend.get_texts()] == ["_hidden", "$a$ and $b"]
        assert drawn(figure)


def test_phase(turning, swing):
    figure = plots.plot_phase(swing)
    axes = figure.axes[0]
    np.testing.assert_array_equal(axes.get_lines()[0].get_xdata(), swing.q[:, 0])
    np.testing.assert_array_equal(axes.get_lines()[0].get_ydata(), swing.qdot[:, 0])
    start = lines(axes)["start"]
    assert (start.get_xdata()[0], start.get_ydata()[0]) == (swing.q[0, 0], swing.qdot[0, 0])
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_title()] == ["q [rad]", "dq/dt [rad/s]", "link0"]
    moving = plots.plot_phase(turning)
    assert "2 of 4 coordinates" in title(moving)
    assert [axes.get_title() for axes in moving.axes] == ["slider", "top[2]"]
    many = plots.plot_phase(made(chain(9), np.arange(18.0)))
    assert len(many.axes) == 6


class TestViolation:
    def test_of_a_loop(self):
        run = mm.simulate(mm.scenes.load("loop"))
        figure = plots.plot_violation(run)
        (axes,) = figure.axes
        assert axes.get_yscale() == "log"
        assert axes.get_ylabel() == "violation |g| [m]"
        assert list(lines(axes)) == ["Loop0.1", "Loop0.2"]
        for line in axes.get_lines():
            assert FLOOR <= line.get_ydata().min() <= line.get_ydata().max() < 1e-9

    def test_of_known_size(self):
        q = np.zeros((4, 6))
        q[:, 2] = [0.3, 0.1, 0.08, 0.05]
        figure = plots.plot_violation(made(resting_ball(), q))
        (axes,) = figure.axes
        np.testing.assert_allclose(lines(axes)["floor.normal"].get_ydata(), [FLOOR, FLOOR, 0.02, 0.05], rtol=1e-12)
        assert axes.get_ylabel() == "penetration [m]"
        assert title(figure) == "ball, rk4: largest violation 5.0e-02"

    def test_long_runs_are_sampled(self):
        figure = plots.plot_violation(made(resting_ball(), np.full((2000, 6), 0.2)))
        assert figure.axes[0].get_xlabel() == "time [s] (500 of 2000 rows)"
        assert title(figure) == "ball, rk4: no violation"

    def test_nothing_to_hold(self, swing):
        with pytest.raises(ValueError, match=r"model 'chain' has no constraints$"):
            plots.plot_violation(swing)
        spec = mm.Spec("driven", (0, 0, 0))
        spec.add_body("a", None, mm.Revolute((0, 0, 1)), inertia=BALL)
        spec.add_constraint(mm.DrivenJoint("a", velocity=1.0))
        with pytest.raises(ValueError, match="model 'driven' has no constraints of positions"):
            plots.plot_violation(made(spec.compile(), [[0.0]]))


class TestContactForces:
    def test_a_ball_at_rest_presses_with_its_weight(self):
        run = mm.simulate(resting_ball(), q=[0, 0, 0.1, 0, 0, 0], integrator="euler", h=1e-2, duration=0.2)
        figure = plots.plot_contact_forces(run)
        normal, friction = figure.axes
        assert [normal.get_ylabel(), friction.get_ylabel()] == ["normal force [N]", "friction [N]"]
        line = lines(normal)["floor"]
        np.testing.assert_array_equal(line.get_xdata(), run.t[1:])
        np.testing.assert_allclose(line.get_ydata(), MASS * GRAVITY, rtol=1e-9)
        assert np.abs(lines(friction)["floor"].get_ydata()).max() < 1e-9

    def test_corners_are_summed(self):
        angle = 0.6
        spec = mm.Spec("block", (GRAVITY * np.sin(angle), 0, -GRAVITY * np.cos(angle)))
        spec.add_body("box", None, mm.Free3D("TR"), inertia=mm.Inertia.cuboid((0.4, 0.3, 0.2), mass=MASS))
        spec.add_constraint(mm.Contact(mm.Box("box", (0.4, 0.3, 0.2)), friction=0.3), "slope")
        run = mm.simulate(spec.compile(), q=[0, 0, 0.1, 0, 0, 0], integrator="euler", h=1e-2, duration=0.1)
        normal, friction = plots.plot_contact_forces(run).axes
        weight = MASS * GRAVITY * np.cos(angle)
        np.testing.assert_allclose(lines(normal)["slope"].get_ydata()[1:], weight, rtol=1e-6)
        np.testing.assert_allclose(lines(friction)["slope"].get_ydata()[1:], 0.3 * weight, rtol=1e-6)

    def test_ground_is_as_the_kernel_has_it(self):
        model, random = resting_ball(contact=False, ground=True), np.random.default_rng(5)
        q = np.column_stack([0.05 * random.normal(size=(40, 3)), 0.3 * random.normal(size=(40, 3))])
        run = made(model, q, random.normal(size=(40, 6)))
        forces = model.forces
        normal, total = forces.params[:3], 0.0
        for element in forces.elements:
            place, numbers = forces.nodes[element["first"]]["p"], forces.params[element["at"] : element["at"] + 9]
            force = ground_force(run, 0, place, numbers)
            total = total + force[:, :1] * normal + force[:, 1:]
        own = [mm.applied_forces(model, x, v)[:3] for x, v in zip(run.q, run.qdot, strict=True)]
        np.testing.assert_allclose(total, own, atol=1e-10)
        assert (np.abs(total).max(axis=1) > 0).sum() > 10
        figure = plots.plot_contact_forces(run)
        assert list(lines(figure.axes[0])) == ["ball"]
        np.testing.assert_allclose(lines(figure.axes[0])["ball"].get_ydata(), total @ normal, atol=1e-10)

    def test_stops(self):
        spec = mm.Spec("stopped", (0, 0, -GRAVITY))
        spec.add_body("bar", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), BAR)
        spec.add_constraint(mm.JointStop("bar", -1.0, 0.0), "stop")
        run = mm.simulate(spec.compile(), integrator="euler", h=1e-2, duration=0.1)
        (axes,) = plots.plot_contact_forces(run).axes
        assert axes.get_ylabel() == "force of stops [N m]"
        np.testing.assert_allclose(lines(axes)["stop.upper"].get_ydata(), 0.5 * MASS * GRAVITY, rtol=1e-9)

    def test_a_blow_does_not_hide_the_weight(self):
        run = mm.simulate(resting_ball(), q=[0, 0, 0.5, 0, 0, 0], integrator="euler", h=1e-3, duration=0.5)
        normal, friction = plots.plot_contact_forces(run).axes
        assert lines(normal)["floor"].get_ydata().max() > 50 * MASS * GRAVITY
        assert (normal.get_yscale(), friction.get_yscale()) == ("symlog", "linear")

    def test_nothing_touches(self, swing):
        with pytest.raises(ValueError, match=r"model 'chain' has no contact$"):
            plots.plot_contact_forces(swing)
        with pytest.raises(ValueError, match="a run by 'rk4' keeps no forces of contacts"):
            plots.plot_contact_forces(made(resting_ball(), np.zeros((2, 6))))


class TestJointForces:
    def test_a_pendulum_at_rest_hangs_with_its_weight(self):
        figure = plots.plot_joint_forces(made(chain(), np.zeros((5, 2))))
        force, moment = figure.axes
        np.testing.assert_allclose(lines(force)["link0"].get_ydata(), 2 * MASS * GRAVITY, rtol=1e-12)
        np.testing.assert_allclose(lines(force)["link1"].get_ydata(), MASS * GRAVITY, rtol=1e-12)
        assert np.abs(lines(moment)["link0"].get_ydata()).max() < 1e-12
        assert [force.get_ylabel(), moment.get_ylabel()] == ["force [N]", "moment [N m]"]

    def test_which_and_sampling(self, swing):
        figure = plots.plot_joint_forces(replace(swing), which="link1")
        assert list(lines(figure.axes[0])) == ["link1"]
        figure = plots.plot_joint_forces(made(chain(1), np.zeros(1000)))
        assert figure.axes[1].get_xlabel() == "time [s] (300 of 1000 rows)"

    def test_in_the_charts_of_the_rows(self):
        spec = mm.Spec("euler", (0, 0, -GRAVITY))
        spec.add_body("top", None, mm.SphericalEuler(), None, DOWN, BAR)
        run = mm.simulate(spec.compile(), q=[0, 1.0, 0], qdot=[1, 3, 0], integrator="rk4", h=1e-2, duration=1.0)
        assert len(np.unique(run.charts)) > 1
        shown = lines(plots.plot_joint_forces(run).axes[0])["top"].get_ydata()
        acceleration = np.gradient(np.gradient(run.poses[:, 0, :3, 3], run.t, axis=0), run.t, axis=0)
        expected = MASS * np.linalg.norm(acceleration + [0, 0, GRAVITY], axis=1)
        np.testing.assert_allclose(shown[3:-3], expected[3:-3], rtol=0.02, atol=0.5)

    def test_a_welded_body(self):
        spec = mm.Spec("weld", (0, 0, -GRAVITY))
        spec.add_body("arm", None, mm.Fixed(), None, mm.translation(0.5, 0, 0), BAR)
        run = _still(spec.compile())
        force, moment = plots.plot_joint_forces(run).axes
        np.testing.assert_allclose(lines(force)["arm"].get_ydata(), MASS * GRAVITY)
        np.testing.assert_allclose(lines(moment)["arm"].get_ydata(), 0.5 * MASS * GRAVITY)
        with pytest.raises(ValueError, match="model 'weld' has no degrees of freedom"):
            plots.plot_coordinates(run)
        assert list(plots.plots_of(run)) == ["energy", "joint-forces"]


def _still(model):
    """Three rows of a model without degrees of freedom."""
    nothing = np.zeros((3, 0))
    return mm.Trajectory(model, np.arange(3.0), nothing, nothing, nothing, "rk4")


class TestAll:
    def test_plots_of(self, swing):
        figures = plots.plots_of(swing)
        assert list(figures) == ["energy", "coordinates", "velocities", "phase", "joint-forces"]
        for figure in figures.values():
            assert title(figure).startswith("chain, rk4: ")
            assert drawn(figure)
        run = mm.simulate(resting_ball(), q=[0, 0, 0.2, 0, 0, 0], integrator="euler", h=1e-2, duration=0.3)
        assert list(plots.plots_of(run))[4:] == ["violation", "contact-forces", "joint-forces"]

    def test_no_rows(self, swing):
        empty = replace(swing, t=swing.t[:0], q=swing.q[:0], qdot=swing.qdot[:0], charts=swing.charts[:0])
        functions = [plots.plots_of, *(getattr(plots, name) for name in plots.__all__ if name != "plots_of")]
        for function in functions:
            with pytest.raises(ValueError, match=r"model 'chain': the run has no rows \(completed\)"):
                function(empty)
        with pytest.raises(ValueError, match="not finite from its first row"):
            plots.plot_energy(replace(swing, q=swing.q * np.nan))
        with pytest.raises(TypeError, match="a trajectory is needed"):
            plots.plot_energy(swing.model)

    def test_one_row_of_everything(self):
        for figure in plots.plots_of(made(resting_ball(), np.zeros((1, 6)), multipliers=np.zeros((1, 3)))).values():
            assert drawn(figure)

    def test_without_matplotlib(self, swing, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        for function in (plots.plot_energy, plots.plot_phase, plots.plot_joint_forces, plots.plots_of):
            with pytest.raises(ImportError, match=r"plots need matplotlib: pip install 'myomass\[plot\]'"):
                function(swing)


def test_reactions_of_a_run_whose_tree_is_hung_anew_are_those_of_the_models_in_force():
    """The ground carries a walker's weight, whichever foot it stands on; a free tree would carry nothing."""
    run = mm.simulate(mm.scenes.load("compass-walker"), duration=2.0)
    figure = plots.plot_joint_forces(run, ["left", "right"])
    forces = np.array([line.get_ydata() for line in figure.axes[0].lines[:2]])
    assert forces.max(axis=0).min() > 0.5 * 4 * 9.8
    assert "the joint by which each body hangs" in figure._suptitle.get_text()
