"""Models of OpenSim's public collection and what OpenSim 4.6 computed of them, as small fixtures for tests.

    python tests/opensim_fixtures.py FOLDER

FOLDER has, for each model, the .osim file (of opensim-org/opensim-models, CC BY 3.0), poses of it and forward runs:
JSON files written by OpenSim's Python API. What is kept of them goes to tests/fixtures/opensim_<model>.json: masses,
joints, paths, muscles and their curves, eight poses, and of each run the states at every fifth of 101 times. Further
runs, of arm26 without some of its wraps (VARIANTS), are computed here by OpenSim. The reader knows what these models
use, and not more; `opensim_models.py` builds models from the fixtures.
"""

import json
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
NUMBERS = {  # of a muscle: tag -> argument of mm.Hill
    "max_isometric_force": "optimal_force",
    "optimal_fiber_length": "optimal_fibre_length",
    "tendon_slack_length": "tendon_slack_length",
    "pennation_angle_at_optimal": "pennation",
    "max_contraction_velocity": "max_velocity",
    "fiber_damping": "damping",
    "activation_time_constant": "activation_time",
    "deactivation_time_constant": "deactivation_time",
    "minimum_activation": "least_activation",
    "maximum_pennation_angle": "max_pennation",
}
CURVES = {  # tag -> argument of the family of curves; of Millard's inside the element of the curve
    "FmaxTendonStrain": "tendon_strain",
    "FmaxMuscleStrain": "passive_strain",
    "KshapeActive": "active_shape",
    "KshapePassive": "passive_shape",
    "Af": "velocity_shape",
    "Flen": "lengthening_force",
    "fv_linear_extrap_threshold": "linear_from",
    "ActiveForceLengthCurve/min_norm_active_fiber_length": "shortest_active",
    "ActiveForceLengthCurve/transition_norm_fiber_length": "transition_length",
    "ActiveForceLengthCurve/max_norm_active_fiber_length": "longest_active",
    "ActiveForceLengthCurve/shallow_ascending_slope": "shallow_slope",
    "ActiveForceLengthCurve/minimum_value": "least_active",
    "FiberForceLengthCurve/strain_at_zero_force": "passive_start",
    "FiberForceLengthCurve/strain_at_one_norm_force": "passive_strain",
    "FiberForceLengthCurve/stiffness_at_low_force": "passive_low_stiffness",
    "FiberForceLengthCurve/stiffness_at_one_norm_force": "passive_stiffness",
    "FiberForceLengthCurve/curviness": "passive_curviness",
    "ForceVelocityCurve/concentric_slope_at_vmax": "shortening_end_slope",
    "ForceVelocityCurve/concentric_slope_near_vmax": "shortening_slope",
    "ForceVelocityCurve/isometric_slope": "isometric_slope",
    "ForceVelocityCurve/eccentric_slope_at_vmax": "lengthening_end_slope",
    "ForceVelocityCurve/eccentric_slope_near_vmax": "lengthening_slope",
    "ForceVelocityCurve/max_eccentric_velocity_force_multiplier": "lengthening_force",
    "ForceVelocityCurve/concentric_curviness": "shortening_curviness",
    "ForceVelocityCurve/eccentric_curviness": "lengthening_curviness",
    "TendonForceLengthCurve/strain_at_one_norm_force": "tendon_strain",
    "TendonForceLengthCurve/stiffness_at_one_norm_force": "tendon_stiffness",
    "TendonForceLengthCurve/norm_force_at_toe_end": "tendon_toe_force",
    "TendonForceLengthCurve/curviness": "tendon_curviness",
}


def numbers(element, tag):
    return [float(x) for x in element.findtext(tag).split()]


def last(element, tag):
    """The name at the end of a path such as /bodyset/tibia_r."""
    return element.findtext(tag).strip().rsplit("/", 1)[-1]


def function(element, scale=1.0):
    """A number, {"line": [slope, intercept]} or {"spline": [x, y]}."""
    if element.tag == "MultiplierFunction":
        return function(element.find("function")[0], scale * float(element.findtext("scale")))
    if element.tag == "Constant":
        return scale * float(element.findtext("value"))
    if element.tag == "LinearFunction":
        return {"line": [scale * x for x in numbers(element, "coefficients")]}
    if element.tag == "SimmSpline":
        return {"spline": [numbers(element, "x"), [scale * y for y in numbers(element, "y")]]}
    raise ValueError(f"the reader does not know the function {element.tag}")


def joint(element):
    frames = {frame.get("name"): frame for frame in element.iter("PhysicalOffsetFrame")}
    ends = [frames[last(element, tag)] for tag in ("socket_parent_frame", "socket_child_frame")]
    places = [[numbers(end, "translation"), numbers(end, "orientation")] for end in ends]
    found = {"kind": element.tag, "parent": last(ends[0], "socket_parent"), "child": last(ends[1], "socket_parent")}
    found |= {"in_parent": places[0], "in_child": places[1]}
    found["coordinates"] = [c.get("name") for c in element.iter("Coordinate")]
    if element.tag == "CustomJoint":
        found["axes"] = [
            {
                "coordinate": (axis.findtext("coordinates") or "").strip() or None,
                "axis": numbers(axis, "axis"),
                "function": function(next(child for child in axis if child.tag not in ("coordinates", "axis"))),
            }
            for axis in element.iter("TransformAxis")
        ]
    return found


def point(element):
    found = {"name": element.get("name"), "body": last(element, "socket_parent_frame")}
    if element.tag == "MovingPathPoint":
        (found["coordinate"],) = {last(element, f"socket_{x}_coordinate") for x in "xyz"}
        found["place"] = [function(element.find(f"{x}_location")[0]) for x in "xyz"]
    else:
        found["place"] = numbers(element, "location")
    if element.tag == "ConditionalPathPoint":
        found["within"] = {"coordinate": last(element, "socket_coordinate"), "range": numbers(element, "range")}
    return found


def muscle(element):
    found = {"class": element.tag, "points": [point(p) for p in element.find("GeometryPath/PathPointSet/objects")]}
    found["hill"] = {name: numbers(element, tag)[0] for tag, name in NUMBERS.items() if element.findtext(tag)}
    found["curves"] = {name: numbers(element, tag)[0] for tag, name in CURVES.items() if element.findtext(tag)}
    wraps = list(element.iter("PathWrap"))
    if wraps:
        found["wraps"] = [last(wrap, "wrap_object") for wrap in wraps]
    return found


def surface(element, body):
    found = {"class": element.tag, "body": body, "quadrant": element.findtext("quadrant").strip()}
    for tag in ("translation", "xyz_body_rotation", "radius", "length", "dimensions"):
        if element.find(tag) is not None:
            found[tag] = numbers(element, tag)
    return found


def read(path):
    """What the fixture keeps of an .osim file."""
    model = ET.parse(path).getroot().find("Model")
    objects = {kind: model.find(f"{kind}/objects") for kind in ("BodySet", "JointSet", "ForceSet", "ConstraintSet")}
    credits = " ".join(model.findtext("credits").split())
    found = {"note": LICENCE.format(name=Path(path).name, credits=credits), "gravity": numbers(model, "gravity")}
    found["bodies"] = {
        body.get("name"): [*numbers(body, "mass"), *numbers(body, "mass_center"), *numbers(body, "inertia")]
        for body in objects["BodySet"]
    }
    found["surfaces"] = {
        wrap.get("name"): surface(wrap, body.get("name"))
        for body in objects["BodySet"]
        for wrap in body.findall("WrapObjectSet/objects/*")
    }
    found["joints"] = {element.get("name"): joint(element) for element in objects["JointSet"]}
    found["muscles"] = {element.get("name"): muscle(element) for element in objects["ForceSet"]}
    found["couplings"] = []
    for element in objects["ConstraintSet"] if objects["ConstraintSet"] is not None else []:
        assert element.tag == "CoordinateCouplerConstraint", element.tag
        leader, follower = last(element, "independent_coordinate_names"), last(element, "dependent_coordinate_name")
        slope, intercept = function(element.find("coupled_coordinates_function")[0])["line"]
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


def is_spline(function):
    return function["function"].startswith("SimmSpline")


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
    functions = json.loads((folder / "functions/functions.json").read_text())["functions"]
    splines = [{key: f[key] for key in ("x", "y")} | {"rows": f["rows"][::3]} for f in functions if is_spline(f)]
    write("opensim_splines", {"note": "SimmSpline at x: value and two derivatives; OpenSim 4.6", "splines": splines})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
