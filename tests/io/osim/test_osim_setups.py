"""A setup of one of OpenSim's tools where a model is wanted: the error says what it is, and what to do instead."""

import re

import pytest
from typer.testing import CliRunner

import myomass as mm
from myomass.cli import app
from myomass.io.osim.setups import SETUPS

TEXT = (
    '<OpenSimDocument Version="40000">\n<{tool} name="s"><model_file>leg.osim</model_file>'
    "<coordinates_file>Unassigned</coordinates_file>{more}</{tool}></OpenSimDocument>"
)


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(tool, more=""):
        (tmp_path / "setup.xml").write_text(TEXT.format(tool=tool, more=more))
        return "setup.xml"

    return write


@pytest.mark.parametrize(
    ("tool", "more", "instead"),
    [
        ("InverseKinematicsTool", "<marker_file>walk.trc</marker_file>", "ik leg.osim walk.trc --tasks setup.xml"),
        ("InverseKinematicsTool", "", "ik leg.osim MARKERS.trc --tasks setup.xml"),
        ("InverseDynamicsTool", "", "id leg.osim MOTION.mot --loads LOADS.xml --lowpass 6"),
        ("ExternalLoads", "", "id MODEL.osim MOTION.mot --loads setup.xml"),
    ],
)
def test_the_command_to_give_instead(written, tool, more, instead):
    found = re.escape(f"line 1: this is {'a file' if tool[0] == 'E' else 'the setup'} of OpenSim's {tool}, not a model")
    with pytest.raises(ValueError, match=f"{found}.*: myomass {re.escape(instead)} \\(in Python mm"):
        mm.io.read_osim(written(tool, more))


@pytest.mark.parametrize("command", ["ik", "id", "so", "analyse", "play", "inspect"])
@pytest.mark.parametrize("more", [(), ("walk.trc",)])
def test_on_the_command_line_even_where_arguments_are_missing(written, command, more):
    done = CliRunner().invoke(app, [command, written("InverseKinematicsTool"), *more[: command != "inspect"]])
    assert done.exit_code == 2
    assert done.stderr.startswith("myomass: setup.xml, line 1: this is the setup of OpenSim's InverseKinematicsTool")
    assert "--tasks setup.xml" in done.stderr and "Missing" not in done.stderr


@pytest.mark.parametrize("tool", SETUPS)
def test_what_is_named_is_there(written, tool):
    command, function = SETUPS[tool]
    with pytest.raises(ValueError, match=f"OpenSim's {tool}, not a model") as raised:
        mm.io.read_osim(written(tool))
    assert "{" not in str(raised.value)
    one = function.split(",")[0].split(".")[1:]
    place = mm
    for name in one:
        place = getattr(place, name)
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert set(re.findall("myomass ([a-z]+) ", command)) <= known
