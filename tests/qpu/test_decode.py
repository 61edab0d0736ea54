"""`Decode` against the plan of the model, for random words of every form."""

import random

import pytest
from amaranth.lib import data

from vc4.isa import ops
from vc4.isa.registers import READ, WRITE
from vc4.qpu.control import SERVICES, Control
from vc4.qpu.decode import Decode
from vc4.tlb.port import TlbCommand
from vc4sim.model.qpu.decoded import decoded, element_values
from vc4sim.model.qpu.fragment_port import FRAGMENT_LOADS, FRAGMENT_WRITES

ALU_SIGNALS = [signal for signal in ops.Signal if signal.value < 13]
FORMS = {
    "alu": ALU_SIGNALS,
    "small immediate": [ops.Signal.SMALL_IMMEDIATE],
    "load": [ops.Signal.LOAD_IMMEDIATE],
    "branch": [ops.Signal.BRANCH],
}


def random_word(rng, signal):
    """Random bits; addresses and conditions are drawn so that I/O and suppressed writes are frequent."""
    word = rng.getrandbits(60) | signal.value << 60
    for low, addresses in ((38, WRITE), (32, WRITE), (18, READ), (12, READ)):
        if signal.value < 14 or low >= 32:
            address = rng.choice([rng.randrange(64), rng.choice(list(addresses))])
            word = word & ~(63 << low) | address << low
    if rng.random() < 0.3:
        word &= ~(7 << rng.choice([46, 49]))
    return word


def flags_of(control, names):
    return {name for name in names if getattr(control, name)}


def check_reads(control, todo):
    address_a, address_b = todo.raddr
    immediate = todo.small_immediate is not None
    assert control.read_a == (address_a is not None)
    assert control.read_b == (address_b is not None or immediate)
    assert control.b_immediate == immediate
    if address_a is not None:
        assert control.raddr_a == address_a
    if address_b is not None:
        assert control.raddr_b == address_b
    assert control.reads_uniform == (32 in todo.raddr)
    assert control.reads_store_busy == (address_b == 49)
    assert control.waits_store == (address_b == 50)
    assert control.reads_load_busy == (address_a == 49)
    assert control.waits_load == (address_a == 50)
    assert control.acquires_mutex == (51 in todo.raddr)


def check_operands(control, todo):
    assert (control.add_a, control.add_b, control.mul_a, control.mul_b) == todo.muxes
    assert control.reads_r4 == (ops.Mux.R4 in todo.muxes)
    assert control.op_mul is todo.op_mul
    assert (control.op_add if ops.ADD_OPERANDS[control.op_add] else ops.AddOp.NOP) is todo.op_add
    assert control.add_float == (todo.op_add in ops.FLOAT_RESULT_ADD)
    assert control.mul_float == (todo.op_mul in ops.FLOAT_RESULT_MUL)
    check_unpack(control, todo.unpack, todo.unpack_float)
    if todo.unpack is not ops.Unpack.NONE:
        assert control.unpack_r4 == todo.pm


def check_unpack(control, mode, is_float):
    halves, bytes_ = (ops.Unpack.HALF_A, ops.Unpack.HALF_B), list(ops.Unpack)[-4:]
    kinds = {ops.Unpack.NONE: "whole", ops.Unpack.BYTE_D_REPLICATED: "replicated"}
    kinds |= dict.fromkeys(halves, "half_float" if is_float else "half")
    kinds |= dict.fromkeys(bytes_, "fraction" if is_float else "number")
    found = [
        kind for kind in ("whole", "half", "half_float", "number", "replicated", "fraction") if control.unpack[kind]
    ]
    assert found == ([] if control.moves else [kinds[mode]])
    if mode in halves:
        assert control.unpack.upper == halves.index(mode)
    elif mode is not ops.Unpack.NONE:
        assert control.unpack.byte == ([*bytes_, ops.Unpack.BYTE_D_REPLICATED].index(mode) if mode in bytes_ else 3)


def check_rotation(control, todo):
    assert control.rotate_by_r5 == (todo.rotation is None)
    assert control.rotation == (todo.rotation or 0)
    sources = {mux.value for mux in todo.muxes[2:] if mux.value < 4} if todo.rotation != 0 else set()
    assert control.rotated_accumulators == sum(1 << number for number in sources) + 32 * (todo.rotation is None)


def check_destinations(control, todo):
    add, mul = todo.writes
    assert (control.waddr_add, control.cond_add, control.ws) == (add.address, add.condition, add.file)
    assert (control.waddr_mul, control.cond_mul, 1 - control.ws) == (mul.address, mul.condition, mul.file)
    assert control.sf == todo.set_flags
    assert (control.pm, control.pack) == (todo.pm, todo.pack)
    written = {write.address - 32 for write in todo.writes if write.condition is not ops.Condition.NEVER}
    assert control.written_accumulators == sum(1 << number for number in written & {0, 1, 2, 3, 5})
    assert control.moves_uniforms == (8 in written)


def check_forms(control, todo):
    assert control.moves == (todo.immediate is not None or todo.branch is not None)
    assert control.links == control.branch == (todo.branch is not None)
    assert control.ends == (todo.signal in (ops.Signal.PROGRAM_END, ops.Signal.LOAD_COLOUR_END))
    if todo.immediate is not None:
        mode = ops.LoadMode(control.per_element | control.per_element_unsigned << 1)
        assert element_values(control.immediate, mode) == todo.immediate
    if todo.branch is not None:
        assert control.branch_condition is todo.branch.condition
        assert control.immediate == todo.branch.offset
        assert control.branch_relative == todo.branch.relative
        assert control.branch_register == (todo.branch.register is not None)
        if todo.branch.register is not None:
            assert control.raddr_a == todo.branch.register


def check_lookups(control, todo):
    """A parameter, a change of the swap, or a load of a result."""
    assert control.writes_tmu == (todo.tmu_write is not None)
    if todo.tmu_write:
        assert (control.tmu_unit, control.tmu_parameter.name.lower()) == todo.tmu_write
    names = [
        WRITE.name(write.address, write.file)
        for write in todo.writes
        if write.condition is not ops.Condition.NEVER and write.address in WRITE and todo.branch is None
    ]
    both = [name for name in names if name == "tmu_noswap" or name[0] == "t" and name[1].isdigit()]
    assert control.sets_swap == (both[-1:] == ["tmu_noswap"])
    assert control.loads_tmu == (todo.tmu_load is not None)
    if control.loads_tmu:
        assert control.tmu_load_unit == todo.tmu_load


def check_fragments(control, todo):
    """Loads from the tile buffer, writes to it, and what else only fragment shaders do."""
    written = [
        WRITE.name(write.address, write.file)
        for write in todo.writes
        if write.condition is not ops.Condition.NEVER and write.address in WRITE
    ]
    read = {READ.name(address, file) for file, address in enumerate(todo.raddr) if address is not None}
    assert control.loads_tile == (todo.signal in FRAGMENT_LOADS)
    if control.loads_tile:
        loads = (TlbCommand.READ_COVERAGE, TlbCommand.READ_COLOUR, TlbCommand.READ_MASK)
        assert control.tile_load is loads[FRAGMENT_LOADS[todo.signal]]
    assert control.writes_tile == any(name in FRAGMENT_WRITES for name in written)
    assert control.takes_varying == ("vary" in read)
    assert control.reads_fragment == bool(read & {"ms_mask", "rev_flag"})
    accesses = todo.signal in FRAGMENT_LOADS or {"tlbz", "tlbm", "tlbc", "tlbam"}.intersection(written)
    assert control.waits_scoreboard == (todo.signal is ops.Signal.WAIT_SCOREBOARD or bool(accesses))


CHECKS = (check_fragments, check_reads, check_operands, check_rotation, check_destinations, check_forms, check_lookups)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [300, pytest.param(3000, marks=pytest.mark.thorough)])
def test_random_words(simulate, form, count):
    seed = list(FORMS).index(form)
    rng = random.Random(seed)
    dut = Decode()

    async def bench(ctx):
        for number in range(count):
            word = random_word(rng, rng.choice(FORMS[form]))
            ctx.set(dut.word, word)
            await ctx.delay(1e-9)
            control, todo = ctx.get(dut.control), decoded(word)
            try:
                for check in CHECKS:
                    check(control, todo)
                # The special function unit has no use for the address after a branch.
                unused = {"sfu"} if todo.branch is not None else set()
                assert flags_of(control.needs, SERVICES) == set(todo.units) - unused
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, word {number}: {word:016x}: {error}") from error

    simulate(dut, bench, clock=False)


def test_every_operation_and_mux(simulate):
    """Exhaustive where it is cheap: all operations with all sources, for the kind of the unpack."""
    dut = Decode()

    async def bench(ctx):
        for op_add in ops.AddOp:
            for op_mul in ops.MulOp:
                for muxes in (0o6777, 0o7677, 0o7767, 0o7776, 0o0123):
                    word = 1 << 60 | 1 << 57 | op_mul.value << 29 | op_add.value << 24 | muxes
                    ctx.set(dut.word, word)
                    await ctx.delay(1e-9)
                    check_operands(ctx.get(dut.control), decoded(word))

    simulate(dut, bench, clock=False)


def test_control_has_no_field_that_is_not_checked():
    """A new field needs a check above."""
    checked = """
        raddr_a raddr_b read_a read_b b_immediate moves per_element per_element_unsigned links immediate unpack unpack_r4
        add_a add_b mul_a mul_b rotate_by_r5 rotation rotated_accumulators op_add op_mul cond_add cond_mul
        waddr_add waddr_mul ws sf pm pack add_float mul_float written_accumulators branch branch_condition branch_relative
        branch_register ends reads_uniform moves_uniforms reads_store_busy reads_load_busy waits_store waits_load starts_store starts_load
        sets_up_reads releases reads_r4 acquires_mutex writes_tmu tmu_parameter tmu_unit sets_swap loads_tmu tmu_load_unit needs
        loads_tile tile_load writes_tile takes_varying reads_fragment waits_scoreboard
    """
    assert {name for name, _ in data.Layout.cast(Control)} == set(checked.split())
