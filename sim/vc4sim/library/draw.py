"""Draws frames on an engine."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from vc4.config import V3DConfig
from vc4.regs.counters import SOURCES

from ..backends.base import Waves
from ..clist import Capture, CaptureJob
from ..lockstep import Difference
from ..model.memory import Memory
from ..problem import BadInput
from ..render.host import Host
from ..render.picture import picture_of
from ..render.sizes import tile_size
from ..timeline import Names
from ..timeline.model_frames import ModelFrameTimeline
from ..timeline.timeline import timeline_of
from ..timeline.trace_file import TraceFile
from .execute import Setup
from .frame import DrawnJob, Frame
from .presets import named, of_board

if TYPE_CHECKING:
    from ..timeline.frames import FrameTimeline

__all__ = ["Progress", "draw"]

#: Called with the number of tiles that are drawn, now and then.
Progress = Callable[[int], object]
#: Column and row of a tile.
_Tile = tuple[int, int]

#: Configurations of who does not choose one: a model has no clocks to save.
_ON_THE_MODEL, _ON_THE_RTL = "bcm2835", "gpu"
#: What is counted on the RTL: as many sources as there are counters.
_COUNTED = tuple(
    source.name
    for source in SOURCES
    if source.name.startswith(("FEP", "PSE", "TLB", "QPU_CLOCKS", "QPU_STALLS")) and not source.name.endswith("COVERED")
)
#: Labels of numbers of instructions.
_OF_VERTICES, _OF_FRAGMENTS = "instructions for vertices", "instructions for fragments"
_Window = tuple[slice, slice]
_ALL: _Window = slice(None), slice(None)


def draw(
    capture: Capture,
    setup: Setup,
    *,
    tile: _Tile | None = None,
    waves: Waves | None = None,
    timeline: Path | None = None,
    progress: Progress = lambda tiles: None,
) -> Frame:
    """Draw all jobs of a frame.

    tile : draw only this one of the last job; on the RTL all of it is drawn, and only the clocks of the tile count for `stages` and waves
    waves : of the last job, to write
    timeline : file for one, see `docs/user/profiling.md`

    Raises `BadInput` if the frame cannot be drawn, or has no such tile, and `Difference` in lockstep, with the name of the job as a note.
    """
    start = time.perf_counter()
    if setup.engine.is_board and (tile or timeline):
        raise BadInput(f"{setup.on}: a board tells no timeline, and draws whole frames")
    drawing = (_OnTheRtl if setup.engine.is_rtl else _OnTheModel)(capture, setup, progress)
    *first, last = capture.jobs
    about = {"is_rtl": setup.engine.is_rtl, "program": capture.name, "engine": setup.on}
    with timeline_of(timeline, drawing.tell, **about) if timeline else nullcontext():
        jobs = [*(drawing.draw(job) for job in first), drawing.draw(last, tile, waves)]
    picture = picture_of(capture, drawing.memory)
    window = drawing.window(tile) if tile else _ALL
    if not picture[window].size:
        raise BadInput(f"{capture.name}: has no tile {','.join(map(str, tile or ()))}")
    return Frame(
        capture=capture,
        picture=picture,
        window=window,
        jobs=tuple(jobs),
        compared=drawing.compared,
        seconds=time.perf_counter() - start,
    )


def _window(tile: _Tile, width: int, height: int) -> _Window:
    """Rows and columns of a tile of so many pixels."""
    column, row = tile
    return slice(row * height, (row + 1) * height), slice(column * width, (column + 1) * width)


def _config_of(capture: Capture, setup: Setup) -> V3DConfig:
    """What draws on the RTL."""
    if setup.engine.config is None:
        return named(setup.config or _ON_THE_RTL, setup.errata).config.drawing
    choice = of_board(setup.engine.config(), setup.config, setup.errata)
    if choice.config != choice.config.drawing:
        raise BadInput(f"{capture.name}: the board has {choice.name}, which draws no frames")
    return choice.config


class _OnTheModel:
    """The model draws: `memory` is what it leaves."""

    compared = None

    def __init__(self, capture: Capture, setup: Setup, progress: Progress):
        self._host = Host(capture, named(setup.config or _ON_THE_MODEL, setup.errata).config)
        self._name, self._progress, self._tiles = capture.name, progress, 0
        self._timeline: ModelFrameTimeline | None = None
        self.memory = self._host.memory

    def tell(self, file: TraceFile) -> ModelFrameTimeline:
        """The timeline of what is drawn from now on."""
        self._timeline = ModelFrameTimeline(file, self._host.gpu)
        return self._timeline

    def draw(self, job: CaptureJob, tile: _Tile | None = None, waves: Waves | None = None) -> DrawnJob:
        """Draw a job."""
        gpu = self._host.gpu
        events, shading = gpu.events, self._shading()
        gpu.renderer.only = tile
        binned = self._timeline.end_binning if self._timeline else lambda: None
        for begun in self._host.run(job, binned=binned):
            self._progress(self._tiles + begun)
        if self._timeline:
            self._timeline.end_job(job.name)
        self._tiles += len(gpu.renderer.tiles)
        shaded = {label: count - shading[label] for label, count in self._shading().items()}
        return DrawnJob(
            name=f"{self._name}, {job.name}",
            instructions=shaded[_OF_VERTICES] + shaded[_OF_FRAGMENTS],
            counters=gpu.events - events,
            shading=shaded,
        )

    def _shading(self) -> dict[str, int]:
        """What shaders have done since the beginning."""
        gpu = self._host.gpu
        vertices = gpu.binner.shading, gpu.renderer.screen.shading
        return {
            "vertices shaded": sum(one.shaded for one in vertices),
            _OF_VERTICES: sum(one.shaders.instructions for one in vertices),
            "vectors of fragments": gpu.renderer.fragments.vectors,
            _OF_FRAGMENTS: gpu.fragment_shader.shaders.instructions,
        }

    def window(self, tile: _Tile) -> _Window:
        """Where a tile of the last job is."""
        shape = self._host.gpu.renderer.tile.shape
        return _window(tile, shape.width, shape.height)


class _OnTheRtl:
    """The RTL draws, perhaps with the model beside it.

    memory : what it leaves
    compared : instructions that the model has done, too
    """

    def __init__(self, capture: Capture, setup: Setup, progress: Progress):
        from ..frames.host import DrawHost  # it takes a second: who wants the model need not wait for that

        self._config = _config_of(capture, setup)
        self._host = DrawHost(capture, self._config, setup.on, counted=_COUNTED, **setup.pace)
        self._capture, self._lockstep, self._progress, self._tiles = capture, setup.lockstep, progress, 0
        self._timeline: FrameTimeline | None = None
        self.compared = 0 if setup.lockstep else None

    def tell(self, file: TraceFile) -> "FrameTimeline":
        """The timeline of what is drawn from now on."""
        from ..timeline.frames import FrameTimeline

        self._timeline = FrameTimeline(file, self._config, Names())
        return self._timeline

    @property
    def memory(self) -> Memory:
        """What it leaves."""
        return self._host.memory

    def draw(self, job: CaptureJob, tile: _Tile | None = None, waves: Waves | None = None) -> DrawnJob:
        """Draw a job."""
        name = f"{self._capture.name}, {job.name}"
        try:
            run, beside = self._host.run(
                job,
                lockstep=self._lockstep,
                waves=waves,
                tile=tile,
                progress=lambda tiles: self._progress(self._tiles + tiles),
                timed=self._timeline,
            )
        except Difference as difference:
            difference.add_note(name)
            raise
        if self._timeline:
            self._timeline.end_job(job.name, run)
        self._tiles += len(run.tiles)
        if beside:
            self.compared = (self.compared or 0) + beside.retired
        return DrawnJob(
            name=name,
            instructions=run.instructions,
            cycles=run.cycles,
            counters=run.counts,
            tiles=run.tiles,
            stages=run.stages,
        )

    def window(self, tile: _Tile) -> _Window:
        """Where a tile is, if the case says how large tiles are; else all."""
        size = tile_size(self._capture.jobs[-1])
        return _window(tile, *size) if size else _ALL
