"""Timing that programs see, in instructions (guide, section 3; addendum)."""

from .word import WORD_BYTES

__all__ = [
    "BRANCH_DISTANCE",
    "DELAY_SLOTS",
    "END_SLOTS",
    "LINK_BYTES",
    "READ_AHEAD",
    "READ_SETUPS",
    "SFU_DISTANCE",
    "SWITCH_SLOTS",
]

#: Instructions that run after a branch, whether it is taken or not.
DELAY_SLOTS = 3
#: What a branch adds to its own address: the address after its delay slots.
LINK_BYTES = (DELAY_SLOTS + 1) * WORD_BYTES
#: Instructions that run after the signal that ends a program.
END_SLOTS = 2
#: Instructions that run after a thread switch.
SWITCH_SLOTS = 2
#: A branch that follows another one closer than this is not taken.
BRANCH_DISTANCE = 3
#: The instruction that comes this much later than a write to the SFU is the first to find the result in r4.
SFU_DISTANCE = 3
#: Vectors that the VPM fetches ahead of the one that a program reads next.
READ_AHEAD = 8
#: Set-ups of VPM reads with vectors left to read, at most; one more is ignored.
READ_SETUPS = 2
