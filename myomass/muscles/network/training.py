"""Training of networks, by JAX (the extra `train`): Adam on places and their rates, with checkpoints.

The loss is the mean square of a place's error in parts of the path's length, and of its rate's: what moves mass is the
Jacobian. The step length falls to zero along a cosine. A run that is interrupted goes on from its checkpoint, batch by
batch as if it had never stopped.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .evaluation import errors_on
from .sampling import THRESHOLD, Samples, Subject, draw_samples
from .trained import HIDDEN, WIDTH, BrokenFile, Weights, write_whole

BLOCK = 500  # steps between looks at the validation samples
VALIDATION, HELD_OUT = 20_000, 50_000  # samples, each drawn with a seed of its own
FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8  # of Adam
WARM_UP = 500  # steps
PERCENT = 1e4  # the loss counts errors in percent


@dataclass(frozen=True)
class Settings:
    """How a network is trained."""

    hidden: tuple[int, ...] = (32, 32, 32)
    steps: int = 20_000
    batch: int = 4096
    rate: float = 3e-3
    samples: int = 200_000
    threshold: float = THRESHOLD
    rates_weight: float = 1e-3  # of the error of rates in the loss
    patience: int = 200  # looks at the validation samples, each after BLOCK steps, without a better one: then it stops
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise a ValueError if a number makes no sense."""
        if not self.hidden or any(not isinstance(width, int) or width < 1 for width in self.hidden):
            raise ValueError(f"hidden layers are whole numbers of units, one layer at least, not {self.hidden!r}")
        if max(self.hidden) > WIDTH or sum(self.hidden) > HIDDEN:
            raise ValueError(f"hidden layers have at most {WIDTH} units each, {HIDDEN} in all, not {self.hidden!r}")
        for name in ("steps", "batch", "samples", "patience"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number, one at least, and is {value!r}")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed must be a whole number, not negative, and is {self.seed!r}")
        if not 0 < self.rate < np.inf or not 0 <= self.rates_weight < np.inf or not 0 <= self.threshold < 1:
            raise ValueError("rate must be positive, rates_weight not negative, and threshold between 0 and 1")


class Progress(NamedTuple):
    """How far a training is."""

    step: int
    steps: int
    error: float  # root mean square of the place's error on validation samples, in parts of the path's length
    best: float


def need_jax():
    """The module jax. Raises an ImportError that says how to install it."""
    try:
        import jax
    except ImportError:
        raise ImportError("training networks needs jax: pip install 'myomass[train]'") from None
    return jax


class Drawn(NamedTuple):
    """Samples of a training, each set drawn with a seed of its own."""

    lessons: Samples
    validation: Samples
    held_out: Samples


def draw(subject: Subject, settings: Settings) -> Drawn:
    """The samples that a training with these settings draws."""
    counts = (0, settings.samples), (1_000_003, VALIDATION), (2_000_003, HELD_OUT)
    return Drawn(*(draw_samples(subject, n, settings.seed + k, threshold=settings.threshold) for k, n in counts))


def device() -> str:
    """Name of the device that JAX trains on."""
    jax = need_jax()
    try:
        chosen = jax.devices()[0]
    except (RuntimeError, AssertionError):
        raise ValueError("jax finds no device to train on; JAX_PLATFORMS, if set, must name one it has") from None
    return chosen.platform if chosen.device_kind == chosen.platform else f"{chosen.platform}, {chosen.device_kind}"


class _State(NamedTuple):
    """The state from which a training can go on."""

    layers: list
    first: list  # Adam's moments
    second: list
    best: list
    step: int
    best_error: float
    waited: int


def train(
    subject: Subject,
    settings: Settings | None = None,
    *,
    checkpoint: str | Path | None = None,
    report: Callable[[Progress], None] | None = None,
    drawn: Drawn | None = None,
) -> Weights:
    """A network for a subject of `sampling.SUBJECTS`, with its errors on held-out samples inside.

    checkpoint: a file that the state is kept in while it trains; if it is there already, training goes on from it.
    drawn: samples of `draw` with the same seed, count and threshold, for many networks to learn from the same.
    """
    jax, settings = need_jax(), settings or Settings()
    checkpoint = None if checkpoint is None else Path(checkpoint)
    state = None
    if checkpoint is not None and checkpoint.exists():
        state = _load(checkpoint, subject, settings)
    lessons, validation, held_out = drawn or draw(subject, settings)
    centre, spread = lessons.inputs.mean(axis=0), lessons.inputs.std(axis=0)
    spread = np.where(spread > 0.0, spread, 1.0)  # of a variable that does not vary
    sizes = [len(centre), *settings.hidden, subject.problem.outputs]
    state = state or first_state(jax, sizes, settings.seed)
    data = (on_device(jax, part, centre, spread) for part in (lessons, validation))
    run, error_of = steps_of(jax, settings, *data)
    while state.step < settings.steps and state.waited < settings.patience:
        layers, first, second = run(state.layers, state.first, state.second, state.step)
        error = float(error_of(layers))
        if not np.isfinite(error):
            raise FloatingPointError(f"training diverged after step {state.step}: take a smaller rate")
        better = error < state.best_error
        state = _State(
            layers,
            first,
            second,
            layers if better else state.best,
            min(state.step + BLOCK, settings.steps),
            min(error, state.best_error),
            0 if better else state.waited + 1,
        )
        if checkpoint is not None:
            _save(checkpoint, state, subject, settings)
        if report is not None:
            report(Progress(state.step, settings.steps, error, state.best_error))
    made = _finished(subject, settings, state, centre, spread)
    made.about["errors"] = {"held_out_samples": len(held_out.xi)} | errors_on(subject, made, held_out)._asdict()
    return made


def _finished(subject: Subject, settings: Settings, state: _State, centre: np.ndarray, spread: np.ndarray) -> Weights:
    """The best layers as a network, with the settings and samples that it was made from."""
    layers = tuple((np.asarray(matrix), np.asarray(offsets)) for matrix, offsets in state.best)
    about = {"ranges": {key: [float(x) for x in pair] for key, pair in subject.ranges.items()}}
    about |= {"settings": asdict(settings), "steps_taken": int(state.step)}
    made = Weights(subject.problem.name, layers, centre, spread, *subject.limits(subject.ranges), about)
    made.check("the trained network")
    return made


def on_device(jax, samples: Samples, centre: np.ndarray, spread: np.ndarray) -> tuple:
    """Samples on the device, in float32: values and rates of (inputs, factor, target)."""
    values = (samples.inputs - centre) / spread, samples.factor[:, None], samples.target
    rates = samples.input_rates / spread, samples.factor_rate[:, None], samples.target_rates
    return tuple(tuple(jax.numpy.asarray(part, np.float32) for part in parts) for parts in (values, rates))


def first_state(jax, sizes: list[int], seed: int) -> _State:
    """The state before the first step: random layers, Adam's moments zero."""
    keys = jax.random.split(jax.random.PRNGKey(seed), len(sizes) - 1)
    layers = [
        (jax.random.normal(key, (rows, columns)) / np.sqrt(rows), jax.numpy.zeros(columns))
        for key, rows, columns in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]
    nothing = jax.tree.map(jax.numpy.zeros_like, layers)
    return _State(layers, nothing, nothing, layers, 0, np.inf, 0)


def apply(jax, layers: list, inputs):
    """A network in JAX: outputs for rows of scaled inputs. On a GPU too all digits count: no products in TF32."""

    def times(h, matrix):
        return jax.numpy.matmul(h, matrix, precision="highest")

    h = inputs
    for matrix, offsets in layers[:-1]:
        h = jax.numpy.tanh(times(h, matrix) + offsets)
    return times(h, layers[-1][0]) + layers[-1][1]


def steps_of(jax, settings: Settings, lessons: tuple, validation: tuple) -> tuple[Callable, Callable]:
    """(run, error): BLOCK steps of Adam from a step on, and the error on validation samples."""
    jnp = jax.numpy

    def off(layers, inputs, factor, target):
        return factor * apply(jax, layers, inputs) - target

    def loss(layers, values, rates):
        error, change = jax.jvp(lambda *parts: off(layers, *parts), values, rates)
        return PERCENT * ((error**2).sum(-1) + settings.rates_weight * (change**2).sum(-1)).mean()

    def step(carried, number):
        layers, first, second, values, rates = carried
        key = jax.random.fold_in(jax.random.PRNGKey(settings.seed + 1), number)
        rows = jax.random.randint(key, (settings.batch,), 0, len(values[1]))
        chosen = (tuple(part[rows] for part in parts) for parts in (values, rates))
        slope = jax.grad(loss)(layers, *chosen)
        first = jax.tree.map(lambda m, g: FIRST * m + (1 - FIRST) * g, first, slope)
        second = jax.tree.map(lambda v, g: SECOND * v + (1 - SECOND) * g * g, second, slope)
        done = jnp.minimum(1.0, number / settings.steps)  # beyond the last step, up to a whole block, nothing changes
        fall = 0.5 * (1 + jnp.cos(jnp.pi * done)) * jnp.minimum(1.0, (number + 1) / WARM_UP)
        rate, m, v = settings.rate * fall, 1 - FIRST ** (number + 1.0), 1 - SECOND ** (number + 1.0)
        layers = jax.tree.map(lambda p, a, b: p - rate * (a / m) / (jnp.sqrt(b / v) + SMALL), layers, first, second)
        return (layers, first, second, values, rates), None

    @jax.jit
    def block(layers, first, second, values, rates, start):
        numbers = start + jnp.arange(BLOCK)
        return jax.lax.scan(step, (layers, first, second, values, rates), numbers)[0][:3]

    @jax.jit
    def error(layers, values):
        return jnp.sqrt((off(layers, *values) ** 2).sum(-1).mean())

    return (
        lambda layers, first, second, start: block(layers, first, second, *lessons, start),
        lambda layers: error(layers, validation[0]),
    )


def checkpoint_step(path: str | Path, subject: Subject, settings: Settings) -> int:
    """The step from which a training would go on, 0 without a checkpoint.

    Raises a ValueError if the checkpoint is that of another training.
    """
    path = Path(path)
    return _load(path, subject, settings).step if path.exists() else 0


def _told(subject: Subject, settings: Settings) -> dict:
    """The subject and settings that a checkpoint must share for a training to go on from it."""
    ranges = {key: list(pair) for key, pair in subject.ranges.items()}
    return {"problem": subject.problem.name, "ranges": ranges} | asdict(settings)


def _save(path: Path, state: _State, subject: Subject, settings: Settings) -> None:
    """Write the checkpoint."""
    arrays = {}
    for name in ("layers", "first", "second", "best"):
        for k, (matrix, offsets) in enumerate(getattr(state, name)):
            arrays[f"{name}_{k}_matrix"], arrays[f"{name}_{k}_offsets"] = np.asarray(matrix), np.asarray(offsets)
    told = _told(subject, settings) | {"count": len(state.layers), "step": int(state.step)}
    told |= {"best_error": state.best_error, "waited": state.waited}
    write_whole(path, told, arrays)


def _load(path: Path, subject: Subject, settings: Settings) -> _State:
    """The state of a checkpoint. Raises a ValueError if the file is broken, or from another training."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            told = json.loads(str(file["told"]))
            kept = {key: told[key] for key in ("step", "best_error", "waited")}
            parts = {
                name: [(file[f"{name}_{k}_matrix"], file[f"{name}_{k}_offsets"]) for k in range(told["count"])]
                for name in ("layers", "first", "second", "best")
            }
    except Exception as error:
        raise BrokenFile(
            f"{path} is not a complete checkpoint ({type(error).__name__}); remove it, or give --fresh, to start anew"
        ) from None
    wanted = json.loads(json.dumps(_told(subject, settings)))
    different = [key for key, value in wanted.items() if told.get(key) != value]
    if different:
        raise ValueError(
            f"{path} is the checkpoint of a training with other settings ({', '.join(different)}): give the same to go "
            "on, or remove it, or give --fresh, to start anew"
        )
    return _State(**parts, **kept)
