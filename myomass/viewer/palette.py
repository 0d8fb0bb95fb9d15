"""Colours of everything that is drawn or plotted, as red, green and blue from 0 to 255."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from ..render.picture import linear

FEW = ("#3e7cb1", "#e0a63f", "#3aa6a0", "#d9704f", "#8f7cc3", "#79b15a", "#d77a9b", "#5d83a6")
MANY = ("#2f5d8c", "#3aa6a0", "#79b15a", "#e0b24c", "#d9704f", "#a3527a")  # along a long chain, in between blended
JOINT, SPRING, CABLE, POINT = "#3b4149", "#4f5d66", "#8a6d3b", "#c9cdd2"
MUSCLE, TENDON, MUSCLE_MASS, SURFACE = "#b8433a", "#e6d3bd", "#5e1714", "#c8d4de"
CONTACT, FORCE, PLATE = "#e4572e", "#d81b60", "#b9c3cc"
KINETIC, POTENTIAL, TOTAL = "#c8553d", "#2d6a9f", "#222222"  # energies
SOFT = "#dc9a74"  # soft bodies
AXES = ("#d64545", "#3f9b4f", "#3b6fd1")


REST, EXCITED = "#879fb8", "#d42a1f"  # muscles without and with full activation
STRAINED = ("#e9e2d3", "#f0b65a", "#d9533f", "#6a1a4c")  # soft bodies from rest to the largest strain
TO_LMS = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                   [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
TO_LAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                   [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
SATURATION = 1.4  # that makes up for a browser's tone mapping
LEVELS = 64  # steps of the colours of activation and of strain


def rgb(colour: str) -> np.ndarray:
    """Red, green and blue of "#rrggbb". (3,) uint8"""
    return np.frombuffer(bytes.fromhex(colour[1:]), np.uint8)


def repeated(colour: str, count: int) -> np.ndarray:
    """One colour for many things. (count, 3) uint8"""
    return np.tile(rgb(colour), (count, 1))


def activation_colours(shares: np.ndarray) -> np.ndarray:
    """Colours of activations from 0, blue-grey, to 1, red: even steps look even. (n, 3) uint8"""
    return _level(ramp((REST, EXCITED)), shares)


def strain_colours(shares: np.ndarray) -> np.ndarray:
    """Colours of strains from 0, pale, over yellow and red to 1, dark. (n, 3) uint8"""
    return _level(ramp(STRAINED), shares)


def _level(colours: np.ndarray, shares: np.ndarray) -> np.ndarray:
    return colours[np.round((LEVELS - 1) * np.clip(shares, 0.0, 1.0)).astype(int)]


@cache
def ramp(stops: tuple[str, ...]) -> np.ndarray:
    """Straight lines from colour to colour in Oklab (Ottosson 2020), in even steps. (LEVELS, 3) uint8"""
    lab = np.cbrt(linear(np.array([rgb(stop) for stop in stops])) @ TO_LMS.T) @ TO_LAB.T
    steps = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(lab, axis=0), axis=1))])
    at = np.linspace(0.0, steps[-1], LEVELS)
    between = np.stack([np.interp(at, steps, column) for column in lab.T], axis=1)
    light = np.clip((between @ np.linalg.inv(TO_LAB).T) ** 3 @ np.linalg.inv(TO_LMS).T, 0.0, 1.0)
    srgb = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * srgb).astype(np.uint8)


def activation_legend() -> str:
    """A bar from the colour of no activation to that of full, as HTML."""
    return _legend("activation", (REST, EXCITED), "1")


def strain_legend(most: float) -> str:
    """A bar from the colour of no strain to that of the largest, as HTML."""
    return _legend("strain", STRAINED, f"{most:g}")


def _legend(what: str, colours: tuple[str, ...], most: str) -> str:
    stops = ", ".join(f"rgb({r}, {g}, {b})" for r, g, b in ramp(colours)[:: LEVELS // 8])
    bar = f"display:inline-block;width:7em;height:0.7em;margin:0 0.4em;background:linear-gradient(to right, {stops})"
    return f'<span style="white-space:nowrap">{what} 0<span style="{bar}"></span>{most}</span>'


def flesh_colour(own: tuple[float, float, float] | None) -> np.ndarray:
    """The colour of a soft body: its own, or that of all. (3,) uint8"""
    return rgb(SOFT) if own is None else np.round(255 * np.array(own)).astype(np.uint8)


def vivid(colours: np.ndarray) -> np.ndarray:
    """Colours that look, after the browser's tone mapping, as they were meant. (n, 3) uint8"""
    grey = colours.mean(axis=1, keepdims=True)
    return np.clip(grey + SATURATION * (colours - grey), 0, 255).round().astype(np.uint8)


def body_colours(own: Sequence[tuple[float, float, float] | None], bodies: Sequence[int], nbodies: int) -> np.ndarray:
    """A colour for each shape: its own, or that of its body. (shapes, 3) uint8"""
    colours = np.empty((len(own), 3), np.uint8)
    for i, (colour, body) in enumerate(zip(own, bodies, strict=True)):
        colours[i] = _of_body(body, nbodies) if colour is None else np.round(255 * np.array(colour))
    return colours


def _of_body(body: int, nbodies: int) -> np.ndarray:
    if nbodies <= len(FEW):
        return rgb(FEW[body])
    stops = np.array([rgb(colour) for colour in MANY], float)
    place = body / (nbodies - 1) * (len(stops) - 1)
    return np.array([np.interp(place, np.arange(len(stops)), stops[:, k]) for k in range(3)]).round()
