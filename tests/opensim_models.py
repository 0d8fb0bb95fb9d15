"""Models from the fixtures tests/fixtures/opensim_*.json, which tests/opensim_fixtures.py wrote of .osim files.

The pose of a child body is X_parent X_PF X_joint(q) X_CF^-1, offsets X given as a translation and body-fixed x-y-z
angles. Welded bodies become one, locked joints are welded at the coordinate's default. A custom joint has one
coordinate, or is the planar joint of a pelvis; its functions are splines, lines and constants.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import myomass as mm
from myomass.joints import add_partial, set_column
from myomass.spatial.motion import curve_at

FIXTURES = Path(__file__).parent / "fixtures"
WIDENED = 1e-5  # [rad], at both ends of the range of a conditional point
FAMILIES = {"Thelen2003Muscle": mm.curves.Thelen2003, "Millard2012EquilibriumMuscle": mm.curves.Millard2012}
TOLD = {"activation": "activation", "fiber_length": "fibre_length", "tendon_force": "tension"}  # names in a report
FAR = 100.0  # [rad, m]: up to here straight lines go on


def load(name):
    return json.loads((FIXTURES / f"opensim_{name}.json").read_text())


def simm_spline(x, y):
    """OpenSim's cubic spline as a motion: the third derivative of the first (last) piece is that of the cubic through
    the first (last) four points, zero of three points; beyond the points straight on.
    """
    x, y = np.array(x), np.array(y)
    n, h, slope = len(x), np.diff(x), np.diff(y) / np.diff(x)
    A, b = np.eye(n), np.zeros(n)  # for the second derivatives
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 6 * (slope[i] - slope[i - 1])
    if n > 2:
        A[0, :2], A[-1, -2:] = (-1, 1), (-1, 1)
        if n > 3:
            b[0], b[-1] = 6 * h[0] * third_difference(x[:4], y[:4]), 6 * h[-1] * third_difference(x[-4:], y[-4:])
    m = np.linalg.solve(A, b)
    rows = np.column_stack([y[:-1], slope - h * (2 * m[:-1] + m[1:]) / 6, m[:-1] / 2, np.diff(m) / h / 6])
    end = slope[-1] + h[-1] * (m[-2] + 2 * m[-1]) / 6
    before, after = [y[0] - rows[0, 1] * (x[0] + FAR), rows[0, 1], 0, 0], [y[-1], end, 0, 0]
    return mm.Motion.pieces([-FAR, *x, FAR], [before, *rows, after])


def third_difference(x, y):
    """Divided difference of four points: the leading coefficient of the cubic through them."""
    for k in range(1, 4):
        y = np.diff(y) / (x[k:] - x[:-k])
    return y[0]


def motion(function, less=0.0):
    """A function of the fixture, less a constant, as a motion of its coordinate."""
    if not isinstance(function, dict):
        return mm.Motion(function - less)
    if "line" in function:
        slope, intercept = function["line"]
        return mm.Motion.pieces([-FAR, FAR], [[intercept - slope * FAR - less, slope]])
    curve = simm_spline(*function["spline"])
    return mm.Motion.pieces(curve.breaks, curve.coefficients - [less, 0, 0, 0])


@mm.kernel
def four_curves(params, at, q):
    """Angle and place of a guided hinge, with first and second derivatives. params[at:]: where each curve starts."""
    return (
        curve_at(params, at + int(params[at]), q),
        curve_at(params, at + int(params[at + 1]), q),
        curve_at(params, at + int(params[at + 2]), q),
        curve_at(params, at + int(params[at + 3]), q),
    )


@mm.kernel
def turned_back(c, s, v):
    """R_z(angle)^T v."""
    return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]


@mm.kernel
def guided_columns(params, at, q):
    """(cos, sin, place, S, dS/dq) of a guided hinge."""
    a, x, y, z = four_curves(params, at, q)
    o, c, s = q * 0.0, np.cos(a[0]), np.sin(a[0])
    v, bend = turned_back(c, s, (x[1], y[1], z[1])), turned_back(c, s, (x[2], y[2], z[2]))
    dv = (bend[0] + a[1] * v[1], bend[1] - a[1] * v[0], bend[2])
    return c, s, (x[0], y[0], z[0]), ((o, o, a[1]), v), ((o, o, a[2]), dv)


@mm.kernel
def guided(params, at, q, qdot, dof, dofs):
    """Q = (R_z(angle(q)), place(q)), S = (angle' e_z; R^T place')."""
    rate = qdot[dof]
    c, s, place, S, slope = guided_columns(params, at, q[dof])
    w, v = slope
    set_column(dofs[dof], S, ((rate * w[0], rate * w[1], rate * w[2]), (rate * v[0], rate * v[1], rate * v[2])))
    o, one = q.dtype.type(0), q.dtype.type(1)
    return ((c, -s, o), (s, c, o), (o, o, one)), place


@mm.kernel
def guided_partials(params, at, q, dof, dS):
    """dS/dq of a guided hinge."""
    _, _, _, _, slope = guided_columns(params, at, q[dof])
    add_partial(dS[0, 0], slope[0], slope[1])


@mm.register
class GuidedHinge(mm.Joint):
    """A hinge about z whose angle and place x, y, z are functions of the coordinate: the planar knee."""

    ndof, motion, partials = 1, guided, guided_partials
    units, solid = ("rad",), "pin"

    def __init__(self, angle, place):
        self.curves = [angle, *place]

    def parameters(self):
        numbers = [curve.parameters() for curve in self.curves]
        return np.concatenate([4 + np.cumsum([0, *map(len, numbers[:-1])]), *numbers])


def turn(angles):
    """Body-fixed x-y-z angles as a pose."""
    return mm.rotation((1, 0, 0), angles[0]) @ mm.rotation((0, 1, 0), angles[1]) @ mm.rotation((0, 0, 1), angles[2])


def offset(frame):
    place, angles = frame
    return mm.translation(*place) @ turn(angles)


def custom_joint(joint):
    """(joint, its constant pose, coordinates in the joint's order) of a custom joint."""
    turns, shifts = joint["axes"][:3], joint["axes"][3:]
    assert all(axis["coordinate"] is None or not isinstance(axis["function"], float) for axis in joint["axes"])
    rest = mm.rotation(turns[1]["axis"], turns[1]["function"]) @ mm.rotation(turns[2]["axis"], turns[2]["function"])
    assert [axis["axis"] for axis in shifts] == np.eye(3).tolist()
    straight = {"line": [1.0, 0.0]}
    moves = [axis["function"] for axis in shifts]
    if len(joint["coordinates"]) == 3:
        assert turns[0]["axis"] == [0, 0, 1] and moves == [straight, straight, 0.0]
        return mm.Free2D(), rest, [shifts[0]["coordinate"], shifts[1]["coordinate"], turns[0]["coordinate"]]
    if moves == [0.0, 0.0, 0.0] and turns[0]["function"] == straight:
        axis = np.array(turns[0]["axis"])
        return mm.Revolute(axis / np.linalg.norm(axis)), rest, joint["coordinates"]
    assert turns[0]["axis"] == [0, 0, 1]
    return GuidedHinge(motion(turns[0]["function"]), [motion(f) for f in moves]), rest, joint["coordinates"]


def joint_of(joint):
    if joint["kind"] == "WeldJoint":
        return mm.Fixed(), np.eye(4), []
    if joint["kind"] == "PinJoint":
        return mm.Revolute(), np.eye(4), joint["coordinates"]
    if joint["kind"] == "SliderJoint":
        return mm.Prismatic((1, 0, 0)), np.eye(4), joint["coordinates"]
    assert joint["kind"] == "CustomJoint"
    return custom_joint(joint)


def inertia_of(parts):
    """One inertia of bodies (mass, centre, inertia as six numbers, pose); along the axes of a single body's frame."""
    parts = [(body[0], E[:3, :3] @ body[1:4] + E[:3, 3], E[:3, :3], body[4:]) for body, E in parts if body[0] > 0]
    if not parts:
        return None
    mass = sum(part[0] for part in parts)
    centre = sum(part[0] * part[1] for part in parts) / mass
    total = np.zeros((3, 3))
    for m, place, R, (xx, yy, zz, xy, xz, yz) in parts:
        d = place - centre
        total += R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        total += m * (d @ d * np.eye(3) - np.outer(d, d))
    if (total == np.diag(total.diagonal())).all():
        return mm.Inertia(mass, tuple(total.diagonal()), mm.translation(*centre))
    return mm.Inertia.from_matrix(mass, centre, total)


@dataclass
class Built:
    """A model and how it is read: the fixture's coordinates that it has, in its order."""

    model: object
    coordinates: list


class Maker:
    """Makes models of a fixture, with some coordinates locked.

    surfaces: by muscle and surface, between which points of the path it lies (0: the first two), and on which side.
    """

    def __init__(self, fixture, locked=(), surfaces=None):
        self.fixture, self.locked, self.surfaces = fixture, set(locked), surfaces or {}
        self.frames, self.order = {"ground": (None, np.eye(4))}, []  # filled by `built`

    @cached_property
    def built(self):
        """The model."""
        spec = mm.Spec("of OpenSim", gravity=tuple(self.fixture["gravity"]))
        self._add_bodies(spec)
        for leader, follower, slope, intercept in self.fixture["couplings"]:
            if follower not in self.locked:
                ends = [self._body_of(leader), self._body_of(follower)]
                spec.add_constraint(mm.constraints.Coupling(*ends, (intercept, slope)))
        for name, muscle in self.fixture["muscles"].items():
            self._add_muscle(spec, name, muscle)
        return Built(spec.compile(), self.order)

    def _body_of(self, coordinate):
        (joint,) = (j for j in self.fixture["joints"].values() if coordinate in j["coordinates"])
        return joint["child"]

    def _add_bodies(self, spec):
        """Add all bodies; frames: body of the fixture -> (that of the model it is part of, None: the world; pose)."""
        welded, moving = {}, []
        for joint in self.fixture["joints"].values():
            kind, rest, coordinates = joint_of(joint)
            locked = bool(coordinates) and self.locked.issuperset(coordinates)
            assert locked or not self.locked.intersection(coordinates)
            before, after = offset(joint["in_parent"]), rest @ np.linalg.inv(offset(joint["in_child"]))
            child, (root, E) = joint["child"], self.frames[joint["parent"]]
            if locked or not coordinates:
                q = [self.fixture["coordinates"][c] for c in coordinates]
                self.frames[child] = root, E @ before @ (kind.Q(q) if coordinates else np.eye(4)) @ after
                welded.setdefault(root, []).append((self.fixture["bodies"][child], self.frames[child][1]))
            else:
                self.frames[child] = child, np.eye(4)
                moving.append((child, root, kind, E @ before, after))
                self.order += coordinates
        for child, parent, kind, before, after in moving:
            parts = [(self.fixture["bodies"][child], np.eye(4)), *welded.get(child, ())]
            inertia = inertia_of([(np.array(body), E) for body, E in parts])
            hung = before if parent is None else spec.bodies[parent].E_jb @ before
            spec.add_body(child, parent, kind, hung, after, inertia)

    def _place(self, spec, body):
        """(body of the model, pose of the fixture's body in that one's principal axes)."""
        root, E = self.frames[body]
        return root, E if root is None else np.linalg.inv(spec.bodies[root].inertia.frame) @ E

    def _is_there(self, point):
        """False for a conditional point whose coordinate is locked outside of its range."""
        if "within" not in point or point["within"]["coordinate"] not in self.locked:
            return True
        low, high = point["within"]["range"]
        return low - WIDENED <= self.fixture["coordinates"][point["within"]["coordinate"]] <= high + WIDENED

    def _point(self, spec, point):
        root, E = self._place(spec, point["body"])
        if "within" in point and point["within"]["coordinate"] not in self.locked:
            (low, high), body = point["within"]["range"], self._body_of(point["within"]["coordinate"])
            place = (E @ [*point["place"], 1.0])[:3]
            return mm.ConditionalPoint(root, place, body, (low - WIDENED, high + WIDENED))
        if "coordinate" not in point or point["coordinate"] in self.locked:
            return root, (E @ [*point["place"], 1.0])[:3]
        assert (E[:3, :3] == np.eye(3)).all()
        place = [motion(f, -E[i, 3]) for i, f in enumerate(point["place"])]
        return mm.MovingPoint(root, place, self._body_of(point["coordinate"]))

    def _add_muscle(self, spec, name, muscle):
        points = [p for p in muscle["points"] if self._is_there(p)]
        hill = mm.Hill(**muscle["hill"], curves=FAMILIES[muscle["class"]](**muscle["curves"]))
        wrap = [None] * (len(points) - 1)
        for surface, (piece, side) in self.surfaces.get(name, {}).items():
            wrap[piece] = self._surface(spec, self.fixture["surfaces"][surface], side)
        spec.add_muscle(name, 0.0, [self._point(spec, p) for p in points], wrap if any(wrap) else None, actuator=hill)

    def _surface(self, spec, surface, side):
        body, E = self._place(spec, surface["body"])
        E = E @ offset((surface["translation"], surface["xyz_body_rotation"]))
        if surface["class"] == "WrapCylinder":
            return mm.wrap.Cylinder(body=body, E_bs=E, radius=surface["radius"][0], side=side)
        return mm.wrap.Ellipsoid(body=body, E_bs=E, radii=surface["dimensions"], side=side)


def excitations(run):
    """Excitations of a stored run, amplitude sin(omega t + phase) + offset, as motions by muscle."""
    span = run["time"][0], run["time"][-1]
    return {
        name: mm.Motion.of(lambda t, a=a, w=w, p=p, o=o: a * np.sin(w * t + p) + o, *span)
        for name, a, w, p, o in run["excitations"]
    }


def follow(maker, run, rows=slice(None), **options):
    """(trajectory, by quantity the largest deviation of each column from a stored run, in parts of the column's range).

    It starts from the first of the rows given, and they are compared. The range is that of the whole stored run.
    """
    names = list(maker.fixture["coordinates"])
    whole = {key: np.array(run[key]) for key in ("time", "q", "u", *TOLD)}
    stored = {key: x[rows] for key, x in whole.items()}
    built = maker.built
    columns = [names.index(coordinate) for coordinate in built.coordinates]
    for kept in (whole, stored):
        kept |= {key: kept[key][:, columns] for key in "qu"}
    q, u, a, fibre = (stored[key][0] for key in ("q", "u", "activation", "fiber_length"))
    start = built.model.state(q, u, stored["time"][0], z=np.column_stack([a, fibre]).ravel())
    given = {"excitation": excitations(run), "times": stored["time"]}
    motion = mm.simulate(built.model, state=start, **given, **options)
    found = {
        key: np.concatenate([getattr(piece.muscles, name) for piece in motion.pieces]) for key, name in TOLD.items()
    }
    found |= {"q": motion.q, "u": motion.qdot}
    return motion, {key: np.abs(x - stored[key]).max(0) / np.ptp(whole[key], axis=0) for key, x in found.items()}
