"""A run as a function of JAX's arrays: a custom_vjp of two callbacks.

What JAX keeps for the way back are the values: the run is taken once more there, which is a small part of the way.
Under jax.vmap, values and bars get one more index in front that counts runs.
"""

import jax
import jax.numpy as jnp
import numpy as np

from .runs import Runs, States


class JaxRollout(Runs):
    """What `jax_rollout` returns."""

    who = "jax_rollout"

    def __init__(self, *given):
        super().__init__(*given)
        forward, back = jax.custom_jvp(self._call_forward), jax.custom_jvp(self._call_backward)
        for call in (forward, back):
            call.defjvp(self._refuse)
        self._states = jax.custom_vjp(forward)
        self._states.defvjp(lambda *values: (forward(*values), values), back)

    def __call__(self, *values: jax.Array, **named: jax.Array) -> States:
        """States of runs from arrays, in the order of wrt or by name."""
        if not jax.config.jax_enable_x64:
            raise ValueError(
                f"{self.who} needs numbers of 64 bits: put jax.config.update('jax_enable_x64', True) at the beginning"
            )
        given = {name: jnp.asarray(value) for name, value in self.named(values, named).items()}
        for name, value in given.items():
            if jnp.iscomplexobj(value):
                raise TypeError(f"{self.who}: {name!r} must be real, and is of type {value.dtype}")
        batch = self.batch({name: value.shape for name, value in given.items()})
        ready = []
        for name, own in self.given.items():
            value = jnp.asarray(given.get(name, own), np.float64)
            ready.append(jnp.broadcast_to(value, batch + own.shape))
        return self._states(*ready)

    def _call_forward(self, *values: jax.Array) -> States:
        batch = self._counts(values)
        shapes = States(*(jax.ShapeDtypeStruct(batch + shape, np.float64) for shape in self.out_shapes()))
        return jax.pure_callback(self._run_forward, shapes, *values, vmap_method="expand_dims")

    def _call_backward(self, values: tuple[jax.Array, ...], bars: States) -> tuple[jax.Array, ...]:
        shapes = tuple(jax.ShapeDtypeStruct(value.shape, np.float64) for value in values)
        return jax.pure_callback(self._run_backward, shapes, *values, *bars[:3], vmap_method="expand_dims")

    def _refuse(self, *_) -> None:
        raise NotImplementedError(f"{self.who} has first derivatives; there are no derivatives of them")

    def _run_forward(self, *values: jax.Array) -> States:
        return self.forward([np.asarray(x) for x in values])[0]

    def _run_backward(self, *given: jax.Array) -> tuple[np.ndarray, ...]:
        arrays = [np.asarray(x) for x in given]
        return tuple(self.backward(arrays[:-3], arrays[-3:]))
