"""Compliant contacts against OpenSim's in one process: in and out of contact, sliding and sticking, all shapes.

And their derivatives by complex step, what they do at their edges, and what they refuse.
"""

import numpy as np
import pytest
from opensim_elements import frame_of, opensim_accelerations, opensim_tree, own_tree, place_in, pose_in
from trees import add_contacts, random_spec, random_state

import myomass as mm
from myomass.forces import HuntCrossley, SmoothHuntCrossley

pytestmark = pytest.mark.fast
STEP = 1e-30
MATERIAL = {"stiffness": 4e5, "dissipation": 0.8, "static_friction": 0.9, "dynamic_friction": 0.6}
MATERIAL |= {"viscous_friction": 0.3}
OTHER = {"stiffness": 2e6, "dissipation": 0.1, "static_friction": 0.7, "dynamic_friction": 0.65}
OTHER |= {"viscous_friction": 0.2}
CENTRE, RADIUS = (0.1, -0.2, 0.05), 0.3
PLANE, TURN = (0.2, -1.3, 0.1), (0.2, -0.3, 1.4)  # of the half-space, in ground
SECOND, SECOND_RADIUS = (0.3, 0.1, -0.2), 0.9


def half_space(frame):
    """The pose of OpenSim's half-space (below its x axis' back) as ours, below z = 0."""
    E = frame.copy()
    E[:3, :3] = frame[:3, :3] @ np.column_stack([(0, 1, 0), (0, 0, -1), (-1, 0, 0)])
    return E


def turned(place, angles):
    turns = zip(np.eye(3), angles, strict=True)
    E = mm.translation(*place)
    for axis, angle in turns:
        E = E @ mm.rotation(axis, angle)
    return E


PARAMETERS = "<HuntCrossleyForce::ContactParameters><geometry>{}</geometry>{}</HuntCrossleyForce::ContactParameters>"
FORCE = """<OpenSimDocument Version="40000"><HuntCrossleyForce name="contact">
<HuntCrossleyForce::ContactParametersSet name="contact_parameters"><objects>{}</objects>
</HuntCrossleyForce::ContactParametersSet><transition_velocity>0.2</transition_velocity>
</HuntCrossleyForce></OpenSimDocument>"""


def add_hunt_crossley(opensim, tree, spec, other, folder):
    """By a file, as materials cannot be given one by one in Python."""
    sets = []
    for name, material in (("ball", MATERIAL), ("other", OTHER)):
        sets.append(PARAMETERS.format(name, "".join(f"<{key}>{x}</{key}>" for key, x in material.items())))
    (folder / "force.xml").write_text(FORCE.format("".join(sets)))
    made = opensim.OpenSimObject.makeObjectFromFile(str(folder / "force.xml"))
    tree.addForce(opensim.Force.safeDownCast(made))
    both = {key: (MATERIAL[key], OTHER[key]) for key in MATERIAL}
    spec.add_force(HuntCrossley(place_in("third", CENTRE), RADIUS, **other, **both, transition_velocity=0.2))


def add_smooth(opensim, tree, spec, other, folder):
    sphere, plane = (tree.getContactGeometrySet().get(name) for name in ("ball", "other"))
    kind = opensim.SmoothSphereHalfSpaceForce
    force = kind("smooth", opensim.ContactSphere.safeDownCast(sphere), opensim.ContactHalfSpace.safeDownCast(plane))
    for key, value in MATERIAL.items():
        getattr(force, f"set_{key}")(value)
    force.set_transition_velocity(0.2)
    force.set_constant_contact_force(1e-4)
    force.set_hertz_smoothing(200.0)
    force.set_hunt_crossley_smoothing(20.0)
    tree.addForce(force)
    smoothing = {"constant_force": 1e-4, "hertz_smoothing": 200.0, "hunt_crossley_smoothing": 20.0}
    ball = place_in("third", CENTRE), RADIUS
    spec.add_force(SmoothHuntCrossley(*ball, **other, **MATERIAL, **smoothing, transition_velocity=0.2))


def geometries(opensim, tree, kind):
    """Add a ball on the third body, and what it touches; returns what is ours of that."""
    vec, body = opensim.Vec3, "ground" if kind == "half-space" else "first"
    tree.addContactGeometry(opensim.ContactSphere(RADIUS, vec(*CENTRE), frame_of(tree, "third"), "ball"))
    if kind == "sphere":
        tree.addContactGeometry(opensim.ContactSphere(SECOND_RADIUS, vec(*SECOND), frame_of(tree, body), "other"))
        return {"other": place_in(body, SECOND), "other_radius": SECOND_RADIUS}
    place = (0.1, -0.4, 0.1) if kind == "moving half-space" else PLANE
    tree.addContactGeometry(opensim.ContactHalfSpace(vec(*place), vec(*TURN), frame_of(tree, body), "other"))
    return {"other": pose_in(body, half_space(turned(place, TURN)))}


@pytest.mark.parametrize("add", [add_hunt_crossley, add_smooth])
@pytest.mark.parametrize("kind", ["half-space", "moving half-space", "sphere"])
def test_against_opensim(add, kind, tmp_path):
    """Accelerations at random states; some are in contact and some are not, some slide fast and some creep."""
    opensim = pytest.importorskip("opensim")
    if add is add_smooth and kind == "sphere":
        pytest.skip("OpenSim has no smooth contact of two spheres")
    tree, spec = opensim_tree(), own_tree()
    add(opensim, tree, spec, geometries(opensim, tree, kind), tmp_path)
    state, model, bare = tree.initSystem(), spec.compile(), own_tree().compile()
    rng, touching, slow = np.random.default_rng(1), 0, 0
    for trial in range(60):
        q, qdot = rng.uniform(-0.8, 0.8, 5), rng.normal(size=5) * (1.0, 0.03)[trial % 2]
        theirs = opensim_accelerations(tree, state, q, qdot)
        ours, free = (mm.forward_dynamics(one, q, qdot) for one in (model, bare))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * max(1.0, np.abs(theirs).max()))
        acts = np.abs(ours - free).max() > 1.0
        touching, slow = touching + acts, slow + (acts and trial % 2)
    assert 5 < touching < 55
    assert 2 < slow < touching - 2


@pytest.mark.parametrize("seed", range(6))
def test_derivatives(seed):
    spec = random_spec(seed, 6)
    add_contacts(spec, seed)
    model = spec.compile()
    q, qdot, _ = random_state(model, seed)
    assert np.count_nonzero(np.abs(mm.applied_forces(model, q, qdot)) > 1e-3) > 1
    for which, matrix in enumerate(mm.dynamics.force_derivatives(model, q, qdot)):
        expected = np.empty_like(matrix)
        for k in range(model.ndof):
            x = [q.astype(complex), qdot.astype(complex)]
            x[which][k] += 1j * STEP
            expected[:, k] = mm.applied_forces(model, *x).imag / STEP
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def ball(**options):
    """A ball of 2 kg and radius 1 m above the half-space z < 0."""
    spec = mm.Spec(gravity=options.pop("gravity", (0, 0, 0)))
    spec.add_body("ball", None, mm.Translational(), inertia=mm.Inertia.sphere(0.1, mass=2))
    kind = options.pop("kind", HuntCrossley)
    spec.add_force(kind(("ball", (0, 0, 0)), 1.0, (None, np.eye(4)), **{"stiffness": 1e4} | options))
    return spec.compile()


def test_hertz():
    """4/3 E* sqrt(R) x^(3/2) with 1/E* = 2/E of equal materials, in Simbody's reading of it; its energy is its own."""
    model = ball()
    k = 0.5 * 1e4 ** (2 / 3)
    for x in (1e-6, 0.01, 0.2):
        f = mm.applied_forces(model, [0, 0, 1 - x], [0, 0, 0])
        np.testing.assert_allclose(f, (0, 0, 4 / 3 * k**1.5 * x**1.5), rtol=1e-9, atol=0)
        slope = mm.energy(model, np.array([0, 0, 1 - x + 1j * STEP]), np.zeros(3)).potential.imag / STEP
        assert slope == pytest.approx(-f[2], rel=1e-9)


def test_a_run_comes_to_rest():
    """A ball dropped on a floor sinks in until the floor carries its weight: Hertz' law at rest. Implicit steps."""
    model = ball(gravity=(0, 0, -9.81), stiffness=1e5, dissipation=3.0, static_friction=0.5, dynamic_friction=0.4)
    run = mm.simulate(model, q=[0, 0, 1.0], qdot=[0.1, 0, 0], integrator="bdf2", h=1e-2, duration=1.0)
    k = 0.5 * 1e5 ** (2 / 3)
    sunk = (2.0 * 9.81 / (4 / 3 * k**1.5)) ** (2 / 3)
    assert run.q[-1, 2] == pytest.approx(1.0 - sunk, rel=1e-6)
    assert 0 < run.q[-1, 0] < 0.05 and np.abs(run.qdot[-1]).max() < 1e-3


def test_it_never_pulls_and_does_nothing_apart():
    model = ball(dissipation=2.0, static_friction=1.0, dynamic_friction=0.5)
    assert not mm.applied_forces(model, [0, 0, 1.0], [1, 2, -3]).any()
    assert not mm.applied_forces(model, [0, 0, 0.9], [1, 2, 5]).any()
    assert mm.applied_forces(model, [0, 0, 0.9], [0, 0, 0.1])[2] > 0


def test_friction_rises_peaks_and_falls():
    """Up to the transition velocity it grows to the static coefficient, then it falls towards the dynamic one."""
    model = ball(static_friction=0.8, dynamic_friction=0.5, transition_velocity=0.1)
    shares = []
    for speed in (0.0, 1e-12, 0.05, 0.1, 1.0, 100.0):
        f = mm.applied_forces(model, [0, 0, 0.9], [speed, 0, 0])
        shares.append(-f[0] / f[2])
    np.testing.assert_allclose(shares[:2], (0, 1e-11 * (0.5 + 0.6)), rtol=1e-9, atol=1e-20)
    assert shares[3] == pytest.approx(0.8)
    assert shares[3] > shares[4] > shares[5] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("place", [1.0, 1.0 - 1e-12, 1.0 + 1e-12])
def test_slopes_at_the_edge_are_finite(place):
    for kind in (HuntCrossley, SmoothHuntCrossley):
        model = ball(kind=kind, dissipation=1.0, static_friction=0.5, dynamic_friction=0.5)
        for matrix in mm.dynamics.force_derivatives(model, [0.0, 0, place], [0.0, 0, 0]):
            assert np.isfinite(matrix).all()


@pytest.mark.parametrize("height", [-50.0, 0.5, 60.0])
def test_smooth_contact_deep_inside_and_far_away(height):
    """Where a hyperbolic tangent of complex numbers would overflow."""
    model = ball(kind=SmoothHuntCrossley, dissipation=1.0, static_friction=0.5, dynamic_friction=0.5)
    for matrix in mm.dynamics.force_derivatives(model, [0.0, 0, height], [0.3, 0, 90.0]):
        assert np.isfinite(matrix).all()


def test_concentric_spheres_do_nothing():
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("ball", None, mm.Translational(), inertia=mm.Inertia.sphere(0.1, mass=2))
    spec.add_force(HuntCrossley(("ball", (0, 0, 0)), 1.0, (None, (0, 0, 0)), 1e4, other_radius=2.0))
    assert not mm.applied_forces(spec.compile(), np.zeros(3), np.zeros(3)).any()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"stiffness": 0.0}, "stiffness .Pa. must be finite and positive"),
        ({"stiffness": (1.0, 2.0, 3.0)}, "one number, or two"),
        ({"stiffness": 1.0, "dissipation": -1.0}, "dissipation must not be negative"),
        ({"stiffness": 1.0, "transition_velocity": 0.0}, "transition_velocity .m/s. must be finite and positive"),
        ({"stiffness": 1.0, "radius": -1.0}, "radius .m. must be finite and positive"),
        ({"stiffness": 1.0, "other": ("a", np.eye(4))}, "both sides of a contact are on 'a'"),
        ({"stiffness": 1.0, "other": (None, (0, 0, 0))}, "the half-space's pose"),
        ({"stiffness": 1.0, "other": None}, "`other` is .body, place."),
        ({"stiffness": np.nan}, "stiffness"),
    ],
)
def test_refused(options, told):
    spec = mm.Spec()
    spec.add_body("a", inertia=mm.Inertia.sphere(0.1, mass=1))
    given = {"sphere": ("a", (0, 0, 0)), "radius": 0.1, "other": (None, np.eye(4))} | options
    spec.add_force(HuntCrossley(**given), "contact")
    with pytest.raises((ValueError, TypeError), match=f"(?s)force 'contact': .*{told}"):
        spec.compile()
