"""Tags of an .osim file that no class of OpenSim knows, such as misspelt ones: what they say is read by nobody."""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from ...recordings.xml import Element

NAMES = Path(__file__).with_name("opensim_names.txt")
SOCKET = "socket_"  # of a name that older formats give without it, or with another ending
BEFORE = (
    "Connector_",
    "connector_",
    SOCKET,
)  # of connectors in formats between 30000 and 40000
AFTER = ("_name", "_connectee_name")
OPAQUE = ("VisibleObject", "credits", "publications")  # what lies inside makes no difference here
LINES = 12  # that are told of one tag


@cache
def known_tags() -> frozenset[str]:
    """Names of all properties and classes, those of older formats too."""
    lines = NAMES.read_text(encoding="utf-8").splitlines()
    names = {word for line in lines if not line.startswith("#") for word in line.split()}
    return frozenset(names | {name.removeprefix(SOCKET) for name in names})


def is_known(tag: str) -> bool:
    """Does any class of OpenSim, of this or an older format, have such a tag?"""
    known = known_tags()
    if tag in known or tag.startswith(BEFORE[0]):
        return True
    bare = next((tag.removeprefix(word) for word in BEFORE if tag.startswith(word)), tag)
    return any(tag.endswith(word) and bare.removesuffix(word) in known for word in AFTER)


def find_unknown(root: Element) -> list[tuple[Element, Element]]:
    """(an element whose tag is not known, what it stands in), outermost ones alone, in the file's order."""
    return list(_unknown(root))


def _unknown(parent: Element) -> Iterator[tuple[Element, Element]]:
    known = known_tags()
    for child in parent:
        if child.tag not in known and not is_known(child.tag):
            yield child, parent
        elif len(child) and child.tag not in OPAQUE:
            yield from _unknown(child)


def told_unknown(found: list[tuple[Element, Element]], report: list[str]) -> list[str]:
    """Lines for a report, one for each tag and kind of what it stands in; none where the report names the element."""
    alike: dict[tuple[str, str], list[tuple[Element, Element]]] = {}
    for child, parent in found:
        named = child.noted("").rstrip()
        if not any(line.startswith(named) for line in report):
            alike.setdefault((child.tag, parent.tag), []).append((child, parent))
    return [_sentence(rows) for rows in alike.values()]


def _sentence(rows: list[tuple[Element, Element]]) -> str:
    child, parent = rows[0]
    within = f"<{parent.tag}>{f' {parent.name!r}' if parent.name else ''}"
    near = get_close_matches(child.tag, sorted(known_tags()), 1, 0.8)
    meant = f"; did you mean <{near[0]}>?" if near else ""
    more = [str(other.line) for other, _ in rows[1:]]
    again = ""
    if more:
        left = f" and {len(more) - LINES} more" if len(more) > LINES else ""
        again = f" (again on line{'s' * (len(more) > 1)} {', '.join(more[:LINES])}{left})"
    return child.noted(f"no class of OpenSim knows this tag, which stands in {within}; it is not read{again}{meant}")
