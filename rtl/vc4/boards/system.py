"""The GPU with a memory and a serial line to a host."""

from collections.abc import Callable

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.hub import Hub
from vc4.bus.port import BUS_BYTES
from vc4.config import V3DConfig
from vc4.v3d import V3D

from .bus_gate import BusGate
from .facts import config_words
from .host_bridge import HostBridge
from .protocol import PROTOCOL, Fact, StateBit
from .uart_receiver import LEAST_DIVISOR, UartReceiver
from .uart_transmitter import UartTransmitter
from .written_pages import WrittenPages

__all__ = ["BoardSystem", "bit_clocks", "gap_clocks"]

#: Of the clients of memory, the numbers of the GPU and the bridge.
_GPU, _BRIDGE = 0, 1
#: A byte of a frame may come so late, as part of a second: systems are not quick to pass what a program has written.
_GAPS_OF_A_SECOND = 20
#: What baud may differ from what is asked for: each side is right within half of what 10 bits allow.
_MOST_BAUD_ERROR = 0.02


def gap_clocks(clock_hz: int) -> int:
    """Clocks from one byte of a request to the next one at the most."""
    return max(1, clock_hz // _GAPS_OF_A_SECOND)


def bit_clocks(clock_hz: int, baud: int) -> int:
    """Clocks of a bit. Raises `ValueError` if these are no such bits, within 2 %."""
    divisor = max(LEAST_DIVISOR, round(clock_hz / baud))
    if abs(clock_hz / divisor - baud) > _MOST_BAUD_ERROR * baud:
        raise ValueError(f"{baud} baud cannot be made of {clock_hz} Hz: the nearest is {clock_hz / divisor:.0f}")
    return divisor


class BoardSystem(wiring.Component):
    """All of a board that does not depend on which one it is: `V3D`, memory, and a host on a serial line (8N1), which has the
    registers, the memory and the interrupt. It has one clock, `sync`.

    `memory` makes the memory: it is called with the width of a tag and returns a component with

    * `bus`: `In(MemoryPort(word_bytes=BUS_BYTES, tag_bits=...))`, the requests of all clients, joined;
    * `ready`: `Out(1)`, it takes requests from now on;
    * `error_stb`: `Out(1)`, and `error_address`: `Out(32)`: a response that is taken on `bus` in this clock is an error, and the
      address of its request;
    * the attributes `size`, in bytes, and `base`, the address of the first byte, a multiple of 4 KiB.

    `partial(OnChipMemory, size, base)` makes one, and `partial(Sdram, core)`. One behind AXI4 has an `AxiMaster` of the
    same `tag_bits` between `bus` and its slave, which has both errors, too.

    Parameters
    ----------
    config : sizes of the GPU, see `V3DConfig`
    memory : makes the memory
    clock_hz : clocks of a second
    baud : bits of a second on the line
    clients : further clients of memory

    Raises `ValueError` if the clock does not make that many baud within 2 %.

    Attributes
    ----------
    v3d, memory : the GPU and the memory

    Interface attributes
    --------------------
    rx, tx : the line, from and to the host; `rx` may be asynchronous
    clients : further clients of memory, if there are some; they find 4 KiB boundaries and words as all clients do
    busy : the GPU works
    error : memory has answered the GPU with an error, or its DMA, since the last reset of the GPU
    heartbeat : changes every half second
    """

    def __init__(
        self,
        config: V3DConfig,
        memory: Callable[[int], wiring.Component],
        *,
        clock_hz: int,
        baud: int,
        clients: int = 0,
    ):
        self._config, self._clock_hz, self._divisor = config, clock_hz, bit_clocks(clock_hz, baud)
        self.v3d = V3D(config)
        tag_bits = self.v3d.bus.signature.tag_bits
        self._hub = Hub(2 + clients, word_bytes=BUS_BYTES, client_tag_bits=tag_bits)
        self.memory = memory(self._hub.bus.signature.tag_bits)
        self._pages = WrittenPages(self.memory.size, self.memory.base)
        client = self.v3d.bus.signature
        super().__init__(
            {
                "rx": In(1, init=1),
                "tx": Out(1, init=1),
                **({"clients": In(client).array(clients)} if clients else {}),
                "busy": Out(1),
                "error": Out(1),
                "heartbeat": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        v3d, hub, memory = self.v3d, self._hub, self.memory
        tag_bits = v3d.bus.signature.tag_bits
        resets = Signal()
        m.submodules.v3d = ResetInserter(resets)(v3d)
        m.submodules.hub = hub
        m.submodules.memory = memory
        m.submodules.bus_gate = gate = BusGate(word_bytes=BUS_BYTES, tag_bits=tag_bits)
        m.submodules.written_pages = pages = self._pages
        m.submodules.uart_receiver = receiver = UartReceiver(self._divisor)
        m.submodules.uart_transmitter = transmitter = UartTransmitter(self._divisor)
        m.submodules.host_bridge = bridge = HostBridge(gap_clocks=gap_clocks(self._clock_hz), tag_bits=tag_bits)
        connect(m, v3d.bus, gate.client)
        connect(m, gate.bus, hub.clients[_GPU])
        connect(m, bridge.memory, hub.clients[_BRIDGE])
        if len(hub.clients) > 2:
            for number, client in enumerate(self.clients):
                connect(m, flipped(client), hub.clients[2 + number])
        connect(m, hub.bus, memory.bus)
        connect(m, bridge.m_axil, v3d.s_axil)
        connect(m, receiver.o, bridge.i)
        connect(m, bridge.o, transmitter.i)
        requests = gate.bus.requests
        m.d.comb += [
            receiver.i.eq(self.rx),
            self.tx.eq(transmitter.o),
            pages.written_stb.eq(requests.valid & requests.ready & requests.payload.write),
            pages.address.eq(requests.payload.address),
            pages.start.eq(bridge.pages_start),
            pages.first.eq(bridge.pages_first),
            bridge.pages.eq(pages.word),
            bridge.pages_done.eq(pages.done),
            self.busy.eq(~v3d.idle),
        ]
        self._reset(m, bridge, gate, pages, resets)
        self._errors(m, tag_bits, resets)
        self._facts(m, bridge, resets)
        return m

    def _reset(self, m, bridge, gate, pages, resets):
        """The GPU is reset when memory owes it nothing, for as long as it takes to forget its pages."""
        m.d.comb += [gate.close.eq(bridge.reset), bridge.reset_done.eq(resets & pages.done)]
        with m.If(bridge.reset & gate.drained & ~resets):
            m.d.comb += pages.clear.eq(1)
            m.d.sync += resets.eq(1)
        with m.If(bridge.reset_done):
            m.d.sync += resets.eq(0)

    def _errors(self, m, tag_bits, resets):
        """Those of memory are told to the GPU if its own request is meant."""
        v3d, memory = self.v3d, self.memory
        owner = memory.bus.responses.payload.tag[tag_bits:]
        m.d.comb += [
            v3d.response_error_stb.eq(memory.error_stb & (owner == _GPU)),
            v3d.response_error_address.eq(memory.error_address),
        ]
        with m.If(resets):
            m.d.sync += self.error.eq(0)
        with m.Elif(v3d.response_error_stb | v3d.vpm_error):
            m.d.sync += self.error.eq(1)

    def _facts(self, m, bridge, resets):
        """What a host may want to know, and a sign of life."""
        v3d = self.v3d
        sizes, errata = config_words(self._config)
        state = {StateBit.IRQ: v3d.irq, StateBit.IDLE: v3d.idle, StateBit.MEMORY_READY: self.memory.ready}
        busy_clocks = Signal.like(bridge.facts[Fact.BUSY_CLOCKS])
        facts = {
            Fact.VERSION: PROTOCOL,
            Fact.CONFIG: sizes,
            Fact.ERRATA: errata,
            Fact.MEMORY_BASE: self.memory.base,
            Fact.MEMORY_BYTES: self.memory.size,
            Fact.CLOCK_HZ: self._clock_hz,
            Fact.GAP_CLOCKS: gap_clocks(self._clock_hz),
            Fact.STATE: Cat(state[bit] for bit in StateBit),
            Fact.BUSY_CLOCKS: busy_clocks,
        }
        m.d.comb += [bridge.facts[fact].eq(value) for fact, value in facts.items()]
        m.d.sync += busy_clocks.eq(Mux(resets, 0, busy_clocks + ~v3d.idle))
        half = max(1, self._clock_hz // 2)
        clock = Signal(range(half))
        m.d.sync += clock.eq(Mux(clock == half - 1, 0, clock + 1))
        with m.If(clock == half - 1):
            m.d.sync += self.heartbeat.eq(~self.heartbeat)
