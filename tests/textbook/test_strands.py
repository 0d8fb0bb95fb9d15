"""Eulerian-on-Lagrangian strands are the explicit form of paths through points."""

import numpy as np
import pytest
from mechanisms import muscled_tree

import myomass as mm

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("seed", range(3))
def test_strands_move_as_paths_do(seed):
    model, (q, qdot, _) = muscled_tree(seed, "points")
    J, Jdot = mm.muscles.muscle_jacobian(model, q), mm.muscles.muscle_jacobian_dot(model, q, qdot)
    for i, muscle in enumerate(model.muscles.table):
        corners = mm.muscles.muscle_paths(model, q)[i].corners
        velocities, J_xr, Jdot_xr = points_motion(model, muscle, q, qdot)
        alpha = model.muscles.lumps["alpha"][muscle["lump"] : muscle["lump"] + muscle["lumps"]]
        strand = mm.coordinates.strand_jacobians(corners, velocities, alpha)
        own = strand.J_ax @ J_xr
        np.testing.assert_allclose(own, J[i].reshape(own.shape), atol=1e-10)
        change = strand.Jdot_ax @ J_xr + strand.J_ax @ Jdot_xr
        np.testing.assert_allclose(change, Jdot[i].reshape(own.shape), atol=1e-8 * max(1, np.abs(change).max()))


def points_motion(model, muscle, q, qdot):
    """(velocities, J_xr, Jdot_xr) of a muscle's path points, (n, 3), (3 n, ndof) each."""
    first, count = muscle["point"], muscle["points"]
    links = {int(body["link"]): i for i, body in enumerate(model.bodies)}
    J, Jdot = [], []
    for point in model.muscles.points[first : first + count]:
        body = model.bodies[links[int(point["link"])]]
        place = body["R_lb"].T @ (point["p"] - body["p_lb"])
        name = model.names[links[int(point["link"])]]
        for kept, rows in zip((J, Jdot), mm.point_jacobian(model, q, name, place, qdot), strict=True):
            kept.append(rows)
    return np.array([j @ qdot for j in J]), np.concatenate(J), np.concatenate(Jdot)


def test_material_flows_as_equal_strain_asks():
    rng = np.random.default_rng(4)
    x, v = rng.normal(size=(2, 5, 3))
    strand = mm.coordinates.strand_jacobians(x, v, [0.2, 0.9])

    def s(points):
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        return np.cumsum(lengths)[:-1] / lengths.sum()

    h = 1e-6
    np.testing.assert_allclose(strand.J_sx @ v.ravel(), (s(x + h * v) - s(x - h * v)) / (2 * h), atol=1e-8)
    later, before = (mm.coordinates.strand_jacobians(x + e * v, v, [0.2, 0.9]) for e in (h, -h))
    np.testing.assert_allclose(strand.Jdot_sx, (later.J_sx - before.J_sx) / (2 * h), atol=1e-7)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (([[0, 0, 0]], [[0, 0, 0]], [0.5]), "two or more points"),
        (([[0, 0, 0], [0, 0, 0]], [[0, 0, 0]] * 2, [0.5]), "coincide"),
        (([[0, 0, 0], [0, 0, 1]], [[0, 0, 0]] * 2, [1.5]), "between 0 and 1"),
    ],
)
def test_bad_strands(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        mm.coordinates.strand_jacobians(*given)
