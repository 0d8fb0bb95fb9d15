"""Pictures of things without a window: camera, instances of meshes, ground; and the renderer that draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, tan
from typing import NamedTuple

import numpy as np

from ..spatial.checks import check_frame, check_numbers, check_positive, unit_axis
from .mesh import Mesh
from .occlusion import CELL, occlude
from .raster import BEHIND, NEAREST, UNPAINTED, Soup, View, draw, place
from .shade import Backdrop, encode, shade, veil
from .shadow import NOTHING, TILE, WIDEST, Sun, cast
from .surface import SKY, Floor

LIGHT = (0.8, 0.5, 1.3)  # direction to the light: to the right, towards the eye, up
TOP, BOTTOM = (247, 248, 250), (214, 222, 231)  # colours of the background at top and bottom, sRGB
NEARBY = 0.13  # reach of the darkening near contact, of half the picture's height at the target
LAYERS = 8  # most layers of transparent things behind each other
FIELD = 3.0  # shadows reach this far from the target, in distances from the eye


class Placement(NamedTuple):
    """n instances of a mesh: x_world = position + R(wxyz) (scale * x). [m]

    An instance with a scale of 0, or with a number that is not finite, is not drawn.
    """

    positions: np.ndarray  # (n, 3)
    wxyz: np.ndarray  # (n, 4)
    scales: np.ndarray  # (n, 3)


class Instances(NamedTuple):
    """A mesh in n places, with a colour for each (n, 3), or for each of its v vertices there (n, v, 3).

    Colours are sRGB from 0 to 255; between vertices they blend.
    """

    mesh: Mesh
    place: Placement
    colours: np.ndarray
    opacity: float = 1.0


class Ground(NamedTuple):
    """The plane z = 0 of a frame (4, 4), with lines each `cell` [m], fading out at a radius `extent` [m]."""

    frame: np.ndarray
    cell: float = 1.0
    extent: float = 20.0


@dataclass(frozen=True)
class Camera:
    """An eye [m] that looks at a target [m], and the angle [rad] from the picture's lower to its upper edge."""

    eye: Sequence[float]
    target: Sequence[float]
    up: Sequence[float] = (0.0, 0.0, 1.0)
    fov: float = 0.6

    def __post_init__(self):
        eye, target = (check_numbers(getattr(self, name), f"camera: the {name}", (3,)) for name in ("eye", "target"))
        if not 0 < check_positive(self.fov, "camera: fov") < 3:
            raise ValueError(f"camera: fov must be less than 3 rad, and is {self.fov:g}")
        unit_axis(self.up, "camera: up")
        if not 0 < np.linalg.norm(target - eye) < np.inf:
            raise ValueError("camera: eye and target are the same point")

    @property
    def distance(self) -> float:
        """Distance from eye to target [m]."""
        return float(np.linalg.norm(np.subtract(self.target, self.eye, dtype=float)))

    @property
    def axes(self) -> np.ndarray:
        """Directions right, down and ahead, as rows. (3, 3)"""
        ahead = np.subtract(self.target, self.eye, dtype=float) / self.distance
        up = unit_axis(self.up, "camera: up")
        if np.linalg.norm(np.cross(ahead, up)) < 1e-6:  # looking along up: any direction across will do
            up = np.eye(3)[np.argmin(np.abs(ahead))]
        right = np.cross(ahead, up)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(ahead, right), ahead])

    def focal(self, height: float) -> float:
        """Focal length in pixels of a picture of a height in pixels."""
        return 0.5 * height / tan(0.5 * self.fov)

    def project(self, points: np.ndarray, width: int, height: int) -> np.ndarray:
        """(x, y [pixels], depth [m]) of points (..., 3): x to the right and y down from the top left corner.

        The middle of the first pixel is (0.5, 0.5). Points beside or behind the eye (depth <= 0) have x = y = NaN.
        """
        p = (np.asarray(points, float) - np.asarray(self.eye, float)) @ self.axes.T
        depth = np.where(p[..., 2:] > 0, p[..., 2:], np.nan)
        xy = (0.5 * width, 0.5 * height) + self.focal(height) * p[..., :2] / depth
        return np.concatenate([xy, p[..., 2:]], axis=-1)


def linear(srgb: np.ndarray) -> np.ndarray:
    """Linear light from 0 to 1 of sRGB from 0 to 255."""
    c = np.asarray(srgb, float) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def srgb_table(n: int = 1 << 14) -> np.ndarray:
    """Bytes of sRGB at n + 1 even steps of linear light from 0 to 1."""
    light = np.linspace(0, 1, n + 1)
    return np.round(255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)).astype("u1")


def three(v: np.ndarray) -> tuple[float, float, float]:
    """A vector as a tuple of three floats, for kernels."""
    return (float(v[0]), float(v[1]), float(v[2]))


def backdrop_of(background: Sequence | None) -> Backdrop:
    """The background's colours, from one (3,), from those of top and bottom (2, 3), or by default for None."""
    colours = (TOP, BOTTOM) if background is None else background
    top, bottom = np.broadcast_to(linear(np.asarray(colours)), (2, 3))
    return Backdrop(three(top), three(bottom))


def floor_of(ground: Ground | None, camera: Camera, view: View) -> Floor:
    """The ground in the camera's axes and units; not drawn from below."""
    if ground is None:
        zero = (0.0, 0.0, 0.0)
        return Floor(zero, zero, zero, zero, zero, 1.0, 1.0)
    frame = check_frame(ground.frame, "ground: the frame")
    origin = camera.axes @ (frame[:3, 3] - camera.eye) / camera.distance
    x_axis, y_axis, normal = (camera.axes @ frame[:3, :3]).T
    lengths = check_positive(ground.cell, "ground: cell"), check_positive(ground.extent, "ground: extent")
    cell, extent = (length / camera.distance for length in lengths)
    x, y = normal[:2] / view.focal
    rise = np.array([x, y, normal[2] - 0.5 * (x * view.width + y * view.height)])
    rise *= 1 / (normal @ origin) if normal @ origin < 0 else 0
    return Floor(three(rise), three(origin), three(x_axis), three(y_axis), three(normal), cell, extent)


def light_axes(camera: Camera, up: np.ndarray) -> np.ndarray:
    """Directions right, ahead and to the light, as rows in the camera's axes: over the eye's shoulder. (3, 3)"""
    back = np.array([0.0, 0.0, -1.0]) - up * -up[2]
    if np.linalg.norm(back) < 0.05:  # looking straight up or down
        back = np.array([0.0, 1.0, 0.0]) - up * up[1]
    back /= np.linalg.norm(back)
    toward = np.stack([np.cross(up, back), back, up]).T @ LIGHT
    toward /= np.linalg.norm(toward)
    right = np.cross(up, toward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(toward, right), toward])


class Renderer:
    """Draws pictures of one size; keeps its buffers from one to the next, as for a film."""

    def __init__(
        self,
        size: tuple[int, int] = (1280, 720),
        samples: int = 2,
        *,
        shadows: bool = True,
        background: Sequence | None = None,
    ):
        width, height = (int(n) for n in size)
        if min(width, height, samples) < 1:
            raise ValueError(f"picture: size and samples must be at least 1, and are {size} and {samples}")
        self.size, self.samples, self.shadows = (width, height), int(samples), shadows
        self.backdrop = backdrop_of(background)
        fine = (height * self.samples**2, width)
        self._depth, self._ids = np.zeros(fine, np.float32), np.zeros(fine, np.int32)
        self._layer, self._light = np.zeros((0, 0), np.float32), np.zeros((height, width, 3), np.float32)
        self._cells = np.zeros((-(-height // CELL), -(-width // CELL), 3), np.float32)
        self._crowd = np.zeros((32, 32 + 32 * width // height), np.uint8)
        texels = min(max(2 ** round(log2(0.8 * max(size))), 4 * TILE), 4096)
        self._heights = np.zeros((texels, texels), np.float32)
        self._tiles = np.zeros((texels // TILE, texels // TILE), np.float32)
        self._table = srgb_table()
        self._vertices = self._normals = np.zeros((0, 3))
        self._triangles = np.zeros((0, 4), np.int32)

    def render(self, things: Sequence[Instances], camera: Camera, ground: Ground | None = None) -> np.ndarray:
        """The picture, (height, width, 3) uint8 in sRGB."""
        view = View(*self.size, camera.focal(self.size[1]), self.samples)
        soup, opaque, used = self._gather(things, camera)
        floor = floor_of(ground, camera, view)
        self._depth.fill(0)
        self._ids.fill(SKY)
        draw(soup, 0, opaque, view, NEAREST, self._depth, self._depth, self._ids)
        up = np.array(floor.normal) if ground else camera.axes @ unit_axis(camera.up, "camera: up")
        sun = self._shine(soup, opaque, light_axes(camera, up), up)
        occlude(soup, view, floor, NEARBY * tan(0.5 * camera.fov), self._depth, self._ids, self._cells, self._crowd)
        scene, maps = (view, sun, floor, self.backdrop), (self._heights, self._tiles, self._cells)
        shade(soup, scene, maps, self._depth, self._ids, self._light)
        if opaque < used:
            self._veil(soup, scene, maps, opaque, used)
        out = np.empty((*self._light.shape[:2], 3), np.uint8)
        encode(self._light, self._table, out)
        return out

    def _gather(self, things: Sequence[Instances], camera: Camera) -> tuple[Soup, int, int]:
        """(all triangles in the camera's axes, how many are opaque, how many there are); the opaque ones come first."""
        things = sorted((thing for thing in things if thing.opacity > 0), key=lambda thing: thing.opacity < 1)
        counts = [len(thing.place.positions) for thing in things]
        vertices = sum(n * len(thing.mesh.vertices) for n, thing in zip(counts, things, strict=True))
        triangles = sum(n * len(thing.mesh.faces) for n, thing in zip(counts, things, strict=True))
        if vertices > len(self._vertices):
            self._vertices, self._normals = np.empty((vertices, 3)), np.empty((vertices, 3))
        if triangles > len(self._triangles):
            self._triangles = np.empty((triangles, 4), np.int32)
        opacity = np.repeat([float(thing.opacity) for thing in things], counts)
        soup = Soup(self._vertices, self._normals, self._triangles, *_colours(things, counts, opacity))
        axes = tuple(three(row) for row in camera.axes)
        seen_from = (three(camera.eye), axes, 1 / camera.distance)
        used, number, opaque = np.zeros(2, np.int64), 0, 0
        for count, thing in zip(counts, things, strict=True):
            mesh = (thing.mesh.vertices, thing.mesh.normals, thing.mesh.faces)
            place(mesh, checked(thing.place), seen_from, number, used, soup)
            number += count
            opaque = int(used[1]) if thing.opacity >= 1 else opaque
        return soup, opaque, int(used[1])

    def _shine(self, soup: Soup, opaque: int, axes: np.ndarray, up: np.ndarray) -> Sun:
        """The light, and its map of the opaque triangles, which covers them but no more than the field of view."""
        n = len(self._heights)
        directions = (*(three(axis) for axis in axes), three(up))
        if not (self.shadows and opaque):
            return Sun(*directions, 0.0, 0.0, 1.0, False)
        used = soup.vertices[: soup.triangles[:opaque, :3].max() + 1]
        middle = axes[:2] @ (0.0, 0.0, 1.0)
        spread = used @ axes[:2].T
        low = np.clip(spread.min(axis=0), middle - FIELD, middle + FIELD)
        high = np.clip(spread.max(axis=0), middle - FIELD, middle + FIELD)
        half = max(0.5 * (high - low).max(), 1e-6)
        half = 2 ** (np.ceil(8 * np.log2(half)) / 8)  # in steps, so that edges of shadows keep still in a film
        texel = float(2 * half / (n - 2 * WIDEST - 8))
        left, bottom = np.floor(0.5 * (low + high) / texel) - n // 2
        sun = Sun(*directions, float(left), float(bottom), texel, True)
        self._heights.fill(NOTHING)
        cast(soup, opaque, sun, self._heights, self._tiles, self._ids)
        return sun

    def _veil(self, soup: Soup, scene: tuple, maps: tuple, first: int, last: int) -> None:
        """Blend the transparent triangles over the picture, layer by layer from behind."""
        if self._layer.shape != self._depth.shape:
            self._layer = np.empty_like(self._depth)
        for _ in range(LAYERS):
            self._layer.fill(np.inf)
            self._ids.fill(SKY)
            draw(soup, first, last, scene[0], BEHIND, self._depth, self._layer, self._ids)
            if not veil(soup, scene, maps, self._layer, self._depth, self._ids, self._light):
                break


def _colours(things: Sequence[Instances], counts: Sequence[int], opacity: np.ndarray) -> tuple[np.ndarray, ...]:
    """(colours of instances, their opacity, colours of vertices, shifts), as the soup has them."""
    colours, paint, shifts, painted = [np.zeros((0, 3))], [np.zeros((0, 3))], np.full(len(opacity), UNPAINTED), 0
    for count, thing in zip(counts, things, strict=True):
        light = linear(thing.colours)
        if light.ndim == 3:
            vertices, first = len(thing.mesh.vertices), sum(map(len, colours))
            paint.append(np.broadcast_to(light, (count, vertices, 3)).reshape(-1, 3))
            shifts[first : first + count] = painted + vertices * np.arange(count)
            painted, light = painted + len(paint[-1]), np.zeros(3)
        colours.append(np.broadcast_to(light, (count, 3)))
    return np.concatenate(colours), opacity, np.concatenate(paint), shifts


def checked(where: Placement) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(positions, quaternions, scales) as arrays for kernels. Raises a ValueError if they do not fit."""
    positions, wxyz, scales = (np.ascontiguousarray(values, np.float64) for values in where)
    n = len(positions)
    for values, what, width in ((positions, "positions", 3), (wxyz, "wxyz", 4), (scales, "scales", 3)):
        if values.shape != (n, width):
            raise ValueError(f"placement: {what} must have the shape {(n, width)}, and has {values.shape}")
    return positions, wxyz, scales


def render(
    things: Sequence[Instances],
    camera: Camera,
    size: tuple[int, int] = (1280, 720),
    *,
    ground: Ground | None = None,
    samples: int = 2,
    shadows: bool = True,
    background: Sequence | None = None,
) -> np.ndarray:
    """One picture, (height, width, 3) uint8 in sRGB; `samples` per pixel and axis smooth its edges.

    The background is a colour (3,), or those of top and bottom (2, 3), sRGB from 0 to 255.
    """
    return Renderer(size, samples, shadows=shadows, background=background).render(things, camera, ground)
