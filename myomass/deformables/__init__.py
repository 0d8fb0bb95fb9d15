"""Things that bend and stretch, in the same reduced system as the bodies."""

from .springs import add_spring_chain

__all__ = [
    "add_spring_chain",
]


def __dir__() -> list[str]:
    return __all__
