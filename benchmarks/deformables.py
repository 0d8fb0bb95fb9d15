"""Speed of soft bodies by themselves: time of a tetrahedron in meshes of 1,000 and of 100,000, and against scikit-fem.

    python benchmarks/deformables.py [--rounds 9]

Energy, forces and stiffness of each material, from Python, one thread: linear cost is a ratio of 1 between the times
of a tetrahedron in the two meshes, taken within each round. Stiffness at rest is timed against scikit-fem's assembly
of linear elasticity over the same mesh; below 1 means that MyoMass is faster.
"""

import argparse

import numpy as np
from dynamics import interleave  # sets one thread

import myomass as mm
from myomass.deformables.materials.dispatch import MATERIALS, OWN

try:
    import skfem
    from skfem.models.elasticity import linear_elasticity
except ImportError:
    skfem = None

SMALL, MIDDLE, LARGE = (6, 6, 5), (12, 12, 12), (26, 26, 25)  # cells of a box: 1,080, 10,368, 101,400 tetrahedra


def box(material: type[mm.deformables.Material], cells: tuple) -> tuple[mm.deformables.SoftBody, np.ndarray]:
    """A box of a material, and places of its nodes close to rest."""
    mesh = mm.deformables.TetMesh.box((1, 1, 1), cells)
    body = mm.deformables.SoftBody(mesh, material(1e5, 0.4, 1000.0))
    return body, mesh.nodes + 1e-3 * np.random.default_rng(0).normal(size=mesh.nodes.shape)


def report_cost(rounds: int) -> None:
    print("time of a tetrahedron [us]                   of 1,080   of 101,400   ratio")
    for material in MATERIALS[:OWN]:
        (small, x), (large, y) = box(material, SMALL), box(material, LARGE)
        for name in ("energy", "forces", "stiffness"):
            calls = {
                "small": lambda name=name, small=small, x=x: [getattr(small, name)(x) for _ in range(20)],
                "large": lambda name=name, large=large, y=y: getattr(large, name)(y),
            }
            few, many = interleave(calls, rounds).values()
            few, many = few / (20 * len(small.mesh.tets)), many / len(large.mesh.tets)
            told = f"{1e6 * np.median(few):8.3f}   {1e6 * np.median(many):8.3f}     {np.median(many / few):5.2f}"
            print(f"  {f'{material.__name__}, {name}':40s} {told}")


def report_peer(rounds: int) -> None:
    body, _ = box(mm.deformables.CoRotated, MIDDLE)
    mesh, (mu, lam) = body.mesh, body.materials[0].lame
    basis = skfem.Basis(
        skfem.MeshTet(mesh.nodes.T.copy(), mesh.tets.T.copy()), skfem.ElementVector(skfem.ElementTetP1())
    )
    form = linear_elasticity(lam, mu)
    calls = {"myomass": lambda: body.stiffness(mesh.nodes), "skfem": lambda: form.assemble(basis)}
    ours, theirs = interleave(calls, rounds).values()
    print(f"stiffness of {len(mesh.tets)} tetrahedra at rest / scikit-fem's assembly: {np.median(ours / theirs):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    report_cost(rounds)
    if skfem is not None:
        report_peer(min(rounds, 5))
