"""Where operands come from, and what an instruction has to do with the ones before it, over columns of instructions."""

from collections.abc import Callable

import numpy as np

from vc4.isa.immediates import ROTATE_BY_R5
from vc4.isa.ops import BranchCondition, Mux, Unpack
from vc4.isa.registers import ACCUMULATOR_BASE, FILE_REGISTERS, NOP, read_address, write_address
from vc4.isa.sfu_tables import SfuFunction

from .columns import ADD, MUL, Columns, before

__all__ = ["DISTANCES", "HAZARDS", "OPERAND_KINDS", "PORTS", "hazards", "operand_kind", "port_of"]

_UNIFORM = read_address("unif")
_FUNCTIONS = tuple(function.name.lower() for function in SfuFunction)
#: What a read address can name, the same for both files.
PORTS = ("register", "uniform", "I/O", "nop")
_MODES = [mode.name.lower() for mode in Unpack if mode is not Unpack.NONE]

OPERAND_KINDS = (
    "r0 to r3",
    "r4",
    *(f"r4 {mode}" for mode in _MODES),
    "r5",
    *(f"A {port}" for port in PORTS),
    *(f"A register {mode}" for mode in _MODES),
    *(f"B {port}" for port in PORTS),
    "immediate",
    "immediate, rotated",
)
_KIND = {name: number for number, name in enumerate(OPERAND_KINDS)}
_R4, _R5, _A, _A_UNPACKED, _B, _IMMEDIATE = (
    _KIND[name] for name in ("r4", "r5", "A register", "A register half_a", "B register", "immediate")
)


def port_of(address: np.ndarray) -> np.ndarray:
    """What read addresses name, indices of `PORTS`."""
    return np.select([address < FILE_REGISTERS, address == _UNIFORM, address == NOP], [0, 1, 3], 2)


def operand_kind(columns: Columns, mux: np.ndarray) -> np.ndarray:
    """The kinds of operands that come from `mux`, indices of `OPERAND_KINDS`."""
    unpack, pm = columns.alu("unpack"), columns.alu("pm")
    port_a, port_b = port_of(columns.alu("raddr_a")), port_of(columns.alu("raddr_b"))
    unpacked = (unpack > 0) & (pm == 0) & (port_a == 0)
    from_a = np.where(unpacked, _A_UNPACKED + unpack - 1, _A + port_a)
    from_b = np.where(columns.is_small, _IMMEDIATE + columns.rotates(), _B + port_b)
    return np.select(
        [mux < Mux.R4.value, mux == Mux.R4.value, mux == Mux.R5.value, mux == Mux.A.value],
        [0, _R4 + unpack * pm, _R5, from_a],
        from_b,
    )


#: Given the columns and, for rows before, the file and address that an ALU writes: where the rows depend on that.
_Reads = Callable[[Columns, np.ndarray, np.ndarray], np.ndarray]


def _file(file: int, mux: Mux, name: str) -> _Reads:
    def reads(now: Columns, written_file: np.ndarray, address: np.ndarray) -> np.ndarray:
        same = (written_file == file) & (address < FILE_REGISTERS) & (now.alu(name) == address)
        return same & now.reads(mux) & ~(now.is_small & bool(file))

    return reads


def _accumulator(now: Columns, file: np.ndarray, address: np.ndarray) -> np.ndarray:
    found = np.zeros(len(now.words), bool)
    for mux in (Mux.R0, Mux.R1, Mux.R2, Mux.R3):
        found |= now.reads(mux) & (address == ACCUMULATOR_BASE + mux.value)
    return found


def _rotated(now: Columns, file: np.ndarray, address: np.ndarray) -> np.ndarray:
    source = address - ACCUMULATOR_BASE
    read = np.zeros(len(now.words), bool)
    for operand, mux in enumerate(now.operands(MUL)):
        read |= now.takes(MUL, operand) & (mux == source) & (source <= Mux.R3.value)
    return read & now.rotates()


def _after(write: str | tuple[str, ...], then: Callable[[Columns], np.ndarray]) -> _Reads:
    """Something that comes after a write of an I/O register, or one of several, of either file."""
    wanted = [write_address(name) for name in ((write,) if isinstance(write, str) else write)]
    return lambda now, file, address: np.isin(address, wanted) & then(now)


def _reads_address(name: str) -> Callable[[Columns], np.ndarray]:
    wanted = read_address(name)
    return lambda now: now.is_alu & ((now.alu("raddr_a") == wanted) | ~now.is_small & (now.alu("raddr_b") == wanted))


def _writes_address(*names: str) -> Callable[[Columns], np.ndarray]:
    wanted = [write_address(name) for name in names]
    return lambda now: ~now.is_branch & (np.isin(now.address(ADD), wanted) | np.isin(now.address(MUL), wanted))


def _branch_register(now: Columns, file: np.ndarray, address: np.ndarray) -> np.ndarray:
    register = now.is_branch & (now.branch("register") != 0)
    return register & (file == 0) & (address == now.branch("raddr_a"))


def _amount(now: Columns) -> np.ndarray:
    return now.rotates() & (now.alu("raddr_b") == ROTATE_BY_R5)


def _conditional(now: Columns) -> np.ndarray:
    return ~now.is_branch & ((now.condition(ADD) > 1) | (now.condition(MUL) > 1))


def _conditional_branch(now: Columns) -> np.ndarray:
    return now.is_branch & (now.branch("condition") < BranchCondition.RESERVED_12.value)


#: What depends on a result of an instruction shortly before.
_READERS: dict[str, _Reads] = {
    "register of file A, read": _file(0, Mux.A, "raddr_a"),
    "register of file B, read": _file(1, Mux.B, "raddr_b"),
    "register of file A, read by a branch": _branch_register,
    "r0 to r3, read": _accumulator,
    "r0 to r3, rotated": _rotated,
    "r5, read": _after("r5quad", lambda now: now.reads(Mux.R5)),
    "r5, rotates by it": _after("r5quad", _amount),
    "special function, reads r4": _after(_FUNCTIONS, lambda now: now.reads(Mux.R4)),
    "special function, another one": _after(_FUNCTIONS, _writes_address(*_FUNCTIONS)),
    "address of the uniforms, reads one": _after("unif_addr", _reads_address("unif")),
    "set-up of the VPM, writes a vector": _after("vw_setup", _writes_address("vpm")),
    "vector to the VPM, starts a store": _after("vpm", _writes_address("vw_addr")),
    "starts a store, reads whether it runs": _after("vw_addr", _reads_address("vw_busy")),
    "starts a store, waits for it": _after("vw_addr", _reads_address("vw_wait")),
}
_FLAG_READERS = {"flags, condition": _conditional, "flags, branch": _conditional_branch}
HAZARDS = (*_READERS, *_FLAG_READERS)
#: Instructions from the write to what depends on it.
DISTANCES = (1, 2, 3)


def hazards(now: Columns, distance: int, alu: int) -> np.ndarray:
    """Which hazards there are with what `alu` wrote `distance` rows before, a row for each of `HAZARDS`."""
    writes = before(now.writes(alu), distance)
    file, address = before(now.file(alu), distance), before(now.address(alu), distance)
    found = [writes & depends(now, file, address) for depends in _READERS.values()]
    # The flags are those of the add ALU, unless it does nothing.
    of_mul = now.is_alu & ~now.takes(ADD, 0)
    sets = ~now.is_branch & (now.alu("sf") != 0) & (of_mul if alu else ~of_mul)
    found += [before(sets, distance) & depends(now) for depends in _FLAG_READERS.values()]
    return np.array(found)
