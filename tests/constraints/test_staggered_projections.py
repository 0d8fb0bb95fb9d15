"""Dry friction against a second program: staggered projections in maximal coordinates, as the public MATLAB RedMax has.

Every body moves by itself, joints push and friction pulls at the points where bearings touch:

    v_c          the velocity under joints, friction f_b held: J Mr^-1 (...)
    f_a          what the joints push: M (v_c - v_u)/h, with v_u the velocity without joints
    a            from leaf to root, each joint's push shared out among its normals: (N M^-1 N^T + reg) a = h N M^-1 f
    b, f_b       min |M^-1/2 (p - T^T b)|^2 with |b| <= mu |a|, p all impulses but friction;  f_b = -T^T b/h

until f_a changes by less than sqrt(threshold). The public runs stop at 3 %, far from where this stands still. Besides,
`published`: f_a leaves out M Jdot qdot, which so counts twice in the last solve; what loops and floors push in v_u is
found without joints, and is no part of p. Without these, and to the end, it is what MyoMass finds in reduced
coordinates, but for one thing: friction at the points of a hinge also pushes the hinge aside, and so relieves it, where
MyoMass sees a couple only (`couple`).
"""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import myomass as mm

pytestmark = pytest.mark.filterwarnings("ignore:.*friction had not settled")  # in two steps of scene 30
ERG = 1e-7  # [J]


def hinge(radius, height):
    """[(point, normals, tangents)] of a bearing whose axis is z."""
    circle = [np.array((np.cos(angle), np.sin(angle), 0.0)) for angle in np.arange(4) * np.pi / 2]
    z = np.array((0, 0, 1.0))
    return [(radius * n + e * height / 2 * z, (n, e * z), (np.cross(z, n),)) for n, e in product(circle, (-1, 1))]


def slide(along, *across):
    x, y, z = np.eye(3)
    corners = product((-0.5, 0.5), repeat=3)
    return [(np.array(signs) * (*across, along), (x, y), (z,)) for signs in corners]


def ball(radius):
    axes = np.eye(3)
    return [(s * radius * axes[k], (s * axes[k],), np.delete(axes, k, 0)) for k, s in product(range(3), (1, -1))]


def adjoint(E):
    """Ad: twists, angular part first, from one frame to another."""
    R, (x, y, z) = E[:3, :3], E[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [np.array(((0, -z, y), (z, 0, -x), (-y, x, 0))) @ R, R]])


def velocity(H, f, rows, least, floor):
    """(v, multipliers): H v = f + rows^T lam, rows v = least; the last row may be left, but not entered, if a floor."""
    lam, held = np.zeros(len(rows)), len(rows)
    free, back = np.linalg.solve(H, f), np.linalg.solve(H, rows.T)
    lam[:held] = np.linalg.solve(rows @ back, least - rows @ free)
    if floor and lam[-1] < 0:
        held, lam = held - 1, np.zeros(len(rows))
        lam[:held] = np.linalg.solve((rows @ back)[:held, :held], (least - rows @ free)[:held])
    return free + back @ lam, lam


class Maximal:
    """Staggered projections of a scene, whose start, bodies and constraints it takes; in SI units."""

    def __init__(self, number, *, threshold=1e-3, rounds=100, published=False, couple=False):
        self.scene = scene = mm.scenes.load(number)
        self.threshold, self.rounds, self.published, self.couple = threshold, rounds, published, couple
        self.model, self.h, self.bodies = scene.model, scene.h, list(scene.spec.bodies.values())
        self.M = np.concatenate([(*b.inertia.moments, *[b.inertia.mass] * 3) for b in self.bodies])
        self.bearings, self.loop, self.floor = [], None, None
        for c in scene.spec.constraints.values():
            if isinstance(c, mm.Loop):
                (a, x), (b, y) = c.a, c.b
                self.loop = self.model.body(a), self.model.body(b), np.asarray(x), np.asarray(y)
                self.add(*self.loop[:2], mm.translation(*x), 1, hinge(c.radius, c.height), c.friction)
            elif isinstance(c, mm.Contact):
                self.floor = self.model.body(c.a.body), c.a.radius, c.b.frame[1][2, 3], c.friction
            else:
                i = self.model.body(c.body)
                joint, frame = self.bodies[i].joint, np.linalg.inv(self.bodies[i].E_jb)
                k = int(np.argmax(joint.axis)) if hasattr(joint, "axis") else 2
                sizes = c.sides if c.sides is not None else (c.radius,) if c.height is None else (c.radius, c.height)
                points = (hinge if len(sizes) == 2 else slide if len(sizes) == 3 else ball)(*sizes)
                self.add(i, int(self.model.parents[i]), frame, k, points, c.friction)
        self.friction = np.zeros(len(self.M))

    def add(self, a, b, frame, axis, points, mu):
        """A bearing between bodies, its frame in a's, with z turned to an axis."""
        turn = np.eye(4)
        turn[:3, :3] = np.roll(np.eye(3), axis + 1, 0)
        self.bearings.append((a, b, frame @ turn, points, mu))

    def row(self, body, point, along):
        """The speed of a point of a body along a direction, both in the world, from all twists."""
        row = np.zeros(len(self.M))
        if body >= 0:
            R, p = self.E[body, :3, :3], self.E[body, :3, 3]
            row[6 * body : 6 * body + 6] = *(R.T @ np.cross(point - p, along)), *(R.T @ along)
        return row

    def touching(self, bearing):
        """(normals, tangents): the speeds of a bearing's points relative to each other."""
        a, b, frame, points, _ = bearing
        P = self.E[a] @ frame

        def apart(x, along):
            point, along = P[:3, :3] @ x + P[:3, 3], P[:3, :3] @ along
            return self.row(a, point, along) - self.row(b, point, along)

        normals = [apart(x, n) for x, ns, _ in points for n in ns]
        couple = self.couple and len(points[0][1]) == 2
        tangents = [apart(x, t) - (apart(0 * x, t) if couple else 0) for x, _, ts in points for t in ts]
        return np.array(normals), np.array(tangents)

    def outer(self):
        """(rows, the speeds they need, whether a floor is the last, tangents of the floor)."""
        rows, least, tangents, gain = [], [], [], (self.scene.baumgarte or (0, 0, 0))[2]
        if self.loop:
            a, b, x, y = self.loop
            x, y = (self.E[k] @ (*p, 1) for k, p in ((a, x), (b, y)))
            for along in np.eye(3)[[0, 2]]:
                rows.append(self.row(a, x[:3], along) - self.row(b, y[:3], along))
                least.append(-gain * along @ (x - y)[:3])
        if self.floor and (depth := self.floor[1] + self.floor[2] - self.E[self.floor[0], 2, 3]) > 0:
            foot = self.E[self.floor[0], :3, 3] - (0, 0, self.floor[1])
            *tangents, normal = (self.row(self.floor[0], foot, along) for along in np.eye(3))
            rows, least = [*rows, normal], [*least, gain * depth]
        return np.reshape(rows, (-1, len(self.M))), np.array(least), bool(tangents), tangents

    def shared(self, N, f):
        """Normal impulses of a bearing that pushes f."""
        if self.published:
            return np.linalg.solve(N @ (N / self.M).T + 1e-3 * np.eye(len(N)), self.h * N @ (f / self.M))
        return np.linalg.pinv((N / np.sqrt(self.M)).T, rcond=1e-9) @ (self.h * f / np.sqrt(self.M))

    def bounds(self, push, loop, normals):
        """What friction can be at most at every point."""
        f, bounds = push.reshape(-1, 6).copy(), []
        pushes = np.zeros((len(f), *f.shape))
        for i in reversed(range(len(f))):
            pushes[i, i], p = f[i], self.model.parents[i]
            if p >= 0:
                onto = adjoint(np.linalg.inv(self.E[i]) @ self.E[p]).T @ f[i]
                f[p], pushes[i, p] = f[p] + onto, -onto
        for (a, b, _, points, mu), N in zip(self.bearings, normals, strict=True):
            closes = self.loop and (a, b) == self.loop[:2]
            size = np.abs(self.shared(N, loop if closes else pushes[a].ravel()))
            at = size.reshape(len(points), -1).sum(1)
            bounds.append(mu * np.repeat(at, len(points[0][2])))
        return bounds

    def step(self, q, qdot):
        model, h, M, published = self.model, self.h, self.M, self.published
        self.E, J = mm.forward_kinematics(model, q), mm.jacobian(model, q)
        turning = mm.jacobian_dot(model, q, qdot) @ qdot
        v, D = (J @ qdot).reshape(-1, 2, 3), M.reshape(-1, 2, 3)
        force = -np.cross(v[:, :1], D * v)
        force[:, 1] += D[:, 1] * (model.gravity @ self.E[:, :3, :3])
        force = force.ravel()
        mass, given = J.T @ (M[:, None] * J), M * (J @ qdot) + h * force
        reduced = J.T @ (given - h * M * turning)
        if not published:
            given -= h * M * turning
        rows, least, floor, tangents = self.outer()
        normals, joints = zip(*(self.touching(bearing) for bearing in self.bearings), strict=True)
        T, before, f_b = np.concatenate([*joints, *([tangents] if floor else [])]), 0.0, self.friction
        for _ in range(self.rounds):
            v, lam = velocity(mass, reduced + h * J.T @ f_b, rows @ J, least, floor)
            p, pushed = given + h * f_b, rows.T @ lam
            f_a = M * (J @ v) - (M * velocity(np.diag(M), p, rows, least, floor)[0] if published else p + pushed)
            f_a /= h
            if np.sum((f_a - before) ** 2 / M) < self.threshold * np.sum(f_a**2 / M):
                break
            bounds, before = self.bounds(f_a, rows[:2].T @ lam[:2] / h, normals), f_a
            bounds = np.concatenate([*bounds, [self.floor[3] * lam[-1]] * 2 if floor else []])
            f_b = self.pull(T, bounds, given + h * f_a + (0.0 if published else pushed))
        self.friction = f_b
        return velocity(mass, reduced + h * J.T @ (f_b + (f_a if published else 0.0)), rows @ J, least, floor)[0]

    def pull(self, T, bounds, p):
        """The friction that stops most."""
        used, weight = bounds > 1e-15, 1 / np.sqrt(self.M)
        size, b = np.linalg.norm(weight * p), np.zeros(len(T))
        A = (T[used] * weight).T * bounds[used] / size
        b[used] = lsq_linear(A, weight * p / size, (-1, 1), method="bvls", tol=1e-15, max_iter=500).x * bounds[used]
        return -T.T @ b / self.h

    def run(self, steps=None):
        """(q, qdot) of all steps."""
        q, qdot = [self.scene.q], [self.scene.qdot]
        for _ in range(steps or round(self.scene.duration / self.h)):
            qdot.append(self.step(q[-1], qdot[-1]))
            q.append(q[-1] + self.h * qdot[-1])
        return np.array(q), np.array(qdot)


def gained(scene, q, qdot):
    """T + V - V(0) at the end, in erg."""
    end, start = mm.energy(scene.model, q[-1], qdot[-1]), mm.energy(scene.model, q[0], qdot[0])
    return float(end.kinetic + end.potential - start.potential) / ERG


def ours(number):
    scene = mm.scenes.load(number)
    return mm.simulate(scene, integrator="euler", baumgarte=scene.baumgarte)


# End energies [erg] that the authors of the public MATLAB RedMax stored. Those of 30 and 31 hang on the solver of its
# programs in the seventh digit: the rows of 31 below, from a run with another solver, end with -90558.132946.
STORED = {27: -137371.1285153, 28: -184565.9459126, 29: -256391.5065970, 30: -14581.1508526, 31: -90558.1346002}
# (q, qdot) after some steps of a run of it, root first.
ROWS = {
    27: {
        1: (-0.00209737194626, 0.000168158214622, -0.209737194626, 0.0168158214622),
        10: (-0.113689957111, 0.00731504346203, -2.0109800523, 0.0287422700427),
        40: (-1.27457956669, -0.107968713858, -3.48834596708, -1.75472315607),
        100: (-1.51411753495, -0.304070454168, 0, 0),
    },
    31: {
        1: (0.790018762065, -0.78214581064, 0.462059866746, 0.325235275705),
        12: (1.03253758922, -0.344664309183, 2.38897679736, 8.96961434369),
        14: (1.16716312771, -0.583931911539, 6.51912946201, -11.1659891515),
        100: (1.67591545215, -1.25827331674, -0.00437510662181, 0.00282174170556),
        200: (1.67587496376, -1.258332052, 0, 0),
    },
}


@pytest.mark.parametrize("number", STORED)
def test_stopped_at_three_per_cent_it_is_the_public_run(number):
    program = Maximal(number, published=True)
    q, qdot = program.run()
    assert gained(program.scene, q, qdot) == pytest.approx(STORED[number], rel=1e-8 if number < 30 else 3e-7)
    for k, row in ROWS.get(number, {}).items():
        np.testing.assert_allclose([*q[k], *qdot[k]], row, rtol=0, atol=1e-7)


@pytest.mark.parametrize("number", [27, 28, 29, 31])
def test_run_to_the_end_it_is_ours(number):
    program = Maximal(number, threshold=1e-18, rounds=1000, couple=number in (27, 31))
    q, qdot = program.run()
    trajectory = ours(number)
    np.testing.assert_allclose(qdot, trajectory.qdot, rtol=0, atol=1e-7)
    expected = gained(program.scene, trajectory.q, trajectory.qdot)
    assert gained(program.scene, q, qdot) == pytest.approx(expected, rel=1e-9)


def test_run_to_the_end_it_makes_our_steps_of_a_linkage():
    """Not all: where a hinge carries load but does not turn, its friction is not unique and others feel that."""
    trajectory = ours(30)
    for k in range(5, 180, 10):
        program = Maximal(30, threshold=1e-20, rounds=1000, couple=True)
        qdot = program.step(trajectory.q[k], trajectory.qdot[k])
        np.testing.assert_allclose(qdot, trajectory.qdot[k + 1], rtol=0, atol=2e-6 * np.abs(qdot).max())


def test_the_public_program_run_to_the_end_would_not_let_the_linkage_fall():
    """Its friction does not see what the loop pushes: the energy that it stored for scene 30 is no target."""
    qdot = Maximal(30, published=True, threshold=1e-20, rounds=200).step(np.zeros(3), np.zeros(3))
    assert np.abs(qdot).max() < 0.01 < 0.2 < np.abs(ours(30).qdot[1]).max()


def test_friction_at_the_points_of_a_hinge_relieves_it():
    """By 2.5 % in the first steps of scene 27, whose hinges carry thrust, side load and bending together."""
    first = Maximal(27, threshold=1e-20, rounds=1000).run(3)[1][1:]
    assert np.abs(first[:, 1]).max() < 1e-8
    np.testing.assert_allclose(first[:, 0], 1.0254 * ours(27).qdot[1:4, 0], rtol=1e-4)
