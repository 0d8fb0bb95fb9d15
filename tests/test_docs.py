"""What the documents print runs as printed; the helical joint of the docs is a joint like any other."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from myomass._jit import PACKAGE

ROOT = PACKAGE.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


CHECK_SEEN = """
import matplotlib

matplotlib.use("agg")
from myomass.constraints.kinds import row_units
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames
from myomass.viewer.plots import plots_of
from myomass.viewer.series import dof_units

run = mm.simulate(model, q=start, integrator="rk4", h=1e-2, duration=0.03)
drawing = Drawing(Frames(run))
[moment] = drawing.frames.each([0.0])
drawn = {part.name for layer in drawing.layers for part in layer.parts}
drawing.things(moment)
labels = {axes.get_ylabel() for figure in plots_of(run).values() for axes in figure.axes}
"""
CHECK_HELICAL = """
import numpy as np
import myomass as mm
from myomass.joints.helical import Helical

screw, step = Helical(0.1), 1e-30
Q, S = screw.Q([0.7]), screw.S([0.7])
np.testing.assert_allclose(Q[2, 3], 0.07)
dQ = screw.Q([0.7 + 1j * step]).imag / step
np.testing.assert_allclose(mm.se3.vee(mm.se3.inverse(Q) @ dQ), S[:, 0], rtol=0, atol=1e-15)
spec = mm.Spec(gravity=(0, 0, -9.81))
box = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=2.0)
spec.add_body("nut", None, screw, inertia=box)
spec.add_body("arm", "nut", mm.Inverse(Helical(-0.2)), mm.translation(1, 0, 0), None, box)
model = spec.compile()
qddot = np.array([1.0, -2.0])
tau = mm.inverse_dynamics(model, [0.1, 0.2], [0.3, 0.4], qddot)
for method in ("recursive", "redmax"):
    np.testing.assert_allclose(mm.forward_dynamics(model, [0.1, 0.2], [0.3, 0.4], tau, method), qddot)
"""
SEEN_HELICAL = """
assert dof_units(model) == ["rad", "rad"]
assert "pins" in drawn
print("works")
"""


@pytest.mark.parametrize(
    "page", [p for p in PAGES if not p.name.startswith("adding-a-") and blocks(p)], ids=lambda p: p.name
)
def test_snippets_run_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), namespace)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


CHECK_MAGNET = """
import numpy as np
import myomass as mm

spec = mm.Spec(gravity=(0, 0, 0))
spec.add_body("bob", None, mm.Universal(), None, mm.translation(0, 0, -1), mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=2.0))
spec.add_force(mm.Magnet(("bob", (0, 0, -0.15)), (0.5, 0.2, -1.0), 3.0))
model = spec.compile()
q, qdot, step = np.array([0.3, -0.2]), np.zeros(2), 1e-30
f = mm.applied_forces(model, q, qdot)
for k in range(2):
    there = q.astype(complex)
    there[k] += 1j * step
    np.testing.assert_allclose(mm.energy(model, there, qdot).potential.imag / step, -f[k], rtol=1e-12)
    slope = mm.applied_forces(model, there, qdot).imag / step
    np.testing.assert_allclose(mm.dynamics.force_derivatives(model, q, qdot)[0][:, k], slope, rtol=1e-12)
start = q
"""
SEEN_MAGNET = """
assert "cables" in drawn
print("works")
"""


def run_in_a_copy(tmp_path: Path, plain: str, check: str, edits: dict[str, Callable[[str], str]]) -> None:
    """Run a program with a copy of the package in which some files are made or changed."""
    package = tmp_path / "myomass"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, edit in edits.items():
        path = package / name
        path.write_text(edit(path.read_text() if path.exists() else ""))
    cache = {"MYOMASS_CACHE_DIR": str(tmp_path)}
    environment = os.environ | cache | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": plain}
    command = [sys.executable, "-c", check]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "works", done.stderr


PLAIN = pytest.mark.parametrize("plain", [pytest.param("0", marks=pytest.mark.slow), "1"], ids=["compiled", "plain"])


@PLAIN
def test_the_helical_joint_is_one_file_and_one_line(tmp_path, plain):
    """The page's file, the page's line and its import, and it works in every algorithm."""
    page = ROOT / "docs" / "adding-a-joint.md"
    (source,) = blocks(page)
    (line,) = re.findall(r"^\+(.*\n)", page.read_text(), flags=re.MULTILINE)

    def listed(text: str) -> str:
        text = text.replace("    SplineSurface,\n)", f"    SplineSurface,\n{line})")
        return text.replace("from .planar", "from .helical import Helical\nfrom .planar")

    check = CHECK_HELICAL + "start = [0.1, 0.2]" + CHECK_SEEN + SEEN_HELICAL
    run_in_a_copy(tmp_path, plain, check, {"joints/helical.py": lambda _: source, "joints/dispatch.py": listed})


@PLAIN
def test_the_magnet_is_one_file_and_one_line(tmp_path, plain):
    (source,) = blocks(ROOT / "docs" / "adding-a-force.md")
    imported = "from .magnet import Magnet\nfrom .point_force"
    edits = {
        "forces/magnet.py": lambda _: source,
        "forces/dispatch.py": lambda text: text.replace("Ground)", "Ground, Magnet)").replace(
            "from .point_force", imported
        ),
        "forces/__init__.py": lambda text: text.replace(
            '    "JointSpring",', '    "JointSpring",\n    "Magnet",'
        ).replace("from .point_force", imported),
    }
    run_in_a_copy(tmp_path, plain, CHECK_MAGNET + CHECK_SEEN + SEEN_MAGNET, edits)


CHECK_ROD = """
import numpy as np
import myomass as mm

spec = mm.Spec()
ball = mm.Inertia.sphere(0.1, mass=1.0)
for i, x in enumerate((0.0, 1.0)):
    spec.add_body(f"b{i}", None, mm.Translational(), mm.translation(x, 0, 0), inertia=ball)
spec.add_constraint(mm.Rod(("b0", (0, 0, 0)), ("b1", (0, 0, 0)), 1.0))
run = mm.simulate(spec.compile(), qdot=[0, 1, 0, 0, -1, 0], integrator="rk4", h=1e-2, duration=0.1)
apart = run.poses[:, 1, :3, 3] - run.poses[:, 0, :3, 3]
np.testing.assert_allclose(np.linalg.norm(apart, axis=1), 1.0, atol=1e-12)
forces = mm.constraint_forces(run.model, run.q[-1], run.qdot[-1])
np.testing.assert_allclose(forces.multipliers, [-2.0], rtol=1e-6)  # m v^2/r of each, inwards
model, start = run.model, run.q[0]
"""
SEEN_ROD = """
assert row_units(model) == ["m"]
assert "violation |g| [m]" in labels
print("works")
"""


@PLAIN
def test_the_rod_is_one_file_and_one_line(tmp_path, plain):
    (source,) = blocks(ROOT / "docs" / "adding-a-constraint.md")
    edits = {
        "constraints/rod.py": lambda _: source,
        "constraints/dispatch.py": lambda text: text.replace(
            "    joint_rows.DROPPED,\n", "    joint_rows.DROPPED,\n    rod.ROD,\n"
        ).replace("loop, stop", "loop, rod, stop"),
        "constraints/__init__.py": lambda text: text.replace('    "Sphere",', '    "Rod",\n    "Sphere",').replace(
            "from .stop", "from .rod import Rod\nfrom .stop"
        ),
    }
    run_in_a_copy(tmp_path, plain, CHECK_ROD + CHECK_SEEN + SEEN_ROD, edits)
