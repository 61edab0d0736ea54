"""Instruction word to control."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.arith.unpack import unpack_keys
from vc4.isa import ops
from vc4.isa.immediates import ROTATE_BY_R5, ROTATE_FIRST
from vc4.isa.registers import ACCUMULATOR_BASE, NOP, READ, SIGNAL_UNITS, WRITE, read_address, write_address
from vc4.isa.sync import SEMAPHORE_ACQUIRE
from vc4.isa.word import WORD_BITS, AluWord, BranchWord, LoadWord
from vc4.tlb.port import TlbCommand

from .control import SERVICES, Control
from .results import adds_nothing

__all__ = ["Decode"]

_R5 = write_address("r5quad")
_SWAP, _PARAMETERS = write_address("tmu_noswap"), write_address("t0s")
_PARAMETER_BITS = 3
_TILE_LOADS = tuple(signal for signal, unit in SIGNAL_UNITS.items() if unit == "tile_buffer")
assert _PARAMETERS == 64 - (1 << _PARAMETER_BITS)


def _is(value, members):
    """1 if the enum `value` is one of `members`."""
    return Cat(value == member for member in sorted(members, key=lambda member: member.value)).any()


def _addresses(registers, unit, file):
    """The addresses of `file` (0: A, 1: B) that need `unit`."""
    return [address for address, pair in registers.items() if pair[file].unit == unit]


def _names(value, addresses):
    return Cat(value == address for address in addresses).any() if addresses else Const(0)


class Decode(wiring.Component):
    """Combinational decoder of one instruction word (guide, section 3, figures 3 to 7).

    Interface attributes
    --------------------
    word : the instruction
    control : what it asks of the datapath
    """

    word: In(WORD_BITS)
    control: Out(Control)

    def elaborate(self, platform):
        m = Module()
        self.alu, self.load, self.branch = AluWord(self.word), LoadWord(self.word), BranchWord(self.word)
        self.is_load = self.alu.signal == ops.Signal.LOAD_IMMEDIATE
        self.is_branch = self.alu.signal == ops.Signal.BRANCH
        self.moves = self.is_load | self.is_branch
        always = ops.Condition.ALWAYS.value
        self.small = self.alu.signal == ops.Signal.SMALL_IMMEDIATE
        self.read_a = ~self.moves & (self.alu.raddr_a != NOP)
        self.read_b = ~self.moves & ((self.alu.raddr_b != NOP) | self.small)
        # A nop of the add ALU writes nothing; that of the mul ALU shows its last result again.
        writes = (self.moves | ~adds_nothing(self.alu), 1)
        self.cond_add, self.cond_mul = (
            Mux(self.is_branch, always, condition.as_value() & valid.replicate(len(condition.as_value())))
            for condition, valid in zip((self.alu.cond_add, self.alu.cond_mul), map(Value.cast, writes), strict=True)
        )
        m.d.comb += [
            *self._ports(),
            *self._operations(),
            *self._destinations(),
            *self._branches(),
            *self._needs(),
            self.control.ends.eq(_is(self.alu.signal, (ops.Signal.PROGRAM_END, ops.Signal.LOAD_COLOUR_END))),
        ]
        return m

    def _ports(self):
        alu, control = self.alu, self.control
        rotates = self.small & (alu.raddr_b >= ROTATE_FIRST)
        by_r5 = rotates & (alu.raddr_b == ROTATE_BY_R5)
        sources = Cat((alu.mul_a == mux) | (alu.mul_b == mux) for mux in list(ops.Mux)[:4])
        float_add = _is(alu.op_add, ops.FLOAT_INPUT_ADD) & ((alu.add_a == ops.Mux.A) | (alu.add_b == ops.Mux.A))
        float_mul = _is(alu.op_mul, ops.FLOAT_INPUT_MUL) & ((alu.mul_a == ops.Mux.A) | (alu.mul_b == ops.Mux.A))
        return [
            control.raddr_a.eq(Mux(self.is_branch, self.branch.raddr_a, alu.raddr_a)),
            control.raddr_b.eq(alu.raddr_b),
            control.read_a.eq(self.read_a),
            control.read_b.eq(self.read_b),
            control.b_immediate.eq(self.small),
            control.moves.eq(self.moves),
            control.per_element.eq(self.is_load & self.load.mode.as_value()[0]),
            control.per_element_unsigned.eq(self.load.mode.as_value()[1]),
            control.links.eq(self.is_branch),
            control.immediate.eq(self.load.immediate),
            *(
                control.unpack[name].eq(key & ~self.moves.replicate(len(key)))
                for name, key in unpack_keys(alu.unpack, alu.pm | float_add | float_mul)
            ),
            control.unpack_r4.eq(alu.pm & ~self.moves),
            control.rotate_by_r5.eq(by_r5),
            control.rotation.eq(Mux(rotates & ~by_r5, alu.raddr_b[:4], 0)),
            control.rotated_accumulators.eq(Mux(rotates, Cat(sources, 0, by_r5), 0)),
        ]

    def _operations(self):
        alu, control = self.alu, self.control
        moved = ops.Mux.A.value
        return [
            control.op_add.eq(Mux(self.moves, ops.AddOp.OR.value, alu.op_add.as_value())),
            control.op_mul.eq(Mux(self.moves, ops.MulOp.V8MIN.value, alu.op_mul.as_value())),
            *(
                getattr(control, name).eq(Mux(self.moves, moved, getattr(alu, name).as_value()))
                for name in ("add_a", "add_b", "mul_a", "mul_b")
            ),
            control.add_float.eq(~self.moves & _is(alu.op_add, ops.FLOAT_RESULT_ADD)),
            control.mul_float.eq(~self.moves & _is(alu.op_mul, ops.FLOAT_RESULT_MUL)),
        ]

    def _destinations(self):
        alu, control = self.alu, self.control
        written = [
            Cat(
                *(
                    (address == ACCUMULATOR_BASE + number) & (condition != ops.Condition.NEVER.value)
                    for number in range(4)
                ),
                0,
                (address == _R5) & (condition != ops.Condition.NEVER.value),
            )
            for address, condition in ((alu.waddr_add, self.cond_add), (alu.waddr_mul, self.cond_mul))
        ]
        return [
            control.cond_add.eq(self.cond_add),
            control.cond_mul.eq(self.cond_mul),
            control.waddr_add.eq(alu.waddr_add),
            control.waddr_mul.eq(alu.waddr_mul),
            control.ws.eq(alu.ws),
            control.sf.eq(alu.sf),
            control.pm.eq(alu.pm & ~self.is_branch),
            control.pack.eq(Mux(self.is_branch, 0, alu.pack)),
            control.written_accumulators.eq(written[0] | written[1]),
        ]

    def _branches(self):
        control = self.control
        return [
            control.branch.eq(self.is_branch),
            control.branch_condition.eq(self.branch.condition),
            control.branch_relative.eq(self.branch.relative),
            control.branch_register.eq(self.branch.register),
        ]

    def _needs(self):
        """One bit a service: by the signal, by what is read, and by what is written under any condition but never."""
        alu, control = self.alu, self.control
        reads = [
            (self.read_a, alu.raddr_a, 0),
            (self.read_b & ~self.small, alu.raddr_b, 1),
        ]
        writes = [
            (self.cond_add != ops.Condition.NEVER.value, alu.waddr_add, alu.ws),
            (self.cond_mul != ops.Condition.NEVER.value, alu.waddr_mul, ~alu.ws),
        ]
        for unit in SERVICES:
            bits = [_is(alu.signal, [signal for signal, name in SIGNAL_UNITS.items() if name == unit])]
            bits += [valid & _names(address, _addresses(READ, unit, file)) for valid, address, file in reads]
            bits += [
                valid & Mux(file, *(_names(address, _addresses(WRITE, unit, number)) for number in (1, 0)))
                for valid, address, file in writes
            ]
            if unit == "semaphore":
                bits.append(self.is_load & (self.load.mode.as_value() >= ops.LoadMode.SEMAPHORE.value))
            # The SFU has no use for the address after a branch.
            suppressed = self.is_branch if unit == "sfu" else Const(0)
            yield control.needs[unit].eq(Cat(bits).any() & ~suppressed)

        uniform, moved, mutex = read_address("unif"), write_address("unif_addr"), read_address("mutex")
        operands = (alu.add_a, alu.add_b, alu.mul_a, alu.mul_b)
        yield from (
            control.reads_r4.eq(~self.moves & Cat(operand == ops.Mux.R4 for operand in operands).any()),
            control.acquires_mutex.eq(Cat(valid & (address == mutex) for valid, address, _ in reads).any()),
            control.reads_uniform.eq(Cat(valid & (address == uniform) for valid, address, _ in reads).any()),
            control.moves_uniforms.eq(Cat(valid & (address == moved) for valid, address, _ in writes).any()),
            control.reads_store_busy.eq(reads[1][0] & (alu.raddr_b == read_address("vw_busy"))),
            control.reads_load_busy.eq(reads[0][0] & (alu.raddr_a == read_address("vr_busy"))),
            control.waits_store.eq(reads[1][0] & (alu.raddr_b == read_address("vw_wait"))),
            control.waits_load.eq(reads[0][0] & (alu.raddr_a == read_address("vr_wait"))),
        )
        yield from self._fragments(reads, writes)
        yield from self._orders(writes)
        yield from self._lookups(writes)

    def _fragments(self, reads, writes):
        """What has to do with tile buffer and fragments."""
        alu, control = self.alu, self.control
        flags, first, last = write_address("ms_mask"), write_address("stencil"), write_address("tlbam")
        vary = read_address("vary")
        # The set-up of the stencil is no access.
        accesses = [valid & (address > first) & (address <= last) for valid, address, _ in writes]
        says = [valid & ((address == flags) | ((address >= first) & (address <= last))) for valid, address, _ in writes]
        yield from (
            control.loads_tile.eq(_is(alu.signal, _TILE_LOADS)),
            control.tile_load.eq(
                Mux(
                    alu.signal == ops.Signal.LOAD_COVERAGE,
                    TlbCommand.READ_COVERAGE.value,
                    Mux(
                        alu.signal == ops.Signal.LOAD_ALPHA_MASK,
                        TlbCommand.READ_MASK.value,
                        TlbCommand.READ_COLOUR.value,
                    ),
                )
            ),
            control.writes_tile.eq(Cat(says).any()),
            control.reads_fragment.eq(Cat(valid & (address == flags) for valid, address, _ in reads).any()),
            control.waits_scoreboard.eq(
                _is(alu.signal, (ops.Signal.WAIT_SCOREBOARD, *_TILE_LOADS)) | Cat(accesses).any()
            ),
            control.takes_varying.eq(Cat(valid & (address == vary) for valid, address, _ in reads).any()),
        )

    def _orders(self, writes):
        """What other instructions or QPUs wait for: set-ups of reads, starts of DMA, and releases."""
        control = self.control

        def written(name, file):
            address = write_address(name)
            return Cat(valid & (number == address) & (its == file) for valid, number, its in writes).any()

        freed = Cat(valid & (number == write_address("mutex")) for valid, number, _ in writes).any()
        counts_up = self.is_load & (self.load.mode.as_value() >= ops.LoadMode.SEMAPHORE.value)
        counts_up &= ~(self.load.immediate & SEMAPHORE_ACQUIRE).any()
        yield from (
            control.sets_up_reads.eq(written("vr_setup", 0)),
            control.starts_load.eq(written("vr_addr", 0)),
            control.starts_store.eq(written("vw_addr", 1)),
            control.releases.eq(freed | counts_up),
        )

    def _parameter(self, writes):
        """Whether something is written to a texture unit, and to which address; a branch writes nothing there."""
        add, mul = (
            valid & ((address >= _PARAMETERS) | (address == _SWAP)) & ~self.is_branch for valid, address, _ in writes
        )
        return add | mul, Mux(mul, self.alu.waddr_mul, self.alu.waddr_add)

    def _lookups(self, writes):
        """What goes to texture units and comes from there: of two writes only that of the mul ALU counts."""
        control, signal = self.control, self.alu.signal
        valid, address = self._parameter(writes)
        yield from (
            control.writes_tmu.eq(valid & (address != _SWAP)),
            control.sets_swap.eq(valid & (address == _SWAP)),
            control.tmu_parameter.eq(address[: _PARAMETER_BITS - 1]),
            control.tmu_unit.eq(address[_PARAMETER_BITS - 1]),
            control.loads_tmu.eq(_is(signal, (ops.Signal.LOAD_TMU0, ops.Signal.LOAD_TMU1))),
            control.tmu_load_unit.eq(signal == ops.Signal.LOAD_TMU1),
        )
