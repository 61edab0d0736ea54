"""A screen, its memory and their clocks in Amaranth's simulator."""

from amaranth.hdl import Const, Module
from amaranth.lib.wiring import connect
from amaranth.sim import Simulator

from vc4.dvi import Dvi
from vc4.dvi.mode import BITS_OF_A_PIXEL, Axis, VideoMode
from vc4.dvi.picture import PICTURE_BYTES, SIGN, Picture, PictureFormat, Shown
from vc4sim.bench.memory import BenchMemory

__all__ = ["SMALL", "described", "run"]

#: A screen that is soon full.
SMALL = VideoMode(Axis(16, 2, 5, 7), Axis(5, 1, 2, 3), pulse_level=0, pixel_hz=25_000_000)
_SIZE = 1 << 14


def described(address: int, pitch: int, width: int, height: int, pixels: PictureFormat, sign: int = SIGN) -> bytes:
    """A description of a picture."""
    constant = Picture.const(
        {
            "sign": sign,
            "pixels": pixels,
            "address": address,
            "pitch": pitch % (1 << 32),
            "width": width,
            "height": height,
        }
    )
    return Const.cast(constant).value.to_bytes(Picture.as_shape().size // 8, "little")


def run(
    mode: VideoMode, memory: bytes, picture: bytes, frames: int, **pace
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """The bits on all wires, and what was told, frames and missed rows, in so many frames.

    pace : latency, gap and seed of memory
    """
    contents = bytearray(_SIZE)
    contents[: len(memory)] = memory
    contents[-PICTURE_BYTES : len(contents) - PICTURE_BYTES + len(picture)] = picture
    m = Module()
    m.submodules.dvi = dvi = Dvi(mode, _SIZE, tag_bits=1)
    m.submodules.memory = store = BenchMemory(_SIZE, tag_bits=1, init=bytes(contents), **pace)
    connect(m, dvi.bus, store.bus)
    wires, told = [[] for _ in dvi.bits], []
    simulator = Simulator(m)
    simulator.add_clock(20e-9)
    # The clocks of a PLL never rise at the very same moment.
    simulator.add_clock(40e-9, domain="pixel", phase=1e-9)
    simulator.add_clock(8e-9, domain="shift", phase=2e-9)
    bits = frames * mode.columns.total * mode.rows.total * BITS_OF_A_PIXEL

    async def look(ctx):
        while len(wires[0]) < bits:
            _, _, *found = await ctx.tick("shift").sample(*dvi.bits)
            for wire, pair in zip(wires, found, strict=True):
                wire += [pair & 1, pair >> 1]

    async def listen(ctx):
        async for _, _, written, address, word in ctx.tick().sample(
            store.written_stb, store.written_address, store.written_data
        ):
            if written:
                assert address == _SIZE - Shown.as_shape().size // 8
                told.append((word & 0xFFFFFFFF, word >> 32))

    simulator.add_testbench(look)
    simulator.add_testbench(listen, background=True)
    simulator.run()
    return wires, told
