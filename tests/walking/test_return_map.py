"""Return maps against walkers written by hand, closed forms, and what their derivatives must obey."""

import numpy as np
import pytest
from passive_walkers import PointWalker

import myomass as mm
from myomass.scenes.kneed_walker import KneedWalker
from myomass.scenes.walkers import Compass
from myomass.walking.landing import landed

WALKERS = [
    Compass(slope=np.deg2rad(3)),
    Compass(slope=0.02, gravity=1.62),
    Compass(slope=0.05, hip_mass=5.0, leg_mass=2.0, length=0.8, offset=0.35),
]


def compass_oracle(w: Compass) -> PointWalker:
    return PointWalker(w.slope, w.gravity, w.hip_mass, [(w.leg_mass, w.offset)], w.length)


def kneed_oracle(w: KneedWalker) -> PointWalker:
    femur = sum(w.thigh)
    leg = [(w.thigh_mass, w.thigh[1]), (w.shank_mass, femur + w.shank[1])]
    return PointWalker(w.slope, w.gravity, w.hip_mass, leg, femur + sum(w.shank), femur)


def absolute(x: np.ndarray) -> np.ndarray:
    """Angles to the vertical and their rates."""
    return np.concatenate([np.cumsum(half) for half in np.split(x, 2)])


@pytest.mark.parametrize("walker", WALKERS, ids=lambda w: f"{w.slope:.3f}")
def test_a_step_of_the_compass_is_that_of_point_masses(walker):
    stride = walker.return_map()(walker.guess)
    period, after, before = compass_oracle(walker).stride(absolute(walker.guess))
    assert stride.failure is None
    np.testing.assert_allclose(stride.period, period, rtol=0, atol=1e-11)
    np.testing.assert_allclose(absolute(stride.before[0]), before[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(absolute(stride.x), after, rtol=0, atol=1e-10)


def test_a_step_with_knees_is_that_of_point_masses():
    walker = KneedWalker()
    stride = walker.return_map()(walker.guess)
    guess = absolute(walker.guess)
    period, after, before = kneed_oracle(walker).stride(guess[[0, 1, 3, 4]])
    np.testing.assert_allclose(stride.period, period, rtol=0, atol=1e-11)
    for own, other in zip(stride.before, before, strict=True):
        np.testing.assert_allclose(absolute(own), other, rtol=0, atol=1e-9)
    np.testing.assert_allclose(absolute(stride.x)[[0, 1, 3, 4]], after, rtol=0, atol=1e-10)
    assert stride.x[2] == stride.x[5] == 0.0, "the knee starts straight and at rest"


@pytest.mark.parametrize("walker", [*WALKERS, KneedWalker()], ids=lambda w: f"{type(w).__name__} {w.slope:.3f}")
def test_the_derivative_is_that_of_differences(walker):
    step, P = 1e-4, walker.return_map(rtol=1e-13, atol=1e-13)
    x = walker.guess
    if isinstance(walker, KneedWalker):
        x = x - 1e-3 * np.eye(6)[2]  # bent a little, so that both neighbours are
    exact = P(x, derivative=True)
    for direction, column, shift in zip(np.eye(len(x)), exact.derivative.T, exact.period_derivative, strict=True):
        ends = [P(x + k * step * direction) for k in (-2, -1, 1, 2)]
        rows = np.array([np.append(end.x, end.period) for end in ends])
        difference = (rows[0] - 8 * rows[1] + 8 * rows[2] - rows[3]) / (12 * step)
        np.testing.assert_allclose(np.append(column, shift), difference, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("walker", WALKERS, ids=lambda w: f"{w.slope:.3f}")
def test_starts_along_the_motion_end_alike_and_ends_are_on_the_slope(walker):
    stride = walker.return_map()(walker.guess, derivative=True)
    q, qdot = np.split(walker.guess, 2)
    model = walker.spec().compile()
    along = np.append(qdot, mm.forward_dynamics(model, q, qdot))
    np.testing.assert_allclose(stride.derivative @ along, 0, atol=1e-10 * np.abs(stride.derivative).max())
    np.testing.assert_allclose(stride.period_derivative @ along, -1.0, rtol=0, atol=1e-10)
    assert np.isclose(2 * stride.x[0] + stride.x[1], -2 * walker.slope, rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.array([2, 1, 0, 0]) @ stride.derivative, 0, atol=1e-12)


def test_the_knee_strikes_as_an_impact_that_locks_it():
    walker = KneedWalker()
    stride, model = walker.return_map()(walker.guess), walker.spec().compile()
    locked = mm.walking.impact(model, model.state(*np.split(stride.before[0], 2)), joints="right_shank")
    np.testing.assert_allclose(stride.after[0], np.append(locked.state.q[:2], locked.state.qdot[:2]), rtol=1e-13)
    assert abs(locked.state.qdot[2]) < 1e-13 and locked.energy_lost > 0


def test_energy_is_kept_between_strikes():
    walker = KneedWalker()
    starts = walker.return_map()(walker.guess)
    models = [phase.model for phase in walker.phases()]
    for model, x, y in zip(models, (walker.guess, starts.after[0]), starts.before, strict=True):
        ends = [sum(mm.energy(model, *np.split(state, 2))[:2]) for state in (x, y)]
        np.testing.assert_allclose(ends[0], ends[1], rtol=1e-12)


def test_a_section_without_a_strike_keeps_the_symplectic_form():
    walker = Compass(slope=np.deg2rad(3))
    model = walker.spec().compile()
    phase = mm.walking.Phase(model, lambda q, qdot: q[0] + 0.1 * q[1], lambda q, qdot: (q, qdot))
    x = walker.guess
    stride = mm.walking.ReturnMap([phase])(x, derivative=True)

    def canonical(x: np.ndarray) -> np.ndarray:
        q, qdot = np.split(x, 2)
        return np.concatenate([q, mm.mass_matrix(model, q) @ qdot])

    def gradient(function, x: np.ndarray) -> np.ndarray:
        return np.array([function(x + 1e-30j * e).imag / 1e-30 for e in np.eye(4)]).T

    def hamiltonian(x: np.ndarray) -> float:
        q, qdot = np.split(x, 2)
        heights = mm.forward_kinematics(model, q)[:, 2, 3]
        return 0.5 * qdot @ mm.mass_matrix(model, q) @ qdot + walker.gravity * model.bodies["mass"] @ heights

    dH = gradient(hamiltonian, x)
    _, _, Vt = np.linalg.svd(dH[None])
    tangent = Vt[1:].T  # to the states of one energy
    form = np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(2))
    start = gradient(canonical, x) @ tangent
    end = gradient(canonical, stride.x) @ stride.derivative @ tangent
    np.testing.assert_allclose(end.T @ form @ end, start.T @ form @ start, rtol=0, atol=1e-10)
    np.testing.assert_allclose(gradient(hamiltonian, stride.x) @ stride.derivative, dH, rtol=0, atol=1e-10)


def test_a_ball_that_is_thrown_up_anew():
    spec = mm.Spec("ball", gravity=(0, 0, -9.81))
    spec.add_body("ball", None, mm.Prismatic((0, 0, 1)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    again = mm.walking.Phase(spec.compile(), lambda q, qdot: q[0], lambda q, qdot: (0.0 * q, 1.0 - 0.6 * qdot))
    stride = mm.walking.ReturnMap(again)([0.3, 1.5], derivative=True)
    v = np.sqrt(1.5**2 + 2 * 9.81 * 0.3)
    np.testing.assert_allclose(stride.period, (1.5 + v) / 9.81, rtol=1e-14)
    np.testing.assert_allclose(stride.x, [0.0, 1.0 + 0.6 * v], rtol=1e-14)
    np.testing.assert_allclose(stride.derivative, [[0, 0], [0.6 * 9.81 / v, 0.6 * 1.5 / v]], rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(stride.period_derivative, [1 / v, (1 + 1.5 / v) / 9.81], rtol=1e-13)


def test_a_rimless_wheel_has_its_closed_form():
    half, slope, mass, moment, g = np.pi / 8, 0.08, 2.0, 0.3, 9.81
    spec = mm.Spec("wheel", gravity=(0, 0, -g))
    hub = mm.Inertia(mass=mass, moments=(moment / 2, moment, moment / 2))
    hinge = mm.Revolute((0, -1, 0))
    spec.add_body("wheel", None, hinge, None, mm.translation(0, 0, 1.0), hub)
    model, spoke = spec.compile(), np.array([np.sin(2 * half), 0, -np.cos(2 * half)])

    def strike(q: np.ndarray, qdot: np.ndarray) -> tuple:
        hung = landed(model, q, qdot, hinge, body="wheel", place=spoke)
        return hung.q + 2 * half, hung.qdot

    phase = mm.walking.Phase(model, lambda q, qdot: q[0] + half + slope, strike, None, lambda q, qdot: qdot[0] > 0)
    x = np.array([half - slope, -1.4])
    stride = mm.walking.ReturnMap(phase)(x, derivative=True)
    ratio = (moment + mass * np.cos(2 * half)) / (moment + mass)
    gain = 4 * mass * g * np.sin(half) * np.sin(slope) / (moment + mass)
    np.testing.assert_allclose(stride.x, [half - slope, -ratio * np.sqrt(1.4**2 + gain)], rtol=1e-12)
    np.testing.assert_allclose(stride.derivative[1, 1], ratio**2 * x[1] / stride.x[1], rtol=1e-11)
    slow = mm.walking.ReturnMap(phase)([half - slope, -0.5])
    assert "is lost after" in slow.failure and np.isnan(slow.x).all() and np.isnan(slow.period)
    rolling = mm.walking.limit_cycle(mm.walking.ReturnMap(phase, rtol=1e-13, atol=1e-13), x)
    np.testing.assert_allclose(rolling.multipliers, [ratio**2], rtol=1e-11)
    np.testing.assert_allclose(rolling.x[1], -ratio * np.sqrt(gain / (1 - ratio**2)), rtol=1e-11)


def drifting(**options) -> mm.walking.Phase:
    """A body that moves on at its rate, and whose guard is the cosine of its way."""
    spec = mm.Spec("drift", gravity=(0, 0, 0))
    spec.add_body("body", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    return mm.walking.Phase(spec.compile(), lambda q, qdot: np.cos(q[0]), lambda q, qdot: (0 * q, qdot), **options)


def test_guards_count_only_where_the_motion_is_ready():
    first = mm.walking.ReturnMap(drifting(), longest_step=0.5)([0.0, 2.0])
    second = mm.walking.ReturnMap(drifting(ready=lambda q, qdot: q[0] > 3.0), longest_step=0.5)([0.0, 2.0])
    np.testing.assert_allclose([first.period, second.period], [np.pi / 4, 5 * np.pi / 4], rtol=1e-14)


def test_strides_that_fail_say_why():
    still = mm.walking.ReturnMap(drifting(name="drift"), longest=3.0)([0.0, 0.0], derivative=True)
    assert still.failure == "in phase 0 'drift' nothing strikes within 3 s" and still.derivative is None
    fallen = Compass().return_map()([0.2, -0.4, 1.0, 0.0])
    assert "'swing' it is lost after" in fallen.failure


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: mm.walking.Phase(None, abs, abs), "a model is needed"),
        (lambda: mm.walking.Phase(drifting().model, None, abs), "guard is a function of q and qdot"),
        (lambda: mm.walking.Phase(drifting().model, abs, abs, ready=3), "ready is a function of q and qdot"),
        (lambda: mm.walking.ReturnMap([]), "give a list of mm.walking.Phase"),
        (lambda: mm.walking.ReturnMap([drifting()], rtol=0.0), "rtol must be finite and positive"),
        (lambda: mm.walking.ReturnMap([drifting()], longest_step=0.0), "longest_step must be positive"),
        (lambda: mm.walking.ReturnMap([drifting()])([0.0]), r"\(q, qdot\) must be finite numbers of shape \(2,\)"),
        (
            lambda: mm.walking.ReturnMap([drifting(), Compass().phase()])([0.0, 1.0]),
            "of the 2 degrees of freedom of the next",
        ),
    ],
)
def test_bad_input_is_a_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        make()
