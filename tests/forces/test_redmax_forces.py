"""Forces between free bodies against the public MATLAB RedMax (see the fixture's source): wrench, energy, K and D."""

import json
from pathlib import Path

import numpy as np
import pytest

import myomass as mm

pytestmark = pytest.mark.fast
STORED = json.loads((Path(__file__).parents[1] / "fixtures" / "redmax_forces.json").read_text())


def free_bodies(entry):
    """(spec, q, qdot): free bodies that stand at q = 0 in the stored poses with the stored twists."""
    spec = mm.Spec(gravity=(0, 0, 0))
    for i, body in enumerate(entry):
        spec.add_body(f"b{i}", None, mm.Free3D(), np.array(body["E"]), None, mm.Inertia.cuboid((1, 2, 3), mass=1))
    phi = np.concatenate([body["phi"] for body in entry])
    return spec, np.zeros(len(phi)), phi


def expected_slopes(model, q, qdot, stored):
    """df/dq and df/dqdot of f = J^T f_m, from the stored f_m and its slopes K_m and D_m in the bodies' own frames."""
    f_m, K_m, D_m = (np.array(stored[key], float) for key in ("fm", "Km", "Dm"))
    J = mm.jacobian(model, q)
    K = J.T @ K_m @ J
    for j in range(model.ndof):
        step = np.zeros(model.ndof, complex)
        step[j] = 1e-30j
        dJ = mm.jacobian(model, q + step).imag / 1e-30
        K[:, j] += dJ.T @ f_m + J.T @ D_m @ dJ @ qdot
    return K, J.T @ D_m @ J


def check(spec, q, qdot, stored):
    model = spec.compile()
    J = mm.jacobian(model, q)
    qdot = np.linalg.solve(J, qdot)
    f = J.T @ np.array(stored["fm"], float)
    scale = np.abs(f).max()
    np.testing.assert_allclose(mm.applied_forces(model, q, qdot), f, rtol=0, atol=1e-11 * scale)
    for got, expected in zip(
        mm.dynamics.force_derivatives(model, q, qdot), expected_slopes(model, q, qdot, stored), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11 * max(scale, np.abs(expected).max()))
    assert mm.energy(model, q, 0 * qdot).potential == pytest.approx(stored["V"], rel=1e-11)


@pytest.mark.parametrize("entry", STORED["differentiable"])
class TestDifferentiable:
    def test_point_spring(self, entry):
        spec, q, qdot = free_bodies(entry["bodies"])
        stored = entry["pointpoint"]
        a, b = (("b0", entry["bodies"][0]["x"]), ("b1", entry["bodies"][1]["x"]))
        spec.add_force(mm.PointSpring(a, b, stiffness=stored["k"], damping=stored["d"]))
        check(spec, q, qdot, stored)

    @pytest.mark.parametrize(("name", "force", "count"), [("springdamper", mm.SpringDamper, 2), ("cable", mm.Cable, 3)])
    def test_tension(self, entry, name, force, count):
        spec, q, qdot = free_bodies(entry["bodies"])
        stored = entry[name]
        points = [(f"b{i}", entry["bodies"][i]["x"]) for i in range(count)]
        spec.add_force(force(points, stiffness=stored["k"], damping=stored["d"], rest_length=stored["L"]))
        check(spec, q, qdot, stored)

    def test_ground(self, entry):
        """The stored sliding friction pushes along the motion, a defect; where every point sticks, all agrees."""
        spec, q, qdot = free_bodies(entry["bodies"])
        stored = entry["ground"]
        options = {"stiffness": stored["kn"], "damping": stored["kd"], "friction": stored["mu"]}
        ground = mm.Ground("b0", sticking=stored["kt"], size=stored["sides"], **options)
        spec.add_force(ground)
        check(spec, q, qdot, stored)


@pytest.mark.parametrize(("name", "sign"), [("slow", 1), ("fast", -1)])
def test_ground_friction_opposes_sliding(name, sign):
    """A cube of side 2, 0.01 deep; where it slides fast the stored force points along the motion, ours against it."""
    stored = STORED["ground_probe"][name]
    spec = mm.Spec(gravity=(0, 0, 0))
    spec.add_body("box", None, mm.Free3D(), mm.translation(0, 0, 0.99), None, mm.Inertia.cuboid((2, 2, 2), mass=1))
    spec.add_force(mm.Ground("box", stiffness=1e5, friction=0.5, sticking=100, size=(2, 2, 2)))
    model = spec.compile()
    J = mm.jacobian(model, np.zeros(6))
    wrench = np.linalg.solve(J.T, mm.applied_forces(model, np.zeros(6), np.linalg.solve(J, stored["phi"])))
    expected = np.array(stored["fm"], float) * [sign, sign, sign, sign, sign, 1]
    np.testing.assert_allclose(wrench, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("entry", STORED["springs"])
def test_springs_of_the_table(entry):
    """The spring of no rest length; the table's spring-damper has another energy and a damper of the wrong sign."""
    bodies = [{"E": entry["E1"], "phi": entry["phi1"]}, {"E": entry["E2"], "phi": entry["phi2"]}]
    spec, q, qdot = free_bodies(bodies)
    spec.add_force(mm.PointSpring(("b0", entry["x1"]), ("b1", entry["x2"]), stiffness=entry["pointpoint"]["k"]))
    model = spec.compile()
    J = mm.jacobian(model, q)
    np.testing.assert_allclose(mm.applied_forces(model, q, qdot), J.T @ entry["pointpoint"]["f"], rtol=1e-10)
    assert mm.energy(model, q, 0 * q).potential == pytest.approx(entry["pointpoint"]["V"], rel=1e-11)
