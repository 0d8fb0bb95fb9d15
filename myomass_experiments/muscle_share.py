"""The share of a muscle in a joint's inertia, against its number of mass points: Wang 2022, section 6.2.2 and 1.1.

Pai 2010 finds that the biceps femoris posterior adds 45 % to what the bones of the shank give a rat's knee (45.8 % with
the dissertation's mass points), and the triceps surae 7.6 % to a human ankle. A straight muscle of mass m, its origin
at rest, inserted at a distance r from the joint's axis, has a closed form: material at the fraction a of its length
moves a times as fast as the insertion, so

    I = integral over a from 0 to 1 of m (a r)^2 = m r^2 / 3,      r the distance of the insertion, not the moment arm.

N points in the middle of equal parts give (1 - 1/(4 N^2)) of it, N points from end to end (1 + 1/(2 N - 2)).

A belly between the fractions a and b of the path has m r^2 (a^2 + a b + b^2)/3 if the tendons stretch as it does. If
they do not, its material at the fraction beta of the belly moves along the path by beta h dq, h the moment arm, and
across it by its place s/l times what is left of r dq:

    I = m (h^2/3 + (r^2 - h^2) (mean of (s/l)^2 over the belly)),      s = p + beta (l - p - d), p and d the tendons.

How long the bellies are is not published with the numbers below; they end halfway here, a choice.

Rat: mass of the muscle from Johnson et al. 2011 (IEEE Trans. Biomed. Eng. 58:3328, table II), its insertion, breadth
and origin from Johnson et al. 2008 (J. Biomech. 41:610), the knee's place in the tibia from their OpenSim model. The
bones are a rod from knee to ankle; their mass is an estimate, and decides: the share goes with one over it.
Man: the foot of `human_figure` (de Leva 1996), insertion and origins from Delp et al. 1990 as in OpenSim's gait models,
masses of the muscles from cadavers (Ward et al. 2009, Clin. Orthop. Relat. Res. 467:1074, unchecked) and from volumes
of living men (Fukunaga et al. 1992, J. Orthop. Res. 10:926).
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.integrate import quad

from myomass.dynamics import mass_matrix, muscle_inertia
from myomass.human import human_figure
from myomass.joints import Revolute
from myomass.model import Spec
from myomass.muscles import Belly, Lumps
from myomass.spatial import Inertia, rotation, translation
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure

from .figures import DPI, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 100)
POSES = (-0.5, 0.0, 0.4, 0.9)  # of the joint [rad]: a straight muscle's inertia is the same in all
ACROSS = (0.0, 0.0, 1.0)
HALFWAY = Belly(0.0, 0.5, continuous=True)
STIFF = Belly(0.0, 0.5, continuous=True, tendon="inextensible")  # halfway at q = 0
BELLIES = {"tendon stretches": HALFWAY, "tendon inextensible": STIFF}
Place = tuple[float, float]  # in the plane of motion, from the joint [m]: forward, up

KNEE_IN_TIBIA = (-0.57e-3, 39.96e-3)  # Johnson's frame: at the ankle, y up the bone
FEMUR = 34.0e-3  # knee to hip, upright, of the same model [m]
BFP_ORIGIN, BFP_INSERTION = (-13.65e-3, 2.38e-3), (3.59e-3, 23.77e-3)  # from the hip; in the tibia
BFP_BREADTH = 11.23e-3  # of the insertion, along the bone [m]
BFP_MASS = 1.655e-3  # [kg]
SHANK_BONES = 0.7e-3  # tibia and fibula of a rat of some 300 g: an estimate [kg]

HEIGHT, WEIGHT = 1.80, 75.0  # of Delp's model [m], [kg]
CALCANEUS = (-0.0488, -0.0110)  # the Achilles tendon from the ankle: (-0.0488, -0.0420) + (0, 0.031)
ANKLE_IN_TIBIA = -0.43  # up from the knee [m]
ORIGINS = {"soleus": (-0.0024, -0.1533), "medial gastrocnemius": (-0.02, 0.01), "lateral gastrocnemius": (-0.02, 0.01)}
CADAVERS = {"soleus": 0.2758, "medial gastrocnemius": 0.1135, "lateral gastrocnemius": 0.0622}  # [kg]
VOLUMES = {"soleus": 489e-6, "medial gastrocnemius": 245e-6, "lateral gastrocnemius": 140e-6}  # [m^3]
MUSCLE_DENSITY = 1056.0  # [kg/m^3]

PUBLISHED = {"rat_knee": 0.45, "human_ankle": 0.076}  # Pai
WITH_POINTS = 0.458  # the dissertation's rat knee


class Joint(NamedTuple):
    """A hinge with what hangs on it, muscles to it, (origin, insertion, mass [kg]) each, and a range of its angle."""

    name: str
    title: str
    inertia: Inertia
    E_jb: np.ndarray
    muscles: list[tuple[Place, Place, float]]
    turned: tuple[str, float, float]  # what the angle is called [degree], and its range


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    joints = [rat_knee(), human_ankle(CADAVERS)]
    path, second = folder / "muscle-share.png", folder / "muscle-share-tendons.png"
    _draw(joints, path)
    _draw_tendons(joints, second)
    numbers = {joint.name: _numbers(joint) for joint in joints}
    numbers["rat_knee"] |= _rat_notes(joints[0])
    numbers["human_ankle"] |= _ankle_notes()
    return [path, second], numbers


def rat_knee() -> Joint:
    """The knee of a rat, its thigh upright and the shank hanging, with the biceps femoris posterior."""
    length = float(np.hypot(*KNEE_IN_TIBIA))
    rod = Inertia.cylinder(1.5e-3, length, mass=SHANK_BONES)
    down = translation(0, -0.5 * length, 0) @ rotation((1, 0, 0), np.pi / 2)
    origin = (BFP_ORIGIN[0], FEMUR + BFP_ORIGIN[1])
    insertion = (BFP_INSERTION[0] - KNEE_IN_TIBIA[0], BFP_INSERTION[1] - KNEE_IN_TIBIA[1])
    muscles, flexion = [(origin, insertion, BFP_MASS)], ("flexion", 0.0, 100.0)
    return Joint("rat_knee", "Rat's knee: biceps femoris posterior", rod, down, muscles, flexion)


def human_ankle(masses: dict[str, float]) -> Joint:
    """The ankle of a man who stands, with the three heads of the triceps surae."""
    foot = human_figure(HEIGHT, WEIGHT).bodies["foot_l"]
    turned = rotation((1, 0, 0), -np.pi / 2) @ foot.E_jb  # the figure's z is up, and here it is y
    muscles = [((x, y - ANKLE_IN_TIBIA), CALCANEUS, masses[name]) for name, (x, y) in ORIGINS.items()]
    range_ = ("plantarflexion", -20.0, 40.0)
    return Joint("human_ankle", "Human ankle: triceps surae", foot.inertia, turned, muscles, range_)


def share(joint: Joint, distribution: str | Belly | Lumps, points: int = 20, q: float = 0.0) -> float:
    """Inertia of the muscles at the joint, as a part of that of the bones."""
    spec = Spec(joint.name)
    body = spec.add_body("segment", None, Revolute(ACROSS), None, joint.E_jb, joint.inertia)
    inwards = np.linalg.inv(body.E_jb @ joint.inertia.frame)
    for k, (origin, insertion, mass) in enumerate(joint.muscles):
        place = tuple((inwards @ (*insertion, 0.0, 1.0))[:3])
        ends = [(None, (*origin, 0.0)), ("segment", place)]
        spec.add_muscle(f"muscle {k}", mass, ends, mass_points=points, distribution=distribution)
    model = spec.compile()
    added = muscle_inertia(model, [q])[0, 0]
    return float(added / (mass_matrix(model, [q])[0, 0] - added))


def bone_inertia(joint: Joint) -> float:
    """I of the bones that hang on the joint, about its axis, by Steiner's theorem. [kg m^2]"""
    pose = joint.E_jb @ joint.inertia.frame
    mass, across, (x, y, _) = joint.inertia.mass, pose[:3, :3].T @ ACROSS, pose[:3, 3]
    return float(across @ (joint.inertia.moments * across) + mass * (x * x + y * y))


def closed_form(joint: Joint) -> float:
    """Share of the muscles by m r^2/3 for each, from the numbers of the bones alone."""
    return sum(mass * np.hypot(*insertion) ** 2 / 3.0 for _, insertion, mass in joint.muscles) / bone_inertia(joint)


def closed_form_of_belly(joint: Joint, belly: Belly, q: float) -> float:
    """Share of muscles whose mass is in their bellies, from the numbers of the bones alone."""
    return sum(_of_belly(muscle, belly, q) for muscle in joint.muscles) / bone_inertia(joint)


def _of_belly(muscle: tuple[Place, Place, float], belly: Belly, q: float) -> float:
    """Inertia of one straight muscle with its mass in a belly, at the angle q. [kg m^2]"""
    origin, (x, y), mass = muscle
    c, s = np.cos(q), np.sin(q)
    tip, length = np.array([c * x - s * y, s * x + c * y]), np.hypot(x - origin[0], y - origin[1])
    along = tip - origin
    now, square = np.hypot(*along), float(tip @ tip)
    if belly.tendon == "stretches":
        first, last, h = belly.start, belly.end, 0.0
    else:
        p, d = belly.tendons(float(length))
        first, last, h = p / now, (now - d) / now, float(along[0] * tip[1] - along[1] * tip[0]) / now
    return mass * (h * h / 3.0 + (square - h * h) * (first * first + first * last + last * last) / 3.0)


def integral(joint: Joint) -> float:
    """Share of the muscles by numerical integration of |dx/dq|^2 along each."""

    def along(part: float, insertion: Place, mass: float) -> float:
        slope = np.cross(ACROSS, (*insertion, 0.0))  # of the insertion, by the joint's angle
        return mass * float(np.sum((part * slope) ** 2))

    parts = [quad(along, 0.0, 1.0, (insertion, mass), epsabs=0)[0] for _, insertion, mass in joint.muscles]
    return sum(parts) / bone_inertia(joint)


def in_points(joint: Joint) -> dict[str, list[float]]:
    """Shares for each of COUNTS: points in the middle of equal parts, and points from end to end (two at least)."""
    ends = [Lumps(np.linspace(0.0, 1.0, n)) for n in COUNTS if n > 1]
    middle = [share(joint, "uniform", n) for n in COUNTS]
    return {"middle": middle, "ends": [share(joint, distribution) for distribution in ends]}


def _numbers(joint: Joint) -> dict:
    exact, points = closed_form(joint), in_points(joint)
    continuous = [share(joint, "continuous", q=q) for q in POSES]
    return {
        "inertia_of_the_bones_kg_m2": bone_inertia(joint),
        "inertia_of_the_muscles_kg_m2": exact * bone_inertia(joint),
        "distance_of_the_insertion_m": float(np.hypot(*joint.muscles[0][1])),
        "share_closed_form": exact,
        "share_by_integration": integral(joint),
        "share_continuous": continuous[0],
        "largest_relative_miss_of_continuous_in_four_poses": float(np.max(np.abs(np.array(continuous) / exact - 1.0))),
        "points": list(COUNTS),
        "share_points_in_the_middle_of_parts": points["middle"],
        "share_points_from_end_to_end": [None, *points["ends"]],
        "share_published": PUBLISHED[joint.name],
        "belly_to_halfway": _belly_numbers(joint),
    }


def _belly_numbers(joint: Joint) -> dict:
    """Shares of muscles whose belly ends halfway, with tendons that stretch and that do not, at four angles."""
    _, low, high = joint.turned
    angles = np.linspace(low, high, 4).tolist()
    shares = {name: [share(joint, belly, q=-np.radians(a)) for a in angles] for name, belly in BELLIES.items()}
    exact = [[closed_form_of_belly(joint, belly, -np.radians(a)) for a in angles] for belly in BELLIES.values()]
    return {
        f"{joint.turned[0]}_degree": angles,
        "share": shares,
        "of_mass_from_end_to_end": {
            name: (np.array(own) / closed_form(joint)).tolist() for name, own in shares.items()
        },
        "largest_relative_miss_of_the_closed_form": float(
            np.max(np.abs(np.array(list(shares.values())) / exact - 1.0))
        ),
    }


def _rat_notes(joint: Joint) -> dict:
    """Numbers that show what matters: the bones' mass, the breadth of the insertion, how points are placed."""
    insertion = joint.muscles[0][1]
    exact, published = closed_form(joint), PUBLISHED["rat_knee"]
    spread = 1.0 + BFP_BREADTH**2 / 12.0 / np.hypot(*insertion) ** 2
    return {
        "share_published_with_points": WITH_POINTS,
        "share_with_the_insertion_spread": exact * spread,
        "mass_of_the_bones_kg": SHANK_BONES,
        "mass_of_the_bones_for_the_published_share_kg": SHANK_BONES * exact / published,
        "points_from_end_to_end_that_turn_45_into_45.8": 1.0 + 0.5 / (WITH_POINTS / published - 1.0),
    }


def living_men() -> dict[str, float]:
    """Masses of the heads of the triceps surae from their volumes. [kg]"""
    return {name: MUSCLE_DENSITY * volume for name, volume in VOLUMES.items()}


def _ankle_notes() -> dict:
    """Shares of the muscles at the ankle for the masses of living men."""
    living = living_men()
    return {
        "mass_of_the_muscles_kg": {"cadavers": sum(CADAVERS.values()), "living men": sum(living.values())},
        "share_with_muscles_of_living_men": closed_form(human_ankle(living)),
    }


def _draw(joints: list[Joint], path: Path) -> None:
    """Draw shares against the number of points above, their distance from the closed form below."""
    figure = new_figure(9.6, 6.4)
    panels = figure.subplots(2, 2, sharex=True, height_ratios=(1.3, 1.0))
    for k, joint in enumerate(joints):
        _draw_joint(panels[:, k], joint)
    living = 100.0 * closed_form(human_ankle(living_men()))
    text = f"the closed form for muscles of living men: {living:.2f} %"
    panels[0, 1].axhline(living, color="0.2", lw=1.0, ls="--", label=text)
    panels[0, 1].set_ylim(0.0, 1.6 * living)
    for axes, joint in zip(panels[0], joints, strict=True):
        dress(axes, joint.title, fontsize=9, loc="upper right")
    figure.savefig(path, dpi=DPI)


def _draw_joint(panels: "tuple[Axes, Axes]", joint: Joint) -> None:
    exact, points = closed_form(joint), in_points(joint)
    kinds = (("points in the middle of equal parts", points["middle"]), ("points from end to end", points["ends"]))
    for k, (name, shares) in enumerate(kinds):
        counts = np.array(COUNTS[-len(shares) :])
        panels[0].plot(counts, 100.0 * np.array(shares), "o-", color=PALETTE[k], lw=1.4, ms=4, label=name)
        panels[1].plot(counts, np.abs(np.array(shares) / exact - 1.0), "o", color=PALETTE[k], ms=4)
        law = 0.25 / counts**2.0 if k == 0 else 0.5 / (counts - 1.0)
        text = "1/(4 N²)" if k == 0 else "1/(2 N - 2)"
        panels[1].plot(counts, law, color=PALETTE[k], lw=1.0, label=text)
    panels[0].axhline(100.0 * exact, color="0.2", lw=1.0, label=f"closed form m r²/3: {100 * exact:.2f} %")
    published = 100.0 * PUBLISHED[joint.name]
    panels[0].axhline(published, color="0.5", lw=1.0, ls=":", label=f"Pai 2010: {published:g} %")
    panels[0].set(xscale="log", ylabel="muscle in % of the bones", ylim=(0.0, 200.0 * exact))
    panels[1].set(xscale="log", yscale="log", xlabel="mass points N", ylabel="relative miss")
    dress(panels[1], "", fontsize=9)


def _draw_tendons(joints: list[Joint], path: Path) -> None:
    """Draw shares against the joint's angle, for mass from end to end and in a belly with both kinds of tendon."""
    figure = new_figure(9.6, 4.2)
    panels = figure.subplots(1, 2)
    for axes, joint in zip(panels, joints, strict=True):
        called, low, high = joint.turned
        angles = np.linspace(low, high, 41)
        axes.axhline(100.0 * closed_form(joint), color="0.2", lw=1.0, label="mass from end to end, m r²/3")
        for k, (name, belly) in enumerate(BELLIES.items()):
            shares = [100.0 * share(joint, belly, q=-np.radians(angle)) for angle in angles]
            axes.plot(angles, shares, color=PALETTE[k], lw=1.8, label=f"belly to halfway, {name}")
        axes.set(xlabel=f"{called} [degree]", ylabel="muscle in % of the bones", ylim=(0.0, None))
        dress(axes, joint.title, fontsize=9, loc="best")
    figure.savefig(path, dpi=DPI)
