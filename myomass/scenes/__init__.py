"""Preset scenes, by number and by name. A new scene is a function and one line in SCENES."""

from difflib import get_close_matches

from .base import Scene
from .chains import simple_chain, ten_link_chain

SCENES = {
    "simple-chain": simple_chain,
    "ten-link-chain": ten_link_chain,
}
NUMBERS = {0: "simple-chain"}

__all__ = ["NUMBERS", "SCENES", "Scene", "load", "names"]


def names() -> list[str]:
    """Names of all scenes."""
    return list(SCENES)


def load(scene: int | str) -> Scene:
    """A scene by its number in the RedMax table or by its name."""
    key = str(scene)
    name = NUMBERS.get(int(key)) if key.lstrip("-").isdigit() else key
    if name not in SCENES:
        close = get_close_matches(key, SCENES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(SCENES)}"
        raise KeyError(f"there is no scene {key!r}; {hint}")
    return SCENES[name]()
