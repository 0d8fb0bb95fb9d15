"""Load sharing over a window: activations integrated by SciPy, static optimisation as a limit, another solver."""

import numpy as np
import pytest
from muscled_motions import arm, gait, swing
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import myomass as mm
from myomass.analyses import inverse_dynamics, static_optimization, window_optimization
from myomass.analyses.activation_flow import excitations_along, flows_along
from myomass.muscles.hill.activation import PIECEWISE, SMOOTH


def rate(u, a, rise, fall, smooth=False):
    """Published activation dynamics of a within its clip."""
    z = 0.5 + 1.5 * a
    if smooth:
        f = 0.5 * np.tanh(0.1 * (u - a))
        return (u - a) * ((0.5 + f) / (rise * z) + (0.5 - f) * z / fall)
    return (u - a) / (rise * z) if u > a else (u - a) * z / fall


def after(u, a, h, *constants):
    """Activation after the time h at a constant excitation, by SciPy."""
    run = solve_ivp(lambda t, x: [rate(u, x[0], *constants)], (0, h), [a], rtol=1e-11, atol=1e-13, method="LSODA")
    return run.y[0, -1]


def hills(smooth=False, **constants):
    """The record of a muscle with these time constants."""
    record = mm.Hill(100.0, 0.1, 0.2, **constants).record()
    record["dynamics"] = SMOOTH if smooth else PIECEWISE
    return record


def slow_arm(rise=0.05, fall=0.2, **how):
    """The arm of test_static_optimization with other time constants."""
    model = arm(**how)
    model.muscles.hills["rise"], model.muscles.hills["fall"] = rise, fall
    return model


@pytest.mark.parametrize("smooth", [pytest.param(False, marks=pytest.mark.fast), True])
def test_flows(smooth):
    one = hills(smooth, activation_time=0.012, deactivation_time=0.05)
    for u, a, h in [
        (1, 0.1, 0.02),
        (0.01, 0.9, 0.02),
        (0.4, 0.3, 0.001),
        (0.01, 0.01, 0.1),
        (1, 0.99, 0.3),
        (0.6, 0.6, 1),
    ]:
        here, found, slope, step = np.array([[a]]), np.empty((1, 1)), np.empty((1, 1)), 1e-5
        flows_along(one, np.array([float(u)]), here, np.array([h]), found, slope)
        assert found[0, 0] == pytest.approx(after(u, a, h, 0.012, 0.05, smooth), abs=2e-9)
        if u != a:
            near, far = (after(u, a + x, h, 0.012, 0.05, smooth) for x in (-step, step))
            assert slope[0, 0] == pytest.approx((far - near) / (2 * step), abs=1e-6)
        back = np.empty((1, 1))
        excitations_along(one, np.zeros(1), np.ones(1), np.array([[a], found[0]]), np.array([h]), back)
        assert abs(after(back[0, 0], a, h, 0.012, 0.05, smooth) - found[0, 0]) < 2e-9


class TestArm:
    @pytest.mark.fast
    def test_without_delay_it_is_static_optimisation(self):
        model = slow_arm(1e-7, 1e-7)
        motion = swing(model, rows=9)
        for power in (2.0, 3.0):
            found = window_optimization(model, motion, power=power)
            static = static_optimization(model, motion, power=power)
            np.testing.assert_allclose(found.activations, static.activations, rtol=0, atol=1e-6)
            assert found.cost == pytest.approx(np.trapezoid(static.cost, static.t), rel=1e-8)
            np.testing.assert_allclose(found.excitations, found.activations[1:], rtol=0, atol=1e-5)

    @pytest.mark.parametrize("tendon", ["rigid", "elastic"])
    def test_excitations_bring_the_activations_about(self, tendon):
        model = slow_arm(0.05, 0.3, tendon=tendon)
        motion = swing(model, rows=12)
        found = window_optimization(model, motion, tendon=tendon)
        static = static_optimization(model, motion, tendon=tendon)
        assert found.held.all() and found.cost > np.trapezoid(static.cost, static.t) * (1 + 1e-4)
        assert found.excitations.min() >= 0.01 and found.excitations.max() <= 1.0
        for m in range(len(found.muscles)):
            a = found.activations[0, m]
            for k, h in enumerate(np.diff(found.t)):
                a = after(found.excitations[k, m], a, h, 0.05, 0.3)
                assert a == pytest.approx(found.activations[k + 1, m], abs=1e-8)
        tau = inverse_dynamics(model, motion).tau
        for row in range(len(motion)):
            q, qdot = motion.q[row], motion.qdot[row]
            z = model.state(q, qdot, activation=found.activations[row]).z
            np.testing.assert_allclose(mm.dynamics.applied_forces(model, q, qdot, z=z), tau[row], rtol=0, atol=1e-6)

    def test_another_solver(self):
        """The same problem in first activations and excitations, each step integrated by Runge-Kutta, by SLSQP."""
        model, rise, fall = slow_arm(0.05, 0.3), 0.05, 0.3
        motion = swing(model, rows=3)
        found = window_optimization(model, motion)
        tau, m = inverse_dynamics(model, motion).tau, 6
        forces = []  # linear in the activations: at 0.3 and at 0.8
        for a in (0.3, 0.8):
            z = [model.state(q, v, activation=a).z for q, v in zip(motion.q, motion.qdot, strict=True)]
            rows = zip(motion.q, motion.qdot, z, strict=True)
            report = [mm.muscles.muscle_report(model, model.state(q, v, z=x)) for q, v, x in rows]
            forces.append(np.array([one.tension for one in report]))
        slope = (forces[1] - forces[0]) / 0.5
        arms = np.array([mm.moment_arms(model, q) for q in motion.q])
        weights = np.r_[0.5, 1, 0.5] * (motion.t[1] - motion.t[0])

        def activations(x):
            rows = [x[:m]]
            for u in x[m:].reshape(2, m):
                a, step = rows[-1], (motion.t[1] - motion.t[0]) / 60
                for _ in range(60):
                    k1 = both(u, a)
                    k2 = both(u, a + step / 2 * k1)
                    k3 = both(u, a + step / 2 * k2)
                    a = a + step / 6 * (k1 + 2 * k2 + 2 * k3 + both(u, a + step * k3))
                rows.append(a)
            return np.array(rows)

        def both(u, a):
            z = 0.5 + 1.5 * a
            return np.where(u > a, (u - a) / (rise * z), (u - a) * z / fall)

        def missing(x):
            T = forces[0] + slope * (activations(x) - 0.3)
            return (np.einsum("rmj,rm->rj", arms, T) - tau).ravel() / 10

        start = np.r_[found.activations[0], found.excitations.ravel()]
        start = np.clip(start + 0.05 * np.random.default_rng(0).normal(size=len(start)), 0.01, 1)
        other = minimize(
            lambda x: weights @ (activations(x) ** 2).sum(axis=1),
            start,
            method="SLSQP",
            bounds=[(0.01, 1.0)] * len(start),
            constraints=[{"type": "eq", "fun": missing}],
            options={"ftol": 1e-12, "maxiter": 500},
        )
        assert np.abs(missing(other.x)).max() < 1e-6
        assert found.cost == pytest.approx(other.fun, rel=1e-5)
        np.testing.assert_allclose(found.activations, activations(other.x), rtol=0, atol=2e-3)

    def test_what_cannot_be_is_named_and_near(self):
        model = slow_arm(0.05, 5.0)
        motion = swing(model, rows=8)
        tau = inverse_dynamics(model, motion).tau
        tau[3] += 10.0
        with pytest.warns(RuntimeWarning, match="no activations within their limits explain the motion"):
            found = window_optimization(model, motion, tau)
        assert not found.held.all() and np.isfinite(found.activations).all()
        assert static_optimization(model, motion, tau).held.all()
        helped = window_optimization(model, motion, tau, reserves=1.0)
        assert helped.held.all() and np.abs(helped.residual).max() < 1e-6

    @pytest.mark.fast
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"power": 1.5}, "between 2 and 20"),
            ({"tendon": "stiff"}, 'tendon must be "rigid" or "elastic"'),
            ({"reserves": {"knee": 1.0}}, "no coordinate 'knee'"),
            ({"rows": 1}, "two rows or more"),
        ],
    )
    def test_what_is_wrong_is_said(self, change, said):
        model = arm()
        motion = swing(model)
        if change.pop("rows", None):
            motion = motion.between(0.0, 0.0)
        with pytest.raises((ValueError, KeyError), match=said):
            window_optimization(model, motion, **change)


def test_gait():
    """Static optimisation lets activations fall faster than the muscles can; over a window they do not."""
    model, reserves, motion, tau = gait()
    own = (motion.t > 0.59) & (motion.t < 1.91)
    part = motion.between(0.59, 1.91)
    found = window_optimization(model, part, tau.tau[own], reserves=reserves)
    static = static_optimization(model, part, tau.tau[own], reserves=reserves)
    assert found.held.all() and np.trapezoid(static.cost, static.t) < found.cost
    records, h, flows, slopes = model.muscles.hills, np.diff(part.t), *np.empty((2, len(part) - 1, 18))
    least = records["least"].copy()
    beyond = []
    for one in (static, found):
        flows_along(records, least, np.ascontiguousarray(one.activations[:-1]), h, flows, slopes)
        beyond.append((flows - one.activations[1:]).max())
    assert beyond[0] > 0.1 and beyond[1] < 1e-9
    table = found.table("excitations")
    assert len(table) == len(part) - 1 and table.names == model.muscles.names
