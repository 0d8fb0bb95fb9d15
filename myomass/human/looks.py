"""What the human figure looks like: rounded tubes through ellipses along each segment, a head and shoes."""

from typing import TYPE_CHECKING

import numpy as np

from ..model.shape import Shape
from ..spatial import translation
from .anthropometry import ANKLE_AT

if TYPE_CHECKING:
    from .figure import Body

SKIN, SHIRT, SHORTS, SHOE, HAIR = (
    (0.80, 0.60, 0.47),
    (0.16, 0.45, 0.55),
    (0.13, 0.18, 0.28),
    (0.78, 0.27, 0.20),
    (0.20, 0.14, 0.11),
)
COLOURS = {
    "pelvis": SHORTS,
    "abdomen": SHIRT,
    "thorax": SHIRT,
    "head": SKIN,
    "upper_arm": SKIN,
    "forearm": SKIN,
    "hand": SKIN,
    "thigh": SKIN,
    "shank": SKIN,
    "foot": SHOE,
}
BUILD = 75.0 / 1.75**3  # [kg/m^3] of the figure that the widths below were drawn for
AROUND, CAP = 16, 4  # corners of an ellipse, ellipses of a rounded end
STEPS = 3  # ellipses from one row to the next

# Rows of tubes: place along the segment (part of its length, from its joint), then centre forward, half depth and half
# width in parts of the stature. Ends are rounded over the last number, in the same parts.
TUBES = {
    "pelvis": (
        (
            (-0.32, -0.003, 0.056, 0.080),
            (0.00, -0.006, 0.067, 0.098),
            (0.35, -0.006, 0.066, 0.097),
            (0.75, -0.002, 0.060, 0.086),
            (1.10, 0.000, 0.051, 0.074),
        ),
        0.022,
    ),
    "abdomen": (
        (
            (-0.22, -0.001, 0.0625, 0.0885),
            (0.25, 0.002, 0.060, 0.0815),
            (0.70, 0.003, 0.063, 0.086),
            (1.00, 0.003, 0.062, 0.088),
        ),
        0.020,
    ),
    "thorax": (
        (
            (-0.45, 0.003, 0.0580, 0.0820),
            (-0.05, 0.003, 0.0635, 0.0890),
            (0.30, 0.004, 0.067, 0.0965),
            (0.60, 0.002, 0.066, 0.102),
            (0.88, -0.003, 0.057, 0.108),
            (1.06, -0.005, 0.047, 0.098),
            (1.20, -0.006, 0.040, 0.062),
            (1.30, -0.005, 0.036, 0.040),
        ),
        0.012,
    ),
    "upper_arm": (
        (
            (-0.02, 0.000, 0.029, 0.025),
            (0.14, 0.001, 0.0305, 0.028),
            (0.50, 0.002, 0.028, 0.0245),
            (0.80, 0.000, 0.0235, 0.022),
            (1.00, 0.000, 0.0225, 0.023),
        ),
        0.019,
    ),
    "forearm": (
        (
            (0.00, 0.000, 0.0225, 0.023),
            (0.22, 0.002, 0.025, 0.0235),
            (0.60, 0.001, 0.0205, 0.018),
            (0.92, 0.000, 0.0165, 0.013),
            (1.03, 0.000, 0.0165, 0.0125),
        ),
        0.012,
    ),
    "hand": (
        (
            (0.00, 0.000, 0.0160, 0.0125),
            (0.25, 0.002, 0.0235, 0.0120),
            (0.50, 0.002, 0.0245, 0.0105),
            (0.80, 0.000, 0.0190, 0.0080),
            (0.92, 0.000, 0.0150, 0.0070),
        ),
        0.009,
    ),
    "thigh": (
        (
            (-0.01, -0.003, 0.048, 0.043),
            (0.18, 0.000, 0.053, 0.0485),
            (0.50, 0.003, 0.046, 0.0420),
            (0.82, 0.001, 0.035, 0.0335),
            (1.00, 0.001, 0.0335, 0.0315),
        ),
        0.020,
    ),
    "shank": (
        (
            (0.00, 0.001, 0.0325, 0.0310),
            (0.12, -0.001, 0.0315, 0.0290),
            (0.32, -0.008, 0.0350, 0.0310),
            (0.60, -0.004, 0.0265, 0.0235),
            (0.88, 0.000, 0.0195, 0.0170),
            (1.02, 0.000, 0.0205, 0.0180),
        ),
        0.018,
    ),
}
CHEST = (-1.0, 0.0, 0.904, 1.24, 2.24)  # rows of the thorax at its ends, at the shoulders and at the neck's joint
WORN = {"upper_arm": (0.42, SHIRT), "thigh": (0.46, SHORTS)}  # clothes: down to which part of the segment
THICK = 0.0022  # their thickness, part of the stature
FOOT = (  # part of the length from heel to toe, middle and half of the height in parts of the ankle's, half width
    (0.05, 0.55, 0.60, 0.0165),
    (0.20, 0.62, 0.72, 0.0195),
    (0.36, 0.58, 0.70, 0.0205),
    (0.55, 0.38, 0.50, 0.0230),
    (0.74, 0.28, 0.40, 0.0275),
    (0.88, 0.25, 0.33, 0.0260),
    (0.96, 0.22, 0.27, 0.0215),
)


def looks(body: "Body", segment: str, side: float, frame: np.ndarray) -> list[Shape]:
    """Shapes of a segment, `frame` being the pose of its joint frame in the frame of its inertia."""
    girth = body.height * np.sqrt(body.mass / body.height**3 / BUILD)
    if segment == "head":
        return _head(body.height, body.vertex, frame)
    if segment == "foot":
        return _foot(body, girth, frame)
    rows, rounding = TUBES[segment]
    along = body.length[segment] * (1.0 if segment in ("pelvis", "abdomen", "thorax") else -1.0)
    table = np.array(rows) * (along, girth, girth, girth)
    if segment == "thorax":  # its upper rows follow shoulders and neck
        heights = np.array([-1.0, 0.0, body.shoulder / along, 1.0 + 0.5 * body.neck / along, 2.24])
        table[:, 0] = along * np.interp(np.array(rows)[:, 0], CHEST, heights)
    ends = (rounding * body.height,) * 2
    shapes = [tube(table, ends, frame)]
    if segment in WORN:
        part, colour = WORN[segment]
        fine = _smooth(table)
        worn = fine[np.abs(fine[:, 0]) <= part * abs(along)]
        worn[:, 2:] += THICK * body.height
        shapes.append(tube(worn, (ends[0] + THICK * body.height, 1e-3 * body.height), frame, colour))
    if segment == "hand":
        thumb = np.array([(0.014, 0.0, -0.025), (0.024, -0.006 * side, -0.058)]) * body.height
        shapes.append(Shape.rod(*thumb, 0.0068 * girth, frame=frame))
    return shapes


def _head(height: float, vertex: float, frame: np.ndarray) -> list[Shape]:
    """Shapes of skull, face, nose, neck and hair."""
    parts = (  # middle below the vertex, semi-axes, colour
        ((-0.004, 0.0, -0.058), (0.054, 0.044, 0.058), None),
        ((0.0075, 0.0, -0.084), (0.0405, 0.0365, 0.046), None),
        ((0.052, 0.0, -0.079), (0.009, 0.0065, 0.011), None),
        ((-0.020, 0.0, -0.049), (0.046, 0.0475, 0.0505), HAIR),
    )
    top = np.array([0.0, 0.0, vertex])
    shapes = []
    for middle, semiaxes, colour in parts:
        E = frame @ translation(*(top + height * np.array(middle)))
        shapes.append(Shape.ellipsoid(height * np.array(semiaxes), frame=E, colour=colour))
    neck = np.array([(0.0, 0.0, vertex - 0.172 * height), (0.0, 0.0, vertex - 0.085 * height)])
    return [*shapes, Shape.rod(*neck, 0.0315 * height, frame=frame)]


def _foot(body: "Body", girth: float, frame: np.ndarray) -> list[Shape]:
    """Shape of a shoe, flat below."""
    table = np.array(FOOT) * (body.length["foot"], body.ankle, body.ankle, girth)
    table[:, 0] -= ANKLE_AT * body.length["foot"]
    ends = 0.05 * body.length["foot"], 0.04 * body.length["foot"]
    vertices, faces = _rings(_rounded(_smooth(table), *ends))
    forward, up, left = vertices[:, 2], np.maximum(vertices[:, 0], 0.0) - body.ankle, vertices[:, 1]
    return [Shape.mesh(np.column_stack([forward, left, up]), faces[:, ::-1], frame=frame)]


def tube(table: np.ndarray, ends: tuple[float, float], frame: np.ndarray, colour: tuple | None = None) -> Shape:
    """A smooth tube along z through ellipses, rows (z, middle x, half depth, half width) [m], its ends rounded."""
    return Shape.mesh(*_rings(_rounded(_smooth(table), *ends)), frame=frame, colour=colour)


def _smooth(table: np.ndarray) -> np.ndarray:
    """The rows and more between them, on cubics with the slopes of neighbours."""
    slopes, s = np.gradient(table, axis=0), np.linspace(0.0, 1.0, STEPS, endpoint=False)[:, None]
    a, b, da, db = table[:-1, None], table[1:, None], slopes[:-1, None], slopes[1:, None]
    between = a + s * da + s**2 * (3 * (b - a) - 2 * da - db) + s**3 * (2 * (a - b) + da + db)
    return np.concatenate([between.reshape(-1, table.shape[1]), table[-1:]])


def _rounded(table: np.ndarray, start: float, end: float) -> np.ndarray:
    """The rows between two quarter ellipses of more of them."""
    down = np.sign(table[0, 0] - table[-1, 0])
    turn = np.linspace(0.0, 0.5 * np.pi, CAP + 1)[1:, None]
    caps = []
    for row, length in ((table[0], down * start), (table[-1], -down * end)):
        shift = np.hstack([row[0] + length * np.sin(turn), np.full_like(turn, row[1]), np.cos(turn) * row[2:]])
        caps.append(shift)
    return np.concatenate([caps[0][::-1], table, caps[1]])


def _rings(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of the tube, always counter-clockwise from outside."""
    table = table if table[0, 0] < table[-1, 0] else table[::-1]
    z, x, depth, width = table.T[:, :, None]
    turn = np.linspace(0.0, 2 * np.pi, AROUND, endpoint=False)
    vertices = np.stack(np.broadcast_arrays(x + depth * np.cos(turn), width * np.sin(turn), z), axis=-1)
    lower = np.arange(AROUND * (len(table) - 1)).reshape(-1, AROUND)
    right = np.roll(lower, -1, axis=1)
    a, b, c, d = (corner.reshape(-1) for corner in (lower, right, right + AROUND, lower + AROUND))
    return vertices.reshape(-1, 3), np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
