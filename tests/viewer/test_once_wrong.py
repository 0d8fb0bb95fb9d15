"""What was wrong once."""

import numpy as np
import pytest

import myomass as mm
from myomass.joints import SpatialTransform
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames, still_run
from myomass.viewer.page import plain
from myomass.viewer.stills import still


def particle() -> mm.Model:
    spec = mm.Spec("particle")
    spec.add_body("point", None, mm.Translational(), None, None, mm.Inertia.point(1.0))
    return spec.compile()


def turning(joint: mm.Joint) -> mm.Model:
    spec = mm.Spec("turning", (0.0, 0.0, 0.0))
    spec.add_body("top", None, joint, None, mm.translation(0, 0, 0.3), mm.Inertia.cylinder(0.1, 0.4, mass=1.0))
    return spec.compile()


def test_a_single_point_is_seen():
    picture = still(still_run(particle()), size=(64, 48), hidden=("ground",))
    assert np.ptp(picture[24, 24:40].astype(int), axis=0).max() > 20


def test_ground_is_hidden_and_shown_after_another_run():
    pytest.importorskip("viser")
    with mm.view(particle(), run=False) as page:
        page.canvas.show("ground", False)
        page.canvas.load(Drawing(Frames(still_run(particle()))))
        assert not page.canvas.groups["ground"].visible
        page.canvas.show("ground", True)
        assert page.canvas.groups["ground"].visible


def test_names_are_no_markup():
    assert not set(plain('<b>&{x}![a](b)**"')) & set("<>{}[]()*!\"'")


def test_options_of_view_are_checked_at_once():
    pytest.importorskip("viser")
    for wrong in ({"duratoin": 1.0}, {"integrator": "nonsense"}):
        with pytest.raises((TypeError, ValueError), match="there is no"):
            mm.view(particle(), **wrong)
    for name in ("duration", "h"):
        with pytest.raises(ValueError, match=f"{name} must be a positive number of seconds, and is nan"):
            mm.view(particle(), **{name: np.nan})


def test_no_ball_is_drawn_where_a_free_body_started():
    spec = mm.Spec("free")
    joint = mm.Composite(mm.SphericalExp(), mm.Translational())
    spec.add_body("body", None, joint, None, None, mm.Inertia.cuboid((1, 1, 1), mass=1.0))
    layers = Drawing(Frames(still_run(spec.compile()))).layers
    assert "joints" not in [layer.name for layer in layers]


def test_motion_goes_on_where_charts_change():
    run = mm.simulate(turning(mm.SphericalExp()), qdot=[6, 1, 0], duration=3.0, h=0.05)
    frames = Frames(run)
    assert (np.linalg.norm(np.diff(run.q, axis=0), axis=1) > np.pi).any()
    x = np.array([frames.at(t).bodies[0, :3, 3] for t in np.linspace(0, 3, 3001)])
    moved = np.linalg.norm(np.diff(x, axis=0), axis=1)
    assert moved.max() < 2 * np.median(moved)


def test_long_runs_are_refused_or_thinned_without_all_their_times():
    run = mm.Trajectory(particle(), np.array([0.0, 1e9]), np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 0)), "made")
    with pytest.raises(ValueError, match="too many"):
        run.save_video("x.mp4")


def test_ground_of_contact_lies_under_what_is_far_from_the_origin():
    spec = mm.Spec("far")
    spec.add_body("ball", None, mm.Translational(), None, None, mm.Inertia.sphere(0.1, mass=2.0))
    spec.add_constraint(mm.Contact(mm.Sphere("ball", 0.1)))
    model = spec.compile()
    ground = Drawing(Frames(still_run(model, model.state([50.0, 20.0, 0.1])))).ground
    np.testing.assert_allclose(ground.frame[:3, 3], (50, 20, 0), atol=0.5 * ground.extent)


def test_a_wall_is_not_the_ground():
    spec = mm.Spec("wall")
    spec.add_body("box", None, mm.Translational(), None, None, mm.Inertia.cuboid((0.2, 0.2, 0.2), mass=1.0))
    plane = mm.rotation((0, 1, 0), np.pi / 2) @ mm.translation(0, 0, -0.3)
    spec.add_force(mm.Ground("box", 1e4, size=(0.2, 0.2, 0.2), plane=plane))
    ground = Drawing(Frames(still_run(spec.compile()))).ground
    np.testing.assert_allclose(ground.frame[:3, 2], (0, 0, 1), atol=1e-12)


@pytest.mark.parametrize("joint", [SpatialTransform.floating(), SpatialTransform.gimbal()])
def test_spatial_transforms_are_drawn_and_have_no_maximal_form(joint):
    model = turning(joint)
    assert np.ptp(still(still_run(model), size=(64, 48), hidden=("ground",)).astype(int), axis=(0, 1)).max() > 20
    with pytest.raises(ValueError, match="that of 'top' is SpatialTransform"):
        mm.simulate(model, integrator="maximal", h=0.01, duration=0.02)
