"""ALU statements and their words: every operation, condition, signal and register."""

import pytest

from vc4.isa.decode import decode, encode
from vc4.isa.ops import ADD_OPERANDS, MUL_OPERANDS, AddOp, Condition, MulOp, Mux, Signal
from vc4.isa.registers import NOP, READ, WRITE
from vc4.isa.word import NOP_WORD, AluWord
from vc4sim.asm import assemble

IDLE = {"signal": Signal.NONE, "waddr_add": NOP, "waddr_mul": NOP, "raddr_a": NOP, "raddr_b": NOP}


def word(text):
    (found,) = assemble(text).words
    return found


def alu(**fields):
    return encode(AluWord, **{**IDLE, **fields})


ADD_OPS = [op for op in AddOp if ADD_OPERANDS[op]]
MUL_OPS = [op for op in MulOp if MUL_OPERANDS[op]]


def add_name(op):
    return f"a{op.name.lower()}" if op.name in MulOp.__members__ else op.name.lower()


def mul_name(op):
    return f"m{op.name.lower()}" if op.name in AddOp.__members__ else op.name.lower()


@pytest.mark.parametrize("op", ADD_OPS)
def test_add_operations(op):
    unary = ADD_OPERANDS[op] == 1
    second = Mux.A if unary else Mux.B
    expected = alu(
        op_add=op,
        cond_add=Condition.ALWAYS,
        waddr_add=7,
        ws=1,
        add_a=Mux.A,
        add_b=second,
        raddr_a=3,
        raddr_b=NOP if unary else 9,
    )
    assert word(f"{add_name(op)} rb7, ra3" + ("" if unary else ", rb9")) == expected


@pytest.mark.parametrize("op", MUL_OPS)
def test_mul_operations(op):
    expected = alu(op_mul=op, cond_mul=Condition.ALWAYS, waddr_mul=33, mul_a=Mux.R2, mul_b=Mux.R5)
    assert word(f"{mul_name(op)} r1, r2, r5") == expected


@pytest.mark.parametrize("add", ADD_OPS)
@pytest.mark.parametrize("mul", MUL_OPS)
def test_two_operations(add, mul):
    sources = "r0" if ADD_OPERANDS[add] == 1 else "r0, r1"
    found = decode(word(f"{add_name(add)} ra1, {sources}; {mul_name(mul)} rb2, r2, r3; ldtmu0"))
    assert (found.op_add, found.op_mul, found.signal) == (add, mul, Signal.LOAD_TMU0)
    assert (found.waddr_add, found.waddr_mul, found.ws) == (1, 2, 0)


def test_operations_of_both_alus_take_the_one_that_is_free():
    assert decode(word("v8adds r0, r1, r2")).op_mul is MulOp.V8ADDS
    assert decode(word("fmul r3, r1, r2; v8adds r0, r1, r2")).op_add is AddOp.V8ADDS
    assert decode(word("mov r0, r1; mov r2, r3")).op_mul is MulOp.V8MIN
    assert decode(word("mov r0, r1; add r2, r3, r3")).op_mul is MulOp.V8MIN


@pytest.mark.parametrize(
    ("names", "condition"),
    [
        ("ifz ifzs z zs", Condition.ZS),
        ("ifnz ifzc nz zc", Condition.ZC),
        ("ifn ifns n ns", Condition.NS),
        ("ifnn ifnc nn nc", Condition.NC),
        ("ifc ifcs c cs", Condition.CS),
        ("ifcc cc", Condition.CC),
        ("never", Condition.NEVER),
    ],
)
def test_conditions(names, condition):
    for name in names.split():
        assert decode(word(f"add r0.{name}, r1, r2")).cond_add is condition
        assert decode(word(f"ldi r0.{name}, 5")).cond_add is condition
        assert decode(word(f"nop; fmul ra0.{name}, r1, r2")).cond_mul is condition
        if name.startswith("if"):
            assert decode(word(f"mov.{name} r0, r1")).cond_add is condition


def test_flags():
    assert decode(word("sub.setf r0, r1, r2")).sf == 1
    assert decode(word("sub r0.sf, r1, r2; fmul r3, r1, r2")).sf == 1
    assert word("sub.setf -, r0, r1") == 0x100229E7_0D9E7040
    # The flags follow the mul ALU, which needs a condition of the add ALU other than never.
    assert word("nop; fmul.setf -, r0, r1") == 0x100269E7_209E7001
    assert decode(word("sub -, r0, r1")).cond_add is Condition.NEVER


SIGNALS = {
    Signal.BREAKPOINT: "bkpt break",
    Signal.THREAD_SWITCH: "thrsw tswitch",
    Signal.PROGRAM_END: "thrend tend",
    Signal.WAIT_SCOREBOARD: "sbwait waitscb",
    Signal.UNLOCK_SCOREBOARD: "sbdone unlscb",
    Signal.LAST_THREAD_SWITCH: "lthrsw lswitch",
    Signal.LOAD_COVERAGE: "loadcv ldcvtlb",
    Signal.LOAD_COLOUR: "loadc ldcotlb",
    Signal.LOAD_COLOUR_END: "ldcend ldcoend",
    Signal.LOAD_TMU0: "ldtmu0",
    Signal.LOAD_TMU1: "ldtmu1",
    Signal.LOAD_ALPHA_MASK: "loadam ldaltlb",
}


@pytest.mark.parametrize("signal", SIGNALS)
def test_signals(signal):
    for name in SIGNALS[signal].split():
        assert word(name) == alu(signal=signal)
        assert decode(word(f"nop; fmul r0, r1, r2; {name}")).signal is signal


@pytest.mark.parametrize("file", [0, 1])
def test_every_register_can_be_read_and_written(file):
    for number in range(64):
        name = f"r{'ab'[file]}{number}"
        found = decode(word(f"mov -, {name}"))
        assert (found.raddr_a, found.raddr_b)[file] == number
        found = decode(word(f"mov {name}, r0"))
        assert (found.waddr_add, found.ws) == (number, file)


@pytest.mark.parametrize("file", [0, 1])
def test_every_register_has_a_name(file):
    for address, pair in READ.items():
        found = decode(word(f"mov r0, {pair[file].name}"))
        assert address in (found.raddr_a, found.raddr_b)
    for address, pair in WRITE.items():
        assert decode(word(f"mov {pair[file].name}, r1")).waddr_add == address


def test_registers_of_both_files_are_read_where_there_is_room():
    found = decode(word("add r0, unif, ra1; mul24 r1, unif, r2"))
    assert (found.raddr_a, found.raddr_b, found.add_a, found.mul_a) == (1, 32, Mux.B, Mux.B)
    assert decode(word("add r0, unif, rb1")).raddr_a == 32
    assert decode(word("add r0, unif, unif")).raddr_b == NOP


def test_register_arithmetic():
    assert word("mov ra0 + 3, rb9 - 2") == word("mov ra3, rb7")
    assert word("mov t0s + 4, r0 + 1") == word("mov t1s, r1")
    assert word("mov -, sacq3 + 2") == word("sacq -, 5")


@pytest.mark.parametrize("count", range(1, 16))
def test_rotations(count):
    upwards = 48 + count
    for statement in (
        f"mov r0, r1 >> {count}",
        f"mov r0, r1 << {16 - count}",
        f"mov r0 << {count}, r1",
        f"v8min.rot {count}, r0, r1, r1",
        f"v8min r0, r1 >> {count}, r1 >> {count}",
    ):
        found = decode(word(statement))
        assert (found.signal, found.raddr_b, found.op_mul) == (Signal.SMALL_IMMEDIATE, upwards, MulOp.V8MIN)
    assert decode(word("fmul r0, r1 << r5, r2")).raddr_b == 48
    # The code that rotates is a value from -16 to -1 at the same time.
    assert decode(word(f"sub r0, r1, {count - 16}; mov r2, r3 >> {count}")).raddr_b == upwards


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0", 0),
        ("15", 15),
        ("-16", 16),
        ("0xffffffff", 31),
        ("1.0", 32),
        ("128.0", 39),
        ("0.00390625", 40),
        ("0.5", 47),
    ],
)
def test_small_immediates(text, code):
    found = decode(word(f"fadd r0, r1, {text}; fmul r2, {text}, r3"))
    assert (found.signal, found.raddr_b) == (Signal.SMALL_IMMEDIATE, code)
    assert (found.add_a, found.add_b, found.mul_a, found.mul_b) == (Mux.R1, Mux.B, Mux.B, Mux.R3)


def test_counts_of_shifts_are_taken_modulo_32():
    assert word("shl r0, r1, 31") == word("shl r0, r1, -1")
    assert decode(word("asr r0, r1, 16")).raddr_b == 16


def test_constants():
    assert word("mov r0, 5") == word("ldi r0, 5")
    assert word("mov ra1, rb2, 1.0") == word("ldi ra1, rb2, 0x3f800000")
    assert word("mov r0, 1000; mov r1, 1000") == word("ldi r0, r1, 1000")
    assert decode(word("add r0, r1, r2; mov r3, 64")).op_mul is MulOp.MUL24
    assert decode(word("fmul r0, r1, r2; mov r3, 0x80000000")).signal is Signal.SMALL_IMMEDIATE
    assert decode(word("mov r3, 0; ldtmu1")).signal is Signal.LOAD_TMU1


def test_reads():
    assert word("read ra4; read rb5") == alu(raddr_a=4, raddr_b=5)
    assert word("read unif; mov r0, rb2; ldtmu0") == decode(word("mov r0, rb2; ldtmu0")).word & ~(63 << 18) | 32 << 18
    assert word("read 8") == alu(raddr_b=8, signal=Signal.SMALL_IMMEDIATE)


def test_idle_instructions():
    for text in ("nop", "anop", "mnop", "nop; nop", "anop; mnop", "nop;"):
        assert word(text) == NOP_WORD
    assert word("anop r1; mnop rb4") == alu(
        waddr_add=33, waddr_mul=4, cond_add=Condition.ALWAYS, cond_mul=Condition.ALWAYS
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fadd ra21, r0, r1", 0x10020567_019E7040),
        ("add r3, r1, r2; mov r0, r1 << 1", 0xD00248E0_8C9FF289),
        ("add ra1.8as, ra2.8d, r0", 0x1EC20067_0C0A7C00),
        ("mov tlbc, r0; sbdone", 0x50020BA7_159E7000),
        ("xor rb3, r3, r5; v8max ra14, r1, 1.0", 0xD00250CE_B69E074F),
    ],
)
def test_words_in_full(text, expected):
    assert word(text) == expected
