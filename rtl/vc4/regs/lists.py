"""The control list executor, the pipelines, and the binner's memory (guide, tables 49 to 61 and 93)."""

from .register import WORD_BITS, Access, Field, Register

__all__ = ["BINNER", "LISTS"]

_THREADS = 2
_READ_ONLY = Access.READ_ONLY


def _word(name: str, access: Access, description: str) -> tuple[Field, ...]:
    """One field, as wide as the register."""
    return (Field(name, 0, WORD_BITS, access, description),)


def _status(thread: int) -> tuple[Field, ...]:
    mode = Field("CTMODE", 0, 1, _READ_ONLY, "binning: 1 in front of the tile lists, 0 once they have begun")
    return (
        *((mode,) if thread == 0 else ()),
        Field("CTERR", 3, 1, _READ_ONLY, "has stopped with an error, and not run since"),
        Field("CTSUBS", 4, 1, Access.WRITE_1_CLEARS, "stopped: 0 at the end, 1 by a halt; running: 1 waits; 1: go on"),
        Field("CTRUN", 5, 1, Access.WRITE_1_CLEARS, "runs; 1: stop, as by a halt"),
        Field("CTRTSD", 8, 2, _READ_ONLY, "levels of lists on the return stack"),
        Field("CTSEMA", 12, 3, _READ_ONLY, "semaphore of the thread"),
        Field("CTRSTA", 15, 1, Access.STROBE, "stop the thread and reset this register"),
    )


def _thread(number: int) -> tuple[Register, ...]:
    """Thread 0 bins, thread 1 renders. The threads take turns in the map."""
    rows = (
        ("CT{}CS", "control and status", _status(number)),
        (
            "CT{}EA",
            "end of the list",
            _word("CTLEA", Access.LOAD, "address after the list; a write starts the thread"),
        ),
        ("CT{}CA", "place in the list", _word("CTLCA", Access.LOAD, "address of the record; written while stopped")),
        ("CT0{}RA0", "return address", _word("CTLRA", _READ_ONLY, "address on the return stack")),
        (
            "CT{}LC",
            "counts of lists",
            (
                Field("CTLSLCS", 0, 16, Access.COUNT, "returns that have been met"),
                Field("CTLLCM", 16, 16, Access.COUNT, "flushes that have been met"),
            ),
        ),
        ("CT{}PC", "count of primitives", _word("CTLPC", _READ_ONLY, "primitives that a primitive list has left")),
    )
    return tuple(
        Register(name.format(number), 0x100 + 8 * row + 4 * number, f"control list thread {number}: {what}", fields)
        for row, (name, what, fields) in enumerate(rows)
    )


LISTS = (
    *(register for number in range(_THREADS) for register in _thread(number)),
    Register(
        "PCS",
        0x130,
        "control and status of the pipelines",
        (
            Field("BMACTIVE", 0, 1, _READ_ONLY, "the binning pipeline is in use"),
            Field("BMBUSY", 1, 1, _READ_ONLY, "binning gets on"),
            Field("RMACTIVE", 2, 1, _READ_ONLY, "the rendering pipeline is in use"),
            Field("RMBUSY", 3, 1, _READ_ONLY, "rendering gets on"),
            Field("BMRST", 4, 1, Access.STROBE, "reset the binner; named in the guide's text only"),
            Field("RMRST", 5, 1, Access.STROBE, "reset the renderer; only known to be writable"),
            Field("BMOOM", 8, 1, _READ_ONLY, "the binner is out of memory, until BPOS is written"),
        ),
    ),
    Register(
        "BFC",
        0x134,
        "count of flushes",
        (Field("BMFCT", 0, 8, Access.COUNT, "times that all tile lists were flushed to memory"),),
    ),
    Register(
        "RFC",
        0x138,
        "count of frames",
        (Field("RMFCT", 0, 8, Access.COUNT, "frames whose last tile is in memory"),),
    ),
)

BINNER = (
    Register(
        "BPCA",
        0x300,
        "binning memory: where the next allocation comes from",
        _word("BMPCA", _READ_ONLY, "address"),
    ),
    Register("BPCS", 0x304, "binning memory: what is left", _word("BMPRS", _READ_ONLY, "bytes")),
    Register("BPOA", 0x308, "overspill memory: where it is", _word("BMPOA", Access.READ_WRITE, "address")),
    Register(
        "BPOS",
        0x30C,
        "overspill memory: its size",
        _word("BMPOS", Access.LOAD, "bytes; 0 once the binner has taken the memory"),
    ),
    Register(
        "BXCF",
        0x310,
        "debugging of the binner",
        (
            Field("FWDDISA", 0, 1, Access.READ_WRITE, "no forwarding in the state cache"),
            Field("CLIPDISA", 1, 1, Access.READ_WRITE, "no clipping"),
        ),
    ),
)
