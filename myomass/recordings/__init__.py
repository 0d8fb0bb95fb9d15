"""Recordings: measured or computed columns over time, and what is done to them before they are used."""

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
