"""Coordinates and markers by name: in specs, models, files, runs, and after re-rooting."""

import pickle
import warnings

import numpy as np
import pytest

import myomass as mm

pytestmark = pytest.mark.fast


def leg(**options):
    spec = mm.Spec("leg")
    bone = mm.Inertia.cuboid((0.1, 0.1, 0.4), mass=2.0)
    hip = ["hip_tilt", mm.model.Coordinate("hip_x", default=0.1), mm.model.Coordinate("hip_y", 0.9, speed=0.2)]
    plane = mm.Composite(mm.Revolute(), mm.Prismatic((1, 0, 0)), mm.Prismatic((0, 1, 0)))
    spec.add_body("thigh", None, plane, E_jb=mm.translation(0, 0, -0.2), inertia=bone, coordinates=hip)
    knee = [mm.model.Coordinate("knee_angle", 0.3, range=(0.0, 2.0), clamped=True)]
    place = mm.translation(0, 0, -0.4), mm.translation(0, 0, -0.2)
    spec.add_body("shank", "thigh", mm.Revolute((0, 1, 0)), *place, bone, coordinates=knee, **options)
    spec.add_marker("ankle", "shank", (0, 0, -0.2), weight=2.0)
    spec.add_marker("lab", None, (1, 2, 3))
    return spec


def test_names_defaults_and_indices():
    model = leg().compile()
    assert model.coordinates == ["hip_tilt", "hip_x", "hip_y", "knee_angle"]
    assert model.q(hip_x=0.5).tolist() == [0.0, 0.5, 0.9, 0.3]
    assert model.qdot(knee_angle=-1).tolist() == [0.0, 0.0, 0.2, -1.0]
    assert model.coordinate("hip_y") == 2 and model.dof("hip_y") == slice(2, 3) and model.dof("thigh") == slice(0, 3)
    assert model.state().q.tolist() == model.q().tolist() and model.state().qdot[2] == 0.2
    assert leg().coordinates["knee_angle"].range == (0.0, 2.0)


def test_a_model_without_names_has_those_of_its_bodies():
    spec = mm.Spec()
    spec.add_body("hip", None, mm.Universal())
    spec.add_body("knee", "hip", inertia=mm.Inertia.sphere(0.1, mass=1.0))
    assert spec.compile().coordinates == ["hip[0]", "hip[1]", "knee"] == list(spec.coordinates)


def test_a_coordinates_name_stands_for_a_joint():
    by_name, by_body = leg(), leg()
    by_name.add_force(mm.JointSpring("hip_y", 10.0, rest=0.5))
    by_body.add_force(mm.JointSpring("thigh", [0, 0, 10.0], rest=0.5))
    by_name.add_constraint(mm.Coupling("hip_tilt", "knee_angle", (0, 1)))
    by_body.add_constraint(mm.Coupling("thigh", "shank", (0, 1)))
    a, b = by_name.compile(), by_body.compile()
    q = np.array([0.2, 0.1, 0.7, 0.2])
    np.testing.assert_array_equal(mm.forward_dynamics(a, q, 0 * q), mm.forward_dynamics(b, q, 0 * q))


def test_markers_ride_on_bodies():
    model = leg().compile()
    q = model.q(hip_tilt=np.pi / 2, knee_angle=np.pi / 2)
    np.testing.assert_allclose(mm.marker_places(model, q), [[-0.9, 0.1 - 0.4, -0.4], [1, 2, 3]], atol=1e-15)
    assert model.markers["ankle"].weight == 2.0


def test_files_and_pickles_keep_them(tmp_path):
    model = leg().compile()
    run = mm.simulate(model, integrator="rk4", h=1e-2, duration=0.05)
    assert run["hip_x"].tolist() == run.q[:, 1].tolist() and run["hip_y.speed"].tolist() == run.qdot[:, 2].tolist()
    run.save(tmp_path / "run.npz")
    for other in (mm.Trajectory.load(tmp_path / "run.npz").model, pickle.loads(pickle.dumps(model))):
        assert other.coordinates == model.coordinates and other.coordinate_specs == model.coordinate_specs
        assert other.markers == model.markers
    with pytest.raises(KeyError, match="no coordinate 'hip_z'; known: hip_tilt"):
        run["hip_z"]


def test_they_follow_their_joints_when_the_tree_is_hung_anew():
    spec = leg()
    model = spec.compile()
    state = model.state(model.q(knee_angle=0.4))
    made, now = mm.reroot(model, state, "shank", place=(0, 0, -0.2))
    assert made.coordinates[made.dof("thigh").start] == "knee_angle" and "hip_x" not in made.coordinates
    assert now.q[made.coordinate("knee_angle")] == pytest.approx(0.4)
    np.testing.assert_allclose(mm.marker_places(made, now.q), mm.marker_places(model, state.q), atol=1e-14)
    again = spec.reroot("shank", q={"thigh": state.q[:3], "shank": [0.4]})
    assert list(again.coordinates)[:1] == ["knee_angle"] and list(again.markers) == ["ankle", "lab"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.add_body("a", coordinates=["x", "y"]), "'a': its joint has 1 degrees of freedom, and 2 coord"),
        (lambda s: s.add_body("a", coordinates=3), "'a': coordinates are a list of names"),
        (lambda s: s.add_marker("m", "nobody", (0, 0, 0)), "'m' is on an unknown body 'nobody'"),
        (lambda s: s.add_marker("lab", None, (0, 0, 0)), "there is a marker 'lab' already"),
        (lambda s: s.add_marker("m", None, (0, np.nan, 0)), "marker 'm': its place"),
        (lambda s: mm.model.Coordinate("x", range=(2, 1)), "'x': the range is"),
        (lambda s: s.compile().q(hip=1), "no coordinate 'hip'"),
        (lambda s: s.compile().q(hip_x=np.nan), "q: 'hip_x'"),
    ],
)
def test_what_is_wrong_is_said(change, sentence):
    with pytest.raises((ValueError, TypeError, KeyError), match=sentence):
        change(leg())


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["knee_angle"], "'shank' and 'foot' both have a coordinate 'knee_angle'"),
        (["thigh"], "'foot': its coordinate 'thigh' has the name of a body"),
    ],
)
def test_names_that_would_not_tell(names, sentence):
    spec = leg()
    spec.add_body("foot", "shank", inertia=mm.Inertia.sphere(0.1, mass=1.0), coordinates=names)
    with pytest.raises(ValueError, match=sentence):
        spec.compile()


def test_muscles_and_their_states_by_name():
    spec = leg()
    for name in ("soleus", "tibialis"):
        spec.add_muscle(
            name, 0.0, [("thigh", (0.05, 0, 0)), ("shank", (0.05, 0, 0))], actuator=mm.Hill(100.0, 0.1, 0.2)
        )
    model = spec.compile()
    assert model.muscle("tibialis") == 1 and model.marker("lab") == 1
    run = mm.simulate(model, duration=2e-3, integrator="semi-implicit", h=1e-3)
    assert run["tibialis.fibre_length"].tolist() == run.z[:, model.z_names.index("tibialis.fibre_length")].tolist()
    with pytest.raises(KeyError, match="has no muscle 'gastroc'; known: soleus, tibialis"):
        model.muscle("gastroc")
    with pytest.raises(KeyError, match="has no marker 'toe'; known: ankle, lab"):
        model.marker("toe")
    with pytest.raises(KeyError, match=r"has no coordinate 'gastroc.activation'"):
        run["gastroc.activation"]


def test_degrees_taken_for_radians_get_a_warning():
    spec = mm.Spec("leg")
    knee = mm.model.Coordinate("knee", range=(-2.1, 0.2))
    rod = mm.Inertia.cuboid((0.1, 0.1, 0.4), mass=1.0)
    spec.add_body("shank", None, mm.Revolute((0, 1, 0)), inertia=rod, coordinates=[knee])
    spec.add_body("wheel", "shank", mm.Revolute((0, 1, 0)), inertia=rod, coordinates=["turn"])
    model = spec.compile()
    with pytest.warns(UserWarning, match=r"knee = -60 rad is far beyond its range, -2.1 to 0.2 rad; if it is in deg"):
        assert model.q(knee=-60.0)[0] == -60.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.q(knee=-3.0, turn=100.0)
