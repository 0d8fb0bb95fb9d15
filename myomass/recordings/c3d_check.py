"""A look at the structure of a .c3d file before it is read: blocks, parameters and the size of its data.

A file has a head of one block, parameters in a chain, and frames of points and analog channels. A chain that leads out
of the file, or counts that do not belong together, would make a reader that trusts them crash.
"""

import struct
from pathlib import Path
from typing import NoReturn

BLOCK, KEY = 512, 0x50  # bytes of a block, and the second byte of every .c3d file
ORDERS = {84: "<", 85: "<", 86: ">"}  # processor -> order of bytes
SIZES = {-1: 1, 1: 1, 2: 2, 4: 4}  # type of a parameter -> bytes
NEEDED = ("POINT:USED", "POINT:SCALE", "POINT:RATE", "POINT:FRAMES", "POINT:LABELS")
OF_CHANNELS = ("ANALOG:USED", "ANALOG:LABELS", "ANALOG:GEN_SCALE", "ANALOG:SCALE", "ANALOG:OFFSET", "ANALOG:RATE")
OF_PLATES = tuple(f"FORCE_PLATFORM:{name}" for name in ("TYPE", "CORNERS", "ORIGIN", "CHANNEL"))
DEC = 85  # whose floating-point numbers have a form of their own
Parameters = dict[str, tuple[int, list[int], bytes]]  # "POINT:USED" -> type, dimensions, content


def check_c3d(content: bytes, path: str | Path) -> None:
    """Raise a ValueError if a file is no .c3d file, is cut off, or contradicts itself."""
    _Structure(content, path).check()


class _Structure:
    """The content of a .c3d file."""

    def __init__(self, content: bytes, path: str | Path):
        self.content, self.path = content, path

    def fail(self, what: str) -> NoReturn:
        raise ValueError(f"{self.path}: {what}")

    def check(self) -> None:
        """All of it."""
        content = self.content
        if len(content) < 2 * BLOCK or content[1] != KEY or not content[0]:
            self.fail("the file is no .c3d file, or was cut off: its first block is not that of one")
        at = (content[0] - 1) * BLOCK
        if at + BLOCK > len(content) or content[at + 3] not in ORDERS:
            self.fail("the file was cut off, or is damaged: its parameters are not where its head says")
        self.processor = content[at + 3]
        self.order = ORDERS[self.processor]
        end = at + content[at + 2] * BLOCK
        parameters = self.parameters(at + 4, end if content[at + 2] else len(content))
        self.check_data(parameters)

    def parameters(self, at: int, end: int) -> Parameters:
        """All parameters, by the chain of their places."""
        if end > len(self.content):
            self.fail("the file was cut off among its parameters")
        groups, found = {}, []
        while at + 2 <= end and self.content[at]:
            count, group = (
                abs(struct.unpack_from("b", self.content, at)[0]),
                struct.unpack_from("b", self.content, at + 1)[0],
            )
            name_at, step_at = at + 2, at + 2 + count
            if step_at + 3 > end or not group:
                self.fail(f"the file is damaged: its parameters break off at byte {at}")
            name = self.content[name_at:step_at].decode("latin-1").strip()
            (step,) = struct.unpack_from(f"{self.order}h", self.content, step_at)
            following = step_at + step
            if step < 0 or following > end or (step and following < step_at + 3):
                self.fail(f"the file is damaged: what follows its parameter {name!r} is not in the file")
            if group < 0:
                if step_at + 3 + self.content[step_at + 2] > (following if step else end):
                    self.fail(f"the file is damaged: the description of its group {name!r} does not fit")
                groups[-group] = name
            else:
                found.append((group, name, self.parameter(name, step_at + 2, following if step else end)))
            if not step:
                break
            at = following
        lost = next((name for group, name, _ in found if group not in groups), None)
        if lost is not None:
            self.fail(f"the file is damaged: its parameter {lost!r} belongs to no group")
        return {f"{groups[group]}:{name}": value for group, name, value in found}

    def parameter(self, name: str, at: int, end: int) -> tuple[int, list[int], bytes]:
        """Type, dimensions and content of a parameter."""
        size = struct.unpack_from("b", self.content, at)[0]
        dimensions = list(self.content[at + 2 : at + 2 + self.content[at + 1]]) if at + 1 < end else []
        start, count = at + 2 + len(dimensions), 1
        for length in dimensions:
            count *= length
        if size not in SIZES or len(dimensions) > 7 or start + count * SIZES[size] >= end:
            self.fail(f"the file is damaged: its parameter {name!r} does not fit")
        told = self.content[start + count * SIZES[size]]
        if start + count * SIZES[size] + 1 + told > end:
            self.fail(f"the file is damaged: the description of its parameter {name!r} does not fit")
        return size, dimensions, self.content[start : start + count * SIZES[size]]

    def number(self, parameters: Parameters, name: str, default: float = 0.0) -> float:
        """The first number of a parameter."""
        size, _, content = parameters.get(name, (1, [], b""))
        if not content or size == -1:
            return default
        if size == 4 and self.processor == DEC:  # halves the other way round, and four times as large
            return struct.unpack("<f", content[2:4] + content[:2])[0] / 4
        return struct.unpack(f"{self.order}{ {1: 'B', 2: 'H', 4: 'f'}[size] }", content[: abs(size)])[0]

    def check_data(self, parameters: Parameters) -> None:
        """Counts of the head and of the parameters are the same, and all frames are there."""
        needed = NEEDED
        needed += OF_CHANNELS if struct.unpack_from(f"{self.order}H", self.content, 4)[0] else ()
        needed += OF_PLATES if self.number(parameters, "FORCE_PLATFORM:USED") > 0 else ()
        missing = [name for name in needed if name not in parameters]
        if missing:
            self.fail(f"the file is damaged, or made by a program that leaves out {', '.join(missing)}")
        words = struct.unpack_from(f"{self.order}10H", self.content)
        points, samples, first, last, start, times = *words[1:5], words[8], words[9]
        for what, told, name in (("points", points, "POINT:USED"), ("block of the data", start, "POINT:DATA_START")):
            given = self.number(parameters, name, told)
            if given != told:
                self.fail(f"the file contradicts itself: {name} is {given:g}, and its head says {told} for the {what}")
        channels = int(self.number(parameters, "ANALOG:USED"))
        if samples != channels * times and (samples or channels):
            self.fail(
                f"the file contradicts itself: {samples} analog samples of a frame are not those of {channels} channels"
            )
        rates = self.number(parameters, "POINT:RATE"), self.number(parameters, "ANALOG:RATE")
        if not rates[0] > 0 or (channels and abs(rates[1] - rates[0] * times) > 1e-3 * rates[0] * max(times, 1)):
            self.fail(
                f"the file contradicts itself: its rates are {rates[0]:g} and {rates[1]:g} Hz, {times} to a frame"
            )
        frames = last - first + 1
        size = 4 if self.number(parameters, "POINT:SCALE", -1.0) < 0 else 2
        if last < 65535:
            needed = (start - 1) * BLOCK + frames * (4 * points + samples) * size
            if frames < 0 or start < 1 or needed > len(self.content):
                self.fail(
                    f"the file was cut off: {frames} frames of {points} points and {channels} channels need "
                    f"{needed:,} bytes, and it has {len(self.content):,}"
                )
