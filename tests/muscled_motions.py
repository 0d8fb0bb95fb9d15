"""Motions of models with Hill-type muscles, for tests of load sharing: a made-up arm's, and the recorded gait."""

import numpy as np

import myomass as mm
from myomass.analyses import Kinematics, inverse_dynamics, kinematics

MUSCLES = [  # name (first letter: shoulder, elbow or both), side, largest force, fibre, tendon
    ("s front", 1, 500.0, 0.15, 0.13),
    ("s back", -1, 600.0, 0.15, 0.13),
    ("e front", 1, 400.0, 0.12, 0.14),
    ("e back", -1, 450.0, 0.12, 0.14),
    ("b front", 1, 300.0, 0.25, 0.26),
    ("b back", -1, 350.0, 0.25, 0.26),
]


def gait():
    """(model, residual and reserve actuators, motion filtered at 6 Hz, its generalized forces) of the recorded walk."""
    files = mm.io.sample_gait()
    spec = mm.io.read_osim(files.model)
    model, f = spec.compile(), mm.forces
    place = spec.frames["pelvis"].place((-0.034, 0, 0))
    residuals = {
        "FX": f.PointActuator("pelvis", (1, 0, 0), place, world_direction=True),
        "FY": f.PointActuator("pelvis", (0, 1, 0), place, world_direction=True, optimal_force=2.0),
        "MZ": f.TorqueActuator("pelvis", (0, 0, 1), world_axis=True),
    }
    own = [name for name in model.coordinates if not name.startswith("pelvis")]
    motion = kinematics(model, mm.recordings.read_table(files.coordinates), lowpass=6.0)
    tau = inverse_dynamics(model, motion, mm.recordings.read_loads(files.loads))
    return model, residuals | {f"{name}_reserve": f.CoordinateActuator(name) for name in own}, motion, tau


def arm(coupled=False, tendon="rigid", curves=None, locked=False):
    """A planar arm of two hinges and six Hill-type muscles, two of them over both; coupled or locked if asked for."""
    spec = mm.Spec("arm")
    box = mm.Inertia.cuboid((0.05, 0.05, 0.3), mass=2.0)
    hinge, place = mm.Revolute((0, 1, 0)), mm.translation(0, 0, -0.15)
    spec.add_body("upper", None, hinge, None, place, box, coordinates="shoulder")
    spec.add_body("lower", "upper", hinge, mm.translation(0, 0, -0.3), place, box, coordinates="elbow")
    for name, side, force, fibre, slack in MUSCLES:
        on_upper = [("upper", (0.03 * side, 0, 0.1)), ("upper", (0.03 * side, 0, -0.1))]
        hill = mm.Hill(force, fibre, slack, pennation=0.2, tendon=tendon, curves=curves)
        ends = {
            "s": [(None, (0.05 * side, 0, 0.05)), on_upper[1]],
            "e": [on_upper[0], ("lower", (0.03 * side, 0, 0.1))],
            "b": [(None, (0.06 * side, 0, 0.05)), ("lower", (0.04 * side, 0, 0.08))],
        }[name[0]]
        spec.add_muscle(name, points=ends, actuator=hill)
    if coupled:
        spec.add_constraint(mm.Coupling("upper", "lower", (0.1, 0.5)))
    if locked:
        spec.add_constraint(mm.DrivenJoint("lower", position=0.3))
    return spec.compile()


def swing(model, rows=7, seed=1):
    """A made-up motion."""
    t, random = np.linspace(0, 0.6, rows), np.random.default_rng(seed)
    phase = random.uniform(0, 2, model.ndof)
    q, qdot = 0.3 + 0.2 * np.sin(4 * t[:, None] + phase), 0.8 * np.cos(4 * t[:, None] + phase)
    return Kinematics(t, q, qdot, -3.2 * np.sin(4 * t[:, None] + phase), model.coordinates, model.coordinate_units)
