"""Bundles: arrays under names, read alike by Python and by kernels, in any number type."""

import numpy as np
import pytest

from myomass._jit import DISABLED, Bundle, kernel, opener
from myomass._jit import bundle as fields

pytestmark = pytest.mark.fast


def point_dtype(scalar: type) -> np.dtype:
    return np.dtype([("link", "i8"), ("x", scalar, (3,))], align=True)


def point_records(count: int, scalar: type) -> np.ndarray:
    return fields.as_attributes(np.zeros(count, point_dtype(scalar)))


class Inside(Bundle):
    values = fields.numbers()
    table = fields.numbers(2)


class Outside(Bundle):
    points = fields.records(point_dtype)  # real, whatever the numbers in use
    moving = fields.scratch(point_dtype)
    inside = Inside
    shadow = fields.in_complex(Inside)
    count = fields.whole_number()
    step = fields.real_number()


open_outside = opener(Outside)


def inside(scalar: type) -> Inside:
    return Inside(scalar, values=np.arange(3).astype(scalar), table=np.arange(6).reshape(2, 3).astype(scalar))


def outside(scalar: type) -> Outside:
    real = np.float32 if scalar is np.float32 else np.float64
    parts = {"inside": inside(scalar), "shadow": inside(np.complex128)}
    arrays = {"points": point_records(2, real), "moving": point_records(2, scalar)}
    return Outside(scalar, **parts, **arrays, count=7, step=0.25)


@kernel(entry=True)
def read_and_write(handle, q):
    """Reads every field, writes into arrays."""
    bundle = open_outside(handle, q)
    bundle.points[1].x[2] = 5.0
    bundle.moving[0].link = bundle.count
    bundle.inside.table[1, 2] = q[0]
    bundle.shadow.values[0] = 2j
    total = bundle.inside.values[2] + bundle.inside.table.shape[1] + bundle.step * bundle.count
    return total + bundle.inside.table[1, 0]


@pytest.mark.parametrize("scalar", [np.float64, np.float32, np.complex128])
def test_kernels_and_python_see_the_same(scalar):
    bundle, q = outside(scalar), np.full(2, 9, scalar)
    assert read_and_write(bundle.handle, q) == 2 + 3 + 0.25 * 7 + 3
    assert bundle.points[1]["x"][2] == 5.0
    assert bundle.moving[0]["link"] == 7
    assert bundle.inside.table[1, 2] == 9
    assert bundle.shadow.values[0] == 2j


def test_numbers_can_be_changed_between_calls():
    bundle, q = outside(np.float64), np.zeros(2)
    before = read_and_write(bundle.handle, q)
    bundle.set("step", 1.25)
    assert read_and_write(bundle.handle, q) == before + 7
    assert bundle.step == 1.25


def test_an_empty_one_has_everything_and_holds_nothing():
    bundle = Outside.empty(np.float64)
    assert bundle.inside.table.shape == (0, 0)
    assert bundle.shadow.values.dtype == np.complex128
    assert bundle.count == 0


@pytest.mark.skipif(DISABLED, reason="plain Python reads what it is given")
@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (np.zeros(3, np.float32), "Inside.values must be a contiguous array of float64 in 1 dimensions, and is float"),
        (np.zeros((2, 2)), "of float64 in 1 dimensions, and is float64 of 2 dimensions"),
        (np.zeros(6)[::2], "must be a contiguous array"),
        ([1.0, 2.0], "Inside.values must be an array, and is list"),
    ],
)
def test_an_array_that_machine_code_would_misread_is_refused(values, sentence):
    with pytest.raises(TypeError, match=sentence):
        Inside(np.float64, values=values, table=np.zeros((2, 3)))


def test_missing_and_unknown_fields_are_named():
    with pytest.raises(TypeError, match=r"missing or unknown: \['table', 'tabel'\]|\['tabel', 'table'\]"):
        Inside(np.float64, values=np.zeros(3), tabel=np.zeros((2, 3)))


@pytest.mark.skipif(DISABLED, reason="plain Python reads what it is given")
def test_a_bundle_in_other_numbers_is_refused():
    parts = {"inside": inside(np.complex128), "shadow": inside(np.complex128)}
    arrays = {"points": point_records(2, np.float64), "moving": point_records(2, np.float64)}
    with pytest.raises(TypeError, match=r"Outside\.inside is Inside in complex128"):
        Outside(np.float64, **parts, **arrays, count=0, step=0.0)


def test_its_repr_lists_its_fields():
    assert repr(inside(np.float64)) == "Inside(values, table)"


@pytest.mark.skipif(DISABLED, reason="about machine code")
def test_the_layout_is_part_of_the_types_name():
    """A kernel's stored code is not found again when records change that are laid out in a file it does not import."""

    def named(*columns):
        class Held(Bundle):
            rows = fields.plain(np.dtype([(name, "f8") for name in columns]))

        class Holder(Bundle):
            inside = Held

        return fields.bundle_type(Holder, np.float64).name

    assert named("a", "b") == named("a", "b")
    assert len({named("a"), named("a", "b"), named("b", "a")}) == 3
