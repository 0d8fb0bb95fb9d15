"""Published experiments by one command."""

import json

import pytest
from typer.testing import CliRunner

from myomass.cli import app
from myomass_experiments import EXPERIMENTS, reproduce


def test_the_list_names_every_experiment():
    answer = CliRunner().invoke(app, ["reproduce", "list"])
    assert answer.exit_code == 0
    for name, experiment in EXPERIMENTS.items():
        assert name in answer.output
        assert experiment.source in answer.output


def test_the_walker(tmp_path):
    answer = CliRunner().invoke(app, ["reproduce", "walker", "--out", str(tmp_path / "figures")])
    assert answer.exit_code == 0, answer.output
    numbers = json.loads((tmp_path / "figures" / "walker.json").read_text())
    assert numbers["period_s"] == pytest.approx(0.73475, abs=1e-5)
    assert numbers["before_a_strike"]["stance_angle_rad"] == pytest.approx(-0.3236, abs=2e-4)  # Table 1
    assert numbers["energy_drift_in_a_step_J"] < 1e-10
    assert numbers["limit_cycle"]["period_s"] == pytest.approx(numbers["period_s"], abs=1e-10)  # Newton, simulation
    assert len(numbers["limit_cycle"]["multipliers"]) == 3
    for picture in ("walker-phase-portrait.png", "walker-energies.png"):
        assert (tmp_path / "figures" / picture).stat().st_size > 10_000


def test_unknown_names_and_folders_get_a_sentence(tmp_path):
    with pytest.raises(KeyError, match="there is no experiment 'walkers'; did you mean 'walker'"):
        reproduce("walkers", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is a file"):
        reproduce("walker", tmp_path / "file")
    assert CliRunner().invoke(app, ["reproduce", "nothing"]).exit_code == 2
