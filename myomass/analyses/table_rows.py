"""Tables that go with a motion, such as activations and tensions, at the motion's own times."""

import numpy as np

from ..recordings import Table
from ..recordings.smooth import check_complete

APART = 1e-5  # by how much a motion may reach beyond a table: filters shift times by microseconds [s]


def rows_along(table: Table, t: np.ndarray, what: str) -> np.ndarray:
    """A table's values at times of a motion, by straight lines between its rows. (times, columns)

    Raises an error that names both spans unless the table reaches over the motion; what: "activations".
    """
    check_complete(table, f"a table of {what}")
    (first, last), start, end = table.t[[0, -1]].tolist(), float(np.min(t)), float(np.max(t))
    if not first - APART <= start <= end <= last + APART:
        low, high = max(first, start), min(last, end)
        both = f"take the part that both cover, from {low:g} to {high:g} s"
        raise ValueError(
            f"{table.about.get('file', f'the table of {what}')} reaches from {first:g} to {last:g} s, and the motion "
            f"from {start:g} to {end:g} s; {both if low <= high else 'they have no time in common'}"
        )
    return np.column_stack([np.interp(t, table.t, column) for column in table.values.T])
