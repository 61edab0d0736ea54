"""What the chip does not have: errors of the bus, and memory windows. The names begin with X."""

from .register import WORD_BITS, Access, Field, Register

__all__ = ["BUS_ERRORS", "BUS_ERROR_CAUSES", "EXTENSION", "PAGE_BITS", "WINDOWS"]

#: How many memory windows there are.
WINDOWS = 2

#: Windows begin and end at multiples of 2**PAGE_BITS bytes: no request crosses one, so that it is inside or outside as a whole.
PAGE_BITS = 12

#: Names and meanings. Who made a request, its block knows: DMA has its errors in ERRSTAT, and for lookups the chip has no place.
BUS_ERROR_CAUSES = (
    ("RESPONSE", "memory has answered with an error"),
    ("WINDOW", "an access was outside of the memory windows"),
    ("LOOKUP", "a texture unit has looked up what is outside of memory"),
)


def _causes(prefix: str, access: Access, doing: str) -> tuple[Field, ...]:
    return tuple(
        Field(f"{prefix}_{name}", bit, 1, access, f"{doing}{what}") for bit, (name, what) in enumerate(BUS_ERROR_CAUSES)
    )


def _window(number: int) -> tuple[Register, ...]:
    base = 0xFD0 + 8 * number
    rows = (
        (f"XWIN{number}BASE", "BASE", "first byte", "address of the first byte, a multiple of 4 KiB"),
        (f"XWIN{number}SIZE", "SIZE", "size", "bytes, a multiple of 4 KiB; 0: the window is closed"),
    )
    return tuple(
        Register(
            name,
            base + 4 * row,
            f"memory window {number}: {what}",
            (Field(field, PAGE_BITS, WORD_BITS - PAGE_BITS, Access.READ_WRITE, description),),
            extension=True,
            exists=lambda config: config.memory_windows,
        )
        for row, (name, field, what, description) in enumerate(rows)
    )


BUS_ERRORS = (
    Register(
        "XBUSERR",
        0xFC0,
        "errors of the bus: which have come",
        _causes("ERR", Access.WRITE_1_CLEARS, ""),
        extension=True,
    ),
    Register(
        "XBUSENA",
        0xFC4,
        "errors of the bus: which interrupt the host",
        _causes("EI", Access.READ_WRITE, "interrupts: "),
        extension=True,
    ),
    Register(
        "XBUSADR",
        0xFC8,
        "errors of the bus: where",
        (
            Field(
                "ADDRESS",
                0,
                WORD_BITS,
                Access.READ_ONLY,
                "of the first request that failed since ERR_RESPONSE and ERR_WINDOW were 0",
            ),
        ),
        extension=True,
    ),
)

EXTENSION = (*BUS_ERRORS, *(register for number in range(WINDOWS) for register in _window(number)))
