"""What OpenSim makes of short recordings, as small fixtures for tests.

    python tests/opensim_recordings_fixtures.py

Writes tests/fixtures/opensim_lowpass.json: made-up columns, at even and at slightly uneven times, padded by half their
rows and filtered by OpenSim 4.6's Storage, as its inverse dynamics does it.
"""

import json
from pathlib import Path

import numpy as np

FIXTURES = Path(__file__).parent / "fixtures"


def columns(t):
    return np.column_stack([np.sin(5 * t) + 0.1 * np.sin(70 * t), t**2 - 3 * t, 20 * np.cos(7 * t + 1)]).round(8)


def filtered(t, values, names, cutoff):
    import opensim

    storage = opensim.Storage()
    labels = opensim.ArrayStr()
    for name in ("time", *names):
        labels.append(name)
    storage.setColumnLabels(labels)
    for time, row in zip(t, values, strict=True):
        storage.append(time, opensim.Vector(row.tolist()))
    storage.pad(len(t) // 2)
    storage.lowpassIIR(cutoff)
    times, out = opensim.ArrayDouble(), []
    storage.getTimeColumn(times)
    times = np.array([times.get(i) for i in range(times.getSize())])
    for name in names:
        column = opensim.ArrayDouble()
        storage.getDataColumn(name, column)
        out.append([column.get(i) for i in range(column.getSize())])
    return times, np.array(out).T


def lowpass_cases():
    for rows, step, cutoff, digits in ((24, 1 / 60, 6.0, 8), (25, 1 / 120, 10.0, 3), (30, 0.01, 4.0, 10)):
        t, names = (0.2 + step * np.arange(rows)).round(digits), ("a", "b", "c")
        values = columns(t)
        times, out = filtered(t, values, names, cutoff)
        first, last = (np.searchsorted(times, end + 1e-12, side="right") - 1 for end in t[[0, -1]])
        kept = slice(first, last + 1)
        yield {
            "names": names,
            "cutoff": cutoff,
            "time": t.tolist(),
            "values": values.tolist(),
            "filtered_time": times[kept].tolist(),
            "filtered": out[kept].tolist(),
        }


if __name__ == "__main__":
    about = "Storage.pad(rows // 2) and Storage.lowpassIIR(cutoff) of OpenSim 4.6 on made-up columns"
    text = json.dumps({"about": about, "cases": list(lowpass_cases())})
    (FIXTURES / "opensim_lowpass.json").write_text(text + "\n")
