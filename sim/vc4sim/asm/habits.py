"""Where this assembler follows vc4asm 0.3 against its own better judgement.

Sources were tested with what vc4asm makes of them, so these are kept, here and nowhere else, each to be dropped alone.
The first two are harmless, the others are faults of vc4asm.
"""

import struct
from collections.abc import Mapping

from vc4.isa.ops import AddOp, MulOp, MulPack, Pack

from .names import PACKS, Choice, PackName

__all__ = ["DOUBLE_MOVE", "NUMBER", "OPERATION_PACKS", "ZERO_OF_SAME", "colour_pack", "half_bytes"]

#: With the same register twice these make 0, and the condition of an idle mul ALU is then always instead of never.
ZERO_OF_SAME = frozenset({AddOp.SUB, AddOp.XOR})

#: The register moved to two destinations goes through the mul ALU only: the first takes what the add ALU has without an
#: operation. `or` and `v8min` would move to both.
DOUBLE_MOVE = (Choice(AddOp.NOP, None), Choice(None, MulOp.V8MIN))

#: Packs after a mnemonic. `.pack16bs` does not saturate there, though it does after a destination.
OPERATION_PACKS: Mapping[str, PackName] = {f"pack{text}": pack for text, pack in PACKS.items()} | {
    "pack16bs": PACKS["16b"]
}

#: Pattern of numbers. A negative exponent does not belong to the number: `2.5e-3` is 2.5 - 3.
NUMBER = r"\d+\.\d*(?:[eE](?:\+?\d+)?)?|\d\w*"


def colour_pack(pack: Pack) -> MulPack:
    """The code of a pack into bytes on the mul ALU.

    The replicated one keeps the bit of saturation, so `.8abcdsf` is 11, where the guide has 3, and only `.8abcd` is 3.
    """
    return MulPack(pack.value if pack is Pack.BYTE_REPLICATED_SATURATE else pack.value & ~Pack.SATURATE.value)


def half_bytes(value: float) -> bytes:
    """A float for `.half`: the 16-bit float with the highest bit of the exponent inverted; `.float16` does not do that.

    Raises `OverflowError` if `value` is too large.
    """
    low, high = struct.pack("<e", value)
    return bytes((low, high ^ 0x40))
