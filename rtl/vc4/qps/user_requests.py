"""User programs that wait for a QPU."""

from amaranth import *
from amaranth.hdl import Assert
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam
from vc4.qpu.structs import UNIFORM_LENGTH_BITS, ProgramStart
from vc4.regs.scheduler import REQUESTS

__all__ = ["UserRequests"]

_WIDTH = data.Layout.cast(ProgramStart).size


class UserRequests(wiring.Component):
    """The queue of user programs that the host asks for (guide, V3D_SRQPC and V3D_SRQCS).

    Behaviour: a request is at the output in the clock after it was made, and one may come and go in every clock. If all
    places are taken the request is lost and the error is kept; while it is, further requests are lost too. A request
    that is made in the clock that clears the queue goes the same way.

    Interface attributes
    --------------------
    pc, pc_stb : a request is made, to run a program from this address on
    uniforms, length : the address and number of its uniforms
    clear_queue, clear_made, clear_error : strobes: drop all requests, begin to count anew, forget the error
    o : stream of programs, never threaded; may be withdrawn by `clear_queue`
    queued : number of requests that wait
    made : number of requests that were made, the lost ones too, modulo 256
    error : a request has been lost
    """

    pc: In(32)
    pc_stb: In(1)
    uniforms: In(32)
    length: In(UNIFORM_LENGTH_BITS)
    clear_queue: In(1)
    clear_made: In(1)
    clear_error: In(1)
    o: Out(stream.Signature(ProgramStart))
    queued: Out(6)
    made: Out(8)
    error: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.places = places = LutRam(_WIDTH, REQUESTS)
        level = Signal(range(REQUESTS + 1))
        next_level = Signal.like(level)
        valid = Signal()
        full = Signal()
        comes = Signal()
        leaves = Signal()
        request = Signal(ProgramStart)
        m.d.comb += [
            full.eq(level == REQUESTS),
            comes.eq(self.pc_stb & ~full & ~self.error),
            leaves.eq(valid & self.o.ready),
            next_level.eq(Mux(self.clear_queue, 0, level + comes - leaves)),
            request.pc.eq(self.pc),
            request.uniforms.eq(self.uniforms),
            request.length.eq(self.length),
            places.write_data.eq(request),
            places.write_enable.eq(comes),
            self.o.valid.eq(valid),
            Value.cast(self.o.payload).eq(places.read_data),
            self.queued.eq(level),
        ]
        m.d.sync += [
            level.eq(next_level),
            valid.eq(next_level != 0),
            self.made.eq(Mux(self.clear_made, 0, self.made) + self.pc_stb),
            self.error.eq((self.error & ~self.clear_error) | (self.pc_stb & full)),
        ]
        for address, moves in (places.write_address, comes), (places.read_address, leaves):
            place = Signal.like(address)
            m.d.comb += address.eq(place)
            with m.If(self.clear_queue):
                m.d.sync += place.eq(0)
            with m.Elif(moves):
                m.d.sync += place.eq(Mux(place == REQUESTS - 1, 0, place + 1))
        m.d.sync += [
            Assert(level <= REQUESTS, "more requests wait than there is room for"),
            Assert(valid == (level != 0), "the queue is wrong about being empty"),
        ]
        return m
