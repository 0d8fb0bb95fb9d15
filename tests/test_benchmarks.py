"""Every benchmark of `make bench` runs to its end: one quick round of each, in a process of its own."""

import os
import re
import subprocess
import sys

import pytest

from myomass._jit import PACKAGE

ROOT = PACKAGE.parent
(LISTED,) = re.findall(r"^BENCHMARKS := (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
QUICK = {
    "networks": ["--rounds", "1", "--seconds", "0.2"],
    "viewer": ["--seconds", "0.5"],
    "reaching": ["--rounds", "1", "--budget", "20"],
    "deformables": ["--rounds", "1", "--most", "1080"],
}


@pytest.mark.parametrize("name", LISTED.split())
def test_one_quick_round(name, tmp_path):
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *QUICK.get(name, ["--rounds", "1"])]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()
