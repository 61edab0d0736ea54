"""What the table of registers says, as hardware."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.config import V3DConfig
from vc4.regs.register import WORD_BITS, Field, Reads, Register, Writes
from vc4.regs.table import registers_of

from .port import RegisterPort
from .structs import live_signature, values_signature, written_signature

__all__ = ["RegisterFile"]

#: Bits of an address below those of a register.
_BYTE_BITS = 2


class RegisterFile(wiring.Component):
    """All registers of a configuration (guide, section 10).

    It keeps the fields whose access is `READ_WRITE`. All other state is with the blocks: they drive `live`, and are told
    of writes by `written`. What no block drives reads its reset value.

    Parameters
    ----------
    config : sizes, see `V3DConfig`

    Interface attributes
    --------------------
    port : the host, see `RegisterPort` for the timing
    values : fields that keep what is written: `values.SQCNTL.VSRBL`
    written : writes to the others: `written.SRQPC.stb`, `written.SRQPC.QPURQPC`; see `written_signature`
    live : what they read: `live.SRQCS.QPURQL`
    """

    def __init__(self, config: V3DConfig):
        self._config = config
        self._registers = registers_of(config)
        super().__init__(
            {
                "port": In(RegisterPort()),
                "values": Out(values_signature(self._registers, config)),
                "written": Out(written_signature(self._registers, config)),
                "live": In(live_signature(self._registers, config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        port = self.port
        number = port.address[_BYTE_BITS:]
        word = Signal(WORD_BITS)
        with m.Switch(number):
            for register in self._registers:
                with m.Case(register.offset >> _BYTE_BITS):
                    m.d.comb += word.eq(self._word(register))
        with m.If(port.read_stb):
            m.d.sync += port.read_data.eq(word)

        for register in self._registers:
            if any(field.access.writes is not Writes.NOTHING for field in register.fields):
                written = Signal(name=f"{register.name}_written")
                m.d.comb += written.eq(port.write_stb & (number == register.offset >> _BYTE_BITS))
                self._write(m, register, written)
        return m

    def _word(self, register: Register):
        """What the register reads."""
        parts, end = [], 0
        for field in register.fields:
            value = self._read(register, field)
            parts += [C(0, field.low - end), value]
            end = field.low + len(value)
        return Cat(*parts)

    def _read(self, register: Register, field: Field) -> Value:
        width = field.width_in(self._config)
        if width == 0 or field.access.reads is Reads.ZERO:
            return C(0, width)
        if field.access.reads is Reads.RESET:
            return C(field.reset_in(self._config), width)
        source = self.values if field.access.reads is Reads.HELD else self.live
        return getattr(source, register.name)[field.name]

    def _write(self, m, register: Register, written: Signal):
        """Keeps what is kept here, and tells the blocks of the rest."""
        if register.name in self.written.signature.members:
            m.d.comb += getattr(self.written, register.name).stb.eq(written)
        for field in register.fields:
            value = self.port.write_data[field.low :][: field.width_in(self._config)]
            if not len(value):
                continue
            if field.access.writes is Writes.HELD:
                with m.If(written):
                    m.d.sync += getattr(self.values, register.name)[field.name].eq(value)
            elif field.access.writes is not Writes.NOTHING:
                acts = field.access.writes is not Writes.VALUE
                told = getattr(self.written, register.name)[field.name]
                m.d.comb += told.eq(Mux(written, value, 0) if acts else value)
