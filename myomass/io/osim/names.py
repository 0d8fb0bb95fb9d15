"""Names of what an .osim file holds, by which its parts find one another, made those that OpenSim gives them."""

from collections.abc import Iterable
from itertools import chain, count

from ...recordings.xml import Element
from .document import SETS, members

LISTS = ("frames", "components")


def name_components(model: Element) -> list[str]:
    """Give the sets of a model their names in paths, and what lies in one list names that differ; says what changed."""
    for tag, name in SETS.items():
        found = model.find(tag)
        if found is not None:
            _rename(found, name)
    lists = [*(members(model, tag) for tag in SETS), *(one for one in model.descendants() if one.tag in LISTS)]
    return [line for elements in lists for line in _distinguish(elements)]


def _distinguish(elements: Iterable[Element]) -> Iterable[str]:
    """Name those without a name by their class, and number those whose name is taken."""
    taken = set()
    for element in elements:
        old = element.name or element.tag.lower()
        new = next(name for name in chain([old], (f"{old}_{k}" for k in count())) if name not in taken)
        taken.add(new)
        if new != element.name:
            why = "another one has this name" if element.name else "it has no name"
            yield element.noted(f"{why}; it is called {new!r}, as OpenSim calls it")
            _rename(element, new)


def _rename(element: Element, name: str) -> None:
    """Another name, for this element alone where several share their attributes."""
    element.attributes = element.attributes | {"name": name}
