"""Muscles with states where things go wrong: slack and overrun fibres, guesses, kinks, switched models, odd input."""

import numpy as np
import pytest
from driven_arms import block_between, driven_arm

import myomass as mm
from myomass.integrators import OK
from myomass.muscles.hill.curves.dispatch import demand_curves
from myomass.muscles.hill.fibre import balance_at

FOREARM = mm.Inertia.capsule(0.03, 0.24, mass=1.8)


@mm.kernel(entry=True)
def velocities(hills, params, a, fibre, L, guess, out):
    """Fill out with the velocity of the first muscle in each case."""
    for i in range(len(a)):
        out[i] = balance_at(hills[0], params, a[i], fibre[i], L[i], guess[i])[0]


def forearm(hill, points=((0.03, 0, 0.28), (0.03, 0, 0.1))):
    spec = mm.Spec("elbow")
    spec.add_body("fore", None, mm.Revolute((0, -1, 0)), None, mm.translation(0, 0, -0.15), FOREARM)
    spec.add_muscle("biceps", 0.3, points=[(None, points[0]), ("fore", points[1])], actuator=hill)
    return spec


@pytest.mark.parametrize("curves", [mm.curves.Millard2012(), mm.curves.Thelen2003(), mm.curves.DeGrooteFregly2016()])
def test_a_fibre_velocity_is_found_from_any_guess(curves):
    """Newton's method may circle where force over velocity bends: every guess must lead to the same velocity."""
    muscle, rng, n = mm.Hill(1000.0, 0.1, 0.2, damping=0.1, curves=curves), np.random.default_rng(0), 2000
    demand_curves([muscle.family.kind])
    a, fibre = rng.uniform(0.01, 1, n), rng.uniform(0.06, 0.15, n)
    given = muscle.record(), np.array(muscle.parameters()), a, fibre, fibre + 0.2 * (1 + rng.uniform(0, 0.06, n))
    exact, found = np.empty(n), np.empty(n)
    velocities(*given, np.zeros(n), exact)
    assert np.ptp(exact) > 1.0
    for guess in (*rng.uniform(-3, 3, (4, n)), np.full(n, np.nan), np.full(n, np.inf)):
        velocities(*given, guess, found)
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-7)


@pytest.mark.fast
def test_a_slack_rigid_tendon_does_not_pull():
    model = forearm(mm.Hill(700, 0.08, 0.35, pennation=0.5, max_pennation=0.6, tendon="rigid")).compile()
    with pytest.warns(RuntimeWarning, match="even the shortest fibre leaves the tendon slack"):
        state = model.state([0.1], activation=0.9)
    report = mm.muscles.muscle_report(model, state)
    assert report.tension[0] == report.active_force[0] == 0.0
    bare = forearm(None).compile()
    expected = mm.forward_dynamics(bare, [0.1], [0.0])
    np.testing.assert_allclose(mm.forward_dynamics(model, [0.1], [0.0], z=state.z), expected, rtol=1e-14)


@pytest.mark.parametrize("curves", [mm.curves.Millard2012(), mm.curves.Thelen2003()])
def test_a_rigid_fibre_that_is_overrun_keeps_the_balance(curves):
    """The path shortens faster than the fibre can: no tension, and forces of the fibre that add up to none."""
    model = forearm(mm.Hill(700, 0.13, 0.17, tendon="rigid", max_velocity=1.0, curves=curves)).compile()
    state = model.state([0.4], [4.0], activation=0.1)
    report = mm.muscles.muscle_report(model, state)
    assert report.tension[0] == 0.0
    assert abs(report.fibre_force[0]) < 1e-10 and abs(report.tendon_power[0]) < 1e-10
    run = mm.simulate(model, state=state, duration=0.1, rtol=1e-9, atol=1e-11)
    assert run.energy_balance.drift < 1e-4
    assert mm.simulate(model, state=state, duration=0.1, rtol=1e-11, atol=1e-12).energy_balance.drift < 1e-5


def test_work_at_a_kink():
    """Rows lie close beside it; the balance must not get worse with the tolerance."""
    model = block_between().compile()
    excitation = {"left": mm.Motion.held([0.0, 0.1], [0.1, 0.5])}
    for rtol in (1e-7, 1e-9, 1e-11):
        run = mm.simulate(model, duration=0.2, excitation=excitation, rtol=rtol, atol=0.01 * rtol)
        assert run.energy_balance.drift < 3e-5, rtol


def test_excitation_functions_follow_the_model_in_force():
    """To a floating twin and back: the function is given vectors as long as the model in force has them."""
    spec = mm.Spec("float", gravity=(0, 0, 0))
    spec.add_body("upper", None, mm.Free3D(), E_jb=mm.translation(0.15, 0, 0), inertia=FOREARM)
    spec.add_body(
        "lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.3, 0, 0), mm.translation(0.15, 0, 0), FOREARM
    )
    points = [("upper", (-0.1, 0, 0.04)), ("lower", (-0.1, 0, 0.03))]
    spec.add_muscle("flexor", points=points, actuator=mm.Hill(300.0, 0.1, 0.115))
    model = spec.compile()
    start = model.state(activation=0.3)
    pinned = mm.reroot(model, start, "lower", place=(0, 0, 0), joint=mm.Revolute((0, 1, 0)), zero="now")[0]
    wide, seen = model.state(activation=0.3), []

    def leave(state, model_now):
        there, q = (pinned, None) if model_now.ndof == 7 else (model, wide.q)
        return there, there.state(q, z=state.z)

    def excitation(t, q, qdot, z):
        seen.append(len(q))
        return 0.5

    events = [mm.Event(lambda s, t=t: s.t - t, leave, direction=1) for t in (0.01, 0.02)]
    for integrator in ("rk4", "recursive", "bdf2"):
        seen.clear()
        run = mm.simulate(
            model, state=start, duration=0.03, excitation=excitation, events=events, integrator=integrator
        )
        widths = [len(piece.q[0]) for piece in run.pieces]
        assert widths == [7, 2, 7] and set(seen) == {2, 7}
        assert seen[0] == 7 and seen[-1] == 7
        assert run.excitation.shape == (len(run.t), 1)


def test_what_excited_one_run_excites_no_other():
    """A workspace that is lent again knows nothing of the run before, whose function is gone."""
    model = block_between().compile()
    bare = mm.Spec("bare", gravity=(0, 0, 0))
    bare.add_body("block", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.cuboid((0.1, 0.1, 0.1), mass=20.0))
    bare = bare.compile()
    given = {"duration": 0.05, "integrator": "rk4"}
    mm.simulate(model, excitation=lambda t, q, qdot, z: 0.7, **given)
    rested = mm.simulate(model, **given)
    np.testing.assert_allclose(rested.z[:, 0], 0.01, atol=1e-12)
    mm.simulate(model, excitation=lambda t, q, qdot, z: 0.7, **given)
    event = mm.Event(lambda s: s.t - 0.02, lambda s: (model, model.state(s.q, s.qdot)), direction=1)
    run = mm.simulate(bare, events=event, **given)
    np.testing.assert_allclose(run.pieces[-1].z[:, 0], 0.01, atol=1e-12)
    assert run.pieces[-1].excitation.shape[1] == 2
    np.testing.assert_allclose(run.pieces[-1].muscles.excitation, 0.01)


def test_an_integrator_that_moves_no_states_is_refused(monkeypatch):
    @mm.kernel
    def step(t, h, run):
        return OK

    method = mm.FixedStep("still", order=1, step=step)
    monkeypatch.setitem(mm.integrators.INTEGRATORS, "still", method)
    with pytest.raises(ValueError, match="'still' does not move the states of muscles"):
        mm.simulate(block_between().compile(), integrator="still")


def test_coriolis_matrix_has_no_force_over_velocity():
    model = driven_arm(0.4, tendon="rigid").compile()
    q, qdot = np.array([0.1, 0.3, 0.4]), np.array([0.5, -0.4, 1.0])
    C = mm.dynamics.coriolis_matrix(model, q, qdot)
    np.testing.assert_allclose(C @ qdot, mm.dynamics.coriolis_forces(model, q, qdot), rtol=0, atol=1e-14)


@pytest.mark.fast
def test_sentences():
    model = driven_arm().compile()
    q = np.zeros(3)
    z = model.state(q).z
    with pytest.raises(ValueError, match="complex steps hold: give them as z="):
        mm.forward_dynamics(model, q + 0j, q)
    for wrong, sentence in (
        ((0.5, 0.0, 0.5, 0.1), "'flexor.fibre_length' must be positive .m., and is 0"),
        ((3.0, 0.1, 0.5, 0.1), "'flexor.activation' must lie between 0 and 1, and is 3"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.state(q, z=wrong)
        with pytest.raises(ValueError, match=sentence):
            mm.forward_dynamics(model, q, q, z=wrong)
    with pytest.raises(KeyError, match="there is no muscle 'nobody'"):
        mm.muscles.muscle_rates(model, q, q, z, {"nobody": 0.3})
    with pytest.raises(ValueError, match="excitation must be finite numbers"):
        mm.muscles.muscle_report(model, model.state(q), excitation=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="which do not combine"):
        mm.Hill(1.0, 0.1, 0.2).equilibrium([0.1, 0.2], [0.3, 0.3, 0.3])
    with pytest.raises(TypeError, match=r"a function is called with \(t, q, qdot, z\)"):
        mm.simulate(model, excitation=lambda t: 0.3)
    with pytest.raises(ValueError, match=r"muscle 'biceps': at this q its fibre is .* optimal lengths long"):
        mm.simulate(forearm(mm.Hill(700, 0.04, 0.1, curves=mm.curves.Thelen2003(), tendon="rigid")).compile(), q=[0.4])
    with pytest.raises(FloatingPointError, match="all points of its path are at one place"):
        forearm(mm.Hill(700, 0.1, 0.2), points=((0, 0, 0), (0, 0, 0.15))).compile().state()
    bare = mm.Spec("bare")
    bare.add_body("a", inertia=mm.Inertia(1.0, (1.0, 1.0, 1.0)))
    with pytest.raises(ValueError, match="no muscle with an actuator that could have an activation"):
        bare.compile().state(activation=0.3)
