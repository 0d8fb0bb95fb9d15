"""What the documents print runs as printed; kinds that it adds are like any other."""

import os
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from myomass._jit import PACKAGE
from myomass.joints.dispatch import KINDS, OWN

ROOT = PACKAGE.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if not p.name.startswith("adding-a") and blocks(p)], ids=lambda p: p.name
)
def test_snippets_run_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks(page):
        if "import torch" in block and find_spec("torch") is None:
            continue  # hundreds of megabytes, which tests do not ask for
        exec(compile(block, str(page), "exec"), namespace)
        if "jax_enable_x64" in block:
            namespace["jax"].config.update("jax_enable_x64", False)  # for the tests after this one


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_joint_is_in_the_page_of_joints():
    page = (ROOT / "docs" / "joints.md").read_text()
    assert [joint.__name__ for joint in KINDS[:OWN] if f"{joint.__name__}(" not in page] == []


CHECK_SEEN = """
from myomass.constraints.kinds import row_units
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames
from myomass.viewer.plots import plots_of
from myomass.viewer.report import table
from myomass.viewer.series import dof_units

drawing = Drawing(Frames(again))
[moment] = drawing.frames.each([0.0])
drawing.things(moment)
drawn = {part.name for layer in drawing.layers for part in layer.parts}
labels = {axes.get_ylabel() for figure in plots_of(again).values() for axes in figure.axes}
assert table(again)
"""
EXTENSIONS = {  # page -> what pictures and plots must show of it
    "adding-a-joint": 'assert dof_units(again.model) == ["rad", "rad"] and "pins" in drawn',
    "adding-a-force": 'assert "cables" in drawn',
    "adding-a-constraint": 'assert row_units(again.model) == ["m"] and "violation |g| [m]" in labels',
    "adding-a-surface": 'assert "surfaces 0" in drawn',
    "adding-an-integrator": 'assert "midpoint" in str(table(again))',
}
LATER = """
import myomass as mm
try:
    mm.Trajectory.load(FILE)
except LookupError as error:
    assert "that is not registered here; import the file that calls mm.register" in str(error), error
else:
    assert MODULE == "midpoint", "it loaded without its file"
__import__(MODULE)
run = mm.Trajectory.load(FILE)
assert run.kinetic.shape == run.t.shape
print("works")
"""


def run_python(folder: Path, plain: str, program: str) -> str:
    """What a program prints, run in a folder of its own."""
    command = [sys.executable, "-c", program]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "NUMBA_DISABLE_JIT": plain}
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def written_out(page: str, folder: Path) -> tuple[str, str]:
    """(module, program): the page's file, written into the folder, and what it prints beside."""
    text = (ROOT / "docs" / f"{page}.md").read_text()
    (name,) = re.findall(r"\*\*Your file\*\*, `(\w+)\.py`", text)
    source, *uses = blocks(ROOT / "docs" / f"{page}.md")
    (folder / f"{name}.py").write_text(source)
    return name, "\n".join(uses)


PLAIN = pytest.mark.parametrize(
    "plain",
    [pytest.param("0", marks=pytest.mark.slow, id="compiled"), pytest.param("1", marks=pytest.mark.fast, id="plain")],
)


@PLAIN
@pytest.mark.parametrize("page", EXTENSIONS)
def test_a_kind_of_ones_own_from_a_file_of_ones_own(tmp_path, page, plain):
    """The page's file and the page's use of it; then pictures, plots and reports; then a program that loads the run."""
    module, use = written_out(page, tmp_path)
    printed = run_python(tmp_path, plain, f"{use}\n{CHECK_SEEN}\n{EXTENSIONS[page]}\nprint('works')")
    assert printed.endswith("works\n")
    (saved,) = tmp_path.glob("*.npz")
    later = LATER.replace("FILE", repr(saved.name)).replace("MODULE", repr(module))
    assert run_python(tmp_path, plain, later).endswith("works\n")


def test_every_page_about_adding_is_tried():
    assert {page.stem for page in (ROOT / "docs").glob("adding-a*.md")} == set(EXTENSIONS)
