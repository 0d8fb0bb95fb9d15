"""The kernel decorator: no stale machine code, no allocation, one line at a cold start, plain Python on demand."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import types
from numba.core.errors import TypingError

from myomass import _jit

PROBE = """
from myomass.spatial.se3 import pose_exp
R, p = pose_exp((0.1, 0.2, 0.3), (3.0, 1.0, 2.0))
print(p[0], sum(pose_exp.stats.cache_hits.values()))
"""


def small_package(folder: Path) -> Path:
    """A copy of the package with the lowest layer only."""
    package = folder / "myomass"
    shutil.copytree(_jit.PACKAGE / "spatial", package / "spatial", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(_jit.PACKAGE / "_jit.py", package)
    (package / "__init__.py").write_text("")
    return package


def probe(package: Path) -> tuple[float, int, str]:
    """(a number that a cached kernel computes, how often it came from the cache, standard error) of a new process."""
    environment = os.environ | {"PYTHONPATH": str(package.parent), "MYOMASS_CACHE_DIR": str(package.parent / "cache")}
    environment.pop("NUMBA_DISABLE_JIT", None)
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env=environment, cwd=package.parent, capture_output=True, text=True, check=True
    )
    value, hits = done.stdout.split()
    return float(value), int(hits), done.stderr


def flip_cross_product(package: Path) -> None:
    """Change a callee in another file than its caller: pose_exp (se3.py) calls cross (algebra.py)."""
    algebra = package / "spatial" / "algebra.py"
    text = algebra.read_text()
    changed = text.replace("return (a[1] * b[2] - a[2] * b[1],", "return (a[2] * b[1] - a[1] * b[2],")
    assert changed != text
    algebra.write_text(changed)


def test_a_changed_callee_in_another_file_never_meets_stale_machine_code(tmp_path):
    package = small_package(tmp_path)
    cold, hits_cold, said_cold = probe(package)
    warm, hits_warm, said_warm = probe(package)
    assert (hits_cold, hits_warm) == (0, 1)
    assert warm == cold
    assert "compiling kernels" in said_cold
    assert "compiling kernels" not in said_warm
    flip_cross_product(package)
    changed, hits_changed, _ = probe(package)
    assert hits_changed == 0
    assert abs(changed - cold) > 1e-3


def test_without_the_hashed_folder_numba_would_load_stale_code(tmp_path):
    """The control of the test above: with one fixed folder the change goes unnoticed."""
    package = small_package(tmp_path)
    jit = package / "_jit.py"
    jit.write_text(jit.read_text().replace("cache_root() / source_hash()", "cache_root() / 'fixed'"))
    cold, _, _ = probe(package)
    flip_cross_product(package)
    assert probe(package)[:2] == (cold, 1)


def test_a_cache_that_cannot_be_written_is_not_used(tmp_path):
    """Numba would fall back to a cache that does not notice changed callees: better none."""
    package = small_package(tmp_path)
    (tmp_path / "cache").write_text("a file where the folder should be")
    for _ in range(2):
        _, hits, said = probe(package)
        assert hits == 0
        assert "cannot write" in said
    assert not list(package.rglob("*.nbi"))


def test_the_hash_covers_kernels_and_nothing_above_them(tmp_path):
    package = tmp_path / "myomass"
    shutil.copytree(_jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = _jit.source_hash(package)
    assert before == _jit.source_hash(_jit.PACKAGE)
    (package / "cli.py").write_text("# another command line\n")
    assert _jit.source_hash(package) == before
    (package / "joints" / "revolute.py").write_text("# another joint\n")
    assert _jit.source_hash(package) != before


def test_the_cache_of_other_numba_code_is_left_alone():
    import numba

    assert str(_jit.CACHE_DIR) != numba.config.CACHE_DIR


@pytest.mark.skipif(_jit.DISABLED, reason="plain Python allocates as it likes")
def test_a_kernel_that_allocates_does_not_compile():
    @_jit.kernel(entry=True)
    def allocating(n):
        return np.zeros(n)[0]

    with pytest.raises(TypingError, match="zeros"):
        allocating(3)


@pytest.mark.skipif(_jit.DISABLED, reason="plain Python has no addresses")
def test_a_kernel_that_is_called_by_address_must_have_one():
    """Without a way in there is nothing to call: a sentence, and not a jump to address 0."""

    @_jit.kernel
    def inner(x):
        return x + 1.0

    try:
        address = _jit.address_of(inner, (types.float64,))
    except TypeError as error:
        assert "inner" in str(error)
        assert "entry=True" in str(error)
    else:
        assert address != 0
