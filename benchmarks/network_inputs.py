"""What symmetries are worth: the dissertation's network on raw inputs, against the package's own.

    python benchmarks/network_inputs.py            # 100,000 steps: a minute on a GPU, hours on two cores

Eight inputs (both ends, alpha, radius) to a place, 6 layers of 256 units, on the ranges of the dissertation: ends in a
cube of 2 m, radii of 1 to 20 cm, samples within 1 % of the kink left out. It learns from 400,000 samples, with the
optimiser, rate and batches with which networks of that size did best here. Both are judged on the same 50,000 samples.
"""

import argparse

import numpy as np

from myomass.muscles.network import training
from myomass.muscles.network.evaluation import learned_places
from myomass.muscles.network.sampling import SUBJECTS, THRESHOLD, Ends, Samples, trace
from myomass.muscles.network.trained import Weights
from myomass.muscles.wrapping import Cylinder

HIDDEN, RATE, BATCH = (256,) * 6, 5e-4, 8192
RADII, NEAREST, FARTHEST = (0.01, 0.2), 1.02, 20.0  # [m]; of the ends, in radii


def draw(count: int, seed: int) -> tuple[Samples, Ends]:
    """(samples with raw inputs, their ends): half of them touching."""
    rng, kept = np.random.default_rng(seed), {True: [], False: []}
    while min(sum(map(len, rows)) for rows in kept.values()) < count // 2:
        a, b = rng.uniform(-1.0, 1.0, (2, 100_000, 3))
        r, xi = rng.uniform(*RADII, len(a)), rng.uniform(0.0, 1.0, len(a))
        outside = np.minimum(np.hypot(*a[:, :2].T), np.hypot(*b[:, :2].T)) > NEAREST * r
        params = np.zeros((len(a), 5))
        params[:, 4] = r
        ends = Ends(a[outside], b[outside], params[outside])
        traced = trace(Cylinder, ends, xi[outside, None])
        share = traced.wrapped / traced.length
        rows = np.column_stack([ends.a, ends.b, xi[outside], r[outside], traced.x[:, 0], traced.length, share])
        for touching in kept:
            kept[touching].append(rows[share > THRESHOLD] if touching else rows[share == 0.0])
    rows = np.concatenate([np.concatenate(kept[touching])[: count // 2] for touching in kept])
    a, b, xi, r, x, length, share = np.split(rng.permutation(rows), [3, 6, 7, 8, 11, 12], axis=1)
    params = np.concatenate([np.zeros((len(r), 4)), r], axis=1)
    inputs, target = np.concatenate([a, b, xi, r], axis=1), x / length
    still = np.zeros_like(inputs), np.zeros(len(r)), np.zeros_like(target)
    ends = Ends(*map(np.ascontiguousarray, (a, b, params)))
    return Samples(*ends, xi[:, 0], share[:, 0], inputs, 1.0 / length[:, 0], target, *still), ends


def learn(lessons: Samples, held_out: Samples, steps: int) -> np.ndarray:
    """Errors of the raw network on held-out samples, in parts of the path's length."""
    jax = training.need_jax()
    settings = training.Settings(HIDDEN, steps, BATCH, RATE, len(lessons.xi), rates_weight=0.0)
    scaling = np.zeros(8), np.ones(8)
    data = (training.on_device(jax, part, *scaling) for part in (lessons, held_out))
    run, _ = training.steps_of(jax, settings, *data)
    state = training.first_state(jax, [8, *HIDDEN, 3], settings.seed)
    layers, first, second = state.layers, state.first, state.second
    for step in range(0, steps, training.BLOCK):
        layers, first, second = run(layers, first, second, step)
    found = np.asarray(training.apply(jax, layers, held_out.inputs.astype(np.float32)))
    return np.linalg.norm(held_out.factor[:, None] * found - held_out.target, axis=1)


def shipped(held_out: Samples, ends: Ends) -> np.ndarray:
    """Errors of the package's own network on the same samples."""
    weights, xi = Weights.load(Cylinder.shipped), held_out.xi
    traced = trace(Cylinder, ends, xi[:, None])
    places = learned_places(SUBJECTS["circle"].problem, weights, ends, traced, xi)
    return held_out.factor * np.linalg.norm(places - held_out.target / held_out.factor[:, None], axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--samples", type=int, default=400_000)
    args = parser.parse_args()
    held_out, ends = draw(50_000, seed=5)
    far = np.maximum(np.hypot(*ends.a[:, :2].T), np.hypot(*ends.b[:, :2].T)) > FARTHEST * ends.params[:, 4]
    ours = shipped(held_out, ends)
    say("shipped, all samples", ours)
    say(f"shipped, the {1 - far.mean():.0%} in its range", ours[~far])
    say(f"raw inputs, {args.steps} steps", learn(draw(args.samples, seed=0)[0], held_out, args.steps))


def say(what: str, errors: np.ndarray) -> None:
    print(f"{what:34s} mean {errors.mean():.2e}, 99 % {np.quantile(errors, 0.99):.2e}", flush=True)


if __name__ == "__main__":
    main()
