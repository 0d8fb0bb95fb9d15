"""Analyses of recorded motion: what moved, what torques it took, which muscles gave them."""

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
