"""A run as an operation of other libraries that differentiate: PyTorch and JAX, each loaded when it is asked for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...model import Model
from ..parameters import Parameter

if TYPE_CHECKING:
    from ...scenes import Scene
    from .for_jax import JaxRollout
    from .for_torch import TorchRollout

Names = Sequence[str | Parameter]


def torch_rollout(what: "Scene | Model", wrt: Names = ("q", "qdot"), *, last: bool = False, **run) -> "TorchRollout":
    """A run as a function of PyTorch: tensors of what `wrt` names -> States(q, qdot, z, charts), by all rows.

    wrt and the run's arguments are those of `value_and_grad`; these say the shape of each tensor ("tau" and
    "excitation" must be among them if wrt names them), and its value where a call leaves it out. Tensors are given in
    the order of wrt, by name, or as one dictionary. Indices in front of a tensor's own count runs, and are broadcast:
    q (B, ndof) makes B runs, whose states are (B, rows, ndof). last: the last row alone, (B, ndof). Numbers are of 64
    bits; tensors of other types are converted, and their gradients converted back. `t` of the function are the times of
    the rows. There are first derivatives, by `backward` and by torch.func (grad, vjp, jacrev, vmap).
    """
    try:
        import torch  # noqa: F401
    except ImportError:
        raise ImportError("torch_rollout needs PyTorch: pip install 'myomass[torch]'") from None
    from .for_torch import TorchRollout

    return TorchRollout(what, wrt, last, run)


def jax_rollout(what: "Scene | Model", wrt: Names = ("q", "qdot"), *, last: bool = False, **run) -> "JaxRollout":
    """A run as a function of JAX: arrays of what `wrt` names -> States(q, qdot, z, charts), by all rows.

    As `torch_rollout`, with arrays in place of tensors, and under jax.jit, jax.vmap, jax.grad, jax.vjp and jax.jacrev.
    JAX must have numbers of 64 bits: jax.config.update("jax_enable_x64", True).
    """
    try:
        import jax  # noqa: F401
    except ImportError:
        raise ImportError("jax_rollout needs JAX: pip install 'myomass[jax]'") from None
    from .for_jax import JaxRollout

    return JaxRollout(what, wrt, last, run)
