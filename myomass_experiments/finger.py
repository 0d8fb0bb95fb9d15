"""A flicked finger: Wang 2022, Fig. 1.1 and section 6.2.5. The largest force it bears in steps of 1 ms.

Deep and superficial flexor (FDP, FDS) start near the elbow and run through pulleys, path points, to the last and the
middle bone of the index finger: 200 g each, bones of 5 g/cm^3, three hinges (MCP, PIP, DIP), the rest fixed, a force on
the fingertip in the first two steps. The dissertation finds the motion unstable from 5 N on where the muscles' mass is
lumped into the forearm, which stands still, and from 20 N on where it moves along.

Its bones and pulleys are not printed. Here: lengths of the bones in parts of the hand's (Buchholz et al. 1992,
Ergonomics 35:261: 0.245, 0.143 and 0.097), hand and forearm of de Leva 1996; moment arms of the straight finger from An
et al. 1983 (J. Biomech. 16:419), both unchecked; bones' radii, the pulleys' distances from the joints and the relaxed
pose are choices. The pulleys of a joint are not equally far from it, so that they never meet, however far it turns.
The mass is spread along the path, or in a belly whose tendons stretch as it does or keep their lengths: the
dissertation calls its inertia underestimated because its tendons stretch.

Nothing else acts: no gravity, no springs, no damping, no stops. So energy has to stay what the flick has given, and the
motion counts as unstable if within 0.1 s it is more than doubled, or no longer finite. Stops would hide what is looked
for: plastic ones swallow the energy, and springs that are stiff in 1 ms put some in of their own. The step is the
linearly implicit Euler step ("euler") of the papers' programs, which here is the same as "semi-implicit"; others are
listed beside it. A force is the largest stable one if every smaller one tried is stable too.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from myomass.algorithms import forward_kinematics
from myomass.dynamics import mass_matrix
from myomass.forces import PointForce
from myomass.human.anthropometry import SEGMENTS
from myomass.joints import Revolute
from myomass.model import Model, Spec
from myomass.muscles import Belly, moment_arms, muscle_paths
from myomass.simulate import simulate
from myomass.spatial import Inertia, rotation, translation
from myomass.trajectory import Trajectory
from myomass.viewer.palette import FORCE, MUSCLE
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure

from .figures import DPI, dress, scenery

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HAND, FOREARM = (1e-3 * SEGMENTS["male"][name].length for name in ("hand", "forearm"))  # [m]
BONES = ("proximal", "middle", "distal")
LENGTHS = tuple(part * HAND for part in (0.245, 0.143, 0.097))
METACARPAL = 0.463 * HAND  # wrist to MCP
RADII = (5e-3, 4e-3, 3e-3)
DENSITY, MUSCLE_MASS = 5000.0, 0.2  # [kg/m^3], of each muscle [kg]
JOINTS = ("MCP", "PIP", "DIP")
ARMS = {"FDP": (11.1e-3, 7.9e-3, 4.1e-3), "FDS": (11.9e-3, 6.2e-3)}  # at MCP, PIP, DIP [m]
BEFORE, BEHIND = (10e-3, 14e-3, 9e-3), (18e-3, 8e-3, 5.6e-3)  # of the pulleys, from each joint [m]
ELBOW, WRIST = (-METACARPAL - FOREARM, 0.0, -15e-3), (-METACARPAL, 0.0, -12e-3)  # path points at rest
RELAXED = np.radians([30.0, 40.0, 20.0])
EVENLY, IN_THE_BELLY = "continuous", Belly(0.05, 0.55, continuous=True)  # of the way from elbow to insertion
STIFF = replace(IN_THE_BELLY, tendon="inextensible")  # the fractions hold in the straight finger
MODELS = {  # where the muscles' mass is
    "lumped": None,
    "muscles": EVENLY,
    "muscles_with_bellies": IN_THE_BELLY,
    "muscles_with_inextensible_tendons": STIFF,
}

STEP, FLICKED, WATCHED = 1e-3, 2, 0.1  # [s], steps of force, [s] after it
DOUBLED = 2.0
FORCES = np.geomspace(0.5, 60.0, 200)  # that are tried [N], 2.4 % apart
OTHERS = ("rk4", "sdirk2")
DISSERTATION = {"lumped": 5.0, "muscles": 20.0}  # unstable from there on [N]
SHOWN = DISSERTATION["lumped"]


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    files = [folder / "finger-stability.png", folder / "finger-motion.png"]
    largest = {name: largest_stable(partial(growth, mass, "euler")) for name, mass in MODELS.items()}
    _draw_stability(largest, files[0])
    _draw_motion(files[1])
    return files, _numbers(largest)


def finger(mass: str | Belly | None, force: np.ndarray | None = None) -> Model:
    """The finger with the muscles' mass distributed so, or lumped into the forearm (None); a force on its tip [N]."""
    spec, parent, place = Spec("finger", gravity=(0.0, 0.0, 0.0)), None, 0.0
    for name, length, radius in zip(BONES, LENGTHS, RADII, strict=True):
        bone = Inertia.cylinder(radius, length, mass=DENSITY * np.pi * radius**2 * length)
        along = translation(0.5 * length, 0, 0) @ rotation((0, 1, 0), np.pi / 2)
        spec.add_body(name, parent, Revolute((0, 1, 0)), translation(place, 0, 0), along, bone)
        parent, place = name, length
    if mass is not None:
        for name, arms in ARMS.items():
            spec.add_muscle(name, MUSCLE_MASS, _path(arms), distribution=mass)
    if force is not None:
        spec.add_force(PointForce("distal", tuple(force), (0.0, 0.0, 0.5 * LENGTHS[-1])))
    return spec.compile()


def _path(arms: tuple[float, ...]) -> list:
    """Points of a flexor: elbow, wrist, and a pulley before and behind each joint, a moment arm into the palm.

    It inserts at the last one.
    """
    points = [(None, ELBOW), (None, WRIST)]
    for k, arm in enumerate(arms):
        points.append((None, (-BEFORE[0], 0.0, -arm)) if k == 0 else _on_bone(k - 1, LENGTHS[k - 1] - BEFORE[k], arm))
        points.append(_on_bone(k, BEHIND[k], arm))
    return points


def _on_bone(k: int, along: float, depth: float) -> tuple[str, tuple[float, float, float]]:
    """A point of a bone: from its joint towards the tip, and into the palm [m]. The body's z runs along the bone."""
    return BONES[k], (depth, 0.0, along - 0.5 * LENGTHS[k])


def flick(mass: str | Belly | None, integrator: str, force: float) -> Trajectory:
    """The run of a flick from the relaxed pose, by a force [N] square to the last bone, which extends the finger."""
    angle = RELAXED.sum()
    upward = force * np.array([np.sin(angle), 0.0, np.cos(angle)])
    how = {"integrator": integrator, "h": STEP, "progress": False}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # runs that end early are what is looked for
        pushed = simulate(finger(mass, upward), q=RELAXED, duration=FLICKED * STEP, **how)
        if pushed.ended != "completed":
            return pushed
        return pushed.joined(simulate(finger(mass), state=pushed.state, duration=WATCHED, **how))


def growth(mass: str | Belly | None, integrator: str, force: float) -> float:
    """The largest energy after a flick, of that at its end; infinite where the motion is not finite or ends early."""
    run = flick(mass, integrator, force)
    with np.errstate(all="ignore"):
        energies = run.kinetic[FLICKED:]
        finite = run.ended == "completed" and np.isfinite(energies).all()
        return float(energies.max() / energies[0]) if finite else np.inf


def largest_stable(of: Callable[[float], float]) -> float | None:
    """The force [N] up to which growths stay below DOUBLED, to 0.1 %; None if they do at all FORCES."""
    if of(FORCES[0]) > DOUBLED:
        raise ValueError(f"the finger is unstable at {FORCES[0]:g} N already: start from a smaller force")
    bad = next((force for force in FORCES[1:] if of(force) > DOUBLED), None)
    if bad is None:
        return None
    good = FORCES[np.searchsorted(FORCES, bad) - 1]
    while bad > 1.001 * good:
        middle = np.sqrt(good * bad)
        good, bad = (middle, bad) if of(middle) <= DOUBLED else (good, middle)
    return float(good)


def exact_drift(mass: str | Belly, force: float) -> float:
    """How far energy strays in the exact motion after a flick, of itself: nothing but steps makes it grow."""
    start = flick(mass, "euler", force)
    model = finger(mass)
    begin = model.state(start.q[FLICKED], start.qdot[FLICKED])
    run = simulate(model, state=begin, duration=WATCHED, rtol=1e-10, atol=1e-11, progress=False)
    return float(np.ptp(run.kinetic) / run.kinetic[0])


def _carried() -> np.ndarray:
    """sum m (dl/dq)^2 over the muscles: what they add if all of their mass goes with the tendons. [kg m^2], (3,)"""
    return MUSCLE_MASS * np.sum(moment_arms(finger(EVENLY), RELAXED) ** 2, axis=0)


def _numbers(largest: dict[str, float | None]) -> dict:
    own = {name: np.diag(mass_matrix(finger(mass), RELAXED)).tolist() for name, mass in MODELS.items()}
    added = {name: np.array(M) - own["lumped"] for name, M in own.items() if name != "lumped"}
    even, stiff = added["muscles_with_bellies"], added["muscles_with_inextensible_tendons"]
    others = {
        step: {name: largest_stable(partial(growth, mass, step)) for name, mass in MODELS.items()} for step in OTHERS
    }
    return {
        "step_s": STEP,
        "lengths_m": list(LENGTHS),
        "mass_of_the_bones_kg": [DENSITY * np.pi * r * r * length for r, length in zip(RADII, LENGTHS, strict=True)],
        "inertia_at_MCP_PIP_DIP_kg_m2": own,
        "inertia_that_the_muscles_add_kg_m2": {name: part.tolist() for name, part in added.items()},
        "of_the_bellies_with_inextensible_tendons_by_stretching_ones": (stiff / even).tolist(),
        "of_the_bellies_if_they_moved_with_the_tendons_kg_m2": _carried().tolist(),
        "largest_stable_force_N": largest,
        "ratio_to_lumped": {name: force / largest["lumped"] for name, force in largest.items() if name != "lumped"},
        "unstable_from_in_the_dissertation_N": DISSERTATION,
        "largest_stable_force_with_other_steps_N": others,
        "energy_drift_of_the_exact_motion": exact_drift(EVENLY, largest["muscles"]),
    }


def _draw_stability(largest: dict[str, float | None], path: Path) -> None:
    """Draw the finger, and how energy grows with the force."""
    figure = new_figure(9.6, 5.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.5))
    _draw_finger(left)
    top = 30.0
    names = ("mass lumped into the forearm", "muscles, mass along the path", "muscles, mass in the belly")
    names += ("the same, tendons inextensible",)
    for (name, mass), said, colour in zip(MODELS.items(), names, (PALETTE[k] for k in (1, 0, 2, 3)), strict=True):
        limit = largest[name]
        grown = np.minimum([growth(mass, "euler", force) for force in FORCES], 2.0 * top)
        right.plot(FORCES, grown, color=colour, lw=0.8, alpha=0.35)
        below = np.searchsorted(FORCES, limit)
        right.plot(FORCES[:below], grown[:below], color=colour, lw=2.0)
        right.plot(limit, DOUBLED, "o", color=colour, label=f"{said}: {limit:.3g} N")
    right.axhline(DOUBLED, color="0.4", lw=0.8)
    right.set(xscale="log", yscale="log", xlabel="force on the fingertip, for 2 ms [N]", ylim=(0.95, top))
    right.set(ylabel="largest energy in 0.1 s, of that of the flick")
    right.set_xticks([0.5, 1, 2, 5, 10, 20, 50], labels=["0.5", "1", "2", "5", "10", "20", "50"])
    right.set_yticks([1, 2, 5, 10, 20], labels=["1", "2", "5", "10", "20"])
    right.minorticks_off()
    dress(right, "Flicked finger, steps of 1 ms", loc="upper left", fontsize=9, bbox_to_anchor=(0.0, -0.13))
    figure.savefig(path, dpi=DPI)


def _draw_finger(axes: "Axes") -> None:
    """Draw bones, paths and pulleys of the relaxed finger, in millimetres."""
    model = finger(EVENLY)
    for name, pose, length, radius in zip(JOINTS, forward_kinematics(model, RELAXED), LENGTHS, RADII, strict=True):
        ends = pose[:3, 3, None] + 0.5 * length * np.outer(pose[:3, 2], (-1.0, 1.0))
        axes.plot(1e3 * ends[0], 1e3 * ends[2], color="0.8", lw=2e3 * radius, solid_capstyle="round")
        axes.plot(1e3 * ends[0, 0], 1e3 * ends[2, 0], "o", color="0.3", ms=4)
        axes.annotate(name, 1e3 * ends[::2, 0], (8, 6), textcoords="offset points", fontsize=9)
    axes.plot([-1e3 * METACARPAL, 0], [0, 0], color="0.88", lw=12, solid_capstyle="round", zorder=0)
    for name, colour, path in zip(ARMS, (MUSCLE, PALETTE[4]), muscle_paths(model, RELAXED), strict=True):
        x, z = 1e3 * path.corners[:, 0], 1e3 * path.corners[:, 2]
        axes.plot(x[1:], z[1:], "o-", color=colour, lw=1.5, ms=3, label=name)
    tip = 1e3 * ends[:, 1]
    angle = RELAXED.sum()
    push = 18.0 * np.array([np.sin(angle), np.cos(angle)])
    look = {"arrowstyle": "-|>", "color": FORCE, "lw": 1.8}
    axes.annotate("", (tip[0], tip[2]), (tip[0] - push[0], tip[2] - push[1]), arrowprops=look)
    scenery(axes)
    axes.legend(frameon=False, fontsize=9, loc="lower left")


def _draw_motion(path: Path) -> None:
    """Draw the joints' angles after a flick, with and without the muscles' inertia, in steps and exact."""
    figure = new_figure(9.6, 4.2)
    panels = figure.subplots(1, len(JOINTS))
    until = 0.025
    for k, (name, mass) in enumerate(list(MODELS.items())[:2]):
        run, colour = flick(mass, "euler", SHOWN), PALETTE[(1, 0)[k]]
        begin = finger(mass).state(run.q[FLICKED], run.qdot[FLICKED], run.t[FLICKED])
        exact = simulate(
            finger(mass), state=begin, duration=until - FLICKED * STEP, rtol=1e-9, atol=1e-9, progress=False
        )
        rows = run.t <= until
        for i, axes in enumerate(panels):
            axes.plot(1e3 * exact.t, np.degrees(exact.q[:, i]), color=colour, lw=1.0)
            axes.plot(1e3 * run.t[rows], np.degrees(run.q[rows, i]), "o", color=colour, ms=3, label=name)
            axes.set(xlabel="time [ms]", ylabel="angle [degree]" if i == 0 else None)
    for name, axes in zip(JOINTS, panels, strict=True):
        dress(axes, name, fontsize=9, loc="lower left")
    figure.suptitle(
        f"A flick of {SHOWN:g} N: steps of 1 ms (dots) and the exact motion from the flick's end on (lines)"
    )
    figure.savefig(path, dpi=DPI)
