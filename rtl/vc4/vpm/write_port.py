"""The way of a QPU into the VPM."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from vc4.records.vpm import DmaMode, SetupId, VdwBasicSetup, VdwStrideSetup, VpmSize, VpmWriteSetup

from .port import QUAD_WORDS, VpmCommand, VpmPort, VpmUnbuilt
from .structs import ROW_WORDS, WINDOW_ROWS, QuadWrite, RowRange, VdwStore

__all__ = ["WritePort"]

_LAST_QUAD = ROW_WORDS // QUAD_WORDS - 1
#: Rows that the address of a vector can name.
_ADDRESSED_ROWS = 64


class WritePort(wiring.Component):
    """Carries out the commands of one QPU, in order: vectors to the VPM, set-ups, and stores to the VDW.

    Behaviour: a beat passes without delay, and one moves every clock. The commands wait

    * at a `STORE_ADDRESS`, until the VDW takes it: it has one store at a time;
    * at a vector for a row that the VDW has yet to read, for whomever;
    * while other QPUs have their turn;
    * for ever, at a command that needs something that is not built: `unbuilt` says what, and `port.writes.ready` stays
      low. A set-up may ask for anything; it is its use that stops.

    After reset all three set-ups are 0, that is bytes down a column: a program that has not set up stops.

    Implements sections 8.4 and 8.6 of the fact sheet, tables 32, 34 and 35 of the guide. The address is 8 bits wide and
    wraps; a horizontal vector takes its low 6 bits as the row.

    Parameters
    ----------
    rows : number of rows of the VPM

    Interface attributes
    --------------------
    port : the port of the QPU
    quads : stream of `QuadWrite` to the VPM; one that waits is withdrawn while a store comes to have its row
    stores : stream of `VdwStore` to the VDW
    store_done : strobe: the store that the VDW had, whoever gave it, is in memory
    unread : the rows that the VDW has yet to read
    unbuilt : the reason of the stop, sticky
    """

    def __init__(self, rows: int):
        self._rows = rows
        super().__init__(
            {
                "port": In(VpmPort()),
                "quads": Out(stream.Signature(QuadWrite)),
                "stores": Out(stream.Signature(VdwStore)),
                "store_done": In(1),
                "unread": In(RowRange),
                "unbuilt": Out(VpmUnbuilt),
            }
        )

    def elaborate(self, platform):
        m = Module()
        writes = self.port.writes
        beat = writes.payload
        reason = Signal(VpmUnbuilt)
        live = Signal()  # there is a beat, and nothing is wrong with it
        setup = Signal(VpmWriteSetup)  # its address moves on
        basic = Signal(VdwBasicSetup)
        stride = Signal(VdwStrideSetup)

        m.d.comb += live.eq(writes.valid & (reason == VpmUnbuilt.NONE))
        with m.If(writes.valid):
            m.d.sync += self.unbuilt.eq(reason)

        with m.Switch(beat.command):
            with m.Case(VpmCommand.DATA):
                _check_write(m, reason, setup)
                self._vector(m, live, setup)
            with m.Case(VpmCommand.WRITE_SETUP):
                m.d.comb += writes.ready.eq(live)
                with m.If(beat.quad == 0):
                    _set_up(m, live, reason, beat.data[0], setup, basic, stride)
            with m.Case(VpmCommand.STORE_ADDRESS):
                _check_store(m, reason, basic, stride)
                m.d.comb += [
                    self.stores.valid.eq(live & (beat.quad == 0)),
                    writes.ready.eq(live & (self.stores.ready | (beat.quad != 0))),
                ]
            with m.Default():
                m.d.comb += reason.eq(VpmUnbuilt.COMMAND)

        m.d.comb += [
            self.stores.payload.basic.eq(basic),
            self.stores.payload.stride.eq(stride),
            self.stores.payload.address.eq(beat.data[0]),
        ]
        busy = Signal()
        begins = self.stores.valid & self.stores.ready
        m.d.comb += self.port.store_busy.eq(busy)
        m.d.sync += [
            busy.eq(begins | (busy & ~self.store_done)),
            Assert(~(begins & busy), "the VDW takes a store while it has one"),
        ]
        return m

    def _vector(self, m, live, setup):
        """Writes a quad; after the last one the address moves on."""
        beat = self.port.writes.payload
        moves = Signal()
        row = setup.address[: exact_log2(_ADDRESSED_ROWS)]
        unread = Signal()
        behind_first = Signal(range(min(self._rows, WINDOW_ROWS)))
        m.d.comb += [
            behind_first.eq(row - self.unread.first),
            unread.eq(behind_first < self.unread.count),
            self.quads.valid.eq(live & ~unread),
            moves.eq(live & ~unread & self.quads.ready),
            self.port.writes.ready.eq(moves),
            self.quads.payload.address.row.eq(row),
            self.quads.payload.address.column.eq(beat.quad * QUAD_WORDS),
            self.quads.payload.enable.eq(~0),
            self.quads.payload.data.eq(beat.data),
        ]
        with m.If(moves & (beat.quad == _LAST_QUAD)):
            m.d.sync += setup.address.eq(setup.address + Cat(setup.stride, setup.stride == 0))


def _check_write(m, reason, setup):
    """Vectors that are built: words along a row."""
    with m.If(setup.size != VpmSize.WORD):
        m.d.comb += reason.eq(VpmUnbuilt.WRITE_SIZE)
    with m.Elif(~setup.horizontal):
        m.d.comb += reason.eq(VpmUnbuilt.WRITE_VERTICAL)


def _check_store(m, reason, basic, stride):
    """Stores that are built: words along rows, each unit at the start of its own."""
    with m.If((basic.mode != DmaMode.WORD) | basic.laned):
        m.d.comb += reason.eq(VpmUnbuilt.STORE_SIZE)
    with m.Elif(~basic.horizontal):
        m.d.comb += reason.eq(VpmUnbuilt.STORE_VERTICAL)
    with m.Elif(stride.block_mode):
        m.d.comb += reason.eq(VpmUnbuilt.STORE_BLOCK)


def _set_up(m, live, reason, word, setup, basic, stride):
    """Keeps the set-up word, by its kind."""
    with m.Switch(VpmWriteSetup(word).id):
        with m.Case(SetupId.RESERVED_1):
            m.d.comb += reason.eq(VpmUnbuilt.SETUP)
        for kind, kept in (
            (SetupId.WRITE, setup),
            (SetupId.VDW_BASIC, basic),
            (SetupId.VDW_STRIDE, stride),
        ):
            with m.Case(kind), m.If(live):
                m.d.sync += kept.eq(word)
