"""The whole way out: `Hub`, `Windows` and `AxiMaster` one after another, with an AXI4 slave at the end."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from vc4.bus.axi_master import AxiMaster
from vc4.bus.hub import Hub
from vc4.bus.windows import Windows
from vc4sim.bench.streams import collect, feed

TAG_BITS = 2


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(
    ("gap", "slave_gap"),
    [(0.3, 0.8), *(pytest.param(*gaps, marks=pytest.mark.thorough) for gaps in ((0, 0.5), (0.4, 0)))],
)
def test_random_traffic(simulate, axi_slave, traffic, gap, slave_gap, is_open):
    """What lies after the memory is refused by the slave, or by the windows before it gets there: clients see the same."""
    seed = round(100 * gap + 10 * slave_gap)
    rng = random.Random(seed)
    wanted = traffic(rng, tags=1 << TAG_BITS, count=60, word_bytes=8)
    m = Module()
    m.submodules.hub = hub = Hub(1, word_bytes=8, client_tag_bits=TAG_BITS)
    m.submodules.windows = windows = Windows(word_bytes=8, tag_bits=hub.bus.signature.tag_bits)
    m.submodules.axi_master = master = AxiMaster(word_bytes=8, tag_bits=hub.bus.signature.tag_bits)
    wiring.connect(m, hub.bus, windows.client)
    wiring.connect(m, windows.bus, master.memory)
    slave = axi_slave(master.m_axi, size=len(wanted.data), seed=seed, gap=slave_gap)
    errors = {"windows": set(), "slave": set()}

    async def requests(ctx):
        pages = (1 << 20) - 1 if is_open else len(wanted.data) // 4096
        ctx.set(windows.windows[1], {"base": 0, "size": pages})
        await feed(ctx, hub.clients[0].requests, wanted.requests, rng=rng, gap=gap)

    async def words(ctx):
        await feed(ctx, hub.clients[0].writes, wanted.words, rng=rng, gap=gap)

    async def responses(ctx):
        wanted.check(await collect(ctx, hub.clients[0].responses, wanted.responses, rng=rng, gap=gap))
        assert slave.data == wanted.data, f"seed {seed}"

    async def note_errors(ctx):
        signals = (windows.error_stb, windows.error_address, master.error_stb, master.error_address)
        async for _, _, refused, page, failed, address in ctx.tick().sample(*signals):
            if refused:
                errors["windows"].add(page)
            if failed:
                errors["slave"].add(address)

    simulate(m, requests, words, responses, background=[slave.bench, note_errors])
    addresses = {address for tag in wanted.errors.values() for address in tag}
    assert errors == {"windows": set() if is_open else addresses, "slave": addresses if is_open else set()}
