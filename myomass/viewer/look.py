"""Look: how soft bodies are to be seen, as pictures, films and pages are asked for it."""

from typing import NamedTuple

from ..model import Model
from ..spatial.checks import check_positive

LEAST, DIGITS = 1e-9, (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
NOTHING = 0.1  # strain of the last colour where nothing is strained


class Look(NamedTuple):
    """Soft bodies coloured by strain, up to a number or (True) up to the largest of the run; or seen through."""

    strain: bool | float = False
    xray: bool = False


def check_look(model: Model, strain: bool | float, xray: bool) -> Look:
    """The look that is asked for. Raises a ValueError if the model has nothing to be seen like that."""
    for name, wanted in (("strain", strain), ("xray", xray)):
        if wanted and not model.soft_bodies:
            raise ValueError(f"{name} shows soft bodies in another way, and model {model.name!r} has none")
    if not isinstance(xray, bool):
        raise ValueError(f"xray is True or False, not {xray!r}")
    return Look(
        strain if isinstance(strain, bool) else check_positive(strain, "strain, that has the last colour"), xray
    )


def rounded_up(strain: float) -> float:
    """The next number with few digits, to be the end of a scale."""
    if not strain > LEAST:
        return NOTHING
    power = 10.0 ** int(f"{strain:e}".split("e")[1])
    return float(f"{next(power * d for d in DIGITS if power * d >= strain * (1 - 1e-9)):.2g}")
