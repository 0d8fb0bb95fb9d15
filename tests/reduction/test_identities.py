"""Reduced models against identities, complex steps and hand-derived equations (dissertation Sec. 4.6.2)."""

import numpy as np
import pytest
from reduced_models import (
    CRANK,
    KINDS,
    POLYNOMIAL,
    ROD,
    SPLINE,
    WAVE,
    G,
    bead,
    close,
    curved,
    cycloid,
    loaded_tree,
    reduced_tree,
    rods,
    slider_crank,
)
from trees import complex_slopes, random_state

import myomass as mm
from myomass.integrators import INTEGRATORS
from myomass.reduction.derivatives import derivatives

fast = pytest.mark.fast
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


@pytest.fixture(scope="module", params=KINDS)
def case(request):
    """(model, q, qdot, qddot, tau), a time at which torques given in time act being 0.3 s."""
    model = reduced_tree(request.param)
    q, qdot, qddot = random_state(model, 1)
    return model, q, qdot, qddot, np.cos(np.arange(model.ndof))


@fast
def test_maps_and_their_derivatives(case):
    model, q, qdot, qddot, _ = case
    motion, h = mm.dynamics.joint_motion(model, q, qdot, qddot), 1e-5

    def along(part):
        """Derivative of the joints' motion by q, by central differences."""
        steps = h * np.eye(model.ndof)
        ahead, behind = (
            [getattr(mm.dynamics.joint_motion(model, q + s * e, qdot, qddot), part) for e in steps] for s in (1, -1)
        )
        return (np.array(ahead) - np.array(behind)).T / (2 * h)

    for part, slope in (("q", motion.J), ("qdot", motion.Jdot), ("qddot", motion.slope)):
        close(slope, along(part), 1e-8)
    close(motion.qdot, motion.J @ qdot, 1e-14)
    close(motion.qddot, motion.J @ qddot + motion.Jdot @ qdot, 1e-12)
    for vectors, part, slope in (
        ((q, qdot), 0, motion.J),
        ((q, qdot), 1, motion.Jdot),
    ):
        found = complex_slopes(lambda *x, part=part: mm.dynamics.joint_motion(model, *x)[part], vectors, 0)
        close(found, slope, 1e-9)


@fast
def test_inverse_dynamics_is_that_of_the_joints_and_undoes_forward_dynamics(case):
    model, q, qdot, qddot, tau = case
    motion = mm.dynamics.joint_motion(model, q, qdot, qddot)
    torques = motion.J.T @ mm.inverse_dynamics(model.whole, *motion[:3], t=0.3)
    for method in ("rnea", "balafoutis-patel"):
        close(mm.inverse_dynamics(model, q, qdot, qddot, method, t=0.3), torques, 1e-12)
    close(mm.mass_matrix(model, q), motion.J.T @ mm.mass_matrix(model.whole, motion.q) @ motion.J, 1e-13)
    close(mm.mass_matrix(model, q, "redmax"), mm.mass_matrix(model, q), 1e-12)
    for method in ("recursive", "redmax"):
        found = mm.forward_dynamics(model, q, qdot, tau, method, t=0.3)
        close(mm.inverse_dynamics(model, q, qdot, found, t=0.3), tau, 1e-10)
        close(mm.residual(model, q, qdot, found, tau, t=0.3), 0 * tau, 1e-9)
    prescribed = np.arange(model.ndof) % 2 == 0
    found, needed = mm.hybrid_dynamics(model, q, qdot, tau, qddot, prescribed, t=0.3)
    close(found[prescribed], qddot[prescribed], 0)
    close(needed, mm.inverse_dynamics(model, q, qdot, found, t=0.3), 1e-10)
    close(needed[~prescribed], tau[~prescribed], 1e-14)
    wrenches = np.cos(np.arange(6.0 * model.nbodies)).reshape(-1, 6)
    pushed = mm.inverse_dynamics(model, q, qdot, qddot, wrenches=wrenches, t=0.3)
    close(torques - pushed, mm.jacobian(model, q).T @ wrenches.ravel(), 1e-12)


@fast
def test_kinematics(case):
    model, q, qdot, _, _ = case
    motion = mm.dynamics.joint_motion(model, q, qdot)
    J, Jdot = mm.jacobian(model, q), mm.jacobian_dot(model, q, qdot)
    close(mm.forward_kinematics(model, q), mm.forward_kinematics(model.whole, motion.q), 0)
    close(J @ qdot, mm.body_twists(model, q, qdot).ravel(), 1e-13)
    h = 1e-6
    close(Jdot, (mm.jacobian(model, q + h * qdot) - mm.jacobian(model, q - h * qdot)) / (2 * h), 1e-8)
    y, z = mm.algorithms.jacobian_products(model, q, qdot, np.sin(q))
    close(y, J @ np.sin(q), 1e-13)
    close(z, Jdot @ np.sin(q), 1e-12)
    wrench = np.cos(np.arange(6.0 * model.nbodies))
    close(mm.algorithms.jacobian_transpose_product(model, q, wrench), J.T @ wrench, 1e-13)
    own, whole = mm.momentum(model, q, qdot), mm.momentum(model.whole, motion.q, motion.qdot)
    close(own.linear, whole.linear, 0)
    place = mm.point_jacobian(model, q, "b5", (0.1, 0.2, 0.3), qdot)[0] @ qdot
    close(place, mm.point_jacobian(model.whole, motion.q, "b5", (0.1, 0.2, 0.3))[0] @ motion.qdot, 1e-13)


@fast
def test_energy_and_forces(case):
    model, q, qdot, _, _ = case
    motion = mm.dynamics.joint_motion(model, q, qdot)
    energy = mm.energy(model, q, qdot, t=0.3)
    close(energy, mm.energy(model.whole, motion.q, motion.qdot, t=0.3), 1e-14)
    close(energy.kinetic, 0.5 * qdot @ mm.mass_matrix(model, q) @ qdot, 1e-12)
    forces = mm.applied_forces(model, q, qdot, t=0.3)
    close(forces, motion.J.T @ mm.applied_forces(model.whole, motion.q, motion.qdot, t=0.3), 1e-12)
    bias = mm.dynamics.bias_forces(model, q, qdot)
    close(bias - forces, mm.inverse_dynamics(model, q, qdot, 0 * q, t=0.3), 1e-11)
    C = mm.dynamics.coriolis_matrix(model, q, qdot)
    close(C @ qdot + mm.dynamics.gravity_forces(model, q), bias, 1e-11)
    h = 1e-6
    Mdot = (mm.mass_matrix(model, q + h * qdot) - mm.mass_matrix(model, q - h * qdot)) / (2 * h)
    close(Mdot, C + C.T, 1e-7)


@fast
def test_linearise_is_exact(case):
    model, q, qdot, qddot, tau = case
    state = model.state(q, qdot, 0.3)
    M, D, K = mm.linearise(model, state, qddot)

    def r(*x):
        return mm.residual(model, *x, tau, t=0.3)

    for which, found in ((2, M), (1, D), (0, K)):
        close(found, complex_slopes(r, (q, qdot, qddot), which), 1e-9 if model.reduction.functions else 1e-11)
    own = mm.inverse_dynamics_derivatives(model, q, qdot, qddot, t=0.3)
    close(own.dtau_dq, K, 1e-11)
    close(own.dtau_dqdot, D, 1e-11)
    lam = np.sin(1.0 + np.arange(model.ndof))
    products = mm.dynamics.inverse_dynamics_products(model, q, qdot, qddot, lam, t=0.3)
    close(products[0], lam @ K, 1e-11)
    df_dq, df_dqdot = mm.dynamics.force_derivatives(model, q, qdot, t=0.3)

    def f(*x):
        return mm.applied_forces(model, *x, t=0.3)

    close(df_dq, complex_slopes(f, (q, qdot), 0), 1e-9)
    close(df_dqdot, complex_slopes(f, (q, qdot), 1), 1e-10)


ORDERS = {name: method.order for name, method in INTEGRATORS.items() if name not in ("recursive", "redmax", "maximal")}


@pytest.mark.parametrize("integrator", ORDERS)
def test_convergence_orders(integrator):
    spec = rods()
    spec.reduce({"distal": {"middle": (0.1, 0.4, 0.3)}, "middle": {"proximal": mm.Motion.sine(0.5, 1.3, 0.4)}})
    model = spec.compile()
    given = {"q": [0.6], "qdot": [2.0], "duration": 0.2}
    exact = mm.simulate(model, integrator="recursive", **TIGHT, **given).q[-1]
    errors = [abs(mm.simulate(model, integrator=integrator, h=h, **given).q[-1] - exact)[0] for h in (2e-3, 1e-3, 5e-4)]
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert rates[-1] == pytest.approx(ORDERS[integrator], abs=0.2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("integrator", ["rk4", "bdf2", "symplectic", "euler"])
def test_all_kinds_of_maps_run(kind, integrator):
    model = reduced_tree(kind)
    q, qdot, _ = random_state(model, 2)
    given = {"q": q, "qdot": 0.2 * qdot, "duration": 0.02}
    exact = mm.simulate(model, integrator="redmax", **TIGHT, **given)
    run = mm.simulate(model, integrator=integrator, h=5e-4, **given)
    assert run.ended == exact.ended == "completed"
    close(run.q[-1], exact.q[-1], {"rk4": 1e-6, "bdf2": 1e-3}.get(integrator, 3e-2))


def test_energy_is_kept():
    spec = rods()
    spec.reduce(mm.SmoothMap(("u",), lambda Q: np.stack([Q[0], np.sin(Q[0]), 0.5 * Q[0] ** 2])))
    run = mm.simulate(spec.compile(), q=[0.6], qdot=[2.0], duration=1.0, **TIGHT)
    assert run.energy_drift < 1e-9
    swing = mm.simulate(spec.compile(), q=[0.6], qdot=[2.0], duration=3.0, h=1e-3, integrator="symplectic")
    off = swing.kinetic + swing.potential - swing.kinetic[0] - swing.potential[0]
    third = len(off) // 3
    assert np.abs(off[-third:]).max() < 1.5 * np.abs(off[:third]).max()


@fast
def test_equal_joint_angles_leave_one_equation():
    """Eq. 4.84 for two equal rods: m a^2 (8/3 + 2 cos) thdd - m a^2 sin thd^2 + m g a (3/2 sin + sin 2 th) = 0."""
    m, a, th, thd = 1.3, 0.4, 0.7, 2.1
    spec = rods((a, a), (m, m))
    spec.reduce(mm.LinearMap("bend", [[1.0], [1.0]]))
    pair = spec.compile()
    assert pair.coordinates == ["bend"]
    assert pair.coordinate_units == ["rad"]
    inertia, V = m * a * a * (8 / 3 + 2 * np.cos(th)), -m * G * a * (1.5 * np.cos(th) + 0.5 * np.cos(2 * th))
    torque = m * a * a * np.sin(th) * thd**2 - m * G * a * (1.5 * np.sin(th) + np.sin(2 * th))
    close(mm.mass_matrix(pair, [th]), [[inertia]], 1e-14)
    close(mm.energy(pair, [th], [thd]), [0.5 * inertia * thd**2, V], 1e-14)
    for method in ("recursive", "redmax"):
        close(mm.forward_dynamics(pair, [th], [thd], method=method), [torque / inertia], 1e-13)
        close(mm.forward_dynamics(pair, [th], [thd], [0.3], method), [(torque + 0.3) / inertia], 1e-13)


@fast
def test_bead_on_a_cycloid_swings_in_the_time_of_a_clock():
    """Its arc 4a sin(Q/2) is a harmonic oscillator of g/4a, however far it swings (Huygens)."""
    a, times, spec = 0.4, np.linspace(0, 2, 9), bead()
    spec.reduce(mm.SmoothMap("u", cycloid))
    run = mm.simulate(spec.compile(), q=[2.0], times=times, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.sin(run.q[:, 0] / 2), np.sin(1.0) * np.cos(np.sqrt(G / (4 * a)) * times), atol=1e-10)
    assert run.energy_drift < 1e-9


@fast
@pytest.mark.parametrize("th", [0.0, 0.9, 2.5, -4.0])
def test_slider_crank_follows_its_lagrangian(th):
    """m(Q) and V(Q) by hand; Qddot = -(m'/2 Qdot^2 + V') / m."""
    mc, mr, thd, h = 0.5, 0.8, 3.0, 1e-30

    def inertia_and_potential(th):
        phi = -np.arcsin(CRANK / ROD * np.sin(th))
        dphi = -CRANK / ROD * np.cos(th) / np.cos(phi)
        dx, dz = CRANK / 2 * np.cos(th), CRANK * np.sin(th) + ROD / 2 * np.sin(phi) * dphi
        V = -G * (mc * CRANK / 2 * np.cos(th) + mr * (CRANK * np.cos(th) + ROD / 2 * np.cos(phi)))
        return mc * CRANK**2 / 3 + mr * (dx**2 + dz**2) + mr * ROD**2 / 12 * dphi**2, V

    m, V = (x.real for x in inertia_and_potential(th + 0j))
    dm, dV = (x.imag / h for x in inertia_and_potential(th + 1j * h))
    spec = rods((CRANK, ROD), (mc, mr))
    spec.reduce(mm.SmoothMap("turn", slider_crank))
    engine = spec.compile()
    close(mm.mass_matrix(engine, [th]), [[m]], 1e-13)
    close(mm.energy(engine, [th], [thd]), [m * thd**2 / 2, V], 1e-13)
    close(mm.forward_dynamics(engine, [th], [thd]), [-(dm / 2 * thd**2 + dV) / m], 1e-11)
    forces = mm.dynamics.reduction_forces(engine, [th], [thd])
    assert abs(mm.dynamics.joint_motion(engine, [th]).J[:, 0] @ forces) < 1e-11 * np.abs(forces).max()


@fast
def test_reductions_chain():
    """Linear on curved, and curved on linear, are what is composed by hand (Eq. 4.85)."""
    offset, line = np.array([0.3, -0.2]), np.array([[0.8], [-0.5]])
    lift = np.linspace(-1, 1, 16).reshape(4, 4) + np.eye(4)
    four = ["b0", "b2", "b3", "b5"]

    def model(*maps):
        spec = loaded_tree()
        for one in maps:
            spec.reduce(one)
        return spec.compile()

    def smooth(function):
        return mm.SmoothMap("s", function, of=four)

    pairs = [
        (
            model(mm.SmoothMap(("u", "v"), curved, of=four), mm.LinearMap("s", line, offset, of=["u", "v"])),
            model(smooth(lambda S: curved(offset + line @ S))),
        ),
        (
            model(
                mm.LinearMap(("k", "l", "m", "n"), lift, np.ones(4), of=four),
                mm.SmoothMap("s", lambda S: curved(np.stack([S[0], S[0] ** 2])), of=["k", "l", "m", "n"]),
            ),
            model(smooth(lambda S: 1 + lift @ curved(np.stack([S[0], S[0] ** 2])))),
        ),
    ]
    q, qdot = np.array([0.2, -0.4, 0.6]), np.array([1.0, 0.3, 1.7])
    for chained, composed in pairs:
        assert chained.coordinates == composed.coordinates == ["b1", "b4", "s"]
        for own, other in zip(*(mm.dynamics.joint_motion(m, q, qdot, q) for m in (chained, composed)), strict=True):
            close(own, other, 1e-11)
        close(*(mm.forward_dynamics(m, q, qdot, t=0.2) for m in (chained, composed)), 1e-10)
        close(*(mm.linearise(m, m.state(q, qdot, 0.2)).M for m in (chained, composed)), 1e-11)
        close(*(mm.linearise(m, m.state(q, qdot, 0.2)).K for m in (chained, composed)), 1e-9)


@fast
def test_all_coordinates_or_none():
    spec, still = loaded_tree(), loaded_tree()
    names = spec.compile().coordinates
    spec.reduce(mm.LinearMap([f"{name}'" for name in names], np.eye(6)))
    same = spec.compile()
    q, qdot, _ = random_state(same, 1)
    close(mm.forward_dynamics(same, q, qdot, t=0.3), mm.forward_dynamics(same.whole, q, qdot, t=0.3), 1e-10)
    still.reduce({name: float(x) for name, x in zip(names, q, strict=True)})
    none = still.compile()
    assert (none.ndof, none.coordinates, none.q().shape) == (0, [], (0,))
    assert mm.mass_matrix(none, []).shape == (0, 0)
    assert mm.forward_dynamics(none, [], []).shape == (0,)
    expected = mm.inverse_dynamics(none.whole, q, np.zeros(6), np.zeros(6))
    close(mm.dynamics.reduction_forces(none, [], []), expected, 1e-13)


@fast
def test_derivatives_near_singularities_and_at_kinks():
    near = {
        -250.0: lambda s: np.sqrt(0.01 + s),
        2e9: lambda s: 1 / (1e-3 + s),
        1e6: lambda s: np.exp(1000 * s),
        72.0: lambda s: (1 + s) ** 9,
        0.0: lambda s: 5 + 3 * s,
    }
    third = {-250.0: 3.75e4, 2e9: -6e12, 1e6: 1e9, 72.0: 504.0, 0.0: 0.0}
    for exact, curve in near.items():
        found = derivatives(lambda s, curve=curve: np.array([curve(s)]))
        np.testing.assert_allclose(found[1], [exact], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found[2], [third[exact]], rtol=1e-10, atol=1e-10)
    for kink in (np.abs, lambda s: s * s if s.real > 0 else 0 * s, lambda s: s * s.real):
        assert derivatives(lambda s, kink=kink: np.array([kink(s)])) is None


@fast
@pytest.mark.parametrize("motion", [WAVE, SPLINE, mm.Motion(2.0), mm.Motion.of(np.sin, -2, 2)])
def test_a_motion_is_a_function_of_one_coordinate(motion):
    """Against the same function given in Python."""
    made = []
    for rule in ({"z": {"x": motion}}, mm.SmoothMap("x'", lambda Q: np.stack([Q[0], value(motion, Q[0])]))):
        spec = bead()
        spec.reduce(rule)
        made.append(spec.compile())
    q, qdot, qddot = np.array([0.3]), np.array([1.2]), np.array([-0.7])
    for own, other in zip(*(mm.dynamics.joint_motion(model, q, qdot, qddot) for model in made), strict=True):
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-11 * max(1.0, np.abs(other).max()))


def value(motion, x):
    """A motion's value at a complex number."""
    if motion.wave:
        a, rate, phase, offset = motion.wave
        return a * np.sin(rate * x + phase) + offset
    if not len(motion.breaks):
        return motion.coefficients[0, 0] + 0 * x
    piece = np.searchsorted(motion.breaks, x.real, side="right") - 1
    return np.polynomial.polynomial.polyval(x - motion.breaks[piece], motion.coefficients[piece])


def test_polynomials_of_a_coordinate():
    spec = bead()
    spec.reduce({"z": {"x": POLYNOMIAL}})
    motion = mm.dynamics.joint_motion(spec.compile(), [0.7], [2.0])
    poly = np.polynomial.Polynomial(POLYNOMIAL)
    close(motion.q[1], poly(0.7), 1e-15)
    close(motion.J[1, 0], poly.deriv()(0.7), 1e-15)
    close(motion.qddot[1], poly.deriv(2)(0.7) * 4, 1e-14)
