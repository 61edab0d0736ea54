"""Keeps what a driver draws: each frame as a picture, and as a case that `vc4 render` draws again."""

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from vc4.records.control import ControlCode

from ..clist.capture import save_capture
from ..model.arith.float import SIGN
from ..model.cle.cle import BINNING, RENDERING
from ..model.cle.control_records import ControlRecord, ListError, read_record
from ..model.cle.fields import Fields as RecordFields
from ..model.memory import Memory
from ..problem import BadInput
from ..render.picture import TILINGS, TOP, Picture, Place, picture_at, save
from .watcher import Watcher

__all__ = ["Recorder"]

_TILING_NAMES = {tiling: name for name, tiling in TILINGS.items()}
_PICTURE_FILE, _EXPECTED_FILE = "picture.png", "expected.raw"


class Recorder(Watcher):
    """Writes a folder for each job into `folder`, after those that are there: job-0001 and so on, each whole by itself.

    A job begins with the start of a binning list, or of a rendering list that has none, and ends with its frame, or with a reset:
    then it hangs, and the folder has no picture. `memory` is
    kept as it is when the job begins, so a job costs a copy of it, and of what is not 0 a compressed file. Raises `BadInput` if
    there can be no such folder.
    """

    def __init__(self, folder: Path, memory: Memory):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"frames cannot be kept in {folder}: {error.strerror}") from None
        self._memory = memory
        self._folders = (folder / f"job-{number:04}" for number in count(1))
        self._current: dict[str, int] = {}
        self._forget()

    def reset(self) -> None:
        """A job that is under way hangs."""
        if self._registers:
            self._write(None)
        self._forget()

    def _forget(self) -> None:
        """No job is under way."""
        self._registers: dict[str, int] = {}
        self._overflows: list[dict[str, int]] = []
        self._before = b""

    def written(self, name: str, word: int) -> None:
        """A write of the host, before it happens."""
        self._current[name] = word
        if name in ("CT0EA", "CT1EA"):
            if not self._registers:
                self._before = bytes(self._memory.data)
            start = name.replace("EA", "CA")
            self._registers |= {start: self._current.get(start, 0), name: word}
        elif name == "BPOS" and word and self._registers:
            self._overflows.append({"BPOA": self._current.get("BPOA", 0), "BPOS": word})

    def drawn(self, counts: Mapping[str, int]) -> None:
        """The job has ended."""
        self._write(self._picture())
        self._forget()

    def _write(self, drawn: tuple[Place, Picture, bool] | None) -> None:
        folder = next(folder for folder in self._folders if not folder.exists())
        folder.mkdir()
        check: dict[str, Any] = {}
        if drawn:
            place, picture, top_first = drawn
            save(picture, folder / _PICTURE_FILE, top_first=top_first)
            (folder / _EXPECTED_FILE).write_bytes(picture.tobytes())
            check = place._asdict() | {"expected": _EXPECTED_FILE} | ({"first_row": TOP} if top_first else {})
        save_capture(
            folder,
            self._before,
            self._registers,
            description="recorded from a driver",
            overflows=self._overflows,
            check=check,
        )

    def _picture(self) -> tuple[Place, Picture, bool] | None:
        """What the frame has drawn, where, and whether its first row is at the top; `None` if that is no colours in memory."""
        try:
            frame = self._frame()
            place = Place(
                frame.memory_address,
                _TILING_NAMES[frame.memory_format],
                frame.frame_buffer_color_format.name.removesuffix("_DITHERED"),
                frame.width,
                frame.height,
            )
            return place, picture_at(self._memory, place), self._is_top_first()
        except (BadInput, KeyError, ListError, StopIteration):
            return None

    def _frame(self) -> RecordFields:
        """The configuration of the frame: the first one of its list."""
        code = ControlCode.TILE_RENDERING_MODE_CONFIGURATION
        return next(record.fields for record in self._records(RENDERING) if record.code is code)

    def _is_top_first(self) -> bool:
        """Y of clip coordinates grows against the rows of memory, as far as the binning list says."""
        heights = (
            record.fields.viewport_half_height & SIGN
            for record in self._records(BINNING)
            if record.code is ControlCode.CLIPPER_XY_SCALING
        )
        return bool(next(heights, 0))

    def _records(self, thread: int) -> Iterator[ControlRecord]:
        """Of a list, without its sub-lists. Raises `ListError`."""
        address, end = (self._registers.get(f"CT{thread}{name}", 0) for name in ("CA", "EA"))
        while address < end:
            record = read_record(self._memory, address)
            yield record
            address = record.end
