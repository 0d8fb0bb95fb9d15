"""Tensions that follow a law of length and rate: against OpenSim's, and as the slopes of their energies."""

import numpy as np
import pytest
from opensim_elements import frame_of, opensim_accelerations, opensim_tree, own_tree, place_in, states
from scipy.integrate import quad
from trees import complex_slopes, random_spec, random_state

import myomass as mm
from myomass import muscles

pytestmark = pytest.mark.fast
POINTS = [("ground", (0, 0.3, 0.1)), ("first", (0.1, 0, 0)), ("third", (0.1, 0.2, -0.3))]
X, Y = (-5, 0.9, 1.0, 1.1, 1.2, 1.3, 1.5, 5), (0, 0, 0, 0.035, 0.12, 0.26, 1.17, 2)
REST = 1.45  # [m], of a path that is 1.4 to 1.7 m long at the states below


def simm_curve():
    from myomass.io.osim.functions import simm_spline

    return simm_spline(np.array(X, float), np.array(Y, float))


def path_spring(opensim):
    return opensim.PathSpring("tie", REST, 100.0, 0.4), muscles.PathSpring(100.0, REST, 0.4)


def ligament(opensim):
    theirs, curve = opensim.Ligament(), opensim.SimmSpline()
    for x, y in zip(X, Y, strict=True):
        curve.addPoint(x, y)
    theirs.setForceLengthCurve(curve)
    theirs.setRestingLength(REST)
    theirs.setMaxIsometricForce(150.0)
    return theirs, muscles.Ligament(REST, 150.0, simm_curve())


def blankevoort(opensim):
    theirs = opensim.Blankevoort1991Ligament()
    theirs.set_slack_length(REST)
    theirs.set_linear_stiffness(200.0)
    theirs.set_transition_strain(0.1)
    theirs.set_damping_coefficient(7.0)
    return theirs, muscles.BlankevoortLigament(REST, 200.0, 0.1, 7.0)


def ideal(opensim):
    theirs = opensim.PathActuator()
    theirs.set_optimal_force(30.0)
    return theirs, muscles.IdealActuator(30.0, 0.7)


@pytest.mark.parametrize("pair", [path_spring, ligament, blankevoort, ideal])
def test_against_opensim(pair):
    opensim = pytest.importorskip("opensim")
    tree, spec = opensim_tree(), own_tree()
    theirs, law = pair(opensim)
    theirs.setName("tie")
    for i, (body, place) in enumerate(POINTS):
        theirs.updGeometryPath().appendNewPathPoint(f"p{i}", frame_of(tree, body), opensim.Vec3(*place))
    tree.addForce(theirs)
    spec.add_muscle("tie", 0.0, [place_in(*point) for point in POINTS], tension=law)
    state, model, seen = tree.initSystem(), spec.compile(), []
    offsets = []
    for q, qdot in states(0, 20):
        expected = opensim_accelerations(tree, state, q, qdot, controls=[0.7] if pair is ideal else ())
        got = mm.forward_dynamics(model, q, qdot)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10 * max(1.0, np.abs(expected).max()))
        length = mm.muscle_lengths(model, q)[0]
        assert length == pytest.approx(theirs.getGeometryPath().getLength(state), abs=1e-12)
        seen.append(length)
        offsets.append(mm.energy(model, q, qdot).potential - tree.calcPotentialEnergy(state))
    assert min(seen) < REST < 1.15 * REST < max(seen)
    if pair in (blankevoort, ideal):  # OpenSim does not count what the others store
        assert np.ptp(offsets) < 1e-11


def laws():
    sine = mm.Motion.sine(1.0, 2.0, 0.3, 0.5)
    curve = mm.Motion.through([0.5, 1.0, 2.0, 4.0], [0.0, 0.1, 1.0, 1.4])
    return [
        muscles.IdealActuator(30.0, sine),
        muscles.PathSpring(100.0, 0.3, 0.4),
        muscles.Ligament(0.4, 150.0, curve),
        muscles.BlankevoortLigament(0.35, 200.0, 9.0, 7.0),
        muscles.BlankevoortLigament(0.35, 200.0, 0.06, 7.0),
    ]


def tied(seed):
    """A random tree with a muscle of each law, some over a surface, some with mass."""
    spec = random_spec(seed, 5, ["revolute", "universal", "spherical-exp", "planar"])
    rng = np.random.default_rng(seed)
    for i, law in enumerate(laws()):
        points = [("b0", rng.uniform(-1, 1, 3)), ("b2", rng.uniform(-1, 1, 3)), ("b4", rng.uniform(-1, 1, 3))]
        wrap = [mm.wrap.Sphere("b1", mm.translation(*rng.uniform(-0.3, 0.3, 3)), 0.05), None]
        spec.add_muscle(f"m{i}", 0.3 if i == 1 else 0.0, points, wrap if i % 2 else None, mass_points=3, tension=law)
    return spec


@pytest.mark.parametrize("seed", range(3))
def test_tensions_are_slopes_of_their_energies(seed):
    spec = tied(seed)
    spec.gravity = (0, 0, 0)
    del spec.muscles["m0"]
    model = spec.compile()
    q, _, _ = random_state(model, seed)
    still = np.zeros(model.ndof)
    slopes = complex_slopes(lambda x: mm.energy(model, x, 0 * x).potential, [q], 0)
    held = mm.inverse_dynamics(model, q, still, still)
    np.testing.assert_allclose(slopes, held, rtol=0, atol=1e-11 * np.abs(held).max())


def stretched(law):
    """A body on a slider, tied to the world."""
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("b", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.sphere(0.1, mass=1.0), coordinates=["x"])
    spec.add_muscle("m", 0, [(None, (0, 0, 0)), ("b", (0, 0, 0))], tension=law)
    return spec.compile()


@pytest.mark.parametrize("which", range(1, 5))
def test_energy_is_the_work_of_stretching(which):
    model = stretched(laws()[which])
    for length in (0.2, 0.38, 0.6, 1.5, 5.0):
        work = -quad(lambda x: mm.forward_dynamics(model, [x], [0.0])[0], 0.2, length, points=(0.3, 0.35, 0.371, 0.4),
                     epsabs=1e-12, limit=200)[0]  # fmt: skip
        assert mm.energy(model, [length], [0.0]).potential == pytest.approx(work, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives(seed):
    model = tied(seed).compile()
    q, qdot, qddot = random_state(model, seed)
    slopes = mm.inverse_dynamics_derivatives(model, q, qdot, qddot)
    for which, matrix in ((0, slopes[0]), (1, slopes[1])):
        expected = complex_slopes(lambda a, b: mm.inverse_dynamics(model, a, b, qddot + 0j), [q, qdot], which)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(2))
def test_tensions_times_moment_arms_are_the_generalized_forces(seed):
    spec = tied(seed)
    spec.gravity = (0, 0, 0)
    spec.muscles["m1"].mass = 0.0
    spec.add_muscle("hill", 0, [("b0", (0, 0, 0.2)), ("b3", (0.1, 0, 0))], actuator=mm.Hill(300.0, 0.1, 0.2))
    spec.add_muscle("slack", 0, [("b0", (0, 0, 0.2)), ("b3", (0.1, 0, 0))])
    spec.add_muscle("given", 0, [("b0", (0, 0.1, 0.2)), ("b3", (0.1, 0, 0))], tension=mm.Motion.sine(3.0, 2.0))
    model = spec.compile()
    bare = random_spec(seed, 5, ["revolute", "universal", "spherical-exp", "planar"])
    bare.gravity = (0, 0, 0)
    q, qdot, _ = random_state(model, seed)
    still, z = np.zeros(model.ndof), model.state(q, qdot, activation=0.4).z
    tensions = mm.dynamics.muscle_tensions(model, q, qdot, t=0.3, z=z)
    names = model.muscles.names
    assert tensions[names.index("slack")] == 0.0 and tensions[names.index("given")] == 3.0 * np.sin(0.6)
    pulls = mm.inverse_dynamics(bare.compile(), q, qdot, still) - mm.inverse_dynamics(model, q, qdot, still, t=0.3, z=z)
    np.testing.assert_allclose(mm.moment_arms(model, q).T @ tensions, pulls, rtol=0, atol=1e-10 * np.abs(pulls).max())


@pytest.mark.parametrize("integrator", ["euler", "bdf1"])
def test_implicit_integrators_converge_to_the_adaptive_run(integrator):
    model = stretched(muscles.BlankevoortLigament(0.35, 2e3, 0.1, 3.0))
    start = {"q": [0.4], "qdot": [0.5], "duration": 0.05}
    exact = mm.simulate(model, **start, rtol=1e-10, atol=1e-12).q[-1, 0]
    errors = [abs(mm.simulate(model, **start, integrator=integrator, h=h).q[-1, 0] - exact) for h in (1e-3, 2.5e-4)]
    assert errors[1] < 0.4 * errors[0] < 0.4 * 5e-3


def test_runs_stop_where_a_control_jumps_and_files_keep_laws(tmp_path):
    model = stretched(muscles.IdealActuator(-4.0, mm.Motion.held([0.0, 0.3, 0.7], [1.0, 0.0, 0.5])))
    run = mm.simulate(model, q=[1.0], duration=1.0)
    assert {0.3, 0.7} <= set(np.round(run.t, 12))
    assert run.qdot[-1, 0] == pytest.approx(4.0 * 0.3 + 2.0 * 0.3, abs=1e-12)
    run.save(tmp_path / "run.npz")
    again = mm.Trajectory.load(tmp_path / "run.npz").model
    np.testing.assert_array_equal(mm.forward_dynamics(again, [1.2], [0.3], t=0.1), [4.0])


@pytest.mark.parametrize(
    ("law", "sentence"),
    [
        (muscles.PathSpring(-1.0, 0.5), "stiffness must not be negative"),
        (muscles.PathSpring(1.0, np.nan), "rest_length must be a finite number"),
        (muscles.Ligament(0.0, 1.0, mm.Motion.line(1.0)), r"rest_length \[m\] must be finite and positive"),
        (muscles.Ligament(1.0, 1.0, 3.0), "curve must be an mm.Motion"),
        (muscles.Ligament(1.0, 1.0, mm.Motion.sine(1, 1, 0, 1)), "integral of a sine with an offset"),
        (muscles.BlankevoortLigament(1.0, 1.0, 0.0), "transition must be finite and positive"),
        (muscles.IdealActuator(1.0, "high"), "control must be a number or an mm.Motion"),
        (muscles.IdealActuator(1.0, least_control=1.0, largest_control=0.0), "must not exceed largest_control"),
        (muscles.TensionLaw(), "is no law of tension"),
        ("strong", r"tension \[N\] must be a number or an mm.Motion"),
    ],
)
def test_bad_input_gets_a_sentence(law, sentence):
    with pytest.raises((ValueError, TypeError), match=f"muscle 'm'.*{sentence}"):
        stretched(law)


def test_a_law_and_an_actuator_are_too_much():
    spec = mm.Spec()
    spec.add_body("b", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    law, hill = muscles.PathSpring(1.0, 0.5), mm.Hill(300.0, 0.1, 0.2)
    spec.add_muscle("m", 0, [(None, (0, 0, 0)), ("b", (0, 0, 0))], tension=law, actuator=hill)
    with pytest.raises(ValueError, match="give a tension or an actuator, not both"):
        spec.compile()
