"""A trajectory in a file and out of it, joined, and continued."""

import numpy as np
import pytest

import myomass as mm


@pytest.fixture
def bouncing(tmp_path):
    spec = mm.Spec("ball", gravity=(0, 0, -9.81))
    spec.add_body("ball", None, mm.Composite(mm.Prismatic((0, 0, 1)), mm.SphericalEuler()),
                  inertia=mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1))  # fmt: skip
    spec.add_force(mm.BodyDamping("ball", linear=0.1, angular=0.01))

    def bounce(state):
        state.qdot[0] *= -0.9
        return state

    event = mm.Event(lambda state: state.q[0], bounce, direction=-1, kind="bounce")
    return mm.simulate(spec.compile(), q=[1, 0, 0, 0], qdot=[0, 1, 9, 2], duration=2.0, events=event)


def test_what_is_loaded_is_what_was_saved(bouncing, tmp_path):
    loaded = mm.Trajectory.load(bouncing.save(tmp_path / "run.npz"))
    for key in ("t", "q", "qdot", "charts", "kinetic", "potential", "poses", "twists"):
        np.testing.assert_array_equal(getattr(loaded, key), getattr(bouncing, key))
    assert (loaded.integrator, loaded.ended, loaded.steps) == (bouncing.integrator, bouncing.ended, bouncing.steps)
    assert loaded.model.names == ["ball"]
    assert len(loaded.events) == len(bouncing.events) > 1
    assert loaded.events[0].kind == "bounce"
    np.testing.assert_array_equal(loaded.events[-1].qdot_after, bouncing.events[-1].qdot_after)


def test_a_loaded_run_goes_on(bouncing, tmp_path):
    loaded = mm.Trajectory.load(bouncing.save(tmp_path / "run.npz"))
    options = {"duration": 0.1, "integrator": "rk4", "h": 1e-3}
    one, other = (mm.simulate(run.model, state=run.state, **options) for run in (bouncing, loaded))
    np.testing.assert_array_equal(one.q, other.q)
    whole = loaded.joined(other)
    assert len(whole.t) == len(loaded.t) + len(other.t) - 1
    assert (np.diff(whole.t) > 0).all()
    assert whole.steps["accepted"] == loaded.steps["accepted"] + other.steps["accepted"]


def test_a_run_without_events_loads(tmp_path):
    run = mm.simulate(mm.scenes.load("simple-serial-chain"), duration=0.1)
    assert mm.Trajectory.load(run.save(tmp_path / "run.npz")).events == []


def test_files_that_are_no_trajectory(tmp_path, bouncing):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        mm.Trajectory.load(tmp_path / "nothing.npz")
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", t=np.zeros(3))
    whole = bouncing.save(tmp_path / "whole.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    np.save(tmp_path / "array.npy", np.zeros(3))
    (tmp_path / "array.npy").rename(tmp_path / "array.npz")
    for name in ("text.npz", "other.npz", "half.npz", "array.npz"):
        with pytest.raises(ValueError, match=r"is no trajectory that save\(\) wrote"):
            mm.Trajectory.load(tmp_path / name)


def test_joining_what_does_not_follow(bouncing):
    other = mm.simulate(mm.scenes.load(0), duration=0.1)
    with pytest.raises(ValueError, match="of another model"):
        bouncing.joined(other)
    with pytest.raises(TypeError, match="give a trajectory"):
        bouncing.joined(None)
    with pytest.raises(ValueError, match="must start where this one ends"):
        bouncing.joined(bouncing)


def test_a_run_without_rows(tmp_path):
    spec = mm.Spec()
    spec.add_body("ball", None, mm.Prismatic(), inertia=mm.Inertia.sphere(0.1, mass=1))
    run = mm.simulate(spec.compile(), q=[1.0], times=[0.9, 1.0], duration=2.0)
    run = run.__class__(run.model, run.t[:0], run.q[:0], run.qdot[:0], run.charts[:0], "rk4", "interrupted")
    for ask in (lambda: run.energy_drift, lambda: run.state):
        with pytest.raises(ValueError, match="no rows"):
            ask()
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        run.save(tmp_path / "folder.npz")
