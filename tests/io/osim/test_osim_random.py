"""Random trees in .osim files against OpenSim 4.6: poses, masses, accelerations, and lengths of paths.

Joints of all kinds hang in random frames, stacked ones too; custom joints have random axes and functions. OpenSim's
accelerations are not the rates of its own velocities where one coordinate drives several turns of a joint, so none
does here, nor does a constant turn lie between two that move; and in ball, free and ellipsoid joints its speeds are
angular velocities, so it starts from rest.
"""

import numpy as np
import pytest
from opensim_texts import AXES, accelerations, frame_text, in_opensim, numbers, read

import myomass as mm

COUNTS = {
    "WeldJoint": 0,
    "PinJoint": 1,
    "SliderJoint": 1,
    "UniversalJoint": 2,
    "BallJoint": 3,
    "GimbalJoint": 3,
    "PlanarJoint": 3,
    "EllipsoidJoint": 3,
    "FreeJoint": 6,
    "CustomJoint": 4,
}
TURNING = ("BallJoint", "EllipsoidJoint", "FreeJoint")
HEAD = '<?xml version="1.0"?>\n<OpenSimDocument Version="40000"><Model name="random">\n<Ground name="ground"/>\n'


class Drawn:
    """A random tree as the text of a file."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.frames, self.coordinates, self.turning = ["/ground"], [], False
        self.plain = []  # paths of coordinates whose speeds are their rates
        bodies, joints = zip(*(self.link(k) for k in range(self.rng.integers(1, 7))), strict=True)
        sets = {"BodySet": bodies, "JointSet": joints}
        sets["MarkerSet"] = [self.on_a_frame("Marker", f"m{k}") for k in range(3)]
        sets["ForceSet"] = [self.rope(k) for k in range(3)]
        listed = (f"<{tag}><objects>\n{chr(10).join(parts)}\n</objects></{tag}>\n" for tag, parts in sets.items())
        self.text = f"{HEAD}{''.join(listed)}</Model></OpenSimDocument>\n"

    def near(self, most=0.3, count=3):
        return numbers(self.rng.uniform(-most, most, count))

    def one_of(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def link(self, k):
        """(body, joint) of the k-th body, on the ground or on one that came before."""
        kind = self.one_of(*COUNTS, "CustomJoint", "CustomJoint")
        parent = self.one_of("/ground", *(f"/bodyset/b{i}" for i in range(k)))
        moments = self.rng.uniform(0.05, 0.08, 3)
        body = (
            f'<Body name="b{k}"><mass>{self.rng.uniform(0.5, 3.0)}</mass><mass_center>{self.near()}</mass_center>'
            f"<inertia>{numbers(moments)} {self.near(0.01)}</inertia></Body>"
        )
        named = [f"q{k}_{i}" for i in range(COUNTS[kind])]
        if kind in TURNING:
            self.turning = True
        else:
            self.plain += [f"/jointset/j{k}/{name}" for name in named]
        frames = []
        sockets = [self.end(k, frames, *end) for end in (("parent", parent), ("child", f"/bodyset/b{k}"))]
        inner = "".join(f"<socket_{end}_frame>{path}</socket_{end}_frame>" for end, path in sockets)
        listed = "".join(f'<Coordinate name="{name}"/>' for name in self.rng.permutation(named))
        own = f"<radii_x_y_z>{numbers(self.rng.uniform(0.1, 0.3, 3))}</radii_x_y_z>" if kind == "EllipsoidJoint" else ""
        if kind == "CustomJoint":
            own = f"<SpatialTransform>{self.axes(named)}</SpatialTransform>"
        self.frames.append(f"/bodyset/b{k}")
        inner += f"<coordinates>{listed}</coordinates><frames>{''.join(frames)}</frames>{own}"
        return body, f'<{kind} name="j{k}">{inner}</{kind}>'

    def end(self, k, frames, end, path):
        """(end, how the joint names its frame): the body's own, or the last of frames stacked on it."""
        name = None
        for i in range(self.rng.integers(3)):
            name = f"{end}{i}"
            frames.append(frame_text(name, path, self.near(), self.near(1.0)))
            path = f"/jointset/j{k}/{name}"
            self.frames.append(path)
        return end, self.one_of(path, name or path)

    def axes(self, named):
        """Four of six axes are driven, two of them by functions."""
        driven = [*self.rng.permutation(3)[:2], *(3 + self.rng.permutation(3)[:2])]
        made = []
        for k, way in enumerate(self.rng.normal(size=(6, 3))):
            name = named[driven.index(k)] if k in driven else ""
            value = 0.0 if k < 3 else self.rng.uniform(-0.2, 0.2)
            function = self.function() if name else f'<Constant name="function"><value>{value}</value></Constant>'
            axis = f"<coordinates>{name}</coordinates><axis>{numbers(way)}</axis>{function}"
            made.append(f'<TransformAxis name="{AXES[k]}">{axis}</TransformAxis>')
        return "".join(made)

    def function(self):
        """One that rises, so that it moves its axis everywhere."""
        x = np.linspace(-1.5, 1.5, 7)
        points = f"<x>{numbers(x)}</x><y>{numbers(x + self.rng.uniform(-0.1, 0.1, 7))}</y>"
        return self.one_of(
            '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>',
            f'<PolynomialFunction name="function"><coefficients>{self.near(0.1)} 1 0</coefficients>'
            "</PolynomialFunction>",
            f'<SimmSpline name="function">{points}</SimmSpline>',
            f'<GCVSpline name="function"><half_order>{self.one_of(2, 3)}</half_order>{points}</GCVSpline>',
            '<MultiplierFunction name="function"><function><Sine><omega>0.5</omega></Sine></function><scale>-2</scale>'
            "</MultiplierFunction>",
        )

    def on_a_frame(self, tag, name, more="", frame=None):
        where = f"<socket_parent_frame>{frame or self.one_of(*self.frames)}</socket_parent_frame>"
        return f'<{tag} name="{name}">{where}<location>{self.near()}</location>{more}</{tag}>'

    def rope(self, k):
        """A spring along a path, with a point that comes and goes."""
        gate = ""
        if self.plain:
            more = f"<socket_coordinate>{self.one_of(*self.plain)}</socket_coordinate><range>-0.3 0.4</range>"
            gate = self.on_a_frame("ConditionalPathPoint", "gate", more)
        points = self.on_a_frame("PathPoint", "a") + gate + self.on_a_frame("PathPoint", "b")
        return (
            f'<PathSpring name="rope{k}"><GeometryPath name="path"><PathPointSet><objects>{points}</objects>'
            "</PathPointSet></GeometryPath><resting_length>0.1</resting_length><stiffness>20</stiffness>"
            "<dissipation>0.1</dissipation></PathSpring>"
        )


@pytest.mark.parametrize("seed", range(25))
def test_trees(tmp_path, seed):
    opensim = pytest.importorskip("opensim")
    drawn = Drawn(seed)
    theirs, state = in_opensim(opensim, tmp_path, drawn.text)
    spec = read(tmp_path, drawn.text)
    model = spec.compile()
    known = theirs.getCoordinateSet()
    assert list(model.coordinates) == [known.get(k).getName() for k in range(known.getSize())]
    assert not spec.report
    rng = np.random.default_rng(seed)
    for _ in range(2):
        q, qdot = rng.uniform(-0.7, 0.7, model.ndof), rng.normal(size=model.ndof) * (not drawn.turning)
        expected = accelerations(theirs, state, model.coordinates, q, qdot)
        E = mm.forward_kinematics(model, q)
        for body in model.names:
            place = theirs.getBodySet().get(body).getTransformInGround(state)
            rows = [[place.R().get(i, j) for j in range(3)] + [place.p().get(i)] for i in range(3)]
            np.testing.assert_allclose((E[model.body(body)] @ model.frames[body].pose)[:3], rows, atol=1e-11)
        markers = theirs.getMarkerSet()
        places = [markers.get(name).getLocationInGround(state) for name in model.markers]
        np.testing.assert_allclose(
            mm.marker_places(model, q), [[place.get(k) for k in range(3)] for place in places], atol=1e-11
        )
        for length, name in zip(mm.muscle_lengths(model, q), model.muscles.names, strict=True):
            rope = opensim.PathSpring.safeDownCast(theirs.getForceSet().get(name))
            assert length == pytest.approx(rope.getLength(state), abs=1e-11)
        if model.ndof and not drawn.turning:
            found = mm.forward_dynamics(model, q, qdot)
            cond = np.linalg.cond(mm.mass_matrix(model, q))
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * cond * max(1.0, np.abs(expected).max()))
