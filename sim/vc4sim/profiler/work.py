"""What an instruction asks of the units."""

from functools import lru_cache
from typing import NamedTuple

from vc4.isa.ops import AddOp, Condition, MulOp
from vc4.isa.registers import READ, WRITE

from ..model.qpu.decoded import decoded

__all__ = ["Work", "work_of"]


class Work(NamedTuple):
    """How often, each 0 or 1 in one instruction.

    add, mul : an operation of this ALU, on sixteen elements; a move is one, an immediate and a branch are none
    lookups : of a texture unit, of memory or of a texture
    textures : those of textures, which have a second coordinate
    vpm_reads, vpm_writes : a vector from or to the VPM
    functions : a vector for the special function unit
    """

    add: int
    mul: int
    lookups: int
    textures: int
    vpm_reads: int
    vpm_writes: int
    functions: int


@lru_cache(maxsize=1 << 16)
def work_of(word: int) -> Work:
    """That of an instruction."""
    one = decoded(word)
    computes = one.immediate is None and one.branch is None
    written = [
        WRITE[write.address][write.file]
        for write in one.writes
        if write.address in WRITE and write.condition is not Condition.NEVER
    ]
    read = [READ[address][file] for file, address in enumerate(one.raddr) if address in READ]
    letter = one.tmu_write[1] if one.tmu_write else ""
    return Work(
        add=int(computes and one.op_add is not AddOp.NOP),
        mul=int(computes and one.op_mul is not MulOp.NOP),
        lookups=int(letter == "s"),
        textures=int(letter == "t"),
        vpm_reads=int(any(register.unit == "vpm_read" for register in read)),
        vpm_writes=int(any(register.unit == "vpm_write" for register in written)),
        functions=int(any(register.unit == "sfu" for register in written)),
    )
