"""The vectors of lookups, element by element."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.select import select, select_by_keys, select_keys
from vc4.isa.registers import QUADS
from vc4.qpu.structs import LANES, LaneWords
from vc4.records.tmu import TmuParameterName

from .parameters import LanePlace
from .port import MOST_QPUS, Client
from .texture import CONTEXTS, LookupNote, Vector
from .texture_fields import TextureFields

__all__ = ["LaneRead", "Vectors"]

_NAMES = [name.name.lower() for name in TmuParameterName]
_PARAMETERS = len(_NAMES)
#: Clocks from the read of the first lane to its element: three to the last parameter, one each for memory, QPU and lane.
_LATENCY = _PARAMETERS + 2


class LaneRead(data.Struct):
    """A lane of a vector of a QPU is read."""

    qpu: range(MOST_QPUS)
    lane: LanePlace


class _Step(data.Struct):
    """A clock of a quad: the vector with this number begins to be read, and the lane with this number is complete later."""

    read: LaneRead
    valid: unsigned(1)
    context: range(CONTEXTS)
    number: range(LANES)
    last: unsigned(1)  # of the lookup
    written: _PARAMETERS


class Vectors(wiring.Component):
    """Reads what programs have written, in the order of the lookups.

    Behaviour: a quad takes four clocks, and lookups follow each other without a pause. In each clock a vector begins to be
    read, and each of its lanes a clock after the lane before: so of the four vectors of an element one word each comes in
    successive clocks, and an element is complete every clock.

    Parameters
    ----------
    qpus : 1 to 4

    Interface attributes
    --------------------
    note, note_stb : a lookup is set up
    room, takes : there is room for a quad, and it begins
    reads, data : what is read of each lane, and what each QPU has there, a clock later
    left, left_client : the last quad of a lookup has been read, and whose it is
    o, o_stb : the elements
    """

    def __init__(self, qpus: int):
        super().__init__(
            {
                "note": In(LookupNote),
                "note_stb": In(1),
                "room": In(1),
                "takes": Out(1),
                "reads": Out(data.ArrayLayout(LaneRead, LANES)),
                "data": In(LaneWords).array(qpus),
                "left": Out(1),
                "left_client": Out(Client),
                "o": Out(Vector),
                "o_stb": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.fields = fields = TextureFields("client", "written", "slots")
        lookup = fields.o
        waiting = Signal(range(CONTEXTS + 1))  # lookups that are set up
        context = Signal(range(CONTEXTS))  # the one that is read, or will be next
        number = Signal(range(LANES * QUADS))
        busy = Signal()
        begins = Signal()
        ends = Signal()
        valid = Signal()
        last = Signal()
        lane, quad = number[: LANES.bit_length() - 1], number[LANES.bit_length() - 1 :]
        first = Signal(_Step)
        steps = [first, *(Signal(_Step, name=f"step_{clock}") for clock in range(1, _LATENCY + 1))]
        for before, after in zip(steps, steps[1:], strict=False):
            m.d.sync += after.eq(before)
        left = steps[LANES - 1].read
        m.d.comb += [
            valid.eq(busy & ((lane != 0) | self.room)),
            last.eq(number.all()),
            *(first.valid.eq(valid), first.last.eq(last), first.context.eq(context), first.number.eq(lane)),
            first.written.eq(lookup.written),
            *(first.read.qpu.eq(lookup.client.qpu), first.read.lane.place.second.eq(lookup.client.second)),
            first.read.lane.stb.eq(valid & select(lane, list(lookup.written))),
            first.read.lane.place.slot.eq(select(lane, [lookup.slots[place] for place in range(_PARAMETERS)])),
            first.read.lane.place.quad.eq(quad),
            self.takes.eq(valid & (lane == 0)),
            ends.eq(valid & last),
            begins.eq((waiting != 0) & (~busy | ends)),
            *(fields.note.eq(self.note), fields.note_stb.eq(self.note_stb)),
            fields.context.eq(context + ends),
            *(self.reads[lane].eq(steps[lane].read) for lane in range(LANES)),
            # The last lane is read.
            self.left.eq(steps[LANES - 1].valid & steps[LANES - 1].last),
            *(self.left_client.qpu.eq(left.qpu), self.left_client.second.eq(left.lane.place.second)),
        ]
        m.d.sync += [
            waiting.eq(waiting + self.note_stb - begins),
            busy.eq(begins | (busy & ~ends)),
            number.eq(number + valid),
            context.eq(context + ends),
        ]
        self._words(m, steps)
        return m

    def _words(self, m, steps):
        """The words that were read of each lane become those of an element."""
        ports = [*self.data, self.data[-1]][: len(self.data) + len(self.data) % 2]
        words = [Signal(32, name=f"word_{lane}") for lane in range(LANES)]
        for lane, word in enumerate(words):
            keys = Signal(1 + len(ports) // 2, name=f"qpu_keys_{lane}")
            m.d.sync += [
                keys.eq(select_keys(steps[lane].read.qpu, len(ports))),
                word.eq(select_by_keys(keys, [port[lane] for port in ports])),
            ]
        out = steps[-1]
        m.d.comb += [
            *(self.o.context.eq(out.context), self.o.quad.eq(out.read.lane.place.quad), self.o.lane.eq(out.number)),
            self.o_stb.eq(out.valid),
        ]
        for place, name in enumerate(_NAMES):
            step = steps[place + 1]
            keys = Signal(1 + LANES // 2, name=f"{name}_keys")
            # What was not written is 0: nothing is chosen of the first pair, and nothing of the others.
            m.d.sync += keys.eq(Mux(step.written[place], select_keys(step.number), ~C(3, len(keys))))
            value = select_by_keys(keys, words)
            for clock in range(_PARAMETERS - place):
                before, value = value, Signal(32, name=f"{name}_{clock}")
                m.d.sync += value.eq(before)
            m.d.comb += getattr(self.o, name).eq(value)
