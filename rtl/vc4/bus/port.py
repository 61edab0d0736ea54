"""The one way into memory: every client speaks `MemoryPort`."""

from amaranth.hdl import unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect

__all__ = ["BUS_BYTES", "MAX_BEATS", "MemoryPort", "connect_memory", "connect_reads"]

#: Width of the bus between the blocks.
BUS_BYTES = 8

#: Words of one request at the most.
MAX_BEATS = 256


class MemoryPort(wiring.Signature):
    """Client side of a memory port: requests and write data out, responses in.

    A request moves `beats` + 1 consecutive bus words, starting at a word-aligned address, and never crosses a boundary
    of 4 KiB. Responses to one tag come in the order of its requests; a read answers with one response a word, the last
    one marked; a write answers with one response, when memory has taken it.

    Parameters
    ----------
    word_bytes : width of the bus in bytes, a power of two
    tag_bits : width of a tag

    Interface attributes
    --------------------
    requests : stream of `address`, `write`, `beats` (words - 1), `tag`
    writes : stream of `data`, `strobes` (one bit a byte), `last`; the words of the write requests, in their order
    responses : stream of `tag`, `data` (of a read), `last`, `error`
    """

    def __init__(self, *, word_bytes: int, tag_bits: int = 1):
        self.word_bytes = word_bytes
        self.tag_bits = tag_bits
        self.request_layout = data.StructLayout(
            {"address": unsigned(32), "write": unsigned(1), "beats": unsigned(8), "tag": unsigned(tag_bits)}
        )
        self.write_layout = data.StructLayout(
            {"data": unsigned(8 * word_bytes), "strobes": unsigned(word_bytes), "last": unsigned(1)}
        )
        self.response_layout = data.StructLayout(
            {
                "tag": unsigned(tag_bits),
                "data": unsigned(8 * word_bytes),
                "last": unsigned(1),
                "error": unsigned(1),
            }
        )
        super().__init__(
            {
                "requests": Out(stream.Signature(self.request_layout)),
                "writes": Out(stream.Signature(self.write_layout)),
                "responses": In(stream.Signature(self.response_layout)),
            }
        )

    def __eq__(self, other):
        return isinstance(other, MemoryPort) and (self.word_bytes, self.tag_bits) == (other.word_bytes, other.tag_bits)

    def __repr__(self):
        return f"MemoryPort(word_bytes={self.word_bytes}, tag_bits={self.tag_bits})"


def connect_reads(m, port, client):
    """Connects a port that only reads to one whose tags have as many bits or more; `ValueError` if they have less."""
    if port.signature.tag_bits > client.signature.tag_bits:
        raise ValueError(f"tags of {port.signature.tag_bits} bits do not fit into {client.signature.tag_bits}")
    asked, response = port.requests.payload, client.responses.payload
    m.d.comb += [
        client.requests.valid.eq(port.requests.valid),
        port.requests.ready.eq(client.requests.ready),
        *(getattr(client.requests.payload, name).eq(getattr(asked, name)) for name in ("address", "beats", "tag")),
        port.responses.valid.eq(client.responses.valid),
        client.responses.ready.eq(port.responses.ready),
        *(
            getattr(port.responses.payload, name).eq(value)
            for name, value in (
                ("tag", response.tag),
                ("data", response.data),
                ("last", response.last),
                ("error", response.error),
            )
        ),
    ]


def connect_memory(m, port, client):
    """The same for one that writes, too."""
    connect_reads(m, port, client)
    connect(m, port.writes, client.writes)
    m.d.comb += client.requests.payload.write.eq(port.requests.payload.write)
