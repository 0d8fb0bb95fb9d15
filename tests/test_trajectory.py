"""A trajectory in a file and out of it, joined, and continued."""

from pathlib import Path

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


@pytest.mark.fast
def test_a_file_of_0_1_0_loads_and_its_motion_is_the_same():
    """Forces on coordinates and points, a coupling, a driven joint and a massive wrapped muscle."""
    path = Path(__file__).parent / "fixtures" / "saved-by-0.1.0.npz"
    loaded = mm.Trajectory.load(path)
    with np.load(path) as file:
        for key in ("t", "q", "qdot", "kinetic", "poses"):
            np.testing.assert_allclose(getattr(loaded, key), file[key], rtol=1e-12, atol=1e-12)
        # a constant force of 1 N pulls the hand along y; 0.1.0 left its potential out
        height = loaded.poses[:, loaded.model.body("hand"), 1, 3]
        np.testing.assert_allclose(loaded.potential, file["potential"] - 1.0 * height, rtol=1e-12)
    options = {"integrator": loaded.integrator, "h": loaded.t[1], "duration": loaded.t[-1]}
    again = mm.simulate(loaded.model, q=loaded.q[0], qdot=loaded.qdot[0], **options)
    np.testing.assert_allclose(again.q, loaded.q, rtol=0, atol=1e-11)
    assert (len(loaded.model.muscles), loaded.model.constraints.names) == (1, ("gear", "drive"))


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


# --- runs of several models -------------------------------------------------------------------------------------------


def hopper(name, *, joint=None, at=(0, 0, 0)):
    """A ball on a joint at a place."""
    spec = mm.Spec(name, gravity=(0, 0, -9.81))
    inertia = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1)
    spec.add_body("ball", None, joint or mm.Composite(mm.Prismatic((0, 0, 1)), mm.SphericalEuler()),
                  mm.translation(*at), inertia=inertia)  # fmt: skip
    return spec.compile()


@pytest.fixture
def hopping():
    """It flies, rests for a tenth of a second where it lands, and jumps off again: 4, 0, 4 ... degrees of freedom."""
    flying, resting, since = hopper("flying"), hopper("resting", joint=mm.Fixed()), []

    def land(state):
        since[:] = [state.t]
        return resting, resting.state()

    events = [
        mm.Event(lambda state, model: state.q[0] if model.ndof else 1.0, land, -1, "lands"),
        mm.Event(lambda state, model: -1.0 if model.ndof else state.t - since[0] - 0.1,
                 lambda state: (flying, flying.state([0, 0.1, 0, 0], [2, 1, 5, 2])), 1, "jumps"),
    ]  # fmt: skip
    return mm.simulate(flying, q=[0.5, 0, 0, 0], qdot=[0, 1, 9, 2], duration=2.0, events=events)


def same_runs(one, other):
    for key in ("t", "q", "qdot", "charts", "kinetic", "potential", "poses", "twists"):
        np.testing.assert_array_equal(getattr(one, key), getattr(other, key))
    assert [row for row, _ in one.switches] == [row for row, _ in other.switches]
    assert [model.name for _, model in one.switches] == [model.name for _, model in other.switches]
    for a, b in zip(one.events, other.events, strict=True):
        assert (a.time, a.kind) == (b.time, b.kind)
        for key in ("q_before", "qdot_before", "q_after", "qdot_after"):
            np.testing.assert_array_equal(getattr(a, key), getattr(b, key))


class TestSeveralModels:
    def test_pieces(self, hopping):
        assert len(hopping.pieces) == len(hopping.switches) + 1 == len(hopping.events) + 1 > 5
        assert [piece.model.ndof for piece in hopping.pieces][:3] == [4, 0, 4]
        rows = np.cumsum([0, *(len(piece.t) for piece in hopping.pieces)])
        assert rows[1:-1].tolist() == [row for row, _ in hopping.switches]
        for piece, first in zip(hopping.pieces, rows, strict=False):
            own = slice(first, first + len(piece.t))
            n = piece.model.ndof
            assert np.isnan(hopping.q[own, n:]).all()
            assert np.shares_memory(piece.t, hopping.t)
            np.testing.assert_array_equal(piece.q, hopping.q[own, :n])
            assert piece.charts.shape[1] == len(piece.model.chart_slots)
            for key in ("kinetic", "potential", "poses", "twists"):
                np.testing.assert_array_equal(getattr(piece, key), getattr(hopping, key)[own])
            assert all(hopping.model_at(row) is piece.model for row in range(own.start, own.stop))
        assert hopping.model is hopping.pieces[0].model
        assert hopping.last_model is hopping.pieces[-1].model
        assert "of 2 models" in repr(hopping)
        with pytest.raises(IndexError, match="no row"):
            hopping.model_at(len(hopping.t))

    def test_a_run_of_one_model_is_its_only_piece(self, bouncing):
        assert bouncing.pieces == [bouncing]
        assert bouncing.switches == ()
        assert bouncing.model_at(0) is bouncing.last_model is bouncing.model

    def test_what_is_loaded_is_what_was_saved(self, hopping, tmp_path):
        loaded = mm.Trajectory.load(hopping.save(tmp_path / "run.npz"))
        same_runs(loaded, hopping)
        assert len({id(model) for _, model in loaded.switches} | {id(loaded.model)}) == 2
        assert (loaded.steps, loaded.ended) == (hopping.steps, hopping.ended)
        assert {len(x.q_before) for x in loaded.events} == {0, 4}
        assert loaded.events[0].model_after is None

    def test_a_loaded_run_goes_on_and_is_joined(self, hopping, tmp_path):
        loaded = mm.Trajectory.load(hopping.save(tmp_path / "run.npz"))
        one, other = (mm.simulate(run.last_model, state=run.state, duration=0.05) for run in (hopping, loaded))
        np.testing.assert_array_equal(one.q, other.q)
        whole = loaded.joined(other)
        assert len(whole.switches) == len(loaded.switches)
        np.testing.assert_array_equal(whole.poses, np.concatenate([loaded.poses, other.poses[1:]]))
        assert whole.joined(mm.simulate(whole.last_model, state=whole.state, duration=0.05)).t[-1] == pytest.approx(2.1)

    def test_joining_runs_of_different_models(self, hopping):
        """What one run would have been: joined from its pieces by hand."""
        first, second = hopping.pieces[:2]
        rest = mm.simulate(second.model, state=mm.State(first.t[-1], np.zeros(0), np.zeros(0)), duration=0.1)
        whole = first.joined(rest)
        assert whole.switches == ((len(first.t), second.model),)
        assert np.isnan(whole.q[len(first.t) :]).all()
        np.testing.assert_array_equal(whole.poses, np.concatenate([first.poses, rest.poses[1:]]))
        flying = hopping.model
        more = mm.simulate(flying, state=flying.state([0, 0.1, 0, 0], [2, 1, 5, 2], whole.t[-1]), duration=0.1)
        assert [model for _, model in whole.joined(more).switches] == [second.model, more.model]
        same_runs(first.joined(rest.joined(more)), whole.joined(more))

    def test_many_models_in_a_small_file(self, tmp_path):
        """Hundreds of models that differ in a number: each is stored, what they share is stored once."""
        models = [hopper(f"at {i % 3}", at=(0.01 * i, 0, 0)) for i in range(300)]
        wave = mm.Event(lambda state: np.sin(np.pi * (1000 * state.t - 0.5)), lambda state: (models.pop(), state))
        run = mm.simulate(models.pop(), qdot=[0, 1, 9, 2], duration=0.29, integrator="rk4", h=1e-3, events=wave)
        assert len(run.switches) == 290
        path = run.save(tmp_path / "many.npz")
        same_runs(mm.Trajectory.load(path), run)
        single = mm.simulate(run.model, qdot=[0, 1, 9, 2], duration=0.579, integrator="rk4", h=1e-3)
        assert path.stat().st_size < 2 * single.save(tmp_path / "one.npz").stat().st_size + 200 * len(run.switches)
