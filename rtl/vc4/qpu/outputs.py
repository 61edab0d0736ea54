"""I/O writes: results on their way out of the QPU, one clock after A2."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.queue import Queue
from vc4.isa import ops
from vc4.isa.registers import QUADS, WRITE, write_address
from vc4.vpm.port import VpmBeat, VpmCommand, VpmPort

from .accumulators import ResultWrite
from .control import Control
from .structs import UniformMove

__all__ = ["VPM_QUEUE_BEATS", "Outputs"]

#: Four vectors of four quads: two that are in the pipeline when the queue is looked at, and two of slack, so that a
#: program that writes in every instruction never waits for a VPM that takes a quad a clock.
VPM_QUEUE_BEATS = 16

_VPM_COMMANDS = {
    "vpm": VpmCommand.DATA,
    "vw_setup": VpmCommand.WRITE_SETUP,
    "vw_addr": VpmCommand.STORE_ADDRESS,
}


def _writes(write, name):
    """1 if `write` of the instruction goes to the I/O register `name`."""
    address = write_address(name)
    files = [register.name == name for register in WRITE[address]]
    here = write.address == address
    return here if all(files) else here & (write.file == files[1])


class Outputs(wiring.Component):
    """Sends vectors to the VPM, moves the uniform stream and raises the host interrupt.

    A peripheral takes a whole vector, whatever the condition, unless that is never (addendum, "no conditional write"). It
    takes one write an instruction: that of the mul ALU, if there are two. The queue to the VPM never overflows, as an
    instruction enters the pipeline only if it has room for its vector and for those on the way.

    Interface attributes
    --------------------
    io_control, io_live, io_quad : the instruction, one clock after A2
    io_add, io_mul : its results
    vpm : commands and data for the VPM
    vpm_level : quads waiting in the queue
    uniform_move, uniform_move_stb : the uniform stream goes on elsewhere
    interrupt : a value that is not zero was written to the host interrupt
    """

    io_control: In(Control)
    io_live: In(1)
    io_quad: In(range(QUADS))
    io_add: In(ResultWrite)
    io_mul: In(ResultWrite)
    vpm: Out(VpmPort())
    vpm_level: Out(range(VPM_QUEUE_BEATS + 1))
    uniform_move: Out(UniformMove)
    uniform_move_stb: Out(1)
    interrupt: Out(1)

    def elaborate(self, platform):
        m = Module()
        add = (self.io_add, self.io_control.cond_add)
        mul = (self.io_mul, self.io_control.cond_mul)
        self._vpm(m, add, mul)
        first = self.io_live & (self.io_quad == 0)
        for write, condition in (add, mul):
            fires = condition != ops.Condition.NEVER
            for name, relative in (("unif_addr", 0), ("unif_addr_rel", 1)):
                with m.If(first & fires & _writes(write, name)):
                    m.d.comb += [
                        self.uniform_move.address.eq(write.data[0]),
                        self.uniform_move.relative.eq(relative),
                        self.uniform_move_stb.eq(1),
                    ]
        m.d.comb += self.interrupt.eq(
            Cat(
                _writes(write, "irq") & write.mask[lane] & write.data[lane].any()
                for write, _ in (add, mul)
                for lane in range(len(write.mask))
            ).any()
        )
        return m

    def _vpm(self, m, add, mul):
        m.submodules.vpm_queue = queue = Queue(VpmBeat, VPM_QUEUE_BEATS)
        beat = queue.i.payload
        for write, condition in (add, mul):
            for name, command in _VPM_COMMANDS.items():
                with m.If(_writes(write, name) & (condition != ops.Condition.NEVER)):
                    m.d.comb += [
                        queue.i.valid.eq(self.io_live),
                        beat.command.eq(command),
                        beat.data.eq(write.data),
                    ]
        m.d.comb += [
            beat.quad.eq(self.io_quad),
            self.vpm_level.eq(queue.level),
            self.vpm.writes.valid.eq(queue.o.valid),
            self.vpm.writes.payload.eq(queue.o.payload),
            queue.o.ready.eq(self.vpm.writes.ready),
        ]
