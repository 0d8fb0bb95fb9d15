"""Recorded motions as trajectories, which are drawn, played, plotted and saved like runs."""

from typing import TYPE_CHECKING

import numpy as np

from ..model import Model
from ..trajectory import Trajectory
from .motion_rows import motion_rows
from .muscles import Activations, muscle_analysis

if TYPE_CHECKING:
    from .kinematics import Kinematics

STATES = {"activation": "activations", "fibre_length": "fibre_lengths"}  # of a muscle -> what the analysis calls them


def trajectory_of(model: Model, motion: "Kinematics", activations: Activations = None) -> Trajectory:
    """A recorded motion as a trajectory: `.view()`, `.save_image("pose.png", t=0.5)`, `.save_html`, `.save_video`.

    activations: of muscles with an mm.Hill actuator, as of `muscle_analysis` (None: the least), which colour them; the
    fibres are in equilibrium with their tendons. Nothing was simulated: energies need not balance.
    """
    rows = motion_rows(model, motion, "trajectory_of")
    z = np.zeros((len(rows.t), model.nz))
    if model.nz:
        hills = model.muscles.hills
        done = muscle_analysis(model, motion, hills["least"] if activations is None else activations, coordinates=[])
        for k, name in enumerate(model.z_names):
            owner, _, state = name.rpartition(".")
            if state in STATES:
                z[:, k] = getattr(done, STATES[state])[:, done.muscles.index(owner)]
    elif activations is not None:
        raise ValueError(f"model {model.name!r} has no muscle with an mm.Hill actuator that activations could be of")
    charts = np.tile(model.params[model.chart_slots], (len(rows.t), 1)) if not len(rows.charts) else rows.charts
    return Trajectory(model, rows.t, rows.q, rows.qdot, charts, "recording", z=z)
