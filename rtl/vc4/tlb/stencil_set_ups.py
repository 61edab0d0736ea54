"""The stencil tests that programs have set up."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.records.stencil import StencilMasks, StencilRule, StencilSetUp, StencilWriteMask

from .structs import StencilFace, stencil_write

__all__ = ["StencilSetUps"]

_MASK_BITS = 8
#: Bits that may change, by the codes of `StencilWriteMask`.
_MASKS = {one: (1 << int(one.name.removeprefix("BITS_"))) - 1 for one in StencilWriteMask}


class StencilSetUps(wiring.Component):
    """Keeps the stencil tests of both faces of each thread (guide, tables 27 and 28; docs/reference/rendering.md, fragment
    shaders).

    Behaviour: takes a word a clock, which holds from the next one on. A test is there from its first set-up until the next
    vector of the thread; masks alone make none, and a set-up brings its own.

    Parameters
    ----------
    threads : of all QPUs

    Interface attributes
    --------------------
    i : stream of `stencil_write`; always ready
    starts : strobes: a thread gets a new vector, which has no test
    thread, back, face : a face of a thread, in the same clock
    """

    def __init__(self, threads: int):
        self._threads = threads
        super().__init__(
            {
                "i": In(stream.Signature(stencil_write(threads))),
                "starts": In(threads),
                "thread": In(range(threads)),
                "back": In(1),
                "face": Out(StencilFace),
            }
        )

    def elaborate(self, platform):
        m = Module()
        write = self.i.payload
        set_up, masks = StencilSetUp(write.word), StencilMasks(write.word)
        mask = Signal(_MASK_BITS)
        only_masks = Signal()
        m.d.comb += [self.i.ready.eq(1), only_masks.eq(set_up.faces == 0)]
        with m.Switch(set_up.write_mask):
            for code, bits in _MASKS.items():
                with m.Case(code):
                    m.d.comb += mask.eq(bits)
        faces = []
        for number, own_mask in enumerate((masks.front, masks.back)):
            m.submodules[f"rules_{number}"] = rules = LutRam(Shape.cast(StencilRule).width, self._threads)
            m.submodules[f"masks_{number}"] = write_masks = LutRam(_MASK_BITS, self._threads)
            enabled = Signal(self._threads, name=f"enabled_{number}")
            sets = Signal(name=f"sets_{number}")
            m.d.comb += [
                sets.eq(self.i.valid & set_up.faces[number]),
                rules.write_data.eq(set_up.rule),
                rules.write_enable.eq(sets),
                write_masks.write_data.eq(Mux(only_masks, own_mask, mask)),
                write_masks.write_enable.eq(sets | (self.i.valid & only_masks)),
            ]
            for memory in (rules, write_masks):
                m.d.comb += [memory.write_address.eq(write.thread), memory.read_address.eq(self.thread)]
            thread = Mux(sets, 1 << write.thread, 0)
            m.d.sync += enabled.eq((enabled & ~self.starts) | thread)
            faces.append(Cat(rules.read_data, write_masks.read_data, enabled.bit_select(self.thread, 1)))
        m.d.comb += self.face.as_value().eq(Mux(self.back, faces[1], faces[0]))
        return m
