"""Scaling of specs: similarity under even factors, points under uneven ones, masses, inertias, and what is told."""

import numpy as np
import pytest

import myomass as mm
from myomass.algorithms.kinematics import forward_kinematics, marker_places
from myomass.analyses import scale
from myomass.analyses.stretch import Stretch, stretched_inertia
from myomass.constraints import DrivenJoint
from myomass.joints import Ellipsoidal, SpatialTransform
from myomass.model.coordinate import Coordinate
from myomass.muscles.geometry import muscle_lengths
from myomass.muscles.spec import ConditionalPoint, MovingPoint

CENTRE = mm.translation(0.02, -0.21, 0.03)


def stick(seed, mass=1.5):
    """A body of points, whose principal axes are oblique."""
    points = np.random.default_rng(seed).normal(size=(6, 3)) * (0.05, 0.2, 0.1)
    return mm.Inertia.composite([(mm.Inertia.point(mass / 6), mm.translation(*p)) for p in points])


def limb_spec():
    """A trunk in space, a thigh on a rolling joint with a shank, a shoulder; muscles of all sorts of points."""
    spec = mm.Spec("limb")
    turned = mm.translation(0.05, -0.2, 0.01) @ mm.rotation((1, 2, 3), 0.7)
    names = ["rx", "ry", "rz", *(Coordinate(name, unit="m") for name in ("px", "py", "pz"))]
    spec.add_body("trunk", None, SpatialTransform.floating(), inertia=stick(0), coordinates=names)
    rolling = SpatialTransform(
        [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 0.5, 0), (0, 1, 0.2), (0, 0, 1)],
        [
            mm.Motion.line(1.0),
            0.1,
            0.0,
            mm.Motion.line(0.03, 0.01),
            mm.Motion.through([-1, 0, 1], [0.01, 0, 0.02]),
            0.02,
        ],
        [0, None, None, 0, 0, None],
    )
    spec.add_body("thigh", "trunk", rolling, turned, CENTRE, stick(1), coordinates=["knee"])
    slide = SpatialTransform(
        np.vstack([np.eye(3), np.eye(3)]),
        [mm.Motion.line(1.0), 0, 0, mm.Motion.line(1.0), 0, 0],
        [0, None, None, 1, None, None],
    )
    spec.add_body(
        "shank", "thigh", slide, turned, CENTRE, stick(2), coordinates=["turn", Coordinate("slide", unit="m")]
    )
    spec.add_body("arm", "trunk", Ellipsoidal((0.05, 0.07, 0.09)), turned, CENTRE, stick(3))
    spec.add_body("hand", "arm", mm.Inverse(mm.Revolute((0, 1, 0))), turned, CENTRE, None)
    for i, name in enumerate(spec.bodies):
        spec.add_marker(name, name, (0.1, 0.02 * i, -0.05))
    spec.add_marker("floor", None, (1.0, 2.0, 3.0))
    spec.add_frame("board", "shank", turned)
    moving = MovingPoint("thigh", (0.05, mm.Motion.through([-1, 0, 1], [0, 0.01, 0.03]), -0.02), "knee", frame=turned)
    hill = mm.Hill(500.0, 0.1, 0.12)
    points = [("trunk", (0.1, 0.1, 0)), moving, ("shank", (0.05, 0, 0.02))]
    spec.add_muscle("long", 0.2, points, actuator=hill)
    there = ConditionalPoint("thigh", (0.1, 0, 0), "knee", (-1.0, 1.0))
    surface = mm.wrap.Sphere("arm", mm.translation(0.0, 0.0, 0.1), 0.06)
    spec.add_muscle("short", 0.1, [("trunk", (0, 0.1, 0.1)), there, ("arm", (0, -0.1, 0.2)), ("arm", (0, 0.1, -0.2))],
                    [None, None, surface], tension=5.0)  # fmt: skip
    return spec


def q_scaled(model, q, s):
    """Coordinates that are shifts in metres grow too."""
    return np.where(np.array(model.coordinate_units) == "m", s * q, q)


class TestSimilarity:
    s = 1.3

    def both(self):
        spec = limb_spec()
        scaled = scale(spec, dict.fromkeys(spec.bodies, self.s), keep_shares=False)
        return spec, scaled

    def test_everything_grows_alike(self):
        spec, scaled = self.both()
        old, new = spec.compile(massless=True), scaled.spec.compile(massless=True)
        q = np.random.default_rng(4).normal(size=old.ndof) * 0.4
        x = q_scaled(old, q, self.s)
        kept = [i for i, name in enumerate(old.markers) if name != "floor"]
        assert np.allclose(marker_places(new, x)[kept], self.s * marker_places(old, q)[kept], atol=1e-14, rtol=1e-12)
        E, F = forward_kinematics(old, q), forward_kinematics(new, x)
        assert np.allclose(F[:, :3, 3], self.s * E[:, :3, 3], atol=1e-14, rtol=1e-12)
        for name in ("board",):
            a, b = spec.frames[name], scaled.spec.frames[name]
            i = old.body(a.body)
            assert np.allclose((F[i] @ b.pose)[:3, :3], (E[i] @ a.pose)[:3, :3], atol=1e-13, rtol=1e-12)
            assert np.allclose((F[i] @ b.pose)[:3, 3], self.s * (E[i] @ a.pose)[:3, 3], atol=1e-14, rtol=1e-12)
        assert np.allclose(muscle_lengths(new, x), self.s * muscle_lengths(old, q), rtol=1e-12)
        assert scaled.lengths == pytest.approx({"long": self.s, "short": self.s}, rel=1e-12)
        assert not scaled.report

    def test_masses_grow_with_volume_and_inertias_with_it(self):
        spec, scaled = self.both()
        for name, body in spec.bodies.items():
            if body.inertia is not None:
                new = scaled.spec.bodies[name].inertia
                assert new.mass == pytest.approx(self.s**3 * body.inertia.mass, rel=1e-14)
                assert np.allclose(np.sort(new.moments), self.s**5 * np.sort(body.inertia.moments), rtol=1e-12)

    def test_muscles_keep_their_ratios(self):
        _, scaled = self.both()
        hill = scaled.spec.muscles["long"].actuator
        assert (hill.optimal_fibre_length, hill.tendon_slack_length) == pytest.approx((0.13, 0.156), rel=1e-12)
        assert hill.optimal_force == 500.0 and scaled.spec.muscles["short"].tension == 5.0

    def test_forces_and_constraints_go_along(self):
        spec = limb_spec()
        pose = mm.translation(0.1, 0.2, 0.3) @ mm.rotation((1, 1, 0), 0.4)
        spec.add_force(mm.PointSpring(("shank", (0.1, 0.2, 0.3)), ("arm", (0.3, 0.1, 0)), 100.0), "spring")
        spec.add_force(mm.PointForce("arm", (1.0, 2.0, 3.0), (0.1, 0.1, 0.1)), "push")
        spec.add_constraint(mm.Loop(("shank", pose), ("arm", pose), "ball"), "loop")
        spec.add_constraint(mm.Contact(mm.Sphere("hand", 0.1, (0.1, 0, 0)), mm.Plane()), "touch")
        spec.add_constraint(DrivenJoint("thigh", position=0.2), "held")
        scaled = scale(spec, dict.fromkeys(spec.bodies, self.s)).spec
        for key in ("spring", "loop"):
            old, new = (getattr(one, "forces" if key == "spring" else "constraints")[key] for one in (spec, scaled))
            for end in ("a", "b"):
                body, place = getattr(old, end)
                where = np.asarray(place)[:3, 3] if np.shape(place) == (4, 4) else place
                told = getattr(new, end)[1]
                assert np.allclose(
                    np.asarray(told)[:3, 3] if np.shape(told) == (4, 4) else told, self.s * np.array(where), rtol=1e-12
                )
                assert getattr(new, end)[0] == body
        touch = scaled.constraints["touch"].a
        assert touch.radius == pytest.approx(0.13) and np.allclose(touch.centre, (0.13, 0, 0), rtol=1e-12)
        assert np.allclose(scaled.forces["push"].point, 0.13, rtol=1e-12)
        assert scaled.forces["push"].force == (1.0, 2.0, 3.0)
        assert scaled.constraints["held"].position == 0.2
        scaled.compile(massless=True)


class TestUneven:
    factors = np.array([1.2, 0.8, 1.1])

    def test_points_go_along_the_frame_of_the_inertia(self):
        spec = limb_spec()
        scaled = scale(spec, {"shank": self.factors}).spec
        before, after = spec.bodies["shank"].inertia.frame, scaled.bodies["shank"].inertia.frame
        for one in ("markers", "frames"):
            for name, old in getattr(spec, one).items():
                new = getattr(scaled, one)[name]
                if old.body != "shank":
                    assert np.array_equal(getattr(new, "place", 0), getattr(old, "place", 0))
                    continue
                x, y = (
                    (np.append(old.place, 1), np.append(new.place, 1))
                    if one == "markers"
                    else (old.pose[:, 3], new.pose[:, 3])
                )
                assert np.allclose((after @ y)[:3], self.factors * (before @ x)[:3], atol=1e-15, rtol=1e-12)
        hung = np.linalg.inv(spec.bodies["shank"].E_jb)[:3, 3]
        assert np.allclose(
            np.linalg.inv(scaled.bodies["shank"].E_jb)[:3, 3], self.factors * hung, atol=1e-15, rtol=1e-12
        )

    def test_inertia_is_that_of_the_stretched_matter(self):
        rng = np.random.default_rng(5)
        points, masses = rng.normal(size=(7, 3)), rng.uniform(0.1, 1, 7)
        parts = [(mm.Inertia.point(m), mm.translation(*p)) for m, p in zip(masses, points, strict=True)]
        wide = [
            (mm.Inertia.point(2 * m), mm.translation(*(self.factors * p))) for m, p in zip(masses, points, strict=True)
        ]
        old, right = mm.Inertia.composite(parts), mm.Inertia.composite(wide)
        new, possible = stretched_inertia(old, self.factors, 2 * old.mass, "stretched")
        assert possible and np.allclose(new.frame[:3, 3], right.frame[:3, 3], atol=1e-14, rtol=1e-12)
        assert np.allclose(new.moments, right.moments, rtol=1e-12)

    def test_a_cylinder_stays_one_by_the_rule_of_the_cylinder(self):
        m, r, h, s = 3.0, 0.1, 0.8, self.factors
        about_end = m * h * h / 3 + m * r * r / 4
        old = mm.Inertia(m, (about_end, 0.5 * m * r * r, about_end))
        new, _ = stretched_inertia(old, s, m, "cylinder")
        square = r * r * s[0] * s[2]
        wide = m * (h * s[1]) ** 2 / 3 + m * square / 4
        assert np.allclose(new.moments, (wide, 0.5 * m * square, wide), rtol=1e-14)

    def test_a_rolling_joint_goes_along_its_parent(self):
        spec = limb_spec()
        scaled = scale(spec, {"trunk": self.factors}).spec
        old, new = spec.compile(massless=True), scaled.compile(massless=True)
        for q in np.random.default_rng(6).normal(size=(4, old.ndof)) * 0.5:
            x = q.copy()
            x[:6] = q[:6] = 0.0
            x[3:6] = q[3:6] = 0.0
            # the trunk's frame is the world's here; the joint's moved frame is at E_jb^-1 of the thigh
            ends = []
            for one, model in ((spec, old), (scaled, new)):
                body = one.bodies["thigh"]
                own = forward_kinematics(model, x)[model.body("thigh")]
                ends.append(own @ np.linalg.inv(body.E_jb @ body.inertia.frame))
            assert np.allclose(ends[1][:3, 3], self.factors * ends[0][:3, 3], atol=1e-14, rtol=1e-12)
            assert np.allclose(ends[1][:3, :3], ends[0][:3, :3], atol=1e-14, rtol=1e-12)

    def test_what_cannot_be_stretched_is_told(self):
        told = scale(limb_spec(), {"arm": self.factors}).report
        assert told == [
            "muscle 'short': a Sphere that it wraps is scaled unevenly, by 1.2, 0.8, 1.1; its radius grows by the mean"
        ]
        assert any(
            "ellipsoid is not along the axes" in line for line in scale(limb_spec(), {"trunk": self.factors}).report
        )

    def test_shapes(self):
        spec = mm.Spec("drawn")
        shapes = [mm.Shape.cuboid((1, 2, 3)), mm.Shape.sphere(0.5, frame=mm.translation(1, 1, 1))]
        mesh = mm.Shape.mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
        spec.add_body("a", inertia=stick(0), shapes=[*shapes, mesh])
        spec.add_body("b", inertia=mm.Inertia.cuboid((1, 2, 3), mass=1.0))
        made = scale(spec, dict.fromkeys("ab", self.factors)).spec
        cuboid, ball, solid = made.bodies["a"].shapes
        assert np.allclose(cuboid.size, self.factors * (1, 2, 3), rtol=1e-12)
        assert np.allclose(ball.size, 0.5 * self.factors, rtol=1e-12)
        assert np.allclose(ball.frame[:3, 3], self.factors, rtol=1e-12)
        assert np.allclose(solid.vertices, self.factors * mesh.vertices, rtol=1e-12)
        assert np.allclose(made.bodies["b"].shapes[0].size, self.factors * (1, 2, 3), rtol=1e-12)
        made.compile()

    def test_a_shift_that_follows_grows_with_its_body(self):
        spec = limb_spec()
        spec.add_constraint(mm.Coupling("thigh", "shank", (0.1, 0.2), components=(0, 1)), "poly")
        spec.add_constraint(mm.Coupling("thigh", "shank", (0.5,), components=(0, 0)), "angle")
        made = scale(spec, {"thigh": self.factors}).spec.constraints
        along = (np.linalg.inv(spec.bodies["thigh"].E_jb) @ spec.bodies["shank"].E_pj)[:3, 0]
        size = np.linalg.norm(self.factors * along)
        assert np.allclose(made["poly"].coefficients, size * np.array([0.1, 0.2]), rtol=1e-12)
        assert made["angle"].coefficients == (0.5,)


class TestMasses:
    def test_the_whole_weighs_what_it_should(self):
        spec = limb_spec()
        own = {name: body.inertia.mass for name, body in spec.bodies.items() if body.inertia is not None}
        total = sum(own.values()) + 0.3
        factors = {"thigh": (1.2, 0.8, 1.1), "trunk": 1.1}
        kept = scale(spec, factors, mass=70.0)
        assert kept.masses == pytest.approx({name: m * 70 / total for name, m in own.items()})
        assert sum(kept.masses.values()) + sum(m.mass for m in kept.spec.muscles.values()) == pytest.approx(70.0)
        grown = scale(spec, factors, keep_shares=False)
        assert grown.masses["thigh"] == pytest.approx(1.056 * own["thigh"])
        assert grown.spec.muscles["long"].mass == 0.2

    def test_the_given_spec_stays(self):
        spec, same = limb_spec(), limb_spec()
        scale(spec, dict.fromkeys(spec.bodies, 1.4), mass=50.0)
        for name, body in spec.bodies.items():
            assert body.inertia == same.bodies[name].inertia and np.array_equal(body.E_pj, same.bodies[name].E_pj)
        assert spec.markers == same.markers and spec.report == []
        assert spec.muscles["long"].actuator == same.muscles["long"].actuator

    def test_factors_of_one_change_nothing(self):
        spec = limb_spec()
        scaled = scale(spec, {}).spec
        old, new = spec.compile(massless=True), scaled.compile(massless=True)
        q = np.random.default_rng(0).normal(size=old.ndof)
        assert np.allclose(forward_kinematics(old, q), forward_kinematics(new, q), atol=1e-14, rtol=1e-12)
        assert np.allclose(muscle_lengths(old, q), muscle_lengths(new, q), rtol=1e-14)


@pytest.mark.parametrize(
    ("factors", "options", "said"),
    [
        ({"elbow": 1.0}, {}, "factors are given for 'elbow', which is no body; known: trunk"),
        ({"arm": -1.0}, {}, "factors of 'arm' must be positive"),
        ({"arm": (1.0, 2.0)}, {}, "the factors of 'arm' must be finite numbers of shape"),
        ({"arm": np.nan}, {}, "the factors of 'arm' must be a finite number"),
        ({}, {"mass": 0.0}, r"the mass \[kg\] must be finite and positive"),
        ({}, {"inertias": "ball"}, "inertias is one of stretched, cylinder"),
        (1.2, {}, "factors are given by body"),
    ],
)
def test_bad_input(factors, options, said):
    with pytest.raises((ValueError, TypeError, KeyError), match=said):
        scale(limb_spec(), factors, **options)


def test_other_bad_input():
    with pytest.raises(TypeError, match="give a Spec"):
        scale(limb_spec().compile(massless=True), {})
    bare = mm.Spec("bare")
    bare.add_body("a")
    with pytest.raises(ValueError, match="has no mass that could become 70 kg"):
        scale(bare, {"a": 2.0}, mass=70.0)
    given = limb_spec()
    given.given = object()
    with pytest.raises(ValueError, match=r"scale it before mm\.give_mass"):
        scale(given, {})


@pytest.mark.fast
def test_stretch():
    stretch = Stretch(
        np.array([1.0, 2.0, 3.0]), mm.translation(1, 1, 1), mm.translation(0, 0, 1) @ mm.rotation((0, 0, 1), 0.5)
    )
    assert stretch.turns and not stretch.even
    assert np.allclose(stretch.after @ np.append(stretch.point((1, 0, 0)), 1), (2, 2, 3, 1), rtol=1e-12)
    assert np.allclose(stretch.along(), (1, 2, 3), rtol=1e-12)
    assert np.allclose(stretch.after[:3, :3] @ stretch.direction((0, 1, 0)), (0, 1, 0), rtol=1e-12)
    assert stretch.keeps_axes(np.eye(4)) and not stretch.keeps_axes(mm.rotation((0, 0, 1), 0.3))


def test_a_spring_between_two_points_keeps_its_rest_length_and_says_so():
    spec = limb_spec()
    spec.add_force(mm.SpringDamper([("shank", (0, 0.1, 0)), (None, (0.0, 0.0, 0.5))], 10.0, 0.4), "band")
    made = scale(spec, {"shank": 2.0})
    assert made.spec.forces["band"].rest_length == 0.4
    assert np.allclose(made.spec.forces["band"].points[0][1], (0, 0.2, 0), rtol=1e-12)
    assert made.report == ["force 'band': its rest_length stays 0.4 m"]
    assert made.spec.report == ["scale: force 'band': its rest_length stays 0.4 m"]
    assert scale(spec, {"arm": 2.0}).report == []


def test_components_along_axes_that_turn_are_told():
    spec = limb_spec()
    spec.add_force(mm.forces.BodyActuator("shank", (0.1, 0.0, 0.0), world_axes=False), "six")
    spec.add_force(mm.forces.BodyActuator("shank", (0.1, 0.0, 0.0)), "world")
    assert scale(spec, {"shank": 1.5}).report == []
    told = scale(spec, {"shank": (1.5, 1.0, 1.0)}).report
    assert told == ["force 'six': it is given along the own axes of body 'shank', which turn as its inertia changes"]
