"""Optimisation of runs: what is found, bounds, and what is refused."""

import numpy as np
import pytest
from differences import arm

import myomass as mm

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


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"method": "newton"}, ValueError, "the method is 'l-bfgs-b' or 'gauss-newton'"),
        ({"bounds": {"q": (0, 1)}}, ValueError, "bounds are given for 'q', which wrt does not name"),
        ({"bounds": {"tau": (1, 0)}}, ValueError, "a lower bound is not below"),
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
