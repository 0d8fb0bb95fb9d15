"""How long kernels take to compile: a table that comes with the package, and what was measured on this machine.

A row is (seconds of the kernel by itself, names of the stored kernels that were compiled on its way), since a kernel
that calls others takes longer when those are not stored yet. `benchmarks/compile_times.py` writes the package's table;
this machine's own lies beside its stored kernels and goes before.
"""

import contextlib
import json
from pathlib import Path
from typing import NamedTuple

from .folder import ENDING, file_safe, usable_folder, write_whole

TABLE = Path(__file__).with_name("compile_times.json")
OWN_NAME = "compile-times.json"


class Row(NamedTuple):
    """One kernel: seconds by itself, and the stored kernels that it needs."""

    seconds: float
    needs: tuple[str, ...]


def read_table(path: Path) -> dict[str, Row]:
    """Rows by name of the kernel; none if there is no table, or it cannot be understood."""
    try:
        return {name: Row(float(own), tuple(needs)) for name, (own, needs) in json.loads(path.read_text()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def table_text(rows: dict[str, Row]) -> str:
    """A table as it is written to a file: one kernel to a line."""
    lines = (f"{json.dumps(name)}: {json.dumps([round(own, 2), needs])}" for name, (own, needs) in sorted(rows.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


class Times:
    """What is known of compile times when a kernel is about to be compiled."""

    def __init__(self, table: Path = TABLE, folder: Path | None = None):
        self.folder = usable_folder() if folder is None else folder
        self.elsewhere = read_table(table)
        self.here = read_table(self.folder / OWN_NAME) if self.folder else {}
        self.stored = (
            {path.name.rpartition("-")[0] for path in self.folder.glob(f"*{ENDING}")} if self.folder else set()
        )

    def expected(self, name: str) -> float | None:
        """Seconds that a kernel will take with all that it needs and that is not stored yet; None if unknown. [s]"""
        rows, speed = self.elsewhere | self.here, self._slowness()
        if name not in rows:
            return None
        total, waiting, seen = 0.0, [name], {name}
        while waiting:
            each = waiting.pop()
            row = rows.get(each, Row(0.0, ()))
            total += row.seconds * (1.0 if each in self.here else speed)
            new = [other for other in row.needs if other not in seen and file_safe(other) not in self.stored]
            seen |= set(new)
            waiting += new
        return total

    def _slowness(self) -> float:
        """How much longer this machine takes than the one of the package's table."""
        both = self.here.keys() & self.elsewhere.keys()
        theirs = sum(self.elsewhere[name].seconds for name in both)
        return sum(self.here[name].seconds for name in both) / theirs if theirs > 0.0 else 1.0

    def note(self, name: str, row: Row) -> None:
        """Take in what was measured; a kernel that met some of its needs stored keeps what it is known to need."""
        known = self.here.get(name) or self.elsewhere.get(name) or Row(0.0, ())
        self.here[name] = Row(row.seconds, tuple(sorted({*row.needs, *known.needs} - {name})))
        self.stored.add(file_safe(name))

    def keep(self) -> None:
        """Write this machine's table, together with what other processes have written meanwhile."""
        if self.folder:
            with contextlib.suppress(OSError):
                path = self.folder / OWN_NAME
                write_whole(path, table_text(read_table(path) | self.here).encode())
