"""Two bones and a muscle of one mass each, beside the lumped model: Wang 2022, Fig. 6.4 (after Pai 2010, Fig. 2).

With the muscle both angles are zero, the bones straight, after 0.3 s; with half of its mass put on either bone they are
not. The lengths and angles that the dissertation took from Pai are not printed in it. Here the bones hang in a row,
released at rest with the first one at 45 degrees, and the muscle is a straight line beside their common joint, from the
middle of the first to the near end of the second, as the brachialis runs at the elbow. Two things are then left, which
are found by root finding, not chosen: the start angle of the second joint, for both angles to pass zero at one time;
and the bones' length, for that time to be 0.3 s (all lengths being parts of it, times go with its root).
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from myomass.algorithms import forward_kinematics
from myomass.joints import Revolute
from myomass.model import Model, Spec
from myomass.muscles import muscle_paths
from myomass.run.events import Event
from myomass.simulate import simulate
from myomass.spatial import Inertia, translation
from myomass.trajectory import Trajectory
from myomass.viewer.palette import MUSCLE
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure

from .figures import DPI, dress, scenery

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRAIGHT_AT = 0.3  # [s], of the dissertation
MASS = 1.0  # of each bone and of the muscle [kg]; motions do not depend on it
FIRST_ANGLE = np.pi / 4
SECOND_ANGLES = 0.0, np.pi / 6  # between which the second start angle lies
TRIAL_LENGTH = 0.3  # [m]
ORIGIN, INSERTION, BESIDE = 0.5, 0.1, 0.1  # along the first and the second bone, and off them, in lengths of a bone
THICKNESS = 0.06  # of a bone, in lengths
TIGHT = {"integrator": "recursive", "rtol": 1e-12, "atol": 1e-13, "progress": False}


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    length, start = straightening()
    runs = [
        simulate(bones(length, lumped), q=start, duration=STRAIGHT_AT, times=np.linspace(0, STRAIGHT_AT, 121), **TIGHT)
        for lumped in (False, True)
    ]
    path = folder / "two-bones.png"
    _draw(*runs, path)
    return [path], _numbers(length, start, *runs)


def bones(length: float, lumped: bool) -> Model:
    """Two bars of a length [m], with the muscle between them, or with half of its mass in each."""
    spec = Spec("two-bones-lumped" if lumped else "two-bones")
    bar = Inertia.cuboid((THICKNESS * length, THICKNESS * length, length), mass=MASS + (0.5 * MASS if lumped else 0.0))
    middle = translation(0, 0, -0.5 * length)
    spec.add_body("first", None, Revolute((0, 1, 0)), None, middle, bar)
    spec.add_body("second", "first", Revolute((0, 1, 0)), translation(0, 0, -length), middle, bar)
    if not lumped:
        ends = [("first", ORIGIN), ("second", INSERTION)]
        ends = [(name, (BESIDE * length, 0.0, (0.5 - part) * length)) for name, part in ends]
        spec.add_muscle("muscle", MASS, ends, distribution="continuous")
    return spec.compile()


def straightening() -> tuple[float, np.ndarray]:
    """(length of a bone [m], start angles [rad], (2,)) with which both angles are zero at STRAIGHT_AT."""
    model = bones(TRIAL_LENGTH, lumped=False)
    angle = brentq(lambda second: _first_passage(model, second)[1], *SECOND_ANGLES, xtol=1e-14)
    time, _ = _first_passage(model, angle)
    return TRIAL_LENGTH * (STRAIGHT_AT / time) ** 2, np.array([FIRST_ANGLE, angle])


def _first_passage(model: Model, second: float) -> tuple[float, float]:
    """(time [s], second angle) at which the first angle is zero, for a start angle of the second joint."""
    passes = Event(lambda state: state.q[0], direction=-1)
    run = simulate(model, q=[FIRST_ANGLE, second], duration=2.0, events=passes, **TIGHT)
    return float(run.t[-1]), float(run.q[-1, 1])


def _numbers(length: float, start: np.ndarray, muscled: Trajectory, lumped: Trajectory) -> dict:
    return {
        "mass_of_each_kg": MASS,
        "length_of_a_bone_m": length,
        "muscle_from_the_first_joint": {"along": ORIGIN * length, "beside": BESIDE * length},
        "muscle_from_the_second_joint": {"along": INSERTION * length, "beside": BESIDE * length},
        "start_angles_rad": start.tolist(),
        "angles_at_0.3_s_rad": {"muscle": muscled.q[-1].tolist(), "lumped": lumped.q[-1].tolist()},
        "angles_at_0.3_s_degree": {
            "muscle": np.degrees(muscled.q[-1]).tolist(),
            "lumped": np.degrees(lumped.q[-1]).tolist(),
        },
        "energy_turned_J": float(np.ptp(muscled.kinetic)),
        "energy_drift_J": {run.model.name: float(np.ptp(run.kinetic + run.potential)) for run in (muscled, lumped)},
    }


def _draw(muscled: Trajectory, lumped: Trajectory, path: Path) -> None:
    """Draw the set-up in four poses, and both angles in time."""
    figure = new_figure(9.6, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.7))
    for row, shade in zip(np.linspace(0, len(muscled.t) - 1, 4).astype(int), (0.35, 0.5, 0.7, 1.0), strict=True):
        _draw_pose(left, muscled.model, muscled.q[row], shade)
    scenery(left)
    left.set_title("every 0.1 s")
    for k, name in enumerate(("first bone to the vertical", "second bone to the first")):
        right.plot(muscled.t, np.degrees(muscled.q[:, k]), color=PALETTE[k], lw=1.8, label=name)
        right.plot(lumped.t, np.degrees(lumped.q[:, k]), color=PALETTE[k], lw=1.6, ls=":")
    right.plot([], [], color="0.4", lw=1.6, ls=":", label="muscle lumped onto the bones")
    right.axhline(0.0, color="0.6", lw=0.8)
    right.set(xlabel="time [s]", ylabel="angle [degree]", xlim=(0.0, STRAIGHT_AT))
    dress(right, "Two bones and a muscle, all of one mass")
    figure.savefig(path, dpi=DPI)


def _draw_pose(axes: "Axes", model: Model, q: np.ndarray, shade: float) -> None:
    """Draw bones and muscle at q, pale or strong."""
    E = forward_kinematics(model, q)
    half = np.linalg.norm(E[0, :3, 3])  # the first bone hangs from the origin
    for pose in E:
        ends = pose[:3, 3, None] + half * np.outer(pose[:3, 2], (1.0, -1.0))
        axes.plot(ends[0], ends[2], color="0.35", lw=5, solid_capstyle="round", alpha=shade)
    corners = muscle_paths(model, q)[0].corners
    axes.plot(corners[:, 0], corners[:, 2], color=MUSCLE, lw=2.2, alpha=shade)
