"""Constrained random programs: every operation, pack, unpack, condition, immediate, rotation, branch and I/O that is built.

Programs always end, and stay inside their memory. They keep to no other rule: they read registers too early, rotate what
was just written, and set up peripherals under conditions, as everything is defined here.
"""

import random
import struct

from vc4.config import V3DConfig
from vc4.isa import ops
from vc4.isa.decode import encode
from vc4.isa.registers import FILE_REGISTERS, NOP, read_address, write_address
from vc4.isa.timing import END_SLOTS, SWITCH_SLOTS
from vc4.isa.word import NOP_WORD, WORD_BYTES, AluWord, BranchWord, LoadWord

from .asm import assemble
from .backends.base import Job, Launch

__all__ = ["random_job"]

_BASE = 0x1_0000
_UNIFORM_BYTES = 4096
_OUTPUT_BYTES = 8192
#: Kept for the program itself: loop counters and branch targets. Threads and programs see it in four places.
_RESERVED = 15
_PLACES = (14, 15, 30, 31)
#: Values that reach corners of the arithmetic.
_CORNERS = (
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x3F800000,
    0xBF800000, 0x3F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x00800000, 0x007FFFFF, 0x80800000, 0x3C00,
    0xBC00, 0x7C00, 0x4B000000, 0x4F000000, 0xCF000000, 0x38800000, 0x477FE000, 0x437F0000, 0x3B808081,
)  # fmt: skip

_PLAIN_READS = (33, 34, 36, 37, 38, 40, 41, 43, 47, 52, 55, 56, 60, 63)
_ACCUMULATORS = tuple(range(32, 36))
_R5, _IRQ, _QUAD_X, _VPM = (write_address(name) for name in ("r5quad", "irq", "quad_x", "vpm"))
_UNIFORM, _BUSY, _WAIT = (read_address(name) for name in ("unif", "vw_busy", "vw_wait"))
_SETUP, _STORE, _MOVE = (write_address(name) for name in ("vw_setup", "vw_addr", "unif_addr"))
_SIGNALS = (*(ops.Signal.NONE,) * 4, ops.Signal.WAIT_SCOREBOARD, ops.Signal.UNLOCK_SCOREBOARD, ops.Signal.BREAKPOINT)
_SWITCHES = (ops.Signal.THREAD_SWITCH, ops.Signal.LAST_THREAD_SWITCH)
_WRITTEN = tuple(number for number in range(FILE_REGISTERS) if number not in _PLACES)


def random_value(random_: random.Random) -> int:
    """A word: a corner, a float around 1, a small number, or anything."""
    kind = random_.randrange(4)
    if kind == 0:
        return random_.choice(_CORNERS)
    if kind == 1:
        return random_.getrandbits(1) << 31 | random_.randrange(110, 145) << 23 | random_.getrandbits(23)
    return random_.randrange(-64, 64) & 0xFFFF_FFFF if kind == 2 else random_.getrandbits(32)


class _Generator:
    def __init__(self, random_: random.Random, base: int):
        self.random = random_
        self.base = base
        self.words: list[int] = []

    def condition(self) -> ops.Condition:
        return self.random.choice((ops.Condition.ALWAYS, *ops.Condition))

    def destination(self) -> int:
        """A write address that needs no set-up."""
        kind = self.random.randrange(10)
        if kind < 4:
            return self.random.choice(_WRITTEN)
        if kind < 8:
            return self.random.choice((*_ACCUMULATORS, _R5))
        return self.random.choice((NOP, _VPM, _IRQ, _QUAD_X))

    def source(self, file: int) -> int:
        """A read address."""
        kind = self.random.randrange(10)
        if kind < 6:
            return self.random.randrange(FILE_REGISTERS)
        plain = self.random.choice(_PLAIN_READS)
        return self.random.choice((_UNIFORM, NOP, NOP, plain, _BUSY if file else NOP))

    def alu(self, **fields) -> int:
        """An ALU instruction with random fields, but for those given."""
        random_ = self.random
        small = "signal" not in fields and random_.random() < 0.3
        draw = {
            "signal": ops.Signal.SMALL_IMMEDIATE if small else random_.choice(_SIGNALS),
            "raddr_a": self.source(0),
            "raddr_b": random_.getrandbits(6) if small else self.source(1),
            "op_add": random_.choice(list(ops.AddOp)),
            "op_mul": random_.choice(list(ops.MulOp)),
            **{mux: random_.choice(list(ops.Mux)) for mux in ("add_a", "add_b", "mul_a", "mul_b")},
            "cond_add": self.condition(),
            "cond_mul": self.condition(),
            "waddr_add": self.destination(),
            "waddr_mul": self.destination(),
            "ws": random_.getrandbits(1),
            "sf": random_.random() < 0.4,
            "pm": random_.random() < 0.3,
            "pack": random_.getrandbits(4) if random_.random() < 0.5 else 0,
            "unpack": random_.getrandbits(3) if random_.random() < 0.5 else 0,
        }
        return encode(AluWord, **draw | fields)

    def load(self, **fields) -> int:
        """A load immediate with random fields, but for those given."""
        random_ = self.random
        draw = {
            "signal": ops.Signal.LOAD_IMMEDIATE,
            "mode": random_.choice([mode for mode in ops.LoadMode if mode.value < ops.LoadMode.SEMAPHORE.value]),
            "immediate": random_value(random_),
            "cond_add": self.condition(),
            "cond_mul": self.condition(),
            "waddr_add": self.destination(),
            "waddr_mul": self.destination(),
            "ws": random_.getrandbits(1),
            "sf": random_.random() < 0.3,
            "pm": random_.random() < 0.2,
            "pack": random_.getrandbits(4) if random_.random() < 0.3 else 0,
        }
        return encode(LoadWord, **draw | fields)

    def constant(self, address: int, file: int, value: int) -> int:
        """`value` to one register, and nothing else."""
        return encode(
            LoadWord,
            signal=ops.Signal.LOAD_IMMEDIATE,
            immediate=value,
            cond_add=ops.Condition.ALWAYS,
            waddr_add=address,
            waddr_mul=NOP,
            ws=file,
        )

    def plain(self) -> None:
        """An instruction that goes nowhere else."""
        self.words.append(self.load() if self.random.random() < 0.15 else self.alu())

    def set_up(self) -> None:
        """A set-up of VPM writes, seldom of the DMA engine."""
        random_ = self.random
        kind = random_.randrange(4)
        if kind < 2:
            word = random_.randrange(64) << 12 | 1 << 11 | 2 << 8 | random_.randrange(64)
        elif kind == 2:
            units, depth = random_.randrange(1, 9), random_.randrange(1, 17)
            word = 2 << 30 | units << 23 | depth << 16 | 1 << 14 | random_.randrange(48) << 7
            word |= random_.randrange(17 - depth) << 3
        else:
            word = 3 << 30 | random_.randrange(32) * 4
        self.words.append(self.constant(_SETUP, 1, word))

    def store(self, output: int) -> None:
        """A DMA store into the output, and often a wait for it."""
        address = output + 4 * self.random.randrange(_OUTPUT_BYTES // 8)
        self.words.append(self.constant(_STORE, 1, address))
        if self.random.random() < 0.5:
            self.words.append(self.alu(signal=ops.Signal.NONE, raddr_b=_WAIT))

    def move_uniforms(self, uniforms: int) -> None:
        address = uniforms + 4 * self.random.randrange(64)
        self.words.append(self.constant(_MOVE, 0, address))

    def branch(self) -> None:
        """A branch forward over a few instructions, by any condition, its target given in one of four ways."""
        random_ = self.random
        skipped = random_.randrange(6)
        relative, register = random_.getrandbits(1), random_.getrandbits(1)
        offset = WORD_BYTES * skipped
        setting = [self.constant(_RESERVED, 0, offset), NOP_WORD] if register else []
        if not relative:
            offset += self.base + WORD_BYTES * (len(self.words) + len(setting) + 4)
        self.words += setting
        self.words.append(
            encode(
                BranchWord,
                signal=ops.Signal.BRANCH,
                condition=random_.choice(list(ops.BranchCondition)),
                relative=relative,
                register=register,
                raddr_a=_RESERVED if register else random_.choice((0, 1)),
                immediate=offset - (WORD_BYTES * skipped if register else 0) & 0xFFFF_FFFF,
                waddr_add=self.destination(),
                waddr_mul=self.destination(),
                ws=random_.getrandbits(1),
            )
        )
        for _ in range(3 + skipped):
            self.shadow()

    def shadow(self) -> None:
        """An instruction in delay slots: seldom something that has delay slots of its own."""
        kind = self.random.random()
        if kind < 0.1:
            self.close_branch()
        elif kind < 0.2:
            self.words.append(self.alu(signal=self.random.choice(_SWITCHES)))
        else:
            self.plain()

    def switch(self) -> None:
        """A thread switch."""
        self.words.append(self.alu(signal=self.random.choice(_SWITCHES)))
        for _ in range(SWITCH_SLOTS):
            self.shadow()

    def close_branch(self) -> None:
        """A branch that is never meant to go anywhere: its target is the instruction after its delay slots."""
        condition = self.random.choice(list(ops.BranchCondition))
        self.words.append(
            encode(BranchWord, signal=ops.Signal.BRANCH, condition=condition, relative=1, waddr_add=33, waddr_mul=NOP)
        )

    def loop(self) -> None:
        """A few instructions, run up to four times."""
        random_ = self.random
        # These two may be the delay slots of a switch; none comes between the instructions that count.
        self.words += [self.constant(_RESERVED, 1, random_.randrange(1, 5)), NOP_WORD]
        start = len(self.words)
        for _ in range(random_.randrange(1, 8)):
            self.plain()
        self.words += assemble(f"mov r0, rb{_RESERVED}\nsub r0, r0, 1\nmov.setf rb{_RESERVED}, r0").words
        back = WORD_BYTES * (start - len(self.words) - 4) & 0xFFFF_FFFF
        self.words.append(
            encode(
                BranchWord,
                signal=ops.Signal.BRANCH,
                condition=ops.BranchCondition.ALL_ZC,
                relative=1,
                immediate=back,
                waddr_add=NOP,
                waddr_mul=NOP,
            )
        )
        for _ in range(3):
            self.plain()


def random_program(random_: random.Random, length: int, base: int, uniforms: int, output: int) -> list[int]:
    """At least `length` words of a program at `base` that uses `uniforms` and writes to `output`."""
    generator = _Generator(random_, base)
    words = generator.words
    words.append(generator.constant(_SETUP, 1, 0x1A00))
    words.append(generator.constant(_SETUP, 1, 0x8401_4000 | 16 << 16))
    for file in range(2):
        words += [generator.constant(number, file, random_value(random_)) for number in _WRITTEN]
    kinds = [
        (generator.plain, 80),
        (generator.set_up, 4),
        (lambda: generator.store(output), 2),
        (lambda: generator.move_uniforms(uniforms), 2),
        (generator.branch, 6),
        (generator.loop, 2),
        (generator.switch, 2),
    ]
    makers, weights = zip(*kinds, strict=True)
    while len(words) < length:
        random_.choices(makers, weights)[0]()
    words += [NOP_WORD] * SWITCH_SLOTS  # an end in the delay slots of a switch would be none
    words.append(generator.alu(signal=ops.Signal.PROGRAM_END, raddr_b=NOP))
    words += [generator.alu(signal=ops.Signal.NONE, raddr_b=NOP) for _ in range(END_SLOTS)]
    return words


def random_job(seed: int, length: int, config: V3DConfig, **memory) -> Job:
    """A run of random programs of about `length` words in all; the same `seed` gives the same run.

    It is one program, or a few one after the other, or a few of which two share the QPU. `memory` may give `latency` and
    `gap` of the memory, see `Job`.
    """
    random_ = random.Random(seed)
    number = random_.choice((1, 1, 1, 2, 3))
    mostly_threaded = random_.random() < 0.8
    uniforms = _BASE + -(-(length + number * 200) * WORD_BYTES // 64) * 64
    output = uniforms + _UNIFORM_BYTES
    words, launches = [], []
    for _ in range(number):
        base = _BASE + WORD_BYTES * len(words)
        first = uniforms + 4 * random_.randrange(64)
        launches.append(Launch(base, first, threaded=number > 1 and (random_.random() < 0.9) == mostly_threaded))
        words += random_program(random_, length // number, base, uniforms, output)
    image = struct.pack(f"<{len(words)}Q", *words).ljust(uniforms - _BASE, b"\0")
    image += b"".join(struct.pack("<I", random_value(random_)) for _ in range(_UNIFORM_BYTES // 4))
    image += bytes(_OUTPUT_BYTES)
    return Job(
        image=image,
        base=_BASE,
        launches=tuple(launches),
        config=config,
        seed=seed,
        max_cycles=400 * length + 10_000,
        **memory,
    )
