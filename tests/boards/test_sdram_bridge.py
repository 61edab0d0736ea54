# amaranth: UnusedElaboratable=no

"""The bridge to a controller of SDRAM, with a stand-in for that one, and the start of the chip."""

import random
from collections import deque

import pytest

from vc4.boards.sdram_bridge import SdramBridge
from vc4.boards.sdram_core import StartStep
from vc4.boards.sdram_start import SdramStart

from .clients import carry_out

SIZE = 1 << 13


def traffic(rng, count):
    """Requests, words of writes, and the answers; some are after the end of memory."""
    memory, requests, writes, answers = bytearray(SIZE), [], [], []
    for _ in range(count):
        outside = rng.random() < 0.1
        page = 4096 * rng.choice([2, 3, 1000, 0xF_FFFF] if outside else [0, 1])
        first, write, tag = rng.randrange(40), rng.randrange(2), rng.randrange(4)
        beats = rng.choice([0, 1, 7, rng.randrange(40)])
        requests.append({"address": page + 8 * first, "write": write, "beats": beats, "tag": tag})
        for beat in range(beats + 1):
            place, last = page + 8 * (first + beat), int(beat == beats)
            if write:
                word, strobes = rng.randbytes(8), rng.choice([255, rng.randrange(256)])
                writes.append({"data": int.from_bytes(word, "little"), "strobes": strobes, "last": last})
                for byte in range(8 * (not outside)):
                    if strobes >> byte & 1:
                        memory[place + byte] = word[byte]
            else:
                word = 0 if outside else int.from_bytes(memory[place : place + 8], "little")
                answers.append((tag, word, last, int(outside)))
        if write:
            answers.append((tag, 0, 1, int(outside)))
    return requests, writes, answers


class Controller:
    """Does commands in their order, each a while after it has come; a write takes its data when it is done."""

    def __init__(self, dut, word_bytes, rng):
        self._dut, self._bytes, self._rng = dut, word_bytes, rng
        self.memory = bytearray(SIZE)

    async def run(self, ctx):
        dut, rng, waiting, clock = self._dut, self._rng, deque(), 0
        while True:
            ctx.set(dut.commands.ready, rng.random() < 0.7 and len(waiting) < 9)
            due = bool(waiting) and waiting[0][0] <= clock and rng.random() < 0.8
            writes, place = False, 0
            if due:
                _, command = waiting.popleft()
                writes, place = bool(command.write), command.word * self._bytes
            ctx.set(dut.reads.valid, due and not writes)
            ctx.set(dut.reads.payload, int.from_bytes(self.memory[place : place + self._bytes], "little"))
            ctx.set(dut.words.ready, writes)
            _, _, valid, ready, asked, word_valid, word = await ctx.tick().sample(
                dut.commands.valid, dut.commands.ready, dut.commands.payload, dut.words.valid, dut.words.payload
            )
            if writes:
                assert word_valid, "a word is wanted that is not there"
                for byte in range(self._bytes):
                    if word.strobes >> byte & 1:
                        self.memory[place + byte] = word.data >> 8 * byte & 255
            clock += 1
            if valid and ready:
                waiting.append((clock + rng.choice([0, 0, 1, 2, 20]), asked))


@pytest.mark.parametrize(
    ("word_bytes", "gap"), [(4, 0), (4, 0.4), *(pytest.param(n, 0.2, marks=pytest.mark.thorough) for n in (1, 2, 8))]
)
def test_random_traffic(simulate, word_bytes, gap):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    rng, dut = random.Random(seed), SdramBridge(SIZE, word_bytes=word_bytes, tag_bits=2)
    requests, writes, answers = traffic(rng, 60)

    async def enable(ctx):
        for _ in range(50):
            _, _, valid = await ctx.tick().sample(dut.commands.valid)
            assert not valid, "the chip has not been started"
        ctx.set(dut.enable, 1)

    found, errors = carry_out(
        simulate, dut, requests, writes, len(answers), gap, enable, background=[Controller(dut, word_bytes, rng).run]
    )
    assert [(one.tag, one.data, one.last, one.error) for one in found] == answers
    assert len(errors) == sum(answer[3] for answer in answers)
    assert set(errors) <= {request["address"] for request in requests if request["address"] >= SIZE}


def test_a_command_a_clock(simulate):
    """Words of reads and writes of a controller that never waits: two clocks each."""
    dut, clocks = SdramBridge(SIZE, word_bytes=4, tag_bits=2), []

    async def bench(ctx):
        for signal in (dut.enable, dut.commands.ready, dut.bus.responses.ready, dut.bus.requests.valid):
            ctx.set(signal, 1)
        ctx.set(dut.bus.requests.payload, {"address": 0, "write": 0, "beats": 7, "tag": 0})
        for clock in range(60):
            _, _, valid = await ctx.tick().sample(dut.commands.valid)
            clocks.extend([clock] * valid)
            ctx.set(dut.reads.valid, valid)  # the answer to it, a clock later

    simulate(dut, bench)
    assert clocks == list(range(clocks[0], clocks[0] + len(clocks)))
    assert clocks[0] < 4


STEPS = [
    StartStep(0, 0, ras=False, cas=False, we=False, clocks=9),
    StartStep(1024, 0, ras=True, cas=False, we=True, clocks=1),
    StartStep(33, 2, ras=True, cas=True, we=True, clocks=4),
]


def test_the_start(simulate):
    dut, found = SdramStart(STEPS, address_bits=13, bank_bits=2), []

    async def bench(ctx):
        for clock in range(30):
            _, _, active, *command = await ctx.tick().sample(
                dut.active, dut.select, dut.ras, dut.cas, dut.we, dut.address, dut.bank
            )
            if command[0]:
                found.append((clock, *command))
            assert active == (clock < 1 + 9 + 1 + 4)

    simulate(dut, bench)
    assert found == [(10, 1, 1, 0, 1, 1024, 0), (11, 1, 1, 1, 1, 33, 2)]


@pytest.mark.parametrize("steps", [[], [StartStep(0, 0, ras=True, cas=True, we=True, clocks=0)]])
def test_a_start_that_makes_no_sense(steps):
    with pytest.raises(ValueError, match="a clock or more"):
        SdramStart(steps, address_bits=13, bank_bits=2)
