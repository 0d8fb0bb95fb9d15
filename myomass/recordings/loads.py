"""External loads: forces, their points and torques, measured over time, and OpenSim's .xml files that describe them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ..model.spec import UnknownName, known_names
from ..spatial.brief import brief
from .storage import read_table, write_table
from .table import Table
from .text import demand, target
from .xml import Element, read_xml

Columns = tuple[str, str, str]
EMPTY = ("", "unassigned", "unknown")
AXES = (("x", "y", "z"), ("_x", "_y", "_z"), ("X", "Y", "Z"), ("1", "2", "3"), ("_1", "_2", "_3"))
PARTS = {"force": "force_identifier", "point": "point_identifier", "torque": "torque_identifier"}
UNREAD = ("external_loads_model_kinematics_file", "lowpass_cutoff_frequency_for_load_kinematics")


@brief
@dataclass(frozen=True, eq=False)
class ExternalForce:
    """A force [N] at a point [m], and a free torque [N m], on a body: names of the three columns of each in a table.

    force_frame: the body, or "ground", in whose frame (as the file of the model places it) force and torque are
    given; point_frame: the same for the point. Without a point the force acts at the origin of its body's frame.
    """

    name: str
    body: str
    table: Table
    force: Columns | None = None
    point: Columns | None = None
    torque: Columns | None = None
    force_frame: str = "ground"
    point_frame: str = "ground"

    def __post_init__(self) -> None:
        if not self.name or not self.body:
            raise ValueError("an external force has a name and a body, and one of them is empty")
        if not isinstance(self.table, Table):
            kind = type(self.table).__name__
            raise TypeError(f"the columns of {self.name!r} are those of an mm.recordings.Table, and not of {kind}")
        if self.force is None and self.torque is None:
            raise ValueError(f"the external force {self.name!r} has neither a force nor a torque")
        for part in PARTS:
            columns = getattr(self, part)
            if columns is None:
                continue
            columns = (columns,) if isinstance(columns, str) else tuple(columns)
            if len(columns) != 3 or len(set(columns)) != 3:
                raise ValueError(f"the {part} of {self.name!r} has three different columns, and is given {columns!r}")
            for column in columns:
                if column not in self.table:
                    names = known_names(self.table.names)
                    raise UnknownName(f"the {part} of {self.name!r}: the table has no column {column!r}; {names}")
            object.__setattr__(self, part, columns)


@brief
@dataclass(frozen=True, eq=False)
class ExternalLoads:
    """External forces, and what was not taken over from their file."""

    forces: tuple[ExternalForce, ...]
    name: str = "loads"
    report: tuple[str, ...] = ()
    file: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "forces", tuple(self.forces))
        names = [force.name for force in self.forces]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"external forces have different names, and {twice!r} is there twice")

    def __len__(self) -> int:
        return len(self.forces)

    def __iter__(self) -> Iterator[ExternalForce]:
        return iter(self.forces)

    def __getitem__(self, name: str) -> ExternalForce:
        """A force by its name."""
        for force in self.forces:
            if force.name == name:
                return force
        raise UnknownName(f"there is no external force {name!r}; {known_names(force.name for force in self.forces)}")


def read_loads(path: str | Path, data: Table | str | Path | None = None) -> ExternalLoads:
    """The external loads of an .xml file of OpenSim, with the columns looked up in the file of numbers that it names.

    data: a table, or a file, to take instead of the one named there. Forces that the file disables are left out, and
    named in `report`.
    """
    return _LoadsFile(path, data).read()


class _LoadsFile:
    """An .xml file of external loads, and the tables that it needs."""

    def __init__(self, path: str | Path, data: Table | str | Path | None):
        self.path = Path(path)
        outermost = read_xml(path)
        named = [outermost, *outermost.descendants("ExternalLoads")]
        self.root = next((element for element in named if element.tag == "ExternalLoads"), None)
        if self.root is None:
            held = f"<{outermost.children[0].tag}>" if outermost.children else "nothing"
            outermost.fail(f"the file has no <ExternalLoads>: it holds {held}")
        self.report: list[str] = []
        self.tables: dict[str, Table] = {}
        self.data = data if data is None or isinstance(data, Table) else read_table(data)

    def read(self) -> ExternalLoads:
        """All of it."""
        objects = self.root.find("objects") or self.root
        forces = []
        for element in objects:
            if element.tag in ("ExternalForce", "PrescribedForce"):
                self.add(forces, element)
            elif objects is not self.root:
                self.note(element, "is no external force, and is left out")
        for tag in UNREAD:
            element = self.root.find(tag)
            if element is not None and element.text.lower() not in (*EMPTY, "-1", "-1.0"):
                self.note(element, "is not used")
        if not forces and not self.report:
            self.root.fail("<ExternalLoads> holds no <ExternalForce>")
        return ExternalLoads(tuple(forces), self.root.name or "loads", tuple(self.report), str(self.path))

    def note(self, element: Element, what: str) -> None:
        """Report what is left out."""
        self.report.append(element.noted(what))

    def add(self, forces: list[ExternalForce], element: Element) -> None:
        """Read a force."""
        if element.flag("isDisabled", False) or not element.flag("appliesForce", True):
            self.note(element, "is disabled, and is left out")
            return
        if not element.name:
            element.fail(f"<{element.tag}> has no name")
        twice = next((force for force in forces if force.name == element.name), None)
        if twice is not None:
            element.fail(f"a second external force is named {element.name!r}; rename one")
        body = _body(element, "applied_to_body") or _body(element, "body")
        if body is None:
            element.fail(f"{element.name!r} does not say its body: <applied_to_body> is missing or empty")
        table = self.table(element)
        identifiers = _identifiers(element) | _identifiers_of_functions(element, table)
        if not identifiers.keys() & {"force", "torque"}:
            element.fail(f"{element.name!r} has neither a <force_identifier> nor a <torque_identifier>")
        columns = {part: self.columns(element, part, named, table) for part, named in identifiers.items()}
        frames = {part: _body(element, f"{part}_expressed_in_body") or "ground" for part in ("force", "point")}
        frames = {f"{part}_frame": frame for part, frame in frames.items()}
        forces.append(ExternalForce(element.name, body, table, **columns, **frames))

    def table(self, element: Element) -> Table:
        """The table of a force: of the whole file's <datafile>, or else of the force's own <data_source_name>."""
        if self.data is not None:
            return self.data
        source = self.root.find("datafile")
        if source is None or source.text.lower() in EMPTY:
            source = element.find("data_source_name")
        if source is None or source.text.lower() in EMPTY:
            element.fail("no <datafile> names the file of numbers; write it, or give read_loads a table as `data`")
        if source.text not in self.tables:
            there = self.path.parent / source.text.replace("\\", "/")
            if not there.is_file():
                source.fail(f"there is no file {there}, which <{source.tag}> names; give read_loads one as `data`")
            self.tables[source.text] = read_table(there)
        return self.tables[source.text]

    def columns(self, element: Element, part: str, identifier: str, table: Table) -> Columns:
        """The three columns whose names begin with an identifier."""
        found = _columns(identifier, table.names)
        if found is None:
            begin = [name for name in table.names if name.startswith(identifier)]
            place = element.find(PARTS[part]) or element
            told = f"{len(begin)} do ({', '.join(begin[:6])})" if begin else f"none does; {known_names(table.names)}"
            file = table.about.get("file", "the table")
            place.fail(
                f"the {part} of {element.name!r} is three columns of {file} that begin with {identifier!r}: {told}"
            )
        return found


def _columns(identifier: str, names: Sequence[str]) -> Columns | None:
    """Identifier with x, y, z behind it, or else the only three names that begin with it; None if there are none."""
    for axes in AXES:
        wanted = tuple(identifier + axis for axis in axes)
        if all(name in names for name in wanted):
            return wanted
    begin = tuple(name for name in names if name.startswith(identifier))
    return begin if len(begin) == 3 else None


def _body(element: Element, tag: str) -> str | None:
    """The last name of a body's path, None if none is given."""
    text = element.text_of(tag, "")
    return None if text.lower() in EMPTY else text.rstrip("/").split("/")[-1]


def _identifiers(element: Element) -> dict[str, str]:
    """Part -> identifier."""
    texts = {part: element.text_of(tag, "") for part, tag in PARTS.items()}
    return {part: text for part, text in texts.items() if text.lower() not in EMPTY}


def _identifiers_of_functions(element: Element, table: Table) -> dict[str, str]:
    """Part -> identifier, of files before 20301: the first function's name, or column as "#3", without its axis."""
    found = {}
    for part in PARTS:
        functions = element.find(f"{part}Functions")
        names = [] if functions is None else [one.name for one in functions.descendants() if one.name]
        if not names:
            continue
        name = names[0]
        if name.startswith("#"):  # time is column 0
            number = int(name[1:]) if name[1:].isdecimal() else 0
            if not 0 < number <= len(table.names):
                functions.fail(f"the {part} of {element.name!r} is column {name} of {len(table.names)} and the time")
            name = table.names[number - 1]
        found[part] = name[:-1]
    return found


def write_loads(path: str | Path, loads: ExternalLoads, data: str | Path | None = None) -> None:
    """Write an .xml file of external loads for OpenSim, and its numbers beside it.

    data: the name of the file of numbers, in the same folder; default: that of the .xml file with .mot.
    """
    demand(loads, ExternalLoads, "write_loads")
    path = target(path, "external loads are", (".xml",))
    tables = {id(force.table): force.table for force in loads.forces}
    if not tables:
        raise ValueError("there are no external forces to write")
    if len(tables) > 1:
        raise ValueError(f"one file of numbers goes with external loads, and these are of {len(tables)} tables")
    (table,) = tables.values()
    if data is not None and Path(data).name != str(data):
        raise ValueError(f"the file of numbers lies beside {path.name}: data is its name without a folder, not {data}")
    data = path.with_suffix(".mot") if data is None else path.parent / data
    forces = "\n".join(_force_as_text(force, table) for force in loads.forces)
    content = (
        f'<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="40000">\n'
        f"\t<ExternalLoads name={quoteattr(loads.name)}>\n\t\t<objects>\n{forces}\n\t\t</objects>\n\t\t<groups />\n"
        f"\t\t<datafile>{escape(data.name)}</datafile>\n\t</ExternalLoads>\n</OpenSimDocument>\n"
    )
    write_table(data, table)
    path.write_text(content, encoding="utf-8")


def _force_as_text(force: ExternalForce, table: Table) -> str:
    """An <ExternalForce>."""
    told: Mapping[str, str] = {
        "applied_to_body": force.body,
        "force_expressed_in_body": force.force_frame,
        "point_expressed_in_body": force.point_frame,
        **{tag: _identifier(force, part, table) for part, tag in PARTS.items()},
        "data_source_name": "Unassigned",
    }
    lines = [f"\t\t\t\t<{tag}>{escape(text)}</{tag}>" for tag, text in told.items() if text]
    return "\n".join([f"\t\t\t<ExternalForce name={quoteattr(force.name)}>", *lines, "\t\t\t</ExternalForce>"])


def _identifier(force: ExternalForce, part: str, table: Table) -> str:
    """The beginning that three columns, and no others, have in common; empty if there are none."""
    columns = getattr(force, part)
    if columns is None:
        return ""
    first = columns[0]
    begins = (first[:count] for count in range(len(first), -1, -1))
    common = next(begin for begin in begins if all(name.startswith(begin) for name in columns))
    if not common or tuple(name for name in table.names if name.startswith(common)) != columns:
        raise ValueError(
            f"the {part} of {force.name!r} is {', '.join(columns)}: OpenSim finds three columns by how their names "
            "begin, in the table's order, and these have no beginning that is theirs alone; rename them"
        )
    return common
