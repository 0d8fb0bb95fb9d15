"""What OpenSim makes of short recordings, as small fixtures for tests.

    python tests/opensim_recordings_fixtures.py

Writes tests/fixtures/opensim_lowpass.json: made-up columns, at even and at slightly uneven times, padded by half their
rows and filtered by OpenSim 4.6's Storage, as its inverse dynamics does it; and opensim_inverse_dynamics.json: the tree
of opensim_elements.py in a made-up motion under made-up loads, as its InverseDynamicsTool and its analysis of
JointReaction have it.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
from opensim_elements import frame_of, opensim_accelerations, opensim_tree, states

from myomass.recordings import ExternalForce, ExternalLoads, Table, read_table, write_loads, write_table

FIXTURES = Path(__file__).parent / "fixtures"


def columns(t):
    return np.column_stack([np.sin(5 * t) + 0.1 * np.sin(70 * t), t**2 - 3 * t, 20 * np.cos(7 * t + 1)]).round(8)


def filtered(t, values, names, cutoff):
    import opensim

    storage = opensim.Storage()
    labels = opensim.ArrayStr()
    for name in ("time", *names):
        labels.append(name)
    storage.setColumnLabels(labels)
    for time, row in zip(t, values, strict=True):
        storage.append(time, opensim.Vector(row.tolist()))
    storage.pad(len(t) // 2)
    storage.lowpassIIR(cutoff)
    times, out = opensim.ArrayDouble(), []
    storage.getTimeColumn(times)
    times = np.array([times.get(i) for i in range(times.getSize())])
    for name in names:
        column = opensim.ArrayDouble()
        storage.getDataColumn(name, column)
        out.append([column.get(i) for i in range(column.getSize())])
    return times, np.array(out).T


def lowpass_cases():
    for rows, step, cutoff, digits in ((24, 1 / 60, 6.0, 8), (25, 1 / 120, 10.0, 3), (30, 0.01, 4.0, 10)):
        t, names = (0.2 + step * np.arange(rows)).round(digits), ("a", "b", "c")
        values = columns(t)
        times, out = filtered(t, values, names, cutoff)
        first, last = (np.searchsorted(times, end + 1e-12, side="right") - 1 for end in t[[0, -1]])
        kept = slice(first, last + 1)
        yield {
            "names": names,
            "cutoff": cutoff,
            "time": t.tolist(),
            "values": values.tolist(),
            "filtered_time": times[kept].tolist(),
            "filtered": out[kept].tolist(),
        }


COORDINATES = ("first_0", "first_1", "first_2", "slide", "bend")
CUTOFF = 8.0
FRAMES = ("ground", "child", "parent")


def made_up_motion(rows=31):
    t = np.arange(rows) / 60.0
    swings = [
        0.5 * np.sin(5 * t),
        0.4 * np.cos(4 * t + 1),
        0.3 * t - 0.2 * t**2,
        0.1 * np.sin(6 * t),
        0.6 * np.sin(7 * t),
    ]
    return Table(t.round(6), np.column_stack(swings).round(8), COORDINATES)


def made_up_loads(rows=61):
    t = np.arange(rows) / 120.0
    waves = [np.sin((3 + k) * t + k) * (20.0, 0.1, 2.0)[k % 9 // 3] for k in range(18)]
    names = [f"{side}_{part}_{axis}" for side in "ab" for part in ("force", "point", "torque") for axis in "xyz"]
    table = Table(t.round(6), np.column_stack(waves).round(8), names)
    parts = [
        {part: tuple(f"{side}_{part}_{axis}" for axis in "xyz") for part in ("force", "point", "torque")}
        for side in "ab"
    ]
    one = ExternalForce("a", "third", table, **parts[0])
    return ExternalLoads(
        (one, ExternalForce("b", "second", table, **parts[1], force_frame="third", point_frame="first"))
    )


def opensims_inverse_dynamics(folder):
    """(its table of generalized forces, model with a file) for the made-up motion."""
    import opensim

    model = opensim_tree()
    model.finalizeConnections()
    model.printToXML(str(folder / "tree.osim"))
    write_table(folder / "motion.mot", made_up_motion())
    write_loads(folder / "loads.xml", made_up_loads())
    tool = opensim.InverseDynamicsTool()
    tool.setModelFileName(str(folder / "tree.osim"))
    tool.setCoordinatesFileName(str(folder / "motion.mot"))
    tool.setExternalLoadsFileName(str(folder / "loads.xml"))
    tool.setLowpassCutoffFrequency(CUTOFF)
    tool.setStartTime(0.0)
    tool.setEndTime(0.5)
    tool.setResultsDir(str(folder))
    tool.setOutputGenForceFileName("forces.sto")
    assert tool.run()
    return read_table(folder / "forces.sto")


def inverse_dynamics_case():
    with tempfile.TemporaryDirectory() as folder:
        forces = opensims_inverse_dynamics(Path(folder))
    return {"names": forces.names, "time": forces.t.tolist(), "values": forces.values.tolist()}


PATH = [("ground", (0.0, 0.1, 0.0)), ("first", (0.1, 0.0, 0.0)), ("third", (0.1, 0.1, 0.0))]
MOTORS, TENSION = (1.0, -2.0, 3.0, 4.0, 5.0), 120.0


def pulled_tree():
    """The tree with a motor on each coordinate and an actuator along PATH."""
    import opensim

    model = opensim_tree()
    for name in COORDINATES:
        motor = opensim.CoordinateActuator(name)
        motor.setName(f"on_{name}")
        motor.setOptimalForce(1.0)
        model.addForce(motor)
    pull = opensim.PathActuator()
    pull.setName("long")
    pull.setOptimalForce(1.0)
    for i, (body, place) in enumerate(PATH):
        pull.addNewPathPoint(f"point{i}", frame_of(model, body), opensim.Vec3(*place))
    model.addForce(pull)
    return model


def asked(model, on, frame):
    """An analysis of all joints."""
    import opensim

    analysis = opensim.JointReaction()
    analysis.setName(f"{on}_{frame}")
    lists = []
    for word in ("ALL", on, frame):
        lists.append(opensim.ArrayStr())
        lists[-1].append(word)
    analysis.setJointNames(lists[0])
    analysis.setOnBody(lists[1])
    analysis.setInFrame(lists[2])
    model.addAnalysis(analysis)
    return analysis


def joint_reactions_case():
    """At a state, reactions by the analysis (which sets all controls to 0), and by the joints under a tension."""
    model = pulled_tree()
    analyses = {f"{on} {frame}": asked(model, on, frame) for on in ("child", "parent") for frame in FRAMES}
    state, (q, u) = model.initSystem(), states(3, 1)[0]
    case = {"q": q.tolist(), "u": u.tolist(), "analysis": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, analysis in analyses.items():
            case["free_udot"] = opensim_accelerations(model, state, q, u, controls=[0.0] * 6).tolist()
            analysis.setOn(True)
            analysis.begin(state)
            analysis.printResults("it", folder, -1.0, ".sto")
            (file,) = Path(folder).glob("*.sto")
            table = read_table(file)
            case["analysis"][name] = dict(zip(table.names, table.values[0].tolist(), strict=True))
            file.unlink()
    case["udot"] = opensim_accelerations(model, state, q, u, controls=[*MOTORS, TENSION]).tolist()
    joints = model.getJointSet()
    found = [joints.get(i).calcReactionOnChildExpressedInGround(state) for i in range(3)]
    case["on_child_in_ground"] = [[v.get(k).get(axis) for k in range(2) for axis in range(3)] for v in found]
    return case


if __name__ == "__main__":
    about = "Storage.pad(rows // 2) and Storage.lowpassIIR(cutoff) of OpenSim 4.6 on made-up columns"
    text = json.dumps({"about": about, "cases": list(lowpass_cases())})
    (FIXTURES / "opensim_lowpass.json").write_text(text + "\n")
    about = "InverseDynamicsTool of OpenSim 4.6 on the motion and loads of tests/opensim_recordings_fixtures.py"
    text = json.dumps(
        {"about": about, "inverse_dynamics": inverse_dynamics_case(), "joint_reactions": joint_reactions_case()}
    )
    (FIXTURES / "opensim_inverse_dynamics.json").write_text(text + "\n")
