"""Bodies in balance: patch test, beams, an independent program, and starts that are flat, collapsed or inverted."""

import warnings

import numpy as np
import pytest
from soft_bodies import KINDS, block

import myomass as mm

d = mm.deformables
HELD = np.arange(9)  # nodes of `block` with the least x


def traction_loads(mesh, at, stress):
    """Forces on nodes of a box's face x = at under a linear traction along x, given at the nodes [N]. (n, 3)"""
    face = mesh.surface[(np.abs(mesh.nodes[mesh.surface][:, :, 0] - at) < 1e-9).all(axis=1)]
    a, b, c = (mesh.nodes[face[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    loads = np.zeros_like(mesh.nodes)
    shares = (stress[face].sum(axis=1, keepdims=True) + stress[face]) / 12
    np.add.at(loads[:, 0], face, shares * area[:, None])
    return loads


@pytest.mark.parametrize("kind", KINDS)
def test_patch(kind):
    """Nodes of the surface on a linear field: the irregular ones inside are too, and all elements are alike."""
    rng = np.random.default_rng(0)
    box = d.TetMesh.box((1, 1, 1), (4, 4, 4))
    nodes = box.nodes.copy()
    inside = np.setdiff1d(np.arange(len(nodes)), box.surface)
    nodes[inside] += rng.uniform(-0.04, 0.04, (len(inside), 3))
    body = d.SoftBody(d.TetMesh(nodes, box.tets), KINDS[kind](1e5, 0.3, 1000.0), gravity=(0, 0, 0))
    A = np.eye(3) + 0.1 * rng.normal(size=(3, 3))
    start = nodes @ A.T
    start[inside] += 0.02 * rng.normal(size=(len(inside), 3))
    found = body.equilibrium(np.unique(box.surface), start=start)
    assert found.converged
    np.testing.assert_allclose(found.x, nodes @ A.T, rtol=0, atol=1e-12)


def test_pure_bending_converges_to_the_beam_with_the_order_of_the_elements():
    """Poisson's ratio 0: the beam's u = (k x z, 0, -k x^2/2) is exact elasticity; the error falls as h^2."""
    length, k, E, errors = 1.0, 1e-6, 1e5, []
    for n in (4, 8, 16):
        mesh = d.TetMesh.box((length, 0.5, 1.0), (n, n // 2, n))
        X = mesh.nodes + (length / 2, 0, 0)
        exact = k * np.stack([X[:, 0] * X[:, 2], 0 * X[:, 0], -(X[:, 0] ** 2) / 2], axis=1)
        body = d.SoftBody(mesh, d.CoRotated(E, 0.0, 1.0), gravity=(0, 0, 0))
        found = body.equilibrium(X[:, 0] < 1e-9, traction_loads(mesh, length / 2, E * k * X[:, 2]))
        errors.append(np.linalg.norm(found.x - mesh.nodes - exact) / np.linalg.norm(exact))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert errors[-1] < 0.02
    assert 1.7 < orders[0] < orders[1]
    assert 1.9 < orders[1] < 2.1


def test_a_slender_beam_that_is_fine_enough_sags_as_the_formula_says():
    """Under its weight: w L^4/(8 E I) and the shear of Timoshenko; linear elements are too stiff, so from below."""
    length, side, E = 1.0, 0.25, 1e7
    sag = []
    for n in (2, 4):
        mesh = d.TetMesh.box((length, side, side), (4 * n, n, n))
        body = d.SoftBody(mesh, d.CoRotated(E, 0.0, 1000.0), gravity=(0, 0, -1e-2))
        found = body.equilibrium(mesh.nodes[:, 0] < -length / 2 + 1e-9)
        end = mesh.nodes[:, 0] > length / 2 - 1e-9
        sag.append(-(found.x - mesh.nodes)[end, 2].mean())
    line = 1000 * side**2 * 1e-2
    formula = line * length**4 / (8 * E * side**4 / 12) + line * length**2 / (2 * 5 / 6 * E / 2 * side**2)
    assert 0.5 < sag[0] / formula < sag[1] / formula < 1
    assert sag[1] / formula > 0.8
    np.testing.assert_allclose(sag[1] + (sag[1] - sag[0]) / 3, formula, rtol=0.1)  # extrapolated


@pytest.mark.parametrize("kind", KINDS)
def test_small_deflections_are_those_of_scikit_fem(kind):
    skfem = pytest.importorskip("skfem")
    from skfem.models.elasticity import linear_elasticity

    body = block(KINDS[kind])
    mesh, material = body.mesh, body.materials[0]
    basis = skfem.Basis(
        skfem.MeshTet(mesh.nodes.T.copy(), mesh.tets.T.copy()), skfem.ElementVector(skfem.ElementTetP1())
    )
    places = basis.nodal_dofs.T.ravel()
    theirs = linear_elasticity(material.lame[1], material.lame[0]).assemble(basis).tocsr()[places][:, places]
    K = body.stiffness(mesh.nodes)
    assert abs(K - theirs).max() <= 1e-13 * abs(K).max()
    load = np.random.default_rng(0).normal(size=mesh.nodes.shape)
    held = np.zeros(mesh.nodes.shape, bool)
    held[HELD] = True
    u = skfem.solve(*skfem.condense(theirs.tocsc(), load.ravel(), D=np.flatnonzero(held))).reshape(-1, 3)
    small = 1e-4  # [N]: strains of 1e-8
    found = body.equilibrium(HELD, small * load)
    np.testing.assert_allclose((found.x - mesh.nodes) / small, u, rtol=0, atol=1e-6 * np.abs(u).max())


@pytest.mark.parametrize("kind", ["CoRotated", "StableNeoHookean"])
@pytest.mark.parametrize("poisson", [0.3, 0.45])
def test_recovery(kind, poisson):
    """A body that is collapsed or mirrored, or most of whose elements are inverted, springs back to its shape."""
    body = block(KINDS[kind], poisson)
    X, rng = body.rest, np.random.default_rng(5)
    free = np.setdiff1d(np.arange(len(X)), HELD)
    starts = {
        "a point": np.tile(X[4], (len(X), 1)),
        "a line": X * (1, 0, 0),
        "a plane": X * (1, 1, 0),
        "mirrored": np.where(X[:, :1] > -0.5, (-1.0, 0, 0) - X * (1, -1, -1), X),
        "at random": X + rng.uniform(-0.2, 0.2, X.shape),
    }
    for name, start in starts.items():
        start[HELD] = X[HELD]
        found = body.equilibrium(HELD, start=start)
        assert found.converged, name
        assert found.message == "in balance", name
        np.testing.assert_allclose(found.x[free], X[free], rtol=0, atol=1e-9, err_msg=name)


def test_reactions_carry_weight_and_loads():
    body = block(d.StableNeoHookean, gravity=(0, 0, -9.81))
    loads = np.zeros_like(body.rest)
    loads[-1] = (30.0, 5.0, 10.0)
    found = body.equilibrium(HELD, loads)
    assert found.converged
    assert not found.reactions[9:].any()
    np.testing.assert_allclose(found.reactions.sum(axis=0), -(body.weight + loads).sum(axis=0), rtol=1e-7)
    moment = np.cross(found.x, found.reactions + body.weight + loads).sum(axis=0)
    np.testing.assert_allclose(moment, 0, atol=1e-5)
    work = np.sum(loads * (found.x - body.rest))
    np.testing.assert_allclose(found.energy, body.energy(found.x) - work, rtol=1e-12)


def test_coordinates_may_be_fixed_one_by_one():
    """A bar between two planes that it slides on: pulled, it narrows by Poisson's ratio."""
    body = block(d.SaintVenantKirchhoff, 0.3)
    X = body.rest
    fixed = np.zeros(X.shape, bool)
    fixed[:, 0] = np.abs(np.abs(X[:, 0]) - 0.5) < 1e-9
    fixed[:, 1] = np.abs(X[:, 1] + 0.3) < 1e-9
    fixed[:, 2] = np.abs(X[:, 2] + 0.2) < 1e-9
    found = body.equilibrium(fixed, start=X * (1 + 1e-6, 1, 1))
    strain = np.ptp(found.x, axis=0) / np.ptp(X, axis=0) - 1
    np.testing.assert_allclose(strain, 1e-6 * np.array([1, -0.3, -0.3]), rtol=1e-5)
    pull = found.reactions[X[:, 0] > 0.4].sum(axis=0)[0]
    np.testing.assert_allclose(pull, 1e5 * 1e-6 * 0.24, rtol=1e-5)


def test_a_search_that_ends_too_early_says_so():
    body = block(d.StableNeoHookean, gravity=(0, 0, -9.81))
    with pytest.warns(RuntimeWarning, match="equilibrium: not converged after 1 iterations; a force of .* N is left"):
        found = body.equilibrium(HELD, iterations=1)
    assert not found.converged
    assert found.iterations == 1
    assert body.energy(found.x) < 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert body.equilibrium(HELD, start=found.x).converged


@pytest.mark.fast
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"fixed": []}, "the fixed nodes let the body move as a whole; fix three nodes that are not in line, or more"),
        ({"fixed": [0, 1, 2]}, "the fixed nodes let the body move as a whole"),  # in line
        ({"fixed": np.tile((True, True, False), (36, 1))}, "the fixed nodes let the body move as a whole"),
        ({"fixed": range(36)}, "all nodes are fixed; leave some free"),
        ({"fixed": [0, 36]}, "`fixed` names node 36; there are 0 to 35"),
        ({"fixed": [0.5]}, "`fixed` must be numbers of nodes, or marks"),
        ({"fixed": np.ones(5, bool)}, "`fixed` must be numbers of nodes, or marks of shape \\(36,\\) or \\(36, 3\\)"),
        ({"fixed": HELD, "loads": np.ones(3)}, "equilibrium: loads \\[N\\] must be finite numbers of shape"),
        ({"fixed": HELD, "start": np.full((36, 3), np.nan)}, "equilibrium: start \\[m\\] must be finite numbers"),
        ({"fixed": HELD, "tolerance": 0.0}, "equilibrium: tolerance must be finite and positive"),
    ],
)  # fmt: skip
def test_what_can_be_wrong(given, told):
    with pytest.raises(ValueError, match=told):
        block(d.CoRotated).equilibrium(**given)
