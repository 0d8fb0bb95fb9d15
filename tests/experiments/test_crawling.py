"""The starfish: what it is made of, that it lies and crawls as it should, by the command line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from myomass.cli import app


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The numbers of the experiment; its pictures are there."""
    folder = tmp_path_factory.mktemp("starfish")
    answer = CliRunner().invoke(app, ["reproduce", "starfish", "--out", str(folder)])
    assert answer.exit_code == 0, answer.output
    for name in ("model", "motion"):
        assert (folder / f"starfish-{name}.png").stat().st_size > 100_000
    return json.loads((folder / "starfish.json").read_text())


@pytest.mark.slow
class TestStarfish:
    def test_its_parts(self, found):
        model = found["model"]
        assert model["joints_of_the_skeleton"] == 20
        assert model["coarse_vertices"] == pytest.approx(221, rel=0.02)
        assert model["fine_vertices"] == pytest.approx(7909, rel=0.01)
        free = 3 * (model["coarse_vertices"] - model["of_these_on_bones"])
        assert model["degrees_of_freedom"] == 6 + 25 + free  # the disc's, of 5 universal joints and 15 hinges, of nodes

    def test_the_ground_carries_it(self, found):
        motion = found["motion"]
        assert motion["push_of_the_ground_lying_N"] == pytest.approx(motion["weight_N"], rel=1e-3)
        assert motion["speed_lying_mm_s"] < 0.2

    def test_it_crawls_straight_ahead(self, found):
        """Each step brings it on by the same; it is its own mirror image, and so is its motion."""
        motion = found["motion"]
        assert min(motion["way_of_each_step_mm"]) > 15
        assert np.ptp(motion["way_of_each_step_mm"]) < 2
        assert motion["sideways_mm"] < 1e-3

    def test_flesh_moves_bones_and_stays_whole(self, found):
        motion = found["motion"]
        assert motion["inverted_tetrahedra"] == 0
        assert motion["least_volume_of_a_tetrahedron"] > 0.6
        assert motion["largest_turn_of_a_passive_joint_degree"] > 5
        assert 0.1 < motion["largest_strain"] < 0.6

    def test_other_methods_agree(self, found):
        """In the places of all nodes at the end: the way is 40 mm."""
        off = found["motion"]["largest_distance_of_nodes_at_the_end_mm"]
        assert off["bdf1, 5 ms"] < 1.0
        assert max(value for key, value in off.items() if "bdf1" not in key) < 0.1
