"""`VpmQueue`: what instructions say to the VPM comes there in the order of the program."""

import random

import pytest

from vc4.qpu.vpm_queue import VpmQueue
from vc4.vpm.port import VpmCommand


class Slots:
    """Instructions of four clocks each, of which A2 has a quad one clock before IO."""

    def __init__(self, ctx, dut, rng):
        self.ctx, self.dut, self.rng = ctx, dut, rng
        self.said = []

    async def run(self, instructions):
        """Each is what it writes, a `VpmCommand` or nothing, whether it reads, and whether it is the end of a program."""
        ctx, dut = self.ctx, self.dut
        nothing = (None, False, False)
        for before, now in zip([nothing, *instructions], [*instructions, nothing], strict=True):
            # IO has the last quad of the instruction before when A2 has the first one of this.
            for quad in range(4):
                self._io(before, quad)
                if quad == 3:
                    self._a2(now)
                await ctx.tick()
                ctx.set(dut.a2.live, 0)
            self._note(before, now)
        ctx.set(dut.vectors.valid, 0)
        ctx.set(dut.io.live, 0)

    def _io(self, instruction, quad):
        command, _, ends = instruction
        ctx, dut = self.ctx, self.dut
        ctx.set(dut.vectors.valid, command is not None)
        if command is not None:
            ctx.set(dut.vectors.payload, {"command": command, "quad": quad, "data": [quad] * 4})
        ctx.set(dut.io.live, 1)
        ctx.set(dut.io.quad, quad)
        ctx.set(dut.io.issued.cancels, ends)

    def _a2(self, instruction):
        ctx, dut = self.ctx, self.dut
        ctx.set(dut.a2.live, 1)
        ctx.set(dut.a2.quad, 0)
        ctx.set(dut.a2.issued.control.needs.vpm_read, instruction[1])

    def _note(self, before, now):
        """The beats of an instruction, and the fetch of the next one."""
        command, _, ends = before
        if command is not None:
            self.said += [[command, quad, 0] for quad in range(4)]
        elif ends:
            self.said.append([VpmCommand.CANCEL, 0, 0])
        if now[1]:
            if command is not None:
                self.said[-1][2] = 1
            else:
                self.said.append([VpmCommand.FETCH, 0, 1])


@pytest.mark.parametrize("seed", range(3))
def test_the_order_is_that_of_the_program(simulate, seed):
    rng = random.Random(seed)
    dut = VpmQueue()
    commands = list(VpmCommand)[:5]
    instructions = []
    for _ in range(60):
        ends = rng.random() < 0.1
        command = None if ends or rng.random() < 0.5 else rng.choice(commands)
        instructions.append((command, not ends and rng.random() < 0.5, ends))
    slots = []

    async def program(ctx):
        slots.append(Slots(ctx, dut, rng))
        await slots[0].run(instructions)

    async def drains(ctx):
        found = []
        for _ in range(4 * 60 + 20):
            ctx.set(dut.vpm.writes.ready, rng.random() < 0.95)
            sampled = (dut.vpm.writes.valid, dut.vpm.writes.ready, dut.vpm.writes.payload, dut.cancelled)
            _, _, valid, ready, beat, cancelled = await ctx.tick().sample(*sampled)
            moves = valid and ready
            assert cancelled == (moves and beat.command is VpmCommand.CANCEL)
            if moves:
                single = beat.command in (VpmCommand.FETCH, VpmCommand.CANCEL)
                found.append([beat.command, 0 if single else beat.quad, beat.fetch])
        assert found == slots[0].said, f"seed {seed}"
        assert ctx.get(dut.state.empty)

    simulate(dut, program, drains)


def test_stores_and_loads_count_until_they_have_begun(simulate):
    dut = VpmQueue()

    async def bench(ctx):
        slots = Slots(ctx, dut, random.Random(1))
        await slots.run([(VpmCommand.STORE_ADDRESS, False, False), (VpmCommand.LOAD_ADDRESS, False, False)])
        assert (ctx.get(dut.state.storing), ctx.get(dut.state.loading)) == (1, 1)
        for begun, state in ((1, (0, 1)), (4, (0, 0))):
            ctx.set(dut.vpm.writes.ready, 1)
            await ctx.tick().repeat(begun)
            ctx.set(dut.vpm.writes.ready, 0)
            await ctx.tick()  # from here on the VPM says that it is busy
            assert (ctx.get(dut.state.storing), ctx.get(dut.state.loading)) == state
        ctx.set(dut.vpm.load_busy, 1)
        assert ctx.get(dut.state.loading)

    simulate(dut, bench)
