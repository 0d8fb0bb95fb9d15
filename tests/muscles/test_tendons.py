"""Bellies between tendons that keep their lengths: closed forms, limits, Lagrange's equations, energy, refusals."""

import pickle

import numpy as np
import pytest
from mechanisms import ACROSS, KINDS, TENDONS, THROUGH, knee_cylinder, muscled_tree, pendulum

import myomass as mm
from myomass.muscles.packed import mass_between

Q, QDOT = np.array([0.4, 0.8]), np.array([-0.7, 1.9])
START = np.array([0.5, -0.3])
TIGHT = {"integrator": "redmax", "rtol": 1e-12, "atol": 1e-13}
STEP = 1e-20
OVER = {"wrap": [knee_cylinder()]} | ACROSS
fast = pytest.mark.fast


def stiff(start, end, **options):
    """A belly between these fractions, with tendons that do not stretch."""
    return mm.Belly(start, end, tendon="inextensible", **options)


def slider(distribution, mass_points=20):
    """A body that slides away from the world along the muscle, 1 m from its origin at q = 0."""
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body(
        "cart", None, mm.Prismatic((1, 0, 0)), mm.translation(1, 0, 0), inertia=mm.Inertia.cuboid((1, 1, 1), mass=1.0)
    )
    points = [(None, (0, 0, 0)), ("cart", (0, 0, 0))]
    spec.add_muscle("m", 3.0, points, mass_points=mass_points, distribution=distribution)
    return spec.compile()


@fast
def test_all_of_the_excursion_is_taken_up_by_the_belly():
    """Material at beta moves by beta dL wherever the belly lies, and at the fraction alpha of the path by alpha dL."""
    for start, end in ((0.0, 1.0), (0.1, 0.3), (0.7, 0.8)):
        inextensible = slider(stiff(start, end, continuous=True))
        even = slider(mm.Belly(start, end, continuous=True))
        assert mm.muscle_inertia(inextensible, [0.2]) == pytest.approx(np.array([[3.0 / 3]]), rel=1e-13)
        assert mm.muscle_inertia(even, [0.2])[0, 0] == pytest.approx(start**2 + start * end + end**2, rel=1e-13)
    beta = (np.arange(20) + 0.5) / 20
    model = slider(stiff(0.1, 0.3))
    assert mm.muscle_inertia(model, [0.2])[0, 0] == pytest.approx(3.0 * np.mean(beta**2), rel=1e-13)
    np.testing.assert_allclose(mm.muscles.muscle_jacobian(model, [0.2])[0][:, 0, 0], beta, rtol=1e-13)


@fast
def test_places_on_a_straight_path():
    belly = stiff(0.1, 0.3)
    model, beta = slider(belly), (np.arange(20) + 0.5) / 20
    for q in (-0.1, 0.0, 0.4):
        x = mm.muscle_points(model, [q])[0][:, 0]
        np.testing.assert_allclose(x, 0.1 + beta * (1.0 + q - 0.1 - 0.7), rtol=1e-13)  # tendons of 0.1 and 0.7 m
        offset, alpha = belly.places(1.0, beta)
        np.testing.assert_allclose(x, offset + alpha * (1.0 + q), rtol=1e-13)
    np.testing.assert_allclose(mm.Belly(0.1, 0.3).places(1.0, beta)[1], 0.1 + 0.2 * beta, rtol=1e-13)
    assert not mm.Belly(0.1, 0.3).places(1.0, beta)[0].any()


@fast
def test_what_is_drawn_as_belly():
    """The viewer asks for the fractions of the present path between which the mass lies."""
    for belly, q, fractions in (
        (stiff(0.1, 0.3), 0.0, (0.1, 0.3)),
        (stiff(0.1, 0.3), 0.25, (0.1 / 1.25, 0.55 / 1.25)),
        (mm.Belly(0.1, 0.3), 0.25, (0.1, 0.3)),
        ("continuous", 0.25, (0.0, 1.0)),
    ):
        model = slider(belly)
        assert mass_between(model.muscles.table[0], mm.muscle_lengths(model, [q])[0]) == pytest.approx(fractions)


@fast
def test_mass_on_the_tendons_ends_keeps_its_distance_from_them():
    model = pendulum({"mass": 1.0, "distribution": stiff(0.2, 0.7)} | ACROSS)
    model.muscles.lumps["alpha"][[0, -1]] = 0.0, 1.0
    rest = mm.muscle_lengths(model, [0, 0])[0]
    for q in (Q, START, np.array([0.1, 0.6])):
        first, last = mm.muscle_points(model, q)[0][[0, -1]]
        ends = mm.muscles.muscle_paths(model, q)[0].corners[[0, -1]]
        gaps = np.linalg.norm(ends - [first, last], axis=1)
        assert gaps == pytest.approx([0.2 * rest, 0.3 * rest], rel=1e-12)


@fast
@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("path", [ACROSS, THROUGH, OVER], ids=["straight", "points", "over a cylinder"])
def test_without_tendons_the_strain_is_even(path, continuous):
    even, inextensible = (
        pendulum({"mass": 1.0, "distribution": mm.Belly(0.0, 1.0, continuous, tendon)} | path)
        for tendon in ("stretches", "inextensible")
    )
    for q in (Q, START):
        np.testing.assert_array_equal(mm.mass_matrix(inextensible, q), mm.mass_matrix(even, q))
        biases = [mm.dynamics.bias_forces(model, q, QDOT) for model in (inextensible, even)]
        np.testing.assert_array_equal(*biases)


@fast
@pytest.mark.parametrize("path", [ACROSS, THROUGH, OVER], ids=["straight", "points", "over a cylinder"])
def test_at_the_length_where_the_fractions_hold_places_are_those_of_even_strain(path):
    even = pendulum({"mass": 1.0, "distribution": mm.Belly(0.2, 0.7)} | path)
    at_rest, at_q = (
        pendulum({"mass": 1.0, "distribution": stiff(0.2, 0.7, length=length)} | path)
        for length in (None, mm.muscle_lengths(even, Q)[0])
    )
    np.testing.assert_allclose(*(mm.muscle_points(m, [0, 0])[0] for m in (at_rest, even)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(*(mm.muscle_points(m, Q)[0] for m in (at_q, even)), rtol=0, atol=1e-14)
    assert np.abs(mm.muscle_points(at_rest, Q)[0] - mm.muscle_points(even, Q)[0]).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_the_length_at_rest_is_that_of_the_path(kind):
    """Found as plain Python while the spec is compiled, whatever the joints and surfaces."""
    model, _ = muscled_tree(13, kind, distributions=[stiff(0.1, 0.7)])
    tendons = model.muscles.table[["proximal", "distal"]].tolist()[0]
    length = mm.muscle_lengths(model, np.zeros(model.ndof))[0]
    assert tendons == pytest.approx((0.1 * length, 0.3 * length), rel=1e-12)


@fast
def test_inertia_of_a_straight_muscle_is_that_of_its_excursion_and_its_turning():
    """m (h^2/3 + (r^2 - h^2) (a^2 + a b + b^2)/3) at a hinge, r and h the insertion's distance and the moment arm."""
    a, b, r = 0.1, 0.5, np.hypot(0.3, 0.2)
    spec = mm.Spec()
    spec.add_body("bar", None, mm.Revolute((0, 0, 1)), inertia=mm.Inertia.cuboid((1, 1, 1), mass=1.0))
    spec.add_muscle(
        "m", 2.0, [(None, (-1.0, 0.2, 0)), ("bar", (0.3, 0.2, 0))], distribution=stiff(a, b, continuous=True)
    )
    model = spec.compile()
    h = mm.moment_arms(model, [0.0])[0, 0]
    expected = 2.0 * (h**2 / 3 + (r**2 - h**2) * (a * a + a * b + b * b) / 3)
    assert mm.muscle_inertia(model, [0.0])[0, 0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("kind", ["points", "moving", "Cylinder", "Sphere"])
@pytest.mark.parametrize("blend", [False, True])
def test_bias_forces_are_lagranges(kind, blend):
    """d/dt dT/dqdot - dT/dq at qddot = 0, from the kinetic energy alone: its slopes by complex steps."""
    if blend and kind in ("points", "moving"):
        pytest.skip("nothing to blend")
    even = [mm.Belly(0.1, 0.95, continuous=True)]
    model, (q, qdot, _) = muscled_tree(10, kind, n=3, blend=blend, distributions=even + TENDONS)
    n = model.ndof
    dM = np.array([np.imag(mm.mass_matrix(model, q + 1j * STEP * np.eye(n)[k])) / STEP for k in range(n)])
    Mdot = np.einsum("kij,k->ij", dM, qdot)
    expected = Mdot @ qdot - 0.5 * np.einsum("kij,i,j->k", dM, qdot, qdot) + mm.dynamics.gravity_forces(model, q)
    bias = mm.dynamics.bias_forces(model, q, qdot)
    np.testing.assert_allclose(bias, expected, rtol=0, atol=1e-11 * np.abs(bias).max())


def spread(traj):
    """Change of energy, as a part of the largest kinetic energy."""
    return np.ptp(traj.kinetic + traj.potential) / traj.kinetic.max()


@pytest.mark.parametrize(
    "muscle",
    [
        ACROSS | {"distribution": stiff(0.1, 0.6)},
        OVER | {"distribution": stiff(0.1, 0.6), "smoothing": 0.05},
        ACROSS | {"distribution": stiff(0.1, 0.6, continuous=True)},
        THROUGH | {"distribution": stiff(0.1, 0.6, continuous=True)},
        OVER | {"distribution": stiff(0.1, 0.6, continuous=True), "smoothing": 0.05},
    ],
    ids=["points", "points over a cylinder", "spread", "spread through points", "spread over a cylinder"],
)
def test_energy_over_seconds(muscle):
    traj = mm.simulate(pendulum({"mass": 1.0} | muscle), q=START, duration=3.0, **TIGHT)
    assert traj.ended == "completed" and spread(traj) < 1e-9


def test_a_free_mechanism_keeps_its_momenta():
    spec = mm.Spec(gravity=(0, 0, 0))
    box = mm.Inertia.cuboid((0.2, 0.3, 0.6), mass=2.0)
    spec.add_body("a", None, mm.Free3D("TR"), inertia=box)
    spec.add_body("b", "a", mm.SphericalExp(), mm.translation(0, 0, 0.5), mm.translation(0, 0, 0.4), box)
    points = [("a", (0.3, 0, 0)), ("b", (0.2, 0.1, -0.3)), ("b", (0.1, 0, 0.2))]
    spec.add_muscle("m", 1.5, points, distribution=stiff(0.1, 0.8, continuous=True), tension=20.0)
    model, rng = spec.compile(), np.random.default_rng(0)
    q, qdot = 0.3 * rng.normal(size=(2, model.ndof))
    traj = mm.simulate(model, q=q, qdot=qdot, duration=0.5, rtol=1e-10, atol=1e-12)
    first, last = (mm.momentum(model, traj.q[i], traj.qdot[i]) for i in (0, -1))
    np.testing.assert_allclose(last.linear, first.linear, atol=1e-8)
    np.testing.assert_allclose(last.angular, first.angular, atol=1e-8)
    assert np.ptp(traj.kinetic + traj.potential) < 1e-7 * traj.energy_exchanged


def test_a_network_places_a_belly_too():
    """Near where the exact path has it, with exact Jacobians, and energy is kept at every instant."""
    own = {"mass": 1.0, "distribution": stiff(0.1, 0.6)} | OVER
    model, exact = (pendulum(own | {"smoothing": smoothing}) for smoothing in ("network", "none"))
    q, qdot = np.array([0.3, 1.4]), np.array([0.7, -1.1])
    x = mm.muscle_points(model, q)[0]
    assert 0 < np.abs(x - mm.muscle_points(exact, q)[0]).max() < 5e-3
    J = [np.imag(mm.muscle_points(model, q + 1j * STEP * e)[0]) / STEP for e in np.eye(2)]
    np.testing.assert_allclose(mm.muscles.muscle_jacobian(model, q)[0], np.stack(J, axis=-1), atol=1e-11)
    qddot = mm.forward_dynamics(model, q, qdot)
    rate = np.imag(mm.energy(model, q + 1j * STEP * qdot, qdot + 1j * STEP * qddot).total) / STEP
    assert abs(rate) < 1e-10


def test_files_pickles_and_other_roots_keep_tendons(tmp_path):
    model = pendulum({"mass": 1.0, "distribution": stiff(0.1, 0.6, continuous=True)} | THROUGH)
    M = mm.mass_matrix(model, Q)
    traj = mm.simulate(model, q=START, duration=0.1)
    for other in (mm.Trajectory.load(traj.save(tmp_path / "run.npz")).model, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(mm.mass_matrix(other, Q), M)
    spec = mm.Spec(gravity=(0, 0, 0))
    box = mm.Inertia.cuboid((0.2, 0.3, 0.6), mass=2.0)
    spec.add_body("a", None, mm.Free3D(), inertia=box)
    spec.add_body("b", "a", mm.Revolute((0, 1, 0)), mm.translation(0, 0, 0.5), mm.translation(0, 0, 0.4), box)
    spec.add_muscle("m", 1.5, [("a", (0.3, 0, 0)), ("b", (0.2, 0.1, 0.3))], distribution=stiff(0.1, 0.6))
    model = spec.compile()
    state = model.state(*np.random.default_rng(3).normal(size=(2, model.ndof)))
    before = mm.energy(model, state.q, state.qdot).kinetic
    other, there = mm.reroot(model, state, "b", place=(0, 0, 0))
    assert mm.energy(other, there.q, there.qdot).kinetic == pytest.approx(before, rel=1e-11)


SHORT = {"points": [("upper", (0.1, 0, 0.3)), ("lower", (0.1, 0, 0.1))]}
ALL_FOLDED = np.array([0.0, 2.9])


def folding(mass=1.0, tension=0.0, **options):
    """A pendulum whose muscle has hardly any belly, and none at all with the knee bent."""
    belly = stiff(0.45, 0.5, **options)
    return pendulum({"mass": mass, "tension": tension, "distribution": belly} | SHORT, gravity=0.0)


NEEDS_THE_BELLY = {
    "points": lambda model: mm.muscle_points(model, ALL_FOLDED),
    "Jacobian": lambda model: mm.muscles.muscle_jacobian(model, ALL_FOLDED),
    "inertia": lambda model: mm.muscle_inertia(model, ALL_FOLDED),
    "mass matrix": lambda model: mm.mass_matrix(model, ALL_FOLDED),
    "redmax": lambda model: mm.mass_matrix(model, ALL_FOLDED, "redmax"),
    "energy": lambda model: mm.energy(model, ALL_FOLDED, QDOT),
    "inverse dynamics": lambda model: mm.inverse_dynamics(model, ALL_FOLDED, QDOT, QDOT),
    "forward dynamics": lambda model: mm.forward_dynamics(model, ALL_FOLDED, QDOT),
    "linearise": lambda model: mm.linearise(model, model.state(ALL_FOLDED, QDOT), QDOT),
    "reactions": lambda model: mm.joint_reactions(model, ALL_FOLDED, QDOT),
    "momentum": lambda model: mm.momentum(model, ALL_FOLDED, QDOT),
}


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("name", NEEDS_THE_BELLY)
def test_a_path_shorter_than_its_tendons_is_said(name, continuous):
    model = folding(continuous=continuous)
    with pytest.raises(FloatingPointError, match=r"'m0': its path is .* tendons .*: nothing is left for the belly"):
        NEEDS_THE_BELLY[name](model)


@fast
def test_lengths_and_tensions_need_no_belly():
    model = folding(mass=0.0, tension=5.0)
    assert np.isfinite(mm.muscle_lengths(model, ALL_FOLDED)).all()
    assert np.isfinite(mm.forward_dynamics(model, ALL_FOLDED, QDOT)).all()


def test_a_run_from_there_is_refused():
    with pytest.raises(ValueError, match="at the start muscle 'm0': its path is"):
        mm.simulate(folding(), q=ALL_FOLDED, duration=0.1)


@pytest.mark.parametrize(
    "how",
    [{"integrator": "rk4", "h": 1e-3}, {"integrator": "sdirk2", "h": 1e-3}, {"integrator": "euler", "h": 1e-3},
     {"integrator": "symplectic", "h": 1e-3}, {}],
    ids=lambda how: how.get("integrator", "adaptive"),
)  # fmt: skip
def test_a_run_that_gets_there_ends_with_a_sentence(how):
    with pytest.warns(RuntimeWarning, match="muscle 'm0' was .* nothing was left for its belly"):
        traj = mm.simulate(folding(), q=[0.0, 0.0], qdot=[0.0, 4.0], duration=2.0, progress=False, **how)
    assert traj.ended != "completed" and 0.0 < traj.t[-1] < 2.0
    assert np.isfinite(traj.q).all() and np.isfinite(traj.kinetic[:-1]).all()  # the last row may be beyond


@fast
@pytest.mark.parametrize(
    ("belly", "sentence"),
    [
        (mm.Belly(0.1, 0.5, tendon="stiff"), 'the belly\'s tendon "stretches" or is'),
        (mm.Belly(0.1, 0.5, length=1.0), "the belly's length is for tendon"),
        (stiff(0.1, 0.5, length=-1.0), "the belly's length is that of the path"),
        (stiff(0.1, 0.5, length="long"), "the belly's length, of the path"),
        (stiff(0.1, 0.5, length=np.nan), "the belly's length, of the path"),
    ],
)
def test_bad_bellies(belly, sentence):
    with pytest.raises(ValueError, match=f"muscle 'm0': .*{sentence}"):
        pendulum({"distribution": belly} | ACROSS)


@fast
def test_a_path_without_length_at_rest_needs_a_length():
    spec = mm.Spec()
    spec.add_body("a", None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.cuboid((1, 1, 1), mass=1.0))
    points = [(None, (0, 0, 0)), ("a", (0, 0, 0))]
    spec.add_muscle("m", 1.0, points, distribution=stiff(0.1, 0.5))
    with pytest.raises(ValueError, match="muscle 'm': its path at q = 0 is 0 m long; give the belly a length"):
        spec.compile()
