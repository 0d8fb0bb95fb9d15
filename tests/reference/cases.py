"""Random mechanisms that the peers can represent, in random states of motion, and how results are compared."""

from dataclasses import dataclass

import numpy as np
from peers import elementary, first_dofs
from trees import random_frame, random_inertia

import myomass as mm

TOLERANCE = 1e-10  # of the largest entry


def joint_catalogue(rng: np.random.Generator) -> dict[str, mm.Joint]:
    """One joint of every kind that the peers have, by its name; series of them and their inverses among them."""
    turn, slide, ball = mm.Revolute(rng.normal(size=3)), mm.Prismatic(rng.normal(size=3)), mm.SphericalExp()
    plain = {
        "revolute": turn,
        "revolute-along-axis": mm.Revolute(rng.permutation([0, 0, rng.choice([-1, 1])])),
        "prismatic": slide,
        "planar": mm.Planar(),
        "translational": mm.Translational(),
        "universal": mm.Universal(),
        "spherical-exp": ball,
        "spherical-euler": mm.SphericalEuler(str(rng.choice(["XYZ", "ZXY", "YXZ", "ZYX", "XZY"]))),
        "spherical-euler-proper": mm.SphericalEuler(str(rng.choice(["ZXZ", "XYX", "YZY"]))),
        "free-2d": mm.Free2D(),
        "free-3d": mm.Free3D("TR"),
        "free-3d-rt": mm.Free3D("RT"),
        "composite": mm.Composite(turn, mm.Inverse(slide), mm.Universal()),
        "composite-ball-first": mm.Composite(ball, slide, mm.Revolute((1, 2, 3))),
        "composite-nested": mm.Composite(mm.Inverse(mm.Composite(mm.Planar(), turn)), mm.Prismatic((1, -1, 3))),
    }
    return {"fixed": mm.Fixed()} | plain | {f"inverse-{name}": mm.Inverse(joint) for name, joint in plain.items()}


LINK_KINDS = ("fixed", "revolute", "prismatic", "universal")  # of a massless link: its child resists each motion
SIMPLE_KINDS = ("revolute", "prismatic", "inverse-revolute", "inverse-prismatic", "planar")  # of that child


def random_spec(seed: int, most: int = 12) -> mm.Spec:
    """A forest of 1 to `most` bodies: branches, free roots, fixed and massless links, gravity in any direction.

    At least one joint moves.
    """
    rng = np.random.default_rng(seed)
    spec = mm.Spec(name=f"peer-{seed}", gravity=rng.uniform(-10, 10, 3))
    n, massless, ndof = int(rng.integers(1, most + 1)), False, 0
    for i in range(n):
        catalogue, parent, carried = joint_catalogue(rng), _random_parent(rng, i), massless
        massless = not carried and i < n - 1 and rng.uniform() < 0.1
        kind = str(rng.choice(LINK_KINDS if massless else SIMPLE_KINDS if carried else list(catalogue)))
        if parent is None and not (massless or carried) and rng.uniform() < 0.2:
            kind = "free-3d"
        joint = catalogue["revolute" if kind == "fixed" and i == n - 1 and ndof == 0 else kind]
        inertia = None if massless else _random_inertia(rng)
        parent = f"b{i - 1}" if carried else parent
        spec.add_body(f"b{i}", parent, joint, random_frame(rng), random_frame(rng), inertia)
        ndof += joint.ndof
    return spec


def _random_inertia(rng: np.random.Generator) -> mm.Inertia:
    """A box, or two boxes as one body: its centre of mass and principal axes are elsewhere then."""
    if rng.uniform() < 0.5:
        return random_inertia(rng)
    return mm.Inertia.composite([(random_inertia(rng), random_frame(rng, 0.2)) for _ in range(2)])


def _random_parent(rng: np.random.Generator, i: int) -> str | None:
    """The world, the body before or any earlier one."""
    chance = rng.uniform()
    if i == 0 or chance < 0.1:
        return None
    return f"b{i - 1}" if chance < 0.5 else f"b{rng.integers(i)}"


@dataclass(frozen=True)
class Case:
    """A random mechanism in a random state of motion, under random forces."""

    seed: int
    spec: mm.Spec
    model: mm.Model
    q: np.ndarray
    qdot: np.ndarray
    qddot: np.ndarray
    tau: np.ndarray
    wrenches: np.ndarray  # on bodies, [moment; force] in body frames, (nbodies, 6)
    body: int  # one of the bodies ...
    E_bf: np.ndarray  # ... and a frame on it


def random_case(seed: int) -> Case:
    """The case of a seed; angles keep away from the singularities of Euler charts."""
    spec, rng = random_spec(seed), np.random.default_rng((seed, 1))
    model = spec.compile()
    q = rng.choice([-1, 1], model.ndof) * rng.uniform(0.2, 1.2, model.ndof)
    for ball in _balls(spec):
        q[ball] *= rng.choice([0, 1e-5, 1e-2, rng.uniform(0.1, 4.5)], p=(0.1, 0.1, 0.1, 0.7)) / np.linalg.norm(q[ball])
    qdot, qddot, tau = rng.normal(size=(3, model.ndof))
    wrenches, body = 10 * rng.normal(size=(model.nbodies, 6)), int(rng.integers(model.nbodies))
    return Case(seed, spec, model, q, qdot, qddot, 10 * tau, wrenches, body, random_frame(rng))


def _balls(spec: mm.Spec) -> list[np.ndarray]:
    """Degrees of freedom of every rotation vector."""
    first = first_dofs(spec)
    motions = [(first[name], motion) for name, body in spec.bodies.items() for motion in elementary(body.joint)]
    return [start + np.array(motion.dofs) for start, motion in motions if motion.kind == "ball"]


def condition(case: Case) -> float:
    """cond(M): how much larger errors of accelerations may be than those of forces."""
    return float(np.linalg.cond(mm.mass_matrix(case.model, case.q)))


def relative_error(ours: np.ndarray, theirs: np.ndarray, floor: float = 1e-3) -> float:
    """Largest difference over the largest entry, which counts as `floor` where all are smaller."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        raise ValueError(f"shapes {ours.shape} and {theirs.shape} differ")
    return float(np.abs(ours - theirs).max(initial=0.0) / np.abs(theirs).max(initial=floor))


class Comparison:
    """A case in ours and in a peer's program: has `case` and `peer`."""

    @property
    def model(self) -> object:
        return self.peer.model

    def check(self, ours: np.ndarray, theirs: np.ndarray) -> None:
        """Fail with the seed if the two differ."""
        error = relative_error(ours, theirs)
        assert error < TOLERANCE, f"seed {self.case.seed}: relative error {error:.2g}"

    def check_both(self, ours: tuple, theirs: tuple) -> None:
        """The same for a pair (J, Jdot)."""
        for one, other in zip(ours, theirs, strict=True):
            self.check(one, other)
