"""What registers must read by the words of the table: whatever is behind them, RTL or model."""

from vc4.config import V3DConfig
from vc4.regs.register import Reads, Writes
from vc4.regs.table import registers_of

#: Configurations whose registers are compared.
CONFIGS = {
    "small": V3DConfig(),
    "full": V3DConfig(slices=3, qpus_per_slice=4, tmus_per_slice=2, vpm_kib=12, memory_windows=True),
}


class Expected:
    """The registers of a configuration; those of blocks stay as they are after a reset."""

    def __init__(self, config):
        self.config = config
        self.registers = registers_of(config)
        self.state = {
            (one.name, field.name): 0 if field.access.reads is Reads.ZERO else field.reset_in(config)
            for one in self.registers
            for field in one.fields
        }

    def fields(self, *kinds):
        """The fields with one of these ways to be read or written, as far as they exist."""
        for one in self.registers:
            for field in one.fields:
                if {field.access.reads, field.access.writes} & set(kinds) and field.width_in(self.config):
                    yield one, field

    def word(self, one):
        return sum(self.state[one.name, field.name] << field.low for field in one.fields)

    def write(self, one, word):
        """The write happens: what is kept from now on."""
        for field in one.fields:
            if field.access.writes is Writes.HELD:
                self.state[one.name, field.name] = self.part(field, word)

    def part(self, field, word):
        return word >> field.low & (1 << field.width_in(self.config)) - 1
