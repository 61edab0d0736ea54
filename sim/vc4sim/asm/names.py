"""The words of the dialect, made from the instruction set tables (QPU facts, 10.1 to 10.3)."""

from dataclasses import dataclass
from typing import NamedTuple

from vc4.isa import registers
from vc4.isa.ops import AddOp, BranchCondition, Condition, MulOp, Pack, Signal, Unpack

from .values import Bank, Register

__all__ = [
    "BRANCH_CONDITIONS",
    "CONDITIONS",
    "OPERATIONS",
    "PACKS",
    "PACK_TEXT",
    "REGISTERS",
    "SET_FLAGS",
    "SIGNALS",
    "UNPACKS",
    "UNPACK_PREFIX",
    "UNPACK_TEXT",
    "Choice",
    "PackName",
    "UnpackName",
]

#: Names of one register, the one of the instruction set tables first.
_ALIASES = (
    ("unif", "uniform_read"),
    ("vary", "varying_read"),
    ("elem_num", "element_number"),
    ("qpu_num", "qpu_number"),
    ("nop", "-"),
    ("x_coord", "x_pixel_coord", "quad_x"),
    ("y_coord", "y_pixel_coord", "quad_y"),
    ("ms_mask", "ms_flags"),
    ("stencil", "tlb_stencil"),
    ("tlbz", "tlb_z"),
    ("tlbm", "tlb_colour_ms", "tlb_color_ms"),
    ("tlbc", "tlb_colour_all", "tlb_color_all"),
    ("tlbam", "tlb_alpha_mask"),
    ("vpm", "vpm_read", "vpm_write"),
    ("vr_setup", "vpmvcd_rd_setup"),
    ("vw_setup", "vpmvcd_wr_setup"),
    ("vr_addr", "vpm_ld_addr"),
    ("vw_addr", "vpm_st_addr"),
    ("vr_busy", "vpm_ld_busy"),
    ("vw_busy", "vpm_st_busy"),
    ("vr_wait", "vpm_ld_wait"),
    ("vw_wait", "vpm_st_wait"),
    ("mutex", "mutex_acq", "mutex_acquire", "mutex_rel", "mutex_release"),
    ("recip", "sfu_recip"),
    ("recipsqrt", "sfu_recipsqrt"),
    ("exp", "sfu_exp"),
    ("log", "sfu_log"),
    ("tmu_noswap", "tmurs"),
    ("irq", "interrupt", "host_int"),
    *((f"t{unit}{letter}", f"tmu{unit}_{letter}") for unit in "01" for letter in "strb"),
)


def _numbered() -> dict[str, Register]:
    found = {f"r{n}": Register(Bank.ACCUMULATOR, n, (), (0, 1) if n < 4 else ()) for n in range(6)}
    for file, bank in enumerate((Bank.FILE_A, Bank.FILE_B)):
        found |= {f"r{'ab'[file]}{n}": Register(bank, n, (file,), (file,)) for n in range(64)}
    for name, bank in (("sacq", Bank.ACQUIRE), ("srel", Bank.RELEASE)):
        found |= {f"{name}{n}": Register(bank, n) for n in range(16)}
    return found


_NUMBERED = _numbered()


def _io_files(port: registers.Port) -> dict[tuple[str, int], tuple[int, ...]]:
    """The files in which each named I/O address of `port` lies; the accumulators are none."""
    files: dict[tuple[str, int], tuple[int, ...]] = {}
    for address, pair in port.items():
        for file, register in enumerate(pair):
            if register.name not in _NUMBERED:
                files[register.name, address] = (*files.get((register.name, address), ()), file)
    return files


def _io_registers() -> dict[str, Register]:
    reads, writes = _io_files(registers.READ), _io_files(registers.WRITE)
    groups = {name: group for group in _ALIASES for name in group}
    found = {}
    for first, address in reads | writes:
        group = groups.get(first, (first,))
        files = [[table[name, address] for name in group if (name, address) in table] for table in (reads, writes)]
        register = Register(Bank.IO, address, *(part[0] if part else () for part in files))
        found |= dict.fromkeys(group, register)
    return found


#: Every register by every name; `-` is the one that is not there.
REGISTERS = _io_registers() | _NUMBERED


class Choice(NamedTuple):
    """What a mnemonic may become on each ALU; `None` if the ALU cannot do it. `mul_first`: the preferred one of two."""

    add: AddOp | None
    mul: MulOp | None
    mul_first: bool = False


def _operations() -> dict[str, Choice]:
    add = {op.name.lower(): op for op in AddOp if "RESERVED" not in op.name}
    mul = {op.name.lower(): op for op in MulOp}
    found = {}
    for name in add | mul:
        found[name] = Choice(add.get(name), mul.get(name), mul_first=name.startswith("v8"))
        if name in add and name in mul:
            found[f"a{name}"] = Choice(add[name], None)
            found[f"m{name}"] = Choice(None, mul[name])
    return found


#: Operations by mnemonic; what both ALUs can do also with the letter of one in front.
OPERATIONS = _operations()

#: Signals by name. The three that select a form of instruction have none.
SIGNALS = {
    name: signal
    for signal, names in {
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
    }.items()
    for name in names.split()
}

SET_FLAGS = frozenset({"setf", "sf"})

_FLAG_NAMES = {
    Condition.ZS: ("z", "zs"),
    Condition.ZC: ("nz", "zc"),
    Condition.NS: ("n", "ns"),
    Condition.NC: ("nn", "nc"),
    Condition.CS: ("c", "cs"),
    Condition.CC: ("cc",),
}

#: Conditions by suffix. Without `if` they stand at destinations only; `nc` is N clear there, as in vc4asm.
CONDITIONS = {
    **{prefix + name: condition for condition, names in _FLAG_NAMES.items() for name in names for prefix in ("if", "")},
    "never": Condition.NEVER,
    "always": Condition.ALWAYS,
}

#: Conditions of branches by suffix; here `nc` is C clear and N clear is `nn`.
BRANCH_CONDITIONS = {
    quantity.lower() + name: BranchCondition[f"{quantity}_{state}"]
    for quantity in ("ALL", "ANY")
    for state, names in {
        "ZS": ("z", "zs"),
        "ZC": ("nz", "zc"),
        "NS": ("n", "ns"),
        "NC": ("nn",),
        "CS": ("c", "cs"),
        "CC": ("nc", "cc"),
    }.items()
    for name in names
}


@dataclass(frozen=True, slots=True)
class PackName:
    """What a pack suffix asks for: the `pack` of file A and the `type`: `i`, `f` or, if the operation decides, none."""

    pack: Pack
    type: str = ""

    @property
    def byte(self) -> bool:
        """Whether this makes bytes, which the mul ALU can do from floats to any destination."""
        return self.pack.value & 7 >= Pack.BYTE_REPLICATED.value

    @property
    def saturates(self) -> bool:
        """Whether this limits the value to the range of the target."""
        return self.pack.value >= Pack.SATURATE.value


@dataclass(frozen=True, slots=True)
class UnpackName:
    """What an unpack suffix asks for: the `unpack` and its type as in `PackName`."""

    unpack: Unpack
    type: str = ""


_PARTS = {Unpack.HALF_A: "16a", Unpack.HALF_B: "16b"} | {
    unpack: f"8{letter}"
    for letter, unpack in zip("abcd", (Unpack.BYTE_A, Unpack.BYTE_B, Unpack.BYTE_C, Unpack.BYTE_D), strict=True)
}


def _packs() -> dict[str, PackName]:
    names = {text: Pack[unpack.name] for unpack, text in _PARTS.items()}
    names |= {"32": Pack.NONE} | dict.fromkeys(("8abcd", "8888", "8ddupe"), Pack.BYTE_REPLICATED)
    found = {}
    for text, pack in names.items():
        limited = Pack(pack.value | Pack.SATURATE.value)
        found |= {text + suffix: PackName(limited) for suffix in ("s", "clamp")} | {text: PackName(pack)}
        found |= {f"{text}si": PackName(limited, "i"), f"{text}i": PackName(pack, "i")}
        if text.startswith("8"):
            found[f"{text}sf"] = PackName(limited, "f")
        elif text.startswith("16"):
            found |= {f"{text}f": PackName(pack, "f"), f"{text}sf": PackName(limited, "f")}
    return found


#: What comes before an unpack after a mnemonic, and may come there after a source.
UNPACK_PREFIX = "unpack"


def _unpacks() -> dict[str, UnpackName]:
    # A saturating suffix may come from a register that was given a name with it; reading does not care.
    names = {text + limit: unpack for unpack, text in _PARTS.items() for limit in ("", "s")}
    names |= dict.fromkeys(("8dr", "8ddupe"), Unpack.BYTE_D_REPLICATED)
    found = {text + kind: UnpackName(unpack, kind) for text, unpack in names.items() for kind in ("", "i", "f")}
    found["32"] = UnpackName(Unpack.NONE)
    return found | {f"{UNPACK_PREFIX}{text}": name for text, name in found.items()}


#: Packs by suffix of a destination.
PACKS = _packs()
#: Unpacks by suffix of a source.
UNPACKS = _unpacks()

#: The first name of each, without type, for the disassembler.
PACK_TEXT = {name.pack: text for text, name in reversed(PACKS.items()) if not name.type}
UNPACK_TEXT = {name.unpack: text for text, name in reversed(UNPACKS.items()) if not name.type}
