"""Player and progress: seeking, stepping, looping, posing, without a page; and how a run says how far it is."""

import time
from dataclasses import replace

import numpy as np
import pytest

import myomass as mm
from myomass.run import adaptive_stepper as adaptive
from myomass.run import stepper
from myomass.viewer.frames import Frames, still_run
from myomass.viewer.player import STEP, Player


class TestPlayer:
    @pytest.fixture
    def player(self):
        scene = mm.scenes.load("simple-serial-chain")
        run = mm.simulate(scene, integrator="rk4", h=0.01, duration=0.5)
        self.shown = []
        player = Player(Frames(run), self.shown.append, fps=200)
        yield player
        player.stop()
        assert not player.thread.is_alive()

    def wait(self, until):
        for _ in range(300):
            if until():
                return
            time.sleep(0.01)
        pytest.fail("it takes more than three seconds")

    def test_starts_at_the_start_and_waits(self, player):
        player.start()
        time.sleep(0.05)
        assert [moment.t for moment in self.shown] == [0.0]

    def test_seek_and_step(self, player):
        player.seek(0.123)
        np.testing.assert_array_equal(self.shown[-1].q, player.frames.at(0.123).q)
        player.step(1)
        assert self.shown[-1].t == pytest.approx(0.123 + STEP)
        player.step(-2)
        assert self.shown[-1].t == pytest.approx(0.123 - STEP)
        for t, expected in ((-1, 0.0), (9, 0.5)):
            player.seek(t)
            assert self.shown[-1].t == player.t == expected

    def test_a_step_is_a_row_where_rows_are_far_apart(self, player):
        run = player.frames.trajectory
        rows = {key: getattr(run, key)[::10] for key in ("t", "q", "qdot", "charts")}
        player.load(Frames(replace(run, **rows)))
        player.step(1)
        assert self.shown[-1].t == pytest.approx(0.1)

    def test_it_loops(self, player):
        player.speed = 4.0
        player.start()
        player.play()
        self.wait(lambda: len(self.shown) > 3 and any(np.diff([m.t for m in list(self.shown)]) < 0))
        assert player.playing
        player.play(False)
        assert not player.playing

    def test_it_ends_where_it_does_not_loop(self, player):
        told = []
        player.loop, player.speed, player.changed = False, 5.0, lambda: told.append(player.playing)
        player.start()
        player.play()
        self.wait(lambda: not player.playing)
        self.wait(lambda: self.shown[-1].t == 0.5)
        assert told == [False]
        assert (np.diff([moment.t for moment in self.shown]) >= 0).all()
        player.play()  # again from the start
        assert player.t < 0.5

    def test_a_pose_is_shown_at_rest_until_it_plays(self, player):
        player.seek(0.2)
        player.pose([0.1, 0.2, 0.3])
        np.testing.assert_array_equal(self.shown[-1].q, (0.1, 0.2, 0.3))
        assert not self.shown[-1].qdot.any()
        assert self.shown[-1].multipliers is None
        player.seek(0.2)
        assert player.posed is None
        np.testing.assert_array_equal(self.shown[-1].q, player.frames.at(0.2).q)

    def test_a_still_does_not_play(self, player):
        player.load(Frames(still_run(player.frames.trajectory.model)))
        player.play()
        assert not player.playing


def in_small_pieces(monkeypatch) -> None:
    """Runs look up after every few steps."""
    for kind in (stepper, adaptive):
        monkeypatch.setattr(kind, "LINK_STEPS_PER_CALL", 60)


class TestProgress:
    """simulate(progress=function)."""

    @pytest.mark.parametrize("integrator", ["rk4", "recursive", "bdf2"])
    def test_shares_rise_to_one(self, monkeypatch, integrator):
        in_small_pieces(monkeypatch)
        scene, shares = mm.scenes.load("simple-serial-chain"), []
        mm.simulate(scene, integrator=integrator, h=0.005, duration=0.5, progress=shares.append)
        assert len(shares) > 3
        assert (np.diff(shares) > 0).all()
        assert 0 < shares[0] < 1
        assert shares[-1] == pytest.approx(1.0, abs=1e-12)

    def test_shares_are_of_what_is_left(self, monkeypatch):
        in_small_pieces(monkeypatch)
        model, shares = mm.scenes.load("simple-serial-chain").model, []
        later = model.state(t=100.0)
        mm.simulate(model, state=later, integrator="rk4", h=0.01, duration=0.5, progress=shares.append)
        assert 0 < shares[0] < 0.5
        assert shares[-1] == pytest.approx(1.0)

    @pytest.mark.parametrize("integrator", ["rk4", "recursive"])
    def test_an_interrupted_run_keeps_its_rows(self, monkeypatch, integrator):
        in_small_pieces(monkeypatch)
        shares, scene = [], mm.scenes.load("simple-serial-chain")

        def stop(share):
            shares.append(share)
            if share > 0.4:
                raise KeyboardInterrupt

        run = mm.simulate(scene, integrator=integrator, h=0.005, duration=0.5, progress=stop)
        assert run.ended == "interrupted"
        assert run.t[-1] == pytest.approx(0.5 * shares[-1])
        assert 0.4 < shares[-1] < 0.9
        whole = mm.simulate(scene, integrator=integrator, h=0.005, duration=0.5)
        np.testing.assert_array_equal(run.q, whole.q[: len(run.q)])
        assert Frames(run).notes == ["ended: interrupted"]
