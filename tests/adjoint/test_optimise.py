"""Optimisation of runs: what is found, bounds, and what is refused."""

import numpy as np
import pytest
from differences import arm

import myomass as mm
from myomass.adjoint.rollout import run_forward

RUN = {"q": np.array([0.3, -0.6]), "integrator": "bdf2", "h": 0.01, "duration": 0.2}
REACH = mm.tasks.Reach("lower", (0, 0, -0.2), (0.2, -0.05, -0.75))


@pytest.fixture(scope="module")
def model():
    return arm().compile()


def spring(stiffness, damping):
    spec = arm()
    spec.forces["spring"].stiffness, spec.forces["spring"].damping = stiffness, damping
    return spec.compile()


@pytest.mark.parametrize("method", ["l-bfgs-b", "gauss-newton"])
def test_numbers_are_found_again(method):
    truth = mm.simulate(spring(40.0, 3.0), **RUN)
    task = mm.tasks.Follow(truth.t, truth.q, ["upper", "lower"])
    names = ["spring.stiffness", "spring.damping"]
    found = mm.optimise(spring(50.0, 2.0), task, names, method=method, tolerance=1e-14, iterations=300, **RUN)
    assert found.converged and found.value < 1e-12
    assert found.values["spring.stiffness"] == pytest.approx(40.0, rel=1e-3)
    assert found.values["spring.damping"] == pytest.approx(3.0, rel=1e-2)
    assert found.history[0] == pytest.approx(mm.value_and_grad(spring(50.0, 2.0), task, (), **RUN)[0])
    assert (np.diff(found.history) <= 0).all()
    np.testing.assert_allclose(found.trajectory().q, truth.q, atol=1e-5)
    assert found.model.source.forces["spring"].stiffness == pytest.approx(40.0, rel=1e-3)


@pytest.mark.parametrize("method", ["l-bfgs-b", "gauss-newton"])
def test_torques_that_reach_and_rest(method, model):
    task = REACH + 0.01 * mm.tasks.Rest() + 1e-9 * mm.tasks.Effort()
    found = mm.optimise(model, task, ["tau"], tau=np.zeros((20, 2)), method=method, iterations=400, **RUN)
    assert found.value < 1e-3 * found.history[0]
    end = found.trajectory()
    place = mm.forward_kinematics(model, end.q[-1])[1] @ (0, 0, -0.2, 1)
    np.testing.assert_allclose(place[[0, 2]], (0.2, -0.75), atol=0.02)


def test_bounds_hold(model):
    found = mm.optimise(model, REACH, ["tau"], tau=[0.0, 0.0], bounds={"tau": (-0.5, [0.5, None])}, **RUN)
    tau = found.values["tau"]
    assert (tau >= -0.5).all() and tau[0] <= 0.5
    assert (np.isclose(tau, -0.5) | np.isclose(tau, 0.5)).any()


def test_the_start_within_bounds_is_kept_where_nothing_can_be_gained(model):
    found = mm.optimise(model, mm.tasks.Near("q", RUN["q"]), ["q"], **RUN)
    np.testing.assert_array_equal(found.values["q"], RUN["q"])
    assert found.value == 0.0


def test_ctrl_c_keeps_the_best(model):
    def stop(iteration, value):
        if iteration == 3:
            raise KeyboardInterrupt

    found = mm.optimise(model, REACH, ["tau"], tau=[0.0, 0.0], progress=stop, **RUN)
    assert found.ended.startswith("interrupted") and len(found.history) == 4
    assert found.value == found.history[-1] < found.history[0]
    assert found.problem.value(REACH) == pytest.approx(found.value)


def test_a_run_that_fails_on_the_way_is_no_end(model):
    """A huge first step of the line search makes a motion that is not finite: it comes back."""
    task = mm.tasks.Reach("lower", (0, 0, -0.2), (1e5, 0, 0))
    run = RUN | {"integrator": "semi-implicit"}
    found = mm.optimise(model, task, ["tau"], tau=[10.0, 10.0], iterations=5, **run)
    assert np.isfinite(found.value) and found.value <= found.history[0]


@pytest.mark.parametrize("method", ["l-bfgs-b", "gauss-newton"])
class TestWhatCannotBeRun:
    """Values on the way with which there is no model, no run or no finite task are too far, and not the end."""

    def test_negative_masses(self, method, model):
        """Unbounded, both methods try some; the best is at no mass of the upper rod at all."""
        task, names = mm.tasks.Reach("lower", (0, 0, -0.2), (0.1, 0, -0.8)), ["upper.mass", "lower.mass"]
        found = mm.optimise(model, task, names, method=method, **RUN)
        assert found.value < 2e-3 * found.history[0] and 0.0 < found.values["upper.mass"] < 1e-3
        assert found.ended.startswith("stopped at the edge of what can be run: Inertia: the mass must be")
        assert found.problem.value(task) == found.value

    @pytest.mark.parametrize("raised", [ValueError("too long"), ZeroDivisionError("too long")])
    def test_parameters_that_raise(self, method, raised, model):
        def lengthen(spec, size):
            if size > 1.3:
                raise raised
            spec.bodies["lower"].E_pj = mm.translation(0, 0, -0.4 * float(size))

        length = mm.Parameter("length", 1.0, lengthen)
        far, near = (mm.tasks.Follow([0.0], [[0, 0, -0.4 * x]], body="lower", point=(0, 0, 0.2)) for x in (2.0, 1.2))
        run = RUN | {"q": np.zeros(2)}
        found = mm.optimise(model, far, [length], method=method, **run)
        assert 1.2 < found.values["length"] <= 1.3 and "too long" in found.ended
        found = mm.optimise(model, near, [length], method=method, **run)
        assert found.converged and found.values["length"] == pytest.approx(1.2, abs=1e-6)

    def test_runs_that_fail_in_a_line_search(self, method, model):
        """Here those beyond some speed."""

        class Careful(mm.tasks.Task):
            def terms(self, rollout):
                if np.abs(rollout.qdot).max() > 20.0:
                    raise mm.adjoint.Unfinished("too fast")
                yield from REACH.terms(rollout)

        found = mm.optimise(model, Careful(), ["tau"], tau=[0.0, 0.0], method=method, **RUN)
        assert found.value < 0.6 * found.history[0] and found.runs > len(found.history)
        assert 19.9 < np.abs(found.trajectory().qdot).max() <= 20.0 and "too fast" in found.ended

    def test_the_values_that_were_given(self, method, model):
        with pytest.raises(mm.adjoint.Unfinished):
            mm.optimise(model, REACH, ["qdot"], qdot=[1e8, 1e8], method=method, **RUN)


def test_gauss_newton_ends_where_misses_change_in_number():
    """A ball that is thrown up less comes down sooner, and Effort counts fewer steps."""
    spec = mm.Spec("ball")
    spec.add_body("ball", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=0.5))
    landing = mm.Event(lambda state: state.q[0], "stop", direction=-1)
    run = {"q": [0.3], "qdot": [2.0], "integrator": "rk4", "h": 0.01, "duration": 2.0, "events": landing, "tau": [0.1]}
    task = mm.tasks.Rest() + 1e-3 * mm.tasks.Effort()
    found = mm.optimise(spec.compile(), task, ["qdot"], method="gauss-newton", **run)
    assert "misses there, and had" in found.ended and found.value <= found.history[0]
    found = mm.optimise(spec.compile(), task, ["qdot"], **run)
    assert found.converged and found.values["qdot"][0] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("method", ["l-bfgs-b", "gauss-newton"])
def test_what_is_held_by_its_bounds(method, model):
    found = mm.optimise(
        model, REACH, ["tau"], tau=[3.0, 0.0], bounds={"tau": ([0.5, -1], [0.5, 20])}, method=method, **RUN
    )
    assert found.values["tau"][0] == 0.5 and found.values["tau"][1] == pytest.approx(7.566, abs=1e-3)
    assert found.converged
    with pytest.raises(ValueError, match="bounds leave nothing free"):
        mm.optimise(model, REACH, ["tau"], tau=[0.0, 0.0], bounds={"tau": (1, 1)}, method=method, **RUN)


@pytest.mark.parametrize("method", ["l-bfgs-b", "gauss-newton"])
def test_iterations_and_runs_are_counted(method, model, monkeypatch):
    import myomass.adjoint.problem as problem

    taken = []
    monkeypatch.setattr(problem, "run_forward", lambda *given: taken.append(1) or run_forward(*given))
    found = mm.optimise(model, REACH, ["tau"], tau=[0.0, 0.0], iterations=3, method=method, **RUN)
    assert found.ended == "stopped after 3 iterations" and len(found.history) == 4
    assert found.runs == len(taken)


@pytest.mark.parametrize("integrator", ["bdf2", "rk4"])
def test_the_trajectory_is_the_run_that_was_optimised(integrator, model):
    """Bit for bit, from a state that is not at zero seconds, with a last step that is shorter."""
    state = model.state([0.3, -0.6], [1.0, 2.0], t=12345.678)
    run = {"state": state, "integrator": integrator, "h": 0.003, "duration": 0.1}
    found = mm.optimise(model, REACH, ["tau"], tau=[0.0, 0.0], iterations=2, **run)
    rows, run = found.problem.rollout(), found.trajectory()
    for name in ("t", "q", "qdot"):
        np.testing.assert_array_equal(getattr(run, name), getattr(rows, name))


def test_ctrl_c_in_the_first_run(model):
    class Interrupted(mm.tasks.Task):
        def terms(self, rollout):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mm.optimise(model, Interrupted(), ["q"], **RUN)


def test_excitations(model):
    hill = mm.Hill(300.0, 0.12, 0.13)
    acting = arm(m={"points": [(None, (0.1, 0, -0.3)), ("lower", (0.05, 0, 0.1))], "actuator": hill}).compile()
    run = {"q": np.array([-0.5, 0.5]), "integrator": "bdf1", "h": 0.005, "duration": 0.1}
    target = mm.simulate(acting, excitation=0.7, **run)
    task = mm.tasks.Follow([0.1], target.q[-1:], ["upper", "lower"])
    options = {"excitation": [0.2], "bounds": {"excitation": (0.02, 1.0)}, "method": "gauss-newton", "tolerance": 1e-14}
    found = mm.optimise(acting, task, ["excitation"], **options, **run)
    assert found.values["excitation"][0] == pytest.approx(0.7, abs=1e-4)
    np.testing.assert_allclose(found.trajectory().q, target.q, atol=1e-6)


def test_progress_and_plot(model, capsys, tmp_path):
    found = mm.optimise(model, REACH, ["tau"], tau=[0.0, 0.0], iterations=3, progress=True, **RUN)
    assert len(capsys.readouterr().err.splitlines()) == len(found.history)
    found.plot(tmp_path / "history.png")
    assert (tmp_path / "history.png").stat().st_size > 1000
    assert "stopped" in found.ended or found.converged
    found.history[-1] = 0.0  # is off a logarithmic scale
    low, high = found.plot().axes[0].get_ylim()
    assert 1e-3 < low < high < 10.0
    found.history[:] = [0.0]
    assert found.plot().axes[0].get_yscale() == "linear"


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"method": "newton"}, ValueError, "the method is 'l-bfgs-b' or 'gauss-newton'"),
        ({"bounds": {"q": (0, 1)}}, ValueError, "bounds are given for 'q', which wrt does not name"),
        ({"bounds": {"tau": (1, 0)}}, ValueError, "a lower bound is above"),
        ({"bounds": {"tau": (np.nan, 0)}}, ValueError, "bounds of 'tau' are"),
        ({"bounds": [(-1, 1)]}, TypeError, "bounds are .low, high. by name"),
        ({"tolerance": np.nan}, ValueError, "tolerance must be a finite number"),
        ({"tolerance": -1.0}, ValueError, "tolerance must not be negative"),
        ({"progress": "yes"}, TypeError, "progress is True, False or a function"),
        ({"iterations": True}, ValueError, "iterations must be a whole number"),
        ({"bounds": {"tau": 3.0}}, ValueError, "bounds of 'tau' are"),
        ({"bounds": {"tau": (0, 1, 2)}}, ValueError, "bounds of 'tau' are"),
        ({"bounds": {"tau": ([0, 1, 2], 3)}}, ValueError, r"arrays of shape \(2,\)"),
        ({"iterations": 0}, ValueError, "iterations must be a whole number of at least 1"),
        ({"wrt": []}, ValueError, "wrt names nothing"),
        ({"task": "reach"}, TypeError, "one of mm.tasks"),
    ],
)
def test_bad_input(options, error, sentence, model):
    options = dict(options)
    wrt, task = options.pop("wrt", ["tau"]), options.pop("task", REACH)
    with pytest.raises(error, match=sentence):
        mm.optimise(model, task, wrt, tau=[0.0, 0.0], **options, **RUN)
