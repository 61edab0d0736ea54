"""Random instructions."""

import random
from collections.abc import Callable

from vc4.isa import ops
from vc4.isa.decode import encode
from vc4.isa.immediates import ROTATE_FIRST
from vc4.isa.registers import FILE_REGISTERS, NOP, read_address, write_address
from vc4.isa.sync import SEMAPHORE_ACQUIRE, SEMAPHORES
from vc4.isa.timing import LINK_BYTES
from vc4.isa.word import AluWord, BranchWord, LoadWord

from .values import LOAD_MODES, SEMAPHORE_MODES, SIGNALS, condition, destination, own_destination, random_value, source
from .wanted import NOTHING, Wanted

__all__ = ["Words"]

_MUXES = ("add_a", "add_b", "mul_a", "mul_b")
#: What is drawn for every instruction; to list the members of an enum takes longer.
_ADD_OPS, _MUL_OPS, _SOURCES = tuple(ops.AddOp), tuple(ops.MulOp), tuple(ops.Mux)
_ADD_RESULTS = tuple(op for op, operands in ops.ADD_OPERANDS.items() if operands)
_MUTEX, _FREE = read_address("mutex"), write_address("mutex")
_UNIFORM = read_address("unif")
#: The bits of an immediate that say what a semaphore instruction does.
_OPERATION = SEMAPHORE_ACQUIRE | SEMAPHORES - 1


class Words:
    """Makes instructions out of `random_`. They write to no other registers of the files than `registers`.

    wanted : fields of instructions, in the forms `alu`, `load`, `semaphore` and `branch`
    """

    def __init__(self, random_: random.Random, registers: tuple[int, ...], wanted: Wanted = NOTHING):
        self.random = random_
        self.registers = registers
        self._wanted = wanted

    def _chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _results(self, draw: Callable[[random.Random, tuple[int, ...]], int] = destination) -> dict:
        """The fields that say where results go."""
        return {
            "waddr_add": draw(self.random, self.registers),
            "waddr_mul": draw(self.random, self.registers),
            "ws": self.random.getrandbits(1),
        }

    def _result(self, address: int) -> dict:
        """The fields by which one ALU writes to `address`, whatever it is; of the add ALU a nop would write nothing."""
        results = self._results(own_destination)
        alu = self.random.choice(("add", "mul"))
        some = self.random.choice([one for one in ops.Condition if one is not ops.Condition.NEVER])
        operation = {"op_add": self.random.choice(_ADD_RESULTS)} if alu == "add" else {}
        return results | {f"waddr_{alu}": address, f"cond_{alu}": some} | operation

    def _conditions(self) -> dict:
        """The fields that say when and how results are written, but for the pm bit."""
        return {
            "cond_add": condition(self.random),
            "cond_mul": condition(self.random),
            "sf": self._chance(0.4),
            "pack": self.random.getrandbits(4) if self._chance(0.6) else 0,
        }

    def alu(self, **fields) -> int:
        """An ALU instruction with random fields, but for those given."""
        random_ = self.random
        small = "signal" not in fields and self._chance(0.35)
        immediate = random_.randrange(ROTATE_FIRST, 64) if self._chance(0.4) else random_.getrandbits(6)
        draw = {
            "signal": ops.Signal.SMALL_IMMEDIATE if small else random_.choice(SIGNALS),
            "raddr_a": source(random_, 0),
            "raddr_b": immediate if small else source(random_, 1),
            "op_add": random_.choice(_ADD_OPS),
            "op_mul": random_.choice(_MUL_OPS),
            **{mux: random_.choice(_SOURCES) for mux in _MUXES},
            "pm": self._chance(0.4),
            "unpack": random_.getrandbits(3) if self._chance(0.6) else 0,
        }
        return encode(AluWord, **draw | self._conditions() | self._results() | fields)

    def load(self, **fields) -> int:
        """A load immediate with random fields, but for those given."""
        draw = {
            "signal": ops.Signal.LOAD_IMMEDIATE,
            "mode": self.random.choice(LOAD_MODES),
            "immediate": random_value(self.random),
            "pm": self._chance(0.4),
        }
        return encode(LoadWord, **draw | self._conditions() | self._results() | fields)

    def semaphore(self, operation: int) -> int:
        """A semaphore instruction: `operation` says which one, and whether it counts up or down."""
        draw = {
            "signal": ops.Signal.LOAD_IMMEDIATE,
            "mode": self.random.choice(SEMAPHORE_MODES),
            "immediate": random_value(self.random) & ~_OPERATION | operation,
            "pm": self._chance(0.4),
        }
        return encode(LoadWord, **draw | self._conditions() | self._results(own_destination) | self._wish("semaphore"))

    def acquire_mutex(self) -> int:
        """An ALU instruction that waits for the mutex on one port or on both."""
        random_ = self.random
        port_a, port_b = random_.choice(((_MUTEX, NOP), (NOP, _MUTEX), (_MUTEX, _MUTEX)))
        ports = {"signal": ops.Signal.NONE, "raddr_a": port_a, "raddr_b": port_b}
        return self.alu(**ports, **self._results(own_destination))

    def free_mutex(self) -> int:
        """An ALU instruction that writes to the mutex."""
        return self.alu(signal=ops.Signal.NONE, raddr_a=NOP, raddr_b=NOP, **self._result(_FREE))

    def parameter(self, unit: int, letter: str) -> int:
        """An ALU instruction that gives a parameter of a lookup to a texture unit, whatever it is."""
        return self.alu(signal=ops.Signal.NONE, **self._result(write_address(f"t{unit}{letter}")))

    def load_lookup(self, unit: int) -> int:
        """An ALU instruction that loads what a texture unit brings."""
        return self.alu(signal=(ops.Signal.LOAD_TMU0, ops.Signal.LOAD_TMU1)[unit])

    def _wish(self, form: str) -> dict[str, int]:
        """Fields that somebody wants, if any."""
        wish = self._wanted.draw(self.random, form)
        return wish[1] if wish else {}

    def plain(self) -> int:
        """An instruction that goes nowhere else."""
        wish = self._wanted.draw(self.random, "alu", "load")
        if wish:
            form, fields = wish
            return self.load(**fields) if form == "load" else self.alu(**fields)
        return self.load() if self._chance(0.15) else self.alu()

    def quiet(self) -> int:
        """An ALU instruction that reads and writes what is of the QPU alone, and takes no uniform."""
        ports = {f"raddr_{file}": self.random.randrange(FILE_REGISTERS) for file in "ab"}
        return self.alu(signal=ops.Signal.NONE, **ports, **self._results(own_destination))

    def constant(self, address: int, file: int, value: int) -> int:
        """`value` to one register, by either ALU, and nothing else."""
        fields = {"signal": ops.Signal.LOAD_IMMEDIATE, "immediate": value}
        if self._chance(0.5):
            fields |= {"cond_add": ops.Condition.ALWAYS, "waddr_add": address, "waddr_mul": NOP, "ws": file}
        else:
            fields |= {"cond_mul": ops.Condition.ALWAYS, "waddr_mul": address, "waddr_add": NOP, "ws": 1 - file}
        return encode(LoadWord, **fields)

    def uniform(self, address: int, file: int) -> int:
        """The next uniform to one register, by either ALU, and nothing else."""
        fields = {"signal": ops.Signal.NONE, "raddr_a": _UNIFORM, "raddr_b": NOP, **dict.fromkeys(_MUXES, ops.Mux.A)}
        if self._chance(0.5):
            fields |= {"op_add": ops.AddOp.OR, "cond_add": ops.Condition.ALWAYS}
            fields |= {"waddr_add": address, "waddr_mul": NOP, "ws": file}
        else:
            fields |= {"op_mul": ops.MulOp.V8MIN, "cond_mul": ops.Condition.ALWAYS}
            fields |= {"waddr_mul": address, "waddr_add": NOP, "ws": 1 - file}
        return encode(AluWord, **fields)

    def branch(self, here: int, target: int, register: tuple[int, int] | None) -> int:
        """A branch from address `here` to `target` by any condition.

        register : number of a register of file A, and what it holds, to be added; or `None`
        """
        random_ = self.random
        relative = random_.getrandbits(1)
        after = here + LINK_BYTES if relative else 0
        number, holds = register or (random_.choice((0, 1)), 0)
        condition_ = random_.choice(list(ops.BranchCondition))
        return encode(
            BranchWord,
            signal=ops.Signal.BRANCH,
            condition=self._wish("branch").get("condition", condition_),
            relative=relative,
            register=register is not None,
            raddr_a=number,
            immediate=target - after - holds & 0xFFFF_FFFF,
            **self._results(),
        )
