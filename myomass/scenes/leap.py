"""A leap from a wall: the flight of least effort is searched for, then simulated under the torques that were found."""

from functools import cached_property

import numpy as np

from ..algorithms import forward_kinematics
from ..dynamics import energy, hybrid_dynamics, momentum
from ..forces import JointTorque
from ..human.figure import HumanFigure, human_figure
from ..joints import Fixed
from ..model import Model, Shape
from ..spatial import translation
from ..transitions import Transition, motion_transition
from ..transitions.curve import Moment
from .base import Scene

FLIGHT = 1.0  # [s]
HIGHER = 1.3  # height of the figure at the start [m]
PIECES = 200  # number of times at which torques are given
ROOT = 3.0, 0.5  # nothing pushes a body in flight: what a force [N] and a moment [N m] on the root is measured by
WIDTH, STONE = 1.5, (0.62, 0.58, 0.52)  # of the wall [m], and its colour
TAKE_OFF = {
    "pelvis z": HIGHER,
    "pelvis turn y": 0.15,
    "lumbar flexion": 0.1,
    "thoracic rotation": -0.2,
    "hip_l flexion": -0.25,
    "knee_l flexion": 0.15,
    "ankle_l flexion": -0.6,
    "hip_r flexion": 1.2,
    "knee_r flexion": 1.3,
    "shoulder_l flexion": 1.0,
    "shoulder_r flexion": -0.6,
    "elbow flexion": 1.2,
}
TAKE_OFF_RATES = {
    "pelvis x": 2.5,
    "hip_l flexion": -1.0,
    "hip_r flexion": 2.0,
    "knee_r flexion": -2.0,
    "shoulder_l flexion": 1.5,
    "shoulder_r flexion": -1.5,
}
LANDING = {
    "pelvis z": -0.03,
    "pelvis turn y": 0.1,
    "lumbar flexion": 0.2,
    "hip flexion": 0.5,
    "knee flexion": 0.6,
    "ankle flexion": 0.15,
    "shoulder flexion": 0.6,
    "shoulder abduction": 0.5,
    "elbow flexion": 0.5,
}
LANDING_RATES = {"hip flexion": 0.5, "knee flexion": 0.8, "shoulder flexion": -1.0}


def flight(figure: HumanFigure, model: Model) -> tuple[Moment, Moment]:
    """Take-off and landing that a free flight joins: the centre of mass on its parabola, the same angular momentum."""
    g = model.gravity
    start, rates, end, end_rates = (figure.pose(x) for x in (TAKE_OFF, TAKE_OFF_RATES, LANDING, LANDING_RATES))
    rise = momentum(model, end, end_rates).centre[2] - momentum(model, start, rates).centre[2]
    speed = rates[0], 0.0, rise / FLIGHT - 0.5 * g[2] * FLIGHT
    mass = model.bodies["mass"].sum()
    rates = _with_momentum(model, start, rates, mass * np.array(speed), momentum(model, start, rates).angular)
    off = momentum(model, start, rates)
    end[:3] += off.centre + FLIGHT * off.velocity + 0.5 * FLIGHT**2 * g - momentum(model, end, end_rates).centre
    end_rates = _with_momentum(model, end, end_rates, off.linear + mass * FLIGHT * g, off.angular)
    return Moment(start, rates, _falling(model, start, rates)), Moment(end, end_rates, _falling(model, end, end_rates))


def _with_momentum(
    model: Model, q: np.ndarray, qdot: np.ndarray, linear: np.ndarray, angular: np.ndarray
) -> np.ndarray:
    """qdot with the root's rates that give the figure a momentum and an angular momentum."""

    def of(rates: np.ndarray) -> np.ndarray:
        now = momentum(model, q, rates)
        return np.concatenate([now.linear, now.angular])

    joints = np.where(np.arange(model.ndof) < 6, 0.0, qdot)
    columns = np.array([of(row) for row in np.eye(6, model.ndof)]).T
    joints[:6] = np.linalg.solve(columns, np.concatenate([linear, angular]) - of(joints))
    return joints


def _falling(model: Model, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """qddot of a flight whose joints do not accelerate."""
    joints = np.arange(model.ndof) >= 6
    return hybrid_dynamics(model, q, qdot, np.zeros(model.ndof), np.zeros(model.ndof), joints)[0]


def find_leap() -> tuple[HumanFigure, Transition]:
    """The figure, and its flight of least effort; torques count by the strength of their joints."""
    figure = human_figure()
    model = figure.compile()
    strengths = figure.strengths.copy()
    strengths[:3], strengths[3:6] = ROOT
    before, after = flight(figure, model)
    options = {"weights": strengths**-2, "ranges": figure.ranges, "tolerance": 1e-3}
    return figure, motion_transition(model, before, after, FLIGHT, **options)


class Leap(Scene):
    """A scene whose motion is searched for when it is first used."""

    def __init__(self) -> None:
        self.name, self.number, self.baumgarte = "motion-transition", None, None
        self.description = "A figure leaps off a wall by the torques of least effort, found by spacetime optimisation."
        self.duration, self.h, self.integrator, self.conservative = FLIGHT, FLIGHT / PIECES, "rk4", False

    @cached_property
    def found(self) -> tuple[HumanFigure, Transition]:
        """(figure, transition), found once."""
        return find_leap()

    @property
    def transition(self) -> Transition:
        """The motion from take-off to landing."""
        return self.found[1]

    @cached_property
    def spec(self) -> HumanFigure:
        """The figure, with the torques that were found on its joints, and a wall."""
        figure, found = self.found[0], self.transition
        times = np.linspace(0.0, FLIGHT, PIECES + 1)
        tau = found.torques(times)
        for name in list(figure.bodies)[1:]:
            figure.add_force(JointTorque(name, tau[:, found.model.dof(name)], times, linear=True))
        figure.name = self.name
        body, place = figure.points["toe_l"]
        x, _, z, _ = forward_kinematics(found.model, self.q)[found.model.body(body)] @ (*place, 1.0)
        stone = Shape.cuboid((WIDTH, WIDTH, z), colour=STONE)
        figure.add_body("wall", None, Fixed(), translation(x - 0.45 * WIDTH, 0.0, 0.5 * z), shapes=[stone])
        return figure

    @property
    def q(self) -> np.ndarray:
        """Coordinates at the start of the leap. (ndof,)"""
        return self.transition.curve(0.0).q

    @property
    def qdot(self) -> np.ndarray:
        """Rates at the start of the leap. (ndof,)"""
        return self.transition.curve(0.0).qdot

    @property
    def reference(self) -> dict[str, float]:
        """End energy of the flight that was found [J]: the simulated one should end there."""
        end, start = self.transition.curve(FLIGHT), energy(self.model, self.q, self.qdot)
        return {"exact": float(energy(self.model, end.q, end.qdot).total - start.potential)}

    @property
    def findings(self) -> dict[str, str]:
        """A line for the summary that says how the search ended."""
        return {"search": f"{self.transition.message}, {self.transition.seconds:.1f} s"}
