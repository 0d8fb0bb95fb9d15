"""What compilation costs: processor seconds of the first use of each function, from an empty cache.

    python benchmarks/cold_start.py [tree] [muscle] [constraints] [readme]

Every line is a process of its own, whose processor time (user and system, all of it, imports too) is counted. The lines
of `tree`, `muscle` and `constraints` share one cache, empty at first, that grows from line to line; the README's code
has an empty cache of its own. Groups that are left out leave their share of the compilation to those that follow.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ARM = """
import numpy as np
import myomass as mm

spec = mm.Spec("arm")
rod = mm.Inertia.cuboid((0.3, 0.05, 0.05), mass=1.0)
out = mm.translation(0.15, 0, 0)
spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, out, rod)
spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.3, 0, 0), out, rod)
q, qdot = np.array([0.3, 0.5]), np.zeros(2)
"""
MUSCLE = """
elbow = mm.wrap.Sphere("upper", mm.translation(0.15, 0, 0), radius=0.04)
spec.add_muscle("biceps", mass=0.8, points=[("upper", (-0.1, 0, 0.06)), ("lower", (-0.08, 0, 0.05))], wrap=[elbow])
"""
LOOP = """
place = (mm.forward_kinematics(spec.compile(), q)[1] @ [0.15, 0, 0, 1])[:3]
spec.add_body("strut", None, mm.Revolute((0, 1, 0)), mm.translation(*(place - [0.3, 0, 0])), out, rod)
spec.add_constraint(mm.Loop(("lower", (0.15, 0, 0)), ("strut", (0.15, 0, 0)), "pin"))
q, qdot = np.append(q, 0.0), np.zeros(3)
"""
FORWARD = "mm.forward_dynamics(spec.compile(), q, qdot)"
FIXED = ("rk4", "semi-implicit", "symplectic", "bdf1", "bdf2", "sdirk2", "euler", "maximal")


def simulate(integrator: str) -> str:
    """Python code of a short run with an integrator."""
    step = ", h=1e-3" if integrator in FIXED else ""
    return f"mm.simulate(spec.compile(), q=q, qdot=qdot, integrator={integrator!r}, duration=0.01{step})"


def lines(setting: str, integrators: tuple[str, ...], word: str = "") -> list[tuple[str, str]]:
    """(name, code) of a run with each integrator."""
    return [(f"{word}simulate, {name}", setting + simulate(name)) for name in integrators]


TREE = [
    ("forward_dynamics", ARM + FORWARD),
    *lines(
        ARM, ("rk4", "recursive", "semi-implicit", "symplectic", "redmax", "bdf2", "bdf1", "sdirk2", "euler", "maximal")
    ),
    ("linearise", ARM + "model = spec.compile()\nmm.linearise(model, model.state(q, qdot))"),
    ("forward_dynamics again, warm", ARM + FORWARD),
]
GROUPS = {
    "tree": TREE,
    "muscle": [
        ("a muscle: moment_arms", ARM + MUSCLE + "mm.moment_arms(spec.compile(), q)"),
        ("a muscle: forward_dynamics", ARM + MUSCLE + FORWARD),
        *lines(ARM + MUSCLE, ("recursive", "bdf2"), "a muscle: "),
    ],
    "constraints": lines(ARM + LOOP, ("rk4", "bdf2"), "a loop: "),
}


def measure(name: str, code: str, cache: str, folder: str) -> float:
    """Run code in a process with a cache and print what it took; returns its processor seconds."""
    environment = os.environ | {"MYOMASS_CACHE_DIR": cache, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True)
    after, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begun
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"  {name:36s} {seconds:10.1f} {took:10.1f}", flush=True)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", choices=[[], *GROUPS, "readme"], help="all of them, unless some are named")
    chosen = parser.parse_args().groups or [*GROUPS, "readme"]
    print(f"  {'first use, in this order':36s} {'processor':>10s} {'clock':>10s}   [s]")
    with tempfile.TemporaryDirectory() as folder:
        shared, own = str(Path(folder) / "shared"), str(Path(folder) / "readme")
        for group in (name for name in GROUPS if name in chosen):
            total = sum(measure(name, code, shared, folder) for name, code in GROUPS[group])
            print(f"  {f'{group}, all lines':36s} {total:10.1f}")
        if "readme" in chosen:
            code = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL))
            measure("the README's code", code, own, folder)
            measure("the README's code again, warm", code, own, folder)
        measure("import myomass alone, warm", "import myomass", own if "readme" in chosen else shared, folder)


if __name__ == "__main__":
    main()
