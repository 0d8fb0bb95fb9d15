"""Re-rooting: the same mechanism hung from another of its bodies, as a model with its state, and as a spec."""

from . import reroot_spec as reroot_spec  # gives Spec its reroot
from .reroot import reroot

__all__ = ["reroot"]
