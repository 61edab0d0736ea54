"""Shader records from memory."""

from amaranth import *
from amaranth.hdl import Shape
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.records.shaders import ATTRIBUTE_ARRAYS, NvShaderRecord
from vc4.vpm.window import MOST_SHADER_BLOCKS

from .structs import THREADS, ShaderHeader, ShaderRequest, ShaderWord, VertexArray, VertexFormat
from .vertex_arrays import ARRAYS_WORD, RECORD_WORDS, VertexArrays

__all__ = ["ShaderRecords"]

_WORD_BITS = 32
#: Words in front of a shaded vertex: Xc, Yc, Zc, Wc of the binning thread; then Xs and Ys, Zs, 1/Wc.
_CLIP_WORDS, _SCREEN_WORDS = 4, 3
_BLOCK_WORDS = 4
_MOST_WORDS = MOST_SHADER_BLOCKS * _BLOCK_WORDS
_NV_LAST = Shape.cast(NvShaderRecord).width // _WORD_BITS - 1


class ShaderRecords(wiring.Component):
    """Reads the shader records of both threads, and keeps what they say of vertices (guide, tables 45 to 47).

    Behaviour: one record at a time, of the binning thread if both ask. It asks for a word of the bus a clock, and takes one
    in two clocks; then it offers the header, and from the clock after that was taken on the format holds. `array` is there in
    the clock of its number. The shaded vertices of an NV record are its array 0.

    Interface attributes
    --------------------
    requests : stream of `ShaderRequest` of each thread
    headers : stream of `ShaderHeader` to each thread, the answer
    fault : with a header: some of the record is not in memory
    formats : of each thread
    forgets : strobe of each thread: there is no record
    thread, number, array : an array of a thread
    port : the way into memory, which is only read
    """

    requests: In(stream.Signature(ShaderRequest)).array(THREADS)
    headers: Out(stream.Signature(ShaderHeader)).array(THREADS)
    fault: Out(1)
    formats: Out(data.ArrayLayout(VertexFormat, THREADS))
    forgets: In(THREADS)
    thread: In(range(THREADS))
    number: In(range(ATTRIBUTE_ARRAYS))
    array: Out(VertexArray)
    port: Out(MemoryPort(word_bytes=BUS_BYTES))

    def elaborate(self, platform):
        m = Module()
        active = Signal()
        thread = Signal(range(THREADS))
        request = Signal(ShaderRequest)
        header = Signal(ShaderHeader)
        format_ = Signal(VertexFormat)
        over = Signal()  # all words have come
        begins = Signal()
        ends = Signal()
        valid = Cat(asked.valid for asked in self.requests)
        turns = [valid[0], valid[1] & ~valid[0]]
        m.d.comb += begins.eq(~active & valid.any())
        for number, (asked, answer) in enumerate(zip(self.requests, self.headers, strict=True)):
            m.d.comb += [
                asked.ready.eq(~active & turns[number]),
                answer.valid.eq(active & over & (thread == number)),
                answer.payload.eq(header),
            ]
            with m.If(asked.valid & asked.ready):
                m.d.sync += [thread.eq(number), request.eq(asked.payload)]
            with m.If(self.forgets[number]):
                m.d.sync += self.formats[number].known.eq(0)
            with m.If(answer.valid & answer.ready):
                m.d.comb += ends.eq(1)
                m.d.sync += self.formats[number].eq(format_)
        m.d.sync += active.eq(begins | (active & ~ends))
        word = self._read(m, request, begins, active, over)
        self._describe(m, thread, request, header, format_, word)
        with m.If(begins):
            m.d.sync += [over.eq(0), self.fault.eq(0), format_.eq(0)]
        return m

    def _read(self, m, request, begins, active, over):
        """Asks for words of the bus, and takes the halves of each one after the other."""
        asked = Signal(range(RECORD_WORDS // 2 + 2))
        last = Signal(range(RECORD_WORDS))
        comes = Signal(ShaderWord)
        number = Signal.like(comes.number)
        bus, response = self.port.requests, self.port.responses
        m.d.comb += [
            last.eq(
                Mux(
                    request.shades,
                    Mux(request.extended, RECORD_WORDS - 1, ARRAYS_WORD + 1 + (request.arrays << 1)),
                    _NV_LAST,
                )
            ),
            bus.payload.address.eq(Cat(C(0, 4), request.address) + asked * BUS_BYTES),
            bus.valid.eq(active & ~over & (asked <= last >> 1)),
            *(comes.valid.eq(response.valid), comes.number.eq(number)),
            comes.value.eq(response.payload.data.word_select(number[0], _WORD_BITS)),
            response.ready.eq(number[0] | (number == last)),
        ]
        with m.If(begins):
            m.d.sync += [asked.eq(0), number.eq(0)]
        with m.If(bus.valid & bus.ready):
            m.d.sync += asked.eq(asked + 1)
        with m.If(response.valid):
            m.d.sync += [number.eq(number + 1), over.eq(number == last)]
            with m.If(response.payload.error):
                m.d.sync += self.fault.eq(1)
        return comes

    def _describe(self, m, thread, request, header, format_, word):
        """Header and format."""
        m.submodules.arrays = arrays = VertexArrays()
        wanted = Signal(range(_CLIP_WORDS + _SCREEN_WORDS + 1 + 256))
        words = Signal(range(_MOST_WORDS + 1))
        own = data.View(NvShaderRecord, Cat(header, Const(0, _WORD_BITS)))
        # Known two words after the first one, which is soon enough for the last one of an NV record.
        m.d.sync += wanted.eq(_SCREEN_WORDS + own.point_size_included + Mux(thread == 0, _CLIP_WORDS, header.varyings))
        m.d.comb += [
            words.eq(Mux(wanted > _MOST_WORDS, _MOST_WORDS, wanted)),
            arrays.rendering.eq(thread),
            arrays.shades.eq(request.shades),
            arrays.header.eq(header),
            arrays.vertex_words.eq(words),
            arrays.i.eq(word),
            arrays.is_first.eq(~format_.arrays.any()),
            arrays.thread.eq(self.thread),
            arrays.number.eq(self.number),
            arrays.extended.eq(self.formats[self.thread].extended),
            self.array.eq(arrays.array),
        ]
        with m.If(word.valid):
            m.d.sync += [
                format_.known.eq(request.vertices),
                format_.shades.eq(request.shades),
                format_.extended.eq(request.extended),
                format_.results.eq((words + _BLOCK_WORDS - 1) >> 2),
            ]
            with m.If(arrays.comes):
                m.d.sync += format_.arrays.bit_select(arrays.which, 1).eq(1)
                with m.If(request.shades & (arrays.blocks > format_.attributes)):
                    m.d.sync += format_.attributes.eq(arrays.blocks)
                m.d.sync += [format_.gapless.eq(arrays.gapless), format_.partial.eq(arrays.partial)]
            with m.If(arrays.is_pc):
                m.d.sync += format_.pc.eq(word.value)
            with m.If(arrays.is_uniforms):
                m.d.sync += format_.uniforms.eq(word.value)
        for number in range(Shape.cast(ShaderHeader).width // _WORD_BITS):
            with m.If(word.valid & (word.number == number)):
                m.d.sync += header.as_value().word_select(number, _WORD_BITS).eq(word.value)
