"""`StencilSetUps` against what the model keeps of stencil words."""

import random

import pytest

from vc4.records.state import DepthTest
from vc4.tlb.stencil_set_ups import StencilSetUps
from vc4sim.model.compiled import State
from vc4sim.model.qpu.fragment_port import FRAGMENT_WRITES, fragment_write
from vc4sim.model.qpu.fragment_state import FACE_SET_UPS, begin_fragments, new_fragments
from vc4sim.model.tlb.tlb import TileBuffer

from ..simulation import Simulation
from .streams import ELEMENTS

THREADS = 4


class Model:
    """Two threads of each of two QPUs."""

    def __init__(self):
        self.tile, self.state = TileBuffer(), State(new_fragments())
        for thread in range(THREADS):
            self.start(thread)

    def start(self, thread):
        begin_fragments(self.state.views.modes, thread // 2, thread % 2, 0, 16, DepthTest.ALWAYS.value, 0, 0, 0)

    def write(self, thread, word):
        stencil, values = FRAGMENT_WRITES.index("stencil"), [word] * ELEMENTS
        tile, fragments = self.tile.state.views, self.state.views
        fragment_write(fragments, tile, thread // 2, thread % 2, stencil, values, [0] * ELEMENTS)

    def face(self, thread, back):
        """Word and mask; the word is 0 without a test."""
        modes, place = self.state.views.modes, FACE_SET_UPS + 2 * back
        return tuple(int(modes[thread // 2, thread % 2, place + number]) for number in range(2))


@pytest.mark.parametrize("seed", range(3))
def test_any_words(seed):
    print(f"seed {seed}")
    rng = random.Random(seed)
    dut, model = StencilSetUps(THREADS), Model()

    async def bench(ctx):
        for _ in range(300):
            starts = rng.getrandbits(THREADS) if rng.random() < 0.2 else 0
            thread, word, writes = rng.randrange(THREADS), rng.getrandbits(32), rng.random() < 0.7
            writes = writes and not starts >> thread & 1
            ctx.set(dut.starts, starts)
            ctx.set(dut.i.payload, {"thread": thread, "word": word})
            ctx.set(dut.i.valid, writes)
            assert ctx.get(dut.i.ready)
            await ctx.tick()
            for number in range(THREADS):
                if starts >> number & 1:
                    model.start(number)
            if writes:
                model.write(thread, word)
            for number in range(THREADS):
                for back in range(2):
                    ctx.set(dut.thread, number)
                    ctx.set(dut.back, back)
                    face, (set_up, mask) = ctx.get(dut.face), model.face(number, back)
                    assert face.enable == (set_up != 0)
                    if set_up:
                        assert face.rule.as_bits() == set_up & (1 << 28) - 1
                        assert face.write_mask == mask

    Simulation(dut).run(bench)
