"""A file in the Trace Event Format, written event by event."""

import json
import os
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

__all__ = ["TraceFile"]


class TraceFile:
    """What is written goes to another file in the same folder, which takes its place when it is closed: all of it is there,
    or nothing.

    A track is a process and a thread, as the format calls them, both numbers. Times are clocks, one of which the viewer shows as
    a microsecond. Slices of a track lie in one another or apart, and are written in the order in which they begin; those that are
    written with `begin` hold what is written until `end`.

    Parameters
    ----------
    path : of the file

    Raises `OSError` if there can be none.
    """

    def __init__(self, path: Path):
        self._path = path
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        self._file, self._new = os.fdopen(number, "w", encoding="utf-8"), Path(name)
        os.chmod(name, 0o666 & ~_umask())
        self._file.write('{"displayTimeUnit":"ns","traceEvents":[\n')
        self._comma = ""
        self._named: set[tuple[int, int]] = set()
        #: What has begun on each track and has not ended.
        self._begun: defaultdict[tuple[int, int], list[str]] = defaultdict(list)

    def _write(self, text: str) -> None:
        self._file.write(f"{self._comma}{text}")
        self._comma = ",\n"

    def group(self, process: int, name: str) -> None:
        """Give a process the name of its group, once."""
        if (process, 0) not in self._named:
            self._named.add((process, 0))
            self._meta("process", process, 0, name)

    def track(self, process: int, thread: int, name: str, group: str) -> None:
        """Give a track its name, and its process the name of the group, once."""
        self.group(process, group)
        if (process, thread) not in self._named:
            self._named.add((process, thread))
            self._meta("thread", process, thread, name)

    def _meta(self, kind: str, process: int, thread: int, name: str) -> None:
        head = f'{{"ph":"M","pid":{process},"tid":{thread}'
        self._write(f'{head},"name":"{kind}_name","args":{{"name":{json.dumps(name)}}}}}')
        order = thread if kind == "thread" else process
        self._write(f'{head},"name":"{kind}_sort_index","args":{{"sort_index":{order}}}}}')

    @staticmethod
    def about(name: str, category: str, **args: Any) -> str:
        """What a slice is, for all slices that are the same."""
        more = f',"args":{json.dumps(args)}' if args else ""
        return f'"name":{json.dumps(name)},"cat":"{category}"{more}'

    def slice(self, process: int, thread: int, first: int, clocks: int, about: str) -> None:
        """A slice."""
        self._write(f'{{"ph":"X","pid":{process},"tid":{thread},"ts":{first},"dur":{clocks},{about}}}')

    def begin(self, process: int, thread: int, clock: int, about: str) -> None:
        """The begin of a slice."""
        self._begun[process, thread].append(about)
        self._write(f'{{"ph":"B","pid":{process},"tid":{thread},"ts":{clock},{about}}}')

    def end(self, process: int, thread: int, clock: int) -> None:
        """The end of the last slice of a track that has begun, by its name: some viewers look for that."""
        about = self._begun[process, thread].pop()
        self._write(f'{{"ph":"E","pid":{process},"tid":{thread},"ts":{clock},{about}}}')

    def instant(self, process: int, thread: int, clock: int, about: str) -> None:
        """Something that takes no time."""
        self._write(f'{{"ph":"i","s":"t","pid":{process},"tid":{thread},"ts":{clock},{about}}}')

    def counter(self, process: int, clock: int, name: str, **values: int | float) -> None:
        """What a counter shows from a clock on."""
        self._write(
            f'{{"ph":"C","pid":{process},"tid":0,"ts":{clock},"name":{json.dumps(name)},"args":{json.dumps(values)}}}'
        )

    def close(self, about: dict[str, Any]) -> None:
        """The file is done, with metadata."""
        with self._file as file:
            file.write(f'\n],"otherData":{json.dumps(about)}}}\n')
        self._new.replace(self._path)

    def abandon(self) -> None:
        """There is no file."""
        self._file.close()
        self._new.unlink(missing_ok=True)


def _umask() -> int:
    """Bits that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
