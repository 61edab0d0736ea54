"""The Mandelbrot set as a picture, by the program of the example `mandelbrot`, part by part.

`python docs/tutorials/mandelbrot.py model mandelbrot.png` draws it with the model, `uart:/dev/ttyUSB0` instead of `model` with a
board.
"""

import sys
from importlib import resources

import numpy as np
from PIL import Image
from tqdm import tqdm

import vc4sim

__all__ = ["mandelbrot"]

COLUMNS, ROWS, STEPS = 16, 48, 63  # a part is as wide as a vector, and as many rows as the VPM has room for at ease
WIDTH, HEIGHT = 12 * COLUMNS, 3 * ROWS
LEFT, TOP, PITCH = -2.2, -1.2, 2.4 / HEIGHT


def mandelbrot(gpu: vc4sim.Gpu) -> np.ndarray:
    """How often each point stays within 2, up to `STEPS`."""
    source = (resources.files("vc4sim.examples") / "mandelbrot/source.qasm").read_text()
    source = source.replace(".set rows, 12", f".set rows, {ROWS}").replace(".set limit, 15", f".set limit, {STEPS}")
    program = gpu.assemble(source)
    part = gpu.empty((ROWS, COLUMNS), "i32")
    picture = np.zeros((HEIGHT, WIDTH), np.int32)
    for place in tqdm(range(0, WIDTH * HEIGHT, ROWS * COLUMNS), leave=False):
        row, column = place // (WIDTH * ROWS) * ROWS, place // ROWS % WIDTH
        gpu.run(program, uniforms=[LEFT + PITCH * column, PITCH, TOP + PITCH * row, PITCH, part])
        picture[row : row + ROWS, column : column + COLUMNS] = part.numpy()
    return picture


if __name__ == "__main__":
    counts = mandelbrot(vc4sim.Gpu(on=sys.argv[1]))
    Image.fromarray((255 - counts * 255 // STEPS).astype(np.uint8)).resize((3 * WIDTH, 3 * HEIGHT)).save(sys.argv[2])
