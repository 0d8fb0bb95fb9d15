"""Runs as tables: every coordinate, speed and state in the column where OpenSim looks for it."""

from pathlib import Path

import numpy as np
import pytest

import myomass as mm
from myomass.recordings import read_table, trajectory_table, write_table


def run_of(model, rows=7):
    rng = np.random.default_rng(9)
    n, slots = model.ndof, len(model.chart_slots)
    z = rng.uniform(0.1, 0.9, (rows, len(model.z_names)))
    arrays = rng.normal(size=(rows, n)), rng.normal(size=(rows, n)), np.zeros((rows, slots))
    return mm.Trajectory(model, np.arange(rows) / 100, *arrays, "given", z=z)


def slide():
    spec = mm.Spec("slide")
    inertia = mm.Inertia.cuboid((0.1, 0.1, 0.1), mass=1.0)
    spec.add_body("base", joint=mm.Prismatic((1, 0, 0)), inertia=inertia, coordinates=["shift"])
    spec.add_body("arm", parent="base", joint=mm.Revolute((0, 0, 1)), inertia=inertia, coordinates=["turn"])
    return spec.compile()


class TestColumns:
    def test_names_and_units(self):
        run = run_of(slide())
        table = trajectory_table(run)
        assert table.names == ("shift", "turn", "shift_u", "turn_u") and not table.degrees
        np.testing.assert_array_equal(table.values, np.hstack([run.q, run.qdot]))
        turned = trajectory_table(run, degrees=True, speeds=False)
        assert turned.degrees and turned.names == ("shift", "turn")
        np.testing.assert_allclose(turned["turn"], np.degrees(run["turn"]), rtol=1e-15)
        np.testing.assert_array_equal(turned["shift"], run["shift"])

    def test_a_time_that_is_there_twice(self):
        run = run_of(slide())
        run.t[3] = run.t[2]
        table = trajectory_table(run)
        assert len(table) == 6 and table["shift"][2] == run["shift"][3]

    def test_columns_keep_their_meaning(self):
        spec = mm.Spec("top")
        spec.add_body("top", joint=mm.SphericalEuler("XYZ"), inertia=mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1.0))
        run = mm.simulate(spec.compile(), qdot=[0.3, 4.0, 0.2], duration=0.2)
        assert len(trajectory_table(run)) == len(run.t)
        with pytest.raises(ValueError, match="from one Euler chart of a ball joint to another"):
            trajectory_table(mm.simulate(run.model, qdot=[0.3, 4.0, 0.2], duration=1.0))

    def test_what_is_no_run(self):
        with pytest.raises(TypeError, match=r"takes an mm\.Trajectory, and is given list"):
            trajectory_table([1])


def test_opensim_finds_every_state(tmp_path):
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Error")
    path = Path(__file__).parents[1] / "fixtures" / "osim" / "leg6dof9musc.osim"
    model = mm.io.read_osim(path).compile()
    run = run_of(model)
    write_table(tmp_path / "run.sto", trajectory_table(run))
    assert read_table(tmp_path / "run.sto").about["name"] == model.name
    theirs = opensim.Model(str(path))
    theirs.initSystem()
    storage = opensim.Storage(str(tmp_path / "run.sto"))
    states = opensim.StatesTrajectory.createFromStatesStorage(theirs, storage, False, False, False)
    assert states.getSize() == len(run.t)
    state = states.get(3)
    named = {"knee_angle_r/value": run["knee_angle_r"][3], "pelvis_tx/speed": run["pelvis_tx.speed"][3]}
    named |= {name.replace(".fibre", "/fiber").replace(".", "/"): run.z[3, k] for k, name in enumerate(model.z_names)}
    names = theirs.getStateVariableNames()
    assert names.getSize() == 2 * model.ndof + len(model.z_names)
    for ending, value in named.items():
        full = next(names.get(i) for i in range(names.getSize()) if names.get(i).endswith(ending))
        assert theirs.getStateVariableValue(state, full) == value
