"""How long each stored kernel takes to compile: writes the table that the package estimates waiting times from.

Run on a quiet machine: python benchmarks/compile_times.py [JOB...]     # default: all jobs of `myomass warm-up --all`

Every job runs in a new process, one after another, on one cache that starts empty; what each kernel took by itself is
measured there as on any machine, and goes into myomass/_jit/compile_times.json. With jobs named, the rows of the others
stay as they are.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from myomass._jit.times import OWN_NAME, TABLE, read_table, table_text
from myomass.warm_up import JOBS


def measure(names: list[str], folder: str) -> dict:
    """Times of all kernels that these jobs compile."""
    for name in names:
        begun = time.perf_counter()
        code = f"from myomass.warm_up import do; do({name!r})"
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"MYOMASS_CACHE_DIR": folder}, check=True)
        print(f"{time.perf_counter() - begun:8.1f} s  {name}", flush=True)
    (own,) = Path(folder).rglob(OWN_NAME)
    return read_table(own)


def main() -> None:
    names = sys.argv[1:] or sorted(JOBS, key=lambda name: JOBS[name].stage)
    if unknown := set(names) - set(JOBS):
        raise SystemExit(f"there is no job {', '.join(sorted(unknown))}; there are: {'; '.join(JOBS)}")
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(names, folder)
    known = read_table(TABLE) if sys.argv[1:] else {}
    TABLE.write_text(table_text(known | rows))
    print(f"{sum(row.seconds for row in rows.values()):8.1f} s  {len(rows)} kernels -> {TABLE}")


if __name__ == "__main__":
    main()
