"""euler, bdf1 and bdf2 step by step against runs of the public MATLAB RedMax (see the fixture's source).

Constrained scenes run with its Baumgarte gains; its springs between nodes are explicit, as with semi-implicit here.

None of these scenes is chaotic enough to need more than 1e-8, though several are double pendula.
"""

from pathlib import Path

import numpy as np
import pytest

import myomass as mm

with np.load(Path(__file__).parents[1] / "fixtures" / "redmax_runs.npz") as file:
    STORED = {tuple(key.split("/")): file[key] for key in file if key != "source"}
LENGTHS = {  # degrees of freedom that are lengths, in cm there
    "planar-joint": [0, 1],
    "implicit-planar-joint": [0, 1],
    "free-joint": [0, 1, 2],
    "implicit-2d-free-joint": [0, 1],
    "mass-springs": slice(2, None),
}
DEFECTIVE = ("spring-damper", "euler")  # see below


@pytest.mark.parametrize(("name", "integrator"), [key for key in STORED if key != DEFECTIVE])
def test_step_by_step(name, integrator):
    expected = STORED[name, integrator].copy()
    expected[:, :, LENGTHS.get(name, [])] *= 0.01
    scene = mm.scenes.load(name)
    trajectory = mm.simulate(scene, integrator=integrator, baumgarte=scene.baumgarte)
    for got, stored in zip((trajectory.q, trajectory.qdot), expected, strict=True):
        assert got.shape == stored.shape
        np.testing.assert_allclose(got, stored, rtol=0, atol=1e-8 * np.abs(stored).max())


def test_the_spring_damper_of_the_table_is_only_wrong_in_its_damper():
    """There the damper's force has the wrong sign beside its matrix, and of K only the stretching part is kept.

    The same step with these two defects, from our own parts, is the stored run: so all else is right.
    """
    scene = mm.scenes.load("spring-damper")
    model, h = scene.model, scene.h
    k, d, rest, _ = model.forces.params[:4]
    ends = list(zip((0, 1), model.forces.nodes["p"], strict=True))
    q, qdot = scene.q, scene.qdot
    for row in STORED[DEFECTIVE].transpose(1, 0, 2)[1:]:
        poses = mm.forward_kinematics(model, q)
        places = [0.01 * np.array(x) for x in ((-2, 0, -0.5), (1, 0.5, -0.5))]
        x = [(poses[i] @ [*places[i], 1])[:3] for i, _ in ends]
        J = [mm.point_jacobian(model, q, i, places[i])[0] for i, _ in ends]
        along = (x[1] - x[0]) / (length := np.linalg.norm(x[1] - x[0]))
        stretch = along @ (J[1] - J[0])  # dl/dq
        rate = stretch @ qdot
        pull = k * (length - rest) / rest - d * rate / rest
        M = mm.mass_matrix(model, q)
        f = -stretch * pull - mm.dynamics.bias_forces(model, q, qdot)
        K, D = -k / rest * np.outer(stretch, stretch), d / rest * np.outer(stretch, stretch)
        qdot = np.linalg.solve(M + h * D - h**2 * K, M @ qdot + h * f)
        q = q + h * qdot
        np.testing.assert_allclose([q, qdot], row, rtol=0, atol=1e-8 * np.abs(row).max())
