"""Seeing a motion: a page in the browser, pictures, films, plots, reports. Nothing is loaded before it is used."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from ..trajectory import Trajectory

if TYPE_CHECKING:
    from ..model import Model
    from ..scenes import Scene
    from .page import Page

__all__ = ["view"]


def view(what: "Trajectory | Scene | Model", **options) -> "Page":
    """Show a trajectory, a scene or a model in a browser; see `myomass.viewer.page.view`. Needs `myomass[view]`."""
    from .page import view

    return view(what, **options)


def part(name: str) -> ModuleType:
    """The module of the viewer with this name, loaded only when it is needed."""
    return import_module(f".{name}", __package__)


Trajectory._viewer = part
