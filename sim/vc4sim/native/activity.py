"""What changes in the parts of a GPU while it works, so that blocks can be cut where changes end.

It is known of the presets, from programs and frames that ran on them: `vc4 bench activity` records it, anew where the hardware has
become another one. It is about speed only: what nobody knows is taken for something that never changes.
"""

import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import reduce
from gzip import compress, decompress
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from operator import or_
from pathlib import Path

import numpy as np

from .design import Design
from .expression import VARIABLE
from .labels import parsed, piece

__all__ = ["KNOWN", "RECORDED", "Activity", "activity_of", "gather", "known_texts", "labels_of", "recorded_in"]

#: In the environment, the folder in which native code records what changes.
RECORDED = "VC4_NATIVE_ACTIVITY"
#: Within that folder, all that is known while it records.
KNOWN = "known"
#: At the end of the name of a file with what is known.
_KEPT = ".json.gz"
#: Clocks that are kept of a run.
_CLOCKS = 256
_NEVER = "0" * (_CLOCKS // 4)
#: More of the clocks in which neighbours change than in which just one of them does: they are kept apart.
_APART = 0.25
#: In front of what stands for a variable that nobody has named.
_UNNAMED = "#"


class Activity:
    """By label, in which of `length` clocks something changes: a bit for each of them."""

    def __init__(self, known: Mapping[str, int], length: int):
        self.length = length
        self._bits: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for label, clocks in known.items():
            name, low, high = parsed(label)
            self._bits[name].append((low, high, clocks))

    def of(self, label: str) -> int | None:
        """In which clocks one of these bits changes; `None` if that is not known."""
        name, low, high = parsed(label)
        found = [clocks for first, end, clocks in self._bits.get(name, ()) if first < high and end > low]
        return reduce(or_, found) if found else None

    def neighbours(self, name: str, low: int, middle: int, high: int) -> bool:
        """Whether the bits from `middle` on change in about the same clocks as those before."""
        lower, upper = (self.of(piece(name, first, end - first)) or 0 for first, end in ((low, middle), (middle, high)))
        rarer = min(lower.bit_count(), upper.bit_count())
        return (lower | upper).bit_count() - rarer < _APART * self.length


def labels_of(design: Design, order: Mapping[str, int]) -> dict[str, list[str]]:
    """Those of the design, and for a variable that nobody has named one that is made of how it is computed."""
    found = dict(design.labels)
    for name in order:
        value = design.computed.get(name)
        if value and name not in found:

            def called(match: re.Match[str], reads: frozenset[str] = value.reads) -> str:
                return found.get(match[0], ["?"])[0] if match[0] in reads else match[0]

            text = VARIABLE.sub(called, value.text)
            found[name] = [_UNNAMED + blake2b(text.encode(), digest_size=6).hexdigest()]
    return found


def recorded_in() -> str:
    """The folder in which native code records what changes, or nothing if it does not."""
    return os.environ.get(RECORDED, "")


def known_texts() -> list[str]:
    """All that is known."""
    folder = _folder()
    files = [file for file in folder.iterdir() if file.name.endswith(_KEPT)] if folder.is_dir() else []
    return [_text(file) for file in sorted(files, key=lambda file: file.name)]


def activity_of(name: str, lanes: int) -> Activity | None:
    """What is known of a kind with so many lanes."""
    file = _folder() / f"{name}{lanes}{_KEPT}"
    if not file.is_file():
        return None
    kept = json.loads(_text(file))
    return Activity({label: int(clocks, 16) for label, clocks in kept["changes"].items()}, kept["clocks"])


def _text(file: Traversable) -> str:
    return decompress(file.read_bytes()).decode()


def _folder() -> Traversable:
    return Path(recorded_in(), KNOWN) if recorded_in() else resources.files(__package__) / "activity"


def gather(folders: Sequence[Path], into: Path) -> None:
    """Keeps in `into` what native code has recorded in some folders: of variables that nobody has named, if what is named is there."""
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(path for folder in folders for path in folder.iterdir() if path.is_file()):
        files[path.name].append(path)
    into.mkdir(exist_ok=True)
    for name, paths in files.items():
        file = into / f"{name}{_KEPT}"
        before = json.loads(_text(file))["changes"] if file.exists() else {}
        runs = [_run(path) for path in paths]
        labels = {label for run in runs for label in run if not before or label.startswith(_UNNAMED)}
        changes = before | {
            label: "".join(run.get(label, _NEVER) for run in runs).lstrip("0") or "0" for label in labels
        }
        kept = {"clocks": _CLOCKS * len(runs), "changes": changes}
        file.write_bytes(compress(json.dumps(kept, sort_keys=True).encode(), mtime=0))


def _run(path: Path) -> dict[str, str]:
    """What changes in some clocks of a run, as a `Recorder` of C++ has written it down: a bit for each clock, as a number."""
    names, _, found = path.read_bytes().partition(b"\n\n")
    labels = names.decode().split("\n")
    size = -(-len(labels) // 8)
    clocks = np.frombuffer(found[: len(found) // size * size], np.uint8).reshape(-1, size)
    clocks = clocks[np.linspace(0, len(clocks) - 1, _CLOCKS).astype(int)]
    changes = np.packbits(np.unpackbits(clocks, axis=1, bitorder="little"), axis=0)
    return {label: changes[:, number].tobytes().hex() for number, label in enumerate(labels)}
