"""A run as a function of PyTorch's tensors: a torch.autograd.Function, and its way back as another one.

Both say how they go under torch.func.vmap: by one more index in front that counts runs.
"""

import numpy as np
import torch

from .runs import Runs, States


class TorchRollout(Runs):
    """What `torch_rollout` returns."""

    who = "torch_rollout"

    def __call__(self, *values: torch.Tensor, **named: torch.Tensor) -> States:
        """States of runs from tensors, in the order of wrt or by name."""
        given = {name: _tensor(value) for name, value in self.named(values, named).items()}
        for name, value in given.items():
            if value.is_complex():
                raise TypeError(f"{self.who}: {name!r} must be real, and is of type {value.dtype}")
        batch = self.batch({name: tuple(value.shape) for name, value in given.items()})
        away = [value.device for value in given.values() if value.device.type != "cpu"]
        ready = []
        for name, own in self.given.items():
            value = given[name] if name in given else torch.tensor(own)
            ready.append(value.to("cpu", torch.float64).expand(batch + own.shape))
        states = _Forward.apply(self, [], *ready)
        return States(*(x.to(away[0]) for x in states) if away else states)


class _Forward(torch.autograd.Function):
    """States from values. taken: a list that is filled with the runs, for the way back."""

    @staticmethod
    def forward(runs, taken, *values):
        states, taken[:] = runs.forward([x.numpy() for x in values])
        return tuple(torch.from_numpy(x) for x in states)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.runs, ctx.taken, *values = inputs
        ctx.save_for_backward(*values)
        ctx.mark_non_differentiable(output[3])

    @staticmethod
    def backward(ctx, *bars):
        return None, None, *_Backward.apply(ctx.runs, ctx.taken, *ctx.saved_tensors, *bars[:3])

    @staticmethod
    def vmap(info, in_dims, runs, taken, *values):
        return _Forward.apply(runs, taken, *_in_front(values, in_dims[2:])), (0, 0, 0, 0)


class _Backward(torch.autograd.Function):
    """Bars of the values, from values and bars of q, qdot and z."""

    @staticmethod
    def forward(runs, taken, *given):
        arrays = [x.numpy() for x in given]
        return tuple(torch.from_numpy(x) for x in runs.backward(arrays[:-3], arrays[-3:], taken))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.who = inputs[0].who

    @staticmethod
    def backward(ctx, *bars):
        raise NotImplementedError(f"{ctx.who} has first derivatives; there are no derivatives of them")

    @staticmethod
    def vmap(info, in_dims, runs, taken, *given):
        return _Backward.apply(runs, taken, *_in_front(given, in_dims[2:])), (0,) * (len(given) - 3)


def _tensor(value):
    """A tensor, or one of numbers of 64 bits: of bare floats PyTorch would keep 32."""
    return value if isinstance(value, torch.Tensor) else torch.tensor(np.asarray(value))


def _in_front(tensors, dims):
    """Tensors with the index of a vmap in front, of size 1 where they do not have it."""
    return [x.unsqueeze(0) if dim is None else x.movedim(dim, 0) for x, dim in zip(tensors, dims, strict=True)]
