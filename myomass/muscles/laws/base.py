"""What laws of tension share.

A law is written once, for numbers of any type, so that slopes come from it by complex steps:

    law(params, at, t, L, Ldot) -> (tension [N], energy [J])       of the path's length [m] and its rate [m/s]
"""

from typing import ClassVar

import numpy as np

from ...spatial.brief import brief


@brief
class TensionLaw:
    """Base of all laws of tension; given to a muscle as its `tension`, in place of a number or an mm.Motion."""

    kind: ClassVar[int] = -1  # set where it is listed

    def __dir__(self) -> list[str]:
        """What is meant for people; the kernel and what packs it are not."""
        hidden = ("kind", "law", "parameters", "motions_in")
        return [name for name in super().__dir__() if name not in hidden]

    def parameters(self) -> list[float]:
        """What the kernel reads, checked."""
        raise NotImplementedError

    @classmethod
    def motions_in(cls, params: np.ndarray, at: int) -> list[int]:
        """Where motions in time begin among the parameters that start at `at`."""
        return []
