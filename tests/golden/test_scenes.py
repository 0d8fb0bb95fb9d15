"""Every scene is a regression test: against the tight runs of the public MATLAB RedMax where there are some (see the
fixture's source), and against its own energy."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import myomass as mm
from myomass.scenes import SCENES
from myomass.scenes.kneed_walker import KneedWalker
from myomass.scenes.verdict import judge
from myomass.scenes.walkers import Compass

STORED = json.loads((Path(__file__).parents[1] / "fixtures" / "redmax_tight.json").read_text())["scenes"]
CM, ERG = 1e-2, 1e-7
LENGTHS = {16: [0, 1], 18: [0, 1, 2]}  # degrees of freedom that are lengths, in cm there


def in_our_order(number, values):
    """Rows of the reference (one per state, leaf first) as ours: joints in order, SI units."""
    places = np.concatenate([np.atleast_1d(index) for index in STORED[str(number)]["joint_idxR"]]).astype(int)
    ours = np.reshape(values, (len(values), -1))[:, places]
    ours[:, LENGTHS.get(number, [])] *= CM
    return ours


def uncounted(number, q):
    """The potential that the reference leaves out: of scene 10's constant force of 1000 dyn, up at a tip of 30 cm."""
    if number != 10:
        return 0.0
    heights = -10 * np.sin(np.cumsum(in_our_order(number, q), axis=1)).sum(axis=1)
    return -1000 * heights * ERG


@pytest.mark.parametrize("number", [int(key) for key in STORED])
class TestAgainstTheReference:
    def test_accelerations(self, number):
        """At every stored state, by the recursive and by the dense form."""
        model = mm.scenes.load(number).model
        stored = STORED[str(number)]
        states = zip(stored["t"], *(in_our_order(number, stored[key]) for key in ("q", "qdot", "qddot")), strict=True)
        for t, q, qdot, qddot in states:
            for method in ("recursive", "redmax"):
                got = mm.forward_dynamics(model, q, qdot, method=method, t=t)
                np.testing.assert_allclose(got, qddot, rtol=0, atol=1e-10 * max(1, np.abs(qddot).max()))

    def test_energies(self, number):
        scene, stored = mm.scenes.load(number), STORED[str(number)]
        energies = [
            mm.energy(scene.model, q, qdot)
            for q, qdot in zip(*(in_our_order(number, stored[key]) for key in ("q", "qdot")), strict=True)
        ]
        T, V = (np.array(x) for x in zip(*energies, strict=True))
        V -= uncounted(number, stored["q"])
        np.testing.assert_allclose(T, np.array(stored["T"]) * ERG, rtol=0, atol=1e-11 * T.max())
        fall = np.array(stored["V"]) - stored["V"][0]
        np.testing.assert_allclose(V - V[0], fall * ERG, rtol=0, atol=1e-10 * max(T.max(), np.ptp(V)))

    @pytest.mark.parametrize("integrator", ["recursive", "redmax"])
    def test_motion(self, number, integrator):
        """Poses, since rotation vectors are wrapped here and not there.

        The stored run of the spline curve, third derivatives of which jump, is 1e-6 off where ours (rtol from 1e-11 to
        1e-13, and RK4 at 1e-5 s) agree to 2e-8; the others are good to 1e-7.
        """
        scene, stored = mm.scenes.load(number), STORED[str(number)]
        expected = [mm.forward_kinematics(scene.model, q) for q in in_our_order(number, stored["q"])]
        got = mm.simulate(scene, integrator=integrator, rtol=1e-10, atol=1e-10, times=stored["t"])
        np.testing.assert_allclose(got.poses, expected, rtol=0, atol=2e-6 if number == 21 else 1e-7)


@pytest.mark.parametrize("name", [name for _, name, _ in SCENES])
class TestEveryScene:
    def test_says_what_it_is(self, name):
        scene = mm.scenes.load(name)
        assert scene.name == name == scene.spec.name
        assert scene.description.endswith(".")
        assert scene.q.shape == scene.qdot.shape == (scene.model.ndof,)

    def test_keeps_its_energy(self, name):
        """Drift below 1e-9 of the peak kinetic energy, over its whole duration, at tight tolerance."""
        scene = mm.scenes.load(name)
        if not scene.conservative:
            assert scene.model.forces or len(scene.model.constraints) or scene.events or scene.model.nz
            return
        trajectory = mm.simulate(scene, integrator="recursive", rtol=1e-11, atol=1e-13)
        assert trajectory.ended == "completed"
        total = trajectory.kinetic + trajectory.potential
        assert np.abs(total - total[0]).max() < 1e-9 * trajectory.kinetic.max()

    def test_loads_by_its_number(self, name):
        number = mm.scenes.load(name).number
        assert number is None or mm.scenes.load(number).name == mm.scenes.load(str(number)).name == name

    def test_ends_where_it_should(self, name):
        """By its preset, against the stored end energy of that integrator or against the exact motion."""
        scene = mm.scenes.load(name)
        verdict = judge(scene, mm.simulate(scene))
        assert verdict.passed, verdict
        assert verdict.difference is not None or scene.model.constraints.needs_program  # see tests/constraints

    def test_stored_end_energies(self, name):
        """Those of the other integrators too."""
        scene = mm.scenes.load(name)
        for integrator in set(scene.reference) - {"exact"}:
            trajectory = mm.simulate(scene, integrator=integrator, baumgarte=scene.baumgarte)
            verdict = judge(scene, trajectory, with_gains=True)
            assert verdict.passed, (integrator, verdict)


DRIVEN = ["hybrid-dynamics", "maximal-hybrid-dynamics", "reduced-maximal-hybrid-dynamics", "prescribed-joint"]
REACHING = ["adjoint-bdf1", "adjoint-bdf2", "reaching-arm"]


FORCED = ["joint-torque", "spring-damper", "bouncing-box", "andrews-squeezer", "hand", *REACHING]


@pytest.mark.parametrize("name", [*FORCED, *DRIVEN])
def test_exact_end_energies(name):
    """Of the scenes that change their energy and have no good stored run, by SciPy's integrator.

    Constrained ones are put back onto their rows where the prescribed motion has a kink, and at the end.
    """
    scene = mm.scenes.load(name)
    model, n = scene.model, scene.model.ndof

    def rates(t, y):
        return np.concatenate([y[n:], mm.forward_dynamics(model, y[:n].copy(), y[n:].copy(), t=t)])

    def settled(y, t):
        state = mm.dynamics.assemble(model, y[:n], y[n:], t=t)
        return np.concatenate([state.q, state.qdot])

    longest = 1e-3 if model.forces and name != "andrews-squeezer" else np.inf
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "max_step": longest}
    y, t = settled(np.concatenate([scene.q, scene.qdot]), 0.0), 0.0
    for stop in (*(kink for kink in (2, 4, 6, 7, 8) if kink < scene.duration and name in DRIVEN), scene.duration):
        y = settled(solve_ivp(rates, (t, np.nextafter(stop, 0)), y, **options).y[:, -1], np.nextafter(stop, 0))
        y, t = settled(y, np.nextafter(stop, 99)), stop
    lost = mm.energy(model, y[:n].copy(), y[n:].copy()).total - mm.energy(model, scene.q, scene.qdot).potential
    assert lost == pytest.approx(scene.reference["exact"], rel=1e-7)


def test_end_energy_of_the_fall():
    """Its ground and limits have kinks, so small steps of RK4 stand in for SciPy's integrator."""
    scene = mm.scenes.load("human-fall")
    run = mm.simulate(scene, integrator="rk4", h=2e-5)
    end = run.kinetic[-1] + run.potential[-1] - run.potential[0]
    assert end == pytest.approx(scene.reference["exact"], abs=1e-7 * run.energy_exchanged)


@pytest.mark.parametrize("name", ["compass-walker", "kneed-walker"])
def test_end_energy_of_the_walkers(name):
    """Energy is lost in strikes alone: those of the return map, another integrator and another way to land."""
    scene, walker = mm.scenes.load(name), Compass() if name == "compass-walker" else KneedWalker()
    moving = [k for k in range(scene.model.ndof) if name == "compass-walker" or k != 1]  # the knee of the standing leg
    x, step = np.concatenate([scene.q[moving], scene.qdot[moving]]), walker.return_map()
    models = [phase.model for phase in step.phases]
    end, t = mm.energy(models[0], *np.split(x, 2)).kinetic, 0.0
    while t < scene.duration:
        stride = step(x)
        for k, time in enumerate(stride.times):
            if t + time < scene.duration:
                end -= mm.energy(models[k], *np.split(stride.before[k], 2)).kinetic
                end += mm.energy(models[(k + 1) % len(models)], *np.split(stride.after[k], 2)).kinetic
        t, x = t + stride.period, stride.x
    assert scene.reference["exact"] == pytest.approx(end, rel=1e-9)
