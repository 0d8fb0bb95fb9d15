"""Analyses of a recorded walk against OpenSim's own solvers, in one process, the two taking turns.

    python benchmarks/opensim.py [--rounds 5]

The walk is `mm.io.sample_gait()`: a planar model of 10 degrees of freedom, 18 muscles, 151 frames, ground reactions.
Both do the same work and must agree before they are timed: inverse dynamics of filtered coordinates under the ground
reactions; inverse kinematics of 39 markers with noise of 2 mm, made from the walk; lengths of all muscles and all
moment arms that are not zero (OpenSim is asked for these alone); static optimisation with reserves of 1 N m at every
coordinate. Times are processor time per frame, the best of all rounds; the ratio is OpenSim's over ours. OpenSim is
called through its Python package, a call or a few for each frame, whose share is below 2 microseconds; its static
optimisation and inverse kinematics take their frames within one call. Loading is that of a model with 92 muscles.
"""

import argparse
import logging
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np

import myomass as mm

sys.path = [folder for folder in sys.path if Path(folder).resolve() != Path(__file__).parent]  # this file's namesake
try:
    import opensim
except ImportError:
    opensim = None

CUTOFF, START, END = 6.0, 0.6, 1.9  # [Hz], [s]: what both optimise
NOISE = 0.002  # [m], of markers
MUSCLE = re.compile(r'<Millard2012EquilibriumMuscle name="(\w+)">(.*?)</Millard2012EquilibriumMuscle>', re.DOTALL)
MANY = 92  # muscles of the model that is loaded


def seconds(work: Callable[[], object]) -> float:
    """Processor time of a call [s]."""
    start = time.process_time()
    work()
    return time.process_time() - start


class Walk:
    """The recording, in both programs."""

    def __init__(self):
        self.files = mm.io.sample_gait()
        self.spec = mm.io.read_osim(self.files.model)
        self.paths = mm.io.read_osim(self.files.model, forces=False).compile()
        self.table = mm.recordings.read_table(self.files.coordinates)
        self.loads = mm.recordings.read_loads(self.files.loads)
        self.motion = mm.analyses.kinematics(self.paths, self.table, lowpass=CUTOFF)
        self.frames = len(self.motion.t)


class Theirs:
    """OpenSim's model, with states of all frames."""

    def __init__(self, walk: Walk, loads: bool = False, muscles: bool = True):
        self.model = opensim.Model(str(walk.files.model))
        if loads:
            self.model.addModelComponent(opensim.ExternalLoads(str(walk.files.loads), True))
        self.state = self.model.initSystem()
        forces = self.model.getForceSet()
        for k in range(forces.getSize()):
            if not muscles and opensim.Muscle.safeDownCast(forces.get(k)) is not None:
                forces.get(k).setAppliesForce(self.state, False)
        self.coordinates = [self.model.getCoordinateSet().get(name) for name in walk.paths.coordinates]
        for k, coordinate in enumerate(self.coordinates):
            coordinate.setSpeedValue(self.state, float(k))
        self.order = self.state.getU().to_numpy().astype(int).tolist()  # OpenSim's is that of its tree

    def place(self, t: float, q: np.ndarray, qdot: np.ndarray) -> None:
        """Set time, coordinates and speeds."""
        self.state.setTime(float(t))
        self.state.setQ(opensim.Vector(q[self.order].tolist()))
        self.state.setU(opensim.Vector(qdot[self.order].tolist()))


# --- inverse dynamics -------------------------------------------------------------------------------------------------


def inverse_dynamics(walk: Walk, rounds: int) -> tuple[float, float]:
    """Seconds per frame, OpenSim's and ours."""
    theirs, motion = Theirs(walk, loads=True, muscles=False), walk.motion
    solver, order = opensim.InverseDynamicsSolver(theirs.model), theirs.order
    rows = [
        (
            float(t),
            opensim.Vector(q[order].tolist()),
            opensim.Vector(v[order].tolist()),
            opensim.Vector(a[order].tolist()),
        )
        for t, q, v, a in zip(motion.t, motion.q, motion.qdot, motion.qddot, strict=True)
    ]
    state, found = theirs.state, []

    def all_frames() -> None:
        found.clear()
        for t, q, v, a in rows:
            state.setTime(t)
            state.setQ(q)
            state.setU(v)
            found.append(solver.solve(state, a))

    def ours() -> mm.analyses.InverseDynamics:
        return mm.analyses.inverse_dynamics(walk.paths, motion, walk.loads)

    all_frames()
    expected = np.empty(motion.q.shape)
    expected[:, order] = [tau.to_numpy() for tau in found]
    np.testing.assert_allclose(ours().tau, expected, atol=2e-6 * np.abs(expected).max())
    return best(all_frames, ours, rounds, walk.frames)


def best(theirs: Callable, ours: Callable, rounds: int, frames: int) -> tuple[float, float]:
    """Least seconds per frame of each over the rounds, in turns."""
    times = [(seconds(theirs), min(seconds(ours) for _ in range(3))) for _ in range(rounds)]
    return tuple(np.min(times, axis=0) / frames)


# --- inverse kinematics -----------------------------------------------------------------------------------------------


def inverse_kinematics(walk: Walk, rounds: int) -> tuple[float, float]:
    """Seconds per frame, OpenSim's and ours."""
    model, motion, rng = walk.paths, walk.motion, np.random.default_rng(0)
    names = list(model.markers)
    places = np.array([mm.marker_places(model, q) for q in motion.q])
    places += NOISE * rng.normal(size=places.shape)
    theirs = Theirs(walk, muscles=False)
    table = opensim.TimeSeriesTableVec3()
    table.setColumnLabels(names)
    for t, row in zip(motion.t, places, strict=True):
        table.appendRow(float(t), opensim.RowVectorVec3([opensim.Vec3(*p) for p in row.tolist()]))
    table.addTableMetaDataString("DataRate", "60")
    table.addTableMetaDataString("Units", "m")
    reference = opensim.MarkersReference(table, opensim.SetMarkerWeights())
    solver = opensim.InverseKinematicsSolver(theirs.model, reference, opensim.SimTKArrayCoordinateReference(), np.inf)
    solver.setAccuracy(1e-5)
    state, found = theirs.state, []

    def all_frames() -> None:
        found.clear()
        state.setTime(float(motion.t[0]))
        solver.assemble(state)
        for t in motion.t:
            state.setTime(float(t))
            solver.track(state)
            found.append([c.getValue(state) for c in theirs.coordinates])

    measured = SimpleNamespace(t=motion.t, names=tuple(names), places=places)

    def ours() -> object:
        return mm.analyses.inverse_kinematics(model, measured)

    all_frames()
    np.testing.assert_allclose(ours().q, found, atol=0.01)  # OpenSim stops within 1e-5 of the least cost
    return best(all_frames, ours, rounds, walk.frames)


# --- lengths and moment arms ------------------------------------------------------------------------------------------


def arms(walk: Walk, rounds: int) -> tuple[float, float]:
    """Seconds per frame, OpenSim's and ours."""
    theirs, motion = Theirs(walk), walk.motion
    muscles = [theirs.model.getMuscles().get(name) for name in walk.paths.muscles.names]
    ours = mm.analyses.muscle_analysis(walk.paths, motion)
    crossed = [(i, k) for i, k in np.argwhere(np.abs(ours.arms).max(axis=0) > 0).tolist()]
    lengths, found = np.zeros(ours.lengths.shape), np.zeros(ours.arms.shape)

    def all_frames() -> None:
        for row in range(walk.frames):
            theirs.place(motion.t[row], motion.q[row], motion.qdot[row])
            theirs.model.realizePosition(theirs.state)
            for i, muscle in enumerate(muscles):
                lengths[row, i] = muscle.getLength(theirs.state)
            for i, k in crossed:
                found[row, i, k] = muscles[i].computeMomentArm(theirs.state, theirs.coordinates[k])

    all_frames()
    np.testing.assert_allclose(ours.lengths, lengths, atol=1e-10)
    np.testing.assert_allclose(ours.arms, found, atol=1e-6)
    return best(all_frames, lambda: mm.analyses.muscle_analysis(walk.paths, motion), rounds, walk.frames)


# --- static optimisation ----------------------------------------------------------------------------------------------


def static_optimization(walk: Walk, rounds: int) -> tuple[float, float]:
    """Seconds per frame, OpenSim's and ours."""
    model = walk.spec.compile()
    motion = walk.motion.between(START, END)
    times = []

    def theirs() -> mm.recordings.Table:
        with TemporaryDirectory() as folder:
            tool, count = _static_tool(walk, folder)
            start = time.process_time()
            tool.run()
            times.append((time.process_time() - start) / count)
            return mm.recordings.read_table(Path(folder) / "walk_StaticOptimization_activation.sto")

    def ours() -> mm.analyses.StaticOptimization:
        tau = mm.analyses.inverse_dynamics(walk.paths, motion, walk.loads)
        return mm.analyses.static_optimization(model, motion, tau, reserves=1.0, passive=False, pennation="opensim")

    found, mine = ours(), []
    for _ in range(max(rounds // 2, 1)):
        expected = mm.recordings.resample(theirs().select(found.muscles), found.t[1:-1])
        np.testing.assert_allclose(
            found.activations[1:-1], expected.values, atol=0.005
        )  # OpenSim stops at its tolerance
        mine += [seconds(ours) / len(motion.t) for _ in range(3)]
    return min(times), min(mine)


def _static_tool(walk: Walk, folder: str) -> "tuple[opensim.AnalyzeTool, int]":
    """OpenSim's tool, and how many frames it does."""
    model = opensim.Model(str(walk.files.model))
    for c in walk.paths.coordinates:
        actuator = opensim.CoordinateActuator(c)
        actuator.setName(f"reserve_{c}")
        actuator.setOptimalForce(1.0)
        actuator.setMinControl(-np.inf)
        actuator.setMaxControl(np.inf)
        model.addForce(actuator)
    changed = Path(folder) / "with_reserves.osim"
    model.printToXML(str(changed))
    tool = opensim.AnalyzeTool()
    tool.setName("walk")
    tool.setModelFilename(str(changed))
    tool.setResultsDir(folder)
    tool.setCoordinatesFileName(str(walk.files.coordinates))
    tool.setExternalLoadsFileName(str(walk.files.loads))
    tool.setLowpassCutoffFrequency(CUTOFF)
    tool.setInitialTime(START)
    tool.setFinalTime(END)
    analysis = opensim.StaticOptimization()
    analysis.setStartTime(START)
    analysis.setEndTime(END)
    tool.getAnalysisSet().cloneAndAppend(analysis)
    setup = Path(folder) / "setup.xml"
    tool.printToXML(str(setup))
    t = walk.motion.t
    return opensim.AnalyzeTool(str(setup)), int(((t >= START) & (t <= END)).sum())


# --- loading ----------------------------------------------------------------------------------------------------------


def loading(walk: Walk, rounds: int) -> tuple[float, float]:
    """Seconds to load a model with 92 muscles, OpenSim's and ours."""
    text = walk.files.model.read_text()
    muscles = MUSCLE.findall(text)
    more = "".join(
        f'<Millard2012EquilibriumMuscle name="{name}_{k}">{body}</Millard2012EquilibriumMuscle>'
        for k, (name, body) in enumerate((muscles * (MANY // len(muscles) + 1))[: MANY - len(muscles)])
    )
    end = text.rindex("</Millard2012EquilibriumMuscle>") + len("</Millard2012EquilibriumMuscle>")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.osim"
        path.write_text(text[:end] + more + text[end:])
        assert len(mm.io.read_osim(path).muscles) == MANY
        times = best(
            lambda: opensim.Model(str(path)).initSystem(), lambda: mm.io.read_osim(path).compile().state(), rounds, 1
        )
    return times


PARTS = {
    "inverse dynamics": inverse_dynamics,
    "inverse kinematics, 39 markers": inverse_kinematics,
    "lengths and moment arms": arms,
    "static optimisation": static_optimization,
    "loading 92 muscles": loading,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="the part whose name begins so")
    options = parser.parse_args()
    if opensim is None:
        print("OpenSim's package is not here: pip install opensim")
        return
    logging.disable(logging.WARNING)
    opensim.Logger.setLevelString("Off")
    opensim.Logger.removeFileSink()
    walk = Walk()
    print(f"{'per frame':32}{'OpenSim':>12}{'MyoMass':>12}{'ratio':>8}")
    for name, part in PARTS.items():
        if name.startswith(options.only or ""):
            theirs, ours = part(walk, options.rounds)
            print(f"{name:32}{1e6 * theirs:9.1f} us{1e6 * ours:9.1f} us{theirs / ours:8.3g}", flush=True)


if __name__ == "__main__":
    main()
