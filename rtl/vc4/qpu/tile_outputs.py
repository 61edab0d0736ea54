"""Writes to the tile buffer on their way out of the QPU, one clock after A2."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa import ops
from vc4.isa.registers import QUADS, write_address
from vc4.tlb.port import TlbCommand

from .accumulators import ResultWrite
from .control import Control
from .structs import THREADS
from .tile_beat import TileBeat, TileWork

__all__ = ["TileOutputs"]

_FLAGS = write_address("ms_mask")
_COMMANDS = {
    "stencil": TlbCommand.STENCIL,
    "tlbz": TlbCommand.DEPTH,
    "tlbm": TlbCommand.COLOUR,
    "tlbc": TlbCommand.COLOUR,
    "tlbam": TlbCommand.MASK,
}


class TileOutputs(wiring.Component):
    """Combinational: makes beats of the writes of an instruction.

    Of two writes that of the mul ALU counts, but MS_FLAGS and REV_FLAG, which have one address in both files, can both be
    written.

    Interface attributes
    --------------------
    io_control, io_live, io_quad, io_thread : the instruction, one clock after A2
    io_add, io_mul : its results
    o : stream of beats, which are taken at once
    """

    io_control: In(Control)
    io_live: In(1)
    io_quad: In(range(QUADS))
    io_thread: In(range(THREADS))
    io_add: In(ResultWrite)
    io_mul: In(ResultWrite)
    o: Out(stream.Signature(TileBeat))

    def elaborate(self, platform):
        m = Module()
        beat, control = self.o.payload, self.io_control
        results = ((self.io_add, control.cond_add), (self.io_mul, control.cond_mul))
        sets = [(write.address == _FLAGS) & (condition != ops.Condition.NEVER) for write, condition in results]
        asks = [
            Cat(write.address == write_address(name) for name in _COMMANDS).any() & (condition != ops.Condition.NEVER)
            for write, condition in results
        ]
        from_mul = Signal()
        flags_from_mul = Signal()
        m.d.comb += [
            # Of two writes of flags, that of file A has those of pixels.
            flags_from_mul.eq(sets[1] & ~(sets[0] & ~self.io_add.file)),
            from_mul.eq(asks[1] | flags_from_mul),
            beat.thread.eq(self.io_thread),
            beat.quad.eq(self.io_quad),
        ]
        write = [Mux(from_mul, *values) for values in zip(*map(self._parts, (self.io_mul, self.io_add)), strict=True)]
        address, mask, *words = write
        m.d.comb += [
            *(lane.eq(word) for lane, word in zip(beat.data, words, strict=True)),
            beat.mask.eq(mask),
            beat.all.eq(address == write_address("tlbc")),
        ]
        for name, command in _COMMANDS.items():
            with m.If(address == write_address(name)):
                m.d.comb += beat.command.eq(command)
        is_request = Signal()
        m.d.comb += is_request.eq(asks[1] | (asks[0] & ~sets[1]))
        reverses = [hit & write.file for hit, (write, _) in zip(sets, results, strict=True)]
        mul_reverses = reverses[1]
        with m.If(~is_request):
            first = self.io_quad == 0
            side = Mux(mul_reverses, self.io_mul.data[0][0], self.io_add.data[0][0])
            held = Mux(mul_reverses, self.io_mul.mask[0], self.io_add.mask[0])
            flagged = Cat(hit & ~write.file for hit, (write, _) in zip(sets, results, strict=True)).any()
            m.d.comb += [
                beat.work.eq(TileWork.FLAGS),
                beat.mask.eq(mask & flagged.replicate(len(beat.mask))),
                beat.sets_reverse.eq(Cat(reverses).any() & held & first),
                beat.reverse.eq(side),
            ]
        once = (beat.command == TlbCommand.STENCIL) & is_request & (self.io_quad != 0)
        m.d.comb += self.o.valid.eq(self.io_live & Cat(sets, asks).any() & ~once)
        return m

    @staticmethod
    def _parts(write):
        return [write.address, write.mask, *write.data]
