"""The wires between a QPU and its texture units."""

from amaranth import *
from amaranth.lib.wiring import In, Out

from vc4.records.tmu import TMU_NAMES
from vc4.tmu.port import TmuParameter, TmuPort

__all__ = ["LOOKUP_PORTS", "attach_lookups"]

#: Ports of a QPU whose slice has texture units.
LOOKUP_PORTS = {
    **{f"tmu{number}": Out(TmuPort()) for number in range(TMU_NAMES)},
    "tmu_parameter": Out(TmuParameter),
    "tmu_swaps": In(1),
    "waits_tmu": Out(1),
}


def attach_lookups(m, qpu):
    """The texture units: parameters leave in IO; words are loaded in RA. Returns what is loaded, see `attach_loads`."""
    front, outputs, ra = qpu.front, qpu.outputs, qpu.pipeline.ra
    units = [getattr(qpu, f"tmu{number}") for number in range(TMU_NAMES)]
    loads, unit = ra.live & ra.issued.control.loads_tmu, ra.issued.control.tmu_load_unit
    m.d.comb += [
        *(front.tmu_swaps.eq(qpu.tmu_swaps), qpu.tmu_parameter.eq(outputs.tmu)),
        *(getattr(front, name).eq(getattr(outputs, name)) for name in ("sets_swap", "swap_disabled")),
        front.swap_thread.eq(qpu.pipeline.io.issued.view.thread),
    ]
    m.d.sync += qpu.waits_tmu.eq(front.sp_valid & (front.stall.tmu_slot | front.stall.tmu_result))
    for number, port in enumerate(units):
        events = front.tmu_events[number]
        m.d.comb += [
            port.parameter_stb.eq(outputs.tmu_stb[number]),
            port.load.eq(loads & (unit == number)),
            *(getattr(events, name).eq(getattr(port, name)) for name in ("freed", "blocked", "done")),
            events.came.eq(port.came_stb),
        ]
    return [(loads & (unit == number), port.result) for number, port in enumerate(units)]
