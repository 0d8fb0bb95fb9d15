"""Canvas: a drawing in viser's scene. Each part is one node that holds all its copies, so a frame is a few messages."""

from typing import TYPE_CHECKING

import numpy as np

from ..render import Placement
from .drawing import Drawing
from .layers import Skins
from .look import Look
from .moment import Moment
from .palette import vivid
from .placing import at_frames
from .skins import SkinNode, look_alike, skin_nodes

if TYPE_CHECKING:
    from viser import ViserServer

LINE = np.array([168.0, 180.0, 192.0])  # colour of the ground's grid near the middle
PIECES = 6  # of a line of the grid, which fades from one to the next
COARSER = 2  # times the cells of stills
ASPECT = 1.3  # of the picture beside the panel
SPAN = 4.0  # what the mechanism's size is drawn as: lights and shadows are made for things of some metres
UNSEEN = 1e-9  # instead of no size, which has no normals


def load_viser():
    """The module viser. Raises an ImportError that says how to install it."""
    try:
        import viser
    except ImportError:
        raise ImportError("the viewer needs viser: pip install 'myomass[view]'") from None
    return viser


class Canvas:
    """The layers of a drawing on a page, to be moved from moment to moment."""

    def __init__(self, server: "ViserServer", drawing: Drawing, grain: float | None = None):
        self.grain = grain  # numbers are rounded to multiples of it, and files so made smaller
        self.server, self.scene = server, server.scene
        self.scale = SPAN / drawing.size
        self.scene.set_up_direction(tuple(drawing.up))
        self._light(drawing)
        self.groups, self.nodes, self.last, self.painted = {}, [], [], []
        self.skins: list[SkinNode] = []
        self.load(drawing)
        for layer in drawing.layers:
            self.groups[layer.name] = self.scene.add_frame(f"/{layer.name}", show_axes=False, visible=layer.shown)
            if isinstance(layer, Skins):
                self.skins = skin_nodes(server, layer, self.scale, grain)
                continue
            for part in layer.parts:
                self.nodes.append(self._add_part(f"/{layer.name}/{part.name}", part))
                self.last.append(None)
                self.painted.append(part.colours)

    def load(self, drawing: Drawing) -> None:
        """Show another run of the same model: ground under all of it, and cameras that see it whole."""
        self.drawing = drawing
        self._lay_ground()
        if self.skins:
            self._look_alike()
        for view in (self.server.initial_camera, *(client.camera for client in self.server.get_clients().values())):
            self._aim(view)

    def _aim(self, view) -> None:
        camera, whole = self.drawing.camera(ASPECT), self.drawing.ground.extent
        distance = self.scale * float(np.linalg.norm(camera.eye - camera.target))
        view.near, view.far = 0.02 * distance, 10 * (distance + self.scale * whole)
        view.up, view.fov = tuple(camera.up), camera.fov
        view.position, view.look_at = tuple(self.scale * camera.eye), tuple(self.scale * camera.target)

    def _light(self, drawing: Drawing) -> None:
        """A warm light from above and a soft sky."""
        self.scene.configure_default_lights(False)
        self.scene.configure_environment_map(None)
        self.scene.add_light_hemisphere(
            "/lights/sky", sky_color=(255, 255, 255), ground_color=(150, 158, 170), intensity=1.0
        )
        back = drawing.camera(ASPECT)
        towards = (back.eye - back.target) / np.linalg.norm(back.eye - back.target)
        sun = 8 * SPAN * (0.55 * towards + drawing.up + 0.5 * np.cross(drawing.up, towards))
        self.sun = self.scene.add_light_directional(
            "/lights/sun", color=(255, 244, 230), intensity=2.3, cast_shadow=False, position=tuple(sun)
        )

    def _lay_ground(self) -> None:
        """Draw a grid that fades out; viser's own fills the picture, which is slow without a graphics card."""
        ground = self.drawing.ground
        place = at_frames(ground.frame[None], np.ones((1, 3)))
        where = {"wxyz": place.wxyz[0], "position": self.scale * place.positions[0]}
        shown = bool(self.groups["ground"].visible) if self.groups else True
        self.groups["ground"] = self.scene.add_frame("/ground", show_axes=False, visible=shown, **where)
        lines = grid_lines(COARSER * self.scale * ground.cell, self.scale * ground.extent)
        faded = np.clip(np.linalg.norm(lines, axis=2, keepdims=True) / (self.scale * ground.extent), 0, 1) ** 0.7
        colours = (LINE + (255 - LINE) * faded).round().astype(np.uint8)
        self.scene.add_line_segments("/ground/lines", lines, colors=colours, thickness=1.2, thickness_units="screen")

    def _add_part(self, name: str, part):
        count = len(part.colours)
        opacity = None if part.opacity == 1.0 else part.opacity
        return self.scene.add_batched_meshes_simple(
            name, part.mesh.vertices.astype(np.float32), part.mesh.faces.astype(np.uint32),
            np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (count, 1)), np.zeros((count, 3), np.float32),
            batched_scales=np.full((count, 3), UNSEEN, np.float32), batched_colors=vivid(part.colours), opacity=opacity,
            cast_shadow=opacity is None, lod="off",
        )  # fmt: skip

    def draw(self, moment: Moment) -> None:
        """Move everything to a moment; only what has moved, or has another colour, is sent."""
        layers = [layer for layer in self.drawing.layers if not isinstance(layer, Skins)]
        placed = [place for layer in layers for place in layer.place(moment)]
        painted = [colours for layer in layers for colours in layer.colours(moment)]
        for i, (node, place, colours) in enumerate(zip(self.nodes, placed, painted, strict=True)):
            self._move(i, node, place)
            if not np.array_equal(colours, self.painted[i]):
                node.batched_colors, self.painted[i] = vivid(colours), colours
        for skin in self.skins:
            skin.draw(moment, self.drawing.strain)

    def look(self, look: Look) -> None:
        """Show soft bodies in another way; to be drawn anew."""
        self.drawing.look(look)
        self._look_alike()

    def _look_alike(self) -> None:
        for layer in self.drawing.layers:
            if isinstance(layer, Skins):
                look_alike(self.skins, layer)

    def _move(self, i: int, node, place: Placement) -> None:
        numbers = self.scale * place.positions, place.wxyz, np.maximum(self.scale * place.scales, UNSEEN)
        if self.grain is not None:
            numbers = *(self.grain * np.round(x / self.grain) for x in numbers[:2]), numbers[2]
        arrays = tuple(x.astype(np.float32) for x in numbers)
        before = self.last[i] or (None, None, None)
        for name, new, old in zip(
            ("batched_positions", "batched_wxyzs", "batched_scales"), arrays, before, strict=True
        ):
            if old is None or not np.array_equal(new, old):
                setattr(node, name, new)
        self.last[i] = arrays

    def show(self, layer: str, visible: bool) -> None:
        """Show or hide a layer."""
        self.groups[layer].visible = visible

    def cast_shadows(self, cast: bool) -> None:
        """Turn shadows on or off: they need a graphics card to be quick."""
        self.sun.cast_shadow = cast


def grid_lines(cell: float, radius: float) -> np.ndarray:
    """Lines of a square grid within a circle, in pieces. (n, 2, 3)"""
    at = cell * np.arange(-np.floor(radius / cell), np.floor(radius / cell) + 1)
    reach = np.sqrt(np.maximum(radius**2 - at**2, 0.0))
    along = np.linspace(-1, 1, PIECES + 1)[:, None] * reach
    points = np.stack([np.broadcast_to(at, along.shape), along, np.zeros_like(along)], axis=-1)
    pieces = np.stack([points[:-1], points[1:]], axis=-2).reshape(-1, 2, 3)
    return np.concatenate([pieces, pieces[:, :, [1, 0, 2]]])
