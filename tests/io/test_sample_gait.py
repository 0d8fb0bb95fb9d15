"""The recorded walk that the package carries."""

import pytest
from opensim_reference import reference

import myomass as mm

ORIGINALS = {
    "model": "subject01.osim",
    "coordinates": "pipeline/subject01_walk_IK.mot",
    "reactions": "pipeline/subject01_walk_grf.mot",
    "loads": "pipeline/subject01_walk_grf.xml",
    "torques": "pipeline/inverse_dynamics.sto",
}


@pytest.mark.fast
def test_its_files_are_written_with_their_credits(tmp_path):
    gait = mm.io.sample_gait(tmp_path / "walk")
    spec = mm.io.read_osim(gait.model)
    assert len(spec.coordinates) == 10 and len(spec.muscles) == 18
    assert gait.loads.parent == gait.reactions.parent == tmp_path / "walk"
    assert "CC BY 3.0" in gait.credits.read_text()
    assert mm.io.sample_gait(tmp_path / "walk") == gait  # again, over the same files


@pytest.mark.fast
def test_without_a_folder_it_has_one():
    gait = mm.io.sample_gait()
    assert gait == mm.io.sample_gait() and gait.torques.stat().st_size > 10_000


@pytest.mark.fast
def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is a file"):
        mm.io.sample_gait(tmp_path / "file")


@pytest.mark.parametrize("what", ORIGINALS)
def test_the_files_are_unchanged(what):
    original = reference("gait10dof18musc/" + ORIGINALS[what]).read_bytes()
    assert getattr(mm.io.sample_gait(), what).read_bytes() == original
