"""Static optimisation of motions: OpenSim's gait, the tensions that a model then has, other solvers, and bad input."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from muscled_motions import arm, gait, swing
from opensim_reference import numbers, reference
from scipy.optimize import minimize

import myomass as mm
from myomass.analyses import Kinematics, StaticOptimization, inverse_dynamics, kinematics, static_optimization
from myomass.recordings import Table, read_table

FIXTURE = Path(__file__).parents[1] / "fixtures" / "opensim_static_optimization.json"
GAIT = "gait10dof18musc/"
AS_OPENSIM = {"passive": False, "pennation": "opensim"}


def stored_problem(model):
    """(motion, generalized forces, rows of the stored problem by name) at its 79 times."""
    problem, told = (numbers(f"{GAIT}pipeline/{name}.json") for name in PIPELINE)
    order = [told["coordinates"].index(name) for name in model.coordinates]
    q, u, udot = (np.array(told[key])[:, order] for key in ("q", "u", "udot"))
    motion = Kinematics(told["time"], q, u, udot, model.coordinates, model.coordinate_units)
    motion = motion.between(problem["time"][0] - 1e-6, problem["time"][-1] + 1e-6)
    rows = {key: np.array([row[key] for row in problem["rows"]]) for key in problem["rows"][0]}
    order = [problem["coordinates"].index(name) for name in model.coordinates]
    return motion, rows["generalized_force"][:, order], rows | {"muscles": tuple(problem["muscles"])}


PIPELINE = ("static_optimization_problem", "filtered_kinematics")


class TestGait:
    def test_from_the_recording(self):
        model, reserves, motion, tau = gait()
        stored = json.loads(FIXTURE.read_text())
        expected = {key: np.array([row[key] for row in stored["rows"]]) for key in stored["rows"][0]}
        found = static_optimization(model, motion, tau, reserves=reserves, **AS_OPENSIM)
        rows = np.searchsorted(found.t, np.array(stored["time"]) - 1e-4)
        assert found.held.all() and list(found.muscles) == stored["muscles"]
        assert list(found.reserve_names) == stored["reserves"]
        np.testing.assert_allclose(found.activations[rows], expected["optimal_activation"], rtol=0, atol=1e-4)
        np.testing.assert_allclose(found.controls[rows], expected["optimal_reserves"], rtol=0, atol=1e-3)
        by_table = static_optimization(model, motion, tau.table(), reserves=reserves, **AS_OPENSIM)
        np.testing.assert_array_equal(by_table.activations, found.activations)

    def test_stored_optimum(self):
        """Of all frames, with the stored generalized forces; the actuators are those of OpenSim's file."""
        spec = mm.io.read_osim(reference(GAIT + "subject01.osim"))
        reserves = mm.io.read_actuators(reference(GAIT + "pipeline/gait10dof_Reserve_Actuators.xml"), spec)
        model = spec.compile()
        motion, tau, stored = stored_problem(model)
        found = static_optimization(model, motion, tau, reserves=reserves, **AS_OPENSIM)
        assert found.muscles == stored["muscles"] and found.held.all()
        np.testing.assert_allclose(found.activations, stored["optimal_activation"], rtol=0, atol=1e-8)
        np.testing.assert_allclose(found.controls, stored["optimal_reserves"], rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(found.forces, found.activations * stored["capacity"], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(found.activations, stored["opensim_activation"], rtol=0, atol=0.01)
        np.testing.assert_allclose(found.residual, 0.0, atol=1e-8)

    @pytest.mark.parametrize("ideal", [False, True])
    def test_files_of_opensim(self, ideal):
        name = "static_optimization_ideal_actuators_" if ideal else "static_optimization_"
        stored = read_table(reference(f"{GAIT}pipeline/{name}activation.sto"))
        forces = read_table(reference(f"{GAIT}pipeline/{name}force.sto"))
        model, reserves, motion, tau = gait()
        how = {"physiology": False} if ideal else AS_OPENSIM
        found = static_optimization(model, motion, tau, reserves=reserves, **how)
        rows = np.searchsorted(found.t, stored.t - 1e-4)
        np.testing.assert_allclose(found.activations[rows], stored.select(found.muscles).values, rtol=0, atol=0.01)
        forces = forces.select(found.muscles).values
        assert np.abs(found.forces[rows] - forces).max() < 0.01 * np.abs(forces).max()

    def test_what_passive_force_and_the_angle_change(self):
        """By more than rounding, and by less than everything."""
        model, reserves, motion, tau = gait()
        part = (motion.t > 0.59) & (motion.t < 1.91)
        given = motion.between(0.59, 1.91), tau.tau[part]
        base = static_optimization(model, *given, reserves=reserves, **AS_OPENSIM)
        angle = static_optimization(model, *given, reserves=reserves, passive=False)
        whole = static_optimization(model, *given, reserves=reserves)
        assert 0.03 < np.abs(angle.activations - base.activations).max() < 0.06
        assert 0.01 < np.abs(whole.activations - base.activations).mean() < 0.03


class TestOptimum:
    @pytest.mark.parametrize("tendon", ["rigid", "elastic"])
    @pytest.mark.parametrize("curves", [None, mm.curves.Thelen2003()])
    def test_tensions_are_those_of_the_model(self, tendon, curves):
        """At these activations the model's muscles give the generalized forces that were asked for."""
        model = arm(tendon=tendon, curves=curves)
        motion = swing(model)
        if curves is not None and tendon == "rigid":  # at rest, since f_v of Thelen's depends on the activation
            still = 0 * motion.q
            motion = Kinematics(motion.t, motion.q, still, still, model.coordinates, model.coordinate_units)
        tau = inverse_dynamics(model, motion).tau
        found = static_optimization(model, motion, tau, tendon=tendon)
        assert found.held.all()
        for row in range(len(motion)):
            q, qdot = motion.q[row], motion.qdot[row]
            state = model.state(q, qdot, activation=found.activations[row])
            f = mm.dynamics.applied_forces(model, q, qdot, z=state.z)
            np.testing.assert_allclose(f, tau[row], rtol=0, atol=1e-7)

    @pytest.mark.parametrize(("power", "tendon"), [(2.0, "rigid"), (3.0, "rigid"), (2.0, "elastic")])
    def test_another_solver(self, power, tendon):
        model = arm(tendon=tendon)
        motion = swing(model, rows=3)
        tau = inverse_dynamics(model, motion).tau
        found = static_optimization(model, motion, tau, tendon=tendon, power=power)
        for row in range(3):
            q, qdot = motion.q[row], motion.qdot[row]

            def missing(a, q=q, qdot=qdot, row=row):
                z = model.state(q, qdot, activation=np.clip(a, 0.01, 1)).z
                return mm.dynamics.applied_forces(model, q, qdot, z=z) - tau[row]

            other = minimize(
                lambda a: (a**power).sum(),
                np.full(6, 0.2),
                jac=lambda a: power * a ** (power - 1),
                method="SLSQP",
                bounds=[(0.01, 1.0)] * 6,
                constraints=[{"type": "eq", "fun": missing}],
                options={"ftol": 1e-14, "maxiter": 300},
            )
            np.testing.assert_allclose(found.activations[row], other.x, rtol=0, atol=3e-5)
            assert found.cost[row] <= other.fun + 1e-7

    @pytest.mark.fast
    def test_tendons_that_do_not_settle_are_told(self, monkeypatch):
        model = arm(tendon="elastic")
        motion = swing(model, rows=3)
        tau = inverse_dynamics(model, motion).tau
        monkeypatch.setattr(sys.modules["myomass.analyses.static_optimization"], "MOST_PROGRAMS", 1)
        with pytest.warns(
            RuntimeWarning, match="at 3 of 3 times, first at .*, fibres and elastic tendons did not"
        ) as told:
            found = static_optimization(model, motion, tau, tendon="elastic")
        assert not found.held.any() and len(told) == 1

    @pytest.mark.fast
    def test_a_coupling_gives_the_leader_both_equations(self):
        model = arm(coupled=True)
        motion = swing(model)
        q = np.c_[motion.q[:, 0], 0.1 + 0.5 * motion.q[:, 0]]
        qdot = motion.qdot[:, :1] * [1.0, 0.5]
        motion = Kinematics(motion.t, q, qdot, 0 * q, model.coordinates, model.coordinate_units)
        tau = inverse_dynamics(model, motion).tau
        found = static_optimization(model, motion, tau)
        assert found.coordinates == ("shoulder",) and found.held.all()
        for row in range(len(q)):
            arms = mm.moment_arms(model, q[row])
            f = arms.T @ found.forces[row]
            assert (f - tau[row]) @ [1.0, 0.5] == pytest.approx(0.0, abs=1e-8)
        with pytest.raises(ValueError, match="'elbow' is locked or follows another one"):
            static_optimization(model, motion, tau, coordinates=["elbow"])

    @pytest.mark.fast
    def test_a_locked_coordinate_has_no_equation(self):
        model = arm(locked=True)
        motion = swing(model)
        q, still = motion.q * [1, 0] + [0, 0.3], motion.qdot * [1, 0]
        motion = Kinematics(motion.t, q, still, 0 * q, model.coordinates, model.coordinate_units)
        found = static_optimization(model, motion)
        assert found.coordinates == ("shoulder",) and found.held.all()
        free = static_optimization(arm(), motion, coordinates="shoulder")
        np.testing.assert_allclose(found.activations, free.activations, rtol=0, atol=1e-10)

    @pytest.mark.fast
    def test_bounds_and_reserves(self):
        model = arm()
        motion = swing(model)
        tight = static_optimization(model, motion, bounds={"s front": (0.2, 0.3)}, reserves={"shoulder": 5.0})
        own = tight.table("activations")["s front"]
        assert own.min() >= 0.2 and own.max() <= 0.3 and tight.reserve_names == ("shoulder_reserve",)
        np.testing.assert_allclose(tight.reserves, 5.0 * tight.controls, rtol=1e-15)
        both = static_optimization(model, motion, reserves=1e-3, bounds=(0.0, 1.0))
        assert len(both.reserve_names) == 2 and both.held.all()
        push = {"push": mm.forces.PointActuator("lower", (1, 0, 0), world_direction=True, optimal_force=50.0)}
        helped = static_optimization(model, motion, reserves=push)
        assert (helped.cost <= static_optimization(model, motion).cost + 1e-12).all()
        assert np.abs(helped.controls).max() > 1e-3

    @pytest.mark.fast
    def test_a_muscle_never_pushes(self):
        model = arm()
        motion = swing(model)
        fast = Kinematics(motion.t, motion.q, 8 * motion.qdot, motion.qddot, model.coordinates, model.coordinate_units)
        found = static_optimization(model, fast, reserves=50.0)
        assert found.forces.min() >= 0.0 and (found.forces == 0.0).any() and found.held.all()
        for row in range(len(fast)):
            z = model.state(fast.q[row], fast.qdot[row], activation=found.activations[row]).z
            f = mm.dynamics.applied_forces(model, fast.q[row], fast.qdot[row], z=z)
            np.testing.assert_allclose(f, mm.moment_arms(model, fast.q[row]).T @ found.forces[row], atol=1e-8)

    @pytest.mark.fast
    def test_what_cannot_be_held_is_named(self):
        model = arm()
        motion = swing(model)
        tau = inverse_dynamics(model, motion).tau + [[0.0, 200.0]]
        with pytest.warns(
            RuntimeWarning, match=r"at 7 of 7 times, first at 0 s.* N m are missing at coordinate 'elbow'"
        ):
            found = static_optimization(model, motion, tau)
        assert not found.held.any() and np.abs(found.residual[:, 1]).min() > 100
        np.testing.assert_allclose(
            found.residual[0], tau[0] - mm.moment_arms(model, motion.q[0]).T @ found.forces[0], atol=1e-8
        )


@pytest.mark.fast
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"power": 1.0}, "power of activations is above 1"),
        ({"tendon": "stiff"}, 'tendon must be "rigid" or "elastic"'),
        ({"pennation": "none"}, 'pennation must be "exact" or "opensim"'),
        ({"tendon": "elastic", "passive": False}, "carries the passive force"),
        ({"tendon": "elastic", "pennation": "opensim"}, "belongs to a rigid tendon"),
        ({"coordinates": ["knee"]}, "no coordinate 'knee'"),
        ({"coordinates": []}, "names none whose equation is to hold; leave it out for all; known: shoulder, elbow"),
        ({"reserves": {"knee": 1.0}}, "no coordinate 'knee'"),
        ({"reserves": -1.0}, "positive"),
        ({"reserves": "all"}, "reserves are a number, or a dict"),
        ({"bounds": (0.5, 0.2)}, "0 <= low < high <= 1"),
        ({"bounds": {"heart": (0, 1)}}, "no such muscle"),
        ({"bounds": (0.0, 0.005)}, "end at 0.005, and its least activation is 0.01"),
        ({"tau": np.zeros((3, 2))}, r"tau has shape \(3, 2\), and there are 7 rows"),
        ({"tau": np.full((7, 2), np.nan)}, "finite"),
        ({"tau": Table([0.0], [[1.0, 2.0]], ["shoulder", "elbow"])}, "tau has 1 row from 0 to 0 s, and the motion "),
        ({"tau": Table(np.linspace(0, 0.6, 7), np.zeros((7, 1)), ["shoulder"])}, "no column 'elbow'"),
        ({"motion": SimpleNamespace(t=[0.0], q=[[0.0, 0.0]])}, "must have t, q and qdot"),
    ],
)
def test_what_is_wrong_is_said(change, said):
    model = arm()
    given = {"motion": swing(model), "tau": np.zeros((7, 2))} | change
    with pytest.raises((ValueError, TypeError, KeyError), match=said):
        static_optimization(model, **given)


@pytest.mark.fast
def test_a_coordinate_that_nothing_acts_on():
    spec = mm.Spec("block")
    spec.add_body("block", None, mm.Planar(), inertia=mm.Inertia.cuboid((1, 1, 1), mass=1.0))
    hill = mm.Hill(100.0, 0.5, 0.5, tendon="rigid")
    spec.add_muscle("puller", points=[(None, (0, 0, 0)), ("block", (1, 0, 0))], actuator=hill)
    model = spec.compile()
    zero = np.zeros((1, 2))
    still = Kinematics([0.0], zero, zero, zero, model.coordinates)
    unmoved = [name for name, r in zip(model.coordinates, mm.moment_arms(model, zero[0])[0], strict=True) if not r]
    with pytest.raises(ValueError, match="neither a muscle nor a reserve acts on coordinate"):
        static_optimization(model, still, zero)
    with pytest.warns(RuntimeWarning, match=r"1 N are missing at coordinate 'block\[0\]'"):  # at the least activation
        found = static_optimization(model, still, zero, reserves=dict.fromkeys(unmoved, 1.0), passive=False)
    assert isinstance(found, StaticOptimization) and "activations=<1x1 array>" in repr(found)
    with pytest.raises(ValueError, match="one of activations"):
        found.table("lengths")


@pytest.mark.parametrize("ideal", [False, True])
def test_arm26_without_reserves(ideal):
    """Six muscles over wrapping surfaces, whose moment arms differ from OpenSim's by one or two per cent."""
    name = "static_optimization_ideal_actuators_" if ideal else "static_optimization_"
    stored = read_table(reference(f"arm26/pipeline/{name}activation.sto"))
    model = mm.io.read_osim(reference("arm26/arm26.osim")).compile()
    table = read_table(reference("arm26/pipeline/arm26_InverseKinematics.mot"))
    motion = kinematics(model, table, lowpass=6.0)
    how = {"physiology": False} if ideal else AS_OPENSIM
    found = static_optimization(model, motion, inverse_dynamics(model, motion), **how)
    rows = np.searchsorted(found.t, stored.t - 1e-4)
    assert found.held.all() and len(rows) > 100
    np.testing.assert_allclose(found.activations[rows], stored.select(found.muscles).values, rtol=0, atol=0.01)
