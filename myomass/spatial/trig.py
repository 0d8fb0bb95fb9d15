"""Sine and cosine of one angle together, written out: they share the reduction to a quarter turn and run side by side.

x = k pi/2 + r with |r| <= pi/4, pi/2 taken off in three parts (Cody and Waite), then the minimax polynomials of Cephes.
Errors stay below 2e-16 for |x| < 1e5; beyond that, and for other number types, the library's own functions serve.
"""

import numpy as np

from .._jit import kernel

LARGEST = 1e5
TWO_OVER_PI = 0.63661977236758134308
HALF_PI = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)  # sum: pi/2
SIN = (
    1.58962301576546568060e-10,
    -2.50507477628578072866e-8,
    2.75573136213857245213e-6,
    -1.98412698295895385996e-4,
    8.33333333332211858878e-3,
    -1.66666666666666307295e-1,
)
COS = (
    -1.13585365213876817300e-11,
    2.08757008419747316778e-9,
    -2.75573141792967388112e-7,
    2.48015872888517045348e-5,
    -1.38888888888730564116e-3,
    4.16666666666665929218e-2,
)


@kernel
def cos_sin(x):
    """(cos x, sin x)."""
    if isinstance(x, float) and abs(x) < LARGEST:
        k = np.rint(x * TWO_OVER_PI)
        r = ((x - k * HALF_PI[0]) - k * HALF_PI[1]) - k * HALF_PI[2]
        z = r * r
        s = SIN[0]
        c = COS[0]
        for i in range(1, 6):
            s = s * z + SIN[i]
            c = c * z + COS[i]
        s = r + r * z * s
        c = (1.0 - 0.5 * z) + z * z * c
        quarter = int(k) & 3
        swapped_c, swapped_s = (s, c) if quarter & 1 else (c, s)
        sign_c = -1.0 if quarter == 1 or quarter == 2 else 1.0
        sign_s = -1.0 if quarter & 2 else 1.0
        return sign_c * swapped_c, sign_s * swapped_s
    return np.cos(x), np.sin(x)
