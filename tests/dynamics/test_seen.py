"""What can be pointed at: points of forces against their formulas, contacts against gaps, and forces that add up."""

import numpy as np
import pytest
from trees import random_frame, random_spec, random_tree

import myomass as mm

GRAVITY, MASS, RADIUS = 9.81, 2.0, 0.1
BALL = mm.Inertia.sphere(RADIUS, mass=MASS)
A, B = np.array([0.1, 0.2, -0.3]), np.array([-0.2, 0.1, 0.4])
POINTS = [("b1", A), ("b3", B), (None, (0.3, 0.4, 0.5))]


def tree_with(*forces):
    """(a random tree under these forces, a state of it)."""
    spec, rng = random_spec(7, 4, ["free-3d", "revolute", "spherical-exp"], 0.3), np.random.default_rng(8)
    for force in forces:
        spec.add_force(force)
    model = spec.compile()
    return model, rng.normal(size=model.ndof), rng.normal(size=model.ndof)


def moving(model, q, qdot, points):
    """(places, velocities) of points (body, place in its frame) by kinematics alone. (n, 3) each"""
    x, v = [], []
    for body, place in points:
        if body is None:
            x.append(place)
            v.append(np.zeros(3))
        else:
            x.append((mm.forward_kinematics(model, q)[model.body(body)] @ [*place, 1.0])[:3])
            v.append(mm.point_jacobian(model, q, body, place)[0] @ qdot)
    return np.array(x), np.array(v)


def along_line(x, v, rest, k, d):
    """Forces of a tension k e + d edot, e = l/L - 1, on the points of a line."""
    apart, rates = np.diff(x, axis=0), np.diff(v, axis=0)
    lengths = np.linalg.norm(apart, axis=1)
    directions = apart / lengths[:, None]
    strain, speed = lengths.sum() / rest - 1, (directions * rates).sum() / rest
    tension = k * strain + d * speed
    forces = np.zeros_like(x)
    forces[:-1] += tension * directions
    forces[1:] -= tension * directions
    return forces, strain, tension


class TestForcePoints:
    def test_a_point_spring(self):
        model, q, qdot = tree_with(mm.PointSpring(POINTS[0], POINTS[2], 30.0, 4.0))
        seen = mm.dynamics.force_points(model, q, qdot)
        x, v = moving(model, q, qdot, [POINTS[0], POINTS[2]])
        pull = 30.0 * (x[1] - x[0]) + 4.0 * (v[1] - v[0])
        np.testing.assert_allclose(seen.places, x, rtol=0, atol=1e-12)
        np.testing.assert_allclose(seen.forces, [pull, -pull], rtol=1e-11)

    def test_a_spring_damper_pushes_and_pulls(self):
        for rest in (0.5, 50.0):
            model, q, qdot = tree_with(mm.SpringDamper(POINTS[:2], 30.0, rest, 4.0))
            seen = mm.dynamics.force_points(model, q, qdot)
            x, v = moving(model, q, qdot, POINTS[:2])
            forces, strain, _ = along_line(x, v, rest, 30.0, 4.0)
            assert (strain > 0) == (rest == 0.5)
            np.testing.assert_allclose(seen.places, x, rtol=0, atol=1e-12)
            np.testing.assert_allclose(seen.forces, forces, rtol=1e-11)

    def test_a_cable_pulls_only(self):
        for rest in (0.5, 50.0):
            model, q, qdot = tree_with(mm.Cable(POINTS, 30.0, rest, 0.4))
            seen = mm.dynamics.force_points(model, q, qdot)
            x, v = moving(model, q, qdot, POINTS)
            forces, strain, tension = along_line(x, v, rest, 30.0, 0.4)
            np.testing.assert_allclose(seen.places, x, rtol=0, atol=1e-12)
            if strain > 0:
                assert tension > 0
                np.testing.assert_allclose(seen.forces, forces, rtol=1e-11)
            else:
                assert not seen.forces.any()

    def test_a_point_force(self):
        model, q, qdot = tree_with(mm.PointForce("b3", (1, -2, 3), B))
        seen = mm.dynamics.force_points(model, q, qdot)
        np.testing.assert_allclose(seen.places, moving(model, q, qdot, [("b3", B)])[0], rtol=0, atol=1e-12)
        np.testing.assert_array_equal(seen.forces, [(1, -2, 3)])

    @pytest.mark.parametrize("friction", [0.01, 100.0])
    def test_penalty_ground(self, friction):
        """It slides with little friction and sticks with much; a point above the ground feels nothing."""
        model, q, qdot = tree_with()
        x, v = moving(model, q, qdot, [("b2", A), ("b2", B)])
        plane = random_frame(np.random.default_rng(9))
        normal = plane[:3, 2] = plane[:3, 2] * np.sign(plane[:3, 2] @ (x[1] - x[0]))
        plane[:3, 0] = np.cross(plane[:3, 1], normal)
        plane[:3, 3] = 0.5 * (x[0] + x[1])  # the first is below
        ground = mm.Ground("b2", 500.0, 20.0, friction, 5.0, transition=1e-6, points=[A, B], plane=plane)
        model, q, qdot = tree_with(ground)
        seen = mm.dynamics.force_points(model, q, qdot)
        np.testing.assert_allclose(seen.places, x, rtol=0, atol=1e-12)
        z, rise = normal @ (x[0] - plane[:3, 3]), normal @ v[0]
        slide = v[0] - rise * normal
        drag = min(5.0 * np.linalg.norm(slide), friction * 500.0 * -z)
        assert z < 0
        assert (drag == 5.0 * np.linalg.norm(slide)) == (friction == 100.0)
        expected = max(-500.0 * z - 20.0 * rise, 0.0) * normal - drag * slide / np.linalg.norm(slide)
        np.testing.assert_allclose(seen.forces, [expected, np.zeros(3)], rtol=1e-10)

    def test_at_rest_by_default(self):
        model, q, qdot = tree_with(mm.PointSpring(POINTS[0], POINTS[1], 30.0, 4.0))
        still = mm.dynamics.force_points(model, q)
        np.testing.assert_array_equal(still.forces, mm.dynamics.force_points(model, q, 0 * qdot).forces)
        assert np.abs(still.forces - mm.dynamics.force_points(model, q, qdot).forces).max() > 1e-3

    def test_all_together_are_the_applied_forces(self):
        forces = {
            mm.Cable(POINTS, 30.0, 0.5, 0.4): POINTS,
            mm.PointForce("b3", (1, -2, 3), B): [("b3", B)],
            mm.PointSpring(POINTS[0], ("b2", B), 30.0, 4.0): [POINTS[0], ("b2", B)],
            mm.Ground("b2", 500.0, 20.0, 0.3, 50.0, points=[A, B], plane=mm.translation(0, 0, 9)): [
                ("b2", A),
                ("b2", B),
            ],
            mm.SpringDamper(POINTS[:2], 10.0, 2.0): POINTS[:2],
        }
        model, q, qdot = tree_with(*forces)
        seen, total = mm.dynamics.force_points(model, q, qdot), np.zeros(model.ndof)
        points = [point for own in forces.values() for point in own]
        np.testing.assert_allclose(seen.places, moving(model, q, qdot, points)[0], rtol=0, atol=1e-12)
        for (body, place), f in zip(points, seen.forces, strict=True):
            if body is not None:
                total += mm.point_jacobian(model, q, body, place)[0].T @ f
        assert (np.linalg.norm(seen.forces, axis=1) > 0).all()
        np.testing.assert_allclose(total, mm.applied_forces(model, q, qdot), rtol=1e-10)

    def test_none(self):
        seen = mm.dynamics.force_points(random_tree(1, 3), np.zeros(random_tree(1, 3).ndof))
        assert seen.places.shape == seen.forces.shape == (0, 3)


def two_bodies(contact):
    spec = mm.Spec("pair", (0, 0, -GRAVITY))
    spec.add_body("a", None, mm.Free3D("TR"), inertia=BALL)
    spec.add_body("b", None, mm.Free3D("TR"), inertia=BALL)
    spec.add_constraint(contact)
    return spec.compile(), np.array([0.1, 0.2, 1.3, 0.3, -0.5, 0.7, 0.5, -0.4, 0.6, -0.6, 0.2, 0.4])


def distance_to_segment(x, E, start, end):
    a, b = ((E @ [*p, 1.0])[:3] for p in (start, end))
    s = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(x - a - s * (b - a))


SLOPE = mm.translation(0.3, 0.1, 0.2) @ mm.rotation((1, 2, 0), 0.4)
ENDS = (-0.3, 0.1, 0.0), (0.4, 0.1, 0.2)
OTHER = mm.Capsule("b", 0.2, (0, -0.5, 0), (0, 0.6, 0.1))
SHAPES = {
    "sphere": mm.Sphere("a", RADIUS, (0.1, 0.2, 0.3)),
    "capsule": mm.Capsule("a", RADIUS, *ENDS),
    "box": mm.Box("a", (0.4, 0.3, 0.2), mm.translation(0.1, 0, 0)),
}


class TestContactPoints:
    @pytest.mark.parametrize("friction", [0.0, 0.5])
    @pytest.mark.parametrize(("kind", "count"), [("sphere", 1), ("capsule", 2), ("box", 8)])
    def test_on_a_plane(self, kind, count, friction):
        model, q = two_bodies(mm.Contact(SHAPES[kind], mm.Plane((None, SLOPE)), friction))
        seen, E = mm.dynamics.contact_points(model, q), mm.forward_kinematics(model, q)[0]
        assert len(seen.gaps) == count
        np.testing.assert_array_equal(seen.rows, np.arange(count) * (3 if friction else 1))
        assert seen.friction.tolist() == [friction > 0] * count
        np.testing.assert_allclose(seen.gaps, mm.dynamics.constraint_values(model, q)[0][seen.rows], rtol=0, atol=1e-13)
        np.testing.assert_allclose(seen.normals, np.tile(SLOPE[:3, 2], (count, 1)), atol=1e-14)
        np.testing.assert_allclose((seen.places - SLOPE[:3, 3]) @ SLOPE[:3, 2], seen.gaps, rtol=0, atol=1e-13)
        if kind == "box":
            corners = np.array([E @ [*corner, 1.0] for corner in SHAPES["box"].corners()])[:, :3]
            np.testing.assert_allclose(seen.places, corners, rtol=0, atol=1e-13)
        else:
            middles = [(0.1, 0.2, 0.3)] if kind == "sphere" else ENDS
            centres = np.array([E @ [*x, 1.0] for x in middles])[:, :3]
            np.testing.assert_allclose(seen.places, centres - RADIUS * SLOPE[:3, 2], rtol=0, atol=1e-13)

    @pytest.mark.parametrize("other", [mm.Sphere("b", 0.2, (0, 0, 0.1)), OTHER])
    @pytest.mark.parametrize("kind", ["sphere", "capsule"])
    def test_of_two_round_ones(self, kind, other):
        model, q = two_bodies(mm.Contact(SHAPES[kind], other, 0.5))
        seen, (E_A, E_B) = mm.dynamics.contact_points(model, q), mm.forward_kinematics(model, q)
        ends_A = ENDS if kind == "capsule" else [(0.1, 0.2, 0.3), (0.1, 0.2, 0.3 + 1e-12)]
        ends_B = (other.start, other.end) if isinstance(other, mm.Capsule) else [(0, 0, 0.1), (0, 0, 0.1 + 1e-12)]
        np.testing.assert_allclose(seen.gaps, mm.dynamics.constraint_values(model, q)[0][:1], rtol=0, atol=1e-13)
        assert distance_to_segment(seen.places[0], E_A, *ends_A) == pytest.approx(RADIUS, abs=1e-10)
        across = seen.places[0] - seen.gaps[0] * seen.normals[0]  # on the other's surface
        assert distance_to_segment(across, E_B, *ends_B) == pytest.approx(0.2, abs=1e-10)
        triad = np.array([seen.normals[0], *seen.tangents[0]])
        np.testing.assert_allclose(triad @ triad.T, np.eye(3), atol=1e-13)

    def test_rows_of_friction_slide_along_the_tangents(self):
        """dg/dt of a row of friction is the velocity of A over B at the point, along that tangent."""
        rng = np.random.default_rng(3)
        for contact in (
            mm.Contact(SHAPES["capsule"], OTHER, 0.5),
            mm.Contact(SHAPES["sphere"], mm.Plane(("b", SLOPE)), 0.5),
        ):
            model, q = two_bodies(contact)
            seen, rates = mm.dynamics.contact_points(model, q), rng.normal(size=12)
            E = mm.forward_kinematics(model, q)
            places = seen.places[0], seen.places[0] - seen.gaps[0] * seen.normals[0]
            own = [(np.linalg.inv(frame) @ [*x, 1.0])[:3] for frame, x in zip(E, places, strict=True)]
            if isinstance(contact.b, mm.Plane):
                own[1] = (np.linalg.inv(E[1]) @ [*places[0], 1.0])[:3]  # of the plane's body, wherever it is
            v = [mm.point_jacobian(model, q, body, x)[0] @ rates for body, x in zip("ab", own, strict=True)]
            found = mm.dynamics.constraint_values(model, q, rates)[1]
            np.testing.assert_allclose(found[1:3], seen.tangents[0] @ (v[0] - v[1]), rtol=1e-10)

    def test_other_constraints_are_none(self):
        spec = mm.Spec("loop")
        spec.add_body("a", None, mm.Free3D("TR"), inertia=BALL)
        spec.add_constraint(mm.Loop(("a", (0, 0, 0)), (None, (0, 0, 0)), "ball"))
        spec.add_constraint(mm.Contact(mm.Sphere("a", RADIUS)))
        model = spec.compile()
        seen = mm.dynamics.contact_points(model, np.zeros(6))
        assert [model.constraints.names[row] for row in seen.rows] == [
            name for name in model.constraints.names if "normal" in name
        ]
        seen = mm.dynamics.contact_points(random_tree(1, 2), np.zeros(random_tree(1, 2).ndof))
        assert seen.rows.shape == (0,)
        assert seen.tangents.shape == (0, 2, 3)
        assert seen.forces(np.zeros(0)).shape == (0, 3)


def ball_on(plane, friction, qdot=None, gravity=(0, 0, -GRAVITY), turns=True):
    """The run of a ball that starts on a plane; it slides if it cannot turn."""
    spec = mm.Spec("ball", gravity)
    spec.add_body("ball", None, mm.Free3D("TR") if turns else mm.Translational(), inertia=BALL)
    spec.add_constraint(mm.Contact(mm.Sphere("ball", RADIUS), mm.Plane((None, plane)), friction))
    model = spec.compile()
    q = np.zeros(model.ndof)
    q[:3] = plane[:3, 3] + RADIUS * plane[:3, 2]
    return mm.simulate(model, q=q, qdot=qdot, integrator="euler", h=1e-3, duration=0.02)


class TestContactForces:
    @pytest.mark.parametrize("friction", [0.0, 0.5])
    def test_a_resting_ball_carries_its_weight(self, friction):
        run = ball_on(np.eye(4), friction)
        force = mm.dynamics.contact_points(run.model, run.q[-1]).forces(run.multipliers[-1])
        np.testing.assert_allclose(force, [(0, 0, MASS * GRAVITY)], rtol=0, atol=1e-8)

    @pytest.mark.parametrize("heading", [0.0, 2.2])
    def test_friction_is_against_the_sliding(self, heading):
        way = np.array([np.cos(heading), np.sin(heading), 0.0])
        run = ball_on(np.eye(4), 0.3, 2.0 * way, turns=False)
        force = mm.dynamics.contact_points(run.model, run.q[-1]).forces(run.multipliers[-1])[0]
        np.testing.assert_allclose(force, MASS * GRAVITY * (np.array([0, 0, 1]) - 0.3 * way), rtol=0, atol=1e-6)
        np.testing.assert_allclose(run.qdot[-1], (2.0 - 0.3 * GRAVITY * 0.02) * way, rtol=0, atol=1e-6)

    def test_sticking_on_a_slope_carries_the_weight_upright(self):
        run = ball_on(SLOPE, 0.9, turns=False)
        force = mm.dynamics.contact_points(run.model, run.q[-1]).forces(run.multipliers[-1])
        assert np.abs(run.qdot).max() < 1e-9
        np.testing.assert_allclose(force, [(0, 0, MASS * GRAVITY)], rtol=0, atol=1e-6)
