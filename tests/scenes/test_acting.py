"""Scenes whose muscles act: exact end energies, and the tug of war against OpenSim."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import myomass as mm

ACTING = ["tug-of-war", "elbow-flexion", "spline-knee"]
FIXTURES = Path(__file__).parents[1] / "fixtures"
TUG, ARM = (json.loads((FIXTURES / f"opensim_{name}.json").read_text()) for name in ("tug_of_war", "arm26_paths"))


def integrate(scene, duration, **options):
    """q, qdot and z at the end, by SciPy's integrator, which stops where an excitation has a kink."""
    model, n = scene.model, scene.model.ndof
    given = [scene.excitation[name] for name in model.muscles.names]
    motions = [one for one in given if isinstance(one, mm.Motion)]

    def split(y):
        return y[:n].copy(), y[n : 2 * n].copy(), y[2 * n :].copy()

    def rates(t, y):
        q, qdot, z = split(y)
        u = np.array([one(t) if isinstance(one, mm.Motion) else one for one in given])
        qddot = mm.forward_dynamics(model, q, qdot, t=t, z=z)
        return np.concatenate([qdot, qddot, mm.muscles.muscle_rates(model, q, qdot, z, u, t=t)])

    start = model.state(scene.q, scene.qdot, activation=scene.activation)
    y, t = np.concatenate([start.q, start.qdot, start.z]), 0.0
    for stop in (*sorted({knot for one in motions for knot in one.breaks if 0 < knot < duration}), duration):
        y, t = solve_ivp(rates, (t, stop), y, method="DOP853", **options).y[:, -1], stop
    return split(y)


@pytest.mark.parametrize("name", ACTING)
class TestActingScenes:
    def test_exact_end_energy(self, name):
        scene = mm.scenes.load(name)
        q, qdot, z = integrate(scene, scene.duration, rtol=1e-10, atol=1e-12)
        end = mm.energy(scene.model, q, qdot, z=z).total - scene.start_energy.potential
        assert end == pytest.approx(scene.reference["exact"], rel=1e-6)

    @pytest.mark.parametrize("integrator", ["rk4", "bdf2", "sdirk2"])
    def test_ends_there_by_other_integrators(self, name, integrator):
        scene = mm.scenes.load(name)
        run = mm.simulate(scene, integrator=integrator, h=5e-4)
        assert run.ended == "completed"
        end = run.kinetic[-1] + run.potential[-1] - scene.start_energy.potential
        assert end == pytest.approx(scene.reference["exact"], abs=2e-3 * run.energy_exchanged)

    def test_work_of_the_muscles_is_what_energy_and_heat_are(self, name):
        """T + V - its start = work of the contractile elements - heat of fibres, joint dampers and limits."""
        scene = mm.scenes.load(name)
        run = mm.simulate(scene, rtol=1e-8, atol=1e-10, h=1e-3)
        gained = run.kinetic[-1] + run.potential[-1] - run.kinetic[0] - run.potential[0]
        supplied = (run.muscles.work[-1] - run.muscles.heat[-1]).sum() - lost_in_joints(run, scene)
        assert gained == pytest.approx(supplied, abs=1e-4 * run.energy_exchanged)


def lost_in_joints(run, scene):
    """Heat of the joints' dampers [J]; the limits have none."""
    springs = [force for force in scene.spec.forces.values() if isinstance(force, mm.JointSpring)]
    power = sum((f.damping * run.qdot[:, run.model.dof(f.body)][:, 0] ** 2 for f in springs), np.zeros(len(run.t)))
    return run.muscles.integral(power)[-1]


class TestTugOfWar:
    def test_against_opensim(self):
        """The block, fibres and tendons of a second under OpenSim's excitations."""
        t = np.array(TUG["t"])
        excitation = {name: sine(**numbers) for name, numbers in TUG["excitations"].items()}
        scene, start = mm.scenes.load("tug-of-war"), {"excitation": excitation, "activation": 1.0}
        run = mm.simulate(scene, **start, times=t, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(run.q[:, 0], TUG["q"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(run.qdot[:, 0], TUG["qdot"], rtol=0, atol=1e-7)
        for name in excitation:
            np.testing.assert_allclose(run.muscles[name].fibre_length, TUG["fibre_length"][name], rtol=0, atol=1e-8)
            np.testing.assert_allclose(run.muscles[name].tension, TUG["tension"][name], rtol=0, atol=1e-3)

    def test_is_antisymmetric(self):
        """Each half period mirrors the one before, once the start is forgotten."""
        run = mm.simulate(mm.scenes.load("tug-of-war"), times=np.array([2.5, 3.5]), rtol=1e-9, atol=1e-11)
        assert run.q[0, 0] == pytest.approx(-run.q[1, 0], abs=1e-5)
        assert abs(run.q[0, 0]) > 0.02

    def test_muscles_with_mass_make_the_block_heavier(self):
        """By a third of their mass each: straight, one end at rest."""
        light, heavy = (mm.scenes.load("tug-of-war", muscle_mass=mass).model for mass in (0.0, 3.0))
        assert mm.mass_matrix(heavy, np.zeros(1))[0, 0] - mm.mass_matrix(light, np.zeros(1))[0, 0] == pytest.approx(2.0)


class TestElbowFlexion:
    def test_lengths_and_moment_arms_against_opensim(self):
        """Exact where nothing is wrapped; on the cylinder OpenSim's own paths are some 20 um off a geodesic.

        The long biceps passes the shoulder in a straight line here: its length differs, its arm at the elbow does not.
        """
        model = mm.scenes.load("elbow-flexion").model
        assert model.muscles.names == tuple(ARM["muscles"])
        free = 0
        for q, lengths, arms in zip(ARM["q"], ARM["lengths"], ARM["moment_arms"], strict=True):
            wrapped = np.array([path.wrapped.any() for path in mm.muscles.muscle_paths(model, np.array(q))])
            off = np.abs(mm.muscle_lengths(model, q) - lengths)
            turned = np.abs(mm.moment_arms(model, q)[:, 1] - arms)
            off[ARM["muscles"].index("biceps long")] = 0.0
            assert off[~wrapped].max() < 1e-9 and turned[~wrapped].max() < 1e-8
            assert off.max() < 3e-5 and turned.max() < 3e-4
            free += np.sum(~wrapped)
        assert 40 < free < len(ARM["q"]) * 6

    def test_muscles_weigh_what_the_upper_arm_loses(self):
        scene = mm.scenes.load("elbow-flexion")
        muscles = sum(muscle.mass for muscle in scene.spec.muscles.values())
        assert muscles == pytest.approx(1060 * 659.5e-6)
        assert scene.model.bodies["mass"].sum() + muscles == pytest.approx(1.864572 + 1.534315, abs=1e-12)

    def test_flexes_and_extends(self):
        run = mm.simulate(mm.scenes.load("elbow-flexion"), times=np.array([0.1, 0.8, 1.3, 2.0]))
        angles = np.rad2deg(run.q[:, 1])
        assert angles[1] > angles[0] + 80 and angles[2] < angles[1] - 80 and angles[3] > angles[2] + 40


def sine(amplitude, omega, phase, offset):
    return mm.Motion.of(lambda t: offset + amplitude * np.sin(omega * t + phase), 0.0, 1.0)
