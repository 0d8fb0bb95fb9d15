"""Surfaces of soft bodies in viser's scene.

viser's meshes have one colour each, and its recordings hold each vertex of each picture: 28 MB for ten seconds of
7,900 vertices. A script in the page (skins.js) makes up for both: a hidden mesh carries the coarse nodes and their
strain, and the browser computes the surface's vertices, normals and colours from them.
"""

import base64
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..render.picture import linear
from .layers import Skin, Skins
from .moment import Moment
from .palette import STRAINED, ramp, vivid

if TYPE_CHECKING:
    from viser import ViserServer

PLAIN = -1.0  # in place of a share of strain: the surface has its own colour
GRAIN = 2.0**-16  # what weights are rounded to
MOST_NODES = 1 << 16
WHITE = (255, 255, 255)


class SkinNode:
    """A surface in the scene, `scale` times as large as it is.

    In files (`grain` is what numbers are rounded to) the browser moves it too; a served page sends it its vertices.
    """

    def __init__(self, server: "ViserServer", name: str, part: Skin, scale: float, grain: float | None):
        self.part, self.scale, self.grain = part, scale, grain
        n = part.weights.shape[1]
        self.moves = grain is not None and n <= MOST_NODES
        rest, faces = part.mesh.vertices * scale, part.mesh.faces.astype(np.uint32)
        self.mesh = server.scene.add_mesh_simple(name, rest.astype(np.float32), faces, side="front")
        blank = np.concatenate([scale * part.body.soft.rest, np.full((n, 3), PLAIN)]).astype(np.float32)
        self.carrier = server.scene.add_mesh_simple(
            f"{name} nodes", blank, np.zeros((1, 3), np.uint32), visible=False, cast_shadow=False
        )
        _run(server, f"({script()})({json.dumps(self._told(name, f'{name} nodes', n))})")

    def _told(self, name: str, carrier: str, nodes: int) -> dict:
        """What the script is told once."""
        weights = self.part.weights
        counts = np.diff(weights.indptr)
        held = np.arange(counts.max()) < counts[:, None]
        indices, shares = np.zeros(held.shape, np.uint16), np.zeros(held.shape, np.float32)
        indices[held], shares[held] = weights.indices, GRAIN * np.round(weights.data / GRAIN)
        told = {"name": name, "carrier": carrier, "nodes": nodes, "count": len(held), "each": held.shape[1]}
        told |= {"indices": _text(indices), "weights": _text(shares), "moves": self.moves}
        return told | {"ramp": linear(vivid(ramp(STRAINED))).round(4).ravel().tolist()}

    def look(self, strained: bool) -> None:
        """Take the colour and the opacity that the layer has."""
        self.mesh.color = WHITE if strained else tuple(vivid(self.part.colours)[0].tolist())
        self.mesh.opacity = None if self.part.opacity == 1.0 else self.part.opacity
        self.mesh.cast_shadow = self.part.opacity == 1.0

    def draw(self, moment: Moment, strain: float | None) -> None:
        """Show a moment; coloured up to this strain, if it is not None."""
        if not self.moves:
            self.mesh.vertices = (self.scale * self.part.vertices(moment)).astype(np.float32)
        nodes = self.scale * moment.nodes(self.part.body.name)
        if self.grain is not None:
            nodes = self.grain * np.round(nodes / self.grain)
        told = np.full(nodes.shape, PLAIN)
        if strain is not None:
            told[:] = 0.0
            told[:, 0] = self.part.node_shares(moment, strain).round(3)
        self.carrier.vertices = np.concatenate([nodes, told]).astype(np.float32)


def skin_nodes(server: "ViserServer", layer: Skins, scale: float, grain: float | None) -> list[SkinNode]:
    """All surfaces of a layer in the scene, looking as it says."""
    nodes = [SkinNode(server, f"/{layer.name}/{part.name}", part, scale, grain) for part in layer.parts]
    look_alike(nodes, layer)
    return nodes


def look_alike(nodes: list[SkinNode], layer: Skins) -> None:
    """Make the surfaces look as the layer says."""
    for node, part in zip(nodes, layer.parts, strict=True):
        node.part = part
        node.look(layer.strain is not None)


@cache
def script() -> str:
    """The script of the page, a function of what it is told."""
    return Path(__file__).with_suffix(".js").read_text(encoding="utf-8").strip()


def _text(numbers: np.ndarray) -> str:
    return base64.b64encode(numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()).decode()


def _run(server: "ViserServer", source: str) -> None:
    """Run a script in all pages of a server, later ones and recordings too, as viser does for its plots."""
    from viser._messages import RunJavascriptMessage

    server.gui._websock_interface.queue_message(RunJavascriptMessage(source))
