"""The host of the GPU, on AXI4-Lite."""

from vc4.bus.axi import Response
from vc4.regs.table import register

__all__ = ["Host"]

_WHOLE = 0b1111


def _offset(where: str | int) -> int:
    return register(where).offset if isinstance(where, str) else where


class Host:
    """Reads and writes registers by name or offset, one at a time: with `AxiLite` at the other end in three clocks.

    Both raise `AssertionError` if the answer is an error.
    """

    def __init__(self, ctx, axi):
        self._ctx, self._axi = ctx, axi

    async def write(self, where: str | int, word: int) -> None:
        """Write a register."""
        ctx, axi = self._ctx, self._axi
        for signal, value in (axi.awaddr, _offset(where)), (axi.wdata, word), (axi.wstrb, _WHOLE), (axi.bready, 1):
            ctx.set(signal, value)
        await self._offer((axi.awvalid, axi.awready), (axi.wvalid, axi.wready))
        await self._answer(axi.bvalid, axi.bresp)

    async def read(self, where: str | int) -> int:
        """The word of a register."""
        ctx, axi = self._ctx, self._axi
        for signal, value in (axi.araddr, _offset(where)), (axi.rready, 1):
            ctx.set(signal, value)
        await self._offer((axi.arvalid, axi.arready))
        return await self._answer(axi.rvalid, axi.rresp, axi.rdata)

    async def _offer(self, *channels) -> None:
        """Offer what is on the channels, each of them `valid` and `ready`, until all of it is taken."""
        for valid, _ in channels:
            self._ctx.set(valid, 1)
        while channels:
            taken = [self._ctx.get(ready) for _, ready in channels]
            await self._ctx.tick()
            for (valid, _), done in zip(channels, taken, strict=True):
                self._ctx.set(valid, not done)
            channels = [channel for channel, done in zip(channels, taken, strict=True) if not done]

    async def _answer(self, valid, response, word=None) -> int:
        while not self._ctx.get(valid):
            await self._ctx.tick()
        assert self._ctx.get(response) == Response.OKAY, "the registers answer with an error"
        answer = 0 if word is None else self._ctx.get(word)
        await self._ctx.tick()
        return answer
