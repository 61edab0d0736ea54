"""Reads a timeline as a viewer does."""

import json
from collections import Counter, defaultdict
from typing import NamedTuple


class Slice(NamedTuple):
    """A slice, with its parents: names from the outermost one on."""

    track: str
    name: str
    category: str
    first: int
    clocks: int
    args: dict
    parents: tuple[str, ...]


class Events:
    """The events of a file. Raises `AssertionError` if slices of a track overlap and do not nest, or come in the wrong order."""

    def __init__(self, path):
        self.document = json.loads(path.read_text())
        self.about = self.document["otherData"]
        events = self.document["traceEvents"]
        named = [one for one in events if one["ph"] == "M" and one["name"] == "thread_name"]
        self.names = {(one["pid"], one["tid"]): one["args"]["name"] for one in named}
        self.counters = [one for one in events if one["ph"] == "C"]
        self.instants = [one for one in events if one["ph"] == "i"]
        assert {one["ph"] for one in events} <= set("MBEXCi")
        tracks = defaultdict(list)
        for one in events:
            if one["ph"] in "BEX":
                tracks[one["pid"], one["tid"]].append(one)
        self.slices = [one for track in sorted(tracks) for one in _nested(self.names[track], tracks[track])]

    def of(self, category):
        return [one for one in self.slices if one.category == category]

    def clocks_by_name(self, category):
        clocks = Counter()
        for one in self.of(category):
            clocks[one.name] += one.clocks
        return dict(clocks)


def _nested(track, events):
    """The slices of a track, in the order in which they begin."""
    stack, clock, found = [], 0, []
    for one in sorted(events, key=lambda event: event["ts"]):  # a viewer's sort is stable, as this one
        assert one["ts"] >= clock, f"{one} begins before the one before it has ended"
        clock = one["ts"]
        if one["ph"] == "E":
            begun = stack.pop()
            assert one["name"] == begun["name"], "viewers look for the end of a slice by its name"
            assert clock > begun["ts"]
            found.append((begun, clock - begun["ts"], tuple(outer["name"] for outer in stack)))
        elif one["ph"] == "B":
            stack.append(one)
        else:
            assert one["dur"] > 0 or one["cat"] == "tile"
            clock += one["dur"]
            found.append((one, one["dur"], tuple(outer["name"] for outer in stack)))
    assert not stack
    return [
        Slice(track, one["name"], one["cat"], one["ts"], clocks, one.get("args", {}), parents)
        for one, clocks, parents in sorted(found, key=lambda slice_: slice_[0]["ts"])
    ]
