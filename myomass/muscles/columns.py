"""Which columns of a table are of which muscle, by the names that OpenSim gives them."""

from collections.abc import Iterable, Sequence

ENDINGS = {  # of what a column holds -> what stands behind the muscle's name
    "excitation": ("", ".excitation", "/excitation"),
    "activation": (".activation", "/activation", ""),
    "force": ("",),
}


def muscle_columns(
    names: Iterable[str], columns: Sequence[str], endings: Iterable[str], where: str = "the table"
) -> dict[str, int]:
    """Muscle -> number of its column: its name and the first ending that is there, alone or at the end of a path.

    So `soleus_r.activation` and `/forceset/soleus_r/activation`; muscles without a column are left out. where: what an
    error calls the table.
    """
    last: dict[str, list[int]] = {}  # "soleus_r/activation" -> columns whose path ends so
    for number, column in enumerate(columns):
        parts = column.split("/")
        for at in range(len(parts)):
            last.setdefault("/".join(parts[at:]), []).append(number)
    found = {}
    for name in names:
        there = next((last[name + ending] for ending in endings if name + ending in last), [])
        if len(there) > 1:
            several = ", ".join(columns[number] for number in there)
            raise ValueError(f"{where} has several columns for muscle {name!r}: {several}; keep one")
        if there:
            found[name] = there[0]
    return found
