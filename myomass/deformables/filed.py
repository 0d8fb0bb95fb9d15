"""Soft bodies as plain arrays by name, for files."""

import json
from dataclasses import asdict

import numpy as np

from .materials.base import Material
from .materials.dispatch import MATERIALS
from .packed import PackedSoftBody, SoftBodies
from .soft_body import SoftBody
from .tet_mesh import TetMesh
from .touch import Touch

ARRAYS = ("links", "places", "vertices", "faces")


def soft_to_arrays(soft: SoftBodies | None) -> dict[str, np.ndarray]:
    """All soft bodies: a text with names and numbers, and for body 2 arrays "2_nodes", "2_tets", ..."""
    parts = () if soft is None else soft.parts
    arrays = {"told": np.array(json.dumps([_told(part) for part in parts]))}
    for i, part in enumerate(parts):
        own = {key: getattr(part, key) for key in ARRAYS}
        own |= {"nodes": part.mesh.nodes, "tets": part.mesh.tets, "regions": part.soft.regions}
        own["planes"] = np.array([touch.plane for touch in part.touches]).reshape(-1, 4, 4)
        arrays |= {f"{i}_{key}": values for key, values in own.items()}
    return arrays


def _told(part: PackedSoftBody) -> dict:
    soft, keys = part.soft, ("stiffness", "damping", "friction", "sticking", "transition")
    return {
        "name": part.name,
        "materials": [{"kind": type(material).__name__} | asdict(material) for material in soft.materials],
        "soft": [list(soft.gravity), soft.mass_damping, soft.stiffness_damping, soft.lumped],
        "touches": [[getattr(touch, key) for key in keys] for touch in part.touches],
        "colour": part.colour,
    }


def soft_from_arrays(arrays: dict[str, np.ndarray], first: int) -> SoftBodies | None:
    """The soft bodies of `soft_to_arrays`, behind `first` degrees of freedom; None if there are none."""
    told = json.loads(str(arrays.get("told", "[]")))
    keys = (*ARRAYS, "nodes", "tets", "regions", "planes")
    parts = [_part(one, {key: arrays[f"{i}_{key}"] for key in keys}) for i, one in enumerate(told)]
    return SoftBodies(tuple(parts), first) if parts else None


def _part(told: dict, arrays: dict[str, np.ndarray]) -> PackedSoftBody:
    materials = [_material(told["name"], dict(one)) for one in told["materials"]]
    mesh = TetMesh(arrays["nodes"], arrays["tets"])
    gravity, *rest = told["soft"]
    soft = SoftBody(mesh, materials, arrays["regions"], tuple(gravity), *rest)
    touches = tuple(Touch(*numbers, plane) for numbers, plane in zip(told["touches"], arrays["planes"], strict=True))
    colour = None if told["colour"] is None else tuple(told["colour"])
    return PackedSoftBody(told["name"], soft, *(arrays[key] for key in ARRAYS), touches, colour)


def _material(name: str, told: dict) -> Material:
    kind = told.pop("kind")
    for known in reversed(MATERIALS):
        if known.__name__ == kind:
            return known(**told)
    raise LookupError(
        f"soft body {name!r} has a material {kind!r} that is not registered here; import the file that calls "
        f"mm.register({kind}) first"
    )
