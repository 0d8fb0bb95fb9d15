"""What is said while compiling: for which function, for how long, and nothing that stays on a terminal."""

import io
import json
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from jit.small import PROBE, environment, probe, small_package

from myomass._jit import cache, folder, progress, times


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def screen(written: str) -> list[str]:
    """What stands on a terminal, line by line, after this was written to it."""
    lines, column = [""], 0
    for letter in written:
        if letter == "\n":
            lines.append("")
            column = 0
        elif letter == "\r":
            column = 0
        else:
            lines[-1] = lines[-1][:column].ljust(column) + letter + lines[-1][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]


def test_the_line_says_what_is_compiled_how_long_and_how_long_still():
    line = progress.Line("simulate", since=100.0, until=160.0, stream=Terminal())
    assert line.text(112.0) == "myomass: compiling simulate, only this once: 12 s so far, about 48 s to go"
    assert line.text(170.0).endswith("70 s so far, nearly done")
    assert line.text(400.0).endswith("5 min so far, nearly done")
    unknown = progress.Line("simulate", since=100.0, until=None, stream=Terminal())
    assert unknown.text(112.0).endswith("12 s so far")


def test_the_line_is_gone_when_done_and_what_is_printed_next_stands_alone(monkeypatch):
    monkeypatch.setattr(progress, "WAKE", 0.01)
    stream = Terminal()
    line = progress.Line("simulate", time.perf_counter(), None, stream)
    line.start()
    while stream.getvalue().count("\r") < 3:
        time.sleep(0.01)
    assert "compiling simulate" in screen(stream.getvalue())[-1]
    line.remove()
    assert not line.is_alive()
    stream.write("next\n")
    assert screen(stream.getvalue()) == ["next", ""]


def test_a_line_that_ended_at_once_was_never_there():
    stream = Terminal()
    line = progress.Line("simulate", time.perf_counter(), None, stream)
    line.start()
    line.remove()
    assert stream.getvalue() == ""


def test_a_closed_terminal_is_no_trouble(monkeypatch):
    monkeypatch.setattr(progress, "WAKE", 0.01)
    stream = Terminal()
    stream.close()
    line = progress.Line("simulate", time.perf_counter(), None, stream)
    line.start()
    time.sleep(0.05)
    line.remove()
    closed = io.StringIO()
    closed.close()
    assert not progress.is_terminal(closed)
    assert not progress.is_terminal(None)


def test_on_a_real_terminal_nothing_is_left_but_what_was_printed(tmp_path):
    pty = pytest.importorskip("pty")
    package = small_package(tmp_path)
    code = "import myomass._jit.progress as p; p.WAKE = 0.005\n" + PROBE
    leader, follower = pty.openpty()
    variables = environment(package) | {"TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=variables, cwd=tmp_path, stdout=follower, stderr=follower
    )
    os.close(follower)
    written = b""
    try:
        while piece := os.read(leader, 4096):
            written += piece
    except OSError:  # the other end was closed
        pass
    os.close(leader)
    assert process.wait() == 0
    text = written.decode().replace("\r\n", "\n")
    assert "\rmyomass: compiling step, only this once: 0 s so far" in text
    assert screen(text) == ["7.0 1.5 0 0", ""]


def test_elsewhere_one_line_per_process_which_says_about_how_long(tmp_path):
    package = small_package(tmp_path)
    (package / "_jit" / "compile_times.json").write_text('{"myomass.physics.step": [42.0, []]}')
    _, said = probe(package)
    assert said.count("\n") == 1
    assert said.startswith("myomass: compiling kernels for step (about 42 s), once for each function used; ")
    assert probe(package)[1] == ""


def test_own_times_are_kept_beside_the_cache(tmp_path):
    package = small_package(tmp_path)
    probe(package)
    (own,) = (tmp_path / "cache").rglob("compile-times.json")
    table = times.read_table(own)
    assert set(table) == {"myomass.drawing.shade", "myomass.physics.step"}
    assert all(0.0 < row.seconds < 60.0 and row.needs == () for row in table.values())


# ---- the listener, with compilations that only seem to happen


class Clock:
    """A clock that is set by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def compiling(monkeypatch, tmp_path):
    """A listener with a clock that is set by hand and an empty folder."""
    folder.say.cache_clear()
    listener = progress.Compiling()
    listener.times = times.Times(tmp_path / "no table", tmp_path)
    listener.clock = Clock()
    monkeypatch.setattr(progress.time, "perf_counter", listener.clock)
    return listener


def compile_for(listener, seconds: float, name: str, inside=(), *, stored: bool = True, fails: bool = False) -> None:
    """Seem to compile a kernel: so many seconds by itself, after those inside of it."""
    kept = cache.KernelCache.__new__(cache.KernelCache)
    kept.name = f"myomass.{name}"
    function = SimpleNamespace(__module__="myomass.physics", __qualname__=name)
    overloads = {} if fails else {(): None}
    dispatcher = SimpleNamespace(_cache=kept if stored else None, py_func=function, overloads=overloads)
    event = SimpleNamespace(data={"dispatcher": dispatcher, "args": ()})
    listener.on_start(event)
    for each in inside:
        compile_for(listener, *each[:2], *each[2:3], **(each[3] if len(each) > 3 else {}))
    listener.clock.now += seconds
    listener.on_end(event)


def test_a_kernel_is_charged_its_own_time_and_that_of_what_is_not_stored(compiling, capsys):
    unit = (5.0, "unit", [(1.0, "inner", (), {"stored": False})])
    compile_for(compiling, 2.0, "entry", [(3.0, "other", [unit], {"stored": False})])
    assert compiling.times.here == {"myomass.entry": (5.0, ("myomass.unit",)), "myomass.unit": (6.0, ())}
    assert capsys.readouterr().err.count("compiling kernels") == 1
    kept = json.loads((compiling.times.folder / "compile-times.json").read_text())
    assert kept == {"myomass.entry": [5.0, ["myomass.unit"]], "myomass.unit": [6.0, []]}


def test_a_compilation_that_failed_teaches_nothing_and_ends_the_line(compiling, capsys):
    compile_for(compiling, 2.0, "entry", fails=True)
    assert compiling.times.here == {}
    assert (compiling.ours, compiling.kernels) == (0, [])


def test_functions_of_others_are_not_our_business(compiling, capsys):
    function = SimpleNamespace(__module__="somebody.else", __qualname__="f")
    dispatcher = SimpleNamespace(_cache=None, py_func=function, overloads={(): None})
    compiling.on_start(SimpleNamespace(data={"dispatcher": dispatcher, "args": ()}))
    compile_for(compiling, 2.0, "entry")
    compiling.on_end(SimpleNamespace(data={"dispatcher": dispatcher, "args": ()}))
    assert compiling.times.here == {"myomass.entry": (2.0, ())}
    assert (compiling.ours, compiling.kernels) == (0, [])


def test_the_clock_goes_on_from_kernel_to_kernel_of_one_call(compiling, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    begun = []
    monkeypatch.setattr(progress, "Line", lambda word, since, until: begun.append((word, since)) or SilentLine())
    monkeypatch.setattr(progress, "asked_for", lambda frame: "simulate")
    compile_for(compiling, 2.0, "start")
    compile_for(compiling, 3.0, "run")
    compiling.clock.now += 60.0
    compile_for(compiling, 3.0, "energy")
    assert begun == [("simulate", 1000.0), ("simulate", 1000.0), ("simulate", 1065.0)]


class SilentLine:
    """A line that is not drawn."""

    def start(self) -> None:
        pass

    def remove(self) -> None:
        pass


def call(module: str, name: str, inner):
    """Call a function from one of this name in a module of this name."""
    scope = {"__name__": module, "inner": inner}
    exec(f"def {name}(): return inner()", scope)
    return scope[name]


def test_the_word_is_the_public_function_that_was_called():
    def ask():
        return progress.asked_for(sys._getframe())

    assert ask() is None
    inside = call("myomass.integrators.drive", "drive", call("myomass.integrators.drive", "_hidden", ask))
    assert inside() == "drive"
    assert call("myomass.simulate", "simulate", inside)() == "simulate"
    assert call("myomass.cli", "run", call("myomass.simulate", "simulate", inside))() == "simulate"
    assert call("somebody", "experiment", call("myomass.simulate", "simulate", inside))() == "simulate"


# ---- tables


def test_what_is_expected_counts_needs_that_are_not_stored_and_the_speed_of_the_machine(tmp_path):
    table = tmp_path / "table.json"
    rows = {
        "entry": times.Row(2.0, ("unit", "other")),
        "unit": times.Row(10.0, ("other",)),
        "other": times.Row(4.0, ()),
    }
    table.write_text(times.table_text(rows))
    folder = tmp_path / "cache"
    folder.mkdir()
    assert times.Times(table, folder).expected("entry") == pytest.approx(16.0)
    assert times.Times(table, folder).expected("stranger") is None
    (folder / "unit-0123.kernel").touch()
    assert times.Times(table, folder).expected("entry") == pytest.approx(6.0)
    (folder / "compile-times.json").write_text(times.table_text({"unit": times.Row(30.0, ())}))
    assert times.Times(table, folder).expected("entry") == pytest.approx(3.0 * 6.0)
    assert times.Times(table, folder).expected("unit") == pytest.approx(30.0)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"entry": 3}', '{"entry": ["a", []]}', '{"entry": [1, 2]}'])
def test_a_damaged_table_is_an_empty_one(tmp_path, text):
    path = tmp_path / "table.json"
    path.write_text(text)
    assert times.read_table(path) == {}


def test_tables_of_several_processes_are_joined(tmp_path):
    several = [times.Times(tmp_path / "no table", tmp_path) for _ in range(3)]
    for name, one in zip("abc", several, strict=True):
        one.note(name, times.Row(1.0, ()))
        one.keep()
    assert set(times.read_table(tmp_path / "compile-times.json")) == set("abc")


def test_the_table_of_the_package_can_be_read():
    assert times.read_table(times.TABLE)
