"""Names of joints that are not those of the bodies that hang by them: in models, files and re-rooted trees."""

import pickle

import numpy as np
import pytest

import myomass as mm
from myomass.archive import from_arrays, same_mechanism, to_arrays

BALL = mm.Inertia.sphere(0.1, mass=2.0)
NAMES = {"hip": "thigh", "knee": "shank", "ankle": "foot"}
pytestmark = pytest.mark.fast


def leg():
    spec = mm.Spec("leg")
    for parent, (joint, body) in zip((None, "thigh", "shank"), NAMES.items(), strict=True):
        spec.add_body(body, parent, mm.Revolute((0, 1, 0)), mm.translation(0, 0, -0.4), None, BALL, joint_name=joint)
    spec.add_body("ball", None, mm.Free3D(), inertia=BALL, joint_name="flight")
    return spec


def test_a_model_knows_them_and_keeps_them():
    model = leg().compile()
    assert model.joint_names == NAMES | {"flight": "ball"}
    assert pickle.loads(pickle.dumps(model)).joint_names == model.joint_names
    assert from_arrays(to_arrays(model)).joint_names == model.joint_names
    other = leg()
    other.bodies["foot"].joint_name = None
    assert same_mechanism(model, other.compile()), "a name is no mechanics"


def test_in_files_from_before_there_are_none():
    arrays = to_arrays(leg().compile())
    del arrays["joint_names"]
    assert from_arrays(arrays).joint_names == {}


def test_hung_from_the_foot_joints_go_by_the_bodies_that_hang_by_them_now():
    spec, now = leg(), {"knee": "thigh", "ankle": "shank", "flight": "ball"}
    model = spec.compile()
    hung, _ = mm.reroot(model, model.state(np.zeros(model.ndof)), "foot", place=(0, 0, 0))
    assert hung.joint_names == now
    assert spec.reroot("foot").compile().joint_names == now


def test_reactions_go_by_them():
    model = leg().compile()
    table = mm.recordings.Table(np.linspace(0, 1, 9), np.zeros((9, model.ndof)), model.coordinates)
    found = mm.analyses.joint_reactions(model, table, joints=["knee", "foot"])
    assert (found.names, found.children) == (("knee", "ankle"), ("shank", "foot"))
    np.testing.assert_array_equal(found["knee"], found["shank"])
    assert found.table().names[0] == "knee_on_shank_in_ground_fx"


def test_wrong_names():
    twice, empty = leg(), leg()
    twice.bodies["foot"].joint_name = "hip"
    with pytest.raises(ValueError, match="bodies 'thigh' and 'foot' both hang by a joint 'hip'"):
        twice.compile()
    empty.bodies["foot"].joint_name = ""
    with pytest.raises(ValueError, match="body 'foot': joint_name must be a string that is not empty, and is ''"):
        empty.compile()
