"""Small immediates: what register file B delivers for each six-bit code (guide, table 5; QPU facts, 4.1)."""

__all__ = ["ROTATE_BY_R5", "ROTATE_FIRST", "SMALL_IMMEDIATES"]

#: Codes from here on also rotate the result of the mul ALU, by code - 48 elements upwards.
ROTATE_FIRST = 48
#: This code rotates by the low four bits of element 0 of r5.
ROTATE_BY_R5 = 48


def _value(code: int) -> int:
    if code < 32:
        return (code if code < 16 else code - 32) & 0xFFFF_FFFF
    if code < ROTATE_FIRST:
        exponent = code - 32 if code < 40 else code - 48
        return (127 + exponent) << 23
    return (code - 64) & 0xFFFF_FFFF


#: The 32-bit value of each code: 0 to 15, -16 to -1, 1.0 to 128.0, 1/256 to 1/2, and again -16 to -1 with rotation.
SMALL_IMMEDIATES = tuple(_value(code) for code in range(64))
