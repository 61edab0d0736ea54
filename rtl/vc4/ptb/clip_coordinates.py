"""Clip coordinates of primitives."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import VERTICES
from vc4.common.ram import LutRam
from vc4.common.select import select

from .clip_steps import NUMBER_WORDS, CornerWord
from .corner_memory import CORNER_ADDRESS_BITS
from .structs import COORDINATES, ClipWord

__all__ = ["ClipCoordinates"]

_FLOAT_BITS = 32
_ONE = 0x3F80_0000
_BANKS = 2
_VERTEX_BITS, _NUMBER_BITS = 2, 2


class ClipCoordinates(wiring.Component):
    """Keeps the coordinates of two primitives, and makes corners of the vertices of one of them.

    Behaviour: a word of a corner each clock, from the second one after `starts` on: W, X, Y and Z of each vertex, then weights and
    numbers. Numbers that count as zero become 0.

    Interface attributes
    --------------------
    word, word_stb : strobe: a coordinate
    starts, bank, last_vertex : strobe: the coordinates of this bank are wanted; the others must not change until `busy` ends
    write_address, write_data, write_stb : strobe: a word of a corner
    busy : there are more
    infinite : one of the coordinates is infinite, or no number
    """

    word: In(ClipWord)
    word_stb: In(1)
    starts: In(1)
    bank: In(1)
    last_vertex: In(range(VERTICES))
    write_address: Out(CORNER_ADDRESS_BITS)
    write_data: Out(_FLOAT_BITS)
    write_stb: Out(1)
    busy: Out(1)
    infinite: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = LutRam(_FLOAT_BITS, _BANKS << (_VERTEX_BITS + _NUMBER_BITS))
        active = Signal()
        count = Signal(range(COORDINATES))
        vertex = Signal(range(VERTICES))
        weighs = Signal()  # weights, and the number
        number = Signal(range(COORDINATES))
        constant = Signal(_FLOAT_BITS)
        value = words.read_data
        is_last, exponent = vertex == self.last_vertex, value[23:31]
        tables = [
            [_ONE if weight == one else 0 for weight in range(VERTICES)] + [NUMBER_WORDS[one]]
            for one in range(VERTICES)
        ]
        m.d.comb += [
            number.eq(count + CornerWord.W),
            words.write_address.eq(Cat(self.word.number, self.word.vertex, self.word.bank)),
            *(words.write_data.eq(self.word.value), words.write_enable.eq(self.word_stb)),
            words.read_address.eq(Cat(number, vertex, self.bank)),
            constant.eq(select(vertex, [select(number, table) for table in (*tables, tables[-1])])),
            self.busy.eq(active | self.write_stb),
        ]
        with m.If(self.starts):
            m.d.sync += [active.eq(1), count.eq(0), vertex.eq(0), weighs.eq(0), self.infinite.eq(0)]
        with m.Elif(active):
            m.d.sync += count.eq(count + 1)
            with m.If(count == COORDINATES - 1):
                m.d.sync += vertex.eq(Mux(is_last, 0, vertex + 1))
                with m.If(is_last):
                    m.d.sync += [weighs.eq(1), active.eq(~weighs)]
            with m.If(~weighs & exponent.all()):
                m.d.sync += self.infinite.eq(1)
        m.d.sync += [
            self.write_stb.eq(active & ~self.starts),
            self.write_address.eq(Cat(number, weighs, vertex)),
            self.write_data.eq(Mux(weighs, constant, Mux(exponent.any(), value, 0))),
        ]
        return m
