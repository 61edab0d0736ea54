"""The first difference says where it is: block, tile, primitive, quad, pixel."""

import dataclasses

import numpy as np
import pytest
from amaranth.lib import data

from vc4.config import preset
from vc4sim.bench.gather import Retired
from vc4sim.clist import load_capture
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.frames.draw_lockstep import DrawLockstep
from vc4sim.lockstep import Difference
from vc4sim.render import Host
from vc4sim.retired import KIND_BITS, RETIRED

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]

DATA = data.Layout.cast(Retired)["add_data"].offset // 32
ELEMENT = 5


@pytest.fixture(scope="module")
def job(recorded):
    """A frame of a few triangles, as its first job."""
    capture = load_capture(recorded / "cases/gl/tri_flat")
    host = Host(capture, preset("bcm2835"))
    host.bin(capture.jobs[0])
    image = host.memory.read(0, capture.memory_size)
    return DrawJob(image=image, registers=capture.jobs[0].starts, config=preset("gpu"))


def told(job, spoil, read_back=lambda memory: memory):
    """What lockstep says if the RTL tells something else; nothing if it does not matter."""
    beside = DrawLockstep(job)

    def follow(rows):
        rows = rows.copy()
        spoil(rows)
        beside(rows)

    try:
        run = run_draw(job, "native", follow=follow)
        beside.compare_memory(dataclasses.replace(run, memory=read_back(run.memory)))
    except Difference as difference:
        return str(difference)
    return ""


def spoils(wanted):
    """Another word of the first result that `wanted` is true of."""
    done = []

    def spoil(rows):
        for row in rows:
            if not done and row[0] % (1 << KIND_BITS) == RETIRED and wanted(row):
                row[1 + DATA + ELEMENT] ^= 1
                done.append(row)

    return spoil


def test_an_instruction_of_a_fragment_shader(job):
    """The last results are those of one."""
    rows = []

    def is_result(row):
        return row[0] % (1 << KIND_BITS) == RETIRED and row[1 + DATA + ELEMENT] > 0

    run_draw(job, "native", follow=lambda found: rows.extend(filter(is_result, found.copy())))
    # Not all results are written.
    for back in range(1, 9):
        left = iter(range(len(rows)))
        text = told(job, spoils(lambda row, left=left, back=back: is_result(row) and next(left) == len(rows) - back))
        if text:
            break
    lines = text.splitlines()
    assert "which shades a vector of fragments:" in lines[1]
    assert lines[1].startswith("      in QPU ")
    quads = [line for line in lines if line.startswith("        the quad at (")]
    assert 1 <= len(quads) <= 4
    assert all(" of primitive 0 of tile 0,0, a triangle of vertices " in line for line in quads)
    (element,) = (line for line in lines if line.startswith(f"      element {ELEMENT}: pixel ("))
    assert "of the quad at (" in element


def test_an_instruction_of_a_vertex_shader(job):
    text = told(job, spoils(lambda row: row[1 + DATA + ELEMENT] > 0))
    assert "which shades coordinates 0 1 2" in text or "which shades vertices 0 1 2" in text


@pytest.mark.parametrize("inside", [True, False])
def test_a_byte_of_memory(job, inside):
    beside = DrawLockstep(job)
    run_draw(job, "native", follow=beside)
    beside._go_on()
    image = beside.renderer.transfers.images[-1]
    x, y = 40, 30
    at = int(image.surface.addresses(dataclasses.replace(image.where, x=x, y=y, columns=1, rows=1))[0])
    at = at if inside else 0

    def spoil(memory):
        spoilt = np.frombuffer(memory, np.uint8).copy()
        spoilt[at] ^= 1
        return spoilt.tobytes()

    text = told(job, lambda rows: None, spoil)
    assert text.startswith(f"1 bytes of memory differ, the first at {at:#010x}")
    if not inside:
        assert "which no store of an image has written" in text
        return
    place = f"in tile buffer and store: pixel ({x},{y}) of colours at {image.surface.address:#010x}, tile 0,0"
    assert place in text
    assert f"drawn there last: the quad at ({x},{y}) of primitive 0 of tile 0,0, a triangle of vertices 0 1 2" in text
