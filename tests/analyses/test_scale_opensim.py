"""Scaling against OpenSim's Model.scale, and setup files of its ScaleTool and InverseKinematicsTool against both."""

import numpy as np
import pytest
from opensim_reference import reference

import myomass as mm
from myomass.algorithms.kinematics import forward_kinematics, marker_places
from myomass.analyses import inverse_kinematics, place_markers, read_scaling, read_tasks, scale
from myomass.analyses.scale import _bodies
from myomass.analyses.scaled_parts import scaled_muscle
from myomass.muscles.geometry import muscle_lengths
from myomass.recordings import read_table


@pytest.fixture
def opensim():
    module = pytest.importorskip("opensim")
    module.Logger.setLevelString("Off")
    return module


def scaled_by_opensim(opensim, path, factors, mass, keep_shares, out):
    """The spec of a model that OpenSim scaled and wrote."""
    model = opensim.Model(str(path))
    state, scales = model.initSystem(), opensim.ScaleSet()
    for body, numbers in factors.items():
        one = opensim.Scale()
        one.setSegmentName(body)
        one.setScaleFactors(opensim.Vec3(*numbers.tolist()))
        one.setApply(True)
        scales.cloneAndAppend(one)
    model.scale(state, scales, keep_shares, -1.0 if mass is None else mass)
    model.initSystem()
    model.printToXML(str(out))
    return mm.io.read_osim(out)


def file_frames(spec, q):
    """Poses of the bodies' frames of the file. (bodies, 4, 4)"""
    model = spec.compile(massless=True)
    E = forward_kinematics(model, q)
    return np.array([E[model.body(name)] @ spec.frames[name].pose for name in spec.bodies])


def tensor(inertia):
    R = inertia.frame[:3, :3]
    return R * np.array(inertia.moments) @ R.T


def straight(spec):
    """The spec with paths that wrap nothing: OpenSim's lengths over surfaces are not those of geodesics."""
    for muscle in spec.muscles.values():
        muscle.wrap = None
    return spec


MODELS = ["gait10dof18musc/gait10dof18musc", "gait10dof18musc/subject01", "leg6dof9musc/leg6dof9musc"]


@pytest.mark.parametrize("path", [*MODELS, "arm26/arm26", "tug_of_war/Tug_of_War_Millard"])
@pytest.mark.parametrize(
    ("even", "mass", "keep_shares"), [(True, 71.5, True), (False, None, False), (False, 60.0, True)]
)
def test_model_scale(opensim, tmp_path, path, even, mass, keep_shares):
    rng = np.random.default_rng(len(path))
    file = reference(f"{path}.osim")
    spec = straight(mm.io.read_osim(file))
    factors = {name: np.ones(3) * rng.uniform(0.8, 1.3, () if even else 3) for name in spec.bodies}
    other = scaled_by_opensim(opensim, file, factors, mass, keep_shares, tmp_path / "scaled.osim")
    straight(other)
    made = scale(spec, factors, mass=mass, keep_shares=keep_shares, inertias="cylinder")
    q = spec.compile(massless=True).q()
    for x in (q, q + rng.normal(0.0, 0.3, len(q))):
        assert np.abs(file_frames(made.spec, x) - file_frames(other, x)).max() < 1e-12
        models = [one.compile(massless=True) for one in (made.spec, other)]
        places = [marker_places(model, x) for model in models]
        lengths = [muscle_lengths(model, x) for model in models]
        assert np.allclose(*places, rtol=0, atol=1e-12) and np.allclose(*lengths, rtol=0, atol=1e-12)
    for name, body in made.spec.bodies.items():
        own, theirs = body.inertia, other.bodies[name].inertia
        if own is not None:
            assert own.mass == pytest.approx(theirs.mass, rel=1e-12)
            assert np.allclose(own.frame[:3, 3], theirs.frame[:3, 3], rtol=0, atol=1e-12)
            assert np.allclose(tensor(own), tensor(theirs), rtol=0, atol=1e-12)
    for name, muscle in made.spec.muscles.items():
        if muscle.actuator is not None and "arm26" not in path:
            theirs = other.muscles[name].actuator
            assert muscle.actuator.optimal_fibre_length == pytest.approx(theirs.optimal_fibre_length, rel=1e-10)
            assert muscle.actuator.tendon_slack_length == pytest.approx(theirs.tendon_slack_length, rel=1e-10)


def test_wrapping_surfaces(opensim, tmp_path):
    file, rng = reference("arm26/arm26.osim"), np.random.default_rng(2)
    spec = mm.io.read_osim(file)
    factors = {name: rng.uniform(0.8, 1.3, 3) for name in spec.bodies}
    other = scaled_by_opensim(opensim, file, factors, None, True, tmp_path / "scaled.osim")
    masses = {name: body.inertia.mass for name, body in spec.bodies.items() if body.inertia is not None}
    _, stretches = _bodies(spec, factors, {**dict.fromkeys(spec.bodies, 0.0), **masses}, "cylinder", [])
    told, compared = [], 0
    for name, muscle in spec.muscles.items():
        pieces = [piece or [] for piece in scaled_muscle(muscle, stretches, told.append).wrap or []]
        theirs = [piece or [] for piece in other.muscles[name].wrap or []]
        for own, their in zip(
            [x for piece in pieces for x in piece], [x for piece in theirs for x in piece], strict=True
        ):
            assert type(own) is type(their) and np.allclose(own.E_bs, their.E_bs, rtol=0, atol=1e-14)
            for key in ("radius", "radii", "side"):
                assert (getattr(own, key, None) is None) == (getattr(their, key, None) is None)
                if getattr(own, key, None) is not None and key != "side":
                    assert np.allclose(getattr(own, key), getattr(their, key), rtol=1e-13)
            compared += 1
    assert compared > 8 and any("scaled unevenly" in line for line in told)


def trc_text(t, names, places):
    """A .trc file of places [m]."""
    head = ["PathFileType\t4\t(X/Y/Z)\tstatic.trc"]
    head += ["DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"]
    head += [f"100\t100\t{len(t)}\t{len(names)}\tm\t100\t1\t{len(t)}", "Frame#\tTime\t" + "\t\t\t".join(names)]
    head += ["\t\t" + "\t".join(f"X{i}\tY{i}\tZ{i}" for i in range(1, len(names) + 1)), ""]
    rows = [f"{i + 1}\t{x:.17g}\t" + "\t".join(f"{y:.17g}" for y in places[i].ravel()) for i, x in enumerate(t)]
    return "\n".join([*head, *rows, ""])


def task(kind, name, weight, more=""):
    return f'<{kind} name="{name}"><apply>true</apply><weight>{weight}</weight>{more}</{kind}>'


def measurement(name, pairs, bodies):
    pairs = "".join(f"<MarkerPair><markers> {a} {b}</markers></MarkerPair>" for a, b in pairs)
    bodies = "".join(f'<BodyScale name="{body}"><axes> {axes}</axes></BodyScale>' for body, axes in bodies.items())
    return (
        f'<Measurement name="{name}"><apply>true</apply><MarkerPairSet><objects>{pairs}</objects></MarkerPairSet>'
        f"<BodyScaleSet><objects>{bodies}</objects></BodyScaleSet></Measurement>"
    )


def setup_text(markers):
    """A setup of the ScaleTool, for the 39 markers of the gait model."""
    thigh = measurement(
        "thigh", [("R.ASIS", "R.Knee.Lat"), ("L.ASIS", "L.Knee.Lat")], {"femur_r": "X Y Z", "femur_l": "Y"}
    )
    shank = measurement("shank", [("R.Knee.Lat", "R.Ankle.Lat")], {"tibia_r": "X Y", "tibia_l": "X Y Z"})
    by_hand = {"torso": "1.1 1.2 0.9", "femur_l": "1.05 1.02 0.97"}
    scales = "".join(
        f"<Scale><scales>{x}</scales><segment>{n}</segment><apply>true</apply></Scale>" for n, x in by_hand.items()
    )
    tasks = "".join(task("IKMarkerTask", name, 1 + i % 3) for i, name in enumerate(markers))
    tasks += task("IKCoordinateTask", "knee_angle_r", 0.5, "<value_type>manual_value</value_type><value>0.1</value>")
    tasks += task("IKCoordinateTask", "lumbar_extension", 2, "<value_type>default_value</value_type><value>0.7</value>")
    return (
        '<?xml version="1.0"?><OpenSimDocument Version="40000"><ScaleTool name="someone"><mass>65.5</mass>'
        "<GenericModelMaker><model_file>generic.osim</model_file></GenericModelMaker>"
        "<ModelScaler><apply>true</apply><scaling_order> manualScale measurements</scaling_order>"
        f"<MeasurementSet><objects>{thigh}{shank}</objects></MeasurementSet>"
        f"<ScaleSet><objects>{scales}</objects></ScaleSet><marker_file>static.trc</marker_file>"
        "<time_range> 0.02 0.15</time_range><preserve_mass_distribution>true</preserve_mass_distribution>"
        "<output_model_file>scaled.osim</output_model_file></ModelScaler>"
        f"<MarkerPlacer><apply>true</apply><IKTaskSet><objects>{tasks}</objects></IKTaskSet>"
        "<marker_file>static.trc</marker_file><time_range> 0.05 0.12</time_range>"
        "<output_model_file>placed.osim</output_model_file><output_motion_file>static.mot</output_motion_file>"
        "<max_marker_movement>-1</max_marker_movement></MarkerPlacer></ScaleTool></OpenSimDocument>"
    )


class Trial:
    def __init__(self, t, names, places):
        self.t, self.names, self.places = t, names, places


def test_scale_tool(opensim, tmp_path, monkeypatch):
    file = reference("gait10dof18musc/subject01.osim")
    spec, rng = mm.io.read_osim(file), np.random.default_rng(1)
    person = scale(spec, {name: rng.uniform(0.9, 1.15, 3) for name in spec.bodies}).spec.compile(massless=True)
    q = person.q(knee_angle_r=-0.3, hip_flexion_l=0.2, pelvis_tilt=0.1)
    t, names = np.arange(20) / 100, tuple(person.markers)
    places = marker_places(person, q) + rng.normal(0.0, 0.003, (20, len(names), 3))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "generic.osim").write_text(file.read_text())
    (tmp_path / "static.trc").write_text(trc_text(t, names, places))
    (tmp_path / "setup.xml").write_text(setup_text(names))
    assert opensim.ScaleTool("setup.xml").run()
    setup, trial = read_scaling(tmp_path / "setup.xml"), Trial(t, names, places)
    made = setup.scaled(spec, trial)
    other = mm.io.read_osim(tmp_path / "scaled.osim")
    assert setup.model == tmp_path / "generic.osim" and setup.trial == setup.placing.trial == tmp_path / "static.trc"
    assert np.abs(file_frames(made.spec, q) - file_frames(other, q)).max() < 1e-12
    assert sum(made.masses.values()) == pytest.approx(65.5, rel=1e-12)
    for name, mass in made.masses.items():
        assert other.bodies[name].inertia.mass == pytest.approx(mass, rel=1e-12)
        assert np.allclose(
            tensor(made.spec.bodies[name].inertia), tensor(other.bodies[name].inertia), atol=1e-12, rtol=1e-12
        )
    placed, theirs = setup.placed(made.spec, trial), mm.io.read_osim(tmp_path / "placed.osim")
    apart = [np.subtract(placed.spec.markers[name].place, theirs.markers[name].place) for name in names]
    assert np.abs(apart).max() < 1e-4  # OpenSim's search stops 2e-5 m from its optimum here
    kept = place_markers(made.spec, trial, keep_pose=True)
    model = kept.spec.compile(massless=True)
    assert np.allclose(marker_places(model, model.q()), places.mean(axis=0), atol=1e-12, rtol=1e-12)


def test_inverse_kinematics_tool(opensim, tmp_path, monkeypatch):
    file = reference("gait10dof18musc/subject01.osim")
    model = mm.io.read_osim(file, forces=False).compile(massless=True)
    t, names = np.arange(20) / 100, tuple(model.markers)
    q = [model.q(knee_angle_r=-0.3 - x, hip_flexion_l=0.2 + x, pelvis_tilt=0.1) for x in t]
    places = np.array([marker_places(model, x) for x in q]) + np.random.default_rng(0).normal(0, 0.01, (20, 39, 3))
    tasks = "".join(task("IKMarkerTask", name, 1 + i % 3) for i, name in enumerate(names[:-6]))
    tasks += task("IKCoordinateTask", "knee_angle_r", 0.5, "<value_type>manual_value</value_type><value>0.1</value>")
    tasks += task("IKCoordinateTask", "lumbar_extension", 2, "<value_type>default_value</value_type><value>0.7</value>")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.osim").write_text(file.read_text())
    (tmp_path / "walk.trc").write_text(trc_text(t, names, places))
    (tmp_path / "ik.xml").write_text(
        '<?xml version="1.0"?><OpenSimDocument Version="40000"><InverseKinematicsTool name="x"><model_file>m.osim'
        f"</model_file><accuracy>1e-9</accuracy><IKTaskSet><objects>{tasks}</objects></IKTaskSet><marker_file>walk.trc"
        "</marker_file><time_range>0 0.19</time_range><report_errors>false</report_errors>"
        "<output_motion_file>out.mot</output_motion_file></InverseKinematicsTool></OpenSimDocument>"
    )
    assert opensim.InverseKinematicsTool("ik.xml").run()
    angles = [name for name, unit in zip(model.coordinates, model.coordinate_units, strict=True) if unit == "rad"]
    theirs, trial = read_table(tmp_path / "out.mot").in_radians(angles), Trial(t, names, places)
    found = inverse_kinematics(model, trial, **read_tasks(tmp_path / "ik.xml").options(model, trial))
    for k, name in enumerate(found.names):
        assert np.abs(found.q[:, k] - theirs[name]).max() < 1e-7
