"""`myomass warm-up`: the jobs, their order, and what the command says."""

import subprocess
import sys
import threading

import pytest
from typer.testing import CliRunner

from myomass import warm_up
from myomass._jit import DISABLED
from myomass.cli import app
from myomass.cli import warm_up as cli_warm_up
from myomass.integrators import INTEGRATORS

FAKE = {
    "first": warm_up.Job(None, warm_up.TREE),
    "second": warm_up.Job(None, warm_up.REST),
    "third": warm_up.Job(None, warm_up.REST),
    "rare": warm_up.Job(None, warm_up.REST, extra=True),
}


@pytest.mark.fast
@pytest.mark.parametrize("name", warm_up.JOBS)
def test_every_job_can_be_done(name):
    """As plain Python: that takes a moment, and what is called is the same."""
    if not DISABLED:
        pytest.skip("compiling all of it takes minutes")
    warm_up.do(name)


def test_every_integrator_and_every_surface_has_its_job():
    assert {f"simulate, {name}" for name in INTEGRATORS} <= set(warm_up.JOBS)
    named = {type(surface) for surface in warm_up.surfaces().values()}
    assert named == set(warm_up.mm.wrap.SURFACES)
    usual = [name for name, job in warm_up.JOBS.items() if not job.extra]
    assert not any("over a" in name or name in ("pictures", "complex numbers", "single precision") for name in usual)


@pytest.fixture
def call(monkeypatch, tmp_path):
    """The command, with jobs that only print; `call.done` is what was run, in order."""
    monkeypatch.setenv("MYOMASS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cli_warm_up, "JOBS", FAKE)
    real, lock = subprocess.Popen, threading.Lock()

    def popen(command, **options):
        name = command[-1].rpartition("do('")[2].removesuffix("')")
        with lock:
            invoke.done.append(name)
        return real([sys.executable, "-c", invoke.code], **options)

    def invoke(*words):
        return CliRunner().invoke(app, ["warm-up", *words])

    monkeypatch.setattr(subprocess, "Popen", popen)
    invoke.done, invoke.code = [], "print('done')"
    return invoke


def test_shared_jobs_come_first_and_rare_ones_only_with_all(call):
    answer = call("--jobs", "2")
    assert answer.exit_code == 0, answer.output
    assert call.done[0] == "first"
    assert sorted(call.done[1:]) == ["second", "third"]
    call.done.clear()
    assert call("--all").exit_code == 0
    assert sorted(call.done) == ["first", "rare", "second", "third"]


def test_scenes_have_jobs_of_their_own(call):
    assert call("0", "ten-link-chain").exit_code == 0
    assert call.done[0] == "scene " + warm_up.mm.scenes.load(0).name
    assert "scene ten-link-chain" in call.done
    assert "first" not in call.done


def test_the_summary_says_how_many_kernels_are_kept_and_where(call, tmp_path):
    answer = call()
    assert "0 kernels in" in answer.output
    assert str(tmp_path) in answer.output.replace("\n", "")


def test_a_job_that_fails_is_named_with_its_last_line(call):
    call.code = "raise SystemExit('no such thing')"
    answer = call("--jobs", "1")
    assert answer.exit_code == 2
    assert "3 of 3 jobs failed" in answer.output
    assert "first: no such thing" in answer.output


def test_an_interruption_ends_the_processes_and_says_that_work_is_kept(call, monkeypatch):
    call.code = "import time; time.sleep(60)"
    pools = []

    def interrupted(self, names, bar):
        pools.append(self)
        self.threads.submit(self._one, names[0], bar)
        while not self.processes:
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_warm_up._Pool, "do", interrupted)
    answer = call()
    assert answer.exit_code == 130
    assert "is kept" in answer.output
    assert pools[0].processes[0].poll() is not None


@pytest.mark.parametrize(("words", "sentence"), [(["--jobs", "0"], "at least 1"), (["nowhere"], "nowhere")])
def test_bad_input_gets_a_sentence(call, words, sentence):
    answer = call(*words)
    assert answer.exit_code == 2
    assert sentence in answer.output
    assert call.done == []


def test_a_job_runs_in_a_process_that_takes_the_same_package(monkeypatch, tmp_path):
    """For once a real process: the job writes down which package it has."""
    note = tmp_path / "note"
    code = f"import myomass, pathlib; pathlib.Path({str(note)!r}).write_text(myomass.__file__)"
    real = subprocess.Popen

    def popen(command, **options):
        path, _, _ = command[-1].partition("; from myomass")
        return real([command[0], "-c", f"{path}; {code}"], **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    with cli_warm_up._Bar(1) as bar, cli_warm_up._Pool(1) as pool:
        (done,) = pool.do(["anything"], bar)
    assert done.failure is None
    assert note.read_text() == warm_up.mm.__file__
