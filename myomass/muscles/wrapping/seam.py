"""Where a string on a capsule crosses the seams between cylinder and caps, as jets.

Unknown are the angles phi about the axis at which the string reaches the cylinder and leaves it: at a cap's seam, or
where it touches from outside. With a the end before a cap, e(phi) the direction of the crossing, H the helix's fall and
`plane` its length across the axis (capsule.py tells which case applies and finds the angles):

    sense (a x e(phi))_z H = (height of a over the seam) plane

An end without a cap has instead the angle at which its tangent touches the cylinder.
"""

from ..._jit import kernel
from ...spatial.jets import (
    fixed,
    fixed3,
    j_add,
    j_cos_sin,
    j_mul,
    j_part,
    j_scale,
    j_sub,
    j_vector,
    v_scale,
    v_sub,
)
from .base import PRIVATE, SHAPE
from .cylinder import across
from .helix import cross_z, tangent

CASE, UP, SENSE, PHI, INVERSE = PRIVATE, PRIVATE + 1, PRIVATE + 2, PRIVATE + 3, PRIVATE + 5
PHI_END = PRIVATE + 9


@kernel
def has_cap(g, end):
    """True if the string enters (end 0) or leaves (end 1) the cylinder over a cap."""
    case = int(g[0, CASE].real)
    return case == 3 or case == end + 1


@kernel
def on_seam(x, r, level, phi):
    """(x, the seam's place at the angle phi), both from the cap's centre, whose height is `level`."""
    o = x[0][0] * 0.0
    c, s = j_cos_sin(phi)
    return v_sub(x, fixed3((o, o, o + level))), j_vector(j_scale(r, c), j_scale(r, s), fixed(o))


@kernel
def reach(params, at, g, a, b, first, last):
    """(P, l_a, Q, l_b, plane, fall) of the helix from the angle `first` to `last`.

    P and Q are where tangents touch across the axis, l_a and l_b the tangents' lengths, which are zero on a cap.
    """
    r, half = params[at + SHAPE], params[at + SHAPE + 1]
    sense, up = g[0, SENSE], g[0, UP]
    o = a[0][0] * 0.0
    axis, level = fixed3((o, o, o + sense)), fixed(o + half)
    P, free_a, top = fixed3((o, o, o)), fixed(o), level
    Q, free_b, bottom = P, free_a, level
    if not has_cap(g, 0):
        P, free_a = tangent(across(a), axis, r)
        top = j_scale(up, j_part(a, 2))
    if not has_cap(g, 1):
        Q, free_b = tangent(across(b), v_scale(-1.0, axis), r)
        bottom = j_scale(-up, j_part(b, 2))
    plane = j_add(j_scale(sense * r, j_sub(last, first)), j_add(free_a, free_b))
    return P, free_a, Q, free_b, plane, j_add(top, bottom)


@kernel(inline=False)
def residual(params, at, g, a, b, first, last):
    """The number that must vanish at each end: on a cap the kink at its seam, else the angle to the tangent point."""
    r, half, up = params[at + SHAPE], params[at + SHAPE + 1], g[0, UP]
    P, _, Q, _, plane, fall = reach(params, at, g, a, b, first, last)
    place_a, cross_a = on_seam(a, r, up * half, first)
    place_b, cross_b = on_seam(b, r, -up * half, last)
    enter, leave = cross_z(P, cross_a), cross_z(Q, cross_b)
    if has_cap(g, 0):
        kink = j_mul(j_scale(g[0, SENSE], cross_z(place_a, cross_a)), fall)
        enter = j_sub(kink, j_scale(r * up, j_mul(j_part(place_a, 2), plane)))
    if has_cap(g, 1):
        kink = j_mul(j_scale(g[0, SENSE], cross_z(cross_b, place_b)), fall)
        leave = j_add(kink, j_scale(r * up, j_mul(j_part(place_b, 2), plane)))
    return enter, leave


@kernel(inline=False)
def newton(params, at, a, b, g):
    """Take one step of Newton's method for the angles; returns the inverse of the residual's derivatives by them."""
    first, last = g[0, PHI], g[0, PHI + 1]
    o = first * 0.0
    e_a, e_b = residual(params, at, g, a, b, (first, o + 1.0, o), fixed(last))
    f_a, f_b = residual(params, at, g, a, b, fixed(first), (last, o + 1.0, o))
    det = e_a[1] * f_b[1] - f_a[1] * e_b[1]
    over = 1.0 / det if det.real != 0.0 else o  # both ends on the axis: any line down the cylinder serves
    g[0, INVERSE], g[0, INVERSE + 1] = f_b[1] * over, -f_a[1] * over
    g[0, INVERSE + 2], g[0, INVERSE + 3] = -e_b[1] * over, e_a[1] * over
    improve(g, 0, e_a[0], e_b[0])


@kernel
def improve(g, order, x, y):
    """Subtract from a derivative of the angles, of some order, what cancels that derivative of the residual (x, y)."""
    g[order, PHI] -= g[0, INVERSE] * x + g[0, INVERSE + 1] * y
    g[order, PHI + 1] -= g[0, INVERSE + 2] * x + g[0, INVERSE + 3] * y
