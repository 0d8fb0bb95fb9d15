"""`myomass inspect`: what an .osim file holds."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from ..io import read_osim
from ..muscles import TensionLaw
from ..spatial.brief import counted
from .printing import Stop, print_grid, told

if TYPE_CHECKING:
    from ..model import Spec
    from ..model.spec import BodySpec


def _no_setup(path: Path) -> Path:
    """The file itself; a setup of a tool ends the command, before it asks for more arguments."""
    if path.suffix.lower() == ".xml":
        try:
            read_osim(path)
        except (ValueError, OSError) as error:
            raise Stop(str(error)) from None
    return path


ModelFile = Annotated[Path, typer.Argument(help="FILE.osim.", show_default=False, callback=_no_setup)]


@told
def inspect_model(
    *,
    model: ModelFile,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Ask OpenSim by how much its paths over surfaces differ from the exact ones."),
    ] = False,
) -> None:
    """What an .osim file holds: bodies, coordinates, muscles, forces, and what was not understood."""
    spec = read_osim(model, compare=compare)
    typer.echo(f"{model}: {spec.name}, {sum(_mass(body) for body in spec.bodies.values()):.6g} kg")
    print_grid(
        ["body", "parent", "joint", "as", "mass [kg]"],
        (
            [name, body.parent or "ground", body.joint_name or "", type(body.joint).__name__, f"{_mass(body):.4g}"]
            for name, body in spec.bodies.items()
        ),
    )
    compiled = spec.compile(massless=True)
    units = dict(zip(compiled.coordinates, compiled.coordinate_units, strict=True))
    print_grid(["coordinate", "unit", "default", "from", "to", ""], _coordinates(spec, units))
    print_grid(["muscle", "points", "wraps", "what pulls"], _muscles(spec))
    for what in ("forces", "constraints"):
        held = getattr(spec, what)
        print_grid([what[:-1], "what"], ([name, type(one).__name__] for name, one in held.items()))
    if spec.markers:
        typer.echo(f"{counted(len(spec.markers), 'marker')}: {', '.join(spec.markers)}\n")
    typer.echo(f"{counted(len(spec.report), 'note')} on what was changed or not understood{':' if spec.report else ''}")
    for line in spec.report:
        typer.echo(f"  {line}")


def _mass(body: "BodySpec") -> float:
    """A body's mass [kg], 0 without inertia."""
    return 0.0 if body.inertia is None else body.inertia.mass


def _coordinates(spec: "Spec", units: Mapping[str, str]) -> Iterator[list[str]]:
    """Rows of the table of coordinates; angles in degrees."""
    for name, one in spec.coordinates.items():
        factor, unit = (np.degrees(1.0), "deg") if units[name] == "rad" else (1.0, units[name])
        limits = ["", ""] if one.range is None else [f"{factor * limit:.4g}" for limit in one.range]
        traits = {"clamped": one.clamped, "locked": one.locked, "prescribed": one.prescribed is not None}
        yield [name, unit, f"{factor * one.default:.4g}", *limits, ", ".join(word for word, so in traits.items() if so)]


def _muscles(spec: "Spec") -> Iterator[list[str]]:
    """Rows of the table of muscles."""
    for name, one in spec.muscles.items():
        hill = one.actuator
        curves = "" if hill is None else type(hill.curves).__name__ if hill.curves else "Millard2012"
        law = type(one.tension).__name__ if isinstance(one.tension, TensionLaw) else ""
        pulls = f"{curves}, {hill.optimal_force:.4g} N, {hill.tendon} tendon" if hill else law
        yield [name, str(len(one.points)), str(len(one.surfaces())), pulls]
