"""Curves as polynomials in pieces, for kernels: value, slope and integral by one division-free lookup.

A curve is a chain of segments between corners, each in PARTS parts, each part cut into cells of equal width. On a cell
it is a polynomial of degree 9 in t = -1 ... 1; before the first corner and beyond the last it is a straight line. In
`params` a chain is

    number of parts, area up to the last corner
    for the start of every part, and the end: x, y, slope; cells, cells per x, where the first cell's numbers are
    for every cell: area up to its middle, and 10 coefficients, lowest power first
"""

from ...._jit import kernel

DEGREE = 9
CELL = DEGREE + 2  # numbers of a cell
CORNER = 6  # numbers of a corner
PARTS = 4  # of a segment: narrow ones where it bends
X, Y, SLOPE, CELLS, SCALE, PLACE = range(CORNER)
HEAD = 2  # numbers before these
MOST_STEPS = 60
CLOSE = 1e-9  # relative step of Newton's method after which the next one is below rounding


@kernel
def corner(params, at, j):
    """Where the numbers of the start of part j are."""
    return max(at + HEAD + CORNER * j, 0)


@kernel
def part_at(params, at, x, column):
    """Where the numbers of the part are that holds x (column X), or on a growing curve the value x (column Y)."""
    c, last = corner(params, at, 0), corner(params, at, int(params[at].real)) - CORNER
    while c + PARTS * CORNER <= last and x.real >= params[c + PARTS * CORNER + column].real:
        c += PARTS * CORNER
    while c < last and x.real >= params[c + CORNER + column].real:
        c += CORNER
    return c


@kernel
def locate(params, at, c, x):
    """(place of the cell's numbers, t, dt/dx) in the part at c."""
    cells, scale = int(params[c + CELLS].real), params[c + SCALE]
    s = (x - params[c + X]) * scale
    i = int(min(s.real, cells - 1.0)) if s.real > 0.0 else 0  # 0 for nan, too
    return max(at + int(params[c + PLACE].real) + CELL * i, 0), 2.0 * (s - i) - 1.0, 2.0 * scale


@kernel
def value_on_part(params, at, c, x):
    """(value, slope) in the part at c: even and odd powers apart, which halves the chain of dependent products."""
    p, t, rate = locate(params, at, c, x)
    s = t * t
    o = t * 0.0
    even, odd = o + params[p + DEGREE], o + params[p + DEGREE + 1]
    even_slope, odd_slope = o, o
    for k in range(DEGREE - 2, 0, -2):
        even_slope, odd_slope = even_slope * s + even, odd_slope * s + odd
        even, odd = even * s + params[p + k], odd * s + params[p + k + 1]
    return even + t * odd, (odd + 2.0 * (t * even_slope + s * odd_slope)) * rate


@kernel
def chain(params, at, x):
    """(value, slope) of a curve at x."""
    first, last = corner(params, at, 0), corner(params, at, int(params[at].real))
    if x.real < params[first + X].real:
        return line(params, first, x)
    if x.real >= params[last + X].real:
        return line(params, last, x)
    return value_on_part(params, at, part_at(params, at, x, X), x)


@kernel
def line(params, c, x):
    """(value, slope) on the straight line at c."""
    slope = x * 0.0 + params[c + SLOPE]
    return params[c + Y] + slope * (x - params[c + X]), slope


@kernel
def area(params, at, x):
    """Integral of a curve from its first corner to x."""
    first, last = corner(params, at, 0), corner(params, at, int(params[at].real))
    if x.real < params[first + X].real:
        return area_of_line(params, first, x)
    if x.real >= params[last + X].real:
        return params[at + 1] + area_of_line(params, last, x)
    p, t, rate = locate(params, at, part_at(params, at, x, X), x)
    total = t * 0.0
    for k in range(DEGREE, -1, -1):
        total = total * t + params[p + 1 + k] / (k + 1.0)
    return params[p] + total * t / rate


@kernel
def area_of_line(params, c, x):
    """Integral from c to x of the straight line there."""
    d = x - params[c + X]
    return d * (params[c + Y] + 0.5 * d * params[c + SLOPE])


@kernel
def chain_inverse(params, at, y):
    """The x at which a growing curve has the value y; where it is flat outside, the nearest end."""
    first, last = corner(params, at, 0), corner(params, at, int(params[at].real))
    if y.real <= params[first + Y].real:
        return line_inverse(params, first, y)
    if y.real >= params[last + Y].real:
        return line_inverse(params, last, y)
    return inverse_on_part(params, at, part_at(params, at, y, Y), y)


@kernel
def line_inverse(params, c, y):
    """The x at which the straight line at c has the value y; the corner's if the line is flat."""
    slope, x = params[c + SLOPE], y * 0.0 + params[c + X]
    if slope.real == 0.0:
        return x
    return x + (y - params[c + Y]) / slope


@kernel
def crossing_of_tangents(params, c, y):
    """A guess of where the part at c has the value y: on the tangent at its start or at its end."""
    e = c + CORNER
    low, high = params[c + X].real, params[e + X].real
    s0, s1 = params[c + SLOPE].real, params[e + SLOPE].real
    a = low + (y.real - params[c + Y].real) / s0 if s0 > 0.0 else high
    b = high + (y.real - params[e + Y].real) / s1 if s1 > 0.0 else low
    return min(a, b) if s0 < s1 else max(a, b)


@kernel
def inverse_on_part(params, at, c, y):
    """The x of the value y in the part at c: Newton's method between brackets, to rounding."""
    low, high = params[c + X].real, params[c + CORNER + X].real
    guess = crossing_of_tangents(params, c, y)
    x = y * 0.0 + (guess if low <= guess <= high else 0.5 * (low + high))
    for _ in range(MOST_STEPS):
        value, slope = value_on_part(params, at, c, x)
        error = value - y
        if error.real > 0.0:
            high = x.real
        else:
            low = x.real
        step = error / slope
        aim = x - step
        if not (low <= aim.real <= high):
            aim = y * 0.0 + 0.5 * (low + high)
            step = x - aim
        x = aim
        if abs(step.real) <= CLOSE or error.real == 0.0:
            break
    if x.imag != 0.0 or y.imag != 0.0:
        value, slope = value_on_part(params, at, c, x)
        x -= (value - y) / slope
    return x
