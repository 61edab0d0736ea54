"""QPU scheduler and VPM (guide, tables 62 to 70)."""

from .register import WORD_BITS, Access, Field, Register, each_qpu

__all__ = ["KINDS", "REQUESTS", "SCHEDULER", "UNLIMITED_UNIFORMS", "VPM"]

#: Kinds of programs, in the order of the bits of a reservation (guide, V3D_SQRSV0).
KINDS = ("user", "fragment", "vertex", "coordinate")

#: User programs that wait at the most (guide, V3D_SRQPC).
REQUESTS = 16

#: A length of a stream of uniforms from this on is none; nor is 0 (pipeline facts, 7.7).
UNLIMITED_UNIFORMS = 1024

_READ_WRITE = Access.READ_WRITE
_RESERVATION_BITS = len(KINDS)


def _reservations(first: int) -> tuple[Field, ...]:
    """Those of eight QPUs."""
    return tuple(
        Field(
            f"QPURSV{qpu}",
            _RESERVATION_BITS * (qpu - first),
            _RESERVATION_BITS,
            _READ_WRITE,
            f"QPU {qpu} runs no: user programs (1), fragment (2), vertex (4), coordinate shaders (8)",
            bits=lambda config, qpu=qpu: _RESERVATION_BITS if qpu < each_qpu(config) else 0,
        )
        for qpu in range(first, first + 8)
    )


SCHEDULER = (
    Register("SQRSV0", 0x410, "reservation of QPUs 0 to 7", _reservations(0)),
    Register("SQRSV1", 0x414, "reservation of QPUs 8 to 15", _reservations(8)),
    Register(
        "SQCNTL",
        0x418,
        "control of the QPU scheduler",
        (
            Field("VSRBL", 0, 2, _READ_WRITE, "a waiting vertex shader is passed over 2**VSRBL times at the most"),
            Field("CSRBL", 2, 2, _READ_WRITE, "a waiting coordinate shader is passed over 2**CSRBL times at the most"),
        ),
    ),
    Register(
        "SQCSTAT",
        0x41C,
        "status of the QPU scheduler, undocumented",
        (Field("SQCSTAT", 0, WORD_BITS, Access.CONSTANT, "unknown"),),
    ),
    Register(
        "SRQPC",
        0x430,
        "user program: its address",
        (Field("QPURQPC", 0, WORD_BITS, Access.WRITE_ONLY, "address; a write queues the program"),),
    ),
    Register(
        "SRQUA",
        0x434,
        "user program: address of its uniforms",
        (Field("QPURQUA", 0, WORD_BITS, _READ_WRITE, "address, of programs queued from now on; 0: no uniforms"),),
    ),
    Register(
        "SRQUL",
        0x438,
        "user program: length of its uniforms",
        (Field("QPURQUL", 0, 12, _READ_WRITE, "words, of programs queued from now on; above 1023: no limit"),),
    ),
    Register(
        "SRQCS",
        0x43C,
        "user programs: control and status",
        (
            Field("QPURQL", 0, 6, Access.COUNT, "programs in the queue"),
            Field("QPURQERR", 7, 1, Access.WRITE_1_CLEARS, "a program came when the queue was full; no more are taken"),
            Field("QPURQCM", 8, 8, Access.COUNT, "programs that were asked for, with those that were not taken"),
            Field("QPURQCC", 16, 8, Access.COUNT, "programs that have ended"),
        ),
    ),
)

VPM = (
    Register(
        "VPACNTL",
        0x500,
        "allocation of the VPM",
        (
            Field("VPARALIM", 0, 3, _READ_WRITE, "rendering has at most (VPARALIM + 1) * 6 * 256 bytes"),
            Field("VPABALIM", 3, 3, _READ_WRITE, "binning has at most (VPABALIM + 1) * 6 * 256 bytes"),
            Field(
                "VPARATO", 6, 3, _READ_WRITE, "allocations for binning while rendering waits: 2n + 2, from 5 on 8n - 24"
            ),
            Field(
                "VPABATO", 9, 3, _READ_WRITE, "allocations for rendering while binning waits: 2n + 2, from 5 on 8n - 24"
            ),
            Field("VPALIMEN", 12, 1, _READ_WRITE, "VPARALIM and VPABALIM count"),
            Field("VPATOEN", 13, 1, _READ_WRITE, "VPARATO and VPABATO count"),
        ),
    ),
    Register(
        "VPMBASE",
        0x504,
        "the part of the VPM for user programs",
        (Field("VPMURSV", 0, 5, _READ_WRITE, "size in 256 bytes; written while nothing is shaded"),),
    ),
)
