"""Random mechanisms, the one source of test models."""

from collections.abc import Callable, Sequence

import numpy as np

import myomass as mm

STEP = 1e-30  # of complex steps


def random_frame(rng: np.random.Generator, reach: float = 0.5) -> np.ndarray:
    """A pose with any orientation and a position within `reach`."""
    return mm.se3.exp(np.concatenate([rng.uniform(-2, 2, 3), rng.uniform(-reach, reach, 3)]))


def random_inertia(rng: np.random.Generator) -> mm.Inertia:
    """The inertia of some box."""
    return mm.Inertia.cuboid(rng.uniform(0.2, 0.8, 3), mass=rng.uniform(0.5, 2.0))


def spatial_transform(rng: np.random.Generator) -> mm.Joint:
    """A joint of three coordinates, one of which turns and shifts, by splines, lines, a sine and a number."""
    spline = mm.Motion.through(np.linspace(-4, 4, 9), rng.normal(size=9))
    line, sine = mm.Motion.line(1.0), mm.Motion.sine(0.4, 1.3, 0.2, 0.1)
    return mm.joints.SpatialTransform(
        rng.normal(size=(6, 3)), [line, 0.3, sine, spline, line, sine], [0, None, 1, 0, 2, 1]
    )


def joint_catalogue(rng: np.random.Generator) -> dict:
    """One joint of every type, with random parameters; inverses and nested composites among them."""
    frames = np.array([random_frame(rng) for _ in range(6)])
    control = rng.normal(size=(6, 4, 5)) * np.array([1, 1, 1, 0.4, 0.4, 0.4])[:, None, None]
    plain = {
        "fixed": mm.Fixed(),
        "revolute": mm.Revolute(rng.normal(size=3)),
        "prismatic": mm.Prismatic(rng.normal(size=3)),
        "planar": mm.Planar(),
        "translational": mm.Translational(),
        "universal": mm.Universal(),
        "spherical-exp": mm.SphericalExp(),
        "spherical-euler": mm.SphericalEuler("ZXY"),
        "spherical-euler-proper": mm.SphericalEuler("ZXZ"),
        "free-2d": mm.Free2D(),
        "free-3d": mm.Free3D("TR"),
        "free-3d-rt": mm.Free3D("RT"),
        "spline-curve": mm.SplineCurve(frames),
        "spline-curve-open": mm.SplineCurve(frames, closed=False),
        "spline-surface": mm.SplineSurface(control),
        "spatial-transform": spatial_transform(rng),
        "ellipsoidal": mm.joints.Ellipsoidal(rng.uniform(0.1, 1.0, 3)),
        "composite": mm.Composite(mm.Universal(), mm.Inverse(mm.SplineCurve(frames)), mm.Revolute((1, 2, 3))),
    }
    return plain | {f"inverse-{name}": mm.Inverse(joint) for name, joint in plain.items()}


def spline_catalogue(rng: np.random.Generator) -> dict:
    """Spline joints of the other bases, open and closed, with two segments or more each way."""
    frames = np.array([random_frame(rng) for _ in range(7)])
    control = 0.3 * rng.normal(size=(6, 7, 10))
    made = {}
    for basis in ("catmull-rom", "bezier"):
        made[f"{basis}-curve"] = mm.SplineCurve(frames[:6], basis=basis)
        made[f"{basis}-curve-open"] = mm.SplineCurve(frames, closed=False, basis=basis)
        made[f"{basis}-surface"] = mm.SplineSurface(control, basis=basis)
    return made | {f"inverse-{name}": mm.Inverse(joint) for name, joint in made.items()}


def random_tree(seed: int, n: int, kinds: list[str] | None = None, branching: float = 0.5) -> mm.Model:
    """The model of a random spec."""
    return random_spec(seed, n, kinds, branching).compile()


def random_spec(seed: int, n: int, kinds: list[str] | None = None, branching: float = 0.5) -> mm.Spec:
    """A tree of n bodies with joints of the given kinds (default: all of the catalogue)."""
    rng = np.random.default_rng(seed)
    spec = mm.Spec(name=f"tree-{seed}", gravity=rng.uniform(-10, 10, 3))
    for i in range(n):
        catalogue = joint_catalogue(rng)
        joint = catalogue[rng.choice(kinds or list(catalogue))]
        parent = None if i == 0 else f"b{i - 1 if rng.uniform() > branching else rng.integers(i)}"
        spec.add_body(f"b{i}", parent, joint, random_frame(rng), random_frame(rng), random_inertia(rng))
    return spec


def rerooted_spec(seed: int, n: int) -> mm.Spec:
    """A random tree hung from one of its later bodies: children come before their parents, chains are inverted."""
    body = f"b{n - 1 - seed % 2 if n > 2 else n - 1}"
    return random_spec(seed, n).reroot(body, joint=mm.Universal() if seed % 3 else mm.Free3D())


def spec_around(name: str) -> mm.Spec:
    """A joint of the catalogue in the middle of a chain, so that it has a moving parent and a moving child."""
    rng = np.random.default_rng(3)
    spec = mm.Spec(gravity=(1, -2, -9))
    for i, joint in enumerate((mm.Universal(), joint_catalogue(rng)[name], mm.SphericalExp())):
        frames = random_frame(rng), random_frame(rng)
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, joint, *frames, random_inertia(rng))
    return spec


def complex_slopes(function: Callable, vectors: Sequence[np.ndarray], which: int) -> np.ndarray:
    """d function/d vectors[which] by complex steps, column by column."""
    columns = []
    for j in range(len(vectors[which])):
        stepped = [x.astype(complex) for x in vectors]
        stepped[which][j] += 1j * STEP
        columns.append(function(*stepped).imag / STEP)
    return np.array(columns).T


def add_every_force(spec: mm.Spec, seed: int) -> None:
    """A force of every kind between random bodies, and laws on every joint whose coordinates keep their meaning."""
    rng = np.random.default_rng(seed)
    names = list(spec.bodies)

    def point(world: bool = False) -> tuple:
        return (None if world else str(rng.choice(names)), rng.normal(size=3))

    spec.add_force(mm.PointForce(*point()[:1], force=rng.normal(size=3), point=rng.normal(size=3)))
    spec.add_force(mm.PointSpring(point(), point(), stiffness=30, damping=4))
    spec.add_force(mm.PointSpring(point(world=True), point(), stiffness=20, damping=3))
    spec.add_force(mm.SpringDamper([point(), point()], stiffness=25, damping=2, rest_length=1.7))
    spec.add_force(mm.Cable([point() for _ in range(4)], stiffness=25, damping=0.5, rest_length=1.2))
    spec.add_force(mm.BodyDamping(str(rng.choice(names)), linear=1.5, angular=0.7))
    plane = random_frame(rng)
    for friction in (0.05, 50.0):  # some points slide, others stick
        options = {"stiffness": 40, "damping": 2, "friction": friction, "sticking": 5, "plane": plane}
        spec.add_force(mm.Ground(str(rng.choice(names)), size=(3, 2, 2), **options))
    ends = [(str(rng.choice(names)), random_frame(rng)) for _ in range(2)]
    spec.add_force(mm.forces.Bushing(*ends, rng.uniform(5, 50, 6).tolist(), rng.uniform(0.5, 3, 6).tolist()))
    pushes = rng.normal(size=(3, 3)).tolist()
    spec.add_force(mm.forces.PrescribedForce(str(rng.choice(names)), *pushes, False, frame=random_frame(rng)))
    model = spec.compile()
    for name in names:
        dofs = model.dof(name)
        if (
            dofs.start == dofs.stop
            or "Euler" in repr(spec.bodies[name].joint)
            or "Free3D" in repr(spec.bodies[name].joint)
        ):
            continue
        spec.add_force(mm.JointSpring(name, stiffness=11, damping=1.5, rest=0.3))
        spec.add_force(mm.JointLimit(name, lower=0.5, upper=0.8, stiffness=50, damping=2))
        spec.add_force(mm.JointTorque(name, [0.5, 2.0], times=[0.0, 1.0], linear=True))
        for coordinate in model.coordinates[dofs]:
            spec.add_force(mm.forces.CoordinateSpring(coordinate, 7.0, 0.6, rest=0.1))
            spec.add_force(mm.forces.CoordinateLimit(coordinate, 0.4, 0.7, (20.0, 30.0), 1.5, transition=0.6))


def add_contacts(spec: mm.Spec, seed: int) -> None:
    """Compliant contacts of every kind and shape between random bodies, which touch at random poses."""
    rng = np.random.default_rng(seed)
    names = list(spec.bodies)
    keys = ("stiffness", "dissipation", "static_friction", "dynamic_friction", "viscous_friction")
    smooth = {"hertz_smoothing": 2.0, "hunt_crossley_smoothing": 1.0}
    for kind, more in ((mm.forces.HuntCrossley, {}), (mm.forces.SmoothHuntCrossley, smooth)):
        for other in ("plane", "body", "sphere"):
            a, b = rng.choice(names, 2, replace=False)
            second, radius = (None if other == "plane" else b, random_frame(rng)), {}
            if other == "sphere":
                second, radius = (b, rng.normal(size=3)), {"other_radius": 4.0}
            material = {key: tuple(rng.uniform(0.1, 0.9, 2)) for key in keys}
            given = material | radius | more | {"transition_velocity": 2.0}
            spec.add_force(kind((a, rng.normal(size=3)), 3.0, second, **given))


def random_state(model: mm.Model, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, qdot, qddot) away from chart singularities."""
    rng = np.random.default_rng(seed + 10_000)
    return rng.uniform(0.2, 1.2, model.ndof), rng.normal(size=model.ndof), rng.normal(size=model.ndof)
