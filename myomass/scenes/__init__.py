"""Preset scenes, by number and by name. A new scene is a function and one line in SCENES."""

from collections.abc import Callable
from difflib import get_close_matches

from ..model.spec import UnknownName
from . import chains, redmax_trees
from .base import Scene

SCENES: tuple[tuple[int | None, str, Callable[[], Scene]], ...] = (  # number in the RedMax table, name, function
    (-1, "simpler-serial-chain", redmax_trees.simpler_serial_chain),
    (0, "simple-serial-chain", redmax_trees.simple_serial_chain),
    (1, "different-revolute-axes", redmax_trees.different_revolute_axes),
    (2, "branching", redmax_trees.branching),
    (3, "spherical-joint", redmax_trees.spherical_joint),
    (14, "universal-joint", redmax_trees.universal_joint),
    (16, "planar-joint", redmax_trees.planar_joint),
    (17, "translational-joint", redmax_trees.translational_joint),
    (18, "free-joint", redmax_trees.free_joint),
    (19, "composite-joint", redmax_trees.composite_joint),
    (21, "spline-curve-joint", redmax_trees.spline_curve_joint),
    (22, "spline-surface-joint", redmax_trees.spline_surface_joint),
    (25, "composite-body", redmax_trees.composite_body),
    (26, "mesh-body", redmax_trees.mesh_body),
    (35, "2d-free-joint", redmax_trees.free_2d_joint),
    (None, "ten-link-chain", chains.ten_link_chain),
)

__all__ = ["SCENES", "Scene", "load", "names"]


def names() -> list[str]:
    """Names of all scenes."""
    return [name for _, name, _ in SCENES]


def load(scene: int | str) -> Scene:
    """A scene by its number in the RedMax table or by its name."""
    key = str(scene)
    for number, name, function in SCENES:
        if key in (name, str(number)) and key != "None":
            return function()
    close = get_close_matches(key, names(), n=1)
    listed = ", ".join(name if number is None else f"{number} {name}" for number, name, _ in SCENES)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {listed}"
    raise UnknownName(f"there is no scene {key!r}; {hint}")
