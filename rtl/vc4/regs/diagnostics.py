"""Error and diagnostic registers (guide, tables 87 to 92)."""

from .register import Access, Field, Register

__all__ = ["DIAGNOSTICS"]


def _bits(names: dict[int, str]) -> tuple[Field, ...]:
    """Bits of which the guide says no more than their name."""
    return tuple(
        Field(name, bit, 1, Access.READ_ONLY, name.lower().replace("_", " ")) for bit, name in sorted(names.items())
    )


def _errors(first: int, *rows: tuple[str, str]) -> tuple[Field, ...]:
    """Bits one above the other."""
    return tuple(Field(name, bit, 1, Access.READ_ONLY, what) for bit, (name, what) in enumerate(rows, first))


# fmt: off
_OVERRUNS = {
    1: "WCOEFF_FIFO_FULL", 2: "XYRELZ_FIFO_FULL", 3: "QBFR_FIFO_ORUN", 4: "QBSZ_FIFO_ORUN", 5: "XYFO_FIFO_ORUN",
    6: "FIXZ_ORUN", 7: "XYRELO_FIFO_ORUN", 10: "XYRELW_FIFO_ORUN", 11: "ZCOEFF_FIFO_FULL", 12: "REFXY_FIFO_ORUN",
    13: "DEPTHO_FIFO_ORUN", 14: "DEPTHO_ORUN", 15: "EZVAL_FIFO_ORUN", 17: "EZREQ_FIFO_ORUN",
}
_READY = {
    0: "QXYF_FIFO_READY", 1: "EZREQ_FIFO_READY", 2: "EZVAL_FIFO_READY", 3: "DEPTHO_FIFO_READY", 4: "REFXY_FIFO_READY",
    5: "ZCOEFF_FIFO_READY", 6: "XYRELW_FIFO_READY", 7: "WCOEFF_FIFO_READY", 11: "XYRELO_FIFO_READY",
    13: "ZO_FIFO_READY", 14: "XYFO_FIFO_READY", 16: "RAST_READY", 17: "RAST_LAST", 18: "DEPTHO_READY",
    19: "EZLIM_READY", 20: "XYNRM_READY", 21: "XYNRM_LAST", 22: "XYRELZ_FIFO_READY", 23: "XYRELZ_FIFO_LAST",
    24: "INTERPZ_READY", 27: "INTERPRW_READY", 28: "RECIPW_READY", 30: "FIXZ_READY",
}
_STALLS = {
    0: "EZTEST_IP_QSTALL", 1: "EZTEST_IP_PRSTALL", 2: "EZTEST_IP_VLFSTALL", 3: "EZTEST_STALL",
    4: "EZTEST_VLF_OKNOVALID", 5: "EZTEST_QREADY", 6: "EZTEST_ANYQF", 7: "EZTEST_ANYQVALID",
    8: "QXYF_FIFO_OP1_VALID", 9: "QXYF_FIFO_OP1_LAST", 10: "QXYF_FIFO_OP1_DUMMY", 11: "QXYF_FIFO_OP_LAST",
    12: "QXYF_FIFO_OP_VALID", 13: "EZREQ_FIFO_OP_VALID", 14: "XYNRM_IP_STALL", 15: "EZLIM_IP_STALL",
    16: "DEPTHO_FIFO_IP_STALL", 17: "INTERPZ_IP_STALL", 18: "XYRELZ_FIFO_IP_STALL", 22: "INTERPW_IP_STALL",
    25: "RECIPW_IP_STALL", 28: "ZO_FIFO_IP_STALL",
}
# fmt: on

DIAGNOSTICS = (
    Register(
        "DBGE",
        0xF00,
        "errors of the PSE",
        (
            *_errors(1, ("VR1_A", "error a of reading the VPM"), ("VR1_B", "error b of reading the VPM")),
            *_bits({16: "MULIP0", 17: "MULIP1", 18: "MULIP2", 19: "IPD2_VALID", 20: "IPD2_FPDUSED"}),
        ),
    ),
    Register("FDBGO", 0xF04, "overruns of the FEP; a FIFO that is full is no error", _bits(_OVERRUNS)),
    Register(
        "FDBGB",
        0xF08,
        "interfaces of the FEP: ready, stalled, busy",
        (
            *_bits({0: "EDGES_STALL", 1: "EDGES_READY", 2: "EDGES_ISCTRL"}),
            Field("EDGES_CTRLID", 3, 3, Access.READ_ONLY, "edges ctrlid"),
            *_bits({6: "ZRWPE_STALL", 7: "ZRWPE_READY", 23: "EZ_DATA_READY", 25: "EZ_XY_READY", 26: "RAST_BUSY"}),
            *_bits({27: "QXYF_FIFO_OP_READY", 28: "XYFO_FIFO_OP_READY"}),
        ),
    ),
    Register("FDBGR", 0xF0C, "inside the FEP: ready", _bits(_READY)),
    Register("FDBGS", 0xF10, "inside the FEP: stalled", _bits(_STALLS)),
    Register(
        "ERRSTAT",
        0xF20,
        "errors of VPM, VDW, VCD, VCM and L2C",
        _errors(
            0,
            ("VPAEABB", "VPM allocator: the base was allocated while busy"),
            ("VPAERGS", "VPM allocator: a request is too big"),
            ("VPAEBRGL", "VPM allocator: a request of the binner is above the limit"),
            ("VPAERRGL", "VPM allocator: a request of the renderer is above the limit"),
            ("VPMEWR", "VPM: a write out of range"),
            ("VPMERR", "VPM: a read out of range"),
            ("VPMERNA", "VPM: a read of what is not allocated"),
            ("VPMEWNA", "VPM: a write of what is not allocated"),
            ("VPMEFNA", "VPM: what is not allocated was freed"),
            ("VPMEAS", "VPM: wrong allocated size"),
            ("VDWE", "VDW: the address overflows"),
            ("VCDE", "VCD: FIFO pointers out of step"),
            ("VCDI", "VCD: idle"),
            ("VCMRE", "VCM: error of the renderer"),
            ("VCMBE", "VCM: error of the binner"),
            ("L2CARE", "L2C: overrun of the FIFO of read data"),
        ),
    ),
)
