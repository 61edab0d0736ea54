"""Register-file addresses: what each of the 64 names when read and when written (guide, table 14)."""

from dataclasses import dataclass

__all__ = [
    "ACCUMULATOR_BASE",
    "ELEMENTS",
    "FILE_REGISTERS",
    "NOP",
    "QUADS",
    "READ",
    "WRITE",
    "Port",
    "Register",
    "read_address",
    "write_address",
]

ELEMENTS = 16
QUADS = 4
#: Addresses below this are the physical registers of a file.
FILE_REGISTERS = 32
#: Write addresses 32 to 35 are the accumulators r0 to r3.
ACCUMULATOR_BASE = 32
#: Reads the last value again, writes nothing.
NOP = 39


@dataclass(frozen=True, slots=True)
class Register:
    """What one address of one file names.

    `name` is the assembler's name; `unit` the block on the other side (`qpu` if there is none); `doc` says what it does.
    """

    name: str
    unit: str
    doc: str


class Port(dict[int, tuple[Register, Register]]):
    """The registers of one direction: address to (file A, file B)."""

    def name(self, address: int, file: int) -> str:
        """The name of `address` (0 to 63) in `file` (0: A, 1: B)."""
        if address < FILE_REGISTERS:
            return f"r{'ab'[file]}{address}"
        if address in self:
            return self[address][file].name
        return f"r{'ab'[file]}{address}"


def _both(name: str, unit: str, doc: str) -> tuple[Register, Register]:
    register = Register(name, unit, doc)
    return register, register


def _pair(a: tuple[str, str], b: tuple[str, str], unit: str) -> tuple[Register, Register]:
    return Register(a[0], unit, a[1]), Register(b[0], unit, b[1])


# fmt: off
READ = Port({
    32: _both("unif", "uniforms", "next uniform, the same in all elements; one an instruction"),
    35: _both("vary", "vri", "next varying; r5 receives its C coefficient"),
    38: _pair(("elem_num", "element number, 0 to 15"), ("qpu_num", "number of this QPU"), "qpu"),
    NOP: _both("nop", "qpu", "the last value read on this port in elements 12 to 15"),
    41: _pair(("x_coord", "pixel column"), ("y_coord", "pixel row"), "fep"),
    42: _pair(("ms_mask", "multisample mask"), ("rev_flag", "primitive seen from behind"), "fep"),
    48: _both("vpm", "vpm", "next vector of the VPM read FIFO"),
    49: _pair(("vr_busy", "1 while a DMA load runs"), ("vw_busy", "1 while a DMA store runs"), "vpm"),
    50: _pair(("vr_wait", "waits until DMA loads are done"), ("vw_wait", "waits until DMA stores are done"), "vpm"),
    51: _both("mutex", "qps", "waits for the mutex"),
})

WRITE = Port({
    32: _both("r0", "qpu", "accumulator"),
    33: _both("r1", "qpu", "accumulator"),
    34: _both("r2", "qpu", "accumulator"),
    35: _both("r3", "qpu", "accumulator"),
    36: _both("tmu_noswap", "tmu", "keeps QPU 2 and 3 on the TMU that they name"),
    37: _pair(("r5quad", "first element of each quad to its quad"), ("r5rep", "element 0 to all elements"), "qpu"),
    38: _both("irq", "host", "host interrupt, if not zero"),
    NOP: _both("-", "qpu", "nothing"),
    40: _pair(("unif_addr", "address of the uniforms"), ("unif_addr_rel", "moves the address of the uniforms"), "uniforms"),
    41: _pair(("quad_x", "not writable"), ("quad_y", "not writable"), "fep"),
    42: _pair(("ms_mask", "multisample mask"), ("rev_flag", "primitive seen from behind"), "fep"),
    43: _both("stencil", "tlb", "stencil set-up"),
    44: _both("tlbz", "tlb", "depth"),
    45: _both("tlbm", "tlb", "colour of one sample"),
    46: _both("tlbc", "tlb", "colour of all samples"),
    47: _both("tlbam", "tlb", "alpha mask"),
    48: _both("vpm", "vpm", "vector to the VPM"),
    49: _pair(("vr_setup", "set-up of VPM reads and DMA loads"), ("vw_setup", "set-up of VPM writes and DMA stores"), "vpm"),
    50: _pair(("vr_addr", "memory address, starts a DMA load"), ("vw_addr", "memory address, starts a DMA store"), "vpm"),
    51: _both("mutex", "qps", "frees the mutex"),
    52: _both("recip", "sfu", "reciprocal"),
    53: _both("recipsqrt", "sfu", "reciprocal square root"),
    54: _both("exp", "sfu", "2 to the power"),
    55: _both("log", "sfu", "logarithm to base 2"),
    56: _both("t0s", "tmu", "s of TMU 0, starts the lookup"),
    57: _both("t0t", "tmu", "t of TMU 0"),
    58: _both("t0r", "tmu", "r of TMU 0"),
    59: _both("t0b", "tmu", "bias of TMU 0"),
    60: _both("t1s", "tmu", "s of TMU 1, starts the lookup"),
    61: _both("t1t", "tmu", "t of TMU 1"),
    62: _both("t1r", "tmu", "r of TMU 1"),
    63: _both("t1b", "tmu", "bias of TMU 1"),
})
# fmt: on


def _address(port: Port, name: str) -> int:
    for address, registers in port.items():
        if name in (registers[0].name, registers[1].name):
            return address
    raise KeyError(name)


def read_address(name: str) -> int:
    """The address that reads the I/O register `name`; `KeyError` if there is none."""
    return _address(READ, name)


def write_address(name: str) -> int:
    """The address that writes the accumulator or I/O register `name`; `KeyError` if there is none."""
    return _address(WRITE, name)
