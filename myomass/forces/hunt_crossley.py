"""Compliant contact after Hunt and Crossley: a Hertzian force that loses energy while the indentation x changes.

    f = 4/3 k x sqrt(R k x) (1 + 3/2 c dx/dt), which never pulls; friction is f times `drag_of`

K. H. Hunt and F. R. E. Crossley, J. Appl. Mech. 42 (1975); as it is in OpenSim and Simbody.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import kernel
from ..spatial.algebra import add_scaled, dot, scale
from ..spatial.brief import brief
from .compliant import CompliantContact, drag_of, meet, meeting_place, push_apart, slip_at


@kernel
def formula(params, at, points):
    """Write the forces between the two bodies; returns the energy of the Hertzian force, 2/5 of it times x."""
    normal, x = meet(params, at, points)
    place = meeting_place(params, at, points, normal, x)
    still = scale(0.0, normal)
    if x.real <= 0.0:
        push_apart(points, place, still)
        return x * 0.0
    R, k, c = params[at + 2], params[at + 4], params[at + 5]
    hertz = 4.0 / 3.0 * k * x * np.sqrt(R * k * x)
    speed, slide = slip_at(points, place, normal)
    push = hertz * (1.0 + 1.5 * c * speed)
    if push.real <= 0.0:
        push_apart(points, place, still)
        return 0.4 * hertz * x
    drag = push * drag_of(params, at, dot(slide, slide))
    push_apart(points, place, add_scaled(scale(push, normal), -drag, slide))
    return 0.4 * hertz * x


@brief
@dataclass(eq=False)
class HuntCrossley(CompliantContact):
    """Compliant contact of a sphere with a half-space or another sphere: Hertz' force, with losses and friction.

    sphere: (body, centre in its frame [m]), body None for the world. other: (body, pose), the half-space below z = 0
    of that frame, or with other_radius (body, centre) of a sphere. stiffness: plane strain modulus [Pa] of the two
    materials; dissipation [s/m]; friction: coefficients, the viscous one in s/m. One number serves both materials, two
    are those of the sphere and of the other. transition_velocity [m/s]: where friction is at its largest.
    """

    formula: ClassVar = formula
