"""Rows of every kind on random trees: their Jacobian, their bias, and the motion under them, against differences."""

import numpy as np
import pytest
from trees import random_frame, random_spec, random_state

import myomass as mm
from myomass.constraints.dispatch import FORMULAS
from myomass.model.elements import FRICTION

pytestmark = pytest.mark.fast
KINDS = ["revolute", "prismatic", "universal", "spherical-exp", "free-2d", "inverse-universal", "planar", "composite"]


def closed(spec, q, a, b, rng):
    """Frames on bodies a and b (None: the world) that are one at q."""
    E = mm.forward_kinematics(spec.compile(), q)
    names = list(spec.bodies)
    E_w = random_frame(rng)
    return [(body, E_w if body is None else mm.se3.inverse(E[names.index(body)]) @ E_w) for body in (a, b)]


def single_dof_bodies(spec):
    return [name for name, body in spec.bodies.items() if body.joint.ndof == 1]


def bound_model(seed, *constraints, n=7):
    """A tree with the constraints of these makers, holding at the state returned."""
    spec, rng = random_spec(seed, n, KINDS), np.random.default_rng(seed)
    q, qdot, _ = random_state(spec.compile(), seed)
    for make in constraints:
        spec.add_constraint(make(spec, q, rng))
    model = spec.compile()
    return model, q, mm.dynamics.assemble(model, q, qdot, t=0.3).qdot


def loop(kind):
    def make(spec, q, rng):
        a, b = rng.choice(list(spec.bodies), 2, replace=False)
        return mm.Loop(*closed(spec, q, a, b if rng.uniform() < 0.7 else None, rng), kind)

    return make


def coupling(spec, q, rng):
    model = spec.compile()
    a, b = rng.choice([name for name in spec.bodies if spec.bodies[name].joint.ndof], 2, replace=False)
    x, y = q[model.dof(a).start], q[model.dof(b).start]
    return mm.Coupling(a, b, (y - 0.5 * x - 0.3 * x**2, 0.5, 0.3))


def following(spec, q, rng):
    model = spec.compile()
    a, b = rng.choice([name for name in spec.bodies if spec.bodies[name].joint.ndof], 2, replace=False)
    x, y = q[model.dof(a).start], q[model.dof(b).start]
    return mm.Coupling(a, b, mm.Motion.of(lambda s: y + np.sin(2.0 * (s - x)), x - 2.0, x + 2.3))  # no break at x


def distance(spec, q, rng):
    """From body to body, or to the world."""
    a, b = rng.choice(list(spec.bodies), 2, replace=False)
    ends = [(a, rng.normal(size=3)), (b if rng.uniform() < 0.7 else None, rng.normal(size=3))]
    model = spec.compile()
    E = mm.forward_kinematics(model, q)
    x = [p if body is None else (E[model.body(body)] @ [*p, 1.0])[:3] for body, p in ends]
    return mm.constraints.Distance(*ends, np.linalg.norm(x[0] - x[1]))


def driven_joint(level):
    def make(spec, q, rng):
        model = spec.compile()
        body = rng.choice([name for name in spec.bodies if spec.bodies[name].joint.ndof])
        start = q[model.dof(body).start]
        motion = {
            "position": mm.Motion.of(lambda t: start + np.sin(2 * (t - 0.3)), 0, 1),
            "velocity": mm.Motion.of(lambda t: np.sin(2 * t), 0, 1),
            "acceleration": mm.Motion.of(lambda t: np.cos(3 * t), 0, 1),
        }[level]
        return mm.DrivenJoint(body, **{level: motion})

    return make


def driven_body(spec, q, rng):
    return mm.DrivenBody(str(rng.choice(list(spec.bodies))), {1: mm.Motion.of(np.sin, 0, 1), 3: 0.2})


def driven_point(level):
    def make(spec, q, rng):
        a, b = rng.choice(list(spec.bodies), 2, replace=False)
        frames = closed(spec, q, a, b, rng)
        along = [((1, 2, -1), mm.Motion.of(lambda t: 0.5 * (t - 0.3) ** 2, 0, 1))]
        return mm.DrivenPoint((a, frames[0][1][:3, 3]), along, level, relative_to=frames[1])

    return make


def stop(spec, q, rng):
    return mm.JointStop(single_dof_bodies(spec)[0], -9, 9)


def contact(shape):
    def make(spec, q, rng):
        a, b = rng.choice(list(spec.bodies), 2, replace=False)
        capsule = mm.Capsule(a, 0.1, rng.normal(size=3), rng.normal(size=3))
        if shape == "plane":
            return mm.Contact(capsule, mm.Plane((b, random_frame(rng))), friction=0.5)
        other = mm.Capsule(b, 0.2, rng.normal(size=3), rng.normal(size=3)) if shape == "capsule" else mm.Sphere(b, 0.2)
        return mm.Contact(capsule, other, friction=0.5)

    return make


def friction(spec, q, rng):
    """In a ball joint: rows of relative angular velocity."""
    spec.add_body("ball", str(rng.choice(list(spec.bodies))), mm.SphericalExp(), inertia=mm.Inertia.sphere(0.1, mass=1))
    return mm.JointFriction("ball", 0.5, radius=0.1)


MAKERS = {
    **{kind: loop(kind) for kind in ("pin", "ball", "hinge", "weld")},
    "coupling": coupling,
    "following": following,
    "distance": distance,
    **{f"driven {level}": driven_joint(level) for level in ("position", "velocity", "acceleration")},
    "driven body": driven_body,
    **{f"point {level}": driven_point(level) for level in ("position", "velocity")},
    "stop": stop,
    **{f"contact {shape}": contact(shape) for shape in ("plane", "sphere", "capsule")},
}
HOLONOMIC = [name for name in MAKERS if "velocity" not in name and "acceleration" not in name and name != "driven body"]
EQUALITIES = [name for name in MAKERS if name != "stop" and "contact" not in name]


def moved(model, state, h, t=0.3):
    """g and dg/dt a little further along q + h qdot + h^2 qddot/2."""
    q, qdot, qddot = state
    return mm.dynamics.constraint_values(model, q + h * qdot + 0.5 * h * h * qddot, qdot + h * qddot, t=t + h)


def test_every_formula_is_tested_here():
    used = set()
    for make in (*MAKERS.values(),):
        used |= {int(kind) for kind in bound_model(0, make)[0].constraints.table["kind"]}
    spec = random_spec(1, 3, KINDS)
    spec.add_constraint(friction(spec, None, np.random.default_rng(0)))
    used |= {int(kind) for kind in spec.compile().constraints.table["kind"]}
    names = {formula.kernel.__name__ for kind, formula in enumerate(FORMULAS) if kind not in used}
    assert names == {"coordinate", "held"}  # dq/dt itself; and see tests/run/test_maximal_stepper.py


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", range(4))
class TestRows:
    def test_jacobian_and_speed(self, name, seed):
        """dg/dt = G qdot + rate, and where a row has a value, its rate of change."""
        model, q, qdot = bound_model(seed, MAKERS[name])
        speed = mm.dynamics.constraint_values(model, q, qdot, t=0.3)[1]
        rate = mm.dynamics.constraint_values(model, q, None, t=0.3)[1]
        G = mm.dynamics.constraint_jacobian(model, q, t=0.3)
        np.testing.assert_allclose(speed, G @ qdot + rate, atol=1e-12 * max(1, np.abs(G).max() * np.abs(qdot).max()))
        if name in HOLONOMIC:
            h = 1e-5
            ahead, behind = (moved(model, (q, qdot, 0 * q), s)[0] for s in (h, -h))
            valued = model.constraints.levels != FRICTION
            np.testing.assert_allclose(((ahead - behind) / (2 * h))[valued], speed[valued], rtol=1e-6, atol=1e-7)

    def test_accelerations(self, name, seed):
        """What the solver believes of d^2g/dt^2 at any qddot, against differences of dg/dt."""
        from myomass.dynamics.system import system_of
        from myomass.dynamics.touching import whitened_at

        model, q, qdot = bound_model(seed, MAKERS[name])
        space, missing, qddot = model.workspace, np.empty(len(model.constraints)), np.empty(model.ndof)
        given = 0.3, q, qdot, space.zeros, space.no_wrenches, space.none_prescribed
        whitened_at(system_of(space).handle, *given, space.rounding, qddot, missing)
        h = 1e-5
        ahead, behind = (moved(model, (q, qdot, qddot), s)[1] for s in (h, -h))
        scale = max(1.0, np.abs(missing).max())
        np.testing.assert_allclose((ahead - behind) / (2 * h), -missing, rtol=1e-5, atol=1e-5 * scale)


@pytest.mark.parametrize("name", EQUALITIES)
@pytest.mark.parametrize("seed", range(3))
def test_motion_satisfies_rows_and_equations(name, seed):
    """M qddot + C - f = G^T lam, and d^2g/dt^2 = 0; by the recursion and by the dense form."""
    model, q, qdot = bound_model(seed, MAKERS[name])
    tau = np.random.default_rng(seed).normal(size=model.ndof)
    qddot = mm.forward_dynamics(model, q, qdot, tau, t=0.3)
    forces = mm.constraint_forces(model, q, qdot, tau, t=0.3)
    scale = max(1.0, np.abs(qddot).max())
    np.testing.assert_allclose(
        mm.residual(model, q, qdot, qddot, tau, t=0.3), forces.generalized, atol=1e-8 * scale * len(q)
    )
    h = 1e-5
    ahead, behind = (moved(model, (q, qdot, qddot), s)[1] for s in (h, -h))
    np.testing.assert_allclose((ahead - behind) / (2 * h), 0, atol=1e-5 * scale)
    dense = mm.forward_dynamics(model, q, qdot, tau, "redmax", t=0.3)
    np.testing.assert_allclose(dense, qddot, atol=1e-7 * scale)


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5])  # the rows of tree 1 depend on each other
def test_several_at_once_against_a_dense_saddle_point(seed):
    model, q, qdot = bound_model(seed, MAKERS["ball"], MAKERS["coupling"], n=12)
    G, rate = mm.dynamics.constraint_jacobian(model, q), 0.0
    M, C = mm.mass_matrix(model, q), mm.dynamics.bias_forces(model, q, qdot)
    h = 1e-6
    bias = (moved(model, (q, qdot, 0 * q), h)[1] - moved(model, (q, qdot, 0 * q), -h)[1]) / (2 * h)
    saddle = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    answer = np.linalg.solve(saddle, np.concatenate([-C, -bias - rate]))
    got = mm.forward_dynamics(model, q, qdot)
    np.testing.assert_allclose(got, answer[: len(q)], rtol=1e-5, atol=1e-5 * np.abs(got).max())
    forces = mm.constraint_forces(model, q, qdot)
    np.testing.assert_allclose(
        mm.algorithms.jacobian_transpose_product(model, q, forces.wrenches.ravel()) + _on_coordinates(model, q, forces),
        forces.generalized,
        atol=1e-9 * np.abs(forces.generalized).max(),
    )


def _on_coordinates(model, q, forces):
    G = mm.dynamics.constraint_jacobian(model, q)
    rows = [name.startswith("Coupling") for name in model.constraints.names]
    return G[rows].T @ forces.multipliers[rows]
