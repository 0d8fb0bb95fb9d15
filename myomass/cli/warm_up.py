"""`myomass warm-up`: compile now what would otherwise be compiled when it is first used."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .._jit import cache_folder
from ..warm_up import JOBS, SCENE, STAGES

MOST_PROCESSES = 8  # unless more are asked for: each may take a gigabyte


class Done(NamedTuple):
    """A job that has ended: its name, its seconds, and the last line that it printed if it failed."""

    name: str
    seconds: float
    failure: str | None


def compile_ahead(
    scene: Annotated[
        list[str] | None, typer.Argument(help="Scenes to compile for; default: what is usually used.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also every surface, complex and float32 numbers, and pictures.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(help="Processes at a time; default: one for each processor, at most 8.")
    ] = None,
) -> None:
    """Compile ahead, in parallel processes: every integrator and function, or what some scenes need."""
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs is the number of processes, at least 1, and was given {jobs}")
    stages = _stages(scene or [], everything)
    before, begun = _kept(), time.perf_counter()
    with _Bar(sum(map(len, stages))) as bar, _Pool(jobs or min(os.cpu_count() or 1, MOST_PROCESSES)) as pool:
        ended = [done for names in stages for done in pool.do(names, bar)]
    failed = [done for done in ended if done.failure]
    files, size = _kept()
    typer.echo(f"  compiled      {files - before[0]} kernels in {time.perf_counter() - begun:.0f} s")
    typer.echo(f"  stored        {files} kernels, {size / 1e6:.1f} MB, {cache_folder()}")
    if failed:
        told = "; ".join(f"{done.name}: {done.failure}" for done in failed)
        raise ValueError(f"{len(failed)} of {len(ended)} jobs failed ({told})")


def _stages(scenes: list[str], everything: bool) -> list[list[str]]:
    """Names of jobs, stage after stage; if scenes are named, only theirs."""
    if scenes:
        from ..scenes import load, names

        chosen = names() if scenes == ["all"] else [load(name).name for name in scenes]
        given = [f"{SCENE}{name}" for name in dict.fromkeys(chosen)]
        return [given[:1], given[1:]] + ([[name for name, job in JOBS.items() if job.extra]] if everything else [])
    usual = {name: job for name, job in JOBS.items() if everything or not job.extra}
    return [[name for name, job in usual.items() if job.stage == stage] for stage in STAGES]


def _kept() -> tuple[int, int]:
    """(number, bytes) of stored kernels."""
    sizes = [path.stat().st_size for path in cache_folder().glob("*.kernel")]
    return len(sizes), sum(sizes)


class _Pool:
    """Runs a limited number of processes at a time; all end when it ends."""

    def __init__(self, most: int):
        self.threads, self.processes = ThreadPoolExecutor(most), []

    def __enter__(self) -> "_Pool":
        return self

    def __exit__(self, *trouble) -> None:
        """End processes that still run, after an interruption."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        self.threads.shutdown()

    def do(self, names: list[str], bar: "_Bar") -> Iterator[Done]:
        """Do jobs side by side, and report each when it has ended."""
        for future in as_completed([self.threads.submit(self._one, name, bar) for name in names]):
            done = future.result()
            bar.ended(done.name)
            yield done

    def _one(self, name: str, bar: "_Bar") -> Done:
        bar.begun(name)
        begun = time.perf_counter()
        code = f"import sys; sys.path[:] = {sys.path!r}; from myomass.warm_up import do; do({name!r})"
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        process = subprocess.Popen([sys.executable, "-c", code], text=True, **streams)
        self.processes.append(process)
        said = process.communicate()[1].strip()
        failure = None if process.returncode == 0 else said.rpartition("\n")[2] or f"ended with {process.returncode}"
        return Done(name, time.perf_counter() - begun, failure)


class _Bar(Progress):
    """How many jobs are done, and which are under way."""

    def __init__(self, total: int):
        columns = TextColumn("  compiling"), BarColumn(12), MofNCompleteColumn(), TimeElapsedColumn()
        super().__init__(*columns, TextColumn("{task.fields[now]}"), console=Console(stderr=True), transient=True)
        self.now: list[str] = []
        self.task = self.add_task("", total=total, now="")

    def begun(self, name: str) -> None:
        """Show that a job is under way."""
        self.now.append(name)
        self.update(self.task, now="; ".join(self.now))

    def ended(self, name: str) -> None:
        """Show that a job is done."""
        self.now.remove(name)
        self.update(self.task, advance=1, now="; ".join(self.now))
