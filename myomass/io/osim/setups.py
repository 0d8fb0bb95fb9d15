"""Setup files of OpenSim's tools, which are no models: what to do with one instead of reading it as a model."""

from collections.abc import Iterable
from pathlib import Path
from string import Formatter

from ...recordings.xml import Element

LOADS = "--loads {external_loads_file:LOADS.xml}"
FILES = "{model_file:MODEL.osim} {coordinates_file:MOTION.mot}"
SETUPS = {  # tag -> (command, with {what the setup names: what stands for it if it does not}; what Python has)
    "InverseKinematicsTool": (
        "myomass ik {model_file:MODEL.osim} {marker_file:MARKERS.trc} --tasks {setup:}",
        "mm.analyses.read_tasks",
    ),
    "IKTaskSet": ("myomass ik MODEL.osim MARKERS.trc --tasks {setup:}", "mm.analyses.read_tasks"),
    "InverseDynamicsTool": (f"myomass id {FILES} {LOADS} --lowpass 6", "mm.analyses.inverse_dynamics"),
    "AnalyzeTool": (f"myomass so {FILES} {LOADS}, or myomass analyse {FILES}", "mm.analyses"),
    "ScaleTool": ("", "mm.analyses.read_scaling"),
    "RRATool": ("", "mm.analyses.reduce_residuals"),
    "CMCTool": (f"myomass so {FILES} {LOADS}", "mm.analyses.static_optimization, window_optimization"),
    "ForwardTool": (
        "myomass run {model_file:MODEL.osim} --states {states_file:STATES.sto} --controls CONTROLS.sto",
        "mm.simulate",
    ),
    "ExternalLoads": ("myomass id MODEL.osim MOTION.mot --loads {setup:}", "mm.recordings.read_loads"),
}


def told_setup(root: Element) -> str | None:
    """A sentence on what a file is that is the setup of a tool, and what to do instead; None for other files."""
    found = next((one for one in (root, *root) if one.tag in SETUPS), None)
    if found is None:
        return None
    command, function = SETUPS[found.tag]
    instead = f"{_filled(command, found)} (in Python {function})" if command else f"in Python {function}"
    what = "a file of" if found.tag in ("ExternalLoads", "IKTaskSet") else "the setup of"
    return f"this is {what} OpenSim's {found.tag}, not a model; what you may want: {instead}"


def _filled(command: str, setup: Element) -> str:
    """A command with the files that a setup names."""
    return "".join(_parts(command, setup))


def _parts(command: str, setup: Element) -> Iterable[str]:
    for before, tag, stand_in, _ in Formatter().parse(command):
        yield before
        if tag == "setup":
            yield Path(setup.file).name
        elif tag:
            named = (setup.text_of(tag) or "").strip()
            yield stand_in if not named or named.lower() == "unassigned" else named
