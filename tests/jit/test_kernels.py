"""The kernel decorator: no allocation, and a callee in another file that changed is compiled again."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from jit.small import probe
from numba.core.errors import TypingError

from myomass import _jit

PROBE = """
from myomass.spatial.se3 import pose_exp
R, p = pose_exp((0.1, 0.2, 0.3), (3.0, 1.0, 2.0))
print(p[0], sum(pose_exp.stats.cache_hits.values()))
"""


def lowest_layer(folder: Path) -> Path:
    """A copy of the package with the lowest layer only."""
    package = folder / "myomass"
    for part in ("spatial", "_jit"):
        shutil.copytree(_jit.PACKAGE / part, package / part, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")
    return package


def flip_cross_product(package: Path) -> None:
    """Change a callee in another file than its caller: pose_exp (se3.py) calls cross (algebra.py)."""
    algebra = package / "spatial" / "algebra.py"
    text = algebra.read_text()
    changed = text.replace("return (a[1] * b[2] - a[2] * b[1],", "return (a[2] * b[1] - a[1] * b[2],")
    assert changed != text
    algebra.write_text(changed)


def test_a_changed_callee_in_another_file_never_meets_stale_machine_code(tmp_path):
    package = lowest_layer(tmp_path)
    (cold, hits_cold), said_cold = probe(package, PROBE)
    (warm, hits_warm), said_warm = probe(package, PROBE)
    assert (hits_cold, hits_warm) == (0, 1)
    assert warm == cold
    assert "compiling kernels" in said_cold
    assert "compiling kernels" not in said_warm
    flip_cross_product(package)
    (changed, hits_changed), _ = probe(package, PROBE)
    assert hits_changed == 0
    assert abs(changed - cold) > 1e-3


@pytest.mark.skipif(_jit.DISABLED, reason="plain Python allocates as it likes")
def test_a_kernel_that_allocates_does_not_compile():
    @_jit.kernel(entry=True)
    def allocating(n):
        return np.zeros(n)[0]

    with pytest.raises(TypingError, match="zeros"):
        allocating(3)
