"""Clock, reset, gaps and streams for cocotb."""

import os
import random
from itertools import repeat

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

__all__ = ["GAP", "collect", "feed", "pause", "start"]

#: Chance of a pause in a clock, on each channel.
GAP = float(os.environ["COSIM_GAP"])


async def start(dut):
    """Starts the clock and goes through a reset."""
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)


def pause(interface, *channels):
    """Lets channels of a side of cocotbext-axi pause at random."""
    for channel in channels:
        getattr(interface, f"{channel}_channel").set_pause_generator(random.random() < GAP for _ in repeat(None))


async def feed(dut, name, items):
    """Moves all `items`, which are integers, into the stream `name`."""
    payload, valid, ready = (getattr(dut, f"{name}_{part}") for part in ("payload", "valid", "ready"))
    for item in items:
        while random.random() < GAP:
            await RisingEdge(dut.clk)
        payload.value = item
        valid.value = 1
        await RisingEdge(dut.clk)
        while not ready.value:
            await RisingEdge(dut.clk)
        valid.value = 0


async def collect(dut, name, count):
    """Takes `count` items, as integers."""
    payload, valid, ready = (getattr(dut, f"{name}_{part}") for part in ("payload", "valid", "ready"))
    items = []
    while len(items) < count:
        ready.value = offered = random.random() >= GAP
        await RisingEdge(dut.clk)
        if offered and valid.value:
            items.append(int(payload.value))
    ready.value = 0
    return items
