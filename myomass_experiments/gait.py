"""Ankle torque in swing with the shank's mass in its muscles: Wang 2022, section 6.2.8, Fig. 6.15 and 6.16.

The dissertation drives a leg by motion capture, and compares the ankle torque of OpenSim, whose muscles have no mass,
with its own, with 0 % and with 80 % of the tibia's mass in the four muscles that span the ankle, in 20 points in the
middle portion of each path. Its trials, a run at 19.1 km/h, are not public. Here it is a walk of OpenSim's public
collection (`mm.io.sample_gait`), whose planar model has one gastrocnemius instead of two heads, so three muscles a leg.

A swing reaches from toe-off to touch-down, when the vertical ground reaction falls below a threshold and exceeds it.
What is left of the shank does not matter to the ankle's torque: it lies on the other side of the joint.

Relative masses: of cadavers (Ward et al. 2009, Clin. Orthop. Relat. Res. 467:1074, the source that the dissertation
names; checked against another transcription of its table), both heads of the gastrocnemius together.
"""

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from myomass.analyses import Kinematics, give_mass, inverse_dynamics, kinematics
from myomass.io import read_osim, sample_gait
from myomass.model import Spec
from myomass.recordings import ExternalLoads, Table, read_loads, read_table
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure

from .figures import DPI, dress
from .muscle_share import CADAVERS

CUT_OFF = 6.0  # of the coordinates' filter, as OpenSim's example has it [Hz]
ON_GROUND = 20.0  # vertical force of a foot that stands [N]
SHORTEST = 0.1  # a swing [s]
SHARE = 0.8
SIDES = {"calcn_r": "r", "calcn_l": "l"}  # body that stands -> side
GASTROCNEMIUS = CADAVERS["medial gastrocnemius"] + CADAVERS["lateral gastrocnemius"]
RELATIVE = {"gastroc": GASTROCNEMIUS, "soleus": CADAVERS["soleus"], "tib_ant": 0.0801}  # [kg]
PROXIMAL = (0.0, 0.5)  # a belly that begins where the path does
PHASE = np.linspace(0.0, 1.0, 101)
PUBLISHED = 40.0  # "as much as", percent
STYLES = {"OpenSim": (PALETTE[0], "-"), "ours, 0 %": (PALETTE[1], "--"), "ours, 80 %": (PALETTE[4], "-")}


class Walk(NamedTuple):
    """A recorded walk: spec, filtered motion, ground reactions, OpenSim's torques, and the swings of both legs."""

    spec: Spec
    motion: Kinematics
    loads: ExternalLoads
    opensim: Table
    swings: list[tuple[str, float, float]]  # (side, toe-off, touch-down) [s]


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figure into a folder; returns (files, numbers)."""
    need_matplotlib()
    walk = recorded_walk()
    stored = Table(walk.opensim.t, walk.opensim.values, [n.rpartition("_")[0] for n in walk.opensim.names])
    curves = {"OpenSim": in_swing(walk, stored), "ours, 0 %": torques(walk, 0.0), "ours, 80 %": torques(walk, SHARE)}
    path = folder / "gait-ankle.png"
    _draw(curves, path)
    return [path], _numbers(walk, curves)


def recorded_walk() -> Walk:
    """The walk that the package carries."""
    files = sample_gait()
    spec, loads = read_osim(files.model), read_loads(files.loads)
    motion = kinematics(spec.compile(), read_table(files.coordinates), lowpass=CUT_OFF)
    return Walk(spec, motion, loads, read_table(files.torques), swings_of(loads))


def swings_of(loads: ExternalLoads, threshold: float = ON_GROUND) -> list[tuple[str, float, float]]:
    """(side, toe-off, touch-down) [s] of every swing that lies in the recording as a whole, in their order.

    A foot stands while the vertical force on it exceeds the threshold [N].
    """
    found = []
    for force in loads:
        t, stands = force.table.t, force.table[force.force[1]] > threshold
        changes = 1 + np.flatnonzero(np.diff(stands.astype(int)))
        for leaves, lands in pairwise(changes):
            if not stands[leaves] and t[lands] - t[leaves] > SHORTEST:
                found.append((SIDES[force.body], float(t[leaves]), float(t[lands])))
    return sorted(found, key=lambda swing: swing[1])


def table_of(relative: dict[str, float] = RELATIVE) -> dict[str, float]:
    """Masses by muscle, of both legs."""
    return {f"{name}_{side}": mass for name, mass in relative.items() for side in "rl"}


def with_mass(walk: Walk, share: float, **options) -> Spec:
    """The walk's model with a share of both shanks' mass in the muscles of the ankle."""
    given = {"masses": table_of(), "keep": "centre"} | options
    return give_mass(walk.spec, share, of=["tibia_r", "tibia_l"], **given)


def torques(walk: Walk, share: float, **options) -> np.ndarray:
    """Ankle torques of all swings with a share of the shanks' mass in the muscles [N m]. (swings, PHASE)"""
    return in_swing(walk, inverse_dynamics(with_mass(walk, share, **options).compile(), walk.motion, walk.loads))


def in_swing(walk: Walk, torques: object) -> np.ndarray:
    """Ankle torques of all swings, by parts of the swing, of a table by coordinates [N m]. (swings, PHASE)"""
    curves = {side: CubicSpline(torques.t, torques[f"ankle_angle_{side}"]) for side in "rl"}
    return np.array([curves[side](begin + PHASE * (end - begin)) for side, begin, end in walk.swings])


def difference(curves: np.ndarray, reference: np.ndarray) -> dict:
    """How far the mean of some swings is from that of others, and each swing from its own."""
    mean, other = reference.mean(axis=0), curves.mean(axis=0)
    away, peak = np.abs(other - mean), np.abs(mean).max()
    each = np.abs(curves - reference).max(axis=1) / np.abs(reference).max(axis=1)
    return {
        "largest_difference_of_the_means_Nm": float(away.max()),
        "at_percent_of_the_swing": float(100.0 * PHASE[away.argmax()]),
        "percent_of_the_largest_torque": float(100.0 * away.max() / peak),
        "percent_of_the_largest_torque_of_each_swing": (100.0 * each).tolist(),
    }


def _numbers(walk: Walk, curves: dict[str, np.ndarray]) -> dict:
    opensim, given = curves["OpenSim"], with_mass(walk, SHARE).given
    late = PHASE > 0.5
    return {
        "swings_s": [list(swing) for swing in walk.swings],
        "our_inverse_dynamics_off_OpenSim_in_parts_of_each_torques_range": _agreement(walk),
        "largest_torque_of_the_mean_swing_Nm": float(np.abs(opensim.mean(axis=0)).max()),
        "largest_standard_deviation_Nm": float(opensim.std(axis=0).max()),
        "with_0_percent": difference(curves["ours, 0 %"], opensim),
        "with_80_percent": difference(curves["ours, 80 %"], opensim) | {"published_percent": PUBLISHED},
        "final_dip_Nm": {name: float(one.mean(axis=0)[late].min()) for name, one in curves.items()},
        "mass_of_a_muscle_kg": {name: given.masses[f"{name}_r"] for name in RELATIVE},
        "other_choices_percent_of_the_largest_torque": _choices(walk, opensim),
        "what_is_left_of_the_shank_matters_by_Nm": float(
            np.abs(curves["ours, 80 %"] - torques(walk, SHARE, keep="mass")).max()
        ),
        "largest_share_that_keeps_the_shanks_inertia": _largest_share(walk),
    }


def _agreement(walk: Walk) -> float:
    """The largest difference of our massless inverse dynamics from OpenSim's, in parts of the range of each torque."""
    ours = inverse_dynamics(walk.spec.compile(), walk.motion, walk.loads).table().select(walk.opensim.names).values
    return float((np.abs(ours - walk.opensim.values).max(axis=0) / np.ptp(walk.opensim.values, axis=0)).max())


def _choices(walk: Walk, reference: np.ndarray) -> dict[str, float]:
    """Largest differences for other places, tendons and masses of the muscles."""
    options = {
        "inextensible tendons": {"tendon": "inextensible"},
        "bellies in the upper half": {"belly": PROXIMAL},
        "bellies in the upper half, inextensible tendons": {"belly": PROXIMAL, "tendon": "inextensible"},
        "masses by the model's volumes": {"masses": None},
    }
    key = "percent_of_the_largest_torque"
    return {name: difference(torques(walk, SHARE, **one), reference)[key] for name, one in options.items()}


def _largest_share(walk: Walk) -> float:
    """The largest share that leaves a rigid body if the shank with its muscles keeps its inertia, by bisection."""
    low, high = 0.0, 1.0
    while high - low > 1e-4:
        middle = 0.5 * (low + high)
        try:
            with_mass(walk, middle, keep="inertia")
            low = middle
        except ValueError:
            high = middle
    return low


def _draw(curves: dict[str, np.ndarray], path: Path) -> None:
    """Draw means with their standard deviations, and the single swings about the final dip."""
    figure = new_figure(11.0, 4.6)
    left, right = figure.subplots(1, 2)
    for name, swings in curves.items():
        colour, style = STYLES[name]
        mean, spread = swings.mean(axis=0), swings.std(axis=0)
        wide = 2.6 if name == "OpenSim" else 1.6
        left.plot(100.0 * PHASE, mean, color=colour, ls=style, lw=wide, label=name)
        left.fill_between(100.0 * PHASE, mean - spread, mean + spread, color=colour, alpha=0.2, lw=0)
        for one in swings:
            right.plot(100.0 * PHASE, one, color=colour, ls=style, lw=0.7 * wide)
    right.set(xlim=(75.0, 100.0))
    for axes in (left, right):
        axes.axhline(0.0, color="0.7", lw=0.8)
        axes.set(xlabel="part of the swing [%]", ylabel="ankle torque [N m]")
    dress(left, f"Mean and standard deviation of {len(swings)} swings", fontsize=9)
    dress(right, "Each swing, final dip")
    figure.savefig(path, dpi=DPI)
