"""The two hardware threads: which one runs, where the other one goes on, and programs on their way in."""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.compare import equal
from vc4.isa.word import ALIGNED_BITS
from vc4.slice.uniform_reader import UniformStream

from .structs import SERIES_BITS, THREADS, ProgramStart, ThreadView

__all__ = ["Threads"]


class Threads(wiring.Component):
    """Takes programs, and chooses which thread runs next (guide, section 3, thread control).

    A program that may share the QPU takes the place of the one that has ended, before a suspended one goes on, or it takes
    the free place beside a program that switches. Any other program waits until nothing is left. With every program the
    lowest bit of the register addresses of its place is inverted.

    Threads of fragments share a QPU only if both run the same program. They go on in turn, as results of texture units come in the
    order of the lookups, and wait for the scoreboard after their last switch: with as many switches in both, the older one is
    there first, and never waits for the other.

    A shader of fragments may have the free place before the running one switches or ends, so that its quads and varyings come
    meanwhile; also one that does not share, after one that does not. It begins before any other program is taken.

    Interface attributes
    --------------------
    start : programs
    running : a thread is in SP
    closing : no program is taken
    settled : no instruction on its way moves the uniform stream
    asks : the running thread would let another one go on
    leaves, resume_pc : it does, and goes on at `resume_pc` some day
    offers : as an answer to `asks`, there is another one
    enters : nothing runs, and a thread begins or goes on with the next clock
    pc : where the one that is offered or enters begins or goes on
    current : of the next instruction that SP takes
    waiting : a thread is suspended
    uniform_start, uniform_start_stb : the first uniform of a program that is taken
    entered : the thread that enters
    ends : the program in SP has ended
    place : the thread that a program would get
    ended : a program has ended in this thread, one bit each, a clock later
    """

    start: In(stream.Signature(ProgramStart))
    running: In(1)
    closing: In(1)
    settled: In(1)
    asks: In(1)
    leaves: In(1)
    resume_pc: In(32)
    offers: Out(1)
    enters: Out(1)
    pc: Out(32)
    current: Out(ThreadView)
    waiting: Out(1)
    uniform_start: Out(UniformStream)
    uniform_start_stb: Out(1)
    entered: Out(1)
    ends: In(1)
    place: Out(1)
    ended: Out(THREADS)

    def elaborate(self, platform):
        m = Module()
        start = self.start.payload
        thread = Signal()
        other = ~thread
        shares = Signal()  # what runs may share the QPU
        draws = Signal()  # it is a shader of fragments
        suspended = Signal(THREADS)
        banks = Signal(THREADS)
        resume = [Signal(32, name=f"resume_pc_{number}") for number in range(THREADS)]
        resumes = Signal()  # the other thread can go on
        takes = Signal()  # a program is taken
        place = Signal()  # its thread
        fits = Signal()  # it may share the QPU with the program that is there
        series = Signal(SERIES_BITS)
        beside = Signal()  # there is room for it beside the one that runs
        behind = Signal()  # or after that one
        fresh = Signal()  # the suspended one has not begun
        begins = Signal()  # a program may be taken if nothing runs
        comes = Signal()  # there is one

        m.d.comb += [
            resumes.eq(suspended.bit_select(other, 1)),
            comes.eq(self.start.valid & ~self.closing),
            fits.eq(start.threaded & (~start.fragments | equal(m, start.series, series, "series_pairs"))),
            beside.eq(self.asks & shares & fits & ~resumes),
            behind.eq(self.running & draws & start.fragments & ~resumes & Mux(shares, fits, ~start.threaded)),
            begins.eq((fits & shares & ~fresh) | ~self.waiting),
            self.start.ready.eq(~self.closing & (beside | behind | (~self.running & self.settled & begins))),
            takes.eq(self.start.valid & self.start.ready),
            place.eq(Mux(self.running, other, thread & start.threaded)),
            # What is taken is known late, so both ask what lets a program be taken then.
            self.offers.eq(shares & (resumes | (comes & fits))),
            self.enters.eq(~self.running & self.settled & (resumes | (comes & begins))),
            self.entered.eq(Mux(takes, place, other)),
            self.pc[ALIGNED_BITS:].eq(Mux(takes, start.pc, Mux(other, resume[1], resume[0]))[ALIGNED_BITS:]),
            self.waiting.eq(suspended.any()),
            *(self.current.thread.eq(thread), self.current.bank.eq(banks.bit_select(thread, 1))),
            self.uniform_start_stb.eq(takes),
            self.uniform_start.thread.eq(place),
            *(self.uniform_start.address.eq(start.uniforms), self.uniform_start.length.eq(start.length)),
            self.place.eq(place),
        ]
        m.d.sync += self.ended.eq(Mux(self.ends, 1 << thread, 0))
        with m.If(takes):
            m.d.sync += [shares.eq(start.threaded), banks.eq(banks ^ (1 << place)), series.eq(start.series)]
            m.d.sync += draws.eq(start.fragments)
        for number in range(THREADS):
            with m.If(takes & self.running & (other == number)):
                m.d.sync += [resume[number][ALIGNED_BITS:].eq(self.pc[ALIGNED_BITS:]), suspended[number].eq(1)]
            with m.If(self.leaves):
                m.d.sync += suspended[number].eq(thread == number)
                with m.If(thread == number):
                    m.d.sync += resume[number][ALIGNED_BITS:].eq(self.resume_pc[ALIGNED_BITS:])
        m.d.sync += fresh.eq((fresh | (takes & self.running)) & ~self.leaves & ~self.enters)
        with m.If(self.leaves):
            m.d.sync += thread.eq(other)
        with m.If(self.enters):
            m.d.sync += [thread.eq(self.entered), suspended.bit_select(self.entered, 1).eq(0)]
        return m
