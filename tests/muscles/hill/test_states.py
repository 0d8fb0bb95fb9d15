"""States of muscles: names, starts, rates, derivatives, and what carries them."""

import pickle

import numpy as np
import pytest
from driven_arms import block_between, driven_arm
from scipy.integrate import solve_ivp

import myomass as mm
from myomass._jit import DISABLED
from myomass.dynamics.inverse import residual_at
from myomass.dynamics.system import linear_of, system_of
from myomass.dynamics.views import linear_at

RIGID = pytest.mark.parametrize("tendon", ["elastic", "rigid"])
EXCITATION = (0.3, 0.5)


def random_state(model, seed, activation=0.4):
    rng = np.random.default_rng(seed)
    q, qdot, qddot = 0.3 * rng.normal(size=(3, model.ndof))
    return model.state(q, qdot, activation=activation), qddot


@pytest.mark.fast
def test_states_have_names():
    model = driven_arm(reflexes=True).compile()
    assert model.nz == len(model.z_names) == 14
    assert model.z_names[:4] == (
        "flexor.activation",
        "flexor.fibre_length",
        "extensor.activation",
        "extensor.fibre_length",
    )
    assert model.z_names[4] == "Reflex0.delay0"
    assert driven_arm(tendon="rigid").compile().z_names == ("flexor.activation", "extensor.activation")


@pytest.mark.fast
def test_a_start_is_in_equilibrium():
    """Neither fibres nor delayed signals move at rest; activations are those asked for."""
    model = driven_arm(reflexes=True).compile()
    q = np.array([0.1, -0.2, 0.3])
    state = model.state(q, activation={"flexor": 0.5})
    rates = mm.muscles.muscle_rates(model, q, np.zeros(3), state.z, excitation=0.2)
    assert np.abs(rates[[1, 3]]).max() < 1e-10
    assert np.abs(rates[4:]).max() < 1e-9
    assert state.z[0] == 0.5 and state.z[2] == model.muscles.hills["least"][1]


@RIGID
@pytest.mark.parametrize("mass", [0.0, 0.4])
@pytest.mark.fast
def test_matrices_of_an_implicit_stage_are_exact(tendon, mass):
    """M, D and K of the residual whose states are solved for, against its complex step, and against differences."""
    model = driven_arm(mass, reflexes=True, tendon=tendon).compile()
    rng = np.random.default_rng(1)
    for seed in range(3):
        state, qddot = random_state(model, seed)
        alpha, base = 10 ** rng.uniform(1, 4), state.z * rng.uniform(0.99, 1.01, model.nz)
        spaces = model.workspace, model.complex_workspace
        for space in spaces:
            drive = system_of(space).muscles.drive
            drive.z[:], drive.base[:], drive.stage[0] = state.z, base, alpha
            drive.excitation[:], drive.heard[:] = EXCITATION, 0.05

        def residual(vectors, spaces=spaces):
            space = spaces[np.iscomplexobj(vectors[0])]
            vectors = [np.ascontiguousarray(x) for x in vectors]
            r = np.zeros(3, vectors[0].dtype)
            residual_at(system_of(space).handle, 0.0, *vectors, space.zeros, space.no_wrenches, r)
            return r

        matrices = np.zeros((3, 3, 3))
        given = [state.q, state.qdot, qddot]
        linear_at(system_of(spaces[0]).handle, linear_of(spaces[0]).handle, 0.0, *given, *matrices)
        for matrix, which in zip(matrices, (2, 1, 0), strict=True):
            for k in range(3):
                stepped = [x.astype(complex) for x in given]
                stepped[which][k] += 1e-30j
                np.testing.assert_allclose(
                    residual(stepped).imag / 1e-30, matrix[:, k], rtol=1e-10, atol=1e-12 * np.abs(matrix).max()
                )
                higher, lower = [x.copy() for x in given], [x.copy() for x in given]
                higher[which][k] += 1e-6
                lower[which][k] -= 1e-6
                slope = (residual(higher) - residual(lower)) / 2e-6
                np.testing.assert_allclose(slope, matrix[:, k], rtol=1e-4, atol=1e-4 * np.abs(matrix).max())


@RIGID
@pytest.mark.fast
def test_linearise_knows_the_states(tendon):
    """R, K, D, Z and U against complex steps of the residual and of the rates; M, D, K with the states held."""
    model = driven_arm(0.3, reflexes=True, tendon=tendon).compile()
    state, qddot = random_state(model, 5)
    found = mm.linearise(model, state, qddot, excitation=EXCITATION)
    _, D, K = found
    u = np.array(EXCITATION)
    parts = {"q": state.q, "qdot": state.qdot, "z": state.z, "u": u}
    expected = {"q": found.states.K, "qdot": found.states.D, "z": found.states.Z, "u": found.states.U}
    of_residual = {"q": K, "qdot": D, "z": found.states.R}
    for key, x in parts.items():
        for k in range(len(x)):
            given = {name: value.astype(complex) for name, value in parts.items()}
            given[key][k] += 1e-30j
            rates = mm.muscles.muscle_rates(model, given["q"], given["qdot"], given["z"], given["u"]).imag / 1e-30
            np.testing.assert_allclose(rates, expected[key][:, k], rtol=1e-10, atol=1e-10)
            if key in of_residual:
                r = mm.residual(model, given["q"], given["qdot"], qddot, z=given["z"]).imag / 1e-30
                np.testing.assert_allclose(r, of_residual[key][:, k], rtol=1e-10, atol=1e-9)
    assert f"{model.nz} states" in repr(found)


def test_rates_are_what_runs_integrate():
    """Against SciPy's Dormand-Prince 8(5,3) on forward_dynamics and muscle_rates, reflexes and delays included."""
    model = driven_arm(reflexes=True).compile()
    state, _ = random_state(model, 2)
    n = model.ndof

    def slope(t, y):
        q, qdot, z = y[:n], y[n : 2 * n], y[2 * n :]
        u = (0.4 + 0.3 * np.sin(20 * t), 0.4)
        return np.concatenate(
            [qdot, mm.forward_dynamics(model, q, qdot, z=z), mm.muscles.muscle_rates(model, q, qdot, z, u)]
        )

    start = np.concatenate([state.q, state.qdot, state.z])
    exact = solve_ivp(slope, (0, 0.1), start, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    excitation = {"flexor": mm.Motion.of(lambda t: 0.4 + 0.3 * np.sin(20 * t), 0, 0.2), "extensor": 0.4}
    for name in ("recursive", "redmax"):
        run = mm.simulate(
            model, state=state, duration=0.1, excitation=excitation, integrator=name, rtol=1e-12, atol=1e-13
        )
        found = np.concatenate([run.q[-1], run.qdot[-1], run.z[-1]])
        np.testing.assert_allclose(found, exact, rtol=0, atol=2e-9)


ORDERS = {"rk4": 4, "bdf2": 2, "sdirk2": 2, "bdf1": 1, "euler": 1, "semi-implicit": 1, "symplectic": 1}


@pytest.mark.parametrize("name", ORDERS)
def test_integrators_carry_states_to_their_order(name):
    """The error of z falls as h^order; a reflex on a fibre, with a delay, is extrapolated to second order.

    With curves and activation dynamics that are smooth everywhere.
    """
    spec = driven_arm(curves=mm.curves.DeGrooteFregly2016(), damping=0.1)
    spec.add_reflex(mm.Reflex("flexor", source="lower", gain=0.3, rate_gain=0.1, target=0.2, delay=0.02))
    spec.add_reflex(mm.Reflex("extensor", of="length", gain=0.5, target=1.0, delay=0.02))
    model = spec.compile()
    state = model.state((0.1, 0.2, 0.4), (0.2, -0.3, 0.1), activation=0.3)
    given = {"state": state, "duration": 0.08, "excitation": {"flexor": 0.35, "extensor": 0.4}}
    exact = mm.simulate(model, **given, rtol=1e-12, atol=1e-13).z[-1]
    steps = (8e-4, 4e-4) if name == "rk4" else (1e-3, 5e-4)
    errors = [np.abs(mm.simulate(model, **given, integrator=name, h=h).z[-1] - exact).max() for h in steps]
    assert errors[0] / errors[1] > 0.8 * 2 ** ORDERS[name] or errors[1] < 1e-10, errors


@pytest.mark.parametrize("name", [name for name in ORDERS if name != "rk4"])
def test_integrators_hold_muscles_with_mass_and_states(name):
    """Muscles with mass and an elastic tendon, near the adaptive run, and nearer with half the step."""
    spec = driven_arm()
    for muscle in spec.muscles.values():
        muscle.mass = 0.4
    model = spec.compile()
    given = {"q": (0.1, 0.2, 0.4), "duration": 0.02, "excitation": 0.3}
    exact = mm.simulate(model, **given, rtol=1e-10, atol=1e-12)
    off = []
    for h in (1e-3, 5e-4):
        run = mm.simulate(model, **given, integrator=name, h=h)
        assert run.ended == "completed"
        off.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert off[1] < 0.7 * off[0]


@pytest.mark.parametrize("name", ["bdf1", "bdf2", "sdirk2", "euler"])
def test_stiff_tendons_stay_stable_in_implicit_steps(name):
    """Tendons 100 times stiffer than normal, in steps of 1 ms: near the run with rigid tendons."""
    stiff = mm.muscles.curves.Millard2012(tendon_strain=0.049 / 100)
    excitation = {"left": 0.6, "right": 0.2}
    runs = []
    for hill in ({"curves": stiff}, {"tendon": "rigid"}):
        model = block_between(**hill).compile()
        runs.append(mm.simulate(model, q=[0.0], duration=0.5, integrator=name, h=1e-3, excitation=excitation))
    assert runs[0].ended == "completed"
    assert np.abs(runs[0].q - runs[1].q).max() < 2e-3
    assert np.abs(np.diff(runs[0].muscles.tension[50:], axis=0)).max() < 5.0  # no ringing [N per step]


@pytest.mark.parametrize("reflexes", [False, True])
def test_states_go_through_files_pickles_and_continued_runs(tmp_path, reflexes):
    model = driven_arm(reflexes=reflexes).compile()
    given = {"excitation": EXCITATION, "integrator": "sdirk2", "h": 1e-3}
    run = mm.simulate(model, q=[0.1, 0.2, 0.4], duration=0.04, **given)
    loaded = mm.Trajectory.load(run.save(tmp_path / "run.npz"))
    np.testing.assert_array_equal(loaded.z, run.z)
    np.testing.assert_array_equal(loaded.excitation, run.excitation)
    assert loaded.model.z_names == model.z_names
    first = mm.simulate(loaded.model, q=[0.1, 0.2, 0.4], duration=0.02, **given)
    second = mm.simulate(pickle.loads(pickle.dumps(model)), state=first.state, duration=0.02, **given)
    whole = first.joined(second)
    off = 1e-5 if reflexes else 1e-14  # what reflexes on muscles see is extrapolated anew
    np.testing.assert_allclose(whole.z[-1], run.z[-1], rtol=0, atol=off)
    assert whole.z.shape == run.z.shape


def test_an_event_keeps_and_may_change_states():
    model = block_between().compile()
    seen = []

    def act(state):
        seen.append(state.z.copy())
        state.z[0] = 0.9
        return state

    event = mm.Event(lambda state: state.t - 0.03, act, direction=1)
    for integrator in ("recursive", "bdf2"):
        run = mm.simulate(model, duration=0.05, excitation=0.1, events=event, integrator=integrator)
        assert len(run.events) == 1
        np.testing.assert_array_equal(run.events[0].z_before, seen[-1])
        assert run.events[0].z_after[0] == 0.9
        assert run.z[-1, 0] > 0.4


def test_rerooting_keeps_states_and_motion():
    """A floating arm, hung from its hand, moves as before; a reflex follows the coordinate that it answers to."""
    spec = mm.Spec("float", gravity=(0, 0, 0))
    rod = mm.Inertia.cuboid(size=(0.3, 0.05, 0.05), mass=1.5)
    spec.add_body("upper", None, mm.Free3D(), E_jb=mm.translation(0.15, 0, 0), inertia=rod)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.3, 0, 0), mm.translation(0.15, 0, 0), rod)
    points = [("upper", (-0.1, 0, 0.04)), ("lower", (-0.1, 0, 0.03))]
    spec.add_muscle("flexor", 0.2, points, actuator=mm.Hill(300.0, 0.1, 0.115))
    spec.add_reflex(mm.Reflex("flexor", source="lower", gain=0.3, delay=0.01))
    model = spec.compile()
    q, qdot = np.zeros(model.ndof), np.linspace(-0.5, 0.5, model.ndof)
    state = model.state(q, qdot, activation=0.3)
    given = {"duration": 0.1, "excitation": 0.5, "rtol": 1e-10, "atol": 1e-12}
    there, hung = mm.reroot(model, state, "lower", place=(0, 0, 0))
    np.testing.assert_array_equal(hung.z, state.z)
    one, other = mm.simulate(model, state=state, **given), mm.simulate(there, state=hung, **given)
    np.testing.assert_allclose(other.z[-1], one.z[-1], rtol=0, atol=1e-8)
    np.testing.assert_allclose(other.poses[-1], one.poses[-1], rtol=0, atol=1e-7)
    spec.add_reflex(mm.Reflex("flexor", source="upper", component=0, gain=0.3))
    with pytest.raises(ValueError, match="a reflex"):
        model = spec.compile()
        mm.reroot(model, model.state(), "lower", place=(0, 0, 0))


def test_reactions_feel_the_tension():
    """The slider's bearing carries nothing of two muscles along it; a third one across is carried whole."""
    spec = block_between()
    spec.add_muscle("across", points=[(None, (0, 0.3, 0)), ("block", (0, 0.05, 0))], actuator=mm.Hill(500.0, 0.1, 0.14))
    model = spec.compile()
    state = model.state(activation=0.5)
    tension = mm.muscles.muscle_report(model, state)["across"].tension
    force = mm.joint_reactions(model, state.q, state.qdot, z=state.z, axes="world")[0, 3:]
    assert tension > 100
    np.testing.assert_allclose(force[1], -tension, rtol=1e-12)


@pytest.mark.fast
def test_what_knows_no_states_refuses_them():
    model = block_between().compile()
    for use in (
        lambda: mm.transitions.motion_transition(model, (np.zeros(1),), (np.ones(1),), 0.4),
        lambda: mm.walking.Phase(model, lambda q, qdot: q[0], lambda q, qdot: (q, qdot)),
    ):
        with pytest.raises(ValueError, match=r"knows no muscles with states, and model 'block' has left\.activation"):
            use()
    with pytest.raises(ValueError, match="maximal coordinates know no muscles"):
        mm.simulate(model, integrator="maximal")


@pytest.mark.fast
def test_answers_do_not_depend_on_what_was_asked_before():
    model = driven_arm().compile()
    state, _ = random_state(model, 3)
    other, _ = random_state(model, 4)
    first = mm.forward_dynamics(model, state.q, state.qdot, z=state.z)
    mm.forward_dynamics(model, other.q, other.qdot, z=other.z)
    np.testing.assert_array_equal(mm.forward_dynamics(model, state.q, state.qdot, z=state.z), first)
    runs = [mm.simulate(model, state=state, duration=0.02, excitation=0.3) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].z, runs[1].z)


def test_slopes_of_rates_wherever_they_are_looked_for():
    """Fibre velocities that the search ends by a bisection have the same derivatives as others."""
    spec = mm.Spec("slide")
    spec.add_body("bob", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    spec.add_muscle("m", points=[(None, (0, 0, 0)), ("bob", (0.2, 0, 0))], actuator=mm.Hill(150.0, 0.08, 0.07))
    model, rng, d = spec.compile(), np.random.default_rng(0), 1e-7
    for _ in range(20 if DISABLED else 400):
        q, qdot = rng.uniform(-0.08, 0.0, 1), 3.0 * rng.normal(size=1)
        z = np.array([rng.uniform(0.02, 1.0), rng.uniform(0.05, 0.16)])
        told = mm.linearise(model, model.state(q, qdot, z=z), np.zeros(1), excitation=np.array([0.5])).states.Z[1]
        ends = [mm.muscles.muscle_rates(model, q, qdot, z + s * d * e, 0.5)[1] for e in np.eye(2) for s in (1, -1)]
        found = np.array([ends[0] - ends[1], ends[2] - ends[3]]) / (2 * d)
        np.testing.assert_allclose(told, found, rtol=0, atol=1e-4 * np.abs(found).max() + 1e-6)
