"""A delay as an ordinary differential equation: the last theta seconds of a signal, as Legendre polynomials.

    theta mdot = A m + B s(t),    s(t - theta) = sum m_i
    A_ij = (2 i + 1) (-1 if i < j else (-1)^(i - j + 1)),    B_i = (2 i + 1) (-1)^i

It is Pade's approximation of exp(-theta p) of orders TERMS - 1 and TERMS, in well scaled coordinates (Voelker, Kajic,
Eliasmith 2019, Legendre memory units). A signal that stays has m = (s, 0, 0, ...). Being a state, a delay needs no
history: runs go on from a state, derivatives are exact, and every integrator carries it.
"""

import numpy as np

from ..._jit import kernel
from .records import TERMS

A, B = np.zeros((TERMS, TERMS)), np.zeros(TERMS)
for i in range(TERMS):
    B[i] = (2 * i + 1) * (-1) ** i
    for j in range(TERMS):
        A[i, j] = (2 * i + 1) * (-1 if i < j else (-1) ** (i - j + 1))


@kernel
def delayed(m, at):
    """What the signal was a delay ago."""
    total = m[at] * 1.0
    for i in range(1, TERMS):
        total += m[at + i]
    return total


@kernel
def remember(m, at, signal):
    """Fill the states of a delay as if the signal had been what it is for ever."""
    for i in range(TERMS):
        m[at + i] = signal if i == 0 else signal * 0.0


@kernel(inline=False)
def delay_rates(m, at, signal, delay, mdot):
    """Fill the rates of a delay's states."""
    for i in range(TERMS):
        rate = B[i] * signal
        for j in range(TERMS):
            rate += A[i, j] * m[at + j]
        mdot[at + i] = rate / delay


@kernel(inline=False)
def delay_step(alpha, base, at, signal, delay, room, m):
    """Fill the states of a delay in an implicit stage, m = base + mdot/alpha, by elimination."""
    scale = alpha * delay
    for i in range(TERMS):
        for j in range(TERMS):
            room[i, j] = (scale if i == j else 0.0) - A[i, j]
        room[i, TERMS] = scale * base[at + i] + B[i] * signal
    for k in range(TERMS):
        for i in range(k + 1, TERMS):
            part = room[i, k] / room[k, k]
            for j in range(k, TERMS + 1):
                room[i, j] -= part * room[k, j]
    for k in range(TERMS - 1, -1, -1):
        total = room[k, TERMS]
        for j in range(k + 1, TERMS):
            total -= room[k, j] * m[at + j]
        m[at + k] = total / room[k, k]
