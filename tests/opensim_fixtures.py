"""Models of OpenSim's public collection and what OpenSim 4.6 computed of them, as small fixtures for tests.

    python tests/opensim_fixtures.py FOLDER

FOLDER has, for each model, the .osim file (of opensim-org/opensim-models, CC BY 3.0), poses of it and forward runs:
JSON files written by OpenSim's Python API. What is kept of them goes to tests/fixtures/opensim_<model>.json: couplings
and surfaces, eight poses, and of each run the states at every fifth of 101 times. Further runs, of arm26 without some
of its wraps (VARIANTS), are computed by OpenSim. `opensim_models.py` reads the models from their .osim files beside.
"""

import json
import re
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"
MODELS = {  # fixture -> (.osim file, poses, runs by name)
    "tug_of_war_thelen": ("tug_of_war/Tug_of_War.osim", "poses_Tug_of_War", {"run": "forward_Tug_of_War"}),
    "tug_of_war_millard": (
        "tug_of_war/Tug_of_War_Millard.osim",
        "poses_Tug_of_War_Millard",
        {"run": "forward_Tug_of_War_Millard"},
    ),
    "gait10dof18musc": (
        "gait10dof18musc/gait10dof18musc.osim",
        "poses",
        {"hanging": "forward_hanging", "free": "forward_free"},
    ),
    "leg6dof9musc": ("leg6dof9musc/leg6dof9musc.osim", "poses", {"run": "forward"}),
    "arm26": ("arm26/arm26.osim", "poses", {"run": "forward"}),
}
COPIED = ("gait10dof18musc",)  # .osim files kept without comments; the others are in tests/fixtures/osim
VARIANTS = {"arm26": {"unwrapped": (), "cylinders": ("TRI",), "wrapped": ("TRI", "BIClonghh")}}  # wraps that are left
ACCURACY = 1e-10  # of OpenSim's integrator
LICENCE = (
    "Model {name} of the OpenSim project (opensim-org/opensim-models), licence Creative Commons Attribution 3.0 "
    "(http://creativecommons.org/licenses/by/3.0/), kept in part by tests/opensim_fixtures.py; poses and runs computed "
    "with OpenSim 4.6. Credits in the file: {credits}"
)
EVERY_POSE, EVERY_TIME, DIGITS = {"arm26": 3}, 5, 13  # of the poses otherwise every eighth
POSE_KEYS = ("q", "u", "mass_matrix", "udot_gravity_only", "muscle_lengths", "muscle_speeds", "moment_arms")
POSE_KEYS += ("dlength_dq",)
EQUILIBRIUM_KEYS = ("activation", "fiber_length", "tendon_force", "udot_with_muscles")
RUN_KEYS = ("time", "q", "u", "activation", "fiber_length", "tendon_force")


def numbers(element, tag):
    return [float(x) for x in element.findtext(tag).split()]


def last(element, tag):
    """The name at the end of a path such as /bodyset/tibia_r."""
    return element.findtext(tag).strip().rsplit("/", 1)[-1]


def surface(element, body):
    found = {"class": element.tag, "body": body, "quadrant": element.findtext("quadrant").strip()}
    for tag in ("translation", "xyz_body_rotation", "radius", "length", "dimensions"):
        if element.find(tag) is not None:
            found[tag] = numbers(element, tag)
    return found


def read(path):
    """What the fixture keeps of an .osim file."""
    model = ET.parse(path).getroot().find("Model")
    credits = " ".join(model.findtext("credits").split())
    found = {"note": LICENCE.format(name=Path(path).name, credits=credits), "gravity": numbers(model, "gravity")}
    surfaces = {
        wrap.get("name"): surface(wrap, body.get("name"))
        for body in model.find("BodySet/objects")
        for wrap in body.findall("WrapObjectSet/objects/*")
    }
    if surfaces:
        found["surfaces"] = surfaces
    found["couplings"] = []
    for element in model.findall("ConstraintSet/objects/*"):
        assert element.tag == "CoordinateCouplerConstraint", element.tag
        leader, follower = last(element, "independent_coordinate_names"), last(element, "dependent_coordinate_name")
        slope, intercept = numbers(element.find("coupled_coordinates_function")[0], "coefficients")
        found["couplings"].append([leader, follower, slope, intercept])
    return found


def compute(path, run, wraps):
    """A stored run anew, as its file is laid out, with those of the path wraps alone that are named."""
    import opensim

    opensim.Logger.setLevelString("Off")
    tree = ET.parse(path)
    for objects in tree.iter("objects"):
        for wrap in objects.findall("PathWrap"):
            if last(wrap, "wrap_object") not in wraps:
                objects.remove(wrap)
    with tempfile.TemporaryDirectory() as folder:
        tree.write(file := str(Path(folder) / "model.osim"))
        model = opensim.Model(file)
    brain, muscles = opensim.PrescribedController(), [model.getMuscles().get(name) for name in run["muscles"]]
    for muscle in muscles:
        brain.addActuator(muscle)
    for name, *wave in run["excitations"]["rows"]:
        brain.prescribeControlForActuator(name, opensim.Sine(*wave))
    model.addController(brain)
    state = model.initSystem()
    coordinates = [model.getCoordinateSet().get(name) for name in run["coordinates"]]
    for coordinate, value in zip(coordinates, run["q"][0], strict=True):
        coordinate.setValue(state, value, False)
        coordinate.setSpeedValue(state, 0.0)
    model.equilibrateMuscles(state)
    manager = opensim.Manager(model)
    manager.setIntegratorAccuracy(ACCURACY)
    manager.initialize(state)
    found = {key: [] for key in RUN_KEYS}
    for t in run["time"]:
        state = manager.integrate(t) if t > 0 else state
        model.realizeDynamics(state)
        found["time"].append(t)
        found["q"].append([c.getValue(state) for c in coordinates])
        found["u"].append([c.getSpeedValue(state) for c in coordinates])
        found["activation"].append([m.getActivation(state) for m in muscles])
        found["fiber_length"].append([m.getFiberLength(state) for m in muscles])
        found["tendon_force"].append([m.getTendonForce(state) for m in muscles])
    return run | found


def thinned(run):
    """What the fixture keeps of a run."""
    kept = {"locked": run["locked"], "excitations": run["excitations"]["rows"]}
    return kept | {key: run[key][::EVERY_TIME] for key in RUN_KEYS}


def short(value):
    """Numbers rounded to significant digits, in lists and tables."""
    if isinstance(value, dict):
        return {key: short(x) for key, x in value.items()}
    if isinstance(value, list):
        return [short(x) for x in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def write(name, found):
    target = FIXTURES / f"{name}.json"
    target.write_text(json.dumps(short(found), separators=(",", ":")) + "\n")
    print(f"{target.name}: {target.stat().st_size / 1024:.0f} KiB")


def main(folder):
    for name, (osim, poses, runs) in MODELS.items():
        at = (folder / osim).parent
        found = read(folder / osim)
        known = json.loads((at / f"{poses}.json").read_text())
        found["coordinates"] = {c["name"]: c["default"] for c in known["coordinates"]}
        found["poses"] = []
        for pose in known["poses"][:: EVERY_POSE.get(name, 8)]:
            kept = {key: pose[key] for key in POSE_KEYS}
            kept["equilibrium"] = {key: pose["muscle_equilibrium"][key] for key in EQUILIBRIUM_KEYS}
            found["poses"].append(kept)
        stored = {run: json.loads((at / f"{file}.json").read_text()) for run, file in runs.items()}
        for variant, wraps in VARIANTS.get(name, {}).items():
            stored[variant] = compute(folder / osim, stored["run"], wraps)
        found["runs"] = {run: thinned(data) for run, data in stored.items()}
        write(f"opensim_{name}", found)
        if name in COPIED:
            text = re.sub(r"[ \t]*<!--.*?-->\n?", "", (folder / osim).read_text(), flags=re.S)
            (FIXTURES / f"opensim_{name}.osim").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
