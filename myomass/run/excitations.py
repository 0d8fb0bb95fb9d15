"""Excitations of muscles in a run: numbers, motions in time, or a Python function of (t, q, qdot, z).

Numbers and motions are read by the kernels themselves. What a function raises is kept, as for torques (torques.py).
"""

import ctypes
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .._jit import Bundle
from ..integrators.controller import NO_CONTROLLER, PROTOTYPE
from ..model import Model
from ..model.border import check_array, check_finite
from ..model.spec import UnknownName, known_names
from ..muscles.columns import ENDINGS, muscle_columns
from ..muscles.hill.reflex import Reflex
from ..muscles.hill.start import hill_names
from ..spatial.checks import check_numbers
from ..spatial.motion import Motion, kinks

if TYPE_CHECKING:
    from ..trajectory import Trajectory

Function = Callable[[float, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
InTime = Motion | tuple[Sequence[float], Sequence[float]]


class Columns(Protocol):
    """An mm.recordings.Table, as far as it is looked at here: that room is a layer above."""

    t: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]


Given = float | Sequence[float] | np.ndarray | tuple | Mapping[str, float | InTime] | Columns | Function | None
ROUNDING = 1e-6  # parts of a step of a table: 0.1 * 3 is not 0.3
BEYOND = "excitations lie between 0 and 1, and are clipped: {}"


class Excitations:
    """What excites the muscles with states of a run, in the order of the muscles; nothing where none is given."""

    def __init__(self, model: Model, given: Given, span: tuple[float, float]):
        self.names = hill_names(model)
        self.constant, self.motions = np.zeros(len(self.names)), {}  # a motion by the number of its muscle
        self.function: Function | None = given if callable(given) and not isinstance(given, Motion) else None
        self.error: BaseException | None = None
        self.beyond: dict[str, str] = {}  # what was clipped, by muscle
        self.model = model  # the one in force
        if given is None:
            return
        if not self.names:
            raise ValueError(f"simulate: model {model.name!r} has no muscle with an actuator that could be excited")
        if self.function is None:
            self._read(given, span)
            self._look_beyond()
        else:
            _check_call(self.function)
            self._callback = PROTOTYPE(self._call)
            self.address = ctypes.cast(self._callback, ctypes.c_void_p).value

    def _read(self, given: Given, span: tuple[float, float]) -> None:
        """Numbers and motions of what was given."""
        count = len(self.names)
        if all(hasattr(given, part) for part in ("t", "values", "names")):
            self._set_from_table(given, span)
        elif isinstance(given, Mapping):
            for name, value in given.items():
                if name not in self.names:
                    raise UnknownName(f"excitation: there is no muscle {name!r} with states; {known_names(self.names)}")
                self._set(self.names.index(name), value)
        elif isinstance(given, Motion):
            self.motions = dict.fromkeys(range(count), given)
        elif is_timed(given):
            self._set_columns(*given)
        elif isinstance(given, (list, tuple)) and any(isinstance(value, (Motion, Reflex, tuple)) for value in given):
            if len(given) != count:
                raise ValueError(f"excitation: give one for each of {', '.join(self.names)}, not {len(given)}")
            for i, value in enumerate(given):
                self._set(i, value)
        elif np.ndim(given) == 2:
            rows = check_numbers(given, "excitation", (None, count))
            if len(rows) < 2:
                raise ValueError("excitation: rows over time are two at least; they are spread evenly over the run")
            self._set_columns(np.linspace(*span, len(rows)), rows)
        elif np.ndim(given) == 0:
            self.constant[:] = check_numbers(given, "excitation", ())
        else:
            what = f"excitation, one for each of {', '.join(self.names)},"
            self.constant[:] = check_numbers(given, what, (count,))

    def _set(self, i: int, value: float | InTime) -> None:
        """Excite muscle i by a number, a motion, or (times, values)."""
        what = f"the excitation of {self.names[i]!r}"
        if isinstance(value, Reflex):
            raise TypeError(f"{what}: a reflex belongs to the mechanism; add it by spec.add_reflex")
        if isinstance(value, Motion):
            self.motions[i] = value
        elif isinstance(value, tuple) and len(value) == 2:
            self.motions[i] = Motion.linear(*value)
        elif isinstance(value, tuple) or callable(value):
            raise TypeError(f"{what} is a number, an mm.Motion or a pair (times, values), and is {value!r}")
        else:
            self.constant[i] = check_numbers(value, what, ())

    def _set_columns(self, times: Sequence[float], rows: np.ndarray) -> None:
        """Excite muscles by values over time, a column for each or one for all, linear in between."""
        times = check_numbers(times, "excitation: times [s]", (None,))
        if np.ndim(rows) == 1:
            rows = np.tile(np.reshape(rows, (-1, 1)), (1, len(self.names)))
        rows = check_numbers(rows, "excitation: values over time", (len(times), len(self.names)))
        self.motions = {i: Motion.linear(times, rows[:, i]) for i in range(len(self.names))}

    def _set_from_table(self, table: Columns, span: tuple[float, float]) -> None:
        """Excite the muscles that have a column, linear in between; the end values stay, and the others relax."""
        where = getattr(table, "about", {}).get("file", "the table of excitations")
        found = muscle_columns(self.names, table.names, ENDINGS["excitation"], where)
        if not found:
            raise UnknownName(
                f"{where} has no column for a muscle with states of model {self.model.name!r}, such as "
                f"{self.names[0]!r}; it has {_some(table.names)}"
            )
        if not len(table.t):
            raise ValueError(f"{where} has no rows, and excites nothing")
        unused = [name for number, name in enumerate(table.names) if number not in found.values()]
        notes = []
        if unused:
            notes.append(f"{where}: no muscle with states has the columns {_some(unused)}; they are left out")
        notes += _missing(np.asarray(table.t, float), span, where)
        for note in notes:
            warnings.warn(note, UserWarning, stacklevel=5)
        for name, number in found.items():
            values = check_numbers(table.values[:, number], f"the excitation of {name!r} in {where}", (len(table.t),))
            self.motions[self.names.index(name)] = Motion.linear(table.t, values)

    def _look_beyond(self) -> None:
        for i, name in enumerate(self.names):
            seen = self.constant[i : i + 1]
            if i in self.motions:
                breaks = self._places(self.motions[i])
                middles = 0.5 * (breaks[1:] + breaks[:-1])
                seen = self.motions[i].along(np.concatenate([breaks, middles]) if len(breaks) else np.zeros(1))
            self._note(name, seen)

    @staticmethod
    def _places(motion: Motion) -> np.ndarray:
        """Where a motion is looked at: its breaks, or a turn of a sine in eighths."""
        return np.linspace(0.0, 2 * np.pi / motion.wave[1], 9) if motion.wave and motion.wave[1] else motion.breaks

    def _note(self, name: str, seen: np.ndarray) -> None:
        if name not in self.beyond and ((seen < 0) | (seen > 1)).any():
            self.beyond[name] = f"{name!r} is given {seen[np.argmax(np.abs(seen - 0.5))]:.6g}"

    def complaints(self) -> list[str]:
        """A sentence if something was clipped."""
        return [BEYOND.format(", ".join(self.beyond.values()))] if self.beyond else []

    def drive(self, model: Model, drive: Bundle) -> None:
        """Let kernels read the excitations when they look at a model's muscles, and nothing that was there before."""
        drive.excitation[:], drive.curve[:] = 0.0, -1
        drive.set("controller", NO_CONTROLLER)
        same = hill_names(model) == self.names
        if not same and (self.motions or self.constant.any() or self.function):
            raise ValueError(
                f"simulate: excitations were given for the muscles {', '.join(self.names)}, and the run goes over to a "
                "model with others"
            )
        if not same:
            return
        curve, numbers = np.full(len(self.names), -1, np.int64), [0.0]
        for i, motion in self.motions.items():
            curve[i] = len(numbers)
            numbers += motion.parameters().tolist()
        drive.excitation[:], drive.curve[:] = self.constant, curve
        drive.point("motions", np.array(numbers))
        if self.function is not None:
            drive.set("controller", self.address)

    def knots(self) -> set[float]:
        """Times at which an excitation may have a kink [s]."""
        found: set[float] = set()
        for motion in self.motions.values():
            found |= kinks(motion.parameters(), 0)
        return found

    def told(self, run: "Trajectory") -> "Trajectory":
        """The run, with the excitations of its rows as they were given, before reflexes.

        A function is asked again, for each row; those of a run that ended in it are not known.
        """
        run.excitation = found = np.tile(self.constant, (len(run.t), 1))
        for i, motion in self.motions.items():
            found[:, i] += motion.along(run.t)
        if self.error is not None:
            found[:] = np.nan
        elif self.function is not None:
            row = 0
            for piece in run.pieces:
                for t, *state in zip(piece.t.tolist(), piece.q, piece.qdot, piece.z, strict=True):
                    found[row] = self.function(t, *(x.copy() for x in state))
                    row += 1
        return run

    def _call(self, t: float, q, qdot, z, out) -> None:
        """What machine code calls. After an error it gives up at once, and so does the run."""
        try:
            n, m, count = self.model.ndof, self.model.nz, len(self.names)
            out = np.ctypeslib.as_array(out, shape=(count,))
            out[:] = np.nan
            if self.error is None:
                shapes = ((q, n), (qdot, n), (z, m))
                seen = [np.ctypeslib.as_array(x, shape=(size,)).copy() if size else np.zeros(0) for x, size in shapes]
                what = f"the excitation function's answer at {t:g} s"
                answer = self.function(t, *seen)
                if np.ndim(answer) == 0:
                    answer = np.full(count, answer)
                answer = check_array(what, answer, (count,), f"there are {count} muscles with states")
                check_finite(**{what: answer})
                out[:] = answer
                for name, value in zip(self.names, out, strict=True):
                    self._note(name, np.array([value]))
        except BaseException as error:  # kept for the driver; ctypes would print it and go on
            self.error = self.error or error


def _check_call(function: Function) -> None:
    """Raise a TypeError if a function cannot be called with (t, q, qdot, z)."""
    try:
        inspect.signature(function).bind(0.0, None, None, None)
    except TypeError:
        raise TypeError("excitation: a function is called with (t, q, qdot, z), and this one is not") from None
    except ValueError:  # it does not tell
        return


def _missing(t: np.ndarray, span: tuple[float, float], where: str) -> list[str]:
    """A sentence if a table of several rows leaves more than a step of a run out, or one of a single row all of it."""
    (first, last), (start, end) = (float(t[0]), float(t[-1])), span
    step = (1.0 + ROUNDING) * float(np.diff(t).min(initial=np.inf))
    held = [f"as at {first:g} s until then"] if first - start > step or first > end else []
    held += [f"as at {last:g} s from then on"] if end - last > step or last < start else []
    if not held:
        return []
    spans = f"{where} reaches from {first:g} to {last:g} s, and the run from {start:g} to {end:g} s"
    return [f"{spans}: excitations stay {' and '.join(held)}; a run begins at the time of its state"]


def _some(names: Sequence[str]) -> str:
    return known_names(names, 6).removeprefix("known: ") if names else "no columns at all"


def is_timed(given: Given) -> bool:
    """Is it a pair (times, values over time)?"""
    if not isinstance(given, tuple) or len(given) != 2:
        return False
    try:
        return np.ndim(given[0]) == 1 and np.ndim(given[1]) in (1, 2)
    except ValueError:  # rows of different lengths
        return False
