"""Preset scenes, by number and by name. A new scene is a function and one line in SCENES."""

from collections.abc import Callable
from difflib import get_close_matches
from inspect import signature

from ..human.figure import HumanFigure, human_figure
from ..model.spec import UnknownName
from . import (
    chains,
    compass,
    elbow,
    hand,
    human_fall,
    kneed,
    leap,
    leg,
    mechanisms,
    muscles,
    reaching,
    redmax_adjoint,
    redmax_constraints,
    redmax_contact,
    redmax_forces,
    redmax_implicit,
    redmax_trees,
    soft_arm,
    starfish,
    tug_of_war,
)
from .base import Scene

SCENES: tuple[tuple[int | None, str, Callable[[], Scene]], ...] = (  # number in RedMax's tables, name, function
    (-1, "simpler-serial-chain", redmax_trees.simpler_serial_chain),
    (0, "simple-serial-chain", redmax_trees.simple_serial_chain),
    (1, "different-revolute-axes", redmax_trees.different_revolute_axes),
    (2, "branching", redmax_trees.branching),
    (3, "spherical-joint", redmax_trees.spherical_joint),
    (4, "loop", redmax_constraints.loop),
    (5, "joint-torque", redmax_forces.joint_torque),
    (6, "joint-limits", redmax_contact.joint_limits),
    (7, "equality-constrained-angles", redmax_constraints.equality_constrained_angles),
    (8, "equality-and-loop", redmax_constraints.equality_and_loop),
    (9, "hybrid-dynamics", redmax_constraints.hybrid_dynamics),
    (10, "external-force", redmax_forces.external_force),
    (11, "joint-stiffness-and-damping", redmax_forces.joint_stiffness_and_damping),
    (12, "mass-springs", redmax_constraints.mass_springs),
    (13, "maximal-hybrid-dynamics", redmax_constraints.maximal_hybrid_dynamics),
    (14, "universal-joint", redmax_trees.universal_joint),
    (15, "prismatic-joint", redmax_constraints.prismatic_joint),
    (16, "planar-joint", redmax_trees.planar_joint),
    (17, "translational-joint", redmax_trees.translational_joint),
    (18, "free-joint", redmax_trees.free_joint),
    (19, "composite-joint", redmax_trees.composite_joint),
    (20, "reduced-maximal-hybrid-dynamics", redmax_constraints.reduced_maximal_hybrid_dynamics),
    (21, "spline-curve-joint", redmax_trees.spline_curve_joint),
    (22, "spline-surface-joint", redmax_trees.spline_surface_joint),
    (23, "point-to-point-springs", redmax_forces.point_to_point_springs),
    (24, "spring-damper", redmax_forces.spring_damper),
    (25, "composite-body", redmax_trees.composite_body),
    (26, "mesh-body", redmax_trees.mesh_body),
    (27, "internal-friction-revolute", redmax_contact.friction_revolute),
    (28, "internal-friction-spherical", redmax_contact.friction_spherical),
    (29, "internal-friction-prismatic", redmax_contact.friction_prismatic),
    (30, "internal-friction-four-bar", redmax_contact.friction_four_bar),
    (31, "external-friction", redmax_contact.external_friction),
    (32, "prescribed-joint", redmax_constraints.prescribed_joint),
    (33, "external-friction-four-bar", redmax_contact.external_friction_four_bar),
    (34, "gears", redmax_constraints.gears),
    (35, "2d-free-joint", redmax_trees.free_2d_joint),
    (None, "implicit-serial-chain", redmax_implicit.serial_chain),
    (None, "implicit-revolute-axes", redmax_implicit.revolute_axes),
    (None, "implicit-branching", redmax_implicit.branching),
    (None, "implicit-prismatic-joint", redmax_implicit.prismatic_joint),
    (None, "implicit-planar-joint", redmax_implicit.planar_joint),
    (None, "implicit-translational-joint", redmax_implicit.translational_joint),
    (None, "implicit-2d-free-joint", redmax_implicit.free_2d_joint),
    (None, "implicit-spherical-joint", redmax_implicit.spherical_joint),
    (None, "implicit-universal-joint", redmax_implicit.universal_joint),
    (None, "implicit-free-joint", redmax_implicit.free_joint),
    (None, "spring-closed-loop", redmax_implicit.closed_loop),
    (None, "bouncing-box", redmax_implicit.bouncing_box),
    (None, "two-spring-dampers", redmax_implicit.two_spring_dampers),
    (None, "cable-and-slider", redmax_implicit.cable_and_slider),
    (None, "limited-chain", redmax_implicit.limited_chain),
    (None, "ten-link-chain", chains.ten_link_chain),
    (None, "slider-crank", mechanisms.slider_crank),
    (None, "two-four-bars", mechanisms.four_bar_row),
    (None, "andrews-squeezer", mechanisms.andrews_squeezer),
    (None, "muscle-straight", muscles.straight),
    (None, "muscle-path-points", muscles.through_points),
    (None, "muscle-cylinder", muscles.over_cylinder),
    (None, "human-fall", human_fall.fall),
    (None, "motion-transition", leap.Leap),
    (None, "compass-walker", compass.compass_walker),
    (None, "kneed-walker", kneed.kneed_walker),
    (None, "tug-of-war", tug_of_war.tug_of_war),
    (None, "elbow-flexion", elbow.elbow_flexion),
    (None, "spline-knee", leg.spline_knee_leg),
    (100, "adjoint-bdf1", redmax_adjoint.reach_bdf1),
    (101, "adjoint-bdf2", redmax_adjoint.reach_bdf2),
    (None, "reaching-arm", reaching.reaching_arm),
    (200, "starfish", starfish.starfish),
    (201, "hand", hand.hand),
    (202, "soft-arm", soft_arm.soft_arm),
)

__all__ = [
    "SCENES",
    "HumanFigure",
    "Scene",
    "human_figure",
    "load",
    "names",
]


def names() -> list[str]:
    """Names of all scenes."""
    return [name for _, name, _ in SCENES]


def load(scene: int | str, **parameters) -> Scene:
    """A scene by its number (in the RedMax table, or the scene's own) or by its name; some have parameters."""
    key = str(scene)
    for number, name, function in SCENES:
        if key in (name, str(number)) and key != "None":
            found = function(**_known(name, function, parameters))
            usual = signature(function).parameters
            found.as_stored = all(usual[key].default == value for key, value in parameters.items())
            return found
    close = get_close_matches(key, names(), n=1)
    listed = ", ".join(name if number is None else f"{number} {name}" for number, name, _ in SCENES)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {listed}"
    raise UnknownName(f"there is no scene {key!r}; {hint}")


def _known(name: str, function: Callable, parameters: dict) -> dict:
    """The parameters. Raises a TypeError about one that the scene does not have, or a text where it wants a number."""
    takes = signature(function).parameters
    for key, value in parameters.items():
        if key not in takes:
            has = f"it has: {', '.join(takes)}" if takes else "it has none"
            raise TypeError(f"scene {name!r} has no parameter {key!r}; {has}")
        if isinstance(value, str) and not isinstance(takes[key].default, str):
            raise TypeError(f"scene {name!r}: {key} is a number, not {value!r}")
    return parameters


def __dir__() -> list[str]:
    return __all__
