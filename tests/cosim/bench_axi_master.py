"""`AxiMaster` with the AXI4 slave of cocotbext-axi, whose memory ends early: after it, everything is an error."""

import random

import cocotb
from amaranth.hdl import Const
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiSlave, MemoryRegion
from streams import collect, feed, pause, start

from vc4.bus.port import MemoryPort

WORD, TAG_BITS, REGION = 8, 2, 4096
SIZE = REGION << TAG_BITS
PORT = MemoryPort(word_bytes=WORD, tag_bits=TAG_BITS)


def packed(layout, **fields):
    return Const.cast(layout.const(fields)).value


class Traffic:
    """Random requests of each tag to its own part of the memory, and after it; what must come, and what memory must hold."""

    def __init__(self, count):
        self.data = bytearray(SIZE)
        self.requests, self.words = [], []
        self.expected = {tag: [] for tag in range(1 << TAG_BITS)}  # (word or None, last, error)
        self.errors = {tag: [] for tag in self.expected}
        for _ in range(count):
            tag, write, error = random.randrange(1 << TAG_BITS), random.randrange(2), int(random.random() < 0.2)
            beats = random.choice([1, random.randrange(1, 17)])
            at = tag * REGION + random.randrange(REGION // WORD - beats + 1) * WORD
            address = at + SIZE * error
            request = {"address": address, "write": write, "beats": beats - 1, "tag": tag}
            self.requests.append(packed(PORT.request_layout, **request))
            if error:
                self.errors[tag].append(address)
            for beat in range(beats):
                self._beat(tag, write, error, at + beat * WORD, int(beat == beats - 1))
            if write:
                self.expected[tag].append((None, 1, error))

    def _beat(self, tag, write, error, at, last):
        if not write:
            word = int.from_bytes(self.data[at : at + WORD], "little")
            self.expected[tag].append((None if error else word, last, error))
            return
        strobes, word = random.randrange(1, 1 << WORD), random.getrandbits(8 * WORD)
        self.words.append(packed(PORT.write_layout, data=word, strobes=strobes, last=last))
        for byte in range(WORD):
            if strobes >> byte & 1 and not error:
                self.data[at + byte] = word >> 8 * byte & 255


@cocotb.test()
async def random_traffic(dut):
    memory = MemoryRegion(SIZE)
    slave = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, target=memory)
    pause(slave.write_if, "aw", "w", "b")
    pause(slave.read_if, "ar", "r")
    for name in ("requests_valid", "writes_valid", "responses_ready"):
        getattr(dut, f"memory_{name}").value = 0
    await start(dut)
    wanted = Traffic(200)
    errors = {tag: [] for tag in wanted.errors}

    async def note_errors():
        """One strobe a response; those of all words of a read name the same request."""
        while True:
            await RisingEdge(dut.clk)
            if dut.error_stb.value:
                response = PORT.response_layout.from_bits(int(dut.memory_responses_payload.value))
                if response.last:
                    errors[response.tag].append(int(dut.error_address.value))

    cocotb.start_soon(note_errors())
    cocotb.start_soon(feed(dut, "memory_requests", wanted.requests))
    cocotb.start_soon(feed(dut, "memory_writes", wanted.words))
    count = sum(map(len, wanted.expected.values()))
    found = await with_timeout(collect(dut, "memory_responses", count), 10, "ms")
    came = {tag: [] for tag in wanted.expected}
    for item in found:
        response = PORT.response_layout.from_bits(item)
        came[response.tag].append(response)
    for tag, expected in wanted.expected.items():
        assert len(came[tag]) == len(expected)
        for response, (word, last, error) in zip(came[tag], expected, strict=True):
            assert (response.last, response.error) == (last, error)
            assert word in (None, response.data)
    assert bytes(memory.mem[:]) == bytes(wanted.data)
    assert errors == wanted.errors
