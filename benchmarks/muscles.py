"""Speed of muscles against MuJoCo's tendons: ratios, in one process, interleaved, one thread, medians.

    python benchmarks/muscles.py [--rounds 25]

A leg of 10 degrees of freedom with 40 muscles, 20 of them over cylinders and spheres, in steps of semi-implicit Euler
of 1 ms. MuJoCo's tendons follow the same paths and have no mass; it finds their lengths, moment arms and velocities in
every step. Ours have mass, as points along the path or spread along it, and are blended where they touch down. Below 1
means that MyoMass is faster; the rows without muscles say what the bones alone cost.
"""

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np
from dynamics import STEPS, H, interleave
from mujoco import rollout
from peers import mujoco_peer

import myomass as mm
from myomass._jit import kernel
from myomass.model.workspace import open_tree
from myomass.muscles import equations, path, points
from myomass.muscles.mass import place_mass
from myomass.muscles.records import muscles_of, open_muscles

POINTS = 20  # mass points along a muscle
GRAVITY = (0, -9.81, 0)


# --- the leg: x forward, y up, z to the right [m, kg], everything in the joint's frame of its body --------------------


class Bone(NamedTuple):
    parent: str | None
    joint: mm.Joint
    place: tuple  # of the joint, in the parent's frame
    centre: tuple  # of the box that stands for the bone and what surrounds it
    size: tuple
    mass: float


BONES = {
    "pelvis": Bone(None, mm.Free2D(), (0, 0, 0), (-0.07, 0.0, 0.0), (0.15, 0.2, 0.25), 11.8),
    "thigh": Bone("pelvis", mm.SphericalExp(), (-0.071, -0.066, 0.084), (0, -0.17, 0), (0.12, 0.4, 0.12), 9.3),
    "shank": Bone("thigh", mm.Revolute((0, 0, 1)), (0, -0.4, 0), (0, -0.19, 0), (0.09, 0.43, 0.09), 3.7),
    "foot": Bone(
        "shank",
        mm.Composite(mm.Revolute((0, 0, 1)), mm.Revolute((0.79, 0.6, -0.12))),
        (0, -0.43, 0),
        (0.05, -0.03, 0),
        (0.2, 0.06, 0.08),
        1.25,
    ),
    "toes": Bone("foot", mm.Revolute((-0.58, 0, 0.81)), (0.13, -0.044, 0.009), (0.03, 0, 0), (0.07, 0.02, 0.09), 0.22),
}


class Surface(NamedTuple):
    kind: str  # "cylinder", axis across the leg, or "sphere"
    body: str
    centre: tuple
    radius: float
    side: tuple | None = None  # a point, from the centre


SURFACES = {
    "hip front": Surface("sphere", "pelvis", (-0.071, -0.066, 0.084), 0.034, (0.1, 0, 0)),
    "hip back": Surface("sphere", "pelvis", (-0.071, -0.066, 0.084), 0.045, (-0.1, 0, 0)),
    "knee front": Surface("cylinder", "thigh", (0, -0.4, 0), 0.04, (0.1, 0, 0)),
    "knee back": Surface("cylinder", "thigh", (-0.004, -0.4, 0), 0.022, (-0.1, 0, 0)),
    "condyle medial": Surface("sphere", "thigh", (0, -0.4, -0.024), 0.022),
    "condyle lateral": Surface("sphere", "thigh", (0, -0.4, 0.024), 0.022),
    "ankle front": Surface("cylinder", "shank", (0, -0.43, 0), 0.035, (0.1, 0, 0)),
    "ankle back": Surface("cylinder", "shank", (0, -0.43, 0), 0.03, (-0.1, 0, 0)),
}

# name: mass, points (body's first letters, x, y, z [mm]), surface of each piece that has one
MUSCLES = {
    # straight and through points
    "gluteus medius 1": (0.15, "p -41 30 121, th -22 -12 56", {}),
    "gluteus medius 2": (0.12, "p -86 45 77, th -26 -6 53", {}),
    "gluteus medius 3": (0.12, "p -122 11 65, th -31 -5 52", {}),
    "gluteus minimus 1": (0.04, "p -47 -8 106, th -7 -10 56", {}),
    "gluteus minimus 2": (0.04, "p -63 -7 99, th -10 -10 56", {}),
    "gluteus minimus 3": (0.04, "p -83 -6 86, th -14 -8 55", {}),
    "adductor longus": (0.22, "p -32 -84 17, th 5 -211 23", {}),
    "adductor brevis": (0.12, "p -59 -92 16, th 1 -120 29", {}),
    "adductor magnus 1": (0.18, "p -73 -117 26, th -5 -121 34", {}),
    "adductor magnus 2": (0.18, "p -83 -119 31, th 5 -229 23", {}),
    "adductor magnus 3": (0.18, "p -77 -118 28, th 7 -384 -27", {}),
    "pectineus": (0.09, "p -43 -77 45, th -12 -82 25", {}),
    "quadratus femoris": (0.08, "p -114 -115 52, th -38 -36 37", {}),
    "gemelli": (0.03, "p -113 -82 71, th -14 -3 44", {}),
    "piriformis": (0.06, "p -140 0 24, p -119 -28 66, th -15 -4 44", {}),
    "tensor fasciae latae": (0.10, "p -31 21 124, th 29 -100 60, th 5 -395 36, s 6 -49 30", {}),
    "sartorius": (0.17, "p -15 -1 124, th -3 -357 -42, s -6 -42 -40, s 6 -59 -38, s 24 -84 -25", {}),
    "gluteus maximus 3": (0.20, "p -155 -31 6, p -153 -105 40, th -30 -104 41, th -6 -142 41", {}),
    "popliteus": (0.03, "th -7 -385 30, s -20 -40 20, s -15 -80 -15", {}),
    "flexor digitorum": (0.05, "s -8 -205 2, s -15 -405 -20, f -5 -16 -21, f 22 -33 -10, t 3 -8 12, t 44 -6 24", {}),
    # over surfaces
    "semimembranosus": (0.28, "p -119 -102 70, s -24 -54 -19", {0: "knee back"}),
    "semitendinosus": (0.16, "p -124 -104 60, s -31 -55 -15, s -11 -75 -25, s 3 -96 -19", {0: "knee back"}),
    "biceps femoris long": (0.23, "p -124 -100 67, s -30 -36 29, s -23 -56 34", {0: "knee back"}),
    "biceps femoris short": (0.10, "th 5 -211 23, s -30 -36 29, s -23 -56 34", {0: "knee back"}),
    "gracilis": (0.12, "p -56 -104 8, s -15 -48 -36, s 6 -84 -23", {0: "knee back"}),
    "gluteus maximus 1": (0.30, "p -120 61 70, th -46 -25 39, th -28 -57 47", {0: "hip back"}),
    "gluteus maximus 2": (0.30, "p -135 18 56, th -43 -59 29, th -16 -102 42", {0: "hip back"}),
    "iliacus": (0.16, "p -67 37 85, th 2 -54 6, th -19 -62 13", {0: "hip front"}),
    "psoas": (0.22, "p -65 89 29, th 2 -51 4, th -19 -60 10", {0: "hip front"}),
    "rectus femoris": (0.26, "p -30 -31 97, s 52 -20 1", {0: "knee front"}),
    "vastus medialis": (0.40, "th 14 -210 19, th 36 -277 1, s 45 -25 -10", {1: "knee front"}),
    "vastus intermedius": (0.25, "th 29 -192 31, th 34 -208 29, s 50 -22 0", {1: "knee front"}),
    "vastus lateralis": (0.75, "th 5 -185 35, th 27 -259 41, s 45 -25 15", {1: "knee front"}),
    "gastrocnemius medialis": (0.25, "th -19 -383 -24, f -44 -11 3", {0: "condyle medial"}),
    "gastrocnemius lateralis": (0.14, "th -22 -384 27, f -44 -11 3", {0: "condyle lateral"}),
    "soleus": (0.44, "s -2 -153 7, f -44 -11 3", {0: "ankle back"}),
    "tibialis posterior": (0.09, "s -9 -135 2, f 30 -30 -25, f 50 -45 -20", {0: "ankle back"}),
    "tibialis anterior": (0.13, "s 18 -162 12, f 68 -24 -22", {0: "ankle front"}),
    "extensor digitorum": (0.06, "s 3 -138 28, f 70 -15 10, f 110 -36 12, t 44 4 25", {0: "ankle front"}),
    "extensor hallucis": (0.03, "s 1 -177 23, f 65 -12 -15, f 120 -25 -18, t 58 6 -19", {0: "ankle front"}),
}

BODY_OF = {"p": "pelvis", "th": "thigh", "s": "shank", "f": "foot", "t": "toes"}
POSE = dict(zip(range(3, 10), (0.3, -0.05, 0.5, -0.8, 0.1, 0.1, 0.2), strict=True))  # q from the hip on [rad]
SPEED = dict(zip(range(3, 10), (0.5, 0.3, 3.0, -2.0, 2.0, 0.5, 1.0), strict=True))


def points_of(text: str) -> list[tuple[str, np.ndarray]]:
    """Bodies and places [m] of a muscle's points."""
    words = (point.split() for point in text.split(","))
    return [(BODY_OF[body], 1e-3 * np.array(numbers, float)) for body, *numbers in words]


def start() -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) of a step forward, in the swing. (10,) each"""
    q, qdot = np.zeros((2, 10))
    q[list(POSE)], qdot[list(SPEED)] = list(POSE.values()), list(SPEED.values())
    return q, qdot


# --- in both programs -------------------------------------------------------------------------------------------------


def bones() -> mm.Spec:
    """The leg without muscles."""
    spec = mm.Spec("leg", gravity=GRAVITY)
    for name, bone in BONES.items():
        box = mm.Inertia.cuboid(bone.size, mass=bone.mass)
        spec.add_body(name, bone.parent, bone.joint, mm.translation(*bone.place), mm.translation(*bone.centre), box)
    return spec


def muscled(massive: bool = True, **options: object) -> mm.Spec:
    """The leg with its muscles; ours give points and surfaces in bodies' frames, which lie at the boxes' centres."""
    spec, surfaces = bones(), {}
    for name, s in SURFACES.items():
        kind = {"cylinder": mm.wrap.Cylinder, "sphere": mm.wrap.Sphere}[s.kind]
        place = mm.translation(*np.subtract(s.centre, BONES[s.body].centre))
        surfaces[name] = kind(body=s.body, E_bs=place, radius=s.radius, side=s.side)
    for name, (mass, text, over) in MUSCLES.items():
        points = [(body, tuple(place - BONES[body].centre)) for body, place in points_of(text)]
        wrap = [surfaces.get(over.get(piece)) for piece in range(len(points) - 1)]
        spec.add_muscle(name, mass=mass * massive, points=points, wrap=wrap, smoothing="blend", **options)
    return spec


def add_tendons(mjcf: mujoco.MjSpec) -> None:
    """The muscles' paths as spatial tendons without mass, stiffness and damping."""
    for name, s in SURFACES.items():
        kind, body = getattr(mujoco.mjtGeom, f"mjGEOM_{s.kind.upper()}"), mjcf.body(s.body)
        body.add_geom(name=name, type=kind, pos=s.centre, size=(s.radius, 0.1, 0.0), contype=0, conaffinity=0)
        if s.side is not None:
            body.add_site(name=f"side of {name}", pos=np.add(s.centre, s.side))
    for name, (_, text, over) in MUSCLES.items():
        tendon = mjcf.add_tendon(name=name)
        for k, (body, place) in enumerate(points_of(text)):
            mjcf.body(body).add_site(name=f"{name} {k}", pos=place)
            tendon.wrap_site(f"{name} {k}")
            if k in over:
                side = f"side of {over[k]}" if SURFACES[over[k]].side is not None else ""
                tendon.wrap_geom(over[k], side)


# --- runs -------------------------------------------------------------------------------------------------------------


def tendon_leg(tendons: bool = True) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The leg in MuJoCo, at its start; energies off, as nothing reads them."""
    peer = mujoco_peer(bones(), add_tendons) if tendons else mujoco_peer(bones())
    model, data = peer.model, mujoco.MjData(peer.model)
    model.opt.timestep, model.opt.enableflags = H, 0
    data.qpos[:], data.qvel[:], _ = peer.motion(*start(), np.zeros(10))
    return model, data


def tendon_run(tendons: bool = True) -> Callable:
    model, data = tendon_leg(tendons)
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mujoco.mj_stateSize(model, full))
    mujoco.mj_getState(model, data, state, full)
    return lambda: rollout.rollout(model, data, state[None], nstep=STEPS)


def muscle_run(spec: mm.Spec) -> Callable:
    model, (q, qdot) = spec.compile(), start()
    return lambda: mm.simulate(model, q=q, qdot=qdot, integrator="semi-implicit", h=H, duration=STEPS * H)


def touching() -> float:
    """Number of the 20 wrapped tendons that touch their surface, on average along MuJoCo's run."""
    model, data = tendon_leg()
    count = 0
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        count += sum(data.wrap_obj.ravel()[: data.ten_wrapadr[-1] + data.ten_wrapnum[-1]] >= 0) / 2
    return count / STEPS


def report(rounds: int) -> None:
    """Print times per step, and their ratios to MuJoCo's with and without what muscles add on either side."""
    calls = {
        "uniform, 20 points": muscle_run(muscled(mass_points=POINTS, distribution="uniform")),
        "continuous": muscle_run(muscled(distribution="continuous")),
        "massless": muscle_run(muscled(massive=False)),
        "no muscles": muscle_run(bones()),
        "mujoco, tendons": tendon_run(),
        "mujoco, no tendons": tendon_run(tendons=False),
    }
    times = interleave(calls, rounds)
    theirs, bare = times["mujoco, tendons"], times["mujoco, no tendons"]
    print(f"leg of 10 dof, 40 muscles, {touching():.1f} of 20 wrapped ones touching: {STEPS}-step rollouts from Python")
    print(f"  {'':22s} us/step   ratio to mujoco.rollout (quartiles)   muscles' share, ratio to tendons' share")
    for name, ours in times.items():
        low, middle, high = np.percentile(ours / (bare if name.endswith("no muscles") else theirs), (25, 50, 75))
        base = bare if name.startswith("mujoco") else times["no muscles"]
        share = np.median((ours - base) / (theirs - bare))
        print(f"  {name:22s} {np.median(ours) / STEPS * 1e6:7.2f}   {middle:.2f}  ({low:.2f}-{high:.2f}) {share:34.2f}")


PARTS = ("paths", "places of mass", "motion of nodes", "directions", "Jacobians and corners", "sums and inertia")


@kernel(entry=True)
def evaluate_parts(most, repeats, q, qdot, handle, muscles_handle, r):
    """The first parts of the muscles' evaluation, up to number `most`, again and again."""
    tree, muscles = open_tree(handle, q), open_muscles(muscles_handle, q)
    for _ in range(repeats):
        if most == 5:
            equations.evaluate(0.0, q, qdot, qdot, tree, muscles, True, True, -1, r)
            continue
        for index in range(muscles.table.shape[0]):
            muscle = muscles.table[index]
            path.solve_path(muscle, q, tree.work, muscles)
            count = place_mass(muscle, muscles) if most > 0 else 0
            if most == 4:
                corners = equations.place_corners(count, muscle, muscles)
                equations.move_nodes(count, corners, muscle, qdot, qdot, tree, muscles)
                continue
            if most > 1:
                points.along_motion(qdot, qdot, tree.work, muscles)
                path.advance(muscle, muscles)
                for i in range(count):
                    x, _, a = path.node_jet(muscles.scratch.nodes[i], muscle, muscles)
                    r[0] += x[0] + a[0]
            if most > 2:
                for s in range(muscle.spans):
                    points.along_dof(muscle, s, tree, muscles)
                    path.advance_rates(muscle, muscles)


def report_parts(rounds: int) -> None:
    """Print the time of each part of the muscles' evaluation, best of the rounds."""
    print("evaluation of the muscles by part, us of one step:  uniform  continuous")
    columns = []
    for distribution in ("uniform", "continuous"):
        model, (q, qdot) = muscled(distribution=distribution).compile(), start()
        mm.forward_dynamics(model, q, qdot)
        space = model.workspace
        given = (q, qdot, space.tree.handle, muscles_of(space).handle, np.zeros(model.ndof))
        evaluate_parts(0, 1, *given)  # compiled before it is timed
        best = np.full(len(PARTS), np.inf)
        for _ in range(rounds):
            for most in range(len(PARTS)):
                before = time.perf_counter()
                evaluate_parts(most, 100, *given)
                best[most] = min(best[most], (time.perf_counter() - before) / 100)
        columns.append(1e6 * np.diff(best, prepend=0.0))
    for part, *values in zip(PARTS, *columns, strict=True):
        print(f"  {part:46s} {values[0]:10.2f} {values[1]:11.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    report(rounds)
    report_parts(rounds)


if __name__ == "__main__":
    main()
