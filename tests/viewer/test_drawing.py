"""What is drawn, without a browser: layers where kinematics says, moments between rows, camera and ground."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import myomass as mm
from myomass.render import unit_box, unit_cylinder, unit_sphere
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import NOT_RUN, Frames, still_run
from myomass.viewer.layers.bodies import THINNER
from myomass.viewer.layers.contacts import LONGEST

GRAVITY, MASS = 9.81, 2.0
BALL = mm.Inertia.sphere(0.1, mass=MASS)
BAR = mm.Inertia.capsule(0.05, 0.8, mass=MASS)
CORNERS = (
    np.array([(1.0, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, -1)]),
    np.array([(0, 1, 2), (0, 2, 3), (1, 3, 2), (0, 3, 1)]),
)
HOOK, GUIDE = ("upper", (0.15, 0.0, 0.3)), ("lower", (0.15, 0.05, 0.1))
KNEE = mm.translation(0, 0, -0.5) @ mm.rotation((1, 0, 0), np.pi / 2)
SCENES = (
    "simple-serial-chain", "branching", "spherical-joint", "loop", "external-force", "free-joint", "mesh-body",
    "bouncing-box", "ten-link-chain", "muscle-cylinder",
)  # fmt: skip


@pytest.fixture(scope="module")
def zoo():
    """Something for every layer."""
    spec, middle = mm.Spec("zoo"), mm.translation(0, 0, -0.5)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, middle, BAR)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), middle, BAR)
    spec.add_body("slider", None, mm.Prismatic((1, 0, 0)), None, None, mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1))
    spec.add_body("ball", None, mm.Free3D("TR"), mm.translation(0, 2, 0), None, BALL)
    spec.add_body("rock", "ball", mm.SphericalExp(), mm.translation(1, 0, 0), None, mm.Inertia.mesh(*CORNERS, mass=1))
    spec.add_force(mm.PointSpring(HOOK, ("slider", (0, 0, 0)), 3.0))
    spec.add_force(mm.Cable([HOOK, GUIDE, (None, (1, 1, 1))], 5.0, 0.1))
    spec.add_force(mm.PointForce("ball", (3, 0, 4), (0, 0, 0.1)))
    spec.add_muscle("calf", 0.5, [HOOK, GUIDE], [mm.wrap.Cylinder("upper", KNEE, radius=0.12, side=(0.1, 0, 0))])
    spec.add_constraint(mm.Contact(mm.Sphere("ball", 0.1), mm.Plane((None, mm.translation(0, 0, -3)))))
    spec.add_constraint(mm.Contact(mm.Sphere("ball", 0.1), mm.Plane(("slider", mm.translation(0, 0, -4)))))
    return spec.compile()


@pytest.fixture(scope="module")
def seen(zoo):
    """(drawing, moment) of the zoo in no special place."""
    q = np.random.default_rng(2).uniform(0.1, 0.6, zoo.ndof)
    frames = Frames(still_run(zoo, zoo.state(q)))
    return Drawing(frames), frames.at(0.0)


def layer(drawing, name):
    return next(one for one in drawing.layers if one.name == name)


def parts(seen, name):
    """[(mesh, frames (n, 4, 4), sizes (n, 3)) of each part] of a layer."""
    drawing, moment = seen
    one, found = layer(drawing, name), []
    for part, place in zip(one.parts, one.place(moment), strict=True):
        E = np.tile(np.eye(4), (len(place.positions), 1, 1))
        E[:, :3, :3], E[:, :3, 3] = Rotation.from_quat(place.wxyz[:, [1, 2, 3, 0]]).as_matrix(), place.positions
        assert len(part.colours) == len(E)
        found.append((part.mesh, E, place.scales))
    return found


def ends(E, sizes):
    """Where copies that reach along z begin and end. (n, 3) each"""
    half = 0.5 * sizes[:, 2:] * E[:, :3, 2]
    return E[:, :3, 3] - half, E[:, :3, 3] + half


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def world(model, moment, point):
    body, x = point
    return (
        np.array(x, float) if body is None else (mm.forward_kinematics(model, moment.q)[model.body(body)] @ [*x, 1])[:3]
    )


class TestLayers:
    def test_bodies(self, zoo, seen):
        E = mm.forward_kinematics(zoo, seen[1].q)
        meshes = {id(mesh): (frames, sizes) for mesh, frames, sizes in parts(seen, "bodies")}
        frames, sizes = meshes.pop(id(unit_cylinder()))
        close(frames, E[:2])
        thinner = 1.0 - THINNER * (np.arange(6) % 4)  # by body
        close(sizes, np.outer(thinner[:2], (0.05, 0.05, 0.8)))
        frames, sizes = meshes.pop(id(unit_box()))
        close(frames[0], E[2])
        close(sizes[0], thinner[2] * np.array((0.1, 0.2, 0.3)))
        frames, sizes = meshes.pop(id(unit_sphere()))  # both ends of two capsules, and the ball
        caps = [E[i] @ [0, 0, end, 1] for i in (0, 1) for end in (-0.4, 0.4)]
        close(frames[:, :3, 3], np.array([*caps, E[3][:, 3]])[:, :3])
        close(sizes[:, 0], [0.05] * 2 + [0.05 * thinner[1]] * 2 + [0.1 * thinner[3]])
        ((frames, sizes),) = meshes.values()
        close(frames[0], E[4] @ zoo.shapes[4][0].frame)
        close(sizes[0], thinner[4])

    def test_axes_are_hidden_at_first(self, zoo, seen):
        assert [one.name for one in seen[0].layers if not one.shown] == ["axes"]
        E = mm.forward_kinematics(zoo, seen[1].q)
        for k, (_, frames, sizes) in enumerate(parts(seen, "axes")):
            start, end = ends(frames, sizes)
            close(start, E[:, :3, 3])
            close((end - start) / np.linalg.norm(end - start, axis=1)[:, None], E[:, :3, k])

    def test_joints(self, zoo, seen):
        (_, pins, _), (_, sliders, _), (_, balls, _) = parts(seen, "joints")
        E, q = mm.forward_kinematics(zoo, seen[1].q), seen[1].q
        knee = E[0] @ [0, 0, -0.5, 1]
        close(pins[:, :3, 3], [(0, 0, 0), knee[:3]])
        close(np.abs(pins[:, 1, 2]), 1.0)  # along the hinges' axis
        close(np.abs(sliders[:, 0, 2]), 1.0)
        close(sliders[0, :3, 3], (q[2], 0, 0))
        close(balls[:, :3, 3], [(E[3] @ [1, 0, 0, 1])[:3]])  # not that of the ball that floats

    def test_springs_and_cables(self, zoo, seen):
        moment, places = seen[1], mm.dynamics.force_points(zoo, seen[1].q).places
        start, end = ends(*parts(seen, "springs")[0][1:])
        close(np.concatenate([start, end]), places[:2])
        close(start[0], world(zoo, moment, HOOK))
        start, end = ends(*parts(seen, "cables")[0][1:])
        close(start, places[2:4])
        close(end, places[3:5])
        close(end[1], (1, 1, 1))

    def test_muscles_run_along_their_paths(self, zoo, seen):
        moment = seen[1]
        path, lumps = mm.muscles.muscle_paths(zoo, moment.q)[0], mm.muscle_points(zoo, moment.q)[0]
        _, E, sizes = parts(seen, "muscles")[0]
        drawn = sizes[:, 2] > 0
        start, end = ends(E[drawn], sizes[drawn])
        close(start[0], world(zoo, moment, HOOK))
        close(end[-1], world(zoo, moment, GUIDE))
        close(start[1:], end[:-1])
        for corner in path.corners:
            assert np.linalg.norm(start - corner, axis=1).min() < 1e-9 or np.allclose(corner, end[-1])
        assert sizes[:, 2].sum() == pytest.approx(path.length, rel=1e-2)
        assert sizes[:, 2].sum() <= path.length * (1 + 1e-9)
        _, balls, sizes = parts(seen, "mass points")[0]
        close(balls[:, :3, 3], lumps)
        assert (sizes > 0).all()

    def test_surfaces(self, zoo, seen):
        ((_, E, sizes),) = parts(seen, "surfaces")
        close(E[0], mm.forward_kinematics(zoo, seen[1].q)[0] @ KNEE)
        close(sizes[0, :2], 0.12)

    def test_planes_that_move_are_plates_and_that_of_the_world_is_the_ground(self, zoo, seen):
        ((_, E, sizes),) = parts(seen, "plates")
        top = mm.forward_kinematics(zoo, seen[1].q)[2] @ mm.translation(0, 0, -4)
        close(ends(E, sizes)[1], [top[:3, 3]])
        close(seen[0].ground.frame, mm.translation(0, 0, -3))

    def test_contacts_and_forces(self, zoo):
        q = np.zeros(zoo.ndof)
        q[zoo.dof("ball")][2] = -2.9  # on the ground
        drawing, moment = Drawing(Frames(still_run(zoo, zoo.state(q)))), Frames(still_run(zoo, zoo.state(q))).at(0)
        ((_, E, sizes),) = parts((drawing, moment), "contacts")
        close(E[0, :3, 3], (0, 2, -3))
        assert sizes[0].min() > 0
        assert not sizes[1].any()  # that on the slider is open
        forces = np.array([MASS * GRAVITY, 0.0])
        for multipliers, pushes in ((None, 0.0), (forces, MASS * GRAVITY)):
            shafts, heads = parts((drawing, replace(moment, multipliers=multipliers)), "forces")
            start, _ = ends(*shafts[1:])
            tip = ends(*heads[1:])[1]
            close(start[0], world(zoo, moment, ("ball", (0, 0, 0.1))))
            assert (tip - start)[0] / np.linalg.norm((tip - start)[0]) == pytest.approx((0.6, 0, 0.8))
            if pushes:
                weight = GRAVITY * zoo.bodies["mass"].sum()
                length = LONGEST * drawing.size * pushes / (pushes + weight)
                close(tip[1] - start[1], (0, 0, length))
            else:
                assert not shafts[2][1].any()

    def test_a_compliant_contact_pushes_at_its_sphere(self):
        spec = mm.Spec("bowl")
        spec.add_body("ball", None, mm.Translational(), inertia=BALL)
        spec.add_force(mm.forces.HuntCrossley(("ball", (0, 0, 0)), 0.1, (None, np.eye(4)), 1e5))
        model = spec.compile()
        for height, acts in ((0.08, True), (0.2, False)):
            frames = Frames(still_run(model, model.state([1.0, 2.0, height])))
            shafts, heads = parts((Drawing(frames), frames.at(0.0)), "forces")
            assert len(shafts[1]) == 1
            assert shafts[2].any() == acts
            if acts:
                close(ends(*shafts[1:])[0], [(1, 2, height)])
                assert ends(*heads[1:])[1][0, 2] > height

    def test_what_is_hidden_is_no_thing(self, seen):
        drawing, moment = seen
        shown = sum(len(one.parts) for one in drawing.layers if one.shown)
        assert len(drawing.things(moment)) == shown
        assert len(drawing.things(moment, frozenset(["bodies"]))) == shown - len(layer(drawing, "bodies").parts)


@pytest.fixture(scope="module")
def swing():
    return mm.simulate(mm.scenes.load("simple-serial-chain"), integrator="rk4", h=0.02, duration=0.4)


class TestFrames:
    def test_rows_are_kept(self, swing):
        frames = Frames(swing)
        for t, q, qdot in zip(swing.t, swing.q, swing.qdot, strict=True):
            moment = frames.at(t)
            np.testing.assert_array_equal(moment.q, q)
            np.testing.assert_array_equal(moment.qdot, qdot)
        assert frames.at(-1).t == 0
        np.testing.assert_array_equal(frames.at(99).q, swing.q[-1])
        close(frames.at(swing.t[3]).bodies, swing.poses[3])

    def test_between_rows_the_error_falls_with_the_fourth_power(self, swing):
        exact = mm.simulate(mm.scenes.load("simple-serial-chain"), integrator="rk4", h=2.5e-4, duration=0.4)
        errors = []
        for apart in (40, 20):  # rows every 10 and 5 ms
            rows = {key: getattr(exact, key)[::apart] for key in ("t", "q", "qdot", "charts")}
            frames, middle = Frames(replace(exact, **rows)), range(apart // 2, len(exact.t), apart)
            moments = [frames.at(exact.t[i]) for i in middle]
            at_rest = [np.abs(m.q - exact.q[i]).max() for m, i in zip(moments, middle, strict=True)]
            rates = [np.abs(m.qdot - exact.qdot[i]).max() for m, i in zip(moments, middle, strict=True)]
            errors.append((max(at_rest), max(rates)))
        assert errors[0][0] < 1e-4
        assert errors[0][0] / errors[1][0] > 12
        assert errors[0][1] / errors[1][1] > 6

    @pytest.mark.parametrize(
        ("joint", "qdot"), [(mm.SphericalEuler("XYZ"), (1, 3, 5)), (mm.SphericalExp(), (0.1, 0, 5))]
    )
    def test_motion_is_even_across_charts(self, joint, qdot):
        spec = mm.Spec("top", (0, 0, 0))
        spec.add_body("top", None, joint, inertia=mm.Inertia.cuboid((1, 2, 3), mass=1))
        run = mm.simulate(spec.compile(), q=[0.1, 0.2, 0.2], qdot=qdot, integrator="rk4", h=0.01, duration=2)
        jumps = np.flatnonzero(np.abs(np.diff(run.q, axis=0)).max(axis=1) > 1)
        assert len(jumps), "it never changes its chart"
        frames = Frames(run)
        turns = [Rotation.from_matrix(frames.at(t).bodies[0, :3, :3]) for t in np.linspace(0, 2, 801)]
        speeds = [(b * a.inv()).magnitude() for a, b in pairwise(turns)]
        assert max(speeds) < 1.3 * np.median(speeds)

    def test_rows_that_are_not_finite_are_cut_with_a_note(self, swing):
        q = swing.q.copy()
        q[5:] = np.nan
        frames = Frames(replace(swing, q=q))
        assert frames.end == swing.t[4]
        assert frames.notes == [f"not finite from t = {swing.t[5]:g} s"]
        assert Frames(replace(swing, ended="interrupted; by hand")).notes == ["ended: interrupted"]
        with pytest.raises(ValueError, match="not finite from its first row on"):
            Frames(replace(swing, q=np.full_like(q, np.nan)))
        with pytest.raises(ValueError, match=r"the run has no rows"):
            Frames(replace(swing, **{key: getattr(swing, key)[:0] for key in ("t", "q", "qdot", "charts")}))
        with pytest.raises(TypeError, match="a trajectory is needed"):
            Frames(swing.model)

    def test_times_are_even(self, swing):
        frames = Frames(swing)
        np.testing.assert_allclose(frames.times(30), np.linspace(0, 0.4, 13))
        assert len(frames.times(30, most=5)) == 5
        assert len(Frames(still_run(swing.model)).times(30)) == 1
        assert Frames(still_run(swing.model)).notes == [f"ended: {NOT_RUN}"]

    @pytest.mark.parametrize("fps", [20, 25, 30, 50, 60])
    def test_as_many_pictures_as_the_time_takes(self, swing, fps):
        for count in range(1, 100):
            t = np.linspace(0, count / fps, len(swing.t))
            assert len(Frames(replace(swing, t=t)).times(fps)) == count + 1
            assert len(Frames(replace(swing, t=t + 0.1)).times(fps)) == count + 1


def corners(model, poses):
    """Corners of the boxes round all shapes, in the world. (n, 3)"""
    found = []
    for E, shapes in zip(np.moveaxis(poses, 1, 0), model.shapes, strict=True):
        for shape in shapes:
            reach = {"cuboid": 0.5 * np.array(shape.size), "point": np.zeros(3), "ellipsoid": np.array(shape.size)}
            x, r, length = (*shape.size[:2], shape.size[2])
            reach |= {"cylinder": np.array([x, r, length / 2]), "capsule": np.array([x, r, x + length / 2])}
            if shape.kind == "mesh":
                own = shape.vertices
            elif shape.kind == "ellipsoid":  # of balls what is in the picture is the ball, not the box
                own = np.concatenate([np.diag(shape.size), -np.diag(shape.size)])
            else:
                own = reach[shape.kind] * (2 * np.array(list(np.ndindex(2, 2, 2))) - 1)
            found.append(
                np.einsum("nij,kj->nki", E @ shape.frame, np.c_[own, np.ones(len(own))])[..., :3].reshape(-1, 3)
            )
    return np.concatenate(found)


class TestCameraAndGround:
    @pytest.mark.parametrize("name", SCENES)
    def test_all_of_the_run_is_in_the_picture(self, name):
        scene = mm.scenes.load(name)
        run = mm.simulate(scene, duration=min(scene.duration, 2.0))
        drawing = Drawing(Frames(run))
        points = corners(run.model, run.poses)
        for width, height in ((1280, 720), (480, 640)):
            x, y, depth = drawing.camera(width / height).project(points, width, height).T
            assert depth.min() > 0
            assert x.min() > 0 and x.max() < width
            assert y.min() > 0 and y.max() < height
            assert max(np.ptp(x) / width, np.ptp(y) / height) > 0.4, "it is small"
        ground = drawing.ground
        if not len(run.model.forces.nodes) or name == "external-force":
            heights = (points - ground.frame[:3, 3]) @ ground.frame[:3, 2]
            assert 0 < heights.min() < 0.3 * drawing.size
            np.testing.assert_allclose(ground.frame[:3, 2], drawing.up, atol=1e-12)

    def test_the_ground_is_that_of_the_contact_force(self):
        scene = mm.scenes.load("bouncing-box")
        frame = Drawing(Frames(still_run(scene.model, scene.model.state(scene.q)))).ground.frame
        (ground,) = (force for force in scene.spec.forces.values() if isinstance(force, mm.Ground))
        close(frame[:3, 2], ground.plane[:3, 2])
        assert (frame[:3, 3] - ground.plane[:3, 3]) @ frame[:3, 2] == pytest.approx(0, abs=1e-12)

    def test_without_gravity_up_is_z(self):
        spec = mm.Spec("free", (0, 0, 0))
        spec.add_body("ball", None, mm.Free3D("TR"), inertia=BALL)
        close(Drawing(Frames(still_run(spec.compile()))).up, (0, 0, 1))

    def test_gravity_aside(self):
        spec = mm.Spec("aside", (3, 0, 0))
        spec.add_body("ball", None, mm.Prismatic((1, 0, 0)), inertia=BALL)
        drawing = Drawing(Frames(still_run(spec.compile())))
        close(drawing.ground.frame[:3, 2], (-1, 0, 0))
        assert drawing.ground.frame[0, 3] > 0.1
        assert drawing.camera().axes[1] @ (-1, 0, 0) < -0.9  # up is up in the picture
