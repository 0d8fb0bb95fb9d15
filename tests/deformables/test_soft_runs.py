"""Runs of models with soft bodies: every method, its order, its solves, constraints and muscles."""

import numpy as np
import pytest
from scipy.optimize import root
from scipy.sparse.linalg import splu
from soft_models import deformables, fleshy_tree, limb, state_of

import myomass as mm

ORDERS = {"euler": 1, "bdf1": 1, "bdf2": 2, "sdirk2": 2, "semi-implicit": 1, "rk4": 4}
LONGEST = {"semi-implicit": 2e-4, "rk4": 4e-4}


@pytest.fixture(scope="module")
def swing():
    """A model and a start from which it swings smoothly."""
    model = limb(joint=mm.Revolute((0, 1, 0)), stiffness_damping=0.002).compile()
    q, qdot = np.zeros((2, model.ndof))
    qdot[:2] = 0.5, -1.0
    return model, mm.simulate(model, q=q, qdot=qdot, integrator="rk4", h=1e-4, duration=0.05).state


@pytest.mark.parametrize("method", ORDERS)
def test_methods_converge_with_their_order(swing, method):
    model, start = swing
    exact = mm.simulate(model, state=start, duration=0.02, rtol=1e-12, atol=1e-13).q[-1]
    h = LONGEST.get(method, 1e-3)
    off = []
    for steps in (h, h / 2, h / 4):
        run = mm.simulate(model, state=start, duration=0.02, integrator=method, h=steps)
        off.append(np.abs(run.q[-1] - exact).max())
    measured = np.log2(off[-2] / off[-1])
    assert measured > ORDERS[method] - 0.25, (off, measured)


@pytest.mark.parametrize("seed", [3, 8])
def test_an_implicit_step_solves_the_dense_equations(seed):
    """BDF1's step against SciPy's solver on the residual of the whole model, derivatives by `linearise`."""
    model = fleshy_tree(seed).compile()
    q, qdot, _ = state_of(model, fast=0.1)
    h = 2e-3

    def defect(v):
        return mm.residual(model, q + h * v, v, (v - qdot) / h)

    def slope(v):
        M, D, K = mm.linearise(model, model.state(q + h * v, v), (v - qdot) / h)
        return M / h + D + h * K

    expected = root(defect, qdot, jac=slope, tol=1e-13)
    run = mm.simulate(model, q=q, qdot=qdot, integrator="bdf1", h=h, duration=h)
    size = np.abs(expected.x - qdot).max()
    np.testing.assert_allclose(run.qdot[-1], expected.x, rtol=0, atol=1e-8 * size)


@pytest.mark.parametrize("seed", [3, 8])
def test_the_linearly_implicit_step_solves_its_dense_equations(seed):
    """Euler's step by the forces' slopes as the bodies feel them; without joints these are the slopes themselves."""
    spec = fleshy_tree(seed)
    spec.bodies.clear()
    for part in spec.soft_bodies.values():
        part.attached, part.q = {None: [0, 1, 2]}, None
    model = spec.compile()
    q, qdot, _ = state_of(model, fast=0.1)
    q[:3] = 0.01
    h = 2e-3
    M = mm.mass_matrix(model, q)
    K, D = mm.dynamics.force_derivatives(model, q, qdot)
    r = mm.residual(model, q, qdot, 0 * q)
    expected = np.linalg.solve(M - h * D - h * h * K, (M - h * D) @ qdot - h * r)
    run = mm.simulate(model, q=q, qdot=qdot, integrator="euler", h=h, duration=h)
    np.testing.assert_allclose(run.qdot[-1], expected, rtol=0, atol=1e-9 * np.abs(expected - qdot).max())


@pytest.mark.parametrize(("poisson", "h"), [(0.45, 1e-2), (0.499, 1e-2), (0.4999, 1e-2), (0.4999, 2e-3)])
def test_flesh_that_keeps_its_volume_is_solved(poisson, h):
    """Euler's step and BDF1's on 3,000 tetrahedra against SciPy's sparse LU, where incomplete factors alone fail."""
    mesh = deformables.TetMesh.box((0.4, 0.1, 0.1), (20, 5, 5))
    material = deformables.CoRotated(1e4, poisson, 1000.0)
    soft = deformables.SoftBody(mesh, material, stiffness_damping=0.002, lumped=True)
    spec = mm.Spec("beam")
    spec.add_soft_body("flesh", soft, {None: mesh.nodes[:, 0] < -0.19})
    model = spec.compile()
    free = np.repeat(model.soft_bodies["flesh"].links < 0, 3)
    still = 0.0 * soft.rest
    M, D, K = (A[free][:, free] for A in (soft.mass_matrix, soft.damping(soft.rest), soft.stiffness(soft.rest, still)))
    expected = splu((M + h * D + h * h * K).tocsc()).solve(h * soft.forces(soft.rest, still).ravel()[free])
    size = np.abs(expected).max()
    run = mm.simulate(model, integrator="euler", h=h, duration=h)
    np.testing.assert_allclose(run.qdot[-1], expected, rtol=0, atol=1e-9 * size)
    run = mm.simulate(model, integrator="bdf1", h=h, duration=h)
    assert run.steps["factorisations"] < 10
    v = run.qdot[-1]
    x = run.nodes("flesh")[-1]
    left = M @ (v / h) - soft.forces(x, _spread(v, free)).ravel()[free]
    rounding = np.finfo(float).eps * (abs(K) @ np.abs(x).ravel()[free]).max()
    assert np.abs(left).max() < 1e-10 * np.abs(M @ (v / h)).max() + 8.0 * rounding


def _spread(v, free):
    """Velocities of all nodes, from those of free ones."""
    whole = np.zeros(len(free))
    whole[free] = v
    return whole.reshape(-1, 3)


def test_implicit_steps_keep_momentum():
    model = limb(gravity=(0, 0, 0), stiffness_damping=0.01).compile()
    q, qdot, _ = state_of(model)
    start = mm.momentum(model, q, qdot).linear
    for method, ratio in (("bdf1", 2), ("bdf2", 4), ("sdirk2", 4)):  # to the method's order: joints turn in a step
        off = []
        for h in (2e-5, 1e-5):
            run = mm.simulate(model, q=q, qdot=qdot, integrator=method, h=h, duration=1e-3)
            off.append(np.abs(mm.momentum(model, run.q[-1], run.qdot[-1]).linear - start).max())
        assert off[0] > 0.8 * ratio * off[1]
    floating = limb(gravity=(0, 0, 0), stiffness_damping=0.01)
    floating.bodies.clear()
    floating.soft_bodies["flesh"].attached = {}
    model = floating.compile()
    q, qdot, _ = state_of(model)
    start = mm.momentum(model, q, qdot).linear
    for method in ("euler", "bdf1", "bdf2", "sdirk2"):
        run = mm.simulate(model, q=q, qdot=qdot, integrator=method, h=1e-3, duration=0.05)
        off = [mm.momentum(model, *row).linear - start for row in zip(run.q, run.qdot, strict=True)]
        moving = model.soft_bodies["flesh"].soft.node_masses @ np.linalg.norm(qdot.reshape(-1, 3), axis=1)
        assert np.abs(off).max() < 1e-10 * moving


DRIVE = mm.Motion.sine(0.5, 4.0)


def driven(joint, **options):
    spec = limb(joint=mm.Revolute((0, 1, 0)), stiffness_damping=0.005, **options)
    if joint:
        spec.add_constraint(mm.DrivenJoint("lower", position=DRIVE))
    return spec


@pytest.mark.parametrize("method", ["euler", "bdf1", "bdf2", "sdirk2", "semi-implicit"])
def test_drives_are_followed(method):
    model = driven(True).compile()
    h = 1e-4 if method == "semi-implicit" else 1e-3
    exact = mm.simulate(model, duration=0.05, rtol=1e-9, atol=1e-11)
    off = []
    for step in (h, h / 2):
        run = mm.simulate(model, integrator=method, h=step, duration=0.05)
        np.testing.assert_allclose(run.q[:, 1], 0.5 * np.sin(4 * run.t), atol=1e-8)
        off.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert off[1] < 0.6 * off[0] < 0.01


@pytest.mark.parametrize("method", ["euler", "bdf2", "recursive"])
def test_a_loop_is_held(method):
    """A rod from the lower bone's end to a place in the world closes a loop round the flesh."""
    spec = limb(joint=mm.Revolute((0, 1, 0)), stiffness_damping=0.01)
    spec.add_constraint(mm.constraints.Distance(("lower", (0.1, 0, 0)), (None, (0.3, 0, 0.2)), 0.2))
    model = spec.compile()
    options = {} if method == "recursive" else {"h": 1e-3}
    run = mm.simulate(model, integrator=method, duration=0.1, **options)
    end = run.poses[:, model.body("lower")] @ np.array([0.1, 0, 0, 1])
    np.testing.assert_allclose(np.linalg.norm(end[:, :3] - [0.3, 0, 0.2], axis=1), 0.2, atol=1e-8)


def test_handles_are_taken_hold_of():
    """A spring from a node to the world, a muscle with mass from a node to a bone, a node that is driven."""
    spec = limb(joint=mm.Fixed(), handles=[0, 44], stiffness_damping=0.01)
    spec.add_force(mm.PointSpring(("flesh.0", (0, 0, 0)), (None, (-0.2, 0, 0)), stiffness=50.0, damping=1.0))
    spec.add_muscle("tie", 0.05, [("flesh.44", (0, 0, 0)), ("lower", (0, 0, 0.05))], tension=2.0)
    rest = mm.translation(*spec.soft_bodies["flesh"].soft.rest[0])
    along = [((0, 1, 0), mm.Motion.sine(0.01, 20.0))]
    spec.add_constraint(mm.DrivenPoint(("flesh.0", (0, 0, 0)), along, relative_to=(None, rest)))
    model = spec.compile()
    assert "flesh.44" in model.names
    exact = mm.simulate(model, duration=0.02, rtol=1e-9, atol=1e-11)
    for method in ("bdf2", "sdirk2"):
        off = []
        for h in (1e-3, 5e-4):
            run = mm.simulate(model, integrator=method, h=h, duration=0.02)
            off.append(np.abs(run.q[-1] - exact.q[-1]).max())
        assert off[1] < 0.35 * off[0] < 1e-3
    q = exact.q[-1]
    place = mm.node_places(model, q, "flesh")[44]
    np.testing.assert_allclose(mm.forward_kinematics(model, q)[model.body("flesh.44"), :3, 3], place, atol=1e-15)


def test_muscles_with_states_run_beside():
    spec = limb(joint=mm.Fixed(), stiffness_damping=0.01)
    points = [("upper", (-0.05, 0, 0.03)), ("lower", (0.02, 0, 0.03))]
    hill = mm.Hill(optimal_force=30.0, optimal_fibre_length=0.1, tendon_slack_length=0.06)
    spec.add_muscle("biceps", 0.05, points, actuator=hill)
    model = spec.compile()
    runs = [mm.simulate(model, integrator="bdf2", h=h, duration=0.02, excitation=1.0) for h in (1e-3, 5e-4, 2.5e-4)]
    exact = mm.simulate(model, duration=0.02, rtol=1e-9, atol=1e-11, excitation=1.0)
    off = [np.abs(run.q[-1] - exact.q[-1]).max() for run in runs]
    assert off[2] < 0.35 * off[1] < 0.2 * off[0] < 1e-3, off


def test_inverted_and_crushed_starts_recover():
    """Stable neo-Hookean flesh comes back from random places of its nodes, with no step that is not finite."""
    mesh = deformables.TetMesh.box((0.1, 0.1, 0.1), (2, 2, 2))
    soft = deformables.SoftBody(
        mesh, deformables.StableNeoHookean(1e4, 0.4, 1000.0), stiffness_damping=0.05, mass_damping=5.0
    )
    spec = mm.Spec("crushed", gravity=(0, 0, 0))
    spec.add_soft_body("cube", soft, {None: mesh.nodes[:, 2] < -0.04})
    model = spec.compile()
    rest = mesh.nodes[model.soft_bodies["cube"].links < 0]
    starts = {
        "flat": -rest * (0, 1, 0),
        "a point": 0.01 - rest,
        "inverted": -0.5 * rest * (1, 0, 0),
        "at random": 0.02 * np.random.default_rng(0).normal(size=rest.shape),
    }
    for name, moved in starts.items():
        run = mm.simulate(model, q=moved.ravel(), integrator="bdf1", h=5e-3, duration=5.0)
        assert run.ended == "completed" and np.isfinite(run.q).all(), name
        assert np.abs(run.q[-1]).max() < 1e-3, name


@pytest.mark.parametrize("options", [{"integrator": "bdf2", "h": 1e-3}, {}])
def test_runs_of_several_models_know_their_nodes(options, tmp_path):
    """Weight changes its direction where the elbow is bent enough; nodes of all rows, and those of each model's."""
    model, other = (limb(joint=mm.Fixed(), gravity=(0, 0, g)).compile() for g in (-9.81, 9.81))
    bend = mm.Event(lambda state, now: state.q[0] - 0.02 if now is model else 1.0, lambda state: (other, state))
    run = mm.simulate(model, duration=0.2, events=[bend], **options)
    assert [now for _, now in run.switches] == [other]
    run.save(tmp_path / "run.npz")
    run = mm.Trajectory.load(tmp_path / "run.npz")
    for quantity in ("nodes", "surface", "surface_strain"):
        found = [getattr(piece, quantity)("flesh") for piece in run.pieces]
        np.testing.assert_array_equal(getattr(run, quantity)("flesh"), np.concatenate(found))
    for row in (0, -1):
        places = mm.node_places(run.model_at(row), run.q[row], "flesh")
        np.testing.assert_allclose(run.nodes("flesh")[row], places, atol=1e-15)


@pytest.mark.parametrize("method", ["symplectic", "redmax", "maximal"])
def test_methods_that_cannot_say_so(swing, method):
    with pytest.raises(ValueError, match=f"'{method}' moves no soft bodies; these do: .*bdf1"):
        mm.simulate(swing[0], integrator=method, h=1e-3, duration=0.01)


def test_stops_and_contacts_are_refused_where_they_cannot_be_held():
    spec = limb(joint=mm.Revolute((0, 1, 0)))
    spec.add_constraint(mm.JointStop("lower", upper=1.0))
    model = spec.compile()
    with pytest.raises(ValueError, match=r"'euler' holds no stops.*take 'semi-implicit'"):
        mm.simulate(model, integrator="euler", h=1e-3, duration=0.01)
    q, qdot = np.zeros((2, model.ndof))
    qdot[1] = 20.0
    run = mm.simulate(model, q=q, qdot=qdot, integrator="semi-implicit", h=1e-4, duration=0.1)
    assert run.q[:, 1].max() < 1.0 + 1e-6


def test_what_knows_joints_alone_says_so(swing):
    model = swing[0]
    q = np.zeros(model.ndof)
    state = model.state()
    asked = {
        "dense": lambda: mm.forward_dynamics(model, q, q, method="redmax"),
        "mass": lambda: mm.mass_matrix(model, q, method="redmax"),
        "tensors": lambda: mm.inverse_dynamics(model, q, q, q, method="balafoutis-patel"),
        "gradient": lambda: mm.value_and_grad(model, mm.tasks.Effort(), integrator="bdf1", h=1e-3, duration=2e-3),
        "reroot": lambda: mm.reroot(model, state, "lower"),
        "spec": lambda: limb().reroot("lower"),
    }
    for ask in asked.values():
        with pytest.raises(ValueError, match="soft bodies"):
            ask()


def test_a_spinning_body_keeps_momentum_and_energy():
    """Free flesh that spins and wobbles, without damping, at a tight tolerance."""
    mesh = deformables.TetMesh.box((0.2, 0.1, 0.06), (3, 2, 1))
    soft = deformables.SoftBody(mesh, deformables.StableNeoHookean(2e4, 0.4, 1000.0))
    spec = mm.Spec("spinning", gravity=(0, 0, 0))
    spec.add_soft_body("flesh", soft)
    model = spec.compile()
    spin = np.array([3.0, -2.0, 8.0])
    qdot = np.cross(spin, mesh.nodes).ravel() + 0.1
    run = mm.simulate(model, qdot=qdot, duration=0.3, rtol=1e-11, atol=1e-13)
    assert run.energy_drift < 1e-8
    first, last = (mm.momentum(model, run.q[i], run.qdot[i]) for i in (0, -1))
    np.testing.assert_allclose(last.linear, first.linear, rtol=0, atol=1e-8 * np.linalg.norm(first.linear))
    np.testing.assert_allclose(last.angular, first.angular, rtol=0, atol=1e-8 * np.linalg.norm(first.angular))
    assert run.surface_strain("flesh").max() > 1e-3
