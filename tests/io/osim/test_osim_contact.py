"""Contact of .osim files against OpenSim 4.6, in new and old formats: spheres, half-spaces, materials, friction."""

import numpy as np
import pytest
from opensim_texts import (
    COORDINATES,
    FORMATS,
    accelerations,
    in_opensim,
    osim,
    read,
    socket,
)

import myomass as mm
from myomass.forces import HuntCrossley, SmoothHuntCrossley

pytestmark = pytest.mark.fast
SOFT = "<stiffness>5e5</stiffness><dissipation>0.5</dissipation><static_friction>0.8</static_friction>"
SOFT += "<dynamic_friction>0.6</dynamic_friction><viscous_friction>0.4</viscous_friction>"
FIRM = "<stiffness>4e6</stiffness><dissipation>0.1</dissipation><static_friction>0.9</static_friction>"
FIRM += "<dynamic_friction>0.4</dynamic_friction><viscous_friction>0.1</viscous_friction>"


def geometry(version, kind, name, body, place, angles="0 0 0", radius=None):
    named = f"<body_name>{body}</body_name>" if version < 40000 else socket(version, "frame", body)
    size = "" if radius is None else f"<radius>{radius}</radius>"
    return (
        f'<{kind} name="{name}">{named}<location>{place}</location><orientation>{angles}</orientation>{size}</{kind}>'
    )


def shapes(version):
    """A floor, two balls on one body and one on another."""
    return (
        geometry(version, "ContactHalfSpace", "floor", "ground", "0 -0.5 0", "0.1 0.2 -1.4")
        + geometry(version, "ContactSphere", "heel", "hand", "0.1 -0.2 0.1", radius=0.3)
        + geometry(version, "ContactSphere", "toe", "hand", "-0.2 0.1 -0.1", "0.3 0 0", radius=0.25)
        + geometry(version, "ContactSphere", "ball", "other", "0 0.1 0", radius=0.4)
    )


def parameters(material, *names):
    inner = f"<geometry>{' '.join(names)}</geometry>{material}"
    return f"<HuntCrossleyForce::ContactParameters>{inner}</HuntCrossleyForce::ContactParameters>"


def switch(version, acts=True):
    return f"<isDisabled>{str(not acts).lower()}</isDisabled>" if version < 40000 else (
        f"<appliesForce>{str(acts).lower()}</appliesForce>"
    )  # fmt: skip


def hunt_crossley(version, sets=None, acts=True):
    sets = sets or parameters(SOFT, "heel", "toe") + parameters(FIRM, "floor", "ball")
    return (
        f'<HuntCrossleyForce name="contact">{switch(version, acts)}<HuntCrossleyForce::ContactParametersSet '
        f'name="contact_parameters"><objects>{sets}</objects></HuntCrossleyForce::ContactParametersSet>'
        "<transition_velocity>0.15</transition_velocity></HuntCrossleyForce>"
    )


def smooth(acts=True, inner="", ends=("heel", "floor")):
    return (
        f'<SmoothSphereHalfSpaceForce name="smooth">{switch(40000, acts)}'
        f"<socket_sphere>/contactgeometryset/{ends[0]}</socket_sphere>"
        f"<socket_half_space>/contactgeometryset/{ends[1]}</socket_half_space>{SOFT}{inner}"
        "</SmoothSphereHalfSpaceForce>"
    )


def depth(model, E, contact):
    """How far a sphere is inside of what it can touch. [m]"""
    centre = (E[model.body(contact.sphere[0])] @ [*contact.sphere[1], 1.0])[:3]
    body, place = contact.other
    if contact.other_radius is None:
        assert body is None
        return contact.radius - place[:3, 2] @ (centre - place[:3, 3])
    other = (E[model.body(body)] @ [*place, 1.0])[:3]
    return contact.radius + contact.other_radius - np.linalg.norm(centre - other)


def check(tmp_path, version, force):
    """Accelerations at random states: some pairs in contact, some not, fast and slow."""
    opensim = pytest.importorskip("opensim")
    text = osim(version, ContactGeometrySet=shapes(version), ForceSet=force)
    spec = read(tmp_path, text)
    assert spec.report == []
    model = spec.compile()
    theirs, state = in_opensim(opensim, tmp_path, text)
    rng, depths = np.random.default_rng(0), []
    for trial in range(40):
        q = rng.uniform(-0.6, 0.6, len(COORDINATES))
        qdot = rng.normal(size=len(COORDINATES)) * (1.0, 0.02)[trial % 2]
        expected = accelerations(theirs, state, COORDINATES, q, qdot)
        found = mm.forward_dynamics(model, q, qdot)
        largest = max(1.0, np.abs(expected).max())
        tolerance = 1e-9 if version >= 40000 else 1e-5  # OpenSim rounds what it converts
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * largest)
        E = mm.forward_kinematics(model, q)
        depths.append([depth(model, E, contact) for contact in spec.forces.values()])
    assert (np.max(depths, axis=0) > 0.02).all() and (np.min(depths, axis=0) < -0.02).all()
    return spec


@pytest.mark.parametrize("version", FORMATS)
def test_hunt_crossley_against_opensim(tmp_path, version):
    """Every geometry meets every other one on another body, those that share a material too; none is torn off."""
    soft, firm = (material.replace("<dissipation>0.", "<dissipation>0.0") for material in (SOFT, FIRM))
    sets = parameters(soft, "heel", "toe") + parameters(firm, "floor", "ball")
    spec = check(tmp_path, version, hunt_crossley(version, sets))
    assert list(spec.forces) == [
        f"contact: {pair}" for pair in ("heel on floor", "heel on ball", "toe on floor", "toe on ball", "ball on floor")
    ]
    assert all(isinstance(force, HuntCrossley) for force in spec.forces.values())


def test_a_contact_that_is_torn_off_leaves_the_others_alone(tmp_path):
    """In OpenSim 4.6 it ends those of the same force that come after it; ours are as OpenSim's without it."""
    opensim = pytest.importorskip("opensim")
    q, qdot = np.zeros(len(COORDINATES)), np.zeros(len(COORDINATES))
    for name, value in {"free_4": -0.5, "other_4": -0.3}.items():
        q[COORDINATES.index(name)] = value
    qdot[COORDINATES.index("other_4")] = 3.0  # the ball leaves faster than it can be pushed
    found = {}
    for names in (("ball", "heel", "floor"), ("heel", "floor")):
        text = osim(ContactGeometrySet=shapes(40000), ForceSet=hunt_crossley(40000, parameters(SOFT, *names)))
        theirs, state = in_opensim(opensim, tmp_path, text)
        udot = accelerations(theirs, state, COORDINATES, q, qdot)
        found[len(names)] = mm.forward_dynamics(read(tmp_path, text).compile(), q, qdot), udot
    largest = np.abs(found[2][1]).max()
    np.testing.assert_allclose(found[2][0], found[2][1], rtol=0, atol=1e-9 * largest)
    np.testing.assert_allclose(found[3][0], found[2][1], rtol=0, atol=1e-9 * largest)
    assert np.abs(found[3][1] - found[2][1]).max() > 0.5 * largest


def test_smooth_against_opensim(tmp_path):
    more = "<constant_contact_force>1e-4</constant_contact_force><hertz_smoothing>200</hertz_smoothing>"
    more += "<hunt_crossley_smoothing>30</hunt_crossley_smoothing><transition_velocity>0.2</transition_velocity>"
    spec = check(tmp_path, 40000, smooth(inner=more))
    assert isinstance(spec.forces["smooth"], SmoothHuntCrossley)
    assert spec.forces["smooth"].hertz_smoothing == 200.0


def test_defaults_of_smooth_contact(tmp_path):
    check(tmp_path, 40000, smooth())


def test_no_losses_and_no_friction(tmp_path):
    bare_material = "<stiffness>5e5</stiffness>"
    check(tmp_path, 40000, hunt_crossley(40000, parameters(bare_material, "heel", "floor")))
    check(tmp_path, 40000, smooth().replace(SOFT, bare_material))


def test_friction_of_one_side_alone_is_none(tmp_path):
    """The harmonic mean of a coefficient and nothing is nothing."""
    one = SOFT.replace("0.8", "0").replace("0.6", "0").replace("0.4", "0")
    check(tmp_path, 40000, hunt_crossley(40000, parameters(one, "heel") + parameters(FIRM, "floor")))


def test_forces_that_are_left_out(tmp_path):
    texts = {
        "it is switched off; left out": hunt_crossley(40000, acts=False),
        "none of its geometries can touch": hunt_crossley(40000, parameters(SOFT, "heel", "toe")),
        "elastic foundation is not read": '<ElasticFoundationForce name="e"/>',
        "it names no <geometry>": hunt_crossley(40000, parameters(SOFT)),
    }
    for told, force in texts.items():
        spec = read(tmp_path, osim(ContactGeometrySet=shapes(40000), ForceSet=force))
        assert not spec.forces
        assert any(told in one for one in spec.report), spec.report


def test_meshes_do_not_touch(tmp_path):
    mesh = f'<ContactMesh name="shoe"><filename>shoe.obj</filename>{socket(40000, "frame", "hand")}</ContactMesh>'
    force = hunt_crossley(40000, parameters(SOFT, "heel", "shoe", "floor"))
    spec = read(tmp_path, osim(ContactGeometrySet=shapes(40000) + mesh, ForceSet=force))
    assert list(spec.forces) == ["contact: heel on floor"]
    (told,) = spec.report
    assert "ContactMesh 'shoe'" in told and "only spheres and half-spaces touch" in told


def test_without_forces_nothing_touches(tmp_path):
    spec = read(tmp_path, osim(ContactGeometrySet=shapes(40000), ForceSet=hunt_crossley(40000)), forces=False)
    assert not spec.forces and not spec.report


@pytest.mark.parametrize(
    ("force", "told"),
    [
        (hunt_crossley(40000, parameters(SOFT, "heel", "flor")), "contact geometry 'flor'; the model has floor, heel"),
        (hunt_crossley(40000, parameters("", "heel", "floor")), "stiffness .Pa. must be finite and positive, and is 0"),
        (hunt_crossley(40000, parameters("<stiffness>x</stiffness>", "heel")), "<stiffness> holds numbers"),
        (
            hunt_crossley(40000, parameters(SOFT.replace("0.5<", "-0.5<"), "heel", "floor")),
            "dissipation must not be negative",
        ),
        (hunt_crossley(40000).replace("0.15", "0"), "transition_velocity .m/s. must be finite and positive"),
        (smooth(ends=("floor", "heel")), "<socket_sphere> of 'smooth' names a ContactSphere, and 'floor' is none"),
        (smooth(ends=("heel", "")), "contact geometry"),
        (smooth(inner="<hertz_smoothing>-1</hertz_smoothing>"), "hertz_smoothing must not be negative"),
        (smooth().replace("/contactgeometryset/heel", ""), "does not say its <socket_sphere>"),
    ],
)
def test_bad_contact(tmp_path, force, told):
    with pytest.raises(ValueError, match=rf"model.osim, line \d+: .*{told}"):
        read(tmp_path, osim(ContactGeometrySet=shapes(40000), ForceSet=force))


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        (geometry(40000, "ContactSphere", "heel", "hand", "0 0 0", radius=0), "the <radius> of the ContactSphere"),
        (geometry(40000, "ContactSphere", "heel", "hand", "0 0", radius=1), "<location> holds 3 numbers"),
        (geometry(40000, "ContactSphere", "heel", "foot", "0 0 0", radius=1), "names a frame '/bodyset/foot'"),
        ('<ContactSphere name="heel"><radius>1</radius></ContactSphere>', "does not say its <socket_frame>"),
    ],
)
def test_bad_geometry(tmp_path, shape, told):
    floor = geometry(40000, "ContactHalfSpace", "floor", "ground", "0 0 0")
    force = hunt_crossley(40000, parameters(SOFT, "heel", "floor"))
    with pytest.raises(ValueError, match=rf"model.osim, line \d+: .*{told}"):
        read(tmp_path, osim(ContactGeometrySet=floor + shape, ForceSet=force))


def test_the_floor_is_below_the_back_of_its_x_axis(tmp_path):
    """OpenSim's half-space is solid where x is positive; ours where z is negative."""
    floor = geometry(40000, "ContactHalfSpace", "floor", "ground", "0 -1 0", f"0 0 {-np.pi / 2}")
    force = hunt_crossley(40000, parameters(SOFT, "floor", "ball"))
    shape = geometry(40000, "ContactSphere", "ball", "other", "0 0 0", radius=0.3)
    (contact,) = read(tmp_path, osim(ContactGeometrySet=floor + shape, ForceSet=force)).forces.values()
    np.testing.assert_allclose(contact.other[1][:3, 2], (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(contact.other[1][:3, 3], (0, -1, 0), atol=1e-15)
