"""Muscles with states, seen: plots carry the report's numbers, colours are those of activations."""

import numpy as np
import pytest

import myomass as mm
from myomass.muscles import Bhargava2004, metabolic_power
from myomass.muscles.hill.drawn import force_length
from myomass.viewer import plots
from myomass.viewer.drawing import Drawing
from myomass.viewer.floating import as_one
from myomass.viewer.frames import Frames, still_run
from myomass.viewer.page import _first_run
from myomass.viewer.palette import EXCITED, LEVELS, MUSCLE, REST, activation_colours, rgb
from myomass.viewer.report import save_report
from myomass.viewer.series import models_along, muscle_series, with_rows
from myomass.viewer.stills import still

ROD = mm.Inertia.cuboid((0.3, 0.05, 0.05), mass=1.5)


def arm(count=2):
    """Two links with muscles across the elbow, the last of them without an actuator."""
    spec, middle = mm.Spec("arm"), mm.translation(0.15, 0, 0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, middle, ROD)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.3, 0, 0), middle, ROD)
    for i in range(count):
        points = [("upper", (-0.1, 0.01 * i, 0.04)), ("lower", (-0.1, 0.01 * i, 0.03))]
        spec.add_muscle(f"m{i}", 0.1 * (i % 2), points, actuator=mm.Hill(300.0 + i, 0.1, 0.2, pennation=0.1))
    spec.add_muscle("dead", 0.2, [("upper", (-0.1, 0, -0.04)), ("lower", (-0.1, 0, -0.03))], tension=5.0)
    spec.add_force(mm.JointSpring("upper", 30.0, damping=1.0))
    spec.add_force(mm.JointSpring("lower", 20.0, damping=1.0))
    return spec


@pytest.fixture(scope="module")
def run():
    options = {"q": [0.1, 0.3], "excitation": [0.7, 0.1], "activation": 0.2, "duration": 0.2}
    return mm.simulate(arm().compile(), times=np.linspace(0, 0.2, 201), rtol=1e-8, **options)


@pytest.fixture(scope="module")
def many():
    return mm.simulate(arm(14).compile(), q=[0.1, 0.3], excitation=0.2, integrator="rk4", h=1e-4, duration=0.01)


def drawn(axes):
    return {line.get_label(): line.get_ydata() for line in axes.get_lines()}


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


class TestPlots:
    def test_forces(self, run):
        figure = plots.plot_muscle_forces(run)
        report = run.muscles
        for axes, values in zip(figure.axes, (report.tension, report.active_force, report.passive_force), strict=True):
            close(drawn(axes)["m0"], values[:, 0])
            close(drawn(axes)["m1"], values[:, 1])
            assert "[N]" in axes.get_ylabel()

    def test_powers_and_work(self, run):
        figure = plots.plot_muscle_powers(run, "m1")
        report = run.muscles["m1"]
        for axes, values in zip(figure.axes, (report.power, report.active_power, report.work), strict=True):
            assert list(drawn(axes)) == ["m1"]
            close(drawn(axes)["m1"], values)

    def test_activation_and_excitation_have_one_colour(self, run):
        (axes,) = plots.plot_activation(run).axes
        found = drawn(axes)
        close(found["m0"], run.muscles.activation[:, 0])
        close(found["m0, excitation"], run.muscles.excitation[:, 0])
        by_name = {line.get_label(): line.get_color() for line in axes.get_lines()}
        assert by_name["m0"] == by_name["m0, excitation"] != by_name["m1"]

    def test_operating_range(self, run):
        figure = plots.plot_operating_range(run)
        first, second, bar = figure.axes
        report = run.muscles
        x = first.get_lines()[0].get_xdata()
        close(first.get_lines()[0].get_ydata(), force_length(run.model, x)[0, 0])
        thick = first.get_lines()[1].get_ydata()
        reached = x[np.isfinite(thick)]
        assert report.normal_length[:, 0].min() <= reached.min() <= reached.max() <= report.normal_length[:, 0].max()
        dots = second.collections[0]
        close(dots.get_offsets()[0], [report.normal_length[0, 1], report.active_force[0, 1] / 301.0])
        close(255 * dots.get_facecolors()[-1, :3], activation_colours(report.activation[-1:, 1])[0])
        assert bar.get_ylabel() == "activation"

    def test_metabolic_power(self, run):
        for model in ("umberger2010", Bhargava2004()):
            above, below = plots.plot_metabolic_power(run, None, model, slow_fibres=0.7).axes
            power = metabolic_power(run.muscles, model, slow_fibres=0.7)
            close(drawn(above)["m1"], power.total[:, 1])
            close(drawn(below)["total"], power.total.sum(axis=1))
            close(sum(values for name, values in drawn(below).items() if name != "total"), power.total.sum(axis=1))
        one = drawn(plots.plot_metabolic_power(run, "m0").axes[1])["total"]
        close(one, metabolic_power(run.muscles).total[:, 0])

    def test_many_muscles(self, many):
        figures = plots.plots_of(many)
        assert len(figures["activation"].axes) >= 2  # and bars of colours
        shown = [axes for axes in figures["operating-range"].axes if axes.get_title()]
        assert len(shown) == 9 and "9 of 14 muscles" in figures["operating-range"].get_suptitle()

    def test_they_are_there_only_with_muscles_that_have_states(self, run):
        names = {"activation", "muscle-forces", "operating-range", "muscle-powers", "metabolic-power"}
        assert names <= set(plots.plots_of(run))
        other = mm.simulate(mm.scenes.load("muscle-straight"), duration=0.01)
        assert not names & set(plots.plots_of(other))
        with pytest.raises(ValueError, match="has no muscles with states; give one an actuator"):
            plots.plot_muscle_forces(other)

    @pytest.mark.parametrize("which", ["m9", "dead", 2, True, []])
    def test_who_is_not_there(self, run, which):
        with pytest.raises(Exception, match=r"no muscle"):
            plots.plot_activation(run, which)

    def test_reactions_feel_the_muscles(self, run):
        figure = plots.plot_joint_forces(run, "lower")
        row = 40
        state = run.model.state(run.q[row], run.qdot[row], z=run.z[row])
        F = mm.joint_reactions(run.model, state.q, state.qdot, z=state.z)[1]
        close(drawn(figure.axes[0])["lower"][row], np.linalg.norm(F[3:]))
        at_rest = mm.joint_reactions(run.model, state.q, state.qdot)[1]  # at the least activation
        assert np.linalg.norm(F[3:] - at_rest[3:]) > 0.2 * np.linalg.norm(F[3:])

    def test_energy_changes_and_does_not_drift(self, run):
        assert "change" in plots.plot_energy(run).axes[0].get_title()

    def test_report(self, run, tmp_path):
        page = save_report(run, tmp_path / "run.html").read_text()
        assert 'alt="operating-range"' in page and "2 of them with states" in page
        assert f"{run.muscles.work[-1].sum():.6g} J" in page


class TestRowsKeepTheirStates:
    def test_some_rows(self, run):
        some = with_rows(run, slice(50, 60))
        close(some.muscles.tension, run.muscles.tension[50:60])
        close(some.potential, run.potential[50:60])

    def test_states_along(self, run):
        (model, state), *_ = models_along(run, np.array([7]))
        np.testing.assert_array_equal(state.z, run.z[7])
        assert model.ndof == len(state.q)

    def test_between_rows(self, run):
        moment = Frames(run).at(0.5 * (run.t[10] + run.t[11]))
        close(moment.z, 0.5 * (run.z[10] + run.z[11]))

    def test_a_still_run_has_its_states(self, run):
        state = run.model.state([0.1, 0.3], activation=0.6)
        one = still_run(run.model, state)
        np.testing.assert_array_equal(one.z, state.z[None])
        assert np.isfinite(one.muscles.tension).all()

    def test_a_page_starts_at_the_activation_asked_for(self, run):
        one = _first_run(run.model, {"q": [0.1, 0.3], "activation": {"m1": 0.6}, "excitation": 0.4})
        close(one.muscles.activation[0], [run.model.muscles.hills["least"][0], 0.6])

    def test_a_row_that_is_not_finite_ends_what_is_shown(self, run):
        broken = with_rows(run, np.arange(20))  # copies
        broken.z[12] = np.nan
        assert len(Frames(broken).trajectory.t) == 12

    def test_a_tree_that_hangs_elsewhere_later(self):
        """An arm in free flight that is hung from its other link halfway: as one run, tensions and energies go on."""
        spec, middle = mm.Spec("flight", (0, 0, 0)), mm.translation(0.15, 0, 0)
        spec.add_body("upper", None, mm.Free3D(), None, middle, ROD)
        spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.3, 0, 0), middle, ROD)
        points = [("upper", (-0.1, 0, 0.04)), ("lower", (-0.1, 0, 0.03))]
        spec.add_muscle("flexor", 0.2, points, actuator=mm.Hill(300.0, 0.1, 0.115))
        model = spec.compile()
        options = {"excitation": 0.5, "rtol": 1e-10, "atol": 1e-12}
        start = model.state(np.linspace(0, 0.3, 7), activation=0.3)
        first = mm.simulate(model, state=start, duration=0.05, **options)
        there, hung = mm.reroot(model, first.state, "lower", place=(0, 0, 0))
        whole = first.joined(mm.simulate(there, state=hung, duration=0.05, **options))
        assert len(whole.switches) == 1
        one = as_one(whole)
        pieces = np.concatenate([piece.muscles.tension for piece in whole.pieces])
        np.testing.assert_allclose(one.muscles.tension, pieces, rtol=1e-8)
        np.testing.assert_allclose(one.kinetic + one.potential, whole.kinetic + whole.potential, rtol=1e-6)
        assert "muscle-forces" in plots.plots_of(whole)


class TestColours:
    def test_the_ramp_goes_evenly_from_rest_to_full_activation(self):
        ramp = activation_colours(np.linspace(0, 1, LEVELS)).astype(float)
        np.testing.assert_array_equal(ramp[0], rgb(REST))
        np.testing.assert_array_equal(ramp[-1], rgb(EXCITED))
        assert (np.diff(ramp[:, 0]) >= 0).all() and (np.diff(ramp[:, 2]) <= 0).all()
        np.testing.assert_array_equal(activation_colours(np.array([-1.0, 2.0])), [rgb(REST), rgb(EXCITED)])

    def test_muscles_have_the_colour_of_their_activation(self, run):
        drawing = Drawing(Frames(run))
        layer = next(one for one in drawing.layers if one.name == "muscles")
        moment = drawing.frames.at(run.t[-1])
        tubes, bends, tendons = layer.colours(moment)
        assert all(len(c) == len(p.colours) for c, p in zip((tubes, bends, tendons), layer.parts, strict=True))
        of_each = np.split(bends, 3)
        for colours, activation in zip(of_each[:2], run.muscles.activation[-1], strict=True):
            assert (colours == activation_colours(np.array([activation]))).all()
        assert (of_each[2] == rgb(MUSCLE)).all()
        assert (of_each[0][0] != of_each[1][0]).any()
        np.testing.assert_array_equal(tendons, layer.parts[2].colours)

    def test_a_still_shows_it(self, run):
        """More red where the muscle is active: the same pose, two activations."""
        pictures = []
        for activation in (0.01, 1.0):
            state = run.model.state([0.1, 0.3], activation=activation)
            pictures.append(still(still_run(run.model, state), size=(320, 240)).astype(int))
        red = [np.count_nonzero((p[..., 0] > 130) & (p[..., 1] < 70)) for p in pictures]
        assert red[1] > red[0] + 100


def test_series_of_the_charts(run):
    series = muscle_series(run.model)
    assert list(series)[:3] == ["m0: activation", "m0: fibre length [m]", "m0: tension [N]"]
    assert len(series) == 6 and all(hasattr(run.muscles, key) for _, key in series.values())
