"""Networks learn from exact paths: samples against formulas of their own, training that stops, goes on and is kept."""

from dataclasses import asdict

import numpy as np
import pytest

from myomass.muscles.network import training
from myomass.muscles.network.evaluation import errors_on, place_errors
from myomass.muscles.network.sampling import SUBJECTS, TOUCHING, Ends, draw_samples, subject_of, trace
from myomass.muscles.network.trained import Weights
from myomass.muscles.network.training import Settings, checkpoint_step, train

TINY = {"hidden": (6, 5), "steps": 240, "batch": 64, "samples": 1000, "seed": 3}
CIRCLE, CAPSULE = SUBJECTS["circle"], SUBJECTS["capsule"]


@pytest.fixture
def small(monkeypatch):
    """Looks after 40 steps, at few samples."""
    pytest.importorskip("jax")
    monkeypatch.setattr(training, "BLOCK", 40)
    monkeypatch.setattr(training, "VALIDATION", 400)
    monkeypatch.setattr(training, "HELD_OUT", 300)


def around(a, b, xi):
    """Places on taut strings about the unit cylinder, that turn with z from a to b, (n, 3); and the angle wrapped."""
    rho, phi = np.hypot(a[:, 0], a[:, 1]), np.arctan2(a[:, 1], a[:, 0])
    rho_b, phi_b = np.hypot(b[:, 0], b[:, 1]), np.arctan2(b[:, 1], b[:, 0])
    first, last = np.sqrt(rho**2 - 1), np.sqrt(rho_b**2 - 1)
    enter, leave = phi + np.arccos(1 / rho), phi_b - np.arccos(1 / rho_b)
    theta = (phi_b - phi) % (2 * np.pi) - np.arccos(1 / rho) - np.arccos(1 / rho_b)
    s = xi * (first + theta + last)
    on = np.clip(s - first, 0, theta)
    P = np.stack([np.cos(enter + on), np.sin(enter + on)], axis=1)
    tangent = np.stack([-P[:, 1], P[:, 0]], axis=1)
    flat = P + (s - first - on)[:, None] * tangent
    chord = a + xi[:, None] * (b - a)
    wrapped = np.concatenate([flat, chord[:, 2:]], axis=1)
    np.testing.assert_allclose(np.cos(enter + theta), np.cos(leave), atol=1e-12)
    return np.where(theta[:, None] > 0, wrapped, chord), np.maximum(theta, 0)


def targets(a, b, xi):
    """(what a network for circles should learn, the wrapped share): by the same formula."""
    exact, theta = around(a, b, xi)
    chord = b - a
    width = np.linalg.norm(chord, axis=1)
    along = chord / width[:, None]
    aside = np.stack([along[:, 1], -along[:, 0], 0 * theta], axis=1)
    free = sum(np.sqrt((end**2).sum(axis=1) - 1) for end in (a, b))
    length = np.where(theta > 0, free + theta, width)
    off = (exact - a - xi[:, None] * chord) / length[:, None]
    return np.stack([(off * along).sum(axis=1), (off * aside).sum(axis=1)], axis=1), theta / length


def ends_of(own):
    """Ends that stand at angles (beta_a, beta_b, delta) about the unit circle."""
    rho, rho_b = 1 / np.cos(own[:, :2].T)
    delta, o = own[:, 2], 0 * rho
    return np.stack([rho, o, o], axis=1), np.stack([rho_b * np.cos(delta), rho_b * np.sin(delta), o], axis=1)


def capsule_distance(x, half):
    over = np.maximum(np.abs(x[..., 2]) - half, 0.0)
    return np.sqrt(x[..., 0] ** 2 + x[..., 1] ** 2 + over**2)


class TestSamples:
    def test_places_about_a_cylinder_are_those_of_a_helix(self):
        drawn = draw_samples(CIRCLE, 500, 1)
        rng = np.random.default_rng(2)
        a, b = drawn.a.copy(), drawn.b.copy()
        a[:, 2], b[:, 2] = rng.normal(size=(2, 500))
        traced = trace(CIRCLE.surface, Ends(a, b, drawn.params), drawn.xi[:, None])
        exact, theta = around(a, b, drawn.xi)
        assert (theta > 0).sum() == round(TOUCHING * 500)
        np.testing.assert_allclose(traced.x[:, 0], exact, atol=1e-12)

    def test_targets_lead_from_the_chord_to_the_path(self):
        drawn = draw_samples(CIRCLE, 500, 1)
        target, share = targets(drawn.a, drawn.b, drawn.xi)
        np.testing.assert_allclose(drawn.target, target, atol=1e-12)
        np.testing.assert_allclose(drawn.share, share, atol=1e-13)
        np.testing.assert_allclose(ends_of(drawn.inputs), [drawn.a, drawn.b], rtol=1e-9, atol=1e-9)

    def test_rates_are_those_of_the_formula(self):
        drawn = draw_samples(CIRCLE, 500, 6)
        own, rates = drawn.inputs[:, :3], drawn.input_rates[:, :3]
        step = 1e-6 / np.abs(rates).max(axis=1)[:, None]
        ahead, back = (targets(*ends_of(own + sign * step * rates), drawn.xi)[0] for sign in (1, -1))
        np.testing.assert_array_equal(drawn.input_rates[:, 3], 0.0)  # xi stands still
        scale = 1 + np.abs(drawn.target_rates).max(axis=1)[:, None]
        np.testing.assert_allclose((ahead - back) / (2 * step) / scale, drawn.target_rates / scale, atol=1e-6)

    def test_paths_about_a_capsule_stay_outside_and_are_as_long_as_their_parts(self):
        drawn = draw_samples(CAPSULE, 200, 1)
        steps = 2000
        xi = np.broadcast_to(np.linspace(0, 1, steps + 1), (200, steps + 1)).copy()
        traced = trace(CAPSULE.surface, Ends(drawn.a, drawn.b, drawn.params), xi)
        distance = capsule_distance(traced.x, drawn.params[:, 5:])
        touching = drawn.share > 0
        assert distance[touching].min() > 1 - 1e-9
        assert (distance[touching].min(axis=1) < 1 + 1e-9).all()  # and touch
        parts = np.linalg.norm(np.diff(traced.x, axis=1), axis=2)
        assert (parts <= traced.length[:, None] / steps * (1 + 1e-9)).all()
        np.testing.assert_allclose(parts.sum(axis=1), traced.length, rtol=2e-6)
        on = (distance < 1 + 1e-9).mean(axis=1)
        np.testing.assert_allclose(on[touching], drawn.share[touching], atol=2 / steps)

    @pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
    @pytest.mark.parametrize("threshold", [0.01, 0.2])
    def test_touching_and_not_but_none_near_the_kink(self, subject, threshold):
        drawn = draw_samples(subject, 1000, 5, threshold=threshold)
        touching = drawn.share > 0
        assert touching.sum() == round(TOUCHING * 1000)
        assert drawn.share[touching].min() > threshold
        assert drawn.share[touching].min() < threshold + 0.05
        assert touching[:100].any()
        assert not touching[:100].all()
        assert np.abs(drawn.target[~touching]).max() < 1e-12

    @pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
    def test_own_and_derived_variables_stay_in_their_limits(self, subject):
        own = draw_samples(subject, 2000, 4).inputs[:, : len(subject.problem.own)]
        values = np.concatenate([own, subject.problem.derive(own)], axis=1)
        low, high = subject.limits(subject.ranges)
        assert (values >= low - 1e-9).all() and (values <= high + 1e-9).all()

    def test_a_threshold_that_leaves_nothing_is_said(self):
        with pytest.raises(ValueError, match=r"wrap more than 0.999 of their length"):
            draw_samples(CIRCLE, 1000, 0, threshold=0.999)

    def test_surfaces_and_problems_have_subjects(self):
        assert subject_of("cylinder") is subject_of("sphere") is subject_of("circle") is CIRCLE
        assert subject_of("capped-cylinder") is subject_of("capsule") is CAPSULE
        with pytest.raises(ValueError, match=r"no network for a surface 'sfere'; did you mean 'sphere'\?"):
            subject_of("sfere")
        with pytest.raises(ValueError, match="there are: cylinder, sphere, capped-cylinder, circle, capsule"):
            subject_of("torus")


class TestTraining:
    @pytest.mark.parametrize(("subject", "looks"), [(CIRCLE, 1), (CAPSULE, 4)], ids=SUBJECTS)
    def test_goes_on_as_if_never_interrupted(self, small, tmp_path, subject, looks):
        settings, checkpoint, seen = Settings(**TINY), tmp_path / "half.npz", []

        def interrupt(now):
            seen.append(now)
            if len(seen) == looks:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train(subject, settings, checkpoint=checkpoint, report=interrupt)
        assert checkpoint_step(checkpoint, subject, settings) == seen[-1].step == 40 * looks
        resumed = train(subject, settings, checkpoint=checkpoint, report=seen.append)
        through = []
        whole = train(subject, settings, report=through.append)
        assert seen == through
        assert resumed.digest == whole.digest
        assert resumed.about == whole.about

    def test_learns(self, small):
        seen = []
        settings = Settings((16, 16), 6000, samples=5000, batch=256)
        made = train(CIRCLE, settings, report=seen.append)
        assert seen[-1].best < 0.3 * seen[0].error
        held_out = draw_samples(CIRCLE, 1000, 99)
        nothing = np.linalg.norm(held_out.target, axis=1).mean()
        assert place_errors(made, held_out).mean() < 0.2 * nothing

    def test_stops_when_it_gets_no_better_and_keeps_the_best(self, small):
        seen, patience = [], 3
        settings = Settings(**TINY | {"rate": 0.3, "steps": 20_000, "patience": patience})
        made = train(CIRCLE, settings, report=seen.append)
        assert made.about["steps_taken"] == seen[-1].step < settings.steps
        errors = [now.error for now in seen]
        assert int(np.argmin(errors)) == len(errors) - 1 - patience
        validation = draw_samples(CIRCLE, training.VALIDATION, settings.seed + 1_000_003)
        rms = np.sqrt((place_errors(made, validation) ** 2).mean())
        np.testing.assert_allclose(rms, seen[-1].best, rtol=1e-4)

    def test_steps_beyond_the_last_change_nothing(self, small, monkeypatch):
        settings = Settings(**TINY | {"steps": 60})
        seen = []
        cut = train(CIRCLE, settings, report=seen.append)
        assert [now.step for now in seen] == [40, 60]
        monkeypatch.setattr(training, "BLOCK", 60)
        even = train(CIRCLE, settings)
        for mine, other in zip(cut.layers, even.layers, strict=True):
            np.testing.assert_allclose(mine[0], other[0], rtol=1e-5, atol=1e-7)

    def test_a_network_with_its_story_is_kept_and_loaded(self, small, tmp_path):
        settings = Settings(**TINY)
        made = train(CAPSULE, settings)
        loaded = Weights.load(made.save(tmp_path / "mine.npz"))
        assert loaded.problem == "capsule"
        assert loaded.digest == made.digest
        assert loaded.about["settings"] == asdict(settings) | {"hidden": list(settings.hidden)}
        assert loaded.about["settings"]["seed"] == TINY["seed"]
        assert loaded.about["ranges"] == {key: list(pair) for key, pair in CAPSULE.ranges.items()}
        np.testing.assert_array_equal([loaded.low, loaded.high], CAPSULE.limits(CAPSULE.ranges))
        held_out = draw_samples(CAPSULE, training.HELD_OUT, settings.seed + 2_000_003)
        again = errors_on(CAPSULE, loaded, held_out)
        assert loaded.about["errors"] == {"held_out_samples": training.HELD_OUT} | again._asdict()
        assert all(0 < again.place[key] < again.jacobian[key] for key in ("mean", "p99", "max"))
        assert {part.dtype for layer in loaded.layers for part in layer} == {np.dtype(np.float32)}

    def test_held_out_samples_were_never_learned_from(self, small, monkeypatch):
        drawn = []

        def keep(*args, **options):
            drawn.append(draw_samples(*args, **options))
            return drawn[-1]

        monkeypatch.setattr(training, "draw_samples", keep)
        train(CIRCLE, Settings(**TINY))
        lessons, validation, held_out = ({*part.xi.tolist()} for part in drawn)
        assert len(lessons) == TINY["samples"]
        assert len(held_out) == training.HELD_OUT
        assert not lessons & validation | lessons & held_out | validation & held_out

    def test_another_seed_is_another_network(self, small):
        settings = Settings(**TINY | {"steps": 40})
        digests = {train(CIRCLE, Settings(**asdict(settings) | {"seed": seed})).digest for seed in (0, 1)}
        assert len(digests) == 2

    def test_a_rate_that_is_too_long_is_said(self, small, tmp_path):
        checkpoint = tmp_path / "half.npz"
        with pytest.raises(FloatingPointError, match="take a smaller rate"):
            train(CIRCLE, Settings(**TINY | {"rate": 1e30}), checkpoint=checkpoint)
        assert not checkpoint.exists()


class TestCheckpoints:
    @pytest.fixture
    def half(self, small, tmp_path):
        def interrupt(_):
            raise KeyboardInterrupt

        path = tmp_path / "half.npz"
        with pytest.raises(KeyboardInterrupt):
            train(CIRCLE, Settings(**TINY), checkpoint=path, report=interrupt)
        return path

    @pytest.mark.parametrize(
        ("subject", "change", "named"),
        [
            (CIRCLE, {"seed": 4}, "seed"),
            (CIRCLE, {"hidden": (6, 6), "rate": 1e-3}, "hidden, rate"),
            (CAPSULE, {}, "probl"),
        ],
    )
    def test_of_other_settings_are_refused_and_left(self, half, subject, change, named):
        kept = half.read_bytes()
        with pytest.raises(
            ValueError, match=rf"half\.npz is the checkpoint .* other settings \({named}.*give the same"
        ):
            train(subject, Settings(**TINY | change), checkpoint=half)
        assert half.read_bytes() == kept

    @pytest.mark.parametrize("size", [0, 100, -40])
    def test_that_are_not_whole_are_refused_and_left(self, half, size):
        half.write_bytes(half.read_bytes()[:size])
        kept = half.read_bytes()
        with pytest.raises(ValueError, match=r"half\.npz is not a complete checkpoint"):
            train(CIRCLE, Settings(**TINY), checkpoint=half)
        assert half.read_bytes() == kept

    def test_without_one_it_starts_at_the_beginning(self, tmp_path):
        assert checkpoint_step(tmp_path / "none.npz", CIRCLE, Settings()) == 0
