"""Colours of everything that is drawn or plotted, as red, green and blue from 0 to 255."""

from collections.abc import Sequence

import numpy as np

FEW = ("#3e7cb1", "#e0a63f", "#3aa6a0", "#d9704f", "#8f7cc3", "#79b15a", "#d77a9b", "#5d83a6")
MANY = ("#2f5d8c", "#3aa6a0", "#79b15a", "#e0b24c", "#d9704f", "#a3527a")  # along a long chain, in between blended
JOINT, SPRING, CABLE, POINT = "#3b4149", "#4f5d66", "#8a6d3b", "#c9cdd2"
MUSCLE, TENDON, MUSCLE_MASS, SURFACE = "#b8433a", "#e6d3bd", "#5e1714", "#c8d4de"
CONTACT, FORCE, PLATE = "#e4572e", "#d81b60", "#b9c3cc"
KINETIC, POTENTIAL, TOTAL = "#c8553d", "#2d6a9f", "#222222"  # energies
AXES = ("#d64545", "#3f9b4f", "#3b6fd1")


def rgb(colour: str) -> np.ndarray:
    """Red, green and blue of "#rrggbb". (3,) uint8"""
    return np.frombuffer(bytes.fromhex(colour[1:]), np.uint8)


def repeated(colour: str, count: int) -> np.ndarray:
    """One colour for many things. (count, 3) uint8"""
    return np.tile(rgb(colour), (count, 1))


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
