"""Published experiments, each done again by one command: figures, and a JSON of their numbers beside them.

A new one is a file with a function of the folder to write to, and one line in EXPERIMENTS.
"""

import json
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from myomass.model.spec import UnknownName

from . import (
    crawling,
    degradation,
    finger,
    gait,
    hand,
    muscle_share,
    network_range,
    network_sizes,
    pendulum_row,
    quadratic_velocity,
    spline_knee,
    touch_down,
    two_bones,
    walker,
)


class Experiment(NamedTuple):
    """A published experiment: what it shows, and the function that writes its figures and returns its numbers."""

    source: str
    about: str
    make: Callable[[Path], tuple[list[Path], dict]]


EXPERIMENTS = {
    "finger": Experiment(
        "Wang 2022, Fig. 1.1 and section 6.2.5",
        "The flicked finger: the largest stable force, with the inertia of its muscles and without.",
        finger.make,
    ),
    "touch-down": Experiment(
        "Wang 2022, Fig. 1.6",
        "A muscle that lands on a cylinder: energies, mass points and their Jacobian, exact and smooth.",
        touch_down.make,
    ),
    "starfish": Experiment(
        "Wang 2022, Fig. 6.1 and 6.2",
        "A starfish of flesh and bones: skeleton, coarse mesh and fine surface, and how it crawls.",
        crawling.make,
    ),
    "hand": Experiment(
        "Wang 2022, Fig. 6.3",
        "A hand held by its fingertips while its elbow moves: the forces it takes, in reduced coordinates and by rows.",
        hand.make,
    ),
    "two-bones": Experiment(
        "Wang 2022, Fig. 6.4",
        "Two bones and a muscle of equal mass straighten in 0.3 s; with the muscle lumped onto them they do not.",
        two_bones.make,
    ),
    "muscle-share": Experiment(
        "Wang 2022, section 6.2.2",
        "A muscle's share of the inertia of a rat's knee and of a human ankle, against the number of mass points.",
        muscle_share.make,
    ),
    "pendulum-row": Experiment(
        "Wang 2022, Fig. 6.5",
        "Double pendulums over cylinders of different size and place, and one with its muscle's mass on the bones.",
        pendulum_row.make,
    ),
    "quadratic-velocity": Experiment(
        "Wang 2022, Fig. 6.6",
        "Energy with and without the quadratic velocity vector of a muscle's mass.",
        quadratic_velocity.make,
    ),
    "network-sizes": Experiment(
        "Wang 2022, Fig. 6.7 to 6.11",
        "Depths, widths and sampling thresholds of networks, looked at where a muscle leaves its cylinder.",
        network_sizes.make,
    ),
    "network-range": Experiment(
        "Wang 2022, Fig. 6.12 to 6.14",
        "Networks outside the range that they were trained in: lines that go wrong, and by how much.",
        network_range.make,
    ),
    "gait": Experiment(
        "Wang 2022, Fig. 6.15 and 6.16",
        "Ankle torque in swing: OpenSim's, and ours with 0 % and 80 % of the shank's mass in its muscles.",
        gait.make,
    ),
    "degradation": Experiment(
        "Wang 2022, Fig. 6.17",
        "Ankle torque in swing while the muscles' share of the shank's mass goes from 80 % to nothing.",
        degradation.make,
    ),
    "spline-knee": Experiment(
        "Wang 2022, Fig. 6.18 and 6.19",
        "A leg with a spline knee and Hill-type muscles: what they do, and the gap of the knee beside that of a hinge.",
        spline_knee.make,
    ),
    "walker": Experiment(
        "Stepien et al. 2012, Fig. 10 and 11",
        "The compass walker: phase portrait of a leg, potential against kinetic energy.",
        walker.make,
    ),
}
__all__ = ["EXPERIMENTS", "flat", "reproduce"]
MOST = 8  # values of a list that are shown


def reproduce(name: str, folder: str | Path = ".") -> tuple[list[Path], dict]:
    """(files, numbers) of an experiment by its name; its figures and NAME.json are written into a folder."""
    if name not in EXPERIMENTS:
        close = get_close_matches(str(name), EXPERIMENTS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(EXPERIMENTS)}"
        raise UnknownName(f"there is no experiment {name!r}; {hint}")
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file, and figures are written into a folder")
    folder.mkdir(parents=True, exist_ok=True)
    files, numbers = EXPERIMENTS[name].make(folder)
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"source": EXPERIMENTS[name].source} | numbers, indent=2) + "\n")
    return [*files, path], numbers


def flat(numbers: dict, before: str = "") -> Iterator[tuple[str, object]]:
    """(what, value) of all numbers of an experiment, one after another; long lists by their length."""
    for key, value in numbers.items():
        what = f"{before} {key}".strip().replace("_", " ")
        if isinstance(value, dict):
            yield from flat(value, what)
        elif isinstance(value, list) and len(value) > MOST:
            yield what, f"{len(value)} values"
        else:
            yield what, value
