"""A GPU with its memory: arrays go in, programs run, arrays come out."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from vc4.config import MAX_QPUS, PRESETS, V3DConfig, preset
from vc4.errata import Erratum

from ..asm import SourceMap
from ..backends.base import Watcher, Waves
from ..backends.engines import able
from ..clist import Capture, load_capture
from ..model.memory import Memory
from ..model.v3d import V3D
from ..problem import BadInput
from ..workload import Workload, read_program
from ..workload.array_type import ArrayType, element_type
from ..workload.example import frame_folder
from ..workload.layout import Start, Uniform, launches_of, lists_of, places_of
from ..workload.memory import GpuMemory
from .array import Array
from .draw import Progress, draw
from .execute import Listening, Setup, execute
from .frame import Frame
from .registers import Registers
from .result import DidNotEnd, Result

__all__ = ["Gpu", "assemble"]


def assemble(source: str | Path, folders: Sequence[Path] = ()) -> SourceMap:
    """A program from assembly, or from words.

    source : a source of more than one line; or a file, by its path or name, with assembly, or with words if its name ends with
        .bin, .hex, .c or .h
    folders : where included files may lie

    Raises `AsmError` with all that is wrong with a source, and `BadInput` for a file that cannot be read; both are `ValueError`.
    """
    if isinstance(source, str) and "\n" in source:
        return SourceMap.of(source, "<source>", folders)
    return read_program(str(source), folders)


class Gpu:
    """A GPU in front of memory that is its own. Parameters are those of `Setup`.

    memory : all bytes that are in use, by their addresses, see `GpuMemory`
    registers : see `Registers`
    """

    def __init__(
        self,
        on: str = "model",
        *,
        config: str | V3DConfig | None = None,
        errata: str | Collection[Erratum] = (),
        lockstep: bool = False,
        latency: int = Setup.latency,
        gap: float = Setup.gap,
        seed: int = Setup.seed,
        max_cycles: int | None = None,
    ):
        self._setup = Setup(
            on=on,
            config=config,
            errata=errata,
            lockstep=lockstep,
            latency=latency,
            gap=gap,
            seed=seed,
            max_cycles=max_cycles,
        )
        self.memory = GpuMemory()
        self.registers = Registers(self._after_reset)
        self._programs: dict[bytes, int] = {}

    def assemble(self, source: str | Path, folders: Sequence[Path] = ()) -> SourceMap:
        """See `vc4sim.assemble`: programs know nothing of the GPU."""
        return assemble(source, folders)

    def array(self, values: ArrayLike, dtype: DTypeLike | None = None, *, address: int | None = None) -> Array:
        """A new array with what `values` holds, an array of NumPy or what NumPy takes for one.

        dtype : of its elements: `f32`, `i32`, `u32`, `f16`, `i16`, `u16`, `i8`, `u8`, or as NumPy calls them; that of `values` by default
        address : where it lies, a multiple of the size of an element; wherever there is room by default, at a multiple of 64

        Raises `BadInput` for elements that the GPU does not have, like `float64`, and if something else lies there.
        """
        try:
            found = np.asarray(values, None if dtype is None else element_type(dtype))
        except (TypeError, ValueError, OverflowError) as error:
            raise BadInput(f"no array of the GPU: {error}") from None
        type = ArrayType.of(found)
        return self._place(type, type.data(found), address)

    def empty(self, shape: int | Sequence[int], dtype: DTypeLike = "f32", *, address: int | None = None) -> Array:
        """A new array of zeros, see `array`.

        shape : elements along each axis, or their number
        """
        type = ArrayType(element_type(dtype), (shape,) if isinstance(shape, int) else tuple(shape))
        return self._place(type, type.nbytes, address)

    def _place(self, type: ArrayType, content: bytes | int, address: int | None) -> Array:
        if address is not None and address % type.dtype.itemsize:
            raise BadInput(
                f"an array of {type.dtype} must lie at a multiple of {type.dtype.itemsize}, not {address:#x}"
            )
        return Array(self.memory, self.memory.place("an array", content, address), type)

    def run(
        self,
        program: SourceMap | str | Path,
        uniforms: Sequence[Uniform] = (),
        *,
        qpus: int | None = None,
        starts: Sequence[Start] = (),
        watch: Watcher | None = None,
        waves: Waves | str | Path | None = None,
        timeline: str | Path | None = None,
        strict: bool = False,
        allow: Collection[str] = (),
    ) -> Result:
        """Run a program to its end, on one QPU or on several at once; memory has then what it has stored.

        program : as `assemble` gives it, or what that takes
        uniforms : what it reads there, one after the other: integers, floats, and arrays, of which it gets the address; as text, like
            `&label`, what `vc4 run --uniform` takes
        qpus : so many run it at the same time, all with these uniforms, 1 by default; `qpu_num` tells them apart
        starts : instead of `uniforms`, launches with uniforms of their own, each with the label where it begins; all run at the same time, or
            as many of them as `qpus` says
        watch : called with every `vc4sim.events.Event`; the run is slower then. Without a `config` of the GPU a program may be run again
            on a larger one, and all of that is told
        waves : VCD file to write, with a view for GTKWave beside it; not on `model` and `native`
        timeline : JSON file to write, which says what happened when, as `vc4 run --timeline` does
        strict : hold every instruction against the rules of `vc4 check`
        allow : numbers of rules that are left out, like R4

        Raises `BadInput` for what makes no sense, or needs another GPU; `DidNotEnd` if it waits for ever or goes on for too long;
        `Difference` if RTL and model have done different things in lockstep; `Broken` if it breaks a rule and that is not allowed.
        """
        found = program if isinstance(program, SourceMap) else assemble(program)
        if starts and uniforms:
            raise BadInput("starts have uniforms of their own, so there are no others")
        if qpus is not None and qpus not in range(1, MAX_QPUS + 1):
            raise BadInput(f"qpus must be 1 to {MAX_QPUS}, not {qpus!r}")
        launches = starts or [Start(uniforms=uniforms)] * (qpus or 1)
        workload = self._workload(found, launches, qpus or len(launches))
        listening = Listening(
            watch=lambda: nullcontext(watch),
            waves=self._waves(waves),
            timeline=Path(timeline) if timeline else None,
            strict=strict,
            allow=allow,
            writes=self.registers.writes,
            reads=tuple(self.registers),
        )
        try:
            result = execute(workload, self._setup, listening)
        except DidNotEnd as end:
            self._take(workload, end.result)
            raise
        self._take(workload, result)
        return result

    def render(
        self,
        frame: Capture | str | Path,
        *,
        tile: tuple[int, int] | None = None,
        waves: Waves | str | Path | None = None,
        timeline: str | Path | None = None,
        progress: Progress = lambda tiles: None,
    ) -> Frame:
        """Draw a frame, with memory of its own.

        frame : a folder with a case, by its path or name, the name of an example, or what `vc4sim.clist.new_capture` makes of lists
        tile : column and row of the only one that is drawn of the last job; on the RTL all are, and that one is watched
        waves : VCD file to write of the last job, as in `run`
        timeline : JSON file to write, as in `run`
        progress : called with the number of tiles that are drawn, now and then

        Raises `BadInput` for a frame that cannot be drawn, or has no such tile, and `Difference` in lockstep.
        """
        capture = frame if isinstance(frame, Capture) else load_capture(frame_folder(Path(frame)))
        return draw(
            capture,
            self._setup,
            tile=tile,
            waves=self._waves(waves),
            timeline=Path(timeline) if timeline else None,
            progress=progress,
        )

    def _workload(self, program: SourceMap, starts: Sequence[Start], qpus: int) -> Workload:
        """The memory with the program, which stays there, and with the uniforms, which do not."""
        code = program.program.code
        if not code:
            raise BadInput(f"{program.filename}: there are no instructions")
        if code not in self._programs:
            self._programs[code] = self.memory.place("the program", code)
        address, memory = self._programs[code], self.memory.copy()
        lists = lists_of(starts, memory)
        return Workload(
            name=program.filename,
            launches=launches_of(starts, lists, places_of(program.program, address), memory),
            image=memory.data.tobytes(),
            base=memory.base,
            qpus=qpus,
            code=range(address, address + len(code)),
            source=replace(program, start=address - memory.base),
        )

    def _take(self, workload: Workload, result: Result) -> None:
        """What a run has left in memory and registers."""
        first = self.memory.base - workload.base
        self.memory.write(self.memory.base, result.memory[first : first + len(self.memory)])
        self.registers.see(result.registers)

    def _waves(self, waves: Waves | str | Path | None) -> Waves | None:
        """Those to write. Raises `BadInput` if the engine writes none."""
        if waves and not self._setup.engine.has_waves:
            raise BadInput(f"{self._setup.on} writes no waves: {' and '.join(able('has_waves'))} do")
        return Waves(Path(waves)) if isinstance(waves, str | Path) else waves

    def _after_reset(self) -> Mapping[str, int]:
        """All registers."""
        own = self._setup.engine.config
        config = own() if own else self._setup.config or next(iter(PRESETS))
        model = V3D(config if isinstance(config, V3DConfig) else preset(config), Memory(0))
        return {name: model.read(name) for name in self.registers}
