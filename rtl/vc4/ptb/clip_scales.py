"""What records say of clip coordinates."""

from amaranth import *
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import PipelineRecord, fields_of
from vc4.records.control import ControlCode
from vc4.records.state import ClipperXYScaling

from .clip_steps import NumberWord, SpareCorner
from .corner_memory import CORNER_ADDRESS_BITS

__all__ = ["ClipScales"]

_FLOAT_BITS = 32


class _State(enum.Enum, shape=unsigned(2)):
    """What is written."""

    CLEAR = 0
    REST = 1
    RECORD = 2


class ClipScales(wiring.Component):
    """Hands scales and the offset of Z of records to the clipper's memory, as the model's `_state_number`: infinite ones are 0.

    Behaviour: two words in the two clocks after `starts`. At first, after a reset, all four are 0: `busy` until then.

    Interface attributes
    --------------------
    starts, record : strobe: a record of scales or of Z has been taken, which is here from the next clock on while it is `busy`
    write_address, write_data, write_stb : strobe: a word of `SpareCorner.NUMBERS`
    busy : there are more
    """

    record: In(PipelineRecord)
    starts: In(1)
    write_address: Out(CORNER_ADDRESS_BITS)
    write_data: Out(_FLOAT_BITS)
    write_stb: Out(1)
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        state = Signal(_State)
        word = Signal(range(2))
        cleared = Signal()  # the first two are
        is_z = Signal()
        value = Signal(_FLOAT_BITS)
        # Two floats each, at the same places.
        floats = Value.cast(fields_of(self.record, ClipperXYScaling))
        m.d.comb += [
            is_z.eq(Mux(state == _State.CLEAR, cleared, self.record.code == ControlCode.CLIPPER_Z_SCALE_AND_OFFSET)),
            value.eq(floats.word_select(word, _FLOAT_BITS)),
            self.busy.eq(state != _State.REST),
            self.write_stb.eq(self.busy),
            self.write_address.eq(Cat(word, is_z, C(NumberWord.X_SCALE >> 2, 1), C(SpareCorner.NUMBERS, 6))),
            self.write_data.eq(Mux((state == _State.CLEAR) | value[23:31].all(), 0, value)),
        ]
        with m.Switch(state):
            with m.Case(_State.CLEAR):
                m.d.sync += Cat(word, cleared).eq(Cat(word, cleared) + 1)
                with m.If(word & cleared):
                    m.d.sync += state.eq(_State.REST)
            with m.Case(_State.REST):
                m.d.sync += word.eq(0)
                with m.If(self.starts):
                    m.d.sync += state.eq(_State.RECORD)
            with m.Case(_State.RECORD):
                m.d.sync += word.eq(1)
                with m.If(word):
                    m.d.sync += state.eq(_State.REST)
        return m
