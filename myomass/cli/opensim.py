"""Commands for OpenSim's files: `myomass inspect`, `ik`, `id`, `so`, `analyse` and `play`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from ..io import read_osim
from ..recordings import Markers, Table, read_c3d, read_loads, read_table, read_trc, write_table
from ..recordings.markers import Z_UP_TO_Y_UP
from ..spatial.brief import counted
from .inspect import ModelFile, inspect_model
from .printing import print_grid, tell_how_to_end, told

if TYPE_CHECKING:
    from ..analyses import Kinematics
    from ..model import Model, Spec
    from ..recordings import ExternalLoads
    from ..trajectory import Trajectory

TABLES = (".sto", ".mot")
MOST_TOLD = 20  # lines of a report
REACTIONS = "reactions"  # what `analyse` can be asked for, beside the tables of a muscle analysis
ARMS = "arms"
UNITS = dict.fromkeys(("lengths", "fibre_lengths", "tendon_lengths"), "m")
UNITS |= dict.fromkeys(("speeds", "fibre_velocities"), "m/s") | {"activations": "1", "pennation": "rad"}
UNITS |= dict.fromkeys(("tensions", "active_forces", "passive_forces", "damping_forces"), "N")
UNITS |= dict.fromkeys(("power", "fibre_power", "tendon_power"), "W")

TABLES_OF_FORCES = set(UNITS) - {"lengths", "speeds"}  # which only activations tell

MotionFile = Annotated[Path, typer.Argument(help="FILE.mot or .sto of coordinates.", show_default=False)]
LoadsFile = Annotated[Path | None, typer.Option(help="FILE.xml of external loads.")]
Lowpass = Annotated[float | None, typer.Option(help="Cut-off of a filter of the coordinates, in Hz; default: none.")]
Start = Annotated[float | None, typer.Option(help="From this time on, in seconds.")]
End = Annotated[float | None, typer.Option(help="Up to this time, in seconds.")]
Out = Annotated[Path | None, typer.Option(help="Write the result to FILE.sto or FILE.mot.")]


def _check_out(path: Path | None, option: str = "--out") -> None:
    """Raise an error if a result could not be written, before anything is computed."""
    if path is None:
        return
    if path.suffix.lower() not in TABLES:
        raise ValueError(f"{option} names a {' or '.join(TABLES)} file, and is {path}")
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"{path} is a folder" if path.is_dir() else f"there is no folder {path.parent.resolve()}")


def _read(path: Path, forces: bool) -> tuple["Spec", "Model"]:
    """The spec and the model of a file, with a line on how many notes there are on it."""
    spec = read_osim(path, forces=forces)
    if spec.report:
        typer.echo(f"  report        {counted(len(spec.report), 'note')} on {path.name}: see `myomass inspect`")
    return spec, spec.compile(massless=True)  # nothing here needs accelerations


def _motion(model: "Model", path: Path, lowpass: float | None, start: float | None, end: float | None) -> "Kinematics":
    """A recording of coordinates as a motion of the model."""
    from ..analyses import kinematics

    found = kinematics(model, read_table(path), lowpass=lowpass, start=start, end=end)
    filtered = "as recorded" if lowpass is None else f"filtered at {lowpass:g} Hz"
    typer.echo(f"  motion        {counted(len(found), 'row')} from {found.t[0]:g} to {found.t[-1]:g} s, {filtered}")
    return found


def _loads(path: Path | None) -> "ExternalLoads | None":
    """External loads, with a line on each of what was left out."""
    if path is None:
        return None
    loads = read_loads(path)
    typer.echo(f"  loads         {', '.join(f'{force.name} on {force.body}' for force in loads) or 'none'}")
    for line in loads.report[:MOST_TOLD]:
        typer.echo(f"  left out      {line}")
    return loads


def _finish(table: Table, out: Path | None, unit: str) -> None:
    """Print least and largest numbers of each column, and write the table."""
    print_grid(
        ["column", f"least [{unit}]", "largest", "mean size"],
        (
            [name, *(f"{x:.5g}" for x in (one.min(), one.max(), np.abs(one).mean()))]
            for name, one in zip(table.names, table.values.T, strict=True)
        ),
    )
    if out is not None:
        write_table(out, table)
        typer.echo(f"  saved         {out}")


@told
def find_torques(
    *,
    model: ModelFile,
    motion: MotionFile,
    loads: LoadsFile = None,
    lowpass: Lowpass = None,
    start: Start = None,
    end: End = None,
    out: Out = None,
) -> None:
    """Inverse dynamics: the generalized forces behind a recorded motion."""
    from ..analyses import inverse_dynamics

    _check_out(out)
    _, compiled = _read(model, forces=False)
    found = _motion(compiled, motion, lowpass, start, end)
    torques = inverse_dynamics(compiled, found, _loads(loads))
    _finish(torques.table(), out, "N m or N")


@told
def find_coordinates(
    *,
    model: ModelFile,
    markers: Annotated[Path, typer.Argument(help="FILE.trc or .c3d of markers.", show_default=False)],
    weights: Annotated[
        list[str] | None, typer.Option("--weight", help="MARKER=NUMBER; once for each, 0 leaves one out.")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(help="SETUP.xml of OpenSim's tool, for weights of markers and coordinates.")
    ] = None,
    z_up: Annotated[bool, typer.Option("--z-up", help="The laboratory's z points up, and the model's y.")] = False,
    start: Start = None,
    end: End = None,
    out: Out = None,
) -> None:
    """Inverse kinematics: the coordinates that bring the model's markers closest to the measured ones."""
    from ..analyses import inverse_kinematics, read_tasks

    _check_out(out)
    options = {"weights": _numbers_by_name(weights, "--weight")}
    _, compiled = _read(model, forces=False)
    places = _places(markers, z_up)
    if tasks is not None:
        known = read_tasks(tasks)
        for line in known.report[:MOST_TOLD]:
            typer.echo(f"  left out      {line}")
        given = known.coordinates_from if known.from_file else None
        asked = known.options(compiled, places, None if given is None else read_table(given))
        options = asked | {"weights": asked["weights"] | options["weights"]}
    options |= {name: value for name, value in (("start", start), ("end", end)) if value is not None}
    found = inverse_kinematics(compiled, places, **options)
    seen = np.isfinite(found.residuals)
    if found.unknown:
        typer.echo(
            f"  not used      {counted(len(found.unknown), 'marker')} that the model lacks: {', '.join(found.unknown)}"
        )
    if not found.converged.all():
        typer.echo(f"  not found     {np.count_nonzero(~found.converged)} of {counted(len(found.t), 'row')}")
    for name, count in (found.undetermined or {}).items():
        typer.echo(f"  undetermined  {name}, in {counted(count, 'row')}")
    columns = [found.residuals[seen[:, k], k] * 1e3 for k in range(len(found.markers))]
    print_grid(
        ["marker", "rows", "mean [mm]", "largest"],
        (
            [name, str(len(x)), *(f"{of(x):.2f}" if len(x) else "" for of in (np.mean, np.max))]
            for name, x in zip(found.markers, columns, strict=True)
        ),
    )
    typer.echo(
        f"  markers       {np.nanmax(found.rms) * 1e3:.2f} mm off at most, as the root of the mean square of a row"
    )
    _finish(found.table(degrees=True), out, "deg or m")


def _places(path: Path, z_up: bool) -> Markers:
    """Markers of a .trc or .c3d file."""
    endings = {".trc": read_trc, ".c3d": lambda file: read_c3d(file).markers}
    if path.suffix.lower() not in endings:
        raise ValueError(f"markers are in a {' or '.join(endings)} file, and this one is {path}")
    places = endings[path.suffix.lower()](path)
    return places.rotated(Z_UP_TO_Y_UP) if z_up else places


def _numbers_by_name(texts: list[str] | None, option: str) -> dict[str, float]:
    """Numbers by name, from texts "name=1.5"."""
    found = {}
    for text in texts or ():
        name, equals, value = text.rpartition("=")
        try:
            found[name.strip()] = float(value if equals and name.strip() else "")
        except ValueError:
            raise ValueError(f"{option} takes NAME=NUMBER, and was given {text!r}") from None
    return found


@told
def find_activations(
    *,
    model: ModelFile,
    motion: MotionFile,
    loads: LoadsFile = None,
    lowpass: Lowpass = None,
    start: Start = None,
    end: End = None,
    reserves: Annotated[
        str | None, typer.Option(help="FILE.xml of actuators that help, or the strength of one for each coordinate.")
    ] = None,
    power: Annotated[float, typer.Option(help="Of activations in what is made least.")] = 2.0,
    passive: Annotated[bool, typer.Option(help="Count passive forces of muscles.")] = True,
    tendon: Annotated[str, typer.Option(help="rigid, or elastic: in equilibrium with the fibre.")] = "rigid",
    window: Annotated[
        bool, typer.Option("--window", help="Over all rows at once: activations follow from excitations.")
    ] = False,
    out: Out = None,
    forces: Annotated[Path | None, typer.Option(help="Write tensions of muscles to FILE.sto.")] = None,
) -> None:
    """Static optimisation: activations of muscles that explain a recorded motion with least effort."""
    from ..analyses import inverse_dynamics, static_optimization, window_optimization
    from ..analyses.load_problem import Unmoved

    _check_out(out)
    _check_out(forces, "--forces")
    spec, compiled = _read(model, forces=True)
    found = _motion(compiled, motion, lowpass, start, end)
    helping = _reserves(reserves, spec)
    torques = inverse_dynamics(compiled, found, _loads(loads))
    optimise = window_optimization if window else static_optimization
    try:
        shared = optimise(compiled, found, torques, power=power, reserves=helping, passive=passive, tendon=tendon)
    except Unmoved as error:
        raise ValueError(
            f"neither a muscle nor a reserve acts on coordinate {error.coordinate!r}; give --reserves 10, the strength "
            "of one for each coordinate, or --reserves FILE.xml with one that acts on it"
        ) from None
    if forces is not None:
        write_table(forces, shared.table("forces"))
        typer.echo(f"  tensions      {forces}")
    if shared.reserve_names:
        most = np.abs(shared.reserves).max(axis=0)
        named = f"{most.max():.4g} N m or N of {shared.reserve_names[int(most.argmax())]}"
        typer.echo(f"  reserves      {len(most)}, at most {named}")
    help_more = "" if shared.held.all() else "; stronger --reserves help"
    typer.echo(f"  explained     {np.count_nonzero(shared.held)} of {counted(len(shared), 'row')}{help_more}")
    _finish(shared.table(), out, "1")


def _reserves(text: str | None, spec: "Spec"):
    """Actuators of a file, a number, or None."""
    if text is None:
        return None
    if text.lower().endswith(".xml"):
        from ..io import read_actuators

        return read_actuators(text, spec)
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--reserves takes FILE.xml or a number, and was given {text!r}") from None


@told
def analyse_motion(
    *,
    model: ModelFile,
    motion: MotionFile,
    what: Annotated[str, typer.Option(help=f"{', '.join(UNITS)}, {ARMS}, or {REACTIONS} of joints.")] = "lengths",
    about: Annotated[str | None, typer.Option(help="Coordinate that moment arms are about.")] = None,
    activations: Annotated[Path | None, typer.Option(help="FILE.sto of activations, as `so` writes it.")] = None,
    forces: Annotated[Path | None, typer.Option(help="FILE.sto of tensions, for reactions of joints.")] = None,
    on: Annotated[str, typer.Option(help="child or parent: the side of a joint that its reaction is on.")] = "child",
    expressed_in: Annotated[str, typer.Option(help="ground, child or parent: the axes of reactions.")] = "ground",
    loads: LoadsFile = None,
    lowpass: Lowpass = None,
    start: Start = None,
    end: End = None,
    out: Out = None,
) -> None:
    """What muscles do along a recorded motion, and what joints carry."""
    from ..analyses import joint_reactions, muscle_analysis

    _check_out(out)
    if what not in (*UNITS, ARMS, REACTIONS):
        raise ValueError(f"--what is one of {', '.join(UNITS)}, {ARMS} or {REACTIONS}, and not {what!r}")
    if (what == ARMS) != (about is not None):
        raise ValueError(f"--about COORDINATE goes with --what {ARMS}, and the one is given without the other")
    for option, file, goes in (
        ("--forces", forces, what == REACTIONS),
        ("--loads", loads, what == REACTIONS),
        ("--on", None if on == "child" else on, what == REACTIONS),
        ("--expressed-in", None if expressed_in == "ground" else expressed_in, what == REACTIONS),
        ("--activations", activations, what not in (REACTIONS, ARMS)),
    ):
        if file is not None and not goes:
            raise ValueError(
                f"{option} makes no difference to {what}; leave it out, or ask for something else by --what"
            )
    if activations is None and what in TABLES_OF_FORCES:
        raise ValueError(f"--what {what} needs --activations FILE.sto, as `myomass so` writes it")
    _, compiled = _read(model, forces=True)
    found, given = _motion(compiled, motion, lowpass, start, end), _loads(loads)
    if what == REACTIONS:
        tensions = None if forces is None else read_table(forces)
        borne = joint_reactions(compiled, found, given, forces=tensions, on=on, expressed_in=expressed_in)
        table, unit = borne.table(), "N, N m or m"
    else:
        acting = None if activations is None else read_table(activations)
        done = muscle_analysis(compiled, found, acting, coordinates=None if about is None else [about])
        table, unit = (done.arms_of(about), "m or 1") if what == ARMS else (done.table(what), UNITS[what])
    _finish(table, out, unit)


@told
def play_motion(
    *,
    model: ModelFile,
    motion: MotionFile,
    activations: Annotated[
        Path | None, typer.Option(help="FILE.sto of activations, as `so` writes it, which colour the muscles.")
    ] = None,
    lowpass: Lowpass = None,
    start: Start = None,
    end: End = None,
    html: Annotated[Path | None, typer.Option(help="Save a page FILE.html that plays it offline.")] = None,
    video: Annotated[Path | None, typer.Option(help="Save a film FILE.mp4.")] = None,
    image: Annotated[Path | None, typer.Option(help="Save a picture FILE.png of the end.")] = None,
) -> None:
    """Play a recorded motion in the browser, or save it as a page, a film or a picture; Ctrl-C ends it."""
    from ..analyses import trajectory_of
    from ..viewer.files import check_target

    for path, ending in ((html, ".html"), (video, ".mp4"), (image, ".png")):
        if path is not None:
            check_target(path, (ending,), {".html": "a page", ".mp4": "a film", ".png": "a picture"}[ending])
    _, compiled = _read(model, forces=activations is not None)
    found = _motion(compiled, motion, lowpass, start, end)
    played = trajectory_of(compiled, found, None if activations is None else read_table(activations))
    saved = [save(path) for save, path in _savers(played, html, video, image) if path is not None]
    for path in saved:
        typer.echo(f"  saved         {path}")
    if not saved:
        page = played.view()
        page.wait(tell_how_to_end)


def _savers(played: "Trajectory", html: Path | None, video: Path | None, image: Path | None):
    """What writes each file, with its path."""
    return (played.save_html, html), (played.save_video, video), (played.save_image, image)


COMMANDS = {
    "inspect": inspect_model,
    "ik": find_coordinates,
    "id": find_torques,
    "so": find_activations,
    "analyse": analyse_motion,
    "play": play_motion,
}
