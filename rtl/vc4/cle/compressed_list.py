"""Vertices of compressed lists."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from vc4.records.compressed import (
    ABSOLUTE,
    BRANCH,
    BRANCH_BYTES,
    CODINGS,
    COORDINATE_CODINGS,
    EDGES,
    END,
)
from vc4.records.compressed import VERTICES as COUNTS

from .list_fetch import WINDOW_BYTES, ByteWindow, has_bytes
from .structs import VERTICES, FirstVertex, ListFormat, SecondVertex, VertexStep

__all__ = ["CompressedList"]

_INDEX_BYTES, _COORDINATE_BYTES = 2, 4
_HALF = 16
#: All kinds of lists, and their codings.
_LISTS = [
    *((type_, 0, codings) for type_, codings in CODINGS.items()),
    *((type_, 1, codings) for type_, codings in COORDINATE_CODINGS.items()),
]
_CODING_BITS = 8 * max(coding.length for _, _, codings in _LISTS for coding in codings if coding.layout)


class _Form(Enum, shape=2):
    """How the vertices are written."""

    WHOLE = 0  # one after the other, as they are
    SHARED = 1  # the last one by its difference, the others are in the primitive before
    MOVED = 2  # each by its difference to the primitive before
    NEAR = 3  # the first one as it is, after the others' differences to it


class CompressedList(wiring.Component):
    """Takes the primitives of a compressed list (guide, section 9: records 48 and 49, tables 39 to 43).

    Behaviour: a clock for the first bytes, which may pass before a step may happen; then one for the vertex that a
    primitive does not share with the one before, or one for each of its vertices. As soon as the bytes of a clock are
    available.

    Interface attributes
    --------------------
    begins : strobe: a list begins, in the next clock
    runs : it does, and it is one of these
    format : what it holds, all the time
    vertices : of the primitive before, none is anything but 0 when a list begins
    window : of a `ListFetch`
    goes : a step may happen
    step : what it does
    ends : the end has been taken
    moves : with these bytes an item is complete: the control list goes on after them
    branches, blocks : strobe, in the next clock: it goes on elsewhere, so many times 32 bytes from the 32 in which this
        branch begins
    starves : more bytes are needed than are available
    fault : the next item begins with a reserved byte, or is not in memory
    """

    begins: In(1)
    runs: In(1)
    format: In(ListFormat)
    vertices: In(data.ArrayLayout(32, VERTICES))
    window: In(ByteWindow())
    goes: In(1)
    step: Out(VertexStep)
    ends: Out(1)
    moves: Out(1)
    branches: Out(1)
    blocks: Out(signed(16))
    starves: Out(1)
    fault: Out(1)

    def elaborate(self, platform):
        m = Module()
        within = Signal()  # the first bytes of a primitive have been taken
        ended = Signal()
        number = Signal(range(VERTICES))  # of the next vertex
        last = Signal(range(VERTICES))
        form = Signal(_Form)
        found = Signal(_Form)
        bits = Signal(_CODING_BITS)  # what they were
        reserved = Signal()
        length, width, wanted = (Signal(range(WINDOW_BYTES + 1), name=name) for name in ("length", "width", "wanted"))
        is_raw = Signal()
        has = Signal()
        has_first = Signal()
        goes_on = Signal()
        happens = Signal()
        opens = Signal()
        completes = Signal()
        first = self.window.bytes[:8]
        m.d.comb += [
            width.eq(Mux(self.format.coordinates, _COORDINATE_BYTES, _INDEX_BYTES)),
            is_raw.eq((form == _Form.WHOLE) | ((form == _Form.NEAR) & (number == 0))),
            wanted.eq(Mux(within, Mux(is_raw, width, 0), length)),
            has.eq(Mux(within, ~is_raw | has_bytes(self.window, width), has_first)),
            goes_on.eq(self.runs & ~(ended | self.branches)),
            opens.eq(goes_on & ~within & has & ~reserved),
            happens.eq(goes_on & within & has & self.goes),
            self.starves.eq(goes_on & ~has),
            self.fault.eq(goes_on & Mux(has, ~within & reserved, self.window.error)),
            self.window.take.eq(Mux(goes_on & has & (~within | self.goes), wanted, 0)),  # a reserved byte, too
            self.ends.eq(self.runs & ended),
            completes.eq(happens & (number == last)),
            self.blocks.eq(bits[8:]),
            self.moves.eq(completes | (opens & (first == END))),
        ]
        self._look_up(m, found, last, length, has_first, reserved)
        self._step(m, form, bits, number, last, is_raw, happens, completes)
        m.d.sync += self.branches.eq(opens & (first == BRANCH))
        with m.If(opens):
            m.d.sync += [
                within.eq((first != END) & (first != BRANCH)),
                ended.eq(first == END),
                form.eq(found),
                bits.eq(self.window.bytes),
                number.eq(Mux(found == _Form.SHARED, last, 0)),
            ]
        with m.If(happens):
            m.d.sync += [number.eq(number + 1), within.eq(~completes)]
        with m.If(self.begins):
            m.d.sync += [within.eq(0), ended.eq(0)]
        return m

    def _look_up(self, m, found, last, length, has, reserved):
        """What begins with the first byte, whether its bytes are there, and whether nothing does."""
        first, there = self.window.bytes[:8], self.window.available
        for type_, codings in _lists(m, self.format):
            m.d.comb += last.eq(COUNTS[type_] - 1)
            for coding, context in _alternatives(m, first, codings):
                with context:
                    if coding.layout:
                        m.d.comb += [found.eq(_form(coding, COUNTS[type_])), length.eq(coding.length)]
                        m.d.comb += has.eq(there[coding.length - 1])
                    else:
                        m.d.comb += [length.eq(1), has.eq(there[0]), reserved.eq(1)]
        for code, taken in ((END, 1), (ABSOLUTE, 1), (BRANCH, BRANCH_BYTES)):
            with m.If(first == code):
                m.d.comb += [found.eq(_Form.WHOLE), length.eq(taken), has.eq(there[taken - 1]), reserved.eq(0)]

    def _step(self, m, form, bits, number, last, is_raw, happens, completes):
        """The next vertex."""
        step = self.step
        old = Signal(32)
        raw = Signal(32)
        x = Signal(signed(_HALF))
        y = Signal(signed(_HALF))
        edge = Signal(2)
        m.d.comb += [
            old.eq(Mux(form == _Form.NEAR, self.vertices[0], self.vertices[number])),
            raw.eq(Cat(self.window.bytes[:_HALF], Mux(self.format.coordinates, self.window.bytes[_HALF:32], 0))),
            step.value.eq(Mux(is_raw, raw, Cat((old[:_HALF] + x)[:_HALF], (old[_HALF:] + y)[:_HALF]))),
            step.targets.eq(Mux(happens, Cat(number == one for one in range(VERTICES)), 0)),
            step.complete.eq(completes),
        ]
        for type_, codings in _lists(m, self.format):
            for coding, context in _alternatives(m, bits[:8], codings):
                with context:
                    if coding.layout:
                        self._fields(m, coding, COUNTS[type_], bits, number, x, y, edge)
        with m.If(happens & (form == _Form.SHARED)), m.Switch(Cat(edge, last)):
            for count, edges in EDGES.items():
                for value, shared in enumerate(edges):
                    with m.Case(value | count - 1 << len(edge)):
                        for place, vertex in enumerate(shared):
                            m.d.comb += (step.first, step.second)[place].eq(_SOURCES[place][vertex])

    def _fields(self, m, coding, count, bits, number, x, y, edge):
        """The difference of the next vertex, and the edge."""
        fields = data.View(coding.layout, bits[: Shape.cast(coding.layout).width])
        names = dict(data.Layout.cast(coding.layout))
        if "edge" in names:
            m.d.comb += edge.eq(fields.edge)
        with m.Switch(number):
            for vertex in range(count):
                name = f"delta_{vertex}_0" if coding.vertex_follows else f"delta_{vertex}"
                if found := _difference(fields, names, name):
                    with m.Case(vertex):
                        m.d.comb += [x.eq(found[0]), y.eq(found[1])]


#: Where the first two vertices come from.
_SOURCES = (
    {0: FirstVertex.KEPT, 1: FirstVertex.SECOND, 2: FirstVertex.THIRD},
    {0: SecondVertex.FIRST, 1: SecondVertex.KEPT, 2: SecondVertex.THIRD},
)


def _lists(m, format_):
    """Each type of primitives with its codings, in the context in which lists have them."""
    with m.Switch(format_.as_value()):
        for type_, coordinates, codings in _LISTS:
            with m.Case(ListFormat.const({"type": type_, "coordinates": coordinates}).as_value()):
                yield type_, codings


def _alternatives(m, first, codings):
    """Each coding with the context in which it is the one that begins with a byte."""
    for index, coding in enumerate(codings):
        yield coding, (m.Elif if index else m.If)(first & coding.mask == coding.value)


def _form(coding, count):
    names = dict(data.Layout.cast(coding.layout))
    if coding.vertex_follows:
        return _Form.NEAR
    return _Form.SHARED if count > 1 and "edge" in names else _Form.MOVED


def _difference(fields, names, name):
    """X and Y of a difference, an index in place of x; `None` if the coding does not have it."""
    if name in names:
        return fields[name], 0
    if f"{name}_x" in names:
        return fields[f"{name}_x"], fields[f"{name}_y"]
    if f"{name}_x_high" in names:
        return Cat(fields[f"{name}_x_low"], fields[f"{name}_x_high"]).as_signed(), fields[f"{name}_y"]
    return None
