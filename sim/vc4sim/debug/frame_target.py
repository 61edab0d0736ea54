"""A captured frame on the model: programs of vertices and fragments, and what the 3D pipeline does between them.

The pipeline is one long call of the model, so it has a thread of its own, which waits while nobody wants it to go on.
"""

import threading

from vc4.config import V3DConfig

from ..clist import Capture, CaptureJob
from ..events import MemoryWrite, Start
from ..model.v3d import V3D
from ..problem import BadInput
from ..render.host import Host
from .changes import Change, ChangeMemory
from .checkpoints import Checkpoints, Image
from .moment import Goal, Moment
from .target import Target
from .watched_shaders import ShaderRun, WatchedShaders

__all__ = ["FrameTarget"]

#: The thread of programs of the pipeline.
_THREAD = 0


class _Abandoned(BaseException):
    """The run is not wanted any more."""


class FrameTarget(Target):
    """A run of all jobs of a frame; a moment is an instruction, the beginning of a program, or a write to memory.

    capture, job : the frame, and that of its jobs which runs

    To go back within the run of a program, or of those of a queue of fragments, takes a checkpoint; to go back further, all is
    done again, at full speed up to the run in question.
    """

    def __init__(self, capture: Capture, config: V3DConfig):
        super().__init__()
        self.name = capture.name
        self.capture, self._config = capture, config
        self._worker: _Worker | None = None
        #: Where each run begins, as far as it is known.
        self.starts: list[int] = []
        self._begin_again(0)

    def _begin_again(self, run: int) -> None:
        """From the beginning of the frame to that of a run, or to an earlier one, so that all changes are made again."""
        if self.changes.first is not None:
            before = [number for number, start in enumerate(self.starts) if start < self.changes.first]
            run = min(run, before[-1] if before else 0)
        if self._worker:
            self._worker.abandon()
        self.position, self.ending, self.launches = 0, "", {}
        self._worker = _Worker(self, self.capture, self._config, run)

    def close(self) -> None:
        """See `Target`."""
        super().close()
        self._running.abandon()

    @property
    def _running(self) -> "_Worker":
        """What runs."""
        assert self._worker
        return self._worker

    @property
    def gpu(self) -> V3D:
        """See `Target`."""
        return self._running.host.gpu

    @property
    def job(self) -> CaptureJob:
        """That which is drawn."""
        return self._running.job

    def advance(self, goal: Goal, last: int | None = None) -> object:
        """See `Target`."""
        if self.ending or self.position == last or self.interrupted.is_set():
            return None
        return self._running.advance(goal, last)

    def seek(self, position: int) -> None:
        """See `Target`."""
        if position < self.position and not self._running.rewind(position):
            runs = [number for number, start in enumerate(self.starts) if start <= position]
            self._begin_again(runs[-1] if runs else 0)
        self.advance(lambda moment: None, position)

    def change(self, change: Change) -> None:
        """See `Target`."""
        here = self.position
        if not here:
            raise BadInput("nothing can be changed before the frame begins: go on first")
        self.changes.add(here, change)
        is_start = here in self.starts
        del self.starts[sum(start <= here for start in self.starts) :]
        self._running.forget(here)
        if is_start:
            # The run may have begun already, and this comes before it.
            self._begin_again(0)
            self.advance(lambda moment: None, here)
        else:
            self._running.make(change)

    def marks(self, before: int) -> list[int]:
        """See `Target`."""
        runs = [start for start in self.starts if start < before]
        return sorted({0, *runs[-1:], *self._running.marks(before)})

    def wait_of(self, qpu: int) -> str:
        """See `Target`."""
        return self._running.waits.get(qpu, "")


class _Worker:
    """The thread that draws a frame once; it has the watcher's part, see `watched_shaders.Watcher`.

    skipped : runs at the beginning that nobody looks at
    """

    def __init__(self, target: FrameTarget, capture: Capture, config: V3DConfig, skipped: int):
        self._target, self._capture, self._skipped = target, capture, skipped
        self.host, self.job = Host(capture, config), capture.jobs[0]
        self.waits: dict[int, str] = {}
        self._runs = 0
        self._run: ShaderRun | None = None
        self._kept = Checkpoints[Image]()
        self._goal: Goal = lambda moment: None
        self._last: int | None = None
        self._hit: object = None
        self._error: BaseException | None = None
        self._abandoned = False
        #: What memory held where it was changed, with the positions: checkpoints do not have it.
        self._replaced: list[tuple[int, ChangeMemory]] = []
        self._go, self._rested = threading.Semaphore(0), threading.Semaphore(0)
        gpu = self.host.gpu
        for user in (gpu.fragment_shader, gpu.binner.shading, gpu.renderer.screen.shading):
            user.shaders = WatchedShaders(gpu.parts, gpu.qpus, self)
        self.host.memory.on_write = self._write
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def advance(self, goal: Goal, last: int | None) -> object:
        """See `Target`."""
        self._goal, self._last, self._hit = goal, last, None
        self._go.release()
        self._rested.acquire()
        if self._error:
            error, self._error = self._error, None
            raise error
        return self._hit

    def abandon(self) -> None:
        """End the thread."""
        self._abandoned = True
        self._go.release()
        self._thread.join()

    def marks(self, before: int) -> list[int]:
        """Positions of checkpoints."""
        return self._kept.positions(before) if self._run else []

    def rewind(self, position: int) -> bool:
        """Go back to the last checkpoint before a position; returns whether there is one."""
        found = self._kept.latest(position) if self._run else None
        if not found or not self._run:
            return False
        self._target.position, image = found
        image.restore(self.host.gpu.parts.machine, self._run.about)
        while self._replaced and self._replaced[-1][0] >= self._target.position:
            self._replaced.pop()[1].apply(self.host.gpu)
        self._make_changes()
        self._run.rewound = True
        self._target.ending = ""
        self.waits.clear()
        return True

    def forget(self, after: int) -> None:
        """Checkpoints after a position are of another run."""
        self._kept.forget(after)

    def make(self, change: Change) -> None:
        """Make a change, at the position."""
        if isinstance(change, ChangeMemory):
            old = self.host.memory.read(change.address, len(change.data))
            self._replaced.append((self._target.position, ChangeMemory(change.address, old)))
        change.apply(self.host.gpu)

    def _make_changes(self) -> None:
        """Those at the position."""
        for one in self._target.changes.at(self._target.position):
            self.make(one)

    def skips(self) -> bool:
        """See `Watcher`."""
        number = self._runs
        self._runs += 1
        return number < self._skipped

    def begin(self, run: ShaderRun) -> None:
        """See `Watcher`."""
        number, starts = self._runs - 1, self._target.starts
        if number < len(starts):
            self._target.position = starts[number]
        else:
            starts.append(self._target.position)
        self._run, self._kept = run, Checkpoints[Image]()
        self._keep()
        if self._skipped == number and self._target.position == self._last:
            self._wait()

    def tell(self, moment: Moment) -> None:
        """See `Watcher`."""
        if self._abandoned:
            raise _Abandoned
        target = self._target
        target.position += 1
        self.waits = dict(moment.waits)
        if isinstance(moment.event, Start):
            target.launches = {(moment.event.qpu, _THREAD): (moment.kind, moment.event.launch)}
        if self._run and self._kept.wants(target.position):
            self._keep()
        self._hit = self._goal(moment)
        self._make_changes()
        if self._hit is not None or target.position == self._last or target.interrupted.is_set():
            self._wait()

    def end(self) -> None:
        """See `Watcher`."""
        self._run = None

    def _keep(self) -> None:
        assert self._run
        self._kept.add(self._target.position, Image.of(self.host.gpu.parts.machine, self._run.about))

    def _write(self, address: int, data: bytes) -> None:
        if self._abandoned:
            raise _Abandoned
        if self._runs > self._skipped or not self._skipped:
            self.tell(Moment(writes=(MemoryWrite(address, data),)))

    def _wait(self) -> None:
        """Nothing goes on until somebody wants it."""
        self._rested.release()
        self._go.acquire()
        if self._abandoned:
            raise _Abandoned

    def _work(self) -> None:
        try:
            self._go.acquire()
            if not self._abandoned:
                self._draw()
                self._rested.release()
        except _Abandoned:
            return
        except BaseException as error:  # whoever waits must know
            self._error = error
            self._rested.release()

    def _draw(self) -> None:
        self._target.ending = ""
        try:
            for job in self._capture.jobs:
                self.job = job
                for _ in self.host.run(job):
                    pass
            ending = "the frame is drawn"
        except BadInput as error:
            ending = str(error)
        self._hit = None
        self._target.ending = ending
