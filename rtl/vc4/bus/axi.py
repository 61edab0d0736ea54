"""AXI4 and AXI4-Lite as signatures, from the side of the master; names are those of the standard, without a prefix."""

from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

__all__ = ["ADDRESS_BITS", "AxiLitePort", "AxiPort", "Response"]

ADDRESS_BITS = 32


class Response(enum.Enum, shape=2):
    """How an access has ended."""

    OKAY = 0
    EXOKAY = 1
    SLVERR = 2
    DECERR = 3


class AxiPort(wiring.Signature):
    """AXI4, without regions and user signals.

    Parameters
    ----------
    word_bytes : width of the data in bytes, a power of two
    id_bits : width of the ids

    Interface attributes
    --------------------
    aw.., w.., b.. : writes: address, data, response
    ar.., r.. : reads: address, data with response
    """

    def __init__(self, *, word_bytes: int, id_bits: int):
        exact_log2(word_bytes)
        self.word_bytes = word_bytes
        self.id_bits = id_bits
        address = {"id": id_bits, "addr": ADDRESS_BITS, "len": 8, "size": 3, "burst": 2}
        address |= {"lock": 1, "cache": 4, "prot": 3, "qos": 4}
        super().__init__(
            {
                **_channel("aw", Out, address),
                **_channel("w", Out, {"data": 8 * word_bytes, "strb": word_bytes, "last": 1}),
                **_channel("b", In, {"id": id_bits, "resp": Response}),
                **_channel("ar", Out, address),
                **_channel("r", In, {"id": id_bits, "data": 8 * word_bytes, "resp": Response, "last": 1}),
            }
        )

    def __eq__(self, other):
        return isinstance(other, AxiPort) and (self.word_bytes, self.id_bits) == (other.word_bytes, other.id_bits)

    def __repr__(self):
        return f"AxiPort(word_bytes={self.word_bytes}, id_bits={self.id_bits})"


class AxiLitePort(wiring.Signature):
    """AXI4-Lite with words of 32 bits.

    Parameters
    ----------
    address_bits : width of the addresses

    Interface attributes
    --------------------
    aw.., w.., b.. : writes: address, data, response
    ar.., r.. : reads: address, data with response
    """

    def __init__(self, *, address_bits: int):
        self.address_bits = address_bits
        address = {"addr": address_bits, "prot": 3}
        super().__init__(
            {
                **_channel("aw", Out, address),
                **_channel("w", Out, {"data": 32, "strb": 4}),
                **_channel("b", In, {"resp": Response}),
                **_channel("ar", Out, address),
                **_channel("r", In, {"data": 32, "resp": Response}),
            }
        )

    def __eq__(self, other):
        return isinstance(other, AxiLitePort) and self.address_bits == other.address_bits

    def __repr__(self):
        return f"AxiLitePort(address_bits={self.address_bits})"


def _channel(prefix: str, flow: wiring.Flow, payload: dict) -> dict[str, wiring.Member]:
    """The payload of a channel and its handshake; `flow` is that of the payload."""
    members = {f"{prefix}{name}": flow(shape) for name, shape in payload.items()}
    return members | {f"{prefix}valid": flow(1), f"{prefix}ready": flow.flip()(1)}
