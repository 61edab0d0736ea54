"""Accumulators r0 to r3 of a lane."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4.common.select import select_registered
from vc4.isa.registers import QUADS

from .accumulator_tags import ACCUMULATORS, AccumulatorTags, AccumulatorWrite
from .structs import A2_FAR

__all__ = ["OPERANDS", "AccumulatorLane"]

#: Operands that may be accumulators: two of the add ALU, then two of the mul ALU.
OPERANDS = ("add_a", "add_b", "mul_a", "mul_b")
_WORD_BYTES = 4
#: A word in a bank.
_Stored = data.ArrayLayout(data.StructLayout({"byte": 8, "tag": 1}), _WORD_BYTES)


class AccumulatorLane(wiring.Component):
    """r0 to r3 of a lane, written in A2, and what the operands in RR get of them.

    Each ALU has a bank of its own for what it writes, so that nothing is chosen on the way in; the tags of its bytes say
    which bank has the newest one. A bank is sixteen words in block RAM, with a copy for each operand. When it is read,
    what the instruction before writes is not there yet: that comes straight from A2, when the same quad of both
    instructions is in A2 and in RU.

    Operands of the add ALU are read in RA2, as their ALU has no time in RR for a block RAM. Those of the mul ALU are read in
    RU, and from other quads for the part of a rotation that moves whole quads. The instruction before does not write them
    then, and the last quad of the one before that is written a clock before the first one is in RU. Nothing is read for an
    operand that names none.

    Interface attributes
    --------------------
    quad : the quad in A2, and in RU, which is four clocks from it
    a2_add, a2_mul : what both ALUs write; where both write the same bytes, the mul ALU wins
    ra2_names, ru_names : what the operands name (`isa.ops.Mux`), those of the add ALU first
    ru_behind : by so many quads what the operands of the mul ALU get lies before the quad in RU
    rr_values : the accumulators that the operands name; 0 for those that name none
    """

    quad: In(range(QUADS))
    a2_add: In(AccumulatorWrite)
    a2_mul: In(AccumulatorWrite)
    ra2_names: In(data.ArrayLayout(3, len(OPERANDS)))
    ru_names: In(data.ArrayLayout(3, len(OPERANDS)))
    ru_behind: In(range(QUADS))
    rr_values: Out(data.ArrayLayout(32, len(OPERANDS)))

    def elaborate(self, platform):
        m = Module()
        m.submodules.tags = tags = AccumulatorTags()
        m.d.comb += [tags.quad.eq(self.quad), tags.a2_add.eq(self.a2_add), tags.a2_mul.eq(self.a2_mul)]
        reads = []
        for operand, name in enumerate(OPERANDS):
            ru = name.startswith("mul")
            quad = Signal(range(QUADS), name=f"{name}_quad")
            m.d.comb += quad.eq(self.quad - self.ru_behind if ru else self.quad + 1)
            named = (self.ru_names if ru else self.ra2_names)[operand]
            reads.append((~named[2], Cat(quad, named[:2])))
        add = self._bank(m, "add", self.a2_add, tags.a2_add_tags, reads)
        mul = self._bank(m, "mul", self.a2_mul, tags.a2_mul_tags, reads)
        for operand, name in enumerate(OPERANDS):
            newest = [
                Mux(of_add.tag ^ of_mul.tag, of_mul.byte, of_add.byte)
                for of_add, of_mul in zip(add[operand], mul[operand], strict=True)
            ]
            m.d.comb += self.rr_values[operand].eq(self._operand(m, name, self.ru_names[operand], newest))
        return m

    def _bank(self, m, name, write, tags, reads):
        """What an ALU has written; returns what each operand reads of it."""
        m.submodules[name] = bank = BlockRam(
            _Stored.size, ACCUMULATORS * QUADS, granularity=9, reads=len(OPERANDS), discards=True
        )
        m.d.comb += [
            bank.write_address.eq(Cat(self.quad, write.number)),
            bank.write_data.eq(Cat(Cat(write.word.word_select(byte, 8), tags[byte]) for byte in range(_WORD_BYTES))),
            bank.write_enable.eq(write.bytes & write.writes.replicate(_WORD_BYTES)),
        ]
        for number, (enable, address) in enumerate(reads):
            m.d.comb += [bank.read_enable[number].eq(enable), bank.read_address[number].eq(address)]
        return [data.View(_Stored, word) for word in bank.read_data]

    def _operand(self, m, name, names, newest):
        """What an operand gets of r0 to r3, byte by byte; 0 if it names none."""
        here = ~names[2]
        by_add, by_mul = (
            write.bytes & (write.writes & here & (names[:2] == write.number)).replicate(_WORD_BYTES)
            for write in (self.a2_add, self.a2_mul)
        )
        keeps = here.replicate(_WORD_BYTES) & ~by_add & ~by_mul
        sources = [(self.a2_add.word, by_add & ~by_mul), (self.a2_mul.word, by_mul)]
        written = select_registered(m, f"rr_{name}", sources, far=A2_FAR)
        if not name.startswith("mul"):
            return written | select_registered(m, f"rr_{name}_kept", [(Cat(newest), keeps)])
        # Here the memory is a clock later.
        rr_keeps = Signal(_WORD_BYTES, name=f"rr_keeps_{name}")
        m.d.sync += rr_keeps.eq(keeps)
        stored = Cat(Mux(kept, byte, 0) for kept, byte in zip(rr_keeps, newest, strict=True))
        return written | stored
