"""What the host says about the division of the VPM between programs, binning and rendering."""

from amaranth.hdl import Cat, Const, Mux, unsigned
from amaranth.lib import data

__all__ = ["MOST_ALLOCATIONS", "RESERVATION_ROWS", "VpmAllocation", "allocation"]

#: Rows of a unit of VPMBASE.
RESERVATION_ROWS = 4
#: Rows of a unit of the limits in VPACNTL: 6 * 256 bytes.
_LIMIT_ROWS = 24
_MOST_LIMIT = 8 * _LIMIT_ROWS
#: Allocations at the longest time-out.
MOST_ALLOCATIONS = 32


class VpmAllocation(data.Struct):
    """VPMBASE and VPACNTL, in rows and allocations (guide, tables 69 and 70): for whoever allocates rows to vertices."""

    user_rows: range(32 * RESERVATION_ROWS)  # from row 0 on, for user programs
    limited: unsigned(1)  # the next two count
    rendering_rows: range(_MOST_LIMIT + 1)  # rows that rendering may have at the most
    binning_rows: range(_MOST_LIMIT + 1)
    timed: unsigned(1)  # the next two count
    rendering_waits: range(MOST_ALLOCATIONS + 1)  # allocations that binning gets at the most while rendering waits
    binning_waits: range(MOST_ALLOCATIONS + 1)


def allocation(base, control) -> dict:
    """The fields of a `VpmAllocation`, from the fields of the registers VPMBASE and VPACNTL."""
    return {
        "user_rows": base.VPMURSV * RESERVATION_ROWS,
        "limited": control.VPALIMEN,
        "rendering_rows": (control.VPARALIM + 1) * _LIMIT_ROWS,
        "binning_rows": (control.VPABALIM + 1) * _LIMIT_ROWS,
        "timed": control.VPATOEN,
        "rendering_waits": _allocations(control.VPARATO),
        "binning_waits": _allocations(control.VPABATO),
    }


def _allocations(code):
    """2n + 2, from n = 5 on 8n - 24."""
    return Mux(code >= 5, Cat(Const(0, 3), code - 3), (code + 1) << 1)
