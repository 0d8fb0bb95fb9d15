"""Seeing a motion: a page in the browser, pictures, films, plots, reports. Nothing is loaded before it is used."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model import Model
    from ..scenes import Scene
    from ..trajectory import Trajectory
    from .page import Page

__all__ = ["view"]


def view(what: "Trajectory | Scene | Model", **options) -> "Page":
    """Show a trajectory, a scene or a model in a browser; see `myomass.viewer.page.view`. Needs `myomass[view]`."""
    from .page import view

    return view(what, **options)
