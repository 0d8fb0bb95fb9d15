"""Mass that networks place: against JAX, exact paths, energies, symmetries; ranges and what is said of them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from mechanisms import ACROSS, knee_cylinder, pendulum

import myomass as mm
from myomass.muscles.network.evaluation import errors_on
from myomass.muscles.network.sampling import SUBJECTS, draw_samples
from myomass.muscles.network.table import GATE, WEIGHTS
from myomass.muscles.network.trained import Weights
from myomass.muscles.wrapping.dispatch import SURFACES

R = 0.1  # radius [m]
FRACTIONS = (0.1, 0.35, 0.5, 0.8)
START = np.array([0.5, -0.3])
TIGHT = {"integrator": "redmax", "rtol": 1e-10, "atol": 1e-12}


def surfaces(E=None, scale=1.0, side=None):
    """One of each that has a network."""
    r = scale * R
    return {
        "Cylinder": mm.wrap.Cylinder(None, E, radius=r, side=side),
        "Sphere": mm.wrap.Sphere(None, E, radius=r, side=side),
        "CappedCylinder": mm.wrap.CappedCylinder(None, E, radius=r, length=3 * r, side=side),
    }


def ends_of(kind, touching=True):
    """Two ends [m] in the surface's frame, whose chord passes through it or past it by a twentieth of its radius."""
    a, b = np.array([-0.21, 0.05, 0.03]), np.array([0.17, 0.04, -0.08])
    seen = np.array([1.0, 1.0, kind == "Sphere"])  # across the axis, or in space
    chord = a + np.linspace(0, 1, 1001)[:, None] * (b - a)
    shifts = (np.array([0, 0.001 * k, 0]) for k in range(100))
    past = next(shift for shift in shifts if np.linalg.norm((chord + shift) * seen, axis=1).min() > 1.05 * R)
    return (a, b) if touching else (a + past, b + past)


def two_points(surface, a, b, quiet=False):
    """Two bodies that move freely in space, ends of a muscle over a fixed surface; q = 0 puts them at a and b."""
    spec = mm.Spec(name="two points", gravity=(0, 0, 0))
    for name, place in (("a", a), ("b", b)):
        slides = mm.Composite(*(mm.Prismatic(axis) for axis in np.eye(3)))
        spec.add_body(name, None, slides, mm.translation(*place), inertia=mm.Inertia.sphere(0.01, mass=1.0))
    points = [("a", (0, 0, 0)), ("b", (0, 0, 0))]
    smoothing = mm.Network(outside="ignore" if quiet else "error")
    spec.add_muscle("m", 1.0, points, [surface], distribution=mm.Lumps(FRACTIONS), smoothing=smoothing)
    return spec.compile()


def in_jax(kind, a, b, xi):
    """x_alpha in JAX, from the ends alone: written from the formulas of the docs, not from the kernels."""
    import jax.numpy as jnp

    made, own = surfaces()[kind], Weights.load(type(surfaces()[kind]).shipped)

    def step(x):
        x = jnp.clip(x, 0.0, 1.0)
        return x**3 * (10 - 15 * x + 6 * x * x)

    def squash(x):
        return x / jnp.sqrt(1 + x * x)

    def network(inputs):
        h = (jnp.stack(inputs) - own.centre) / own.spread
        for matrix, offsets in own.layers[:-1]:
            h = jnp.tanh(h @ matrix.astype(float) + offsets.astype(float))
        return h @ own.layers[-1][0].astype(float) + own.layers[-1][1].astype(float)

    chord = b - a
    length = jnp.linalg.norm(chord)
    if kind == "CappedCylinder":
        half = 0.5 * made.length / R
        flat = chord.at[2].set(0.0)
        width = jnp.linalg.norm(flat)
        e1 = flat / width
        e2 = jnp.array([e1[1], -e1[0], 0.0])
        e2 = e2 * jnp.sign(a @ e2)
        places = a + jnp.linspace(0, 1, 200_001)[:, None] * chord
        nearest = jnp.argmin(jnp.hypot(jnp.hypot(*places[:, :2].T), jnp.maximum(jnp.abs(places[:, 2]) - half * R, 0)))
        assert abs(places[nearest, 2]) < half * R  # so that the distance is that of two lines
        x, y, w, z_a, z_b = a @ e1 / R, a @ e2 / R, width / R, a[2] / R, b[2] / R
        gate = step(1 + (1 - jnp.abs(y)) / GATE) * step(w / 0.3)
        marks = [x + xi * w, z_a - half + xi * (z_b - z_a), z_a + half + xi * (z_b - z_a)]
        marks += [z_a - half, z_a + half, z_b - half, z_b + half]
        N = network([x, w, y, z_a, z_b, half, y * y, xi, *map(squash, marks)])
        bulge = N[0] * e1 + N[1] * e2 + N[2] * jnp.array([0.0, 0.0, 1.0])
    else:
        p, q = (a, b) if kind == "Sphere" else (a.at[2].set(0.0), b.at[2].set(0.0))
        axis = jnp.cross(p, q)
        axis = axis / jnp.linalg.norm(axis)
        rho_a, rho_b = jnp.linalg.norm(p) / R, jnp.linalg.norm(q) / R
        length = jnp.linalg.norm(q - p)
        e1 = (q - p) / length
        delta = jnp.arccos(p @ q / (rho_a * rho_b * R * R))
        beta_a, beta_b = jnp.arccos(1 / rho_a), jnp.arccos(1 / rho_b)
        theta, l_a, l_b = delta - beta_a - beta_b, jnp.sqrt(rho_a**2 - 1), jnp.sqrt(rho_b**2 - 1)
        gate = step(1 + theta / GATE)
        along = xi * (l_a + theta + l_b) - l_a
        N = network([beta_a, beta_b, delta, xi, squash(along), squash(along - theta)])
        bulge = N[0] * e1 + N[1] * jnp.cross(e1, axis)
    return a + xi * chord + gate * length * xi * (1 - xi) * bulge


@pytest.mark.parametrize("touching", [True, False], ids=["touching", "near"])
@pytest.mark.parametrize("kind", surfaces())
def test_places_and_both_derivatives_are_those_of_jax(kind, touching):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    try:
        a, b = ends_of(kind, touching)
        model, rng = two_points(surfaces()[kind], a, b), np.random.default_rng(1)
        q, qdot = 0.01 * rng.normal(size=6), rng.normal(size=6)
        x, J = mm.muscle_points(model, q)[0], mm.muscles.muscle_jacobian(model, q)[0]
        assert (np.abs(x - straight(a + q[:3], b + q[3:])).max() > 1e-3) or not touching
        force = 0.0
        for i, xi in enumerate(FRACTIONS):

            def place(ends, xi=xi):
                return in_jax(kind, a + ends[:3], b + ends[3:], xi)

            np.testing.assert_allclose(x[i], place(jax.numpy.array(q)), atol=1e-12)
            slope = np.asarray(jax.jacfwd(place)(jax.numpy.array(q)))
            np.testing.assert_allclose(J[i], slope, atol=1e-9)
            bend = np.einsum("ijk,j,k->i", np.asarray(jax.hessian(place)(jax.numpy.array(q))), qdot, qdot)
            force = force + slope.T @ bend / len(FRACTIONS)
        needed = mm.inverse_dynamics(model, q, qdot, np.zeros(6))
        assert np.abs(force).max() > 1e-3  # the gate is open
        np.testing.assert_allclose(needed, force, atol=1e-6 * np.abs(force).max())
    finally:
        jax.config.update("jax_enable_x64", False)


def straight(a, b):
    """Places on the chord."""
    return a + np.array(FRACTIONS)[:, None] * (b - a)


@pytest.mark.parametrize("kind", surfaces())
def test_a_path_far_from_its_surface_is_straight_and_its_ends_are_where_they_are(kind):
    a, b = ends_of(kind)
    far = np.array([0, 0.2, 0])
    model = two_points(surfaces()[kind], a + far, b + far)
    np.testing.assert_allclose(mm.muscle_points(model, np.zeros(6))[0], straight(a + far, b + far), atol=1e-15)
    model = two_points(surfaces()[kind], a, b)
    model.muscles.lumps["alpha"][[0, -1]] = 0.0, 1.0
    x = mm.muscle_points(model, np.zeros(6))[0]
    np.testing.assert_allclose(x[[0, -1]], [a, b], atol=1e-15)


@pytest.mark.parametrize("kind", surfaces())
def test_rotation_mirror_and_scale_change_nothing(kind):
    a, b = ends_of(kind)
    x = mm.muscle_points(two_points(surfaces()[kind], a, b), np.zeros(6))[0]
    E = mm.rotation((1, 2, -1), 0.7) @ mm.translation(0.3, -0.2, 0.5)
    moved = [(E @ np.append(end, 1.0))[:3] for end in (a, b)]
    turned = mm.muscle_points(two_points(surfaces(E)[kind], *moved), np.zeros(6))[0]
    np.testing.assert_allclose(turned, (E[:3, :3] @ x.T).T + E[:3, 3], atol=1e-14)
    mirror = np.array([1.0, -1.0, 1.0])
    other = mm.muscle_points(two_points(surfaces()[kind], mirror * a, mirror * b), np.zeros(6))[0]
    np.testing.assert_allclose(other, mirror * x, atol=1e-15)
    large = mm.muscle_points(two_points(surfaces(scale=50.0)[kind], 50 * a, 50 * b), np.zeros(6))[0]
    np.testing.assert_allclose(large, 50 * x, atol=1e-12)


@pytest.mark.parametrize("name", SUBJECTS)
def test_shipped_networks_on_samples_that_they_never_saw(name):
    subject, path = SUBJECTS[name], WEIGHTS / f"{name}.npz"
    weights = Weights.load(path)
    errors = errors_on(subject, weights, draw_samples(subject, 20_000, seed=987), jacobians=2000)
    assert errors.place["mean"] < 0.002 and errors.place["p99"] < 0.01
    told = weights.about["errors"]
    assert errors.place["mean"] == pytest.approx(told["place"]["mean"], rel=0.1)
    assert errors.jacobian["mean"] == pytest.approx(told["jacobian"]["mean"], rel=0.2)
    assert all(matrix.dtype == np.float32 for matrix, _ in weights.layers)
    assert {surface.shipped for surface in SURFACES if surface.problem is subject.problem} == {path}
    assert sum(file.stat().st_size for file in WEIGHTS.iterdir()) < 5e6


def swinging(distribution="uniform", surface=None):
    muscle = {"mass": 1.0, "distribution": distribution, "wrap": [surface or knee_cylinder()], "smoothing": "network"}
    return pendulum(muscle | ACROSS)


def spread(traj):
    """Change of energy, as a part of the largest kinetic energy."""
    return np.ptp(traj.kinetic + traj.potential) / traj.kinetic.max()


def capsule():
    E = mm.translation(0, 0, -0.5) @ mm.rotation((1, 0, 0), np.pi / 2)
    return mm.wrap.CappedCylinder("upper", E, radius=0.12, length=0.3, side=(0.1, 0, 0))


@pytest.mark.parametrize("distribution", ["uniform", "continuous"])
def test_energy_of_ten_seconds_across_the_edge(distribution):
    model = swinging(distribution)
    traj = mm.simulate(model, q=START, duration=10.0, **TIGHT)
    now = np.array([mm.muscles.muscle_paths(model, q)[0].wrapped.sum() > 0 for q in traj.q])
    assert np.count_nonzero(now[1:] != now[:-1]) >= 20
    assert spread(traj) < 1e-6


def test_energy_over_a_capsule():
    model = swinging(surface=capsule())
    traj = mm.simulate(model, q=0.5 * START, duration=2.0, **TIGHT)  # within half a turn: nothing is said
    now = np.array([mm.muscles.muscle_paths(model, q)[0].wrapped.sum() > 0 for q in traj.q])
    assert np.count_nonzero(now[1:] != now[:-1]) >= 3
    assert spread(traj) < 1e-6


def test_more_than_half_a_turn_around_a_capsule_is_exact_and_said():
    model, exact = (
        swinging(surface=capsule()),
        pendulum({"mass": 1.0, "wrap": [capsule()], "smoothing": "none"} | ACROSS),
    )
    for knee in (0.8, 1.2):
        q = np.array([0.0, knee])
        assert any("from the axis, towards the way the piece turns, is -" in sentence for sentence in said(model, q))
        np.testing.assert_allclose(mm.muscle_points(model, q)[0], mm.muscle_points(exact, q)[0], atol=1e-15)


def test_drift_of_sdirk2_falls_with_the_square_of_the_step():
    steps = np.array([4e-3, 2e-3, 1e-3, 5e-4])
    drifts = [spread(mm.simulate(swinging(), q=START, duration=2.0, integrator="sdirk2", h=h)) for h in steps]
    assert 1.7 < np.polyfit(np.log(steps), np.log(drifts), 1)[0] < 2.3


def test_several_pieces_and_many_points_share_one_network():
    points = [("upper", (0.15, 0, 0.3)), ("lower", (0.15, 0.05, 0.1)), ("lower", (0.1, 0, -0.3))]
    muscle = {"mass": 1.0, "mass_points": 100, "points": points, "wrap": [knee_cylinder(), None]}
    model = pendulum(muscle | {"smoothing": "network"}, muscle | {"smoothing": "network"})
    exact, q, qdot = pendulum(muscle | {"smoothing": "none"}), np.array([0.3, 0.7]), np.array([1.0, -2.0])
    assert mm.muscles.muscle_paths(model, q)[0].wrapped.sum() > 0.01
    first, second = model.muscles.pieces["network"][[0, 3]]
    assert first == second > 0
    off = mm.muscle_points(model, q)[0] - mm.muscle_points(exact, q)[0]
    assert 0 < np.abs(off).max() < 0.003 * mm.muscle_lengths(exact, q)[0]
    np.testing.assert_array_equal(mm.muscle_lengths(model, q)[0], mm.muscle_lengths(exact, q)[0])
    np.testing.assert_array_equal(mm.moment_arms(model, q)[0], mm.moment_arms(exact, q)[0])
    qddot, step = mm.forward_dynamics(model, q, qdot), 1e-20
    rate = np.imag(mm.energy(model, q + 1j * step * qdot, qdot + 1j * step * qddot).total) / step
    assert abs(rate) < 1e-9


def said(model, q):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mm.muscle_points(model, q)
    return [str(warning.message) for warning in caught]


def test_out_of_range_is_said_with_muscle_and_value():
    muscle = {"mass": 1.0, "wrap": [knee_cylinder(radius=0.005)]} | ACROSS
    model, q = pendulum(muscle | {"smoothing": "network"}), np.array([0.0, 0.6])
    first, second = said(model, q)
    assert "muscle 'm0'" in first and "162.8 radii" in first and "between 1.02 and 20" in first
    assert "second end" in second and "85.44 radii" in second
    with pytest.warns(RuntimeWarning, match="at 0 s muscle 'm0': the distance of the piece's first end"):
        mm.simulate(model, q=q, duration=0.01, integrator="rk4", h=1e-3)
    assert not said(pendulum(muscle | {"smoothing": mm.Network(outside="ignore")}), q)
    strict = pendulum(muscle | {"smoothing": mm.Network(outside="error")})
    with pytest.raises(ValueError, match="muscle 'm0': the distance of the piece's first end"):
        mm.muscles.muscle_jacobian(strict, q)
    with pytest.raises(ValueError, match="at the start muscle 'm0'"):
        mm.simulate(strict, q=q, duration=0.01, integrator="rk4", h=1e-3)
    swung = mm.simulate(pendulum(muscle | {"smoothing": "none"}), q=[0.0, -0.2], qdot=[0, 8.0], duration=0.15)
    assert (mm.muscles.muscle_paths(swung.model, swung.q[-1])[0].wrapped > 0).any()
    with pytest.raises(ValueError, match=r"at 0\.\d+ s muscle 'm0'"):
        mm.simulate(strict, q=[0.0, -0.2], qdot=[0, 8.0], duration=0.15)


def test_a_chord_along_the_axis_is_harmless():
    for kind, place in (("Cylinder", (0.1004, 0, 0)), ("CappedCylinder", (0.15, 0, 0)), ("Sphere", (0.1004, 0, 0))):
        ends = np.array([place, place]) + [[0, 0, 0], [0, 0, 0.5]]
        x = mm.muscle_points(two_points(surfaces()[kind], *ends, quiet=True), np.zeros(6))[0]
        np.testing.assert_allclose(x, straight(*ends), atol=2e-3)


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        ([(-0.2, 0.05, 0.0), (1.0, 0.05, 0.0)], "second end along its chord, from the axis, is 10 radii"),
        ([(-0.2, 0.05, 0.75), (0.2, 0.05, -0.2)], "first end beyond the seam is 6 radii"),
        ([(-0.101, 0.0, 0.0), (0.2, 0.02, 0.0)], "first end from the surface is 0.01 radii"),
    ],
)
def test_a_capsule_knows_both_its_ends(ends, sentence):
    model = two_points(surfaces()["CappedCylinder"], *np.array(ends))
    with pytest.raises(ValueError, match=sentence):
        mm.muscle_points(model, np.zeros(6))


def test_a_muscle_without_mass_does_not_stop_a_run():
    muscle = {"tension": 1.0, "wrap": [knee_cylinder(radius=0.005)], "smoothing": mm.Network(outside="error")} | ACROSS
    mm.simulate(pendulum(muscle), q=[0.0, 0.6], duration=0.01, integrator="rk4", h=1e-3)


def test_in_range_nothing_is_said():
    model = pendulum({"mass": 1.0, "wrap": [knee_cylinder()], "smoothing": "network"} | ACROSS)
    assert not said(model, np.array([0.0, 0.6]))


def test_a_saved_model_keeps_its_network(tmp_path):
    traj = mm.simulate(swinging(), q=START, duration=0.05, integrator="rk4", h=1e-3)
    again = mm.Trajectory.load(traj.save(tmp_path / "run.npz")).model
    q = np.array([0.3, 0.7])
    np.testing.assert_array_equal(mm.muscle_points(again, q)[0], mm.muscle_points(traj.model, q)[0])


@pytest.mark.parametrize(
    ("muscle", "sentence"),
    [
        ({"smoothing": "net"}, "smoothing is one of 'none', 'blend', 'network', mm.Network"),
        ({"wrap": [mm.wrap.Torus("upper")]}, "there is no network for the surface Torus; take smoothing 'blend'"),
        ({"smoothing": mm.Network(WEIGHTS / "capsule.npz")}, "those of a capsule, and the path wraps a Cylinder"),
        (
            {"distribution": "continuous", "points": [*ACROSS["points"], ("lower", (0.1, 0, -0.3))], "wrap": None},
            "a continuous mass through more than two points cannot be smoothed by a network",
        ),
    ],
)
def test_bad_networks_get_one_sentence(muscle, sentence):
    alone = replace(Weights.load(WEIGHTS / "circle.npz"), layers=((np.zeros((6, 2)), np.zeros(2)),))
    with pytest.raises(ValueError, match="muscle 'm0': the network: the layers of the network do not fit together"):
        pendulum({"mass": 1.0, "wrap": [knee_cylinder()], "smoothing": mm.Network(alone)} | ACROSS)
    given = {"mass": 1.0, "wrap": [knee_cylinder()], "smoothing": "network"} | ACROSS | muscle
    with pytest.raises(ValueError, match=sentence):
        pendulum(given)
    with pytest.raises(ValueError, match="outside is one of 'warn', 'error', 'ignore', not 'shout'"):
        mm.Network(outside="shout")
