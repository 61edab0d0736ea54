"""One thread of the control list executor (guide, sections 8 and 9, tables 38 and 49 to 54; pipeline facts, 1.3)."""

from collections.abc import Callable, Iterator
from enum import Enum

from vc4.records.control import RETURN_LEVELS, SEMAPHORE_MAX, ControlCode, Role, Threads

from ..memory import Memory, MemoryFault
from .compressed import ListFormat
from .control_records import ControlRecord, ListError, read_record
from .pipeline import Pipeline, Work
from .primitives import Found, count_of, format_of, primitives_of

__all__ = ["ListThread", "Step"]

_VG_SHADERS = (ControlCode.VG_SHADER_STATE, ControlCode.VG_INLINE_SHADER_RECORD)
_FLUSHES = (ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)


class Step(Enum):
    """What a step has done."""

    IDLE = "nothing: the thread is stopped"
    MOVED = "something"
    WAITS = "nothing: the thread waits"


class ListThread:
    """Executes control lists for one pipeline, a record or a primitive a step.

    current, end : CTLCA, CTLEA
    returns : the return stack
    running, halted : CTRUN; CTSUBS of a thread that is stopped
    stalled : waits for the semaphore
    semaphore : CTSEMA
    prefixing : CTMODE
    flushes, returned, markers : records that were met
    primitives : left in the list
    error : why the thread has stopped, until it runs again
    waits : what the last step waited for, if it did
    finished : is called when a flush, or the last store of a frame, is done; tells whether the other thread's semaphore
        shall count
    """

    def __init__(self, threads: Threads, memory: Memory, pipeline: Pipeline, finished: Callable[[bool], None]):
        self.threads, self.pipeline, self.finished = threads, pipeline, finished
        self._memory = memory
        self.current = self.end = 0
        self.flushes = self.returned = self.markers = self.primitives = 0
        self.waits = ""
        self._configured = False
        self._shader: ControlCode | None = None
        self._format: ListFormat | None = None
        self._fan: list[int] = []
        self._work: Iterator[str] | None = None
        self._list: Iterator[Found] | None = None
        self._record: ControlRecord | None = None
        self.reset()

    def reset(self) -> None:
        """CTRSTA: stop, and forget the list; what the pipeline has begun is finished."""
        self.running = self.halted = self.stalled = self.prefixing = False
        self.error: ListError | None = None
        self.returns: list[int] = []
        self.semaphore = 0
        self._increments = False
        self._leave_list()

    def reset_pipeline(self) -> None:
        """BMRST or RMRST: the pipeline forgets what is under way; if there is something, the thread stops as by a halt."""
        if self.active:
            self.stop()
        self._work = self._list = self._record = None
        self.primitives = 0
        self.pipeline.reset()

    def _leave_list(self) -> None:
        """The list under way has no more primitives."""
        self.primitives = 0
        if self._list is not None:
            self._list = iter(())

    @property
    def active(self) -> bool:
        """The pipeline has something to do."""
        return self._work is not None or self._list is not None

    def set_current(self, address: int) -> None:
        """A write of CTnCA, which does nothing while the thread runs: a new list."""
        if not self.running:
            self.current = address
            self.halted = False
            self.returns = []
            self._leave_list()

    def set_end(self, address: int) -> None:
        """A write of CTnEA."""
        self.end = address
        if not self.halted:
            self._run()

    def stop(self) -> None:
        """A 1 written to CTRUN. The record under way is finished; one that waits for the semaphore does not any more."""
        self.running = self.stalled = False
        self.halted = True

    def proceed(self) -> None:
        """A 1 written to CTSUBS."""
        self.halted = False
        self._run()

    def _run(self) -> None:
        if not self.running and self.current != self.end:
            self.running = True
            self.error = None

    def count(self) -> None:
        """The other thread has incremented the semaphore."""
        self.semaphore = min(self.semaphore + 1, SEMAPHORE_MAX)

    def step(self) -> Step:
        """Do one thing: a step of the pipeline, a primitive, or a record.

        With the last of the list the thread stops, so whoever hears that a frame is done may start the next list.
        """
        step = self._step()
        if self.current == self.end and not self.stalled and not self.active:
            self.running = False
        return step

    def _step(self) -> Step:
        self.waits = ""
        try:
            if self._work is not None:
                pass
            elif self._list is not None:
                self._next_primitive(self._list)
            elif not self.running:
                return Step.IDLE
            elif self.stalled and not self.semaphore:
                self.waits = "the semaphore"
                return Step.WAITS
            elif self.stalled:
                self.semaphore -= 1
                self.stalled = False
            else:
                self._execute(read_record(self._memory, self.current))
            if self._work is not None:
                return self._advance(self._work)
        except ListError as error:
            self._fail(error)
        except MemoryFault as fault:
            address = self._record.address if self._record else self.current
            self._fail(ListError(address, str(fault)))
        return Step.MOVED

    def _fail(self, error: ListError) -> None:
        """Stop at the record that is wrong."""
        self.stop()
        self.error = error
        self.current = error.address
        self._work = self._record = None
        self._leave_list()

    def _begin(self, work: Work) -> None:
        self._work = iter(work)

    def _advance(self, work: Iterator[str]) -> Step:
        """A step of the pipeline."""
        waits = next(work, None)
        if waits is None:
            self._work = None
            if self._list is None:
                self._done()
        self.waits = waits or ""
        return Step.WAITS if self.waits else Step.MOVED

    def _done(self) -> None:
        """The pipeline has finished a record."""
        record, self._record = self._record, None
        if record and (record.code in _FLUSHES or self._ends_frame(record)):
            increments, self._increments = self._increments, False
            self.finished(increments)

    @staticmethod
    def _ends_frame(record: ControlRecord) -> bool:
        return record.code is ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME or bool(
            getattr(record.fields, "last_tile_of_frame", 0)
        )

    def _next_primitive(self, found: Iterator[Found]) -> None:
        """The next item of a list goes to the pipeline."""
        try:
            primitive, address = next(found)
        except StopIteration:
            self._list = None
            self.primitives = 0
            self._begin(self.pipeline.end_list())
            return
        self.primitives = max(self.primitives - 1, 0)
        if address is not None:
            self.current = address
        if primitive:
            self._begin(self.pipeline.primitive(primitive))

    def _execute(self, record: ControlRecord) -> None:
        self._check(record)
        self.current = record.end
        match record.code:
            case ControlCode.HALT:
                self.stop()
            case ControlCode.NOP:
                pass
            case ControlCode.MARKER:
                self.markers += 1
            case ControlCode.RESET_MARKER_COUNT:
                self.markers = 0
            case ControlCode.INCREMENT_SEMAPHORE:
                self._increments = True
            case ControlCode.WAIT_ON_SEMAPHORE:
                self.stalled = True
            case ControlCode.BRANCH:
                self.current = record.fields.absolute_branch_address
            case ControlCode.BRANCH_TO_SUB_LIST:
                if len(self.returns) == RETURN_LEVELS:
                    raise ListError(record.address, f"sub-lists are nested deeper than {RETURN_LEVELS}")
                self.returns.append(record.end)
                self.current = record.fields.absolute_branch_address
            case ControlCode.RETURN_FROM_SUB_LIST:
                self.returned += 1
                if self.returns:
                    self.current = self.returns.pop()
            case _:
                self._hand_over(record)

    def _check(self, record: ControlRecord) -> None:
        """Raises `ListError` for a record that is out of place."""
        name, role = record.code.name, record.kind.role
        if self.threads not in record.kind.threads:
            raise ListError(record.address, f"{name} in a {self.threads} list")
        if role.needs_configuration and not self._configured:
            raise ListError(record.address, f"{name} in front of any configuration")
        if not role.is_list:
            return
        if self._shader is None:
            raise ListError(record.address, f"{name} in front of any shader state")
        coordinates = role is Role.COORDINATE_LIST
        if role is Role.COMPRESSED_LIST:
            if self._format is None:
                raise ListError(record.address, f"{name} in front of any primitive list format")
            coordinates = self._format.coordinates
        if coordinates != (self._shader in _VG_SHADERS):
            what = "coordinates" if coordinates else "indices"
            raise ListError(record.address, f"{name} with {what} after {self._shader.name}")

    def _hand_over(self, record: ControlRecord) -> None:
        """A record for the pipeline."""
        code, role = record.code, record.kind.role
        if role is Role.CONFIGURATION:
            self._configured = True
            self.prefixing = self.threads is Threads.BINNING
        elif code is ControlCode.START_TILE_BINNING:
            self.prefixing = False
        elif code in _FLUSHES:
            self.flushes += 1
        elif role is Role.SHADER:
            self._shader = code
        elif role is Role.FORMAT or (role.is_list and role is not Role.COMPRESSED_LIST):
            self._format = format_of(record)
        if role.is_list and self._format:
            self._list = primitives_of(record, self._memory, self._format, self._fan)
            self.primitives = count_of(record)
        self._record = record
        self._begin(self.pipeline.record(record))
