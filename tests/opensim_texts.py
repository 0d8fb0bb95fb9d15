"""A small tree of three bodies as the text of an .osim file, in the formats 40000 and 30000, for what acts on it.

`free` moves by a custom joint with six coordinates, `hand` hangs from it by a pin, and `other` is as free as `free`.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import myomass as mm

MASS, CENTRE = 2.0, "0.05 -0.1 0.03"
INERTIA = {"xx": 0.03, "yy": 0.05, "zz": 0.04, "xy": 0.004, "xz": -0.003, "yz": 0.002}
PARENT, CHILD = ("0.1 -0.3 0.05", "0.3 -0.2 0.5"), ("0.02 0.2 0", "0 0.1 0")
AXES = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")
BODIES = {"free": "ground", "hand": "free", "other": "ground"}
COORDINATES = [*(f"free_{k}" for k in range(6)), "bend", *(f"other_{k}" for k in range(6))]
FORMATS = (40000, 30000)


def axis_text(version, name, coordinate, way):
    line = "<coefficients>1 0</coefficients></LinearFunction>"
    function = f'<LinearFunction name="function">{line}'
    if version < 40000:
        function = f"<function><LinearFunction>{line}</function>"
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinate}</coordinates><axis>{way}</axis>{function}'
        "</TransformAxis>"
    )


def coordinate_text(name, default, told=""):
    return f'<Coordinate name="{name}"><default_value>{default:.17g}</default_value>{told}</Coordinate>'


def joint_text(version, body, defaults, told):
    """The joint by which a body hangs. told: more of a coordinate, by its name."""
    names = ["bend"] if body == "hand" else [f"{body}_{k}" for k in range(6)]
    kind = "PinJoint" if body == "hand" else "CustomJoint"
    listed = "".join(coordinate_text(name, defaults[name], told.get(name, "")) for name in names)
    extra = ""
    if kind == "CustomJoint":
        ways = ("1 0 0", "0 1 0", "0 0 1") * 2
        axes = [axis_text(version, *row) for row in zip(AXES, names, ways, strict=True)]
        extra = f"<SpatialTransform>{''.join(axes)}</SpatialTransform>"
    parent = BODIES[body]
    if version < 40000:
        return (
            f'<Joint><{kind} name="to_{body}"><parent_body>{parent}</parent_body>'
            f"<location_in_parent>{PARENT[0]}</location_in_parent>"
            f"<orientation_in_parent>{PARENT[1]}</orientation_in_parent>"
            f"<location>{CHILD[0]}</location><orientation>{CHILD[1]}</orientation>"
            f"<CoordinateSet><objects>{listed}</objects></CoordinateSet>{extra}</{kind}></Joint>"
        )
    at = "/ground" if parent == "ground" else f"/bodyset/{parent}"
    frames = frame_text("before", at, *PARENT) + frame_text("after", f"/bodyset/{body}", *CHILD)
    return (
        f'<{kind} name="to_{body}"><socket_parent_frame>before</socket_parent_frame>'
        f"<socket_child_frame>after</socket_child_frame><coordinates>{listed}</coordinates>"
        f"<frames>{frames}</frames>{extra}</{kind}>"
    )


def frame_text(name, parent, place, angles):
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent>'
        f"<translation>{place}</translation><orientation>{angles}</orientation></PhysicalOffsetFrame>"
    )


def osim(version=40000, defaults=None, told=None, **sets):
    """The text of a model. sets: what ConstraintSet, ForceSet and so on hold."""
    defaults = dict.fromkeys(COORDINATES, 0.0) | (defaults or {})
    joints = {body: joint_text(version, body, defaults, told or {}) for body in BODIES}
    inner = f"<mass>{MASS}</mass><mass_center>{CENTRE}</mass_center>"
    six = "".join(f"<inertia_{key}>{value}</inertia_{key}>" for key, value in INERTIA.items())
    if version >= 40000:
        six = f"<inertia>{' '.join(str(value) for value in INERTIA.values())}</inertia>"
    bodies = [f'<Body name="{body}">{inner}{six}{joints[body] if version < 40000 else ""}</Body>' for body in BODIES]
    if version < 40000:
        bodies.insert(0, '<Body name="ground"><mass>0</mass><Joint/></Body>')
    else:
        sets = {"JointSet": "\n".join(joints.values())} | sets
    listed = {"BodySet": "\n".join(bodies)} | sets
    texts = [f'<{key} name="{key.lower()}"><objects>{text}</objects></{key}>' for key, text in listed.items()]
    ground = "" if version < 40000 else '<Ground name="ground"/>'
    head = f'<?xml version="1.0"?>\n<OpenSimDocument Version="{version}"><Model name="tree">\n'
    inner = "\n".join(["<gravity>0 -9.80665 0</gravity>", ground, *texts])
    return f"{head}{inner}\n</Model></OpenSimDocument>\n"


def numbers(values):
    return " ".join(f"{value:.17g}" for value in np.ravel(values))


def angles_of(R):
    """Body-fixed x-y-z angles of a rotation."""
    return np.array([np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])])


def socket(version, word, body):
    """How an element names a body."""
    if version < 40000:
        return f"<{word}>{body}</{word}>"
    return f"<socket_{word}>{'/ground' if body == 'ground' else f'/bodyset/{body}'}</socket_{word}>"


def read(tmp_path, text, **options):
    """The spec of a text."""
    path = tmp_path / "model.osim"
    path.write_text(text)
    return mm.io.read_osim(path, **options)


def in_opensim(opensim, tmp_path, text):
    """(opensim.Model, state) of a text."""
    opensim.Logger.setLevelString("Off")
    path = tmp_path / "theirs.osim"
    path.write_text(text)
    model = opensim.Model(str(path))
    return model, model.initSystem()


def accelerations(model, state, names, q, qdot):
    """Accelerations of an initialised opensim.Model by the names of its coordinates."""
    coordinates = [model.getCoordinateSet().get(name) for name in names]
    for coordinate, place, speed in zip(coordinates, q, qdot, strict=True):
        coordinate.setValue(state, float(place), False)
        coordinate.setSpeedValue(state, float(speed))
    model.realizeAcceleration(state)
    return np.array([coordinate.getAccelerationValue(state) for coordinate in coordinates])


def frames_at(q):
    """Poses in the world of the bodies' frames of the file. By name"""
    model = bare(q)
    E = mm.forward_kinematics(model, q)
    return {"ground": np.eye(4)} | {name: E[model.body(name)] @ model.frames[name].pose for name in BODIES}


def bare(q):
    """The tree with nothing acting on it."""

    with TemporaryDirectory() as folder:
        return read(Path(folder), osim(defaults=dict(zip(COORDINATES, q, strict=True)))).compile()
