"""Accumulators r0 to r3 and r5."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam
from vc4.common.select import select_registered
from vc4.isa import ops
from vc4.isa.registers import ACCUMULATOR_BASE, QUADS, write_address

from .accumulator_tags import ACCUMULATORS, AccumulatorTags
from .structs import LANES, LaneWords

__all__ = ["OPERANDS", "Accumulators", "ResultWrite"]

#: Operands that may be accumulators: two of the add ALU, then two of the mul ALU.
OPERANDS = ("add_a", "add_b", "mul_a", "mul_b")
_R5 = write_address("r5quad")
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
    ra2_names, ru_names : what the operands name (`isa.ops.Mux`), those of the add ALU first
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
        """What an operand gets of r0 to r3, byte by byte; 0 if it names none."""
        here, newest, passing = ~names[2], [], []
        for of_add, of_mul in zip(*stored, strict=True):
            newest.append(Mux(of_add.tag ^ of_mul.tag, of_mul.byte, of_add.byte))
        for number, enables, word in writes:
            passing.append((word, enables & (here & (names[:2] == number)).replicate(_WORD_BYTES)))
        (add, by_add), (mul, by_mul) = passing
        keeps = here.replicate(_WORD_BYTES) & ~by_add & ~by_mul
        sources = [(add, by_add & ~by_mul), (mul, by_mul)]
        if not name.startswith("mul"):
            return select_registered(m, f"rr_{name}_{lane}", [*sources, (Cat(newest), keeps)])
        # Its memory is a clock later.
        rr_keeps = Signal(_WORD_BYTES, name=f"rr_keeps_{name}_{lane}")
        m.d.sync += rr_keeps.eq(keeps)
        stored = Cat(Mux(kept, byte, 0) for kept, byte in zip(rr_keeps, newest, strict=True))
        return select_registered(m, f"rr_{name}_{lane}", sources) | stored

    def _r5(self, m):
        """r5 for each operand that names it; else 0.

        File A: each quad takes its first lane. File B: all quads take element 0, when the first one is in A2. The quads go
        round in a ring: that in A2, which is also the one in RU, is at place 0, that in A1 at place 1, that in RR at the last
        one. A C never meets what an instruction writes: that in A2 takes the same varying and writes nothing; but when the first
        quad is in A1 it is the one before, and has come to the last quad.
        """
        places = [Signal(32, name=f"r5_{place}") for place in range(QUADS)]
        first = self.quad == 0
        (add, adds, add_file), (mul, muls, mul_file) = (
            (write.data[0], (write.address == _R5) & write.mask[0] & ~self.takes_varying, write.file)
            for write in (self.a2_add, self.a2_mul)
        )
        for place, after in enumerate(places):
            before = places[(place + 1) % QUADS]
            own = before is places[0]
            by_add, by_mul = (
                hit & ((first | ~file) if own else (first & file)) for hit, file in ((adds, add_file), (muls, mul_file))
            )
            sources = [(before, ~by_add & ~by_mul), (add, by_add & ~by_mul), (mul, by_mul)]
            if place == 0:
                sources = [(word, chosen & ~self.a1_c_stb) for word, chosen in sources] + [(self.a1_c, self.a1_c_stb)]
            m.d.comb += after.eq(select_registered(m, f"r5_{place}", sources))
        # Element 0 stays where it is found whichever quad is in RU.
        c = self.a1_c_stb & (self.quad == QUADS - 1)
        firsts = [(add[:4], adds & ~muls & ~c), (mul[:4], muls & ~c), (self.a1_c[:4], c)]
        rotation = select_registered(m, "r5_rotation", firsts, when=(first & (adds | muls)) | c)
        m.d.comb += self.r5_rotation.eq(rotation)
        # The last place is that of the quad in RU.
        named = [name == ops.Mux.R5.value for name in self.ru_names]
        return [
            select_registered(m, f"rr_r5_{name}", [(word, chosen & is_r5) for word, chosen in sources])
            for name, is_r5 in zip(OPERANDS, named, strict=True)
        ]
