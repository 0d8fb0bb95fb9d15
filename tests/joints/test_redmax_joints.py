"""Q, S, Sdot and dS of every joint type against the numbers of the public MATLAB RedMax (see the fixture's source)."""

import json
from pathlib import Path

import numpy as np
import pytest

import myomass as mm

pytestmark = pytest.mark.fast
FIXTURE = json.loads((Path(__file__).parents[1] / "fixtures" / "redmax_joints.json").read_text())
PLAIN = {
    "Planar": mm.Planar(),
    "Translational": mm.Translational(),
    "Universal": mm.Universal(),
    "SphericalExp": mm.SphericalExp(),
    "Free": mm.Free3D("RT"),
    "Free2D": mm.Free2D(),
    "Free3D": mm.Free3D("TR"),
    "Composite": mm.Composite(mm.SphericalExp(), mm.Universal()),
    "SplineCurve": mm.SplineCurve(FIXTURE["spline_curve_frames"]),
    "SplineSurface": mm.SplineSurface(np.moveaxis(np.array(FIXTURE["spline_surface_control_ij_xyzabc"]), 2, 0)),
}


def joint_of(entry, state, differentiable):
    kind = entry["type"]
    if kind in ("Revolute", "Prismatic"):
        return getattr(mm, kind)(entry["axis"])
    if kind == "Spherical":
        return mm.SphericalEuler(state["chart"])
    if kind == "Free3D" and differentiable:
        return mm.Free3D(rotation=mm.SphericalEuler("XYZ"))
    return PLAIN[kind]


CASES = [
    pytest.param(entry, state, part == "diff_joints", id=f"{part}-{entry['type']}-{i}")
    for part in ("joints", "diff_joints")
    for entry in FIXTURE[part]
    for i, state in enumerate(entry["states"])
]


@pytest.mark.parametrize(("entry", "state", "differentiable"), CASES)
def test_joint_agrees(entry, state, differentiable):
    joint = joint_of(entry, state, differentiable)
    n = joint.ndof
    q, qdot = np.atleast_1d(state["q"]).astype(float), np.atleast_1d(state["qdot"]).astype(float)
    close = {"rtol": 1e-13, "atol": 1e-14 * max(1.0, np.abs(state["Q"]).max())}
    np.testing.assert_allclose(joint.Q(q), state["Q"], **close)
    np.testing.assert_allclose(joint.S(q), np.reshape(state["S"], (6, n)), **close)
    np.testing.assert_allclose(joint.Sdot(q, qdot), np.reshape(state["Sdot"], (6, n)), **close)
    if "dSdq" in state:
        np.testing.assert_allclose(joint.dS(q), np.reshape(state["dSdq"], (n, 6, n)), **close)


@pytest.mark.parametrize("entry", FIXTURE["reparameterisation"])
def test_reparameterisation_of_exponential_coordinates_agrees(entry):
    spec = mm.Spec()
    spec.add_body("ball", joint=mm.SphericalExp(), inertia=mm.Inertia.sphere(1, mass=1))
    model = spec.compile()
    new = mm.algorithms.reparameterise(model, model.state(entry["q"], entry["qdot"]))
    np.testing.assert_allclose(new.q, entry["q_new"], rtol=1e-13)
    np.testing.assert_allclose(new.qdot, entry["qdot_new"], rtol=1e-12)
