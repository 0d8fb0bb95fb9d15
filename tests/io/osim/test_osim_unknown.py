"""Tags that no class of OpenSim knows, such as misspelt ones, and inertias that are missing: the report names them."""

import re

import pytest
from opensim_reference import FOLDER
from opensim_texts import FORMATS, in_opensim, osim, read

import myomass as mm
from myomass.io.osim.unknown import NAMES, is_known, known_tags

pytestmark = pytest.mark.fast
POINTS = "".join(
    f'<PathPoint name="p{k}"><socket_parent_frame>/bodyset/hand</socket_parent_frame><location>{k} 0 0</location>'
    "</PathPoint>\n"
    for k in range(2)
)
MUSCLE = (
    '\n<Thelen2003Muscle name="{name}">\n<GeometryPath><PathPointSet><objects>'
    f"{POINTS}</objects></PathPointSet></GeometryPath>\n<max_isometric_forc>500</max_isometric_forc></Thelen2003Muscle>"
)
HERE = "no class of OpenSim knows this tag, which stands in "


def test_a_misspelt_property_is_named_with_its_line(tmp_path):
    text = osim(ForceSet=MUSCLE.format(name="soleus"))
    line = next(k for k, row in enumerate(text.splitlines(), 1) if "max_isometric_forc>" in row)
    assert read(tmp_path, text).report == [
        f"line {line}, max_isometric_forc: {HERE}<Thelen2003Muscle> 'soleus'; it is not read; "
        "did you mean <max_isometric_force>?"
    ]
    assert not read(tmp_path, text.replace("_forc>", "_force>")).report


def test_many_alike_take_one_line(tmp_path):
    many = 20
    text = osim(ForceSet="".join(MUSCLE.format(name=f"m{k}") for k in range(many)))
    lines = [k for k, row in enumerate(text.splitlines(), 1) if "max_isometric_forc>" in row]
    assert len(lines) == many
    (told,) = read(tmp_path, text).report
    named = ", ".join(str(k) for k in lines[1:13])
    assert told.startswith(f"line {lines[0]}, max_isometric_forc: ")
    assert f"(again on lines {named} and {many - 13} more)" in told


@pytest.mark.parametrize("version", FORMATS)
def test_a_tag_that_is_like_no_other(tmp_path, version):
    text = osim(version).replace('<Body name="hand">', '<Body name="hand"><wobble><mas>1</mas></wobble>')
    (told,) = read(tmp_path, text).report
    assert told.endswith(f"wobble: {HERE}<Body> 'hand'; it is not read")


def test_what_the_report_names_anyway_is_not_told_twice(tmp_path):
    (told,) = read(tmp_path, osim(ForceSet='<MagicForce name="m"><wand>1</wand></MagicForce>')).report
    assert "this kind is not known; left out" in told


def test_files_of_forces_are_looked_through_too(tmp_path):
    path = tmp_path / "forces.xml"
    actuator = "<CoordinateActuator name='a'><coordinate>bend</coordinate><optimal_forc>9</optimal_forc>"
    path.write_text(
        f"<OpenSimDocument Version='40000'><ForceSet><objects>{actuator}</CoordinateActuator></objects></ForceSet>"
        "</OpenSimDocument>"
    )
    (told,) = read(tmp_path, osim(), force_sets=path).report
    assert told.startswith("line 1, optimal_forc: ") and told.endswith("did you mean <optimal_force>?")


@pytest.mark.parametrize(
    ("tag", "known"),
    [
        ("inertia", True),
        ("inerta", False),
        ("socket_parent_frame", True),
        ("socket_parent_frame_connectee_name", True),
        ("socket_parent_fram", False),
        ("body_1", True),
        ("rolling_body", True),
        ("inertia_xx", True),
        ("HuntCrossleyForce.ContactParameters", True),
        ("Connector_PhysicalFrame_", True),
        ("WrapTorus", True),
        ("# ", False),
    ],
)
def test_tags(tag, known):
    assert is_known(tag) is known


def test_all_that_opensim_registers_is_known():
    opensim = pytest.importorskip("opensim")
    listed = opensim.ArrayStr()
    opensim.OpenSimObject.getRegisteredTypenames(listed)
    names = set()
    for kind in (listed.get(k) for k in range(listed.getSize())):
        one = opensim.OpenSimObject.newInstanceOfType(kind)
        names |= {one.getPropertyByIndex(k).getName() for k in range(one.getNumProperties())}
        names.add(kind.replace("::", "."))
    assert len(names) > 900
    told = f"OpenSim {opensim.GetVersion()[:3]}"
    if told not in NAMES.read_text():
        pytest.skip(f"the names are not those of {told}")
    assert not names - known_tags()


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.osim")), ids=lambda path: path.name)
def test_no_model_of_the_references_gives_a_false_alarm(path):
    assert not [line for line in mm.io.read_osim(path).report if HERE in line]


@pytest.mark.parametrize(("version", "moment"), [(40000, 0.0), (30000, 1.0)])
def test_a_mass_without_an_inertia_is_told(tmp_path, version, moment):
    opensim = pytest.importorskip("opensim")
    text = osim(version)
    first = text.index("<inertia")
    cut = text[:first] + re.sub("<(inertia[_a-z]*)>[^<]*</\\1>", "", text[first : text.index("\n", first)])
    text = cut + text[text.index("\n", first) :]
    theirs, _ = in_opensim(opensim, tmp_path, text)
    assert [theirs.getBodySet().get("free").get_inertia().get(k) for k in range(3)] == [moment] * 3
    spec = read(tmp_path, text)
    (told,) = spec.report
    assert "Body 'free': it has a mass and no" in told
    assert spec.bodies["free"].inertia.moments == (moment,) * 3
