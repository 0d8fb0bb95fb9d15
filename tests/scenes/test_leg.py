"""The leg with the spline knee: its joint, its shapes, and what its muscles do."""

import json
from pathlib import Path

import numpy as np
import pytest

import myomass as mm
from myomass.scenes import knee
from myomass.scenes.leg import PARTS, condyle, knee_turn, plateau

OPENSIM = json.loads((Path(__file__).parents[1] / "fixtures" / "opensim_knee.json").read_text())


def pose(flexion):
    return knee.spline_knee().Q(np.array([flexion / knee.SEGMENT]))


class TestKnee:
    def test_follows_the_entries_of_the_tables(self):
        entries = knee.entries()
        assert len(entries) == 13
        for axis, flexion, value in entries:
            assert pose(flexion)[axis, 3] == pytest.approx(value, abs=1e-4)

    def test_turns_in_proportion_to_its_coordinate(self):
        for flexion in np.linspace(-0.2, 2.2, 13):
            np.testing.assert_allclose(pose(flexion)[:3, :3], mm.rotation((0, 0, 1), -flexion)[:3, :3], atol=1e-13)

    def test_against_opensim(self):
        """Whose splines through the tables have other end conditions: they differ by 0.23 mm between entries."""
        off = [pose(f)[:2, 3] - x for f, x in zip(OPENSIM["flexion"], OPENSIM["place"], strict=True)]
        assert np.abs(off).max() < 3e-4
        assert np.median(np.abs(off)) < 5e-5

    def test_gap_is_the_distance_of_the_drawn_outline(self):
        """The least height of the condyle's outline, as many points, above the plateau's line."""
        shapes = knee.contact()
        outline, (behind, front) = condyle(shapes, 20001), plateau(shapes)
        along = (front - behind) / np.linalg.norm(front - behind)
        upwards = np.array([-along[1], along[0]])
        for flexion in np.linspace(0.0, knee.BENT, 9):
            for place in (pose(flexion)[:2, 3], knee.table(0.0)):
                turned = mm.rotation((0, 0, 1), flexion)[:2, :2]
                seen = (outline - place) @ turned.T
                assert shapes.gap(flexion, place) == pytest.approx(((seen - behind) @ upwards).min(), abs=1e-7)

    def test_the_arcs_meet_without_a_corner(self):
        shapes = knee.contact()
        assert np.linalg.norm(shapes.front - shapes.behind) == pytest.approx(knee.FRONT - knee.BEHIND, abs=1e-12)

    def test_gaps_of_both_knees(self):
        shapes = knee.contact()
        flexion = np.linspace(0.0, knee.BENT, 25)
        spline = [shapes.gap(f, pose(f)[:2, 3]) for f in flexion]
        hinge = [shapes.gap(f, knee.table(0.0)) for f in flexion]
        assert np.abs(spline).max() < 4e-4
        assert hinge[-1] > 8e-3


class TestLeg:
    def test_extends_and_flexes_while_the_ankle_is_held(self):
        run = mm.simulate(mm.scenes.load("spline-knee"))
        assert run.ended == "completed"
        flexion = np.rad2deg(knee_turn("spline") * run.q[:, 0])
        assert flexion.min() < 20 and flexion.max() > 90
        assert run.t[flexion.argmin()] < run.t[flexion.argmax()]
        assert np.abs(np.rad2deg(run.q[run.t > 0.3, 1])).max() < 4

    def test_without_the_controller_the_foot_drops(self):
        scene = mm.scenes.load("spline-knee")
        scene.spec.reflexes.clear()
        excitation = scene.excitation | {"soleus": 0.0, "tibialis anterior": 0.0}
        run = mm.simulate(scene.spec.compile(), q=scene.q, excitation=excitation, activation=0.02, duration=0.3)
        assert np.rad2deg(run.q[-1, 1]) < -10

    @pytest.mark.parametrize("share", [0.0, 0.6])
    def test_mass_goes_from_the_shank_to_its_muscles(self, share):
        scene = mm.scenes.load("spline-knee", share=share)
        masses = {name: muscle.mass for name, muscle in scene.spec.muscles.items()}
        shank = scene.spec.bodies["shank"].inertia.mass
        own = sum(mass for name, mass in masses.items() if PARTS[name].points[-1][0] == "calcaneus")
        assert own == pytest.approx(share * 3.7075) and shank + own == pytest.approx(3.7075)

    def test_hinge_and_spline_start_in_the_same_way(self):
        """The same moments of inertia where both knees turn the same way: about their axes, within a few percent."""
        models = {kind: mm.scenes.load("spline-knee", knee=kind) for kind in ("spline", "revolute")}
        moments = [mm.mass_matrix(scene.model, scene.q)[0, 0] / knee_turn(kind) ** 2 for kind, scene in models.items()]
        assert moments[0] == pytest.approx(moments[1], rel=0.1)

    @pytest.mark.parametrize(
        ("parameters", "sentence"),
        [({"knee": "ball"}, 'knee is "spline" or "revolute"'), ({"share": 1.0}, "share, of the shank's mass")],
    )
    def test_bad_parameters(self, parameters, sentence):
        with pytest.raises(ValueError, match=sentence):
            mm.scenes.load("spline-knee", **parameters)
