"""What a shader record says of vertices in memory."""

from amaranth import *
from amaranth.hdl import Shape
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.records.shaders import (
    ATTRIBUTE_ARRAYS,
    EXTENDED_STRIDES_OFFSET,
    AttributeArray,
    ExtendedStride,
    GlShaderRecord,
    NvShaderRecord,
)
from vc4.vpm.window import BLOCK_BITS, MOST_SHADER_BLOCKS

from .structs import RECORD_WORDS, THREADS, ShaderHeader, ShaderWord, VertexArray

__all__ = ["ARRAYS_WORD", "VertexArrays"]

_WORD_BITS = 32
#: What an NV vertex has in front for clipping, in bytes.
_CLIP_BYTES = 16
_BLOCK_BYTES_BITS = 4  # of a column
#: Where attribute arrays and their extended strides begin, in words.
ARRAYS_WORD = Shape.cast(GlShaderRecord).width // _WORD_BITS
_STRIDES_WORD = EXTENDED_STRIDES_OFFSET * 8 // _WORD_BITS
#: What the programs of each thread are called.
_NAMES = ("coordinate_shader", "vertex_shader")


def _place(layout, name):
    """The number of the word of a record in which a field is, and the bits of the field in there."""
    field = data.Layout.cast(layout)[name]
    word, first = divmod(field.offset, _WORD_BITS)
    return word, slice(first, first + Shape.cast(field.shape).width)


class VertexArrays(wiring.Component):
    """Keeps the arrays of both threads (guide, tables 45 and 46; pipeline facts, 3.1 and 3.4).

    Behaviour: takes a word a clock, in their order, and finds an array in the clock of its number. The shaded vertices of an
    NV record are array 0: the binning thread has them with what clipping needs, or the room for that; the rendering
    thread without.

    Interface attributes
    --------------------
    i : a word of a record
    rendering : the thread to which it belongs
    shades : it is one with programs for vertices
    header : its first words, from the clock after they came on
    vertex_words : words of a shaded vertex
    is_pc, is_uniforms : the word is that of the program of the thread
    comes, which : the word ends an array that the thread has, and its number
    blocks : of the VPM, up to the end of its attribute
    is_first : no array of the record has come before
    gapless, partial : of all that have come, with this one, see `VertexFormat`
    thread, number, extended : an array that is looked up, and whether its stride has its upper bits
    array : this one
    """

    i: In(ShaderWord)
    rendering: In(1)
    shades: In(1)
    header: In(ShaderHeader)
    vertex_words: In(8)
    is_pc: Out(1)
    is_uniforms: Out(1)
    comes: Out(1)
    which: Out(range(ATTRIBUTE_ARRAYS))
    blocks: Out(BLOCK_BITS)
    is_first: In(1)
    gapless: Out(1)
    partial: Out(1)
    thread: In(range(THREADS))
    number: In(range(ATTRIBUTE_ARRAYS))
    extended: In(1)
    array: Out(VertexArray)

    def elaborate(self, platform):
        m = Module()
        selected = Signal(ATTRIBUTE_ARRAYS)
        array = Signal(VertexArray)
        has_address = Signal()
        has_details = Signal()
        for rendering, name in enumerate(_NAMES):
            with m.If(self.shades & (self.rendering == rendering)):
                word, bits = _place(GlShaderRecord, f"{name}_attribute_array_select_bits")
                with m.If(self.i.valid & (self.i.number == word)):
                    m.d.sync += selected.eq(self.i.value[bits])
                m.d.comb += [
                    self.is_pc.eq(self.i.number == _place(GlShaderRecord, f"{name}_code_address")[0]),
                    self.is_uniforms.eq(self.i.number == _place(GlShaderRecord, f"{name}_uniforms_address")[0]),
                ]
        with m.If(self.shades):
            self._attribute(m, selected, array, has_address, has_details)
        with m.Else():
            self._shaded(m, array, has_address, has_details)
        self._keep(m, array, has_address, has_details)
        return m

    def _attribute(self, m, selected, array, has_address, has_details):
        """Of a GL record: an address, and in the word after it the rest."""
        behind = Signal(range(RECORD_WORDS))  # words of arrays before this one
        inside = Signal()
        detail = data.View(AttributeArray, Cat(Const(0, _WORD_BITS), self.i.value))
        end = Signal(range(1 << 9))  # of its attribute, in bytes - 1
        offset = Mux(self.rendering, detail.vertex_shader_vpm_offset, detail.coordinate_shader_vpm_offset)
        blocks = Signal(BLOCK_BITS)
        covered = Signal(range((1 << 9) + 1))  # bytes of the column
        was_gapless = Signal()
        m.d.comb += [
            behind.eq(self.i.number - ARRAYS_WORD),
            inside.eq(self.i.valid & (self.i.number >= ARRAYS_WORD) & (self.i.number < _STRIDES_WORD)),
            self.which.eq(behind >> 1),
            has_address.eq(inside & ~behind[0]),
            has_details.eq(inside & behind[0]),
            self.comes.eq(has_details & selected.bit_select(self.which, 1)),
            array.address.eq(self.i.value),
            array.stride.eq(detail.memory_stride),
            array.length.eq(detail.number_of_bytes_minus_1),
            array.offset.eq(offset),
            end.eq(array.offset + array.length),
            blocks.eq((end >> _BLOCK_BYTES_BITS) + 1),
            self.blocks.eq(Mux(blocks > MOST_SHADER_BLOCKS, MOST_SHADER_BLOCKS, blocks)),
            self.partial.eq(~end[:_BLOCK_BYTES_BITS].all()),
            self.gapless.eq(
                (self.is_first | was_gapless) & (array.offset == Mux(self.is_first, 0, covered)) & end[:2].all()
            ),
        ]
        with m.If(self.comes):
            m.d.sync += [was_gapless.eq(self.gapless), covered.eq(end + 1)]

    def _shaded(self, m, array, has_address, has_details):
        """Of an NV record: all in one word, and in the header."""
        word, _ = _place(NvShaderRecord, "shaded_vertex_data_address")
        own = data.View(NvShaderRecord, Cat(self.header, Const(0, _WORD_BITS)))
        comes = self.i.valid & (self.i.number == word)
        lacks = Signal()  # what clipping needs
        skips = Signal()
        clips = own.clip_coordinates_header_included
        m.d.comb += [
            lacks.eq(~self.rendering & ~clips),
            skips.eq(self.rendering & clips),
            has_address.eq(comes),
            has_details.eq(comes),
            self.comes.eq(comes),
            self.partial.eq(lacks),
            array.address.eq(self.i.value + Mux(skips, _CLIP_BYTES, 0)),
            array.stride.eq(own.shaded_vertex_data_stride),
            array.length.eq((self.vertex_words << 2) - Mux(lacks, _CLIP_BYTES, 0) - 1),
            array.offset.eq(Mux(lacks, _CLIP_BYTES, 0)),
        ]

    def _keep(self, m, array, has_address, has_details):
        """The arrays, and the upper bits of their strides."""
        places = THREADS * ATTRIBUTE_ARRAYS
        m.submodules.addresses = addresses = LutRam(len(array.address), places)
        m.submodules.details = details = LutRam(3 * 8, places)
        m.submodules.strides = strides = LutRam(_WORD_BITS - 8, places)
        rest = Cat(array.stride[:8], array.length, array.offset)
        number = Signal(range(ATTRIBUTE_ARRAYS))
        m.d.comb += [
            number.eq(self.i.number - _STRIDES_WORD),
            addresses.write_data.eq(array.address),
            addresses.write_enable.eq(has_address),
            details.write_data.eq(rest),
            details.write_enable.eq(has_details),
            strides.write_address.eq(Cat(number, self.rendering)),
            strides.write_data.eq(data.View(ExtendedStride, self.i.value).memory_stride_high),
            strides.write_enable.eq(self.shades & self.i.valid & (self.i.number >= _STRIDES_WORD)),
            Cat(self.array.stride[:8], self.array.length, self.array.offset).eq(details.read_data),
            self.array.stride[8:].eq(Mux(self.extended, strides.read_data, 0)),
            self.array.address.eq(addresses.read_data),
        ]
        for ram in (addresses, details):
            m.d.comb += ram.write_address.eq(Cat(self.which, self.rendering))
        for ram in (addresses, details, strides):
            m.d.comb += ram.read_address.eq(Cat(self.number, self.thread))
