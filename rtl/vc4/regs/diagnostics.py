"""Error and diagnostic registers (guide, tables 87 to 92).

Of most fields the guide has no more than the name. What such a bit tells here is a choice (docs/reference/choices.md); fields that
are `CONSTANT` tell of what cannot happen here.
"""

from .register import Access, Field, Register

__all__ = ["DIAGNOSTICS", "FRONT_END_DEBUG", "live_fields"]

_LIVE, _NEVER = Access.READ_ONLY, Access.CONSTANT


def _field(bit: int, name: str, what: str, access: Access = _LIVE, width: int = 1) -> Field:
    return Field(name, bit, width, access, what)


def _never(bit: int, name: str, why: str) -> Field:
    """A bit of what cannot happen."""
    return _field(bit, name, f"0: {why}", _NEVER)


def _overrun(bit: int, name: str) -> Field:
    return _never(bit, name, "a stream waits until there is room")


_OVERRUNS = (
    _field(1, "WCOEFF_FIFO_FULL", "quads still need the plane of 1/W that is there; no error"),
    _field(2, "XYRELZ_FIFO_FULL", "a quad is kept between rasteriser and Z; no error"),
    _overrun(3, "QBFR_FIFO_ORUN"),
    _overrun(4, "QBSZ_FIFO_ORUN"),
    _overrun(5, "XYFO_FIFO_ORUN"),
    _overrun(6, "FIXZ_ORUN"),
    _overrun(7, "XYRELO_FIFO_ORUN"),
    _overrun(10, "XYRELW_FIFO_ORUN"),
    _field(11, "ZCOEFF_FIFO_FULL", "a plane of Z waits for the first quad of its primitive; no error"),
    _overrun(12, "REFXY_FIFO_ORUN"),
    _overrun(13, "DEPTHO_FIFO_ORUN"),
    _overrun(14, "DEPTHO_ORUN"),
    _never(15, "EZVAL_FIFO_ORUN", "a Z that early Z has no use for is meant to be lost"),
    _overrun(17, "EZREQ_FIFO_ORUN"),
)

_INTERFACES = (
    _field(0, "EDGES_STALL", "a primitive from the set-up is not taken"),
    _field(1, "EDGES_READY", "a primitive from the set-up would be taken"),
    _field(2, "EDGES_ISCTRL", "what the lists have next for the front end is no primitive, but a record"),
    _field(
        3,
        "EDGES_CTRLID",
        "what that is: 0 nothing or state, 1 shader record, 2 primitive, 3 for the tile buffer",
        width=3,
    ),
    _field(6, "ZRWPE_STALL", "a plane of 1/W or of a varying is not taken"),
    _field(7, "ZRWPE_READY", "a plane of 1/W or of a varying would be taken"),
    _field(23, "EZ_DATA_READY", "early Z would take what the tile buffer tells of Z"),
    _field(25, "EZ_XY_READY", "early Z would look for the bound of a quad"),
    _field(26, "RAST_BUSY", "the rasteriser has a primitive"),
    _field(27, "QXYF_FIFO_OP_READY", "the quad next in order would go on to vectors or coverage"),
    _field(28, "XYFO_FIFO_OP_READY", "the scoreboard would take the place of a quad"),
)

_READY = (
    _field(0, "QXYF_FIFO_READY", "a quad would be taken to be matched with the open vector"),
    _field(1, "EZREQ_FIFO_READY", "early Z would take a quad"),
    _field(2, "EZVAL_FIFO_READY", "what the tile buffer tells of Z counts: nothing under way may move Z away"),
    _field(3, "DEPTHO_FIFO_READY", "a quad with Z would be taken"),
    _field(4, "REFXY_FIFO_READY", "there is room for a primitive's reference vertex and the records around it"),
    _field(5, "ZCOEFF_FIFO_READY", "there is room for a plane of Z"),
    _field(6, "XYRELW_FIFO_READY", "the search for W would take a quad"),
    _field(7, "WCOEFF_FIFO_READY", "a new plane of 1/W would be kept"),
    _field(11, "XYRELO_FIFO_READY", "there is room for a vector that waits for a QPU"),
    _field(13, "ZO_FIFO_READY", "there is room for a quad with Z that waits for a QPU"),
    _field(14, "XYFO_FIFO_READY", "there is room for the quads of a vector on their way to the scoreboard"),
    _field(16, "RAST_READY", "the rasteriser would take a primitive"),
    _field(17, "RAST_LAST", "the rasteriser offers the last quad of a primitive"),
    _field(18, "DEPTHO_READY", "there is room for a quad with Z at the output"),
    _field(19, "EZLIM_READY", "pixels would be compared with the planes that clip"),
    _field(20, "XYNRM_READY", "the place of a quad from the first one on would be found"),
    _field(21, "XYNRM_LAST", "the quad whose place was found is the last one of its primitive"),
    _field(22, "XYRELZ_FIFO_READY", "a quad of the rasteriser would be taken"),
    _field(23, "XYRELZ_FIFO_LAST", "the quad next to get Z is the last one of its primitive"),
    _field(24, "INTERPZ_READY", "the gain of Z at a quad would be found"),
    _field(27, "INTERPRW_READY", "1/W of a quad would be found"),
    _field(28, "RECIPW_READY", "its reciprocal would be found"),
    _field(30, "FIXZ_READY", "Z of pixels would be added up and cut to 24 bits"),
)

_STALLS = (
    _field(0, "EZTEST_IP_QSTALL", "early Z does not take the quad on offer"),
    _field(1, "EZTEST_IP_PRSTALL", "a quad waits until its primitive is next in order"),
    _never(2, "EZTEST_IP_VLFSTALL", "a quad does not wait for what the tile buffer tells"),
    _field(3, "EZTEST_STALL", "a quad that was tested is not taken"),
    _field(
        4,
        "EZTEST_VLF_OKNOVALID",
        "the quad was tested against what the tile began with: nothing later is known of its place",
    ),
    _field(5, "EZTEST_QREADY", "a quad that was tested would be taken"),
    _field(6, "EZTEST_ANYQF", "the quad that was tested has samples"),
    _field(7, "EZTEST_ANYQVALID", "early Z has a quad"),
    _field(8, "QXYF_FIFO_OP1_VALID", "a quad is there to be matched with the open vector"),
    _field(9, "QXYF_FIFO_OP1_LAST", "this quad is the last one of its primitive"),
    _field(10, "QXYF_FIFO_OP1_DUMMY", "this quad has no sample, and only ends its primitive"),
    _field(11, "QXYF_FIFO_OP_LAST", "the quad next in order is the last one of its primitive"),
    _field(12, "QXYF_FIFO_OP_VALID", "a quad is next in order"),
    _field(13, "EZREQ_FIFO_OP_VALID", "the bound of a quad was looked for in the last clock that moved"),
    _field(14, "XYNRM_IP_STALL", "a quad without Z is not taken"),
    _field(15, "EZLIM_IP_STALL", "pixels wait to be compared with the planes that clip"),
    _field(16, "DEPTHO_FIFO_IP_STALL", "a quad with Z is not taken"),
    _field(17, "INTERPZ_IP_STALL", "a quad waits for its gain of Z"),
    _field(18, "XYRELZ_FIFO_IP_STALL", "a quad of the rasteriser is not taken"),
    _field(22, "INTERPW_IP_STALL", "a quad waits for the search for W"),
    _never(25, "RECIPW_IP_STALL", "a reciprocal begins in the clock in which 1/W is there"),
    _field(28, "ZO_FIFO_IP_STALL", "a quad waits for room among those that wait for a QPU"),
)

#: Of the front end.
FRONT_END_DEBUG = (
    Register("FDBGO", 0xF04, "overruns of the FEP; a FIFO that is full is no error", _OVERRUNS),
    Register("FDBGB", 0xF08, "interfaces of the FEP: ready, stalled, busy", _INTERFACES),
    Register("FDBGR", 0xF0C, "inside the FEP: ready", _READY),
    Register("FDBGS", 0xF10, "inside the FEP: stalled", _STALLS),
)

_SET_UP_ERRORS = (
    _field(1, "VR1_A", "a vertex that clipping has made is not in memory; its primitive waits for ever"),
    _never(2, "VR1_B", "a vertex that was shaded is always in the VPM"),
    *(_never(16 + n, f"MULIP{n}", "the multiplier takes its operands from one program of steps") for n in range(3)),
    _never(19, "IPD2_VALID", "a quotient comes with the place where it belongs"),
    _never(20, "IPD2_FPDUSED", "one divider does all divisions, in their order"),
)

_ERRORS = (
    _field(0, "VPAEABB", "VPM allocator: the base was allocated while busy"),
    _field(1, "VPAERGS", "VPM allocator: a batch needs more rows than there are after those of programs"),
    _field(2, "VPAEBRGL", "VPM allocator: a batch of the binner needs more rows than its limit"),
    _field(3, "VPAERRGL", "VPM allocator: a batch of the renderer needs more rows than its limit"),
    _field(4, "VPMEWR", "VPM: a write out of range"),
    _field(5, "VPMERR", "VPM: a read out of range"),
    _field(6, "VPMERNA", "VPM: a read of what is not allocated"),
    _field(7, "VPMEWNA", "VPM: a write of what is not allocated"),
    _never(8, "VPMEFNA", "a batch gives back what it got, once"),
    _never(9, "VPMEAS", "a batch gets as many rows as it gives back"),
    _field(10, "VDWE", "VDW: the address overflows"),
    _field(11, "VCDE", "VCD: FIFO pointers out of step"),
    _field(12, "VCDI", "VCD: idle"),
    _field(13, "VCMRE", "VCM: the renderer's vertices or their shader record are not to be had; it waits for ever"),
    _field(14, "VCMBE", "VCM: the same of the binner"),
    _never(15, "L2CARE", "words of memory wait until the cache takes them"),
)

DIAGNOSTICS = (
    Register("DBGE", 0xF00, "errors of the PSE", _SET_UP_ERRORS),
    *FRONT_END_DEBUG,
    Register("ERRSTAT", 0xF20, "errors of VPM, VDW, VCD, VCM and L2C", _ERRORS),
)


def live_fields(register: Register) -> tuple[Field, ...]:
    """Those that hardware drives."""
    return tuple(field for field in register.fields if field.access is _LIVE)
