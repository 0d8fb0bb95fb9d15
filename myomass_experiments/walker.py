"""The passive walk of Stepien et al. 2012, section 8: Table 1's walker, simulated foot after foot to its steady gait.

Fig. 10 is the phase portrait of one leg: angle to the vertical against its rate, swinging above, bearing below, with a
jump of the rate at every strike. Fig. 11 is potential against kinetic energy over two steps: A a step begins, B the hip
is highest, C a foot strikes, and the strike's loss leads to A' on the next lower line.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from myomass.algorithms import body_twists, forward_kinematics
from myomass.dynamics import energy
from myomass.model import Model
from myomass.run.events import Occurrence
from myomass.scenes import load
from myomass.scenes.walkers import Compass
from myomass.simulate import simulate
from myomass.trajectory import Trajectory
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure
from myomass.walking import limit_cycle

from .figures import arrow, finish

STRIKES = 40  # until the gait is steady
TIGHT = {"integrator": "recursive", "rtol": 1e-12, "atol": 1e-13}
SHOWN = 2  # steps of Fig. 11
UP = np.array([0.0, 0.0, 1.0])


class Stride(NamedTuple):
    """One step from strike to strike, both ends included."""

    t: np.ndarray  # [s]
    angles: np.ndarray  # of the left and the right leg to the vertical [rad], (rows, 2)
    rates: np.ndarray  # [rad/s], (rows, 2)
    kinetic: np.ndarray  # [J]
    potential: np.ndarray
    bearing: int  # which leg


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    walker = Compass()
    run = simulate(load("compass-walker"), duration=0.74 * STRIKES, **TIGHT)
    strides = strides_of(run, walker)[-2 * SHOWN :]
    files = [folder / "walker-phase-portrait.png", folder / "walker-energies.png"]
    _phase_portrait(strides, files[0])
    _energies(strides[-SHOWN:], files[1])
    cycle = limit_cycle(walker.return_map(), walker.guess)
    found = {"period_s": cycle.period, "multipliers": [[m.real, m.imag] for m in cycle.multipliers.tolist()]}
    return files, _numbers(run, strides, walker) | {"limit_cycle": found}


def strides_of(run: Trajectory, walker: Compass) -> list[Stride]:
    """The steps between the strikes of a run."""
    return [_stride(piece, strike, walker) for piece, strike in zip(run.pieces[1:-1], run.events[1:], strict=True)]


def _stride(piece: Trajectory, strike: Occurrence, walker: Compass) -> Stride:
    """The rows of a step, and the state just before the strike that ends it."""
    t = np.append(piece.t, strike.time)
    q, qdot = np.vstack([piece.q, strike.q_before]), np.vstack([piece.qdot, strike.qdot_before])
    rows = [leg_motion(piece.model, *row, walker) for row in zip(q, qdot, strict=True)]
    T, V = np.array([energy(piece.model, *row) for row in zip(q, qdot, strict=True)]).T
    angles, rates = np.array(rows).transpose(1, 0, 2)
    return Stride(t, angles, rates, T, V, int(piece.model.parents[1] < 0))


def leg_motion(model: Model, q: np.ndarray, qdot: np.ndarray, walker: Compass) -> tuple[np.ndarray, np.ndarray]:
    """Angles of both legs to the vertical, and their rates. (2,) each"""
    E, phi = forward_kinematics(model, q)[:2], body_twists(model, q, qdot)[:2]
    foot, hip = walker.foot, walker.foot + walker.length * _up_in_leg(walker)
    legs = np.einsum("nij,j->ni", E[:, :3, :3], hip - foot)
    omega = np.einsum("nij,nj->ni", E[:, :3, :3], phi[:, :3])
    return np.arctan2(-legs[:, 0], legs[:, 2]), -omega[:, 1]


def _up_in_leg(walker: Compass) -> np.ndarray:
    """Unit vector from foot to hip, in the leg's own frame. (3,)"""
    return walker.inertia.frame[:3, :3].T @ UP


def _numbers(run: Trajectory, strides: list[Stride], walker: Compass) -> dict:
    last, before = strides[-1], strides[-2]
    times = np.diff([strike.time for strike in run.events])
    bearing, swing = last.bearing, 1 - last.bearing
    lost = before.kinetic[-1] - last.kinetic[0]
    reach = 2.0 * walker.length * np.sin(abs(last.angles[-1, bearing] + walker.slope))
    return {
        "slope_rad": walker.slope,
        "gravity": walker.gravity,
        "strikes": len(run.events),
        "period_s": float(times[-1]),
        "last_change_of_the_period_s": float(times[-1] - times[-2]),
        "before_a_strike": {
            "swing_angle_rad": float(last.angles[-1, swing]),
            "stance_angle_rad": float(last.angles[-1, bearing]),
            "swing_rate_rad_s": float(last.rates[-1, swing]),
            "stance_rate_rad_s": float(last.rates[-1, bearing]),
        },
        "step_m": float(reach),
        "speed_m_s": float(reach / times[-1]),
        "energy_lost_in_a_strike_J": float(lost),
        "energy_drift_in_a_step_J": float(np.ptp(last.kinetic + last.potential)),
    }


def _phase_portrait(strides: list[Stride], path: Path) -> None:
    """Draw Fig. 10: the left leg, over steps in which it swings and bears."""
    axes = new_figure(6.4, 5.2).subplots()
    said = set()
    for stride, following in zip(strides, [*strides[1:], None], strict=True):
        word, colour = ("bearing", PALETTE[0]) if stride.bearing == 0 else ("swinging", PALETTE[1])
        angle, rate = stride.angles[:, 0], stride.rates[:, 0]
        axes.plot(angle, rate, color=colour, lw=1.6, label=None if word in said else word)
        said.add(word)
        if following is not None:
            ends = [angle[-1], following.angles[0, 0]], [rate[-1], following.rates[0, 0]]
            axes.plot(*ends, color="0.4", lw=1.0, ls=":", label=None if "strike" in said else "strike")
            said.add("strike")
        arrow(axes, angle, rate, colour)
    axes.set(xlabel="angle of the leg to the vertical [rad]", ylabel="its rate [rad/s]")
    finish(axes, "Compass walker: phase portrait of a leg", path)


def _energies(strides: list[Stride], path: Path) -> None:
    """Draw Fig. 11: potential against kinetic energy over consecutive steps."""
    axes = new_figure(6.4, 5.2).subplots()
    zero = strides[0].potential[0]
    for k, stride in enumerate(strides):
        T, V = stride.kinetic, stride.potential - zero
        axes.plot(T, V, color=PALETTE[k], lw=1.8, label=f"step {k + 1}")
        marks, highest = "'" * k, int(np.argmax(V))
        for word, row, shift in (("A", 0, (4, 8)), ("B", highest, (8, 2)), ("C", -1, (0, 9))):
            axes.plot(T[row], V[row], "o", color=PALETTE[k], ms=5)
            axes.annotate(word + marks, (T[row], V[row]), xytext=shift, textcoords="offset points", fontsize=12)
        if k + 1 < len(strides):
            after = strides[k + 1]
            ends = [T[-1], after.kinetic[0]], [V[-1], after.potential[0] - zero]
            axes.plot(*ends, color="0.4", lw=1.0, ls=":")
    axes.set(xlabel="kinetic energy [J]", ylabel="potential energy, from the first strike [J]")
    finish(axes, "Compass walker: energies over two steps", path)
