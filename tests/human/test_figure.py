"""The human figure: what it weighs, how it stands, which way its joints turn."""

import numpy as np
import pytest

import myomass as mm
from myomass.human.anthropometry import SEGMENTS
from myomass.human.figure import human_figure

MIDLINE_FLIPPED = ("pelvis y", "pelvis turn x", "pelvis turn z", "bending", "rotation")
SIZES = [(1.75, 75.0, "male"), (1.65, 60.0, "female"), (0.9, 13.0, "male"), (2.05, 120.0, "female")]


@pytest.fixture(scope="module")
def figure():
    return human_figure()


@pytest.fixture(scope="module")
def model(figure):
    return figure.compile()


def places(figure, model, q):
    """World places of the figure's points."""
    E = mm.forward_kinematics(model, q)
    return {name: (E[model.body(body)] @ [*x, 1.0])[:3] for name, (body, x) in figure.points.items()}


def mirror(names):
    """Signed permutation that swaps the sides, for coordinates by name. (n, n)"""
    P = np.zeros((len(names), len(names)))
    for i, name in enumerate(names):
        other = name.replace("_l ", "_R ").replace("_r ", "_l ").replace("_R ", "_r ")
        flipped = other == name and name.endswith(MIDLINE_FLIPPED)
        P[i, names.index(other)] = -1.0 if flipped else 1.0
    return P


def test_bodies_and_degrees_of_freedom(figure, model):
    assert isinstance(figure, mm.Spec)
    assert (model.nbodies, model.ndof) == (16, 40)
    assert len(figure.coordinate_names) == len(set(figure.coordinate_names)) == len(figure.ranges) == 40
    for body, count in {"pelvis": 6, "abdomen": 2, "thorax": 3, "hand_r": 2, "shank_l": 1, "foot_r": 2}.items():
        dofs = model.dof(body)
        assert dofs.stop - dofs.start == count
    assert figure.coordinate_names[model.dof("thigh_l")] == ("hip_l flexion", "hip_l abduction", "hip_l rotation")
    assert (figure.ranges[:, 0] <= 0).all() and (figure.ranges[:, 1] > 0).all()
    assert not figure.forces


@pytest.mark.parametrize(("height", "mass", "sex"), SIZES)
def test_weighs_and_measures_what_it_should(height, mass, sex):
    figure = human_figure(height, mass, sex)
    model = figure.compile()
    assert sum(body.inertia.mass for body in figure.bodies.values()) == pytest.approx(mass, rel=1e-14)
    where = places(figure, model, np.zeros(40))
    assert where["vertex"][2] == pytest.approx(height, rel=1e-14)
    soles = [x[2] for name, x in where.items() if name.startswith(("heel", "ball", "toe"))]
    np.testing.assert_allclose(soles, 0.0, atol=1e-14)
    centre = mm.momentum(model, np.zeros(40), np.zeros(40)).centre
    assert 0.545 < centre[2] / height < 0.58
    assert abs(centre[1]) < 1e-14
    assert where["heel_l"][0] < centre[0] < where["ball_l"][0]


@pytest.mark.parametrize("sex", ["male", "female"])
def test_its_shapes_are_as_tall_as_it_is(sex):
    """What is drawn ends at the vertex and stands on the ground."""
    figure = human_figure(1.8, 80.0, sex)
    model = figure.compile()
    E = mm.forward_kinematics(model, np.zeros(40))
    heights = [
        (E[body] @ shape.frame @ [*vertex, 1.0])[2]
        for body, own in enumerate(model.shapes)
        for shape in own
        for vertex in shape.vertices
    ]
    assert min(heights) == pytest.approx(0.0, abs=1e-12)
    skull = model.shapes[model.body("head")][0]
    assert (E[model.body("head")] @ skull.frame)[2, 3] + skull.size[2] == pytest.approx(1.8)


def test_tables():
    """Masses sum up to the whole, and no segment has moments that belong to no body."""
    for rows in SEGMENTS.values():
        paired = {"upper_arm", "forearm", "hand", "thigh", "shank", "foot"}
        assert sum(row.mass * (1 + (name in paired)) for name, row in rows.items()) == pytest.approx(100, abs=0.011)
        for row in rows.values():
            squares = np.square(row.radii)
            assert 2 * squares.max() < squares.sum()


def test_left_and_right_are_mirror_images(figure, model):
    P = mirror(figure.coordinate_names)
    q = np.random.default_rng(3).normal(scale=0.4, size=40)
    np.testing.assert_allclose(mm.mass_matrix(model, P @ q), P @ mm.mass_matrix(model, q) @ P.T, atol=1e-12)
    np.testing.assert_allclose(
        mm.dynamics.gravity_forces(model, P @ q), P @ mm.dynamics.gravity_forces(model, q), atol=1e-10
    )


@pytest.mark.parametrize("side", ["_l", "_r"])
@pytest.mark.parametrize(
    ("coordinate", "point", "axis", "sign"),
    [
        ("hip flexion", "heel", 0, 1),
        ("hip abduction", "heel", 1, 1),
        ("hip rotation", "toe", 1, -1),
        ("knee flexion", "toe", 0, -1),
        ("ankle flexion", "toe", 2, 1),
        ("ankle inversion", "ball_inner", 2, 1),
        ("shoulder flexion", "fingertip", 0, 1),
        ("shoulder abduction", "fingertip", 1, 1),
        ("elbow flexion", "fingertip", 0, 1),
        ("wrist flexion", "fingertip", 1, -1),
        ("wrist deviation", "fingertip", 0, 1),
        ("lumbar flexion", "vertex", 0, 1),
        ("thoracic flexion", "vertex", 0, 1),
        ("neck flexion", "vertex", 0, 1),
    ],
)
def test_which_way_is_positive(figure, model, side, coordinate, point, axis, sign):
    """Axis 0 forward, 1 outward, 2 up."""
    point = point if point == "vertex" else point + side
    moved = places(figure, model, figure.pose({coordinate: 0.3}))[point] - places(figure, model, np.zeros(40))[point]
    moved[1] *= 1 if side == "_l" else -1
    assert sign * moved[axis] > 0.01


def test_turns_inward_are_positive(figure, model):
    """With the elbow bent, internal rotation brings the hand to the middle; pronation turns the palm down."""
    bent = places(figure, model, figure.pose({"elbow flexion": np.pi / 2}))
    turned = places(figure, model, figure.pose({"elbow flexion": np.pi / 2, "shoulder rotation": 0.5}))
    assert turned["fingertip_l"][1] < bent["fingertip_l"][1] - 0.1
    assert turned["fingertip_r"][1] > bent["fingertip_r"][1] + 0.1
    E = mm.forward_kinematics(model, figure.pose({"elbow flexion": np.pi / 2, "elbow pronation": np.pi / 2}))
    np.testing.assert_allclose(E[model.body("hand_l"), :3, 1], (0, 0, 1), atol=1e-12)  # the palm is -y of the left hand
    np.testing.assert_allclose(E[model.body("hand_r"), :3, 1], (0, 0, -1), atol=1e-12)


def test_scales_with_mass_and_height_squared(figure, model):
    q = np.random.default_rng(4).normal(scale=0.3, size=40)
    hinges = np.ix_(range(6, 40), range(6, 40))
    M = mm.mass_matrix(model, q)[hinges]
    other = mm.mass_matrix(human_figure(1.4, 50.0).compile(), q)[hinges]
    np.testing.assert_allclose(other, M * (50.0 / 75.0) * (1.4 / 1.75) ** 2, rtol=1e-9, atol=1e-14)


def test_rotation_of_the_root(figure):
    turns = mm.Composite(mm.Revolute((0, 1, 0)), mm.Revolute((1, 0, 0)), mm.Revolute((0, 0, 1)))
    other = human_figure(rotation=turns).compile()
    assert other.ndof == 40
    E = mm.forward_kinematics(other, figure.pose({"pelvis turn x": 0.4}))[0]  # here the first turn is that about y
    np.testing.assert_allclose(E[:3, :3], mm.rotation((0, 1, 0), 0.4)[:3, :3], atol=1e-15)


def test_pose(figure):
    q = figure.pose({"knee flexion": 0.7, "hip_l flexion": 0.2, "pelvis z": 0.1})
    assert [figure.coordinate_names[i] for i in np.flatnonzero(q)] == [
        "pelvis z",
        "hip_l flexion",
        "knee_l flexion",
        "knee_r flexion",
    ]
    with pytest.raises(KeyError, match="there is no coordinate 'knee bend'; known: pelvis x"):
        figure.pose({"knee bend": 1.0})


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"height": 175.0}, r"the height \[m\] must be from 0.5 to 2.5, and is 175.0"),
        ({"height": -1.0}, r"the height \[m\] must be from 0.5 to 2.5"),
        ({"height": "tall"}, r"the height \[m\] must be a finite number"),
        ({"mass": 0.0}, r"the mass \[kg\] must be from 5 to 300, and is 0.0"),
        ({"mass": np.nan}, r"the mass \[kg\] must be a finite number"),
        ({"sex": "m"}, 'the sex is "male" or "female", and is \'m\''),
        ({"sex": None}, 'the sex is "male" or "female", and is None'),
    ],
)
def test_bad_input(options, text):
    with pytest.raises(ValueError, match=text):
        human_figure(**options)


def test_fall_ends_on_the_ground():
    """The preset's end energy against that of RK4 with small steps, which is the stored one."""
    scene = mm.scenes.load("human-fall")
    fine = mm.simulate(scene, integrator="rk4", h=1e-4)
    end = fine.kinetic[-1] + fine.potential[-1] - mm.energy(scene.model, scene.q, scene.qdot).potential
    assert end == pytest.approx(scene.reference["exact"], rel=1e-6)
    run = mm.simulate(scene)
    assert run.ended == "completed"
    assert run.kinetic[-1] < 1e-2 * run.kinetic.max()
    assert run.poses[-1, :, 2, 3].min() > -0.02 and run.poses[-1, :, 2, 3].max() < 0.35
