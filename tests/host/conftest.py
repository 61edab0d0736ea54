"""The host, in front of a port of registers."""

import pytest

from vc4.regs.table import register


class Host:
    """Reads and writes registers by name or offset, each in one clock."""

    def __init__(self, ctx, port):
        self.ctx, self.port = ctx, port

    def _address(self, where):
        self.ctx.set(self.port.address, register(where).offset if isinstance(where, str) else where)

    async def write(self, where, value):
        self.offer(where, value)
        await self.ctx.tick()
        self.ctx.set(self.port.write_stb, 0)

    def offer(self, where, value):
        """A write that happens in this clock."""
        self._address(where)
        self.ctx.set(self.port.write_data, value)
        self.ctx.set(self.port.write_stb, 1)

    async def read(self, where):
        self._address(where)
        self.ctx.set(self.port.read_stb, 1)
        await self.ctx.tick()
        self.ctx.set(self.port.read_stb, 0)
        return self.ctx.get(self.port.read_data)


@pytest.fixture(scope="session")
def host():
    """`host(ctx, port)`: a `Host`."""
    return Host
