"""Options of commands that run scenes."""

from pathlib import Path
from typing import Annotated

import typer

from ..integrators import INTEGRATORS

SceneName = Annotated[
    str, typer.Argument(help="Number or name of a scene, a model FILE.osim, or FILE.npz that a run was saved to.")
]
Integrator = Annotated[str | None, typer.Option(help=f"{', '.join(INTEGRATORS)}; default: the scene's.")]
Duration = Annotated[float | None, typer.Option(help="Simulated time in seconds.")]
Step = Annotated[
    float | None, typer.Option("--h", help="Step, or the longest one of recursive and redmax, in seconds.")
]
Rtol = Annotated[float | None, typer.Option(help="Relative tolerance of recursive and redmax.")]
Atol = Annotated[float | None, typer.Option(help="Absolute tolerance of recursive and redmax.")]
Port = Annotated[int | None, typer.Option(help="Port to serve the page on; default: a free one.")]
Host = Annotated[str, typer.Option(help="Address to listen on; other machines can see 0.0.0.0.")]
Open = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]
States = Annotated[
    Path | None, typer.Option(help="Start a model from a row of FILE.sto, its states; default: from the first.")
]
Controls = Annotated[Path | None, typer.Option(help="Excite a model's muscles as FILE.sto says, by their names.")]
StartAt = Annotated[
    float | None, typer.Option(help="Start a model at this time in seconds; from the last row that is not later.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="NAME=VALUE, a parameter of the scene; once for each.")
]
Strain = Annotated[
    bool, typer.Option("--strain", help="Colour soft bodies by their strain, in all that is shown of the run.")
]
XRay = Annotated[bool, typer.Option("--xray", help="Let what is inside soft bodies be seen.")]
