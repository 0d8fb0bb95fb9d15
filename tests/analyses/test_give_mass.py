"""Mass that goes from segments into muscles, and back."""

import re

import numpy as np
import pytest
from opensim_reference import reference

import myomass as mm
from myomass.analyses import give_mass, take_mass
from myomass.analyses.give_mass import RIGID
from myomass.human import human_figure

POSE = {"hip": 0.3, "knee": -0.7, "ankle": 0.2}
KEEPS = ("inertia", "centre", "mass")


def leg(wrapped=True):
    """Thigh, shank and foot with four muscles, one over a cylinder, one past two joints; axes that are nobody's."""
    spec = mm.Spec("leg", gravity=(0.0, -9.81, 0.0))
    sizes = {"thigh": (0.43, 8.0), "shank": (0.41, 3.6), "foot": (0.2, 1.1)}
    parent, hung = None, np.eye(4)
    for name, (length, mass) in sizes.items():
        joint = {"thigh": "hip", "shank": "knee", "foot": "ankle"}[name]
        inertia = mm.Inertia.cuboid((0.12, length, 0.11), mass=mass)
        turned = mm.translation(0.01, -0.5 * length, 0.0) @ mm.rotation((1, 2, 3), 0.4)
        spec.add_body(name, parent, mm.Revolute(), hung, turned, inertia, coordinates=[joint])
        parent, hung = name, mm.translation(0.0, -length, 0.0)
    place = {n: lambda *x, n=n: (n, tuple((np.linalg.inv(spec.bodies[n].E_jb) @ (*x, 1.0))[:3])) for n in sizes}
    hill = {"max_velocity": 10.0}
    calf = [place["thigh"](-0.02, -0.40, 0.02), place["shank"](-0.03, -0.05, 0.0), place["foot"](-0.04, -0.03, 0.0)]
    spec.add_muscle("calf", 0.0, calf, actuator=mm.Hill(2500.0, 0.06, 0.36, **hill))
    sole = [place["shank"](-0.03, -0.02, 0.0), place["foot"](-0.04, -0.03, 0.0)]
    spec.add_muscle("sole", 0.0, sole, actuator=mm.Hill(5000.0, 0.05, 0.26, 0.4, **hill))
    shin = [place["shank"](0.03, -0.06, 0.0), place["foot"](0.05, -0.02, 0.01)]
    pulley = mm.wrap.Cylinder("shank", mm.translation(0.02, -0.1, 0.0), side=(0.1, 0.0, 0.0), radius=0.02)
    spec.add_muscle("shin", 0.0, shin, [pulley if wrapped else None], actuator=mm.Hill(2000.0, 0.1, 0.2, **hill))
    ham = [(None, (-0.05, 0.03, 0.0)), place["shank"](-0.03, -0.06, 0.0)]
    spec.add_muscle("ham", 0.0, ham, actuator=mm.Hill(2700.0, 0.12, 0.2, **hill))
    spec.add_force(mm.BodyDamping("shank", 0.5, 0.1))
    spec.add_marker("on the shank", "shank", (0.01, 0.02, 0.03))
    return spec


def composite(before, after, segment, muscles, pose):
    """(mass, centre, inertia about it) of what is left of a segment with muscles at a pose, in the segment's frame."""
    model = after.compile()
    q = model.q(**pose)
    into = np.linalg.inv(mm.forward_kinematics(model, q)[model.body(segment)])
    bodies = [(after.bodies[segment + RIGID].inertia, np.eye(4))]
    assert after.bodies[segment].inertia is None
    for name, x in zip(model.muscles.names, mm.muscle_points(model, q), strict=True):
        if name in muscles:
            x = x @ into[:3, :3].T + into[:3, 3]
            bodies += [(mm.Inertia.point(after.muscles[name].mass / len(x)), mm.translation(*one)) for one in x]
    whole = mm.Inertia.composite(bodies)
    R = whole.frame[:3, :3]
    return whole.mass, whole.frame[:3, 3], R * whole.moments @ R.T


def total_mass(spec):
    bodies = sum(body.inertia.mass for body in spec.bodies.values() if body.inertia is not None)
    return bodies + sum(muscle.mass for muscle in spec.muscles.values())


@pytest.mark.fast
@pytest.mark.parametrize("tendon", ["stretches", "inextensible"])
@pytest.mark.parametrize("keep", KEEPS)
def test_a_segment_with_its_muscles_is_what_it_was(keep, tendon):
    before, share = leg(wrapped=False), 0.3
    after = give_mass(before, share, of=["shank"], pose=POSE, keep=keep, tendon=tendon, mass_points=12)
    given, whole = after.given, before.bodies["shank"].inertia
    assert given.masses.keys() == {"calf", "sole", "shin"}
    assert sum(given.masses.values()) == pytest.approx(share * whole.mass, rel=1e-14)
    assert total_mass(after) == pytest.approx(total_mass(before), rel=1e-14)
    mass, centre, inertia = composite(before, after, "shank", given.masses, POSE)
    assert mass == pytest.approx(whole.mass, rel=1e-12)
    far, turned = np.abs(centre).max(), np.abs(inertia - np.diag(whole.moments)).max()
    assert (far < 1e-12) == (keep != "mass")
    assert (turned < 1e-12 * max(whole.moments)) == (keep == "inertia")


def test_masses_go_with_volumes_or_a_table():
    spec = leg()
    found = give_mass(spec, 0.2, of=["shank"], pose=POSE).given.masses
    volumes = {name: spec.muscles[name].actuator for name in found}
    volumes = {name: hill.optimal_force * hill.optimal_fibre_length for name, hill in volumes.items()}
    for name in found:
        assert found[name] / found["calf"] == pytest.approx(volumes[name] / volumes["calf"])
    table = {"sole": 275.8, "shin": 80.1}
    found = give_mass(spec, 0.2, of=["shank"], pose=POSE, masses=table).given.masses
    assert found.keys() == table.keys() and found["sole"] / found["shin"] == pytest.approx(275.8 / 80.1)
    absolute = {"sole": 0.3, "shin": 0.1}
    assert give_mass(spec, None, of=["shank"], pose=POSE, masses=absolute).given.masses == absolute
    by_volume = give_mass(spec, None, of=["shank"], pose=POSE, density=1000.0, specific_tension=1e6).given.masses
    assert by_volume["sole"] == pytest.approx(1000.0 * 5000.0 * 0.05 / 1e6)


def test_the_belly_is_what_the_tendons_leave():
    spec = leg(wrapped=False)
    model = spec.compile()
    lengths = dict(zip(model.muscles.names, mm.muscle_lengths(model, model.q(**POSE)), strict=True))
    for tendon in ("stretches", "inextensible"):
        after = give_mass(spec, 0.1, of=["shank"], pose=POSE, tendon=tendon)
        for name in after.given.masses:
            belly, hill = after.muscles[name].distribution, spec.muscles[name].actuator
            tendons = lengths[name] * (1.0 - belly.end + belly.start)
            long = max(
                lengths[name] - hill.tendon_slack_length, 0.5 * hill.optimal_fibre_length * np.cos(hill.pennation)
            )
            assert lengths[name] - tendons == pytest.approx(long, rel=1e-12)
            assert belly.start == pytest.approx(1.0 - belly.end)
            assert (belly.length == lengths[name]) == (tendon == "inextensible")
    after = give_mass(spec, 0.1, of=["shank"], pose=POSE, belly={"calf": (0.1, 0.4)})
    where = {
        name: (after.muscles[name].distribution.start, after.muscles[name].distribution.end)
        for name in after.given.masses
    }
    assert where["calf"] == (0.1, 0.4) and sum(where["sole"]) == pytest.approx(1.0)
    bare = leg(wrapped=False)
    for muscle in bare.muscles.values():
        muscle.actuator = None
    after = give_mass(bare, 0.1, of=["shank"], pose=POSE, masses={"sole": 1.0})
    assert (after.muscles["sole"].distribution.start, after.muscles["sole"].distribution.end) == (0.0, 1.0)


def test_a_belly_may_lie_on_two_segments():
    """Both give mass to it, each its share; relative masses hold among muscles that lie on one segment alone."""
    before = leg()
    before.add_muscle("long", 0.0, [("thigh", (0.06, 0.0, 0.0)), ("shank", (0.06, 0.0, 0.0))])
    table = {"long": 1.0, "sole": 2.0, "shin": 1.0, "ham": 3.0}
    after = give_mass(before, 0.2, masses=table, belly=(0.2, 0.8), keep="centre")
    given = after.given
    assert given.lying["long"].keys() == {"thigh", "shank"} and sum(given.lying["long"].values()) == 1.0
    assert given.lying["ham"] == {"thigh": 1.0} and given.lying["sole"] == {"shank": 1.0}
    for name, mass in {"thigh": 8.0, "shank": 3.6}.items():
        assert given.taken[name] == pytest.approx(0.2 * mass, rel=1e-12)
        whole = sum(given.lying[m].get(name, 0.0) * given.masses[m] for m in table)
        assert whole == pytest.approx(given.taken[name], rel=1e-12)
    assert given.masses["sole"] / given.masses["shin"] == pytest.approx(2.0)
    assert total_mass(after) == pytest.approx(total_mass(before), rel=1e-14)


def test_whole_motions_have_the_mass_they_had():
    """At the pose, a turn of the hip moves shank, foot and their muscles as one; so the knee, less the calf."""
    before = leg()
    after = give_mass(before, 0.25, of=["shank"], pose=POSE, masses={"sole": 2.0, "shin": 1.0})
    one, other = before.compile(), after.compile()
    q = one.q(**POSE)
    M, again = mm.mass_matrix(one, q), mm.mass_matrix(other, q)
    assert np.allclose(again[:2, :2], M[:2, :2], rtol=1e-12, atol=0)
    assert abs(again[2, 2] / M[2, 2] - 1.0) > 1e-2  # the ankle moves muscles, and did not move the shank
    moved = mm.mass_matrix(other, q + (0.0, 0.0, 0.5))
    assert abs(moved[0, 0] - mm.mass_matrix(one, q + (0.0, 0.0, 0.5))[0, 0]) > 1e-6


def test_no_share_is_no_change(rng=np.random.default_rng(3)):  # noqa: B008
    before = leg()
    after = give_mass(before, 0.0)
    assert list(after.bodies) == list(before.bodies)
    q, qdot, qddot = rng.normal(size=(3, 3)) * 0.5
    expected = mm.inverse_dynamics(before.compile(), q, qdot, qddot)
    assert np.allclose(mm.inverse_dynamics(after.compile(), q, qdot, qddot), expected, rtol=0, atol=1e-10)


def test_what_is_fixed_to_a_segment_stays_in_its_place(rng=np.random.default_rng(4)):  # noqa: B008
    """Frames, markers, dampers: the force on the segment's centre is what it was."""
    before = leg()
    after = give_mass(before, 0.25, of=["shank"], pose=POSE)
    one, other = before.compile(), after.compile()
    q, qdot = rng.normal(size=(2, 3))
    same = [one.body(name) for name in before.bodies]
    assert np.array_equal(same, [other.body(name) for name in before.bodies])
    assert np.allclose(mm.forward_kinematics(other, q)[:3], mm.forward_kinematics(one, q), atol=1e-14, rtol=1e-12)
    assert np.allclose(mm.applied_forces(other, q, qdot), mm.applied_forces(one, q, qdot), atol=1e-13, rtol=1e-12)
    for a, b in zip(
        mm.model.shape.body_shapes(before.bodies["shank"].inertia, None, None), other.shapes[1], strict=True
    ):
        assert a.kind == b.kind and np.allclose(a.frame, b.frame, rtol=1e-12) and a.size == b.size


@pytest.mark.fast
def test_and_back():
    before = leg(wrapped=False)
    after = give_mass(before, 0.3, of=["shank", "thigh"], pose=POSE, keep="centre")
    again = take_mass(after)
    assert list(again.bodies) == list(before.bodies) and again.given is None
    for name, body in before.bodies.items():
        assert again.bodies[name].inertia == body.inertia
        assert np.array_equal(again.bodies[name].E_jb, body.E_jb)
    assert {n: m.mass for n, m in again.muscles.items()} == {n: m.mass for n, m in before.muscles.items()}
    q = [0.1, 0.2, 0.3]
    assert np.array_equal(mm.mass_matrix(again.compile(), q), mm.mass_matrix(before.compile(), q))
    assert [b.inertia.mass for b in before.bodies.values()] == [8.0, 3.6, 1.1]  # the given spec is as it was


def test_the_largest_share_is_a_border():
    spec = leg()
    with pytest.raises(ValueError, match="the largest share that works is") as told:
        give_mass(spec, 0.95, of=["shank"], pose=POSE)
    assert "'shank'" in str(told.value)
    largest = float(re.search(r"works is (0\.\d+)", str(told.value)).group(1))
    give_mass(spec, largest * 0.999, of=["shank"], pose=POSE)
    with pytest.raises(ValueError, match="no rigid body"):
        give_mass(spec, largest * 1.001, of=["shank"], pose=POSE)


def test_on_the_human_figure():
    figure = human_figure()
    ankle = figure.bodies["foot_r"].inertia.frame[:3, 3]
    for k, x in enumerate((-0.05, 0.04)):
        ends = [("shank_r", (x, 0.0, 0.15)), ("foot_r", tuple(ankle + (2.0 * x, 0.0, 0.02)))]
        figure.add_muscle(f"muscle {k}", 0.0, ends)
    table = {"muscle 0": 3.0, "muscle 1": 1.0}
    after = give_mass(figure, 0.2, of=["shank_r"], masses=table, belly=(0.1, 0.6))
    assert type(after) is type(figure) and after.points == figure.points
    mass, centre, inertia = composite(figure, after, "shank_r", table, {})
    whole = figure.bodies["shank_r"].inertia
    assert mass == pytest.approx(whole.mass, rel=1e-12) and np.abs(centre).max() < 1e-12
    assert np.allclose(inertia, np.diag(whole.moments), atol=1e-12, rtol=1e-12)
    assert take_mass(after).bodies["shank_r"].inertia == whole


def test_a_gait_model_of_opensim(rng=np.random.default_rng(5)):  # noqa: B008
    before = mm.io.read_osim(reference("gait10dof18musc/subject01.osim"))
    pose = {"knee_angle_r": -0.3}
    after = give_mass(before, 0.3, of=["tibia_r", "tibia_l"], pose=pose)
    assert after.given.lying["soleus_r"] == {"tibia_r": 1.0}
    assert after.given.masses.keys() == {f"{n}_{s}" for n in ("gastroc", "soleus", "tib_ant") for s in "rl"}
    mine = [name for name in after.given.masses if name.endswith("_r")]
    mass, centre, inertia = composite(before, after, "tibia_r", mine, pose)
    whole = before.bodies["tibia_r"].inertia
    assert mass == pytest.approx(whole.mass, rel=1e-12) and np.abs(centre).max() < 1e-12
    assert np.allclose(inertia, np.diag(whole.moments), atol=1e-12, rtol=1e-12)
    one, other = before.compile(), after.compile()
    q = one.q(**pose)
    root = [one.coordinate(name) for name in ("pelvis_tilt", "pelvis_tx", "pelvis_ty", "hip_flexion_r")]
    grid = np.ix_(root, root)
    assert np.allclose(mm.mass_matrix(other, q)[grid], mm.mass_matrix(one, q)[grid], rtol=0, atol=1e-10)
    qdot, qddot = rng.normal(size=(2, 10))
    none = give_mass(before, 0.0, of=["tibia_r"]).compile()
    expected = mm.inverse_dynamics(one, q, qdot, qddot)
    assert np.allclose(mm.inverse_dynamics(none, q, qdot, qddot), expected, rtol=0, atol=1e-10)
    everywhere = give_mass(before, 0.8, keep="centre")
    for name, mass in everywhere.given.masses.items():
        assert mass == pytest.approx(everywhere.given.masses[name[:-1] + "l"], rel=1e-12)
    assert everywhere.given.taken["femur_l"] == pytest.approx(0.8 * before.bodies["femur_l"].inertia.mass)
    assert total_mass(everywhere) == pytest.approx(total_mass(before), rel=1e-13)


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"share": 1.0}, ValueError, "from 0 to less than 1, not 1"),
        ({"share": -0.1}, ValueError, "from 0 to less than 1"),
        ({"share": np.nan}, ValueError, "the share must be a finite number"),
        ({"share": 80}, ValueError, "from 0 to less than 1, not 80"),
        ({"of": "shank"}, TypeError, r"a list of bodies, such as \['shank'\]"),
        ({"of": ["shin"]}, KeyError, "no body 'shin'; known: thigh"),
        ({"masses": {"calves": 1.0}}, KeyError, "no muscle 'calves'; known: calf"),
        ({"masses": [1.0]}, TypeError, "masses are by muscle"),
        ({"mass_points": 0}, ValueError, "mass_points must be a whole number"),
        ({"masses": {}}, ValueError, "masses names no muscle"),
        ({"masses": {"calf": 0.0}}, ValueError, "the mass of 'calf'"),
        ({"masses": {"calf": 9.0}, "share": None}, ValueError, "weigh 9 kg, and it has 3.6 kg in all; ask for a share"),
        ({"masses": {"ham": 1.0}, "of": ["foot"]}, ValueError, "'ham' does not pass any of the segments foot"),
        ({"of": ["thigh", "foot"], "masses": {"ham": 1.0}}, ValueError, "no muscle lies on the segment 'foot'"),
        ({"keep": "all"}, ValueError, 'keep is "inertia", "centre" or "mass"'),
        ({"belly": {"calves": (0.2, 0.4)}}, KeyError, "belly names 'calves', which is no muscle; known: calf"),
        ({"belly": (0.6, 0.4)}, ValueError, "a belly lies between two fractions"),
        ({"tendon": "stiff"}, ValueError, 'tendon "stretches" or is "inextensible"'),
        ({"density": -1.0}, ValueError, "the density"),
        ({"pose": {"wrist": 1.0}}, KeyError, "wrist"),
        ({"pose": [0.0, 0.0]}, ValueError, "q"),
    ],
)
@pytest.mark.fast
def test_bad_input_gets_a_sentence(given, error, sentence):
    with pytest.raises(error, match=sentence):
        give_mass(leg(wrapped=False), **{"share": 0.1, "of": ["shank"]} | given)


@pytest.mark.fast
def test_mass_is_not_given_twice_nor_taken_from_nowhere():
    spec = leg(wrapped=False)
    with pytest.raises(ValueError, match="has no mass that give_mass put"):
        take_mass(spec)
    after = give_mass(spec, 0.1, of=["shank"])
    with pytest.raises(ValueError, match="have been given mass already"):
        give_mass(after)
    del after.bodies["shank" + RIGID]
    with pytest.raises(ValueError, match="'shank_rigid', which give_mass made, is not there"):
        take_mass(after)
    for muscle in spec.muscles.values():
        muscle.mass = 0.1
    with pytest.raises(ValueError, match="all muscles of spec 'leg' have mass already"):
        give_mass(spec)
    with pytest.raises(ValueError, match=r"'calf' has 0\.1 kg already"):
        give_mass(spec, masses={"calf": 1.0})
    for muscle in spec.muscles.values():
        muscle.actuator = None
    with pytest.raises(ValueError, match=r"no muscle has an mm\.Hill"):
        give_mass(spec)
    with pytest.raises(TypeError, match="give a Spec"):
        give_mass(spec.compile())
