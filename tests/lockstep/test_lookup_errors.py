"""Lookups outside of memory: elements read 0, the run goes on, and model and RTL report the same.

What is asked for follows from the guide: s alone is an address of a word (section 4, direct lookups), the first config
parameter has the base in units of 4 KiB (table 15), and a texel of the border comes from no memory (table 16).
"""

import dataclasses
import struct

import pytest

from vc4.config import V3DConfig, preset
from vc4.records.tmu import Wrap
from vc4sim.asm import assemble
from vc4sim.backends import model, pysim
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.events import Retirement
from vc4sim.lockstep import Lockstep

pytestmark = pytest.mark.thorough
BASE, SIZE = 0x10_0000, 0x3000
UNIFORMS = BASE + 0x800
#: The last page of memory, and the one after it.
LAST, BEHIND = BASE + 0x2000, BASE + 0x3000
ERROR = {"ERR_LOOKUP"}
END = "\nthrend\nnop\nnop\n"
#: An address for each element: the first uniform, and in the element that the second one names the third uniform.
GENERAL = "mov r0, unif\nsub.setf -, elem_num, unif\nmov.ifz r0, unif\nmov t0s, r0\nnop; ldtmu0"
#: A texture of 16 x 16 texels of 32 bits, which fill 1 KiB; s and t are the first two uniforms.
TEXTURE = "mov r0, unif\nmov r1, unif\nmov t0t, r1\nmov t0s, r0\nnop; ldtmu0"
LINEAR, NEAREST = 0, 1 << 4 | 1 << 7


def job_of(source, *uniforms):
    """All of memory but program and uniforms is 1 in every byte."""
    words = struct.pack(f"<{len(uniforms)}I", *(value & 0xFFFF_FFFF for value in uniforms))
    image = assemble(source + END).code.ljust(UNIFORMS - BASE, b"\1") + words
    config = preset("slice")
    return Job(image=image.ljust(SIZE, b"\1"), base=BASE, launches=(Launch(BASE, UNIFORMS),), config=config)


def looked_up(job, run):
    """The errors of a run with the model beside it, and what came."""
    events = []
    outcome = Lockstep(job).run(run, events.append)
    assert outcome.ending is Ending.DONE, outcome.why
    assert outcome.errors == model.run(job).errors
    loads = [event for event in events if isinstance(event, Retirement) and "ldtmu" in str(event)]
    return outcome.errors, loads[-1].writes[-1].words


def sampling(base, wrap, filters=NEAREST):
    """The two config parameters of a texture at `base`."""
    return base, 16 << 20 | 16 << 8 | filters | wrap.value << 2 | wrap.value


def bits(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


@pytest.mark.parametrize(
    ("element", "address", "errors"),
    [
        (0, LAST, set()),
        (15, BEHIND - 4, set()),
        (15, BEHIND, ERROR),
        (7, BASE - 4, ERROR),
        (3, 0, ERROR),
        (9, 0xFFFF_FFFC, ERROR),
    ],
)
def test_general_lookups(simulator, element, address, errors):
    found, words = looked_up(job_of(GENERAL, LAST, element, address), simulator)
    assert found == errors
    lacking = [element] if errors else []
    assert [index for index, word in enumerate(words) if word == 0] == lacking
    assert {word for word in words if word} == {0x0101_0101}


@pytest.mark.parametrize(
    ("base", "place", "wrap", "errors"),
    [
        (LAST, 0.5, Wrap.REPEAT, set()),
        (BEHIND, 0.5, Wrap.REPEAT, ERROR),
        (BEHIND, -1.0, Wrap.CLAMP, ERROR),
        (BEHIND, -1.0, Wrap.BORDER, set()),  # nothing is read
    ],
)
def test_textures(simulator, base, place, wrap, errors):
    found, _ = looked_up(job_of(TEXTURE, bits(place), bits(place), *sampling(base, wrap)), simulator)
    assert found == errors


@pytest.mark.parametrize(("filters", "errors"), [(NEAREST, set()), (LINEAR, ERROR)])
def test_only_the_texels_that_count(simulator, filters, errors):
    """Memory has the first eight rows. One texel is of the last of them; a blend of four needs the row after."""
    job = job_of(TEXTURE, bits(0.5), bits(7.9 / 16), *sampling(LAST, Wrap.REPEAT, filters))
    job = dataclasses.replace(job, image=job.image[: LAST + 0x200 - BASE])
    found, _ = looked_up(job, simulator)
    assert found == errors


def test_a_lookup_that_nobody_waits_for(simulator):
    """It is chance whether its line comes before the end."""
    job = job_of("mov t0s, 0")
    outcome = Lockstep(job).run(simulator)
    assert outcome.ending is Ending.DONE
    assert outcome.errors <= ERROR


def test_on_amaranth():
    job = dataclasses.replace(job_of(GENERAL, LAST, 7, BASE - 4), config=V3DConfig(tmus_per_slice=1))
    found, words = looked_up(job, pysim.run)
    assert found == ERROR
    assert words[7] == 0
