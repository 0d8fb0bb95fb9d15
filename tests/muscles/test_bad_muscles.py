"""Bad muscles: a sentence that names the muscle and the thing, before anything runs."""

import numpy as np
import pytest
from mechanisms import ACROSS, knee_cylinder, pendulum

import myomass as mm

pytestmark = pytest.mark.fast
INSIDE = [("upper", (0.0, 0, -0.45)), ("lower", (0.15, 0, 0.1))]


@pytest.mark.parametrize(
    ("muscle", "sentence"),
    [
        ({"points": [("upper", (0, 0, 0))]}, "two points .* at least"),
        ({"points": []}, "two points .* at least"),
        ({"points": "upper"}, "two points"),
        ({"points": [("upper", (0, 0, 0)), ("upper", (0, 0, 0))]}, "points 0 and 1 coincide"),
        ({"points": [("upper", (0, 0, 0)), ("elbow", (0, 0, 0))]}, "no body 'elbow'"),
        ({"points": [("upper", (0, 0, 0)), ("lower", (0, 0))]}, "a point"),
        ({"points": [("upper", (0, 0, 0)), ("lower", (0, 0, np.nan))]}, "a point"),
        ({"points": [("upper", (0, 0, 0)), 3]}, "a point is"),
        ({"mass": -1.0}, "mass .* must not be negative"),
        ({"mass": np.nan}, "mass"),
        ({"mass": "heavy"}, "mass"),
        ({"wrap": [knee_cylinder(), None]}, "wrap has 2 entries, and the path 1 pieces"),
        ({"wrap": ["cylinder"]}, "wrap holds surfaces"),
        ({"wrap": "cylinder"}, "wrap is a list"),
        ({"wrap": [knee_cylinder(radius=-1.0)]}, "radius"),
        ({"wrap": [knee_cylinder(radius="0.1")]}, "radius"),
        ({"wrap": [knee_cylinder(side="left")]}, "side, a point"),
        ({"wrap": [knee_cylinder(side=(0, 0, 1))]}, "side is on the cylinder's axis"),
        ({"wrap": [mm.wrap.Sphere("upper", side=(0, 0, 0))]}, "side is the centre"),
        ({"wrap": [mm.wrap.Cylinder("elbow")]}, "no body 'elbow'"),
        ({"wrap": [mm.wrap.Cylinder("upper", np.zeros((4, 4)))]}, "E_bs"),
        ({"wrap": [knee_cylinder()], "points": INSIDE}, "point 0 is inside"),
        ({"smoothing": "smooth"}, "smoothing is one of"),
        ({"smoothing": -0.1}, "smoothing is one of"),
        ({"smoothing": True}, "smoothing is one of"),
        ({"mass_points": 0}, "mass_points"),
        ({"mass_points": 2.5}, "mass_points"),
        ({"distribution": "even"}, "distribution is"),
        ({"distribution": mm.Belly(0.7, 0.3)}, "belly"),
        ({"distribution": mm.Lumps((0.5, 1.2))}, "fractions"),
        ({"distribution": mm.Lumps((0.5, 0.2))}, "rising"),
        ({"distribution": (1.0, -1.0)}, "shares"),
        ({"distribution": ()}, "fractions|rising"),
        ({"tension": "hard"}, "tension"),
        ({"points": [("upper", (0, 0, 0)), mm.MovingPoint("lower", (0, (1, 2), 0), "lower")]}, "place"),
        ({"points": [("upper", (0, 0, 0)), mm.MovingPoint("lower", (0, 0), "lower")]}, "three numbers or motions"),
        ({"points": [("upper", (0, 0, 0)), mm.MovingPoint("lower", (0, 0, 0), "elbow")]}, "no body 'elbow'"),
        ({"points": [("upper", (0, 0, 0)), mm.MovingPoint("lower", (0, 0, 0), "lower", 1)]}, "no number 1"),
    ],
)
def test_bad_muscles(muscle, sentence):
    with pytest.raises((ValueError, TypeError), match=f"muscle 'm0': .*{sentence}"):
        pendulum(ACROSS | muscle)


def test_names_are_unique():
    spec = mm.Spec()
    spec.add_body("a", inertia=mm.Inertia(mass=1.0, moments=(1, 1, 1)))
    spec.add_muscle("m", points=[(None, (0, 0, 1)), ("a", (0, 0, 0))])
    with pytest.raises(ValueError, match="there is a muscle 'm' already"):
        spec.add_muscle("m", points=[(None, (0, 0, 1)), ("a", (0, 0, 0))])


def test_a_bad_q_is_named():
    model = pendulum(ACROSS)
    for function in (mm.muscle_lengths, mm.moment_arms, mm.muscle_points, mm.muscles.muscle_paths, mm.muscle_inertia):
        with pytest.raises(ValueError, match="q"):
            function(model, [0.0, np.nan])
        with pytest.raises(ValueError, match="q has shape"):
            function(model, [0.0])
    with pytest.raises(TypeError, match="a model is needed"):
        mm.muscle_lengths("model", [0.0])


def test_maximal_coordinates_know_no_muscles():
    model = pendulum({"mass": 1.0} | ACROSS)
    with pytest.raises(ValueError, match="know no muscles"):
        mm.simulate(model, integrator="maximal", duration=0.01)


def test_reactions_do_not_count_moving_points():
    points = [("upper", (0.1, 0, 0)), mm.MovingPoint("lower", (0.1, 0, mm.Motion(0.2)), "lower")]
    with pytest.raises(ValueError, match="cannot include muscles with moving points"):
        mm.joint_reactions(pendulum({"mass": 1.0, "points": points}), [0, 0], [0, 0])


def test_a_moving_point_needs_a_coordinate_that_keeps_its_meaning():
    points = [("upper", (0.1, 0, 0)), mm.MovingPoint("lower", (0.1, 0, mm.Motion(0.2)), "lower")]
    with pytest.raises(ValueError, match="moving point needs a coordinate that keeps its meaning"):
        pendulum({"points": points}, knee=mm.SphericalExp())


def test_muscles_work_in_double_precision():
    with pytest.raises(TypeError, match="has muscles, which work in float64"):
        pendulum(ACROSS).astype(np.float32)


def test_moving_points_have_no_maximal_jacobian():
    points = [("upper", (0.1, 0, 0)), mm.MovingPoint("lower", (0.1, 0, mm.Motion(0.2)), "lower")]
    with pytest.raises(ValueError, match="does not exist for path points that move"):
        mm.muscles.muscle_jacobian(pendulum({"points": points}), [0, 0], maximal=True)
