"""Geodesics of a surface f(x) = 0, as the solution of their differential equation.

Along a geodesic x'' is normal to the surface. With a clock that runs at the rate |V| = c |g|^PACE (g = grad f, H its
gradient), which slows down where the surface bends, that reads

    x' = V,    V' = PACE (g.HV / g.g) V - (V.HV / g.g) g

and is solved by Gragg's midpoint rule, extrapolated [Hairer, Norsett, Wanner: Solving ODEs I, II.9].
"""

from ..._jit import kernel
from ...spatial.jets import j_add, j_div, j_mul, j_scale, j_sqrt, v_add, v_dot, v_mul, v_scale, v_sub
from .levels import level

PACE = 1.5  # measured: best for ellipsoids with axes of 1:4; `rate` has it written out


@kernel
def rate(kind, params, at, x, V, pace):
    """(V', |g|^PACE) of a geodesic at x with velocity V, jets."""
    _, g, HV = level(kind, params, at, x, V)
    square = v_dot(g, g)
    root = j_sqrt(square)
    bend = v_mul(j_div(v_dot(V, HV), square), g)
    return v_sub(v_mul(j_scale(pace, j_div(v_dot(g, HV), square)), V), bend), j_mul(root, j_sqrt(root))


@kernel(inline=False)
def step(kind, params, at, x, V, time, pace, lines):
    """(x, V, run): the geodesic from x after a time on its clock, and the integral of |g|^PACE over it, jets."""
    place, velocity, run = v_scale(0.0, x), v_scale(0.0, x), j_scale(0.0, time)
    for k in range(1, lines + 1):
        weight = 1.0
        for other in range(1, lines + 1):
            if other != k:
                weight *= k * k / (k * k - other * other)
        h = j_scale(0.5 / k, time)  # twice that from the second substep on
        x_0, V_0, s_0 = x, V, j_scale(0.0, time)
        x_1, V_1, s_1 = x_0, V_0, s_0
        for _ in range(2 * k):
            bend, size = rate(kind, params, at, x_1, V_1, pace)
            x_0, x_1 = x_1, v_add(x_0, v_mul(h, V_1))
            V_0, V_1 = V_1, v_add(V_0, v_mul(h, bend))
            s_0, s_1 = s_1, j_add(s_0, j_mul(h, size))
            h = j_scale(1.0 / k, time)
        place = v_add(place, v_scale(weight, x_1))
        velocity = v_add(velocity, v_scale(weight, V_1))
        run = j_add(run, j_scale(weight, s_1))
    return place, velocity, run
