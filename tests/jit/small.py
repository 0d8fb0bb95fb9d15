"""A package of a few small kernels beside the real decorator and cache, and probes of it in new processes."""

import os
import subprocess
import sys
from pathlib import Path

from myomass._jit import PACKAGE

FILES = {
    "__init__.py": "",
    "algebra.py": """
from ._jit import kernel

@kernel
def twice(x):
    return 2.0 * x
""",
    "physics.py": """
from ._jit import kernel
from .algebra import twice

@kernel(entry=True)
def step(x):
    return twice(x) + 1.0
""",
    "drawing.py": """
from ._jit import kernel

@kernel(entry=True)
def shade(x):
    return 0.5 * x
""",
}
PROBE = """
from myomass.physics import step
from myomass.drawing import shade
print(step(3.0), shade(3.0), sum(step.stats.cache_hits.values()), sum(shade.stats.cache_hits.values()))
"""


def small_package(folder: Path) -> Path:
    """A package called as ours, with our `_jit` and three modules."""
    package = folder / "myomass"
    (package / "_jit").mkdir(parents=True)
    for path in (PACKAGE / "_jit").glob("*.*"):
        (package / "_jit" / path.name).write_bytes(path.read_bytes())
    for name, text in FILES.items():
        (package / name).write_text(text)
    return package


def environment(package: Path) -> dict[str, str]:
    """Variables of a process that takes the small package, with a cache folder of its own."""
    variables = os.environ | {"PYTHONPATH": str(package.parent), "MYOMASS_CACHE_DIR": str(package.parent / "cache")}
    variables.pop("NUMBA_DISABLE_JIT", None)
    return variables


def start(package: Path, code: str = PROBE, **variables: str) -> subprocess.Popen:
    """A new process that runs this code."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment(package) | variables,
        cwd=package.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen) -> tuple[list[float], str]:
    """The numbers that a process printed, and its standard error."""
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return [float(word) for word in out.split()], said


def probe(package: Path, code: str = PROBE, **variables: str) -> tuple[list[float], str]:
    """Numbers and standard error of a new process: by default (step(3), shade(3), and how often each was loaded)."""
    return ended(start(package, code, **variables))


def stored(package: Path) -> list[Path]:
    """The stored kernels, by name."""
    return sorted((package.parent / "cache").rglob("*.kernel"))
