"""XML is read safely, with the line of each element, and what is wrong with a file is said in one sentence."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from opensim_reference import reference

from myomass.recordings.xml import read_xml

pytestmark = pytest.mark.fast

MODEL = """<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="40000">
\t<Model name="leg">
\t\t<!-- a comment with a <tag::inside> -->
\t\t<gravity>0 -9.81\t0</gravity>
\t\t<clamped> TRUE </clamped>
\t\t<HuntCrossleyForce::ContactParameters name="a::b">
\t\t\t<note>x::y &lt;z&gt;</note>
\t\t</HuntCrossleyForce::ContactParameters>
\t\t<Body name="one"/><Body name="two">
\t\t\t<Body name="three"/></Body>
\t</Model>
</OpenSimDocument>
"""


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_elements_know_their_content_and_lines(tmp_path):
    root = read_xml(written(tmp_path / "leg.osim", MODEL))
    model = root.find("Model")
    assert (root.tag, root.attributes, root.line) == ("OpenSimDocument", {"Version": "40000"}, 2)
    assert (model.name, model.line, len(model)) == ("leg", 3, 5)
    np.testing.assert_array_equal(model.numbers("gravity", count=3), [0, -9.81, 0])
    assert model.flag("clamped", False) and model.flag("locked", True)
    assert model.text_of("nothing", "Unassigned") == "Unassigned" and model.text_of("nothing") is None
    np.testing.assert_array_equal(model.numbers("nothing", (0, 1)), [0, 1])
    assert model.numbers("nothing") is None and model.find("nothing") is None
    assert [body.name for body in model.find_all("Body")] == ["one", "two"]
    assert [body.name for body in root.descendants("Body")] == ["one", "two", "three"]
    assert [body.line for body in root.descendants("Body")] == [10, 10, 11]
    assert len(list(root.descendants())) == 8


def test_tags_with_colons_become_dots_and_text_stays(tmp_path):
    contact = next(read_xml(written(tmp_path / "leg.osim", MODEL)).descendants("HuntCrossleyForce.ContactParameters"))
    assert (contact.name, contact.line, contact.text_of("note")) == ("a::b", 7, "x::y <z>")


def test_the_same_elements_as_another_reader_finds():
    path = reference("gait10dof18musc/subject01.osim")
    ours, theirs = list(read_xml(path).descendants()), list(ElementTree.parse(path).getroot().iter())[1:]
    assert len(ours) == len(theirs) > 1000
    for a, b in zip(ours, theirs, strict=True):
        assert (a.tag, a.attributes, len(a)) == (b.tag, b.attrib, len(b))
        assert len(a) or a.text == (b.text or "").strip()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "line 1: the file is empty"),
        (" \n ", "line 1: the file is empty"),
        ("Coordinates\nversion=1\n", "line 1: the file is not XML"),
        (b"\x89PNG\r\n\x00\x01", "line 1: the file is not XML"),
        (MODEL[:200], "the file ends inside <Model> of line 3; it was cut off"),
        (MODEL[:230], "it was cut off"),
        (MODEL.replace("</note>", ""), "line 9: </note> should come here: <note> of line 8 is still open"),
        (MODEL.replace("x::y", "x & y"), "line 8: the file is not well-formed XML: .*; write &amp; for &"),
        (MODEL.replace("a comment", "a -- comment"), "line 4: .*, and no -- in a comment"),
        ("\n" + MODEL, "line 2: .*; remove what stands before <.xml"),
        (MODEL + "<more/>", "line 14: the file is not well-formed XML: junk after document element"),
        (MODEL.replace("x::y", "&unknown;"), "line 8: the file is not well-formed XML: undefined entity"),
        ('<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "file:///etc/passwd">\n<a/>', "line 2: .*not read for safety"),
        ('<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>\n<a>&c;</a>', "line 1: .*not read for safety"),
        ('<!DOCTYPE a [<!ENTITY % x SYSTEM "http://a.b/c"> %x;]><a/>', "line 1: .*not read for safety"),
        ('<?xml version="1.0" encoding="UTF-9"?><a/>', "line 1: .* not known: unknown encoding: UTF-9"),
        ("<a>\n" * 1200, "line 101: elements lie more than 100 deep"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence_with_its_line(tmp_path, content, told):
    path = written(tmp_path / "bad.osim", content)
    with pytest.raises(ValueError, match=told) as caught:
        read_xml(path)
    assert str(caught.value).startswith(f"{path}, line ") and "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_xml(tmp_path / "none.osim")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_xml(tmp_path)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda model: model.numbers("gravity", count=2), "line 5: <gravity> holds 2 numbers, and is '0 -9.81 0'"),
        (lambda model: model.numbers("clamped"), "line 6: <clamped> holds numbers, and is 'TRUE'"),
        (lambda model: model.flag("gravity", True), "line 5: <gravity> is true or false"),
    ],
)
def test_bad_content_is_told_with_its_line(tmp_path, ask, told):
    model = read_xml(written(tmp_path / "leg.osim", MODEL)).find("Model")
    with pytest.raises(ValueError, match=told):
        ask(model)


@pytest.mark.parametrize("text", ["0, -9.81, 0", "0,\n-9.81\t0", "0 -9.81 0"])
def test_commas_between_numbers(tmp_path, text):
    model = read_xml(written(tmp_path / "leg.osim", MODEL.replace("0 -9.81\t0", text))).find("Model")
    np.testing.assert_array_equal(model.numbers("gravity", count=3), [0, -9.81, 0])


@pytest.mark.parametrize("text", ["0 -9,81 0", "0,-9.81,0", "0 -9_81 0", "(0 -9.81 0)", "0 -9.81 0 m/s^2"])
def test_what_may_be_meant_otherwise_is_no_number(tmp_path, text):
    model = read_xml(written(tmp_path / "leg.osim", MODEL.replace("0 -9.81\t0", text))).find("Model")
    with pytest.raises(ValueError, match="line 5: <gravity> holds numbers, and is"):
        model.numbers("gravity", count=3)


@pytest.mark.parametrize("said", ["", ' encoding="UTF-8"', " encoding='utf-8' standalone='yes'"])
def test_latin_letters_in_a_file_that_says_it_is_utf_8(tmp_path, said):
    text = f'<?xml version="1.0"{said}?><a name="M\u00fcller"/>'
    assert read_xml(written(tmp_path / "a.xml", text.encode("latin-1"))).name == "M\u00fcller"
    assert read_xml(written(tmp_path / "a.xml", text.encode("utf-8"))).name == "M\u00fcller"


def test_other_encodings(tmp_path):
    text = '<?xml version="1.0" encoding="ENCODING"?><a name="M\u00fcller">\u00fc</a>'
    for encoding in ("utf-8", "iso-8859-1", "utf-16", "utf-8-sig"):
        content = text.replace("ENCODING", encoding.removesuffix("-sig")).encode(encoding)
        assert read_xml(written(tmp_path / f"{encoding}.xml", content)).name == "M\u00fcller"
