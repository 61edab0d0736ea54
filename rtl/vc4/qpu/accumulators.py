"""Accumulators r0 to r3 and r5."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4.isa.registers import ACCUMULATOR_BASE, QUADS, write_address

from .accumulator_tags import ACCUMULATORS, AccumulatorTags
from .structs import LANES, LaneWords

__all__ = ["OPERANDS", "Accumulators", "ResultWrite"]

#: Operands that may be accumulators: two of the add ALU, then two of the mul ALU.
OPERANDS = ("add_a", "add_b", "mul_a", "mul_b")
#: How an operand names r5; it names r0 to r3 by their numbers.
_NAME_OF_R5 = 5
_R5 = write_address("r5quad")
_BANKS = ("add", "mul")
_WORD_BYTES = 4
#: A word in a bank.
_Stored = data.ArrayLayout(data.StructLayout({"byte": 8, "tag": 1}), _WORD_BYTES)


class ResultWrite(data.Struct):
    """The result of one ALU for one quad in A2, and where it goes."""

    address: unsigned(6)
    file: unsigned(1)  # 0: A, 1: B
    mask: unsigned(LANES)  # lanes that are written
    bytes: unsigned(4)  # bytes that are written
    data: LaneWords


class Accumulators(wiring.Component):
    """r0 to r3 and r5, written in A2, and what the operands in RR get of them.

    Each ALU has a bank of its own for what it writes to r0 to r3, so that nothing is chosen on the way in; the tags of its
    bytes say which bank has the newest one. A bank is sixteen words a lane in block RAM, with a copy for each operand. When it
    is read, what the instruction before writes is not there yet: that comes straight from A2, when the same quad of both
    instructions is in A2 and in RU.

    Operands of the add ALU are read in RA2, as their ALU has no time in RR for a block RAM. Those of the mul ALU are read in
    RU, and from other quads for the part of a rotation that moves whole quads (datapath: rotation up by 4 q + j takes lane i
    from quad - q, or from the one before if i + j runs over the quad). The instruction before does not write them then, and
    the last quad of the one before that is written a clock before the first one is in RU.

    r5 has one word a quad. Where both ALUs write the same accumulator, the mul ALU wins.

    Interface attributes
    --------------------
    quad : the quad in A2, and in RU, which is four clocks from it
    a2_add, a2_mul : its results; the add ALU writes whole words
    takes_varying : the instruction in A2 has taken a varying; what it writes to r5 itself is lost
    a1_c, a1_c_stb : C of a quad of a varying, whose instruction is in A1; it is r5 of that quad from the next clock on
    ra2_names, ru_names : what the operands name, those of the add ALU first: 0 to 3 for r0 to r3, 5 for r5
    ru_rotation : elements that the operands of the mul ALU move up
    rr_values : the accumulators that the operands name; 0 for those that name none
    r5_rotation : low four bits of element 0 of r5
    """

    quad: In(range(QUADS))
    a2_add: In(ResultWrite)
    a2_mul: In(ResultWrite)
    takes_varying: In(1)
    a1_c: In(32)
    a1_c_stb: In(1)
    ra2_names: In(data.ArrayLayout(3, len(OPERANDS)))
    ru_names: In(data.ArrayLayout(3, len(OPERANDS)))
    ru_rotation: In(4)
    rr_values: Out(data.ArrayLayout(LaneWords, len(OPERANDS)))
    r5_rotation: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.tags = tags = AccumulatorTags()
        m.d.comb += [tags.quad.eq(self.quad), tags.a2_mul_bytes.eq(self.a2_mul.bytes)]
        for write, hits in ((self.a2_add, tags.a2_add), (self.a2_mul, tags.a2_mul)):
            here = write.address[2:] == ACCUMULATOR_BASE // ACCUMULATORS
            m.d.comb += [hits.number.eq(write.address), hits.lanes.eq(write.mask & here.replicate(LANES))]
        r5 = self._r5(m)
        for lane in range(LANES):
            self._lane(m, lane, tags, r5)
        return m

    def _lane(self, m, lane, tags, r5):
        """r0 to r3 of a lane, and its operands."""
        behind = Signal(range(QUADS), name=f"ru_behind_{lane}")
        m.d.comb += behind.eq(self.ru_rotation[2:] + (self.ru_rotation[:2] + lane)[2])
        reads = []
        for operand, name in enumerate(OPERANDS):
            ru = name.startswith("mul")
            quad = Signal(range(QUADS), name=f"{name}_quad_{lane}")
            m.d.comb += quad.eq(self.quad - behind if ru else self.quad + 1)
            reads.append(Cat(quad, (self.ru_names if ru else self.ra2_names)[operand][:2]))

        banks, writes = [], []
        for name, write, hits, written in (
            ("add", self.a2_add, tags.a2_add, tags.a2_add_tags),
            ("mul", self.a2_mul, tags.a2_mul, tags.a2_mul_tags),
        ):
            word, enables = write.data[lane], write.bytes & hits.lanes[lane].replicate(_WORD_BYTES)
            m.submodules[f"{name}_{lane}"] = bank = BlockRam(
                _Stored.size, ACCUMULATORS * QUADS, granularity=9, reads=len(OPERANDS), discards=True
            )
            parts = [Cat(word.word_select(byte, 8), written[lane][byte]) for byte in range(_WORD_BYTES)]
            m.d.comb += [
                bank.write_address.eq(Cat(self.quad, hits.number)),
                bank.write_data.eq(Cat(parts)),
                bank.write_enable.eq(enables),
                *(address.eq(read) for address, read in zip(bank.read_address, reads, strict=True)),
                *(enable.eq(1) for enable in bank.read_enable),
            ]
            banks.append(bank)
            writes.append((hits.number, enables, word))
        for operand, name in enumerate(OPERANDS):
            stored = [data.View(_Stored, bank.read_data[operand]) for bank in banks]
            value = self._operand(m, name, lane, self.ru_names[operand], stored, writes)
            m.d.comb += self.rr_values[operand][lane].eq(value | r5[operand])

    def _operand(self, m, name, lane, names, stored, writes):
        """What an operand gets of r0 to r3. Each register is reset unless it is chosen, byte by byte, so that an OR is enough."""
        rr_stored, rr_add, rr_mul = (
            Signal(32, name=f"rr_{source}_{name}_{lane}", reset_less=True) for source in ("stored", *_BANKS)
        )
        rr_keeps = Signal(_WORD_BYTES, name=f"rr_keeps_{name}_{lane}")
        here = ~names[2]
        add, mul = (
            (enables & (here & (names[:2] == number)).replicate(_WORD_BYTES), word) for number, enables, word in writes
        )
        for byte in range(_WORD_BYTES):
            bits = slice(8 * byte, 8 * byte + 8)
            comes_add, comes_mul = add[0][byte], mul[0][byte]
            keeps = here & ~comes_add & ~comes_mul
            m.d.sync += [
                rr_add[bits].eq(Mux(comes_add & ~comes_mul, add[1][bits], 0)),
                rr_mul[bits].eq(Mux(comes_mul, mul[1][bits], 0)),
                rr_keeps[byte].eq(keeps),
            ]
            of_add, of_mul = (bank[byte] for bank in stored)
            newest = Mux(of_add.tag ^ of_mul.tag, of_mul.byte, of_add.byte)
            if name.startswith("mul"):
                m.d.comb += rr_stored[bits].eq(Mux(rr_keeps[byte], newest, 0))
            else:
                m.d.sync += rr_stored[bits].eq(Mux(keeps, newest, 0))
        return rr_stored | rr_add | rr_mul

    def _r5(self, m):
        """r5 for each operand that names it; else 0.

        File A: each quad takes its first lane. File B: all quads take element 0, when the first one is in A2. The quads go
        round in a ring: that in A2, which is also the one in RU, is at place 0, that in A1 at place 1, that in RR at the last
        one. A C never meets what an instruction writes: that in A2 takes the same varying and writes nothing; but when the first
        quad is in A1 it is the one before, and has come to the last quad.
        """
        places = [Signal(32, name=f"r5_{place}") for place in range(QUADS)]
        words = [Signal(32, name=f"rr_r5_{name}") for name in OPERANDS]
        first = self.quad == 0
        add, mul = (
            (write.data[0], (write.address == _R5) & write.mask[0] & ~self.takes_varying, write.file)
            for write in (self.a2_add, self.a2_mul)
        )
        for place, after in enumerate(places):
            before = places[(place + 1) % QUADS]
            own = before is places[0]
            by_add, by_mul = (hit & ((first | ~file) if own else (first & file)) for _, hit, file in (add, mul))
            sources = [(before, ~by_add & ~by_mul), (add[0], by_add & ~by_mul), (mul[0], by_mul)]
            if place == 0:
                sources = [(word, chosen & ~self.a1_c_stb) for word, chosen in sources] + [(self.a1_c, self.a1_c_stb)]
            self._choose(m, after, sources)
            for operand, word in enumerate(words if own else ()):
                named = self.ru_names[operand] == _NAME_OF_R5
                self._choose(m, word, [(source, chosen & named) for source, chosen in sources])
        # Element 0 stays where it is found whichever quad is in RU.
        c = self.a1_c_stb & (self.quad == QUADS - 1)
        rotation = [(add[0], add[1] & ~mul[1] & ~c), (mul[0], mul[1] & ~c), (self.a1_c, c)]
        self._choose(m, self.r5_rotation, rotation, (first & (add[1] | mul[1])) | c)
        return words

    @staticmethod
    def _choose(m, word, sources, when=1):
        """`word` is the source that was chosen a clock ago. Each has a register of its own, which is reset unless it is chosen,
        so that an OR is enough, and nothing is between the source and its register.
        """
        parts = []
        for number, (source, chosen) in enumerate(sources):
            part = Signal.like(word, name=f"{word.name}_{number}", reset_less=True)
            with m.If(when):
                m.d.sync += part.eq(Mux(chosen, source, 0))
            parts.append(part)
        m.d.comb += word.eq(reduce(or_, parts))
