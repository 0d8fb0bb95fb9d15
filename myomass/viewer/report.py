"""A report on a run: one HTML page with its picture, plots, numbers, and the command that made it."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from ..muscles import metabolic_power
from ..trajectory import Trajectory
from .files import check_target
from .frames import Frames
from .notebook import as_uri, figure_png
from .plots import plots_of
from .series import energy_kept
from .stills import as_png, still

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #262b31; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
img { max-width: 100%; height: auto; display: block; } figure { margin: 1.2rem 0; }
table { border-collapse: collapse; } td, th { padding: 0.2rem 1.2rem 0.2rem 0; text-align: left; vertical-align: top; }
th { font-weight: 500; color: #66707a; } tr + tr { border-top: 1px solid #e6e9ec; }
pre { background: #f3f5f7; padding: 0.7rem 1rem; border-radius: 6px; overflow-x: auto; }
.note { color: #a03b22; }
"""


def save_report(
    trajectory: Trajectory,
    path: str | Path,
    *,
    description: str = "",
    command: str = "",
    facts: Mapping[str, str] | None = None,
) -> Path:
    """Write the page; `facts` are further rows of its table."""
    path = check_target(path, (".html", ".htm"), "a report")
    path.write_text(report(trajectory, description=description, command=command, facts=facts), encoding="utf-8")
    return path


def report(
    trajectory: Trajectory, *, description: str = "", command: str = "", facts: Mapping[str, str] | None = None
) -> str:
    """The HTML of the page, with all pictures in it."""
    frames, name = Frames(trajectory), escape(trajectory.model.name)
    ghosts = 4 if frames.end > frames.start else 0
    picture = as_uri(as_png(still(trajectory, size=(1280, 640), ghosts=ghosts)))
    rows = table(trajectory) | dict(facts or {})
    cells = "".join(f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>" for key, value in rows.items())
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in frames.notes)
    plots = "".join(
        f'<figure><img alt="{key}" src="{as_uri(figure_png(figure))}"/></figure>'
        for key, figure in plots_of(trajectory).items()
    )
    made = f"<h2>Made by</h2><pre>{escape(command)}</pre>" if command else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}: MyoMass</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
        f'<h1>{name}</h1><p>{escape(description)}</p>{notes}<img alt="{name}" src="{picture}"/>'
        f"<h2>The run</h2><table>{cells}</table>{made}<h2>Plots</h2>{plots}</body></html>"
    )


def table(trajectory: Trajectory) -> dict[str, str]:
    """Rows (name, value) of text about a run."""
    run = Frames(trajectory).trajectory
    model = run.model
    steps = ", ".join(f"{count:,} {what}" for what, count in trajectory.steps.items()) or "none"
    rows = {
        "model": f"{model.nbodies} bodies, {model.ndof} degrees of freedom",
        "integrator": trajectory.integrator,
        "simulated": f"{run.t[0]:g} to {run.t[-1]:g} s ({trajectory.ended})",
        "steps": steps,
        "energy exchanged": f"{run.energy_exchanged:.6g} J",
        energy_kept(run).rpartition(" ")[0]: f"{run.energy_drift:.3e} of the energy exchanged",
    }
    things = {
        "constraint rows": len(model.constraints),
        "muscles": len(model.muscles),
        "events": len(trajectory.events),
    }
    rows |= {key: str(count) for key, count in things.items() if count}
    return rows | _muscles(run) if len(model.muscles.hills) else rows


def _muscles(run: Trajectory) -> dict[str, str]:
    """Rows about muscles with states."""
    report = run.muscles
    used = report.integral(metabolic_power(report).total)[-1].sum()
    return {
        "muscles": f"{len(run.model.muscles)}, {len(report.names)} of them with states",
        "work of their contractile elements": f"{report.work[-1].sum():.6g} J",
        "metabolic cost (Umberger 2010)": f"{used:.6g} J",
    }
