"""Soft bodies that cannot be part of a model: one sentence each, which names the thing."""

import numpy as np
import pytest
from soft_models import box, deformables, flesh, limb

import myomass as mm

MESH = box()
VERTICES = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.02, 0)], float)


def attached(given, **options):
    """A limb with other attachments of its flesh."""
    spec = limb()
    spec.soft_bodies["flesh"].attached = given
    for key, value in options.items():
        setattr(spec.soft_bodies["flesh"], key, value)
    return spec.compile()


BAD = {
    r"soft body 'flesh' is attached to an unknown body 'thigh'; known: upper, lower": lambda: attached({"thigh": [0]}),
    r"node 3 is attached to 'upper' and to 'lower'": lambda: attached({"upper": [1, 3], "lower": [3, 5]}),
    r"nodes attached to 'upper' name node 45; there are 0 to 44": lambda: attached({"upper": [45]}),
    r"nodes attached to 'upper' name node -1": lambda: attached({"upper": [-1]}),
    r"must be numbers of nodes, or marks of shape \(45,\)": lambda: attached({"upper": np.zeros(7, bool)}),
    r"must be numbers of nodes.*are 'all'": lambda: attached({"upper": "all"}),
    r"`attached` is \{body: nodes\}, body None for the world, not \[1, 2\]": lambda: limb().add_soft_body(
        "x", flesh(MESH), [1, 2]
    ),
    r"handles name node 99": lambda: attached({}, handles=[99]),
    r"node 2 is a handle and attached to 'upper'": lambda: attached({"upper": [2]}, handles=[2]),
    r"a SoftBody is wanted, and is TetMesh": lambda: attached({}, soft=MESH),
    r"q has shape \(2,\), and the bodies have 7 degrees of freedom": lambda: attached({}, q=[0, 0]),
    r"q\[0\] is nan": lambda: attached({}, q=np.full(7, np.nan)),
    r"surface is \(vertices \(k, 3\), triangles \(f, 3\)\)": lambda: attached({}, surface=VERTICES[0, 0]),
    r"vertices of the surface.*must be": lambda: attached({}, surface=(VERTICES[:, :2], [(0, 1, 2)])),
    r"triangles of the surface must be whole numbers": lambda: attached({}, surface=(VERTICES, [(0.5, 1, 2)])),
    r"triangle 0 of the surface has vertices \[0, 1, 3\]; there are 0 to 2": lambda: attached(
        {}, surface=(VERTICES, [(0, 1, 3)])
    ),
    r"touches are mm.deformables.Touch, and one is 'ground'": lambda: attached({}, touches=["ground"]),
    r"Touch: stiffness \[Pa/m\] must not be negative": lambda: deformables.Touch(-1.0),
    r"Touch: friction needs sticking": lambda: deformables.Touch(1e5, friction=0.5),
    r"Touch: transition \[m\] must be": lambda: deformables.Touch(1e5, transition=0.0),
    r"Touch: plane": lambda: deformables.Touch(1e5, plane=np.zeros((4, 4))),
    r"there is a soft_body 'flesh' already": lambda: limb().add_soft_body("x", flesh(MESH)) and _twice(),
    r"the colour is red, green and blue": lambda: limb().add_soft_body("y", flesh(MESH), colour=(1, 2, 3)),
    r"makes a body 'flesh on upper', and there is one already": lambda: _taken(),
    r"has no soft body 'skin'; known: flesh": lambda: limb().compile().soft_body("skin"),
    r"no soft body 'skin'": lambda: mm.node_places(limb().compile(), np.zeros(limb().compile().ndof), "skin"),
    r"q has shape \(3,\)": lambda: mm.node_places(limb().compile(), np.zeros(3), "flesh"),
    r"has soft bodies, which work in float64 only": lambda: limb().compile().astype(np.float32),
}


def _twice():
    return limb().add_soft_body("flesh", flesh(MESH))


def _taken():
    spec = limb()
    spec.add_body("flesh on upper", None, mm.Prismatic(), inertia=mm.Inertia.sphere(0.1, mass=1.0))
    return spec.compile()


@pytest.mark.parametrize("sentence", BAD)
def test_what_cannot_be_is_refused(sentence):
    with pytest.raises((ValueError, TypeError, KeyError), match=sentence):
        BAD[sentence]()


def test_models_without_anything_that_moves():
    """All nodes on the world: nothing to integrate, and no complaint."""
    spec = mm.Spec("stone")
    spec.add_soft_body("stone", flesh(MESH), {None: np.arange(len(MESH.nodes))})
    model = spec.compile()
    assert model.ndof == 0
    for method in ("recursive", "rk4", "bdf1", "euler"):
        run = mm.simulate(model, integrator=method, h=1e-3, duration=2e-3)
        np.testing.assert_array_equal(run.nodes("stone")[-1], MESH.nodes)
    M, D, K = mm.linearise(model, model.state())
    assert M.shape == D.shape == K.shape == (0, 0)


def test_one_tetrahedron():
    mesh = deformables.TetMesh(np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]), np.array([(0, 1, 2, 3)]))
    spec = mm.Spec("one", gravity=(0, 0, 0))
    spec.add_soft_body("one", flesh(mesh), {None: [0, 1]})
    model = spec.compile()
    run = mm.simulate(model, q=0.01 * np.ones(6), integrator="bdf2", h=1e-3, duration=0.05)
    assert run.ended == "completed" and np.isfinite(run.q).all()


@pytest.mark.parametrize("scale", [1e-4, 1e3])
def test_scales(scale):
    """Lengths from tenths of millimetres to hundreds of metres: the same motion, in time that scales with length."""
    found = []
    for factor in (1.0, scale):
        mesh = deformables.TetMesh.box((0.4 * factor, 0.1 * factor, 0.1 * factor), (4, 2, 2))
        spec = mm.Spec("console", gravity=(0, 0, -9.81 / factor))
        spec.add_soft_body("flesh", flesh(mesh, "StableNeoHookean"), {None: mesh.nodes[:, 0] < -0.19 * factor})
        run = mm.simulate(spec.compile(), integrator="bdf2", h=1e-3 * factor, duration=0.02 * factor)
        found.append(run.nodes("flesh")[-1] / factor)
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-9)
