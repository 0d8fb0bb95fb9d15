"""Machine code on disk: never out of date, safe with several processes, and no trouble when damaged."""

import errno
import hashlib
import os
import pickle
import time
from types import SimpleNamespace

import numba
import pytest
from jit.small import FILES, ended, probe, small_package, start, stored
from numba import njit

from myomass._jit import DISABLED, cache, folder, sources

OTHERS = pytest.mark.skipif(os.name == "nt", reason="Windows keeps rights elsewhere")
compiled_only = pytest.mark.skipif(DISABLED, reason="plain Python is not stored")
COLD, WARM = [7.0, 1.5, 0, 0], [7.0, 1.5, 1, 1]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A small package whose two entry kernels are stored."""
    package = small_package(tmp_path_factory.mktemp("filled"))
    assert probe(package)[0] == COLD
    return package


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache folder of this test's own, in this process."""
    monkeypatch.setenv("MYOMASS_CACHE_DIR", str(tmp_path / "cache"))
    for memo in (folder.usable_folder, folder.say, cache._prune_once):
        memo.cache_clear()
    yield tmp_path / "cache"
    for memo in (folder.usable_folder, folder.say, cache._prune_once):
        memo.cache_clear()


def test_a_second_process_loads_what_the_first_has_stored_and_says_nothing(filled):
    assert probe(filled) == (WARM, "")
    names = [path.name for path in stored(filled)]
    assert [name.rpartition("-")[0] for name in names] == ["myomass.drawing.shade", "myomass.physics.step"]


def test_a_changed_source_recompiles_what_depends_on_it_and_nothing_else(tmp_path):
    package = small_package(tmp_path)
    probe(package)
    algebra = package / "algebra.py"
    algebra.write_text(FILES["algebra.py"].replace("2.0", "3.0"))
    assert probe(package)[0] == [10.0, 1.5, 0, 1]
    algebra.write_text(FILES["algebra.py"])
    assert probe(package)[0] == WARM


EDITED = """
import pathlib, time
from myomass.physics import step
from myomass.drawing import shade
time.sleep(0.05)
algebra = pathlib.Path("myomass/algebra.py")
algebra.write_text(algebra.read_text().replace("2.0", "3.0"))
print(step(3.0), shade(3.0), 0, 0)
"""


def test_a_source_that_changes_while_a_process_runs_is_not_mistaken_for_what_it_imported(tmp_path):
    package = small_package(tmp_path)
    assert probe(package, EDITED)[0] == [7.0, 1.5, 0, 0]  # the old code, ...
    assert [path.name.rpartition("-")[0] for path in stored(package)] == ["myomass.drawing.shade"]  # ... not stored
    assert probe(package)[0] == [10.0, 1.5, 0, 1]


def test_without_the_hash_of_sources_stale_code_would_be_loaded(tmp_path):
    """The control of the test above: a change goes unnoticed if sources do not enter the name."""
    package = small_package(tmp_path)
    jit = package / "_jit" / "cache.py"
    text = jit.read_text()
    jit.write_text(text.replace("sources = _sources(self.function, self.module)", "sources = 'fixed'"))
    assert jit.read_text() != text
    probe(package)
    (package / "algebra.py").write_text(FILES["algebra.py"].replace("2.0", "3.0"))
    assert probe(package)[0] == WARM


def test_several_processes_on_an_empty_cache_agree_and_leave_one_file_each(tmp_path):
    package = small_package(tmp_path)
    for process in [start(package) for _ in range(4)]:
        assert ended(process)[0][:2] == COLD[:2]
    assert len(stored(package)) == 2
    assert not list((tmp_path / "cache").rglob("*.tmp"))
    assert probe(package) == (WARM, "")


def test_files_that_are_damaged_in_any_way_count_as_absent(tmp_path):
    text, path = pickle.dumps(list(range(1000))), tmp_path / "damaged.kernel"
    whole = cache.MAGIC + hashlib.sha256(text).digest() + text
    path.write_bytes(whole)
    path.chmod(0o600)
    assert cache.read(path) == list(range(1000))
    last = bytes([whole[-1] ^ 1])
    signed = cache.MAGIC + hashlib.sha256(b"no pickle").digest() + b"no pickle"
    for content in (b"", whole[:10], whole[: len(whole) // 2], whole[:-1] + last, whole + b"x", b"x" * 9000, signed):
        path.write_bytes(content)
        assert cache.read(path) is None
    assert cache.read(tmp_path / "absent.kernel") is None


@pytest.mark.parametrize("content", [b"", pickle.dumps("an honest pickle of something else")], ids=["cut", "other"])
def test_a_damaged_file_is_compiled_again_and_replaced(filled, content):
    shade, step = stored(filled)
    step.write_bytes(cache.MAGIC + hashlib.sha256(content).digest() + content)
    assert probe(filled)[0] == [7.0, 1.5, 0, 1]
    assert stored(filled) == [shade, step]
    assert probe(filled) == (WARM, "")


def test_a_folder_in_place_of_a_file_is_no_trouble(tmp_path):
    package = small_package(tmp_path)
    probe(package)
    step = stored(package)[1]
    step.unlink()
    step.mkdir()
    numbers, said = probe(package)
    assert numbers == [7.0, 1.5, 0, 1]
    assert "cannot write" in said


def test_a_cache_that_cannot_be_made_is_done_without_in_one_sentence(tmp_path):
    package = small_package(tmp_path)
    (tmp_path / "cache").write_text("a file where the folder should be")
    for _ in range(2):
        numbers, said = probe(package)
        assert numbers == COLD
        assert said.count("cannot write") == 1


@OTHERS
@pytest.mark.parametrize("inner", [False, True], ids=["root", "kernels"])
def test_a_folder_that_others_can_write_is_refused(tmp_path, inner):
    package = small_package(tmp_path)
    probe(package)
    open_to_all = stored(package)[0].parent if inner else tmp_path / "cache"
    open_to_all.chmod(0o777)
    numbers, said = probe(package)
    assert numbers == COLD
    assert said.count("can be written by other users") == 1
    assert f"myomass: {open_to_all} " in said
    open_to_all.chmod(0o755)
    assert probe(package) == (WARM, "")


@OTHERS
def test_a_file_that_others_can_write_is_not_read(tmp_path):
    package = small_package(tmp_path)
    probe(package)
    stored(package)[1].chmod(0o666)
    numbers, said = probe(package)
    assert numbers == [7.0, 1.5, 0, 1]
    assert "can be written by other users" in said
    assert probe(package) == (WARM, "")  # it was replaced


@OTHERS
def test_what_belongs_to_another_user_is_refused(own_cache, monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    own_cache.mkdir(mode=0o700)
    real = os.stat
    owned = SimpleNamespace(st_uid=54321, st_mode=0o40700)
    monkeypatch.setattr(os, "stat", lambda path, **how: owned if path == own_cache else real(path, **how))
    assert folder.usable_folder() is None
    assert "belongs to another user" in capsys.readouterr().err


@OTHERS
def test_new_folders_and_files_are_closed_to_others(filled):
    for path in (filled.parent / "cache", stored(filled)[0].parent, stored(filled)[0]):
        assert not path.stat().st_mode & 0o077


@OTHERS
def test_the_default_folder_is_closed_and_one_that_the_user_named_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("MYOMASS_CACHE_DIR", raising=False)
    root = tmp_path / "myomass"
    root.mkdir()
    root.chmod(0o775)
    folder.usable_folder.cache_clear()
    assert folder.usable_folder() == folder.cache_folder()
    assert root.stat().st_mode & 0o777 == 0o700
    folder.usable_folder.cache_clear()


@compiled_only
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_full_disk_costs_one_sentence(own_cache, monkeypatch, capsys, code):
    def fail(*args):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "replace", fail)
    for add in (1.0, 2.0):
        function = njit(lambda x, add=add: x + add)
        function._cache = cache.KernelCache(function)
        assert function(1.0) == 1.0 + add
    said = capsys.readouterr().err
    assert said.count("cannot write") == 1
    assert os.strerror(code) in said
    assert not list(own_cache.rglob("*.kernel"))
    assert not list(own_cache.rglob("*.tmp"))


def made(kind: float):
    @njit
    def add(x):
        return x + kind

    add._cache = cache.KernelCache(add)
    return add


@compiled_only
def test_functions_of_one_name_are_told_apart_by_what_they_are_closed_over(own_cache):
    assert [made(kind)(1.0) for kind in (1.0, 2.0, 1.0)] == [2.0, 3.0, 2.0]
    again = made(2.0)
    assert again(1.0) == 3.0
    assert sum(again.stats.cache_hits.values()) == 1
    assert len(list(own_cache.rglob("*.kernel"))) == 2
    again._cache.flush()
    assert not list(own_cache.rglob("*.kernel"))


def needed() -> None:
    """Something that must be done before a kernel's machine code is loaded."""
    needed.times += 1


@compiled_only
def test_what_a_loaded_kernel_needs_is_needed_by_kernels_that_link_it(own_cache):
    needed.times = 0
    first, again = made(5.0), made(5.0)
    first._cache.disable()
    first(1.0)
    compiled = first.overloads[numba.float64,]
    compiled.reload_init.append(needed)
    again._cache.save_overload((numba.float64,), compiled)
    assert again(1.0) == 6.0
    assert (needed.times, sum(again.stats.cache_hits.values())) == (1, 1)
    caller = njit(lambda x: again(x))
    assert caller(1.0) == 6.0
    assert needed in caller.overloads[numba.float64,].reload_init


@compiled_only
def test_a_disabled_cache_neither_loads_nor_saves(own_cache):
    function = made(3.0)
    function._cache.disable()
    assert function(1.0) == 4.0
    assert not list(own_cache.rglob("*.kernel"))


@compiled_only
def test_processor_compiler_and_settings_are_part_of_the_name(own_cache, monkeypatch):
    function = made(1.0)
    names = set()

    def note(processor="one", settings=()):
        kept = cache.KernelCache(function, settings=settings)
        names.add(kept._path((numba.float64,), SimpleNamespace(magic_tuple=lambda: processor)).name)

    note()
    note()
    assert len(names) == 1
    note(processor="another")
    note(settings=("direct",))
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    cache.compiler.cache_clear()
    note()
    cache.compiler.cache_clear()
    assert len(names) == 4


def test_the_cache_of_other_numba_code_is_left_alone():
    assert str(folder.cache_folder()) != numba.config.CACHE_DIR


def test_pruning_removes_what_is_long_unused_and_only_what_is_ours(tmp_path):
    now = time.time()
    old, young = now - 61 * 86400, now - 59 * 86400
    files = {
        "kernels-python-3.9/a.kernel": old,
        "kernels-python-3.10/a.kernel": old,
        "kernels-python-3.10/b.kernel": young,
        "kernels-python-3.10/c.kernel.tmp": now - 2 * 86400,
        "kernels-python-3.10/d.kernel.tmp": now,
        "kernels-python-3.10/users-own.txt": old,
        "0123456789abcdef/x/a.nbi": old,
        "0123456789abcdee/x/a.nbi": young,
        "0123456789abcded/x/thesis.txt": old,
        "elsewhere/a.kernel": old,
    }
    for name, used in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (used, used))
    for inner in tmp_path.glob("0*"):
        os.utime(inner, (old, old))
    folder.prune(tmp_path, now)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    gone = {"kernels-python-3.9/a.kernel", "kernels-python-3.10/a.kernel", "kernels-python-3.10/c.kernel.tmp"}
    assert left == set(files) - gone - {"0123456789abcdef/x/a.nbi"} | {folder.PRUNED}
    assert not (tmp_path / "kernels-python-3.9").exists()
    assert not (tmp_path / "0123456789abcdef").exists()


def test_pruning_is_done_at_most_once_a_day(tmp_path):
    now = time.time()
    folder.prune(tmp_path, now)
    path = tmp_path / "kernels-python-3.9" / "a.kernel"
    path.parent.mkdir()
    path.write_text("")
    os.utime(path, (0, 0))
    folder.prune(tmp_path, now + 3600)
    assert path.exists()
    folder.prune(tmp_path, now + 2 * 86400)
    assert not path.exists()


def test_what_is_used_counts_as_used(filled):
    for path in stored(filled):
        os.utime(path, (0, 0))
    probe(filled)
    assert all(time.time() - path.stat().st_mtime < 3600 for path in stored(filled))


def test_a_missing_root_is_nothing_to_prune(tmp_path):
    folder.prune(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


EXTENSION = """
import numpy as np
from myomass._jit import kernel
from myomass.algebra import twice
from neighbour import ADD

@kernel(entry=True)
def own(x):
    return twice(x) + ADD

@kernel(inline=False)
def inner(x):
    return x * 10.0
"""
REGISTERED = """
import myomass.physics, extension
myomass.physics.twice = extension.inner
from myomass.physics import step
print(step(3.0), extension.own(3.0), *[sum(k.stats.cache_hits.values()) for k in (step, extension.own)])
"""


def test_kernels_from_outside_the_package_count_with_their_neighbours_and_where_they_are_called(tmp_path):
    package = small_package(tmp_path)
    extension, neighbour = tmp_path / "extension.py", tmp_path / "neighbour.py"
    extension.write_text(EXTENSION)
    neighbour.write_text("ADD = 1.0\n")
    assert probe(package, REGISTERED)[0] == [31.0, 7.0, 0, 0]
    assert probe(package, REGISTERED) == ([31.0, 7.0, 1, 1], "")
    neighbour.write_text("ADD = 2.0\n")
    assert probe(package, REGISTERED)[0] == [31.0, 8.0, 0, 0]
    extension.write_text(EXTENSION.replace("10.0", "20.0"))
    assert probe(package, REGISTERED)[0] == [61.0, 8.0, 0, 0]
    assert probe(package)[0] == COLD  # without the extension


LATE = """
from ._jit import kernel
from .physics import step

@kernel(entry=True)
def twice_a_step(x):
    return step(step(x))
"""
LATE_PROBE = """
from myomass.physics import step
from myomass.late import twice_a_step
first = step(3.0)
print(first, twice_a_step(3.0), *[sum(k.stats.cache_hits.values()) for k in (step, twice_a_step)])
"""


def test_a_kernel_that_is_compiled_later_can_call_one_that_was_loaded(tmp_path):
    package = small_package(tmp_path)
    (package / "late.py").write_text(LATE)
    probe(package)
    assert probe(package, LATE_PROBE)[0] == [7.0, 15.0, 1, 0]
    assert probe(package, LATE_PROBE) == ([7.0, 15.0, 1, 1], "")


def test_a_kernel_without_a_file_is_compiled_and_not_stored(tmp_path):
    package = small_package(tmp_path)
    code = """
from myomass._jit import kernel
@kernel(entry=True)
def typed_in(x):
    return x + 1.0
print(typed_in(1.0))
"""
    assert probe(package, code)[0] == [2.0]
    assert not stored(package)


def test_what_a_kernel_is_made_from():
    import myomass.algorithms.rnea
    import myomass.render.raster  # noqa: F401

    physics, drawing = sources.sources_of("myomass.algorithms.rnea"), sources.sources_of("myomass.render.raster")
    within = {
        str(path.relative_to(sources.PACKAGE)).replace(os.sep, "/"): str(path) for path in sources.PACKAGE.rglob("*.py")
    }
    assert {within["algorithms/rnea.py"], within["spatial/algebra.py"], within["_jit/kernels.py"]} <= physics
    assert within["joints/revolute.py"] in physics
    assert not any("render" in path for path in physics)
    assert within["render/raster.py"] in drawing
    assert not any(f"{os.sep}algorithms{os.sep}" in path for path in drawing)
    assert within["_jit/cache.py"] not in physics | drawing
    assert not any(f"{os.sep}scenes{os.sep}" in path for path in physics)
