"""Register-file addresses: what each of the 64 names when read and when written (guide, table 14)."""

from dataclasses import dataclass

from .ops import Signal

__all__ = [
    "ACCUMULATOR_BASE",
    "ELEMENTS",
    "ELEMENTWISE_WRITES",
    "FILE_REGISTERS",
    "FRAGMENT_REGISTER",
    "NOP",
    "QUADS",
    "READ",
    "SERVICES",
    "SIGNAL_UNITS",
    "TAKEN_ELEMENTS",
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
#: Where W (file A) and Z (file B) of a fragment are at first.
FRAGMENT_REGISTER = 15


@dataclass(frozen=True, slots=True)
class Register:
    """What one address of one file names.

    `name` is the assembler's name; `doc` says what it does; `unit` is the service that an instruction with this address
    needs, and may have to wait for (`qpu`: none).
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


def _pair(name_a: str, unit_a: str, doc_a: str, name_b: str, unit_b: str, doc_b: str) -> tuple[Register, Register]:
    return Register(name_a, unit_a, doc_a), Register(name_b, unit_b, doc_b)


#: What an instruction may wait for that needs a service.
SERVICES = {
    "uniforms": "the next uniform, or that a new address of uniforms has arrived",
    "varyings": "the next varying; only fragment shaders have any",
    "fragment": "nothing; only fragment shaders have it",
    "tile_buffer": "the scoreboard at the first access, then the tile buffer; only fragment shaders have it",
    "vpm_read": "the next vector that is set up to be read",
    "vpm_write": "room in the queue to the VPM",
    "vdr": "the end of DMA loads, if it is `vr_wait`",
    "vdw": "the end of DMA stores, if it is `vw_wait`",
    "sfu": "a turn at the SFU, which all QPUs of a slice share",
    "tmu": "a slot for the parameter, or the result",
    "mutex": "the mutex, if it is a read",
    "semaphore": "the semaphore",
    "threads": "the other thread",
    "breakpoint": "the host",
}

# fmt: off
READ = Port({
    32: _both("unif", "uniforms", "next uniform, the same in all elements; one an instruction, whichever files read it"),
    35: _both("vary", "varyings", "next varying, to be multiplied with W; r5 receives its C coefficient, to be added then"),
    38: _pair("elem_num", "qpu", "element number, 0 to 15",
              "qpu_num", "qpu", "number of this QPU, the same in all elements"),
    NOP: _both("nop", "qpu", "the last value read on this port in elements 12 to 15, again in every quad"),
    41: _pair("x_coord", "qpu", "pixel column",
              "y_coord", "qpu", "pixel row"),
    42: _pair("ms_mask", "fragment", "multisample mask: flags of the four samples of each pixel",
              "rev_flag", "fragment", "1: primitive seen from behind"),
    48: _both("vpm", "vpm_read", "next vector that `vr_setup` has set up"),
    49: _pair("vr_busy", "vdr", "1 while a DMA load runs, else 0",
              "vw_busy", "vdw", "1 while a DMA store runs, else 0"),
    50: _pair("vr_wait", "vdr", "waits until DMA loads are done",
              "vw_wait", "vdw", "waits until DMA stores are done, and memory has what they store"),
    51: _both("mutex", "mutex", "waits until no other QPU has the mutex, and takes it"),
})

WRITE = Port({
    32: _both("r0", "qpu", "accumulator"),
    33: _both("r1", "qpu", "accumulator"),
    34: _both("r2", "qpu", "accumulator"),
    35: _both("r3", "qpu", "accumulator"),
    36: _both("tmu_noswap", "tmu", "not 0: QPU 2 and 3 of a slice find TMU 0 and 1 under their names, not exchanged"),
    37: _pair("r5quad", "qpu", "r5: the first element of each quad goes to the whole quad",
              "r5rep", "qpu", "r5: element 0 goes to all elements"),
    38: _both("irq", "qpu", "interrupts the host, if an element is not 0"),
    NOP: _both("-", "qpu", "nothing"),
    40: _pair("unif_addr", "uniforms", "address of the next uniform, in bytes",
              "unif_addr_rel", "uniforms", "how many uniforms to skip; -1 shows the last one again"),
    41: _pair("quad_x", "qpu", "not writable",
              "quad_y", "qpu", "not writable"),
    42: _pair("ms_mask", "fragment", "multisample mask: samples of each pixel that are still drawn",
              "rev_flag", "fragment", "bit 0: primitive seen from behind"),
    43: _both("stencil", "tile_buffer", "set-up word of the stencil test"),
    44: _both("tlbz", "tile_buffer", "Z, 24 bits: stencil and depth test; the multisample mask keeps samples that pass"),
    45: _both("tlbm", "tile_buffer", "colour of the next sample of each pixel"),
    46: _both("tlbc", "tile_buffer", "colour of all samples in the multisample mask"),
    47: _both("tlbam", "tile_buffer", "alpha mask, its low byte"),
    48: _both("vpm", "vpm_write", "vector to the VPM, where `vw_setup` says"),
    49: _pair("vr_setup", "vpm_write", "set-up word of VPM reads or DMA loads",
              "vw_setup", "vpm_write", "set-up word of VPM writes or DMA stores"),
    50: _pair("vr_addr", "vpm_write", "byte address in memory; starts the DMA load that is set up",
              "vw_addr", "vpm_write", "byte address in memory; starts the DMA store that is set up"),
    51: _both("mutex", "mutex", "frees the mutex, whatever is written"),
    52: _both("recip", "sfu", "1/x; r4 receives it for the third instruction from here"),
    53: _both("recipsqrt", "sfu", "1/sqrt(x), of the magnitude; r4 receives it for the third instruction from here"),
    54: _both("exp", "sfu", "2 to the power x; r4 receives it for the third instruction from here"),
    55: _both("log", "sfu", "logarithm of x to base 2, of the magnitude; r4 receives it for the third instruction from here"),
    56: _both("t0s", "tmu", "s of TMU 0, starts a lookup; without t, r and b before, it is an address: a word of memory for each element"),
    57: _both("t0t", "tmu", "t of TMU 0"),
    58: _both("t0r", "tmu", "r of TMU 0: of a cube, or the border colour"),
    59: _both("t0b", "tmu", "bias of the level of detail of TMU 0"),
    60: _both("t1s", "tmu", "s of TMU 1, starts a lookup; without t, r and b before, it is an address: a word of memory for each element"),
    61: _both("t1t", "tmu", "t of TMU 1"),
    62: _both("t1r", "tmu", "r of TMU 1: of a cube, or the border colour"),
    63: _both("t1b", "tmu", "bias of the level of detail of TMU 1"),
})

#: The service that a signal needs. The scoreboard's signals need none: nothing but a fragment shader holds it.
SIGNAL_UNITS = {
    Signal.BREAKPOINT: "breakpoint",
    Signal.THREAD_SWITCH: "threads",
    Signal.LAST_THREAD_SWITCH: "threads",
    Signal.LOAD_COVERAGE: "tile_buffer",
    Signal.LOAD_COLOUR: "tile_buffer",
    Signal.LOAD_COLOUR_END: "tile_buffer",
    Signal.LOAD_TMU0: "tmu",
    Signal.LOAD_TMU1: "tmu",
    Signal.LOAD_ALPHA_MASK: "tile_buffer",
}
# fmt: on


def _address(port: Port, name: str) -> int:
    for address, registers in port.items():
        if name in (registers[0].name, registers[1].name):
            return address
    raise KeyError(name)


#: Write addresses whose elements are written where the condition holds. Every other register takes the whole vector
#: unless the condition is never (addendum, "no conditional write to peripheral registers").
ELEMENTWISE_WRITES = frozenset({*range(ACCUMULATOR_BASE + 4), *(_address(WRITE, name) for name in ("r5quad", "irq"))})

#: What registers take of a vector that is written to them, one bit an element; those that are not here take all (guide,
#: table 14; addendum).
TAKEN_ELEMENTS = {
    **dict.fromkeys(("unif_addr", "unif_addr_rel", "tmu_noswap", "r5rep"), 0x0001),
    **dict.fromkeys(("vr_setup", "vw_setup", "vr_addr", "vw_addr"), 0x0001),
    "r5quad": 0x1111,
    "mutex": 0x0000,
}


def read_address(name: str) -> int:
    """The address that reads the I/O register `name`; `KeyError` if there is none."""
    return _address(READ, name)


def write_address(name: str) -> int:
    """The address that writes the accumulator or I/O register `name`; `KeyError` if there is none."""
    return _address(WRITE, name)
