"""The list of formulas of rows, and the kernel that chooses among them. A new one is its own file and a line here."""

from .._jit import choose
from . import contact, coupled, driven, joint_friction, joint_rows, loop, stop

FORMULAS = (
    loop.PIN,
    loop.BALL,
    loop.PARALLEL,
    loop.ALIGNED,
    coupled.POLYNOMIAL,
    driven.JOINT_POSITION,
    driven.JOINT_RATE,
    driven.TWIST_RATE,
    driven.POINT_POSITION,
    driven.POINT_RATE,
    stop.ONE_SIDED,
    contact.ON_PLANE,
    contact.SWEPT,
    joint_friction.COORDINATE,
    joint_friction.TURNING,
    joint_rows.DROPPED,
)

for kind, formula in enumerate(FORMULAS):
    formula.kind = kind
follow_formula = choose([formula.kernel for formula in FORMULAS])
