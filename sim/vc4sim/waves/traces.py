"""What a wave viewer shows of a run: the stages of the first QPU one after the other, then stalls, memory and the VPM."""

from ..bench.gpu import GpuBench

__all__ = ["STAGE_TITLES", "traces"]

#: The stages as the guide calls them; what IO does for a quad is WB a clock later.
STAGE_TITLES = {
    "sp": "SP",
    "ra": "RA",
    "ra2": "RA2",
    "ru": "RU",
    "rr": "RR",
    "a0": "A0",
    "a1": "A1",
    "a2": "A2",
    "io": "IO/WB",
}


def traces(bench: GpuBench) -> dict:
    """Signals of a bench that was built for waves, by the title of their group, as Amaranth's simulator takes them."""
    if bench.probe is None:
        raise ValueError("the bench is not built for waves")
    stages = {title: list(bench.probe.stages[stage].values()) for stage, title in STAGE_TITLES.items()}
    vpm, trace = bench.v3d.slices[0].vpm[0], bench.trace[0]
    return {
        "run": [bench.cycles, bench.retired_count[0], trace.running],
        **stages,
        "stall": [bench.probe.stall, trace.stall.as_value()],
        "memory": {name: _stream(getattr(bench.v3d.bus, name)) for name in ("requests", "writes", "responses")},
        "VPM": [*_stream(vpm.writes), *_stream(vpm.reads), vpm.store_busy, vpm.load_busy],
    }


def _stream(stream) -> list:
    return [stream.valid, stream.ready, stream.payload.as_value()]
