"""`ListBytes`: random bytes at random places, in words of the bus."""

import random

from vc4.ptb.list_bytes import ListBytes

from ..simulation import simulation_of


def some_chunks(rng):
    """Many that follow each other."""
    address, chunks = 64, []
    for _ in range(200):
        if rng.random() < 0.2:
            address = rng.randrange(1000)
        count = rng.randrange(1, 5)
        chunks.append({"address": address, "data": rng.getrandbits(32), "count": count})
        address += count
    return chunks


def move(rng, chunks, gap):
    """Memory after them, the words, and the clocks."""
    rig, dut = simulation_of(ListBytes)
    found, words, clocks = {}, [], []

    async def bench(ctx):
        number, offered, clock, before = 0, False, 0, None
        while True:
            if not offered and number < len(chunks) and rng.random() >= gap:
                offered = True
                ctx.set(dut.i.payload, chunks[number])
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.flush, number == len(chunks))
            ctx.set(dut.o.ready, rng.random() >= gap)
            takes = offered and ctx.get(dut.i.ready)
            valid, ready, word = ctx.get(dut.o.valid), ctx.get(dut.o.ready), ctx.get(dut.o.payload)
            assert before is None or (valid and word == before)
            before = word if valid and not ready else None
            if valid and ready:
                assert word.strobes
                words.append(word.address)
                for byte in range(8):
                    if word.strobes >> byte & 1:
                        found[8 * word.address + byte] = word.data >> 8 * byte & 255
            if number == len(chunks) and not ctx.get(dut.busy):
                break
            await ctx.tick()
            clock += 1
            if takes:
                number, offered = number + 1, False
        clocks.append(clock)

    rig.run(bench)
    return found, words, clocks[0]


def test_any_chunks(seeds):
    for seed in seeds(3):
        rng = random.Random(seed)
        chunks, wanted = some_chunks(rng), {}
        for chunk in chunks:
            for byte in range(chunk["count"]):
                wanted[chunk["address"] + byte] = chunk["data"] >> 8 * byte & 255
        found, words, _ = move(rng, chunks, rng.choice((0, 0.3)))
        assert found == wanted
        assert all(one != other for one, other in zip(words, words[1:], strict=False))


def test_a_list_goes_in_whole_words():
    """Four bytes a clock."""
    chunks = [{"address": 4 * n, "data": n, "count": 4} for n in range(64)]
    _, words, clocks = move(random.Random(1), chunks, 0)
    assert words == list(range(32))
    assert clocks == 64 + 2
