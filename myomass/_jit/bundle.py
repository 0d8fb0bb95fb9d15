"""Bundles: arrays that kernels take together, under names, for the price of one pointer.

A bundle is declared as a class with fields and made once in Python, which keeps its arrays alive:

    class Tree(Bundle):
        links = records(link_dtype)         # an array of records, in the model's real numbers
        q_scale = numbers()                 # an array of numbers in use: float32, float64 or complex128
        forces = Forces                     # another bundle

A kernel reads ``tree.links`` as Python does. What crosses into machine code is `bundle.handle`, an address: every array
that is passed by itself costs 0.2 us per call, a bundle as a whole 0.03 us. An entry kernel opens it by
``tree = open_tree(handle, q)``, with ``open_tree = opener(Tree)``: the number type is that of q. So the machine code
of a kernel depends on the number type alone, and never on what a model happens to have.

In memory a bundle is a row of words: of an array its address and its shape, of a bundle its address, of a number the
number itself. Nothing changes there while kernels run, and LLVM is told so.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model

DISABLED = bool(numba.config.DISABLE_JIT)
WORD = 8


@dataclass(frozen=True)
class ArrayField:
    """An array of a bundle: its element type, by number type, and how many indices it has."""

    dtype: Callable[[type], np.dtype]
    ndim: int = 1


@dataclass(frozen=True)
class NumberField:
    """A single number of a bundle, int64 or float64, that Python may change between two calls of kernels."""

    dtype: np.dtype


@dataclass(frozen=True)
class ComplexField:
    """A bundle in complex numbers, whatever the numbers in use: a shadow that carries complex steps."""

    bundle: type


def real_of(scalar: type) -> type:
    """The real number type that goes with a number type: what a model is stored in."""
    return np.float32 if scalar is np.float32 else np.float64


def records(dtype: Callable[[type], np.dtype], ndim: int = 1) -> ArrayField:
    """Records of a model, in its real numbers."""
    return ArrayField(lambda scalar: dtype(real_of(scalar)), ndim)


def scratch(dtype: Callable[[type], np.dtype], ndim: int = 1) -> ArrayField:
    """Records in the numbers in use."""
    return ArrayField(dtype, ndim)


def plain(dtype: type | np.dtype, ndim: int = 1) -> ArrayField:
    """An array of one element type, whatever the numbers in use."""
    fixed = np.dtype(dtype)
    return ArrayField(lambda scalar: fixed, ndim)


def reals(ndim: int = 1) -> ArrayField:
    """Numbers of a model."""
    return ArrayField(lambda scalar: np.dtype(real_of(scalar)), ndim)


def numbers(ndim: int = 1) -> ArrayField:
    """Numbers in use."""
    return ArrayField(lambda scalar: np.dtype(scalar), ndim)


def in_complex(bundle: type) -> ComplexField:
    """A bundle in complex numbers."""
    return ComplexField(bundle)


def whole_number() -> NumberField:
    """An int64."""
    return NumberField(np.dtype(np.int64))


def real_number() -> NumberField:
    """A float64."""
    return NumberField(np.dtype(np.float64))


class Bundle:
    """Base of all bundles. Subclasses declare fields; an instance is made with a value for each."""

    fields: ClassVar[dict[str, "ArrayField | NumberField | ComplexField | type[Bundle]"]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: field for name, field in vars(cls).items() if _is_field(field)}
        cls.fields = cls.fields | own
        for name in own:
            delattr(cls, name)

    def __init__(self, scalar: type, **values):
        if missing := set(self.fields) ^ set(values):
            raise TypeError(f"{type(self).__name__}: these fields are missing or unknown: {sorted(missing)}")
        layout = layout_of(type(self), scalar)
        self.scalar = scalar
        self.__dict__.update(values)
        if DISABLED:
            self.handle = self
            return
        self._words = np.zeros(max(layout.size, 1), np.int64)
        self.handle = self._words.ctypes.data
        for name, value in values.items():
            self._write(name, layout.places[name], layout.types[name], value)

    @classmethod
    @cache
    def empty(cls, scalar: type) -> "Bundle":
        """A bundle of empty arrays and zeros, the same one always, for what nobody will look at."""
        made = {}
        for name, field in cls.fields.items():
            if isinstance(field, ArrayField):
                made[name] = as_attributes(np.zeros((0,) * field.ndim, field.dtype(scalar)))
            elif isinstance(field, NumberField):
                made[name] = field.dtype.type(0)
            else:
                shadow = isinstance(field, ComplexField)
                made[name] = field.bundle.empty(np.complex128) if shadow else field.empty(scalar)
        return cls(scalar, **made)

    def _write(self, name: str, at: int, kind: types.Type, value) -> None:
        field = self.fields[name]
        if isinstance(field, NumberField):
            self._words[at : at + 1].view(field.dtype)[0] = value
        elif isinstance(field, ArrayField):
            _check(f"{type(self).__name__}.{name}", field, self.scalar, value)
            self._words[at] = value.__array_interface__["data"][0]
            self._words[at + 1 : at + 1 + value.ndim] = value.shape
        elif value.scalar is not kind.scalar or type(value) is not kind.bundle:
            raise TypeError(f"{type(self).__name__}.{name} is {type(value).__name__} in {value.scalar.__name__}")
        else:
            self._words[at] = value.handle

    def set(self, name: str, value: float) -> None:
        """Change a number."""
        setattr(self, name, value)
        if not DISABLED:
            layout = layout_of(type(self), self.scalar)
            self._write(name, layout.places[name], layout.types[name], value)

    def point(self, name: str, value: np.ndarray) -> None:
        """Let a field be another array."""
        setattr(self, name, value)
        if not DISABLED:
            layout = layout_of(type(self), self.scalar)
            self._write(name, layout.places[name], layout.types[name], value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.fields)})"


def as_attributes(array: np.ndarray) -> np.ndarray:
    """The array; records among its elements have attributes in plain Python too."""
    return array.view(np.recarray) if DISABLED and array.dtype.names else array


def _is_field(value: object) -> bool:
    bundle = isinstance(value, type) and issubclass(value, Bundle)
    return bundle or isinstance(value, (ArrayField, NumberField, ComplexField))


def _check(what: str, field: ArrayField, scalar: type, value: np.ndarray) -> None:
    """A sentence if an array is not what machine code would read."""
    wanted = field.dtype(scalar)
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{what} must be an array, and is {type(value).__name__}")
    if value.dtype != wanted or value.ndim != field.ndim or not value.flags.c_contiguous:
        found = f"{value.dtype} of {value.ndim} dimensions"
        raise TypeError(f"{what} must be a contiguous array of {wanted} in {field.ndim} dimensions, and is {found}")


class BundleType(types.Type):
    """The type of a bundle in kernels: its class, the number type and, as a hash, its layout.

    The layout is part of the name because stored machine code is found by the names of its argument types: a kernel
    may read records that are laid out in a file which its own module does not import.
    """

    def __init__(self, bundle: type[Bundle], scalar: type):
        self.bundle, self.scalar = bundle, scalar
        told = ", ".join(f"{name}: {kind}" for name, kind in self.layout.types.items())
        digest = hashlib.sha256(told.encode()).hexdigest()[:12]
        super().__init__(f"{bundle.__module__}.{bundle.__qualname__}({scalar.__name__}, {digest})")

    @cached_property
    def layout(self) -> "Layout":
        """Where its fields stand."""
        return layout_of(self.bundle, self.scalar)

    def __reduce__(self):
        return bundle_type, (self.bundle, self.scalar)


register_model(BundleType)(models.OpaqueModel)


@dataclass(frozen=True)
class Layout:
    """Types of a bundle's fields, the word at which each begins, and how many words there are."""

    types: dict[str, types.Type]
    places: dict[str, int]
    size: int


@cache
def bundle_type(bundle: type[Bundle], scalar: type) -> BundleType:
    """The type of a bundle in a number type."""
    return BundleType(bundle, scalar)


@cache
def layout_of(bundle: type[Bundle], scalar: type) -> Layout:
    """The layout of a bundle in a number type."""
    kinds, places, at = {}, {}, 0
    for name, field in bundle.fields.items():
        places[name] = at
        if isinstance(field, NumberField):
            kinds[name], size = numba.from_dtype(field.dtype), 1
        elif isinstance(field, ArrayField):
            kinds[name], size = types.Array(numba.from_dtype(field.dtype(scalar)), field.ndim, "C"), 1 + field.ndim
        else:
            shadow = isinstance(field, ComplexField)
            kinds[name], size = bundle_type(field.bundle, np.complex128) if shadow else bundle_type(field, scalar), 1
        at += size
    return Layout(kinds, places, at)


@infer_getattr
class _BundleAttribute(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, bundle: BundleType, name: str) -> types.Type | None:
        return bundle.layout.types.get(name)


@lower_getattr_generic(BundleType)
def _get_field(context, builder, bundle, value, name):
    """Load a field; `invariant.load` says that nothing changes it while a kernel runs."""
    kind, at = bundle.layout.types[name], bundle.layout.places[name]
    words = builder.bitcast(value, cgutils.intp_t.as_pointer())

    def word(i):
        loaded = builder.load(builder.gep(words, [ir.Constant(cgutils.intp_t, at + i)]))
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if isinstance(kind, BundleType):
        return builder.inttoptr(word(0), cgutils.voidptr_t)
    if not isinstance(kind, types.Array):
        place = builder.gep(words, [ir.Constant(cgutils.intp_t, at)])
        return builder.load(builder.bitcast(place, context.get_value_type(kind).as_pointer()))
    return _array(context, builder, kind, word(0), [word(1 + i) for i in range(kind.ndim)])


def _array(context, builder, kind, address, shape):
    """An array over memory that somebody else keeps."""
    array = context.make_array(kind)(context, builder)
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides, count = [itemsize], itemsize
    for size in reversed(shape[1:]):
        count = builder.mul(count, size)
        strides.insert(0, count)
    items = shape[0]
    for size in shape[1:]:
        items = builder.mul(items, size)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    array.nitems, array.itemsize = items, itemsize
    array.data = builder.inttoptr(address, array.data.type)
    array.shape = cgutils.pack_array(builder, shape)
    array.strides = cgutils.pack_array(builder, strides)
    return array._getvalue()


SCALARS = {types.float32: np.float32, types.float64: np.float64, types.complex128: np.complex128}


def opener(bundle: type[Bundle]) -> Callable:
    """open(handle, like): the bundle behind a handle, in the number type of the array `like`."""
    if DISABLED:
        return lambda handle, like: handle

    @intrinsic
    def open_bundle(typing_context, handle, like):
        answer = bundle_type(bundle, SCALARS[like.dtype])

        def generate(context, builder, signature, values):
            return builder.inttoptr(values[0], cgutils.voidptr_t)

        return answer(handle, like), generate

    return open_bundle
