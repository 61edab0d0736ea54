"""The binner: everything after the binning thread (guide, section 8)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping

from vc4.errata import Erratum
from vc4.records.control import ControlCode, Role
from vc4.regs.lists import BINNER

from ..cle.control_records import ControlRecord, ListError
from ..cle.pipeline import Work
from ..cle.primitives import Primitive, format_of
from ..cle.shader_records import ShaderRecordError, read_shader_record
from ..memory import Memory, MemoryFault
from ..vcm.vcm import Shaded, Vcm
from ..vcm.vertices import ShaderKind, ShadingError, VertexShading
from .ptb import Ptb

__all__ = ["Binner"]

_FLUSHES = (ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)
_WITH_VERTICES = (ControlCode.GL_SHADER_STATE, ControlCode.NV_SHADER_STATE)


class Binner:
    """VCM, VCD, coordinate shading and PTB, as a pipeline; it may have errata.

    shading : what shades the vertices
    out_of_memory : it waits for memory for tile lists
    error : why it has stopped: it waits for ever then, as a chip does that hangs, until it is reset
    """

    registers = tuple(one.name for one in BINNER)

    def __init__(self, memory: Memory, shading: VertexShading, errata: Collection[Erratum] = ()):
        self.shading = shading
        self.error: str | None = None
        self._memory = memory
        self._vcm = Vcm(self.shading, ShaderKind.COORDINATE)
        self._ptb = Ptb(memory, errata)
        self._shader: ControlRecord | None = None  # that was not read

    @property
    def out_of_memory(self) -> bool:
        """Until the host gives memory, or resets."""
        return self._ptb.memory.out_of_memory

    @property
    def interrupts(self) -> set[str]:
        """Names of the bits of INTCTL that it has set; the host's to clear."""
        return self._ptb.memory.interrupts

    @property
    def events(self) -> Counter[str]:
        """What performance counters count, by their names."""
        return self._ptb.events

    def reset(self) -> None:
        """Forget everything that is under way. Registers keep what they hold."""
        self._vcm.reset()
        self._vcm.shader = self._shader = None
        self._ptb.reset()
        self.error = None

    def record(self, record: ControlRecord) -> Work:
        """Configuration, state, a flush, or a list, whose primitives follow."""
        return self._guarded(lambda: self._record(record))

    def primitive(self, primitive: Primitive) -> Work:
        """A primitive of the list: it waits in a batch if it has vertices to be shaded."""
        if primitive.coordinates:
            return self._guarded(lambda: self._ptb.bin(primitive, None, ()))
        return self._guarded(lambda: self._bin(self._vcm.add(primitive)))

    def end_list(self) -> Work:
        """The last batch of the list."""
        return self._guarded(lambda: self._bin(self._vcm.finish()))

    def _guarded(self, begin: Callable[[], Iterator[str]]) -> Iterator[str]:
        """Work that ends in an error instead of raising one."""
        try:
            if self.error is None:
                while lacks := self._vcm.lacks:
                    yield lacks
                yield from begin()
        except (ShadingError, MemoryFault, ListError) as what:
            self.error = str(what)
            if isinstance(what, ShaderRecordError):
                self.shading.fails(ShaderKind.COORDINATE)
        while self.error is not None:
            yield self.error

    def _record(self, record: ControlRecord) -> Iterator[str]:
        role = record.kind.role
        if role is Role.CONFIGURATION:
            self._ptb.configure(record.fields)
        elif record.code is ControlCode.START_TILE_BINNING:
            self._ptb.start()
        elif record.code in _FLUSHES:
            yield from self._ptb.flush(all_state=record.code is ControlCode.FLUSH_ALL_STATE)
        elif role is Role.FORMAT or (role.is_list and role is not Role.COMPRESSED_LIST):
            self._ptb.form = format_of(record)
        elif not role.is_list:
            self._ptb.state(record)
        if role is Role.SHADER:
            self._shader = record if record.code in _WITH_VERTICES else None
        elif role.is_list and self._shader:
            self._vcm.shader = read_shader_record(self._memory, self._shader)
            self._shader = None

    def _bin(self, primitives: Iterator[Shaded]) -> Iterator[str]:
        """Primitives of a batch, which is shaded."""
        for primitive, vertices in primitives:
            yield from self._ptb.bin(primitive, self._vcm.shader, vertices)

    def live(self, name: str) -> dict[str, int]:
        """What the fields of a register read."""
        memory = self._ptb.memory
        match name:
            case "BPCA":
                return {"BMPCA": memory.pool_address}
            case "BPCS":
                return {"BMPRS": memory.pool_size}
            case "BPOS":
                return {"BMPOS": memory.overspill_size}
        return {}

    def written(self, name: str, fields: Mapping[str, int]) -> None:
        """A write of one of the registers. Forwarding is how hardware does it, which the model does not have."""
        memory = self._ptb.memory
        match name:
            case "BPOA":
                memory.overspill_address = fields["BMPOA"]
            case "BPOS":
                memory.overspill_size = fields["BMPOS"]
            case "BXCF":
                self._ptb.clipping = not fields["CLIPDISA"]
