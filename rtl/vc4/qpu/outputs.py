"""I/O writes: results on their way out of the QPU, one clock after A2."""

from typing import NamedTuple

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa import ops
from vc4.isa.registers import QUADS, WRITE, write_address
from vc4.isa.sfu_tables import SfuFunction
from vc4.records.tmu import TmuParameterName
from vc4.slice.sfu_port import SfuRequest
from vc4.tmu.port import TmuParameter
from vc4.vpm.port import VpmBeat, VpmCommand

from .accumulators import ResultWrite
from .control import Control
from .structs import UniformMove

__all__ = ["Outputs"]

_TMU_NAMES = [f"t{unit}{name.name.lower()}" for unit in range(2) for name in TmuParameterName]
#: By the name of the register.
_VPM_COMMANDS = {
    "vpm": VpmCommand.DATA,
    "vw_setup": VpmCommand.WRITE_SETUP,
    "vw_addr": VpmCommand.STORE_ADDRESS,
    "vr_setup": VpmCommand.READ_SETUP,
    "vr_addr": VpmCommand.LOAD_ADDRESS,
}
_VPM_SCALARS = [name for name, command in _VPM_COMMANDS.items() if command is not VpmCommand.DATA]


def _writes(write, name):
    """1 if `write` of the instruction goes to the I/O register `name`."""
    address = write_address(name)
    files = [register.name == name for register in WRITE[address]]
    here = write.address == address
    return here if all(files) else here & (write.file == files[1])


class _Write(NamedTuple):
    """Whether something is written, whether by the mul ALU, and what."""

    valid: Value
    from_mul: Value
    data: list[Value]


class Outputs(wiring.Component):
    """Sends vectors to the VPM, to the special function unit and to texture units, moves the uniform stream, frees the mutex
    and raises the host interrupt.

    A peripheral takes a whole vector, whatever the condition, unless that is never (addendum, "no conditional write"). It
    takes one write an instruction: that of the mul ALU, if there are two. But set-ups and addresses of the VPM are
    registers: two of them can be written, that of the add ALU first.

    Interface attributes
    --------------------
    io_control, io_live, io_quad : the instruction, one clock after A2
    io_add, io_mul : its results
    vpm : commands and data for the VPM, which must be taken at once
    uniform_move, uniform_move_stb : the uniform stream goes on elsewhere
    sfu : operands for the special function unit, which must take them at once
    io_uniform : what the instruction takes
    tmu, tmu_stb : a parameter for the texture units, one bit a unit
    sets_swap, swap_disabled : a write of `tmu_noswap`
    free_mutex : the mutex was written to
    host_interrupt : a value that is not zero was written to the host interrupt
    """

    io_control: In(Control)
    io_live: In(1)
    io_quad: In(range(QUADS))
    io_add: In(ResultWrite)
    io_mul: In(ResultWrite)
    vpm: Out(stream.Signature(VpmBeat))
    uniform_move: Out(UniformMove)
    uniform_move_stb: Out(1)
    sfu: Out(stream.Signature(SfuRequest))
    io_uniform: In(32)
    tmu: Out(TmuParameter)
    tmu_stb: Out(2)
    sets_swap: Out(1)
    swap_disabled: Out(1)
    free_mutex: Out(1)
    host_interrupt: Out(1)

    def elaborate(self, platform):
        m = Module()
        self._vpm(m)
        self._sfu(m)
        self._tmu(m)
        first = self.io_live & (self.io_quad == 0)
        address, relative = self._write("unif_addr"), self._write("unif_addr_rel")
        moves = self._write("unif_addr", "unif_addr_rel")
        m.d.comb += [
            self.uniform_move.address.eq(moves.data[0]),
            self.uniform_move.relative.eq(Mux(moves.from_mul, relative.from_mul, ~address.valid)),
            self.uniform_move_stb.eq(first & moves.valid),
            self.free_mutex.eq(first & self._write("mutex").valid),
            self.host_interrupt.eq(self.io_live & self._raises()),
        ]
        return m

    def _write(self, *names) -> "_Write":
        """What goes to the registers `names`: of two writes that of the mul ALU."""
        add, mul = (
            Cat(_writes(write, name) for name in names).any() & (condition != ops.Condition.NEVER)
            for write, condition in (
                (self.io_add, self.io_control.cond_add),
                (self.io_mul, self.io_control.cond_mul),
            )
        )
        data = [Mux(mul, *words) for words in zip(self.io_mul.data, self.io_add.data, strict=True)]
        return _Write(add | mul, mul, data)

    def _raises(self):
        """Whether a value that is not zero is written to the host interrupt, in any lane whose condition holds."""
        return Cat(
            _writes(write, "irq") & lane & word.any()
            for write in (self.io_add, self.io_mul)
            for lane, word in zip(write.mask, write.data, strict=True)
        ).any()

    def _sfu(self, m):
        write, request = self._write(*(function.name.lower() for function in SfuFunction)), self.sfu.payload
        address = Mux(write.from_mul, self.io_mul.address, self.io_add.address)
        m.d.comb += [
            # It has no use for the address after a branch.
            self.sfu.valid.eq(self.io_live & write.valid & ~self.io_control.branch),
            Value.cast(request.function).eq(address),
            request.quad.eq(self.io_quad),
            *(lane.eq(word) for lane, word in zip(request.data, write.data, strict=True)),
        ]
        m.d.sync += Assert(~self.sfu.valid | self.sfu.ready, "the special function unit has no room for a quad")

    def _tmu(self, m):
        write, swap, control = self._write(*_TMU_NAMES), self._write("tmu_noswap"), self.io_control
        m.d.comb += [
            self.tmu_stb.eq(Mux(self.io_live & control.writes_tmu, 1 << control.tmu_unit, 0)),
            self.tmu.name.eq(control.tmu_parameter),
            self.tmu.quad.eq(self.io_quad),
            self.tmu.uniform.eq(self.io_uniform),
            *(lane.eq(word) for lane, word in zip(self.tmu.data, write.data, strict=True)),
            self.sets_swap.eq(self.io_live & (self.io_quad == 0) & control.sets_swap),
            self.swap_disabled.eq(swap.data[0].any()),
        ]

    def _vpm(self, m):
        write, beat, control = self._write(*_VPM_COMMANDS), self.vpm.payload, self.io_control
        # Set-ups and addresses are their first element: that of the mul ALU goes in the second quad, if there are two.
        both = Cat(
            Cat(_writes(result, name) for name in _VPM_SCALARS).any() & (condition != ops.Condition.NEVER)
            for result, condition in ((self.io_add, control.cond_add), (self.io_mul, control.cond_mul))
        ).all()
        second = Signal(32)
        with m.If(self.io_quad == 0):
            m.d.sync += second.eq(self.io_mul.data[0])
        from_mul = Signal()
        is_second = Signal()
        m.d.comb += [
            from_mul.eq(write.from_mul & ~(both & (self.io_quad == 0))),
            is_second.eq(both & (self.io_quad == 1)),
        ]
        address, file = (
            Mux(from_mul, getattr(self.io_mul, name), getattr(self.io_add, name)) for name in ("address", "file")
        )
        for name, command in _VPM_COMMANDS.items():
            files = [register.name == name for register in WRITE[write_address(name)]]
            with m.If((address == write_address(name)) & (Const(1) if all(files) else file == files[1])):
                m.d.comb += beat.command.eq(command)
        words = [Mux(from_mul, *words) for words in zip(self.io_mul.data, self.io_add.data, strict=True)]
        m.d.comb += [
            self.vpm.valid.eq(self.io_live & write.valid),
            beat.quad.eq(Mux(is_second, 0, self.io_quad)),
            beat.data[0].eq(Mux(is_second, second, words[0])),
            *(lane.eq(word) for lane, word in zip(list(beat.data)[1:], words[1:], strict=True)),
        ]
