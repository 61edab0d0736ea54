"""The wires between r4 and the units from which words are loaded into it."""

from functools import reduce
from operator import or_

from amaranth import *

__all__ = ["attach_loads"]


def attach_loads(m, qpu, sources):
    """A word is loaded in RA, and is in r4 for the next instruction.

    sources : of each unit, whether the instruction in RA loads from there, and the quad a clock later
    """
    r4, ra, control = qpu.r4, qpu.pipeline.ra, qpu.front.issued.control
    quad = Signal.like(ra.quad, name="loaded_quad")
    words = []
    for number, (loads, word) in enumerate(sources):
        here = Signal(name=f"loaded_from_{number}")
        m.d.sync += here.eq(loads)
        words.append(Value.cast(word) & here.replicate(len(Value.cast(word))))
    m.d.sync += [quad.eq(ra.quad), r4.loaded_stb.eq(Cat(loads for loads, _ in sources).any())]
    m.d.comb += [
        r4.loads.eq(control.loads_tmu | control.loads_tile),
        r4.loaded_quad.eq(quad),
        Value.cast(r4.loaded).eq(reduce(or_, words)),
    ]
