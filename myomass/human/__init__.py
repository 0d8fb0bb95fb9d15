"""The human figure: published tables of the body, a figure scaled from them, and what it looks like."""

from .figure import HumanFigure, human_figure

__all__ = ["HumanFigure", "human_figure"]
