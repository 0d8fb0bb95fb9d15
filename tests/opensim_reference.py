"""The folder of reference numbers computed by OpenSim, where it lies beside the repository; tests skip without it."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "shared" / "reference" / "opensim"


def reference(path):
    """A file of the folder. Skips the test that asks if it is absent."""
    found = FOLDER / path
    if not found.exists():
        pytest.skip(f"the reference numbers {path} are not here")
    return found


def numbers(path):
    """The content of a JSON file of the folder."""
    return json.loads(reference(path).read_text())
