"""The wires between a QPU and its texture units."""

from amaranth import *

from vc4.records.tmu import TMU_NAMES

__all__ = ["attach_lookups"]


def attach_lookups(m, qpu):
    """The texture units: parameters leave in IO; a word is loaded in RA, and is in r4 for the next instruction."""
    front, outputs, r4, ra = qpu.front, qpu.outputs, qpu.r4, qpu.pipeline.ra
    units = [getattr(qpu, f"tmu{number}") for number in range(TMU_NAMES)]
    loads, unit = ra.live & ra.issued.control.loads_tmu, ra.issued.control.tmu_load_unit
    quad, loaded = Signal.like(ra.quad, name="loaded_quad"), Signal(name="loaded_unit")
    m.d.sync += [quad.eq(ra.quad), loaded.eq(unit), r4.loaded_stb.eq(loads)]
    m.d.comb += [
        r4.loads.eq(front.issued.control.loads_tmu),
        r4.loaded_quad.eq(quad),
        r4.loaded.eq(Mux(loaded, Value.cast(units[1].result), Value.cast(units[0].result))),
        front.tmu_swaps.eq(qpu.tmu_swaps),
        *(getattr(front, name).eq(getattr(outputs, name)) for name in ("sets_swap", "swap_disabled")),
        front.swap_thread.eq(qpu.pipeline.io.issued.view.thread),
    ]
    m.d.sync += qpu.waits_tmu.eq(front.sp_valid & (front.stall.tmu_slot | front.stall.tmu_result))
    for number, port in enumerate(units):
        events = front.tmu_events[number]
        m.d.comb += [
            port.parameter.eq(outputs.tmu),
            port.parameter_stb.eq(outputs.tmu_stb[number]),
            port.load.eq(loads & (unit == number)),
            *(getattr(events, name).eq(getattr(port, name)) for name in ("freed", "blocked", "done")),
            events.came.eq(port.came_stb),
        ]
