"""Colours of samples and pixels, in linear light.

A pixel whose samples all show one smooth piece of surface is shaded once, in its middle; only pixels on an edge are
shaded sample by sample.
"""

from math import floor as whole
from math import sqrt
from typing import NamedTuple

from .._jit import kernel
from ..spatial.algebra import add, add_scaled, dot, load3, neg, scale, store3, sub
from .occlusion import openness
from .shadow import light_at
from .surface import FLOOR, SKY, colour_of, contains, floor_depth, floor_point, normal_at, shown, spot, surface_at, unit

KEY = (0.86, 0.82, 0.755)  # the light, warm
SKYLIGHT = (0.30, 0.325, 0.36)
BOUNCE = (0.24, 0.23, 0.22)  # light from the ground
HEADLIGHT = 0.10  # light from the eye
GLOSS, SHEEN = 0.10, 0.10  # strength of the highlight and of the bright rim
FLOOR_COLOUR = (0.80, 0.815, 0.835)
FLOOR_SHADE = (0.46, 0.49, 0.55)  # part of the light that is left in shadow
LINE_COLOUR = (0.42, 0.46, 0.52)
LINE, MAJOR_LINE, MAJOR = 0.012, 0.006, 5  # widths of lines, of their spacing; a stronger line at each MAJOR-th
SMOOTH = 0.98  # cosine between normals that are shaded as one


class Backdrop(NamedTuple):
    """The background's colours at the top and at the bottom, linear light."""

    top: tuple[float, float, float]
    bottom: tuple[float, float, float]


@kernel
def mix(a, b, t):
    """a + t (b - a), colours."""
    return add_scaled(a, t, sub(b, a))


@kernel
def times(a, b):
    """Product of two colours, component by component."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@kernel
def smoothstep(t):
    """t^2 (3 - 2 t), from 0 to 1 without corners."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@kernel
def backdrop_at(y, view, backdrop):
    """Colour of the background in a row."""
    return mix(backdrop.top, backdrop.bottom, smoothstep(y / view.height))


@kernel(inline=False)
def lit(p, normal, colour, sun, seen, opened):
    """Colour of a matte thing with a faint highlight: `seen` of the light, `opened` to the sky."""
    to_eye = unit(neg(p))
    facing = max(dot(normal, to_eye), 0.0)
    shine = max(dot(normal, sun.toward), 0.0) * seen
    sky = mix(BOUNCE, SKYLIGHT, 0.5 + 0.5 * dot(normal, sun.up))
    light = add_scaled(scale(opened, sky), shine, KEY)
    light = add_scaled(light, HEADLIGHT * facing * opened, (1.0, 1.0, 1.0))
    glint = max(dot(normal, unit(add(sun.toward, to_eye))), 0.0)
    for _ in range(5):
        glint *= glint
    rim = (1.0 - facing) * (1.0 - facing)
    colour = add_scaled(times(colour, light), GLOSS * glint * shine, KEY)
    return add_scaled(colour, SHEEN * rim * rim * opened * (0.5 + 0.5 * dot(normal, sun.up)), (1.0, 1.0, 1.0))


@kernel
def line_cover(u, footprint, width):
    """How much of a pixel the lines at whole numbers cover (Golus, The best darn grid shader yet, 2023)."""
    drawn = min(max(width, footprint), 0.5)
    away = abs(u - whole(u + 0.5)) * 2.0
    cover = 1.0 - smoothstep((away - drawn) / (1.5 * footprint) * 0.5 + 0.5)
    cover *= min(max(width / drawn, 0.0), 1.0)
    far = min(max(2.0 * footprint - 1.0, 0.0), 1.0)
    return cover + far * (width - cover)


@kernel
def grid_cover(u, v, du, dv, width):
    """How much of a pixel the lines of a grid cover."""
    a, b = line_cover(u, max(du, 1e-12), width), line_cover(v, max(dv, 1e-12), width)
    return a + b - a * b


@kernel
def footprint(axis, p, w, view, floor):
    """How much a coordinate on the ground changes over a pixel at a point of the ground."""
    away = dot(axis, p)
    dx, dy = axis[0] / view.focal - away * floor.rise[0], axis[1] / view.focal - away * floor.rise[1]
    return sqrt(dx * dx + dy * dy) / w


@kernel
def floor_cover(x, y, view, floor):
    """(how opaque the ground is at a place in the picture, how much lines cover there)."""
    p, w = floor_point(x, y, view, floor), floor_depth(x, y, floor)
    q = sub(p, floor.origin)
    away = sqrt(dot(q, q)) / floor.extent
    if away >= 1.0:
        return 0.0, 0.0
    u, du = dot(floor.x_axis, q), footprint(floor.x_axis, p, w, view, floor)
    v, dv = dot(floor.y_axis, q), footprint(floor.y_axis, p, w, view, floor)
    fine = grid_cover(u / floor.cell, v / floor.cell, du / floor.cell, dv / floor.cell, LINE)
    wide = floor.cell * MAJOR
    coarse = grid_cover(u / wide, v / wide, du / wide, dv / wide, MAJOR_LINE)
    return smoothstep((1.0 - away) / 0.7), min(0.55 * fine + 0.6 * coarse, 1.0)


@kernel
def sample_colour(x, y, seen, under, w, soup, scene, maps):
    """Colour of a place in the picture that shows `seen`; `under` is what lies behind the ground, at depth w."""
    view, sun, floor, backdrop = scene
    heights, tiles, cells = maps
    colour, cover, lines = backdrop_at(y, view, backdrop), 0.0, 0.0
    if seen == FLOOR:
        cover, lines = floor_cover(x, y, view, floor)
        w = floor_depth(x, y, floor) if cover > 0.0 else w
    if under != SKY and cover < 1.0:
        p, normal = surface_at(x, y, under, view, soup)
        albedo = colour_of(x, y, under, view, soup)
        sees = light_at(p, normal, sun, heights, tiles) if dot(normal, sun.toward) > 0.0 else 0.0
        colour = lit(p, normal, albedo, sun, sees, openness(x, y, w, cells))
    if cover > 0.0:
        sees = light_at(floor_point(x, y, view, floor), floor.normal, sun, heights, tiles)
        ground = mix(FLOOR_COLOUR, LINE_COLOUR, lines)
        ground = times(ground, mix(FLOOR_SHADE, (1.0, 1.0, 1.0), sees))
        colour = mix(colour, scale(openness(x, y, w, cells), ground), cover)
    return colour


@kernel
def is_smooth(x, y, a, b, view, soup):
    """True if two triangles belong to one smooth surface at a place in the picture."""
    if a < 0 or b < 0 or soup.triangles[a, 3] != soup.triangles[b, 3]:
        return False
    return dot(normal_at(x, y, a, view, soup), normal_at(x, y, b, view, soup)) > SMOOTH


@kernel
def count_of(row, column, view, ids):
    """Number of samples of a pixel that show things."""
    count = 0
    for k in range(row, row + view.samples * view.samples):
        count += ids[k, column] != SKY
    return count


@kernel
def is_even(row, column, soup, view, floor, buffer, ids):
    """True if all samples of a pixel, whose first row is given, show one smooth surface."""
    if count_of(row, column, view, ids) == 0:
        return True
    first, w = shown(row, column, view, floor, buffer, ids), buffer[row, column]
    last = first
    for k in range(row + 1, row + view.samples * view.samples):
        other = shown(k, column, view, floor, buffer, ids)
        if other == last:
            continue
        x, y = spot(k, column, view)
        if abs(buffer[k, column] - w) > 0.02 * w or not is_smooth(x, y, first, other, view, soup):
            return False
        last = other
    return True


@kernel
def middle(row, column, x, y, soup, view, ids):
    """(row of a sample that stands for an even pixel, place at which to look): the pixel's middle, if that can be."""
    t = ids[row, column]
    if t == SKY or contains(x, y, t, view, soup):
        return row, x, y
    for k in range(row + 1, row + view.samples * view.samples):
        other = ids[k, column]
        if other != t and other != SKY and contains(x, y, other, view, soup):
            return k, x, y
    x, y = spot(row, column, view)
    return row, x, y


@kernel(entry=True)
def shade(soup, scene, maps, buffer, ids, picture):
    """Fill the picture (rows, columns, 3) with linear light."""
    view, _, floor, _ = scene
    n = view.samples * view.samples
    for j in range(view.height):
        for i in range(view.width):
            even = is_even(j * n, i, soup, view, floor, buffer, ids)
            colour, count = (0.0, 0.0, 0.0), 1 if even else n
            for k in range(count):
                row = j * n + k
                x, y = spot(row, i, view)
                if even:
                    row, x, y = middle(row, i, i + 0.5, j + 0.5, soup, view, ids)
                seen = shown(row, i, view, floor, buffer, ids)
                one = sample_colour(x, y, seen, ids[row, i], buffer[row, i] * 1.0, soup, scene, maps)
                colour = add_scaled(colour, 1.0 / count, one)
            store3(picture[j, i], colour)


@kernel
def veil_colour(x, y, t, w, soup, scene, maps):
    """(colour, how opaque) of a transparent triangle at a place in the picture; more so where seen from the side."""
    view, sun, floor, _ = scene
    heights, tiles, _ = maps
    p, normal = surface_at(x, y, t, view, soup)
    instance = soup.triangles[t, 3]
    sees = light_at(p, normal, sun, heights, tiles) if dot(normal, sun.toward) > 0.0 else 0.0
    colour = lit(p, normal, colour_of(x, y, t, view, soup), sun, sees, 1.0)
    rim = 1.0 - max(dot(normal, unit(neg(p))), 0.0)
    alpha = soup.opacity[instance]
    alpha += alpha * (1.0 - alpha) * rim * rim * rim
    if floor_depth(x, y, floor) > w:
        alpha *= 1.0 - floor_cover(x, y, view, floor)[0]
    return colour, alpha


@kernel(entry=True)
def veil(soup, scene, maps, layer, behind, ids, picture):
    """Blend a layer of transparent things over the picture, and make it the depth behind the next layer.

    Returns how many samples the layer had.
    """
    view, count = scene[0], 0
    n = view.samples * view.samples
    for j in range(view.height):
        for i in range(view.width):
            colour, alpha, last = (0.0, 0.0, 0.0), 0.0, SKY
            one, part = (0.0, 0.0, 0.0), 0.0
            for row in range(j * n, j * n + n):
                t = ids[row, i]
                if t == SKY:
                    continue
                if t != last:
                    x, y = spot(row, i, view)
                    one, part = veil_colour(x, y, t, layer[row, i], soup, scene, maps)
                    last = t
                behind[row, i] = layer[row, i]
                colour, alpha = add_scaled(colour, part, one), alpha + part
                count += 1
            if alpha > 0.0:
                store3(picture[j, i], scale(1.0 / n, add_scaled(colour, n - alpha, load3(picture[j, i]))))
    return count


@kernel(entry=True)
def encode(picture, table, out):
    """Linear light to bytes of sRGB, by a table over 0 to 1."""
    n = table.shape[0] - 1
    for row in range(picture.shape[0]):
        for column in range(picture.shape[1]):
            for k in range(3):
                light = picture[row, column, k] * 1.0
                light = min(light, 1.0) if light > 0.0 else 0.0  # nan is dark
                out[row, column, k] = table[int(light * n + 0.5)]
