"""What a network is told of a piece: a table of three rows (value, first, second derivative), in the surface's frame.

With a and b the ends of a piece, xi the fraction of its length and N the network's outputs, a place on it is

    x = a + xi (b - a) + xi (1 - xi) SCALE (N_0 e_0 + N_1 e_1 + N_2 e_2),

the chord and what the network adds to it: nothing at the ends. SCALE holds the chord's length and a gate that closes
smoothly where the chord passes the surface at a distance, so that a path which is far from touching is straight. The
axes e turn with the ends: what rotation, mirror and scale change, the network need not learn. Its inputs are

    OWN      the problem's own variables, of the ends alone
    xi
    MARKS    squashed distances (p + xi q) / sqrt(1 + (p + xi q)^2), in radii, from where something happens

A problem (circle.py, capsule.py) is a kernel see(...) -> 1 that fills the table; 0 where the gate is closed; -1 where
it fills it but nothing was learned, and the mass stays on the exact path.
"""

from pathlib import Path

from ..._jit import kernel

SCALE, AXES, OWN = 0, 1, 10
COLUMNS = 32
WEIGHTS = Path(__file__).parent / "weights"  # folder of the package's own networks, one file for each problem
GATE = 0.2  # how far from touching the gate closes: an angle [rad], or a distance in radii


@kernel
def put(n, c, x):
    """Write a jet into column c of the table."""
    n[0, c], n[1, c], n[2, c] = x


@kernel
def put3(n, c, v):
    """Write the jet of a vector into columns c to c + 2 of the table."""
    for k in range(3):
        n[0, c + k], n[1, c + k], n[2, c + k] = v[0][k], v[1][k], v[2][k]
