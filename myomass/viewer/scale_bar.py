"""A bar of colours in the corner of a picture, with what they mean."""

import numpy as np

from .palette import LEVELS, ramp

TEXT, HEIGHT, WIDTH, MARGIN = 0.030, 0.018, 0.22, 0.035  # of the picture's height; the bar's width of the picture's
INK = (59, 65, 73)
LEAST = 9  # pixels of the text


def with_bar(picture: np.ndarray, what: str, colours: tuple[str, ...], most: float) -> np.ndarray:
    """The picture with a bar from 0 to `most` in its lower left corner. (height, width, 3) uint8"""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError("a bar of colours needs Pillow: pip install 'myomass[plot]'") from None
    rows, columns = picture.shape[:2]
    size, tall, wide = max(LEAST, round(TEXT * rows)), max(4, round(HEIGHT * rows)), round(WIDTH * columns)
    image, font = Image.fromarray(picture), ImageFont.load_default(size)
    draw = ImageDraw.Draw(image)
    x, y = round(MARGIN * rows), rows - round(MARGIN * rows) - size // 2
    for text, side in ((f"{what} 0", "before"), (f"{most:g}", "after")):
        draw.text((x, y), text, INK, font, anchor="lm")
        x += round(draw.textlength(text, font)) + size // 2
        if side == "before":
            steps = np.arange(wide) * (LEVELS - 1) // max(wide - 1, 1)
            bar = np.broadcast_to(ramp(colours)[steps], (tall, wide, 3))
            image.paste(Image.fromarray(np.ascontiguousarray(bar)), (x, y - tall // 2))
            x += wide + size // 2
    return np.asarray(image)
