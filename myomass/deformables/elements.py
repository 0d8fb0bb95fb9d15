"""Linear tetrahedra: energy, forces, stiffness and damping of all elements, from the places of nodes.

With the gradients g_a (1/m) of the four shape functions at rest and the volume V at rest,

    F = sum of x_a g_a^T,    Psi = V psi(F),    f_a = -V P g_a,    K_ab = V g_a . dP/dF . g_b = -df_a/dx_b

Viscous stress is Hooke's law of the rate of Green's strain, F (2 mu b Edot + lam b tr(Edot) I): b times the stiffness
at rest, nothing in rigid motions wherever the body is, and never a gain of power. Its derivatives by places make K
unsymmetric while nodes move.

Matrices are written into the data of a sparse pattern of columns (pattern.py): the entry (i, j) of the block of nodes a
and b of a tetrahedron is at slots[tet, a, b] + j widths[b] + i.
"""

from .._jit import Bundle, kernel, opener
from .._jit.bundle import plain, reals
from ..spatial.algebra import add33, load3, matmul, mul, scale, sub
from .materials.base import fill_strain_slopes, hooke, strain_rate
from .materials.dispatch import energy_of, fill_slopes, stress_of


class Elements(Bundle):
    """Tetrahedra of a body, with their materials and their places in its matrices."""

    tets = plain("i8", 2)  # nodes (m, 4)
    gradients = reals(3)  # of the shape functions at rest [1/m] (m, 4, 3)
    volumes = reals()  # at rest [m^3] (m,)
    kinds = plain("i8")  # of material (m,)
    starts = plain("i8")  # where params of its material begin (m,)
    params = reals()  # of all materials
    viscosity = reals()  # stiffness-proportional damping of each tetrahedron [s] (m,)
    slots = plain("i8", 3)  # where blocks of its nodes begin in the data of a sparse matrix (m, 4, 4)
    widths = plain("i8")  # how many entries a column of each node has (n,)


open_elements = opener(Elements)
BATCH = 16  # tetrahedra whose slopes are found together


@kernel
def outer(a, b):
    """a b^T, matrix."""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


@kernel
def gradient_at(x, tet, gradients):
    """Sum of x_a g_a^T over the nodes of one tetrahedron, the gradients of all being g: F of places, Fdot of speeds.

    Seen from its first node, so that a place far from the origin loses no digits.
    """
    first = load3(x[tet[0]])
    a = outer(sub(load3(x[tet[1]]), first), load3(gradients[1]))
    b = outer(sub(load3(x[tet[2]]), first), load3(gradients[2]))
    c = outer(sub(load3(x[tet[3]]), first), load3(gradients[3]))
    return add33(add33(a, b), c)


@kernel
def spread(tet, gradients, volume, P, f):
    """Add -V P g_a to the forces of a tetrahedron's nodes."""
    for a in range(1, 4):
        push = scale(-volume, mul(P, load3(gradients[a])))
        for i in range(3):
            f[tet[a], i] += push[i]
            f[tet[0], i] -= push[i]


@kernel
def viscous_stress(mu, lam, F, G):
    """(F S, S) of the viscous stress S, at the rate G of F."""
    twice, trace = strain_rate(F, G)
    S = hooke(mu, lam, twice, trace)
    return matmul(F, S), S


@kernel
def add_block(elements, e, A, data):
    """Add V g_a . A . g_b to the blocks of a tetrahedron in a sparse matrix. A: 9 rows, and three more as scratch."""
    tet, gradients, volume = elements.tets[e], elements.gradients[e], elements.volumes[e]
    slots, widths = elements.slots[e], elements.widths
    for a in range(1, 4):
        x, y, z = volume * gradients[a, 0], volume * gradients[a, 1], volume * gradients[a, 2]
        for i in range(3):
            for c in range(9):
                A[9 + i, c] = x * A[3 * i, c] + y * A[3 * i + 1, c] + z * A[3 * i + 2, c]
        for k in range(3):
            for i in range(3):
                row = A[9 + i, 3 * k], A[9 + i, 3 * k + 1], A[9 + i, 3 * k + 2]
                total = row[0] * 0.0
                for b in range(1, 4):
                    entry = row[0] * gradients[b, 0] + row[1] * gradients[b, 1] + row[2] * gradients[b, 2]
                    total += entry
                    at = k * widths[tet[b]] + i
                    data[slots[a, b] + at] += entry
                    data[slots[0, b] + at] -= entry
                at = k * widths[tet[0]] + i
                data[slots[a, 0] + at] -= total
                data[slots[0, 0] + at] += total


@kernel
def elastic_energy(elements, x):
    """Sum of V psi(F) over all tetrahedra [J]."""
    total = x.dtype.type(0)
    for e in range(elements.tets.shape[0]):
        F = gradient_at(x, elements.tets[e], elements.gradients[e])
        total += elements.volumes[e] * energy_of(elements.kinds[e], elements.params, elements.starts[e], F)
    return total


@kernel
def add_elastic_forces(elements, x, f):
    """Add forces of the elastic stress to f (n, 3) [N]."""
    for e in range(elements.tets.shape[0]):
        tet, gradients = elements.tets[e], elements.gradients[e]
        F = gradient_at(x, tet, gradients)
        P = stress_of(elements.kinds[e], elements.params, elements.starts[e], F)
        spread(tet, gradients, elements.volumes[e], P, f)


@kernel
def add_viscous_forces(elements, x, v, f):
    """Add forces of the viscous stress to f (n, 3) [N]."""
    for e in range(elements.tets.shape[0]):
        b = elements.viscosity[e]
        if b > 0.0:
            tet, gradients, at = elements.tets[e], elements.gradients[e], elements.starts[e]
            F, G = gradient_at(x, tet, gradients), gradient_at(v, tet, gradients)
            P, _ = viscous_stress(b * elements.params[at], b * elements.params[at + 1], F, G)
            spread(tet, gradients, elements.volumes[e], P, f)


@kernel
def add_elastic_stiffness(elements, x, A, data):
    """Add K of the elastic stress to the data of a sparse matrix. A: scratch (BATCH, 12, 9).

    Slopes of a few tetrahedra are found before they are added: they do not wait for each other then.
    """
    count = elements.tets.shape[0]
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        for b in range(size):
            e = first + b
            F = gradient_at(x, elements.tets[e], elements.gradients[e])
            fill_slopes(elements.kinds[e], elements.params, elements.starts[e], F, A[b])
        for b in range(size):
            add_block(elements, first + b, A[b], data)


@kernel
def add_viscous_stiffness(elements, x, v, A, data):
    """Add K of the viscous stress, zero at rest, to the data of a sparse matrix. A: scratch (BATCH, 12, 9)."""
    for e in range(elements.tets.shape[0]):
        b = elements.viscosity[e]
        if b > 0.0:
            tet, gradients, at = elements.tets[e], elements.gradients[e], elements.starts[e]
            F, G = gradient_at(x, tet, gradients), gradient_at(v, tet, gradients)
            mu, lam = b * elements.params[at], b * elements.params[at + 1]
            _, S = viscous_stress(mu, lam, F, G)
            fill_strain_slopes(mu, lam, F, G, S, A[0])
            add_block(elements, e, A[0], data)


@kernel
def add_viscous_damping(elements, x, A, data):
    """Add D of the viscous stress to the data of a sparse matrix. A: scratch (BATCH, 12, 9)."""
    for e in range(elements.tets.shape[0]):
        b = elements.viscosity[e]
        if b > 0.0:
            F, at = gradient_at(x, elements.tets[e], elements.gradients[e]), elements.starts[e]
            o = F[0][0] * 0.0
            none = ((o, o, o), (o, o, o), (o, o, o))
            fill_strain_slopes(b * elements.params[at], b * elements.params[at + 1], F, F, none, A[0])
            add_block(elements, e, A[0], data)


@kernel(entry=True)
def energy_at(handle, x):
    """The elastic energy, for Python."""
    return elastic_energy(open_elements(handle, x), x)


@kernel(entry=True)
def forces_at(handle, x, v, moves, f):
    """Add elastic forces and, if it moves, viscous ones to f, for Python."""
    elements = open_elements(handle, x)
    add_elastic_forces(elements, x, f)
    if moves:
        add_viscous_forces(elements, x, v, f)


@kernel(entry=True)
def stiffness_at(handle, x, v, moves, A, data):
    """Add K to the data of a sparse matrix, that of viscous forces if it moves, for Python."""
    elements = open_elements(handle, x)
    add_elastic_stiffness(elements, x, A, data)
    if moves:
        add_viscous_stiffness(elements, x, v, A, data)


@kernel(entry=True)
def damping_at(handle, x, A, data):
    """Add D to the data of a sparse matrix, for Python."""
    add_viscous_damping(open_elements(handle, x), x, A, data)


@kernel(entry=True)
def slopes_at(handle, x, A):
    """Fill dP/dF of all tetrahedra, A (m, 9, 9), for Python."""
    elements = open_elements(handle, x)
    for e in range(elements.tets.shape[0]):
        F = gradient_at(x, elements.tets[e], elements.gradients[e])
        fill_slopes(elements.kinds[e], elements.params, elements.starts[e], F, A[e])


@kernel(entry=True)
def add_blocks_at(handle, A, data):
    """Add what given slopes A (m, 9, 9) make of K to the data of a sparse matrix, for Python."""
    elements = open_elements(handle, data)
    for e in range(elements.tets.shape[0]):
        add_block(elements, e, A[e], data)
