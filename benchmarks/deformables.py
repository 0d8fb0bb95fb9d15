"""Speed of soft bodies: elements by themselves, steps of a beam and of the starfish, and MuJoCo's flex.

    python benchmarks/deformables.py [--rounds 9] [--most 100000]

Energy, forces and stiffness of each material, from Python, one thread: linear cost is a ratio of 1 between the times
of a tetrahedron in the two meshes, taken within each round. Stiffness at rest is timed against scikit-fem's assembly
of linear elasticity over the same mesh; below 1 means that MyoMass is faster.

Steps: a cantilever of Saint Venant's and Kirchhoff's material with mass at its nodes, which falls under its weight, is
the same equation in both programs (tests/reference/test_mujoco_flex.py). Time at equal error: each program's end state
against a run of its own, by RK4 with a tenth of the shortest step, for several methods and steps; the time at which a
method reaches an error is read off between its steps. `--most` leaves out larger meshes.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import mujoco
import numpy as np
from dynamics import interleave  # sets one thread
from flexes import flex_model, held_flex

import myomass as mm
from myomass.deformables.materials.dispatch import MATERIALS, OWN
from myomass.scenes import starfish

try:
    import skfem
    from skfem.models.elasticity import linear_elasticity
except ImportError:
    skfem = None

SMALL, MIDDLE, LARGE = (6, 6, 5), (12, 12, 12), (26, 26, 25)  # cells of a box: 1,080, 10,368, 101,400 tetrahedra


def box(material: type[mm.deformables.Material], cells: tuple) -> tuple[mm.deformables.SoftBody, np.ndarray]:
    """A box of a material, and places of its nodes close to rest."""
    mesh = mm.deformables.TetMesh.box((1, 1, 1), cells)
    body = mm.deformables.SoftBody(mesh, material(1e5, 0.4, 1000.0))
    return body, mesh.nodes + 1e-3 * np.random.default_rng(0).normal(size=mesh.nodes.shape)


def report_cost(rounds: int) -> None:
    print("time of a tetrahedron [us]                   of 1,080   of 101,400   ratio")
    for material in MATERIALS[:OWN]:
        (small, x), (large, y) = box(material, SMALL), box(material, LARGE)
        for name in ("energy", "forces", "stiffness"):
            calls = {
                "small": lambda name=name, small=small, x=x: [getattr(small, name)(x) for _ in range(20)],
                "large": lambda name=name, large=large, y=y: getattr(large, name)(y),
            }
            few, many = interleave(calls, rounds).values()
            few, many = few / (20 * len(small.mesh.tets)), many / len(large.mesh.tets)
            told = f"{1e6 * np.median(few):8.3f}   {1e6 * np.median(many):8.3f}     {np.median(many / few):5.2f}"
            print(f"  {f'{material.__name__}, {name}':40s} {told}")


def report_peer(rounds: int) -> None:
    body, _ = box(mm.deformables.CoRotated, MIDDLE)
    mesh, (mu, lam) = body.mesh, body.materials[0].lame
    basis = skfem.Basis(
        skfem.MeshTet(mesh.nodes.T.copy(), mesh.tets.T.copy()), skfem.ElementVector(skfem.ElementTetP1())
    )
    form = linear_elasticity(lam, mu)
    calls = {"myomass": lambda: body.stiffness(mesh.nodes), "skfem": lambda: form.assemble(basis)}
    ours, theirs = interleave(calls, rounds).values()
    print(f"stiffness of {len(mesh.tets)} tetrahedra at rest / scikit-fem's assembly: {np.median(ours / theirs):.3f}")


BEAMS = {1080: (20, 3, 3), 9936: (46, 6, 6), 100386: (99, 13, 13)}  # cells, by the number of tetrahedra
FALL, STEP, STEPS = 0.25, 2e-3, {1080: 100, 9936: 30, 100386: 10}  # duration [s], step [s], steps that are timed
OURS = ("euler", "bdf1", "bdf2")
LONG, SHORT = (1e-2, 5e-3, 2.5e-3, 1.25e-3), (2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4)  # steps of implicit methods [s]
STABLE = {1080: (2.5e-4, 1.25e-4), 9936: (1.25e-4, 6.25e-5)}  # steps of explicit ones [s]
METHODS = {  # by the program, then by the method: is it implicit
    "myomass": {"bdf1": True, "bdf2": True, "sdirk2": True, "semi-implicit": False, "rk4": False},
    "mujoco": {"discrete": True, "Euler": False, "RK4": False},
}
ERRORS = 2e-3, 5e-4  # [m], of a beam of 0.4 m
FLEX = {"solver": mujoco.mjtSolver.mjSOL_CG, "tolerance": 1e-6}  # as MuJoCo's guide has it for soft meshes


def beam(tets: int, size: Sequence[float] = (0.4, 0.06, 0.06)) -> tuple[mm.deformables.SoftBody, np.ndarray]:
    """A beam along x, and marks of the nodes at its held end."""
    mesh = mm.deformables.TetMesh.box(size, BEAMS[tets])
    material = mm.deformables.SaintVenantKirchhoff(1e6, 0.3, 1000.0)
    return mm.deformables.SoftBody(mesh, material, lumped=True), mesh.nodes[:, 0] < -0.4999 * size[0]


def beam_model(tets: int, *size: Sequence[float]) -> mm.Model:
    spec, (soft, held) = mm.Spec("beam", (0.0, 0.0, -9.81)), beam(tets, *size)
    spec.add_soft_body("beam", soft, {None: held})
    return spec.compile()


def run(model: mm.Model, method: str, h: float, steps: int) -> np.ndarray:
    """Displacements of free nodes after a fall from rest, by MyoMass. [m]"""
    made = mm.simulate(model, q=np.zeros(model.ndof), integrator=method, h=h, duration=steps * h)
    return made.q[-1] if made.ended == "completed" else np.full(model.ndof, np.nan)


def run_flex(model: mujoco.MjModel, method: str, h: float, steps: int) -> np.ndarray:
    """The same by MuJoCo."""
    data = mujoco.MjData(model)
    model.opt.timestep = h
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{method.upper()}")
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return data.qpos.copy()


def report_steps(rounds: int, most: int) -> None:
    """Print what a step takes, and how it grows with the mesh."""
    print(f"step of {1e3 * STEP:g} ms of a falling beam [ms]     mujoco    " + "".join(f"{name:>20s}" for name in OURS))
    before: dict[str, float] = {}
    for tets in [tets for tets in BEAMS if tets <= most]:
        model, theirs, steps = beam_model(tets), held_flex(*beam(tets), STEP, "discrete", **FLEX), STEPS[tets]
        calls = {"mujoco": lambda m=theirs, n=steps: run_flex(m, "discrete", STEP, n)}
        calls |= {name: lambda m=model, n=steps, name=name: run(m, name, STEP, n) for name in OURS}
        found = {name: 1e3 * t / steps for name, t in interleave(calls, rounds).items()}
        times, nodes = {name: np.median(t) for name, t in found.items()}, len(model.soft_bodies["beam"].mesh.nodes)
        ours = "".join(f"{times[name]:10.2f} ({np.median(found[name] / found['mujoco']):5.2f} x)" for name in OURS)
        print(
            f"  {tets:6d} tetrahedra, {nodes:5d} nodes {times['mujoco']:18.2f}    {ours}" + growth(times, before, nodes)
        )
        before = times | {"nodes": nodes}


def report_starfish(rounds: int) -> None:
    """Print what a step of the starfish takes while it lies, and of its flesh and bones as a flex without drives."""
    scene, bones = starfish.starfish(), mm.Spec("starfish", starfish.GRAVITY)
    starfish.add_skeleton(bones)
    flesh = scene.spec.soft_bodies["flesh"].soft
    old = flesh.materials[0]
    stiff = mm.deformables.SaintVenantKirchhoff(old.youngs, old.poisson, old.density)
    bones.add_soft_body("flesh", replace(flesh, material=stiff, stiffness_damping=0.0, lumped=True), starfish.riders())
    theirs, steps = flex_model(bones, scene.h, ground=0.0, **FLEX), round(starfish.LYING / scene.h)
    calls = {"mujoco": lambda: run_flex(theirs, "discrete", scene.h, steps)}
    for name in OURS:
        calls[name] = lambda name=name: mm.simulate(scene, integrator=name, duration=steps * scene.h)
    times = interleave(calls, rounds)
    told = ", ".join(f"{name} {1e3 * np.median(t) / steps:.2f}" for name, t in times.items())
    print(f"step of {1e3 * scene.h:g} ms of the starfish as it lies [ms]: {told}")


def report_growth(rounds: int, most: int) -> None:
    """Print how the time of a step grows with a beam of the same cells, of 2 cm, that is longer, wider and higher."""
    print(f"step of {1e3 * STEP:g} ms of beams of cells of 2 cm [ms]")
    models = {tets: beam_model(tets, 0.02 * np.array(BEAMS[tets])) for tets in BEAMS if tets <= most}
    calls = {
        (tets, name): lambda m=model, n=STEPS[tets], name=name: run(m, name, STEP, n)
        for tets, model in models.items()
        for name in OURS
    }
    found, before = interleave(calls, rounds), {}
    for tets, model in models.items():
        nodes = len(model.soft_bodies["beam"].mesh.nodes)
        times = {name: 1e3 * np.median(found[tets, name]) / STEPS[tets] for name in OURS}
        told = ", ".join(f"{name} {t:.2f}" for name, t in times.items())
        print(f"  {tets:6d} tetrahedra, {nodes:5d} nodes: {told}" + growth(times, before, nodes))
        before = before or times | {"nodes": nodes}


def growth(times: dict[str, float], before: dict[str, float], nodes: int) -> str:
    """How many times as long 10 times the nodes take, from the smallest mesh on."""
    if not before:
        return ""
    power = 1.0 / np.log10(nodes / before["nodes"])
    grown = ", ".join(f"{name} {(t / before[name]) ** power:.1f}" for name, t in times.items())
    return f"; for 10 times the nodes {grown} times as long"


def curves(tets: int) -> dict[tuple[str, str], np.ndarray]:
    """(error [m], time [s]) of each step, by program and method. The references are told."""
    model, theirs = beam_model(tets), held_flex(*beam(tets), STEP, "discrete", **FLEX)
    runs: dict[str, Callable] = {
        "myomass": lambda *given: run(model, *given),
        "mujoco": lambda *given: run_flex(theirs, *given),
    }
    shortest = min(LONG + SHORT) / 10.0
    references = {
        program: runs[program](method, shortest, round(FALL / shortest))
        for program, method in (("myomass", "rk4"), ("mujoco", "RK4"))
    }
    apart = np.abs(references["myomass"] - references["mujoco"]).max()
    print(f"a beam of {tets} tetrahedra falls for {FALL:g} s; the programs' own references are {apart:.1e} m apart")
    found = {}
    for program, methods in METHODS.items():
        for method, implicit in methods.items():
            steps = (LONG if program == "myomass" else SHORT) if implicit else STABLE[tets]
            rows = []
            for h in steps:
                start = time.perf_counter()
                end = runs[program](method, h, round(FALL / h))
                rows.append((np.abs(end - references[program]).max(), time.perf_counter() - start))
            found[program, method] = np.array([row for row in rows if np.isfinite(row[0])]).reshape(-1, 2)
    return found


def time_at(rows: np.ndarray, error: float) -> float:
    """Time at which a method comes to an error [s], between its steps on a logarithmic scale; inf if it does not."""
    rows = rows[np.argsort(rows[:, 0])]
    if not len(rows) or rows[0, 0] > error:
        return np.inf
    return float(np.exp(np.interp(np.log(error), *np.log(rows.T))))


def report_accuracy(most: int) -> None:
    """Print the time that each method takes to an error of the end state, and ratios of the best ones."""
    for tets in [tets for tets in STABLE if tets <= most]:
        found = curves(tets)
        for error in ERRORS:
            times = {key: time_at(rows, error) for key, rows in found.items()}
            told = ", ".join(f"{name} {t:.3g}" for (_, name), t in times.items())
            print(f"  time to an error of {1e3 * error:g} mm [s]: {told}")
            for what, wanted in (("implicit", (True,)), ("all", (True, False))):
                best = {
                    program: min(times[program, name] for name, implicit in methods.items() if implicit in wanted)
                    for program, methods in METHODS.items()
                }
                print(f"    {what} methods, the best of each: myomass / mujoco {best['myomass'] / best['mujoco']:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--most", type=int, default=max(BEAMS))
    given = parser.parse_args()
    rounds, most = given.rounds, given.most
    warnings.filterwarnings("ignore", "flex .* is not rigid")  # MuJoCo says so of any flex
    complaints: list[str] = []
    mujoco.set_mju_user_warning(complaints.append)
    report_cost(rounds)
    if skfem is not None:
        report_peer(min(rounds, 5))
    report_steps(min(rounds, 5), most)
    report_growth(min(rounds, 5), most)
    report_starfish(min(rounds, 5))
    report_accuracy(most)
    if complaints:
        print(f"MuJoCo warned {len(complaints)} times, first: {complaints[0]}")
