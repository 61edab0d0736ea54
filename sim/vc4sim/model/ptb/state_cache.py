"""State that goes into tile lists (guide, sections 8 and 9; pipeline facts, 2.3)."""

from collections.abc import Collection, Iterator

from vc4.errata import Erratum
from vc4.records.control import ControlCode, Role

from ..cle.control_records import ControlRecord
from ..cle.fields import packing

__all__ = ["StateCache", "record_bytes"]

#: Roles of records that tile lists have; of these, some are for the binner alone.
_ROLES = (Role.SHADER, Role.STATE)
_BINNER_ONLY = (ControlCode.CLIPPER_XY_SCALING, ControlCode.CLIPPER_Z_SCALE_AND_OFFSET)
#: Bits of the count of changes; of that of chips with the erratum HW-2116.
_COUNTER_BITS, _FEWER_BITS = 32, 13


def record_bytes(record: ControlRecord) -> bytes:
    """A record as it lies in a list; bits without a meaning are 0."""
    if record.kind.layout is None:
        return bytes([record.code.value])
    pack = packing(record.kind.layout)
    return bytes([record.code.value]) + pack.pack(**vars(record.fields)).to_bytes(pack.size // 8, "little")


class StateCache:
    """The newest state of each kind, with a stamp: the change of state that it came with.

    counter : changes of state: a change is all state between two primitives. It has 32 bits; with the erratum HW-2116 it has 13, and
        begins again after them, so that what is newer seems older
    """

    def __init__(self, errata: Collection[Erratum] = ()):
        self._counts = 1 << (_FEWER_BITS if Erratum.HW_2116 in errata else _COUNTER_BITS)
        self._items: dict[ControlCode | Role, tuple[int, bytes]] = {}
        self.counter = 0
        self._used = False

    def begin(self) -> None:
        """A frame: what is known is its prefix from now on, see `advance`."""
        self._items = {key: (0, data) for key, (_, data) in self._items.items()}
        self.counter = 0
        self._used = False

    def advance(self) -> None:
        """The next state is a new change."""
        self.counter = (self.counter + 1) % self._counts
        self._used = False

    def use(self) -> None:
        """A primitive has been binned with this state."""
        self._used = True

    def set(self, record: ControlRecord) -> None:
        """New state, if tile lists have such."""
        if record.kind.role not in _ROLES or record.code in _BINNER_ONLY:
            return
        if self._used:
            self.advance()
        # One shader takes the place of another, whatever kind they are; shaders come first.
        key = Role.SHADER if record.kind.role is Role.SHADER else record.code
        self._items[key] = (self.counter, record_bytes(record))

    def newer(self, stamp: int | None, shader: bool = False) -> Iterator[bytes]:
        """State that is newer than `stamp`; `None`: all that there is. First the shader, also an old one if `shader` is set."""
        for key in sorted(self._items, key=lambda key: 0 if isinstance(key, Role) else key.value):
            newest, data = self._items[key]
            if stamp is None or newest > stamp or (shader and key is Role.SHADER):
                yield data
