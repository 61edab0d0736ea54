"""The varyings interpolator."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from vc4.common.arbiter import RoundRobin
from vc4.common.ram import BlockRam
from vc4.fep.structs import PLANE_SLOTS, PLANES, FragmentQuad, PlaneSlot, PlaneWrite
from vc4.isa.registers import QUADS
from vc4.pse.structs import PlaneCoefficients
from vc4.qpu.structs import THREADS
from vc4.records.quads import QUAD_PIXELS

from .varying_port import VaryingPort
from .varying_quads import VaryingQuads
from .varying_store import VaryingStore
from .varying_structs import varying_step
from .varying_sums import VaryingSums
from .varying_thread import VaryingThread

__all__ = ["Vri"]


class Vri(wiring.Component):
    """Interpolates the varyings of the fragments that the QPUs of a slice have (guide, section 6; docs/reference/rendering.md).

    Behaviour: each thread with a vector gets its varyings in their order, up to two ahead of its program, and threads with room
    take turns. A quad of a varying takes 4 / `lanes` clocks, one after the other. After the last varying zeros are taken.
    A vector whose last quad came in clock c has its first varying, if no other thread is served, from clock c + 31 on with one
    lane, 22 with two, and 17 with four.

    Coefficients and slot of a primitive are written before its first quad comes, and stay until all vectors with it have ended.

    Parameters
    ----------
    qpus : of the slice
    lanes : pixels a clock: 1, 2 or 4

    Interface attributes
    --------------------
    plane_write, plane_write_stb : strobe: coefficients of a plane
    slot_write, slot, slot_write_stb : strobe: what is known of a primitive
    quad, quad_stb : strobes: a quad of a vector for a QPU; all four of them, 0 first, after the vector before has ended
    ports : of each QPU
    """

    def __init__(self, qpus: int, lanes: int):
        self._qpus = qpus
        self._lanes = lanes
        super().__init__(
            {
                "plane_write": In(PlaneWrite),
                "plane_write_stb": In(1),
                "slot_write": In(PlaneSlot),
                "slot": In(range(PLANE_SLOTS)),
                "slot_write_stb": In(1),
                "quad": In(FragmentQuad),
                "quad_stb": In(qpus),
                "ports": In(VaryingPort()).array(qpus),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.varying_quads = quads = VaryingQuads(self._qpus)
        threads = [VaryingThread() for _ in range(self._qpus * THREADS)]
        ended = Signal(len(threads))
        m.d.comb += [
            ended.eq(Cat(port.ended for port in self.ports)),
            *(quads.slot_write.eq(self.slot_write), quads.slot.eq(self.slot)),
            quads.slot_write_stb.eq(self.slot_write_stb),
            *(quads.quad.eq(self.quad), quads.quad_stb.eq(self.quad_stb)),
        ]
        for number, thread in enumerate(threads):
            m.submodules[f"thread_{number}"] = thread
            m.d.comb += [
                thread.begins.eq(quads.begins & (quads.thread == number)),
                *(thread.count.eq(quads.count), thread.ended.eq(ended[number])),
            ]
        step, number = self._turns(m, threads, ended)
        stores = self._take(m, threads)
        self._compute(m, quads, threads, stores, step, number, ended)
        return m

    def _turns(self, m, threads, ended):
        """Whose varying is computed; returns the step of this clock, and the number of the varying."""
        m.submodules.turns = turns = RoundRobin(len(threads))
        steps = QUAD_PIXELS // self._lanes
        step = Signal(varying_step(len(threads), steps))
        number = Signal.like(threads[0].number)
        phase = Signal(range(QUADS * steps))
        over = Signal()
        loads = Signal()
        m.d.comb += [
            over.eq(phase == QUADS * steps - 1),
            turns.requests.eq(Cat(thread.ready for thread in threads) & ~ended),
            loads.eq((~step.valid | over) & turns.requests.any()),
            turns.advance.eq(loads),
            *(thread.loads.eq(loads & grant) for thread, grant in zip(threads, turns.grant_onehot, strict=True)),
            Cat(step.step, step.quad).eq(phase),
            step.last.eq(over),
        ]
        with m.If(over | loads):
            m.d.sync += phase.eq(0)
        with m.Elif(step.valid):
            m.d.sync += phase.eq(phase + 1)
        m.d.sync += step.valid.eq(loads | (step.valid & ~over & ~ended.bit_select(step.thread, 1)))
        with m.If(loads):
            m.d.sync += step.thread.eq(turns.grant)
            for thread, grant in zip(threads, turns.grant_onehot, strict=True):
                with m.If(grant):
                    m.d.sync += [step.held.eq(thread.held), number.eq(thread.number)]
        return step, number

    def _take(self, m, threads):
        """What QPUs take; returns where it is."""
        stores = []
        for number, port in enumerate(self.ports):
            m.submodules[f"store_{number}"] = store = VaryingStore(self._lanes)
            stores.append(store)
            own = threads[number * THREADS : (number + 1) * THREADS]
            m.d.comb += [
                port.there.eq(Cat(thread.there for thread in own)),
                *(port.taken.eq(store.o), store.read.quad.eq(port.quad), store.read.thread.eq(port.thread)),
                store.read.held.eq(Mux(port.thread, own[1].kept, own[0].kept)),
                store.shows.eq(port.shows),
                store.zero.eq(Mux(port.thread, own[1].zero, own[0].zero)),
            ]
            for place, thread in enumerate(own):
                takes = port.take & (port.thread == place)
                m.d.comb += [
                    thread.takes_first.eq(takes & (port.quad == 0)),
                    thread.takes_last.eq(takes & (port.quad == QUADS - 1)),
                ]
        return stores

    def _compute(self, m, quads, threads, stores, step, number, ended):
        """From the quad of a step to its results."""
        m.submodules.planes = planes = BlockRam(Shape.cast(PlaneCoefficients).width, PLANES, exclusive=True)
        m.submodules.varying_sums = sums = VaryingSums(self._lanes)
        # In each clock: the step; its quad; its plane; then sums; the results.
        steps = [step]
        for clock in range(sums.latency + 2):
            after = Signal(step.shape(), name=f"step_{clock}")
            before = steps[-1]
            m.d.sync += [after.eq(before), after.valid.eq(before.valid & ~ended.bit_select(before.thread, 1))]
            steps.append(after)
        _, placed, read, *_, done = steps
        address = Signal(range(PLANES))
        m.d.sync += [address.eq(quads.o.base + number), sums.dx.eq(quads.o.dx), sums.dy.eq(quads.o.dy)]
        plane = data.View(PlaneCoefficients, planes.read_data)
        m.d.comb += [
            *(quads.read_thread.eq(step.thread), quads.read_quad.eq(step.quad)),
            *(planes.write_address.eq(self.plane_write.number), planes.write_data.eq(self.plane_write.plane)),
            planes.write_enable.eq(self.plane_write_stb),
            *(planes.read_address.eq(address), planes.read_enable.eq(placed.valid)),
            *(sums.a.eq(plane.a), sums.b.eq(plane.b), sums.step.eq(placed.step)),
        ]
        results = Signal(sums.o.shape(), reset_less=True)
        m.d.sync += results.eq(sums.o)
        for qpu, store in enumerate(stores):
            m.d.comb += [
                *(store.values.eq(results), store.step.eq(done.step), store.c.eq(plane.c)),
                *(store.stb.eq(_is_of(done, qpu)), store.c_stb.eq(_is_of(read, qpu))),
                *(_place(store.place, done), _place(store.c_place, read)),
            ]
        for place, thread in enumerate(threads):
            m.d.comb += thread.completes.eq(done.valid & done.last & (done.thread == place))


def _is_of(step, qpu):
    """Whether there is a step of a QPU."""
    return step.valid & (step.thread >> 1 == qpu)


def _place(place, step):
    """Where the quad of a step is kept."""
    return place.quad.eq(step.quad), place.held.eq(step.held), place.thread.eq(step.thread[0])
