"""Speed of muscles with states: elastic tendons against OpenSim, rigid ones against MuJoCo, in one process.

    python benchmarks/hill.py [--rounds 9]

A planar walker of 10 degrees of freedom and 18 muscles of Millard's, released in mid-air with excitations that swing,
for one second: the same bodies, paths and muscles in both programs, built from the tables below (after OpenSim's
gait10dof18musc, with plain hinges and path points that stay). Both follow a tight run first, and must agree with it.
OpenSim runs at accuracy 1e-5, the default of its forward tool; ours at the loosest tolerance or the longest step of
those tried at which neither coordinates nor speeds have a larger error than OpenSim's. Processor time of
`Manager.integrate` alone against that of the whole call of `mm.simulate`.

Against MuJoCo the same walker has rigid tendons without mass, MuJoCo's own muscles on the same paths, the excitations
stay, and both take steps of semi-implicit Euler: processor time of the whole call, below 1 where MyoMass is faster.
"""

import argparse
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
from dynamics import STEPS
from mujoco import rollout
from peers import mujoco_peer

import myomass as mm

sys.path = [folder for folder in sys.path if Path(folder).resolve() != Path(__file__).parent]  # has an opensim.py
try:
    import opensim
except ImportError:
    opensim = None

GRAVITY = (0, -9.81, 0)
Z = (0, 0, 1)
OMEGA, LEAST = 2 * np.pi, 0.01  # of the excitations [rad/s], least activation
ACCURACY, TIGHT = 1e-5, 1e-10  # of OpenSim: the default of its forward tool, and that of its tight run
FINEST = {"rtol": 1e-12, "atol": 1e-13}  # of our tight run
H = 1e-4  # step against MuJoCo [s]: fibres' damping makes a foot stiff


# --- the walker: x forward, y up, z to the right [m, kg], everything in the joint's frame of its body ----------------


class Bone(NamedTuple):
    parent: str | None
    place: tuple  # of the joint, in the parent's frame
    centre: tuple
    mass: float
    moments: tuple


LEG = {
    "thigh": Bone("pelvis", (-0.0707, -0.0661, 0.0835), (0, -0.17, 0), 9.3014, (0.1339, 0.0351, 0.1412)),
    "shank": Bone("thigh", (0, -0.4, 0), (0, -0.1867, 0), 3.7075, (0.0504, 0.0051, 0.0511)),
    "foot": Bone("shank", (0, -0.43, 0), (0.06, -0.02, 0), 1.5666, (0.002, 0.006, 0.007)),
}
TRUNK = {
    "pelvis": Bone(None, (0, 0, 0), (-0.0707, 0, 0), 11.777, (0.1028, 0.0871, 0.0579)),
    "torso": Bone("pelvis", (-0.1007, 0.0815, 0), (-0.03, 0.32, 0), 34.2366, (1.4745, 0.7555, 1.4314)),
}


class Muscle(NamedTuple):
    force: float  # F0 [N]
    optimal: float
    slack: float
    pennation: float  # [rad]
    points: str  # body's first letter, x, y, z [mm]
    offset: float  # of the excitation
    phase: float


MUSCLES = {
    "hamstrings": Muscle(2700, 0.109, 0.326, 0, "p -126 -103 69, s -30 -36 29, s -23 -56 34", 0.08, 0.0),
    "biceps_femoris": Muscle(804, 0.173, 0.089, 0.4014, "t 5 -211 23, s -30 -36 29, s -23 -56 34", 0.06, 1.0),
    "gluteus_maximus": Muscle(
        1944, 0.147, 0.127, 0, "p -135 18 56, p -138 -52 91, t -43 -53 29, t -16 -102 42", 0.1, 0.5
    ),
    "iliopsoas": Muscle(2342, 0.1, 0.16, 0.1396, "p -65 89 29, p -24 -57 76, t 2 -51 4, t -19 -60 10", 0.1, 3.0),
    "rectus_femoris": Muscle(1169, 0.114, 0.31, 0.0873, "p -30 -31 97, t 33 -403 2, s 52 -20 1", 0.08, 3.5),
    "vasti": Muscle(5000, 0.087, 0.136, 0.0524, "t 29 -192 31, t 34 -208 29, t 34 -403 6, s 52 -20 1", 0.05, 4.0),
    "gastrocnemius": Muscle(2500, 0.06, 0.39, 0.2967, "t -19 -393 -24, f -49 -11 3", 0.06, 1.5),
    "soleus": Muscle(5137, 0.05, 0.25, 0.4363, "s -2 -153 7, f -49 -11 3", 0.05, 2.0),
    "tibialis_anterior": Muscle(3000, 0.098, 0.223, 0.0873, "s 18 -162 12, s 33 -395 -18, f 68 -24 -23", 0.05, 5.0),
}
BODY_OF = {"p": "pelvis", "t": "thigh", "s": "shank", "f": "foot"}
SIDES = {"r": 1, "l": -1}
BONES = TRUNK | {
    f"{name}_{side}": bone._replace(
        parent=bone.parent if bone.parent in TRUNK else f"{bone.parent}_{side}",
        place=(*bone.place[:2], sign * bone.place[2]),
    )
    for (side, sign), (name, bone) in product(SIDES.items(), LEG.items())
}
JOINTS = ["x", "y", "pelvis", *(name for name in BONES if name != "pelvis")]  # our coordinates, in order
POSE = {"y": 1.0, "torso": -0.1, "thigh_r": 0.4, "shank_r": -0.6, "thigh_l": -0.2, "shank_l": -0.3, "foot_r": 0.1}
SPEED = {"x": 1.0, "thigh_r": -1.0, "shank_r": 2.0, "thigh_l": 2.0, "shank_l": -3.0, "foot_l": 1.0}


def muscles() -> dict[str, tuple[Muscle, list[tuple[str, np.ndarray]], float]]:
    """(muscle, bodies and places of its points [m], phase of its excitation) by name."""
    found = {}
    for (side, sign), (name, muscle) in product(SIDES.items(), MUSCLES.items()):
        points = []
        for point in muscle.points.split(","):
            letter, *numbers = point.split()
            body = BODY_OF[letter] if letter == "p" else f"{BODY_OF[letter]}_{side}"
            points.append((body, 1e-3 * np.array(numbers, float) * (1, 1, sign)))
        found[f"{name}_{side}"] = muscle, points, muscle.phase + (np.pi if side == "l" else 0.0)
    return found


def start() -> tuple[np.ndarray, np.ndarray]:
    """(q, qdot) in mid-air, a leg swinging forward. (10,) each"""
    return np.array([[given.get(joint, 0.0) for joint in JOINTS] for given in (POSE, SPEED)])


# --- in MyoMass -------------------------------------------------------------------------------------------------------


def bones() -> mm.Spec:
    """The walker without muscles."""
    spec = mm.Spec("walker", gravity=GRAVITY)
    for name, bone in BONES.items():
        joint = mm.Free2D() if bone.parent is None else mm.Revolute(Z)
        inertia = mm.Inertia(bone.mass, bone.moments)
        spec.add_body(name, bone.parent, joint, mm.translation(*bone.place), mm.translation(*bone.centre), inertia)
    return spec


def muscled(tendon: str) -> mm.Model:
    """The walker with its muscles; ours give points in bodies' frames, which lie at centres of mass."""
    spec = bones()
    for name, (muscle, places, _) in muscles().items():
        hill = mm.Hill(muscle.force, muscle.optimal, muscle.slack, muscle.pennation, tendon=tendon)
        points = [(body, tuple(place - BONES[body].centre)) for body, place in places]
        spec.add_muscle(name, mass=0.0, points=points, actuator=hill)
    return spec.compile()


def excitations() -> dict[str, mm.Motion]:
    """Excitations of all muscles over the second, by name."""
    return {
        name: mm.Motion.of(lambda t, m=muscle, phase=phase: m.offset * (1 + 0.8 * np.sin(OMEGA * t + phase)), 0.0, 1.0)
        for name, (muscle, _, phase) in muscles().items()
    }


# --- in OpenSim -------------------------------------------------------------------------------------------------------


def vector(x: tuple) -> "opensim.Vec3":
    return opensim.Vec3(*map(float, x))


class OpenSimWalker:
    """The walker in OpenSim."""

    def __init__(self):
        opensim.Logger.setLevelString("error")
        opensim.Logger.removeFileSink()
        self.model = model = opensim.Model()
        model.setGravity(vector(GRAVITY))
        self.joints = {}
        for name, bone in BONES.items():
            body = opensim.Body(name, bone.mass, vector(bone.centre), opensim.Inertia(*bone.moments, 0, 0, 0))
            model.addBody(body)
            parent = model.getGround() if bone.parent is None else model.getBodySet().get(bone.parent)
            kind = opensim.PlanarJoint if bone.parent is None else opensim.PinJoint
            joint = kind(
                f"at_{name}", parent, vector(bone.place), vector((0, 0, 0)), body, vector((0, 0, 0)), vector((0, 0, 0))
            )
            model.addJoint(joint)
            self.joints[name] = joint
        control = opensim.PrescribedController()
        for name, (muscle, points, phase) in muscles().items():
            force = opensim.Millard2012EquilibriumMuscle(
                name, muscle.force, muscle.optimal, muscle.slack, muscle.pennation
            )
            for k, (body, place) in enumerate(points):
                force.addNewPathPoint(f"{name}_{k}", model.getBodySet().get(body), vector(place))
            model.addForce(force)
            control.addActuator(force)
            control.prescribeControlForActuator(name, opensim.Sine(0.8 * muscle.offset, OMEGA, phase, muscle.offset))
        model.addController(control)
        self.state = model.initSystem()
        names = [model.getStateVariableNames().get(i) for i in range(model.getNumStateVariables())]
        self.order = np.array([names.index(wanted) for wanted in self._wanted()])

    def _wanted(self) -> list[str]:
        """OpenSim's names of our coordinates, speeds, and the muscles' activations and fibre lengths."""
        places = [f"/jointset/at_{name}/at_{name}_coord_{k}" for name, k in self._coordinates()]
        states = [f"/forceset/{name}/{what}" for name in muscles() for what in ("activation", "fiber_length")]
        return [f"{place}/value" for place in places] + [f"{place}/speed" for place in places] + states

    @staticmethod
    def _coordinates() -> list[tuple[str, int]]:
        return [("pelvis", 1), ("pelvis", 2), ("pelvis", 0), *((name, 0) for name in BONES if name != "pelvis")]

    def values(self) -> np.ndarray:
        """(q, qdot, z) in our order."""
        return self.model.getStateVariableValues(self.state).to_numpy()[self.order]

    def put(self, y: np.ndarray) -> None:
        """Stand at (q, qdot, z)."""
        values = np.empty(len(y))
        values[self.order] = y
        self.model.setStateVariableValues(self.state, opensim.Vector.createFromMat(values))

    def accelerations(self, t: float, y: np.ndarray) -> np.ndarray:
        """qddot at (q, qdot, z). (10,)"""
        self.put(y)
        self.state.setTime(t)
        self.model.realizeAcceleration(self.state)
        coordinates = [self.joints[name].get_coordinates(k) for name, k in self._coordinates()]
        return np.array([coordinate.getAccelerationValue(self.state) for coordinate in coordinates])

    def run(self, y: np.ndarray, accuracy: float) -> tuple[np.ndarray, np.ndarray, float]:
        """(times, their rows (q, qdot, z), processor time) of a second from y."""
        self.put(y)
        self.state.setTime(0.0)
        manager = opensim.Manager(self.model)
        manager.setIntegratorAccuracy(accuracy)
        manager.initialize(self.state)
        before = time.process_time()
        manager.integrate(1.0)
        took = time.process_time() - before
        table = manager.getStatesTable()
        labels = list(table.getColumnLabels())
        rows = table.getMatrix().to_numpy()[:, [labels.index(wanted) for wanted in self._wanted()]]
        return np.array(table.getIndependentColumn()), rows, took


# --- equal error ------------------------------------------------------------------------------------------------------


def processor_time(call: Callable) -> float:
    """Processor time of a call [s]."""
    before = time.process_time()
    call()
    return time.process_time() - before


class Setting(NamedTuple):
    """A run of ours."""

    name: str
    options: dict
    errors: tuple[float, float]
    seconds: float


LADDERS = {
    "recursive": [{"rtol": rtol, "atol": 0.01 * rtol} for rtol in 10.0 ** -np.arange(3, 8, 0.5)],
    "rk4": [{"h": 1 / n} for n in (500, 700, 1000, 1400, 2000)],
    "sdirk2": [{"h": 1 / n} for n in (500, 1000, 2000, 4000)],
    "bdf2": [{"h": 1 / n} for n in (500, 1000, 2000, 4000)],
}


class OurWalker:
    """The walker in MyoMass, at its start: in equilibrium at activations of 0.05."""

    def __init__(self):
        self.model, self.excitations = muscled("elastic"), excitations()
        self.start = self.model.state(*start(), activation=0.05)
        self.y = np.concatenate([self.start.q, self.start.qdot, self.start.z])

    def run(self, **options) -> mm.Trajectory:
        """A second from the start."""
        return mm.simulate(self.model, state=self.start, excitation=self.excitations, duration=1.0, **options)

    def seconds(self, **options) -> float:
        """Processor time of that."""
        return processor_time(lambda: self.run(**options))

    def differences(self, times: np.ndarray, rows: np.ndarray) -> tuple[float, float]:
        """Largest differences of rows (q, qdot, z) from our tight run: coordinates [rad, m], speeds. At their times."""
        tight = self.run(times=times, **FINEST)
        n = self.model.ndof
        return abs(rows[:, :n] - tight.q).max(), abs(rows[:, n : 2 * n] - tight.qdot).max()

    def setting(self, name: str, allowed: tuple[float, float]) -> Setting | None:
        """The cheapest setting of an integrator with no larger errors than allowed, None if its ladder has none."""
        for options in LADDERS[name]:
            options = {"integrator": name} | options
            motion = self.run(**options)
            errors = self.differences(motion.t, np.column_stack([motion.q, motion.qdot, motion.z]))
            if motion.ended == "completed" and all(np.array(errors) <= allowed):
                return Setting(name, options, errors, min(self.seconds(**options) for _ in range(3)))
        return None


def check_agreement(ours: OurWalker, theirs: OpenSimWalker) -> None:
    """Print how closely both agree, and stop if they do not: then they are not the same walker."""
    times, rows, _ = theirs.run(ours.y, TIGHT)
    q, qdot = ours.differences(times, rows)
    apart = []
    for t, y in ((times[0], rows[0]), (times[-1], rows[-1])):
        a, b = mm.forward_dynamics(ours.model, y[:10], y[10:20], z=y[20:], t=t), theirs.accelerations(t, y)
        apart.append(abs(a - b).max() / abs(b).max())
    print(f"  accelerations of both programs differ by {max(apart):.1g} of the largest, at start and end")
    print(f"  tight runs of both differ by {q:.1g} [rad, m] and {qdot:.1g} [rad/s, m/s] at most")
    if max(apart) > 1e-6 or q > 1e-6:
        raise SystemExit("the two programs do not have the same model")


def report_opensim(rounds: int) -> None:
    """Print processor times of a simulated second at equal error, and their ratio."""
    print("walker of 10 dof, 18 muscles with elastic tendons, one second, against OpenSim")
    if opensim is None:
        print("  OpenSim is not installed (pip install opensim): left out")
        return
    ours, theirs = OurWalker(), OpenSimWalker()
    check_agreement(ours, theirs)
    times, rows, _ = theirs.run(ours.y, ACCURACY)
    allowed = ours.differences(times, rows)
    print(f"  {'':44s} ms     error of coordinates, speeds   OpenSim's time over ours (quartiles)")
    settings = [setting for name in LADDERS if (setting := ours.setting(name, allowed))]
    took: dict[str, list[float]] = {name: [] for name in ("OpenSim", *(s.name for s in settings))}
    for _ in range(rounds):
        took["OpenSim"].append(theirs.run(ours.y, ACCURACY)[2])
        for s in settings:
            took[s.name].append(ours.seconds(**s.options))
    print(f"  {f'OpenSim, accuracy {ACCURACY:g}':34s} {1e3 * np.median(took['OpenSim']):6.1f}   {said(allowed)}")
    for s in sorted(settings, key=lambda s: s.seconds):
        low, middle, high = np.percentile(np.array(took["OpenSim"]) / took[s.name], (25, 50, 75))
        knob = ", ".join(f"{key} {value:.1g}" for key, value in s.options.items() if key in ("rtol", "h"))
        label, ms = f"MyoMass, {s.name}, {knob}", 1e3 * np.median(took[s.name])
        print(f"  {label:34s} {ms:6.1f}   {said(s.errors)}   {middle:5.1f}  ({low:.1f}-{high:.1f})")
    for name in LADDERS.keys() - took.keys():
        print(f"  MyoMass, {name}: not as exact at any step that was tried")


def said(errors: tuple[float, float]) -> str:
    """Two errors in words."""
    return f"{errors[0]:8.1e} rad, {errors[1]:8.1e} rad/s"


# --- against MuJoCo ---------------------------------------------------------------------------------------------------


def add_muscles(mjcf: mujoco.MjSpec) -> None:
    """MuJoCo's own muscles along the same paths: F0, optimal and slack lengths, speeds and time constants as ours."""
    for name, (muscle, points, _) in muscles().items():
        tendon = mjcf.add_tendon(name=name)
        for k, (body, place) in enumerate(points):
            mjcf.body(body).add_site(name=f"{name}_{k}", pos=place)
            tendon.wrap_site(f"{name}_{k}")
        actuator = mjcf.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_TENDON)
        actuator.set_to_muscle(timeconst=[0.01, 0.04], tausmooth=0.0, range=[0.75, 1.05], force=muscle.force, vmax=10.0)
        actuator.lengthrange = [muscle.slack + x * muscle.optimal for x in (0.75, 1.05)]


def mujoco_run() -> Callable:
    """A call of `mujoco.rollout` of all steps, from the start at constant excitations."""
    peer = mujoco_peer(bones(), add_muscles)
    model, data = peer.model, mujoco.MjData(peer.model)
    model.opt.timestep, model.opt.enableflags = H, 0
    data.qpos[:], data.qvel[:], _ = peer.motion(*start(), np.zeros(10))
    data.act[:] = 0.05
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mujoco.mj_stateSize(model, full))
    mujoco.mj_getState(model, data, state, full)
    control = np.tile([muscle.offset for muscle, _, _ in muscles().values()], (1, STEPS, 1))
    return lambda: rollout.rollout(model, data, state[None], control)


def rigid_run() -> Callable:
    """The same call of ours."""
    model, (q, qdot) = muscled("rigid"), start()
    given = {"excitation": [muscle.offset for muscle, _, _ in muscles().values()], "activation": 0.05}
    return lambda: mm.simulate(model, q=q, qdot=qdot, integrator="semi-implicit", h=H, duration=STEPS * H, **given)


def report_mujoco(rounds: int) -> None:
    """Print times per step with rigid tendons, and the ratio to MuJoCo's."""
    calls, took = {"MyoMass": rigid_run(), "MuJoCo": mujoco_run()}, {"MyoMass": [], "MuJoCo": []}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            took[name].append(processor_time(call))
    times = {name: np.array(values[1:]) for name, values in took.items()}
    ratios = np.percentile(times["MyoMass"] / times["MuJoCo"], (25, 50, 75))
    ours, theirs = (1e6 * np.median(times[name]) / STEPS for name in ("MyoMass", "MuJoCo"))
    print(f"the same with rigid tendons, {STEPS}-step rollouts from Python, against MuJoCo's muscles")
    print(f"  {ours:.2f} us a step, MuJoCo {theirs:.2f}; ratio {ratios[1]:.2f}  ({ratios[0]:.2f}-{ratios[2]:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    report_opensim(rounds)
    report_mujoco(rounds)


if __name__ == "__main__":
    main()
