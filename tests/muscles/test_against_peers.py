"""Lengths and moment arms of paths over cylinders and spheres against MuJoCo and OpenSim, in thousands of random poses.

MuJoCo means the same path as we do in all of them, if sides are not held. OpenSim does where no side is given; where a
side of ours and a quadrant of its own differ is said by `opensim_differs`. The rule itself, in `paths`, is
checked against both too.
"""

import numpy as np
import paths
import pytest
from peers import body_frame, mujoco_peer

import myomass as mm

TOLERANCE = 1e-8  # [m], [m/rad]
SEEDS = range(8)


def ours(sample: paths.Sample) -> tuple[np.ndarray, np.ndarray]:
    """Our lengths (n, nmuscles) and dl/dq (n, nmuscles, ndof)."""
    kinds = {"cylinder": mm.wrap.Cylinder, "sphere": mm.wrap.Sphere}
    for k, muscle in enumerate(sample.muscles):
        wrap = [
            s and kinds[s.kind](body=s.body, E_bs=s.E_bs, radius=s.radius, side=s.side, hold=s.hold)
            for s in muscle.surfaces
        ]
        sample.spec.add_muscle(f"m{k}", mass=0.1, points=muscle.points, wrap=wrap, smoothing="none")
    model = sample.spec.compile()
    lengths = [mm.muscle_lengths(model, q) for q in sample.q]
    return np.array(lengths), -np.array([mm.moment_arms(model, q) for q in sample.q])


def check(sample: paths.Sample, theirs: tuple, same: np.ndarray | bool = True, arms: float = TOLERANCE) -> None:
    """The rule's lengths, our lengths and our gradients against a peer's, where it means the same path."""
    touching = sample.any_piece(paths.touches) & same
    straight = ~sample.any_piece(paths.touches) & same
    assert touching.mean() > 0.1 and straight.mean() > 0.02
    same = touching | straight
    assert np.abs(sample.lengths() - theirs[0])[same].max() < TOLERANCE
    lengths, gradients = ours(sample)
    assert np.abs(lengths - theirs[0])[same].max() < TOLERANCE
    assert np.abs(gradients - theirs[1])[same].max() < arms


# --- MuJoCo -----------------------------------------------------------------------------------------------------------


def add_tendons(mjcf: object, sample: paths.Sample) -> None:
    """The muscles as spatial tendons."""
    import mujoco

    def place(body: str | None) -> tuple:
        return (mjcf.worldbody, np.eye(4)) if body is None else (mjcf.body(body), body_frame(sample.spec.bodies[body]))

    for m, muscle in enumerate(sample.muscles):
        tendon = mjcf.add_tendon(name=f"m{m}")
        for k, (body, point) in enumerate(muscle.points):
            holder, E = place(body)
            holder.add_site(name=f"{m}.{k}", pos=(E @ [*point, 1.0])[:3])
            tendon.wrap_site(f"{m}.{k}")
            surface = (*muscle.surfaces, None)[k]
            if surface is not None:
                holder, E = place(surface.body)
                tendon.wrap_geom(*add_surface(mujoco, holder, E @ surface.E_bs, surface, f"{m}.{k}"))


def add_surface(mujoco: object, holder: object, E: np.ndarray, surface: paths.Surface, name: str) -> tuple[str, str]:
    """A geom, and a site on its side: their names."""
    quat, kind = np.zeros(4), getattr(mujoco.mjtGeom, f"mjGEOM_{surface.kind.upper()}")
    mujoco.mju_mat2Quat(quat, E[:3, :3].ravel())
    holder.add_geom(name=name, type=kind, pos=E[:3, 3], quat=quat, size=(surface.radius, 0.1, 0.0))
    if surface.side is None:
        return name, ""
    holder.add_site(name=f"{name}-side", pos=(E @ [*surface.side, 1.0])[:3])
    return name, f"{name}-side"


def mujoco_says(sample: paths.Sample) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (n, nmuscles) and dl/dq (n, nmuscles, ndof)."""
    import mujoco

    peer = mujoco_peer(sample.spec, lambda mjcf: add_tendons(mjcf, sample))
    model, data = peer.model, mujoco.MjData(peer.model)
    lengths, gradients, J = [], [], np.zeros((model.ntendon, model.nv))
    for q in sample.q:
        data.qpos[:] = peer.configuration(q)
        for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon):
            stage(model, data)
        mujoco.mju_sparse2dense(J, data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind)
        lengths.append(data.ten_length.copy())
        gradients.append(J @ peer.rate_map(q, 0 * q)[0])
    return np.array(lengths), np.array(gradients)


@pytest.mark.parametrize("seed", SEEDS)
def test_paths_are_those_of_mujoco(seed):
    """Everywhere: on the side or not, beyond half a turn, and straight where an end is inside."""
    pytest.importorskip("mujoco", "4.0")
    rng = np.random.default_rng((seed, 1))
    joints = [mm.Revolute(rng.normal(size=3)), mm.Universal(), mm.SphericalExp(), mm.Prismatic(rng.normal(size=3))]
    sides = rng.uniform(0.3, 1.0, (2, 3)) * rng.choice([-1, 1], (2, 3))  # one inside would mean a path inside
    sample = paths.random_sample(seed, joints, paths.Kind(sides=(None, *sides)), muscles=12, poses=400)
    check(sample, mujoco_says(sample))


@pytest.mark.parametrize("seed", SEEDS)
def test_paths_follow_the_rule_the_longer_way_round(seed):
    sides = tuple(np.random.default_rng((seed, 3)).normal(size=(3, 3)))
    sample = paths.random_sample(seed, [mm.Revolute((0, 0, 1)), mm.SphericalExp()], paths.Kind(sides=sides), 12, 200)
    assert sample.any_piece(the_longer_way).mean() > 0.05
    assert np.abs(ours(sample)[0] - sample.lengths()).max() < TOLERANCE


def the_longer_way(surface: paths.Surface, ends: np.ndarray) -> np.ndarray:
    """Which pieces turn beyond half a turn, from end to end, because of their side. (n,)"""
    turn = paths.in_plane(surface, ends)
    return turn.touches & (turn.sense != np.argmin(turn.angles, axis=0))


# --- OpenSim ----------------------------------------------------------------------------------------------------------

HINGES = [mm.Revolute((0, 0, 1)) for _ in range(4)]
QUADRANTS = {"+x": np.array([10.0, 0, 0]), "-x": np.array([-10.0, 0, 0]), "+y": np.array([0, 10.0, 0])}  # sides [m]


def opensim_differs(surface: paths.Surface, ends: np.ndarray) -> np.ndarray:
    """Where the quadrant of a WrapCylinder means another path than the side in its middle. (n,)

    A quadrant asks which points of touch are on its half of the circle, a side which way the path passes it. They agree
    if ours are on that half, unless the chord cuts and the other sense's are on it too; if ours are not, then where the
    side's line parts the ends, the chord misses, and the turn is less than half. A WrapSphere with a quadrant is
    straight wherever the chord misses, so spheres have none here. A WrapCylinder is exact across its axis only:
    `test_opensim_is_no_shorter_along_a_cylinder`.
    """
    turn = paths.in_plane(surface, ends)
    if turn.side is None:
        return np.zeros(len(ends), bool)
    touching = turn.z * np.exp(1j * np.array([[[1, -1]], [[-1, 1]]]) * turn.lift)
    on_half = (np.real(touching * np.conj(turn.side)[:, None]) > 0).all(axis=2)
    mine, other = np.where(turn.sense, on_half[::-1], on_half)
    cut = (turn.angles > 0).all(axis=0)
    return turn.outside & np.where(mine, cut & other, ~turn.parted | cut | (turn.angle > np.pi))


class OpenSimModel:
    """A mechanism of hinges about z; bodies' frames are ours."""

    def __init__(self, spec: mm.Spec, q: np.ndarray):
        self.osim = osim = pytest.importorskip("opensim")
        osim.Logger.setLevelString("off")
        self.model = osim.Model()
        self.frames, self.kept = {None: self.model.getGround()}, []  # what Python must not let go of
        for name in spec.bodies:
            self.frames[name] = osim.Body(name, 1.0, osim.Vec3(0), osim.Inertia(1, 1, 1, 0, 0, 0))
            self.model.addBody(self.frames[name])
        for (name, body), value in zip(spec.bodies.items(), q, strict=True):
            E_p = np.eye(4) if body.parent is None else np.linalg.inv(body_frame(spec.bodies[body.parent]))
            ends = self.pose(E_p @ body.E_pj), self.pose(np.linalg.inv(body_frame(body)))
            joint = osim.PinJoint(f"j{name}", self.frames[body.parent], *ends[0], self.frames[name], *ends[1])
            joint.upd_coordinates(0).setDefaultValue(float(value))
            self.model.addJoint(joint)
            self.kept.append(joint)

    def vector(self, values: np.ndarray) -> object:
        return self.osim.Vec3(*map(float, values))

    def pose(self, E: np.ndarray) -> tuple:
        """Place, and angles about the moving x, y and z."""
        R = E[:3, :3]
        angles = np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(np.clip(R[0, 2], -1, 1)), np.arctan2(-R[0, 1], R[0, 0])
        return self.vector(E[:3, 3]), self.vector(angles)

    def wrapped(self, sample: paths.Sample) -> list:
        """Paths over wrap objects; each surface acts between its two points only."""
        actuators, objects = [], []
        for m, muscle in enumerate(sample.muscles):
            actuators.append(self.osim.PathActuator())
            actuators[-1].setName(f"m{m}")
            for k, (body, point) in enumerate(muscle.points):
                actuators[-1].addNewPathPoint(f"m{m}.{k}", self.frames[body], self.vector(point))
            surfaces = [(k, s) for k, s in enumerate(muscle.surfaces) if s is not None]
            objects += [(m, k, self.wrap_object(s, f"w{m}.{k}")) for k, s in surfaces]
            self.model.addForce(actuators[-1])
        self.model.finalizeConnections()
        found = [self.osim.GeometryPath.safeDownCast(actuator.updPath()) for actuator in actuators]
        for m, k, surface in objects:
            found[m].addPathWrap(surface)
            wrap = found[m].updWrapSet().get(found[m].getWrapSet().getSize() - 1)
            wrap.set_range(0, k + 1)
            wrap.set_range(1, k + 2)
        self.kept += [actuators, objects]
        self.model.finalizeConnections()
        return found

    def wrap_object(self, surface: paths.Surface, name: str) -> object:
        wrap = getattr(self.osim, f"Wrap{surface.kind.title()}")()
        wrap.setName(name)
        wrap.set_radius(surface.radius)
        place, angles = self.pose(surface.E_bs)
        wrap.set_translation(place)
        wrap.set_xyz_body_rotation(angles)
        wrap.set_quadrant(next((quadrant for quadrant, side in QUADRANTS.items() if side is surface.side), "all"))
        if surface.kind == "cylinder":
            wrap.set_length(100.0)  # it ends there, ours never
        self.frames[surface.body].addWrapObject(wrap)
        return wrap

    def geodesics(self, sample: paths.Sample, n: int) -> list:
        """Paths of the geodesic solver (Scholz et al. 2015), which starts from a point: the middle of our arc."""
        found = []
        for m, muscle in enumerate(sample.muscles):
            path = self.osim.Scholz2015GeometryPath()
            path.setName(f"m{m}")
            self.model.addComponent(path)
            for k, (a, b, surface) in enumerate(muscle.pieces()):
                path.appendPathPoint(self.frames[a[0]], self.vector(a[1]))
                if surface is not None:
                    obstacle = self.obstacle(surface, f"c{m}.{k}")
                    ends = sample.over(a, b, surface)[n : n + 1]
                    level = ends[0, :, 2].mean() * (surface.kind == "cylinder")
                    path.appendObstacle(obstacle, self.vector(paths.in_plane(surface, ends).middle[0] + (0, 0, level)))
            path.appendPathPoint(self.frames[muscle.points[-1][0]], self.vector(muscle.points[-1][1]))
            found.append(path)
        self.kept += [found]
        self.model.finalizeConnections()
        return found

    def obstacle(self, surface: paths.Surface, name: str) -> object:
        place, angles = self.pose(surface.E_bs)
        kind = getattr(self.osim, f"Contact{surface.kind.title()}")
        shape = kind(surface.radius, place, *[angles] * (surface.kind == "cylinder"), self.frames[surface.body])
        shape.set_orientation(angles)
        shape.setName(name)
        self.model.addContactGeometry(shape)
        self.kept.append(shape)
        return shape

    def says(self, found: list, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths and dl/dq of paths at each q."""
        state = self.model.initSystem()
        coordinates = [self.model.getCoordinateSet().get(k) for k in range(Q.shape[1])]
        lengths, gradients = np.empty((len(Q), len(found))), np.empty((len(Q), len(found), Q.shape[1]))
        for n, q in enumerate(Q):
            for coordinate, value in zip(coordinates, q, strict=True):
                coordinate.setValue(state, float(value), False)
            self.model.realizePosition(state)
            for m, path in enumerate(found):
                lengths[n, m] = path.getLength(state)
                gradients[n, m] = [-path.computeMomentArm(state, coordinate) for coordinate in coordinates]
        return lengths, gradients


def wrapped_sample(seed: int, kind: paths.Kind, poses: int = 200) -> tuple[paths.Sample, tuple]:
    sample = paths.random_sample(seed, HINGES, kind, muscles=8, poses=poses)
    opensim = OpenSimModel(sample.spec, sample.q[0])
    return sample, opensim.says(opensim.wrapped(sample), sample.q)


HELD = paths.Kind(surfaces=("cylinder",), flat=True, sides=tuple(QUADRANTS.values()), hold=True)
OPENSIM_KINDS = {
    "spheres": paths.Kind(surfaces=("sphere",)),
    "flat": paths.Kind(flat=True),
    "flat, quadrants": paths.Kind(surfaces=("cylinder",), flat=True, sides=tuple(QUADRANTS.values())),
    "flat, held": HELD,
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", OPENSIM_KINDS)
def test_paths_are_those_of_opensim(name, seed):
    sample, theirs = wrapped_sample(seed, OPENSIM_KINDS[name])
    check(sample, theirs, ~sample.any_piece(opensim_differs))


def test_a_held_side_forces_the_path_round_as_a_quadrant_of_opensim_does():
    """Where the chord is clear of the cylinder, wherever OpenSim's path is taut at all; many go round by force.

    Its two points of touch are chosen one by one, and may belong to different senses: such a path is not taut. It asks
    for the hand of the foot of the centre on the chord, we for the middle of the turn; the few poses between are left.
    """
    forced = 0
    for seed in range(3):
        sample, theirs = wrapped_sample(seed, HELD)
        for k, muscle in enumerate(sample.muscles):
            if len(muscle.points) > 2 or muscle.surfaces[0] is None:
                continue
            turn = paths.in_plane(muscle.surfaces[0], sample.over(*muscle.points, muscle.surfaces[0]))
            a, chord = turn.z[:, 0], np.diff(turn.z, axis=1)[:, 0]
            foot = np.imag(a * np.conj(chord)) * 1j * chord  # times the square of the chord's length
            far, round_ = np.real(foot * np.conj(turn.side)) < 0, turn.turned_to(turn.z[:, 1])
            ours = np.take_along_axis(round_, turn.sense[None], axis=0)[0]
            clear = turn.outside & (turn.angles <= 0).any(axis=0) & (far == (ours > np.pi))
            lengths = turn.lengths
            taut = clear & (np.abs(lengths - theirs[0][:, k]) < TOLERANCE).any(axis=0)
            mine = np.take_along_axis(lengths, turn.sense[None], axis=0)[0]
            assert np.abs(mine - theirs[0][:, k])[taut].max(initial=0.0) < TOLERANCE
            forced += np.count_nonzero(taut & far)
    assert forced > 100


def test_opensim_is_no_shorter_along_a_cylinder():
    """It slides the points of touch along the axis to within 0.1 degrees of where they belong: too long by up to mm."""
    sample, theirs = wrapped_sample(0, paths.Kind(surfaces=("cylinder",)))
    excess = theirs[0] - ours(sample)[0]
    assert excess.min() > -TOLERANCE and 1e-6 < excess.max() < 1e-2


@pytest.mark.parametrize("seed", range(2))
def test_paths_are_geodesics_of_opensim(seed):
    """Any cylinder and sphere, any side: OpenSim's solver is local and is started from our arc's middle."""
    kind = paths.Kind(sides=(None, *np.random.default_rng(seed).normal(size=(2, 3))))
    sample = paths.random_sample(seed, HINGES, kind, muscles=8, poses=40)
    same = ~sample.any_piece(lambda surface, ends: paths.inside(surface, ends) | far_off(surface, ends))
    lengths, gradients = np.zeros((40, 8)), np.zeros((40, 8, 4))
    for n, q in enumerate(sample.q):
        part = paths.Sample(sample.spec, [m for m, s in zip(sample.muscles, same[n], strict=True) if s], sample.q)
        opensim = OpenSimModel(sample.spec, q)
        theirs = opensim.says(opensim.geodesics(part, n), q[None])
        lengths[n, same[n]], gradients[n, same[n]] = theirs[0][0], theirs[1][0]
    check(sample, (lengths, gradients), same, arms=1e-4)  # its path is good to 1e-5, lengths to the square of that


def far_off(surface: paths.Surface, ends: np.ndarray) -> np.ndarray:
    """Where that is too far from the solution, and the solver finds another geodesic or none: 3 in 2,000 otherwise."""
    turn = paths.in_plane(surface, ends)
    return (turn.angle > 0.8 * np.pi) | (turn.angle < -0.1 * np.pi)
