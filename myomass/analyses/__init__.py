"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them; masses for muscles."""

from .give_mass import MassGiven, give_mass, take_mass

__all__ = ["MassGiven", "give_mass", "take_mass"]


def __dir__() -> list[str]:
    return __all__
