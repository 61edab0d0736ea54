"""Captured frames on the model, each drawn once a session, and the pictures that it drew when they were frozen.

`python tests/render/captures.py` draws all of them and freezes what comes out.
"""

from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from vc4.config import preset
from vc4sim.clist import Capture, load_capture
from vc4sim.render import Host, Picture, picture_of

__all__ = ["PICTURES", "draw", "frozen"]

PICTURES = Path(__file__).parent / "pictures"


@cache
def draw(folder: Path) -> tuple[Capture, Host, Picture]:
    """A capture, the host that has drawn it, and the picture."""
    capture = load_capture(folder)
    host = Host(capture, preset("bcm2835"))
    for job in capture.jobs:
        for _ in host.run(job):
            pass
    return capture, host, picture_of(capture, host.memory)


def frozen(name: str) -> Picture:
    """The frozen picture of a capture."""
    return np.array(Image.open(PICTURES / f"{name}.png"))[::-1]


if __name__ == "__main__":
    for case in sorted((Path(__file__).parents[1] / "data/cases/gl").glob("*/case.json")):
        _, _, picture = draw(case.parent)
        Image.fromarray(np.ascontiguousarray(picture[::-1])).save(PICTURES / f"{case.parent.name}.png", optimize=True)
